//! Several staged edits, or parts of them, that a person accepts as one transaction: what is written, what stays staged,
//! what is undone, and what is refused.

#![expect(clippy::disallowed_methods, reason = "tests create and remove files")]

use serde_json::{Value, json};
use treegraft::Selector;
use treegraft::engine::EditFilter;
use treegraft::engine::response::EditStatus;
use treegraft::engine::review::{ChosenEdit, EditPart, EditsAccepted, FilesSince};

use crate::support::{Bench, steady};

fn pinned(name: &str, text: &str) {
    crate::support::snapshots("flows").bind(|| insta::assert_snapshot!(name, steady(text)));
}

const TEN: &str = "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n\n\ndef d():\n    return 4\n";

/// Returns a workspace with three files of four functions each.
fn bench() -> Bench {
    let bench = Bench::new();
    for name in ["a.py", "b.py", "c.py"] {
        bench.write(name, TEN);
    }
    bench
}

fn staged(bench: &Bench, tool: &str, arguments: Value) -> String {
    let made = bench.call(tool, arguments);
    let made = made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    made.json["edit_id"]
        .as_str()
        .expect("it has an id")
        .to_string()
}

fn replaced(bench: &Bench, file: &str, find: &str, new_content: &str) -> String {
    let arguments = json!({"file_path": file, "find": find, "new_content": new_content});
    staged(bench, "replace_text", arguments)
}

fn several(bench: &Bench, edits: &[(&str, &str, &str)]) -> String {
    let edits = edits.iter().map(|(file, find, new_content)| {
        json!({"op": "replace_text", "file_path": file, "find": find, "new_content": new_content})
    });
    staged(
        bench,
        "edit_nodes",
        json!({"edits": edits.collect::<Vec<_>>()}),
    )
}

fn text(bench: &Bench, name: &str) -> String {
    String::from_utf8(bench.read(name)).expect("it is text")
}

fn whole(edit_ids: &[&String]) -> Vec<ChosenEdit> {
    edit_ids
        .iter()
        .map(|one| ChosenEdit::whole(one.as_str()))
        .collect()
}

fn accepted(bench: &Bench, chosen: &[ChosenEdit]) -> EditsAccepted {
    // In another process than the previews.
    let accepted = bench.another_engine().engine.accept_edits(chosen);
    accepted.unwrap_or_else(|refused| panic!("{}: {refused}", refused.edit_id))
}

/// Returns the refused edit and the refusal. Nothing is written, and all edits are as before.
fn refused(bench: &Bench, chosen: &[ChosenEdit]) -> (String, String) {
    let texts = || ["a.py", "b.py", "c.py"].map(|name| std::fs::read(bench.root().join(name)).ok());
    let statuses = || chosen.iter().map(|one| status(bench, &one.edit_id));
    let before = (texts(), statuses().collect::<Vec<_>>());
    let refused = bench.another_engine().engine.accept_edits(chosen);
    let refused = refused.expect_err("it is to be refused");
    assert_eq!((texts(), statuses().collect::<Vec<_>>()), before);
    let text = refused.refused.text();
    let text = text.replace(bench.root().to_str().expect("it is UTF-8"), "[root]");
    (refused.edit_id.clone(), steady(&text))
}

fn status(bench: &Bench, edit_id: &str) -> Option<EditStatus> {
    let found = bench.engine.look_up_edits([edit_id]);
    found.first().map(|edit| edit.status)
}

fn undone(bench: &Bench, edit_ids: &[&String]) {
    let edit_ids: Vec<String> = edit_ids.iter().map(|one| one.to_string()).collect();
    let undone = bench.another_engine().engine.undo_edits(&edit_ids);
    undone.unwrap_or_else(|refused| panic!("{}: {refused}", refused.edit_id));
}

