//! Decides which of the places that a server's rename leaves unchanged are uses of the renamed symbol.
//!
//! Input: the preview of a rename and its [`Unrenamed`] places. Output: a [`Completion`]: the places to add, each with
//! what proves it, and those that may belong to another symbol. A place is proven by the server, which lists or resolves
//! it; by the path or the import that names it; or by the scope of the renamed symbol, in a file in which nothing else
//! has the name. Strings are added if they are the path of the symbol, and never doubtful.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::{self, Diagnostic, PlaceReason};
use crate::engine::draft::EditPlan;
use crate::locate::is_word;
use crate::lsp::language_server::LanguageServer;
use crate::parse::{Parsed, Symbol};
use crate::source::Span;

use super::Engine;
use super::clashes::{NameScope, scope};
use super::named_paths::{self, Naming, naming};
use super::place::Asked;
use super::reach::is_bare;
use super::unrenamed::{Renamed, Unrenamed, Uses, is_identifier, is_in_import};
use super::values::Values;

/// The uses that a completed rename adds, and those that may belong to another symbol.
#[derive(Debug, Default)]
pub(super) struct Completion {
    pub(super) added: Uses,
    pub(super) doubtful: Uses,
}

/// How certain it is that a name belongs to the renamed symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    Certain,
    Unclear,
    Other,
}

/// A declaration of the renamed symbol.
#[derive(Debug)]
struct Declared {
    path: Utf8PathBuf,
    kind: &'static str,
    /// The short names of the enclosing symbols.
    containers: Vec<String>,
    /// Whether it belongs to a type, so that a bare name is not the symbol.
    is_member: bool,
}

/// A file with the old name.
struct NamedFile {
    path: Utf8PathBuf,
    parsed: Arc<Parsed>,
    naming: &'static Naming,
    /// The occurrences that the rename does not change.
    identifiers: Vec<Span>,
}

/// What is known about the renamed symbol.
struct Proof<'c> {
    engine: &'c Engine,
    symbol: &'c str,
    renamed: &'c Renamed<'c>,
    declared: Vec<Declared>,
    /// By file the scopes in which the bare name is the renamed symbol.
    scopes: BTreeMap<Utf8PathBuf, Vec<NameScope>>,
    files: BTreeMap<Utf8PathBuf, NamedFile>,
    others: &'c BTreeSet<(Utf8PathBuf, Span)>,
    /// All files of the workspace.
    all: Vec<Utf8PathBuf>,
    added: Uses,
    /// The types of renamed members whose names are keys somewhere.
    keyed: Vec<String>,
}

