//! Summarizes the files of a path by directory, in as much detail as the answer has room for.
//!
//! The summary starts with the common directory of all files. The entry with the most symbols is replaced by its parts
//! until these no longer fit: a directory by its subdirectories and the files directly in it, these by each file that
//! has symbols. Entries take up half of the room, names of symbols the rest; only the parts of the common directory may
//! take up all of it, because its own path is no next step. Each symbol belongs to exactly one entry.

use std::cmp::Reverse;

use camino::{Utf8Path, Utf8PathBuf};

use super::response::PathSummary;

/// A file to summarize.
pub(super) struct FileSummary<'a> {
    /// The absolute path.
    pub(super) path: &'a Utf8Path,
    pub(super) symbols: usize,
    /// The names of the top-level symbols with their importance.
    pub(super) names: Vec<(f64, &'a str)>,
}

/// The maximum size of a summary.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// The number of entries and names.
    pub(super) items: usize,
    /// The length as text.
    pub(super) bytes: usize,
}

/// The maximum length of a name in a summary, in bytes.
const NAME_BYTES: usize = 60;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All files below a directory.
    Directory,
    /// The files directly in a directory.
    Direct,
    File,
}

/// An entry while the summary is made.
struct Entry {
    extent: Extent,
    path: Utf8PathBuf,
    /// The indexes of its files.
    files: Vec<usize>,
    symbols: usize,
}

impl Entry {
    fn new(extent: Extent, path: &Utf8Path, files: Vec<usize>, all: &[FileSummary<'_>]) -> Entry {
        Entry {
            extent,
            path: path.to_owned(),
            symbols: files.iter().map(|file| all[*file].symbols).sum(),
            files,
        }
    }

    /// Returns all files below their common directory.
    fn below(files: Vec<usize>, all: &[FileSummary<'_>]) -> Entry {
        let mut common = files
            .first()
            .and_then(|file| all[*file].path.parent())
            .unwrap_or(Utf8Path::new(""));
        for file in &files {
            while !all[*file].path.starts_with(common) {
                common = common.parent().unwrap_or(Utf8Path::new(""));
            }
        }
        match files[..] {
            [only] => Entry::new(Extent::File, all[only].path, files, all),
            _ => Entry::new(Extent::Directory, common, files, all),
        }
    }

    /// Returns the entries that together replace this one; none if it cannot be replaced.
    fn parts(&self, all: &[FileSummary<'_>]) -> Vec<Entry> {
        let with_symbols = |files: &[usize]| {
            let files = files.iter().filter(|file| all[**file].symbols > 0);
            files
                .map(|file| Entry::new(Extent::File, all[*file].path, vec![*file], all))
                .collect()
        };
        if self.extent != Extent::Directory {
            return match self.extent {
                Extent::File => Vec::new(),
                _ => with_symbols(&self.files),
            };
        }
        let is_direct = |file: &usize| all[*file].path.parent() == Some(&self.path);
        let (direct, others): (Vec<usize>, Vec<usize>) =
            self.files.iter().partition(|file| is_direct(file));
        if others.is_empty() {
            return with_symbols(&direct);
        }
        let mut parts = Vec::new();
        match direct.len() {
            0 => {}
            1 => parts.push(Entry::below(direct, all)),
            _ => parts.push(Entry::new(Extent::Direct, &self.path, direct, all)),
        }
        // The files are in path order.
        let depth = self.path.components().count();
        let below = |file: &usize| all[*file].path.components().nth(depth);
        let groups = others.chunk_by(|one, other| below(one) == below(other));
        parts.extend(groups.map(|files| Entry::below(files.to_vec(), all)));
        parts
    }

    fn summary(&self, shown: ShownPath<'_>) -> PathSummary {
        let path = shown(&self.path);
        let path = match self.extent {
            Extent::File => path.into_string(),
            Extent::Direct if path == "." => "*".to_string(),
            Extent::Direct => path.join("*").into_string(),
            Extent::Directory if path == "." => path.into_string(),
            Extent::Directory => format!("{path}/"),
        };
        PathSummary {
            path,
            files: self.files.len(),
            symbols: self.symbols,
            names: Vec::new(),
        }
    }

    /// Returns the names of its symbols, the most important first.
    fn names<'a>(&self, all: &[FileSummary<'a>]) -> Vec<&'a str> {
        let names = self.files.iter().flat_map(|file| &all[*file].names);
        let mut names: Vec<&(f64, &str)> = names
            .filter(|(_, name)| name.len() <= NAME_BYTES && !name.contains('\n'))
            .collect();
        names.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let mut known = std::collections::HashSet::new();
        let names = names.into_iter().map(|(_, name)| *name);
        names.filter(|name| known.insert(*name)).collect()
    }
}

/// Returns the path in answers of an absolute path.
type ShownPath<'s> = &'s dyn Fn(&Utf8Path) -> Utf8PathBuf;

/// Summarizes files, which are in path order. The summary is longer than the room only if one entry without names is.
pub(super) fn summarized(
    all: &[FileSummary<'_>],
    shown: ShownPath<'_>,
    room: Room,
) -> Vec<PathSummary> {
    if all.is_empty() {
        return Vec::new();
    }
    let whole = Entry::below((0..all.len()).collect(), all);
    let length = |entry: &Entry| entry.summary(shown).line().len();
    let mut used = Room {
        items: 1,
        bytes: length(&whole),
    };
    // The entries that cannot be replaced, and the others.
    let mut done: Vec<Entry> = Vec::new();
    let mut open = vec![whole];
    while let Some((place, _)) = open
        .iter()
        .enumerate()
        .max_by_key(|(place, entry)| (entry.symbols, Reverse(*place)))
    {
        let entry = open.swap_remove(place);
        let parts = entry.parts(all);
        let after = Room {
            items: used.items + parts.len() - 1.min(parts.len()),
            bytes: used.bytes - length(&entry) + parts.iter().map(length).sum::<usize>(),
        };
        let share = if used.items == 1 { 1 } else { 2 };
        let fits =
            after.items <= room.items.div_ceil(share) && after.bytes <= room.bytes.div_ceil(share);
        match !parts.is_empty() && fits {
            true => {
                used = after;
                open.extend(parts);
            }
            false => done.push(entry),
        }
    }
    done.sort_by(|one, other| one.files.cmp(&other.files));
    let summaries = done.iter().map(|entry| entry.summary(shown)).collect();
    let names: Vec<Vec<&str>> = done.iter().map(|entry| entry.names(all)).collect();
    with_names(summaries, &names, used, room)
}

/// Adds names to the entries in turn, one to each, while there is room.
fn with_names(
    mut summaries: Vec<PathSummary>,
    names: &[Vec<&str>],
    mut used: Room,
    room: Room,
) -> Vec<PathSummary> {
    let most = names.iter().map(Vec::len).max().unwrap_or_default();
    for turn in 0..most {
        for (summary, names) in summaries.iter_mut().zip(names) {
            let Some(name) = names.get(turn).filter(|_| summary.names.len() == turn) else {
                continue;
            };
            let before = summary.line().len();
            summary.names.push(name.to_string());
            let bytes = used.bytes + summary.line().len() - before;
            match used.items < room.items && bytes <= room.bytes {
                true => {
                    used.items += 1;
                    used.bytes = bytes;
                }
                false => {
                    summary.names.pop();
                }
            }
        }
        if used.items == room.items {
            break;
        }
    }
    summaries
}
