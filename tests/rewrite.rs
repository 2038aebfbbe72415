//! Rewrites over several files: numbers of matches, one staged edit, its answer, and refusals.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and run the program"
)]

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};
use treegraft::diagnostic::ExitStatus;
use treegraft::engine::calls::Call;

use crate::support::{Bench, steady};

/// Returns a workspace with five matches of `old($A)` in four files, and what should become of them.
fn fixture() -> Bench {
    let bench = Bench::new();
    fs::create_dir_all(bench.root().join("src/deep")).expect("the folder can be created");
    for (name, text) in [
        ("src/a.py", "x = old(1)\ny = old(\n    2,\n)\n"),
        ("src/b.js", "x = old(3);\n"),
        ("src/deep/c.md", "Text.\n\n```python\nold(4)\n```\n"),
        ("src/deep/d.rs", "fn d() { old(5); }\n"),
        ("src/e.txt", "old(6)\n"),
        ("f.py", "y = other(7)\n"),
    ] {
        bench.write(name, text);
    }
    bench.write("src/latin.py", b"x = old('\xe9')\n");
    bench
}

fn rename(more: Value) -> Value {
    let mut arguments = json!({"path": "src", "pattern": "old($A)", "new_content": "new($A)"});
    for (name, value) in more.as_object().expect("further arguments") {
        arguments[name] = value.clone();
    }
    arguments
}

const FILES: [&str; 5] = [
    "src/a.py",
    "src/b.js",
    "src/deep/c.md",
    "src/deep/d.rs",
    "src/e.txt",
];

fn texts(bench: &Bench) -> Vec<String> {
    let texts = FILES.iter().map(|name| bench.read(name));
    texts
        .map(|bytes| String::from_utf8(bytes).expect("the text is UTF-8"))
        .collect()
}

/// Returns the file and the numbers of the matches of each changed file.
fn numbers(answer: &Value) -> Vec<(String, Vec<u64>)> {
    let files = answer["files"].as_array().expect("an answer has files");
    let number = |edit: &Value| edit["match_number"].as_u64().expect("a match has a number");
    let files = files.iter().map(|file| {
        let numbers = match file["edits"].as_array() {
            Some(edits) => edits.iter().map(number).collect(),
            None => vec![number(file)],
        };
        let path = file["file_path"].as_str().expect("a file has a path");
        (path.to_string(), numbers)
    });
    files.collect()
}

#[test]
fn all_files_are_one_edit_that_can_be_undone() {
    let bench = fixture();
    let before = texts(&bench);
    let preview = bench.call("rewrite", rename(json!({}))).expect("it works");
    assert_eq!(texts(&bench), before, "a preview writes nothing");
    let expected = [
        ("src/a.py", vec![1, 2]),
        ("src/b.js", vec![3]),
        ("src/deep/c.md", vec![4]),
        ("src/deep/d.rs", vec![5]),
    ];
    let expected = expected.map(|(path, numbers)| (path.to_string(), numbers));
    assert_eq!(numbers(&preview.json), expected);
    assert_eq!(preview.json["matches"]["replaced"], 5);
    let notes = preview.json["notes"].to_string();
    assert!(notes.contains("1 file skipped: 1 not UTF-8"), "{notes}");

    let edit = json!({"edit_id": preview.json["edit_id"]});
    bench.call("apply_edit", edit.clone()).expect("it applies");
    let expected = [
        "x = new(1)\ny = new(\n    2,\n)\n",
        "x = new(3);\n",
        "Text.\n\n```python\nnew(4)\n```\n",
        "fn d() { new(5); }\n",
        "old(6)\n",
    ];
    assert_eq!(texts(&bench), expected);

    let again = bench.call("rewrite", rename(json!({}))).expect("it works");
    assert_eq!(again.json["status"], "unchanged");
    assert_eq!(again.json["edit_id"], Value::Null);
    assert_eq!(
        again.text.lines().next(),
        Some("unchanged: there is no match")
    );

    bench.call("undo_edit", edit).expect("it is undone");
    assert_eq!(texts(&bench), before);
}

