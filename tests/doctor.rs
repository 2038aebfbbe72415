//! `doctor`: its report if everything works, and if something is missing.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run the command line and read files"
)]

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use treegraft::language::LANGUAGES;

struct User {
    home: TempDir,
}

impl User {
    fn new() -> User {
        let home = tempfile::tempdir().expect("a temporary directory can be created");
        fs::create_dir_all(home.path().join("project/.git")).expect("the directory can be created");
        fs::create_dir_all(home.path().join("project/made")).expect("the directory can be created");
        for (path, text) in [
            ("a.rs", "fn a() {}\n"),
            ("b.xyz", ""),
            ("c.XYZ", ""),
            ("d.abc", ""),
            ("LICENSE", ""),
            ("made/CACHEDIR.TAG", ""),
            ("made/e.made", ""),
        ] {
            fs::write(home.path().join("project").join(path), text)
                .expect("the file can be written");
        }
        User { home }
    }

    fn run(&self, state: &str, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_treegraft"))
            .args(words)
            .current_dir(self.home.path().join("project"))
            .env_remove("CODEX_HOME")
            .env_remove("CLAUDE_CONFIG_DIR")
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join(".config"))
            .env("XDG_STATE_HOME", self.home.path().join(state))
            // No language server of this machine is on the path.
            .env("PATH", self.home.path().join("bin"))
            .stdin(Stdio::null())
            .output()
            .expect("the command runs")
    }

    fn printed(&self, output: &Output) -> String {
        let home = self.home.path().canonicalize().expect("it exists");
        let home = home.to_str().expect("its path is UTF-8");
        let grammars = LANGUAGES.iter().filter(|one| one.grammar().is_some());
        let grammars = format!("{} with grammars", grammars.count());
        String::from_utf8_lossy(&output.stdout)
            .replace(&grammars, "ALL with grammars")
            .replace(home, "/home/user")
            .replace(env!("CARGO_BIN_EXE_treegraft"), "/usr/bin/treegraft")
            .replace(env!("CARGO_PKG_VERSION"), "VERSION")
    }
}

#[test]
fn the_report_is_pinned() {
    let user = User::new();
    fs::write(user.home.path().join("file"), "").expect("the file can be written");
    let mut printed = String::new();
    for (state, words, status) in [
        ("state", &["client", "doctor"][..], 0),
        ("state", &["client", "doctor", "--root", "nowhere"], 3),
        ("file", &["client", "doctor"], 3),
        ("state", &["client", "install", "claude-code", "--write"], 0),
        (
            "state",
            &["client", "install", "cursor", "--project", "--write"],
            0,
        ),
        ("state", &["text", "fn a", "fn b", "a.rs"], 0),
        ("state", &["client", "doctor"], 0),
    ] {
        let output = user.run(state, words);
        assert_eq!(output.status.code(), Some(status), "{words:?}");
        if words[0] == "doctor" {
            let text = user.printed(&output);
            printed.push_str(&format!("$ treegraft {}\n{text}\n", words.join(" ")));
        }
    }
    let settings = crate::support::snapshots("help");
    settings.bind(|| insta::assert_snapshot!("doctor", printed));
}

