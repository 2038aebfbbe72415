//! Finds text to replace that need not be a node. Input: a find. Output: every part of a text that it matches
//! (docs/design/edit.md#replace-text).
//!
//! Two equal markers in the find bound the part; `<..>` is an elided middle. Finds that do not match are refused.

use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::marker::{BoundedReading, FindReading, bounded_readings};
use super::pattern::{Pattern, PatternMatch};
use super::{Area, FindError, MATCHES_KEPT, not_found};

/// The sign for an elided middle.
pub(crate) const ELIDED: &str = "<..>";

/// The maximum number of nodes that are examined to find the ends of the elided middles of one find.
const NODES_SEEN: usize = 1_000_000;

/// Matches with more bytes overlap: a file has fewer.
const MATCHED_BYTES: usize = 16 << 20;

/// A part of a text that a find matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) range: TextRange,
    /// The whole match of the find.
    pub(crate) found: Span,
    /// Whether the first or last word of the find is part of a longer one in the text.
    pub(crate) splits_word: bool,
}

/// A range of a text that need not be a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRange {
    /// From the first token to the last; the whole range if it contains no tokens.
    pub(crate) span: Span,
    /// The span with its whitespace: all whitespace between the markers, or the whitespace at the ends of the find
    /// that the text also has.
    pub(crate) with_blanks: Span,
    /// Whether the lines of the find are not indented as in the text, but less or with other whitespace.
    pub(crate) is_find_elsewhere: bool,
    /// The numbers of line breaks at the start and at the end of the find that the text does not have.
    pub(crate) missing_breaks: [usize; 2],
}

impl TextRange {
    /// Creates a range that is exactly `span`, without a find.
    pub(crate) fn exactly(span: Span) -> TextRange {
        TextRange {
            span,
            with_blanks: span,
            is_find_elsewhere: false,
            missing_breaks: [0, 0],
        }
    }
}

