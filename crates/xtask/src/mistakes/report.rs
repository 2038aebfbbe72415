//! What was counted, as tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::draw::Half;

/// A known way to get a selector wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    BlankAdded,
    BlankDropped,
    TabForBlanks,
    BlankForLineBreak,
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
    KindredType,
    OtherType,
    SymbolMisspelled,
    OtherSymbol,
    SymbolElsewhere,
    LinesOff,
    LinesOffAmbiguous,
    WrongFolder,
    FileMisspelled,
    OtherExtension,
}

/// What counts as right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The first suggestion selects the node meant in 95 of 100, one of the first three in 99.
    First,
    /// It is among the suggestions or the candidates, with a selector that works, in 99 of 100.
    Listed,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::BlankAdded => "a blank added",
            Kind::BlankDropped => "a blank dropped",
            Kind::TabForBlanks => "a tab for blanks",
            Kind::BlankForLineBreak => "a blank for a line break",
            Kind::LetterDropped => "a letter dropped",
            Kind::LettersSwapped => "two letters swapped",
            Kind::LetterCase => "another letter case",
            Kind::Quotes => "other quotes",
            Kind::OlderLine => "the line as it was before",
            Kind::Shortened => "anchor shortened until ambiguous",
            Kind::TypeMisspelled => "type misspelled",
            Kind::TypeOfOtherGrammar => "another grammar's name",
            Kind::GeneralWord => "general word",
            Kind::RelatedWord => "related general word",
            Kind::KindredType => "wrong ancestor of its kind",
            Kind::OtherType => "wrong ancestor of another kind",
            Kind::SymbolMisspelled => "symbol misspelled",
            Kind::OtherSymbol => "another symbol",
            Kind::SymbolElsewhere => "symbol under a wrong one",
            Kind::LinesOff => "lines off",
            Kind::LinesOffAmbiguous => "lines off, anchor in several places",
            Kind::WrongFolder => "wrong folder",
            Kind::FileMisspelled => "file name misspelled",
            Kind::OtherExtension => "other extension",
        }
    }

    pub(super) fn wanted(self) -> Wanted {
        match self {
            Kind::Shortened | Kind::OtherType => Wanted::Listed,
            _ => Wanted::First,
        }
    }
}

/// How a broken selector came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It selects the node meant all the same.
    Tolerated,
    /// It selects another node.
    Elsewhere,
    /// It is refused; the node meant is first, among the first three, or else listed at all.
    First,
    OfThree,
    Listed,
    Missed,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    tolerated: usize,
    elsewhere: usize,
    first: usize,
    of_three: usize,
    listed: usize,
    missed: usize,
}

impl Counts {
    fn add(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Tolerated => &mut self.tolerated,
            Outcome::Elsewhere => &mut self.elsewhere,
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
        self.tolerated + self.elsewhere + self.refused()
    }
}

/// Of one mistake: what is determined, and what is not.
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
        let wanted = match kind.wanted() {
            Wanted::First => "first 95, of three 99",
            Wanted::Listed => "listed 99",
        };
        format!(
            "{} | {} | {} | {} | {} | {refused} | {} | {} | {} | {} | {wanted} | {} | {}",
            own.all() + open.all(),
            own.all(),
            own.tolerated,
            own.elsewhere,
            share(own.tolerated + own.first, own.all() - own.elsewhere),
            share(own.first, refused),
            share(own.first + own.of_three, refused),
            share(refused - own.missed, refused),
            self.unresolved,
            open.elsewhere,
            share(open.refused() - open.missed, open.refused()),
        )
    }

    fn add(&mut self, other: &Row) {
        for (own, other) in [
            (&mut self.determined, &other.determined),
            (&mut self.open, &other.open),
        ] {
            own.tolerated += other.tolerated;
            own.elsewhere += other.elsewhere;
            own.first += other.first;
            own.of_three += other.of_three;
            own.listed += other.listed;
            own.missed += other.missed;
        }
        self.unresolved += other.unresolved;
    }
}

/// A repository that selectors were drawn from.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) head: String,
    pub(super) files: usize,
    pub(super) selectors: usize,
}

/// All that was counted.
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

    /// How many broken selectors were run, and how many suggestions did not resolve.
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
        let cause = match (outcome, kind.wanted()) {
            _ if unresolved > 0 => "a suggestion does not resolve",
            (Outcome::Elsewhere, _) if is_determined => "another node",
            (Outcome::Elsewhere, _) => "another node, not determined",
            _ if !is_determined => return,
            (Outcome::OfThree | Outcome::Listed, Wanted::First) => "not first",
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
            "| repository | at | files | selectors |\n|---|---|--:|--:|"
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
                Half::HeldOut => "the half held out",
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
                "| mistake | broken | determined | tolerated | another node | right at once or first | refused | first | one of three | listed | unresolved | wanted | open: another node | open: listed |"
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
                "\nfirst (of kinds that are listed: listed) of those refused, by language; in brackets another node:\n"
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
                    let right = match kind.wanted() {
                        Wanted::First => own.first,
                        Wanted::Listed => own.refused() - own.missed,
                    };
                    let elsewhere = match own.elsewhere {
                        0 => String::new(),
                        count => format!(" ({count})"),
                    };
                    format!("{right} of {}{elsewhere}", own.refused())
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
