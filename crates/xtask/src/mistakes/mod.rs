//! Draws correct selectors from repositories, breaks each in every known way, sends them to the
//! engine, and reports the outcomes.

#![expect(
    clippy::disallowed_methods,
    reason = "a separate program that writes the files of a repository to a temporary directory"
)]

mod draw;
mod git;
mod place;
mod report;
mod text;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use camino::Utf8PathBuf;
use serde_json::Value;
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::engine::request::ReadNode;
use treegraft::engine::response::RefusedCall;
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::select::Selector;
use treegraft::source::Source;

use draw::{Drawn, Half, Target, by_words, draw, symbol_around};

pub(crate) use draw::Random;
use git::Repository;
use place::{Types, WrongPath};
use report::{Kind, Outcome};
use text::{Slip, with_anchor, with_lines};

pub(crate) use report::Report;

/// The maximum number of selectors from one file.
const OF_FILE: usize = 6;
/// The number of older versions of a file that are read.
const VERSIONS: usize = 40;
/// The size in bytes of the largest file that is used.
const LARGEST: usize = 200 * 1024;

/// The options of `cargo xtask mistakes`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Git repositories, bare or with a work tree
    #[arg(required = true, value_name = "PATH_OF_REPOSITORY")]
    pub(crate) repositories: Vec<String>,
    /// Number of selectors to draw from each repository
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub(crate) selectors: usize,
    /// Half of the selectors to break
    #[arg(long = "half", value_name = "HALF", value_enum, default_value_t = Halves::Both)]
    pub(crate) halves: Halves,
    /// Print the first N misses of each mistake
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) show: usize,
}

/// The selectors to break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Halves {
    Tuning,
    HeldOut,
    Both,
}

impl Halves {
    fn contain(self, half: Half) -> bool {
        match self {
            Halves::Tuning => half == Half::Tuning,
            Halves::HeldOut => half == Half::HeldOut,
            Halves::Both => true,
        }
    }
}

/// A call with a broken selector.
struct Broken {
    kind: Kind,
    file_path: String,
    selector: Selector,
    /// Whether the intended node can be determined from the call.
    is_determined: bool,
}

/// Draws, breaks and counts selectors. Calls `report_progress` after each repository.
///
/// # Errors
/// Returns an error if git fails for a repository, or its files cannot be written.
pub(crate) fn mistakes(
    options: &Options,
    report_progress: impl Fn(String),
) -> Result<Report, String> {
    let mut report = Report::showing(options.show);
    let types = Types::of_all();
    for path in &options.repositories {
        let mut repository = Repository::of(path)?;
        let bench = Bench::of(&name_of(path), &mut repository)?;
        report.repositories.push(report::Source {
            name: bench.name.clone(),
            head: repository.head.clone(),
            files: 0,
            selectors: 0,
        });
        bench.run(options, &types, &mut repository, &mut report)?;
        if let Some(one) = report.repositories.last() {
            report_progress(format!(
                "{}: {} selectors of {} files",
                one.name, one.selectors, one.files
            ));
        }
    }
    Ok(report)
}

/// Returns the name of the repository at a path: `owner/name`.
fn name_of(path: &str) -> String {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let own = names
        .iter()
        .rev()
        .find(|name| **name != "repo" && **name != ".git");
    own.map_or(path.to_string(), |name| name.replace('+', "/"))
}

/// The files of a repository in a temporary directory, and an engine for it.
struct Bench {
    name: String,
    engine: Engine,
    /// The files with a grammar.
    paths: Vec<String>,
    _root: TempDir,
    _state: TempDir,
}

