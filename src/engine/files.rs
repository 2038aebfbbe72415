//! Calls about many files: finds the files of a path, queries them on all cores, and returns the results in path order,
//! one page at a time.
//!
//! A page ends with a [`PageCursor`]: the file to continue with, the number of its items already returned, and the totals
//! of all pages if they were counted. Nothing else is kept between calls.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use camino::Utf8PathBuf;

use crate::diagnostic::{self, Code, Diagnostic};
use crate::memory;
use crate::steps::{self, Stopped};
use crate::workspace::{Extent, FilesFound, NoExtent, WorkspacePath};

use super::core::Engine;
use super::request::PathsArgument;
use super::watch::Watch;

/// The start of the next page. Its string form is `path:count`, with totals `path:count/files/items`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageCursor {
    /// The path, as used in answers.
    pub(super) file_path: Utf8PathBuf,
    /// The number of items of the file that were already returned.
    pub(super) answered: usize,
    pub(super) totals: Option<Totals>,
}

/// The numbers of files and items on all pages together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) files: usize,
    pub(super) items: usize,
    /// Whether there are more files than were counted. Its sign in a cursor is `+`.
    pub(super) is_partial: bool,
}

/// The files that a call queries, and the number of items to return.
pub(super) struct FilesQuery<'a> {
    pub(super) paths: &'a PathsArgument,
    pub(super) cursor: Option<&'a str>,
    /// The maximum number of items on a page.
    pub(super) max_items: usize,
    pub(super) watch: &'a dyn Watch,
}

/// One page of answers.
pub(super) struct Page<T> {
    /// The items of each file that has any, in path order.
    pub(super) files: Vec<(WorkspacePath, Vec<T>)>,
    pub(super) files_looked_at: usize,
    pub(super) cursor: Option<PageCursor>,
    pub(super) notes: Vec<String>,
}

/// The part of one file's items that belongs to a page.
pub(super) struct FilePage {
    /// The number of items on earlier pages.
    pub(super) skipped: usize,
    /// The maximum number of items to return after these.
    pub(super) wanted: usize,
    /// Whether the call is about one file.
    pub(super) is_only_file: bool,
}

/// The results of the files so far.
pub(super) struct Progress<T> {
    /// The result of each file, in order. `None` until it is available.
    answers: Vec<Option<Result<Vec<T>, Diagnostic>>>,
    next: usize,
    /// The number of leading files whose results are all available. `items` is the number of their items.
    done: usize,
    items: usize,
    pub(super) stopped: Option<Stopped>,
}

/// The files of several paths.
pub(super) struct SearchedFiles {
    pub(super) files: Vec<WorkspacePath>,
    /// Whether the paths may match several files, so that those that cannot be read are skipped.
    pub(super) is_list: bool,
    /// The maximum size of a file, in bytes.
    pub(super) file_limit: u64,
    /// Notes on directories that could not be read.
    pub(super) notes: Vec<String>,
}

/// The files of a query.
pub(super) struct FileList {
    /// The limit of the size of a file, in bytes.
    file_limit: u64,
    /// Whether the query is about one file.
    pub(super) is_only_file: bool,
    pub(super) cursor: Option<PageCursor>,
    found: FilesFound,
    /// The maximum number of files to find.
    limit: usize,
}

impl FileList {
    pub(super) fn files(&self) -> &[WorkspacePath] {
        &self.found.files
    }

    /// Returns whether there are more files than were found.
    pub(super) fn is_partial(&self) -> bool {
        self.found.rest.is_some() || self.found.cut
    }

    /// Returns the files if these are all files of the query.
    pub(super) fn into_searched(self) -> Option<SearchedFiles> {
        if self.cursor.is_some() || self.is_partial() {
            return None;
        }
        Some(SearchedFiles {
            is_list: !self.is_only_file,
            file_limit: self.file_limit,
            notes: self.found.unread_text().into_iter().collect(),
            files: self.found.files,
        })
    }

    /// Returns the totals that the cursor contains.
    pub(super) fn totals(&self) -> Option<Totals> {
        self.cursor.as_ref().and_then(|cursor| cursor.totals)
    }

