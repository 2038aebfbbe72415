//! `install` adds the server to each client's configuration and keeps everything else in the file.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run the command line and read files"
)]

mod fresh_home;
mod parts;
mod removal;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use serde_json::{Value, json};
use tempfile::TempDir;
use toml_edit::DocumentMut;

/// A client: its file format, the key of the servers, the path of the user's file below the home
/// directory, and the path of a project's file.
type Client = (
    &'static str,
    Syntax,
    &'static str,
    &'static str,
    Option<&'static str>,
);

const CLIENTS: [Client; 13] = {
    use Syntax::{Json, JsonWithComments, Toml, Yaml};
    const DESKTOP: &str = match cfg!(target_os = "macos") {
        true => "Library/Application Support/Claude/claude_desktop_config.json",
        false => ".config/Claude/claude_desktop_config.json",
    };
    const CODE: &str = match cfg!(target_os = "macos") {
        true => "Library/Application Support/Code/User/mcp.json",
        false => ".config/Code/User/mcp.json",
    };
    const CLAUDE: Option<&str> = Some(".mcp.json");
    const CURSOR: &str = ".cursor/mcp.json";
    const ZED: &str = ".config/zed/settings.json";
    const CODEX: &str = ".codex/config.toml";
    const GEMINI: &str = ".gemini/settings.json";
    const WINDSURF: &str = ".codeium/windsurf/mcp_config.json";
    const OPENCODE: &str = ".config/opencode/opencode.json";
    const CLINE: &str = ".cline/data/settings/cline_mcp_settings.json";
    const CONTINUE: &str = ".continue/config.yaml";
    const AMP: &str = ".config/amp/settings.json";
    const JUNIE: &str = ".junie/mcp/mcp.json";
    [
        ("claude-code", Json, "mcpServers", ".claude.json", CLAUDE),
        ("claude-desktop", Json, "mcpServers", DESKTOP, None),
        (
            "cursor",
            JsonWithComments,
            "mcpServers",
            CURSOR,
            Some(CURSOR),
        ),
        (
            "vscode",
            JsonWithComments,
            "servers",
            CODE,
            Some(".vscode/mcp.json"),
        ),
        (
            "zed",
            JsonWithComments,
            "context_servers",
            ZED,
            Some(".zed/settings.json"),
        ),
        ("codex", Toml, "mcp_servers", CODEX, Some(CODEX)),
        (
            "gemini-cli",
            JsonWithComments,
            "mcpServers",
            GEMINI,
            Some(GEMINI),
        ),
        ("windsurf", Json, "mcpServers", WINDSURF, None),
        (
            "opencode",
            JsonWithComments,
            "mcp",
            OPENCODE,
            Some("opencode.json"),
        ),
        ("cline", Json, "mcpServers", CLINE, None),
        (
            "continue",
            Yaml,
            "mcpServers",
            CONTINUE,
            Some(".continue/mcpServers/treegraft.yaml"),
        ),
        (
            "amp",
            JsonWithComments,
            "amp.mcpServers",
            AMP,
            Some(".amp/settings.json"),
        ),
        ("junie", Json, "mcpServers", JUNIE, Some(JUNIE)),
    ]
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syntax {
    Json,
    JsonWithComments,
    Toml,
    Yaml,
}

impl Syntax {
    /// Returns a file with other settings; `SERVERS` is the key of the servers.
    fn others(self) -> &'static str {
        match self {
            Syntax::Json => {
                "{\n  \"theme\":   \"dark\",\n  \"SERVERS\": {\n    \"other\": {\"command\": \"o\", \"args\": []}\n  },\n  \"z\": [1,2]\n}\n"
            }
            Syntax::JsonWithComments => {
                "// mine\n{\n\t\"theme\":   \"dark\", // why\n\t\"SERVERS\": {\n\t\t/* a */ \"other\": {\"command\": \"o\",},\n\t\t// the last\n\t},\n}\n"
            }
            Syntax::Toml => {
                "# mine\nmodel   = 'x' # why\n\n[SERVERS.other]\ncommand = \"o\"\n\n[SERVERS.other.env]\nA = \"b\"\n\n[[profiles]] # p\na = [ 1,2 ]\n"
            }
            Syntax::Yaml => {
                "# mine\nname:   x # why\nversion: 1.0.0\nSERVERS:\n  # a\n  - name: other\n    command: o\n    env:\n      A: b\n\n  # the last\nmodels:\n- {name: m}\n"
            }
        }
    }

    /// Returns a file that starts the server in another way.
    fn started_otherwise(self) -> &'static str {
        match self {
            Syntax::Json | Syntax::JsonWithComments => {
                "{\n  \"SERVERS\": {\n    \"treegraft\": {\n      \"command\": \"/old/treegraft\",\n      \"args\": [\"serve\", \"--root\", \"/x\"],\n      \"env\":   {\"A\": \"b\"}\n    },\n    \"other\": {\"command\": \"o\"}\n  }\n}\n"
            }
            Syntax::Toml => {
                "[SERVERS.treegraft] # ours\ncommand   = \"/old/treegraft\" # old\nargs = [\"serve\", \"--root\", \"/x\"]\nstartup_timeout_sec = 20\n\n[SERVERS.treegraft.env]\nA = \"b\"\n\n[SERVERS.other]\ncommand = \"o\"\n"
            }
            Syntax::Yaml => {
                "SERVERS:\n- name: other\n  command: o\n- name: \"treegraft\" # ours\n  command: /old/treegraft\n  args: [serve, --root, \"/x\"]\n  env:\n    A: b\n# the end\n"
            }
        }
    }

    /// Returns files that this client cannot read, each with the expected message.
    fn broken(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Syntax::Json => &[
                ("{\n  \"a\": 1,\n}\n", "line 3: "),
                ("{\n  // c\n}\n", "line 2: "),
                ("{\"SERVERS\": {}", "line 1: "),
                ("[1]", "the file is not a table of keys and values"),
                (
                    "{\"SERVERS\": 1}",
                    "SERVERS is not a table of keys and values",
                ),
                (
                    "{\"SERVERS\": {}, \"SERVERS\": {}}",
                    "SERVERS is defined twice",
                ),
            ],
            Syntax::JsonWithComments => &[
                ("{\n  \"a\": 1\n  \"b\": 2\n}\n", "line 2: "),
                (
                    "{\"SERVERS\": [], // c\n}",
                    "SERVERS is not a table of keys and values",
                ),
                ("{'a': 1}", "line 1: "),
            ],
            Syntax::Toml => &[
                ("a = 1\nb = = 2\n", "line 2: "),
                ("SERVERS = 1\n", "SERVERS is not a table of keys and values"),
                (
                    "[[SERVERS]]\na = 1\n",
                    "SERVERS is not a table of keys and values",
                ),
                ("a = 1\r\nb = 2\n", "mixed line endings"),
            ],
            Syntax::Yaml => &[
                ("a: 1\nb: [\n", "line "),
                (
                    "SERVERS: 1\n",
                    "SERVERS is not a list with one entry a line",
                ),
                (
                    "SERVERS:\n  a: 1\n",
                    "SERVERS is not a list with one entry a line",
                ),
                (
                    "SERVERS: [{name: a}]\n",
                    "SERVERS is not a list with one entry a line",
                ),
            ],
        }
    }

    /// Parses a file as the client does.
    fn read(self, text: &str) -> Value {
        match self {
            Syntax::Toml => {
                let document: DocumentMut = text.parse().expect("the file is TOML");
                of_table(document.as_table())
            }
            Syntax::Json => serde_json::from_str(text).expect("the file is JSON"),
            Syntax::Yaml => of_yaml(text),
            Syntax::JsonWithComments => {
                let read = CstRootNode::parse(text, &ParseOptions::default());
                let read = read.expect("the file is JSON").to_serde_value();
                read.expect("the file is not empty")
            }
        }
    }
}

