//! Applies staged edits after the file changed, as merges of public histories changed it, and compares the resulting bytes
//! with those of other tools.
//!
//! A triple is a file that both sides of a merge changed. The change of the merged branch (the left side) is staged on the
//! merge base: an entry for each place, in one `edit_nodes`. Then the text of the other branch (the right side)
//! is put on disk, and the edit is applied. The same change is made by `git merge-file`, by mergiraf, and by exact string
//! replacements that were written for the base. An outcome is
//!
//! - *expected bytes*: those of the merge; *after a yes* if the edit was shown as it is now and then allowed;
//! - *other bytes*, or *other bytes, as git*: those of a merge by `git merge-file` without conflicts;
//! - *fresh preview*: nothing was written, and the answer shows the edit of the current file; *right* if that has the bytes
//!   of the merge;
//! - *refused*, with the code; for git and mergiraf a conflict.
//!
//! Triples without a tool that has the bytes of the merge are resolved by hand and counted separately. The *situation* is
//! how close the changes of both sides are.

mod merges;
mod others;
mod places;
mod staged;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use treegraft::source::Span;

use crate::change::{Strings, parse};
use crate::git::name_of;
use crate::habits::commits::string_replacements;
use crate::history::{Hunk, hunks};
use crate::table::{Measured, Output, Table};
use crate::text::{diff, overlap};

use merges::{Merges, Triple};
use others::{Programs, replace_strings};
use places::expressed;
use staged::{Applied, applied};

/// Examples of the command.
const EXAMPLES: &str = "Examples:
  cargo xtask drift ../cargo ../sympy
      Print the tables for the merges of two repositories
  cargo xtask drift ../git --triples 50 --mergiraf ~/.cargo/bin/mergiraf
      Compare with mergiraf too";

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
    /// Program to compare with; left out if it is not found
    #[arg(long, value_name = "PROGRAM", default_value = "mergiraf")]
    pub(crate) mergiraf: String,
    #[command(flatten)]
    pub(crate) output: Output,
}

pub(crate) const TABLES: &[Table] = &[
    Table::new("triple", &["tool"], &["after a yes"]),
    Table::new("triple resolved by hand", &["tool"], &["after a yes"]),
    Table::new("triple", &["situation", "tool"], &["after a yes"]),
    Table::new("merged file", &["repository"], &[]),
];

/// Measures the merges of the repositories; `say` receives the progress.
///
/// # Errors
/// Returns an error if git fails for a repository, if a temporary directory cannot be used, or if a refused edit changed
/// a file.
pub(crate) fn drift(options: &Options, say: impl Fn(String)) -> Result<Measured, String> {
    let programs = Programs::find(&options.mergiraf)?;
    let mut strings = Strings::default();
    let mut records = Vec::new();
    for path in &options.repositories {
        let name = name_of(path);
        let merges = Merges::read(path)?;
        merges.each_triple(options.triples, |triple| {
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
    Ok(Measured::new(records, TABLES))
}

/// Makes the left change of a triple on its right side, with each tool. Returns the records, or why the change cannot be
/// expressed.
fn measured(
    repository: &str,
    triple: &Triple,
    programs: &Programs,
    strings: &mut Strings,
) -> Result<Result<Vec<Value>, &'static str>, String> {
    let places = match expressed(triple, strings) {
        Ok(places) => places,
        Err(reason) => return Ok(Err(reason)),
    };
    let whole = match applied(triple, &places)? {
        Ok(applied) => applied,
        Err(reason) => return Ok(Err(reason)),
    };
    let git = programs.git(triple)?;
    let mut made = vec![
        ("treegraft", whole),
        ("git merge-file", git.clone()),
        (
            "string replacement",
            replace_strings(
                &triple.right,
                &string_replacements(&triple.base, &places.hunks),
            ),
        ),
    ];
    made.extend(programs.mergiraf(triple)?.map(|own| ("mergiraf", own)));
    let expected = &triple.expected;
    let situation = situation(triple);
    let is_by_hand = !made.iter().any(|(_, made)| made.text() == Some(expected));
    let place = format!("{repository} {} {}", triple.commit, triple.path);
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
        let kind = match is_by_hand {
            true => "triple resolved by hand",
            false => "triple",
        };
        let mut record = json!({"kind": kind, "repository": repository, "path": triple.path,
            "situation": situation, "tool": tool, "outcome": outcome,
            "after a yes": usize::from(matches!(made, Applied::Allowed(_)))});
        if outcome != "expected bytes" {
            let text = made.text().unwrap_or_default();
            record["example"] = json!(format!("{place}\n{}", diff(expected, text)));
        }
        records.push(record);
    }
    Ok(Ok(records))
}

/// Returns how close the changes of both sides are: the closest pair counts.
fn situation(triple: &Triple) -> &'static str {
    let parsed = parse(&triple.path, &triple.base);
    let symbol = |hunk: &Hunk| {
        let symbols = parsed.outline().symbols().iter();
        let span = Span::new(hunk.old.start, hunk.old.end);
        let own = symbols.filter(|symbol| symbol.span.contains(span));
        own.map(|symbol| symbol.span).min_by_key(|span| span.len())
    };
    let right = hunks(&triple.base, &triple.right);
    let pairs = hunks(&triple.base, &triple.left).into_iter();
    let pairs = pairs.flat_map(|own| right.iter().map(move |other| (own.clone(), other)));
    let closest = pairs.map(|(own, other)| match (&own.old, &other.old) {
        (one, two) if one.is_empty() && one == two => (0, "both insert at the same point"),
        (one, two) if overlap(one, two) => (1, "both change the same lines"),
        (one, two) if one.start <= two.end && two.start <= one.end => (2, "adjacent lines"),
        _ if symbol(&own).is_some() && symbol(&own) == symbol(other) => (3, "the same symbol"),
        _ => (4, "other parts of the file"),
    });
    closest.min().map_or("no lines", |(_, situation)| situation)
}
