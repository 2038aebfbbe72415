//! The ways in which agents break an exact string replacement.

use treegraft::string_edit::StringEdit;

use crate::mistakes::Random;

/// A way to break a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slip {
    SpaceAdded,
    SpaceDropped,
    TabForSpace,
    OtherIndentation,
    AtColumnZero,
    OneLevelOff,
    BlankLineDropped,
    TrailingSpace,
    CarriageReturns,
    LineNumbers,
    LineNumbersInOld,
    Quotes,
    StaleLine,
    Shortened,
    LetterDropped,
    Escaped,
    BracketDropped,
}

impl Slip {
    pub(super) const ALL: [Slip; 17] = [
        Slip::SpaceAdded,
        Slip::SpaceDropped,
        Slip::TabForSpace,
        Slip::OtherIndentation,
        Slip::AtColumnZero,
        Slip::OneLevelOff,
        Slip::BlankLineDropped,
        Slip::TrailingSpace,
        Slip::CarriageReturns,
        Slip::LineNumbers,
        Slip::LineNumbersInOld,
        Slip::Quotes,
        Slip::StaleLine,
        Slip::Shortened,
        Slip::LetterDropped,
        Slip::Escaped,
        Slip::BracketDropped,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Slip::SpaceAdded => "a space added",
            Slip::SpaceDropped => "a space dropped",
            Slip::TabForSpace => "a tab for a space",
            Slip::OtherIndentation => "tabs for spaces, or the reverse",
            Slip::AtColumnZero => "written at column 0",
            Slip::OneLevelOff => "one level deeper",
            Slip::BlankLineDropped => "a blank line dropped",
            Slip::TrailingSpace => "trailing spaces",
            Slip::CarriageReturns => "CRLF line breaks",
            Slip::LineNumbers => "line numbers in both strings",
            Slip::LineNumbersInOld => "line numbers in the old string",
            Slip::Quotes => "typographic quotes",
            Slip::StaleLine => "a stale line of context",
            Slip::Shortened => "shortened until it occurs several times",
            Slip::LetterDropped => "a letter dropped",
            Slip::Escaped => "quotes and line breaks escaped",
            Slip::BracketDropped => "a bracket dropped from the new string",
        }
    }
}

