//! Files that are created, deleted and moved as a whole, with edits of other files in one call: what
//! the preview shows, what is written, what is restored, and what is refused.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and read the results"
)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use treegraft::engine::response::RefusedCall;

use crate::support::{Answered, Bench, patched, steady};

fn pinned(name: &str, text: &str) {
    crate::support::snapshots("flows").bind(|| insta::assert_snapshot!(name, steady(text)));
}

const A: &str = "fn a() {}\n";

fn create(path: &str, new_content: &str) -> Value {
    json!({"op": "create_file", "file_path": path, "new_content": new_content})
}

fn delete(path: &str) -> Value {
    json!({"op": "delete_file", "file_path": path})
}

fn rename(path: &str, to: &str) -> Value {
    json!({"op": "move_file", "file_path": path, "to": to})
}

fn replace_text(path: &str, find: &str, new_content: &str) -> Value {
    json!({"file_path": path, "find": find, "new_content": new_content})
}

fn called(bench: &Bench, edits: Value, apply: bool) -> Result<Answered, Box<RefusedCall>> {
    bench.call("edit_nodes", json!({"edits": edits, "apply": apply}))
}

fn made(bench: &Bench, edits: Value, apply: bool) -> Answered {
    let made = called(bench, edits, apply);
    made.unwrap_or_else(|refusal| panic!("{}", refusal.text()))
}

fn refused(bench: &Bench, edits: Value) -> String {
    let before = tree(bench.root());
    for apply in [false, true] {
        let refusal = called(bench, edits.clone(), apply).expect_err("it is to be refused");
        assert_eq!(tree(bench.root()), before);
        if apply {
            let text = refusal.text();
            return text.replace(bench.root().to_str().expect("it is UTF-8"), "[root]");
        }
    }
    unreachable!("the call is made twice")
}

fn apply(bench: &Bench, edit_id: &Value) -> Result<Answered, Box<RefusedCall>> {
    // In another process than the preview.
    let engine = bench.another_engine();
    engine.call("apply_edit", json!({"edit_id": edit_id}))
}

fn undo(bench: &Bench, edit_id: &Value) -> Result<Answered, Box<RefusedCall>> {
    let engine = bench.another_engine();
    engine.call("undo_edit", json!({"edit_id": edit_id}))
}

/// Returns all files and directories below a folder: the path, the mode, and the text.
fn tree(root: &Path) -> Vec<(String, u32, Option<Vec<u8>>)> {
    let mut all = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("it can be listed") {
            let path = entry.expect("it is there").path();
            let metadata = path.symlink_metadata().expect("it is there");
            let name = path.strip_prefix(root).expect("it is below the root");
            let text = match metadata.is_dir() {
                true => None,
                false => Some(fs::read(&path).unwrap_or_default()),
            };
            all.push((name.to_string_lossy().into_owned(), mode(&metadata), text));
            if metadata.is_dir() {
                open.push(path);
            }
        }
    }
    all.sort();
    all
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    match metadata.is_dir() {
        true => 0,
        false => metadata.permissions().mode() & 0o7777,
    }
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    0
}

fn names(bench: &Bench) -> Vec<String> {
    let all = tree(bench.root()).into_iter();
    all.map(|(name, ..)| name).collect()
}

fn text(bench: &Bench, name: &str) -> String {
    String::from_utf8(bench.read(name)).expect("it is text")
}

/// A workspace with four files.
fn bench() -> Bench {
    let bench = Bench::with("a.rs", A);
    bench.write("old.rs", "//! Old.\n\nfn old() {}\n");
    bench.write("from.rs", "fn moved() {\n    1\n}\n");
    bench.write("main.rs", "mod a;\nmod from;\nmod old;\n\nfn main() {}\n");
    bench
}

/// All operations in one call, with edits of another file.
fn everything() -> Value {
    json!([
        create("new/deep/b.rs", "fn b() {}\n"),
        delete("old.rs"),
        rename("from.rs", "new/to.rs"),
        replace_text("main.rs", "mod old;", "mod new;"),
    ])
}

