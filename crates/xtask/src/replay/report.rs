//! Prints the counts as tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::calls::Outcome;
use super::content::Written;
use super::meaning::Skip;
use super::pointing::{Tries, Way};

/// The operation of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Replace,
    ReplaceAround,
    ReplaceText,
    ReplaceTexts,
    Insert,
    Delete,
    DeleteSeveral,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Replace => "replace_node",
            Kind::ReplaceAround => "replace_node, enclosing node",
            Kind::ReplaceText => "replace_text",
            Kind::ReplaceTexts => "edit_nodes, texts",
            Kind::Insert => "insert_node",
            Kind::Delete => "delete_node",
            Kind::DeleteSeveral => "edit_nodes, deletions",
        }
    }
}

/// The outcomes of calls.
#[derive(Clone, Default)]
struct Counts {
    exact: usize,
    blank_lines: usize,
    whitespace: usize,
    other: usize,
    wrong_place: usize,
    refused: BTreeMap<&'static str, usize>,
    /// Refusals whose result has the bytes of the commit.
    right: BTreeMap<&'static str, usize>,
}

/// The columns of [`Counts::cells`].
const OUTCOMES: &str = "calls | exact | with `allow` too | blank lines | other whitespace | other bytes | wrong place | \
     refused | by code |";

impl Counts {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Exact => self.exact += 1,
            Outcome::BlankLines => self.blank_lines += 1,
            Outcome::Whitespace => self.whitespace += 1,
            Outcome::Other => self.other += 1,
            Outcome::WrongPlace => self.wrong_place += 1,
            Outcome::RightRefused(code) => {
                *self.refused.entry(code).or_default() += 1;
                *self.right.entry(code).or_default() += 1;
            }
            Outcome::Refused(code) => *self.refused.entry(code).or_default() += 1,
        }
    }

    fn all(&self) -> usize {
        let refused: usize = self.refused.values().sum();
        let other_bytes = self.blank_lines + self.whitespace + self.other;
        self.exact + other_bytes + self.wrong_place + refused
    }

    fn cells(&self) -> String {
        let refused: usize = self.refused.values().sum();
        let right: usize = self.right.values().sum();
        let all = self.all();
        let codes: Vec<String> = self
            .refused
            .iter()
            .map(|(code, count)| match self.right.get(code) {
                Some(right) => format!("{code} {count} (right: {right})"),
                None => format!("{code} {count}"),
            })
            .collect();
        format!(
            "{all} | {} ({}) | {} | {} | {} | {} | {} | {refused} | {}",
            self.exact,
            percent(self.exact, all),
            percent(self.exact + right, all),
            self.blank_lines,
            self.whitespace,
            self.other,
            self.wrong_place,
            codes.join(", ")
        )
    }
}

/// A replayed repository.
pub(super) struct Replayed {
    pub(super) name: String,
    pub(super) head: String,
    pub(super) commits: usize,
    pub(super) hunks: usize,
    pub(super) converted: usize,
}

/// The costs of one hunk in bytes, for the ways that were exact.
#[derive(Clone, Default)]
pub(super) struct Costs {
    /// The number of lines on its larger side.
    pub(super) lines: usize,
    /// In the order of [`WAYS`].
    pub(super) bytes: [Option<usize>; WAYS.len()],
}

/// The ways to express a change.
pub(super) const WAYS: [&str; 10] = [
    "exact string, whole lines",
    "exact string, shortest text",
    "unified diff",
    "whole file",
    "node selectors as objects, content as in the file",
    "node selectors in one string, content at column 0",
    "replace_text without scope",
    "replace_text with scope",
    "cheapest treegraft call, plain form",
    "cheapest treegraft call, with elided middles, one-string selectors, content at column 0",
];

/// The row that all others are compared with.
const COMPARED: usize = 0;

/// The sizes of changes, in lines.
const SIZES: [(&str, std::ops::RangeInclusive<usize>); 5] = [
    ("all", 0..=usize::MAX),
    ("1 line", 0..=1),
    ("2 to 5", 2..=5),
    ("6 to 20", 6..=20),
    ("21 and more", 21..=usize::MAX),
];

/// The calls in one repository or language with content as in the file or at column 0.
#[derive(Default)]
struct Places {
    all: Counts,
    kinds: BTreeMap<Kind, Counts>,
}

/// Calls that were not exact, for one cause.
#[derive(Default)]
struct Misses {
    calls: usize,
    /// The numbers of the hunks that they express.
    hunks: BTreeSet<usize>,
    shown: Vec<String>,
}

