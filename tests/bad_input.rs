//! Bad input gets a named refusal or a correct edit: no panic, and no byte changes that should not.

#![expect(clippy::disallowed_methods, reason = "tests create bad files")]

use std::fs;

use serde_json::{Value, json};
use treegraft::engine::{Engine, FILE_LIMIT};

use crate::support::{Bench, folder_of, steady};

/// Returns the file path and the whole refusal of one call.
fn refused(bench: &Bench, file_path: &str, anchor: &str, node_type: &str) -> String {
    let arguments = replacing(file_path, anchor, node_type, "x");
    match bench.call("replace_node", arguments) {
        Ok(answered) => panic!("{file_path} was edited: {}", answered.text),
        Err(refusal) => refusal.text(),
    }
}

/// Returns the arguments of a `replace_node` call that previews.
fn replacing(file_path: &str, anchor: &str, node_type: &str, content: &str) -> Value {
    json!({
        "file_path": file_path,
        "selector": {"anchor_text": anchor, "ancestor_node_type": node_type},
        "new_content": content,
    })
}

fn pinned(bench: &Bench, name: &str, text: &str) {
    let root = bench.root().canonicalize().expect("the workspace exists");
    let text = text.replace(root.to_string_lossy().as_ref(), "<root>");
    let code = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("refused: "));
    let code = code.expect("a refusal starts with its code");
    let settings = crate::support::snapshots(&format!("diagnostics/{code}"));
    settings.bind(|| insta::assert_snapshot!(name, steady(&text)));
}

#[test]
fn missing_files_and_folders_are_refused_by_name() {
    let bench = Bench::with("main.rs", "fn main() {}\n");
    fs::create_dir(bench.root().join("src")).expect("the workspace can be written");
    let missing = refused(&bench, "mian.rs", "fn main", "function_item");
    let folder = refused(&bench, "src", "fn main", "function_item");
    pinned(&bench, "missing_file_names_the_nearest", &missing);
    pinned(&bench, "folder", &folder);
}

#[test]
fn an_existing_file_is_not_created() {
    let bench = Bench::with("main.rs", "fn main() {}\n");
    let create =
        json!({"op": "create_file", "file_path": "main.rs", "new_content": "fn other() {}\n"});
    let refused = bench.call("edit_nodes", json!({"edits": [create]}));
    let refused = refused.expect_err("the file is there").text();
    pinned(&bench, "created", &refused);
}

#[test]
fn a_position_in_a_compiler_message_names_its_file() {
    let bench = Bench::with("main.rs", "fn main() {\n    run();\n}\n");
    let described = |position: &str| bench.call("locate", json!({"position": position}));
    let found = described("main.rs:2:5: error[E0425]: cannot find function `run`");
    assert_eq!(
        found.expect("the file is there").json["locate"],
        "main.rs@run"
    );
    let refusal = described("mian.rs:2:5: error").expect_err("the file is not there");
    let suggested = refusal.suggestions().remove(0);
    let called = bench.call(&suggested.tool, suggested.arguments);
    assert_eq!(called.expect("it works").json["locate"], "main.rs@run");
    assert!(described("mian.rs:9:5: error").is_err_and(|one| one.suggestions().is_empty()));
}