impl Bench {
    fn of(name: &str, repository: &mut Repository) -> Result<Bench, String> {
        let fault = |error: std::io::Error| {
            format!("cannot create a directory for the files of {name}: {error}")
        };
        let (root, state) = (
            TempDir::new().map_err(fault)?,
            TempDir::new().map_err(fault)?,
        );
        let mut paths = Vec::new();
        for (path, id) in repository.files.clone() {
            let has_grammar = language::of_path(&path).is_some_and(|own| own.grammar().is_some());
            let Some(text) = repository.text(&id)?.filter(|_| has_grammar) else {
                continue;
            };
            if text.len() <= LARGEST && write_file(root.path(), &path, &text).is_ok() {
                paths.push(path);
            }
        }
        let utf8 = |one: &TempDir| {
            let path = Utf8PathBuf::from_path_buf(one.path().to_path_buf());
            path.map_err(|path| format!("{} is not UTF-8", path.display()))
        };
        let engine = Engine::open(&[utf8(&root)?], Some(&utf8(&state)?));
        Ok(Bench {
            name: name.to_string(),
            engine: engine.map_err(|error| error.to_string())?,
            paths,
            _root: root,
            _state: state,
        })
    }

    /// Draws from evenly spread files until there are enough selectors.
    fn run(
        &self,
        options: &Options,
        types: &Types,
        repository: &mut Repository,
        report: &mut Report,
    ) -> Result<(), String> {
        let ids: std::collections::HashMap<String, String> =
            repository.files.iter().cloned().collect();
        let mut left = options.selectors;
        for index in evenly(self.paths.len()) {
            if left == 0 {
                break;
            }
            let path = &self.paths[index];
            let Some(text) = ids
                .get(path)
                .map(|id| repository.text(id))
                .transpose()?
                .flatten()
            else {
                continue;
            };
            let parsed = Parsed::parse(Source::new(path, language::of(path, &text), text));
            let drawn = draw(&parsed, &self.name, OF_FILE.min(left));
            left -= drawn.len();
            if let Some(one) = report.repositories.last_mut() {
                one.files += usize::from(!drawn.is_empty());
                one.selectors += drawn.len();
            }
            let own = drawn.iter().filter(|one| options.halves.contain(one.half));
            let own: Vec<&Drawn<'_>> = own.collect();
            if own.is_empty() {
                continue;
            }
            let earlier = repository.earlier(path, VERSIONS)?;
            let in_file = types_in(&parsed);
            for drawn in own {
                let language = parsed.source().language().name;
                let of_half = report.drawn.entry(drawn.half).or_default();
                *of_half.entry(language).or_default() += 1;
                let case = Case {
                    bench: self,
                    parsed: &parsed,
                    drawn,
                    types,
                    earlier: &earlier,
                    in_file: &in_file,
                };
                for broken in case.broken() {
                    case.run(&broken, report);
                }
            }
        }
        Ok(())
    }

    /// Makes a call and returns the file and the node that it reads.
    fn read(&self, request: &ReadNode) -> Result<(String, Target), Box<RefusedCall>> {
        let read = self.engine.read_node(request)?;
        let (start, end) = (read.node.range.start.byte, read.node.range.end.byte);
        let target = Target {
            node_type: read.node.node_type,
            span: treegraft::source::Span::new(start, end),
        };
        Ok((read.file_path, target))
    }
}

fn write_file(root: &Path, path: &str, text: &str) -> std::io::Result<()> {
    let own = root.join(path);
    if let Some(directory) = own.parent() {
        std::fs::create_dir_all(directory)?;
    }
    std::fs::write(own, text)
}

/// Returns the types of the named nodes of a file.
fn types_in(parsed: &Parsed) -> BTreeSet<String> {
    let mut types = BTreeSet::new();
    let mut open = vec![parsed.root()];
    while let Some(node) = open.pop() {
        let children = parsed.children(node);
        open.extend(children.into_iter().filter(|child| child.is_named()));
        if node != parsed.root() {
            types.insert(node.kind().to_string());
        }
    }
    types
}

