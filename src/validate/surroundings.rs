//! Checks that everything outside the target is unchanged.
//!
//! For every ancestor of the target, its children outside the edit keep field, type and length, down to their leaves;
//! symbols around the target keep kind and name. This detects an unclosed brace that swallows the rest of the file
//! even if no ERROR node shows it. If the old tree had errors around the target that the edit changes, the structure
//! may change (the edit may be a repair), but no symbol may disappear.

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed, Symbol, SymbolTree, SyntaxProblem};
use crate::select::trimmed_node;
use crate::source::Span;

use super::Note;
use super::comparison::{Comparison, Symbols};
use super::syntax::{runs_on, unpaired};

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
    /// Every child outside the edit keeps its field, type and length, down to its leaves.
    Same,
    /// The same, ignoring nodes that merely wrap another node (`attached.scm`, `@wrapped`): a function may get its first
    /// decorator.
    Unwrapped,
    /// Replaced text changed the types of the enclosing nodes, up to the member of a body or a list.
    DifferentEnclosing,
    /// Replaced text that crosses a node boundary regroups the tokens around it, which are all unchanged.
    Regrouped,
    /// The new content also replaces the enclosing nodes that contained nothing but the target.
    ReplacedEnclosing,
    /// The inserted text is attached to the node that follows it.
    AttachedToNext,
}

/// Returns whether one of the two texts has no syntax tree whose nodes the change could disturb.
pub(super) fn is_of_plain_text(change: &Comparison<'_, '_>) -> bool {
    change.after.is_plain_text() || change.before.is_plain_text()
}

/// Returns the notes on a change whose trees differ only in this way.
type Way = fn(&Comparison<'_, '_>) -> Option<Vec<Note>>;

/// Returns the strictest way in which the surroundings are alike, with the notes on it.
pub(super) fn likeness(change: &Comparison<'_, '_>) -> Result<(Likeness, Vec<Note>), Difference> {
    let within = change
        .is_right_alone()
        .then(|| value_after(change))
        .flatten();
    let difference = match within {
        // The brackets of the value are unchanged, and so is everything outside it.
        Some(value) => match compare_in_value(change, value) {
            Ok(notes) => return Ok((Likeness::Same, notes)),
            Err(difference) => difference,
        },
        None => match compare_trees(change, change.container) {
            Ok(found) => return Ok(found),
            Err(difference) => difference,
        },
    };
    let ways: [(Likeness, Way); 4] = [
        (Likeness::DifferentEnclosing, different_enclosing),
        (Likeness::Regrouped, regrouped),
        (Likeness::ReplacedEnclosing, replaced_enclosing),
        (Likeness::AttachedToNext, attached_to_next),
    ];
    let mut ways = ways.into_iter();
    ways.find_map(|(way, notes)| Some((way, notes(change)?)))
        .ok_or(difference)
}

/// Returns the value that contains the edit, in the tree after it. Returns `None` unless both trees are without
/// errors and have the same enclosing nodes.
fn value_after<'c>(change: &Comparison<'c, '_>) -> Option<Node<'c>> {
    let (before, after) = (change.before, change.after);
    if before.root().has_error() || after.root().has_error() {
        return None;
    }
    let value = change.container.last()?;
    let now = change.text_edit.map_span(value.span())?;
    let mut chain = after.chain(now);
    // The value may contain only one other value of the same length.
    chain.truncate(change.container.len());
    let pairs = || change.container.iter().zip(&chain);
    let is_mapped = |(old, new): (&Node<'_>, &Node<'_>)| {
        old.is_of_type_of(*new) && change.text_edit.map_span(old.span()) == Some(new.span())
    };
    let is_same = chain.len() == change.container.len() && pairs().all(is_mapped);
    chain.pop().filter(|_| is_same)
}

/// Compares the two trees among the children of the value that contains the edit, which is `value` after it.
fn compare_in_value(change: &Comparison<'_, '_>, value: Node<'_>) -> Result<Vec<Note>, Difference> {
    let Some(old) = change.container.last() else {
        return Ok(Vec::new());
    };
    compare_in(change, View::AsIs, *old, value)?;
    Ok(Vec::new())
}

/// Returns the first difference in tokens or symbols between the places of several edits that are judged as one.
pub(super) fn between_places(change: &Comparison<'_, '_>) -> Option<Difference> {
    if !change.is_several() {
        return None;
    }
    let all = change.text_edit;
    let (old, new) = places(change);
    let (hull, new_hull) = (all.hull(), all.new_hull());
    let is_between = |node: Node<'_>, span: Span, hull: Span, places: &[Span]| {
        node.is_leaf() && hull.contains(span) && !places.iter().any(|place| place.touches(span))
    };
    let difference = differing(
        change,
        |node, span| is_between(node, span, hull, &old),
        |node, span| is_between(node, span, new_hull, &new),
    );
    if difference.is_none() && change.symbols().lost.is_empty() {
        return None;
    }
    let span = difference.unwrap_or(new_hull);
    Some(Difference::new(change.parent(), span))
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

/// Accepts replaced text that changes the types of the enclosing nodes, up to the member of a body or a list: `f(x)`
/// becomes `await f(x)`. Text next to a list may become a part of the node that contains the list, which stays:
/// `new A()` becomes `new A<B>()`. No symbol outside may change.
fn different_enclosing(change: &Comparison<'_, '_>) -> Option<Vec<Note>> {
    if !change.selection.is_text() {
        return None;
    }
    let hull = change.text_edit.hull();
    let notes = match change.container {
        [above @ .., list]
            if !above.is_empty()
                && list.list().is_some()
                && (hull.end() <= list.span().start() || hull.start() >= list.span().end()) =>
        {
            let span = change.text_edit.map_unchanged(list.span());
            let chain = change.after.chain(span);
            let is_kept = |node: &Node<'_>| node.span() == span && node.is_of_type_of(*list);
            if !chain.iter().any(is_kept) {
                return None;
            }
            compare_trees(change, above).ok()?.1
        }
        _ => alike_further_out(change, |node| node.list().is_none())?,
    };
    change.symbols().lost.is_empty().then_some(notes)
}

