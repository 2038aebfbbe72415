//! Token-aware matching (docs/design/locate.md#matching). Input: a reading of a find. Output: its matches in a text,
//! either the best class or all in file order.
//!
//! Whitespace is flexible, words and operators are exact, and nothing is a regular expression. Refuses nothing, but
//! stops when a hostile text requires too much work, and reports that ([`Matches::complete`]).
//!
//! A search first looks for the longest token and compares the text around it, which is fast unless both the find and
//! the text are repetitive. If that requires too much work, it lists all places where the same tokens follow each other,
//! at a cost that is linear in the text. The places whose text is exactly that of the find, or that of a match, match
//! without a comparison. Only the other places are compared token by token. So a search stops early only if many
//! places have the tokens of the find with various other whitespace.

use std::ops::Range;

use memchr::arch::all::{is_equal, is_prefix, is_suffix};
use memchr::memmem::Finder;

use super::marker::FindReading;
use super::overlapping::occurrences;
use crate::source::Span;
use crate::steps;

/// A find to search for: its tokens, the whitespace between them, and the position of its marker.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    text: String,
    tokens: Vec<Token>,
    /// The whitespace before each token and after the last one. The first and the last are the outer ends.
    gaps: Vec<Spacing>,
    point: MarkerPosition,
}

/// One match of a pattern. Offsets are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PatternMatch {
    /// From the first token to the last; the whitespace if the pattern has no token.
    pub(crate) span: Span,
    /// The position of the marker; the start of the match without one.
    pub(crate) point: usize,
    /// Whether the first or last word of the find is part of a longer one in the text.
    pub(crate) splits_word: bool,
    /// Whether the text has a line break where the find has none.
    pub(crate) crosses_newline: bool,
    /// Whether the text lacks whitespace that the find has next to an operator.
    pub(crate) drops_blank: bool,
}

/// The matches of the best class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matches {
    /// The first matches in file order, up to the requested limit.
    pub(crate) best: Vec<PatternMatch>,
    /// The number of matches in this class.
    pub(crate) total: usize,
    /// Whether the whole text was searched. Otherwise there may be more matches, and better ones.
    pub(crate) complete: bool,
}

/// The longest prefix of a pattern that occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prefix {
    /// The number of tokens in the prefix.
    pub(crate) tokens: usize,
    /// The text of the prefix in the find.
    pub(crate) text: String,
    /// Its best match.
    pub(crate) found: PatternMatch,
}

/// A word or an operator, with its byte range in the pattern's text.
#[derive(Clone, Debug)]
struct Token {
    range: Range<usize>,
    is_word: bool,
}

/// The whitespace that the text must have between two tokens, or at an outer end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spacing {
    /// An outer end without requirements.
    Open,
    /// Any amount of whitespace.
    Loose,
    /// At least one whitespace character.
    Blank {
        /// Whether the find has a line break here.
        has_newline: bool,
        /// Whether no whitespace is accepted as a second choice.
        may_be_missing: bool,
    },
}

/// The position of the marker in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerPosition {
    /// At a byte offset in a token.
    Into { token: usize, bytes: usize },
    /// At the end of a token.
    After(usize),
    /// At the start of the match, including whitespace at the start of the find.
    Front,
    /// At the end of the match, including whitespace at the end of the find.
    Back,
}

/// How many bytes one search may examine, for each byte of the scope.
const WORK_PER_BYTE: usize = 128;

/// How many bytes a search may examine even in the smallest scope.
const WORK_AT_LEAST: usize = 1 << 20;

/// How many bytes of these it examines around the occurrences of its anchor token, for each byte of the scope, before it
/// lists the places that have all tokens. Only a repetitive find in a repetitive text needs more than a few.
const WORK_AT_ANCHORS: usize = 16;

impl Pattern {
    /// Creates the pattern of one reading of a find.
    pub(crate) fn new(reading: &FindReading) -> Pattern {
        let text = reading.text.clone();
        let tokens = tokens(&text);
        let gaps = gaps(&text, &tokens, reading.marker);
        let point = match reading.marker {
            Some(marker) => point(&text, &tokens, marker),
            None if tokens.is_empty() => MarkerPosition::Front,
            None => MarkerPosition::Into { token: 0, bytes: 0 },
        };
        Pattern {
            text,
            tokens,
            gaps,
            point,
        }
    }

    /// Returns the matches of the best class in the part `within` of `text`: the first `limit` matches, and the
    /// number of all.
    ///
    /// The best class is the lowest by (splits a word, crosses a line break, drops whitespace). Text next to `within`
    /// determines whether a word is split, but is not matched.
    pub(crate) fn matches(&self, text: &str, within: Span, limit: usize) -> Matches {
        let mut search = self.all(text, within);
        let mut best: Vec<PatternMatch> = Vec::with_capacity(limit.min(16));
        let mut total = 0;
        let mut best_class = None;
        for found in search.by_ref() {
            let class = found.class();
            if best_class.is_none_or(|best| class < best) {
                best_class = Some(class);
                best.clear();
                total = 0;
            }
            if best_class == Some(class) {
                total += 1;
                if best.len() < limit {
                    best.push(found);
                }
            }
        }
        Matches {
            best,
            total,
            complete: search.complete(),
        }
    }

    /// Returns the matches of every class in the part `within` of `text`, in file order.
    pub(crate) fn all<'a>(&'a self, text: &'a str, within: Span) -> PatternSearch<'a> {
        self.search(text, within, work_for(within))
    }

    /// Returns the matches that are found by examining at most `work` bytes.
    fn search<'a>(&'a self, text: &'a str, within: Span, work: usize) -> PatternSearch<'a> {
        let anchor = self.anchor();
        let places = anchor.map_or(Places::Blanks, |index| {
            let token = &self.text[self.tokens[index].range.clone()];
            Places::Anchors {
                anchor: index,
                finder: Box::new(Finder::new(token)),
                step: token.chars().next().map_or(1, char::len_utf8),
                stop_at: work.saturating_sub(WORK_AT_ANCHORS * within.len().max(1 << 10)),
            }
        });
        PatternSearch {
            pattern: self,
            text,
            within,
            places,
            next: Some(within.start()),
            verbatim: anchor.and_then(|index| self.verbatim(index)),
            work,
        }
    }