#[test]
fn a_text_of_other_files_is_reported_with_its_places() {
    let bench = Bench::new();
    for folder in ["src", "more"] {
        fs::create_dir(bench.root().join(folder)).expect("the workspace can be written");
    }
    bench.write("src/main.rs", "fn main() {\n    run();\n}\n");
    let holding = "fn other() {}\n\nfn halt(reason: u8) {\n    stop();\n}\n";
    bench.write("lib.rs", holding);
    bench.write("notes.md", "It has `halt(reason: u8)`.\n");
    bench.write("src/stop.rs", holding);
    // None of these counts: a longer word, an ignored file, a binary file.
    bench.write("src/longer.rs", "fn asphalt(reason: u8) {}\n");
    bench.write("src/built.rs", holding);
    bench.write("src/.gitignore", "built.rs\n");
    bench.write("src/data.bin", [holding.as_bytes(), b"\0"].concat());
    let text = refused(&bench, "src/main.rs", "halt(reason: u8)", "function_item");
    pinned(&bench, "text_of_other_files", &text);

    let question = json!({"locate": "src/main.rs@halt<|>(reason: u8)"});
    let refusal = bench.call("locate", question).expect_err("it is not there");
    let error = &refusal.json()["error"];
    assert_eq!(
        error["help"],
        "the same text is in `src/stop.rs` at line 3, `lib.rs` at line 3 and `notes.md` at line 1"
    );
    for number in 0..3 {
        bench.write(&format!("more/{number}.rs"), holding);
    }
    let text = refused(&bench, "src/main.rs", "halt(reason: u8)", "function_item");
    assert!(text.contains(", and in more files"), "{text}");
    // If the file has the text outside the scope, the refusal names no other files.
    bench.write("src/own.rs", format!("mod a {{}}\n{holding}"));
    let arguments = json!({
        "file_path": "src/own.rs",
        "selector": {"anchor_text": "halt(reason: u8)", "scope": {"line": 1}},
    });
    let refusal = bench
        .call("read_node", arguments)
        .expect_err("it is not there");
    assert!(!refusal.text().contains("stop.rs"), "{}", refusal.text());
}

#[test]
fn binary_files_are_refused_and_kept() {
    let bench = Bench::new();
    let cases: [(&str, &[u8]); 3] = [
        ("latin1.rs", b"// caf\xe9\nfn a() {}\n"),
        ("binary.rs", b"fn a() {}\0\n"),
        ("cut.rs", b"fn a() {}\n// \xf0\x9f\x98"),
    ];
    for (name, bytes) in cases {
        bench.write(name, bytes);
        let text = refused(&bench, name, "fn a", "function_item");
        pinned(&bench, name.trim_end_matches(".rs"), &text);
        assert_eq!(bench.read(name), bytes);
    }
}

#[test]
fn a_file_without_a_grammar_has_positions() {
    let bench = Bench::with("notes.txt", "first\nsecond line\n");
    let located = bench.call("locate", json!({"locate": "notes.txt@second <|>line"}));
    let located = located.expect("a position in text resolves");
    assert_eq!(
        located.text,
        "Located `notes.txt` at 2:8\nrange: 2:1 to 2:12\nnode: line at line 2: second line\nselector: \
         {\"anchor_text\":\"second\",\"ancestor_node_type\":\"line\"}\nancestors, innermost first:\n  \
         paragraph at line 1: first\n  document at line 1: first\n"
    );
}

#[test]
fn a_file_over_the_limit_is_refused() {
    let bench = Bench::with("large.rs", vec![b' '; FILE_LIMIT as usize + 1]);
    pinned(
        &bench,
        "too_large",
        &refused(&bench, "large.rs", "fn a", "function_item"),
    );
}

#[test]
fn an_empty_file_has_nothing_to_select() {
    let bench = Bench::with("empty.rs", "");
    bench.write("empty.json", "");
    bench.write("bom.json", "\u{feff}");
    for name in ["empty.rs", "empty.json", "bom.json"] {
        let text = refused(&bench, name, "a", "string");
        assert!(
            text.starts_with("refused: anchor_not_found"),
            "{name}: {text}"
        );
    }
}

#[test]
fn paths_outside_the_workspace_are_refused() {
    let outside = Bench::with("secret.rs", "fn secret() {}\n");
    let bench = Bench::with("main.rs", "fn main() {}\n");
    let secret = outside.root().join("secret.rs");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&secret, bench.root().join("link.rs"))
        .expect("the link can be created");
    let paths = [
        "../secret.rs",
        "a/../../secret.rs",
        "link.rs",
        "/etc/hostname",
        ".git/config",
    ];
    let absolute = secret.to_string_lossy().into_owned();
    for path in paths.iter().copied().chain([absolute.as_str()]) {
        let text = refused(&bench, path, "fn secret", "function_item");
        let named = ["refused: outside_workspace", "refused: file_not_found"];
        assert!(
            named.iter().any(|code| text.starts_with(code)),
            "{path}: {text}"
        );
        assert!(
            !text.contains("fn secret() {}"),
            "{path} shows what is outside: {text}"
        );
    }
    let escaped = refused(&bench, "../secret.rs", "fn secret", "function_item");
    pinned(&bench, "outside_workspace", &escaped);
}

