//! Undo of edits that others followed: in the same files, by the same and by other programs, in any order.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and read the results"
)]

use std::cell::Cell;
use std::fs;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use treegraft::engine::EditFilter;
use treegraft::engine::response::{EditStatus, RefusedCall};
use treegraft::engine::review::ChosenEdit;

use crate::support::{Answered, Bench, is_full, steady};

fn pinned(name: &str, text: &str) {
    crate::support::snapshots("flows").bind(|| insta::assert_snapshot!(name, steady(text)));
}

const SERVER: &str = "\
struct Server;

impl Server {
    fn start(&self) {
        one();
    }

    fn stop(&self) {
        two(1, 2);
    }
}

fn main() {
    Server.start();
}
";

/// Replaces the node of this type that contains `anchor`, and returns the id of the edit.
fn replace(bench: &Bench, anchor: &str, node_type: &str, new_content: &str) -> Value {
    let selector = json!({"anchor_text": anchor, "ancestor_node_type": node_type});
    let made = bench.call(
        "replace_node",
        json!({
            "file_path": "a.rs", "selector": selector, "new_content": new_content, "apply": true,
        }),
    );
    let made = made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    made.json["edit_id"].clone()
}

fn undo(bench: &Bench, edit_id: &Value) -> Result<Answered, Box<RefusedCall>> {
    bench.call("undo_edit", json!({"edit_id": edit_id}))
}

fn undone(bench: &Bench, edit_id: &Value) -> Answered {
    let undone = undo(bench, edit_id).unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    assert_eq!(undone.json["status"], "undone");
    undone
}

fn text(bench: &Bench) -> String {
    fs::read_to_string(bench.root().join("a.rs")).expect("the file is text")
}

fn put(bench: &Bench, text: &str) {
    fs::write(bench.root().join("a.rs"), text).expect("the file can be written");
}

#[test]
fn an_earlier_edit_is_undone_alone_and_can_be_applied_again() {
    let bench = Bench::with("a.rs", SERVER);
    let first = replace(
        &bench,
        "one()",
        "call_expression",
        "first(\n            1,\n        )",
    );
    let second = replace(&bench, "two(1, 2)", "call_expression", "second()");
    let third = replace(
        &bench,
        "struct Server",
        "struct_item",
        "pub struct Server(u8);",
    );
    let both = text(&bench);
    let arguments = json!({"edit_id": first, "preview": true});
    let previewed = bench
        .call("undo_edit", arguments)
        .expect("it can be undone");
    assert_eq!(previewed.json["status"], "undo_previewed");
    assert_eq!(text(&bench), both, "a preview writes nothing");
    pinned("undo_previewed", &previewed.text);
    pinned("undo_of_an_earlier_edit", &undone(&bench, &first).text);
    let without_first = SERVER
        .replace("two(1, 2)", "second()")
        .replace("struct Server;", "pub struct Server(u8);");
    assert_eq!(text(&bench), without_first);
    let again = bench.call("apply_edit", json!({"edit_id": first}));
    assert_eq!(again.expect("it waits again").json["status"], "applied");
    assert_eq!(text(&bench), both);
    for edit_id in [second, first, third] {
        undone(&bench.another_engine(), &edit_id);
    }
    assert_eq!(text(&bench), SERVER);
}

