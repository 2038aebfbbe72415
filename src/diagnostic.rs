//! A refusal as one value: the problem, its location, and the next call to make.
//!
//! The typed errors of the other modules hold the facts. `explain` puts them into words, and `suggest` resolves every call
//! before it suggests it; neither uses the other. `refuse` combines them.

mod attempt;
mod code;
mod explain;
mod mention;
mod refuse;
mod render;
mod suggest;

use std::fmt;

use crate::locate::Question;
use crate::parse::{Node, Parsed};
use crate::select::{Selector, trimmed_node};
use crate::source::Span;

pub use attempt::{Attempt, ContentOrigin, Pointing};
pub use code::{Code, ExitStatus};
pub use explain::*;
pub use mention::Mention;
pub use refuse::{about_edit, about_locate, about_select, about_string_edits};
#[cfg(feature = "disk")]
pub use refuse::{about_rejected_file, about_rejected_part};
pub use render::{render, symbol_text};

/// The maximum number of candidates in a refusal.
pub const CANDIDATES_SHOWN: usize = 10;
/// The maximum number of suggestions in a refusal.
pub const SUGGESTIONS_MADE: usize = 5;
/// The maximum number of ancestors shown for a position, innermost first.
pub const ANCESTORS_SHOWN: usize = 12;
/// The maximum number of places in several files that a refusal lists.
pub const PLACES_LISTED: usize = 100;
/// The maximum number of characters shown of a line.
pub const LINE_WIDTH: usize = 120;
/// The maximum length of a refusal's text, in bytes. The structured form is complete.
pub const TEXT_BYTES: usize = 4_000;

/// Why a request is refused, and what to do next.
///
/// ```
/// use treegraft::{Diagnostic, Operation, Selector, edit};
///
/// let selector = Selector::new("begin", "call_expression");
/// let refusal = edit("a.rs", "fn f() { begni(1); }\n", &selector, &Operation::Delete);
/// let refusal = refusal.expect_err("the text has a typing error");
/// let diagnostic: &Diagnostic = refusal.diagnostic();
/// assert_eq!(diagnostic.code.as_str(), "anchor_not_found");
/// assert_eq!(diagnostic.message, "anchor_text \"begin\" not found in file");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The kind of the refusal.
    pub code: Code,
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// The surrounding lines with a caret, if the refusal has a single location.
    pub excerpt: Option<String>,
    /// The places that the request may mean.
    pub candidates: Vec<CandidateView>,
    /// The number of candidates that are not shown.
    pub candidates_omitted: usize,
    /// Calls that may be meant. Each was resolved first; those that work are first.
    pub suggestions: Vec<Suggestion>,
    /// What to do if no call can be suggested, with [mentions](mention).
    pub(crate) help: Option<String>,
    /// The change that was refused.
    pub diff: Option<String>,
    /// The index of the edit among several, from 0.
    pub edit_index: Option<usize>,
    /// The searched text, if the file does not contain it. Other files may contain it.
    pub missing_text: Option<Box<MissingText>>,
    /// The places that a refusal about several files lists.
    pub places: Option<Box<Places>>,
    /// The refusals of further edits of the same call.
    pub further: Vec<Diagnostic>,
    /// The number of further refused edits that are not explained.
    pub further_omitted: usize,
}

/// Places in several files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Places {
    /// The first places, at most [`PLACES_LISTED`].
    pub listed: Vec<PlaceView>,
    /// The total number of places.
    pub total: usize,
}

/// A place in one of several files.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlaceView {
    /// The file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The line without its indentation.
    pub text: String,
    /// A locator that resolves to the place, if there is one.
    pub locate: Option<Question>,
    /// The reason for listing it.
    pub reason: &'static str,
}

/// A text that does not occur in the file in which it was searched for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MissingText {
    /// The file.
    pub file_path: String,
    /// The text, without markers.
    pub text: String,
}

/// One place that the request may mean.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CandidateView {
    /// Its line, from 1.
    pub line: usize,
    /// Its first line.
    pub text: String,
    /// The type of the node, if the request is about a node.
    pub node_type: Option<String>,
    /// The ancestors of the node, innermost first; the ancestors of the anchor if no node is chosen yet.
    pub ancestors: Vec<NodeView>,
    /// The number of outer ancestors that are not shown.
    pub ancestors_omitted: usize,
    /// The enclosing symbols.
    pub symbol_path: Vec<String>,
    /// The surrounding lines with their numbers.
    pub context: String,
}

/// A node in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NodeView {
    /// Its type.
    pub node_type: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its first line.
    pub text: String,
}