/// All counts.
#[derive(Default)]
pub(crate) struct Report {
    pub(super) repositories: Vec<Replayed>,
    pub(super) skipped: BTreeMap<Skip, usize>,
    pub(super) converted: BTreeMap<Kind, usize>,
    pub(super) tries: Tries,
    /// Nodes for which a way found no selector.
    pub(super) unnamed: BTreeMap<Way, usize>,
    pub(super) costs: Vec<Costs>,
    calls: BTreeMap<(Kind, Way, Written), Counts>,
    kinds: BTreeMap<(Kind, Written), Counts>,
    by_repository: BTreeMap<String, Places>,
    by_language: BTreeMap<String, Places>,
    /// By operation, form of the content, outcome and language.
    misses: BTreeMap<(Kind, Written, Outcome, String), Misses>,
    /// The number of misses to keep for each cause.
    show: usize,
}

impl Report {
    pub(super) fn showing(show: usize) -> Report {
        Report {
            show,
            ..Report::default()
        }
    }

    /// Counts a call; `language` is that of the file.
    pub(super) fn add(
        &mut self,
        key: (Kind, Way, Written),
        language: &str,
        outcome: Outcome,
        shown: impl FnOnce() -> String,
    ) {
        self.calls.entry(key).or_default().add(outcome);
        let of_kind = self.kinds.entry((key.0, key.2)).or_default();
        of_kind.add(outcome);
        let repository = self.repositories.last().map(|one| one.name.clone());
        let repository = self.by_repository.entry(repository.unwrap_or_default());
        let language_place = self.by_language.entry(language.to_string());
        for place in [repository.or_default(), language_place.or_default()] {
            if key.2.is_compared() {
                place.all.add(outcome);
                place.kinds.entry(key.0).or_default().add(outcome);
            }
        }
        if outcome != Outcome::Exact {
            let hunk = self.repositories.iter().map(|one| one.hunks).sum();
            let cause = (key.0, key.2, outcome, language.to_string());
            let misses = self.misses.entry(cause).or_default();
            misses.calls += 1;
            // Show only the first way of each hunk.
            if misses.hunks.insert(hunk) && misses.shown.len() < self.show {
                misses.shown.push(shown());
            }
        }
    }

    /// Returns the number of exact calls and the number of all calls.
    #[cfg(test)]
    pub(crate) fn exact(&self) -> (usize, usize) {
        let exact = self.kinds.values().map(|counts| counts.exact).sum();
        (exact, self.kinds.values().map(Counts::all).sum())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print_misses(f)?;
        self.print_hunks(f)?;
        self.print_calls(f)?;
        self.print_costs(f)
    }
}

impl Report {
    fn print_misses(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.show == 0 {
            return Ok(());
        }
        let mut causes: Vec<_> = self.misses.iter().collect();
        causes.sort_by_key(|(_, misses)| usize::MAX - misses.calls);
        for ((kind, written, outcome, language), misses) in causes {
            let (calls, hunks) = (misses.calls, misses.hunks.len());
            let (kind, content) = (kind.name(), content_name(*kind, *written));
            writeln!(
                f,
                "#### {calls} x {kind}, content {content}: {outcome:?}, {language}, {hunks} hunks"
            )?;
            for shown in &misses.shown {
                writeln!(f, "{shown}")?;
            }
        }
        Ok(())
    }

