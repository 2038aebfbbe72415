//! Several edits in one call have the same result as each of them in its own call.

use serde_json::{Value, json};
use treegraft::diagnostic::Code;

use super::wraps::wrapper_of;
use super::*;
use crate::support::{Bench, is_full};

/// The number of sets of edits per file, and of files per language.
const SETS: usize = 6;
const FILES: usize = 4;

/// A pseudorandom generator with the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        let Random(state) = self;
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (*state >> 33) as usize % most.max(1)
    }
}

/// The results of the sets.
#[derive(Default)]
struct Outcome {
    edits: BTreeMap<&'static str, usize>,
    same: usize,
    /// Results that differ in blank lines: the first edit changes how the next one is separated.
    spaced: Vec<String>,
    refused: Vec<String>,
    wrong: Vec<String>,
}

/// Returns the name of a file in the workspace.
fn name_of(parsed: &Parsed) -> String {
    let path = Path::new(parsed.source().path());
    match path.extension() {
        Some(extension) => format!("file.{}", extension.to_string_lossy()),
        None => "file".to_string(),
    }
}

/// Returns a selector that still selects the node after other edits: its text alone.
fn by_text(target: &Target<'_>) -> Option<Value> {
    let text = target.file.parsed.source().slice(target.span);
    let selector = Selector::new(&text, target.kind());
    let selection = select(&target.file.parsed, &selector).ok()?;
    let is_it = selection.span() == target.selection.span();
    is_it.then(|| json!({"anchor_text": text, "ancestor_node_type": target.kind()}))
}

/// Returns an edit of this target, if this kind of edit is possible.
fn edit_of(
    op: &'static str,
    target: &Target<'_>,
    other: Option<&Target<'_>>,
    language: &str,
    random: &mut Random,
) -> Option<Value> {
    let file_path = name_of(&target.file.parsed);
    let selector = by_text(target)?;
    let text = target.file.parsed.source().slice(target.span).into_owned();
    target.name()?;
    let changed = target.contents().swap_remove(0);
    let position = ["before", "after"][random.below(2)];
    Some(match op {
        "replace" => {
            json!({"op": op, "file_path": file_path, "selector": selector, "new_content": changed})
        }
        "replace_text" => {
            if text.contains("<|>") || text.contains("<..>") {
                return None;
            }
            json!({"op": op, "file_path": file_path, "find": text, "new_content": changed})
        }
        "insert" => json!({
            "op": op, "file_path": file_path, "selector": selector, "position": position, "new_content": changed,
        }),
        "delete" => json!({"op": op, "file_path": file_path, "selector": selector}),
        "wrap" => {
            let wrapper = wrapper_of(language, target.kind())?;
            json!({"op": op, "file_path": file_path, "selector": selector, "new_content": wrapper})
        }
        _ => {
            let to = by_text(other?)?;
            json!({
                "op": op, "file_path": file_path, "selector": selector,
                "to": {"selector": to, "position": position},
            })
        }
    })
}

/// Returns a few edits of targets that are not adjacent.
fn set_of(file: &File, language: &str, random: &mut Random, of: &mut Outcome) -> Vec<Value> {
    const OPS: [&str; 6] = [
        "replace",
        "replace_text",
        "insert",
        "delete",
        "wrap",
        "move",
    ];
    let is_apart = |parent: tree_sitter::Node<'_>| file.members(parent).len() > 2;
    let members: Vec<_> = nodes(&file.tree)
        .filter(|node| file.is_member(*node) && node.parent().is_some_and(is_apart))
        .filter(|node| !node.kind().starts_with("preproc"))
        .collect();
    let mut edits = Vec::new();
    let mut taken: Vec<Range<usize>> = Vec::new();
    for _ in 0..40 {
        if edits.len() == 4 || members.is_empty() {
            break;
        }
        let node = members[random.below(members.len())];
        let op = OPS[random.below(OPS.len())];
        let Some(target) = file.target(node) else {
            continue;
        };
        let siblings: Vec<_> = node
            .parent()
            .map_or_else(Vec::new, |parent| file.members(parent));
        let other = (op == "move").then(|| siblings[random.below(siblings.len())]);
        let mut takes = vec![node.byte_range()];
        takes.extend(other.map(|other| other.byte_range()));
        let meets = |one: &Range<usize>| {
            taken
                .iter()
                .any(|other| one.start < other.end && other.start < one.end)
        };
        if other == Some(node) || takes.iter().any(meets) {
            continue;
        }
        let other = other.and_then(|other| file.target(other));
        let Some(edit) = edit_of(op, &target, other.as_ref(), language, random) else {
            continue;
        };
        *of.edits.entry(op).or_default() += 1;
        taken.extend(takes);
        edits.push(edit);
    }
    edits
}

fn text_of(bench: &Bench, name: &str) -> String {
    String::from_utf8(bench.read(name)).expect("files stay UTF-8")
}

