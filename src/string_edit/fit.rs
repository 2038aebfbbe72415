//! The bytes of the corrected strings: what the new string leaves as in the old one stays as in the text; what it changes
//! is written as in the new string, with the indentation of the text.

use similar::DiffTag;

use super::StringEdit;
use super::find::Alignment;
use super::forms::{Form, Plain, has_forms};
use super::indentation::Indentations;
use crate::edit::leading;
use crate::locate::token_spans;
use crate::source::{Span, shortest_diff};

/// Returns the edit of the place of `alignment` with the bytes of the text; `None` if they cannot be determined.
pub(super) fn fitted(text: &str, form: &Form<'_>, alignment: &Alignment) -> Option<StringEdit> {
    let (first, last) = (alignment.text.first()?, alignment.text.last()?);
    let fit = Fit {
        text,
        old: &form.old,
        tokens: &alignment.old,
        places: &alignment.text,
        signs: Signs::from_alignment(text, &form.old, alignment),
    };
    let core = form.new.trim();
    let (before, after) = match core.is_empty() {
        true => (&*form.new, ""),
        false => outer_blanks(&form.new),
    };
    let (old_before, old_after) = outer_blanks(&form.old);
    // Whole lines mean whole lines: the same code after a comment sign is another place.
    let starts_line = fit.indentation(0).is_some();
    let rest = text[last.end()..].split('\n').next().unwrap_or_default();
    if (!old_before.is_empty() && !starts_line)
        || (old_after.contains('\n') && !rest.trim().is_empty())
    {
        return None;
    }
    // Deleted lines that begin with code take their indentation along.
    let deletes_lines = form.new.is_empty() && old_before.is_empty() && old_after.contains('\n');
    if !fit.blank_lines_are_clear(&form.new) {
        return None;
    }
    let front = match fit.indentation(0) {
        Some(indentation) if deletes_lines => Blanks::none(first.start() - indentation.len()),
        _ => fit.front(old_before, before)?,
    };
    let back = fit.back(old_after, after)?;
    let new = if core.is_empty() {
        // Deleted code leaves line breaks at most. Whitespace before it that the edit leaves stays in the text.
        let left = if before == old_before { "" } else { before };
        let is_blank = left.chars().all(|char| char == '\n');
        is_blank.then(|| left.to_string())?
    } else {
        let indentations = fit.indentations(old_before);
        let indented = |blanks: &Blanks| {
            let indentation = match &blanks.indentation {
                Some(indentation) => indentations.meaning(indentation)?,
                None => String::new(),
            };
            Some(format!("{}{indentation}", blanks.text))
        };
        let middle = match fit.has_same_lines() {
            true => fit.by_lines(core, &indentations)?,
            false => fit.on_one_line(core)?,
        };
        format!("{}{middle}{}", indented(&front)?, indented(&back)?)
    };
    let span = Span::new(front.at.min(first.start()), back.at.max(last.end()));
    let fitted = StringEdit::new(&text[span.range()], new);
    // A change of whitespace alone may be lost in the bytes of the text.
    let is_change = fitted.old != fitted.new && is_same_code(&form.new, &fitted.new);
    let adds_return = fitted.new.contains('\r') && !fitted.old.contains('\r');
    (is_change && !adds_return).then_some(fitted)
}

/// Returns whether two strings have the same tokens, without the difference between plain and typographic signs.
pub(super) fn is_same_code(one: &str, other: &str) -> bool {
    let tokens = |string: &str| -> Vec<String> {
        let plain = Plain::from_text(string).text;
        let spans = token_spans(&plain, Span::new(0, plain.len()));
        let tokens = spans.iter().map(|span| plain[span.range()].to_string());
        tokens.collect()
    };
    tokens(one) == tokens(other)
}

/// Returns the whitespace before and after the code of a string.
fn outer_blanks(string: &str) -> (&str, &str) {
    let start = string.len() - string.trim_start().len();
    (&string[..start], &string[string.trim_end().len()..])
}

/// Returns the part of whitespace after its last line break.
fn last_line(blanks: &str) -> &str {
    blanks.rsplit('\n').next().unwrap_or_default()
}

/// How the quotes and dashes of the edit are written in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signs {
    /// As in the edit.
    Same,
    /// Plain; the edit has typographic ones.
    Plain,
    /// Some are typographic.
    Typographic,
}

