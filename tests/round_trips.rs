//! What is inserted and deleted again, and what is deleted and put back, leaves the bytes of real
//! files as they were; and nothing else in them changes.

use std::collections::BTreeMap;

use treegraft::edit::{self, Indent, InsertPosition, Operation};
use treegraft::language;
use treegraft::locate::{LineScope, Scope};
use treegraft::parse::Parsed;
use treegraft::preview::{Preview, preview};
use treegraft::select::{Selection, Selector, select};
use treegraft::source::{Source, Span};
use treegraft::validate::validate;

use crate::properties::real_files;

/// The kinds of nodes a person adds and deletes beside others of their kind.
const MEMBERS: &[&str] = &[
    "function_item",
    "function_signature_item",
    "struct_item",
    "enum_item",
    "impl_item",
    "trait_item",
    "mod_item",
    "use_declaration",
    "const_item",
    "static_item",
    "type_item",
    "let_declaration",
    "expression_statement",
    "field_declaration",
    "enum_variant",
    "match_arm",
    "parameter",
    "where_predicate",
    "type_parameter",
    "field_initializer",
    "shorthand_field_initializer",
    "field_pattern",
    "attribute_item",
    "pair",
];

/// What all children of are members, comments aside.
const LISTS: &[&str] = &[
    "arguments",
    "use_list",
    "array_expression",
    "tuple_expression",
    "type_arguments",
    "tuple_pattern",
    "closure_parameters",
    "tuple_struct_pattern",
    "slice_pattern",
    "array",
];

/// What has one body, with the field it is in.
const BODIES: &[&str] = &[
    "function_item",
    "impl_item",
    "trait_item",
    "struct_item",
    "enum_item",
    "mod_item",
    "match_expression",
    "call_expression",
    "struct_expression",
    "for_expression",
    "loop_expression",
    "object",
    "array",
];

/// How many nodes of a kind, in parents of a kind, are taken of one file, and of all Rust files.
const OF_A_KIND: usize = 2;
const OF_A_KIND_IN_ALL: usize = 8;

/// Longer files cost more and hold nothing else.
const LONGEST_FILE: usize = 12 * 1024;

/// A node of a file, and what to call it in a report.
struct Target<'p> {
    parsed: &'p Parsed,
    node: tree_sitter::Node<'p>,
}

/// How many round trips were made, and those that went wrong.
#[derive(Default)]
struct Trips {
    made: usize,
    refused: usize,
    wrong: Vec<String>,
    taken: BTreeMap<(String, String), usize>,
}

impl Trips {
    /// Whether the node is one of the first of its kind.
    fn takes(&mut self, node: tree_sitter::Node<'_>) -> bool {
        let parent = node.parent().map_or("", |parent| parent.kind());
        let of_rust = parent != "object" && parent != "array" && parent != "pair";
        let kind = (node.kind().to_string(), parent.to_string());
        let taken = self.taken.entry(kind).or_default();
        *taken += 1;
        !of_rust || *taken <= OF_A_KIND_IN_ALL
    }

    fn report(self, at_least: usize) {
        let Trips {
            made,
            refused,
            wrong,
            ..
        } = self;
        let shown: Vec<String> = wrong.iter().take(6).cloned().collect();
        assert!(
            wrong.is_empty(),
            "{} of {made} went wrong:\n{}",
            wrong.len(),
            shown.join("\n")
        );
        assert!(
            made >= at_least && refused * 20 < made,
            "{made} were made, {refused} refused"
        );
    }
}

pub(crate) fn tree(parsed: &Parsed) -> tree_sitter::Tree {
    let grammar = parsed.source().language().grammar();
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(grammar.expect("the files have a grammar"))
        .expect("the grammar fits");
    let tree = parser.parse(parsed.source().text(), None);
    tree.expect("parsing ends")
}

