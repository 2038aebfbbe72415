//! Real Python with each body mis-indented in several ways: tree-sitter sees no error in most of
//! the results. Python's own parser determines which statements have left their class or function;
//! all such edits must be refused, and harmless ones must pass.

#![expect(
    clippy::disallowed_methods,
    reason = "the test reads the standard library and runs Python"
)]
#![expect(clippy::print_stdout, reason = "prints what was tried")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use treegraft::edit::{self, Indent, InsertPosition, Operation};
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::source::{Source, Span};
use treegraft::validate::{Check, validate};

use super::round_trips::{select_at, tree};
use crate::support::is_full;

/// Returns the number of bodies to try.
fn bodies_to_try() -> usize {
    if is_full() { 200 } else { 24 }
}

/// Per file, so that many files are used.
const BODIES_OF_A_FILE: usize = 8;

/// Longer files cost more and contain nothing new.
const LONGEST_FILE: usize = 12 * 1024;

/// Reads lines `{"file", "text"}` and `{"file", "start", "end", "new", "whole"}` (offsets in
/// bytes). Reports for each edit whether the result is valid Python, and whether a statement is in
/// another class or function than before: of all statements, or only of those outside the edit.
const JUDGE: &str = r#"
import ast, json, sys

def statements(text):
    found = []
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    open = [(ast.parse(text), ())]
    while open:
        node, path = open.pop()
        if isinstance(node, ast.stmt):
            at = starts[node.lineno - 1] + node.col_offset
            found.append((at, type(node).__name__, path))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            path = path + (node.name,)
        open += [(child, path) for child in ast.iter_child_nodes(node)]
    return sorted(found)

def judge(before, start, end, new, whole):
    after = before[:start] + new + before[end:]
    try:
        now = statements(after)
    except (SyntaxError, ValueError):
        return "broken"
    was = statements(before)
    if whole:
        return "same" if [one[1:] for one in was] == [one[1:] for one in now] else "moved"
    grown = len(new) - (end - start)
    was = [(at if at < start else at + grown, kind, path)
           for at, kind, path in was if not start <= at < end]
    now = [one for one in now if not start <= one[0] < start + len(new)]
    return "same" if was == now else "moved"

files = {}
for line in open(sys.argv[1], encoding="utf-8"):
    one = json.loads(line)
    if "text" in one:
        files[one["file"]] = one["text"].encode()
    else:
        print(judge(files[one["file"]], one["start"], one["end"], one["new"].encode(), one["whole"]))
"#;

/// A body and its definition.
struct Body<'t> {
    definition: tree_sitter::Node<'t>,
    block: tree_sitter::Node<'t>,
}

/// An edit to try on a body.
struct Trial {
    name: &'static str,
    /// The node that is replaced, or after which content is inserted.
    node: Span,
    node_type: &'static str,
    operation: Operation,
    /// Whether the edit keeps all statements, so that all of them can be compared.
    whole: bool,
    /// Whether the edit must pass if no statement is in another class or function.
    harmless: bool,
}

/// The result of a trial.
struct Outcome {
    what: String,
    name: &'static str,
    refused: bool,
    harmless: bool,
    /// The input of the judge.
    line: String,
}

#[test]
fn statements_that_leave_their_class_or_function_are_refused() {
    let Some(folder) = standard_library() else {
        println!("skipped: mis-indented bodies of real Python; python3 is not installed");
        return;
    };
    let mut lines = Vec::new();
    let mut outcomes = Vec::new();
    let mut bodies = 0;
    for (number, parsed) in real_files(&folder).enumerate() {
        if bodies == bodies_to_try() {
            break;
        }
        lines.push(json!({"file": number, "text": parsed.source().text()}).to_string());
        let tree = tree(&parsed);
        let all = bodies_in(&tree);
        let step = all.len().div_ceil(BODIES_OF_A_FILE).max(1);
        for body in all.iter().step_by(step).take(bodies_to_try() - bodies) {
            bodies += 1;
            let trials = trials(parsed.source().text(), body).into_iter();
            outcomes.extend(trials.filter_map(|trial| tried(&parsed, number, trial)));
        }
    }
    assert_eq!(
        bodies,
        bodies_to_try(),
        "the standard library has too few bodies"
    );
    lines.extend(outcomes.iter().map(|outcome| outcome.line.clone()));
    let verdicts = judged(&lines);
    assert_eq!(verdicts.len(), outcomes.len(), "each edit is judged");

    let mut figures: BTreeMap<(&str, &str, bool), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (outcome, verdict) in outcomes.iter().zip(&verdicts) {
        let figure = (outcome.name, verdict.as_str(), outcome.refused);
        *figures.entry(figure).or_default() += 1;
        let is_sound = verdict == "same";
        if (is_sound && outcome.refused && outcome.harmless) || (!is_sound && !outcome.refused) {
            wrong.push(format!("{verdict}: {}", outcome.what));
        }
    }
    for ((name, verdict, refused), count) in &figures {
        let answer = if *refused { "refused" } else { "passed" };
        println!("{name:<40} {verdict:<6} {answer:<7} {count:>4}");
    }
    let left = verdicts.iter().filter(|verdict| *verdict != "same").count();
    assert!(
        left > 5 * bodies_to_try(),
        "only {left} edits moved statements"
    );
    let shown: Vec<String> = wrong.iter().take(6).cloned().collect();
    assert!(
        wrong.is_empty(),
        "{} of {} went wrong:\n{}",
        wrong.len(),
        outcomes.len(),
        shown.join("\n")
    );
}

