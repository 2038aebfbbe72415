//! Asks the user about each pending edit, as `git add -p` does about each hunk.

use std::collections::{HashSet, VecDeque};
use std::process::ExitCode;

use treegraft::diagnostic::ExitStatus;
use treegraft::engine::request::DiscardEdit;
use treegraft::engine::response::{EditList, EditListed, EditStatus};
use treegraft::engine::{EditFilter, Engine};

use super::args::ApplyVerb;
use super::chosen::{EditsDone, application, filter_of};
use super::edits::{age_of, files};
use super::print::Printer;
use super::{answer, status};

const HELP: &str = "\
y - apply this edit
n - leave this edit staged
x - discard this edit, with a reason
f - apply this edit and all later edits of its files
d - leave this edit and all later edits of its files staged
a - apply this edit and all later edits
q - leave this edit and all later edits staged
v - view the whole diff
? - print this help
";

/// What the user decides about an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Apply,
    Leave,
    Discard,
    ApplyFiles,
    LeaveFiles,
    ApplyAll,
    Quit,
    View,
    Help,
}

impl Decision {
    /// Reads a decision; `None` if the text is none.
    fn parse(text: &str) -> Option<Decision> {
        Some(match text.trim().to_lowercase().as_str() {
            "y" | "yes" => Decision::Apply,
            "n" | "no" => Decision::Leave,
            "x" | "discard" => Decision::Discard,
            "f" | "file" => Decision::ApplyFiles,
            "d" => Decision::LeaveFiles,
            "a" | "all" => Decision::ApplyAll,
            "q" | "quit" => Decision::Quit,
            "v" | "view" => Decision::View,
            "?" | "h" | "help" => Decision::Help,
            _ => return None,
        })
    }
}

/// The edits that are left, and what is already decided about them.
struct Review<'r> {
    printer: &'r Printer,
    engine: &'r Engine,
    verb: &'r ApplyVerb,
    left: VecDeque<EditListed>,
    /// The edits that are shown again, since code around them changed.
    shown_again: HashSet<String>,
    applies_all: bool,
    applied_files: HashSet<String>,
    left_files: HashSet<String>,
    done: EditsDone,
    discarded: usize,
}

/// Asks about each chosen pending edit, the oldest first, and applies or discards it at once.
pub(super) fn apply(printer: &Printer, engine: &Engine, verb: &ApplyVerb) -> ExitCode {
    if !printer.can_ask() {
        printer.problem("--interactive asks on a terminal; pass ids, --file or --all instead");
        return status(ExitStatus::Usage);
    }
    let mut filter = filter_of(&verb.chosen);
    filter.status = Some(EditStatus::Previewed);
    filter.diff = true;
    let found = match engine.find_edits(&filter) {
        Ok(found) => found.edits,
        Err(refusal) => return answer::<EditList>(printer, Err(refusal)),
    };
    let is_named = !verb.chosen.edit_ids.is_empty();
    let left = match is_named {
        true => found.into(),
        false => found.into_iter().rev().collect(),
    };
    let review = Review {
        printer,
        engine,
        verb,
        left,
        shown_again: HashSet::new(),
        applies_all: false,
        applied_files: HashSet::new(),
        left_files: HashSet::new(),
        done: EditsDone::new("applied"),
        discarded: 0,
    };
    review.run()
}