/// A call that may be meant.
///
/// ```
/// use treegraft::diagnostic::Trial;
/// use treegraft::{Suggestion, Operation, Selector, edit};
///
/// let selector = Selector::new("begin", "call_expression");
/// let refusal = edit("a.rs", "fn f() { begni(1); }\n", &selector, &Operation::Delete);
/// let refusal = refusal.expect_err("the text has a typing error");
/// let suggestion: &Suggestion = &refusal.suggestions()[0];
/// assert_eq!(suggestion.selects, "call_expression at line 1: begni(1)");
/// assert_eq!(suggestion.trial, Trial::Works);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Suggestion {
    /// What to change in the call.
    pub call: NextCall,
    /// What it selects: type, line and text.
    pub selects: String,
    /// The result of trying the call.
    pub trial: Trial,
}

/// The result of trying a suggested call, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trial {
    /// The call works: what it selects can be read, or the edit passes every check there.
    Works,
    /// The call selects one node, but the edit was not tried there.
    NotTried,
    /// The call selects one node, but the edit is refused there.
    Refused,
}

impl Suggestion {
    /// Returns the suggestion of a call that works, with what it selects: type, line and text.
    pub fn new(call: NextCall, selects: impl Into<String>) -> Suggestion {
        Suggestion {
            call,
            selects: selects.into(),
            trial: Trial::Works,
        }
    }
}

/// The call of a suggestion.
///
/// ```
/// use treegraft::{NextCall, Operation, Selector, edit};
///
/// let selector = Selector::new("begin", "call_expression");
/// let refusal = edit("a.rs", "fn f() { begni(1); }\n", &selector, &Operation::Delete);
/// let refusal = refusal.expect_err("the text has a typing error");
/// let NextCall::Select(selector) = &refusal.suggestions()[0].call else {
///     panic!("an anchor is corrected by another selector");
/// };
/// assert_eq!(selector.to_string(), "call_expression@begni");
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NextCall {
    /// The same request with this selector.
    Select(Selector),
    /// The same edit of several nodes with these selectors.
    SelectSeveral(Vec<Selector>),
    /// The same move, to the node of this selector.
    SelectDestination(Selector),
    /// The same request with this locator, in string form.
    Locate(String),
    /// The same request for this file.
    File(String),
    /// Apply another staged edit.
    Apply(String),
    /// Undo another edit.
    Undo(String),
    /// The same rename with the uses that the server leaves out.
    Complete,
    /// The same rename with the uses that are certain; the others stay.
    CompleteInPart,
    /// Edit texts at these places.
    EditPlaces(Vec<PlaceEdit>),
}

/// An edit of a text in a line.
#[derive(Clone, Debug)]
pub struct PlaceEdit {
    /// The file.
    pub file_path: String,
    /// Its line, from 1.
    pub line: usize,
    /// A text in the line, with markers around what to replace.
    pub find: String,
    /// The new text.
    pub new_content: String,
}

/// Prints the argument to pass instead, or the call.
impl fmt::Display for NextCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, value) = match self {
            NextCall::Select(selector) => ("selector", selector.to_string()),
            NextCall::SelectSeveral(selectors) => {
                let selectors = selectors.iter().map(Selector::to_string);
                ("selectors", selectors.collect::<Vec<_>>().join(", "))
            }
            NextCall::SelectDestination(selector) => ("to.selector", selector.to_string()),
            NextCall::Locate(locate) => ("locate", locate.clone()),
            NextCall::File(file_path) => ("file_path", file_path.clone()),
            NextCall::Apply(edit_id) => ("apply_edit", edit_id.clone()),
            NextCall::Undo(edit_id) => ("undo_edit", edit_id.clone()),
            NextCall::Complete => ("complete", "true".to_string()),
            NextCall::CompleteInPart => ("allow", "incomplete".to_string()),
            NextCall::EditPlaces(edits) => {
                let finds = edits.iter().map(|edit| edit.find.as_str());
                ("edits", finds.collect::<Vec<_>>().join(", "))
            }
        };
        match value.contains('\n') {
            true => write!(f, "{name}: {}", serde_json::Value::from(value)),
            false => write!(f, "{name}: {value}"),
        }
    }
}

