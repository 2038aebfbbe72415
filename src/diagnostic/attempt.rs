//! The request that a refusal is about, as far as `explain` and `suggest` need it.

use crate::edit::{EditError, Operation, edit};
use crate::select::{Selection, Selector};
use crate::validate::{self, Check};

use super::Trial;

/// The purpose of a selector.
#[derive(Clone, Copy, Debug)]
pub enum Pointing<'a> {
    /// Edit a node with this operation. The checks are allowed to fail.
    Edit(&'a Operation, &'a [Check]),
    /// Read a node.
    Read,
}

/// The origin of the text that an operation inserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentOrigin {
    /// The argument `new_content`.
    Argument,
    /// A node that is moved.
    Move,
    /// The new string of an agent's own edit tool.
    StringEdit,
}

/// An operation that failed on the selected node.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a, 'p> {
    /// The node.
    pub selection: &'a Selection<'p>,
    /// The selector that selected it.
    pub selector: &'a Selector,
    /// The operation.
    pub operation: &'a Operation,
    /// The origin of the operation's content.
    pub origin: ContentOrigin,
    /// The checks that are allowed to fail.
    pub allow: &'a [Check],
}

impl<'a> Attempt<'a, '_> {
    /// Returns the purpose of the selector.
    pub(super) fn pointing(&self) -> Pointing<'a> {
        Pointing::Edit(self.operation, self.allow)
    }
}

impl Pointing<'_> {
    /// Returns whether it removes the selected node, or replaces it.
    pub(super) fn removes(self) -> bool {
        matches!(
            self,
            Pointing::Edit(Operation::Delete | Operation::Replace { .. }, _)
        )
    }

    /// Tries the request on a selection; an edit reparses the text incrementally. Returns `None` if an insertion finds no
    /// body in the node, or several.
    pub fn tried(self, selection: Selection<'_>) -> Option<Trial> {
        let Pointing::Edit(operation, allow) = self else {
            return Some(Trial::Works);
        };
        match edit(selection, operation) {
            Ok(change) if validate::passes(&change, allow) => Some(Trial::Works),
            Err(EditError::NoInside { .. }) => None,
            _ => Some(Trial::Refused),
        }
    }
}
