//! Lists the files of a path: the file itself, the files below a directory, or the matches of a glob.
//!
//! Files are listed in path order. For a directory or a glob, the list omits hidden files, links, and everything that
//! `treegraft.toml`, `.gitignore` and `.ignore` exclude, whether or not the directory is in a repository. A file or
//! directory that is itself named by the path is never omitted. Ignore files above the root are outside the workspace
//! and are not read.

use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobMatcher};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{DirEntry, FileError, FileKind, Listing, Workspace, WorkspacePath};

/// The maximum number of names that one walk examines.
const NAMES_LOOKED_AT: usize = 1_000_000;
/// The maximum size of an ignore file, in bytes.
const RULES_LIMIT: u64 = 1024 * 1024;
/// The names of ignore files. The first one takes precedence.
const RULE_FILES: [&str; 2] = [".ignore", ".gitignore"];

/// The files that a path refers to.
#[derive(Debug)]
pub enum Extent {
    /// One file.
    File(WorkspacePath),
    /// The files below a directory.
    Folder(WorkspacePath),
    /// The files below `folder` whose path relative to `folder` matches `glob`.
    Glob {
        /// The directory before the first wildcard.
        folder: WorkspacePath,
        /// The rest of the path.
        glob: GlobMatcher,
    },
}

/// Why a path refers to no files.
#[derive(Debug, thiserror::Error)]
pub enum NoExtent {
    /// The path does not resolve.
    #[error(transparent)]
    File(#[from] FileError),
    /// The path has wildcards but is not a valid glob.
    #[error("`{path}` does not exist and is not a valid glob: {problem}")]
    Glob {
        /// The path as given.
        path: String,
        /// The error.
        problem: String,
    },
}

/// A list of files, in path order.
#[derive(Debug, Default)]
pub struct FilesFound {
    /// The requested files.
    pub files: Vec<WorkspacePath>,
    /// The next file, if there are more.
    pub rest: Option<WorkspacePath>,
    /// Directories that could not be read.
    pub unread: Vec<Utf8PathBuf>,
    /// Whether there are more names than were examined.
    pub cut: bool,
}

impl FilesFound {
    /// Joins the lists of several extents, of at most `limit` files each, to one of at most `limit` different files.
    fn joined(lists: Vec<FilesFound>, limit: usize) -> FilesFound {
        let mut joined = FilesFound::default();
        for list in lists {
            joined.files.extend(list.files);
            joined.files.extend(list.rest);
            joined.unread.extend(list.unread);
            joined.cut |= list.cut;
        }
        let absolute = |file: &WorkspacePath| file.absolute().to_owned();
        joined.files.sort_by_cached_key(absolute);
        joined
            .files
            .dedup_by(|one, other| one.absolute() == other.absolute());
        // A file after the first one that a list left out may not be the next one.
        joined.rest = joined.files.drain(limit.min(joined.files.len())..).next();
        joined
    }

    /// Returns a note on the directories that could not be read.
    pub fn unread_text(&self) -> Option<String> {
        let first = self.unread.first()?;
        let count = self.unread.len();
        Some(format!(
            "{count} directories could not be read; the first is `{first}`"
        ))
    }
}

/// The rules that exclude files of a directory: the directory's own rules and those of its ancestors.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules {
    above: Option<Arc<IgnoreRules>>,
    /// The directory's own rules, in the order of [`RULE_FILES`].
    own: [Option<Gitignore>; 2],
}

impl Extent {
    /// Returns the directory of the files, or the single file.
    pub fn place(&self) -> &WorkspacePath {
        match self {
            Extent::File(place) | Extent::Folder(place) | Extent::Glob { folder: place, .. } => {
                place
            }
        }
    }

    /// Returns whether a file is in the extent. It need not exist.
    pub(crate) fn contains(&self, file: &WorkspacePath) -> bool {
        match self {
            Extent::File(own) => own.absolute() == file.absolute(),
            Extent::Folder(place) | Extent::Glob { folder: place, .. } => {
                file.absolute().starts_with(place.absolute()) && self.holds(file)
            }
        }
    }

    /// Returns the maximum number of subdirectory levels to search.
    fn depth(&self) -> usize {
        match self {
            Extent::Glob { glob, .. } if !glob.glob().glob().contains("**") => {
                glob.glob().glob().matches('/').count()
            }
            _ => usize::MAX,
        }
    }

