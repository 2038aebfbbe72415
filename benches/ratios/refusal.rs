//! Measures refusals, from the call to the text with suggestions.
//!
//! The unit is one bare parse of the file by tree-sitter. The texts are JavaScript of two sizes,
//! nested 0, 4 and 14 levels deep, with their functions on all levels or all in the innermost of
//! nested callbacks. Each kind of refusal is measured through the library, on the command line and
//! over MCP ([`ways`]). [`anchors`] measures more mistakes in selectors, in Rust, without an engine.

mod anchors;
mod kinds;
mod nested;
mod ways;

use crate::calls::Workspace;
use crate::floor;
use crate::measure::{Asked, Targets, by_turns, timed};

use kinds::KINDS;
use nested::{Nested, Shape};
use ways::{CommandLine, Library, Server, Way};

/// The file that each call edits.
const PATH: &str = "bench.js";
/// The target: how many bare parses a refusal may cost.
const WANTED: f64 = 10.0;

pub(crate) fn run(asked: &Asked, targets: &mut Targets) {
    let sizes: &[usize] = match asked.measures {
        true => &[10_000, 400_000],
        false => &[2_000],
    };
    println!(
        "{:>8} {:>7} {:<10} {:<32} {:<8} {:>4} {:>9} {:>10}  ratio",
        "bytes", "nesting", "functions", "kind", "way", "runs", "parse ms", "refusal ms"
    );
    for nested in sizes.iter().flat_map(|size| texts(*size)) {
        of_text(&nested, asked, targets);
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
    all.into_iter().map(move |(levels, shape)| Nested {
        size,
        levels,
        shape,
    })
}

/// Measures each kind in one text, way by way.
fn of_text(nested: &Nested, asked: &Asked, targets: &mut Targets) {
    let text = nested.text();
    let workspace = Workspace::new();
    workspace.put(PATH, &text);
    let ways: [(&str, Box<dyn Way>); 3] = [
        ("library", Box::new(Library::over(&workspace))),
        ("cli", Box::new(CommandLine::over(&workspace))),
        ("mcp", Box::new(Server::over(&workspace))),
    ];
    let mut parser = nested::parser();
    let seconds = if nested.size < 100_000 { 0.15 } else { 0.3 };
    for (name, way) in &ways {
        for kind in KINDS {
            let case = format!("refusal {nested} {} {name}", kind.name);
            if !asked.wants(&case) {
                continue;
            }
            let figures = by_turns(
                asked.effort(seconds).of_long_work(2),
                [
                    &mut || timed(|| floor::parse(&mut parser, &text)),
                    &mut || {
                        let (took, code) = way.refused(kind);
                        assert_eq!(code, kind.code.as_str(), "{case}");
                        took
                    },
                ],
            );
            let [parse, refusal] = [0, 1].map(|which| figures.median(which));
            let held = targets.hold(&case, figures.ratio(1, 0), WANTED);
            println!(
                "{:>8} {:>7} {:<10} {:<32} {name:<8} {:>4} {parse:>9.3} {refusal:>10.3}  {held}",
                text.len(),
                nested.levels,
                nested.shape.name(),
                kind.name,
                figures.runs(),
            );
        }
    }
}
