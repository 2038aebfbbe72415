//! The import statements of an edit that moves nothing: adds those that its new code needs, and removes those that only
//! the removed code used.
//!
//! A name is imported from where other files of the project import it, or else from the only file that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::change::TextEdit;
use crate::parse::Parsed;
use crate::source::Span;

use super::Project;
use super::facts::{ImportFacts, PackageFacts};
use super::file_change::FileChange;
use super::file_names::FileNames;
use super::layout::{self, Wanted};
use super::loading::{Edges, Loading};
use super::modules::{ModuleStyle, Modules, folder};
use super::packages::{SpecNames, values};
use super::resolve::{Denoted, FILES, Resolver};
use super::specs::{self, FileSpecs, Spec};
use super::statements::{Import, ImportItem, ImportKind, ItemForm, item_bound_at};
use super::users::items_bound;

/// A file that an edit changes.
pub(crate) struct EditedFile<'e> {
    pub(crate) path: Utf8PathBuf,
    pub(crate) before: &'e Arc<Parsed>,
    pub(crate) after: &'e Arc<Parsed>,
    /// The new texts, in the text after the edit.
    pub(crate) added: Vec<Span>,
    /// Those of them whose names are known to have their definitions.
    pub(crate) known: Vec<Span>,
    /// Whether all code of the file counts, not only what the edit adds and removes.
    pub(crate) is_whole: bool,
}

/// What changes in a file.
#[derive(Debug)]
pub(crate) struct Organized {
    /// The edit of the text after the edit.
    pub(crate) edit: TextEdit,
    /// The names of the new code that nothing is known to define, each with its line.
    pub(crate) unknown: Vec<(String, usize)>,
    /// The names that the new code uses and that are imported only for type checkers, each with its line.
    pub(crate) without_value: Vec<(String, usize)>,
}

/// A name that the new code uses and that several modules give.
#[derive(Clone, Debug)]
pub(crate) struct UnclearName {
    pub(crate) name: String,
    pub(crate) parsed: Arc<Parsed>,
    pub(crate) span: Span,
    /// The modules as import statements of the file name them, sorted.
    pub(crate) modules: Vec<String>,
}

/// A name that the new code uses, and whose import would make files import each other while they are loaded.
#[derive(Clone, Debug)]
pub(crate) struct CircularName {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) module: String,
    /// The file that imports the changed file.
    pub(crate) through: Utf8PathBuf,
}

/// Why the import statements of a file cannot follow an edit.
#[derive(Debug)]
pub(crate) enum NotOrganized {
    /// Several modules give names.
    Unclear(Vec<UnclearName>),
    /// The only imports of a name would make files import each other.
    Circular(CircularName),
    /// The import statement at this place has an unknown form.
    Form(Span),
    /// The parser of the language cannot read this place of the text after the edit.
    Unread(Span),
}

/// A file and what is known about it.
struct Organizer<'o> {
    file: &'o EditedFile<'o>,
    modules: Modules<'o>,
    before: FileNames,
    after: FileNames,
    /// The modules that the caller chose for names.
    chosen: &'o BTreeMap<String, String>,
    resolver: Resolver<'o>,
    loading: Loading<'o>,
    unclear: Vec<UnclearName>,
    circular: Option<CircularName>,
    unknown: Vec<(String, usize)>,
}

/// From where other files import a name, or the file that defines it.
#[derive(Clone)]
struct Source {
    wanted: Wanted,
    /// The number of files that import it from there.
    count: usize,
    denoted: Option<Denoted>,
}

