//! Selects exactly one node by an anchor and an ancestor type, or returns every candidate. It also selects text that
//! need not be a node, by the one match of a pattern.
//!
//! Input: a [`Parsed`] and a [`Selector`]. Output: a [`Selection`]. Refuses with a [`SelectError`] unless exactly one
//! node matches: the *combination* of anchor and type must be unique, not the anchor alone
//! (docs/design/select.md#candidates).

mod describe;
mod find;
mod string_form;
mod symbol;

use crate::language::{GENERAL_WORDS, Language};
use crate::locate::{self, Area, FindError, Scope, ScopeError, TextRange};
use crate::parse::{Chains, Node, Parsed};
use crate::pattern::{self, InvalidPattern, Pattern};
use crate::source::{Source, Span};

pub use describe::{describe, describe_any};
pub(crate) use find::down_to;
pub use find::{
    AllFound, BadQuery, FoundNode, MATCHES_LOOKED_AT, Name, Query, Search, find, knows_type,
};
pub use string_form::SelectorSyntaxError;

/// The maximum number of nodes that all walks of one selection may visit; limits the cost of hostile input.
const WALK_BUDGET: usize = 4_000_000;

/// Selects a node or a part of a text.
///
/// Parses from the string form `scope:type@text`, whose scope and type are optional, or from the path of a symbol, whose
/// definition it then selects: `Server.handle`, `Server:impl_item`. Prints in the same form, followed by what the form cannot express (a pattern, `nth`, `outward`, `sibling`);
/// such an output does not parse back.
///
/// ```
/// use treegraft::Selector;
///
/// let selector: Selector = "Server.handle:call_expression@retry".parse()?;
/// assert_eq!(selector.anchor.as_str(), "retry");
/// assert_eq!(selector.ancestor_node_type, ["call_expression"]);
/// assert_eq!(selector.to_string(), "Server.handle:call_expression@retry");
///
/// let second = Selector { nth: Some(2), ..selector };
/// assert_eq!(second.to_string(), "Server.handle:call_expression@retry (nth: 2)");
/// # Ok::<(), treegraft::SelectorSyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The text to start from.
    pub anchor: Anchor,
    /// The node types to walk up to. The first type with a candidate decides. Empty to discover the types.
    pub ancestor_node_type: Vec<String>,
    /// The part of the file that must contain the anchor.
    pub scope: Option<Scope>,
    /// Chooses one of several candidates, counted from 1 in file order.
    pub nth: Option<usize>,
    /// Then selects the n-th enclosing node of the same type.
    pub outward: usize,
    /// Then selects the n-th named sibling after the node, or before it if negative.
    pub sibling: isize,
}

/// The text that a selection starts from.
///
/// ```
/// use treegraft::{Anchor, Selector, read};
///
/// let text = "fn f() {\n    g(h(1));\n}\n";
/// let inner = Selector {
///     anchor: Anchor::Find("g ( <|>h".to_string()),
///     ..Selector::new("", "call_expression")
/// };
/// assert_eq!(read("a.rs", text, &inner)?.text, "h(1)");
/// # Ok::<(), treegraft::Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Anchor {
    /// Exact text anywhere in the file. Its line breaks match those of the file.
    Text(String),
    /// A token-aware pattern, which may contain a marker.
    Find(String),
    /// A token-aware pattern whose match itself is selected, not a node. Two equal markers bound a part of it; `<..>`
    /// is an elided middle.
    Part(String),
    /// A [pattern] of code. Without a node type, the matched node itself is selected.
    Pattern(String),
    /// The text after the `@` of a place: exact text, or if the scope does not contain it, a pattern of code (with a
    /// `$CAPTURE`), or a token-aware pattern. [`Selector::in_file`] decides.
    Any(String),
    /// The symbol of the scope: its definition without attached nodes.
    Symbol,
}

impl Selector {
    /// Creates a selector from an anchor text and an ancestor type.
    pub fn new(anchor_text: &str, ancestor_node_type: &str) -> Selector {
        Selector {
            anchor: Anchor::Text(anchor_text.to_string()),
            ancestor_node_type: vec![ancestor_node_type.to_string()],
            scope: None,
            nth: None,
            outward: 0,
            sibling: 0,
        }
    }

    /// Creates a selector of the text that a pattern matches, for
    /// [`Operation::ReplaceText`](crate::edit::Operation::ReplaceText).
    pub fn part(find: &str) -> Selector {
        Selector {
            anchor: Anchor::Part(find.to_string()),
            ancestor_node_type: Vec::new(),
            scope: None,
            nth: None,
            outward: 0,
            sibling: 0,
        }
    }
}

impl Anchor {
    /// Returns the text or pattern as given; nothing for a symbol.
    pub fn as_str(&self) -> &str {
        match self {
            Anchor::Text(text)
            | Anchor::Find(text)
            | Anchor::Part(text)
            | Anchor::Pattern(text)
            | Anchor::Any(text) => text,
            Anchor::Symbol => "",
        }
    }
}

/// Exactly one node with its ancestors; or a part of a text with its enclosing nodes.
#[derive(Clone, Debug)]
pub struct Selection<'p> {
    parsed: &'p Parsed,
    chain: Vec<Node<'p>>,
    anchor: Span,
    selected: Selected,
}

/// What is selected: the last node of the chain, or a range of text inside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    Node,
    Text(TextRange),
}