impl Diagnostic {
    /// Returns a refusal that has only a code and a message.
    pub fn new(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            excerpt: None,
            candidates: Vec::new(),
            candidates_omitted: 0,
            suggestions: Vec::new(),
            help: None,
            diff: None,
            edit_index: None,
            missing_text: None,
            places: None,
            further: Vec::new(),
            further_omitted: 0,
        }
    }

    /// Returns the refusal with the index of its edit.
    #[cfg(feature = "disk")]
    pub(crate) fn of_edit(self, index: usize) -> Diagnostic {
        Diagnostic {
            message: format!("edits[{index}]: {}", self.message),
            edit_index: Some(index),
            ..self
        }
    }

    /// Returns the refusal of an edit as one of a call that has only this edit.
    #[cfg(feature = "disk")]
    pub(crate) fn of_only_edit(self, index: usize) -> Diagnostic {
        let prefix = format!("edits[{index}]: ");
        let message = self.message.strip_prefix(&prefix);
        Diagnostic {
            message: message.unwrap_or(&self.message).to_string(),
            edit_index: None,
            ..self
        }
    }

    /// Returns the refusal as one about the destination of a move.
    #[cfg(feature = "disk")]
    pub(crate) fn of_destination(mut self) -> Diagnostic {
        for suggestion in &mut self.suggestions {
            if let NextCall::Select(selector) = &suggestion.call {
                suggestion.call = NextCall::SelectDestination(selector.clone());
            }
        }
        self.message = format!("to: {}", self.message);
        self
    }

    /// Returns the refusal as one of an edit that passes alone. Its suggestions are about a text that the caller does not
    /// know, and are removed.
    #[cfg(feature = "disk")]
    pub(crate) fn after_other_edits(self) -> Diagnostic {
        self.with_suggestions(Vec::new())
            .help("it passes alone, but not after the other edits of the call")
    }

    /// Returns the refusal with these suggestions.
    pub fn with_suggestions(self, suggestions: Vec<Suggestion>) -> Diagnostic {
        Diagnostic {
            suggestions,
            ..self
        }
    }

    /// Returns the refusal with another code.
    pub(crate) fn with_code(self, code: Code) -> Diagnostic {
        Diagnostic { code, ..self }
    }

    /// Returns what to do if no call can be suggested. `words` names the tools and arguments that the text mentions.
    pub fn help_with(&self, words: &dyn Fn(Mention<'_>) -> String) -> Option<String> {
        let help = self.help.as_deref();
        help.map(|help| mention::worded(help, words))
    }

    /// Returns what to do if no call can be suggested, with the names of tools and arguments.
    pub fn help_text(&self) -> Option<String> {
        self.help_with(&|mention| mention.to_string())
    }

    /// Returns the refusal with this help.
    pub fn help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic {
            help: Some(help.into()),
            ..self
        }
    }
}

/// Returns the nodes of a chain (outermost first) for a list: innermost first, at most [`ANCESTORS_SHOWN`], and the
/// number of omitted nodes.
pub fn ancestors(parsed: &Parsed, chain: &[Node<'_>]) -> (Vec<NodeView>, usize) {
    let shown = chain
        .iter()
        .rev()
        .take(ANCESTORS_SHOWN)
        .map(|node| node_view(parsed, *node));
    (shown.collect(), chain.len().saturating_sub(ANCESTORS_SHOWN))
}

/// Returns a node for a list.
pub fn node_view(parsed: &Parsed, node: Node<'_>) -> NodeView {
    let span = trimmed_node(parsed, node);
    NodeView {
        node_type: node.kind().to_string(),
        line: parsed.source().line_of(span.start()),
        text: declared_line(parsed, node).unwrap_or_else(|| first_line(parsed, span)),
    }
}

/// Returns the line of a definition that declares its name, if annotations or other text precede it on lines of their own
/// and the line begins with a word.
fn declared_line(parsed: &Parsed, node: Node<'_>) -> Option<String> {
    let symbols = parsed.outline().symbols().iter();
    let mut own = symbols.filter(|symbol| symbol.node_span == node.span());
    let name = own.next()?.name_span;
    let source = parsed.source();
    let line = source.line_span(source.line_of(name.start()))?;
    let start = trimmed_node(parsed, node).start();
    let text = source.slice(line);
    let text = text.trim();
    let is_declaration = start < line.start() && text.starts_with(char::is_alphanumeric);
    is_declaration.then(|| cut(text))
}

/// Returns the first line of a span, cut at [`LINE_WIDTH`] characters.
pub fn first_line(parsed: &Parsed, span: Span) -> String {
    let text = parsed.source().slice(span);
    cut(text.lines().next().unwrap_or_default())
}

/// Cuts a line at [`LINE_WIDTH`] characters and marks the cut with three dots.
pub(crate) fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_WIDTH) {
        Some((offset, _)) => format!("{}...", &line[..offset]),
        None => line.to_string(),
    }
}
