//! All integration tests in one binary. `tidy::every_test_file_is_listed` fails if a file next to
//! this one is not listed here.

mod accepting;
mod added_languages;
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
#[cfg(unix)]
mod lsp;
mod mcp;
mod misindented_python;
mod moving;
mod nodes;
mod outline;
mod packaging;
mod pages;
mod peers;
#[cfg(target_os = "linux")]
mod picture;
mod plugin;
mod properties;
mod python;
#[cfg(unix)]
mod questions;
mod race;
#[cfg(target_os = "linux")]
mod read_counts;
mod readme;
mod review;
#[cfg(target_os = "linux")]
mod review_terminal;
#[cfg(target_os = "linux")]
mod reviewers;
mod rewrite;
mod round_trips;
mod like;
mod rules;
#[cfg(unix)]
mod servers;
mod settings;
mod several_files;
mod stats;
mod support;
mod surfaces;
mod teaching_examples;
#[cfg(target_os = "linux")]
mod terminal;
mod text_edits;
mod tidy;
mod undo;
mod whole_files;
mod written_at_once;
