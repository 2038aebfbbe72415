//! Writes a [`Preview`] to disk, or reverts it: all previewed files, or none.
//!
//! A [`LockedPreview`] is a preview with the locks of its files. After [`Written`], the files contain the previewed
//! bytes. Fails if a file changed since the preview, or if the workspace refuses the write; in both cases nothing is
//! written. [`rebase`] carries an edit over to a file that changed.

pub mod history;
pub mod journal;
pub mod later;
pub mod rebase;
pub mod record;

use std::collections::{HashMap, HashSet};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::parallel;
use crate::preview::{FilePreview, MovedFile, Preview};
use crate::source::{FileDigest, Source};
use crate::workspace::{FileAttributes, FileError, LockedFile, Workspace, WritePermit};

use journal::{ChangedFile, Direction, Written};

/// A preview to be written or undone. Each file has its own lock. Under this lock the file was read, and contained the
/// text to be replaced, or did not exist.
#[derive(Debug)]
pub struct LockedPreview<'p> {
    files: Vec<LockedChange<'p>>,
    direction: Direction,
    /// The order in which the files are changed, as indices.
    order: Vec<usize>,
}

/// A file with its lock, the text that was read under the lock, and its replacement. `None` means no file.
#[derive(Debug)]
struct LockedChange<'p> {
    locked: LockedFile,
    path: &'p str,
    old: Option<&'p Source>,
    new: Option<&'p Source>,
    moved_from: Option<&'p str>,
    facts: FileFacts,
}

/// The changes of several previews, one per file.
#[derive(Default)]
struct TextChanges<'p> {
    files: Vec<TextChange<'p>>,
    /// The index of each file.
    by_path: HashMap<&'p str, usize>,
}

/// The text of a file before the first preview, and after the last one. `None` means no file.
struct TextChange<'p> {
    path: &'p str,
    old: Option<&'p Source>,
    new: Option<&'p Source>,
    /// The path that the file is moved from.
    moved_from: Option<&'p str>,
}

impl<'p> TextChanges<'p> {
    /// Adds a preview of the texts that the earlier ones produce. `texts` returns the text that a file has and the one
    /// that it gets.
    fn add(
        &mut self,
        preview: &'p Preview,
        texts: impl Fn(&'p FilePreview) -> (Option<&'p Source>, Option<&'p Source>),
    ) -> Result<(), FileError> {
        for file in preview.files() {
            let (old, new) = texts(file);
            let path = file.before().path();
            let moved_from = match file.record().moved() {
                Some(MovedFile::From(other)) => preview.files().get(other),
                Some(MovedFile::To(_)) | None => None,
            };
            let moved_from = moved_from.map(|other| other.before().path());
            let known = self.by_path.get(path).map(|index| &mut self.files[*index]);
            let Some(known) = known else {
                self.by_path.insert(path, self.files.len());
                self.files.push(TextChange {
                    path,
                    old,
                    new,
                    moved_from,
                });
                continue;
            };
            let is_next = match (known.new, old) {
                (Some(known), Some(old)) => known.is_same_text(old),
                (known, old) => known.is_none() && old.is_none(),
            };
            match (is_next, known.new) {
                (true, _) => known.new = new,
                (false, Some(found)) => {
                    return Err(FileError::Changed {
                        path: path.into(),
                        found: found.digest(),
                    });
                }
                (false, None) => {
                    return Err(FileError::FileNotFound {
                        path: path.into(),
                        missing: path.into(),
                    });
                }
            }
            known.moved_from = moved_from.or(known.moved_from);
        }
        Ok(())
    }
}

/// What the disk has of a file that is created or removed, apart from its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The attributes that the file has where it exists. `None` means those of any new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attributes: Option<FileAttributes>,
    /// The number of directories on its path, from the innermost, that were made for it. They are removed with it if they
    /// are empty.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub made_folders: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl FileFacts {
    pub(crate) fn is_empty(&self) -> bool {
        *self == FileFacts::default()
    }
}