    /// Prints the calls that were not exact, by cause.
    fn print_causes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\n| operation | content | outcome | calls | hunks | by language |"
        )?;
        writeln!(f, "|---|---|---|--:|--:|---|")?;
        let mut causes: BTreeMap<_, Vec<(&str, &Misses)>> = BTreeMap::new();
        for ((kind, written, outcome, language), misses) in &self.misses {
            let cause = (*kind, *written, *outcome);
            causes.entry(cause).or_default().push((language, misses));
        }
        for ((kind, written, outcome), by_language) in causes {
            let calls: usize = by_language.iter().map(|(_, misses)| misses.calls).sum();
            let hunks: usize = by_language.iter().map(|(_, one)| one.hunks.len()).sum();
            let mut languages = by_language;
            languages.sort_by_key(|(_, misses)| usize::MAX - misses.calls);
            let languages = languages
                .iter()
                .map(|(language, misses)| format!("{language} {}", misses.calls));
            let languages: Vec<String> = languages.collect();
            writeln!(
                f,
                "| {} | {} | {} | {calls} | {hunks} | {} |",
                kind.name(),
                content_name(kind, written),
                outcome.name(),
                languages.join(", ")
            )?;
        }
        Ok(())
    }

    fn print_hunks(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| repository | commit | commits | hunks | converted |")?;
        writeln!(f, "|---|---|--:|--:|--:|")?;
        for one in &self.repositories {
            let head = &one.head[..one.head.len().min(10)];
            writeln!(
                f,
                "| {} | {head} | {} | {} | {} ({}) |",
                one.name,
                one.commits,
                one.hunks,
                one.converted,
                percent(one.converted, one.hunks)
            )?;
        }
        let hunks: usize = self.repositories.iter().map(|one| one.hunks).sum();
        let converted: usize = self.repositories.iter().map(|one| one.converted).sum();
        let share = percent(converted, hunks);
        writeln!(f, "| all | | | {hunks} | {converted} ({share}) |")?;
        writeln!(f, "\n| hunks | count |")?;
        writeln!(f, "|---|--:|")?;
        for (kind, count) in &self.converted {
            writeln!(f, "| {} | {count} |", kind.name())?;
        }
        for (skip, count) in &self.skipped {
            writeln!(f, "| skipped: {} | {count} |", skip.reason())?;
        }
        writeln!(f)
    }

    fn print_calls(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| operation | content | {OUTCOMES}")?;
        writeln!(f, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")?;
        for ((kind, written), counts) in &self.kinds {
            let content = content_name(*kind, *written);
            writeln!(f, "| {} | {content} | {} |", kind.name(), counts.cells())?;
        }
        writeln!(f, "\n| operation | selected by | content | {OUTCOMES}")?;
        writeln!(f, "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")?;
        for ((kind, way, written), counts) in &self.calls {
            let content = content_name(*kind, *written);
            let (kind, way) = (kind.name(), way.name());
            writeln!(f, "| {kind} | {way} | {content} | {} |", counts.cells())?;
        }
        self.print_causes(f)?;
        self.print_places(f)?;
        writeln!(f, "\n| selectors with too few words | count |\n|---|--:|")?;
        for (code, count) in &self.tries.refused {
            writeln!(f, "| {code} | {count} |")?;
        }
        writeln!(f, "| wrong node | {} |", self.tries.wrong_node)?;
        for (way, count) in &self.unnamed {
            writeln!(f, "| no selector: {} | {count} |", way.name())?;
        }
        writeln!(f)
    }

    /// Prints all calls by language, and the exact share of each operation by language and by
    /// repository.
    fn print_places(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n| language | {OUTCOMES}")?;
        writeln!(f, "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")?;
        for (language, places) in &self.by_language {
            writeln!(f, "| {language} | {} |", places.all.cells())?;
        }
        for (what, places) in [
            ("language", &self.by_language),
            ("repository", &self.by_repository),
        ] {
            let kinds: Vec<Kind> = self.converted.keys().copied().collect();
            let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            writeln!(f, "\n| {what}: exact, of calls | {} |", names.join(" | "))?;
            writeln!(f, "|---|{}", "--:|".repeat(kinds.len()))?;
            for (place, counts) in places {
                let cells = kinds.iter().map(|kind| {
                    let share = counts.kinds.get(kind);
                    share.map_or(String::new(), |counts| {
                        format!("{}, {}", percent(counts.exact, counts.all()), counts.all())
                    })
                });
                let cells: Vec<String> = cells.collect();
                writeln!(f, "| {place} | {} |", cells.join(" | "))?;
            }
        }
        Ok(())
    }

    fn print_costs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (size, lines) in SIZES {
            let of_size = self.costs.iter().filter(|one| lines.contains(&one.lines));
            let of_size: Vec<&Costs> = of_size.collect();
            writeln!(
                f,
                "| {size}: {} hunks | hunks | median | mean | 90th percentile | total, relative to whole lines |",
                of_size.len()
            )?;
            writeln!(f, "|---|--:|--:|--:|--:|--:|")?;
            for (way, name) in WAYS.iter().enumerate() {
                let both = of_size
                    .iter()
                    .filter_map(|one| Some((one.bytes[way]?, one.bytes[COMPARED]?)));
                let both: Vec<(usize, usize)> = both.collect();
                let mut own: Vec<usize> = both.iter().map(|one| one.0).collect();
                own.sort_unstable();
                let (sum, compared): (usize, usize) =
                    (own.iter().sum(), both.iter().map(|one| one.1).sum());
                let at = |share: usize| own.get(own.len() * share / 100).copied().unwrap_or(0);
                writeln!(
                    f,
                    "| {name} | {} | {} | {} | {} | {:.3} |",
                    own.len(),
                    at(50),
                    sum / own.len().max(1),
                    at(90),
                    sum as f64 / compared.max(1) as f64
                )?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn content_name(kind: Kind, written: Written) -> &'static str {
    match kind {
        Kind::Delete | Kind::DeleteSeveral => "none",
        _ => written.name(),
    }
}

fn percent(count: usize, of: usize) -> String {
    format!("{:.2} %", 100.0 * count as f64 / of.max(1) as f64)
}
