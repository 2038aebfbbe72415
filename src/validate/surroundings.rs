//! Checks that everything outside the edit is unchanged.
//!
//! The nodes outside the edit must be the same before and after it: the same types at the same places, in the same order
//! ([`same_nodes`]). A node around the edit may get another type, and its ends may move with the edit. This detects an
//! unclosed brace that swallows the rest of the file even if no ERROR node shows it.
//!
//! A text replacement may also regroup the tokens around it ([`regroups`]), if they are the same tokens, no symbol outside it
//! disappears, and it changes whole statements or other members of a block into whole members. The block is the smallest
//! one that is there before and after it, so that `return 1; }  fn g() { return 2;` may replace `return 1;`.
//!
//! If the old tree had errors around the edit that the edit changes, the nodes may change (the edit may be a repair), but
//! no symbol may disappear.

use std::collections::{HashMap, HashSet};

use crate::language::queries::Mark;
use crate::parse::{Cursor, Node, Parsed, Symbol, SymbolTree, SyntaxProblem};
use crate::select::trimmed_node;
use crate::source::Span;

use super::Note;
use super::comparison::{Comparison, Symbols};
use super::syntax::{is_in_text, runs_on, unpaired};

/// What changed around the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// The first difference in the tree around the target, in the text after the edit.
    pub span: Span,
    /// The type of the enclosing node whose children changed.
    pub parent: String,
    /// Symbols outside the target that would disappear, with their line before the edit.
    pub lost: Vec<LostSymbol>,
    /// Symbols outside the target that would appear.
    pub appeared: Vec<Vec<String>>,
    /// The marker of the selected node, such as `- `, if the new content needs one and lacks it.
    pub missing_marker: Option<String>,
    /// The first unpaired bracket of the new content, in the text after the edit.
    pub unpaired: Option<Span>,
}

/// Where the surroundings first differ. Enough to decide; a refusal needs the whole [`Disturbance`].
#[derive(Clone, Debug)]
pub(super) struct Difference {
    /// The span in the text after the edit.
    pub(super) span: Span,
    /// The type of the enclosing node whose children differ.
    pub(super) parent: String,
}

impl Difference {
    pub(super) fn new(parent: Node<'_>, span: Span) -> Difference {
        Difference {
            span,
            parent: parent.kind().to_string(),
        }
    }

    /// Describes the difference: the symbols that disappear or appear, a missing marker and an unpaired bracket.
    pub(super) fn describe(self, change: &Comparison<'_, '_>) -> Disturbance {
        let Symbols { lost, appeared, .. } = change.symbols();
        Disturbance {
            span: self.span,
            parent: self.parent,
            lost: lost.clone(),
            appeared: appeared.clone(),
            missing_marker: missing_marker(change),
            unpaired: unpaired(change.after, change.new_span),
        }
    }
}

/// A symbol outside the edit that would disappear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostSymbol {
    /// Its path.
    pub path: Vec<String>,
    /// Its path after the edit, if the same definition still exists there.
    pub moved_to: Option<Vec<String>>,
    /// Its line (from 1) before the edit.
    pub line: usize,
}

/// A definition that becomes one of another kind: an interface becomes a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// Its path after the edit.
    pub path: Vec<String>,
    /// Its kind before the edit: `function`, `struct`, ...
    pub was: &'static str,
    /// Its kind after the edit.
    pub now: &'static str,
    /// The number of symbols in it that change with it.
    pub inside: usize,
}

/// How the surroundings of a change are alike in the old and the new tree, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// All nodes outside the edit are the same.
    SameNodes,
    /// A text replacement regroups the tokens around it, which are all the same.
    Regrouped,
}

/// Returns whether one of the two texts has no syntax tree whose nodes the change could disturb.
pub(super) fn is_of_plain_text(change: &Comparison<'_, '_>) -> bool {
    change.after.is_plain_text() || change.before.is_plain_text()
}

/// Returns the strictest way in which the surroundings are alike, with the notes on it.
pub(super) fn likeness(change: &Comparison<'_, '_>) -> Result<(Likeness, Vec<Note>), Difference> {
    let difference = match same_nodes(change) {
        Ok(notes) => return Ok((Likeness::SameNodes, notes)),
        Err(difference) => difference,
    };
    if !regroups(change) {
        return Err(difference);
    }
    Ok((Likeness::Regrouped, Vec::new()))
}