/// A few nodes of each kind, spread over the file: members of lists and bodies, or what has a body.
fn targets<'p>(
    parsed: &'p Parsed,
    tree: &'p tree_sitter::Tree,
    wanted: impl Fn(tree_sitter::Node<'_>) -> bool,
) -> Vec<Target<'p>> {
    let mut kinds: BTreeMap<(&str, &str), Vec<tree_sitter::Node<'p>>> = Default::default();
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        if node.is_named() && wanted(node) {
            let parent = node.parent().map_or("", |parent| parent.kind());
            kinds.entry((node.kind(), parent)).or_default().push(node);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    kinds
        .into_values()
        .flat_map(|nodes| {
            let last = nodes.len() - 1;
            let step = last.div_ceil(OF_A_KIND - 1).max(1);
            let picked: Vec<_> = (0..=last).step_by(step).chain([last]).collect();
            let mut picked: Vec<_> = picked.into_iter().map(|index| nodes[index]).collect();
            picked.dedup();
            picked
        })
        .map(|node| Target { parsed, node })
        .collect()
}

fn is_comment(node: tree_sitter::Node<'_>) -> bool {
    node.kind().contains("comment")
}

fn is_member(node: tree_sitter::Node<'_>) -> bool {
    let in_list = node.parent().is_some_and(|parent| {
        LISTS.contains(&parent.kind()) && parent.child_by_field_name("type") != Some(node)
    });
    MEMBERS.contains(&node.kind()) || (in_list && !is_comment(node))
}

/// The span of a node without the line break that a doc comment ends with, and without the comma of
/// a match arm.
fn span(parsed: &Parsed, node: tree_sitter::Node<'_>) -> Span {
    let text = &parsed.source().text()[node.byte_range()];
    let bare = text.trim_end().trim_end_matches([',', ' ']);
    Span::new(node.start_byte(), node.start_byte() + bare.len())
}

/// Selects the node of this kind at `span`, the separator at its end left aside.
pub(crate) fn select_at<'p>(parsed: &'p Parsed, span: Span, kind: &str) -> Option<Selection<'p>> {
    let source = parsed.source();
    let lines = LineScope::range(source.line_of(span.start()), source.line_of(span.end())).ok()?;
    let of = |nth| Selector {
        scope: Some(Scope::Lines(lines)),
        nth: Some(nth),
        ..Selector::new(&source.slice(span), kind)
    };
    (1..30)
        .map_while(|nth| select(parsed, &of(nth)).ok())
        .find(|selection| {
            let found = selection.span();
            let end = parsed
                .source()
                .slice(found)
                .trim_end_matches([',', ' '])
                .len();
            found.start() == span.start() && found.start() + end == span.end()
        })
}

fn done(selection: Selection<'_>, operation: &Operation) -> Option<Preview> {
    let edited = edit::edit(selection, operation).ok()?;
    let checked = validate(edited, &[]).ok()?;
    Some(preview(checked).0)
}

fn inserting(position: InsertPosition, content: &str) -> Operation {
    Operation::Insert {
        position,
        new_content: content.to_string(),
        indent: Indent::Auto,
    }
}

/// The text of a node as written at column 0, its first name another.
fn another(target: &Target<'_>) -> String {
    let parsed = target.parsed;
    let own = span(parsed, target.node);
    let mut text = parsed.source().slice(own).into_owned();
    if let Some(name) = first_name(target.node) {
        let at = name.end - own.start() - 1;
        if text.as_bytes()[at].is_ascii_alphanumeric() {
            text.replace_range(at..at + 1, "q");
        }
    }
    at_column_0(&text, &parsed.source().indentation_at(own.start()))
}

fn first_name(node: tree_sitter::Node<'_>) -> Option<std::ops::Range<usize>> {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let is_name = matches!(
            node.kind(),
            "identifier" | "field_identifier" | "type_identifier" | "string_content"
        );
        if is_name && node.byte_range().len() > 2 {
            return Some(node.byte_range());
        }
        let mut cursor = node.walk();
        let children: Vec<_> = node.named_children(&mut cursor).collect();
        open.extend(children.into_iter().rev());
    }
    None
}

fn at_column_0(text: &str, margin: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| line.strip_prefix(margin).unwrap_or(line))
        .collect()
}

/// Whether a line of the text begins inside a string or a block comment: it cannot be dedented
/// line by line.
fn has_kept_lines(text: &str) -> bool {
    text.contains("\\\n") || text.contains("r#\"") || text.contains("\"\n") || text.contains("/*")
}