#[test]
fn edits_of_one_file_are_written_together_and_undone_together_or_one_by_one() {
    let bench = bench();
    let first = several(
        &bench,
        &[
            ("a.py", "return 1", "return 10"),
            ("a.py", "return 4", "return 40"),
        ],
    );
    // Between the two.
    let second = replaced(&bench, "a.py", "return 2", "return 20\n    # twenty");
    let third = several(
        &bench,
        &[
            ("a.py", "return 3", "return 30"),
            ("b.py", "return 3", "return 30"),
        ],
    );
    let all = [&first, &second, &third];
    let made = accepted(&bench, &whole(&all));
    let ids: Vec<&String> = made.edits.iter().map(|one| &one.edit_id).collect();
    assert_eq!(ids, all);
    let written = TEN
        .replace("return 1", "return 10")
        .replace("return 2", "return 20\n    # twenty")
        .replace("return 3", "return 30")
        .replace("return 4", "return 40");
    assert_eq!(text(&bench, "a.py"), written);
    assert_eq!(text(&bench, "b.py"), TEN.replace("return 3", "return 30"));
    for edit_id in all {
        assert_eq!(status(&bench, edit_id), Some(EditStatus::Applied));
    }

    // In whatever order they are named.
    undone(&bench, &[&second, &third, &first]);
    assert_eq!(
        (text(&bench, "a.py"), text(&bench, "b.py")),
        (TEN.to_string(), TEN.to_string())
    );
    for edit_id in all {
        assert_eq!(status(&bench, edit_id), Some(EditStatus::Undone));
    }

    // Each of them still fits by itself.
    let made = accepted(&bench, &whole(&[&second]));
    assert_eq!(made.edits[0].status, EditStatus::Applied);
    accepted(&bench, &whole(&[&first, &third]));
    assert_eq!(text(&bench, "a.py"), written);
    undone(&bench, &all);

    accepted(&bench, &whole(&all));
    // Others followed, in other parts of the files.
    undone(&bench, &[&first, &second]);
    assert_eq!(text(&bench, "a.py"), TEN.replace("return 3", "return 30"));
    accepted(&bench, &whole(&[&first, &second]));
    assert_eq!(text(&bench, "a.py"), written);

    // One by one in any order.
    undone(&bench, &[&first]);
    let rest = written
        .replace("return 10", "return 1")
        .replace("return 40", "return 4");
    assert_eq!(text(&bench, "a.py"), rest);
    for edit_id in [&second, &third] {
        bench
            .call("undo_edit", json!({"edit_id": edit_id}))
            .unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    }
    assert_eq!(text(&bench, "a.py"), TEN);
}

#[test]
fn edits_that_a_later_edit_changed_are_not_undone_together() {
    let bench = bench();
    let [first, second] = [("return 1", "return 10"), ("return 2", "return 20")]
        .map(|(find, new_content)| replaced(&bench, "a.py", find, new_content));
    accepted(&bench, &whole(&[&first, &second]));
    let later = replaced(&bench, "a.py", "return 10", "return 100");
    accepted(&bench, &whole(&[&later]));
    let written = text(&bench, "a.py");
    let refused = bench.engine.undo_edits(&[second.clone(), first.clone()]);
    let refused = refused.expect_err("its text changed");
    assert_eq!(text(&bench, "a.py"), written);
    assert_eq!(refused.edit_id, first);
    let suggested = refused.refused.suggestions().remove(0);
    assert_eq!(suggested.arguments["edit_id"], later);
    pinned("undone_together_too_early", &refused.refused.text());
    undone(&bench, &[&first, &second, &later]);
    assert_eq!(text(&bench, "a.py"), TEN);
}