/// Returns every part of the best rank in the area, in file order; at least one.
///
/// # Errors
/// No reading of the find matches, or one matches more often than [`MATCHES_KEPT`].
pub(crate) fn parts(parsed: &Parsed, find: &str, area: &Area) -> Result<Vec<Part>, FindError> {
    let mut search = PartSearch {
        parsed,
        area,
        nodes_left: NODES_SEEN,
        gave_up: false,
        is_overlapping: false,
        too_many: None,
        unlike: None,
    };
    let mut readings = bounded_readings(find);
    // A find of two markers alone contains no text to search for.
    readings.retain(|reading| !reading.text.trim().is_empty());
    for reading in &readings {
        for finds in [Fragments::elided(reading), Some(Fragments::whole(reading))] {
            let found = finds.map_or_else(Vec::new, |finds| search.parts(&finds));
            if search.gave_up {
                return Err(not_found(parsed, &reading.text, area, true));
            }
            if search.too_many.is_some() {
                return Err(FindError {
                    too_many: search.too_many,
                    ..FindError::default()
                });
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
    }
    Err(FindError {
        whitespace: search.unlike,
        ..not_found(parsed, &readings[0].text, area, false)
    })
}

/// A find, split at its elided middles.
struct Fragments<'f> {
    texts: Vec<&'f str>,
    /// The markers, each as the index of a text and a byte offset in it.
    bounds: Option<[(usize, usize); 2]>,
}

impl<'f> Fragments<'f> {
    fn whole(reading: &'f BoundedReading) -> Fragments<'f> {
        Fragments {
            texts: vec![&reading.text],
            bounds: reading.bounds.map(|(start, end)| [(0, start), (0, end)]),
        }
    }

    /// Returns `None` if nothing is elided, or if there is no text on one side of an elided middle.
    fn elided(reading: &'f BoundedReading) -> Option<Fragments<'f>> {
        let texts: Vec<&str> = reading.text.split(ELIDED).collect();
        if texts.len() < 2 || texts.iter().any(|text| text.trim().is_empty()) {
            return None;
        }
        // Maps an offset in the find to one of its texts. No marker is inside the sign for an elided middle.
        let place = |offset: usize| {
            let mut start = 0;
            texts.iter().enumerate().find_map(|(index, text)| {
                let own = offset.checked_sub(start).filter(|own| *own <= text.len());
                start += text.len() + ELIDED.len();
                own.map(|own| (index, own))
            })
        };
        let bounds = match reading.bounds {
            Some((start, end)) => Some([place(start)?, place(end)?]),
            None => None,
        };
        Some(Fragments { texts, bounds })
    }
}

struct PartSearch<'a> {
    parsed: &'a Parsed,
    area: &'a Area,
    nodes_left: usize,
    gave_up: bool,
    is_overlapping: bool,
    /// The number of matches, if more than are kept.
    too_many: Option<usize>,
    /// The first place where the find matches except for the whitespace at a marker.
    unlike: Option<Span>,
}

impl PartSearch<'_> {
    /// Returns the parts of the best class in all spans of the area, sorted.
    fn parts(&mut self, finds: &Fragments<'_>) -> Vec<Part> {
        let text = self.parsed.source().text();
        let patterns: Vec<Pattern> = finds.texts.iter().map(|text| plain(text)).collect();
        let mut best: Option<(u8, Vec<Part>)> = None;
        for &within in &self.area.spans {
            let starts = patterns[0].matches(text, within, MATCHES_KEPT);
            let is_cut = starts.total > starts.best.len();
            // Of a find with an elided middle, only the first text occurs that often.
            self.gave_up |= !starts.complete || (is_cut && patterns.len() > 1);
            if is_cut {
                self.too_many = Some(self.too_many.unwrap_or(0) + starts.total);
            }
            let Some(class) = starts.best.first().map(PatternMatch::class) else {
                continue;
            };
            if best.as_ref().is_some_and(|(known, _)| *known < class) {
                continue;
            }
            let starts = starts.best.iter();
            // Long matches that overlap are only listed.
            let length: usize = starts.clone().map(|start| start.span.len()).sum();
            self.is_overlapping = length > MATCHED_BYTES;
            let found: Vec<Part> = starts
                .filter_map(|start| self.part_at(start, finds, &patterns[1..], within))
                .collect();
            match &mut best {
                _ if found.is_empty() => {}
                Some((known, all)) if *known == class => all.extend(found),
                _ => best = Some((class, found)),
            }
        }
        let mut parts = best.map_or_else(Vec::new, |(_, found)| found);
        parts.sort_by_key(|part| (part.range.span, part.found));
        parts.dedup();
        parts
    }

    /// Returns the part whose first text matches at `start`, if the texts after elided middles, `further`, match too.
    fn part_at(
        &mut self,
        start: &PatternMatch,
        finds: &Fragments<'_>,
        further: &[Pattern],
        within: Span,
    ) -> Option<Part> {
        let mut spans = vec![start.span];
        for pattern in further {
            spans.push(self.nearest_end(pattern, &spans, within)?);
        }
        match part(self.parsed, finds, &spans, within, start.splits_word) {
            Ok(part) if self.is_overlapping => Some(part),
            Ok(mut part) => {
                part.range.is_find_elsewhere = is_indented_otherwise(self.parsed, finds, &spans);
                Some(part)
            }
            Err(unlike) => {
                self.unlike = self.unlike.or(unlike);
                None
            }
        }
    }

    /// Returns the nearest match after `spans` with balanced text between it and the last of them, or with which
    /// everything from the first of them on is one node.
    fn nearest_end(&mut self, pattern: &Pattern, spans: &[Span], within: Span) -> Option<Span> {
        let (start, from) = (spans.first()?.start(), spans.last()?.end());
        let rest = Span::new(from, within.end());
        let mut ends = pattern.all(self.parsed.source().text(), rest);
        for end in ends.by_ref() {
            let middle = Span::new(from, end.span.start());
            let whole = Span::new(start, end.span.end());
            let fits = self.is_balanced(middle) || is_one_node(self.parsed, whole);
            // The remaining nodes were not examined.
            if self.nodes_left == 0 {
                self.gave_up = true;
                return None;
            }
            if fits && !end.splits_word {
                return Some(end.span);
            }
        }
        self.gave_up |= !ends.complete();
        None
    }

    /// Returns whether every bracket, body, list and string that begins in `middle` also ends in it, and none that began
    /// before ends in it. It may start inside a comment; only then it may end inside one.
    fn is_balanced(&mut self, middle: Span) -> bool {
        let text = self.parsed.source().text();
        let after = text[middle.end()..].chars().next();
        let before = text[..middle.start()].chars().next_back();
        let at_end = middle.end() + after.map_or(0, char::len_utf8);
        let at_start = middle.start() - before.map_or(0, char::len_utf8);
        let ends = self.parsed.chain(Span::new(middle.end(), at_end));
        let starts = self.parsed.chain(Span::new(at_start, middle.start()));
        self.nodes_left = self.nodes_left.saturating_sub(ends.len() + starts.len());
        let cuts = |node: &Node<'_>| {
            let span = self.parsed.trimmed(node.own_span());
            let is_open = middle.start() <= span.start()
                && span.start() < middle.end()
                && span.end() > middle.end();
            let is_closed = span.start() < middle.start()
                && middle.start() < span.end()
                && span.end() <= middle.end();
            is_open || is_closed
        };
        let is_comment = |node: &Node<'_>| node.is_word("comment", None);
        let in_comment = |chain: &[Node<'_>]| chain.iter().any(|one| is_comment(one) && cuts(one));
        let (starts_in, ends_in) = (in_comment(&starts), in_comment(&ends));
        let cuts_other = |one: &Node<'_>| !is_comment(one) && holds_together(*one) && cuts(one);
        if (ends_in && !starts_in) || ends.iter().chain(&starts).any(cuts_other) {
            return false;
        }
        let mut enclosing = ends.into_iter().chain(starts);
        enclosing.all(|node| self.has_pairs(node, middle))
    }

    /// Returns whether the brackets among the children of a node in `middle` are paired.
    fn has_pairs(&mut self, node: Node<'_>, middle: Span) -> bool {
        let mut cursor = self.parsed.walk(node);
        let mut depth: isize = 0;
        let mut more = cursor.goto_first_child_for_byte(middle.start());
        while more && self.nodes_left > 0 {
            let child = cursor.node();
            if child.span().start() >= middle.end() {
                break;
            }
            self.nodes_left -= 1;
            if middle.contains(child.span()) {
                depth += child.bracket();
            }
            if depth < 0 {
                return false;
            }
            more = cursor.goto_next_sibling();
        }
        depth == 0
    }
}

fn plain(text: &str) -> Pattern {
    Pattern::new(&FindReading {
        text: text.to_string(),
        marker: None,
    })
}

/// Returns the part that the matches of all fragments form.
///
/// # Errors
/// The whitespace of the text at a marker differs from that of the find; `None` if the marker has no position in the
/// match.
fn part(
    parsed: &Parsed,
    finds: &Fragments<'_>,
    spans: &[Span],
    within: Span,
    splits_word: bool,
) -> Result<Part, Option<Span>> {
    let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
        return Err(None);
    };
    let found = Span::new(first.start(), last.end());
    let (span, with_blanks) = match finds.bounds {
        Some(bounds) => marked_span(parsed, finds, spans, within, bounds)?,
        None => (found, with_outer_blanks(parsed, finds, found, within)),
    };
    Ok(Part {
        range: TextRange {
            span,
            with_blanks,
            is_find_elsewhere: false,
            missing_breaks: missing_breaks(parsed, finds, found, with_blanks),
        },
        found,
        splits_word,
    })
}

