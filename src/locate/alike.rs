//! Finds texts that are similar to a given text, letter by letter. Input: a text and an area. Output: the places in
//! the area, the most similar first.
//!
//! For suggestions only: an edit never takes one text for another. Whitespace, letter case and the
//! form of quotes have almost no weight. A text is not returned if more than two of five of its
//! letters differ.

use std::collections::HashMap;

use crate::parse::Parsed;
use crate::source::Span;

use super::Area;
use super::pattern::is_word;

/// The number of bytes of an area that are searched.
const SEARCHED: usize = 2 * 1024 * 1024;
/// The number of letters of a text that are searched for, from the first.
const LETTERS: usize = 512;
/// A text with fewer letters is similar to almost any text, and is not searched for.
const LEAST: usize = 3;
/// The maximum number of places that are compared letter by letter.
const COMPARED: usize = 48;
/// The cost of a letter that differs in the raw texts, relative to one that differs even without case and whitespace.
const FORM: f64 = 0.02;
/// The maximum cost of all such letters together.
const MOST_FORM: f64 = 0.9;

/// A text that is similar to the wanted one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Alike {
    /// The span of the text, whole words only.
    pub(crate) span: Span,
    /// The number of letters that differ, plus a fraction for differences in case, whitespace and quotes.
    pub(crate) cost: f64,
}

/// Returns the texts of the area that are similar to `text`, the most similar first; equally similar ones are in file
/// order.
pub(crate) fn alike(parsed: &Parsed, text: &str, area: &Area) -> Vec<Alike> {
    let read_letters = text
        .char_indices()
        .filter_map(|(at, c)| Some((at, read(c)?)));
    let (starts, wanted): (Vec<usize>, Vec<char>) = read_letters.take(LETTERS).unzip();
    if wanted.len() < LEAST {
        return Vec::new();
    }
    let is_cut = wanted.len() == LETTERS;
    let last = starts.last().filter(|_| is_cut);
    let text = &text[..last.map_or(text.len(), |last| text.ceil_char_boundary(last + 1))];
    let pattern = BitPattern::from_letters(&wanted);
    let mut found: Vec<Alike> = Vec::new();
    let mut left = SEARCHED;
    for span in &area.spans {
        let end = parsed
            .source()
            .text()
            .floor_char_boundary(span.end().min(span.start() + left));
        let span = Span::new(span.start(), end.max(span.start()));
        left -= span.len();
        let letters = Letters::from_text(parsed.source().text(), span);
        let ends = pattern.ends(&letters.read);
        for (_, end) in ends.into_iter().take(COMPARED) {
            found.extend(letters.compared(parsed.source().text(), text, &wanted, end));
        }
    }
    found.sort_by(|a, b| {
        let by_cost = a.cost.total_cmp(&b.cost);
        by_cost.then(a.span.start().cmp(&b.span.start()))
    });
    found.dedup_by_key(|one| one.span);
    found
}

/// Returns how many of the letters of a text may differ.
fn may_differ(letters: usize) -> usize {
    (letters * 2 / 5).max(1)
}

/// Returns a letter in the form that is compared, without case or form of quotes, or `None` for whitespace.
fn read(letter: char) -> Option<char> {
    match letter {
        '\'' | '`' | '\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}' => Some('"'),
        c if c.is_ascii() => (!c.is_ascii_whitespace()).then_some(c.to_ascii_lowercase()),
        c if c.is_whitespace() => None,
        c => c.to_lowercase().next(),
    }
}

/// The letters of a part of the file in the form that is compared, each with its offset.
struct Letters {
    read: Vec<char>,
    at: Vec<usize>,
}

impl Letters {
    fn from_text(text: &str, span: Span) -> Letters {
        let mut letters = Letters {
            read: Vec::with_capacity(span.len()),
            at: Vec::with_capacity(span.len()),
        };
        for (offset, letter) in text[span.range()].char_indices() {
            if let Some(letter) = read(letter) {
                letters.read.push(letter);
                letters.at.push(span.start() + offset);
            }
        }
        letters
    }

