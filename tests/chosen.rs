//! Several edits at once on the command line: listed, shown, applied and discarded by id, by file or
//! by the program that made them.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run the command line and write files"
)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// A workspace with its own state directory.
struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        fs::create_dir_all(directory.path().join("workspace/src")).expect("it can be created");
        Fixture { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("workspace").join(name)
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_treegraft"))
            .arg("--root")
            .arg(self.directory.path().join("workspace"))
            .args(words)
            .env("XDG_STATE_HOME", self.directory.path().join("state"))
            .env("XDG_CONFIG_HOME", self.directory.path().join("config"))
            .output()
            .expect("the command runs")
    }

    fn json(&self, words: &[&str]) -> (Value, Option<i32>) {
        let output = self.run(&[&["--json"], words].concat());
        let answer = serde_json::from_slice(&output.stdout);
        let answer = answer.unwrap_or_else(|_| panic!("{words:?}: {output:?}"));
        (answer, output.status.code())
    }

    fn text(&self, words: &[&str]) -> (String, Option<i32>) {
        let output = self.run(words);
        let both = [output.stdout, output.stderr].concat();
        (
            String::from_utf8_lossy(&both).into_owned(),
            output.status.code(),
        )
    }

    /// Stages the replacement of the number in a file, and returns the id.
    fn staged(&self, name: &str, number: &str) -> String {
        let path = self.path(name);
        if !path.exists() {
            fs::write(path, "fn value() -> u8 {\n    1\n}\n").expect("it can be written");
        }
        let words = [
            "replace",
            name,
            "--anchor",
            "1",
            "--ancestor",
            "integer_literal",
        ];
        let (made, _) = self.json(&[&words[..], &["--content", number]].concat());
        made["edit_id"].as_str().expect("an id").to_string()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("it is there")
    }
}

fn ids(list: &Value) -> Vec<&str> {
    let edits = list["edits"].as_array().expect("a list");
    edits
        .iter()
        .filter_map(|edit| edit["edit_id"].as_str())
        .collect()
}

#[test]
fn several_edits_are_transactions_of_their_own() {
    let fixture = Fixture::new();
    let edit_ids = ["src/a.rs", "src/b.rs", "c.rs"].map(|name| fixture.staged(name, "2"));
    let [one, two, three] = edit_ids.each_ref().map(String::as_str);
    // The second no longer fits, and the others are applied.
    fs::write(fixture.path("src/b.rs"), "fn value() {}\n").expect("it can be written");
    let (answer, status) = fixture.json(&["apply", one, two, three]);
    assert_eq!(status, Some(4), "{answer:#}");
    assert_eq!(
        (&answer["done"], &answer["refused"]),
        (&2.into(), &1.into())
    );
    let edits = answer["edits"].as_array().expect("a list");
    let codes: Vec<&Value> = edits.iter().map(|edit| &edit["error"]["code"]).collect();
    assert_eq!(codes, [&Value::Null, &"stale_edit".into(), &Value::Null]);
    assert!(fixture.read("src/a.rs").contains('2') && fixture.read("c.rs").contains('2'));
    let (answer, status) = fixture.json(&["apply", two, one, two]);
    assert_eq!(
        (status, &answer["refused"]),
        (Some(1), &2.into()),
        "{answer:#}"
    );
    let (text, status) = fixture.text(&["apply", "--client", "nobody"]);
    assert_eq!((text.as_str(), status), ("no pending edits\n", Some(0)));
}