#[test]
fn numbers_leave_out_matches_in_any_file() {
    let bench = fixture();
    let called = |more| bench.call("rewrite", rename(more)).expect("it works").json;
    let only = called(json!({"only": [2, 4]}));
    let expected = [
        ("src/a.py".to_string(), vec![2]),
        ("src/deep/c.md".to_string(), vec![4]),
    ];
    assert_eq!(numbers(&only), expected);
    assert_eq!(only["matches"]["left_out"], 3);
    let skipped = called(json!({"skip": [1, 3, 5]}));
    assert_eq!(numbers(&skipped), expected);
    // Leaving out matches of a text does not renumber the others.
    let paths = called(json!({"path": ["src/deep", "src/a.py", "src/deep/c.md"], "skip": ["1"]}));
    let expected = [
        ("src/a.py".to_string(), vec![2]),
        ("src/deep/c.md".to_string(), vec![3]),
        ("src/deep/d.rs".to_string(), vec![4]),
    ];
    assert_eq!(numbers(&paths), expected);
}

#[test]
fn a_preview_is_amended_by_the_numbers_that_it_shows() {
    let bench = fixture();
    let before = texts(&bench);
    let preview = bench.call("rewrite", rename(json!({}))).expect("it works");
    let amend = |edit_id: &Value, mut more: Value| {
        more["edit_id"] = edit_id.clone();
        bench.call("amend_edit", more)
    };
    let skipped = amend(&preview.json["edit_id"], json!({"skip": ["1", 4]}));
    let skipped = skipped.expect("it works");
    assert_eq!(texts(&bench), before, "a preview writes nothing");
    let of = |files: &[(&str, &[u64])]| -> Vec<(String, Vec<u64>)> {
        let files = files.iter();
        files
            .map(|(path, numbers)| (path.to_string(), numbers.to_vec()))
            .collect()
    };
    let left = [
        ("src/a.py", &[2_u64][..]),
        ("src/b.js", &[3]),
        ("src/deep/d.rs", &[5]),
    ];
    assert_eq!(numbers(&skipped.json), of(&left));
    let refused = amend(&preview.json["edit_id"], json!({"skip": [1]}));
    let refused = refused.expect_err("the former preview is gone");
    assert_eq!(refused.code().as_str(), "edit_not_found");

    // The numbers stay those of the first preview.
    let twice = amend(&skipped.json["edit_id"], json!({"skip": [3]})).expect("it works");
    let left = [left[0], left[2]];
    assert_eq!(numbers(&twice.json), of(&left));
    let other = amend(&twice.json["edit_id"], json!({"new_content": "newer($A)"}));
    let other = other.expect("it works");
    assert_eq!(numbers(&other.json), of(&left));
    let written = amend(&other.json["edit_id"], json!({"only": [5], "apply": true}));
    assert_eq!(written.expect("it works").json["status"], "applied");
    let mut expected = before.clone();
    expected[3] = "fn d() { newer(5); }\n".to_string();
    assert_eq!(texts(&bench), expected);
}

#[test]
fn an_amendment_does_not_choose_among_matches_that_have_other_numbers() {
    for (name, text) in [
        // A match before all others, also in a file that the preview does not change.
        ("src/a.py", "old(0)\nx = old(1)\ny = old(\n    2,\n)\n"),
        ("src/a0.py", "old(0)\n"),
        ("src/b.js", "x = old(33);\n"),
        ("src/b.js", ""),
    ] {
        let bench = fixture();
        let preview = bench.call("rewrite", rename(json!({}))).expect("it works");
        bench.write(name, text);
        let before = texts(&bench);
        for more in [json!({"skip": [1]}), json!({"only": [5], "apply": true})] {
            let mut amendment = more;
            amendment["edit_id"] = preview.json["edit_id"].clone();
            let refused = bench.call("amend_edit", amendment).expect_err("it changed");
            assert_eq!(refused.code().as_str(), "stale_edit", "{name}: {refused}");
        }
        assert_eq!(texts(&bench), before);
    }
}

