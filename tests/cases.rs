//! Every request of the pages in `cases/` gets the answer that its page shows. `pages.rs` describes
//! the format.
//!
//! Each case is also checked against the guarantees: a preview writes nothing; applying it writes
//! what the diff shows; no byte outside the target changes; every suggestion resolves.
//!
//! `TREEGRAFT_RECORD=1` writes the answers into the pages; review what changed.

#![expect(clippy::disallowed_methods, reason = "pages are files")]

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use similar::TextDiff;
use treegraft::engine::calls::Call;
use treegraft::engine::on_text::OneText;
use treegraft::engine::response::RefusedCall;
use treegraft::engine::tools;
use treegraft::language::LANGUAGES;

use crate::pages::{self, Case, Page};
use crate::support::{
    Answered, Bench, HAS_ALL, is_left_out, is_recording, patched, repository, resolved, steady,
};

/// The minimum number of cases of a language.
const AT_LEAST: usize = 12;

#[test]
fn every_case_gets_the_answer_on_its_page() {
    let pages = pages();
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, page)) = take(&pages, &next) {
                    let found = complaints_of(page);
                    let mut complaints = complaints.lock().expect("no thread panicked");
                    complaints.insert(index, found);
                }
            });
        }
    });
    let cases: usize = pages.iter().map(|page| page.cases.len()).sum();
    let on_text = ON_TEXT.load(Ordering::Relaxed);
    assert!(
        on_text * 10 > cases * 9,
        "{on_text} of {cases} calls were made on a text"
    );
    let complaints = complaints.into_inner().expect("no thread panicked");
    let all: Vec<String> = complaints.into_values().flatten().collect();
    assert!(
        all.is_empty(),
        "{}\n\n{} cases failed; TREEGRAFT_RECORD=1 records the answers",
        all.join("\n\n"),
        all.len()
    );
}

/// Returns the next page that no thread has taken.
fn take<'a>(pages: &'a [Page], next: &AtomicUsize) -> Option<(usize, &'a Page)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, pages.get(index)?))
}

/// Only pages of languages that are not in the build are skipped.
#[test]
fn every_language_has_cases() {
    let pages = pages();
    for language in LANGUAGES.iter().filter(|language| !language.is_inner()) {
        let own = pages.iter().filter(|page| page.language == language.name);
        let count: usize = own.map(|page| page.cases.len()).sum();
        assert!(count >= AT_LEAST, "{} has {count} cases", language.name);
    }
    if HAS_ALL {
        let all = pages::all(repository()).expect("the pages can be read");
        assert_eq!(all.len(), pages.len());
    }
}

/// Reads the pages of the languages that are built in.
pub(crate) fn pages() -> Vec<Page> {
    let mut pages = match pages::all(repository()) {
        Ok(pages) => pages,
        Err(complaints) => panic!("{}", complaints.join("\n")),
    };
    pages.retain(|page| !is_left_out(&page.language));
    pages
}

/// Makes the requests of a page. Returns what is wrong, or writes the answers when recording.
fn complaints_of(page: &Page) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut answers = BTreeMap::new();
    for (index, case) in page.cases.iter().enumerate() {
        let complain = |words: &str| format!("{}: {}\n{words}", case.location, case.heading);
        if tools::tool(&case.tool).is_none() {
            complaints.push(complain(&format!("unknown tool `{}`", case.tool)));
            continue;
        }
        let answer = match catch_unwind(AssertUnwindSafe(|| answer(case))) {
            Ok(answer) => answer,
            Err(panic) => {
                let words = panic.downcast_ref::<String>().map(String::as_str);
                let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
                complaints.push(complain(words.unwrap_or("the case panicked")));
                continue;
            }
        };
        let (shown, wanted) = (
            &page.source[case.answer.clone()],
            pages::answer_block(&answer),
        );
        if shown != wanted {
            if !is_recording() {
                complaints.push(complain(&difference(shown, &wanted)));
            }
            answers.insert(index, answer);
        }
    }
    if is_recording() && !answers.is_empty() {
        let text = pages::recorded(page, &answers);
        fs::write(repository().join(&page.path), text).expect("the page can be written");
    }
    complaints
}

