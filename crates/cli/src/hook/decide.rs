//! What to answer about a call: pass, inform, correct, or deny once.

use std::time::Duration;

use camino::Utf8Path;
use serde_json::json;
use treegraft::diagnostic::{about_string_edits, string_edit_notes};
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::source::{Digest, Source};
use treegraft::string_edit::{self, Corrected, Difference, Resolution, Several, StringEdit};
use treegraft::workspace::{FILE_LIMIT, Guard, StateDirectory, Workspace};

use super::event::{Decision, EditCall, FileChange, FileEdit, Protocol};
use super::words;
use crate::user_files;

/// How long a denied call is remembered: the same call passes then.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);

/// What is wrong with the change of a file.
pub(super) enum Fault {
    /// A string is not in the file, but means one place.
    Corrected {
        /// All edits of the file, with the bytes of the file.
        edits: Vec<StringEdit>,
        differences: Vec<Difference>,
    },
    /// A string occurs several times: the index of its edit, and its places.
    Several(usize, Several),
    /// A string is not in the file: the index of its edit.
    Missing(usize),
    /// The result has new syntax errors.
    Syntax(String),
}

/// The text of a file, as the client's tool reads it, and what is wrong with its change.
pub(super) struct Examined {
    pub(super) before: Parsed,
    pub(super) fault: Option<Fault>,
    /// What the agent should know about a sound change.
    pub(super) notes: Vec<String>,
}

/// Decides about a call that has not run yet.
pub(super) fn before(protocol: &dyn Protocol, call: &EditCall, guard: Guard) -> Decision {
    if guard == Guard::Off {
        return Decision::Pass;
    }
    let mut notes = Vec::new();
    for file in &call.files {
        let Some(examined) = examine(file) else {
            continue;
        };
        let name = words::name(call, file);
        let Some(fault) = &examined.fault else {
            notes.extend(examined.notes.iter().map(|note| words::note(&name, note)));
            continue;
        };
        let stops = match fault {
            Fault::Syntax(_) => true,
            // The client itself refuses the call, and says so.
            Fault::Missing(_) => false,
            Fault::Corrected { .. } => !protocol.finds_similar(),
            Fault::Several(..) => protocol.needs_unique(),
        };
        if !stops {
            continue;
        }
        if let Fault::Corrected { edits, differences } = fault
            && call.asks_user
            && guard == Guard::Deny
            && let Some(input) = protocol.input(call, edits)
        {
            let reason = words::correction(&name, differences);
            return Decision::Correct { input, reason };
        }
        let text = words::fault(protocol, call, file, &examined, fault);
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
        Some(Ok(true)) => Decision::Deny(format!("{text}\n\n{}", words::AGAIN)),
        Some(Ok(false)) => Decision::Pass,
        // A call that is denied each time could never be made.
        Some(Err(_)) | None => Decision::Inform(text),
    }
}

fn informed(notes: Vec<String>) -> Decision {
    match notes.is_empty() {
        true => Decision::Pass,
        false => Decision::Inform(notes.join("\n")),
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
            let examined = examine(file);
            let Some(examined) = examined else { continue };
            // A call with a syntax error was refused for another reason.
            if let Some(fault) = &examined.fault
                && !matches!(fault, Fault::Syntax(_))
            {
                texts.push(words::fault(protocol, call, file, &examined, fault));
            }
        }
    }
    informed(texts)
}

/// Examines the change of a file; `None` if nothing can be said about it.
fn examine(file: &FileEdit) -> Option<Examined> {
    let is_new = !user_files::exists(&file.path);
    let bytes = match is_new {
        true => Vec::new(),
        false => user_files::read_limited(&file.path, FILE_LIMIT).ok()??,
    };
    let text = as_read(String::from_utf8(bytes).ok()?);
    let before = parsed(&file.path, text);
    let examined = match &file.change {
        FileChange::Strings(edits) => with_strings(before, edits)?,
        FileChange::Whole(new) => {
            let edit = StringEdit::new(before.source().text(), as_read(new.clone()));
            let (fault, notes) = checked(&before, &[edit]);
            Examined {
                fault,
                // The agent has written everything.
                notes: notes.into_iter().filter(|_| is_new).collect(),
                before,
            }
        }
    };
    Some(examined)
}

/// Examines strings that are replaced one after another; `None` if they create the file.
fn with_strings(before: Parsed, edits: &[StringEdit]) -> Option<Examined> {
    if edits.iter().any(|edit| edit.old.is_empty()) {
        return None;
    }
    let mut text = before.source().text().to_string();
    let mut exact: Vec<StringEdit> = Vec::new();
    let mut differences: Vec<Difference> = Vec::new();
    let mut fault = None;
    for (index, edit) in edits.iter().enumerate() {
        let edit = match string_edit::resolve(&text, edit) {
            Resolution::Exact => edit.clone(),
            Resolution::Corrected(Corrected {
                edit,
                differences: own,
                ..
            }) => {
                differences.extend(own);
                edit
            }
            Resolution::Several(several) => {
                fault = Some(Fault::Several(index, several));
                break;
            }
            _ => {
                fault = Some(Fault::Missing(index));
                break;
            }
        };
        text = edit.applied(&text);
        exact.push(edit);
    }
    if fault.is_some() {
        return Some(Examined {
            before,
            fault,
            notes: Vec::new(),
        });
    }
    let (broken, notes) = checked(&before, &exact);
    let fault = match (broken, differences.is_empty()) {
        (broken, true) => broken,
        // A correction that breaks the syntax is no correction.
        (Some(_), false) => Some(Fault::Missing(0)),
        (None, false) => Some(Fault::Corrected {
            edits: exact,
            differences,
        }),
    };
    Some(Examined {
        before,
        fault,
        notes,
    })
}

/// Returns what is wrong with the result of edits, and what the agent should know about it.
fn checked(before: &Parsed, edits: &[StringEdit]) -> (Option<Fault>, Vec<String>) {
    match string_edit::check(before, edits) {
        Ok(checked) => (None, string_edit_notes(&checked)),
        Err(rejected) => {
            let text = words::broken(&about_string_edits(&rejected));
            (Some(Fault::Syntax(text)), Vec::new())
        }
    }
}

/// Returns a text as the clients' tools read it: line breaks are `\n`, without a byte order mark.
fn as_read(text: String) -> String {
    let bare = text.strip_prefix('\u{feff}').map(str::to_string);
    let text = bare.unwrap_or(text);
    match text.contains('\r') {
        true => text.replace("\r\n", "\n"),
        false => text,
    }
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