#[test]
fn an_edit_whose_text_changed_is_undone_after_the_edits_that_changed_it() {
    let bench = Bench::with("a.rs", SERVER);
    let first = replace(&bench, "one()", "call_expression", "first(one())");
    let second = replace(&bench, "one()", "call_expression", "second(1)");
    let third = replace(&bench, "1));", "integer_literal", "3");
    let other = replace(&bench, "two(1, 2)", "call_expression", "two()");
    let before = text(&bench);
    let refusal = undo(&bench, &first).expect_err("its text has changed");
    assert_eq!(text(&bench), before);
    pinned("undo_of_a_changed_text", &refusal.text());
    let mut filter = EditFilter::default();
    filter.graph = true;
    let listed = bench.engine.find_edits(&filter).expect("they are listed");
    let depends_on = |edit_id: &Value| -> Vec<Value> {
        let mut edits = listed.edits.iter();
        let edit = edits.find(|one| one.edit_id == *edit_id);
        let edit = edit.expect("each edit is listed");
        edit.depends_on.iter().map(|one| json!(one)).collect()
    };
    let mut third_depends_on = depends_on(&third);
    third_depends_on.sort_by_key(|edit_id| *edit_id == second);
    assert_eq!(third_depends_on, [first.clone(), second.clone()]);
    assert_eq!(depends_on(&second), std::slice::from_ref(&first));
    assert!(depends_on(&first).is_empty() && depends_on(&other).is_empty());
    for newest in [&third, &second] {
        let refusal = undo(&bench, &first).expect_err("its text has changed");
        let next = refusal.suggestions().remove(0);
        assert_eq!(&next.arguments["edit_id"], newest);
        let done = bench.call(&next.tool, next.arguments);
        done.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
    }
    undone(&bench, &first);
    assert_eq!(text(&bench), SERVER.replace("two(1, 2)", "two()"));
    undone(&bench, &other);
    assert_eq!(text(&bench), SERVER);
}

#[test]
fn what_other_programs_changed_elsewhere_stays() {
    let bench = Bench::with("a.rs", SERVER);
    let first = replace(&bench, "one()", "call_expression", "first()");
    put(
        &bench,
        &text(&bench).replace("Server.start();", "Server.stop();"),
    );
    let second = replace(&bench, "two(1, 2)", "call_expression", "second()");
    // Before and after both edits.
    let now = text(&bench).replace("struct Server;", "struct Server(u8);");
    put(&bench, &now.replace("Server.stop();", "Server.stop(1);"));
    undone(&bench, &first);
    let expected = SERVER
        .replace("Server.start();", "Server.stop(1);")
        .replace("struct Server;", "struct Server(u8);");
    assert_eq!(text(&bench), expected.replace("two(1, 2)", "second()"));
    undone(&bench, &second);
    assert_eq!(text(&bench), expected);
}

/// Two edits of one second, which is all that their times say, and then a change of another program.
#[test]
fn an_edit_is_undone_alone_although_an_earlier_one_has_the_same_time() {
    let bench = Bench::with("a.rs", SERVER);
    replace(&bench, "one()", "call_expression", "first()");
    let second = replace(&bench, "two(1, 2)", "call_expression", "second()");
    let other = format!("{}\n// by another program\n", text(&bench));
    bench.write("a.rs", &other);
    undone(&bench, &second);
    assert_eq!(text(&bench), other.replace("second()", "two(1, 2)"));
}

#[test]
fn what_other_programs_changed_in_the_text_of_an_edit_is_shown() {
    let bench = Bench::with("a.rs", SERVER);
    let first = replace(&bench, "one()", "call_expression", "first()");
    put(&bench, &text(&bench).replace("first()", "first(1)"));
    let before = text(&bench);
    let refusal = undo(&bench, &first).expect_err("its text has changed");
    pinned(
        "undo_of_a_text_that_another_program_changed",
        &refusal.text(),
    );
    assert_eq!(text(&bench), before);
    // Of equal statements, nobody knows which one was added.
    put(
        &bench,
        &SERVER.replace("one();", "first();\n        first();"),
    );
    undo(&bench, &first).expect_err("one of two could be meant");
}

#[test]
fn an_undo_that_would_break_the_syntax_is_refused() {
    let bench = Bench::with("a.rs", SERVER);
    let delete = |anchor: &str| {
        let made = bench.call(
            "replace_text",
            json!({"file_path": "a.rs", "find": anchor, "new_content": "", "apply": true}),
        );
        let made = made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
        made.json["edit_id"].clone()
    };
    let first = delete(", 2");
    let second = delete("two(<|>1<|>)");
    let before = text(&bench);
    let refusal = undo(&bench, &first).expect_err("a comma needs an argument");
    pinned("undo_that_breaks_the_syntax", &refusal.text());
    assert_eq!(text(&bench), before);
    undone(&bench, &second);
    undone(&bench, &first);
    assert_eq!(text(&bench), SERVER);
}