#[test]
#[cfg(unix)]
fn a_hard_linked_file_is_not_replaced() {
    let bench = Bench::with("main.rs", "fn main() {}\n");
    fs::hard_link(bench.root().join("main.rs"), bench.root().join("other.rs"))
        .expect("the hard link can be created");
    let arguments = json!({
        "file_path": "main.rs",
        "selector": {"anchor_text": "fn main", "ancestor_node_type": "function_item"},
        "new_content": "fn main() { run() }",
        "apply": true,
    });
    let refusal = bench
        .call("replace_node", arguments)
        .expect_err("a hard link is refused");
    pinned(&bench, "hard_linked", &refusal.text());
    assert_eq!(bench.read("main.rs"), b"fn main() {}\n");
}

#[test]
fn two_hundred_thousand_brackets_overflow_nothing() {
    const DEPTH: usize = 200_000;
    let bench = Bench::new();
    let json = "[".repeat(DEPTH) + "1" + &"]".repeat(DEPTH);
    let rust = format!(
        "fn f() {{\n    {}1{};\n}}\n",
        "(".repeat(DEPTH),
        ")".repeat(DEPTH)
    );
    bench.write("deep.json", &json);
    bench.write("deep.rs", &rust);
    bench.write("open.json", "[".repeat(DEPTH));

    for (name, node_type, before) in [
        ("deep.json", "number", &json),
        ("deep.rs", "integer_literal", &rust),
    ] {
        let arguments = json!({
            "file_path": name,
            "selector": {"anchor_text": "1", "ancestor_node_type": node_type},
            "new_content": "2",
            "apply": true,
        });
        let answered = bench
            .call("replace_node", arguments)
            .expect("the one number can be replaced");
        assert_eq!(answered.json["status"], "applied");
        assert_eq!(bench.read(name), before.replace('1', "2").as_bytes());
    }
    let text = refused(&bench, "deep.json", "[", "array");
    assert!(text.starts_with("refused: ambiguous_target"), "{text:.300}");
    assert!(
        text.len() < 8_000,
        "an answer has bounds: {} bytes",
        text.len()
    );
    let text = refused(&bench, "open.json", "[[[", "number");
    assert!(text.starts_with("refused: a"), "{text:.300}");
    let read = json!({"file_path": "deep.json", "selector": {"anchor_text": "2", "ancestor_node_type": "number"}});
    let answered = bench
        .call("read_node", read)
        .expect("the one number can be read");
    assert!(
        answered.text.len() < 8_000,
        "an answer has bounds: {} bytes",
        answered.text.len()
    );
}

#[test]
fn markdown_that_would_overload_its_grammars_is_read_as_text() {
    const DEPTH: usize = 200_000;
    let bench = Bench::new();
    let hostile = [
        ("emphasis", "*a **b ".repeat(5_000)),
        ("images", " <![_!![&".repeat(4_000)),
        ("brackets", "[".repeat(DEPTH)),
        ("backticks", "`a ``b ```c ".repeat(5_000)),
        ("quotes", ">".repeat(DEPTH)),
        ("lists", "- ".repeat(DEPTH)),
        ("items", "- a\n".repeat(DEPTH / 20)),
        ("headings", "# a\n".repeat(DEPTH / 20)),
        ("cells", "| a ".repeat(DEPTH / 20)),
    ];
    let started = std::time::Instant::now();
    for (name, text) in hostile {
        let name = format!("{name}.md");
        bench.write(&name, format!("# One\n\nTo change.\n\n{text}\n\nThe end."));
        let arguments = replacing(&name, "change", "paragraph", "Changed.");
        let answered = bench.call("replace_node", arguments);
        assert!(answered.is_ok(), "{name}: {answered:?}");
        let read = json!({
            "file_path": name,
            "selector": {"anchor_text": "The end", "ancestor_node_type": "paragraph"},
        });
        let answered = bench.call("read_node", read);
        assert!(answered.is_ok(), "{name}: {answered:?}");
        let text = refused(&bench, &name, "a", "list_item");
        assert!(text.len() < 8_000, "{name}: {} bytes", text.len());
    }
    assert!(
        started.elapsed().as_secs() < 60,
        "took {:?}",
        started.elapsed()
    );
}

