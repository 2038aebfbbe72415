//! Searches and rewrites a tree of Python files with the tools that know patterns.
//!
//! Most files contain one call of [`COMMON`], and one in fifty calls of [`RARE`] too. Each run of a rewrite starts from the
//! same files, and its result is compared with that of a replacement of text.

use std::path::{Path, PathBuf};

use crate::edits::PLACES;
use crate::measure::Asked;
use crate::processes::{Ran, Sandbox, program};
use crate::rows::{self, Outcome, TreeRow};

/// The number of files of a measured tree, and of one that is only tried.
const FILES: usize = 3_000;
const FILES_TRIED: usize = 60;
/// One file of this number calls [`RARE`].
const RARE_IN: usize = 50;

/// The number of runs of each command.
const RUNS: usize = 7;

const RARE: &str = "compared_by_the_bench";
const COMMON: &str = "counted_by_the_bench";

/// What is done with the tree.
#[derive(Clone, Copy, PartialEq)]
enum Work {
    Search,
    /// Shows the diff.
    Show,
    /// Writes the files.
    Write,
}

const CASES: [(Work, &str); 6] = [
    (Work::Search, RARE),
    (Work::Search, COMMON),
    (Work::Show, RARE),
    (Work::Show, COMMON),
    (Work::Write, RARE),
    (Work::Write, COMMON),
];

/// The files by path, in the order of their names.
struct TreeFiles(Vec<(String, String)>);

impl TreeFiles {
    /// Returns files of 50 to 400 lines.
    fn new(count: usize) -> TreeFiles {
        let mut places = PLACES.into_iter();
        let python = places.find(|place| place.language == "python");
        let python = python.expect("the bench has Python files");
        let lengths = [50, 80, 120, 200, 400];
        let texts = lengths.map(|lines| python.text(lines));
        let files = (0..count).map(|index| {
            let mut text = texts[index % texts.len()].clone();
            text.push_str(&call(COMMON, index));
            if index % RARE_IN == 0 {
                text.push_str(&call(RARE, index));
            }
            (format!("m{:02}/f{index:04}.py", index / 50), text)
        });
        TreeFiles(files.collect())
    }

    fn count_with(&self, function: &str) -> usize {
        let files = self.0.iter();
        files.filter(|(_, text)| text.contains(function)).count()
    }

    /// Returns the files in which the arguments of each call are swapped.
    fn swapped(&self, function: &str) -> TreeFiles {
        let (old, new) = (
            called(function, "left", "right"),
            called(function, "right", "left"),
        );
        let files = self.0.iter();
        let files = files.map(|(path, text)| (path.clone(), text.replace(&old, &new)));
        TreeFiles(files.collect())
    }

    fn put(&self, sandbox: &Sandbox) {
        for (path, text) in &self.0 {
            sandbox.put(path, text);
        }
    }

    fn are_in(&self, sandbox: &Sandbox) -> bool {
        self.0
            .iter()
            .all(|(path, text)| sandbox.read(path) == *text)
    }
}

fn called(function: &str, first: &str, second: &str) -> String {
    format!("{function}({first}, {second})")
}

fn call(function: &str, index: usize) -> String {
    let call = called(function, "left", "right");
    format!("\n\ndef of_{function}_{index}(left, right):\n    return {call}\n")
}

/// Measures all cases that are asked for.
pub(crate) fn rows(asked: &Asked, ast_grep: &Path) -> Vec<TreeRow> {
    let (count, runs) = match asked.measures {
        true => (FILES, RUNS),
        false => (FILES_TRIED, 1),
    };
    let files = TreeFiles::new(count);
    let mut rows = Vec::new();
    for (work, function) in CASES {
        let commands = [own(work, function), of_ast_grep(work, function, ast_grep)];
        let is_asked = |command: &Command| {
            let name = command.name.replace(',', "");
            asked.wants(&format!("trees {} {name}", work.name()))
        };
        let commands: Vec<Command> = commands.into_iter().filter(is_asked).collect();
        for row in measured(&commands, work, function, &files, runs) {
            rows::print(&row);
            rows.push(row);
        }
    }
    rows
}

/// A command of a tool.
struct Command {
    name: &'static str,
    path: PathBuf,
    words: Vec<String>,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Work::Search => "search",
            Work::Show => "show",
            Work::Write => "write",
        }
    }
}

fn own(work: Work, function: &str) -> Command {
    let [pattern, swapped] = swap(function);
    let rewrite = ["rewrite", &pattern, &swapped, ".", "--max-files", "9999"];
    let words = match work {
        Work::Search => vec!["find", "--pattern", &pattern, "."],
        Work::Show => rewrite.to_vec(),
        Work::Write => [&rewrite[..], &["--apply"]].concat(),
    };
    Command {
        name: "treegraft, command",
        path: PathBuf::from(env!("CARGO_BIN_EXE_treegraft")),
        words: words.into_iter().map(str::to_string).collect(),
    }
}

fn of_ast_grep(work: Work, function: &str, program: &Path) -> Command {
    let [pattern, swapped] = swap(function);
    let search = ["run", "--lang", "python", "--pattern", &pattern];
    let more = match work {
        Work::Search => vec!["."],
        Work::Show => vec!["--rewrite", &swapped, "."],
        Work::Write => vec!["--rewrite", &swapped, "--update-all", "."],
    };
    let words = search.into_iter().chain(more);
    Command {
        name: "ast-grep, command",
        path: program.to_path_buf(),
        words: words.map(str::to_string).collect(),
    }
}

/// Returns the pattern of a call with two arguments, and the call with the arguments swapped.
fn swap(function: &str) -> [String; 2] {
    [called(function, "$A", "$B"), called(function, "$B", "$A")]
}

/// Runs the commands in turns, so that all meet the same load of the machine.
fn measured(
    commands: &[Command],
    work: Work,
    function: &str,
    files: &TreeFiles,
    runs: usize,
) -> Vec<TreeRow> {
    let wanted = match work {
        Work::Search | Work::Show => None,
        Work::Write => Some(files.swapped(function)),
    };
    let sandbox = Sandbox::new();
    files.put(&sandbox);
    let mut all: Vec<(Outcome, Vec<Ran>)> = Vec::new();
    all.resize_with(commands.len(), || (Outcome::Right, Vec::new()));
    for _ in 0..runs {
        for (command, (outcome, done)) in commands.iter().zip(&mut all) {
            if work == Work::Write {
                files.put(&sandbox);
            }
            let ran = program(&sandbox, &command.path, &command.words);
            let answer = ran.answer.as_deref();
            let has_answered = answer.is_some_and(|answer| answer.contains(function));
            let is_right = match &wanted {
                None => has_answered && files.are_in(&sandbox),
                Some(wanted) => wanted.are_in(&sandbox),
            };
            match (is_right, answer) {
                (true, _) => {}
                (false, None) => *outcome = Outcome::Slow,
                (false, Some(_)) => *outcome = Outcome::Other,
            }
            done.push(ran);
        }
    }
    let rows = commands.iter().zip(all).map(|(command, (outcome, done))| {
        let mut took: Vec<f64> = done.iter().map(|ran| ran.took.as_secs_f64()).collect();
        took.sort_by(f64::total_cmp);
        let peaks = done.iter().filter_map(|ran| ran.peak);
        TreeRow {
            tool: command.name,
            work: work.name(),
            files: files.count_with(function),
            of: files.0.len(),
            outcome,
            took_ms: (took[took.len() / 2] * 1_000.0).round(),
            // Peaks are in KB.
            peak_mb: (peaks.fold(0.0, f64::max) / 102.4).round() / 10.0,
        }
    });
    rows.collect()
}