#[test]
fn a_created_file_that_was_edited_is_removed_after_its_edits() {
    let bench = Bench::with("b.rs", SERVER);
    let create = json!({"op": "create_file", "file_path": "a.rs", "new_content": SERVER});
    let edit_nodes = |edit: Value| {
        let made = bench.call("edit_nodes", json!({"edits": [edit], "apply": true}));
        let made = made.unwrap_or_else(|refusal| panic!("{}", refusal.text()));
        made.json["edit_id"].clone()
    };
    let created = edit_nodes(create);
    let edited = replace(&bench, "one()", "call_expression", "first()");
    let refusal = undo(&bench, &created).expect_err("it has an edit");
    pinned("undo_of_a_created_file_with_edits", &refusal.text());
    let moved = edit_nodes(json!({"op": "move_file", "file_path": "a.rs", "to": "c.rs"}));
    let refusal = undo(&bench, &edited).expect_err("the file is gone");
    pinned("undo_in_a_moved_file", &refusal.text());
    for edit_id in [moved, edited, created] {
        undone(&bench, &edit_id);
    }
    assert!(!bench.root().join("a.rs").exists());
}

#[test]
fn all_files_are_restored_or_none() {
    let bench = Bench::with("a.rs", SERVER);
    bench.write("b.rs", SERVER);
    let edit = |file: &str| {
        json!({
            "op": "replace", "file_path": file, "new_content": "first()",
            "selector": {"anchor_text": "one()", "ancestor_node_type": "call_expression"},
        })
    };
    let made = bench.call(
        "edit_nodes",
        json!({"edits": [edit("a.rs"), edit("b.rs")], "apply": true}),
    );
    let edit_id = made.expect("both can be made").json["edit_id"].clone();
    let later = replace(&bench, "first()", "call_expression", "later()");
    let before = text(&bench);
    let refusal = undo(&bench, &edit_id).expect_err("one of its texts has changed");
    assert_eq!(refusal.suggestions()[0].arguments["edit_id"], later);
    assert_eq!(text(&bench), before);
    let other = fs::read_to_string(bench.root().join("b.rs")).expect("it is there");
    assert_eq!(other, SERVER.replace("one()", "first()"));
    undone(&bench, &later);
    replace(&bench, "two(1, 2)", "call_expression", "two()");
    undone(&bench, &edit_id);
    assert_eq!(text(&bench), SERVER.replace("two(1, 2)", "two()"));
    let other = fs::read_to_string(bench.root().join("b.rs")).expect("it is there");
    assert_eq!(other, SERVER);
}

/// A file of calls, each of which can be replaced. Every new name is used once.
fn calls(count: usize) -> String {
    let lines = (0..count).map(|line| format!("    f{line}(a{line}, b{line});\n"));
    format!("fn main() {{\n{}}}\n", lines.collect::<String>())
}

/// A random step: an edit of a word, or the undo of an edit.
#[derive(Clone, Debug)]
enum Step {
    /// Replaces the word with this number by two words, one word, or nothing.
    Replace(usize, usize),
    Undo(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let replace = (0..100usize, 0..3usize).prop_map(|(word, kind)| Step::Replace(word, kind));
    let undo = (0..100usize).prop_map(Step::Undo);
    proptest::collection::vec(prop_oneof![2 => replace, 1 => undo], 4..16)
}

/// Returns the identifiers of a text, which are all different.
fn words(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty() && !["fn", "main"].contains(word));
    words.collect()
}

/// With `TREEGRAFT_TEST_FULL=1`, they try all their cases.
mod long {
    use super::*;

