//! The review page in Chromium, driven by `tests/review/browser.mjs`.

use std::process::{Command, Stdio};

use crate::support::repository;
use crate::tools;

/// Runs a flow of `tests/review/browser.mjs`.
fn in_a_browser(flow: &str) {
    tools::variable("TREEGRAFT_TEST_CHROMIUM");
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let output = Command::new(tools::node("node"))
        .arg("tests/review/browser.mjs")
        .args([flow, env!("CARGO_BIN_EXE_treegraft")])
        .arg(directory.path())
        .current_dir(repository())
        .stdin(Stdio::null())
        .output()
        .expect("Node.js starts");
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_browser_shows_what_an_agent_stages_and_does_what_the_person_decides() {
    in_a_browser("decide");
}

#[test]
fn a_browser_accepts_the_chosen_files_and_matches_of_several_edits() {
    in_a_browser("choose");
}

#[test]
fn a_browser_marks_edits_that_are_stale_and_shows_them_as_they_are_now() {
    in_a_browser("stale");
}

#[test]
fn a_browser_shows_the_nodes_around_the_pointer_and_selects_another_one() {
    in_a_browser("target");
}

#[test]
fn a_browser_runs_no_script_of_names_diffs_and_reasons() {
    in_a_browser("hostile");
}

#[test]
fn a_browser_finds_the_page_accessible_in_light_and_dark_and_at_320_pixels() {
    in_a_browser("accessible");
}

#[test]
fn a_browser_reads_the_page_to_a_person_who_does_not_see_it() {
    in_a_browser("spoken");
}

#[test]
fn a_browser_scrolls_a_thousand_edits_and_fifty_thousand_lines() {
    in_a_browser("large");
}
