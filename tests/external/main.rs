//! Tests with programs that are not part of the build: language servers, clients, a browser, clusters. `tests/all.sh`
//! installs them; a test whose program is missing fails. `tidy::every_test_file_is_listed` fails if a file next to this
//! one is not listed here.
#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and start programs"
)]

mod book;
mod browser;
mod clients;
mod embedding;
mod hooks;
mod install;
mod packaging;
#[cfg(unix)]
mod python;
mod servers;
#[expect(dead_code, reason = "the other tests use the rest")]
#[path = "../support.rs"]
mod support;
mod teaching_examples;
mod tools;
