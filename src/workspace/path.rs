//! Resolves a caller's path to a [`WorkspacePath`], or reports where it ends.
//!
//! The path is walked one name at a time, including links, without ever accessing a location outside the roots: a
//! caller cannot even learn whether something exists there. Refuses paths that resolve to a location outside the roots,
//! git's own files, the state directory, and control characters.

use std::sync::Arc;
use std::time::SystemTime;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use cap_std::fs::Metadata;

use super::disk::{Folder, IoFailure, if_exists};
use super::read::kind_of;
use super::settings::Settings;
use super::{FileError, FileKind, Outside, Workspace, WorkspaceError};

/// A file or directory inside the workspace, by its real path with links resolved.
///
/// Only [`Workspace::resolve`](super::Workspace::resolve) and the methods of the workspace create it. The file may
/// change or be removed afterwards, so every use opens it again from its root, without following links.
#[derive(Clone, Debug)]
pub struct WorkspacePath {
    root: Arc<Root>,
    /// The path below the root. Contains only normal names; empty for the root itself.
    relative: Utf8PathBuf,
    absolute: Utf8PathBuf,
    shown: Utf8PathBuf,
}

/// The directories that the caller may use, and the base of relative paths.
#[derive(Debug)]
pub(super) struct Roots {
    /// At least one root, without duplicates.
    all: Vec<Arc<Root>>,
    /// The base of relative paths in requests and answers. It is in `home`, with links resolved.
    base: Utf8PathBuf,
    home: Arc<Root>,
}

/// A directory that the caller may use, as a capability.
#[derive(Debug)]
pub(super) struct Root {
    /// The path as given by the caller, made absolute.
    given: Utf8PathBuf,
    /// The path with links resolved.
    pub(super) canonical: Utf8PathBuf,
    dir: Folder,
    /// The settings in its `treegraft.toml`, or in that of the root that it narrows.
    pub(super) settings: Arc<Settings>,
}

/// The end of a walk.
pub(super) enum Arrival {
    At(WorkspacePath),
    /// `folder` exists but has no entry `name`. `rest` are the remaining names.
    Missing {
        folder: WorkspacePath,
        name: String,
        rest: Vec<String>,
    },
}

/// The maximum number of links to follow: the number after which Linux reports a loop.
const MOST_LINKS: usize = 40;

impl WorkspacePath {
    /// Returns the path of the file in answers: relative to the base of relative paths, or absolute in another root. It
    /// resolves to the same file.
    pub fn display(&self) -> &Utf8Path {
        &self.shown
    }

    /// Returns the absolute path, with links resolved.
    pub fn absolute(&self) -> &Utf8Path {
        &self.absolute
    }

    /// Returns the path below its root. Empty for the root itself.
    pub fn relative(&self) -> &Utf8Path {
        &self.relative
    }

    /// Returns the kind of what is there now, without following a link, or `None` if nothing is.
    ///
    /// # Errors
    /// The path cannot be examined.
    pub fn kind(&self) -> Result<Option<FileKind>, FileError> {
        Ok(self.look()?.map(|metadata| kind_of(metadata.file_type())))
    }

    /// Returns when what is there was last changed, and its size. `None` if nothing is there, or it cannot be examined.
    pub fn last_change(&self) -> Option<(SystemTime, u64)> {
        let metadata = self.look().ok()??;
        let written = metadata.modified().ok()?;
        Some((written.into_std(), metadata.len()))
    }

    /// Returns the metadata of what is there now, without following a link, or `None` if nothing is.
    pub(super) fn look(&self) -> Result<Option<Metadata>, FileError> {
        if self.relative.as_str().is_empty() {
            let folder = self.open_dir()?;
            let metadata = folder.look_at_itself();
            return metadata.map(Some).map_err(|failed| self.refused(failed));
        }
        let Some((folder, name)) = self.find_folder()? else {
            return Ok(None);
        };
        if_exists(folder.look(name)).map_err(|failed| self.refused(failed))
    }