/// All but white space and separators.
fn substance(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, ',' | '+'))
        .collect()
}

/// Whether `long` is `short` with `more` at one place.
fn is_with(long: &str, short: &str, more: &str) -> bool {
    let ahead = long
        .bytes()
        .zip(short.bytes())
        .take_while(|(long, short)| long == short)
        .count();
    long.len() == short.len() + more.len()
        && (0..=ahead).rev().any(|at| {
            long.get(at..).is_some_and(|rest| rest.starts_with(more))
                && short.get(at..) == long.get(at + more.len()..)
        })
}

/// The names of the symbols, each with those it is in.
fn outline(parsed: &Parsed) -> Vec<Vec<String>> {
    let outline = parsed.outline();
    (0..outline.symbols().len())
        .map(|index| outline.short_path(index))
        .collect()
}

/// Whether `long` is `short` with some at one place.
fn is_with_some(long: &[Vec<String>], short: &[Vec<String>]) -> bool {
    let ahead = long
        .iter()
        .zip(short)
        .take_while(|(long, short)| long == short)
        .count();
    long.len() >= short.len() && {
        let behind = short.len() - ahead;
        long[long.len() - behind..] == short[ahead..]
    }
}

fn reparsed(parsed: &Parsed, text: &str) -> Parsed {
    let path = parsed.source().path();
    Parsed::parse(Source::new(
        path,
        language::of(path, text),
        text.to_string(),
    ))
}

fn wrong(target: &Target<'_>, what: &str, before: &str, after: &str) -> String {
    let node = target.node;
    let diff = similar::TextDiff::from_lines(before, after);
    format!(
        "--- {} line {}: {} in {}: {what}\n{}",
        target.parsed.source().path(),
        node.start_position().row + 1,
        node.kind(),
        node.parent().map_or("nothing", |parent| parent.kind()),
        diff.unified_diff().context_radius(3)
    )
}

/// Inserts and deletes what was inserted.
fn there_and_back(
    target: &Target<'_>,
    selected: Span,
    position: InsertPosition,
    content: &str,
    kind: &str,
    trips: &mut Trips,
) {
    let parsed = target.parsed;
    let before = parsed.source().text();
    let selected_kind = match position {
        InsertPosition::Before | InsertPosition::After => kind,
        _ => target.node.kind(),
    };
    let Some(selection) = select_at(parsed, selected, selected_kind) else {
        return;
    };
    let Some(inserted) = done(selection, &inserting(position, content)) else {
        trips.refused += 1;
        return;
    };
    trips.made += 1;
    let after = reparsed(parsed, inserted.after().text());
    let text = after.source().text();
    let mut say = |what: &str, from: &str, to: &str| {
        let what = format!("{position:?} {content:?}: {what}");
        trips.wrong.push(wrong(target, &what, from, to));
    };
    if !is_with(&substance(text), &substance(before), &substance(content)) {
        say("more than the content changed", before, text);
    }
    if !is_with_some(&outline(&after), &outline(parsed)) {
        say("other symbols changed", before, text);
    }
    let new = inserted.facts().new_span;
    let Some(selection) = select_at(&after, new, kind) else {
        say("what was inserted is no such node", before, text);
        return;
    };
    match done(selection, &Operation::Delete) {
        None => say("what was inserted cannot be deleted", before, text),
        Some(deleted) if deleted.after().text() != before => {
            say(
                "deleting it left another text",
                before,
                deleted.after().text(),
            );
        }
        Some(_) => {}
    }
}

fn sibling<'p>(node: tree_sitter::Node<'p>, next: bool) -> Option<tree_sitter::Node<'p>> {
    let further = |node: tree_sitter::Node<'p>| match next {
        true => node.next_named_sibling(),
        false => node.prev_named_sibling(),
    };
    let mut sibling = further(node);
    while let Some(node) = sibling {
        if !is_comment(node) && node.kind() != "attribute_item" {
            return is_member(node).then_some(node);
        }
        sibling = further(node);
    }
    None
}