/// Yields each number below `end` once, in an order that spreads every prefix over the whole range.
fn evenly(end: usize) -> impl Iterator<Item = usize> {
    let common = |mut one: usize, mut other: usize| {
        while other > 0 {
            (one, other) = (other, one % other);
        }
        one
    };
    // The golden ratio: each step falls into the widest gap.
    let near = (end as f64 * 0.618_034) as usize;
    let step = (near.max(1)..).find(|step| common(*step, end) <= 1);
    let step = step.unwrap_or(1);
    (0..end).map(move |index| index * step % end.max(1))
}

/// One correct selector and the data needed to break it.
struct Case<'a, 'p> {
    bench: &'a Bench,
    parsed: &'p Parsed,
    drawn: &'a Drawn<'p>,
    types: &'a Types,
    /// The file's older versions, the latest first.
    earlier: &'a [String],
    in_file: &'a BTreeSet<String>,
}

impl Case<'_, '_> {
    fn path(&self) -> &str {
        self.parsed.source().path()
    }

    fn random(&self, kind: Kind) -> Random {
        let ordinal = self.drawn.ordinal.to_string();
        Random::of(&[&self.bench.name, self.path(), &ordinal, kind.seed()])
    }

    /// Breaks the selector in every way that applies to it.
    fn broken(&self) -> Vec<Broken> {
        let mut all = Vec::new();
        all.extend(self.by_anchor());
        all.extend(self.by_type());
        all.extend(self.by_scope());
        all.extend(self.by_file());
        all
    }

    fn with(&self, kind: Kind, (selector, is_determined): (Selector, bool)) -> Broken {
        Broken {
            kind,
            file_path: self.path().to_string(),
            selector,
            is_determined,
        }
    }

    fn by_anchor(&self) -> Vec<Broken> {
        let (parsed, drawn) = (self.parsed, self.drawn);
        let slips = [
            (Kind::SpaceAdded, Slip::SpaceAdded),
            (Kind::SpaceDropped, Slip::SpaceDropped),
            (Kind::TabForSpaces, Slip::TabForSpaces),
            (Kind::SpaceForLineBreak, Slip::SpaceForLineBreak),
            (Kind::LetterDropped, Slip::LetterDropped),
            (Kind::LettersSwapped, Slip::LettersSwapped),
            (Kind::LetterCase, Slip::LetterCase),
            (Kind::Quotes, Slip::Quotes),
        ];
        let mut all = Vec::new();
        for (kind, slip) in slips {
            let right = match slip {
                Slip::SpaceForLineBreak => text::two_lines(parsed, drawn),
                _ => Some(drawn.selector.anchor.as_str().to_string()),
            };
            let Some(right) = right else {
                continue;
            };
            if let Some(mistaken) = text::slipped(slip, &right, &mut self.random(kind)) {
                let is_determined = text::is_determined(parsed, drawn, slip, &right, &mistaken);
                let selector = with_anchor(&drawn.selector, &mistaken);
                all.push(self.with(kind, (selector, is_determined)));
            }
        }
        if let Some((old, is_determined)) = text::older_line(parsed, drawn, self.earlier) {
            let selector = with_anchor(&drawn.selector, &old);
            all.push(self.with(Kind::OlderLine, (selector, is_determined)));
        }
        if let Some((short, nodes)) = text::shortened(parsed, drawn) {
            let selector = with_anchor(&drawn.selector, &short);
            all.push(self.with(Kind::Shortened, (selector, text::is_shown(&nodes))));
        }
        all
    }