impl Source {
    /// Returns whether the name is not one that files only gave to what they import, such as `fixture` in `import * as
    /// fixture from "./tokens"`. New code may use one that several files gave.
    fn is_usual(&self, name: &str, is_new: bool) -> bool {
        let wanted = &self.wanted;
        let is_given = match wanted.form {
            ItemForm::Default | ItemForm::Namespace => true,
            ItemForm::Named => wanted.alias.is_some(),
            ItemForm::Module => false,
        };
        let letters = |text: &str| -> String {
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let last = wanted.module.rsplit(['/', ':']).next().unwrap_or_default();
        let stem = last.split('.').next().unwrap_or_default();
        !is_given || is_new && self.count > 1 || letters(stem) == letters(name)
    }
}

/// Returns the definition that all sources give, if it is known.
fn only_definition(sources: &BTreeMap<String, Source>) -> Option<Denoted> {
    let mut denoted = sources.values().map(|one| &one.denoted);
    let first = denoted.next().cloned().flatten();
    first.filter(|first| denoted.all(|one| one.as_ref() == Some(first)))
}

/// Plans the import statements of a file. `chosen` are the modules of names.
///
/// # Errors
/// The names that several modules give, or an import statement that cannot be changed.
pub(crate) fn organize(
    file: &EditedFile<'_>,
    project: &dyn Project,
    facts: &ImportFacts,
    chosen: &BTreeMap<String, String>,
) -> Result<Organized, NotOrganized> {
    let first = organize_once(file, project, facts, chosen)?;
    if !file.is_whole || first.edit.replacements().is_empty() {
        return Ok(first);
    }
    // A block of imports that is gone may have been the only use of a name.
    let after = Arc::new(Parsed::parse(first.edit.apply(file.after.source())));
    let left = EditedFile {
        path: file.path.clone(),
        before: &after,
        after: &after,
        added: Vec::new(),
        known: Vec::new(),
        is_whole: true,
    };
    let second = organize_once(&left, project, facts, chosen)?;
    Ok(Organized {
        edit: first.edit.then(&second.edit),
        ..first
    })
}

fn organize_once(
    file: &EditedFile<'_>,
    project: &dyn Project,
    facts: &ImportFacts,
    chosen: &BTreeMap<String, String>,
) -> Result<Organized, NotOrganized> {
    let modules = Modules { project, facts };
    let mut organizer = Organizer {
        file,
        modules,
        resolver: Resolver::new(modules),
        loading: Loading::new(modules),
        before: FileNames::from_parsed(file.before),
        after: FileNames::from_parsed(file.after),
        chosen,
        unclear: Vec::new(),
        circular: None,
        unknown: Vec::new(),
    };
    if let Some(span) = organizer.after.problem {
        return Err(NotOrganized::Unread(span));
    }
    let mut change = FileChange::new(file.after);
    match &facts.packages {
        Some(packages) => organizer.packages(packages, &mut change),
        None => {
            organizer.needs(&mut change);
            organizer.unused(&mut change);
        }
    }
    if !organizer.unclear.is_empty() {
        return Err(NotOrganized::Unclear(organizer.unclear));
    }
    if let Some(circular) = organizer.circular {
        return Err(NotOrganized::Circular(circular));
    }
    let edit = change.into_edit(&organizer.modules, None);
    Ok(Organized {
        without_value: organizer.without_value(),
        edit: edit.map_err(NotOrganized::Form)?,
        unknown: organizer.unknown,
    })
}

impl<'o> Organizer<'o> {
    fn is_added(&self, span: Span) -> bool {
        let is_in = |all: &[Span]| all.iter().any(|one| one.contains(span));
        is_in(&self.file.added) && !is_in(&self.file.known)
    }

    /// Returns the names that the new code uses and the file does not bind, each with its first use.
    fn missing(&self) -> BTreeMap<String, Span> {
        let facts = self.modules.facts;
        let mut missing = BTreeMap::new();
        for one in self.after.free_uses() {
            let name = &one.name;
            let is_known = facts.builtins.contains(name)
                || facts.own.contains(name)
                || facts.implicit.contains(name)
                || !self.after.bindings(name).is_empty()
                || match self.file.is_whole {
                    true => facts.environment.contains(name),
                    false => self.before.uses(name) && self.before.bindings(name).is_empty(),
                };
            if self.is_added(one.span) && !is_known {
                missing.entry(name.clone()).or_insert(one.span);
            }
        }
        missing
    }