/// Returns the folder of Python's standard library, or `None` without Python.
fn standard_library() -> Option<PathBuf> {
    let ask = "import sysconfig; print(sysconfig.get_path('stdlib'))";
    let answer = Command::new("python3").args(["-c", ask]).output().ok()?;
    let path = String::from_utf8(answer.stdout).ok()?;
    answer.status.success().then(|| PathBuf::from(path.trim()))
}

fn real_files(folder: &PathBuf) -> impl Iterator<Item = Parsed> {
    let entries = fs::read_dir(folder).expect("the standard library can be read");
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    paths.sort();
    let texts = paths.into_iter().filter_map(|path| {
        let text = fs::read_to_string(&path).ok()?;
        let name = path.file_name()?.to_string_lossy().into_owned();
        let fits = name.ends_with(".py") && text.len() <= LONGEST_FILE && !text.contains('\r');
        fits.then_some((name, text))
    });
    texts.map(|(name, text)| {
        Parsed::parse(Source::new(&name, language::for_file(&name, &text), text))
    })
}

/// Returns the bodies of classes and functions that start on their own line and have more than one
/// statement.
fn bodies_in(tree: &tree_sitter::Tree) -> Vec<Body<'_>> {
    let mut bodies = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let definition = cursor.node();
        let is_one = matches!(
            definition.kind(),
            "class_definition" | "function_definition"
        );
        let block = definition.child_by_field_name("body").filter(|_| is_one);
        bodies.extend(
            block
                .map(|block| Body { definition, block })
                .filter(|body| {
                    let header = body.definition.start_position().row;
                    body.block.named_child_count() > 1 && body.block.start_position().row > header
                }),
        );
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return bodies;
            }
        }
    }
}

