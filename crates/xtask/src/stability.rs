//! Measures on the history of repositories how long a description of a node stays right. It
//! compares locators and selectors with line numbers and the exact text of a line.
//!
//! `cargo xtask stability PATH_OF_REPOSITORY... [--files N] [--nodes N] [--show N]` follows the
//! files that changed most, along the first parents, under one path. At some of their commits, it
//! describes a sample of nodes. After 1, 5 and 20 more changes of the file, it resolves each
//! description again. A node counts if all its lines survived every change in between, according to
//! a diff of each pair of versions. `--show N` prints the first N descriptions that select another
//! place, except those of the first of several matches.

use std::collections::{BTreeMap, HashMap};

use similar::{Algorithm, DiffOp, capture_diff_slices};
use treegraft::language;
use treegraft::locate::{self, Question, Scope, SymbolScope};
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, Selector};
use treegraft::source::{Source, Span};

use crate::git::{Blobs, git};

/// The numbers of further changes of the file after which a description is resolved again.
const DISTANCES: [usize; 3] = [1, 5, 20];
/// The number of commits of a file at which its nodes are described.
const STARTS: usize = 5;

/// The general words of list members.
const MEMBERS: &[&str] = &[
    "argument",
    "element",
    "field",
    "item",
    "parameter",
    "property",
    "row",
];

/// The ways to describe a node. Each has a row in the tables.
const WAYS: [&str; 9] = [
    "line number",
    "exact text of the line",
    "locator, the only match",
    "locator, the first match",
    "selector",
    "- by its anchor alone",
    "- with a scope",
    "- with a number",
    "selector, always with a scope",
];
const LINE: usize = 0;
const LINE_TEXT: usize = 1;
const ONLY_MATCH: usize = 2;
const FIRST_MATCH: usize = 3;
const SELECTOR: usize = 4;
const BY_ANCHOR: usize = 5;
const WITH_SCOPE: usize = 6;
const WITH_NUMBER: usize = 7;
const ALWAYS_SCOPED: usize = 8;

/// The place that a description selects after some changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Right,
    /// No place, or several places.
    Refused,
    /// Another place with the same text.
    Twin,
    /// A place with other text.
    Other,
}

/// The number of outcomes of each way, over some nodes.
#[derive(Clone, Default)]
struct Counts {
    nodes: usize,
    ways: [[usize; 4]; WAYS.len()],
}

/// The measurements of one repository.
struct Summary {
    repository: String,
    commits: usize,
    files: usize,
    starts: usize,
    nodes: usize,
}

/// The options of `cargo xtask stability`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Git repositories, bare or with a work tree
    #[arg(required = true, value_name = "PATH_OF_REPOSITORY")]
    repositories: Vec<String>,
    /// Number of files to follow in each repository
    #[arg(long, value_name = "N", default_value_t = 40)]
    files: usize,
    /// Number of nodes to describe at each start
    #[arg(long, value_name = "N", default_value_t = 40)]
    nodes: usize,
    /// Print the first N descriptions that select another place
    #[arg(long, value_name = "N", default_value_t = 0)]
    show: usize,
}

