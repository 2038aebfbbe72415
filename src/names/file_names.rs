//! The names of a file: where scopes bind them, where code uses them, and what the file imports and exports.
//!
//! Each language has a [`NameReader`](super::facts::NameReader), which fills a [`FileNames`].

use std::collections::{HashMap, HashSet};

use crate::language::with_stack;
use crate::parse::Parsed;
use crate::source::{Source, Span};

use super::facts::ImportFacts;
use super::statements::Import;

/// The scope of the whole file.
pub(crate) const FILE: usize = 0;

/// The names of one file.
#[derive(Debug)]
pub(crate) struct FileNames {
    scopes: Vec<NameScope>,
    /// In file order.
    uses: Vec<NameUse>,
    accesses: Vec<Access>,
    /// The import statements, in file order.
    pub(crate) imports: Vec<Import>,
    /// The statements that define names of the file.
    pub(crate) definitions: Vec<Definition>,
    /// The names that statements export, apart from those of definitions.
    pub(crate) exports: Vec<Export>,
    /// The elements of the list of names that an import of all names gets, if there is one.
    pub(crate) listed: Option<Vec<Listed>>,
    /// Whether it adds to the names of all files.
    pub(crate) has_globals: bool,
    /// The names of the file that functions assign or the file deletes, each with its place.
    pub(crate) rebound: Vec<(String, Span)>,
    /// The places of modules of another kind, whose exports are not known.
    pub(crate) other_modules: Vec<Span>,
    /// The paths of files to whose definitions code adds, and that code.
    pub(crate) augmented: Vec<(String, Span)>,
    /// The calls that load a module, each with its path if that is a literal.
    pub(crate) loads: Vec<(Span, Option<String>)>,
    /// The statements that may end the loading of the file.
    pub(crate) stops: Vec<Span>,
    /// The annotations.
    pub(crate) annotations: Vec<Span>,
    /// The first place that the reader cannot read.
    pub(crate) problem: Option<Span>,
}

/// One scope.
#[derive(Debug, Default)]
struct NameScope {
    parent: usize,
    /// Whether the scopes inside it do not see its names.
    is_class: bool,
    bindings: HashMap<String, Vec<Span>>,
    /// From where on names are bound that are not bound in the whole scope.
    bound_from: HashMap<String, usize>,
    /// The names that an outer scope binds.
    outer: HashSet<String>,
}

/// A use of a name.
#[derive(Clone, Debug)]
pub(crate) struct NameUse {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(super) scope: usize,
    /// Whether its code runs after the file is loaded, or never.
    pub(crate) is_deferred: bool,
    /// Whether the code assigns it.
    pub(super) is_assigned: bool,
    /// Whether the code may change what it names: it is the value of a statement that only has effects, or decorates.
    pub(crate) is_effect: bool,
}

/// A member of a value, such as `a.b.c`.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The value: `a.b`.
    pub(crate) value: String,
    /// The member: `c`.
    pub(crate) member: String,
    pub(crate) span: Span,
    pub(super) scope: usize,
    /// Whether the code assigns or deletes the member.
    pub(crate) is_bound: bool,
}

/// A statement of the file that defines names.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) span: Span,
    pub(crate) is_exported: bool,
    /// Whether it is the default export.
    pub(crate) is_default: bool,
    /// Whether it defines a type, which has no value.
    pub(crate) is_type: bool,
    /// Whether it is defined before the code of the file runs.
    pub(crate) is_hoisted: bool,
}

/// A name that a statement exports: `export { local as name }`.
#[derive(Clone, Debug)]
pub(crate) struct Export {
    pub(crate) name: String,
    pub(crate) local: String,
}

/// An element of a list of exported names.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    /// The string.
    pub(crate) span: Span,
    /// The list.
    pub(crate) list: Span,
}

impl FileNames {
    /// Reads the names of a file, or of the scripts of a component. A language without a reader has no names.
    pub(crate) fn from_parsed(parsed: &Parsed) -> FileNames {
        let mut names = FileNames {
            scopes: vec![NameScope::default()],
            uses: Vec::new(),
            accesses: Vec::new(),
            imports: Vec::new(),
            definitions: Vec::new(),
            exports: Vec::new(),
            listed: None,
            has_globals: false,
            rebound: Vec::new(),
            other_modules: Vec::new(),
            augmented: Vec::new(),
            loads: Vec::new(),
            stops: Vec::new(),
            annotations: Vec::new(),
            problem: None,
        };
        let facts = ImportFacts::for_language(parsed.source().language().name);
        if facts.is_none()
            && let Some(script) = script_of(parsed)
        {
            return FileNames::from_parsed(&script);
        }
        if let Some(facts) = facts {
            let read = with_stack(|| facts.reader.read(parsed, &mut names));
            if read.is_none() {
                names.problem.get_or_insert(parsed.source().whole());
            }
        }
        names.uses.sort_by_key(|one| one.span);
        names.imports.sort_by_key(|one| one.span);
        names
    }