    /// Returns the names that the new code uses while it runs, and that the file imports only for type checkers.
    fn without_value(&self) -> Vec<(String, usize)> {
        let facts = self.modules.facts;
        let source = self.file.after.source();
        let is_for_types = |span: &Span| {
            let found = item_bound_at(&self.after.imports, *span);
            found.is_some_and(|(import, _)| {
                let guard = layout::guard_of(source, import);
                guard.is_some_and(|guard| facts.is_type_guard(&guard))
            })
        };
        let mut all = BTreeMap::new();
        for one in self.after.free_uses() {
            let bindings = self.after.bindings(&one.name);
            let is_only_type = !bindings.is_empty() && bindings.iter().all(is_for_types);
            let mut annotations = self.after.annotations.iter();
            let is_annotation = annotations.any(|span| span.contains(one.span));
            let is_value = is_only_type && !is_annotation && self.is_added(one.span);
            if is_value && layout::type_guard_at(self.file.after, facts, one.span).is_none() {
                all.entry(one.name.clone())
                    .or_insert_with(|| source.line_of(one.span.start()));
            }
        }
        all.into_iter().collect()
    }

    /// Adds the imports that the new code needs.
    fn needs(&mut self, change: &mut FileChange) {
        let missing = self.missing();
        if missing.is_empty()
            || self
                .after
                .imports
                .iter()
                .any(|import| import.star.is_some())
        {
            return;
        }
        let names: Vec<String> = missing.keys().cloned().collect();
        let found = self
            .modules
            .project
            .files_with(&names, &self.modules.facts.extensions);
        let own = self.file.path.as_str();
        let files: Vec<(Utf8PathBuf, FileNames)> = found
            .files
            .iter()
            .filter(|parsed| parsed.source().path() != own)
            .map(|parsed| {
                (
                    parsed.source().path().into(),
                    FileNames::from_parsed(parsed),
                )
            })
            .collect();
        self.loading.read(&self.file.path, self.file.after);
        let has_environment = !self.modules.facts.environment.is_empty();
        for (name, span) in missing {
            let mut others = files.iter();
            if self.file.is_whole
                && has_environment
                && others.any(|(_, names)| names.unbound_use(&name).is_some())
            {
                // The environment has it.
                continue;
            }
            let (imported, defined) = self.sources(&name, &files);
            let sources = self.acceptable(&name, span, imported, defined);
            match sources.is_empty() {
                true => match self.standard_modules(&name) {
                    all if all.is_empty() => self.choose(&name, span, sources, change),
                    all => all.into_iter().for_each(|one| change.want(one)),
                },
                false => self.choose(&name, span, sources, change),
            }
        }
    }

    /// Returns from where files import a name, by what they import, and the files that define it.
    fn sources(
        &self,
        name: &str,
        files: &[(Utf8PathBuf, FileNames)],
    ) -> (BTreeMap<String, Source>, BTreeMap<String, Source>) {
        let mut imported: BTreeMap<String, Source> = BTreeMap::new();
        let mut defined = BTreeMap::new();
        for (path, names) in files {
            for span in names.bindings(name) {
                let Some((import, item)) = item_bound_at(&names.imports, *span) else {
                    defined.extend(self.as_defined(path, names, name));
                    continue;
                };
                let Some((key, wanted)) = self.as_imported(path, import, item) else {
                    continue;
                };
                let denoted = self.resolver.item(path, import, item, FILES);
                // What is a type is known from its definition, or from all files that import it.
                let is_type = match &denoted {
                    Some(Denoted::Item(file, name)) => {
                        let names = self.resolver.names(file);
                        names.is_some_and(|names| names.is_type(name))
                    }
                    _ => wanted.is_type,
                };
                let source = imported.entry(key).or_insert(Source {
                    wanted: Wanted { is_type, ..wanted },
                    count: 0,
                    denoted,
                });
                source.wanted.is_type &= is_type;
                source.count += 1;
            }
        }
        imported.retain(|_, one| one.is_usual(name, !self.file.is_whole));
        (imported, defined)
    }

