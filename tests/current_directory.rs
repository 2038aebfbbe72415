//! The command line in a subfolder of a workspace: it prints paths relative to the current
//! directory and reads them the same way, so that every printed path, locator and command can be
//! used as is.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run the command line and read files"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

const BINARY: &str = env!("CARGO_BIN_EXE_treegraft");
const TEXT: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";
const REPLACE: [&str; 6] = [
    "--anchor",
    "one()",
    "--ancestor",
    "call_expression",
    "--content",
    "three()",
];

/// A workspace with files at its root, in `sub` and in other folders, and its own state directory.
struct Tree {
    directory: tempfile::TempDir,
}

impl Tree {
    fn new() -> Tree {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let tree = Tree { directory };
        for folder in ["sub/deep", "other"] {
            fs::create_dir_all(tree.path(folder)).expect("a directory can be made");
        }
        for file in [
            "treegraft.toml",
            "top.rs",
            "sub/x.rs",
            "sub/deep/y.rs",
            "other/z.rs",
        ] {
            let text = if file.ends_with(".rs") { TEXT } else { "" };
            fs::write(tree.path(file), text).expect("the workspace can be written");
        }
        tree
    }

    /// Returns the path of a file in the workspace.
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("workspace").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    fn command(&self, program: impl AsRef<Path>, folder: &str) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.path(folder))
            .env("XDG_STATE_HOME", self.directory.path().join("state"))
            .env("XDG_CONFIG_HOME", self.directory.path().join("config"));
        command
    }

    fn run(&self, folder: &str, words: &[&str]) -> Output {
        let run = self.command(BINARY, folder).args(words).output();
        run.expect("the command runs")
    }

    /// Returns the output of a command in `folder`.
    fn printed(&self, folder: &str, words: &[&str]) -> String {
        let output = self.run(folder, words);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?} in {folder}: {message}");
        String::from_utf8(output.stdout).expect("answers are UTF-8")
    }

    fn json(&self, folder: &str, words: &[&str]) -> Value {
        let printed = self.printed(folder, &[&["--json"], words].concat());
        serde_json::from_str(&printed).expect("answers are JSON")
    }

    fn refused(&self, folder: &str, words: &[&str]) -> String {
        let output = self.run(folder, words);
        assert!(!output.status.success(), "{words:?} in {folder} is refused");
        String::from_utf8(output.stderr).expect("refusals are UTF-8")
    }

    /// Runs a printed command in a shell in `folder` and returns its output.
    fn pasted(&self, folder: &str, line: &str) -> String {
        let line = line.trim();
        let line = line.strip_prefix("treegraft ").expect("it is a command");
        let run = self
            .command("sh", folder)
            .args(["-c", &format!("{BINARY} {line}")])
            .output();
        let output = run.expect("the shell starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line} in {folder}: {message}");
        String::from_utf8(output.stdout).expect("answers are UTF-8")
    }

    /// Previews an edit and returns its id and its diff.
    fn previewed(&self, folder: &str, file: &str) -> (String, String) {
        let made = self.json(folder, &[&["replace", file], &REPLACE[..]].concat());
        assert_eq!(made["files"][0]["file_path"], file);
        let text = |value: &Value| value.as_str().expect("it is text").to_string();
        (text(&made["edit_id"]), text(&made["files"][0]["diff"]))
    }
}

/// Returns the commands that a refusal suggests.
fn commands(refusal: &str) -> Vec<&str> {
    let lines = refusal.lines().map(str::trim);
    lines
        .filter(|line| line.starts_with("treegraft "))
        .collect()
}

fn head(path: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n")
}

#[test]
fn each_printed_path_and_locator_resolves_in_the_same_directory() {
    const ALL: [&str; 4] = ["other/z.rs", "sub/deep/y.rs", "sub/x.rs", "top.rs"];
    let tree = Tree::new();
    for (folder, path, expected) in [
        ("", ".", ALL),
        (
            "sub",
            "..",
            ["../other/z.rs", "deep/y.rs", "x.rs", "../top.rs"],
        ),
        (
            "sub/deep",
            "../..",
            ["../../other/z.rs", "y.rs", "../x.rs", "../../top.rs"],
        ),
        (
            "other",
            "../**/*.rs",
            ["z.rs", "../sub/deep/y.rs", "../sub/x.rs", "../top.rs"],
        ),
    ] {
        let outline = tree.json(folder, &["outline", path]);
        let files = outline["files"].as_array().expect("a list");
        let names: Vec<&str> = files
            .iter()
            .filter_map(|file| file["file_path"].as_str())
            .collect();
        assert_eq!(names, expected, "in {folder:?}");
        let symbols = files.iter().flat_map(|file| file["symbols"].as_array());
        for symbol in symbols.flatten() {
            let locate = symbol["locate"].as_str().expect("a locator");
            let located = tree.json(folder, &["locate", locate]);
            let (file, _) = locate.split_once(':').expect("it names the file");
            assert_eq!(located["file_path"], file);
            assert_eq!(located["position"]["line"], symbol["line"]);
        }
        let found = tree.json(folder, &["find", path, "--text", "one()"]);
        let found = found["matches"].as_array().expect("a list");
        let names: Vec<&str> = found
            .iter()
            .filter_map(|one| one["file_path"].as_str())
            .collect();
        assert_eq!(names, expected, "in {folder:?}");
    }
    let described = tree.json("sub", &["locate", "../top.rs:6:5"]);
    assert_eq!(described["locate"], "../top.rs@two");
    assert!(
        tree.printed("sub", &["locate", "x.rs:a"])
            .starts_with("Located `x.rs` at 1:4\n")
    );
}

