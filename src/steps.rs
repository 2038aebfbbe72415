//! Counts the steps of walks and searches, and stops a call between two of them.
//!
//! Whatever may take long calls [`count`]: the cursors of trees, and the searches in texts. Input: a [`StopCheck`], which
//! [`watched`] sets for a call. If it returns true, the next count below [`stoppable`] unwinds the stack up to that, as a
//! panic does but without a message. The functions in between need no code for it, and none can mistake a part of a
//! result for all of it. Nothing that writes to the disk may run below [`stoppable`].
//!
//! Tests count the steps of an edit to show that its cost is linear.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
#[cfg(feature = "disk")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Returns true to stop the work of a thread.
#[cfg_attr(
    not(feature = "disk"),
    expect(unreachable_pub, reason = "only the engine exports it")
)]
pub type StopCheck = Arc<dyn Fn() -> bool + Send + Sync>;

/// The number of steps between two checks.
const BETWEEN_CHECKS: usize = 1 << 11;

thread_local! {
    /// The number of steps until the next check.
    static LEFT: Cell<usize> = const { Cell::new(BETWEEN_CHECKS) };
    static STOP: RefCell<Option<StopCheck>> = const { RefCell::new(None) };
    /// Whether the current work may be stopped.
    static IS_STOPPABLE: Cell<bool> = const { Cell::new(false) };
    #[cfg(test)]
    static COUNTED: Cell<usize> = const { Cell::new(0) };
}

/// The work was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// Counts steps; unwinds the stack if the work is to stop.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    COUNTED.set(COUNTED.get() + steps);
    match LEFT.get().checked_sub(steps) {
        Some(left) => LEFT.set(left),
        None => {
            LEFT.set(BETWEEN_CHECKS);
            check();
        }
    }
}

/// Unwinds the stack if the work is to stop.
pub(crate) fn check() {
    // What is dropped meanwhile may count steps too.
    if is_stopped() && !std::thread::panicking() {
        resume_unwind(Box::new(Stopped));
    }
}

/// Returns whether the work is to stop: for callbacks that must not unwind.
pub(crate) fn is_stopped() -> bool {
    IS_STOPPABLE.get() && STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop()))
}

/// Returns what stops the current call, to be set for another thread that works for it.
#[cfg(feature = "disk")]
pub(crate) fn current() -> Option<StopCheck> {
    STOP.with_borrow(Option::clone)
}

/// Makes a call, the stoppable parts of which stop soon after `stop` returns true.
#[cfg(feature = "disk")]
pub(crate) fn watched<T>(stop: Option<StopCheck>, call: impl FnOnce() -> T) -> T {
    let outer = Restored(STOP.replace(stop), IS_STOPPABLE.replace(false));
    let made = call();
    drop(outer);
    made
}

/// Sets the former values when it is dropped.
#[cfg(feature = "disk")]
struct Restored(Option<StopCheck>, bool);

#[cfg(feature = "disk")]
impl Drop for Restored {
    fn drop(&mut self) {
        STOP.set(self.0.take());
        IS_STOPPABLE.set(self.1);
    }
}

/// Runs a part of a call that writes nothing.
///
/// # Errors
/// It was stopped.
#[cfg(feature = "disk")]
pub(crate) fn stoppable<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let outer = IS_STOPPABLE.replace(true);
    // What is half done is dropped with the stack; caches keep only finished values.
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_STOPPABLE.set(outer);
    done.map_err(|reason| match reason.downcast::<Stopped>() {
        Ok(stopped) => *stopped,
        Err(panicked) => resume_unwind(panicked),
    })
}

/// Returns the number of steps that `work` takes on this thread.
#[cfg(test)]
pub(crate) fn counted<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = COUNTED.get();
    let done = work();
    (COUNTED.get() - before, done)
}

#[cfg(all(test, feature = "disk"))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn work_stops_soon_after_it_is_asked_to() {
        let asked = Arc::new(AtomicUsize::new(0));
        let stop: StopCheck = {
            let asked = asked.clone();
            Arc::new(move || asked.fetch_add(1, Ordering::Relaxed) >= 2)
        };
        let mut done = 0;
        let endless = || {
            loop {
                done += 1;
                count(1);
            }
        };
        let stopped = watched(Some(stop), || stoppable::<()>(endless));
        assert_eq!(stopped, Err(Stopped));
        assert!(done <= 3 * (BETWEEN_CHECKS + 1), "{done}");
        assert!(current().is_none() && !is_stopped());
    }

    #[test]
    fn only_stoppable_parts_stop() {
        let at_once: StopCheck = Arc::new(|| true);
        let made = watched(Some(at_once), || {
            count(2 * BETWEEN_CHECKS);
            let inner = stoppable(|| count(2 * BETWEEN_CHECKS));
            count(2 * BETWEEN_CHECKS);
            inner
        });
        assert_eq!(made, Err(Stopped));
    }

    #[test]
    #[should_panic(expected = "on purpose")]
    fn a_panic_is_passed_on() {
        let _ = stoppable(|| panic!("on purpose"));
    }
}
