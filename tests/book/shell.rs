//! A shell in a home of its own: a command as a page shows it comes in, its answer as a page shows it goes out.
//!
//! What differs from run to run is shown in one way: the home is `/home/me`, the ids of edits are numbered as they
//! come, and times are made the same.
#![expect(
    clippy::disallowed_methods,
    reason = "files are laid out, and commands are run"
)]

use std::fs;
use std::io::{Read as _, Write as _, pipe};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use regex::Regex;
use tempfile::TempDir;

use crate::support::{copy, git};

/// What the home is called in pages, and the program.
const HOME: &str = "/home/me";
const PROGRAM: &str = "/home/me/.cargo/bin/treegraft";
/// What ends the answer of a command; no command prints it.
const END: u8 = 0x1e;
/// How long a command may take; far more than any needs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A home with a folder `project`, where commands run, and a clone `treegraft`.
pub(crate) struct Room {
    shell: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    home: PathBuf,
    /// The ids of edits, in the order in which they came.
    ids: Vec<String>,
    _directory: TempDir,
}

impl Room {
    pub(crate) fn new() -> Room {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let home = directory.path().canonicalize().expect("it is there");
        fs::create_dir(home.join("project")).expect("the directory can be written");
        lay_out_clone(&home.join("treegraft"));
        let program = Path::new(env!("CARGO_BIN_EXE_treegraft"));
        let programs = program.parent().expect("the program is in a directory");
        let (mut reader, writer) = pipe().expect("a pipe can be made");
        let mut command = Command::new("sh");
        command
            .current_dir(home.join("project"))
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
            .env("HOME", &home)
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .stdin(Stdio::piped())
            .stdout(writer.try_clone().expect("a pipe has two ends"))
            .stderr(writer);
        let mut shell = command.spawn().expect("a shell is there");
        // The ends of the pipe that only the shell is to have.
        drop(command);
        let input = shell.stdin.take().expect("it is a pipe");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count) = reader.read(&mut bytes) {
                if count == 0 || sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Room {
            shell,
            input,
            output,
            home,
            ids: Vec::new(),
            _directory: directory,
        }
    }

    /// A file that the page lays out.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.home.join("project").join(name);
        let folder = path.parent().expect("a file is in a directory");
        fs::create_dir_all(folder).expect("the directory can be written");
        fs::write(path, text).expect("the file can be written");
    }

    /// What a command answers, errors among it.
    pub(crate) fn answer(&mut self, page: &str, command: &str) -> String {
        let real = self.real(command);
        let line = format!("{{ {real}\n}} </dev/null\n(s=$?; printf '\\036'; exit $s)\n");
        let sent = self.input.write_all(line.as_bytes());
        sent.expect("the shell reads");
        let mut bytes = Vec::new();
        while bytes.last() != Some(&END) {
            match self.output.recv_timeout(PATIENCE) {
                Ok(more) => bytes.extend(more),
                Err(error) => panic!(
                    "{page}: `{command}` did not end ({error}): {}",
                    String::from_utf8_lossy(&bytes)
                ),
            }
        }
        bytes.pop();
        let said = String::from_utf8(bytes).expect("answers are text");
        assert!(
            !said.contains("\n$ "),
            "{page}: no answer of a page: {said}"
        );
        let mut shown = self.shown(&said);
        if !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
        shown
    }

    /// A command with the home and the ids that there are.
    fn real(&self, command: &str) -> String {
        let command = command.replace(HOME, &self.home.to_string_lossy());
        let ids = self.ids.iter().enumerate();
        ids.fold(command, |command, (index, id)| {
            command.replace(&shown_id(index), id)
        })
    }

    /// An answer as a page shows it.
    fn shown(&mut self, said: &str) -> String {
        let said = said.replace(env!("CARGO_BIN_EXE_treegraft"), PROGRAM);
        let mut shown = said.replace(&*self.home.to_string_lossy(), HOME);
        for id in pattern(r"\be[0-9a-f]{12}\b").find_iter(&said) {
            if !self.ids.iter().any(|known| known == id.as_str()) {
                self.ids.push(id.as_str().to_string());
            }
        }
        for (index, id) in self.ids.iter().enumerate() {
            shown = shown.replace(id, &shown_id(index));
        }
        let shown = pattern(r"\d+(\.\d+)? ms\b").replace_all(&shown, "1.0 ms");
        // The age in a table keeps its width.
        let shown = pattern(r"  \d{1,2}s ( ?) ").replace_all(&shown, "  0s   ");
        shown.into_owned()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // A test that failed must not leave it behind.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

/// The n-th id of a page, as it is shown.
fn shown_id(index: usize) -> String {
    format!("e{:012}", index + 1)
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is one")
}

/// What of a clone the pages work on, in a repository of its own.
fn lay_out_clone(clone: &Path) {
    let project = "examples/teaching/project";
    copy(
        &crate::support::repository().join(project),
        &clone.join(project),
    );
    git(clone, &["init", "--quiet"]);
    git(clone, &["add", "."]);
    git(clone, &["commit", "--quiet", "--message", "all"]);
}
