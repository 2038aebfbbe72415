//! `describe` and `locate` are inverse: a description of a position selects that position again.
//! Tested on every named node and on positions next to tokens, in the samples, the case files and
//! this project's own sources.

#![expect(
    clippy::disallowed_methods,
    reason = "tests describe the files of the project"
)]

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use treegraft::language;
use treegraft::locate::{self, LocateRange};
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, Selector};
use treegraft::source::{Source, Span};

use crate::nodes::{chains, words};
use crate::support::{is_full, is_of_left_out};

/// The generic node types that people point at: definitions, statements, list members, headings.
const WANTED: &[&str] = &[
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "interface",
    "module",
    "type",
    "variable",
    "field",
    "parameter",
    "argument",
    "statement",
    "import",
    "property",
    "element",
    "item",
    "heading",
    "section",
    "row",
];

/// Longer files cost more and contain nothing new.
const LONGEST_FILE: usize = 9 * 1024;
/// The number of files per language.
const FILES: usize = 8;
/// The number of described positions per file.
const POINTS: usize = 60;

#[test]
fn described_nodes_have_a_selector_that_selects_them() {
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    for parsed in files() {
        let words = words(parsed.source().language().name);
        let chains = chains(&parsed);
        let mut alike: HashMap<_, usize> = HashMap::new();
        for chain in &chains {
            *alike.entry(identity(&parsed, chain)).or_default() += 1;
        }
        let nodes = if is_full() { 150 } else { 40 };
        let step = chains.len().div_ceil(nodes).max(1);
        for chain in chains.iter().step_by(step) {
            let node = chain[chain.len() - 1];
            let described = select::describe(&parsed, chain);
            if let Some(selector) = &described {
                let selected = select::select(&parsed, selector);
                let selected = selected.map(|selection| selection.node());
                assert_eq!(
                    selected.ok(),
                    Some(node),
                    "{} {selector:?}",
                    parsed.source().path()
                );
                assert!(
                    !matches!(selector.scope, Some(locate::Scope::Lines(_))),
                    "{selector:?}"
                );
            }
            let is_wanted = words
                .get(node.kind())
                .is_some_and(|own| own.iter().any(|word| WANTED.contains(&word.as_str())));
            if !is_wanted || alike[&identity(&parsed, chain)] > 1 {
                continue;
            }
            let (asked, alone) = counts.entry(parsed.source().language().name).or_default();
            *asked += 1;
            *alone += usize::from(matches!(described, Some(Selector { nth: None, .. })));
        }
    }
    assert!(counts.len() >= 17, "{counts:?}");
    for (language, (asked, alone)) in counts {
        assert!(
            asked >= if is_full() { 40 } else { 10 },
            "{language}: only {asked} nodes were asked for"
        );
        assert!(
            alone * 1000 >= asked * 999,
            "{language}: {alone} of {asked} have a selector without a number"
        );
    }
}

