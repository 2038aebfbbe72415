//! Converts the typed errors of the other modules into refusals. No other module words them.
//!
//! Messages are lower case, have no full stop, and give no advice that is true of every failure.

#[cfg(feature = "disk")]
mod files;
#[cfg(feature = "servers")]
mod servers;

use crate::change::{Change, EditNote};
use crate::edit::{EditError, Operation};
use crate::locate::{
    ELIDED, FindError, LocateError, LocateSyntaxError, Question, Scope, ScopeError, around_marker,
    bounded_readings,
};
use crate::parse::Parsed;
use crate::select::{Anchor, Candidate, Occurrence, SelectError, Selection, Selector, discover};
use crate::source::{Source, Span};
use crate::validate::{Failure, LostSymbol, NewProblem, Note, Rejected, Suspicion, missing_signs};

#[cfg(feature = "disk")]
pub use files::*;
#[cfg(feature = "servers")]
pub use servers::*;

use super::render::excerpt;
use super::suggest;
use super::{
    CANDIDATES_SHOWN, CandidateView, Code, Diagnostic, MissingText, ancestors, cut, first_line,
};

/// The number of context lines above and below a place.
const AROUND: usize = 1;

/// The help for a find with `<..>` whose end does not follow its start.
const END_IS_ELSEWHERE: &str = "what stands behind `<..>` must follow where each bracket that was \
                                opened in between is closed, in the same symbol or lines if there \
                                is a scope";

/// The help for an anchor that resembles nothing in its file.
const NOTHING_LIKE_IT: &str = "no line of the file is like it; read the file again";

/// The purpose of a selector.
#[derive(Clone, Copy, Debug)]
pub enum Pointing<'a> {
    /// Edit a node.
    Edit(&'a Operation),
    /// Read a node.
    Read,
}

/// Explains why a selector was refused.
pub fn about_select(
    parsed: &Parsed,
    selector: &Selector,
    error: &SelectError<'_>,
    pointing: Pointing<'_>,
) -> Diagnostic {
    let refused = RefusedSelector::new(parsed, selector);
    let mut diagnostic = refused.explain(error, pointing);
    diagnostic.suggestions = suggest::for_selector(parsed, selector, error, pointing);
    let has_suggestion = !diagnostic.suggestions.is_empty();
    match error {
        SelectError::Ambiguous { candidates }
            if candidates.len() > diagnostic.suggestions.len() =>
        {
            diagnostic.help("nth picks a node by its number")
        }
        SelectError::AnchorNotFound | SelectError::Find(_) => {
            diagnostic.missing_text = missing_text(parsed, selector.anchor.as_str());
            match has_suggestion || diagnostic.help.is_some() {
                true => diagnostic,
                false => diagnostic.help(refused.not_found_help(error)),
            }
        }
        _ => diagnostic,
    }
}

/// A refused selector, with the text of its parts.
struct RefusedSelector<'a> {
    parsed: &'a Parsed,
    selector: &'a Selector,
    /// A text such as `anchor_text "x"` or `find "x"`.
    anchor: String,
    /// A text such as `in file`, `in symbol "x"` or `in lines 1-2`.
    scope: String,
    /// A text such as `"x" or "y"`.
    types: String,
}