impl Review<'_> {
    fn run(mut self) -> ExitCode {
        let all = self.left.len();
        let mut staged = 0;
        while let Some(edit) = self.left.pop_front() {
            let decision = match self.decided(&edit) {
                Some(decision) => decision,
                None => self.asked(&edit, (all - self.left.len(), all)),
            };
            let files = || edit.files().map(str::to_string);
            match decision {
                Decision::ApplyAll => self.applies_all = true,
                Decision::ApplyFiles => self.applied_files.extend(files()),
                Decision::LeaveFiles => self.left_files.extend(files()),
                _ => {}
            }
            match decision {
                Decision::Quit => {
                    staged += 1 + self.left.len();
                    break;
                }
                Decision::Discard => self.discard(&edit),
                Decision::Apply | Decision::ApplyFiles | Decision::ApplyAll => {
                    let request = application(self.verb, &edit.edit_id);
                    match self.engine.apply_edit(&request) {
                        Ok(made) if made.status == EditStatus::RebaseProposed => {
                            self.show_again(&edit.edit_id);
                        }
                        made => self.done.add(self.printer, made),
                    }
                }
                _ => staged += 1,
            }
        }
        if self.discarded > 0 {
            self.printer.message(&format!(
                "discarded {}",
                super::chosen::counted(self.discarded)
            ));
        }
        if staged > 0 {
            self.printer.message(&format!("{staged} still staged"));
        }
        self.done.finish(self.printer)
    }

    /// Asks about an edit once more, with the diff in the current files.
    fn show_again(&mut self, edit_id: &str) {
        self.printer
            .message("code around this edit changed since the preview; it is shown again");
        let mut filter = EditFilter::default();
        filter.edit_ids = vec![edit_id.to_string()];
        filter.diff = true;
        match self.engine.find_edits(&filter) {
            Ok(found) => {
                self.shown_again.insert(edit_id.to_string());
                for edit in found.edits {
                    self.left.push_front(edit);
                }
            }
            Err(refusal) => self.done.add::<EditList>(self.printer, Err(refusal)),
        }
    }

    /// Returns what an earlier answer decides about an edit.
    fn decided(&self, edit: &EditListed) -> Option<Decision> {
        if self.shown_again.contains(&edit.edit_id) {
            return None;
        }
        let are_all_in =
            |decided: &HashSet<String>| edit.files().all(|file| decided.contains(file));
        if self.applies_all || are_all_in(&self.applied_files) {
            return Some(Decision::Apply);
        }
        are_all_in(&self.left_files).then_some(Decision::Leave)
    }

    /// Shows an edit, and asks until the user decides. `place` is its number, and the number of all.
    fn asked(&self, edit: &EditListed, place: (usize, usize)) -> Decision {
        let (number, all) = place;
        let client = edit.client.as_deref().unwrap_or("-");
        let diff = edit.diff.as_deref().unwrap_or_default();
        self.printer.part(&format!(
            "\n({number}/{all}) {}  {} ago  {client}  {}  +{} -{}\n{}\n\n{diff}",
            edit.edit_id,
            age_of(edit),
            files(&edit.file_path),
            edit.added_lines,
            edit.removed_lines,
            edit.summary,
        ));
        loop {
            let question = format!("({number}/{all}) apply this edit [y,n,x,f,d,a,q,v,?]? ");
            // The end of the input means that nobody decides.
            let Some(text) = self.printer.ask_line(&question) else {
                return Decision::Quit;
            };
            match Decision::parse(&text) {
                Some(Decision::View) => self.view(edit),
                Some(Decision::Help) | None => self.printer.message(HELP.trim_end()),
                Some(decision) => return decision,
            }
        }
    }

    fn view(&self, edit: &EditListed) {
        self.printer.answer(&EditList {
            edits: vec![edit.clone()],
            omitted: 0,
            unreadable: Vec::new(),
        });
    }

    fn discard(&mut self, edit: &EditListed) {
        let reason = self.printer.ask_line("reason, which the agent reads: ");
        let request = DiscardEdit::new(&edit.edit_id).because(reason.unwrap_or_default());
        match self.engine.discard_edit(&request) {
            Ok(discarded) => {
                self.discarded += 1;
                self.printer.answer(&discarded);
            }
            Err(refusal) => self.done.add::<EditList>(self.printer, Err(refusal)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_each_decision() {
        for line in HELP.lines() {
            let (letter, _) = line.split_once(" - ").expect("a letter and its meaning");
            assert!(Decision::parse(&format!("{letter}\n")).is_some(), "{line}");
        }
        assert_eq!(HELP.lines().count(), 9);
        for text in ["", "\n", "yn", "apply"] {
            assert_eq!(Decision::parse(text), None, "{text:?}");
        }
    }
}
