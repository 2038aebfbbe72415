//! Selectors that would have worked: each is resolved before it is proposed.

use crate::edit::{EditError, InsertPosition, Operation, check_editable, edit};
use crate::language::Language;
use crate::locate::{
    ELIDED, LineScope, LocateError, Scope, ScopeError, SymbolScope, between_markers,
    bounded_readings, round_marker,
};
use crate::parse::{Node, Parsed};
use crate::select::{
    self, Anchor, Candidate, Occurrence, SelectError, Selection, Selector, select, select_if_one,
};
use crate::source::Span;

use super::explain::{Attempt, Pointing};
use super::{Call, SUGGESTIONS_MADE, Suggestion, node_view};

/// How many lines of a file are compared with an anchor that was not found.
const LINES_COMPARED: usize = 20_000;
/// How many ways to lengthen an anchor are tried for one candidate.
const ANCHORS_TRIED: usize = 24;
/// How many bytes a proposed anchor may have.
const ANCHOR_BYTES: usize = 400;
/// How often a longer anchor may occur to be tried.
const OCCURRENCES_TRIED: usize = 1_000;
/// With how many of the nodes around a node its edit is tried.
const ANCESTORS_TRIED: usize = 5;

/// What would have worked instead of `selector`, likeliest first.
pub(super) fn for_selector(
    parsed: &Parsed,
    selector: &Selector,
    error: &SelectError<'_>,
    pointing: Pointing<'_>,
) -> Vec<Suggestion> {
    let mut found = Suggestions {
        parsed,
        pointing,
        made: Vec::new(),
        spans: Vec::new(),
    };
    match error {
        SelectError::Scope(error) => other_scopes(&mut found, selector, error),
        SelectError::AnchorNotFound | SelectError::Find(_) => other_anchors(&mut found, selector),
        SelectError::SplitsWord { matches } => {
            for (_, words) in matches {
                let whole = parsed.source().slice(*words).into_owned();
                let whole = Selector {
                    anchor: match &selector.anchor {
                        Anchor::Part(find) if has_signs(find) => continue,
                        Anchor::Part(_) => Anchor::Part(whole),
                        _ => Anchor::Find(whole),
                    },
                    ..selector.clone()
                };
                add_or_distinguish(&mut found, whole);
            }
        }
        SelectError::UnknownNodeType { name } => {
            for near in near_types(parsed, name) {
                add_or_distinguish(&mut found, with_type(selector, &near));
            }
            if let Ok(occurrences) = crate::select::discover(parsed, selector) {
                types_above(&mut found, selector, &occurrences, name);
            }
        }
        SelectError::AncestorRequired { occurrences } => {
            types_above(&mut found, selector, occurrences, "");
        }
        SelectError::AncestorNotFound { occurrences } => {
            if selector.scope.is_some() {
                found.add(Selector {
                    scope: None,
                    ..selector.clone()
                });
            }
            let wanted = selector
                .ancestor_node_type
                .first()
                .map_or("", String::as_str);
            nodes_below(&mut found, selector, occurrences, wanted);
            types_above(&mut found, selector, occurrences, wanted);
        }
        SelectError::Ambiguous { candidates } => {
            for (index, candidate) in candidates.iter().take(SUGGESTIONS_MADE).enumerate() {
                distinguish(&mut found, selector, candidate, index + 1);
            }
        }
        SelectError::NthOutOfRange { candidates, .. } => {
            found.add(Selector {
                nth: Some(candidates.len()),
                ..selector.clone()
            });
        }
        SelectError::OutwardOutOfRange { above, .. } => {
            found.add(Selector {
                outward: above.len(),
                ..selector.clone()
            });
        }
        SelectError::SiblingOutOfRange {
            sibling,
            before,
            after,
        } => {
            let most = if *sibling < 0 {
                -(*before as isize)
            } else {
                *after as isize
            };
            if most != 0 {
                found.add(Selector {
                    sibling: most,
                    ..selector.clone()
                });
            }
        }
        SelectError::TooCommon { .. }
        | SelectError::BlankAnchor
        | SelectError::MatchCount { .. } => {}
    }
    found.made
}

/// Whether a find bounds a part of what it matches, or elides one: another text would not say that.
fn has_signs(find: &str) -> bool {
    find.contains(ELIDED) || bounded_readings(find).len() > 1 || round_marker(find).is_some()
}

