//! Runs calls, as a client sends them, through the same modules as the engine.

use std::cell::OnceCell;
use std::rc::Rc;

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::edit::{self, EditError, InsertPosition, Operation};
use treegraft::engine::{Engine, request};
use treegraft::parse::{Node, Parsed};
use treegraft::preview;
use treegraft::select::{self, Selector};
use treegraft::source::Span;
use treegraft::validate::{self, Failure};

use super::meaning::without_whitespace;
use super::pointing;

/// A tool with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

/// The intended target of a call, to be compared with the selected one.
pub(crate) enum Target<'p> {
    Nodes(Vec<Node<'p>>),
    Text(Span),
}

/// Returns the argument `position` of an insertion.
pub(crate) fn position_name(position: InsertPosition) -> &'static str {
    match position {
        InsertPosition::Before => "before",
        InsertPosition::After => "after",
        InsertPosition::FirstChild => "first_child",
        InsertPosition::LastChild => "last_child",
    }
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// The bytes of the commit.
    Exact,
    /// Only blank lines differ.
    BlankLines,
    /// Only whitespace differs.
    Whitespace,
    /// Another result at the intended place.
    Other,
    /// The call selected another place.
    WrongPlace,
    /// A refusal with this code.
    Refused(&'static str),
    /// A refusal of a result that has the bytes of the commit.
    RightRefused(&'static str),
}

impl Outcome {
    pub(crate) fn name(self) -> String {
        match self {
            Outcome::Exact => "exact".to_string(),
            Outcome::BlankLines => "blank lines".to_string(),
            Outcome::Whitespace => "other whitespace".to_string(),
            Outcome::Other => "other bytes".to_string(),
            Outcome::WrongPlace => "wrong place".to_string(),
            Outcome::Refused(code) => code.to_string(),
            Outcome::RightRefused(code) => format!("{code} (right)"),
        }
    }
}

/// The outcome of a call and the resulting text.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) after: String,
}

/// Runs a call on a text and compares the result with the expected text.
pub(crate) fn run(before: &Parsed, wanted: &str, call: &Call, target: &Target<'_>) -> Ran {
    let ran = match call.tool {
        "edit_nodes" => several(before, &call.arguments, target),
        _ => one(before, call, target),
    };
    match ran {
        Err((Outcome::Refused(code), after)) if after == wanted => Ran {
            outcome: Outcome::RightRefused(code),
            after: String::new(),
        },
        Err((outcome, after)) => Ran { outcome, after },
        Ok(after) => {
            let outcome = match after == wanted {
                true => Outcome::Exact,
                false if nonblank_lines(&after).eq(nonblank_lines(wanted)) => Outcome::BlankLines,
                false if without_whitespace(&after) == without_whitespace(wanted) => {
                    Outcome::Whitespace
                }
                false => Outcome::Other,
            };
            Ran { outcome, after }
        }
    }
}

/// Returns the lines of a text that are not blank.
fn nonblank_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty())
}

fn without_text(outcome: Outcome) -> (Outcome, String) {
    (outcome, String::new())
}

/// Runs one edit through all modules. A refused edit returns the text that it would have produced.
fn one(before: &Parsed, call: &Call, target: &Target<'_>) -> Result<String, (Outcome, String)> {
    let refused = |code| without_text(Outcome::Refused(code));
    let (selector, operation) = read(call).ok_or(refused("invalid_arguments"))?;
    let selection =
        select::select(before, &selector).map_err(|error| refused(pointing::code(&error)))?;
    let is_target = match target {
        Target::Nodes(nodes) => nodes.contains(&selection.node()),
        Target::Text(span) => selection.span() == *span,
    };
    if !is_target {
        return Err(without_text(Outcome::WrongPlace));
    }
    let edited = edit::edit(selection, &operation).map_err(|error| {
        refused(match error {
            EditError::Root | EditError::ErrorNode | EditError::NoText => "not_editable",
            EditError::PartOfText => "invalid_arguments",
            EditError::BlankContent
            | EditError::ZeroByte { .. }
            | EditError::NoMarker
            | EditError::Unsettled => "invalid_content",
            EditError::NoChange => "no_change",
            EditError::NoInside { .. } => "no_inside",
            _ => "another error of an edit",
        })
    })?;
    let checked = validate::validate(edited, &[]).map_err(|rejected| {
        let code = match rejected.failure() {
            Failure::Syntax(_) => "breaks_syntax",
            Failure::Surroundings(_) => "changes_surroundings",
            Failure::Content(_) => "suspicious_content",
            _ => "another failed check",
        };
        let after = rejected.change().after().source().text().to_string();
        (Outcome::Refused(code), after)
    })?;
    let (preview, _) = preview::preview(checked);
    Ok(preview.after().text().to_string())
}

