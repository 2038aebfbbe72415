//! The changes of the import statements of one file.

use std::sync::Arc;

use crate::change::{NotAnEdit, Replacement, TextEdit};
use crate::parse::Parsed;
use crate::source::Span;

use super::facts::ImportFacts;
use super::file_names::{FileNames, words};
use super::layout::{self, Wanted};
use super::modules::Modules;
use super::specs::{self, Spec};
use super::statements::{Import, ImportItem, ImportPlace};

/// Changes of a text.
pub(super) struct FileChange {
    parsed: Arc<Parsed>,
    replacements: Vec<Replacement>,
    /// The statements that go, with their lines.
    deleted: Vec<Span>,
    wanted: Vec<Wanted>,
    wanted_specs: Vec<Spec>,
}

impl FileChange {
    /// Returns no changes of a file.
    pub(super) fn new(parsed: &Arc<Parsed>) -> FileChange {
        FileChange {
            parsed: parsed.clone(),
            replacements: Vec::new(),
            deleted: Vec::new(),
            wanted: Vec::new(),
            wanted_specs: Vec::new(),
        }
    }

    pub(super) fn parsed(&self) -> &Arc<Parsed> {
        &self.parsed
    }

    pub(super) fn want(&mut self, wanted: Wanted) {
        if !self.wanted.contains(&wanted) {
            self.wanted.push(wanted);
        }
    }

    pub(super) fn want_spec(&mut self, spec: Spec) {
        if !self.wanted_specs.contains(&spec) {
            self.wanted_specs.push(spec);
        }
    }

    /// Returns whether a statement with this path is added.
    pub(super) fn wants_path(&self, path: &str) -> bool {
        self.wanted_specs.iter().any(|one| one.path == path)
    }

    pub(super) fn replace(&mut self, span: Span, new_text: impl Into<String>) {
        let one = Replacement {
            span,
            new_text: new_text.into(),
        };
        if !self.replacements.contains(&one) {
            self.replacements.push(one);
        }
    }

    pub(super) fn extend(&mut self, all: impl IntoIterator<Item = Replacement>) {
        self.replacements.extend(all);
    }

    /// Deletes a statement with its lines. Returns whether that is possible.
    pub(super) fn delete(&mut self, span: Span) -> bool {
        let is_possible = layout::lines_removed(self.parsed.source(), &[span]).is_some();
        if is_possible && !self.deleted.contains(&span) {
            self.deleted.push(span);
        }
        is_possible
    }

    /// Deletes some items of a statement, or all of it. Returns whether that is possible.
    pub(super) fn remove_items(
        &mut self,
        facts: &ImportFacts,
        import: &Import,
        items: &[usize],
    ) -> bool {
        if items.len() == import.items.len() {
            return self.delete(import.span);
        }
        let removed = layout::items_removed(self.parsed.source(), facts, import, items);
        let is_possible = removed.is_some();
        self.extend(removed.unwrap_or_default());
        is_possible
    }

    /// Returns the changes as one edit, first the removed items and statements and then the added ones.
    ///
    /// # Errors
    /// The place of a change that another one overlaps.
    pub(super) fn into_edit(
        self,
        modules: &Modules<'_>,
        like: Option<&str>,
    ) -> Result<TextEdit, Span> {
        let source = self.parsed.source();
        let mut first = self.replacements;
        let deleted = layout::lines_removed(source, &self.deleted);
        first.extend(deleted.ok_or_else(|| self.deleted.first().copied().unwrap_or(Span::at(0)))?);
        let overlap = |error: NotAnEdit| match error {
            NotAnEdit::Overlap(at) | NotAnEdit::NoBoundary(at) => Span::at(at),
        };
        let first = TextEdit::new(source, first).map_err(overlap)?;
        let reparsed = match first.replacements().is_empty() {
            true => self.parsed.clone(),
            false => Arc::new(Parsed::parse(first.apply(source))),
        };
        let mut added = layout::added(&reparsed, modules, &self.wanted, like);
        added.extend(specs::added(&reparsed, modules.facts, &self.wanted_specs));
        let second = TextEdit::new(reparsed.source(), added).map_err(|_| Span::at(0))?;
        Ok(first.then(&second))
    }

