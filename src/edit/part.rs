//! A part of a text, less than a node or more than one, becomes other text.

use crate::language::Language;
use crate::locate::Depth;
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::{Source, Span};

use super::indent::{self, Home, begins_unindented, leading};
use super::spacing::Lines;
use super::{
    BOM, Composed, Content, EditNote, Edited, Indent, Replacement, has_other_line_ending, in_rounds,
};

/// Replaces the selected part: as given, with no change but the line breaks, which are the file's; else
/// with the indentation that the place wants, and the line breaks round it that are there. What stood
/// alone in its lines goes with them where nothing comes instead.
pub(super) fn replace<'p>(
    selection: Selection<'p>,
    given: &str,
    indent: Indent,
    in_literal: bool,
) -> Edited<'p> {
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
        parsed,
        lines,
        span,
        with_blanks,
        starts_line: lines.starts_line(span.start()),
        ends_line: lines.ends_line(span.end()),
    };
    let beside = match span.is_empty() {
        true => Beside::of(&place, &given_text),
        false => Beside::At(span),
    };
    let mut home = match beside {
        Beside::At(beside) => Home::of(parsed, container, beside),
        Beside::In(opening) => {
            Home::of(parsed, container, opening).deeper(source.language().indent())
        }
    };
    home = home.instead_of(parsed, span);
    home.shown = place.depth_of(&given_text, selection.part().map(|part| part.depth));
    let is_verbatim = indent == Indent::Verbatim || brings_quote(&given_text, &home);
    in_rounds(&selection, |last| {
        let mut notes = Vec::new();
        let mut round = match (is_verbatim, in_literal) {
            (true, _) => Round::as_given(with_blanks, &given_text),
            (false, true) => place.round_in_literal(&given_text),
            (false, false) => place.round(&given_text, &home),
        };
        let is_unindented =
            |edited: &Edited<'_>| begins_unindented(&edited.after, edited.new_span.start());
        if !is_verbatim && !in_literal && last.is_some_and(is_unindented) {
            place.put_at_margin(&mut round, &given_text);
        }
        let text = match is_verbatim || in_literal || round.content.is_empty() {
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

/// Whether content that begins with a line break has the sign of the quote it goes into in each line.
fn brings_quote(given: &str, home: &Home<'_>) -> bool {
    let is_quoted = |line: &str| line.trim_start().starts_with('>');
    let mut lines = given.trim_end_matches('\n').split('\n');
    !home.prefix().trim().is_empty()
        && lines.next().is_some_and(|first| first.trim().is_empty())
        && lines.all(is_quoted)
}

/// The nodes from the root down to the smallest that is more than the part.
fn container<'s, 'p>(selection: &'s Selection<'p>) -> &'s [Node<'p>] {
    let (parsed, chain, span) = (selection.parsed(), selection.chain(), selection.span());
    let is_more = |node: &Node<'p>| trimmed_node(parsed, *node) != span;
    let depth = chain.iter().rposition(is_more).unwrap_or(0);
    &chain[..=depth]
}

/// What stands as deep as what comes between two characters.
enum Beside {
    /// What stands there.
    At(Span),
    /// One level less deep: what is opened there, with nothing in it.
    In(Span),
}

impl Beside {
    /// What ends there tells, else, of `given` content on lines of its own, what begins the next line in
    /// the same node, then what ends before the comma or the semicolon there.
    fn of(place: &Place<'_>, given: &str) -> Beside {
        let (parsed, offset) = (place.parsed, place.span.start());
        let own = place.ends_there(given).unwrap_or(offset);
        let begins_line = given.starts_with('\n') && place.lines.margin.is_empty();
        if own != offset || !begins_line {
            return Beside::At(Span::at(own));
        }
        let at = Beside::At(Span::at(offset));
        let Some(before) = parsed.source().chars_before(offset).next() else {
            return at;
        };
        let last = Span::new(offset - before.len_utf8(), offset);
        let chain = parsed.chain(last);
        let mut round = chain.iter().rev();
        let Some(round) = round.find(|node| node.span().end() > offset) else {
            return at;
        };
        let mut cursor = parsed.walk(*round);
        let mut opening = false;
        let mut has_child = cursor.goto_first_child();
        while has_child && cursor.node().span().start() < offset {
            opening = cursor.node().span().end() == offset && cursor.node().bracket() == 1;
            has_child = cursor.goto_next_sibling();
        }
        let next = has_child.then(|| cursor.node());
        if opening && next.is_some_and(|next| next.bracket() == -1) {
            return Beside::In(place.span);
        }
        let next = next.filter(|next| next.bracket() != -1);
        // A text has lines, and no children in them.
        let rest = Span::new(offset, round.span().end());
        let lines = round
            .is_word("string", None)
            .then(|| parsed.source().trimmed_start(rest));
        let next = next.map(|next| trimmed_node(parsed, next)).or(lines);
        let line = place.lines.line_start(offset);
        let begins_next =
            |start: usize| place.lines.starts_line(start) && place.lines.line_start(start) > line;
        if let Some(next) = next.filter(|next| place.ends_line && begins_next(next.start())) {
            return Beside::At(Span::at(next.start()));
        }
        let is_member = |node: Node<'_>| node.body().is_some() || node.list().is_some();
        let is_sign = place.ends_line && [',', ';'].contains(&before);
        let ending = ending_at(parsed, last.start(), is_member).into_iter();
        let starts = ending.map(|node| trimmed_node(parsed, node).start());
        let mut starts = starts
            .take(1)
            .filter(|start| is_sign && place.lines.starts_line(*start));
        starts
            .next()
            .map_or(at, |start| Beside::At(Span::at(start)))
    }
}

/// The comments and the children of nodes that `tell` which end at `offset`, the largest first.
fn ending_at(parsed: &Parsed, offset: usize, tell: impl Fn(Node<'_>) -> bool) -> Vec<Node<'_>> {
    let last = parsed.source().chars_before(offset).next();
    let before = Span::new(offset - last.map_or(0, char::len_utf8), offset);
    let chain = parsed.chain(before);
    let ends = |pair: &&[Node<'_>]| {
        let tell = tell(pair[0]) || pair[1].is_word("comment", Some(pair[0]));
        tell && trimmed_node(parsed, pair[1]).end() == offset
    };
    chain.windows(2).filter(ends).map(|pair| pair[1]).collect()
}

/// The type of the definition of a symbol that a text begins with, as it reads by itself, where that has
/// an inside.
fn definition_that_comes(text: &str, language: &'static Language) -> Option<String> {
    let parsed = Parsed::parse(Source::new("", language, text.to_string()));
    let children = parsed.children(parsed.root()).into_iter();
    let mut code = children.filter(|child| !child.is_word("comment", None));
    let node = definition(code.next()?)?;
    let mut children = node.own_children().into_iter();
    let has_inside = children.any(|child| child.body().is_some());
    has_inside.then(|| node.kind().to_string())
}

/// The definition that a node is, or does but stand round.
fn definition(node: Node<'_>) -> Option<Node<'_>> {
    let nodes = node.unwrapped().into_iter();
    nodes.rev().find(|node| node.definition().is_some())
}

/// A part of a text in its lines.
pub(super) struct Place<'a> {
    parsed: &'a Parsed,
    pub(super) lines: Lines<'a>,
    pub(super) span: Span,
    pub(super) with_blanks: Span,
    pub(super) starts_line: bool,
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
    pub(super) fn line_start(&self) -> usize {
        self.lines.line_start(self.span.start())
    }

    /// Where what ends at the place begins that content which comes there stands as deep as: the largest
    /// member of a body. Where columns alone tell what is in what, several may end there that stand
    /// differently deep: of content on lines of its own the smallest, but the smallest definition where
    /// another one comes, if there is one of its type that.
    fn ends_there(&self, given: &str) -> Option<usize> {
        let parsed = self.parsed;
        let ending = ending_at(parsed, self.span.start(), |node| node.body().is_some());
        let start = |node: &Node<'_>| trimmed_node(parsed, *node).start();
        let language = parsed.source().language();
        let by_column = language.tables().is_some_and(|tables| {
            !tables.has_markers() && (tables.has_indented() || tables.has_columns())
        });
        if !by_column || !given.starts_with('\n') {
            return ending.first().map(start);
        }
        let lines = ending.iter().rev();
        let lines = lines.filter(|node| self.lines.starts_line(start(node)));
        let smallest = lines.clone().next();
        let comes = definition_that_comes(given, language);
        let definitions = lines.filter(|node| comes.is_some() && definition(**node).is_some());
        let definitions: Vec<&Node<'_>> = definitions.collect();
        let is_alike = |node: &Node<'_>| definition(*node).map(Node::kind) == comes.as_deref();
        let alike = definitions.iter().find(|node| is_alike(node));
        let beside = alike.or(definitions.first()).copied();
        beside.or(smallest).map(start)
    }

    /// The white space that the line begins with.
    pub(super) fn indentation(&self) -> String {
        let source = self.lines.source;
        source.indentation_at(self.span.start())
    }

    /// What replaces all that was named. The white space that the line begins with is there already,
    /// where it was not named.
    fn round_in_literal(&self, given: &str) -> Round {
        let line = self.indentation();
        let is_there = self.starts_line && self.with_blanks.start() == self.span.start();
        let bare = given.strip_prefix(line.as_str());
        let bare = bare.filter(|bare| is_there && !bare.starts_with([' ', '\t']));
        Round::as_given(self.with_blanks, bare.unwrap_or(given))
    }

    fn round(&self, given: &str, home: &Home<'_>) -> Round {
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
        let (end, behind) = match self.span.is_empty() && lead.contains('\n') {
            // What comes between two characters and begins with a line break ends as it was given.
            true => (self.with_blanks.end(), trail.to_string()),
            false => self.behind(trail),
        };
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
    fn ahead(&self, lead: &str, home: &Home<'_>) -> (usize, String) {
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

    /// Content that stands where it was written, however deep the lines round it, where it begins a line.
    fn put_at_margin(&self, round: &mut Round, given: &str) {
        let was = begins_unindented(self.parsed, self.span.start());
        let line_start = self.line_start();
        let is_named = self.with_blanks.start() <= line_start;
        if self.starts_line && (!was || is_named) && round.at.start() >= line_start {
            round.at = Span::new(line_start, round.at.end());
        } else if self.starts_line || !round.before.contains('\n') {
            return;
        }
        let blanks = leading(given.trim_start_matches('\n'));
        let bare = round.before.trim_end_matches([' ', '\t']).len();
        round.before.truncate(bare);
        round.before.push_str(blanks);
    }

    /// The same of what follows. A line break behind the content is the one that stands there already.
    fn behind(&self, trail: &str) -> (usize, String) {
        let named = self.slice(self.span.end(), self.with_blanks.end());
        if !self.ends_line {
            return (self.with_blanks.end(), trail.to_string());
        }
        let (named_breaks, breaks) = (breaks(&named), breaks(trail));
        match (named_breaks, breaks) {
            // Blanks at the end of a line may say something: in Markdown two of them do.
            (0, 0) if !trail.is_empty() => (self.with_blanks.end(), trail.to_string()),
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
        let named = Span::new(end, self.with_blanks.end().max(end));
        // The white space that the next line begins with is its own.
        let last_break = source.slice(named).rfind('\n');
        let behind = last_break.map(|last_break| end + last_break + 1);
        let names_before = self.with_blanks.start() < start;
        let break_at = |offset: usize| match source.chars_behind(offset).take(2).eq("\r\n".chars())
        {
            true => 2,
            false => usize::from(offset < source.len()),
        };
        let break_before =
            |offset: usize| match source.chars_before(offset).take(2).eq("\n\r".chars()) {
                true => 2,
                false => usize::from(offset > 0),
            };
        let from = self.with_blanks.start();
        match (names_before, behind) {
            // Blank lines were named, from the start of the first.
            (true, Some(behind)) if from == self.lines.line_start(from) => Span::new(from, behind),
            // One of both is left, since what stood before and behind it were two lines.
            (true, Some(behind)) => Span::new(from + break_at(from), behind),
            (true, None) => Span::new(self.with_blanks.start(), end),
            (false, Some(behind)) => Span::new(start, behind),
            (false, None) if end < source.len() => Span::new(start, end + break_at(end)),
            (false, None) => Span::new(start - break_before(start), end),
        }
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> String {
        self.lines.source.slice(Span::new(start, end)).into_owned()
    }
}

fn breaks(blanks: &str) -> usize {
    blanks.matches('\n').count()
}
