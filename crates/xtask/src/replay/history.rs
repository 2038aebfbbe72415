//! Reads the commits of a repository as revisions of single files, each with a few hunks.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use treegraft::language;

use crate::git::{Blobs, git};

/// The maximum number of hunks from one change of a file.
const HUNKS_OF_CHANGE: usize = 3;

/// The history of one repository.
pub(crate) struct History {
    /// Its last commit.
    pub(crate) head: String,
    /// The number of commits without merges.
    pub(crate) commits: usize,
    changes: Vec<Change>,
    blobs: Blobs,
}

/// A file that a commit changed.
struct Change {
    commit: String,
    path: String,
    before: String,
    after: String,
}

/// A file before a commit, and the hunks of the commit.
pub(crate) struct Revision {
    pub(crate) commit: String,
    pub(crate) path: String,
    pub(crate) before: String,
    pub(crate) hunks: Vec<Hunk>,
}

/// The files that one commit changed, each with all of its hunks.
pub(crate) struct Commit {
    pub(crate) id: String,
    pub(crate) files: Vec<Revision>,
}

/// A run of adjacent changed lines.
#[derive(Clone)]
pub(crate) struct Hunk {
    /// The bytes of the old lines.
    pub(crate) old: Range<usize>,
    /// The new lines.
    pub(crate) new: String,
    /// The numbers of removed and added lines.
    pub(crate) lines: (usize, usize),
}

impl History {
    /// Reads the history of the repository at `path`: all commits except merges, with the files
    /// that exist before and after the commit and have a grammar.
    pub(crate) fn of(path: &str) -> Result<History, String> {
        let head = git(path, &["rev-parse", "HEAD"])?.trim().to_string();
        let log = git(
            path,
            &[
                "log",
                "--no-merges",
                "--no-renames",
                "--diff-filter=M",
                "--raw",
                "--no-abbrev",
                "--format=commit %H",
                "-z",
                "HEAD",
            ],
        )?;
        let commits = git(path, &["rev-list", "--count", "--no-merges", "HEAD"])?;
        Ok(History {
            head,
            commits: commits.trim().parse().unwrap_or(0),
            changes: changes(&log),
            blobs: Blobs::of(path)?,
        })
    }

    /// Calls a function with revisions, spread evenly over the history, until they have `count`
    /// hunks.
    pub(crate) fn each_revision(
        &mut self,
        count: usize,
        mut take: impl FnMut(Revision) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut left = count;
        for index in evenly(self.changes.len()) {
            if left == 0 {
                break;
            }
            let Change {
                commit,
                path,
                before,
                after,
            } = &self.changes[index];
            let Some(before) = self.blobs.text(before)? else {
                continue;
            };
            let Some(after) = self.blobs.text(after)? else {
                continue;
            };
            let all = hunks(&before, &after);
            let picked = spread(all.len(), left.min(HUNKS_OF_CHANGE));
            let mut hunks = Vec::new();
            for (index, hunk) in all.into_iter().enumerate() {
                if picked.contains(&index) {
                    hunks.push(hunk);
                }
            }
            left -= hunks.len();
            take(Revision {
                commit: commit.clone(),
                path: path.clone(),
                before,
                hunks,
            })?;
        }
        Ok(())
    }

    /// Passes commits, spread evenly over the history, to `take` until it has accepted `count` of
    /// them. A commit with a file that cannot be read as text is left out.
    pub(crate) fn each_commit(
        &mut self,
        count: usize,
        mut take: impl FnMut(Commit) -> Result<bool, String>,
    ) -> Result<(), String> {
        let commits: Vec<&[Change]> = self
            .changes
            .chunk_by(|one, other| one.commit == other.commit)
            .collect();
        let mut left = count;
        for index in evenly(commits.len()) {
            if left == 0 {
                break;
            }
            let changes = commits[index];
            let mut files = Vec::new();
            for change in changes {
                let before = self.blobs.text(&change.before)?;
                let after = self.blobs.text(&change.after)?;
                if let (Some(before), Some(after)) = (before, after) {
                    let hunks = hunks(&before, &after);
                    let (commit, path) = (change.commit.clone(), change.path.clone());
                    files.push(Revision {
                        commit,
                        path,
                        before,
                        hunks,
                    });
                }
            }
            files.retain(|file| !file.hunks.is_empty());
            let is_whole = files.len() == changes.len();
            let id = changes[0].commit.clone();
            if is_whole && take(Commit { id, files })? {
                left -= 1;
            }
        }
        Ok(())
    }
}

/// Parses `git log --raw -z`, oldest first.
fn changes(log: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut commit = "";
    // `:100644 100644 <blob before> <blob after> M`, then the path.
    let mut fields = log.split('\0').filter(|field| !field.is_empty());
    while let Some(field) = fields.next() {
        let field = field.trim_start();
        if let Some(name) = field.strip_prefix("commit ") {
            commit = name.trim();
            continue;
        }
        let words: Vec<&str> = field.split(' ').collect();
        let (Some(path), [_, mode, before, after, _]) = (fields.next(), &words[..]) else {
            continue;
        };
        let has_grammar = language::of_path(path).is_some_and(|own| own.grammar().is_some());
        if has_grammar && mode.starts_with("100") {
            changes.push(Change {
                commit: commit.to_string(),
                path: path.to_string(),
                before: before.to_string(),
                after: after.to_string(),
            });
        }
    }
    changes.reverse();
    changes
}

/// Returns the hunks between two versions of a file, without context.
pub(crate) fn hunks(before: &str, after: &str) -> Vec<Hunk> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let mut starts = vec![0];
    for line in &old {
        starts.push(starts[starts.len() - 1] + line.len());
    }
    let mut ranges: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Histogram, &old, &new) {
        if matches!(operation, DiffOp::Equal { .. }) {
            continue;
        }
        let (own_old, own_new) = (operation.old_range(), operation.new_range());
        match ranges.last_mut() {
            Some((old, new)) if old.end == own_old.start && new.end == own_new.start => {
                old.end = own_old.end;
                new.end = own_new.end;
            }
            _ => ranges.push((own_old, own_new)),
        }
    }
    let hunk = |(old, own): (Range<usize>, Range<usize>)| Hunk {
        old: starts[old.start]..starts[old.end],
        new: new[own.clone()].concat(),
        lines: (old.len(), own.len()),
    };
    ranges.into_iter().map(hunk).collect()
}

/// Yields each number below `end` once, in an order that spreads every prefix over the whole range.
pub(crate) fn evenly(end: usize) -> impl Iterator<Item = usize> {
    let common = |mut one: usize, mut other: usize| {
        while other > 0 {
            (one, other) = (other, one % other);
        }
        one
    };
    // The golden ratio: each step falls into the widest gap.
    let near = (end as f64 * 0.618_034) as usize;
    let step = (near.max(1)..).find(|step| common(*step, end) <= 1);
    let step = step.unwrap_or(1);
    (0..end).map(move |index| index * step % end.max(1))
}

/// Returns at most `count` numbers below `end`, at equal distances.
pub(crate) fn spread(end: usize, count: usize) -> Vec<usize> {
    let count = count.min(end);
    (0..count)
        .map(|index| (2 * index + 1) * end / (2 * count))
        .collect()
}
