//! Runs ast-grep rules with treegraft and with ast-grep's own program on the sample code next to them, and lists each
//! difference between the matches and between the fixed texts.
//!
//! A folder has rule files `NAME.yml` and samples `NAME.EXTENSION` or `NAME.WORD.EXTENSION`. A rule that is expected to
//! differ says why in `metadata`: `differs: ast-grep leaves two spaces`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::fs;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use serde_json::Value;
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::pattern::Template;
use treegraft::pattern::rule::{RuleFile, RuleSet, metadata};
use treegraft::rewrite::{Outcome, outermost, rewrite};
use treegraft::source::Source;

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
}

/// The results for all samples.
pub(crate) struct Report {
    rules: usize,
    samples: usize,
    matches: usize,
    fixed: usize,
    /// Samples whose rule both programs refuse.
    refused: usize,
    differences: Vec<Difference>,
}

struct Difference {
    sample: String,
    what: String,
    /// The reason that the rule gives.
    justified: Option<String>,
}

/// The matches in a sample, and the text with all fixes.
struct Outcomes {
    /// The id of the rule and the range of bytes.
    matches: BTreeSet<(String, usize, usize)>,
    fixed: String,
    /// Why matches are not fixed.
    refused: Vec<String>,
}

/// Compares all rules of a folder.
pub(crate) fn run(options: &Options) -> Result<Report, Box<dyn Error>> {
    let mut report = Report {
        rules: 0,
        samples: 0,
        matches: 0,
        fixed: 0,
        refused: 0,
        differences: Vec::new(),
    };
    let mut names: Vec<Utf8PathBuf> = Vec::new();
    for entry in options.folder.read_dir_utf8()? {
        names.push(entry?.into_path());
    }
    names.sort();
    for rule in names.iter().filter(|path| path.extension() == Some("yml")) {
        report.rules += 1;
        let stem = rule.file_stem().unwrap_or_default();
        let prefix = format!("{stem}.");
        let is_sample = |path: &&Utf8PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.starts_with(&prefix) && *path != rule
        };
        for sample in names.iter().filter(is_sample) {
            report.compare(options, rule, sample)?;
        }
    }
    Ok(report)
}

impl Report {
    /// Returns the number of differences that no rule justifies.
    pub(crate) fn unjustified(&self) -> usize {
        let all = self.differences.iter();
        all.filter(|one| one.justified.is_none()).count()
    }

    fn compare(
        &mut self,
        options: &Options,
        rule: &Utf8Path,
        sample: &Utf8Path,
    ) -> Result<(), Box<dyn Error>> {
        let rule_text = fs::read_to_string(rule)?;
        let text = fs::read_to_string(sample)?;
        let justified = metadata(&rule_text, "differs");
        let mut differ = |what: String| {
            self.differences.push(Difference {
                sample: sample.file_name().unwrap_or_default().to_string(),
                what,
                justified: justified.clone(),
            });
        };
        self.samples += 1;
        let theirs = of_ast_grep(&options.ast_grep, rule, sample, &text)?;
        let ours = of_treegraft(&rule_text, sample, &text);
        let (theirs, ours) = match (theirs, ours) {
            (Ok(theirs), Ok(ours)) => (theirs, ours),
            (Err(_), Err(_)) => {
                self.refused += 1;
                return Ok(());
            }
            (Ok(_), Err(error)) => {
                differ(format!("only treegraft refuses the rule: {error}"));
                return Ok(());
            }
            (Err(error), Ok(_)) => {
                differ(format!("only ast-grep refuses the rule: {error}"));
                return Ok(());
            }
        };
        let line = |offset: usize| text[..offset].matches('\n').count() + 1;
        for (program, others, own) in [
            ("ast-grep", &ours.matches, &theirs.matches),
            ("treegraft", &theirs.matches, &ours.matches),
        ] {
            for (id, start, end) in own.difference(others) {
                let code = &text[*start..*end];
                let first = code.lines().next().unwrap_or_default();
                differ(format!(
                    "only {program} matches {id} in line {}: {first}",
                    line(*start)
                ));
            }
        }
        for refused in &ours.refused {
            differ(format!("treegraft refuses a fix: {refused}"));
        }
        if ours.fixed != theirs.fixed {
            let changes = similar::TextDiff::from_lines(&theirs.fixed, &ours.fixed);
            let changes = changes.unified_diff().context_radius(1).to_string();
            differ(format!(
                "the fixed text differs (-ast-grep +treegraft)\n{changes}"
            ));
        }
        self.matches += ours.matches.len();
        self.fixed += usize::from(ours.fixed != text);
        Ok(())
    }
}

fn of_treegraft(rule: &str, sample: &Utf8Path, text: &str) -> Result<Outcomes, Box<dyn Error>> {
    let file = RuleFile {
        name: String::new(),
        text: rule.to_string(),
    };
    let rules = RuleSet::read(&[file], &[])?;
    let name = sample.file_name().unwrap_or_default();
    let language = language::of(name, text);
    let parsed = Parsed::parse(Source::new(name, language, text.to_string()));
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
    let rewritten = rewrite(&parsed, &outer, &templates, &[]);
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

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report {
            rules,
            samples,
            matches,
            fixed,
            refused,
            differences,
        } = self;
        for Difference {
            sample,
            what,
            justified,
        } in differences
        {
            writeln!(f, "{sample}: {what}")?;
            match justified {
                Some(reason) => writeln!(f, "  justified: {reason}")?,
                None => writeln!(f, "  not justified")?,
            }
        }
        let (all, open) = (differences.len(), self.unjustified());
        writeln!(
            f,
            "{rules} rules, {samples} samples, {matches} matches, {fixed} fixed samples, {refused} samples \
             with a rule that both refuse, {all} differences, {open} of them not justified"
        )
    }
}
