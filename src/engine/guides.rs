//! Documentation pages that front ends serve to their callers.

/// The page about locators: `docs/locating.md`.
pub const LOCATING: &str = include_str!("../../docs/locating.md");
/// The page about edits: `docs/editing.md`.
pub const EDITING: &str = include_str!("../../docs/editing.md");