impl<'p> Selection<'p> {
    fn from_candidate(parsed: &'p Parsed, candidate: Candidate<'p>) -> Selection<'p> {
        Selection {
            parsed,
            chain: candidate.chain,
            anchor: candidate.anchor,
            selected: candidate.selected,
        }
    }

    /// Returns the selection of a node.
    pub(crate) fn of_node(parsed: &'p Parsed, node: Node<'p>) -> Selection<'p> {
        Selection {
            parsed,
            chain: down_to(parsed, node),
            anchor: node.span(),
            selected: Selected::Node,
        }
    }

    /// Returns the selection of the last node of another chain.
    pub(crate) fn of_chain(&self, chain: Vec<Node<'p>>) -> Selection<'p> {
        Selection {
            parsed: self.parsed,
            chain,
            anchor: self.anchor,
            selected: Selected::Node,
        }
    }

    /// Returns the text and tree of the selection.
    pub fn parsed(&self) -> &'p Parsed {
        self.parsed
    }

    /// Returns the selected node; for a part of a text, the smallest enclosing named node.
    pub fn node(&self) -> Node<'p> {
        *self.chain.last().expect("a selection ends with its node")
    }

    /// Returns the named nodes from the root down to that node.
    pub fn chain(&self) -> &[Node<'p>] {
        &self.chain
    }

    /// Returns the byte span of the node without trailing whitespace, or the span of the part.
    pub fn span(&self) -> Span {
        match self.selected {
            Selected::Text(range) => range.span,
            Selected::Node => trimmed_node(self.parsed, self.node()),
        }
    }

    /// Returns what is selected.
    pub(crate) fn selected(&self) -> Selected {
        self.selected
    }

    /// Returns whether text is selected, not a node.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self.selected, Selected::Text(_))
    }

    /// Returns the span of the anchor.
    pub fn anchor(&self) -> Span {
        self.anchor
    }
}

/// One occurrence of the anchor with its enclosing nodes.
#[derive(Clone, Debug)]
pub struct Occurrence<'p> {
    /// The occurrence, without whitespace and `,` `;` at its ends.
    pub anchor: Span,
    /// The named nodes that contain it and are inside the scope, outermost first.
    pub chain: Vec<Node<'p>>,
}

/// A node, or a part of a text, that the selector matches.
#[derive(Clone, Debug)]
pub struct Candidate<'p> {
    /// The occurrence of the anchor; for a part of a text, the whole match of the pattern.
    pub anchor: Span,
    /// The named nodes from the root down to the candidate.
    pub chain: Vec<Node<'p>>,
    pub(crate) selected: Selected,
}

impl Candidate<'_> {
    /// Returns the sort key for file order, in which enclosing nodes precede the nodes inside them.
    fn file_order(&self) -> (usize, std::cmp::Reverse<usize>, usize) {
        let node = self.chain.last().expect("a candidate ends with its node");
        let span = node.span();
        (
            span.start(),
            std::cmp::Reverse(span.end()),
            self.chain.len(),
        )
    }

    /// Returns the span of the text, or `None` for a node.
    pub(crate) fn text_span(&self) -> Option<Span> {
        match self.selected {
            Selected::Text(range) => Some(range.span),
            Selected::Node => None,
        }
    }
}

impl<'p> From<Selection<'p>> for Candidate<'p> {
    fn from(selection: Selection<'p>) -> Candidate<'p> {
        Candidate {
            anchor: selection.anchor,
            chain: selection.chain,
            selected: selection.selected,
        }
    }
}

/// Why a selector does not select exactly one node.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError<'p> {
    /// The scope does not resolve.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The anchor is only whitespace (`invalid_arguments`).
    #[error("the anchor contains only whitespace")]
    BlankAnchor,
    /// The anchor text does not occur in the scope (`anchor_not_found`).
    #[error("the anchor text was not found")]
    AnchorNotFound,
    /// The pattern does not match in the scope (`find_not_found`).
    #[error(transparent)]
    Find(FindError),
    /// The pattern matches only inside longer words (`splits_word`).
    #[error("the pattern only matches inside a longer word")]
    SplitsWord {
        /// Each match with the span of the words that it splits.
        matches: Vec<(Span, Span)>,
    },
    /// The pattern is not code of a language of the file (`invalid_pattern`).
    #[error("the pattern is invalid for {language}: {why}")]
    InvalidPattern {
        /// The language of the file.
        language: &'static str,
        /// The reason.
        why: InvalidPattern,
    },
    /// The type is neither in the grammar nor a general word of the language (`unknown_node_type`).
    #[error("unknown node type {name}")]
    UnknownNodeType {
        /// The type as given.
        name: String,
        /// Each occurrence of the anchor.
        occurrences: Vec<Occurrence<'p>>,
    },
    /// No type was given (`ancestor_required` for edits).
    #[error("no node type was given")]
    AncestorRequired {
        /// Every occurrence of the anchor.
        occurrences: Vec<Occurrence<'p>>,
    },
    /// No occurrence has an ancestor of the type (`ancestor_not_found`).
    #[error("none of {} occurrences has an ancestor of the type", .occurrences.len())]
    AncestorNotFound {
        /// Every occurrence of the anchor.
        occurrences: Vec<Occurrence<'p>>,
    },
    /// The anchor contains code after the only node of the type that it overlaps (`ancestor_not_found`).
    #[error("the anchor extends beyond the node")]
    AnchorTooLong {
        /// The node.
        candidate: Candidate<'p>,
    },
    /// The anchor is in code that is not parsed, such as the arguments of a macro, so a general word cannot mean the node that
    /// contains this code (`ancestor_not_found`).
    #[error("the anchor is in code that is not parsed")]
    NotParsed {
        /// The node that contains the code.
        candidate: Candidate<'p>,
    },
    /// The selector matches more than one node (`ambiguous_target`).
    #[error("the selector matches {} nodes", .candidates.len())]
    Ambiguous {
        /// Every node, in file order.
        candidates: Vec<Candidate<'p>>,
    },
    /// The selector matches more or fewer nodes than expected (`match_count_mismatch`).
    #[error("the selector matches {} nodes, not {expected}", .candidates.len())]
    MatchCount {
        /// The expected number.
        expected: usize,
        /// Every node, in file order.
        candidates: Vec<Candidate<'p>>,
    },
    /// The anchor has too many occurrences to examine each (`ambiguous_target`).
    #[error("the anchor occurs at least {at_least} times")]
    TooCommon {
        /// The number of occurrences that were counted.
        at_least: usize,
    },
    /// There are fewer candidates than `nth` (`nth_out_of_range`).
    #[error("nth is {nth} but the selector matches {} nodes", .candidates.len())]
    NthOutOfRange {
        /// The requested number.
        nth: usize,
        /// Every candidate, in file order.
        candidates: Vec<Candidate<'p>>,
    },
    /// There are fewer enclosing nodes of the type than `outward` (`nth_out_of_range`).
    #[error("outward is {outward} but there are {} enclosing nodes of the type", .above.len())]
    OutwardOutOfRange {
        /// The requested number.
        outward: usize,
        /// The enclosing nodes of the type, nearest first.
        above: Vec<Node<'p>>,
    },
    /// There are fewer named siblings than `sibling` (`nth_out_of_range`).
    #[error("sibling is {sibling} but the node has {before} siblings before and {after} after it")]
    SiblingOutOfRange {
        /// The requested number.
        sibling: isize,
        /// The number of named siblings before the node.
        before: usize,
        /// The number of named siblings after the node.
        after: usize,
    },
}

