//! Decides by scopes and imports whether an identifier that a server does not resolve is the renamed symbol.
//!
//! Input: an identifier with the old name. Output: a [`Proof`]. An identifier that is bound in its file is the renamed
//! symbol if the rename changes all its bindings, and another one if it changes none. An import is the renamed symbol if
//! it names the file that defines it. Everything else is not decided.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::PlaceReason;
use crate::locate::is_word;
use crate::names::FileNames;
use crate::parse::{Node, Parsed};
use crate::source::Span;
use crate::workspace::WorkspacePath;

use super::Engine;
use super::reach::is_bare;
use super::unrenamed::{Renamed, Uses, is_in_import, is_mention};

/// The names of files that are named by their directory.
const DIRECTORY_FILES: [&str; 3] = ["__init__", "index", "mod"];

/// What scopes and imports prove about an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It is the renamed symbol.
    Renamed(PlaceReason),
    /// It is another symbol.
    Other,
    /// Nothing.
    Unknown,
}

/// The module that an import names.
enum Module {
    File(Utf8PathBuf),
    /// It is not part of the workspace.
    Outside,
    Unknown,
}

/// The scopes and imports of the workspace, relative to a rename.
pub(super) struct Scopes<'r> {
    engine: &'r Engine,
    renamed: &'r Renamed<'r>,
    /// All files of the workspace.
    files: Vec<Utf8PathBuf>,
    names: RefCell<HashMap<Utf8PathBuf, Rc<FileNames>>>,
}

impl<'r> Scopes<'r> {
    pub(super) fn new(engine: &'r Engine, renamed: &'r Renamed<'r>, all: &[WorkspacePath]) -> Self {
        let files = all.iter().map(|file| file.absolute().to_owned()).collect();
        Scopes {
            engine,
            renamed,
            files,
            names: RefCell::default(),
        }
    }

    /// Returns what is proven about an identifier. `left` are the places that may be uses, as far as the server knows.
    pub(super) fn proof(&self, path: &Utf8Path, parsed: &Parsed, span: Span, left: &Uses) -> Proof {
        if is_in_import(parsed, span) {
            return self.import_proof(path, parsed, span);
        }
        let names = self.names(path, parsed);
        let source = parsed.source();
        if !is_bare(source, span) {
            // `web.name` belongs to the module `web`.
            let root = root_of_path(source.text(), span.start());
            let bindings = root.and_then(|root| names.bindings_of_use(root));
            let is_outside = |binding: &Span| {
                let statement = import_text(parsed, *binding);
                statement.is_some_and(|text| matches!(self.module(path, &text), Module::Outside))
            };
            return match bindings {
                Some((_, all)) if all.iter().all(is_outside) => Proof::Other,
                _ => Proof::Unknown,
            };
        }
        let name = source.slice(span);
        let bindings = match is_mention(&parsed.chain(span)) {
            // A string in a list of exports names what the file binds.
            true => names.bindings(&name),
            false => names.bindings_of_use(span).map_or(&[][..], |found| found.1),
        };
        let all = bindings.iter().map(|binding| {
            if self.renamed.changes(path, *binding) {
                Proof::Renamed(PlaceReason::InScope)
            } else if is_in_import(parsed, *binding) {
                match self.import_proof(path, parsed, *binding) {
                    Proof::Renamed(_) => Proof::Renamed(PlaceReason::InScope),
                    proof => proof,
                }
            } else if left.contains_key(&(path.to_owned(), *binding)) {
                Proof::Unknown
            } else {
                Proof::Other
            }
        });
        all.reduce(|one, other| if one == other { one } else { Proof::Unknown })
            .unwrap_or(Proof::Unknown)
    }

    /// Returns what is proven about a name in an import, by the file that the import names.
    fn import_proof(&self, path: &Utf8Path, parsed: &Parsed, span: Span) -> Proof {
        let chain = parsed.chain(span);
        let import = chain.iter().rfind(|node| node.is_word("import", None));
        let Some(import) = import else {
            return Proof::Unknown;
        };
        let text = parsed.source().slice(import.span());
        let before = &text[..span.start() - import.span().start()];
        let is_alias = last_word(before) == "as";
        // Outside the braces, it is the file's own name of a default export.
        let is_own = quoted(&text).is_some() && before.rfind('{') <= before.rfind('}');
        if is_alias || is_own {
            return Proof::Other;
        }
        let file = match self.module(path, &text) {
            Module::File(file) => file,
            Module::Outside => return Proof::Other,
            Module::Unknown => return Proof::Unknown,
        };
        let Ok((_, defining)) = self.engine.parsed(file.as_str()) else {
            return Proof::Unknown;
        };
        let name = parsed.source().slice(span);
        let names = self.names(&file, &defining);
        let bindings = names.bindings(&name);
        let is_changed = |binding: &Span| self.renamed.changes(&file, *binding);
        let is_import = |binding: &Span| is_in_import(&defining, *binding);
        if bindings.is_empty() {
            // It may export all names of another file.
            let text = defining.source().text();
            let may_export = text.contains('*') || text.contains(&*name);
            return match may_export {
                true => Proof::Unknown,
                false => Proof::Other,
            };
        }
        if bindings.iter().all(is_changed) {
            Proof::Renamed(PlaceReason::Imported)
        } else if bindings.iter().any(|one| is_changed(one) || is_import(one)) {
            Proof::Unknown
        } else {
            Proof::Other
        }
    }

    fn names(&self, path: &Utf8Path, parsed: &Parsed) -> Rc<FileNames> {
        let mut names = self.names.borrow_mut();
        let known = names.entry(path.to_owned());
        known
            .or_insert_with(|| Rc::new(FileNames::of(parsed)))
            .clone()
    }

