//! Matches nodes by a pattern: code with placeholders, in the syntax of ast-grep. [`rule`] adds conditions.
//!
//! Input: the text of a pattern, a [`Language`], and a [`Parsed`]. Output: each [`Match`] with its captures, in file
//! order, also in embedded trees of the language. `$NAME` matches one node, `$$$NAME` any number of siblings, and a
//! name that is used twice matches equal code. Invalid patterns are refused ([`Pattern::new`]).
//!
//! A pattern has each [reading](Pattern::readings) that its language allows: `Array<$T>` is a type. Each is compared
//! token by token, so a match has no code that the pattern does not mention.

mod matching;
mod reading;
#[cfg(feature = "rules")]
pub mod rule;
mod template;

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use crate::language::Language;
use crate::parse::{Node, Parsed};
use crate::source::Span;

pub use matching::Quotes;
use matching::{Matching, Part, PatternPart, Placeholder, What, parts};
use reading::Reading;
pub(crate) use reading::{contexts, unparsed};
pub use reading::{is_data, is_prose};
pub(crate) use template::{Aligned, Token, TokenKind, placeholders, words};
pub use template::{Template, UnknownPlaceholder};

/// The maximum length of a pattern, in bytes. The matcher handles the depth of a pattern recursively.
const PATTERN_BYTES: usize = 1_000;

/// The maximum number of nodes of a file that almost match.
const NEAR_MISSES: usize = 10_000;
/// The reading of a name that is the name of a member.
const MEMBER: &str = "member";
/// The name for all readings of a pattern.
pub const ANY_READING: &str = "any";

/// A pattern for one language.
#[derive(Clone, Debug)]
pub struct Pattern {
    language: &'static Language,
    placeholders: Vec<Placeholder>,
    readings: Vec<Reading>,
    quotes: Quotes,
    /// The only reading whose matches are found.
    only: Option<&'static str>,
    /// The words and signs before its first placeholder.
    head: Vec<String>,
}

/// A match of a pattern.
#[derive(Clone, Debug)]
pub struct Match<'p> {
    /// The matched node; of several in a row, the first.
    pub node: Node<'p>,
    /// The last of the matched nodes; the same one if there is only one.
    pub last: Node<'p>,
    /// What the pattern was read as, such as `expression` or `type`. Empty for a rule.
    pub reading: &'static str,
    /// Whether it is the name of a member and also its value, as in `{ name }`.
    pub is_shorthand: bool,
    /// Each placeholder with a name, as in the pattern (`$A`, `$$$REST`), and the captured span: from the first to the last
    /// node. One that captures no node is left out. By name.
    pub captures: Vec<(String, Span)>,
    /// What the placeholders without a name (`$_`, `$$$`) match. Empty for a rule.
    pub unnamed: Vec<Span>,
    /// What the tokens of the pattern match: the bytes of each in the pattern, and its span. In the order of the pattern.
    /// Empty for a rule without one pattern for its matches.
    pub tokens: Vec<(Range<usize>, Span)>,
    /// The index of the rule in its set; 0 for a pattern.
    pub rule: usize,
    /// The message of the rule; empty if there is none.
    pub message: String,
    /// Each variable that the `transform` of the rule computes (`$NEW`), and its text. By name.
    pub transformed: Vec<(String, String)>,
}

/// All matches in a file, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Matches<'p> {
    /// In file order; an outer match precedes those inside it.
    pub found: Vec<Match<'p>>,
    /// Whether there are more matches, or a node was too complex to compare.
    pub cut: bool,
}

/// Why a pattern is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidPattern {
    /// The reason.
    pub message: String,
    /// The byte offset in the pattern.
    pub offset: usize,
}

impl Match<'_> {
    /// Returns the bytes from the first to the last matched node.
    pub fn span(&self) -> Span {
        let start = self.node.span().start();
        Span::new(start, self.last.span().end().max(start))
    }
}

impl Pattern {
    /// Returns whether the pattern is also code of the language as it is, since `$NAME` is a name there.
    pub(crate) fn is_code(&self) -> bool {
        self.readings.iter().any(|reading| reading.sign == '$')
    }