/// The nearest node around the selected one with which the same edit passes every check; it was
/// tried out.
pub(super) fn further_out(attempt: &Attempt<'_, '_>) -> Vec<Suggestion> {
    let chain = attempt.selection.chain();
    let parsed = attempt.selection.parsed();
    if attempt.selection.node().is_in_protected() {
        // A part of a string is no code to put elsewhere.
        return Vec::new();
    }
    let depths = (2..chain.len()).rev().take(ANCESTORS_TRIED);
    depths
        .filter_map(|depth| leading_to(attempt, &chain[..depth]))
        .find(|suggestion| match &suggestion.call {
            Call::Select(selector) => select(parsed, selector).is_ok_and(attempt.passes),
            _ => false,
        })
        .into_iter()
        .collect()
}

/// A selector for each of the bodies.
pub(super) fn bodies(attempt: &Attempt<'_, '_>, bodies: &[Span]) -> Vec<Suggestion> {
    let parsed = attempt.selection.parsed();
    let made = bodies.iter().filter_map(|body| {
        let mut chain = parsed.chain(*body);
        // Of nodes over the same bytes the outermost is the body.
        while chain.len() > 1 && chain[chain.len() - 2].span() == *body {
            chain.pop();
        }
        leading_to(attempt, &chain)
    });
    made.take(SUGGESTIONS_MADE).collect()
}

/// A selector that means the last node of `chain`: that of the attempt with its type, the first line
/// of the node, or what describes it.
fn leading_to(attempt: &Attempt<'_, '_>, chain: &[Node<'_>]) -> Option<Suggestion> {
    let (parsed, selector) = (attempt.selection.parsed(), attempt.selector);
    let node = *chain.last()?;
    let plain = Selector {
        nth: None,
        outward: 0,
        sibling: 0,
        ..with_type(selector, node.kind())
    };
    let mut found = Suggestions {
        parsed,
        pointing: Pointing::Edit(attempt.operation),
        made: Vec::new(),
        spans: Vec::new(),
    };
    let first_line = super::first_line(parsed, crate::select::trimmed_node(parsed, node));
    let by_first_line = Selector {
        scope: None,
        ..with_anchor_text(&plain, &first_line)
    };
    let described = std::iter::once_with(|| select::describe(parsed, chain));
    for selector in [plain, by_first_line]
        .into_iter()
        .chain(described.flatten())
    {
        let selection = select(parsed, &selector);
        if let Some(selection) = selection.ok().filter(|selection| selection.node() == node) {
            found.add_resolved(selector, &selection);
            return found.made.pop();
        }
    }
    None
}

/// Locates that would have worked instead, in string form.
pub(super) fn for_locate(
    parsed: &Parsed,
    locate: &crate::locate::Locate,
    error: &LocateError,
) -> Vec<Suggestion> {
    let mut tries = Vec::new();
    match error {
        LocateError::NothingAsked | LocateError::IndexOutOfRange { .. } => {}
        LocateError::Scope(error) => {
            for scope in scopes_instead(error) {
                tries.push(crate::locate::Locate {
                    scope: Some(scope),
                    ..locate.clone()
                });
            }
            if locate.find.is_some() {
                tries.push(crate::locate::Locate {
                    scope: None,
                    ..locate.clone()
                });
            }
        }
        LocateError::Find(error) => {
            if error.outside.is_some() {
                tries.push(crate::locate::Locate {
                    scope: None,
                    ..locate.clone()
                });
            }
            let find = locate.find.as_deref().unwrap_or_default();
            let near = crate::locate::nearly(parsed, locate.scope.as_ref(), find);
            if let Some(near) = near.unwrap_or_default().first() {
                tries.push(crate::locate::Locate {
                    find: Some(parsed.source().slice(near.span).into_owned()),
                    ..locate.clone()
                });
            }
            if let Some((prefix, _)) = &error.prefix {
                tries.push(crate::locate::Locate {
                    find: Some(prefix.clone()),
                    ..locate.clone()
                });
            }
        }
    }
    let resolved = tries.into_iter().filter_map(|one| {
        let place = crate::locate::locate(parsed, &one).ok()?;
        let at = parsed.source().position(place.point);
        let line = parsed.source().line_span(at.line)?;
        let text = super::cut(parsed.source().slice(line).trim());
        let selects = format!("{}:{} {text}", at.line, at.character);
        Some(Suggestion {
            call: Call::Locate(one.to_string()),
            selects,
        })
    });
    resolved.take(SUGGESTIONS_MADE).collect()
}

/// What was proposed so far.
struct Suggestions<'p> {
    parsed: &'p Parsed,
    /// What the proposals are for.
    pointing: Pointing<'p>,
    made: Vec<Suggestion>,
    /// The spans the proposals lead to.
    spans: Vec<Span>,
}