#[test]
fn a_file_of_carriage_returns_keeps_them() {
    let bench = Bench::with("old.rs", "fn a() {\r    one();\r}\rfn b() {}\r");
    let arguments = json!({
        "file_path": "old.rs",
        "selector": {"anchor_text": "fn a", "ancestor_node_type": "function_item"},
        "new_content": "fn a() {\n    two();\n}",
        "apply": true,
    });
    bench
        .call("replace_node", arguments)
        .expect("the function can be replaced");
    assert_eq!(
        bench.read("old.rs"),
        b"fn a() {\r    two();\r}\rfn b() {}\r"
    );
}

#[test]
fn an_edit_of_a_changed_file_is_stale_and_comes_with_a_fresh_preview() {
    let bench = Bench::with("main.rs", "fn a() {\n    one();\n    one();\n}\n");
    let mut arguments = replacing("main.rs", "one()", "expression_statement", "two();");
    arguments["selector"]["nth"] = json!(1);
    let staged = bench
        .call("replace_node", arguments)
        .expect("the statement can be replaced");
    // Changes both sides of two equal statements, so that their new positions are unknown.
    let changed = "fn a() {\n    first();\n    one();\n    one();\n    last();\n}\n";
    bench.write("main.rs", changed);
    let edit_id = staged.json["edit_id"].clone();
    let refusal = bench
        .call("apply_edit", json!({"edit_id": edit_id}))
        .expect_err("the edit is stale");
    assert_eq!(bench.read("main.rs"), changed.as_bytes());
    pinned(&bench, "stale_edit", &refusal.text());

    let next = refusal.suggestions().remove(0);
    bench
        .call(&next.tool, next.arguments)
        .expect("the fresh preview can be applied");
    assert_eq!(
        bench.read("main.rs"),
        changed.replacen("one", "two", 1).as_bytes()
    );
}

#[test]
fn a_stale_insertion_or_deletion_comes_with_a_fresh_preview_of_its_own_kind() {
    let before = "fn a() {\n    one();\n    three();\n}\n";
    // The comment is attached to the statement.
    let changed = "fn a() {\n    // first\n    one();\n    three();\n}\n// last\n";
    let edits = [
        (
            "insert_node",
            json!({"position": "before", "new_content": "two();"}),
            changed.replace("    // first", "    two();\n    // first"),
        ),
        (
            "delete_node",
            json!({}),
            changed.replace("    // first\n    one();\n", ""),
        ),
    ];
    for (tool, mut arguments, after) in edits {
        let bench = Bench::with("main.rs", before);
        arguments["file_path"] = json!("main.rs");
        arguments["selector"] = json!("expression_statement@one()");
        let staged = bench
            .call(tool, arguments)
            .expect("the statement can be edited");
        bench.write("main.rs", changed);
        let refusal = bench
            .call("apply_edit", json!({"edit_id": staged.json["edit_id"]}))
            .expect_err("the edit is stale");
        assert_eq!(refusal.code().as_str(), "stale_edit");
        assert_eq!(bench.read("main.rs"), changed.as_bytes());
        let next = refusal.suggestions().remove(0);
        let applied = bench
            .call(&next.tool, next.arguments)
            .expect("the fresh preview can be applied");
        assert_eq!(
            applied.json["files"][0]["action"],
            staged.json["files"][0]["action"]
        );
        assert_eq!(bench.read("main.rs"), after.as_bytes());
    }
}

