//! The only module that accesses the disk: resolves paths, reads files, and replaces, creates and removes them as a whole.
//!
//! Refuses paths that resolve outside the roots, files that are not regular, and writes to a file whose bytes differ
//! from those that the caller has seen. The checks hold at the moment of use: files are opened from the roots as
//! capabilities, without following links.
//!
//! A replacement keeps the mode, the owner, the extended attributes, and links to the file. Files with several hard links
//! are refused, because a replacement would break these.

#![expect(
    clippy::disallowed_methods,
    reason = "only this module accesses the disk; the lint sends all other code here"
)]

mod approval;
mod disk;
mod files;
mod lock;
mod path;
mod settings;
mod state;
mod temporary;
mod whole_files;

#[cfg(feature = "servers")]
use std::collections::BTreeMap;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use camino::{Utf8Path, Utf8PathBuf};
use cap_std::fs::{FileType, Metadata};

use crate::language::{self, Language, LoadError};
use crate::parallel;
use crate::source::{Digest, NotText, Source};
use approval::Approval;
use disk::{Folder, IoFailure, OpenFile};
use files::IgnoreRules;
use lock::{FileLock, NotLocked};
use path::{Arrival, Root, Roots, is_git_directory, is_inside, walk, without_prefix};
use temporary::{Temporary, is_temporary};

pub use approval::{ApprovalRequired, Caller, WritePermit};
#[cfg(test)]
pub(crate) use disk::steps;
pub use disk::{Readers, Step};
pub use files::{Extent, FilesFound, NoExtent, has_wildcard};
pub(crate) use lock::sweep as sweep_locks;
pub use path::WorkspacePath;
pub(crate) use path::refuse_control_characters;
pub use settings::{
    ConfigurationError, ConfigurationProblem, FILE_LIMIT, FILES_LOOKED_AT, Guard, ITEMS_LIMIT,
    Settings, ToolGroup, user_configuration_path, user_guard,
};
#[cfg(feature = "servers")]
pub(crate) use settings::{approval as approval_setting, guard as guard_setting, read_toml};
pub(crate) use state::{HeldFile, WorkspaceFile};
pub use state::{SET_ASIDE, StateDirectory, StateError, StateFile};
pub(crate) use temporary::Durable;
pub use temporary::{NotATemporaryName, TemporaryName};
pub use whole_files::FileAttributes;

/// The directories that a caller may use, and the user's state directory.
#[derive(Debug)]
pub struct Workspace {
    roots: Roots,
    state: StateDirectory,
    approval: Approval,
}

/// The lock of one file, required to replace it. Other writers wait until it is dropped.
#[derive(Debug)]
pub struct LockedFile {
    path: WorkspacePath,
    /// What was there when it was read under the lock.
    read: Option<Seen>,
    _lock: FileLock,
}

/// What was at a path.
#[derive(Debug)]
enum Seen {
    /// A file in this state, with this text.
    Text(Box<FileSnapshot>, Source),
    /// Nothing.
    Nothing,
}

/// The state of a file just before its bytes were read.
#[derive(Clone, Debug)]
struct FileSnapshot {
    metadata: Metadata,
    at: SystemTime,
}

/// The complete new bytes of a file, in a temporary file next to it. The temporary file is removed on drop.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    path: &'a WorkspacePath,
    temporary: Temporary,
    change: PreparedChange,
    /// The extended attributes of the old file that the new one cannot have.
    lost: Vec<String>,
}

/// A prepared change whose bytes may not be on the disk yet.
#[derive(Debug)]
pub(crate) struct Unsynced<'a>(Prepared<'a>);

/// A change that was made, but whose new name may not be on the disk yet.
#[derive(Debug)]
pub(crate) struct Made<'a> {
    path: &'a WorkspacePath,
    temporary: Temporary,
    /// Whether the temporary file is the marker of a removal.
    has_marker: bool,
    lost: Vec<String>,
}

/// What the user should know about a file that was written.
#[derive(Debug)]
pub enum WriteWarning {
    /// The new bytes may not survive a power failure.
    NotSynced(FileError),
    /// The system does not let this user give the new file these extended attributes of the old one.
    AttributesLost {
        /// The file.
        path: Utf8PathBuf,
        /// The names of the attributes.
        names: Vec<String>,
    },
}

/// The change that a temporary file is prepared for. `seen` is the state of the file that is to be replaced or removed.
#[derive(Debug)]
enum PreparedChange {
    Replace {
        seen: FileSnapshot,
        expected: Digest,
    },
    /// The name must be free.
    Create,
    Remove {
        seen: FileSnapshot,
        expected: Digest,
    },
}

/// The content of a directory, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries that can be resolved, sorted by name.
    pub entries: Vec<DirEntry>,
    /// Whether the directory contains more entries than were examined.
    pub cut: bool,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirEntry {
    /// The name, without the directory.
    pub name: String,
    /// The kind of the entry. Links are not followed.
    pub kind: FileKind,
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link. In a refusal, a chain of too many links.
    Link,
    /// A named pipe.
    Fifo,
    /// A block or character device.
    Device,
    /// A socket.
    Socket,
    /// Any other kind.
    Other,
}

/// Why a workspace cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// No root was given.
    #[error("a workspace needs at least one root")]
    NoRoot,
    /// A root does not exist, is not a directory, or cannot be opened.
    #[error("cannot open the root `{path}`: {source}")]
    Root {
        /// The root as given.
        path: Utf8PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The real path of a root is not UTF-8.
    #[error("the real path of the root `{path}` is not UTF-8")]
    NotUtf8 {
        /// The root as given.
        path: Utf8PathBuf,
    },
}

/// Why a file cannot be found, read or replaced. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The path contains a control character, which cannot be shown in answers.
    #[error("the path {path:?} contains the control character {character:?}")]
    ControlCharacter {
        /// The path as given, or the target of a link on it.
        path: Utf8PathBuf,
        /// The first control character.
        character: char,
    },
    /// The file does not exist.
    #[error("`{missing}` does not exist")]
    FileNotFound {
        /// The path as given.
        path: Utf8PathBuf,
        /// The shortest prefix of the path that does not exist, with links resolved.
        missing: Utf8PathBuf,
    },
    /// The path is not a regular file.
    #[error("`{path}` is {kind}, not a file")]
    NotAFile {
        /// The path.
        path: Utf8PathBuf,
        /// The kind of the file.
        kind: FileKind,
    },
    /// A new file has the path of an existing one.
    #[error("`{path}` already exists")]
    Exists {
        /// The path.
        path: Utf8PathBuf,
    },
    /// The path of a new file leads into another file.
    #[error("`{path}` would be inside a file, which is not a directory")]
    InFile {
        /// The path as given.
        path: Utf8PathBuf,
    },
    /// The path of a new file is too long, or a name in it.
    #[error("`{path}` is too long: {bytes} bytes exceed the limit of {limit}")]
    NameTooLong {
        /// The path as given.
        path: Utf8PathBuf,
        /// The length in bytes of the path, or of the name.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The caller may not read or write the file.
    #[error("`{path}` {why}")]
    OutsideWorkspace {
        /// The path as given.
        path: Utf8PathBuf,
        /// Why the path counts as outside.
        why: Outside,
    },
    /// The file is larger than the limit.
    #[error("`{path}` has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// The path.
        path: Utf8PathBuf,
        /// The size in bytes. A lower bound if the file was growing.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file has other hard links, which would keep the old bytes.
    #[error("`{path}` has {links} hard links, which replacing the file would break")]
    HardLinked {
        /// The path.
        path: Utf8PathBuf,
        /// The number of hard links to the file.
        links: u64,
    },
    /// The file may not be read or written.
    #[error("`{path}`: {why}")]
    PermissionDenied {
        /// The path.
        path: Utf8PathBuf,
        /// The reason.
        why: Denied,
    },
    /// A person has to approve each edit of the caller.
    #[error("{why}")]
    ApprovalRequired {
        /// The reason.
        why: ApprovalRequired,
    },
    /// Another writer holds the lock of the file.
    #[error("another process is writing `{path}`; waited {} s", waited.as_secs())]
    Locked {
        /// The path.
        path: Utf8PathBuf,
        /// How long the call waited.
        waited: Duration,
    },
    /// The bytes of the file differ from those that the caller has seen.
    #[error("`{path}` has changed")]
    Changed {
        /// The path.
        path: Utf8PathBuf,
        /// The digest of the current bytes.
        found: Digest,
    },
    /// The journal cannot be written, or an interrupted change in it cannot be completed or reverted.
    #[error("cannot record the change of `{path}` in the journal: {source}")]
    NoJournal {
        /// The path.
        path: Utf8PathBuf,
        /// The error of the state directory.
        source: StateError,
    },
    /// A change of several files cannot be reverted: the old text is no longer kept.
    #[error("the previous content of `{path}` is no longer available")]
    NoWayBack {
        /// The path.
        path: Utf8PathBuf,
    },
    /// The file was not read under a lock, so another process may be writing it.
    #[error("`{path}` was not read under its lock")]
    NotLocked {
        /// The path.
        path: Utf8PathBuf,
    },
    /// The lock of the file cannot be used.
    #[error("cannot lock `{path}`: {source}")]
    NoLock {
        /// The path.
        path: Utf8PathBuf,
        /// The error of the state directory.
        source: StateError,
    },
    /// The system returned another error.
    #[error("cannot {step} `{path}`: {source}")]
    Io {
        /// The path.
        path: Utf8PathBuf,
        /// The step that failed.
        step: Step,
        /// The system's error.
        source: std::io::Error,
    },
}

/// Why a file cannot be read as text.
#[derive(Debug, thiserror::Error)]
pub enum NotRead {
    /// The file is not found or cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The bytes of the file are not text.
    #[error("`{path}`: {error}")]
    NotText {
        /// The path.
        path: Utf8PathBuf,
        /// The reason.
        error: NotText,
    },
    /// The grammar of the file's language cannot be used.
    #[error("`{path}`: {error}")]
    NoGrammar {
        /// The path.
        path: Utf8PathBuf,
        /// The name of the language.
        language: &'static str,
        /// The reason.
        error: LoadError,
    },
}

/// Why a path is outside the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The path resolves to a location outside all roots.
    Roots,
    /// The path is in a `.git` directory.
    GitInternals,
    /// The path is in the state directory.
    StateDirectory,
    /// A link has appeared since the path was resolved.
    LinkAppeared,
    /// The name is that of a temporary file.
    TemporaryName,
}

/// Why a file may not be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The file is read-only for all users, according to its mode.
    ReadOnly,
    /// The system does not allow the new file to have the owner of the old one.
    Owner,
    /// The system denies access to this user.
    System,
}

/// How long a writer waits for each lock. A write takes milliseconds, even of many files, and the caller is waiting for
/// the answer.
const PATIENCE: Duration = Duration::from_secs(5);

impl Workspace {
    /// Opens the roots for a person. Relative paths start from the first root.
    pub fn open(roots: &[Utf8PathBuf], state: StateDirectory) -> Result<Workspace, WorkspaceError> {
        Workspace::open_for(Caller::Person, roots, state)
    }

