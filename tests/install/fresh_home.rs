//! A new home directory: everything is installed for each client, what is configured is started and
//! used, and everything is uninstalled without a trace.

use std::fs;
use std::path::Path;

use super::{CLIENTS, User};

/// Returns the files and directories of a home, without the state directory.
fn tree(home: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![home.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("it can be listed") {
            let path = entry.expect("it can be read").path();
            let name = path.strip_prefix(home).expect("it is inside");
            if name == Path::new("state") {
                continue;
            }
            found.push(name.display().to_string());
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The clients whose hooks treegraft can use.
const WITH_HOOKS: [&str; 4] = ["claude-code", "codex", "gemini-cli", "opencode"];

#[test]
fn install_use_and_uninstall_leave_no_trace() {
    let user = User::new();
    let before = tree(user.home.path());
    let mut scopes: Vec<(&str, &[&str])> = Vec::new();
    for (client, _, _, _, project) in CLIENTS {
        scopes.push((client, &[]));
        if project.is_some() {
            scopes.push((client, &["--project"]));
        }
    }
    for (client, scope) in &scopes {
        let mut words = vec![
            "client",
            "install",
            *client,
            "--write",
            "--tools",
            "read,edit,flow,server",
        ];
        words.extend(*scope);
        if WITH_HOOKS.contains(client) {
            words.push("--hook");
        }
        if *client == "claude-code" {
            words.push("--diagnostics");
        }
        // Some clients read instructions only from a project.
        let with = [&words[..], &["--instructions"]].concat();
        let mut done = user.json(&with);
        if done["error"]["code"] == "invalid_arguments" {
            done = user.json(&words);
        }
        assert_eq!(done["written"], true, "{words:?}: {done}");
        let server = &done["server"];
        // The project file names the command only; this program is not on the path of the test.
        let expected = match scope.is_empty() {
            true => env!("CARGO_BIN_EXE_treegraft"),
            false => "treegraft",
        };
        assert_eq!(server["command"], expected, "{words:?}");
    }
    // Each server and each hook of the user's files works; the files of the project name a program that
    // is not on the path.
    let report = user.json(&["client", "doctor"]);
    let checks = report["checks"].as_array().expect("a list").iter();
    let checks: Vec<&str> = checks
        .filter(|check| check["name"] == "clients" && check["state"] == "works")
        .filter_map(|check| check["found"].as_str())
        .collect();
    let count = |what: &str| checks.iter().filter(|found| found.contains(what)).count();
    assert_eq!(count("(user): server "), CLIENTS.len(), "{checks:#?}");
    // Claude Code has a hook before and one after edits.
    assert_eq!(count("(user): hook "), WITH_HOOKS.len() + 1, "{checks:#?}");

    let installed = tree(user.home.path());
    assert!(
        installed.len() > before.len() + CLIENTS.len(),
        "{installed:?}"
    );
    let backups = installed.iter().filter(|path| path.contains("backup"));
    assert_eq!(backups.count(), 0, "{installed:?}");

    for (client, scope) in &scopes {
        let words = [
            &[
                "client",
                "uninstall",
                *client,
                "--write",
                "--remove-backups",
            ],
            *scope,
        ]
        .concat();
        let done = user.json(&words);
        assert_eq!(done["written"], true, "{words:?}: {done}");
    }
    assert_eq!(tree(user.home.path()), before);
    // The list of created files is gone too.
    assert!(!user.file("state/treegraft/clients").exists());
}
