//! From preview to disk and back: several edits at once, edits of files that changed in between,
//! and undo, all across engines that share a state directory.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and read the results"
)]

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, folder_of, steady};

fn pinned(name: &str, text: &str) {
    crate::support::snapshots("flows").bind(|| insta::assert_snapshot!(name, steady(text)));
}

const SERVER: &str = "\
struct Server;

impl Server {
    /// Starts it.
    fn start(&self) {
        one();
    }

    fn stop(&self) {
        two();
    }
}

fn main() {
    Server.start();
    Server.stop();
}
";

fn node(anchor_text: &str, node_type: &str) -> Value {
    json!({"anchor_text": anchor_text, "ancestor_node_type": node_type})
}

fn replace(file: &str, selector: Value, new_content: &str) -> Value {
    json!({"op": "replace", "file_path": file, "selector": selector, "new_content": new_content})
}

fn insert(file: &str, selector: Value, position: &str, new_content: &str) -> Value {
    json!({
        "op": "insert", "file_path": file, "selector": selector, "position": position,
        "new_content": new_content,
    })
}

fn delete(file: &str, selector: Value) -> Value {
    json!({"op": "delete", "file_path": file, "selector": selector})
}

fn text(bench: &Bench, name: &str) -> String {
    String::from_utf8(bench.read(name)).expect("it is text")
}

/// Returns the text after all edits in one call.
fn after(bench: &Bench, name: &str, edits: Vec<Value>) -> String {
    let made = bench.call("edit_nodes", json!({"edits": edits, "apply": true}));
    made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    text(bench, name)
}

fn refused(bench: &Bench, edits: Vec<Value>) -> Box<treegraft::engine::response::RefusedCall> {
    let refused = bench.call("edit_nodes", json!({"edits": edits}));
    refused.expect_err("the edits are refused")
}

// Several edits at once

#[test]
fn edits_of_several_files_are_one_edit() {
    let bench = Bench::with("a.rs", SERVER);
    bench.write("b.json", "{\"a\": 1, \"b\": 2}\n");
    let edits = json!([
        replace("a.rs", node("one()", "call_expression"), "first()"),
        replace("b.json", node("1", "number"), "10"),
        delete("a.rs", node("Server.stop", "expression_statement")),
        insert("b.json", node("\"b\"", "pair"), "after", "\"c\": 3"),
    ]);
    let made = bench
        .call("edit_nodes", json!({"edits": edits}))
        .expect("all can be made");
    pinned("several_previewed", &made.text);
    assert_eq!(made.json["files"][0]["edits"][1]["edit_index"], 2);
    assert_eq!(text(&bench, "a.rs"), SERVER);

    let applied = bench
        .another_engine()
        .call("apply_edit", json!({"edit_id": made.json["edit_id"]}));
    assert_eq!(applied.expect("nothing changed").json["status"], "applied");
    let a = SERVER
        .replace("one()", "first()")
        .replace("    Server.stop();\n", "");
    assert_eq!(text(&bench, "a.rs"), a);
    assert_eq!(text(&bench, "b.json"), "{\"a\": 10, \"b\": 2, \"c\": 3}\n");

    let undone = bench.call("undo_edit", json!({"edit_id": made.json["edit_id"]}));
    pinned(
        "several_undone",
        &undone.expect("nothing changed since").text,
    );
    assert_eq!(text(&bench, "a.rs"), SERVER);
    assert_eq!(text(&bench, "b.json"), "{\"a\": 1, \"b\": 2}\n");
}

#[test]
fn insertions_at_one_point_keep_their_order() {
    for (position, wanted) in [
        ("before", "{\n  \"x\": 1,\n  \"y\": 2,\n  \"a\": 0\n}\n"),
        ("after", "{\n  \"a\": 0,\n  \"x\": 1,\n  \"y\": 2\n}\n"),
    ] {
        let bench = Bench::with("a.json", "{\n  \"a\": 0\n}\n");
        let at = || node("\"a\"", "pair");
        let edits = vec![
            insert("a.json", at(), position, "\"x\": 1"),
            insert("a.json", at(), position, "\"y\": 2"),
        ];
        assert_eq!(after(&bench, "a.json", edits), wanted);
    }
    for (position, wanted) in [
        (
            "first_child",
            "{\n  \"x\": 1,\n  \"y\": 2,\n  \"a\": 0\n}\n",
        ),
        ("last_child", "{\n  \"a\": 0,\n  \"x\": 1,\n  \"y\": 2\n}\n"),
    ] {
        let bench = Bench::with("a.json", "{\n  \"a\": 0\n}\n");
        let at = || node("\"a\"", "object");
        let edits = vec![
            insert("a.json", at(), position, "\"x\": 1"),
            insert("a.json", at(), position, "\"y\": 2"),
        ];
        assert_eq!(after(&bench, "a.json", edits), wanted);
    }
}

#[test]
fn adjacent_members_are_deleted_and_replaced_with_their_separators() {
    let list = "[\n  1,\n  2,\n  3,\n  4\n]\n";
    let number = |digit: &str| node(digit, "number");
    let cases: [(Vec<Value>, &str); 4] = [
        (
            vec![delete("a.json", number("2")), delete("a.json", number("3"))],
            "[\n  1,\n  4\n]\n",
        ),
        (
            vec![delete("a.json", number("4")), delete("a.json", number("3"))],
            "[\n  1,\n  2\n]\n",
        ),
        (
            vec![
                delete("a.json", number("4")),
                insert("a.json", number("4"), "after", "5"),
                replace("a.json", number("3"), "30"),
            ],
            "[\n  1,\n  2,\n  30,\n  5\n]\n",
        ),
        (
            vec![
                replace("a.json", number("1"), "10"),
                insert("a.json", number("1"), "before", "0"),
                insert("a.json", number("1"), "after", "11"),
            ],
            "[\n  0,\n  10,\n  11,\n  2,\n  3,\n  4\n]\n",
        ),
    ];
    for (edits, wanted) in cases {
        let bench = Bench::with("a.json", list);
        assert_eq!(after(&bench, "a.json", edits), wanted);
    }
}

#[test]
fn overlapping_edits_are_refused_with_both_numbers() {
    let bench = Bench::with("a.rs", SERVER);
    let inner = || replace("a.rs", node("one()", "call_expression"), "first()");
    let outer = || {
        replace(
            "a.rs",
            node("fn start", "function_item"),
            "fn start(&self) {}",
        )
    };
    let refusal = refused(&bench, vec![inner(), outer()]);
    pinned("overlapping", &refusal.text());
    assert_eq!(refusal.json()["error"]["edit_index"], 1);
    let insides = [
        // A doc comment is removed with its function.
        (
            delete("a.rs", node("fn start", "function_item")),
            delete("a.rs", node("/// Starts", "line_comment")),
        ),
        (
            delete("a.rs", node("fn stop", "function_item")),
            insert(
                "a.rs",
                node("two()", "expression_statement"),
                "after",
                "three();",
            ),
        ),
        (
            delete("a.rs", node("fn stop", "function_item")),
            insert(
                "a.rs",
                node("fn stop", "function_item"),
                "last_child",
                "three();",
            ),
        ),
        (inner(), inner()),
    ];
    for (one, other) in insides {
        for edits in [vec![one.clone(), other.clone()], vec![other, one]] {
            let refusal = refused(&bench, edits);
            assert_eq!(
                refusal.code().as_str(),
                "overlapping_edits",
                "{}",
                refusal.text()
            );
        }
    }
    assert_eq!(text(&bench, "a.rs"), SERVER);
}

#[test]
fn one_refused_edit_refuses_all_and_can_be_amended() {
    let bench = Bench::with("a.rs", SERVER);
    let edits = vec![
        replace("a.rs", node("one()", "call_expression"), "first()"),
        replace("a.rs", node("fn st", "function_item"), "fn halt(&self) {}"),
    ];
    let refusal = refused(&bench, edits);
    pinned("several_refused", &refusal.text());
    assert_eq!(refusal.json()["error"]["edit_index"], 1);
    assert_eq!(text(&bench, "a.rs"), SERVER);
    let edit_id = refusal.edit_id().expect("it is stored").to_string();

    let selector = node("fn stop", "function_item");
    let without = bench.call(
        "amend_edit",
        json!({"edit_id": edit_id, "selector": selector}),
    );
    pinned(
        "amend_without_index",
        &without.expect_err("it is one of two").text(),
    );
    let next = refusal.suggestions().remove(0);
    assert_eq!(next.tool, "amend_edit");
    let made = bench
        .call(&next.tool, next.arguments)
        .expect("the edit can be amended");
    assert_eq!(made.json["status"], "previewed");
    let made = bench.call(
        "amend_edit",
        json!({"edit_id": edit_id, "edit_index": 1, "selector": selector, "apply": true}),
    );
    assert_eq!(made.expect("it is a number").json["status"], "applied");
    assert!(text(&bench, "a.rs").contains("first()"));
    assert!(text(&bench, "a.rs").contains("fn halt(&self) {}"));
}