/// Returns the span between two markers, without and with the whitespace at its ends.
fn marked_span(
    parsed: &Parsed,
    finds: &Fragments<'_>,
    spans: &[Span],
    within: Span,
    [start, end]: [(usize, usize); 2],
) -> Result<(Span, Span), Option<Span>> {
    let at = |(index, offset): (usize, usize), bound: Bound| {
        let marker = Marker {
            parsed,
            text: finds.texts[index],
            offset,
            span: spans[index],
            within,
        };
        marker.point(bound)
    };
    let (start, end) = match start == end {
        true => (at(start, Bound::Both)?, at(end, Bound::Both)?),
        false => (at(start, Bound::Start)?, at(end, Bound::End)?),
    };
    let with_blanks = Span::new(start, end.max(start));
    let span = parsed.trimmed(with_blanks);
    match span.is_empty() {
        true => Ok((with_blanks, with_blanks)),
        false => Ok((span, with_blanks)),
    }
}

/// Extends `found` by the whitespace at the ends of the find that the text also has; by none of the first line's
/// indentation if the text has other one.
fn with_outer_blanks(parsed: &Parsed, finds: &Fragments<'_>, found: Span, within: Span) -> Span {
    let text = parsed.source().text();
    let first = finds.texts.first().copied().unwrap_or_default();
    let last = finds.texts.last().copied().unwrap_or_default();
    let lead = &first[..first.len() - first.trim_start().len()];
    let trail = &last[last.trim_end().len()..];
    let before = &text[within.start()..found.start()];
    let after = &text[found.end()..within.end()];
    let lead = match before.ends_with(indentation_of_first(lead)) {
        true => lead,
        false => "",
    };
    Span::new(
        found.start() - common_end(before, lead),
        found.end() + common_start(after, trail),
    )
}

