//! Locks files across processes: one writer holds the [`FileLock`] of an absolute path. Refuses if another writer holds
//! it for too long.
//!
//! The locks are separate files in the state directory. The written file itself is replaced, so a lock on it would stay
//! with the old file. The locks are advisory: a change by an editor that ignores them is detected by the digest.
//! Processes with different state directories do not share locks.

use std::time::{Duration, Instant};

use camino::Utf8Path;

use super::disk::HeldLock;
use super::state::{StateDirectory, StateError};
use crate::source::Digest;

/// The lock of one file. It is held until it is dropped or the process ends.
#[derive(Debug)]
pub(super) struct FileLock {
    _held: HeldLock,
}

/// Why a file could not be locked.
#[derive(Debug)]
pub(super) enum NotLocked {
    /// Another writer held the lock for too long.
    Busy { waited: Duration },
    /// The lock file cannot be used.
    State(StateError),
}

/// The maximum waiting time for all earlier writers, as a multiple of `patience`.
const WRITERS: u32 = 12;

/// The folder of the lock files in the state directory.
const FOLDER: &str = "locks";

impl FileLock {
    /// Waits for the lock of the file at `path`, which must be canonical. Waits up to `patience` for each earlier
    /// writer, and up to [`WRITERS`] times `patience` in total.
    pub(super) fn acquire(
        state: &StateDirectory,
        path: &Utf8Path,
        patience: Duration,
    ) -> Result<FileLock, NotLocked> {
        let name = Digest::from_bytes(path.as_str().as_bytes()).to_string();
        let open = || state.lock_file(FOLDER, &name).map_err(NotLocked::State);
        let failed = |failed| NotLocked::State(state.refused(FOLDER, &name, failed));
        let mut file = open()?;
        let (started, mut since) = (Instant::now(), Instant::now());
        let mut marked_at = None;
        let mut pause = Duration::from_millis(1);
        // Poll, because the system call has no timeout and a hanging writer must not block the others forever. A write
        // takes milliseconds.
        loop {
            if file.try_lock().map_err(failed)? {
                file.mark().map_err(failed)?;
                // Otherwise, the file was removed before it was locked, and another process may lock its successor.
                if file.has_its_name().map_err(failed)? {
                    return Ok(FileLock {
                        _held: file.into_held(),
                    });
                }
                file = open()?;
                continue;
            }
            let now = Some(file.marked_at().map_err(failed)?);
            if now != marked_at {
                (marked_at, since) = (now, Instant::now());
            }
            let (waited, all) = (since.elapsed(), started.elapsed());
            if waited >= patience || all >= patience * WRITERS {
                return Err(NotLocked::Busy { waited: all });
            }
            std::thread::sleep(pause.min(patience - waited));
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }
}

/// Removes the lock files that have not been locked for `unused` and are not locked now.
///
/// # Errors
/// The state directory fails.
#[cfg(unix)]
pub(crate) fn sweep(state: &StateDirectory, unused: Duration) -> Result<(), StateError> {
    for kept in state.list(FOLDER)? {
        if !kept.is_older(unused) {
            continue;
        }
        let failed = |failed| state.refused(FOLDER, &kept.name, failed);
        let file = state.lock_file(FOLDER, &kept.name)?;
        // Another process may have locked and unlocked it in the meantime.
        let is_unused = file.try_lock().map_err(failed)?
            && file.has_its_name().map_err(failed)?
            && file.marked_at().map_err(failed)? == kept.written;
        if is_unused {
            file.remove().map_err(failed)?;
        }
    }
    Ok(())
}

/// Does nothing: on other systems, lock files are kept.
#[cfg(not(unix))]
pub(crate) fn sweep(_state: &StateDirectory, _unused: Duration) -> Result<(), StateError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_writer_waits_no_longer_than_it_is_patient() {
        let (_folder, state) = StateDirectory::temporary();
        let path = Utf8Path::new("/somewhere/a.rs");
        let patience = Duration::from_millis(30);
        let first = FileLock::acquire(&state, path, patience).expect("nobody holds it");
        match FileLock::acquire(&state, path, patience) {
            Err(NotLocked::Busy { waited }) => assert!(waited >= patience),
            other => panic!("expected to be refused, got {other:?}"),
        }
        drop(first);
        // A process that another test forks at this moment also holds the lock, until it calls exec.
        let patience = Duration::from_secs(20);
        FileLock::acquire(&state, path, patience).expect("it was given back");
    }

