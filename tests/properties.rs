//! Properties: edits compared with a plain `String`, ancestor chains with tree-sitter's own answer,
//! diffs with a plain model of `patch`; any selector gets an answer.

#![expect(
    clippy::disallowed_methods,
    reason = "the project's own sources are the real files"
)]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use treegraft::edit::{self, EditError, Indent, Operation};
use treegraft::language;
use treegraft::locate::{LineScope, Scope, SymbolScope};
use treegraft::parse::Parsed;
use treegraft::preview::preview;
use treegraft::select::{Anchor, Selection, Selector, select};
use treegraft::source::{Source, Span};
use treegraft::validate::{Check, Failure, validate};

use crate::support::{Bench, patched};

const EVERYTHING: [Check; 3] = [
    Check::SyntaxErrors,
    Check::Surroundings,
    Check::SuspiciousContent,
];

/// The project's own sources, parsed.
pub(crate) fn real_files() -> Vec<Parsed> {
    let mut open = vec![crate::support::repository().join("src")];
    let mut paths = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("the sources can be read") {
            let path = entry.expect("the sources can be read").path();
            match path.is_dir() {
                true => open.push(path),
                false => paths.push(path),
            }
        }
    }
    paths.sort();
    paths
        .iter()
        .map(|path| parsed(&path.to_string_lossy(), &text_of(path)))
        .collect()
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).expect("the sources are UTF-8")
}

fn parsed(path: &str, text: &str) -> Parsed {
    Parsed::parse(Source::new(
        path,
        language::for_file(path, text),
        text.to_string(),
    ))
}

fn small_files() -> Vec<Parsed> {
    vec![
        parsed(
            "a.rs",
            "/// Doc.\n#[inline]\nfn a(x: u8) -> u8 {\n    let s = \"é😀\\n\";\n    match x {\n        1 => b(1, 2),\n        _ => { c() }\n    }\n}\n\nimpl A {\n\tfn new() -> Self { A }\n}\n",
        ),
        parsed(
            "b.rs",
            "\u{feff}fn broken( {\r\n    let x = = 1;\r\n}\r\nfn good() { one(); two(); }",
        ),
        parsed(
            "c.json",
            "{\"a\": [1, 2, {\"b\": null}],\n \"a\": \"é\",\n \"c\": {}}\n",
        ),
        parsed("d.json", "[1, 2,, 3"),
        parsed("e.txt", "no grammar reads this\n"),
        parsed("f.rs", ""),
    ]
}

fn replacing(
    selection: Selection<'_>,
    content: &str,
    indent: Indent,
) -> Result<Replaced, EditError> {
    let operation = Operation::Replace {
        new_content: content.to_string(),
        indent,
        include_attached: false,
    };
    let edited = edit::edit(selection, &operation)?;
    let checked = validate(edited, &EVERYTHING).expect("every check may fail");
    let text_edit = checked.text_edit().clone();
    let (preview, _) = preview(checked);
    Ok(Replaced {
        after: preview.after().text().to_string(),
        diff: preview.record().diff().to_string(),
        hull: text_edit.hull(),
        new_hull: text_edit.new_hull(),
        span: preview.record().targets()[0].span(),
    })
}

struct Replaced {
    after: String,
    diff: String,
    hull: Span,
    new_hull: Span,
    span: Span,
}

fn any_scope() -> impl Strategy<Value = Option<Scope>> {
    let names = prop::collection::vec("[a-zA-Z_.]{0,6}|new|a|A", 0..3);
    prop_oneof![
        8 => Just(None),
        1 => names.prop_map(|symbol_path| Some(Scope::Symbol(SymbolScope { symbol_path }))),
        1 => (1..40usize, 0..40usize).prop_map(|(first, more)| {
            LineScope::range(first, first + more).ok().map(Scope::Lines)
        }),
    ]
}

fn any_type() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{0,12}",
        prop::sample::select(vec![
            "function_item",
            "block",
            "identifier",
            "match_arm",
            "pair",
            "object",
            "array",
            "string",
            "function",
            "argument",
            "expression",
            "item",
            "ERROR",
            "source_file",
            "document",
            "_expression",
        ])
        .prop_map(str::to_string),
    ]
}

