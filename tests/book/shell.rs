//! Runs the commands of a page in a shell with its own home directory, and returns their output as
//! the page shows it.
//!
//! Output that differs between runs is normalized: the home directory is `/home/me`, edit ids are
//! numbered in order of appearance, and all times are the same.
#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and run commands"
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

/// The home directory and the program, as pages show them.
const HOME: &str = "/home/me";
const PROGRAM: &str = "/home/me/.cargo/bin/treegraft";
/// Marks the end of a command's output; no command prints it.
const END: u8 = 0x1e;
/// The time limit of a command; far more than any needs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A home directory with a folder `project`, where commands run, and a clone `treegraft`.
pub(crate) struct Sandbox {
    shell: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    home: PathBuf,
    /// The edit ids, in order of appearance.
    ids: Vec<String>,
    _directory: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let home = directory.path().canonicalize().expect("it exists");
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
        let mut shell = command.spawn().expect("the shell starts");
        // Closes this process's copies of the pipe ends that only the shell should have.
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
        Sandbox {
            shell,
            input,
            output,
            home,
            ids: Vec::new(),
            _directory: directory,
        }
    }

    /// Writes a file that the page defines.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.home.join("project").join(name);
        let folder = path.parent().expect("a file is in a directory");
        fs::create_dir_all(folder).expect("the directory can be written");
        fs::write(path, text).expect("the file can be written");
    }

    /// Returns the output of a command, standard error included.
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
        let answered = String::from_utf8(bytes).expect("answers are text");
        assert!(
            !answered.contains("\n$ "),
            "{page}: the output looks like a command: {answered}"
        );
        let mut shown = self.shown(&answered);
        if !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
        shown
    }

    /// Replaces the home directory and the ids of the page with the real ones.
    fn real(&self, command: &str) -> String {
        let command = command.replace(HOME, &self.home.to_string_lossy());
        let ids = self.ids.iter().enumerate();
        ids.fold(command, |command, (index, id)| {
            command.replace(&shown_id(index), id)
        })
    }

    /// Returns output as a page shows it.
    fn shown(&mut self, answered: &str) -> String {
        let answered = answered.replace(env!("CARGO_BIN_EXE_treegraft"), PROGRAM);
        let mut shown = answered.replace(&*self.home.to_string_lossy(), HOME);
        for id in pattern(r"\be[0-9a-f]{12}\b").find_iter(&answered) {
            if !self.ids.iter().any(|known| known == id.as_str()) {
                self.ids.push(id.as_str().to_string());
            }
        }
        for (index, id) in self.ids.iter().enumerate() {
            shown = shown.replace(id, &shown_id(index));
        }
        let shown = pattern(r"\d+(\.\d+)? ms\b").replace_all(&shown, "1.0 ms");
        // The library depends on the compiler.
        let shown = pattern("@[0-9a-f]{12}-[0-9a-f]{16}")
            .replace_all(&shown, "@0123456789ab-0123456789abcdef");
        let shown = pattern("digest [0-9a-f]{16}").replace_all(&shown, "digest 0123456789abcdef");
        // The age column keeps its width.
        let shown = pattern(r"  \d{1,2}s ( ?) ").replace_all(&shown, "  0s   ");
        shown.into_owned()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // A failed test must not leave the shell running.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

/// Returns the id that a page shows for its n-th edit.
fn shown_id(index: usize) -> String {
    format!("e{:012}", index + 1)
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is valid")
}

/// Lays out the part of the clone that the pages use, as a git repository.
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