    /// Returns the range of letters that is most similar to the wanted text.
    fn cheapest(
        &self,
        text: &str,
        wanted: &[char],
        range: std::ops::Range<usize>,
    ) -> Option<(usize, Span)> {
        let (cost, first, last) = cheapest(wanted, &self.read[range.clone()])?;
        let start = self.at[range.start + first];
        let end = self.at[range.start + last];
        let end = end + text[end..].chars().next().map_or(0, char::len_utf8);
        Some((cost, of_whole_words(text, Span::new(start, end))))
    }

    /// Returns the text that ends near the letter at `end` and is most similar to the wanted one.
    fn compared(&self, text: &str, raw: &str, wanted: &[char], end: usize) -> Option<Alike> {
        let reach = wanted.len() + may_differ(wanted.len());
        let from = (end + 1).saturating_sub(reach);
        let to = (end + 3).min(self.read.len());
        let (cost, mut span) = self.cheapest(text, wanted, from..to)?;
        // A text on one line more likely means a text on one line.
        if !raw.contains('\n') && text[span.range()].contains('\n') {
            let ends = [span.start(), span.end()].map(|at| line_around(text, at));
            let lines = ends.iter().filter_map(|line| {
                let from = self.at.partition_point(|at| *at < line.start());
                let to = self.at.partition_point(|at| *at < line.end());
                let is_long = to - from > 4 * LETTERS;
                (!is_long).then(|| self.cheapest(text, wanted, from..to))?
            });
            let least = lines.min_by_key(|(cost, _)| *cost);
            if let Some((_, of_line)) = least.filter(|(of_line, _)| *of_line <= cost + 2) {
                span = of_line;
            }
        }
        // Extending the span to whole words may have added letters.
        let own = text[span.range()].chars().filter_map(read);
        let most = wanted.len() + may_differ(wanted.len());
        let own: String = own.take(most + 1).collect();
        let cost = strsim::osa_distance(&own, &wanted.iter().collect::<String>());
        if cost > may_differ(wanted.len()) {
            return None;
        }
        // Whitespace makes a text long, of which only the maximum counts.
        let is_long = |text: &str| text.len() > 4 * LETTERS;
        let form = match is_long(raw) || is_long(&text[span.range()]) {
            true => MOST_FORM,
            false => strsim::osa_distance(raw, &text[span.range()]) as f64 * FORM,
        };
        Some(Alike {
            span,
            cost: cost as f64 + form.min(MOST_FORM),
        })
    }
}

/// Returns the line that contains the byte at `at`.
fn line_around(text: &str, at: usize) -> Span {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    Span::new(start, end)
}

/// Extends the span to whole words at both ends.
fn of_whole_words(text: &str, span: Span) -> Span {
    let first = text[span.range()].chars().next().is_some_and(is_word);
    let last = text[span.range()].chars().next_back().is_some_and(is_word);
    let before = text[..span.start()].chars().rev();
    let before = before.take_while(|c| first && is_word(*c));
    let letters_after = text[span.end()..].chars();
    let letters_after = letters_after.take_while(|c| last && is_word(*c));
    Span::new(
        span.start() - before.map(char::len_utf8).sum::<usize>(),
        span.end() + letters_after.map(char::len_utf8).sum::<usize>(),
    )
}

/// Finds the part of `own` that is cheapest to turn into the wanted text by inserting, removing or replacing letters,
/// or by swapping adjacent ones. Returns the cost and the first and last letter, or `None` if too many letters
/// differ.
fn cheapest(wanted: &[char], own: &[char]) -> Option<(usize, usize, usize)> {
    // For each letter of `own` and each number of wanted letters: the cost, and where the part begins.
    let mut before: Vec<(usize, usize)> = Vec::new();
    let mut column: Vec<(usize, usize)> = (0..=wanted.len()).map(|row| (row, 0)).collect();
    let mut best: Option<(usize, usize, usize)> = None;
    for (index, letter) in own.iter().enumerate() {
        let mut next = Vec::with_capacity(column.len());
        next.push((0, index + 1));
        for (row, wanted_letter) in wanted.iter().enumerate() {
            let (diagonal, from) = column[row];
            let from = if row == 0 { index } else { from };
            let mut cheapest = (diagonal + usize::from(letter != wanted_letter), from);
            let left_out = (column[row + 1].0 + 1, column[row + 1].1);
            let put_in = (next[row].0 + 1, next[row].1);
            for other in [left_out, put_in] {
                if other.0 < cheapest.0 {
                    cheapest = other;
                }
            }
            let is_swapped = index > 0
                && row > 0
                && own[index - 1] == *wanted_letter
                && *letter == wanted[row - 1];
            if is_swapped {
                let (two_before, from) = before[row - 1];
                let from = if row == 1 { index - 1 } else { from };
                if two_before + 1 < cheapest.0 {
                    cheapest = (two_before + 1, from);
                }
            }
            next.push(cheapest);
        }
        let (cost, first) = next[wanted.len()];
        let is_better = best.is_none_or(|(known, ..)| cost < known);
        if first <= index && cost <= may_differ(wanted.len()) && is_better {
            best = Some((cost, first, index));
        }
        before = std::mem::replace(&mut column, next);
    }
    best
}