    /// Adds a scope, and returns its number.
    pub(super) fn add_scope(&mut self, parent: usize, is_class: bool) -> usize {
        self.scopes.push(NameScope {
            parent,
            is_class,
            ..NameScope::default()
        });
        self.scopes.len() - 1
    }

    pub(super) fn parent_of(&self, scope: usize) -> usize {
        self.scopes[scope].parent
    }

    pub(super) fn add_use(&mut self, one: NameUse) {
        self.uses.push(one);
    }

    pub(super) fn add_access(&mut self, one: Access) {
        self.accesses.push(one);
    }

    /// Binds a name that is visible from an offset on.
    pub(super) fn bind_from(&mut self, scope: usize, name: &str, span: Span, from: usize) {
        let own = &mut self.scopes[scope];
        if own.outer.contains(name) {
            return;
        }
        let known = own.bound_from.entry(name.to_string()).or_insert(from);
        *known = from.min(*known);
        let spans = own.bindings.entry(name.to_string()).or_default();
        if !spans.contains(&span) {
            spans.push(span);
        }
    }

    /// Adds a name that a scope uses or assigns, and an outer scope binds.
    #[cfg(feature = "lang-python")]
    pub(super) fn declare_outer(&mut self, scope: usize, name: &str) {
        let own = &mut self.scopes[scope];
        own.outer.insert(name.to_string());
        own.bindings.remove(name);
    }

    /// Returns the scope that binds a name which is used in `scope` at an offset.
    fn binding_scope(&self, name: &str, scope: usize, at: usize) -> Option<usize> {
        let mut current = scope;
        loop {
            let own = &self.scopes[current];
            let is_bound = own.bound_from.get(name).is_none_or(|from| *from <= at);
            let is_visible = is_bound && (current == scope || !own.is_class);
            if is_visible && own.bindings.contains_key(name) {
                return Some(current);
            }
            if current == FILE {
                return None;
            }
            current = own.parent;
        }
    }

    /// Returns the uses of names that no scope inside the file binds: the file itself does, or nothing.
    pub(crate) fn free_uses(&self) -> impl Iterator<Item = &NameUse> {
        let is_free = |one: &&NameUse| {
            let scope = self.binding_scope(&one.name, one.scope, one.span.start());
            scope.is_none_or(|scope| scope == FILE)
        };
        self.uses.iter().filter(is_free)
    }

    /// Returns whether code uses a name of the file.
    pub(crate) fn uses(&self, name: &str) -> bool {
        self.free_uses().any(|one| one.name == name)
    }

    /// Returns where code uses a name that nothing in the file binds.
    pub(crate) fn unbound_use(&self, name: &str) -> Option<Span> {
        let mut uses = self.free_uses().filter(|_| self.bindings(name).is_empty());
        uses.find(|one| one.name == name).map(|one| one.span)
    }

    /// Returns whether code uses a name of the file while the file is loaded.
    pub(crate) fn uses_early(&self, name: &str) -> bool {
        let mut uses = self.free_uses();
        uses.any(|one| one.name == name && !one.is_deferred)
    }

    /// Returns whether all definitions of a name are hoisted.
    pub(crate) fn is_hoisted(&self, name: &str) -> bool {
        let bindings = self.bindings(name);
        let mut all = bindings.iter().map(|span| self.definition_at(*span));
        !bindings.is_empty() && all.all(|one| one.is_some_and(|one| one.is_hoisted))
    }

    /// Returns where the file itself binds a name.
    pub(crate) fn bindings(&self, name: &str) -> &[Span] {
        let own = self.scopes[FILE].bindings.get(name);
        own.map_or(&[], Vec::as_slice)
    }

    /// Returns the names that the file itself binds.
    pub(crate) fn file_names(&self) -> impl Iterator<Item = &str> {
        self.scopes[FILE].bindings.keys().map(String::as_str)
    }

    #[cfg(feature = "servers")]
    /// Returns where the scope of a use binds its name, and whether that is the file itself. Returns `None` if the use or
    /// its scope is not known, or if a function inside the scope also binds the name for it.
    pub(crate) fn bindings_of_use(&self, span: Span) -> Option<(bool, &[Span])> {
        let found = self.uses.binary_search_by_key(&span, |one| one.span).ok()?;
        let found = &self.uses[found];
        let scope = self.binding_scope(&found.name, found.scope, found.span.start())?;
        if self.rebound.iter().any(|(name, _)| *name == found.name) {
            return None;
        }
        let bindings = self.scopes[scope].bindings.get(&found.name)?;
        Some((scope == FILE, bindings))
    }

