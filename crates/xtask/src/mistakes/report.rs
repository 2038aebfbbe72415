//! Prints the counts as tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::draw::Half;

/// A known way to get a selector wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    SpaceAdded,
    SpaceDropped,
    TabForSpaces,
    SpaceForLineBreak,
    LetterDropped,
    LettersSwapped,
    LetterCase,
    Quotes,
    OlderLine,
    Shortened,
    TypeMisspelled,
    TypeOfOtherGrammar,
    GeneralWord,
    RelatedWord,
    SimilarType,
    OtherType,
    SymbolMisspelled,
    OtherSymbol,
    WrongParentSymbol,
    LinesOff,
    LinesOffAmbiguous,
    WrongDirectory,
    FileMisspelled,
    OtherExtension,
}

/// The target of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The first suggestion selects the intended node in 95 of 100 cases, one of the first three in
    /// 99.
    First,
    /// The intended node is among the suggestions or candidates, with a working selector, in 99 of
    /// 100 cases.
    Listed,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::SpaceAdded => "a space added",
            Kind::SpaceDropped => "a space dropped",
            Kind::TabForSpaces => "a tab for spaces",
            Kind::SpaceForLineBreak => "a space for a line break",
            Kind::LetterDropped => "a letter dropped",
            Kind::LettersSwapped => "two letters swapped",
            Kind::LetterCase => "different letter case",
            Kind::Quotes => "different quotes",
            Kind::OlderLine => "older version of the line",
            Kind::Shortened => "anchor shortened until ambiguous",
            Kind::TypeMisspelled => "type misspelled",
            Kind::TypeOfOtherGrammar => "type name of another grammar",
            Kind::GeneralWord => "general word",
            Kind::RelatedWord => "related general word",
            Kind::SimilarType => "wrong ancestor of the same kind",
            Kind::OtherType => "wrong ancestor of a different kind",
            Kind::SymbolMisspelled => "symbol misspelled",
            Kind::OtherSymbol => "wrong symbol",
            Kind::WrongParentSymbol => "symbol below a wrong parent",
            Kind::LinesOff => "line scope shifted",
            Kind::LinesOffAmbiguous => "line scope shifted, ambiguous anchor",
            Kind::WrongDirectory => "wrong directory",
            Kind::FileMisspelled => "file name misspelled",
            Kind::OtherExtension => "different extension",
        }
    }

    /// Returns the seed for the random choices of this mistake. The seed does not follow changes of
    /// `name`, so that recorded figures stay reproducible.
    pub(super) fn seed(self) -> &'static str {
        match self {
            Kind::SpaceAdded => "a blank added",
            Kind::SpaceDropped => "a blank dropped",
            Kind::TabForSpaces => "a tab for blanks",
            Kind::SpaceForLineBreak => "a blank for a line break",
            Kind::LetterCase => "another letter case",
            Kind::Quotes => "other quotes",
            Kind::SimilarType => "wrong ancestor of its kind",
            Kind::OtherType => "wrong ancestor of another kind",
            Kind::OtherSymbol => "another symbol",
            Kind::WrongParentSymbol => "symbol under a wrong one",
            Kind::LinesOff => "lines off",
            Kind::WrongDirectory => "wrong folder",
            Kind::OtherExtension => "other extension",
            _ => self.name(),
        }
    }

    pub(super) fn target(self) -> Target {
        match self {
            Kind::Shortened | Kind::OtherType => Target::Listed,
            _ => Target::First,
        }
    }
}

/// The outcome of a broken selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The selector selects the intended node anyway.
    Tolerated,
    /// The selector selects another node.
    WrongNode,
    /// The selector is refused. The intended node is suggested first, among the first three, listed
    /// at all, or not listed.
    First,
    OfThree,
    Listed,
    Missed,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    tolerated: usize,
    wrong_node: usize,
    first: usize,
    of_three: usize,
    listed: usize,
    missed: usize,
}

impl Counts {
    fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Tolerated => &mut self.tolerated,
            Outcome::WrongNode => &mut self.wrong_node,
            Outcome::First => &mut self.first,
            Outcome::OfThree => &mut self.of_three,
            Outcome::Listed => &mut self.listed,
            Outcome::Missed => &mut self.missed,
        };
        *count += 1;
    }

    fn refused(&self) -> usize {
        self.first + self.of_three + self.listed + self.missed
    }

    fn all(&self) -> usize {
        self.tolerated + self.wrong_node + self.refused()
    }
}

/// The counts of one mistake, for determined and open cases.
#[derive(Clone, Copy, Default)]
struct Row {
    determined: Counts,
    open: Counts,
    unresolved: usize,
}

impl Row {
    fn cells(&self, kind: Kind) -> String {
        let (own, open) = (&self.determined, &self.open);
        let refused = own.refused();
        let target = match kind.target() {
            Target::First => "first 95, first three 99",
            Target::Listed => "listed 99",
        };
        format!(
            "{} | {} | {} | {} | {} | {refused} | {} | {} | {} | {} | {target} | {} | {}",
            own.all() + open.all(),
            own.all(),
            own.tolerated,
            own.wrong_node,
            share(own.tolerated + own.first, own.all() - own.wrong_node),
            share(own.first, refused),
            share(own.first + own.of_three, refused),
            share(refused - own.missed, refused),
            self.unresolved,
            open.wrong_node,
            share(open.refused() - open.missed, open.refused()),
        )
    }