/// Returns a broken call; `None` if this way does not apply to the call.
pub(super) fn slipped(
    slip: Slip,
    before: &str,
    own: &StringEdit,
    random: &mut Random,
) -> Option<StringEdit> {
    let both =
        |change: &dyn Fn(&str) -> String| Some(StringEdit::new(change(&own.old), change(&own.new)));
    let old = |old: String| Some(StringEdit::new(old, own.new.clone()));
    match slip {
        Slip::SpaceAdded => {
            let at = *random.pick(&inner_blanks(&own.old))?;
            old(format!("{} {}", &own.old[..at], &own.old[at..]))
        }
        Slip::SpaceDropped => {
            let at = *random.pick(&inner_blanks(&own.old))?;
            old(format!("{}{}", &own.old[..at], &own.old[at + 1..]))
        }
        Slip::TabForSpace => {
            let at = *random.pick(&inner_blanks(&own.old))?;
            old(format!("{}\t{}", &own.old[..at], &own.old[at + 1..]))
        }
        Slip::OtherIndentation => {
            let unit = unit(before)?;
            let (from, to) = match unit.as_str() {
                "\t" => ("\t", "    "),
                spaces => (spaces, "\t"),
            };
            both(&|text| of_lines(text, |line| reindented(line, from, to)))
        }
        Slip::AtColumnZero => {
            let margin = margin(&own.old)?;
            // A line of whitespace looks like an empty one, so that neither can replace the other.
            let blank = |text: &str| {
                let lines = text.lines();
                let of_blanks = |line: &&str| !line.is_empty() && line.trim().is_empty();
                lines.filter(of_blanks).count()
            };
            (blank(&own.new) == blank(&own.old)).then_some(())?;
            let is_deep = |text: &str| {
                let lines = text.lines().filter(|line| !line.trim().is_empty());
                lines
                    .into_iter()
                    .all(|line| line.starts_with(margin.as_str()))
            };
            is_deep(&own.new).then_some(())?;
            both(&|text| {
                of_lines(text, |line| {
                    line.strip_prefix(margin.as_str())
                        .unwrap_or(line)
                        .to_string()
                })
            })
        }
        Slip::OneLevelOff => {
            let unit = unit(before)?;
            both(&|text| {
                of_lines(text, |line| match line.trim().is_empty() {
                    true => line.to_string(),
                    false => format!("{unit}{line}"),
                })
            })
        }
        Slip::BlankLineDropped => {
            // The same blank line in both strings: it is in the lines that they have in common at the start.
            let common = common_start(&own.old, &own.new);
            let at = common.find("\n\n")?;
            let drop = |text: &str| format!("{}{}", &text[..at], &text[at + 1..]);
            both(&drop)
        }
        Slip::TrailingSpace => old(of_lines(&own.old, |line| format!("{line}  "))),
        Slip::CarriageReturns => {
            let is_of_lines = own.old.contains('\n') && !before.contains('\r');
            is_of_lines.then_some(())?;
            both(&|text| text.replace('\n', "\r\n"))
        }
        Slip::LineNumbers => {
            let first = first_line(before, &own.old)?;
            both(&|text| numbered(text, first))
        }
        Slip::LineNumbersInOld => old(numbered(&own.old, first_line(before, &own.old)?)),
        Slip::Quotes => {
            let is_plain = |text: &str| {
                !text
                    .chars()
                    .any(|char| "\u{2018}\u{2019}\u{201c}\u{201d}".contains(char))
            };
            (is_plain(before) && is_plain(&own.new)).then_some(())?;
            both(&typographic)
        }
        Slip::StaleLine => stale(own, random),
        Slip::Shortened => shortened(before, own),
        Slip::LetterDropped => {
            let is_letter = |(at, char): (usize, char)| char.is_ascii_alphabetic().then_some(at);
            let letters: Vec<usize> = own.old.char_indices().filter_map(is_letter).collect();
            let at = *random.pick(&letters)?;
            old(format!("{}{}", &own.old[..at], &own.old[at + 1..]))
        }
        Slip::Escaped => both(&|text| {
            let quoted = serde_json::Value::from(text).to_string();
            quoted[1..quoted.len() - 1].to_string()
        }),
        Slip::BracketDropped => {
            let brackets: Vec<usize> = own
                .new
                .match_indices(['(', ')', '{', '}', '[', ']'])
                .map(|(at, _)| at)
                .collect();
            let at = *random.pick(&brackets)?;
            let new = format!("{}{}", &own.new[..at], &own.new[at + 1..]);
            Some(StringEdit::new(own.old.clone(), new))
        }
    }
}

/// Returns the spaces between two other characters of a line.
fn inner_blanks(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let is_inner = |at: usize| {
        bytes[at] == b' '
            && !bytes[at - 1].is_ascii_whitespace()
            && !bytes[at + 1].is_ascii_whitespace()
    };
    (1..bytes.len().saturating_sub(1))
        .filter(|at| is_inner(*at))
        .collect()
}

/// Changes each line of a text.
fn of_lines(text: &str, change: impl Fn(&str) -> String) -> String {
    let lines: Vec<String> = text.split('\n').map(change).collect();
    lines.join("\n")
}

fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns a line with another unit of indentation.
fn reindented(line: &str, from: &str, to: &str) -> String {
    let own = leading(line);
    let mut rest = own;
    let mut levels = 0;
    while let Some(deeper) = rest.strip_prefix(from) {
        rest = deeper;
        levels += 1;
    }
    format!("{}{rest}{}", to.repeat(levels), &line[own.len()..])
}

