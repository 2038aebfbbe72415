//! One edit of `edit_nodes` in several files or at several nodes: lists, globs, `selectors` and `expect_matches` over all of
//! them, as one staged edit.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and read the results"
)]

use std::fs;

use serde_json::{Value, json};

use crate::support::{Answered, Bench, steady};

const FILES: [&str; 4] = ["src/a.py", "src/b.py", "src/deep/c.py", "src/other.py"];

/// Returns a workspace with a function `setup` in three of four modules below `src`.
fn fixture() -> Bench {
    let bench = Bench::new();
    fs::create_dir_all(bench.root().join("src/deep")).expect("the folder can be created");
    for (name, body) in [("a", "1"), ("b", "2"), ("deep/c", "3")] {
        let text = format!(
            "import os\nimport sys\n\n\ndef setup(app):\n    app.add({body})\n\n\ndef teardown(app):\n    app.clear()\n"
        );
        bench.write(&format!("src/{name}.py"), text);
    }
    bench.write(
        "src/other.py",
        "import sys\n\n\ndef main():\n    sys.exit(0)\n",
    );
    bench.write("src/latin.py", b"def setup(app):\n    'caf\xe9'\n");
    bench
}

fn pinned(bench: &Bench, name: &str, text: &str) {
    let settings = crate::support::snapshots("several_files");
    let text = steady(text).replace(&bench.root().to_string_lossy().into_owned(), "/workspace");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn text(bench: &Bench, name: &str) -> String {
    String::from_utf8(bench.read(name)).expect("it is text")
}

fn texts(bench: &Bench) -> Vec<String> {
    FILES.iter().map(|name| text(bench, name)).collect()
}

fn try_edits(bench: &Bench, edits: Value) -> Result<Answered, String> {
    let made = bench.call("edit_nodes", json!({"edits": edits}));
    made.map_err(|refused| refused.text())
}

fn previewed(bench: &Bench, edits: Value) -> Answered {
    try_edits(bench, edits).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn refused(bench: &Bench, edits: Value) -> String {
    let before = texts(bench);
    let refusal = try_edits(bench, edits).expect_err("the edits are refused");
    assert_eq!(texts(bench), before);
    refusal
}

/// Returns an edit that inserts a line into `setup` in these files.
fn insertion(file_path: Value) -> Value {
    json!({
        "op": "insert", "file_path": file_path, "selector": "function@def setup(app)",
        "position": "last_child", "new_content": "app.check()",
    })
}

fn with(mut edit: Value, name: &str, value: Value) -> Value {
    edit[name] = value;
    edit
}

fn changed(answer: &Value) -> Vec<&str> {
    let files = answer["files"].as_array().expect("an answer has files");
    let paths = files.iter().map(|file| file["file_path"].as_str());
    paths.map(|path| path.expect("a file has a path")).collect()
}

#[test]
fn a_list_of_files_is_one_edit_that_can_be_undone() {
    let bench = fixture();
    let before = texts(&bench);
    let made = previewed(&bench, json!([insertion(json!(["src/b.py", "src/a.py"]))]));
    pinned(&bench, "a_list", &made.text);
    assert_eq!(texts(&bench), before, "a preview writes nothing");
    assert_eq!(changed(&made.json), ["src/b.py", "src/a.py"]);
    assert_eq!(made.json["files"][1]["edits"][0]["edit_index"], 0);

    let id = json!({"edit_id": made.json["edit_id"]});
    let applied = bench.another_engine().call("apply_edit", id.clone());
    assert_eq!(applied.expect("nothing changed").json["status"], "applied");
    for (name, before) in FILES.iter().zip(&before) {
        let is_edited = ["src/a.py", "src/b.py"].contains(name);
        let after = match is_edited {
            true => before.replace(
                ")\n\n\ndef teardown",
                ")\n    app.check()\n\n\ndef teardown",
            ),
            false => before.clone(),
        };
        assert_eq!(text(&bench, name), after);
    }
    let undone = bench.another_engine().call("undo_edit", id);
    assert_eq!(undone.expect("nothing changed").json["status"], "undone");
    assert_eq!(texts(&bench), before);
}

#[test]
fn a_glob_leaves_out_the_files_without_a_match_and_counts_them() {
    let bench = fixture();
    let made = previewed(&bench, json!([insertion(json!("src/**/*.py"))]));
    pinned(&bench, "a_glob", &made.text);
    assert_eq!(
        changed(&made.json),
        ["src/a.py", "src/b.py", "src/deep/c.py"]
    );

    // The same at once.
    let arguments = json!({"edits": [insertion(json!("src/**/*.py"))], "apply": true});
    let applied = bench.call("edit_nodes", arguments).expect("it works");
    pinned(&bench, "a_glob_applied", &applied.text);
    assert!(text(&bench, "src/deep/c.py").contains("    app.check()\n"));
    let id = json!({"edit_id": applied.json["edit_id"]});
    bench.call("undo_edit", id).expect("nothing changed");
    assert!(!text(&bench, "src/deep/c.py").contains("app.check()"));
}

#[test]
fn the_call_may_name_the_files_of_all_its_edits() {
    let bench = fixture();
    let edits = json!([
        {"op": "delete", "selector": "import@import os"},
        {"op": "replace", "selector": "call@app.clear()", "new_content": "app.close()"},
    ]);
    let made = bench.call(
        "edit_nodes",
        json!({"file_path": "src/**/*.py", "edits": edits}),
    );
    let made = made.expect("each matches in three files");
    assert_eq!(
        changed(&made.json),
        ["src/a.py", "src/b.py", "src/deep/c.py"]
    );
    assert_eq!(made.json["files"][2]["edits"][1]["edit_index"], 1);
    assert_eq!(
        made.json["notes"].as_array().map(Vec::len),
        Some(2),
        "{}",
        made.text
    );
}

#[test]
fn several_nodes_are_deleted_at_once() {
    let bench = fixture();
    let edit = json!({
        "op": "delete", "file_path": "src/a.py",
        "selectors": ["import@import os", {"anchor_text": "def teardown", "ancestor_node_type": "function"}],
    });
    let made = previewed(&bench, json!([edit]));
    pinned(&bench, "several_nodes_deleted", &made.text);
}

#[test]
fn several_nodes_in_several_files_get_the_same_insertion() {
    let bench = fixture();
    let edit = json!({
        "op": "insert", "file_path": ["src/a.py", "src/b.py"], "position": "first_child",
        "selectors": ["function@def setup", "function@def teardown"], "new_content": "log()",
    });
    let made = previewed(&bench, json!([edit]));
    assert_eq!(changed(&made.json), ["src/a.py", "src/b.py"]);
    let id = json!({"edit_id": made.json["edit_id"]});
    bench.call("apply_edit", id).expect("nothing changed");
    for name in ["src/a.py", "src/b.py"] {
        assert_eq!(
            text(&bench, name).matches(":\n    log()\n").count(),
            2,
            "{name}"
        );
    }
}

#[test]
fn expect_matches_counts_over_all_files_and_selectors() {
    let bench = fixture();
    let edit = |count: usize| {
        json!([{
            "op": "replace", "file_path": "src/**/*.py", "selector": "identifier@app",
            "new_content": "application", "expect_matches": count,
        }])
    };
    pinned(
        &bench,
        "another_number_of_matches",
        &refused(&bench, edit(7)),
    );
    let made = previewed(&bench, edit(12));
    let edited = |file: &Value| file["edits"].as_array().map_or(1, Vec::len);
    let files = made.json["files"].as_array().expect("it has files");
    assert_eq!(files.iter().map(edited).sum::<usize>(), 12);

    let two = json!([{
        "op": "insert", "file_path": ["src/a.py", "src/other.py"], "position": "before",
        "selectors": ["import@import", "function@def"], "new_content": "# x", "expect_matches": 6,
    }]);
    assert_eq!(changed(&previewed(&bench, two).json).len(), 2);
}

#[test]
fn a_file_of_a_list_without_a_match_is_refused_by_name() {
    let bench = fixture();
    let files = json!(["src/a.py", "src/other.py", "src/b.py"]);
    pinned(
        &bench,
        "a_file_without_a_match",
        &refused(&bench, json!([insertion(files)])),
    );
    let missing = json!(["src/a.py", "src/nowhere.py", "src/neither.py"]);
    pinned(
        &bench,
        "a_missing_file",
        &refused(&bench, json!([insertion(missing)])),
    );
    let unreadable = json!(["src/a.py", "src/latin.py"]);
    pinned(
        &bench,
        "an_unreadable_file",
        &refused(&bench, json!([insertion(unreadable)])),
    );
    let folder = json!(["src/a.py", "src/deep"]);
    pinned(
        &bench,
        "a_folder",
        &refused(&bench, json!([insertion(folder)])),
    );
    let outside = json!(["src/a.py", "../x.py"]);
    pinned(
        &bench,
        "a_file_outside",
        &refused(&bench, json!([insertion(outside)])),
    );
}

#[test]
fn a_glob_without_any_match_is_refused_and_suggests_what_works_in_all_its_files() {
    let bench = fixture();
    let near = with(
        insertion(json!("src/**/*.py")),
        "selector",
        json!("function@def set_up(app)"),
    );
    pinned(
        &bench,
        "a_glob_without_a_match",
        &refused(&bench, json!([near])),
    );
    let wrong_type = with(
        insertion(json!("src/**/*.py")),
        "selector",
        json!("class@def setup(app)"),
    );
    pinned(
        &bench,
        "a_glob_without_the_type",
        &refused(&bench, json!([wrong_type])),
    );
    let no_file = insertion(json!("lib/**/*.py"));
    pinned(
        &bench,
        "a_glob_without_files",
        &refused(&bench, json!([no_file])),
    );
    let two = json!({
        "op": "delete", "file_path": "src/*.py",
        "selectors": ["function@def setup", "function@def tear_down(app)"],
    });
    pinned(
        &bench,
        "a_selector_without_a_match",
        &refused(&bench, json!([two])),
    );
}

#[test]
fn several_matches_in_a_file_are_refused_by_name() {
    let bench = fixture();
    let edit = json!({
        "op": "replace", "file_path": "src/**/*.py", "selector": "call@app.", "new_content": "x()",
    });
    pinned(
        &bench,
        "several_matches_in_a_file",
        &refused(&bench, json!([edit])),
    );
}

#[test]
fn the_help_names_no_argument_that_the_edit_lacks() {
    let bench = fixture();
    let edit = json!({
        "op": "move", "file_path": "src/**/*.py", "selector": "call@app.",
        "to": {"selector": "import@import sys", "position": "after"},
    });
    let refusal = refused(&bench, json!([edit]));
    assert!(refusal.contains("matches 2 nodes"), "{refusal}");
    assert!(!refusal.contains("expect_matches"), "{refusal}");
}

#[test]
fn overlapping_nodes_are_refused_by_name() {
    let bench = fixture();
    let same = json!({
        "op": "delete", "file_path": "src/*.py", "selectors": ["import@import os", "import@os"],
    });
    pinned(
        &bench,
        "the_same_node_twice",
        &refused(&bench, json!([same])),
    );
    let nested = json!({
        "op": "delete", "file_path": ["src/a.py"],
        "selectors": ["function@def setup", "call@app.add"],
    });
    pinned(&bench, "nested_nodes", &refused(&bench, json!([nested])));
    let clash = json!([
        {"op": "delete", "file_path": "src/**/*.py", "selector": "function@def setup"},
        {"op": "delete", "file_path": "src/deep/*.py", "selector": "call@app.add"},
    ]);
    pinned(&bench, "two_edits_that_overlap", &refused(&bench, clash));
}

#[test]
fn a_failed_check_names_its_file() {
    let bench = fixture();
    let edit = json!({
        "op": "replace", "file_path": ["src/a.py", "src/b.py"], "selector": "call@app.add",
        "new_content": "app.add(",
    });
    pinned(&bench, "a_failed_check", &refused(&bench, json!([edit])));
}

#[test]
fn a_file_that_is_named_twice_is_edited_once() {
    let bench = fixture();
    for paths in [
        json!(["src/a.py", "src/a.py"]),
        json!(["src/a.py", "./src/../src/a.py"]),
        json!(["src/a.py", "src/a*.py", "src/?.py", "src/b.py", "src/b.py"]),
    ] {
        let made = previewed(&bench, json!([insertion(paths.clone())]));
        for file in made.json["files"].as_array().expect("it has files") {
            assert_eq!(file["added_lines"], 1, "{paths}: {}", made.text);
        }
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.py", bench.root().join("src/link.py")).expect("it is new");
        let made = previewed(
            &bench,
            json!([insertion(json!(["src/link.py", "src/a.py"]))]),
        );
        assert_eq!(changed(&made.json), ["src/a.py"]);
        let made = previewed(&bench, json!([insertion(json!("src/*.py"))]));
        assert_eq!(changed(&made.json), ["src/a.py", "src/b.py"]);
    }
}

#[test]
fn a_glob_skips_what_the_workspace_ignores() {
    let bench = fixture();
    bench.write(".gitignore", "deep/\n");
    bench.write("src/.hidden.py", "def setup(app):\n    pass\n");
    let made = previewed(&bench, json!([insertion(json!("src/**/*.py"))]));
    assert_eq!(changed(&made.json), ["src/a.py", "src/b.py"]);
    // A file that is named is not ignored.
    let made = previewed(
        &bench,
        json!([insertion(json!(["src/deep/c.py", "src/*.py"]))]),
    );
    assert_eq!(
        changed(&made.json),
        ["src/deep/c.py", "src/a.py", "src/b.py"]
    );
}

#[test]
fn a_path_that_exists_is_never_a_glob() {
    let bench = fixture();
    bench.write("src/[ab].py", "def setup(app):\n    pass\n");
    let made = previewed(&bench, json!([insertion(json!("src/[ab].py"))]));
    assert_eq!(changed(&made.json), ["src/[ab].py"]);
    let arguments = json!({"edits": [insertion(json!("src/[ab].py"))], "apply": true});
    bench.call("edit_nodes", arguments).expect("it is one file");
    assert_eq!(
        text(&bench, "src/[ab].py"),
        "def setup(app):\n    pass\n    app.check()\n"
    );
    assert!(!text(&bench, "src/a.py").contains("check"));
}

#[test]
fn a_tool_that_makes_a_single_edit_names_one_file() {
    let bench = fixture();
    let call = |file_path: Value| {
        let arguments = json!({"file_path": file_path, "selector": "function@def setup"});
        let refused = bench.call("delete_node", arguments);
        refused.expect_err("it takes one file").text()
    };
    pinned(&bench, "a_glob_in_delete_node", &call(json!("src/*.py")));
    pinned(
        &bench,
        "a_list_in_delete_node",
        &call(json!(["src/a.py", "src/b.py"])),
    );
    let arguments = json!({"file_path": "src/a.py", "selectors": ["function@def setup"]});
    let refused = bench.call("delete_node", arguments);
    let refused = refused.expect_err("it takes one selector").text();
    pinned(&bench, "selectors_in_delete_node", &refused);
}

#[test]
fn bad_arguments_are_refused() {
    let bench = fixture();
    let edit = insertion(json!("src/*.py"));
    let without = |name: &str| {
        let mut edit = edit.clone();
        edit.as_object_mut().map(|edit| edit.remove(name));
        edit
    };
    let selectors = |selectors: Value| with(without("selector"), "selectors", selectors);
    for (edit, message) in [
        (
            with(edit.clone(), "file_path", json!([])),
            "edits[0]: file_path is an empty list",
        ),
        (
            with(edit.clone(), "file_path", json!(["src/a.py", ""])),
            "edits[0]: file_path contains an empty string",
        ),
        (
            with(edit.clone(), "file_path", json!(["src/a.py", 5])),
            "edits[0]: file_path must be a string or a list of strings, not [\"src/a.py\",5]",
        ),
        (
            with(edit.clone(), "file_path", json!({"glob": "*"})),
            "edits[0]: file_path must be a string or a list of strings, not {\"glob\":\"*\"}",
        ),
        (
            with(edit.clone(), "file_path", json!("src/[a.py")),
            "`src/[a.py` does not exist and is not a valid glob",
        ),
        (selectors(json!([])), "edits[0]: selectors is an empty list"),
        (
            with(edit.clone(), "selectors", json!(["import@os"])),
            "edits[0]: an edit has selector or selectors, not both",
        ),
        (
            with(
                selectors(json!(["@setup"])),
                "ancestor_node_type",
                json!("function"),
            ),
            "edits[0]: ancestor_node_type cannot be next to selectors; set it in each of them",
        ),
        (
            selectors(json!([{"name": "setup"}])),
            "edits[0]: selectors by name are not supported",
        ),
        (without("selector"), "edits[0]: insert needs selector"),
        (
            with(edit.clone(), "expect_matches", json!(0)),
            "edits[0]: expect_matches counts from 1",
        ),
        (
            with(
                selectors(
                    json!(["function@setup (nth: 2)", {"anchor_text": "a", "ancestor_node_type": "call", "nth": 2}]),
                ),
                "expect_matches",
                json!(2),
            ),
            "edits[0]: expect_matches edits all matches",
        ),
        (
            json!({
                "op": "move", "file_path": "src/*.py", "selector": "function@def setup",
                "to": {"selector": "function@def main", "position": "after", "file_path": "src/other.py"},
            }),
            "edits[0]: the edit moves nodes of 2 files",
        ),
    ] {
        let refusal = refused(&bench, json!([edit.clone()]));
        assert!(refusal.contains(message), "{edit}: {refusal}");
    }
}

#[test]
fn a_move_of_several_nodes_keeps_their_order() {
    for (selectors, position) in [
        (["setup", "teardown"], "before"),
        (["setup", "teardown"], "after"),
        (["teardown", "setup"], "before"),
        (["teardown", "setup"], "after"),
    ] {
        let bench = fixture();
        let edit = json!({
            "op": "move", "file_path": "src/a.py", "selectors": selectors,
            "to": {"file_path": "src/other.py", "selector": "main", "position": position},
        });
        let made = previewed(&bench, json!([edit]));
        bench
            .call("apply_edit", json!({"edit_id": made.json["edit_id"]}))
            .expect("it can be written");
        let moved = text(&bench, "src/other.py");
        let names = ["main", selectors[0], selectors[1]];
        let at = names.map(|name| moved.find(&format!("def {name}(")).expect("it is there"));
        assert!(at[1] < at[2], "{moved}");
        assert_eq!(at[0] < at[1], position == "after", "{moved}");
        assert!(!text(&bench, "src/a.py").contains("def "));
    }
}

#[test]
fn an_amendment_adds_drops_and_reorders_edits() {
    let bench = fixture();
    let replace = |find: &str, new_content: &str| json!({"op": "replace_text", "find": find, "new_content": new_content});
    let arguments = json!({
        "file_path": "src/a.py", "apply": true,
        "edits": [replace("import os", "import io"), replace("import nothing", "import re"), replace("clear", "close")],
    });
    let refused = bench
        .call("edit_nodes", arguments)
        .expect_err("a find is not there");
    let edit_id = refused.edit_id().map(str::to_string);
    for (change, message) in [
        (
            json!({"skip": [3]}),
            "no edit has the edit_index 3; they are 0 to 2",
        ),
        (json!({"skip": [0, 1, 2]}), "skip leaves no edit"),
        (
            json!({"skip": [0], "only": [1]}),
            "only one of skip and only",
        ),
        (json!({"only": [1, 1]}), "only contains 1 twice"),
        (
            json!({"edits": [{"new_content": "x"}]}),
            "needs edit_index, from 0, or the op",
        ),
    ] {
        let mut amendment = change.clone();
        amendment["edit_id"] = json!(edit_id);
        let refusal = bench
            .call("amend_edit", amendment)
            .expect_err("it is invalid");
        assert!(
            refusal.text().contains(message),
            "{change}: {}",
            refusal.text()
        );
    }
    let amendment = json!({
        "edit_id": edit_id, "only": [2, 0],
        "edits": [replace("import sys", "import re"), {"edit_index": 0, "new_content": "import json"}],
    });
    let made = bench
        .call("amend_edit", amendment)
        .expect("all finds are there");
    assert_eq!(
        made.json["status"], "applied",
        "as the refused call was meant"
    );
    let expected = "import json\nimport re\n\n\ndef setup(app):\n    app.add(1)\n\n\ndef teardown(app):\n    app.close()\n";
    assert_eq!(text(&bench, "src/a.py"), expected);
}

#[test]
fn lists_may_be_json_text() {
    let bench = fixture();
    let edit = json!({
        "op": "delete", "file_path": "[\"src/a.py\", \"src/b.py\"]",
        "selectors": "[\"import@import os\", {\"anchor_text\": \"def setup\", \"ancestor_node_type\": \"function\"}]",
    });
    assert_eq!(changed(&previewed(&bench, json!([edit])).json).len(), 2);
}

#[test]
fn a_node_moves_within_each_file() {
    let bench = fixture();
    let edit = json!({
        "op": "move", "file_path": "src/**/*.py", "selector": "function@def teardown",
        "to": {"selector": "function@def setup", "position": "before"},
    });
    let made = previewed(&bench, json!([edit]));
    assert_eq!(
        changed(&made.json),
        ["src/a.py", "src/b.py", "src/deep/c.py"]
    );
    let id = json!({"edit_id": made.json["edit_id"]});
    bench.call("apply_edit", id).expect("nothing changed");
    for name in &FILES[..3] {
        let text = text(&bench, name);
        assert!(text.find("def teardown") < text.find("def setup"), "{text}");
    }
}

#[test]
fn a_node_that_already_has_the_text_is_left_as_it_is() {
    let bench = fixture();
    bench.write("src/b.py", "VERSION = 2\n");
    bench.write("src/a.py", "VERSION = 1\n");
    let edit = json!({
        "op": "replace", "file_path": "src/*.py", "selector": "integer@VERSION =", "new_content": "2",
    });
    let edit = with(
        edit,
        "selector",
        json!({"find": "VERSION = <|>", "ancestor_node_type": "integer"}),
    );
    let edit = match try_edits(&bench, json!([edit.clone()])) {
        Ok(_) => edit,
        Err(refusal) => panic!("{refusal}"),
    };
    let made = previewed(&bench, json!([edit.clone()]));
    assert_eq!(changed(&made.json), ["src/a.py"]);
    pinned(&bench, "a_node_with_the_text", &made.text);
    bench.write("src/a.py", "VERSION = 2\n");
    pinned(
        &bench,
        "nothing_would_change",
        &refused(&bench, json!([edit])),
    );
}

#[test]
fn a_staged_edit_of_a_glob_is_that_of_its_preview() {
    let bench = fixture();
    let made = previewed(&bench, json!([insertion(json!("src/**/*.py"))]));
    let id = json!({"edit_id": made.json["edit_id"]});
    // A new file that the glob matches is not part of the edit; a change elsewhere in a file is kept.
    bench.write("src/new.py", "def setup(app):\n    pass\n");
    let changed_text = text(&bench, "src/b.py") + "\n\n# the end\n";
    bench.write("src/b.py", &changed_text);
    let applied = bench.another_engine().call("apply_edit", id);
    let applied = applied.expect("the targets are the same").json;
    assert_eq!(applied["status"], "rebased");
    assert_eq!(changed(&applied), ["src/a.py", "src/b.py", "src/deep/c.py"]);
    assert!(text(&bench, "src/b.py").contains("    app.check()\n"));
    assert!(text(&bench, "src/b.py").ends_with("# the end\n"));
    assert_eq!(text(&bench, "src/new.py"), "def setup(app):\n    pass\n");
}

#[test]
fn a_staged_edit_whose_file_lost_its_match_is_stale() {
    let bench = fixture();
    let before = text(&bench, "src/a.py");
    let made = previewed(&bench, json!([insertion(json!("src/**/*.py"))]));
    let id = json!({"edit_id": made.json["edit_id"]});
    bench.write("src/b.py", "def main():\n    pass\n");
    let stale = bench.call("apply_edit", id);
    let stale = stale.expect_err("a target is gone").text();
    pinned(&bench, "a_stale_glob", &stale);
    assert_eq!(text(&bench, "src/a.py"), before);
}

/// What changed since may have a match too, or use a name whose import statements follow.
#[test]
fn a_staged_edit_of_all_matches_is_stale_if_a_file_changed() {
    let rename = json!({
        "op": "replace", "file_path": "a.py", "new_content": "two()", "expect_matches": 2,
        "selector": {"anchor_text": "one()", "ancestor_node_type": "call"},
    });
    let import = json!({
        "op": "replace", "file_path": "a.py", "new_content": "x = two()",
        "selector": {"anchor_text": "x =", "ancestor_node_type": "expression_statement"},
    });
    let before = "from m import one, two\n\nx = one()\ny = one()\n";
    for (edit, imports) in [(rename, false), (import, true)] {
        let bench = Bench::with("a.py", before);
        let made = bench.call("edit_nodes", json!({"edits": [edit], "imports": imports}));
        let made = made.unwrap_or_else(|refused| panic!("{}", refused.text()));
        let changed = format!("{before}z = one()\n");
        bench.write("a.py", &changed);
        let stale = bench.call("apply_edit", json!({"edit_id": made.json["edit_id"]}));
        let stale = stale.expect_err("another match may have been added");
        assert_eq!(stale.code().as_str(), "stale_edit");
        assert_eq!(text(&bench, "a.py"), changed);
    }
}

#[test]
fn a_refused_edit_of_several_files_can_be_amended() {
    let bench = fixture();
    let amended = |edit: Value, amendment: Value| {
        let refused = bench.call("edit_nodes", json!({"edits": [edit]}));
        let refused = refused.map(|answered| answered.text);
        let id = refused.expect_err("it is refused").json()["error"]["edit_id"].clone();
        let made = bench.call("amend_edit", with(amendment, "edit_id", id));
        made.unwrap_or_else(|refused| panic!("{}", refused.text()))
    };
    let wrong = json!(["src/a.py", "src/other.py"]);
    let made = amended(
        insertion(wrong),
        json!({"file_path": ["src/a.py", "src/b.py"]}),
    );
    assert_eq!(changed(&made.json), ["src/a.py", "src/b.py"]);
    let wrong = with(
        insertion(json!("src/**/*.py")),
        "selector",
        json!("function@def set_up"),
    );
    let made = amended(wrong, json!({"selector": "function@def setup"}));
    assert_eq!(changed(&made.json).len(), 3);
    let several = json!({
        "op": "insert", "file_path": "src/**/*.py", "position": "before", "new_content": "# x",
        "selectors": ["function@def setup", "function@def tear_down"],
    });
    let right = json!({"selectors": ["function@def setup", "function@def teardown"]});
    assert_eq!(changed(&amended(several.clone(), right).json).len(), 3);
    let made = amended(several, json!({"selector": "function@def main"}));
    assert_eq!(changed(&made.json), ["src/other.py"]);
    let counted = with(insertion(json!("src/**/*.py")), "expect_matches", json!(4));
    assert_eq!(
        changed(&amended(counted, json!({"expect_matches": 3})).json).len(),
        3
    );
}

#[test]
fn many_files_are_one_edit_with_a_short_answer() {
    let bench = Bench::new();
    for number in 0..1_100 {
        bench.write(
            &format!("f{number:04}.py"),
            "def setup(app):\n    app.add(1)\n",
        );
    }
    let edit = insertion(json!("*.py"));
    pinned(&bench, "too_many_files", &refused_in(&bench, &edit));
    let arguments = json!({"edits": [with(edit, "expect_matches", json!(1_100))]});
    let made = bench
        .call("edit_nodes", arguments)
        .expect("the number is right");
    assert_eq!(changed(&made.json).len(), 1_100);
    assert!(made.text.len() < 24_000, "{}", made.text.len());
    assert!(made.text.contains("more files)\n"), "{}", made.text);
    let id = json!({"edit_id": made.json["edit_id"]});
    let applied = bench
        .call("apply_edit", id.clone())
        .expect("nothing changed");
    assert!(applied.text.len() < 10_000, "{}", applied.text.len());
    assert!(text(&bench, "f1099.py").ends_with("    app.check()\n"));
    bench.call("undo_edit", id).expect("nothing changed");
    assert!(!text(&bench, "f0000.py").contains("check"));
}

fn refused_in(bench: &Bench, edit: &Value) -> String {
    try_edits(bench, json!([edit])).expect_err("it is refused")
}

#[test]
fn a_batch_makes_edits_of_globs_in_order() {
    let bench = fixture();
    let line =
        |edits: Value| json!({"tool": "edit_nodes", "arguments": {"edits": edits}}).to_string();
    let second = json!({
        "op": "replace", "file_path": "src/a.py", "selector": "call@app.check", "new_content": "app.checked()",
    });
    let input = [
        line(json!([insertion(json!("src/**/*.py"))])),
        line(json!([second])),
    ]
    .join("\n");
    let options = treegraft::engine::batch::Options {
        apply: true,
        ..Default::default()
    };
    let batch = bench.engine.batch(input.as_bytes(), options, None);
    let counts = batch.expect("the lines are valid").run(&mut |_| true, &());
    assert_eq!((counts.done, counts.refused), (2, 0));
    assert!(text(&bench, "src/a.py").contains("    app.checked()\n"));
}

#[test]
fn a_pattern_names_the_node_in_each_file() {
    let bench = fixture();
    bench.write("src/notes.md", "Text.\n\n```python\napp.add(4)\n```\n");
    bench.write("src/x.js", "app.add(5);\napp.clear();\n");
    bench.write("src/x.json", "{}\n");
    let edit = |pattern: &str| {
        json!([{
            "op": "replace", "file_path": "src/**/*", "selector": {"pattern": pattern},
            "new_content": "app.put()",
        }])
    };
    let made = previewed(&bench, edit("app.add($A)"));
    let files = [
        "src/a.py",
        "src/b.py",
        "src/deep/c.py",
        "src/notes.md",
        "src/x.js",
    ];
    assert_eq!(changed(&made.json), files);
    pinned(
        &bench,
        "a_pattern_without_a_match",
        &refused(&bench, edit("app.remove($A)")),
    );
    pinned(
        &bench,
        "an_invalid_pattern",
        &refused(&bench, edit("app.add($A")),
    );
    pinned(
        &bench,
        "a_pattern_with_several_matches",
        &refused(&bench, edit("app.$F($$$A)")),
    );
    // It names the nodes of one selector among several.
    let both = json!([{
        "op": "delete", "file_path": ["src/a.py", "src/b.py"],
        "selectors": [{"pattern": "import os"}, {"pattern": "def teardown($$$A):\n    $$$B"}, "import@import sys"],
    }]);
    assert_eq!(
        changed(&previewed(&bench, both).json),
        ["src/a.py", "src/b.py"]
    );
}

#[test]
fn a_text_is_replaced_in_each_file() {
    let bench = fixture();
    let edit = json!([{
        "file_path": "src/**/*.py", "find": "app.add(<|><..><|>)", "new_content": "0",
    }]);
    let arguments = json!({"edits": edit, "apply": true});
    bench
        .call("edit_nodes", arguments)
        .expect("each file has one");
    for name in &FILES[..3] {
        assert!(text(&bench, name).contains("    app.add(0)\n"), "{name}");
    }
    let edit = json!([{"file_path": "src/**/*.py", "find": "sy", "new_content": "x"}]);
    pinned(&bench, "a_part_of_a_word", &refused(&bench, edit));
}

#[test]
fn an_edit_among_others_in_the_same_files() {
    let bench = fixture();
    let edits = json!([
        insertion(json!("src/**/*.py")),
        {"op": "delete", "file_path": "src/a.py", "selector": "import@import os"},
        with(
            insertion(json!(["src/a.py", "src/b.py"])),
            "selector",
            json!("function@def teardown"),
        ),
    ]);
    let made = previewed(&bench, edits);
    assert_eq!(
        made.json["files"][0]["edits"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(made.json["files"][0]["added_lines"], 2);
    // A file whose only edit is that of the other entry.
    let edits = json!([
        {"op": "delete", "file_path": "src/*.py", "selector": "function@def main"},
        {"op": "delete", "file_path": "src/**/a.py", "selector": "import@import os"},
    ]);
    assert_eq!(
        changed(&previewed(&bench, edits).json),
        ["src/other.py", "src/a.py"]
    );
}

#[test]
fn a_glob_is_relative_to_the_current_directory() {
    let bench = fixture();
    let inner = bench.another_engine().relative_to("src");
    let made = previewed(&inner, json!([insertion(json!("**/*.py"))]));
    assert_eq!(changed(&made.json), ["a.py", "b.py", "deep/c.py"]);
    let wrong = with(
        insertion(json!("*.py")),
        "selector",
        json!("function@def set_up"),
    );
    let refused = inner.call("edit_nodes", json!({"edits": [wrong]}));
    let refused = refused.map(|answered| answered.text);
    let id = refused.expect_err("no file has it").json()["error"]["edit_id"].clone();
    let amendment = json!({"edit_id": id, "selector": "function@def setup"});
    let amended = bench
        .call("amend_edit", amendment)
        .expect("two files have it");
    assert_eq!(changed(&amended.json), ["src/a.py", "src/b.py"]);
    let id = json!({"edit_id": made.json["edit_id"]});
    let applied = bench.call("apply_edit", id).expect("nothing changed");
    assert_eq!(
        changed(&applied.json),
        ["src/a.py", "src/b.py", "src/deep/c.py"]
    );
}
