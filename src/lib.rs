//! treegraft
pub mod apply;
pub mod cli;
pub mod diagnostic;
pub mod edit;
pub mod engine;
pub mod language;
pub mod locate;
pub mod mcp;
pub mod parse;
pub mod preview;
pub mod select;
pub mod source;
pub mod validate;
pub mod workspace;
