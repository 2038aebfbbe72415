//! The request that a refusal is about, as far as `explain` and `suggest` need it.

use crate::edit::{Operation, edit};
use crate::select::{Selection, Selector};
use crate::validate::{self, Check};

/// The purpose of a selector.
#[derive(Clone, Copy, Debug)]
pub enum Pointing<'a> {
    /// Edit a node.
    Edit(&'a Operation),
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

impl Attempt<'_, '_> {
    /// Returns whether the operation passes every check on another node, or `None` if it cannot be applied to it.
    pub(super) fn passes(&self, selection: Selection<'_>) -> Option<bool> {
        let change = edit(selection, self.operation).ok()?;
        Some(validate::passes(&change, self.allow))
    }
}