/// Compares all nodes outside the edit. Returns notes on enclosing nodes that get another type.
fn same_nodes(change: &Comparison<'_, '_>) -> Result<Vec<Note>, Difference> {
    let compared = match lost_comment(change) {
        Some(comment) => Err((comment, None)),
        None => compare(change, &Edited::from_comparison(change), |node| {
            !node.is(Mark::Words)
        }),
    };
    compared.or_else(|(span, around)| {
        let encloses = |node: &&Node<'_>| {
            let now = change.text_edit.map_span(node.span());
            now.is_some_and(|now| now.contains(span))
        };
        let inner = || change.container.iter().rfind(encloses).copied();
        let parent = around.or_else(inner).unwrap_or(change.before.root());
        match parent.has_error() && may_repair(change) {
            true => Ok(Vec::new()),
            false => Err(Difference::new(parent, span)),
        }
    })
}

/// Returns whether a text replacement regroups the tokens around it where it may. Values in data may not be regrouped.
fn regroups(change: &Comparison<'_, '_>) -> bool {
    let Some(tables) = change.before.source().language().tables() else {
        return false;
    };
    if !change.selection.is_text() || !change.symbols().lost.is_empty() {
        return false;
    }
    let may_regroup = match (change.before.data(), change.after.data()) {
        (Some(_), Some(_)) => change.changed_value().is_none(),
        // Prose is grouped by its lines.
        (None, None) => tables.has_levels() || is_in_whole_members(change),
        _ => false,
    };
    may_regroup && change.has_same_tokens() && !swallows(change)
}

/// Returns whether code next to a replacement becomes part of a string or a comment. Such tokens are not compared.
fn swallows(change: &Comparison<'_, '_>) -> bool {
    let (source, edit) = (change.before.source(), change.text_edit);
    let becomes_text = |at: usize| {
        let old = Span::new(at, at + 1);
        let new = edit.map_span(old);
        new.is_some_and(|new| !is_in_text(change.before, old) && is_in_text(change.after, new))
    };
    edit.replacements().iter().any(|one| {
        let before = source.trimmed_end(Span::new(0, one.span.start()));
        let after = source.trimmed_start(Span::new(one.span.end(), source.len()));
        let next = (!after.is_empty()).then_some(after.start());
        let neighbors = before.end().checked_sub(1).into_iter().chain(next);
        neighbors.into_iter().any(becomes_text)
    })
}

/// Returns whether the edit changes whole members of one body into others, outside of which the members of all bodies are
/// the same. The body is the smallest one that both texts have.
fn is_in_whole_members(change: &Comparison<'_, '_>) -> bool {
    let (before, after, edit) = (change.before, change.after, change.text_edit);
    let (hull, new_hull) = (edit.hull(), edit.new_hull());
    let is_kept = |body: &&Node<'_>| {
        let own = trimmed_node(before, **body);
        let is_now = |now: Span| {
            // Text that is inserted at its ends may be in it.
            let start = match hull.start() == own.start() {
                true => now.start().min(new_hull.start()),
                false => now.start(),
            };
            let end = match hull.end() == own.end() {
                true => now.end().max(new_hull.end()),
                false => now.end(),
            };
            let with_ends = after.trimmed(Span::new(start, end));
            let mut chain = after.chain(now).into_iter();
            chain.any(|node| {
                let span = trimmed_node(after, node);
                node.is_of_type_of(**body) && (span == now || span == with_ends)
            })
        };
        has_members(**body) && edit.map_span(own).is_some_and(is_now)
    };
    let Some(body) = change.container.iter().rfind(is_kept) else {
        return false;
    };
    let first = hull.start().checked_sub(1);
    let first = first.and_then(|offset| member_at(before, *body, offset));
    let last = member_at(before, *body, hull.end());
    let old = Span::new(
        first.map_or(hull.start(), Span::start),
        last.map_or(hull.end(), Span::end),
    );
    let new = Span::new(
        edit.map_start(old.start()).min(new_hull.start()),
        edit.map(old.end()).max(new_hull.end()),
    );
    let edited = Edited {
        old: vec![old],
        new: vec![new],
        ends: Ends::Near,
        apart: false,
    };
    let Some(members) = whole_members(after, new) else {
        return false;
    };
    // What is left of a member on both sides stays in one.
    let is_torn = members > 1
        && first.is_some()
        && first == last
        && has_node(before, Span::new(old.start(), hull.start()), hull)
        && has_node(before, Span::new(hull.end(), old.end()), hull);
    !is_torn && compare(change, &edited, is_member).is_ok()
}