/// A text as bits, 64 letters at a time (Myers' algorithm): a few steps for each letter of the
/// file, no matter how many letters of the text differ.
struct BitPattern {
    letters: usize,
    /// The positions of each letter in the text.
    ascii: Vec<u64>,
    others: HashMap<char, Vec<u64>>,
}

impl BitPattern {
    fn from_letters(wanted: &[char]) -> BitPattern {
        let blocks = wanted.len().div_ceil(64);
        let mut pattern = BitPattern {
            letters: wanted.len(),
            ascii: vec![0; 128 * blocks],
            others: HashMap::new(),
        };
        for (index, letter) in wanted.iter().enumerate() {
            let bit = 1 << (index % 64);
            let bits = match letter.is_ascii() {
                true => &mut pattern.ascii[*letter as usize * blocks + index / 64],
                false => {
                    let own = pattern.others.entry(*letter);
                    &mut own.or_insert_with(|| vec![0; blocks])[index / 64]
                }
            };
            *bits |= bit;
        }
        pattern
    }

    /// Returns where sufficiently similar texts end: the number of letters that differ, and the last letter, the most
    /// similar first.
    fn ends(&self, text: &[char]) -> Vec<(usize, usize)> {
        let blocks = self.letters.div_ceil(64);
        let nowhere = vec![0; blocks];
        let last_bit = 1_u64 << ((self.letters - 1) % 64);
        let mut column = BitColumn::new(blocks);
        let mut cost = self.letters;
        // Swapped letters cost two here, and one in the exact comparison.
        let limit = may_differ(self.letters) + 1;
        let near = self.letters / 2 + 1;
        let mut ends: Vec<(usize, usize)> = Vec::new();
        for (index, letter) in text.iter().enumerate() {
            let holds = match letter.is_ascii() {
                true => &self.ascii[*letter as usize * blocks..][..blocks],
                false => self.others.get(letter).unwrap_or(&nowhere),
            };
            let change = column.advance(holds, last_bit);
            cost = cost.saturating_add_signed(isize::from(change));
            if cost > limit {
                continue;
            }
            match ends.last_mut() {
                Some(last) if index - last.1 <= near => {
                    if cost < last.0 {
                        *last = (cost, index);
                    }
                }
                _ => ends.push((cost, index)),
            }
        }
        ends.sort_unstable();
        ends
    }
}

/// One column of the table of costs, as the bits of its differences: where the cost grows by one from one wanted letter
/// to the next, and where it shrinks.
struct BitColumn {
    plus: Vec<u64>,
    minus: Vec<u64>,
}

impl BitColumn {
    fn new(blocks: usize) -> BitColumn {
        BitColumn {
            plus: vec![u64::MAX; blocks],
            minus: vec![0; blocks],
        }
    }