#[test]
fn bad_amendments_of_a_rewrite_are_refused() {
    let bench = fixture();
    let preview = bench.call("rewrite", rename(json!({"skip": [2]})));
    let edit_id = preview.expect("it works").json["edit_id"].clone();
    let refusals = [
        json!({"skip": [2]}),
        json!({"only": [9]}),
        json!({"only": [1], "skip": [3]}),
        json!({"skip": [1, 3, 4, 5]}),
        json!({"selector": "call@old(1)"}),
        json!({"edits": [{"edit_index": 0, "new_content": "x"}]}),
        json!({"new_content": "new($B)"}),
        json!({"new_content": "new($A"}),
    ]
    .map(|amendment| {
        let mut arguments = amendment.clone();
        arguments["edit_id"] = edit_id.clone();
        let refused = bench
            .call("amend_edit", arguments)
            .expect_err("it is refused");
        format!("{amendment}\n{refused}\n")
    });
    let settings = crate::support::snapshots("rewrite");
    settings.bind(|| insta::assert_snapshot!("amendments", refusals.join("\n")));
    // It is still there.
    let edit = json!({"edit_id": edit_id});
    bench.call("apply_edit", edit).expect("it applies");

    bench.write("g.py", "f(1)\n");
    let edit = json!({"file_path": "g.py", "anchor_text": "f(1)", "ancestor_node_type": "call", "new_content": "f(2)"});
    let preview = bench.call("replace_node", edit).expect("it works");
    let amendment = json!({"edit_id": preview.json["edit_id"], "skip_failing": true});
    let refused = bench
        .call("amend_edit", amendment)
        .expect_err("it is no rewrite");
    let message = "skip_failing is for rewrites; the edit was made by replace_node";
    let text = refused.to_string();
    assert!(text.contains(message), "{text}");
}

#[test]
fn a_rewrite_is_written_at_once() {
    let bench = fixture();
    let made = bench.call(
        "rewrite",
        rename(json!({"apply": true, "path": "src/a.py"})),
    );
    let made = made.expect("it works");
    assert_eq!(made.json["status"], "applied");
    let diff = made.json["files"][0]["diff"].as_str();
    assert!(diff.is_some_and(|diff| diff.contains("+x = new(1)\n")));
    assert_eq!(texts(&bench)[0], "x = new(1)\ny = new(\n    2,\n)\n");
}

#[test]
fn a_changed_file_is_not_written() {
    let bench = fixture();
    let preview = bench.call("rewrite", rename(json!({}))).expect("it works");
    bench.write("src/b.js", "x = old(30);\n");
    let before = texts(&bench);
    let edit = json!({"edit_id": preview.json["edit_id"]});
    let refused = bench.call("apply_edit", edit).expect_err("a file changed");
    assert_eq!(refused.code().as_str(), "stale_edit");
    assert_eq!(texts(&bench), before);
    // The refusal has staged the same rewrite of the current files.
    let fresh = refused.suggestions().remove(0);
    bench
        .call(&fresh.tool, fresh.arguments)
        .expect("it applies");
    assert_eq!(texts(&bench)[1], "x = new(30);\n");
}

#[test]
fn one_refused_match_refuses_all_unless_it_is_skipped() {
    let bench = fixture();
    let before = texts(&bench);
    let arguments = json!({"path": "src", "pattern": "old($A)", "new_content": "raise $A"});
    let refused = bench.call("rewrite", arguments.clone());
    let refused = refused.expect_err("it breaks most files").text();
    let expected = "refused: breaks_syntax\nmatch 1 (src/a.py:1): ";
    assert!(refused.starts_with(expected), "{refused}");
    assert!(refused.contains("skip_failing"), "{refused}");
    assert_eq!(texts(&bench), before);

    let mut arguments = arguments;
    arguments["skip_failing"] = json!(true);
    let made = bench.call("rewrite", arguments).expect("a match works");
    assert_eq!(
        numbers(&made.json),
        [("src/deep/c.md".to_string(), vec![4])]
    );
    assert_eq!(made.json["matches"]["refused_total"], 4);
    assert_eq!(made.json["matches"]["refused"][2]["file_path"], "src/b.js");
}

#[test]
fn the_exit_status_distinguishes_no_some_and_all_refused_matches() {
    let bench = fixture();
    let status = |new_content: &str, skips: bool| {
        let arguments = json!({
            "path": "src", "pattern": "old($A)", "new_content": new_content, "skip_failing": skips,
        });
        let call = Call::read("rewrite", arguments).expect("the arguments are valid");
        match call.make(&bench.engine, &()) {
            Ok(answer) => answer.exit_status(),
            Err(refused) => refused.exit_status(),
        }
    };
    assert_eq!(status("new($A)", false), ExitStatus::Done);
    assert_eq!(status("old($A)", false), ExitStatus::Done);
    assert_eq!(status("raise $A", false), ExitStatus::Refused);
    assert_eq!(status("raise $A", true), ExitStatus::Partly);
    assert_eq!(status("$A +", true), ExitStatus::Refused);
}

