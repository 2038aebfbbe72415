//! treegraft

// The order is the order of the layers: each looks up only. Blank lines keep it from being sorted.

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

pub mod engine;

pub mod mcp;

pub mod cli;
