//! Calls about many files: which files a path means, each of them asked on all cores, and the answers
//! in the order of the paths, a page at a time.
//!
//! A page ends with a [`Cursor`]: the file to go on with, and how many of its items were answered. It
//! is all there is to know; nothing is kept between calls.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::Utf8PathBuf;

use crate::diagnostic::{self, Code, Diagnostic};
use crate::workspace::{Extent, NoExtent, WorkspacePath};

use super::Engine;
use super::watch::Watch;

/// Where the next page begins. Written as `path:count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    /// As answers name it.
    file_path: Utf8PathBuf,
    /// How many items of the file were answered.
    answered: usize,
}

/// What a call asks of each file.
pub(super) struct Call<'a> {
    pub(super) path: &'a str,
    pub(super) cursor: Option<&'a str>,
    /// How many items a page holds.
    pub(super) max_items: usize,
    pub(super) watch: &'a dyn Watch,
}

/// One page of answers.
pub(super) struct Page<T> {
    /// The items of each file that has any, in the order of the paths.
    pub(super) files: Vec<(WorkspacePath, Vec<T>)>,
    pub(super) files_looked_at: usize,
    pub(super) cursor: Option<String>,
    pub(super) notes: Vec<String>,
}

/// What one file is asked for.
pub(super) struct Share {
    /// How many of its items are on earlier pages.
    pub(super) skipped: usize,
    /// How many items of it are wanted behind them.
    pub(super) wanted: usize,
    /// Whether the call is about this file alone.
    pub(super) alone: bool,
}

/// How far the files are asked.
pub(super) struct Progress<T> {
    /// By file, in order; nothing where it is not done.
    answers: Vec<Option<Result<Vec<T>, Diagnostic>>>,
    next: usize,
    /// How many files from the first on are done, and the items in them.
    done: usize,
    items: usize,
    stopped: bool,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file_path, self.answered)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Cursor, ()> {
        let (file_path, answered) = text.rsplit_once(':').ok_or(())?;
        Ok(Cursor {
            file_path: file_path.into(),
            answered: answered.parse().map_err(|_| ())?,
        })
    }
}

impl Engine {
    /// Asks each file that a path means for its items, as many as a page holds.
    ///
    /// `ask` answers at most as many items of the file as are wanted, those of earlier pages left out.
    ///
    /// # Errors
    /// The path means no file, the cursor is of another call, or the one file that is named cannot be
    /// asked.
    pub(super) fn ask_files<T: Send>(
        &self,
        call: &Call<'_>,
        ask: impl Fn(&WorkspacePath, &Share) -> Result<Vec<T>, Diagnostic> + Sync,
    ) -> Result<Page<T>, Diagnostic> {
        let extent = self.extent(call.path)?;
        let cursor = call
            .cursor
            .map(|text| self.fitting(text, call.path, &extent));
        let cursor = cursor.transpose()?;
        let from = cursor.as_ref();
        let from = from.map(|cursor| self.workspace.absolute(&cursor.file_path));
        let files_looked_at = self.workspace.files_looked_at();
        let found = self
            .workspace
            .files(&extent, from.as_deref(), files_looked_at);
        if found.files.is_empty() && cursor.is_none() {
            self.about_empty_glob(call.path, &extent)?;
        }
        let alone = matches!(extent, Extent::File(_));
        let share = |index: usize, wanted| {
            let path = found.files[index].display();
            let first = cursor.as_ref().filter(|cursor| cursor.file_path == path);
            Share {
                skipped: first.map_or(0, |cursor| cursor.answered),
                wanted,
                alone,
            }
        };
        // One more than the page holds says whether there is a next one.
        let wanted = call.max_items + 1;
        let progress = in_turn(found.files.len(), wanted, call.watch, |index, left| {
            ask(&found.files[index], &share(index, left))
        });
        let mut page = Page {
            files: Vec::new(),
            files_looked_at: progress.done,
            cursor: None,
            notes: Vec::new(),
        };
        let mut passed_over: Vec<Code> = Vec::new();
        let mut left = call.max_items;
        let answers = progress.answers.into_iter().take(progress.done);
        for (index, answer) in answers.enumerate() {
            let path = &found.files[index];
            let mut items = match answer.expect("what is done has an answer") {
                Ok(items) => items,
                Err(refused) if alone => return Err(refused),
                Err(refused) => {
                    passed_over.push(refused.code);
                    continue;
                }
            };
            if items.len() > left {
                items.truncate(left);
                let next = Cursor {
                    file_path: path.display().to_owned(),
                    answered: share(index, 0).skipped + left,
                };
                page.cursor = Some(next.to_string());
            }
            left -= items.len();
            if !items.is_empty() || alone {
                page.files.push((path.clone(), items));
            }
            if page.cursor.is_some() {
                page.files_looked_at = index + 1;
                break;
            }
        }
        if page.cursor.is_none() {
            let unasked = found.files.get(progress.done);
            if progress.stopped {
                let (done, all) = (progress.done, found.files.len());
                page.notes
                    .push(format!("stopped after {done} of {all} files"));
            } else if found.rest.is_some() {
                let limit = format!("{files_looked_at} files were looked at; cursor goes on");
                page.notes.push(limit);
            }
            let next = unasked.or(found.rest.as_ref()).map(|path| Cursor {
                file_path: path.display().to_owned(),
                answered: 0,
            });
            page.cursor = next.map(|next| next.to_string());
        }
        let file_limit = extent.place().file_limit();
        page.notes
            .extend(passed_over_text(&passed_over, file_limit));
        if let Some(first) = found.unread.first() {
            let count = found.unread.len();
            let note = format!("{count} directories could not be read, the first is `{first}`");
            page.notes.push(note);
        }
        if found.cut {
            let note = "there are more names than are looked at; name a directory further down";
            page.notes.push(note.to_string());
        }
        Ok(page)
    }