    #[test]
    fn a_waiting_writer_gets_the_lock_when_it_is_free() {
        let (_folder, state) = StateDirectory::temporary();
        let path = Utf8Path::new("/somewhere/a.rs");
        let first = FileLock::acquire(&state, path, Duration::ZERO).expect("nobody holds it");
        std::thread::scope(|scope| {
            let second =
                scope.spawn(|| FileLock::acquire(&state, path, Duration::from_secs(20)).map(drop));
            std::thread::sleep(Duration::from_millis(20));
            drop(first);
            let second = second.join().expect("the thread does not panic");
            second.expect("the first writer is done");
        });
    }

    #[test]
    fn a_writer_waits_as_long_as_others_get_on() {
        let (_folder, state) = StateDirectory::temporary();
        let path = Utf8Path::new("/somewhere/a.rs");
        let patience = Duration::from_secs(4);
        let write = || {
            let lock = FileLock::acquire(&state, path, patience).expect("others get on");
            std::thread::sleep(patience / 8);
            drop(lock);
        };
        let started = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(write);
            }
        });
        assert!(started.elapsed() > patience);
    }

    /// A machine that was reset leaves such a file, and its clock may have been ahead.
    #[expect(
        clippy::disallowed_methods,
        reason = "the test changes the time of a file"
    )]
    #[test]
    fn a_lock_file_that_no_process_holds_locks_nothing() {
        let (_folder, state) = StateDirectory::temporary();
        let path = Utf8Path::new("/somewhere/a.rs");
        let name = Digest::from_bytes(path.as_str().as_bytes()).to_string();
        drop(state.lock_file(FOLDER, &name).expect("it can be created"));
        let left = std::fs::File::options()
            .write(true)
            .open(state.path().join(FOLDER).join(&name));
        let day = Duration::from_secs(24 * 60 * 60);
        let ahead = left.and_then(|file| file.set_modified(std::time::SystemTime::now() + day));
        ahead.expect("it is ours");
        FileLock::acquire(&state, path, Duration::ZERO).expect("nobody holds it");
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_is_swept_meanwhile_is_taken_again() {
        let (_folder, state) = StateDirectory::temporary();
        let path = Utf8Path::new("/somewhere/a.rs");
        let locks = || state.list(FOLDER).expect("they can be listed").len();
        let sweep = || sweep(&state, Duration::ZERO).expect("nothing is in its way");
        let held = FileLock::acquire(&state, path, Duration::ZERO).expect("nobody holds it");
        sweep();
        assert_eq!(locks(), 1, "it is held");
        // The file is opened before its removal, as by a waiting process.
        let name = Digest::from_bytes(path.as_str().as_bytes()).to_string();
        let late = state.lock_file(FOLDER, &name).expect("it is there");
        drop(held);
        sweep();
        assert_eq!(locks(), 0);
        assert!(late.try_lock().expect("it can be asked"));
        assert!(!late.has_its_name().expect("it can be asked"));
        let patience = Duration::from_secs(20);
        let _held = FileLock::acquire(&state, path, patience).expect("the old one locks nothing");
        assert!(
            !late.has_its_name().expect("it can be asked"),
            "it is another one"
        );
    }

    #[cfg(unix)]
    #[test]
    fn sweeping_lets_no_two_writers_in() {
        let (_folder, state) = StateDirectory::temporary();
        let path = Utf8Path::new("/somewhere/a.rs");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        let write = || {
            for _ in 0..200 {
                let held = FileLock::acquire(&state, path, Duration::from_secs(20));
                let held = held.expect("others get on");
                let others = inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                assert_eq!(others, 0, "somebody else is inside");
                std::thread::yield_now();
                inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                drop(held);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(write);
            }
            scope.spawn(|| {
                for _ in 0..400 {
                    sweep(&state, Duration::ZERO).expect("nothing is in its way");
                }
            });
        });
    }

    #[test]
    fn different_files_do_not_wait_for_each_other() {
        let (_folder, state) = StateDirectory::temporary();
        let one = FileLock::acquire(&state, Utf8Path::new("/a"), Duration::ZERO);
        let other = FileLock::acquire(&state, Utf8Path::new("/b"), Duration::ZERO);
        assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    }
}
