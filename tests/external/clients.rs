//! Clients and suites from the npm registry: the protocol's conformance suite, and a whole edit
//! with the Inspector's command line. `tests/all.sh` installs both.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{COUNTERS, repository};
use crate::tools;

fn installed(name: &str) -> Command {
    let mut command = tools::with_own_node(&tools::node(name));
    command.stdin(Stdio::null());
    command
}

/// Returns the standard output of a program, if it exits with an expected status.
fn printed(command: &mut Command, expected: &[i32]) -> String {
    let output = command.output().expect("it starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let code = output.status.code();
    assert!(
        code.is_some_and(|code| expected.contains(&code)),
        "{code:?}\n{printed}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    printed
}

/// Runs `xtask conformance`, which `tests/all.sh` builds.
struct Suite {
    process: Child,
    url: String,
    _directory: TempDir,
}

impl Suite {
    fn start() -> Suite {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let program = Path::new(env!("CARGO_BIN_EXE_treegraft"));
        let program = program.with_file_name("xtask");
        let mut process = Command::new(program)
            .arg("conformance")
            .arg(directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("xtask is built");
        let output = process.stdout.take().expect("standard output is a pipe");
        let mut url = String::new();
        BufReader::new(output)
            .read_line(&mut url)
            .expect("it prints its address");
        Suite {
            process,
            url: url.trim().to_string(),
            _directory: directory,
        }
    }
}

impl Drop for Suite {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The maximum number of runs of the suite: it waits half a second for some answers, which can be
/// too short on a busy machine.
const RUNS: usize = 3;

/// Returns the suite's report on the server in a revision, as an error if it is not as expected.
fn conforms(revision: &str) -> Result<String, String> {
    let mut suite = installed("conformance");
    let server = Suite::start();
    let folder = tempfile::tempdir().expect("a folder for its results");
    let output = suite
        .args(["server", "--url", &server.url, "--suite", "all"])
        .args(["--spec-version", revision, "--expected-failures"])
        .arg(repository().join("tests/surfaces/conformance.yml"))
        .arg("--output-dir")
        .arg(folder.path())
        .output()
        .expect("it starts");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(printed),
        false => Err(printed),
    }
}

#[test]
fn the_conformance_suite_passes_except_for_undeclared_features() {
    for revision in ["2025-11-25", "2026-07-28"] {
        for run in 1..=RUNS {
            match conforms(revision) {
                Err(report) => assert!(run < RUNS, "{revision}, {run} times:\n{report}"),
                Ok(report) => {
                    let passed = report.lines().filter(|line| line.starts_with('✓'));
                    assert!(passed.count() >= 27, "{revision}:\n{report}");
                    break;
                }
            }
        }
    }
}

/// A workspace over which the Inspector's command line starts a server for each call.
struct Inspector {
    directory: TempDir,
}

impl Inspector {
    fn call(&self, tool: &str, arguments: &[(&str, &str)]) -> Value {
        let mut inspector = installed("mcp-inspector");
        let state = self.directory.path().join("state");
        inspector
            .arg("--cli")
            .arg("-e")
            .arg(format!("XDG_STATE_HOME={}", state.display()))
            .args([env!("CARGO_BIN_EXE_treegraft"), "serve", "--root"])
            .arg(self.directory.path().join("workspace"))
            .args(["--method", "tools/call", "--tool-name", tool]);
        for (name, value) in arguments {
            inspector.arg("--tool-arg").arg(format!("{name}={value}"));
        }
        // A refusal ends it with another exit status.
        let printed = printed(&mut inspector, &[0, 1, 2, 3, 4, 5]);
        let mut values = serde_json::Deserializer::from_str(&printed).into_iter();
        let first = values.next().expect("it prints the result");
        first.unwrap_or_else(|error| panic!("{error}: {printed}"))
    }

    fn counters(&self) -> String {
        let path = self.directory.path().join("workspace/counters.rs");
        std::fs::read_to_string(path).expect("the file is there")
    }
}

#[test]
fn the_inspector_drives_a_whole_edit() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let root = directory.path().join("workspace");
    std::fs::create_dir(&root).expect("the workspace can be created");
    std::fs::write(root.join("counters.rs"), COUNTERS).expect("the file can be written");
    let inspector = Inspector { directory };
    // The selector is a string of JSON; it is refused because it matches in two places.
    let selector = "{\"anchor_text\": \"fn count\", \"ancestor_node_type\": \"function_item\"}";
    let refused = inspector.call(
        "replace_node",
        &[
            ("file_path", "counters.rs"),
            ("selector", selector),
            ("new_content", "fn count(&self) -> u32 {\n    1\n}"),
        ],
    );
    let refusal = &refused["structuredContent"]["error"];
    assert_eq!(refusal["code"], "ambiguous_target", "{refused}");
    let suggestion = &refusal["suggestions"][1];
    assert_eq!(suggestion["tool"], "amend_edit");
    let arguments = suggestion["arguments"].as_object().expect("arguments");
    let words: Vec<(&str, String)> = arguments
        .iter()
        .map(|(name, value)| {
            let word = value.as_str().map(str::to_string);
            (name.as_str(), word.unwrap_or_else(|| value.to_string()))
        })
        .collect();
    let words: Vec<(&str, &str)> = words
        .iter()
        .map(|(name, word)| (*name, word.as_str()))
        .collect();
    let preview = inspector.call("amend_edit", &words);
    assert_eq!(
        preview["structuredContent"]["status"], "previewed",
        "{preview}"
    );
    assert_eq!(inspector.counters(), COUNTERS);
    let edit_id = preview["structuredContent"]["edit_id"]
        .as_str()
        .expect("an id");
    let applied = inspector.call("apply_edit", &[("edit_id", edit_id)]);
    assert_eq!(
        applied["structuredContent"]["status"], "applied",
        "{applied}"
    );
    let last = COUNTERS.rfind("self.0").expect("it exists");
    let expected = format!("{}1{}", &COUNTERS[..last], &COUNTERS[last + 6..]);
    assert_eq!(inspector.counters(), expected);
    inspector.call("undo_edit", &[("edit_id", edit_id)]);
    assert_eq!(inspector.counters(), COUNTERS);
    let edits = "[{\"op\": \"delete\", \"selector\": \"struct_item@struct Hits\"}, \
                 {\"op\": \"replace_text\", \"scope\": {\"symbol_path\": [\"Misses\", \"count\"]}, \
                 \"find\": \"self.0\", \"new_content\": \"0\"}]";
    let batch = inspector.call(
        "edit_nodes",
        &[
            ("file_path", "counters.rs"),
            ("edits", edits),
            ("apply", "true"),
        ],
    );
    assert_eq!(batch["structuredContent"]["status"], "applied", "{batch}");
    let rest = inspector.counters();
    assert!(
        !rest.contains("struct Hits") && rest.ends_with("        0\n    }\n}\n"),
        "{rest}"
    );
}

/// Runs the whole conversation of `surfaces/transcript.py`.
#[test]
fn the_official_python_client_is_served() {
    let transcript = Command::new(tools::python())
        .arg("tests/surfaces/transcript.py")
        .arg(env!("CARGO_BIN_EXE_treegraft"))
        .current_dir(repository())
        .stdin(Stdio::null())
        .output()
        .expect("Python starts");
    assert!(
        transcript.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&transcript.stdout),
        String::from_utf8_lossy(&transcript.stderr)
    );
}
