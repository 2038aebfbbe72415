//! Plans the import statements of a move: those that the moved code needs, those that name it, and those that nothing
//! uses any longer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::change::Replacement;
use crate::parse::Parsed;
use crate::source::Span;

use super::facts::ImportFacts;
use super::file_change::FileChange;
use super::file_names::{FileNames, NameUse};
use super::layout::Wanted;
use super::modules::{ModuleStyle, Modules};
use super::resolve::{FILES, Resolver};
use super::statements::{ImportKind, item_bound_at};
use super::users::quoted;
use super::{ImportNote, NoteKind, Planned, Problem, ProblemKind, Project};

/// A node that moves to another file.
pub(crate) struct MovedNode<'m> {
    pub(crate) old_path: Utf8PathBuf,
    pub(crate) target_path: Utf8PathBuf,
    /// The file that the node leaves, before and after.
    pub(crate) before: &'m Arc<Parsed>,
    pub(crate) after: &'m Arc<Parsed>,
    /// The file that it moves to, with the node.
    pub(crate) target: &'m Arc<Parsed>,
    /// The nodes.
    pub(crate) nodes: Vec<Span>,
    /// The text that is removed with each node.
    pub(crate) removed: Vec<Span>,
    /// The moved texts in their new file.
    pub(crate) arrived: Vec<Span>,
}

/// What is known so far.
pub(super) struct Plan<'m> {
    pub(super) moved: &'m MovedNode<'m>,
    pub(super) facts: &'m ImportFacts,
    pub(super) resolver: Resolver<'m>,
    pub(super) before: FileNames,
    pub(super) after: FileNames,
    pub(super) target: FileNames,
    /// The names that the moved node binds.
    pub(super) names: Vec<String>,
    /// How the other file writes modules.
    pub(super) style: ModuleStyle,
    pub(super) files: BTreeMap<Utf8PathBuf, FileChange>,
    pub(super) notes: Vec<ImportNote>,
    pub(super) problems: Vec<Problem>,
    /// The imports that the move makes while files are loaded, and whether the importing file needs one of the names then.
    pub(super) edges: BTreeMap<(Utf8PathBuf, Utf8PathBuf), bool>,
    /// The moved names that other files import from the new one.
    pub(super) needs_export: BTreeSet<String>,
    /// The names that the new file imports from the old one.
    pub(super) taken: Vec<String>,
    /// The names of import statements of the old file that the moved code uses.
    pub(super) brought: Vec<String>,
    /// The names that the files of a package define, once they are needed.
    pub(super) package_names: Option<BTreeSet<String>>,
}

/// Plans the import statements of a move.
///
/// # Errors
/// The places whose names cannot be proven to keep their definitions.
pub(crate) fn plan(
    moved: &MovedNode<'_>,
    project: &dyn Project,
    facts: &ImportFacts,
) -> Result<Planned, Vec<Problem>> {
    let mut plan = Plan {
        moved,
        facts,
        resolver: Resolver::new(Modules { project, facts }),
        before: FileNames::from_parsed(moved.before),
        after: FileNames::from_parsed(moved.after),
        target: FileNames::from_parsed(moved.target),
        names: Vec::new(),
        style: ModuleStyle::default(),
        files: BTreeMap::new(),
        notes: Vec::new(),
        problems: Vec::new(),
        edges: BTreeMap::new(),
        taken: Vec::new(),
        brought: Vec::new(),
        needs_export: BTreeSet::new(),
        package_names: None,
    };
    plan.check_places();
    if facts.packages.is_some() {
        plan.package_move();
        return plan.into_planned();
    }
    plan.check_read();
    plan.check_forms();
    plan.find_names();
    if plan.problems.is_empty() {
        plan.style = plan.style_of_target();
        plan.needs();
        plan.old_file();
        plan.effects();
        plan.users();
        plan.export();
        plan.order();
        plan.loading();
    }
    plan.into_planned()
}

impl MovedNode<'_> {
    /// Returns whether a span of the new file is in the moved text.
    pub(super) fn has_arrived(&self, span: Span) -> bool {
        self.arrived.iter().any(|one| one.contains(span))
    }
}

