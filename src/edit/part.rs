//! A part of a text, less than a node or more than one, becomes other text.

use crate::locate::Depth;
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::Span;

use super::indent::{self, Home, leading};
use super::spacing::Lines;
use super::{
    BOM, Composed, Content, EditNote, Edited, Replacement, has_other_line_ending, in_rounds,
};

/// Replaces the selected part: as given, with no change but the line breaks, which are the file's; else
/// with the indentation that the place wants, and the line breaks round it that are there. What stood
/// alone in its lines goes with them where nothing comes instead.
pub(super) fn replace<'p>(selection: Selection<'p>, given: &str, as_given: bool) -> Edited<'p> {
    let parsed = selection.parsed();
    let source = parsed.source();
    let span = selection.span();
    let with_blanks = selection.part().map_or(span, |part| part.with_blanks);
    let container = container(&selection);
    let line_ending = source.line_ending_at(span.start());
    let given_text = given.trim_start_matches(BOM).replace("\r\n", "\n");
    let margin = indent::margin(parsed, container);
    let lines = Lines {
        source,
        margin: &margin,
    };
    let place = Place {
        lines,
        span,
        with_blanks,
        starts_line: lines.starts_line(span.start()),
        ends_line: lines.ends_line(span.end()),
    };
    let beside = match span.is_empty() {
        true => Span::at(start_of_what_ends(parsed, span.start())),
        false => span,
    };
    let mut home = Home::of(parsed, container, beside).instead_of(&source.slice(span));
    home.shown = place.depth_of(&given_text, selection.part().map(|part| part.depth));
    in_rounds(&selection, |last| {
        let mut notes = Vec::new();
        let round = match as_given {
            true => Round::as_given(with_blanks, &given_text),
            false => place.round(&given_text, &home),
        };
        let text = match as_given || round.content.is_empty() {
            true => round.content.clone(),
            false => {
                let placed = indent::at_home(&round.content, &home, last);
                notes.extend(placed.note());
                placed.text
            }
        };
        if has_other_line_ending(given, line_ending) {
            notes.push(EditNote::LineEndings);
        }
        let of_file = |text: &str| text.replace('\n', line_ending);
        let (before, text) = (of_file(&round.before), of_file(&text));
        Composed {
            content: Content {
                replacement: 0,
                start: before.len(),
                len: text.len(),
            },
            replacements: vec![Replacement {
                span: round.at,
                new_text: before + &text + &of_file(&round.behind),
            }],
            container: container.to_vec(),
            gone: vec![span],
            notes,
        }
    })
}

/// The nodes from the root down to the smallest that is more than the part.
fn container<'s, 'p>(selection: &'s Selection<'p>) -> &'s [Node<'p>] {
    let (parsed, chain, span) = (selection.parsed(), selection.chain(), selection.span());
    let is_more = |node: &Node<'p>| trimmed_node(parsed, *node) != span;
    let depth = chain.iter().rposition(is_more).unwrap_or(0);
    &chain[..=depth]
}

/// Where the largest member of a body begins that ends at `offset`, else that offset itself: what comes
/// there stands as deep.
fn start_of_what_ends(parsed: &Parsed, offset: usize) -> usize {
    let text = parsed.source().text();
    let last = text[..offset].chars().next_back();
    let before = Span::new(offset - last.map_or(0, char::len_utf8), offset);
    let chain = parsed.chain(before);
    let ends = |pair: &&[Node<'_>]| {
        pair[0].body().is_some() && trimmed_node(parsed, pair[1]).end() == offset
    };
    let largest = chain.windows(2).find(ends);
    largest.map_or(offset, |pair| trimmed_node(parsed, pair[1]).start())
}

/// A part of a text in its lines.
struct Place<'a> {
    lines: Lines<'a>,
    span: Span,
    with_blanks: Span,
    starts_line: bool,
    ends_line: bool,
}

/// What is replaced, and what by: content, and what goes round it.
struct Round {
    at: Span,
    before: String,
    content: String,
    behind: String,
}

impl Round {
    fn as_given(at: Span, given: &str) -> Round {
        Round {
            at,
            before: String::new(),
            content: given.to_string(),
            behind: String::new(),
        }
    }
}

