//! Counts the steps of walks and searches, and stops a call between two of them.
//!
//! Whatever may take long calls [`count`]: the cursors of trees, and the searches in texts. Input: the [`Limits`]
//! that [`watched`] sets for a call. If a limit is exceeded, the next [`count`] inside [`stoppable`] unwinds the stack to
//! it, like a panic but without a message. The functions in between need no code for this and never get an incomplete
//! result. Code inside [`stoppable`] must not write to the disk: [`crate::workspace`] refuses to.
//!
//! Tests count the steps of an edit to show that its cost is linear.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
#[cfg(feature = "disk")]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::memory;

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
    static LIMITS: RefCell<Limits> = const { RefCell::new(Limits::NONE) };
    /// Whether the current work may be stopped.
    static IS_STOPPABLE: Cell<bool> = const { Cell::new(false) };
    #[cfg(test)]
    static COUNTED: Cell<usize> = const { Cell::new(0) };
}

/// Why the work was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The caller asked for it.
    Asked,
    /// The trees of the process would take more than this many bytes of memory.
    OutOfMemory(u64),
}

/// What stops the work of a thread.
#[derive(Clone, Default)]
pub(crate) struct Limits {
    /// What the caller asks.
    pub(crate) stop: Option<StopCheck>,
    /// How many bytes of memory the trees of the process may take.
    pub(crate) max_memory: Option<u64>,
}

impl Limits {
    const NONE: Limits = Limits {
        stop: None,
        max_memory: None,
    };

    fn asked(&self) -> Option<Stopped> {
        let is_asked = self.stop.as_ref().is_some_and(|stop| stop());
        is_asked.then_some(Stopped::Asked)
    }

    /// Returns that `bytes` more exceed the limit of memory, if they do.
    fn without(&self, bytes: usize) -> Option<Stopped> {
        let limit = self.max_memory?;
        let needed = memory::held().saturating_add(bytes) as u64;
        (needed > limit).then_some(Stopped::OutOfMemory(limit))
    }
}

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
    unwind(|limits| limits.asked());
}

/// Unwinds the stack if the work may not take `bytes` more of memory.
pub(crate) fn need(bytes: usize) {
    unwind(|limits| limits.without(bytes));
}

fn unwind(exceeded: impl FnOnce(&Limits) -> Option<Stopped>) {
    // What is dropped meanwhile may count steps too.
    let may_stop = IS_STOPPABLE.get() && !std::thread::panicking();
    if let Some(stopped) = may_stop.then(|| LIMITS.with_borrow(exceeded)).flatten() {
        resume_unwind(Box::new(stopped));
    }
}

/// Returns whether the current work may be stopped.
#[cfg(feature = "disk")]
pub(crate) fn is_stoppable() -> bool {
    IS_STOPPABLE.get()
}

/// Returns whether the work is to stop: for callbacks that must not unwind.
pub(crate) fn is_stopped() -> bool {
    IS_STOPPABLE.get() && LIMITS.with_borrow(|limits| limits.asked().is_some())
}

/// Returns what stops the current call, to be set for another thread that works for it.
#[cfg(feature = "disk")]
pub(crate) fn current() -> Limits {
    LIMITS.with_borrow(Limits::clone)
}

/// Makes a call, the stoppable parts of which stop soon after a limit is exceeded.
#[cfg(feature = "disk")]
pub(crate) fn watched<T>(limits: Limits, call: impl FnOnce() -> T) -> T {
    let outer = Restored(LIMITS.replace(limits), IS_STOPPABLE.replace(false));
    let made = call();
    drop(outer);
    made
}

/// Sets the former values when it is dropped.
#[cfg(feature = "disk")]
struct Restored(Limits, bool);

#[cfg(feature = "disk")]
impl Drop for Restored {
    fn drop(&mut self) {
        LIMITS.set(std::mem::take(&mut self.0));
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

    fn stopping(stop: impl Fn() -> bool + Send + Sync + 'static) -> Limits {
        Limits {
            stop: Some(Arc::new(stop)),
            max_memory: None,
        }
    }

    #[test]
    fn work_stops_soon_after_it_is_asked_to() {
        let asked = Arc::new(AtomicUsize::new(0));
        let limits = {
            let asked = asked.clone();
            stopping(move || asked.fetch_add(1, Ordering::Relaxed) >= 2)
        };
        let mut done = 0;
        let endless = || {
            loop {
                done += 1;
                count(1);
            }
        };
        let stopped = watched(limits, || stoppable::<()>(endless));
        assert_eq!(stopped, Err(Stopped::Asked));
        assert!(done <= 3 * (BETWEEN_CHECKS + 1), "{done}");
        assert!(current().stop.is_none() && !is_stopped());
    }

    #[test]
    fn only_stoppable_parts_stop() {
        let made = watched(stopping(|| true), || {
            count(2 * BETWEEN_CHECKS);
            let inner = stoppable(|| count(2 * BETWEEN_CHECKS));
            count(2 * BETWEEN_CHECKS);
            inner
        });
        assert_eq!(made, Err(Stopped::Asked));
    }

    #[test]
    fn work_that_needs_too_much_memory_stops() {
        let limits = Limits {
            stop: None,
            max_memory: Some(1),
        };
        let made = watched(limits, || stoppable(|| need(2)));
        assert_eq!(made, Err(Stopped::OutOfMemory(1)));
    }

    #[test]
    #[should_panic(expected = "on purpose")]
    fn a_panic_is_passed_on() {
        let _ = stoppable(|| panic!("on purpose"));
    }
}