#[test]
fn a_cursor_works_across_directories() {
    let tree = Tree::new();
    let words = ["outline", "..", "--max-items", "3"];
    let mut seen: Vec<Value> = Vec::new();
    let mut page = tree.json("sub", &words);
    loop {
        let files = page["files"].as_array().expect("a list");
        let symbols = files.iter().flat_map(|file| file["symbols"].as_array());
        seen.extend(symbols.flatten().map(|symbol| symbol["locate"].clone()));
        let Some(cursor) = page["cursor"].as_str() else {
            break;
        };
        page = tree.json("sub", &[&words[..], &["--cursor", cursor]].concat());
    }
    let files = ["../other/z.rs", "deep/y.rs", "x.rs", "../top.rs"];
    let all = files.map(|file| [json!(format!("{file}:a")), json!(format!("{file}:b"))]);
    assert_eq!(seen, all.concat());
    // A cursor from another folder.
    let refused = tree.refused("sub", &["outline", "deep", "--cursor", "x.rs:1"]);
    assert!(refused.contains("does not belong to `deep`"), "{refused}");
}

#[test]
fn each_suggestion_works_as_printed() {
    let tree = Tree::new();
    let refused = tree.refused("sub", &["locate", "sub/x.rs:b"]);
    assert!(
        refused.starts_with("refused: file_not_found\n`sub` does not exist\n"),
        "{refused}"
    );
    assert!(
        refused.contains("similar paths: x.rs, deep/y.rs, ../other/z.rs"),
        "{refused}"
    );
    let suggested = commands(&refused);
    assert_eq!(
        suggested,
        ["x.rs:b", "deep/y.rs:b", "../other/z.rs:b"].map(|one| format!("treegraft locate {one}"))
    );
    for command in suggested {
        assert!(
            tree.pasted("sub", command).contains("at 5:4\n"),
            "{command}"
        );
    }
    // A refused edit is sent again by its id, here and in other folders.
    let words = [
        "replace",
        "../top.rs",
        "--anchor",
        "()",
        "--ancestor",
        "call_expression",
        "--content",
        "c()",
    ];
    let refused = tree.refused("sub", &words);
    for (folder, name, command) in [
        ("sub", "../top.rs", commands(&refused)[0]),
        ("other", "../top.rs", commands(&refused)[1]),
        ("", "top.rs", commands(&refused)[1]),
    ] {
        let preview = tree.pasted(folder, command);
        assert!(preview.contains(&head(name)), "{preview}");
        let apply = commands(&preview);
        assert!(
            apply.len() == 1 && apply[0].starts_with("treegraft apply e"),
            "{preview}"
        );
    }
    // The refusal also names other files that contain the text.
    fs::write(tree.path("other/w.rs"), "fn w() {\n    particular();\n}\n")
        .expect("the file can be written");
    let words = ["read", "x.rs", "--anchor", "particular()"];
    let refused = tree.refused("sub", &words);
    assert!(
        refused.contains("is in `../other/w.rs` at line 2"),
        "{refused}"
    );
}

#[test]
fn suggested_commands_keep_the_roots() {
    let tree = Tree::new();
    // With `--root`, paths are relative to the root.
    let refused = tree.refused("sub", &["--root", "..", "locate", "x.rs:b"]);
    let suggested = commands(&refused);
    assert_eq!(suggested[0], "treegraft --root .. locate sub/x.rs:b");
    for command in suggested {
        tree.pasted("sub", command);
    }
    let words = [&["--root", "../../other", "replace", "z.rs"], &REPLACE[..]].concat();
    let preview = tree.printed("sub/deep", &words);
    let apply = commands(&preview);
    assert!(
        apply[0].starts_with("treegraft --root ../../other apply e"),
        "{preview}"
    );
    assert!(preview.contains(&head("z.rs")), "{preview}");
    tree.pasted("sub/deep", apply[0]);
    assert!(tree.read("other/z.rs").contains("three()"));
}