#[test]
fn all_of_them_are_one_edit_with_edits_of_nodes() {
    let bench = bench();
    let before = tree(bench.root());
    let previewed = made(&bench, everything(), false);
    assert_eq!(tree(bench.root()), before);
    pinned("files_previewed", &previewed.text);
    let edit_id = &previewed.json["edit_id"];
    let listed = bench.call("list_edits", json!({"edit_id": edit_id}));
    let listed = listed.expect("it is there").json["edits"][0].clone();
    let diffs = previewed.json["files"].as_array().expect("they are listed");
    let mut diffs: Vec<&str> = diffs
        .iter()
        .filter_map(|file| file["diff"].as_str())
        .collect();
    diffs.sort_by_key(|diff| diff.starts_with("diff --git"));
    assert_eq!(listed["diff"], diffs.concat());

    let applied = apply(&bench, edit_id).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    pinned("files_applied", &applied.text);
    assert_eq!(
        names(&bench),
        [
            "a.rs",
            "main.rs",
            "new",
            "new/deep",
            "new/deep/b.rs",
            "new/to.rs"
        ]
    );
    assert_eq!(text(&bench, "new/deep/b.rs"), "fn b() {}\n");
    assert_eq!(text(&bench, "new/to.rs"), "fn moved() {\n    1\n}\n");
    assert_eq!(
        text(&bench, "main.rs"),
        "mod a;\nmod from;\nmod new;\n\nfn main() {}\n"
    );
    let after = tree(bench.root());

    let undone = undo(&bench, edit_id).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    pinned("files_undone", &undone.text);
    assert_eq!(tree(bench.root()), before);
    // And again, at once.
    apply(&bench, edit_id).expect("it is pending again");
    assert_eq!(tree(bench.root()), after);
    undo(&bench, edit_id).expect("nothing changed since");
    let at_once = made(&bench, everything(), true);
    pinned("files_at_once", &at_once.text);
    assert_eq!(tree(bench.root()), after);
    undo(&bench, &at_once.json["edit_id"]).expect("nothing changed since");
    assert_eq!(tree(bench.root()), before);
}

#[test]
fn a_diff_of_a_file_is_one_that_patch_accepts() {
    let contents = [
        "",
        "a",
        "a\n",
        "a\nb",
        "a\r\nb\r\n",
        "\u{feff}a\n",
        "\n",
        "a\rb",
    ];
    for content in contents {
        let bench = Bench::new();
        let created = made(&bench, json!([create("a.txt", content)]), true);
        assert_eq!(text(&bench, "a.txt"), content);
        let edit_id = &created.json["edit_id"];
        let shown = |tool: &str| {
            let full = json!({"edit_id": edit_id, "diff": "full"});
            let answer = bench.call(tool, full).expect("nothing changed since");
            answer.json["files"][0]["diff"].as_str().map(str::to_string)
        };
        let undone = shown("undo_edit").expect("it is shown");
        assert_eq!(names(&bench), [""; 0]);
        assert_eq!(patched(content, &undone), "", "{undone}");
        let again = shown("apply_edit").expect("it is shown");
        assert_eq!(patched("", &again), content, "{again}");
        assert!(
            again.contains("/dev/null\n") || content.is_empty(),
            "{again}"
        );

        let deleted = made(&bench, json!([delete("a.txt")]), false);
        let diff = deleted.json["files"][0]["diff"]
            .as_str()
            .expect("it is shown");
        assert_eq!(patched(content, diff), "", "{diff}");
        let edit_id = &deleted.json["edit_id"];
        apply(&bench, edit_id).expect("nothing changed since");
        assert_eq!(names(&bench), [""; 0]);
        undo(&bench, edit_id).expect("the file has not come back");
        assert_eq!(text(&bench, "a.txt"), content);
    }
}

#[test]
#[cfg(unix)]
fn git_and_patch_apply_the_diffs() {
    let bench = bench();
    bench.write("empty.txt", "");
    let edits = json!([
        create("n.rs", "fn n() {}\n"),
        create("blank.txt", ""),
        delete("old.rs"),
        delete("empty.txt"),
        rename("from.rs", "to.rs"),
    ]);
    let previewed = made(&bench, edits, false);
    let listed = bench.call("list_edits", json!({"edit_id": previewed.json["edit_id"]}));
    let listed = listed.expect("it is there");
    let diffs = listed.json["edits"][0]["diff"]
        .as_str()
        .expect("it is shown");
    let other = tempfile::tempdir().expect("a temporary directory can be created");
    crate::support::copy(bench.root(), other.path());
    fs::write(other.path().join("x.diff"), diffs).expect("it can be written");
    crate::support::git(other.path(), &["init", "-q"]);
    crate::support::git(other.path(), &["apply", "x.diff"]);
    fs::remove_file(other.path().join("x.diff")).expect("it is there");
    fs::remove_dir_all(other.path().join(".git")).expect("it is there");
    apply(&bench, &previewed.json["edit_id"]).expect("nothing changed since");
    assert_eq!(tree(other.path()), tree(bench.root()), "{diffs}");
}

