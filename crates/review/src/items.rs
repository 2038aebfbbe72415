//! What the page and the terminal show of an edit, in words: its place in the list, and what happened to its files since.
//! All texts have their invisible characters written out.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use treegraft::engine::response::{EditListed, EditStatus};
use treegraft::engine::review::{EditFit, EditReviewed, FilesSince, TargetReviewed};
use treegraft::engine::watch;

use crate::decisions::counted;
use crate::diff::visible;
use crate::listing::Listing;

/// The number of applied edits, and of discarded ones, that are listed.
const PAST_LISTED: usize = 100;

/// The edits under one heading.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    /// The client, for pending edits.
    pub(crate) client: String,
    pub(crate) items: Vec<Item>,
    pub(crate) omitted: usize,
    pub(crate) can_select: bool,
}

/// An edit in the list.
pub(crate) struct Item {
    pub(crate) edit_id: String,
    pub(crate) status: &'static str,
    pub(crate) label: String,
    pub(crate) file: String,
    /// The number of other files: `+2 files`.
    pub(crate) more_files: String,
    /// The files, one a line.
    pub(crate) files: String,
    pub(crate) what: String,
    pub(crate) added: usize,
    pub(crate) removed: usize,
    pub(crate) created: u64,
    pub(crate) age: String,
    pub(crate) can_select: bool,
    /// How the edit fits its files, if a person has to know: `stale`.
    pub(crate) fit: &'static str,
}

/// What happened to the files of an edit.
pub(crate) struct SinceText<'s> {
    pub(crate) message: String,
    /// The refusal as the agent reads it.
    pub(crate) refusal: Cow<'s, str>,
    /// Whether the edit cannot be accepted or undone as it is.
    pub(crate) is_problem: bool,
    /// Whether the language server can be asked what the edit changes now.
    pub(crate) can_ask: bool,
}

/// Returns the number of edits that can be accepted.
pub(crate) fn pending(listing: &Listing) -> usize {
    listing
        .edits(|status| status == EditStatus::Previewed)
        .len()
}

/// Returns all edits: the pending ones by client, then the applied and the discarded ones.
pub(crate) fn groups(listing: &Listing) -> Vec<Group> {
    let is_pending = |status| matches!(status, EditStatus::Previewed | EditStatus::Refused);
    let pending = listing.edits(is_pending);
    let mut groups: Vec<Group> = Vec::new();
    for edit in &pending {
        let client = client_of(edit);
        let known = groups.iter().position(|group| group.client == client);
        let index = known.unwrap_or_else(|| {
            groups.push(Group {
                name: "Staged",
                client,
                items: Vec::new(),
                omitted: 0,
                can_select: true,
            });
            groups.len() - 1
        });
        groups[index]
            .items
            .push(Item::fitting(edit, listing.fit(&edit.edit_id)));
    }
    for (name, status) in [
        ("Applied", EditStatus::Applied),
        ("Undone", EditStatus::Undone),
        ("Discarded", EditStatus::Discarded),
    ] {
        let edits = listing.edits(|one| one == status);
        if !edits.is_empty() {
            groups.push(Group {
                name,
                client: String::new(),
                items: edits
                    .iter()
                    .take(PAST_LISTED)
                    .map(|edit| Item::from_edit(edit))
                    .collect(),
                omitted: edits.len().saturating_sub(PAST_LISTED),
                can_select: false,
            });
        }
    }
    groups
}

impl Item {
    pub(crate) fn from_edit(edit: &EditListed) -> Item {
        let mut files = edit.files();
        let file = visible(files.next().unwrap_or_default()).into_owned();
        let more_files = match files.count() {
            0 => String::new(),
            count => format!("+{}", counted(count, "file")),
        };
        let all: Vec<_> = edit.files().map(visible).collect();
        let what = edit.symbol.as_deref().unwrap_or(&edit.summary);
        let what = visible(match edit.status {
            EditStatus::Discarded => edit.reason.as_deref().unwrap_or("no reason"),
            _ => what,
        });
        Item {
            edit_id: edit.edit_id.clone(),
            status: edit.status_name(),
            label: format!("{file}: {what}"),
            file,
            more_files,
            files: all.join("\n"),
            what: what.into_owned(),
            added: edit.added_lines,
            removed: edit.removed_lines,
            created: edit.created,
            age: age(edit.created),
            can_select: edit.status == EditStatus::Previewed,
            fit: "",
        }
    }

