//! Checks whether the content is code, or only a sketch of code.
//!
//! Finds the two characters `\n` instead of a line break, placeholders such as `// ... existing code ...`, diff
//! markers, and a code fence around the content. Lines that the replaced text has too are accepted.

use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::comparison::Comparison;

/// Why content does not look like code, with the span in the text after the edit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Suspicion {
    /// A backslash and an `n` outside strings, characters and regular expressions.
    EscapedLineBreak(Span),
    /// A comment in place of omitted code.
    Placeholder(Span),
    /// A line of a diff or of a merge conflict.
    DiffMarker(Span),
    /// Three backticks around the content.
    CodeFence(Span),
}

impl Suspicion {
    /// Returns the span in the text after the edit.
    pub fn span(&self) -> Span {
        match self {
            Suspicion::EscapedLineBreak(span)
            | Suspicion::Placeholder(span)
            | Suspicion::DiffMarker(span)
            | Suspicion::CodeFence(span) => *span,
        }
    }
}

pub(super) fn suspicion(change: &Comparison<'_, '_>) -> Option<Suspicion> {
    if change.new_span.is_empty() {
        return None;
    }
    let before = change
        .selection
        .parsed()
        .source()
        .slice(change.selection.span())
        .into_owned();
    let is_new = |line: &str| !before.lines().any(|old| old.trim() == line.trim());
    let content = change.after.source().slice(change.new_span).into_owned();
    if !change.selection.node().language().quotes_code() {
        let start = change.new_span.start();
        let found = fence(&content, start, is_new).map(Suspicion::CodeFence);
        let found =
            found.or_else(|| diff_marker(&content, start, is_new).map(Suspicion::DiffMarker));
        if found.is_some() {
            return found;
        }
    }
    // Most content contains none of these, which makes a search of its nodes unnecessary.
    const SIGNS: &[&str] = &[
        "...",
        "…",
        "unchanged",
        "same",
        "existing",
        "omitted",
        "goes here",
        "your code",
        "no changes",
        "as before",
    ];
    let lower = content.to_lowercase();
    let may_hold_one = SIGNS.iter().any(|sign| lower.contains(sign));
    may_hold_one
        .then(|| new_placeholder(change))
        .flatten()
        .map(Suspicion::Placeholder)
        .or_else(|| escaped_line_break(change, &content, &before).map(Suspicion::EscapedLineBreak))
}

/// Returns the code fence at the start of the content.
fn fence(content: &str, base: usize, is_new: impl Fn(&str) -> bool) -> Option<Span> {
    let line = content.lines().next()?;
    let is_fence = line.starts_with("```") || line.starts_with("~~~");
    (is_fence && is_new(line)).then(|| Span::new(base, base + line.len()))
}

/// Returns a hunk header, a file header or a conflict marker at the start of a line, or the first line if all lines
/// are added, removed or context lines of a diff.
fn diff_marker(content: &str, base: usize, is_new: impl Fn(&str) -> bool) -> Option<Span> {
    let marked = |line: &str| {
        (line.starts_with("@@ -") && line.matches("@@").count() > 1)
            || line.starts_with("--- a/")
            || line.starts_with("+++ b/")
            || line.starts_with("<<<<<<< ")
            || line.starts_with(">>>>>>> ")
    };
    let lines = || {
        content.split_inclusive('\n').scan(base, |offset, line| {
            let start = *offset;
            *offset += line.len();
            Some((start, line.trim_end()))
        })
    };
    let only_changes = content.lines().count() > 1
        && lines().any(|(_, line)| line.starts_with('+'))
        && lines().all(|(_, line)| line.starts_with(['+', '-']));
    // The first line may have lost its indentation, and the others may be indented for their destination.
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let rest = || lines().skip(1).filter(|(_, line)| !line.is_empty());
    let depth = rest().map(|(_, line)| blanks(line)).min().unwrap_or(0);
    let sign = |line: &str| line[depth.min(blanks(line))..].starts_with(['+', '-']);
    let is_context = |line: &str| {
        let bare = line[depth..].strip_prefix(' ');
        bare.is_some_and(|bare| !bare.starts_with([' ', '\t', '+', '-', '*']))
    };
    let with_context = rest().any(|(_, line)| sign(line))
        && rest().any(|(_, line)| is_context(line))
        && rest().all(|(_, line)| sign(line) || line[depth..].starts_with(' '));
    lines()
        .filter(|(_, line)| only_changes || marked(line) || (with_context && sign(line)))
        .find(|(_, line)| is_new(line))
        .map(|(start, line)| Span::new(start, start + line.len()))
}

/// Returns a comment of the content in place of omitted code, unless the replaced text has such a comment too.
fn new_placeholder(change: &Comparison<'_, '_>) -> Option<Span> {
    let old = change.before;
    let old_span = change.selection.span();
    let text = |parsed: &Parsed, span: Span| parsed.source().slice(span).trim().to_string();
    let is_new = |span: &Span| {
        let new = text(change.after, *span);
        !placeholders(old, old_span).any(|one| text(old, one) == new)
    };
    placeholders(change.after, change.new_span).find(is_new)
}