impl Signs {
    fn from_alignment(text: &str, old: &str, alignment: &Alignment) -> Signs {
        let mut pairs = alignment.old.iter().zip(&alignment.text);
        if pairs.all(|(own, place)| old[own.range()] == text[place.range()]) {
            return Signs::Same;
        }
        let is_plain = |place: &Span| !Plain::from_text(&text[place.range()]).changed();
        match alignment.text.iter().all(is_plain) {
            true => Signs::Plain,
            false => Signs::Typographic,
        }
    }

    /// Returns new code with these signs; `None` if it cannot be known which ones it needs.
    fn written(self, code: &str) -> Option<String> {
        match self {
            Signs::Same => Some(code.to_string()),
            // Only quotes are typographic by mistake: a new dash or space may be meant.
            Signs::Plain => {
                let plain = Plain::from_text(code).text.into_owned();
                let is_of_quotes =
                    plain.matches(['-', ' ']).count() == code.matches(['-', ' ']).count();
                is_of_quotes.then_some(plain)
            }
            Signs::Typographic => (!code.contains(has_forms)).then(|| code.to_string()),
        }
    }
}

/// The whitespace at one end of the new string.
struct Blanks {
    /// Where the old string begins or ends in the text.
    at: usize,
    /// The whitespace, up to the last line break.
    text: String,
    /// The indentation after it, as in the edit.
    indentation: Option<String>,
}

impl Blanks {
    /// Returns an end without whitespace.
    fn none(at: usize) -> Blanks {
        Blanks {
            at,
            text: String::new(),
            indentation: None,
        }
    }

    /// Returns an end with `blanks`, whose last line is the indentation of a line. Refuses whitespace on the lines before
    /// it, which may be meant.
    fn parse(at: usize, blanks: &str) -> Option<Blanks> {
        let indentation = last_line(blanks);
        let text = &blanks[..blanks.len() - indentation.len()];
        text.chars().all(|char| char == '\n').then(|| Blanks {
            at,
            text: text.to_string(),
            indentation: Some(indentation.to_string()),
        })
    }
}

/// An old string and its place in the text.
struct Fit<'a> {
    text: &'a str,
    old: &'a str,
    tokens: &'a [Span],
    places: &'a [Span],
    signs: Signs,
}

/// Where a line of the new string comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A line of the old string, unchanged.
    Kept(usize),
    /// A line of the old string, changed.
    Changed(usize),
    New,
}

impl Origin {
    fn old_line(self) -> Option<usize> {
        match self {
            Origin::Kept(line) | Origin::Changed(line) => Some(line),
            Origin::New => None,
        }
    }
}

/// A line of the old string that has tokens.
struct OldLine<'a> {
    /// Its number in the old string.
    number: usize,
    /// Its text, without the outer whitespace of the whole string.
    text: &'a str,
    /// The indices of its tokens.
    tokens: std::ops::Range<usize>,
}

impl<'a> Fit<'a> {
    /// Returns whether it is clear which blank lines the edit removes or adds: it leaves their number as it is, it has them
    /// with the whitespace of the text, or they are all alike there.
    fn blank_lines_are_clear(&self, new: &str) -> bool {
        let own = inner_blank_lines(self.old);
        if own.len() == inner_blank_lines(new).len() {
            return true;
        }
        let (start, end) = (
            self.places[0].start(),
            self.places[self.places.len() - 1].end(),
        );
        let (before, after) = outer_blanks(self.old);
        let nth_above = before.matches('\n').count().checked_sub(1);
        let above = nth_above.and_then(|nth| self.text[..start].rmatch_indices('\n').nth(nth));
        let nth_below = after.matches('\n').count().checked_sub(1);
        let below = nth_below.and_then(|nth| self.text[end..].match_indices('\n').nth(nth));
        let from = above.map_or(start, |(at, _)| at);
        let to = below.map_or(end, |(at, _)| end + at + 1);
        let there = inner_blank_lines(&self.text[from..to]);
        own == there || there.windows(2).all(|pair| pair[0] == pair[1])
    }

    /// Returns the end before the first token, if the old and new string begin with this whitespace.
    fn front(&self, old: &str, new: &str) -> Option<Blanks> {
        let token = self.places[0].start();
        if old == new {
            return Some(Blanks::none(token));
        }
        let run = &self.text[self.text[..token].trim_end().len()..token];
        let starts_line = run.contains('\n') || run.len() == token;
        let breaks = old.matches('\n').count();
        let start = match breaks {
            0 if old.is_empty() => token,
            0 => token - last_line(run).len(),
            count => token - run.len() + run.rmatch_indices('\n').nth(count - 1)?.0,
        };
        // A line break before a token that keeps its indentation would leave that indentation on a line of its own.
        if start == token && !last_line(run).is_empty() && starts_line {
            return None;
        }
        match starts_line {
            true => Blanks::parse(start, new),
            false => Some(Blanks {
                at: start,
                text: new.to_string(),
                indentation: None,
            }),
        }
    }