/// Accepts content that also replaces the enclosing nodes that contained nothing else, below the members of a body: an
/// `if_expression` that is a statement may become two statements.
fn replaced_enclosing(change: &Comparison<'_, '_>) -> Option<Vec<Note>> {
    let (before, hull) = (change.before, change.text_edit.hull());
    alike_further_out(change, |node| trimmed_node(before, node) == hull)
}

/// Compares the trees as if the edit were made further out, among the children of the nearest enclosing node where they
/// are alike. Stops at a body and at a node that is not `passable`.
fn alike_further_out(
    change: &Comparison<'_, '_>,
    passable: impl Fn(Node<'_>) -> bool,
) -> Option<Vec<Note>> {
    let mut container = change.container;
    while let [above @ .., last] = container
        && !above.is_empty()
        && last.body().is_none()
        && passable(*last)
    {
        container = above;
        if let Ok((_, notes)) = compare_trees(change, container) {
            return Some(notes);
        }
    }
    None
}

/// Accepts text that regroups the tokens around it. Replaced text with an unpaired bracket crosses a node boundary,
/// and so may its replacement. Each token and each symbol outside must be unchanged. Values in data may not be
/// regrouped; nor may code that is grouped by columns, except inside one statement.
fn regrouped(change: &Comparison<'_, '_>) -> Option<Vec<Note>> {
    if !change.selection.is_text() {
        return None;
    }
    let before = change.before;
    let tables = before.source().language().tables()?;
    let may_regroup = match (before.data(), change.after.data()) {
        (Some(_), Some(_)) => change.changed_value().is_none(),
        // Prose is grouped by its lines.
        (None, None) if tables.has_levels() => true,
        (None, None) if tables.has_body(|body| body.indented || body.column) => {
            is_in_one_member(change) || members_keep_owners(change)
        }
        (None, None) => has_unpaired_bracket(change),
        _ => false,
    };
    let is_same = may_regroup && change.has_same_leaves() && change.symbols().lost.is_empty();
    is_same.then(|| {
        vec![Note::Regrouped {
            node_type: change.parent().kind().to_string(),
        }]
    })
}

/// Returns whether the old or the new text contains only one bracket of a pair.
fn has_unpaired_bracket(change: &Comparison<'_, '_>) -> bool {
    !is_balanced(change.before, change.selection.span())
        || !is_balanced(change.after, change.new_span)
}

/// Returns whether the edit is made inside one member of a body, all other members and all bodies outside are unchanged,
/// and what remains of the member is still one member: `(a, b):` may become `(a) -> int:`. If only brackets and other
/// signs remain after the edit, they may end another member; else the text must contain an unpaired bracket.
fn is_in_one_member(change: &Comparison<'_, '_>) -> bool {
    let (before, after) = (change.before, change.after);
    let (hull, new_hull) = (change.text_edit.hull(), change.text_edit.new_hull());
    let bodies = |chain: &[Node<'_>]| -> Vec<Member> {
        let bodies = chain.iter().filter(|node| node.body().is_some());
        bodies.map(|node| (node.kind_id(), node.span())).collect()
    };
    let mapped = |(kind, span): Member| Some((kind, change.text_edit.map_span(span)?));
    let new_chain = after.chain(new_hull);
    let old_bodies: Option<Vec<_>> = bodies(change.container).into_iter().map(mapped).collect();
    let is_body = |node: &&Node<'_>| node.body().is_some();
    let (Some(body), Some(new_body)) = (
        change.container.iter().rfind(is_body),
        new_chain.iter().rfind(is_body),
    ) else {
        return false;
    };
    if old_bodies.is_none_or(|old| old != bodies(&new_chain)) {
        return false;
    }
    let old = MembersAround::of(before, *body, hull);
    let new = MembersAround::of(after, *new_body, new_hull);
    let is_same = |old: &[Member], new: &[Member]| {
        let mut pairs = old.iter().zip(new);
        old.len() == new.len() && pairs.all(|(old, new)| mapped(*old) == Some(*new))
    };
    if !is_same(&old.before, &new.before) || !is_same(&old.after, &new.after) {
        return false;
    }
    let ([(kind, span)], Some(first), Some(last)) =
        (&old.touched[..], new.touched.first(), new.touched.last())
    else {
        return false;
    };
    let rest = before
        .source()
        .slice(Span::new(hull.end(), span.end().max(hull.end())));
    let remains_before = span.start() < hull.start();
    let remains_after = rest.contains(|c: char| c.is_alphanumeric() || "_\"'`".contains(c));
    if remains_after && !has_unpaired_bracket(change) {
        return false;
    }
    let is_kept = match (remains_before, remains_after) {
        (true, true) => new.touched.len() == 1 && first.0 == *kind,
        (true, false) => first.0 == *kind,
        (false, _) => last.0 == *kind,
    };
    is_kept && is_same_outside(change, |node| node.body().is_some())
}

/// Returns whether each token outside the edit is in the member of a body that it was in, and each member in the body of
/// the node that it was in: a line may leave a loop. A member may get another owner in the same statement, as `elif b:` may
/// divide a block, or one that the old or the new text ends with.
fn members_keep_owners(change: &Comparison<'_, '_>) -> bool {
    let old = Placement::of(change.before, change.text_edit.hull());
    let new = Placement::of(change.after, change.text_edit.new_hull());
    let is_same = |old: Place, new: Place| match (old, new) {
        (Place::At(old), Place::At(new)) => change.text_edit.map_start(old) == new,
        (old, new) => old == Place::StartsEdit && old == new,
    };
    let keeps_owner = |(old, new): (&OwnedMember, &OwnedMember)| {
        let is_divided = (old.owner.is_in_edit() || new.owner.is_in_edit())
            && is_same(old.statement, new.statement);
        let is_opened = change.is_own_reading() && (old.is_opened || new.is_opened);
        is_same(old.start, new.start) && (is_same(old.owner, new.owner) || is_divided || is_opened)
    };
    let mut tokens = old.tokens.iter().zip(&new.tokens);
    old.tokens.len() == new.tokens.len()
        && old.members.len() == new.members.len()
        && tokens.all(|(old, new)| is_same(old.1, new.1))
        && old.members.iter().zip(&new.members).all(keeps_owner)
}

/// Where a node begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    At(usize),
    StartsEdit,
    InEdit,
}

