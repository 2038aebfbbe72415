//! Makes one edit of any text. Input: `decisions name \0 scope \0 anchor \0 types \0 content \0
//! file`. The decisions are [`DECISIONS`] bytes: the kind of anchor, the type, the operation, and
//! the checks that may fail.
//!
//! Checks: only the replacements change, and the diff and digests of the preview match them. An
//! edit that passes every check adds no syntax problem to a text without problems, and none outside
//! the change to any other text.

#![no_main]
#![expect(
    clippy::disallowed_methods,
    reason = "the shared test helpers read files"
)]

#[expect(dead_code, reason = "the tests use the rest of it")]
#[path = "../../tests/support/bench.rs"]
mod bench;

use libfuzzer_sys::{Corpus, fuzz_target};
use treegraft::change::Change;
use treegraft::edit::{Indent, InsertPosition, Operation, edit};
use treegraft::locate::parse_scope;
use treegraft::parse::{Parsed, SyntaxProblem};
use treegraft::preview::preview;
use treegraft::select::{Anchor, Selection, Selector, discover, select};
use treegraft::source::{Digest, FileDigest, Source, Span};
use treegraft::validate::{Check, Checked, validate};
use treegraft_fuzz::{Choices, boundary, check_span, parts, source_of, text_of};

use bench::patched;

/// The number of bytes of an input that are decisions.
const DECISIONS: usize = 8;
const CHECKS: [Check; 3] = [
    Check::SyntaxErrors,
    Check::Surroundings,
    Check::SuspiciousContent,
];

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some((decisions, rest)) = input.split_at_checked(DECISIONS) else {
        return Corpus::Reject;
    };
    let Some((words, file)) = parts::<5>(rest) else {
        return Corpus::Reject;
    };
    let words = words.map(text_of);
    check(Asked::of(decisions, &words), &words[0], file);
    Corpus::Keep
});

/// The edit that an input describes.
struct Asked<'a> {
    /// The start and length of the anchor, if it is a part of the file.
    stretch: Option<(usize, usize)>,
    /// The distance to the enclosing node that provides the type, if any.
    above: Option<usize>,
    is_find: bool,
    scope: &'a str,
    anchor: &'a str,
    types: &'a str,
    nth: Option<usize>,
    outward: usize,
    sibling: isize,
    operation: Operation,
    allow: Vec<Check>,
}

impl<'a> Asked<'a> {
    fn of(decisions: &[u8], words: &'a [String; 5]) -> Asked<'a> {
        let mut choices = Choices::new(decisions);
        let [_, scope, anchor, types, content] = words;
        let flags = choices.byte();
        let is = |bit: u8| flags & 1 << bit != 0;
        let allowed = choices.byte();
        let start = choices.below(1 << 16);
        let length = usize::from(choices.byte());
        let above = usize::from(choices.byte());
        let which = choices.byte();
        Asked {
            stretch: is(0).then_some((start, length)),
            above: is(1).then_some(above),
            is_find: is(2),
            scope,
            anchor,
            types,
            nth: (which & 3 != 0).then_some(usize::from(which & 3)),
            outward: usize::from(which >> 2 & 3),
            sibling: match which >> 4 {
                beyond @ 12.. => isize::from(beyond) - 16,
                few @ 0..4 => isize::from(few),
                _ => 0,
            },
            operation: operation(choices.byte(), is(3), is(4), content),
            allow: (0..3)
                .filter(|bit| allowed & 1 << bit != 0)
                .map(|bit| CHECKS[bit])
                .collect(),
        }
    }

    /// Returns the selector for a file, or `None` if the scope is invalid.
    fn selector(&self, parsed: &Parsed) -> Option<Selector> {
        let text = parsed.source().text();
        let mut at = text.find(self.anchor).unwrap_or_default();
        let mut anchor = self.anchor.to_string();
        if let Some((start, length)) = self.stretch {
            at = boundary(text, start % (text.len() + 1));
            anchor = text[at..boundary(text, at + length)].to_string();
        }
        let mut types: Vec<String> = self.types.split_whitespace().map(str::to_string).collect();
        if let Some(above) = self.above {
            let span = Span::new(at, (at + anchor.len()).min(text.len()));
            let chain = parsed.chain(span);
            let node = chain.iter().rev().nth(above % chain.len().max(1));
            types = node
                .map(|node| node.kind().to_string())
                .into_iter()
                .collect();
        }
        Some(Selector {
            anchor: match (&self.operation, self.is_find) {
                (Operation::ReplaceText { .. }, _) => Anchor::Part(anchor),
                (_, true) => Anchor::Find(anchor),
                (_, false) => Anchor::Text(anchor),
            },
            ancestor_node_type: types,
            scope: parse_scope(self.scope).ok()?,
            nth: self.nth,
            outward: self.outward,
            sibling: self.sibling,
        })
    }
}

fn operation(which: u8, verbatim: bool, include_attached: bool, content: &str) -> Operation {
    let new_content = content.to_string();
    let indent = match verbatim {
        true => Indent::Verbatim,
        false => Indent::Auto,
    };
    let inserted = |position| Operation::Insert {
        position,
        new_content: new_content.clone(),
        indent,
        blank_lines: Default::default(),
    };
    match which % 9 {
        0 => inserted(InsertPosition::Before),
        1 => inserted(InsertPosition::After),
        2 => inserted(InsertPosition::FirstChild),
        3 => inserted(InsertPosition::LastChild),
        4 => Operation::Delete,
        5 => Operation::Wrap {
            new_content,
            indent,
        },
        6 => Operation::ReplaceText {
            new_content,
            indent,
        },
        _ => Operation::Replace {
            new_content,
            indent,
            include_attached,
        },
    }
}

fn check(asked: Asked<'_>, name: &str, file: &[u8]) {
    let parsed = Parsed::parse(source_of(name, file));
    let Some(selector) = asked.selector(&parsed) else {
        return;
    };
    let selection = match select(&parsed, &selector) {
        Ok(selection) => selection,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let _ = discover(&parsed, &selector);
            return;
        }
    };
    check_selection(&selection);
    match edit(selection.clone(), &asked.operation) {
        Ok(edited) => check_edited(&edited),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    }
    let edited = || edit(selection.clone(), &asked.operation).expect("the edit can be repeated");
    if let Ok(checked) = validate(edited(), &[]) {
        check_clean(&checked);
    }
    if let Ok(checked) = validate(edited(), &asked.allow) {
        check_preview(checked);
    }
    assert!(
        validate(edited(), &CHECKS).is_ok(),
        "every check can be allowed to fail"
    );
}