fn trials(text: &str, body: &Body<'_>) -> Vec<Trial> {
    let Body { definition, block } = body;
    let depth = block.start_position().column;
    let step = depth - definition.start_position().column.min(depth);
    let mut cursor = block.walk();
    let members: Vec<tree_sitter::Node<'_>> = block
        .named_children(&mut cursor)
        .filter(|member| member.kind() != "comment")
        .collect();
    let (Some(first), Some(last)) = (members.first(), members.last()) else {
        return Vec::new();
    };
    let first_row = block.start_position().row;
    let row_of = |member: &tree_sitter::Node<'_>| member.start_position().row - first_row;
    let lines: Vec<&str> = text[block.byte_range()].split('\n').collect();
    let (last_row, middle) = (row_of(last), row_of(&members[members.len() / 2]));
    let out = |line: &str, by: usize| {
        let lead = line.len() - line.trim_start_matches(' ').len();
        line[lead.min(by)..].to_string()
    };
    let shifted = |from: usize, shift: &dyn Fn(&str) -> String| {
        let shifted = lines.iter().enumerate().map(|(row, line)| {
            match row >= from.max(1) && !line.trim().is_empty() {
                true => shift(line),
                false => line.to_string(),
            }
        });
        shifted.collect::<Vec<_>>().join("\n")
    };
    let one_line = |which: usize, shift: &dyn Fn(&str) -> String| {
        let mut lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        lines[which] = shift(&lines[which]);
        lines.join("\n")
    };
    let replaced = |name, content| Trial {
        name,
        node: Span::from(block.byte_range()),
        node_type: "block",
        operation: replacing(content),
        whole: true,
        harmless: true,
    };
    let mut trials = vec![
        replaced(
            "all lines but the first one level out",
            shifted(1, &|line| out(line, step)),
        ),
        replaced(
            "all lines but the first at column 0",
            shifted(1, &|line| out(line, depth)),
        ),
        replaced(
            "all lines but the first indented more",
            shifted(1, &|line| format!("  {line}")),
        ),
        replaced(
            "the last statement one level out",
            shifted(last_row, &|line| out(line, step)),
        ),
        replaced(
            "the last statement at column 0",
            shifted(last_row, &|line| out(line, depth)),
        ),
        replaced(
            "the second half one level out",
            shifted(middle, &|line| out(line, step)),
        ),
        replaced(
            "the second half at column 0",
            shifted(middle, &|line| out(line, depth)),
        ),
        replaced(
            "a line in the middle indented more",
            one_line(lines.len() / 2, &|line| format!("   {line}")),
        ),
        replaced(
            "the last line one space less",
            one_line(lines.len() - 1, &|line| out(line, 1)),
        ),
    ];
    let header = &text[definition.start_byte()..block.start_byte()];
    let with_body = |name, depth: usize, harmless| {
        let body: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(row, line)| match (row, line.trim().is_empty()) {
                (_, true) => line.to_string(),
                (0, _) => " ".repeat(depth) + line,
                _ => " ".repeat(depth) + &out(line, block.start_position().column),
            })
            .collect();
        Trial {
            name,
            node: Span::from(definition.byte_range()),
            node_type: if definition.kind() == "class_definition" {
                "class_definition"
            } else {
                "function_definition"
            },
            operation: replacing(header.trim_end_matches(' ').to_string() + &body.join("\n")),
            whole: true,
            harmless,
        }
    };
    trials.extend([
        with_body("a whole body deeper", depth + step, true),
        with_body("a whole body a blank less", depth - 1, true),
        with_body("a whole body as deep as its header", depth - step, true),
        with_body("a whole body at column 0", 0, true),
    ]);
    let tail = text[definition.byte_range()].to_string() + "\n\ndef helper_():\n    return 1";
    trials.push(Trial {
        operation: replacing(tail),
        whole: false,
        harmless: false,
        ..with_body("a function at column 0 after it", depth, false)
    });
    let inserted = |name, indent, content: &str| Trial {
        name,
        node: Span::from(first.byte_range()),
        node_type: "statement",
        operation: Operation::Insert {
            position: InsertPosition::After,
            new_content: content.to_string(),
            indent,
            blank_lines: Default::default(),
        },
        whole: false,
        harmless: indent == Indent::Auto,
    };
    let outer = " ".repeat(depth - step);
    trials.extend([
        inserted("an insertion at column 0", Indent::Verbatim, "extra_ = 1"),
        inserted(
            "a block inserted at column 0",
            Indent::Verbatim,
            "if extra_:\n    pass",
        ),
        inserted(
            "an insertion one level out",
            Indent::Verbatim,
            &format!("{outer}extra_ = 1"),
        ),
        inserted(
            "a block inserted one level out",
            Indent::Verbatim,
            &format!("{outer}if extra_:\n{outer}    pass"),
        ),
        inserted("a correct insertion", Indent::Auto, "if extra_:\n    pass"),
    ]);
    trials
}

fn replacing(new_content: String) -> Operation {
    Operation::Replace {
        new_content,
        indent: Indent::Verbatim,
        include_attached: false,
    }
}

/// Tries an edit; returns `None` if it leaves the text unchanged.
fn tried(parsed: &Parsed, file: usize, trial: Trial) -> Option<Outcome> {
    let text = parsed.source().text();
    let selection = select_at(parsed, trial.node, trial.node_type)?;
    let edited = edit::edit(selection, &trial.operation).ok()?;
    let replacements = edited.text_edit().replacements();
    let start = replacements.iter().map(|one| one.span.start()).min()?;
    let end = replacements.iter().map(|one| one.span.end()).max()?;
    let after = edited.after().source().text().to_string();
    let new = &after[start..after.len() - (text.len() - end)];
    let line = json!({"file": file, "start": start, "end": end, "new": new, "whole": trial.whole});
    let checked = validate(edited, &[Check::SuspiciousContent]);
    let failure = checked
        .as_ref()
        .err()
        .map(|rejected| format!("{:?}", rejected.failure()));
    let diff = similar::TextDiff::from_lines(text, after.as_str());
    let what = format!(
        "{} line {}: {}: {failure:?}\n{}",
        parsed.source().path(),
        parsed.source().line_of(trial.node.start()),
        trial.name,
        diff.unified_diff().context_radius(3)
    );
    Some(Outcome {
        what,
        name: trial.name,
        refused: failure.is_some(),
        harmless: trial.harmless,
        line: line.to_string(),
    })
}

/// Returns Python's verdict on each edit.
fn judged(lines: &[String]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary directory can be created");
    let path = folder.path().join("edits.jsonl");
    fs::write(&path, lines.join("\n")).expect("the edits can be written");
    let mut python = Command::new("python3");
    let answer = python.arg("-c").arg(JUDGE).arg(&path).output();
    let answer = answer.expect("python3 starts");
    assert!(
        answer.status.success(),
        "the judge failed: {}",
        String::from_utf8_lossy(&answer.stderr)
    );
    let verdicts = String::from_utf8(answer.stdout).expect("verdicts are words");
    verdicts.lines().map(str::to_string).collect()
}