/// Which end of the marked part a marker bounds; both if the part is empty.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Start,
    End,
    Both,
}

/// A marker in a fragment of a find that matches at `span`.
struct Marker<'a> {
    parsed: &'a Parsed,
    text: &'a str,
    offset: usize,
    span: Span,
    within: Span,
}

impl Marker<'_> {
    /// Returns the byte offset of the marker in the text. Whitespace in a find matches any whitespace, but marked
    /// whitespace is exact: a run that is marked, or that contains the marker, must be the same in the text, except
    /// for the kind of line break.
    ///
    /// # Errors
    /// The whitespace that the text has instead; `None` if the text has none.
    fn point(&self, bound: Bound) -> Result<usize, Option<Span>> {
        let (text, offset) = (self.text, self.offset);
        let run = Span::new(
            text[..offset].trim_end().len(),
            text.len() - text[offset..].trim_start().len(),
        );
        let is_marked = match bound {
            Bound::Start => offset < run.end(),
            Bound::End => offset > run.start(),
            Bound::Both => offset > run.start() && offset < run.end(),
        };
        if !is_marked {
            return self.resolved(offset).ok_or(None);
        }
        let all = self.parsed.source().text();
        let there = if run.start() == 0 {
            let end = self.span.start();
            let matched = common_end(&all[self.within.start()..end], &text[run.range()]);
            Span::new(end - matched, end)
        } else if run.end() == text.len() {
            let start = self.span.end();
            let matched = common_start(&all[start..self.within.end()], &text[run.range()]);
            Span::new(start, start + matched)
        } else {
            let start = self.resolved(run.start()).ok_or(None)?;
            let end = self.resolved(run.end()).ok_or(None)?;
            Span::new(start, end.max(start))
        };
        let with_line_feeds = |text: &str| text.replace("\r\n", "\n");
        if with_line_feeds(&all[there.range()]) != with_line_feeds(&text[run.range()]) {
            return Err(Some(self.whole_run(there)));
        }
        let before_marker = &text[run.start()..offset];
        Ok(there.start() + common_start(&all[there.range()], before_marker))
    }

    /// Returns all whitespace around the matched part of a run.
    fn whole_run(&self, matched: Span) -> Span {
        let all = self.parsed.source().text();
        Span::new(
            self.within.start() + all[self.within.start()..matched.start()].trim_end().len(),
            self.within.end() - all[matched.end()..self.within.end()].trim_start().len(),
        )
    }

    /// Returns the position of a marker at `offset` in the match.
    fn resolved(&self, offset: usize) -> Option<usize> {
        let pattern = Pattern::new(&FindReading {
            text: self.text.to_string(),
            marker: Some(offset),
        });
        point(self.parsed, &pattern, self.span, self.within)
    }
}

/// Returns the numbers of line breaks at the start and at the end of the find that `with_blanks` does not have around
/// `found`. Between markers all whitespace is in the text.
fn missing_breaks(
    parsed: &Parsed,
    finds: &Fragments<'_>,
    found: Span,
    with_blanks: Span,
) -> [usize; 2] {
    if finds.bounds.is_some() {
        return [0, 0];
    }
    let text = parsed.source().text();
    let breaks = |text: &str| text.matches('\n').count();
    let first = finds.texts.first().copied().unwrap_or_default();
    let last = finds.texts.last().copied().unwrap_or_default();
    let wanted = [
        breaks(&first[..first.len() - first.trim_start().len()]),
        breaks(&last[last.trim_end().len()..]),
    ];
    let there = [
        breaks(&text[with_blanks.start()..found.start()]),
        breaks(&text[found.end()..with_blanks.end()]),
    ];
    [0, 1].map(|side: usize| wanted[side].saturating_sub(there[side]))
}

