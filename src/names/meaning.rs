//! What an identifier means, as far as the scopes of its file and the import statements of the project prove it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::parse::Parsed;
use crate::source::Span;

use super::Project;
use super::facts::{ImportFacts, ModulePaths};
use super::file_names::{FileNames, script_of};
use super::modules::Modules;
use super::resolve::{Denoted, FILES, Resolver};
use super::statements::{Import, ImportItem, ImportKind, ItemForm, item_bound_at};
use super::users::items_bound;

/// What an identifier means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// What these places bind, each in its file. Without a place, it is not a name that a file of the project defines.
    Bound(Vec<(Utf8PathBuf, Span)>),
    /// A name of this absolute module, of which no file is known.
    OfModule(String),
    Unknown,
}

/// The meanings of identifiers in the files of a project.
pub(crate) struct Meanings<'p> {
    project: &'p dyn Project,
    /// By language.
    resolvers: RefCell<HashMap<&'static str, Rc<Resolver<'p>>>>,
}

impl<'p> Meanings<'p> {
    pub(crate) fn new(project: &'p dyn Project) -> Meanings<'p> {
        Meanings {
            project,
            resolvers: RefCell::default(),
        }
    }

    /// Returns what the identifier at a place means.
    pub(crate) fn at(&self, parsed: &Parsed, span: Span) -> Meaning {
        let Some(resolver) = self.resolver(parsed) else {
            return Meaning::Unknown;
        };
        let path = Utf8Path::new(parsed.source().path());
        let Some(names) = resolver.names(path) else {
            return Meaning::Unknown;
        };
        let name = parsed.source().slice(span);
        for import in &names.imports {
            let found = import.items.iter().find(|item| item.span.contains(span));
            if let Some(item) = found {
                return match item.bound.1 == span && is_own_name(item) {
                    true => Meaning::Bound(vec![(path.to_owned(), span)]),
                    false => item_meaning(&resolver, path, import, item),
                };
            }
        }
        let mut listed = names.listed.iter().flatten();
        if listed.any(|one| one.span.contains(span) && one.name == name) {
            return bound(&resolver, path, &names, names.bindings(&name));
        }
        if let Some((_, bindings)) = names.bindings_of_use(span) {
            return bound(&resolver, path, &names, bindings);
        }
        let accesses = names.all_accesses().iter();
        let mut accesses = accesses.filter(|one| one.span.end() == span.end());
        let Some(access) = accesses.find(|one| one.member == name) else {
            return Meaning::Unknown;
        };
        let first = access.value.split('.').next().unwrap_or_default();
        let items = items_bound(&names, access, first);
        let whole = format!("{}.{name}", access.value);
        match (resolver.value(path, &items, &whole), &items[..]) {
            (Some(denoted), _) => of_denoted(&resolver, denoted),
            // It may be a member of something else than the module, unless no file of the module is known.
            (None, [(import, item)]) => match item_meaning(&resolver, path, import, item) {
                outside @ Meaning::OfModule(_) => outside,
                _ => Meaning::Unknown,
            },
            (None, _) => Meaning::Unknown,
        }
    }

    /// Returns what follows names of the language of a file, or of the scripts in it.
    fn resolver(&self, parsed: &Parsed) -> Option<Rc<Resolver<'p>>> {
        let language = parsed.source().language().name;
        if let Some(known) = self.resolvers.borrow().get(language) {
            return Some(known.clone());
        }
        let facts = ImportFacts::for_language(language).or_else(|| {
            let script = script_of(parsed)?;
            ImportFacts::for_language(script.source().language().name)
        })?;
        let project = self.project;
        let resolver = Rc::new(Resolver::new(Modules { project, facts }));
        let mut known = self.resolvers.borrow_mut();
        Some(known.entry(language).or_insert(resolver).clone())
    }
}

/// Returns the meaning of a name that a file binds at these places.
fn bound(
    resolver: &Resolver<'_>,
    path: &Utf8Path,
    names: &FileNames,
    bindings: &[Span],
) -> Meaning {
    let mut all = Vec::new();
    for binding in bindings {
        match item_bound_at(&names.imports, *binding) {
            None => all.push((path.to_owned(), *binding)),
            Some((_, item)) if is_own_name(item) => all.push((path.to_owned(), *binding)),
            Some((import, item)) => match item_meaning(resolver, path, import, item) {
                Meaning::Bound(places) => all.extend(places),
                other if bindings.len() == 1 => return other,
                _ => return Meaning::Unknown,
            },
        }
    }
    match bindings.is_empty() {
        true => Meaning::Unknown,
        false => Meaning::Bound(all),
    }
}

/// Returns whether the name that an import binds is the file's own: an alias, or that of a default export or a module.
fn is_own_name(item: &ImportItem) -> bool {
    item.alias.is_some() || item.form != ItemForm::Named
}

fn item_meaning(
    resolver: &Resolver<'_>,
    path: &Utf8Path,
    import: &Import,
    item: &ImportItem,
) -> Meaning {
    match resolver.item(path, import, item, FILES) {
        Some(denoted) => of_denoted(resolver, denoted),
        None => of_module(resolver, path, import, item),
    }
}

fn of_denoted(resolver: &Resolver<'_>, denoted: Denoted) -> Meaning {
    match denoted {
        Denoted::Module(_) => Meaning::Bound(Vec::new()),
        Denoted::Item(file, name) => {
            let names = resolver.names(&file);
            let spans = names.map(|names| names.bindings(&name).to_vec());
            let all = spans.into_iter().flatten();
            Meaning::Bound(all.map(|span| (file.clone(), span)).collect())
        }
    }
}

/// Returns the meaning of an item that no file is known to define.
fn of_module(
    resolver: &Resolver<'_>,
    path: &Utf8Path,
    import: &Import,
    item: &ImportItem,
) -> Meaning {
    let modules = &resolver.modules;
    let module = match import.kind {
        ImportKind::Modules => &item.name,
        _ => import.module_text(),
    };
    let is_absolute = modules.facts.modules == ModulePaths::Dotted && !modules.is_relative(module);
    match modules.file_of(path, module) {
        Some(file) => {
            // The file may get the name in another way than by a statement.
            let parsed = modules.project.parsed(&file);
            let may_have = parsed.is_none_or(|parsed| {
                let text = parsed.source().text();
                text.contains('*') || text.contains(&item.name)
            });
            match may_have {
                true => Meaning::Unknown,
                false => Meaning::Bound(Vec::new()),
            }
        }
        None if is_absolute => Meaning::OfModule(module.to_string()),
        None => Meaning::Unknown,
    }
}
