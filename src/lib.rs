//! treegraft
pub mod apply;
pub mod diagnostic;
pub mod edit;
pub mod engine;
pub mod language;
pub mod locate;
pub mod parse;
pub mod preview;
pub mod select;
pub mod source;
pub mod validate;
pub mod workspace;
pub mod mcp;
pub mod cli;
