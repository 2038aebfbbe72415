//! `stats`: what the ledger keeps about calls, what it must not keep, and the totals.

#![expect(clippy::disallowed_methods, reason = "tests read the state directory")]

use std::fs;
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::{Value, json};
use treegraft::engine::response::{Answer, Stats};

use crate::support::Bench;

fn ledger(bench: &Bench) -> Vec<Value> {
    let path = bench.state().join("ledger/ledger.jsonl");
    let text = fs::read_to_string(path).expect("the ledger is there");
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("each line is JSON")
}

fn replace(anchor: &str, content: &str) -> Value {
    json!({
        "file_path": "secret_name.json",
        "selector": {"anchor_text": anchor, "ancestor_node_type": "pair"},
        "new_content": content,
    })
}

/// Makes a preview that is applied and undone, a refusal that is fixed at the second attempt, one
/// that is not fixed, and questions, which do not count.
fn called() -> Bench {
    let bench = Bench::with(
        "secret_name.json",
        "{\n  \"secret_key\": 1,\n  \"b\": 2\n}\n",
    );
    let made = bench.call(
        "replace_node",
        replace("secret_key", "\"secret_key\": \"secret_text\""),
    );
    let edit_id = made.expect("it exists").json["edit_id"].clone();
    for tool in ["apply_edit", "undo_edit", "discard_edit"] {
        let answered = bench.call(tool, json!({"edit_id": edit_id}));
        answered.unwrap_or_else(|refusal| panic!("{tool}: {}", refusal.text()));
    }
    let refused = bench.call("replace_node", replace("secret_typo", "\"c\": 3"));
    let refused = refused.expect_err("it is not there");
    let amend = |anchor: &str| {
        let selector = json!({"anchor_text": anchor, "ancestor_node_type": "pair"});
        let edit_id = refused.edit_id();
        bench.call(
            "amend_edit",
            json!({"edit_id": edit_id, "selector": selector}),
        )
    };
    amend("nor this").expect_err("it is not there either");
    amend("\"b\"").expect("the anchor occurs");
    bench
        .call("replace_node", replace("elsewhere", "\"c\": 3"))
        .expect_err("it is not there");
    bench
        .call("list_edits", json!({}))
        .expect("they can be listed");
    bench
        .call("locate", json!({"locate": "secret_name.json@secret_key"}))
        .expect("it exists");
    bench
}

fn steady(stats: &Stats) -> Stats {
    let mut stats = stats.clone();
    for tool in &mut stats.tools {
        (tool.median_micros, tool.ninetieth_micros) = (1_500, 2_500);
    }
    stats
}

#[test]
fn each_editing_call_adds_a_line_to_the_ledger() {
    let bench = called();
    let lines = ledger(&bench);
    let summaries: Vec<String> = lines
        .iter()
        .map(|line| {
            let text = |key: &str| line[key].as_str().unwrap_or("-").to_string();
            format!("{} {} {}", text("tool"), text("outcome"), text("language"))
        })
        .collect();
    assert_eq!(
        summaries,
        [
            "replace_node previewed json",
            "apply_edit applied json",
            "undo_edit undone json",
            "discard_edit discarded -",
            "replace_node anchor_not_found json",
            "amend_edit anchor_not_found -",
            "amend_edit previewed json",
            "replace_node anchor_not_found json",
        ]
    );
    assert_eq!(lines[0]["edit"], lines[1]["of"]);
    assert_eq!(lines[4]["edit"], lines[5]["of"]);
    assert!(lines.iter().all(|line| line["micros"].as_u64() > Some(0)));
    assert!(lines.iter().all(|line| line.to_string().len() < 300));
}

