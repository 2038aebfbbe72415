//! Calls of tools on one text, without a workspace, files or state: text in, answer and changed text out.
//!
//! The tools are those with a [`file_argument`](super::tools::Tool). Their calls need not name the file; an argument that
//! names another file than the text is refused. Answers have no `edit_id`, since nothing is kept.

mod lines;

use serde_json::{Value, json};

use crate::locate::Locate;

use super::calls::Call;
use super::one_text::UNNAMED;
use super::request::{from_string, without_nulls};
use super::response::Refused;
use super::tools;

pub use super::one_text::{OneText, TextAnswer};
pub use lines::{LineCounts, answer_lines};

impl OneText {
    /// Calls a tool with arguments, as over MCP. They need not name the file.
    ///
    /// # Errors
    /// As for a file of this text; or the tool or an argument needs other files.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<TextAnswer, Refused> {
        let arguments = match tools::tool(tool).and_then(|tool| tool.file_argument) {
            Some(name) => with_file(arguments, name, self.path()),
            // Reading or making the call refuses it.
            None => arguments,
        };
        Call::read(tool, arguments)?.make_on_text(self)
    }
}

/// Returns arguments that name the file, unless they already do: in the argument `name`, or in a locator.
fn with_file(arguments: Value, name: &str, path: &str) -> Value {
    let mut arguments = without_nulls(from_string(arguments));
    if let Value::Object(fields) = &mut arguments {
        match fields.get_mut("locate") {
            Some(locate) => *locate = with_file_in_locator(locate.take(), path),
            None => {
                fields.entry(name).or_insert_with(|| json!(path));
            }
        }
    }
    arguments
}

fn with_file_in_locator(locator: Value, path: &str) -> Value {
    match from_string(locator) {
        Value::String(text) => {
            let rest = text.strip_prefix(path);
            let starts_with_path =
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '@']));
            // A path with special characters is in quotes.
            let names_file = |locate: Locate| locate.file_path == path;
            if starts_with_path || text.parse().is_ok_and(names_file) {
                return json!(text);
            }
            let separator = if text.starts_with('@') { "" } else { ":" };
            let named = format!("{UNNAMED}{separator}{text}");
            json!(match named.parse::<Locate>() {
                Ok(locate) => {
                    let file_path = path.to_string();
                    Locate {
                        file_path,
                        ..locate
                    }
                    .to_string()
                }
                // Reading the call refuses it.
                Err(_) => named,
            })
        }
        Value::Object(mut fields) => {
            fields.entry("file_path").or_insert_with(|| json!(path));
            Value::Object(fields)
        }
        other => other,
    }
}