/// Shows how an answer differs from its page.
fn difference(page: &str, answer: &str) -> String {
    if page.is_empty() {
        return format!("the page has no answer:\n{answer}");
    }
    let diff = TextDiff::from_lines(page, answer);
    let diff = diff.unified_diff().header("page", "answer").to_string();
    diff.lines().map(|line| format!("    {line}\n")).collect()
}

/// Makes the request of a case, checks the promises, and returns the answer.
fn answer(case: &Case) -> String {
    let bench = Bench::with(&case.file_name, case.before.as_bytes());
    let answered = bench.call(&case.tool, case.arguments.clone());
    check_on_text(case, &answered);
    match answered {
        Ok(answered) => {
            if answered.json.get("edit_id").is_some() {
                check_edit(&bench, case, &answered);
            }
            steady(&answered.text)
        }
        Err(refusal) => {
            assert_eq!(bench.read(&case.file_name), case.before.as_bytes());
            // Suggested calls are copied from the text, as agents do.
            let text = refusal.text();
            let copied: Vec<(&str, Value)> = text.lines().filter_map(call_in).collect();
            assert!(copied.len() >= refusal.suggestions().len().min(1), "{text}");
            for (tool, arguments) in copied {
                if let Err(again) = bench.call(tool, arguments) {
                    assert!(
                        resolved(again.code()),
                        "a suggestion is refused: {}",
                        again.text()
                    );
                }
            }
            steady(&text)
        }
    }
}

/// The number of cases whose call was also made on their text alone.
static ON_TEXT: AtomicUsize = AtomicUsize::new(0);

/// Checks that the call on the text alone has the same answer as on the file, unless it needs files.
fn check_on_text(case: &Case, on_file: &Result<Answered, Box<RefusedCall>>) {
    let message = |refused: &RefusedCall| refused.json()["error"]["message"].to_string();
    let bytes = case.before.as_bytes().to_vec();
    let text = OneText::new(Some(&case.file_name), None, bytes);
    let text = text.unwrap_or_else(|refused| panic!("{}", refused.text()));
    if Call::read(&case.tool, case.arguments.clone()).is_err() {
        // Of several edits, the engine also explains the others.
        return;
    }
    let on_text = match text.call(&case.tool, case.arguments.clone()) {
        Err(refused) if message(&refused).contains("a call on a text") => return,
        on_text => on_text,
    };
    ON_TEXT.fetch_add(1, Ordering::Relaxed);
    match (on_text, on_file) {
        (Ok(on_text), Ok(on_file)) => {
            let mut answer = on_text.answer.as_json();
            let mut expected = on_file.json.clone();
            if let Some(edit_id) = expected
                .as_object_mut()
                .and_then(|all| all.remove("edit_id"))
            {
                let after = on_text.after.as_ref().map_or("", OneText::text);
                let diff = expected["files"][0]["diff"].as_str();
                assert_eq!(
                    after,
                    patched(&case.before, diff.unwrap_or_default()),
                    "{edit_id}"
                );
            }
            for json in [&mut answer, &mut expected] {
                let fields = json.as_object_mut().expect("an answer is an object");
                // A text has one page, whose totals count what it leaves out.
                for field in ["cursor", "total", "symbols_total"] {
                    fields.remove(field);
                }
            }
            assert_eq!(
                answer, expected,
                "the answers about the text and the file differ"
            );
        }
        (Err(on_text), Err(on_file)) => {
            assert_eq!(on_text.code(), on_file.code());
            assert_eq!(message(&on_text), message(on_file));
        }
        (Ok(_), Err(refused)) => panic!("refused only on the file: {}", refused.text()),
        (Err(refused), Ok(_)) => panic!("refused only on the text: {}", refused.text()),
    }
}

