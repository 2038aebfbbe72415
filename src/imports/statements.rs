//! The import statements of a file.

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::Span;

/// An import statement, or an export of names of another file.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) span: Span,
    pub(crate) kind: ImportKind,
    /// The module as it is written, without quotes.
    pub(crate) module: Option<(Span, String)>,
    pub(crate) items: Vec<ImportItem>,
    pub(crate) star: Option<Span>,
    /// Whether it imports only types.
    pub(crate) is_type: bool,
    /// The nodes that enclose it below the root, from the outermost.
    pub(crate) above: Vec<Span>,
}

/// The kind of an import statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportKind {
    /// It imports items of a module.
    Items,
    /// It imports whole modules.
    Modules,
    /// It changes the language of the file.
    Language,
    /// It exports items of a module.
    Export,
}

/// An imported item.
#[derive(Clone, Debug)]
pub(crate) struct ImportItem {
    pub(crate) span: Span,
    /// Its name in its module; the path of a module.
    pub(crate) name: String,
    pub(crate) alias: Option<String>,
    /// The name that the statement binds, and its place.
    pub(crate) bound: (String, Span),
    pub(crate) form: ItemForm,
    /// Whether it is marked as a type.
    pub(crate) is_type: bool,
}

/// How an item is imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemForm {
    Named,
    /// The default export of its module.
    Default,
    /// The module as a value.
    Namespace,
    Module,
}

impl Import {
    /// Returns whether it is a statement of the file itself, not of a block or a function.
    pub(crate) fn is_top(&self) -> bool {
        self.above.is_empty()
    }

    /// Returns the text of its module.
    pub(crate) fn module_text(&self) -> &str {
        self.module.as_ref().map_or("", |(_, text)| text)
    }
}

/// Returns the import statements of a file, in file order.
pub(crate) fn all(parsed: &Parsed) -> Vec<Import> {
    let mut found = Vec::new();
    let mut open = vec![(parsed.root(), None::<Node<'_>>, Vec::new())];
    while let Some((node, parent, above)) = open.pop() {
        let is_statement = parent.is_some_and(|parent| node.is_in(Mark::ImportStatement, parent));
        if is_statement {
            found.push(Import {
                above,
                ..read(parsed, node)
            });
            continue;
        }
        let mut inner = above;
        if parent.is_some() {
            inner.push(node.span());
        }
        for child in node.own_children() {
            if child.is_named() {
                open.push((child, Some(node), inner.clone()));
            }
        }
    }
    found.sort_by_key(|one| one.span);
    found
}

/// Returns the names that an import statement binds, each with its place.
pub(super) fn bound_names(parsed: &Parsed, statement: Node<'_>) -> Vec<(String, Span)> {
    let items = read(parsed, statement);
    match items.kind {
        ImportKind::Language | ImportKind::Export => Vec::new(),
        ImportKind::Items | ImportKind::Modules => {
            items.items.into_iter().map(|item| item.bound).collect()
        }
    }
}

/// Reads one statement.
fn read(parsed: &Parsed, statement: Node<'_>) -> Import {
    let kind = match () {
        () if statement.is(Mark::ModuleImport) => ImportKind::Modules,
        () if statement.is(Mark::LanguageImport) => ImportKind::Language,
        () if statement.is(Mark::ExportStatement) => ImportKind::Export,
        () => ImportKind::Items,
    };
    let mut import = Import {
        span: statement.span(),
        kind,
        module: None,
        items: Vec::new(),
        star: None,
        is_type: statement.is(Mark::ImportType),
        above: Vec::new(),
    };
    let mut open: Vec<(Node<'_>, Node<'_>)> = children(statement);
    open.reverse();
    while let Some((node, parent)) = open.pop() {
        let is = |mark: Mark| node.is_in(mark, parent);
        match () {
            () if is(Mark::ImportedModule) => import.module = Some(unquoted(parsed, node)),
            () if is(Mark::ImportStar) => import.star = Some(node.span()),
            () if is(Mark::ImportDefault) => {
                import
                    .items
                    .push(item(parsed, node, kind, ItemForm::Default));
            }
            () if is(Mark::ImportNamespace) => {
                import
                    .items
                    .push(item(parsed, node, kind, ItemForm::Namespace));
            }
            () if is(Mark::ImportedItem) => {
                import.items.push(item(parsed, node, kind, ItemForm::Named));
            }
            () => {
                let mut below = children(node);
                below.reverse();
                open.extend(below);
            }
        }
    }
    import
}

fn children<'p>(node: Node<'p>) -> Vec<(Node<'p>, Node<'p>)> {
    let all = node.own_children().into_iter();
    all.map(|child| (child, node)).collect()
}

fn item(parsed: &Parsed, node: Node<'_>, kind: ImportKind, form: ItemForm) -> ImportItem {
    let text = |span: Span| parsed.source().slice(span).into_owned();
    let form = match kind {
        ImportKind::Modules => ItemForm::Module,
        _ => form,
    };
    let below = children(node);
    let marked = |mark: Mark| below.iter().find(|(one, parent)| one.is_in(mark, *parent));
    let alias = marked(Mark::ImportAlias).map(|(one, _)| one.span());
    let original = marked(Mark::ImportedName).map(|(one, _)| one.span());
    let name_span = match (form, original) {
        (_, Some(original)) => original,
        (ItemForm::Namespace, None) => alias.unwrap_or(node.span()),
        (_, None) => node.span(),
    };
    let name = text(name_span);
    // `import a.b` binds `a`.
    let first = name.split('.').next().unwrap_or_default().len();
    let bound = match alias {
        Some(alias) => alias,
        None => Span::new(name_span.start(), name_span.start() + first),
    };
    ImportItem {
        span: node.span(),
        alias: alias.map(text),
        bound: (text(bound), bound),
        name,
        form,
        is_type: node.is(Mark::ImportType),
    }
}

/// Returns the text of a string without its quotes, or of another node.
fn unquoted(parsed: &Parsed, node: Node<'_>) -> (Span, String) {
    let span = node.span();
    let text = parsed.source().slice(span);
    let is_quoted = text.len() >= 2 && text.starts_with(['"', '\'', '`']);
    let inner = match is_quoted {
        true => Span::new(span.start() + 1, span.end() - 1),
        false => span,
    };
    (inner, parsed.source().slice(inner).into_owned())
}