    /// Parses a pattern for a language.
    ///
    /// # Errors
    /// The pattern is too long, has a syntax error in each reading, or a placeholder is not a node of its own.
    pub fn new(text: &str, language: &'static Language) -> Result<Pattern, InvalidPattern> {
        let text = text.trim();
        check_length(text)?;
        Ok(Pattern {
            language,
            placeholders: reading::placeholders(text),
            readings: reading::readings(text, language)?,
            quotes: Quotes::default(),
            only: None,
            head: {
                let end = template::placeholders(text).next();
                let head = words(text, 0..end.map_or(text.len(), |first| first.start));
                head.into_iter()
                    .map(|word| text[word.range].to_string())
                    .collect()
            },
        })
    }

    /// Returns a valid pattern that starts with an invalid one: with its brackets closed, or with a body.
    pub fn completed(text: &str, language: &'static Language) -> Option<String> {
        reading::completed(text, language)
    }

    /// Returns the pattern of the nodes that a rule matches.
    #[cfg(feature = "rules")]
    fn of_rule(pattern: reading::RulePattern, language: &'static Language) -> Pattern {
        Pattern {
            language,
            placeholders: pattern.placeholders,
            readings: vec![Reading {
                name: "",
                parts: vec![pattern.part],
                sign: pattern.sign,
                ..Reading::default()
            }],
            quotes: Quotes::default(),
            only: None,
            head: Vec::new(),
        }
    }

    /// Returns the match at a node, if it is one.
    #[cfg(feature = "rules")]
    fn at<'p>(&self, parsed: &'p Parsed, node: Node<'p>) -> Option<Match<'p>> {
        let text = parsed.source().text();
        let mut matching = Matching::new(&self.placeholders, text, self.quotes);
        self.readings.iter().find_map(|reading| {
            let [one] = reading.parts.as_slice() else {
                return None;
            };
            let is_match = matching.is_match(one, node);
            is_match.then(|| self.matched(reading, node, node, &matching))
        })
    }

    /// Sets how strings are compared; by default by their values.
    pub fn with_quotes(mut self, quotes: Quotes) -> Pattern {
        self.quotes = quotes;
        self
    }

    /// Keeps only the reading with this name. Returns `None` if there is none.
    pub fn read_as(mut self, reading: &str) -> Option<Pattern> {
        self.only = self.readings().into_iter().find(|own| *own == reading);
        self.only.is_some().then_some(self)
    }

    /// Keeps only the readings that are one node.
    ///
    /// # Errors
    /// There is none.
    pub fn of_one_node(mut self) -> Result<Pattern, InvalidPattern> {
        self.readings.retain(|reading| reading.parts.len() == 1);
        match self.readings.is_empty() {
            false => Ok(self),
            true => Err(InvalidPattern {
                message: "it is more than one node".to_string(),
                offset: 0,
            }),
        }
    }