impl Place {
    fn is_in_edit(self) -> bool {
        !matches!(self, Place::At(_))
    }
}

/// A member of a body that begins outside an edit.
struct OwnedMember {
    start: Place,
    /// Where the node begins that has the body.
    owner: Place,
    /// Where the statement of the owner begins.
    statement: Place,
    /// Whether the edit ends between the start of the owner and the body.
    is_opened: bool,
}

/// What is outside an edit, in file order.
struct Placement {
    /// The offset of each token, and where the smallest member of a body begins that contains it.
    tokens: Vec<(usize, Place)>,
    members: Vec<OwnedMember>,
}

impl Placement {
    fn of(parsed: &Parsed, hull: Span) -> Placement {
        let starts_edit = parsed.source().trimmed_start(hull).start();
        let place = |offset: usize| match offset {
            _ if offset < hull.start() || offset >= hull.end() => Place::At(offset),
            _ if offset == starts_edit => Place::StartsEdit,
            _ => Place::InEdit,
        };
        let start = |node: Node<'_>| trimmed_node(parsed, node).start();
        let (mut tokens, mut members) = (Vec::new(), Vec::new());
        // Each node with the starts of its parent and of the member that contains it.
        let mut open = vec![(parsed.root(), 0, 0)];
        while let Some((node, owner, member)) = open.pop() {
            let own = start(node);
            let is_body = node.body().is_some();
            let children = parsed.children(node);
            if children.is_empty() && !place(own).is_in_edit() {
                tokens.push((own, place(member)));
            }
            for child in children {
                let at = start(child);
                if is_body && child.is_named() && !place(at).is_in_edit() {
                    let owner = place(owner);
                    members.push(OwnedMember {
                        start: place(at),
                        owner,
                        statement: place(member),
                        is_opened: owner.is_in_edit() && own >= hull.end(),
                    });
                }
                let around = if is_body { at } else { member };
                open.push((child, own, around));
            }
        }
        tokens.sort_by_key(|(offset, _)| *offset);
        members.sort_by_key(|member| match member.start {
            Place::At(offset) => offset,
            _ => hull.start(),
        });
        Placement { tokens, members }
    }
}

/// The type and the span of a member of a body.
type Member = (u16, Span);

/// The members of a body before and after an edit, and those that it touches.
struct MembersAround {
    before: Vec<Member>,
    touched: Vec<Member>,
    after: Vec<Member>,
}

impl MembersAround {
    fn of(parsed: &Parsed, body: Node<'_>, hull: Span) -> MembersAround {
        let mut members = MembersAround {
            before: Vec::new(),
            touched: Vec::new(),
            after: Vec::new(),
        };
        for member in parsed.children(body) {
            let span = trimmed_node(parsed, member);
            let group = match span {
                _ if span.end() <= hull.start() && !span.touches(hull) => &mut members.before,
                _ if span.start() >= hull.end() && !span.touches(hull) => &mut members.after,
                _ => &mut members.touched,
            };
            group.push((member.kind_id(), span));
        }
        members
    }
}

/// Accepts inserted text that is attached to the following node, although the text before it was selected: an
/// annotation after the line above a method. Each token and each symbol outside must be unchanged.
fn attached_to_next(change: &Comparison<'_, '_>) -> Option<Vec<Note>> {
    if !change.selection.is_text() {
        return None;
    }
    let before = change.before;
    let (hull, new_hull) = (change.text_edit.hull(), change.text_edit.new_hull());
    let (old, new) = (
        before.source().slice(hull),
        change.after.source().slice(new_hull),
    );
    let same = |(one, other): &(char, char)| one == other;
    let common = old.chars().zip(new.chars()).take_while(same);
    let common: usize = common.map(|(c, _)| c.len_utf8()).sum();
    let inserted = new[common..].strip_suffix(&old[common..])?;
    let start = new_hull.start() + common + (inserted.len() - inserted.trim_start().len());
    let inserted = Span::new(start, start + inserted.trim().len());
    let is_attached =
        !inserted.is_empty() && are_attached(change.after, inserted) && change.has_same_leaves();
    let has_same_symbols = || {
        let Symbols { lost, appeared, .. } = change.symbols();
        lost.is_empty() && appeared.is_empty()
    };
    (is_attached && has_same_symbols()).then(Vec::new)
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
        let Some(end) = chain
            .iter()
            .find(is_one)
            .map(|node| trimmed_node(parsed, *node).end())
        else {
            return false;
        };
        let rest = parsed.source().slice(Span::new(end, span.end()));
        at = end + (rest.len() - rest.trim_start().len());
    }
    true
}

/// Returns whether all brackets in `span` are paired.
fn is_balanced(parsed: &Parsed, span: Span) -> bool {
    let mut depth: isize = 0;
    let mut least = 0;
    let Some(mut walk) = Walk::of(parsed.root()) else {
        return true;
    };
    while walk.advance(walk.node.span().overlaps(span)) {
        let node = walk.node;
        if span.contains(node.span()) {
            depth += node.bracket();
            least = least.min(depth);
        }
    }
    depth == 0 && least == 0
}