/// All counts, by distance and language.
type Tally = BTreeMap<(usize, &'static str), Counts>;

/// Follows the files of each repository and prints the tables.
///
/// # Errors
/// Returns an error if git fails for a repository.
pub(crate) fn run(mut options: Options) -> Result<(), String> {
    let mut tally = Tally::new();
    let mut summaries = Vec::new();
    for repository in options.repositories.clone() {
        let summary = follow(&repository, &mut options, &mut tally)
            .map_err(|fault| format!("{repository}: {fault}"))?;
        summaries.push(summary);
    }
    print(&summaries, &tally);
    Ok(())
}

/// Measures the files of one repository that changed most.
fn follow(repository: &str, options: &mut Options, tally: &mut Tally) -> Result<Summary, String> {
    git(repository, &["rev-parse", "--git-dir"])?;
    let commits = git(
        repository,
        &["rev-list", "--count", "--first-parent", "HEAD"],
    )?;
    let mut summary = Summary {
        repository: repository.to_string(),
        commits: commits.trim().parse().unwrap_or(0),
        files: 0,
        starts: 0,
        nodes: 0,
    };
    let mut histories = histories(repository)?;
    histories.sort_by_key(|one| (usize::MAX - one.blobs.len(), one.path.clone()));
    let mut blobs = Blobs::of(repository)?;
    for history in &histories {
        if summary.files == options.files {
            break;
        }
        let before = summary.starts;
        for start in spread(history.blobs.len() - DISTANCES[2], STARTS) {
            let versions = &history.blobs[start..=start + DISTANCES[2]];
            let texts: Option<Vec<String>> = versions
                .iter()
                .map(|id| blobs.text(id))
                .collect::<Result<_, _>>()?;
            let Some(texts) = texts else { continue };
            summary.nodes += measure(&history.path, &texts, options, tally);
            summary.starts += 1;
        }
        summary.files += usize::from(summary.starts > before);
        eprintln!(
            "{repository}: {} files, {} nodes, {}",
            summary.files, summary.nodes, history.path
        );
    }
    Ok(summary)
}

/// The versions of a file from its creation to its deletion, oldest first.
#[derive(Default)]
struct History {
    path: String,
    blobs: Vec<String>,
}

/// Returns the histories that are long enough, of files with a grammar.
fn histories(repository: &str) -> Result<Vec<History>, String> {
    let log = git(
        repository,
        &[
            "log",
            "--first-parent",
            "--diff-merges=first-parent",
            "--no-renames",
            "--reverse",
            "--raw",
            "--no-abbrev",
            "--format=",
            "-z",
            "HEAD",
        ],
    )?;
    let mut open: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut ended: Vec<(&str, Vec<String>)> = Vec::new();
    // `:100644 100644 <blob before> <blob> M`, then the path.
    let mut fields = log.split('\0').filter(|field| !field.is_empty());
    while let (Some(change), Some(path)) = (fields.next(), fields.next()) {
        let words: Vec<&str> = change.split(' ').collect();
        let [_, mode, _, blob, _] = words[..] else {
            return Err(format!("unexpected output of git log: {change:?}"));
        };
        match mode.starts_with("100") {
            true => open.entry(path).or_default().push(blob.to_string()),
            false => ended.extend(open.remove_entry(path)),
        }
    }
    ended.extend(open);
    let long = ended.into_iter().filter(|(path, blobs)| {
        let has_grammar = language::of_path(path).is_some_and(|own| own.grammar().is_some());
        has_grammar && blobs.len() > DISTANCES[2]
    });
    let histories = long.map(|(path, blobs)| History {
        path: path.to_string(),
        blobs,
    });
    Ok(histories.collect())
}

/// A node and its descriptions at the start.
struct Sample<'p> {
    node: Node<'p>,
    span: Span,
    /// The position of its locator.
    point: usize,
    question: Option<Question>,
    /// The names of the enclosing symbols.
    symbol_path: Vec<String>,
    /// Its selector, and the same always with a scope.
    selectors: Option<[Selector; 2]>,
}

