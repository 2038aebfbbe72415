//! The differences between two sequences of lines or words.

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};

/// Returns the operations that turn `old` into `new`, in order, by Myers' algorithm.
///
/// All diffs of this crate are of one type of sequences, since each type would compile the algorithm again.
pub(crate) fn shortest_diff(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut hook, old, 0..old.len(), new, 0..new.len());
    hook.into_inner().into_inner().into_ops()
}
