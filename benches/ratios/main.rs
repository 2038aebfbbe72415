//! What treegraft costs, as ratios to the work nobody can avoid, each beside the one that is wanted.
//!
//! `cargo bench --bench ratios` measures everything, and says at the end which ratios are more than wanted;
//! `cargo bench --bench ratios -- preview rust warm` only the cases whose name holds the words. Without
//! `--bench` each case runs once, on the smallest text. What it prints on one machine stands in
//! `docs/performance.md`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads how to run from its arguments, lays out files, starts programs and prints \
              what it measured"
)]

mod calls;
mod floor;
mod locate;
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
    ("locate", locate::run),
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