impl Plan<'_> {
    /// Checks that the node is a top-level node of both files.
    fn check_places(&mut self) {
        let is_top = |parsed: &Parsed, span: Span| {
            let children = parsed.root().own_children().into_iter();
            let mut named = children.filter(|node| node.is_named());
            named.any(|node| span.contains(node.span()) && !node.is_word("comment", None))
        };
        let moved = self.moved;
        for (node, span) in moved.nodes.iter().zip(&moved.removed) {
            if !is_top(moved.before, *span) {
                self.problem(moved.before, *node, "", ProblemKind::NotTopLevel);
            }
        }
        for arrived in &moved.arrived {
            if !is_top(moved.target, *arrived) {
                self.problem(moved.target, *arrived, "", ProblemKind::NotTopLevelThere);
            }
        }
    }

    /// Finds the names that the node binds. Each must have no other binding in the file.
    fn find_names(&mut self) {
        let moved = self.moved;
        let is_removed = |span: &Span| moved.removed.iter().any(|one| one.contains(*span));
        let mut stops = self.target.stops.iter();
        let stop = stops.find(|span| !moved.has_arrived(**span)).copied();
        if let Some(stop) = stop.filter(|_| self.before.stops.is_empty()) {
            self.problem(moved.target, stop, "", ProblemKind::MayStop);
        }
        let bound = moved
            .removed
            .iter()
            .flat_map(|span| self.before.bound_in(*span));
        let names: BTreeSet<String> = bound.map(str::to_string).collect();
        let names = Vec::from_iter(names);
        for name in &names {
            let bindings = self.before.bindings(name).iter().copied();
            let (own, others): (Vec<Span>, Vec<Span>) = bindings.partition(is_removed);
            let mut rebound = self.before.rebound.iter();
            let rebound = rebound.find(|(other, _)| other == name);
            let assigned = self.before.assignments(name).find(|span| !is_removed(span));
            let own = own.first().filter(|_| self.facts.own.contains(name));
            let found = [
                (others.into_iter().min(), ProblemKind::DefinedTwice),
                (rebound.map(|(_, span)| *span), ProblemKind::Assigned),
                // An import can be read only.
                (assigned, ProblemKind::Assigned),
                // The language reads such a name in the file that binds it.
                (own.copied(), ProblemKind::OfPlace),
            ];
            for (span, kind) in found {
                if let Some(span) = span {
                    self.problem(moved.before, span, name, kind);
                }
            }
        }
        let is_lookup =
            |one: &&NameUse| self.facts.lookups.contains(&one.name) && !is_removed(&one.span);
        let lookup = self.before.free_uses().find(is_lookup).map(|one| one.span);
        if let Some(span) = lookup {
            let name = names.first().cloned().unwrap_or_default();
            self.problem(moved.before, span, &name, ProblemKind::OfPlace);
        }
        let rebound = self.before.rebound.iter().filter(|(name, span)| {
            let is_of_file = !self.before.bindings(name).is_empty();
            is_removed(span) && is_of_file && !names.contains(name)
        });
        for (name, span) in rebound.cloned().collect::<Vec<_>>() {
            self.problem(moved.before, span, &name, ProblemKind::Assigned);
        }
        for name in &names {
            let others = self.target.bindings(name).iter();
            let mut others = others.filter(|span| {
                let found = item_bound_at(&self.target.imports, **span);
                let is_import = found.is_some_and(|(import, item)| {
                    let path = &moved.target_path;
                    let module =
                        self.resolver
                            .modules
                            .is_file(path, import.module_text(), &moved.old_path);
                    item.name == *name && module.is_some()
                });
                !moved.has_arrived(**span) && !is_import
            });
            let other = others.next().copied();
            if let Some(span) = other.or_else(|| self.hides_in_target(name)) {
                self.problem(moved.target, span, name, ProblemKind::Bound);
            }
        }
        self.names = names;
    }

    /// Returns where code of the new file uses or assigns a name of the language that a binding of the file would hide.
    pub(super) fn hides_in_target(&self, name: &str) -> Option<Span> {
        let moved = self.moved;
        let is_own = |span: &Span| !moved.has_arrived(*span);
        let has_star = self.target.imports.iter().any(|one| one.star.is_some());
        if has_star || self.target.bindings(name).iter().any(is_own) {
            return None;
        }
        let uses = self.target.free_uses().filter(|one| one.name == name);
        let uses = uses.map(|one| one.span);
        let rebound = self.target.rebound.iter();
        let rebound = rebound.filter(|(other, _)| other == name);
        uses.chain(rebound.map(|(_, span)| *span)).find(is_own)
    }

    pub(super) fn problem(
        &mut self,
        parsed: &Arc<Parsed>,
        span: Span,
        name: &str,
        kind: ProblemKind,
    ) {
        let path = parsed.source().path();
        let is_same = |one: &Problem| one.path == path && one.span == span && one.kind == kind;
        if self.problems.iter().any(is_same) {
            return;
        }
        self.problems.push(Problem {
            path: path.to_string(),
            parsed: parsed.clone(),
            span,
            name: name.to_string(),
            kind,
        });
    }

    pub(super) fn note(&mut self, parsed: &Parsed, offset: usize, what: NoteKind) {
        let note = ImportNote {
            path: parsed.source().path().to_string(),
            line: parsed.source().line_of(offset),
            what,
        };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Returns how the other file writes modules: as it does already, as the old file does, or as the files next to it do.
    fn style_of_target(&self) -> ModuleStyle {
        let (moved, modules) = (self.moved, &self.resolver.modules);
        let own = modules.style_of(&moved.target_path, &self.target.imports);
        let old = || modules.style_of(&moved.old_path, &self.before.imports);
        own.or_else(old)
            .unwrap_or_else(|| modules.usual_style(&moved.target_path))
    }

    /// Returns the changes of a file, which is the text after the move.
    pub(super) fn file(&mut self, path: &Utf8Path, parsed: &Arc<Parsed>) -> &mut FileChange {
        self.files
            .entry(path.to_owned())
            .or_insert_with(|| FileChange::new(parsed))
    }

    pub(super) fn old(&mut self) -> &mut FileChange {
        let moved = self.moved;
        self.file(&moved.old_path, moved.after)
    }

    pub(super) fn there(&mut self) -> &mut FileChange {
        let moved = self.moved;
        self.file(&moved.target_path, moved.target)
    }

    /// The old file imports the moved names that it still uses, and no longer imports what only the moved code used.
    fn old_file(&mut self) {
        let moved = self.moved;
        let uses: BTreeSet<String> = self
            .after
            .free_uses()
            .map(|one| one.name.clone())
            .filter(|name| self.names.contains(name))
            .collect();
        if uses.is_empty() {
            return;
        }
        let module =
            self.resolver
                .modules
                .module(&moved.old_path, &moved.target_path, &self.style_of_old());
        let Some(module) = module else {
            let name = uses.iter().next().cloned().unwrap_or_default();
            let span = Span::at(0);
            return self.problem(moved.after, span, &name, ProblemKind::NoModule);
        };
        for name in &uses {
            let wanted = self.exported(Wanted::named(module.clone(), name));
            self.old().want(wanted);
        }
        if uses.iter().any(|name| !self.before.is_type(name)) {
            let is_early = uses
                .iter()
                .any(|name| self.is_early(&self.after, name, name));
            self.edge(&moved.old_path, &moved.target_path, is_early);
        }
    }

    /// Refuses code of the old file that changes a moved definition, and lists what runs only when another file is loaded.
    fn effects(&mut self) {
        let moved = self.moved;
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let uses = self.before.free_uses();
        let changing = uses.filter(|one| self.names.contains(&one.name) && !is_removed(one.span));
        let changing = changing.filter(|one| self.is_changed_at(one));
        let changing: Vec<_> = changing.map(|one| (one.span, one.name.clone())).collect();
        for (span, name) in changing {
            self.problem(moved.before, span, &name, ProblemKind::Changed);
        }
        let text = moved.after.source().text();
        if let Some((span, name)) = self.changed_later() {
            self.problem(moved.before, span, &name, ProblemKind::Changed);
        }
        // Code may look a name up that it has as a string.
        for name in self.names.clone() {
            let mut listed = self.after.listed.iter().flatten();
            let span = quoted(text, &name).filter(|span| !listed.any(|one| one.span == *span));
            if let Some(span) = span {
                self.note(moved.after, span.start(), NoteKind::Mention(name));
            }
        }
        let key = (moved.old_path.clone(), moved.target_path.clone());
        if self.edges.contains_key(&key) {
            return;
        }
        let is_of_project = |name: &str| {
            self.before.bindings(name).iter().any(|span| {
                let found = item_bound_at(&self.before.imports, *span);
                found.is_none_or(|(import, item)| {
                    let denoted = self.resolver.item(&moved.old_path, import, item, FILES);
                    denoted.is_some()
                })
            })
        };
        let uses = self.before.free_uses();
        let decorators = uses.filter(|one| one.is_effect && is_removed(one.span));
        let before = moved.before.source().text();
        let decorators = decorators.filter(|one| {
            before[..one.span.start()].trim_end().ends_with('@') && is_of_project(&one.name)
        });
        let mut found: Vec<(usize, NoteKind)> = decorators
            .map(|one| (one.span.start(), NoteKind::Decorator(one.name.clone())))
            .collect();
        let imports = self.before.imports.iter();
        let effects = imports.filter(|import| {
            import.items.is_empty() && import.star.is_none() && import.kind == ImportKind::Items
        });
        found.extend(effects.map(|import| {
            let module = import.module_text().to_string();
            (import.span.start(), NoteKind::Effects(module))
        }));
        for (at, what) in found {
            self.note(moved.before, at, what);
        }
        // Without imports and exports, the file would be no module.
        let is_module = |names: &FileNames| {
            let exported = names.definitions.iter().any(|one| one.is_exported);
            exported || !names.imports.is_empty() || !names.exports.is_empty()
        };
        let becomes_script = is_module(&self.before) && !is_module(&self.after);
        let is_needed = self.after.has_globals && becomes_script;
        if let Some(mark) = self.facts.module_mark.as_ref().filter(|_| is_needed) {
            let end = moved.after.source().whole().end();
            let eol = super::layout::eol(moved.after.source());
            self.old()
                .replace(Span::at(end), format!("{eol}{mark}{eol}"));
        }
    }

    /// Returns whether code of the old file changes what a name names while the file is loaded: it assigns or calls a member.
    fn is_changed_at(&self, one: &NameUse) -> bool {
        let text = self.moved.before.source().text();
        let is_member = text[one.span.end()..].trim_start().starts_with(['.', '[']);
        one.is_effect && is_member
    }

    /// Returns code of the old file that changes one of its types or functions after the moved code has used it, while the
    /// file is loaded: in the new file, the moved code would run later.
    fn changed_later(&self) -> Option<(Span, String)> {
        let moved = self.moved;
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let is_of_old = |name: &str| {
            let mut bindings = self.before.bindings(name).iter();
            bindings.any(|span| item_bound_at(&self.before.imports, *span).is_none())
        };
        let mut uses = self.before.free_uses();
        let is_early = uses.any(|one| {
            is_removed(one.span)
                && !one.is_deferred
                && !self.names.contains(&one.name)
                && is_of_old(&one.name)
        });
        let end = moved.removed.iter().map(|span| span.end()).max()?;
        let is_definition = |name: &str| {
            let mut symbols = moved.before.outline().symbols().iter();
            symbols.any(|one| {
                let is_block = !["variable", "constant"].contains(&one.kind);
                is_block && one.parent.is_none() && one.short_name() == name
            })
        };
        let mut uses = self.before.free_uses();
        let found = uses.find(|one| {
            one.span.start() > end && self.is_changed_at(one) && is_definition(&one.name)
        });
        found
            .filter(|_| is_early)
            .map(|one| (one.span, one.name.clone()))
    }

    /// Adds an import that a file makes while it is loaded.
    pub(super) fn edge(&mut self, from: &Utf8Path, to: &Utf8Path, is_early: bool) {
        let key = (from.to_owned(), to.to_owned());
        *self.edges.entry(key).or_default() |= is_early;
    }

    /// Returns whether a file needs a moved definition while it is loaded. `local` is its name in that file.
    pub(super) fn is_early(&self, names: &FileNames, name: &str, local: &str) -> bool {
        !self.before.is_hoisted(name) && names.uses_early(local)
    }

    fn style_of_old(&self) -> ModuleStyle {
        let modules = &self.resolver.modules;
        let own = modules.style_of(&self.moved.old_path, &self.before.imports);
        own.unwrap_or_else(|| self.style.clone())
    }

    /// Returns how a moved name is imported.
    pub(super) fn exported(&mut self, wanted: Wanted) -> Wanted {
        self.needs_export.insert(wanted.name.clone());
        let is_type = self.before.is_type(&wanted.name);
        Wanted {
            is_type: wanted.is_type || is_type,
            ..wanted
        }
    }

    /// Exports the moved definitions that other files import.
    fn export(&mut self) {
        let moved = self.moved;
        let Some(prefix) = &self.facts.export else {
            return;
        };
        for name in self.needs_export.clone() {
            let bindings = self.target.bindings(&name).iter();
            let mut inside = bindings.copied().filter(|span| moved.has_arrived(*span));
            let Some(binding) = inside.next() else {
                continue;
            };
            let children = moved.target.root().own_children().into_iter();
            let mut tops = children.filter(|node| node.span().contains(binding));
            let Some(top) = tops.next() else {
                continue;
            };
            if !self.target.exports(&name) {
                let insertion = Replacement {
                    span: Span::at(top.first_token_start()),
                    new_text: prefix.clone(),
                };
                self.there().extend([insertion]);
            }
        }
    }

    /// Refuses files whose names cannot be read.
    fn check_read(&mut self) {
        let moved = self.moved;
        for (parsed, problem) in [
            (moved.before, self.before.problem),
            (moved.target, self.target.problem),
        ] {
            if let Some(span) = problem {
                let source = parsed.source();
                let line = source.line_span(source.line_of(span.start()));
                self.problem(parsed, line.unwrap_or(span), "", ProblemKind::Unread);
            }
        }
    }

    /// Refuses what is known only of modules of another kind, and default exports, whose importers choose the name.
    fn check_forms(&mut self) {
        let moved = self.moved;
        if let Some(span) = self.before.other_modules.first().copied() {
            self.problem(moved.before, span, "", ProblemKind::OtherModules);
        }
        if let Some(span) = self.target.other_modules.first().copied() {
            self.problem(moved.target, span, "", ProblemKind::OtherModules);
        }
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let mut defaults = self.before.definitions.iter().filter(|one| one.is_default);
        if let Some(span) = defaults
            .find(|one| is_removed(one.span))
            .map(|one| one.span)
        {
            self.problem(moved.before, span, "", ProblemKind::DefaultExport);
        }
    }

    /// Checks that no code runs before the definitions that it needs, in the file that the node moves to.
    fn order(&mut self) {
        let moved = self.moved;
        let mut late = Vec::new();
        for one in self.target.free_uses().filter(|one| !one.is_deferred) {
            let is_inside = moved.has_arrived(one.span);
            let bindings = self.target.bindings(&one.name);
            let is_hoisted = |span: &Span| {
                let definition = self.target.definition_at(*span);
                definition.is_some_and(|one| one.is_hoisted)
            };
            if bindings.iter().any(is_hoisted) {
                continue;
            }
            let is_late = match is_inside {
                true => bindings.iter().all(|span| span.start() > one.span.start()),
                false => {
                    let own = bindings.iter().filter(|span| moved.has_arrived(**span));
                    let first = own.map(|span| span.start()).min();
                    self.names.contains(&one.name)
                        && first.is_some_and(|first| one.span.start() < first)
                }
            };
            if is_late && !bindings.is_empty() && !late.iter().any(|(_, name)| *name == one.name) {
                late.push((one.span, one.name.clone()));
            }
        }
        for (span, name) in late {
            self.problem(moved.target, span, &name, ProblemKind::TooLate);
        }
    }

    /// Returns the edits, unless something cannot be proven.
    fn into_planned(mut self) -> Result<Planned, Vec<Problem>> {
        let mut edits = BTreeMap::new();
        let own = self
            .before
            .imports
            .iter()
            .find(|import| import.kind == ImportKind::Items);
        let like = own.map(|import| self.moved.before.source().slice(import.span).into_owned());
        for (path, change) in std::mem::take(&mut self.files) {
            let parsed = change.parsed().clone();
            let name = self.names.first().cloned().unwrap_or_default();
            match change.into_edit(&self.resolver.modules, like.as_deref()) {
                Ok(edit) if edit.replacements().is_empty() => {}
                Ok(edit) => {
                    edits.insert(path, edit);
                }
                // Two changes of one place.
                Err(span) => self.problem(&parsed, span, &name, ProblemKind::Form),
            }
        }
        match self.problems.is_empty() {
            true => Ok(Planned {
                edits,
                notes: self.notes,
            }),
            false => Err(self.problems),
        }
    }
}