    /// Returns the end after the last token, if the old and new string end with this whitespace.
    fn back(&self, old: &str, new: &str) -> Option<Blanks> {
        let token = self.places.last()?.end();
        if old == new {
            return Some(Blanks::none(token));
        }
        let (old, new) = match last_line(old) {
            // The indentation of the line after it stays as it is.
            next if old.contains('\n') && new.contains('\n') && last_line(new) == next => (
                &old[..old.len() - next.len()],
                &new[..new.len() - next.len()],
            ),
            next if old.contains('\n') && !next.is_empty() => return None,
            _ => (old, new),
        };
        let rest = &self.text[token..];
        let run = &rest[..rest.len() - rest.trim_start().len()];
        let len = match old.matches('\n').count() {
            0 if old.is_empty() => 0,
            0 => run.len() - run.trim_start_matches([' ', '\t']).len(),
            count => run.match_indices('\n').nth(count - 1)?.0 + 1,
        };
        if last_line(new).is_empty() || !new.contains('\n') {
            return Some(Blanks {
                at: token + len,
                text: new.to_string(),
                indentation: None,
            });
        }
        Blanks::parse(token + len, new)
    }

    /// Returns the indentations that the lines of the old string and the text show.
    fn indentations(&self, before: &str) -> Indentations {
        let shown = |skipped: usize| {
            let lines = self.lines().into_iter().skip(skipped);
            let pairs = lines.filter_map(|line| {
                let own = match line.number {
                    0 => last_line(before),
                    _ => leading(line.text),
                };
                Some((own.to_string(), self.indentation(line.tokens.start)?))
            });
            Indentations::new(pairs, self.text)
        };
        let all = shown(0);
        // The first line may be without its indentation, and the others with it.
        let is_indented = self.indentation(0).is_some_and(|own| !own.is_empty());
        match all.is_contradictory() && last_line(before).is_empty() && is_indented {
            true => shown(1),
            false => all,
        }
    }

    /// Returns the indentation of the line that a token begins in the text.
    fn indentation(&self, token: usize) -> Option<String> {
        let line = self.text[..self.places[token].start()]
            .rsplit('\n')
            .next()?;
        line.trim().is_empty().then(|| line.to_string())
    }