/// Describes nodes of the first text and resolves them in the later ones. Returns the number of
/// nodes.
fn measure(path: &str, texts: &[String], options: &mut Options, tally: &mut Tally) -> usize {
    let parse = |text: &String| {
        let source = Source::new(path, language::of(path, text), text.clone());
        Parsed::parse(source)
    };
    let old = parse(&texts[0]);
    let samples = samples(&old, options.nodes);
    let old_lines = Lines::of(&texts[0]);
    let mut lines_now: Vec<Option<usize>> = (0..old_lines.texts.len()).map(Some).collect();
    for (index, pair) in texts.windows(2).enumerate() {
        let next = moved(&pair[0], &pair[1]);
        for line in &mut lines_now {
            *line = line.and_then(|line| next[line]);
        }
        let distance = index + 1;
        if !DISTANCES.contains(&distance) {
            continue;
        }
        let new = parse(&pair[1]);
        let new_lines = Lines::of(&pair[1]);
        let language = old.source().language().name;
        let counts = tally.entry((distance, language)).or_default();
        for sample in &samples {
            let Some(now) = place_now(sample, &old_lines, &new_lines, &lines_now) else {
                continue;
            };
            if !has_node(&new, now, sample.node.kind()) {
                continue;
            }
            let first = old_lines.line_of(sample.span.start());
            let line_now = lines_now[first];
            let line_text = old_lines.texts[first];
            let point = sample.point - sample.span.start() + now.start();
            let mut outcomes = [None; WAYS.len()];
            outcomes[LINE] = Some(by_line(first, line_text, line_now, &new_lines));
            outcomes[LINE_TEXT] = Some(by_line_text(line_text, line_now, &new_lines));
            let text = &pair[1][point..now.end()];
            let locate = |is_strict| match &sample.question {
                Some(question) => by_locate(&new, question, point, text, is_strict),
                None => Outcome::Refused,
            };
            outcomes[ONLY_MATCH] = Some(locate(true));
            outcomes[FIRST_MATCH] = Some(locate(false));
            outcomes[SELECTOR] = Some(Outcome::Refused);
            outcomes[ALWAYS_SCOPED] = Some(Outcome::Refused);
            if let Some(selectors) = &sample.selectors {
                let [own, scoped] = selectors.each_ref();
                let [own_outcome, scoped_outcome] =
                    [own, scoped].map(|one| Some(by_selector(&new, one, now)));
                let kind = match own {
                    Selector { nth: Some(_), .. } => WITH_NUMBER,
                    Selector { scope: Some(_), .. } => WITH_SCOPE,
                    _ => BY_ANCHOR,
                };
                outcomes[SELECTOR] = own_outcome;
                outcomes[kind] = own_outcome;
                outcomes[ALWAYS_SCOPED] = scoped_outcome;
            }
            counts.nodes += 1;
            for (way, outcome) in outcomes.iter().enumerate() {
                if let Some(outcome) = outcome {
                    counts.ways[way][*outcome as usize] += 1;
                }
            }
            for way in [ONLY_MATCH, SELECTOR] {
                let outcome = outcomes[way];
                let is_wrong = matches!(outcome, Some(Outcome::Twin | Outcome::Other));
                if is_wrong && options.show > 0 {
                    options.show -= 1;
                    println!("{path}: after {distance}, {}, {outcome:?}", WAYS[way]);
                    show(&new, sample, now, way);
                }
            }
        }
    }
    samples.len()
}

/// Prints a description that selects another place.
fn show(new: &Parsed, sample: &Sample<'_>, now: Span, way: usize) {
    let line = |offset: usize| {
        let line = new.source().line_of(offset);
        let own = new.source().line_span(line).unwrap_or(Span::at(offset));
        let symbols = new.symbol_path(&new.chain(Span::at(offset)));
        format!("{line}: {:?} in {symbols:?}", new.source().slice(own))
    };
    let selector = sample.selectors.as_ref().filter(|_| way == SELECTOR);
    let selected = match selector {
        Some([own, ..]) => {
            println!("  {own:?}");
            let selection = select::select(new, own);
            selection.ok().map(|selection| selection.span().start())
        }
        None => {
            println!("  {:?}", sample.question);
            let question = sample.question.as_ref();
            let place = question.and_then(|question| locate::answer(new, question).ok());
            place.map(|place| place.point)
        }
    };
    println!("  was in   {:?}", sample.symbol_path);
    println!("  is at    {}", line(now.start()));
    println!("  selects  {}", selected.map(line).unwrap_or_default());
}