fn of_table(table: &dyn toml_edit::TableLike) -> Value {
    let of_item = |item: &toml_edit::Item| match (item.as_table_like(), item.as_array()) {
        (Some(table), _) => of_table(table),
        (_, Some(words)) => words.iter().map(|word| json!(word.as_str())).collect(),
        _ => item
            .as_str()
            .map_or(json!(item.to_string()), |text| json!(text)),
    };
    let entries = table.iter();
    Value::Object(
        entries
            .map(|(key, item)| (key.to_string(), of_item(item)))
            .collect(),
    )
}

/// Reads YAML, with the servers as a table by name, as in the other formats.
fn of_yaml(text: &str) -> Value {
    let mut read: Value = serde_saphyr::from_str(text).expect("the file is YAML");
    if let Some(servers) = read.get_mut("mcpServers") {
        let list = servers.as_array().cloned().unwrap_or_default();
        let named = list.into_iter().map(|mut server| {
            let name = server["name"].as_str().unwrap_or_default().to_string();
            if let Some(fields) = server.as_object_mut() {
                fields.remove("name");
            }
            (name, server)
        });
        *servers = Value::Object(named.collect());
    }
    read
}

/// A user with a home directory that contains a project.
struct User {
    home: TempDir,
}

impl User {
    fn new() -> User {
        let home = tempfile::tempdir().expect("a temporary directory can be created");
        fs::create_dir_all(home.path().join("project/.git")).expect("the directory can be created");
        User { home }
    }