#[test]
fn edits_are_chosen_by_file_status_and_client() {
    let fixture = Fixture::new();
    let a = fixture.staged("src/a.rs", "2");
    let b = fixture.staged("src/b.rs", "2");
    let c = fixture.staged("c.rs", "2");
    let refused = fixture.run(&[
        "--json",
        "delete",
        "c.rs",
        "--anchor",
        "none",
        "--ancestor",
        "call",
    ]);
    assert_eq!(refused.status.code(), Some(1));
    let listed = |words: &[&str]| {
        let (list, status) = fixture.json(&[&["list"], words].concat());
        assert_eq!(status, Some(0), "{list:#}");
        let mut found: Vec<String> = ids(&list).iter().map(ToString::to_string).collect();
        found.sort();
        found
    };
    let sorted = |ids: &[&String]| {
        let mut ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        ids.sort();
        ids
    };
    for (words, expected) in [
        (&["--status", "previewed"][..], sorted(&[&a, &b, &c])),
        (
            &["--file", "src", "--status", "previewed"],
            sorted(&[&a, &b]),
        ),
        (&["--file", "src/*.rs"], sorted(&[&a, &b])),
        (&["--file", "src/a.rs"], sorted(&[&a])),
        (&["--file", "**/b.rs"], sorted(&[&b])),
        (&["--client", "cli", "--file", "src/b.rs"], sorted(&[&b])),
        (&["--client", "other"], vec![]),
        (&["--status", "applied"], vec![]),
    ] {
        assert_eq!(listed(words), expected, "{words:?}");
    }
    let (list, _) = fixture.json(&["list", "--file", "src/a.rs", "--diff"]);
    let edit = &list["edits"][0];
    assert_eq!(
        (&edit["client"], &edit["symbol"]),
        (&"cli".into(), &"value".into())
    );
    assert_eq!(
        (&edit["added_lines"], &edit["removed_lines"]),
        (&1.into(), &1.into())
    );
    assert!(edit["diff"].to_string().contains("+    2"), "{list:#}");
    let (shown, status) = fixture.text(&["list", "--file", "src", "--diff"]);
    assert!(
        shown.contains("+++ b/src/a.rs") && shown.contains("+++ b/src/b.rs"),
        "{shown}"
    );
    assert_eq!(status, Some(0));
    let (missing, status) = fixture.text(&["list", "--file", "none.rs"]);
    assert!(
        missing.contains("file_not_found") && status == Some(1),
        "{missing}"
    );
    let (answer, status) = fixture.json(&["apply", "--file", "src/*.rs"]);
    assert_eq!(
        (status, &answer["done"]),
        (Some(0), &2.into()),
        "{answer:#}"
    );
    assert_eq!(listed(&["--status", "applied"]), sorted(&[&a, &b]));
    let (answer, status) = fixture.json(&["discard", "--all", "--reason", "too many"]);
    assert_eq!(
        (status, &answer["done"]),
        (Some(0), &1.into()),
        "{answer:#}"
    );
    let (answer, _) = fixture.json(&["list", "--status", "discarded"]);
    assert_eq!(
        answer["edits"].as_array().map(Vec::len),
        Some(1),
        "{answer:#}"
    );
    assert_eq!(answer["edits"][0]["reason"], "too many");
}

#[test]
fn completions_have_the_options() {
    let fixture = Fixture::new();
    for shell in ["bash", "zsh", "fish"] {
        let (script, _) = fixture.text(&["generate", "completions", shell]);
        for option in ["interactive", "reason", "client", "stage-only", "discarded"] {
            assert!(script.contains(option), "{shell}: {option}");
        }
    }
}

#[test]
fn the_start_of_an_id_is_enough() {
    let fixture = Fixture::new();
    let mut edit_ids: Vec<String> = (0..20).map(|_| fixture.staged("a.rs", "2")).collect();
    edit_ids.sort();
    // Of twenty random ids, two begin with the same digit.
    let same = edit_ids
        .windows(2)
        .find(|pair| pair[0][..2] == pair[1][..2]);
    let same = same.expect("there are only sixteen digits");
    for verb in ["apply", "list", "discard", "undo"] {
        let (text, status) = fixture.text(&[verb, &same[0][..2]]);
        assert_eq!(status, Some(1), "{verb}: {text}");
        assert!(
            text.contains(" edits have an id that starts with "),
            "{verb}: {text}"
        );
        assert!(text.contains("help: pass more of the id"), "{verb}: {text}");
    }
    let own = &edit_ids[0];
    let start = &own[..12];
    let (text, _) = fixture.text(&["list", start]);
    assert!(text.starts_with(own.as_str()), "{text}");
    let (text, _) = fixture.text(&["amend", start, "--content", "3"]);
    let amended = text
        .lines()
        .last()
        .and_then(|line| line.split_whitespace().last());
    let amended = amended.expect("the command that applies it").to_string();
    let (text, _) = fixture.text(&["apply", &amended[..12]]);
    assert!(
        text.contains(&format!("applied as edit {amended}")),
        "{text}"
    );
    let (text, _) = fixture.text(&["undo", &amended[..12]]);
    assert!(text.contains("undone"), "{text}");
    let (text, _) = fixture.text(&["discard", &amended[..12]]);
    assert_eq!(text, format!("discarded edit {amended}\n"));
    for (start, code) in [
        ("e", "edit_not_found"),
        ("f00", "edit_not_found"),
        ("", "edit_not_found"),
    ] {
        let (text, status) = fixture.text(&["apply", start]);
        assert!(
            text.contains(code) && status == Some(1),
            "{start:?}: {text}"
        );
    }
    let long = "x".repeat(3_000);
    let (text, status) = fixture.text(&["discard", &edit_ids[1], "--reason", &long]);
    assert!(
        text.contains("the reason is longer than 2000 characters"),
        "{text}"
    );
    assert_eq!(status, Some(2));
}
