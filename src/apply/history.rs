//! Keeps the texts of files before an edit, by digest, in the user's state directory, for each workspace.
//!
//! An undo restores exactly these bytes, a rebase compares with them, and an interrupted change of several files is
//! reverted to them. They are removed together with the edits: after a week, and the oldest first if they exceed
//! [`TEXTS_LIMIT`].

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::change::TextEdit;
use crate::source::{Digest, Source};
use crate::workspace::{Durable, StateDirectory, StateError, StateFile};

const KIND: &str = "texts";
/// How long an edit is kept.
pub const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The maximum total size of the texts of a workspace, in bytes.
pub const TEXTS_LIMIT: u64 = 256 * 1024 * 1024;
/// A kept text that is older than this is written again, so that its age starts over.
const REFRESHED: Duration = Duration::from_secs(24 * 60 * 60);

/// A text that is kept as the changes that make it from another one.
#[derive(Serialize, Deserialize)]
struct Derived {
    base: String,
    /// The start and the end of each replaced span in the other text, and the new text.
    changes: Vec<(usize, usize, String)>,
}

/// Keeps a text. Returns the number of bytes written, which is 0 if the text is already kept.
///
/// # Errors
/// The state directory fails.
pub fn keep(state: &StateDirectory, text: &Source) -> Result<u64, StateError> {
    match is_derived(state, text.digest())? {
        true => Ok(0),
        false => keep_whole(state, text),
    }
}

/// Returns whether the changes that make a text are kept, and the text that they change.
fn is_derived(state: &StateDirectory, digest: Digest) -> Result<bool, StateError> {
    let folder = state.own_folder(KIND);
    let is_fresh = |name: &str| -> Result<bool, StateError> {
        let kept = state.look(&folder, name)?;
        Ok(kept.is_some_and(|kept| !kept.is_older(KEPT - REFRESHED)))
    };
    let name = derived_name(digest);
    match base_of(state, &folder, &name)? {
        Some(base) => Ok(is_fresh(&name)? && is_fresh(&base)?),
        None => Ok(false),
    }
}

/// Returns the name of the text that kept changes change, if there are any of this name.
fn base_of(state: &StateDirectory, folder: &str, name: &str) -> Result<Option<String>, StateError> {
    let kept = state.read(folder, name)?;
    let derived = kept.and_then(|bytes| serde_json::from_slice::<Derived>(&bytes).ok());
    Ok(derived.map(|derived| derived.base))
}

/// Does the same as [`keep`], and never relies on another text.
///
/// # Errors
/// The state directory fails.
pub(crate) fn keep_whole(state: &StateDirectory, text: &Source) -> Result<u64, StateError> {
    let name = text.digest().to_string();
    let is_kept = |kept: StateFile| kept.bytes == text.len() as u64 && !kept.is_older(REFRESHED);
    if state
        .look(&state.own_folder(KIND), &name)?
        .is_some_and(is_kept)
    {
        return Ok(0);
    }
    write(state, text, Durable::AfterACrash)
}

/// Does the same as [`keep`] for the text that `edit` makes from `base`. Of a large text, only the changes are kept: else the
/// texts between many edits of one file would exceed [`TEXTS_LIMIT`].
///
/// # Errors
/// The state directory fails.
pub(crate) fn keep_derived(
    state: &StateDirectory,
    text: &Source,
    base: &Source,
    edit: &TextEdit,
) -> Result<u64, StateError> {
    let changes = edit.replacements().iter();
    let changes = changes.map(|one| (one.span.start(), one.span.end(), one.new_text.clone()));
    let derived = Derived {
        base: base.digest().to_string(),
        changes: changes.collect(),
    };
    let bytes = serde_json::to_vec(&derived).unwrap_or_default();
    if bytes.is_empty() || bytes.len() * 4 > text.len() {
        return keep(state, text);
    }
    let written = keep_whole(state, base)?;
    let name = derived_name(text.digest());
    let durable = Durable::AfterACrash;
    state.write_parts(&state.own_folder(KIND), &name, [&*bytes], durable)?;
    Ok(written + bytes.len() as u64)
}

fn derived_name(digest: Digest) -> String {
    format!("{digest}.changes")
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
    let folder = state.own_folder(KIND);
    state.write_parts(&folder, &text.digest().to_string(), parts, durable)?;
    Ok(text.len() as u64)
}

/// Returns the complete and unchanged text with this digest, or `None` if it is no longer kept.
///
/// # Errors
/// The state directory fails.
pub fn find(state: &StateDirectory, digest: Digest) -> Result<Option<Vec<u8>>, StateError> {
    let name = digest.to_string();
    match find_whole(state, &name)? {
        Some(whole) => Ok(Some(whole)),
        None => find_derived(state, digest),
    }
}

fn find_whole(state: &StateDirectory, name: &str) -> Result<Option<Vec<u8>>, StateError> {
    let is_it = |bytes: &Vec<u8>| Digest::from_bytes(bytes).to_string() == name;
    state.find_in_folders(KIND, |folder| Ok(state.read(folder, name)?.filter(is_it)))
}

fn find_derived(state: &StateDirectory, digest: Digest) -> Result<Option<Vec<u8>>, StateError> {
    let name = derived_name(digest);
    let kept = state.find_in_folders(KIND, |folder| state.read(folder, &name))?;
    let derived = kept.and_then(|bytes| serde_json::from_slice::<Derived>(&bytes).ok());
    let Some(derived) = derived else {
        return Ok(None);
    };
    let base = find_whole(state, &derived.base)?;
    let text = base.and_then(|base| derived.text(&base));
    Ok(text.filter(|text| Digest::from_bytes(text) == digest))
}

