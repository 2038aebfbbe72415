//! Makes the same change with other tools: `git merge-file`, mergiraf, and exact string replacement.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::text::is_unique;

use super::merges::Triple;
use super::staged::Applied;

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
    pub(super) fn find(mergiraf: &str) -> Result<Programs, String> {
        let folder = TempDir::new().map_err(|error| format!("a temporary directory: {error}"))?;
        let has_mergiraf = run(folder.path(), mergiraf, &["--version"]).is_ok();
        Ok(Programs {
            folder,
            mergiraf: has_mergiraf.then(|| mergiraf.to_string()),
        })
    }

    /// Merges with `git merge-file`.
    ///
    /// # Errors
    /// Returns an error if git does not start.
    pub(super) fn git(&self, triple: &Triple) -> Result<Applied, String> {
        let [base, left, right] = self.write(triple)?;
        self.merged("git", &["merge-file", "-p", &left, &base, &right])
    }

    /// Merges with mergiraf. Returns `None` without mergiraf.
    ///
    /// # Errors
    /// Returns an error if mergiraf does not start.
    pub(super) fn mergiraf(&self, triple: &Triple) -> Result<Option<Applied>, String> {
        let Some(program) = &self.mergiraf else {
            return Ok(None);
        };
        let [base, left, right] = self.write(triple)?;
        let arguments = ["merge", &base, &left, &right, "-p", &triple.path];
        self.merged(program, &arguments).map(Some)
    }

    fn merged(&self, program: &str, arguments: &[&str]) -> Result<Applied, String> {
        let output = run(self.folder.path(), program, arguments)?;
        let text = String::from_utf8(output.stdout);
        Ok(match (output.status.code(), text) {
            (Some(0), Ok(text)) => Applied::Written(text),
            // git returns the number of conflicts, at most 127.
            (Some(1..=127), _) => refused("conflict"),
            _ => refused("failed"),
        })
    }

    /// Writes the three texts and returns the names of the files.
    fn write(&self, triple: &Triple) -> Result<[String; 3], String> {
        let name = triple.path.rsplit('/').next().unwrap_or_default();
        let texts = [
            ("base", &triple.base),
            ("left", &triple.left),
            ("right", &triple.right),
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

fn refused(reason: &str) -> Applied {
    Applied::Refused(reason.to_string())
}

/// Makes all string replacements in a text, old and new text of each, or none. Each old text must occur exactly once.
pub(super) fn replace_strings(text: &str, replacements: &[[String; 2]]) -> Applied {
    let mut text = text.to_string();
    for [old, new] in replacements {
        match text.find(old.as_str()) {
            None => return refused("not found"),
            Some(_) if !is_unique(&text, old) => return refused("not unique"),
            Some(at) => text.replace_range(at..at + old.len(), new),
        }
    }
    Applied::Written(text)
}
