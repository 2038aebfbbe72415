//! Texts that must not be given to a grammar, as its scanner would end the program.
//!
//! What a scanner has to know between two tokens it writes into 1,024 bytes (tree-sitter's
//! `TREE_SITTER_SERIALIZATION_BUFFER_SIZE`). Some do not heed what fits in there: they are ended by an
//! assertion of C, which nothing can catch. Whether they would be has to be known before.

#[cfg(feature = "lang-ruby")]
pub(super) mod ruby;
#[cfg(feature = "lang-yaml")]
pub(super) mod yaml;
