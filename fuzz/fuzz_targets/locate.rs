//! Resolves locators in any text. Input: `locate \0 file`.
//!
//! Checks: a printed locator parses back. An answer is in the text. Each match can be selected by
//! its number. The description of a found place selects it again.

#![no_main]
#![expect(
    clippy::disallowed_methods,
    reason = "the shared test helpers read files"
)]

use libfuzzer_sys::{Corpus, fuzz_target};
use treegraft::locate::{
    Locate, LocateError, LocateRange, Place, Question, Scope, SymbolScope, answer, describe,
    describe_range, locate, locate_range,
};
use treegraft::parse::Parsed;
use treegraft::select;
use treegraft::source::Span;
use treegraft_fuzz::{check_span, parts, source_of, text_of};

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some(([words], file)) = parts(input) else {
        return Corpus::Reject;
    };
    let words = text_of(words);
    check_made_of(&words);
    match words.parse::<Locate>() {
        Ok(asked) => {
            check_print(&asked);
            check_answers(&asked, &Parsed::parse(source_of(&asked.file_path, file)));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Corpus::Keep
});

fn check_print(asked: &Locate) {
    let printed = asked.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(asked), "{printed:?}");
    let range = LocateRange::from(asked.clone());
    assert_eq!(range.to_string(), printed);
    assert_eq!(printed.parse().as_ref(), Ok(&range), "{printed:?}");
}

/// Checks that a locator with arbitrary parts prints in a form that parses back.
fn check_made_of(words: &str) {
    let mut names = words.split('\n').map(str::to_string);
    let file_path = names.next().filter(|path| !path.is_empty());
    let symbol_path: Vec<String> = names.collect();
    if let Some(file_path) = file_path.filter(|_| !symbol_path.is_empty()) {
        let find = symbol_path.last().filter(|find| !find.is_empty()).cloned();
        check_print(&Locate {
            file_path,
            scope: Some(Scope::Symbol(SymbolScope { symbol_path })),
            find,
        });
    }
}

fn check_answers(asked: &Locate, parsed: &Parsed) {
    let question = |find_index, fuzzy| Question {
        locate: asked.clone(),
        find_index,
        fuzzy,
    };
    let place = match locate(parsed, asked) {
        Ok(place) => place,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            if let Ok(near) = answer(parsed, &question(None, true)) {
                check_place(parsed, &near);
                assert!(near.is_near, "a search text without a match is only near");
                let last = answer(parsed, &question(Some(near.matches), true));
                check_place(parsed, &last.expect("the index is in range"));
            }
            return;
        }
    };
    check_place(parsed, &place);
    assert!(!place.is_near);
    assert_eq!(answer(parsed, &question(None, true)), Ok(place));
    let range = locate_range(parsed, &LocateRange::from(asked.clone()));
    assert_eq!(range.map(|range| range.span), Ok(place.span));

    let last = answer(parsed, &question(Some(place.matches), false));
    check_place(parsed, &last.expect("the index is in range"));
    for find_index in [0, place.matches + 1] {
        let beyond = answer(parsed, &question(Some(find_index), false));
        assert!(
            matches!(beyond, Err(LocateError::IndexOutOfRange { .. })),
            "{find_index} of {}: {beyond:?}",
            place.matches
        );
    }
    check_descriptions(parsed, &place);
}

fn check_place(parsed: &Parsed, place: &Place) {
    let text = parsed.source().text();
    check_span(text, place.span);
    check_span(text, Span::at(place.point));
    assert!(
        place.span.contains(Span::at(place.point)),
        "the point is in its range: {place:?}"
    );
    assert!(place.matches >= 1);
}

fn check_descriptions(parsed: &Parsed, place: &Place) {
    let described = describe(parsed, place.point);
    if let Some(question) = &described.question {
        let selected = answer(parsed, question).map(|place| place.point);
        assert_eq!(selected, Ok(described.point), "{question:?}");
        check_print(&question.locate);
    }
    if let Some(range) = describe_range(parsed, place.span) {
        let selected = locate_range(parsed, &range).map(|place| place.span);
        assert!(
            selected
                .as_ref()
                .is_ok_and(|selected| place.span.contains(*selected)),
            "{range:?} selects {selected:?}, not a part of {:?}",
            place.span
        );
        check_print(&Locate::from(range));
    }
    let chain = parsed.chain(Span::at(place.point));
    if let (Some(node), Some(selector)) = (chain.last(), select::describe(parsed, &chain)) {
        let selected = select::select(parsed, &selector).expect("a description selects");
        assert_eq!(selected.node().span(), node.span(), "{selector:?}");
    }
}