    pub(super) fn extent(&self, path: &str) -> Result<Extent, Diagnostic> {
        self.workspace.extent(path).map_err(|error| match error {
            NoExtent::File(error) => self.about_path(path, &error),
            NoExtent::Glob { .. } => Diagnostic::new(Code::FileNotFound, error.to_string()),
        })
    }

    /// The cursor, if it is of a call about these files.
    fn fitting(&self, text: &str, path: &str, extent: &Extent) -> Result<Cursor, Diagnostic> {
        let place = extent.place().absolute();
        let is_below = |cursor: &Cursor| {
            let from = self.workspace.absolute(&cursor.file_path);
            match extent {
                Extent::File(_) => from == place,
                Extent::Folder(_) | Extent::Glob { .. } => from.starts_with(place),
            }
        };
        text.parse().ok().filter(is_below).ok_or_else(|| {
            diagnostic::about_arguments(format!(
                "cursor {text:?} is none of `{path}`: it is the one that the page before answered, \
                 with the other arguments as they were"
            ))
        })
    }

    /// Refuses a glob without files, with globs that have some.
    fn about_empty_glob(&self, path: &str, extent: &Extent) -> Result<(), Diagnostic> {
        let Extent::Glob { folder, glob } = extent else {
            return Ok(());
        };
        let pattern = glob.glob().glob();
        let name = pattern.rsplit('/').next().unwrap_or(pattern);
        let at = |base: &str, pattern: &str| match base {
            "." => pattern.to_string(),
            base => format!("{base}/{pattern}"),
        };
        let folder = folder.display().as_str();
        let others = [
            at(folder, &format!("**/{pattern}")),
            at(folder, &format!("**/{name}")),
            format!("**/{name}"),
        ];
        let count = |glob: &String| {
            let extent = self.workspace.extent(glob).ok()?;
            let found = self
                .workspace
                .files(&extent, None, self.workspace.files_looked_at());
            let count = found.files.len();
            let files = if count == 1 { "file" } else { "files" };
            (count > 0).then(|| format!("`{glob}` matches {count} {files}"))
        };
        let help = others.iter().find_map(count).unwrap_or_else(|| {
            "hidden files and those that .gitignore or treegraft.toml names are left out; `*` stays in a directory, \
             `**` does not"
                .to_string()
        });
        Err(Diagnostic {
            help: Some(help),
            ..Diagnostic::new(Code::FileNotFound, format!("`{path}` matches no file"))
        })
    }
}

