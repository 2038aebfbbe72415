//! Counts the symbols of all files of a path, and how often other places name them.
//!
//! A reference is an identifier with the name of a symbol: a named leaf of a syntax tree that is neither a comment nor a
//! string nor the name in a definition. Nothing else is resolved. A reference counts for the symbols of its name
//!
//! - in the same file, if there are any;
//! - otherwise in all files of the same languages, except symbols inside a function or a test, and except names of one
//!   letter.
//!
//! Several such symbols share it equally. A field counts only identifiers of the node type that its own name has, if
//! the grammar distinguishes those of fields: a variable `next` is no reference to a field `next`.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::diagnostic::{Code, Diagnostic};
use crate::parse::{Node, Parsed};
use crate::steps::Stopped;
use crate::workspace::WorkspacePath;

use super::core::Engine;
use super::files::{FileList, Totals, in_turn};
use super::watch::Watch;

/// The kinds of symbols that other files cannot refer into.
const LOCAL_IN: [&str; 4] = ["function", "method", "constructor", "test"];
/// The kinds of symbols that are referenced as members.
const FIELDS: [&str; 2] = ["field", "property"];

/// The facts about the files of a path.
pub(super) struct Survey<T> {
    /// The facts about each file, or why it was skipped, in path order.
    pub(super) files: Vec<Result<FileFacts<T>, Diagnostic>>,
    pub(super) totals: Totals,
    /// Whether the caller stopped the survey before the last file.
    pub(super) stopped: Option<Stopped>,
    counts: References,
}

/// The facts about one file.
pub(super) struct FileFacts<T> {
    pub(super) symbols: Vec<SymbolFacts>,
    /// The items of the file, unless all files together have more than are wanted.
    pub(super) items: Vec<T>,
    /// Whether its references are counted.
    with_references: bool,
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
    /// Its share of the references in its own file.
    own_references: f64,
    /// How other files refer to it, if they can.
    referable: Option<Referable>,
}

/// A name that other files can refer to.
struct Referable {
    name: String,
    /// The only node type of its references, if it has one.
    node_type: Option<&'static str>,
}

/// The number of references and definitions of each name, for each family of languages.
type References = HashMap<&'static str, HashMap<String, NameCount>>;

#[derive(Default)]
struct NameCount {
    references: TypeCounts,
    definitions: usize,
}