/// Runs the program in the workspace.
fn run(bench: &Bench, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
    let command = command.args(words).current_dir(bench.root());
    let command = command.env("XDG_STATE_HOME", bench.state());
    command.output().expect("the program runs")
}

#[test]
fn the_exit_code_of_the_program_distinguishes_them_too() {
    let bench = fixture();
    let before = texts(&bench);
    let batch = |lines: &[&str]| {
        let line = |replacement: &&str| {
            let arguments = json!({
                "path": "src", "pattern": "old($A)", "new_content": replacement, "skip_failing": true,
            });
            format!("{}\n", json!({"tool": "rewrite", "arguments": arguments}))
        };
        bench.write("calls.jsonl", lines.iter().map(line).collect::<String>());
        run(&bench, &["batch", "calls.jsonl"]).status.code()
    };
    for (replacement, code) in [("new($A)", 0), ("old($A)", 0), ("$A +", 1), ("raise $A", 4)] {
        let words = ["rewrite", "old($A)", replacement, "src", "--skip-failing"];
        assert_eq!(run(&bench, &words).status.code(), Some(code), "{words:?}");
        assert_eq!(batch(&[replacement]), Some(code), "{replacement}");
    }
    let none = ["rewrite", "older($A)", "new($A)", "src"];
    assert_eq!(run(&bench, &none).status.code(), Some(0));
    let all = ["rewrite", "old($A)", "raise $A", "src", "--apply"];
    assert_eq!(run(&bench, &all).status.code(), Some(1));
    assert_eq!(batch(&["old($A)", "$A +"]), Some(4));
    // The answers of an earlier run count too.
    let resumed = ["batch", "calls.jsonl", "--output", "answers.jsonl"];
    batch(&["raise $A", "old($A)"]);
    for _ in 0..2 {
        assert_eq!(run(&bench, &resumed).status.code(), Some(4));
    }
    assert_eq!(texts(&bench), before, "none of them writes");
}

#[cfg(unix)]
#[test]
fn more_files_are_changed_than_a_process_may_open_by_default() {
    let bench = Bench::new();
    for number in 0..120 {
        bench.write(&format!("f{number:03}.py"), "x = old(1)\n");
    }
    let script = "ulimit -S -n 64 && exec \"$0\" rewrite 'old($A)' 'new($A)' . --apply";
    let mut command = Command::new("sh");
    let command = command.args(["-c", script, env!("CARGO_BIN_EXE_treegraft")]);
    let command = command
        .current_dir(bench.root())
        .env("XDG_STATE_HOME", bench.state());
    let made = command.output().expect("there is a shell");
    let message = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{message}");
    assert_eq!(bench.read("f000.py"), b"x = new(1)\n");
    assert_eq!(bench.read("f119.py"), b"x = new(1)\n");
}

#[test]
fn nested_matches_are_rewritten_together() {
    let bench = Bench::with("a.py", "f(1, f(2, f(3, 4)))\ng(f(5, 6))\n");
    let made = |pattern: &str, new_content: &str, outermost: bool| {
        let arguments = json!({"pattern": pattern, "new_content": new_content, "outermost": outermost, "apply": true});
        let made = bench.call("rewrite", arguments).expect("it works");
        let text = String::from_utf8(bench.read("a.py")).expect("it is UTF-8");
        (made.text, text)
    };
    let (answer, text) = made("f($A, $B)", "f($B, $A)", false);
    assert_eq!(text, "f(f(f(4, 3), 2), 1)\ng(f(6, 5))\n");
    let first = steady(&answer);
    let (answer, text) = made("f($A, $B)", "h($A, $B)", true);
    assert_eq!(text, "h(f(f(4, 3), 2), 1)\ng(h(6, 5))\n");
    let answers = [first, steady(&answer)].join("\n");
    crate::support::snapshots("rewrite").bind(|| insta::assert_snapshot!("nested", answers));
}