/// Deletes a node and puts what went back beside each of its neighbours. A node with a comment
/// behind it, and neighbours with a comment between that belongs to none, are left aside: where
/// such a comment belongs is not said.
fn away_and_back(target: &Target<'_>, trips: &mut Trips) {
    let parsed = target.parsed;
    let source = parsed.source();
    let before = source.text();
    let own = span(parsed, target.node);
    let Some(selection) = select_at(parsed, own, target.node.kind()) else {
        return;
    };
    let Some(deleted) = done(selection, &Operation::Delete) else {
        trips.refused += 1;
        return;
    };
    let after = reparsed(parsed, deleted.after().text());
    let text = after.source().text();
    let replacements = &deleted.facts().replacements;
    let of_node = replacements.iter().find(|one| one.span.contains(own));
    let Some(of_node) = of_node.map(|one| one.span) else {
        return;
    };
    let ahead = source.slice(Span::new(of_node.start(), own.start()));
    let behind = source.slice(Span::new(own.end(), of_node.end()));
    trips.made += 1;
    let what_went = source.slice(of_node);
    let mut say =
        |what: &str, from: &str, to: &str| trips.wrong.push(wrong(target, what, from, to));
    if !is_with(&substance(before), &substance(text), &substance(&what_went)) {
        say("more than the node went", before, text);
    }
    let is_attached = |line: &str| {
        let line = line.trim();
        line.is_empty()
            || line.starts_with("//")
            || line.starts_with("#[")
            || line.starts_with([',', '+'])
    };
    if !ahead.lines().all(is_attached) || !behind.lines().all(is_attached) {
        let many = ahead.contains("#[") || ahead.contains("/*") || behind.contains("/*");
        if !many {
            say("what went is not attached", before, text);
        }
    }
    if !is_with_some(&outline(parsed), &outline(&after)) {
        say("other symbols changed", before, text);
    }
    if behind.contains("//") || behind.contains("/*") {
        return;
    }
    let start = of_node.start() + (ahead.len() - ahead.trim_start().len());
    let start = own
        .start()
        .min(match ahead.trim_start().starts_with([',', '+']) {
            true => own.start(),
            false => start,
        });
    let content = source.slice(Span::new(start, own.end())).into_owned();
    let flat = at_column_0(&content, &source.indentation_at(own.start()));
    let mut contents = vec![content];
    if !has_kept_lines(&flat) {
        contents.push(flat);
    }
    let filled = |text: &str| {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(str::to_string).collect::<Vec<_>>()
    };
    for next in [false, true] {
        let Some(beside) = sibling(target.node, next) else {
            continue;
        };
        let between = match next {
            true => Span::new(own.end(), beside.start_byte()),
            false => Span::new(span(parsed, beside).end(), start),
        };
        let between = source.slice(between);
        if between.contains("//") || between.contains("/*") {
            continue;
        }
        let there = span(parsed, beside);
        let gone = if next { before.len() - text.len() } else { 0 };
        let there = Span::new(there.start() - gone, there.end() - gone);
        for content in &contents {
            let Some(selection) = select_at(&after, there, beside.kind()) else {
                continue;
            };
            let position = match next {
                true => InsertPosition::Before,
                false => InsertPosition::After,
            };
            let what = format!("put back, {position:?} the {}: {content:?}", beside.kind());
            trips.made += 1;
            match done(selection, &inserting(position, content)) {
                None => trips
                    .wrong
                    .push(wrong(target, &format!("{what}: refused"), before, text)),
                Some(back) if filled(back.after().text()) != filled(before) => {
                    let diff = wrong(target, &what, before, back.after().text());
                    trips.wrong.push(diff);
                }
                Some(_) => {}
            }
        }
    }
}