    fn file(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    fn put(&self, path: &str, text: &str) {
        let file = self.file(path);
        fs::create_dir_all(file.parent().expect("the path has a parent"))
            .expect("it can be created");
        fs::write(file, text).expect("the file can be written");
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.file(path)).expect("the file is there")
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_treegraft"))
            .args(words)
            .current_dir(self.file("project"))
            .env_remove("CODEX_HOME")
            .env_remove("CLAUDE_CONFIG_DIR")
            .env_remove("CLINE_MCP_SETTINGS_PATH")
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.file(".config"))
            .env("XDG_STATE_HOME", self.file("state"))
            .stdin(Stdio::null())
            .output()
            .expect("the command runs")
    }

    fn json(&self, words: &[&str]) -> Value {
        let output = self.run(&[words, &["--json"]].concat());
        serde_json::from_slice(&output.stdout).expect("JSON is printed")
    }

    /// Returns the change of the file with the server.
    fn change(&self, words: &[&str]) -> Value {
        self.json(words)["files"][0]["change"].clone()
    }

    /// Returns the output, with machine-dependent parts replaced.
    fn printed(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let text = [output.stdout, output.stderr].concat();
        let home = self.home.path().to_str().expect("its path is UTF-8");
        String::from_utf8_lossy(&text)
            .replace(home, "/home/user")
            .replace(home.trim_start_matches('/'), "home/user")
            .replace(env!("CARGO_BIN_EXE_treegraft"), "/usr/bin/treegraft")
    }
}

/// Returns whether every old line is still there, in order; a comma may have been added to it.
fn keeps_lines(old: &str, new: &str) -> bool {
    let mut new = new.split_inclusive('\n');
    old.split_inclusive('\n').all(|old| {
        let bare = old.trim_end_matches(['\r', '\n']);
        let with_comma = old.replacen(bare, &format!("{bare},"), 1);
        new.any(|new| new == old || new == with_comma)
    })
}

fn ours(servers: &Value) -> Value {
    servers["treegraft"].clone()
}

/// Returns the entry that starts the program from a file of the user, or of a project.
fn entry(client: &str, in_project: bool) -> Value {
    let program = match in_project {
        true => "treegraft",
        false => env!("CARGO_BIN_EXE_treegraft"),
    };
    match client {
        "opencode" => json!({"type": "local", "command": [program, "serve"]}),
        "claude-code" | "vscode" => {
            json!({"type": "stdio", "command": program, "args": ["serve"]})
        }
        _ => json!({"command": program, "args": ["serve"]}),
    }
}