/// Returns whether all relevant nodes outside the edit are unchanged.
pub(super) fn is_same_outside(
    change: &Comparison<'_, '_>,
    counts: impl Fn(Node<'_>) -> bool,
) -> bool {
    let (hull, new_hull) = (change.text_edit.hull(), change.text_edit.new_hull());
    is_same_around(change, hull, new_hull, counts)
}

/// Returns whether all relevant nodes outside `hull` are unchanged. `hull` contains the edit, and is `new_hull` after
/// it.
pub(super) fn is_same_around(
    change: &Comparison<'_, '_>,
    hull: Span,
    new_hull: Span,
    counts: impl Fn(Node<'_>) -> bool,
) -> bool {
    differing(
        change,
        |node, span| counts(node) && !span.overlaps(hull),
        |node, span| counts(node) && !span.overlaps(new_hull),
    )
    .is_none()
}

/// Returns the first difference between the relevant nodes of the old tree and those of the new one, in the text
/// after the edit.
fn differing(
    change: &Comparison<'_, '_>,
    of_old: impl Fn(Node<'_>, Span) -> bool,
    of_new: impl Fn(Node<'_>, Span) -> bool,
) -> Option<Span> {
    let map = |span: Span| match span.is_empty() {
        true => Span::at(change.text_edit.map(span.start())),
        false => change.text_edit.map_unchanged(span),
    };
    let old = spans_of(change.before, of_old);
    let mut old = old.into_iter().map(|(kind, span)| (kind, map(span)));
    let mut new = spans_of(change.after, of_new).into_iter();
    loop {
        match (old.next(), new.next()) {
            (None, None) => return None,
            (one, other) if one == other => {}
            (_, Some((_, span))) | (Some((_, span)), None) => return Some(span),
        }
    }
}

/// Returns the types and spans of the relevant nodes, in file order.
fn spans_of(parsed: &Parsed, counts: impl Fn(Node<'_>, Span) -> bool) -> Vec<(u16, Span)> {
    let mut found = Vec::new();
    let Some(mut walk) = Walk::of(parsed.root()) else {
        return found;
    };
    while walk.advance(true) {
        let span = trimmed_node(parsed, walk.node);
        if counts(walk.node, span) {
            found.push((walk.node.kind_id(), span));
        }
    }
    found
}

/// Compares the two trees, first as they are, then without nodes that merely wrap another node.
fn compare_trees(
    change: &Comparison<'_, '_>,
    container: &[Node<'_>],
) -> Result<(Likeness, Vec<Note>), Difference> {
    let tables = container.last().and_then(|node| node.tables());
    let has_wrapped = tables.is_some_and(|tables| tables.uses(Mark::Wrapped));
    match compare_levels(change, container, View::AsIs) {
        Err(difference) if has_wrapped => {
            match compare_levels(change, container, View::Unwrapped) {
                Ok(notes) => Ok((Likeness::Unwrapped, notes)),
                Err(_) => Err(difference),
            }
        }
        compared => compared.map(|notes| (Likeness::Same, notes)),
    }
}

/// How the trees are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    AsIs,
    /// A node that merely wraps another node is replaced by its children.
    Unwrapped,
}

impl View {
    fn passes_over(self, node: Node<'_>) -> bool {
        self == View::Unwrapped && node.unwrapped().len() > 1
    }
}

/// Compares the two trees level by level, from the root down to the node among whose children the edit is made.
fn compare_levels(
    change: &Comparison<'_, '_>,
    container: &[Node<'_>],
    view: View,
) -> Result<Vec<Note>, Difference> {
    if let Some(comment) = lost_comment(change) {
        let parent = *container.last().expect("an edit is made in a node");
        disturbed(change, parent, comment)?;
    }
    let mut notes = Vec::new();
    let mut new = change.after.root();
    let container = container.iter().copied();
    let container: Vec<Node<'_>> = container.filter(|node| !view.passes_over(*node)).collect();
    for (depth, &old) in container.iter().enumerate() {
        let Some(&inner) = container.get(depth + 1) else {
            compare_in(change, view, old, new)?;
            break;
        };
        let Some(level) = AlignedChildren::around(change, view, old, new, inner) else {
            return disturbed(change, old, where_too_few(change, new)).map(|()| notes);
        };
        let (old_child, new_child) = match level.only_pair(change) {
            Ok(pair) => pair,
            Err(span) => return disturbed(change, old, span).map(|()| notes),
        };
        if old_child.node.kind() != new_child.node.kind() {
            notes.push(Note::ParentChanged {
                was: old_child.node.kind().to_string(),
                now: new_child.node.kind().to_string(),
            });
            if depth + 2 == container.len()
                && is_what_is_left(change, old_child.node, new_child.node)
            {
                return Ok(notes);
            }
        }
        new = new_child.node;
    }
    Ok(notes)
}

/// Compares the children of the node among which the edit is made.
fn compare_in(
    change: &Comparison<'_, '_>,
    view: View,
    old: Node<'_>,
    new: Node<'_>,
) -> Result<(), Difference> {
    let Some(level) = AlignedChildren::of_edit(change, view, old, new) else {
        return disturbed(change, old, where_too_few(change, new));
    };
    let differs = level.difference(change);
    if let Some(span) = differs.or_else(|| level.unsettled(change)) {
        return disturbed(change, old, span);
    }
    Ok(())
}

/// Returns where a node after the edit has too few children.
fn where_too_few(change: &Comparison<'_, '_>, new: Node<'_>) -> Span {
    let (span, end) = (new.span(), change.text_edit.new_hull().end());
    Span::at(end.clamp(span.start(), span.end()))
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

/// The children of a node in both trees: those before and after the edit in pairs, and those in between.
struct AlignedChildren<'o, 'n> {
    before: Vec<(Child<'o>, Child<'n>)>,
    after: Vec<(Child<'o>, Child<'n>)>,
    old: Vec<Child<'o>>,
    new: Vec<Child<'n>>,
}

#[derive(Clone, Copy)]
struct Child<'p> {
    node: Node<'p>,
    field: Option<u16>,
}

impl<'o, 'n> AlignedChildren<'o, 'n> {
    /// Aligns the children of a node in which only `inner` changes. Returns `None` if the new node
    /// has too few.
    fn around(
        change: &'n Comparison<'n, 'o>,
        view: View,
        old: Node<'o>,
        new: Node<'n>,
        inner: Node<'o>,
    ) -> Option<AlignedChildren<'o, 'n>> {
        let old = children(change.before, old, view, None);
        let new = children(change.after, new, view, None);
        let before = old.iter().position(|child| child.node == inner)?;
        let after = old.len() - before - 1;
        AlignedChildren::split(old, new, before, after)
    }

    /// Aligns the children of the node in which the edit is made. Returns `None` if the new node has too few.
    fn of_edit(
        change: &'n Comparison<'n, 'o>,
        view: View,
        old: Node<'o>,
        new: Node<'n>,
    ) -> Option<AlignedChildren<'o, 'n>> {
        let hull = change.text_edit.hull();
        let old = children(change.before, old, view, Some(hull));
        let new = children(change.after, new, view, Some(change.text_edit.new_hull()));
        // A separator may become a part of the neighbor that it is added to.
        let apart = usize::from(change.text_edit.replacements().len() > 1);
        let parsed = change.before;
        let has_loose_ends = parsed.has_loose_ends();
        let end = |child: &Child<'_>| match has_loose_ends {
            true => trimmed_node(parsed, child.node).end(),
            false => child.node.span().end(),
        };
        // A node without text may get some.
        let there = |child: &Child<'_>| {
            let span = child.node.span();
            span.is_empty() && hull.touches(span)
        };
        // Adjacent text may merge with replaced text: `prefix + ` before `action`.
        let gap = apart.max(usize::from(change.may_merge));
        // The node may end earlier without its trailing whitespace.
        let ends_before = |child: &Child<'_>| {
            child.node.span().end() + gap <= hull.start() || end(child) + gap <= hull.start()
        };
        let is_before = |child: &&Child<'_>| ends_before(child) && !there(child);
        let is_after = |child: &&Child<'_>| {
            child.node.span().start() >= hull.end() + usize::from(change.may_merge) && !there(child)
        };
        let before = old.iter().take_while(is_before).count();
        let after = old[before..].iter().rev().take_while(is_after).count();
        AlignedChildren::split(old, new, before, after)
    }

    fn split(
        mut old: Vec<Child<'o>>,
        mut new: Vec<Child<'n>>,
        before: usize,
        after: usize,
    ) -> Option<AlignedChildren<'o, 'n>> {
        let new_start = new.len().checked_sub(after).filter(|at| *at >= before)?;
        let old_after = old.split_off(old.len() - after);
        let new_after = new.split_off(new_start);
        let old_between = old.split_off(before);
        let new_between = new.split_off(before);
        Some(AlignedChildren {
            before: old.into_iter().zip(new).collect(),
            after: old_after.into_iter().zip(new_after).collect(),
            old: old_between,
            new: new_between,
        })
    }

    /// Returns the first difference between the children outside the edit, in the text after it.
    fn difference(&self, change: &Comparison<'_, '_>) -> Option<Span> {
        let (hull, new_hull) = (change.text_edit.hull(), change.text_edit.new_hull());
        let before = self.before.iter().map(|pair| (pair, (0, 0)));
        let after = self
            .after
            .iter()
            .map(|pair| (pair, (hull.end(), new_hull.end())));
        before
            .chain(after)
            .find(|((old, new), bases)| {
                old.field != new.field || !same(change, old.node, new.node, *bases)
            })
            .map(|((_, new), _)| new.node.span())
    }

    /// Returns the child that contains the edit, in both trees.
    ///
    /// # Errors
    /// The first difference outside it, or its own span if it is split, has another field, or is another symbol.
    fn only_pair(&self, change: &Comparison<'_, '_>) -> Result<(&Child<'o>, &Child<'n>), Span> {
        if let Some(span) = self.difference(change) {
            return Err(span);
        }
        let ([old], [new]) = (&self.old[..], &self.new[..]) else {
            // Where the node splits into several, or where it ends too early.
            let split = self.new.get(1).or(self.new.first());
            return Err(split.map_or(change.text_edit.new_hull(), |child| child.node.span()));
        };
        let is_other = old.field != new.field
            || (old.node.kind() != new.node.kind() && is_other_symbol(old.node, new.node));
        match is_other {
            true => Err(new.node.span()),
            false => Ok((old, new)),
        }
    }

    /// Returns where the children in between are not the expected result: one extends beyond the edit, or one that
    /// should remain is changed.
    fn unsettled(&self, change: &Comparison<'_, '_>) -> Option<Span> {
        self.beyond_edit(change).or_else(|| self.lost_child(change))
    }

    /// Returns the child in between that extends further beyond the edit than those before the edit did.
    fn beyond_edit(&self, change: &Comparison<'_, '_>) -> Option<Span> {
        let (hull, new_hull) = (change.text_edit.hull(), change.text_edit.new_hull());
        // A line break may be part of a node, such as a doc comment in Rust.
        let ends = |parsed: &Parsed, children: &[Child<'_>], hull: Span| {
            let start = children
                .first()
                .map_or(hull.start(), |child| child.node.span().start());
            let end = children
                .last()
                .map_or(hull.end(), |child| trimmed_node(parsed, child.node).end());
            (
                hull.start().saturating_sub(start),
                end.saturating_sub(hull.end()),
            )
        };
        let (old_before, old_after) = ends(change.before, &self.old, hull);
        let (new_before, new_after) = ends(change.after, &self.new, new_hull);
        if new_before > old_before {
            return self.new.first().map(|child| child.node.span());
        }
        if new_after > old_after {
            return self.new.last().map(|child| child.node.span());
        }
        None
    }

    /// Returns where a child in between that should remain is missing.
    fn lost_child(&self, change: &Comparison<'_, '_>) -> Option<Span> {
        let hull = change.text_edit.hull();
        let (before, after) = (change.before, change.after);
        let stays = |child: &&Child<'_>| {
            let span = child.node.span();
            let is_named = !child.node.is_sign() && !span.is_empty();
            let is_enclosing = span.start() < hull.start() && hull.end() < span.end();
            let is_apart = match change.may_merge {
                true => !span.touches(hull),
                false => !is_enclosing,
            };
            is_named && is_apart && !change.removed.iter().any(|removed| removed.overlaps(span))
        };
        let kept = |old: &Child<'_>| {
            let text = before.source().slice(trimmed_node(before, old.node));
            let start = start_after(change, old.node);
            self.new.iter().any(|new| {
                new.node.kind() == old.node.kind()
                    && trimmed_node(after, new.node).start() == start
                    && is_same_but_separator(
                        &text,
                        &after.source().slice(trimmed_node(after, new.node)),
                    )
            })
        };
        let lost = self.old.iter().filter(stays).find(|old| !kept(old))?;
        Some(Span::at(start_after(change, lost.node)))
    }
}