#[test]
fn a_suggestion_for_one_edit_works_with_the_others() {
    let bench = Bench::with("a.rs", SERVER);
    bench.write("a.txt", "Call `add`\n\nCall `add` like this.\n");
    let mut made = 0;
    for (file, first, anchor) in [
        (
            "a.rs",
            replace("a.rs", node("one()", "call_expression"), "first()"),
            "one()",
        ),
        (
            "a.rs",
            delete("a.rs", node("fn stop", "function_item")),
            "two()",
        ),
        (
            "a.rs",
            replace("a.rs", node("one()", "call_expression"), "first()"),
            "fn st",
        ),
        (
            "a.txt",
            insert(
                "a.txt",
                node("like this", "paragraph"),
                "before",
                "More.\n\nAnd more.",
            ),
            "like this.",
        ),
        (
            "a.txt",
            delete("a.txt", node("like this", "line")),
            "like this.\n",
        ),
    ] {
        let other = replace(file, json!({"anchor_text": anchor}), "other");
        let refusal = refused(&bench, vec![first, other]);
        assert_eq!(refusal.json()["error"]["edit_index"], 1);
        for next in refusal.suggestions() {
            made += 1;
            if let Err(refusal) = bench.call(&next.tool, next.arguments) {
                assert_ne!(
                    refusal.code().as_str(),
                    "overlapping_edits",
                    "{}",
                    refusal.text()
                );
            }
        }
    }
    assert!(made > 0, "no call was suggested");
}

#[test]
fn no_edit_removes_what_another_added() {
    // The comment after an element is removed with it, and the one right above a function is
    // attached.
    let cases = [
        (
            "fn f() {\n    g(); // why\n    h();\n}\n",
            replace("a.rs", node("// why", "line_comment"), "// because"),
            delete("a.rs", node("g()", "expression_statement")),
        ),
        (
            "fn a() {}\nfn b() {}\n",
            insert(
                "a.rs",
                node("fn a", "function_item"),
                "after",
                "/// Of whom?",
            ),
            delete("a.rs", node("fn b", "function_item")),
        ),
    ];
    for (before, one, other) in cases {
        for edits in [vec![one.clone(), other.clone()], vec![other, one]] {
            let bench = Bench::with("a.rs", before);
            let refusal = refused(&bench, edits);
            assert_eq!(
                refusal.code().as_str(),
                "overlapping_edits",
                "{}",
                refusal.text()
            );
            assert_eq!(text(&bench, "a.rs"), before);
        }
    }
}

#[test]
fn unknown_fields_are_refused() {
    let bench = Bench::with("a.rs", SERVER);
    let one = || replace("a.rs", node("one()", "call_expression"), "first()");
    let alone = |name: &str, value: Value| {
        json!({"file_path": "a.rs", "selector": node("one()", "call_expression"),
            "new_content": "first()", "apply": true, name: value})
    };
    let move_to = |to: Value| json!({"file_path": "a.rs", "selector": node("fn start", "function"), "to": to});
    let with = |mut call: Value, name: &str, value: Value| {
        call[name] = value;
        call
    };
    let stop = || node("fn stop", "function");
    let mut text = String::new();
    for (tool, arguments) in [
        ("replace_node", alone("include_atached", json!(true))),
        ("replace_node", alone("anchor", json!("two()"))),
        ("replace_node", alone("dry_run", json!(true))),
        (
            "replace_node",
            with(alone("reason", json!("x")), "indnt", json!("auto")),
        ),
        ("edit_nodes", json!({"edits": [one()], "indnt": "verbatim"})),
        (
            "edit_nodes",
            json!({"edits": [one(), with(one(), "apply", json!(true))]}),
        ),
        (
            "edit_nodes",
            json!({"edits": [with(one(), "text", json!("x"))]}),
        ),
        (
            "edit_nodes",
            json!({"edits": [
            {"op": "wrap", "file_path": "a.rs", "selector": stop(), "new_content": "mod m { <|> }",
             "include_attached": true}]}),
        ),
        (
            "move_node",
            move_to(json!({"selector": stop(), "position": "after", "file": "b.rs"})),
        ),
        (
            "edit_nodes",
            json!({"edits": [
            with(move_to(json!({"selector": stop(), "position": "after", "path": "b.rs"})), "op", json!("move"))]}),
        ),
        (
            "replace_text",
            json!({"file_path": "a.rs", "find": "one()", "anchor_text": "two()", "new_content": "x"}),
        ),
        (
            "replace_text",
            json!({"file_path": "a.rs", "find": "one()", "selector": {"find": "two()"}, "new_content": "x"}),
        ),
        (
            "read_node",
            json!({"file_path": "a.rs", "selector": {"anchor_text": "one", "scope":
            {"symbol_path": ["Server", "start"], "line": 2}}}),
        ),
        (
            "locate",
            json!({"file_path": "a.rs", "position": {"line": 1, "col": 4}}),
        ),
        (
            "locate",
            json!({"file_path": "a.rs", "range": {"start": "1:1", "end": "2:1", "until": 3}}),
        ),
        ("outline", json!({"path": "a.rs", "kind": ["function"]})),
        (
            "find_nodes",
            json!({"path": "a.rs", "text": "one", "scope": {"line": 2}}),
        ),
    ] {
        let refusal = bench
            .call(tool, arguments)
            .expect_err("an unknown field is refused");
        assert_eq!(
            refusal.code().as_str(),
            if tool == "read_node" {
                "invalid_scope"
            } else {
                "invalid_arguments"
            }
        );
        text.push_str(&format!("{tool}: {}\n", refusal.text()));
    }
    pinned("unknown_fields", &text);
    assert_eq!(self::text(&bench, "a.rs"), SERVER);
    let moved = bench.call(
        "move_node",
        move_to(json!({"selector": node("nothing", "function"), "position": "after"})),
    );
    let edit_id = moved.expect_err("it does not exist").json()["error"]["edit_id"].clone();
    let again = bench.call(
        "amend_edit",
        json!({"edit_id": edit_id, "to": {"selector": stop(), "place": "before"}}),
    );
    pinned(
        "unknown_fields_of_a_destination",
        &again.expect_err("an unknown field is refused").text(),
    );
}

#[test]
fn malformed_edits_are_refused_by_number() {
    let bench = Bench::with("a.rs", SERVER);
    let one = || replace("a.rs", node("one()", "call_expression"), "first()");
    let mut without_content = one();
    without_content["new_content"] = Value::Null;
    let mut with_position = one();
    with_position["position"] = json!("after");
    let mut other_operation = one();
    other_operation["op"] = json!("swap");
    let mut elsewhere = one();
    elsewhere["file_path"] = json!("b.rs");
    let mut text = String::new();
    for edits in [
        json!([]),
        json!(vec![one(); 1_001]),
        json!([one(), without_content]),
        json!([one(), with_position]),
        json!([one(), other_operation]),
        json!([one(), elsewhere]),
        json!([one(), 7]),
        json!("no list"),
        json!([one(), {"op": "insert", "file_path": "a.rs", "selector": node("one", "call_expression"), "new_content": "x"}]),
        json!([{"op": "delete", "file_path": "a.rs", "selector": {"name": "main"}}]),
    ] {
        let refusal = bench.call("edit_nodes", json!({"edits": edits}));
        text.push_str(&refusal.expect_err("it is malformed").text());
        text.push('\n');
    }
    pinned("several_malformed", &text);
    // Some clients send edits in a string, flat, as a single object, or with the tool name as `op`.
    let flat = json!({
        "op": "replace_node", "file_path": "a.rs", "anchor_text": "one()",
        "ancestor_node_type": "call_expression", "new_content": "first()",
    });
    for edits in [json!([flat]).to_string(), flat.to_string()] {
        let made = bench.call("edit_nodes", json!({"edits": edits}));
        made.expect("it is read");
    }
}