fn expected_entry(client: &str) -> Value {
    entry(client, false)
}

#[test]
fn a_missing_or_empty_file_gets_only_the_server() {
    for (client, syntax, servers, path, project) in CLIENTS {
        for (empty, in_project) in [
            (None, false),
            (Some(""), false),
            (Some("\n"), false),
            (None, true),
        ] {
            let path = match (in_project, project) {
                (false, _) => path.to_string(),
                (true, Some(path)) => format!("project/{path}"),
                (true, None) => continue,
            };
            let user = User::new();
            if let Some(text) = empty {
                user.put(&path, text);
            }
            let scope: &[&str] = if in_project { &["--project"] } else { &[] };
            let shown = user.json(&[&["client", "install", client], scope].concat());
            assert_eq!(shown["written"], false, "{client}");
            assert_eq!(user.file(&path).exists(), empty.is_some(), "{client}");
            let written = user.json(&[&["client", "install", client, "--write"], scope].concat());
            assert_eq!(written["written"], true, "{client}: {written}");
            let file = &written["files"][0];
            assert_eq!(shown["files"][0]["diff"], file["diff"], "{client}");
            assert_eq!(
                file["change"],
                if empty.is_some() { "add" } else { "create" }
            );
            let text = user.text(&path);
            let mut read = syntax.read(&text);
            let ours = read[servers]["treegraft"].take();
            assert_eq!(ours, entry(client, in_project), "{client}");
            assert_eq!(
                text.trim(),
                written["server"]["configuration"]
                    .as_str()
                    .unwrap_or_default()
                    .trim()
            );
            assert!(text.ends_with('\n'), "{client}");
            let again = user.json(&[&["client", "install", client, "--write"], scope].concat());
            assert_eq!(
                (&again["files"][0]["change"], &again["written"]),
                (&json!("nothing"), &json!(false))
            );
            assert_eq!(user.text(&path), text, "{client}");
        }
    }
}

#[test]
fn everything_else_in_the_file_stays_unchanged() {
    for (client, syntax, servers, path, _) in CLIENTS {
        let lf = syntax.others().replace("SERVERS", servers);
        for before in [
            lf.clone(),
            lf.replace('\n', "\r\n"),
            format!("\u{feff}{lf}"),
        ] {
            let user = User::new();
            user.put(path, &before);
            let change = user.change(&["client", "install", client, "--write"]);
            assert_eq!(change, "add", "{client}");
            let after = user.text(path);
            assert!(
                keeps_lines(&before, &after),
                "{client}: {before:?} {after:?}"
            );
            let ends = |text: &str| text.matches('\n').count() - text.matches("\r\n").count();
            assert!(
                before.contains("\r\n") == (ends(&after) == 0),
                "{client}: {after:?}"
            );
            let bare = |text: &str| text.trim_start_matches('\u{feff}').to_string();
            let (was, mut is) = (syntax.read(&bare(&before)), syntax.read(&bare(&after)));
            let entry = is[servers]
                .as_object_mut()
                .and_then(|all| all.remove("treegraft"));
            assert_eq!(entry, Some(expected_entry(client)), "{client}");
            assert_eq!(is, was, "{client}");
            user.json(&["client", "install", client, "--write"]);
            assert_eq!(user.text(path), after, "{client}");
        }
    }
}

