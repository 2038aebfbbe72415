//! Applies staged edits after the file changed, as merges of public histories changed it, and compares the resulting bytes
//! with those of other tools.
//!
//! A triple is a file that both sides of a merge changed. The change of the merged branch (the left side) is staged on the
//! merge base: one edit for each place, all of them in one `edit_nodes`. Then the text of the other branch (the right side)
//! is put on disk, and the edit is applied. The same change is made by `git merge-file`, by mergiraf, and by exact string
//! replacements that were written for the base. An outcome is
//!
//! - *expected bytes*: those of the merge; *after a yes* if the edit was shown as it is now and then allowed;
//! - *other bytes*, or *other bytes, as git*: those of a merge by `git merge-file` without conflicts;
//! - *fresh preview*: nothing was written, and the answer shows the edit of the current file; *right* if that has the bytes
//!   of the merge;
//! - *refused*, with the code; for git and mergiraf a conflict.
//!
//! Triples without a tool that has the bytes of the merge are resolved by hand and counted separately. The edit of each
//! place is also applied alone and compared with `git merge-file` for the same change, by what the right side changed at
//! the place (the *situation*, determined from the texts alone).

mod merges;
mod others;
mod places;
mod situations;
mod staged;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use treegraft::language;

use crate::change::Strings;
use crate::git::name_of;
use crate::habits::commits::string_replacements;
use crate::table::{Measured, Output, Table};
use crate::text::diff;

use merges::{Merges, Triple};
use others::{Programs, Sides, replace_strings};
use places::{Place, expressed};
use situations::{overwrites, situation};
use staged::{Applied, applied};

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask drift ../cargo ../sympy
      Print the tables for the merges of two repositories
  cargo xtask drift ../git --triples 50 --language c --mergiraf ~/.cargo/bin/mergiraf
      Measure only C files, and compare with mergiraf too";

/// The options of `cargo xtask drift`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Git repositories, bare or with a work tree
    #[arg(required = true, value_name = "PATH_OF_REPOSITORY")]
    pub(crate) repositories: Vec<String>,
    /// Number of triples to take from each repository
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) triples: usize,
    /// Take only files in these languages
    #[arg(long = "language", value_name = "NAME", value_delimiter = ',')]
    pub(crate) languages: Vec<String>,
    /// Program to compare with; left out if it is not found
    #[arg(long, value_name = "PROGRAM", default_value = "mergiraf")]
    pub(crate) mergiraf: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

pub(crate) const TABLES: &[Table] = &[
    Table {
        kind: "triple",
        by: &["tool"],
        sums: &["after a yes"],
    },
    Table {
        kind: "triple resolved by hand",
        by: &["tool"],
        sums: &["after a yes"],
    },
    Table {
        kind: "edit of a place",
        by: &["situation"],
        sums: &["after a yes", "removes added text"],
    },
    Table {
        kind: "edit of a place",
        by: &["edit"],
        sums: &["after a yes", "removes added text"],
    },
    Table {
        kind: "merged file",
        by: &["repository"],
        sums: &[],
    },
];

const OURS: &str = "treegraft";
const GIT: &str = "git merge-file";

/// Measures the merges of the repositories; `say` receives the progress.
///
/// # Errors
/// Returns an error if git fails for a repository, if a temporary directory cannot be used, or if a refused edit changed
/// a file.
pub(crate) fn drift(options: &Options, say: impl Fn(String)) -> Result<Measured, String> {
    let programs = Programs::of(&options.mergiraf)?;
    let mut strings = Strings::default();
    let mut records = Vec::new();
    let is_wanted = |path: &str| {
        let own = language::of_path(path).map(|own| own.name);
        options.languages.is_empty()
            || own.is_some_and(|own| options.languages.iter().any(|name| name == own))
    };
    for path in &options.repositories {
        let name = name_of(path);
        let mut merges = Merges::of(path)?;
        merges.each_triple(options.triples, is_wanted, |triple| {
            let measured = match triple {
                Ok(triple) => measured(&name, &triple, &programs, &mut strings)?,
                Err(reason) => Err(reason),
            };
            let outcome = measured
                .as_ref()
                .map_or_else(|reason| *reason, |_| "triple");
            records.push(json!({"kind": "merged file", "repository": name, "outcome": outcome}));
            let is_taken = measured.is_ok();
            records.extend(measured.into_iter().flatten());
            Ok(is_taken)
        })?;
        say(format!("{name}: measured"));
    }
    Ok(Measured {
        records,
        tables: TABLES.to_vec(),
    })
}

