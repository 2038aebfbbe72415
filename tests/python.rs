//! The generated sources of the Python package are those of the tools. `tests/external/python.rs` tests the package.
//!
//! `TREEGRAFT_RECORD=1` writes the generated sources.
#![expect(
    clippy::disallowed_methods,
    reason = "the test reads and writes sources"
)]

mod generated;

use std::fs;

use crate::support::{is_recording, repository};

const PACKAGE: &str = "crates/python/python/treegraft";

#[test]
fn the_generated_sources_are_those_of_the_tools() {
    let made = [
        ("_answers.py", generated::answers()),
        ("_engine.py", generated::engine()),
    ];
    for (name, text) in made {
        let path = repository().join(PACKAGE).join(name);
        if is_recording() {
            fs::write(&path, &text).expect("a source can be written");
        }
        let now = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            now == text,
            "{PACKAGE}/{name} is not that of the tools; TREEGRAFT_RECORD=1 writes it"
        );
    }
}