    /// Returns what the pattern can be read as.
    pub fn readings(&self) -> Vec<&'static str> {
        let mut all: Vec<&str> = self.readings.iter().map(|reading| reading.name).collect();
        if self.is_name() && !all.contains(&MEMBER) {
            all.push(MEMBER);
        }
        all
    }

    /// Returns whether it is a name or another single token.
    fn is_name(&self) -> bool {
        let mut readings = self.readings.iter();
        readings.any(
            |own| matches!(own.parts.as_slice(), [one] if matches!(one.what, What::Leaf { .. })),
        )
    }

    /// Returns whether a text may contain a match, as far as it shows without a parse.
    pub fn may_be_in(&self, text: &str) -> bool {
        let mut readings = self.readings.iter();
        readings.any(|own| {
            memchr::memmem::find(text.as_bytes(), literal(&own.parts).as_bytes()).is_some()
        })
    }

    /// Returns at most the first `most` matches in the file, including embedded trees of the language.
    pub fn find<'p>(&self, parsed: &'p Parsed, most: usize) -> Matches<'p> {
        let text = parsed.source().text();
        let mut matches = Matches::default();
        for reading in &self.readings {
            let literals = spans_of(literal(&reading.parts), text);
            let mut matching = Matching::new(&self.placeholders, text, self.quotes);
            matching.shorthands = reading::shorthands(self.language);
            for root in self.roots(parsed) {
                let mut found = 0;
                let add = |first, last, matching: &Matching<'_, 'p>| {
                    let one = self.matched(reading, first, last, matching);
                    if self.only.is_none_or(|only| only == one.reading) {
                        matches.found.push(one);
                        found += 1;
                    }
                    found <= most
                };
                let is_cut = find_in(root, &mut matching, reading, literals.as_deref(), add);
                matches.cut |= is_cut;
            }
        }
        // The first reading is that of the match.
        let mut known = HashSet::new();
        matches
            .found
            .retain(|one| known.insert((one.node.identity(), one.last.identity())));
        matches.sort(most);
        matches
    }

    /// Returns the trees of the language.
    fn roots<'p>(&self, parsed: &'p Parsed) -> impl Iterator<Item = Node<'p>> {
        let trees = parsed.trees_and_macros().into_iter();
        trees.filter(|root| std::ptr::eq(root.language(), self.language))
    }

    /// Returns the number of nodes that almost match, by what differs: they have further parts, are in code that is not
    /// parsed, or in other quotes. `found` has the nodes that match.
    pub fn near_misses<'p>(
        &self,
        parsed: &'p Parsed,
        found: impl Iterator<Item = Node<'p>>,
    ) -> BTreeMap<String, usize> {
        let text = parsed.source().text();
        let mut all: BTreeMap<String, usize> = BTreeMap::new();
        let mut known: HashSet<(usize, usize)> = found.map(Node::identity).collect();
        for reading in self.readings.iter().filter(|own| own.parts.len() == 1) {
            let literals = spans_of(literal(&reading.parts), text);
            let mut loose = Matching::new(&self.placeholders, text, Quotes::Any);
            loose.is_loose = true;
            for root in self.roots(parsed) {
                let add = |node: Node<'_>, _, matching: &Matching<'_, '_>| {
                    let further = matching.matched.further.first();
                    let what = match further {
                        Some(kind) => format!("with {kind}, which the pattern does not have"),
                        None => "with other quotes".to_string(),
                    };
                    let is_near = further.is_some() || self.quotes == Quotes::Exact;
                    if is_near && known.insert(node.identity()) {
                        *all.entry(what).or_default() += 1;
                    }
                    known.len() <= NEAR_MISSES
                };
                find_in(root, &mut loose, reading, literals.as_deref(), add);
            }
        }
        let unparsed = self.in_unparsed(parsed);
        if unparsed > 0 {
            all.insert(
                "in a macro, whose arguments are not parsed".to_string(),
                unparsed,
            );
        }
        all
    }

    /// Returns how often the words and signs before the first placeholder are in code that is not parsed.
    fn in_unparsed(&self, parsed: &Parsed) -> usize {
        let kinds = reading::unparsed(self.language);
        let has_word = self
            .head
            .iter()
            .any(|word| word.chars().all(char::is_alphanumeric));
        if kinds.is_empty() || !has_word {
            return 0;
        }
        let text = parsed.source().text();
        let mut open: Vec<Node<'_>> = self.roots(parsed).collect();
        let mut count = 0;
        while let Some(node) = open.pop() {
            let is_parsed = !parsed.inner(node).is_of_tree_of(node);
            if is_parsed {
                continue;
            }
            if !kinds.iter().any(|kind| kind == node.kind()) {
                open.extend(node.own_children());
                continue;
            }
            let own = words(text, node.span().range());
            let own: Vec<&str> = own.iter().map(|word| &text[word.range.clone()]).collect();
            let mut windows = own.windows(self.head.len());
            count += windows
                .by_ref()
                .filter(|window| **window == self.head)
                .count();
        }
        count
    }

    /// Returns the match of the last comparison.
    fn matched<'p>(
        &self,
        reading: &Reading,
        node: Node<'p>,
        last: Node<'p>,
        matching: &Matching<'_, 'p>,
    ) -> Match<'p> {
        let mut captures: Vec<(String, Span)> = Vec::new();
        let mut unnamed = Vec::new();
        for (index, parts) in &matching.matched.captures {
            let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
                continue;
            };
            let span = Span::new(first.span().start(), last.span().end());
            let placeholder = &self.placeholders[*index];
            let Some(name) = &placeholder.name else {
                unnamed.push(span);
                continue;
            };
            let signs = if placeholder.is_several() { "$$$" } else { "$" };
            let name = format!("{signs}{name}");
            if !captures.iter().any(|(own, _)| *own == name) {
                captures.push((name, span));
            }
        }
        captures.sort();
        let mut tokens = matching.matched.tokens.clone();
        tokens.sort_by_key(|(place, span)| (place.start, span.start()));
        let is_name =
            matches!(reading.parts.as_slice(), [one] if matches!(one.what, What::Leaf { .. }));
        let shorthands = reading::shorthands(self.language);
        let is_short = |kind: &str| shorthands.iter().any(|own| own == kind);
        let parent = node.raw().and_then(|raw| raw.parent());
        let is_in_shorthand = || parent.is_some_and(|parent| is_short(parent.kind()));
        Match {
            node,
            last,
            reading: match is_name && reading::is_member(node) {
                true => MEMBER,
                false => reading.name,
            },
            is_shorthand: is_name && (is_short(node.kind()) || is_in_shorthand()),
            captures,
            unnamed,
            tokens,
            rule: 0,
            message: String::new(),
            transformed: Vec::new(),
        }
    }
}