    /// Returns the lines of the old string that have tokens.
    fn lines(&self) -> Vec<OldLine<'a>> {
        let core = self.old.trim();
        let mut start = self.old.len() - self.old.trim_start().len();
        let mut lines = Vec::new();
        let mut token = 0;
        for (number, text) in core.split('\n').enumerate() {
            let end = start + text.len();
            let past = token + self.tokens[token..].partition_point(|own| own.end() <= end);
            if past > token {
                let tokens = token..past;
                lines.push(OldLine {
                    number,
                    text,
                    tokens,
                });
            }
            token = past;
            start = end + 1;
        }
        lines
    }

    /// Returns whether the text breaks its lines between the same tokens.
    fn has_same_lines(&self) -> bool {
        let breaks = |text: &str, tokens: &[Span]| -> Vec<bool> {
            let gaps = tokens.windows(2);
            let gaps = gaps.map(|pair| text[pair[0].end()..pair[1].start()].contains('\n'));
            gaps.collect()
        };
        breaks(self.old, self.tokens) == breaks(self.text, self.places)
    }

    /// Returns the new code, line by line.
    fn by_lines(&self, new: &str, indentations: &Indentations) -> Option<String> {
        let old = self.lines();
        let lines: Vec<&str> = new.split('\n').collect();
        let origins = origins(self.old.trim(), &old, &lines);
        let mut written = String::new();
        let mut last: Option<(usize, Origin)> = None;
        // The old lines whose line breaks after them are kept.
        let mut kept: Vec<usize> = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let origin = origins[number];
            if let Some((above, of_above)) = last {
                match self.kept_gap(&old, (above, of_above), (number, origin), &lines) {
                    Some(gap) => {
                        kept.extend(of_above.old_line());
                        written.push_str(gap);
                    }
                    None => {
                        match of_above {
                            Origin::Kept(own) => {
                                written.push_str(self.kept_end(&old[own], trailing(lines[above]))?);
                            }
                            Origin::Changed(_) => written.push_str(trailing(lines[above])),
                            // It is written with its end.
                            Origin::New => {}
                        }
                        for blank in &lines[above + 1..number] {
                            // Whitespace on a blank line is no indentation, and stays as it is or is not known.
                            if !blank.is_empty() && indentations.meaning(blank)? != **blank {
                                return None;
                            }
                            written.push('\n');
                            written.push_str(blank);
                        }
                        written.push('\n');
                        let above = leading(lines[above]);
                        written.push_str(&self.indented_as(
                            line,
                            above,
                            origin,
                            &old,
                            indentations,
                        )?);
                    }
                }
            }
            match origin {
                Origin::Kept(own) => {
                    let tokens = old[own].tokens.clone();
                    let span = self.places[tokens.start].start()..self.places[tokens.end - 1].end();
                    written.push_str(&self.text[span]);
                }
                Origin::Changed(own) => {
                    let changed = self.merged(old[own].tokens.clone(), line.trim())?;
                    written.push_str(&changed);
                }
                Origin::New => written.push_str(&self.signs.written(line.trim_start())?),
            }
            last = Some((number, origin));
        }
        // Next to changed lines, the blank lines must be known.
        let is_known = |index: usize| {
            let next = old[index + 1].tokens.start;
            let own = blank_lines(self.old, self.tokens, next);
            let there = blank_lines(self.text, self.places, next);
            let mut pairs = own.iter().zip(&there);
            own.len() == there.len() && pairs.all(|(own, there)| there.is_empty() || own == there)
        };
        let gaps = 0..old.len().saturating_sub(1);
        let is_clear = gaps
            .into_iter()
            .all(|index| kept.contains(&index) || is_known(index));
        is_clear.then_some(written)
    }

    /// Returns the whitespace at the end of a line that the edit keeps, and that ends with `new` there: that of the text,
    /// unless the edit changes it.
    fn kept_end<'n>(&self, line: &OldLine<'_>, new: &'n str) -> Option<&'n str>
    where
        'a: 'n,
    {
        let own = self.trailing_blanks(line);
        let rest = &self.old[self.tokens[line.tokens.end - 1].end()..];
        let old = &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()];
        match old {
            _ if old == new || own == new => Some(own),
            _ if old == own => Some(new),
            _ => None,
        }
    }

    /// Returns the whitespace that the text has at the end of a line.
    fn trailing_blanks(&self, line: &OldLine<'_>) -> &'a str {
        let rest = &self.text[self.places[line.tokens.end - 1].end()..];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }

    /// Returns the line breaks and the indentation of the text between two lines of the new string, if the old one has the
    /// same there.
    fn kept_gap(
        &self,
        old: &[OldLine<'_>],
        (above, of_above): (usize, Origin),
        (number, origin): (usize, Origin),
        lines: &[&str],
    ) -> Option<&'a str> {
        let (one, other) = (of_above.old_line()?, origin.old_line()?);
        let (upper, lower) = (&old[one], &old[other]);
        let written = self.old[self.tokens[upper.tokens.end - 1].end()..].get(
            ..self.tokens[lower.tokens.start].start() - self.tokens[upper.tokens.end - 1].end(),
        )?;
        let end = self.places[upper.tokens.end - 1].end();
        let gap = &self.text[end..self.places[lower.tokens.start].start()];
        let blank: String = lines[above + 1..number]
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        let (end_above, indentation) = (trailing(lines[above]), leading(lines[number]));
        let kept = format!("{end_above}\n{blank}{indentation}");
        (other == one + 1 && written == kept).then_some(gap)
    }

    /// Returns the indentation in the text of a line of the new string, which is below one with the indentation `above`.
    fn indented_as(
        &self,
        line: &str,
        above: &str,
        origin: Origin,
        old: &[OldLine<'_>],
        indentations: &Indentations,
    ) -> Option<String> {
        match origin {
            Origin::Kept(own) | Origin::Changed(own)
                if old[own].number > 0 && leading(old[own].text) == leading(line) =>
            {
                self.indentation(old[own].tokens.start)
            }
            _ => indentations.meaning_below(above, leading(line)),
        }
    }

    /// Returns the new code if what it changes is on one line: the lines of the text differ from those of the old string.
    fn on_one_line(&self, new: &str) -> Option<String> {
        self.merged(0..self.tokens.len(), new)
    }

    /// Returns `new` with the bytes of the text for the tokens at its start and end that it has in common with these
    /// tokens of the old string. Refuses a line break between them.
    fn merged(&self, tokens: std::ops::Range<usize>, new: &str) -> Option<String> {
        let (own, places) = (&self.tokens[tokens.clone()], &self.places[tokens]);
        let others = token_spans(new, Span::new(0, new.len()));
        let short = own.len().min(others.len());
        let gap = |text: &'a str, tokens: &[Span], index: usize| match index {
            0 => "",
            _ => &text[tokens[index - 1].end()..tokens[index].start()],
        };
        let new_gap = |index: usize| match index {
            0 => "",
            _ => &new[others[index - 1].end()..others[index].start()],
        };
        let is_same =
            |one: usize, other: usize| self.old[own[one].range()] == new[others[other].range()];
        let mut head = 0;
        while head < short && is_same(head, head) && gap(self.old, own, head) == new_gap(head) {
            head += 1;
        }
        let mut tail = 0;
        while tail < short - head {
            let (one, other) = (own.len() - 1 - tail, others.len() - 1 - tail);
            let is_gap_kept = tail == 0 || gap(self.old, own, one + 1) == new_gap(other + 1);
            if !is_same(one, other) || !is_gap_kept {
                break;
            }
            tail += 1;
        }
        let (after_head, before_tail) = (own.len() - tail, others.len() - tail);
        // Whitespace that the edit has on both sides, but the text does not, may be a mistake or the change itself.
        let is_known = |index: usize| {
            let place = gap(self.text, places, index);
            place.contains(['\n', '\r']) || gap(self.old, own, index) == place
        };
        let kept = (1..head).chain(own.len() - tail.saturating_sub(1)..own.len());
        if !kept.into_iter().all(is_known) {
            return None;
        }
        // Whitespace next to changed tokens stays as in the text if the edit does not change it.
        let is_kept = |one: usize, other: usize| {
            one < own.len() && other < others.len() && gap(self.old, own, one) == new_gap(other)
        };
        let ends = [(head, head), (after_head, before_tail)].into_iter();
        let mut unclear =
            ends.filter(|(one, other)| *one > 0 && *other > 0 && is_kept(*one, *other));
        if unclear.any(|(one, _)| !is_known(one)) {
            return None;
        }
        let has_middle = head < after_head && head < before_tail;
        let (mut from, mut to) = (0, new.len());
        let (mut before, mut after) = (String::new(), String::new());
        if head > 0 {
            before.push_str(&self.text[places[0].start()..places[head - 1].end()]);
            from = others[head - 1].end();
            if (has_middle || tail > 0) && is_kept(head, head) {
                before.push_str(gap(self.text, places, head));
                from = others[head].start();
            }
        }
        if tail > 0 {
            to = others[before_tail].start();
            if has_middle && head > 0 && is_kept(after_head, before_tail) {
                after.push_str(gap(self.text, places, after_head));
                to = others[before_tail - 1].end();
            }
            after.push_str(&self.text[places[after_head].start()..places[own.len() - 1].end()]);
        }
        let middle = new.get(from..to)?;
        if middle.contains('\n') {
            return None;
        }
        Some(format!("{before}{}{after}", self.signs.written(middle)?))
    }
}

