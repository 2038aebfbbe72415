//! One call from a text to an answer: [`edit`](edit()) returns a checked edit, [`read`] a node, [`locate`](locate()) a
//! place.
//!
//! Input: a path, which determines the language, a text and a selector or locator. Output: owned values. Every failure
//! is a [`Refusal`].
//!
//! The functions are at the root of the crate, next to modules of the names `edit` and `locate`. Functions and modules
//! have separate namespaces: `treegraft::edit(..)` calls the function, and `treegraft::edit::EditError` is an
//! item of the module.

use std::fmt;

use crate::diagnostic::{
    Attempt, Code, ContentOrigin, Diagnostic, Pointing, Suggestion, about_edit, about_locate,
    about_select, note_text, render,
};
use crate::edit::Operation;
use crate::language;
use crate::locate::{Locate, Place, Question};
use crate::parse::Parsed;
use crate::preview::preview;
use crate::select::{Selection, Selector, select};
use crate::source::{Source, Span};
use crate::validate::several::one;

/// An edited text that passed every check.
///
/// ```
/// use treegraft::{Operation, Selector, edit};
///
/// let selector = Selector::new("41", "integer_literal");
/// let edited = edit("a.rs", "fn answer() -> u8 {\n    41\n}\n", &selector, &Operation::replace("42"))?;
/// assert_eq!(edited.text, "fn answer() -> u8 {\n    42\n}\n");
/// assert!(edited.diff.starts_with("--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n"));
/// assert!(edited.notes.is_empty());
/// # Ok::<(), treegraft::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edited {
    /// The new text of the whole file.
    pub text: String,
    /// The unified diff, in a form that `patch -p1` accepts.
    pub diff: String,
    /// What the edit did in addition to the operation, such as adding a comma.
    pub notes: Vec<String>,
}

/// A node that was read.
///
/// ```
/// use treegraft::{Selector, read};
///
/// let node = read("a.rs", "fn f() {\n    g(1);\n}\n", &Selector::new("g", "call_expression"))?;
/// assert_eq!((node.text.as_str(), node.line), ("g(1)", 2));
/// assert_eq!(node.node_type, "call_expression");
/// # Ok::<(), treegraft::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SelectedNode {
    /// The type of the node; for a part of a text, the type of the smallest enclosing node.
    pub node_type: String,
    /// Its text, without trailing whitespace.
    pub text: String,
    /// The bytes of that text in the file.
    pub span: Span,
    /// Its first line, from 1.
    pub line: usize,
}

/// Why a call was refused, and what to do next.
///
/// A refusal owns its data. It prints as the complete text, with the excerpt and the suggested calls;
/// [`Refusal::message`] is the first sentence.
///
/// ```
/// use treegraft::{Code, NextCall, Operation, Selector, edit};
///
/// let text = "fn main() {\n    start(1);\n    start(2);\n}\n";
/// let selector = Selector::new("start", "call_expression");
/// let refusal = edit("main.rs", text, &selector, &Operation::Delete).expect_err("two calls match");
/// assert_eq!(refusal.code(), Code::AmbiguousTarget);
/// assert!(refusal.to_string().contains("selector: call_expression@start(2\n"));
///
/// // A suggestion is a selector that works.
/// let NextCall::Select(second) = &refusal.suggestions()[1].call else {
///     panic!("an ambiguous selector is corrected by another one");
/// };
/// let edited = edit("main.rs", text, second, &Operation::replace("stop(2)"))?;
/// assert_eq!(edited.text, "fn main() {\n    start(1);\n    stop(2);\n}\n");
/// # Ok::<(), treegraft::Refusal>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    diagnostic: Box<Diagnostic>,
}

/// Edits the one node or part of `text` that `selector` selects, and checks the result. `path` determines the language;
/// no file is read or written.
///
/// # Errors
/// The selector does not select exactly one node, the operation cannot be applied to it, or the result fails a check.
///
/// # Examples
/// ```
/// use treegraft::{InsertPosition, Operation, Selector, edit};
///
/// let text = "fn main() {\n    let port = 80;\n}\n";
/// let selector: Selector = "main:let_declaration@port".parse()?;
/// let insert = Operation::insert(InsertPosition::After, "serve(port);");
/// let edited = edit("main.rs", text, &selector, &insert)?;
/// assert_eq!(edited.text, "fn main() {\n    let port = 80;\n    serve(port);\n}\n");
///
/// // An edit that would break the syntax is refused.
/// let refusal = edit("main.rs", text, &selector, &Operation::replace("let port = 80 }"));
/// assert_eq!(refusal.expect_err("one `}` too many").code().as_str(), "breaks_syntax");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn edit(
    path: &str,
    text: &str,
    selector: &Selector,
    operation: &Operation,
) -> Result<Edited, Refusal> {
    let parsed = parse(path, text);
    let selection = selected(&parsed, selector, Pointing::Edit(operation, &[]))?;
    let origin = ContentOrigin::Argument;
    let checked = one(selection.clone(), operation, &[]).map_err(|failure| {
        let attempt = Attempt {
            selection: &selection,
            selector,
            operation,
            origin,
            allow: &[],
        };
        Refusal::from(about_edit(&attempt, &failure))
    })?;
    let (preview, notes) = preview(checked);
    let notes = notes.iter().map(|note| note_text(operation, origin, note));
    Ok(Edited {
        text: preview.after().text().to_string(),
        diff: preview.record().diff().to_string(),
        notes: notes.collect(),
    })
}