impl<'p> LockedPreview<'p> {
    /// Returns the preview, to be written to the files that it was made from. `locked` can be in any order; locks of
    /// other files are released.
    ///
    /// # Errors
    /// A file was not read under its lock, or no longer has the text that the preview was made from.
    pub fn to_apply(
        preview: &'p Preview,
        locked: Vec<LockedFile>,
    ) -> Result<LockedPreview<'p>, FileError> {
        LockedPreview::to_apply_all(&[preview], locked)
    }

    /// Returns several previews, to be written together. Each is of the texts that those before it produce.
    ///
    /// # Errors
    /// As for [`LockedPreview::to_apply`]; or a preview is of another text.
    pub fn to_apply_all(
        previews: &[&'p Preview],
        locked: Vec<LockedFile>,
    ) -> Result<LockedPreview<'p>, FileError> {
        let mut texts = TextChanges::default();
        for preview in previews {
            texts.add(preview, |file| (file.text_before(), file.text_after()))?;
        }
        let mut applied = LockedPreview::new(texts, locked, Direction::There)?;
        // A replacement needs none of these: it gets those that the file has when it is written.
        let moved = applied.files.iter().filter_map(|file| file.moved_from);
        let moved: HashSet<&'p str> = moved.collect();
        let needed = applied
            .files
            .iter()
            .filter(|file| file.new.is_none() || moved.contains(file.path));
        let attributes = needed.map(|file| Ok((file.path, file.locked.attributes()?)));
        let attributes: HashMap<&'p str, Option<FileAttributes>> =
            attributes.collect::<Result<_, FileError>>()?;
        let attributes = |path: &str| attributes.get(path).cloned().flatten();
        for own in &mut applied.files {
            own.facts = match (own.old, own.new) {
                (None, Some(_)) => FileFacts {
                    attributes: own.moved_from.and_then(attributes),
                    made_folders: own.locked.missing_folders()?,
                },
                (Some(_), None) => FileFacts {
                    attributes: attributes(own.path),
                    made_folders: 0,
                },
                _ => FileFacts::default(),
            };
        }
        Ok(applied)
    }

    /// Returns the applied preview, to restore the previous bytes of the files. `facts` are those of its files when it was
    /// applied. Otherwise as [`LockedPreview::to_apply`].
    ///
    /// # Errors
    /// A file was not read under its lock, or no longer has the text that the edit produced.
    pub fn to_undo(
        applied: &'p Preview,
        locked: Vec<LockedFile>,
        facts: &[FileFacts],
    ) -> Result<LockedPreview<'p>, FileError> {
        LockedPreview::to_undo_all(&[(applied, facts)], locked)
    }

    /// Returns several applied previews with the facts of their files, the latest first, to be undone together.
    ///
    /// # Errors
    /// As for [`LockedPreview::to_undo`]; or a preview did not produce the text that the one before it was made from.
    pub fn to_undo_all(
        applied: &[(&'p Preview, &[FileFacts])],
        locked: Vec<LockedFile>,
    ) -> Result<LockedPreview<'p>, FileError> {
        let mut texts = TextChanges::default();
        for (preview, _) in applied {
            texts.add(preview, |file| (file.text_after(), file.text_before()))?;
        }
        let mut undone = LockedPreview::new(texts, locked, Direction::Back)?;
        let by_path = undone.by_path();
        for (preview, facts) in applied {
            let files = preview.files().iter().zip(*facts);
            for (file, facts) in files.filter(|(_, facts)| !facts.is_empty()) {
                if let Some(own) = by_path.get(file.before().path()) {
                    undone.files[*own].facts = facts.clone();
                }
            }
        }
        for own in undone.files.iter_mut().filter(|own| own.old.is_none()) {
            own.facts.made_folders = own.locked.missing_folders()?;
        }
        Ok(undone)
    }

    fn new(
        texts: TextChanges<'p>,
        locked: Vec<LockedFile>,
        direction: Direction,
    ) -> Result<LockedPreview<'p>, FileError> {
        let locked = locked.into_iter();
        let locked = locked.map(|one| (one.path().display().to_owned(), one));
        let mut locked: HashMap<Utf8PathBuf, LockedFile> = locked.collect();
        let files = texts.files.into_iter().map(|change| {
            let path = Utf8Path::new(change.path);
            let own = locked.remove(path);
            let own = own.ok_or_else(|| FileError::NotLocked { path: path.into() });
            LockedChange::new(own?, change)
        });
        let files: Vec<LockedChange<'p>> = files.collect::<Result<_, _>>()?;
        Ok(LockedPreview {
            order: order(&files),
            files,
            direction,
        })
    }

    /// Returns the facts of each file of one of the previews, which undoing it needs.
    pub fn facts_of(&self, preview: &Preview) -> Vec<FileFacts> {
        let by_path = self.by_path();
        let facts = |file: &FilePreview| {
            let own = by_path.get(file.before().path());
            own.map(|own| self.files[*own].facts.clone())
                .unwrap_or_default()
        };
        preview.files().iter().map(facts).collect()
    }

    /// Returns the index of each file.
    fn by_path(&self) -> HashMap<&'p str, usize> {
        let files = self.files.iter().enumerate();
        files.map(|(index, own)| (own.path, index)).collect()
    }

    /// Writes all files, or none, even after a crash. The journal has an entry for the edits until
    /// [`Written::recorded`]. `permit` is the permission of the caller.
    ///
    /// # Errors
    /// A file was changed by a process without the lock, or cannot be replaced.
    pub fn write<'w>(
        self,
        workspace: &'w Workspace,
        permit: &WritePermit,
        edit_ids: &[&str],
    ) -> Result<Written<'w>, FileError> {
        let order = self.order.iter().map(|index| &self.files[*index]);
        let changed = order.filter(|change| !change.is_none()).collect();
        let changes = parallel::try_map(changed, |change| change.to_write(workspace), drop)?;
        let warnings = journal::change_all(workspace, permit, &changes, edit_ids, self.direction)?;
        let locked = self.files.into_iter().map(|file| file.locked).collect();
        Ok(Written::new(workspace.state(), edit_ids, warnings, locked))
    }
}

