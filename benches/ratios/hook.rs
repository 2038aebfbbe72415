//! Measures the check of a call of an agent's own edit tool, as `treegraft client hook` makes it for every call that passes: from
//! the text of the file to the outcome, compared with one bare parse and one incremental reparse of the same edit.
//!
//! Markdown has no target: its unit parses only blocks, but the check also parses inline content.

use std::hint::black_box;

use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::source::Source;
use treegraft::string_edit::{Outcome, StringEdit, outcome};

use crate::floor;
use crate::measure::{Asked, Targets, by_turns, timed};
use crate::texts::{SAMPLES, Sample};

/// The most that the check may cost, to the unit.
const WANTED: f64 = 1.2;

pub(crate) fn run(asked: &Asked, targets: &mut Targets) {
    let effort = asked.effort(3.0);
    let sizes: &[usize] = match asked.measures {
        true => &[100, 1_000, 4_000, 10_000],
        false => &[100],
    };
    println!(
        "{:<24} {:>8} {:>4}  {:>9} {:>9}  to the unit",
        "language and lines", "bytes", "runs", "unit ms", "check ms"
    );
    for sample in SAMPLES {
        for lines in sizes {
            let case = format!("hook {} {lines}", sample.name);
            if !asked.wants(&case) {
                continue;
            }
            let text = sample.text(*lines);
            let edit = StringEdit::new(sample.anchor, sample.anchor.replacen('7', "1", 1));
            let after = edit.applied(&text);
            let start = text.find(&edit.old).expect("the anchor is in the text");
            let place = floor::input_edit(&text, start, start + edit.old.len(), &edit.new);
            let mut parser = sample.parser();
            let figures = by_turns(
                effort,
                [
                    &mut || {
                        timed(|| {
                            let old = floor::parse(&mut parser, &text);
                            floor::reparse(&mut parser, &old, &place, &after)
                        })
                    },
                    &mut || timed(|| check(sample, &text, &edit)),
                ],
            );
            let ratio = figures.ratio(1, 0);
            let shown = match sample.name {
                "markdown" => format!("{ratio:.2}"),
                _ => targets.hold(&case, ratio, WANTED),
            };
            println!(
                "{case:<24} {:>8} {:>4}  {:>9.3} {:>9.3}  {shown}",
                text.len(),
                figures.runs(),
                figures.median(0),
                figures.median(1),
            );
        }
    }
}

/// Checks an edit of a text that was not parsed before.
fn check(sample: &Sample, text: &str, edit: &StringEdit) {
    let language = language::for_file(sample.path, "");
    let parsed = Parsed::parse(Source::new(sample.path, language, text.to_string()));
    let outcome = outcome(&parsed, std::slice::from_ref(edit));
    assert!(matches!(outcome, Outcome::Sound(_)), "the edit is right");
    black_box(outcome);
}
