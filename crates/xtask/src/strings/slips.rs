//! The ways in which agents break an exact string replacement.

use treegraft::string_edit::StringEdit;

use crate::random::Random;
use crate::text::indentation;

/// Breaks a call in a text; nothing if this way does not apply to the call.
type Slip = fn(&str, &StringEdit, &mut Random) -> Option<StringEdit>;

/// The ways to break a call.
pub(super) const SLIPS: [(&str, Slip); 17] = [
    ("a space added", |_, own, random| {
        let (front, back) = around_blank(own, random)?;
        Some(with_old(own, format!("{front}  {back}")))
    }),
    ("a space dropped", |_, own, random| {
        let (front, back) = around_blank(own, random)?;
        Some(with_old(own, format!("{front}{back}")))
    }),
    ("a tab for a space", |_, own, random| {
        let (front, back) = around_blank(own, random)?;
        Some(with_old(own, format!("{front}\t{back}")))
    }),
    ("tabs for spaces, or the reverse", |before, own, _| {
        let unit = unit(before)?;
        let (from, to) = match unit {
            "\t" => ("\t", "    "),
            spaces => (spaces, "\t"),
        };
        Some(both(own, |text| {
            of_lines(text, |line| reindented(line, from, to))
        }))
    }),
    ("written at column 0", |_, own, _| at_column_zero(own)),
    ("one level deeper", |before, own, _| {
        let unit = unit(before)?;
        Some(both(own, |text| {
            of_lines(text, |line| match line.trim().is_empty() {
                true => line.to_string(),
                false => format!("{unit}{line}"),
            })
        }))
    }),
    ("a blank line dropped", |_, own, _| {
        // The same blank line in both strings: it is in the lines that they have in common at the start.
        let at = common_start(&own.old, &own.new).find("\n\n")?;
        Some(both(own, |text| without(text, at)))
    }),
    ("trailing spaces", |_, own, _| {
        let old = of_lines(&own.old, |line| format!("{line}  "));
        Some(with_old(own, old))
    }),
    ("CRLF line breaks", |_, own, _| {
        let has_lines = own.old.contains('\n');
        has_lines.then(|| both(own, |text| text.replace('\n', "\r\n")))
    }),
    ("line numbers in both strings", |before, own, _| {
        let first = first_line(before, &own.old)?;
        Some(both(own, |text| numbered(text, first)))
    }),
    ("line numbers in the old string", |before, own, _| {
        let first = first_line(before, &own.old)?;
        Some(with_old(own, numbered(&own.old, first)))
    }),
    ("typographic quotes", |before, own, _| {
        let quotes = ['\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'];
        let is_plain = !before.contains(quotes) && !own.new.contains(quotes);
        is_plain.then(|| both(own, typographic))
    }),
    ("a stale line of context", |_, own, random| {
        stale(own, random)
    }),
    (
        "shortened until it occurs several times",
        |before, own, _| shortened(before, own),
    ),
    ("a letter dropped", |_, own, random| {
        let letters = own.old.match_indices(|c: char| c.is_ascii_alphabetic());
        let letters: Vec<usize> = letters.map(|(at, _)| at).collect();
        Some(with_old(own, without(&own.old, *random.pick(&letters)?)))
    }),
    ("quotes and line breaks escaped", |_, own, _| {
        Some(both(own, |text| {
            let quoted = serde_json::Value::from(text).to_string();
            quoted[1..quoted.len() - 1].to_string()
        }))
    }),
    ("a bracket dropped from the new string", |_, own, random| {
        let brackets = own.new.match_indices(['(', ')', '{', '}', '[', ']']);
        let brackets: Vec<usize> = brackets.map(|(at, _)| at).collect();
        let new = without(&own.new, *random.pick(&brackets)?);
        Some(StringEdit::new(own.old.clone(), new))
    }),
];

/// Returns a call with both strings changed.
fn both(own: &StringEdit, change: impl Fn(&str) -> String) -> StringEdit {
    StringEdit::new(change(&own.old), change(&own.new))
}

fn with_old(own: &StringEdit, old: String) -> StringEdit {
    StringEdit::new(old, own.new.clone())
}

/// Returns a text without the character of one byte at an offset.
fn without(text: &str, at: usize) -> String {
    format!("{}{}", &text[..at], &text[at + 1..])
}

/// Returns the old string before and after one of its spaces between two other characters of a line.
fn around_blank<'e>(own: &'e StringEdit, random: &mut Random) -> Option<(&'e str, &'e str)> {
    let at = *random.pick(&inner_blanks(&own.old))?;
    Some((&own.old[..at], &own.old[at + 1..]))
}

/// Returns a call whose lines have lost the indentation that the old ones have in common.
fn at_column_zero(own: &StringEdit) -> Option<StringEdit> {
    let nonblank = |text| str::lines(text).filter(|line: &&str| !line.trim().is_empty());
    let margin = nonblank(&own.old)
        .map(indentation)
        .min_by_key(|own| own.len())?;
    // A line of whitespace looks like an empty one, so that neither can replace the other.
    let blank = |text: &str| {
        let lines = text.lines();
        let of_blanks = lines.filter(|line| !line.is_empty() && line.trim().is_empty());
        of_blanks.count()
    };
    let is_deep = nonblank(&own.new).all(|line| line.starts_with(margin));
    if margin.is_empty() || !is_deep || blank(&own.new) != blank(&own.old) {
        return None;
    }
    Some(both(own, |text| {
        of_lines(text, |line| {
            line.strip_prefix(margin).unwrap_or(line).to_string()
        })
    }))
}

/// Returns the spaces between two other characters of a line.
fn inner_blanks(text: &str) -> Vec<usize> {
    let windows = text.as_bytes().windows(3).enumerate();
    let inner = windows.filter(|(_, bytes)| {
        bytes[1] == b' ' && !bytes[0].is_ascii_whitespace() && !bytes[2].is_ascii_whitespace()
    });
    inner.map(|(at, _)| at + 1).collect()
}

/// Changes each line of a text.
fn of_lines(text: &str, change: impl Fn(&str) -> String) -> String {
    let lines: Vec<String> = text.split('\n').map(change).collect();
    lines.join("\n")
}

/// Returns a line with another unit of indentation.
fn reindented(line: &str, from: &str, to: &str) -> String {
    let own = indentation(line);
    let rest = own.trim_start_matches(from);
    let levels = (own.len() - rest.len()) / from.len();
    format!("{}{rest}{}", to.repeat(levels), &line[own.len()..])
}

/// Returns one level of indentation of a file: a tab, or the shortest indentation of two spaces or more.
fn unit(text: &str) -> Option<&str> {
    let indented = text.lines().map(indentation).filter(|own| !own.is_empty());
    let shortest = indented.min_by_key(|own| own.len())?;
    match shortest {
        tabs if tabs.starts_with('\t') => Some("\t"),
        spaces => (spaces.len() > 1).then_some(spaces),
    }
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