/// Returns the member of `body` that contains the byte at `offset`.
fn member_at(parsed: &Parsed, body: Node<'_>, offset: usize) -> Option<Span> {
    let byte = Span::new(offset, (offset + 1).min(parsed.source().len()));
    let chain = parsed.chain(byte).into_iter();
    let mut inside = chain.skip_while(|node| *node != body).skip(1);
    let member = trimmed_node(parsed, inside.find(|node| is_member(*node))?);
    member.contains(byte).then_some(member)
}

/// Returns the number of members of bodies that make up `span`, the first of which may begin before it. Returns `None` if one
/// of them does not end in it.
fn whole_members(parsed: &Parsed, span: Span) -> Option<usize> {
    let mut count = 0;
    let mut rest = parsed.trimmed(span);
    while !rest.is_empty() {
        let first = Span::new(rest.start(), rest.start() + 1);
        let chain = parsed.chain(first).into_iter();
        let own = chain.filter(|node| is_member(*node)).find_map(|node| {
            let own = trimmed_node(parsed, node);
            let begins = own.start() == rest.start() || count == 0;
            (begins && own.end() <= rest.end()).then_some(own)
        });
        count += usize::from(own.is_some());
        let sign = || parsed.token(first).filter(|token| !token.is_named());
        let end = own.or_else(|| sign().map(Node::span))?.end();
        let end = end.clamp(first.end(), rest.end());
        rest = parsed.source().trimmed_start(Span::new(end, rest.end()));
    }
    Some(count)
}

/// Returns whether `span` contains a whole node apart from `edited`, and not only the signs and keywords of larger ones.
fn has_node(parsed: &Parsed, span: Span, edited: Span) -> bool {
    let mut rest = parsed.trimmed(span);
    while !rest.is_empty() {
        let first = Span::new(rest.start(), rest.start() + 1);
        let Some(token) = parsed.token(first) else {
            return true;
        };
        let chain = parsed.chain(first);
        let inner = chain.last().map(|node| trimmed_node(parsed, *node));
        if inner.is_some_and(|inner| span.contains(inner) && !inner.touches(edited)) {
            return true;
        }
        let end = token.span().end().clamp(first.end(), rest.end());
        rest = parsed.source().trimmed_start(Span::new(end, rest.end()));
    }
    false
}

/// Returns whether a node is a body or a whole file.
fn has_members(node: Node<'_>) -> bool {
    node.body().is_some() || node.raw().is_some_and(|raw| raw.parent().is_none())
}

/// Returns whether a node is a member of a body, such as a statement.
fn is_member(node: Node<'_>) -> bool {
    let mut parent = node.raw().and_then(|raw| raw.parent());
    while let Some(raw) = parent {
        let above = node.in_same_tree(raw);
        if !above.is(Mark::Transparent) {
            return node.is_named() && has_members(above);
        }
        parent = raw.parent();
    }
    false
}

/// Moves to the next node, which is a descendant of this one only if `into` is set. Returns false at the end.
fn to_next(cursor: &mut Cursor<'_>, into: bool) -> bool {
    if into && cursor.goto_first_child() {
        return true;
    }
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// Which ends of the nodes outside the edited text may move with it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    Fixed,
    Touching,
    /// Also those with only whitespace between them and the edited text.
    Near,
}

/// The text that is compared with nothing: the replaced spans in the old text, and the new ones in the new text.
pub(super) struct Edited {
    pub(super) old: Vec<Span>,
    pub(super) new: Vec<Span>,
    /// How far the ends of the nodes next to it may move.
    pub(super) ends: Ends,
    /// Whether nodes next to it do not count.
    pub(super) apart: bool,
}

impl Edited {
    pub(super) fn from_comparison(change: &Comparison<'_, '_>) -> Edited {
        let replacements = change.text_edit.replacements();
        Edited {
            old: replacements.iter().map(|one| one.span).collect(),
            new: change.text_edit.new_spans(),
            ends: match change.may_merge || replacements.len() > 1 {
                // A separator may become a part of the neighbor that it is added to.
                true => Ends::Touching,
                false => Ends::Fixed,
            },
            apart: false,
        }
    }
}