#[test]
fn a_staged_edit_is_shown_relative_to_the_current_directory() {
    let places = [
        ("sub", "x.rs"),
        ("", "sub/x.rs"),
        ("other", "../sub/x.rs"),
        ("sub/deep", "../x.rs"),
    ];
    for (made_in, made_as) in places {
        for (shown_in, shown_as) in places {
            let tree = Tree::new();
            let (edit_id, diff) = tree.previewed(made_in, made_as);
            assert!(diff.starts_with(&head(made_as)), "{diff}");
            let listed = tree.json(shown_in, &["list"]);
            assert_eq!(listed["edits"][0]["file_path"], shown_as);
            let shown = tree.printed(shown_in, &["list", &edit_id]);
            assert!(shown.contains(&head(shown_as)), "{shown}");
            let applied = tree.printed(shown_in, &["apply", &edit_id]);
            let line = format!("at {shown_as}:2, +1 -1\n");
            assert!(applied.contains(&line), "{applied}");
            assert_eq!(tree.read("sub/x.rs"), TEXT.replace("one()", "three()"));
            let undone = tree.printed(made_in, &["undo", &edit_id, "--diff", "full"]);
            assert!(undone.contains(&head(made_as)), "{undone}");
            assert_eq!(tree.read("sub/x.rs"), TEXT);
            // Even if the file has changed since.
            fs::write(tree.path("sub/x.rs"), format!("// new\n{TEXT}"))
                .expect("the file can be written");
            let rebased = tree.json(shown_in, &["apply", &edit_id]);
            assert_eq!(rebased["status"], "rebased");
            assert_eq!(rebased["files"][0]["file_path"], shown_as);
            fs::write(tree.path("sub/x.rs"), TEXT).expect("the file can be written");
            let refused = tree.refused(shown_in, &["undo", &edit_id]);
            assert!(
                refused.contains(&format!("`{shown_as}` changed since")),
                "{refused}"
            );
        }
    }
}

#[test]
fn patch_and_git_apply_the_diff_of_a_file_below_the_current_directory() {
    let tree = Tree::new();
    crate::support::git(&tree.path(""), &["init", "--quiet"]);
    let (_, diff) = tree.previewed("sub", "deep/y.rs");
    let file = tree.path("diff");
    fs::write(&file, diff).expect("the file can be written");
    for program in [
        &["patch", "-p1", "--fuzz=0", "--quiet", "-i"][..],
        &["git", "apply"],
    ] {
        let run = tree
            .command(program[0], "sub")
            .args(&program[1..])
            .arg(&file)
            .output();
        let output = run.expect("it exists");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(tree.read("sub/deep/y.rs"), TEXT.replace("one()", "three()"));
        fs::write(tree.path("sub/deep/y.rs"), TEXT).expect("the file can be written");
    }
}

#[test]
fn paths_in_a_batch_are_relative_to_the_workspace() {
    let tree = Tree::new();
    let call = json!({"tool": "outline", "arguments": {"path": "sub/x.rs"}});
    fs::write(tree.path("calls.jsonl"), format!("{call}\n")).expect("the file can be written");
    let answers = tree.printed("sub", &["batch", "../calls.jsonl"]);
    let answer: Value = serde_json::from_str(&answers).expect("a line of JSON");
    assert_eq!(answer["result"]["files"][0]["file_path"], "sub/x.rs");
    assert_eq!(
        answer["result"]["files"][0]["symbols"][0]["locate"],
        "sub/x.rs:a"
    );
}

#[test]
#[cfg(unix)]
fn a_directory_reached_by_a_link_has_its_own_path() {
    use std::os::unix::fs::symlink;
    let tree = Tree::new();
    symlink(tree.path("sub"), tree.directory.path().join("link")).expect("it can be created");
    symlink("../../other", tree.path("sub/deep/more")).expect("it can be created");
    let outline = tree.json("../link", &["outline", "x.rs"]);
    assert_eq!(outline["files"][0]["symbols"][0]["locate"], "x.rs:a");
    let located = tree.json("../link", &["locate", "deep/more/z.rs:a"]);
    assert_eq!(located["file_path"], "../other/z.rs");
    // If the current directory is forbidden, no file in it can be read.
    fs::create_dir(tree.path(".git")).expect("it can be created");
    fs::write(tree.path(".git/x.rs"), TEXT).expect("the file can be written");
    let refused = tree.refused(".git", &["outline", "x.rs"]);
    assert!(refused.contains("is in a .git directory"), "{refused}");
}