    fn by_type(&self) -> Vec<Broken> {
        let (types, parsed, drawn) = (self.types, self.parsed, self.drawn);
        let random = |kind| self.random(kind);
        let made = [
            (
                Kind::TypeMisspelled,
                place::type_misspelled(types, parsed, drawn, &mut random(Kind::TypeMisspelled)),
            ),
            (
                Kind::TypeOfOtherGrammar,
                place::type_of_other_grammar(types, parsed, drawn),
            ),
            (
                Kind::GeneralWord,
                place::general_word(parsed, drawn, &mut random(Kind::GeneralWord)),
            ),
            (
                Kind::RelatedWord,
                place::related_word(parsed, drawn, &mut random(Kind::RelatedWord)),
            ),
            (
                Kind::SimilarType,
                place::other_type_of_kind(types, parsed, drawn, &mut random(Kind::SimilarType)),
            ),
            (
                Kind::OtherType,
                place::other_type(
                    types,
                    parsed,
                    drawn,
                    self.in_file,
                    &mut random(Kind::OtherType),
                ),
            ),
        ];
        let made = made.into_iter();
        made.filter_map(|(kind, broken)| Some(self.with(kind, broken?)))
            .collect()
    }

    fn by_scope(&self) -> Vec<Broken> {
        let (parsed, drawn) = (self.parsed, self.drawn);
        let mut all = Vec::new();
        let short = text::shortened(parsed, drawn)
            .map(|(short, nodes)| (with_anchor(&drawn.selector, &short), nodes));
        if let Some(symbol) = symbol_around(parsed, &drawn.chain) {
            // The anchor is as short as possible within the scope.
            let scope = treegraft::locate::Scope::Symbol(symbol.clone());
            let in_scope = by_words(parsed, &drawn.chain, false, Some(&scope));
            let selector = in_scope.unwrap_or_else(|| drawn.selector.clone());
            let mut random = self.random(Kind::SymbolMisspelled);
            let broken = place::symbol_misspelled(parsed, drawn, &selector, &symbol, &mut random);
            all.extend(broken.map(|broken| self.with(Kind::SymbolMisspelled, broken)));
            let mut random = self.random(Kind::WrongParentSymbol);
            let broken = place::wrong_parent_symbol(parsed, drawn, &selector, &symbol, &mut random);
            all.extend(broken.map(|broken| self.with(Kind::WrongParentSymbol, broken)));
        }
        let mut random = self.random(Kind::OtherSymbol);
        let broken = place::other_symbol(parsed, drawn, &mut random);
        all.extend(broken.map(|broken| self.with(Kind::OtherSymbol, broken)));
        let mut random = self.random(Kind::LinesOff);
        let lines = text::lines_off(parsed, drawn, &mut random);
        if let Some(lines) = lines {
            let broken = with_lines(&drawn.selector, lines);
            all.extend(broken.map(|selector| self.with(Kind::LinesOff, (selector, true))));
            if let Some((short, nodes)) = short {
                let is_nearest = self.is_nearest(&nodes, lines);
                let broken = with_lines(&short, lines);
                all.extend(
                    broken
                        .map(|selector| self.with(Kind::LinesOffAmbiguous, (selector, is_nearest))),
                );
            }
        }
        all
    }

    /// Returns whether the intended node starts nearer to the lines than any other.
    fn is_nearest(&self, nodes: &[treegraft::parse::Node<'_>], lines: (usize, usize)) -> bool {
        let source = self.parsed.source();
        let distance = |node: &treegraft::parse::Node<'_>| {
            let line = source.line_of(node.span().start());
            match (line < lines.0, line > lines.1) {
                (true, _) => lines.0 - line,
                (_, true) => line - lines.1,
                _ => 0,
            }
        };
        let Some(own) = self.drawn.chain.last() else {
            return false;
        };
        let others = nodes.iter().filter(|node| *node != own);
        distance(own) > 0 && others.map(distance).all(|other| other > distance(own))
    }

