//! Asks the language servers on `PATH` about small projects (`tests/servers/`): the answers of each server, the time of
//! the first answer, and the median time of warm ones.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use treegraft::lsp::configuration::{Configuration, ServerConfiguration};

use crate::project::Project as Opened;
use crate::table::{Measured, Table};

#[path = "../../../tests/servers/projects.rs"]
#[expect(dead_code, reason = "the tests ask more questions")]
mod projects;

use projects::{PROJECTS, Place, Project};

/// How often a warm question is asked. The median counts.
const WARM: usize = 21;

const QUESTIONS: [&str; 5] = ["definition", "references", "hover", "rename", "diagnostics"];

pub(crate) const TABLES: &[Table] = &[Table::new(
    "answer of a server",
    &["server", "version", "question", "answer"],
    &["first ms", "warm ms"],
)];

/// Asks each server on `PATH` each question.
///
/// # Errors
/// Returns an error if a server on `PATH` fails.
pub(crate) fn servers() -> Result<Measured, String> {
    let mut records = Vec::new();
    for project in PROJECTS {
        let version = version(project);
        let mut record = json!({"kind": "answer of a server", "server": project.server,
            "version": version.as_deref().unwrap_or("not on PATH")});
        if version.is_none() {
            records.push(record);
            continue;
        }
        let opened = open(project)?;
        for question in QUESTIONS {
            let start = Instant::now();
            let answer = ask(&opened, project, question)?;
            record["question"] = json!(question);
            record["answer"] = json!(answer.as_deref().unwrap_or("none"));
            record["first ms"] = json!(milliseconds(start.elapsed()));
            if answer.is_some() {
                let ask = || ask(&opened, project, question).map(|_| ());
                record["warm ms"] = json!(milliseconds(median(ask)?));
            }
            records.push(record.clone());
        }
    }
    Ok(Measured::new(records, TABLES))
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

/// Opens a project in a temporary directory, with an engine that uses its server.
fn open(project: &Project) -> Result<Opened, String> {
    let command = project.command.iter().map(|word| word.to_string());
    let server = ServerConfiguration {
        command: Some(command.collect()),
        enabled: true,
        ..ServerConfiguration::default()
    };
    let configuration = Configuration::default().with(project.language, server);
    let opened = Opened::empty()?.with_servers(configuration);
    project.lay_out(opened.root());
    Ok(opened)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the median time of some calls.
fn median(call: impl Fn() -> Result<(), String>) -> Result<Duration, String> {
    let mut times = Vec::new();
    for _ in 0..WARM {
        let start = Instant::now();
        call()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}

/// Asks a question and summarizes the answer. Returns `None` if the server does not support the question.
fn ask(opened: &Opened, project: &Project, question: &str) -> Result<Option<String>, String> {
    let root = opened.root();
    let at = json!({"locate": project.locate});
    let (tool, arguments) = match question {
        "definition" => ("goto_definition", at),
        "references" => ("find_references", at),
        "hover" => ("hover", at),
        "rename" => {
            let new_name = project.rename.unwrap_or("other");
            let arguments = json!({"locate": project.locate, "new_name": new_name});
            let made = opened.call("rename_symbol", &arguments);
            return Ok(match made.code {
                None => Some(counted(
                    made.json["files"].as_array().map_or(1, Vec::len),
                    "file",
                )),
                Some(_) if made.text.contains("has no") => None,
                Some(code) => Some(code.to_string()),
            });
        }
        _ => {
            let path = project.error.map_or(".", |(file, ..)| file);
            ("diagnostics", json!({"path": path}))
        }
    };
    let answered = opened.call(tool, &arguments);
    if answered.code.is_some() {
        return Err(answered.text);
    }
    let answer = answered.json;
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