fn insert_everywhere(parsed: &Parsed, trips: &mut Trips) {
    let tree = tree(parsed);
    for target in targets(parsed, &tree, is_member) {
        let own = span(parsed, target.node);
        let content = another(&target);
        if has_kept_lines(&content) || !trips.takes(target.node) {
            continue;
        }
        for position in [InsertPosition::Before, InsertPosition::After] {
            there_and_back(&target, own, position, &content, target.node.kind(), trips);
        }
    }
    for target in targets(parsed, &tree, |node| BODIES.contains(&node.kind())) {
        let body = target.node;
        let body = ["body", "arguments"]
            .iter()
            .find_map(|field| body.child_by_field_name(field))
            .unwrap_or(body);
        let mut cursor = body.walk();
        let members: Vec<_> = body
            .named_children(&mut cursor)
            .filter(|child| is_member(*child) && child.kind() != "attribute_item")
            .collect();
        let (Some(first), Some(last)) = (members.first(), members.last()) else {
            continue;
        };
        if !trips.takes(target.node) {
            continue;
        }
        let ends = [
            (InsertPosition::FirstChild, first),
            (InsertPosition::LastChild, last),
        ];
        for (position, node) in ends {
            let member = Target {
                parsed,
                node: *node,
            };
            let content = another(&member);
            if !has_kept_lines(&content) {
                let own = span(parsed, target.node);
                there_and_back(&target, own, position, &content, node.kind(), trips);
            }
        }
    }
}

fn delete_everywhere(parsed: &Parsed, trips: &mut Trips) {
    let tree = tree(parsed);
    // The only one in a list that goes with its last member is not to be put back.
    let is_movable = |node: tree_sitter::Node<'_>| {
        let parent = node.parent();
        let has_others = parent.is_some_and(|parent| parent.named_child_count() > 1);
        is_member(node) && node.kind() != "attribute_item" && has_others
    };
    for target in targets(parsed, &tree, is_movable) {
        if trips.takes(target.node) {
            away_and_back(&target, trips);
        }
    }
}

fn short_files() -> Vec<Parsed> {
    let mut files = real_files();
    files.retain(|parsed| parsed.source().len() < LONGEST_FILE);
    files
}

/// Files as they are written by hand and by programs, in every style of JSON.
fn json_files() -> Vec<Parsed> {
    let package = r#"{"name": "one", "version": "1.2.3", "private": true, "scripts": {"build": "tsc -p .", "test": "jest --ci"}, "files": ["dist", "src/*.ts"], "dependencies": {"left": "^1.0.0"}, "engines": {}}"#;
    let config = r#"{"compilerOptions": {"target": "es2022", "lib": ["dom", "es2022"], "paths": {"@/*": ["./src/*", "./lib/*"], "@x": []}, "strict": true}, "include": ["src"], "references": [{"path": "../a"}, {"path": "../b", "prepend": false}]}"#;
    let metadata = r#"[{"id": 1, "tags": [[1, 2], [3]], "target": {"kind": ["lib"], "src_path": "/a/b, {c}.rs", "edition": "2024"}}, {"id": 2, "tags": [], "target": null, "deps": [{"name": "é, ]", "req": "^1", "kind": null}]}]"#;
    let mut files = Vec::new();
    for (name, text) in [
        ("package", package),
        ("tsconfig", config),
        ("metadata", metadata),
    ] {
        let value: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
        let pretty = |indent: &str| {
            let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
            let mut bytes = Vec::new();
            let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
            serde::Serialize::serialize(&value, &mut serializer).expect("a value can be written");
            String::from_utf8(bytes).expect("JSON is UTF-8") + "\n"
        };
        let styles = [
            ("compact", value.to_string()),
            ("spaced", text.to_string()),
            ("two", pretty("  ")),
            ("four", pretty("    ")),
            ("tabs", pretty("\t")),
            ("crlf", pretty("  ").replace('\n', "\r\n")),
            ("bom", format!("\u{feff}{}", pretty(" ").trim_end())),
        ];
        for (style, text) in styles {
            let path = format!("{name}-{style}.json");
            let source = Source::new(&path, language::of(&path, &text), text);
            files.push(Parsed::parse(source));
        }
    }
    files
}

#[test]
fn deleting_what_was_inserted_restores_real_rust() {
    let mut trips = Trips::default();
    for parsed in &short_files() {
        insert_everywhere(parsed, &mut trips);
    }
    trips.report(400);
}

