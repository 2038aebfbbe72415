//! The compared tools, and how each is called for an edit.
//!
//! Each edit uses the call that the tool's documentation recommends. If there are several, the
//! bench uses the shortest one that produces the expected bytes.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::edits::{Case, Kind};
use crate::processes::{Call, EDIT_ID};

/// How a tool is called.
pub(crate) enum Way {
    /// A program that is started for each edit with these arguments.
    Program(fn(&Case) -> Option<Vec<String>>),
    /// A server: the arguments that start it, the calls that make an edit, and a call that reads
    /// the file.
    Server(
        &'static [&'static str],
        fn(&Case) -> Option<Vec<Call>>,
        fn(&Case) -> Call,
    ),
    /// Exact replacement, a program of this bench.
    Replacement,
}

pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) way: Way,
}

/// Returns all tools, treegraft first.
pub(crate) fn tools([semantic, patchloom, ast_grep]: [PathBuf; 3]) -> Vec<Tool> {
    let own = || PathBuf::from(env!("CARGO_BIN_EXE_treegraft"));
    let this = std::env::current_exe().expect("this program");
    let tool = |name, path, way| Tool { name, path, way };
    vec![
        tool("treegraft, command", own(), Way::Program(treegraft_words)),
        tool(
            "treegraft, server",
            own(),
            Way::Server(&["serve"], treegraft_calls, treegraft_reads),
        ),
        tool(
            "treegraft, server, at once",
            own(),
            Way::Server(&["serve"], treegraft_at_once, treegraft_reads),
        ),
        tool(
            "semantic-edit-mcp, server",
            semantic,
            Way::Server(&["serve"], semantic_calls, semantic_reads),
        ),
        tool(
            "patchloom, command",
            patchloom.clone(),
            Way::Program(patchloom_words),
        ),
        tool(
            "patchloom, server",
            patchloom,
            Way::Server(&["mcp-server"], patchloom_calls, patchloom_reads),
        ),
        tool("ast-grep, command", ast_grep, Way::Program(ast_grep_words)),
        tool("string replacement", this, Way::Replacement),
    ]
}

/// Returns the text attached to the function, which belongs to it when it is selected by name:
/// docs, attributes, `export`.
fn attached(case: &Case) -> &'static str {
    match case.place.language {
        "rust" => "/// Adds up what is large enough.\n#[inline]\n",
        "python" => "@cached\n",
        "typescript" => "/** Adds up what is large enough. */\nexport ",
        _ => "",
    }
}

fn with_attached(case: &Case) -> String {
    format!("{}{}", attached(case), case.place.new_node)
}

fn words(words: &[&str]) -> Option<Vec<String>> {
    Some(words.iter().map(|word| word.to_string()).collect())
}

/// Returns the target of an edit for treegraft: a text in it, and the type of the enclosing node.
fn node(case: &Case) -> (&'static str, &'static str) {
    match (case.place.language, case.kind) {
        ("rust", _) => ("fn target_of_the_bench", "function"),
        ("python", _) => ("def target_of_the_bench", "function"),
        ("typescript", _) => ("function target_of_the_bench", "function"),
        ("json", Kind::Insert) => ("\"greatest_of_the_bench\"", "property"),
        ("json", _) => ("\"colours_of_the_bench\"", "property"),
        (_, Kind::Replace) => ("The values are *added up*", "paragraph"),
        _ => ("## Target of the bench", "section"),
    }
}

fn treegraft_words(case: &Case) -> Option<Vec<String>> {
    let (anchor, kind) = node(case);
    let path = case.place.path();
    let selector = ["--anchor", anchor, "--ancestor", kind, "--apply"];
    let [new_node, new_item] = [case.place.new_node, case.place.new_item];
    let change = case.place.change(case.kind);
    match case.kind {
        Kind::Replace => {
            words(&[&["replace", path, "--content", new_node], &selector[..]].concat())
        }
        Kind::Insert => words(
            &[
                &["insert", path, "--position", "after", "--content", new_item],
                &selector[..],
            ]
            .concat(),
        ),
        Kind::Delete => words(&[&["delete", path], &selector[..]].concat()),
        Kind::Value => words(&["text", change.old, change.new, path, "--apply"]),
    }
}

fn treegraft_call(case: &Case) -> Call {
    let (anchor, kind) = node(case);
    let (path, selector) = (case.place.path(), format!("{kind}@{anchor}"));
    let change = case.place.change(case.kind);
    match case.kind {
        Kind::Replace => (
            "replace_node",
            json!({"file_path": path, "selector": selector, "new_content": case.place.new_node}),
        ),
        Kind::Insert => (
            "insert_node",
            json!({
                "file_path": path,
                "selector": selector,
                "position": "after",
                "new_content": case.place.new_item,
            }),
        ),
        Kind::Delete => (
            "delete_node",
            json!({"file_path": path, "selector": selector}),
        ),
        Kind::Value => (
            "replace_text",
            json!({"file_path": path, "find": change.old, "new_content": change.new}),
        ),
    }
}