    /// Removes imported names that nothing uses. Those that documentation may use stay, and those that a comment keeps.
    pub(super) fn remove_imports(
        &mut self,
        facts: &ImportFacts,
        names: &FileNames,
        unused: &[String],
    ) {
        let source = self.parsed.source().clone();
        let is_unused = |item: &ImportItem| {
            let is_single =
                matches!(names.bindings(&item.bound.0), [only] if *only == item.bound.1);
            is_single
                && unused.contains(&item.bound.0)
                && !is_in_documentation(&self.parsed, facts, names, &item.bound.0)
        };
        let is_kept = |import: &Import| {
            let end = source.line_of(import.span.end());
            let own = source
                .line_span(end)
                .map(|line| Span::new(import.span.end(), line.end()));
            let above = source.line_span(source.line_of(import.span.start()) - 1);
            let above = above.filter(|line| {
                let text = source.slice(*line);
                let first = line.start() + text.len() - text.trim_start().len();
                is_in_text(&self.parsed, Span::new(first, line.end()))
            });
            let mut lines = own.into_iter().chain(above).map(|line| source.slice(line));
            lines.any(|line| facts.keeping.iter().any(|word| line.contains(word)))
        };
        let of_import = |import: &Import| -> Vec<usize> {
            let items = import.items.iter().enumerate();
            items
                .filter(|(_, item)| is_unused(item))
                .map(|(index, _)| index)
                .collect()
        };
        let imports = names.imports.iter().filter(|import| !is_kept(import));
        let removed: Vec<(&Import, Vec<usize>)> =
            imports.map(|import| (import, of_import(import))).collect();
        let mut whole = Vec::new();
        for (import, items) in removed {
            if items.len() == import.items.len() && !import.is_top() && !items.is_empty() {
                whole.push(import);
            } else if !items.is_empty() {
                // An unused import that cannot be removed is no error.
                self.remove_items(facts, import, &items);
            }
        }
        self.remove_in_blocks(names, &whole);
    }

    /// Removes import statements in the blocks of conditions, and a condition of whose block nothing else is left.
    fn remove_in_blocks(&mut self, names: &FileNames, removed: &[&Import]) {
        let parsed = self.parsed.clone();
        let is_removed = |one: &Import| removed.iter().any(|other| other.span == one.span);
        for import in removed {
            let ImportPlace::Block(guard) = import.place else {
                continue;
            };
            let same = names.imports.iter().filter(|one| one.place == import.place);
            let (gone, stay): (Vec<&Import>, Vec<&Import>) = same.partition(|one| is_removed(one));
            let whole = statement_at(&parsed, guard);
            let rest = whole.map(|whole| {
                let inner = Span::new(guard.end(), whole.end());
                let mut text = parsed.source().slice(inner).into_owned();
                for one in gone.iter().rev() {
                    let at = one.span.start() - inner.start();
                    text.replace_range(at..at + one.span.len(), "");
                }
                text
            });
            match (rest.is_some_and(|rest| rest.trim().is_empty()), whole) {
                (true, Some(whole)) => self.delete(whole),
                // A block needs a statement.
                _ => !stay.is_empty() && self.delete(import.span),
            };
        }
    }
}

/// Returns the statement of a file that a span starts.
fn statement_at(parsed: &Parsed, span: Span) -> Option<Span> {
    let children = parsed.root().own_children().into_iter();
    let mut spans = children.map(|node| node.span());
    spans.find(|one| one.start() == span.start())
}

/// Returns whether a comment or string contains code with a name.
fn is_in_documentation(
    parsed: &Parsed,
    facts: &ImportFacts,
    names: &FileNames,
    name: &str,
) -> bool {
    let source = parsed.source();
    let is_imported = |at: usize| {
        names
            .imports
            .iter()
            .any(|one| one.span.contains(Span::at(at)))
    };
    let found = words(source.text());
    let found = found.filter(|(at, word)| *word == name && !is_imported(*at));
    let lines = found.filter_map(|(at, word)| {
        let line = source.slice(source.line_span(source.line_of(at))?);
        let mut signs = facts.code_signs.iter();
        let is_code = signs.any(|sign| line.contains(sign.as_str()));
        let is_in_text = is_code && is_in_text(parsed, Span::new(at, at + word.len()));
        is_in_text.then_some(line)
    });
    let lines: Vec<_> = lines.collect();
    // An example may import the name itself.
    !lines.is_empty() && !lines.iter().any(|line| line.contains("import"))
}

/// Returns whether a span is in a comment or string.
pub(super) fn is_in_text(parsed: &Parsed, span: Span) -> bool {
    let chain = parsed.chain(span);
    let mut nodes = chain.iter();
    nodes.any(|node| node.is_word("string", None) || node.is_word("comment", None))
}
