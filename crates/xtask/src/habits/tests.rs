//! The habits benchmark over a repository made here.