#[cfg(feature = "disk")]
impl SelectError<'_> {
    /// Returns whether the selector matches nothing, and how much of it does, from 0 for the most: the anchor, the scope
    /// or nothing. `None` means that it matches something.
    pub(crate) fn no_match(&self) -> Option<usize> {
        match self {
            SelectError::AncestorNotFound { .. }
            | SelectError::AnchorTooLong { .. }
            | SelectError::NotParsed { .. }
            | SelectError::SplitsWord { .. } => Some(0),
            SelectError::UnknownNodeType { .. } => Some(1),
            SelectError::AnchorNotFound => Some(2),
            SelectError::Find(error) if error.too_many.is_none() && !error.gave_up => Some(2),
            SelectError::Scope(
                ScopeError::LineOutOfRange { .. } | ScopeError::SymbolNotFound { .. },
            ) => Some(3),
            SelectError::InvalidPattern { .. } => Some(4),
            _ => None,
        }
    }
}

/// A wanted node type: a type of the grammar, or a general word of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted<'s> {
    Type(&'s str),
    Word(&'s str),
    /// A type of the grammar with the name of a general word. The smallest node that covers the anchor may have
    /// either: `#[inline]` is an attribute in Rust, although its grammar gives this type only to the part in brackets.
    /// Around and inside it, the type takes precedence: `class` is an expression in JavaScript.
    TypeOrWord(&'s str),
}

/// Selects the one node that `selector` matches.
///
/// # Errors
/// The selector does not match exactly one node; [`SelectError::AncestorRequired`] if it has no type.
pub fn select<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
) -> Result<Selection<'p>, SelectError<'p>> {
    select_of(parsed, selector, usize::MAX)
}

/// Selects the node of a type at `span` (without trailing whitespace) again, after a change in
/// another part of the text. Returns `None` if the node no longer exists.
pub(crate) fn at<'p>(parsed: &'p Parsed, span: Span, node_type: &str) -> Option<Selection<'p>> {
    let mut chain = parsed.chain(span);
    let depth = chain
        .iter()
        .rposition(|node| node.kind() == node_type && trimmed_node(parsed, *node) == span)?;
    chain.truncate(depth + 1);
    Some(Selection {
        parsed,
        chain,
        anchor: span,
        selected: Selected::Node,
    })
}

/// Selects again what `first` selected, at `span` after a change in another part of the text.
/// Returns `None` if it no longer exists.
pub(crate) fn again<'p>(
    parsed: &'p Parsed,
    span: Span,
    first: &Selection<'_>,
) -> Option<Selection<'p>> {
    let Selected::Text(range) = first.selected else {
        return at(parsed, span, first.node().kind());
    };
    // Other edits may have removed some of the whitespace around it.
    let source = parsed.source();
    let preceding = source.trimmed_end(Span::new(0, span.start()));
    let rest = source.trimmed_start(Span::new(span.end(), source.len()));
    let before =
        (range.span.start() - range.with_blanks.start()).min(span.start() - preceding.end());
    let after = (range.with_blanks.end() - range.span.end()).min(rest.start() - span.end());
    let with_blanks = Span::new(span.start() - before, span.end() + after);
    let is_whole = |offset| source.is_char_boundary(offset);
    let with_blanks = match is_whole(with_blanks.start()) && is_whole(with_blanks.end()) {
        true => with_blanks,
        false => span,
    };
    let breaks =
        |source: &Source, start, end| source.slice(Span::new(start, end)).matches('\n').count();
    let around = |source: &Source, span: Span, with_blanks: Span| {
        [
            breaks(source, with_blanks.start(), span.start()),
            breaks(source, span.end(), with_blanks.end()),
        ]
    };
    let was = around(first.parsed.source(), range.span, range.with_blanks);
    let now = around(source, span, with_blanks);
    let missing = |side: usize| range.missing_breaks[side] + was[side].saturating_sub(now[side]);
    Some(Selection {
        parsed,
        chain: parsed.chain(span),
        anchor: span,
        selected: Selected::Text(TextRange {
            span,
            with_blanks,
            missing_breaks: [missing(0), missing(1)],
            ..range
        }),
    })
}

/// Selects all text in `span`, regardless of its nodes.
pub(crate) fn all_of(parsed: &Parsed, span: Span) -> Selection<'_> {
    Selection {
        parsed,
        chain: parsed.chain(span),
        anchor: span,
        selected: Selected::Text(TextRange::exactly(span)),
    }
}

