//! Runs the cases of `locate/cases.jsonl` and the examples of the locator design in
//! `locate/examples.jsonl`: positions, ranges, refusals and parsed strings.
//!
//! The forms and refusals that `docs/locating.md` lists are also resolved, in the texts of that
//! page.
//!
//! A file in a language without a grammar is plain text. If another rule would be defensible
//! (`contested`), a mismatch is only counted.

#![expect(clippy::print_stdout, reason = "prints the score of each group")]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use treegraft::engine::request::coordinates::PositionArgument;
use treegraft::engine::request::{LocateArgument, SelectorArgument};
use treegraft::language;
use treegraft::locate::{
    self, Locate, LocateError, LocateSyntaxError, Place, Question, Scope, ScopeError,
};
use treegraft::parse::Parsed;
use treegraft::select;
use treegraft::source::{Position, Source, Span};

const CASES: [&str; 2] = [
    include_str!("locate/cases.jsonl"),
    include_str!("locate/examples.jsonl"),
];

/// The page on locators.
const PAGE: &str = include_str!("../docs/locating.md");

/// Known wrong answers, with the reason.
const KNOWN: &[(&str, &str)] = &[];

#[derive(Deserialize)]
struct Case {
    id: String,
    group: String,
    kind: Kind,
    file: String,
    source_text: String,
    locate: Value,
    expect: Value,
    offsets: Option<Value>,
    #[serde(default)]
    contested: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Position,
    Range,
    Parse,
}

/// The results of the cases in one group.
#[derive(Default)]
struct Tally {
    right: usize,
    contested: usize,
    known: usize,
}

