//! Whether files would import each other while they are loaded.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::parse::Parsed;
use crate::source::Span;

use super::ProblemKind;
use super::file_names::FileNames;
use super::modules::Modules;
use super::moving::Plan;
use super::statements::{Import, ImportKind, ImportPlace, item_bound_at};

/// The maximum number of files to follow.
const FILES: usize = 2_000;

/// Imports of files by files, and whether the importing file needs one of the names while it is loaded.
pub(super) type Edges = BTreeMap<(Utf8PathBuf, Utf8PathBuf), bool>;

/// The files that each file imports while it is loaded.
pub(super) struct Loading<'m> {
    modules: Modules<'m>,
    known: BTreeMap<Utf8PathBuf, BTreeSet<Utf8PathBuf>>,
}

impl Plan<'_> {
    /// Looks for new imports by which a file imports itself through others.
    pub(super) fn loading(&mut self) {
        let moved = self.moved;
        let mut loading = Loading::new(self.resolver.modules);
        loading.read(&moved.old_path, moved.after);
        loading.read(&moved.target_path, moved.target);
        let edges = self.edges.clone();
        for ((from, to), is_early) in &edges {
            if from == to {
                continue;
            }
            if loading.loads(from, to) && !is_early && !self.facts.refuses_circular {
                continue;
            }
            if let Some(through) = loading.through(to, from, &edges) {
                // Whether another order of loading works too cannot be proven.
                let was = !self.facts.refuses_circular && self.was_circular(&mut loading, from, to);
                if !was {
                    self.circular(from, to, (&through, ProblemKind::Circular));
                }
                continue;
            }
            // Of several files that import each other, the first may have to be a certain one.
            let was_loaded = loading.through(from, to, &Edges::new()).is_some();
            if !was_loaded && let Some(through) = loading.through(to, to, &edges) {
                self.circular(from, to, (&through, ProblemKind::LoadOrder));
            }
        }
    }

    /// Returns whether the old file already made the import, so that the order of loading is as before.
    fn was_circular(&self, loading: &mut Loading<'_>, from: &Utf8Path, to: &Utf8Path) -> bool {
        let moved = self.moved;
        let is_of_target = from == moved.target_path && to != moved.old_path;
        let is_of_user = to == moved.target_path && from != moved.old_path;
        let none = Edges::new();
        match () {
            () if is_of_target => loading.through(to, &moved.old_path, &none).is_some(),
            () if is_of_user => loading.through(&moved.old_path, from, &none).is_some(),
            () => false,
        }
    }

    fn circular(
        &mut self,
        from: &Utf8Path,
        to: &Utf8Path,
        (through, kind): (&Utf8Path, ProblemKind),
    ) {
        let moved = self.moved;
        let name = match to == moved.target_path {
            true => self.names.first().cloned().unwrap_or_default(),
            false => through.to_string(),
        };
        // Where the code needs the import, in the text before the move.
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let uses: Vec<_> = self.before.free_uses().cloned().collect();
        let mut uses = uses.into_iter();
        let span = match from == moved.target_path {
            true => uses.find(|one| {
                let bindings = self.before.bindings(&one.name);
                let mut outside = bindings.iter().filter(|binding| !is_removed(**binding));
                is_removed(one.span)
                    && outside.any(|binding| self.defining_file(*binding) == Some(to.to_owned()))
            }),
            false => uses.find(|one| self.names.contains(&one.name) && !is_removed(one.span)),
        };
        let span = span.map(|one| one.span).or(moved.nodes.first().copied());
        let (parsed, span) = (moved.before, span.unwrap_or(Span::at(0)));
        self.problem(parsed, span, &name, kind);
    }

    /// Returns the file that defines a name of the old file: the old file itself, or the one that it imports the name from.
    fn defining_file(&self, binding: Span) -> Option<Utf8PathBuf> {
        let old = &self.moved.old_path;
        match item_bound_at(&self.before.imports, binding) {
            None => Some(old.clone()),
            Some((import, item)) => {
                let module = match import.kind {
                    ImportKind::Modules => item.name.as_str(),
                    _ => import.module_text(),
                };
                self.resolver.modules.file_of(old, module)
            }
        }
    }
}