fn treegraft_calls(case: &Case) -> Option<Vec<Call>> {
    let apply = ("apply_edit", json!({"edit_id": EDIT_ID}));
    Some(vec![treegraft_call(case), apply])
}

fn treegraft_at_once(case: &Case) -> Option<Vec<Call>> {
    let (name, mut arguments) = treegraft_call(case);
    arguments["apply"] = json!(true);
    Some(vec![(name, arguments)])
}

fn treegraft_reads(case: &Case) -> Call {
    let (anchor, kind) = node(case);
    let selector = format!("{kind}@{anchor}");
    (
        "read_node",
        json!({"file_path": case.place.path(), "selector": selector}),
    )
}

/// Functions are selected by name, with attached text. Exported functions, data and prose are
/// selected by text: an item does not include `export`, and data and prose have no item names.
fn semantic_calls(case: &Case) -> Option<Vec<Call>> {
    let place = case.place;
    let item = json!({"kind": "function", "name": "target_of_the_bench"});
    let is_named = matches!(place.language, "rust" | "python");
    let change = place.change(case.kind);
    let arguments = match case.kind {
        Kind::Replace if is_named => json!({
            "operation": "replace", "item": item, "content": with_attached(case),
        }),
        Kind::Insert if is_named || place.language == "typescript" => {
            let blank = if place.language == "python" {
                "\n\n\n"
            } else {
                "\n\n"
            };
            json!({
                "operation": "insert_after", "item": item, "content": format!("{blank}{}", place.new_item),
            })
        }
        Kind::Insert if place.language == "json" => json!({
            "operation": "insert_after",
            "anchor": "\"greatest_of_the_bench\": 8765432",
            "content": format!(",\n        {}", place.new_item),
        }),
        Kind::Insert => json!({
            "operation": "insert_before",
            "anchor": "## After the bench",
            "content": format!("{}\n\n", place.new_item),
        }),
        Kind::Delete if is_named => json!({"operation": "replace", "item": item}),
        Kind::Delete => json!({"operation": "replace", "anchor": change.old.trim_start()}),
        Kind::Replace | Kind::Value => {
            json!({"operation": "replace", "anchor": change.old, "content": change.new})
        }
    };
    Some(vec![(
        "edit",
        with_path(arguments, "file_path", place.path()),
    )])
}

fn with_path(mut arguments: Value, name: &str, path: &str) -> Value {
    arguments[name] = json!(path);
    arguments
}

fn semantic_reads(case: &Case) -> Call {
    let anchor = case.place.change(Kind::Value).old;
    (
        "find_anchor",
        json!({"file_path": case.place.path(), "anchor": anchor}),
    )
}

/// Returns patchloom's selector of a place in data.
fn selector(case: &Case, key: &str) -> String {
    format!("parts[{}].target_of_the_bench.{key}", case.index())
}

/// Returns the content for patchloom, with attached text and the blank lines that patchloom does
/// not add.
fn patchloom_content(case: &Case) -> String {
    let place = case.place;
    match (place.language, case.kind) {
        ("markdown", Kind::Replace) => format!("\n{}\n", place.new_node),
        ("markdown", _) => format!("{}\n\n", place.new_item),
        (_, Kind::Replace) => with_attached(case),
        ("python", _) => format!("\n{}", place.new_item),
        _ => place.new_item.to_string(),
    }
}

/// Returns the value of a pair.
fn value_of(pair: &str) -> &str {
    pair.split_once(": ").map_or(pair, |(_, value)| value)
}

fn patchloom_words(case: &Case) -> Option<Vec<String>> {
    let place = case.place;
    let path = place.path();
    let change = place.change(case.kind);
    let target = "target_of_the_bench";
    let content = patchloom_content(case);
    match (place.language, case.kind) {
        ("json", Kind::Delete) => words(&[
            "doc",
            "delete",
            path,
            &selector(case, "colours_of_the_bench"),
            "--apply",
        ]),
        ("json", kind) => {
            let (key, value) = match kind {
                Kind::Replace => ("colours_of_the_bench", value_of(place.new_node)),
                Kind::Insert => ("mean_of_the_bench", value_of(place.new_item)),
                _ => ("least", change.new),
            };
            words(&["doc", "set", path, &selector(case, key), value, "--apply"])
        }
        ("markdown", Kind::Replace) => words(&[
            "md",
            "replace-section",
            path,
            "--heading",
            "## Target of the bench",
            "--content",
            &content,
            "--apply",
        ]),
        ("markdown", Kind::Insert) => words(&[
            "md",
            "insert-after-section",
            path,
            "--heading",
            "## Target of the bench",
            "--content",
            &content,
            "--apply",
        ]),
        ("markdown", _) => words(&["replace", change.old, "--new", change.new, path, "--apply"]),
        (_, Kind::Replace) => words(&[
            "ast",
            "replace-symbol",
            path,
            "--symbol",
            target,
            "--content",
            &content,
            "--apply",
        ]),
        (_, Kind::Insert) => words(&[
            "ast",
            "insert",
            path,
            "--content",
            &content,
            "--after",
            target,
            "--apply",
        ]),
        (_, Kind::Delete) => words(&["ast", "delete-symbol", path, "--symbol", target, "--apply"]),
        (_, Kind::Value) => words(&[
            "ast", "replace", path, target, "--old", change.old, "--new", change.new, "--apply",
        ]),
    }
}

