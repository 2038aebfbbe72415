//! Prompts that a person picks by name, with arguments; each becomes the first message to a model (`design.md`,
//! section 10).
//!
//! Refuses an unknown prompt, and one without a required argument.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use treegraft::engine::completion::Argument;

/// Looks up an argument of a prompt by its name.
type Values<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A prompt.
struct PromptRow {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Each with a description, and whether it is required.
    arguments: &'static [(&'static str, &'static str, bool)],
    /// Returns the message for the values of the arguments.
    message: fn(Values<'_>) -> String,
}

const ROWS: &[PromptRow] = &[
    PromptRow {
        name: "change_code",
        title: "Change code",
        description: "Make one change with previews: point at it by its text, look at the diff, apply it",
        arguments: &[
            ("change", "What is to be different afterwards", true),
            ("file_path", "The file, if it is known", false),
            (
                "symbol",
                "The function, class or key it is in, if it is known",
                false,
            ),
            (
                "node_type",
                "What is to be changed, if it is known: function, match_arm, pair",
                false,
            ),
        ],
        message: change_code,
    },
    PromptRow {
        name: "review_edit",
        title: "Review an edit",
        description: "Look at an edit that waits, and apply, mend or discard it",
        arguments: &[("edit_id", "The edit", true)],
        message: review_edit,
    },
];

fn change_code(argument: Values<'_>) -> String {
    let change = argument("change").unwrap_or_default();
    let file = argument("file_path").map(|file| format!(" The file is `{file}`."));
    let symbol = argument("symbol").map(|symbol| format!(" It is in `{symbol}`."));
    let node_type =
        argument("node_type").map(|one| format!(" What changes is a node of type `{one}`."));
    let known: String = [file, symbol, node_type].into_iter().flatten().collect();
    format!(
        "Make this change with treegraft: {change}{}{known}\n\n\
         Read the place first (read_node), then make the smallest edit that does it: replace_text for some words \
         or lines, replace_node for a whole node, edit_nodes for several places. Look at the diff of the preview; \
         if it does just what was asked, apply_edit, else retarget_edit or discard_edit. If a call is refused, \
         make one of the calls the refusal suggests.",
        match change.ends_with(['.', '!', '?']) {
            true => "",
            false => ".",
        }
    )
}

fn review_edit(argument: Values<'_>) -> String {
    let edit_id = argument("edit_id").unwrap_or_default();
    format!(
        "Review the edit {edit_id} before it is written: list_edits with that edit_id shows it. Say what it changes, \
         whether anything in the diff was not asked for, and what uses the changed code. If it is right, apply_edit \
         it; if it is at the wrong place, retarget_edit it; else discard_edit it and say why."
    )
}

/// Lists the prompts.
pub(super) fn listed() -> Vec<Prompt> {
    let prompt = |row: &PromptRow| {
        let arguments = row.arguments.iter();
        let arguments = arguments.map(|(name, description, required)| {
            PromptArgument::new(*name)
                .with_description(*description)
                .with_required(*required)
        });
        Prompt::new(row.name, Some(row.description), Some(arguments.collect()))
            .with_title(row.title)
    };
    ROWS.iter().map(prompt).collect()
}

/// Returns the message of a prompt.
///
/// # Errors
/// There is no such prompt, or a required argument is missing.
pub(super) fn get(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let Some(row) = ROWS.iter().find(|row| row.name == name) else {
        let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        let message = format!(
            "unknown prompt: {name}; the prompts are {}",
            known.join(", ")
        );
        return Err(ErrorData::invalid_params(message, None));
    };
    let value = |name: &str| {
        let given = arguments.get(name)?.as_str()?.trim();
        (!given.is_empty()).then(|| given.to_string())
    };
    let mut needed = row.arguments.iter().filter(|(.., required)| *required);
    if let Some((missing, description, _)) = needed.find(|(name, ..)| value(name).is_none()) {
        let message = format!("{name} needs the argument `{missing}`: {description}");
        return Err(ErrorData::invalid_params(message, None));
    }
    let message = PromptMessage::new_text(Role::User, (row.message)(&value));
    Ok(GetPromptResult::new(vec![message]).with_description(row.description))
}

/// Returns what completes an argument of a prompt, given the other arguments; `None` for free text.
pub(super) fn argument<'a>(
    prompt: &str,
    argument: &str,
    other: &dyn Fn(&str) -> Option<&'a str>,
) -> Option<Argument<'a>> {
    let row = ROWS.iter().find(|row| row.name == prompt)?;
    row.arguments.iter().find(|(name, ..)| *name == argument)?;
    match argument {
        "file_path" => Some(Argument::FilePath),
        "symbol" => Some(Argument::Symbol(other("file_path"))),
        "node_type" => Some(Argument::NodeType(other("file_path"))),
        "edit_id" => Some(Argument::EditId),
        _ => None,
    }
}