    /// Returns the maximum size of a file that can be read here, in bytes.
    pub fn file_limit(&self) -> u64 {
        self.root.settings.file_bytes()
    }

    /// Returns the settings of its root.
    pub(super) fn settings(&self) -> &Settings {
        &self.root.settings
    }

    /// Returns the path of `name` in this directory.
    pub(super) fn inside(&self, roots: &Roots, name: &str) -> WorkspacePath {
        roots.place(&self.root, &self.relative.join(name))
    }

    /// Returns the path of `relative` below the same root.
    pub(super) fn in_root(&self, roots: &Roots, relative: &Utf8Path) -> WorkspacePath {
        roots.place(&self.root, relative)
    }

    /// Opens the directory that contains the file, and also returns the file's name.
    pub(super) fn open_folder(&self) -> Result<(Folder, &str), FileError> {
        match (self.relative.parent(), self.relative.file_name()) {
            (Some(folder), Some(name)) => Ok((self.open_below_root(folder)?, name)),
            _ => Err(FileError::NotAFile {
                path: self.shown.clone(),
                kind: FileKind::Directory,
            }),
        }
    }

    /// Does the same as [`WorkspacePath::open_folder`]. Returns `None` if the directory does not exist.
    pub(super) fn find_folder(&self) -> Result<Option<(Folder, &str)>, FileError> {
        match self.open_folder() {
            Err(FileError::FileNotFound { .. }) => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Opens the directory with this path.
    pub(super) fn open_dir(&self) -> Result<Folder, FileError> {
        self.open_below_root(&self.relative)
    }

    /// Opens its root.
    pub(super) fn open_root(&self) -> Result<Folder, FileError> {
        let root = self.root.dir.again();
        root.map_err(|failed| self.refused(failed))
    }

    /// Descends name by name, without following links. The path had no links when it was checked, and a link that has
    /// appeared since may point to a location that the check would have refused.
    pub(super) fn open_below_root(&self, folder: &Utf8Path) -> Result<Folder, FileError> {
        let mut dir = self.open_root()?;
        for name in folder {
            let entered = dir.folder(name);
            dir = entered.map_err(|failed| self.refused_in(&dir, name, failed))?;
        }
        Ok(dir)
    }

    /// Converts the system's error into a refusal.
    pub(super) fn refused(&self, failed: IoFailure) -> FileError {
        FileError::from_io_failure(&self.shown, failed)
    }

    /// Does the same as [`WorkspacePath::refused`] for `name` in `folder`, which may have become a link.
    pub(super) fn refused_in(&self, folder: &Folder, name: &str, failed: IoFailure) -> FileError {
        match folder.look(name) {
            Ok(metadata) if metadata.is_symlink() => FileError::OutsideWorkspace {
                path: self.shown.clone(),
                why: Outside::LinkAppeared,
            },
            _ => self.refused(failed),
        }
    }
}

impl PartialEq for WorkspacePath {
    fn eq(&self, other: &WorkspacePath) -> bool {
        self.absolute == other.absolute
    }
}

impl Eq for WorkspacePath {}

impl std::hash::Hash for WorkspacePath {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.absolute.hash(state);
    }
}

impl Root {
    /// Opens a root, with the settings of its own `treegraft.toml` unless `settings` is given.
    pub(super) fn open(
        given: &Utf8Path,
        settings: Option<Arc<Settings>>,
    ) -> Result<Root, WorkspaceError> {
        let fails = |source| WorkspaceError::Root {
            path: given.to_owned(),
            source,
        };
        let canonical = given.canonicalize().map_err(fails)?;
        let canonical =
            Utf8PathBuf::from_path_buf(canonical).map_err(|_| WorkspaceError::NotUtf8 {
                path: given.to_owned(),
            })?;
        let canonical = without_prefix(canonical);
        let dir = Folder::open(&canonical).map_err(|failed| fails(failed.source))?;
        Ok(Root {
            given: camino::absolute_utf8(given).map_err(fails)?,
            settings: settings.unwrap_or_else(|| Arc::new(Settings::read(&dir, &canonical))),
            dir,
            canonical,
        })
    }
}

impl Roots {
    /// Creates the set of roots. Relative paths start from the first. Returns `None` if there is none.
    pub(super) fn new(all: Vec<Arc<Root>>) -> Option<Roots> {
        let home = all.first()?.clone();
        Some(Roots {
            base: home.canonical.clone(),
            home,
            all,
        })
    }

