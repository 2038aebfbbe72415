//! Measures refusals, from the call to the text with suggestions.
//!
//! The unit is one bare parse of the file by tree-sitter. The texts are JavaScript of three sizes,
//! nested 0, 4 and 14 levels deep, with their functions on all levels or all in the innermost of
//! nested callbacks. Each kind of refusal is measured through the library, on the command line and
//! over MCP ([`ways`]), in the largest texts only some kinds. [`anchors`] measures more mistakes in
//! selectors, in Rust, without an engine.

mod anchors;
mod kinds;
mod nested;
mod ways;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::calls::Workspace;
use crate::floor;
use crate::measure::{Asked, Targets, by_turns, timed};

use kinds::{KINDS, Kind};
use nested::{Nested, Shape};
use ways::{CommandLine, Library, Server, Way};

/// The file that each call edits.
const PATH: &str = "bench.js";
/// The target: how many bare parses a refusal may cost.
const WANTED: f64 = 10.0;
/// The size in bytes from which a text is large: only some kinds are measured, and nesting of 4
/// levels is skipped.
const LARGE: usize = 1_000_000;
/// The time limit for all texts. Each text gets an equal share of the remaining time.
const TIME: Duration = Duration::from_secs(220);
/// A kind that costs at least this many parses is skipped for larger texts with the same nesting.
const COSTLY: f64 = 100.0;

/// The rows to measure, and the cases that were too costly so far.
struct Rows<'a> {
    asked: &'a Asked,
    targets: &'a mut Targets,
    /// Nesting, shape and kind.
    costly: HashSet<(usize, Shape, &'static str)>,
}

pub(crate) fn run(asked: &Asked, targets: &mut Targets) {
    let sizes: &[usize] = match asked.measures {
        true => &[10_000, 400_000, 3_000_000],
        false => &[10_000],
    };
    println!(
        "{:>8} {:>7} {:<10} {:<32} {:<8} {:>4} {:>9} {:>10}  ratio",
        "bytes", "nesting", "functions", "kind", "way", "runs", "parse ms", "refusal ms"
    );
    let texts: Vec<Nested> = sizes.iter().flat_map(|size| texts(*size)).collect();
    let mut rows = Rows {
        asked,
        targets,
        costly: HashSet::new(),
    };
    let start = Instant::now();
    for (index, nested) in texts.iter().enumerate() {
        let left = TIME.saturating_sub(start.elapsed());
        let share = left / u32::try_from(texts.len() - index).unwrap_or(u32::MAX);
        let left_out = rows.of_text(nested, share);
        if left_out > 0 {
            println!("{nested}: skipped {left_out} cases that take too long");
        }
    }
    println!();
    anchors::run(asked, targets);
}

/// Returns the texts of one size.
fn texts(size: usize) -> impl Iterator<Item = Nested> {
    let all = [
        (0, Shape::Spread),
        (4, Shape::Spread),
        (4, Shape::Innermost),
        (14, Shape::Spread),
        (14, Shape::Innermost),
    ];
    let wanted = all
        .into_iter()
        .filter(move |(levels, _)| size < LARGE || *levels != 4);
    wanted.map(move |(levels, shape)| Nested {
        size,
        levels,
        shape,
    })
}

impl Rows<'_> {
    /// Measures each kind in one text, way by way, until the time is used up. Returns the number of
    /// skipped cases.
    fn of_text(&mut self, nested: &Nested, time: Duration) -> usize {
        let text = nested.text();
        let workspace = Workspace::new();
        workspace.put(PATH, &text);
        let ways: [(&str, Box<dyn Way>); 3] = [
            ("library", Box::new(Library::over(&workspace))),
            ("cli", Box::new(CommandLine::over(&workspace))),
            ("mcp", Box::new(Server::over(&workspace))),
        ];
        let known = self.costly.clone();
        let key = |kind: &Kind| (nested.levels, nested.shape, kind.name);
        let start = Instant::now();
        let mut left_out = 0;
        for (name, way) in &ways {
            for kind in KINDS {
                let case = format!("refusal {nested} {} {name}", kind.name);
                let is_large = nested.size >= LARGE;
                if (is_large && !kind.is_measured_in_large) || !self.asked.wants(&case) {
                    continue;
                }
                let is_late = start.elapsed() > time && self.asked.measures;
                if is_late || known.contains(&key(kind)) {
                    left_out += 1;
                    continue;
                }
                if self.row(nested, &text, kind, (name, way.as_ref())) > COSTLY {
                    self.costly.insert(key(kind));
                }
            }
        }
        left_out
    }

    /// Measures one kind in one text in one way. Returns its ratio.
    fn row(&mut self, nested: &Nested, text: &str, kind: &Kind, way: (&str, &dyn Way)) -> f64 {
        let (name, way) = way;
        let case = format!("refusal {nested} {} {name}", kind.name);
        let mut parser = nested::parser();
        let seconds = if nested.size < 100_000 { 0.15 } else { 0.3 };
        let figures = by_turns(
            self.asked.effort(seconds).of_long_work(2),
            [
                &mut || timed(|| floor::parse(&mut parser, text)),
                &mut || {
                    let (took, code) = way.refused(kind);
                    assert_eq!(code, kind.code.as_str(), "{case}");
                    took
                },
            ],
        );
        let [parse, refusal] = [0, 1].map(|which| figures.median(which));
        let ratio = figures.ratio(1, 0);
        let held = self.targets.hold(&case, ratio, WANTED);
        println!(
            "{:>8} {:>7} {:<10} {:<32} {name:<8} {:>4} {parse:>9.3} {refusal:>10.3}  {held}",
            text.len(),
            nested.levels,
            nested.shape.name(),
            kind.name,
            figures.runs(),
        );
        ratio
    }
}