/// Returns the spaces and tabs that whitespace ends with.
fn indentation_of_first(lead: &str) -> &str {
    &lead[lead.trim_end_matches([' ', '\t']).len()..]
}

/// Returns whether no line of the find is indented as in the text, and one has less or other indentation. The first line
/// counts only if the find has whitespace before it.
fn is_indented_otherwise(parsed: &Parsed, finds: &Fragments<'_>, spans: &[Span]) -> bool {
    let source = parsed.source();
    let lead =
        |line: &str| line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_string();
    let (mut equal, mut other) = (0, 0);
    let all = source.text();
    for (text, span) in finds.texts.iter().zip(spans) {
        let own = text
            .trim_end()
            .lines()
            .skip_while(|line| line.trim().is_empty());
        let first = source.line_of(span.start());
        let begins_deep = !source.indentation_at(span.start()).is_empty();
        for (number, line) in own.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let Some(there) = source.line_span(first + number) else {
                continue;
            };
            let start = match number {
                0 => span.start(),
                _ => source.trimmed_start(there).start(),
            };
            if !all[start..].starts_with(line.trim()) {
                continue;
            }
            let (own, there) = (lead(line), lead(&all[there.range()]));
            if own == there {
                // A line at column 0 below a deeper first line was also copied from the text.
                equal += usize::from(!own.is_empty() || (number > 0 && begins_deep));
            } else if number > 0 || !there.ends_with(&own) {
                other += 1;
            }
        }
    }
    equal == 0 && other > 0
}

/// Returns the position of the marker of `pattern` in its match at `span`.
fn point(parsed: &Parsed, pattern: &Pattern, span: Span, within: Span) -> Option<usize> {
    let text = parsed.source().text();
    // Whitespace at the ends of the match may be part of it.
    let start = text[..span.start()].trim_end().len().max(within.start());
    let after = &text[span.end()..];
    let blank = after.len() - after.trim_start().len();
    let end = (span.end() + blank).min(within.end());
    let mut matches = pattern.all(text, Span::new(start, end));
    let own = matches.find(|one| one.span == span);
    own.map(|own| own.point)
}

/// Returns the number of bytes at the end of `text` that equal the end of the whitespace `blanks`. All kinds of line
/// breaks are equal.
fn common_end(text: &str, blanks: &str) -> usize {
    let mut rest = text;
    for c in blanks.replace("\r\n", "\n").chars().rev() {
        let line_break = || rest.strip_suffix("\r\n");
        let stripped = match c {
            '\n' => line_break().or_else(|| rest.strip_suffix('\n')),
            c => rest.strip_suffix(c),
        };
        match stripped {
            Some(stripped) => rest = stripped,
            None => break,
        }
    }
    text.len() - rest.len()
}

/// Returns the number of bytes at the start of `text` that equal the start of the whitespace `blanks`. All kinds of
/// line breaks are equal.
fn common_start(text: &str, blanks: &str) -> usize {
    let mut rest = text;
    for c in blanks.replace("\r\n", "\n").chars() {
        let line_break = || rest.strip_prefix("\r\n");
        let stripped = match c {
            '\n' => line_break().or_else(|| rest.strip_prefix('\n')),
            c => rest.strip_prefix(c),
        };
        match stripped {
            Some(stripped) => rest = stripped,
            None => break,
        }
    }
    text.len() - rest.len()
}

/// Returns whether the start and the end of a node belong together.
fn holds_together(node: Node<'_>) -> bool {
    let opens = |child: Node<'_>| child.bracket() > 0;
    node.body().is_some()
        || node.list().is_some()
        || node.is_leaf()
        || node.is_protected()
        || node.first_child().is_some_and(opens)
}

/// Returns whether `span` is exactly one named node without trailing whitespace.
fn is_one_node(parsed: &Parsed, span: Span) -> bool {
    let chain = parsed.chain(span);
    chain
        .last()
        .is_some_and(|node| parsed.trimmed(node.own_span()) == span)
}
