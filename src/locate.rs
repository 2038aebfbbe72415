//! locate
mod marker;
mod pattern;
mod request;

pub use request::{
    LineScope, Locate, LocateRange, LocateSyntaxError, Scope, ScopeFault, SymbolScope, parse_scope,
};