/// Returns the sampled nodes of a text with their descriptions.
fn samples(parsed: &Parsed, count: usize) -> Vec<Sample<'_>> {
    let words = crate::nodes::words(parsed.source().language().name);
    let has_word = |node: &Node<'_>, wanted: &[&str]| {
        let own = words.get(node.kind());
        own.is_some_and(|own| own.iter().any(|word| wanted.contains(&word.as_str())))
    };
    let symbols = parsed.outline().symbols().iter();
    let mut names: HashMap<(usize, usize), usize> = symbols
        .map(|symbol| {
            let span = symbol.node_span;
            ((span.start(), span.end()), symbol.name_span.start())
        })
        .collect();
    let mut kinds: [Vec<(Vec<Node<'_>>, usize)>; 3] = Default::default();
    for chain in crate::nodes::chains(parsed) {
        let node = chain[chain.len() - 1];
        let span = trimmed(parsed, node.span());
        let name = names.remove(&(node.span().start(), node.span().end()));
        let kind = match name {
            _ if span.is_empty() => None,
            Some(_) => Some(0),
            None if has_word(&node, &["statement"]) => Some(1),
            None if has_word(&node, MEMBERS) => Some(2),
            None => None,
        };
        if let Some(kind) = kind {
            kinds[kind].push((chain, name.unwrap_or(span.start())));
        }
    }
    let mut samples = Vec::new();
    for nodes in kinds {
        for index in spread(nodes.len(), count / 3) {
            let (chain, point) = &nodes[index];
            let sample = described(parsed, chain, *point);
            samples.extend(sample.filter(|sample| {
                sample.span.start() <= sample.point && sample.point <= sample.span.end()
            }));
        }
    }
    samples
}

fn described<'p>(parsed: &'p Parsed, chain: &[Node<'p>], point: usize) -> Option<Sample<'p>> {
    let node = *chain.last()?;
    let description = locate::describe(parsed, point);
    let symbol_path = parsed.symbol_path(chain);
    let scope = (!symbol_path.is_empty()).then(|| {
        let symbol_path = symbol_path.clone();
        Scope::Symbol(SymbolScope { symbol_path })
    });
    let selectors = select::describe(parsed, chain).map(|own| {
        let scoped = Selector {
            scope: scope.clone(),
            ..own.clone()
        };
        let selected = select::select(parsed, &scoped);
        let scoped = match selected.is_ok_and(|selection| selection.node() == node) {
            true => scoped,
            false => own.clone(),
        };
        [own, scoped]
    });
    Some(Sample {
        node,
        span: trimmed(parsed, node.span()),
        point: description.point,
        question: description.question,
        symbol_path,
        selectors,
    })
}

/// The lines of a text.
struct Lines<'t> {
    texts: Vec<&'t str>,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        let texts: Vec<&str> = text.split('\n').collect();
        let lengths = texts.iter().scan(0, |next, line| {
            let start = *next;
            *next += line.len() + 1;
            Some(start)
        });
        Lines {
            starts: lengths.collect(),
            texts,
        }
    }

    /// Returns the line (from 0) of a byte.
    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }
}