    /// Returns a pending edit with how it fits its files.
    fn fitting(edit: &EditListed, fit: EditFit) -> Item {
        let fit = match fit {
            EditFit::FilesChanged => "file changed",
            EditFit::ChangedAround => "changed around",
            EditFit::Stale => "stale",
            _ => "",
        };
        Item {
            fit,
            ..Item::from_edit(edit)
        }
    }

    pub(crate) fn is(&self, status: &str) -> bool {
        self.status == status
    }
}

/// Returns what happened to the files since the preview or, of an applied edit, since it was written. Returns `None` if they
/// are the same.
pub(crate) fn since(since: &FilesSince) -> Option<SinceText<'_>> {
    let message = match since {
        FilesSince::Rebased(_) => {
            "Other parts of the file changed since the preview. The edit still fits, and is written like this:"
        }
        FilesSince::ChangedAround(_) => {
            "The code around the edit changed since the preview. If it is still right there, accept it; it is written like this:"
        }
        FilesSince::StaleUntilAsked => {
            "The file changed since the preview, so this edit cannot be accepted as shown. Only its language server knows what the same request changes now. Accept asks it, and stages a fresh preview."
        }
        FilesSince::Stale(_) => {
            "The file changed since the preview, so this edit cannot be accepted as shown. Accept stages a fresh preview of the same request:"
        }
        FilesSince::RefusedNow(_) => {
            "The file changed since the preview, so this edit cannot be accepted. The same request is now refused: "
        }
        FilesSince::UndoneAs(_) => {
            "The file changed since the edit was applied. Undo keeps these changes, and is written like this:"
        }
        FilesSince::NotUndone(_) => {
            "The file changed since the edit was applied, so undo is refused now:"
        }
        FilesSince::Unreadable(_) => "",
        _ => return None,
    };
    let reason = match since {
        FilesSince::RefusedNow(reason) | FilesSince::Unreadable(reason) => visible(reason),
        _ => Cow::Borrowed(""),
    };
    let refusal = match since {
        FilesSince::NotUndone(refusal) => visible(refusal),
        _ => Cow::Borrowed(""),
    };
    Some(SinceText {
        message: format!("{message}{reason}"),
        refusal,
        can_ask: matches!(since, FilesSince::StaleUntilAsked),
        is_problem: !matches!(
            since,
            FilesSince::Rebased(_) | FilesSince::ChangedAround(_) | FilesSince::UndoneAs(_)
        ),
    })
}

/// Returns the edits of a call that can get another target.
pub(crate) fn selectable(reviewed: &EditReviewed) -> impl Iterator<Item = &TargetReviewed> {
    let targets = reviewed.targets.iter();
    targets.filter(|target| target.refusal.is_none())
}

/// Returns why no edit of a staged call can get another target.
pub(crate) fn no_target(reviewed: &EditReviewed) -> Option<&str> {
    let mut targets = reviewed.targets.iter();
    match selectable(reviewed).next() {
        Some(_) => None,
        None => targets.find_map(|target| target.refusal.as_deref()),
    }
}

/// Returns the name of the program that made an edit.
pub(crate) fn client_of(edit: &EditListed) -> String {
    let client = edit.client.as_deref();
    match client {
        None => "unknown client".to_string(),
        Some(watch::COMMAND_LINE) => "command line".to_string(),
        Some(client) => visible(client).into_owned(),
    }
}

/// Returns how long ago a time was, in one unit: `3m`.
fn age(created: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.map_or(0, |now| now.as_secs()).saturating_sub(created);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}
