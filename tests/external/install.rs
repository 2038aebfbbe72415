//! What `treegraft client install` writes, used by the official client.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::repository;
use crate::tools;

const PROGRAM: &str = env!("CARGO_BIN_EXE_treegraft");

#[test]
fn the_official_client_uses_an_installed_server() {
    let home = tempfile::tempdir().expect("a temporary directory can be created");
    let project = home.path().join("project");
    fs::create_dir_all(project.join(".git")).expect("a folder can be created");
    for tools_of_server in ["read,edit,flow", "read,edit,flow,server"] {
        let text = "def greet():\n    return \"hello\"\n";
        fs::write(project.join("greeting.py"), text).expect("a file can be written");
        let output = Command::new(PROGRAM)
            .args([
                "client",
                "install",
                "claude-code",
                "--write",
                "--json",
                "--tools",
                tools_of_server,
            ])
            .current_dir(&project)
            .env_remove("CLAUDE_CONFIG_DIR")
            .env("HOME", home.path())
            .env("XDG_CONFIG_HOME", home.path().join(".config"))
            .env("XDG_STATE_HOME", home.path().join("state"))
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let done: Value = serde_json::from_slice(&output.stdout).expect("JSON is printed");
        let server = &done["server"];
        assert_eq!(server["command"], PROGRAM, "{done}");
        let arguments = server["args"].as_array().expect("a list").iter();
        let used = Command::new(tools::python())
            .arg(repository().join("tests/packaging/client.py"))
            .arg(&project)
            .arg(PROGRAM)
            .args(arguments.filter_map(Value::as_str))
            .env("XDG_STATE_HOME", home.path().join("state"))
            .output()
            .expect("Python starts");
        let problem = String::from_utf8_lossy(&used.stderr).into_owned();
        assert!(used.status.success(), "{tools_of_server}: {problem}");
    }
}
