//! Suggests existing paths that are similar to a missing one.

use std::collections::{HashSet, VecDeque};

use camino::{Utf8Path, Utf8PathBuf};

use super::files::IgnoreRules;
use super::path::Arrival;
use super::read::FileKind;
use super::{Workspace, WorkspacePath};

/// Names with a lower similarity share only an extension.
const SIMILAR: f64 = 0.6;

impl Workspace {
    /// Returns at most three existing paths that are similar to `path`, the nearest first.
    ///
    /// Examines at most 1,000 siblings of the first missing name. Returns nothing for a path outside the workspace.
    pub fn nearest(&self, path: &str) -> Vec<Utf8PathBuf> {
        const LOOKED_AT: usize = 1_000;
        const NAMED: usize = 3;

        let Ok(Arrival::Missing { folder, name, rest }) = self.walk(path) else {
            return Vec::new();
        };
        let Ok(listing) = self.list(&folder, LOOKED_AT) else {
            return Vec::new();
        };
        let near = listing.entries.into_iter().filter_map(|entry| {
            let similarity = strsim::normalized_damerau_levenshtein(&entry.name, &name);
            (similarity >= SIMILAR).then_some((similarity, entry.name))
        });
        // The rest of the path may exist below the similar name. If not, suggest the name itself.
        let existing = nearest_first(near.collect()).filter_map(|name| {
            let found = folder.absolute().join(&name);
            let mut whole = found.clone();
            whole.extend(&rest);
            [whole, found]
                .into_iter()
                .find(|path| self.resolve(path.as_str()).is_ok())
        });
        let named = existing.take(NAMED);
        named.map(|path| self.roots.shown(&path)).collect()
    }

    /// Returns the files of the workspace whose name equals that of `path` or is similar, in any directory. The most
    /// similar files are first, by the names of the files and of their directories.
    ///
    /// Examines at most 10,000 names, first below the last existing directory of the path. Ignores files that
    /// `.gitignore` and `.ignore` exclude. Returns nothing for a path outside the workspace.
    pub fn namesakes(&self, path: &str) -> Vec<Utf8PathBuf> {
        const LOOKED_AT: usize = 10_000;
        const NAMED: usize = 32;

        let Ok(Arrival::Missing { folder, name, rest }) = self.walk(path) else {
            return Vec::new();
        };
        let mut missing = folder.relative().join(&name);
        missing.extend(&rest);
        let wanted = missing.file_name().unwrap_or_default();
        let wanted_folder = missing.parent().unwrap_or(Utf8Path::new(""));
        let mut left = LOOKED_AT;
        let mut looked_in: HashSet<Utf8PathBuf> = HashSet::new();
        let mut near: Vec<(f64, Utf8PathBuf)> = Vec::new();
        let home = self.resolve(self.roots.home().canonical.as_str()).ok();
        for top in [Some(folder), home] {
            let with_rules = |top: WorkspacePath| (IgnoreRules::above(self, &top), top);
            let mut open = VecDeque::from_iter(top.map(with_rules));
            while let Some((rules, folder)) = open.pop_front() {
                if left == 0 || !looked_in.insert(folder.absolute().to_owned()) {
                    continue;
                }
                let Ok(listing) = self.list(&folder, left) else {
                    continue;
                };
                left = left.saturating_sub(listing.entries.len());
                let rules = IgnoreRules::within(self, rules, &folder, &listing);
                for entry in &listing.entries {
                    if rules.leave_out(&folder, entry) {
                        continue;
                    }
                    if entry.kind == FileKind::Directory {
                        let inner = folder.inside(&self.roots, &entry.name);
                        open.push_back((rules.clone(), inner));
                    } else if let Some(similarity) = likeness_of_names(&entry.name, wanted) {
                        let folders = strsim::normalized_damerau_levenshtein(
                            folder.relative().as_str(),
                            wanted_folder.as_str(),
                        );
                        near.push((similarity + folders, folder.absolute().join(&entry.name)));
                    }
                }
            }
        }
        let paths = nearest_first(near).map(|path| self.roots.shown(&path));
        paths.take(NAMED).collect()
    }
}

/// Returns what has these similarities, the most similar first.
fn nearest_first<T: Ord>(mut near: Vec<(f64, T)>) -> impl Iterator<Item = T> {
    near.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.cmp(other)));
    near.into_iter().map(|(_, one)| one)
}

/// Returns the similarity of two file names, from 0 to 1, as the higher of the values with and without the extension.
/// Returns `None` if they share only the extension.
fn likeness_of_names(one: &str, other: &str) -> Option<f64> {
    const SAME_STEM: f64 = 0.8;

    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    let whole = match (short as f64) < long as f64 * SIMILAR {
        true => 0.0,
        false => strsim::normalized_damerau_levenshtein(one, other),
    };
    // Among several extensions, prefer the one nearest to the wanted one.
    let likeness = match Utf8Path::new(one).file_stem() == Utf8Path::new(other).file_stem() {
        true => SAME_STEM + (1.0 - SAME_STEM) * whole,
        false => whole,
    };
    (likeness >= SIMILAR).then_some(likeness)
}