impl Suggestions<'_> {
    /// Proposes `selector` if it selects a node that can be edited and nothing proposed leads to
    /// the same; tells whether there is such a proposal now.
    fn add(&mut self, selector: Selector) -> bool {
        if self.made.len() >= SUGGESTIONS_MADE {
            return false;
        }
        match select_if_one(self.parsed, &selector) {
            Ok(selection) => self.add_resolved(selector, &selection),
            Err(_) => false,
        }
    }

    /// Whether something is to be inserted into the node, which has no body for it.
    fn lacks_inside(&self, selection: &Selection<'_>) -> bool {
        let Pointing::Edit(operation) = self.pointing else {
            return false;
        };
        let Operation::Insert { position, .. } = operation else {
            return false;
        };
        let is_inside = matches!(
            position,
            InsertPosition::FirstChild | InsertPosition::LastChild
        );
        let refused = || edit(selection.clone(), operation).err();
        is_inside && matches!(refused(), Some(EditError::NoInside { .. }))
    }

    /// Proposes `selector`, which selects `selection`, under the same conditions.
    fn add_resolved(&mut self, selector: Selector, selection: &Selection<'_>) -> bool {
        if self.made.len() >= SUGGESTIONS_MADE {
            return false;
        }
        if check_editable(selection).is_err() || self.lacks_inside(selection) {
            return false;
        }
        if !self.spans.contains(&selection.span()) {
            let selects = match selection.part().is_some() {
                true => {
                    let source = self.parsed.source();
                    let line = source.line_of(selection.span().start());
                    let text = super::first_line(self.parsed, selection.span());
                    format!("the text at line {line}: {text}")
                }
                false => {
                    let view = node_view(self.parsed, selection.node());
                    format!("{} at line {}: {}", view.node_type, view.line, view.text)
                }
            };
            self.spans.push(selection.span());
            self.made.push(Suggestion {
                call: Call::Select(selector),
                selects,
            });
        }
        true
    }
}

/// Proposes `selector`, or where it means several nodes, one selector for each of the first.
fn add_or_distinguish(found: &mut Suggestions<'_>, selector: Selector) {
    if let Err(SelectError::Ambiguous { candidates }) = select(found.parsed, &selector) {
        for (index, candidate) in candidates.iter().take(SUGGESTIONS_MADE).enumerate() {
            distinguish(found, &selector, candidate, index + 1);
        }
    } else {
        found.add(selector);
    }
}

fn with_type(selector: &Selector, node_type: &str) -> Selector {
    Selector {
        ancestor_node_type: vec![node_type.to_string()],
        ..selector.clone()
    }
}

fn with_anchor_text(selector: &Selector, text: &str) -> Selector {
    Selector {
        anchor: match selector.anchor {
            Anchor::Part(_) => Anchor::Part(text.to_string()),
            _ => Anchor::Text(text.to_string()),
        },
        ..selector.clone()
    }
}

fn scopes_instead(error: &ScopeError) -> Vec<Scope> {
    let symbol = |path: &Vec<String>| {
        Scope::Symbol(SymbolScope {
            symbol_path: path.clone(),
        })
    };
    match error {
        ScopeError::LineOutOfRange { line_count, .. } => LineScope::line(*line_count)
            .ok()
            .map(Scope::Lines)
            .into_iter()
            .collect(),
        ScopeError::EmptySymbolPath => Vec::new(),
        ScopeError::SymbolNotFound { nearest, .. } => nearest.iter().map(symbol).collect(),
        ScopeError::AmbiguousSymbol { found, .. } => {
            found.iter().map(|(path, ..)| symbol(path)).collect()
        }
    }
}