/// The parts of a selector and an operation.
#[derive(Clone, Debug)]
struct Asked {
    file: Index,
    from: Index,
    length: usize,
    /// Used instead of text of the file.
    invented: Option<String>,
    is_find: bool,
    types: Vec<String>,
    /// Picks a type that exists, instead of any type.
    above: Option<Index>,
    scope: Option<Scope>,
    nth: Option<usize>,
    outward: usize,
    sibling: isize,
    content: String,
    verbatim: bool,
}

fn anything_asked() -> impl Strategy<Value = Asked> {
    let anchor = (
        any::<Index>(),
        any::<Index>(),
        0..30usize,
        prop::option::weighted(0.1, "\\PC{0,10}"),
    );
    let types = (
        prop::collection::vec(any_type(), 0..3),
        prop::option::weighted(0.8, any::<Index>()),
    );
    let which = (
        prop_oneof![3 => Just(Some(1)), 1 => prop::option::of(0..3usize)],
        prop_oneof![4 => Just(0), 1 => 0..3usize],
        prop_oneof![4 => Just(0), 1 => -2..3isize],
    );
    let content = prop_oneof![
        "[\\PC\n\t]{0,40}",
        "x|1|a\\(\\)|\\{\n  b;\n\\}|\"k\": 1,?|fn z\\(\\) \\{\\}"
    ];
    (
        anchor,
        any::<bool>(),
        types,
        any_scope(),
        which,
        content,
        any::<bool>(),
    )
        .prop_map(
            |(
                (file, from, length, invented),
                is_find,
                (types, above),
                scope,
                which,
                content,
                verbatim,
            )| Asked {
                file,
                from,
                length,
                invented,
                is_find,
                types,
                above,
                scope,
                nth: which.0,
                outward: which.1,
                sibling: which.2,
                content,
                verbatim,
            },
        )
}

