//! Reads the current and earlier files of a repository with git. Nothing in it is changed.

use std::collections::HashMap;

use crate::git::{Blobs, git};

/// One repository.
pub(super) struct Repository {
    /// Its last commit.
    pub(super) head: String,
    /// The regular files of that commit with their blob ids, in path order.
    pub(super) files: Vec<(String, String)>,
    /// For each path, the blob ids before each commit that changed the file, the last commit first.
    earlier: HashMap<String, Vec<String>>,
    blobs: Blobs,
}

impl Repository {
    /// Opens the repository at `path`, bare or with a work tree.
    pub(super) fn of(path: &str) -> Result<Repository, String> {
        let head = git(path, &["rev-parse", "HEAD"])?.trim().to_string();
        let tree = git(path, &["ls-tree", "-r", "-z", "HEAD"])?;
        let log = git(
            path,
            &[
                "log",
                "--no-merges",
                "--no-renames",
                "--diff-filter=M",
                "--raw",
                "--no-abbrev",
                "--format=",
                "-z",
                "HEAD",
            ],
        )?;
        Ok(Repository {
            head,
            files: tree.split('\0').filter_map(file_of).collect(),
            earlier: earlier(&log),
            blobs: Blobs::of(path)?,
        })
    }

    /// Returns the text of a blob, or `None` if it is missing, too large or not text.
    pub(super) fn text(&mut self, id: &str) -> Result<Option<String>, String> {
        self.blobs.text(id)
    }

    /// Returns the texts of a file before each of the last commits that changed it, the latest
    /// first.
    pub(super) fn earlier(&mut self, path: &str, count: usize) -> Result<Vec<String>, String> {
        let ids = self.earlier.get(path).cloned().unwrap_or_default();
        let mut texts = Vec::new();
        for id in ids.iter().take(count) {
            texts.extend(self.blobs.text(id)?);
        }
        Ok(texts)
    }
}

/// Parses an entry of `git ls-tree`: `100644 blob <id>`, a tab, and the path.
fn file_of(entry: &str) -> Option<(String, String)> {
    let (facts, path) = entry.split_once('\t')?;
    let words: Vec<&str> = facts.split(' ').collect();
    match words[..] {
        [mode, "blob", id] if mode.starts_with("100") => Some((path.to_string(), id.to_string())),
        _ => None,
    }
}

/// Parses `git log --raw -z`: `:100644 100644 <blob before> <blob after> M`, then the path.
fn earlier(log: &str) -> HashMap<String, Vec<String>> {
    let mut earlier: HashMap<String, Vec<String>> = HashMap::new();
    let mut fields = log.split('\0').filter(|field| !field.trim().is_empty());
    while let Some(facts) = fields.next() {
        let words: Vec<&str> = facts.trim().split(' ').collect();
        let ([_, _, before, _, _], Some(path)) = (&words[..], fields.next()) else {
            continue;
        };
        let of_path = earlier.entry(path.to_string()).or_default();
        of_path.push(before.to_string());
    }
    earlier
}
