//! Everything outside the target is still what it was.
//!
//! For every ancestor of the target its children outside the edit keep field, type and length,
//! down to their leaves; symbols around the target keep kind and name. This catches the brace that
//! swallows the rest of the file although no ERROR node shows it. Where the old tree had errors
//! around the target that the edit changes, structure may change (the edit may be a repair), but
//! no symbol may go.

use crate::edit::Edited;
use crate::parse::{Node, Outline, Parsed, Problem, Symbol};
use crate::source::Span;

use super::Note;
use super::syntax::runs_on;

/// What changed around the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// Where the tree around the target first differs, in the text after the edit.
    pub span: Span,
    /// The type of the node around the target whose children changed.
    pub parent: String,
    /// Symbols outside the target that would go, with their line before the edit.
    pub lost: Vec<LostSymbol>,
    /// Symbols outside the target that would appear.
    pub appeared: Vec<Vec<String>>,
}

/// A symbol that an edit elsewhere would take away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostSymbol {
    /// Its path.
    pub path: Vec<String>,
    /// The path it would have instead, if the same definition stands elsewhere afterwards.
    pub moved_to: Option<Vec<String>>,
    /// Its line (from 1) before the edit.
    pub line: usize,
}

/// The two trees level by level, from the root down to the selected node.
pub(super) fn compare(edited: &Edited<'_>) -> Result<Vec<Note>, Disturbance> {
    let before = edited.selection.parsed();
    let (Some(old_root), Some(new_root)) = (before.root(), edited.after.root()) else {
        return Ok(Vec::new());
    };
    let hull = edited.text_edit.hull();
    let new_hull = edited.text_edit.new_hull();
    let target = edited.selection.node();
    let mut notes = Vec::new();
    let (mut old, mut new) = (old_root, new_root);
    loop {
        let old_level = Level::of(old, hull);
        let new_level = Level::of(new, new_hull);
        let at_target = old_level.touched.iter().any(|child| child.node == target)
            || old_level.touched.len() != 1;
        if let Some(span) = difference(&old_level, &new_level, hull, new_hull) {
            return disturbed(edited, old, span).map(|()| notes);
        }
        if at_target {
            notes.extend(took_place(edited, &new_level));
            return Ok(notes);
        }
        let (old_child, new_child) = match (&old_level.touched[..], &new_level.touched[..]) {
            ([old_child], [new_child]) => (old_child, new_child),
            _ => {
                // Where the one node splits into several, or where it ends too early.
                let split = new_level.touched.get(1).or(new_level.touched.first());
                let at = split.map_or(new_hull, |child| child.node.span());
                return disturbed(edited, old, at).map(|()| notes);
            }
        };
        if old_child.field != new_child.field {
            return disturbed(edited, old, new_child.node.span()).map(|()| notes);
        }
        if old_child.node.kind() != new_child.node.kind() {
            if is_other_symbol(edited, old_child.node, new_child.node) {
                return disturbed(edited, old, new_child.node.span()).map(|()| notes);
            }
            notes.push(Note::ParentChanged {
                was: old_child.node.kind().to_string(),
                now: new_child.node.kind().to_string(),
            });
        }
        (old, new) = (old_child.node, new_child.node);
    }
}

/// The children of one node, by where they lie to the edit.
struct Level<'p> {
    before: Vec<Child<'p>>,
    touched: Vec<Child<'p>>,
    after: Vec<Child<'p>>,
}

struct Child<'p> {
    node: Node<'p>,
    field: Option<u16>,
}

impl<'p> Level<'p> {
    fn of(node: Node<'p>, hull: Span) -> Level<'p> {
        let mut level = Level {
            before: Vec::new(),
            touched: Vec::new(),
            after: Vec::new(),
        };
        let mut cursor = node.raw().walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = Child {
                node: cursor.node().into(),
                field: cursor.field_id().map(u16::from),
            };
            let span = child.node.span();
            if span.end() <= hull.start() {
                level.before.push(child);
            } else if span.start() >= hull.end() {
                level.after.push(child);
            } else {
                level.touched.push(child);
            }
            more = cursor.goto_next_sibling();
        }
        level
    }
}

