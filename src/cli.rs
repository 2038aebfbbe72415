//! The command line: the same verbs.