#[test]
fn an_amended_edit_keeps_its_kind_position_and_content() {
    let before = "fn a() {\n    one();\n    two();\n}\n";
    let bench = Bench::with("main.rs", before);
    let arguments = json!({
        "file_path": "main.rs",
        "selector": "expression_statement@three()",
        "position": "before",
        "new_content": "zero();",
    });
    let refusal = bench
        .call("insert_node", arguments)
        .expect_err("the node does not exist");
    let edit_id = refusal.edit_id().expect("the content is kept").to_string();
    assert!(refusal.text().contains("the content is kept: send "));
    let listed = bench
        .call("list_edits", json!({}))
        .expect("the edits can be listed");
    assert_eq!(listed.json["edits"][0]["tool"], "insert_node");
    let elsewhere =
        json!({"edit_id": edit_id, "selector": "expression_statement@two()", "apply": true});
    let made = bench
        .call("amend_edit", elsewhere)
        .expect("the statement exists");
    assert!(
        made.text
            .starts_with("inserted before expression_statement at main.rs:3, +1 -0\n")
    );
    assert_eq!(
        bench.read("main.rs"),
        before.replace("    two", "    zero();\n    two").as_bytes()
    );

    let arguments = json!({"file_path": "main.rs", "selector": "expression_statement@three()"});
    let refusal = bench
        .call("delete_node", arguments)
        .expect_err("the node does not exist");
    // This request has no content that could be sent again.
    assert!(
        !refusal.text().contains("is kept as edit"),
        "{}",
        refusal.text()
    );
    let edit_id = refusal.edit_id().expect("the request is kept");
    let elsewhere = json!({"edit_id": edit_id, "selector": "expression_statement@zero()"});
    let previewed = bench
        .call("amend_edit", elsewhere)
        .expect("the statement exists");
    let shown = json!({"edit_id": previewed.json["edit_id"]});
    let shown = bench.call("list_edits", shown).expect("it is listed");
    assert_eq!(shown.json["edits"][0]["tool"], "delete_node");
    assert_eq!(
        shown.json["edits"][0]["summary"],
        "delete expression_statement at line 3"
    );
    bench
        .call("apply_edit", json!({"edit_id": previewed.json["edit_id"]}))
        .expect("a preview can be applied");
    assert_eq!(bench.read("main.rs"), before.as_bytes());
}

#[test]
fn positions_are_read_in_other_spellings() {
    let bench = Bench::with("main.rs", "fn a() {\n    one();\n}\n");
    let inserting = |position: Value| {
        let arguments = json!({
            "file_path": "main.rs",
            "anchor_text": "fn a",
            "ancestor_node_type": "function_item",
            "position": position,
            "new_content": "two();",
        });
        bench.call("insert_node", arguments)
    };
    for position in [
        "first_child",
        "first-child",
        "FirstChild",
        "firstChild",
        "FIRST_CHILD",
    ] {
        let made = inserting(json!(position)).expect("it is a position");
        assert_eq!(made.json["files"][0]["action"], "insert_into", "{position}");
    }
    for position in [
        json!("inside"),
        json!(""),
        json!("before the loop"),
        json!(1),
        json!(null),
    ] {
        let refusal = inserting(position.clone()).expect_err("it is not a position");
        assert_eq!(refusal.code().as_str(), "invalid_arguments", "{position}");
        let message = refusal.message();
        assert!(message.contains("position"), "{position}: {message}");
        let names = "`before`, `after`, `first_child`, `last_child`";
        assert_eq!(
            position.is_string(),
            message.contains(names),
            "{position}: {message}"
        );
    }
}

#[test]
fn a_deletion_in_deep_nesting_tries_only_a_few_ancestors() {
    const DEPTH: usize = 1_000;
    let json = "{\"a\":".repeat(DEPTH) + "1" + &"}".repeat(DEPTH);
    let bench = Bench::with("deep.json", &json);
    let arguments = json!({"file_path": "deep.json", "selector": "number@1"});
    let refusal = bench
        .call("delete_node", arguments)
        .expect_err("a pair needs its value");
    assert_eq!(refusal.code().as_str(), "breaks_syntax");
    // Each enclosing node contains more than the number.
    assert_eq!(refusal.suggestions().len(), 0);
}

#[test]
fn another_occurrence_is_not_edited_instead() {
    let before = "fn a() {\n    one();\n}\nfn b() {\n    other();\n}\n";
    let bench = Bench::with("main.rs", before);
    let arguments = replacing("main.rs", "one()", "expression_statement", "two();");
    let staged = bench
        .call("replace_node", arguments)
        .expect("the statement can be replaced");
    let changed = "fn a() {\n}\nfn b() {\n    one();\n}\n";
    bench.write("main.rs", changed);
    let edit_id = staged.json["edit_id"].clone();
    bench
        .call("apply_edit", json!({"edit_id": edit_id}))
        .expect_err("the target was removed");
    assert_eq!(bench.read("main.rs"), changed.as_bytes());
}