/// Returns the one node of `text` that `selector` selects. `path` determines the language.
///
/// # Errors
/// The selector does not select exactly one node. Without a node type, the refusal lists the nodes that enclose the
/// anchor.
///
/// # Examples
/// ```
/// use treegraft::{Selector, read};
///
/// let text = "fn one() -> u8 {\n    1\n}\n\nfn two() -> u8 {\n    2\n}\n";
/// let node = read("numbers.rs", text, &"function_item@two".parse()?)?;
/// assert_eq!(node.text, "fn two() -> u8 {\n    2\n}");
///
/// let refusal = read("numbers.rs", text, &"@two".parse()?).expect_err("no type is given");
/// assert!(refusal.to_string().contains("function_item"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(path: &str, text: &str, selector: &Selector) -> Result<SelectedNode, Refusal> {
    let parsed = parse(path, text);
    let selection = selected(&parsed, selector, Pointing::Read)?;
    let span = selection.span();
    Ok(SelectedNode {
        node_type: selection.node().kind().to_string(),
        text: parsed.source().slice(span).into_owned(),
        span,
        line: parsed.source().line_of(span.start()),
    })
}

/// Returns the place in `text` that `locate` resolves to. The path of the locator determines the language; no file is
/// read.
///
/// # Errors
/// The scope is not part of the text, or the find does not match in it.
///
/// # Examples
/// ```
/// use treegraft::{Locate, locate};
///
/// let text = "fn one() {\n    go();\n}\n\nfn two() {\n    go();\n}\n";
/// let place = locate(text, &"a.rs:two@go".parse()?)?;
/// assert_eq!(place.span.start(), text.rfind("go").expect("it is there"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn locate(text: &str, locate: &Locate) -> Result<Place, Refusal> {
    let parsed = parse(&locate.file_path, text);
    crate::locate::locate(&parsed, locate).map_err(|error| {
        let question = Question::from(locate.clone());
        Refusal::from(about_locate(&parsed, &question, &error))
    })
}

fn parse(path: &str, text: &str) -> Parsed {
    let language = language::for_file(path, text);
    Parsed::parse(Source::new(path, language, text.to_string()))
}

fn selected<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
    pointing: Pointing<'_>,
) -> Result<Selection<'p>, Refusal> {
    select(parsed, selector)
        .map_err(|error| about_select(parsed, selector, &error, pointing).into())
}

impl Refusal {
    /// Returns the kind of the refusal.
    pub fn code(&self) -> Code {
        self.diagnostic.code
    }

    /// Returns one sentence, lower case, without a full stop.
    pub fn message(&self) -> &str {
        &self.diagnostic.message
    }

    /// Returns suggested calls: first those that were tried and work.
    pub fn suggestions(&self) -> &[Suggestion] {
        &self.diagnostic.suggestions
    }

    /// Returns the complete refusal.
    pub fn diagnostic(&self) -> &Diagnostic {
        &self.diagnostic
    }
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Refusal {
        Refusal {
            diagnostic: Box::new(diagnostic),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = render(&self.diagnostic, &|call| call.to_string(), &|mention| {
            mention.to_string()
        });
        f.write_str(text.trim_end())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod cost;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::InsertPosition;
    use crate::select::Anchor;

    const TEXT: &str = "fn main() {\n    start(1, 2);\n}\n";

    #[test]
    fn an_edit_returns_text_diff_and_notes() {
        let selector = Selector::new("2", "integer_literal");
        let insert = Operation::insert(InsertPosition::After, "3");
        let edited = edit("main.rs", TEXT, &selector, &insert).expect("an argument");
        assert_eq!(edited.text, TEXT.replace("2", "2, 3"));
        assert!(edited.diff.contains("+    start(1, 2, 3);\n"));
        assert_eq!(edited.notes.len(), 1, "{:?}", edited.notes);
    }

    #[test]
    fn a_refusal_is_an_error_that_owns_its_text() {
        let refused = |text: String| -> Box<dyn std::error::Error + Send + Sync> {
            let selector = Selector::new("begin", "call_expression");
            let refusal = edit("main.rs", &text, &selector, &Operation::Delete);
            refusal.expect_err("no such text").into()
        };
        let text = refused(TEXT.to_string()).to_string();
        assert!(text.starts_with("refused: anchor_not_found\n"), "{text}");
    }

    #[test]
    fn every_operation_on_a_node_or_a_part_returns() {
        let selectors = [
            Selector::new("start", "call_expression"),
            Selector::new("main", "source_file"),
            Selector::part("start(1"),
            Selector::part("start(1, 2);"),
            Selector {
                anchor: Anchor::Find("start <|> (".to_string()),
                ..Selector::new("", "call_expression")
            },
        ];
        let operations = [
            Operation::replace("stop()"),
            Operation::replace_text("stop()"),
            Operation::insert(InsertPosition::Before, "stop();"),
            Operation::insert(InsertPosition::LastChild, "3"),
            Operation::wrap("if ready {\n    <|>\n}"),
            Operation::Delete,
        ];
        for path in ["main.rs", "main.txt"] {
            for (selector, operation) in selectors.iter().flat_map(|selector| {
                let operations = operations.iter();
                operations.map(move |operation| (selector, operation))
            }) {
                let edited = edit(path, TEXT, selector, operation);
                let is_part = matches!(selector.anchor, Anchor::Part(_));
                let is_replacement = matches!(operation, Operation::ReplaceText { .. });
                match edited {
                    Ok(_) if is_part && !is_replacement => panic!("{selector} {operation:?}"),
                    Ok(edited) => assert_ne!(edited.text, TEXT, "{selector} {operation:?}"),
                    Err(refusal) if is_part && !is_replacement => {
                        assert_eq!(refusal.code(), Code::InvalidArguments);
                    }
                    Err(refusal) => assert!(!refusal.to_string().is_empty()),
                }
            }
        }
    }
}
