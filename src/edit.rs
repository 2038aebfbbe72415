//! [`Selection`] + [`Operation`] to [`Edited`]: the replacements, and the tree they lead to.
//!
//! Refuses nodes that cannot be edited and contents that change nothing. Whether the result
//! is sound is not decided here but in `validate`.

mod attached;
mod indent;
mod separator;
mod text_edit;

use std::collections::BTreeSet;

use crate::parse::{Node, Parsed};
use crate::select::{self, Selection};
use crate::source::{BOM, Source, Span};

use attached::Attached;
use indent::Home;
use separator::Comma;

pub use text_edit::{NotAnEdit, Replacement, TextEdit};

/// What is to be done with a selected node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The node becomes `new_content`; what is attached to it stays, unless the content
    /// brings its own of that kind.
    Replace {
        /// What comes in its place.
        new_content: String,
        /// Whether the content is re-indented for its place.
        indent: Indent,
        /// Whether doc comments and attributes before the node go with it.
        include_attached: bool,
    },
}

/// How content gets its indentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Indent {
    /// As its place wants it, whether it was written at column 0 or as in the file.
    #[default]
    Auto,
    /// As it was given.
    Verbatim,
}

/// An operation carried out on text and tree, not yet checked.
#[derive(Debug)]
pub struct Edited<'p> {
    /// What was selected.
    pub selection: Selection<'p>,
    /// The change.
    pub text_edit: TextEdit,
    /// The text and tree after it.
    pub after: Parsed,
    /// The new content after the edit, without what else changed.
    pub new_span: Span,
    /// What was done beyond the text as it was given.
    pub notes: Vec<EditNote>,
}

/// Something an operation did beyond the text as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditNote {
    /// So many lines got other white space in front.
    Reindented {
        /// How many.
        lines: usize,
    },
    /// The comma that the place needs was added.
    CommaAdded,
    /// The comma of the content was left out: the list has its own, or none there.
    CommaDropped,
    /// What was attached went, since the content brings its own or it was asked for.
    AttachedReplaced {
        /// `doc`, `attribute`, ..., each once.
        kinds: Vec<String>,
    },
    /// The line breaks of the content became the file's.
    LineEndings,
}

/// Why an operation cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The root of the file (`not_editable`).
    #[error("the whole file is not a node to edit")]
    Root,
    /// A place the parser skipped (`not_editable`).
    #[error("an ERROR node is not a node to edit")]
    ErrorNode,
    /// A node without text (`not_editable`).
    #[error("the node holds no text")]
    NoText,
    /// The content is empty or only white space (`invalid_content`).
    #[error("the content is blank")]
    BlankContent,
    /// The content holds a zero byte (`invalid_content`).
    #[error("the content holds a zero byte at {offset}")]
    ZeroByte {
        /// Offset in the content.
        offset: usize,
    },
    /// The text would stay as it is (`no_change`).
    #[error("the content is what stands there")]
    NoChange,
}

/// Carries out `operation` on the selected node.
///
/// # Errors
/// The node cannot be edited, or the content changes nothing or cannot be content.
pub fn edit<'p>(selection: Selection<'p>, operation: &Operation) -> Result<Edited<'p>, EditError> {
    let Operation::Replace {
        new_content,
        indent,
        include_attached,
    } = operation;
    check_editable(&selection)?;
    check_content(new_content)?;
    // In a string or a comment every blank counts.
    let as_given =
        *indent == Indent::Verbatim || select::is_literal(selection.parsed(), selection.node());
    let edited = match as_given {
        true => replace_as_given(selection, new_content, *include_attached),
        false => replace_tidily(selection, new_content, *include_attached),
    };
    match unchanged(&edited) {
        true => Err(EditError::NoChange),
        false => Ok(edited),
    }
}

fn check_editable(selection: &Selection<'_>) -> Result<(), EditError> {
    if selection.chain().len() < 2 {
        Err(EditError::Root)
    } else if selection.node().is_error() {
        Err(EditError::ErrorNode)
    } else if selection.span().is_empty() {
        Err(EditError::NoText)
    } else {
        Ok(())
    }
}

