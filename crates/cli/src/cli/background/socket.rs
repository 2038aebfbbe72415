//! The socket of a workspace and its lock.

#![expect(
    clippy::disallowed_methods,
    reason = "a socket is a file that only this module creates and removes"
)]

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;

use treegraft::source::Digest;
use treegraft::workspace::{StateDirectory, StateError};

/// The directory of the sockets in the state directory.
const FOLDER: &str = "background";
/// The number of digits of the roots' digest in the name of a socket.
const DIGITS: usize = 16;
/// The permissions of other users.
const OTHERS: u32 = 0o077;
/// The longest line that is read.
const LINE_LIMIT: u64 = 256 << 20;

/// Where the process of a workspace listens.
#[derive(Clone, Debug)]
pub(super) struct Place {
    folder: Utf8PathBuf,
    name: String,
}

/// The lock of a place. It is held until the process has ended.
#[derive(Debug)]
pub(super) struct Lock(
    #[expect(dead_code, reason = "the file is locked as long as it is open")] File,
);

impl Place {
    /// Returns the place for canonical roots.
    pub(super) fn for_roots<'a>(roots: impl Iterator<Item = &'a str>) -> Result<Place, StateError> {
        let state = StateDirectory::open(&StateDirectory::default_path()?)?;
        let roots: Vec<&str> = roots.collect();
        let digest = Digest::from_bytes(roots.join("\0").as_bytes()).to_string();
        Ok(Place {
            folder: state.path().join(FOLDER),
            name: digest[..DIGITS].to_string(),
        })
    }

    pub(super) fn socket(&self) -> Utf8PathBuf {
        self.folder.join(format!("{}.sock", self.name))
    }

    /// Returns whether the socket has a file.
    pub(super) fn exists(&self) -> bool {
        user_owned(&self.socket()).is_ok()
    }

    /// Removes the file of the socket, so that nobody connects to it any longer.
    pub(super) fn close(&self) {
        // If it fails, the next process removes it.
        let _ = fs::remove_file(self.socket());
    }

    /// Connects to the process.
    ///
    /// # Errors
    /// Nothing listens, or others may have access to the socket.
    pub(super) fn connect(&self) -> io::Result<UnixStream> {
        let mode = user_owned(&self.folder)?;
        if mode & OTHERS != 0 {
            return Err(denied("other users have access to the directory"));
        }
        user_owned(&self.socket())?;
        UnixStream::connect(self.socket())
    }

    /// Takes the lock. Returns `None` if another process has it.
    ///
    /// # Errors
    /// The system's error; or the directory belongs to another user.
    pub(super) fn lock(&self) -> io::Result<Option<Lock>> {
        let mut builder = DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(&self.folder);
        made?;
        if user_owned(&self.folder)? & OTHERS != 0 {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            fs::set_permissions(&self.folder, mode)?;
        }
        let lock = self.folder.join(format!("{}.lock", self.name));
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true).mode(0o600);
        let lock = options.open(lock)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Lock(lock))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Creates the socket.
    ///
    /// # Errors
    /// The system's error.
    pub(super) fn listen(&self, _: &Lock) -> io::Result<UnixListener> {
        // Nobody listens at a socket that is there: its process had the lock.
        match fs::remove_file(self.socket()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        UnixListener::bind(self.socket())
    }
}

/// Returns the permissions of a file that belongs to the user.
fn user_owned(path: &Utf8Path) -> io::Result<u32> {
    let found = fs::symlink_metadata(path)?;
    match found.uid() == rustix::process::geteuid().as_raw() {
        true => Ok(found.mode()),
        false => Err(denied("it belongs to another user")),
    }
}

fn denied(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}

/// Sends a value as a line of JSON.
pub(super) fn send(mut stream: &UnixStream, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// Receives a line of JSON, within a time if it is given. Returns `None` at the end of the input.
pub(super) fn receive<T: DeserializeOwned>(
    input: &mut BufReader<UnixStream>,
    within: Option<Duration>,
) -> io::Result<Option<T>> {
    input.get_ref().set_read_timeout(within)?;
    let mut line = Vec::new();
    input.take(LINE_LIMIT).read_until(b'\n', &mut line)?;
    match line.ends_with(b"\n") {
        true => Ok(Some(serde_json::from_slice(&line)?)),
        false => Ok(None),
    }
}
