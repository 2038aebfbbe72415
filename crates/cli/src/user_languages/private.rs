//! Checks that other users cannot change a file or a directory, and creates such ones.
//!
//! A library runs as the user, so nobody else may be able to replace it. Systems other than Unix have no modes: there,
//! the user's directory has the permissions of the user's profile.

#![expect(
    clippy::disallowed_methods,
    reason = "the directory is the user's, and no path in it comes from a workspace"
)]

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;

use camino::Utf8Path;

/// The kind of a path.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    File,
    Directory,
}

/// Refuses a link, another kind of file, and a file that other users can write.
///
/// # Errors
/// The reason.
pub(super) fn check(path: &Utf8Path, kind: Kind) -> Result<(), String> {
    let metadata =
        fs::symlink_metadata(path).map_err(|error| format!("cannot read `{path}`: {error}"))?;
    if metadata.is_symlink() {
        return Err(format!("`{path}` is a link"));
    }
    match kind {
        Kind::File if !metadata.is_file() => return Err(format!("`{path}` is not a file")),
        Kind::Directory if !metadata.is_dir() => {
            return Err(format!("`{path}` is not a directory"));
        }
        _ => {}
    }
    check_mode(path, &metadata, 0o022)?;
    check_owner(path, &metadata)
}

/// Refuses a file or directory that all users can write. Follows links.
///
/// # Errors
/// The reason.
pub(super) fn check_not_for_all(path: &Utf8Path) -> Result<(), String> {
    let metadata = fs::metadata(path).map_err(|error| format!("cannot read `{path}`: {error}"))?;
    check_mode(path, &metadata, 0o002)
}

#[cfg(unix)]
fn check_mode(path: &Utf8Path, metadata: &Metadata, refused: u32) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode();
    match mode & refused {
        0 => Ok(()),
        _ => Err(format!(
            "other users can write `{path}` (mode {:03o})",
            mode & 0o777
        )),
    }
}

#[cfg(not(unix))]
fn check_mode(_: &Utf8Path, _: &Metadata, _: u32) -> Result<(), String> {
    Ok(())
}

#[cfg(unix)]
fn check_owner(path: &Utf8Path, metadata: &Metadata) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid();
    match metadata.uid() == own.as_raw() || metadata.uid() == 0 {
        true => Ok(()),
        false => Err(format!("`{path}` belongs to another user")),
    }
}

#[cfg(not(unix))]
fn check_owner(_: &Utf8Path, _: &Metadata) -> Result<(), String> {
    Ok(())
}

/// Creates a directory that only the user can access.
///
/// # Errors
/// The system's error.
pub(super) fn create(path: &Utf8Path) -> io::Result<()> {
    builder().create(path)
}

/// Does the same for a directory that may exist, and creates the missing directories above it.
///
/// # Errors
/// The system's error.
pub(super) fn create_all(path: &Utf8Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

/// Waits until no other process changes the languages in the directory. The lock ends with the value.
///
/// # Errors
/// The system's error.
#[cfg(unix)]
pub(super) fn locked(directory: &Utf8Path) -> io::Result<File> {
    let directory = File::open(directory)?;
    directory.lock()?;
    Ok(directory)
}

/// Locks nothing: other systems cannot lock a directory.
#[cfg(not(unix))]
pub(super) fn locked(_: &Utf8Path) -> io::Result<()> {
    Ok(())
}

fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "other systems have no modes"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Creates a file that only the user can read and write. It must not exist.
///
/// # Errors
/// The system's error.
pub(super) fn create_file(path: &Utf8Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