fn check_content(content: &str) -> Result<(), EditError> {
    if let Some(offset) = content.find('\0') {
        return Err(EditError::ZeroByte { offset });
    }
    match content.trim().is_empty() {
        true => Err(EditError::BlankContent),
        false => Ok(()),
    }
}

fn unchanged(edited: &Edited<'_>) -> bool {
    let before = edited.selection.parsed().source();
    let replacements = edited.text_edit.replacements();
    replacements
        .iter()
        .all(|one| before.slice(one.span) == one.new_text)
}

/// Replaces without a change but the line breaks, which are the file's.
fn replace_as_given<'p>(
    selection: Selection<'p>,
    given: &str,
    include_attached: bool,
) -> Edited<'p> {
    let source = selection.parsed().source();
    let line_ending = source.line_ending_at(selection.span().start());
    let (gone, kinds) = match include_attached {
        true => spans_and_kinds(&attached_before(&selection), |_| true),
        false => (Vec::new(), Vec::new()),
    };
    let mut notes = Vec::new();
    if !gone.is_empty() {
        notes.push(EditNote::AttachedReplaced { kinds });
    }
    if has_other_line_ending(given, line_ending) {
        notes.push(EditNote::LineEndings);
    }
    let text = given.replace("\r\n", "\n").replace('\n', line_ending);
    replace(selection, gone, text, notes)
}

/// How often content is placed anew by what its tree says, at most.
const ROUNDS: usize = 4;

/// What the tree says of content once it is in its place.
#[derive(Default)]
struct Learned {
    /// Lines that begin inside a multi-line string or comment.
    protected: BTreeSet<usize>,
    /// Where the lines of the content began in that place.
    lines: Vec<usize>,
    /// The attached nodes that go, since the content brings its own or it was asked for.
    gone: Vec<Span>,
    gone_kinds: Vec<String>,
}

/// Replaces with the comma, the indentation and the line breaks that the place wants, and
/// without doubling what is attached.
///
/// What of the content lies in a multi-line string is only known once it is parsed in its place, so
/// that the content is placed, parsed, and placed again where that says otherwise.
fn replace_tidily<'p>(selection: Selection<'p>, given: &str, include_attached: bool) -> Edited<'p> {
    let parsed = selection.parsed();
    let home = home(parsed.source(), selection.span());
    let line_ending = parsed.source().line_ending_at(selection.span().start());
    let content = given.trim_start_matches(BOM).replace("\r\n", "\n");
    let content = without_outer_blank_lines(&content);
    let (mut content, mut comma) = separator::for_replacement(parsed, selection.chain(), content);
    let goes =
        |kind: &str, brought: &[String]| include_attached || brought.iter().any(|own| own == kind);

    let attached = attached_before(&selection);
    let (gone, gone_kinds) = spans_and_kinds(&attached, |kind| goes(kind, &[]));
    let mut learned = Learned {
        gone,
        gone_kinds,
        ..Learned::default()
    };
    let mut last: Option<(String, Vec<Span>, Edited<'p>)> = None;
    let mut round = 0;
    loop {
        let opened = |line| {
            let known = last.as_ref().map(|(_, _, edited)| edited);
            known.is_some_and(|edited| opens_before_line(edited, &learned.lines, line))
        };
        let placed = indent::place(&content, &home, &learned.protected, opened);
        if let Some((text, gone, edited)) = last
            && (round == ROUNDS || (text == placed.text && gone == learned.gone))
        {
            return edited;
        }
        let mut notes = comma.note().into_iter().collect::<Vec<_>>();
        if placed.shifted_lines > 0 {
            notes.push(EditNote::Reindented {
                lines: placed.shifted_lines,
            });
        }
        if !learned.gone.is_empty() {
            notes.push(EditNote::AttachedReplaced {
                kinds: learned.gone_kinds.clone(),
            });
        }
        if has_other_line_ending(given, line_ending) {
            notes.push(EditNote::LineEndings);
        }
        let text = placed.text.replace('\n', line_ending);
        let used = learned.gone.clone();
        let edited = replace(selection.clone(), used.clone(), text, notes);

        let lines = line_starts(&edited);
        let brought = match attached.is_empty() {
            true => Vec::new(),
            false => attached::kinds_brought(&edited.after, edited.new_span),
        };
        let (gone, gone_kinds) = spans_and_kinds(&attached, |kind| goes(kind, &brought));
        learned = Learned {
            protected: protected_lines(&edited, &lines),
            lines,
            gone,
            gone_kinds,
        };
        comma = match comma {
            Comma::Added if !ends_in_comma(&edited) => {
                content.pop();
                Comma::AsGiven
            }
            Comma::PerhapsNeeded if edited.after.problems().len() > parsed.problems().len() => {
                content.push(',');
                Comma::Added
            }
            Comma::PerhapsSurplus if ends_in_comma(&edited) => {
                content.pop();
                Comma::Dropped
            }
            Comma::PerhapsSurplus => Comma::AsGiven,
            settled => settled,
        };
        last = Some((placed.text, used, edited));
        round += 1;
    }
}

