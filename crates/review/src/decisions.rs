//! What a person decides: which edits are accepted, discarded or undone, and their outcomes in words.

use std::collections::BTreeSet;

use serde::Serialize;
use treegraft::Selector;
use treegraft::engine::Engine;
use treegraft::engine::request::DiscardEdit;
use treegraft::engine::response::{Answer, EditListed, EditMade, RefusedCall};
use treegraft::engine::review::{ChosenEdit, EditPart, FormerTarget, RefusedEdit};

use crate::diff::visible;
use crate::listing::Listing;

/// The outcomes of the chosen edits.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Decided {
    /// In one sentence.
    pub(crate) message: String,
    pub(crate) outcomes: Vec<Outcome>,
    /// The ids of the edits that are staged instead: of what was left out, or for another node.
    pub(crate) left_out: Vec<String>,
}

/// The outcome of one edit.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    /// The id of the edit. A part that was accepted has another id than the whole edit.
    pub(crate) edit_id: String,
    pub(crate) is_done: bool,
    /// The files of the edit.
    pub(crate) file_path: String,
    /// The refusal, or what treegraft did beyond the request.
    pub(crate) text: String,
}

/// A staged edit that is accepted without some of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) edit_id: String,
    /// The digest of the diff that the person has seen, if any.
    pub(crate) shown: Option<String>,
    /// The number of a file, and that of a part of it unless all of it is left out.
    pub(crate) leave_out: BTreeSet<(usize, Option<usize>)>,
}

impl Decided {
    /// Returns the ids of the edits that the decision was carried out for.
    pub(crate) fn done(&self) -> Vec<String> {
        let done = self.outcomes.iter().filter(|outcome| outcome.is_done);
        done.map(|outcome| outcome.edit_id.clone()).collect()
    }
}

/// Accepts the chosen edits as one transaction, the oldest first.
pub(crate) fn accept(engine: &Engine, listing: &Listing, choices: &[Choice]) -> Decided {
    let edit_ids: Vec<String> = choices.iter().map(|one| one.edit_id.clone()).collect();
    let listed = listing.oldest_first(&edit_ids);
    let known = |edit_id: &str| listed.iter().position(|edit| edit.edit_id == edit_id);
    let mut choices: Vec<&Choice> = choices.iter().collect();
    choices.sort_by_key(|one| known(&one.edit_id).unwrap_or(usize::MAX));
    let chosen = choices.iter().map(|one| {
        let parts = one.leave_out.iter();
        let parts = parts.map(|(file, part)| EditPart::new(*file, *part));
        ChosenEdit::whole(one.edit_id.as_str())
            .shown(one.shown.clone())
            .without(parts)
    });
    let chosen: Vec<ChosenEdit> = chosen.collect();
    match engine.accept_edits(&chosen) {
        Ok(accepted) => {
            let mut message = written("Accepted", &accepted.edits);
            if !accepted.left_out.is_empty() {
                message.push_str("; what you left out is still staged");
            }
            Decided {
                message,
                outcomes: accepted.edits.iter().map(Outcome::made).collect(),
                left_out: accepted.left_out,
            }
        }
        Err(refused) => Decided::nothing(&refused, &listed, chosen.len()),
    }
}

/// Undoes applied edits as one transaction.
pub(crate) fn undo(engine: &Engine, listing: &Listing, edit_ids: &[String]) -> Decided {
    match engine.undo_edits(edit_ids) {
        Ok(undone) => Decided {
            message: written("Undid", &undone),
            outcomes: undone.iter().map(Outcome::made).collect(),
            left_out: Vec::new(),
        },
        Err(refused) => Decided::nothing(&refused, &listing.oldest_first(edit_ids), edit_ids.len()),
    }
}