    /// Returns whether the whitespace at its ends does not count.
    fn has_open_ends(&self) -> bool {
        [self.gaps.first(), self.gaps.last()] == [Some(&Spacing::Open); 2]
    }

    /// Returns the exact text of the find, relative to its token `anchor`; `None` if the whitespace at its ends
    /// counts.
    fn verbatim(&self, anchor: usize) -> Option<Verbatim<'_>> {
        if !self.has_open_ends() {
            return None;
        }
        let (start, end) = (
            self.tokens.first()?.range.start,
            self.tokens.last()?.range.end,
        );
        let point = match self.point {
            MarkerPosition::Into { token, bytes } => self.tokens[token].range.start + bytes,
            MarkerPosition::After(token) => self.tokens[token].range.end,
            MarkerPosition::Front => start,
            MarkerPosition::Back => end,
        };
        Some(Verbatim {
            find: &self.text.as_bytes()[start..end],
            anchor: self.tokens[anchor].range.start - start,
            anchor_end: self.tokens[anchor].range.end - start,
            point: point - start,
            crosses_newline: false,
            drops_blank: false,
        })
    }

    /// Returns the longest prefix of the tokens that occurs in the part `within` of `text`: `None` if the first token
    /// does not occur, all tokens if only outer whitespace is missing. A prefix counts as missing if its search
    /// requires too much work.
    pub(crate) fn longest_prefix_found(&self, text: &str, within: Span) -> Option<Prefix> {
        // If a prefix occurs, so does every shorter one. A binary search, which shares the work of one search.
        let mut work = work_for(within);
        let (mut held, mut missing) = (0, self.tokens.len() + 1);
        while missing - held > 1 && work > 0 {
            let middle = held + (missing - held) / 2;
            let prefix = self.prefix(middle);
            let mut search = prefix.search(text, within, work);
            if search.next().is_some() {
                held = middle;
            } else {
                missing = middle;
            }
            work = search.work;
        }
        if held == 0 {
            return None;
        }
        let prefix = self.prefix(held);
        let found = *prefix.matches(text, within, 1).best.first()?;
        Some(Prefix {
            tokens: held,
            text: prefix.text,
            found,
        })
    }

    /// Returns the first `count` tokens (at least one) as a pattern without outer whitespace.
    fn prefix(&self, count: usize) -> Pattern {
        let start = self.tokens[0].range.start;
        let end = self.tokens[count - 1].range.end;
        Pattern::new(&FindReading {
            text: self.text[start..end].to_string(),
            marker: None,
        })
    }

    /// Returns the token to search for: the longest one, which is probably the rarest. Of several, the first one
    /// costs the least work at places that do not match.
    fn anchor(&self) -> Option<usize> {
        let lengths = self.tokens.iter().map(|token| token.range.len());
        let longest = lengths.enumerate().rev().max_by_key(|(_, length)| *length);
        longest.map(|(index, _)| index)
    }

    /// Returns the position of the marker if it belongs to token `index`, which starts at `start`.
    fn point_in(&self, index: usize, start: usize) -> Option<usize> {
        match self.point {
            MarkerPosition::Into { token, bytes } if token == index => Some(start + bytes),
            MarkerPosition::After(token) if token == index => {
                Some(start + self.tokens[index].range.len())
            }
            _ => None,
        }
    }

    fn token_bytes(&self, index: usize) -> &[u8] {
        &self.text.as_bytes()[self.tokens[index].range.clone()]
    }
}

impl PatternMatch {
    /// Returns a match of the best class at `span`, with its point at the start.
    fn at(span: Span) -> PatternMatch {
        PatternMatch {
            span,
            point: span.start(),
            splits_word: false,
            crosses_newline: false,
            drops_blank: false,
        }
    }

    /// Returns the class of the match; lower is better. Matches are ranked by class, then by start.
    pub(crate) fn class(&self) -> u8 {
        u8::from(self.splits_word) << 2
            | u8::from(self.crosses_newline) << 1
            | u8::from(self.drops_blank)
    }
}

/// The matches of a pattern of every class, in file order.
///
/// There is at most one match for each start: a token matches only its own text, and a gap matches all whitespace
/// there.
pub(crate) struct PatternSearch<'a> {
    pattern: &'a Pattern,
    text: &'a str,
    within: Span,
    places: Places<'a>,
    /// The offset to continue from; `None` after the whole text was searched.
    next: Option<usize>,
    /// The exact text of the find, which usually matches, or the exact text of the last match.
    verbatim: Option<Verbatim<'a>>,
    /// The number of bytes that may still be examined.
    work: usize,
}

/// The places to examine.
enum Places<'a> {
    /// The whitespace, if the pattern has no token.
    Blanks,
    /// The occurrences of one token.
    Anchors {
        /// The index of the token.
        anchor: usize,
        finder: Box<Finder<'a>>,
        /// The length of its first character.
        step: usize,
        /// The remaining work at which all places are listed instead.
        stop_at: usize,
    },
    /// The places that have all tokens, with any whitespace between them, from the last to the next one. Their text is
    /// compared with the listed texts first.
    Listed {
        starts: Vec<usize>,
        texts: Vec<ListedText<'a>>,
    },
}

/// A text that matches, with its occurrences.
struct ListedText<'a> {
    verbatim: Verbatim<'a>,
    /// Its occurrences, from the last to the next one.
    starts: Vec<usize>,
}

/// The bytes from the first token of a find to its last one.
#[derive(Clone, Copy)]
struct Verbatim<'a> {
    find: &'a [u8],
    /// The start of the anchor token in them.
    anchor: usize,
    /// The end of the anchor token in them.
    anchor_end: usize,
    /// The position of the marker in them.
    point: usize,
    /// The class of a match with these bytes.
    crosses_newline: bool,
    drops_blank: bool,
}

impl<'a> ListedText<'a> {
    /// Returns the text if it occurs at `start`, which is after all starts of earlier calls.
    fn at(&mut self, start: usize) -> Option<Verbatim<'a>> {
        while self.starts.pop_if(|own| *own < start).is_some() {}
        (self.starts.last() == Some(&start)).then_some(self.verbatim)
    }
}

impl<'a> PatternSearch<'a> {
    /// Returns whether the whole text was searched, once there are no more matches.
    pub(crate) fn complete(&self) -> bool {
        self.next.is_none()
    }

