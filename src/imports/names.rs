//! The names of a file: where scopes bind them, and where code uses them.
//!
//! `imports.scm` states which nodes are names, scopes and bindings. A name that is not known to be bound is a use.

use std::collections::{HashMap, HashSet};

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::composed::ComposedName;

/// The scope of the whole file.
pub(crate) const FILE: usize = 0;

/// The names of one file.
#[derive(Debug, Default)]
pub(crate) struct Names {
    scopes: Vec<NameScope>,
    uses: Vec<NameUse>,
    accesses: Vec<Access>,
    /// The names that functions bind outside themselves, each with its place.
    pub(crate) rebound: Vec<(String, Span)>,
    /// The names that statements of the file export.
    pub(crate) exported: Vec<String>,
    /// The places of modules of another kind.
    pub(crate) other_modules: Vec<Span>,
    /// The paths of files to whose definitions code adds, and that code.
    pub(crate) augmented: Vec<(String, Span)>,
    /// The calls that load a module by a computed name.
    pub(crate) dynamic: Vec<Span>,
    /// The statements that may end the loading of the file.
    pub(crate) stops: Vec<Span>,
    /// The names that code looks up as strings.
    pub(crate) composed: Vec<ComposedName>,
    /// The names of types and of type parameters, in any scope.
    pub(crate) types: HashSet<String>,
    /// The spans of import statements and what is in them.
    pub(crate) statements: Vec<Span>,
}

/// One scope.
#[derive(Debug, Default)]
struct NameScope {
    parent: usize,
    is_class: bool,
    bindings: HashMap<String, Vec<Span>>,
    /// From where on names are bound that are not bound in the whole scope.
    bound_from: HashMap<String, usize>,
    rebinds: HashSet<String>,
}

/// A use of a name.
#[derive(Clone, Debug)]
pub(crate) struct NameUse {
    pub(crate) name: String,
    pub(crate) span: Span,
    scope: usize,
    /// Whether its code runs after the file is loaded.
    pub(crate) is_deferred: bool,
    /// Whether the code assigns it.
    is_assigned: bool,
}

/// A member of a value, such as `a.b.c`.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The value: `a.b`.
    pub(crate) value: String,
    /// The member: `c`.
    pub(crate) member: String,
    pub(crate) span: Span,
    scope: usize,
    /// Whether the member is assigned.
    pub(crate) is_bound: bool,
}

/// How a node is visited.
#[derive(Clone, Copy)]
struct Visit<'p> {
    node: Node<'p>,
    parent: Option<Node<'p>>,
    scope: usize,
    is_deferred: bool,
    is_binding: bool,
    is_annotation: bool,
    is_rebinding: bool,
    /// From where on the names that it binds are visible in their scope.
    bound_from: usize,
}

impl Names {
    /// Reads the names of a file. Trees inside the file have none.
    pub(crate) fn of(parsed: &Parsed) -> Names {
        let mut names = Names {
            scopes: vec![NameScope::default()],
            ..Names::default()
        };
        let mut open = vec![Visit {
            node: parsed.root(),
            parent: None,
            scope: FILE,
            is_deferred: false,
            is_binding: false,
            is_annotation: false,
            is_rebinding: false,
            bound_from: 0,
        }];
        while let Some(visit) = open.pop() {
            names.visit(parsed, visit, &mut open);
        }
        names.uses.sort_by_key(|one| one.span);
        names
    }