/// Maps each line of a text to its line in the next text.
fn moved(old: &str, new: &str) -> Vec<Option<usize>> {
    let old: Vec<&str> = old.split('\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    let mut moved = vec![None; old.len()];
    for operation in capture_diff_slices(Algorithm::Histogram, &old, &new) {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = operation
        {
            for index in 0..len {
                moved[old_index + index] = Some(new_index + index);
            }
        }
    }
    moved
}

/// Returns the current span of a node, if its lines still exist and are adjacent.
fn place_now(
    sample: &Sample<'_>,
    old: &Lines<'_>,
    new: &Lines<'_>,
    lines_now: &[Option<usize>],
) -> Option<Span> {
    let first = old.line_of(sample.span.start());
    let last = old.line_of(sample.span.end());
    let first_now = lines_now[first]?;
    let is_whole = (first..=last).all(|line| lines_now[line] == Some(first_now + line - first));
    let start = sample.span.start() - old.starts[first] + new.starts[first_now];
    is_whole.then_some(Span::new(start, start + sample.span.len()))
}

/// Returns whether a node of the type has exactly this span. A node that now spans more lines was
/// edited.
fn has_node(parsed: &Parsed, span: Span, kind: &str) -> bool {
    let chain = parsed.chain(span);
    let mut nodes = chain.iter();
    nodes.any(|node| node.kind() == kind && trimmed(parsed, node.span()) == span)
}

fn by_line(line: usize, text: &str, line_now: Option<usize>, new: &Lines<'_>) -> Outcome {
    match new.texts.get(line) {
        None => Outcome::Refused,
        Some(_) if Some(line) == line_now => Outcome::Right,
        Some(other) => wrong(*other == text),
    }
}

fn by_line_text(text: &str, line_now: Option<usize>, new: &Lines<'_>) -> Outcome {
    let mut alike = (0..new.texts.len()).filter(|line| new.texts[*line] == text);
    match (alike.next(), alike.next()) {
        (Some(only), None) if Some(only) == line_now => Outcome::Right,
        (Some(_), None) => Outcome::Twin,
        _ => Outcome::Refused,
    }
}

/// Resolves a locator as an edit does (`is_strict`), or as a question does. `text` is the text at
/// `point`.
fn by_locate(
    new: &Parsed,
    question: &Question,
    point: usize,
    text: &str,
    is_strict: bool,
) -> Outcome {
    match locate::answer(new, question) {
        Err(_) => Outcome::Refused,
        Ok(place) if is_strict && place.matches > 1 => Outcome::Refused,
        Ok(place) if place.point == point => Outcome::Right,
        Ok(place) => wrong(new.source().text()[place.point..].starts_with(text)),
    }
}

fn by_selector(new: &Parsed, selector: &Selector, span: Span) -> Outcome {
    let Ok(selection) = select::select(new, selector) else {
        return Outcome::Refused;
    };
    let selected = trimmed(new, selection.node().span());
    match selected == span {
        true => Outcome::Right,
        false => wrong(new.source().slice(selected) == new.source().slice(span)),
    }
}

fn wrong(is_alike: bool) -> Outcome {
    match is_alike {
        true => Outcome::Twin,
        false => Outcome::Other,
    }
}

/// Returns a span without surrounding whitespace.
fn trimmed(parsed: &Parsed, span: Span) -> Span {
    let text = parsed.source().slice(span);
    let start = span.start() + (text.len() - text.trim_start().len());
    Span::new(start, start.max(span.start() + text.trim_end().len()))
}

/// Returns at most `count` numbers below `end`, starting with 0, at equal distances.
fn spread(end: usize, count: usize) -> Vec<usize> {
    let count = count.min(end);
    (0..count).map(|index| index * end / count).collect()
}

fn print(summaries: &[Summary], tally: &Tally) {
    println!("| repository | commits | files | starting points | nodes |");
    println!("|---|--:|--:|--:|--:|");
    for one in summaries {
        let Summary {
            repository,
            commits,
            files,
            starts,
            nodes,
        } = one;
        println!("| {repository} | {commits} | {files} | {starts} | {nodes} |");
    }
    for distance in DISTANCES {
        let of_distance = tally.iter().filter(|((own, _), _)| *own == distance);
        let mut all = Counts::default();
        for (_, counts) in of_distance.clone() {
            all.nodes += counts.nodes;
            for (way, outcomes) in counts.ways.iter().enumerate() {
                for (outcome, count) in outcomes.iter().enumerate() {
                    all.ways[way][outcome] += count;
                }
            }
        }
        println!("\nAfter {distance}: {} nodes\n", all.nodes);
        println!("| described by | nodes | right | refused | wrong: a twin | wrong: other text |");
        println!("|---|--:|--:|--:|--:|--:|");
        for (way, name) in WAYS.iter().enumerate() {
            let outcomes = all.ways[way];
            let nodes: usize = outcomes.iter().sum();
            let cells = outcomes.map(|count| format!("{count} ({})", percent(count, nodes)));
            println!("| {name} | {nodes} | {} |", cells.join(" | "));
        }
        println!("\n| language | nodes | line number | text of the line | locator | selector |");
        println!("|---|--:|--:|--:|--:|--:|");
        for ((_, language), counts) in of_distance {
            let cells = [LINE, LINE_TEXT, ONLY_MATCH, SELECTOR].map(|way| {
                let [right, _, twin, other] = counts.ways[way];
                let shares = [right, twin + other].map(|count| percent(count, counts.nodes));
                let [right, wrong] = shares;
                format!("{right} / {wrong}")
            });
            println!("| {language} | {} | {} |", counts.nodes, cells.join(" | "));
        }
    }
    println!("\nBy language: right / wrong, for locators with one match.");
}

fn percent(count: usize, of: usize) -> String {
    format!("{:.2} %", 100.0 * count as f64 / of.max(1) as f64)
}