/// Returns the call on a line of a refusal.
fn call_in(line: &str) -> Option<(&str, Value)> {
    let (tool, arguments) = line.strip_prefix("  ")?.split_once(' ')?;
    let is_tool = tool.contains('_') || ["outline", "locate"].contains(&tool);
    let arguments = is_tool.then(|| serde_json::from_str(arguments).ok())?;
    Some((tool, arguments?))
}

fn check_edit(bench: &Bench, case: &Case, answered: &Answered) {
    let before = &*case.before;
    let edit_id = serde_json::json!({"edit_id": answered.json["edit_id"]});
    if answered.json["status"] == "applied" {
        assert_ne!(
            bench.read(&case.file_name),
            before.as_bytes(),
            "it is written"
        );
        bench.call("undo_edit", edit_id).expect("it can be undone");
        assert_eq!(
            bench.read(&case.file_name),
            before.as_bytes(),
            "it is undone"
        );
        return;
    }
    assert_eq!(
        bench.read(&case.file_name),
        before.as_bytes(),
        "a preview writes nothing"
    );
    let file = &answered.json["files"][0];
    bench
        .call("apply_edit", edit_id)
        .expect("a preview can be applied");
    let after = String::from_utf8(bench.read(&case.file_name)).expect("the file stays UTF-8");
    let diff = file["diff"].as_str().expect("an edit has a diff");
    assert_eq!(
        after,
        patched(before, diff),
        "what is written is what was shown"
    );

    match case.tool.as_str() {
        "move_node" => return check_only_moves(before, &after),
        "insert_node" | "delete_node" | "wrap_node" => {
            return check_only_adds_or_only_removes(&case.tool, before, &after);
        }
        "rewrite" if case.arguments["new_content"] == "" => {
            return check_only_adds_or_only_removes("delete_node", before, &after);
        }
        _ => {}
    }
    if let Some(edits) = file["edits"].as_array()
        && edits.iter().all(|edit| {
            ["replace", "replace_text"]
                .iter()
                .any(|action| edit["action"] == *action)
        })
    {
        return check_only_replaces(edits, before, &after);
    }
    let byte = |range: &str, end: &str| {
        file[range][end]["byte"]
            .as_u64()
            .expect("ranges include byte offsets") as usize
    };
    if case.tool == "replace_text" {
        // The newline of a removed line may be removed with it.
        let outside = |text: &str, range: &str| {
            let (ahead, suffix) = (&text[..byte(range, "start")], &text[byte(range, "end")..]);
            (
                ahead.trim_end().to_string(),
                suffix.trim_start().to_string(),
            )
        };
        assert_eq!(outside(before, "range"), outside(&after, "new_range"));
        return;
    }
    // An edit of part of a string may replace adjacent whitespace that the grammar does not
    // include.
    let tail = &after[byte("new_range", "end")..];
    let end = before.strip_suffix(tail).map(str::len);
    let end = end.expect("nothing changes after the target");
    let replaced = before.get(byte("range", "end")..end);
    assert!(replaced.unwrap_or_default().trim().is_empty());
    let attached = answered.text.contains("note: replaced the nodes attached");
    if !attached {
        // A comment at the start of the node may stay.
        let ahead = byte("new_range", "start");
        assert_eq!(
            before[..ahead],
            after[..ahead],
            "nothing changes before the new text"
        );
        // Comments of the content go before the decorators, which stay.
        let between = before.get(ahead..byte("range", "start"));
        let new = &after[ahead..byte("new_range", "end")];
        assert!(new.contains(between.unwrap_or_default().trim()));
    }
}