/// Returns every node, or part of a text, that `selector` matches: at least one.
///
/// # Errors
/// As [`select`], except that several matches are no error.
pub fn select_each<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
) -> Result<Vec<Selection<'p>>, SelectError<'p>> {
    let selector = &*selector.in_file(parsed);
    match select(parsed, selector) {
        Ok(selection) => Ok(vec![selection]),
        Err(SelectError::Ambiguous { candidates }) => {
            all_like_their_anchors(parsed, selector, &candidates)?;
            let candidates = candidates.into_iter();
            Ok(candidates
                .map(|one| Selection::from_candidate(parsed, one))
                .collect())
        }
        Err(error) => Err(error),
    }
}

/// Returns every node, or part of a text, that `selector` matches.
///
/// # Errors
/// As [`select`], and [`SelectError::MatchCount`] if the number of matches is not `expected`.
pub fn select_all<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
    expected: usize,
) -> Result<Vec<Selection<'p>>, SelectError<'p>> {
    let selector = &*selector.in_file(parsed);
    let candidates = match select(parsed, selector) {
        Ok(selection) if expected == 1 => return Ok(vec![selection]),
        Ok(selection) => vec![Candidate::from(selection)],
        Err(SelectError::Ambiguous { candidates }) => candidates,
        Err(error) => return Err(error),
    };
    all_like_their_anchors(parsed, selector, &candidates)?;
    match candidates.len() == expected {
        true => Ok(candidates
            .into_iter()
            .map(|one| Selection::from_candidate(parsed, one))
            .collect()),
        false => Err(SelectError::MatchCount {
            expected,
            candidates,
        }),
    }
}

/// Selects as [`select`] does, but returns at most two candidates: for callers that only check whether a selector
/// matches.
pub(crate) fn select_if_one<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
) -> Result<Selection<'p>, SelectError<'p>> {
    let enough = if selector.nth.is_none() {
        2
    } else {
        usize::MAX
    };
    select_of(parsed, selector, enough)
}

/// Selects as [`select`] does, but stops searching once there are `enough` candidates.
fn select_of<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
    enough: usize,
) -> Result<Selection<'p>, SelectError<'p>> {
    let selector = &*selector.in_file(parsed);
    if let Anchor::Part(find) = &selector.anchor {
        let candidates = parts(parsed, selector, find)?;
        return pick(candidates, selector.nth, parsed);
    }
    if selector.anchor == Anchor::Symbol {
        return of_symbol(parsed, selector);
    }
    if let Anchor::Pattern(pattern) = &selector.anchor
        && selector.ancestor_node_type.is_empty()
    {
        let (area, nodes) = pattern_nodes(parsed, selector, pattern)?;
        let candidate = |node: Node<'p>| Candidate {
            anchor: trimmed_node(parsed, node),
            chain: down_to(parsed, node),
            selected: Selected::Node,
        };
        let candidates = nodes.into_iter().map(candidate).collect();
        let picked = pick(candidates, selector.nth, parsed)?;
        let wanted = Wanted::Type(picked.node().kind());
        let further = outward(parsed, &area, picked, wanted, selector.outward)?;
        return sibling(parsed, further, selector.sibling);
    }
    let (area, anchors) = anchors(parsed, selector)?;
    let wanted = wanted_types(parsed, &selector.ancestor_node_type).map_err(|name| {
        SelectError::UnknownNodeType {
            name: name.to_string(),
            occurrences: occurrences(parsed, &area, &anchors),
        }
    })?;
    if wanted.is_empty() {
        return Err(SelectError::AncestorRequired {
            occurrences: occurrences(parsed, &area, &anchors),
        });
    }
    let mut budget = WALK_BUDGET;
    let mut refused = None;
    for wanted in wanted {
        let candidates = candidates(parsed, &area, &anchors, wanted, enough, &mut budget)?;
        let chosen = match (selector.nth, candidates.as_slice()) {
            (Some(nth), all) => nth.checked_sub(1).and_then(|index| all.get(index)),
            (None, [one]) => Some(one),
            (None, _) => None,
        };
        let refusal = chosen.and_then(|one| unlike_its_anchor(parsed, selector, &candidates, one));
        if refusal.is_some() {
            refused = refused.or(refusal);
            continue;
        }
        if candidates.is_empty() {
            continue;
        }
        let picked = pick(candidates, selector.nth, parsed)?;
        let further = outward(parsed, &area, picked, wanted, selector.outward)?;
        return sibling(parsed, further, selector.sibling);
    }
    Err(refused.unwrap_or_else(|| SelectError::AncestorNotFound {
        occurrences: occurrences(parsed, &area, &anchors),
    }))
}

/// Selects the definition of the symbol in the scope of `selector`.
fn of_symbol<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
) -> Result<Selection<'p>, SelectError<'p>> {
    let area = locate::area(parsed, selector.scope.as_ref())?;
    let nodes = symbol::nodes(parsed, &area.symbols);
    let occurrences = |nodes: Vec<Vec<Node<'p>>>| {
        let nodes = nodes.into_iter();
        let occurrence = |chain: Vec<Node<'p>>| {
            Some(Occurrence {
                anchor: trimmed_node(parsed, *chain.last()?),
                chain,
            })
        };
        nodes.filter_map(occurrence).collect::<Vec<_>>()
    };
    let wanted = wanted_types(parsed, &selector.ancestor_node_type).map_err(|name| {
        SelectError::UnknownNodeType {
            name: name.to_string(),
            occurrences: occurrences(nodes.clone()),
        }
    })?;
    let is_one = |chain: &Vec<Node<'p>>| {
        let mut wanted = wanted.iter();
        wanted.len() == 0 || wanted.any(|one| is_wanted(parsed, &area, chain, *one))
    };
    let (found, others): (Vec<_>, Vec<_>) = nodes.into_iter().partition(is_one);
    if found.is_empty() {
        let occurrences = occurrences(others);
        return Err(SelectError::AncestorNotFound { occurrences });
    }
    let candidate = |one: Occurrence<'p>| Candidate {
        anchor: one.anchor,
        chain: one.chain,
        selected: Selected::Node,
    };
    let candidates = occurrences(found).into_iter().map(candidate);
    let picked = pick(candidates.collect(), selector.nth, parsed)?;
    let kind = Wanted::Type(picked.node().kind());
    let further = outward(parsed, &area, picked, kind, selector.outward)?;
    sibling(parsed, further, selector.sibling)
}

