//! A node becomes other text.

use crate::change::{Change, EditNote, Replacement};
use crate::parse::{Node, Parsed};
use crate::select::{Selection, trimmed_node};
use crate::source::{Source, Span};

use super::attached;
use super::indent::{self, IndentTarget};
use super::separator::{self, Ending};
use super::siblings::{Attached, Element, Role, Siblings};
use super::{Composed, Content, EditError, bare_content, has_other_line_ending, laid_out};

/// Replaces the selected node: as given, with no change but the line breaks, which are the file's;
/// else with the comma and the indentation that the place wants. What is attached stays, unless it
/// is included or the content brings its own.
pub(super) fn replace<'p>(
    selection: Selection<'p>,
    given: &str,
    as_given: bool,
    include_attached: bool,
) -> Result<Change<'p>, EditError> {
    let parsed = selection.parsed();
    let line_ending = parsed.source().line_ending_at(selection.span().start());
    let target = match as_given {
        true => Target::of_node(&selection, given.replace("\r\n", "\n")).with_whitespace(parsed),
        false => Target::of(&selection, bare_content(given), include_attached),
    };
    let chain = target.chain;
    let home = IndentTarget::of(parsed, &chain[..chain.len() - 1], target.span)
        .replacing(parsed, target.span);
    let mut attached = attached::before(parsed, target.bearer);
    attached.extend(attached::leading_comments(parsed, target.chain));
    let (mut content, mut ending) = match as_given {
        true => (target.content, Ending::AS_GIVEN),
        false => separator::for_replacement(parsed, target.ends, &target.content),
    };
    laid_out(&selection, |last| {
        let mut brought = Vec::new();
        if let Some(last) = last {
            if !attached.is_empty() {
                brought = attached::kinds_brought(last.after(), last.new_span());
            }
            if !as_given {
                ending = ending.settled(last, &mut content);
            }
        }
        let gone: Vec<&Attached> = attached
            .iter()
            .filter(|one| include_attached || brought.contains(&one.kind))
            .collect();
        let mut notes: Vec<EditNote> = ending.note().into_iter().collect();
        let text = match as_given {
            true => content.clone(),
            false => {
                let placed = indent::reindent(&content, &home, last);
                notes.extend(placed.note());
                placed.text
            }
        };
        let words = target.words.iter().cloned();
        let kinds: Vec<String> = kinds(&gone).into_iter().chain(words).collect();
        if !kinds.is_empty() {
            notes.push(EditNote::AttachedReplaced { kinds });
        }
        if has_other_line_ending(given, line_ending) {
            notes.push(EditNote::LineEndings);
        }
        let text = text.replace('\n', line_ending);
        let mut replacements: Vec<Replacement> = gone
            .iter()
            .map(|one| Replacement::deletion(one.span))
            .collect();
        let gone: Vec<Span> = gone.iter().map(|one| one.span).collect();
        let content = Content {
            replacement: replacements.len(),
            start: 0,
            len: text.len(),
        };
        replacements.push(Replacement {
            span: target.span,
            new_text: text,
        });
        Composed {
            replacements,
            content,
            container: chain[..chain.len() - 1].to_vec(),
            gone: [gone, vec![target.span]].concat(),
            notes,
        }
    })
}

/// The kinds of attached things, each once.
pub(super) fn kinds(attached: &[&Attached]) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for one in attached {
        if !kinds.contains(&one.kind) {
            kinds.push(one.kind.clone());
        }
    }
    kinds
}

/// What is replaced, and by what: the node, or what does but stand round it and the content brings
/// too (`export`, `const`).
struct Target<'s, 'p> {
    /// The nodes from the root down to the one whose place the content takes.
    chain: &'s [Node<'p>],
    /// The nodes down to the one that attached things stand before.
    bearer: &'s [Node<'p>],
    /// The nodes down to the one whose end the content takes.
    ends: &'s [Node<'p>],
    span: Span,
    content: String,
    /// The words round the node that go, since the content brings its own.
    words: Option<String>,
}

impl<'s, 'p> Target<'s, 'p> {
    /// The selected node and nothing else. Comments before its first token are not part of it.
    fn of_node(selection: &'s Selection<'p>, content: String) -> Target<'s, 'p> {
        let chain = selection.chain();
        let mut span = selection.span();
        if let Some(comments) = attached::leading_comments(selection.parsed(), chain) {
            span = Span::new(comments.span.end(), span.end());
        }
        Target {
            chain,
            bearer: chain,
            ends: chain,
            span,
            content,
            words: None,
        }
    }

    /// Part of a string or comment, with the whitespace that some grammars leave out of it (the line break after
    /// the opening `"`), on each side where the content brings line breaks of its own. Line breaks beyond as many
    /// as the content brings stay.
    fn with_whitespace(mut self, parsed: &Parsed) -> Target<'s, 'p> {
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

    fn of(selection: &'s Selection<'p>, content: String, all: bool) -> Target<'s, 'p> {
        let (parsed, chain) = (selection.parsed(), selection.chain());
        let source = parsed.source();
        let mut outer = chain.len();
        while outer > 2 && chain[outer - 1].is_wrapped_in(chain[outer - 2]) {
            outer -= 1;
        }
        let target = Target::of_node(selection, content);
        if outer == chain.len() {
            return target;
        }
        let language = selection.node().language();
        let alone = Parsed::parse(Source::new("", language, target.content.clone()));
        let elements = Siblings::of(&alone, alone.root()).elements.into_iter();
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
            all || members.iter().any(is_one)
        };
        if let Some(level) = (outer..chain.len()).find(brings) {
            let chain = &chain[..level];
            let span = trimmed_node(parsed, chain[level - 1]);
            let words = source.slice(Span::new(span.start(), target.span.start()));
            return Target {
                chain,
                bearer: &selection.chain()[..outer],
                ends: chain,
                span,
                words: Some(words.trim().to_string()).filter(|words| !words.is_empty()),
                ..target
            };
        }
        let bearer = &chain[..outer];
        let Some(first) = members.first().filter(|first| !first.attached.is_empty()) else {
            return Target { bearer, ..target };
        };
        // Its own docs go above the words round the node.
        let start = trimmed_node(parsed, chain[outer - 1]).start();
        let words = source.slice(Span::new(start, target.span.start()));
        let (docs, own) = target.content.split_at(first.core.start());
        Target {
            chain: bearer,
            bearer,
            span: Span::new(start, target.span.end()),
            content: format!("{docs}{words}{own}"),
            ..target
        }
    }
}
