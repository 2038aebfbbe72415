//! A copy of a real project that edits change, and the errors that its check reports.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use camino::Utf8PathBuf;
use serde_json::Value;
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::engine::calls::Call;

use crate::git::git;

/// A copy of a repository's HEAD with an engine.
pub(crate) struct Project {
    engine: Engine,
    root: Utf8PathBuf,
    /// Its files and those of the engine, which are removed with it.
    _directories: [TempDir; 2],
}

impl Project {
    /// Copies a repository and runs a command in the copy.
    ///
    /// # Errors
    /// The repository cannot be copied, or the command does not start.
    pub(crate) fn open(repository: &str, prepare: Option<&str>) -> Result<Project, String> {
        let fault = |error: &dyn fmt::Display| format!("a temporary directory: {error}");
        let [root, state] = [(); 2].map(|()| TempDir::new());
        let root = root.map_err(|error| fault(&error))?;
        let state = state.map_err(|error| fault(&error))?;
        let path = root.path().canonicalize().map_err(|error| fault(&error))?;
        let path = Utf8PathBuf::from_path_buf(path).map_err(|path| fault(&path.display()))?;
        copy(repository, &path)?;
        if let Some(prepare) = prepare {
            run(prepare, path.as_std_path())?;
        }
        git(path.as_str(), &["add", "--all"])?;
        let engine = Engine::open(std::slice::from_ref(&path), Some(state.path()));
        Ok(Project {
            engine: engine.map_err(|error| fault(&error))?,
            root: path,
            _directories: [root, state],
        })
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.as_std_path()
    }

    /// Runs a check, and returns its lines with an error, without the numbers of lines and columns, and how often each
    /// occurs.
    pub(crate) fn errors(&self, check: &str) -> Result<HashMap<String, usize>, String> {
        run(check, self.root())
    }

    /// Makes a call; a refusal is returned with its code.
    pub(crate) fn call(
        &self,
        tool: &str,
        arguments: &Value,
    ) -> Result<Value, (&'static str, String)> {
        let made = Call::read(tool, arguments.clone());
        let made = made.and_then(|call| call.make(&self.engine, &()));
        made.map(|answer| answer.as_json())
            .map_err(|refusal| (refusal.code().as_str(), refusal.text()))
    }

    /// Checks that no file differs from the copied ones.
    ///
    /// # Errors
    /// A file differs.
    pub(crate) fn is_undone(&self, name: &str) -> Result<(), String> {
        let left = git(self.root.as_str(), &["diff", "--name-only"])?;
        match left.trim().is_empty() {
            true => Ok(()),
            false => Err(format!("`{name}` is not undone: {left}")),
        }
    }

    pub(crate) fn stop_servers(&self) {
        self.engine.stop_servers();
    }
}

/// Copies the files of a repository's HEAD into a new repository.
fn copy(repository: &str, path: &Utf8PathBuf) -> Result<(), String> {
    let name = |path: &str| fs::canonicalize(path).map_err(|error| format!("{path}: {error}"));
    let from = name(repository)?;
    git(
        ".",
        &[
            "clone",
            "--quiet",
            "--shared",
            &from.to_string_lossy(),
            path.as_str(),
        ],
    )?;
    Ok(())
}

/// Runs a command in a directory, and returns its lines with an error, without the numbers of lines and columns, and how
/// often each occurs.
fn run(command: &str, directory: &Path) -> Result<HashMap<String, usize>, String> {
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{command}: {error}"))?;
    let mut lines = HashMap::new();
    for output in [output.stdout, output.stderr] {
        let text = String::from_utf8_lossy(&output).into_owned();
        for line in text.lines().filter(|line| is_error(line)) {
            *lines.entry(without_numbers(line)).or_default() += 1;
        }
    }
    Ok(lines)
}

/// Returns whether a line reports an error. A warning may be about a symbol with the word in its name.
pub(crate) fn is_error(line: &str) -> bool {
    let (before, _) = line.split_once("error").unwrap_or(("warning:", ""));
    !before.contains("warning:")
}

/// Returns a line without its digits.
pub(crate) fn without_numbers(line: &str) -> String {
    line.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Returns the errors that only `after` has, apart from the new name.
pub(crate) fn new_errors(
    before: &HashMap<String, usize>,
    after: &HashMap<String, usize>,
    name: &str,
    new_name: &str,
) -> Vec<String> {
    let [name, new_name] = [name, new_name].map(without_numbers);
    let plain = |lines: &HashMap<String, usize>| {
        let mut all: HashMap<String, usize> = HashMap::new();
        for (line, count) in lines {
            *all.entry(line.replace(&new_name, &name)).or_default() += count;
        }
        all
    };
    let before = plain(before);
    let mut new: Vec<String> = plain(after)
        .into_iter()
        .filter(|(line, count)| before.get(line).copied().unwrap_or_default() < *count)
        .map(|(line, _)| line)
        .collect();
    new.sort();
    new
}
