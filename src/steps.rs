//! Counts the steps of walks and searches, and stops a call between two of them.
//!
//! Whatever may take long calls [`count`]: the cursors of trees, and the searches in texts. Input: a [`StopCheck`], which
//! [`stoppable`] sets for the current thread. If it returns true, the next count unwinds the stack up to [`stoppable`], as
//! a panic does but without a message. So no function between the two has to pass on that the call was stopped, and none
//! can take a part of the work for all of it. Nothing that writes to the disk may run below [`stoppable`].
//!
//! Tests count the steps of an edit to show that its cost is linear.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

/// Returns true to stop the work of a thread.
pub(crate) type StopCheck = Arc<dyn Fn() -> bool + Send + Sync>;

/// The number of steps between two checks.
const BETWEEN_CHECKS: usize = 1 << 11;

thread_local! {
    /// The number of steps until the next check.
    static LEFT: Cell<usize> = const { Cell::new(BETWEEN_CHECKS) };
    static STOP: RefCell<Option<StopCheck>> = const { RefCell::new(None) };
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
    STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop()))
}

/// Returns what stops the current thread, to be set for another one that works for it.
#[cfg(feature = "disk")]
pub(crate) fn current() -> Option<StopCheck> {
    STOP.with_borrow(Option::clone)
}

/// Runs `work`, which stops soon after `stop` returns true. Without one, it runs to its end.
///
/// # Errors
/// It was stopped.
#[cfg(feature = "disk")]
pub(crate) fn stoppable<T>(
    stop: Option<StopCheck>,
    work: impl FnOnce() -> T,
) -> Result<T, Stopped> {
    let outer = STOP.replace(stop);
    // What is half done is dropped with the stack; caches keep only finished values.
    let done = catch_unwind(AssertUnwindSafe(work));
    STOP.set(outer);
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
        assert_eq!(stoppable::<()>(Some(stop), endless), Err(Stopped));
        assert!(done <= 3 * (BETWEEN_CHECKS + 1), "{done}");
        assert!(current().is_none() && !is_stopped());
    }

    #[test]
    fn an_inner_call_is_stopped_alone() {
        let never: StopCheck = Arc::new(|| false);
        let at_once: StopCheck = Arc::new(|| true);
        let outer = stoppable(Some(never), || {
            let inner = stoppable(Some(at_once), || count(2 * BETWEEN_CHECKS));
            check();
            inner
        });
        assert_eq!(outer, Ok(Err(Stopped)));
    }

    #[test]
    #[should_panic(expected = "on purpose")]
    fn a_panic_is_passed_on() {
        let _ = stoppable(None, || panic!("on purpose"));
    }
}
