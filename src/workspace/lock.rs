//! One writer per file, across processes: an absolute path comes in, a [`FileLock`] goes
//! out; refused when another writer holds it for longer than one is patient.
//!
//! The locks are files of their own in the state directory, since the file that is
//! written is itself replaced: a lock on it would stay with the old one. They are advisory
//! (an editor that does not know them is noticed by the digest), and processes with
//! different state directories do not see each other's.

use std::time::{Duration, Instant};

use camino::Utf8Path;

use super::disk::LockFile;
use super::state::{StateDirectory, StateError};
use crate::source::Digest;

/// The right to write one file, until dropped; also given up when the process ends.
#[derive(Debug)]
pub(super) struct FileLock {
    _file: LockFile,
}

/// Why there is no [`FileLock`].
#[derive(Debug)]
pub(super) enum NotLocked {
    /// Another writer held the lock all the time.
    Busy { waited: Duration },
    /// The lock file cannot be used.
    State(StateError),
}

/// How many times as long as a writer is patient with another it waits for all of them.
const WRITERS: u32 = 12;

/// The folder of the state directory that holds the lock files.
const FOLDER: &str = "locks";

impl FileLock {
    /// Waits for the lock of the file at `path`, which must be its one canonical name: `patience` long for
    /// each writer that has it before, and [`WRITERS`] times that for all.
    pub(super) fn acquire(
        state: &StateDirectory,
        path: &Utf8Path,
        patience: Duration,
    ) -> Result<FileLock, NotLocked> {
        // A lock file is never removed: another process could have opened it and lock
        // what no longer has a name, while a third one locks its successor.
        let name = Digest::of(path.as_str().as_bytes()).to_string();
        let file = state.lock_file(FOLDER, &name).map_err(NotLocked::State)?;
        let failed = |failed| NotLocked::State(state.refused(FOLDER, &name, failed));
        let (started, mut since) = (Instant::now(), Instant::now());
        let mut marked_at = None;
        let mut pause = Duration::from_millis(1);
        // Asking again and again, since the system's own waiting knows no time limit, and
        // a writer that hangs must not hang the others. A write takes milliseconds.
        loop {
            if file.try_lock().map_err(failed)? {
                file.mark().map_err(failed)?;
                return Ok(FileLock { _file: file });
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
        // A program that another test starts at this moment has it too, until it is begun.
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

    #[test]
    fn different_files_do_not_wait_for_each_other() {
        let (_folder, state) = StateDirectory::temporary();
        let one = FileLock::acquire(&state, Utf8Path::new("/a"), Duration::ZERO);
        let other = FileLock::acquire(&state, Utf8Path::new("/b"), Duration::ZERO);
        assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
    }
}