#[test]
fn every_case_resolves_as_expected() {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut passing_though_known = Vec::new();
    for case in cases() {
        let tally = tallies.entry(case.group.clone()).or_default();
        let got = answer(&case);
        let expected = expected(&case);
        let known = KNOWN.iter().find(|(id, _)| *id == case.id);
        match (got == expected, known) {
            (true, None) => tally.right += 1,
            (true, Some((id, reason))) => passing_though_known.push(format!("{id}: {reason}")),
            (false, Some(_)) => tally.known += 1,
            (false, None) if case.contested => tally.contested += 1,
            (false, None) => wrong.push(format!(
                "{} {}\n    expected {expected}\n    got      {got}",
                case.id, case.locate
            )),
        }
    }
    for (group, tally) in &tallies {
        println!(
            "{group:<18} {:>3} right, {} contested, {} known",
            tally.right, tally.contested, tally.known
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        passing_though_known.is_empty(),
        "right by now, so no known difference any more: {}",
        passing_though_known.join("\n")
    );
}

#[test]
fn no_two_cases_share_an_id() {
    let mut ids: Vec<String> = cases().into_iter().map(|case| case.id).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn every_known_difference_is_a_case() {
    let ids: Vec<String> = cases().into_iter().map(|case| case.id).collect();
    for (id, reason) in KNOWN {
        assert!(ids.iter().any(|one| one == id), "no case {id} ({reason})");
    }
}

#[test]
fn an_empty_search_text_is_ignored() {
    let source = Source::new("a.txt", language::plain_text(), " a\n".to_string());
    let parsed = Parsed::parse(source);
    let mut locate: Locate = "a.txt:1".parse().expect("a line is a scope");
    locate.find = Some(String::new());
    let place = locate::locate(&parsed, &locate).expect("the file has a line 1");
    assert_eq!(place.point, 1);
    locate.scope = None;
    assert_eq!(
        locate::locate(&parsed, &locate),
        Err(LocateError::NothingAsked)
    );
}

#[test]
fn match_numbers_start_at_1() {
    let text = "a\n";
    let parsed = Parsed::parse(Source::new(
        "a.txt",
        language::for_file("a.txt", text),
        text.into(),
    ));
    let question = Question {
        locate: "a.txt@a".parse().expect("it is a locate"),
        find_index: Some(0),
        fuzzy: false,
    };
    let refused = locate::answer(&parsed, &question);
    let (find_index, matches) = (0, 1);
    assert_eq!(
        refused,
        Err(LocateError::IndexOutOfRange {
            find_index,
            matches
        })
    );
}

#[test]
fn every_form_of_the_page_resolves_as_stated() {
    let rows = rows_of_page("what it means");
    assert!(rows.len() > 30, "the page lists {} forms", rows.len());
    for [string, object, target, _] in rows {
        let locate: Locate = string.parse().expect("each string of the page is a locate");
        let object: Value = serde_json::from_str(&object).expect("each object of the page is one");
        assert_eq!(asked(&object).as_ref(), Ok(&locate), "{string}");
        let parsed = parsed_from_page(&locate);
        let shown = |offset| shown_of(&parsed, offset);
        let got = if target.contains('-') {
            locate::locate_range(&parsed, &locate.into())
                .map(|place| [shown(place.span.start()), shown(place.span.end())].join("-"))
        } else {
            locate::locate(&parsed, &locate).map(|place| shown(place.point))
        };
        assert_eq!(got, Ok(target), "{string}");
    }
}

#[test]
fn every_refusal_of_the_page_occurs() {
    let rows = rows_of_page("why");
    assert!(rows.len() > 5, "the page lists {} refusals", rows.len());
    for [string, refusal, _] in rows {
        let got = asked(&json!(string)).and_then(|locate| {
            let parsed = parsed_from_page(&locate);
            let place = locate::locate(&parsed, &locate);
            place.map_err(|error| code(&error))
        });
        assert_eq!(got, Err(refusal.as_str()), "{string}");
    }
}

#[test]
fn every_choice_of_the_page_is_made_as_stated() {
    let rows = rows_of_page("what is chosen");
    assert!(rows.len() > 3, "the page lists {} choices", rows.len());
    for [object, target, why] in rows {
        let argument: LocateArgument = serde_json::from_str(&object).expect("the object is read");
        let parsed = parsed_from_page(&argument.0.locate);
        match locate::answer(&parsed, &argument.0) {
            Ok(place) => assert_eq!(shown_of(&parsed, place.point), target, "{object}"),
            Err(error) => {
                assert_eq!(target, "refused", "{object}");
                assert!(why.contains(code(&error)), "{object}: {}", code(&error));
            }
        }
    }
}

#[test]
fn every_description_of_the_page_is_correct() {
    let rows = rows_of_page("selector");
    assert!(rows.len() > 5, "the page describes {} places", rows.len());
    for [place, locate, selector] in rows {
        let named: Locate = locate.parse().expect("each locate of the page is one");
        let parsed = parsed_from_page(&named);
        let position = PositionArgument::read(&place).expect("each place is one");
        let position = Position {
            line: position.at.line,
            character: position.at.character.expect("each place has a character"),
        };
        let point = parsed
            .source()
            .offset(position)
            .expect("the page has that line");
        let described = locate::describe(&parsed, point);
        let question = described.question.expect("the place is described");
        assert_eq!(question, named.into(), "{place}");
        let text = &parsed.source().text()[described.point..];
        let end = described.point + text.chars().next().map_or(0, char::len_utf8);
        let chain = parsed.chain(Span::new(described.point, end));
        let selector: SelectorArgument = serde_json::from_str(&selector).expect("it is read");
        assert_eq!(
            select::describe(&parsed, &chain),
            Some(selector.0),
            "{place}"
        );
    }
}

fn shown_of(parsed: &Parsed, offset: usize) -> String {
    let position = parsed.source().position(offset);
    format!("{}:{}", position.line, position.character)
}

/// Returns the rows of the page's tables whose last column has this heading, without backquotes.
fn rows_of_page<const COLUMNS: usize>(heading: &str) -> Vec<[String; COLUMNS]> {
    let ending = format!("| {heading} |");
    let tables = PAGE.split("\n\n").filter(|part| {
        let first = part.lines().next();
        first.is_some_and(|line| line.ends_with(&ending))
    });
    let rows = tables.flat_map(|table| table.lines().skip(2));
    rows.map(|row| {
        // In a table, a literal bar is written `\|`.
        let row = row.replace("\\|", "\0");
        let cells = row.trim_matches('|').split('|');
        let cells = cells.map(|cell| cell.trim().trim_matches('`').replace('\0', "|"));
        let cells: Vec<String> = cells.collect();
        cells.try_into().expect("a row has a cell for each column")
    })
    .collect()
}

/// Parses the file of the page that a locator names; folders are ignored.
fn parsed_from_page(locate: &Locate) -> Parsed {
    let name = locate.file_path.rsplit(['/', '\\']).next();
    let name = name.expect("a path has a last part");
    let (_, rest) = PAGE
        .split_once(&format!("`{name}`"))
        .expect("the page shows each of its files");
    let block = rest.split("```").nth(1);
    let text = block.and_then(|block| block.split_once('\n'));
    let (_, text) = text.expect("each file's name precedes its text");
    Parsed::parse(Source::new(
        name,
        language::for_file(name, ""),
        text.to_string(),
    ))
}

fn cases() -> Vec<Case> {
    let lines = CASES.iter().flat_map(|file| file.lines());
    lines
        .map(|line| serde_json::from_str(line).expect("each line is a case"))
        .collect()
}

/// Returns the expected answer, with byte and UTF-16 column if the case has them.
fn expected(case: &Case) -> Value {
    let mut expected = case.expect.clone();
    if let (Some(Value::Object(offsets)), Some(expected)) =
        (&case.offsets, expected.as_object_mut())
    {
        expected.extend(offsets.clone());
    }
    expected
}

/// Returns the actual answer.
fn answer(case: &Case) -> Value {
    let locate = match asked(&case.locate) {
        Ok(locate) => locate,
        Err(code) => return json!({"error": code}),
    };
    if case.kind == Kind::Parse {
        return json!({"parsed": as_parsed(&locate)});
    }
    if locate.file_path != case.file {
        return json!({"error": "file_not_found"});
    }
    let language = language::for_file(&case.file, "");
    let source = Source::new(&case.file, language, case.source_text.clone());
    let parsed = Parsed::parse(source);
    let place = match case.kind {
        Kind::Range => locate::locate_range(&parsed, &locate.into()),
        _ => locate::locate(&parsed, &locate),
    };
    match place {
        Err(error) => json!({"error": code(&error)}),
        Ok(place) => shown(case, parsed.source(), place),
    }
}

/// Parses a request in either form; returns the code of the refusal if that fails.
fn asked(locate: &Value) -> Result<Locate, &'static str> {
    match locate {
        Value::String(text) => text.parse().map_err(|error| match error {
            LocateSyntaxError::InvalidScope { .. } => "invalid_scope",
            _ => "invalid_locate",
        }),
        object => {
            let read = |value: &Value| LocateArgument::deserialize(value.clone());
            read(object).map(|argument| argument.0.locate).map_err(|_| {
                // The scope is at fault if the rest can be read.
                let mut rest = object.clone();
                rest.as_object_mut().map(|rest| rest.remove("scope"));
                match read(&rest) {
                    Ok(_) => "invalid_scope",
                    Err(_) => "invalid_locate",
                }
            })
        }
    }
}

/// Returns a request as the cases write it: missing parts are `null`, a single line is a range.
fn as_parsed(locate: &Locate) -> Value {
    let scope = locate.scope.as_ref().map(|scope| match scope {
        Scope::Symbol(symbol) => json!({"symbol_path": symbol.symbol_path}),
        Scope::Lines(lines) => json!({"line": [lines.first(), lines.last().unwrap_or(0)]}),
    });
    json!({"file_path": locate.file_path, "scope": scope, "find": locate.find})
}

/// Returns a position or range as the cases write it, with byte and UTF-16 column if the case has
/// them.
fn shown(case: &Case, source: &Source, place: Place) -> Value {
    let point = |offset: usize| {
        let position = source.position(offset);
        json!({"line": position.line, "character": position.character})
    };
    if case.kind == Kind::Range {
        return json!({"start": point(place.span.start()), "end": point(place.span.end())});
    }
    let mut shown = point(place.point);
    if case.offsets.is_some() {
        shown["byte"] = json!(place.point);
        shown["utf16_character"] = json!(source.utf16_character(place.point));
    }
    shown
}

fn code(error: &LocateError) -> &'static str {
    match error {
        LocateError::NothingAsked => "invalid_locate",
        LocateError::IndexOutOfRange { .. } => "nth_out_of_range",
        LocateError::Scope(ScopeError::LineOutOfRange { .. }) => "line_out_of_range",
        LocateError::Scope(ScopeError::EmptySymbolPath) => "invalid_scope",
        LocateError::Scope(ScopeError::SymbolNotFound { .. }) => "symbol_not_found",
        LocateError::Scope(ScopeError::AmbiguousSymbol { .. }) => "ambiguous_symbol",
        LocateError::Find(_) => "find_not_found",
        other => panic!("no code is known for {other:?}"),
    }
}
