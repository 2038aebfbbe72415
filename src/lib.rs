//! treegraft
pub mod language;
pub mod locate;
pub mod source;
pub mod workspace;