    /// Returns the roots with `base` as the start of relative paths, if it is in one of them.
    pub(super) fn relative_to(self, base: Utf8PathBuf) -> Roots {
        let home = self.containing(&base).map(|(root, _)| root.clone());
        match home {
            Some(home) => Roots { base, home, ..self },
            None => self,
        }
    }

    /// Returns the roots.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Root>> {
        self.all.iter()
    }

    /// Returns the root that contains the base of relative paths.
    pub(super) fn home(&self) -> &Root {
        &self.home
    }

    /// Returns the first root that contains `absolute`, and the path below it.
    fn containing<'r, 'p>(
        &'r self,
        absolute: &'p Utf8Path,
    ) -> Option<(&'r Arc<Root>, &'p Utf8Path)> {
        self.all.iter().find_map(|root| {
            let relative = absolute.strip_prefix(&root.canonical).ok()?;
            Some((root, relative))
        })
    }

    /// Returns the path of `relative` below a root.
    fn place(&self, root: &Arc<Root>, relative: &Utf8Path) -> WorkspacePath {
        // Joining with an empty path would add a trailing separator.
        let absolute = match relative.as_str() {
            "" => root.canonical.clone(),
            _ => root.canonical.join(relative),
        };
        WorkspacePath {
            root: root.clone(),
            relative: relative.to_owned(),
            shown: self.shown(&absolute),
            absolute,
        }
    }

    /// Returns the form of an absolute path in answers. The path has no links.
    pub(super) fn shown(&self, absolute: &Utf8Path) -> Utf8PathBuf {
        let levels = self.base.ancestors().enumerate();
        let mut in_home = levels.take_while(|(_, folder)| folder.starts_with(&self.home.canonical));
        let found =
            in_home.find_map(|(up, folder)| Some((up, absolute.strip_prefix(folder).ok()?)));
        let Some((up, below)) = found else {
            return with_slashes(absolute.to_owned());
        };
        let above = std::iter::repeat_n(Utf8Component::ParentDir, up);
        let shown: Utf8PathBuf = above.chain(below.components()).collect();
        match shown.as_str() {
            "" => Utf8PathBuf::from("."),
            _ => with_slashes(shown),
        }
    }

    /// Returns the absolute path for a path from an answer, whether or not a file exists there.
    pub(super) fn absolute(&self, shown: &Utf8Path) -> Utf8PathBuf {
        let mut absolute = Utf8PathBuf::new();
        for component in self.base.join(shown).components() {
            match component {
                Utf8Component::ParentDir => drop(absolute.pop()),
                Utf8Component::CurDir => {}
                name => absolute.push(name),
            }
        }
        absolute
    }
}

/// Returns the path with `/` as separator, as on other systems and in diffs. Windows accepts it too.
fn with_slashes(path: Utf8PathBuf) -> Utf8PathBuf {
    match std::path::MAIN_SEPARATOR {
        '/' => path,
        separator => Utf8PathBuf::from(path.as_str().replace(separator, "/")),
    }
}

/// Returns a path with resolved links as people and programs write it: Windows puts `\\?\` before its drive, or
/// `\\?\UNC` before its host.
pub(super) fn without_prefix(path: Utf8PathBuf) -> Utf8PathBuf {
    match path.as_str().strip_prefix(r"\\?\") {
        None => path,
        Some(rest) => match rest.strip_prefix(r"UNC\") {
            None => Utf8PathBuf::from(rest),
            Some(shared) => Utf8PathBuf::from(format!(r"\\{shared}")),
        },
    }
}