    /// Returns where code assigns a name that the file itself binds.
    pub(crate) fn assignments<'n>(&'n self, name: &'n str) -> impl Iterator<Item = Span> {
        let own = self.free_uses();
        let own = own.filter(move |one| one.is_assigned && one.name == name);
        own.map(|one| one.span)
    }

    /// Returns the names that the file itself binds in a span, sorted.
    pub(crate) fn bound_in(&self, span: Span) -> Vec<&str> {
        let own = self.scopes[FILE].bindings.iter();
        let inside = own.filter(|(_, spans)| spans.iter().any(|one| span.contains(*one)));
        let mut names: Vec<&str> = inside.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// Returns the statement that defines a name of the file at a place.
    pub(crate) fn definition_at(&self, binding: Span) -> Option<&Definition> {
        let mut all = self.definitions.iter();
        all.find(|one| one.span.contains(binding))
    }

    /// Returns whether all definitions of a name are types.
    pub(crate) fn is_type(&self, name: &str) -> bool {
        let bindings = self.bindings(name);
        let mut all = bindings.iter().map(|span| self.definition_at(*span));
        !bindings.is_empty() && all.all(|one| one.is_some_and(|one| one.is_type))
    }

    /// Returns whether a statement exports a name of the file under its own name.
    pub(crate) fn exports(&self, name: &str) -> bool {
        let mut listed = self.exports.iter();
        let mut defined = self
            .bindings(name)
            .iter()
            .filter_map(|span| self.definition_at(*span));
        listed.any(|one| one.name == name && one.local == name)
            || defined.any(|one| one.is_exported && !one.is_default)
    }

    /// Returns the accesses to members of values that no scope inside the file binds.
    pub(crate) fn free_accesses(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(|one| {
            let first = one.value.split('.').next().unwrap_or_default();
            let scope = self.binding_scope(first, one.scope, one.span.start());
            scope.is_none_or(|scope| scope == FILE)
        })
    }

    /// Returns all accesses to members.
    pub(crate) fn all_accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// Returns whether an access is in the scope of a binding at this place.
    pub(crate) fn is_bound_at(&self, access: &Access, name: &str, binding: Span) -> bool {
        let scope = self.binding_scope(name, access.scope, access.span.start());
        scope.is_some_and(|scope| {
            let spans = self.scopes[scope].bindings.get(name);
            spans.is_some_and(|spans| spans.contains(&binding))
        })
    }

    /// Returns whether the file itself binds a name that is used in the scope of an access.
    pub(crate) fn is_of_file_at(&self, access: &Access, name: &str) -> bool {
        self.binding_scope(name, access.scope, access.span.start()) == Some(FILE)
    }

    /// Returns whether a name is free in the scope of an access.
    pub(crate) fn is_unbound_at(&self, access: &Access, name: &str) -> bool {
        let scope = self.binding_scope(name, access.scope, access.span.start());
        scope.is_none()
    }
}

/// Returns the scripts of a component as a file of their language. All other text is blank, so places are those of the
/// component.
pub(super) fn script_of(parsed: &Parsed) -> Option<Parsed> {
    let scripts = parsed.scripts();
    let language = scripts.iter().map(|script| script.language());
    let language = language
        .into_iter()
        .find(|one| ImportFacts::for_language(one.name).is_some())?;
    let own = scripts
        .iter()
        .filter(|script| std::ptr::eq(script.language(), language));
    let mut spans: Vec<Span> = own.map(|script| script.span()).collect();
    spans.sort();
    let source = parsed.source();
    let mut text = String::with_capacity(source.text().len());
    let mut spans = spans.into_iter().peekable();
    for (at, char) in source.text().char_indices() {
        while spans.next_if(|span| span.end() <= at).is_some() {}
        let is_code = spans.peek().is_some_and(|span| span.start() <= at);
        match is_code || char == '\n' {
            true => text.push(char),
            false => text.extend(std::iter::repeat_n(' ', char.len_utf8())),
        }
    }
    Some(Parsed::parse(Source::new(source.path(), language, text)))
}

/// Returns the words of a text, with their byte offsets.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let mut offset = 0;
    text.split(move |c| !is_word(c)).filter_map(move |word| {
        let start = offset;
        let separator = text[start + word.len()..].chars().next();
        offset = start + word.len() + separator.map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((start, word))
    })
}
