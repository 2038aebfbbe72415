//! The files that import the moved names from their old file, or name them otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::language::queries::Mark;
use crate::parse::Parsed;
use crate::source::Span;

use super::facts::ModulePaths;
use super::file_change::{FileChange, is_in_text};
use super::file_names::{Access, FileNames, words};
use super::layout::{self, Wanted};
use super::modules::ModuleStyle;
use super::moving::Plan;
use super::needs::unparsed;
use super::resolve::{Denoted, FILES};
use super::statements::{Import, ImportItem, ImportKind, ItemForm, item_bound_at};
use super::{ImportNote, NoteKind, ProblemKind};

/// A file that may use the moved names.
struct User {
    path: Utf8PathBuf,
    parsed: Arc<Parsed>,
    file: FileNames,
}

/// An access to a moved name through the old file as a module.
struct OldAccess {
    access: Access,
    /// How its file writes modules.
    style: ModuleStyle,
}

impl Plan<'_> {
    /// Changes the import statements and accesses of other files, and removes imports of the old file that are unused now.
    pub(super) fn users(&mut self) {
        let moved = self.moved;
        // An import of all names contains only the module.
        let module = self.module_word();
        let words = self.names.iter().chain(&self.brought).chain(&self.taken);
        let words = words.chain([&module]);
        let words: Vec<String> = words.filter(|word| !word.is_empty()).cloned().collect();
        let users = self.files_with(&words);
        let mut used_of_old: BTreeSet<String> = BTreeSet::new();
        let mut is_star_used = false;
        let there = self.target.augmented.clone();
        self.additions_to_old(&moved.target_path, moved.target, &there);
        for user in &users {
            self.additions_to_old(&user.path, &user.parsed, &user.file.augmented);
            for import in &user.file.imports {
                let style = self.resolver.modules.is_file(
                    &user.path,
                    import.module_text(),
                    &moved.old_path,
                );
                let style = style.filter(|_| import.module.is_some());
                if style.is_none() {
                    self.unknown_module(user, import);
                }
                if let Some(style) = &style {
                    is_star_used |= import.star.is_some();
                    used_of_old.extend(import.items.iter().map(|item| item.name.clone()));
                    self.import_of_old(user, import, style);
                }
            }
            self.module_of_old(user, &mut used_of_old);
            self.mentions(user);
            for name in self.names.clone() {
                // A file that cannot be read may use the name.
                let has = |wanted: &str| {
                    let mut found = super::file_names::words(user.parsed.source().text());
                    found.any(|(_, word)| word == wanted)
                };
                let unread = user.file.problem.filter(|_| has(&name) && has(&module));
                if let Some(span) = unread.or_else(|| unparsed(&user.parsed, &name)) {
                    self.problem(&user.parsed, span, &name, ProblemKind::Unparsed);
                }
            }
        }
        for name in [self.names.clone(), self.brought.clone()].concat() {
            if let Some(span) = unparsed(moved.before, &name) {
                self.problem(moved.before, span, &name, ProblemKind::Unparsed);
            }
        }
        self.stubs();
        self.exports_list();
        let gives_imports = self.facts.exports_imports && self.before.listed.is_none();
        if !(is_star_used && gives_imports) {
            self.unused(&used_of_old);
        }
    }

    /// Returns the new file, and the other files that contain one of some words.
    fn files_with(&mut self, words: &[String]) -> Vec<User> {
        let moved = self.moved;
        let mut users = vec![User {
            path: moved.target_path.clone(),
            parsed: moved.target.clone(),
            file: FileNames::from_parsed(moved.target),
        }];
        if words.is_empty() {
            return users;
        }
        let project = self.resolver.modules.project;
        let found = project.files_with(words, &self.facts.extensions);
        for path in found.unread {
            let (line, what) = (0, NoteKind::Unread);
            self.notes.push(ImportNote { path, line, what });
        }
        for parsed in found.files {
            let path = Utf8PathBuf::from(parsed.source().path());
            let extension = path.extension().unwrap_or_default();
            if !self.facts.extensions.iter().any(|one| one == extension) {
                self.embedded(&parsed);
            } else if path != moved.old_path && path != moved.target_path {
                let file = FileNames::from_parsed(&parsed);
                users.push(User { path, parsed, file });
            }
        }
        users
    }

    /// Refuses a use of a moved name in a file whose symbols are those of code inside it, such as a component; lists one in
    /// other files, such as a page with an example.
    fn embedded(&mut self, parsed: &Arc<Parsed>) {
        let text = parsed.source().text();
        if !names_module(text, &self.module_word()) {
            return;
        }
        let is_code = parsed
            .root()
            .tables()
            .is_some_and(|tables| tables.uses(Mark::Listed));
        for name in self.names.clone() {
            let Some((at, _)) = words(text).find(|(_, word)| *word == name) else {
                continue;
            };
            match is_code {
                true => {
                    let span = Span::new(at, at + name.len());
                    self.problem(parsed, span, &name, ProblemKind::Embedded);
                }
                false => self.note(parsed, at, NoteKind::Mention(name)),
            }
        }
    }

    /// Refuses an import of a moved name from a module that may be the old file, such as by an alias of a path.
    fn unknown_module(&mut self, user: &User, import: &Import) {
        let stem = self.module_word();
        let module = import.module_text();
        let is_known = self.facts.modules != ModulePaths::Specifier
            || self.resolver.modules.is_relative(module);
        let last = module.rsplit('/').next().unwrap_or_default();
        let last = last.split('.').next().unwrap_or_default();
        if is_known || last != stem || stem.is_empty() {
            return;
        }
        let named = import
            .items
            .iter()
            .find(|item| self.names.contains(&item.name));
        if let Some(item) = named {
            let (span, name) = (item.span, item.name.clone());
            self.problem(&user.parsed, span, &name, ProblemKind::NoModule);
        }
    }

    /// Changes a statement that imports items of the old file.
    fn import_of_old(&mut self, user: &User, import: &Import, style: &ModuleStyle) {
        let moved = self.moved;
        let is_target = user.path == moved.target_path;
        let is_moved =
            |item: &ImportItem| item.form == ItemForm::Named && self.names.contains(&item.name);
        let chosen: Vec<usize> = (0..import.items.len())
            .filter(|index| is_moved(&import.items[*index]))
            .collect();
        if import.star.is_some() {
            return self.star_of_old(user, import, style);
        }
        let Some(first) = chosen.first().map(|first| &import.items[*first]) else {
            return;
        };
        if is_target && import.is_top() {
            return self.self_import(user, import, &chosen);
        }
        let module = self
            .resolver
            .modules
            .module(&user.path, &moved.target_path, style);
        let (Some(module), Some((module_span, _))) = (module, &import.module) else {
            return self.problem(
                &user.parsed,
                import.span,
                &first.name,
                ProblemKind::NoModule,
            );
        };
        let is_value = |index: &usize| {
            let item = &import.items[*index];
            !item.is_type && !import.is_type && !self.before.is_type(&item.name)
        };
        if !is_target && chosen.iter().any(is_value) && import.is_top() {
            let is_early = chosen.iter().any(|index| {
                let item = &import.items[*index];
                self.is_early(&user.file, &item.name, &item.bound.0)
            });
            self.edge(&user.path, &moved.target_path, is_early);
        }
        let source = user.parsed.source();
        let wanted: Vec<Wanted> = chosen
            .iter()
            .map(|index| {
                let item = &import.items[*index];
                self.exported(Wanted {
                    alias: item.alias.clone(),
                    is_type: item.is_type || import.is_type,
                    ..Wanted::named(module.clone(), &item.name)
                })
            })
            .collect();
        let has_other = user.file.imports.iter().any(|other| {
            let is_of_target = other.module_text() == module && other.kind == ImportKind::Items;
            is_of_target && other.is_top() && other.star.is_none()
        });
        let facts = self.facts;
        let is_whole = chosen.len() == import.items.len();
        let can_merge = import.is_top() && import.kind == ImportKind::Items && has_other;
        let change = self.file(&user.path, &user.parsed);
        if is_whole && !can_merge {
            return change.replace(*module_span, module);
        }
        if !change.remove_items(facts, import, &chosen) {
            return match is_whole {
                true => change.replace(*module_span, module),
                false => self.problem(&user.parsed, import.span, &first.name, ProblemKind::Form),
            };
        }
        if can_merge {
            wanted.into_iter().for_each(|one| change.want(one));
        } else {
            let like = source.slice(import.span);
            let lines = layout::statements_like(facts, import, &like, &wanted);
            change.extend([layout::lines_after(source, import.span, &lines)]);
        }
    }

    /// Removes the import of the moved names from the file that they move to.
    fn self_import(&mut self, user: &User, import: &Import, chosen: &[usize]) {
        let mut items = chosen.iter().map(|index| &import.items[*index]);
        let is_aliased =
            |item: &&ImportItem| item.alias.as_ref().is_some_and(|alias| *alias != item.name);
        if let Some(item) = items.find(is_aliased) {
            return self.problem(&user.parsed, item.span, &item.name, ProblemKind::Alias);
        }
        let facts = self.facts;
        let is_removed = import.kind != ImportKind::Export
            && self
                .file(&user.path, &user.parsed)
                .remove_items(facts, import, chosen);
        if !is_removed {
            let name = &import.items[chosen[0]].name;
            self.problem(&user.parsed, import.span, name, ProblemKind::Form);
        }
    }

    /// A statement that imports all names of the old file: the moved ones are imported next to it.
    fn star_of_old(&mut self, user: &User, import: &Import, style: &ModuleStyle) {
        let moved = self.moved;
        let has_target = user.file.imports.iter().any(|other| {
            let module = other.module_text();
            let is_all = other.star.is_some() && other.kind == import.kind;
            is_all
                && self
                    .resolver
                    .modules
                    .is_file(&user.path, module, &moved.target_path)
                    .is_some()
        });
        if user.path == moved.target_path || has_target {
            return;
        }
        let listed = self.before.listed.as_ref();
        let source = user.parsed.source();
        let is_exported = |name: &&String| self.facts.export.is_none() || self.before.exports(name);
        let exported = self.names.iter().filter(is_exported);
        let visible: Vec<String> = exported
            .filter(|name| match &listed {
                Some(listed) => listed.iter().any(|one| one.name == **name),
                None => {
                    let private = self.facts.private.as_deref();
                    private.is_none_or(|private| !name.starts_with(private))
                }
            })
            .cloned()
            .collect();
        // The old file still has the names that it imports.
        let is_still_there = |name: &String| {
            listed.is_none()
                && self.facts.exports_imports
                && self.after.free_uses().any(|one| one.name == *name)
        };
        let visible: Vec<String> = visible
            .into_iter()
            .filter(|name| !is_still_there(name))
            .collect();
        if visible.is_empty() {
            return;
        }
        let Some(module) = self
            .resolver
            .modules
            .module(&user.path, &moved.target_path, style)
        else {
            return self.problem(
                &user.parsed,
                import.span,
                &visible[0],
                ProblemKind::NoModule,
            );
        };
        let mut early = visible
            .iter()
            .filter(|name| self.is_early(&user.file, name, name));
        let is_early = early.next().is_some();
        self.edge(&user.path, &moved.target_path, is_early);
        let all: Vec<Wanted> = visible
            .iter()
            .map(|name| Wanted::named(module.clone(), name))
            .map(|wanted| self.exported(wanted))
            .collect();
        let like = source.slice(import.span);
        let lines = layout::statements_like(self.facts, import, &like, &all);
        let change = self.file(&user.path, &user.parsed);
        change.extend([layout::lines_after(source, import.span, &lines)]);
    }

    /// Changes the accesses to the moved names through values that are the old file as a module, and refuses what may take
    /// a name from it otherwise.
    fn module_of_old(&mut self, user: &User, used: &mut BTreeSet<String>) {
        for import in &user.file.imports {
            for item in &import.items {
                let denoted = self.resolver.item(&user.path, import, item, FILES);
                if denoted.as_ref() != Some(&Denoted::Module(self.moved.old_path.clone())) {
                    continue;
                }
                let mut exports = user.file.exports.iter();
                let is_exported = exports.any(|one| one.local == item.bound.0);
                if is_exported || import.kind == ImportKind::Export {
                    let name = self.names.first().cloned().unwrap_or_default();
                    self.problem(&user.parsed, import.span, &name, ProblemKind::Form);
                    continue;
                }
                // Functions take the name of a member as a string.
                let text = user.parsed.source().text();
                for name in self.names.clone() {
                    if let Some(span) = quoted(text, &name) {
                        self.note(&user.parsed, span.start(), NoteKind::Mention(name));
                    }
                }
                self.taken_from_module(user, &item.bound.0);
            }
        }
        let mut uses: BTreeMap<String, Vec<OldAccess>> = BTreeMap::new();
        for access in user.file.all_accesses() {
            let is_moved = self.names.contains(&access.member);
            let is_changed = access.is_bound && self.taken.contains(&access.member);
            if !is_moved && !is_changed && !self.brought.contains(&access.member) {
                continue;
            }
            let first = access.value.split('.').next().unwrap_or_default();
            let items = items_bound(&user.file, access, first);
            let denoted = self.resolver.value(&user.path, &items, &access.value);
            if denoted != Some(Denoted::Module(self.moved.old_path.clone())) {
                continue;
            }
            if is_changed {
                // The moved code has its own name for the value.
                self.problem(
                    &user.parsed,
                    access.span,
                    &access.member,
                    ProblemKind::Assigned,
                );
                continue;
            }
            if !is_moved {
                used.insert(access.member.clone());
                continue;
            }
            let modules = &self.resolver.modules;
            let style = items.iter().find_map(|(import, item)| {
                let module = match item.form {
                    ItemForm::Module if item.alias.is_none() => access.value.clone(),
                    ItemForm::Module => item.name.clone(),
                    ItemForm::Named => modules.submodule(import.module_text(), &item.name)?,
                    _ => import.module_text().to_string(),
                };
                let file = modules.file_of(&user.path, &module)?;
                modules.is_file(&user.path, &module, &file)
            });
            let own = uses.entry(access.member.clone()).or_default();
            own.push(OldAccess {
                access: access.clone(),
                style: style.unwrap_or_else(|| self.style.clone()),
            });
        }
        for (name, all) in uses {
            // The old file still has the names that it imports.
            let is_still_there = self.after.uses(&name) && self.facts.exports_imports;
            if !is_still_there || all.iter().any(|one| one.access.is_bound) {
                self.accesses_of_old(user, &name, &all);
            }
        }
    }

    /// Refuses code that adds to a moved definition: `declare module "./old" { interface Bill { paid: boolean } }`.
    fn additions_to_old(&mut self, of: &Utf8Path, parsed: &Arc<Parsed>, all: &[(String, Span)]) {
        let source = parsed.source();
        for (path, span) in all {
            let old_path = &self.moved.old_path;
            if self.resolver.modules.is_file(of, path, old_path).is_none() {
                continue;
            }
            let text = source.slice(*span);
            let added = words(&text).map(|(_, word)| word.to_string());
            let mut added = added.filter(|word| self.names.contains(word));
            if let Some(name) = added.next() {
                self.problem(parsed, *span, &name, ProblemKind::OtherModules);
            }
        }
    }

    /// Refuses code that may take a moved name from the old file as a value: `const { price: cost } = old`.
    fn taken_from_module(&mut self, user: &User, module: &str) {
        let names = &user.file;
        let is_whole = |span: Span| {
            let mut accesses = names.all_accesses().iter();
            let is_of_module = |one: &Access| one.value.split('.').next() == Some(module);
            !accesses.any(|one| is_of_module(one) && one.span.contains(span))
        };
        let mut uses = names.free_uses();
        let Some(whole) = uses.find(|one| one.name == module && is_whole(one.span)) else {
            return;
        };
        let span = whole.span;
        let source = user.parsed.source();
        let is_taken = |name: &&String| {
            let mut found = words(source.text()).filter(|(_, word)| word == name);
            found.any(|(at, word)| {
                let word = Span::new(at, at + word.len());
                is_whole(word) && !is_in_text(&user.parsed, word)
            })
        };
        // Where code exports names, a module has no others; elsewhere, any code may look a name up.
        let is_any = self.facts.export.is_some();
        let is_named =
            |name: &&String| is_any || is_taken(name) || quoted(source.text(), name).is_some();
        let taken: Vec<String> = self.names.iter().filter(is_named).cloned().collect();
        for name in taken {
            self.problem(&user.parsed, span, &name, ProblemKind::Form);
        }
    }

    fn accesses_of_old(&mut self, user: &User, name: &str, all: &[OldAccess]) {
        let moved = self.moved;
        let Some(first) = all.first() else {
            return;
        };
        let is_target = user.path == moved.target_path;
        let module = self
            .resolver
            .modules
            .module(&user.path, &moved.target_path, &first.style);
        if let Some(bound) = all.iter().find(|one| one.access.is_bound) {
            let span = bound.access.span;
            return self.problem(&user.parsed, span, name, ProblemKind::Assigned);
        }
        let Some(module) = module else {
            let span = first.access.span;
            return self.problem(&user.parsed, span, name, ProblemKind::NoModule);
        };
        // The file imports the name, or defines it now.
        let names = &user.file;
        let is_of_old = |span: &Span| {
            let found = item_bound_at(&names.imports, *span);
            found.is_some_and(|(import, item)| {
                let module = import.module_text();
                let modules = &self.resolver.modules;
                item.name == name
                    && modules
                        .is_file(&user.path, module, &moved.old_path)
                        .is_some()
            })
        };
        let bindings = names.bindings(name);
        let is_imported = !bindings.is_empty() && bindings.iter().all(is_of_old);
        let is_free = |one: &Access| {
            let is_own = is_imported || is_target && bindings.len() == 1;
            names.is_unbound_at(one, name) || is_own && names.is_of_file_at(one, name)
        };
        if let Some(bound) = all.iter().find(|one| !is_free(&one.access)) {
            let span = bound.access.span;
            return self.problem(&user.parsed, span, name, ProblemKind::BoundInUser);
        }
        let wanted = self.exported(Wanted::named(module, name));
        let hidden = names
            .unbound_use(name)
            .filter(|_| !is_target && !is_imported);
        if let Some(span) = hidden {
            return self.problem(&user.parsed, span, name, ProblemKind::BoundInUser);
        }
        let roots = all.iter().map(|one| one.access.value.split('.').next());
        let roots: BTreeSet<&str> = roots.flatten().collect();
        // The first names of the accesses, and those that nothing else uses.
        let is_access = |span: Span| all.iter().any(|one| one.access.span.contains(span));
        let root_uses = names
            .free_uses()
            .filter(|one| roots.contains(one.name.as_str()));
        let (own, other): (Vec<_>, Vec<_>) = root_uses.partition(|one| is_access(one.span));
        let is_early = !self.before.is_hoisted(name) && own.iter().any(|one| !one.is_deferred);
        let is_unused = |root: &&str| !other.iter().any(|one| one.name == **root);
        let unused: Vec<String> = roots
            .iter()
            .filter(|root| is_unused(root))
            .map(|root| root.to_string())
            .collect();
        if !is_target {
            self.edge(&user.path, &moved.target_path, is_early);
        }
        let facts = self.facts;
        let gives_imports = facts.exports_imports && user.path.file_stem() == Some(&facts.package);
        let change = self.file(&user.path, &user.parsed);
        if !is_target && !is_imported {
            change.want(wanted);
        }
        for one in all {
            change.replace(one.access.span, name);
        }
        if !gives_imports {
            change.remove_imports(facts, &user.file, &unused);
        }
    }

    /// Returns the last word of the module that the old file is.
    fn module_word(&self) -> String {
        let path = &self.moved.old_path;
        let stem = path.file_stem().unwrap_or_default();
        match stem == self.facts.package {
            true => super::modules::folder(path)
                .file_name()
                .unwrap_or_default()
                .to_string(),
            false => stem.to_string(),
        }
    }

    /// Lists the texts that name a moved definition in its old file, and the modules that are loaded by a computed name.
    fn mentions(&mut self, user: &User) {
        let module = self.module_word();
        let text = user.parsed.source().text().to_string();
        let names: Vec<String> = self.names.iter().chain(&self.taken).cloned().collect();
        for name in names {
            for separator in [".", ":", "#", " import "] {
                let wanted = format!("{module}{separator}{name}");
                for (at, _) in text.match_indices(&wanted) {
                    let is_word = |c: char| c == '_' || c.is_alphanumeric();
                    let ends = text[at + wanted.len()..].chars().next();
                    let starts = text[..at].chars().next_back();
                    if ends.is_some_and(is_word) || starts.is_some_and(is_word) {
                        continue;
                    }
                    let span = Span::new(at, at + wanted.len());
                    if is_in_text(&user.parsed, span) {
                        self.note(&user.parsed, at, NoteKind::Mention(name.clone()));
                    }
                }
            }
            let is_moved = self.names.contains(&name);
            if is_moved && text.contains(&name) && user.path != self.moved.target_path {
                for (span, path) in user.file.loads.clone() {
                    let path = path.as_deref();
                    let old = &self.moved.old_path;
                    let loads_old = |path: &str| {
                        self.resolver
                            .modules
                            .is_file(&user.path, path, old)
                            .is_some()
                    };
                    if path.is_some_and(|path| !path.contains(module.as_str())) {
                        continue;
                    }
                    let takes_name = match path {
                        Some(path) => loads_old(path) && self.is_in_code(&user.parsed, &name),
                        // A name that the file binds is its own, or one that it imports.
                        None => {
                            user.file.bindings(&name).is_empty()
                                && self.is_in_code(&user.parsed, &name)
                        }
                    };
                    if takes_name {
                        self.problem(&user.parsed, span, &name, ProblemKind::Loaded);
                    } else {
                        self.note(&user.parsed, span.start(), NoteKind::Dynamic(name.clone()));
                    }
                }
            }
        }
    }

    /// Refuses names that a file with declarations of the old one declares: `a.pyi` of `a.py`, `a.d.ts` of `a.js`.
    fn stubs(&mut self) {
        let old = self.moved.old_path.clone();
        let others = self
            .facts
            .extensions
            .iter()
            .map(|one| old.with_extension(one));
        let others: Vec<Utf8PathBuf> = others.filter(|path| *path != old).collect();
        for path in others {
            let project = self.resolver.modules.project;
            let Some(parsed) = project
                .has_file(&path)
                .then(|| project.parsed(&path))
                .flatten()
            else {
                continue;
            };
            for name in self.names.clone() {
                let mut found = words(parsed.source().text()).filter(|(_, word)| *word == name);
                if let Some((at, _)) = found.next() {
                    let span = Span::new(at, at + name.len());
                    self.problem(&parsed, span, &name, ProblemKind::Declared);
                }
            }
        }
    }

    /// Returns whether a name occurs outside comments and strings.
    fn is_in_code(&self, parsed: &Parsed, name: &str) -> bool {
        let mut found = words(parsed.source().text()).filter(|(_, word)| *word == name);
        found.any(|(at, word)| !is_in_text(parsed, Span::new(at, at + word.len())))
    }

    /// Moves the names from the list of exports of the old file to that of the new one.
    fn exports_list(&mut self) {
        let moved = self.moved;
        for name in self.names.clone() {
            if self.after.uses(&name) {
                continue;
            }
            let own = self.after.listed.iter().flatten();
            let spans: Vec<Span> = own
                .filter(|one| one.name == name)
                .map(|one| one.span)
                .collect();
            for span in &spans {
                let whole = moved.after.source().text();
                let removed = element_with_separator(whole, *span);
                self.old().replace(removed, "");
            }
            let there = self.target.listed.clone().unwrap_or_default();
            if spans.is_empty() || there.iter().any(|one| one.name == name) {
                continue;
            }
            if let Some(list) = there.last().map(|one| one.list) {
                let text = moved.target.source().slice(list).into_owned();
                let edit = element_added(&text, list, &name);
                self.there().extend(edit);
            }
        }
    }

    /// Removes the imports of the old file that only the moved code used.
    fn unused(&mut self, used_of_old: &BTreeSet<String>) {
        let brought = self.brought.iter();
        let unused = brought.filter(|name| !used_of_old.contains(*name) && !self.after.uses(name));
        let modules = &self.resolver.modules;
        let unused =
            unused.filter(|name| !modules.gives_import(&self.moved.old_path, &self.after, name));
        let unused: Vec<String> = unused.cloned().collect();
        let (old, facts) = (self.moved.old_path.clone(), self.facts);
        let after = self.moved.after;
        let change = self
            .files
            .entry(old)
            .or_insert_with(|| FileChange::new(after));
        change.remove_imports(facts, &self.after, &unused);
    }
}