    #[test]
    fn edits_of_several_programs_are_undone_in_any_order_and_all_restore_the_first_text() {
        let cases = if is_full() { 200 } else { 24 };
        let config = Config {
            failure_persistence: None,
            ..Config::with_cases(cases)
        };
        let [undone_alone, refused] = [Cell::new(0), Cell::new(0)];
        let run = TestRunner::new(config).run(&steps(), |steps| {
        let start = calls(5);
        let bench = Bench::with("a.rs", &start);
        let programs = [bench.another_engine(), bench.another_engine(), bench.another_engine()];
        // The edits that are applied, with the word that each replaced and its new words.
        let mut applied: Vec<(Value, String, String)> = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            let program = &programs[number % programs.len()];
            let before = text(&bench);
            match step {
                Step::Replace(word, kind) => {
                    let words = words(&before);
                    let Some(word) = words.get(word % words.len().max(1)) else {
                        continue;
                    };
                    let new = match kind {
                        0 => format!("g{number}x(h{number}x)"),
                        1 => format!("g{number}x"),
                        _ => format!("g{number}x[0]"),
                    };
                    let made = program.call(
                        "replace_text",
                        json!({"file_path": "a.rs", "find": word, "new_content": new, "apply": true}),
                    );
                    // Some words cannot be replaced, such as a name by a call.
                    let Ok(made) = made else { continue };
                    applied.push((made.json["edit_id"].clone(), word.to_string(), new));
                }
                Step::Undo(index) if !applied.is_empty() => {
                    let index = index % applied.len();
                    let (edit_id, old, new) = &applied[index];
                    match undo(program, edit_id) {
                        Ok(_) => {
                            prop_assert_eq!(text(&bench), before.replacen(new.as_str(), old, 1));
                            let is_earlier = index + 1 < applied.len();
                            undone_alone.set(undone_alone.get() + u32::from(is_earlier));
                            applied.remove(index);
                        }
                        Err(refusal) => {
                            prop_assert_eq!(text(&bench), before);
                            prop_assert!(!refusal.suggestions().is_empty(), "{}", refusal.text());
                            refused.set(refused.get() + 1);
                        }
                    }
                }
                Step::Undo(_) => {}
            }
        }
        while let Some((edit_id, ..)) = applied.pop() {
            let done = undo(&programs[0], &edit_id);
            prop_assert!(done.is_ok(), "{}", done.expect_err("it is refused").text());
        }
        prop_assert_eq!(text(&bench), start);
        Ok(())
    });
        run.unwrap_or_else(|failed| panic!("{failed}"));
        let (undone_alone, refused) = (undone_alone.get(), refused.get());
        assert!(
            undone_alone > cases / 4 && (refused > 0 || !is_full()),
            "{undone_alone} earlier edits were undone, and {refused} refused"
        );
    }

    /// Undoing several edits gives exactly what undoing them one by one gives, or nothing is written and one of them cannot be
    /// undone alone either.
    #[test]
    fn several_edits_are_undone_together_as_one_by_one() {
        let cases = if is_full() { 200 } else { 24 };
        let config = Config {
            failure_persistence: None,
            ..Config::with_cases(cases)
        };
        let [early, refused, again] = [Cell::new(0), Cell::new(0), Cell::new(0)];
        let run = TestRunner::new(config).run(&steps_of_several(), |steps| {
        let bench = Bench::with("a.rs", calls(4));
        bench.write("b.rs", calls(4).replace("(a", "(c").replace(", b", ", d"));
        let programs = [bench.another_engine(), bench.another_engine()];
        let mut applied: Vec<AppliedEdit> = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            let program = &programs[number % programs.len()];
            let before = texts(&bench);
            match step {
                StepOfSeveral::Replace { files, word, kind } => {
                    let files: &[usize] = [&[0][..], &[1], &[0, 1]][files];
                    let changes = files.iter().filter_map(|file| {
                        let words = words(&before[*file]);
                        let old = words.get(word % words.len().max(1))?.to_string();
                        let new = match kind {
                            0 => format!("g{number}x{file}(h{number}x{file})"),
                            1 => format!("g{number}x{file}"),
                            _ => format!("g{number}x{file}[0]"),
                        };
                        Some((*file, old, new))
                    });
                    let changes: Vec<(usize, String, String)> = changes.collect();
                    let edits = changes.iter().map(|(file, old, new)| {
                        json!({"op": "replace_text", "file_path": NAMES[*file], "find": old, "new_content": new})
                    });
                    let edits: Vec<Value> = edits.collect();
                    let Ok(made) = program.call("edit_nodes", json!({"edits": edits, "apply": true})) else {
                        continue;
                    };
                    let edit_id = made.json["edit_id"].as_str().expect("it has an id").to_string();
                    applied.push(AppliedEdit { edit_id, changes });
                }
                StepOfSeveral::Other { file, word } => {
                    let words = words(&before[file]);
                    let Some(word) = words.get(word % words.len().max(1)) else {
                        continue;
                    };
                    bench.write(NAMES[file], before[file].replacen(word, &format!("other{number}"), 1));
                }
                StepOfSeveral::Together { bits, again: is_again } => {
                    let is_chosen = |at: usize| bits & (1 << (at % 16)) != 0;
                    let chosen = applied.iter().enumerate().filter(|(at, _)| is_chosen(*at));
                    let chosen: Vec<AppliedEdit> = chosen.map(|(_, one)| one.clone()).collect();
                    if chosen.len() < 2 {
                        continue;
                    }
                    let ids: Vec<String> = chosen.iter().map(|one| one.edit_id.clone()).collect();
                    let is_early = !applied.ends_with(&chosen);
                    match program.engine.undo_edits(&ids) {
                        Ok(_) => {
                            early.set(early.get() + u32::from(is_early));
                            prop_assert_eq!(texts(&bench), without(before.clone(), &chosen));
                            applied.retain(|one| !ids.contains(&one.edit_id));
                            let accepted = || {
                                let whole = ids.iter().map(|one| ChosenEdit::whole(one.as_str()));
                                program.engine.accept_edits(&whole.collect::<Vec<_>>()).ok()
                            };
                            if is_again && accepted().is_some() {
                                prop_assert_eq!(texts(&bench), before);
                                again.set(again.get() + 1);
                                applied.extend(chosen);
                            }
                        }
                        Err(_) => {
                            prop_assert_eq!(texts(&bench), before.clone());
                            let listed = program.engine.look_up_edits(&ids);
                            prop_assert!(listed.iter().all(|one| one.status == EditStatus::Applied));
                            refused.set(refused.get() + 1);
                            let mut left = chosen;
                            while let Some(at) = left.iter().rposition(|one| {
                                undo(program, &json!(one.edit_id)).is_ok()
                            }) {
                                let undone = left.remove(at);
                                applied.retain(|one| one.edit_id != undone.edit_id);
                            }
                            prop_assert!(!left.is_empty());
                        }
                    }
                }
            }
        }
        Ok(())
    });
        run.unwrap_or_else(|failed| panic!("{failed}"));
        let [early, refused, again] = [&early, &refused, &again].map(Cell::get);
        assert!(
            early > 0 && refused > 0 && again > 0,
            "{early} were not the last, {refused} refused, {again} accepted again"
        );
    }

    /// Undoing edits together that create, delete and move files takes back what they changed and nothing else, or is refused and
    /// changes nothing.
    #[test]
    fn edits_of_whole_files_are_undone_together_as_in_a_model() {
        let cases = if is_full() { 300 } else { 24 };
        let config = Config {
            failure_persistence: None,
            ..Config::with_cases(cases)
        };
        let [done, refused, again] = [Cell::new(0), Cell::new(0), Cell::new(0)];
        let run = TestRunner::new(config).run(&file_steps(), |steps| {
            let bench = Bench::with("a.rs", calls(3));
            let start = files(&bench);
            let programs = [bench.another_engine(), bench.another_engine()];
            let mut made: Vec<Made> = Vec::new();
            // Whether an edit was undone before a move that followed it, which had moved another text.
            let mut is_before_move = false;
            for (number, step) in steps.into_iter().enumerate() {
                let program = &programs[number % programs.len()];
                let before = files(&bench);
                match step {
                    FileStep::Make(wanted) => {
                        let mut now = before.clone();
                        let mut changes: Vec<FileChange> = Vec::new();
                        for (at, one) in wanted.into_iter().enumerate() {
                            let Some(change) = FileChange::chosen(&now, one, 10 * number + at)
                            else {
                                continue;
                            };
                            now = change.made(now).expect("it is possible");
                            changes.push(change);
                        }
                        let edits: Vec<Value> = changes.iter().map(FileChange::request).collect();
                        let arguments = json!({"edits": edits, "apply": true});
                        // Several changes of one file are refused.
                        let Ok(answer) = program.call("edit_nodes", arguments) else {
                            prop_assert_eq!(files(&bench), before);
                            continue;
                        };
                        let edit_id = answer.json["edit_id"].as_str().expect("it has an id");
                        prop_assert_eq!(files(&bench), now);
                        made.push((Some(edit_id.to_string()), changes));
                    }
                    FileStep::Other { file, word } => {
                        let one = FileChange::chosen(&before, (5, file, word), 10 * number);
                        let Some(change) = one else { continue };
                        let now = change.made(before.clone()).expect("it is possible");
                        bench.write(PLACES[file], now[file].as_ref().expect("it is there"));
                        made.push((None, vec![change]));
                    }
                    FileStep::Together {
                        bits,
                        again: is_again,
                    } => {
                        let is_chosen = |at: usize| bits & (1 << (at % 16)) != 0;
                        let chosen = made.iter().enumerate().filter(|(at, _)| is_chosen(*at));
                        let ids: Vec<String> =
                            chosen.filter_map(|(_, one)| one.0.clone()).collect();
                        if ids.is_empty() {
                            continue;
                        }
                        let is_chosen =
                            |one: &&Made| one.0.as_ref().is_some_and(|id| ids.contains(id));
                        match program.engine.undo_edits(&ids) {
                            Ok(_) => {
                                done.set(done.get() + 1);
                                let expected = back(before.clone(), made.iter().filter(is_chosen));
                                prop_assert_eq!(Some(files(&bench)), expected);
                                let whole = ids.iter().map(|one| ChosenEdit::whole(one.as_str()));
                                let whole: Vec<ChosenEdit> = whole.collect();
                                if is_again && program.engine.accept_edits(&whole).is_ok() {
                                    prop_assert_eq!(files(&bench), before);
                                    again.set(again.get() + 1);
                                    continue;
                                }
                                is_before_move |= moves_after(&made, is_chosen);
                                made.retain(|one| !is_chosen(&one));
                            }
                            Err(_) => {
                                refused.set(refused.get() + 1);
                                prop_assert_eq!(files(&bench), before.clone());
                                let listed = program.engine.look_up_edits(&ids);
                                prop_assert!(
                                    listed.iter().all(|one| one.status == EditStatus::Applied)
                                );
                                // One of them cannot be undone alone either.
                                let mut left = ids.clone();
                                let mut now = Some(before);
                                while let Some(at) = left
                                    .iter()
                                    .rposition(|one| undo(program, &json!(one)).is_ok())
                                {
                                    let undone = left.remove(at);
                                    let is_it = |one: &&Made| one.0.as_ref() == Some(&undone);
                                    is_before_move |= moves_after(&made, is_it);
                                    let at = made.iter().position(|one| is_it(&one));
                                    let one = made.remove(at.expect("it is one of them"));
                                    now = now.and_then(|files| back(files, [one].iter()));
                                    prop_assert_eq!(Some(files(&bench)), now.clone());
                                }
                                prop_assert!(!left.is_empty());
                            }
                        }
                    }
                }
            }
            // If they made these files, and no other program did, they can be undone.
            let is_all = made.iter().all(|(edit_id, _)| edit_id.is_some());
            if is_all && !made.is_empty() && after(&start, made.iter()) == Some(files(&bench)) {
                let ids: Vec<String> = made.into_iter().filter_map(|one| one.0).collect();
                let before = files(&bench);
                match programs[0].engine.undo_edits(&ids) {
                    Ok(_) => prop_assert_eq!(files(&bench), start),
                    Err(refused) => {
                        prop_assert!(is_before_move, "{refused}");
                        prop_assert_eq!(files(&bench), before);
                    }
                }
            }
            Ok(())
        });
        run.unwrap_or_else(|failed| panic!("{failed}"));
        let [done, refused, again] = [&done, &refused, &again].map(Cell::get);
        assert!(
            done > 0 && (refused > 0 && again > 0 || !is_full()),
            "{done} undone together, {refused} refused, {again} accepted again"
        );
    }
}