/// Returns whether two texts differ only in a sign at the end of one.
fn is_same_but_separator(old: &str, new: &str) -> bool {
    let (old, new) = (old.trim_end(), new.trim_end());
    let rest = old.strip_prefix(new).or_else(|| new.strip_prefix(old));
    rest.is_some_and(|rest| rest.trim().len() <= 2 && !rest.contains(char::is_alphanumeric))
}

/// Returns whether a deletion left one child of `old`, and `new` is that child: `X` of `X<T>`.
fn is_what_is_left<'p>(change: &Comparison<'_, 'p>, old: Node<'p>, new: Node<'_>) -> bool {
    // The separator before the removed node is removed too.
    let hull = change.text_edit.hull();
    let is_removed = |child: &Child<'_>| {
        let span = child.node.span();
        let mut removed = change.removed.iter();
        removed.any(|removed| removed.overlaps(span))
            || (child.node.is_sign() && hull.contains(span))
    };
    let mut left = children(change.before, old, View::AsIs, None);
    left.retain(|child| !is_removed(child));
    let text = |parsed: &Parsed, node| parsed.text_of(node).trim().to_string();
    matches!(left.as_slice(), [child] if child.node.kind() == new.kind()
        && text(change.before, child.node) == text(change.after, new))
}

/// Returns the start of an unchanged node after the edit: after text that is inserted at its old start.
fn start_after(change: &Comparison<'_, '_>, old: Node<'_>) -> usize {
    let start = trimmed_node(change.before, old).start();
    change.text_edit.map_start(start)
}