/// Returns the imported items that bind a name in the scope of an access.
pub(super) fn items_bound<'f>(
    names: &'f FileNames,
    access: &Access,
    name: &str,
) -> Vec<(&'f Import, &'f ImportItem)> {
    let items = names.imports.iter().flat_map(|import| {
        let items = import.items.iter();
        items.map(move |item| (import, item))
    });
    let is_bound =
        |item: &ImportItem| item.bound.0 == name && names.is_bound_at(access, name, item.bound.1);
    items.filter(|(_, item)| is_bound(item)).collect()
}

/// Returns whether a text contains a quoted path to a module, with or without an extension.
fn names_module(text: &str, module: &str) -> bool {
    let is_quote = |c: char| ['"', '\'', '`'].contains(&c);
    !module.is_empty()
        && text.match_indices(module).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = &text[at + module.len()..];
            let end = after.find(|c: char| is_quote(c) || c.is_whitespace());
            let rest = end.map_or("", |end| &after[..end]);
            before.is_some_and(|c| c == '/' || is_quote(c))
                && end.is_some_and(|end| after[end..].starts_with(is_quote))
                && (rest.is_empty() || rest.starts_with(['.', '/']))
        })
}

/// Returns the span of a quoted name.
pub(super) fn quoted(text: &str, name: &str) -> Option<Span> {
    ['"', '\''].iter().find_map(|quote| {
        let wanted = format!("{quote}{name}{quote}");
        let at = text.find(&wanted)?;
        Some(Span::new(at, at + wanted.len()))
    })
}

