//! The hook, the instructions, the groups of tools, and project files: each case is shown before,
//! after `install` and after `uninstall`.

use std::fmt::Write;

use super::User;

/// A case: its title, the client with its options, the file, and the text of the file before.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
);

const CASES: &[Case] = &[
    (
        "a hook in a file with other hooks and comments of another kind",
        "claude-code --hook --diagnostics --no-server",
        ".claude/settings.json",
        Some(
            "{\n\t\"permissions\": {\"allow\": [\"Bash\"]},\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"check\"}]}\n\t\t]\n\t}\n}\n",
        ),
    ),
    (
        "an old hook of ours in a group with another command",
        "claude-code --hook --no-server",
        ".claude/settings.json",
        Some(
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Edit\",\n        \"hooks\": [\n          {\"type\": \"command\", \"command\": \"/old/treegraft client hook claude-code\"},\n          {\"type\": \"command\", \"command\": \"lint\"}\n        ]\n      }\n    ],\n    \"PostToolUse\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"/old/treegraft client hook claude-code --diagnostics\"}]}\n    ]\n  }\n}\n",
        ),
    ),
    (
        "a server and a hook in one file with comments",
        "gemini-cli --hook",
        ".gemini/settings.json",
        Some(
            "// mine\n{\n  /* the theme */ \"theme\": \"dark\", // why\n  \"mcpServers\": {}, // none yet\n  \"hooks\": {\n    // later\n  },\n}\n",
        ),
    ),
    (
        "a file on one line",
        "gemini-cli --hook",
        ".gemini/settings.json",
        Some("{\"theme\": \"dark\"}\n"),
    ),
    (
        "hooks of a client in a file of its own",
        "codex --hook --no-server",
        ".codex/hooks.json",
        None,
    ),
    (
        "instructions after those of the project, with CRLF",
        "claude-code --project --instructions --no-server",
        "project/CLAUDE.md",
        Some("# Rules\r\n\r\nUse tabs."),
    ),
    (
        "instructions of another version, in the middle",
        "codex --project --instructions --no-server",
        "project/AGENTS.md",
        Some(
            "# Rules\n\n<!-- treegraft: start -->\nold text\n<!-- treegraft: end -->\n\n## More\n",
        ),
    ),
    (
        "instructions for all tools, in a folder of the client",
        "continue --project --instructions --tools read,edit,flow,server",
        "project/.continue/rules/treegraft.md",
        None,
    ),
    (
        "a project file names the command without a path, and the root by the variable of the client",
        "vscode --project --root . --tools read,edit",
        "project/.vscode/mcp.json",
        None,
    ),
    (
        "a project file names the root by its relative path",
        "claude-code --project --root .",
        "project/.mcp.json",
        Some(
            "{\"mcpServers\": {\"treegraft\": {\"command\": \"/old/treegraft\", \"args\": [\"serve\"], \"env\": {}}}}",
        ),
    ),
    (
        "a list of servers in YAML",
        "continue",
        ".continue/config.yaml",
        Some(
            "name: mine\nversion: 1.0.0\nschema: v1\nmcpServers: # tools\n- name: a\n  command: b\n  # of a\n\n# models\nmodels: []\n",
        ),
    ),
    (
        "an empty list of servers in YAML",
        "continue",
        ".continue/config.yaml",
        Some("name: mine\nmcpServers: [] # none\nmodels: []\n"),
    ),
    (
        "a server whose command is a list",
        "opencode",
        ".config/opencode/opencode.jsonc",
        Some(
            "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // servers\n  \"mcp\": {\n    \"treegraft\": {\"type\": \"local\", \"command\": [\"npx\", \"treegraft\", \"serve\"], \"enabled\": true}\n  }\n}\n",
        ),
    ),
];

/// Returns text with its line ends, tabs and missing ends visible.
fn visible(text: &str) -> String {
    let shown = text.replace('\r', "␍").replace('\t', "→");
    match text.ends_with('\n') || text.is_empty() {
        true => shown,
        false => shown + "␃\n",
    }
}

