//! Prints the counts as tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::replay::difference;

use super::causes::Cause;
use super::others::Merged;
use super::places::Operation;
use super::staged::Applied;

/// A way to make the change of one side in the file of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tool {
    Treegraft,
    TreegraftInTurn,
    Git,
    Mergiraf,
    Strings,
}

impl Tool {
    const ALL: [Tool; 5] = [
        Tool::Treegraft,
        Tool::TreegraftInTurn,
        Tool::Git,
        Tool::Mergiraf,
        Tool::Strings,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Tool::Treegraft => "treegraft, one edit",
            Tool::TreegraftInTurn => "treegraft, an edit for each place",
            Tool::Git => "git merge-file",
            Tool::Mergiraf => "mergiraf",
            Tool::Strings => "string replacement",
        }
    }
}

/// What a tool made of a triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The bytes of the merge.
    Expected,
    /// Nothing was written, and a fresh preview is shown. Whether it has the bytes of the merge.
    Fresh { is_expected: bool },
    /// Nothing was written, for this reason.
    Refused(String),
    /// Other bytes. Whether they are those of a clean merge by `git merge-file`.
    Other { is_git: bool },
}

impl Outcome {
    /// Compares what a tool made with the bytes of the merge, and with those of a clean merge by `git merge-file`.
    pub(super) fn of(made: &Applied, expected: &str, git: Option<&str>) -> Outcome {
        match made {
            Applied::Written(text) | Applied::Allowed(text) if text == expected => {
                Outcome::Expected
            }
            Applied::Written(text) | Applied::Allowed(text) => Outcome::Other {
                is_git: git == Some(text),
            },
            Applied::Fresh(text) => Outcome::Fresh {
                is_expected: text == expected,
            },
            Applied::Refused(reason) => Outcome::Refused(reason.clone()),
        }
    }

    #[cfg(test)]
    fn name(&self) -> String {
        match self {
            Outcome::Expected => "expected bytes".to_string(),
            Outcome::Fresh { is_expected: true } => "fresh preview, right".to_string(),
            Outcome::Fresh { is_expected: false } => "fresh preview".to_string(),
            Outcome::Refused(reason) => format!("refused: {reason}"),
            Outcome::Other { is_git: true } => "other bytes, as git".to_string(),
            Outcome::Other { is_git: false } => "other bytes".to_string(),
        }
    }
}

/// A repository whose merges were measured.
pub(super) struct Repository {
    pub(super) name: String,
    pub(super) head: String,
    pub(super) merges: usize,
    pub(super) files: usize,
    /// The number of files that are left out, by reason.
    pub(super) left_out: BTreeMap<&'static str, usize>,
    pub(super) triples: Vec<Measured>,
}

/// The edit of one place, staged and applied alone.
pub(super) struct Edit {
    pub(super) operation: Operation,
    pub(super) entries: Vec<Value>,
    /// Why it was not applied, or what changed next to it if it was.
    pub(super) cause: Option<Cause>,
    /// Whether it removes text that the right side added, as shown before a yes or in a fresh preview.
    pub(super) overwrites: bool,
    pub(super) applied: Applied,
    /// What `git merge-file` makes of the same change.
    pub(super) git: Merged,
}

impl Edit {
    fn is_written(&self) -> bool {
        self.applied.written().is_some()
    }

    /// Returns what is worth a look: its kind, and how the result differs from that of git.
    fn example(&self) -> Option<(String, String)> {
        let git = self.git.text();
        let compared = |text: &str| {
            let difference = difference(git.unwrap_or_default(), text);
            format!("git (-) and actual (+):\n{difference}")
        };
        let (kind, text) = match (&self.applied, git) {
            (Applied::Written(text) | Applied::Allowed(text), Some(git)) if text == git => {
                return None;
            }
            (Applied::Written(text) | Applied::Allowed(text), Some(_)) => {
                ("other bytes than git", compared(text))
            }
            (Applied::Written(text) | Applied::Allowed(text), None) => {
                ("applied, git conflicts", text.clone())
            }
            (Applied::Fresh(text), Some(git)) if text == git => {
                ("fresh preview, as git", String::new())
            }
            (Applied::Fresh(text), Some(_)) => {
                ("fresh preview, other bytes than git", compared(text))
            }
            (Applied::Fresh(_), None) => ("fresh preview, git conflicts", String::new()),
            (Applied::Refused(code), Some(_)) => ("refused, git merges", code.clone()),
            (Applied::Refused(code), None) => ("refused, git conflicts", code.clone()),
        };
        let cause = self
            .cause
            .map_or(String::new(), |cause| format!("{}: ", cause.name()));
        Some((format!("{cause}{kind}"), text))
    }
}

