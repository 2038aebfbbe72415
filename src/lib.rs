//! treegraft: a structural editor engine for coding agents and people.
//!
//! A caller describes a place by its text: text that is in the file, the type of the syntax node that encloses it, the
//! symbol that contains it; never lines and columns. The engine either finds exactly one place, or refuses with a
//! [`diagnostic`] that suggests the next call. It shows the change as a diff, and only then writes exactly that change,
//! atomically.
//!
//! ```
//! use treegraft::{Operation, edit};
//!
//! let text = "fn answer() -> u8 {\n    41\n}\n";
//! let selector = "answer:integer_literal@41".parse()?;
//! let edited = edit("answer.rs", text, &selector, &Operation::replace("42"))?;
//! assert_eq!(edited.text, "fn answer() -> u8 {\n    42\n}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The items at the root of the crate are those that most programs need: [`edit`](edit()), [`read`] and
//! [`locate`](locate()) take a text and do everything in one call; the other types are for programs that keep the text,
//! combine several edits or read and write files.
//!
//! # From a request to the disk
//!
//! ```text
//! request -> workspace -> source -> parse -> locate -> select -> edit -> validate -> preview -> (staged) -> apply
//!              any step may stop with a diagnostic; nothing is written before apply
//! ```
//!
//! Each step takes the type that the preceding step returns, and only that step can create it:
//!
//! | module | input | output |
//! |---|---|---|
//! | [`language`] | a path | the [`Language`](language::Language) of the file: its grammar, and its facts as data in `queries/` |
//! | [`source`] | bytes | a [`Source`]: text at one moment, with spans, positions and a digest |
//! | [`parse`] | a source | a [`Parsed`]: the tree, embedded trees of other languages, problems and outline; never fails |
//! | [`pattern`] | code with placeholders, and a [`Parsed`] | each [`Match`](pattern::Match) with its captures |
//! | [`locate`](mod@locate) | a locator | a [`Place`]: the scope narrows, the find pinpoints; [`describe`](locate::describe) is the reverse lookup |
//! | [`select`] | an anchor and a node type, or a text | a [`Selection`](select::Selection): exactly one node or part of the text; or every candidate. [`describe`](select::describe) is the reverse lookup, [`find`](select::find) finds all |
//! | [`change`] | replacements and their target | a [`Change`]: one or several edits, with the text before and after, both trees, the replacements and the targets |
//! | [`edit`](mod@edit) | a selection and an operation | a change of one edit |
//! | [`validate`] | a change, or several edits of one text | a [`Checked`] change; only this module creates one |
//! | [`rewrite`] | the matches of a pattern, and a template | a [`Rewritten`](rewrite::Rewritten): the checked edits, and the outcome of each match |
//! | [`string_edit`] | the replacement of an exact string | what it means in the text: the same, corrected to the bytes of the text, or several places |
//! | `names` | the files before and after an edit | the import statements that follow it, or the names that it cannot prove |
//! | [`preview`] | checked changes | a [`Preview`]: the diff of each file, and the digests before and after |
//! | [`workspace`] | paths | files inside the roots, their settings in `treegraft.toml`, and the user's state directory; only this module accesses the disk |
//! | [`apply`] | a preview and the locks of its files | all files are written, or none if one no longer has the previewed text; undo; recovery after a crash |
//! | [`lsp`] | requests to language servers | the servers' answers, and how much the servers knew |
//! | [`diagnostic`] | the typed errors of the other modules | refusals as text, with suggestions that were checked |
//! | [`engine`] | requests | answers: one method for each verb; staged edits by id |
//!
//! The front ends are in separate packages: the command line and the MCP server in `crates/cli`, and the review page in
//! `crates/review`. They take calls, and print or send the engine's answers. `crates/loopback` holds what their HTTP
//! servers share. `crates/python` is the Python package: its types and methods are generated from the tools.
//! `crates/xtask` contains the development tools.
//!
//! Most modules have private submodules, listed at the top of their file. The largest are:
//!
//! - [`language`]: a table of languages, the query files (one submodule for each), the languages' own parsers, and the
//!   languages that a program adds ([`NewLanguage`](language::NewLanguage)).
//! - [`edit`](mod@edit): one submodule for each operation (replace, delete, insert, move, wrap, replace a part); `siblings` reads
//!   the children of a node as members with attached nodes and separators; `indent` and `spacing` fit the content to
//!   its destination.
//! - [`lsp`]: from bytes to answers, in layers: frames and processes, connections, sessions and clients, documents,
//!   servers. Each submodule uses only those above it.
//!
//! The modules from [`source`] to [`preview`] work on text alone and access no disk:
//!
//! ```
//! use treegraft::{edit, language, parse::Parsed, preview, select, source::Source, validate};
//!
//! let text = "fn answer() -> u8 {\n    41\n}\n".to_string();
//! let source = Source::new("answer.rs", language::for_file("answer.rs", &text), text);
//! let parsed = Parsed::parse(source);
//! let selector = select::Selector::new("41", "integer_literal");
//! let selection = select::select(&parsed, &selector).expect("41 occurs once");
//! let operation = edit::Operation::Replace {
//!     new_content: "42".to_string(),
//!     indent: edit::Indent::Auto,
//!     include_attached: false,
//! };
//! let change = edit::edit(selection, &operation).expect("a number can be edited");
//! let checked = validate::validate(change, &[]).expect("a number for a number");
//! let (preview, _notes) = preview::preview(checked);
//! assert_eq!(preview.after().text(), "fn answer() -> u8 {\n    42\n}\n");
//! ```
//!
//! # Features
//!
//! | feature | modules | what it adds |
//! |---|---|---|
//! | none | [`language`] to [`preview`], and [`diagnostic`] | text in, checked edits out; no access to the disk |
//! | `rules` | [`pattern::rule`] | patterns with conditions and fixes, in the files of ast-grep |
//! | `disk` | [`workspace`], [`apply`], [`engine`] | includes `rules`; files, staged edits, one method for each verb |
//! | `servers` (default) | [`lsp`] | questions to language servers; includes `disk` |
//! | `lang-*` | a grammar each | files in other languages are plain text |
//!
//! No feature adds a terminal, a web server or an async runtime.
//!
//! # Language servers
//!
//! For facts that are not in the text, [`lsp`] asks the file's language server about the located place. The changes
//! that a server returns become a checked edit like any other.
//!
//! # Invariants
//!
//! 1. Each step takes the type that the preceding step returns. Nothing unchecked can be previewed, and nothing
//!    unpreviewed can be applied.
//! 2. A module uses only modules above it in the list; `tests/tidy.rs` checks each file.
//! 3. Only [`workspace`] accesses the disk, which a lint checks, and there is only one way to change a file.
//! 4. Modules return facts; [`diagnostic`] puts them into words.
//! 5. The front ends decide nothing about code, and no module below [`engine`] has a wire type.
//! 6. Standard output carries only answers: only `cli/print.rs` of the command line prints.
//!
//! Deliberately absent: rules about the meaning of code (the grammar decides what parses), a formatter for whole files,
//! a second way to point at a node, and a `match` on a language.
//!
//! `docs/design` states how each step behaves, and the reasons for the decisions.
//!
//! # Units
//!
//! Inside the crate, offsets are bytes ([`source::Span`]). Lines and characters for people are counted from 1, and a
//! character is one Unicode scalar value; answers also have bytes and UTF-16 columns. A line ends at `\n`, `\r\n` or
//! `\r` and nothing else. A byte order mark is kept and shifts no column.