/// Refuses candidates, all of which are selected, if one is not what its anchor means.
fn all_like_their_anchors<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
    candidates: &[Candidate<'p>],
) -> Result<(), SelectError<'p>> {
    let mut refusals = candidates.iter();
    let refusal = refusals.find_map(|one| unlike_its_anchor(parsed, selector, candidates, one));
    refusal.map_or(Ok(()), Err)
}

/// Returns why one of the candidates is probably not the node that its anchor means, if no other has this anchor.
fn unlike_its_anchor<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
    candidates: &[Candidate<'p>],
    one: &Candidate<'p>,
) -> Option<SelectError<'p>> {
    let is_other = |other: &&Candidate<'_>| other.anchor == one.anchor;
    let node = one.chain.last()?;
    if one.text_span().is_some() || candidates.iter().filter(is_other).count() > 1 {
        return None;
    }
    let candidate = one.clone();
    if extends_beyond(parsed, one) {
        return Some(SelectError::AnchorTooLong { candidate });
    }
    let mut types = selector.ancestor_node_type.iter();
    let is_word = types.all(|name| name != node.kind());
    (is_word && is_in_unparsed(parsed, one)).then_some(SelectError::NotParsed { candidate })
}

/// Returns whether an anchor is in the part of its node that is not parsed, and the node contains nothing else than this part and
/// what it belongs to: the arguments of a macro.
fn is_in_unparsed(parsed: &Parsed, candidate: &Candidate<'_>) -> bool {
    let Some(node) = candidate.chain.last() else {
        return false;
    };
    let kinds = pattern::unparsed(node.language());
    let chain = parsed.chain(candidate.anchor);
    let is_parsed = |one: &Node<'_>| !parsed.inner(*one).is_of_tree_of(*one);
    let is_unparsed =
        |one: &Node<'_>| kinds.iter().any(|kind| kind == one.kind()) && !is_parsed(one);
    let Some(part) = chain.iter().position(is_unparsed) else {
        return false;
    };
    let holder = part
        .checked_sub(1)
        .map(|above| trimmed_node(parsed, chain[above]));
    let own = trimmed_node(parsed, *node);
    let inside = chain[part].span();
    let is_inside =
        inside.start() < candidate.anchor.start() && candidate.anchor.end() < inside.end();
    let text = |span: Span| {
        parsed
            .source()
            .slice(span)
            .trim_end_matches(';')
            .to_string()
    };
    is_inside && holder.is_some_and(|holder| own.contains(holder) && text(own) == text(holder))
}

/// Returns whether an anchor contains lines after its node: more than separators and closing brackets. New content for the node
/// would contain them too.
fn extends_beyond(parsed: &Parsed, candidate: &Candidate<'_>) -> bool {
    let Some(node) = candidate.chain.last() else {
        return false;
    };
    let end = trimmed_node(parsed, *node).end();
    let rest = Span::new(end.min(candidate.anchor.end()), candidate.anchor.end());
    let rest = parsed.source().slice(rest);
    let is_sign = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | ']' | '}');
    let lines = rest.split_once('\n').map_or("", |(_, lines)| lines);
    !lines.trim_matches(is_sign).is_empty()
}

/// Returns the area of the scope and every node in it that a pattern matches, in file order: at least one.
fn pattern_nodes<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
    pattern: &str,
) -> Result<(Area, Vec<Node<'p>>), SelectError<'p>> {
    if pattern.trim().is_empty() {
        return Err(SelectError::BlankAnchor);
    }
    let area = locate::area(parsed, selector.scope.as_ref())?;
    let mut nodes: Vec<Node<'p>> = Vec::new();
    let mut invalid = None;
    let mut is_valid = false;
    for language in pattern_languages(parsed) {
        let one_node = Pattern::new(pattern, language).and_then(Pattern::of_one_node);
        let pattern = match one_node {
            Ok(pattern) => pattern,
            Err(why) => {
                invalid.get_or_insert(SelectError::InvalidPattern {
                    language: language.name,
                    why,
                });
                continue;
            }
        };
        is_valid = true;
        if !pattern.may_be_in(parsed.source().text()) {
            continue;
        }
        let matches = pattern.find(parsed, MATCHES_LOOKED_AT);
        if matches.cut {
            let at_least = matches.found.len();
            return Err(SelectError::TooCommon { at_least });
        }
        nodes.extend(matches.found.into_iter().map(|one| one.node));
    }
    if let Some(invalid) = invalid.filter(|_| !is_valid) {
        return Err(invalid);
    }
    nodes.retain(|node| area.contains(trimmed_node(parsed, *node)));
    nodes.sort_by_key(|node| (node.span().start(), std::cmp::Reverse(node.span().end())));
    match nodes.is_empty() {
        true => Err(SelectError::AnchorNotFound),
        false => Ok((area, nodes)),
    }
}

/// Returns the languages of a file in which a pattern is read: its own, and the embedded ones with a grammar.
fn pattern_languages(parsed: &Parsed) -> Vec<&'static Language> {
    let mut languages: Vec<&'static Language> = vec![parsed.source().language()];
    for language in parsed.languages() {
        if language.grammar().is_some() && !languages.contains(&language) {
            languages.push(language);
        }
    }
    languages
}