#[test]
fn edits_may_share_a_file_path_and_text_edits_need_no_op() {
    let bench = Bench::with("a.rs", SERVER);
    bench.write("b.rs", SERVER);
    let edits = json!([
        {"find": "one()", "new_content": "first()"},
        {"op": "replace", "file_path": "b.rs", "selector": node("two()", "call_expression"),
            "new_content": "second()"},
    ]);
    let made = bench.call(
        "edit_nodes",
        json!({"file_path": "a.rs", "edits": edits, "apply": true}),
    );
    made.expect("both can be made");
    assert_eq!(text(&bench, "a.rs"), SERVER.replace("one()", "first()"));
    assert_eq!(text(&bench, "b.rs"), SERVER.replace("two()", "second()"));
    let refusal = bench.call("edit_nodes", json!({"edits": edits}));
    let refusal = refusal.expect_err("the first names no file");
    pinned("edits_without_a_file", &refusal.text());
    // An edit that names no file is in the file of the previous edit.
    bench.write("c.rs", SERVER);
    bench.write("d.rs", SERVER);
    let edits = json!([
        {"file_path": "c.rs", "find": "one()", "new_content": "first()"},
        {"selector": node("two()", "call_expression"), "new_content": "second()"},
        {"file_path": "d.rs", "find": "one()", "new_content": "first()"},
        {"find": "two()", "new_content": "second()"},
    ]);
    let made = bench.call("edit_nodes", json!({"edits": edits, "apply": true}));
    made.expect("all can be made");
    let wanted = SERVER
        .replace("one()", "first()")
        .replace("two()", "second()");
    assert_eq!(
        [text(&bench, "c.rs"), text(&bench, "d.rs")],
        [wanted.clone(), wanted]
    );
    // An operation on a whole file names it.
    let edits = json!([
        {"file_path": "c.rs", "find": "first()", "new_content": "one()"},
        {"op": "delete_file"},
    ]);
    let refusal = bench.call("edit_nodes", json!({"edits": edits}));
    pinned(
        "an_unnamed_file_is_not_deleted",
        &refusal.expect_err("no file is named").text(),
    );
    // The content may be that of a replacement or of a wrap.
    let edits = json!([{"selector": node("two()", "call_expression"), "new_content": "f(<|>)"}]);
    let refusal = bench.call("edit_nodes", json!({"file_path": "a.rs", "edits": edits}));
    pinned(
        "edits_without_an_op",
        &refusal.expect_err("it has no op").text(),
    );
}

#[test]
fn the_operation_of_an_edit_follows_from_its_fields() {
    let start = || node("fn start", "function_item");
    let call = || node("one()", "call_expression");
    for (edit, wanted) in [
        (
            json!({"selector": call(), "new_content": "first()"}),
            SERVER.replace("one()", "first()"),
        ),
        (
            json!({"selector": {"find": "one()"}, "new_content": "first()"}),
            SERVER.replace("one()", "first()"),
        ),
        (
            json!({"selector": call(), "position": "before", "new_content": "zero();"}),
            SERVER.replace("one();", "zero();\n        one();"),
        ),
        (
            json!({"selector": start(), "to": {"selector": node("fn stop", "function_item"),
                "position": "after"}}),
            SERVER
                .replace("    /// Starts it.\n    fn start(&self) {\n        one();\n    }\n\n", "")
                .replace(
                    "two();\n    }\n",
                    "two();\n    }\n\n    /// Starts it.\n    fn start(&self) {\n        one();\n    }\n",
                ),
        ),
    ] {
        let bench = Bench::with("a.rs", SERVER);
        let arguments = json!({"file_path": "a.rs", "edits": [edit], "apply": true});
        let made = bench.call("edit_nodes", arguments);
        made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
        assert_eq!(text(&bench, "a.rs"), wanted, "{edit}");
    }
    let bench = Bench::with("a.rs", SERVER);
    for edit in [
        // It may be a deletion, or the content is missing.
        json!({"selector": call()}),
        json!({"selector": call(), "position": "after"}),
        json!({"selector": call(), "new_content": "x", "to": {"selector": call()}}),
        json!({"find": "one()", "new_content": "if x { <|> }"}),
    ] {
        let refusal = bench
            .call("edit_nodes", json!({"file_path": "a.rs", "edits": [edit]}))
            .expect_err("it has several readings");
        assert!(
            refusal.message().starts_with("edits[0]: op is missing"),
            "{}",
            refusal.text()
        );
        let op = json!({"edit_id": refusal.edit_id(), "op": "delete", "ancestor_node_type": "call_expression"});
        let deleted = bench.call("amend_edit", op);
        deleted.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    }
}

#[test]
fn all_edits_that_cannot_be_resolved_are_in_one_refusal_and_fixed_by_one_call() {
    let bench = Bench::with("a.rs", SERVER);
    let edits = vec![
        replace("a.rs", node("onne()", "call_expression"), "first()"),
        replace(
            "a.rs",
            node("struct Server", "struct_item"),
            "struct Server {}",
        ),
        replace("a.rs", node("twwo()", "call_expression"), "second()"),
        replace(
            "b.rs",
            node("Server.start", "call_expression"),
            "Server.go()",
        ),
    ];
    let refusal = refused(&bench, edits);
    pinned("several_unresolved", &refusal.text());
    let error = &refusal.json()["error"];
    let further: Vec<&Value> = error["further"]
        .as_array()
        .expect("it is a list")
        .iter()
        .map(|one| &one["edit_index"])
        .collect();
    assert_eq!(
        (&error["edit_index"], further),
        (&json!(0), vec![&json!(2), &json!(3)])
    );
    assert_eq!(error["further"][1]["code"], "file_not_found");
    let fix = refusal.suggestions().remove(0);
    assert_eq!(fix.arguments["edits"].as_array().map(Vec::len), Some(3));
    let made = bench
        .call(&fix.tool, fix.arguments)
        .expect("the call fixes all");
    let applied = bench.call("apply_edit", json!({"edit_id": made.json["edit_id"]}));
    applied.expect("nothing changed");
    let expected = SERVER
        .replace("one()", "first()")
        .replace("struct Server;", "struct Server {}")
        .replace("two()", "second()")
        .replace("Server.start()", "Server.go()");
    assert_eq!(text(&bench, "a.rs"), expected);
}

#[test]
fn the_same_mistake_in_four_edits_is_fixed_by_one_call() {
    let before = "fn main() {\n    let a = 1;\n    let b = 2;\n    let c = 3;\n    let d = 4;\n}\n";
    let bench = Bench::with("a.rs", before);
    let edits = ["a", "b", "c", "d"].map(|name| {
        let selector = node(&format!("let {name}"), "let_statement");
        replace("a.rs", selector, &format!("let {name} = 0;"))
    });
    let refusal = refused(&bench, edits.to_vec());
    let error = &refusal.json()["error"];
    assert_eq!(error["further"].as_array().map(Vec::len), Some(3));
    // Instead of the suggested call, the caller may change what it knows to be wrong.
    let edits = [0, 1, 2, 3].map(
        |index| json!({"edit_index": index, "selector": {"ancestor_node_type": "let_declaration"}}),
    );
    let amendment = json!({"edit_id": refusal.edit_id(), "edits": edits, "apply": true});
    let made = bench.call("amend_edit", amendment);
    made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let wanted = "fn main() {\n    let a = 0;\n    let b = 0;\n    let c = 0;\n    let d = 0;\n}\n";
    assert_eq!(text(&bench, "a.rs"), wanted);
}

#[test]
fn an_insertion_into_a_file_that_does_not_exist_says_so_first() {
    let bench = Bench::new();
    fs::create_dir(bench.root().join("src")).expect("the workspace can be written");
    bench.write("src/server.rs", SERVER);
    let arguments = json!({"file_path": "server.rs", "selector": {}, "position": "after",
        "new_content": "struct Client;"});
    let refusal = bench.call("insert_node", arguments);
    let refusal = refusal.expect_err("the file is in src");
    pinned("insertion_into_a_missing_file", &refusal.text());
    let amendment = json!({"edit_id": refusal.edit_id(), "file_path": "src/server.rs",
        "selector": "struct_item@struct Server", "apply": true});
    let made = bench.call("amend_edit", amendment);
    made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    assert!(text(&bench, "src/server.rs").contains("struct Server;\nstruct Client;\n"));
}

#[test]
fn a_long_list_of_refused_edits_is_cut() {
    let bench = Bench::with("a.rs", SERVER);
    let edit = |number: usize| {
        let anchor = format!("nothing like this {number}");
        replace("a.rs", node(&anchor, "call_expression"), "x()")
    };
    let refusal = refused(&bench, (0..40).map(edit).collect());
    let error = &refusal.json()["error"];
    assert_eq!(error["further"].as_array().map(Vec::len), Some(9));
    assert_eq!(error["further_omitted"], 30);
    assert!(refusal.text().contains("(and 30 more)"));
}