impl Engine {
    /// Decides which uses of `left` belong to a rename. `server` determines the values of receivers; without it, their
    /// members are not certain.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn completion(
        &self,
        asked: &Asked,
        server: Option<&LanguageServer>,
        plan: &EditPlan,
        new_name: &str,
        left: &Unrenamed,
    ) -> Result<Completion, Diagnostic> {
        let renamed = self.renamed(asked, plan, new_name)?;
        let mut proof = Proof {
            engine: self,
            symbol: &asked.symbol,
            renamed: &renamed,
            declared: Vec::new(),
            scopes: BTreeMap::new(),
            files: BTreeMap::new(),
            others: &left.others,
            all: self
                .files_here()
                .0
                .iter()
                .map(|one| one.absolute().to_owned())
                .collect(),
            added: Uses::new(),
            keyed: Vec::new(),
        };
        proof.read(left)?;
        if left.files.iter().any(|file| !file.mentions.is_empty()) {
            proof.keyed = proof.types_with_keys();
        }
        let mut completion = Completion::default();
        let mut unresolved = Vec::new();
        for ((path, span), why) in &left.uses {
            let is_name = proof.is_whole_name(path, *span);
            match why {
                PlaceReason::Listed | PlaceReason::Resolved if is_name => {
                    proof.add(path, *span, *why);
                }
                PlaceReason::Unresolved if is_name => unresolved.push((path.clone(), *span)),
                // Each string is decided below.
                PlaceReason::NamedInString | PlaceReason::KeyString => {}
                why => {
                    completion.doubtful.insert((path.clone(), *span), *why);
                }
            }
        }
        // An import that is added proves the uses of its file.
        loop {
            let before = unresolved.len();
            let mut rest = Vec::new();
            for (path, span) in unresolved {
                match proof.reason(&path, span) {
                    Some(why) => proof.add(&path, span, why),
                    None => rest.push((path, span)),
                }
            }
            unresolved = rest;
            if unresolved.len() == before || unresolved.is_empty() {
                break;
            }
        }
        let language = asked.parsed.source().language().name;
        let all = proof.all.clone();
        let mut values = server.map(|server| Values::new(self, server, &renamed, &all));
        for (path, span) in unresolved {
            let certainty = match &mut values {
                Some(values) => values.certainty(&path, span),
                None => Ok(Certainty::Unclear),
            };
            match certainty.map_err(|error| diagnostic::about_server(language, &error))? {
                Certainty::Certain => proof.add(&path, span, PlaceReason::MemberOfValue),
                Certainty::Unclear => {
                    completion
                        .doubtful
                        .insert((path, span), PlaceReason::Unresolved);
                }
                Certainty::Other => {}
            }
        }
        for file in &left.files {
            let path = file.path.absolute();
            for mention in &file.mentions {
                let key = (path.to_owned(), mention.span);
                match proof.use_in_string(path, mention.span) {
                    Certainty::Certain => {
                        proof.added.insert(key, PlaceReason::NamedInString);
                    }
                    Certainty::Unclear => {
                        completion.doubtful.insert(key, PlaceReason::NamedInString);
                    }
                    Certainty::Other if proof.may_be_key(path, mention.span) => {
                        completion.doubtful.insert(key, PlaceReason::KeyString);
                    }
                    Certainty::Other => {}
                }
            }
        }
        completion.added = proof.added;
        Ok(completion)
    }
}