/// Returns every part of the text that the pattern matches in the scope, in file order.
fn parts<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
    find: &str,
) -> Result<Vec<Candidate<'p>>, SelectError<'p>> {
    if find.trim().is_empty() {
        return Err(SelectError::BlankAnchor);
    }
    let area = locate::area(parsed, selector.scope.as_ref())?;
    let parts = locate::parts(parsed, find, &area).map_err(|error| match error.too_many {
        Some(at_least) => SelectError::TooCommon { at_least },
        None => SelectError::Find(error),
    })?;
    // The markers of a point say where in the word it is.
    let is_point = matches!(parts.as_slice(), [only] if only.range.span.is_empty());
    if !is_point && parts.iter().any(|one| one.splits_word) {
        let of_words = |one: &locate::Part| (one.found, whole_words(parsed, one.found));
        return Err(SelectError::SplitsWord {
            matches: parts.iter().map(of_words).collect(),
        });
    }
    let candidate = |one: locate::Part| Candidate {
        anchor: one.found,
        chain: parsed.chain(one.range.span),
        selected: Selected::Text(one.range),
    };
    Ok(parts.into_iter().map(candidate).collect())
}

/// Returns every occurrence of the selector's anchor with its enclosing nodes, for a caller that does not know the
/// type yet.
///
/// # Errors
/// The anchor or the scope is not found.
pub fn discover<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
) -> Result<Vec<Occurrence<'p>>, SelectError<'p>> {
    let (area, anchors) = anchors(parsed, selector)?;
    Ok(occurrences(parsed, &area, &anchors))
}

/// Returns the span of a node without leading and trailing whitespace, unless that is part of a string.
pub(crate) fn trimmed_node(parsed: &Parsed, node: Node<'_>) -> Span {
    let bare = parsed.trimmed(node.own_span());
    match bare != node.span() && node.is_in_protected() {
        true => node.own_span(),
        false => bare,
    }
}

/// Returns which of `names` the language has, in order, or the first name that no language of the file has.
fn wanted_types<'s>(parsed: &Parsed, names: &'s [String]) -> Result<Vec<Wanted<'s>>, &'s str> {
    let mut wanted = Vec::new();
    for name in names {
        let own = wanted_of_name(parsed, name);
        if own.is_empty() {
            return Err(name);
        }
        wanted.extend(own);
    }
    Ok(wanted)
}

/// Returns what the languages of the file call `name`, in the order in which it is searched for.
fn wanted_of_name<'s>(parsed: &Parsed, name: &'s str) -> Vec<Wanted<'s>> {
    let is_type = name == "ERROR" || parsed.languages().any(|one| one.has_node_type(name));
    let is_word =
        GENERAL_WORDS.contains(&name) && parsed.languages().any(|one| one.knows_word(name));
    match (is_type, is_word) {
        (true, true) => vec![Wanted::TypeOrWord(name), Wanted::Word(name)],
        (true, false) => vec![Wanted::Type(name)],
        (false, true) => vec![Wanted::Word(name)],
        (false, false) => Vec::new(),
    }
}

/// Returns the area of the scope and every occurrence of the anchor in it, trimmed.
fn anchors<'p>(
    parsed: &'p Parsed,
    selector: &Selector,
) -> Result<(Area, Vec<Span>), SelectError<'p>> {
    let selector = &*selector.in_file(parsed);
    if selector.anchor != Anchor::Symbol && selector.anchor.as_str().trim().is_empty() {
        return Err(SelectError::BlankAnchor);
    }
    if let Anchor::Pattern(pattern) = &selector.anchor {
        let (area, nodes) = pattern_nodes(parsed, selector, pattern)?;
        let spans = nodes.into_iter().map(|node| trimmed_node(parsed, node));
        return Ok((area, spans.collect()));
    }
    let area = locate::area(parsed, selector.scope.as_ref())?;
    let spans = match &selector.anchor {
        Anchor::Text(text) | Anchor::Any(text) => {
            let spans = occurrences_of_text(parsed, text, &area);
            if spans.is_empty() {
                return Err(SelectError::AnchorNotFound);
            }
            spans
                .into_iter()
                .map(|span| trimmed_anchor(parsed, span))
                .collect()
        }
        Anchor::Symbol => {
            let nodes = symbol::nodes(parsed, &area.symbols).into_iter();
            let nodes = nodes.filter_map(|chain| chain.last().copied());
            nodes.map(|node| trimmed_node(parsed, node)).collect()
        }
        Anchor::Find(find) | Anchor::Part(find) | Anchor::Pattern(find) => {
            let matches = locate::find_all(parsed, find, &area).map_err(SelectError::Find)?;
            if matches.iter().any(|one| one.splits_word) {
                let of_words = |one: &locate::FindMatch| (one.span, whole_words(parsed, one.span));
                return Err(SelectError::SplitsWord {
                    matches: matches.iter().map(of_words).collect(),
                });
            }
            let at = |one: &locate::FindMatch| match one.marked {
                true => token_at(parsed, one.point),
                false => trimmed_anchor(parsed, one.span),
            };
            matches.iter().map(at).collect()
        }
    };
    Ok((area, spans))
}

