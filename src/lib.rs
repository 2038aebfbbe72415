//! treegraft
pub mod language;
pub mod source;
pub mod parse;