#[test]
fn one_that_is_refused_is_named_and_nothing_is_written() {
    let bench = bench();
    let fits = replaced(&bench, "a.py", "return 1", "return 10");
    let stale = replaced(&bench, "b.py", "return 1", "return 10");
    bench.write("b.py", TEN.replace("return 1", "return 7"));
    let (edit_id, text) = refused(&bench, &whole(&[&fits, &stale]));
    assert_eq!(edit_id, stale);
    pinned("accepted_with_a_stale_edit", &text);

    let other = replaced(&bench, "a.py", "return 1", "return 11");
    let (edit_id, text) = refused(&bench, &whole(&[&fits, &other]));
    assert_eq!(edit_id, other);
    pinned("accepted_with_an_edit_of_the_same_text", &text);

    let deleted = staged(
        &bench,
        "edit_nodes",
        json!({"edits": [{"op": "delete_file", "file_path": "a.py"}]}),
    );
    let (edit_id, text) = refused(&bench, &whole(&[&fits, &deleted]));
    assert_eq!(edit_id, deleted);
    pinned("accepted_with_a_deletion_of_the_file", &text);

    let missing = "e000000000000".to_string();
    assert_eq!(refused(&bench, &whole(&[&fits, &missing])).0, missing);
    let (edit_id, text) = refused(&bench, &whole(&[&fits, &fits]));
    assert_eq!(edit_id, fits);
    assert!(text.contains("chosen twice"), "{text}");
    assert!(refused(&bench, &[]).1.contains("no edit is chosen"));
}

/// Only a diff that the person has seen is written.
#[test]
fn an_edit_is_written_as_the_person_has_seen_it() {
    let bench = bench();
    let edit = replaced(&bench, "a.py", "return 1", "return 10");
    let shown = |bench: &Bench| {
        let reviewed = bench.another_engine().engine.review_edit(&edit);
        let reviewed = reviewed.expect("it is staged");
        (reviewed.shown, reviewed.since)
    };
    let choose = |shown: &str| [ChosenEdit::whole(edit.as_str()).shown(Some(shown.to_string()))];
    let (first, since) = shown(&bench);
    assert!(matches!(since, FilesSince::Unchanged));
    let (_, refusal) = refused(&bench, &choose("another"));
    pinned("accepted_other_than_shown", &refusal);

    // Elsewhere in the file: it is the same edit.
    bench.write("a.py", TEN.replace("return 4", "return 40"));
    let (same, since) = shown(&bench);
    assert!(matches!(since, FilesSince::Rebased(_)) && same == first);

    // Before and after the edit: what the person saw before is not written.
    let around = format!("# Numbers.\n{}", TEN.replace("return 2", "return 20"));
    bench.write("a.py", &around);
    let (now, since) = shown(&bench);
    let FilesSince::ChangedAround(diff) = since else {
        panic!("{since:?}");
    };
    assert!(diff.contains("# Numbers.") && now != first);
    let (_, refusal) = refused(&bench, &choose(&first));
    pinned("accepted_after_changes_around_it", &refusal);
    // The refusal showed it, and the record is of that diff since.
    let (_, refusal) = refused(&bench, &choose(&first));
    assert!(refusal.contains("changed since it was shown"), "{refusal}");
    let made = accepted(&bench, &choose(&now));
    assert_eq!(made.edits[0].status, EditStatus::Applied);
    assert_eq!(
        text(&bench, "a.py"),
        around.replace("return 1", "return 10")
    );
    undone(&bench, &[&edit]);

    // Seen, and written at once.
    let again = format!("# All numbers.\n{}", TEN.replace("return 2", "return 21"));
    bench.write("a.py", &again);
    let (now, since) = shown(&bench);
    assert!(matches!(since, FilesSince::ChangedAround(_)), "{since:?}");
    let made = accepted(&bench, &choose(&now));
    assert_eq!(made.edits[0].status, EditStatus::Rebased);
    assert_eq!(text(&bench, "a.py"), again.replace("return 1", "return 10"));
    undone(&bench, &[&edit]);
    assert_eq!(text(&bench, "a.py"), again);
}