#[test]
fn the_report_is_the_same_in_json() {
    let user = User::new();
    for (state, works) in [("state", true), ("project/a.rs", false)] {
        let output = user.run(state, &["client", "doctor", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON is printed");
        assert_eq!(report["works"], works);
        let checks = report["checks"].as_array().expect("a list");
        let missing = checks.iter().filter(|check| check["state"] == "missing");
        assert_eq!(missing.count() == 0, works, "{report}");
        let without_help = |check: &&Value| check["state"] != "works" && check["help"].is_null();
        assert_eq!(checks.iter().find(without_help), None);
    }
}

/// A server and a hook that work, that fail, and that are not started.
#[test]
#[cfg(unix)]
fn what_clients_start_is_started() {
    let user = User::new();
    let put = |path: &str, text: &str| {
        let file = user.home.path().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("it can be created");
        fs::write(file, text).expect("it can be written");
    };
    let hook = |program: &str| {
        format!(
            "{{\"hooks\": {{\"BeforeTool\": [{{\"hooks\": [{{\"type\": \"command\", \"command\": \"{program} hook gemini-cli\"}}]}}]}}}}"
        )
    };
    fs::create_dir_all(user.home.path().join("bin")).expect("it can be created");
    let program = user.home.path().join("bin/treegraft");
    let own = env!("CARGO_BIN_EXE_treegraft");
    let mut printed = String::new();
    for (title, script, files) in [
        (
            "no program on the PATH",
            None,
            vec![
                (".cursor/mcp.json", "{\"mcpServers\": {\"treegraft\": {\"command\": \"treegraft\", \"args\": [\"serve\"]}}}".to_string()),
                ("project/.gemini/settings.json", hook("treegraft")),
                (".codex/config.toml", "[mcp_servers.treegraft]\ncommand = \"/nowhere/treegraft\"\nargs = [\"serve\"]\n".to_string()),
            ],
        ),
        (
            "a program that works",
            Some(format!("#!/bin/sh\nif [ \"$1\" = hook ]; then exit 0; fi\nexec '{own}' \"$@\"\n")),
            vec![],
        ),
        (
            "a program that fails",
            Some("#!/bin/sh\nexit 7\n".to_string()),
            vec![],
        ),
        (
            "another program, and a program that a project names by its path",
            Some("#!/bin/sh\necho started > \"$HOME/started\"\n".to_string()),
            vec![
                (".cursor/mcp.json", "{\"mcpServers\": {\"treegraft\": {\"command\": \"npx\", \"args\": [\"treegraft\", \"serve\"]}}}".to_string()),
                ("project/.gemini/settings.json", hook("HOME/bin/treegraft")),
                (".codex/config.toml", "[mcp_servers.treegraft]\ncommand = \"treegraft\"\nargs = [\"--version\"]\n".to_string()),
            ],
        ),
        (
            "a file that does not parse",
            None,
            vec![(".cursor/mcp.json", "{".to_string())],
        ),
    ] {
        let home = user.home.path().to_str().expect("its path is UTF-8");
        for (path, text) in files {
            put(path, &text.replace("HOME", home));
        }
        let _ = fs::remove_file(&program);
        if let Some(script) = script {
            crate::support::write_program(&program, &script);
        }
        let output = user.run("state", &["client", "doctor"]);
        assert_eq!(output.status.code(), Some(0), "{title}");
        let text = user.printed(&output);
        let lines: Vec<&str> = text.lines().collect();
        printed.push_str(&format!("# {title}\n"));
        for (at, line) in lines.iter().enumerate() {
            if line.get(8..).is_some_and(|rest| rest.starts_with("clients")) {
                let help = lines.get(at + 1).filter(|next| next.trim().starts_with("help:"));
                printed.push_str(&format!("{line}\n"));
                printed.extend(help.map(|help| format!("{help}\n")));
            }
        }
        printed.push('\n');
    }
    assert!(!user.home.path().join("started").exists());
    let settings = crate::support::snapshots("help");
    settings.bind(|| insta::assert_snapshot!("doctor_clients", printed));
}

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/lsp/scripted_server.py"
);

impl User {
    fn put(&self, path: &str, text: &str) {
        let file = self.home.path().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("it can be created");
        fs::write(file, text).expect("it can be written");
    }

    /// Writes a program on the `PATH` of the user.
    #[cfg(unix)]
    fn program(&self, name: &str, script: &str) {
        let bin = self.home.path().join("bin");
        fs::create_dir_all(&bin).expect("it can be created");
        crate::support::write_program(&bin.join(name), &format!("#!/bin/sh\n{script}\n"));
    }
}

/// Servers that answer, that are not installed, whose launcher only reports that, that fail, and that hang.
#[test]
#[cfg(unix)]
fn servers_of_the_languages_here_are_started() {
    let user = User::new();
    for name in [
        "a.py", "b.py", "c.py", "d.ts", "e.go", "f.css", "g.lua", "h.sh",
    ] {
        user.put(&format!("project/{name}"), "\n");
    }
    let search_path = std::env::var("PATH").expect("it is set");
    let child = user.home.path().join("child");
    let scripted = |mode: &str| {
        let child = child.display();
        format!("PATH='{search_path}' exec python3 '{SCRIPT}' {mode} 'child={child}'")
    };
    user.program("ty", &scripted("fine"));
    user.program(
        "rust-analyzer",
        "echo 'info: syncing' >&2\n\
         echo \"error: Unknown binary 'rust-analyzer' in official toolchain 'stable'.\" >&2\n\
         echo 'error: more' >&2; exit 1",
    );
    user.program(
        "gopls",
        "echo 'reading' >&2; echo 'fatal error: no cache directory' >&2; echo 'goroutine 1' >&2; exit 2",
    );
    user.program("tsc", "PATH=/usr/bin:/bin; sleep 600");
    // Not started: no file here is in its language.
    user.program("tombi", "echo started > \"$HOME/started\"");
    user.put(
        ".config/treegraft/config.toml",
        "[servers.typescript]\nstart_seconds = 0.5\n\n[servers.bash]\nenabled = false\n",
    );
    let output = user.run("state", &["client", "doctor"]);
    assert_eq!(output.status.code(), Some(0));
    let text = user.printed(&output);
    let of_servers: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains(" servers "))
        .take_while(|line| !line.contains(" clients "))
        .collect();
    let settings = crate::support::snapshots("help");
    settings.bind(|| insta::assert_snapshot!("doctor_servers", of_servers.join("\n")));
    assert!(!user.home.path().join("started").exists());
    // The project chooses servers: one that is not installed, and one that is not built in.
    user.put(
        "project/treegraft.toml",
        "[servers]\npython = \"pyrefly\"\ngo = \"golsp\"\n",
    );
    let chosen = user.printed(&user.run("state", &["client", "doctor"]));
    fs::remove_file(user.home.path().join("project/treegraft.toml")).expect("it exists");
    let about = ["settings", "python", "go ", "servers.go"];
    let lines = chosen.lines();
    let lines: Vec<&str> = lines
        .filter(|line| about.iter().any(|one| line.contains(one)))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    works   settings   /home/user/project/treegraft.toml: golsp for go, pyrefly for python
    lacks   servers    python (3 files): not found on PATH: pyrefly
                       help: pip install pyrefly; or set command in [servers.python] of the user's configuration
    lacks   servers    go (1 file): treegraft.toml chooses `golsp`, which is not a built-in server
                       help: choose gopls in [servers] of treegraft.toml; or set command in [servers.go] of the user's configuration
    ");
    let child = fs::read_to_string(child).expect("the child's process id is written");
    crate::lsp::assert_ended(child.parse().expect("a number"));

    let output = user.run("state", &["client", "doctor", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON is printed");
    let checks = report["checks"].as_array().expect("a list");
    let servers = checks.iter().filter(|check| !check["server"].is_null());
    let servers: Vec<String> = servers
        .map(|check| {
            let server = &check["server"];
            let of = &server["languages"][0];
            format!(
                "{} {} {} {} {}",
                of["language"],
                of["files"],
                server["status"],
                server["install"],
                server["first_error"]
            )
        })
        .collect();
    let mut servers: Vec<&str> = servers.iter().map(String::as_str).collect();
    servers.sort_unstable();
    insta::assert_snapshot!(servers.join("\n"), @r#"
    "bash" 1 "disabled" null null
    "css" 1 "missing" "npm install -g vscode-langservers-extracted" null
    "go" 1 "fails" null "fatal error: no cache directory"
    "python" 3 "answers" null null
    "rust" 1 "missing" "rustup component add rust-analyzer rust-src" "error: Unknown binary 'rust-analyzer' in official toolchain 'stable'."
    "typescript" 1 "fails" null null
    "#);
}
