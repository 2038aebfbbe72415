//! Measures the cost of treegraft as ratios to the work that no tool can avoid, and compares each
//! ratio with its target.
//!
//! `cargo bench --bench ratios` measures everything and lists the missed targets at the end. `cargo
//! bench --bench ratios -- preview rust warm` measures only the cases whose names contain the
//! words. Without `--bench` each case runs once, on the smallest text. `docs/measured.md` has the
//! results.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads its arguments, writes files, starts programs and prints its measurements"
)]

mod calls;
mod floor;
mod hook;
mod measure;
mod memory;
mod preview;
mod refusal;
mod start;
mod texts;

use measure::{Asked, Targets};

type Run = fn(&Asked, &mut Targets);

const PARTS: &[(&str, Run)] = &[
    ("preview", preview::run),
    ("hook", hook::run),
    ("refusal", refusal::run),
    ("calls", calls::run),
    ("memory", memory::run),
    ("start", start::run),
];

fn main() {
    if memory::is_child() {
        return memory::child();
    }
    let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
    let asked = Asked::of_process(&names);
    let mut targets = Targets::default();
    for (name, run) in PARTS {
        if asked.wants_part(name) {
            println!("\n{name}\n");
            run(&asked, &mut targets);
        }
    }
    targets.print();
}
