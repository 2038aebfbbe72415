//! Replaces a node.

use crate::change::{Change, EditNote, Replacement};
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::{Source, Span};

use super::attached::{self, AttributesInside, ContentStart};
use super::indent::{self, IndentTarget};
use super::layout::{Composed, Content, Draft, laid_out};
use super::separator::{self, Ending};
use super::siblings::{Attached, Element, Role, Siblings};
use super::{EditError, Indent, bare_content, has_other_line_ending, parentheses};

/// Replaces the selected node, or only the value of a pair of data by content that has no pair.
///
/// # Errors
/// The content parses differently each time it is indented.
pub(super) fn replace<'p>(
    selection: &Selection<'p>,
    given: &str,
    indent: Indent,
    include_attached: bool,
) -> Result<Change<'p>, EditError> {
    let make = |selection: &Selection<'p>, content: &str| {
        let draft = replacement(selection, content, indent, include_attached);
        laid_out(selection, draft)
    };
    let change = make(selection, given)?;
    let Some(value) = value_of_pair(selection, change.after(), change.new_span()) else {
        let again = |content: &str| make(selection, content);
        return Ok(parentheses::settled(change, selection, given, again));
    };
    let known = selection.parsed().problems_around(selection.span());
    let is_sound = |change: &Change<'_>| {
        change.after().problems_around(change.new_span()).len() <= known.len()
    };
    let only_value = make(&value, given)?;
    Ok(match is_sound(&only_value) || is_sound(&change) {
        true => only_value.with_note(EditNote::OnlyValue {
            node_type: selection.node().kind().to_string(),
        }),
        false => change,
    })
}

/// Replaces the selected node: verbatim with only the line breaks of the file, else with the separator and the
/// indentation of the node. Attached nodes stay, unless they are included or the content has its own of that kind.
pub(super) fn replacement<'s, 'p>(
    selection: &'s Selection<'p>,
    given: &'s str,
    indent: Indent,
    include_attached: bool,
) -> Draft<'s, 'p> {
    let parsed = selection.parsed();
    let as_given = indent == Indent::Verbatim;
    let line_ending = parsed.source().line_ending_at(selection.span().start());
    let replaced = match as_given {
        true => ReplacedNode::node(selection, given.replace("\r\n", "\n")).with_whitespace(parsed),
        false => ReplacedNode::from_selection(selection, bare_content(given), include_attached),
    };
    let container = &replaced.chain[..replaced.chain.len() - 1];
    let target_of = |span| IndentTarget::for_span(parsed, container, span).replacing(parsed, span);
    let target = target_of(replaced.span);
    let mut attached = attached::before(parsed, replaced.bearer);
    attached.extend(attached::leading_comments(parsed, replaced.chain));
    let (mut content, mut ending) = match as_given {
        true => (replaced.content.clone(), Ending::AS_GIVEN),
        false => separator::for_replacement(parsed, replaced.ends, &replaced.content),
    };
    let attributes = attached::attributes_inside(parsed, replaced.chain)
        .filter(|one| !include_attached && one.span.start() == replaced.span.start())
        .map(|attributes| {
            let rest = Span::new(attributes.span.end(), replaced.span.end());
            (attributes, rest, target_of(rest))
        });
    // The first layout keeps the attributes, so that its tree shows what the content begins with.
    let mut start: Option<ContentStart> = None;
    Box::new(move |last| {
        if let (Some(last), Some((attributes, ..)), None) = (last, &attributes, &start) {
            let (after, from) = (last.after, last.place_before(attributes.span.start()));
            let kind = replaced.chain.last().map_or("", |node| node.kind());
            start = Some(attached::content_start(after, from, last.new_span, kind));
        }
        let last_if_attached = last.filter(|_| !attached.is_empty());
        let brought = last_if_attached.map_or(Vec::new(), |last| {
            attached::kinds_at_start(last.after, last.new_span)
        });
        ending = last.map_or(ending, |last| ending.settled(last, &mut content));
        let is_removed = |one: &&Attached| include_attached || brought.contains(&one.kind);
        let removed: Vec<&Attached> = attached.iter().filter(is_removed).collect();
        let mut notes = Vec::from_iter(ending.note());
        let (mut span, mut target, mut text) = (replaced.span, &target, content.clone());
        let mut lost = Vec::new();
        match (&attributes, &start) {
            (None, _) => {}
            (Some((attributes, ..)), Some(start)) if !start.is_without_attributes => {
                lost = attributes.node_types(parsed, |text| !content.contains(text));
            }
            (Some((attributes, rest, target_of_rest)), start) => {
                notes.push(EditNote::AttributesKept {
                    node_types: attributes.node_types(parsed, |_| true),
                });
                match start.as_ref().map_or(0, |start| start.comments) {
                    0 => (span, target) = (*rest, target_of_rest),
                    // Comments of the content go before the attributes.
                    comments => {
                        text = replaced.with_attributes(parsed, attributes, &content, comments)
                    }
                }
            }
        }
        if !as_given {
            let reindented = indent::reindent(&text, target, indent, last);
            notes.extend(reindented.note());
            text = reindented.text;
        }
        notes.extend(replaced.note(&removed, lost));
        let has_other = has_other_line_ending(given, line_ending);
        notes.extend(has_other.then_some(EditNote::LineEndings));
        Composed {
            with_kept: attributes.as_ref().map(|_| replaced.span),
            ..replaced.composed(span, &removed, text.replace('\n', line_ending), notes)
        }
    })
}

