//! The review page: a person sees what agents have staged, and accepts, discards or undoes it. The same in a terminal:
//! [`in_terminal`].
//!
//! [`serve`] serves the page on loopback. The files of the page contain nothing secret. Everything else needs the token
//! of the server, which the page reads from the fragment of its [`link`] and sends as `Authorization: Bearer TOKEN`. A
//! request from a page of another origin, or for another host name, is rejected.
//!
//! | request | answer |
//! |---|---|
//! | `GET /` and the files of the page | the page without data |
//! | `GET /api/edits` | the list of edits (HTML) |
//! | `GET /api/edits/ID` | an edit with its diffs (HTML); with `ask=true`, its language server is asked |
//! | `GET /api/edits/ID/files/N` | further lines of a diff (HTML) |
//! | `GET /api/edits/ID/now/N` | further lines of a diff that would be written now (HTML) |
//! | `GET /api/edits/ID/nodes/N` | the nodes around a position of a file (HTML) |
//! | `GET /api/changes` | a stream of events: which edits changed |
//! | `POST /api/apply`, `/api/undo` | the outcome: all edits or none (JSON) |
//! | `POST /api/retarget`, `/api/restore` | the outcome (JSON) |
//! | `POST /api/discard` | the outcome for each edit (JSON) |
//!
//! The engine is opened for a person. The page contains no logic about the edited code.

// In the order of the layers: each module uses only those above it.
mod syntax;
mod diff;
mod listing;
mod decisions;
mod items;
mod pages;
mod server;
mod terminal;

pub use server::{link, router, serve};
#[cfg(unix)]
pub use terminal::is_terminal_gone;
pub use terminal::{Stop, in_terminal};
