//! A directory with an engine, whose files edits change: empty, or a copy of a real project with the errors that its check
//! reports.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::engine::calls::Call;
use treegraft::language;
use treegraft::lsp::configuration::Configuration;

use crate::git::git;

/// The kinds of symbols that are edited.
pub(crate) const KINDS: &str = "function method class struct enum trait interface type constant static field variant \
                                variable macro record";

/// What to change and to check in a copy of a project.
#[derive(clap::Args)]
pub(crate) struct ProjectOptions {
    /// Git repository, bare or with a work tree. Its HEAD is edited in a copy.
    #[arg(value_name = "REPOSITORY")]
    pub(crate) repository: String,
    /// Command that checks the project, run with sh in the copy; its lines with `error` are compared
    #[arg(long, value_name = "COMMAND")]
    pub(crate) check: String,
    /// Command to run in the copy first
    #[arg(long, value_name = "COMMAND")]
    pub(crate) prepare: Option<String>,
    /// Number of symbols to edit
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) count: usize,
    /// Take the symbols from the files below this directory
    #[arg(long, value_name = "DIRECTORY", default_value = "")]
    pub(crate) below: String,
    /// Take the symbols of this language
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: String,
}

/// What a call answers.
pub(crate) struct Answered {
    /// The code of the refusal.
    pub(crate) code: Option<&'static str>,
    /// The text that the caller receives.
    pub(crate) text: String,
    /// The same as JSON.
    pub(crate) json: Value,
}

/// A directory with an engine of its own.
pub(crate) struct Project {
    engine: Engine,
    root: Utf8PathBuf,
    /// Its files and those of the engine, which are removed with it.
    _directories: [TempDir; 2],
}

impl Project {
    /// Creates an empty project.
    ///
    /// # Errors
    /// Returns an error if a temporary directory cannot be used.
    pub(crate) fn empty() -> Result<Project, String> {
        let fault = |error: &dyn fmt::Display| format!("a temporary directory: {error}");
        let root = TempDir::new().map_err(|error| fault(&error))?;
        let state = TempDir::new().map_err(|error| fault(&error))?;
        let path = root.path().canonicalize().map_err(|error| fault(&error))?;
        let path = Utf8PathBuf::from_path_buf(path).map_err(|path| fault(&path.display()))?;
        let engine = Engine::open(std::slice::from_ref(&path), Some(state.path()));
        Ok(Project {
            engine: engine.map_err(|error| fault(&error))?,
            root: path,
            _directories: [root, state],
        })
    }

    /// Returns the project with an engine that uses other language servers.
    pub(crate) fn with_servers(self, configuration: Configuration) -> Project {
        Project {
            engine: self.engine.with_servers(configuration),
            ..self
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.as_std_path()
    }

    /// Copies the HEAD of a repository and runs a command in the copy.
    ///
    /// # Errors
    /// Returns an error if the repository cannot be copied, or the command does not start.
    pub(crate) fn copy_of(options: &ProjectOptions) -> Result<Project, String> {
        let project = Project::empty()?;
        let from = fs::canonicalize(&options.repository);
        let from = from.map_err(|error| format!("{}: {error}", options.repository))?;
        let (from, to) = (from.to_string_lossy(), project.root.as_str());
        git(".", "clone --quiet --shared", &[&from, to])?;
        if let Some(prepare) = &options.prepare {
            project.errors(prepare)?;
        }
        git(to, "add --all", &[])?;
        Ok(project)
    }

    /// Writes a file, with the directories that it needs.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.root.join(path);
        let folder = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{path}: {error}"))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(crate) fn read(&self, path: &str) -> Result<String, String> {
        let path = self.root.join(path);
        fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))
    }

    /// Returns the paths and texts of the files that the options select.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub(crate) fn files(&self, options: &ProjectOptions) -> Result<Vec<(String, String)>, String> {
        let listed = git(self.root.as_str(), "ls-files", &[])?;
        let files = listed.lines().filter(|file| {
            let language = language::of_path(file).map(|language| language.name);
            file.starts_with(&options.below) && language == Some(options.language.as_str())
        });
        let texts = files.filter_map(|file| Some((file.to_string(), self.read(file).ok()?)));
        Ok(texts.collect())
    }

    /// Makes a call.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Answered {
        let made = Call::read(tool, arguments.clone());
        match made.and_then(|call| call.make(&self.engine, &())) {
            Ok(answer) => Answered {
                code: None,
                text: answer.as_text(),
                json: answer.as_json(),
            },
            Err(refusal) => Answered {
                code: Some(refusal.code().as_str()),
                text: refusal.text(),
                json: refusal.json(),
            },
        }
    }

    /// Undoes the edit of an answer, and checks that no file differs from the copied ones.
    ///
    /// # Errors
    /// Returns an error if the edit cannot be undone, or a file differs.
    pub(crate) fn undo(&self, answered: &Answered) -> Result<(), String> {
        let undone = self.call("undo_edit", &json!({"edit_id": answered.json["edit_id"]}));
        let left = git(self.root.as_str(), "diff --name-only", &[])?;
        match undone.code.is_none() && left.trim().is_empty() {
            true => Ok(()),
            false => Err(format!("an edit is not undone: {}\n{left}", undone.text)),
        }
    }

    /// Runs a check, and returns its lines with an error, without the numbers of lines and columns, and how often each
    /// occurs.
    ///
    /// # Errors
    /// Returns an error if the check does not start.
    pub(crate) fn errors(&self, check: &str) -> Result<HashMap<String, usize>, String> {
        let output = Command::new("sh")
            .args(["-c", check])
            .current_dir(self.root())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{check}: {error}"))?;
        let mut lines = HashMap::new();
        for output in [output.stdout, output.stderr] {
            let text = String::from_utf8_lossy(&output).into_owned();
            for line in text.lines().filter(|line| is_error(line)) {
                *lines.entry(without_numbers(line)).or_default() += 1;
            }
        }
        Ok(lines)
    }

    pub(crate) fn stop_servers(&self) {
        self.engine.stop_servers();
    }
}

/// Returns whether a line reports an error. A warning may be about a symbol with the word in its name.
fn is_error(line: &str) -> bool {
    let (before, _) = line.split_once("error").unwrap_or(("warning:", ""));
    !before.contains("warning:")
}

/// Returns a line without its digits.
fn without_numbers(line: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_new_unless_only_its_numbers_or_the_name_differ() {
        let errors = |lines: &[(&str, usize)]| -> HashMap<String, usize> {
            let lines = lines.iter();
            lines
                .map(|(line, count)| (without_numbers(line), *count))
                .collect()
        };
        let before = errors(&[("a.py:1:2: error: no `get`", 1), ("b.py:3: error: x", 2)]);
        let same = errors(&[
            ("a.py:9:4: error: no `getRenamed`", 1),
            ("b.py:3: error: x", 1),
        ]);
        assert!(new_errors(&before, &same, "get", "getRenamed").is_empty());
        let more = errors(&[("a.py:1:2: error: no `get`", 2), ("c.py:1: error: y", 1)]);
        let expected = ["a.py::: error: no `get`", "c.py:: error: y"];
        assert_eq!(new_errors(&before, &more, "get", "getRenamed"), expected);
    }

    #[test]
    fn a_warning_about_a_name_with_the_word_is_no_error() {
        assert!(is_error("a.rs:1:2: error[E0425]: cannot find `price`"));
        assert!(!is_error(
            "a.rs:1:2: warning: `alloc_errorRenamed` should be upper case"
        ));
        assert!(!is_error("ok"));
    }
}