/// Returns the value of the selected pair of data if the content that replaces the pair, at `new_span`, has no pair and is
/// no comment.
pub(super) fn value_of_pair<'p>(
    selection: &Selection<'p>,
    after: &Parsed,
    new_span: Span,
) -> Option<Selection<'p>> {
    let pair = selection.node();
    let children = selection.parsed().children(pair);
    let mut values = children.into_iter().filter(|child| child.is(Mark::Value));
    let value = values.next().filter(|_| values.next().is_none())?;
    let start = after.trimmed(new_span).start();
    let is_pair = |node: &Node<'_>| {
        node.kind() == pair.kind() && node.span().start() == start && !node.has_error()
    };
    let is_comment = |node: &Node<'_>| node.is_word("comment", None) || node.is(Mark::Loose);
    let mut first = after.chain(Span::new(start, start + 1)).into_iter();
    let is_other = first.any(|node| is_pair(&node) || is_comment(&node));
    (!is_other).then(|| selection.of_chain([selection.chain(), &[value]].concat()))
}

/// Returns the kinds of attached nodes, each once.
pub(super) fn kinds(attached: &[&Attached]) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for one in attached {
        if !kinds.contains(&one.kind) {
            kinds.push(one.kind.clone());
        }
    }
    kinds
}

/// What is replaced, and by what: the node, or an enclosing one that merely wraps it (`export`, `const`) and that the
/// content has too.
struct ReplacedNode<'s, 'p> {
    /// The nodes from the root down to the replaced one.
    chain: &'s [Node<'p>],
    /// The nodes down to the one that attached nodes precede.
    bearer: &'s [Node<'p>],
    /// The nodes down to the one whose end is replaced.
    ends: &'s [Node<'p>],
    span: Span,
    content: String,
    /// The words before the node that are removed, because the content has its own.
    words: Option<String>,
}

impl<'s, 'p> ReplacedNode<'s, 'p> {
    /// Returns the note about attached nodes, attributes inside the node and words that the content replaces.
    fn note(&self, removed: &[&Attached], attributes: Vec<String>) -> Option<EditNote> {
        let words = self.words.iter().cloned();
        let kinds: Vec<String> = kinds(removed)
            .into_iter()
            .chain(attributes)
            .chain(words)
            .collect();
        (!kinds.is_empty()).then_some(EditNote::AttachedReplaced { kinds })
    }

    /// Returns `content` with the attributes of the old text after its comments. `comments` is the number of their
    /// characters without whitespace.
    fn with_attributes(
        &self,
        parsed: &Parsed,
        attributes: &AttributesInside<'_>,
        content: &str,
        comments: usize,
    ) -> String {
        let mut words = content.char_indices().filter(|(_, c)| !c.is_whitespace());
        let own = words.nth(comments).map_or(content.len(), |(at, _)| at);
        let (comments, own) = content.split_at(own);
        let attributes = with_indentation(parsed, attributes.span, last_line(comments));
        format!("{comments}{attributes}{own}")
    }