    /// Returns the number of items of a file on earlier pages.
    pub(super) fn answered(&self, path: &WorkspacePath) -> usize {
        let cursor = self.cursor.as_ref();
        let first = cursor.filter(|cursor| cursor.file_path == path.display());
        first.map_or(0, |cursor| cursor.answered)
    }

    /// Returns the page of these results, which are those of the leading files.
    pub(super) fn page<T>(
        &self,
        results: Vec<Result<Vec<T>, Diagnostic>>,
        stopped: Option<Stopped>,
        max_items: usize,
    ) -> Result<Page<T>, Diagnostic> {
        let done = results.len();
        let mut page = Page {
            files: Vec::new(),
            files_looked_at: done,
            cursor: None,
            notes: Vec::new(),
        };
        let skipped = self.fill(&mut page, results.into_iter(), max_items)?;
        if page.cursor.is_none() {
            self.end_at(&mut page, done, stopped);
        }
        page.notes.extend(self.notes(&skipped));
        Ok(page)
    }

    /// Ends the page before the first item that does not fit; it keeps its first item.
    pub(super) fn end_early<T>(&self, page: &mut Page<T>, mut fits: impl FnMut(&T) -> bool) {
        let mut is_first = true;
        let mut is_kept = |item: &T| std::mem::take(&mut is_first) | fits(item);
        let mut files = page.files.iter().enumerate();
        let end = files.find_map(|(file, (_, items))| {
            let kept = items.iter().position(|item| !is_kept(item))?;
            Some((file, kept))
        });
        let Some((file, kept)) = end else {
            return;
        };
        page.files.truncate(file + 1);
        let (path, items) = &mut page.files[file];
        items.truncate(kept);
        page.cursor = Some(PageCursor {
            file_path: path.display().to_owned(),
            answered: self.answered(path) + kept,
            totals: self.totals(),
        });
        let place = self.files().iter().position(|file| file == path);
        page.files_looked_at = place.map_or(page.files_looked_at, |place| place + 1);
    }

    /// Returns notes about an answer without pages: why files are missing in it, and about skipped files and directories.
    pub(super) fn notes_at(
        &self,
        done: usize,
        stopped: Option<Stopped>,
        skipped: &[Code],
    ) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(stopped) = stopped {
            notes.push(self.stopped_text(done, stopped));
        } else if self.found.rest.is_some() {
            let limit = self.limit;
            notes.push(format!(
                "only the first {limit} files are included; pass a subdirectory"
            ));
        }
        notes.extend(self.notes(skipped));
        notes
    }

    fn stopped_text(&self, done: usize, stopped: Stopped) -> String {
        let text = format!("stopped after {done} of {} files", self.found.files.len());
        match stopped {
            Stopped::Asked => text,
            Stopped::OutOfMemory(limit) => {
                format!(
                    "{text}: the next needs more memory than the limit of {}",
                    memory::text(limit)
                )
            }
        }
    }

    /// Returns notes about skipped files and directories.
    fn notes(&self, skipped: &[Code]) -> Vec<String> {
        let mut notes: Vec<String> = skipped_text(skipped, self.file_limit).into_iter().collect();
        notes.extend(self.found.unread_text());
        if self.found.cut {
            let note =
                "there are more directory entries than treegraft examines; pass a subdirectory";
            notes.push(note.to_string());
        }
        notes
    }

    fn file_page(&self, index: usize, wanted: usize) -> FilePage {
        FilePage {
            skipped: self.answered(&self.found.files[index]),
            wanted,
            is_only_file: self.is_only_file,
        }
    }

    /// Adds the results to a page until it is full. Returns why files were skipped.
    fn fill<T>(
        &self,
        page: &mut Page<T>,
        answers: impl Iterator<Item = Result<Vec<T>, Diagnostic>>,
        max_items: usize,
    ) -> Result<Vec<Code>, Diagnostic> {
        let mut skipped: Vec<Code> = Vec::new();
        let mut left = max_items;
        for (index, answer) in answers.enumerate() {
            let path = &self.found.files[index];
            let mut items = match answer {
                Ok(items) => items,
                Err(refused) if self.is_only_file => return Err(refused),
                Err(refused) => {
                    skipped.push(refused.code);
                    continue;
                }
            };
            if items.len() > left {
                items.truncate(left);
                page.cursor = Some(PageCursor {
                    file_path: path.display().to_owned(),
                    answered: self.file_page(index, 0).skipped + left,
                    totals: self.totals(),
                });
            }
            left -= items.len();
            if !items.is_empty() || self.is_only_file {
                page.files.push((path.clone(), items));
            }
            if page.cursor.is_some() {
                page.files_looked_at = index + 1;
                break;
            }
        }
        Ok(skipped)
    }

    /// Ends a page that is not full. It continues with the first file that was not queried.
    fn end_at<T>(&self, page: &mut Page<T>, done: usize, stopped: Option<Stopped>) {
        if let Some(stopped) = stopped {
            page.notes.push(self.stopped_text(done, stopped));
        } else if self.found.rest.is_some() {
            let limit = self.limit;
            page.notes.push(format!(
                "{limit} files were searched; pass cursor to continue"
            ));
        }
        let next = self.found.files.get(done).or(self.found.rest.as_ref());
        page.cursor = next.map(|path| PageCursor {
            file_path: path.display().to_owned(),
            answered: 0,
            totals: self.totals(),
        });
    }
}

