//! Parses a pattern in every way in which its language allows the text: as code of its own, and in each context that
//! `queries/readings.json` lists, such as a type or a member of a class.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::Language;
use crate::parse::{Node, Parsed};
use crate::source::{Source, Span};

use super::InvalidPattern;
use super::matching::{Part, PatternPart, Placeholder, What, is_text_node, parts};
use super::template;

const FACTS: &str = include_str!("../../queries/readings.json");

/// The reading of a text that is a whole file.
const CODE: &str = "code";
/// The readings of code of its own, by what it is.
const GENERAL: [&str; 2] = ["expression", "statement"];
/// What `$` is replaced by, until the text parses and each placeholder is a node of its own.
const SIGNS: &[char] = &['$', 'µ', '_', 'Z'];
const SYNTAX_ERROR: &str = "syntax error";
const ONLY_PLACEHOLDER: &str = "it is only a placeholder";
const PART_OF_NODE: &str = "a placeholder is only a part of a node there";

/// How patterns of a language are parsed: an entry of `queries/readings.json`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Facts {
    /// Another language with the same facts, to which these are added.
    like: Option<String>,
    /// The name of each reading, and a file with `<|>` in the place of the pattern. In this order; `code` is the file
    /// itself, and the first one unless it is listed, since some grammars read a part of a function as something else.
    contexts: Vec<(String, String)>,
    /// What a placeholder may be written as where its name is not allowed, with `<|>` in its place.
    forms: Vec<String>,
    /// The types of nodes whose tokens are not parsed, such as the arguments of a macro.
    unparsed: Vec<String>,
    /// The types of nodes that are both the name of a member and its value, as in `{ name }`.
    shorthands: Vec<String>,
    /// Where a name is that of a member although its type is that of other names: the type of its parent and its field,
    /// `attribute.attribute`.
    members: Vec<String>,
    /// Whether almost any text is valid, so that a valid pattern without a match says little.
    data: bool,
    /// Whether a match says little too.
    prose: bool,
}

/// The facts by the name of the language. A test reads the file.
static ALL: LazyLock<HashMap<String, Facts>> = LazyLock::new(|| read(FACTS).unwrap_or_default());

/// A pattern as one kind of code.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    pub(super) name: &'static str,
    /// One node, or several next to each other.
    pub(super) parts: Vec<PatternPart>,
    /// Whether the pattern ends with a `;` that is not part of a node.
    pub(super) loses_sign: bool,
    /// The sign of the placeholders in the parsed text.
    pub(super) sign: char,
}

/// A pattern whose placeholders are replaced by names.
struct Composed {
    text: String,
    /// The pattern in it.
    span: Span,
    /// Each placeholder.
    places: Vec<Range<usize>>,
    /// Where each piece starts here and in the pattern.
    starts: Vec<(usize, usize)>,
}

fn read(text: &str) -> serde_json::Result<HashMap<String, Facts>> {
    let mut all: HashMap<String, Facts> = serde_json::from_str(text)?;
    let others = all.clone();
    for facts in all.values_mut() {
        let Some(like) = facts.like.as_ref().and_then(|name| others.get(name)) else {
            continue;
        };
        let own = std::mem::replace(facts, like.clone());
        facts.contexts.extend(own.contexts);
        facts.forms.extend(own.forms);
    }
    Ok(all)
}