/// Asks the files by their number on all cores until so many items are found from the first file on.
pub(super) fn in_turn<T: Send>(
    files: usize,
    wanted: usize,
    watch: &dyn Watch,
    ask: impl Fn(usize, usize) -> Result<Vec<T>, Diagnostic> + Sync,
) -> Progress<T> {
    let progress = Mutex::new(Progress {
        answers: (0..files).map(|_| None).collect(),
        next: 0,
        done: 0,
        items: 0,
        stopped: false,
    });
    let work = || {
        // Not in the head of the loop, where the lock would be held until the end of its body.
        let take = || held(&progress).take(wanted);
        while let Some((index, left)) = take() {
            let answer = ask(index, left);
            let done = held(&progress).put(index, answer);
            if !watch.goes_on(done, files) {
                held(&progress).stopped = true;
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    match cores.min(files) {
        0 | 1 => work(),
        threads => std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        }),
    }
    progress
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

fn held<T>(progress: &Mutex<Progress<T>>) -> MutexGuard<'_, Progress<T>> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Progress<T> {
    /// The items of the files that are done, in their order.
    pub(super) fn into_items(self) -> Vec<T> {
        let answers = self.answers.into_iter().take(self.done).flatten();
        answers.flatten().flatten().collect()
    }

    /// The next file, and how many items it may have at most; nothing where there are enough.
    fn take(&mut self, wanted: usize) -> Option<(usize, usize)> {
        let left = wanted.saturating_sub(self.items);
        if self.stopped || left == 0 || self.next == self.answers.len() {
            return None;
        }
        self.next += 1;
        Some((self.next - 1, left))
    }

    /// How many files are done with this one.
    fn put(&mut self, index: usize, answer: Result<Vec<T>, Diagnostic>) -> usize {
        self.answers[index] = Some(answer);
        while let Some(Some(answer)) = self.answers.get(self.done) {
            self.items += answer.as_ref().map_or(0, Vec::len);
            self.done += 1;
        }
        self.done
    }
}

/// How many files were passed over, and why; of those that are larger than `file_limit` that too.
fn passed_over_text(codes: &[Code], file_limit: u64) -> Option<String> {
    let whys: &[(&[Code], &str)] = &[
        (&[Code::BinaryFile], "binary"),
        (&[Code::NotUtf8], "not UTF-8"),
        (&[Code::FileTooLarge], "too large"),
    ];
    let is_known = |code: &Code| whys.iter().any(|(known, _)| known.contains(code));
    let mut counts: Vec<(usize, &str)> = Vec::new();
    for (known, why) in whys {
        let count = codes.iter().filter(|code| known.contains(code)).count();
        counts.push((count, why));
    }
    let others = codes.iter().filter(|code| !is_known(code)).count();
    counts.push((others, "not to be read"));
    counts.retain(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .iter()
        .map(|(count, why)| format!("{count} {why}"))
        .collect();
    let limit = match codes.contains(&Code::FileTooLarge) {
        true => format!(" (over {file_limit} bytes)"),
        false => String::new(),
    };
    let files = if codes.len() == 1 { "file" } else { "files" };
    (!codes.is_empty()).then(|| {
        format!(
            "{} {files} passed over: {}{limit}",
            codes.len(),
            counts.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(files: usize, wanted: usize, watch: &dyn Watch) -> Progress<usize> {
        in_turn(files, wanted, watch, |index, left| {
            Ok(vec![index; (index % 3).min(left)])
        })
    }

    #[test]
    fn files_are_asked_in_turn_until_there_are_enough_items() {
        let all = counted(1_000, usize::MAX, &());
        assert_eq!((all.done, all.items), (1_000, 999));
        let some = counted(1_000, 50, &());
        assert!(some.items >= 50 && some.done < 200, "{}", some.done);
    }

    #[test]
    fn a_stopped_call_has_what_is_done() {
        struct Stops(usize);
        impl Watch for Stops {
            fn goes_on(&self, done: usize, _: usize) -> bool {
                done < self.0
            }
        }
        let progress = counted(1_000, usize::MAX, &Stops(10));
        assert!(progress.stopped);
        assert!((10..100).contains(&progress.done), "{}", progress.done);
    }

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        for text in ["src/a.rs:0", "a: b.rs:12"] {
            let read: Result<Cursor, ()> = text.parse();
            assert_eq!(read.map(|cursor| cursor.to_string()), Ok(text.to_string()));
        }
        for text in ["", "a.rs", "a.rs:", "a.rs:-1", "a.rs:x"] {
            assert_eq!(text.parse::<Cursor>(), Err(()));
        }
    }
}
