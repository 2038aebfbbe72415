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
use treegraft::workspace::{FILE_LIMIT, Guard, StateDirectory, Workspace};

use super::event::{Decision, EditCall, FileChange, FileEdit, Protocol};
use super::words;
use crate::user_files;

/// How long a denied call is remembered: the same call passes then.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// The text of a file, as the client's tool reads it.
struct Before {
    parsed: Parsed,
    is_new: bool,
}

/// Decides about a call that has not run yet.
pub(super) fn before(protocol: &dyn Protocol, call: &EditCall, guard: Guard) -> Decision {
    if guard == Guard::Off {
        return Decision::Pass;
    }
    let mut notes = Vec::new();
    for file in &call.files {
        let Some(before) = read(file) else { continue };
        let Some(outcome) = outcome(file, &before.parsed) else {
            continue;
        };
        let name = words::name(protocol, call, file);
        let stops = match &outcome {
            Outcome::Sound(checked) => {
                // The agent has written all of an existing file, and knows what is gone.
                if before.is_new || matches!(file.change, FileChange::Strings(_)) {
                    let texts = string_edit_notes(checked);
                    notes.extend(texts.iter().map(|note| words::note(&name, note)));
                }
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
        let text = words::fault(protocol, call, file, &before.parsed, &outcome);
        // The client would refuse any other call again.
        let text = match outcome {
            Outcome::Broken(_) => format!("{text}\n\n{}", words::AGAIN),
            _ => text,
        };
        return stopped(call, guard, text);
    }
    informed(notes)
}

/// Denies a call, unless it was denied before or calls are never denied.
fn stopped(call: &EditCall, guard: Guard, text: String) -> Decision {
    if guard == Guard::Warn {
        return Decision::Inform(text);
    }
    let same = json!([call.session, call.tool, call.input]).to_string();
    let denied = state().map(|state| state.deny_once(Digest::of(same.as_bytes()), REMEMBERED));
    match denied {
        Some(Ok(true)) => Decision::Deny(text),
        Some(Ok(false)) => Decision::Pass,
        // A call that is denied each time could never be made.
        Some(Err(_)) | None => Decision::Inform(text),
    }
}

fn informed(notes: Vec<String>) -> Decision {
    match notes.is_empty() {
        true => Decision::Pass,
        false => Decision::Inform(notes.join("\n\n")),
    }
}

/// Decides about calls that the client itself has refused.
pub(super) fn rejected(protocol: &dyn Protocol, calls: &[EditCall], guard: Guard) -> Decision {
    if guard == Guard::Off {
        return Decision::Pass;
    }
    let mut texts = Vec::new();
    for call in calls {
        for file in &call.files {
            let Some(before) = read(file) else { continue };
            let outcome = outcome(file, &before.parsed);
            let is_of_string = |outcome: &Outcome<'_>| {
                matches!(
                    outcome,
                    Outcome::Corrected { .. } | Outcome::Several(..) | Outcome::Missing(_)
                )
            };
            // A call whose strings are in the file was refused for another reason.
            if let Some(outcome) = outcome.filter(is_of_string) {
                texts.push(words::fault(protocol, call, file, &before.parsed, &outcome));
            }
        }
    }
    informed(texts)
}

/// Reports the new errors of a file that a call has edited, found by its language server.
pub(super) fn edited(path: &Utf8Path, before: &str, within: Duration) -> Decision {
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

/// Reads and parses a file; `None` if nothing can be said about it.
fn read(file: &FileEdit) -> Option<Before> {
    let is_new = !user_files::exists(&file.path);
    let bytes = match is_new {
        true => Vec::new(),
        false => user_files::read_limited(&file.path, FILE_LIMIT).ok()??,
    };
    let text = as_read(&String::from_utf8(bytes).ok()?);
    Some(Before {
        parsed: parsed(&file.path, text),
        is_new,
    })
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
    bare.replace("\r\n", "\n")
}

/// Parses a file in the language that its workspace gives it.
fn parsed(path: &Utf8Path, text: String) -> Parsed {
    let folder = path.parent().unwrap_or(path);
    let root = Workspace::discover(folder);
    let workspace = state().and_then(|state| Workspace::open(&[root], state).ok());
    let configured = workspace.and_then(|workspace| workspace.configured_language(path));
    let language = configured.unwrap_or_else(|| language::of(path.as_str(), &text));
    let name = path.file_name().unwrap_or_default();
    Parsed::parse(Source::new(name, language, text))
}

fn state() -> Option<StateDirectory> {
    StateDirectory::open(&StateDirectory::default_path().ok()?).ok()
}