/// Finds the nodes that match a reading in a tree, each of which contains one of the `literals`. `add` receives the first
/// and the last node, and returns whether to go on. Returns whether a node was too complex to compare.
fn find_in<'p>(
    root: Node<'p>,
    matching: &mut Matching<'_, 'p>,
    reading: &Reading,
    literals: Option<&[Span]>,
    mut add: impl FnMut(Node<'p>, Node<'p>, &Matching<'_, 'p>) -> bool,
) -> bool {
    let contains_one = |span: Span| {
        literals.is_none_or(|literals| {
            let first = literals.partition_point(|own| own.start() < span.start());
            let first = literals.get(first);
            first.is_some_and(|own| own.end() <= span.end())
        })
    };
    let Some(raw) = root.raw() else {
        return false;
    };
    let mut is_cut = false;
    let mut visit = |node: Node<'p>| {
        if let [one] = reading.parts.as_slice() {
            let is_match = matching.may_match(one, node) && matching.is_match(one, node);
            is_cut |= matching.is_exhausted();
            return !is_match || !node.is_of_file() || add(node, node, matching);
        }
        let all = parts(node, matching.text);
        let mut at = 0;
        while at + 1 < all.len() {
            let len = matching.matching(&reading.parts, &all[at..]).unwrap_or(0);
            is_cut |= matching.is_exhausted();
            let own = &all[at..at + len];
            let first = own.first().and_then(Part::node);
            let ends = first.zip(own.last().and_then(Part::node));
            at += len.max(1);
            if ends.is_some_and(|(first, last)| !add(first, last, matching)) {
                return false;
            }
        }
        true
    };
    let mut cursor = raw.walk();
    loop {
        let node = cursor.node();
        let is_searched = contains_one(node.byte_range().into());
        if is_searched && !visit(root.in_same_tree(node)) {
            break;
        }
        if is_searched && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return is_cut;
            }
        }
    }
    is_cut
}

impl Matches<'_> {
    /// Sorts the matches and leaves out those after the first `most`.
    fn sort(&mut self, most: usize) {
        self.found.sort_by_key(|one| {
            let span = one.span();
            (span.start(), std::cmp::Reverse(span.end()))
        });
        self.cut |= self.found.len() > most;
        self.found.truncate(most);
    }
}

/// Returns the longest text that each match of a pattern contains.
fn literal(parts: &[PatternPart]) -> &str {
    let mut open: Vec<&PatternPart> = parts.iter().collect();
    let mut longest = "";
    while let Some(part) = open.pop() {
        match &part.what {
            What::Placeholder(_)
            | What::Leaf {
                is_named: false, ..
            } => {}
            What::Inner { parts, .. } => open.extend(parts),
            What::Leaf { text, .. } | What::Text { text, .. } => {
                // Strings with other quotes have the same words, and text may have other whitespace.
                let is_fixed = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\');
                for word in text.split(|c| !is_fixed(c)) {
                    if word.len() > longest.len() {
                        longest = word;
                    }
                }
            }
        }
    }
    longest
}

/// Returns where a literal is in a text, in file order; `None` if it is empty.
fn spans_of(literal: &str, text: &str) -> Option<Vec<Span>> {
    let (literal, text) = (literal.as_bytes(), text.as_bytes());
    let mut from = 0;
    let next = || {
        let start = from + memchr::memmem::find(&text[from..], literal)?;
        // Occurrences may overlap.
        from = start + 1;
        Some(Span::new(start, start + literal.len()))
    };
    (!literal.is_empty()).then(|| std::iter::from_fn(next).collect())
}

fn check_length(text: &str) -> Result<(), InvalidPattern> {
    match text.len() > PATTERN_BYTES {
        true => Err(InvalidPattern {
            message: format!("a pattern has at most {PATTERN_BYTES} bytes"),
            offset: PATTERN_BYTES,
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests;