/// Compares the nodes outside the edited text that count, in file order. Returns notes on enclosing nodes that get another
/// type.
///
/// # Errors
/// The first difference in the text after the edit, and the node that contains the enclosing node that differs.
pub(super) fn compare<'p>(
    change: &Comparison<'_, 'p>,
    edited: &Edited,
    counts: fn(Node<'_>) -> bool,
) -> Result<Vec<Note>, (Span, Option<Node<'p>>)> {
    let (before, after) = (change.before, change.after);
    let mut walk = Walk {
        change,
        edited,
        counts,
        old: Outside::new(before, &edited.old),
        new: Outside::new(after, &edited.new),
        reached: 0,
    };
    let content = walk.new.bare(after.source().trimmed_start(change.new_span));
    let is_attached =
        change.selection.is_text() && !content.is_empty() && are_attached(after, content);
    let mut notes = Vec::new();
    while let Some(pair) = walk.next_pair().map_err(|span| (span, None))? {
        let ((old, was), mapped, (new, is)) = pair;
        let depth = walk.depth(old);
        let is_parent = depth.is_some();
        // An annotation belongs to the node that follows it.
        let takes_edit =
            is_attached && walk.old.is_near(was.start()) && walk.new.touches(is.start());
        let starts_alike = mapped.start() == is.start()
            || takes_edit
            || walk.may_move(was.start(), is.start(), is_parent);
        let ends_alike = mapped.end() == is.end()
            || walk.may_move(was.end(), is.end(), is_parent)
            || edited.ends == Ends::Near && walk.are_near(was.end(), is.end());
        let is_same_type = old.is_of_type_of(new);
        // The content of an edit of nodes is in the node that was chosen for it.
        let has_content = content.is_empty() || change.may_merge || new.span().contains(content);
        let may_differ = match is_parent {
            true => has_content && !is_other_symbol(old, new),
            // A word may become a keyword. What touches replaced text may become something else, but not a comment that the
            // text around it begins and ends.
            false if mapped == is => old.is_named() != new.is_named(),
            false => change.may_merge && (mapped.start() == is.start() || mapped.end() == is.end()),
        };
        let is_alike = starts_alike
            && ends_alike
            && (may_differ || is_same_type && (!is_parent || has_content));
        let is_other_parent = is_parent && !is_same_type;
        let is_dropped = (is_other_parent || !is_alike) && is_wrapper(old);
        let is_replaced = is_other_parent && is_what_is_left(change, &walk.old, old, new);
        if is_other_parent && !is_dropped && (is_replaced || is_alike) {
            notes.push(Note::ParentChanged {
                was: old.kind().to_string(),
                now: new.kind().to_string(),
            });
        }
        if is_dropped || is_replaced {
            walk.old.advance(true);
        } else if !is_alike && is_wrapper(new) {
            walk.new.advance(true);
        } else if is_alike {
            // Text that is read as another language is the same text.
            let (inner, other_inner) = (before.inner(old), after.inner(new));
            let into = std::ptr::eq(inner.language(), other_inner.language());
            walk.old.advance(into);
            walk.new.advance(into);
        } else if let Some(depth) = depth.filter(|_| starts_alike && !(ends_alike && has_content)) {
            let end = is.end().min(mapped.end());
            let parent = depth.checked_sub(1).map(|above| change.container[above]);
            return Err((next_node(after, end), parent));
        } else {
            return Err((is, None));
        }
    }
    Ok(notes)
}

/// A walk over the nodes outside the edited text in both texts, in file order.
struct Walk<'a, 'c, 'p> {
    change: &'a Comparison<'c, 'p>,
    edited: &'a Edited,
    counts: fn(Node<'_>) -> bool,
    old: Outside<'p>,
    new: Outside<'c>,
    /// The number of enclosing nodes so far.
    reached: usize,
}

/// A node, and its span without whitespace and loose comments at its ends.
type Located<'p> = (Node<'p>, Span);

/// A node of the old text, its span in the new text, and a node of the new text that may be the same.
type NodePair<'c, 'p> = (Located<'p>, Span, Located<'c>);

