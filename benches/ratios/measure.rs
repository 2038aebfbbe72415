//! How the benchmarks measure: they alternate two pieces of work, so that both run under the same
//! conditions, and compare their ratio with a target.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads its arguments and prints its measurements"
)]

use std::time::{Duration, Instant};

/// The arguments of this run. `--bench` measures; without it each case runs once on the smallest
/// text. Other arguments are names of parts, and words that the name of a case must contain.
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

    /// Returns how long a case is measured.
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

/// How long and how often one case is measured.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    time: Duration,
    at_least: usize,
    at_most: usize,
    /// If the first round takes longer than this, it counts and is not repeated.
    patience: Duration,
}

impl Effort {
    /// Returns the effort for work that may take long: a lower minimum of rounds, and only
    /// one round if it takes more than a second.
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

/// Alternates the pieces of work. Each returns its own time, so preparation does not count. The
/// first round does not count either, unless it takes too long to repeat.
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

    /// Returns the median time of one piece of work, in milliseconds.
    pub(crate) fn median(&self, which: usize) -> f64 {
        median(self.times.iter().map(|times| times[which]).collect())
    }

    /// Returns the median ratio of two pieces of work, computed per round.
    pub(crate) fn ratio(&self, which: usize, to: usize) -> f64 {
        median(
            self.times
                .iter()
                .map(|times| times[which] / times[to])
                .collect(),
        )
    }
}

/// Returns how long the work takes.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let made = work();
    let took = start.elapsed();
    std::hint::black_box(made);
    took
}

/// Returns the median: the middle value, or the mean of the two middle values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Compares ratios with their targets, and lists the missed targets at the end.
#[derive(Default)]
pub(crate) struct Targets {
    kept: usize,
    missed: Vec<String>,
}

impl Targets {
    /// Records a ratio and its target. Returns `1.18 of 1.25`, with `!` appended if the ratio
    /// exceeds the target.
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
            "\n{} ratios met their target, {} exceeded it",
            self.kept,
            self.missed.len()
        );
        for missed in &self.missed {
            println!("  {missed}");
        }
    }
}
