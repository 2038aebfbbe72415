//! Observes the progress of a long call.

pub use crate::steps::StopCheck;

/// The name of the command line as the program that makes a call. Lists leave out its refused calls, since a person corrects
/// them with the next command.
pub const COMMAND_LINE: &str = "cli";

/// The observer of a long call: receives its progress, and can stop it.
pub trait Watch: Sync {
    /// Receives the number of finished files, or lines of a batch, out of `all`. Returns false to stop the call, which
    /// then returns its results so far.
    fn goes_on(&self, done: usize, all: usize) -> bool;

    /// Returns what is asked every few milliseconds whether to stop the call, in the middle of a file too. It is not asked
    /// while files are written. A stopped call is refused.
    fn stop_check(&self) -> Option<StopCheck> {
        None
    }

    /// Returns the name of the program that makes the call, which lists of edits show.
    fn client(&self) -> Option<&str> {
        None
    }

    /// Returns a name of the session in which the program makes its calls. It tells apart two programs of the same name.
    fn session(&self) -> Option<&str> {
        None
    }
}

/// No observer.
impl Watch for () {
    fn goes_on(&self, _: usize, _: usize) -> bool {
        true
    }
}
