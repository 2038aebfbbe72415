//! The target of content: what its lines have to begin with.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::language::Language;
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::{BOM, Span};

use super::super::Indent;
use super::super::spacing::Lines;
use super::items::has_flush_items;
use super::lines::{leading, without_margin};
use super::tree::ContentLines;
use super::unit::Unit;

/// The indentation that content gets, and what the file shows about it.
#[derive(Clone, Debug)]
pub(crate) struct IndentTarget<'p> {
    /// What each line begins with before its indentation: the `> ` of a block quote, usually nothing.
    pub(in super::super) quote: String,
    /// The sign that a quote repeats in each line, in languages that have one.
    pub(in super::super) line_sign: Option<char>,
    /// The whitespace before the first level of the content.
    pub(in super::super) indentation: String,
    /// The part of the indentation that protected lines have too: that of the list item that contains a code fence.
    pub(super) margin: String,
    /// One level of indentation.
    pub(super) unit: Unit<'p>,
    /// One level of indentation where the lines of the code show none.
    pub(super) usual_unit: &'static str,
    /// Whether the replaced text has further lines at this depth, so that a line of the content at
    /// this depth proves nothing.
    pub(super) is_flat: bool,
    /// The number of spaces before the first level of content with a line at column 0, if the replaced text is aligned
    /// after an operator that starts its line.
    pub(super) aligned: Option<usize>,
    /// Whether the content is known to be written at column 0.
    pub(super) is_at_column_0: bool,
    /// The number of characters before the content in its line; `None` if they are its indentation.
    pub(super) column: Option<usize>,
    /// The lines of the replaced text after its first.
    pub(super) old_lines: Vec<String>,
    /// The language of the content, if there the column of a line determines its parent.
    pub(super) by_column: Option<&'static Language>,
    /// Whether sequence items nearby are as deep as the key of their sequence.
    pub(super) has_flush_items: bool,
    /// Whether indentation delimits bodies in the language of the content.
    pub(super) is_indented: bool,
    /// Whether in that language the column alone determines which lines continue the previous one.
    pub(super) is_aligned: bool,
    /// Whether the language is prose: code in it may be indented with another unit than its lines.
    pub(super) is_prose: bool,
}

impl<'p> IndentTarget<'p> {
    /// Returns the target of content at the depth of the lines of `span`, a part of the last node of `container`.
    pub(crate) fn for_span(
        parsed: &'p Parsed,
        container: &[Node<'_>],
        span: Span,
    ) -> IndentTarget<'p> {
        let source = parsed.source();
        let margin = margin(parsed, container);
        let lines = Lines {
            source,
            margin: &margin,
        };
        let starts_line = lines.starts_line(span.start());
        let before = Span::new(lines.line_start(span.start()), span.start());
        let column = column(parsed, container, span.start()).map(|column| {
            // In a quote a line begins with its signs.
            match column.get(margin.len()..) {
                Some(rest) => format!("{margin}{rest}"),
                None => column,
            }
        });
        let prefix = match &column {
            _ if starts_line => source.slice(before).into_owned(),
            Some(column) => column.clone(),
            None if margin.is_empty() => indentation_of_line(source, span),
            None => prefix_in_item(&lines, before),
        };
        let is_in_line = column.is_none() && margin.is_empty() && !starts_line;
        let (code, code_margin) = enclosing_code(parsed, container);
        let own_prefix = prefix.strip_prefix(&*code_margin).unwrap_or(&prefix);
        let is_of_spaces = column.is_some() || own_prefix.ends_with(' ');
        // Its own line is the best evidence: others may be those of a string.
        let unit = match own_prefix.starts_with('\t') {
            true => Unit::known((!is_of_spaces).then(|| "\t".to_string())),
            false => Unit::near(parsed, code, code_margin, span, is_of_spaces),
        };
        // In a fence it is the fence's.
        let inner = container.last().map(|last| parsed.inner(*last).language());
        let language = inner.unwrap_or(source.language());
        let tables = language.tables();
        let mut target = IndentTarget {
            unit,
            aligned: is_in_line
                .then(|| column_after_operator(source, span))
                .flatten(),
            column: (!starts_line).then(|| source.slice(before).chars().count()),
            has_flush_items: column.is_some() && has_flush_items(parsed, language, code, span),
            by_column: column.is_some().then_some(language),
            is_indented: tables.is_some_and(|tables| tables.has_body(|body| body.indented)),
            is_aligned: tables.is_some_and(|tables| tables.has_body(|body| body.aligned)),
            usual_unit: language.indent(),
            is_prose: is_prose(language) || (language.is_inner() && is_prose(source.language())),
            ..IndentTarget::new(prefix, source.language().line_sign())
        };
        let own = margin.get(target.quote.len()..).unwrap_or_default();
        if target.indentation.starts_with(own) {
            target.margin = own.to_string();
        }
        target
    }