#[test]
fn every_edit_of_a_call_that_cannot_be_applied_is_named() {
    let bench = Bench::with("a.rs", SERVER);
    let at = || node("struct Server", "struct_item");
    let edits = vec![
        insert("a.rs", at(), "last_child", "a: u8"),
        replace(
            "a.rs",
            node("one()", "call_expression"),
            "// ... existing code ...",
        ),
        insert("a.rs", node("two()", "call_expression"), "first_child", "x"),
    ];
    let refusal = refused(&bench, edits);
    let json = refusal.json();
    let further = json["error"]["further"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let codes: Vec<&Value> = further.iter().map(|one| &one["code"]).collect();
    assert_eq!(refusal.code().as_str(), "no_inside", "{}", refusal.text());
    assert!(
        codes.contains(&&json!("suspicious_content")),
        "{}",
        refusal.text()
    );
}

#[test]
fn every_refusal_of_content_can_be_amended() {
    let good = || replace("a.rs", node("one()", "call_expression"), "first()");
    let single = |changes: Value| {
        let mut arguments = good();
        let fields = arguments.as_object_mut().expect("it is an object");
        fields.remove("op");
        fields.extend(changes.as_object().cloned().unwrap_or_default());
        arguments
    };
    let wanted = SERVER.replace("one()", "first()");
    let cases = [
        // The call that is refused, the code, and what corrects it.
        (
            "replace_node",
            single(json!({"new_content": "first("})),
            "breaks_syntax",
            json!({"new_content": "first()"}),
        ),
        (
            "replace_node",
            single(json!({"new_content": "one()"})),
            "no_change",
            json!({"new_content": "first()"}),
        ),
        (
            "replace_node",
            single(json!({"new_content": "/* ... existing code ... */"})),
            "suspicious_content",
            json!({"new_content": "first()"}),
        ),
        (
            "replace_node",
            single(json!({"file_path": "nothing/b.rs", "selector": {}})),
            "file_not_found",
            json!({"file_path": "a.rs", "selector": node("one()", "call_expression")}),
        ),
        (
            "replace_node",
            single(json!({"selector": null})),
            "invalid_arguments",
            json!({"selector": "call_expression@one()"}),
        ),
        (
            "replace_node",
            single(json!({"indent": "sideways"})),
            "invalid_arguments",
            json!({"indent": "auto"}),
        ),
        (
            "replace_node",
            single(json!({"dry_run": true})),
            "invalid_arguments",
            json!({}),
        ),
        (
            "replace_node",
            single(json!({"selector": {"anchor_text": "one()", "scope": {"lines": 3}}})),
            "invalid_scope",
            json!({"selector": node("one()", "call_expression")}),
        ),
        (
            "replace_node",
            single(json!({"selector": {"anchor_text": "one()"}})),
            "ancestor_required",
            json!({"ancestor_node_type": "call_expression"}),
        ),
        (
            "replace_text",
            json!({"file_path": "a.rs", "scope": {"symbol_path": "Server.start"},
                "find": "two", "new_content": "first"}),
            "find_not_found",
            json!({"find": "one"}),
        ),
        (
            "edit_nodes",
            json!({"file_path": "a.rs", "edits": [
                {"op": "swap", "selector": "call_expression@one()", "new_content": "first()"}]}),
            "invalid_arguments",
            json!({"op": "replace"}),
        ),
        (
            "edit_nodes",
            json!({"file_path": "b.rs", "edits": [
                {"selector": "call_expression@one()", "new_content": "first()"},
                {"selector": {}, "position": "after", "new_content": "struct B;"}]}),
            "file_not_found",
            json!({"file_path": "a.rs", "edits": [{"edit_index": 1,
                "selector": "struct_item@struct Server"}]}),
        ),
    ];
    for (tool, call, code, amendment) in cases {
        let bench = Bench::with("a.rs", SERVER);
        let refusal = bench.call(tool, call.clone()).expect_err("it is refused");
        assert_eq!(refusal.code().as_str(), code, "{call}: {}", refusal.text());
        let edit_id = refusal.edit_id().expect("it is kept").to_string();
        assert!(
            refusal
                .text()
                .contains(&format!("\"edit_id\":\"{edit_id}\"")),
            "{call}"
        );
        let mut arguments = amendment;
        arguments["edit_id"] = json!(edit_id);
        arguments["apply"] = json!(true);
        // Another process knows the edit too.
        let made = bench.another_engine().call("amend_edit", arguments);
        made.unwrap_or_else(|refusal| panic!("{call}: {}", refusal.text()));
        let text = text(&bench, "a.rs").replace("struct B;\n", "");
        assert_eq!(text, wanted, "{call}");
    }
}

/// The amendments that a refusal of a move's destination suggests name only its fields.
#[test]
fn a_suggested_amendment_of_a_destination_can_be_sent() {
    for to in [
        json!({"selector": {"anchor_text": "stop"}, "position": "before"}),
        json!({"anchor_text": "stop", "position": "before"}),
        json!({"selector": "@stop", "position": "before"}),
        json!({"selector": {"anchor_text": "stop", "ancestor_node_type": "functon"}, "position": "before"}),
    ] {
        let bench = Bench::with("a.rs", SERVER);
        let call = json!({"file_path": "a.rs", "selector": "function_item@fn main", "to": to});
        let refusal = bench
            .call("move_node", call)
            .expect_err("its type is missing or wrong");
        let suggestions = refusal.suggestions();
        assert!(!suggestions.is_empty(), "{}", refusal.text());
        for suggested in suggestions {
            assert_eq!(suggested.tool, "amend_edit");
            let made = bench.call(&suggested.tool, suggested.arguments.clone());
            // A place next to the moved node is refused, but not as arguments.
            let code = made.err().map(|refusal| refusal.code());
            assert!(
                code.map(|code| code.as_str()) != Some("invalid_arguments"),
                "{}",
                suggested.arguments
            );
        }
    }
}

#[test]
fn an_amendment_changes_only_what_it_names() {
    let bench = Bench::with("a.rs", SERVER);
    let moved = bench.call(
        "move_node",
        json!({"file_path": "a.rs", "selector": "function_item@fn stop",
            "to": {"selector": "function_item@fn start", "position": "after"}}),
    );
    let edit_id = moved.expect_err("it is there already").json()["error"]["edit_id"].clone();
    let made = bench.call(
        "amend_edit",
        json!({"edit_id": edit_id, "position": "before"}),
    );
    assert!(
        made.expect("it can be moved")
            .text
            .contains("would move it before")
    );
    let far = json!({"edit_id": edit_id, "to": {"selector": "@fn main"}, "apply": true});
    bench
        .call("amend_edit", far)
        .expect("a function can be there");
    let moved = text(&bench, "a.rs");
    assert!(moved.find("fn main") < moved.find("fn stop"), "{moved}");

    let bench = Bench::with("a.rs", SERVER);
    let inserted = insert("a.rs", node("struct Sever", "struct"), "after", "struct A;");
    let edit_id = refused(&bench, vec![inserted])
        .edit_id()
        .map(str::to_string);
    let amendment = json!({"edit_id": edit_id, "selector": "@struct Server",
        "blank_lines": {"before": 2}, "apply": true});
    let made = bench.call("amend_edit", amendment);
    made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    assert!(text(&bench, "a.rs").starts_with("struct Server;\n\n\nstruct A;\n"));

    let bench = Bench::with("a.rs", SERVER);
    let edits = vec![
        replace("a.rs", node("one()", "call_expression"), "first("),
        replace("a.rs", node("two()", "call_expression"), "second()"),
    ];
    let edit_id = refused(&bench, edits).edit_id().map(str::to_string);
    for (amendment, message) in [
        (
            json!({"new_content": "x"}),
            "the call has 2 edits; set edit_index",
        ),
        (
            json!({"edit_index": 2, "new_content": "x"}),
            "the call has 2 edits; set edit_index",
        ),
        (
            json!({"edits": [{"new_content": "x"}]}),
            "each of edits needs edit_index",
        ),
        (
            json!({"edits": [{"edit_index": 0}, {"edit_index": 0}]}),
            "two of the edits",
        ),
        (
            json!({"edits": [{"edit_index": 0, "allow": ["surroundings"]}]}),
            "allow applies to all edits",
        ),
        (json!({"edit_index": 0, "to": "@x"}), "only a move has `to`"),
        (
            json!({"file_path": "b.rs"}),
            "each edit has its own file_path",
        ),
        (json!({"new_contents": "x"}), "unknown field `new_contents`"),
    ] {
        let mut arguments = amendment;
        arguments["edit_id"] = json!(edit_id);
        let refusal = bench.call("amend_edit", arguments).expect_err(message);
        assert!(refusal.message().starts_with(message), "{}", refusal.text());
    }
    let fixed =
        json!({"edit_id": edit_id, "edit_index": "0", "new_content": "first()", "apply": "true"});
    bench.call("amend_edit", fixed).expect("it is amended");
    assert_eq!(
        text(&bench, "a.rs"),
        SERVER
            .replace("one()", "first()")
            .replace("two()", "second()")
    );
}

#[test]
fn an_amended_path_is_that_of_one_edit() {
    let bench = Bench::with("a.rs", SERVER);
    bench.write("b.rs", SERVER);
    let unknown = json!([
        {"file_path": "none.rs", "find": "one()", "new_content": "first()"},
        {"find": "two()", "new_content": "second()"},
    ]);
    let mut invalid = unknown.clone();
    invalid[1]["blank_lines"] = json!("none");
    for edits in [unknown, invalid] {
        let refusal = bench.call("edit_nodes", json!({"edits": edits}));
        let refusal = refusal.expect_err("there is no such file");
        let amend = |further: Value| {
            let mut arguments = further;
            arguments["edit_id"] = refusal.json()["error"]["edit_id"].clone();
            bench.call("amend_edit", arguments)
        };
        let of_all = amend(json!({"file_path": "a.rs"})).expect_err("each edit has a file");
        let message = "each edit has its own file_path";
        assert!(of_all.message().starts_with(message), "{}", of_all.text());
        let one = amend(json!({"edit_index": 0, "file_path": "b.rs"}));
        let left = one.expect_err("the other edit keeps its file");
        assert!(left.message().starts_with("edits[1]"), "{}", left.text());
    }
}

#[test]
fn the_indentation_of_one_edit_among_several_can_be_amended() {
    let bench = Bench::with("a.rs", SERVER);
    let content = ["if a {\n  first();\n}", "if b {\n  second();\n}"];
    let edits = json!([
        replace("a.rs", node("one()", "expression_statement"), content[0]),
        replace("a.rs", node("two()", "expression_statement"), content[1]),
    ]);
    let arguments = json!({"edits": edits, "indent": "verbatim"});
    let made = bench.call("edit_nodes", arguments).expect("it is valid");
    let amendment = json!({"edit_id": made.json["edit_id"], "edit_index": 1, "indent": "auto"});
    let made = bench.call("amend_edit", amendment).expect("it is valid");
    let diff = made.json["files"][0]["diff"].as_str().unwrap_or_default();
    assert!(diff.contains("\n+  first();\n"), "{diff}");
    assert!(diff.contains("\n+          second();\n"), "{diff}");
    let all = json!({"edit_id": made.json["edit_id"], "indent": "auto"});
    let made = bench.call("amend_edit", all).expect("it is valid");
    let diff = made.json["files"][0]["diff"].as_str().unwrap_or_default();
    assert!(diff.contains("\n+          first();\n"), "{diff}");
}

#[test]
fn an_edit_that_fails_only_after_the_others_is_reported_as_such() {
    let bench = Bench::with("a.py", "if a:\n    one()\n    two()\nelse:\n    three()\n");
    let edits = vec![
        delete("a.py", node("one()", "expression_statement")),
        delete("a.py", node("two()", "expression_statement")),
    ];
    let refusal = refused(&bench, edits);
    pinned("fails_after_the_others", &refusal.text());
    assert!(refusal.suggestions().is_empty());
}

#[test]
fn edits_that_are_only_valid_together_are_checked_together() {
    let text_edit = |file: &str, find: &str, new_content: &str| json!({"op": "replace_text", "file_path": file, "find": find, "new_content": new_content});
    let code = "fn main() {\n    first();\n    second();\n}\n\nfn other() {}\n";
    let table = "[t]\nfirst = 1\nsecond = 2\n";
    let made = [
        (
            "a.rs",
            code,
            [
                ("first();", "if ready() {\n        first();"),
                ("    second();", "        second();\n    }"),
            ],
            "fn main() {\n    if ready() {\n        first();\n        second();\n    }\n}\n\nfn other() {}\n",
        ),
        (
            "a.toml",
            table,
            [("first", "second"), ("second", "first")],
            "[t]\nsecond = 1\nfirst = 2\n",
        ),
    ];
    for (name, before, finds, after) in made {
        let bench = Bench::with(name, before);
        let edits = finds.map(|(find, new_content)| text_edit(name, find, new_content));
        for edit in &edits {
            let alone = bench.call("edit_nodes", json!({"edits": [edit]}));
            alone.expect_err("alone it is refused");
        }
        let made = bench.call("edit_nodes", json!({"edits": edits, "apply": true}));
        let made = made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
        assert_eq!(made.json["notes"], json!([]), "{}", made.text);
        assert_eq!(text(&bench, name), after);
    }
    // The text between the edits, or after them, may not become a comment.
    let mut refusals = String::new();
    for finds in [
        [("first();", "/* first();"), ("other() {}", "other() {} */")],
        [
            ("first();", "if ready() {\n    first();"),
            ("second();", "second(); }}"),
        ],
    ] {
        let bench = Bench::with("a.rs", code);
        let edits = finds.map(|(find, new_content)| text_edit("a.rs", find, new_content));
        let refusal = bench.call("edit_nodes", json!({"edits": edits}));
        refusals.push_str(&refusal.expect_err("the result is broken too").text());
        refusals.push('\n');
        assert_eq!(text(&bench, "a.rs"), code);
    }
    pinned("no_better_together", &refusals);
    // An edit that is refused alone is still refused if the others have nothing to do with it.
    let data = "name = 1\nfirst = 1\nsecond = 2\n\n[t]\nthird = 3\n";
    for (name, before, finds) in [
        (
            "a.toml",
            data,
            [
                ("first = 1", "first = 1\n[other]"),
                ("third = 3", "third = 4"),
            ],
        ),
        (
            "a.toml",
            data,
            [
                ("name = 1", "name = 1\n[one]"),
                ("first = 1", "first = 1\n[two]"),
            ],
        ),
    ] {
        let bench = Bench::with(name, before);
        let edits = finds.map(|(find, new_content)| text_edit(name, find, new_content));
        let first = bench.call("edit_nodes", json!({"edits": [edits[0].clone()]}));
        let first = first.expect_err("the following keys would move");
        assert_eq!(
            first.code().as_str(),
            "changes_surroundings",
            "{}",
            first.text()
        );
        let both = bench.call("edit_nodes", json!({"edits": edits, "apply": true}));
        let both = both.expect_err("the following keys would still move");
        assert_eq!(
            both.code().as_str(),
            "changes_surroundings",
            "{}",
            both.text()
        );
        assert_eq!(text(&bench, name), before);
    }
}

// Files that changed since

#[test]
fn an_edit_follows_its_node_through_other_changes() {
    let changes = [
        (format!("// new\n{SERVER}"), "in front"),
        (format!("{SERVER}// new\n"), "after"),
        (
            SERVER.replace(
                "fn stop(&self) {\n        two();",
                "fn stop(&self) {\n        more();\n        two();",
            ),
            "in the next function",
        ),
        (SERVER.replace("    /// Starts it.\n", ""), "right before"),
    ];
    for (changed, place) in changes {
        let bench = Bench::with("a.rs", SERVER);
        let made = bench.call("replace_node", json!({
            "file_path": "a.rs", "selector": node("one()", "call_expression"), "new_content": "first()",
        }));
        let edit_id = made.expect("it can be replaced").json["edit_id"].clone();
        bench.write("a.rs", &changed);
        let applied = bench
            .another_engine()
            .call("apply_edit", json!({"edit_id": edit_id}));
        let applied = applied.unwrap_or_else(|refusal| panic!("{place}: {}", refusal.text()));
        assert_eq!(applied.json["status"], "rebased", "{place}");
        assert_eq!(
            text(&bench, "a.rs"),
            changed.replace("one()", "first()"),
            "{place}"
        );
        if place == "in front" {
            pinned("rebased", &applied.text);
        }
        let undone = bench.call("undo_edit", json!({"edit_id": edit_id}));
        undone.unwrap_or_else(|refusal| panic!("{place}: {}", refusal.text()));
        assert_eq!(text(&bench, "a.rs"), changed, "{place}");
    }
}

#[test]
fn an_insertion_next_to_a_change_is_stale() {
    let insert = |position: &str| {
        json!({
            "file_path": "a.txt", "selector": node("two", "line"), "position": position, "new_content": "mine",
        })
    };
    let replace = json!({"file_path": "a.txt", "find": "two", "new_content": "two\nmine"});
    let (before_two, after_two) = ("one\nother\ntwo\nthree\n", "one\ntwo\nother\nthree\n");
    for (tool, arguments, changed, expected) in [
        ("insert_node", insert("before"), after_two, Ok("rebased")),
        ("insert_node", insert("after"), before_two, Ok("rebased")),
        ("replace_text", replace.clone(), before_two, Ok("rebased")),
        // Both add a line at one place.
        (
            "insert_node",
            insert("before"),
            before_two,
            Err("stale_edit"),
        ),
        ("insert_node", insert("after"), after_two, Err("stale_edit")),
        ("replace_text", replace, after_two, Err("stale_edit")),
        // In the middle of the line, with the result of a line before it.
        (
            "replace_text",
            json!({"file_path": "a.txt", "find": "tw<|><|>o", "new_content": "w mine\ntw"}),
            before_two,
            Err("stale_edit"),
        ),
        // The other line starts as the one after it, and another line changed too.
        (
            "insert_node",
            insert("after"),
            "one\ntwo\nthe other\nthree\n3\n",
            Err("stale_edit"),
        ),
    ] {
        let bench = Bench::with("a.txt", "one\ntwo\nthree\n");
        let made = bench.call(tool, arguments.clone());
        let edit_id = made.expect("it can be staged").json["edit_id"].clone();
        bench.write("a.txt", changed);
        let applied = bench.call("apply_edit", json!({"edit_id": edit_id}));
        let applied = match &applied {
            Ok(applied) => Ok(applied.json["status"].as_str().unwrap_or_default()),
            Err(refusal) => Err(refusal.code().as_str()),
        };
        assert_eq!(applied, expected, "{tool} {arguments}\n{changed}");
        assert_eq!(text(&bench, "a.txt") == changed, applied.is_err());
    }
}

#[test]
fn another_occurrence_is_never_edited_instead() {
    let twins = "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n";
    // The edit targets one of two equal nodes; then that one is removed, and only the other is
    // left.
    for (nth, left) in [
        (1, "fn b() {\n    one();\n}\n"),
        (2, "fn a() {\n    one();\n}\n\n"),
    ] {
        let bench = Bench::with("a.rs", twins);
        let made = bench.call("replace_node", json!({
            "file_path": "a.rs",
            "selector": {"anchor_text": "one()", "ancestor_node_type": "call_expression", "nth": nth},
            "new_content": "two()",
        }));
        let edit_id = made.expect("it can be replaced").json["edit_id"].clone();
        bench.write("a.rs", left);
        let refusal = bench.call("apply_edit", json!({"edit_id": edit_id}));
        let refusal = refusal.expect_err("the target was removed");
        assert_eq!(refusal.code().as_str(), "stale_edit");
        assert_eq!(text(&bench, "a.rs"), left);
    }
    // All lines are equal, so it is unknown which one was removed.
    let bench = Bench::with("a.txt", "same\nsame\nsame\n");
    let made = bench.call(
        "delete_node",
        json!({
            "file_path": "a.txt",
            "selector": {"anchor_text": "same", "ancestor_node_type": "line", "nth": 1},
        }),
    );
    let edit_id = made.expect("the node can be deleted").json["edit_id"].clone();
    bench.write("a.txt", "same\nsame\n");
    let refusal = bench.call("apply_edit", json!({"edit_id": edit_id}));
    assert_eq!(
        refusal.expect_err("a line was removed").code().as_str(),
        "stale_edit"
    );
    assert_eq!(text(&bench, "a.txt"), "same\nsame\n");
}

#[test]
fn an_edit_that_would_remove_more_than_was_shown_is_stale() {
    // A deletion includes the comment attached to the function; this comment was added after the
    // preview.
    let before = "fn a() {}\n\nfn b() {}\n";
    let bench = Bench::with("a.rs", before);
    let made = bench.call(
        "delete_node",
        json!({
            "file_path": "a.rs", "selector": node("fn b", "function_item"),
        }),
    );
    let edit_id = made.expect("the node can be deleted").json["edit_id"].clone();
    let changed = "fn a() {}\n\n/// Precious.\nfn b() {}\n";
    bench.write("a.rs", changed);
    let refusal = bench.call("apply_edit", json!({"edit_id": edit_id}));
    let refusal = refusal.expect_err("more would be removed");
    assert_eq!(refusal.code().as_str(), "stale_edit");
    assert!(
        refusal.text().contains("-/// Precious."),
        "{}",
        refusal.text()
    );
    assert_eq!(text(&bench, "a.rs"), changed);
}

/// Stages an edit of `a.rs`, and returns its id.
fn staged_in(bench: &Bench, tool: &str, arguments: &Value) -> String {
    let mut arguments = arguments.clone();
    arguments["file_path"] = "a.rs".into();
    let made = bench.call(tool, arguments);
    let made = made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    made.json["edit_id"]
        .as_str()
        .unwrap_or_default()
        .to_string()
}

#[test]
fn an_edit_whose_surroundings_changed_is_written_after_a_yes() {
    let first = json!({"selector": node("one()", "call_expression"), "new_content": "first()"});
    let list = "const A: [u8; 4] = [one, two, three, four];\n";
    let member = json!({"selector": node("two", "identifier"), "new_content": "2"});
    let stop = "    fn stop(&self) {\n        two();\n    }\n";
    let moved = SERVER.replace(&format!("\n{stop}"), "");
    let moved = moved.replace(
        "    /// Starts it.",
        &format!("    // First.\n\n{stop}\n    /// Starts it now."),
    );
    let body = json!({"selector": node("fn stop", "function_item"), "new_content": stop.replace("two", "2")});
    let body_text = |text: &str| text.replace("        two();", "        2();");
    for (name, edit, before, changed, after) in [
        (
            "rebase_proposed_both_sides",
            &first,
            SERVER,
            SERVER
                .replace("Starts it", "Starts")
                .replace("two()", "2()"),
            SERVER
                .replace("Starts it", "Starts")
                .replace("two()", "2()")
                .replace("one()", "first()"),
        ),
        (
            "rebase_proposed_members",
            &member,
            list,
            list.replace("one", "1").replace("four", "4"),
            list.replace("one", "1")
                .replace("four", "4")
                .replace("two", "2"),
        ),
        (
            "rebase_proposed_moved",
            &body,
            SERVER,
            moved.clone(),
            body_text(&moved),
        ),
        // The node is the same, and belongs to another symbol now.
        (
            "rebase_proposed_in_another_symbol",
            &first,
            "fn b() {\n    one();\n}\n",
            "fn c() {\n    one();\n}\n".to_string(),
            "fn c() {\n    first();\n}\n".to_string(),
        ),
    ] {
        let bench = Bench::with("a.rs", before);
        let edit_id = staged_in(&bench, "replace_node", edit);
        bench.write("a.rs", &changed);
        let shown = bench.call("apply_edit", json!({"edit_id": edit_id}));
        let shown = shown.unwrap_or_else(|refusal| panic!("{name}: {}", refusal.text()));
        assert_eq!(shown.json["status"], "rebase_proposed", "{name}");
        assert_eq!(shown.json["edit_id"], edit_id, "{name}");
        assert_eq!(text(&bench, "a.rs"), changed, "{name}");
        pinned(name, &shown.text);
        // What the new preview shows is what is written.
        let applied = bench
            .another_engine()
            .call("apply_edit", json!({"edit_id": edit_id}));
        let applied = applied.unwrap_or_else(|refusal| panic!("{name}: {}", refusal.text()));
        assert_eq!(applied.json["status"], "applied", "{name}");
        assert_eq!(text(&bench, "a.rs"), after, "{name}");
        let undone = bench.call("undo_edit", json!({"edit_id": edit_id}));
        undone.unwrap_or_else(|refusal| panic!("{name}: {}", refusal.text()));
        assert_eq!(text(&bench, "a.rs"), changed, "{name}");

        // `auto` is the yes in advance.
        let bench = Bench::with("a.rs", before);
        let edit_id = staged_in(&bench, "replace_node", edit);
        bench.write("a.rs", &changed);
        let applied = bench.call("apply_edit", json!({"edit_id": edit_id, "rebase": "auto"}));
        let applied = applied.unwrap_or_else(|refusal| panic!("{name}: {}", refusal.text()));
        assert_eq!(applied.json["status"], "rebased", "{name}");
        assert_eq!(text(&bench, "a.rs"), after, "{name}");
    }
}

#[test]
fn a_twin_or_changed_text_is_stale() {
    let twins = "// a\n\nfn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n\n// z\n";
    let first = json!({
        "selector": {"anchor_text": "one()", "ancestor_node_type": "call_expression", "nth": 1},
        "new_content": "first()",
    });
    let in_fn = |scope: &str| {
        json!({
            "selector": {
                "anchor_text": "one()", "ancestor_node_type": "call_expression", "scope": {"symbol_path": [scope]},
            },
            "new_content": "first()",
        })
    };
    let alone = "// a\n\nfn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n\n// z\n";
    let list = "const A: [u8; 4] = [one, two, two, four];\n";
    let member = json!({
        "selector": {"anchor_text": "two", "ancestor_node_type": "identifier", "nth": 2},
        "new_content": "2",
    });
    let other_line = "fn a() {\n    let total = price * count;\n}\n";
    let count = json!({"selector": node("count", "identifier"), "new_content": "n"});
    let logged = "fn a() {\n    log(\"got the count of\", x);\n}\n";
    let in_text = json!({"find": "count", "new_content": "n"});
    let loops = "fn a() {\n    for b in c {\n        one();\n        two += 1;\n    }\n    for d in e {\n        three();\n                     }\n}\n";
    let add =
        json!({"selector": node("two += 1;", "expression_statement"), "new_content": "two += 2;"});
    let lines = "// a\none();\n// z\n";
    let after_one = json!({
        "selector": node("one()", "expression_statement"), "position": "after", "new_content": "more();",
    });
    for (name, tool, edit, before, changed) in [
        (
            "the node has become larger",
            "replace_node",
            json!({"selector": node("struct A", "struct_item"), "new_content": "struct A(u64);"}),
            "struct A(u32);\n",
            "pub struct A(u32);\n",
        ),
        (
            "the node has become larger, and something else changed",
            "replace_node",
            json!({"selector": node("struct A", "struct_item"), "new_content": "struct A(u64);"}),
            "struct A(u32);\n// z\n",
            "pub struct A(u32);\n// y\n",
        ),
        (
            "the other twin is left",
            "replace_node",
            first.clone(),
            twins,
            "// aa\n\nfn b() {\n    one();\n}\n\n// zz\n",
        ),
        (
            "the twins change places",
            "replace_node",
            first,
            twins,
            "// aa\n\nfn b() {\n    one();\n}\n\nfn a() {\n    one();\n}\n\n// zz\n",
        ),
        (
            "the target is in another function",
            "replace_node",
            json!({"selector": node("one()", "call_expression"), "new_content": "first()"}),
            alone,
            "// aa\n\nfn a() {\n    two();\n}\n\nfn b() {\n    one();\n}\n\n// zz\n",
        ),
        (
            "the replaced text changed",
            "replace_node",
            in_fn("a"),
            alone,
            "// aa\n\nfn a() {\n    one() + one();\n}\n\nfn b() {\n    two();\n}\n\n// zz\n",
        ),
        (
            "a twin in one line",
            "replace_node",
            member,
            list,
            "const A: [u8; 4] = [1, two, two, 4];\n",
        ),
        (
            "the line is in another function, whose signature changed",
            "replace_node",
            json!({"selector": node("one();", "expression_statement"), "new_content": "first();"}),
            alone,
            "// aa\n\nfn a() {\n    three();\n}\n\nfn b(x: u8) {\n    four();\n    one();\n}\n\n// zz\n",
        ),
        (
            "the line is in another loop",
            "replace_node",
            add,
            loops,
            "fn a() {\n    for b in cc {\n        first();\n    }\n    for d in ee {\n        third();\n        two += 1;\n                 }\n}\n",
        ),
        (
            "a word is in another statement",
            "replace_node",
            count,
            other_line,
            "fn a() {\n    send(count, other);\n}\n",
        ),
        (
            "a word is in another text",
            "replace_text",
            in_text,
            logged,
            "fn a() {\n    warn(\"saw count in\", y);\n}\n",
        ),
        (
            "an insertion next to a change",
            "insert_node",
            after_one,
            lines,
            "// aa\none();\nother();\n// z\n",
        ),
    ] {
        let bench = Bench::with("a.rs", before);
        let edit_id = staged_in(&bench, tool, &edit);
        for arguments in [
            json!({"edit_id": edit_id}),
            json!({"edit_id": edit_id, "rebase": "auto"}),
        ] {
            bench.write("a.rs", changed);
            let refusal = bench.call("apply_edit", arguments);
            let refusal = refusal.err().unwrap_or_else(|| panic!("{name}"));
            assert_eq!(refusal.code().as_str(), "stale_edit", "{name}");
            assert_eq!(text(&bench, "a.rs"), changed, "{name}");
        }
    }
}

#[test]
fn one_stale_file_of_several_keeps_all_unchanged() {
    let bench = Bench::with("a.rs", SERVER);
    bench.write("b.rs", SERVER);
    let edits = json!([
        replace("a.rs", node("one()", "call_expression"), "first()"),
        replace("b.rs", node("one()", "call_expression"), "first()"),
    ]);
    let made = bench.call("edit_nodes", json!({"edits": edits}));
    let edit_id = made.expect("both can be made").json["edit_id"].clone();
    bench.write("b.rs", SERVER.replace("one()", "other()"));
    let refusal = bench.call("apply_edit", json!({"edit_id": edit_id}));
    let refusal = refusal.expect_err("one of the targets was changed");
    pinned("stale_of_several", &refusal.text());
    assert_eq!(text(&bench, "a.rs"), SERVER);

    // If a file changed only at other places, both edits are made, and both can be undone.
    let changed = format!("// new\n{SERVER}");
    bench.write("b.rs", &changed);
    let applied = bench.call("apply_edit", json!({"edit_id": edit_id}));
    assert_eq!(applied.expect("both files exist").json["status"], "rebased");
    assert_eq!(text(&bench, "a.rs"), SERVER.replace("one()", "first()"));
    assert_eq!(text(&bench, "b.rs"), changed.replace("one()", "first()"));
    let undone = bench.call("undo_edit", json!({"edit_id": edit_id}));
    undone.expect("nothing changed since");
    assert_eq!(text(&bench, "a.rs"), SERVER);
    assert_eq!(text(&bench, "b.rs"), changed);
}

#[test]
fn a_process_with_another_root_applies_and_undoes_the_edit() {
    let bench = Bench::new();
    fs::create_dir(bench.root().join("inner")).expect("it can be created");
    bench.write("inner/a.rs", SERVER);
    let made = bench.call("replace_node", json!({
        "file_path": "inner/a.rs", "selector": node("one()", "call_expression"), "new_content": "first()",
    }));
    let edit_id = made.expect("it can be replaced").json["edit_id"].clone();
    let utf8 =
        |path: std::path::PathBuf| camino::Utf8PathBuf::from_path_buf(path).expect("it is UTF-8");
    let (root, state) = (
        utf8(bench.root().join("inner")),
        utf8(bench.state().to_owned()),
    );
    let engine =
        treegraft::engine::Engine::open(&[root], Some(&state)).expect("they can be opened");
    let call = |tool: &str| {
        let done = crate::support::call(&engine, tool, json!({"edit_id": edit_id}));
        done.unwrap_or_else(|refusal| panic!("{tool}: {}", refusal.text()))
    };
    assert_eq!(call("apply_edit").json["files"][0]["file_path"], "a.rs");
    assert_eq!(
        text(&bench, "inner/a.rs"),
        SERVER.replace("one()", "first()")
    );
    call("undo_edit");
    assert_eq!(text(&bench, "inner/a.rs"), SERVER);
    bench.write("inner/a.rs", format!("// new\n{SERVER}"));
    assert_eq!(call("apply_edit").json["status"], "rebased");
}

#[test]
#[cfg(unix)]
fn a_file_that_cannot_be_written_is_named_and_the_edit_stays_staged() {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    type Change = fn(&Path, &Path);
    let mode = |file: &Path, mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(file, mode).expect("the permissions can be set");
    };
    let obstacles: [(&str, Change, Change); 5] = [
        (
            "permission_denied",
            |file, _| {
                fs::set_permissions(file, fs::Permissions::from_mode(0o444))
                    .expect("the permissions can be set")
            },
            |file, _| {
                fs::set_permissions(file, fs::Permissions::from_mode(0o640))
                    .expect("the permissions can be set")
            },
        ),
        (
            "hard_linked",
            |file, aside| fs::hard_link(file, aside).expect("it can be linked"),
            |_, aside| fs::remove_file(aside).expect("it exists"),
        ),
        (
            "file_not_found",
            |file, aside| fs::rename(file, aside).expect("it can be moved"),
            |file, aside| fs::rename(aside, file).expect("it can be moved"),
        ),
        (
            "not_a_file",
            |file, aside| {
                fs::rename(file, aside).expect("it can be moved");
                fs::create_dir(file).expect("it can be created");
            },
            |file, aside| {
                fs::remove_dir(file).expect("it is empty");
                fs::rename(aside, file).expect("it can be moved");
            },
        ),
        (
            "stale_edit",
            |file, aside| {
                fs::rename(file, aside).expect("it can be moved");
                std::os::unix::fs::symlink(aside, file).expect("it can be linked");
            },
            |file, aside| fs::rename(aside, file).expect("it can be moved"),
        ),
    ];
    for (code, obstruct, clear) in obstacles {
        let bench = Bench::with("a.rs", SERVER);
        bench.write("b.rs", SERVER);
        let (file, aside) = (bench.root().join("a.rs"), bench.root().join("aside.rs"));
        mode(&file, 0o640);
        let edits = json!([
            replace("b.rs", node("one()", "call_expression"), "first()"),
            replace("a.rs", node("one()", "call_expression"), "first()"),
        ]);
        let made = bench.call("edit_nodes", json!({"edits": edits}));
        let edit_id = made.expect("both can be made").json["edit_id"].clone();
        obstruct(&file, &aside);
        let refusal = bench.call("apply_edit", json!({"edit_id": edit_id}));
        let refusal = refusal.expect_err("the file cannot be written");
        assert_eq!(refusal.code().as_str(), code, "{}", refusal.text());
        assert_eq!(text(&bench, "b.rs"), SERVER, "{code}");
        clear(&file, &aside);
        assert_eq!(text(&bench, "a.rs"), SERVER, "{code}");
        let applied = bench.call("apply_edit", json!({"edit_id": edit_id}));
        let applied = applied.unwrap_or_else(|refusal| panic!("{code}: {}", refusal.text()));
        assert_eq!(applied.json["status"], "applied", "{code}");
        for name in ["a.rs", "b.rs"] {
            assert_eq!(
                text(&bench, name),
                SERVER.replace("one()", "first()"),
                "{code}"
            );
        }
        let kept = fs::metadata(&file).expect("it exists").permissions();
        assert_eq!(kept.mode() & 0o777, 0o640, "{code}");
    }
}

