//! What a whole preview costs, as a ratio to the work nobody can avoid.
//!
//! Cold: from the bytes of a file to its preview, to one bare parse. Warm: the file is parsed
//! already (and asked before, so that its digest and outline are known), to one incremental
//! reparse of the same edit. Parse and reparse are tree-sitter's alone, on text in one piece. A
//! second line per case says where the time of the preview goes. The texts are this project's own
//! sources, item by item.
//!
//! `cargo bench --bench preview` measures, `cargo bench --bench preview -- "4 KB warm"` only the cases
//! whose name holds the words; without `--bench` each case runs once, on the smallest text.

#![expect(clippy::disallowed_methods, reason = "how to run is an argument")]
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

mod texts;

use std::hint::black_box;
use std::time::{Duration, Instant};

use tree_sitter::{InputEdit, Point, Tree};
use treegraft::edit::{Indent, Operation, edit};
use treegraft::language;
use treegraft::locate::{Scope, SymbolScope};
use treegraft::parse::Parsed;
use treegraft::preview::{FilePreview, preview};
use treegraft::select::{Selector, select};
use treegraft::source::Source;
use treegraft::validate::validate;

use texts::{items, median, parser, text_of};

/// The function that the previews replace; its anchor stands nowhere else.
const TARGET: &str = "\
/// Adds up what is large enough.
#[inline]
pub fn target_of_the_bench(values: &[u32], least: u32) -> u32 {
    let mut total = 0;
    for value in values {
        if *value >= least {
            total += value % 7_654_321;
        }
    }
    total
}
";
const ANCHOR: &str = "value % 7_654_321";
const SYMBOL: &str = "target_of_the_bench";
const NEW_CONTENT: &str = "\
pub fn target_of_the_bench(values: &[u32], least: u32) -> u32 {
    let large = values.iter().filter(|value| **value >= least);
    let mut total: u32 = 0;
    for value in large {
        total = total.wrapping_add(value % 1_234_567);
    }
    total
}";

const PATH: &str = "src/bench.rs";
const STAGES: [&str; 6] = [
    "read+check",
    "parse",
    "select",
    "edit",
    "validate",
    "preview",
];

/// How long one case is measured, and how often.
struct Effort {
    time: Duration,
    at_least: usize,
    at_most: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |wanted: &str| arguments.iter().any(|one| one == wanted);
    let measure = has("--bench") && !has("--test");
    let sizes: &[(&str, usize)] = match measure {
        true => &[("4 KB", 4_000), ("100 KB", 100_000), ("1 MB", 1_000_000)],
        false => &[("4 KB", 4_000)],
    };
    let effort = match measure {
        true => Effort {
            time: Duration::from_secs(6),
            at_least: 7,
            at_most: 400,
        },
        false => Effort {
            time: Duration::ZERO,
            at_least: 1,
            at_most: 1,
        },
    };
    println!(
        "{:<7} {:>8}  {:<11} {:>4}  {:>26}  {:>26}  {:>5}  {:>6}",
        "size",
        "bytes",
        "case",
        "runs",
        "unit ms (min-max)",
        "preview ms (min-max)",
        "ratio",
        "paired"
    );
    let filters: Vec<&String> = arguments
        .iter()
        .filter(|one| !one.starts_with("--"))
        .collect();
    let items = items();
    for (name, size) in sizes {
        let text = text_of(&items, *size, TARGET);
        assert_eq!(text.matches(ANCHOR).count(), 1, "the anchor is unique");
        for by_symbol in [false, true] {
            let selector = selector(by_symbol);
            let target = if by_symbol { "symbol" } else { "anchor" };
            for (temperature, run) in [("cold", cold as Run), ("warm", warm as Run)] {
                let case = format!("{temperature} {target}");
                let full_name = format!("{name} {case}");
                if filters.iter().all(|filter| full_name.contains(*filter)) {
                    run(&text, &selector, &effort).print(name, text.len(), &case);
                }
            }
        }
    }
}

/// Measures one case.
type Run = fn(&str, &Selector, &Effort) -> Figures;

fn selector(by_symbol: bool) -> Selector {
    let symbol_path = vec![SYMBOL.to_string()];
    Selector {
        scope: by_symbol.then_some(Scope::Symbol(SymbolScope { symbol_path })),
        ..Selector::new(ANCHOR, "function_item")
    }
}

fn cold(text: &str, selector: &Selector, effort: &Effort) -> Figures {
    measure(
        effort,
        || {
            let start = Instant::now();
            let tree = parser().parse(text, None);
            let took = start.elapsed();
            black_box(tree);
            took
        },
        || {
            let bytes = text.as_bytes().to_vec();
            let start = Instant::now();
            let source = Source::from_bytes(PATH, language::of(PATH, ""), bytes)
                .expect("the text is UTF-8 without a zero byte");
            let read = start.elapsed();
            let parsed = Parsed::parse(source);
            let parse = start.elapsed() - read;
            let (preview, rest) = previewed(&parsed, selector);
            let total = start.elapsed();
            black_box((preview, &parsed));
            let [select, edit, validate, preview] = rest;
            (total, [read, parse, select, edit, validate, preview])
        },
    )
}

