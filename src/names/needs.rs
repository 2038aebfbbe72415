//! The names that the moved code needs in its new file.

use std::collections::BTreeMap;

use crate::parse::Parsed;
use crate::source::Span;

use super::file_names::Access;
use super::layout::{self, Wanted};
use super::modules::folder;
use super::moving::Plan;
use super::resolve::{Denoted, FILES};
use super::statements::{Import, ImportItem, ImportKind, ImportPlace, ItemForm, item_bound_at};
use super::{NoteKind, ProblemKind};

/// A name that the moved code uses.
struct Need {
    name: String,
    /// Its first use.
    span: Span,
}

impl Plan<'_> {
    /// Finds what the moved code uses of its old file, and imports it in the new one.
    pub(super) fn needs(&mut self) {
        self.language_imports();
        self.inner_imports();
        let mut open: Vec<Need> = self.used();
        let mut known: Vec<String> = Vec::new();
        while let Some(need) = open.pop() {
            if known.contains(&need.name) || self.names.contains(&need.name) {
                continue;
            }
            known.push(need.name.clone());
            open.extend(self.need(&need));
        }
    }

    /// Returns the free names of the moved code, the last first.
    fn used(&self) -> Vec<Need> {
        let moved = self.moved;
        let mut all: BTreeMap<String, Span> = BTreeMap::new();
        for one in self.before.free_uses() {
            if moved.removed.iter().any(|span| span.contains(one.span)) {
                all.entry(one.name.clone()).or_insert(one.span);
            }
        }
        let mut all: Vec<Need> = all
            .into_iter()
            .map(|(name, span)| Need { name, span })
            .collect();
        // In the order of the old file.
        let place = |need: &Need| {
            let bindings = self.before.bindings(&need.name).iter();
            bindings.min().copied().unwrap_or(need.span)
        };
        all.sort_by_key(|need| std::cmp::Reverse(place(need)));
        all
    }

    /// Imports one name in the new file. Returns further names that the import itself needs.
    fn need(&mut self, need: &Need) -> Vec<Need> {
        let moved = self.moved;
        let name = need.name.as_str();
        let bindings = self.before.bindings(name).to_vec();
        if bindings.is_empty() {
            self.unbound(need);
            return Vec::new();
        }
        let found = match bindings[..] {
            [only] => item_bound_at(&self.before.imports, only),
            _ => None,
        };
        let found = found.map(|(import, item)| (import.clone(), item.clone()));
        if let Some((import, item)) = &found
            && self.is_of_target(need, import, item)
        {
            return Vec::new();
        }
        let of_old = match found {
            Some((import, item)) if import.is_top() => {
                self.brought.push(name.to_string());
                self.bring(need, &import, &item, None);
                return Vec::new();
            }
            Some((import, item)) => {
                let guard = layout::guard_of(moved.before.source(), &import);
                match guard.filter(|guard| self.facts.is_type_guard(guard)) {
                    Some(guard) => {
                        self.brought.push(name.to_string());
                        let header = match import.place {
                            ImportPlace::Block(header) => header,
                            _ => import.span,
                        };
                        self.bring(need, &import, &item, Some(guard));
                        return self.names_in(header);
                    }
                    None => None,
                }
            }
            None => None,
        };
        match of_old {
            Some(kind) => {
                self.problem(moved.before, need.span, name, kind);
                Vec::new()
            }
            None => self.import_from_old(need),
        }
    }

    /// Returns the free names of a span of the old file.
    fn names_in(&self, span: Span) -> Vec<Need> {
        let used = self.before.free_uses();
        let used = used.filter(|one| span.contains(one.span));
        let used = used.map(|one| Need {
            name: one.name.clone(),
            span: one.span,
        });
        used.collect()
    }

    /// A name that the old file does not bind itself.
    fn unbound(&mut self, need: &Need) {
        let moved = self.moved;
        if self.facts.own.contains(&need.name) {
            self.note(
                moved.before,
                need.span.start(),
                NoteKind::OwnName(need.name.clone()),
            );
        }
        if let Some(span) = unparsed(moved.before, &need.name) {
            self.problem(moved.before, span, &need.name, ProblemKind::Unparsed);
        }
        let is_known = self.facts.builtins.contains(&need.name);
        let stars = self
            .before
            .imports
            .iter()
            .filter(|import| import.star.is_some());
        let first = stars.map(|import| import.span).next();
        if let Some(span) = first.filter(|_| !is_known) {
            self.problem(moved.before, span, &need.name, ProblemKind::FromStar);
        }
        // The new file may give the name a meaning that it does not have in the old one.
        let there = self.target.bindings(&need.name).iter();
        let rebound = self.target.rebound.iter();
        let rebound = rebound.filter(|(name, _)| *name == need.name);
        if let Some(span) = there.chain(rebound.map(|(_, span)| span)).next().copied() {
            self.problem(moved.target, span, &need.name, ProblemKind::Bound);
        }
    }

    /// Replaces accesses to the new file as a module by the names themselves. Returns whether nothing else needs the item.
    fn is_of_target(&mut self, need: &Need, import: &Import, item: &ImportItem) -> bool {
        let moved = self.moved;
        let target = Some(Denoted::Module(moved.target_path.clone()));
        let items = [(import, item)];
        let is_target = |access: &Access| {
            let first = access.value.split('.').next();
            first == Some(need.name.as_str())
                && self.resolver.value(&moved.old_path, &items, &access.value) == target
        };
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let own = self.before.free_accesses();
        let count = own
            .filter(|one| is_removed(one.span) && is_target(one))
            .count();
        let uses = self.before.free_uses();
        let uses = uses.filter(|one| one.name == need.name && is_removed(one.span));
        let has_other_uses = count < uses.count();
        let arrived = self.target.free_accesses();
        let arrived = arrived.filter(|one| moved.has_arrived(one.span) && is_target(one));
        let arrived: Vec<Access> = arrived.cloned().collect();
        let is_whole = self.resolver.item(&moved.old_path, import, item, FILES) == target;
        let is_other = |one: &&Access| one.is_bound || !self.target.is_of_file_at(one, &one.member);
        let mut other = arrived.iter().filter(is_other);
        let other = other.next().map(|one| one.span);
        if other.is_some() || is_whole && has_other_uses {
            self.problem(moved.before, need.span, &need.name, ProblemKind::OwnModule);
            return true;
        }
        if !arrived.is_empty() {
            self.brought.push(need.name.clone());
        }
        for one in arrived {
            self.there().replace(one.span, one.member);
        }
        count > 0 && !has_other_uses
    }

    /// Imports an item of an import statement of the old file in the new one.
    fn bring(&mut self, need: &Need, import: &Import, item: &ImportItem, guard: Option<String>) {
        let moved = self.moved;
        if import.is_special {
            return self.problem(moved.before, import.span, &need.name, ProblemKind::Form);
        }
        let module = match import.kind {
            ImportKind::Modules => Some(String::new()),
            _ => self.rebased(import.module_text()),
        };
        let Some(module) = module else {
            return self.problem(moved.before, import.span, &need.name, ProblemKind::NoModule);
        };
        let old_module = match item.form {
            ItemForm::Module => item.name.as_str(),
            _ => import.module_text(),
        };
        let file = self.resolver.modules.file_of(&moved.old_path, old_module);
        let denoted = self.resolver.item(&moved.old_path, import, item, FILES);
        let own = Denoted::Item(moved.target_path.clone(), item.name.clone());
        if file.as_ref() == Some(&moved.target_path) && item.form == ItemForm::Named
            || denoted == Some(own)
        {
            // The new file defines it.
            let is_bound = !self.target.bindings(&item.name).is_empty();
            if item.alias.is_some() || !is_bound {
                self.problem(moved.before, import.span, &need.name, ProblemKind::Alias);
            }
            return;
        }
        let wanted = Wanted {
            module,
            name: item.name.clone(),
            alias: item.alias.clone(),
            form: item.form,
            is_type: item.is_type || import.is_type,
            guard,
        };
        if let Some(file) = file.filter(|_| wanted.guard.is_none() && !wanted.is_type) {
            let is_early = self.needs_early(&need.name);
            self.edge(&moved.target_path, &file, is_early);
        }
        self.want_there(need, wanted);
    }

    /// Imports a name that the old file defines. Returns further names that the import itself needs.
    fn import_from_old(&mut self, need: &Need) -> Vec<Need> {
        let moved = self.moved;
        let none = Vec::new();
        let module = self
            .resolver
            .modules
            .module(&moved.target_path, &moved.old_path, &self.style);
        let Some(module) = module else {
            self.problem(moved.before, need.span, &need.name, ProblemKind::NoModule);
            return none;
        };
        if self.facts.export.is_some() && !self.before.exports(&need.name) {
            let binding = self.before.bindings(&need.name).first().copied();
            let span = binding.unwrap_or(need.span);
            self.problem(moved.before, span, &need.name, ProblemKind::NotExported);
            return none;
        }
        let rebound = self.before.rebound.iter();
        let rebound = rebound
            .filter(|(other, _)| *other == need.name)
            .map(|(_, span)| *span);
        let is_moved = |span: &Span| moved.removed.iter().any(|one| one.contains(*span));
        let assigned = self.before.assignments(&need.name).filter(is_moved);
        let rebound = rebound.chain(assigned);
        if let Some(span) = rebound.min() {
            self.problem(moved.before, span, &need.name, ProblemKind::Assigned);
            return none;
        }
        // What only type checkers read does not exist when the file is loaded.
        let bindings = self.before.bindings(&need.name).iter();
        let headers = bindings.map(|span| layout::type_guard_at(moved.before, self.facts, *span));
        let headers: Option<Vec<Span>> = headers.collect();
        let header = headers.and_then(|all| all.first().copied());
        let is_type = self.before.is_type(&need.name);
        if !is_type && header.is_none() {
            let is_early = !self.before.is_hoisted(&need.name) && self.needs_early(&need.name);
            self.edge(&moved.target_path, &moved.old_path, is_early);
        }
        self.taken.push(need.name.clone());
        let wanted = Wanted {
            is_type,
            guard: header.map(|header| moved.before.source().slice(header).into_owned()),
            ..Wanted::named(module, &need.name)
        };
        self.want_there(need, wanted);
        header.map_or(none, |header| self.names_in(header))
    }

    /// Returns whether the moved code uses a name while its file is loaded.
    fn needs_early(&self, name: &str) -> bool {
        let removed = &self.moved.removed;
        let mut uses = self.before.free_uses();
        uses.any(|one| {
            let is_moved = removed.iter().any(|span| span.contains(one.span));
            one.name == name && !one.is_deferred && is_moved
        })
    }

    /// Adds an import to the new file, unless it has it.
    fn want_there(&mut self, need: &Need, wanted: Wanted) {
        let moved = self.moved;
        let bindings = self.target.bindings(&need.name).to_vec();
        if bindings.is_empty() {
            match self.hides_in_target(&need.name) {
                Some(span) => self.problem(moved.target, span, &need.name, ProblemKind::Bound),
                None => self.there().want(wanted),
            }
            return;
        }
        let is_same = |span: &Span| {
            let found = item_bound_at(&self.target.imports, *span);
            found.is_some_and(|(import, item)| {
                let is_of_module = match wanted.form {
                    ItemForm::Module => true,
                    _ => self.is_same_module(import.module_text(), &wanted.module),
                };
                let is_block = matches!(import.place, ImportPlace::Block(_));
                let is_visible = import.is_top() || is_block && wanted.guard.is_some();
                let is_type = item.is_type || import.is_type;
                let gives_value = !is_type || wanted.is_type;
                let is_item = item.name == wanted.name && item.alias == wanted.alias;
                is_visible && is_of_module && is_item && gives_value
            })
        };
        let is_dotted = wanted.form == ItemForm::Module && wanted.alias.is_none();
        let all_same = bindings.iter().all(is_same);
        // `import a.b` and `import a.c` bind the same name.
        let are_of_package = is_dotted
            && bindings.iter().all(|span| {
                let found = item_bound_at(&self.target.imports, *span);
                found.is_some_and(|(_, item)| item.form == ItemForm::Module && item.alias.is_none())
            });
        match () {
            () if all_same => {}
            () if are_of_package && bindings.iter().any(is_same) => {}
            () if are_of_package => self.there().want(wanted),
            () => {
                let found = item_bound_at(&self.target.imports, bindings[0]);
                let is_type = found.is_some_and(|(import, item)| import.is_type || item.is_type);
                let kind = match is_type && !wanted.is_type {
                    true => ProblemKind::TypeOnly,
                    false => ProblemKind::Bound,
                };
                self.problem(moved.target, bindings[0], &need.name, kind);
            }
        }
    }

    /// Returns whether two modules in the new file are the same.
    fn is_same_module(&self, one: &str, other: &str) -> bool {
        let path = &self.moved.target_path;
        let file = |module: &str| self.resolver.modules.file_of(path, module);
        one == other || file(one).is_some_and(|one| Some(one) == file(other))
    }

    /// Returns a module of the old file as it is written in the new one.
    pub(super) fn rebased(&self, module: &str) -> Option<String> {
        let moved = self.moved;
        if !self.resolver.modules.is_relative(module) {
            return Some(module.to_string());
        }
        self.resolver
            .modules
            .rebased(module, &moved.old_path, &moved.target_path)
    }

    /// Rewrites the relative modules of import statements inside the moved code.
    fn inner_imports(&mut self) {
        let moved = self.moved;
        let is_moved = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        for (span, path) in self.before.loads.clone() {
            let path = path.filter(|path| self.resolver.modules.is_relative(path));
            let stays = folder(&moved.old_path) == folder(&moved.target_path);
            if is_moved(span)
                && !stays
                && let Some(path) = path
            {
                self.problem(moved.before, span, &path, ProblemKind::OfPlace);
            }
        }
        let inside = self.target.imports.iter();
        let inside: Vec<Import> = inside
            .filter(|import| moved.has_arrived(import.span))
            .cloned()
            .collect();
        for import in inside {
            let Some((span, module)) = &import.module else {
                continue;
            };
            match self.rebased(module) {
                Some(text) if text != *module => self.there().replace(*span, text),
                Some(_) => {}
                None => self.problem(moved.target, *span, module, ProblemKind::NoModule),
            }
        }
    }

    /// Adds the statements that change the language of the old file, if the moved code has annotations.
    fn language_imports(&mut self) {
        let is_language = |import: &&Import| import.kind == ImportKind::Language;
        let own = self.before.imports.iter().filter(is_language);
        let mut missing: Vec<String> = Vec::new();
        let source = self.moved.before.source();
        let there: Vec<String> = {
            let there = self.target.imports.iter().filter(is_language);
            there
                .map(|import| self.moved.target.source().slice(import.span).into_owned())
                .collect()
        };
        for import in own {
            let text = source.slice(import.span).into_owned();
            if !there.contains(&text) {
                missing.push(text);
            }
        }
        if missing.is_empty() || !self.has_annotations() {
            return;
        }
        let target = self.moved.target.clone();
        let first = self
            .target
            .imports
            .iter()
            .find(|import| import.is_top())
            .cloned();
        let eol = layout::eol(target.source());
        let text = missing.join(eol);
        let edit = match first {
            Some(import) => crate::change::Replacement {
                span: Span::at(import.span.start()),
                new_text: format!("{text}{eol}{eol}"),
            },
            None => layout::first_import(&target, self.facts, &text, eol),
        };
        self.there().extend([edit]);
    }

    fn has_annotations(&self) -> bool {
        let moved = self.moved;
        let mut all = self.before.annotations.iter();
        all.any(|one| moved.removed.iter().any(|span| span.contains(*one)))
    }
}

/// Returns the first place that the parser cannot read and that contains a name.
pub(super) fn unparsed(parsed: &Parsed, name: &str) -> Option<Span> {
    let mut problems = parsed.problems().iter().map(|problem| problem.span);
    problems.find(|span| {
        let text = parsed.source().slice(*span);
        super::file_names::words(&text).any(|(_, word)| word == name)
    })
}
