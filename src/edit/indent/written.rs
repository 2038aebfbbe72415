//! Infers how content that replaces a part of a text was written: indented as in the file, or at column 0.

use crate::language::Language;
use crate::locate::FindIndentation;
use crate::parse::Node;
use crate::source::Span;

use super::super::text_part::TextPart;
use super::lines::leading;
use super::texts::is_fixed;

/// How content is indented, compared with the text that it replaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WrittenDepth {
    /// Nothing shows it.
    #[default]
    Unknown,
    /// As in the file: it was copied.
    AsInFile,
    /// Less deep than in the file.
    Shallower,
}

impl WrittenDepth {
    /// Returns how a find is indented whose lines compare with those of the text in this way.
    fn of_find(find: FindIndentation) -> WrittenDepth {
        match (find.equal, find.less) {
            (1.., 0) => WrittenDepth::AsInFile,
            (0, 1..) => WrittenDepth::Shallower,
            _ => WrittenDepth::Unknown,
        }
    }
}

impl TextPart<'_> {
    /// Returns how `given` is indented. It is indented as in the file if its first line is as deep as the one it replaces,
    /// or if it repeats lines of the file with their indentation; else it is indented like the find, where nothing
    /// contradicts that.
    pub(super) fn written_depth(&self, given: &str, find: FindIndentation) -> WrittenDepth {
        let own = leading(given.trim_start_matches('\n'));
        let line = self.indentation();
        let names_indentation = !line.is_empty() && self.with_blanks.start() <= self.line_start();
        let is_as_deep = self.starts_line && !own.is_empty() && own == line;
        // Both the old line and the new one are written with their indentation.
        let both_indented = names_indentation && is_of_kind(own, &line);
        let core = given.trim_end();
        // A find at column 0 shows more than a line of the content that is as deep as one of the file.
        let is_find_shallower = WrittenDepth::of_find(find) == WrittenDepth::Shallower;
        if is_as_deep
            || both_indented
            || self.begins_like_lines_nearby(core)
            || (!is_find_shallower && self.continues_as_before(core))
            || (!is_find_shallower && self.ends_as_before(core))
            || self.has_adjacent_items(core)
        {
            return WrittenDepth::AsInFile;
        }
        let old = self.slice(self.span.start(), self.span.end());
        let least = |text: &str| {
            let further = text.trim_start().lines().skip(1);
            let further = further.filter(|line| !line.trim().is_empty());
            further.map(|line| leading(line).len()).min()
        };
        // A line of the new text is at column 0, and none of the old text is.
        let is_left = least(given) == Some(0) && !line.is_empty() && least(&old) != Some(0);
        match WrittenDepth::of_find(find) {
            _ if self.ends_shallower(core) => WrittenDepth::Shallower,
            _ if closes_outside(given)
                && !closes_as(given, &old)
                && !(is_left && (least(&old).is_some() || !closes_more(given, &old))) =>
            {
                WrittenDepth::AsInFile
            }
            // Lines were copied, and the content begins at column 0.
            WrittenDepth::AsInFile
                if own.len() < line.len()
                    && (names_indentation || is_left || given.starts_with('\n')) =>
            {
                WrittenDepth::Unknown
            }
            WrittenDepth::Unknown
                if own.is_empty()
                    && is_statement_with_deep_lines(given, self.parsed.source().language()) =>
            {
                WrittenDepth::AsInFile
            }
            of_find => of_find,
        }
    }

    /// Returns whether the content begins with a line break and a line whose indentation occurs nearby, or is of the same
    /// kind as there: at column 0 it would have none.
    fn begins_like_lines_nearby(&self, given: &str) -> bool {
        /// The number of lines on each side that are nearby.
        const NEARBY: usize = 20;
        let own = leading(given.trim_start_matches('\n'));
        if !given.starts_with('\n') || own.is_empty() {
            return false;
        }
        let source = self.lines.source;
        let (first, last) = (
            source.line_of(self.span.start()),
            source.line_of(self.span.end()),
        );
        let nearby = (first.saturating_sub(NEARBY)..=last + NEARBY).filter_map(|number| {
            let line = source.slice(source.line_span(number)?);
            (!line.trim().is_empty()).then(|| leading(&line).to_string())
        });
        let nearby: Vec<String> = nearby.filter(|lead| !lead.is_empty()).collect();
        nearby.iter().any(|lead| lead == own) || nearby.iter().all(|lead| is_of_kind(own, lead))
    }

    /// Returns whether the second line of the content is as deep as that of the old text, at another depth than the first;
    /// or both lines are those of the old text.
    fn continues_as_before(&self, given: &str) -> bool {
        let line = self.indentation();
        let old = self.slice(self.span.start(), self.span.end());
        let (Some((first, second)), Some((old_first, old_second))) =
            (first_lines(given), first_lines(&old))
        else {
            return false;
        };
        let below = self.lines.text_line_below(self.span.start());
        if below.is_some_and(|below| self.is_text_at(self.lines.line(below).start())) {
            return false;
        }
        let is_copied = (first, second) == (old_first, old_second);
        let is_as_deep = leading(second) == leading(old_second) && leading(second) != line;
        !line.is_empty() && !leading(second).is_empty() && (is_copied || is_as_deep)
    }

    /// Returns whether the last line of the content, with what follows it in the file, is as deep as the old last line.
    fn ends_as_before(&self, given: &str) -> bool {
        self.ends_alike(given, |lead, was| lead == was)
    }

    /// Returns whether the last line of the content is the old one without the indentation of the part, and the content
    /// opens a block whose first line is no deeper than the part: at column 0 that is possible.
    fn ends_shallower(&self, given: &str) -> bool {
        let line = self.indentation();
        let mut lines = given.lines().filter(|line| !line.trim().is_empty());
        let (Some(first), Some(next)) = (lines.next(), lines.next()) else {
            return false;
        };
        let opens = first.trim_end().ends_with(['{', '(', '[', ':']);
        let is_no_deeper = leading(next).len() <= line.len();
        let is_bare = leading(given).is_empty() && !line.is_empty();
        let is_less = |lead: &str, was: &str| was.strip_prefix(line.as_str()) == Some(lead);
        opens && is_no_deeper && is_bare && self.ends_alike(given, is_less)
    }

    /// Returns whether the last line of the content, with what follows it in the file, is the line that now ends the part,
    /// and the whitespace before the two is `fitting`.
    fn ends_alike(&self, given: &str, fitting: impl Fn(&str, &str) -> bool) -> bool {
        let Some((_, last)) = given.rsplit_once('\n') else {
            return false;
        };
        let start = self.lines.line_start(self.span.end());
        let end = self.lines.line_end(self.span.end());
        let (old, rest) = (self.slice(start, end), self.slice(self.span.end(), end));
        let is_several = start > self.span.start();
        if is_several && self.is_text_at(start) {
            return false;
        }
        let ink = |line: &str| line.split_whitespace().collect::<String>();
        let is_same = ink(&format!("{last}{rest}")) == ink(&old);
        fitting(leading(last), leading(&old))
            && (is_same || (is_several && first_word(last) == first_word(&old)))
    }

    /// Returns whether the line that starts at `start` starts inside a string, so that its indentation proves nothing.
    fn is_text_at(&self, start: usize) -> bool {
        let before = Span::new(start.saturating_sub(1), start);
        let chain = self.parsed.chain(before);
        let is_around = |node: &Node<'_>| node.span().start() < start && node.span().end() > start;
        chain.iter().any(|node| is_around(node) && is_fixed(*node))
    }

    /// Returns whether a line of the content other than the first begins with the marker of an item that is a sibling of
    /// the one that contains the part.
    fn has_adjacent_items(&self, given: &str) -> bool {
        let margin = self.lines.margin;
        let is_item = |line: &str| {
            item_marker_width(line)
                .is_some_and(|marker| leading(line).len() + marker == margin.len())
        };
        !margin.is_empty() && margin.trim().is_empty() && given.lines().skip(1).any(is_item)
    }
}

