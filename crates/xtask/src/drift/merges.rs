//! Reads the merges of a repository as triples: a file at the merge base, on both sides, and in the merge.

use crate::git::{blob, git, has_grammar};
use crate::history::{evenly, spread};

/// The maximum number of files from one merge.
const FILES_OF_MERGE: usize = 3;

/// The merges of one repository.
pub(super) struct Merges {
    repository: String,
    merged: Vec<MergedFile>,
}

/// A file that both sides of a merge changed.
struct MergedFile {
    commit: String,
    parents: [String; 2],
    path: String,
    /// The blobs of the first parent, of the second parent, and of the merge.
    ids: [String; 3],
}

/// A file that two sides changed, and what a merge made of it.
pub(super) struct Triple {
    pub(super) commit: String,
    pub(super) path: String,
    pub(super) base: String,
    /// The text of the second parent: the branch that was merged.
    pub(super) left: String,
    /// The text of the first parent, which moved on in the meantime.
    pub(super) right: String,
    pub(super) expected: String,
}

impl Merges {
    /// Reads the merges of the repository at `path`.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub(super) fn read(path: &str) -> Result<Merges, String> {
        let command = "log --min-parents=2 --max-parents=2 -c --raw --no-renames --no-abbrev -z";
        let log = git(path, command, &["--format=commit %H %P", "HEAD"])?;
        Ok(Merges {
            repository: path.to_string(),
            merged: merged(&log),
        })
    }

    /// Passes triples, spread evenly over the history, to `take` until it has accepted `count` of them.
    ///
    /// # Errors
    /// Returns an error if git fails, or the error of `take`.
    pub(super) fn each_triple(
        &self,
        count: usize,
        mut take: impl FnMut(Result<Triple, &'static str>) -> Result<bool, String>,
    ) -> Result<(), String> {
        let merges = self
            .merged
            .chunk_by(|one, other| one.commit == other.commit);
        let merges: Vec<&[MergedFile]> = merges.collect();
        let mut left = count;
        for index in evenly(merges.len()) {
            let files = merges[index];
            for picked in spread(files.len(), FILES_OF_MERGE) {
                if left == 0 {
                    return Ok(());
                }
                let triple = triple(&self.repository, &files[picked])?;
                left -= usize::from(take(triple)?);
            }
        }
        Ok(())
    }
}

/// Reads the texts of a merged file.
fn triple(repository: &str, file: &MergedFile) -> Result<Result<Triple, &'static str>, String> {
    let [first, second] = &file.parents;
    // git fails where the parents have no common commit.
    let bases = git(repository, "merge-base --all", &[first, second]).unwrap_or_default();
    let mut bases = bases.lines();
    let (Some(base), None) = (bases.next(), bases.next()) else {
        return Ok(Err("the merge has no merge base, or several"));
    };
    let Some(base) = blob(repository, &format!("{base}:{}", file.path))? else {
        return Ok(Err("the file does not exist at the merge base"));
    };
    let mut texts = Vec::new();
    for id in &file.ids {
        texts.extend(blob(repository, id)?);
    }
    let Ok([right, left, expected]) = <[String; 3]>::try_from(texts) else {
        return Ok(Err("a text is larger than 200 KB, or is not UTF-8"));
    };
    if base == left || base == right || left == right {
        return Ok(Err(
            "only one side changed the file, and the merge changed more",
        ));
    }
    Ok(Ok(Triple {
        commit: file.commit.clone(),
        path: file.path.clone(),
        base,
        left,
        right,
        expected,
    }))
}

/// Parses `git log -c --raw -z`, oldest first.
fn merged(log: &str) -> Vec<MergedFile> {
    let mut merged = Vec::new();
    let mut merge: Option<(&str, [&str; 2])> = None;
    // `::100644 100644 100644 <first parent> <second parent> <merge> MM`, then the path.
    let mut fields = log.split('\0').filter(|field| !field.trim().is_empty());
    while let Some(field) = fields.next() {
        let words: Vec<&str> = field.split_whitespace().collect();
        match words[..] {
            ["commit", commit, first, second] => merge = Some((commit, [first, second])),
            [one, other, mode, first, second, result, "MM"] => {
                let modes = [one.trim_start_matches(':'), other, mode];
                let is_file = modes.iter().all(|mode| mode.starts_with("100"));
                let path = fields.next().filter(|path| has_grammar(path));
                let (Some((commit, parents)), Some(path), true) = (merge, path, is_file) else {
                    continue;
                };
                merged.push(MergedFile {
                    commit: commit.to_string(),
                    parents: parents.map(str::to_string),
                    path: path.to_string(),
                    ids: [first, second, result].map(str::to_string),
                });
            }
            // Another kind of change, whose path follows.
            [one, ..] if one.starts_with("::") => {
                fields.next();
            }
            _ => {}
        }
    }
    merged.reverse();
    merged
}