    /// Opens the roots for a caller. Relative paths start from the first root.
    pub fn open_for(
        caller: Caller,
        roots: &[Utf8PathBuf],
        state: StateDirectory,
    ) -> Result<Workspace, WorkspaceError> {
        let mut opened: Vec<Arc<Root>> = Vec::new();
        for path in roots {
            let root = open_root(path, None)?;
            if !opened.iter().any(|seen| seen.canonical == root.canonical) {
                opened.push(Arc::new(root));
            }
        }
        let folders = opened.iter().map(|root| root.canonical.clone()).collect();
        let first = opened.first().ok_or(WorkspaceError::NoRoot)?;
        let state = state.of_workspace(&first.canonical);
        let roots = Roots::new(opened).ok_or(WorkspaceError::NoRoot)?;
        Ok(Workspace {
            roots,
            state,
            approval: Approval { caller, folders },
        })
    }

    /// Returns the workspace with `folder` as the base of relative paths in requests and answers. Has no effect if the
    /// folder is outside the roots or does not exist.
    pub fn relative_to(self, folder: &Utf8Path) -> Workspace {
        let canonical = folder.canonicalize_utf8().ok();
        Workspace {
            roots: match canonical {
                Some(base) => self.roots.relative_to(without_prefix(base)),
                None => self.roots,
            },
            ..self
        }
    }

    /// Returns the intersection of these folders and the roots, with the settings of the roots. Settings of the folders
    /// are ignored. Returns `None` if the intersection is empty or cannot be opened.
    pub fn narrowed(&self, folders: &[Utf8PathBuf]) -> Option<Workspace> {
        let unsaid = Arc::<Settings>::default();
        let opened = |folder: &Utf8PathBuf| open_root(folder, Some(unsaid.clone())).ok();
        let folders: Vec<Root> = folders.iter().filter_map(opened).collect();
        let folders = || folders.iter().map(|folder| folder.canonical.as_path());
        let mut roots: Vec<Arc<Root>> = Vec::new();
        for root in self.roots.iter() {
            let own = root.canonical.as_path();
            let whole = folders().any(|folder| own.starts_with(folder));
            let inside = folders().filter(|folder| folder.starts_with(own));
            for kept in whole.then_some(own).into_iter().chain(inside) {
                if !roots.iter().any(|known| kept.starts_with(&known.canonical)) {
                    let narrowed = open_root(kept, Some(root.settings.clone())).ok()?;
                    roots.push(Arc::new(narrowed));
                }
            }
        }
        let state = self.state.opened_again().ok()?;
        Some(Workspace {
            roots: Roots::new(roots)?,
            state,
            approval: self.approval.clone(),
        })
    }

    /// Returns the nearest directory that contains a `treegraft.toml` or a `.git`: `start` or one of its ancestors.
    /// Returns `start` if there is none. The result is absolute if possible.
    pub fn discover(start: &Utf8Path) -> Utf8PathBuf {
        let start = camino::absolute_utf8(start).unwrap_or_else(|_| start.to_owned());
        let marked = |folder: &&Utf8Path| Workspace::mark_of(folder).is_some();
        start.ancestors().find(marked).unwrap_or(&start).to_owned()
    }