    /// Returns the sources from which a name may be imported: the most usual one of those that give the same definition
    /// and make no files import each other while they are loaded, or all if they give several definitions.
    fn acceptable(
        &mut self,
        name: &str,
        span: Span,
        imported: BTreeMap<String, Source>,
        defined: BTreeMap<String, Source>,
    ) -> BTreeMap<String, Wanted> {
        let mut all = match imported.is_empty() {
            true => defined.clone(),
            false => imported,
        };
        let definition = only_definition(&all);
        if all.is_empty() || self.chosen.contains_key(name) || all.len() > 1 && definition.is_none()
        {
            let all = all.into_iter();
            return all.map(|(key, one)| (key, one.wanted)).collect();
        }
        // The file that defines it is another source.
        let own = defined.into_iter();
        all.extend(own.filter(|(_, one)| definition.is_some() && one.denoted == definition));
        let mut first = None;
        all.retain(|_, one| {
            let through = self.circular_through(name, &one.wanted);
            let is_kept = through.is_none();
            first = first.take().or(through.map(|through| CircularName {
                name: name.to_string(),
                span,
                module: module_of(&one.wanted).to_string(),
                through,
            }));
            is_kept
        });
        let most = all.into_iter().max_by_key(|(_, one)| one.count);
        if most.is_none() {
            self.circular = self.circular.take().or(first);
        }
        most.into_iter()
            .map(|(key, one)| (key, one.wanted))
            .collect()
    }

    /// Returns the file that imports this file when the file of an import is loaded, if the import then may find a name
    /// that is not defined yet.
    fn circular_through(&mut self, name: &str, wanted: &Wanted) -> Option<Utf8PathBuf> {
        let path = &self.file.path;
        let inner = self.modules.submodule(&wanted.module, &wanted.name);
        let inner = inner.filter(|_| wanted.form == ItemForm::Named);
        let inner = inner.and_then(|inner| self.modules.file_of(path, &inner));
        // A package may also define the name of a module in it.
        let package = self.modules.file_of(path, &wanted.module);
        let package = package.and_then(|package| self.resolver.names(&package));
        let gives = package.is_some_and(|names| !names.bindings(&wanted.name).is_empty());
        let inner = inner.filter(|_| !gives);
        let is_module = wanted.form == ItemForm::Module || inner.is_some();
        let file = inner.or_else(|| self.modules.file_of(path, module_of(wanted)))?;
        let mut uses = self.after.free_uses();
        let is_early = uses.any(|one| one.name == name && !one.is_deferred);
        let names = self.resolver.names(&file);
        let is_early = is_early && !names.is_some_and(|names| names.is_hoisted(&wanted.name));
        let is_read = is_early || self.modules.facts.refuses_circular && !is_module;
        if wanted.is_type || !is_read && (is_module || self.loading.loads(path, &file)) {
            return None;
        }
        self.loading.through(&file, path, &Edges::new())
    }

    /// Returns the modules of the standard library of which code uses a member through a name: `importlib.util` in
    /// `importlib.util.find_spec`.
    fn standard_modules(&self, name: &str) -> Vec<Wanted> {
        let standard = &self.modules.facts.standard;
        let values = self.after.free_accesses().map(|one| one.value.as_str());
        let own = values.filter(|value| value.split('.').next() == Some(name));
        let own: BTreeSet<&str> = own.filter(|value| standard.contains(*value)).collect();
        let is_inner = |one: &&&str| {
            own.iter()
                .any(|other| other.starts_with(&format!("{one}.")))
        };
        let own = own.iter().filter(|one| !is_inner(one));
        let module = |path: &&str| Wanted {
            form: ItemForm::Module,
            ..Wanted::named(String::new(), path)
        };
        own.map(module).collect()
    }