    /// Returns the module that an import statement names.
    fn module(&self, path: &Utf8Path, statement: &str) -> Module {
        let folder = path.parent().unwrap_or(path);
        if let Some(file) = quoted(statement) {
            return match file.starts_with('.') {
                true => self.file_of(&joined(folder, file)),
                false => Module::Unknown,
            };
        }
        let mut words = statement.split_whitespace();
        let (first, second) = (words.next(), words.next().unwrap_or_default());
        let dotted = second.trim_end_matches([',', ';']);
        let is_module = dotted.chars().all(|c| is_word(c) || c == '.');
        if !is_module || !matches!(first, Some("from" | "import")) {
            return Module::Unknown;
        }
        let name = dotted.trim_start_matches('.');
        let relative = Utf8PathBuf::from(name.replace('.', "/"));
        match dotted.len() - name.len() {
            0 => self.module_named(&relative),
            dots => match path.ancestors().nth(dots) {
                Some(folder) => self.file_of(&folder.join(relative)),
                None => Module::Unknown,
            },
        }
    }

    /// Returns the only file of a module with this path in any directory of the workspace.
    fn module_named(&self, module: &Utf8Path) -> Module {
        let mut found = self
            .files
            .iter()
            .filter(|file| module_paths(file).any(|own| own.ends_with(module)));
        match (found.next(), found.next()) {
            (Some(only), None) => return Module::File(only.clone()),
            (Some(_), Some(_)) => return Module::Unknown,
            (None, _) => {}
        }
        let first = module.iter().next();
        let is_here = self.files.iter().any(|file| {
            let parts = file.parent().into_iter().flat_map(Utf8Path::iter);
            let mut parts = parts.chain(file.file_stem());
            parts.any(|part| first.is_some_and(|first| part.replace('-', "_") == first))
        });
        match is_here || first.is_none() {
            true => Module::Unknown,
            false => Module::Outside,
        }
    }

    /// Returns the file that an import names by its path, with or without its extension.
    fn file_of(&self, path: &Utf8Path) -> Module {
        // `./a.js` also names `a.ts`.
        let language = self.engine.workspace.language_of(path);
        let bare = language.map_or_else(|| path.to_owned(), |_| path.with_extension(""));
        let is_it =
            |file: &&Utf8PathBuf| *file == path || module_paths(file).any(|own| own == bare);
        let found = self.files.iter().find(is_it);
        found.cloned().map_or(Module::Unknown, Module::File)
    }
}

/// Returns whether the text of a place is only the name of one symbol. A short form of a field (`{ name }`) also names a
/// variable.
pub(super) fn is_whole_name(parsed: &Parsed, span: Span, name: &str) -> bool {
    let is_short_form = |node: &Node<'_>| node.kind().contains("shorthand");
    let chain = parsed.chain(span);
    parsed.source().slice(span) == name && !chain.iter().rev().take(2).any(is_short_form)
}

/// Returns the paths of a file as a module: without its extension, and that of its directory if that names it.
fn module_paths(file: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    let is_of_directory = file
        .file_stem()
        .is_some_and(|stem| DIRECTORY_FILES.contains(&stem));
    let of_directory = file.parent().filter(|_| is_of_directory);
    let own = file.with_extension("");
    [own]
        .into_iter()
        .chain(of_directory.map(Utf8Path::to_owned))
}

/// Returns the text of the import that contains a span.
fn import_text(parsed: &Parsed, span: Span) -> Option<String> {
    let chain = parsed.chain(span);
    let import = chain.iter().rfind(|node| node.is_word("import", None))?;
    Some(parsed.source().slice(import.span()).into_owned())
}

/// Returns the last string of an import: `./a` in `import { name } from "./a"`.
fn quoted(import: &str) -> Option<&str> {
    let text = import.trim_end().trim_end_matches(';').trim_end();
    let quote = text.chars().next_back().filter(|c| "\"'`".contains(*c))?;
    let inner = &text[..text.len() - 1];
    let start = inner.rfind(quote)? + 1;
    Some(&inner[start..])
}

fn last_word(text: &str) -> &str {
    let text = text.trim_end();
    &text[text.trim_end_matches(is_word).len()..]
}

/// Returns the first name of the path before a name: `a` in `a.b.name`.
fn root_of_path(text: &str, start: usize) -> Option<Span> {
    let path = text[..start].trim_end_matches(|c| is_word(c) || c == '.');
    let names = &text[path.len()..start];
    let first = names.split('.').next().filter(|name| !name.is_empty())?;
    Some(Span::new(path.len(), path.len() + first.len()))
}

/// Joins a relative path to a directory, without `.` and `..` in the result.
fn joined(folder: &Utf8Path, relative: &str) -> Utf8PathBuf {
    let mut path = folder.to_owned();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_read() {
        assert_eq!(quoted("import { a } from \"./b\";"), Some("./b"));
        assert_eq!(quoted("export { a }"), None);
        assert_eq!(joined(Utf8Path::new("/a/b"), "../c/./d"), "/a/c/d");
        assert_eq!(last_word("import a as "), "as");
        let paths = |file| -> Vec<Utf8PathBuf> { module_paths(Utf8Path::new(file)).collect() };
        assert_eq!(paths("/a/b.py"), ["/a/b"]);
        assert_eq!(paths("/a/__init__.py"), ["/a/__init__", "/a"]);
        let root = |text: &str| root_of_path(text, text.len() - "name".len());
        assert_eq!(root("f(a.b.name"), Some(Span::new(2, 3)));
        assert_eq!(root("f().name"), None);
    }
}