#[test]
#[cfg(unix)]
fn modes_are_kept_and_restored() {
    use std::os::unix::fs::PermissionsExt;
    let bench = bench();
    for (name, mode) in [("from.rs", 0o755), ("old.rs", 0o640)] {
        let path = bench.root().join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    }
    let before = tree(bench.root());
    for edits in [
        json!([rename("from.rs", "x/to.rs")]),
        json!([delete("old.rs")]),
        everything(),
    ] {
        let previewed = made(&bench, edits, false);
        let edit_id = &previewed.json["edit_id"];
        apply(&bench, edit_id).expect("nothing changed since");
        let after = tree(bench.root());
        let moved = after.iter().find(|(name, ..)| name.ends_with("to.rs"));
        assert!(moved.is_none_or(|(_, mode, _)| *mode == 0o755));
        assert_ne!(after, before);
        undo(&bench, edit_id).expect("nothing changed since");
        assert_eq!(tree(bench.root()), before);
    }
    // A new file has the mode that any new file has.
    fs::write(bench.root().join("usual.rs"), "").expect("it can be written");
    made(&bench, json!([create("new.rs", A)]), true);
    let metadata = |name: &str| fs::metadata(bench.root().join(name)).expect("it is there");
    assert_eq!(mode(&metadata("new.rs")), mode(&metadata("usual.rs")));
}

#[test]
fn undo_removes_only_the_folders_that_it_made_and_that_are_empty() {
    let bench = bench();
    fs::create_dir(bench.root().join("there")).expect("it can be made");
    let first = made(&bench, json!([create("there/x/y/b.rs", A)]), true);
    undo(&bench, &first.json["edit_id"]).expect("nothing changed since");
    assert_eq!(
        names(&bench),
        ["a.rs", "from.rs", "main.rs", "old.rs", "there"]
    );
    apply(&bench, &first.json["edit_id"]).expect("it is pending again");
    bench.write("there/x/other.txt", "");
    undo(&bench, &first.json["edit_id"]).expect("nothing changed since");
    let left = names(&bench);
    assert_eq!(left[4..], ["there", "there/x", "there/x/other.txt"]);
    // A deleted file comes back although its folder has gone.
    bench.write("there/x/other.txt", A);
    let gone = made(&bench, json!([delete("there/x/other.txt")]), true);
    fs::remove_dir(bench.root().join("there/x")).expect("it is empty");
    undo(&bench, &gone.json["edit_id"]).expect("the path is free");
    assert_eq!(text(&bench, "there/x/other.txt"), A);
}

