//! Opens and writes files that the user names on the command line for output. They can be anywhere, since the user may
//! write there. Never called with a path from an agent.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};

use camino::{Utf8Path, Utf8PathBuf};

/// An output file that the user names on the command line, held by this process alone.
#[derive(Debug)]
pub(crate) struct Output {
    file: File,
    /// The absolute path without links.
    pub(crate) path: Utf8PathBuf,
    /// The content at the time of opening.
    pub(crate) bytes: Vec<u8>,
    /// Whether the file was just created.
    pub(crate) is_new: bool,
}

impl Output {
    /// Opens a file for appending, or creates it. Returns `None` if another process has locked it.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn open(path: &Utf8Path) -> io::Result<Option<Output>> {
        let mut options = OpenOptions::new();
        options.read(true).append(true);
        let (mut file, is_new) = match options.clone().create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                (options.open(path)?, false)
            }
            made => (made?, true),
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(Some(Output {
            path: path.canonicalize_utf8()?,
            file,
            bytes,
            is_new,
        }))
    }

    /// Truncates the file to the first `bytes` of its bytes.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn cut(&mut self, bytes: usize) -> io::Result<()> {
        match bytes < self.bytes.len() {
            true => self.file.set_len(bytes as u64),
            false => Ok(()),
        }
    }

    /// Appends to the file.
    ///
    /// # Errors
    /// The system's error.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }
}

/// Writes a whole file to a directory. Creates the directory if it is missing.
///
/// # Errors
/// The system's error.
pub(crate) fn write_named_by_user(folder: &Utf8Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(name), bytes)
}
