//! Prompts that a user selects by name, with arguments. Each becomes the first message to a model.
//!
//! Refuses an unknown prompt, and a prompt without a required argument.

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
    /// The name and description of each argument, and whether it is required.
    arguments: &'static [(&'static str, &'static str, bool)],
    /// Returns the message for the values of the arguments.
    message: fn(Values<'_>) -> String,
}

const ROWS: &[PromptRow] = &[
    PromptRow {
        name: "change_code",
        title: "Change code",
        description: "Make one change: select the code by its text, check the diff, apply it",
        arguments: &[
            ("change", "The change to make", true),
            ("file_path", "The file, if known", false),
            (
                "symbol",
                "The enclosing function, class or key, if known",
                false,
            ),
            (
                "node_type",
                "The type of the node to change, if known: function, match_arm, pair",
                false,
            ),
        ],
        message: change_code,
    },
    PromptRow {
        name: "review_edit",
        title: "Review an edit",
        description: "Review a staged edit, then apply, amend or discard it",
        arguments: &[("edit_id", "The id of the edit", true)],
        message: review_edit,
    },
];

fn change_code(argument: Values<'_>) -> String {
    let change = argument("change").unwrap_or_default();
    let file = argument("file_path").map(|file| format!(" The file is `{file}`."));
    let symbol = argument("symbol").map(|symbol| format!(" It is in `{symbol}`."));
    let node_type =
        argument("node_type").map(|one| format!(" The node to change has the type `{one}`."));
    let known: String = [file, symbol, node_type].into_iter().flatten().collect();
    format!(
        "Make this change with treegraft: {change}{}{known}\n\n\
         First read the code (read_node). Then make the smallest edit that is enough: replace_text \
         for some words or lines, replace_node for a whole node, edit_nodes for several places. \
         Check the diff of the preview: if it makes only the requested change, call apply_edit; \
         otherwise call amend_edit or discard_edit. If a call is refused, make one of the calls \
         that the refusal suggests.",
        match change.ends_with(['.', '!', '?']) {
            true => "",
            false => ".",
        }
    )
}

fn review_edit(argument: Values<'_>) -> String {
    let edit_id = argument("edit_id").unwrap_or_default();
    format!(
        "Review the edit {edit_id} before it is written: list_edits with this edit_id shows it. \
         Report what it changes, whether the diff contains anything that was not requested, and \
         which code uses the changed code. If the edit is right, call apply_edit; if a part of \
         it is wrong, call amend_edit with what to change; otherwise call discard_edit and report why."
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
/// The prompt is unknown, or a required argument is missing.
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

/// Returns the source of completions for an argument of a prompt; `None` for free text. `other`
/// looks up the other arguments.
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
