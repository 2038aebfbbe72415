//! Keeps the texts of files before an edit, by digest, in the user's state directory.
//!
//! An undo restores exactly these bytes, a rebase compares with them, and an interrupted change of several files is
//! reverted to them. They are removed together with the edits: after a week, and the oldest first if they exceed
//! [`TEXTS_LIMIT`].

use std::time::Duration;

use crate::source::{Digest, Source};
use crate::workspace::{Durable, StateDirectory, StateError, StateFile};

const FOLDER: &str = "texts";
/// How long an edit is kept.
pub const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The maximum total size of the texts, in bytes.
pub const TEXTS_LIMIT: u64 = 256 * 1024 * 1024;
/// A kept text that is older than this is written again, so that its age starts over.
const REFRESHED: Duration = Duration::from_secs(24 * 60 * 60);

/// Keeps a text. Returns the number of bytes written, which is 0 if the text is already kept.
///
/// # Errors
/// The state directory fails.
pub fn keep(state: &StateDirectory, text: &Source) -> Result<u64, StateError> {
    let name = text.digest().to_string();
    let is_kept = |kept: StateFile| kept.bytes == text.len() as u64 && !kept.is_older(REFRESHED);
    if state.look(FOLDER, &name)?.is_some_and(is_kept) {
        return Ok(0);
    }
    write(state, text, Durable::AfterACrash)
}

/// Does the same as [`keep`] for the text of a file that is removed: no other copy may be left after a power failure.
///
/// # Errors
/// The state directory fails.
pub(crate) fn keep_only_copy(state: &StateDirectory, text: &Source) -> Result<u64, StateError> {
    write(state, text, Durable::AfterAPowerCut)
}

fn write(state: &StateDirectory, text: &Source, durable: Durable) -> Result<u64, StateError> {
    let parts = text.chunks().map(str::as_bytes);
    state.write_parts(FOLDER, &text.digest().to_string(), parts, durable)?;
    Ok(text.len() as u64)
}

/// Returns the complete and unchanged text with this digest, or `None` if it is no longer kept.
///
/// # Errors
/// The state directory fails.
pub fn find(state: &StateDirectory, digest: Digest) -> Result<Option<Vec<u8>>, StateError> {
    let bytes = state.read(FOLDER, &digest.to_string())?;
    Ok(bytes.filter(|bytes| Digest::of(bytes) == digest))
}

/// Removes the texts that are older than a week, and the oldest texts while the total size exceeds `limit` bytes.
///
/// # Errors
/// The state directory fails.
pub fn sweep(state: &StateDirectory, limit: u64) -> Result<(), StateError> {
    let mut texts = state.list(FOLDER)?;
    texts.sort_by_key(|text| text.written);
    let mut bytes: u64 = texts.iter().map(|text| text.bytes).sum();
    for text in texts {
        if bytes > limit || text.is_older(KEPT) {
            bytes -= text.bytes;
            state.remove(FOLDER, &text.name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;
    fn text(text: &str) -> Source {
        Source::new("a.txt", language::plain_text(), text.to_string())
    }

    #[test]
    fn a_text_comes_back_as_it_was() {
        let (_folder, state) = StateDirectory::temporary();
        let text = text("\u{feff}a\r\nb\rc");
        keep(&state, &text).expect("it can be kept");
        let found = find(&state, text.digest()).expect("it can be asked for");
        assert_eq!(found.as_deref(), Some(text.text().as_bytes()));
        let other = find(&state, Digest::of(b"other")).expect("it can be asked for");
        assert_eq!(other, None);
    }

    #[test]
    fn a_text_that_is_not_what_its_name_says_is_none() {
        let (_folder, state) = StateDirectory::temporary();
        let name = Digest::of(b"one").to_string();
        state
            .write(FOLDER, &name, b"two")
            .expect("it can be written");
        let found = find(&state, Digest::of(b"one")).expect("it can be asked for");
        assert_eq!(found, None);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let (_folder, state) = StateDirectory::temporary();
        let texts = ["first", "second", "third"].map(text);
        for text in &texts {
            keep(&state, text).expect("it can be kept");
            std::thread::sleep(Duration::from_millis(20));
        }
        sweep(&state, 11).expect("they can be forgotten");
        let kept = texts.map(|text| find(&state, text.digest()).expect("it can be asked for"));
        let kept = kept.map(|text| text.is_some());
        assert_eq!(kept, [false, true, true]);
    }
}