fn warm(text: &str, selector: &Selector, effort: &Effort) -> Figures {
    let source = Source::new(PATH, language::of(PATH, ""), text.to_string());
    let parsed = Parsed::parse(source);
    let (shown, _) = previewed(&parsed, selector);
    let old_tree = parser()
        .parse(text, None)
        .expect("nothing stops the parser");
    let after = shown.after().text().to_string();
    let input_edit = input_edit(&shown, text, &after);
    measure(
        effort,
        || {
            let start = Instant::now();
            let tree = reparsed(&old_tree, &input_edit, &after);
            let took = start.elapsed();
            black_box(tree);
            took
        },
        || {
            let start = Instant::now();
            let (preview, rest) = previewed(&parsed, selector);
            let total = start.elapsed();
            black_box(preview);
            let [select, edit, validate, preview] = rest;
            let none = Duration::ZERO;
            (total, [none, none, select, edit, validate, preview])
        },
    )
}

/// From a parsed file to the preview, and how long its four steps took.
fn previewed(parsed: &Parsed, selector: &Selector) -> (FilePreview, [Duration; 4]) {
    let operation = Operation::Replace {
        new_content: NEW_CONTENT.to_string(),
        indent: Indent::Auto,
        include_attached: false,
    };
    let start = Instant::now();
    let selection = select(parsed, selector).expect("the target is unique");
    let selected = start.elapsed();
    let edited = edit(selection, &operation).expect("the target can be edited");
    let edited_at = start.elapsed();
    let checked = validate(edited, &[]).expect("the new function is sound");
    let validated = start.elapsed();
    let (preview, _) = preview(checked);
    let shown = start.elapsed();
    let steps = [
        selected,
        edited_at - selected,
        validated - edited_at,
        shown - validated,
    ];
    (preview, steps)
}

fn reparsed(old_tree: &Tree, input_edit: &InputEdit, after: &str) -> Option<Tree> {
    let mut tree = old_tree.clone();
    tree.edit(input_edit);
    parser().parse(after, Some(&tree))
}

/// The one replacement of a preview as tree-sitter takes it.
fn input_edit(shown: &FilePreview, before: &str, after: &str) -> InputEdit {
    let [replacement] = &shown.facts().replacements[..] else {
        panic!("a function is replaced in one piece");
    };
    let span = replacement.span;
    let new_end = span.start() + replacement.new_text.len();
    InputEdit {
        start_byte: span.start(),
        old_end_byte: span.end(),
        new_end_byte: new_end,
        start_position: point(before, span.start()),
        old_end_position: point(before, span.end()),
        new_end_position: point(after, new_end),
    }
}

fn point(text: &str, offset: usize) -> Point {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Point {
        row: before.matches('\n').count(),
        column: offset - line_start,
    }
}

/// What was measured of one case: per run the unit, the preview and its stages.
struct Figures {
    units: Vec<Duration>,
    previews: Vec<Duration>,
    stages: Vec<[Duration; STAGES.len()]>,
}

/// Unit and preview in turn, so that both see the same machine. The first round does not count.
fn measure(
    effort: &Effort,
    unit: impl Fn() -> Duration,
    preview: impl Fn() -> (Duration, [Duration; STAGES.len()]),
) -> Figures {
    let mut figures = Figures {
        units: Vec::new(),
        previews: Vec::new(),
        stages: Vec::new(),
    };
    unit();
    preview();
    let start = Instant::now();
    loop {
        let runs = figures.units.len();
        if runs >= effort.at_most || (runs >= effort.at_least && start.elapsed() > effort.time) {
            return figures;
        }
        figures.units.push(unit());
        let (total, stages) = preview();
        figures.previews.push(total);
        figures.stages.push(stages);
    }
}

impl Figures {
    fn print(&self, size: &str, bytes: usize, case: &str) {
        let ms = |time: &Duration| time.as_secs_f64() * 1000.0;
        let units: Vec<f64> = self.units.iter().map(ms).collect();
        let previews: Vec<f64> = self.previews.iter().map(ms).collect();
        let pairs = previews.iter().zip(&units);
        let paired = median(pairs.map(|(preview, unit)| preview / unit).collect());
        let ratio = median(previews.clone()) / median(units.clone());
        println!(
            "{size:<7} {bytes:>8}  {case:<11} {:>4}  {:>26}  {:>26}  {ratio:>5.2}  {paired:>6.2}",
            units.len(),
            with_range(units),
            with_range(previews.clone()),
        );
        let whole = median(previews);
        let shares: Vec<String> = STAGES
            .iter()
            .enumerate()
            .filter_map(|(index, stage)| {
                let times = self.stages.iter().map(|stages| ms(&stages[index]));
                let time = median(times.collect());
                let share = 100.0 * time / whole;
                (time > 0.0).then(|| format!("{stage} {share:.1}% ({time:.3} ms)"))
            })
            .collect();
        println!("        {}", shares.join(", "));
    }
}

fn with_range(values: Vec<f64>) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    format!("{:.3} ({least:.3}-{most:.3})", median(values))
}
