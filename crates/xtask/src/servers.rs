//! Asks the language servers on `PATH` about small projects (`tests/servers/`): the answers of each server, the time of
//! the first answer, and the median time of warm ones.

use std::error::Error;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::engine::response::RefusedCall;
use treegraft::lsp::configuration::{Configuration, ServerConfiguration};

use crate::table::{Measured, Table};

#[path = "../../../tests/servers/projects.rs"]
#[expect(dead_code, reason = "the tests ask more questions")]
mod projects;

use projects::{PROJECTS, Place, Project};

/// How often a warm question is asked. The median counts.
const WARM: usize = 21;

const QUESTIONS: [&str; 5] = ["definition", "references", "hover", "rename", "diagnostics"];

pub(crate) const TABLES: &[Table] = &[Table::of(
    "answer of a server",
    &["server", "version", "question", "answer"],
    &["first ms", "warm ms"],
)];

/// Asks each server on `PATH` each question.
///
/// # Errors
/// Returns an error if a server on `PATH` fails.
pub(crate) fn servers() -> Result<Measured, Box<dyn Error>> {
    let mut records = Vec::new();
    for project in PROJECTS {
        let version = version(project);
        let mut record = json!({"kind": "answer of a server", "server": project.server,
            "version": version.as_deref().unwrap_or("not on PATH")});
        if version.is_none() {
            records.push(record);
            continue;
        }
        let opened = open_project(project)?;
        for question in QUESTIONS {
            let start = Instant::now();
            let answer = ask(&opened, project, question)?;
            record["question"] = json!(question);
            record["answer"] = json!(answer.as_deref().unwrap_or("none"));
            record["first ms"] = json!(milliseconds(start.elapsed()));
            if answer.is_some() {
                let ask = || ask(&opened, project, question).map(|_| ());
                record["warm ms"] = json!(milliseconds(median(WARM, ask)?));
            }
            records.push(record.clone());
        }
    }
    Ok(Measured {
        records,
        tables: TABLES.to_vec(),
    })
}

/// Returns the version that a server reports, or `None` if it does not run.
fn version(project: &Project) -> Option<String> {
    let paths = std::env::var_os("PATH")?;
    let program = project.command[0];
    let mut directories = std::env::split_paths(&paths);
    directories.find(|directory| directory.join(program).is_file())?;
    let Some((asked, arguments)) = project.version.split_first() else {
        return Some("not reported".to_string());
    };
    let output = Command::new(asked)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let output = output.ok().filter(|output| output.status.success())?;
    let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_number = |word: &&str| word.contains('.') && word.contains(|c: char| c.is_ascii_digit());
    let words = output_text.split_whitespace();
    let number = words
        .map(|word| word.trim_start_matches('v'))
        .find(|word| is_number(word) && word.starts_with(|c: char| c.is_ascii_digit()));
    Some(number.unwrap_or("not reported").to_string())
}

/// A project in a temporary directory, and an engine that uses its server.
struct OpenProject {
    engine: Engine,
    root: Utf8PathBuf,
    _directories: [TempDir; 2],
}

fn words(project: &Project) -> Vec<String> {
    project
        .command
        .iter()
        .map(|word| word.to_string())
        .collect()
}

fn configured(project: &Project) -> Configuration {
    let server = ServerConfiguration {
        command: Some(words(project)),
        enabled: true,
        ..ServerConfiguration::default()
    };
    Configuration::default().with(project.language, server)
}

fn open_project(project: &Project) -> Result<OpenProject, Box<dyn Error>> {
    let directories = [TempDir::new()?, TempDir::new()?];
    let root = Utf8PathBuf::try_from(directories[0].path().canonicalize()?)?;
    let state = Utf8PathBuf::try_from(directories[1].path().canonicalize()?)?;
    project.lay_out(root.as_std_path());
    let engine = Engine::open(std::slice::from_ref(&root), Some(&state))?;
    Ok(OpenProject {
        engine: engine.with_servers(configured(project)),
        root,
        _directories: directories,
    })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the median time of a call.
fn median(
    count: usize,
    mut call: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..count {
        let start = Instant::now();
        call()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}

/// An argument of a call, as a client sends it.
fn arguments<T: for<'de> Deserialize<'de>>(value: Value) -> Result<T, serde_json::Error> {
    serde_json::from_value(value)
}

/// Asks a question and summarizes the answer. Returns `None` if the server does not support the
/// question.
fn ask(
    opened: &OpenProject,
    project: &Project,
    question: &str,
) -> Result<Option<String>, Box<dyn Error>> {
    let engine = &opened.engine;
    let root = opened.root.as_std_path();
    let at = json!({"locate": project.locate});
    let refused = |refusal: Box<RefusedCall>| refusal.message().to_string();
    let answer = match question {
        "definition" => json!(engine.goto_definition(&arguments(at)?).map_err(refused)?),
        "references" => json!(engine.find_references(&arguments(at)?).map_err(refused)?),
        "hover" => json!(engine.hover(&arguments(at)?).map_err(refused)?),
        "rename" => {
            let new_name = project.rename.unwrap_or("other");
            let asked = arguments(json!({"locate": project.locate, "new_name": new_name}))?;
            return Ok(match engine.rename_symbol(&asked) {
                Ok(made) => {
                    let files = json!(made)["files"].as_array().map_or(1, Vec::len);
                    Some(counted(files, "file"))
                }
                Err(refusal) if refusal.message().contains("has no") => None,
                Err(refusal) => Some(refusal.code().as_str().to_string()),
            });
        }
        _ => {
            let path = project.error.map_or(".", |(file, ..)| file);
            json!(
                engine
                    .diagnostics(&arguments(json!({"path": path}))?)
                    .map_err(refused)?
            )
        }
    };
    if let Some(why) = answer["parse_error"].as_str() {
        let code = why.split(':').next().unwrap_or_default();
        return Ok(match why.contains("has no ") {
            true => None,
            false => Some(code.to_string()),
        });
    }
    let is_right = |list: &str, expected: &[Place]| match found(&answer[list]) == expected {
        true => "",
        false => ", not all",
    };
    let count = |list: &str| answer[list].as_array().map_or(0, Vec::len);
    let output_text = match question {
        "definition" => {
            let expected: Vec<Place> = project.defined(root).into_iter().collect();
            counted(count("locations"), "place") + is_right("locations", &expected)
        }
        "references" => {
            let expected = project.named(root);
            counted(count("references"), "place") + is_right("references", &expected)
        }
        "hover" => "text".to_string(),
        _ => counted(count("diagnostics"), "problem"),
    };
    let known = match answer["completeness"].as_str() {
        Some("complete") => "",
        Some("degraded") => ", may be incomplete",
        _ => ", still indexing",
    };
    Ok(Some(output_text + known))
}

fn counted(count: usize, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

fn found(list: &Value) -> Vec<Place> {
    let number = |value: &Value| value.as_u64().map_or(0, |number| number as usize);
    let places = list.as_array().into_iter().flatten();
    places
        .map(|one| {
            let file = one["file"].as_str().unwrap_or_default().to_string();
            (file, number(&one["line"]), number(&one["column"]))
        })
        .collect()
}