#[test]
fn an_edit_is_applied_once_and_found_by_another_engine() {
    let bench = Bench::with("main.json", "{\"a\": 1}\n");
    let arguments = replacing("main.json", "1", "number", "2");
    let staged = bench
        .call("replace_node", arguments)
        .expect("the number can be replaced");
    let edit_id = staged.json["edit_id"].clone();
    let other = bench.another_engine();
    let listed = other
        .call("list_edits", json!({"edit_id": edit_id}))
        .expect("it is listed");
    assert_eq!(
        listed.json["edits"][0]["diff"],
        staged.json["files"][0]["diff"]
    );
    other
        .call("apply_edit", json!({"edit_id": edit_id}))
        .expect("it can be applied elsewhere");
    assert_eq!(bench.read("main.json"), b"{\"a\": 2}\n");
    let again = bench
        .call("apply_edit", json!({"edit_id": edit_id}))
        .expect_err("the edit was removed");
    pinned(&bench, "edit_not_found", &again.text());
}

#[test]
fn a_discarded_or_unknown_edit_is_not_applied() {
    let bench = Bench::with("main.json", "{\"a\": 1}\n");
    let arguments = replacing("main.json", "1", "number", "2");
    let staged = bench
        .call("replace_node", arguments)
        .expect("the number can be replaced");
    let edit_id = staged.json["edit_id"].clone();
    bench
        .call("discard_edit", json!({"edit_id": edit_id}))
        .expect("it can be discarded");
    let ids = [edit_id, json!("e000000000000"), json!("../../x"), json!("")];
    for (index, edit_id) in ids.into_iter().enumerate() {
        for tool in ["apply_edit", "discard_edit"] {
            let refusal = bench
                .call(tool, json!({"edit_id": edit_id}))
                .expect_err("it does not exist");
            let code = if index == 0 {
                "discarded"
            } else {
                "edit_not_found"
            };
            assert_eq!(refusal.code().as_str(), code);
        }
    }
    assert_eq!(bench.read("main.json"), b"{\"a\": 1}\n");
}

#[test]
fn of_two_parallel_edits_both_are_made_or_one_is_refused() {
    let bench = Bench::with("main.json", "{\"a\": 1, \"b\": 1}\n");
    let edit = |key: &str| {
        let arguments = json!({
            "file_path": "main.json",
            "selector": {"anchor_text": format!("\"{key}\""), "ancestor_node_type": "pair"},
            "new_content": format!("\"{key}\": 2"),
            "apply": true,
        });
        bench.call("replace_node", arguments).map(|_| ())
    };
    let outcomes = std::thread::scope(|scope| {
        let threads = ["a", "b"].map(|key| scope.spawn(move || (key, edit(key))));
        threads.map(|thread| thread.join().expect("an edit does not panic"))
    });
    let after = String::from_utf8(bench.read("main.json")).expect("the file stays UTF-8");
    for (key, outcome) in outcomes {
        let is_there = after.contains(&format!("\"{key}\": 2"));
        match outcome {
            Ok(()) => assert!(is_there, "{key} was reported as applied: {after}"),
            Err(refusal) => {
                assert!(!is_there, "{key} was refused: {after}");
                assert_eq!(refusal.code().as_str(), "stale_edit");
            }
        }
    }
}

