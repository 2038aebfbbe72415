//! Runs ast-grep rules with treegraft and with ast-grep's own program on the sample code next to them, and lists each
//! difference between the matches and between the fixed texts.
//!
//! A folder has rule files `NAME.yml` and samples `NAME.EXTENSION` or `NAME.WORD.EXTENSION`. A rule that is expected to
//! differ says why in `metadata`: `differs: ast-grep leaves two spaces`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use serde_json::{Value, json};
use treegraft::pattern::Template;
use treegraft::pattern::rule::{RuleFile, RuleSet, metadata};
use treegraft::rewrite::{Outcome, Rewriting, outermost, rewrite};

use crate::change::parse;
use crate::table::{Measured, Output, Table};
use crate::text::diff;

/// The maximum number of matches in a sample.
const MOST: usize = 10_000;

/// Compare the matches and fixes of rules with those of ast-grep
#[derive(Args)]
pub(crate) struct Options {
    /// Folder with rule files and samples
    folder: Utf8PathBuf,
    /// ast-grep's program
    #[arg(long, value_name = "PROGRAM", default_value = "ast-grep")]
    ast_grep: Utf8PathBuf,
    #[command(flatten)]
    pub(crate) output: Output,
}

pub(crate) const TABLES: &[Table] = &[Table::new(
    "sample of a rule",
    &["outcome"],
    &["matches", "fixed"],
)];

/// The matches in a sample, and the text with all fixes.
struct Outcomes {
    /// The id of the rule and the range of bytes.
    matches: BTreeSet<(String, usize, usize)>,
    fixed: String,
    /// Why matches are not fixed.
    refused: Vec<String>,
}

/// Compares all rules of a folder; `say` receives the differences.
///
/// # Errors
/// Returns an error if a file cannot be read, or ast-grep does not start.
pub(crate) fn rules(options: &Options, say: impl Fn(String)) -> Result<Measured, Box<dyn Error>> {
    let mut names: Vec<Utf8PathBuf> = Vec::new();
    for entry in options.folder.read_dir_utf8()? {
        names.push(entry?.into_path());
    }
    names.sort();
    let mut records = Vec::new();
    for rule in names.iter().filter(|path| path.extension() == Some("yml")) {
        let prefix = format!("{}.", rule.file_stem().unwrap_or_default());
        let is_sample = |path: &&Utf8PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.starts_with(&prefix) && *path != rule
        };
        for sample in names.iter().filter(is_sample) {
            let rule_text = fs::read_to_string(rule)?;
            let text = fs::read_to_string(sample)?;
            let theirs = of_ast_grep(&options.ast_grep, rule, sample, &text)?;
            let ours = of_treegraft(&rule_text, sample, &text);
            let differences = differences(&text, &ours, &theirs);
            let justified = metadata(&rule_text, "differs");
            let outcome = match (differences.is_empty(), &justified) {
                (true, _) if ours.is_err() => "both refuse",
                (true, _) => "agrees",
                (false, Some(_)) => "differs, justified",
                (false, None) => "differs",
            };
            for difference in &differences {
                let name = sample.file_name().unwrap_or_default();
                let reason = justified.as_deref().unwrap_or("not justified");
                say(format!("{name}: {difference}\n  {reason}"));
            }
            let (matches, is_fixed) = match &ours {
                Ok(ours) => (ours.matches.len(), ours.fixed != text),
                Err(_) => (0, false),
            };
            records.push(json!({"kind": "sample of a rule", "rule": rule.file_name(),
                "sample": sample.file_name(), "outcome": outcome, "matches": matches,
                "fixed": usize::from(is_fixed)}));
        }
    }
    Ok(Measured::new(records, TABLES))
}

