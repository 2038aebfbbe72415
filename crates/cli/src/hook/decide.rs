//! What to answer about a call: pass, inform, correct, or deny once.

use std::time::Duration;

use camino::Utf8Path;
use serde_json::json;
use treegraft::diagnostic::string_edit_notes;
use treegraft::engine::{Caller, Engine};
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::source::{Digest, Source};
use treegraft::string_edit::{self, Outcome};
use treegraft::workspace::{FILE_LIMIT, FileError, Guard, StateDirectory, Workspace};

use super::event::{Decision, EditCall, FileChange, FileEdit, Protocol, with_line_feeds};
use super::words;

/// How long a denied call is remembered: the same call passes then.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// The project that the client works in. A file outside it is not read.
pub(super) struct Project {
    workspace: Workspace,
}

impl Project {
    /// Opens the project around the client's working directory; `None` if it cannot be opened.
    pub(super) fn open(current: &Utf8Path) -> Option<Project> {
        let state = StateDirectory::open(&StateDirectory::default_path().ok()?).ok()?;
        let workspace = Workspace::open(&[Workspace::discover(current)], state).ok()?;
        Some(Project { workspace })
    }

    /// Decides about a call that has not run yet.
    pub(super) fn before(
        &self,
        protocol: &dyn Protocol,
        call: &EditCall,
        guard: Guard,
    ) -> Decision {
        if guard == Guard::Off {
            return Decision::Pass;
        }
        let mut notes = Vec::new();
        for file in &call.files {
            let Some(before) = self.read(file) else {
                continue;
            };
            let Some(outcome) = outcome(file, &before) else {
                continue;
            };
            let name = words::name(protocol, call, file);
            let stops = match &outcome {
                Outcome::Sound(checked) => {
                    let is_whole = matches!(file.change, FileChange::Whole(_));
                    let texts = string_edit_notes(checked, is_whole);
                    notes.extend(texts.iter().map(|note| words::note(&name, note)));
                    false
                }
                Outcome::Broken(_) => true,
                Outcome::Corrected { .. } => !protocol.finds_similar(call),
                Outcome::Several(..) => protocol.needs_unique(call),
                // The client itself refuses the call, and says so.
                _ => false,
            };
            if !stops {
                continue;
            }
            if let Outcome::Corrected { edits, differences } = &outcome
                && call.asks_user
                && guard == Guard::Deny
                && let Some(input) = protocol.input(call, edits)
            {
                let reason = words::correction(protocol, &name, differences);
                return Decision::Correct { input, reason };
            }
            let text = words::fault(protocol, call, file, &before, &outcome);
            // The client would refuse any other call again.
            let text = match outcome {
                Outcome::Broken(_) => format!("{text}\n\n{}", words::AGAIN),
                _ => text,
            };
            return self.stopped(call, guard, text);
        }
        informed(notes)
    }

    /// Denies a call, unless it was denied before or calls are never denied.
    fn stopped(&self, call: &EditCall, guard: Guard, text: String) -> Decision {
        if guard == Guard::Warn {
            return Decision::Inform(text);
        }
        let same = json!([call.session, call.tool, call.input]).to_string();
        let state = self.workspace.state();
        match state.deny_once(Digest::from_bytes(same.as_bytes()), REMEMBERED) {
            Ok(true) => Decision::Deny(text),
            Ok(false) => Decision::Pass,
            // A call that is denied each time could never be made.
            Err(_) => Decision::Inform(text),
        }
    }

    /// Decides about calls that the client itself has refused.
    pub(super) fn rejected(
        &self,
        protocol: &dyn Protocol,
        calls: &[EditCall],
        guard: Guard,
    ) -> Decision {
        if guard == Guard::Off {
            return Decision::Pass;
        }
        let mut texts = Vec::new();
        for call in calls {
            for file in &call.files {
                let Some(before) = self.read(file) else {
                    continue;
                };
                let outcome = outcome(file, &before);
                let is_of_string = |outcome: &Outcome<'_>| {
                    matches!(
                        outcome,
                        Outcome::Corrected { .. } | Outcome::Several(..) | Outcome::Missing(_)
                    )
                };
                // A call whose strings are in the file was refused for another reason.
                if let Some(outcome) = outcome.filter(is_of_string) {
                    texts.push(words::fault(protocol, call, file, &before, &outcome));
                }
            }
        }
        informed(texts)
    }

    /// Reports the new errors of a file that a call has edited, found by its language server.
    pub(super) fn edited(&self, path: &Utf8Path, before: &str, within: Duration) -> Decision {
        if self.workspace.resolve(path.as_str()).is_err() {
            return Decision::Pass;
        }
        let root = Workspace::discover(path.parent().unwrap_or(path));
        let Ok(engine) = Engine::open_for(Caller::Person, &[root], None::<&str>) else {
            return Decision::Pass;
        };
        let changed = engine.problems_since(path.as_str(), before, within);
        engine.stop_servers();
        // A language without a server, or a server that is not ready, says nothing about the edit.
        let Ok(changed) = changed else {
            return Decision::Pass;
        };
        let errors = changed.new.iter().filter(|one| one.severity == "error");
        let lines: Vec<String> = errors
            .map(|one| format!("{}:{}: {}", path, one.location.line, one.message))
            .collect();
        match lines.is_empty() {
            true => Decision::Pass,
            false => Decision::Inform(words::new_errors(&lines)),
        }
    }

    /// Reads and parses a file, which is empty if it does not exist; `None` if nothing can be said about it.
    fn read(&self, file: &FileEdit) -> Option<Parsed> {
        let place = self.workspace.place_of_new(file.path.as_str()).ok()?;
        let bytes = match self.workspace.read(&place, FILE_LIMIT) {
            Err(FileError::FileNotFound { .. }) => Vec::new(),
            bytes => bytes.ok()?,
        };
        let text = as_read(&String::from_utf8(bytes).ok()?);
        let configured = self.workspace.configured_language(place.absolute());
        let language = configured.unwrap_or_else(|| language::for_file(file.path.as_str(), &text));
        let name = file.path.file_name().unwrap_or_default();
        Some(Parsed::parse(Source::new(name, language, text)))
    }
}

fn informed(notes: Vec<String>) -> Decision {
    match notes.is_empty() {
        true => Decision::Pass,
        false => Decision::Inform(notes.join("\n\n")),
    }
}

/// Returns what the change of a file would do; `None` if an empty string is replaced, which creates the file.
fn outcome<'p>(file: &FileEdit, before: &'p Parsed) -> Option<Outcome<'p>> {
    match &file.change {
        FileChange::Strings(edits) => {
            let is_clear = edits.iter().all(|edit| !edit.old.is_empty());
            is_clear.then(|| string_edit::outcome(before, edits))
        }
        FileChange::Whole(new) => Some(string_edit::outcome_of_whole(before, &as_read(new))),
    }
}

/// Returns a text as the clients' tools read it: line breaks are `\n`, without a byte order mark.
fn as_read(text: &str) -> String {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    with_line_feeds(bare)
}
