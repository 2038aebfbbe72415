//! treegraft
pub mod language;
pub mod source;
pub mod locate;
pub mod workspace;