/// A random step of edits that are undone together.
#[derive(Clone, Debug)]
enum StepOfSeveral {
    /// Replaces a word of the first file, of the second, or of both.
    Replace {
        files: usize,
        word: usize,
        kind: usize,
    },
    /// Another program replaces a word.
    Other { file: usize, word: usize },
    /// Undoes the edits whose bit is set, and accepts them again if the flag is set.
    Together { bits: u16, again: bool },
}

fn steps_of_several() -> impl Strategy<Value = Vec<StepOfSeveral>> {
    let replace = (0..3usize, 0..100usize, 0..3usize)
        .prop_map(|(files, word, kind)| StepOfSeveral::Replace { files, word, kind });
    let other =
        (0..2usize, 0..100usize).prop_map(|(file, word)| StepOfSeveral::Other { file, word });
    let together = (any::<u16>(), any::<bool>())
        .prop_map(|(bits, again)| StepOfSeveral::Together { bits, again });
    let step = prop_oneof![8 => replace, 1 => other, 3 => together];
    proptest::collection::vec(step, 6..18)
}

const NAMES: [&str; 2] = ["a.rs", "b.rs"];

fn texts(bench: &Bench) -> [String; 2] {
    NAMES.map(|name| String::from_utf8(bench.read(name)).expect("it is text"))
}