    /// Returns the name of the file that marks a directory as the root of a workspace, if there is one.
    pub fn mark_of(folder: &Utf8Path) -> Option<&'static str> {
        let has = |name: &&str| folder.join(name).symlink_metadata().is_ok();
        [settings::NAME, ".git"].into_iter().find(|name| has(name))
    }

    /// Returns the nearest existing ancestor of `path`, without `path` itself.
    pub fn nearest_folder(path: &Utf8Path) -> Utf8PathBuf {
        let mut above = path.ancestors().skip(1);
        let nearest = above.find(|folder| folder.metadata().is_ok_and(|there| there.is_dir()));
        nearest.unwrap_or(Utf8Path::new("/")).to_owned()
    }

    /// Returns the absolute paths of the roots, with links resolved.
    pub fn roots(&self) -> impl Iterator<Item = &Utf8Path> {
        self.roots.iter().map(|root| root.canonical.as_path())
    }

    /// Returns the language of a file if its path determines the language. `path` is absolute or in the form used in
    /// answers.
    pub fn language_of(&self, path: &Utf8Path) -> Option<&'static Language> {
        self.configured_language(path)
            .or_else(|| language::of_path(path.as_str()))
    }

    /// Returns the language of a file according to the `treegraft.toml` of its root. `path` is absolute or in the form
    /// used in answers.
    pub fn configured_language(&self, path: &Utf8Path) -> Option<&'static Language> {
        let is_in = |root: &&Arc<Root>| path.starts_with(&root.canonical);
        let around = self.roots.iter().filter(is_in);
        let innermost = around.max_by_key(|root| root.canonical.as_str().len());
        let root = innermost.map_or(self.roots.home(), |root| root);
        root.settings.language_of(path)
    }

    /// Returns the maximum number of files that one outline or search examines.
    pub fn files_looked_at(&self) -> usize {
        let all = self.roots.iter().map(|root| root.settings.files());
        all.min().unwrap_or(FILES_LOOKED_AT)
    }

    /// Returns the maximum number of symbols or matches in one answer.
    pub fn items_limit(&self) -> usize {
        let all = self.roots.iter().map(|root| root.settings.items());
        all.min().unwrap_or(ITEMS_LIMIT)
    }

    /// Returns the groups of tools that the settings of the roots choose: those of every root together. `None` if no root
    /// chooses any.
    pub fn tool_groups(&self) -> Option<Vec<ToolGroup>> {
        let all = self.roots.iter().filter_map(|root| root.settings.tools());
        let chosen: Vec<ToolGroup> = all.flatten().copied().collect();
        let groups = ToolGroup::ALL.iter().copied();
        let groups: Vec<ToolGroup> = groups.filter(|group| chosen.contains(group)).collect();
        (!groups.is_empty()).then_some(groups)
    }

    /// Returns the programs that the settings choose among those of the built-in language servers, by the name of a
    /// language. The first root that chooses one counts.
    #[cfg(feature = "servers")]
    pub(crate) fn chosen_servers(&self) -> BTreeMap<String, String> {
        let mut chosen = BTreeMap::new();
        for root in self.roots.iter() {
            for (language, program) in root.settings.servers() {
                chosen
                    .entry(language.clone())
                    .or_insert_with(|| program.clone());
            }
        }
        chosen
    }

    /// Returns each root that has settings, and the settings.
    pub fn settings(&self) -> impl Iterator<Item = (&Utf8Path, &Settings)> {
        let roots = self.roots.iter();
        let all = roots.map(|root| (root.canonical.as_path(), root.settings.as_ref()));
        all.filter(|(_, settings)| !settings.is_empty())
    }

    /// Returns the errors of all `treegraft.toml` files that are ignored because they cannot be read.
    pub fn settings_errors(&self) -> impl Iterator<Item = &ConfigurationError> {
        let settings = self.roots.iter().map(|root| &root.settings);
        settings.filter_map(|settings| settings.settings_errors())
    }

    /// Returns the state directory.
    pub fn state(&self) -> &StateDirectory {
        &self.state
    }

    /// Resolves `path`: either relative to the first root (or to the base of [`Workspace::relative_to`]), or absolute
    /// and inside a root.
    ///
    /// Follows links that stay in the workspace. The result is the target of the link, so a write keeps the link.
    /// Refuses paths that do not exist.
    pub fn resolve(&self, path: &str) -> Result<WorkspacePath, FileError> {
        match walk(&self.roots, self.state.path(), path)? {
            Arrival::At(path) => Ok(path),
            Arrival::Missing { folder, name, .. } => Err(FileError::FileNotFound {
                path: path.into(),
                missing: folder.inside(&self.roots, &name).display().to_owned(),
            }),
        }
    }

    /// Does the same as [`Workspace::resolve`], but also accepts a missing file in an existing directory, for example a
    /// deleted file.
    pub fn place(&self, path: &str) -> Result<WorkspacePath, FileError> {
        match walk(&self.roots, self.state.path(), path)? {
            Arrival::At(path) => Ok(path),
            Arrival::Missing { folder, name, rest } if rest.is_empty() => {
                Ok(folder.inside(&self.roots, &name))
            }
            Arrival::Missing { folder, name, .. } => Err(FileError::FileNotFound {
                path: path.into(),
                missing: folder.inside(&self.roots, &name).display().to_owned(),
            }),
        }
    }

    /// Returns at most three existing paths that are similar to `path`, the nearest first.
    ///
    /// Examines at most 1,000 siblings of the first missing name. Returns nothing for a path outside the workspace.
    pub fn nearest(&self, path: &str) -> Vec<Utf8PathBuf> {
        const LOOKED_AT: usize = 1_000;
        const NAMED: usize = 3;
        // Names with a lower similarity share only an extension.
        const SIMILAR: f64 = 0.6;

        let arrival = walk(&self.roots, self.state.path(), path);
        let Ok(Arrival::Missing { folder, name, rest }) = arrival else {
            return Vec::new();
        };
        let Ok(listing) = self.list(&folder, LOOKED_AT) else {
            return Vec::new();
        };
        let near = listing.entries.into_iter().filter_map(|entry| {
            let similarity = strsim::normalized_damerau_levenshtein(&entry.name, &name);
            (similarity >= SIMILAR).then_some((similarity, entry.name))
        });
        let mut near: Vec<(f64, String)> = near.collect();
        near.sort_by(|(a, a_name), (b, b_name)| b.total_cmp(a).then_with(|| a_name.cmp(b_name)));
        // The rest of the path may exist below the similar name. If not, suggest the name itself.
        let existing = near.into_iter().filter_map(|(_, name)| {
            let found = folder.absolute().join(&name);
            let whole = rest
                .iter()
                .fold(found.clone(), |path, name| path.join(name));
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

        let arrival = walk(&self.roots, self.state.path(), path);
        let Ok(Arrival::Missing { folder, name, rest }) = arrival else {
            return Vec::new();
        };
        let missing = rest
            .iter()
            .fold(folder.relative().join(&name), |path, name| path.join(name));
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
        near.sort_by(|(a, a_path), (b, b_path)| b.total_cmp(a).then_with(|| a_path.cmp(b_path)));
        let paths = near.into_iter().map(|(_, path)| self.roots.shown(&path));
        paths.take(NAMED).collect()
    }

    /// Reads a whole regular file of at most `limit` bytes.
    pub fn read(&self, path: &WorkspacePath, limit: u64) -> Result<Vec<u8>, FileError> {
        let (read, _) = read_seen(path, limit, None)?;
        Ok(read.unwrap_or_default())
    }

    /// Reads a file within the size limit as text, in the language that its bytes determine. Returns the `known` text
    /// if it is still the text of the file.
    ///
    /// # Errors
    /// The file cannot be read, or is not text.
    pub fn read_text(
        &self,
        path: &WorkspacePath,
        known: Option<&Source>,
        language: impl FnOnce(&[u8]) -> &'static Language,
    ) -> Result<Source, NotRead> {
        read_text(path, known, language).map(|(text, _)| text)
    }

    /// Writes the configuration of another program: replaces the file if it still has the
    /// bytes `before`, or creates it for `readers` if there is none. Only this write has no preview.
    ///
    /// # Errors
    /// The file cannot be written, or differs from `before`.
    pub fn write_configuration(
        &self,
        path: &str,
        before: Option<&[u8]>,
        readers: Readers,
        after: &[u8],
    ) -> Result<(), FileError> {
        let permit = self.write_permit()?;
        match before {
            Some(before) => {
                let locked = self.lock(&self.resolve(path)?)?;
                locked.replace(&permit, Digest::of(before), after)
            }
            None => self.create(&permit, path, readers, after),
        }
    }

    /// Creates a file and the missing directories on its path, for `readers`. Refuses if the file exists by then.
    pub(crate) fn create(
        &self,
        _: &WritePermit,
        path: &str,
        readers: Readers,
        bytes: &[u8],
    ) -> Result<(), FileError> {
        let (folder, mut names) = match walk(&self.roots, self.state.path(), path)? {
            Arrival::At(there) => return Err(self.came(&there)?),
            Arrival::Missing { folder, name, rest } => (folder, [vec![name], rest].concat()),
        };
        let not_found = || FileError::FileNotFound {
            path: path.into(),
            missing: path.into(),
        };
        let name = names.pop().ok_or_else(not_found)?;
        if names.iter().chain([&name]).any(|name| name == "..") {
            return Err(not_found());
        }
        let refused = |failed| FileError::from_io_failure(Utf8Path::new(path), failed);
        let mut dir = folder.open_dir()?;
        for name in &names {
            dir.make_folder(name, readers).map_err(refused)?;
            dir = dir.folder(name).map_err(refused)?;
        }
        let there = self.place(path)?;
        let _locked = self.lock(&there)?;
        let mut temporary = Temporary::create_anywhere(dir, readers).map_err(refused)?;
        temporary.file_mut().write([bytes]).map_err(refused)?;
        temporary.file().sync().map_err(refused)?;
        match temporary.take_free_name(&name) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.came(&there)?),
            Err(failed) => Err(refused(failed)),
        }
    }

    /// Returns the refusal to create an existing file.
    fn came(&self, there: &WorkspacePath) -> Result<FileError, FileError> {
        let (folder, name) = there.open_folder()?;
        let (mut file, _) = open_regular(there, &folder, name)?;
        Ok(FileError::Changed {
            path: there.display().to_owned(),
            found: digest(there, &mut file)?,
        })
    }

    /// Returns the modification time of a file and its size in bytes, or `None` if it does not exist.
    pub fn stamp(&self, path: &WorkspacePath) -> Option<(std::time::SystemTime, u64)> {
        let metadata = path.absolute().symlink_metadata().ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    /// Lists the names in a directory that [`Workspace::resolve`] accepts. Examines at most `limit` names.
    pub fn list(&self, folder: &WorkspacePath, limit: usize) -> Result<Listing, FileError> {
        let dir = folder.open_dir()?;
        let entries = dir.list(limit.saturating_add(1));
        let entries = entries.map_err(|failed| folder.refused(failed))?;
        let mut listing = Listing {
            entries: Vec::new(),
            cut: entries.len() > limit,
        };
        for (name, file_type) in entries.into_iter().take(limit) {
            let Ok(name) = name.into_string() else {
                continue;
            };
            let closed = is_git_directory(&name)
                || name.contains(char::is_control)
                || is_temporary(&name)
                || is_inside(&folder.absolute().join(&name), self.state.path());
            if !closed {
                let kind = kind_of(file_type);
                listing.entries.push(DirEntry { name, kind });
            }
        }
        listing.entries.sort();
        Ok(listing)
    }

    /// Locks a file. Waits at most five seconds.
    pub fn lock(&self, path: &WorkspacePath) -> Result<LockedFile, FileError> {
        self.lock_within(path, PATIENCE)
    }

    /// Locks several files, in the order of their absolute paths. With another order, two writers could wait for each
    /// other until both are refused. Returns the locks in the given order.
    pub fn lock_all(&self, paths: &[WorkspacePath]) -> Result<Vec<LockedFile>, FileError> {
        self.lock_all_within(paths, PATIENCE)
    }

    /// Does the same as [`Workspace::lock_all`] without waiting. Returns `None` if one of the files is locked.
    pub fn try_lock_all(
        &self,
        paths: &[WorkspacePath],
    ) -> Result<Option<Vec<LockedFile>>, FileError> {
        match self.lock_all_within(paths, Duration::ZERO) {
            Ok(locked) => Ok(Some(locked)),
            Err(FileError::Locked { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn lock_all_within(
        &self,
        paths: &[WorkspacePath],
        patience: Duration,
    ) -> Result<Vec<LockedFile>, FileError> {
        let mut order: Vec<usize> = (0..paths.len()).collect();
        order.sort_by_key(|index| paths[*index].absolute());
        let mut locked = Vec::new();
        for index in order {
            locked.push((index, self.lock_within(&paths[index], patience)?));
        }
        locked.sort_by_key(|(index, _)| *index);
        Ok(locked.into_iter().map(|(_, locked)| locked).collect())
    }

    fn lock_within(
        &self,
        path: &WorkspacePath,
        patience: Duration,
    ) -> Result<LockedFile, FileError> {
        match FileLock::acquire(&self.state, path.absolute(), patience) {
            Ok(lock) => Ok(LockedFile {
                path: path.clone(),
                read: None,
                _lock: lock,
            }),
            Err(NotLocked::Busy { waited }) => Err(FileError::Locked {
                path: path.display().to_owned(),
                waited,
            }),
            Err(NotLocked::State(source)) => Err(FileError::NoLock {
                path: path.display().to_owned(),
                source,
            }),
        }
    }
}

impl LockedFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Reads the file as [`Workspace::read_text`] does. No other process that respects the lock can write the file, so
    /// an edit of this text can be [written](crate::apply::LockedPreview) without another check.
    ///
    /// # Errors
    /// The file cannot be read, or is not text.
    pub fn read(
        &mut self,
        known: Option<&Source>,
        language: impl FnOnce(&[u8]) -> &'static Language,
    ) -> Result<Source, NotRead> {
        self.read = None;
        let (text, seen) = read_text(&self.path, known, language)?;
        self.read = Some(Seen::Text(Box::new(seen), text.clone()));
        Ok(text)
    }

    /// Returns the text that was read under the lock, if any.
    pub fn text(&self) -> Option<&Source> {
        match &self.read {
            Some(Seen::Text(_, text)) => Some(text),
            Some(Seen::Nothing) | None => None,
        }
    }

    /// Returns the digest of the file's bytes.
    pub fn digest(&self) -> Result<Digest, FileError> {
        let (folder, name) = self.path.open_folder()?;
        let (mut file, _) = open_regular(&self.path, &folder, name)?;
        digest(&self.path, &mut file)
    }

    /// Replaces the bytes of the file in one step, if it still has the digest `expected`.
    ///
    /// # Errors
    /// The file has its old bytes.
    fn replace(
        &self,
        permit: &WritePermit,
        expected: Digest,
        bytes: &[u8],
    ) -> Result<(), FileError> {
        let temporary = TemporaryName::new().map_err(|source| FileError::Io {
            path: self.path.relative().to_owned(),
            step: Step::Create,
            source,
        })?;
        let prepared = self
            .prepare(permit, expected, &temporary, [bytes])?
            .sync()?;
        // The file is written. Writing it again would not make it survive a power failure.
        prepared.take_place().map(drop)
    }

    /// Writes the new bytes to the file `temporary` in the same directory, with the attributes of the file. Refuses if the
    /// file no longer has the digest `expected`.
    pub(crate) fn prepare<'a, 'b>(
        &'a self,
        _: &WritePermit,
        expected: Digest,
        temporary: &TemporaryName,
        new: impl IntoIterator<Item = &'b [u8]>,
    ) -> Result<Unsynced<'a>, FileError> {
        let path = &self.path;
        let (folder, name) = path.open_folder()?;
        let at = SystemTime::now();
        let metadata = match &self.read {
            Some(Seen::Text(seen, text)) if text.digest() == expected => {
                let now = folder.look(name).map_err(|failed| path.refused(failed))?;
                match seen.is_still(&now) {
                    true => replaceable(path, now)?,
                    false => examine(path, &folder, name, expected)?,
                }
            }
            _ => examine(path, &folder, name, expected)?,
        };
        let old = probe(path, &folder, name)?;
        let attributes = FileAttributes::of(path, &old, &metadata)?;
        let failed = |failed| path.refused(failed);
        let mut temporary =
            Temporary::create(folder, temporary.clone(), Readers::Owner).map_err(failed)?;
        temporary.file_mut().write(new).map_err(failed)?;
        let lost = match attributes {
            Some(attributes) => attributes.give(path, temporary.file())?,
            None => Vec::new(),
        };
        let seen = FileSnapshot { metadata, at };
        Ok(Unsynced(Prepared {
            path,
            temporary,
            change: PreparedChange::Replace { seen, expected },
            lost,
        }))
    }

    /// Returns the bytes that were [prepared](LockedFile::prepare) under that name, or `None` if there is no such file.
    pub(crate) fn prepared(&self, temporary: &TemporaryName) -> Result<Option<Vec<u8>>, FileError> {
        let (folder, _) = match self.path.open_folder() {
            Err(FileError::FileNotFound { .. }) => return Ok(None),
            opened => opened?,
        };
        let read = folder
            .open_to_read(temporary.as_str())
            .and_then(|mut file| {
                let expected = file.look()?.len();
                file.read(u64::MAX, expected)
            });
        match read {
            Ok(bytes) => Ok(Some(bytes)),
            Err(failed) if failed.is_not_found() => Ok(None),
            Err(failed) => Err(self.path.refused(failed)),
        }
    }

    /// Replaces the file with the bytes prepared under that name, if the file still has the digest `expected`.
    pub(crate) fn take_place(
        &self,
        _: &WritePermit,
        expected: Digest,
        temporary: &TemporaryName,
    ) -> Result<(), FileError> {
        let (folder, name) = self.path.open_folder()?;
        examine(&self.path, &folder, name, expected)?;
        folder
            .rename(temporary.as_str(), name)
            .and_then(|()| folder.sync())
            .map_err(|failed| self.path.refused(failed))
    }

    /// Removes the bytes prepared under that name, if they exist.
    pub(crate) fn remove_prepared(&self, temporary: &TemporaryName) -> Result<(), FileError> {
        let (folder, _) = match self.path.open_folder() {
            Err(FileError::FileNotFound { .. }) => return Ok(()),
            opened => opened?,
        };
        match folder.remove(temporary.as_str()) {
            Err(failed) if !failed.is_not_found() => Err(self.path.refused(failed)),
            _ => Ok(()),
        }
    }
}

impl FileSnapshot {
    /// Returns whether the file certainly has the same bytes as before.
    fn is_still(&self, now: &Metadata) -> bool {
        self.tells_changes() && same_state(&self.metadata, now)
    }

    /// Returns whether every later change is certain to change the modification time. This is not the case if the file
    /// was written just before, since file times are coarse: on some systems two seconds.
    fn tells_changes(&self) -> bool {
        const TICK: Duration = Duration::from_millis(20);
        const SLOW_TICK: Duration = Duration::from_millis(2_500);

        let Ok(written) = self.metadata.modified().map(|time| time.into_std()) else {
            return false;
        };
        let fraction = written
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.subsec_nanos());
        let tick = match fraction % 10_000_000 {
            0 => SLOW_TICK,
            _ => TICK,
        };
        self.at.duration_since(written).is_ok_and(|age| age > tick)
    }
}

impl<'a> Unsynced<'a> {
    /// Syncs the bytes to the disk.
    ///
    /// # Errors
    /// The temporary file is removed.
    pub(crate) fn sync(self) -> Result<Prepared<'a>, FileError> {
        let synced = self.0.temporary.file().sync();
        synced.map_err(|failed| self.0.path.refused(failed))?;
        Ok(self.0)
    }

    /// Does the same as [`Unsynced::sync`] for all files. Several threads do so at the same time, since file systems write
    /// what they have to write for all of them together: this takes a quarter of the time of one file after the other.
    ///
    /// # Errors
    /// All temporary files are removed.
    pub(crate) fn sync_all(files: Vec<Unsynced<'a>>) -> Result<Vec<Prepared<'a>>, FileError> {
        parallel::try_map(files, Unsynced::sync, drop)
    }
}

impl<'a> Made<'a> {
    /// Syncs the new names to the disk, and removes the markers of removals.
    ///
    /// # Errors
    /// A marker cannot be removed.
    pub(crate) fn finish_all(mut all: Vec<Made<'a>>) -> Result<Vec<WriteWarning>, FileError> {
        let mut synced = HashSet::new();
        let mut warnings = Vec::new();
        for made in &mut all {
            if !made.lost.is_empty() {
                warnings.push(WriteWarning::AttributesLost {
                    path: made.path.display().to_owned(),
                    names: std::mem::take(&mut made.lost),
                });
            }
            let folder = made.path.absolute().parent();
            if synced.contains(&folder) {
                continue;
            }
            match made.temporary.folder().sync() {
                Ok(()) => drop(synced.insert(folder)),
                Err(failed) => {
                    warnings.push(WriteWarning::NotSynced(made.path.refused(failed)));
                }
            }
        }
        for made in all.into_iter().filter(|made| made.has_marker) {
            let removed = made.temporary.remove();
            removed.map_err(|failed| made.path.refused(failed))?;
        }
        Ok(warnings)
    }
}

impl<'a> Prepared<'a> {
    /// Makes the change atomically: after a crash at any moment, the file has either the old or the new bytes.
    ///
    /// # Errors
    /// The temporary file still exists. The file has the old bytes, except if the temporary file could not be removed.
    pub(crate) fn take_place(self) -> Result<Vec<WriteWarning>, FileError> {
        Made::finish_all(vec![self.make()?])
    }

    /// Does the same as [`Prepared::take_place`], but leaves it to the caller to [finish](Made::finish_all).
    ///
    /// # Errors
    /// As there.
    pub(crate) fn make(self) -> Result<Made<'a>, FileError> {
        let path = self.path;
        let name = path.relative().file_name().unwrap_or_default();
        if let Err(error) = self.check_unchanged(name) {
            self.leave();
            return Err(error);
        }
        let (temporary, has_marker) = match self.change {
            PreparedChange::Replace { .. } => (self.temporary.take_name_or_leave(name), false),
            PreparedChange::Remove { .. } => (self.temporary.remove_other_or_leave(name), true),
            PreparedChange::Create => match self.temporary.take_free_name_or_leave(name) {
                Ok(None) => {
                    return Err(FileError::Exists {
                        path: path.display().to_owned(),
                    });
                }
                Ok(Some(temporary)) => (Ok(temporary), false),
                Err(failed) => (Err(failed), false),
            },
        };
        let temporary = temporary.map_err(|failed| path.refused(failed))?;
        Ok(Made {
            path,
            temporary,
            has_marker,
            lost: self.lost,
        })
    }

    /// Refuses a file that has changed since it was prepared. A program that ignores our locks may have written it in the
    /// meantime. The system has no "rename if unchanged", so the interval before the change remains unprotected.
    fn check_unchanged(&self, name: &str) -> Result<(), FileError> {
        let (seen, expected) = match &self.change {
            PreparedChange::Replace { seen, expected }
            | PreparedChange::Remove { seen, expected } => (seen, expected),
            PreparedChange::Create => return Ok(()),
        };
        let now = self.temporary.folder().look(name);
        let now = now.map_err(|failed| self.path.refused(failed))?;
        match seen.is_still(&now) {
            true => Ok(()),
            false => examine(self.path, self.temporary.folder(), name, *expected).map(drop),
        }
    }

    /// Returns whether the file exists before and after the change.
    pub(crate) fn is_replacement(&self) -> bool {
        matches!(self.change, PreparedChange::Replace { .. })
    }

    /// Drops the preparation but keeps the temporary file.
    pub(crate) fn leave(self) {
        self.temporary.leave();
    }
}