// In the order of the layers: each module uses only those above it. Only the packages of this repository use the hidden
// modules, which may change in any release.
#[doc(hidden)]
pub mod memory;
mod steps;
pub mod language;
pub mod source;
pub mod parse;
pub mod pattern;
pub mod locate;
pub mod select;
pub mod change;
pub mod edit;
pub mod validate;
pub mod rewrite;
pub mod string_edit;
#[cfg(feature = "disk")]
mod names;
pub mod preview;
#[cfg(feature = "disk")]
mod parallel;
#[cfg(feature = "disk")]
#[doc(hidden)]
pub mod workspace;
#[cfg(feature = "disk")]
#[doc(hidden)]
pub mod apply;
#[cfg(feature = "servers")]
#[doc(hidden)]
pub mod lsp;
pub mod diagnostic;
mod one_call;
#[cfg(feature = "disk")]
pub mod engine;

pub use change::Change;
pub use diagnostic::{Code, Diagnostic, NextCall, Suggestion};
pub use edit::{Indent, InsertPosition, Operation};
/// ```
/// use treegraft::engine::request::ReadNode;
/// use treegraft::{Engine, Selector};
///
/// let folder = tempfile::tempdir()?;
/// let project = folder.path().join("project");
/// std::fs::create_dir(&project)?;
/// std::fs::write(project.join("a.rs"), "fn f() {}\n")?;
///
/// let engine = Engine::open(&[&project], Some(folder.path().join("state")))?;
/// let selector: Selector = "function_item@f".parse()?;
/// let answer = engine.read_node(&ReadNode::new("a.rs", selector))?;
/// assert_eq!(answer.node.text, "fn f() {}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg(feature = "disk")]
pub use engine::Engine;
pub use locate::{Locate, LocateSyntaxError, Place, Scope};
pub use one_call::{Edited, Refusal, SelectedNode, edit, locate, read};
pub use parse::Parsed;
pub use preview::Preview;
pub use select::{Anchor, Selector, SelectorSyntaxError};
pub use source::{Source, Span};
pub use validate::{Checked, Note};

/// The page on embedding, whose examples are compiled and run.
#[cfg(all(doctest, feature = "disk"))]
#[doc = include_str!("../docs/embedding.md")]
pub struct Embedding;

#[cfg(test)]
mod trials;

/// The case files that a test reads.
#[cfg(test)]
#[expect(dead_code, reason = "the texts are read, not the requests")]
#[path = "../tests/pages.rs"]
mod pages;

// Examples that try to forge values; they must not compile.
#[cfg(all(doctest, feature = "disk"))]
pub mod guarantees;
