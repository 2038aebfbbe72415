//! Describes every named node of files and prints, by language, how many of them have a selector.
//!
//! Run it with `cargo xtask describe src/*.rs queries/*/sample.*`. The table separates definitions,
//! statements, list members and headings (by the general words of the language) from other nodes.
//! Twins are nodes with the same type and text in one symbol. `--show N` prints the first N nodes
//! without a selector.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use treegraft::language;
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, Selector};
use treegraft::source::Source;

/// The general words of nodes that callers usually select.
const WANTED: &[&str] = &[
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "interface",
    "module",
    "type",
    "variable",
    "field",
    "parameter",
    "argument",
    "statement",
    "import",
    "property",
    "element",
    "item",
    "heading",
    "section",
    "row",
];

/// The results for the nodes of one language.
#[derive(Default)]
struct Rates {
    files: usize,
    wanted: Rate,
    others: Rate,
    took: Vec<Duration>,
}

#[derive(Default)]
struct Rate {
    nodes: usize,
    /// Described by anchor and type alone.
    plain: usize,
    /// Described with a symbol scope.
    scoped: usize,
    /// Described with a number, or as an ancestor of an inner node.
    counted: usize,
    twins: usize,
    /// Not described, without twins.
    missed: usize,
}

/// The options of `cargo xtask describe`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Source files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Print the first N nodes without a selector
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
}

/// Describes the nodes of each file and prints a table with a row for each language.
///
/// # Errors
/// Returns an error if a file cannot be read.
pub(crate) fn run(mut options: Options) -> Result<(), String> {
    let mut rates: BTreeMap<&str, Rates> = BTreeMap::new();
    for file in &options.files {
        let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
        let parsed = Parsed::parse(Source::new(file, language::of(file, &text), text));
        let of_language = rates.entry(parsed.source().language().name).or_default();
        describe_all(&parsed, of_language, &mut options.show);
    }
    println!(
        "{:<11} {:>5} | {:>7} {:>6} {:>6} {:>6} {:>6} {:>7} | {:>7} {:>6} {:>6} {:>6} {:>6} {:>7} | ms: median, max",
        "",
        "files",
        "wanted",
        "plain",
        "scope",
        "nth",
        "twins",
        "missed",
        "others",
        "plain",
        "scope",
        "nth",
        "twins",
        "missed"
    );
    for (name, mut own) in rates {
        own.took.sort();
        let took = |index: usize| {
            own.took
                .get(index)
                .map_or(0.0, |took| took.as_secs_f64() * 1e3)
        };
        let [wanted, others] = [&own.wanted, &own.others].map(|rate| {
            let share = |count: usize| 100.0 * count as f64 / rate.nodes.max(1) as f64;
            format!(
                "{:>7} {:>6.2} {:>6.2} {:>6.2} {:>6} {:>7}",
                rate.nodes,
                share(rate.plain),
                share(rate.plain + rate.scoped),
                share(rate.plain + rate.scoped + rate.counted),
                rate.twins,
                rate.missed
            )
        });
        let (middle, last) = (own.took.len() / 2, own.took.len().saturating_sub(1));
        let files = own.files;
        println!(
            "{name:<11} {files:>5} | {wanted} | {others} | {:.2}, {:.1}",
            took(middle),
            took(last)
        );
    }
    Ok(())
}

fn describe_all(parsed: &Parsed, rates: &mut Rates, show: &mut usize) {
    rates.files += 1;
    let words = crate::nodes::words(parsed.source().language().name);
    let chains = crate::nodes::chains(parsed);
    let identity = |chain: &[Node<'_>]| {
        let node = chain.last().expect("a chain ends with its node");
        let text = parsed.text_of(*node).trim().to_string();
        (
            parsed.symbol_path(&chain[..chain.len() - 1]),
            node.kind().to_string(),
            text,
        )
    };
    let mut alike: HashMap<_, usize> = HashMap::new();
    for chain in &chains {
        *alike.entry(identity(chain)).or_default() += 1;
    }
    for chain in &chains {
        let node = *chain.last().expect("a chain ends with its node");
        let is_wanted = words
            .get(node.kind())
            .is_some_and(|own| own.iter().any(|word| WANTED.contains(&word.as_str())));
        let is_twin = alike[&identity(chain)] > 1;
        let rate = if is_wanted {
            &mut rates.wanted
        } else {
            &mut rates.others
        };
        let start = Instant::now();
        let described = select::describe(parsed, chain);
        rates.took.push(start.elapsed());
        rate.nodes += 1;
        rate.twins += usize::from(is_twin);
        match &described {
            Some(Selector {
                nth: None,
                outward: 0,
                scope: None,
                ..
            }) => rate.plain += 1,
            Some(Selector {
                nth: None,
                outward: 0,
                ..
            }) => rate.scoped += 1,
            Some(_) => rate.counted += 1,
            None => {}
        }
        let is_counted = described.as_ref().is_none_or(|one| one.nth.is_some());
        if is_counted && !is_twin {
            rate.missed += 1;
            if *show > 0 && is_wanted {
                *show -= 1;
                let source = parsed.source();
                let line = source.line_of(node.span().start());
                let text: String = parsed.text_of(node).chars().take(60).collect();
                println!(
                    "{}:{line}: {} {text:?} {described:?}",
                    source.path(),
                    node.kind()
                );
            }
        }
        if let Some(selector) = described {
            let selection = select::select(parsed, &selector).expect("a description resolves");
            assert_eq!(selection.node(), node, "{selector:?}");
        }
    }
}