impl FileError {
    /// Converts the system's error into a refusal.
    fn from_io_failure(path: &Utf8Path, failed: IoFailure) -> FileError {
        use std::io::ErrorKind;
        let IoFailure { step, source } = failed;
        let path = path.to_owned();
        match source.kind() {
            // A name that the system rejects, such as one that is too long, cannot exist.
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::InvalidFilename => {
                FileError::FileNotFound {
                    missing: path.clone(),
                    path,
                }
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                FileError::PermissionDenied {
                    path,
                    why: Denied::System,
                }
            }
            _ => FileError::Io { path, step, source },
        }
    }
}

/// Opens a root, with the settings of its own `treegraft.toml` unless `settings` is given.
fn open_root(given: &Utf8Path, settings: Option<Arc<Settings>>) -> Result<Root, WorkspaceError> {
    let fails = |source| WorkspaceError::Root {
        path: given.to_owned(),
        source,
    };
    let canonical = given.canonicalize().map_err(fails)?;
    let canonical = Utf8PathBuf::from_path_buf(canonical).map_err(|_| WorkspaceError::NotUtf8 {
        path: given.to_owned(),
    })?;
    let canonical = without_prefix(canonical);
    let dir = Folder::open(&canonical).map_err(|failed| fails(failed.source))?;
    Ok(Root {
        given: camino::absolute_utf8(given).map_err(fails)?,
        settings: match settings {
            Some(settings) => settings,
            None => Arc::new(Settings::read(&dir, &canonical)),
        },
        dir,
        canonical,
    })
}

/// Opens a regular file for reading. The returned metadata belongs to the opened file.
fn open_regular(
    path: &WorkspacePath,
    folder: &Folder,
    name: &str,
) -> Result<(OpenFile, Metadata), FileError> {
    let regular = |metadata: &Metadata| match kind_of(metadata.file_type()) {
        FileKind::File => Ok(()),
        FileKind::Link => Err(FileError::OutsideWorkspace {
            path: path.display().to_owned(),
            why: Outside::LinkAppeared,
        }),
        kind => Err(FileError::NotAFile {
            path: path.display().to_owned(),
            kind,
        }),
    };
    // Check before opening, because opening a device can have effects and a socket cannot be opened at all. Check again
    // afterwards, because only then the metadata certainly belongs to the opened file.
    let metadata = folder.look(name);
    regular(&metadata.map_err(|failed| path.refused(failed))?)?;
    let file = folder
        .open_to_read(name)
        .map_err(|failed| path.refused_in(folder, name, failed))?;
    let metadata = file.look().map_err(|failed| path.refused(failed))?;
    regular(&metadata)?;
    Ok((file, metadata))
}

/// Reads a whole regular file of at most `limit` bytes, and its state just before. Returns no bytes if the file has the
/// `known` bytes.
fn read_seen(
    path: &WorkspacePath,
    limit: u64,
    known: Option<&[u8]>,
) -> Result<(Option<Vec<u8>>, FileSnapshot), FileError> {
    let at = SystemTime::now();
    let (folder, name) = path.open_folder()?;
    let (mut file, metadata) = open_regular(path, &folder, name)?;
    let too_large = |size| FileError::TooLarge {
        path: path.display().to_owned(),
        size,
        limit,
    };
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let failed = |failed| path.refused(failed);
    // Reading one byte more than allowed detects a file that grows while it is read.
    let more = limit.saturating_add(1);
    let read = match known.filter(|known| known.len() as u64 == metadata.len()) {
        Some(known) => file.read_other_than(known, more).map_err(failed)?,
        None => Some(file.read(more, metadata.len()).map_err(failed)?),
    };
    let size = read
        .as_ref()
        .map_or(metadata.len(), |bytes| bytes.len() as u64);
    match size > limit {
        true => Err(too_large(size)),
        false => Ok((read, FileSnapshot { metadata, at })),
    }
}

/// Reads a file as text, and its state just before.
fn read_text(
    path: &WorkspacePath,
    known: Option<&Source>,
    language: impl FnOnce(&[u8]) -> &'static Language,
) -> Result<(Source, FileSnapshot), NotRead> {
    let name = path.display().as_str();
    let known = known.filter(|known| known.path() == name);
    let bytes = known.map(|known| known.text().as_bytes());
    let (read, seen) = read_seen(path, path.file_limit(), bytes)?;
    let text = match (read, known) {
        (None, Some(known)) => known.clone(),
        (read, _) => {
            let bytes = read.unwrap_or_default();
            let language = language(&bytes);
            if let Some(error) = language.load_error() {
                return Err(NotRead::NoGrammar {
                    path: path.display().to_owned(),
                    language: language.name,
                    error: error.clone(),
                });
            }
            let read = Source::from_bytes(name, language, bytes);
            read.map_err(|error| NotRead::NotText {
                path: path.display().to_owned(),
                error,
            })?
        }
    };
    Ok((text, seen))
}

fn digest(path: &WorkspacePath, file: &mut OpenFile) -> Result<Digest, FileError> {
    file.digested(|bytes| Digest::of_reader(bytes))
        .map_err(|failed| path.refused(failed))
}

/// Refuses a file that cannot be replaced, or that no longer has the digest `expected`.
fn examine(
    path: &WorkspacePath,
    folder: &Folder,
    name: &str,
    expected: Digest,
) -> Result<Metadata, FileError> {
    let (mut file, metadata) = open_regular(path, folder, name)?;
    let found = digest(path, &mut file)?;
    if found != expected {
        return Err(FileError::Changed {
            path: path.display().to_owned(),
            found,
        });
    }
    replaceable(path, metadata)
}

/// Refuses a file that cannot be replaced.
fn replaceable(path: &WorkspacePath, metadata: Metadata) -> Result<Metadata, FileError> {
    #[cfg(unix)]
    match cap_fs_ext::MetadataExt::nlink(&metadata) {
        0 | 1 => {}
        links => {
            return Err(FileError::HardLinked {
                path: path.display().to_owned(),
                links,
            });
        }
    }
    // `readonly` means that no write bit is set. Check it explicitly, because the superuser and every user with write
    // access to the folder could replace the file nevertheless.
    if metadata.permissions().readonly() {
        return Err(FileError::PermissionDenied {
            path: path.display().to_owned(),
            why: Denied::ReadOnly,
        });
    }
    Ok(metadata)
}

/// Opens the file. Refuses one that this user cannot write, since a rename would not check that.
fn probe(path: &WorkspacePath, folder: &Folder, name: &str) -> Result<OpenFile, FileError> {
    let opened = match folder.open_to_write(name) {
        // A running program cannot be written, but it can be replaced.
        Err(failed) if failed.source.kind() == std::io::ErrorKind::ExecutableFileBusy => {
            folder.open_to_read(name)
        }
        opened => opened,
    };
    opened.map_err(|failed| path.refused_in(folder, name, failed))
}

/// Gives `new` an owner and a group, if its own differ.
#[cfg(unix)]
fn give_owner(
    path: &WorkspacePath,
    new: &OpenFile,
    owner: u32,
    group: u32,
) -> Result<(), FileError> {
    use cap_std::fs::MetadataExt;
    let ours = new.look().map_err(|failed| path.refused(failed))?;
    let owner = (ours.uid() != owner).then_some(owner);
    let group = (ours.gid() != group).then_some(group);
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    let kept = new.set_owner(owner, group);
    kept.map_err(|_| FileError::PermissionDenied {
        path: path.display().to_owned(),
        why: Denied::Owner,
    })
}

