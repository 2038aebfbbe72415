//! Import statements, as the readers of all languages describe them.

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
    /// Whether it has parts that only its own text has, such as import attributes.
    pub(crate) is_special: bool,
    pub(crate) place: ImportPlace,
}

/// Where an import statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportPlace {
    /// It is a statement of the file.
    File,
    /// It is a part of a statement of the file, alone or in a list.
    Part { statement: Span, is_listed: bool },
    /// It is in the block of a condition of the file, of which this is the first line.
    #[cfg_attr(
        not(feature = "lang-python"),
        expect(dead_code, reason = "of a reader that is left out")
    )]
    Block(Span),
    /// It is somewhere else.
    #[cfg_attr(
        not(feature = "lang-python"),
        expect(dead_code, reason = "of a reader that is left out")
    )]
    Inside {
        /// Whether it runs after the file is loaded.
        is_deferred: bool,
    },
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
    #[cfg_attr(
        not(feature = "oxc"),
        expect(dead_code, reason = "of a reader that is left out")
    )]
    Default,
    /// The module as a value.
    Namespace,
    Module,
}

impl Import {
    /// Returns whether it is a statement of the file itself, not of a block or a function.
    pub(crate) fn is_top(&self) -> bool {
        matches!(self.place, ImportPlace::File | ImportPlace::Part { .. })
    }

    /// Returns the text of its module.
    pub(crate) fn module_text(&self) -> &str {
        self.module.as_ref().map_or("", |(_, text)| text)
    }
}

/// Returns the item of a statement that binds a name at a place.
pub(crate) fn item_bound_at(imports: &[Import], span: Span) -> Option<(&Import, &ImportItem)> {
    imports.iter().find_map(|import| {
        let item = import.items.iter().find(|item| item.bound.1 == span)?;
        Some((import, item))
    })
}