/// A triple with what became of it.
pub(super) struct Measured {
    pub(super) repository: String,
    pub(super) commit: String,
    pub(super) path: String,
    pub(super) language: &'static str,
    pub(super) outcomes: BTreeMap<Tool, Outcome>,
    /// The tools that wrote it only after a yes (`rebase_proposed`).
    pub(super) allowed: BTreeSet<Tool>,
    /// How other bytes differ from those of the merge.
    pub(super) differences: BTreeMap<Tool, String>,
    pub(super) edits: Vec<Edit>,
    /// The text after the edits in turn, of which some were refused, and the merge of the others, if they differ.
    pub(super) partial_difference: Option<(String, String)>,
}

impl Measured {
    /// Returns whether no tool has the bytes of the merge: a person resolved it, or changed more.
    fn is_by_hand(&self) -> bool {
        let expected = [Outcome::Expected, Outcome::Fresh { is_expected: true }];
        !self
            .outcomes
            .values()
            .any(|outcome| expected.contains(outcome))
    }

    fn is_expected(&self, tool: Tool) -> bool {
        self.outcomes.get(&tool) == Some(&Outcome::Expected)
    }

    /// Returns the most severe cause of its edits.
    fn cause(&self) -> Option<Cause> {
        let missed = self.edits.iter().filter(|edit| !edit.is_written());
        missed.filter_map(|edit| edit.cause).min()
    }

    fn head(&self) -> String {
        format!("---- {} {} {}", self.repository, self.commit, self.path)
    }

    /// Returns what is worth a look: a kind and a text for each.
    fn examples(&self) -> Vec<(String, String)> {
        let mut examples = Vec::new();
        for (tool, difference) in &self.differences {
            let kind = match (&self.outcomes[tool], self.is_by_hand()) {
                (Outcome::Other { is_git: true }, _) => "other bytes, as git",
                (_, true) => "other bytes, resolved by hand",
                (_, false) => "other bytes",
            };
            let text = format!("merged (-) and actual (+):\n{difference}");
            examples.push((format!("{}: {kind}", tool.name()), text));
        }
        if let Some((got, git)) = &self.partial_difference {
            let text = format!("git (-) and actual (+):\n{}", difference(git, got));
            examples.push((
                "a part of the edits, other bytes than git".to_string(),
                text,
            ));
        }
        let edits = self.edits.iter().filter_map(|edit| {
            let (kind, text) = edit.example()?;
            let entries: Vec<String> = edit.entries.iter().map(Value::to_string).collect();
            Some((kind, format!("{}\n{text}", entries.join("\n"))))
        });
        examples.extend(edits);
        examples
    }
}

/// The measured triples.
pub(crate) struct Report {
    pub(super) repositories: Vec<Repository>,
    versions: Vec<String>,
    has_mergiraf: bool,
    show: usize,
}

impl Report {
    pub(super) fn new(versions: Vec<String>, has_mergiraf: bool, show: usize) -> Report {
        Report {
            repositories: Vec::new(),
            versions,
            has_mergiraf,
            show,
        }
    }

    fn triples(&self) -> impl Iterator<Item = &Measured> {
        let repositories = self.repositories.iter();
        repositories.flat_map(|repository| &repository.triples)
    }

    /// Returns what a tool made of the triple of a file.
    #[cfg(test)]
    pub(super) fn outcome(&self, path: &str, tool: Tool) -> Option<String> {
        let triple = self.triple(path)?;
        let name = triple.outcomes.get(&tool)?.name();
        Some(match triple.allowed.contains(&tool) {
            true => format!("{name}, after a yes"),
            false => name,
        })
    }

    /// Returns the cause of the triple of a file, if an edit of it was not applied.
    #[cfg(test)]
    pub(super) fn cause(&self, path: &str) -> Option<Cause> {
        self.triple(path)?.cause()
    }

    #[cfg(test)]
    fn triple(&self, path: &str) -> Option<&Measured> {
        self.triples().find(|triple| triple.path == path)
    }

    fn tools(&self) -> impl Iterator<Item = Tool> {
        let has_mergiraf = self.has_mergiraf;
        Tool::ALL
            .into_iter()
            .filter(move |tool| has_mergiraf || *tool != Tool::Mergiraf)
    }

    fn merged(&self) -> Vec<&Measured> {
        let triples = self.triples();
        triples.filter(|triple| !triple.is_by_hand()).collect()
    }