impl<'a> RefusedSelector<'a> {
    fn new(parsed: &'a Parsed, selector: &'a Selector) -> RefusedSelector<'a> {
        RefusedSelector {
            parsed,
            selector,
            anchor: anchor_text(&selector.anchor),
            scope: scope_text(selector.scope.as_ref()),
            types: types_text(&selector.ancestor_node_type),
        }
    }

    fn explain(&self, error: &SelectError<'_>, pointing: Pointing<'_>) -> Diagnostic {
        match error {
            SelectError::Scope(error) => about_scope(self.parsed, error),
            SelectError::BlankAnchor => self.blank_anchor(),
            SelectError::AnchorNotFound => self.anchor_not_found(),
            SelectError::Find(error) => self.find_not_found(error),
            SelectError::SplitsWord { matches } => self.splits_word(matches),
            SelectError::TooCommon { at_least } => self.too_common(*at_least),
            SelectError::UnknownNodeType { name } => self.unknown_node_type(name),
            SelectError::AncestorRequired { occurrences } => {
                self.ancestor_required(occurrences, pointing)
            }
            SelectError::AncestorNotFound { occurrences } => self.ancestor_not_found(occurrences),
            SelectError::Ambiguous { candidates } => {
                self.matches(Code::AmbiguousTarget, "", candidates)
            }
            SelectError::MatchCount {
                expected,
                candidates,
            } => {
                let given = format!("expect_matches is {expected} but ");
                let count = candidates.len();
                self.matches(Code::MatchCountMismatch, &given, candidates)
                .help(format!(
                    "expect_matches: {count} edits all of them; a scope or a longer text leaves some out"
                ))
            }
            SelectError::NthOutOfRange { nth, candidates } => {
                let given = format!("nth is {nth} but ");
                self.matches(Code::NthOutOfRange, &given, candidates)
            }
            SelectError::OutwardOutOfRange { outward, above } => {
                let (count, types) = (above.len(), &self.types);
                let message = format!(
                    "outward is {outward} but further out there are only {count} of type {types}"
                );
                Diagnostic::new(Code::NthOutOfRange, message)
            }
            SelectError::SiblingOutOfRange {
                sibling,
                before,
                after,
            } => {
                let message = format!(
                    "sibling is {sibling} but the node has {before} named siblings before it and {after} after it"
                );
                Diagnostic::new(Code::NthOutOfRange, message)
            }
        }
    }

    fn blank_anchor(&self) -> Diagnostic {
        let message = format!("{} holds nothing but white space", self.anchor);
        Diagnostic::new(Code::InvalidArguments, message).help(match self.selector.anchor {
            Anchor::Part(_) => "give some text to replace",
            _ => "give some text of the target as anchor_text",
        })
    }

    fn anchor_not_found(&self) -> Diagnostic {
        let message = format!("{} not found {}", self.anchor, self.scope);
        Diagnostic::new(Code::AnchorNotFound, message)
    }

    fn find_not_found(&self, error: &FindError) -> Diagnostic {
        let diagnostic = find_not_found(self.parsed, &self.anchor, &self.scope, error);
        match &self.selector.anchor {
            Anchor::Part(find) if around_marker(find).is_some() => {
                diagnostic.help("one marker is a point: two equal ones bound what is replaced")
            }
            _ => diagnostic,
        }
    }

    /// Returns the help for an anchor that resembles nothing in its file.
    fn not_found_help(&self, error: &SelectError<'_>) -> &'static str {
        match (&self.selector.anchor, error) {
            (Anchor::Part(find), SelectError::Find(error)) if has_no_end(find, error) => {
                END_IS_ELSEWHERE
            }
            _ => NOTHING_LIKE_IT,
        }
    }

    fn splits_word(&self, matches: &[(Span, Span)]) -> Diagnostic {
        let source = self.parsed.source();
        let message = format!(
            "{} only matches inside a longer word {}",
            self.anchor, self.scope
        );
        Diagnostic {
            excerpt: matches.first().map(|(span, words)| {
                let whole = format!("the word is {}", quoted(&source.slice(*words)));
                excerpt(source, *span, &whole, AROUND)
            }),
            ..Diagnostic::new(Code::SplitsWord, message)
        }
    }

    fn too_common(&self, at_least: usize) -> Diagnostic {
        let message = format!(
            "{} appears at least {at_least} times {}, too often to look at each",
            self.anchor, self.scope
        );
        Diagnostic::new(Code::AmbiguousTarget, message).help(match &self.selector.anchor {
            Anchor::Text(_) => "give a longer anchor_text, or a scope",
            Anchor::Find(_) | Anchor::Part(_) => "give a longer find, or a scope",
        })
    }

    fn unknown_node_type(&self, name: &str) -> Diagnostic {
        let message = format!(
            "ancestor_node_type {} is neither a node type of {} nor a general word",
            quoted(name),
            self.parsed.source().language().name
        );
        let occurrences = discover(self.parsed, self.selector).unwrap_or_default();
        self.occurrences(Code::UnknownNodeType, message, &occurrences)
    }

    fn ancestor_required(
        &self,
        occurrences: &[Occurrence<'_>],
        pointing: Pointing<'_>,
    ) -> Diagnostic {
        let need = match pointing {
            Pointing::Edit(_) => "ancestor_node_type is required to edit",
            Pointing::Read => "ancestor_node_type says which node is meant",
        };
        let times = times(occurrences.len());
        let message = format!("{} appears {times}; {need}", self.anchor);
        self.occurrences(Code::AncestorRequired, message, occurrences)
    }

    fn ancestor_not_found(&self, occurrences: &[Occurrence<'_>]) -> Diagnostic {
        let types = &self.types;
        let message = match occurrences.len() {
            1 => format!(
                "no ancestor of type {types} found above anchor {}",
                quoted(self.selector.anchor.as_str())
            ),
            count => format!(
                "{} appears {count} times {} but none of them match ancestor {types}",
                self.anchor, self.scope
            ),
        };
        Diagnostic {
            help: self.parsed.read_as_text(),
            ..self.occurrences(Code::AncestorNotFound, message, occurrences)
        }
    }

    /// Reports the number of matching nodes. The message starts with `given`, which quotes the argument that asks for
    /// another number.
    fn matches(&self, code: Code, given: &str, candidates: &[Candidate<'_>]) -> Diagnostic {
        let count = match self.selector.anchor {
            Anchor::Part(_) => counted(candidates.len(), "place"),
            _ => counted(candidates.len(), "node"),
        };
        let with_types = match self.selector.ancestor_node_type.is_empty() {
            true => String::new(),
            false => format!(" with ancestor_node_type {}", self.types),
        };
        let message = format!("{given}{}{with_types} matches {count}", self.anchor);
        let shown = candidates.iter().take(CANDIDATES_SHOWN);
        let views = shown.filter_map(|candidate| {
            let (node, above) = candidate.chain.split_last()?;
            Some(view(self.parsed, candidate.anchor, Some(*node), above))
        });
        Diagnostic {
            candidates: views.collect(),
            candidates_omitted: candidates.len().saturating_sub(CANDIDATES_SHOWN),
            ..Diagnostic::new(code, message)
        }
    }

    fn occurrences(
        &self,
        code: Code,
        message: String,
        occurrences: &[Occurrence<'_>],
    ) -> Diagnostic {
        let shown = occurrences.iter().take(CANDIDATES_SHOWN);
        let views = shown.map(|one| view(self.parsed, one.anchor, None, &one.chain));
        Diagnostic {
            candidates: views.collect(),
            candidates_omitted: occurrences.len().saturating_sub(CANDIDATES_SHOWN),
            ..Diagnostic::new(code, message)
        }
    }
}

/// Returns the text to search for in other files, without markers. Returns `None` if this file contains it, or if a
/// part of it is elided.
fn missing_text(parsed: &Parsed, find: &str) -> Option<Box<MissingText>> {
    let text = match around_marker(find) {
        Some((before, behind)) => [before, behind].concat(),
        None => bounded_readings(find).swap_remove(0).text,
    };
    let text = text.trim();
    let is_here = parsed.source().text().contains(text);
    (!is_here && !text.contains(ELIDED)).then(|| {
        Box::new(MissingText {
            file_path: parsed.source().path().to_string(),
            text: text.to_string(),
        })
    })
}

/// Adds the other files that contain the text, each with a line, and a note if there are more of them.
pub fn with_other_files(
    diagnostic: Diagnostic,
    files: &[(String, usize)],
    has_more: bool,
) -> Diagnostic {
    let Some(places) = places_text(files, has_more) else {
        return diagnostic;
    };
    let other = diagnostic.help.as_deref();
    let other = other.filter(|help| *help != NOTHING_LIKE_IT);
    let before = other.map_or(String::new(), |help| format!("{help}; "));
    let help = format!("{before}the same text stands in {places}");
    diagnostic.help(help)
}

/// Lists files, each with a line. Returns `None` if there are none.
fn places_text(files: &[(String, usize)], has_more: bool) -> Option<String> {
    let places: Vec<String> = files
        .iter()
        .map(|(path, line)| format!("`{path}` at line {line}"))
        .collect();
    let (last, others) = places.split_last()?;
    Some(match others {
        _ if has_more => format!("{}, and in more files", places.join(", ")),
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    })
}

/// Explains why a locator was refused.
pub fn about_locate(parsed: &Parsed, question: &Question, error: &LocateError) -> Diagnostic {
    let locate = &question.locate;
    let place = scope_text(locate.scope.as_ref());
    let mut diagnostic = match error {
        LocateError::NothingAsked => Diagnostic::new(
            Code::InvalidLocate,
            "a locate needs a scope, a find, or both",
        ),
        LocateError::Scope(error) => about_scope(parsed, error),
        LocateError::Find(error) => {
            let find = locate.find.as_deref().unwrap_or_default();
            Diagnostic {
                missing_text: missing_text(parsed, find),
                ..find_not_found(parsed, &format!("find {}", quoted(find)), &place, error)
            }
        }
        LocateError::IndexOutOfRange {
            find_index,
            matches,
        } => Diagnostic::new(
            Code::NthOutOfRange,
            format!(
                "find_index is {find_index} but there {}",
                match matches {
                    1 => "is 1 match".to_string(),
                    several => format!("are {several} matches"),
                }
            ),
        ),
    };
    diagnostic.suggestions = suggest::for_locate(parsed, locate, error);
    diagnostic
}

/// Explains that the text has no such line (from 1), or that the line has no such character.
pub fn about_no_place(source: &Source, line: usize, character: Option<usize>) -> Diagnostic {
    let lines = counted(source.line_count(), "line");
    let Some(own) = source.line_span(line) else {
        return Diagnostic::new(
            Code::LineOutOfRange,
            format!("line {line} is past the end: the file has {lines}"),
        );
    };
    let characters = counted(source.slice(own).chars().count(), "character");
    let character = character.unwrap_or(1);
    Diagnostic::new(
        Code::LineOutOfRange,
        format!("character {character} is past the end of line {line}, which has {characters}"),
    )
    .help("characters are code points and count from 1; a line without one is read too")
}

/// Explains why a string is not a locator.
pub fn about_locate_syntax(error: &LocateSyntaxError) -> Diagnostic {
    let code = match error {
        LocateSyntaxError::InvalidScope { .. } => Code::InvalidScope,
        _ => Code::InvalidLocate,
    };
    Diagnostic::new(code, error.to_string()).help(
        "write it as path:scope@find, for example `src/main.rs:Server.handle@return <|>result`",
    )
}

/// An edit that failed, with a way to try it on another node.
pub struct Attempt<'a, 'p> {
    /// The node.
    pub selection: &'a Selection<'p>,
    /// The selector that selected it.
    pub selector: &'a Selector,
    /// The operation that failed.
    pub operation: &'a Operation,
    /// Returns whether the operation passes every check on another node, or `None` if it cannot be applied to it.
    pub passes: &'a dyn Fn(Selection<'p>) -> Option<bool>,
}

/// Explains why an operation cannot be applied to a node.
pub fn about_edit(attempt: &Attempt<'_, '_>, error: &EditError) -> Diagnostic {
    match error {
        EditError::Root => Diagnostic::new(
            Code::NotEditable,
            "the selected node is the root of the file, which is not editable as one node",
        )
        .help("select the nodes inside that are to change"),
        EditError::ErrorNode => Diagnostic::new(
            Code::NotEditable,
            "the selected node is an ERROR node: the parser could not make sense of this text",
        )
        .help("select a node around it"),
        EditError::NoText => Diagnostic::new(Code::NotEditable, "the selected node holds no text"),
        EditError::BlankContent => match attempt.operation {
            Operation::Insert { .. } => Diagnostic::new(
                Code::InvalidContent,
                "new_content is blank; there is nothing to insert",
            ),
            _ => Diagnostic::new(
                Code::InvalidContent,
                "new_content is blank; a node is not replaced by nothing",
            )
            .help("delete_node takes a node out"),
        },
        EditError::ZeroByte { offset } => Diagnostic::new(
            Code::InvalidContent,
            format!(
                "new_content holds a zero byte at offset {offset}, which would make the file binary"
            ),
        ),
        EditError::NoInside { bodies } => no_inside(attempt, bodies),
        EditError::NoMarker => Diagnostic::new(
            Code::InvalidContent,
            "new_content does not say where the node goes: it holds the marker <|> there, once",
        )
        .help("for example `if ready {\n    <|>\n}`; where new_content has such text of its own, <<|>> is a marker too"),
        EditError::PartOfText => about_arguments(
            "a part of a text can only be replaced, with ReplaceText; other operations need a node",
        ),
        EditError::Unsettled => Diagnostic::new(
            Code::InvalidContent,
            "new_content parses differently each time it is laid out for its place",
        )
        .help("pass indent: \"verbatim\" with new_content as it is to stand in the file"),
        EditError::NoChange => Diagnostic::new(
            Code::NoChange,
            "the file already holds new_content at this place",
        ),
    }
}

/// Explains why a change was rejected, and shows the change.
pub fn about_rejected(attempt: &Attempt<'_, '_>, rejected: &Rejected<'_>) -> Diagnostic {
    let source = rejected.change().after().source();
    let before = rejected.change().before().source();
    let diff = crate::preview::diff(before, rejected.change().text_edit());
    let diagnostic = match rejected.failure() {
        Failure::Syntax(problems) => about_syntax(attempt, rejected, problems),
        Failure::Surroundings(disturbance) => {
            let what = match disturbance.lost.as_slice() {
                [] => format!(
                    "what stands beside it in the {} would be grouped differently",
                    disturbance.parent
                ),
                lost => format!(
                    "{} around it would go or move: {}",
                    counted(lost.len(), "symbol"),
                    lost_text(lost)
                ),
            };
            let selected = match rejected.change().selection().is_text() {
                true => "text",
                false => rejected.change().selection().node().kind(),
            };
            let label = "from here on it would be read differently";
            Diagnostic {
                excerpt: Some(excerpt(source, short(source, disturbance.span), label, AROUND)),
                ..Diagnostic::new(
                    Code::ChangesSurroundings,
                    format!("the edit would change more than the selected {selected}: {what}"),
                )
            }
            .help(match (attempt.operation, &disturbance.missing_marker) {
                (Operation::Delete, _) => "delete a node around it, or replace it, or pass allow: [\"surroundings\"]".to_string(),
                (_, Some(marker)) => format!("begin new_content with the marker that the {} needs, as here: {}", rejected.change().selection().node().kind(), quoted(marker)),
                _ if comment_behind(rejected) => "a comment already stands behind the node: leave it out of new_content".to_string(),
                _ => "check the brackets, quotes and operators at both ends of new_content, or pass allow: [\"surroundings\"]".to_string(),
            })
        }
        Failure::Content(suspicion) => about_suspicion(source, suspicion),
    };
    let depends_on_the_place = match rejected.failure() {
        // An unpaired bracket or quote in the content is wrong everywhere.
        Failure::Syntax(problems) => problems.iter().all(|problem| problem.unpaired.is_none()),
        Failure::Surroundings(disturbance) => disturbance.unpaired.is_none(),
        Failure::Content(_) => false,
    };
    let is_about_the_place = depends_on_the_place
        && matches!(
            attempt.operation,
            Operation::Insert { .. } | Operation::Delete
        );
    Diagnostic {
        diff: Some(diff),
        suggestions: match is_about_the_place {
            true => suggest::further_out(attempt),
            false => Vec::new(),
        },
        ..diagnostic
    }
}

/// Explains why arguments are invalid.
pub fn about_arguments(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::InvalidArguments, message)
}

/// Explains that a node cannot be moved into itself.
pub fn about_move_into_itself(lines: (usize, usize)) -> Diagnostic {
    let message = format!(
        "the node at line {} cannot go to line {}, which moves with it",
        lines.0, lines.1
    );
    Diagnostic::new(Code::OverlappingEdits, message)
        .help("select a node outside of it as the destination")
}

/// Explains that two matches of one edit overlap.
pub fn about_matches_clash(lines: (usize, usize)) -> Diagnostic {
    let message = format!(
        "the matches at lines {} and {} take the same text",
        lines.0, lines.1
    );
    Diagnostic::new(Code::OverlappingEdits, message)
        .help("edit one of them, or let the selector mean smaller nodes")
}

/// Explains that no file would change.
pub fn about_nothing_done() -> Diagnostic {
    Diagnostic::new(
        Code::NoChange,
        "every file would stay as it is: what is asked for is there already",
    )
}

/// Explains that two of several edits overlap.
pub fn about_clash(numbers: (usize, usize), lines: (usize, usize)) -> Diagnostic {
    let (first, second) = numbers;
    Diagnostic {
        edit_index: Some(second),
        ..Diagnostic::new(
            Code::OverlappingEdits,
            format!(
                "edits[{first}] (line {}) and edits[{second}] (line {}) take the same text",
                lines.0, lines.1
            ),
        )
    }
    .help("leave one of them out, make one edit of both, or let each take a smaller node")
}

/// Returns the text of a note on an operation.
pub fn note_text(operation: &Operation, note: &Note) -> String {
    match note {
        Note::Edit(note) => edit_note_text(operation, note),
        Note::TookPlace { was, now } => match now.as_slice() {
            [] => format!("nothing with a type of its own stands in place of the {was}"),
            [one] => format!("{} stands in place of the {was}", with_article(one)),
            many => format!(
                "{} nodes stand in place of the {was}: {}",
                many.len(),
                many.join(", ")
            ),
        },
        Note::ParentChanged { was, now } => {
            format!("the {was} around it became {}", with_article(now))
        }
        Note::Regrouped { node_type } => format!(
            "the text reaches over an edge in the {node_type}: what stands round it is grouped otherwise now"
        ),
        Note::HeadingLevel { was, now } => format!(
            "the heading's level was {was} and is {now}: what follows it may be in another section"
        ),
        Note::OpensSection => {
            "what follows new_content is now in the section that its heading opens".to_string()
        }
        Note::RepeatsNeighbour { line, before } => {
            let side = if *before { "before" } else { "after" };
            format!(
                "the line {side} new_content is the same as its own: {}",
                quoted(&cut(line))
            )
        }
        Note::Allowed(Failure::Syntax(problems)) => {
            format!("allowed: {} new syntax errors", problems.len())
        }
        Note::Allowed(Failure::Surroundings(disturbance)) => match disturbance.lost.as_slice() {
            [] => "allowed: the surroundings of the target change".to_string(),
            lost => format!("allowed: symbols go or move: {}", lost_text(lost)),
        },
        Note::Allowed(Failure::Content(_)) => {
            "allowed: new_content looks like a sketch of code".to_string()
        }
    }
}

fn edit_note_text(operation: &Operation, note: &EditNote) -> String {
    match note {
        EditNote::Reindented { lines } => {
            format!("re-indented {} of new_content", counted(*lines, "line"))
        }
        EditNote::CommaAdded => {
            "added the comma that the place needs behind new_content".to_string()
        }
        EditNote::CommaDropped => {
            "left out the comma at the end of new_content: the list has its own".to_string()
        }
        EditNote::SeparatorDropped { text } => format!(
            "left out the `{text}` at the end of new_content: the list has its own, or none there"
        ),
        EditNote::SemicolonDropped => {
            "left out the `;` at the end of new_content: one stands behind the place".to_string()
        }
        EditNote::AttachedReplaced { kinds } => {
            let kinds = kinds.join(", ");
            format!("replaced what was attached to the old text: {kinds}")
        }
        EditNote::LineEndings => "brought new_content to the file's line endings".to_string(),
        EditNote::AttachedAlong { kinds } => {
            let kinds = listed(kinds);
            match operation {
                Operation::Delete | Operation::Wrap { .. } => {
                    format!("the {kinds} attached to it went along")
                }
                _ => format!("the {kinds} attached to the node kept its place beside it"),
            }
        }
        EditNote::SeparatorRemoved { text } => format!("the `{text}` beside it went too"),
        EditNote::SeparatorAdded { text } => format!("added the `{text}` that the place needs"),
        EditNote::WholeMember { text } => {
            format!("the whole member of the list went: {}", quoted(&cut(text)))
        }
        EditNote::LeftWithoutValue { node_type } => {
            format!("the {node_type} is left without a value, which reads as null")
        }
        EditNote::WholeOf { node_type } => {
            format!("nothing else was in the {node_type}, which went as a whole")
        }
    }
}

fn about_scope(parsed: &Parsed, error: &ScopeError) -> Diagnostic {
    match error {
        ScopeError::LineOutOfRange { line, line_count } => Diagnostic::new(
            Code::LineOutOfRange,
            format!(
                "line {line} is past the end: the file has {}",
                counted(*line_count, "line")
            ),
        ),
        ScopeError::EmptySymbolPath => {
            Diagnostic::new(Code::InvalidScope, "symbol_path needs at least one name")
        }
        ScopeError::SymbolNotFound { path, .. } => Diagnostic::new(
            Code::SymbolNotFound,
            format!("symbol {} not found in file", quoted(&path.join("."))),
        ),
        ScopeError::AmbiguousSymbol { path, found } => {
            let views = found
                .iter()
                .take(CANDIDATES_SHOWN)
                .map(|(path, kind, name)| {
                    let line = parsed.source().line_of(*name);
                    let span = parsed.source().line_span(line).unwrap_or(Span::at(*name));
                    CandidateView {
                        line,
                        text: first_line(parsed, span).trim().to_string(),
                        node_type: Some(kind.to_string()),
                        ancestors: Vec::new(),
                        ancestors_omitted: 0,
                        symbol_path: path.clone(),
                        context: excerpt(parsed.source(), Span::at(*name), "", 0),
                    }
                });
            Diagnostic {
                candidates: views.collect(),
                candidates_omitted: found.len().saturating_sub(CANDIDATES_SHOWN),
                ..Diagnostic::new(
                    Code::AmbiguousSymbol,
                    format!(
                        "{} symbols end with {}",
                        found.len(),
                        quoted(&path.join("."))
                    ),
                )
            }
        }
    }
}

/// Returns whether only the text before an elided part was found.
fn has_no_end(find: &str, error: &FindError) -> bool {
    let readings = bounded_readings(find);
    let ink = |text: &str| text.split_whitespace().collect::<String>();
    let first = readings[0].text.split_once(ELIDED);
    let found = error.prefix.as_ref().map(|(prefix, _)| ink(prefix));
    first.is_some_and(|(first, _)| found == Some(ink(first)))
}

fn find_not_found(parsed: &Parsed, find: &str, place: &str, error: &FindError) -> Diagnostic {
    if error.gave_up {
        return Diagnostic::new(
            Code::FindNotFound,
            format!("{find} matches in part almost everywhere {place}; the search was given up"),
        )
        .help("give a scope, or a find with a word that is rarer");
    }
    if let Some(there) = error.whitespace {
        let label = format!(
            "this whitespace is {}",
            quoted(&parsed.source().slice(there))
        );
        return Diagnostic {
            excerpt: Some(excerpt(parsed.source(), there, &label, AROUND)),
            ..Diagnostic::new(
                Code::FindNotFound,
                format!("{find} not found {place}: the whitespace at a marker differs"),
            )
        }
        .help("copy that whitespace into find, or put the marker next to a word or sign");
    }
    let shown = match (&error.prefix, error.outside) {
        (_, Some(outside)) => Some((outside, "it matches here, outside of the scope".to_string())),
        (Some((prefix, span)), None) => {
            Some((*span, format!("only {} matches, here", quoted(prefix))))
        }
        (None, None) => None,
    };
    Diagnostic {
        excerpt: shown.map(|(span, label)| excerpt(parsed.source(), span, &label, AROUND)),
        ..Diagnostic::new(Code::FindNotFound, format!("{find} not found {place}"))
    }
}

fn no_inside(attempt: &Attempt<'_, '_>, bodies: &[Span]) -> Diagnostic {
    let (parsed, node) = (attempt.selection.parsed(), attempt.selection.node());
    let line = parsed.source().line_of(attempt.selection.span().start());
    let has = match bodies.len() {
        0 => "no body".to_string(),
        count => format!("{count} bodies"),
    };
    let message = format!(
        "the {} at line {line} has {has} to insert into",
        node.kind()
    );
    let diagnostic = Diagnostic::new(Code::NoInside, message);
    match bodies {
        [] => Diagnostic {
            suggestions: suggest::further_out(attempt),
            ..diagnostic
        }
        .help("position before or after puts new_content beside it"),
        bodies => Diagnostic {
            suggestions: suggest::bodies(attempt, bodies),
            ..diagnostic
        }
        .help("select the body that is meant"),
    }
}

fn about_syntax(
    attempt: &Attempt<'_, '_>,
    rejected: &Rejected<'_>,
    problems: &[NewProblem],
) -> Diagnostic {
    let source = rejected.change().after().source();
    let errors = match problems.len() {
        1 => "a syntax error".to_string(),
        count => format!("{count} syntax errors"),
    };
    let within = construct(rejected.change());
    let message = format!("the edit would bring in {errors}{within}");
    let diagnostic = Diagnostic::new(Code::BreaksSyntax, message);
    let Some(first) = problems.first() else {
        return diagnostic;
    };
    let mark = match first.unpaired {
        Some(span) => unpaired_mark(source, span),
        None => problem_mark(rejected.change(), first),
    };
    let advice = mark.advice.unwrap_or_else(|| {
        match attempt.operation {
            Operation::Insert { .. } => {
                "correct new_content, or insert it beside a node of its kind"
            }
            Operation::Delete => "delete a node around it, or replace it",
            Operation::Replace { .. } | Operation::ReplaceText { .. } | Operation::Wrap { .. } => {
                "correct new_content"
            }
        }
        .to_string()
    });
    Diagnostic {
        excerpt: Some(excerpt(
            source,
            short(source, mark.span),
            &mark.label,
            AROUND,
        )),
        ..diagnostic
    }
    .help(format!("{advice}, or pass allow: [\"syntax_errors\"]"))
}

/// The span that an excerpt of a syntax error marks.
struct SyntaxMark {
    span: Span,
    label: String,
    /// How to fix the error. If absent, the advice depends on the operation.
    advice: Option<String>,
}

/// Marks a bracket, quote or comment delimiter without its counterpart.
fn unpaired_mark(source: &Source, span: Span) -> SyntaxMark {
    let sign = source.slice(span);
    let line = source.line_of(span.start());
    let (label, advice) = match &*sign {
        bracket if "([{".contains(bracket) => (
            "not closed in new_content",
            format!("close the {} of line {line}", quoted(bracket)),
        ),
        bracket if ")]}".contains(bracket) => (
            "closes nothing in new_content",
            format!("take out the {} of line {line}", quoted(bracket)),
        ),
        _ => (
            "a string or comment that does not end in new_content",
            "end it in new_content".to_string(),
        ),
    };
    SyntaxMark {
        span,
        label: label.to_string(),
        advice: Some(advice),
    }
}

/// Marks the text that the parser rejects, if no bracket explains the error.
fn problem_mark(change: &Change<'_>, problem: &NewProblem) -> SyntaxMark {
    let source = change.after().source();
    let plain = |span: Span, label: String| SyntaxMark {
        span,
        label,
        advice: None,
    };
    if let Some(message) = &problem.message {
        return plain(problem.span, message.clone());
    }
    if let Some(missing) = &problem.missing {
        return plain(problem.span, format!("missing {}", quoted(missing)));
    }
    if let Some(found) = missing_signs(change, problem) {
        let signs: Vec<String> = found.signs.iter().map(|sign| quoted(sign)).collect();
        let signs = signs.join(" or ");
        let preceding = source.text()[..found.offset].chars().next_back();
        let start = found.offset - preceding.map_or(0, char::len_utf8);
        return SyntaxMark {
            span: Span::new(start, found.offset),
            label: format!("{signs} seems to be missing behind it"),
            advice: Some(format!("with {signs} there it can be parsed; put it in")),
        };
    }
    // An error node can start many lines before the text that causes it.
    let (span, content) = (problem.span, change.new_span());
    let is_above = source.line_of(span.start()) < source.line_of(content.start())
        && content.start() < span.end();
    let start = if is_above {
        content.start()
    } else {
        span.start()
    };
    plain(Span::new(start, span.end()), "cannot be parsed".to_string())
}

/// Returns words for the innermost node below the root that contains an edit, and its symbol.
fn construct(change: &Change<'_>) -> String {
    let Some(node) = change.container().get(1..).and_then(|below| below.last()) else {
        return String::new();
    };
    let symbol = change.before().symbol_path(change.container());
    match symbol.is_empty() {
        true => format!(" in the {}", node.kind()),
        false => format!(" in the {} of {}", node.kind(), symbol.join(".")),
    }
}

/// Returns whether the content ends with a comment although a comment follows the old node on its line.
fn comment_behind(rejected: &Rejected<'_>) -> bool {
    let change = rejected.change();
    let before = change.before();
    let end = change.selection().span().end();
    let rest_of_line = before.source().line_span(before.source().line_of(end));
    let rest_of_line = rest_of_line.map(|line| Span::new(end, line.end().max(end)));
    let is_comment = |parsed: &Parsed, span: Span| {
        let chain = parsed.chain(span);
        let mut pairs = chain.windows(2);
        pairs.any(|pair| pair[1].is_word("comment", Some(pair[0])))
    };
    let behind = rest_of_line.is_some_and(|rest| {
        let text = before.source().slice(rest);
        let last = text.trim_end().char_indices().next_back();
        last.is_some_and(|(offset, c)| {
            let start = rest.start() + offset;
            is_comment(before, Span::new(start, start + c.len_utf8()))
        })
    });
    let new_end = change.new_span().end();
    behind && new_end > 0 && is_comment(change.after(), Span::new(new_end - 1, new_end))
}

fn about_suspicion(source: &Source, suspicion: &Suspicion) -> Diagnostic {
    let (message, help) = match suspicion {
        Suspicion::EscapedLineBreak(_) => (
            "new_content holds the two characters \\n where a line break seems meant",
            "send real line breaks",
        ),
        Suspicion::Placeholder(_) => (
            "new_content holds a comment that stands for code left out",
            "send the whole code of the node, or select a smaller node",
        ),
        Suspicion::DiffMarker(_) => (
            "new_content holds lines of a diff",
            "send the code as it is to stand in the file",
        ),
        Suspicion::CodeFence(_) => (
            "new_content begins with a code fence",
            "send the code without the fence",
        ),
    };
    Diagnostic {
        excerpt: Some(excerpt(
            source,
            short(source, suspicion.span()),
            "here",
            AROUND,
        )),
        ..Diagnostic::new(Code::SuspiciousContent, message)
    }
    .help(format!("{help}, or pass allow: [\"suspicious_content\"]"))
}

fn view(
    parsed: &Parsed,
    anchor: Span,
    node: Option<crate::parse::Node<'_>>,
    above: &[crate::parse::Node<'_>],
) -> CandidateView {
    // The root cannot be selected.
    let below_root = match above {
        [root, rest @ ..] if *root == parsed.root() => rest,
        all => all,
    };
    let (ancestors, ancestors_omitted) = ancestors(parsed, below_root);
    let span = node.map_or(anchor, |node| crate::select::trimmed_node(parsed, node));
    CandidateView {
        line: parsed.source().line_of(span.start()),
        text: first_line(parsed, span),
        node_type: node.map(|node| node.kind().to_string()),
        ancestors,
        ancestors_omitted,
        symbol_path: parsed.symbol_path(&parsed.chain(span)),
        context: excerpt(parsed.source(), anchor, "", AROUND),
    }
}

/// Returns the part of a span that an excerpt marks: the first few characters of its first line.
fn short(source: &Source, span: Span) -> Span {
    const MARKED: usize = 40;
    let text = source.slice(span);
    let line = text.lines().next().unwrap_or_default();
    let marked: usize = line.chars().take(MARKED).map(char::len_utf8).sum();
    Span::new(span.start(), span.start() + marked)
}

fn anchor_text(anchor: &Anchor) -> String {
    match anchor {
        Anchor::Text(text) => format!("anchor_text {}", quoted(text)),
        Anchor::Find(find) | Anchor::Part(find) => format!("find {}", quoted(find)),
    }
}

fn scope_text(scope: Option<&Scope>) -> String {
    match scope {
        None => "in file".to_string(),
        Some(Scope::Symbol(symbol)) => {
            format!("in symbol {}", quoted(&symbol.symbol_path.join(".")))
        }
        Some(Scope::Lines(lines)) => match lines.last() {
            Some(last) if last == lines.first() => format!("in line {last}"),
            Some(last) => format!("in lines {}-{last}", lines.first()),
            None => format!("in the lines from {}", lines.first()),
        },
    }
}

fn types_text(types: &[String]) -> String {
    let quoted: Vec<String> = types.iter().map(|name| self::quoted(name)).collect();
    quoted.join(" or ")
}

/// Returns a text as a JSON string, in the form in which it was sent. Cuts long texts.
fn quoted(text: &str) -> String {
    serde_json::Value::from(cut(text)).to_string()
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_string(),
        count => format!("{count} times"),
    }
}

/// Returns a name with the article `a` or `an`.
fn with_article(name: &str) -> String {
    let article = match name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    };
    format!("{article} {name}")
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all_but_last @ .., last] => format!("{} and {last}", all_but_last.join(", ")),
    }
}