impl Place<'_> {
    /// Whether the content stands as in the file: what is copied from it says so of what comes instead,
    /// and so does a first line as deep as the one there, or a bracket that is closed behind less white
    /// space than the content begins with in the file.
    fn depth_of(&self, given: &str, shown: Option<Depth>) -> Depth {
        let own = leading(given.trim_start_matches('\n'));
        let line = self.indentation();
        let names_line = !line.is_empty() && self.with_blanks.start() <= self.line_start();
        let is_as_deep = self.starts_line && !own.is_empty() && own == line;
        if is_as_deep {
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
            _ if closes_outside(given) && !(is_left && least(&old).is_some()) => Depth::AsInFile,
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

    fn line_start(&self) -> usize {
        self.lines.line_start(self.span.start())
    }

    /// The white space that the line begins with.
    fn indentation(&self) -> String {
        let source = self.lines.source;
        source.indentation_at(self.span.start())
    }

    fn round(&self, given: &str, home: &Home) -> Round {
        let core = given.trim();
        if core.is_empty() {
            return match given.is_empty() && self.starts_line && self.ends_line {
                true => Round::as_given(self.whole_lines(), ""),
                false => Round::as_given(self.with_blanks, given),
            };
        }
        let start = given.len() - given.trim_start().len();
        let (lead, trail) = (&given[..start], &given[start + core.len()..]);
        let (start, before) = self.ahead(lead, home);
        let (end, behind) = self.behind(trail);
        // The indentation of its first line tells how deep the others are.
        let first_line = lead.rfind('\n').map_or(0, |line_break| line_break + 1);
        let content = match self.starts_line || lead.contains('\n') {
            true => &given[first_line..given.len() - trail.len()],
            false => core,
        };
        Round {
            at: Span::new(start, end),
            before,
            content: content.to_string(),
            behind,
        }
    }

    /// Where what is replaced starts, and what comes before the content: the white space that is there,
    /// unless the find names line breaks and there are to be others, or white space that was copied.
    fn ahead(&self, lead: &str, home: &Home) -> (usize, String) {
        let named = self.slice(self.with_blanks.start(), self.span.start());
        if !self.starts_line {
            let breaks = lead.rfind('\n').map(|last| &lead[..=last]);
            let before = match breaks.filter(|_| home.shown != Depth::AsInFile) {
                Some(breaks) => breaks.to_string() + &home.prefix(),
                None => lead.to_string(),
            };
            return (self.with_blanks.start(), before);
        }
        let line_start = self.line_start();
        if home.shown == Depth::AsInFile && self.with_blanks.start() == line_start {
            return (
                line_start,
                leading(lead.trim_start_matches('\n')).to_string(),
            );
        }
        let (named_breaks, breaks) = (breaks(&named), breaks(lead));
        if named_breaks == 0 || breaks == 0 || named_breaks == breaks {
            return (self.span.start(), String::new());
        }
        let indentation = self.slice(line_start, self.span.start());
        (
            self.with_blanks.start().min(line_start),
            "\n".repeat(breaks) + &indentation,
        )
    }

    /// The same of what follows. A line break behind the content is the one that stands there already.
    fn behind(&self, trail: &str) -> (usize, String) {
        let named = self.slice(self.span.end(), self.with_blanks.end());
        if !self.ends_line {
            return (self.with_blanks.end(), trail.to_string());
        }
        let (named_breaks, breaks) = (breaks(&named), breaks(trail));
        match (named_breaks, breaks) {
            (0, _) => (self.span.end(), "\n".repeat(breaks.saturating_sub(1))),
            (_, 0) => (self.span.end(), String::new()),
            _ if named_breaks == breaks => (self.span.end(), String::new()),
            _ => (self.with_blanks.end(), trail.to_string()),
        }
    }

    /// The lines that the part is all of, with one line break, or with those that the find names.
    fn whole_lines(&self) -> Span {
        let source = self.lines.source;
        let (start, end) = (
            self.lines.line_start(self.span.start()),
            self.lines.line_end(self.span.end()),
        );
        let text = source.text();
        let named = Span::new(end, self.with_blanks.end().max(end));
        // The white space that the next line begins with is its own.
        let last_break = source.slice(named).rfind('\n');
        let behind = last_break.map(|last_break| end + last_break + 1);
        let names_before = self.with_blanks.start() < start;
        let break_at = |offset: usize| match text[offset..].starts_with("\r\n") {
            true => 2,
            false => usize::from(offset < text.len()),
        };
        let break_before = |offset: usize| match text[..offset].ends_with("\r\n") {
            true => 2,
            false => usize::from(offset > 0),
        };
        match (names_before, behind) {
            // One of both is left, since what stood before and behind it were two lines.
            (true, Some(behind)) => {
                let from = self.with_blanks.start();
                Span::new(from + break_at(from), behind)
            }
            (true, None) => Span::new(self.with_blanks.start(), end),
            (false, Some(behind)) => Span::new(start, behind),
            (false, None) if end < text.len() => Span::new(start, end + break_at(end)),
            (false, None) => Span::new(start - break_before(start), end),
        }
    }

    fn slice(&self, start: usize, end: usize) -> String {
        self.lines.source.slice(Span::new(start, end)).into_owned()
    }
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

fn breaks(blanks: &str) -> usize {
    blanks.matches('\n').count()
}
