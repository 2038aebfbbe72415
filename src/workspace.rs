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
mod attributes;
mod disk;
mod error;
mod files;
mod lock;
mod locked_file;
mod new_file;
mod path;
mod prepare;
mod programs;
mod read;
mod recover;
mod settings;
mod similar;
mod state;
mod temporary;

#[cfg(feature = "servers")]
use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::language::{self, Language};
use approval::Approval;
use path::{Root, Roots, without_prefix};

pub use approval::{ApprovalRequired, Caller, WritePermit};
pub use attributes::FileAttributes;
#[cfg(test)]
pub(crate) use disk::steps;
pub use disk::{Readers, Step};
pub use error::{Denied, FileError, NotRead, Outside};
pub use files::{Extent, FilesFound, NoExtent, has_wildcard};
pub(crate) use lock::sweep as sweep_locks;
pub use locked_file::LockedFile;
pub use path::WorkspacePath;
pub(crate) use path::refuse_control_characters;
pub use prepare::WriteWarning;
pub(crate) use prepare::{Made, Prepared, Unsynced};
#[cfg(feature = "servers")]
pub use programs::find_program;
#[cfg(feature = "servers")]
pub(crate) use programs::is_there;
pub(crate) use programs::read_configuration;
pub use programs::search_path;
pub use read::{DirEntry, FileKind, Listing};
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

/// The directories that a caller may use, and the user's state directory.
#[derive(Debug)]
pub struct Workspace {
    roots: Roots,
    state: StateDirectory,
    approval: Approval,
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
            let root = Root::open(path, None)?;
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
        let opened = |folder: &Utf8PathBuf| Root::open(folder, Some(unsaid.clone())).ok();
        let folders: Vec<Root> = folders.iter().filter_map(opened).collect();
        let folders = || folders.iter().map(|folder| folder.canonical.as_path());
        let mut roots: Vec<Arc<Root>> = Vec::new();
        for root in self.roots.iter() {
            let own = root.canonical.as_path();
            let whole = folders().any(|folder| own.starts_with(folder));
            let inside = folders().filter(|folder| folder.starts_with(own));
            for kept in whole.then_some(own).into_iter().chain(inside) {
                if !roots.iter().any(|known| kept.starts_with(&known.canonical)) {
                    let narrowed = Root::open(kept, Some(root.settings.clone())).ok()?;
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
}

#[cfg(all(test, unix))]
mod tests;