impl<'c, 'p> Walk<'_, 'c, 'p> {
    /// Moves to the next nodes that count in both texts and may differ. Returns `None` at the end of both texts.
    ///
    /// # Errors
    /// Only one of the texts has such a node; where.
    fn next_pair(&mut self) -> Result<Option<NodePair<'c, 'p>>, Span> {
        let (container, edit) = (self.change.container, self.change.text_edit);
        loop {
            let ((old, was), (new, is)) = match (self.old.at, self.new.at) {
                (None, None) => return Ok(None),
                (Some(old), Some(new)) => (old, new),
                (Some((old, _)), None) if self.is_ignored(&self.old) || is_wrapper(old) => {
                    self.old.advance(true);
                    continue;
                }
                (None, Some((new, _))) if self.is_ignored(&self.new) || is_wrapper(new) => {
                    self.new.advance(true);
                    continue;
                }
                (None, Some((_, is))) => return Err(is),
                (Some(_), None) => return Err(Span::at(edit.new_hull().end())),
            };
            // Parents come first, in the order of the container.
            self.reached += usize::from(container.get(self.reached) == Some(&old));
            let mapped = edit.map_unchanged(was);
            let is_same = new.is_parsed_as(old) || (old.is_leaf() && new.is_leaf());
            if mapped == is && is_same && old.is_of_type_of(new) && self.old.is_apart(was) {
                self.old.advance(false);
                self.new.advance(false);
                continue;
            }
            let counts_before = !self.is_ignored(&self.old);
            let counts_after = !self.is_ignored(&self.new);
            if counts_before && counts_after {
                return Ok(Some(((old, was), mapped, (new, is))));
            }
            // The larger node may contain the other one.
            let order = mapped.end().cmp(&is.end());
            let order = order.then(is.start().cmp(&mapped.start()));
            if !counts_before && (counts_after || order.is_ge()) {
                self.old.advance(true);
            }
            if !counts_after && (counts_before || order.is_le()) {
                self.new.advance(true);
            }
        }
    }

    /// Returns the index of an old node among the enclosing nodes.
    fn depth(&self, old: Node<'p>) -> Option<usize> {
        let last = self.reached.checked_sub(1);
        last.filter(|last| self.change.container[*last] == old)
    }

    /// Returns whether the current node of one text does not count.
    fn is_ignored(&self, outside: &Outside<'_>) -> bool {
        outside.at.is_some_and(|(node, span)| {
            !(self.counts)(node) || self.edited.apart && outside.is_next_to_edit(span)
        })
    }

    /// Returns whether an end of a node may move with the edit, from `was` to `is`.
    fn may_move(&self, was: usize, is: usize, is_parent: bool) -> bool {
        let are_touched = self.old.touches(was) && self.new.touches(is);
        self.edited.ends != Ends::Fixed && are_touched
            || (is_parent || self.old.cuts(was)) && self.are_near(was, is)
    }

    fn are_near(&self, was: usize, is: usize) -> bool {
        self.old.is_near(was) && self.new.is_near(is)
    }
}

/// Returns the span of the largest node that begins with the next token after `offset`.
fn next_node(parsed: &Parsed, offset: usize) -> Span {
    let rest = parsed
        .source()
        .trimmed_start(Span::new(offset, parsed.source().len()));
    let first = Span::new(rest.start(), (rest.start() + 1).min(rest.end()));
    let chain = parsed.chain(first).into_iter();
    let mut spans = chain.map(|node| trimmed_node(parsed, node));
    spans
        .find(|span| span.start() == rest.start())
        .unwrap_or(Span::at(rest.start()))
}

/// Returns whether a node merely wraps another node (`attached.scm`, `@wrapped`): a function may get its first decorator.
fn is_wrapper(node: Node<'_>) -> bool {
    node.unwrapped().len() > 1
}

/// Returns whether a deletion left one child of `old`, and `new` is that child: `X` of `X<T>`.
fn is_what_is_left(
    change: &Comparison<'_, '_>,
    outside: &Outside<'_>,
    old: Node<'_>,
    new: Node<'_>,
) -> bool {
    let mut left = change.before.children(old);
    left.retain(|child| !outside.has_edited(outside.bare(child.span())));
    change.new_span.is_empty() && matches!(left[..], [child] if child.is_of_type_of(new))
}

/// A walk over the nodes of one text that are not in the edited text, parents first.
struct Outside<'p> {
    parsed: &'p Parsed,
    cursor: Cursor<'p>,
    /// The edited text, and the same with the whitespace and the loose comments around it.
    edited: Vec<(Span, Span)>,
    /// The current node.
    at: Option<Located<'p>>,
}