/// An agent discards or amends an edit at the moment in which a person accepts it: one of them is first, and an edit that
/// is written can be undone.
#[test]
fn an_edit_is_accepted_while_the_agent_discards_or_amends_it() {
    for round in 0..60 {
        let bench = bench();
        let edit = replaced(&bench, "a.py", "return 1", "return 10");
        let (person, agent) = (bench.another_engine(), bench.another_engine());
        let (tool, arguments) = match round % 2 {
            0 => ("discard_edit", json!({"edit_id": edit, "reason": "no"})),
            _ => (
                "amend_edit",
                json!({"edit_id": edit, "new_content": "return 11"}),
            ),
        };
        let start = &std::sync::Barrier::new(2);
        let (is_accepted, is_done) = std::thread::scope(|threads| {
            let accepts = threads.spawn(move || {
                start.wait();
                person.engine.accept_edits(&whole(&[&edit])).is_ok()
            });
            let changes = threads.spawn(move || {
                start.wait();
                agent.call(tool, arguments).is_ok()
            });
            let done = (accepts.join(), changes.join());
            (done.0.expect("it ends"), done.1.expect("it ends"))
        });
        assert!(is_accepted || is_done, "round {round}");
        let applied = bench.engine.find_edits(&EditFilter::default());
        let applied = applied.expect("it lists").edits.into_iter();
        let applied = applied.filter(|one| one.status == EditStatus::Applied);
        let applied: Vec<String> = applied.map(|one| one.edit_id).collect();
        match is_accepted {
            true => {
                assert_eq!(text(&bench, "a.py"), TEN.replace("return 1", "return 10"));
                assert_eq!(applied.len(), 1, "round {round}");
                undone(&bench, &[&applied[0]]);
            }
            false => assert_eq!(applied, [""; 0], "round {round}"),
        }
        assert_eq!(text(&bench, "a.py"), TEN);
    }
}

/// Each half is sound, but not both: the checks are those of an edit.
#[test]
fn edits_that_break_each_other_are_refused() {
    let bench = Bench::new();
    bench.write("a.toml", "a = 1\nb = 2\n");
    let insert = |key: &str, anchor: &str, position: &str| {
        let arguments = json!({
            "file_path": "a.toml", "selector": format!("pair@{anchor}"), "position": position, "new_content": key,
        });
        staged(&bench, "insert_node", arguments)
    };
    let one = insert("c = 3", "a =", "before");
    let other = insert("c = 4", "b =", "after");
    let refused = bench.engine.accept_edits(&whole(&[&one, &other]));
    let refused = refused.expect_err("a key would occur twice");
    assert_eq!(refused.edit_id, other);
    pinned(
        "accepted_edits_that_break_each_other",
        &refused.refused.text(),
    );
    assert_eq!(text(&bench, "a.toml"), "a = 1\nb = 2\n");
}

