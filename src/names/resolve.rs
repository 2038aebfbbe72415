//! What a name or a dotted value denotes: a module, or an item that a file of the project defines.
//!
//! It follows import statements through the files of the project, also those that export what they import.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::file_names::FileNames;
use super::modules::Modules;
use super::statements::{Import, ImportItem, ImportKind, ItemForm};

/// The maximum number of files on the way from a name to its definition.
pub(super) const FILES: usize = 16;

/// What a name denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Denoted {
    /// A file as a module.
    Module(Utf8PathBuf),
    /// A name that a file defines.
    Item(Utf8PathBuf, String),
}

/// Follows names through the files of a project.
pub(super) struct Resolver<'m> {
    pub(super) modules: Modules<'m>,
    known: RefCell<HashMap<Utf8PathBuf, Option<Arc<FileNames>>>>,
}

impl<'m> Resolver<'m> {
    pub(super) fn new(modules: Modules<'m>) -> Resolver<'m> {
        Resolver {
            modules,
            known: RefCell::default(),
        }
    }

    /// Returns the names of a file of the project.
    pub(super) fn names(&self, path: &Utf8Path) -> Option<Arc<FileNames>> {
        if let Some(known) = self.known.borrow().get(path) {
            return known.clone();
        }
        let parsed = self.modules.project.parsed(path);
        let names = parsed.map(|parsed| Arc::new(FileNames::from_parsed(&parsed)));
        self.known
            .borrow_mut()
            .insert(path.to_owned(), names.clone());
        names
    }

    /// Returns what a dotted value denotes whose first name one of these items binds.
    pub(super) fn value(
        &self,
        path: &Utf8Path,
        items: &[(&Import, &ImportItem)],
        value: &str,
    ) -> Option<Denoted> {
        items
            .iter()
            .find_map(|(import, item)| self.through(path, import, item, value))
    }

    fn through(
        &self,
        path: &Utf8Path,
        import: &Import,
        item: &ImportItem,
        value: &str,
    ) -> Option<Denoted> {
        // `import a.b` binds `a`, and code names the module by its path.
        if item.form == ItemForm::Module && item.alias.is_none() {
            if let Some(file) = self.modules.file_of(path, value) {
                return Some(Denoted::Module(file));
            }
            let (rest, last) = value.rsplit_once('.')?;
            return self.member(self.through(path, import, item, rest)?, last, FILES);
        }
        let mut names = value.split('.').skip(1);
        let first = self.item(path, import, item, FILES)?;
        names.try_fold(first, |of, name| self.member(of, name, FILES))
    }

    /// Returns what an imported item denotes.
    pub(super) fn item(
        &self,
        path: &Utf8Path,
        import: &Import,
        item: &ImportItem,
        files: usize,
    ) -> Option<Denoted> {
        let files = files.checked_sub(1)?;
        match item.form {
            ItemForm::Module => {
                let first = item.name.split('.').next().unwrap_or_default();
                let module = if item.alias.is_some() {
                    &item.name
                } else {
                    first
                };
                self.modules.file_of(path, module).map(Denoted::Module)
            }
            ItemForm::Namespace => self
                .modules
                .file_of(path, import.module_text())
                .map(Denoted::Module),
            ItemForm::Default => {
                let file = self.modules.file_of(path, import.module_text())?;
                self.exported(&file, "default", files)
            }
            ItemForm::Named => self.of_module(path, import.module_text(), &item.name, files),
        }
    }

    /// Returns what a module gives under a name.
    fn of_module(
        &self,
        path: &Utf8Path,
        module: &str,
        name: &str,
        files: usize,
    ) -> Option<Denoted> {
        let file = self.modules.file_of(path, module);
        let own = file.and_then(|file| self.exported(&file, name, files));
        own.or_else(|| {
            let inner = self.modules.submodule(module, name)?;
            self.modules.file_of(path, &inner).map(Denoted::Module)
        })
    }

    fn member(&self, of: Denoted, name: &str, files: usize) -> Option<Denoted> {
        match of {
            Denoted::Module(file) => {
                let own = self.exported(&file, name, files);
                own.or_else(|| self.modules.inner(&file, name).map(Denoted::Module))
            }
            Denoted::Item(..) => None,
        }
    }

    /// Returns what other files get from a file under a name.
    fn exported(&self, path: &Utf8Path, name: &str, files: usize) -> Option<Denoted> {
        let files = files.checked_sub(1)?;
        let names = self.names(path)?;
        let exports_imports = self.modules.facts.exports_imports;
        let items = names.imports.iter().flat_map(|import| {
            let items = import.items.iter();
            items.map(move |item| (import, item))
        });
        let mut given = items.filter(|(import, item)| {
            let is_given = import.kind == ImportKind::Export || exports_imports;
            is_given && item.bound.0 == name
        });
        if let Some((import, item)) = given.next() {
            return self.item(path, import, item, files);
        }
        let export = names.exports.iter().find(|one| one.name == name);
        let local = export.map_or(name, |one| one.local.as_str());
        if export.is_some()
            && let Some(found) = self.imported(path, &names, local, files)
        {
            return Some(found);
        }
        if !names.bindings(local).is_empty() {
            return Some(Denoted::Item(path.to_owned(), local.to_string()));
        }
        let stars = names.imports.iter().filter(|import| {
            import.star.is_some() && (import.kind == ImportKind::Export || exports_imports)
        });
        stars.into_iter().find_map(|import| {
            let file = self.modules.file_of(path, import.module_text())?;
            self.exported(&file, name, files)
        })
    }

    /// Returns what a file imports under a name.
    fn imported(
        &self,
        path: &Utf8Path,
        names: &FileNames,
        name: &str,
        files: usize,
    ) -> Option<Denoted> {
        names.imports.iter().find_map(|import| {
            let is_own =
                |item: &&ImportItem| item.bound.0 == name && import.kind != ImportKind::Export;
            let item = import.items.iter().find(is_own)?;
            self.item(path, import, item, files)
        })
    }
}