impl fmt::Display for PageCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file_path, self.answered)?;
        match self.totals {
            Some(totals) => {
                let sign = if totals.is_partial { "+" } else { "" };
                write!(f, "/{}/{}{sign}", totals.files, totals.items)
            }
            None => Ok(()),
        }
    }
}

impl FromStr for PageCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<PageCursor, ()> {
        let (file_path, numbers) = text.rsplit_once(':').ok_or(())?;
        let number = |text: &str| text.parse().map_err(|_| ());
        let (answered, totals) = match numbers.split_once('/') {
            None => (numbers, None),
            Some((answered, totals)) => {
                let (files, items) = totals.split_once('/').ok_or(())?;
                let is_partial = items.ends_with('+');
                let totals = Totals {
                    files: number(files)?,
                    items: number(items.strip_suffix('+').unwrap_or(items))?,
                    is_partial,
                };
                (answered, Some(totals))
            }
        };
        Ok(PageCursor {
            file_path: file_path.into(),
            answered: number(answered)?,
            totals,
        })
    }
}

impl Engine {
    /// Lists the files of a path: a file, the files below a directory, or the matches of a glob.
    ///
    /// # Errors
    /// The path does not exist, matches no file, or has too many files.
    pub fn files(&self, path: &str) -> Result<Vec<String>, Diagnostic> {
        let found = self.searched_files(&path.into())?;
        let paths = found.files.iter().map(|file| file.display().to_string());
        Ok(paths.collect())
    }

    /// Queries each file of a list, up to the number of items on a page.
    ///
    /// `ask` returns at most the wanted number of items, without those of earlier pages.
    ///
    /// # Errors
    /// The only file cannot be queried.
    pub(super) fn ask_list<T: Send>(
        &self,
        list: &FileList,
        query: &FilesQuery<'_>,
        ask: impl Fn(&WorkspacePath, &FilePage) -> Result<Vec<T>, Diagnostic> + Sync,
    ) -> Result<Page<T>, Diagnostic> {
        let files = list.files();
        // One item more than a page holds indicates a next page.
        let wanted = query.max_items + 1;
        let progress = in_turn(files.len(), wanted, query.watch, |index, left| {
            ask(&files[index], &list.file_page(index, left))
        });
        let stopped = progress.stopped;
        list.page(progress.into_results(), stopped, query.max_items)
    }

    /// Returns the files of a query, starting with the file that its cursor names.
    ///
    /// # Errors
    /// A path matches no file, or the cursor belongs to another call.
    pub(super) fn file_list(&self, query: &FilesQuery<'_>) -> Result<FileList, Diagnostic> {
        let paths = query.paths;
        let extents = self.extents(paths)?;
        let cursor = query
            .cursor
            .map(|text| self.fitting(text, paths, &extents))
            .transpose()?;
        let from = cursor.as_ref();
        let from = from.map(|cursor| self.workspace.absolute(&cursor.file_path));
        let limit = self.workspace.files_looked_at();
        let found = self.workspace.files(&extents, from.as_deref(), limit);
        if cursor.is_none() {
            self.about_empty_globs(paths, &extents, &found)?;
        }
        Ok(FileList {
            file_limit: file_limit(&extents),
            is_only_file: matches!(*extents, [Extent::File(_)]),
            cursor,
            found,
            limit,
        })
    }