#[test]
fn a_damaged_record_is_reported_and_set_aside() {
    let bench = Bench::with("main.json", "{\"a\": 1}\n");
    let arguments = replacing("main.json", "1", "number", "2");
    let staged = bench
        .call("replace_node", arguments)
        .expect("the number can be replaced");
    let edit_id = staged.json["edit_id"]
        .as_str()
        .expect("a preview has an id")
        .to_string();
    let record = bench.record(&edit_id);
    let folder = folder_of(bench.state(), "edits");
    let folder = folder.file_name().expect("it has a name").display();
    let aside = bench
        .state()
        .join(format!("set-aside/{folder}-{edit_id}.json"));
    let whole = fs::read(&record).expect("the record is there");
    let text = String::from_utf8_lossy(&whole).into_owned();
    let tampered = text.replace("\"2\"", "\"3\"");
    let of_an_older_form = text.replace("\"version\":10", "\"version\":9");
    let without_a_file = text.replace("\"paths\":[", "\"paths\":[\"/etc/passwd\",");
    for damaged in [
        tampered,
        of_an_older_form,
        without_a_file,
        text[..text.len() / 2].to_string(),
    ] {
        assert_ne!(damaged, text);
        fs::write(&record, &damaged).expect("the record can be written");
        let refusal = bench
            .call("apply_edit", json!({"edit_id": edit_id}))
            .expect_err("it is damaged");
        assert_eq!(refusal.code().as_str(), "edit_not_found");
        let place = aside.to_str().expect("temporary folders are UTF-8");
        let reported = format!("cannot be read and was moved to {place}");
        assert!(refusal.message().ends_with(&reported), "{}", refusal.text());
        assert_eq!(fs::read(&aside).expect("it exists"), damaged.into_bytes());
        assert!(!record.exists());
        assert_eq!(bench.read("main.json"), b"{\"a\": 1}\n");
    }
    fs::write(&record, b"{").expect("the record can be written");
    let listed = bench
        .call("list_edits", json!({}))
        .expect("the others can be listed");
    let reported = listed.json["unreadable"][0]
        .as_str()
        .expect("it is reported");
    assert!(
        reported.starts_with(&format!("the record of edit {edit_id:?} cannot be read")),
        "{reported}"
    );
    let listed = bench.call("list_edits", json!({})).expect("once more");
    assert_eq!(listed.json["unreadable"], json!(null));
}

#[test]
fn a_record_of_a_newer_version_is_left_alone() {
    let bench = Bench::with("main.json", "{\"a\": 1}\n");
    let arguments = replacing("main.json", "1", "number", "2");
    let staged = bench
        .call("replace_node", arguments)
        .expect("the number can be replaced");
    let edit_id = staged.json["edit_id"].clone();
    let record = bench.record(edit_id.as_str().expect("a preview has an id"));
    let newer = b"{\"version\": 1000, \"something\": {\"else\": true}}";
    fs::write(&record, newer).expect("the record can be written");
    for tool in ["apply_edit", "undo_edit", "list_edits"] {
        let refusal = bench
            .call(tool, json!({"edit_id": edit_id}))
            .expect_err("it cannot be read");
        pinned(&bench, "newer_record", &refusal.text());
    }
    let listed = bench
        .call("list_edits", json!({}))
        .expect("the others can be listed");
    assert_eq!(listed.json["edits"], json!([]));
    let reported = listed.json["unreadable"][0]
        .as_str()
        .expect("it is reported");
    assert!(
        reported.ends_with("was written by a newer version of treegraft and was left unchanged"),
        "{reported}"
    );
    assert_eq!(fs::read(&record).expect("it exists"), newer);
}

#[test]
fn a_wrong_match_count_shows_the_matches() {
    let bench = Bench::with("main.rs", "fn a() { log(1); }\n\nfn b() { log(2); }\n");
    let edits = json!([{
        "op": "replace", "selector": {"anchor_text": "log", "ancestor_node_type": "call_expression"},
        "new_content": "note()", "expect_matches": 3,
    }]);
    let refusal = bench.call(
        "edit_nodes",
        json!({"file_path": "main.rs", "edits": edits}),
    );
    let refusal = refusal.expect_err("there are two");
    pinned(&bench, "match_count_mismatch", &refusal.text());
}

#[test]
fn a_text_that_occurs_too_often_is_ambiguous_not_missing() {
    let bench = Bench::with("main.py", "x = 1\n".repeat(10_001));
    let refused = |find: &str| {
        let arguments = json!({"file_path": "main.py", "find": find, "new_content": "x = 2"});
        let refusal = bench.call("replace_text", arguments);
        refusal.expect_err("the text occurs 10,001 times").text()
    };
    pinned(&bench, "text_that_occurs_too_often", &refused("x = 1"));
    let elided = refused("x = 1<..>y");
    assert!(elided.starts_with("refused: find_not_found"), "{elided}");
}

