//! From the words of a caller to a file of the workspace: a path comes in, a
//! [`WorkspacePath`] goes out, or where it stopped.
//!
//! The path is walked one name at a time, links included, without ever asking the system
//! about a place outside of the roots: not even whether something is there can be learned.
//! Refused: what leads outside, git's own files, the state directory, control characters.

use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::disk::{Failed, Folder};
use super::settings::Settings;
use super::{FileError, FileKind, Outside};

/// A file or directory inside the workspace: its real name, links resolved.
///
/// Made by [`Workspace::resolve`](super::Workspace::resolve) alone. The file may change or
/// go afterwards, so every use opens it again from its root, following no link at all.
#[derive(Clone, Debug)]
pub struct WorkspacePath {
    root: Arc<Root>,
    /// Normal names only; empty for the root itself.
    relative: Utf8PathBuf,
    absolute: Utf8PathBuf,
    shown: Utf8PathBuf,
}

/// The directories the caller may work in, and the one that relative paths start from.
#[derive(Debug)]
pub(super) struct Roots {
    /// At least one; no two the same.
    all: Vec<Arc<Root>>,
    /// Where relative paths start, and what answers name files relative to: in `home`, without links.
    base: Utf8PathBuf,
    home: Arc<Root>,
}

/// A directory the caller may work in, as a capability.
#[derive(Debug)]
pub(super) struct Root {
    /// As the caller calls it, made absolute.
    pub(super) given: Utf8PathBuf,
    /// The same without links.
    pub(super) canonical: Utf8PathBuf,
    pub(super) dir: Folder,
    /// What its `treegraft.toml` says, or that of the root which it narrows.
    pub(super) settings: Arc<Settings>,
}

/// Where a walk ends.
pub(super) enum Arrival {
    At(WorkspacePath),
    /// `folder` exists and has no `name`; `rest` would have followed.
    Missing {
        folder: WorkspacePath,
        name: String,
        rest: Vec<String>,
    },
}

/// As many as Linux follows before it calls a path a loop.
const MOST_LINKS: usize = 40;

impl WorkspacePath {
    /// How the file is named in answers, and found again: relative to where relative paths start, absolute
    /// in another root than that is in.
    pub fn display(&self) -> &Utf8Path {
        &self.shown
    }

    /// The absolute path without links.
    pub fn absolute(&self) -> &Utf8Path {
        &self.absolute
    }

    /// The path below its root; empty for the root itself.
    pub fn relative(&self) -> &Utf8Path {
        &self.relative
    }

    /// The largest file that is read here, in bytes.
    pub fn file_limit(&self) -> u64 {
        self.root.settings.file_bytes()
    }

    /// What the `treegraft.toml` of its root says.
    pub(super) fn settings(&self) -> &Settings {
        &self.root.settings
    }

    /// The place of `name` in this directory.
    pub(super) fn inside(&self, roots: &Roots, name: &str) -> WorkspacePath {
        roots.place(&self.root, &self.relative.join(name))
    }

    /// The place of a path below the root it is in.
    pub(super) fn in_root(&self, roots: &Roots, relative: &Utf8Path) -> WorkspacePath {
        roots.place(&self.root, relative)
    }

    /// Opens the directory the file is in, and says the file's name in it.
    pub(super) fn open_folder(&self) -> Result<(Folder, &str), FileError> {
        match (self.relative.parent(), self.relative.file_name()) {
            (Some(folder), Some(name)) => Ok((self.open_below_root(folder)?, name)),
            _ => Err(FileError::NotAFile {
                path: self.shown.clone(),
                kind: FileKind::Directory,
            }),
        }
    }

    /// Opens the directory this path names.
    pub(super) fn open_dir(&self) -> Result<Folder, FileError> {
        self.open_below_root(&self.relative)
    }

    /// Goes down name by name and follows no link: the path had none when it was checked,
    /// and one that has appeared since may lead where the check would not have let it.
    fn open_below_root(&self, folder: &Utf8Path) -> Result<Folder, FileError> {
        let root = self.root.dir.again();
        let mut dir = root.map_err(|failed| self.refused(failed))?;
        for name in folder {
            dir = match dir.folder(name) {
                Ok(dir) => dir,
                Err(failed) => return Err(self.refused_in(&dir, name, failed)),
            };
        }
        Ok(dir)
    }

    /// What the system's refusal means for the caller.
    pub(super) fn refused(&self, failed: Failed) -> FileError {
        FileError::from_failed(&self.shown, failed)
    }