/// Checks that the text before, between and after several replaced nodes is unchanged.
fn check_only_replaces(edits: &[Value], before: &str, after: &str) {
    let outside = |text: &str, range: &str| -> Vec<String> {
        let byte = |edit: &Value, end: &str| {
            let byte = edit[range][end]["byte"].as_u64();
            byte.expect("ranges include byte offsets") as usize
        };
        let mut spans: Vec<(usize, usize)> = edits
            .iter()
            .map(|edit| (byte(edit, "start"), byte(edit, "end")))
            .collect();
        spans.sort_unstable();
        let starts = [0].into_iter().chain(spans.iter().map(|(_, end)| *end));
        let ends = spans.iter().map(|(start, _)| *start).chain([text.len()]);
        starts
            .zip(ends)
            .map(|(start, end)| text[start..end].to_string())
            .collect()
    };
    assert_eq!(outside(before, "range"), outside(after, "new_range"));
}

/// Checks that a move keeps all characters except whitespace and separators.
fn check_only_moves(before: &str, after: &str) {
    let sorted = |text: &str| {
        let mut all: Vec<char> = text.chars().collect();
        all.retain(|c| !c.is_whitespace() && *c != ',' && *c != ';');
        all.sort_unstable();
        all
    };
    assert_eq!(
        sorted(before),
        sorted(after),
        "a move removed or added text"
    );
}

/// Checks that an insertion keeps all existing characters in order and that a deletion adds none,
/// whitespace aside. An insertion may replace the semicolon of `def f; end` by a line break.
fn check_only_adds_or_only_removes(tool: &str, before: &str, after: &str) {
    let (whole, part) = match tool {
        "insert_node" | "wrap_node" => (after, before),
        _ => (before, after),
    };
    let part = part.replace("; end", " end");
    let mut rest = whole.chars();
    for c in part.chars().filter(|c| !c.is_whitespace()) {
        assert!(rest.any(|other| other == c), "{tool} lost or moved {c:?}");
    }
}

/// Parses a page of Rust with this text after its title and introduction.
fn page_with(text: &str) -> Result<Page, Vec<String>> {
    let source = format!("# Title\n\nProse.\n\n{text}");
    pages::page("a.md", "rust", "rs", source)
}