    /// Adds the import of a name from its only source, or the one that the caller chose.
    fn choose(
        &mut self,
        name: &str,
        span: Span,
        sources: BTreeMap<String, Wanted>,
        change: &mut FileChange,
    ) {
        if let Some(module) = self.chosen.get(name) {
            let mut own = sources.into_values().filter(|one| module_of(one) == module);
            let wanted = own.next();
            return change.want(wanted.unwrap_or_else(|| Wanted::named(module.clone(), name)));
        }
        match sources.len() {
            // It may be a name of the environment.
            0 if !self.modules.facts.environment.is_empty() => {}
            0 => {
                let line = self.file.after.source().line_of(span.start());
                self.unknown.push((name.to_string(), line));
            }
            1 => sources.into_values().for_each(|one| change.want(one)),
            _ => {
                let modules = sources.values().map(|one| module_of(one).to_string());
                self.unclear.push(UnclearName {
                    name: name.to_string(),
                    parsed: self.file.after.clone(),
                    span,
                    modules: modules.collect::<BTreeSet<String>>().into_iter().collect(),
                });
            }
        }
    }

    /// Returns an import of another file as one of this file, by what it imports.
    fn as_imported(
        &self,
        path: &Utf8Path,
        import: &Import,
        item: &ImportItem,
    ) -> Option<(String, Wanted)> {
        let written = match import.kind {
            ImportKind::Items => import.module_text(),
            ImportKind::Modules => item.name.as_str(),
            ImportKind::Language | ImportKind::Export => return None,
        };
        let file = self.modules.file_of(path, written);
        let is_own = match &file {
            Some(file) => *file == self.file.path,
            None => self.modules.is_own_package(&self.file.path, written),
        };
        if is_own {
            return None;
        }
        let module = match &file {
            Some(file) if self.modules.is_relative(written) || import.kind == ImportKind::Items => {
                self.modules
                    .module(&self.file.path, file, &self.own_style())?
            }
            _ if self.modules.is_relative(written) => return None,
            _ => written.to_string(),
        };
        let place = file.map_or(module.clone(), Utf8PathBuf::into_string);
        let is_module = import.kind == ImportKind::Modules;
        let wanted = Wanted {
            module: if is_module { String::new() } else { module },
            name: item.name.clone(),
            // `import a as a` exports the name.
            alias: item.alias.clone().filter(|alias| *alias != item.name),
            form: item.form,
            is_type: item.is_type || import.is_type,
            guard: None,
        };
        let key = match item.form {
            ItemForm::Default => format!("{place} default"),
            ItemForm::Namespace => format!("{place} *"),
            ItemForm::Named | ItemForm::Module => format!("{place} {}", item.name),
        };
        Some((key, wanted))
    }

    /// Returns the import of a name from the file that defines it.
    fn as_defined(
        &self,
        path: &Utf8Path,
        names: &FileNames,
        name: &str,
    ) -> Option<(String, Source)> {
        let facts = self.modules.facts;
        let is_private = facts
            .private
            .as_ref()
            .is_some_and(|sign| name.starts_with(sign));
        if is_private || facts.export.is_some() && !names.exports(name) {
            return None;
        }
        let module = self
            .modules
            .module(&self.file.path, path, &self.own_style())?;
        let wanted = Wanted {
            is_type: names.is_type(name),
            ..Wanted::named(module, name)
        };
        let source = Source {
            wanted,
            count: 0,
            denoted: Some(Denoted::Item(path.to_owned(), name.to_string())),
        };
        Some((path.to_string(), source))
    }

    /// Returns how this file writes modules of the project.
    fn own_style(&self) -> ModuleStyle {
        let own = self.modules.style_of(&self.file.path, &self.after.imports);
        own.unwrap_or_else(|| self.modules.usual_style(&self.file.path))
    }