    /// Moves to the next letter, which is at the positions `holds` of the wanted text. Returns the change of the last
    /// cost.
    fn advance(&mut self, holds: &[u64], last_bit: u64) -> i8 {
        let mut carried: i8 = 0;
        for (block, &bits) in holds.iter().enumerate() {
            let top = match block + 1 == holds.len() {
                true => last_bit,
                false => 1 << 63,
            };
            let (plus, minus) = (self.plus[block], self.minus[block]);
            let mut equal = bits;
            let vertical = equal | minus;
            equal |= u64::from(carried < 0);
            let horizontal = ((equal & plus).wrapping_add(plus) ^ plus) | equal;
            let mut up = minus | !(horizontal | plus);
            let mut down = plus & horizontal;
            let out = i8::from(up & top != 0) - i8::from(down & top != 0);
            up = up << 1 | u64::from(carried > 0);
            down = down << 1 | u64::from(carried < 0);
            self.plus[block] = down | !(vertical | up);
            self.minus[block] = up & vertical;
            carried = out;
        }
        carried
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;
    use crate::source::Source;

    const TEXT: &str = "fn run(args: &[u8]) -> u8 {\n    let count  = args.len();\n    print(\"count\", count);\n\
                        \x20   let total = sum(args);\n}\nfn rún() {}\n";

    /// Returns the texts similar to `wanted`, each with the number of letters that differ.
    fn found(text: &str, wanted: &str) -> Vec<(String, usize)> {
        let source = Source::new("a.txt", language::plain_text(), text.to_string());
        let parsed = Parsed::parse(source);
        let area = super::super::area(&parsed, None).expect("the whole file is an area");
        let all = alike(&parsed, wanted, &area).into_iter();
        all.map(|one| (text[one.span.range()].to_string(), one.cost as usize))
            .collect()
    }

    #[track_caller]
    fn check(wanted: &str, expected: &str, letters: usize) {
        let found = found(TEXT, wanted);
        let first = found.first().map(|(text, cost)| (text.as_str(), *cost));
        assert_eq!(first, Some((expected, letters)), "{wanted}");
    }

    #[test]
    fn white_space_case_and_quotes_weigh_nothing() {
        check("let count=args.len();", "let count  = args.len();", 0);
        check("LetCount = args.len();", "let count  = args.len();", 0);
        check("print('count', count)", "print(\"count\", count)", 0);
        check(
            "print(\u{201c}count\u{201d},\ncount)",
            "print(\"count\", count)",
            0,
        );
    }

    #[test]
    fn letters_left_out_put_in_exchanged_and_swapped_weigh_one() {
        check("let cont = args.len()", "let count  = args.len()", 1);
        check("let ccount = args.len()", "let count  = args.len()", 1);
        check("let cuont = args.len()", "let count  = args.len()", 1);
        check("let tatal = sum(args)", "let total = sum(args)", 1);
        check("fn rún(args", "fn run(args", 1);
    }

    #[test]
    fn a_long_text_is_found_across_lines() {
        let wanted = "fn run(args: &[u8]) -> u8 { let count = args.len(); print(\"count\", cuont); let totl = sum(args); }";
        let found = found(TEXT, wanted);
        assert_eq!(found.first().map(|one| one.1), Some(2), "{found:?}");
        assert!(found[0].0.starts_with("fn run") && found[0].0.ends_with('}'));
    }

    #[test]
    fn words_are_taken_whole() {
        check("et total = su", "let total = sum", 2);
    }

    #[test]
    fn what_differs_too_much_is_not_like_it() {
        for wanted in ["while true", "()", "", "zzzzzzzzzzzz"] {
            assert_eq!(found(TEXT, wanted), [], "{wanted}");
        }
    }

    #[test]
    fn the_search_agrees_with_a_table_of_all_costs() {
        let letters: Vec<char> = "abcab".chars().collect();
        for number in 0..3_000_usize {
            // Texts of one to 90 letters, and a similar text somewhere in a longer one.
            let length = 1 + number % 90;
            let pick = |at: usize| letters[(at * 7 + number * at * at + number / 3) % 5];
            let wanted: Vec<char> = (0..length).map(pick).collect();
            let text: Vec<char> = (0..200).map(|at| pick(at * 3 + 1)).collect();
            let mut column: Vec<usize> = (0..=length).collect();
            let mut least = usize::MAX;
            for letter in &text {
                let mut next = vec![0];
                for row in 0..length {
                    let changed = column[row] + usize::from(wanted[row] != *letter);
                    next.push(changed.min(column[row + 1] + 1).min(next[row] + 1));
                }
                column = next;
                least = least.min(column[length]);
            }
            let found = BitPattern::from_letters(&wanted).ends(&text);
            let expected = (least <= may_differ(length) + 1).then_some(least);
            assert_eq!(found.first().map(|one| one.0), expected, "{number}");
        }
    }
}
