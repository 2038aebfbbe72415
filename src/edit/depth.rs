//! How deep the content that replaces a part of a text stands: as in the file, or from column 0.

use crate::locate::Depth;

use super::indent::leading;
use super::part::Place;

impl Place<'_> {
    /// Whether the content stands as in the file: what is copied from it says so of what comes instead,
    /// and so does a first line as deep as the one there, or a bracket that is closed behind less white
    /// space than the content begins with in the file.
    pub(super) fn depth_of(&self, given: &str, shown: Option<Depth>) -> Depth {
        let own = leading(given.trim_start_matches('\n'));
        let line = self.indentation();
        let names_line = !line.is_empty() && self.with_blanks.start() <= self.line_start();
        let is_as_deep = self.starts_line && !own.is_empty() && own == line;
        // Both the old line and the new one are written with the white space before them.
        let names_both = names_line && is_alike(own, &line);
        let core = given.trim_end();
        if is_as_deep
            || names_both
            || self.begins_as_beside(core)
            || self.goes_on_as_before(core)
            || self.ends_as_before(core)
            || self.has_items_beside(core)
        {
            return Depth::AsInFile;
        }
        let old = self.slice(self.span.start(), self.span.end());
        let least = |text: &str| {
            let further = text.trim_start().lines().skip(1);
            let further = further.filter(|line| !line.trim().is_empty());
            further.map(|line| leading(line).len()).min()
        };
        // What is to come begins at column 0, and nothing of the old text stands so far left.
        let is_left = least(given) == Some(0) && !line.is_empty() && least(&old) != Some(0);
        match shown.unwrap_or_default() {
            _ if self.ends_shallower(core) => Depth::Shallower,
            _ if closes_outside(given)
                && !closes_as(given, &old)
                && !(is_left && least(&old).is_some()) =>
            {
                Depth::AsInFile
            }
            // Lines were copied, and the content begins at column 0.
            Depth::AsInFile
                if own.len() < line.len() && (names_line || is_left || given.starts_with('\n')) =>
            {
                Depth::Unknown
            }
            Depth::Unknown if own.is_empty() && goes_on_deep(given) => Depth::AsInFile,
            shown => shown,
        }
    }

    /// Whether the content begins with a line of its own that white space stands before, of the kind that
    /// lines near the place begin with: at column 0 there would be none.
    fn begins_as_beside(&self, given: &str) -> bool {
        /// How many lines on each side are near.
        const NEAR: usize = 20;
        let own = leading(given.trim_start_matches('\n'));
        if !given.starts_with('\n') || own.is_empty() {
            return false;
        }
        let source = self.lines.source;
        let (first, last) = (
            source.line_of(self.span.start()),
            source.line_of(self.span.end()),
        );
        let near = (first.saturating_sub(NEAR)..=last + NEAR).filter_map(|number| {
            let line = source.slice(source.line_span(number)?);
            (!line.trim().is_empty()).then(|| leading(&line).to_string())
        });
        let near: Vec<String> = near.filter(|lead| !lead.is_empty()).collect();
        near.iter().any(|lead| lead == own) || near.iter().all(|lead| is_alike(own, lead))
    }

    /// Whether the second line of the content stands as deep as that of the old text, deeper or less deep
    /// than the first; or both lines are those of the old text.
    fn goes_on_as_before(&self, given: &str) -> bool {
        let line = self.indentation();
        let old = self.slice(self.span.start(), self.span.end());
        let (Some((first, second)), Some((old_first, old_second))) =
            (first_lines(given), first_lines(&old))
        else {
            return false;
        };
        let is_copied = (first, second) == (old_first, old_second);
        let is_as_deep = leading(second) == leading(old_second) && leading(second) != line;
        !line.is_empty() && !leading(second).is_empty() && (is_copied || is_as_deep)
    }

    /// Whether the last line of the content, with what stays behind it, is as deep as the line that
    /// ends so now.
    fn ends_as_before(&self, given: &str) -> bool {
        self.ends_alike(given, |lead, was| lead == was)
    }

    /// Whether the last line of the content is that, but for the indentation of the place, and the first
    /// opens what the next does not stand deeper in than the place: at column 0 it does.
    fn ends_shallower(&self, given: &str) -> bool {
        let line = self.indentation();
        let mut lines = given.lines().filter(|line| !line.trim().is_empty());
        let (Some(first), Some(next)) = (lines.next(), lines.next()) else {
            return false;
        };
        let opens = first.trim_end().ends_with(['{', '(', '[', ':']);
        let is_as_deep = leading(next).len() <= line.len();
        let is_bare = leading(given).is_empty() && !line.is_empty();
        let is_less = |lead: &str, was: &str| was.strip_prefix(line.as_str()) == Some(lead);
        opens && is_as_deep && is_bare && self.ends_alike(given, is_less)
    }

    /// Whether the last line of the content, with what stays behind it, is the line that ends so now, as
    /// far as the white space before the two is `fitting`.
    fn ends_alike(&self, given: &str, fitting: impl Fn(&str, &str) -> bool) -> bool {
        let Some((_, last)) = given.rsplit_once('\n') else {
            return false;
        };
        let start = self.lines.line_start(self.span.end());
        let end = self.lines.line_end(self.span.end());
        let (old, rest) = (self.slice(start, end), self.slice(self.span.end(), end));
        let is_several = start > self.span.start();
        let ink = |line: &str| line.split_whitespace().collect::<String>();
        let word = |line: &str| {
            let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
            let line = line.trim_start();
            let word = line.len() - line.trim_start_matches(is_of_word).len();
            let sign = line.chars().next().map_or(0, char::len_utf8);
            line[..word.max(sign)].to_string()
        };
        let is_same = ink(&format!("{last}{rest}")) == ink(&old);
        fitting(leading(last), leading(&old))
            && (is_same || (is_several && word(last) == word(&old)))
    }

    /// Whether one of the further lines of the content begins with the marker of an item beside the one
    /// that the place is in.
    fn has_items_beside(&self, given: &str) -> bool {
        let margin = self.lines.margin;
        let is_item = |line: &str| {
            let bare = line.trim_start_matches([' ', '\t']);
            let number = bare.trim_start_matches(|c: char| c.is_ascii_digit());
            let signs: &[char] = match number.len() == bare.len() {
                true => &['-', '*', '+'],
                false => &['.', ')'],
            };
            let behind = number.strip_prefix(signs);
            let marker = behind.filter(|text| text.starts_with(' ')).map(|text| {
                let blanks = text.len() - text.trim_start().len();
                bare.len() - text.len() + blanks
            });
            marker.is_some_and(|marker| leading(line).len() + marker == margin.len())
        };
        !margin.is_empty() && margin.trim().is_empty() && given.lines().skip(1).any(is_item)
    }
}

