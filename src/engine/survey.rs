//! Counts the symbols of all files of a path, and how often other places name them.
//!
//! A reference is an identifier with the name of a symbol: a named leaf of a syntax tree that is neither a comment nor a
//! string nor the name in a definition. References count for all symbols of that name in the same languages, and each
//! of these symbols gets an equal share. Nothing is resolved: a local variable with the name of a function counts for
//! the function.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::diagnostic::{Code, Diagnostic};
use crate::parse::{Node, Parsed};
use crate::workspace::WorkspacePath;

use super::Engine;
use super::files::{FileList, Totals, in_turn};
use super::watch::Watch;

/// The facts about the files of a path.
pub(super) struct Survey<T> {
    /// The facts about each file, or why it was skipped, in path order.
    pub(super) files: Vec<Result<FileFacts<T>, Diagnostic>>,
    pub(super) totals: Totals,
    /// Whether the caller stopped the survey before the last file.
    pub(super) stopped: bool,
    counts: References,
}

/// The facts about one file.
pub(super) struct FileFacts<T> {
    pub(super) symbols: Vec<SymbolFacts>,
    /// The items of the file, unless all files together have more than are wanted.
    pub(super) items: Vec<T>,
    /// The languages in which its symbols are referenced.
    family: &'static str,
}

/// A symbol of the answer.
pub(super) struct SymbolFacts {
    /// The index in the file's outline.
    pub(super) index: usize,
    /// The number of symbols of the answer that enclose it.
    pub(super) level: usize,
    pub(super) name: String,
    /// The name by which it is referenced, if it has one.
    key: Option<String>,
}

/// The number of references and definitions of each name, for each family of languages.
type References = HashMap<&'static str, HashMap<String, NameCount>>;

#[derive(Clone, Copy, Default)]
struct NameCount {
    references: usize,
    definitions: usize,
}

/// The names of one file.
struct FileNames<'p> {
    /// The name of each symbol that can be referenced, by the end of its span.
    defined: HashMap<usize, &'p str>,
    referenced: HashMap<&'static str, HashMap<&'p str, usize>>,
}

impl<T> Survey<T> {
    /// Returns the share that a symbol has in the references to its name.
    pub(super) fn references(&self, file: &FileFacts<T>, symbol: &SymbolFacts) -> f64 {
        let name = symbol.key.as_ref();
        let counts = self.counts.get(file.family);
        match name.zip(counts).and_then(|(name, counts)| counts.get(name)) {
            Some(count) => count.references as f64 / count.definitions.max(1) as f64,
            None => 0.0,
        }
    }

    /// Returns the files that could be read, with their index.
    pub(super) fn read(&self) -> impl Iterator<Item = (usize, &FileFacts<T>)> {
        let files = self.files.iter().enumerate();
        files.filter_map(|(index, file)| Some((index, file.as_ref().ok()?)))
    }

    /// Returns why files were skipped.
    pub(super) fn skipped(&self) -> Vec<Code> {
        let skipped = self.files.iter().filter_map(|file| file.as_ref().err());
        skipped.map(|refused| refused.code).collect()
    }
}