#[test]
fn what_is_left_out_is_staged_as_an_edit_of_its_own() {
    let bench = bench();
    let edit = several(
        &bench,
        &[
            ("a.py", "return 1", "return 10"),
            ("b.py", "return 1", "return 10"),
            ("b.py", "return 3", "return 30"),
            ("c.py", "return 2", "return 20"),
        ],
    );
    let reviewed = bench.engine.review_edit(&edit).expect("it is staged");
    let parts: Vec<usize> = reviewed.files[1]
        .parts
        .iter()
        .map(|part| part.number)
        .collect();
    assert_eq!(parts, [1, 2]);
    assert!(reviewed.files[0].parts.is_empty());
    let chosen = ChosenEdit::whole(edit.as_str())
        .without([EditPart::new(0, None), EditPart::new(1, Some(1))]);
    let made = accepted(&bench, &[chosen]);
    assert_eq!(text(&bench, "a.py"), TEN);
    assert_eq!(text(&bench, "b.py"), TEN.replace("return 3", "return 30"));
    assert_eq!(text(&bench, "c.py"), TEN.replace("return 2", "return 20"));

    // The agent reads the outcome of its edit.
    let refused = bench
        .call("apply_edit", json!({"edit_id": edit}))
        .expect_err("it is divided");
    pinned("divided_edit_applied", &refused.text());
    let [accepted_id, rest] = [&made.edits[0].edit_id, &made.left_out[0]];
    assert_eq!(status(&bench, accepted_id), Some(EditStatus::Applied));
    assert_eq!(status(&bench, rest), Some(EditStatus::Previewed));
    let mut filter = EditFilter::default();
    filter.edit_ids = vec![rest.clone()];
    filter.diff = true;
    let listed = bench.engine.find_edits(&filter).expect("it is staged");
    pinned(
        "rest_of_a_divided_edit",
        &treegraft::engine::Answer::text(&listed),
    );
    // What is left keeps the numbers of the call.
    let amend = |edit_index: usize| {
        let amendment =
            json!({"edit_id": rest, "edit_index": edit_index, "new_content": "return 11"});
        bench.call("amend_edit", amendment)
    };
    let refused = amend(3).expect_err("a person has accepted it");
    pinned("rest_of_a_divided_edit_amended", &refused.text());
    let amended = amend(1).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let files = amended.json["files"].as_array().expect("a list");
    let diffs: String = files
        .iter()
        .filter_map(|file| file["diff"].as_str())
        .collect();
    assert!(
        diffs.contains("+    return 10\n") && diffs.contains("+    return 11\n"),
        "{diffs}"
    );
    assert!(
        !diffs.contains("return 30\n+") && !diffs.contains("c.py"),
        "{diffs}"
    );
    let again =
        json!({"edit_id": amended.json["edit_id"], "edit_index": 1, "new_content": "return 10"});
    let again = bench.call("amend_edit", again);
    let again = again.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    let rest = &again.json["edit_id"].as_str().expect("an id").to_string();

    // Undone, and the rest accepted without it.
    undone(&bench, &[accepted_id]);
    assert_eq!(text(&bench, "b.py"), TEN);
    let made = accepted(&bench, &whole(&[rest]));
    assert_eq!(made.edits[0].status, EditStatus::Rebased);
    assert_eq!(text(&bench, "a.py"), TEN.replace("return 1", "return 10"));
    assert_eq!(text(&bench, "b.py"), TEN.replace("return 1", "return 10"));
    assert_eq!(text(&bench, "c.py"), TEN);
}

#[test]
fn what_is_left_of_a_rewrite_or_of_an_edit_of_several_files_is_not_amended() {
    let bench = bench();
    let rewrite = json!({"path": ".", "pattern": "return 1", "new_content": "return 10", "language": "python"});
    let edit = staged(&bench, "rewrite", rewrite);
    let made = accepted(
        &bench,
        &[ChosenEdit::whole(edit.as_str()).without([EditPart::new(0, None)])],
    );
    let amend = |edit_id: &str| {
        let amended = bench.call(
            "amend_edit",
            json!({"edit_id": edit_id, "new_content": "return 11"}),
        );
        amended.expect_err("it is refused").text()
    };
    pinned("rest_of_a_rewrite_amended", &amend(&made.left_out[0]));
    let all = json!({
        "op": "replace_text", "file_path": ["a.py", "b.py"], "find": "return 2", "new_content": "return 20",
    });
    let edit = staged(&bench, "edit_nodes", json!({"edits": [all]}));
    let part = ChosenEdit::whole(edit.as_str()).without([EditPart::new(0, None)]);
    let made = accepted(&bench, &[part]);
    pinned(
        "rest_of_an_edit_of_several_files_amended",
        &amend(&made.left_out[0]),
    );
}