fn facts(language: &'static Language) -> &'static Facts {
    static NONE: LazyLock<Facts> = LazyLock::new(Facts::default);
    ALL.get(language.name).unwrap_or(&NONE)
}

/// Returns the name of each reading, and the file that a pattern is parsed in.
pub(crate) fn contexts(language: &'static Language) -> Vec<(&'static str, &'static str)> {
    let listed = facts(language).contexts.iter();
    let mut all: Vec<(&str, &str)> = listed
        .map(|(name, context)| (name.as_str(), context.as_str()))
        .collect();
    if !all.iter().any(|(name, _)| *name == CODE) {
        all.insert(0, (CODE, "<|>"));
    }
    let added = language.contexts().iter();
    all.extend(added.map(|context| ("statement", *context)));
    all
}

/// Returns whether almost any text is valid in a language, as in plain data.
pub fn is_data(language: &'static Language) -> bool {
    let facts = facts(language);
    facts.data || facts.prose
}

/// Returns whether the texts of a language are prose.
pub fn is_prose(language: &'static Language) -> bool {
    facts(language).prose
}

/// Returns the types of nodes whose tokens are not parsed, such as the arguments of a macro.
pub(crate) fn unparsed(language: &'static Language) -> &'static [String] {
    &facts(language).unparsed
}

/// Returns the types of nodes that are both the name of a member and its value.
pub(super) fn shorthands(language: &'static Language) -> &'static [String] {
    &facts(language).shorthands
}

/// Returns whether a name is that of a member, although it has the type of other names.
pub(super) fn is_member(node: Node<'_>) -> bool {
    let raw = node.raw();
    let parent = raw.and_then(|raw| raw.parent());
    let (Some(raw), Some(parent)) = (raw, parent) else {
        return false;
    };
    facts(node.language()).members.iter().any(|member| {
        let (kind, field) = member.split_once('.').unwrap_or((member, ""));
        parent.kind() == kind && parent.child_by_field_name(field) == Some(raw)
    })
}

fn invalid(message: &str, offset: usize) -> InvalidPattern {
    InvalidPattern {
        message: message.to_string(),
        offset,
    }
}

/// Returns the placeholders of a pattern.
pub(super) fn placeholders(text: &str) -> Vec<Placeholder> {
    let all = template::placeholders(text).map(|range| {
        let own = &text[range];
        let name = own.trim_start_matches('$');
        let captures = !name.is_empty() && !name.starts_with('_');
        Placeholder {
            name: captures.then(|| name.to_string()),
            signs: own.len() - name.len(),
        }
    });
    all.collect()
}

const IN_BRACES: &str = " $$$BODY ";
/// What may complete the start of a statement or a definition.
const ENDS: [&str; 5] = [
    ";",
    "\n    $$$BODY",
    " { $$$BODY }",
    ":\n    $$$BODY",
    "\n$$$BODY\nend",
];

/// Returns a valid pattern that starts with an invalid one: with its brackets closed, or with a body.
pub(super) fn completed(text: &str, language: &'static Language) -> Option<String> {
    let text = text.trim();
    if template::placeholders(text).next() == Some(0..text.len()) {
        return None;
    }
    let mut closers = String::new();
    for c in text.chars() {
        match c {
            '(' => closers.insert(0, ')'),
            '[' => closers.insert(0, ']'),
            '{' => closers.insert(0, '}'),
            c if closers.starts_with(c) => drop(closers.remove(0)),
            _ => {}
        }
    }
    let first = match text.ends_with('{') {
        true => IN_BRACES,
        false => "",
    };
    let all = [first].into_iter().chain(ENDS);
    let all = all.map(|end| format!("{text}{end}{closers}"));
    let mut all = all.filter(|own| own.len() <= super::PATTERN_BYTES);
    all.find(|own| readings(own, language).is_ok())
}

/// Returns the readings of a pattern, each different from those before it.
///
/// # Errors
/// There is none. The error is that of the text as a whole file.
pub(super) fn readings(
    text: &str,
    language: &'static Language,
) -> Result<Vec<Reading>, InvalidPattern> {
    if language.grammar().is_none() {
        return Err(invalid("the language has no grammar", 0));
    }
    let mut all: Vec<Reading> = Vec::new();
    let mut of_whole = None;
    for (name, context) in contexts(language) {
        match in_context(text, name, context, language) {
            Ok(reading) => match all.iter_mut().find(|own| own.parts == reading.parts) {
                // Other contexts also allow code of its own.
                Some(same) if same.name == CODE && GENERAL.contains(&name) => same.name = name,
                Some(_) => {}
                None => all.push(reading),
            },
            Err(error) if name == CODE => of_whole = of_whole.or(Some(error)),
            Err(_) => {}
        }
    }
    if all.iter().any(|reading| !reading.loses_sign) {
        all.retain(|reading| !reading.loses_sign);
    }
    // A name matches these anyway.
    let is_shorthand = |reading: &Reading| {
        let kind = match reading.parts.as_slice() {
            [
                PatternPart {
                    what: What::Leaf { kind, .. },
                    ..
                },
            ] => *kind,
            _ => return false,
        };
        let grammar = language.grammar();
        let name = grammar.and_then(|grammar| grammar.node_kind_for_id(kind));
        name.is_some_and(|name| shorthands(language).iter().any(|own| own == name))
    };
    if !all.iter().all(is_shorthand) {
        all.retain(|reading| !is_shorthand(reading));
    }
    match of_whole {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok(all),
    }
}

/// Reads a text in a context, with the first sign with which it is valid.
fn in_context(
    text: &str,
    name: &'static str,
    context: &str,
    language: &'static Language,
) -> Result<Reading, InvalidPattern> {
    let mut furthest: Option<InvalidPattern> = None;
    for sign in SIGNS {
        match with_sign(text, context, *sign, language) {
            Ok(parts) => {
                let end = parts.last().map_or(0, |last| last.place.end);
                let rest = text.get(end..);
                return Ok(Reading {
                    name,
                    loses_sign: rest.is_some_and(|rest| rest.contains(';')),
                    parts,
                    sign: *sign,
                });
            }
            Err(error) => {
                // A sign that parses says more than one that does not.
                let rank = |one: &InvalidPattern| (one.message != SYNTAX_ERROR, one.offset);
                if furthest.as_ref().is_none_or(|one| rank(one) < rank(&error)) {
                    furthest = Some(error);
                }
            }
        }
        if !text.contains('$') {
            break;
        }
    }
    Err(furthest.unwrap_or_else(|| invalid("it cannot be parsed", 0)))
}

/// Reads a text with one sign. Where a placeholder is not allowed, each of the forms is tried, from the left.
fn with_sign(
    text: &str,
    context: &str,
    sign: char,
    language: &'static Language,
) -> Result<Vec<PatternPart>, InvalidPattern> {
    let count = template::placeholders(text).count();
    let mut chosen = vec!["<|>"; count];
    let mut first = match parsed(text, context, sign, &chosen, language) {
        Ok(parts) => return Ok(parts),
        Err(error) => error,
    };
    let mut best = first.offset;
    for index in 0..count {
        let mut own = chosen[index];
        for form in &facts(language).forms {
            chosen[index] = form;
            match parsed(text, context, sign, &chosen, language) {
                Ok(parts) => return Ok(parts),
                Err(error) if error.offset > best => {
                    (best, own) = (error.offset, form);
                }
                Err(_) => {}
            }
        }
        chosen[index] = own;
    }
    first.offset = first.offset.min(text.len());
    Err(first)
}

fn parsed(
    text: &str,
    context: &str,
    sign: char,
    forms: &[&str],
    language: &'static Language,
) -> Result<Vec<PatternPart>, InvalidPattern> {
    let composed = Composed::new(text, context, sign, forms);
    let parsed = Parsed::parse(Source::new("", language, composed.text.clone()));
    let problem = match context {
        "<|>" => first_error(&parsed),
        _ => parsed.problems().iter().map(|one| one.span.start()).min(),
    };
    if let Some(at) = problem {
        return Err(invalid(SYNTAX_ERROR, composed.offset(at)));
    }
    composed.parts(&parsed)
}

/// A pattern of a rule: one node, which may be only a placeholder.
#[cfg(feature = "rules")]
#[derive(Clone, Debug)]
pub(super) struct RulePattern {
    pub(super) part: PatternPart,
    pub(super) placeholders: Vec<Placeholder>,
    /// The code of the node.
    pub(super) code: String,
    /// The text that was parsed, and the sign of the placeholders in it.
    pub(super) parsed: String,
    pub(super) sign: char,
}

#[cfg(feature = "rules")]
impl RulePattern {
    /// Reads a pattern in its first reading; with a selector, the first node of this type in it.
    ///
    /// # Errors
    /// As [`readings`]; and it is several nodes, or has no node of the type.
    pub(super) fn new(
        text: &str,
        selector: Option<&str>,
        language: &'static Language,
    ) -> Result<RulePattern, InvalidPattern> {
        let text = text.trim();
        super::check_length(text)?;
        let all = placeholders(text);
        let of = |part: PatternPart, code: &str, parsed: String, sign| RulePattern {
            part,
            placeholders: all.clone(),
            code: code.to_string(),
            parsed,
            sign,
        };
        if let Some(selector) = selector {
            return selected(text, selector, language)
                .map(|(part, code, parsed, sign)| of(part, code, parsed, sign));
        }
        if template::placeholders(text).next() == Some(0..text.len()) && !all[0].is_several() {
            let part = PatternPart {
                what: What::Placeholder(0),
                field: None,
                place: 0..text.len(),
            };
            return Ok(of(part, text, "a".to_string(), '$'));
        }
        let mut several = None;
        for reading in readings(text, language)? {
            match <[PatternPart; 1]>::try_from(reading.parts) {
                Ok([part]) => return Ok(of(part, text, "a".to_string(), reading.sign)),
                Err(_) => several = Some(invalid("it is more than one node", 0)),
            }
        }
        Err(several.unwrap_or_else(|| invalid("it cannot be parsed", 0)))
    }
}

/// Returns the first node of a type in a text, its code, the parsed text and its sign.
#[cfg(feature = "rules")]
fn selected<'t>(
    text: &'t str,
    selector: &str,
    language: &'static Language,
) -> Result<(PatternPart, &'t str, String, char), InvalidPattern> {
    let chosen = vec!["<|>"; template::placeholders(text).count()];
    let mut refused = None;
    for sign in SIGNS {
        let composed = Composed::new(text, "<|>", *sign, &chosen);
        let parsed = Parsed::parse(Source::new("", language, composed.text.clone()));
        let mut refuse = |message: &str, at| {
            refused.get_or_insert(invalid(message, at));
        };
        if let Some(at) = first_error(&parsed) {
            refuse(SYNTAX_ERROR, composed.offset(at));
            continue;
        }
        let mut open = vec![parsed.root()];
        let node = std::iter::from_fn(|| {
            let node = open.pop()?;
            open.extend(node.own_children().into_iter().rev());
            Some(node)
        });
        let Some(node) = node.into_iter().find(|node| node.kind() == selector) else {
            refuse(&format!("it has no node of the type {selector}"), 0);
            continue;
        };
        let mut found = 0;
        let part = composed.part(&Part::Node { node, field: None }, &parsed, &mut found);
        let span = node.span();
        let inside = composed.places.iter();
        let inside = inside.filter(|place| span.contains(Span::from((*place).clone())));
        match inside.count() == found {
            true => return Ok((part, &text[composed.place(span)], composed.text, *sign)),
            false => refuse(PART_OF_NODE, composed.offset(span.start())),
        }
    }
    Err(refused.unwrap_or_else(|| invalid("it cannot be parsed", 0)))
}

impl Composed {
    fn new(text: &str, context: &str, sign: char, forms: &[&str]) -> Composed {
        let (before, after) = context.split_once("<|>").unwrap_or_default();
        let mut composed = Composed {
            text: before.to_string(),
            span: Span::at(before.len()),
            places: Vec::new(),
            starts: Vec::new(),
        };
        let mut end = 0;
        for (range, form) in template::placeholders(text).zip(forms) {
            composed.add(&text[end..range.start], end);
            let name = text[range.clone()].replace('$', sign.encode_utf8(&mut [0; 4]));
            let start = composed.text.len();
            composed.add(&form.replace("<|>", &name), range.start);
            composed.places.push(start..composed.text.len());
            end = range.end;
        }
        composed.add(&text[end..], end);
        composed.span = Span::new(before.len(), composed.text.len());
        composed.text.push_str(after);
        composed
    }

    fn add(&mut self, piece: &str, start: usize) {
        self.starts.push((self.text.len(), start));
        self.text.push_str(piece);
    }

    /// Returns the offset in the pattern for one in the text.
    fn offset(&self, at: usize) -> usize {
        let at = at.min(self.span.end());
        let own = self.starts.partition_point(|(start, _)| *start <= at);
        let (start, of_pattern) = self.starts[own.saturating_sub(1)];
        let is_place = self
            .places
            .iter()
            .any(|place| place.start == start && place.end > at);
        match is_place {
            true => of_pattern,
            false => of_pattern + at.saturating_sub(start),
        }
    }

    /// Returns the place in the pattern of a span of the text.
    fn place(&self, span: Span) -> Range<usize> {
        let start = self.offset(span.start());
        start..self.offset(span.end()).max(start)
    }

    /// Returns the pattern: one node, or several next to each other.
    fn parts(&self, parsed: &Parsed) -> Result<Vec<PatternPart>, InvalidPattern> {
        let mut found = 0;
        let nodes = self.nodes(parsed);
        let all: Vec<PatternPart> = nodes
            .iter()
            .map(|part| self.part(part, parsed, &mut found))
            .collect();
        let is_open = |part: &PatternPart| match &part.what {
            What::Placeholder(_) => true,
            What::Leaf { is_named, text, .. } => !is_named && text == ",",
            _ => false,
        };
        let is_error = |part: &Part<'_>| part.node().is_some_and(|node| node.is_error());
        if nodes.is_empty() || nodes.iter().any(is_error) {
            return Err(invalid("it is not a whole node", 0));
        }
        if all.iter().all(is_open) {
            return Err(invalid(ONLY_PLACEHOLDER, 0));
        }
        match found == self.places.len() {
            true => Ok(all),
            false => {
                let all: Vec<usize> = all.iter().flat_map(PatternPart::placeholders).collect();
                let lost = (0..self.places.len()).find(|index| !all.contains(index));
                let lost = lost.map_or(0, |index| self.offset(self.places[index].start));
                Err(invalid(PART_OF_NODE, lost))
            }
        }
    }

    /// Returns the nodes that are the whole pattern.
    fn nodes<'p>(&self, parsed: &'p Parsed) -> Vec<Part<'p>> {
        let text = parsed.source().text();
        let own = &text[self.span.range()];
        let start = self.span.start() + own.len() - own.trim_start().len();
        let span = Span::new(start, start + own.trim().len());
        let bare = |span: Span| {
            let own = text[span.range()].trim_end();
            Span::new(span.start(), span.start() + own.len())
        };
        let mut node = parsed.root();
        loop {
            let raw = node.raw().map(|raw| bare(Span::from(raw.byte_range())));
            if raw == Some(span) {
                break;
            }
            let mut inside = node.own_children().into_iter();
            let inner = inside.find(|child| {
                let own = child.raw().map(|raw| Span::from(raw.byte_range()));
                own.is_some_and(|own| own.contains(span))
            });
            let Some(inner) = inner else {
                // Several nodes.
                let all = parts(node, text);
                let inside: Vec<Part<'p>> = all
                    .into_iter()
                    .filter(|part| part.span().overlaps(span))
                    .collect();
                let is_whole = inside.iter().all(|part| span.contains(bare(part.span())));
                return match is_whole {
                    true => inside,
                    false => Vec::new(),
                };
            };
            node = inner;
        }
        // What only wraps it.
        loop {
            let children = node.own_children();
            let counts = |child: &&Node<'_>| !child.span().is_empty() && !child.is_missing();
            let mut children = children.iter().filter(counts);
            match (children.next(), children.next()) {
                // A keyword is not its statement: `return` has no operand.
                (Some(only), None) if only.is_named() && bare(only.span()) == bare(node.span()) => {
                    node = *only;
                }
                _ => break,
            }
        }
        // Statements in a row, which a node has that is nothing else.
        let all = parts(node, text);
        let is_apart = |two: &[Part<'_>]| {
            let between = text.get(two[0].span().end()..two[1].span().start());
            between.is_some_and(|between| between.contains(['\n', ';']))
        };
        let are_nodes = || {
            let mut nodes = all.iter().map(Part::node);
            nodes.all(|node| node.is_some_and(|node| node.is_named()))
        };
        match all.len() > 1 && are_nodes() && all.windows(2).all(is_apart) {
            true => all,
            false => vec![Part::Node { node, field: None }],
        }
    }

    /// Converts a part of the parsed text. Counts the placeholders in it.
    fn part(&self, part: &Part<'_>, parsed: &Parsed, found: &mut usize) -> PatternPart {
        let text = parsed.source().text();
        let span = part.span();
        let own = text[span.range()].to_string();
        let is_it = |place: &Range<usize>| {
            place.start == span.start() && place.end == span.start() + own.trim_end().len()
        };
        let placeholder = self.places.iter().position(is_it);
        let (what, field) = match part {
            Part::Node { node, field } => {
                let what = match placeholder {
                    Some(index) => {
                        *found += 1;
                        What::Placeholder(index)
                    }
                    None if node.is_leaf() => What::Leaf {
                        kind: node.kind_id(),
                        is_named: node.is_named(),
                        text: own,
                    },
                    None => What::Inner {
                        kind: node.kind_id(),
                        is_text: is_text_node(*node),
                        text: own,
                        parts: parts(*node, text)
                            .iter()
                            .map(|part| self.part(part, parsed, found))
                            .collect(),
                    },
                };
                (what, *field)
            }
            Part::Text { exact, .. } => {
                let what = match placeholder.filter(|_| *exact) {
                    Some(index) => {
                        *found += 1;
                        What::Placeholder(index)
                    }
                    None => What::Text {
                        text: own,
                        exact: *exact,
                    },
                };
                (what, None)
            }
        };
        PatternPart {
            what,
            field,
            place: self.place(span),
        }
    }
}

