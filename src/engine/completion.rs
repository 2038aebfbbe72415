//! Completes an argument: returns the values that start with the typed text.
//!
//! Never fails: returns no values for a missing file, folder or language.

use crate::locate::SymbolScope;
use crate::workspace::FileKind;

use super::core::Engine;
use super::request::ListEdits;

/// The maximum number of names to list in a folder.
const LOOKED_AT: usize = 10_000;

/// An argument that can be completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument<'a> {
    /// A path in the workspace.
    FilePath,
    /// A symbol path such as `Server.handle`, of this file if it is known.
    Symbol(Option<&'a str>),
    /// A node type or a general word, of the language of this file if it is known, else of any language.
    NodeType(Option<&'a str>),
    /// A pending or applied edit.
    EditId,
    /// A language.
    Language,
}

impl Engine {
    /// Returns the sorted values of an argument that start with the typed text, ignoring case. A folder ends with `/`.
    pub fn complete(&self, argument: Argument<'_>, typed: &str) -> Vec<String> {
        let all = match argument {
            Argument::FilePath => return self.paths_from(typed),
            Argument::Symbol(file) => self.symbol_paths(file),
            Argument::NodeType(file) => self.known_types(file),
            Argument::EditId => self.edit_ids(),
            Argument::Language => names_of_languages().collect(),
        };
        let all = all.into_iter();
        all.filter(|value| begins_with(value, typed)).collect()
    }

    fn paths_from(&self, typed: &str) -> Vec<String> {
        let (folder, name) = typed.rsplit_once('/').unwrap_or((".", typed));
        let Ok(path) = self.workspace.resolve(folder) else {
            return Vec::new();
        };
        let Ok(listing) = self.workspace.list(&path, LOOKED_AT) else {
            return Vec::new();
        };
        let ahead = &typed[..typed.len() - name.len()];
        let is_offered =
            |own: &str| begins_with(own, name) && (!own.starts_with('.') || !name.is_empty());
        let entries = listing.entries.into_iter();
        entries
            .filter(|entry| is_offered(&entry.name))
            .filter_map(|entry| match entry.kind {
                FileKind::File => Some(format!("{ahead}{}", entry.name)),
                FileKind::Directory => Some(format!("{ahead}{}/", entry.name)),
                _ => None,
            })
            .collect()
    }

    fn symbol_paths(&self, file: Option<&str>) -> Vec<String> {
        let Some(Ok((_, parsed))) = file.map(|file| self.parsed(file)) else {
            return Vec::new();
        };
        let outline = parsed.outline();
        let all = 0..outline.symbols().len();
        let mut paths: Vec<String> = all
            .map(|index| SymbolScope {
                symbol_path: outline.short_path(index),
            })
            .map(|scope| scope.to_string())
            .collect();
        paths.sort();
        paths.dedup();
        paths
    }

    fn known_types(&self, file: Option<&str>) -> Vec<String> {
        let parsed = file.and_then(|file| self.parsed(file).ok());
        let names: Vec<String> = match &parsed {
            Some((_, parsed)) => parsed.languages().map(|one| one.name.to_string()).collect(),
            None => names_of_languages().collect(),
        };
        let listed = names
            .iter()
            .filter_map(|name| Engine::node_types(name).ok());
        let mut values: Vec<String> = listed
            .flat_map(|one| one.node_types)
            .flat_map(|one| one.general_words.into_iter().chain([one.node_type]))
            .collect();
        values.sort();
        values.dedup();
        values
    }

    fn edit_ids(&self) -> Vec<String> {
        let listed = self.list_edits(&ListEdits::default());
        let edits = listed.map(|listed| listed.edits).unwrap_or_default();
        edits.into_iter().map(|edit| edit.edit_id).collect()
    }
}

fn names_of_languages() -> impl Iterator<Item = String> {
    let all = Engine::languages().languages.into_iter();
    all.map(|language| language.name)
}

fn begins_with(value: &str, typed: &str) -> bool {
    let mut own = value.chars().flat_map(char::to_lowercase);
    typed
        .chars()
        .flat_map(char::to_lowercase)
        .all(|letter| own.next() == Some(letter))
}