fn patchloom_calls(case: &Case) -> Option<Vec<Call>> {
    let place = case.place;
    let change = place.change(case.kind);
    let target = "target_of_the_bench";
    let content = patchloom_content(case);
    let heading = "## Target of the bench";
    let data = |text: &str| -> Value { serde_json::from_str(text).expect("a value") };
    let (name, arguments) = match (place.language, case.kind) {
        ("json", Kind::Delete) => (
            "doc_delete",
            json!({"selector": selector(case, "colours_of_the_bench")}),
        ),
        ("json", kind) => {
            let (key, value) = match kind {
                Kind::Replace => ("colours_of_the_bench", value_of(place.new_node)),
                Kind::Insert => ("mean_of_the_bench", value_of(place.new_item)),
                _ => ("least", change.new),
            };
            (
                "doc_set",
                json!({"selector": selector(case, key), "value": data(value)}),
            )
        }
        ("markdown", Kind::Replace) => (
            "md_replace_section",
            json!({"heading": heading, "content": content}),
        ),
        ("markdown", Kind::Insert) => (
            "md_insert_after_section",
            json!({"heading": heading, "content": content}),
        ),
        ("markdown", _) => (
            "replace_text",
            json!({"old": change.old, "new": change.new}),
        ),
        (_, Kind::Replace) => (
            "ast_replace_symbol",
            json!({"symbol": target, "content": content}),
        ),
        (_, Kind::Insert) => ("ast_insert", json!({"content": content, "after": target})),
        (_, Kind::Delete) => ("ast_delete_symbol", json!({"symbol": target})),
        (_, Kind::Value) => (
            "ast_replace",
            json!({"symbol": target, "old": change.old, "new": change.new}),
        ),
    };
    Some(vec![(name, with_path(arguments, "path", place.path()))])
}

fn patchloom_reads(case: &Case) -> Call {
    (
        "read_file",
        json!({"path": case.place.path(), "lines": "1:5"}),
    )
}

/// Returns a rule and its fix as one line of YAML. ast-grep has no Markdown grammar.
fn ast_grep_words(case: &Case) -> Option<Vec<String>> {
    let place = case.place;
    let language = place.language;
    if language == "markdown" {
        return None;
    }
    let change = place.change(case.kind);
    if case.kind == Kind::Value {
        return words(&[
            "run",
            "-p",
            change.old,
            "-r",
            change.new,
            "-U",
            place.path(),
        ]);
    }
    let named = json!({"field": "name", "regex": "^target_of_the_bench$"});
    let function = match language {
        "rust" => json!({"kind": "function_item", "has": named}),
        "python" => json!({"kind": "function_definition", "has": named}),
        "typescript" => json!({"kind": "function_declaration", "has": named}),
        _ if case.kind == Kind::Insert => {
            json!({"kind": "pair", "regex": "^\"greatest_of_the_bench\""})
        }
        _ => json!({"kind": "pair", "regex": "^\"colours_of_the_bench\""}),
    };
    // The enclosing node: a decorated definition, an export.
    let outer = match language {
        "python" => json!({"kind": "decorated_definition", "has": function}),
        "typescript" => json!({"kind": "export_statement", "has": function}),
        _ => function.clone(),
    };
    let (rule, fix) = match case.kind {
        Kind::Replace => (function, json!(place.new_node)),
        Kind::Insert => {
            let between = match language {
                "python" => "\n\n\n",
                "json" => ",\n",
                _ => "\n\n",
            };
            let mut rule = outer;
            rule["pattern"] = json!("$A");
            (rule, json!(format!("$A{between}{}", place.new_item)))
        }
        _ => {
            let mut fix = json!({"template": ""});
            match language {
                // The comment above the attribute.
                "rust" => {
                    let stop = json!({"kind": "function_item"});
                    fix["expandStart"] = json!({"kind": "line_comment", "stopBy": stop});
                }
                "typescript" => fix["expandStart"] = json!({"kind": "comment"}),
                "json" => fix["expandEnd"] = json!({"regex": ","}),
                _ => {}
            }
            (outer, fix)
        }
    };
    let rule = json!({"id": "a", "language": language, "rule": rule, "fix": fix});
    words(&[
        "scan",
        "--inline-rules",
        &rule.to_string(),
        "-U",
        place.path(),
    ])
}