impl Engine {
    /// Examines all files of a list on all cores. `shown` returns the symbols of a file that belong to the answer, by
    /// index with their level; `item` makes an item of each while all files so far have at most `max_items`.
    pub(super) fn survey<T: Send>(
        &self,
        list: &FileList,
        max_items: usize,
        watch: &dyn Watch,
        shown: impl Fn(&Parsed) -> Vec<(usize, usize)> + Sync,
        item: impl Fn(&Parsed, (usize, usize)) -> T + Sync,
    ) -> Survey<T> {
        let counts: Mutex<References> = Mutex::default();
        let symbols_total = AtomicUsize::new(0);
        let facts = |path: &WorkspacePath| {
            let parsed = match list.is_only_file {
                true => self.parsed_at(path)?,
                false => self.opened(path)?.parsed(),
            };
            let shown = shown(&parsed);
            let before = symbols_total.fetch_add(shown.len(), Ordering::Relaxed);
            let family = parsed.source().language().family();
            let names = names(&parsed);
            {
                let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                add(&mut counts, family, &names);
            }
            let symbols = shown.iter().map(|&(index, level)| {
                let symbol = &parsed.outline().symbols()[index];
                let key = names.defined.get(&symbol.name_span.end());
                SymbolFacts {
                    index,
                    level,
                    name: symbol.name.clone(),
                    key: key.map(|key| key.to_string()),
                }
            });
            let items = match before + shown.len() <= max_items {
                true => shown.iter().map(|&one| item(&parsed, one)).collect(),
                false => Vec::new(),
            };
            Ok(FileFacts {
                symbols: symbols.collect(),
                items,
                family,
            })
        };
        let files = list.files();
        let progress = in_turn(files.len(), usize::MAX, watch, |index, _| {
            Ok(vec![facts(&files[index])])
        });
        let stopped = progress.stopped;
        let files: Vec<_> = progress.into_items();
        let symbols = files.iter().flatten().map(|file| file.symbols.len());
        let totals = Totals {
            files: files.len(),
            items: symbols.sum(),
            is_partial: stopped || list.is_partial(),
        };
        Survey {
            files,
            totals,
            stopped,
            counts: counts.into_inner().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// Adds the names of a file.
fn add(counts: &mut References, family: &'static str, names: &FileNames<'_>) {
    let mut count = |family, name: &str, references, definitions| {
        let counts = counts.entry(family).or_default();
        if !counts.contains_key(name) {
            counts.insert(name.to_string(), NameCount::default());
        }
        if let Some(count) = counts.get_mut(name) {
            count.references += references;
            count.definitions += definitions;
        }
    };
    for name in names.defined.values() {
        count(family, name, 0, 1);
    }
    for (family, names) in &names.referenced {
        for (name, references) in names {
            count(family, name, *references, 0);
        }
    }
}

/// Finds the names that a file defines and references.
fn names(parsed: &Parsed) -> FileNames<'_> {
    let mut names = FileNames {
        defined: HashMap::new(),
        referenced: HashMap::new(),
    };
    if parsed.is_plain_text() {
        return names;
    }
    // A name with a space is put together (`impl A for B`) or is prose, such as a heading.
    let symbols = parsed.outline().symbols().iter();
    let referable = symbols.filter(|symbol| !symbol.name.contains(' '));
    let definitions: HashSet<usize> = referable.map(|symbol| symbol.name_span.end()).collect();
    let text = parsed.source().text();
    let mut above: Vec<Node<'_>> = Vec::new();
    let mut cursor = parsed.walk(parsed.root());
    loop {
        let node = cursor.node();
        if cursor.goto_first_child() {
            above.push(node);
            continue;
        }
        if node.is_named()
            && let Some(name) = text.get(node.span().start()..node.span().end())
            && is_name(name)
            && !is_prose(node, &above)
        {
            let end = node.span().end();
            match definitions.contains(&end) && !node.is_embedded() {
                true => {
                    names.defined.insert(end, name);
                }
                false => {
                    let family = node.language().family();
                    let names = names.referenced.entry(family).or_default();
                    *names.entry(name).or_default() += 1;
                }
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return names;
            }
            above.pop();
        }
    }
}

/// Returns whether a leaf's text can be a name: one word with a letter.
fn is_name(text: &str) -> bool {
    let starts = text.starts_with(|first: char| !first.is_ascii_digit());
    starts && text.contains(char::is_alphabetic) && !text.contains(char::is_whitespace)
}

/// Returns whether a leaf is a comment or a string, or a part of one. An expression in a string is not.
fn is_prose(leaf: Node<'_>, above: &[Node<'_>]) -> bool {
    let parent = above.last().copied();
    let outer = above.len().checked_sub(2).map(|outer| above[outer]);
    let is_word =
        |node: Node<'_>, parent| node.is_word("comment", parent) || node.is_word("string", parent);
    is_word(leaf, parent) || parent.is_some_and(|parent| is_word(parent, outer))
}