/// Returns what differs between the outcomes of both programs.
fn differences(
    text: &str,
    ours: &Result<Outcomes, Box<dyn Error>>,
    theirs: &Result<Outcomes, String>,
) -> Vec<String> {
    let (ours, theirs) = match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(_), Err(_)) => return Vec::new(),
        (Err(error), Ok(_)) => return vec![format!("only treegraft refuses the rule: {error}")],
        (Ok(_), Err(error)) => return vec![format!("only ast-grep refuses the rule: {error}")],
    };
    let mut all = Vec::new();
    for (program, own, others) in [
        ("ast-grep", &theirs.matches, &ours.matches),
        ("treegraft", &ours.matches, &theirs.matches),
    ] {
        for (id, start, end) in own.difference(others) {
            let line = text[..*start].matches('\n').count() + 1;
            let first = text[*start..*end].lines().next().unwrap_or_default();
            all.push(format!(
                "only {program} matches {id} in line {line}: {first}"
            ));
        }
    }
    let refused = ours.refused.iter();
    all.extend(refused.map(|why| format!("treegraft refuses a fix: {why}")));
    if ours.fixed != theirs.fixed {
        let diff = diff(&theirs.fixed, &ours.fixed);
        all.push(format!(
            "the fixed text differs (-ast-grep +treegraft)\n{diff}"
        ));
    }
    all
}

fn of_treegraft(rule: &str, sample: &Utf8Path, text: &str) -> Result<Outcomes, Box<dyn Error>> {
    let file = RuleFile {
        name: String::new(),
        text: rule.to_string(),
    };
    let rules = RuleSet::read(&[file], &[])?;
    let name = sample.file_name().unwrap_or_default();
    let parsed = parse(name, text);
    let mut found = rules.find(&parsed, name, MOST).found;
    let matches = found.iter().map(|one| {
        let id = rules.rules()[one.rule].id().to_string();
        let span = one.node.span();
        (id, span.start(), span.end())
    });
    let matches = matches.collect();
    let templates = rules.rules().iter().map(|rule| rule.template(None));
    let templates: Vec<Option<Template>> = templates.collect::<Result<_, _>>()?;
    found.retain(|one| templates[one.rule].is_some());
    let (outer, _) = outermost(found);
    // ast-grep leaves matches inside others as they are.
    let rewriting = Rewriting {
        templates: &templates,
        allow: &[],
        find: &|_| Vec::new(),
    };
    let rewritten = rewrite(&parsed, &outer, &[], &rewriting);
    let refused = rewritten
        .outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Refused(refused) => Some(format!("{:?}", refused.why)),
            _ => None,
        });
    let refused = refused.map(|why| why.chars().take(300).collect()).collect();
    let made = rewritten.made.map(|made| made.into_checked());
    let fixed = made.map(|checked| checked.after().source().text().to_string());
    Ok(Outcomes {
        matches,
        fixed: fixed.unwrap_or_else(|| text.to_string()),
        refused,
    })
}

/// Runs ast-grep's program. Returns its message if it refuses the rule.
fn of_ast_grep(
    program: &Utf8Path,
    rule: &Utf8Path,
    sample: &Utf8Path,
    text: &str,
) -> Result<Result<Outcomes, String>, Box<dyn Error>> {
    let scan = |arguments: &[&str]| {
        let mut command = Command::new(program);
        command.arg("scan").arg("--rule").arg(rule).args(arguments);
        command
            .output()
            .map_err(|error| format!("{program}: {error}"))
    };
    let found = scan(&["--json=compact", sample.as_str()])?;
    let Ok(all) = serde_json::from_slice::<Vec<Value>>(&found.stdout) else {
        let refusal = String::from_utf8_lossy(&found.stderr);
        return Ok(Err(refusal.trim().to_string()));
    };
    let matches = all.iter().map(|one| {
        let offset = |name: &str| one["range"]["byteOffset"][name].as_u64().unwrap_or(0) as usize;
        let id = one["ruleId"].as_str().unwrap_or_default().to_string();
        (id, offset("start"), offset("end"))
    });
    let folder = tempfile::tempdir()?;
    let folder = Utf8Path::from_path(folder.path()).ok_or("a temporary path is not UTF-8")?;
    let copy = folder.join(sample.file_name().unwrap_or_default());
    fs::write(&copy, text)?;
    scan(&["--update-all", copy.as_str()])?;
    Ok(Ok(Outcomes {
        matches: matches.collect(),
        fixed: fs::read_to_string(&copy)?,
        refused: Vec::new(),
    }))
}
