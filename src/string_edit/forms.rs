//! The forms in which an edit is read: as it is, and without the line numbers that some tools print before each line.
//! Typographic quotes, dashes and spaces are compared as plain ones.

use std::borrow::Cow;

use super::{Difference, StringEdit};

/// An edit in one form.
pub(super) struct Form<'e> {
    pub(super) old: Cow<'e, str>,
    pub(super) new: Cow<'e, str>,
    pub(super) differences: Vec<Difference>,
}

/// Returns the forms of an edit, those nearest to its own bytes first.
pub(super) fn forms(edit: &StringEdit) -> Vec<Form<'_>> {
    // A lone carriage return is whitespace of a line, as in the text.
    let (old, new) = (
        edit.old.replace("\r\n", "\n"),
        edit.new.replace("\r\n", "\n"),
    );
    let unnumbered = without_line_numbers(&old).and_then(|bare| {
        let bare_new = without_line_numbers(&new);
        // Numbers of some lines only, or in another order, must not get into the text.
        let has_number = new.split('\n').any(begins_with_number);
        let new = bare_new.or_else(|| (!has_number).then(|| new.clone()))?;
        Some(Form {
            old: bare.into(),
            new: new.into(),
            differences: vec![Difference::LineNumbers],
        })
    });
    let own = Form {
        old: old.into(),
        new: new.into(),
        differences: Vec::new(),
    };
    [Some(own), unnumbered].into_iter().flatten().collect()
}

/// Returns the lines without the numbers that they begin with, if all lines begin with consecutive numbers.
///
/// Known forms are those of `cat -n`, and those with an arrow or a bar: `  12\ttext`, `12→text` and `12 | text`. A colon
/// after a number is code in many languages.
fn without_line_numbers(text: &str) -> Option<String> {
    let mut lines = text.split('\n').collect::<Vec<&str>>();
    // The last line break ends a line without number.
    let ends_line = lines.len() > 1 && lines.last() == Some(&"");
    if ends_line {
        lines.pop();
    }
    let digits = |line: &str| line.find(|c: char| !c.is_ascii_digit());
    let first = lines.first()?.trim_start_matches(' ');
    let number: usize = first[..digits(first)?].parse().ok()?;
    let after = &first[digits(first)?..];
    let separator = SEPARATORS.iter().find(|sign| after.starts_with(**sign))?;
    let mut bare = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let expected = (number + index).to_string();
        let rest = line.trim_start_matches(' ').strip_prefix(&expected)?;
        bare.push(match rest.strip_prefix(separator) {
            Some(code) => code,
            // Empty lines may lack the blank of the separator.
            None if rest.trim() == separator.trim() => "",
            None => return None,
        });
    }
    if ends_line {
        bare.push("");
    }
    Some(bare.join("\n"))
}

/// What follows the number of a line.
const SEPARATORS: [&str; 3] = ["\t", "\u{2192}", " | "];

/// Returns whether a line begins like a numbered one.
fn begins_with_number(line: &str) -> bool {
    let line = line.trim_start_matches(' ');
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let signs = SEPARATORS.iter().map(|sign| sign.trim_start_matches(' '));
    rest.len() < line.len()
        && signs
            .into_iter()
            .any(|sign| rest.trim_start_matches(' ').starts_with(sign))
}

/// A text with plain quotes, dashes and spaces instead of typographic ones, and where each of its bytes was.
pub(super) struct Plain<'t> {
    pub(super) text: Cow<'t, str>,
    /// The byte offsets of the plain characters that were longer, each with the number of bytes removed so far.
    removed: Vec<(usize, usize)>,
}

impl<'t> Plain<'t> {
    pub(super) fn from_text(text: &'t str) -> Plain<'t> {
        let mut removed = Vec::new();
        if text.is_ascii() || !text.contains(|char| plain(char).is_some()) {
            return Plain {
                text: text.into(),
                removed,
            };
        }
        let mut written = String::with_capacity(text.len());
        for (offset, char) in text.char_indices() {
            match plain(char) {
                Some(plain) => {
                    written.push(plain);
                    removed.push((written.len(), offset + char.len_utf8() - written.len()));
                }
                None => written.push(char),
            }
        }
        Plain {
            text: written.into(),
            removed,
        }
    }

    /// Returns the offset in the original text of an offset in the plain one.
    pub(super) fn original(&self, offset: usize) -> usize {
        let before = self.removed.partition_point(|(at, _)| *at <= offset);
        match before.checked_sub(1) {
            Some(last) => offset + self.removed[last].1,
            None => offset,
        }
    }

    /// Returns whether any character was typographic.
    pub(super) fn changed(&self) -> bool {
        !self.removed.is_empty()
    }
}

/// Returns whether a character is one that has a typographic form, in either form.
pub(super) fn has_forms(char: char) -> bool {
    matches!(char, '\'' | '"' | '-' | '`') || plain(char).is_some()
}

/// Returns the plain form of a typographic quote, dash or space.
fn plain(char: char) -> Option<char> {
    match char {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => Some('\''),
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => Some('"'),
        '\u{2010}'..='\u{2015}' => Some('-'),
        '\u{a0}' | '\u{202f}' | '\u{2007}' => Some(' '),
        _ => None,
    }
}
