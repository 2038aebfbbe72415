//! [`Reading`]: which part of the old text became which part of the new text. The same two texts can be read in several
//! ways: a search text may end in the middle of a node although the edit inserts or removes whole nodes.

use crate::parse::{Node, Parsed};
use crate::select::{self, Selection, trimmed_node};
use crate::source::{Source, Span};

use super::{Replacement, TextEdit};

/// The maximum number of positions at which the same lines are tried as inserted or removed.
const POSITIONS_TRIED: usize = 8;
/// The maximum number of nodes to try that end before one of these positions.
const NODES_TRIED: usize = 4;

/// One way to read a change: the replaced text, its replacement, and the node whose children change.
#[derive(Clone, Debug)]
pub(crate) struct Reading<'p> {
    /// The selection.
    pub(crate) selection: Selection<'p>,
    /// The replacements that produce the new text.
    pub(crate) text_edit: TextEdit,
    /// The new content in the new text.
    pub(crate) new_span: Span,
    /// The nodes from the root down to the one whose children the edit changes.
    pub(crate) container: Vec<Node<'p>>,
    /// The removed text: the node and its attached nodes, or nothing.
    pub(crate) removed: Vec<Span>,
    /// Whether text that touches the change may merge with it into one node, as the change need not be whole nodes.
    pub(crate) may_merge: bool,
}

impl<'p> Reading<'p> {
    /// Reads several replacements as one change from the first to the last.
    pub(crate) fn of_whole(before: &'p Parsed, text_edit: TextEdit) -> Reading<'p> {
        let hull = text_edit.hull();
        let removed = text_edit.replacements().iter().map(|one| one.span);
        Reading {
            selection: select::all_of(before, hull),
            new_span: text_edit.new_hull(),
            container: strictly_enclosing(before, hull),
            removed: removed.filter(|span| !span.is_empty()).collect(),
            may_merge: true,
            text_edit,
        }
    }

    /// Returns whether several edits are judged as one.
    pub(crate) fn is_several(&self) -> bool {
        self.selection.is_text() && self.text_edit.replacements().len() > 1
    }

    /// Returns other readings of the change from the old text to `after`, nearest first: as inserted or removed whole
    /// lines, or with the adjacent whitespace on the other side. For example, replacing `x` by `w;\n  x` inserts the line
    /// `w;` before the line of `x`. There are none if text was both inserted and removed.
    pub(crate) fn others(&self, after: &Source) -> impl Iterator<Item = Reading<'p>> {
        let before = self.selection.parsed();
        let run = Run::from_edit(before.source(), after, &self.text_edit);
        let equivalents = run.map(|run| run.equivalents()).unwrap_or_default();
        equivalents.into_iter().flat_map(move |edit| {
            let EquivalentEdit {
                span,
                new_text,
                may_merge,
            } = edit;
            let new_span = Span::new(span.start(), span.start() + new_text.len());
            let replacement = Replacement { span, new_text };
            let reading = Reading {
                selection: self.selection.clone(),
                text_edit: TextEdit::new(before.source(), vec![replacement])
                    .expect("a run begins and ends between characters"),
                new_span,
                container: strictly_enclosing(before, span),
                removed: Vec::from_iter((!span.is_empty()).then_some(span)),
                may_merge,
            };
            let inner = match may_merge {
                true => Vec::new(),
                false => before_lines(&reading, span),
            };
            let inner = inner.into_iter().map({
                let reading = reading.clone();
                move |container| Reading {
                    container,
                    ..reading.clone()
                }
            });
            [reading.clone()].into_iter().chain(inner)
        })
    }
}

/// An edit with the same result at another position.
struct EquivalentEdit {
    span: Span,
    new_text: String,
    may_merge: bool,
}

/// Text that was only inserted, or only removed: a part of the longer of two texts.
struct Run<'a> {
    longer: &'a str,
    start: usize,
    len: usize,
    is_inserted: bool,
}

