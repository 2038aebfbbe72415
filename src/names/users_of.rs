//! The uses of the names that deleted code defines, in its own file and in those that import it.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::parse::Parsed;
use crate::source::{Source, Span};

use super::Project;
use super::facts::ImportFacts;
use super::file_names::{FileNames, words};
use super::modules::{Modules, folder};
use super::resolve::{Denoted, FILES, Resolver};
use super::specs::FileSpecs;
use super::users::items_bound;

/// A use of a name.
#[derive(Clone, Debug)]
pub(crate) struct NameUser {
    pub(crate) parsed: Arc<Parsed>,
    pub(crate) span: Span,
}

/// Returns the uses of the names that the file binds in some spans, or `None` if it binds none there.
pub(crate) fn users_of(
    parsed: &Arc<Parsed>,
    removed: &[Span],
    project: &dyn Project,
    facts: &ImportFacts,
) -> Option<Vec<NameUser>> {
    let path = Utf8PathBuf::from(parsed.source().path());
    let own = FileNames::from_parsed(parsed);
    let bound = removed.iter().flat_map(|span| own.bound_in(*span));
    let names: Vec<String> = bound.map(str::to_string).collect();
    if names.is_empty() {
        return None;
    }
    let is_removed = |span: Span| removed.iter().any(|one| one.contains(span));
    let user = |parsed: &Arc<Parsed>, span: Span| NameUser {
        parsed: parsed.clone(),
        span,
    };
    let listed = own.listed.iter().flatten().map(|one| (one.span, &one.name));
    let uses = own.free_uses().map(|one| (one.span, &one.name));
    let inside = uses
        .chain(listed)
        .filter(|(span, name)| names.contains(name) && !is_removed(*span));
    let mut users: Vec<NameUser> = inside.map(|(span, _)| user(parsed, span)).collect();
    let resolver = Resolver::new(Modules { project, facts });
    for file in project.files_with(&names, &facts.extensions).files {
        let other = Utf8Path::new(file.source().path());
        if other == path {
            continue;
        }
        let found = FileNames::from_parsed(&file);
        if facts.packages.is_some() {
            let uses = of_package(&path, other, &file, &found, &names);
            users.extend(uses.into_iter().map(|span| user(&file, span)));
            continue;
        }
        for import in &found.imports {
            let is_own = import.star.is_some()
                && resolver
                    .modules
                    .file_of(other, import.module_text())
                    .as_ref()
                    == Some(&path);
            let uses = found.free_uses().filter(|one| {
                is_own && names.contains(&one.name) && found.bindings(&one.name).is_empty()
            });
            users.extend(uses.map(|one| user(&file, one.span)));
            for item in &import.items {
                let denoted = resolver.item(other, import, item, FILES);
                if let Some(Denoted::Item(file_path, name)) = denoted
                    && file_path == path
                    && names.contains(&name)
                {
                    users.push(user(&file, item.span));
                }
            }
        }
        for access in found.all_accesses() {
            let first = access.value.split('.').next().unwrap_or_default();
            let items = items_bound(&found, access, first);
            let is_own = names.contains(&access.member)
                && resolver.value(other, &items, &access.value)
                    == Some(Denoted::Module(path.clone()));
            if is_own {
                users.push(user(&file, access.span));
            }
        }
    }
    Some(users)
}

/// Returns the uses, in the text after an edit, of the names that the file bound in removed spans and that nothing binds any
/// longer. Returns `None` if there are none.
pub(crate) fn unbound_uses(
    before: &Parsed,
    removed: &[Span],
    after: &Source,
) -> Option<(Vec<(String, Span)>, Parsed)> {
    ImportFacts::for_language(before.source().language().name).filter(|_| !removed.is_empty())?;
    let before = FileNames::from_parsed(before);
    let bound: BTreeSet<&str> = removed
        .iter()
        .flat_map(|span| before.bound_in(*span))
        .collect();
    // The text is only parsed if it has such a word.
    words(after.text()).find(|(_, word)| bound.contains(word))?;
    let parsed = Parsed::parse(after.clone());
    let names = FileNames::from_parsed(&parsed);
    let is_left = |name: &str| bound.contains(name) && names.bindings(name).is_empty();
    let uses = names.free_uses().filter(|one| is_left(&one.name));
    let uses = uses.map(|one| (one.name.clone(), one.span)).collect();
    Some((uses, parsed))
}

/// Returns the uses in another file of names that the files of a package share: by their names in files of the package, and
/// as members of packages whose path ends as that of the folder in other files.
fn of_package(
    path: &Utf8Path,
    other: &Utf8Path,
    file: &Parsed,
    found: &FileNames,
    names: &[String],
) -> Vec<Span> {
    let own = folder(path);
    if folder(other) == own {
        let uses = found.free_uses().filter(|one| names.contains(&one.name));
        let uses = uses.filter(|one| found.bindings(&one.name).is_empty());
        return uses.map(|one| one.span).collect();
    }
    let last = own.file_name().unwrap_or_default();
    let imports = FileSpecs::from_parsed(file).all;
    if !imports.iter().any(|one| one.spec.path.ends_with(last)) {
        return Vec::new();
    }
    let members = found
        .free_accesses()
        .filter(|one| names.contains(&one.member));
    members.map(|one| one.span).collect()
}
