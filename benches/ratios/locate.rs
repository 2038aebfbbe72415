//! Measures resolving a find in a parsed file, as a ratio to a bare search for its longest token.
//!
//! The unit is `memmem` over the text, counting every hit of the token. With a symbol scope, the
//! unit is the lookup of the symbol plus `memmem` over its span. The file was queried before, so
//! its text and outline are known. The texts are this project's own sources, item by item, with one
//! function that contains all hits. Some finds match at one hit only, the others at each hit. The
//! last find has other whitespace than the text.

use std::hint::black_box;
use std::time::{Duration, Instant};

use memchr::memmem;
use treegraft::language;
use treegraft::locate::{Locate, Scope, SymbolScope, locate};
use treegraft::parse::Parsed;
use treegraft::source::Source;

use crate::measure::{Asked, Targets, median};
use crate::texts::RUST;

const PATH: &str = "src/bench.rs";
const SYMBOL: &str = "target_of_the_bench";

/// The longest tokens of the finds. No source contains them.
const TOKENS: [&str; 2] = ["weighed_part", "wgtd"];
const HITS: [usize; 3] = [1, 10, 100];

/// The duration of one batch of calls, and the number of batches.
struct Effort {
    batch: Duration,
    batches: usize,
}

pub(crate) fn run(asked: &Asked, _: &mut Targets) {
    let (sizes, effort): (&[usize], Effort) = match asked.measures {
        true => (
            &[100, 3_000, 30_000],
            Effort {
                batch: Duration::from_micros(200),
                batches: 301,
            },
        ),
        false => (
            &[100],
            Effort {
                batch: Duration::ZERO,
                batches: 1,
            },
        ),
    };
    println!(
        "{:>7} {:>8}  {:<12} {:>4}  {:<6}  {:>9}  {:>9} {:>9} {:>9} {:>9} {:>9}",
        "lines",
        "bytes",
        "token",
        "hits",
        "scope",
        "unit ns",
        "one",
        "+ marker",
        "each",
        "+ marker",
        "+ spaced"
    );
    for lines in sizes {
        for token in TOKENS {
            for hits in HITS {
                let text = RUST.text_with(&target(token, hits), *lines);
                for by_symbol in [false, true] {
                    let scope = if by_symbol { "symbol" } else { "file" };
                    if asked.wants(&format!("locate {lines} {token} {hits} {scope}")) {
                        let figures = measured(&text, token, hits, by_symbol, &effort);
                        let bytes = text.len();
                        println!(
                            "{lines:>7} {bytes:>8}  {token:<12} {hits:>4}  {scope:<6}  {figures}"
                        );
                    }
                }
            }
        }
    }
}

/// Returns a function that contains `token` `hits` times, each with another number.
fn target(token: &str, hits: usize) -> String {
    let lines: String = (0..hits)
        .map(|number| format!("    total += {token}(values, {number});\n"))
        .collect();
    format!("fn {SYMBOL}(values: &[u32]) -> u32 {{\n    let mut total = 0;\n{lines}    total\n}}\n")
}

/// Measures the unit, and the ratio of each find to it.
fn measured(text: &str, token: &str, hits: usize, by_symbol: bool, effort: &Effort) -> String {
    let source = Source::new(PATH, language::of(PATH, ""), text.to_string());
    let parsed = Parsed::parse(source);
    let symbol_path = vec![SYMBOL.to_string()];
    let of_symbol = asking(Some(Scope::Symbol(SymbolScope { symbol_path })), None);
    let scope = of_symbol.scope.clone().filter(|_| by_symbol);
    let span = match by_symbol {
        true => {
            let place = locate(&parsed, &of_symbol).expect("the target is a symbol");
            place.span.start()..place.span.end()
        }
        false => 0..text.len(),
    };
    let unit = || {
        if by_symbol {
            black_box(locate(&parsed, black_box(&of_symbol))).expect("the target is a symbol");
        }
        let within = black_box(&parsed.source().text()[span.clone()]);
        let count = memmem::find_iter(within.as_bytes(), token).count();
        assert_eq!(count, hits, "the token occurs in the target only");
    };
    let last = hits - 1;
    let finds = [
        (format!("total += {token}(values, {last});"), 1),
        (format!("total += {token}(<|>values, {last});"), 1),
        (format!("total += {token}(values,"), hits),
        (format!("total += {token}(<|>values,"), hits),
        (format!("total+={token}( <|>values,"), hits),
    ];
    let mut unit_times = Vec::new();
    let mut ratios = String::new();
    for (find, matches) in finds {
        let asked = asking(scope.clone(), Some(find));
        let resolve = || {
            let place = locate(&parsed, black_box(&asked)).expect("the find matches");
            assert_eq!(place.matches, matches);
            black_box(place);
        };
        let (unit_time, ratio) = compared(&unit, &resolve, effort);
        unit_times.push(unit_time);
        ratios.push_str(&format!(" {ratio:>9.2}"));
    }
    format!("{:>9.0} {ratios}", median(unit_times))
}

fn asking(scope: Option<Scope>, find: Option<String>) -> Locate {
    Locate {
        file_path: PATH.to_string(),
        scope,
        find,
    }
}

/// Returns the nanoseconds of one unit and the median ratio of the two. The batches alternate so
/// that both run under the same conditions. The first batches do not count.
fn compared(unit: &impl Fn(), resolve: &impl Fn(), effort: &Effort) -> (f64, f64) {
    let calls = calls_in(unit, effort.batch);
    batch(resolve, calls);
    let pairs: Vec<(f64, f64)> = (0..effort.batches)
        .map(|_| (batch(unit, calls), batch(resolve, calls)))
        .collect();
    let ratios = pairs.iter().map(|(unit, resolve)| resolve / unit);
    let units = pairs.iter().map(|(unit, _)| unit / calls as f64);
    (median(units.collect()), median(ratios.collect()))
}

/// Returns how many calls fill one batch.
fn calls_in(run: &impl Fn(), time: Duration) -> usize {
    let mut calls = 1;
    while batch(run, calls) < time.as_nanos() as f64 {
        calls *= 2;
    }
    calls
}

/// Returns the nanoseconds that `calls` calls take.
fn batch(run: &impl Fn(), calls: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        run();
    }
    start.elapsed().as_nanos() as f64
}