#[test]
fn no_token_of_a_selector_can_be_dropped() {
    let dropped = |text: &str| -> Vec<String> {
        let words: Vec<&str> = text.split(' ').collect();
        match words.len() {
            0 | 1 => Vec::new(),
            count => vec![words[1..].join(" "), words[..count - 1].join(" ")],
        }
    };
    let mut tried = 0;
    for parsed in files() {
        for chain in chains(&parsed).iter().step_by(5).take(60) {
            let node = chain[chain.len() - 1];
            let Some(selector) = select::describe(&parsed, chain) else {
                continue;
            };
            let select::Anchor::Text(text) = &selector.anchor else {
                continue;
            };
            if text.contains('\n') || selector.nth.is_some() {
                continue;
            }
            for shorter in dropped(text) {
                let shorter = Selector {
                    anchor: select::Anchor::Text(shorter),
                    ..selector.clone()
                };
                let selected = select::select(&parsed, &shorter);
                let resolves = selected.is_ok_and(|selection| selection.node() == node);
                let has_word = |text: &str| text.contains(|c: char| c.is_alphanumeric());
                // The name is kept; a value may repeat it.
                let name = name(&parsed, node);
                let count = |text: &str| text.matches(name.as_str()).count();
                let loses_name = count(shorter.anchor.as_str()) < count(text);
                let suffices = resolves && has_word(shorter.anchor.as_str());
                assert!(
                    !suffices || loses_name,
                    "{} {selector:?}: {:?} is enough",
                    parsed.source().path(),
                    shorter.anchor
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

#[test]
fn a_position_next_to_a_token_has_a_locator_back_to_it() {
    let mut described = 0;
    for parsed in files() {
        let text = parsed.source().text();
        let ends = text.char_indices().map(|(offset, _)| offset);
        let points: Vec<usize> = ends.step_by(text.len().div_ceil(POINTS).max(1)).collect();
        for point in points {
            let description = locate::describe(&parsed, point);
            let path = parsed.source().path();
            let question = description.question.as_ref();
            let question = question.unwrap_or_else(|| panic!("{path} {point} has no locate"));
            let place = locate::answer(&parsed, question);
            let place = place.expect("the description of a position resolves");
            assert_eq!(place.point, description.point, "{path} {description:?}");
            let adjacent = text[..point]
                .chars()
                .next_back()
                .into_iter()
                .chain(text[point..].chars().next());
            let is_at_token = adjacent.into_iter().any(|c| !c.is_whitespace());
            assert!(
                !is_at_token || description.point == point,
                "{path} {point} {description:?}"
            );
            assert!(place.matches == 1 || question.find_index.is_some());
            described += 1;
        }
    }
    assert!(described > 2_000, "{described}");
}

#[test]
fn a_position_in_the_second_of_two_definitions_has_a_locator() {
    // In the first definition, a locator could match part of a word.
    let text = "x = 1\ndef g():\n    total(self_x)\ndef g():\n    x\n";
    let parsed = Parsed::parse(Source::new(
        "a.py",
        language::for_file("a.py", text),
        text.into(),
    ));
    let point = text.rfind('x').expect("it ends with one");
    let description = locate::describe(&parsed, point);
    let question = description.question.expect("a unique text encloses it");
    let place =
        locate::answer(&parsed, &question).expect("the description of a position resolves to it");
    assert_eq!(place.point, point, "{question:?}");
    let range = Span::new(point, point + 1);
    if let Some(described) = locate::describe_range(&parsed, range) {
        let place = locate::locate_range(&parsed, &described).expect("it resolves");
        assert_eq!(place.span, range, "{described:?}");
    }
}

#[test]
fn a_position_in_a_very_long_word_has_a_correct_locator_or_none() {
    for text in ["x", "<x-", "let y = x"].map(|begins| format!("{begins}{}>\n", "a".repeat(5_000)))
    {
        for path in ["a.html", "a.rs", "a.txt"] {
            let language = language::for_file(path, &text);
            let parsed = Parsed::parse(Source::new(path, language, text.clone()));
            for point in [0, 3, 4, 2_000, text.len() - 3] {
                let Some(question) = locate::describe(&parsed, point).question else {
                    continue;
                };
                let place = locate::answer(&parsed, &question).expect("it resolves");
                assert_eq!(place.point, point, "{path}: {question:?}");
            }
        }
    }
}

#[test]
fn one_of_very_many_equal_nodes_has_no_description() {
    for (path, twin) in [("a.txt", "ok\n"), ("a.js", "f(1);\n"), ("a.md", "- item\n")] {
        let text = twin.repeat(40_000);
        let point = text.len() / twin.len() / 2 * twin.len();
        let parsed = Parsed::parse(Source::new(path, language::for_file(path, &text), text));
        assert_eq!(locate::describe(&parsed, point).question, None, "{path}");
        let chain = parsed.chain(Span::new(point, point + 1));
        assert_eq!(select::describe(&parsed, &chain), None, "{path}");
    }
}

#[test]
fn the_description_of_a_range_resolves_to_it() {
    let (mut asked, mut described) = (0, 0);
    for parsed in files() {
        for chain in chains(&parsed).iter().step_by(11) {
            let span = trimmed(&parsed, chain[chain.len() - 1].span());
            asked += 1;
            let Some(range) = locate::describe_range(&parsed, span) else {
                continue;
            };
            described += 1;
            let place = locate::locate_range(&parsed, &range).expect("it resolves");
            // Ignores surrounding whitespace and quote markers.
            let rest = Span::new(place.span.end(), span.end());
            let rest = parsed.source().slice(rest);
            let is_it = place.span.start() == span.start();
            let path = parsed.source().path();
            assert!(
                is_it && rest.trim_matches(['>', ' ', '\n']).is_empty(),
                "{path} {range}"
            );
            let read: LocateRange = range
                .to_string()
                .parse()
                .expect("it is printed canonically");
            assert_eq!(read, range);
        }
    }
    assert!(described * 3 > asked, "{described} of {asked}");
}

/// Returns the samples and, for each language, some case files and project files, all without
/// errors.
fn files() -> Vec<Parsed> {
    let root = crate::support::repository();
    let read = |folder: &str| {
        let mut paths: Vec<PathBuf> = Vec::new();
        collect(&root.join(folder), &mut paths);
        paths.sort();
        paths.retain(|path| !is_of_left_out(path));
        let texts = paths.into_iter().filter_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            Some((path.to_string_lossy().into_owned(), text))
        });
        texts.collect::<Vec<_>>()
    };
    let pages = crate::cases::pages();
    let of_cases = pages.iter().flat_map(|page| &page.texts);
    let of_cases = of_cases.map(|text| (text.path.clone(), text.text.to_string()));
    let queries = read("queries").into_iter();
    let files = queries
        .chain(read("docs"))
        .chain(read("src"))
        .chain(of_cases);
    let mut taken: HashMap<&str, usize> = HashMap::new();
    let mut parsed = Vec::new();
    for (name, text) in files {
        let language = language::for_file(&name, &text);
        let is_query = [".scm", ".json"]
            .iter()
            .any(|ending| name.ends_with(ending))
            && name.contains("queries/")
            && !name.contains("sample");
        let taken = taken.entry(language.name).or_default();
        if is_query || *taken >= FILES || text.len() > LONGEST_FILE || text.lines().count() < 12 {
            continue;
        }
        let one = Parsed::parse(Source::new(&name, language, text));
        if one.problems().is_empty() {
            *taken += 1;
            parsed.push(one);
        }
    }
    parsed
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    for entry in entries {
        let path = entry.expect("the folder can be read").path();
        match path.is_dir() {
            true => collect(&path, paths),
            false => paths.push(path),
        }
    }
}

/// Returns what identical nodes have in common: the symbol path, the node type and the text.
fn identity(parsed: &Parsed, chain: &[Node<'_>]) -> (Vec<String>, String, String) {
    let (node, above) = chain.split_last().expect("a chain ends with its node");
    let text = parsed.text_of(*node).trim().to_string();
    (parsed.symbol_path(above), node.kind().to_string(), text)
}

/// Returns the name of the symbol that a node is; a name that matches nothing if it is none.
fn name(parsed: &Parsed, node: Node<'_>) -> String {
    let symbols = parsed.outline().symbols();
    let own = symbols
        .iter()
        .find(|symbol| symbol.node_span == node.span());
    own.map_or("\0".to_string(), |symbol| {
        parsed.source().slice(symbol.name_span).into_owned()
    })
}

fn trimmed(parsed: &Parsed, span: Span) -> Span {
    let text = parsed.source().slice(span);
    let start = span.start() + (text.len() - text.trim_start().len());
    Span::new(start, start + text.trim().len())
}