// Undo

#[test]
fn an_undo_restores_the_bytes_and_stages_the_edit_again() {
    let before = "\u{feff}{\r\n  \"a\": 1,\r\n  \"b\": \"\u{1f600}\"\r\n}";
    let bench = Bench::with("a.json", before);
    let made = bench.call(
        "delete_node",
        json!({
            "file_path": "a.json", "selector": node("\"a\"", "pair"), "apply": true,
        }),
    );
    let made = made.expect("the node can be deleted");
    let edit_id = made.json["edit_id"].clone();
    assert_ne!(text(&bench, "a.json"), before);
    let undone = bench
        .another_engine()
        .call("undo_edit", json!({"edit_id": edit_id}));
    let undone = undone.expect("nothing changed since");
    assert_eq!(undone.json["status"], "undone");
    assert_eq!(
        undone.json["files"][0]["digest_after"],
        made.json["files"][0]["digest_before"]
    );
    assert_eq!(text(&bench, "a.json"), before);
    let again = bench.call("undo_edit", json!({"edit_id": edit_id}));
    pinned(
        "undone_twice",
        &again.expect_err("it is not applied").text(),
    );
    let redone = bench.call("apply_edit", json!({"edit_id": edit_id}));
    assert_eq!(redone.expect("it waits again").json["status"], "applied");
    for tool in ["apply_edit", "discard_edit"] {
        let again = bench.call(tool, json!({"edit_id": edit_id}));
        pinned(
            "applied_already",
            &again.expect_err("the edit is already undone").text(),
        );
    }
}

