//! Measures more mistakes in selectors, in this project's own Rust sources, item by item: from the
//! selector to the suggestions, without an engine.
//!
//! The unit is one bare parse of the text. Cold includes the parse; a known file is not parsed
//! again.

use std::hint::black_box;

use treegraft::diagnostic::{Pointing, about_select};
use treegraft::language;
use treegraft::locate::{LineScope, Scope, SymbolScope};
use treegraft::parse::Parsed;
use treegraft::select::{Anchor, Selector, select};
use treegraft::source::Source;

use crate::floor;
use crate::measure::{Asked, Targets, by_turns, timed};
use crate::texts::RUST;

use super::WANTED;

const PATH: &str = "src/bench.rs";
const TARGET: &str = "fn target_of_the_bench(values: &[u32], wanted: u32) -> Option<usize> {\n    \
                      let position = values.iter().position(|value| *value == wanted)?;\n    \
                      Some(position + 1)\n}\n";

pub(super) fn run(asked: &Asked, targets: &mut Targets) {
    let sizes: &[usize] = match asked.measures {
        true => &[1_000, 10_000, 30_000],
        false => &[100],
    };
    println!(
        "{:>7} {:<34} {:>4} {:>9} {:>9} {:<15} {:>9} known",
        "lines", "mistake", "runs", "parse ms", "cold ms", "ratio", "known ms"
    );
    for lines in sizes {
        let text = RUST.text_with(TARGET, *lines);
        let known = parse(&text);
        let mut parser = RUST.parser();
        for (name, selector) in mistakes() {
            let case = format!("refusal {lines} {name}");
            if !asked.wants(&case) {
                continue;
            }
            let figures = by_turns(
                asked.effort(0.4).of_long_work(2),
                [
                    &mut || timed(|| floor::parse(&mut parser, &text)),
                    &mut || {
                        timed(|| {
                            let parsed = parse(&text);
                            refused(&parsed, &selector, name);
                            parsed
                        })
                    },
                    &mut || timed(|| refused(&known, &selector, name)),
                ],
            );
            let [unit, cold, warm] = [0, 1, 2].map(|which| figures.median(which));
            let ratio = targets.hold(&case, figures.ratio(1, 0), WANTED);
            println!(
                "{lines:>7} {name:<34} {:>4} {unit:>9.2} {cold:>9.2} {ratio:<15} {warm:>9.2} {:.2}",
                figures.runs(),
                figures.ratio(2, 0)
            );
        }
    }
}

fn parse(text: &str) -> Parsed {
    Parsed::parse(Source::new(
        PATH,
        language::for_file(PATH, ""),
        text.to_string(),
    ))
}

fn refused(parsed: &Parsed, selector: &Selector, name: &str) {
    let Err(error) = select(parsed, selector) else {
        panic!("{name} is refused");
    };
    black_box(about_select(parsed, selector, &error, Pointing::Read));
}

fn mistakes() -> Vec<(&'static str, Selector)> {
    let line = "let position = values.iter().position(|value| *value == wanted)?;";
    let misspelled = "let postion = values.iter().position(|value| *value == wanted)?;";
    let of = |anchor: &str| Selector::new(anchor, "let_declaration");
    let long = TARGET.replace("position", "place").replace('\n', " ");
    let scoped = |scope: Scope| Selector {
        scope: Some(scope),
        ..of("let position = values.iter()")
    };
    let lines = LineScope::range(1, 2).map(Scope::Lines);
    let mut all = vec![
        ("a letter dropped", of(misspelled)),
        ("other whitespace", of(&line.replace(' ', "  "))),
        (
            "unlike any text of the file",
            of("Zwölf Boxkämpfer jagen Viktor quer"),
        ),
        ("a short anchor", of("psition")),
        ("a long anchor", Selector::new(&long, "function_item")),
        ("several nodes match", of("let ")),
        ("type misspelled", Selector::new(line, "let_declaraton")),
        (
            "another grammar's type",
            Selector::new(line, "lexical_declaration"),
        ),
        ("wrong ancestor", Selector::new(line, "struct_item")),
        (
            "unknown type, anchor everywhere",
            Selector::new("self", "nothing_of_the_kind"),
        ),
        (
            "symbol misspelled",
            scoped(Scope::Symbol(SymbolScope {
                symbol_path: vec!["target_of_the_bnch".to_string()],
            })),
        ),
        (
            "a find misspelled",
            Selector {
                anchor: Anchor::Find(misspelled.to_string()),
                ..of("")
            },
        ),
    ];
    all.extend(lines.ok().map(|lines| ("lines off", scoped(lines))));
    all
}
