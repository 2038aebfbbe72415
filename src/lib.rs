//! treegraft
pub mod language;
pub mod source;
pub mod parse;
pub mod locate;
pub mod select;
pub mod edit;
pub mod validate;
pub mod preview;
pub mod workspace;
pub mod apply;
pub mod diagnostic;
