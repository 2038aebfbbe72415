//! The picture in README.md: a real session on a terminal, drawn as `docs/session.svg`.
//!
//! The test runs the session and compares. `TREEGRAFT_RECORD=1` writes the picture; then look at it.

#![expect(
    clippy::disallowed_methods,
    reason = "commands are run, and the picture is read and written"
)]

use std::fs;
use std::process::Command;

use anstyle_svg::{Term, WIN10_CONSOLE};
use regex::Regex;

use crate::support::{is_recording, repository};
use crate::terminal::{Fixture, OnTerminal};

/// The file that the session edits.
const FILE: &str = r#"def load(url):
    """Return the body of a page."""
    return get(url, timeout=10)


def save(url, body):
    """Send a body and return the answer."""
    return post(url, body, timeout=10)
"#;

/// The file after the session.
const EDITED: &str = r#"def load(url):
    """Return the body of a page."""
    return get(url, timeout=30)


def save(url, body):
    """Send a body and return the answer."""
    return post(url, body, timeout=10)
"#;

/// The ids that the picture shows instead of the random ones.
const EDIT_IDS: [&str; 3] = ["e5c1f90b7d2a4", "e80b6d3f9a17c", "e2d94a60c8b13"];

#[test]
fn the_picture_of_the_readme_is_a_real_session() {
    let fixture = Fixture::new();
    fixture.write("workspace/client.py", FILE);
    let mut session = Session::new(&fixture);

    let preview = session.run("treegraft replace 'client.py:load:integer@10' --content 30");
    assert!(preview.starts_with("would replace"), "{preview}");
    let next = last_line_with(&preview, "treegraft apply");
    let applied = session.run(&next.replace("apply", "apply --yes"));
    assert!(applied.contains("applied as edit"), "{applied}");
    assert_eq!(fixture.read("workspace/client.py"), EDITED);

    let refused = session.run(
        "treegraft insert 'client.py:argument@timeout=' --position after --content 'retries=3'",
    );
    assert!(
        refused.starts_with("refused: ambiguous_target"),
        "{refused}"
    );
    let suggested = last_line_with(&refused, "treegraft amend");
    let preview = session.run(&suggested);
    assert!(preview.starts_with("would insert"), "{preview}");

    let svg = picture(&session.shown);
    let path = repository().join("docs/session.svg");
    if is_recording() {
        fs::write(&path, &svg).expect("the picture can be written");
    }
    let recorded = fs::read_to_string(&path).expect("the picture can be read");
    assert_eq!(recorded, svg, "TREEGRAFT_RECORD=1 draws it again");
}

/// What a person types and sees, with escape sequences.
struct Session<'a> {
    fixture: &'a Fixture,
    shown: String,
}

impl Session<'_> {
    fn new(fixture: &Fixture) -> Session<'_> {
        let shown = String::new();
        Session { fixture, shown }
    }

    /// Runs a command line on a terminal and returns the output without escape sequences.
    fn run(&mut self, line: &str) -> String {
        let program = env!("CARGO_BIN_EXE_treegraft");
        let mut command = Command::new("sh");
        command
            .args(["-c", &line.replacen("treegraft", "exec \"$TREEGRAFT\"", 1)])
            .env("TREEGRAFT", program)
            .env("XDG_STATE_HOME", self.fixture.path("state"))
            .env("XDG_CONFIG_HOME", self.fixture.path("config"))
            .env("TERM", "xterm-256color")
            .env("PAGER", "cat")
            .env_remove("NO_COLOR")
            .current_dir(self.fixture.path("workspace"));
        let (seen, _) = OnTerminal::of(command).ended();
        self.shown.push_str(&typed(line));
        self.shown.push_str(&seen);
        self.shown.push('\n');
        without_escapes(&seen)
    }
}

/// A command line as typed after a prompt, in bold, wrapped at an option when it is long.
fn typed(line: &str) -> String {
    let wrapped = match line.find(" --position").filter(|_| line.len() > 80) {
        Some(at) => format!("{} \\\n   {}", &line[..at], &line[at..]),
        None => line.to_string(),
    };
    let bold: Vec<String> = wrapped
        .lines()
        .map(|line| format!("\u{1b}[1m{line}\u{1b}[0m"))
        .collect();
    format!("\u{1b}[32m$\u{1b}[0m {}\n", bold.join("\n"))
}

/// The text without escape sequences.
fn without_escapes(text: &str) -> String {
    let escapes = Regex::new("\u{1b}\\[[0-9;]*[A-Za-z]").expect("the pattern is valid");
    escapes.replace_all(text, "").into_owned()
}

/// The last line of an output that starts with a command, without its indentation.
fn last_line_with(output: &str, start: &str) -> String {
    let mut lines = output.lines().map(str::trim);
    let line = lines.rfind(|line| line.starts_with(start));
    line.unwrap_or_else(|| panic!("no {start:?} in {output}"))
        .to_string()
}

/// Draws a session; the ids of its edits are always the same ones.
fn picture(shown: &str) -> String {
    let ids = Regex::new(r"\be[0-9a-f]{12}\b").expect("the pattern is valid");
    let mut known: Vec<String> = Vec::new();
    let shown = ids.replace_all(shown, |found: &regex::Captures<'_>| {
        let index = known.iter().position(|id| *id == found[0]);
        let index = index.unwrap_or(known.len());
        if index == known.len() {
            known.push(found[0].to_string());
        }
        EDIT_IDS[index]
    });
    Term::new()
        .palette(WIN10_CONSOLE)
        .render_svg(shown.trim_end())
}
