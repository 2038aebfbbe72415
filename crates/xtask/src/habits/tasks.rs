//! What an agent pays for a commit in a session: the list of tools and the instructions once, what it reads, the calls and
//! the answers.
//!
//! Before an edit, treegraft's agent lists the symbols of a file and reads each symbol that it changes. A client that
//! replaces strings edits only files that it has read: the first [`LINES_READ`] lines, each with its number.

use std::sync::Arc;

use serde_json::{Value, json};

use treegraft::engine::Engine;
use treegraft::engine::tools::ToolGroup;
use treegraft_cli::mcp::Server;

use crate::change::bytes;
use crate::history::Commit;
use crate::project::Project;

use super::commits::{Cost, Made};

/// How many commits a session makes.
const COMMITS: [usize; 3] = [1, 3, 10];

/// The number of lines that the client's tool reads by default, and the bytes of the number before each.
const LINES_READ: usize = 2_000;
const LINE_NUMBER: usize = 7;

/// What the tool of the client costs in a session, in bytes: Anthropic documents 700 tokens for its text editor
/// (`text_editor_20250429`).
const STRINGS_LISTED: usize = 700 * 4;

/// What a session costs at its start, in bytes.
pub(super) struct Listed {
    all: usize,
    lean: usize,
}

impl Listed {
    /// Asks the server.
    ///
    /// # Errors
    /// Returns an error if a temporary directory cannot be used.
    pub(super) fn of_server() -> Result<Listed, String> {
        let project = Project::empty()?;
        let size = |groups: &[ToolGroup]| {
            let engine = Engine::open(&[project.root()], None::<&str>);
            let engine = engine.map_err(|error| error.to_string())?;
            let server = Server::new(Arc::new(engine), groups);
            let listed = server.listed().map(|tool| bytes(&json!(tool)));
            Ok::<usize, String>(listed.sum::<usize>() + server.instructions().len())
        };
        Ok(Listed {
            all: size(&[ToolGroup::Read, ToolGroup::Edit, ToolGroup::Flow])?,
            lean: size(&[ToolGroup::Lean])?,
        })
    }
}

/// Returns what a commit costs in each way and each length of a session, in bytes.
///
/// # Errors
/// Returns an error if a temporary directory cannot be used.
pub(super) fn records(
    repository: &str,
    commit: &Commit,
    made: &Made,
    listed: &Listed,
) -> Result<Vec<Value>, String> {
    let symbols = symbols_read(commit)?;
    let files = files_read(commit);
    let ways: [(&str, usize, usize, Cost); 3] = [
        ("string replacement", STRINGS_LISTED, files, made.strings),
        ("all tools", listed.all, symbols, made.ours),
        ("lean tools", listed.lean, symbols, made.lean),
    ];
    let mut records = Vec::new();
    for (tools, listed, read, cost) in ways {
        for commits in COMMITS {
            let once = listed / commits;
            let edited = cost.sent + cost.received;
            records.push(json!({"kind": "task", "repository": repository, "tools": tools,
                "commits in a session": commits, "commits": 1, "listed": once, "read": read, "sent": cost.sent,
                "received": cost.received, "without reads": once + edited, "all": once + edited + read}));
        }
    }
    Ok(records)
}

/// Returns the bytes of the calls that list the symbols of each file and read those that the commit changes.
fn symbols_read(commit: &Commit) -> Result<usize, String> {
    let project = Project::empty()?;
    let mut read = 0;
    let mut ask = |tool: &str, arguments: Value| {
        let answered = project.call(tool, &arguments);
        read += bytes(&arguments) + answered.text.len();
        answered.json
    };
    for file in &commit.files {
        project.write(&file.path, &file.before)?;
        let outline = ask("outline", json!({"path": file.path}));
        let mut symbols = Vec::new();
        add_symbols(&outline["files"][0], &mut symbols);
        let mut known: Vec<&Value> = Vec::new();
        for place in file.places() {
            let above = &file.before[..place.hunk.old.start];
            let line = above.matches('\n').count() as u64 + 1;
            let around = symbols.iter().rev().find(|(start, _)| *start <= line);
            if let Some((_, locate)) = around.filter(|(_, locate)| !known.contains(&locate)) {
                ask("read_node", json!({"locate": locate}));
                known.push(locate);
            }
        }
    }
    Ok(read)
}

/// Adds the first line and the locator of each symbol, in the order of the file.
fn add_symbols(parent: &Value, symbols: &mut Vec<(u64, Value)>) {
    for symbol in parent["symbols"].as_array().into_iter().flatten() {
        symbols.push((
            symbol["line"].as_u64().unwrap_or_default(),
            symbol["locate"].clone(),
        ));
        add_symbols(symbol, symbols);
    }
}

/// Returns the bytes of the calls that read each file.
fn files_read(commit: &Commit) -> usize {
    let files = commit.files.iter().map(|file| {
        let lines = file.before.lines().take(LINES_READ);
        let lines = lines.map(|line| LINE_NUMBER + line.len() + 1);
        bytes(&json!({"file_path": file.path})) + lines.sum::<usize>()
    });
    files.sum()
}