    fn repositories(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| repository | commit | merges | files changed on both sides | triples |\n|---|---|--:|--:|--:|"
        )?;
        for one in &self.repositories {
            let head: String = one.head.chars().take(10).collect();
            writeln!(
                f,
                "| {} | {head} | {} | {} | {} |",
                one.name,
                one.merges,
                one.files,
                one.triples.len()
            )?;
        }
        writeln!(f, "\n| left out | files |\n|---|--:|")?;
        let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
        for (reason, count) in self.repositories.iter().flat_map(|one| &one.left_out) {
            *left_out.entry(reason).or_default() += count;
        }
        for (reason, count) in left_out {
            writeln!(f, "| {reason} | {count} |")?;
        }
        writeln!(f, "\nPrograms: {}.", self.versions.join(", "))
    }

    fn outcomes_of(&self, f: &mut fmt::Formatter<'_>, triples: &[&Measured]) -> fmt::Result {
        writeln!(
            f,
            "| tool | triples | expected bytes | other bytes, as git | other bytes | of these three, after a yes | fresh preview | \
             of these, right | refused | refused by reason |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|"
        )?;
        for tool in self.tools() {
            let outcomes = triples
                .iter()
                .filter_map(|triple| triple.outcomes.get(&tool));
            let outcomes: Vec<&Outcome> = outcomes.collect();
            let count =
                |is: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
            let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
            for outcome in &outcomes {
                if let Outcome::Refused(reason) = outcome {
                    *reasons.entry(reason).or_default() += 1;
                }
            }
            let expected = count(|one| *one == Outcome::Expected);
            writeln!(
                f,
                "| {} | {} | {expected} ({}) | {} | {} | {} | {} | {} | {} | {} |",
                tool.name(),
                outcomes.len(),
                percent(expected, outcomes.len()),
                count(|one| *one == Outcome::Other { is_git: true }),
                count(|one| *one == Outcome::Other { is_git: false }),
                triples
                    .iter()
                    .filter(|triple| triple.allowed.contains(&tool))
                    .count(),
                count(|one| matches!(one, Outcome::Fresh { .. })),
                count(|one| *one == Outcome::Fresh { is_expected: true }),
                reasons.values().sum::<usize>(),
                listed(&reasons),
            )?;
        }
        Ok(())
    }

    fn languages(&self, f: &mut fmt::Formatter<'_>, triples: &[&Measured]) -> fmt::Result {
        let names: Vec<&str> = self.tools().map(Tool::name).collect();
        writeln!(f, "| language | triples | {} |", names.join(" | "))?;
        writeln!(f, "|---|--:|{}", "--:|".repeat(names.len()))?;
        let languages: BTreeSet<&str> = triples.iter().map(|triple| triple.language).collect();
        for language in languages {
            let own = triples.iter().filter(|triple| triple.language == language);
            let own: Vec<_> = own.collect();
            let counts = self.tools().map(|tool| {
                let expected = own.iter().filter(|triple| triple.is_expected(tool));
                expected.count().to_string()
            });
            let counts: Vec<String> = counts.collect();
            writeln!(f, "| {language} | {} | {} |", own.len(), counts.join(" | "))?;
        }
        Ok(())
    }

    fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.triples().flat_map(|triple| &triple.edits)
    }

    fn operations(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| edit {EDIT_COLUMNS}")?;
        let operations = self.edits().map(|edit| edit.operation);
        let operations: BTreeSet<Operation> = operations.collect();
        for operation in operations {
            let own = self.edits().filter(|edit| edit.operation == operation);
            writeln!(f, "| {} {}", operation.name(), edit_cells(own))?;
        }
        writeln!(f, "| all {}", edit_cells(self.edits()))
    }

    fn causes_of_edits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| cause {EDIT_COLUMNS}")?;
        let causes: BTreeSet<Option<Cause>> = self.edits().map(|edit| edit.cause).collect();
        for cause in causes {
            let own = self.edits().filter(|edit| edit.cause == cause);
            let name = cause.map_or("nothing changed at the target or next to it", Cause::name);
            writeln!(f, "| {name} {}", edit_cells(own))?;
        }
        Ok(())
    }

    /// The triples that another tool made right and one staged edit did not, by the most severe cause.
    fn causes_of_triples(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| cause | fresh preview | of these, right | refused | expected with git merge-file | with mergiraf |\n\
             |---|--:|--:|--:|--:|--:|"
        )?;
        let all: Vec<&Measured> = self
            .triples()
            .filter(|triple| triple.is_expected(Tool::Git) || triple.is_expected(Tool::Mergiraf))
            .filter(|triple| !triple.is_expected(Tool::Treegraft))
            .collect();
        let causes: BTreeSet<Option<Cause>> = all.iter().map(|triple| triple.cause()).collect();
        for cause in causes {
            let own = all.iter().filter(|triple| triple.cause() == cause);
            let own: Vec<_> = own.collect();
            let count = |is: fn(&Outcome) -> bool| {
                let ours = own.iter().map(|triple| &triple.outcomes[&Tool::Treegraft]);
                ours.filter(|outcome| is(outcome)).count()
            };
            let by = |tool| own.iter().filter(|triple| triple.is_expected(tool)).count();
            writeln!(
                f,
                "| {} | {} | {} | {} | {} | {} |",
                cause.map_or("each edit alone is applied", Cause::name),
                count(|one| matches!(one, Outcome::Fresh { .. })),
                count(|one| *one == Outcome::Fresh { is_expected: true }),
                count(|one| matches!(one, Outcome::Refused(_))),
                by(Tool::Git),
                by(Tool::Mergiraf),
            )?;
        }
        Ok(())
    }

    /// Prints the first triples of each cause and of each kind of other bytes.
    fn examples(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown: BTreeMap<String, usize> = BTreeMap::new();
        for triple in self.triples().filter(|_| self.show > 0) {
            for (kind, text) in triple.examples() {
                let count = shown.entry(kind.clone()).or_default();
                *count += 1;
                if *count <= self.show {
                    writeln!(f, "\n{kind}\n{}\n{text}", triple.head())?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let merged = self.merged();
        let by_hand: Vec<&Measured> = self
            .triples()
            .filter(|triple| triple.is_by_hand())
            .collect();
        self.repositories(f)?;
        writeln!(f, "\nTriples whose expected bytes some tool has:\n")?;
        self.outcomes_of(f, &merged)?;
        writeln!(f, "\nTriples resolved by hand:\n")?;
        self.outcomes_of(f, &by_hand)?;
        writeln!(f, "\nExpected bytes by language:\n")?;
        self.languages(f, &merged)?;
        writeln!(f, "\nThe edit of each place, staged and applied alone:\n")?;
        self.operations(f)?;
        writeln!(f, "\nThe same edits, by what the right side changes:\n")?;
        self.causes_of_edits(f)?;
        writeln!(
            f,
            "\nTriples that git merge-file or mergiraf made right and one staged edit did not, by the most severe cause of \
             their places:\n"
        )?;
        self.causes_of_triples(f)?;
        self.examples(f)
    }
}

/// The columns of [`edit_cells`].
const EDIT_COLUMNS: &str = "| edits | applied, as git | applied, git conflicts | applied, other bytes than git | of these three, \
     after a yes | fresh preview, as git | fresh preview, git conflicts | fresh preview, other bytes than git | removes added \
     text | refused, git merges | refused, git conflicts | refused by code |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|";

/// Returns what became of edits that were applied alone, compared with `git merge-file`.
fn edit_cells<'a>(edits: impl Iterator<Item = &'a Edit>) -> String {
    let edits: Vec<&Edit> = edits.collect();
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    // Of applied edits, fresh previews and refusals: those as git, where git conflicts, and others.
    let mut counts = [[0; 3]; 3];
    for edit in &edits {
        let (row, text) = match &edit.applied {
            Applied::Written(text) | Applied::Allowed(text) => (0, Some(text)),
            Applied::Fresh(text) => (1, Some(text)),
            Applied::Refused(code) => {
                *codes.entry(code).or_default() += 1;
                (2, None)
            }
        };
        let column = match (edit.git.text(), text) {
            (None, _) => 1,
            (Some(git), Some(text)) if git != text => 2,
            (Some(_), _) => 0,
        };
        counts[row][column] += 1;
    }
    let [written, fresh, refused] = counts;
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
        edits.len(),
        written[0],
        written[1],
        written[2],
        edits
            .iter()
            .filter(|edit| matches!(edit.applied, Applied::Allowed(_)))
            .count(),
        fresh[0],
        fresh[1],
        fresh[2],
        edits.iter().filter(|edit| edit.overwrites).count(),
        refused[0],
        refused[1],
        listed(&codes),
    )
}

/// Returns counts as a list: the name and the number of each.
fn listed(counts: &BTreeMap<&str, usize>) -> String {
    let counts = counts.iter().map(|(name, count)| format!("{name} {count}"));
    counts.collect::<Vec<_>>().join(", ")
}

fn percent(count: usize, all: usize) -> String {
    match all {
        0 => "0 %".to_string(),
        _ => format!("{:.1} %", 100.0 * count as f64 / all as f64),
    }
}