fn other_scopes(found: &mut Suggestions<'_>, selector: &Selector, error: &ScopeError) {
    for scope in scopes_instead(error) {
        found.add(Selector {
            scope: Some(scope),
            ..selector.clone()
        });
    }
    found.add(Selector {
        scope: None,
        ..selector.clone()
    });
}

/// The same text with other white space, in other letters, outside of the scope; then the
/// lines most like it.
fn other_anchors(found: &mut Suggestions<'_>, selector: &Selector) {
    let parsed = found.parsed;
    let anchor = selector.anchor.as_str();
    if matches!(selector.anchor, Anchor::Part(_)) && has_signs(anchor) {
        found.add(Selector {
            scope: None,
            ..selector.clone()
        });
        return;
    }
    let mut texts: Vec<String> = Vec::new();
    let mut push = |span: Span| {
        let text = parsed.source().slice(span).into_owned();
        if !texts.contains(&text) {
            texts.push(text);
        }
    };
    if let Ok(area) = crate::locate::area(parsed, selector.scope.as_ref())
        && let Ok(matches) = crate::locate::find_all(parsed, anchor, &area)
    {
        let whole = matches.iter().filter(|one| !one.splits_word);
        whole.take(SUGGESTIONS_MADE).for_each(|one| push(one.span));
        without_case(parsed, anchor)
            .filter(|span| area.contains(*span))
            .for_each(push);
    } else {
        without_case(parsed, anchor).for_each(push);
    }
    for text in texts {
        add_or_distinguish(found, with_anchor_text(selector, &text));
    }
    if selector.scope.is_some() {
        found.add(Selector {
            scope: None,
            ..selector.clone()
        });
    }
    for text in with_near_word(parsed, anchor) {
        add_or_distinguish(found, with_anchor_text(selector, &text));
    }
    for line in lines_like(parsed, anchor) {
        add_or_distinguish(found, with_anchor_text(selector, &line));
    }
}

/// Where the text stands in other letters; ASCII letters only, so that lengths agree.
fn without_case<'a>(parsed: &'a Parsed, text: &str) -> impl Iterator<Item = Span> + 'a {
    let lower = parsed.source().text().to_ascii_lowercase();
    let wanted = text.to_ascii_lowercase();
    let starts: Vec<usize> = memchr::memmem::find_iter(lower.as_bytes(), wanted.as_bytes())
        .take(SUGGESTIONS_MADE)
        .collect();
    let length = wanted.len();
    starts
        .into_iter()
        .map(move |start| Span::new(start, start + length))
}

/// The text with its longest word become one of the file that is nearly the same.
fn with_near_word(parsed: &Parsed, text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let Some(wanted) = text.split(|c| !is_word(c)).max_by_key(|word| word.len()) else {
        return Vec::new();
    };
    let lines = parsed.source().text().lines().take(LINES_COMPARED);
    let own: std::collections::BTreeSet<&str> = lines
        .flat_map(|line| line.split(|c| !is_word(c)))
        .filter(|word| word.len().abs_diff(wanted.len()) <= 2 && *word != wanted)
        .collect();
    let likeness = |word: &str| strsim::normalized_damerau_levenshtein(word, wanted);
    let mut near: Vec<(f64, &str)> = own.into_iter().map(|word| (likeness(word), word)).collect();
    near.retain(|(likeness, _)| *likeness >= 0.7);
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter()
        .take(3)
        .map(|(_, word)| text.replacen(wanted, word, 1))
        .collect()
}

/// The lines of the file most like the first line of the text, without outer white space.
fn lines_like(parsed: &Parsed, text: &str) -> Vec<String> {
    let Some(wanted) = text.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return Vec::new();
    };
    let comparable = |line: &&str| {
        let (short, long) = (line.len().min(wanted.len()), line.len().max(wanted.len()));
        short * 2 >= long && long <= 300
    };
    let mut scored: Vec<(f64, &str)> = Vec::new();
    let lines = parsed
        .source()
        .text()
        .lines()
        .take(LINES_COMPARED)
        .map(str::trim);
    for line in lines.filter(comparable) {
        let likeness = strsim::normalized_levenshtein(line, wanted);
        if likeness >= 0.6 && scored.iter().all(|(_, known)| *known != line) {
            scored.push((likeness, line));
        }
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored
        .into_iter()
        .take(SUGGESTIONS_MADE)
        .map(|(_, line)| line.to_string())
        .collect()
}

