//! The counts, as tables and as JSON.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};

use crate::replay::calls::Outcome;
use crate::replay::history::History;
use crate::replay::meaning::Skip;

use super::commits::{Cost, Made, OneCall};
use super::forms::{Form, Tool};
use super::{Options, Show};

/// The goals for all forms and commits.
const EXACT: f64 = 0.99;
const CALLS: f64 = 0.4;
const SENT: f64 = 0.7;
const RECEIVED: f64 = 1.0;

/// How much of the arguments of a call is shown, in characters.
const SHOWN: usize = 4_000;

/// The outcomes of calls.
#[derive(Clone, Default)]
struct Counts {
    exact: usize,
    blank_lines: usize,
    whitespace: usize,
    other: usize,
    wrong_place: usize,
    refused: BTreeMap<&'static str, usize>,
    /// The refused calls whose result is exact once the check is allowed to fail.
    right: usize,
}

impl Counts {
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Exact => self.exact += 1,
            Outcome::BlankLines => self.blank_lines += 1,
            Outcome::Whitespace => self.whitespace += 1,
            Outcome::Other => self.other += 1,
            Outcome::WrongPlace => self.wrong_place += 1,
            Outcome::Refused(code) => *self.refused.entry(code).or_default() += 1,
            Outcome::RightRefused(code) => {
                *self.refused.entry(code).or_default() += 1;
                self.right += 1;
            }
        }
    }

    fn sum(&mut self, other: &Counts) {
        self.exact += other.exact;
        self.blank_lines += other.blank_lines;
        self.whitespace += other.whitespace;
        self.other += other.other;
        self.wrong_place += other.wrong_place;
        self.right += other.right;
        for (code, count) in &other.refused {
            *self.refused.entry(code).or_default() += count;
        }
    }

    fn refused(&self) -> usize {
        self.refused.values().sum()
    }

    fn wrong(&self) -> usize {
        self.blank_lines + self.whitespace + self.other + self.wrong_place
    }

    fn all(&self) -> usize {
        self.exact + self.wrong() + self.refused()
    }

    fn is_goal_met(&self) -> bool {
        self.wrong() == 0 && ratio(self.exact, self.all()) >= EXACT
    }

    fn codes(&self) -> String {
        let codes = self.refused.iter();
        let codes: Vec<String> = codes
            .map(|(code, count)| format!("{code} {count}"))
            .collect();
        codes.join(", ")
    }

    fn json(&self) -> Value {
        json!({
            "calls": self.all(),
            "exact": self.exact,
            "wrong": self.wrong(),
            "wrong_blank_lines": self.blank_lines,
            "wrong_whitespace": self.whitespace,
            "wrong_bytes": self.other,
            "wrong_place": self.wrong_place,
            "refused": self.refused(),
            "refused_right": self.right,
            "refused_codes": self.refused,
        })
    }
}

/// A repository that was measured.
#[derive(Serialize)]
pub(super) struct Repository {
    name: String,
    head: String,
    commits: usize,
    /// Hunks that were made.
    hunks: usize,
    whole_commits: Commits,
}

impl Repository {
    pub(super) fn new(name: &str, history: &History) -> Repository {
        Repository {
            name: name.to_string(),
            head: history.head.clone(),
            commits: history.commits,
            hunks: 0,
            whole_commits: Commits::default(),
        }
    }
}

/// Whole commits, with their costs.
#[derive(Clone, Default, Serialize)]
struct Commits {
    made: usize,
    /// Commits that are too large or change what every edit keeps.
    left_out: usize,
    places: usize,
    one_call_exact: usize,
    one_call_wrong: usize,
    one_call_refused: BTreeMap<&'static str, usize>,
    /// Commits that treegraft did not make, which the costs leave out.
    not_made: usize,
    treegraft: Cost,
    string_replacement: Cost,
    /// Each commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    each: Vec<EachCommit>,
}

/// What one commit costs.
#[derive(Clone, Serialize)]
struct EachCommit {
    commit: String,
    places: usize,
    one_call: String,
    treegraft: Option<Cost>,
    string_replacement: Cost,
}