#[test]
fn any_selector_and_content_gets_an_answer() {
    let files = small_files();
    let edited = std::cell::Cell::new(0);
    let config = ProptestConfig {
        cases: 4_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let outcome = proptest::test_runner::TestRunner::new(config).run(&anything_asked(), |asked| {
        let parsed = asked.file.get(&files);
        let text = parsed.source().text();
        let starts: Vec<usize> = text
            .char_indices()
            .map(|(start, _)| start)
            .chain([text.len()])
            .collect();
        let start = *asked.from.get(&starts);
        let part: String = text[start..].chars().take(asked.length).collect();
        let chain = parsed.chain(Span::new(start, start + part.len()));
        let types = match asked.above.filter(|_| !chain.is_empty()) {
            Some(above) => vec![above.get(&chain).kind().to_string()],
            None => asked.types,
        };
        let anchor = asked.invented.unwrap_or(part);
        let selector = Selector {
            anchor: if asked.is_find {
                Anchor::Find(anchor)
            } else {
                Anchor::Text(anchor)
            },
            ancestor_node_type: types,
            scope: asked.scope,
            nth: asked.nth,
            outward: asked.outward,
            sibling: asked.sibling,
        };
        let Ok(selection) = select(parsed, &selector) else {
            return Ok(());
        };
        let indent = if asked.verbatim {
            Indent::Verbatim
        } else {
            Indent::Auto
        };
        if let Ok(replaced) = replacing(selection, &asked.content, indent) {
            edited.set(edited.get() + 1);
            prop_assert_eq!(
                &text[..replaced.hull.start()],
                &replaced.after[..replaced.new_hull.start()]
            );
            prop_assert_eq!(
                &text[replaced.hull.end()..],
                &replaced.after[replaced.new_hull.end()..]
            );
            prop_assert_eq!(patched(text, &replaced.diff), replaced.after);
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    assert!(
        edited.get() > 200,
        "only {} of 4000 made an edit",
        edited.get()
    );
}

/// Returns arguments with the right names and any values, also nested in strings.
fn any_json() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "file_path",
        "selector",
        "anchor_text",
        "find",
        "ancestor_node_type",
        "scope",
        "symbol_path",
        "line",
        "nth",
        "outward",
        "sibling",
        "new_content",
        "locate",
        "range",
        "indent",
        "allow",
        "edit_id",
        "start_line",
        "end_line",
        "type",
        "position",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z@:.<>|0-9\"{}\\[\\], -]{0,12}|a\\.rs|fn a|function_item|fn b\\(\\) \\{\\}"
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 8, move |inner| {
        let object = prop::collection::vec((names.clone(), inner.clone()), 0..8)
            .prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_string(), value))
            })
            .prop_map(|fields| Value::Object(fields.collect()));
        prop_oneof![
            4 => object.clone(),
            1 => object.prop_map(|object| Value::from(object.to_string())),
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::Array),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn chains_of_many_spans_equal_those_of_each(
        file in any::<Index>(),
        places in prop::collection::vec((any::<Index>(), 0..20usize), 1..30),
    ) {
        let files = small_files();
        let parsed = file.get(&files);
        let root = parsed.root();
        // Plain text has no grammar to compare with.
        let grammar = parsed.source().language().grammar();
        let Some(language) = grammar.filter(|_| parsed.read_as_text().is_none()) else {
            return Ok(());
        };
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(language).expect("the grammar is compatible");
        let tree = parser.parse(parsed.source().text(), None).expect("the text can be parsed");
        for (from, length) in places {
            let end = parsed.source().len();
            let start = from.index(end + 1);
            let span = Span::new(start, (start + length).min(end));
            if span.is_empty() || !root.span().contains(span) {
                continue;
            }
            let own = parsed.chain(span);
            let model = tree.root_node().named_descendant_for_byte_range(span.start(), span.end());
            let smallest = own.last().expect("a span inside the root is covered");
            let model = model.expect("a span inside the root is covered");
            prop_assert_eq!(smallest.span().range(), model.byte_range());
        }
    }

    #[test]
    fn any_arguments_are_parsed_or_refused(arguments in any_json(), tool in 0..16usize) {
        let tools = [
            "outline", "find_nodes", "locate", "read_node", "replace_node", "replace_text", "insert_node", "delete_node", "wrap_node",
            "move_node", "edit_nodes", "apply_edit", "undo_edit", "discard_edit", "amend_edit", "list_edits",
        ];
        let bench = Bench::with("a.rs", "fn a() {}\n");
        if let Err(refusal) = bench.call(tools[tool], arguments) {
            prop_assert!(refusal.text().starts_with("refused: "));
        }
        prop_assert_eq!(bench.read("a.rs"), b"fn a() {}\n");
    }

    /// The model: a list whose members are kept, replaced or deleted, with new members inserted
    /// before and after them in the order of the request.
    #[test]
    fn several_edits_of_a_list_match_the_model(
        members in proptest::collection::vec((0..3usize, 0..3usize, 0..3usize), 1..6), style in 0..3usize, turn in any::<Index>(),
    ) {
        let (open, between, close) = [("[", ", ", "]"), ("[\n  ", ",\n  ", "\n]"), ("[ ", " , ", " ]")][style];
        let numbers: Vec<String> = (1..=members.len()).map(|number| (number * 100).to_string()).collect();
        let bench = Bench::with("a.json", format!("{open}{}{close}\n", numbers.join(between)));
        let mut edits = Vec::new();
        let mut model: Vec<Value> = Vec::new();
        for (number, (change, before, after)) in numbers.iter().zip(&members) {
            let number: usize = number.parse().expect("it is a number");
            let mut edit = |op: &str, position: Option<&str>, content: Option<usize>| {
                let content = content.map(|content| content.to_string());
                edits.push(json!({
                    "op": op, "file_path": "a.json", "position": position, "new_content": content,
                    "selector": {"anchor_text": number.to_string(), "ancestor_node_type": "number"},
                }));
            };
            for addition in 1..=*before {
                edit("insert", Some("before"), Some(number + addition));
                model.push(json!(number + addition));
            }
            match change {
                0 => model.push(json!(number)),
                1 => {
                    edit("replace", None, Some(number + 10));
                    model.push(json!(number + 10));
                }
                _ => edit("delete", None, None),
            }
            for addition in 1..=*after {
                edit("insert", Some("after"), Some(number + 20 + addition));
                model.push(json!(number + 20 + addition));
            }
        }
        prop_assume!(!edits.is_empty());
        // Edits at one point keep their order; the others may be in any order.
        let middle = turn.index(edits.len());
        let is_one_point = |one: &Value, other: &Value| one["selector"] == other["selector"];
        if middle == 0 || !is_one_point(&edits[middle - 1], &edits[middle]) {
            edits.rotate_left(middle);
        }
        let made = bench.call("edit_nodes", json!({"edits": edits, "apply": true}));
        prop_assert!(made.is_ok(), "{}", made.expect_err("it is refused").text());
        let now: Value = serde_json::from_slice(&bench.read("a.json")).expect("it is JSON");
        prop_assert_eq!(now, Value::Array(model));
        let edit_id = made.expect("it is made").json["edit_id"].clone();
        bench.call("undo_edit", json!({"edit_id": edit_id})).expect("nothing changed since");
        let before = format!("{open}{}{close}\n", numbers.join(between));
        prop_assert_eq!(String::from_utf8(bench.read("a.json")).expect("it is text"), before);
    }

    /// The model: the change is before or after the statement, which moves accordingly; otherwise
    /// the edit is stale, or shown again where the statement is there once.
    #[test]
    fn a_changed_file_is_rebased_correctly_or_refused(
        at in any::<Index>(), len in 0..6usize, insert in "[a-z \n;(){}]{0,5}|one\\(\\);|    one\\(\\);\n",
    ) {
        let before = "fn a() {\n    one();\n}\n";
        let bench = Bench::with("a.rs", before);
        let arguments = json!({
            "file_path": "a.rs",
            "selector": {"anchor_text": "one()", "ancestor_node_type": "expression_statement"},
            "new_content": "two();",
        });
        let staged = bench.call("replace_node", arguments).expect("the statement can be replaced");
        let start = at.index(before.len() + 1);
        let end = (start + len).min(before.len());
        let mut changed = before.to_string();
        changed.replace_range(start..end, &insert);
        bench.write("a.rs", &changed);
        let target = before.find("one();").expect("it exists");
        // The possible new positions of the statement: everything up to its end is unchanged, or
        // everything from its start.
        let target_end = target + "one();".len();
        let unmoved = changed.starts_with(&before[..target_end]).then_some(target);
        let moved = changed
            .ends_with(&before[target..])
            .then(|| changed.len() - (before.len() - target));
        let models: Vec<String> = [unmoved, moved]
            .into_iter()
            .flatten()
            .map(|at| {
                let mut model = changed.clone();
                model.replace_range(at..at + "one();".len(), "two();");
                model
            })
            .collect();
        let edit_id = staged.json["edit_id"].clone();
        match bench.call("apply_edit", json!({"edit_id": edit_id})) {
            Ok(shown) if shown.json["status"] == "rebase_proposed" => {
                prop_assert_eq!(bench.read("a.rs"), changed.as_bytes());
                let applied = bench.call("apply_edit", json!({"edit_id": edit_id}));
                prop_assert_eq!(&applied.expect("it is shown").json["status"], "applied");
                let now = String::from_utf8(bench.read("a.rs")).expect("it is text");
                let is_only = changed.matches("one();").count() == 1;
                let of_only = is_only && now == changed.replace("one();", "two();");
                prop_assert!(of_only || models.contains(&now), "{now}");
            }
            Ok(applied) => {
                let wanted = if changed == before { "applied" } else { "rebased" };
                prop_assert_eq!(&applied.json["status"], wanted);
                let now = String::from_utf8(bench.read("a.rs")).expect("it is text");
                prop_assert!(models.contains(&now), "{now}");
            }
            Err(refusal) => {
                prop_assert_eq!(refusal.code().as_str(), "stale_edit");
                prop_assert_eq!(bench.read("a.rs"), changed.as_bytes());
            }
        }
    }

    /// The model: each line is unique, and the edited one is unchanged, so `auto` replaces it wherever it is.
    #[test]
    fn an_edit_follows_its_line_through_changes_on_both_sides(
        edited in 0..12usize,
        changes in prop::collection::vec((0..12usize, "changed|added|removed|one word more"), 1..8),
    ) {
        let line = |index: usize| format!("line number {index} of the text");
        let before: Vec<String> = (0..12).map(line).collect();
        let bench = Bench::with("a.txt", format!("{}\n", before.join("\n")));
        let staged = bench.call("replace_node", json!({
            "file_path": "a.txt",
            "selector": {"anchor_text": line(edited), "ancestor_node_type": "line"},
            "new_content": "the new line",
        }));
        let edit_id = staged.expect("the line can be replaced").json["edit_id"].clone();
        let mut lines: Vec<Vec<String>> = before.into_iter().map(|line| vec![line]).collect();
        for (number, (at, change)) in changes.iter().enumerate() {
            match change.as_str() {
                "added" => lines[*at].push(format!("added {number}")),
                _ if *at == edited => {}
                "removed" => lines[*at].clear(),
                "changed" => lines[*at] = vec![format!("other {number}")],
                _ => lines[*at] = vec![format!("{} {number}", line(*at))],
            }
        }
        let changed = format!("{}\n", lines.concat().join("\n"));
        bench.write("a.txt", &changed);
        let applied = bench.call("apply_edit", json!({"edit_id": edit_id, "rebase": "auto"}));
        let now = String::from_utf8(bench.read("a.txt")).expect("it is text");
        // Between two lines that changed, it may be another line that only reads the same.
        let is_changed_before = edited > 0 && lines[edited - 1] != [line(edited - 1)];
        let is_changed_after = lines[edited].len() > 1
            || lines.get(edited + 1).is_some_and(|next| next.first() != Some(&line(edited + 1)));
        match applied {
            Ok(_) => prop_assert_eq!(now, changed.replace(&line(edited), "the new line")),
            Err(refusal) => {
                prop_assert!(is_changed_before && is_changed_after, "{}", refusal.text());
                prop_assert_eq!(now, changed);
            }
        }
    }
}