impl<'p> Outside<'p> {
    fn new(parsed: &'p Parsed, edited: &[Span]) -> Outside<'p> {
        let with_blanks = |span: &Span| (*span, with_blanks(parsed, *span));
        let mut outside = Outside {
            parsed,
            cursor: parsed.walk(parsed.root()),
            edited: edited.iter().map(with_blanks).collect(),
            at: None,
        };
        let span = outside.bare(parsed.root().span());
        match span.is_empty() || outside.has_edited(span) {
            true => outside.advance(true),
            false => outside.at = Some((parsed.root(), span)),
        }
        outside
    }

    /// Moves to the next node, which is a descendant of this one only if `into` is set.
    fn advance(&mut self, into: bool) {
        let mut into = into;
        while to_next(&mut self.cursor, into) {
            let node = self.cursor.node();
            let is_ignored = node.span().is_empty()
                || node.is_maskable()
                || node.is(Mark::Margin)
                || node.is(Mark::Loose);
            let span = match is_ignored {
                true => Span::at(0),
                false => self.bare(trimmed_node(self.parsed, node)),
            };
            into = !span.is_empty() && !self.has_edited(span);
            if into {
                self.at = Some((node, span));
                return;
            }
        }
        self.at = None;
    }

    /// Returns `span` without whitespace and loose comments at its ends.
    fn bare(&self, span: Span) -> Span {
        let (source, comments) = (self.parsed.source(), self.parsed.loose_comments());
        let mut bare = self.parsed.trimmed(span);
        while let Ok(at) = comments.binary_search_by_key(&bare.start(), |one| one.start())
            && comments[at].end() <= bare.end()
        {
            bare = source.trimmed_start(Span::new(comments[at].end(), bare.end()));
        }
        while let Ok(at) = comments.binary_search_by_key(&bare.end(), |one| one.end())
            && comments[at].start() > bare.start()
        {
            bare = self
                .parsed
                .trimmed(Span::new(bare.start(), comments[at].start()));
        }
        bare
    }

    fn has_edited(&self, span: Span) -> bool {
        self.edited.iter().any(|(edited, _)| edited.contains(span))
    }

    /// Returns whether nothing in `span` and next to it is edited.
    fn is_apart(&self, span: Span) -> bool {
        let mut edited = self.edited.iter();
        !edited.any(|(edited, _)| {
            span.touches(*edited) || span.overlaps(*edited) || span.contains(*edited)
        })
    }

    /// Returns whether nothing but whitespace and loose comments is between `span` and the edit.
    fn is_next_to_edit(&self, span: Span) -> bool {
        self.edited.iter().any(|(_, around)| around.touches(span))
    }

    fn touches(&self, offset: usize) -> bool {
        let mut edited = self.edited.iter();
        edited.any(|(edited, _)| edited.touches(Span::at(offset)))
    }

    /// Returns whether only whitespace and loose comments are between `offset` and the edit.
    fn is_near(&self, offset: usize) -> bool {
        let mut edited = self.edited.iter();
        edited.any(|(_, around)| around.touches(Span::at(offset)))
    }

    fn cuts(&self, offset: usize) -> bool {
        let is_inside = |edited: Span| edited.start() < offset && offset < edited.end();
        self.edited.iter().any(|(edited, _)| is_inside(*edited))
    }
}

/// Returns `span` with the whitespace, the margins and the loose comments around it.
fn with_blanks(parsed: &Parsed, span: Span) -> Span {
    let source = parsed.source();
    let comments = parsed.loose_comments();
    let (mut start, mut end) = (span.start(), span.end());
    loop {
        start = source.trimmed_end(Span::new(0, start)).end();
        let before = comments.partition_point(|one| one.start() < start);
        let comment = comments[..before].last().copied();
        let comment = comment.filter(|comment| comment.end() >= start);
        let margin = || parsed.margin_at(start.checked_sub(1)?);
        match comment.or_else(margin) {
            Some(gap) => start = gap.start(),
            None => break,
        }
    }
    loop {
        end = source.trimmed_start(Span::new(end, source.len())).start();
        let after = comments.partition_point(|one| one.end() <= end);
        let comment = comments.get(after).copied();
        let comment = comment.filter(|comment| comment.start() <= end);
        match comment.or_else(|| parsed.margin_at(end)) {
            Some(gap) => end = gap.end(),
            None => return Span::new(start, end),
        }
    }
}

/// Returns whether `span` contains only nodes that are attached to the following node.
fn are_attached(parsed: &Parsed, span: Span) -> bool {
    let mut at = span.start();
    while at < span.end() {
        let chain = parsed.chain(Span::new(at, at + 1));
        let is_one = |node: &&Node<'_>| {
            let own = trimmed_node(parsed, **node);
            let is_attached = node.is(Mark::Within) || node.attached().is_some();
            is_attached && own.start() == at && own.end() <= span.end()
        };
        let Some(node) = chain.iter().find(is_one) else {
            return false;
        };
        let end = trimmed_node(parsed, *node).end();
        let rest = parsed.source().slice(Span::new(end, span.end()));
        at = end + (rest.len() - rest.trim_start().len());
    }
    true
}