/// Types of the grammar whose name is like `name`, and the general word in it.
fn near_types(parsed: &Parsed, name: &str) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = parsed
        .languages()
        .flat_map(Language::node_types)
        .map(|own| (strsim::jaro_winkler(own, name), own.to_string()))
        .filter(|(likeness, _)| *likeness > 0.85)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.dedup();
    let words = name
        .split('_')
        .filter(|word| parsed.languages().any(|one| one.knows_word(word)));
    let words: Vec<String> = words.map(str::to_string).collect();
    scored
        .into_iter()
        .take(3)
        .map(|(_, own)| own)
        .chain(words)
        .collect()
}

/// Types that stand above the anchor and make the selection unique: those whose name is like the
/// wanted one first, then from the inside out.
fn types_above(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    occurrences: &[Occurrence<'_>],
    wanted: &str,
) {
    let mut types: Vec<&str> = Vec::new();
    let longest = occurrences
        .iter()
        .map(|one| one.chain.len())
        .max()
        .unwrap_or(0);
    for depth in 0..longest.min(super::ANCESTORS_SHOWN) {
        for occurrence in occurrences.iter().take(super::CANDIDATES_SHOWN) {
            let kind = occurrence
                .chain
                .iter()
                .rev()
                .nth(depth)
                .map(|node| node.kind());
            types.extend(kind.filter(|kind| !types.contains(kind)));
        }
    }
    let like = |kind: &str| strsim::jaro_winkler(kind, wanted) > 0.8;
    types.sort_by_key(|kind| !like(kind));
    for kind in &types {
        found.add(with_type(selector, kind));
    }
    // Where hardly a type is unique, the nearest that stands for more than a name, place by place.
    let is_name = |kind: &str| kind.contains("identifier") || kind.contains("string");
    if found.made.len() < 2
        && let Some(kind) = types.into_iter().find(|kind| !is_name(kind))
    {
        add_or_distinguish(found, with_type(selector, kind));
    }
}

/// Where the anchor stands right above nodes of the wanted type (`match code` and its arms): the
/// first of them, each by its own first line.
fn nodes_below(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    occurrences: &[Occurrence<'_>],
    wanted: &str,
) {
    const PROPOSED: usize = 3;
    const WALKED: usize = 5_000;
    let [Occurrence { chain, .. }] = occurrences else {
        return;
    };
    let Some(top) = chain.last() else {
        return;
    };
    let parsed = found.parsed;
    let mut cursor = parsed.walk(*top);
    let mut spans = Vec::new();
    for _ in 0..WALKED {
        let node = cursor.node();
        let fits = node.kind() == wanted && spans.len() < PROPOSED;
        spans.extend(fits.then(|| crate::select::trimmed_node(parsed, node)));
        if !fits && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break;
            }
        }
        if cursor.node() == *top {
            break;
        }
    }
    for span in spans {
        let text = parsed.source().slice(span);
        let line = text.lines().next().unwrap_or_default();
        found.add(with_anchor_text(selector, line));
    }
}

