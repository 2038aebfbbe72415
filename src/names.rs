//! Names: the scopes, bindings, uses and import statements of a file, and the import statements that follow an edit.
//!
//! Input: the files before and after an edit, and the [`Project`] that contains them. Output: replacements in the files
//! after the edit ([`Planned`], [`Organized`]), or the places whose names it cannot prove ([`Problem`]). The names of a file
//! are read by the parser of its language ([`FileNames`](file_names::FileNames)); how its import statements are written is
//! in `queries/imports.toml`.

#[cfg(feature = "oxc")]
mod ecmascript;
mod facts;
mod file_change;
mod file_names;
mod layout;
mod loading;
#[cfg(feature = "servers")]
mod meaning;
mod modules;
mod moving;
mod needs;
mod organize;
mod packages;
#[cfg(feature = "lang-python")]
mod python;
mod queried;
mod resolve;
mod specs;
mod statements;
mod users;
mod users_of;

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::change::TextEdit;
use crate::parse::Parsed;
use crate::source::Span;

pub(crate) use facts::ImportFacts;
#[cfg(feature = "servers")]
pub(crate) use file_names::FileNames;
#[cfg(feature = "servers")]
pub(crate) use meaning::{Meaning, Meanings};
pub(crate) use moving::{MovedNode, plan};
pub(crate) use organize::{EditedFile, NotOrganized, Organized, UnclearName, organize};
pub(crate) use users_of::{NameUser, unbound_uses, users_of};

/// The files of a project, by their paths in answers.
pub(crate) trait Project {
    /// Returns whether there is a file.
    fn has_file(&self, path: &Utf8Path) -> bool;

    /// Returns a file, if it can be read.
    fn parsed(&self, path: &Utf8Path) -> Option<Arc<Parsed>>;

    /// Returns the files directly in a folder with one of these extensions.
    fn folder(&self, path: &Utf8Path, extensions: &[String]) -> Vec<Arc<Parsed>>;

    /// Finds the files that contain one of the words: those with one of these extensions, and those in which code is
    /// embedded in another language.
    fn files_with(&self, words: &[String], extensions: &[String]) -> FilesFound;
}

/// The files that contain some words.
#[derive(Debug, Default)]
pub(crate) struct FilesFound {
    pub(crate) files: Vec<Arc<Parsed>>,
    /// The files that cannot be read.
    pub(crate) unread: Vec<String>,
}

/// What a move changes in addition to the moved text.
#[derive(Debug, Default)]
pub(crate) struct Planned {
    /// The edits of each file, of the text after the move.
    pub(crate) edits: BTreeMap<Utf8PathBuf, TextEdit>,
    pub(crate) notes: Vec<ImportNote>,
}

/// A place that the move does not change, and that a person may want to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImportNote {
    pub(crate) path: String,
    pub(crate) line: usize,
    pub(crate) what: NoteKind,
}

/// What a note is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoteKind {
    /// A text names the moved definition in its old file.
    Mention(String),
    /// A module is loaded by a computed name in a file that contains the name.
    Dynamic(String),
    /// The moved code uses a name whose value differs between files.
    OwnName(String),
    /// The file cannot be read, and may use the name.
    Unread,
    /// The decorator runs when the new file is loaded, which the old file does not do.
    Decorator(String),
    /// The old file imports the module for its effects, and the new one does not.
    Effects(String),
    /// The function runs in the order of the files of its package.
    RunOrder(String),
    /// The variable gets its value from a call, in the order of the files of its package.
    ValueOrder(String),
}

/// A place where a name cannot be proven to keep its definition.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) path: String,
    pub(crate) parsed: Arc<Parsed>,
    pub(crate) span: Span,
    pub(crate) name: String,
    pub(crate) kind: ProblemKind,
}

/// Why a name cannot be proven to keep its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// The node is not a top-level node of its file.
    NotTopLevel,
    /// It would not be a top-level node of the other file.
    NotTopLevelThere,
    /// The moved name has another definition in the file.
    DefinedTwice,
    /// Functions assign the name.
    Assigned,
    /// It may come from an import of all names.
    FromStar,
    /// The other file binds it to something else.
    Bound,
    /// The file that uses it binds the name.
    BoundInUser,
    /// The new file imports it only as a type.
    TypeOnly,
    /// It is imported or used under another name in the file that it moves to.
    Alias,
    /// The moved code uses the file that it moves to as a module.
    OwnModule,
    /// Code that the old file runs while it is loaded changes it.
    Changed,
    /// A file with declarations of the old file declares it.
    Declared,
    /// The code that the file runs while it is loaded needs it earlier.
    TooLate,
    /// The file does not export it.
    NotExported,
    /// No module path is known.
    NoModule,
    /// The files would import each other while they are loaded.
    Circular,
    /// A file would import one of several that import each other already.
    LoadOrder,
    /// The parser cannot read it.
    Unparsed,
    /// The parser of the language cannot read the file.
    Unread,
    /// It is used in code inside another language.
    Embedded,
    /// The file uses modules of another kind.
    OtherModules,
    /// It is the default export of its file.
    DefaultExport,
    /// The form of the statement cannot be changed.
    Form,
    /// A call loads the old file or a computed module, and the file of the call has the name.
    Loaded,
    /// The file that it moves to may stop while it is loaded.
    MayStop,
    /// The node is an import statement or states the package.
    NoDefinition,
    /// The destination precedes import statements.
    BeforeImports,
    /// The files are built under other conditions.
    OtherConditions,
    /// The old file does not state its package.
    NoPackage,
    /// The files are of two packages.
    OtherPackage,
    /// Its meaning depends on its place.
    OfPlace,
    /// Another file has the same path, apart from the case of letters.
    SamePath,
    /// The name that an import statement gives is not known.
    PackageName,
    /// The import statement belongs to its file.
    OwnImport,
}