fn read(call: &Call) -> Option<(Selector, Operation)> {
    let arguments = call.arguments.clone();
    match call.tool {
        "replace_node" => {
            let request: request::ReplaceNode = serde_json::from_value(arguments).ok()?;
            let operation = Operation::Replace {
                new_content: request.new_content,
                indent: request.indent.into(),
                include_attached: request.include_attached,
            };
            Some((request.selector.0, operation))
        }
        "replace_text" => {
            let request: request::ReplaceText = serde_json::from_value(arguments).ok()?;
            let selector = Selector {
                scope: request.scope.0,
                ..Selector::part(&request.find)
            };
            let operation = Operation::ReplaceText {
                new_content: request.new_content,
                indent: request.indent.into(),
            };
            Some((selector, operation))
        }
        "insert_node" => {
            let request: request::InsertNode = serde_json::from_value(arguments).ok()?;
            let operation = Operation::Insert {
                position: request.position.into(),
                new_content: request.new_content,
                indent: request.indent.into(),
                blank_lines: request.blank_lines.into(),
            };
            Some((request.selector.0, operation))
        }
        "delete_node" => {
            let request: request::DeleteNode = serde_json::from_value(arguments).ok()?;
            Some((request.selector.0, Operation::Delete))
        }
        _ => None,
    }
}

/// Runs several edits in one call, with an engine on a temporary directory. A refused call returns
/// the text that it would have produced.
fn several(
    before: &Parsed,
    arguments: &Value,
    target: &Target<'_>,
) -> Result<String, (Outcome, String)> {
    let refused = |code| without_text(Outcome::Refused(code));
    let read = request::read::<request::EditNodes>(arguments.clone());
    let mut request = read.map_err(|_| refused("invalid_arguments"))?;
    // Search texts were already checked when they were built.
    if let Target::Nodes(nodes) = target {
        for edit in &request.edits {
            let selector = edit.selector.as_ref().expect("each edit has one");
            let selection = select::select(before, &selector.0)
                .map_err(|error| refused(pointing::code(&error)))?;
            if !nodes.contains(&selection.node()) {
                return Err(without_text(Outcome::WrongPlace));
            }
        }
    }
    let bench = bench().ok_or(refused("io_error"))?;
    let name = before.source().path().rsplit('/').next();
    let name = name.unwrap_or_default().to_string();
    request.file_path = Some(name.as_str().into());
    request.apply = true;
    let path = bench.root.path().join(&name);
    let io = |_| refused("io_error");
    std::fs::write(&path, before.source().text()).map_err(io)?;
    let Err(refusal) = bench.engine.edit_nodes(&request) else {
        return std::fs::read_to_string(&path).map_err(io);
    };
    // A caller that accepts the refused changes passes the `allow` values.
    request.allow = vec![
        request::Allow::SyntaxErrors,
        request::Allow::Surroundings,
        request::Allow::SuspiciousContent,
    ];
    let after = match bench.engine.edit_nodes(&request) {
        Ok(_) => std::fs::read_to_string(&path).map_err(io)?,
        Err(_) => String::new(),
    };
    Err((Outcome::Refused(refusal.code().as_str()), after))
}

/// An engine with temporary directories for its files and its state.
struct Bench {
    engine: Engine,
    root: TempDir,
    _state: TempDir,
}

/// Returns the bench of this thread.
fn bench() -> Option<Rc<Bench>> {
    thread_local! {
        static BENCH: OnceCell<Option<Rc<Bench>>> = const { OnceCell::new() };
    }
    let open = || {
        let (root, state) = (TempDir::new().ok()?, TempDir::new().ok()?);
        let utf8 = |one: &TempDir| Utf8PathBuf::from_path_buf(one.path().to_path_buf()).ok();
        let engine = Engine::open(&[utf8(&root)?], Some(&utf8(&state)?)).ok()?;
        Some(Rc::new(Bench {
            engine,
            root,
            _state: state,
        }))
    };
    BENCH.with(|bench| bench.get_or_init(open).clone())
}

/// Returns the size of a call's arguments in bytes.
pub(crate) fn bytes(arguments: &Value) -> usize {
    arguments.to_string().len()
}

/// Returns a call of a tool that edits one node.
pub(crate) fn of_node(
    tool: &'static str,
    file_path: &str,
    selector: &Value,
    further: &[(&str, Value)],
) -> Call {
    let mut arguments = json!({"file_path": file_path, "selector": selector});
    for (name, value) in further {
        arguments[*name] = value.clone();
    }
    Call { tool, arguments }
}