impl Commits {
    fn sum(&mut self, other: &Commits) {
        self.made += other.made;
        self.left_out += other.left_out;
        self.places += other.places;
        self.one_call_exact += other.one_call_exact;
        self.one_call_wrong += other.one_call_wrong;
        self.not_made += other.not_made;
        self.treegraft.add(other.treegraft);
        self.string_replacement.add(other.string_replacement);
        for (code, count) in &other.one_call_refused {
            *self.one_call_refused.entry(code).or_default() += count;
        }
    }
}

/// A call that was not exact.
#[derive(Serialize)]
pub(super) struct Example {
    pub(super) repository: String,
    pub(super) commit: String,
    /// The file, whose text is that of the parent of the commit.
    pub(super) file: String,
    pub(super) form: String,
    pub(super) determines: bool,
    pub(super) outcome: String,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    /// The change that was to be made, as a diff.
    pub(super) change: String,
    /// What the result has instead, as a diff from the expected text; or the text of the refusal.
    pub(super) detail: String,
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Example {
            repository,
            commit,
            file,
            form,
            outcome,
            tool,
            change,
            detail,
            ..
        } = self;
        let arguments: String = self.arguments.to_string().chars().take(SHOWN).collect();
        writeln!(f, "---- {outcome}: {form}\n{repository} {commit} {file}")?;
        writeln!(f, "{tool} {arguments}")?;
        if !change.is_empty() {
            writeln!(f, "the change:\n{change}")?;
        }
        if !detail.is_empty() {
            writeln!(f, "expected (-) and got (+), or the refusal:\n{detail}")?;
        }
        Ok(())
    }
}

