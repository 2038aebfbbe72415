//! A refusal as one value: what went wrong, where, and the next call to make.
//!
//! Facts come from the typed errors of the other modules. `explain` is the only place that words them, and `suggest`
//! resolves every call before suggesting it.

mod code;
mod explain;
mod render;
mod suggest;

use crate::locate::Question;
use crate::parse::{Node, Parsed};
use crate::select::{Selector, trimmed_node};
use crate::source::Span;

pub use code::{Code, ExitStatus};
pub use explain::{
    Attempt, PlaceReason, Pointing, about_arguments, about_changed_configuration,
    about_changed_meanwhile, about_changed_since, about_clash, about_configuration, about_edit,
    about_file, about_incomplete_rename, about_locate, about_locate_syntax, about_matches_clash,
    about_missing_edit, about_move_into_itself, about_moved, about_name_clash, about_no_action,
    about_no_answers, about_no_home, about_no_name, about_no_place, about_no_program,
    about_no_project, about_no_server_edit, about_no_way_back, about_not_applied, about_not_read,
    about_not_retargeted, about_nothing_done, about_nothing_known, about_refused_edit,
    about_rejected, about_rejected_server_edit, about_select, about_server, about_server_edit,
    about_stale, about_state, about_text, about_unreadable_edit, cut_search_text, mentions_text,
    name_clash_text, namesakes_text, note_text, unchanged_uses_text, unrelated_uses_text,
    unsearched_text, with_other_files,
};
pub use render::render;

/// How many candidates a refusal shows.
pub const CANDIDATES_SHOWN: usize = 10;
/// How many suggestions a refusal makes.
pub const SUGGESTIONS_MADE: usize = 5;
/// How many ancestors of a place are shown, innermost first.
pub const ANCESTORS_SHOWN: usize = 12;
/// How many places in several files a refusal lists.
pub const PLACES_LISTED: usize = 100;
/// How many characters of a line are shown.
pub const LINE_WIDTH: usize = 120;
/// How many bytes the text of a refusal has at most; its structured form has all.
pub const TEXT_BYTES: usize = 4_000;

/// Why a request was refused, and what to do next.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// What kind of refusal it is.
    pub code: Code,
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// The lines around the place with a caret, where there is one place to show.
    pub excerpt: Option<String>,
    /// The places that may have been meant.
    pub candidates: Vec<CandidateView>,
    /// How many candidates are not shown.
    pub candidates_omitted: usize,
    /// Calls that work; each was resolved first.
    pub suggestions: Vec<Suggestion>,
    /// What to do where no call can be suggested.
    pub help: Option<String>,
    /// The change that was refused.
    pub diff: Option<String>,
    /// The number of the edit among several, from 0.
    pub edit_index: Option<usize>,
    /// The text that was searched for, if the file does not contain it: other files may.
    pub missing_text: Option<Box<MissingText>>,
    /// The places that a refusal about several files lists.
    pub places: Option<Box<Places>>,
}

/// Places in several files.
#[derive(Clone, Debug)]
pub struct Places {
    /// The first of them, at most [`PLACES_LISTED`].
    pub listed: Vec<PlaceView>,
    /// How many there are.
    pub total: usize,
}

/// A place in one of several files.
#[derive(Clone, Debug)]
pub struct PlaceView {
    /// The file.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The line without its indentation.
    pub text: String,
    /// A locator that resolves to it, where there is one.
    pub locate: Option<Question>,
    /// Why it is listed.
    pub reason: &'static str,
}

/// A text that is not in the file it was searched for in.
#[derive(Clone, Debug)]
pub struct MissingText {
    /// The file.
    pub file_path: String,
    /// The text, without markers.
    pub text: String,
}

/// One place that may have been meant.
#[derive(Clone, Debug)]
pub struct CandidateView {
    /// Its line, from 1.
    pub line: usize,
    /// Its first line.
    pub text: String,
    /// The type of the node, where one is meant.
    pub node_type: Option<String>,
    /// The nodes above it (above the anchor, where no node is meant yet), innermost first.
    pub ancestors: Vec<NodeView>,
    /// How many further out are not shown.
    pub ancestors_omitted: usize,
    /// The enclosing symbols.
    pub symbol_path: Vec<String>,
    /// The surrounding lines with their numbers.
    pub context: String,
}

/// A node in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeView {
    /// Its type.
    pub node_type: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its first line.
    pub text: String,
}

/// A call that works.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// What to change in the call.
    pub call: NextCall,
    /// What it selects: type, line and text.
    pub selects: String,
}

/// The call that a suggestion makes.
#[derive(Clone, Debug)]
pub enum NextCall {
    /// The same request with this selector.
    Select(Selector),
    /// The same move to the node of this selector.
    SelectDestination(Selector),
    /// The same question with this locate, in string form.
    Locate(String),
    /// The same request for this file.
    File(String),
    /// Apply another staged edit.
    Apply(String),
    /// Undo another edit.
    Undo(String),
}

impl Diagnostic {
    /// Returns a refusal with only a code and a message.
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
        }
    }

    /// Returns the refusal as one of the edit with this number.
    pub(crate) fn of_edit(self, index: usize) -> Diagnostic {
        Diagnostic {
            message: format!("edits[{index}]: {}", self.message),
            edit_index: Some(index),
            ..self
        }
    }

    /// Returns the refusal as one of a move's destination.
    pub(crate) fn of_destination(mut self) -> Diagnostic {
        for suggestion in &mut self.suggestions {
            if let NextCall::Select(selector) = &suggestion.call {
                suggestion.call = NextCall::SelectDestination(selector.clone());
            }
        }
        self.message = format!("to: {}", self.message);
        self.help = self.help.map(|help| of_move(&help));
        self
    }

    fn help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic {
            help: Some(help.into()),
            ..self
        }
    }
}

/// Rewords a text about new content for a moved node.
pub(crate) fn of_move(words: &str) -> String {
    words
        .replace("correct new_content, or insert it beside", "move it beside")
        .replace("new_content", "what moves")
}

/// Returns the nodes of a chain (outermost first) as they are listed: innermost first, at most [`ANCESTORS_SHOWN`],
/// and how many more there are.
pub fn ancestors(parsed: &Parsed, chain: &[Node<'_>]) -> (Vec<NodeView>, usize) {
    let shown = chain
        .iter()
        .rev()
        .take(ANCESTORS_SHOWN)
        .map(|node| node_view(parsed, *node));
    (shown.collect(), chain.len().saturating_sub(ANCESTORS_SHOWN))
}

/// Returns a node as it is listed.
pub fn node_view(parsed: &Parsed, node: Node<'_>) -> NodeView {
    let span = trimmed_node(parsed, node);
    NodeView {
        node_type: node.kind().to_string(),
        line: parsed.source().line_of(span.start()),
        text: first_line(parsed, span),
    }
}

/// Returns the first line of a span, cut at [`LINE_WIDTH`] characters.
pub fn first_line(parsed: &Parsed, span: Span) -> String {
    let text = parsed.source().slice(span);
    cut(text.lines().next().unwrap_or_default())
}

/// Cuts a line at [`LINE_WIDTH`] characters and marks the cut with three dots.
fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_WIDTH) {
        Some((offset, _)) => format!("{}...", &line[..offset]),
        None => line.to_string(),
    }
}