/// Replaces the selected node's text by `text` and takes `gone` out.
fn replace<'p>(
    selection: Selection<'p>,
    gone: Vec<Span>,
    text: String,
    notes: Vec<EditNote>,
) -> Edited<'p> {
    let parsed = selection.parsed();
    let span = selection.span();
    let gone_len: usize = gone.iter().map(|span| span.len()).sum();
    let start = span.start() - gone_len;
    let new_span = Span::new(start, start + text.len());
    let mut replacements: Vec<Replacement> = gone
        .into_iter()
        .map(|span| Replacement {
            span,
            new_text: String::new(),
        })
        .collect();
    replacements.push(Replacement {
        span,
        new_text: text,
    });
    let text_edit = TextEdit::new(parsed.source(), replacements)
        .expect("what is attached lies before the node, each thing once");
    let after = parsed.reparse(text_edit.apply(parsed.source()), &text_edit.lengths());
    Edited {
        selection,
        text_edit,
        after,
        new_span,
        notes,
    }
}

fn attached_before(selection: &Selection<'_>) -> Vec<Attached> {
    attached::before(selection.parsed(), selection.chain())
}

/// The spans of what is attached, of the wanted kinds, and those kinds.
fn spans_and_kinds(
    attached: &[Attached],
    wanted: impl Fn(&str) -> bool,
) -> (Vec<Span>, Vec<String>) {
    let mut kinds: Vec<String> = Vec::new();
    let mut spans = Vec::new();
    for one in attached.iter().filter(|one| wanted(&one.kind)) {
        spans.push(one.span);
        if !kinds.contains(&one.kind) {
            kinds.push(one.kind.clone());
        }
    }
    (spans, kinds)
}

fn home(source: &Source, span: Span) -> Home {
    const LINES_LOOKED_AT: usize = 400;
    let own = source.slice(span);
    let around = source.slice(Span::new(0, span.start()));
    let unit = indent::unit_of(own.lines().skip(1))
        .or_else(|| indent::unit_of(around.lines().rev().take(LINES_LOOKED_AT)));
    Home {
        indentation: source.indentation_at(span.start()),
        unit,
    }
}

/// The content without blank lines at its start and white space at its end.
fn without_outer_blank_lines(content: &str) -> &str {
    let content = content.trim_end();
    let mut rest = content;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() {
            break;
        }
        rest = after;
    }
    rest
}

fn has_other_line_ending(content: &str, line_ending: &str) -> bool {
    let content = content.trim();
    let crlf = content.matches("\r\n").count();
    let lf = content.matches('\n').count() - crlf;
    match line_ending {
        "\r\n" => lf > 0,
        _ => crlf > 0,
    }
}

/// Where each line of the new content begins in the text after the edit.
fn line_starts(edited: &Edited<'_>) -> Vec<usize> {
    let text = edited.after.source().slice(edited.new_span);
    let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|offset| offset + 1);
    [0].into_iter()
        .chain(breaks)
        .map(|offset| edited.new_span.start() + offset)
        .collect()
}