/// The node that a person selects is that of one of the edits of a call, or the lines in which a text is replaced.
#[test]
fn one_of_several_edits_and_a_replaced_text_get_another_target() {
    let bench = bench();
    let selector = |text: &str| text.parse::<Selector>().expect("it is a selector");
    let edits = json!([
        {"op": "replace", "file_path": "a.py", "selector": "integer@1", "new_content": "10"},
        {"op": "replace_text", "file_path": "a.py", "find": "return", "scope": {"symbol_path": ["b"]}, "new_content": "yield"},
        {"op": "create_file", "file_path": "new.py", "new_content": "ONE = 1\n"},
    ]);
    let edit = staged(&bench, "edit_nodes", json!({"edits": edits}));
    let reviewed = bench.engine.review_edit(&edit).expect("it is staged");
    let targets = reviewed.targets.iter();
    let targets: String = targets.map(|target| format!("{target:?}\n")).collect();
    pinned("targets_of_several_edits", &targets);
    let retarget = |edit_id: &str, index: Option<usize>, to: &str| {
        bench.engine.retarget_edit(edit_id, index, &selector(to))
    };
    for (index, what) in [
        (None, "no_other_target_several"),
        (Some(2), "no_other_target_whole"),
        (Some(3), "no_other_target_missing"),
    ] {
        let refused = retarget(&edit, index, "integer@3").expect_err("it has no such target");
        pinned(what, &refused.text());
    }
    // The text is not in that node.
    let refused = retarget(&edit, Some(1), "identifier@c").expect_err("there is no such text");
    pinned("no_text_in_the_other_target", &refused.text());
    assert_eq!(status(&bench, &edit), Some(EditStatus::Previewed));

    let made = retarget(&edit, Some(0), "integer@3").expect("it fits");
    let made = retarget(&made.edit_id, Some(1), "function_definition@def d").expect("it fits");
    assert_eq!(status(&bench, &edit), Some(EditStatus::Discarded));
    accepted(&bench, &whole(&[&made.edit_id]));
    let expected = TEN
        .replace("return 3", "return 10")
        .replace("return 4", "yield 4");
    assert_eq!(text(&bench, "a.py"), expected);
    undone(&bench, &[&made.edit_id]);

    // A call of one text.
    let edit = replaced(&bench, "b.py", "return 1", "return 10");
    let refused =
        retarget(&edit, None, "function_definition@def b").expect_err("the text is not there");
    assert!(refused.text().contains("return 1"), "{}", refused.text());
    bench.write("b.py", TEN.replace("return 2", "return 1"));
    let made = retarget(&edit, None, "function_definition@def b").expect("it fits");
    accepted(&bench, &whole(&[&made.edit_id]));
    assert_eq!(text(&bench, "b.py"), TEN.replace("return 2", "return 10"));

    // What is left of a divided call.
    let edit = several(
        &bench,
        &[
            ("c.py", "return 1", "return 10"),
            ("c.py", "return 2", "return 20"),
        ],
    );
    let made = accepted(
        &bench,
        &[ChosenEdit::whole(edit.as_str()).without([EditPart::new(0, Some(1))])],
    );
    bench.write("c.py", text(&bench, "c.py").replace("return 4", "return 2"));
    let made = retarget(&made.left_out[0], Some(1), "function_definition@def d").expect("it fits");
    accepted(&bench, &whole(&[&made.edit_id]));
    let expected = TEN
        .replace("return 1", "return 10")
        .replace("return 4", "return 20");
    assert_eq!(text(&bench, "c.py"), expected);

    // A pattern and a server determine their targets.
    let rewrite = json!({"path": "a.py", "pattern": "return $A", "new_content": "yield $A"});
    let edit = staged(&bench, "rewrite", rewrite);
    let refused =
        retarget(&edit, Some(0), "function_definition@def b").expect_err("a pattern does");
    pinned("no_other_target_of_a_rewrite", &refused.text());
}

#[test]
fn matches_of_a_rewrite_are_left_out() {
    let bench = Bench::new();
    bench.write("a.py", "f(1)\nf(2)\nf(3)\n");
    bench.write("b.py", "f(4)\n\nx = [f(5), f(6)]\n");
    let rewrite =
        json!({"path": ".", "pattern": "f($A)", "new_content": "g($A, 0)", "language": "python"});
    let edit = staged(&bench, "rewrite", rewrite);
    let left = [EditPart::new(0, Some(1)), EditPart::new(1, Some(5))];
    let made = accepted(&bench, &[ChosenEdit::whole(edit.as_str()).without(left)]);
    assert_eq!(text(&bench, "a.py"), "g(1, 0)\nf(2)\ng(3, 0)\n");
    assert_eq!(text(&bench, "b.py"), "g(4, 0)\n\nx = [g(5, 0), f(6)]\n");
    accepted(&bench, &whole(&[&made.left_out[0]]));
    assert_eq!(text(&bench, "a.py"), "g(1, 0)\ng(2, 0)\ng(3, 0)\n");
    assert_eq!(text(&bench, "b.py"), "g(4, 0)\n\nx = [g(5, 0), g(6, 0)]\n");
    undone(&bench, &[&made.left_out[0], &made.edits[0].edit_id]);
    assert_eq!(text(&bench, "a.py"), "f(1)\nf(2)\nf(3)\n");
}