/// Returns the children of a node, without margins, which belong to the lines, and without loose comments, whose text
/// is compared. Words of prose are only their text, and merge with adjacent ones, so only those in `place` are
/// included.
fn children<'p>(
    parsed: &'p Parsed,
    node: Node<'p>,
    view: View,
    place: Option<Span>,
) -> Vec<Child<'p>> {
    let has_loose_ends = parsed.has_loose_ends();
    let mut children = Vec::new();
    // Whitespace may be a node too, such as the line break after `#if A`, and is ignored.
    let is_blank = |node: Node<'_>| match node.is_named() {
        false if node.kind().trim().is_empty() => true,
        _ => (has_loose_ends || node.is(Mark::Words)) && trimmed_node(parsed, node).is_empty(),
    };
    let is_passed_over = |node: Node<'_>| {
        let in_place = |place: Span| place.contains(trimmed_node(parsed, node));
        node.is(Mark::Words) && !place.is_some_and(in_place)
    };
    let mut open = parsed.children_with_fields(node);
    open.reverse();
    // The members of a list that the grammar nests have the fields of two operands.
    let may_be_nested = || {
        node.tables()
            .is_some_and(|tables| tables.uses(Mark::Transparent))
    };
    if node.list().is_some() && may_be_nested() {
        open.iter_mut().for_each(|(_, field)| *field = None);
    }
    while let Some((node, field)) = open.pop() {
        if view.passes_over(node) {
            let inner = parsed.children(node).into_iter().rev();
            open.extend(inner.map(|child| (child, field)));
        } else if !node.is(Mark::Margin)
            && !node.is(Mark::Loose)
            && !is_blank(node)
            && !is_passed_over(node)
        {
            children.push(Child { node, field });
        }
    }
    children
}

/// Returns whether two nodes have the same types and lengths down to their leaves, at the same distance from
/// `old_base` and `new_base`.
fn same(change: &Comparison<'_, '_>, old: Node<'_>, new: Node<'_>, bases: (usize, usize)) -> bool {
    let (old_base, new_base) = bases;
    if change.after.has_loose_ends() {
        let hull = change.text_edit.hull();
        let is_language = std::ptr::eq(old.language(), new.language());
        // Most nodes are unchanged, including comments and words.
        let is_at_its_place = |of_old: tree_sitter::Node<'_>, of_new: tree_sitter::Node<'_>| {
            let (own, now) = (
                old.in_same_tree(of_old).span(),
                new.in_same_tree(of_new).span(),
            );
            let is_outside = own.end() <= hull.start() || own.start() >= hull.end();
            is_outside
                && own.start() + new_base == now.start() + old_base
                && own.end() + new_base == now.end() + old_base
        };
        return is_language && same_to_the_leaves(old, new, is_at_its_place)
            || same_but_loose_ends(change, old, new, bases);
    }
    same_to_the_leaves(old, new, |old, new| {
        old.start_byte() + new_base == new.start_byte() + old_base
            && (old.id() == new.id() || old.end_byte() + new_base == new.end_byte() + old_base)
    })
}

/// Returns whether two nodes have the same types down to their leaves, all of them at the expected place.
fn same_to_the_leaves(
    old: Node<'_>,
    new: Node<'_>,
    is_at_its_place: impl Fn(tree_sitter::Node<'_>, tree_sitter::Node<'_>) -> bool,
) -> bool {
    let (Some(old), Some(new)) = (old.raw(), new.raw()) else {
        return false;
    };
    // A reused node has the identity that it has in the old tree, and so has everything below it. A child of a
    // rebuilt node has another identity, so it has to be compared.
    let taken_over = |old: tree_sitter::Node<'_>, new: tree_sitter::Node<'_>| {
        old.id() == new.id() || is_parsed_alike(old, new)
    };
    let alike = |old: tree_sitter::Node<'_>, new: tree_sitter::Node<'_>| {
        old.kind_id() == new.kind_id()
            && is_at_its_place(old, new)
            && (taken_over(old, new)
                || old.is_missing() == new.is_missing() && old.child_count() == new.child_count())
    };
    if !alike(old, new) {
        return false;
    }
    if taken_over(old, new) || old.child_count() == 0 {
        return true;
    }
    let (mut old_cursor, mut new_cursor) = (old.walk(), new.walk());
    loop {
        let done = taken_over(old_cursor.node(), new_cursor.node());
        if !done && old_cursor.goto_first_child() && new_cursor.goto_first_child() {
            if !alike(old_cursor.node(), new_cursor.node()) {
                return false;
            }
            continue;
        }
        loop {
            if old_cursor.goto_next_sibling() {
                if !new_cursor.goto_next_sibling() || !alike(old_cursor.node(), new_cursor.node()) {
                    return false;
                }
                break;
            }
            if !old_cursor.goto_parent() || !new_cursor.goto_parent() {
                return true;
            }
        }
    }
}