    /// Returns the next match around an occurrence of the anchor token.
    fn next_of_tokens(&mut self) -> Option<PatternMatch> {
        while let (
            Some(from),
            Places::Anchors {
                anchor,
                finder,
                step,
                stop_at,
            },
        ) = (self.next, &self.places)
        {
            let (anchor, step, stop_at) = (*anchor, *step, *stop_at);
            let rest = &self.text.as_bytes()[from..self.within.end()];
            let Some(offset) = finder.find(rest) else {
                self.next = None;
                return None;
            };
            let at = from + offset;
            self.charge(self.pattern.tokens[anchor].range.len());
            let found = self.around(anchor, at);
            // Not after the token: in `aaa.b` the find `aa.b` matches at the second letter.
            self.next = Some(at + step);
            if self.work <= stop_at {
                self.list_places(from, anchor);
            } else if found.is_some() {
                return found;
            }
        }
        self.next_listed()
    }

    /// Lists the places whose anchor token is at `from` or after it.
    fn list_places(&mut self, from: usize, anchor: usize) {
        let pattern = self.pattern;
        let of_tokens = pattern.tokens.iter();
        let bytes: Vec<u8> = of_tokens
            .flat_map(|token| &pattern.text.as_bytes()[token.range.clone()])
            .copied()
            .collect();
        let before: usize = pattern.tokens[..anchor]
            .iter()
            .map(|token| token.range.len())
            .sum();
        let text = &self.text[self.within.range()];
        let chars = text
            .char_indices()
            .filter(|(_, char)| !char.is_whitespace());
        let offsets: Vec<usize> = chars
            .flat_map(|(offset, char)| offset..offset + char.len_utf8())
            .map(|offset| self.within.start() + offset)
            .collect();
        let inside = offsets.iter().map(|offset| self.text.as_bytes()[*offset]);
        let indexes = occurrences(&bytes, inside).into_iter();
        let mut starts: Vec<usize> = indexes
            .filter(|index| offsets[index + before] >= from)
            .map(|index| offsets[index])
            .collect();
        starts.reverse();
        self.places = Places::Listed {
            starts,
            texts: Vec::new(),
        };
        self.charge(self.within.len());
        self.verbatim = None;
        if let Some(verbatim) = pattern.verbatim(0) {
            self.list_text(verbatim);
        }
    }

    /// Lists the occurrences of a text that matches.
    fn list_text(&mut self, verbatim: Verbatim<'a>) {
        self.charge(self.within.len());
        if let Places::Listed { texts, .. } = &mut self.places {
            let text = self.text[self.within.range()].bytes();
            let indexes = occurrences(verbatim.find, text).into_iter().rev();
            let starts = indexes.map(|index| self.within.start() + index);
            texts.push(ListedText {
                verbatim,
                starts: starts.collect(),
            });
        }
    }

    /// Returns the next match among the listed places.
    fn next_listed(&mut self) -> Option<PatternMatch> {
        while let Places::Listed { starts, texts } = &mut self.places {
            let Some(start) = starts.pop() else {
                self.next = None;
                break;
            };
            let equal = texts.iter_mut().find_map(|text| text.at(start));
            let compared = texts.len();
            if let Some(verbatim) = equal {
                return Some(self.equal_to(&verbatim, start));
            }
            self.charge(compared);
            // There may be whitespace in the place of its first token.
            let begins = self.token_after(0, start).is_some();
            let found = if begins { self.around(0, start) } else { None };
            if self.work == 0 {
                // `next` stays set, which shows that the rest was not searched.
                break;
            }
            if let Some(found) = found {
                if self.pattern.has_open_ends() {
                    self.list_text(self.verbatim_of(&found, 0, start));
                }
                return Some(found);
            }
        }
        None
    }

    /// Returns the match whose anchor token is at `at`.
    fn around(&mut self, anchor: usize, at: usize) -> Option<PatternMatch> {
        if let Some(found) = self.verbatim(at) {
            return Some(found);
        }
        if self.differs(anchor, at) {
            return None;
        }
        let pattern = self.pattern;
        let last = pattern.tokens.len() - 1;
        let mut found = PatternMatch::at(Span::at(at));
        let mut point = None;

        let mut start = at;
        for index in (0..=anchor).rev() {
            if index < anchor {
                start = self.token_before(index, start)?;
            }
            point = pattern.point_in(index, start).or(point);
            if index > 0 {
                start = self.gap_before(pattern.gaps[index], start, &mut found)?;
            }
        }
        let mut end = at + pattern.tokens[anchor].range.len();
        for index in anchor + 1..=last {
            let start = self.gap_after(pattern.gaps[index], end, &mut found)?;
            point = pattern.point_in(index, start).or(point);
            end = self.token_after(index, start)?;
        }

        let front = self.gap_before(pattern.gaps[0], start, &mut found)?;
        let back = self.gap_after(pattern.gaps[last + 1], end, &mut found)?;
        found.splits_word = self.splits_word(start, end);
        found.span = Span::new(start, end);
        found.point = match pattern.point {
            MarkerPosition::Front => front,
            MarkerPosition::Back => back,
            MarkerPosition::Into { .. } | MarkerPosition::After(_) => {
                point.expect("the marker is in one of the tokens, and all were passed")
            }
        };
        self.remember(&found, anchor, at);
        Some(found)
    }

    /// Sets the exact text to that of a match: other matches are usually written in the same way.
    fn remember(&mut self, found: &PatternMatch, anchor: usize, at: usize) {
        if self.verbatim.is_some() {
            self.verbatim = Some(self.verbatim_of(found, anchor, at));
        }
    }