#[test]
fn each_part_is_added_and_removed_again() {
    let mut pinned = String::new();
    for (title, call, path, before) in CASES {
        let user = User::new();
        if let Some(before) = before {
            user.put(path, before);
        }
        let words: Vec<&str> = call.split(' ').collect();
        let install = [&["client", "install"], &words[..], &["--write"]].concat();
        let done = user.run(&install);
        let problem = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "{title}: {problem}");
        let after = user.text(path);
        let again = user.json(&install);
        assert_eq!(again["written"], false, "{title}");
        assert_eq!(user.text(path), after, "{title}");

        let _ = writeln!(
            pinned,
            "# {title}\n$ treegraft client install {call} --write"
        );
        match before {
            Some(before) => {
                let _ = writeln!(pinned, "## before\n{}", visible(before));
            }
            None => pinned.push_str("## no file before\n"),
        }
        let shown = after.replace(env!("CARGO_BIN_EXE_treegraft"), "/usr/bin/treegraft");
        let _ = writeln!(pinned, "## after\n{}", visible(&shown));

        let scope: &[&str] = match words.contains(&"--project") {
            true => &["--project"],
            false => &[],
        };
        let uninstall = [&["client", "uninstall", words[0], "--write"], scope].concat();
        assert!(user.run(&uninstall).status.success(), "{title}");
        let removed = user.file(path).exists().then(|| user.text(path));
        match (&removed, before) {
            (removed, before) if removed.as_deref() == *before => {
                pinned.push_str("## uninstall restores it\n\n");
            }
            (Some(removed), _) => {
                let _ = writeln!(pinned, "## after uninstall\n{}", visible(removed));
            }
            (None, _) => panic!("{title}: the file is gone"),
        }
        let again = user.json(&uninstall);
        assert_eq!(again["written"], false, "{title}");
    }
    let settings = crate::support::snapshots("help");
    settings.bind(|| insta::assert_snapshot!("install_parts", pinned));
}

#[test]
fn hooks_that_cannot_be_added_are_refused_and_the_file_stays() {
    for (client, path, before, error) in [
        (
            "claude-code",
            ".claude/settings.json",
            "{\"hooks\": []}",
            "hooks is not a table of keys and values",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"hooks\": {\"PreToolUse\": {}}}",
            "PreToolUse is not a list with one entry a line",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "// c\n{}",
            "line 1: ",
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "{\"hooks\": {}, \"hooks\": {}}",
            "hooks is defined twice",
        ),
    ] {
        let user = User::new();
        user.put(path, before);
        let output = user.run(&[
            "client",
            "install",
            client,
            "--hook",
            "--no-server",
            "--write",
        ]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(error), "{error:?} in {text}");
        assert_eq!(user.text(path), before);
    }
    let user = User::new();
    user.put("project/AGENTS.md", "a\n<!-- treegraft: start -->\nb\n");
    for words in [
        &[
            "client",
            "install",
            "codex",
            "--project",
            "--instructions",
            "--write",
        ][..],
        &["client", "uninstall", "codex", "--project", "--write"],
    ] {
        let refused = user.json(words);
        assert_eq!(refused["error"]["code"], "invalid_content", "{refused}");
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("line 2: "), "{message}");
    }
    // Nothing is written if one of the files is refused.
    assert!(!user.file("project/.codex").exists());
}

#[test]
fn clients_without_hooks_and_options_without_use_are_refused() {
    let user = User::new();
    for client in [
        "claude-desktop",
        "cursor",
        "vscode",
        "zed",
        "windsurf",
        "cline",
        "continue",
        "amp",
        "junie",
    ] {
        let refused = user.json(&["client", "install", client, "--hook"]);
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(
            message.starts_with("treegraft has no hook for "),
            "{refused}"
        );
    }
    // Every client with a hook can be configured.
    for client in ["claude-code", "codex", "gemini-cli", "opencode"] {
        let shown = user.json(&["client", "install", client, "--hook", "--project"]);
        assert_eq!(shown["hook"], format!("treegraft client hook {client}"));
        assert!(user.run(&["client", "hook", client]).status.success());
    }
    let status = |words: &[&str]| user.run(words).status.code();
    assert_eq!(
        status(&["client", "install", "cursor", "--diagnostics"]),
        Some(2)
    );
    let both = ["client", "install", "codex", "--hook", "--diagnostics"];
    assert_eq!(status(&both), Some(2));
    assert_eq!(
        status(&["client", "install", "cursor", "--tools", "x"]),
        Some(2)
    );
    assert_eq!(
        status(&["client", "install", "cursor", "--instructions"]),
        Some(2)
    );
    let shown = user.json(&["client", "install", "cursor", "--tools", "read,server"]);
    assert_eq!(
        shown["server"]["args"],
        serde_json::json!(["serve", "--tools", "read,server"])
    );
}

#[test]
fn instructions_name_the_tools_that_the_project_chooses() {
    let user = User::new();
    let instructions = |words: &[&str]| {
        let shown = user.json(&[&["client", "install", "codex", "--instructions"], words].concat());
        let files = shown["files"].as_array().expect("a list");
        let is_text = |file: &&serde_json::Value| file["parts"][0] == "instructions";
        let file = files.iter().find(is_text).expect("a file of instructions");
        file["diff"].as_str().expect("a diff").to_string()
    };
    user.put("project/treegraft.toml", "tools = [\"read\", \"server\"]\n");
    let of_project = instructions(&["--project"]);
    assert!(of_project.contains("`outline`") && of_project.contains("`goto_definition`"));
    assert!(!of_project.contains("`replace_node`"), "{of_project}");
    let of_user = instructions(&[]);
    assert!(of_user.contains("`edit_nodes`") && !of_user.contains("`goto_definition`"));
    let of_call = instructions(&["--project", "--tools", "edit"]);
    assert!(of_call.contains("`replace_node`") && !of_call.contains("`outline`"));
}