    /// Removes the imports that only the removed code used, or all that no code uses.
    fn unused(&mut self, change: &mut FileChange) {
        let facts = self.modules.facts;
        let is_whole = self.file.is_whole;
        if is_whole && self.may_export_imports() {
            return;
        }
        let imports = self.before.imports.iter();
        let imports = imports.filter(|import| !is_whole || self.may_be_removed(import));
        let items = imports.flat_map(|import| &import.items);
        // `import a as a` exports the name.
        let exports = |item: &ImportItem| {
            item.form == ItemForm::Named && item.alias.as_ref() == Some(&item.name)
        };
        let items = items.filter(|item| !is_whole || !exports(item));
        let names = items.map(|item| item.bound.0.clone());
        let is_unused =
            |name: &String| (is_whole || self.before.uses(name)) && !self.after.uses(name);
        let names = names.filter(is_unused);
        let is_listed = |name: &String| {
            let mut listed = self.after.listed.iter().flatten();
            listed.any(|one| one.name == *name)
        };
        let names = names.filter(|name| !is_listed(name));
        let names = names.filter(|name| {
            !self
                .modules
                .gives_import(&self.file.path, &self.after, name)
        });
        let mut names: Vec<String> = names.collect();
        if facts.exports_imports && !names.is_empty() {
            let others = self.used_elsewhere(&names);
            names.retain(|name| !others.contains(name));
        }
        change.remove_imports(facts, &self.after, &names);
    }

    /// Returns whether an import has no other purpose than the names that it binds.
    fn may_be_removed(&self, import: &Import) -> bool {
        let guard = layout::guard_of(self.file.after.source(), import);
        let is_for_types = guard.is_some_and(|guard| self.modules.facts.is_type_guard(&guard));
        import.kind != ImportKind::Language && (import.is_top() || is_for_types)
    }

    /// Returns whether other files or functions may use any import of the file.
    fn may_export_imports(&self) -> bool {
        let facts = self.modules.facts;
        let is_package = self.file.path.file_stem() == Some(facts.package.as_str());
        let looks_up = facts.lookups.iter().any(|name| self.after.uses(name));
        facts.exports_imports && is_package || looks_up
    }

    /// Returns the names that other files may import from this file.
    fn used_elsewhere(&self, names: &[String]) -> BTreeSet<String> {
        let stem = self.file.path.file_stem().unwrap_or_default().to_string();
        let words: Vec<String> = names.iter().cloned().chain([stem]).collect();
        let found = self
            .modules
            .project
            .files_with(&words, &self.modules.facts.extensions);
        let own = Some(Denoted::Module(self.file.path.clone()));
        let mut used = BTreeSet::new();
        for parsed in &found.files {
            let path = Utf8Path::new(parsed.source().path());
            let other = FileNames::from_parsed(parsed);
            for access in other.all_accesses() {
                let first = access.value.split('.').next().unwrap_or_default();
                let items = items_bound(&other, access, first);
                if names.contains(&access.member)
                    && self.resolver.value(path, &items, &access.value) == own
                {
                    used.insert(access.member.clone());
                }
            }
            for import in &other.imports {
                let module = import.module_text();
                if self.modules.file_of(path, module).as_ref() != Some(&self.file.path) {
                    continue;
                }
                used.extend(import.items.iter().map(|item| item.name.clone()));
                if import.star.is_some() && self.after.listed.is_none() {
                    used.extend(names.iter().cloned());
                }
            }
        }
        used
    }