/// Returns every occurrence of the exact text in the area. Its line breaks match any kind of line break, since a
/// caller does not see whether a file has `\n` or `\r\n`.
fn occurrences_of_text(parsed: &Parsed, text: &str, area: &Area) -> Vec<Span> {
    let lf = text.replace("\r\n", "\n");
    let mut forms = vec![lf.clone()];
    if lf.contains('\n') {
        forms.push(lf.replace('\n', "\r\n"));
    }
    let mut spans: Vec<Span> = Vec::new();
    for form in &forms {
        let finder = memchr::memmem::Finder::new(form.as_bytes());
        for own in &area.spans {
            let mut from = own.start();
            let within = &parsed.source().text().as_bytes()[..own.end()];
            while let Some(found) = finder.find(&within[from..]) {
                let start = from + found;
                spans.push(Span::new(start, start + form.len()));
                // Occurrences may overlap: the next search starts one character later.
                from = start + form.chars().next().map_or(1, char::len_utf8);
            }
        }
    }
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// Returns the occurrence without whitespace and `,` `;` at its ends; if it has nothing else, without whitespace
/// only.
fn trimmed_anchor(parsed: &Parsed, span: Span) -> Span {
    let bare = trimmed(parsed, span, |c| c.is_whitespace() || c == ',' || c == ';');
    match bare.is_empty() {
        true => trimmed(parsed, span, char::is_whitespace),
        false => bare,
    }
}

fn trimmed(parsed: &Parsed, span: Span, outer: impl Fn(char) -> bool) -> Span {
    let text = parsed.source().slice(span);
    let without_end = text.trim_end_matches(&outer);
    let bare = without_end.trim_start_matches(&outer);
    match bare.is_empty() {
        true => Span::at(span.start()),
        false => {
            let start = span.start() + (without_end.len() - bare.len());
            Span::new(start, start + bare.len())
        }
    }
}

/// Returns the character after the marker, or the one before it if whitespace or the end follows.
fn token_at(parsed: &Parsed, point: usize) -> Span {
    let text = parsed.source().text();
    let after = text[point..].chars().next();
    let before = text[..point].chars().next_back();
    match (after, before) {
        (Some(c), _) if !c.is_whitespace() => Span::new(point, point + c.len_utf8()),
        (_, Some(c)) if !c.is_whitespace() => Span::new(point - c.len_utf8(), point),
        _ => Span::at(point),
    }
}

/// Extends `span` to whole words at both ends.
fn whole_words(parsed: &Parsed, span: Span) -> Span {
    let text = parsed.source().text();
    let of_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let before: usize = text[..span.start()]
        .chars()
        .rev()
        .take_while(of_word)
        .map(char::len_utf8)
        .sum();
    let after: usize = text[span.end()..]
        .chars()
        .take_while(of_word)
        .map(char::len_utf8)
        .sum();
    Span::new(span.start() - before, span.end() + after)
}

/// Returns the occurrences with their enclosing nodes, limited to the area if it bounds the walk.
fn occurrences<'p>(parsed: &'p Parsed, area: &Area, anchors: &[Span]) -> Vec<Occurrence<'p>> {
    let mut passed = 0;
    let mut occurrences = Vec::new();
    let mut chains = parsed.chains();
    for &anchor in anchors {
        let mut chain = chains.at(anchor);
        passed += chain.len();
        if area.bounds_walk {
            chain.retain(|node| area.contains(trimmed_node(parsed, *node)));
        }
        occurrences.push(Occurrence { anchor, chain });
        if passed > WALK_BUDGET {
            break;
        }
    }
    occurrences
}

/// Returns the distinct nodes of the wanted type that the anchors select, in file order. Stops once there are
/// `enough`.
fn candidates<'p>(
    parsed: &'p Parsed,
    area: &Area,
    anchors: &[Span],
    wanted: Wanted<'_>,
    enough: usize,
    budget: &mut usize,
) -> Result<Vec<Candidate<'p>>, SelectError<'p>> {
    let mut candidates: Vec<Candidate<'p>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut chains = parsed.chains();
    for (counted, &anchor) in anchors.iter().enumerate() {
        if candidates.len() >= enough {
            break;
        }
        let chain = chains.at(anchor);
        *budget = budget.saturating_sub(chain.len());
        let found = at_anchor(parsed, area, anchor, chain, wanted, &chains, budget);
        if *budget == 0 {
            return Err(SelectError::TooCommon {
                at_least: counted + 1,
            });
        }
        for chain in found {
            let node = chain.last().expect("a candidate ends with its node");
            if seen.insert(node.identity()) {
                candidates.push(Candidate {
                    anchor,
                    chain,
                    selected: Selected::Node,
                });
            }
        }
    }
    candidates.sort_by_key(Candidate::file_order);
    Ok(candidates)
}

/// Returns the nodes that one occurrence selects (docs/design/select.md#candidates), each with its ancestors. `chains`
/// is at the occurrence. The nodes that are visited below the chain are subtracted from the budget.
fn at_anchor<'p>(
    parsed: &'p Parsed,
    area: &Area,
    anchor: Span,
    mut chain: Vec<Node<'p>>,
    wanted: Wanted<'_>,
    chains: &Chains<'p>,
    budget: &mut usize,
) -> Vec<Vec<Node<'p>>> {
    let fits = |chain: &[Node<'p>]| is_wanted(parsed, area, chain, wanted);
    // A node that is all of the anchor is meant rather than the nodes in it.
    let is_whole = |depth: &usize| trimmed_node(parsed, chain[*depth - 1]) == anchor;
    let whole = (1..=chain.len()).rev().take_while(is_whole);
    let mut covering = whole.chain([chain.len()]);
    let covering = match wanted {
        Wanted::TypeOrWord(word) => {
            let is_word =
                |depth: &usize| is_wanted(parsed, area, &chain[..*depth], Wanted::Word(word));
            let of_type = covering.clone().find(|depth| fits(&chain[..*depth]));
            of_type.or_else(|| covering.find(is_word))
        }
        Wanted::Type(_) | Wanted::Word(_) => covering.find(|depth| fits(&chain[..*depth])),
    };
    if let Some(depth) = covering {
        chain.truncate(depth);
        return vec![chain];
    }
    let mut found = inside(parsed, &chain, anchor, chains, &fits, budget);
    while !chain.is_empty() {
        chain.pop();
        if fits(&chain) {
            found.push(chain);
            break;
        }
    }
    found
}