#[test]
fn deleting_what_was_inserted_restores_json_of_any_style() {
    let mut trips = Trips::default();
    for parsed in &json_files() {
        insert_everywhere(parsed, &mut trips);
    }
    trips.report(250);
}

#[test]
fn inserting_what_was_deleted_restores_real_rust() {
    let mut trips = Trips::default();
    for parsed in &short_files() {
        delete_everywhere(parsed, &mut trips);
    }
    trips.report(400);
}

#[test]
fn inserting_what_was_deleted_restores_json_of_any_style() {
    let mut trips = Trips::default();
    for parsed in &json_files() {
        delete_everywhere(parsed, &mut trips);
    }
    trips.report(250);
}

/// The project's own pages and the files of the Markdown cases.
#[expect(clippy::disallowed_methods, reason = "pages are files")]
fn markdown_files() -> Vec<Parsed> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = std::fs::read_dir(root.join("tests/cases/markdown")).expect("there are cases");
    let cases = cases.map(|case| case.expect("a case can be read").path().join("before.md"));
    let pages = ["README.md", "CHANGELOG.md"].map(|page| root.join(page));
    let mut texts: Vec<String> = pages
        .into_iter()
        .chain(cases)
        .map(|path| std::fs::read_to_string(path).expect("a page is text"))
        .collect();
    texts.sort();
    texts.dedup();
    let parsed = |text| Parsed::parse(Source::new("page.md", language::of("a.md", ""), text));
    texts.into_iter().map(parsed).collect()
}

/// What a person would put beside a block: one of its kind.
fn another_block(kind: &str, text: &str) -> Option<String> {
    let first = text.lines().next()?;
    let marker = first.len() - first.trim_start_matches(['-', '*', '+', '.', ')']).len();
    let digits = first.chars().take_while(char::is_ascii_digit).count();
    let hashes = first.chars().take_while(|c| *c == '#').count();
    match kind {
        "paragraph" => Some("Quite new words.".to_string()),
        "fenced_code_block" => Some("```text\nnew\n\n    code\n```".to_string()),
        "section" if hashes > 0 => Some(format!("{} New part\n\nText.", "#".repeat(hashes))),
        "pipe_table_row" => {
            let cells = first.trim().trim_matches('|').split('|').count();
            Some(format!("|{}", " new |".repeat(cells)))
        }
        "list_item" if digits > 0 => {
            let sign = first[digits..].chars().next()?;
            Some(format!("{}{sign} new item", &first[..digits]))
        }
        "list_item" if marker > 0 => Some(format!("{} new item", &first[..1])),
        _ => None,
    }
}

/// The lines of a text that are not blank, the signs of quotes left aside.
fn full_lines(text: &str) -> Vec<&str> {
    let blank = |line: &&str| !line.trim_matches(['>', ' ', '\t']).is_empty();
    text.lines().map(str::trim_end).filter(blank).collect()
}

/// The words of a text in alphabetical order, the signs of quotes left aside.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split_whitespace().filter(|one| *one != ">").collect();
    words.sort_unstable();
    words
}

/// A block of a page.
struct Block {
    kind: String,
    span: Span,
    /// The bytes of the node it is a child of.
    parent: std::ops::Range<usize>,
}

/// The blocks of a page.
fn blocks(parsed: &Parsed) -> Vec<Block> {
    let tree = tree(parsed);
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let text = &parsed.source().text()[node.byte_range()];
        let start = node.start_byte() + (text.len() - text.trim_start().len());
        let bare = text.trim_matches(['>', ' ', '\t', '\n', '\r']);
        if another_block(node.kind(), bare).is_some() && text.trim_start().starts_with(bare) {
            found.push(Block {
                kind: node.kind().to_string(),
                span: Span::new(start, start + bare.len()),
                parent: node.parent().map_or(0..0, |parent| parent.byte_range()),
            });
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Selects the block of this kind at `span`.
fn block_at<'p>(parsed: &'p Parsed, span: Span, kind: &str) -> Option<Selection<'p>> {
    let source = parsed.source();
    let first = source.slice(span);
    let line = LineScope::line(source.line_of(span.start())).ok()?;
    let of = |nth| Selector {
        scope: Some(Scope::Lines(line)),
        nth: Some(nth),
        ..Selector::new(first.lines().next().unwrap_or_default(), kind)
    };
    (1..10)
        .map_while(|nth| select(parsed, &of(nth)).ok())
        .find(|selection| selection.span() == span)
}