/// Where the children outside the edit first differ, in the text after it.
fn difference(old: &Level<'_>, new: &Level<'_>, hull: Span, new_hull: Span) -> Option<Span> {
    let end_of = |level: &Level<'_>, fallback: usize| {
        level
            .after
            .first()
            .map_or(fallback, |child| child.node.span().start())
    };
    if old.before.len() != new.before.len() {
        let at = old.before.len().min(new.before.len());
        let span = new
            .before
            .get(at)
            .map_or(Span::at(new_hull.start()), |child| child.node.span());
        return Some(span);
    }
    if old.after.len() != new.after.len() {
        return Some(Span::at(end_of(new, new_hull.end())));
    }
    let pairs_before = old.before.iter().zip(&new.before).map(|pair| (pair, 0, 0));
    let pairs_after = old
        .after
        .iter()
        .zip(&new.after)
        .map(|pair| (pair, hull.end(), new_hull.end()));
    pairs_before
        .chain(pairs_after)
        .find(|((old, new), old_base, new_base)| {
            old.field != new.field || !same(old.node, new.node, *old_base, *new_base)
        })
        .map(|((_, new), _, _)| new.node.span())
}

/// Whether two nodes have the same types and lengths down to their leaves, at the same distance
/// from `old_base` and `new_base`.
fn same(old: Node<'_>, new: Node<'_>, old_base: usize, new_base: usize) -> bool {
    let alike = |old: tree_sitter::Node<'_>, new: tree_sitter::Node<'_>| {
        old.kind_id() == new.kind_id()
            && old.start_byte() - old_base == new.start_byte() - new_base
            && old.end_byte() - old_base == new.end_byte() - new_base
            && old.is_missing() == new.is_missing()
            && old.child_count() == new.child_count()
    };
    // A node taken over from the old tree has its old identity and is the very same, all the way
    // down. A child of a node that was rebuilt round it has not, so the walk goes on below it.
    let taken_over = |old: tree_sitter::Node<'_>, new: tree_sitter::Node<'_>| old.id() == new.id();
    if !alike(old.raw(), new.raw()) {
        return false;
    }
    if old.raw().child_count() == 0 || taken_over(old.raw(), new.raw()) {
        return true;
    }
    let (mut old_cursor, mut new_cursor) = (old.raw().walk(), new.raw().walk());
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

/// What stands in the target's place now, where that is not one node of its type.
fn took_place(edited: &Edited<'_>, level: &Level<'_>) -> Option<Note> {
    let was = edited.selection.node().kind();
    let tables = edited.after.source().language().tables();
    let now: Vec<&str> = level
        .touched
        .iter()
        .filter(|child| child.node.is_named())
        .filter(|child| tables.is_none_or(|tables| tables.attached(child.node.raw()).is_none()))
        .map(|child| child.node.kind())
        .collect();
    match now.as_slice() {
        [one] if *one == was => None,
        _ => Some(Note::TookPlace {
            was: was.to_string(),
            now: now.into_iter().map(str::to_string).collect(),
        }),
    }
}

/// Whether one of two nodes around the target is a symbol that the other is not.
fn is_other_symbol(edited: &Edited<'_>, old: Node<'_>, new: Node<'_>) -> bool {
    let Some(tables) = edited.after.source().language().tables() else {
        return false;
    };
    let kind = |node: Node<'_>| tables.tag(node.raw()).map(|tag| tag.kind);
    kind(old) != kind(new)
}

/// The tree around the target changed: a refusal, unless the old tree was broken there, the edit
/// may have repaired it, and no symbol goes.
fn disturbed(edited: &Edited<'_>, parent: Node<'_>, span: Span) -> Result<(), Disturbance> {
    let before = edited.selection.parsed();
    let (lost, appeared) = changed_symbols(before, &edited.after, edited);
    let may_repair = runs_on(&edited.after, edited.new_span).is_none() && may_repair(edited);
    if parent.has_error() && lost.is_empty() && may_repair {
        return Ok(());
    }
    Err(Disturbance {
        span,
        parent: parent.kind().to_string(),
        lost,
        appeared,
    })
}

/// Whether an old problem is another one after the edit, or gone. Problems that stay as they were,
/// such as a grammar's gap in sound code, excuse no change of what stands around the target.
fn may_repair(edited: &Edited<'_>) -> bool {
    let before = edited.selection.parsed();
    let hull = edited.text_edit.hull();
    let new_hull = edited.text_edit.new_hull();
    let kept: std::collections::HashSet<_> = edited
        .after
        .problems()
        .iter()
        .map(|problem| (problem.span, problem.missing.as_deref()))
        .collect();
    let (inside, outside): (Vec<_>, Vec<_>) = before
        .problems()
        .iter()
        .partition(|problem| hull.contains(problem.span));
    let stays = |problem: &Problem| {
        let map = |offset| edited.text_edit.map(offset);
        let mapped = Span::new(map(problem.span.start()), map(problem.span.end()));
        !problem.span.overlaps(hull) && kept.contains(&(mapped, problem.missing.as_deref()))
    };
    let inside_now = edited
        .after
        .problems()
        .iter()
        .filter(|problem| new_hull.contains(problem.span))
        .count();
    !outside.into_iter().all(stays) || inside.len() > inside_now
}

/// The symbols outside the target that only one of the two texts has.
fn changed_symbols(
    before: &Parsed,
    after: &Parsed,
    edited: &Edited<'_>,
) -> (Vec<LostSymbol>, Vec<Vec<String>>) {
    let old = outside(before.outline(), edited.text_edit.hull());
    let new = outside(after.outline(), edited.text_edit.new_hull());
    let (old_outline, new_outline) = (before.outline(), after.outline());
    // Each symbol is known by where its name stands, seen from the nearer end of the file.
    let map = |symbol: &Symbol| {
        let name = symbol.name_span;
        (
            edited.text_edit.map(name.start()),
            edited.text_edit.map(name.end()),
            symbol.kind,
        )
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
    let mut lost = Vec::new();
    let mut kept = std::collections::HashSet::new();
    for index in old {
        let symbol = &old_outline.symbols()[index];
        let path = old_outline.short_path(index);
        let found = new_at.get(&map(symbol)).copied();
        if let Some(found) = found {
            kept.insert(found);
            if same_path(edited, old_outline, index, new_outline, found) {
                continue;
            }
        }
        lost.push(LostSymbol {
            path,
            moved_to: found.map(|found| new_outline.short_path(found)),
            line: before.source().line_of(symbol.name_span.start()),
        });
    }
    let appeared = new
        .into_iter()
        .filter(|index| !kept.contains(index))
        .map(|index| new_outline.short_path(index))
        .collect();
    (lost, appeared)
}

/// The symbols whose name lies outside `hull`.
fn outside(outline: &Outline, hull: Span) -> Vec<usize> {
    let symbols = outline.symbols().iter().enumerate();
    symbols
        .filter(|(_, symbol)| !symbol.name_span.overlaps(hull))
        .filter(|(_, symbol)| !hull.contains(symbol.name_span))
        .map(|(index, _)| index)
        .collect()
}

/// Whether two symbols have the same path, names inside the edit aside.
fn same_path(
    edited: &Edited<'_>,
    old_outline: &Outline,
    old: usize,
    new_outline: &Outline,
    new: usize,
) -> bool {
    let hull = edited.text_edit.hull();
    let (old, new) = (old_outline.path(old), new_outline.path(new));
    old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| {
            old.kind == new.kind && (old.name == new.name || old.name_span.touches(hull))
        })
}
