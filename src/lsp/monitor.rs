//! A value protected by a lock, and threads that wait until it changes.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A value protected by a lock, with a condition variable that signals its changes.
#[derive(Debug, Default)]
pub(super) struct Monitor<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Monitor<T> {
    pub(super) fn new(value: T) -> Monitor<T> {
        Monitor {
            value: Mutex::new(value),
            changed: Condvar::new(),
        }
    }

    /// Locks the value, for reading or for a change that no thread waits for.
    pub(super) fn lock(&self) -> MutexGuard<'_, T> {
        lock(&self.value)
    }

    /// Changes the value and wakes all threads that wait.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Waits for a change, at most until `deadline`.
    pub(super) fn wait(&self, deadline: Instant) {
        // A change between the caller's last check and the lock below is missed, so the wait is
        // short.
        const LONGEST: Duration = Duration::from_millis(50);
        let left = deadline.saturating_duration_since(Instant::now());
        drop(self.changed.wait_timeout(self.lock(), left.min(LONGEST)));
    }

    /// Waits at most `within` while the condition holds. Returns whether it no longer holds.
    pub(super) fn wait_while(
        &self,
        within: Duration,
        condition: impl FnMut(&mut T) -> bool,
    ) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.lock(), within, condition);
        let waited = waited.unwrap_or_else(PoisonError::into_inner);
        !waited.1.timed_out()
    }
}

/// Locks a mutex. A thread that panics while it holds a lock leaves no value half changed, so a poisoned
/// lock is used like any other.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