    /// Creates a target whose lines begin with `prefix`, in a language whose quotes repeat `line_sign`.
    pub(crate) fn new(prefix: String, line_sign: Option<char>) -> IndentTarget<'p> {
        // The space after a quote's sign is not indentation.
        let quote = line_sign.and_then(|sign| prefix.rfind(sign));
        let quote = quote.map_or(0, |sign| {
            let space = prefix[sign + 1..].starts_with(' ');
            sign + 1 + usize::from(space)
        });
        IndentTarget {
            quote: prefix[..quote].to_string(),
            indentation: prefix[quote..].to_string(),
            line_sign,
            margin: String::new(),
            unit: Unit::known(None),
            is_flat: false,
            aligned: None,
            is_at_column_0: false,
            column: None,
            old_lines: Vec::new(),
            by_column: None,
            has_flush_items: false,
            is_indented: false,
            is_aligned: false,
            is_prose: false,
            usual_unit: "",
        }
    }

    /// Adds what the replaced text in `span` shows.
    pub(crate) fn replacing(mut self, parsed: &Parsed, span: Span) -> IndentTarget<'p> {
        let old = parsed.source().slice(span);
        let continues = |line: &str| {
            let bare = line.trim_start_matches([' ', '\t']);
            leading(line) == self.indentation
                && !bare.starts_with([')', ']', '}', '\r'])
                && !bare.is_empty()
        };
        let depth = self.indentation.len();
        let is_no_deeper = |line: &str| leading(line).len() <= depth && !line.trim().is_empty();
        // The lines of strings prove nothing. They are looked up only where some line is no deeper than the first.
        let protected = match old.lines().skip(1).any(is_no_deeper) {
            true => ContentLines::new(parsed, span).inside(|node| node.is_protected()),
            false => BTreeSet::new(),
        };
        let further = old.lines().enumerate().skip(1);
        let further = further.filter(|(index, _)| !protected.contains(index));
        self.old_lines = further.map(|(_, line)| line.to_string()).collect();
        self.is_flat = self.old_lines.iter().any(|line| continues(line));
        self
    }

    /// Returns the target of content whose further lines begin with this whitespace: aligned ones if the first line and
    /// another one are at column 0.
    pub(super) fn for_lines<'l>(
        &self,
        first: &str,
        further: impl Iterator<Item = &'l str>,
    ) -> Cow<'_, IndentTarget<'p>> {
        let is_at_column_0 = || leading(first).is_empty() && further.map(str::len).min() == Some(0);
        match self.aligned.filter(|_| is_at_column_0()) {
            Some(column) => Cow::Owned(IndentTarget {
                indentation: " ".repeat(column),
                ..self.clone()
            }),
            None => Cow::Borrowed(self),
        }
    }

    /// Returns the target of content that is written as `indent` says.
    pub(super) fn written_as(&self, indent: Indent) -> Cow<'_, IndentTarget<'p>> {
        match indent {
            Indent::Column0 => Cow::Owned(IndentTarget {
                is_at_column_0: true,
                aligned: None,
                ..self.clone()
            }),
            Indent::Auto | Indent::Verbatim => Cow::Borrowed(self),
        }
    }

    /// Returns the target one level deeper.
    pub(crate) fn deeper(mut self, default_unit: &str) -> IndentTarget<'p> {
        let unit = self.unit.get().unwrap_or(default_unit);
        self.indentation.push_str(unit);
        self
    }

    /// Returns the target deeper by the width of `text` in spaces: content that follows it in its line.
    pub(crate) fn after_text(mut self, text: &str) -> IndentTarget<'p> {
        self.indentation.extend(text.chars().map(|_| ' '));
        self
    }

    /// Returns what a line begins with.
    pub(crate) fn prefix(&self) -> String {
        format!("{}{}", self.quote, self.indentation)
    }

    /// Returns a line break followed by this number of blank lines.
    pub(crate) fn breaks(&self, blank_lines: usize) -> String {
        let blank = format!("\n{}", self.quote.trim_end());
        blank.repeat(blank_lines) + "\n"
    }
}

/// Returns whether the language has list items or quotes with markers.
fn is_prose(language: &Language) -> bool {
    let tables = language.tables();
    tables.is_some_and(|tables| tables.uses(Mark::Marker))
}

/// Returns the indentation of the line in which `span` starts; that of its closing bracket if that is less deep, as the
/// lines of a brace that follows a parameter in its line are indented like the closing one.
fn indentation_of_line(source: &crate::source::Source, span: Span) -> String {
    let line = source.indentation_at(span.start());
    let text = source.slice(span);
    match closing_indentation(&text) {
        Some(closing) if line.starts_with(closing) => closing.to_string(),
        _ => line,
    }
}

/// Returns the column of `span`, in characters from 0, if only an operator and spaces precede it in its line and its lines
/// are aligned there: `| ` before a type whose last line begins with `]`.
fn column_after_operator(source: &crate::source::Source, span: Span) -> Option<usize> {
    let line = source.line_span(source.line_of(span.start()))?;
    let before = source.slice(Span::new(line.start(), span.start()));
    let is_operator = |c: char| c == ' ' || (c.is_ascii_punctuation() && !"_([{\"'`".contains(c));
    let is_one = before.ends_with(' ') && !before.trim().is_empty();
    let column = before.chars().count();
    let is_aligned = is_one && before.chars().all(is_operator);
    (is_aligned && is_aligned_at(&source.slice(span), column)).then_some(column)
}

