//! The files that a call reads and writes, which are known before it is made.

/// The files that a call reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) enum CallAccess {
    /// Reads these files, directories and matches of globs, and writes them if `writes` is set.
    Files { paths: Vec<String>, writes: bool },
    /// Reads and writes the files of the edit with this id.
    Edit(String),
    /// May read all files, and write them if `writes` is set.
    Everything { writes: bool },
}

/// Returns the access to these files.
pub(in crate::engine) fn files<'a>(
    paths: impl IntoIterator<Item = &'a String>,
    writes: bool,
) -> CallAccess {
    CallAccess::Files {
        paths: paths.into_iter().cloned().collect(),
        writes,
    }
}