/// The lines of the new content that begin inside a protected node.
fn protected_lines(edited: &Edited<'_>, lines: &[usize]) -> BTreeSet<usize> {
    let Some(tables) = edited.after.source().language().tables() else {
        return BTreeSet::new();
    };
    let begins_inside = |start: usize| {
        // A node that begins at or before the end of the line before, and reaches past its start.
        let chain = edited.after.chain(Span::new(start - 1, start));
        chain.iter().any(|node| {
            node.span().start() < start
                && node.span().end() > start
                && tables.is_protected(node.raw())
        })
    };
    let rest = lines.iter().enumerate().skip(1);
    rest.filter(|(_, start)| begins_inside(**start))
        .map(|(index, _)| index)
        .collect()
}

/// Whether a line of the content (from 0) wants to stand deeper than the first: a bracket is open
/// at its start and it does not begin with a closing one, or it continues what an operator parts.
fn opens_before_line(edited: &Edited<'_>, lines: &[usize], line: usize) -> bool {
    let (1.., Some(&start)) = (line, lines.get(line)) else {
        return false;
    };
    let end = edited.new_span.end();
    let text = edited.after.source().slice(Span::new(start, end));
    let bare = text.trim_start_matches([' ', '\t']);
    let first = start + (text.len() - bare.len());
    if bare.starts_with([')', ']', '}', '\n', '\r']) {
        return false;
    }
    edited
        .after
        .chain(Span::at(first))
        .iter()
        .rev()
        .take_while(|node| node.span().start() >= edited.new_span.start())
        .filter(|node| node.span().start() < start)
        .any(|node| opens_before(*node, first) || continues_at(*node, first))
}

/// Whether one of the node's own children before `offset` is an opening bracket without its
/// closing one before `offset`.
fn opens_before(node: Node<'_>, offset: usize) -> bool {
    let mut cursor = node.raw().walk();
    let mut depth = 0;
    for child in node.raw().children(&mut cursor) {
        if child.start_byte() >= offset {
            break;
        }
        match child.kind() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    depth > 0
}

/// Whether a child of the node begins at `offset` that goes on with what stands before it: an
/// operator (`.`, `+`, `&&`), or what a keyword or an operator (`=`, `where`) wants to follow.
/// Comments count as what they stand before; a sign that ends the node closes it.
fn continues_at(node: Node<'_>, offset: usize) -> bool {
    let is_word = |kind: &str| kind.starts_with(char::is_alphabetic);
    let parts = |kind: &str| {
        let of_pattern = kind == "|" && node.kind().ends_with("pattern");
        !of_pattern && !matches!(kind, "(" | ")" | "[" | "]" | "{" | "}" | "," | ";")
    };
    let mut cursor = node.raw().walk();
    let mut begins_there = false;
    let mut previous: Option<tree_sitter::Node<'_>> = None;
    let mut children = node.raw().children(&mut cursor);
    let next = children.find(|child| {
        begins_there |= child.start_byte() == offset;
        let is_next = !child.is_extra() && child.start_byte() >= offset;
        if !child.is_extra() && !is_next {
            previous = Some(*child);
        }
        is_next
    });
    let (Some(previous), Some(next), true) = (previous, next, begins_there) else {
        return false;
    };
    if next.is_named() {
        let opens_block = next.child(0).is_some_and(|first| first.kind() == "{");
        !opens_block && !previous.is_named() && parts(previous.kind())
    } else {
        let closes = children.next().is_none();
        !closes && !is_word(next.kind()) && parts(next.kind())
    }
}

/// Whether the last character of the new content is a comma of the tree.
fn ends_in_comma(edited: &Edited<'_>) -> bool {
    let end = edited.new_span.end();
    let token = edited
        .after
        .root()
        .and_then(|root| root.raw().descendant_for_byte_range(end - 1, end));
    token.is_some_and(|token| token.kind() == "," && token.end_byte() == end)
}