impl Derived {
    /// Returns the text. The changes are read from a file, and may not fit.
    fn text(&self, base: &[u8]) -> Option<Vec<u8>> {
        let mut text = Vec::with_capacity(base.len());
        let mut end = 0;
        for (start, next, new_text) in &self.changes {
            text.extend(base.get(end..*start)?);
            text.extend(new_text.as_bytes());
            end = (*next >= *start).then_some(*next)?;
        }
        text.extend(base.get(end..)?);
        Some(text)
    }
}

/// Removes the texts that are older than a week, and the oldest texts of each workspace while their total size exceeds
/// `limit` bytes.
///
/// # Errors
/// The state directory fails.
pub fn sweep(state: &StateDirectory, limit: u64) -> Result<(), StateError> {
    for folder in state.folders(KIND)? {
        let mut texts = state.list(&folder)?;
        texts.sort_by_key(|text| text.written);
        let mut bytes: u64 = texts.iter().map(|text| text.bytes).sum();
        for text in texts {
            if bytes > limit || text.is_older(KEPT) {
                bytes -= text.bytes;
                state.remove(&folder, &text.name)?;
            }
        }
    }
    Ok(())
}

/// Removes the texts of this workspace, except those with the digests `needed`. Returns the number of removed texts.
///
/// # Errors
/// The state directory fails.
pub(crate) fn forget(state: &StateDirectory, needed: &[Digest]) -> Result<usize, StateError> {
    let folder = state.own_folder(KIND);
    let mut kept: Vec<String> = Vec::new();
    for digest in needed {
        let name = derived_name(*digest);
        if let Some(base) = base_of(state, &folder, &name)? {
            kept.extend([name, base]);
        }
        kept.push(digest.to_string());
    }
    let mut removed = 0;
    for text in state.list(&folder)? {
        if !kept.contains(&text.name) && state.remove(&folder, &text.name)? {
            removed += 1;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Replacement;
    use crate::language;
    use crate::source::Span;

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
        let other = find(&state, Digest::from_bytes(b"other")).expect("it can be asked for");
        assert_eq!(other, None);
    }

    #[test]
    fn a_large_text_is_kept_as_the_changes_that_make_it() {
        let (_folder, state) = StateDirectory::temporary();
        let base = text(&"line\n".repeat(1_000));
        let change = |at: usize, new: &str| Replacement {
            span: Span::new(at, at + 4),
            new_text: new.to_string(),
        };
        let edit = TextEdit::new(&base, vec![change(0, "first"), change(50, "\u{e9}")]);
        let edit = edit.expect("they are disjoint");
        let after = edit.apply(&base);
        let written = keep_derived(&state, &after, &base, &edit).expect("it can be kept");
        assert!(written > base.len() as u64 && written < base.len() as u64 + 500);
        assert_eq!(keep(&state, &after).expect("it is kept"), 0);
        // A text that is still needed keeps the one that it is made of.
        assert_eq!(forget(&state, &[after.digest()]).expect("it is there"), 0);
        let found = || find(&state, after.digest()).expect("it can be asked for");
        assert_eq!(found().as_deref(), Some(after.text().as_bytes()));
        // Damaged, or without the other text.
        let name = derived_name(after.digest());
        let folder = state.own_folder(KIND);
        for wrong in ["{}", "{\"base\":\"x\",\"changes\":[[9,1,\"\"]]}"] {
            state
                .write(&folder, &name, wrong.as_bytes())
                .expect("it can be written");
            assert_eq!(found(), None);
        }
        keep_derived(&state, &after, &base, &edit).expect("it can be kept");
        assert_eq!(found().as_deref(), Some(after.text().as_bytes()));
        state
            .remove(&folder, &base.digest().to_string())
            .expect("it is there");
        assert_eq!(found(), None);
        let written = keep(&state, &after).expect("it can be kept");
        assert_eq!(written, after.len() as u64);
        assert_eq!(found().as_deref(), Some(after.text().as_bytes()));
        // A small one is kept whole.
        let small = text("one two three");
        let edit = TextEdit::new(&small, vec![change(0, "a")]).expect("it fits");
        let after = edit.apply(&small);
        keep_derived(&state, &after, &small, &edit).expect("it can be kept");
        assert!(
            find_whole(&state, &after.digest().to_string())
                .expect("it is read")
                .is_some()
        );
    }

    #[test]
    fn a_text_that_is_not_what_its_name_says_is_none() {
        let (_folder, state) = StateDirectory::temporary();
        let name = Digest::from_bytes(b"one").to_string();
        state.write(KIND, &name, b"two").expect("it can be written");
        let found = find(&state, Digest::from_bytes(b"one")).expect("it can be asked for");
        assert_eq!(found, None);
    }

    #[test]
    fn each_workspace_has_its_own_limit_and_finds_the_texts_of_the_others() {
        let (_folder, state) = StateDirectory::temporary();
        let of = |root: &str| {
            let state = StateDirectory::open(state.path()).expect("it can be opened");
            state.of_workspace(root.into())
        };
        let (one, other) = (of("/one"), of("/other"));
        let texts = ["first", "second", "third"].map(text);
        keep(&one, &texts[0]).expect("it can be kept");
        for text in &texts[1..] {
            keep(&other, text).expect("it can be kept");
        }
        sweep(&other, 5).expect("they can be forgotten");
        let found = |state, text: &Source| {
            let found = find(state, text.digest()).expect("it can be asked for");
            found.is_some()
        };
        assert!(found(&one, &texts[0]) && found(&other, &texts[0]));
        assert!(!found(&one, &texts[1]));
        keep(&one, &texts[2]).expect("it can be kept");
        let needed = [texts[2].digest()];
        assert_eq!(forget(&one, &needed).expect("it can be removed"), 1);
        assert!(!found(&other, &texts[0]) && found(&other, &texts[2]));
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