/// The answers to a pattern that finds too little, too much, or is no code.
#[test]
fn what_a_pattern_does_not_match_is_named() {
    let bench = Bench::new();
    bench.write(
        "a.ts",
        "createHelper(1);\ncreateHelper<T>(2);\nlet foo: foo = foo;\nif (a) { b() } else { c() }\n",
    );
    bench.write(
        "b.rs",
        "fn f() {\n    check!(old(1) => 1);\n    old(2);\n}\n",
    );
    bench.write("c.py", "x = 1\n");
    bench.write("d.json", "{}\n");
    bench.write("e.md", "# f(A\n");
    let mut answers = String::new();
    let mut answer = |arguments: Value| {
        let answer = match bench.call("rewrite", arguments.clone()) {
            Ok(made) => steady(&made.text),
            Err(refused) => refused.text(),
        };
        answers.push_str(&format!("{arguments}\n{answer}\n\n"));
    };
    let of =
        |pattern: &str, new_content: &str| json!({"pattern": pattern, "new_content": new_content});
    answer(of("createHelper($$$A)", "make($$$A)"));
    answer(of("old($A)", "new($A)"));
    answer(of("if (a) { b() }", "d()"));
    answer(of("foo", "bar"));
    let mut arguments = of("foo", "bar");
    arguments["reading"] = json!("type");
    answer(arguments);
    let mut arguments = of("foo($A)", "bar($A)");
    arguments["reading"] = json!("pattern");
    answer(arguments);
    answer(of("nothing($A)", "bar($A)"));
    answer(of("f(A", "g(A"));
    bench.write("f.js", "f('a');\n");
    let mut arguments = of("f(\"a\")", "g(\"a\")");
    answer(arguments.clone());
    arguments["quotes"] = json!("exact");
    answer(arguments);
    crate::support::snapshots("rewrite").bind(|| insta::assert_snapshot!("near_misses", answers));
}

#[test]
fn a_byte_order_mark_carriage_returns_and_comments_stay() {
    let swap = json!({"pattern": "f($A, $B)", "new_content": "f($B, $A)", "apply": true});
    let rename = json!({"pattern": "f($$$ALL)", "new_content": "g($$$ALL)", "apply": true});
    for (name, old, arguments, expected) in [
        (
            "a.py",
            "\u{feff}f(1, 2)\r\nf(\r\n    3,  # three\r\n    4,\r\n)\r\n",
            &swap,
            "\u{feff}f(2, 1)\r\nf(\r\n    4,  # three\r\n    3,\r\n)\r\n",
        ),
        (
            "b.js",
            "f(/* one */ g(1 /* in */), /* two */ 2 /* end */);\n",
            &swap,
            "f(/* one */ 2, /* two */ g(1 /* in */) /* end */);\n",
        ),
        (
            "c.py",
            "f(\n    # first\n    1,  # one\n    # second\n    2,\n    # last\n)\n",
            &rename,
            "g(\n    # first\n    1,  # one\n    # second\n    2,\n    # last\n)\n",
        ),
        (
            "d.html",
            "<script>\n  f(1,\n    2);\n</script>\n<p onclick=\"f(3, 4)\">f(5, 6)</p>\n",
            &swap,
            "<script>\n  f(2,\n    1);\n</script>\n<p onclick=\"f(3, 4)\">f(5, 6)</p>\n",
        ),
    ] {
        let bench = Bench::with(name, old);
        bench.call("rewrite", arguments.clone()).expect("it works");
        let new = String::from_utf8(bench.read(name)).expect("it is UTF-8");
        assert_eq!(new, expected, "{name}");
    }
}

#[test]
fn a_variable_in_capital_letters_reads_as_a_placeholder() {
    for (name, old, pattern, replacement, expected) in [
        // All other variables are code.
        (
            "a.php",
            "<?php\nf($x, 1);\nf($y, 2);\n",
            "f($x, $A)",
            "f($A, $x)",
            "<?php\nf(1, $x);\nf($y, 2);\n",
        ),
        (
            "b.sh",
            "cp $from $TO\ncp $x $TO\n",
            "cp $from $A",
            "mv $from $A",
            "mv $from $TO\ncp $x $TO\n",
        ),
        (
            "c.sh",
            "cp ${FROM} a\ncp b a\n",
            "cp ${FROM} $A",
            "mv ${FROM} $A",
            "mv ${FROM} a\ncp b a\n",
        ),
        (
            "d.js",
            "f($x, 1);\nf(x$, 2);\n",
            "f($x, $A)",
            "f($A, $x)",
            "f(1, $x);\nf(x$, 2);\n",
        ),
        // A placeholder also matches one.
        (
            "e.php",
            "<?php\nf($X, $Y);\n",
            "f($A, $B)",
            "f($B, $A)",
            "<?php\nf($Y, $X);\n",
        ),
        (
            "f.sh",
            "cp $FROM $TO\n",
            "cp $A $B",
            "cp $B $A",
            "cp $TO $FROM\n",
        ),
    ] {
        let bench = Bench::with(name, old);
        let arguments = json!({"pattern": pattern, "new_content": replacement, "apply": true});
        bench.call("rewrite", arguments).expect("it works");
        let new = String::from_utf8(bench.read(name)).expect("it is UTF-8");
        assert_eq!(new, expected, "{name}");
    }
}