    /// Returns the exact text of a match whose token `anchor` is at `at`.
    fn verbatim_of(&self, found: &PatternMatch, anchor: usize, at: usize) -> Verbatim<'a> {
        let start = found.span.start();
        Verbatim {
            find: &self.text.as_bytes()[found.span.range()],
            anchor: at - start,
            anchor_end: at - start + self.pattern.tokens[anchor].range.len(),
            point: found.point - start,
            crosses_newline: found.crosses_newline,
            drops_blank: found.drops_blank,
        }
    }

    /// Returns the match whose anchor token is at `at`, if the text is exactly that of the find. One comparison
    /// replaces the walk over the tokens.
    fn verbatim(&mut self, at: usize) -> Option<PatternMatch> {
        let verbatim = self.verbatim?;
        let Verbatim {
            find,
            anchor,
            anchor_end,
            ..
        } = verbatim;
        let start = at.checked_sub(anchor)?;
        let end = start + find.len();
        if start < self.within.start() || self.within.end() < end {
            return None;
        }
        // The anchor token matches. Most differences are directly after it.
        let text = &self.text.as_bytes()[start..end];
        if !is_equal(&text[anchor_end..], &find[anchor_end..])
            || !is_equal(&text[..anchor], &find[..anchor])
        {
            return None;
        }
        self.charge(find.len());
        Some(self.equal_to(&verbatim, start))
    }

    /// Returns the match at `start`, where the text is exactly `verbatim`.
    fn equal_to(&self, verbatim: &Verbatim<'_>, start: usize) -> PatternMatch {
        let end = start + verbatim.find.len();
        PatternMatch {
            span: Span::new(start, end),
            point: start + verbatim.point,
            splits_word: self.splits_word(start, end),
            crosses_newline: verbatim.crosses_newline,
            drops_blank: verbatim.drops_blank,
        }
    }

    /// Returns whether the text around the anchor token at `at` definitely does not match, which is the usual case:
    /// the first byte that differs is whitespace in neither, so no gap can match there.
    fn differs(&mut self, anchor: usize, at: usize) -> bool {
        let (find, tokens) = (self.pattern.text.as_bytes(), &self.pattern.tokens);
        let Range { start, end } = tokens[anchor].range;
        let (from, to) = (tokens[0].range.start, tokens[tokens.len() - 1].range.end);
        let text = &self.text.as_bytes()[..self.within.end()];
        let before = &text[self.within.start()..at];
        let after = &text[at + (end - start)..];
        let mut compared = 0;
        let mut differ = |(a, b): (&u8, &u8)| {
            compared += 1;
            (a != b).then(|| !may_be_blank(*a) && !may_be_blank(*b))
        };
        let mut following = find[end..to].iter().zip(after);
        let mut preceding = find[from..start].iter().rev().zip(before.iter().rev());
        let differs = following.find_map(&mut differ) == Some(true)
            || preceding.find_map(&mut differ) == Some(true);
        self.charge(compared);
        differs
    }

    /// Returns whether the first or last word of the find is part of a longer one, if the match is from `start` to
    /// `end`.
    fn splits_word(&self, start: usize, end: usize) -> bool {
        let is_word_at = |index: usize| self.pattern.tokens[index].is_word;
        let before = || self.text[..start].chars().next_back();
        let after = || self.text[end..].chars().next();
        is_word_at(0) && before().is_some_and(is_word)
            || is_word_at(self.pattern.tokens.len() - 1) && after().is_some_and(is_word)
    }

    /// Returns the start of token `index` if it ends at `end`.
    fn token_before(&mut self, index: usize, end: usize) -> Option<usize> {
        let token = self.pattern.token_bytes(index);
        let found = self.charge(token.len())
            && is_suffix(&self.text.as_bytes()[self.within.start()..end], token);
        found.then(|| end - token.len())
    }

    /// Returns the end of token `index` if it starts at `start`.
    fn token_after(&mut self, index: usize, start: usize) -> Option<usize> {
        let token = self.pattern.token_bytes(index);
        let found = self.charge(token.len())
            && is_prefix(&self.text.as_bytes()[start..self.within.end()], token);
        found.then(|| start + token.len())
    }

    /// Returns the start of the whitespace before `end`, if the gap allows it.
    fn gap_before(&mut self, gap: Spacing, end: usize, found: &mut PatternMatch) -> Option<usize> {
        if gap == Spacing::Open {
            return Some(end);
        }
        let text = &self.text[self.within.start()..end];
        let start = self.within.start() + without_trailing_blanks(text).len();
        self.accept(gap, start..end, found).then_some(start)
    }

    /// Returns the end of the whitespace after `start`, if the gap allows it.
    fn gap_after(&mut self, gap: Spacing, start: usize, found: &mut PatternMatch) -> Option<usize> {
        if gap == Spacing::Open {
            return Some(start);
        }
        let text = &self.text[start..self.within.end()];
        let end = self.within.end() - without_leading_blanks(text).len();
        self.accept(gap, start..end, found).then_some(end)
    }

    /// Returns whether the gap allows the whitespace `run`, and records its class in `found`.
    fn accept(&mut self, gap: Spacing, run: Range<usize>, found: &mut PatternMatch) -> bool {
        let (has_newline, must, may_be_missing) = match gap {
            Spacing::Open | Spacing::Loose => (false, false, false),
            Spacing::Blank {
                has_newline,
                may_be_missing,
            } => (has_newline, true, may_be_missing),
        };
        if must && run.is_empty() {
            found.drops_blank = true;
            return may_be_missing;
        }
        if !has_newline && holds_newline(&self.text[run.clone()]) {
            found.crosses_newline = true;
        }
        self.charge(run.len())
    }

    /// Subtracts `bytes` from the remaining work; returns false if there is too little.
    fn charge(&mut self, bytes: usize) -> bool {
        steps::count(1 + bytes / 64);
        self.work = self.work.saturating_sub(bytes + 1);
        self.work > 0
    }

    /// Returns the next match of a pattern that is empty or only whitespace.
    fn next_of_blanks(&mut self) -> Option<PatternMatch> {
        let from = self.next.take()?;
        let pattern = self.pattern;
        let mut found = PatternMatch::at(Span::at(from));
        if pattern.text.is_empty() {
            return Some(found);
        }
        let rest = &self.text[from..self.within.end()];
        let start = from + rest.find(char::is_whitespace)?;
        let end = self.within.end() - self.text[start..self.within.end()].trim_start().len();
        self.next = Some(end);
        found.crosses_newline =
            !holds_newline(&pattern.text) && holds_newline(&self.text[start..end]);
        found.span = Span::new(start, end);
        found.point = match pattern.point {
            MarkerPosition::Back => end,
            MarkerPosition::Front | MarkerPosition::Into { .. } | MarkerPosition::After(_) => start,
        };
        Some(found)
    }
}

impl Iterator for PatternSearch<'_> {
    type Item = PatternMatch;

    fn next(&mut self) -> Option<PatternMatch> {
        match self.places {
            Places::Blanks => self.next_of_blanks(),
            Places::Anchors { .. } | Places::Listed { .. } => self.next_of_tokens(),
        }
    }
}