/// Returns the width of the marker that a line begins with, such as `- ` or `2. `, with the spaces that follow it.
fn item_marker_width(line: &str) -> Option<usize> {
    let bare = line.trim_start_matches([' ', '\t']);
    let number = bare.trim_start_matches(|c: char| c.is_ascii_digit());
    let signs: &[char] = match number.len() == bare.len() {
        true => &['-', '*', '+'],
        false => &['.', ')'],
    };
    let rest = number.strip_prefix(signs)?;
    let text = rest.trim_start();
    rest.starts_with(' ').then(|| bare.len() - text.len())
}

/// Returns the first word of a line, else its first character.
fn first_word(line: &str) -> &str {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let line = line.trim_start();
    let word = line.len() - line.trim_start_matches(is_of_word).len();
    let sign = line.chars().next().map_or(0, char::len_utf8);
    &line[..word.max(sign)]
}

/// Returns the first two lines of a text that are not blank, the first without indentation.
fn first_lines(text: &str) -> Option<(&str, &str)> {
    let mut lines = text.trim_start().lines();
    let first = lines.next()?.trim_end();
    let second = lines.find(|line| !line.trim().is_empty())?;
    Some((first, second.trim_end()))
}

/// Returns whether indentation is of the kind of `other`: tabs, spaces, or both.
fn is_of_kind(own: &str, other: &str) -> bool {
    !own.is_empty() && own.chars().all(|blank| other.contains(blank))
}