#[test]
fn an_undo_without_the_old_text_is_refused() {
    let bench = Bench::with("a.rs", SERVER);
    let made = bench.call(
        "replace_node",
        json!({
            "file_path": "a.rs", "selector": node("one()", "call_expression"),
            "new_content": "first()", "apply": true,
        }),
    );
    let edit_id = made.expect("it can be replaced").json["edit_id"].clone();
    let after = text(&bench, "a.rs");
    fs::remove_dir_all(folder_of(bench.state(), "texts")).expect("it exists");
    let refusal = bench.call("undo_edit", json!({"edit_id": edit_id}));
    pinned(
        "no_way_back",
        &refusal.expect_err("the text was removed").text(),
    );
    assert_eq!(text(&bench, "a.rs"), after);
}

#[test]
fn what_is_kept_of_edits_can_be_removed() {
    let bench = Bench::with("a.rs", SERVER);
    let first =
        json!({"selector": node("one()", "call_expression"), "new_content": "first(SECRET)"});
    let staged = staged_in(&bench, "replace_node", &first);
    let mut second = json!({"selector": node("two()", "call_expression"), "new_content": "2()"});
    second["apply"] = true.into();
    let applied = staged_in(&bench, "replace_node", &second);
    let after = text(&bench, "a.rs");
    // The edits of another workspace are left.
    let elsewhere = bench.another_workspace();
    elsewhere.write("a.rs", SERVER);
    let other = json!({"selector": node("one()", "call_expression"), "new_content": "first()"});
    let other = staged_in(&elsewhere, "replace_node", &other);

    let forgotten = bench.engine.forget_edits().expect("nothing prevents it");
    assert_eq!((forgotten.edits, forgotten.texts), (2, 1));
    assert_eq!(
        treegraft::engine::Answer::text(&forgotten),
        "removed 2 edits and 1 file version\n"
    );
    let kept = |secret: &str| {
        let folders = fs::read_dir(bench.state()).expect("it exists");
        let folders = folders.map(|entry| entry.expect("it can be listed").path());
        let files = folders.filter(|path| path.is_dir()).flat_map(|folder| {
            let files = fs::read_dir(folder).expect("it can be listed");
            files.map(|entry| entry.expect("it can be listed").path())
        });
        let texts = files.map(|path| fs::read(path).expect("it can be read"));
        texts
            .filter(|text| String::from_utf8_lossy(text).contains(secret))
            .count()
    };
    assert_eq!(kept("SECRET"), 0);
    assert_eq!(text(&bench, "a.rs"), after);
    for (tool, edit_id) in [("apply_edit", &staged), ("undo_edit", &applied)] {
        let refusal = bench.call(tool, json!({"edit_id": edit_id}));
        pinned("expired", &refusal.expect_err("it is removed").text());
    }
    let made = elsewhere.call("apply_edit", json!({"edit_id": other}));
    assert_eq!(made.expect("it is kept").json["status"], "applied");
}