/// Returns whether two nodes of one type, length and text were parsed in the same way: a deterministic parser makes
/// the same tree of the same text in the same state. The number of nodes confirms it.
fn is_parsed_alike(old: tree_sitter::Node<'_>, new: tree_sitter::Node<'_>) -> bool {
    /// Tree-sitter's parse state of a node that was parsed with several stack versions (`TS_TREE_STATE_NONE`).
    const WITH_A_CHOICE: u16 = u16::MAX;
    old.parse_state() == new.parse_state()
        && old.parse_state() != WITH_A_CHOICE
        && old.descendant_count() == new.descendant_count()
        && !old.has_error()
        && !new.has_error()
}

fn has_loose(node: Node<'_>) -> bool {
    node.tables().is_some_and(|tables| tables.uses(Mark::Loose))
}

/// Returns the same as [`same`] where nodes may end with whitespace, margins and comments.
fn same_but_loose_ends(
    change: &Comparison<'_, '_>,
    old: Node<'_>,
    new: Node<'_>,
    (old_base, new_base): (usize, usize),
) -> bool {
    let (before, after) = (change.before, change.after);
    let hull = change.text_edit.hull();
    let is_moved = |old: Span, new: Span| {
        old.start() + new_base == new.start() + old_base
            && old.end() + new_base == new.end() + old_base
    };
    let alike = |old: Node<'_>, new: Node<'_>| {
        // The bytes outside the edit are the same, and so are the words there. A node may overlap the edit with its
        // trailing whitespace.
        let own = old.span();
        let is_outside = own.end() <= hull.start() || own.start() >= hull.end();
        let is_at_its_place = || {
            is_outside && is_moved(own, new.span())
                || is_moved(trimmed_node(before, old), trimmed_node(after, new))
        };
        // A loose node at its end extends a node, but not its words.
        let has_words = || has_loose(old) && old.child_count() > 0;
        old.is_of_type_of(new) && (is_at_its_place() || has_words())
    };
    if new.is_reused_from(old) {
        // Most nodes are reused, which makes a walk unnecessary.
        return alike(old, new);
    }
    let (Some(mut old_walk), Some(mut new_walk)) = (Walk::of(old), Walk::of(new)) else {
        return false;
    };
    loop {
        let (old, new) = (old_walk.node, new_walk.node);
        if old_walk.depth != new_walk.depth || !alike(old, new) {
            return false;
        }
        let into = !new.is_reused_from(old);
        match (old_walk.advance(into), new_walk.advance(into)) {
            (true, true) => {}
            (ended, other) => return ended == other,
        }
    }
}

/// A walk over a node and its descendants, parents first, without margins and loose comments.
pub(super) struct Walk<'p> {
    pub(super) node: Node<'p>,
    depth: usize,
    cursor: tree_sitter::TreeCursor<'p>,
}