#[test]
fn bad_arguments_are_refused() {
    let bench = fixture();
    let before = texts(&bench);
    for (more, code, message) in [
        (
            json!({"path": "src/*.go"}),
            "file_not_found",
            "`src/*.go` matches no file",
        ),
        (
            json!({"path": []}),
            "invalid_arguments",
            "path is an empty list",
        ),
        (
            json!({"path": 5}),
            "invalid_arguments",
            "path must be a string or a list of strings",
        ),
        (
            json!({"pattern": " "}),
            "invalid_arguments",
            "pattern is blank",
        ),
        (
            json!({"pattern": "old($A"}),
            "invalid_pattern",
            "pattern is invalid for",
        ),
        (
            json!({"new_content": "$B"}),
            "invalid_pattern",
            "new_content has `$B`, which the pattern does not capture",
        ),
        (
            json!({"max_files": 3}),
            "invalid_arguments",
            "5 matches are in 4 files, and max_files is 3",
        ),
        (
            json!({"expect_matches": 4}),
            "match_count_mismatch",
            "expect_matches is 4, but there are 5 matches",
        ),
        (
            json!({"skip": [0]}),
            "invalid_arguments",
            "skip counts from 1",
        ),
        (
            json!({"skip": [6]}),
            "nth_out_of_range",
            "skip contains 6, but there are 5 matches",
        ),
        (json!({"place": "x"}), "invalid_arguments", "unknown field"),
        (
            json!({"scope": "10-20"}),
            "invalid_arguments",
            "scope must be a symbol path",
        ),
        (
            json!({"kind": "function"}),
            "invalid_arguments",
            "unknown field `kind`",
        ),
    ] {
        let refused = bench.call("rewrite", rename(more.clone()));
        let refused = refused.map(|answered| answered.text);
        let refused = refused.expect_err(&more.to_string()).json();
        let error = &refused["error"];
        assert_eq!(error["code"], code, "{more}: {error}");
        let own = error["message"].as_str().unwrap_or_default();
        assert!(own.contains(message), "{more}: {own}");
    }
    assert_eq!(texts(&bench), before);
}

#[test]
fn an_answer_shows_the_first_diffs_and_counts_the_others() {
    let bench = Bench::new();
    let line = "value = old(1)  # a line that is long enough to fill an answer with its diff\n";
    for number in 0..60 {
        bench.write(&format!("f{number:02}.py"), line.repeat(5));
    }
    let arguments = json!({"pattern": "old($A)", "new_content": "new($A)"});
    let preview = bench.call("rewrite", arguments.clone()).expect("it works");
    let files = preview.json["files"].as_array().expect("it has files");
    let shown = files.iter().filter(|file| file["diff"].is_string()).count();
    assert_eq!(files.len(), 60);
    assert!((5..30).contains(&shown), "{shown}");
    let id = preview.json["edit_id"].as_str().expect("it is staged");
    let note = format!(
        "the diffs of {} more files are not shown; they are in list_edits with edit_id {id}",
        60 - shown
    );
    assert!(preview.text.contains(&note), "{}", preview.text);
    assert!(preview.text.contains("(and 10 more files)\n"));
    assert!(preview.text.len() < 20_000, "{}", preview.text.len());

    let mut arguments = arguments;
    arguments["diff"] = json!("full");
    let whole = bench.call("rewrite", arguments).expect("it works");
    let files = whole.json["files"].as_array().expect("it has files");
    assert!(files.iter().all(|file| file["diff"].is_string()));
    let listed = bench.call("list_edits", json!({"edit_id": id}));
    let listed = listed.expect("it is listed").json["edits"][0]["diff"].clone();
    let diffs = files.iter().filter_map(|file| file["diff"].as_str());
    assert_eq!(listed, diffs.collect::<String>());
}