    /// Returns whether a file below [`Extent::place`] matches the glob, if there is one.
    fn holds(&self, file: &WorkspacePath) -> bool {
        match self {
            Extent::Glob { folder, glob } => {
                let below = file.relative().strip_prefix(folder.relative());
                below.is_ok_and(|below| glob.is_match(below))
            }
            Extent::File(_) | Extent::Folder(_) => true,
        }
    }
}

impl Workspace {
    /// Returns the extent of `path`. If the path exists, it is taken literally, even if it has wildcards.
    ///
    /// # Errors
    /// The path does not resolve, resolves to a location outside the workspace, or is not a valid glob.
    pub fn extent(&self, path: &str) -> Result<Extent, NoExtent> {
        match self.resolve(path) {
            Ok(found) => match self.is_folder(&found)? {
                true => Ok(Extent::Folder(found)),
                false => Ok(Extent::File(found)),
            },
            Err(FileError::FileNotFound { .. }) if has_wildcard(path) => self.glob(path),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the absolute path of a file from its path in answers, even if the file no longer exists.
    pub fn absolute(&self, shown: &Utf8Path) -> Utf8PathBuf {
        self.roots.absolute(shown)
    }

    /// Returns the path in answers of an absolute path without links.
    pub fn shown(&self, absolute: &Utf8Path) -> Utf8PathBuf {
        self.roots.shown(absolute)
    }

    /// Lists at most `limit` files of extents in path order, each once, starting at the absolute path `from`. Examines at
    /// most a million names of each extent.
    pub fn files(&self, extents: &[Extent], from: Option<&Utf8Path>, limit: usize) -> FilesFound {
        if let [extent] = extents {
            return self.files_of(extent, from, limit);
        }
        let lists = extents
            .iter()
            .map(|extent| self.files_of(extent, from, limit));
        FilesFound::joined(lists.collect(), limit)
    }

    /// Lists the files of one extent.
    fn files_of(&self, extent: &Extent, from: Option<&Utf8Path>, limit: usize) -> FilesFound {
        let mut found = FilesFound::default();
        let top = match extent {
            Extent::File(file) => {
                let is_over = from.is_some_and(|from| file.absolute() < from);
                found.files.extend((!is_over).then(|| file.clone()));
                return found;
            }
            Extent::Folder(folder) | Extent::Glob { folder, .. } => folder,
        };
        let is_over =
            |path: &Utf8Path| from.is_some_and(|from| path < from && !from.starts_with(path));
        let mut left = NAMES_LOOKED_AT;
        let mut open = vec![(top.clone(), Some(IgnoreRules::above(self, top)), 0)];
        while let Some((place, rules, depth)) = open.pop() {
            let Some(rules) = rules else {
                if found.files.len() == limit {
                    found.rest = Some(place);
                    return found;
                }
                found.files.push(place);
                continue;
            };
            let Ok(listing) = self.list(&place, left) else {
                found.unread.push(place.display().to_owned());
                continue;
            };
            left -= listing.entries.len().min(left);
            found.cut |= listing.cut;
            let rules = IgnoreRules::within(self, rules, &place, &listing);
            for entry in listing.entries.iter().rev() {
                let inner = place.inside(&self.roots, &entry.name);
                let is_folder = entry.kind == FileKind::Directory;
                let is_wanted = match entry.kind {
                    FileKind::Directory => depth < extent.depth(),
                    FileKind::File => extent.holds(&inner),
                    _ => false,
                };
                if is_wanted && !is_over(inner.absolute()) && !rules.hide(&place, entry) {
                    open.push((inner, is_folder.then(|| rules.clone()), depth + 1));
                }
            }
        }
        found
    }

    fn is_folder(&self, path: &WorkspacePath) -> Result<bool, FileError> {
        if path.relative().as_str().is_empty() {
            return Ok(true);
        }
        let (folder, name) = path.open_folder()?;
        let metadata = folder.look(name).map_err(|failed| path.refused(failed))?;
        Ok(metadata.is_dir())
    }

    /// Splits a path into the directory before the first wildcard, and the rest as a glob.
    fn glob(&self, path: &str) -> Result<Extent, NoExtent> {
        let no_glob = |problem: String| NoExtent::Glob {
            path: path.to_string(),
            problem,
        };
        let mut folder = Utf8PathBuf::new();
        let mut rest: Vec<&str> = Vec::new();
        for component in Utf8Path::new(path).components() {
            let name = component.as_str();
            let is_real = || self.resolve(folder.join(name).as_str()).is_ok();
            match rest.is_empty() && (!has_wildcard(name) || is_real()) {
                true => folder.push(name),
                false if component == Utf8Component::ParentDir => {
                    return Err(no_glob("`..` cannot follow a wildcard".to_string()));
                }
                false => rest.push(name),
            }
        }
        let folder = match folder.as_str() {
            "" => self.resolve(".")?,
            folder => self.resolve(folder)?,
        };
        let glob = GlobBuilder::new(&rest.join("/"))
            .literal_separator(true)
            .build()
            .map_err(|error| no_glob(error.kind().to_string()))?;
        Ok(Extent::Glob {
            folder,
            glob: glob.compile_matcher(),
        })
    }
}

impl IgnoreRules {
    /// Returns the rules of the ancestors of `folder`, up to its root.
    pub(super) fn above(workspace: &Workspace, folder: &WorkspacePath) -> Arc<IgnoreRules> {
        let mut above: Vec<WorkspacePath> = Vec::new();
        for relative in folder.relative().ancestors().skip(1) {
            above.push(folder.in_root(&workspace.roots, relative));
        }
        let nothing = Arc::new(IgnoreRules::default());
        above.iter().rev().fold(nothing, |rules, folder| {
            IgnoreRules::added(workspace, rules, folder, |_| true)
        })
    }

    /// Returns the rules that apply in `folder`. `listing` contains its ignore files.
    pub(super) fn within(
        workspace: &Workspace,
        above: Arc<IgnoreRules>,
        folder: &WorkspacePath,
        listing: &Listing,
    ) -> Arc<IgnoreRules> {
        let is_there = |name: &str| {
            let found = listing
                .entries
                .binary_search_by(|entry| entry.name.as_str().cmp(name));
            found.is_ok_and(|index| listing.entries[index].kind == FileKind::File)
        };
        IgnoreRules::added(workspace, above, folder, is_there)
    }

    fn added(
        workspace: &Workspace,
        above: Arc<IgnoreRules>,
        folder: &WorkspacePath,
        is_there: impl Fn(&str) -> bool,
    ) -> Arc<IgnoreRules> {
        let read = |name: &str| {
            let path = is_there(name).then(|| folder.inside(&workspace.roots, name))?;
            // Like git, ignore rules that cannot be read.
            let bytes = workspace.read(&path, RULES_LIMIT).ok()?;
            Some(rules_of(folder, &String::from_utf8_lossy(&bytes)))
        };
        let own = RULE_FILES.map(read);
        match own.iter().all(Option::is_none) {
            true => above,
            false => Arc::new(IgnoreRules {
                above: Some(above),
                own,
            }),
        }
    }

    /// Returns whether a rule excludes an entry of `folder`.
    pub(super) fn leave_out(&self, folder: &WorkspacePath, entry: &DirEntry) -> bool {
        self.verdict(folder, entry) == Some(true)
    }

    /// Returns whether an entry is excluded by a rule, or is hidden and not included by a rule.
    fn hide(&self, folder: &WorkspacePath, entry: &DirEntry) -> bool {
        self.verdict(folder, entry)
            .unwrap_or_else(|| entry.name.starts_with('.'))
    }

    /// Returns whether a rule excludes an entry (`true`) or includes it (`false`). Returns `None` if no rule matches.
    fn verdict(&self, folder: &WorkspacePath, entry: &DirEntry) -> Option<bool> {
        let path = folder.absolute().join(&entry.name);
        let is_folder = entry.kind == FileKind::Directory;
        if folder.settings().leave_out(&path, is_folder) {
            return Some(true);
        }
        (0..RULE_FILES.len()).find_map(|file| {
            let mut all = std::iter::successors(Some(self), |rules| rules.above.as_deref());
            all.find_map(
                |rules| match rules.own[file].as_ref()?.matched(&path, is_folder) {
                    Match::None => None,
                    Match::Ignore(_) => Some(true),
                    Match::Whitelist(_) => Some(false),
                },
            )
        })
    }
}

/// Returns the rules of an ignore file in `folder`. Like git, ignores invalid lines.
fn rules_of(folder: &WorkspacePath, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder.absolute());
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Returns whether a path contains a wildcard character.
pub fn has_wildcard(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}