/// Returns a selector for each function of a file: its text, in its symbol.
fn functions(parsed: &Parsed) -> Vec<Selector> {
    let symbols = parsed.outline().symbols().iter().enumerate();
    symbols
        .filter(|(_, symbol)| symbol.kind == "function")
        .map(|(index, symbol)| Selector {
            scope: Some(Scope::Symbol(SymbolScope {
                symbol_path: parsed.outline().short_path(index),
            })),
            ..Selector::new(&parsed.source().slice(symbol.node_span), "function_item")
        })
        .collect()
}

#[test]
fn a_missing_brace_in_a_real_function_is_refused() {
    const FUNCTIONS: usize = 250;
    let mut tried = 0;
    let mut by_syntax = 0;
    'files: for parsed in &real_files() {
        for selector in functions(parsed) {
            let Ok(selection) = select(parsed, &selector) else {
                continue;
            };
            let text = parsed.source().slice(selection.span()).into_owned();
            let braces: Vec<usize> = closing_braces(parsed, selection.span());
            let Some(&brace) = braces.get(tried % braces.len().max(1)) else {
                continue;
            };
            let content = format!("{}{}", &text[..brace], &text[brace + 1..]);
            let operation = Operation::Replace {
                new_content: content,
                indent: if tried % 2 == 0 {
                    Indent::Auto
                } else {
                    Indent::Verbatim
                },
                include_attached: false,
            };
            let edited = edit::edit(selection, &operation).expect("a function can be edited");
            let path = parsed.source().path();
            let rejected = validate(edited, &[])
                .err()
                .unwrap_or_else(|| panic!("{path}: without the brace at {brace} of {selector:?}"));
            by_syntax += usize::from(matches!(rejected.failure(), Failure::Syntax(_)));
            tried += 1;
            if tried == FUNCTIONS {
                break 'files;
            }
        }
    }
    assert!(tried >= 200, "only {tried} functions were tried");
    assert!(by_syntax > 0, "the syntax check refused none of {tried}");
}

