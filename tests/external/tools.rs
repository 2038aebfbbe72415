//! The programs that `tests/all.sh` installs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns what `tests/all.sh` sets for the tests, such as the path of a program.
pub(crate) fn variable(name: &str) -> OsString {
    let value = std::env::var_os(name);
    value.unwrap_or_else(|| {
        panic!("{name} is not set: `bash tests/all.sh external` installs the program and sets it")
    })
}

/// Returns the Python interpreter with the packages of `tests/requirements.txt`.
pub(crate) fn python() -> PathBuf {
    variable("TREEGRAFT_TEST_PYTHON").into()
}

/// Returns a program that a Python package installs.
pub(crate) fn of_python(name: &str) -> PathBuf {
    let program = python().with_file_name(name);
    assert!(program.is_file(), "{} is missing", program.display());
    program
}

/// Returns a program from the npm registry.
pub(crate) fn node(name: &str) -> PathBuf {
    PathBuf::from(variable("TREEGRAFT_TEST_NODE")).join(name)
}

/// Returns the command of a program from the npm registry, with its own Node.js first on the path.
pub(crate) fn with_own_node(program: &Path) -> Command {
    let folder = program.parent().expect("a file has a folder");
    let known = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&known));
    let mut command = Command::new(program);
    command.env("PATH", std::env::join_paths(paths).expect("a path"));
    command
}