/// Returns the span of an element of a list with the separator after it, or else before it.
fn element_with_separator(text: &str, span: Span) -> Span {
    let after = text[span.end()..].trim_start();
    match after.strip_prefix(',') {
        Some(rest) => {
            let rest = rest.trim_start();
            let next = text.len() - rest.len();
            let is_last = rest.starts_with([']', ')']);
            let before = text[..span.start()].trim_end();
            match is_last {
                // The line break before the bracket stays.
                true => Span::new(
                    before.len(),
                    text.len() - after.len() + usize::from(!before.ends_with(',')),
                ),
                false => Span::new(span.start(), next),
            }
        }
        None => {
            let before = text[..span.start()].trim_end();
            let start = before.strip_suffix(',').map_or(span.start(), str::len);
            Span::new(start, span.end())
        }
    }
}

/// Returns the insertion of a name at the end of a list of quoted names.
fn element_added(text: &str, statement: Span, name: &str) -> Option<crate::change::Replacement> {
    let close = text.rfind([']', ')'])?;
    let before = text[..close].trim_end();
    let quote = if before.contains('\'') { '\'' } else { '"' };
    let last = before.strip_suffix(',').unwrap_or(before);
    let has_elements = !last.ends_with(['[', '(']);
    let line = last.rfind('\n').map(|at| &last[at + 1..]);
    let margin = line.filter(|line| line.trim_start().starts_with(['"', '\'']));
    let margin = margin.map(|line| &line[..line.len() - line.trim_start().len()]);
    let separator = match (has_elements, margin) {
        (false, _) => String::new(),
        (true, Some(margin)) => format!(",\n{margin}"),
        (true, None) => ", ".to_string(),
    };
    Some(crate::change::Replacement {
        span: Span::at(statement.start() + last.len()),
        new_text: format!("{separator}{quote}{name}{quote}"),
    })
}