/// Returns the offsets, from the start of a span, of its closing braces that are tokens of the
/// tree.
fn closing_braces(parsed: &Parsed, span: Span) -> Vec<usize> {
    let text = parsed.source().slice(span);
    let at = |offset: usize| Span::new(span.start() + offset, span.start() + offset + 1);
    text.match_indices('}')
        .map(|(offset, _)| offset)
        .filter(|offset| {
            let chain = parsed.chain(at(*offset));
            chain.last().is_some_and(|node| {
                ![
                    "string_literal",
                    "char_literal",
                    "line_comment",
                    "raw_string_literal",
                    "string_content",
                    "doc_comment",
                ]
                .contains(&node.kind())
            })
        })
        .collect()
}

#[test]
fn changing_any_node_and_back_restores_the_file() {
    for parsed in real_files().iter().take(6) {
        let text = parsed.source().text();
        for selector in functions(parsed) {
            let Ok(selection) = select(parsed, &selector) else {
                continue;
            };
            let own = parsed.source().slice(selection.span()).into_owned();
            let changed = own.replacen('{', "{\n/* changed */", 1);
            let replaced = replacing(selection, &changed, Indent::Verbatim)
                .expect("a function with a comment more is another");
            assert_eq!(
                replaced.after,
                format!(
                    "{}{changed}{}",
                    &text[..replaced.span.start()],
                    &text[replaced.span.end()..]
                )
            );
        }
    }
}