/// Makes the edits in one call, and in one call each.
fn compare(bench: &Bench, name: &str, before: &str, edits: &[Value], of: &mut Outcome) {
    bench.write(name, before);
    let together = bench.call("edit_nodes", json!({"edits": edits, "apply": true}));
    let together = together.map(|_| text_of(bench, name));
    bench.write(name, before);
    let mut alone = Ok(());
    for edit in edits {
        let made = bench.call("edit_nodes", json!({"edits": [edit], "apply": true}));
        alone = match made {
            // It is already there.
            Err(refusal) if refusal.code() == Code::NoChange => Ok(()),
            made => made.map(|_| ()),
        };
        if alone.is_err() {
            break;
        }
    }
    let what = || serde_json::to_string_pretty(edits).expect("edits are JSON");
    let alone = alone.map(|()| text_of(bench, name));
    match (together, alone) {
        (Ok(together), Ok(alone)) if together == alone => of.same += 1,
        (Ok(together), Ok(alone)) => {
            let diff = similar::TextDiff::from_lines(&alone, &together);
            let diff = diff.unified_diff().context_radius(4).to_string();
            let what = format!("{name}: {}\none by one, and together:\n{diff}", what());
            match full_lines(&together) == full_lines(&alone) {
                true => of.spaced.push(what),
                false => of.wrong.push(what),
            }
        }
        (Err(together), Err(alone)) if together.code() == alone.code() => {}
        (Err(refusal), _) => {
            of.refused
                .push(format!("{name}: {}\ntogether: {}", what(), refusal.text()))
        }
        (_, Err(refusal)) => {
            of.refused
                .push(format!("{name}: {}\nalone: {}", what(), refusal.text()))
        }
    }
}

/// Renames all nodes of a type with the same name, in one edit and one after the other.
fn all_of_a_name(file: &File, bench: &Bench, of: &mut Outcome) {
    let mut names: BTreeMap<(&str, &str), Vec<tree_sitter::Node<'_>>> = BTreeMap::new();
    for node in nodes(&file.tree) {
        let text = &file.text()[node.byte_range()];
        let is_name = text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_lowercase());
        if is_name && node.is_named() && node.child_count() == 0 && !is_comment(node) {
            names.entry((node.kind(), text)).or_default().push(node);
        }
    }
    let name = name_of(&file.parsed);
    let before = file.text();
    for ((kind, text), all) in names.into_iter().filter(|(_, all)| all.len() > 1).take(3) {
        let selector = json!({"anchor_text": text, "ancestor_node_type": kind});
        let content = "zq";
        let together = json!({"edits": [{
            "op": "replace", "file_path": name, "selector": selector, "new_content": content,
            "expect_matches": all.len(),
        }], "apply": true});
        bench.write(&name, before);
        let Ok(_) = bench.call("edit_nodes", together) else {
            // The name also occurs in longer names of the type.
            continue;
        };
        let together = text_of(bench, &name);
        let mut model = before.to_string();
        for node in all.iter().rev() {
            model.replace_range(node.byte_range(), content);
        }
        match together == model {
            true => of.same += 1,
            false => {
                let diff = similar::TextDiff::from_lines(&model, &together);
                of.wrong
                    .push(format!("{name}: all {text:?}\n{}", diff.unified_diff()));
            }
        }
    }
}

#[test]
fn edits_in_one_call_equal_edits_in_separate_calls() {
    let mut all = Outcome::default();
    for language in languages() {
        let facts = Facts::of(language);
        let mut random = Random(7);
        for parsed in files_of(language).into_iter().take(FILES) {
            let file = File::new(parsed, &facts);
            let bench = Bench::new();
            let name = name_of(&file.parsed);
            for _ in 0..SETS {
                let edits = set_of(&file, language.name, &mut random, &mut all);
                if edits.len() > 1 {
                    compare(&bench, &name, file.text(), &edits, &mut all);
                }
            }
            all_of_a_name(&file, &bench, &mut all);
        }
    }
    let Outcome {
        edits,
        same,
        spaced,
        refused,
        wrong,
    } = all;
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    let others = [spaced, refused].concat();
    let least = if is_full() { 250 } else { 24 };
    assert!(
        same > least && others.len() * 50 < same.max(250),
        "{same} are the same, these are not:\n{}",
        others.join("\n")
    );
    assert!(
        edits.len() == 6 && edits.values().all(|made| *made > least / 8),
        "of each kind of edit there are some: {edits:?}"
    );
}

/// Makes edits of one file in one call, and compares the result.
fn check(name: &str, before: &str, edits: Value, expected: &str) {
    let bench = Bench::with(name, before);
    let made = bench.call(
        "edit_nodes",
        json!({"edits": edits, "file_path": name, "apply": true}),
    );
    if let Err(refusal) = made {
        panic!("it is refused: {}", refusal.text());
    }
    assert_eq!(text_of(&bench, name), expected);
}

#[test]
fn a_key_may_get_the_name_of_a_deleted_one() {
    let edits = json!([
        {"op": "replace", "file_path": "a.toml", "selector": "pair@a = 1", "new_content": "b = 1"},
        {"op": "delete", "file_path": "a.toml", "selector": "pair@b = 2"},
    ]);
    check("a.toml", "a = 1\nb = 2\nc = 3\n", edits, "b = 1\nc = 3\n");
}

#[test]
fn keys_move_within_their_table_together_with_other_edits() {
    let edits = json!([
        {"op": "move", "file_path": "a.toml", "selector": "pair@a = 1",
         "to": {"selector": "pair@c = 3", "position": "after"}},
        {"op": "replace", "file_path": "a.toml", "selector": "pair@b = 2", "new_content": "b = 20"},
        {"op": "move", "file_path": "a.toml", "selector": "pair@d = 4",
         "to": {"selector": "pair@b = 2", "position": "before"}},
    ]);
    check(
        "a.toml",
        "a = 1\nb = 2\nc = 3\nd = 4\n",
        edits,
        "d = 4\nb = 20\nc = 3\na = 1\n",
    );
}
