//! treegraft: a structural editor engine for coding agents and people.
//!
//! A caller says *what* it means: text that is there, the kind of syntax node around it, the
//! symbol it is in; never lines and columns. The engine finds exactly one place or refuses with a
//! [`diagnostic`] that holds the next call to make; shows the change as a diff; and only then
//! writes just that, atomically.
//!
//! # One pass, from request to disk
//!
//! ```text
//! request -> workspace -> source -> parse -> locate -> select -> edit -> validate -> preview -> (staged) -> apply
//!              any step may stop with a diagnostic; nothing is written before apply
//! ```
//!
//! Each step takes the type that the step before made, and only that step can make it:
//!
//! | room | in | out |
//! |---|---|---|
//! | [`language`] | a path | the row that reads it: grammar, and facts as data in `queries/` |
//! | [`source`] | bytes | [`Source`](source::Source): text at one moment, spans, positions, digest |
//! | [`parse`] | a source | [`Parsed`](parse::Parsed): tree, trees of other languages inside it, problems, outline; never fails |
//! | [`locate`] | a description of a place | [`Place`](locate::Place): scope narrows, find pinpoints; [`describe`](locate::describe) is the way back |
//! | [`select`] | anchor and node type, or a text | [`Selection`](select::Selection): exactly one node or part of the text, or every candidate; [`describe`](select::describe) is the way back, [`find`](select::find) asks for all |
//! | [`change`] | replacements and their target | [`Change`](change::Change): one or several edits, with the text before and after, both trees, the replacements and the targets |
//! | [`edit`] | selection and operation | a change of one edit |
//! | [`validate`] | a change, or several edits of one text | [`Checked`](validate::Checked); the only maker of checked changes |
//! | [`preview`] | checked changes | [`Preview`](preview::Preview): of each file a diff, and the digests before and after |
//! | [`workspace`] | paths | files inside the roots, what `treegraft.toml` says of them, and the user's state directory; the only door to the disk |
//! | [`apply`] | a preview and the locks of its files | all files are written, or none, if they still have the previewed text; undo; recovery after a crash |
//! | [`lsp`] | questions to language servers | the servers' own answers, and how much they knew |
//! | [`diagnostic`] | the rooms' typed errors | refusals in words, with suggestions that were resolved |
//! | [`engine`] | requests | answers: one method per verb, staged edits by id |
//! | [`mcp`] | calls over stdio or HTTP | the engine's answers |
//! | [`cli`] | a command line | the engine's answers |
//!
//! The rooms from [`source`] to [`preview`] work on text alone and need no disk:
//!
//! ```
//! use treegraft::{edit, language, parse::Parsed, preview, select, source::Source, validate};
//!
//! let text = "fn answer() -> u8 {\n    41\n}\n".to_string();
//! let source = Source::new("answer.rs", language::of("answer.rs", &text), text);
//! let parsed = Parsed::parse(source);
//! let selector = select::Selector::new("41", "integer_literal");
//! let selection = select::select(&parsed, &selector).expect("41 stands there once");
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
//! What the text alone does not tell, [`lsp`] asks the language server of the file, by the place that was located;
//! what a server would change becomes a checked edit, and goes on from there.
//!
//! # The laws
//!
//! 1. Each step takes the type the step before made. Nothing unchecked can be previewed, nothing
//!    unpreviewed applied.
//! 2. Imports point up the list of rooms only; `tests/tidy.rs` compares each file with it.
//! 3. One door to the disk ([`workspace`]), held by a lint, and one path to change it.
//! 4. Facts in the rooms, words in [`diagnostic`].
//! 5. No decision about code in a surface ([`mcp`], [`cli`]); no wire type below [`engine`].
//! 6. Standard output is the wire: only `cli/print.rs` prints.
//!
//! Deliberately absent: rules about what code may mean (the grammar decides what parses), a
//! formatter over whole files, a second way to point at a node, and a `match` on a language.
//!
//! # Units
//!
//! Inside, offsets are bytes ([`source::Span`]). Lines and characters for people count from 1, a
//! character being one Unicode scalar value; answers carry bytes and UTF-16 columns too. A line ends
//! at `\n`, `\r\n` or `\r` and nothing else. A byte order mark is kept and shifts no column.

// The order is the order of the layers: each may use those above it.
pub mod language;
pub mod source;
pub mod parse;
pub mod locate;
pub mod select;
pub mod change;
pub mod edit;
pub mod validate;
pub mod preview;
pub mod workspace;
pub mod apply;
pub mod lsp;
pub mod diagnostic;
pub mod engine;
pub mod mcp;
pub mod cli;

/// The page on embedding, so that its examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
pub struct Embedding;

// Examples of what a program cannot forge, which are compiled and must be refused.
#[cfg(doctest)]
pub mod guarantees;