#[test]
fn the_ledger_contains_no_edited_text() {
    let bench = called();
    let path = bench.state().join("ledger/ledger.jsonl");
    let text = fs::read_to_string(path).expect("the ledger is there");
    let listed = bench
        .call("list_edits", json!({}))
        .expect("they can be listed");
    let ids = listed.json["edits"].as_array().expect("a list").iter();
    let mut secrets: Vec<&str> = ids.filter_map(|edit| edit["edit_id"].as_str()).collect();
    assert!(secrets.len() > 2);
    let root = bench.root().to_str().expect("its path is UTF-8");
    secrets.extend(["secret", "elsewhere", root]);
    for secret in secrets {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn the_totals_are_reported() {
    let bench = called();
    let stats = bench.engine.stats(None).expect("the ledger can be read");
    assert_eq!((stats.calls, stats.refused_edits), (8, 2));
    assert_eq!(stats.recovered_within, [0, 1]);
    insta::assert_snapshot!(steady(&stats).text(), @r"
    8 calls

    amend_edit: 2 calls, median 1.5 ms, 90th percentile 2.5 ms
      anchor_not_found 1, previewed 1

    apply_edit: 1 call, median 1.5 ms, 90th percentile 2.5 ms
      applied 1

    discard_edit: 1 call, median 1.5 ms, 90th percentile 2.5 ms
      discarded 1

    replace_node: 3 calls, median 1.5 ms, 90th percentile 2.5 ms
      anchor_not_found 2, previewed 1

    undo_edit: 1 call, median 1.5 ms, 90th percentile 2.5 ms
      undone 1

    languages: json 6

    refusals: anchor_not_found 3

    1 of 2 refused edits were later previewed through their edit_id
      1 after 2 calls
    ");
}

#[test]
fn broken_lines_are_counted_and_old_calls_are_left_out() {
    let bench = called();
    let path = bench.state().join("ledger/ledger.jsonl");
    let mut text = fs::read_to_string(&path).expect("the ledger is there");
    text.push_str(
        "{\"at\": 5, \"tool\": \"wrap_node\", \"outcome\": \"applied\", \"micros\": 7}\n",
    );
    text.push_str("{\"at\": 5, \"tool\": \"wrap_n\nno line\n\n");
    fs::write(&path, text).expect("the file can be written");
    let all = bench.engine.stats(None).expect("it can be read");
    assert_eq!((all.calls, all.broken_lines), (9, 2));
    assert!(all.text().ends_with("\n2 ledger lines cannot be read\n"));
    let since = Duration::from_secs(24 * 60 * 60);
    let late = bench.engine.stats(Some(since)).expect("it can be read");
    assert_eq!((late.calls, late.broken_lines), (8, 2));
    assert!(late.since.is_some());
}

#[test]
fn a_ledger_that_cannot_be_written_fails_no_call() {
    let bench = Bench::with("secret_name.json", "{\"a\": 1}\n");
    fs::write(bench.state().join("ledger"), "in the way").expect("the file can be written");
    let mut edit = replace("a", "\"a\": 2");
    edit["apply"] = json!(true);
    bench.call("replace_node", edit).expect("it is applied");
    assert_eq!(bench.read("secret_name.json"), b"{\"a\": 2}\n");
    let refused = bench
        .engine
        .stats(None)
        .expect_err("there is nothing to read");
    assert_eq!(refused.code().as_str(), "io_error");
}

#[test]
fn the_command_line_reports_the_same() {
    let home = tempfile::tempdir().expect("a temporary directory can be created");
    fs::write(home.path().join("a.json"), "{\"a\": 1}\n").expect("the file can be written");
    let run = |words: &[&str]| -> Output {
        Command::new(env!("CARGO_BIN_EXE_treegraft"))
            .args(words)
            .current_dir(home.path())
            .env("XDG_STATE_HOME", home.path().join("state"))
            .output()
            .expect("the command runs")
    };
    assert_eq!(run(&["list", "--stats"]).stdout, b"no calls\n");
    run(&["text", "1", "2", "a.json"]);
    for since in ["30m", "12h", "7d", "4w"] {
        let output = run(&["list", "--stats", "--json", "--since", since]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON is printed");
        assert_eq!(report["calls"], 1, "{report}");
        assert_eq!(
            report["tools"][0]["outcomes"],
            json!([{"name": "previewed", "count": 1}])
        );
    }
    for wrong in ["7", "d", "-1d", "7dd", "99999999999999999999w", "1ä"] {
        let status = run(&["list", "--stats", &format!("--since={wrong}")]).status;
        assert_eq!(status.code(), Some(2), "{wrong}");
    }
}