/// Discards edits, each on its own, the oldest first. The agent reads the reason.
pub(crate) fn discard(
    engine: &Engine,
    listing: &Listing,
    edit_ids: &[String],
    reason: Option<&str>,
) -> Decided {
    let edits = listing.oldest_first(edit_ids);
    let is_listed = |edit_id: &&String| edits.iter().any(|edit| edit.edit_id == **edit_id);
    let missing: Vec<&String> = edit_ids.iter().filter(|id| !is_listed(id)).collect();
    let outcome = |edit_id: &str, name: &str| {
        let request = DiscardEdit::new(edit_id);
        let request = match reason {
            Some(reason) => request.because(reason),
            None => request,
        };
        let discarded = engine.discard_edit(&request);
        Outcome {
            is_done: discarded.is_ok(),
            file_path: visible(name).into_owned(),
            text: match discarded {
                Ok(discarded) => visible(&discarded.text()).into_owned(),
                Err(refused) => refusal(&refused),
            },
            edit_id: edit_id.to_string(),
        }
    };
    let listed = edits
        .iter()
        .map(|edit| outcome(&edit.edit_id, &edit.file_path));
    let mut outcomes: Vec<Outcome> = listed.collect();
    let refused = outcomes.iter().filter(|one| !one.is_done).count();
    // The refusal says why they are gone.
    outcomes.extend(missing.into_iter().map(|edit_id| outcome(edit_id, edit_id)));
    let done = outcomes.iter().filter(|one| one.is_done).count();
    let missing = outcomes.len() - done - refused;
    let mut parts = Vec::new();
    if done > 0 || refused + missing == 0 {
        parts.push(format!("Discarded {}", counted(done, "edit")));
    }
    if refused > 0 {
        parts.push(format!("{refused} refused"));
    }
    if missing > 0 {
        parts.push(format!("{missing} no longer staged"));
    }
    Decided {
        message: parts.join(", "),
        outcomes,
        left_out: Vec::new(),
    }
}

/// Stages an edit for another node. The new edit has another id. `edit_index` is the number of the edit in its call.
pub(crate) fn retarget(
    engine: &Engine,
    listing: &Listing,
    edit_id: &str,
    edit_index: Option<usize>,
    selector: &Selector,
) -> Decided {
    match engine.retarget_edit(edit_id, edit_index, selector) {
        Ok(made) => Decided::staged("Staged for the other node", &made),
        Err(refused) => Decided::as_it_is(listing, edit_id, &refused),
    }
}

/// Stages an edit for its former node again.
pub(crate) fn restore(
    engine: &Engine,
    listing: &Listing,
    edit_id: &str,
    former: &FormerTarget,
) -> Decided {
    match engine.restore_target(edit_id, former) {
        Ok(made) => Decided::staged("Staged for the former node again", &made),
        Err(refused) => Decided::as_it_is(listing, edit_id, &refused),
    }
}

impl Decided {
    /// Returns that an edit was staged instead of another one.
    fn staged(message: &str, made: &EditMade) -> Decided {
        Decided {
            message: message.to_string(),
            left_out: vec![made.edit_id.clone()],
            outcomes: vec![Outcome::made(made)],
        }
    }

    /// Returns that an edit stays for its node.
    fn as_it_is(listing: &Listing, edit_id: &str, refused: &RefusedCall) -> Decided {
        let edit = listing.get(edit_id);
        let file_path = edit.map_or_else(String::new, |edit| visible(&edit.file_path).into_owned());
        Decided {
            message: "The edit is refused for that node".to_string(),
            outcomes: vec![Outcome {
                edit_id: edit_id.to_string(),
                is_done: false,
                file_path,
                text: refusal(refused),
            }],
            left_out: Vec::new(),
        }
    }

    /// Returns that nothing was written, since one of `count` edits was refused.
    fn nothing(refused: &RefusedEdit, listed: &[EditListed], count: usize) -> Decided {
        let mut listed = listed.iter();
        let edit = listed.find(|edit| edit.edit_id == refused.edit_id);
        Decided {
            message: match count {
                1 => "Nothing was written: the edit is refused".to_string(),
                count => format!("Nothing was written: 1 of {count} edits is refused"),
            },
            outcomes: vec![Outcome {
                edit_id: refused.edit_id.clone(),
                is_done: false,
                file_path: edit.map_or_else(
                    || refused.edit_id.clone(),
                    |edit| visible(&edit.file_path).into_owned(),
                ),
                text: refusal(&refused.refused),
            }],
            left_out: Vec::new(),
        }
    }
}

impl Outcome {
    fn made(made: &EditMade) -> Outcome {
        let files = made.files.iter().map(|file| file.file_path.as_str());
        Outcome {
            edit_id: made.edit_id.clone(),
            is_done: true,
            file_path: visible(&files.collect::<Vec<_>>().join(", ")).into_owned(),
            text: visible(&made.text()).into_owned(),
        }
    }
}

fn refusal(refused: &RefusedCall) -> String {
    visible(&refused.text()).into_owned()
}

/// Returns what was written, as a sentence.
fn written(verb: &str, made: &[EditMade]) -> String {
    let files = made.iter().flat_map(|made| &made.files);
    let files: BTreeSet<&str> = files.map(|file| file.file_path.as_str()).collect();
    let edits = counted(made.len(), "edit");
    format!("{verb} {edits} in {}", counted(files.len(), "file"))
}

/// Returns a number with its noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        count => format!(
            "{count} {noun}{}",
            if noun.ends_with("ch") { "es" } else { "s" }
        ),
    }
}