/// Returns how many bytes one search of `within` may examine.
fn work_for(within: Span) -> usize {
    WORK_AT_LEAST + WORK_PER_BYTE * within.len()
}

/// The operators of more than one character, the longest first.
const OPERATORS: [&str; 46] = [
    "...", "..=", "===", "!==", "<=>", "**=", "//=", "<<=", "&&=", "||=", "??=", "->*", "==", "!=",
    "<=", ">=", "->", "=>", "<-", "::", ":=", "&&", "||", "++", "--", "**", "//", "/*", "*/", "<<",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "??", "?.", "..", "|>", "=~", "!~", "</", "/>",
];

/// Returns the words and operators of a find. The text between them is whitespace.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 2 + 1);
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let is_word = is_word(first);
        let len = if is_word {
            rest.find(|char| !self::is_word(char)).unwrap_or(rest.len())
        } else {
            // The second characters of the operators above, which rule out most other texts.
            let may_continue =
                |byte: &u8| matches!(byte, b'*'..=b'/' | b':'..=b'?' | b'&' | b'|' | b'~');
            let is_longer = rest.as_bytes().get(1).is_some_and(may_continue);
            let is_it = |operator: &&&str| {
                operator.as_bytes()[0] == rest.as_bytes()[0] && rest.starts_with(**operator)
            };
            let operator = is_longer.then(|| OPERATORS.iter().find(is_it)).flatten();
            operator.map_or(first.len_utf8(), |operator| operator.len())
        };
        if !first.is_whitespace() {
            let range = start..start + len;
            tokens.push(Token { range, is_word });
        }
        start += len;
    }
    tokens
}

/// Returns the spans of the words and operators in the part `within` of a text.
pub(crate) fn token_spans(text: &str, within: Span) -> Vec<Span> {
    let at = |offset| within.start() + offset;
    let found = tokens(&text[within.start()..within.end()]);
    found
        .into_iter()
        .map(|token| Span::new(at(token.range.start), at(token.range.end)))
        .collect()
}

/// Returns the whitespace that the find requires before each of its tokens and after the last one.
fn gaps(text: &str, tokens: &[Token], marker: Option<usize>) -> Vec<Spacing> {
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
        return Vec::new();
    };
    let outer = |blanks: Range<usize>, token: &Token| {
        let touched = marker.is_some_and(|marker| blanks.start <= marker && marker <= blanks.end);
        if blanks.is_empty() || !touched {
            return Spacing::Open;
        }
        Spacing::Blank {
            has_newline: holds_newline(&text[blanks]),
            may_be_missing: !token.is_word,
        }
    };
    let between = tokens.windows(2).map(|pair| {
        let blanks = &text[pair[0].range.end..pair[1].range.start];
        if blanks.is_empty() {
            return Spacing::Loose;
        }
        Spacing::Blank {
            has_newline: holds_newline(blanks),
            may_be_missing: !would_fuse(text, &pair[0], &pair[1]),
        }
    });
    let mut gaps = Vec::with_capacity(tokens.len() + 1);
    gaps.push(outer(0..first.range.start, first));
    gaps.extend(between);
    gaps.push(outer(last.range.end..text.len(), last));
    gaps
}

