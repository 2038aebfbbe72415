//! Who watches a long call.

/// Who watches a long call: is told how far it is, and says whether it goes on.
pub trait Watch: Sync {
    /// `done` of `all` files, or lines of a batch, are looked at; false stops the call, which answers what it has.
    fn goes_on(&self, done: usize, all: usize) -> bool;
}

/// Nobody watches.
impl Watch for () {
    fn goes_on(&self, _: usize, _: usize) -> bool {
        true
    }
}