#[test]
fn blocks_of_real_markdown_come_and_go_without_a_trace() {
    let (mut made, mut exact, mut refused) = (0, 0, 0);
    let mut wrong = Vec::new();
    for parsed in markdown_files() {
        let before = parsed.source().text();
        for Block { kind, span, .. } in blocks(&parsed) {
            let own = parsed.source().slice(span).into_owned();
            let content = another_block(&kind, &own).expect("blocks are of these kinds");
            for position in [InsertPosition::Before, InsertPosition::After] {
                let Some(selection) = block_at(&parsed, span, &kind) else {
                    continue;
                };
                let Some(inserted) = done(selection, &inserting(position, &content)) else {
                    refused += 1;
                    continue;
                };
                let after = reparsed(&parsed, inserted.after().text());
                let new = inserted.facts().new_span;
                let text = after.source().text();
                if words(text) != words(&format!("{before}\n{content}")) {
                    wrong.push(format!(
                        "{kind} {position:?}:\n{before}\n--- became\n{text}"
                    ));
                    continue;
                }
                let Some(selection) = block_at(&after, new, &kind) else {
                    continue;
                };
                let Some(deleted) = done(selection, &Operation::Delete) else {
                    refused += 1;
                    continue;
                };
                made += 1;
                let restored = deleted.after().text();
                exact += usize::from(restored == before);
                if full_lines(restored) != full_lines(before) {
                    wrong.push(format!(
                        "{kind} {position:?}:\n{before}\n--- left\n{restored}"
                    ));
                }
            }
        }
    }
    let shown: Vec<String> = wrong.iter().take(4).cloned().collect();
    assert!(
        wrong.is_empty(),
        "{} of {made} went wrong:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(
        made > 300 && exact * 100 >= made * 95 && refused * 5 < made,
        "{made} were made, {exact} exact, {refused} refused"
    );
}

#[test]
fn blocks_of_real_markdown_that_went_are_put_back() {
    let (mut made, mut exact, mut refused) = (0, 0, 0);
    let mut wrong = Vec::new();
    for parsed in markdown_files() {
        let before = parsed.source().text();
        let all = blocks(&parsed);
        for (index, Block { kind, span, parent }) in all.iter().enumerate() {
            let Some(selection) = block_at(&parsed, *span, kind) else {
                continue;
            };
            let mut earlier = all[..index].iter().rev();
            let previous = earlier.find(|one| {
                let is_beside = one.parent == *parent && one.span.end() <= span.start();
                one.kind == *kind && is_beside
            });
            let own = parsed.source().slice(*span).into_owned();
            let Some(neighbour) = previous.map(|previous| previous.span) else {
                continue;
            };
            let between = Span::new(neighbour.end(), span.start());
            let near = parsed.source().slice(between);
            if !near.trim_matches(['>', ' ', '\t', '\n', '\r']).is_empty() {
                continue;
            }
            let Some(deleted) = done(selection, &Operation::Delete) else {
                refused += 1;
                continue;
            };
            let after = reparsed(&parsed, deleted.after().text());
            let Some(selection) = block_at(&after, neighbour, kind) else {
                continue;
            };
            let Some(back) = done(selection, &inserting(InsertPosition::After, &own)) else {
                refused += 1;
                continue;
            };
            made += 1;
            let restored = back.after().text();
            exact += usize::from(restored == before);
            if full_lines(restored) != full_lines(before) {
                wrong.push(format!("{kind}:\n{before}\n--- left\n{restored}"));
            }
        }
    }
    let shown: Vec<String> = wrong.iter().take(4).cloned().collect();
    assert!(
        wrong.is_empty(),
        "{} of {made} went wrong:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(
        made >= 50 && exact * 100 >= made * 90 && refused * 5 < made,
        "{made} were made, {exact} exact, {refused} refused"
    );
}