#[test]
fn files_that_belong_together_are_chosen_together() {
    let bench = bench();
    let edits = json!([
        {"op": "move_file", "file_path": "a.py", "to": "moved.py"},
        {"op": "move", "file_path": "b.py", "selector": "function_definition@def b", "to": {"file_path": "c.py", "selector": "function_definition@def d", "position": "after"}},
        {"op": "create_file", "file_path": "new/one.py", "new_content": "ONE = 1\n"},
    ]);
    let edit = staged(&bench, "edit_nodes", json!({"edits": edits}));
    let reviewed = bench.engine.review_edit(&edit).expect("it is staged");
    let files = reviewed
        .files
        .iter()
        .map(|file| (file.file_path.as_str(), file.number, file.together.clone()));
    pinned(
        "files_that_belong_together",
        &files.map(|file| format!("{file:?}\n")).collect::<String>(),
    );
    let number = |name: &str| {
        reviewed
            .files
            .iter()
            .find(|file| file.file_path == name)
            .expect("it is one of them")
            .number
    };
    let left = [
        EditPart::new(number("a.py"), None),
        EditPart::new(number("c.py"), None),
    ];
    let made = accepted(&bench, &[ChosenEdit::whole(edit.as_str()).without(left)]);
    assert_eq!(text(&bench, "new/one.py"), "ONE = 1\n");
    assert_eq!(
        (text(&bench, "a.py"), text(&bench, "b.py")),
        (TEN.to_string(), TEN.to_string())
    );
    accepted(&bench, &whole(&[&made.left_out[0]]));
    assert_eq!(text(&bench, "moved.py"), TEN);
    assert!(
        !text(&bench, "b.py").contains("def b")
            && text(&bench, "c.py").matches("def b").count() == 2
    );
    undone(&bench, &[&made.edits[0].edit_id, &made.left_out[0]]);
    assert_eq!(
        (text(&bench, "a.py"), text(&bench, "c.py")),
        (TEN.to_string(), TEN.to_string())
    );
    assert!(!bench.root().join("new").exists() && !bench.root().join("moved.py").exists());
}

#[test]
fn a_part_that_is_not_there_or_cannot_be_divided_is_refused() {
    let bench = bench();
    let edit = several(
        &bench,
        &[
            ("a.py", "return 1", "return 10"),
            ("b.py", "return 1", "return 10"),
        ],
    );
    let choose =
        |parts: &[EditPart]| [ChosenEdit::whole(edit.as_str()).without(parts.iter().copied())];
    for part in [
        EditPart::new(2, None),
        EditPart::new(0, Some(1)),
        EditPart::new(usize::MAX, Some(usize::MAX)),
    ] {
        assert!(refused(&bench, &choose(&[part])).1.contains("no such part"));
    }
    let all = [EditPart::new(0, None), EditPart::new(1, Some(1))];
    pinned(
        "accepted_without_any_part",
        &refused(&bench, &choose(&all)).1,
    );
    // Each half alone leaves a bracket open.
    bench.write("a.py", "x = (1 + 2)\n");
    let halves = several(&bench, &[("a.py", "x = (", "x = ["), ("a.py", "2)", "2]")]);
    let half = ChosenEdit::whole(halves.as_str()).without([EditPart::new(0, Some(1))]);
    pinned("accepted_half_of_an_edit", &refused(&bench, &[half]).1);
}