impl PatternPart {
    /// Returns the indices of the placeholders in it, in order.
    pub(super) fn placeholders(&self) -> Vec<usize> {
        let mut open = vec![self];
        let mut all = Vec::new();
        while let Some(part) = open.pop() {
            match &part.what {
                What::Placeholder(index) => all.push(*index),
                What::Inner { parts, .. } => open.extend(parts.iter().rev()),
                What::Leaf { .. } | What::Text { .. } => {}
            }
        }
        all
    }
}

/// Returns the offset of the first error in the node of a pattern, which is that of its text without what only wraps
/// it: a statement whose `;` is missing.
fn first_error(parsed: &Parsed) -> Option<usize> {
    let mut node = parsed.root().raw()?;
    while let Some(first) = node.child(0) {
        let rest = (1..node.child_count()).filter_map(|at| node.child(at));
        if !rest
            .clone()
            .all(|one| one.is_missing() || one.kind().is_empty())
        {
            break;
        }
        node = first;
    }
    if !node.has_error() {
        return None;
    }
    let first = parsed.problems().iter().map(|one| one.span.start()).min();
    first.or(Some(node.start_byte()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_can_be_read() {
        let facts = read(FACTS).expect("the file is valid");
        for (name, facts) in facts {
            let language = crate::language::by_name(&name);
            assert!(language.is_none_or(|own| own.name == name), "{name}");
            for (reading, context) in &facts.contexts {
                assert!(context.matches("<|>").count() == 1, "{name}: {reading}");
            }
            for form in &facts.forms {
                assert!(form.matches("<|>").count() == 1, "{name}: {form}");
            }
        }
    }
}