    /// Returns all files of several paths, each once, in path order.
    ///
    /// # Errors
    /// A path matches no file, or a directory has more entries than treegraft examines.
    pub(super) fn searched_files(
        &self,
        paths: &PathsArgument,
    ) -> Result<SearchedFiles, Diagnostic> {
        let extents = self.extents(paths)?;
        let found = self.workspace.files(&extents, None, usize::MAX);
        self.about_empty_globs(paths, &extents, &found)?;
        if found.cut {
            let message = format!("{paths} has more entries than treegraft examines");
            return Err(diagnostic::about_arguments(message).help("pass a subdirectory"));
        }
        Ok(SearchedFiles {
            is_list: !matches!(*extents, [Extent::File(_)]),
            file_limit: file_limit(&extents),
            notes: found.unread_text().into_iter().collect(),
            files: found.files,
        })
    }

    /// Returns the extent of each path.
    pub(super) fn extents(&self, paths: &PathsArgument) -> Result<Vec<Extent>, Diagnostic> {
        paths.0.iter().map(|path| self.extent(path)).collect()
    }

    pub(super) fn extent(&self, path: &str) -> Result<Extent, Diagnostic> {
        self.workspace.extent(path).map_err(|error| match error {
            NoExtent::File(error) => self.about_path(path, &error),
            NoExtent::Glob { .. } => Diagnostic::new(Code::FileNotFound, error.to_string()),
        })
    }

    /// Returns the cursor if it belongs to a call about these files.
    fn fitting(
        &self,
        text: &str,
        paths: &PathsArgument,
        extents: &[Extent],
    ) -> Result<PageCursor, Diagnostic> {
        let is_below = |cursor: &PageCursor| {
            let from = self.workspace.absolute(&cursor.file_path);
            extents.iter().any(|extent| match extent {
                Extent::File(file) => from == file.absolute(),
                Extent::Folder(folder) | Extent::Glob { folder, .. } => {
                    from.starts_with(folder.absolute())
                }
            })
        };
        text.parse().ok().filter(is_below).ok_or_else(|| {
            diagnostic::about_arguments(format!(
                "cursor {text:?} does not belong to {paths}; pass the cursor of the previous page with \
                 otherwise equal arguments"
            ))
        })
    }

    /// Refuses a glob that matches none of the files found.
    fn about_empty_globs(
        &self,
        paths: &PathsArgument,
        extents: &[Extent],
        found: &FilesFound,
    ) -> Result<(), Diagnostic> {
        let is_empty = |extent: &Extent| !found.files.iter().any(|file| extent.contains(file));
        let mut all = paths.0.iter().zip(extents);
        let is_known = found.rest.is_none();
        match all.find(|(_, extent)| is_known && is_empty(extent)) {
            Some((path, extent)) => self.about_empty_glob(path, extent),
            None => Ok(()),
        }
    }

    /// Refuses a glob that matches no file, and suggests one that matches some.
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
                .files(&[extent], None, self.workspace.files_looked_at());
            let count = found.files.len();
            let files = if count == 1 { "file" } else { "files" };
            (count > 0).then(|| format!("`{glob}` matches {count} {files}"))
        };
        let help = others.iter().find_map(count).unwrap_or_else(|| {
            "hidden files and files excluded by .gitignore or treegraft.toml are skipped; `*` does not match `/`, `**` \
             does"
                .to_string()
        });
        Err(Diagnostic {
            help: Some(help),
            ..Diagnostic::new(Code::FileNotFound, format!("`{path}` matches no file"))
        })
    }
}

/// Returns the limit of the size of a file in the first extent, in bytes.
fn file_limit(extents: &[Extent]) -> u64 {
    extents
        .first()
        .map_or(0, |extent| extent.place().file_limit())
}