/// Returns whether two tokens would be read as one without whitespace between them.
fn would_fuse(text: &str, left: &Token, right: &Token) -> bool {
    let fuses =
        |char: Option<char>| char.is_some_and(|char| r"+-*/=<>!&|^%~?:@.#$\".contains(char));
    match (left.is_word, right.is_word) {
        (true, true) => true,
        (false, false) => {
            fuses(text[left.range.clone()].chars().next_back())
                && fuses(text[right.range.clone()].chars().next())
        }
        _ => false,
    }
}

/// Returns the position of a marker at byte `marker` of the find.
fn point(text: &str, tokens: &[Token], marker: usize) -> MarkerPosition {
    if tokens.is_empty() {
        return match marker {
            0 => MarkerPosition::Front,
            _ => MarkerPosition::Back,
        };
    }
    // The first token that does not end before the marker.
    let next = tokens.partition_point(|token| token.range.end <= marker);
    let into = tokens.get(next).map(|token| MarkerPosition::Into {
        token: next,
        bytes: marker.saturating_sub(token.range.start),
    });
    let blank_before = text[..marker].ends_with(char::is_whitespace);
    let blank_after = text[marker..].starts_with(char::is_whitespace);
    match into {
        _ if blank_after && !blank_before => match next.checked_sub(1) {
            Some(previous) => MarkerPosition::After(previous),
            None => MarkerPosition::Front,
        },
        Some(into) => into,
        None => MarkerPosition::Back,
    }
}

/// Returns whether `text`, which is whitespace and usually short, contains a line break.
fn holds_newline(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Returns `text` without whitespace at its end.
fn without_trailing_blanks(text: &str) -> &str {
    match text.as_bytes().last() {
        Some(last) if may_be_blank(*last) => text.trim_end(),
        _ => text,
    }
}

/// Returns `text` without whitespace at its start.
fn without_leading_blanks(text: &str) -> &str {
    match text.as_bytes().first() {
        Some(first) if may_be_blank(*first) => text.trim_start(),
        _ => text,
    }
}

/// Returns whether a whitespace character can begin or end with `byte`.
fn may_be_blank(byte: u8) -> bool {
    byte <= b' ' || !byte.is_ascii()
}

/// Returns whether `char` is part of words: letters, digits, `_` and combining marks of any script.
pub(crate) fn is_word(char: char) -> bool {
    if char.is_ascii() {
        return char == '_' || char.is_ascii_alphanumeric();
    }
    char.is_alphanumeric() || is_combining_mark(char)
}

/// Returns whether `char` is a combining mark and not a letter.
fn is_combining_mark(char: char) -> bool {
    // The bounds alternately begin and end a run of marks.
    MARKS.partition_point(|bound| *bound <= u32::from(char)) % 2 == 1
}

/// Runs of combining marks: alternately the first code point, and the one after the last. Letters, digits and
/// unassigned code points between two marks do not end a run.
const MARKS: [u32; 214] = [
    0x300, 0x363, 0x483, 0x48a, 0x591, 0x5b0, 0x658, 0x659, 0x6df, 0x6e1, 0x6ea, 0x6ed, 0x740,
    0x7f4, 0x7fd, 0x7fe, 0x818, 0x82e, 0x859, 0x85c, 0x898, 0x8e2, 0x8ea, 0x955, 0x9bc, 0x9ce,
    0x9fe, 0xa4e, 0xabc, 0xace, 0xafd, 0xb56, 0xbcd, 0xbce, 0xc3c, 0xc4e, 0xcbc, 0xd4e, 0xdca,
    0xdcb, 0xe47, 0xe4f, 0xeba, 0xecd, 0xf18, 0xf1a, 0xf35, 0xf36, 0xf37, 0xf38, 0xf39, 0xf3a,
    0xf3e, 0xf85, 0xf86, 0xf88, 0xfc6, 0xfc7, 0x1037, 0x103b, 0x135d, 0x1360, 0x1714, 0x1735,
    0x17b4, 0x17d4, 0x17dd, 0x17de, 0x180b, 0x180e, 0x180f, 0x193c, 0x1a60, 0x1a80, 0x1ab0, 0x1b45,
    0x1b6b, 0x1b74, 0x1baa, 0x1bf4, 0x1c37, 0x1c38, 0x1cd0, 0x1cd3, 0x1cd4, 0x1e00, 0x20d0, 0x20f1,
    0x2cef, 0x2cf2, 0x2d7f, 0x2d80, 0x302a, 0x3030, 0x3099, 0x309b, 0xa66f, 0xa673, 0xa67c, 0xa67e,
    0xa6f0, 0xa6f2, 0xa806, 0xa807, 0xa82c, 0xa82d, 0xa8c4, 0xa8c5, 0xa8e0, 0xa8f2, 0xa92b, 0xa92e,
    0xa953, 0xa954, 0xa9b3, 0xa9c1, 0xaabf, 0xaac2, 0xaaf6, 0xaaf7, 0xabec, 0xabee, 0xfe00, 0xfe10,
    0xfe20, 0xfe30, 0x101fd, 0x102e1, 0x10a38, 0x10a40, 0x10ae5, 0x10ae7, 0x10f46, 0x10f51,
    0x10f82, 0x10f86, 0x11046, 0x11047, 0x11070, 0x110bb, 0x11133, 0x11135, 0x11173, 0x11174,
    0x111c0, 0x111c1, 0x111c9, 0x111cd, 0x11235, 0x11237, 0x112e9, 0x11447, 0x1145e, 0x114c4,
    0x115bf, 0x115c1, 0x1163f, 0x11640, 0x116b6, 0x116b8, 0x1172b, 0x1172c, 0x11839, 0x1183b,
    0x1193d, 0x11944, 0x119e0, 0x119e1, 0x11a33, 0x11a35, 0x11a47, 0x11a9a, 0x11c3f, 0x11c40,
    0x11d42, 0x11d98, 0x16af0, 0x16af5, 0x16b30, 0x16b37, 0x16fe4, 0x16fe5, 0x1bc9d, 0x1bc9e,
    0x1cf00, 0x1cf47, 0x1d165, 0x1d16a, 0x1d16d, 0x1d173, 0x1d17b, 0x1d183, 0x1d185, 0x1d18c,
    0x1d1aa, 0x1d1ae, 0x1d242, 0x1d245, 0x1da00, 0x1da37, 0x1da3b, 0x1da6d, 0x1da75, 0x1da76,
    0x1da84, 0x1da85, 0x1da9b, 0x1e137, 0x1e2ae, 0x1e2f0, 0x1e8d0, 0x1e94b, 0xe0100, 0xe01f0,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::marker::readings;
    use super::*;

    /// Returns the first reading of `find` that matches, and its matches.
    fn search(text: &str, within: Span, find: &str) -> Option<(Pattern, Matches)> {
        readings(find).iter().find_map(|reading| {
            let pattern = Pattern::new(reading);
            let matches = pattern.matches(text, within, usize::MAX);
            (matches.total > 0).then_some((pattern, matches))
        })
    }

    fn whole(text: &str) -> Span {
        Span::new(0, text.len())
    }

    /// Returns the text with the best match in `[]` and the marker as `‸`.
    fn shown(text: &str, find: &str) -> String {
        shown_within(text, whole(text), find)
    }

    fn shown_within(text: &str, within: Span, find: &str) -> String {
        let Some((_, matches)) = search(text, within, find) else {
            return "nothing".to_string();
        };
        let best = matches.best[0];
        let mut marks = [
            (best.span.start(), "["),
            (best.point, "‸"),
            (best.span.end(), "]"),
        ];
        // At one offset the order is `[‸]`; a marker outside the match is shown outside.
        if best.point < best.span.start() {
            marks.swap(0, 1);
        } else if best.point > best.span.end() {
            marks.swap(1, 2);
        }
        let mut shown = text.to_string();
        for (offset, mark) in marks.into_iter().rev() {
            shown.insert_str(offset, mark);
        }
        shown
    }

    #[track_caller]
    fn check(find: &str, expected: &str) {
        let text: String = expected.replace(['[', ']', '‸'], "");
        assert_eq!(shown(&text, find), expected, "find {find:?}");
    }

    #[track_caller]
    fn finds_nothing(find: &str, text: &str) {
        assert_eq!(shown(text, find), "nothing", "find {find:?}");
    }

    #[test]
    fn a_blank_between_words_is_mandatory() {
        finds_nothing("int a", "inta;");
        check("int a", "inta; [‸int a];");
        check("int a", "[‸int \t a];");
        check("int a", "[‸int\u{a0}a];");
        finds_nothing("int", "i n t");
        check("else if", "elseif(x) [‸else if](x)");
    }

    #[test]
    fn white_space_between_tokens_is_free() {
        finds_nothing("a+b", "ab");
        check("a+b", "ab [‸a + b]");
        check("foo.bar", "foobar; [‸foo . bar]");
        check("foo(bar())", "[‸foo( bar( ) )]");
        check("x=-1", "[‸x = -1]");
        check("Map<String,List<Int>>", "[‸Map<String, List<Int> >] m");
        check("//comment", "[‸//  comment]");
    }

    #[test]
    fn operators_of_several_characters_are_atomic() {
        finds_nothing("a==b", "a = = b");
        finds_nothing("p->q", "p - > q");
        finds_nothing("a&&b", "a & &b");
        finds_nothing("k=>v", "k = > v");
        finds_nothing("x++", "x + + y");
        check("w::x", "[‸w :: x]");
    }

    #[test]
    fn as_a_second_choice_a_blank_next_to_an_operator_is_missing() {
        check("foo(x, y)", "foo(xy); [‸foo( x,y )]");
        check("foo(x, y)", "foo( x,y ); [‸foo(x, y)]");
        check("a + b", "[‸a+b]");
        check("f(a) (b)", "[‸f(a)(b)]");
        finds_nothing("foo(x, y)", "foo(xy)");
    }

    #[test]
    fn a_blank_between_operators_that_would_fuse_is_mandatory() {
        finds_nothing("a - -b", "a--b");
        finds_nothing("a = &b", "a =&b");
        check("f() ()", "[‸f()()]");
    }

    #[test]
    fn case_counts_and_nothing_is_a_regular_expression() {
        check("count", "COUNT [‸count]");
        check("a.*b", "a123b [‸a.*b]");
        check("$y(0)", "x^2 [‸$y(0)]");
    }

    #[test]
    fn whole_words_precede_parts() {
        check("int", "print(x) [‸int] y");
        check("value", "values = [‸value]");
        check("add(", "padd(1); [‸add(]2)");
        check("id", "_id = [‸id]");
        check("foo", "[‸foo]bar");
        check("aa.b", "a[‸aa.b]");
    }

    #[test]
    fn words_of_any_script_are_whole() {
        check("größe", "übergröße [‸größe]");
        check("naïve", "naïveté = [‸naïve]");
        check("e", "e\u{301} [‸e]");
        check("क", "क् [‸क]");
        check("변수2", "변수 [‸변수2]");
    }

    #[test]
    fn a_match_on_one_line_precedes_one_that_crosses() {
        check("return result", "return\nresult\n[‸return result]");
        check("return\nresult", "[‸return\nresult]\nreturn result");
        check("int a", "[‸int\na];");
        check("foo(a, b)", "[‸foo(\n    a,\n    b\n)]");
        check("a\nb", "[‸a b]");
        finds_nothing("foo(a, b)", "foo(\n    a,\n    b,\n)");
    }

    #[test]
    fn outer_blanks_are_dropped_unless_the_marker_touches_them() {
        check("    return x\n", "def f():\n  [‸return x]");
        check("x = 1\n<|>", "[x = 1]\n‸");
        check("<|> c", "b‸ [c]");
        check("b<|> ", "ab [b‸] ");
        finds_nothing("<|> c", "c");
        check("  b <|>c", "[b ‸c]");
    }

    #[test]
    fn the_marker_is_where_it_points() {
        check("val<|>ue", "[val‸ue]");
        check("größ<|>e", "[größ‸e]");
        check("=<|>=", "[=‸=]");
        check("call(<|>)", "[call ( ‸)]");
        check("result+=<|>item", "[result += ‸item]");
        check("a b<|> c", "[a  b‸  c]");
        check("line <|> one", "[line  ‸one]");
        check("x = <|> + y <<|>> z", "[x = <|> + y ‸z]");
        check("if (ok)<|>", "[if ( ok )‸] go();");
        check("<|>plain", "[‸plain]");
    }

    #[test]
    fn a_marker_reading_precedes_plain_text() {
        check("str <|> num", "[‸str <|> num]");
        check("one<|>two", "[‸one<|>two]");
        check("or `<<|>>` when", "Use `<|>` once, [‸or `<<|>>` when]");
        finds_nothing("one <|> two <<|>>three", "one two three");
        check("Map<<|>", "[Map<‸]K>");
    }

    #[test]
    fn a_marker_alone_is_the_start_of_the_scope() {
        assert_eq!(shown("", "<|>"), "[‸]");
        assert_eq!(shown_within("ab cd", Span::new(3, 5), "<|>"), "ab [‸]cd");
        assert_eq!(shown("ab", "<<|>>"), "[‸]ab");
    }

    #[test]
    fn blanks_alone_find_a_run_of_blanks() {
        check("  ", "ab[‸ ]cd");
        check(" <|>", "ab[   ‸]cd");
        check("<|> ", "ab[‸   ]cd");
        check(" ", "a\nb[‸ ]c");
        check("\n", "a[‸ ]b\nc");
        check(" ", "a[‸\n]b");
        finds_nothing(" ", "abcd");
        finds_nothing(" <|>", "");
    }

    #[test]
    fn every_operator_is_one_token() {
        for operator in OPERATORS {
            assert_eq!(tokens(operator).len(), 1, "{operator}");
        }
    }

    #[test]
    fn text_that_differs_next_to_a_blank_is_compared() {
        check("a = bcd(e)", "a  =  b | [‸a  = bcd( e )]");
        check("ab c(de, f)", "[‸ab\tc (de,f)]");
        check("<|>é = long_word", "è = long_word [‸é  = long_word]");
        check(
            "a\u{a0}= long_word;",
            "a= b; [‸a\u{2003}=\u{a0}long_word\n;]",
        );
        finds_nothing("a b.long_word(c)", "ab.long_word(c)");
        finds_nothing("a.long_word(cd)", "a.long_word(c d)");
    }

    #[test]
    fn a_match_lies_inside_the_scope_and_words_reach_out_of_it() {
        let text = "here\nlast b cat";
        assert_eq!(shown_within(text, Span::new(0, 5), "here last"), "nothing");
        let found = search(text, Span::new(5, 13), "c").map(|(_, matches)| matches);
        let found = found.expect("the scope holds a c");
        assert_eq!((found.total, found.best[0].splits_word), (1, true));
    }

    #[test]
    fn the_winning_class_is_counted_and_all_matches_are_reachable() {
        let text = "print(int, int, int)";
        let pattern = Pattern::new(&readings("int")[0]);
        let matches = pattern.matches(text, whole(text), 2);
        let starts =
            |matches: &[PatternMatch]| matches.iter().map(|m| m.span.start()).collect::<Vec<_>>();
        assert_eq!((matches.total, matches.complete), (3, true));
        assert_eq!(starts(&matches.best), [6, 11]);
        let all: Vec<PatternMatch> = pattern.all(text, whole(text)).collect();
        assert_eq!(starts(&all), [2, 6, 11, 16]);
    }

    #[test]
    fn the_longest_prefix_that_occurs_is_returned() {
        let text = "let plan = build(1);\n";
        let prefix = |find: &str| {
            let pattern = Pattern::new(&readings(find)[0]);
            let prefix = pattern.longest_prefix_found(text, whole(text))?;
            Some((prefix.tokens, prefix.text, prefix.found.span))
        };
        let expected = (4, "plan  =  build(".to_string(), Span::new(4, 17));
        assert_eq!(prefix("plan  =  build(2)"), Some(expected));
        assert_eq!(prefix("nothing = 1"), None);
        assert_eq!(prefix("  "), None);
    }

    #[test]
    fn hostile_texts_cost_bounded_work() {
        let spaces = " ".repeat(1 << 18);
        finds_nothing("a b", &spaces);
        let text = format!("a{spaces}a{spaces}b");
        check("a b", &format!("a{spaces}[‸a{spaces}b]"));
        finds_nothing("a a a b", &text);

        // Each place has the tokens, and other whitespace than the others.
        let rows = "a ".repeat(1 << 13);
        let pattern = Pattern::new(&readings(&rows)[0]);
        let gaps = (1..1 << 15).map(|at: usize| 1 + usize::from(at.count_ones().is_multiple_of(2)));
        let text: String = gaps.map(|gap| format!("a{}", " ".repeat(gap))).collect();
        let matches = pattern.matches(&text, whole(&text), 1);
        assert_eq!((matches.best[0].span.start(), matches.complete), (0, false));
    }

    #[test]
    fn repetitive_finds_are_counted_in_repetitive_texts() {
        let rows = "a ".repeat(1 << 13);
        let pattern = Pattern::new(&readings(&rows)[0]);
        let text = rows.repeat(4);
        let matches = pattern.matches(&text, whole(&text), 1);
        assert_eq!((matches.total, matches.complete), (3 * (1 << 13) + 1, true));

        // The find itself, and three places that are written in another way.
        let row = "x = a + a + a\n";
        let rows = row.repeat(2_000);
        let pattern = Pattern::new(&readings(&rows)[0]);
        let other = row.repeat(2_002).replace('=', " = ");
        let text = [&other, "y\n", &rows].concat();
        let matches = pattern.matches(&text, whole(&text), 10);
        let starts: Vec<usize> = matches.best.iter().map(|one| one.span.start()).collect();
        let (step, last) = (row.len() + 2, other.len() + 2);
        assert_eq!(starts, [0, step, 2 * step, last]);
        assert!(matches.complete);

        let word = "a".repeat(1 << 16);
        let pattern = Pattern::new(&readings(&word)[0]);
        let matches = pattern.matches(&word.repeat(2), Span::new(0, 2 << 16), 1);
        assert_eq!((matches.total, matches.complete), ((1 << 16) + 1, true));
    }

    /// Returns the match that starts with the first token at `start`, by a direct implementation of the rules.
    fn naive(pattern: &Pattern, text: &str, start: usize) -> Option<PatternMatch> {
        let mut found = PatternMatch::at(Span::at(start));
        let mut end = start;
        for (index, token) in pattern.tokens.iter().enumerate() {
            if index > 0 {
                let rest = text[end..].trim_start();
                let run = &text[end..text.len() - rest.len()];
                let asked = &pattern.text[pattern.tokens[index - 1].range.end..token.range.start];
                if !asked.is_empty() && run.is_empty() {
                    if would_fuse(&pattern.text, &pattern.tokens[index - 1], token) {
                        return None;
                    }
                    found.drops_blank = true;
                }
                found.crosses_newline |= run.contains('\n') && !asked.contains('\n');
                end += run.len();
            }
            text[end..].strip_prefix(&pattern.text[token.range.clone()])?;
            end += token.range.len();
        }
        let first = pattern.tokens.first()?;
        let last = pattern.tokens.last()?;
        found.splits_word = (first.is_word && text[..start].ends_with(is_word))
            || (last.is_word && text[end..].starts_with(is_word));
        found.span = Span::new(start, end);
        Some(found)
    }

    /// Returns all matches, of a search that lists all places at once.
    fn listed(pattern: &Pattern, text: &str) -> Vec<PatternMatch> {
        let mut search = pattern.all(text, whole(text));
        if let Some(anchor) = pattern.anchor() {
            search.list_places(0, anchor);
        }
        search.collect()
    }

    proptest! {
        #[test]
        fn every_match_is_found_and_in_order(
            text in "[ab=.é \n]{0,24}",
            find in "[ab=.é]{1,2}[ab=.é \n]{0,5}",
        ) {
            let pattern = Pattern::new(&FindReading { text: find, marker: None });
            let starts = text.char_indices().map(|(offset, _)| offset);
            let expected: Vec<PatternMatch> =
                starts.filter_map(|start| naive(&pattern, &text, start)).collect();
            let found: Vec<PatternMatch> = pattern.all(&text, whole(&text)).collect();
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(listed(&pattern, &text), expected);
        }

        #[test]
        fn the_marker_lies_in_the_scope_and_on_a_character(
            text in "[ab=é \n]{0,16}",
            find in "[ab=é \n]{0,4}",
            at in 0..5usize,
        ) {
            let offsets = find.char_indices().map(|(offset, _)| offset);
            let marker = offsets.chain([find.len()]).nth(at).unwrap_or(0);
            let pattern = Pattern::new(&FindReading { text: find, marker: Some(marker) });
            let all: Vec<PatternMatch> = pattern.all(&text, whole(&text)).collect();
            for found in &all {
                prop_assert!(text.is_char_boundary(found.point));
                prop_assert!(text.get(found.span.range()).is_some());
            }
            prop_assert_eq!(listed(&pattern, &text), all);
        }

        #[test]
        fn a_match_is_the_same_after_others_and_alone(
            texts in prop::collection::vec("a ?= ?b[ \n]{0,2}|a\n?=b|[ab= ]{1,3}", 1..8),
            find in "a ?= ?b",
            at in 0..6usize,
        ) {
            let text = texts.concat();
            let marker = Some(at).filter(|at| *at <= find.len());
            let pattern = Pattern::new(&FindReading { text: find, marker });
            for found in pattern.all(&text, whole(&text)) {
                prop_assert_eq!(pattern.all(&text, found.span).next(), Some(found));
            }
        }
    }
}