/// The shortest change that makes `selector` mean `candidate` alone: a longer anchor, a symbol
/// scope, and last its number.
fn distinguish(
    found: &mut Suggestions<'_>,
    selector: &Selector,
    candidate: &Candidate<'_>,
    number: usize,
) {
    let parsed = found.parsed;
    let Some(node) = candidate.chain.last() else {
        return;
    };
    let part = candidate.part.map(|part| part.span);
    let means_it = |changed: &Selector| {
        let selection = select_if_one(parsed, changed).ok();
        selection.filter(|selection| match part {
            Some(part) => selection.span() == part,
            None => selection.node() == *node,
        })
    };
    let is_rare = |text: &String| {
        let places = memchr::memmem::find_iter(parsed.source().text().as_bytes(), text.as_bytes());
        places.take(OCCURRENCES_TRIED + 1).count() <= OCCURRENCES_TRIED
    };
    let longer = longer_anchors(parsed, candidate.anchor, *node);
    let text_of = |span: Span| parsed.source().slice(span).into_owned();
    let (of_a_line, of_several): (Vec<Span>, Vec<Span>) = longer
        .into_iter()
        .partition(|span| !text_of(*span).contains(['\n', '\r']));
    let by_anchor = |spans: Vec<Span>| {
        let rare = spans.into_iter().filter(|span| is_rare(&text_of(*span)));
        rare.filter_map(|span| match part {
            Some(part) => Some(Selector {
                anchor: Anchor::Part(between_markers(&text_of(span), part, span.start())?),
                ..selector.clone()
            }),
            None => Some(with_anchor_text(selector, &text_of(span))),
        })
    };
    // A longer text may cover more than the node: the marker says which part of it is meant.
    let marked = of_a_line
        .clone()
        .into_iter()
        .filter(|span| part.is_none() && is_rare(&text_of(*span)));
    let by_marker = marked.map(|span| {
        let before = Span::new(span.start(), candidate.anchor.start().max(span.start()));
        let behind = Span::new(before.end(), span.end().max(before.end()));
        let find = format!("{}<|>{}", text_of(before), text_of(behind));
        Selector {
            anchor: Anchor::Find(find),
            ..selector.clone()
        }
    });
    let path = parsed.symbol_path(&candidate.chain);
    let by_scope = (!path.is_empty() && selector.scope.is_none()).then(|| Selector {
        scope: Some(Scope::Symbol(SymbolScope { symbol_path: path })),
        ..selector.clone()
    });
    let by_number = Selector {
        nth: Some(number),
        ..selector.clone()
    };
    let all = by_anchor(of_a_line)
        .chain(by_marker)
        .chain(by_scope)
        .chain(by_anchor(of_several))
        .chain([by_number]);
    let resolved = all
        .into_iter()
        .find_map(|changed| means_it(&changed).map(|selection| (changed, selection)));
    if let Some((changed, selection)) = resolved {
        found.add_resolved(changed, &selection);
    }
}

/// The anchor with more of its line, a word at a time, then with the line before and after.
fn longer_anchors(parsed: &Parsed, anchor: Span, node: Node<'_>) -> Vec<Span> {
    let source = parsed.source();
    let Some(line) = source.line_span(source.line_of(anchor.start())) else {
        return Vec::new();
    };
    let text = source.text();
    let line_end = source
        .line_span(source.line_of(anchor.end()))
        .map_or(line.end(), Span::end);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let ends_of_words = |from: usize, to: usize| {
        let part = &text[from..to];
        let inner = part.char_indices().filter_map(move |(offset, c)| {
            let next = part[offset + c.len_utf8()..].chars().next();
            let word_ends = is_word(c) && !next.is_some_and(is_word);
            word_ends.then_some(from + offset + c.len_utf8())
        });
        inner.chain([to]).collect::<Vec<_>>()
    };
    let starts_of_words = |from: usize, to: usize| {
        let part = &text[from..to];
        let mut starts: Vec<usize> = part
            .char_indices()
            .filter(|(offset, c)| {
                is_word(*c) && !part[..*offset].chars().next_back().is_some_and(is_word)
            })
            .map(|(offset, _)| from + offset)
            .collect();
        starts.reverse();
        starts
    };
    let mut spans: Vec<Span> = Vec::new();
    let ends = ends_of_words(anchor.end(), line_end.max(anchor.end()));
    spans.extend(ends.iter().map(|&end| Span::new(anchor.start(), end)));
    let starts = starts_of_words(line.start(), anchor.start());
    spans.extend(starts.iter().map(|&start| Span::new(start, anchor.end())));
    spans.truncate(ANCHORS_TRIED);
    spans.push(Span::new(line.start(), line_end.max(anchor.end())));
    let number = source.line_of(anchor.start());
    for (first, last) in [
        (number - 1, number),
        (number, number + 1),
        (number - 1, number + 1),
    ] {
        if let (Some(first), Some(last)) = (source.line_span(first), source.line_span(last)) {
            spans.push(Span::new(first.start(), last.end()));
        }
    }
    let own_start = crate::select::trimmed_node(parsed, node).start();
    if own_start < anchor.start() {
        spans.push(Span::new(own_start, anchor.end()));
    }
    let bare = |span: Span| {
        let text = source.slice(span);
        let start = span.start() + (text.len() - text.trim_start().len());
        Span::new(start, start + text.trim().len())
    };
    let mut spans: Vec<Span> = spans
        .into_iter()
        .map(bare)
        .filter(|span| span.len() <= ANCHOR_BYTES)
        .collect();
    spans.sort_by_key(|span| (span.len(), span.start()));
    spans.dedup();
    spans
}
