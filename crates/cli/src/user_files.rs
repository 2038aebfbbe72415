//! Reads and writes files and streams that the user names on the command line, anywhere in the file
//! system. Paths from agents go through [`treegraft::workspace`].

#![expect(clippy::disallowed_methods, reason = "the user may name any file")]

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::time::SystemTime;

use camino::{Utf8Path, Utf8PathBuf};

/// Reads a file that the user names, or the configuration of one of the user's programs.
///
/// # Errors
/// The system's error.
pub(crate) fn read(path: &Utf8Path) -> io::Result<Vec<u8>> {
    fs::read(path)
}

/// Opens a file that the user names, to read its lines.
///
/// # Errors
/// The system's error.
pub(crate) fn open(path: &Utf8Path) -> io::Result<Box<dyn BufRead>> {
    Ok(Box::new(BufReader::new(File::open(path)?)))
}

/// Returns standard input, to read its lines.
pub(crate) fn standard_input() -> Box<dyn BufRead> {
    Box::new(io::stdin().lock())
}

/// Reads all of standard input.
///
/// # Errors
/// The system's error.
pub(crate) fn read_standard_input() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a line of standard input.
///
/// # Errors
/// The system's error.
pub(crate) fn read_line_of_standard_input() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line)
}

/// The output file of a batch, locked by this process.
#[derive(Debug)]
pub(crate) struct Output {
    file: File,
    /// The absolute path without links.
    pub(crate) path: Utf8PathBuf,
    /// The content when the file was opened.
    pub(crate) bytes: Vec<u8>,
    /// Whether opening created the file.
    pub(crate) is_new: bool,
}

impl Output {
    /// Opens a file for appending, or creates it; `None` if another process has locked it.
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

    /// Truncates the file to the first `bytes` bytes of its content when it was opened.
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

/// Writes a whole file into a directory, and creates the directory if it is missing.
///
/// # Errors
/// The system's error.
pub(crate) fn write(folder: &Utf8Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(name), bytes)
}

/// Returns whether a path exists. A broken link exists.
pub(crate) fn exists(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns the time of the last change of a file, and its size; `None` if it cannot be examined.
#[cfg(unix)]
pub(crate) fn stamp(path: &Utf8Path) -> Option<(SystemTime, u64)> {
    let found = fs::metadata(path).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Removes a file, or the link to it.
///
/// # Errors
/// The system's error.
pub(crate) fn remove(path: &Utf8Path) -> io::Result<()> {
    fs::remove_file(path)
}

/// Removes a directory if it is empty. Returns whether it is gone.
pub(crate) fn remove_empty_directory(path: &Utf8Path) -> bool {
    fs::remove_dir(path).is_ok() || !exists(path)
}

/// Returns whether a path is a file, not a link to one.
pub(crate) fn is_regular(path: &Utf8Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}