#[test]
fn an_existing_server_entry_gets_the_command_and_keeps_other_settings() {
    for (client, syntax, servers, path, _) in CLIENTS {
        let user = User::new();
        let before = syntax.started_otherwise().replace("SERVERS", servers);
        user.put(path, &before);
        let change = user.change(&["client", "install", client, "--write"]);
        assert_eq!(change, "replace", "{client}");
        let after = user.text(path);
        let (mut was, is) = (syntax.read(&before), syntax.read(&after));
        let mut expected = expected_entry(client);
        if client == "opencode" {
            // The arguments in the file stay: the client ignores them.
            expected["args"] = was[servers]["treegraft"]["args"].clone();
        }
        for (key, value) in expected.as_object().expect("it is an object") {
            was[servers]["treegraft"][key] = value.clone();
        }
        assert_eq!(is, was, "{client}");
        assert!(!ours(&is[servers])["env"].is_null(), "{client}");
        let changed = |line: &&str| {
            !["command", "args", "serve", "env", "type"]
                .iter()
                .any(|key| line.contains(key))
        };
        let kept: Vec<&str> = before.lines().filter(changed).collect();
        assert_eq!(
            after.lines().filter(changed).collect::<Vec<_>>(),
            kept,
            "{client}"
        );
        user.json(&["client", "install", client, "--write"]);
        assert_eq!(user.text(path), after, "{client}");
    }
}

#[test]
fn a_file_that_the_client_cannot_read_is_refused_and_left_alone() {
    for (client, syntax, servers, path, _) in CLIENTS {
        for (before, error) in syntax.broken() {
            let user = User::new();
            let before = before.replace("SERVERS", servers);
            user.put(path, &before);
            for words in [
                &["client", "install", client][..],
                &["client", "install", client, "--write"],
            ] {
                let output = user.run(words);
                assert_eq!(output.status.code(), Some(1), "{client}: {before}");
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                let error = error.replace("SERVERS", servers);
                assert!(text.starts_with("refused: invalid_content\n"), "{text}");
                assert!(text.contains(&error), "{client}: {error:?} in {text}");
            }
            assert_eq!(user.text(path), before, "{client}");
        }
        let user = User::new();
        user.put(path, "");
        fs::write(user.file(path), [0xff, 0xfe, b'{']).expect("the file can be written");
        let refused = user.json(&["client", "install", client, "--write"]);
        assert_eq!(refused["error"]["code"], "not_utf8", "{client}");
    }
}

#[test]
fn a_server_entry_of_another_type_is_replaced() {
    let user = User::new();
    user.put(
        ".claude.json",
        "{\"mcpServers\": {\"treegraft\": {\"type\": \"http\", \"url\": \"http://x\"}}, \"a\": 1}",
    );
    let change = user.change(&["client", "install", "claude-code", "--write"]);
    assert_eq!(change, "replace");
    let is = Syntax::Json.read(&user.text(".claude.json"));
    let expected = json!({"mcpServers": {"treegraft": expected_entry("claude-code")}, "a": 1});
    assert_eq!(is, expected);
}

#[test]
fn inline_tables_get_the_server_too() {
    let user = User::new();
    user.put(
        ".codex/config.toml",
        "mcp_servers = { o = { command = \"x\" } } # c\na = 1\n",
    );
    user.json(&["client", "install", "codex", "--write"]);
    let text = user.text(".codex/config.toml");
    let is = Syntax::Toml.read(&text);
    assert_eq!(ours(&is["mcp_servers"]), expected_entry("codex"));
    assert_eq!(is["mcp_servers"]["o"], json!({"command": "x"}));
    assert!(text.ends_with(" # c\na = 1\n"), "{text}");
}

#[test]
fn roots_are_absolute_and_the_server_has_the_given_name() {
    let user = User::new();
    let root = user.file("project").canonicalize().expect("it exists");
    let shown = user.json(&[
        "client", "install", "cursor", "--root", ".", "--name", "x-1",
    ]);
    assert_eq!(
        shown["server"]["args"],
        json!(["serve", "--root", root.to_str()])
    );
    assert_eq!(shown["server"]["name"], "x-1");
    let status = |words: &[&str]| user.run(words).status.code();
    assert_eq!(
        status(&["client", "install", "cursor", "--name", "a b"]),
        Some(2)
    );
    assert_eq!(status(&["client", "install", "no-such-client"]), Some(2));
    assert_eq!(
        status(&["client", "install", "claude-desktop", "--project"]),
        Some(2)
    );
    assert_eq!(
        status(&["client", "install", "cursor", "--root", "nowhere"]),
        Some(2)
    );
}