    fn add(&mut self, other: &Row) {
        for (own, other) in [
            (&mut self.determined, &other.determined),
            (&mut self.open, &other.open),
        ] {
            own.tolerated += other.tolerated;
            own.wrong_node += other.wrong_node;
            own.first += other.first;
            own.of_three += other.of_three;
            own.listed += other.listed;
            own.missed += other.missed;
        }
        self.unresolved += other.unresolved;
    }
}

/// A repository from which selectors were drawn.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) head: String,
    pub(super) files: usize,
    pub(super) selectors: usize,
}

/// All counts.
#[derive(Default)]
pub(crate) struct Report {
    pub(super) repositories: Vec<Source>,
    /// Selectors by half and language.
    pub(super) drawn: BTreeMap<Half, BTreeMap<&'static str, usize>>,
    rows: BTreeMap<Half, BTreeMap<Kind, BTreeMap<&'static str, Row>>>,
    show: usize,
    shown: BTreeMap<(Half, Kind, &'static str), Vec<String>>,
}

impl Report {
    pub(super) fn showing(show: usize) -> Report {
        Report {
            show,
            ..Report::default()
        }
    }

    /// Returns the number of broken selectors that were run and the number of suggestions that did
    /// not resolve.
    pub(crate) fn run_and_unresolved(&self) -> (usize, usize) {
        let rows = self.rows.values().flat_map(BTreeMap::values);
        let rows = rows.flat_map(BTreeMap::values);
        rows.fold((0, 0), |(run, unresolved), row| {
            let all = row.determined.all() + row.open.all();
            (run + all, unresolved + row.unresolved)
        })
    }

    pub(super) fn add(
        &mut self,
        (half, kind, language): (Half, Kind, &'static str),
        is_determined: bool,
        (outcome, unresolved): (Outcome, usize),
        case: impl FnOnce() -> String,
    ) {
        let of_kind = self.rows.entry(half).or_default().entry(kind).or_default();
        let row = of_kind.entry(language).or_default();
        match is_determined {
            true => row.determined.add(outcome),
            false => row.open.add(outcome),
        }
        row.unresolved += unresolved;
        let cause = match (outcome, kind.target()) {
            _ if unresolved > 0 => "a suggestion does not resolve",
            (Outcome::WrongNode, _) if is_determined => "wrong node",
            (Outcome::WrongNode, _) => "wrong node, not determined",
            _ if !is_determined => return,
            (Outcome::OfThree | Outcome::Listed, Target::First) => "not first",
            (Outcome::Missed, _) => "missed",
            _ => return,
        };
        let shown = self.shown.entry((half, kind, cause)).or_default();
        if shown.len() < self.show {
            shown.push(case());
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ((half, kind, cause), cases) in &self.shown {
            for case in cases {
                writeln!(f, "---- {half:?}, {}, {cause}\n{case}", kind.name())?;
            }
        }
        writeln!(
            f,
            "| repository | commit | files | selectors |\n|---|---|--:|--:|"
        )?;
        for one in &self.repositories {
            let head = &one.head[..one.head.len().min(10)];
            writeln!(
                f,
                "| {} | {head} | {} | {} |",
                one.name, one.files, one.selectors
            )?;
        }
        for (half, kinds) in &self.rows {
            let half_name = match half {
                Half::Tuning => "the tuning half",
                Half::HeldOut => "the held-out half",
            };
            let drawn = self.drawn.get(half).cloned().unwrap_or_default();
            let all: usize = drawn.values().sum();
            let by_language: Vec<String> = drawn
                .iter()
                .map(|(language, count)| format!("{language} {count}"))
                .collect();
            writeln!(
                f,
                "\n{half_name}: {all} selectors ({})\n",
                by_language.join(", ")
            )?;
            writeln!(
                f,
                "| mistake | broken | determined | tolerated | wrong node | tolerated or first | refused | first | first three | listed | unresolved | target | open: wrong node | open: listed |"
            )?;
            writeln!(
                f,
                "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|"
            )?;
            let mut languages: BTreeSet<&str> = BTreeSet::new();
            for (kind, of_languages) in kinds {
                let mut row = Row::default();
                for (language, own) in of_languages {
                    languages.insert(language);
                    row.add(own);
                }
                writeln!(f, "| {} | {} |", kind.name(), row.cells(*kind))?;
            }
            writeln!(
                f,
                "\nby language: refusals whose first suggestion is right, of all refusals (for the target *listed*: refusals that list it); wrong node in parentheses:\n"
            )?;
            let names: Vec<&str> = languages.iter().copied().collect();
            writeln!(f, "| mistake | {} |", names.join(" | "))?;
            writeln!(f, "|---|{}", "--:|".repeat(names.len()))?;
            for (kind, of_languages) in kinds {
                let cells = names.iter().map(|language| {
                    let Some(row) = of_languages.get(language) else {
                        return String::new();
                    };
                    let own = &row.determined;
                    let right = match kind.target() {
                        Target::First => own.first,
                        Target::Listed => own.refused() - own.missed,
                    };
                    let wrong_node = match own.wrong_node {
                        0 => String::new(),
                        count => format!(" ({count})"),
                    };
                    format!("{right} of {}{wrong_node}", own.refused())
                });
                let cells: Vec<String> = cells.collect();
                writeln!(f, "| {} | {} |", kind.name(), cells.join(" | "))?;
            }
        }
        Ok(())
    }
}

fn share(count: usize, of: usize) -> String {
    match of {
        0 => String::new(),
        _ => format!("{count} ({:.1} %)", 100.0 * count as f64 / of as f64),
    }
}