/// Matches in two classes with a method of the same name, in a function, and in a class inside Markdown.
const NARROWED: &[(&str, &str)] = &[
    (
        "src/a.py",
        "class Store:\n    def get(self):\n        return old(1)\n\n    x = old(2)\n\n\nclass Cache:\n    def get(self):\n\
         \x20       return old(3)\n\n\ndef get():\n    def inner():\n        return old(4)\n\n    return old(5)\n\n\nold(6)\n",
    ),
    (
        "src/b.md",
        "# Store\n\n```python\nclass Store:\n    y = old(7)\n```\n",
    ),
];

#[test]
fn scope_and_kind_narrow_matches_to_symbols() {
    let bench = Bench::new();
    fs::create_dir_all(bench.root().join("src")).expect("the folder can be created");
    for (name, text) in NARROWED {
        bench.write(name, text);
    }
    for (within, expected) in [
        (json!({"scope": "Store"}), "1 2 7"),
        (json!({"scope": {"symbol_path": ["Store", "get"]}}), "1"),
        (json!({"scope": "get"}), "4 5"),
        (json!({"scope": "Cache.get"}), "3"),
        (json!({"symbol_kind": "class"}), "1 2 3 7"),
        (json!({"symbol_kind": "function"}), "1 3 4 5"),
        (json!({"scope": "get", "symbol_kind": "class"}), ""),
        (json!({"scope": "Store", "symbol_kind": "function"}), "1"),
    ] {
        let numbers = |text: &str| {
            let found = text.split("new(").skip(1);
            let numbers = found.filter_map(|rest| rest.split(')').next());
            numbers.collect::<Vec<_>>().join(" ")
        };
        let arguments = rename(within.clone());
        let made = bench.call("rewrite", arguments).expect("it works").json;
        let files = made["files"].as_array().expect("it has files");
        let diffs = files.iter().filter_map(|file| file["diff"].as_str());
        assert_eq!(numbers(&diffs.collect::<String>()), expected, "{within}");
        for max_items in [1, 50] {
            let mut search = within.clone();
            search["path"] = json!("src");
            search["pattern"] = json!("old($A)");
            search["max_items"] = json!(max_items);
            let found = bench.call("find_nodes", search).expect("it works").json;
            let count = expected.split_whitespace().count();
            let listed = found["matches"].as_array().map_or(0, Vec::len);
            assert_eq!(listed, count.min(max_items), "{within}: {found}");
            if max_items < count {
                assert_eq!(found["total"], count, "{within}: {found}");
            }
        }
    }
}

#[test]
fn a_symbol_or_kind_that_no_file_has_is_named() {
    let bench = Bench::new();
    fs::create_dir_all(bench.root().join("src")).expect("the folder can be created");
    bench.write(NARROWED[0].0, NARROWED[0].1);
    let within = json!({"scope": "Stroe.get", "symbol_kind": "methods"});
    let found = bench.call("rewrite", rename(within)).expect("it works");
    assert_eq!(found.json["status"], "unchanged");
    insta::assert_snapshot!(found.text, @r"
    unchanged: there is no match
    note: no file with a match has the symbol Stroe.get; outline lists the symbols of a file
    note: no file with a match has a symbol of the kind methods; their kinds are class, function, variable
    note: searched files by language: 1 python
    ");
}

#[test]
fn a_search_counts_the_matches_on_all_pages() {
    let bench = fixture();
    let search = |more: Value| {
        let mut arguments = json!({"path": "src", "max_items": 2});
        for (name, value) in more.as_object().expect("further arguments") {
            arguments[name] = value.clone();
        }
        bench.call("find_nodes", arguments).expect("it works")
    };
    let first = search(json!({"pattern": "old($A)"}));
    assert_eq!(first.json["total"], 5);
    assert!(first.text.contains("\n2 of 5 matches\n"), "{}", first.text);
    let cursor = first.json["cursor"].clone();
    let next = search(json!({"pattern": "old($A)", "cursor": cursor}));
    assert_eq!(next.json["total"], Value::Null, "the first page says it");
    let all = search(json!({"pattern": "old($A)", "max_items": 9}));
    assert_eq!(all.json["total"], Value::Null, "there is one page");
    let rule = json!({"language": "python", "rule": {"pattern": "old($A)"}});
    let of_rule = search(json!({"rule": rule}));
    assert_eq!(of_rule.json["total"], 3);
    let text = search(json!({"text": "old"}));
    assert_eq!(text.json["total"], Value::Null);
}
