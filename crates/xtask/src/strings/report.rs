//! Prints the counts as tables.

use std::collections::BTreeMap;
use std::fmt;

use treegraft::string_edit::StringEdit;

use super::slips::Slip;

/// What the hook makes of a broken call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The broken call makes the change of the commit.
    Harmless,
    /// The corrected call makes the change of the commit.
    Repaired,
    /// The call is stopped, and the answer shows the right text or call.
    Shown,
    /// The call is stopped.
    Denied,
    /// The hook says nothing.
    Passed,
    /// The corrected call has another result.
    Wrong(String),
}

/// What the hook makes of a right call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Good {
    Unseen,
    /// It runs, and the agent gets a note.
    Noted,
    /// It is stopped once, since it adds a syntax error.
    Denied,
    /// It is taken for another call.
    Changed,
}

/// The counts of one way to break a call.
#[derive(Default)]
struct Counts {
    repaired: usize,
    shown: usize,
    denied: usize,
    passed: usize,
    wrong: usize,
    harmless: usize,
    /// The bytes of the repaired calls, which an agent would have to send again.
    sent_again: usize,
    /// The bytes of their files, which it would have to read again.
    read_again: usize,
}

impl Counts {
    fn calls(&self) -> usize {
        self.repaired + self.shown + self.denied + self.passed + self.wrong
    }

    fn add(&mut self, other: &Counts) {
        self.repaired += other.repaired;
        self.shown += other.shown;
        self.denied += other.denied;
        self.passed += other.passed;
        self.wrong += other.wrong;
        self.harmless += other.harmless;
        self.sent_again += other.sent_again;
        self.read_again += other.read_again;
    }
}

/// The counts of all repositories.
pub(crate) struct Report {
    repositories: Vec<(String, String)>,
    of_slips: BTreeMap<Slip, Counts>,
    good: BTreeMap<&'static str, usize>,
    show: usize,
    shown: BTreeMap<String, Vec<String>>,
}

impl Report {
    pub(super) fn new(show: usize) -> Report {
        Report {
            repositories: Vec::new(),
            of_slips: BTreeMap::new(),
            good: BTreeMap::new(),
            show,
            shown: BTreeMap::new(),
        }
    }

    pub(super) fn add_repository(&mut self, name: &str, head: &str) {
        let head = head[..head.len().min(10)].to_string();
        self.repositories.push((name.to_string(), head));
    }

    pub(super) fn add(
        &mut self,
        slip: Slip,
        own: &StringEdit,
        broken: &StringEdit,
        before: &str,
        answer: &Answer,
        place: &str,
    ) {
        let counts = self.of_slips.entry(slip).or_default();
        match answer {
            Answer::Harmless => counts.harmless += 1,
            Answer::Repaired => {
                counts.repaired += 1;
                counts.sent_again += own.old.len() + own.new.len();
                counts.read_again += before.len();
            }
            Answer::Shown => counts.shown += 1,
            Answer::Denied => counts.denied += 1,
            Answer::Passed => counts.passed += 1,
            Answer::Wrong(_) => counts.wrong += 1,
        }
        let title = match answer {
            Answer::Wrong(_) => format!("wrong: {}", slip.name()),
            Answer::Harmless | Answer::Repaired => return,
            Answer::Shown => format!("shown: {}", slip.name()),
            Answer::Denied => format!("denied: {}", slip.name()),
            Answer::Passed => format!("passed: {}", slip.name()),
        };
        let examples = self.shown.entry(title).or_default();
        if examples.len() < self.show {
            let result = match answer {
                Answer::Wrong(after) => {
                    let wanted = own.applied(before);
                    let diff = similar::TextDiff::from_lines(&wanted, after);
                    let diff = diff.unified_diff().context_radius(1).to_string();
                    format!("\ninstead of what is meant:\n{diff}")
                }
                _ => String::new(),
            };
            examples.push(format!("{place}\nmeant {own:?}\nsent  {broken:?}{result}"));
        }
    }

    pub(super) fn add_good(
        &mut self,
        good: Good,
        was_broken: bool,
        edit: &StringEdit,
        place: &str,
    ) {
        let name = match good {
            Good::Unseen => "pass unseen",
            Good::Noted => "pass with a note",
            Good::Denied => "denied once",
            Good::Changed => "taken for another call",
        };
        *self.good.entry(name).or_default() += 1;
        if good != Good::Unseen {
            let examples = self.shown.entry(format!("good: {name}")).or_default();
            if examples.len() < self.show {
                examples.push(format!("{place} (had errors: {was_broken})\n{edit:?}"));
            }
        }
    }

    /// Returns the numbers of broken calls, of wrong results, of right calls, and of those that are taken for another one.
    #[cfg(test)]
    pub(super) fn totals(&self) -> [usize; 4] {
        let all = self.of_slips.values();
        let calls = all.clone().map(Counts::calls).sum();
        let wrong = all.map(|counts| counts.wrong).sum();
        let good = self.good.values().sum();
        let changed = self.good.get("taken for another call");
        [calls, wrong, good, changed.copied().unwrap_or_default()]
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| repository | commit |\n|---|---|")?;
        for (name, head) in &self.repositories {
            writeln!(f, "| {name} | {head} |")?;
        }
        writeln!(
            f,
            "\n| mistake | calls | repaired | stopped, right text shown | stopped | passed | wrong |"
        )?;
        writeln!(f, "|---|--:|--:|--:|--:|--:|--:|")?;
        let mut all = Counts::default();
        let row = |f: &mut fmt::Formatter<'_>, name: &str, counts: &Counts| {
            writeln!(
                f,
                "| {name} | {} | {} | {} | {} | {} | {} |",
                counts.calls(),
                counts.repaired,
                counts.shown,
                counts.denied,
                counts.passed,
                counts.wrong
            )
        };
        for (slip, counts) in &self.of_slips {
            row(f, slip.name(), counts)?;
            all.add(counts);
        }
        row(f, "all", &all)?;
        writeln!(
            f,
            "\nNot counted: {} calls that make the change anyway. Without the hook, the repaired calls would be sent again \
             ({} bytes of strings), after their files were read again ({} bytes).",
            all.harmless, all.sent_again, all.read_again
        )?;
        writeln!(f, "\n| right calls | number |\n|---|--:|")?;
        for (name, count) in &self.good {
            writeln!(f, "| {name} | {count} |")?;
        }
        for (title, examples) in &self.shown {
            for example in examples {
                writeln!(f, "\n{title}\n{example}")?;
            }
        }
        Ok(())
    }
}