/// Returns the whitespace that a line ends with.
fn trailing(line: &str) -> &str {
    &line[line.trim_end().len()..]
}

/// Returns the blank lines of a string with their whitespace, without its first and last line, which may be parts of lines.
fn inner_blank_lines(string: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = string.split('\n').skip(1).collect();
    lines.pop();
    lines.retain(|line| line.trim().is_empty());
    lines
}

/// Returns the blank lines before a token, with their whitespace.
fn blank_lines<'t>(text: &'t str, tokens: &[Span], token: usize) -> Vec<&'t str> {
    let gap = &text[tokens[token - 1].end()..tokens[token].start()];
    let mut lines: Vec<&str> = gap.split('\n').skip(1).collect();
    lines.pop();
    lines
}

/// Returns where each line of the new string comes from.
fn origins(core: &str, old: &[OldLine<'_>], new: &[&str]) -> Vec<Origin> {
    let mut origins = vec![Origin::New; new.len()];
    // Whitespace around the code of a line is judged by its place.
    let all: Vec<&str> = core.split('\n').map(str::trim).collect();
    let new: Vec<&str> = new.iter().map(|line| line.trim()).collect();
    let index = |number: usize| old.iter().position(|line| line.number == number);
    for op in shortest_diff(&all, &new) {
        let (of_old, of_new) = (op.old_range(), op.new_range());
        let is_paired = op.tag() == DiffTag::Equal
            || (op.tag() == DiffTag::Replace && of_old.len() == of_new.len());
        if !is_paired {
            continue;
        }
        for (one, other) in of_old.zip(of_new) {
            let origin = match op.tag() {
                DiffTag::Equal => Origin::Kept,
                _ => Origin::Changed,
            };
            origins[other] = index(one).map_or(Origin::New, origin);
        }
    }
    origins
}
