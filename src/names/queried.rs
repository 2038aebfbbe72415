//! Reads the names of a language from the captures of its `imports.scm`: names, scopes, bindings and import statements.
//!
//! An import statement binds no name in the file: it gives a package, of which code uses members.

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::file_names::{Access, FILE, FileNames, NameUse};
use super::statements::{Import, ImportItem, ImportKind, ImportPlace, ItemForm};

/// How a node is visited.
#[derive(Clone, Copy)]
struct Visit<'p> {
    node: Node<'p>,
    parent: Option<Node<'p>>,
    /// The statement of the file that contains the node.
    top: Option<Node<'p>>,
    scope: usize,
    is_binding: bool,
    /// From where on the names that it binds are visible in their scope.
    bound_from: usize,
}

/// Adds the names of a file.
pub(super) fn read_queried(parsed: &Parsed, names: &mut FileNames) {
    names.problem = parsed.problems().first().map(|problem| problem.span);
    let mut open = vec![Visit {
        node: parsed.root(),
        parent: None,
        top: None,
        scope: FILE,
        is_binding: false,
        bound_from: 0,
    }];
    while let Some(visit) = open.pop() {
        read(parsed, visit, names, &mut open);
    }
}

fn read<'p>(
    parsed: &'p Parsed,
    mut visit: Visit<'p>,
    names: &mut FileNames,
    open: &mut Vec<Visit<'p>>,
) {
    let node = visit.node;
    let is = |mark: Mark| match visit.parent {
        Some(parent) => node.is_in(mark, parent),
        None => node.is(mark),
    };
    if !node.is_named() || is(Mark::PackageClause) {
        return;
    }
    if is(Mark::Outside) {
        visit.scope = names.parent_of(visit.scope);
    }
    if is(Mark::ScopedName) {
        let is_outside = is(Mark::BindsOutside);
        let is_binding = is_outside || is(Mark::Binds) || visit.is_binding;
        if !is(Mark::MemberName) {
            name(parsed, visit, names, is_binding, is_outside);
        }
        return;
    }
    if is(Mark::ImportStatement) {
        return names.imports.push(import(parsed, visit));
    }
    if is(Mark::MemberAccess) {
        access(parsed, visit, names);
    }
    visit.is_binding = is(Mark::Binds) || visit.is_binding && is(Mark::NamePattern);
    if is(Mark::BindsAfter) {
        visit.bound_from = node.span().end();
    }
    if is(Mark::Scope) {
        visit.bound_from = 0;
        visit.scope = names.add_scope(visit.scope, false);
    }
    for child in node.own_children().into_iter().rev() {
        open.push(Visit {
            node: child,
            parent: Some(node),
            top: visit.top.or(visit.parent.map(|_| node)),
            ..visit
        });
    }
}

fn name(
    parsed: &Parsed,
    visit: Visit<'_>,
    names: &mut FileNames,
    is_binding: bool,
    is_outside: bool,
) {
    let span = visit.node.span();
    let name = parsed.source().slice(span).into_owned();
    if is_binding {
        let scope = match is_outside {
            true => names.parent_of(visit.scope),
            false => visit.scope,
        };
        let from = if scope == FILE { 0 } else { visit.bound_from };
        return names.bind_from(scope, &name, span, from);
    }
    names.add_use(NameUse {
        name,
        span,
        scope: visit.scope,
        is_deferred: false,
        is_assigned: false,
        is_effect: false,
    });
}

fn access(parsed: &Parsed, visit: Visit<'_>, names: &mut FileNames) {
    let children = visit.node.own_children();
    let mut named = children.iter().filter(|child| child.is_named());
    let (Some(value), Some(member)) = (named.next(), named.next_back()) else {
        return;
    };
    let text = |node: &Node<'_>| parsed.source().slice(node.span()).into_owned();
    names.add_access(Access {
        value: text(value),
        member: text(member),
        span: visit.node.span(),
        scope: visit.scope,
        is_bound: false,
    });
}

/// Reads an import statement: the path of a package, and the name that the file gives it.
fn import(parsed: &Parsed, visit: Visit<'_>) -> Import {
    let statement = visit.node;
    let text = |span: Span| parsed.source().slice(span).into_owned();
    let children = statement.own_children();
    let marked = |mark: Mark| children.iter().find(|one| one.is_in(mark, statement));
    let module = marked(Mark::ImportedModule).map(|node| {
        let span = node.span();
        let inner = Span::new(span.start() + 1, span.end().max(span.start() + 2) - 1);
        (inner, text(inner))
    });
    let item = marked(Mark::ImportNamespace).map(|node| ImportItem {
        span: node.span(),
        name: text(node.span()),
        alias: None,
        bound: (text(node.span()), node.span()),
        form: ItemForm::Namespace,
        is_type: false,
    });
    let is_listed = visit
        .parent
        .is_some_and(|parent| parent.is(Mark::ImportList));
    Import {
        span: statement.span(),
        kind: ImportKind::Items,
        module,
        items: item.into_iter().collect(),
        star: marked(Mark::ImportStar).map(|node| node.span()),
        is_type: false,
        is_special: false,
        place: visit
            .top
            .map_or(ImportPlace::File, |top| ImportPlace::Part {
                statement: top.span(),
                is_listed,
            }),
    }
}
