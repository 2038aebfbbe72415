//! What the events of all clients have in common.

use camino::Utf8PathBuf;
use serde_json::Value;
use treegraft::string_edit::StringEdit;

/// What a client reports.
#[derive(Debug)]
pub(super) enum Event {
    /// A call that has not run yet.
    Before(EditCall),
    /// Calls that the client itself has refused.
    Rejected(Vec<EditCall>),
    /// A file that a call has edited.
    Edited {
        /// The absolute path.
        path: Utf8PathBuf,
        /// Its text before the call.
        before: String,
    },
}

/// A call of an edit tool.
#[derive(Debug)]
pub(super) struct EditCall {
    /// The name of the tool.
    pub(super) tool: String,
    /// The arguments as the client sent them.
    pub(super) input: Value,
    /// What the call changes.
    pub(super) files: Vec<FileEdit>,
    /// What makes two calls the same one: the session, the tool and the arguments.
    pub(super) session: String,
    /// Whether the client shows the call to its user before it runs.
    pub(super) asks_user: bool,
}

/// The change of one file.
#[derive(Debug)]
pub(super) struct FileEdit {
    /// The absolute path.
    pub(super) path: Utf8PathBuf,
    pub(super) change: FileChange,
}

/// How a call changes a file.
#[derive(Debug)]
pub(super) enum FileChange {
    /// It replaces strings, one after another.
    Strings(Vec<StringEdit>),
    /// It writes the whole file.
    Whole(String),
}

/// What to do about a call.
#[derive(Debug)]
pub(super) enum Decision {
    /// Nothing.
    Pass,
    /// Lets it run, and tells the agent something.
    Inform(String),
    /// Stops it, and tells the agent why.
    Deny(String),
    /// Corrects its arguments, and lets the user confirm them.
    Correct {
        /// All arguments.
        input: Value,
        /// What was corrected, for the user.
        reason: String,
    },
}

/// How a client writes events and reads answers.
pub(super) trait Protocol: Sync {
    /// Reads an event; `None` if it is not about an edit.
    fn event(&self, value: &Value) -> Option<Event>;

    /// Writes the answer to an event; `None` lets the call pass.
    fn answer(&self, event: &Value, decision: Decision) -> Option<Value>;

    /// Returns the arguments of a call with other edits of its file.
    fn input(&self, call: &EditCall, edits: &[StringEdit]) -> Option<Value>;

    /// Returns whether the client itself finds a string whose whitespace differs, so that such a call must not be stopped.
    fn finds_similar(&self, call: &EditCall) -> bool;

    /// Returns whether the client refuses a string that occurs several times.
    fn needs_unique(&self, call: &EditCall) -> bool;

    /// Returns the names of the fields of its edit tool.
    fn fields(&self) -> &'static Fields {
        &SNAKE_CASE
    }
}

/// The names of the fields of an edit tool.
#[derive(Debug)]
pub(super) struct Fields {
    /// The path of the file.
    pub(super) path: &'static str,
    /// The string to replace.
    pub(super) old: &'static str,
    /// The string that replaces it.
    pub(super) new: &'static str,
}

const SNAKE_CASE: Fields = Fields {
    path: "file_path",
    old: "old_string",
    new: "new_string",
};

/// Returns the arguments of a call with the strings of another edit.
pub(super) fn with_strings(input: &Value, fields: &Fields, edit: &StringEdit) -> Option<Value> {
    let mut input = input.clone();
    let table = input.as_object_mut()?;
    table.insert(fields.old.to_string(), edit.old.clone().into());
    table.insert(fields.new.to_string(), edit.new.clone().into());
    Some(input)
}

/// Reads a field that may be missing, as false.
pub(super) fn flag(input: &Value, name: &str) -> bool {
    input[name].as_bool().unwrap_or_default()
}

/// Returns a text with `\n` as its line ending, for clients that write the line endings of the file themselves.
pub(super) fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n")
}