impl Workspace {
    /// Resolves `path`: either relative to the first root (or to the base of [`Workspace::relative_to`]), or absolute
    /// and inside a root.
    ///
    /// Follows links that stay in the workspace. The result is the target of the link, so a write keeps the link.
    /// Refuses paths that do not exist.
    pub fn resolve(&self, path: &str) -> Result<WorkspacePath, FileError> {
        match self.walk(path)? {
            Arrival::At(path) => Ok(path),
            Arrival::Missing { folder, name, .. } => Err(FileError::FileNotFound {
                path: path.into(),
                missing: folder.inside(&self.roots, &name).shown,
            }),
        }
    }

    /// Does the same as [`Workspace::resolve`], but also accepts a missing file in an existing directory, for example a
    /// deleted file.
    pub fn place(&self, path: &str) -> Result<WorkspacePath, FileError> {
        match self.walk(path)? {
            Arrival::At(path) => Ok(path),
            Arrival::Missing { folder, name, rest } => {
                let missing = folder.inside(&self.roots, &name);
                match rest.is_empty() {
                    true => Ok(missing),
                    false => Err(FileError::FileNotFound {
                        path: path.into(),
                        missing: missing.shown,
                    }),
                }
            }
        }
    }

    /// Walks `given` from the base of relative paths, or from the root that it starts with.
    pub(super) fn walk(&self, given: &str) -> Result<Arrival, FileError> {
        let roots = &self.roots;
        let path = Utf8PathBuf::from(given);
        refuse_control_characters(&path)?;
        if given.is_empty() {
            return Err(FileError::FileNotFound {
                path: path.clone(),
                missing: path,
            });
        }
        // Walk down from the root, since the base of relative paths may itself be inaccessible.
        let whole = roots.base.join(given);
        let outside = || FileError::OutsideWorkspace {
            path: path.clone(),
            why: Outside::Roots,
        };
        let (at, pending) = start(roots, &roots.base, &whole).ok_or_else(outside)?;
        let mut walk = PathWalk {
            roots,
            state: self.state.path(),
            given: &path,
            at,
            is_directory: true,
            pending,
            links: 0,
        };
        while let Some(name) = walk.pending.pop() {
            if let Some(missing) = walk.enter(name)? {
                return Ok(missing);
            }
        }
        match roots.containing(&walk.at) {
            Some((root, relative)) => Ok(Arrival::At(roots.place(root, relative))),
            None => Err(outside()),
        }
    }
}

/// A walk in progress.
struct PathWalk<'w> {
    roots: &'w Roots,
    /// The path of the state directory, with links resolved.
    state: &'w Utf8Path,
    given: &'w Utf8Path,
    /// The absolute path so far, with links resolved.
    at: Utf8PathBuf,
    /// Whether `at` is a directory.
    is_directory: bool,
    /// The remaining names, the last one first.
    pending: Vec<String>,
    /// The number of links followed so far.
    links: usize,
}

/// Returns whether some file system treats the name as `.git`: in any case; with dots, spaces or the name of a stream at
/// its end, or by its short name (NTFS); with invisible characters (HFS+). git refuses the same names everywhere, since a
/// directory can be shared with such a system.
pub(super) fn is_git_directory(name: &str) -> bool {
    let is_invisible = |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    [".git", "git~1"].iter().any(|known| {
        let visible = name.chars().filter(|c| !is_invisible(*c));
        let mut visible = visible.map(|c| c.to_ascii_lowercase());
        known.chars().all(|c| visible.next() == Some(c))
            && visible
                .take_while(|c| *c != ':')
                .all(|c| matches!(c, '.' | ' '))
    })
}

/// Returns whether a path is a directory, or inside it. Ignores the case of letters, as some file systems do.
pub(super) fn is_inside(path: &Utf8Path, directory: &Utf8Path) -> bool {
    let mut names = path.components();
    directory.components().all(|name| {
        let other = names.next();
        other.is_some_and(|other| other.as_str().eq_ignore_ascii_case(name.as_str()))
    })
}

