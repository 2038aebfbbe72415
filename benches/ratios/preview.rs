//! Measures a whole preview, as a ratio to the work that no tool can avoid and to the floor program
//! (`floor.rs`).
//!
//! Cold: from the bytes of a file to its preview, compared with one bare parse. Warm: the file is
//! already parsed (and was queried before, so its digest and outline are known), compared with one
//! incremental reparse of the same edit. Parse and reparse are those of tree-sitter alone, on text
//! in one piece. Markdown has no target: its unit parses only blocks, but a preview also parses the
//! inline content around the anchor.

use treegraft::edit::{Indent, Operation, edit};
use treegraft::language;
use treegraft::locate::{Scope, SymbolScope};
use treegraft::parse::Parsed;
use treegraft::preview::{FilePreview, preview};
use treegraft::select::{Selector, select};
use treegraft::source::Source;
use treegraft::validate::validate;

use crate::floor;
use crate::measure::{Asked, Effort, Figures, Targets, by_turns, timed};
use crate::texts::{SAMPLES, Sample};

/// The size in bytes from which a file is large.
const LARGE: usize = 100_000;

pub(crate) fn run(asked: &Asked, targets: &mut Targets) {
    let effort = asked.effort(3.0);
    let sizes: &[usize] = match asked.measures {
        true => &[100, 1_000, 10_000, 50_000],
        false => &[100],
    };
    println!(
        "{:<32} {:>8} {:>4}  {:>9} {:>9} {:>9} {:>9}  {:<14} {:<14} {:<14}",
        "language and lines",
        "bytes",
        "runs",
        "unit ms",
        "floor",
        "anchor",
        "symbol",
        "to the unit",
        "symbol more",
        "to the floor"
    );
    for sample in SAMPLES {
        for lines in sizes {
            let text = sample.text(*lines);
            assert_eq!(
                text.matches(sample.anchor).count(),
                1,
                "the anchor is unique"
            );
            for (temperature, measured) in [("cold", cold as Measured), ("warm", warm as Measured)]
            {
                let case = format!("preview {} {lines} {temperature}", sample.name);
                if asked.wants(&case) {
                    let figures = measured(sample, &text, effort);
                    print(&figures, sample, &text, (&case, temperature), targets);
                }
            }
        }
    }
}

/// Returns the times of the unit, the floor, a preview by anchor, and a preview by symbol and anchor.
type Measured = fn(&Sample, &str, Effort) -> Figures<4>;

fn cold(sample: &Sample, text: &str, effort: Effort) -> Figures<4> {
    let (mut unit, mut of_floor) = (sample.parser(), sample.parser());
    let whole = |selector: &Selector| {
        let bytes = text.as_bytes().to_vec();
        timed(|| {
            let source =
                Source::from_bytes(sample.path, language::for_file(sample.path, ""), bytes)
                    .expect("the text is UTF-8 without a zero byte");
            let parsed = Parsed::parse(source);
            (previewed(sample, &parsed, selector), parsed)
        })
    };
    let (by_anchor, by_symbol) = (selector(sample, false), selector(sample, true));
    by_turns(
        effort,
        [
            &mut || timed(|| floor::parse(&mut unit, text)),
            &mut || {
                let bytes = text.as_bytes().to_vec();
                timed(|| floor::cold(sample, &mut of_floor, bytes))
            },
            &mut || whole(&by_anchor),
            &mut || whole(&by_symbol),
        ],
    )
}

fn warm(sample: &Sample, text: &str, effort: Effort) -> Figures<4> {
    let source = Source::new(
        sample.path,
        language::for_file(sample.path, ""),
        text.to_string(),
    );
    let parsed = Parsed::parse(source);
    let (by_anchor, by_symbol) = (selector(sample, false), selector(sample, true));
    let shown = previewed(sample, &parsed, &by_symbol);
    let after = shown.after().text().to_string();
    let [replacement] = shown.record().replacements() else {
        panic!("a node is replaced in one piece");
    };
    let (start, end) = (replacement.span.start(), replacement.span.end());
    let edit = floor::input_edit(text, start, end, &replacement.new_text);
    let (mut unit, mut of_floor) = (sample.parser(), sample.parser());
    let old = floor::parse(&mut unit, text);
    by_turns(
        effort,
        [
            &mut || timed(|| floor::reparse(&mut unit, &old, &edit, &after)),
            &mut || timed(|| floor::warm(sample, &mut of_floor, text, &old)),
            &mut || timed(|| previewed(sample, &parsed, &by_anchor)),
            &mut || timed(|| previewed(sample, &parsed, &by_symbol)),
        ],
    )
}

fn selector(sample: &Sample, by_symbol: bool) -> Selector {
    let symbol_path = vec![sample.symbol.to_string()];
    Selector {
        scope: by_symbol.then_some(Scope::Symbol(SymbolScope { symbol_path })),
        ..Selector::new(sample.anchor, sample.node_type)
    }
}

/// Previews an edit of a parsed file.
fn previewed(sample: &Sample, parsed: &Parsed, selector: &Selector) -> FilePreview {
    let operation = Operation::Replace {
        new_content: sample.new_content.to_string(),
        indent: Indent::Auto,
        include_attached: false,
    };
    let selection = select(parsed, selector).expect("the target is unique");
    let edited = edit(selection, &operation).expect("the target can be edited");
    let checked = validate(edited, &[]).expect("the new content is valid");
    preview(checked).0
}

fn print(
    figures: &Figures<4>,
    sample: &Sample,
    text: &str,
    (case, temperature): (&str, &str),
    targets: &mut Targets,
) {
    let [unit, floor, anchor, symbol] = [0, 1, 2, 3].map(|which| figures.median(which));
    let to_unit = figures.ratio(2, 0);
    let symbol_more = figures.ratio(3, 0) - to_unit;
    let to_floor = figures.ratio(2, 1);
    let is_cold = temperature == "cold";
    let columns = match sample.name {
        "markdown" => [to_unit, symbol_more, to_floor].map(|ratio| format!("{ratio:.2}")),
        _ => {
            let wanted = match (is_cold, text.len() >= LARGE) {
                (true, true) => 1.1,
                (true, false) => 1.25,
                (false, _) => 1.6,
            };
            let to_unit = targets.hold(&format!("{case}, to the unit"), to_unit, wanted);
            let (more, floor) = match is_cold {
                true => {
                    let name = format!("{case}, symbol scope");
                    (
                        targets.hold(&name, symbol_more, 0.1),
                        format!("{to_floor:.2}"),
                    )
                }
                false => {
                    let name = format!("{case}, to the floor");
                    (
                        format!("{symbol_more:.2}"),
                        targets.hold(&name, to_floor, 1.25),
                    )
                }
            };
            [to_unit, more, floor]
        }
    };
    let [to_unit, symbol_more, to_floor] = columns;
    println!(
        "{case:<32} {:>8} {:>4}  {unit:>9.3} {floor:>9.3} {anchor:>9.3} \
         {symbol:>9.3}  {to_unit:<14} {symbol_more:<14} {to_floor}",
        text.len(),
        figures.runs(),
    );
}