/// Queries the files by index on all cores, until the leading files together have the wanted number of items.
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
        stopped: None,
    });
    let stop = steps::current();
    let one = |index, left| steps::watched(stop.clone(), || steps::stoppable(|| ask(index, left)));
    let work = || {
        // A lock in the loop condition would be held until the end of the body.
        let take = || held(&progress).take(wanted);
        while let Some((index, left)) = take() {
            let answer = match one(index, left) {
                Ok(answer) => answer,
                Err(stopped) => {
                    held(&progress).stopped = Some(stopped);
                    return;
                }
            };
            let done = held(&progress).put(index, answer);
            if !watch.goes_on(done, files) {
                held(&progress).stopped = Some(Stopped::Asked);
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
    /// Returns the result of each finished file, in file order.
    pub(super) fn into_results(self) -> Vec<Result<Vec<T>, Diagnostic>> {
        self.answers.into_iter().take(self.done).flatten().collect()
    }

    /// Returns the items of the finished files, in file order.
    pub(super) fn into_items(self) -> Vec<T> {
        let answers = self.answers.into_iter().take(self.done).flatten();
        answers.flatten().flatten().collect()
    }

    /// Returns the next file and the maximum number of its items, or `None` if there are enough items.
    fn take(&mut self, wanted: usize) -> Option<(usize, usize)> {
        let left = wanted.saturating_sub(self.items);
        if self.stopped.is_some() || left == 0 || self.next == self.answers.len() {
            return None;
        }
        self.next += 1;
        Some((self.next - 1, left))
    }

    /// Stores a result. Returns the number of finished files.
    fn put(&mut self, index: usize, answer: Result<Vec<T>, Diagnostic>) -> usize {
        self.answers[index] = Some(answer);
        while let Some(Some(answer)) = self.answers.get(self.done) {
            self.items += answer.as_ref().map_or(0, Vec::len);
            self.done += 1;
        }
        self.done
    }
}

/// Returns how many files were skipped, and why.
pub(super) fn skipped_text(codes: &[Code], file_limit: u64) -> Option<String> {
    let whys: &[(&[Code], &str)] = &[
        (&[Code::BinaryFile], "binary"),
        (&[Code::NotUtf8], "not UTF-8"),
        (&[Code::FileTooLarge], "too large"),
        (
            &[Code::GrammarUnavailable],
            "in a language whose grammar cannot be loaded",
        ),
    ];
    let is_known = |code: &Code| whys.iter().any(|(known, _)| known.contains(code));
    let mut counts: Vec<(usize, &str)> = Vec::new();
    for (known, why) in whys {
        let count = codes.iter().filter(|code| known.contains(code)).count();
        counts.push((count, why));
    }
    let others = codes.iter().filter(|code| !is_known(code)).count();
    counts.push((others, "unreadable"));
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
            "{} {files} skipped: {}{limit}",
            codes.len(),
            counts.join(", ")
        )
    })
}

/// Returns the number of items on a page, and a note if it is less than requested.
pub(super) fn page_size(
    wanted: Option<usize>,
    otherwise: usize,
    limit: usize,
) -> Result<(usize, Option<String>), Diagnostic> {
    match wanted.unwrap_or(otherwise) {
        0 => Err(diagnostic::about_arguments("max_items counts from 1")),
        wanted if wanted > limit => {
            let note = format!("max_items is limited to {limit}; pass cursor for the next page");
            Ok((limit, Some(note)))
        }
        wanted => Ok((wanted, None)),
    }
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
        assert_eq!(progress.stopped, Some(Stopped::Asked));
        assert!((10..100).contains(&progress.done), "{}", progress.done);
    }

    #[test]
    fn a_cursor_is_read_as_it_is_written() {
        let texts = ["src/a.rs:0", "a: b.rs:12", "a.rs:1/20/300", "a/b.rs:0/1/2+"];
        for text in texts {
            let read: Result<PageCursor, ()> = text.parse();
            assert_eq!(read.map(|cursor| cursor.to_string()), Ok(text.to_string()));
        }
        let others = ["a.rs:1/2", "a.rs:1/2/", "a.rs:1/2/+", "a.rs:1/2+/3"];
        for text in ["", "a.rs", "a.rs:", "a.rs:-1", "a.rs:x"]
            .into_iter()
            .chain(others)
        {
            assert_eq!(text.parse::<PageCursor>(), Err(()));
        }
    }
}