/// An edit of the test that is applied: its id, and in each file the replaced word and its new words.
#[derive(Clone, Debug, PartialEq)]
struct AppliedEdit {
    edit_id: String,
    changes: Vec<(usize, String, String)>,
}

fn without(mut texts: [String; 2], edits: &[AppliedEdit]) -> [String; 2] {
    for (file, old, new) in edits.iter().rev().flat_map(|one| &one.changes) {
        texts[*file] = texts[*file].replacen(new.as_str(), old, 1);
    }
    texts
}

/// The files that random steps create, edit, move and delete.
const PLACES: [&str; 4] = ["a.rs", "b.rs", "new/c.rs", "new/deep/d.rs"];

/// What an edit, or another program, does to files.
#[derive(Clone, Debug, PartialEq)]
enum FileChange {
    Create(usize, String),
    /// With the text that the file had.
    Delete(usize, String),
    Move(usize, usize),
    Edit(usize, String, String),
}

/// A random step of edits of whole files that are undone together.
#[derive(Clone, Debug)]
enum FileStep {
    /// An edit of one or two changes; each has a kind, a file and another file or a word.
    Make(Vec<(usize, usize, usize)>),
    /// Another program replaces a word.
    Other { file: usize, word: usize },
    /// Undoes the edits whose bit is set, and accepts them again if the flag is set.
    Together { bits: u16, again: bool },
}

