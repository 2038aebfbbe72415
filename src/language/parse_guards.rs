//! Detects texts that must not be given to a grammar because its scanner would end the program.
//!
//! A scanner saves its state between two tokens in 1,024 bytes (tree-sitter's `TREE_SITTER_SERIALIZATION_BUFFER_SIZE`).
//! Some scanners ignore that limit: an assertion in C ends them, which nothing can catch. So the text is checked before
//! parsing.

#[cfg(feature = "lang-ruby")]
pub(super) mod ruby;
#[cfg(feature = "lang-yaml")]
pub(super) mod yaml;
