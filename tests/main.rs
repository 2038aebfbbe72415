//! All integration tests in one binary. `tidy::every_test_file_is_listed` fails if a file next to
//! this one is not listed here.

mod accepting;
mod added_languages;
#[cfg(target_os = "linux")]
mod attributes;
#[cfg(unix)]
mod background;
mod bad_input;
mod batch;
mod book;
mod cases;
mod checks;
mod chosen;
mod codemods;
#[cfg(target_os = "linux")]
mod confinement;
mod connections;
mod current_directory;
mod describe;
mod doctor;
mod embedding;
mod find;
mod flow;
mod help;
mod hooks;
mod injection;
mod install;
mod languages;
mod lists;
mod locate;
/// With `TREEGRAFT_TEST_FULL=1`, they try all their cases. The other modules named `long` do so, too.
mod long {
    mod misindented_python;
    mod race;
    mod round_trips;
}
#[cfg(unix)]
mod lsp;
mod mcp;
mod moving;
mod nodes;
#[cfg(target_os = "linux")]
mod other_users;
mod outline;
mod packaging;
mod pages;
#[cfg(target_os = "linux")]
mod picture;
mod plugin;
mod properties;
mod python;
#[cfg(unix)]
mod questions;
#[cfg(target_os = "linux")]
mod read_counts;
mod readme;
mod review;
#[cfg(target_os = "linux")]
mod review_terminal;
#[cfg(target_os = "linux")]
mod reviewers;
mod rewrite;
mod like;
mod rules;
mod settings;
mod several_files;
mod stats;
mod support;
mod surfaces;
#[cfg(target_os = "linux")]
mod terminal;
mod text_edits;
mod tidy;
mod undo;
mod whole_files;
mod written_at_once;