impl<'a> Run<'a> {
    fn from_edit(before: &'a Source, after: &'a Source, edit: &TextEdit) -> Option<Run<'a>> {
        let (hull, new_hull) = (edit.hull(), edit.new_hull());
        let (old, new) = (before.slice(hull), after.slice(new_hull));
        let is_inserted = new.len() > old.len();
        let (short, long) = if is_inserted {
            (&old, &new)
        } else {
            (&new, &old)
        };
        let pairs = short.bytes().zip(long.bytes());
        let prefix = pairs.take_while(|(one, other)| one == other).count();
        let suffix = short.len() - prefix;
        let is_run =
            long.len() > short.len() && long.as_bytes().ends_with(&short.as_bytes()[prefix..]);
        is_run.then(|| Run {
            longer: if is_inserted {
                after.text()
            } else {
                before.text()
            },
            start: hull.start() + prefix,
            len: long.len() - prefix - suffix,
            is_inserted,
        })
    }

    /// Returns the other edits with the same result: whole lines, then the nearest position after or before spaces.
    fn equivalents(&self) -> Vec<EquivalentEdit> {
        let (text, run) = (self.longer.as_bytes(), self.len);
        // The earliest and the latest start of the run, if it moves over such bytes only.
        let earlier = |over: fn(u8) -> bool| {
            let by = (1..=self.start).take_while(|by| {
                let passed = text[self.start - by];
                passed == text[self.start - by + run] && over(passed)
            });
            self.start - by.count()
        };
        let later = |over: fn(u8) -> bool| {
            let passed = (self.start..text.len() - run)
                .take_while(|at| text[*at] == text[*at + run] && over(text[*at]));
            self.start + passed.count()
        };
        let starts_line = |at: &usize| *at == 0 || text[at - 1] == b'\n';
        let all = earlier(|_| true)..=later(|_| true);
        let mut starts: Vec<usize> = all.filter(starts_line).collect();
        starts.sort_by_key(|at| at.abs_diff(self.start));
        starts.truncate(POSITIONS_TRIED);
        let edit = |at: usize, may_merge| match self.is_inserted {
            true => EquivalentEdit {
                span: Span::at(at),
                new_text: self.longer[at..at + run].to_string(),
                may_merge,
            },
            false => EquivalentEdit {
                span: Span::new(at, at + run),
                new_text: String::new(),
                may_merge,
            },
        };
        let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
        let over_spaces = [later(is_blank), earlier(is_blank)];
        let over_spaces = over_spaces.into_iter().filter(|at| *at != self.start);
        let lines = starts.into_iter().map(|at| edit(at, false));
        lines.chain(over_spaces.map(|at| edit(at, true))).collect()
    }
}

/// Returns chains to the nodes that end before inserted or removed lines and may end with them: a class that gets another
/// method. Only nodes that touch the selection count.
fn before_lines<'p>(reading: &Reading<'p>, span: Span) -> Vec<Vec<Node<'p>>> {
    let parsed = reading.selection.parsed();
    let depth = reading.container.len();
    let last = parsed.source().text()[..span.end()].trim_end().len();
    let ends = |node: &&Node<'_>| {
        let own = trimmed_node(parsed, **node);
        let is_named = own.touches(reading.selection.span());
        is_named && own.end() == last && own.start() < span.start()
    };
    let chain = parsed.chain(Span::new(last.saturating_sub(1), last));
    if chain.get(..depth) != Some(&reading.container[..]) {
        return Vec::new();
    }
    let below = chain[depth..].iter().take_while(ends).take(NODES_TRIED);
    let below = below.count();
    (1..=below).map(|by| chain[..depth + by].to_vec()).collect()
}

/// Returns the nodes from the root down to the smallest that starts before `span` and ends after it.
fn strictly_enclosing(parsed: &Parsed, span: Span) -> Vec<Node<'_>> {
    let mut chain = parsed.chain(span);
    let encloses = |node: &Node<'_>| {
        let own = trimmed_node(parsed, *node);
        own.start() < span.start() && span.end() < own.end()
    };
    let inner = chain.iter().skip(1).take_while(|node| encloses(node));
    let depth = 1 + inner.count();
    chain.truncate(depth);
    chain
}