/// Returns whether a single line begins with a closing bracket as the old text does: it stays where it is.
fn closes_as(line: &str, old: &str) -> bool {
    let closes = |text: &str| text.trim_start().starts_with([')', ']', '}']);
    closes(line) && closes(old) && !line.contains('\n')
}

/// Returns whether a line of the content begins with a bracket that closes none of the content's own, other than the first
/// line, which begins with one as the old text does.
fn closes_more(content: &str, old: &str) -> bool {
    const CLOSING: [char; 3] = [')', ']', '}'];
    let content = content.trim_start();
    match old.starts_with(CLOSING) {
        true => closes_outside(content.trim_start_matches(CLOSING)),
        false => closes_outside(content),
    }
}

/// Returns whether a line of the content begins with a bracket that closes none of the content's own.
fn closes_outside(content: &str) -> bool {
    let mut depth: isize = 0;
    content.lines().any(|line| {
        let closes = depth <= 0 && line.trim_start().starts_with([')', ']', '}']);
        for c in line.chars() {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
        }
        closes
    })
}

/// Returns whether all further lines of the content are indented although its first line is a complete statement: at
/// column 0 they would not be.
fn is_statement_with_deep_lines(content: &str, language: &Language) -> bool {
    let lines = content.trim().lines();
    let mut lines = lines.filter(|line| !line.trim().is_empty());
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else {
        return false;
    };
    let count = |signs: &[char]| first.matches(signs).count();
    let is_closed = count(&['(', '[', '{']) == count(&[')', ']', '}']);
    let word = first.split(|c: char| !c.is_alphanumeric()).next();
    let is_header = word.is_some_and(|word| language.is_header(word));
    let is_complete = first.trim_end().ends_with([';', '}', ')', '"', '\'']) && !is_header;
    let begins_statement = |line: &str| {
        let line = line.trim_start();
        line.starts_with(|c: char| c.is_alphanumeric() || "_@#}\"'".contains(c))
            || line.starts_with("//")
    };
    let is_item = first.starts_with(['-', '*', '+', '>', '|']);
    let mut further = [second].into_iter().chain(lines);
    let are_deep = further.all(|line| !leading(line).is_empty());
    are_deep && is_closed && is_complete && !is_item && begins_statement(second)
}