/// Makes the left change of a triple on its right side, with each tool. Returns the records, or why the change cannot be
/// expressed.
fn measured(
    repository: &str,
    triple: &Triple,
    programs: &Programs,
    strings: &mut Strings,
) -> Result<Result<Vec<Value>, &'static str>, String> {
    let Triple {
        path, base, right, ..
    } = triple;
    let places = match expressed(triple, strings) {
        Ok(places) => places,
        Err(reason) => return Ok(Err(reason)),
    };
    let sides = Sides {
        path,
        base,
        left: &triple.left,
        right,
    };
    let (whole, alone) = match applied(sides, &places)? {
        Ok(applied) => applied,
        Err(reason) => return Ok(Err(reason)),
    };
    let git = programs.git(sides)?;
    let hunks: Vec<_> = places.iter().map(|place| place.hunk.clone()).collect();
    let mut made = vec![
        (OURS, whole),
        (GIT, git.clone()),
        (
            "string replacement",
            replace_strings(right, &string_replacements(base, &hunks)),
        ),
    ];
    made.extend(programs.mergiraf(sides)?.map(|own| ("mergiraf", own)));
    let expected = &triple.expected;
    let is_by_hand = !made.iter().any(|(_, made)| made.text() == Some(expected));
    let place = format!("{repository} {} {path}", triple.commit);
    let mut records = Vec::new();
    for (tool, made) in &made {
        let outcome = match made {
            Applied::Refused(reason) => format!("refused: {reason}"),
            Applied::Fresh(text) if text == expected => "fresh preview, right".to_string(),
            Applied::Fresh(_) => "fresh preview".to_string(),
            _ if made.text() == Some(expected) => "expected bytes".to_string(),
            _ if made.text() == git.text() => "other bytes, as git".to_string(),
            _ => "other bytes".to_string(),
        };
        let kind = TABLES[usize::from(is_by_hand)].kind;
        let mut record = json!({"kind": kind, "repository": repository, "path": path,
            "tool": tool, "outcome": outcome,
            "after a yes": usize::from(matches!(made, Applied::Allowed(_)))});
        if outcome != "expected bytes" {
            let text = made.text().unwrap_or_default();
            record["example"] = json!(format!("{place}\n{}", diff(expected, text)));
        }
        records.push(record);
    }
    for (place, applied) in places.iter().zip(&alone) {
        records.push(of_place(triple, place, applied, programs)?);
    }
    Ok(Ok(records))
}

/// Returns what became of the edit of a place alone, compared with `git merge-file`.
fn of_place(
    triple: &Triple,
    place: &Place,
    applied: &Applied,
    programs: &Programs,
) -> Result<Value, String> {
    let Triple {
        path, base, right, ..
    } = triple;
    let git = programs.git(Sides {
        path,
        base,
        left: &place.wanted,
        right,
    })?;
    let done = match applied {
        Applied::Written(_) | Applied::Allowed(_) => "applied".to_string(),
        Applied::Fresh(_) => "fresh preview".to_string(),
        Applied::Refused(code) => format!("refused: {code}"),
    };
    let compared = match (git.text(), applied.text()) {
        (None, _) => "git conflicts",
        (Some(_), None) => "git merges",
        (Some(git), Some(text)) if git == text => "as git",
        (Some(_), Some(_)) => "other bytes than git",
    };
    let overwrites = match applied {
        Applied::Allowed(text) | Applied::Fresh(text) => overwrites(base, right, text),
        Applied::Written(_) | Applied::Refused(_) => false,
    };
    let mut record = json!({"kind": "edit of a place", "path": path, "edit": place.operation(),
        "situation": situation(base, right, place, applied), "outcome": format!("{done}, {compared}"),
        "after a yes": usize::from(matches!(applied, Applied::Allowed(_))),
        "removes added text": usize::from(overwrites)});
    if compared != "as git" {
        let entries: Vec<String> = place.entries.iter().map(Value::to_string).collect();
        let text = applied.text().unwrap_or_default();
        let diff = diff(git.text().unwrap_or(right), text);
        let (commit, entries) = (&triple.commit, entries.join("\n"));
        record["example"] = json!(format!("{commit} {path}\n{entries}\n{diff}"));
    }
    Ok(record)
}