impl Proof<'_> {
    /// Reads the files with the name.
    fn read(&mut self, left: &Unrenamed) -> Result<(), Diagnostic> {
        let renamed = self.renamed;
        let occurring = left.files.iter();
        let occurring =
            occurring.filter(|file| !file.identifiers.is_empty() || !file.mentions.is_empty());
        let used = left.uses.keys().map(|(path, _)| path.as_path());
        let paths: BTreeSet<&Utf8Path> = occurring
            .map(|file| file.path.absolute())
            .chain(used)
            .chain(renamed.files.keys().map(Utf8PathBuf::as_path))
            .collect();
        for path in paths {
            let (own, parsed) = self.engine.parsed(path.as_str())?;
            if let Some(file) = renamed.files.get(path)
                && file.before().digest() != parsed.source().digest()
            {
                return Err(diagnostic::about_changed_meanwhile(parsed.source().path()));
            }
            let mut occurring = left.files.iter();
            let found = occurring.find(|file| file.path == own);
            let naming = naming(parsed.source().language().name);
            let file = NamedFile {
                path: path.to_owned(),
                parsed,
                naming,
                identifiers: found
                    .map(|file| file.identifiers.clone())
                    .unwrap_or_default(),
            };
            self.files.insert(path.to_owned(), file);
        }
        for (path, file) in &renamed.files {
            let parsed = self.files[path].parsed.clone();
            for one in file.record().replacements() {
                let Some(span) = renamed.name_in(file.before(), one.span) else {
                    continue;
                };
                if let Some(symbol) = symbol_named(&parsed, span) {
                    let symbols = parsed.outline_with_inner().symbols();
                    let parent = symbols[symbol].parent.map(|parent| &symbols[parent]);
                    self.declared.push(Declared {
                        path: path.clone(),
                        kind: symbols[symbol].kind,
                        containers: containers(&parsed, symbol),
                        is_member: parent
                            .is_some_and(|parent| !is_function(parent) && !is_module(parent)),
                    });
                }
                self.bind(path, &parsed, span);
            }
        }
        Ok(())
    }

    /// Records that a bare name is the renamed symbol in its scope.
    fn bind(&mut self, path: &Utf8Path, parsed: &Parsed, span: Span) {
        if is_bare(parsed.source(), span) || is_in_import(parsed, span) {
            let scopes = self.scopes.entry(path.to_owned()).or_default();
            scopes.push(scope(parsed, span));
        }
    }

    fn add(&mut self, path: &Utf8Path, span: Span, why: PlaceReason) {
        let parsed = self.files[path].parsed.clone();
        if !parsed.chain(span).is_empty() {
            self.bind(path, &parsed, span);
        }
        self.added.insert((path.to_owned(), span), why);
    }

    /// Returns whether a place is exactly the old name, and only names one symbol.
    fn is_whole_name(&self, path: &Utf8Path, span: Span) -> bool {
        let parsed = &self.files[path].parsed;
        let text = parsed.source().text();
        let around = [
            text[..span.start()].chars().next_back(),
            text[span.end()..].chars().next(),
        ];
        let joins = |c: Option<char>| c.is_some_and(is_word);
        // A short form of a field also names a variable.
        let chain = parsed.chain(span);
        let is_short_form = |node: &crate::parse::Node<'_>| node.kind().contains("shorthand");
        parsed.source().slice(span) == self.symbol
            && !around.into_iter().any(joins)
            && !chain.iter().rev().take(2).any(is_short_form)
    }

    /// Returns what proves that an unresolved identifier is a use of the renamed symbol.
    fn reason(&self, path: &Utf8Path, span: Span) -> Option<PlaceReason> {
        let file = &self.files[path];
        let text = file.parsed.source().text();
        if let Some(symbol) = symbol_named(&file.parsed, span) {
            return self
                .is_defined_again(file, symbol)
                .then_some(PlaceReason::DefinedAgain);
        }
        let is_import = is_in_import(&file.parsed, span);
        if let Some(separator) = &file.naming.paths {
            let names = named_paths::path_before(text, span.start(), separator, is_import)?;
            if !names.is_empty() {
                return self
                    .is_path(file, &names, span)
                    .then_some(PlaceReason::NamedByPath);
            }
        }
        if is_import {
            return self
                .is_imported(file, span)
                .then_some(PlaceReason::Imported);
        }
        let is_in_scope = is_bare(file.parsed.source(), span) && self.is_in_scope(file, span);
        is_in_scope.then_some(PlaceReason::InScope)
    }

    /// Returns whether a definition is the renamed symbol for another platform: nothing else distinguishes it from a
    /// renamed definition in the same file or package.
    fn is_defined_again(&self, file: &NamedFile, symbol: usize) -> bool {
        let own = &file.parsed.outline_with_inner().symbols()[symbol];
        let around = containers(&file.parsed, symbol);
        self.declared.iter().any(|one| {
            let is_near = one.path == file.path || self.is_same_package(file, &one.path);
            is_near && one.kind == own.kind && one.containers == around
        })
    }

    fn is_same_package(&self, file: &NamedFile, other: &Utf8Path) -> bool {
        if !file.naming.has_packages || file.path.parent() != other.parent() {
            return false;
        }
        let other = self
            .files
            .get(other)
            .map(|other| other.parsed.source().text());
        let own = named_paths::package(file.parsed.source().text());
        own.is_some()
            && own != Some("main")
            && own == other.and_then(|text| named_paths::package(text))
    }

    /// Returns whether the names before a name are the path of the renamed symbol, and of no other one.
    fn is_path(&self, file: &NamedFile, names: &[String], span: Span) -> bool {
        let symbols = file.parsed.outline_with_inner().symbols();
        let around = scope(&file.parsed, span);
        let inner = around.iter().map(|index| &symbols[*index]);
        let here = || {
            let (root, mut modules) = self.modules(file.naming, &file.path);
            let inner = inner.clone().filter(|symbol| is_module(symbol));
            modules.extend(inner.map(|symbol| symbol.short_name().to_string()));
            (root, modules)
        };
        let (first, rest) = names.split_first().expect("there is a name");
        let wanted = match first.as_str() {
            "crate" | "$crate" => {
                let (root, _) = here();
                (root.is_some()).then(|| (root, rest.to_vec()))
            }
            "self" | "super" => {
                let (root, mut modules) = here();
                let ups = names.iter().filter(|name| *name == "super").count();
                let rest = names
                    .iter()
                    .filter(|name| *name != "super" && *name != "self");
                if ups > modules.len() {
                    return false;
                }
                modules.truncate(modules.len() - ups);
                modules.extend(rest.cloned());
                Some((root, modules))
            }
            "Self" => {
                let own = inner.clone().rfind(|symbol| !is_function(symbol));
                return rest.is_empty()
                    && own.is_some_and(|own| {
                        let mut declared = self.declared.iter();
                        declared.any(|one| {
                            one.path == file.path
                                && one.containers.last().map(String::as_str)
                                    == Some(own.short_name())
                        })
                    });
            }
            _ => None,
        };
        let is_it = |path: &Utf8Path, naming: &Naming, containers: &[String]| {
            let (root, mut modules) = self.modules(naming, path);
            modules.extend(containers.iter().cloned());
            match &wanted {
                Some((wanted_root, wanted)) => root == *wanted_root && modules == *wanted,
                None => modules.ends_with(names),
            }
        };
        let is_declared = self
            .declared
            .iter()
            .any(|one| is_it(&one.path, file.naming, &one.containers));
        is_declared
            && !self.other_definitions().any(|(other, symbol)| {
                is_it(
                    &other.path,
                    other.naming,
                    &containers(&other.parsed, symbol),
                )
            })
    }

    /// Returns the definitions with the name that are not renamed.
    fn other_definitions(&self) -> impl Iterator<Item = (&NamedFile, usize)> {
        self.files.values().flat_map(move |file| {
            let spans = file.identifiers.iter();
            let spans =
                spans.filter(move |span| !self.added.contains_key(&(file.path.clone(), **span)));
            spans.filter_map(move |span| Some((file, symbol_named(&file.parsed, *span)?)))
        })
    }

    /// Returns the directory of the package of a file, and the modules from there to the file.
    fn modules(&self, naming: &Naming, path: &Utf8Path) -> (Option<Utf8PathBuf>, Vec<String>) {
        let root = naming.manifest.as_ref().and_then(|manifest| {
            let mut folders = path.ancestors().skip(1);
            folders.find(|folder| self.all.contains(&folder.join(manifest)))
        });
        let Some(root) = root else {
            return (None, Vec::new());
        };
        let inner = path.strip_prefix(root).unwrap_or(path);
        let mut folders = inner.iter();
        match (folders.next(), folders.as_path()) {
            (Some("src"), inner) => (Some(root.to_owned()), naming.modules(inner)),
            // The tests and examples are packages of their own.
            (Some(first), inner) => (Some(root.join(first)), naming.modules(inner)),
            (None, _) => (None, Vec::new()),
        }
    }

    /// Returns whether an import names the renamed symbol in a file where it is visible.
    fn is_imported(&self, file: &NamedFile, span: Span) -> bool {
        let chain = file.parsed.chain(span);
        let Some(import) = chain.iter().rfind(|node| node.is_word("import", None)) else {
            return false;
        };
        let text = file.parsed.source().slice(import.span());
        let folder = file.path.parent().unwrap_or(&file.path);
        // A component has imports in the language of its script.
        let naming = chain
            .last()
            .map_or(file.naming, |node| naming(node.language().name));
        let module = if naming.has_dotted_imports {
            named_paths::dotted_import(&text)
                .and_then(|module| self.module(naming, &file.path, module))
        } else if naming.has_relative_imports {
            // Outside the braces, it is the name of a default export or of a whole file.
            let is_named = named_paths::is_in_braces(&text[..span.start() - import.span().start()]);
            let imported = named_paths::imported_file(&text);
            let imported = imported.filter(|path| is_named && path.starts_with('.'));
            imported.and_then(|path| self.file_of(naming, &named_paths::joined(folder, path)))
        } else {
            None
        };
        module.is_some_and(|module| self.is_exported_by(&module))
    }

    /// Returns whether other files can import the renamed symbol from a file.
    fn is_visible_in(&self, path: &Utf8Path) -> bool {
        let is_top_level = self.declared.iter().all(|one| one.containers.is_empty());
        let scopes = self.scopes.get(path);
        is_top_level && scopes.is_some_and(|scopes| scopes.iter().any(Vec::is_empty))
    }

    /// Returns the only file of a dotted module.
    fn module(&self, naming: &Naming, from: &Utf8Path, module: &str) -> Option<Utf8PathBuf> {
        let name = module.trim_start_matches('.');
        let dots = module.len() - name.len();
        let relative = Utf8PathBuf::from(name.replace('.', "/"));
        if dots > 0 {
            let folder = from.ancestors().nth(dots)?;
            return self.file_of(naming, &folder.join(relative));
        }
        if name.is_empty() {
            return None;
        }
        let ends = naming.files_of(&relative);
        let mut found = self
            .all
            .iter()
            .filter(|path| ends.iter().any(|end| path.ends_with(end)));
        match (found.next(), found.next()) {
            (Some(only), None) => Some(only.clone()),
            _ => None,
        }
    }

    fn file_of(&self, naming: &Naming, module: &Utf8Path) -> Option<Utf8PathBuf> {
        let mut files = naming.files_of(module).into_iter();
        files.find(|file| self.all.contains(file))
    }

    /// Returns whether a bare name is in the scope of the renamed symbol, and the file has no other symbol of this name.
    fn is_in_scope(&self, file: &NamedFile, span: Span) -> bool {
        let own = scope(&file.parsed, span);
        let scopes = self.scopes.get(&file.path);
        let is_bound = scopes.is_some_and(|scopes| scopes.iter().any(|from| own.starts_with(from)));
        let is_top_level = self.declared.iter().all(|one| one.containers.is_empty());
        let is_shared = is_top_level && !self.declared.is_empty() && {
            let mut declared = self.declared.iter();
            declared.any(|one| self.is_same_package(file, &one.path)) || self.includes(file)
        };
        let is_member = self.declared.iter().any(|one| one.is_member);
        !is_member && (is_bound || is_shared) && !self.has_other(file)
    }

    /// Returns whether a file includes one that declares the symbol.
    fn includes(&self, file: &NamedFile) -> bool {
        let text = file.parsed.source().text();
        file.naming.has_includes
            && named_paths::included(text).any(|name| {
                let mut declared = self.declared.iter();
                declared.any(|one| one.path.file_name() == Some(name))
            })
    }

    /// Returns whether the bare name may also be another symbol in a file.
    fn has_other(&self, file: &NamedFile) -> bool {
        let source = file.parsed.source();
        let text = source.text();
        let is_other = |span: &Span| {
            let key = (file.path.clone(), *span);
            let is_proven = self.added.contains_key(&key);
            let is_declaring = symbol_named(&file.parsed, *span).is_some()
                || named_paths::may_declare(text, *span);
            is_bare(source, *span) && !is_proven && (self.others.contains(&key) || is_declaring)
        };
        file.identifiers.iter().any(is_other)
    }

    /// Returns the types of the renamed members.
    fn types(&self) -> impl Iterator<Item = &String> {
        let members = self.declared.iter().filter(|one| one.is_member);
        members.filter_map(|one| one.containers.last())
    }

    /// Returns the types of renamed members that some file uses the keys of.
    fn types_with_keys(&self) -> Vec<String> {
        let mut found = Vec::new();
        for name in self.types() {
            let has_keys = |path: &Utf8PathBuf| {
                self.engine.text_at(path).is_some_and(|source| {
                    let operators = &naming(source.language().name).key_operators;
                    named_paths::has_keys_of(source.text(), operators, name)
                })
            };
            let of_language = self.all.iter().filter(|path| {
                let language = self.engine.workspace.language_of(path);
                language.is_some_and(|known| !naming(known.name).key_operators.is_empty())
            });
            if !found.contains(name) && of_language.into_iter().any(has_keys) {
                found.push(name.clone());
            }
        }
        found
    }

    /// Returns whether a string may be the name of a renamed member in a type.
    fn may_be_key(&self, path: &Utf8Path, span: Span) -> bool {
        let file = &self.files[path];
        let source = file.parsed.source();
        let content = named_paths::string_content(source.text(), span);
        let is_name = content.is_some_and(|(content, _)| content == self.symbol);
        if file.naming.key_operators.is_empty() || !is_name {
            return false;
        }
        let chain = file.parsed.chain(span);
        let is_in_type = |node: &crate::parse::Node<'_>| {
            let text = source.slice(node.span());
            let mut words = text.split(|c| !is_word(c));
            node.is_word("type", None) && words.any(|word| self.types().any(|name| name == word))
        };
        !self.keyed.is_empty() || chain.iter().any(is_in_type)
    }

    /// Returns whether a file exports the renamed symbol, also if it imports all names of the file that does.
    fn exports(&self, path: &Utf8Path, seen: &mut Vec<Utf8PathBuf>) -> Certainty {
        if self.is_visible_in(path) {
            return Certainty::Certain;
        }
        if seen.iter().any(|one| one == path) || self.defines_other(path) {
            return Certainty::Other;
        }
        seen.push(path.to_owned());
        let Some(source) = self.engine.text_at(path) else {
            return Certainty::Other;
        };
        let naming = naming(source.language().name);
        let [mut is_exported, mut is_unclear] = [false; 2];
        for module in named_paths::star_imports(source.text()) {
            // Another module may have the name too.
            match self.module(naming, path, module) {
                None => is_unclear = true,
                Some(module) => match self.exports(&module, seen) {
                    Certainty::Certain => is_exported = true,
                    Certainty::Unclear => (is_exported, is_unclear) = (true, true),
                    Certainty::Other => is_unclear |= self.defines_other(&module),
                },
            }
        }
        match (is_exported, is_unclear) {
            (false, _) => Certainty::Other,
            (true, false) => Certainty::Certain,
            (true, true) => Certainty::Unclear,
        }
    }

    fn is_exported_by(&self, path: &Utf8Path) -> bool {
        self.exports(path, &mut Vec::new()) == Certainty::Certain
    }

    /// Returns whether a file has another symbol of this name at its top level.
    fn defines_other(&self, path: &Utf8Path) -> bool {
        let is_other = |file: &NamedFile, span: Span| {
            let parsed = &file.parsed;
            let is_added = self.added.contains_key(&(file.path.clone(), span));
            let is_declaring = symbol_named(parsed, span).is_some()
                || is_in_import(parsed, span)
                || named_paths::may_declare(parsed.source().text(), span);
            let is_member = !is_bare(parsed.source(), span) && !is_in_import(parsed, span);
            !is_added && is_declaring && !is_member && scope(parsed, span).is_empty()
        };
        let file = self.files.get(path);
        file.is_some_and(|file| file.identifiers.iter().any(|span| is_other(file, *span)))
    }

    /// Returns whether the string that contains a name names the renamed symbol.
    fn use_in_string(&self, path: &Utf8Path, span: Span) -> Certainty {
        let file = &self.files[path];
        let source = file.parsed.source();
        let text = source.text();
        let chain = file.parsed.chain(span);
        let is_comment = chain.iter().any(|node| node.is_word("comment", None));
        let is_this = source.slice(span) == self.symbol;
        let Some((content, at)) = named_paths::string_content(text, span) else {
            return Certainty::Other;
        };
        if is_comment || !is_this {
            return Certainty::Other;
        }
        let start = span.start() - at;
        let has_name_only = content == self.symbol;
        let around = |words: &[String]| {
            chain.iter().any(|node| {
                let text = source.slice(node.span());
                words.iter().any(|word| {
                    let rest = text.strip_prefix(word.as_str());
                    rest.is_some_and(|rest| !rest.starts_with(is_word))
                })
            })
        };
        if has_name_only && around(&file.naming.name_lists) {
            return match self.defines_other(path) {
                true => Certainty::Other,
                false => self.exports(path, &mut Vec::new()),
            };
        }
        let declared = named_paths::declared_by_call(text, start - 1, &file.naming.naming_calls);
        if let Some(declared) = declared.filter(|_| has_name_only) {
            let is_renamed = source.slice(declared) == self.symbol
                && (self.renamed.changes(path, declared)
                    || self.added.contains_key(&(path.to_owned(), declared)));
            return match is_renamed {
                true => Certainty::Certain,
                false => Certainty::Other,
            };
        }
        match self.is_path_in_string(file, span, (content, at)) {
            true => Certainty::Certain,
            false => Certainty::Other,
        }
    }

    /// Returns whether a string with the given content, in which the name is at `at`, is the path of the renamed symbol.
    fn is_path_in_string(
        &self,
        file: &NamedFile,
        span: Span,
        (content, at): (&str, usize),
    ) -> bool {
        let text = file.parsed.source().text();
        let start = span.start() - at;
        let key = named_paths::key_of_string(text, start - 1);
        let is_attribute = |key: &str| file.naming.string_attributes.iter().any(|one| one == key);
        if key.is_some_and(is_attribute) {
            let separator = file.naming.paths.as_deref().unwrap_or("::");
            let is_last = at + span.len() == content.len();
            let names = named_paths::path_before(content, at, separator, false);
            return is_last
                && names.is_some_and(|names| match names.is_empty() {
                    true => self.is_in_scope(file, span),
                    false => self.is_path(file, &names, span),
                });
        }
        file.naming.has_dotted_strings && self.is_dotted_path(file, &content[..at])
    }

    /// Returns whether the text before a name in a string is the path of the module or class of the renamed symbol.
    fn is_dotted_path(&self, file: &NamedFile, before: &str) -> bool {
        let Some(path) = before.strip_suffix(['.', ':']) else {
            return false;
        };
        let path = path.replace(':', ".");
        let containers = self.declared.first().map(|one| one.containers.as_slice());
        let Some(containers) = containers else {
            return false;
        };
        if containers.is_empty() {
            let module = self.module(file.naming, &file.path, &path);
            return module.is_some_and(|module| self.is_exported_by(&module));
        }
        let of_class = format!(".{}", containers.join("."));
        let module = path
            .strip_suffix(&of_class)
            .and_then(|module| self.module(file.naming, &file.path, module));
        module.is_some_and(|module| {
            let mut declared = self.declared.iter();
            declared.any(|one| one.path == module && one.containers == containers)
        })
    }
}

/// Returns the index of the symbol whose declared name is the span.
fn symbol_named(parsed: &Parsed, span: Span) -> Option<usize> {
    let symbols = parsed.outline_with_inner().symbols();
    let is_own = |symbol: &Symbol| symbol.name_span == span;
    let found = symbols.iter().position(is_own)?;
    is_identifier(&parsed.chain(span), span).then_some(found)
}

/// Returns the short names of the symbols that enclose a symbol.
fn containers(parsed: &Parsed, symbol: usize) -> Vec<String> {
    let mut path = parsed.outline_with_inner().short_path(symbol);
    path.pop();
    path
}

pub(super) fn is_module(symbol: &Symbol) -> bool {
    ["module", "namespace"].contains(&symbol.kind)
}

pub(super) fn is_function(symbol: &Symbol) -> bool {
    ["function", "method"].contains(&symbol.kind)
}