/// The number of references for each node type.
#[derive(Default)]
struct TypeCounts(Vec<(&'static str, usize)>);

/// The names of one file.
#[derive(Default)]
struct FileNames<'p> {
    /// The name in each definition, with its node type, by its end.
    defined: HashMap<usize, (&'p str, &'static str)>,
    referenced: HashMap<(&'static str, &'p str), TypeCounts>,
}

impl TypeCounts {
    fn add(&mut self, node_type: &'static str, count: usize) {
        match self.0.iter_mut().find(|(own, _)| *own == node_type) {
            Some((_, own)) => *own += count,
            None => self.0.push((node_type, count)),
        }
    }

    /// Returns the number of references of one node type, or of all.
    fn count(&self, node_type: Option<&str>) -> usize {
        let own = self.0.iter();
        let own = own.filter(|(own, _)| node_type.is_none_or(|wanted| wanted == *own));
        own.map(|(_, count)| count).sum()
    }
}

impl<T> Survey<T> {
    /// Returns the share that a symbol has in the references to its name.
    pub(super) fn references(&self, file: &FileFacts<T>, symbol: &SymbolFacts) -> f64 {
        let elsewhere = symbol.referable.as_ref().and_then(|referable| {
            let count = self.counts.get(file.family)?.get(&referable.name)?;
            let references = count.references.count(referable.node_type);
            Some(references as f64 / count.definitions.max(1) as f64)
        });
        symbol.own_references + elsewhere.unwrap_or_default()
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

/// What a survey collects in addition to the symbols.
pub(super) struct SurveyQuery<'a> {
    /// The maximum number of items. If there are more symbols, references are counted instead.
    pub(super) max_items: usize,
    /// Whether references are also counted if all symbols are at most `max_items`.
    pub(super) with_references: bool,
    pub(super) watch: &'a dyn Watch,
}

impl Engine {
    /// Examines all files of a list on all cores. `shown` returns the symbols of a file that belong to the answer, by
    /// index with their level; `item` makes an item of each while all files so far have at most `max_items`.
    pub(super) fn survey<T: Send>(
        &self,
        list: &FileList,
        query: &SurveyQuery<'_>,
        shown: impl Fn(&Parsed) -> Vec<(usize, usize)> + Sync,
        item: impl Fn(&Parsed, (usize, usize)) -> T + Sync,
    ) -> Survey<T> {
        let counts: Mutex<References> = Mutex::default();
        let symbols_total = AtomicUsize::new(0);
        let facts = |path: &WorkspacePath, with_references: bool| {
            let parsed = match list.is_only_file {
                true => self.parsed_at(path)?,
                false => self.opened(path)?.parsed(),
            };
            let shown = shown(&parsed);
            let before = symbols_total.fetch_add(shown.len(), Ordering::Relaxed);
            let fits = before + shown.len() <= query.max_items;
            let with_references = with_references || !fits;
            let family = parsed.source().language().family();
            let names = match with_references {
                true => names(&parsed),
                false => FileNames::default(),
            };
            let all = names.symbols(&parsed, family);
            if with_references {
                let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                add(&mut counts, family, &names, &all);
            }
            let mut all: Vec<Option<SymbolFacts>> = all.into_iter().map(Some).collect();
            let symbols = shown.iter().filter_map(|&(index, level)| {
                let symbol = all[index].take()?;
                Some(SymbolFacts { level, ..symbol })
            });
            Ok(FileFacts {
                symbols: symbols.collect(),
                items: match fits {
                    true => shown.iter().map(|&one| item(&parsed, one)).collect(),
                    false => Vec::new(),
                },
                with_references,
                family,
            })
        };
        let paths = list.files();
        let progress = in_turn(paths.len(), usize::MAX, query.watch, |index, _| {
            Ok(vec![facts(&paths[index], query.with_references)])
        });
        let stopped = progress.stopped;
        let mut files: Vec<Result<FileFacts<T>, Diagnostic>> = progress.into_items();
        let symbols = files.iter().flatten().map(|file| file.symbols.len());
        let totals = Totals {
            files: files.len(),
            items: symbols.sum(),
            is_partial: stopped.is_some() || list.is_partial(),
        };
        // The references of the first files, from before it was known that they are needed.
        if totals.items > query.max_items {
            let is_missing =
                |index: &usize| matches!(&files[*index], Ok(file) if !file.with_references);
            let missing: Vec<usize> = (0..files.len()).filter(is_missing).collect();
            let progress = in_turn(missing.len(), usize::MAX, &(), |place, _| {
                Ok(vec![facts(&paths[missing[place]], true)])
            });
            for (index, file) in missing.into_iter().zip(progress.into_items()) {
                files[index] = file;
            }
        }
        Survey {
            files,
            totals,
            stopped,
            counts: counts.into_inner().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// Adds what the names of a file count in others: its symbols, and its references to names that it does not define.
fn add(
    counts: &mut References,
    family: &'static str,
    names: &FileNames<'_>,
    symbols: &[SymbolFacts],
) {
    let definitions = symbols
        .iter()
        .filter_map(|symbol| symbol.referable.as_ref());
    for Referable { name, .. } in definitions {
        let counts = counts.entry(family).or_default();
        match counts.get_mut(name) {
            Some(count) => count.definitions += 1,
            None => {
                let count = NameCount {
                    definitions: 1,
                    ..NameCount::default()
                };
                counts.insert(name.clone(), count);
            }
        }
    }
    let defined: HashSet<&str> = names.defined.values().map(|(name, _)| *name).collect();
    for ((language, name), references) in &names.referenced {
        if is_short(name) || (*language == family && defined.contains(name)) {
            continue;
        }
        let counts = counts.entry(language).or_default();
        if !counts.contains_key(*name) {
            counts.insert(name.to_string(), NameCount::default());
        }
        if let Some(count) = counts.get_mut(*name) {
            for (node_type, references) in &references.0 {
                count.references.add(node_type, *references);
            }
        }
    }
}

fn is_short(name: &str) -> bool {
    name.chars().nth(1).is_none()
}

impl FileNames<'_> {
    /// Returns the facts about all symbols of the file, by index.
    fn symbols(&self, parsed: &Parsed, family: &'static str) -> Vec<SymbolFacts> {
        let mut definitions: HashMap<&str, usize> = HashMap::new();
        for (name, _) in self.defined.values() {
            *definitions.entry(name).or_default() += 1;
        }
        let symbols = parsed.outline().symbols();
        let mut is_local: Vec<bool> = Vec::new();
        let facts = symbols.iter().enumerate().map(|(index, symbol)| {
            let parent = symbol.parent.map(|parent| &symbols[parent]);
            let is_inside = parent.is_some_and(|parent| LOCAL_IN.contains(&parent.kind));
            is_local.push(is_inside || symbol.parent.is_some_and(|parent| is_local[parent]));
            let own = self.defined.get(&symbol.name_span.end());
            let name = own.map(|(name, _)| *name);
            let node_type = own.map(|(_, node_type)| *node_type);
            let node_type = node_type.filter(|_| FIELDS.contains(&symbol.kind));
            let own_references = name.map_or(0.0, |name| {
                let references = self.referenced.get(&(family, name));
                let references = references.map_or(0, |counts| counts.count(node_type));
                references as f64 / definitions[name] as f64
            });
            let referable = name.filter(|name| !is_local[index] && !is_short(name));
            SymbolFacts {
                index,
                level: 0,
                name: symbol.name.clone(),
                own_references,
                referable: referable.map(|name| Referable {
                    name: name.to_string(),
                    node_type,
                }),
            }
        });
        facts.collect()
    }
}

/// Finds the names that a file defines and references.
fn names(parsed: &Parsed) -> FileNames<'_> {
    let mut names = FileNames::default();
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
            && let Some(grammar) = node.language().grammar()
            && let Some(node_type) = grammar.node_kind_for_id(node.kind_id())
        {
            let end = node.span().end();
            match definitions.contains(&end) && !node.is_embedded() {
                true => {
                    names.defined.insert(end, (name, node_type));
                }
                false => {
                    let family = node.language().family();
                    let counts = names.referenced.entry((family, name)).or_default();
                    counts.add(node_type, 1);
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