fn check_selection(selection: &Selection<'_>) {
    let text = selection.parsed().source().text();
    check_span(text, selection.span());
    check_span(text, selection.anchor());
    for pair in selection.chain().windows(2) {
        assert!(
            pair[0].span().contains(pair[1].span()),
            "a parent contains its child"
        );
    }
}

/// Applies the replacements to a plain string. They must be sorted and disjoint.
fn model(before: &Source, edited: &Change<'_>) -> String {
    let text = before.text();
    let mut after = String::new();
    let mut from = 0;
    for one in edited.text_edit().replacements() {
        check_span(text, one.span);
        assert!(
            from <= one.span.start(),
            "replacements are sorted and disjoint"
        );
        after.push_str(&text[from..one.span.start()]);
        after.push_str(&one.new_text);
        from = one.span.end();
    }
    after.push_str(&text[from..]);
    after
}

fn check_edited(edited: &Change<'_>) {
    let before = edited.before().source();
    let after = edited.after().source().text();
    assert_eq!(after, model(before, edited), "only the replacements change");
    assert!(!after.contains('\0'), "a text has no zero byte");
    check_span(after, edited.new_span());
    check_span(before.text(), edited.text_edit().hull());
    check_span(after, edited.text_edit().new_hull());
}

fn check_preview(checked: Checked<'_>) {
    let before = checked.before().source();
    let (span, new_span) = (checked.targets()[0].span(), checked.new_span());
    let (shown, _) = preview(checked);
    let record = shown.record();
    let after = shown.after().text();
    check_span(before.text(), span);
    check_span(after, new_span);
    let digest = |text: &str| FileDigest::Present(Digest::from_bytes(text.as_bytes()));
    assert_eq!(record.digest_before(), digest(before.text()));
    assert_eq!(record.digest_after(), digest(after));
    let diff = record.diff();
    assert_eq!(patched(before.text(), diff), after, "{diff}");
}

/// Checks an edit that passed every check: a text without problems has none after the edit, even if
/// it is parsed again, and outside the change there are only old problems.
fn check_clean(checked: &Checked<'_>) {
    let before = checked.before();
    let after = checked.after().source();
    let fresh = Parsed::parse(Source::new(
        after.path(),
        after.language(),
        after.text().to_string(),
    ));
    let strict = fresh
        .strict_problem()
        .filter(|_| before.strict_problem().is_none());
    assert!(
        strict.is_none(),
        "the strict parser refuses the result: {strict:?}"
    );
    if before.problems().is_empty() {
        assert!(
            fresh.problems().is_empty(),
            "a new problem: {:?}\nbefore: {:?}\nafter: {:?}",
            fresh.problems(),
            before.source().text(),
            after.text(),
        );
        return;
    }
    let text_edit = checked.text_edit();
    let old: Vec<Span> = before
        .problems()
        .iter()
        .map(|SyntaxProblem { span, .. }| {
            Span::new(text_edit.map(span.start()), text_edit.map(span.end()))
        })
        .collect();
    let is_new = |problem: &&SyntaxProblem| {
        !problem.span.touches(text_edit.new_hull())
            && !old.iter().any(|old| old.touches(problem.span))
    };
    let new = fresh.problems().iter().find(is_new);
    assert!(
        new.is_none(),
        "a problem outside the change: {new:?}\nbefore: {:?}\nafter: {:?}",
        before.source().text(),
        after.text(),
    );
}