/// Returns the comments in `within` that are in place of omitted code. In documentation, examples omit code on purpose.
fn placeholders(parsed: &Parsed, within: Span) -> impl Iterator<Item = Span> {
    let quotes_code = parsed.source().language().quotes_code();
    let is_example = move |node: Node<'_>| {
        quotes_code && node.is_embedded()
            || node
                .attached_kind()
                .is_some_and(|kind| kind.is_doc_by_itself())
    };
    nodes_in(parsed, within)
        .into_iter()
        .filter(move |(node, parent)| node.is_word("comment", *parent) && !is_example(*node))
        .map(|(node, _)| node.span())
        .filter(|span| is_placeholder(&parsed.source().slice(*span)))
}

/// Returns whether the text of a comment begins with a comment: an example in documentation.
fn holds_comment(comment: &str) -> bool {
    const SIGNS: &str = "/*#-!;%";
    let sign = comment.chars().next();
    let text = comment.trim_start_matches(|c| SIGNS.contains(c));
    let inner = text.trim_start();
    inner.len() < text.len() && sign.is_some_and(|sign| inner.starts_with(sign))
}

/// Returns whether a comment says that code was omitted: dots, alone or with such words, or one of a few phrases.
fn is_placeholder(comment: &str) -> bool {
    /// A longer comment is more than a placeholder.
    const LONGEST: usize = 60;
    const WORDS: &[&str] = &[
        "existing",
        "rest",
        "remaining",
        "unchanged",
        "same",
        "omitted",
        "previous",
        "other",
        "before",
        "code",
        "implementation",
        "keep",
        "more",
    ];
    if holds_comment(comment) {
        return false;
    }
    let bare = comment.trim_matches(|c: char| c.is_whitespace() || "/*#-<>!;{}".contains(c));
    let dots = |text: &str| text.starts_with("...") || text.starts_with('…');
    let ends_in_dots = bare.ends_with("...") || bare.ends_with('…');
    let phrase = bare
        .trim_matches(|c: char| c == '.' || c == '…' || c.is_whitespace())
        .to_lowercase();
    if phrase.len() >= LONGEST {
        return false;
    }
    if !dots(bare) && !ends_in_dots {
        return is_unchanged_phrase(&phrase);
    }
    let mut words = phrase
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    phrase.is_empty() || (words.any(|word| WORDS.contains(&word)) && dots(bare))
}

/// Returns whether a comment without dots is one of the phrases that models write in place of omitted code.
fn is_unchanged_phrase(phrase: &str) -> bool {
    const WHOLE: &[&str] = &[
        "existing code",
        "existing code here",
        "existing implementation",
        "your code here",
        "unchanged",
        "no changes here",
        "same as before",
    ];
    const SUBJECTS: &[&str] = &[
        "rest",
        "the rest",
        "remaining",
        "everything else",
        "other",
        "body",
    ];
    const ENDS: &[&str] = &[
        "unchanged",
        "the same",
        "same as before",
        "as before",
        "goes here",
        "omitted",
    ];
    WHOLE.contains(&phrase)
        || (SUBJECTS
            .iter()
            .any(|subject| begins_with_words(phrase, subject))
            && ENDS.iter().any(|end| phrase.ends_with(end)))
}

/// Returns whether `text` begins with `words` and not with a longer word: "restores" does not begin with "rest".
fn begins_with_words(text: &str, words: &str) -> bool {
    let rest = text.strip_prefix(words);
    rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Finds a backslash and an `n` in place of a line break. In a comment they count only if the whole content is one
/// line, since prose may mention `\n`.
fn escaped_line_break(change: &Comparison<'_, '_>, content: &str, before: &str) -> Option<Span> {
    let one_line = !content.contains('\n');
    let source = change.after.source();
    let strings = || nodes_in(change.after, change.new_span).into_iter();
    let mut quoting: Option<Vec<(Span, bool)>> = None;
    for (offset, _) in content.match_indices("\\n") {
        let start = change.new_span.start() + offset;
        let span = Span::new(start, start + 2);
        let quoting = quoting.get_or_insert_with(|| {
            strings()
                .filter_map(|(node, parent)| {
                    let of = |word| node.is_word(word, parent);
                    (of("string") || of("comment")).then(|| (node.span(), of("comment")))
                })
                .collect()
        });
        let inside = quoting.iter().find(|(outer, _)| outer.contains(span));
        let excused = match inside {
            Some((_, false)) => true,
            Some((_, true)) => {
                !one_line || quoted(content, offset) || is_prose(&content[offset + 2..])
            }
            // Prose and fences mention `\n` too.
            None => source.language().quotes_code() && !one_line,
        };
        let line = source.line_span(source.line_of(start))?;
        let has_before = before.contains("\\n") && before.contains(source.slice(line).trim());
        if !excused && !has_before {
            return Some(span);
        }
    }
    None
}

/// Returns whether the rest of a comment does not look like code.
fn is_prose(rest: &str) -> bool {
    !rest.contains(['{', '}', ';', '(', ')', '='])
}

/// Returns whether the two characters at `offset` are between quotes or backticks.
fn quoted(content: &str, offset: usize) -> bool {
    content[..offset].ends_with(['`', '"', '\''])
        || content[offset + 2..].starts_with(['`', '"', '\''])
}

/// Returns the named nodes that overlap `span`, each with its parent.
fn nodes_in(parsed: &Parsed, span: Span) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    let mut found = Vec::new();
    let mut path: Vec<Node<'_>> = Vec::new();
    let mut cursor = parsed.walk(parsed.root());
    loop {
        let node = cursor.node();
        let into = node.span().overlaps(span);
        if into && node.is_named() {
            found.push((node, path.last().copied()));
        }
        if into && cursor.goto_first_child() {
            path.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            path.pop();
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