    /// Returns the replacement of `span` by `text`, with `removed` deleted.
    fn composed(
        &self,
        span: Span,
        removed: &[&Attached],
        text: String,
        notes: Vec<EditNote>,
    ) -> Composed<'p> {
        let removed: Vec<Span> = removed.iter().map(|one| one.span).collect();
        let deletions = removed.iter().copied().map(Replacement::deletion);
        let mut replacements: Vec<Replacement> = deletions.collect();
        let content = Content {
            replacement: replacements.len(),
            start: 0,
            len: text.len(),
        };
        replacements.push(Replacement {
            span,
            new_text: text,
        });
        Composed {
            replacements,
            content,
            container: self.chain[..self.chain.len() - 1].to_vec(),
            removed: [removed, vec![span]].concat(),
            neighbours: None,
            with_kept: None,
            notes,
        }
    }

    /// Creates the replacement of the selected node alone. Comments before its first token are not
    /// part of it.
    fn node(selection: &'s Selection<'p>, content: String) -> ReplacedNode<'s, 'p> {
        let chain = selection.chain();
        let mut span = selection.span();
        if let Some(comments) = attached::leading_comments(selection.parsed(), chain) {
            span = Span::new(comments.span.end(), span.end());
        }
        ReplacedNode {
            chain,
            bearer: chain,
            ends: chain,
            span,
            content,
            words: None,
        }
    }

    /// Extends a part of a string or comment by the whitespace that some grammars exclude from it
    /// (the line break after the opening `"`), on each side where the content has its own line
    /// breaks. Extra line breaks stay.
    fn with_whitespace(mut self, parsed: &Parsed) -> ReplacedNode<'s, 'p> {
        let [.., parent, node] = self.chain else {
            return self;
        };
        // A heredoc is a literal of its own: the line break before it is not part of its text.
        if !node.is_in_protected() || node.is_protected() {
            return self;
        }
        let breaks = |whitespace: &str| whitespace.matches('\n').count();
        let bare = self.content.trim_start();
        let (source, outer) = (parsed.source(), parent.span());
        let brought = breaks(&self.content[..self.content.len() - bare.len()]);
        let ahead = Span::new(outer.start().min(self.span.start()), self.span.start());
        let run = Span::new(source.trimmed_end(ahead).end(), self.span.start());
        let text = source.slice(run);
        if brought > 0 && breaks(&text) > 0 {
            let kept = breaks(&text).saturating_sub(brought);
            let kept: usize = text.split_inclusive('\n').take(kept).map(str::len).sum();
            self.span = Span::new(run.start() + kept, self.span.end());
        }
        let brought = breaks(&bare[bare.trim_end().len()..]);
        let after = Span::new(self.span.end(), outer.end().max(self.span.end()));
        let run = Span::new(self.span.end(), source.trimmed_start(after).start());
        let text = source.slice(run);
        if brought > 0 && breaks(&text) > 0 {
            let replaced = match brought < breaks(&text) {
                true => text.split_inclusive('\n').take(brought).map(str::len).sum(),
                false => run.len(),
            };
            self.span = Span::new(self.span.start(), run.start() + replaced);
        }
        self
    }

    /// Creates the replacement of the selected node, or of its outermost wrapper that the content
    /// has too; with `include_attached`, of its outermost wrapper.
    fn from_selection(
        selection: &'s Selection<'p>,
        content: String,
        include_attached: bool,
    ) -> ReplacedNode<'s, 'p> {
        let (parsed, chain) = (selection.parsed(), selection.chain());
        let source = parsed.source();
        let mut outer = chain.len();
        // Comments precede the statement that is nothing but the selected expression.
        let is_all_of = |node: Node<'_>, parent: Node<'_>| {
            parent.body().is_none()
                && parent.list().is_none()
                && trimmed_node(parsed, node) == trimmed_node(parsed, parent)
        };
        let belongs =
            |node: Node<'_>, parent| node.is_wrapped_in(parent) || is_all_of(node, parent);
        while outer > 2 && belongs(chain[outer - 1], chain[outer - 2]) {
            outer -= 1;
        }
        let node = ReplacedNode::node(selection, content);
        if outer == chain.len() {
            return node;
        }
        let language = selection.node().language();
        let alone = Parsed::parse(Source::new("", language, node.content.clone()));
        let elements = Siblings::for_parent(&alone, alone.root())
            .elements
            .into_iter();
        let members: Vec<Element<'_>> = elements
            .filter(|element| element.role == Role::Member)
            .collect();
        let brings = |level: &usize| {
            let kind = chain[level - 1].kind();
            let is_one = |one: &Element<'_>| {
                let nodes = one.node.unwrapped();
                let first = nodes.iter().map(|node| node.span().start());
                one.node.kind() == kind && first.max() > Some(one.node.span().start())
            };
            include_attached || members.iter().any(is_one)
        };
        if let Some(level) = (outer..chain.len()).find(brings) {
            let chain = &chain[..level];
            let span = trimmed_node(parsed, chain[level - 1]);
            let words = source.slice(Span::new(span.start(), node.span.start()));
            return ReplacedNode {
                chain,
                bearer: &selection.chain()[..outer],
                ends: chain,
                span,
                words: Some(words.trim().to_string()).filter(|words| !words.is_empty()),
                ..node
            };
        }
        let bearer = &chain[..outer];
        let Some(first) = members.first().filter(|first| !first.attached.is_empty()) else {
            return ReplacedNode { bearer, ..node };
        };
        // Doc comments of the content go before the words of the wrapper.
        let start = trimmed_node(parsed, chain[outer - 1]).start();
        let (docs, own) = node.content.split_at(first.core.start());
        let words = Span::new(start, node.span.start());
        let words = with_indentation(parsed, words, last_line(docs));
        ReplacedNode {
            chain: bearer,
            bearer,
            span: Span::new(start, node.span.end()),
            content: format!("{docs}{words}{own}"),
            ..node
        }
    }
}

/// Returns the text of `span` with `indentation` in place of that of its first line, in all lines but the first.
fn with_indentation(parsed: &Parsed, span: Span, indentation: &str) -> String {
    let source = parsed.source();
    let old = source.indentation_at(span.start());
    let text = source.slice(span).replace("\r\n", "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    let with_own = |(index, line): (usize, &&str)| match line.strip_prefix(&old) {
        // The last line is the indentation of what follows.
        Some(rest) if index > 0 && (!line.is_empty() || index + 1 == lines.len()) => {
            format!("{indentation}{rest}")
        }
        _ => line.to_string(),
    };
    let lines: Vec<String> = lines.iter().enumerate().map(with_own).collect();
    lines.join("\n")
}

/// Returns the text after the last line break.
fn last_line(text: &str) -> &str {
    &text[text.rfind('\n').map_or(text.len(), |at| at + 1)..]
}