    fn visit<'p>(&mut self, parsed: &'p Parsed, mut visit: Visit<'p>, open: &mut Vec<Visit<'p>>) {
        let node = visit.node;
        let is = |mark: Mark| match visit.parent {
            Some(parent) => node.is_in(mark, parent),
            None => node.is(mark),
        };
        if !node.is_named() || is(Mark::PackageClause) {
            return;
        }
        if is(Mark::Outside) {
            visit.scope = self.scopes[visit.scope].parent;
        }
        if is(Mark::ScopedName) {
            let is_outside = is(Mark::BindsOutside);
            let is_member = is(Mark::MemberName);
            let is_bound = visit.is_binding && !is(Mark::Unbound);
            let is_binding = is_outside || is(Mark::Binds) || is_bound;
            if !is_member {
                self.name(parsed, visit, is_binding, is_outside);
            }
            return;
        }
        if is(Mark::ImportStatement) {
            self.statements.push(node.span());
            return self.bind_imports(parsed, node, visit.scope);
        }
        if is(Mark::MemberAccess) {
            self.access(parsed, visit);
        }
        if is(Mark::ExportedItem) {
            self.exported
                .push(parsed.source().slice(node.span()).into_owned());
        }
        if is(Mark::OtherModules) {
            self.other_modules.push(node.span());
        }
        if is(Mark::AugmentedModule)
            && let Some(parent) = visit.parent
        {
            let path = parsed.source().slice(node.span());
            let path = path.trim_matches(['"', '\'', '`']).to_string();
            self.augmented.push((path, parent.span()));
        }
        if is(Mark::ImplicitNames) {
            self.implicit_names(node, visit.scope);
        }
        if is(Mark::DynamicImport) {
            self.dynamic.push(node.span());
        }
        if is(Mark::Stop) && !visit.is_deferred {
            self.stops.push(node.span());
        }
        self.composed.extend(ComposedName::of(parsed, node, is));
        if visit.is_annotation && node.is_word("string", visit.parent) {
            self.quoted_names(parsed, node, visit.scope);
        }
        visit.is_annotation |= is(Mark::Annotation);
        visit.is_deferred |= is(Mark::Deferred);
        visit.is_rebinding = is(Mark::RebindsOutside);
        let is_pattern = visit.is_binding && is(Mark::NamePattern);
        visit.is_binding = is(Mark::Binds) || is_pattern && !is(Mark::Unbound);
        if is(Mark::BindsAfter) {
            visit.bound_from = node.span().end();
        }
        if is(Mark::Scope) {
            visit.bound_from = 0;
            self.scopes.push(NameScope {
                parent: visit.scope,
                is_class: is(Mark::ClassScope),
                ..NameScope::default()
            });
            visit.scope = self.scopes.len() - 1;
        }
        for child in node.own_children().into_iter().rev() {
            open.push(Visit {
                node: child,
                parent: Some(node),
                ..visit
            });
        }
    }

    fn name(&mut self, parsed: &Parsed, visit: Visit<'_>, is_binding: bool, is_outside: bool) {
        let span = visit.node.span();
        let name = parsed.source().slice(span).into_owned();
        if visit.is_rebinding {
            self.scopes[visit.scope].rebinds.insert(name.clone());
            return self.rebound.push((name, span));
        }
        if is_binding {
            let own = visit.scope;
            let scope = if is_outside {
                self.scopes[own].parent
            } else {
                own
            };
            let from = if scope == FILE { 0 } else { visit.bound_from };
            let bound_from = &mut self.scopes[scope].bound_from;
            let known = bound_from.entry(name.clone()).or_insert(from);
            *known = from.min(*known);
            let mut parent = visit.parent.iter();
            if parent.any(|parent| parent.is(Mark::TypeDefinition)) {
                self.types.insert(name.clone());
            }
            self.bind(scope, name, span);
            return;
        }
        let is = |mark: Mark| {
            visit
                .parent
                .is_some_and(|parent| visit.node.is_in(mark, parent))
        };
        self.uses.push(NameUse {
            name,
            span,
            scope: visit.scope,
            is_deferred: visit.is_deferred,
            is_assigned: is(Mark::AssignedName),
        });
    }

    fn bind(&mut self, scope: usize, name: String, span: Span) {
        self.scopes[scope]
            .bindings
            .entry(name)
            .or_default()
            .push(span);
    }

    /// Binds the names of an import statement. Those of packages are known by their paths alone.
    fn bind_imports(&mut self, parsed: &Parsed, statement: Node<'_>, scope: usize) {
        let facts = super::ImportFacts::of(statement.language().name);
        if facts.is_some_and(|facts| facts.packages.is_some()) {
            return;
        }
        for bound in super::statements::bound_names(parsed, statement) {
            self.bind(scope, bound.0, bound.1);
        }
    }

    fn access(&mut self, parsed: &Parsed, visit: Visit<'_>) {
        let children = visit.node.own_children();
        let named = children.iter().filter(|child| child.is_named());
        let (Some(value), Some(member)) = (named.clone().next(), named.clone().next_back()) else {
            return;
        };
        let text = |node: &Node<'_>| parsed.source().slice(node.span()).into_owned();
        self.accesses.push(Access {
            value: text(value),
            member: text(member),
            span: visit.node.span(),
            scope: visit.scope,
            is_bound: visit
                .parent
                .is_some_and(|parent| visit.node.is_in(Mark::Binds, parent)),
        });
    }

    /// Adds the uses of names that a node does not contain.
    fn implicit_names(&mut self, node: Node<'_>, scope: usize) {
        let facts = super::ImportFacts::of(node.language().name);
        for name in facts.into_iter().flat_map(|facts| &facts.implicit) {
            self.uses.push(NameUse {
                name: name.clone(),
                span: Span::new(node.span().start(), node.span().start() + 1),
                scope,
                is_deferred: true,
                is_assigned: false,
            });
        }
    }

    /// Reads the words of a string in an annotation as names.
    fn quoted_names(&mut self, parsed: &Parsed, string: Node<'_>, scope: usize) {
        let text = parsed.source().slice(string.span());
        for (start, word) in words(&text) {
            let start = string.span().start() + start;
            self.uses.push(NameUse {
                name: word.to_string(),
                span: Span::new(start, start + word.len()),
                scope,
                is_deferred: true,
                is_assigned: false,
            });
        }
    }

    /// Returns the scope that binds a name which is used in `scope` at an offset.
    fn binding_scope(&self, name: &str, scope: usize, at: usize) -> Option<usize> {
        let mut current = scope;
        loop {
            let own = &self.scopes[current];
            let is_bound = own.bound_from.get(name).is_none_or(|from| *from <= at);
            let is_visible = is_bound && (current == scope || !own.is_class);
            if is_visible && own.bindings.contains_key(name) && !own.rebinds.contains(name) {
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
        let own = self.uses.iter();
        let own = own.filter(move |one| one.is_assigned && one.name == name);
        let is_of_file = |one: &&NameUse| {
            self.binding_scope(&one.name, one.scope, one.span.start()) == Some(FILE)
        };
        own.filter(is_of_file).map(|one| one.span)
    }

    /// Returns the names that the file itself binds in a span.
    pub(crate) fn bound_in(&self, span: Span) -> Vec<&str> {
        let own = self.scopes[FILE].bindings.iter();
        let inside = own.filter(|(_, spans)| spans.iter().any(|one| span.contains(*one)));
        let mut names: Vec<&str> = inside.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// Returns the accesses to members of values that no scope inside the file binds.
    pub(crate) fn free_accesses(&self) -> impl Iterator<Item = &Access> {
        let is_free = |one: &&Access| {
            self.is_unbound_at(one, &one.value) || self.is_of_file_at(one, &one.value)
        };
        self.accesses.iter().filter(is_free)
    }

    /// Returns all accesses to members.
    pub(crate) fn all_accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// Returns the accesses to members of a value, which is bound in the file itself or in a function.
    pub(crate) fn accesses<'n>(
        &'n self,
        value: &'n str,
        member: &'n str,
    ) -> impl Iterator<Item = &'n Access> {
        let own = self.accesses.iter();
        own.filter(move |one| one.value == value && one.member == member)
    }

    /// Returns whether an access is in the scope of a binding at this place.
    pub(crate) fn is_bound_at(&self, access: &Access, name: &str, binding: Span) -> bool {
        self.binding_scope(name, access.scope, access.span.start())
            .is_some_and(|scope| {
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
        self.binding_scope(name, access.scope, access.span.start())
            .is_none()
    }
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