impl PathWalk<'_> {
    /// Enters the next name. Returns the end of the walk if no entry has that name.
    fn enter(&mut self, name: String) -> Result<Option<Arrival>, FileError> {
        let next = self.at.join(&name);
        if !self.is_directory {
            return Err(FileError::FileNotFound {
                path: self.given.to_owned(),
                missing: self.roots.shown(&next),
            });
        }
        if name == ".." {
            self.at.pop();
            return Ok(None);
        }
        let Some((root, folder)) = self.roots.containing(&self.at) else {
            // Above the roots, only the directories on the way down to a root are known.
            let mut roots = self.roots.iter();
            if !roots.any(|root| root.canonical.starts_with(&next)) {
                return Err(self.outside(Outside::Roots));
            }
            self.at = next;
            return Ok(None);
        };
        if is_git_directory(&name) {
            return Err(self.outside(Outside::GitInternals));
        }
        if is_inside(&next, self.state) {
            return Err(self.outside(Outside::StateDirectory));
        }
        let relative = folder.join(&name);
        match root.dir.look(&relative) {
            Ok(metadata) if metadata.is_symlink() => self.follow(root, &relative)?,
            Ok(metadata) => {
                self.is_directory = metadata.is_dir();
                self.at = next;
            }
            Err(failure) if failure.is_not_found() => {
                let folder = self.roots.place(root, folder);
                let mut rest = std::mem::take(&mut self.pending);
                rest.reverse();
                return Ok(Some(Arrival::Missing { folder, name, rest }));
            }
            Err(failure) => return Err(FileError::from_io_failure(self.given, failure)),
        }
        Ok(None)
    }

    /// Continues with the target of a link in the current directory.
    fn follow(&mut self, root: &Root, link: &Utf8Path) -> Result<(), FileError> {
        self.links += 1;
        if self.links > MOST_LINKS {
            return Err(FileError::NotAFile {
                path: self.given.to_owned(),
                kind: FileKind::Link,
            });
        }
        let target = root.dir.link(link);
        let target = target.map_err(|failure| FileError::from_io_failure(self.given, failure))?;
        // A target that is not UTF-8 has no name in the workspace.
        let target =
            Utf8PathBuf::from_path_buf(target).map_err(|_| self.outside(Outside::Roots))?;
        // Answers may contain the names of link targets.
        refuse_control_characters(&target)?;
        let started = start(self.roots, &self.at, &target);
        let (at, names) = started.ok_or_else(|| self.outside(Outside::Roots))?;
        self.at = at;
        self.pending.extend(names);
        Ok(())
    }

    fn outside(&self, why: Outside) -> FileError {
        FileError::OutsideWorkspace {
            path: self.given.to_owned(),
            why,
        }
    }
}

/// Refuses a path with a control character.
pub(crate) fn refuse_control_characters(path: &Utf8Path) -> Result<(), FileError> {
    match path
        .as_str()
        .chars()
        .find(|character| character.is_control())
    {
        None => Ok(()),
        Some(character) => Err(FileError::ControlCharacter {
            path: path.to_owned(),
            character,
        }),
    }
}

/// Returns the directory where `path` starts, and its names from there, the last one first. Returns `None` if the path
/// is absolute and in no root.
fn start(roots: &Roots, from: &Utf8Path, path: &Utf8Path) -> Option<(Utf8PathBuf, Vec<String>)> {
    let (at, rest) = if path.is_absolute() {
        roots.iter().find_map(|root| {
            let rest = path
                .strip_prefix(&root.canonical)
                .or_else(|_| path.strip_prefix(&root.given));
            Some((root.canonical.clone(), rest.ok()?))
        })?
    } else {
        (from.to_owned(), path)
    };
    let names = rest.components().rev();
    let names = names.filter(|name| *name != Utf8Component::CurDir);
    Some((at, names.map(|name| name.as_str().to_owned()).collect()))
}