/// Returns where a loose comment outside the edit stops being a comment. The comparison of nodes
/// ignores loose comments.
fn lost_comment(change: &Comparison<'_, '_>) -> Option<Span> {
    let hull = change.text_edit.hull();
    let after = change.after.loose_comments();
    let old = change.before.loose_comments().iter();
    let map = |comment: &Span| change.text_edit.map_unchanged(*comment);
    // A node next to replaced text may be extended by it: a further word at the end of a comment.
    let is_at_part = |comment: &Span| change.may_merge && comment.touches(hull);
    let is_outside = |comment: &&Span| {
        !comment.overlaps(hull) && !hull.contains(**comment) && !is_at_part(comment)
    };
    let mut outside = old.filter(is_outside).map(map);
    outside.find(|comment| after.binary_search(comment).is_err())
}

/// Returns whether one of two enclosing nodes is a symbol that the other is not.
fn is_other_symbol(old: Node<'_>, new: Node<'_>) -> bool {
    old.tag(&[]).map(|tag| tag.kind) != new.tag(&[]).map(|tag| tag.kind)
}

/// Returns whether the edit may repair an old error: no symbol disappears, and an old problem is changed or disappears.
/// Unchanged problems, such as a gap in the grammar, excuse no change around the target.
fn may_repair(change: &Comparison<'_, '_>) -> bool {
    let is_cut_off = || change.is_several() && !change.has_same_tokens();
    if !change.symbols().lost.is_empty()
        || runs_on(change.after, change.new_span).is_some()
        || is_cut_off()
    {
        return false;
    }
    let problems = change.problems();
    let hull = change.text_edit.hull();
    let new_hull = change.text_edit.new_hull();
    let kept = problems.after.iter();
    let kept: HashSet<_> = kept
        .map(|problem| (problem.span, problem.missing.as_deref()))
        .collect();
    let old = problems.before.iter();
    let (inside, outside): (Vec<_>, Vec<_>) = old.partition(|problem| hull.contains(problem.span));
    let stays = |problem: &SyntaxProblem| {
        let map = |offset| change.text_edit.map(offset);
        let mapped = Span::new(map(problem.span.start()), map(problem.span.end()));
        !problem.span.overlaps(hull) && kept.contains(&(mapped, problem.missing.as_deref()))
    };
    let inside_now = problems
        .after
        .iter()
        .filter(|problem| new_hull.contains(problem.span));
    !outside.into_iter().all(stays) || inside.len() > inside_now.count()
}

/// Returns the marker of the selected list item if the new content needs one and begins with none.
fn missing_marker(change: &Comparison<'_, '_>) -> Option<String> {
    let [.., parent, node] = change.selection.chain() else {
        return None;
    };
    let is_sibling = change.container.last() == Some(parent) && !change.new_span.is_empty();
    let before = change.before;
    // In a body that is bounded by columns, the sign that begins an item is its marker.
    let by_column = parent.body().is_some_and(|body| body.column);
    let is_marker = |(index, child): &(usize, Node<'_>)| {
        child.is(Mark::Marker) || (by_column && *index == 0 && !child.is_named())
    };
    let mut children = before.children(*node).into_iter().enumerate();
    let (_, marker) = children.find(is_marker)?;
    let start = change.new_span.start();
    let first = change.after.chain(Span::new(start, start + 1));
    let is_one = |one: &Node<'_>| {
        let own = one
            .first_child()
            .filter(|_| by_column && one.kind() == node.kind());
        one.span().start() == start && (one.is(Mark::Marker) || own.is_some())
    };
    let has_one = first.iter().any(is_one);
    (is_sibling && !has_one).then(|| before.text_of(marker).trim().to_string() + " ")
}

/// Returns the replaced spans in the old text, and the new spans in the new text: one for each of several edits that
/// are judged as one, or else one from the first byte to the last.
fn places(change: &Comparison<'_, '_>) -> (Vec<Span>, Vec<Span>) {
    let all = change.text_edit;
    match change.is_several() {
        true => (
            all.replacements().iter().map(|one| one.span).collect(),
            all.new_spans(),
        ),
        false => (vec![all.hull()], vec![all.new_hull()]),
    }
}

