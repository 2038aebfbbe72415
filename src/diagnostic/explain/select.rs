//! Explains the refusals of selectors.

use crate::diagnostic::attempt::Pointing;
use crate::diagnostic::render::excerpt;
use crate::diagnostic::{CANDIDATES_SHOWN, Code, Diagnostic, Suggestion};
use crate::language::{self, GENERAL_WORDS};
use crate::locate::{FindError, around_marker};
use crate::parse::Parsed;
use crate::pattern::Pattern;
use crate::select::{Anchor, Candidate, Occurrence, SelectError, Selector};
use crate::source::Span;

use super::locate::{find_not_found, scope_refused};
use super::{
    AROUND, about_arguments, counted, places_text, quoted, scope_text, times, types_text, view,
};

/// The help for a find with `<..>` whose end does not follow its start.
const END_IS_ELSEWHERE: &str = "`<..>` only elides text with balanced brackets; the text after it must \
                                follow such text, inside the scope if there is one";

/// The help for an invalid pattern.
const PATTERN_HELP: &str = "a pattern is the code of a node or of several in a row, such as `f($A, $$$REST)` or \
                                `lock(); $$$BODY unlock();`; if a part does not parse alone, write more of the code around it";
/// The help for a pattern without a match.
const NO_SUCH_CODE: &str =
    "replace parts of the pattern by $A, or several by $$$A, or select by anchor_text";
/// The help for an anchor that resembles nothing in its file.
const NOTHING_SIMILAR: &str = "no line of the file is similar; read the file again";

