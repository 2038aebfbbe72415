//! The one place that an old string means, if the text does not contain it.

use super::fit;
use super::forms::{Form, Plain, forms};
use super::{Corrected, Difference, StringEdit};
use crate::locate::{FindReading, Pattern, token_spans};
use crate::source::Span;

/// How many lines around a place may contain the lines beyond a stale one.
const AROUND: usize = 12;

/// Where the tokens of an old string are in the text.
pub(super) struct Alignment {
    /// The tokens in the old string.
    pub(super) old: Vec<Span>,
    /// The same tokens in the text.
    pub(super) text: Vec<Span>,
}

/// The places of an old string, compared token by token.
enum Places {
    None,
    One(Alignment),
    /// Several, or a search that requires too much work.
    Unclear,
}

impl Alignment {
    /// Returns how the old string differs from the text.
    fn differences(&self, old: &str, text: &str) -> Vec<Difference> {
        let mut pairs = self.old.iter().zip(&self.text);
        let quotes = pairs.any(|(own, other)| old[own.range()] != text[other.range()]);
        let gaps = |tokens: &[Span], text: &str| -> Vec<String> {
            let gap = |pair: &[Span]| text[pair[0].end()..pair[1].start()].to_string();
            tokens.windows(2).map(gap).collect()
        };
        // Without a difference between tokens, the outer whitespace differs.
        let blanks = !quotes || gaps(&self.old, old) != gaps(&self.text, text);
        let quotes = quotes.then_some(Difference::Quotes);
        let blanks = blanks.then_some(Difference::Whitespace);
        quotes.into_iter().chain(blanks).collect()
    }
}

/// Returns the edit with the bytes of the text, if its old string means exactly one place in it.
pub(super) fn meant(text: &str, edit: &StringEdit) -> Option<Corrected> {
    let plain = Plain::from_text(text);
    let forms = forms(edit);
    for form in &forms {
        match text.matches(&*form.old).count() {
            0 => {}
            1 => return verbatim(text, edit, form),
            _ => return None,
        }
        match places(&plain, &form.old) {
            Places::None => {}
            Places::One(alignment) => return fitted(text, edit, form, &alignment),
            Places::Unclear => return None,
        }
    }
    forms
        .into_iter()
        .find_map(|form| without_stale_line(text, &plain, edit, form))
}

/// Returns the edit in a form whose old string the text contains.
fn verbatim(text: &str, edit: &StringEdit, form: &Form<'_>) -> Option<Corrected> {
    let fitted = StringEdit::new(&*form.old, &*form.new);
    let mut differences = form.differences.clone();
    if differences.is_empty() {
        // Only line breaks are always read in another form.
        differences.push(Difference::Whitespace);
    }
    corrected(text, edit, fitted, differences)
}

/// Returns the edit with the bytes of the place of `alignment`, unless they cannot be determined.
fn fitted(
    text: &str,
    edit: &StringEdit,
    form: &Form<'_>,
    alignment: &Alignment,
) -> Option<Corrected> {
    let mut differences = form.differences.clone();
    differences.extend(alignment.differences(&form.old, text));
    let fitted = fit::fitted(text, form, alignment)?;
    corrected(text, edit, fitted, differences)
}

/// Returns a corrected edit, if its old string occurs once.
fn corrected(
    text: &str,
    edit: &StringEdit,
    fitted: StringEdit,
    differences: Vec<Difference>,
) -> Option<Corrected> {
    let mut found = text.match_indices(fitted.old.as_str());
    let (start, old) = found.next()?;
    if found.next().is_some() {
        return None;
    }
    // Numbered lines are whole lines: a number that belongs to the code is followed by it in the text too.
    let before = text[..start].rsplit('\n').next().unwrap_or_default();
    if differences.contains(&Difference::LineNumbers) && !before.trim().is_empty() {
        return None;
    }
    Some(Corrected {
        span: Span::new(start, start + old.len()),
        edit: StringEdit {
            all: edit.all,
            ..fitted
        },
        differences,
    })
}