#[test]
fn staged_and_applied_edits_are_listed() {
    let bench = Bench::with("a.rs", SERVER);
    bench.write("b.json", "[1, 2]\n");
    let edits = vec![
        replace("a.rs", node("one()", "call_expression"), "first()"),
        delete("b.json", node("1", "number")),
    ];
    after(&bench, "a.rs", edits);
    refused(&bench, vec![delete("b.json", node("7", "number"))]);
    bench
        .call(
            "delete_node",
            json!({"file_path": "b.json", "selector": node("2", "number")}),
        )
        .expect("the node can be deleted");
    let listed = bench
        .call("list_edits", json!({}))
        .expect("they can be listed");
    let mut lines: Vec<&str> = listed.text.lines().collect();
    // Edits of the same second are sorted by id.
    lines.sort_by_key(|line| {
        line.split_whitespace()
            .nth(1)
            .unwrap_or_default()
            .to_string()
    });
    pinned("listed", &lines.join("\n"));
}

#[test]
fn staged_edits_of_the_same_text_are_listed_as_such() {
    let bench = Bench::with("a.rs", SERVER);
    let staged = |anchor: &str, content: &str| {
        let made = bench.another_engine().call(
            "replace_node",
            json!({
                "file_path": "a.rs", "selector": node(anchor, "call_expression"),
                "new_content": content,
            }),
        );
        made.expect("it can be replaced").json["edit_id"].clone()
    };
    let [first, other, second] = [
        ("one()", "first()"),
        ("two()", "other()"),
        ("one()", "second()"),
    ]
    .map(|(anchor, content)| staged(anchor, content));
    let listed = bench
        .call("list_edits", json!({}))
        .expect("they are listed");
    let overlaps = |edit_id: &Value| {
        let mut edits = listed.json["edits"]
            .as_array()
            .expect("it is a list")
            .iter();
        let edit = edits.find(|edit| edit["edit_id"] == *edit_id);
        edit.expect("it is listed")["overlaps"].clone()
    };
    assert_eq!(overlaps(&first), json!([second]));
    assert_eq!(overlaps(&second), json!([first]));
    assert_eq!(overlaps(&other), Value::Null);
    assert!(listed.text.contains(&format!(
        "    changes the same text as {}",
        first.as_str().expect("ids are text")
    )));
}

#[test]
fn whitespace_in_a_search_text_may_be_removed_by_another_edit() {
    let bench = Bench::with("main.rs", "x;\n  y;\nz;\n");
    let edits = json!([
        {"op": "replace_text", "file_path": "main.rs", "find": "x;\n", "new_content": ""},
        {"op": "replace_text", "file_path": "main.rs", "find": "\n  y;", "new_content": "\n  w;"},
    ]);
    let made = bench.call(
        "edit_nodes",
        json!({"edits": edits, "apply": true, "allow": ["syntax_errors"]}),
    );
    assert!(made.is_ok(), "{}", made.expect_err("it is refused").text());
    assert_eq!(bench.read("main.rs"), b"  w;\nz;\n");
}