/// Returns whether the last node of the chain has the wanted type and is inside the area.
fn is_wanted(parsed: &Parsed, area: &Area, chain: &[Node<'_>], wanted: Wanted<'_>) -> bool {
    let Some((node, above)) = chain.split_last() else {
        return false;
    };
    let of_type = match wanted {
        Wanted::Type(name) | Wanted::TypeOrWord(name) => node.kind() == name,
        Wanted::Word(word) => node.is_word(word, above.last().copied()),
    };
    of_type && (!area.bounds_walk || area.contains(trimmed_node(parsed, *node)))
}

/// Returns the matching nodes below the last of the chain that contain tokens of the anchor.
fn inside<'p>(
    parsed: &'p Parsed,
    chain: &[Node<'p>],
    anchor: Span,
    chains: &Chains<'p>,
    fits: &impl Fn(&[Node<'p>]) -> bool,
    budget: &mut usize,
) -> Vec<Vec<Node<'p>>> {
    let has_children = |top: &&Node<'p>| parsed.inner(**top).child_count() > 0;
    let Some(top) = chain.last().filter(has_children) else {
        return Vec::new();
    };
    let mut found: Vec<Vec<Node<'p>>> = Vec::new();
    let Some(mut cursor) = chains.below(*top, anchor) else {
        return found;
    };
    let mut path = MatchingPath::new(chain);
    loop {
        *budget = budget.saturating_sub(1);
        if *budget == 0 {
            return found;
        }
        let node = cursor.node();
        let is_beyond = node.span().start() >= anchor.end();
        if !is_beyond && node.span().overlaps(anchor) {
            path.push(node, fits);
            if cursor.goto_first_child_for_byte(anchor.start()) {
                path.descend();
                continue;
            }
            if let Some(candidate) = path.innermost_match()
                && found
                    .last()
                    .is_none_or(|last| last.last() != candidate.last())
            {
                found.push(candidate.to_vec());
            }
        }
        loop {
            path.leave_node();
            if !is_beyond && cursor.goto_next_sibling() {
                break;
            }
            if !path.ascend() || !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// The path of a cursor below a node, with the nodes on it that match.
struct MatchingPath<'p> {
    /// The named nodes from the root to the cursor.
    nodes: Vec<Node<'p>>,
    /// The number of `nodes` above the cursor at each depth: anonymous nodes are not among them.
    lengths: Vec<usize>,
    /// The lengths of `nodes` at which it ends with a matching node.
    matching: Vec<usize>,
}

impl<'p> MatchingPath<'p> {
    fn new(chain: &[Node<'p>]) -> MatchingPath<'p> {
        MatchingPath {
            nodes: chain.to_vec(),
            lengths: vec![chain.len()],
            matching: Vec::new(),
        }
    }

    /// Adds the node at the cursor.
    fn push(&mut self, node: Node<'p>, fits: &impl Fn(&[Node<'p>]) -> bool) {
        if node.is_named() {
            self.nodes.push(node);
            if fits(&self.nodes) {
                self.matching.push(self.nodes.len());
            }
        }
    }

    /// Removes the node at the cursor, if it was added.
    fn leave_node(&mut self) {
        let length = *self.lengths.last().expect("the top level remains");
        self.nodes.truncate(length);
        while self.matching.last().is_some_and(|end| *end > length) {
            self.matching.pop();
        }
    }

    /// Follows the cursor to a child.
    fn descend(&mut self) {
        self.lengths.push(self.nodes.len());
    }

    /// Follows the cursor to the parent; returns false at the top.
    fn ascend(&mut self) -> bool {
        self.lengths.pop();
        !self.lengths.is_empty()
    }

    /// Returns the nodes down to the innermost matching one.
    fn innermost_match(&self) -> Option<&[Node<'p>]> {
        self.matching.last().map(|length| &self.nodes[..*length])
    }
}

fn pick<'p>(
    mut candidates: Vec<Candidate<'p>>,
    nth: Option<usize>,
    parsed: &'p Parsed,
) -> Result<Selection<'p>, SelectError<'p>> {
    let index = match nth {
        None if candidates.len() == 1 => 0,
        None => return Err(SelectError::Ambiguous { candidates }),
        Some(nth) if nth >= 1 && nth <= candidates.len() => nth - 1,
        Some(nth) => return Err(SelectError::NthOutOfRange { nth, candidates }),
    };
    Ok(Selection::from_candidate(
        parsed,
        candidates.swap_remove(index),
    ))
}

fn outward<'p>(
    parsed: &'p Parsed,
    area: &Area,
    mut selection: Selection<'p>,
    wanted: Wanted<'_>,
    outward: usize,
) -> Result<Selection<'p>, SelectError<'p>> {
    if outward == 0 {
        return Ok(selection);
    }
    let of_type: Vec<usize> = (1..selection.chain.len())
        .rev()
        .filter(|&length| is_wanted(parsed, area, &selection.chain[..length], wanted))
        .collect();
    match of_type.get(outward - 1) {
        Some(&length) => {
            selection.chain.truncate(length);
            Ok(selection)
        }
        None => {
            let above = of_type
                .iter()
                .map(|length| selection.chain[length - 1])
                .collect();
            Err(SelectError::OutwardOutOfRange { outward, above })
        }
    }
}

fn sibling<'p>(
    parsed: &'p Parsed,
    mut selection: Selection<'p>,
    sibling: isize,
) -> Result<Selection<'p>, SelectError<'p>> {
    if sibling == 0 {
        return Ok(selection);
    }
    let node = selection
        .chain
        .pop()
        .expect("a selection ends with its node");
    let siblings: Vec<Node<'p>> = match selection.chain.last() {
        Some(parent) => {
            let mut children = parsed.children(*parent);
            children.retain(|child| child.is_named());
            children
        }
        None => vec![node],
    };
    let own = siblings.iter().position(|one| *one == node).unwrap_or(0);
    let taken = own
        .checked_add_signed(sibling)
        .and_then(|index| siblings.get(index));
    match taken {
        Some(taken) => {
            selection.chain.push(*taken);
            Ok(Selection {
                parsed,
                ..selection
            })
        }
        None => Err(SelectError::SiblingOutOfRange {
            sibling,
            before: own,
            after: siblings.len().saturating_sub(own + 1),
        }),
    }
}