/// Returns where the text has the tokens of an old string, with any whitespace between them.
fn places(text: &Plain<'_>, old: &str) -> Places {
    let plain = Plain::from_text(old);
    // A few signs could be anywhere.
    if plain
        .text
        .chars()
        .filter(|char| char.is_alphanumeric())
        .count()
        < 2
    {
        return Places::None;
    }
    let reading = FindReading {
        text: plain.text.to_string(),
        marker: None,
    };
    let pattern = Pattern::new(&reading);
    let mut search = pattern.all(&text.text, Span::new(0, text.text.len()));
    let first = search.next();
    if search.next().is_some() || (first.is_none() && !search.complete()) {
        return Places::Unclear;
    }
    let Some(first) = first else {
        return Places::None;
    };
    let tokens = token_spans(&plain.text, Span::new(0, plain.text.len()));
    let mut at = first.span.start();
    let mut alignment = Alignment {
        old: Vec::with_capacity(tokens.len()),
        text: Vec::with_capacity(tokens.len()),
    };
    for token in tokens {
        let rest = &text.text[at..];
        let start = at + rest.len() - rest.trim_start().len();
        at = start + token.len();
        let own = |offset| plain.original(offset);
        let in_text = |offset| text.original(offset);
        alignment
            .old
            .push(Span::new(own(token.start()), own(token.end())));
        alignment.text.push(Span::new(in_text(start), in_text(at)));
    }
    match first.splits_word {
        true => Places::Unclear,
        false => Places::One(alignment),
    }
}

/// Returns the corrected edit without one line next to what changes, which the text does not have.
fn without_stale_line(
    text: &str,
    plain: &Plain<'_>,
    edit: &StringEdit,
    form: Form<'_>,
) -> Option<Corrected> {
    let old: Vec<&str> = form.old.split('\n').collect();
    let new: Vec<&str> = form.new.split('\n').collect();
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = old.iter().zip(&new).take_while(same).count();
    let short = old.len().min(new.len());
    let tails = old.iter().rev().zip(new.iter().rev());
    let tail = tails.take(short - head).take_while(same).count();
    let is_insertion = head + tail == old.len();
    // At least one line remains next to inserted ones.
    let next_to = usize::from(is_insertion);
    let above = (0..head.saturating_sub(next_to)).rev();
    let below = old.len() - tail + next_to..old.len();
    let is_stale = |line: &str| matches!(places(plain, line), Places::None) && is_of_words(line);
    let cut_above = above.filter(|index| is_stale(old[*index])).map(|index| {
        let beyond = &old[..index];
        (index, beyond, &old[index + 1..], &new[index + 1..], true)
    });
    let cut_below = below.filter(|index| is_stale(old[*index])).map(|index| {
        let of_new = new.len() - (old.len() - index);
        let beyond = &old[index + 1..];
        (index, beyond, &old[..index], &new[..of_new], false)
    });
    let mut cuts = cut_above.chain(cut_below);
    let (index, beyond, old_left, new_left, is_above) = cuts.next()?;
    if cuts.next().is_some() {
        return None;
    }
    // The lines keep the line break towards the one that is left out: a deleted line leaves nothing.
    let joined = |lines: &[&str]| -> String {
        let line = |line: &&str| match is_above {
            true => format!("\n{line}"),
            false => format!("{line}\n"),
        };
        lines.iter().map(line).collect()
    };
    let mut differences = form.differences.clone();
    differences.push(Difference::StaleLine(old[index].trim().to_string()));
    let rest = Form {
        old: joined(old_left).into(),
        new: joined(new_left).into(),
        differences,
    };
    let words = rest.old.chars().filter(|char| char.is_alphanumeric());
    if words.count() < 8 {
        return None;
    }
    let Places::One(alignment) = places(plain, &rest.old) else {
        return None;
    };
    let first = alignment.text.first()?.start();
    let last = alignment.text.last()?.end();
    let near: Vec<&str> = match is_above {
        true => text[..first].lines().rev().take(AROUND).collect(),
        false => text[last..].lines().take(AROUND).collect(),
    };
    let is_near = |line: &&str| near.iter().any(|own| own.trim() == line.trim());
    if !beyond.iter().filter(|line| is_of_words(line)).all(is_near) {
        return None;
    }
    match text.contains(&*rest.old) {
        true => verbatim(text, edit, &rest),
        false => fitted(text, edit, &rest, &alignment),
    }
}

/// Returns whether a line has enough words to be recognized.
fn is_of_words(line: &str) -> bool {
    line.chars().filter(|char| char.is_alphanumeric()).count() >= 4
}
