//! The observer of a long call.

/// The observer of a long call: it is notified of the progress, and can stop the call.
pub trait Watch: Sync {
    /// Reports that `done` of `all` files, or of the lines of a batch, are done. Returns false to stop the call, which
    /// then returns its results so far.
    fn goes_on(&self, done: usize, all: usize) -> bool;
}

/// No observer.
impl Watch for () {
    fn goes_on(&self, _: usize, _: usize) -> bool {
        true
    }
}