/// By tool, form, whether it determines the result, and language.
type Key = (Tool, Form, bool, &'static str);

/// All counts.
pub(crate) struct Report {
    pub(super) repositories: Vec<Repository>,
    skipped: BTreeMap<Skip, usize>,
    forms: BTreeMap<Key, Counts>,
    /// How many string replacements need this many lines of context.
    context: BTreeMap<usize, usize>,
    confirmation: usize,
    show: Option<Show>,
    limit: usize,
    shown: BTreeMap<Key, usize>,
    examples: Vec<Example>,
}

impl Report {
    pub(super) fn new(options: &Options) -> Report {
        Report {
            repositories: Vec::new(),
            skipped: BTreeMap::new(),
            forms: BTreeMap::new(),
            context: BTreeMap::new(),
            confirmation: options.confirmation,
            show: options.show,
            limit: options.examples.unwrap_or(usize::MAX),
            shown: BTreeMap::new(),
            examples: Vec::new(),
        }
    }

    pub(super) fn count_hunk(&mut self) {
        if let Some(own) = self.repositories.last_mut() {
            own.hunks += 1;
        }
    }

    pub(super) fn skip(&mut self, skip: Skip) {
        *self.skipped.entry(skip).or_default() += 1;
    }

    /// Counts a call.
    pub(super) fn add(
        &mut self,
        key: Key,
        outcome: Outcome,
        example: impl FnOnce(String) -> Example,
    ) {
        self.forms.entry(key).or_default().add(outcome);
        let is_refused = matches!(outcome, Outcome::Refused(_) | Outcome::RightRefused(_));
        let is_shown = match self.show {
            Some(Show::Wrong) => key.2 && !is_refused,
            Some(Show::Refused) => key.2 && is_refused,
            Some(Show::All) => true,
            None => false,
        };
        let shown = self.shown.entry(key).or_default();
        if outcome != Outcome::Exact && is_shown && *shown < self.limit {
            *shown += 1;
            let name = self.repositories.last().map(|own| own.name.clone());
            self.examples.push(example(name.unwrap_or_default()));
        }
    }

    /// Counts a commit that is not made.
    pub(super) fn leave_out(&mut self) {
        if let Some(own) = self.repositories.last_mut() {
            own.whole_commits.left_out += 1;
        }
    }

    pub(super) fn add_commit(&mut self, commit: &str, made: &Made) {
        for lines in &made.context {
            *self.context.entry(*lines).or_default() += 1;
        }
        let Some(own) = self.repositories.last_mut() else {
            return;
        };
        let own = &mut own.whole_commits;
        own.made += 1;
        own.places += made.places;
        own.each.push(EachCommit {
            commit: commit.to_string(),
            places: made.places,
            one_call: match made.one_call {
                OneCall::Exact => "exact".to_string(),
                OneCall::Wrong => "wrong".to_string(),
                OneCall::Refused(code) => code.to_string(),
            },
            treegraft: made.ours,
            string_replacement: made.strings,
        });
        match made.one_call {
            OneCall::Exact => own.one_call_exact += 1,
            OneCall::Wrong => own.one_call_wrong += 1,
            OneCall::Refused(code) => *own.one_call_refused.entry(code).or_default() += 1,
        }
        match made.ours {
            Some(cost) => {
                own.treegraft.add(cost);
                own.string_replacement.add(made.strings);
            }
            None => own.not_made += 1,
        }
    }

    /// Keeps the one call of a commit, if such calls are shown.
    pub(super) fn show_commit(&mut self, repository: &str, commit: &str, made: &Made) {
        let is_shown = match (self.show, made.one_call) {
            (Some(Show::All), _) => true,
            (Some(Show::Wrong), outcome) => outcome == OneCall::Wrong,
            (Some(Show::Refused), outcome) => matches!(outcome, OneCall::Refused(_)),
            (None, _) => false,
        };
        const FORM: &str = "a whole commit";
        let own = self.examples.iter().filter(|one| one.form == FORM);
        if is_shown && own.count() < self.limit {
            self.examples.push(Example {
                repository: repository.to_string(),
                commit: commit.to_string(),
                file: String::new(),
                form: FORM.to_string(),
                determines: true,
                outcome: match made.one_call {
                    OneCall::Refused(code) => code.to_string(),
                    _ => "other bytes".to_string(),
                },
                tool: made.call.tool,
                arguments: made.call.arguments.clone(),
                change: String::new(),
                detail: made.detail.clone(),
            });
        }
    }

    /// The counts of one tool and form in all languages.
    fn of_form(&self, tool: Tool, form: Form, determines: bool) -> Counts {
        let mut sum = Counts::default();
        let own = self.forms.iter();
        for (_, counts) in own.filter(|(key, _)| (key.0, key.1, key.2) == (tool, form, determines))
        {
            sum.sum(counts);
        }
        sum
    }

    /// The tools with their forms.
    fn rows(&self, determines: bool) -> BTreeSet<(Tool, Form)> {
        let keys = self.forms.keys().filter(|key| key.2 == determines);
        keys.map(|key| (key.0, key.1)).collect()
    }

    fn commits(&self) -> Commits {
        let mut sum = Commits::default();
        for own in &self.repositories {
            sum.sum(&own.whole_commits);
        }
        sum
    }

    /// The goals, with the figures and whether they are met.
    fn goals(&self) -> Vec<(&'static str, String, String, bool)> {
        let rows = self.rows(true);
        let all: Vec<Counts> = rows
            .iter()
            .map(|(tool, form)| self.of_form(*tool, *form, true))
            .collect();
        let is_exact = |counts: &&Counts| ratio(counts.exact, counts.all()) >= EXACT;
        let exact = all.iter().filter(is_exact).count();
        let wrong: usize = all.iter().map(Counts::wrong).sum();
        let commits = self.commits();
        let (ours, theirs) = (commits.treegraft, commits.string_replacement);
        let calls = ratio(ours.calls, theirs.calls);
        let sent = ratio(ours.sent, theirs.sent);
        let received = ratio(ours.received, ours.sent);
        vec![
            (
                "forms that determine the result with at least 99 % exact calls",
                all.len().to_string(),
                exact.to_string(),
                exact == all.len(),
            ),
            (
                "wrong calls in these forms",
                "0".to_string(),
                wrong.to_string(),
                wrong == 0,
            ),
            (
                "calls for a commit, of those of string replacement",
                format!("at most {CALLS}"),
                format!("{calls:.3}"),
                calls <= CALLS,
            ),
            (
                "bytes sent for a commit, of those of string replacement",
                format!("at most {SENT}"),
                format!("{sent:.3}"),
                sent <= SENT,
            ),
            (
                "bytes received for a commit, of those sent",
                format!("at most {RECEIVED}"),
                format!("{received:.3}"),
                received <= RECEIVED,
            ),
        ]
    }

    /// All counts as JSON.
    pub(crate) fn json(&self) -> Value {
        let forms = self.forms.iter().map(|(key, counts)| {
            let (tool, form, determines, language) = key;
            let mut row = counts.json();
            row["tool"] = json!(tool.name());
            row["form"] = json!(form.name());
            row["determines"] = json!(determines);
            row["language"] = json!(language);
            row
        });
        let goals = self.goals().into_iter();
        let goals = goals.map(|(what, goal, value, is_met)| {
            json!({"what": what, "goal": goal, "value": value, "is_met": is_met})
        });
        let skipped = self.skipped.iter();
        let skipped: BTreeMap<&str, usize> = skipped
            .map(|(skip, count)| (skip.reason(), *count))
            .collect();
        json!({
            "repositories": self.repositories,
            "confirmation": self.confirmation,
            "skipped_hunks": skipped,
            "forms": forms.collect::<Vec<_>>(),
            "whole_commits": self.commits(),
            "lines_of_context": self.context,
            "goals": goals.collect::<Vec<_>>(),
            "examples": self.examples,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for example in &self.examples {
            writeln!(f, "{example}")?;
        }
        self.print_goals(f)?;
        self.print_repositories(f)?;
        self.print_forms(f)?;
        self.print_languages(f)?;
        self.print_commits(f)
    }
}

impl Report {
    fn print_goals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| figure | goal | measured | met |\n|---|--:|--:|---|")?;
        for (what, goal, value, is_met) in self.goals() {
            writeln!(f, "| {what} | {goal} | {value} | {} |", yes(is_met))?;
        }
        writeln!(f)
    }

    fn print_repositories(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| repository | commit | commits | hunks | whole commits |"
        )?;
        writeln!(f, "|---|---|--:|--:|--:|")?;
        for own in &self.repositories {
            let head = &own.head[..own.head.len().min(10)];
            let (name, commits, hunks) = (&own.name, own.commits, own.hunks);
            let made = own.whole_commits.made;
            writeln!(f, "| {name} | {head} | {commits} | {hunks} | {made} |")?;
        }
        writeln!(f)?;
        if !self.skipped.is_empty() {
            writeln!(f, "| hunks that are left out | count |\n|---|--:|")?;
            for (skip, count) in &self.skipped {
                writeln!(f, "| {} | {count} |", skip.reason())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }

    fn print_forms(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| tool | form | determines the result | calls | exact | wrong: blank lines | \
             wrong: whitespace | wrong: other | refused | refused, by code | goal met |"
        )?;
        writeln!(f, "|---|---|---|--:|--:|--:|--:|--:|--:|---|---|")?;
        for (tool, form) in self.rows(true) {
            let own = self.of_form(tool, form, true);
            writeln!(
                f,
                "| {} | {} | {} | {} | {} ({}) | {} | {} | {} | {} | {} | {} |",
                tool.name(),
                form.name(),
                form.rule(tool),
                own.all(),
                own.exact,
                percent(own.exact, own.all()),
                own.blank_lines,
                own.whitespace,
                own.other + own.wrong_place,
                own.refused(),
                own.codes(),
                yes(own.is_goal_met()),
            )?;
        }
        writeln!(f, "\nCalls whose form does not determine the result:\n")?;
        writeln!(
            f,
            "| tool | form | calls | as the commit | other blank lines | other whitespace | \
             other bytes | refused |"
        )?;
        writeln!(f, "|---|---|--:|--:|--:|--:|--:|--:|")?;
        for (tool, form) in self.rows(false) {
            let own = self.of_form(tool, form, false);
            writeln!(
                f,
                "| {} | {} | {} | {} ({}) | {} | {} | {} | {} |",
                tool.name(),
                form.name(),
                own.all(),
                own.exact,
                percent(own.exact, own.all()),
                own.blank_lines,
                own.whitespace,
                own.other + own.wrong_place,
                own.refused(),
            )?;
        }
        writeln!(f)
    }

    /// The exact calls of forms that determine the result, by language.
    fn print_languages(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut calls: BTreeMap<&str, usize> = BTreeMap::new();
        for (key, counts) in self.forms.iter().filter(|(key, _)| key.2) {
            *calls.entry(key.3).or_default() += counts.all();
        }
        let mut languages: Vec<(&str, usize)> = calls.into_iter().collect();
        languages.sort_by_key(|(name, calls)| (usize::MAX - calls, *name));
        let names: Vec<&str> = languages.iter().map(|(name, _)| *name).collect();
        writeln!(
            f,
            "Exact calls, of calls whose form determines the result:\n"
        )?;
        writeln!(f, "| tool | form | {} |", names.join(" | "))?;
        writeln!(f, "|---|---|{}", "--:|".repeat(names.len()))?;
        for (tool, form) in self.rows(true) {
            let cells = names.iter().map(|language| {
                let own = self.forms.iter();
                let own = own.filter(|(key, _)| {
                    (key.0, key.1, key.2, key.3) == (tool, form, true, *language)
                });
                let counts = own.map(|(_, counts)| counts).next();
                counts.map_or(String::new(), |counts| {
                    format!("{} of {}", counts.exact, counts.all())
                })
            });
            let cells: Vec<String> = cells.collect();
            let (tool, form) = (tool.name(), form.name());
            writeln!(f, "| {tool} | {form} | {} |", cells.join(" | "))?;
        }
        writeln!(f)
    }

    fn print_commits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| repository | commits | places | one call: exact | wrong | refused | by code | not made |"
        )?;
        writeln!(f, "|---|--:|--:|--:|--:|--:|---|--:|")?;
        let all = self.commits();
        let own = self.repositories.iter();
        let mut rows: Vec<(&str, &Commits)> = own
            .map(|own| (own.name.as_str(), &own.whole_commits))
            .collect();
        rows.push(("all", &all));
        for (name, own) in &rows {
            let refused: usize = own.one_call_refused.values().sum();
            let codes = own.one_call_refused.iter();
            let codes: Vec<String> = codes
                .map(|(code, count)| format!("{code} {count}"))
                .collect();
            writeln!(
                f,
                "| {name} | {} | {} | {} ({}) | {} | {refused} | {} | {} |",
                own.made,
                own.places,
                own.one_call_exact,
                percent(own.one_call_exact, own.made),
                own.one_call_wrong,
                codes.join(", "),
                own.not_made,
            )?;
        }
        writeln!(
            f,
            "\n| repository | calls: treegraft | strings | ratio | bytes sent: treegraft | strings | \
             ratio | bytes received: treegraft | strings | received of sent, treegraft |"
        )?;
        writeln!(f, "|---|{}", "--:|".repeat(9))?;
        for (name, own) in &rows {
            let (ours, theirs) = (own.treegraft, own.string_replacement);
            writeln!(
                f,
                "| {name} | {} | {} | {:.3} | {} | {} | {:.3} | {} | {} | {:.3} |",
                ours.calls,
                theirs.calls,
                ratio(ours.calls, theirs.calls),
                ours.sent,
                theirs.sent,
                ratio(ours.sent, theirs.sent),
                ours.received,
                theirs.received,
                ratio(ours.received, ours.sent),
            )?;
        }
        let places: usize = self.context.values().sum();
        writeln!(
            f,
            "\n| lines of context that a string replacement needs | places | share |\n|---|--:|--:|"
        )?;
        let ranges = [
            ("0", 0..=0),
            ("1", 1..=1),
            ("2", 2..=2),
            ("3 to 5", 3..=5),
            ("6 and more", 6..=usize::MAX),
        ];
        for (name, range) in ranges {
            let own: usize = self.context.range(range).map(|(_, count)| count).sum();
            writeln!(f, "| {name} | {own} | {} |", percent(own, places))?;
        }
        Ok(())
    }
}

fn yes(is_met: bool) -> &'static str {
    if is_met { "yes" } else { "no" }
}

fn ratio(part: usize, all: usize) -> f64 {
    match all {
        0 => 0.0,
        all => part as f64 / all as f64,
    }
}

fn percent(part: usize, all: usize) -> String {
    format!("{:.2} %", 100.0 * ratio(part, all))
}