#[test]
fn nothing_is_overwritten() {
    let bench = bench();
    fs::create_dir(bench.root().join("folder")).expect("it can be made");
    bench.write("folder/c.rs", A);
    let all = [
        json!([create("a.rs", "fn other() {}\n")]),
        json!([create("folder", "")]),
        json!([create("folder/", "")]),
        json!([create(".", "")]),
        json!([create("a.rs/b.rs", "")]),
        json!([create("a.rs/b/", "")]),
        json!([rename("a.rs", "old.rs")]),
        json!([rename("a.rs", "folder")]),
        json!([rename("a.rs", "./a.rs")]),
        json!([rename("a.rs", "a.rs/b.rs")]),
        json!([rename("a.rs", "old.rs"), rename("old.rs", "a.rs")]),
        json!([rename("a.rs", "old.rs"), delete("old.rs")]),
        json!([create("n.rs", ""), create("n.rs", A)]),
        json!([create("n.rs", ""), create("folder/../n.rs", A)]),
        json!([create("n.rs", ""), rename("a.rs", "n.rs")]),
        json!([rename("a.rs", "n.rs"), rename("old.rs", "n.rs")]),
        json!([rename("a.rs", "n.rs"), rename("a.rs", "m.rs")]),
        json!([create("n.rs", A), create("n.rs/b.rs", A)]),
        json!([delete("a.rs"), delete("a.rs")]),
        json!([delete("a.rs"), replace_text("a.rs", "fn a", "fn b")]),
        json!([replace_text("a.rs", "fn a", "fn b"), delete("a.rs")]),
        json!([rename("a.rs", "n.rs"), replace_text("a.rs", "fn a", "fn b")]),
        json!([rename("a.rs", "n.rs"), replace_text("n.rs", "fn a", "fn b")]),
        json!([delete("folder")]),
        json!([delete("missing.rs")]),
        json!([rename("missing.rs", "n.rs")]),
        json!([delete("*.rs")]),
        json!([{"op": "delete_file", "file_path": ["a.rs", "old.rs"]}]),
        json!([{"op": "delete_file", "file_path": "a.rs", "selector": "@fn a"}]),
        json!([{"op": "create_file", "file_path": "n.rs"}]),
        json!([{"op": "move_file", "file_path": "a.rs"}]),
        json!([create("", A)]),
        json!([create("n.rs", "fn n() {")]),
        json!([
            create("n.rs", "fn n() {}\n\nfn m( {}\n"),
            replace_text("n.rs", "fn n", "fn o")
        ]),
        json!([create("n.rs", "```rust\nfn n() {}\n```\n")]),
        json!([create("n.json", "{\"a\": 1,}")]),
        json!([create("n.rs", "\0")]),
        json!([create(&format!("{}.rs", "n".repeat(300)), A)]),
        json!([create(&"n/".repeat(3_000), A)]),
        json!([create("../n.rs", A)]),
        json!([create("x/../../n.rs", A)]),
        json!([create("x/.git/config", A)]),
        json!([create(".git/config", A)]),
        json!([create(".treegraft-0123456789abcdef.tmp", A)]),
        json!([create("x/.treegraft-0123456789abcdef.tmp/a.rs", A)]),
        json!([create("n\n.rs", A)]),
        json!([rename("a.rs", "../n.rs")]),
    ];
    let mut text = String::new();
    for edits in all {
        let shown = match edits.to_string() {
            long if long.len() > 300 => format!("{}...", &long[..80]),
            short => short,
        };
        let refusal = refused(&bench, edits).replace(&"n/".repeat(3_000), "n/...");
        text += &format!("{shown}\n{}\n", refusal.replace(&"n".repeat(300), "n..."));
    }
    let digests = regex_free(&text);
    pinned("files_refused", &digests);
}