/// Returns whether the file was neither written nor replaced between the two reads of its metadata.
fn same_state(before: &Metadata, after: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt;
        // The change time changes with every other attribute, and cannot be set back.
        let own = |file: &Metadata| {
            let changed = (file.ctime(), file.ctime_nsec());
            (file.dev(), file.ino(), file.nlink(), changed)
        };
        if own(before) != own(after) {
            return false;
        }
    }
    let written = |metadata: &Metadata| metadata.modified().ok().map(|time| time.into_std());
    before.len() == after.len() && written(before) == written(after)
}

fn kind_of(file_type: FileType) -> FileKind {
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt;
        if file_type.is_fifo() {
            return FileKind::Fifo;
        }
        if file_type.is_socket() {
            return FileKind::Socket;
        }
        if file_type.is_block_device() || file_type.is_char_device() {
            return FileKind::Device;
        }
    }
    match () {
        () if file_type.is_file() => FileKind::File,
        () if file_type.is_dir() => FileKind::Directory,
        () if file_type.is_symlink() => FileKind::Link,
        () => FileKind::Other,
    }
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FileKind::File => "a file",
            FileKind::Directory => "a directory",
            FileKind::Link => "a chain of too many links",
            FileKind::Fifo => "a named pipe",
            FileKind::Device => "a device",
            FileKind::Socket => "a socket",
            FileKind::Other => "a special file",
        })
    }
}

impl std::fmt::Display for Outside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Outside::Roots => "is outside the workspace",
            Outside::GitInternals => "is in a .git directory",
            Outside::StateDirectory => "is in the state directory",
            Outside::LinkAppeared => "has become a link since it was resolved",
            Outside::TemporaryName => {
                "has a name that is reserved for temporary files of treegraft"
            }
        })
    }
}

impl std::fmt::Display for Denied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Denied::ReadOnly => "the file is read-only",
            Denied::Owner => "its owner or group cannot be preserved",
            Denied::System => "permission denied",
        })
    }
}