/// Thirty edits of a file with ten thousand functions.
#[test]
fn many_edits_of_a_large_file_are_written_together() {
    let bench = Bench::new();
    let number = |n: usize| format!("def f{n}():\n    return {n}\n");
    let lines: String = (0..3_000).map(number).collect();
    bench.write("large.py", &lines);
    let ids = (0..30).map(|n| {
        let n = n * 97 + 1;
        replaced(
            &bench,
            "large.py",
            &format!("def f{n}():\n    return {n}\n"),
            &format!("def f{n}():\n    return 0\n"),
        )
    });
    let ids: Vec<String> = ids.collect();
    let all: Vec<&String> = ids.iter().collect();
    // Returns the diff of each edit, which is of the current text.
    let diffs = || -> Vec<String> {
        let engine = bench.another_engine().engine;
        let reviewed = ids.iter().map(|edit_id| {
            let reviewed = engine.review_edit(edit_id).expect("it is staged");
            assert!(
                matches!(reviewed.since, FilesSince::Unchanged),
                "{:?}",
                reviewed.since
            );
            reviewed.files[0].diff.clone()
        });
        reviewed.collect()
    };
    let before = diffs();
    let made = accepted(&bench, &whole(&all));
    assert_eq!(made.edits.len(), 30);
    let written = text(&bench, "large.py");
    assert_eq!(written.matches("return 0\n").count(), 31);
    undone(&bench, &all);
    assert_eq!(text(&bench, "large.py"), lines);
    // Each is staged as it was, and can be written alone.
    assert_eq!(diffs(), before);
    let made = accepted(&bench, &whole(&all[7..8]));
    assert_eq!(made.edits[0].status, EditStatus::Applied);
    undone(&bench, &all[7..8]);

    // The text that is left is another one than that in which they were checked.
    accepted(&bench, &whole(&all));
    bench.write("large.py", format!("# Elsewhere.\n{written}"));
    undone(&bench, &all);
    assert_eq!(text(&bench, "large.py"), format!("# Elsewhere.\n{lines}"));
    let moved = diffs();
    assert_ne!(moved, before);
    // The diffs are the same, one line further down, except the lines before the first edit.
    let lines_of = |diffs: &[String]| -> Vec<Vec<String>> {
        let changed = |line: &&str| line.starts_with(['+', '-']);
        let lines = diffs
            .iter()
            .map(|diff| diff.lines().filter(changed).map(str::to_string));
        lines.map(Iterator::collect).collect()
    };
    assert_eq!(lines_of(&moved), lines_of(&before));
    accepted(&bench, &whole(&all));
    assert_eq!(text(&bench, "large.py"), format!("# Elsewhere.\n{written}"));
}

/// Edits that were checked in another text than the one that an undo leaves are checked there.
#[test]
fn an_edit_that_does_not_fit_what_an_undo_leaves_is_stale() {
    let bench = Bench::new();
    bench.write("a.toml", "a = 1\nb = 2\nz = 9\n");
    let edit = |find: &str, new_content: &str| {
        let arguments = json!({"file_path": "a.toml", "find": find, "new_content": new_content});
        staged(&bench, "replace_text", arguments)
    };
    let one = edit("a = 1", "a = 1\nc = 3");
    let other = edit("b = 2", "b = 2\nd = 4");
    accepted(&bench, &whole(&[&one, &other]));
    // Another program uses the key meanwhile.
    let now = text(&bench, "a.toml").replace("z = 9", "e = 9");
    bench.write("a.toml", &now);
    undone(&bench, &[&one, &other]);
    bench.write("a.toml", "a = 1\nb = 2\nd = 9\n");
    let refused = bench.engine.accept_edits(&whole(&[&one, &other]));
    let refused = refused.expect_err("a key would occur twice");
    assert_eq!(refused.edit_id, other);
    assert_eq!(text(&bench, "a.toml"), "a = 1\nb = 2\nd = 9\n");
}
