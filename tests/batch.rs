//! Batches of calls as JSON Lines: answers are in order, answered lines are not run again, and
//! `--atomic` makes all edits or none.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run the command line and read files"
)]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use treegraft::diagnostic::Code;
use treegraft::engine::batch::{Counts, Options};
use treegraft::engine::calls::Call;
use treegraft::engine::tools::{self, Effect};

use crate::mcp::Server;
use crate::support::{Bench, steady};

/// A workspace, a state directory and a folder for inputs and outputs.
struct Fixture {
    directory: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        fs::create_dir(directory.path().join("workspace")).expect("the workspace can be created");
        Fixture { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the directory can be written");
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command
            .arg("--root")
            .arg(self.path("workspace"))
            .args(words)
            .env("XDG_STATE_HOME", self.path("state"))
            .current_dir(self.directory.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the command runs")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn values(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("an answer is a line of JSON"))
        .collect()
}

fn jsonl(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Runs a batch through the library and returns its answers.
fn batch(bench: &Bench, input: &str, options: Options) -> (Vec<Value>, Counts) {
    let mut answers = Vec::new();
    let read = bench.engine.batch(input.as_bytes(), options, None);
    let read = read.expect("without an output there is nothing to refuse");
    let counts = read.run(
        &mut |answer| {
            answers.push(answer.clone());
            true
        },
        &(),
    );
    (answers, counts)
}

/// Returns a line that increments `number` in a JSON file.
fn increment(file: &str, number: usize) -> Value {
    json!({
        "tool": "replace_node",
        "id": format!("{file} {number}"),
        "arguments": {
            "file_path": file,
            "selector": format!("number@{number}"),
            "new_content": (number + 1).to_string(),
            "apply": true,
        },
    })
}

#[test]
fn each_line_gets_an_answer_or_a_refusal_that_names_the_error() {
    let fixture = Fixture::new();
    fixture.write("workspace/a.json", "{\"a\": 1}\n");
    let good = r#"{"tool": "replace_node", "arguments": {"file_path": "a.json", "selector": "number@1", "new_content": "2"}, "id": 7}"#;
    let lines = [
        good,
        "{\"tool\": \"replace_node\"",
        "",
        "[1]",
        r#"{"tool": "replace_nodes", "arguments": {}, "id": "x"}"#,
        r#"{"tool": "read_node", "argument": {}}"#,
        r#"{"tool": "read_node", "arguments": {"file_path": "a.json", "selector": "number@1", "deep": 1}}"#,
        r#"{"arguments": {}}"#,
        r#"{"tool": "read_node", "arguments": "{\"file_path\": \"a.json\", \"selector\": \"number@9\"}"}"#,
        r#"{"tool": "read_node", "arguments": {"file_path": "a.json", "selector": "number@1"}}"#,
    ];
    fixture.write("calls.jsonl", &lines.join("\n"));
    let output = fixture.run(&["batch", "calls.jsonl"]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
    let answers = values(&text(&output.stdout));
    let summaries: Vec<String> = answers
        .iter()
        .map(|answer| {
            let outcome = match answer.get("error") {
                Some(error) => format!(
                    "{}: {}",
                    error["code"].as_str().unwrap_or_default(),
                    error["message"].as_str().unwrap_or_default()
                ),
                None => match answer["result"]["status"].as_str() {
                    Some(status) => status.to_string(),
                    None => answer["result"]["node"]["text"].to_string(),
                },
            };
            format!("{} {} {outcome}", answer["line"], answer["id"])
        })
        .collect();
    insta::assert_snapshot!(summaries.join("\n"), @r#"
    1 7 previewed
    2 null invalid_arguments: the line is not valid JSON: EOF while parsing an object at line 1 column 23; a line is {"tool": "..", "arguments": {..}}, with an optional "id"
    4 null invalid_arguments: the line is not an object; a line is {"tool": "..", "arguments": {..}}, with an optional "id"
    5 "x" invalid_arguments: unknown tool `replace_nodes`; the tools are outline, locate, read_node, find_nodes, replace_node, replace_text, insert_node, delete_node, wrap_node, move_node, edit_nodes, rewrite, apply_edit, undo_edit, amend_edit, discard_edit, list_edits, goto_definition, find_references, hover, diagnostics, workspace_symbols, rename_symbol, code_actions, format, completions, signature_help
    6 null invalid_arguments: unknown field `argument`; a line is {"tool": "..", "arguments": {..}}, with an optional "id"
    7 null invalid_arguments: unknown field `deep`
    8 null invalid_arguments: the line has no tool; a line is {"tool": "..", "arguments": {..}}, with an optional "id"
    9 null anchor_not_found: anchor_text "9" not found in file
    10 null "1"
    "#);
    assert_eq!(fixture.read("workspace/a.json"), "{\"a\": 1}\n");
    // A single line gets the same answer as the tool call.
    let shown = fixture.run(&[
        "--json",
        "replace",
        "a.json",
        "--anchor",
        "1",
        "--ancestor",
        "number",
        "--content",
        "2",
    ]);
    let shown: Value = serde_json::from_slice(&shown.stdout).expect("it is JSON");
    assert_eq!(
        steady(&answers[0]["result"].to_string()),
        steady(&shown.to_string())
    );
}

#[test]
fn a_batch_from_standard_input_without_refusals_exits_with_zero() {
    let fixture = Fixture::new();
    fixture.write("workspace/a.json", "{\"a\": 1}\n");
    let mut child = fixture
        .command(&["batch", "--apply"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let line = r#"{"tool": "replace_node", "arguments": {"file_path": "a.json", "selector": "number@1", "new_content": "2"}}"#;
    let mut input = child.stdin.take().expect("its input is a pipe");
    input.write_all(line.as_bytes()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(
        values(&text(&output.stdout))[0]["result"]["status"],
        "applied"
    );
    assert_eq!(fixture.read("workspace/a.json"), "{\"a\": 2}\n");
}

/// A path that does not exist when the batch starts may be a directory or a glob that an earlier line fills.
#[test]
fn a_line_about_a_new_directory_follows_the_lines_that_fill_it() {
    let bench = Bench::new();
    let mut lines = Vec::new();
    for round in 0..12 {
        let create = json!([{
            "op": "create_file", "file_path": format!("new{round}/a.json"), "new_content": "{\"a\": 1}\n"
        }]);
        let arguments = json!({"edits": create, "apply": true});
        lines.push(json!({"tool": "edit_nodes", "arguments": arguments}));
        for path in [format!("new{round}"), format!("new{round}/*.json")] {
            let find = json!({"path": path, "name": "a"});
            lines.push(json!({"tool": "find_nodes", "arguments": find}));
        }
    }
    let options = Options {
        jobs: Some(4),
        ..Options::default()
    };
    let (answers, counts) = batch(&bench, &jsonl(&lines), options);
    assert_eq!(
        (counts.done, counts.refused),
        (lines.len(), 0),
        "{answers:#?}"
    );
}

#[test]
fn lines_of_one_file_run_in_order_and_answers_have_the_order_of_the_lines() {
    const FILES: usize = 5;
    const STEPS: usize = 12;

    let bench = Bench::new();
    let mut lines = Vec::new();
    for file in 0..FILES {
        bench.write(&format!("{file}.json"), "{\"a\": 0}\n");
    }
    for step in 0..STEPS {
        for file in 0..FILES {
            lines.push(increment(&format!("{file}.json"), step));
            // Sees the edits of the lines before it, and none of the lines after it.
            let find = json!({"path": ".", "text": step.to_string(), "node_type": "number"});
            if step % 4 == 3 {
                lines.push(json!({"tool": "find_nodes", "arguments": find}));
            }
        }
    }
    let options = Options {
        jobs: Some(4),
        ..Options::default()
    };
    let (answers, counts) = batch(&bench, &jsonl(&lines), options);
    assert_eq!(
        (counts.lines, counts.done, counts.refused),
        (lines.len(), lines.len(), 0),
        "{answers:#?}"
    );
    for (index, (line, answer)) in lines.iter().zip(&answers).enumerate() {
        assert_eq!(answer["line"], index + 1);
        assert_eq!(answer["id"], line["id"]);
    }
    for file in 0..FILES {
        let text = bench.read(&format!("{file}.json"));
        assert_eq!(text, format!("{{\"a\": {STEPS}}}\n").as_bytes());
    }
    let found = answers
        .iter()
        .filter_map(|one| one["result"]["matches"].as_array());
    let found: Vec<usize> = found.map(Vec::len).collect();
    // Five files have the number, and each edit increments it in one more of them.
    let expected: Vec<usize> = [4, 3, 2, 1, 0].repeat(STEPS / 4);
    assert_eq!(found, expected);
}

#[test]
fn answered_lines_are_not_run_again() {
    let fixture = Fixture::new();
    fixture.write("workspace/a.json", "{\"a\": 0}\n");
    let line = |index: usize| increment("a.json", index);
    fixture.write("calls.jsonl", &jsonl(&[line(0), line(1), line(1)]));
    let words = ["batch", "calls.jsonl", "--output", "answers.jsonl"];
    let output = fixture.run(&words);
    let outcome = text(&output.stdout);
    assert!(
        outcome.starts_with("3 lines: 2 done, 1 refused; the answers are in "),
        "{outcome}"
    );
    assert_eq!(output.status.code(), Some(4));
    let answers = fixture.read("answers.jsonl");
    // Nothing is left to do, and the refusal still counts.
    let output = fixture.run(&words);
    let outcome = text(&output.stdout);
    assert!(
        outcome.starts_with("3 lines: 0 done, 0 refused, 3 answered before; "),
        "{outcome}"
    );
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(fixture.read("answers.jsonl"), answers);
    // Only added lines run; an answer that was cut off is made again.
    fixture.write("calls.jsonl", &jsonl(&[line(0), line(1), line(1), line(2)]));
    fixture.write("answers.jsonl", &format!("{answers}{{\"line\":4,\"di"));
    fixture.run(&words);
    let all = values(&fixture.read("answers.jsonl"));
    assert_eq!(all.len(), 4);
    assert_eq!(all[3]["result"]["status"], "applied");
    assert_eq!(fixture.read("workspace/a.json"), "{\"a\": 3}\n");
}

#[test]
fn a_changed_input_and_an_unrelated_output_file_are_refused() {
    let fixture = Fixture::new();
    fixture.write("workspace/a.json", "{\"a\": 0}\n");
    fixture.write("calls.jsonl", &jsonl(&[increment("a.json", 0)]));
    let words = ["batch", "calls.jsonl", "--output", "answers.jsonl"];
    fixture.run(&words);
    let answers = fixture.read("answers.jsonl");
    let refusal = |words: &[&str]| {
        let output = fixture.run(words);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        text(&output.stderr)
    };
    let with_apply = [&words[..], &["--apply"]].concat();
    let others = refusal(&with_apply);
    fixture.write("calls.jsonl", &jsonl(&[increment("a.json", 1)]));
    let changed = refusal(&words);
    fixture.write("calls.jsonl", "\n");
    let shorter = refusal(&words);
    assert_eq!(fixture.read("answers.jsonl"), answers);
    fixture.write("notes.txt", "my own words");
    let foreign = refusal(&["batch", "calls.jsonl", "--output", "notes.txt"]);
    assert_eq!(fixture.read("notes.txt"), "my own words");
    assert_eq!(fixture.read("workspace/a.json"), "{\"a\": 1}\n");
    assert_eq!(others, changed);
    insta::assert_snapshot!([changed, shorter, foreign].join("\n"), @r"
    refused: invalid_arguments
    line 1 of the input is not the line that the output answers

    help: the input or the options changed; pass another output file

    refused: invalid_arguments
    the output answers line 1, but the input has no such line

    help: the input or the options changed; pass another output file

    refused: invalid_arguments
    line 1 of the output is not an answer of a batch

    help: pass another output file; this one is unchanged
    ");
}

#[test]
fn a_killed_batch_continues_and_runs_no_line_twice() {
    const LINES: usize = 60;
    const FILES: usize = 4;

    let mut killed = 0;
    for round in 0..6 {
        let fixture = Fixture::new();
        let mut lines = Vec::new();
        for index in 0..LINES {
            let file = format!("{}.json", index % FILES);
            fixture.write(&format!("workspace/{file}"), "[\n  \"first\"\n]\n");
            lines.push(json!({"tool": "insert_node", "arguments": {
                "file_path": file, "selector": "string@first", "position": "after",
                "new_content": format!("\"line {index}\""), "apply": true,
            }}));
        }
        fixture.write("calls.jsonl", &jsonl(&lines));
        let words = [
            "batch",
            "calls.jsonl",
            "--output",
            "answers.jsonl",
            "--jobs",
            "4",
        ];
        // Kills the batch once this many lines are answered, then runs it to the end.
        let wanted = round * LINES / 8;
        let mut child = fixture.command(&words).spawn().expect("the command runs");
        let begun = Instant::now();
        let answered = || {
            let answers = fs::read(fixture.path("answers.jsonl")).unwrap_or_default();
            answers.iter().filter(|byte| **byte == b'\n').count()
        };
        while answered() < wanted && begun.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_micros(200));
        }
        let _ = child.kill();
        let status = child.wait().expect("it ended");
        killed += usize::from(!status.success());
        let output = fixture.run(&words);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let answers = values(&fixture.read("answers.jsonl"));
        assert_eq!(answers.len(), LINES);
        for (index, answer) in answers.iter().enumerate() {
            assert_eq!(answer["line"], index + 1);
            assert_eq!(answer["result"]["status"], "applied", "{answer}");
        }
        for index in 0..LINES {
            let file = fixture.read(&format!("workspace/{}.json", index % FILES));
            let count = file.matches(&format!("\"line {index}\"")).count();
            assert_eq!(count, 1, "line {index} in\n{file}");
        }
        let notes = fs::read_dir(fixture.path("state/treegraft/batch")).expect("it has notes");
        let notes = notes.filter_map(Result::ok);
        let notes = notes.filter(|one| !one.file_name().to_string_lossy().starts_with('.'));
        assert_eq!(notes.count(), 0, "a finished batch leaves no notes");
    }
    assert!(
        killed > 2,
        "only {killed} batches were killed while they ran"
    );
}

#[test]
fn an_atomic_batch_makes_all_edits_or_none() {
    let fixture = Fixture::new();
    let files = ["workspace/a.json", "workspace/b.json"];
    for file in files {
        fixture.write(file, "{\"a\": 1, \"b\": 2}\n");
    }
    let replace = |file: &str, from: &str, to: &str| {
        json!({"tool": "replace_node", "id": format!("{file}{from}"), "arguments": {
            "file_path": file, "selector": format!("number@{from}"), "new_content": to,
        }})
    };
    let both = json!({"tool": "edit_nodes", "arguments": {"edits": [
        {"op": "replace", "file_path": "b.json", "selector": "number@1", "new_content": "3"},
        {"op": "delete", "file_path": "a.json", "selector": "pair@\"b\""},
    ]}});
    let good = [
        replace("a.json", "1", "2"),
        both,
        replace("b.json", "2", "4"),
    ];
    let mut bad = good.to_vec();
    bad[2] = replace("b.json", "7", "4");
    fixture.write("bad.jsonl", &jsonl(&bad));
    fixture.write("good.jsonl", &jsonl(&good));

    let output = fixture.run(&["batch", "bad.jsonl", "--atomic", "--apply"]);
    assert_eq!(output.status.code(), Some(1));
    let answers = values(&text(&output.stdout));
    let codes: Vec<&str> = answers
        .iter()
        .map(|answer| answer["error"]["code"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(codes, ["anchor_not_found"; 3]);
    assert_eq!(
        answers[0]["error"]["message"],
        "not made because line 3 is refused (all or none)"
    );
    for file in files {
        assert_eq!(fixture.read(file), "{\"a\": 1, \"b\": 2}\n");
    }

    let output = fixture.run(&[
        "batch",
        "good.jsonl",
        "--atomic",
        "--apply",
        "--output",
        "out.jsonl",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let answers = values(&fixture.read("out.jsonl"));
    let edit_id = answers[0]["result"]["edit_id"]
        .as_str()
        .expect("it has an id");
    for answer in &answers {
        assert_eq!(answer["result"]["edit_id"], edit_id);
        assert_eq!(answer["result"]["status"], "applied");
    }
    let own: Vec<Value> = answers
        .iter()
        .flat_map(|answer| {
            answer["result"]["files"]
                .as_array()
                .cloned()
                .unwrap_or_default()
        })
        .map(|file| {
            let added = &file["added_lines"];
            json!([file["file_path"], file["action"], file["edit_index"], added])
        })
        .collect();
    assert_eq!(
        own,
        [
            json!(["a.json", "replace", null, 1]),
            json!(["a.json", "delete", 1, 0]),
            json!(["b.json", "replace", 0, 1]),
            json!(["b.json", "replace", null, 0]),
        ]
    );
    assert_eq!(fixture.read(files[0]), "{\"a\": 2}\n");
    assert_eq!(fixture.read(files[1]), "{\"a\": 3, \"b\": 4}\n");
    // Answers that were cut off are made again; the change is not.
    let out = fixture.read("out.jsonl");
    let again = fixture.run(&[
        "batch",
        "good.jsonl",
        "--atomic",
        "--apply",
        "--output",
        "out.jsonl",
    ]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(fixture.read("out.jsonl"), out);

    let undone = fixture.run(&["undo", edit_id]);
    assert!(undone.status.success(), "{}", text(&undone.stderr));
    for file in files {
        assert_eq!(fixture.read(file), "{\"a\": 1, \"b\": 2}\n");
    }
}

#[test]
fn each_line_of_an_atomic_batch_may_have_its_own_indent() {
    let before = "fn f() {\n    a();\n    b();\n    c();\n}\n";
    let bench = Bench::with("a.rs", before);
    let edit = |from: &str, more: Value| {
        let mut arguments = json!({
            "file_path": "a.rs",
            "selector": format!("expression_statement@{from}()"),
            "new_content": format!("if x {{\n  {from}();\n}}"),
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        json!({"tool": "replace_node", "arguments": arguments})
    };
    let verbatim = json!({"indent": "verbatim", "apply": true});
    let auto = json!({"apply": true});
    for (kinds, expected) in [
        (
            [&auto, &verbatim, &auto],
            "fn f() {\n    if x {\n      a();\n    }\n    if x {\n  b();\n}\n    if x {\n      c();\n    }\n}\n",
        ),
        (
            [&verbatim, &auto, &verbatim],
            "fn f() {\n    if x {\n  a();\n}\n    if x {\n      b();\n    }\n    if x {\n  c();\n}\n}\n",
        ),
    ] {
        bench.write("a.rs", before);
        let lines = ["a", "b", "c"].iter().zip(kinds);
        let lines: Vec<Value> = lines.map(|(from, kind)| edit(from, kind.clone())).collect();
        let options = Options {
            atomic: true,
            ..Options::default()
        };
        let (_, counts) = batch(&bench, &jsonl(&lines), options);
        assert_eq!((counts.done, counts.refused), (3, 0));
        assert_eq!(bench.read("a.rs"), expected.as_bytes());
    }
}

#[test]
fn an_atomic_batch_accepts_only_edits_with_the_same_options() {
    let bench = Bench::with("a.json", "{\"a\": 1, \"b\": 2}\n");
    let edit = |from: &str, more: Value| {
        let mut arguments = json!({
            "file_path": "a.json", "selector": format!("number@{from}"), "new_content": "3",
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        json!({"tool": "replace_node", "arguments": arguments})
    };
    let lines = [
        edit("1", json!({})),
        json!({"tool": "list_edits"}),
        edit("2", json!({"allow": ["surroundings"]})),
        edit("2", json!({"apply": true})),
    ];
    let options = Options {
        atomic: true,
        ..Options::default()
    };
    let (answers, counts) = batch(&bench, &jsonl(&lines), options);
    assert_eq!((counts.done, counts.refused), (0, 4));
    let messages: Vec<&str> = answers
        .iter()
        .map(|answer| answer["error"]["message"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        messages,
        [
            "not made because line 2 is refused (all or none)",
            "list_edits does not edit nodes; --atomic only supports tools that do",
            "all lines form one change, but the `allow` of this line differs from the first",
            "all lines form one change, but the `apply` of this line differs from the first",
        ]
    );
    // Two edits of the same text: neither is made.
    let lines = [edit("1", json!({})), edit("1", json!({}))];
    let (answers, _) = batch(&bench, &jsonl(&lines), options);
    assert_eq!(answers[1]["error"]["code"], "overlapping_edits");
    // Each line gets the refusals of its own edits, and the first one the call that corrects all.
    let wrong_type = |from: &str| edit(from, json!({"selector": format!("integer@{from}")}));
    let lines = [
        wrong_type("1"),
        edit(
            "",
            json!({"selector": "string@\"b\"", "new_content": "\"c\""}),
        ),
        wrong_type("2"),
    ];
    let (answers, _) = batch(&bench, &jsonl(&lines), options);
    let errors: Vec<&Value> = answers.iter().map(|answer| &answer["error"]).collect();
    let messages: Vec<&str> = errors
        .iter()
        .map(|error| error["message"].as_str().unwrap_or_default())
        .collect();
    let wrong = "ancestor_node_type \"integer\" is neither a node type of json nor a general word";
    assert_eq!(
        messages,
        [
            format!("edits[0]: {wrong}"),
            "not made because line 1 is refused (all or none)".to_string(),
            format!("edits[2]: {wrong}"),
        ]
    );
    assert_eq!(errors[0]["further"][0]["edit_index"], 2);
    assert_eq!(errors[2]["further"], json!([]));
    // Alone, an amendment of the third edit does not correct the change.
    assert_eq!(errors[2]["suggestions"], json!([]));
    assert_eq!(errors[2]["edit_id"], errors[0]["edit_id"]);
    let amend = |error: &Value| error["amendments"][0]["arguments"].clone();
    let edits = json!([amend(errors[0]), amend(errors[2])]);
    let amendment = json!({"edit_id": errors[2]["edit_id"], "edits": edits});
    let made = bench.call("amend_edit", amendment);
    made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    // Without --apply, the result is one preview with one id.
    let (answers, _) = batch(
        &bench,
        &jsonl(&[edit("1", json!({})), edit("2", json!({}))]),
        options,
    );
    assert_eq!(answers[1]["result"]["status"], "previewed");
    let edit_id = &answers[1]["result"]["edit_id"];
    assert_eq!(edit_id, &answers[0]["result"]["edit_id"]);
    bench
        .call("apply_edit", json!({"edit_id": edit_id}))
        .expect("it waits");
    assert_eq!(bench.read("a.json"), b"{\"a\": 3, \"b\": 3}\n");
}

#[test]
fn a_line_cannot_reach_outside_the_workspace() {
    let fixture = Fixture::new();
    fixture.write("outside.json", "{\"a\": 1}\n");
    fixture.write("workspace/a.json", "{\"a\": 1}\n");
    let outside = fixture.path("outside.json");
    let outside = outside.to_str().expect("its path is UTF-8");
    let edit = |path: &str| {
        let mut edit = increment("a.json", 1);
        edit["arguments"]["file_path"] = json!(path);
        edit
    };
    let lines = [edit("../outside.json"), edit(outside)];
    fixture.write("calls.jsonl", &jsonl(&lines));
    for way in [&[][..], &["--atomic"]] {
        let output = fixture.run(&[&["batch", "calls.jsonl"], way].concat());
        let answers = values(&text(&output.stdout));
        for answer in &answers {
            assert_eq!(answer["error"]["code"], "outside_workspace", "{answer}");
        }
        assert_eq!(answers.len(), 2);
    }
    assert_eq!(fixture.read("outside.json"), "{\"a\": 1}\n");
}

#[test]
fn a_batch_stops_if_its_output_is_closed() {
    let bench = Bench::with("a.json", "{\"a\": 0}\n");
    let lines: Vec<Value> = (0..20).map(|index| increment("a.json", index)).collect();
    let input = jsonl(&lines);
    let read = bench
        .engine
        .batch(input.as_bytes(), Options::default(), None);
    let read = read.expect("without an output there is nothing to refuse");
    let mut taken = 0;
    read.run(
        &mut |_| {
            taken += 1;
            taken < 3
        },
        &(),
    );
    assert_eq!(taken, 3);
    assert_eq!(bench.read("a.json"), b"{\"a\": 3}\n");
}

#[test]
fn batch_and_server_have_the_same_tools() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let state = tempfile::tempdir().expect("a temporary directory can be created");
    let mut server = Server::over_with(
        directory.path(),
        state,
        &["--tools", "read,edit,flow,server"],
    );
    server.initialize("2025-06-18");
    let listed = server.request("tools/list", json!({}));
    let all = listed["result"]["tools"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let mut listed: Vec<String> = all
        .iter()
        .filter_map(|tool| tool["name"].as_str().map(str::to_string))
        .collect();
    for tool in &all {
        let name = tool["name"].as_str().unwrap_or_default();
        let applies = tool["inputSchema"]["properties"]["apply"]["type"] == "boolean";
        let effect = tools::tool(name).map(|tool| tool.effect);
        assert_eq!(effect == Some(Effect::PreviewsOrWrites), applies, "{name}");
    }
    let mut known: Vec<String> = tools::tools().map(|tool| tool.name.to_string()).collect();
    listed.sort();
    known.sort();
    assert_eq!(known, listed);
    assert!(server.end().success());
}

#[test]
fn a_refusal_names_the_tool_that_was_called() {
    let read = |tool: &str| Call::read(tool, json!({"file_path": "a.py"})).map(|call| call.tool());
    let refusal = read("replace_nodes").expect_err("there is no such tool");
    assert_eq!(refusal.tool(), "replace_nodes");
    assert_eq!(refusal.code(), Code::InvalidArguments);
    let refusal = read("replace_node").expect_err("arguments are missing");
    assert_eq!(refusal.tool(), "replace_node");
}

/// Runs `batch --pure` without a workspace, where no state directory can be created.
fn pure(input: &[u8], words: &[&str]) -> Output {
    let fixture = Fixture::new();
    fixture.write("file", "");
    let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
    command
        .args(["batch", "--pure"])
        .args(words)
        .env("XDG_STATE_HOME", fixture.path("file"))
        .current_dir(fixture.path("workspace"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the command ends");
    writer
        .join()
        .expect("no panic")
        .expect("the command reads all of its input");
    let left = fs::read_dir(fixture.path("workspace")).expect("it is there");
    assert_eq!(left.count(), 0, "nothing is written");
    output
}

#[test]
fn a_line_of_a_pure_batch_has_its_text() {
    let call = |tool: &str, arguments: Value| json!({"tool": tool, "arguments": arguments});
    let replace = |old: &str, new: &str| {
        let selector = format!("integer@{old}");
        call(
            "replace_node",
            json!({"selector": selector, "new_content": new}),
        )
    };
    let python =
        |calls: Vec<Value>| json!({"language": "python", "text": "a = 1\nb = 2\n", "calls": calls});
    let with = |mut line: Value, name: &str, value: Value| {
        line[name] = value;
        line
    };
    let lines = [
        with(
            python(vec![replace("1", "10"), replace("2", "20")]),
            "id",
            json!("two"),
        ),
        with(
            python(vec![replace("1", "1_0")]),
            "file_path",
            json!("shop/a.py"),
        ),
        python(vec![call(
            "rewrite",
            json!({"pattern": "c = $A", "new_content": "d = $A"}),
        )]),
        python(vec![
            call("outline", json!({})),
            call("locate", json!({"locate": "@b = <|>"})),
        ]),
        // A refused call leaves the text as it is.
        python(vec![replace("1", "10"), replace("3", "30")]),
        python(vec![call(
            "replace_text",
            json!({"find": "1", "new_content": "2", "apply": true}),
        )]),
        python(vec![call(
            "delete_node",
            json!({"file_path": "b.py", "selector": "integer@1"}),
        )]),
        python(vec![call("list_edits", json!({}))]),
        python(vec![call("find_edits", json!({}))]),
        python(vec![json!({"tool": "outline", "path": "."})]),
        python(vec![json!("outline")]),
        python(vec![]),
        with(python(vec![replace("1", "2")]), "language", json!("pyton")),
        with(python(vec![replace("1", "2")]), "language", json!(3)),
        with(python(vec![replace("1", "2")]), "name", json!("a.py")),
        json!({"language": "python", "calls": [replace("1", "2")]}),
        json!(["python"]),
        with(python(vec![replace("1", "2")]), "text", json!("a = 1\0")),
        with(
            python(vec![replace("1", "2")]),
            "file_path",
            json!("a\n+++ b/c.py"),
        ),
    ];
    let mut input = jsonl(&lines).into_bytes();
    input.extend(b"\n{\"text\": \n\xff\n");
    let output = pure(&input, &[]);
    assert_eq!(text(&output.stderr), "");
    assert_eq!(output.status.code(), Some(4));
    crate::support::snapshots("flows").bind(|| {
        insta::assert_snapshot!("pure_batch", steady(&text(&output.stdout)));
    });
}

#[test]
fn a_pure_batch_answers_in_order_and_exits_as_a_batch() {
    let line = |number: usize| {
        // Lines of very different cost.
        let size = if number.is_multiple_of(50) { 500 } else { 1 };
        let text = format!("x = {number}\n").repeat(size);
        let call = json!({"pattern": "x = $A", "new_content": "y = $A"});
        json!({
            "id": number,
            "language": "python",
            "text": text,
            "calls": [{"tool": "rewrite", "arguments": call}],
        })
    };
    let lines: Vec<Value> = (0..600).map(line).collect();
    let input = jsonl(&lines).into_bytes();
    let [one, many] = ["1", "7"].map(|jobs| pure(&input, &["--jobs", jobs]));
    assert_eq!(one.status.code(), Some(0), "{}", text(&one.stderr));
    assert_eq!(one.stdout, many.stdout);
    let answers = values(&text(&one.stdout));
    assert_eq!(answers.len(), lines.len());
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], json!(number));
        let before = lines[number]["text"].as_str().expect("it is a string");
        assert_eq!(answer["text"], before.replace('x', "y"));
        assert_eq!(answer["status"], "edited");
    }

    let refused = jsonl(&[json!({"text": "x", "calls": []})]);
    assert_eq!(pure(refused.as_bytes(), &[]).status.code(), Some(1));
    assert_eq!(pure(b"", &[]).status.code(), Some(0));
    for other in ["--apply", "--atomic", "--output=a"] {
        assert_eq!(pure(b"", &[other]).status.code(), Some(2), "{other}");
    }
}