/// The texts of the files.
type Files = [Option<String>; 4];

fn file_steps() -> impl Strategy<Value = Vec<FileStep>> {
    let change = (0..6usize, 0..4usize, 0..100usize);
    let made = proptest::collection::vec(change, 1..3).prop_map(FileStep::Make);
    let other = (0..4usize, 0..100usize).prop_map(|(file, word)| FileStep::Other { file, word });
    let together =
        (any::<u16>(), any::<bool>()).prop_map(|(bits, again)| FileStep::Together { bits, again });
    let step = prop_oneof![8 => made, 1 => other, 4 => together];
    proptest::collection::vec(step, 6..18)
}

fn files(bench: &Bench) -> Files {
    PLACES.map(|name| fs::read_to_string(bench.root().join(name)).ok())
}

impl FileChange {
    /// Makes the change in a model. Returns `None` if that is not possible.
    fn made(&self, mut files: Files) -> Option<Files> {
        match self {
            FileChange::Create(file, text) if files[*file].is_none() => {
                files[*file] = Some(text.clone());
            }
            FileChange::Delete(file, text) if files[*file].as_ref() == Some(text) => {
                files[*file] = None;
            }
            FileChange::Move(from, to) if files[*to].is_none() => {
                files[*to] = Some(files[*from].take()?);
            }
            FileChange::Edit(file, old, new) => {
                let text = files[*file].as_ref().filter(|text| text.contains(old))?;
                files[*file] = Some(text.replacen(old, new, 1));
            }
            _ => return None,
        }
        Some(files)
    }