/// Reads the configuration of one of the user's programs: in any place, since the user may read it. Never called with a
/// path from an agent.
///
/// # Errors
/// The system's error.
pub(crate) fn read_configuration(path: &Utf8Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// Returns the user's search path, `PATH`.
pub fn search_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// Returns whether a file exists at a path that the user names, which can be anywhere.
#[cfg(feature = "servers")]
pub(crate) fn is_there(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Finds a program. A path is taken as it is; for a name, returns the first executable file in a directory of
/// `search_path`. Ignores relative directories, since the working directory could be a repository.
#[cfg(feature = "servers")]
pub fn find_program(search_path: &std::ffi::OsStr, name: &str) -> Option<Utf8PathBuf> {
    let is_program = |path: &Utf8Path| {
        let Ok(metadata) = path.metadata() else {
            return false;
        };
        #[cfg(unix)]
        let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
        #[cfg(not(unix))]
        let may_run = true;
        metadata.is_file() && may_run
    };
    let endings = match cfg!(windows) {
        // npm writes a shell script without an ending next to each `.cmd`.
        true => [".exe", ".cmd", ""].as_slice(),
        false => &[""],
    };
    if Utf8Path::new(name).is_absolute() {
        return Some(Utf8PathBuf::from(name)).filter(|path| is_program(path));
    }
    if name.contains(std::path::is_separator) {
        return None;
    }
    let folders = std::env::split_paths(search_path);
    let folders = folders.filter_map(|folder| Utf8PathBuf::from_path_buf(folder).ok());
    let mut paths = folders
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| {
            endings
                .iter()
                .map(move |ending| folder.join(format!("{name}{ending}")))
        });
    paths.find(|path| is_program(path))
}

/// Returns the similarity of two file names, from 0 to 1, as the higher of the values with and without the extension.
/// Returns `None` if they share only the extension.
fn likeness_of_names(one: &str, other: &str) -> Option<f64> {
    const SIMILAR: f64 = 0.6;
    const SAME_STEM: f64 = 0.8;

    let stem = |name: &str| match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_string(),
        _ => name.to_string(),
    };
    let (short, long) = (one.len().min(other.len()), one.len().max(other.len()));
    let whole = match (short as f64) < long as f64 * SIMILAR {
        true => 0.0,
        false => strsim::normalized_damerau_levenshtein(one, other),
    };
    // Among several extensions, prefer the one nearest to the wanted one.
    let likeness = match stem(one) == stem(other) {
        true => SAME_STEM + (1.0 - SAME_STEM) * whole,
        false => whole,
    };
    (likeness >= SIMILAR).then_some(likeness)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::disk::steps::{self, Fault};
    use super::temporary::is_temporary;
    use super::*;

    /// A folder with the workspace in `root` and the state in `state`. Tests add further files next to them.
    struct Bench {
        _folder: tempfile::TempDir,
        base: Utf8PathBuf,
        workspace: Workspace,
    }

    impl Bench {
        fn with(files: &[(&str, &str)]) -> Bench {
            Bench::with_roots(&["root"], files)
        }

        /// Paths of `files` are relative to the folder.
        fn with_roots(roots: &[&str], files: &[(&str, &str)]) -> Bench {
            let folder = tempfile::tempdir().expect("a temporary folder can be made");
            let base = folder.path().canonicalize().expect("it is there");
            let base = Utf8PathBuf::from_path_buf(base).expect("temporary folders are UTF-8");
            let roots: Vec<Utf8PathBuf> = roots.iter().map(|root| base.join(root)).collect();
            for root in &roots {
                std::fs::create_dir_all(root).expect("it can be made");
            }
            let state = StateDirectory::open(&base.join("state")).expect("it can be made");
            let workspace = Workspace::open(&roots, state).expect("the roots are there");
            let bench = Bench {
                _folder: folder,
                base,
                workspace,
            };
            for (path, text) in files {
                bench.put(path, text);
            }
            bench
        }

        fn put(&self, path: &str, text: &str) {
            let path = self.base.join(path);
            let folder = path.parent().expect("it is in the folder");
            std::fs::create_dir_all(folder).expect("it can be made");
            std::fs::write(path, text).expect("it can be written");
        }

        fn link(&self, path: &str, target: &str) {
            let path = self.base.join(path);
            let folder = path.parent().expect("it is in the folder");
            std::fs::create_dir_all(folder).expect("it can be made");
            symlink(target, path).expect("it can be made");
        }

        fn text(&self, path: &str) -> String {
            std::fs::read_to_string(self.base.join(path)).expect("it can be read")
        }

        fn set_mode(&self, path: &str, mode: u32) {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(self.base.join(path), mode).expect("it is ours");
        }

        fn mode(&self, path: &str) -> u32 {
            let metadata = std::fs::metadata(self.base.join(path)).expect("it is there");
            metadata.mode() & 0o7777
        }

        fn path(&self, path: &str) -> WorkspacePath {
            self.workspace.resolve(path).expect("it is there")
        }

        /// Returns the resolved `path` or the error, without the machine's own names.
        fn resolved(&self, path: &str) -> String {
            let answer = match self.workspace.resolve(path) {
                Ok(path) => path.display().to_string(),
                Err(error) => error.to_string(),
            };
            answer.replace(self.base.as_str(), "[base]")
        }

        fn replace(&self, path: &str, old: &str, new: &str) -> Result<(), FileError> {
            let path = self.path(path);
            let old = Digest::of(old.as_bytes());
            replace(&self.workspace, &path, old, [new.as_bytes()])
        }

        /// Returns all names in a folder, including temporary files.
        fn names(&self, folder: &str) -> Vec<String> {
            let entries = std::fs::read_dir(self.base.join(folder)).expect("it is there");
            let names = entries.map(|entry| {
                let name = entry.expect("it is there").file_name();
                name.into_string().expect("the tests use UTF-8")
            });
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        }
    }

    /// Replaces a file as `apply` does, without a journal entry.
    fn replace<'a>(
        workspace: &Workspace,
        path: &WorkspacePath,
        expected: Digest,
        new: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<(), FileError> {
        let locked = workspace.lock(path)?;
        let temporary = TemporaryName::new().expect("there are random bytes");
        let permit = workspace.write_permit()?;
        let prepared = locked.prepare(&permit, expected, &temporary, new)?.sync()?;
        let warnings = prepared.take_place().inspect_err(|_| {
            let removed = locked.remove_prepared(&temporary);
            removed.expect("it is in a folder of ours");
        })?;
        match warnings.into_iter().next() {
            Some(WriteWarning::NotSynced(error)) => Err(error),
            Some(WriteWarning::AttributesLost { .. }) | None => Ok(()),
        }
    }

    fn error_text<T: std::fmt::Debug>(result: Result<T, FileError>) -> String {
        result.expect_err("it is to be refused").to_string()
    }

    // Resolving paths

    #[test]
    fn a_path_is_relative_to_the_first_root_or_absolute_in_one() {
        let bench = Bench::with_roots(
            &["root", "other"],
            &[("root/src/a.rs", ""), ("other/b.rs", "")],
        );
        for given in [
            "src/a.rs",
            "./src//a.rs",
            "src/../src/./a.rs",
            "../root/src/a.rs",
        ] {
            assert_eq!(bench.resolved(given), "src/a.rs", "{given}");
        }
        let absolute = bench.base.join("root/src/a.rs");
        assert_eq!(bench.resolved(absolute.as_str()), "src/a.rs");
        assert_eq!(bench.path("src/a.rs").absolute(), absolute);
        let other = bench.base.join("other/b.rs");
        assert_eq!(bench.resolved(other.as_str()), "[base]/other/b.rs");
        assert_eq!(bench.resolved("../other/b.rs"), "[base]/other/b.rs");
        assert_eq!(bench.resolved("."), ".");
        assert_eq!(bench.resolved(bench.base.join("root").as_str()), ".");
    }

    #[test]
    fn nothing_leads_out_of_the_roots() {
        let bench = Bench::with(&[("root/src/a.rs", ""), ("rooted/b.rs", ""), ("b.rs", "")]);
        let absolute = bench.base.join("b.rs");
        let similar = bench.base.join("rooted/b.rs");
        let dotted = bench.base.join("root/../b.rs");
        let given = [
            "..",
            "../b.rs",
            "../missing",
            "src/../../b.rs",
            "../rooted/b.rs",
            "../rooted/../root/src/a.rs",
            "/",
            "/etc/passwd",
            absolute.as_str(),
            similar.as_str(),
            dotted.as_str(),
        ];
        for given in given {
            assert!(
                bench.resolved(given).ends_with("is outside the workspace"),
                "{given}: {}",
                bench.resolved(given)
            );
        }
    }

    #[test]
    fn links_are_followed_inside_only() {
        let bench = Bench::with(&[("root/src/a.rs", "one"), ("secret/b.rs", "two")]);
        let inside = bench.base.join("root/src").to_string();
        let outside = bench.base.join("secret").to_string();
        bench.link("root/file", "src/a.rs");
        bench.link("root/folder", "src");
        bench.link("root/absolute", &inside);
        bench.link("root/src/up", "../file");
        bench.link("root/round", "../root/src/a.rs");
        for given in ["file", "folder/a.rs", "absolute/a.rs", "src/up", "round"] {
            assert_eq!(bench.resolved(given), "src/a.rs", "{given}");
        }
        // A name after a link is resolved at the target of the link.
        bench.put("root/c.rs", "");
        assert_eq!(bench.resolved("folder/../c.rs"), "c.rs");

        bench.link("root/out_file", "../secret/b.rs");
        bench.link("root/out_folder", &outside);
        bench.link("root/out_missing", "../secret/missing");
        bench.link("root/out_twice", "out_folder");
        for given in [
            "out_file",
            "out_folder",
            "out_folder/b.rs",
            "out_folder/missing",
            "out_missing",
            "out_twice/b.rs",
        ] {
            let refusal = format!("`{given}` is outside the workspace");
            assert_eq!(bench.resolved(given), refusal);
        }
    }

    #[test]
    fn links_that_lead_nowhere_are_named() {
        let bench = Bench::with(&[]);
        bench.link("root/dangling", "gone/a.rs");
        bench.link("root/one", "two");
        bench.link("root/two", "one");
        bench.link("root/itself", "itself");
        assert_eq!(bench.resolved("dangling"), "`gone` does not exist");
        let nowhere = "is a chain of too many links, not a file";
        assert_eq!(bench.resolved("one"), format!("`one` {nowhere}"));
        assert_eq!(bench.resolved("itself/a"), format!("`itself/a` {nowhere}"));
    }

    #[test]
    fn resolved_paths_of_windows_are_written_as_usual() {
        for (resolved, usual) in [
            (r"\\?\C:\a\b", r"C:\a\b"),
            (r"\\?\UNC\host\share\a", r"\\host\share\a"),
            ("/a/b", "/a/b"),
        ] {
            assert_eq!(without_prefix(resolved.into()), Utf8Path::new(usual));
        }
    }

    #[test]
    fn git_and_the_state_are_closed() {
        let bench = Bench::with(&[("root/.git/config", ""), ("root/sub/.git/hooks/x", "")]);
        bench.put("root/.gitignore", "");
        bench.link("root/config", ".git/config");
        for given in [
            ".git",
            ".git/config",
            ".GIT/config",
            "git~1/config",
            ".git./config",
            ".Git ::$INDEX_ALLOCATION/config",
            ".g\u{200c}it/config",
            "sub/.git/hooks/x",
            "config",
        ] {
            let refusal = format!("`{given}` is in a .git directory");
            assert_eq!(bench.resolved(given), refusal);
        }
        assert_eq!(bench.resolved(".gitignore"), ".gitignore");
        for given in [".git.rs", "git", "git~2", ".git :a/b", "x.git"] {
            let is_closed = bench.resolved(given).contains("is in a .git");
            assert_eq!(is_closed, given.contains(':'), "{given}");
        }

        let bench = Bench::with_roots(&[""], &[("state/edits/a", "")]);
        for given in ["state", "state/edits/a", "state/../state", "STATE/edits/a"] {
            let refusal = format!("`{given}` is in the state directory");
            assert_eq!(bench.resolved(given), refusal);
        }
    }

    #[test]
    fn a_file_is_created_with_its_folders_and_never_over_another() {
        let bench = Bench::with(&[("root/there", "old")]);
        bench.link("root/link", "deep/target");
        let create = |path: &str, readers| {
            let permit = bench.workspace.write_permit().expect("a person may write");
            let created = bench.workspace.create(&permit, path, readers, b"new");
            created.map_err(|error| error.to_string())
        };
        assert_eq!(create("a/b/c.json", Readers::Owner), Ok(()));
        assert_eq!(bench.text("root/a/b/c.json"), "new");
        let modes = ["root/a", "root/a/b", "root/a/b/c.json"].map(|path| bench.mode(path));
        assert_eq!(modes, [0o700, 0o700, 0o600]);
        assert_eq!(create("shared", Readers::AsUsual), Ok(()));
        // A write through a link with a missing target creates the target.
        assert_eq!(create("link", Readers::AsUsual), Ok(()));
        assert_eq!(bench.text("root/deep/target"), "new");
        for (path, refusal) in [
            ("there", "`there` has changed"),
            ("../out", "`../out` is outside the workspace"),
            (".git/config", "`.git/config` is in a .git directory"),
            ("no/../way", "`no/../way` does not exist"),
            ("there/below", "`there/below` does not exist"),
        ] {
            assert_eq!(
                create(path, Readers::Owner),
                Err(refusal.to_string()),
                "{path}"
            );
        }
        assert_eq!(bench.text("root/there"), "old");
        assert_eq!(bench.names("root/a/b"), ["c.json"]);
    }

    /// Checks that if another program creates the file at the same moment, one of the two fails,
    /// and the file of the other is complete.
    #[test]
    fn of_two_that_create_a_file_at_once_one_is_refused() {
        let bench = Bench::with(&[]);
        for round in 0..400 {
            let name = format!("file{round}");
            let path = bench.base.join(format!("root/{name}"));
            let (ours, theirs) = std::thread::scope(|scope| {
                let theirs = scope.spawn(|| {
                    // Our process writes a temporary file first. Each iteration hits a different step after that.
                    while !bench
                        .names("root")
                        .iter()
                        .any(|one| is_temporary(one) || *one == name)
                    {}
                    (0..round * 5).for_each(|_| std::hint::spin_loop());
                    let mut file = std::fs::File::create_new(&path)?;
                    std::io::Write::write_all(&mut file, b"theirs")
                });
                let permit = bench.workspace.write_permit().expect("a person may write");
                let ours = bench
                    .workspace
                    .create(&permit, &name, Readers::AsUsual, b"ours");
                (ours, theirs.join().expect("it does not panic"))
            });
            let text = std::fs::read_to_string(&path).expect("one of them created it");
            match (&ours, &theirs) {
                (Ok(()), Err(error)) => {
                    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
                    assert_eq!(text, "ours");
                }
                (Err(FileError::Changed { .. }), Ok(())) => assert_eq!(text, "theirs"),
                both => panic!("{both:?} in round {round}, which left {text:?}"),
            }
        }
        assert!(bench.names("root").iter().all(|name| !is_temporary(name)));
    }

    #[test]
    fn without_hard_links_a_file_is_created_under_its_name() {
        let bench = Bench::with(&[]);
        let create = |name: &str, fails_at: Option<usize>| {
            let fault = fails_at.map(|at| (at, Fault::Fail(std::io::ErrorKind::Unsupported)));
            let (created, taken) = steps::counted(fault, || {
                let permit = bench.workspace.write_permit().expect("a person may write");
                bench
                    .workspace
                    .create(&permit, name, Readers::AsUsual, b"new")
            });
            (created.map_err(|error| error.to_string()), taken)
        };
        // The first call also creates the folders of the state directory.
        assert_eq!(create("first", None).0, Ok(()));
        let (created, taken) = create("a", None);
        assert_eq!(created, Ok(()));
        let link = taken.iter().position(|step| *step == Step::Link);
        let link = link.expect("it takes its name by a link");
        let (created, taken) = create("b", Some(link));
        assert_eq!((created, bench.text("root/b").as_str()), (Ok(()), "new"));
        assert_eq!(
            taken[link..link + 3],
            [Step::Link, Step::Create, Step::Rename]
        );
        assert!(bench.names("root").iter().all(|name| !is_temporary(name)));
    }

    #[test]
    fn what_is_missing_is_named() {
        let bench = Bench::with(&[("root/src/a.rs", "")]);
        assert_eq!(bench.resolved("src/b.rs"), "`src/b.rs` does not exist");
        assert_eq!(bench.resolved("lib/deep/b.rs"), "`lib` does not exist");
        assert_eq!(bench.resolved("src/a.rs/b"), "`src/a.rs/b` does not exist");
        assert_eq!(bench.resolved(""), "`` does not exist");
        assert_eq!(
            bench.resolved("a\nb"),
            r#"the path "a\nb" contains the control character '\n'"#
        );
        assert_eq!(
            bench.resolved("a\0"),
            r#"the path "a\0" contains the control character '\0'"#
        );
    }

    #[test]
    fn a_root_reached_by_a_link_has_both_names() {
        let bench = Bench::with(&[("root/a.rs", "")]);
        bench.link("alias", "root");
        let alias = bench.base.join("alias");
        let state = StateDirectory::open(&bench.base.join("state")).expect("it is there");
        let workspace = Workspace::open(&[alias.clone(), bench.base.join("root")], state)
            .expect("the root is there");
        assert_eq!(workspace.roots().count(), 1);
        for given in [alias.join("a.rs"), bench.base.join("root/a.rs")] {
            let path = workspace.resolve(given.as_str()).expect("it is there");
            assert_eq!(path.display(), "a.rs");
        }
    }

    #[test]
    fn paths_are_relative_to_the_directory_that_is_named() {
        let files = [
            "root/top.rs",
            "root/sub/x.rs",
            "root/sub/deep/y.rs",
            "root/.git/config",
            "other/b.rs",
        ];
        let bench = Bench::with_roots(&["root", "other"], &files.map(|file| (file, "")));
        let relative_to = |folder: &str| {
            let state = StateDirectory::open(&bench.base.join("state")).expect("it is there");
            let roots = ["root", "other"].map(|root| bench.base.join(root));
            let workspace = Workspace::open(&roots, state).expect("the roots are there");
            workspace.relative_to(&bench.base.join(folder))
        };
        let absolute = |file: &str| bench.base.join(file).into_string();
        for (folder, names) in [
            (
                "root",
                [
                    "top.rs",
                    "sub/x.rs",
                    "sub/deep/y.rs",
                    &absolute("other/b.rs"),
                ],
            ),
            (
                "root/sub",
                ["../top.rs", "x.rs", "deep/y.rs", &absolute("other/b.rs")],
            ),
            (
                "root/sub/deep",
                ["../../top.rs", "../x.rs", "y.rs", &absolute("other/b.rs")],
            ),
            (
                "other",
                [
                    &absolute("root/top.rs"),
                    &absolute("root/sub/x.rs"),
                    &absolute("root/sub/deep/y.rs"),
                    "b.rs",
                ],
            ),
            // Neither resolves to a location in a root.
            (
                ".",
                [
                    "top.rs",
                    "sub/x.rs",
                    "sub/deep/y.rs",
                    &absolute("other/b.rs"),
                ],
            ),
            (
                "gone",
                [
                    "top.rs",
                    "sub/x.rs",
                    "sub/deep/y.rs",
                    &absolute("other/b.rs"),
                ],
            ),
        ] {
            let workspace = relative_to(folder);
            let places = [
                "root/top.rs",
                "root/sub/x.rs",
                "root/sub/deep/y.rs",
                "other/b.rs",
            ];
            for (place, name) in places.into_iter().zip(names) {
                for given in [&absolute(place), name] {
                    let path = workspace.resolve(given).expect("it is there");
                    assert_eq!(
                        (path.display().as_str(), path.absolute()),
                        (name, &*bench.base.join(place))
                    );
                }
                assert_eq!(
                    workspace.absolute(Utf8Path::new(name)),
                    bench.base.join(place)
                );
            }
        }
        let workspace = relative_to("root/sub");
        let display = |path: &str| {
            workspace
                .resolve(path)
                .map(|path| path.display().to_string())
        };
        assert_eq!(display(".").expect("it is there"), ".");
        assert_eq!(display("..").expect("it is there"), "..");
        assert_eq!(display("../sub").expect("it is there"), ".");
        assert_eq!(error_text(display("../no/z.rs")), "`../no` does not exist");
        let outside = "`../../x` is outside the workspace";
        assert_eq!(error_text(display("../../x")), outside);
        assert_eq!(workspace.nearest("../sbu/x.rs"), ["x.rs"]);
        assert_eq!(workspace.namesakes("tops.rs"), ["../top.rs"]);
        let closed = relative_to("root/.git").resolve("config");
        assert_eq!(error_text(closed), "`config` is in a .git directory");
    }

    #[test]
    fn a_workspace_needs_directories() {
        let bench = Bench::with(&[("root/a.rs", "")]);
        let open = |roots: &[Utf8PathBuf]| {
            let state = StateDirectory::open(&bench.base.join("state")).expect("it is there");
            Workspace::open(roots, state).map(drop)
        };
        assert!(matches!(open(&[]), Err(WorkspaceError::NoRoot)));
        for path in ["root/a.rs", "missing"] {
            let result = open(&[bench.base.join(path)]);
            assert!(
                matches!(result, Err(WorkspaceError::Root { .. })),
                "{result:?}"
            );
        }
    }

    #[test]
    fn a_workspace_begins_where_its_mark_is() {
        let bench = Bench::with(&[("root/.git/config", ""), ("root/a/b/c.rs", "")]);
        let discover = |path: &str| Workspace::discover(&bench.base.join(path));
        assert_eq!(discover("root/a/b"), bench.base.join("root"));
        assert_eq!(discover("root"), bench.base.join("root"));
        bench.put("root/a/treegraft.toml", "");
        assert_eq!(discover("root/a/b"), bench.base.join("root/a"));
    }

    #[test]
    fn the_nearest_names_exist() {
        let bench = Bench::with(&[
            ("root/src/server.rs", ""),
            ("root/src/servers.rs", ""),
            ("root/src/serve.rs", ""),
            ("root/src/sever.rs", ""),
            ("root/src/zebra.md", ""),
            ("root/.git/x", ""),
        ]);
        let nearest = |path: &str| bench.workspace.nearest(path);
        assert_eq!(
            nearest("src/servr.rs"),
            ["src/server.rs", "src/serve.rs", "src/servers.rs"]
        );
        assert_eq!(nearest("scr/server.rs"), ["src/server.rs"]);
        assert_eq!(nearest("scr/missing.rs"), ["src"]);
        assert_eq!(nearest("nothing_like_it"), [""; 0]);
        assert_eq!(nearest("git"), [""; 0]);
        assert_eq!(nearest("../roof/x"), [""; 0]);
        assert_eq!(nearest("src/server.rs"), [""; 0]);
    }

    #[test]
    fn namesakes_are_found_wherever_they_are() {
        let bench = Bench::with(&[
            ("root/src/engine/draft.rs", ""),
            ("root/src/engine/drafts.rs", ""),
            ("root/src/cli/draft.rs", ""),
            ("root/docs/draft.md", ""),
            ("root/zebra.rs", ""),
            ("root/.git/draft.rs", ""),
        ]);
        let namesakes = |path: &str| bench.workspace.namesakes(path);
        assert_eq!(
            namesakes("src/draft.rs"),
            [
                "src/cli/draft.rs",
                "src/engine/draft.rs",
                "docs/draft.md",
                "src/engine/drafts.rs",
            ]
        );
        assert_eq!(namesakes("src/engin/draft.rs")[0], "src/engine/draft.rs");
        assert_eq!(namesakes("src/engine/draft.py")[0], "src/engine/draft.rs");
        assert_eq!(namesakes("zebar.rs"), ["zebra.rs"]);
        assert_eq!(namesakes("nothing_like_it"), [""; 0]);
        assert_eq!(namesakes("../roof/draft.rs"), [""; 0]);
        assert_eq!(namesakes("zebra.rs"), [""; 0]);
    }

    #[test]
    fn a_listing_has_what_can_be_resolved() {
        let bench = Bench::with(&[("root/b/x", ""), ("root/a.rs", ""), ("root/.git/x", "")]);
        bench.link("root/link", "a.rs");
        bench.put("root/.treegraft-0123456789abcdef.tmp", "");
        let root = bench.path(".");
        let listing = bench.workspace.list(&root, 100).expect("it can be listed");
        let found: Vec<(&str, FileKind)> = listing
            .entries
            .iter()
            .map(|entry| (entry.name.as_str(), entry.kind))
            .collect();
        let expected = [
            ("a.rs", FileKind::File),
            ("b", FileKind::Directory),
            ("link", FileKind::Link),
        ];
        assert_eq!(found, expected);
        assert!(!listing.cut);
        let listing = bench.workspace.list(&root, 2).expect("it can be listed");
        assert!(listing.cut && listing.entries.len() <= 2);
    }

    // Reading

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let bench = Bench::with(&[("root/a.rs", "12345"), ("root/empty", "")]);
        let path = bench.path("a.rs");
        let read = |limit| bench.workspace.read(&path, limit);
        assert_eq!(read(5).expect("it is small enough"), b"12345");
        assert_eq!(read(u64::MAX).expect("there is no limit"), b"12345");
        assert_eq!(
            error_text(read(4)),
            "`a.rs` has 5 bytes, more than the limit of 4"
        );
        let empty = bench.workspace.read(&bench.path("empty"), 0);
        assert_eq!(empty.expect("nothing fits everywhere"), b"");
    }

    #[test]
    fn bytes_that_are_known_are_not_read_out() {
        let long = "0123456789".repeat(20_000);
        for text in ["", "a", &long] {
            let bench = Bench::with(&[("root/a.rs", text)]);
            let path = bench.path("a.rs");
            let read = |known: &str| {
                let read = read_seen(&path, 1_000_000, Some(known.as_bytes()));
                read.expect("it can be read").0
            };
            assert_eq!(read(text), None);
            let others = [0, 65_535, 65_536, 65_537, text.len().saturating_sub(1)];
            let others = others.into_iter().filter(|at| *at < text.len()).map(|at| {
                let mut other = text.to_string();
                other.replace_range(at..=at, "x");
                other
            });
            for other in others.chain([format!("{text}x"), text.chars().skip(1).collect()]) {
                if other != text {
                    assert_eq!(read(&other).as_deref(), Some(text.as_bytes()));
                }
            }
        }
    }

    #[test]
    fn only_files_are_read() {
        let bench = Bench::with(&[("root/folder/a.rs", "")]);
        let made = std::process::Command::new("mkfifo")
            .arg(bench.base.join("root/pipe"))
            .status()
            .expect("every Unix has mkfifo");
        assert!(made.success());
        let _socket = std::os::unix::net::UnixListener::bind(bench.base.join("root/socket"))
            .expect("a socket can be made");
        let read = |path| error_text(bench.workspace.read(&bench.path(path), 100));
        assert_eq!(read("folder"), "`folder` is a directory, not a file");
        assert_eq!(read("."), "`.` is a directory, not a file");
        assert_eq!(read("pipe"), "`pipe` is a named pipe, not a file");
        assert_eq!(read("socket"), "`socket` is a socket, not a file");
        for path in ["folder", "pipe", "socket"] {
            let refusal = error_text(bench.replace(path, "", "new"));
            assert!(refusal.ends_with("not a file"), "{refusal}");
        }
    }

    #[test]
    fn a_link_that_appears_after_resolving_is_not_followed() {
        let bench = Bench::with(&[
            ("root/src/a.rs", "one"),
            ("root/b.rs", "two"),
            ("root/.git/a.rs", "git"),
            ("secret/a.rs", "secret"),
        ]);
        let (folder, file) = (bench.path("src/a.rs"), bench.path("b.rs"));
        std::fs::remove_dir_all(bench.base.join("root/src")).expect("it can go");
        std::fs::remove_file(bench.base.join("root/b.rs")).expect("it can go");
        for target in ["secret", "root/.git"] {
            bench.link("root/src", bench.base.join(target).as_str());
            bench.link("root/b.rs", bench.base.join(target).join("a.rs").as_str());
            for path in [&folder, &file] {
                let refusal = format!(
                    "`{}` has become a link since it was resolved",
                    path.display()
                );
                assert_eq!(error_text(bench.workspace.read(path, 100)), refusal);
                let digest = Digest::of(b"secret");
                let replaced = replace(&bench.workspace, path, digest, [&b"new"[..]]);
                assert_eq!(error_text(replaced), refusal);
            }
            std::fs::remove_file(bench.base.join("root/src")).expect("it can go");
            std::fs::remove_file(bench.base.join("root/b.rs")).expect("it can go");
        }
        assert_eq!(
            error_text(bench.workspace.read(&file, 100)),
            "`b.rs` does not exist"
        );
        assert_eq!(bench.text("secret/a.rs"), "secret");
        assert_eq!(bench.text("root/.git/a.rs"), "git");
    }

    // Replacing

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let bench = Bench::with(&[("root/src/a.rs", "one\r\n")]);
        let path = bench.path("src/a.rs");
        let chunks = [&b"tw"[..], b"", b"o"];
        replace(&bench.workspace, &path, Digest::of(b"one\r\n"), chunks).expect("it is unchanged");
        assert_eq!(bench.text("root/src/a.rs"), "two");
        assert_eq!(bench.names("root/src"), ["a.rs"]);
        bench
            .replace("src/a.rs", "two", "")
            .expect("it can become empty");
        assert_eq!(bench.text("root/src/a.rs"), "");
    }

    #[test]
    fn a_changed_file_is_left_alone() {
        let bench = Bench::with(&[("root/a.rs", "changed")]);
        match bench.replace("a.rs", "one", "two") {
            Err(FileError::Changed { path, found }) => {
                assert_eq!((path.as_str(), found), ("a.rs", Digest::of(b"changed")));
            }
            other => panic!("expected to be refused, got {other:?}"),
        }
        assert_eq!(bench.text("root/a.rs"), "changed");
        assert_eq!(bench.names("root"), ["a.rs"]);
    }

    #[test]
    fn a_change_after_the_reading_is_noticed_whatever_time_it_gives_the_file() {
        let hour = Duration::from_secs(3_600);
        for written in [
            SystemTime::now() - hour,
            SystemTime::now(),
            SystemTime::now() + hour,
        ] {
            let bench = Bench::with(&[("root/a.rs", "one")]);
            let file = bench.base.join("root/a.rs");
            let date = || {
                let opened = std::fs::File::options().write(true).open(&file);
                let dated = opened.and_then(|opened| opened.set_modified(written));
                dated.expect("it is ours");
            };
            date();
            let mut locked = bench
                .workspace
                .lock(&bench.path("a.rs"))
                .expect("nobody has it");
            let read = locked.read(None, |_| language::plain_text());
            let digest = read.expect("it can be read").digest();
            let temporary = TemporaryName::new().expect("there are random bytes");
            let permit = bench.workspace.write_permit().expect("a person may write");
            let prepared = locked.prepare(&permit, digest, &temporary, [&b"two"[..]]);
            drop(prepared.expect("it is as it was read"));
            let prepared = locked.prepare(&permit, digest, &temporary, [&b"two"[..]]);
            let prepared = prepared.and_then(Unsynced::sync);
            let prepared = prepared.expect("it is as it was read");
            std::thread::sleep(Duration::from_millis(10));
            bench.put("root/a.rs", "oNe");
            date();
            assert_eq!(error_text(prepared.take_place()), "`a.rs` has changed");
            locked.remove_prepared(&temporary).expect("it can go");
            let prepared = locked.prepare(&permit, digest, &temporary, [&b"two"[..]]);
            assert_eq!(error_text(prepared), "`a.rs` has changed");
            assert_eq!(bench.text("root/a.rs"), "oNe");
            assert_eq!(bench.names("root"), ["a.rs"]);
        }
    }

    #[test]
    fn a_change_while_the_new_bytes_are_written_is_noticed() {
        type ChangeFile = fn(&Bench);
        let changes: [(ChangeFile, &str); 3] = [
            (|bench| bench.put("root/a.rs", "new"), "`a.rs` has changed"),
            (
                |bench| {
                    bench.put("root/b.rs", "new");
                    let path = |name| bench.base.join("root").join(name);
                    std::fs::rename(path("b.rs"), path("a.rs")).expect("it can be renamed");
                },
                "`a.rs` has changed",
            ),
            (
                |bench| std::fs::remove_file(bench.base.join("root/a.rs")).expect("it can go"),
                "`a.rs` does not exist",
            ),
        ];
        for (change, refusal) in changes {
            let bench = Bench::with(&[("root/a.rs", "one")]);
            let path = bench.path("a.rs");
            let chunks = std::iter::once_with(|| {
                change(&bench);
                &b"two"[..]
            });
            let result = replace(&bench.workspace, &path, Digest::of(b"one"), chunks);
            assert_eq!(error_text(result), refusal);
            let left = bench.names("root");
            assert!(left.is_empty() || left == ["a.rs"], "{left:?}");
            if !left.is_empty() {
                assert_eq!(bench.text("root/a.rs"), "new");
            }
        }
    }

    #[test]
    fn a_failure_leaves_no_temporary_file() {
        let bench = Bench::with(&[("root/a.rs", "one")]);
        let path = bench.path("a.rs");
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let chunks = std::iter::once_with(|| -> &[u8] {
                assert_eq!(bench.names("root").len(), 2, "the temporary file is there");
                std::panic::resume_unwind(Box::new("no more bytes"))
            });
            replace(&bench.workspace, &path, Digest::of(b"one"), chunks)
        }));
        assert!(result.is_err());
        assert_eq!(bench.names("root"), ["a.rs"]);
        assert_eq!(bench.text("root/a.rs"), "one");
        bench
            .replace("a.rs", "one", "two")
            .expect("the lock was given back");
    }

    #[test]
    fn the_mode_and_the_owner_are_kept() {
        for mode in [0o755, 0o600, 0o640, 0o666, 0o200] {
            let bench = Bench::with(&[("root/a.sh", "one")]);
            bench.set_mode("root/a.sh", mode);
            let before = std::fs::metadata(bench.base.join("root/a.sh")).expect("it is there");
            match bench.replace("a.sh", "one", "two") {
                Ok(()) => assert_eq!(bench.text("root/a.sh"), "two"),
                // Only the superuser can read a file that nobody may read.
                Err(FileError::PermissionDenied { why, .. }) => {
                    assert_eq!((mode, why), (0o200, Denied::System));
                }
                Err(other) => panic!("{mode:o}: {other}"),
            }
            assert_eq!(bench.mode("root/a.sh"), mode);
            let after = std::fs::metadata(bench.base.join("root/a.sh")).expect("it is there");
            assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
        }
    }

    #[test]
    fn the_owner_of_another_is_kept_or_the_edit_refused() {
        let bench = Bench::with(&[("root/a.rs", "one")]);
        let file = bench.base.join("root/a.rs");
        bench.set_mode("root/a.rs", 0o666);
        if std::os::unix::fs::chown(&file, Some(12345), Some(12345)).is_err() {
            // Only the superuser can change the owner of a file, which this test requires.
            return;
        }
        bench
            .replace("a.rs", "one", "two")
            .expect("the superuser may");
        let metadata = std::fs::metadata(&file).expect("it is there");
        assert_eq!((metadata.uid(), metadata.gid()), (12345, 12345));
        assert_eq!(bench.mode("root/a.rs"), 0o666);
        assert_eq!(bench.text("root/a.rs"), "two");
    }

    /// In a directory whose default list gives another user everything, the file has no list, or one that gives less.
    #[cfg(target_os = "linux")]
    #[expect(clippy::print_stderr, reason = "a test says what it cannot try")]
    #[test]
    fn nobody_can_read_the_new_bytes_who_cannot_read_the_file() {
        const LIST: &str = "system.posix_acl_access";
        /// Returns a list with these permissions of user 12345, of the group, the mask and others.
        fn list([user, group, mask, others]: [u16; 4]) -> Vec<u8> {
            let mut bytes = 2_u32.to_le_bytes().to_vec();
            let entries = [(1, 6, u32::MAX), (2, user, 12345), (4, group, u32::MAX)];
            let ends = [(16, mask, u32::MAX), (32, others, u32::MAX)];
            for (tag, permissions, id) in entries.into_iter().chain(ends) {
                let (tag, permissions): (u16, u16) = (tag, permissions);
                bytes.extend([tag.to_le_bytes(), permissions.to_le_bytes()].concat());
                bytes.extend(id.to_le_bytes());
            }
            bytes
        }
        /// Returns what user 12345, the group and others may do with a file.
        fn permissions(path: &std::path::Path) -> Option<[u32; 3]> {
            let mode = path.symlink_metadata().ok()?.mode();
            let list = xattr::get(path, LIST).expect("it is there");
            let Some(list) = list else {
                return Some([mode & 7, mode >> 3 & 7, mode & 7]);
            };
            let entry = |tag: u8| {
                let entries = list[4..].chunks(8);
                let found = entries.clone().find(|entry| entry[0] == tag);
                found.map_or(0, |entry| u32::from(entry[2]))
            };
            let mask = entry(16);
            Some([entry(2) & mask, entry(4) & mask, entry(32)])
        }
        let own_list = list([4, 0, 4, 0]);
        for (mode, own) in [(0o640, None), (0o600, None), (0o640, Some(&own_list))] {
            let bench = Bench::with(&[("root/a.rs", "one")]);
            let file = bench.base.join("root/a.rs");
            let default = xattr::set(
                bench.base.join("root"),
                "system.posix_acl_default",
                &list([7, 7, 7, 7]),
            );
            if let Err(error) = default {
                assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
                eprintln!("skipped: a directory with access control lists: {error}");
                return;
            }
            bench.set_mode("root/a.rs", mode);
            if let Some(list) = own {
                xattr::set(&file, LIST, list).expect("it can have a list");
            }
            let allowed = permissions(file.as_std_path()).expect("it is there");
            let folder = bench.base.join("root");
            let seen = std::rc::Rc::new(std::cell::Cell::new(0));
            let counted = seen.clone();
            let observe = move || {
                for entry in std::fs::read_dir(&folder).expect("it is there") {
                    let path = entry.expect("it is there").path();
                    let Some(given) = permissions(&path) else {
                        continue;
                    };
                    let is_wider = given
                        .iter()
                        .zip(allowed)
                        .any(|(given, own)| given & !own != 0);
                    assert!(!is_wider, "{given:?} instead of {allowed:?}");
                    counted.set(counted.get() + usize::from(!path.ends_with("a.rs")));
                }
            };
            let replaced = steps::observed(observe, || bench.replace("a.rs", "one", "two"));
            replaced.expect("nothing prevents it");
            assert!(
                seen.get() > 3,
                "the temporary file was seen {} times",
                seen.get()
            );
            assert_eq!(permissions(file.as_std_path()), Some(allowed));
            assert_eq!(xattr::get(&file, LIST).expect("it is there").as_ref(), own);
            assert_eq!(bench.mode("root/a.rs"), mode);
        }
    }

    #[test]
    fn a_link_stays_a_link() {
        let bench = Bench::with(&[("root/src/a.rs", "one")]);
        bench.link("root/link", "src/a.rs");
        bench
            .replace("link", "one", "two")
            .expect("it resolves to a file");
        let target = std::fs::read_link(bench.base.join("root/link")).expect("it is a link");
        assert_eq!(target, std::path::Path::new("src/a.rs"));
        assert_eq!(bench.text("root/src/a.rs"), "two");
        assert_eq!(bench.names("root"), ["link", "src"]);
    }

    #[test]
    fn a_file_with_other_names_is_read_and_not_replaced() {
        let bench = Bench::with(&[("root/a.rs", "one")]);
        let path = |name| bench.base.join("root").join(name);
        std::fs::hard_link(path("a.rs"), path("b.rs")).expect("it can be linked");
        let bytes = bench.workspace.read(&bench.path("b.rs"), 100);
        assert_eq!(bytes.expect("it can be read"), b"one");
        let refusal = "`a.rs` has 2 hard links, which replacing the file would break";
        assert_eq!(error_text(bench.replace("a.rs", "one", "two")), refusal);
        assert_eq!(bench.text("root/b.rs"), "one");
        assert_eq!(bench.names("root"), ["a.rs", "b.rs"]);
    }

    #[test]
    fn a_read_only_file_is_refused_for_everybody() {
        let bench = Bench::with(&[("root/a.rs", "one")]);
        bench.set_mode("root/a.rs", 0o444);
        assert_eq!(
            error_text(bench.replace("a.rs", "one", "two")),
            "`a.rs`: the file is read-only"
        );
        assert_eq!(bench.text("root/a.rs"), "one");
        assert_eq!(bench.mode("root/a.rs"), 0o444);
        assert_eq!(bench.names("root"), ["a.rs"]);
    }

    #[test]
    fn a_read_only_folder_is_the_systems_to_refuse() {
        let bench = Bench::with(&[("root/src/a.rs", "one")]);
        bench.set_mode("root/src", 0o555);
        let result = bench.replace("src/a.rs", "one", "two");
        bench.set_mode("root/src", 0o755);
        let expected = match result {
            // The superuser can write here.
            Ok(()) => "two",
            Err(FileError::PermissionDenied { why, .. }) => {
                assert_eq!(why, Denied::System);
                "one"
            }
            Err(other) => panic!("{other}"),
        };
        assert_eq!(bench.text("root/src/a.rs"), expected);
        assert_eq!(bench.names("root/src"), ["a.rs"]);
    }

    #[test]
    fn of_writers_that_saw_the_same_bytes_one_wins() {
        let bench = Bench::with(&[("root/a.rs", "0")]);
        // The writers use different paths to the same file.
        bench.link("root/link", "a.rs");
        for round in 0..20 {
            let old = round.to_string();
            let new = (round + 1).to_string();
            let results = std::thread::scope(|scope| {
                let writers = ["a.rs", "link", "a.rs", "link"]
                    .map(|path| scope.spawn(|| bench.replace(path, &old, &new)));
                writers.map(|writer| writer.join().expect("no writer panics"))
            });
            let won = results.iter().filter(|result| result.is_ok()).count();
            assert_eq!(won, 1, "{results:?}");
            for result in results {
                assert!(
                    matches!(result, Ok(()) | Err(FileError::Changed { .. })),
                    "{result:?}"
                );
            }
            assert_eq!(bench.text("root/a.rs"), new);
        }
        assert_eq!(bench.names("root"), ["a.rs", "link"]);
    }

    #[test]
    fn a_file_name_may_be_as_long_as_names_can_be() {
        let long = format!("{}.rs", "a".repeat(252));
        let bench = Bench::with(&[(&format!("root/{long}"), "one")]);
        bench
            .replace(&long, "one", "two")
            .expect("the name is allowed");
        assert_eq!(bench.names("root"), [long]);
    }
}