/// Returns the symbols outside the target that only one of the two texts has.
pub(super) fn changed_symbols(change: &Comparison<'_, '_>) -> Symbols {
    let (old, new) = (change.before.outline(), change.after.outline());
    let (old_places, new_places) = places(change);
    let remaining = outside(new, &new_places);
    // Symbols are identified by the mapped span of their name.
    let mut new_at = HashMap::new();
    let mut at_name = HashMap::new();
    for &index in &remaining {
        let symbol = &new.symbols()[index];
        new_at.insert((symbol.name_span, symbol.kind), index);
        at_name.insert(symbol.name_span, index);
    }
    let mut lost = Vec::new();
    // For each lost symbol, the symbol of any kind that has its name after the edit.
    let mut pairs = Vec::new();
    let mut kept = HashSet::new();
    for index in outside(old, &old_places) {
        let symbol = &old.symbols()[index];
        let name = change.text_edit.map_unchanged(symbol.name_span);
        let found = new_at.get(&(name, symbol.kind)).copied();
        kept.extend(found);
        if found.is_some_and(|found| same_path(change, index, found)) {
            continue;
        }
        pairs.push((index, at_name.get(&name).copied()));
        lost.push(LostSymbol {
            path: old.short_path(index),
            moved_to: found.map(|found| new.short_path(found)),
            line: change.before.source().line_of(symbol.name_span.start()),
        });
    }
    let appeared = remaining.into_iter().filter(|index| !kept.contains(index));
    let appeared: Vec<usize> = appeared.collect();
    let is_paired = |index: &usize| pairs.iter().any(|(_, new)| *new == Some(*index));
    let converted = match appeared.iter().all(is_paired) {
        true => conversion(change, &pairs),
        false => None,
    };
    let appeared = appeared.into_iter().map(|index| new.short_path(index));
    Symbols {
        lost,
        appeared: appeared.collect(),
        converted,
    }
}

/// Returns the definition that becomes one of another kind, if each lost symbol is that definition or in it, and has the
/// same path afterwards.
fn conversion(change: &Comparison<'_, '_>, pairs: &[(usize, Option<usize>)]) -> Option<Conversion> {
    let (old, new) = (change.before.outline(), change.after.outline());
    let (places, _) = places(change);
    let is_renamed = |symbol: &Symbol| {
        let name = symbol.name_span;
        places.iter().any(|place| name.overlaps(*place))
    };
    let mut converted: Option<(&Symbol, &Symbol, Vec<String>)> = None;
    for &(old_index, new_index) in pairs {
        let new_index = new_index?;
        let (old_path, new_path) = (old.path(old_index), new.path(new_index));
        let is_alike = |(old, new): (&&Symbol, &&Symbol)| old.name == new.name || is_renamed(old);
        if old_path.len() != new_path.len() || !old_path.iter().zip(&new_path).all(is_alike) {
            return None;
        }
        let mut both = old_path.iter().zip(&new_path);
        let level = match &converted {
            None => both.position(|(old, new)| old.kind != new.kind)?,
            Some((outer, _, _)) => both.position(|(old, _)| old.span == outer.span)?,
        };
        let (was, now) = (old_path[level], new_path[level]);
        match &converted {
            Some((_, known, _)) if known.span != now.span => return None,
            Some(_) => {}
            None => {
                let path = new_path[..=level].iter();
                let path = path.map(|symbol| symbol.short_name().to_string());
                converted = Some((was, now, path.collect()));
            }
        }
    }
    let (was, now, path) = converted?;
    let is_itself = |(old_index, _): &&(usize, Option<usize>)| {
        old.symbols()[*old_index].name_span == was.name_span
    };
    Some(Conversion {
        path,
        was: was.kind,
        now: now.kind,
        inside: pairs.len() - pairs.iter().filter(is_itself).count(),
    })
}

/// Returns the symbols whose name is outside all `places`.
fn outside(outline: &SymbolTree, places: &[Span]) -> Vec<usize> {
    let symbols = outline.symbols().iter().enumerate();
    let is_in = |name: Span, place: &Span| name.overlaps(*place) || place.contains(name);
    symbols
        .filter(|(_, symbol)| !places.iter().any(|place| is_in(symbol.name_span, place)))
        .map(|(index, _)| index)
        .collect()
}

/// Returns whether two symbols have the same path, except for names in the edit.
fn same_path(change: &Comparison<'_, '_>, old: usize, new: usize) -> bool {
    let (places, _) = places(change);
    let (old, new) = (
        change.before.outline().path(old),
        change.after.outline().path(new),
    );
    old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| {
            // The trait of `impl Trait for Type` is not part of the name that must stay the same.
            let is_renamed = |place: &Span| {
                let has_alias = old.alias.is_some() && old.alias == new.alias;
                old.name_span.overlaps(*place) || (has_alias && old.node_span.contains(*place))
            };
            let is_same = old.name == new.name || places.iter().any(is_renamed);
            old.kind == new.kind && is_same
        })
}