/// Returns a count with its noun: `1 node`, `2 nodes`.
fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

/// Lists at most five of the symbols that would disappear or move.
fn lost_text(lost: &[LostSymbol]) -> String {
    const SHOWN: usize = 5;
    let mut texts: Vec<String> = lost
        .iter()
        .take(SHOWN)
        .map(|symbol| {
            let path = symbol.path.join(".");
            match &symbol.moved_to {
                Some(moved_to) => format!(
                    "{path} (line {}) would be {}",
                    symbol.line,
                    moved_to.join(".")
                ),
                None => format!("{path} (line {})", symbol.line),
            }
        })
        .collect();
    if lost.len() > SHOWN {
        texts.push(format!("and {} more", lost.len() - SHOWN));
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(operation: &Operation, note: EditNote, expected: &str) {
        assert_eq!(note_text(operation, &Note::Edit(note)), expected);
    }

    #[test]
    fn notes_say_what_went_along_and_what_stays() {
        let kinds = |names: &[&str]| EditNote::AttachedAlong {
            kinds: names.iter().map(|name| name.to_string()).collect(),
        };
        let insert = Operation::Insert {
            position: crate::edit::InsertPosition::Before,
            new_content: String::new(),
            indent: crate::edit::Indent::Auto,
        };
        let delete = Operation::Delete;
        check(
            &delete,
            kinds(&["doc"]),
            "the doc attached to it went along",
        );
        check(
            &delete,
            kinds(&["doc", "attribute", "comment"]),
            "the doc, attribute and comment attached to it went along",
        );
        check(
            &insert,
            kinds(&["doc", "attribute"]),
            "the doc and attribute attached to the node kept its place beside it",
        );
        let text = ",".to_string();
        check(
            &delete,
            EditNote::SeparatorRemoved { text: text.clone() },
            "the `,` beside it went too",
        );
        check(
            &insert,
            EditNote::SeparatorAdded { text },
            "added the `,` that the place needs",
        );
        check(
            &delete,
            EditNote::WholeOf {
                node_type: "expression_statement".to_string(),
            },
            "nothing else was in the expression_statement, which went as a whole",
        );
    }
}