/// Explains why a selector was refused.
pub(in crate::diagnostic) fn selector_refused(
    parsed: &Parsed,
    selector: &Selector,
    error: &SelectError<'_>,
    pointing: Pointing<'_>,
    suggestions: Vec<Suggestion>,
) -> Diagnostic {
    let refused = RefusedSelector::new(parsed, selector);
    let diagnostic = Diagnostic {
        suggestions,
        ..refused.explain(error, pointing)
    };
    let has_suggestion = !diagnostic.suggestions.is_empty();
    match error {
        SelectError::Ambiguous { candidates }
            if candidates.len() > diagnostic.suggestions.len() =>
        {
            diagnostic.help("nth selects one of them by its number")
        }
        SelectError::AnchorNotFound | SelectError::Find(_)
            if !has_suggestion && diagnostic.help.is_none() =>
        {
            diagnostic.help(refused.not_found_help(error))
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
            SelectError::Scope(error) => scope_refused(self.parsed, error),
            SelectError::BlankAnchor => self.blank_anchor(),
            SelectError::AnchorNotFound => self.anchor_not_found(),
            SelectError::Find(error) => self.find_not_found(error),
            SelectError::SplitsWord { matches } => self.splits_word(matches),
            SelectError::TooCommon { at_least } => self.too_common(*at_least),
            SelectError::InvalidPattern { language, why } => {
                let pattern = self.selector.anchor.as_str();
                about_invalid_text("pattern", pattern, language, &why.message, why.offset)
                    .with_code(Code::InvalidPattern)
                    .help(help_on_pattern(pattern, language))
            }
            SelectError::UnknownNodeType { name, occurrences } => {
                self.unknown_node_type(name, occurrences)
            }
            SelectError::AncestorRequired { occurrences } => {
                self.ancestor_required(occurrences, pointing)
            }
            SelectError::AncestorNotFound { occurrences } => self.ancestor_not_found(occurrences),
            SelectError::NotParsed { candidate } => self.not_parsed(candidate),
            SelectError::AnchorTooLong { candidate } => self.anchor_too_long(candidate),
            SelectError::Ambiguous { candidates } => {
                self.matches(Code::AmbiguousTarget, "", candidates)
            }
            SelectError::MatchCount {
                expected,
                candidates,
            } => {
                let given = format!("expect_matches is {expected} but ");
                let count = candidates.len();
                let help = format!(
                    "pass «expect_matches: {count}» to edit all of them, or exclude some with a scope or a longer text"
                );
                self.matches(Code::MatchCountMismatch, &given, candidates)
                    .help(help)
            }
            SelectError::NthOutOfRange { nth, candidates } => {
                let given = format!("nth is {nth} but ");
                self.matches(Code::NthOutOfRange, &given, candidates)
            }
            SelectError::OutwardOutOfRange { outward, above } => {
                let nodes = counted(above.len(), "enclosing node");
                let types = &self.types;
                let message =
                    format!("outward is {outward} but the node has only {nodes} of type {types}");
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
        let message = format!("{} contains only whitespace", self.anchor);
        Diagnostic::new(Code::InvalidArguments, message).help(match self.selector.anchor {
            Anchor::Part(_) => "pass the text to replace",
            Anchor::Pattern(_) => PATTERN_HELP,
            _ => "pass some text of the target as anchor_text",
        })
    }

    fn anchor_not_found(&self) -> Diagnostic {
        let message = format!("{} not found {}", self.anchor, self.scope);
        Diagnostic::new(Code::AnchorNotFound, message)
    }

    fn find_not_found(&self, error: &FindError) -> Diagnostic {
        let diagnostic = find_not_found(self.parsed, &self.anchor, &self.scope, error);
        match &self.selector.anchor {
            Anchor::Part(find) if around_marker(find).is_some() => diagnostic
                .help("use two equal markers to enclose the text to replace; one is only a point"),
            _ => diagnostic,
        }
    }

    /// Returns the help for an anchor that resembles nothing in its file.
    fn not_found_help(&self, error: &SelectError<'_>) -> &'static str {
        match (&self.selector.anchor, error) {
            (Anchor::Part(find), SelectError::Find(error)) if error.lacks_end(find) => {
                END_IS_ELSEWHERE
            }
            (Anchor::Pattern(_), _) => NO_SUCH_CODE,
            _ => NOTHING_SIMILAR,
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
            "{} appears at least {at_least} times {}, too often to examine each",
            self.anchor, self.scope
        );
        Diagnostic::new(Code::AmbiguousTarget, message).help(match &self.selector.anchor {
            Anchor::Text(_) | Anchor::Any(_) => "pass a longer anchor_text, or a scope",
            Anchor::Find(_) | Anchor::Part(_) => "pass a longer find, or a scope",
            Anchor::Pattern(_) => "write a more specific pattern, or pass a scope",
            Anchor::Symbol => "add a type to the symbol, or pass a text of it",
        })
    }

    fn unknown_node_type(&self, name: &str, occurrences: &[Occurrence<'_>]) -> Diagnostic {
        let quoted = quoted(name);
        let language = self.parsed.source().language().name;
        if !GENERAL_WORDS.contains(&name) {
            let message = format!(
                "ancestor_node_type {quoted} is neither a node type of {language} nor a general word"
            );
            return self.occurrences(Code::UnknownNodeType, message, occurrences);
        }
        let message =
            format!("ancestor_node_type {quoted} is a general word, but not one of {language}");
        Diagnostic {
            help: self.general_words(),
            ..self.occurrences(Code::UnknownNodeType, message, occurrences)
        }
    }

    /// Returns a text with the general words of the languages in the file.
    fn general_words(&self) -> Option<String> {
        let is_known = |word: &&str| self.parsed.languages().any(|one| one.knows_word(word));
        let words: Vec<&str> = GENERAL_WORDS.iter().copied().filter(is_known).collect();
        let text = || format!("general words that work here: {}", words.join(", "));
        (!words.is_empty()).then(text)
    }

    fn ancestor_required(
        &self,
        occurrences: &[Occurrence<'_>],
        pointing: Pointing<'_>,
    ) -> Diagnostic {
        let need = match pointing {
            Pointing::Edit(..) => "ancestor_node_type is required to edit",
            Pointing::Read => "ancestor_node_type selects the node",
        };
        let times = times(occurrences.len());
        let message = format!("{} appears {times}; {need}", self.anchor);
        self.occurrences(Code::AncestorRequired, message, occurrences)
    }

    fn ancestor_not_found(&self, occurrences: &[Occurrence<'_>]) -> Diagnostic {
        let types = &self.types;
        let message = match occurrences.len() {
            _ if self.selector.anchor == Anchor::Symbol => {
                format!("{} has no node of type {types}", self.anchor)
            }
            1 => format!(
                "no ancestor of type {types} found above anchor {}",
                quoted(self.selector.anchor.as_str())
            ),
            count => format!(
                "{} appears {count} times {} but never has an ancestor of type {types}",
                self.anchor, self.scope
            ),
        };
        Diagnostic {
            help: self.parsed.read_as_text(),
            ..self.occurrences(Code::AncestorNotFound, message, occurrences)
        }
    }

    fn not_parsed(&self, candidate: &Candidate<'_>) -> Diagnostic {
        let kind = candidate.chain.last().map_or("node", |node| node.kind());
        let message = format!(
            "{} is in the arguments of a {kind}, which are not parsed",
            self.anchor
        );
        let matched = self.matches(Code::AncestorNotFound, "", std::slice::from_ref(candidate));
        Diagnostic { message, ..matched }.help(
            "edit the text in it with «replace_text», or select the whole by text outside of its arguments",
        )
    }

    fn anchor_too_long(&self, candidate: &Candidate<'_>) -> Diagnostic {
        let message = format!("{} extends beyond the {}", self.anchor, self.types);
        let matched = self.matches(Code::AncestorNotFound, "", std::slice::from_ref(candidate));
        Diagnostic { message, ..matched }
            .help("new_content replaces only the node: leave out the text after it")
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

/// Returns an anchor with the name of its argument.
fn anchor_text(anchor: &Anchor) -> String {
    match anchor {
        Anchor::Text(text) | Anchor::Any(text) => format!("anchor_text {}", quoted(text)),
        Anchor::Find(find) | Anchor::Part(find) => format!("find {}", quoted(find)),
        Anchor::Pattern(pattern) => format!("pattern {}", quoted(pattern)),
        Anchor::Symbol => "the symbol".to_string(),
    }
}

/// Returns the help for a pattern that is invalid in a language: a valid one that starts with it, if there is one.
pub fn help_on_pattern(pattern: &str, language: &str) -> String {
    let language = language::by_name(language);
    match language.and_then(|language| Pattern::completed(pattern, language)) {
        Some(valid) => format!("this is a pattern: {}", serde_json::Value::from(valid)),
        None => PATTERN_HELP.to_string(),
    }
}

/// Explains why a query or a pattern, called `name`, is invalid for a language, with the place of the error.
pub fn about_invalid_text(
    name: &str,
    text: &str,
    language: &str,
    why: &str,
    offset: usize,
) -> Diagnostic {
    let before = &text[..text.floor_char_boundary(offset)];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let character = before[start..].chars().count() + 1;
    let rest: String = text[before.len()..].chars().take(40).collect();
    let rest = rest.lines().next().unwrap_or_default();
    about_arguments(format!(
        "{name} is invalid for {language}: {why} at {line}:{character}, before {rest:?}"
    ))
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
    let other = other.filter(|help| *help != NOTHING_SIMILAR);
    let before = other.map_or(String::new(), |help| format!("{help}; "));
    let help = format!("{before}the same text is in {places}");
    diagnostic.help(help)
}
