//! How the benchmarks measure: two pieces of work by turns, so that both see the same machine, and their
//! ratio beside the one that is wanted.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads how to run from its arguments, and prints what it measured"
)]

use std::time::{Duration, Instant};

/// How this run was asked for: `--bench` measures, without it each case runs once on the smallest text;
/// other arguments are names of parts, and words that the name of a case must hold.
pub(crate) struct Asked {
    pub(crate) measures: bool,
    parts: Vec<String>,
    words: Vec<String>,
}

impl Asked {
    pub(crate) fn of_process(known: &[&str]) -> Asked {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let has = |wanted: &str| arguments.iter().any(|one| one == wanted);
        let measures = has("--bench") && !has("--test");
        let words = arguments.into_iter().filter(|one| !one.starts_with("--"));
        let (parts, words) = words.partition(|word| known.contains(&word.as_str()));
        Asked {
            measures,
            parts,
            words,
        }
    }

    pub(crate) fn wants_part(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|one| one == part)
    }

    pub(crate) fn wants(&self, case: &str) -> bool {
        let has = |word: &String| case.split_whitespace().any(|one| one == word);
        self.words.iter().all(has)
    }

    /// How long a case is measured.
    pub(crate) fn effort(&self, seconds: f64) -> Effort {
        match self.measures {
            true => Effort {
                time: Duration::from_secs_f64(seconds),
                at_least: 7,
                at_most: 400,
                patience: Duration::MAX,
            },
            false => Effort {
                time: Duration::ZERO,
                at_least: 1,
                at_most: 1,
                patience: Duration::MAX,
            },
        }
    }
}

/// How long one case is measured, and how often.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    time: Duration,
    at_least: usize,
    at_most: usize,
    /// A first round that takes longer is the only one, and counts.
    patience: Duration,
}

impl Effort {
    /// The same for work that may take long: fewer rounds at least, and one alone where that takes seconds.
    pub(crate) fn of_long_work(self, at_least: usize) -> Effort {
        Effort {
            at_least: self.at_least.min(at_least),
            patience: Duration::from_secs(1),
            ..self
        }
    }
}

/// The times of several pieces of work, in milliseconds, run by run.
pub(crate) struct Figures<const N: usize> {
    times: Vec<[f64; N]>,
}

/// Each work by turns; it says itself how long it took, so that preparing does not count. The first round does
/// not either, unless it takes too long to be repeated.
pub(crate) fn by_turns<const N: usize>(
    effort: Effort,
    mut work: [&mut dyn FnMut() -> Duration; N],
) -> Figures<N> {
    let mut round = || -> [f64; N] {
        let mut times = [0.0; N];
        for (time, work) in times.iter_mut().zip(&mut work) {
            *time = work().as_secs_f64() * 1000.0;
        }
        times
    };
    let start = Instant::now();
    let first = round();
    if start.elapsed() > effort.patience {
        return Figures { times: vec![first] };
    }
    let mut times = Vec::new();
    let start = Instant::now();
    while times.len() < effort.at_least
        || (times.len() < effort.at_most && start.elapsed() < effort.time)
    {
        times.push(round());
    }
    Figures { times }
}

impl<const N: usize> Figures<N> {
    pub(crate) fn runs(&self) -> usize {
        self.times.len()
    }

    /// The median time of one of them, in milliseconds.
    pub(crate) fn median(&self, which: usize) -> f64 {
        median(self.times.iter().map(|times| times[which]).collect())
    }

    /// The median of the ratios of two, each within one round.
    pub(crate) fn ratio(&self, which: usize, to: usize) -> f64 {
        median(
            self.times
                .iter()
                .map(|times| times[which] / times[to])
                .collect(),
        )
    }
}

/// How long it takes.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let made = work();
    let took = start.elapsed();
    std::hint::black_box(made);
    took
}

/// The middle one, or the mean of the two in the middle.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Ratios beside what is wanted of them; said again at the end, those that are missed.
#[derive(Default)]
pub(crate) struct Targets {
    kept: usize,
    missed: Vec<String>,
}

impl Targets {
    /// One ratio, and whether it is what is wanted: `1.18 of 1.25`, with a sign where it is more.
    pub(crate) fn hold(&mut self, case: &str, ratio: f64, wanted: f64) -> String {
        if ratio <= wanted {
            self.kept += 1;
            return format!("{ratio:.2} of {wanted:.2} ");
        }
        self.missed
            .push(format!("{case}: {ratio:.2} of {wanted:.2}"));
        format!("{ratio:.2} of {wanted:.2}!")
    }

    pub(crate) fn print(&self) {
        println!(
            "\n{} ratios as wanted, {} more than that",
            self.kept,
            self.missed.len()
        );
        for missed in &self.missed {
            println!("  {missed}");
        }
    }
}