/// Returns the order in which the files are changed. A file is removed last, so that its text is never missing; but first
/// if a file with the same path in another letter case is created, which some systems take for the same file.
fn order(files: &[LockedChange<'_>]) -> Vec<usize> {
    let lower = |change: &LockedChange<'_>| change.locked.path().absolute().as_str().to_lowercase();
    let created = files.iter().filter(|change| change.old.is_none());
    let created: Vec<String> = created.map(lower).collect();
    let rank = |index: &usize| match &files[*index] {
        change if change.new.is_some() => 1,
        change if created.contains(&lower(change)) => 0,
        _ => 2,
    };
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(rank);
    order
}

fn state_of(text: Option<&Source>) -> FileDigest {
    text.map_or(FileDigest::Absent, |text| text.digest().into())
}

impl<'p> LockedChange<'p> {
    fn new(locked: LockedFile, change: TextChange<'p>) -> Result<LockedChange<'p>, FileError> {
        let TextChange {
            path: name,
            old,
            new,
            moved_from,
        } = change;
        let path = locked.path().display().to_owned();
        let is_own = |read: &&Source| read.path() == path;
        let is_unchanged = match (locked.text().filter(is_own), old) {
            (Some(read), Some(old)) => match read.is_same_text(old) {
                true => true,
                false => {
                    return Err(FileError::Changed {
                        path,
                        found: read.digest(),
                    });
                }
            },
            (None, None) => locked.is_free(),
            (Some(_), None) => return Err(FileError::Exists { path }),
            (None, Some(_)) => false,
        };
        match is_unchanged {
            true => Ok(LockedChange {
                locked,
                path: name,
                old,
                new,
                moved_from,
                facts: FileFacts::default(),
            }),
            false => Err(FileError::NotLocked { path }),
        }
    }

    /// Returns whether the file stays as it is, since one preview reverts another.
    fn is_none(&self) -> bool {
        match (self.old, self.new) {
            (Some(old), Some(new)) => old.is_same_text(new),
            (old, new) => old.is_none() && new.is_none(),
        }
    }

    /// Returns the change that the journal makes, after the old text is kept.
    fn to_write(&self, workspace: &Workspace) -> Result<ChangedFile<'_>, FileError> {
        self.keep_old(workspace)?;
        let parts = self.new.into_iter().flat_map(Source::chunks);
        Ok(ChangedFile {
            locked: &self.locked,
            before: state_of(self.old),
            after: state_of(self.new),
            facts: self.facts.clone(),
            parts: parts.map(str::as_bytes).collect(),
        })
    }

    /// Keeps the old text before it is replaced or removed.
    fn keep_old(&self, workspace: &Workspace) -> Result<(), FileError> {
        let state = workspace.state();
        let kept = match (self.old, self.new) {
            (None, _) => return Ok(()),
            (Some(old), Some(_)) => history::keep_whole(state, old),
            (Some(old), None) => history::keep_only_copy(state, old),
        };
        kept.map(drop).map_err(|source| FileError::NoJournal {
            path: Utf8PathBuf::from(self.locked.path().display()),
            source,
        })
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests create files")]
mod tests {
    use super::*;
    use crate::validate::validate;
    use crate::workspace::StateDirectory;
    use crate::{edit, language, parse, preview, select};

    /// Returns a workspace with two files.
    fn workspace() -> (tempfile::TempDir, Workspace) {
        let (folder, state) = StateDirectory::temporary();
        let root = Utf8Path::from_path(folder.path()).expect("temporary folders are UTF-8");
        let root = root.join("root");
        std::fs::create_dir(&root).expect("it can be made");
        for name in ["a.json", "b.json"] {
            std::fs::write(root.join(name), "[1]").expect("it can be written");
        }
        let workspace = Workspace::open(&[root], state);
        (folder, workspace.expect("it is there"))
    }

    fn locked(workspace: &Workspace, names: &[&str], is_read: bool) -> Vec<LockedFile> {
        let paths = names.iter().map(|name| workspace.resolve(name));
        let paths: Result<Vec<_>, _> = paths.collect();
        let locked = workspace.lock_all(&paths.expect("they are there"));
        let mut locked = locked.expect("nobody has them");
        for one in locked.iter_mut().filter(|_| is_read) {
            let read = one.read(None, |_| language::for_file("a.json", ""));
            read.expect("it is text");
        }
        locked
    }

    /// Replaces the only number in a file that contains `text`.
    fn change(name: &str, text: &str, new_content: &str) -> FilePreview {
        let source = Source::new(name, language::for_file(name, text), text.to_string());
        let parsed = parse::Parsed::parse(source);
        let number = &text[1..text.len() - 1];
        let selection = select::select(&parsed, &select::Selector::new(number, "number"));
        let operation = edit::Operation::Replace {
            new_content: new_content.to_string(),
            indent: edit::Indent::Auto,
            include_attached: false,
        };
        let edited = edit::edit(selection.expect("there is one"), &operation);
        let checked = validate(edited.expect("a number can be edited"), &[]);
        preview::preview(checked.expect("a number for a number")).0
    }

    fn held(workspace: &Workspace, name: &str) -> Vec<u8> {
        let path = workspace.resolve(name).expect("it is there");
        workspace.read(&path, 100).expect("it can be read")
    }

    #[test]
    fn each_file_takes_its_own_lock_in_whatever_order_they_are() {
        let (_folder, workspace) = workspace();
        let files = vec![change("a.json", "[1]", "2"), change("b.json", "[1]", "3")];
        let preview = Preview::from_files(files).expect("they are two files");
        let permit = workspace.write_permit().expect("a person may write");
        for names in [["a.json", "b.json"], ["b.json", "a.json"]] {
            let locks = || locked(&workspace, &names, true);
            let tied = LockedPreview::to_apply(&preview, locks()).expect("all are locked");
            let written = tied
                .write(&workspace, &permit, &["e1"])
                .expect("nothing is in its way");
            written.recorded().expect("nothing is in its way");
            let both = ["a.json", "b.json"].map(|name| held(&workspace, name));
            assert_eq!(both, [b"[2]", b"[3]"]);
            let tied = LockedPreview::to_undo(&preview, locks(), &[]).expect("all are locked");
            let written = tied
                .write(&workspace, &permit, &["e1"])
                .expect("nothing is in its way");
            written.recorded().expect("nothing is in its way");
            let both = ["a.json", "b.json"].map(|name| held(&workspace, name));
            assert_eq!(both, [b"[1]", b"[1]"]);
        }
    }

    #[test]
    fn many_files_are_written_or_none() {
        let (folder, workspace) = workspace();
        let names: Vec<String> = (0..40).map(|number| format!("{number}.json")).collect();
        let root = folder.path().join("root");
        for name in &names {
            std::fs::write(root.join(name), "[1]").expect("it can be written");
        }
        let files = names.iter().map(|name| change(name, "[1]", "2")).collect();
        let preview = Preview::from_files(files).expect("they are several files");
        let permit = workspace.write_permit().expect("a person may write");
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let write = |changed: Option<&str>| {
            let tied = LockedPreview::to_apply(&preview, locked(&workspace, &names, true));
            let tied = tied.expect("all are locked");
            if let Some(name) = changed {
                std::fs::write(root.join(name), "[7]").expect("it can be written");
            }
            tied.write(&workspace, &permit, &["e1"])
        };
        let texts =
            || -> Vec<Vec<u8>> { names.iter().map(|name| held(&workspace, name)).collect() };
        let stopped = write(Some("25.json")).expect_err("another program wrote it");
        assert_eq!(stopped.to_string(), "`25.json` has changed");
        let mut expected = vec![b"[1]".to_vec(); 40];
        expected[25] = b"[7]".to_vec();
        assert_eq!(texts(), expected);
        let left = journal::left(workspace.state()).expect("it can be listed");
        assert_eq!(left, 0);
        // The two files of the workspace and these, and no temporary file.
        let entries = std::fs::read_dir(&root).expect("it can be listed");
        assert_eq!(entries.count(), 42);

        std::fs::write(root.join("25.json"), "[1]").expect("it can be written");
        let written = write(None).expect("nothing is in its way");
        written.recorded().expect("nothing is in its way");
        assert_eq!(texts(), vec![b"[2]".to_vec(); 40]);
    }

    #[test]
    fn a_lock_of_another_file_is_none() {
        let (_folder, workspace) = workspace();
        let of = |file| Preview::from_files(vec![file]).expect("it is one file");
        let preview = of(change("a.json", "[1]", "2"));
        let refused = |preview, names: &[&str], is_read| {
            let tied = LockedPreview::to_apply(preview, locked(&workspace, names, is_read));
            tied.expect_err("it is to be refused").to_string()
        };
        let not_read = "`a.json` was not read under its lock";
        assert_eq!(refused(&preview, &[], true), not_read);
        assert_eq!(refused(&preview, &["b.json"], true), not_read);
        assert_eq!(refused(&preview, &["a.json"], false), not_read);
        let stale = of(change("a.json", "[7]", "2"));
        assert_eq!(refused(&stale, &["a.json"], true), "`a.json` has changed");
        let locks = locked(&workspace, &["a.json"], true);
        let undone = LockedPreview::to_undo(&preview, locks, &[]).expect_err("it was not applied");
        assert_eq!(undone.to_string(), "`a.json` has changed");
    }
}
