//! Reads files, and lists the names in directories.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::{FileType, Metadata};

use crate::language::Language;
use crate::source::{Digest, Source};

use super::disk::{Folder, OpenFile};
use super::path::{is_git_directory, is_inside};
use super::temporary::is_temporary;
use super::{FileError, NotRead, Outside, Workspace, WorkspacePath};

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

/// The state of a file just before its bytes were read.
#[derive(Clone, Debug)]
pub(super) struct FileSnapshot {
    pub(super) metadata: Metadata,
    pub(super) at: SystemTime,
}

impl Workspace {
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
}

impl FileSnapshot {
    /// Returns whether the file certainly has the same bytes as before.
    pub(super) fn is_still(&self, now: &Metadata) -> bool {
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
pub(super) fn read_seen(
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
pub(super) fn read_text(
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

/// Returns the digest of the file's bytes.
pub(super) fn digest(path: &WorkspacePath) -> Result<Digest, FileError> {
    let (folder, name) = path.open_folder()?;
    Ok(digest_in(path, &folder, name)?.0)
}

/// Returns the digest of the bytes of `name` in `folder`, and the metadata of the file.
pub(super) fn digest_in(
    path: &WorkspacePath,
    folder: &Folder,
    name: &str,
) -> Result<(Digest, Metadata), FileError> {
    let (mut file, metadata) = open_regular(path, folder, name)?;
    let digest = file.digested(|bytes| Digest::of_reader(bytes));
    Ok((digest.map_err(|failed| path.refused(failed))?, metadata))
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

pub(super) fn kind_of(file_type: FileType) -> FileKind {
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