/// Returns one level of indentation of a file: a tab, or the shortest indentation of two spaces or more.
fn unit(text: &str) -> Option<String> {
    let indented = text.lines().map(leading).filter(|own| !own.is_empty());
    let shortest = indented.min_by_key(|own| own.len())?;
    match shortest {
        tabs if tabs.starts_with('\t') => Some("\t".to_string()),
        spaces if spaces.len() > 1 => Some(spaces.to_string()),
        _ => None,
    }
}

/// Returns the indentation that all lines have in common.
fn margin(text: &str) -> Option<String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let margin = lines.map(leading).min_by_key(|own| own.len())?;
    (!margin.is_empty()).then(|| margin.to_string())
}

/// Returns what two texts begin with.
fn common_start<'t>(one: &'t str, other: &str) -> &'t str {
    let pairs = one.chars().zip(other.chars());
    let common = pairs.take_while(|(one, other)| one == other);
    &one[..common.map(|(char, _)| char.len_utf8()).sum()]
}

/// Returns the number of the line that a text starts in, from 1.
fn first_line(before: &str, old: &str) -> Option<usize> {
    let at = before.find(old)?;
    let starts_line = at == 0 || before[..at].ends_with('\n');
    starts_line.then(|| before[..at].matches('\n').count() + 1)
}

/// Returns the lines as tools print them that number lines.
fn numbered(text: &str, first: usize) -> String {
    let bare = text.strip_suffix('\n');
    let lines = bare.unwrap_or(text).split('\n').enumerate();
    let lines: Vec<String> = lines
        .map(|(index, line)| format!("{:6}\t{line}", first + index))
        .collect();
    let end = if bare.is_some() { "\n" } else { "" };
    lines.join("\n") + end
}

fn typographic(text: &str) -> String {
    let mut opens = false;
    let exchange = |char| match char {
        '"' => {
            opens = !opens;
            if opens { '\u{201c}' } else { '\u{201d}' }
        }
        '\'' => '\u{2019}',
        other => other,
    };
    text.chars().map(exchange).collect()
}

/// Changes a word in a line that both strings have in common at their start or end.
fn stale(own: &StringEdit, random: &mut Random) -> Option<StringEdit> {
    let old: Vec<&str> = own.old.split('\n').collect();
    let new: Vec<&str> = own.new.split('\n').collect();
    let same = |(one, other): &(&&str, &&str)| one == other;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(same)
        .count();
    let from_end = (1..=tail.min(old.len() - head.min(old.len())))
        .map(|back| (old.len() - back, new.len() - back));
    let mut context: Vec<(usize, usize)> = (0..head)
        .map(|index| (index, index))
        .chain(from_end)
        .collect();
    context.retain(|(index, _)| {
        old[*index]
            .chars()
            .filter(|char| char.is_alphanumeric())
            .count()
            > 5
    });
    let (at, at_new) = *random.pick(&context)?;
    let line = old[at];
    let word = line.find(|char: char| char.is_alphabetic())?;
    let changed = format!("{}earlier_{}", &line[..word], &line[word..]);
    let with = |lines: &[&str], at: usize| {
        let mut lines = lines.to_vec();
        lines[at] = &changed;
        lines.join("\n")
    };
    Some(StringEdit::new(with(&old, at), with(&new, at_new)))
}

/// Drops the lines that both strings begin and end with, until the old string occurs several times.
fn shortened(before: &str, own: &StringEdit) -> Option<StringEdit> {
    let (mut old, mut new) = (own.old.as_str(), own.new.as_str());
    loop {
        let first = old.split_inclusive('\n').next()?;
        let last = old.split_inclusive('\n').next_back()?;
        if first.len() < old.len() && new.starts_with(first) {
            (old, new) = (&old[first.len()..], &new[first.len()..]);
        } else if last.len() < old.len() && new.ends_with(last) {
            (old, new) = (
                &old[..old.len() - last.len()],
                &new[..new.len() - last.len()],
            );
        } else {
            return None;
        }
        if old.trim().is_empty() {
            return None;
        }
        if before.matches(old).count() > 1 {
            return Some(StringEdit::new(old, new));
        }
    }
}