impl<'m> Loading<'m> {
    pub(super) fn new(modules: Modules<'m>) -> Loading<'m> {
        Loading {
            modules,
            known: BTreeMap::new(),
        }
    }

    /// Returns the last file on the way, if loading `start` loads `wanted`.
    pub(super) fn through(
        &mut self,
        start: &Utf8Path,
        wanted: &Utf8Path,
        edges: &Edges,
    ) -> Option<Utf8PathBuf> {
        let mut open = self.modules.packages(wanted, start);
        open.push(start.to_owned());
        let mut known: BTreeSet<Utf8PathBuf> = open.iter().cloned().collect();
        while let Some(path) = open.pop() {
            let own = self.loaded(&path).clone();
            let new = edges.keys().filter(|(from, _)| *from == path);
            let new = new.flat_map(|(_, to)| {
                let packages = self.modules.packages(&path, to);
                std::iter::once(to.clone()).chain(packages)
            });
            for next in own.into_iter().chain(new) {
                if next == wanted {
                    return Some(path);
                }
                if known.len() < FILES && known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        None
    }

    /// Returns whether a file imports another while it is loaded.
    pub(super) fn loads(&mut self, from: &Utf8Path, to: &Utf8Path) -> bool {
        self.loaded(from).contains(to)
    }

    fn loaded(&mut self, path: &Utf8Path) -> &BTreeSet<Utf8PathBuf> {
        let modules = self.modules;
        let own = self.known.entry(path.to_owned());
        own.or_insert_with(|| {
            let parsed = modules.project.parsed(path);
            parsed
                .map(|parsed| loaded_by(modules, path, &parsed))
                .unwrap_or_default()
        })
    }

    /// Takes the imports of a file from this text.
    pub(super) fn read(&mut self, path: &Utf8Path, parsed: &Parsed) {
        let loaded = loaded_by(self.modules, path, parsed);
        self.known.insert(path.to_owned(), loaded);
    }
}

/// Returns the files that a file imports while it is loaded.
fn loaded_by(modules: Modules<'_>, path: &Utf8Path, parsed: &Parsed) -> BTreeSet<Utf8PathBuf> {
    let mut loaded = BTreeSet::new();
    for import in FileNames::from_parsed(parsed).imports {
        if import.is_type || is_later(modules, parsed, &import) {
            continue;
        }
        let mut add = |module: &str| {
            loaded.extend(modules.file_of(path, module));
        };
        match import.kind {
            ImportKind::Modules => import.items.iter().for_each(|item| add(&item.name)),
            ImportKind::Language => {}
            ImportKind::Items | ImportKind::Export => {
                let module = import.module_text();
                let of_items = import.items.iter();
                let inner = of_items.filter_map(|item| modules.submodule(module, &item.name));
                let inner: Vec<String> = inner.collect();
                let mut is_inner = false;
                for one in &inner {
                    if let Some(file) = modules.file_of(path, one) {
                        is_inner = true;
                        loaded.insert(file);
                    }
                }
                if !is_inner && import.module.is_some() {
                    loaded.extend(modules.file_of(path, module));
                }
            }
        }
    }
    // A module loads the packages that contain it.
    let packages: Vec<Utf8PathBuf> = loaded
        .iter()
        .flat_map(|file| modules.packages(path, file))
        .collect();
    loaded.extend(packages);
    loaded.remove(path);
    loaded
}

/// Returns whether a statement runs after its file is loaded, or only for type checkers.
fn is_later(modules: Modules<'_>, parsed: &Parsed, import: &Import) -> bool {
    match import.place {
        ImportPlace::File | ImportPlace::Part { .. } => false,
        ImportPlace::Block(guard) => modules.facts.is_type_guard(&parsed.source().slice(guard)),
        ImportPlace::Inside { is_deferred } => is_deferred,
    }
}