#[test]
fn the_configured_arguments_start_the_server() {
    let user = User::new();
    let shown = user.json(&["client", "install", "cursor", "--root", "."]);
    let words = shown["server"]["args"].as_array().expect("a list").iter();
    let words: Vec<&str> = words.filter_map(Value::as_str).collect();
    // Without input, the server exits at once.
    assert!(user.run(&words).status.success());
}

#[test]
#[cfg(unix)]
fn links_and_file_modes_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    user.put("dotfiles/mcp.json", "{}\n");
    fs::create_dir(user.file(".cursor")).expect("it can be created");
    let mode = |path: &std::path::Path| {
        fs::metadata(path).expect("it exists").permissions().mode() & 0o777
    };
    std::os::unix::fs::symlink("../dotfiles/mcp.json", user.file(".cursor/mcp.json"))
        .expect("it can be linked");
    let given = fs::Permissions::from_mode(0o640);
    fs::set_permissions(user.file("dotfiles/mcp.json"), given).expect("the permissions can be set");
    user.json(&["client", "install", "cursor", "--write"]);
    assert!(user.file(".cursor/mcp.json").is_symlink());
    assert!(user.text("dotfiles/mcp.json").contains("treegraft"));
    assert_eq!(mode(&user.file("dotfiles/mcp.json")), 0o640);
    user.json(&["client", "install", "zed", "--write"]);
    assert_eq!(mode(&user.file(".config/zed/settings.json")), 0o600);
    user.json(&["client", "install", "zed", "--project", "--write"]);
    assert_ne!(mode(&user.file("project/.zed/settings.json")), 0o600);
    let left = fs::read_dir(user.file(".config/zed")).expect("it exists");
    assert_eq!(left.count(), 1, "no other file is left");
}

#[test]
#[cfg(unix)]
fn a_read_only_file_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    user.put(".cursor/mcp.json", "{}\n");
    let given = fs::Permissions::from_mode(0o444);
    fs::set_permissions(user.file(".cursor/mcp.json"), given).expect("the permissions can be set");
    let refused = user.json(&["client", "install", "cursor", "--write"]);
    assert_eq!(refused["error"]["code"], "permission_denied");
    assert_eq!(user.text(".cursor/mcp.json"), "{}\n");
}

#[test]
fn the_output_is_pinned() {
    let user = User::new();
    let others = Syntax::JsonWithComments.others();
    user.put(
        ".config/zed/settings.json",
        &others.replace("SERVERS", "context_servers"),
    );
    let otherwise = Syntax::Toml.started_otherwise();
    user.put(
        ".codex/config.toml",
        &otherwise.replace("SERVERS", "mcp_servers"),
    );
    user.put(".gemini/settings.json", "{\n  \"a\": 1\n  \"b\": 2\n}\n");
    let mut printed = String::new();
    for line in [
        "install",
        "install claude-code",
        "install claude-code --write",
        "install claude-code --write",
        "install claude-code --hook --diagnostics --no-server",
        "install claude-code --hook --instructions --tools read,edit --write",
        "uninstall claude-code",
        "uninstall claude-code --remove-backups --write",
        "uninstall claude-code",
        "install zed --root .",
        "install zed --write",
        "install codex --write",
        "install vscode --project --name other",
        "install gemini-cli --write",
        "install claude-desktop --project",
        "install cursor --hook",
        "install zed --instructions",
        "install claude-desktop --instructions",
        "install",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        printed.push_str(&format!("$ treegraft {line}\n{}\n", user.printed(&words)));
    }
    let settings = crate::support::snapshots("help");
    settings.bind(|| insta::assert_snapshot!("install", printed));
}