/// The first two lines of a text that are not blank, of the first what is behind its white space.
fn first_lines(text: &str) -> Option<(&str, &str)> {
    let mut lines = text.trim_start().lines();
    let first = lines.next()?.trim_end();
    let second = lines.find(|line| !line.trim().is_empty())?;
    Some((first, second.trim_end()))
}

/// Whether white space before a line is of the kind of `other`: tabs, blanks, or both.
fn is_alike(own: &str, other: &str) -> bool {
    !own.is_empty() && own.chars().all(|blank| other.contains(blank))
}

/// Whether a line begins with a closing bracket as the old text does: it stays where it is.
fn closes_as(line: &str, old: &str) -> bool {
    let closes = |text: &str| text.trim_start().starts_with([')', ']', '}']);
    closes(line) && closes(old) && !line.contains('\n')
}

/// Whether one of the lines of a content begins with a bracket that closes none of its own.
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

/// Whether all further lines of a content stand deep although its first line is a statement that neither
/// opens anything nor goes on in the next: at column 0 they would not.
fn goes_on_deep(content: &str) -> bool {
    /// What may stand before a line of its own without a sign.
    const LEADS: &[&str] = &[
        "if", "for", "while", "else", "switch", "with", "foreach", "catch",
    ];
    let mut lines = content
        .trim()
        .lines()
        .filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else {
        return false;
    };
    let count = |signs: &[char]| first.matches(signs).count();
    let is_closed = count(&['(', '[', '{']) == count(&[')', ']', '}']);
    let word = first
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let is_whole = first.trim_end().ends_with([';', '}', ')', '"', '\'']) && !LEADS.contains(&word);
    let begins = |line: &&str| {
        let line = line.trim_start();
        line.starts_with(|c: char| c.is_alphanumeric() || "_@#}\"'".contains(c))
            || line.starts_with("//")
    };
    let mut rest = lines.clone();
    let is_marked = first.starts_with(['-', '*', '+', '>', '|']);
    let are_deep = lines.all(|line| !leading(line).is_empty());
    are_deep && is_closed && is_whole && !is_marked && rest.next().as_ref().is_some_and(begins)
}