#[test]
fn a_refusal_is_short_even_with_many_matches() {
    let call = |number: usize| {
        let nested = "if deep { while deep { loop { match deep { Some(x) => ".repeat(3);
        let ends = ", _ => {} } } } }".repeat(3);
        format!(
            "    {nested} count.call(x, {number}, \"{}\") {ends}\n",
            "long ".repeat(40)
        )
    };
    let calls: String = (0..60).map(call).collect();
    let before = format!("fn main() {{\n{calls}}}\n");
    let bench = Bench::with("main.rs", &before);
    let mut longest = 0;
    for (anchor, node_type) in [
        ("count", "call_expression"),
        ("count", "struct_item"),
        ("cuont.call(x, 1", "call_expression"),
        ("count.call(x, 59", "function_item"),
    ] {
        let content = "let x = = ;\n".repeat(400);
        let refusal = bench.call(
            "replace_node",
            replacing("main.rs", anchor, node_type, &content),
        );
        let refusal = refusal.expect_err("it is refused");
        let text = refusal.text();
        assert!(text.len() < 4_096, "{} bytes:\n{text}", text.len());
        longest = longest.max(text.len());
        if (anchor, node_type) == ("count", "call_expression") {
            pinned(&bench, "many_long_candidates", &text);
        }
    }
    assert!(longest > 2_000, "{longest}");
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let bench = Bench::with("main.rs", "fn main() {}\n");
    let file = bench.root().join("main.rs");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444))
        .expect("the permissions can be set");
    let refusal = bench.call("replace_node", writing("main.rs"));
    let refusal = refusal.expect_err("the file is read-only");
    pinned(&bench, "permission_denied", &refusal.text());
}

#[test]
fn a_file_locked_by_another_writer_is_named() {
    let bench = Bench::with("main.rs", "fn main() {}\n");
    let first = bench.call("replace_node", writing("main.rs"));
    first.expect("nothing else holds the lock");
    bench.write("main.rs", "fn main() {}\n");
    let locks = fs::read_dir(bench.state().join("locks")).expect("a lock was created");
    let held: Vec<fs::File> = locks
        .map(|lock| {
            let lock = lock.expect("the folder can be read").path();
            let file = fs::File::open(lock).expect("it can be read");
            file.lock().expect("nothing else holds the lock");
            file
        })
        .collect();
    let refusal = bench.call("replace_node", writing("main.rs"));
    let refusal = refusal.expect_err("the file is locked");
    pinned(&bench, "locked", &refusal.text());
    drop(held);
    let again = bench.call("replace_node", writing("main.rs"));
    again.expect("the lock is free");
}

#[test]
fn a_state_directory_that_cannot_be_used_is_named() {
    let bench = Bench::with("main.rs", "fn main() {}\n");
    let mut preview = writing("main.rs");
    preview["apply"] = json!(false);
    let made = bench.call("replace_node", preview);
    made.expect("the state directory can be used");
    let folder = folder_of(bench.state(), "edits");
    fs::remove_dir_all(&folder).expect("it can be removed");
    fs::write(&folder, "no folder").expect("the permissions can be set");
    let mut arguments = writing("main.rs");
    arguments["apply"] = json!(false);
    let refusal = bench.call("replace_node", arguments);
    let text = refusal
        .expect_err("the state directory cannot be created")
        .text();
    let state = bench.state().canonicalize().expect("it exists");
    let folder = folder.file_name().expect("it has a name").to_string_lossy();
    let text = text
        .replace(state.to_string_lossy().as_ref(), "<state>")
        .replace(folder.as_ref(), "edits-0123456789abcdef");
    pinned(&bench, "io_error", &text);
}

#[test]
fn an_unknown_language_gets_a_suggestion() {
    let bench = Bench::new();
    let refusal = Engine::node_types("javascrip").expect_err("it is misspelt");
    pinned(&bench, "unknown_language", &refusal.text());
}

/// Returns the arguments of a `replace_node` call that writes.
fn writing(file_path: &str) -> Value {
    let mut arguments = replacing(file_path, "main", "function", "fn main() { run(); }");
    arguments["apply"] = json!(true);
    arguments
}
