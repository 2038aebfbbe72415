//! Pages of the book that callers may read while they work.

/// How to point at a place: `docs/locating.md`.
pub const LOCATING: &str = include_str!("../../docs/locating.md");
/// What each edit does at its place: `docs/editing.md`.
pub const EDITING: &str = include_str!("../../docs/editing.md");