impl<'p> Walk<'p> {
    /// Returns `None` if the text has no grammar.
    pub(super) fn of(node: Node<'p>) -> Option<Walk<'p>> {
        Some(Walk {
            node,
            depth: 0,
            cursor: node.raw()?.walk(),
        })
    }

    /// Moves to the next node, which is a descendant of this one only if `into` is set. Returns false at the end.
    pub(super) fn advance(&mut self, into: bool) -> bool {
        let mut into = into;
        loop {
            if into && self.cursor.goto_first_child() {
                self.depth += 1;
            } else {
                while !self.cursor.goto_next_sibling() {
                    if !self.cursor.goto_parent() {
                        return false;
                    }
                    self.depth -= 1;
                }
            }
            let here = self.cursor.node();
            into = false;
            let here = self.node.in_same_tree(here);
            if !here.is(Mark::Margin) && !here.is(Mark::Loose) && !here.span().is_empty() {
                self.node = here;
                return true;
            }
        }
    }
}

/// Returns whether one of two enclosing nodes is a symbol that the other is not.
fn is_other_symbol(old: Node<'_>, new: Node<'_>) -> bool {
    old.tag(&[]).map(|tag| tag.kind) != new.tag(&[]).map(|tag| tag.kind)
}

/// Reports that the tree around the target changed, unless the old tree had errors there, the edit may have repaired
/// them, and no symbol disappears.
fn disturbed(change: &Comparison<'_, '_>, parent: Node<'_>, span: Span) -> Result<(), Difference> {
    let may_repair = || runs_on(change.after, change.new_span).is_none() && may_repair(change);
    if parent.has_error() && change.symbols().lost.is_empty() && may_repair() {
        return Ok(());
    }
    Err(Difference::new(parent, span))
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

/// Returns whether an old problem is changed by the edit, or disappears. Unchanged problems, such as a gap in the
/// grammar, excuse no change around the target.
fn may_repair(change: &Comparison<'_, '_>) -> bool {
    let problems = change.problems();
    let hull = change.text_edit.hull();
    let new_hull = change.text_edit.new_hull();
    let kept: std::collections::HashSet<_> = problems
        .after
        .iter()
        .map(|problem| (problem.span, problem.missing.as_deref()))
        .collect();
    let (inside, outside): (Vec<_>, Vec<_>) = problems
        .before
        .iter()
        .partition(|problem| hull.contains(problem.span));
    let stays = |problem: &SyntaxProblem| {
        let map = |offset| change.text_edit.map(offset);
        let mapped = Span::new(map(problem.span.start()), map(problem.span.end()));
        !problem.span.overlaps(hull) && kept.contains(&(mapped, problem.missing.as_deref()))
    };
    let inside_now = problems
        .after
        .iter()
        .filter(|problem| new_hull.contains(problem.span))
        .count();
    !outside.into_iter().all(stays) || inside.len() > inside_now
}

/// Returns the symbols outside the target that only one of the two texts has.
pub(super) fn changed_symbols(change: &Comparison<'_, '_>) -> Symbols {
    let (before, after) = (change.before, change.after);
    let (old_places, new_places) = places(change);
    let old = outside(before.outline(), &old_places);
    let new = outside(after.outline(), &new_places);
    let (old_outline, new_outline) = (before.outline(), after.outline());
    // Symbols are identified by the mapped span of their name.
    let map = |symbol: &Symbol| {
        let name = symbol.name_span;
        let start = change.text_edit.map_start(name.start());
        (start, change.text_edit.map(name.end()), symbol.kind)
    };
    let place = |symbol: &Symbol| {
        (
            symbol.name_span.start(),
            symbol.name_span.end(),
            symbol.kind,
        )
    };
    let new_at: std::collections::HashMap<_, usize> = new
        .iter()
        .map(|&index| (place(&new_outline.symbols()[index]), index))
        .collect();
    let at_name: std::collections::HashMap<Span, usize> = new
        .iter()
        .map(|&index| (new_outline.symbols()[index].name_span, index))
        .collect();
    let mut lost = Vec::new();
    // For each lost symbol, the symbol of any kind that has its name after the edit.
    let mut pairs = Vec::new();
    let mut kept = std::collections::HashSet::new();
    for index in old {
        let symbol = &old_outline.symbols()[index];
        let path = old_outline.short_path(index);
        let found = new_at.get(&map(symbol)).copied();
        if let Some(found) = found {
            kept.insert(found);
            if same_path(change, old_outline, index, new_outline, found) {
                continue;
            }
        }
        let (start, end, _) = map(symbol);
        pairs.push((
            index,
            at_name.get(&Span::new(start, end.max(start))).copied(),
        ));
        lost.push(LostSymbol {
            path,
            moved_to: found.map(|found| new_outline.short_path(found)),
            line: before.source().line_of(symbol.name_span.start()),
        });
    }
    let appeared: Vec<usize> = new
        .into_iter()
        .filter(|index| !kept.contains(index))
        .collect();
    let is_paired = |index: &usize| pairs.iter().any(|(_, new)| *new == Some(*index));
    let converted = match appeared.iter().all(is_paired) {
        true => conversion(change, &pairs),
        false => None,
    };
    let appeared = appeared
        .into_iter()
        .map(|index| new_outline.short_path(index))
        .collect();
    Symbols {
        lost,
        appeared,
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
fn same_path(
    change: &Comparison<'_, '_>,
    old_outline: &SymbolTree,
    old: usize,
    new_outline: &SymbolTree,
    new: usize,
) -> bool {
    let (places, _) = places(change);
    let (old, new) = (old_outline.path(old), new_outline.path(new));
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

#[cfg(test)]
mod tests {
    use tree_sitter::Node;

    use super::is_parsed_alike;
    use crate::change::{Replacement, TextEdit};
    use crate::language::LANGUAGES;
    use crate::parse::Parsed;
    use crate::source::{Source, Span};

    /// Texts that open or close something, separate it, or add a word.
    const INSERTED: [&str; 10] = ["", "{", "}", "(", "\"", "'", "/*", "\n", "  ", "word "];

    /// Checks each node outside an edit that is considered equal because it is parsed alike, and returns the number
    /// of these nodes.
    fn check(old: Node<'_>, new: Node<'_>, hull: Span, grown: usize, text: &str) -> usize {
        let at = |node: Node<'_>| Span::from(node.byte_range());
        let same_place = |old: Span, new: Span| {
            let shift = if old.start() >= hull.end() {
                grown
            } else {
                hull.len()
            };
            old.start() + shift == new.start() + hull.len() && old.len() == new.len()
        };
        let mut checked = 0;
        let (mut one, mut other) = (old.walk(), new.walk());
        let children: Vec<Node<'_>> = old.children(&mut one).collect();
        let now: Vec<Node<'_>> = new.children(&mut other).collect();
        let from_start = children.iter().zip(&now);
        let from_end = children.iter().rev().zip(now.iter().rev());
        let is_before = |(old, _): &(&Node<'_>, &Node<'_>)| at(**old).end() <= hull.start();
        let is_after = |(old, _): &(&Node<'_>, &Node<'_>)| at(**old).start() >= hull.end();
        let outside = from_start
            .take_while(is_before)
            .chain(from_end.take_while(is_after));
        for (old, new) in outside {
            let is_same = old.kind_id() == new.kind_id() && same_place(at(*old), at(*new));
            if is_same && old.id() != new.id() && is_parsed_alike(*old, *new) {
                assert_eq!(old.to_sexp(), new.to_sexp(), "{hull:?} of:\n{text}");
                checked += 1;
            }
        }
        let encloses = |node: &&Node<'_>| {
            node.byte_range().start <= hull.start() && at(**node).end() >= hull.end()
        };
        if let (Some(old), Some(new)) = (
            children.iter().find(encloses),
            now.iter().find(|node| {
                node.start_byte() <= hull.start() && node.end_byte() >= hull.start() + grown
            }),
        ) {
            checked += check(*old, *new, hull, grown, text);
        }
        checked
    }

    #[test]
    fn what_is_parsed_alike_is_the_same_to_its_leaves() {
        let mut checked = std::collections::BTreeMap::new();
        for language in LANGUAGES.iter() {
            let (path, text) = language.sample();
            let source = Source::new(path, language, text.to_string());
            let before = Parsed::parse(source.clone());
            let Some(old) = before.root().raw() else {
                continue;
            };
            let words: Vec<(usize, &str)> = text
                .split_inclusive(|c: char| !c.is_alphanumeric())
                .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
                .collect();
            for (index, (start, word)) in words.iter().enumerate().step_by(3) {
                let new_text = INSERTED[index % INSERTED.len()];
                let removed = if index % 2 == 0 { 0 } else { word.len() };
                let span = Span::new(*start, start + removed);
                let replacement = Replacement {
                    span,
                    new_text: new_text.to_string(),
                };
                let Ok(edit) = TextEdit::new(&source, vec![replacement]) else {
                    continue;
                };
                let after = before.reparse(edit.apply(&source), &edit.lengths());
                let Some(new) = after.root().raw() else {
                    continue;
                };
                let count = check(old, new, span, new_text.len(), after.source().text());
                *checked.entry(language.name).or_insert(0) += count;
            }
        }
        let total: usize = checked.values().sum();
        let several = checked.values().filter(|count| **count > 10).count();
        assert!(total > 2_000 && several * 3 > checked.len(), "{checked:?}");
    }
}