    fn by_file(&self) -> Vec<Broken> {
        let ways = [
            (Kind::WrongDirectory, WrongPath::Directory),
            (Kind::FileMisspelled, WrongPath::Letter),
            (Kind::OtherExtension, WrongPath::Extension),
        ];
        let paths = &self.bench.paths;
        let mut all = Vec::new();
        for (kind, way) in ways {
            let Some(wrong) = place::wrong_path(self.path(), paths, way, &mut self.random(kind))
            else {
                continue;
            };
            let as_near = place::paths_as_near(self.path(), &wrong, paths);
            let is_determined = !as_near.into_iter().any(|other| {
                let request = request_of(other, &self.drawn.selector);
                self.bench.read(&request).is_ok()
            });
            all.push(Broken {
                kind,
                file_path: wrong,
                selector: self.drawn.selector.clone(),
                is_determined,
            });
        }
        all
    }

    /// Returns whether a call reads the intended node.
    fn is_intended(&self, read: &(String, Target)) -> bool {
        read.0 == self.path() && read.1 == self.drawn.target
    }

    fn run(&self, broken: &Broken, report: &mut Report) {
        let request = request_of(&broken.file_path, &broken.selector);
        let mut unresolved = 0;
        let mut answer_text = String::new();
        let outcome = match self.bench.read(&request) {
            Ok(read) if self.is_intended(&read) => Outcome::Tolerated,
            Ok(read) => {
                answer_text = format!("selects {read:?}");
                Outcome::WrongNode
            }
            Err(refusal) => {
                answer_text = refusal.text();
                let suggestions = refusal.suggestions().into_iter();
                let reads: Vec<Option<(String, Target)>> = suggestions
                    .map(|one| {
                        let request = serde_json::from_value(one.arguments).ok()?;
                        self.bench.read(&request).ok()
                    })
                    .collect();
                unresolved = reads.iter().filter(|read| read.is_none()).count();
                let is_it = |read: &Option<(String, Target)>| {
                    read.as_ref().is_some_and(|read| self.is_intended(read))
                };
                match reads.iter().position(is_it) {
                    Some(0) => Outcome::First,
                    Some(1 | 2) => Outcome::OfThree,
                    Some(_) => Outcome::Listed,
                    None if self.is_candidate(broken, &refusal.json()) => Outcome::Listed,
                    None => Outcome::Missed,
                }
            }
        };
        let language = self.parsed.source().language().name;
        let key = (self.drawn.half, broken.kind, language);
        report.add(key, broken.is_determined, (outcome, unresolved), || {
            let right = &self.drawn.selector;
            let target = &self.drawn.target;
            let line = self.parsed.source().line_of(target.span.start());
            let wrong = serde_json::to_string(&request).unwrap_or_default();
            format!(
                "{} {}\nintended: {:?} {} at line {line}\nsent: {wrong}\n{answer_text}\n",
                self.bench.name,
                self.path(),
                right.anchor.as_str(),
                target.node_type,
            )
        });
    }

    /// Returns whether one of the listed candidates is the intended node, selected by its number,
    /// or, if no node matched, by the type of an enclosing node.
    fn is_candidate(&self, broken: &Broken, refusal: &Value) -> bool {
        let Some(candidates) = refusal["error"]["candidates"].as_array() else {
            return false;
        };
        let reads_intended = |selector: Selector| {
            let read = self.bench.read(&request_of(&broken.file_path, &selector));
            read.is_ok_and(|read| self.is_intended(&read))
        };
        let mut tried: HashSet<String> = HashSet::new();
        candidates.iter().enumerate().any(|(index, candidate)| {
            if candidate["node_type"].is_string() {
                return reads_intended(Selector {
                    nth: Some(index + 1),
                    ..broken.selector.clone()
                });
            }
            let ancestors = candidate["ancestors"].as_array();
            let types = ancestors.into_iter().flatten();
            let mut types = types.filter_map(|one| one["node_type"].as_str());
            types.any(|node_type| {
                tried.insert(node_type.to_string())
                    && reads_intended(Selector {
                        ancestor_node_type: vec![node_type.to_string()],
                        ..broken.selector.clone()
                    })
            })
        })
    }
}

fn request_of(path: &str, selector: &Selector) -> ReadNode {
    ReadNode::new(path, selector)
}