    /// Adds and removes imports of packages.
    fn packages(&mut self, facts: &PackageFacts, change: &mut FileChange) {
        let path = self.file.path.clone();
        let own = FileSpecs::from_parsed(self.file.after);
        let old = FileSpecs::from_parsed(self.file.before);
        let given = SpecNames::new(&self.modules, facts, &path, &self.after, &own);
        let given_before = SpecNames::new(&self.modules, facts, &path, &self.before, &old);
        let used_before = values(&self.before, |_| true);
        let is_missing = |name: &String| {
            // An import whose name is not known may give it.
            let is_known = !self.file.is_whole && used_before.contains_key(name);
            self.after.bindings(name).is_empty() && !given.by_name.contains_key(name) && !is_known
        };
        let added = values(&self.after, |span| self.is_added(span)).into_iter();
        let mut missing: Vec<(String, Span)> = added.filter(|(name, _)| is_missing(name)).collect();
        let project = self.modules.project;
        let extensions = &self.modules.facts.extensions;
        let of_package = project.folder(folder(&path), extensions);
        let of_package: BTreeSet<String> = of_package
            .iter()
            .flat_map(|file| {
                let names = FileNames::from_parsed(file);
                names.file_names().map(str::to_string).collect::<Vec<_>>()
            })
            .collect();
        missing.retain(|(name, _)| !of_package.contains(name));
        let mut unused = self.unused_specs(&given_before, &old, missing.is_empty());
        // One of the imports whose names are not known may give it.
        let standard = &self.modules.facts.standard;
        let mut unknown = given.unknown.iter();
        let may_be_given = self.file.is_whole
            && unknown.any(|index| !standard.contains(&own.all[*index].spec.path));
        for (name, span) in missing {
            let mut sources: BTreeMap<String, Spec> = BTreeMap::new();
            for file in project
                .files_with(std::slice::from_ref(&name), extensions)
                .files
            {
                let specs = FileSpecs::from_parsed(&file);
                let names = FileNames::from_parsed(&file);
                let other = Utf8Path::new(file.source().path());
                let given = SpecNames::new(&self.modules, facts, other, &names, &specs);
                if let Some(index) = given.by_name.get(&name) {
                    let spec = &specs.all[*index].spec;
                    sources.insert(spec.path.clone(), spec.clone());
                }
            }
            if sources.is_empty() {
                let standard = self.modules.facts.standard.iter();
                let last = |path: &str| path.rsplit(facts.separator.as_str()).next() == Some(&name);
                let standard = standard.filter(|path| last(path));
                sources.extend(standard.map(|path| (path.clone(), Spec::plain(facts, path))));
            }
            if let Some(path) = self.chosen.get(&name) {
                let known = sources.remove(path);
                change.want_spec(known.unwrap_or_else(|| Spec::plain(facts, path)));
                continue;
            }
            let line = self.file.after.source().line_of(span.start());
            match sources.len() {
                count if may_be_given || count == 0 => self.unknown.push((name, line)),
                1 => sources.into_values().for_each(|one| change.want_spec(one)),
                _ => self.unclear.push(UnclearName {
                    name,
                    parsed: self.file.after.clone(),
                    span,
                    modules: sources.into_keys().collect(),
                }),
            }
        }
        unused.retain(|one| !one.is_blank(facts) && !facts.own.contains(&one.path));
        let gone = own.all.iter().enumerate();
        let gone = gone.filter(|(_, one)| unused.contains(&one.spec));
        let gone: Vec<usize> = gone.map(|(index, _)| index).collect();
        if !gone.is_empty() {
            change.extend(specs::removed(self.file.after, &own, &gone).unwrap_or_default());
        }
    }
}

impl Organizer<'_> {
    /// Returns the imports of packages whose names no code uses. `are_all_known` is whether each name of the code is known to
    /// have its definition; then an import whose name is not known is not used, if the names of the others are no guesses.
    fn unused_specs(&self, given: &SpecNames, own: &FileSpecs, are_all_known: bool) -> Vec<Spec> {
        let used = values(&self.after, |_| true);
        let named = given.by_name.iter();
        let named = named.filter(|(name, _)| !used.contains_key(*name));
        let named = named.map(|(_, index)| *index);
        let standard = &self.modules.facts.standard;
        let unnamed = given.unknown.iter().copied().filter(|index| {
            let is_known = are_all_known && !given.has_guesses
                || standard.contains(&own.all[*index].spec.path);
            self.file.is_whole && is_known
        });
        let all = named.chain(unnamed);
        all.map(|index| own.all[index].spec.clone()).collect()
    }
}

/// Returns the module that an import names.
fn module_of(wanted: &Wanted) -> &str {
    match wanted.form {
        ItemForm::Module => &wanted.name,
        _ => &wanted.module,
    }
}
