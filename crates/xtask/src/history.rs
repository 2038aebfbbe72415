//! Reads the commits of a repository as revisions of single files, each with its hunks.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::git::{blob, git, has_grammar};
use crate::text::without_whitespace;

/// The maximum number of hunks from one change of a file.
const HUNKS_OF_CHANGE: usize = 3;
/// Hunks with at most this many lines between them are one place.
const NEAR: usize = 2;
/// How many places a change may have, and how many lines a place may have on each side.
pub(crate) const MOST_PLACES: usize = 60;
pub(crate) const MOST_LINES: usize = 60;

/// The history of one repository: all commits except merges, with the files that exist before and after the commit and
/// have a grammar.
pub(crate) struct History {
    repository: String,
    changes: Vec<Change>,
}

/// A file that a commit changed, and its blobs.
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

/// Hunks of a file that are close to each other.
pub(crate) struct Place {
    /// All of them at once, with the lines between them.
    pub(crate) hunk: Hunk,
    pub(crate) parts: Vec<Hunk>,
}

impl History {
    /// Reads the history of the repository at `path`.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub(crate) fn read(path: &str) -> Result<History, String> {
        let command = "log --no-merges --no-renames --diff-filter=M --raw --no-abbrev -z";
        let log = git(path, command, &["--format=commit %H", "HEAD"])?;
        Ok(History {
            repository: path.to_string(),
            changes: changes(&log),
        })
    }

    /// Passes revisions, spread evenly over the history, to `take` until they have `count` hunks.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub(crate) fn each_revision(
        &self,
        count: usize,
        mut take: impl FnMut(Revision),
    ) -> Result<(), String> {
        let mut left = count;
        for index in evenly(self.changes.len()) {
            if left == 0 {
                break;
            }
            if let Some(mut revision) = revision(&self.repository, &self.changes[index])? {
                let picked = spread(revision.hunks.len(), left.min(HUNKS_OF_CHANGE));
                let picked = picked
                    .into_iter()
                    .map(|index| revision.hunks[index].clone());
                revision.hunks = picked.collect();
                left -= revision.hunks.len();
                take(revision);
            }
        }
        Ok(())
    }

    /// Passes commits, spread evenly over the history, to `take` until it has accepted `count` of them. A commit with a
    /// file that cannot be read as text is left out.
    ///
    /// # Errors
    /// Returns an error if git fails, or the error of `take`.
    pub(crate) fn each_commit(
        &self,
        count: usize,
        mut take: impl FnMut(Commit) -> Result<bool, String>,
    ) -> Result<(), String> {
        let commits = self
            .changes
            .chunk_by(|one, other| one.commit == other.commit);
        let commits: Vec<&[Change]> = commits.collect();
        let mut left = count;
        for index in evenly(commits.len()) {
            if left == 0 {
                break;
            }
            let mut files = Vec::new();
            for change in commits[index] {
                files.extend(revision(&self.repository, change)?);
            }
            files.retain(|file| !file.hunks.is_empty());
            let is_whole = files.len() == commits[index].len();
            let id = commits[index][0].commit.clone();
            if is_whole && take(Commit { id, files })? {
                left -= 1;
            }
        }
        Ok(())
    }
}

impl Revision {
    /// Returns the text of the file after its commit.
    pub(crate) fn after(&self) -> String {
        let hunks = self.hunks.iter().rev();
        hunks.fold(self.before.clone(), |text, hunk| hunk.made(&text))
    }

    /// Returns the changed places.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for hunk in &self.hunks {
            let between = |last: &Place| &self.before[last.hunk.old.end..hunk.old.start];
            match places.last_mut() {
                Some(last) if between(last).matches('\n').count() <= NEAR => {
                    let between = between(last);
                    let count = between.matches('\n').count();
                    last.hunk.new.push_str(between);
                    last.hunk.new.push_str(&hunk.new);
                    last.hunk.old.end = hunk.old.end;
                    last.hunk.lines.0 += count + hunk.lines.0;
                    last.hunk.lines.1 += count + hunk.lines.1;
                    last.parts.push(hunk.clone());
                }
                _ => places.push(Place {
                    hunk: hunk.clone(),
                    parts: vec![hunk.clone()],
                }),
            }
        }
        places
    }

    /// Returns why the change cannot be made as a whole.
    pub(crate) fn left_out(&self) -> Option<&'static str> {
        let places = self.places();
        if places.len() > MOST_PLACES || places.iter().any(|place| place.hunk.is_large()) {
            return Some("more than 60 places, or more than 60 lines at one place");
        }
        changes_format(&self.before, &self.after()).then_some(FORMAT)
    }
}

/// Why a change of the format of a file is left out.
pub(crate) const FORMAT: &str = "the line endings, the final newline or the BOM change";

/// Returns whether two texts differ in what every edit keeps: the final newline, the byte order mark and the kind of
/// newlines.
pub(crate) fn changes_format(old: &str, new: &str) -> bool {
    let format = |text: &str| {
        let returns = text.contains("\r\n");
        (text.ends_with('\n'), text.starts_with('\u{feff}'), returns)
    };
    format(old) != format(new)
}

impl Hunk {
    /// Returns a text with the hunk made.
    pub(crate) fn made(&self, text: &str) -> String {
        let (before, after) = (&text[..self.old.start], &text[self.old.end..]);
        format!("{before}{}{after}", self.new)
    }

    /// Returns whether the hunk of a text changes only whitespace.
    pub(crate) fn is_blank(&self, text: &str) -> bool {
        without_whitespace(&text[self.old.clone()]) == without_whitespace(&self.new)
    }

    /// Returns the changed lines of a text one by one, if their number stays the same; else the hunk.
    pub(crate) fn by_line(&self, text: &str) -> Vec<Hunk> {
        if self.lines.0 != self.lines.1 {
            return vec![self.clone()];
        }
        let mut start = self.old.start;
        let old = text[self.old.clone()].split_inclusive('\n');
        let pairs = old.zip(self.new.split_inclusive('\n'));
        let lines = pairs.map(|(old, new)| {
            let range = start..start + old.len();
            start = range.end;
            let hunk = Hunk {
                old: range,
                new: new.to_string(),
                lines: (1, 1),
            };
            (hunk, old != new)
        });
        let changed = lines.filter(|(_, is_changed)| *is_changed);
        changed.map(|(hunk, _)| hunk).collect()
    }

    pub(crate) fn is_large(&self) -> bool {
        self.lines.0.max(self.lines.1) > MOST_LINES
    }
}

/// Reads a change, or returns `None` if a text cannot be read.
fn revision(repository: &str, change: &Change) -> Result<Option<Revision>, String> {
    let [before, after] = [&change.before, &change.after].map(|id| blob(repository, id));
    let texts = (before?, after?);
    let (Some(before), Some(after)) = texts else {
        return Ok(None);
    };
    Ok(Some(Revision {
        commit: change.commit.clone(),
        path: change.path.clone(),
        hunks: hunks(&before, &after),
        before,
    }))
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
        if has_grammar(path) && mode.starts_with("100") {
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