    /// Takes the change back in a model. Returns `None` if that is not possible.
    fn undone(&self, files: Files) -> Option<Files> {
        let back = match self.clone() {
            FileChange::Create(file, text) => FileChange::Delete(file, text),
            FileChange::Delete(file, text) => FileChange::Create(file, text),
            FileChange::Move(from, to) => FileChange::Move(to, from),
            FileChange::Edit(file, old, new) => FileChange::Edit(file, new, old),
        };
        back.made(files)
    }

    fn request(&self) -> Value {
        match self {
            FileChange::Create(file, text) => {
                json!({"op": "create_file", "file_path": PLACES[*file], "new_content": text})
            }
            FileChange::Delete(file, _) => json!({"op": "delete_file", "file_path": PLACES[*file]}),
            FileChange::Move(from, to) => {
                json!({"op": "move_file", "file_path": PLACES[*from], "to": PLACES[*to]})
            }
            FileChange::Edit(file, old, new) => {
                json!({"op": "replace_text", "file_path": PLACES[*file], "find": old, "new_content": new})
            }
        }
    }

    /// Chooses a change that is possible in these files.
    fn chosen(
        files: &Files,
        (kind, file, other): (usize, usize, usize),
        number: usize,
    ) -> Option<FileChange> {
        let change = match kind {
            0 | 1 => {
                let text = format!(
                    "fn main() {{\n    n{number}x{file}(o{number}x{file}, p{number}x{file});\n}}\n"
                );
                FileChange::Create(file, text)
            }
            2 => FileChange::Delete(file, files[file].clone()?),
            3 => FileChange::Move(file, other % PLACES.len()),
            _ => {
                let words = words(files[file].as_ref()?);
                let old = words.get(other % words.len().max(1))?.to_string();
                FileChange::Edit(file, old, format!("g{number}x{file}(h{number}x{file})"))
            }
        };
        change.made(files.clone()).is_some().then_some(change)
    }
}

/// A made change: by the edit with this id, or by another program.
type Made = (Option<String>, Vec<FileChange>);

/// Returns whether a change that stays moves a file after one that is undone.
fn moves_after(made: &[Made], is_undone: impl Fn(&&Made) -> bool) -> bool {
    let mut rest = made.iter().skip_while(|one| !is_undone(one));
    rest.any(|one| {
        let mut changes = one.1.iter();
        !is_undone(&one) && changes.any(|change| matches!(change, FileChange::Move(..)))
    })
}

/// Returns the files after all these changes.
fn after<'m>(start: &Files, made: impl Iterator<Item = &'m Made>) -> Option<Files> {
    let mut changes = made.flat_map(|(_, changes)| changes);
    changes.try_fold(start.clone(), |files, change| change.made(files))
}

/// Returns the files without these changes, the last of which is taken back first.
fn back<'m>(files: Files, made: impl DoubleEndedIterator<Item = &'m Made>) -> Option<Files> {
    let mut changes = made.rev().flat_map(|(_, changes)| changes.iter().rev());
    changes.try_fold(files, |files, change| change.undone(files))
}
