//! Makes the same change with other tools: `git merge-file`, mergiraf, and exact string replacement.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::replay::baseline::is_unique;

/// The three texts of a merge, and the path of the file.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) path: &'a str,
    pub(super) base: &'a str,
    pub(super) left: &'a str,
    pub(super) right: &'a str,
}

/// What a tool returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Merged {
    /// The text that it wrote, without conflicts.
    Clean(String),
    /// Why there is none.
    Refused(&'static str),
}

impl Merged {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Merged::Clean(text) => Some(text),
            Merged::Refused(_) => None,
        }
    }
}

/// The programs that merge three files, and a directory for the files.
pub(super) struct Programs {
    folder: TempDir,
    mergiraf: Option<String>,
}

impl Programs {
    /// Looks for the programs. `mergiraf` is a path, or a name on PATH.
    ///
    /// # Errors
    /// Returns an error if there is no temporary directory.
    pub(super) fn of(mergiraf: &str) -> Result<Programs, String> {
        let folder = TempDir::new().map_err(|error| format!("a temporary directory: {error}"))?;
        let has_mergiraf = run(folder.path(), mergiraf, &["--version"]).is_ok();
        Ok(Programs {
            folder,
            mergiraf: has_mergiraf.then(|| mergiraf.to_string()),
        })
    }

    /// Returns whether mergiraf can be run.
    pub(super) fn has_mergiraf(&self) -> bool {
        self.mergiraf.is_some()
    }

    /// Returns the version that a program prints.
    ///
    /// # Errors
    /// Returns an error if the program does not start.
    pub(super) fn versions(&self) -> Result<Vec<String>, String> {
        let programs = std::iter::once("git").chain(self.mergiraf.as_deref());
        let versions = programs.map(|program| {
            let output = run(self.folder.path(), program, &["--version"])?;
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
        });
        versions.collect()
    }

    /// Merges with `git merge-file`.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub(super) fn git(&self, sides: Sides<'_>) -> Result<Merged, String> {
        let [base, left, right] = self.write(sides)?;
        let names = [&left, &base, &right].map(String::as_str);
        let arguments = [&["merge-file", "-p"], &names[..]].concat();
        let output = run(self.folder.path(), "git", &arguments)?;
        // The exit code is the number of conflicts, at most 127.
        match output.status.code() {
            Some(0) => clean(output),
            Some(1..=127) => Ok(Merged::Refused("conflict")),
            _ => Err(fault("git merge-file", &output)),
        }
    }

    /// Merges with mergiraf. Returns `None` without mergiraf.
    ///
    /// # Errors
    /// Returns an error if mergiraf does not start.
    pub(super) fn mergiraf(&self, sides: Sides<'_>) -> Result<Option<Merged>, String> {
        let Some(program) = &self.mergiraf else {
            return Ok(None);
        };
        let [base, left, right] = self.write(sides)?;
        let names = [&base, &left, &right].map(String::as_str);
        let arguments = [&["merge"], &names[..], &["-p", sides.path]].concat();
        let output = run(self.folder.path(), program, &arguments)?;
        match output.status.code() {
            Some(0) => clean(output).map(Some),
            Some(1) => Ok(Some(Merged::Refused("conflict"))),
            _ => Ok(Some(Merged::Refused("failed"))),
        }
    }

    /// Writes the three texts and returns the names of the files.
    fn write(&self, sides: Sides<'_>) -> Result<[String; 3], String> {
        let name = sides.path.rsplit('/').next().unwrap_or(sides.path);
        let texts = [
            ("base", sides.base),
            ("left", sides.left),
            ("right", sides.right),
        ];
        for (side, text) in texts {
            let path = self.folder.path().join(format!("{side}-{name}"));
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(texts.map(|(side, _)| format!("{side}-{name}")))
    }
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<Output, String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        // mergiraf keeps the files of its merges there.
        .env("XDG_CACHE_HOME", folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output();
    output.map_err(|error| format!("cannot start {program}: {error}"))
}

fn fault(program: &str, output: &Output) -> String {
    let fault = String::from_utf8_lossy(&output.stderr);
    format!("{program}: {}", fault.trim())
}

fn clean(output: Output) -> Result<Merged, String> {
    let text = String::from_utf8(output.stdout);
    text.map(Merged::Clean)
        .map_err(|error| format!("a merged text: {error}"))
}

/// Makes all string replacements in a text, old and new text of each, or none. Each old text must occur exactly once.
pub(super) fn replace_strings(text: &str, replacements: &[[String; 2]]) -> Merged {
    let mut text = text.to_string();
    for [old, new] in replacements {
        match text.find(old.as_str()) {
            None => return Merged::Refused("not found"),
            Some(_) if !is_unique(&text, old) => return Merged::Refused("not unique"),
            Some(at) => text.replace_range(at..at + old.len(), new),
        }
    }
    Merged::Clean(text)
}