    /// The same for `name` in `folder`, which may have become a link.
    pub(super) fn refused_in(&self, folder: &Folder, name: &str, failed: Failed) -> FileError {
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

impl Roots {
    /// Those directories; relative paths start from the first. Nothing where there is none.
    pub(super) fn new(all: Vec<Arc<Root>>) -> Option<Roots> {
        let home = all.first()?.clone();
        Some(Roots {
            base: home.canonical.clone(),
            home,
            all,
        })
    }

    /// The same; relative paths start from `base`, where it is in one of them.
    pub(super) fn relative_to(self, base: Utf8PathBuf) -> Roots {
        let home = self.containing(&base).map(|(root, _)| root.clone());
        match home {
            Some(home) => Roots { base, home, ..self },
            None => self,
        }
    }

    /// The directories.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Root>> {
        self.all.iter()
    }

    /// The root that relative paths are in.
    pub(super) fn home(&self) -> &Root {
        &self.home
    }

    /// The first root that `absolute` is in, and the path below it.
    fn containing<'a>(&'a self, absolute: &'a Utf8Path) -> Option<(&'a Arc<Root>, &'a Utf8Path)> {
        self.all.iter().find_map(|root| {
            let relative = absolute.strip_prefix(&root.canonical).ok()?;
            Some((root, relative))
        })
    }

    /// The place of a path below a root.
    fn place(&self, root: &Arc<Root>, relative: &Utf8Path) -> WorkspacePath {
        // Joining with nothing would leave a separator at the end.
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

    /// How an absolute path without links is named in answers.
    pub(super) fn shown(&self, absolute: &Utf8Path) -> Utf8PathBuf {
        let levels = self.base.ancestors().enumerate();
        let mut in_home = levels.take_while(|(_, folder)| folder.starts_with(&self.home.canonical));
        let found =
            in_home.find_map(|(up, folder)| Some((up, absolute.strip_prefix(folder).ok()?)));
        let Some((up, below)) = found else {
            return absolute.to_owned();
        };
        let above = std::iter::repeat_n(Utf8Component::ParentDir, up);
        let shown: Utf8PathBuf = above.chain(below.components()).collect();
        match shown.as_str() {
            "" => Utf8PathBuf::from("."),
            _ => shown,
        }
    }

    /// The absolute path that is named so in answers, whether or not anything is there.
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

/// Walks `given` from where relative paths start, or from the root it begins with.
///
/// `state` is the state directory without links.
pub(super) fn walk(roots: &Roots, state: &Utf8Path, given: &str) -> Result<Arrival, FileError> {
    let path = || Utf8PathBuf::from(given);
    let outside = |why| FileError::OutsideWorkspace { path: path(), why };
    shows_as_it_is(Utf8Path::new(given))?;
    if given.is_empty() {
        return Err(FileError::FileNotFound {
            path: path(),
            missing: path(),
        });
    }

    // Down from the root, since the directory that relative paths start from may itself be closed.
    let whole = roots.base.join(given);
    let (mut at, mut pending) = start(roots, &roots.base, &whole).ok_or(outside(Outside::Roots))?;
    let mut at_is_directory = true;
    let mut links = 0;
    while let Some(name) = pending.pop() {
        if !at_is_directory {
            return Err(FileError::FileNotFound {
                path: path(),
                missing: roots.shown(&at.join(name)),
            });
        }
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        let Some((root, folder)) = roots.containing(&at) else {
            // Above the roots, where only the way back down to one of them is known.
            if roots.iter().any(|root| root.canonical.starts_with(&next)) {
                at = next;
                continue;
            }
            return Err(outside(Outside::Roots));
        };
        // Some file systems take `.GIT` for the same name.
        if name.eq_ignore_ascii_case(".git") {
            return Err(outside(Outside::GitInternals));
        }
        if next.starts_with(state) {
            return Err(outside(Outside::StateDirectory));
        }
        let relative = folder.join(&name);
        let refused = |failed| FileError::from_failed(Utf8Path::new(given), failed);
        let metadata = match root.dir.look(&relative) {
            Ok(metadata) => metadata,
            Err(failed) if failed.is_not_found() => {
                pending.reverse();
                return Ok(Arrival::Missing {
                    folder: roots.place(root, folder),
                    name,
                    rest: pending,
                });
            }
            Err(failed) => return Err(refused(failed)),
        };
        if !metadata.is_symlink() {
            at_is_directory = metadata.is_dir();
            at = next;
            continue;
        }
        links += 1;
        if links > MOST_LINKS {
            return Err(FileError::NotAFile {
                path: path(),
                kind: FileKind::Link,
            });
        }
        let target = root.dir.link(&relative).map_err(refused)?;
        // A target that cannot be written as text is not in the workspace by any name.
        let target = Utf8PathBuf::from_path_buf(target).map_err(|_| outside(Outside::Roots))?;
        // Answers name what the links lead to.
        shows_as_it_is(&target)?;
        let (onward, names) = start(roots, &at, &target).ok_or(outside(Outside::Roots))?;
        at = onward;
        pending.extend(names);
    }
    match roots.containing(&at) {
        Some((root, relative)) => Ok(Arrival::At(roots.place(root, relative))),
        None => Err(outside(Outside::Roots)),
    }
}

/// Refuses a path with a control character.
fn shows_as_it_is(path: &Utf8Path) -> Result<(), FileError> {
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

/// Where `path` begins, and its names from there, last one first; nothing when it is
/// absolute and in no root.
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
