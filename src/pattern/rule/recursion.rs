//! Refuses rules that match themselves without end: utility rules that refer to themselves, and rewriters that rewrite
//! what they match.

use std::collections::BTreeSet;

use super::InvalidRule;

/// Where a node is that a part of a rule matches, from the node that the rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Same,
    /// Inside it.
    Down,
    /// Around it.
    Up,
    /// Unknown.
    Other,
}

impl Direction {
    pub(super) fn then(self, next: Direction) -> Direction {
        match (self, next) {
            (Direction::Same, one) | (one, Direction::Same) => one,
            (one, other) if one == other => one,
            _ => Direction::Other,
        }
    }
}

/// A `matches` in the definition of a utility rule.
pub(super) struct Reference {
    pub(super) util: String,
    pub(super) name: String,
    pub(super) direction: Direction,
    pub(super) place: String,
}

/// The use of rewriters by the rule or by one of its rewriters.
#[derive(Default)]
pub(super) struct Rewriting {
    /// The id; `None` for the rule.
    pub(super) rewriter: Option<String>,
    /// The names that it captures, and where those nodes are from the matched one.
    pub(super) captures: Vec<(String, Direction)>,
    /// Whether it may capture other names.
    pub(super) may_grow: bool,
    /// The rewritten variables, each with the ids of the rewriters and its place.
    pub(super) uses: Vec<(String, Vec<String>, String)>,
}

/// Refuses utility rules that refer to themselves, unless each reference goes further into the node, or further out.
pub(super) fn check_utils(references: &[&Reference]) -> Result<(), InvalidRule> {
    let edges = references.iter().map(|one| (&*one.util, &*one.name));
    let edges: Vec<Edge<'_>> = edges.collect();
    for reference in references {
        // Whether another reference is part of a cycle with this one.
        let cycle = |one: &&&Reference| {
            reaches(&edges, &reference.name, &one.util)
                && reaches(&edges, &one.name, &reference.util)
        };
        let directions = references.iter().filter(cycle);
        let combined = directions
            .map(|one| one.direction)
            .fold(Direction::Same, Direction::then);
        if combined == Direction::Other {
            let message = format!(
                "the utility rule `{}` refers to itself, and not only through `has` or only through `inside`",
                reference.util
            );
            return Err(InvalidRule::new(message, reference.place.clone()));
        }
    }
    Ok(())
}

/// Refuses rewriters that rewrite themselves, unless what they rewrite is inside what they match.
pub(super) fn check_rewriters(all: &[Rewriting]) -> Result<(), InvalidRule> {
    let mut edges: Vec<Edge<'_>> = Vec::new();
    // Those that rewrite the matched node itself.
    let mut same: Vec<Edge<'_>> = Vec::new();
    for rewriting in all {
        for (source, ids, _) in &rewriting.uses {
            if let Some(id) = rewriting.rewriter.as_deref() {
                let own = ids.iter().map(|one| (id, one.as_str()));
                if rewriting.direction(source) == Direction::Same {
                    same.extend(own.clone());
                }
                edges.extend(own);
            }
        }
    }
    for rewriting in all {
        let Some(id) = &rewriting.rewriter else {
            continue;
        };
        for (source, ids, place) in &rewriting.uses {
            let cycles = match rewriting.direction(source) {
                Direction::Down => continue,
                Direction::Same => &same,
                Direction::Up | Direction::Other => &edges,
            };
            if ids.iter().any(|one| reaches(cycles, one, id)) {
                let message = format!(
                    "the rewriter `{id}` rewrites itself in `${source}`, which may be what it matches"
                );
                return Err(InvalidRule::new(message, place.clone()));
            }
        }
    }
    Ok(())
}

impl Rewriting {
    /// Returns where the nodes of a variable are from the matched one.
    fn direction(&self, name: &str) -> Direction {
        let own = self.captures.iter().filter(|(own, _)| own == name);
        let mut own = own.map(|(_, direction)| *direction);
        match own.next() {
            Some(first) if !self.may_grow && own.all(|one| one == first) => first,
            _ => Direction::Other,
        }
    }
}

/// From one name to another.
type Edge<'n> = (&'n str, &'n str);

/// Returns whether `to` is reached from `from`.
fn reaches(edges: &[Edge<'_>], from: &str, to: &str) -> bool {
    let mut open = vec![from];
    let mut known = BTreeSet::new();
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        if known.insert(name) {
            let next = edges.iter().filter(|(start, _)| *start == name);
            open.extend(next.map(|(_, end)| *end));
        }
    }
    false
}