#[test]
fn a_page_is_read() {
    let page = page_with(
        "## One\n\n```rust file=a.rs crlf bom no-final-newline\na\nb\n```\n\n```json locate\n{\"locate\": \"a.rs@a\"}\n```\n\n\
         ```text escapes\n1\\r\n```\n\n## Two\n\n### Three\n\n~~~json outline\n{}\n~~~\n\n```diff\n2\n```\n\n### Four\n\n\
         ```rust escapes\n\\u{e9}\\\\\\t\n```\n\n````json read_node\n{}\n````\n",
    );
    let page = page.unwrap_or_else(|complaints| panic!("{complaints:?}"));
    let headings: Vec<&str> = page.headings.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(headings, ["Title", "One", "Two", "Three", "Four"]);
    let read = page.cases.iter().map(|case| {
        let expected = case.expected.as_deref().unwrap_or_default();
        let before = &*case.before;
        format!(
            "{} {} {} {before:?} {expected:?}",
            case.heading, case.location, case.arguments
        )
    });
    let preview = format!("2\n{}", pages::PREVIEW_END).trim_end().to_string();
    assert_eq!(
        read.collect::<Vec<_>>(),
        [
            r#"One a.md:12 {"locate":"a.rs@a"} "\u{feff}a\r\nb" "1\r""#.to_string(),
            format!(r#"Three a.md:24 {{"path":"a.rs"}} "\u{{feff}}a\r\nb" {preview:?}"#),
            r#"Four a.md:38 {"file_path":"before.rs"} "é\\\t\n" """#.to_string(),
        ]
    );
}

#[test]
fn only_answers_are_recorded() {
    let text = |first: &str, second: &str| {
        format!(
            "## One\n\n```rust\na\n```\n\n~~~json outline\n{{}}\n~~~\n\n{first}\n*  odd   prose\n\n## Two\n\n```json outline\n{{}}\n```\n{second}"
        )
    };
    let page = page_with(&text("~~~text\nold\n~~~\n", ""));
    let page = page.unwrap_or_else(|complaints| panic!("{complaints:?}"));
    let preview = format!("one\n{}", pages::PREVIEW_END);
    let answers = [(0, preview), (1, "a\u{feff}\\\n  ```\n".to_string())];
    let wanted = text(
        "```diff\none\n```\n",
        "\n````text escapes\na\\u{feff}\\\\\n  ```\n````\n",
    );
    assert_eq!(
        pages::recorded(&page, &BTreeMap::from(answers)),
        format!("# Title\n\nProse.\n\n{wanted}")
    );
}

#[test]
fn errors_in_a_page_are_reported_with_their_lines() {
    const TEXT: &str = "```rust\na\n```\n\n";
    const REQUEST: &str = "```json outline\n{}\n```\n\n";
    let case = format!("## One\n\n{TEXT}{REQUEST}");
    let wrong = [
        (
            format!("{case}## One\n\n{REQUEST}"),
            "15: line 5 has the same heading",
        ),
        (format!("{case}## Two\n"), "15: the heading has no request"),
        (format!("{case}#### Two\n"), "15: a heading of level 4"),
        (format!("{case}Two\n---\n"), "15: a heading starts with `#`"),
        (
            format!("{case}```diff crlf\n```\n"),
            "15: an answer has no setting but `escapes`",
        ),
        (
            format!("{case}```rust\n```\n"),
            "15: an answer is `diff` or `text`",
        ),
        (
            format!("{case}Prose.\n\n```text\n```\n"),
            "15: prose between a request and its answer",
        ),
        (
            format!("{case}## Two\n\n```text\n"),
            "17: the closing fence is not that of the block",
        ),
        (
            format!("{case}## Two\n\n- ```text\n"),
            "17: a code block is inside another block",
        ),
        (format!("{TEXT}{case}"), "5: no request is about the text"),
        (format!("{TEXT}{REQUEST}"), "9: the request has no heading"),
        (
            format!("## One\n\n{REQUEST}"),
            "7: no text precedes the request",
        ),
        (format!("{case}\n<p>\n"), "16: HTML"),
        (case.replace("rust", "rust odd"), "7: unknown setting `odd`"),
        (
            case.replace("rust\n", "rust escapes\n\\x"),
            "7: unknown escape `\\x`",
        ),
        (
            case.replace("{}", "{"),
            "11: the arguments are no JSON: EOF while parsing an object at line 2 column 0",
        ),
        (case.replace("{}", "[]"), "11: the arguments are no object"),
        (
            case.replace("{}", "{\"path\": \"a\"}"),
            "11: the tests add `path`",
        ),
        (
            case.replace("rust", "python"),
            "7: a block `python`: a text is `rust`, a request is `json <tool>`, and an answer follows a request",
        ),
        (
            case.replace("```rust", "    a\n\n```rust"),
            "7: a code block has no fence",
        ),
        (
            case.replace("```rust", " ```rust"),
            "7: a fence is indented",
        ),
        (case.replace("a\n", "a\r\n"), "8: a line ends with `\\r`"),
        ("Prose.\n".to_string(), "5: the page has no request"),
    ];
    for (text, complaint) in wrong {
        let complaints = page_with(&text).err().unwrap_or_default();
        let wanted = format!("a.md:{complaint}");
        assert!(
            complaints.contains(&wanted),
            "{text}\n{wanted}\n{complaints:?}"
        );
    }
    let untitled = pages::page("a.md", "rust", "rs", case.clone()).err();
    assert_eq!(
        untitled.unwrap_or_default()[0],
        "a.md:1: a heading of level 2"
    );
    let bare = pages::page("a.md", "rust", "rs", format!("# Title\n\n{case}")).err();
    assert_eq!(
        bare.unwrap_or_default(),
        ["a.md:3: no prose introduces the page"]
    );
}