/// Returns whether the least indented further lines of a text are at `column`, and begin with a closing bracket or an
/// operator: a word there would be inside what the first line begins.
fn is_aligned_at(text: &str, column: usize) -> bool {
    let mut further = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .peekable();
    let begins_with_sign = |line: &str| {
        let first = line.trim_start().chars().next();
        first.is_some_and(|c| c.is_ascii_punctuation() && !"_([{\"'`".contains(c))
    };
    further.peek().is_some()
        && further.clone().any(|line| leading(line).len() == column)
        && further.all(|line| match leading(line).len() {
            own if own == column => begins_with_sign(line),
            own => own > column,
        })
}

/// Returns what lines of a list item begin with: its first line begins with the marker, all others with the margin.
fn prefix_in_item(lines: &Lines<'_>, before: Span) -> String {
    let line = lines.source.slice(before);
    let sign = lines.source.language().line_sign();
    let own = line.len() - without_margin(&line, sign).len();
    match lines.starts_line(before.start() + own) && own > lines.margin.len() {
        true => line[..own].to_string(),
        false => lines.margin.to_string(),
    }
}

/// Returns the whitespace before the closing bracket that the last line of a text begins with.
fn closing_indentation(text: &str) -> Option<&str> {
    let (_, last) = text.trim_end().rsplit_once('\n')?;
    let bare = last.trim_start_matches([' ', '\t']);
    bare.starts_with([')', ']', '}'])
        .then(|| &last[..last.len() - bare.len()])
}

/// Returns whitespace as wide as the column of the members of a body whose members are recognized by their column: the
/// body that starts at `start`, else the innermost of `container`.
fn column(parsed: &Parsed, container: &[Node<'_>], start: usize) -> Option<String> {
    let language = container.last().map(|node| parsed.inner(*node).language());
    let tables = language.and_then(|language| language.tables());
    tables.filter(|tables| tables.has_body(|body| body.column))?;
    let source = parsed.source();
    let begins = |node: &Node<'_>| node.raw().map(|raw| raw.start_byte());
    let is_column = |node: &&Node<'_>| node.body().is_some_and(|body| body.column);
    let chain = parsed.chain(Span::at(start));
    let own = chain
        .iter()
        .rev()
        .take_while(|node| begins(node) == Some(start));
    let own = own.filter(is_column).find_map(begins);
    let outer = container.iter().rev().find(is_column).and_then(begins);
    let start = own.or(outer).unwrap_or(0);
    let line = source.line_span(source.line_of(start));
    let before = Span::new(line.map_or(start, |line| line.start().min(start)), start);
    let before = source.slice(before);
    let blank = before.trim_start_matches(BOM).chars();
    Some(blank.map(|c| if c == '\t' { '\t' } else { ' ' }).collect())
}

/// Returns what the lines of the innermost of `container` that has a marker (a list item, a block
/// quote) begin with; empty if none has one.
pub(crate) fn margin(parsed: &Parsed, container: &[Node<'_>]) -> String {
    /// The marker is the first child, or follows the remains of another one.
    const CHILDREN_READ: usize = 3;
    let marker = container.iter().rev().find_map(|node| {
        let mut first = node.first_children(CHILDREN_READ).into_iter();
        first.find(|child| child.is(Mark::Marker))
    });
    let Some(marker) = marker else {
        return String::new();
    };
    let source = parsed.source();
    let marker = marker.span();
    let line = source.line_span(source.line_of(marker.start()));
    let start = line.map_or(marker.start(), |line| line.start());
    let before = source.slice(Span::new(start, marker.end()));
    let line_sign = source.language().line_sign();
    let is_kept = |c: char| c == '\t' || Some(c) == line_sign;
    let margin = before.chars().map(|c| if is_kept(c) { c } else { ' ' });
    let mut margin: String = margin.collect();
    if !margin.ends_with([' ', '\t']) {
        margin.push(' ');
    }
    margin
}

/// Returns the text in one language that the last of `container` is a part of: the content of a code fence, else the
/// file. In addition, returns what its lines begin with before their own indentation.
fn enclosing_code(parsed: &Parsed, container: &[Node<'_>]) -> (Span, String) {
    let is_host = |node: &Node<'_>| {
        let inner = parsed.inner(*node);
        !inner.is_of_tree_of(*node) && !inner.language().is_inner()
    };
    let Some(host) = container.iter().rposition(is_host) else {
        return (parsed.source().whole(), String::new());
    };
    let margin = margin(parsed, &container[..host]);
    let lines = Lines {
        source: parsed.source(),
        margin: &margin,
    };
    let outer = host.checked_sub(1).map(|outer| container[outer].span());
    let fence = outer.filter(|outer| lines.starts_line(parsed.trimmed(*outer).start()));
    let code_margin = fence.map(|fence| {
        let start = parsed.trimmed(fence).start();
        let before = Span::new(lines.line_start(start), start);
        parsed.source().slice(before).into_owned()
    });
    (container[host].span(), code_margin.unwrap_or(margin))
}