#[test]
fn the_same_text_is_no_change_with_any_indentation() {
    for parsed in real_files().iter().take(12) {
        for selector in functions(parsed) {
            let Ok(selection) = select(parsed, &selector) else {
                continue;
            };
            let own = parsed.source().slice(selection.span()).into_owned();
            let margin = parsed.source().indentation_at(selection.span().start());
            let at_column_0: String = own
                .split_inclusive('\n')
                .map(|line| line.strip_prefix(&margin).unwrap_or(line))
                .collect();
            let has_text_at_margin = own.contains("\\\n") || own.contains("\"\n");
            let as_in_file = format!("{margin}{own}\n");
            for content in [&own, &as_in_file, &at_column_0] {
                if has_text_at_margin && content == &at_column_0 {
                    continue;
                }
                let outcome = replacing(selection.clone(), content, Indent::Auto);
                let same = matches!(outcome, Err(EditError::NoChange));
                assert!(same, "{}: {content}", parsed.source().path());
            }
        }
    }
}

/// Replaces the first nodes of a type at an anchor by `content`, each in its own edit, and returns
/// how many of the edits pass.
fn passed(parsed: &Parsed, anchor: &str, node_type: &str, content: &str) -> usize {
    let picked = (1..=3).filter_map(|nth| {
        let selector = Selector {
            nth: Some(nth),
            ..Selector::new(anchor, node_type)
        };
        select(parsed, &selector).ok()
    });
    let operation = Operation::Replace {
        new_content: content.to_string(),
        indent: Indent::Auto,
        include_attached: false,
    };
    picked
        .filter_map(|selection| edit::edit(selection, &operation).ok())
        .map(|edited| usize::from(validate(edited, &[]).is_ok()))
        .sum()
}

#[test]
fn an_old_error_excuses_no_damage_next_to_it() {
    let rust = parsed(
        "a.rs",
        "fn f() {\n    let x = = one(a, b) + 1;\n    two(c, d);\n    let y = [1, 2,, 3];\n}\n",
    );
    let json = parsed(
        "a.json",
        "{\"a\": 1, \"b\": [2,, 3], \"c\": {\"d\": 4}, \"e\": 5}\n",
    );
    assert!(!rust.problems().is_empty() && !json.problems().is_empty());
    let in_rust = [
        "identifier",
        "call_expression",
        "integer_literal",
        "expression_statement",
    ];
    let (mut good, mut bad) = (0, 0);
    for anchor in ["a", "b", "c", "d", "one", "two", "1", "2", "3"] {
        for node_type in in_rust {
            let sound = if node_type == "expression_statement" {
                "qq();"
            } else {
                "qq"
            };
            good += passed(&rust, anchor, node_type, sound);
            for damage in [
                "q(", "q)", "q, (", "{ q", "q }", "\"q", "q; w", "q /*", "q //", "[q",
            ] {
                let through = passed(&rust, anchor, node_type, damage);
                assert_eq!(through, 0, "{damage} for the {node_type} at {anchor}");
                bad += 1;
            }
        }
    }
    for anchor in ["1", "2", "3", "4", "5"] {
        good += passed(&json, anchor, "number", "7");
        for damage in ["[1", "{\"x\": 1", "1]", "1}", "\"1", "1 1", "[1, 2"] {
            assert_eq!(
                passed(&json, anchor, "number", damage),
                0,
                "{damage} for {anchor}"
            );
            bad += 1;
        }
    }
    assert!(
        good > 20 && bad > 300,
        "{good} sound and {bad} damaged contents were tried"
    );
}

#[test]
fn a_missing_bracket_may_be_added() {
    let lacks = parsed("a.rs", "fn f() {\n    if x {\n        one();\n}\n");
    assert_eq!(
        passed(&lacks, "one()", "expression_statement", "one();\n}"),
        1
    );
    let surplus = parsed("a.json", "{\"a\": [1, 2, \"b\": 3}\n");
    assert_eq!(passed(&surplus, "2", "number", "2]"), 1);
}