/// Cuts long lines.
fn regex_free(text: &str) -> String {
    let lines = text.lines().map(|line| match line.char_indices().nth(400) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_string(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_came_or_changed_since_the_preview_is_refused() {
    let cases = [
        ("files_stale_created", json!([create("n.rs", A)]), "n.rs"),
        ("files_stale_deleted", json!([delete("a.rs")]), "a.rs"),
        ("files_stale_moved", json!([rename("a.rs", "n.rs")]), "a.rs"),
        (
            "files_stale_destination",
            json!([rename("a.rs", "n.rs")]),
            "n.rs",
        ),
        ("files_stale_all", everything(), "new/to.rs"),
    ];
    for (name, edits, changed) in cases {
        let bench = bench();
        let previewed = made(&bench, edits, false);
        let path = bench.root().join(changed);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        for text in ["fn somebody_else() {}\n", ""] {
            fs::write(&path, text).expect("it can be written");
            let before = tree(bench.root());
            let refusal = apply(&bench, &previewed.json["edit_id"]);
            let refusal = refusal.expect_err("it changed since").text();
            assert_eq!(tree(bench.root()), before);
            if !text.is_empty() {
                pinned(
                    name,
                    &refusal.replace(bench.root().to_str().expect("UTF-8"), "[root]"),
                );
            }
        }
    }
}

#[test]
fn an_undo_leaves_alone_what_changed_since() {
    let bench = bench();
    let applied = made(&bench, everything(), true);
    let edit_id = &applied.json["edit_id"];
    let mut refusals = String::new();
    let mut check = |path: &str, now: Option<&str>| {
        let path = bench.root().join(path);
        let was = fs::read(&path).ok();
        match now {
            Some(text) => fs::write(&path, text).expect("it can be written"),
            None => fs::remove_file(&path).expect("it is there"),
        }
        let before = tree(bench.root());
        let refusal = undo(&bench, edit_id).expect_err("it changed since").text();
        assert_eq!(tree(bench.root()), before);
        refusals += &refusal.replace(bench.root().to_str().expect("UTF-8"), "[root]");
        match was {
            Some(bytes) => fs::write(&path, bytes).expect("it can be written"),
            None => fs::remove_file(&path).expect("it is there"),
        }
    };
    check("new/deep/b.rs", Some("fn changed() {}\n"));
    check("new/deep/b.rs", None);
    check("new/to.rs", Some("fn changed() {}\n"));
    check("from.rs", Some(""));
    check("old.rs", Some("fn again() {}\n"));
    pinned("files_undo_refused", &refusals);
    undo(&bench, edit_id).expect("all is as the edit left it");
}

#[test]
fn letters_of_another_case_are_another_name() {
    let bench = bench();
    let moved = made(&bench, json!([rename("a.rs", "A.rs")]), true);
    assert_eq!(names(&bench)[0], "A.rs");
    undo(&bench, &moved.json["edit_id"]).expect("nothing changed since");
    assert_eq!(names(&bench)[0], "a.rs");
}

#[test]
fn names_with_wildcards_are_taken_as_they_are() {
    let bench = bench();
    let edits = json!([
        create("app/[slug]/page.tsx", "export const a = 1;\n"),
        rename("a.rs", "*.rs")
    ]);
    let previewed = made(&bench, edits, false);
    let edit_id = &previewed.json["edit_id"];
    apply(&bench, edit_id).expect("nothing changed since");
    assert_eq!(
        names(&bench)[..4],
        ["*.rs", "app", "app/[slug]", "app/[slug]/page.tsx"]
    );
    let deleted = made(
        &bench,
        json!([delete("app/[slug]/page.tsx"), delete("*.rs")]),
        true,
    );
    undo(&bench, &deleted.json["edit_id"]).expect("nothing changed since");
    undo(&bench, edit_id).expect("nothing changed since");
    assert_eq!(names(&bench), ["a.rs", "from.rs", "main.rs", "old.rs"]);
}

#[test]
fn insertions_and_moves_create_their_file() {
    let bench = bench();
    let insert = json!({
        "file_path": "new/m.rs", "selector": "function_item@fn m", "position": "after",
        "new_content": "fn n() {}", "create": "//! New.\n\nfn m() {}\n",
    });
    let missing = {
        let mut call = insert.clone();
        call.as_object_mut()
            .expect("it is an object")
            .remove("create");
        call["new_content"] = json!("fn n( {{{");
        bench
            .call("insert_node", call)
            .expect_err("there is no such file")
            .text()
    };
    pinned("files_insert_missing", &missing);
    let previewed = bench.call("insert_node", insert).expect("the path is free");
    pinned("files_insert_created", &previewed.text);
    let edit_id = &previewed.json["edit_id"];
    apply(&bench, edit_id).expect("the path is free");
    assert_eq!(
        text(&bench, "new/m.rs"),
        "//! New.\n\nfn m() {}\nfn n() {}\n"
    );
    undo(&bench, edit_id).expect("nothing changed since");
    assert_eq!(names(&bench), ["a.rs", "from.rs", "main.rs", "old.rs"]);

    let call = |create: Option<&str>, apply: bool| {
        let mut to =
            json!({"file_path": "n.rs", "selector": "function_item@fn m", "position": "before"});
        if let Some(create) = create {
            to["create"] = json!(create);
        }
        let call = json!({"file_path": "old.rs", "selector": "function_item@fn old", "to": to, "apply": apply});
        bench.call("move_node", call)
    };
    let missing = call(None, true).expect_err("there is no such file").text();
    pinned("files_move_missing", &missing);
    let moved = call(Some("fn m() {}\n"), true).expect("the path is free");
    pinned("files_move_created", &moved.text);
    assert_eq!(text(&bench, "n.rs"), "fn old() {}\nfn m() {}\n");
    assert_eq!(text(&bench, "old.rs"), "//! Old.\n");
    let again = call(Some("fn m() {}\n"), true)
        .expect_err("the node has gone")
        .text();
    pinned("files_move_existing", &again);
    undo(&bench, &moved.json["edit_id"]).expect("nothing changed since");
    assert_eq!(text(&bench, "old.rs"), "//! Old.\n\nfn old() {}\n");
    assert_eq!(names(&bench), ["a.rs", "from.rs", "main.rs", "old.rs"]);

    // A file that came since the preview is not overwritten, and the preview is not applied to it.
    let previewed = call(Some("fn m() {}\n"), false).expect("the path is free");
    bench.write("n.rs", "fn m() {}\n");
    let refusal = apply(&bench, &previewed.json["edit_id"]).expect_err("the file exists");
    assert_eq!(refusal.code().as_str(), "file_exists");
    assert_eq!(text(&bench, "old.rs"), "//! Old.\n\nfn old() {}\n");
}

#[test]
fn a_refused_creation_can_be_amended() {
    let bench = bench();
    let refusal = called(&bench, json!([create("n.rs", "fn n() {")]), false);
    let refusal = refusal.expect_err("a bracket is missing");
    let edit_id = refusal.edit_id().expect("it is kept");
    let amended = json!({"edit_id": edit_id, "new_content": "fn n() {}\n"});
    let previewed = bench.call("amend_edit", amended).expect("it is whole now");
    let amended = json!({"edit_id": previewed.json["edit_id"], "file_path": "m.rs", "apply": true});
    bench.call("amend_edit", amended).expect("the path is free");
    assert_eq!(text(&bench, "m.rs"), "fn n() {}\n");
    let moved = made(&bench, json!([rename("m.rs", "n.rs")]), false);
    let amended = json!({"edit_id": moved.json["edit_id"], "to": "o.rs", "apply": true});
    bench.call("amend_edit", amended).expect("the path is free");
    assert_eq!(
        names(&bench),
        ["a.rs", "from.rs", "main.rs", "o.rs", "old.rs"]
    );
    // A broken file may be created on purpose.
    let allowed =
        json!({"edits": [create("p.rs", "fn p() {")], "allow": ["syntax_errors"], "apply": true});
    let allowed = bench.call("edit_nodes", allowed).expect("it is allowed");
    pinned("files_allowed", &allowed.text);
}

#[test]
fn a_refused_creation_inside_a_file_is_listed() {
    let bench = bench();
    let refusal = called(&bench, json!([create("a.rs/n.rs", A)]), false);
    let refusal = refusal.expect_err("a.rs is a file");
    let edit_id = refusal.edit_id().expect("it is kept");
    let listed = bench.call("list_edits", json!({"edit_id": edit_id}));
    let listed = listed.expect("it is listed").json;
    assert_eq!(listed["edits"][0]["status"], "refused");
}

#[test]
#[cfg(unix)]
fn links_and_permissions_are_respected() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bench = bench();
    let outside = tempfile::tempdir().expect("a temporary directory can be created");
    let link = |target: &Path, name: &str| {
        symlink(target, bench.root().join(name)).expect("it can be made");
    };
    link(outside.path(), "out");
    link(&outside.path().join("n.rs"), "out.rs");
    fs::create_dir(bench.root().join("inner")).expect("it can be made");
    link(Path::new("inner"), "in");
    bench.write("locked.rs", A);
    fs::set_permissions(
        bench.root().join("locked.rs"),
        fs::Permissions::from_mode(0o444),
    )
    .expect("it is ours");
    fs::hard_link(bench.root().join("old.rs"), bench.root().join("twin.rs")).expect("it can be");
    let all = [
        json!([create("out/n.rs", A)]),
        json!([create("out/x/n.rs", A)]),
        json!([create("out.rs", A)]),
        json!([rename("a.rs", "out/n.rs")]),
        json!([delete("locked.rs")]),
        json!([rename("locked.rs", "n.rs")]),
        json!([delete("twin.rs")]),
        json!([rename("twin.rs", "n.rs")]),
    ];
    let mut text = String::new();
    for edits in all {
        let shown = edits.to_string();
        let before = tree(bench.root());
        let refusal = called(&bench, edits, true).expect_err("it is to be refused");
        assert_eq!(tree(bench.root()), before);
        text += &format!("{shown}\n{}\n", refusal.text());
    }
    let root = bench.root().to_str().expect("it is UTF-8");
    pinned("files_links_refused", &text.replace(root, "[root]"));
    assert!(tree(outside.path()).is_empty());
    // A link in the workspace is followed; the path in the answer is the real one.
    let created = made(&bench, json!([create("in/n.rs", A)]), true);
    assert_eq!(created.json["files"][0]["file_path"], "inner/n.rs");

    // A folder that becomes a link after the preview.
    let previewed = made(&bench, json!([create("inner/m.rs", A)]), false);
    fs::rename(bench.root().join("inner"), bench.root().join("away")).expect("it can be");
    link(outside.path(), "inner");
    let refusal = apply(&bench, &previewed.json["edit_id"]).expect_err("it leads outside");
    assert_eq!(refusal.code().as_str(), "outside_workspace");
    fs::remove_file(bench.root().join("inner")).expect("it is there");
    link(&bench.root().join("away"), "inner");
    let refusal = apply(&bench, &previewed.json["edit_id"]).expect_err("it leads elsewhere");
    assert_eq!(refusal.code().as_str(), "stale_edit");
    let refusal = undo(&bench, &created.json["edit_id"]).expect_err("it leads elsewhere");
    assert_eq!(refusal.code().as_str(), "stale_edit");
    assert!(tree(outside.path()).is_empty());
}

#[test]
fn an_agent_that_only_stages_creates_nothing() {
    let bench = bench();
    let root = camino::Utf8PathBuf::from_path_buf(bench.root().to_path_buf()).expect("UTF-8");
    let state = camino::Utf8PathBuf::from_path_buf(bench.state().to_path_buf()).expect("UTF-8");
    let caller = treegraft::engine::Caller::Agent { stage_only: true };
    let engine = treegraft::Engine::open_for(caller, &[&root], Some(&state)).expect("it opens");
    let before = tree(bench.root());
    let arguments = json!({"edits": everything(), "apply": true});
    let refusal = crate::support::call(&engine, "edit_nodes", arguments);
    let refusal = refusal.expect_err("a person has to approve it");
    assert_eq!(refusal.code().as_str(), "approval_required");
    assert_eq!(tree(bench.root()), before);
    pinned(
        "files_not_approved",
        &refusal.text().replace(root.as_str(), "[root]"),
    );
    let edit_id = json!(refusal.edit_id());
    apply(&bench, &edit_id).expect("a person may");
    let undone = crate::support::call(&engine, "undo_edit", json!({"edit_id": edit_id}));
    assert_eq!(
        undone.expect_err("not by an agent").code().as_str(),
        "approval_required"
    );
    undo(&bench, &edit_id).expect("a person may");
    assert_eq!(tree(bench.root()), before);
}

#[test]
fn moved_text_is_no_sketch_but_the_content_of_a_created_file_may_be() {
    let bench = Bench::with(
        "a.py",
        "def a():\n    # ... existing code ...\n    return 1\n\n\ndef b():\n    return 2\n",
    );
    let moved = json!({"op": "move", "file_path": "a.py", "selector": "a", "to": {"file_path": "n.py", "selector": "c", "position": "after"}});
    let first = "def c():\n    return 3\n";
    made(&bench, json!([create("n.py", first), moved]), false);
    let sketch = format!("# ... rest of code ...\n{first}");
    let refused = refused(&bench, json!([create("n.py", &sketch), moved]));
    assert!(refused.contains("suspicious_content"), "{refused}");
}

#[test]
fn a_call_creates_a_file_and_edits_it_or_moves_into_it() {
    for apply in [false, true] {
        let bench = Bench::with("a.rs", "fn a() {}\n\nfn b() {}\n");
        let edits = json!([
            create("new.rs", "const LIMIT: u8 = 1;\n\nfn first() -> u8 {\n    LIMIT\n}\n"),
            replace_text("new.rs", "u8 = <|>1<|>", "3"),
            {"op": "insert", "file_path": "new.rs", "selector": "first", "position": "after", "new_content": "fn last() {}"},
            {"op": "move", "file_path": "a.rs", "selector": "a", "to": {"file_path": "new.rs", "selector": "first", "position": "before"}},
        ]);
        let made = made(&bench, edits, apply);
        if !apply {
            bench
                .call("apply_edit", json!({"edit_id": made.json["edit_id"]}))
                .expect("it can be applied");
        }
        let new = fs::read_to_string(bench.root().join("new.rs")).expect("it is created");
        let expected = "const LIMIT: u8 = 3;\n\nfn a() {}\n\nfn first() -> u8 {\n    LIMIT\n}\n\nfn last() {}\n";
        assert_eq!(new, expected);
        let left = fs::read_to_string(bench.root().join("a.rs")).expect("it stays");
        assert_eq!(left, "fn b() {}\n");
        let undo = json!({"edit_id": made.json["edit_id"]});
        bench.call("undo_edit", undo).expect("it can be undone");
        assert!(!bench.root().join("new.rs").exists());
    }
}
