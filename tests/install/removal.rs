//! `uninstall` restores the bytes that `install` found, and keeps what others wrote since.

use std::fs;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{CLIENTS, Syntax, User};

const BACKUP: &str = ".treegraft-backup";

/// Cases of each format; each runs the program twice.
fn cases() -> u32 {
    if crate::support::is_full() { 200 } else { 12 }
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "true",
        "null",
        "\"x\"",
        "\"// no comment\"",
        "\"a,\\\"}\"",
        "{}",
        "[]",
        "[1,2]",
        "[ \"a\" , {} ]",
        "{ \"k\":1 }",
    ]);
    leaf.prop_map(str::to_string)
}

/// Returns a strategy for an object in JSON: its entries, with or without comments.
fn object(servers: &'static str, comments: bool) -> impl Strategy<Value = String> {
    let gap = match comments {
        false => vec!["", " ", "\n", "\n  ", "\n\t", "\n\n    "],
        true => vec![
            "",
            " ",
            "\n  ",
            " // c\n",
            "/* , */",
            "\n\n\t/* d\n */ ",
            " // {\n  ",
        ],
    };
    let gap = prop::sample::select(gap);
    let keys = prop::sample::subsequence(vec!["a", "hooks2", "b c", "theme"], 0..4);
    let ours = prop::sample::select(vec![
        None,
        Some("{}".to_string()),
        Some("{ }".to_string()),
        Some("{\n}".to_string()),
        Some("{\"other\": {\"command\": \"o\"}}".to_string()),
        Some("{\n    \"other\": {\"command\": \"o\"}\n  }".to_string()),
    ]);
    (
        keys,
        prop::collection::vec((value(), gap.clone(), gap.clone()), 6),
        ours,
        any::<prop::sample::Index>(),
        any::<bool>(),
        gap.clone(),
        prop::sample::select(vec!["", "\n", "\n\n"]),
    )
        .prop_map(move |(keys, values, ours, at, comma, last, end)| {
            let mut entries: Vec<String> = keys
                .iter()
                .zip(&values)
                .map(|(key, (value, before, between))| {
                    format!("{before}\"{key}\":{between}{value}")
                })
                .collect();
            if let Some(ours) = ours {
                let at = at.index(entries.len() + 1);
                let (_, before, between) = &values[5];
                entries.insert(at, format!("{before}\"{servers}\":{between}{ours}"));
            }
            let comma = if comments && comma && !entries.is_empty() {
                ","
            } else {
                ""
            };
            format!("{{{}{comma}{last}}}{end}", entries.join(","))
        })
}

fn toml() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec(
        prop::sample::select(vec!["a = 1 # why\n", "# note\n", "\n", "b   = [ 1,2 ]\n"]),
        0..4,
    );
    let tables = prop::sample::subsequence(
        vec![
            "[mcp_servers.other]\ncommand = \"o\"\n",
            "[profile] # p\nx = 'y'\n\n",
            "[[list]]\nk = 1\n",
            "[mcp_servers.third]\ncommand = \"t\"\n\n[mcp_servers.third.env]\nA = \"b\"\n# end\n",
        ],
        0..4,
    );
    (lines, tables).prop_map(|(lines, tables)| {
        let mut known = std::collections::BTreeSet::new();
        let lines = lines.into_iter().filter(|line| {
            let key = line.split(' ').next().unwrap_or_default();
            key == "#" || line.trim().is_empty() || known.insert(key)
        });
        format!("{}{}", lines.collect::<String>(), tables.concat())
    })
}

fn yaml() -> impl Strategy<Value = String> {
    let rest = prop::sample::subsequence(
        vec![
            "name: x\n",
            "# note\n",
            "\n",
            "models:\n  - name: m # m\n",
            "rules: [a]\n",
        ],
        0..5,
    );
    let ours = prop::sample::select(vec![
        "",
        "mcpServers:\n",
        "mcpServers: [] # none\n",
        "mcpServers:\n  - name: a\n    command: b\n",
        "mcpServers:\n- command: b # b\n  name: 'a'\n  # after\n\n",
    ]);
    (rest, ours, any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |(rest, ours, at, without_end)| {
            let mut parts: Vec<&str> = rest;
            parts.insert(at.index(parts.len() + 1), ours);
            let text = parts.concat();
            match without_end {
                true => text.trim_end_matches('\n').to_string(),
                false => text,
            }
        },
    )
}

fn text_of(client: &str) -> BoxedStrategy<String> {
    let (_, syntax, servers, _, _) = CLIENTS
        .into_iter()
        .find(|one| one.0 == client)
        .expect("a client");
    let text = match syntax {
        Syntax::Json => object(servers, false).boxed(),
        Syntax::JsonWithComments => object(servers, true).boxed(),
        Syntax::Toml => toml().boxed(),
        Syntax::Yaml => yaml().boxed(),
    };
    let mark = if syntax == Syntax::Yaml {
        ""
    } else {
        "\u{feff}"
    };
    (text, any::<bool>(), prop::bool::weighted(0.1))
        .prop_map(move |(text, windows, marked)| {
            let text = match windows {
                true => text.replace('\n', "\r\n"),
                false => text,
            };
            if marked {
                format!("{mark}{text}")
            } else {
                text
            }
        })
        .boxed()
}

fn path_of(client: &str) -> &'static str {
    let (_, _, _, path, _) = CLIENTS
        .into_iter()
        .find(|one| one.0 == client)
        .expect("a client");
    path
}

fn each_text(client: &str, check: impl Fn(&str) -> Result<(), TestCaseError>) {
    let config = Config {
        cases: cases(),
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let done = runner.run(&text_of(client), |text| check(&text));
    done.unwrap_or_else(|error| panic!("{client}: {error}"));
}

/// With `TREEGRAFT_TEST_FULL=1`, they try all their cases.
mod long {
    use super::*;

    #[test]
    fn install_then_uninstall_restores_the_bytes_of_any_configuration() {
        for client in ["claude-code", "cursor", "gemini-cli", "codex", "continue"] {
            let path = path_of(client);
            each_text(client, |text| {
                let user = User::new();
                user.put(path, text);
                let hook: &[&str] = if client == "gemini-cli" {
                    &["--hook"]
                } else {
                    &[]
                };
                let installed =
                    user.run(&[&["client", "install", client, "--write"], hook].concat());
                prop_assert!(
                    installed.status.success(),
                    "{}",
                    String::from_utf8_lossy(&installed.stderr)
                );
                let after = user.text(path);
                prop_assert_ne!(&after, text);
                let uninstalled =
                    user.run(&["client", "uninstall", client, "--write", "--remove-backups"]);
                prop_assert!(uninstalled.status.success());
                prop_assert_eq!(user.text(path), text, "after install: {}", after);
                let backup = user.file(&format!("{path}{BACKUP}"));
                prop_assert!(!backup.exists());
                Ok(())
            });
        }
    }

    /// Without the backup, empty tables and the lines of empty files may differ, but no value.
    #[test]
    fn uninstall_without_the_backup_keeps_every_value() {
        for client in ["claude-code", "cursor", "gemini-cli", "codex", "continue"] {
            let (_, syntax, servers, path, _) = CLIENTS
                .into_iter()
                .find(|one| one.0 == client)
                .expect("a client");
            each_text(client, |text| {
                let user = User::new();
                user.put(path, text);
                let hook: &[&str] = if client == "gemini-cli" {
                    &["--hook"]
                } else {
                    &[]
                };
                user.run(&[&["client", "install", client, "--write"], hook].concat());
                let after = user.text(path);
                fs::remove_file(user.file(&format!("{path}{BACKUP}"))).expect("the backup exists");
                user.run(&["client", "uninstall", client, "--write"]);
                let bare = |text: &str| text.trim_start_matches('\u{feff}').to_string();
                let value = |text: &str| {
                    let text = bare(text);
                    let mut value = match text.trim().is_empty() {
                        true => serde_json::json!({}),
                        false => syntax.read(&text),
                    };
                    let servers = value.get(servers).cloned().unwrap_or_default();
                    let is_empty =
                        servers.is_null() || servers.as_object().is_some_and(|all| all.is_empty());
                    if let Some(table) = value.as_object_mut().filter(|_| is_empty) {
                        table.remove(
                            super::CLIENTS
                                .into_iter()
                                .find(|one| one.0 == client)
                                .expect("a client")
                                .2,
                        );
                    }
                    value
                };
                let removed = user.text(path);
                let (was, is) = (value(text), value(&removed));
                let header =
                    was.as_object().is_some_and(|all| all.is_empty()) && client == "continue";
                prop_assert!(header || was == is, "{:?} {:?} {:?}", text, after, removed);
                // Each comment is still there.
                for comment in [
                    "// c", "/* , */", "/* d", "# why", "# note", "# p", "# end", "# m", "# b",
                    "# after",
                ] {
                    prop_assert_eq!(
                        text.matches(comment).count(),
                        removed.matches(comment).count(),
                        "{:?} {:?}",
                        text,
                        removed
                    );
                }
                Ok(())
            });
        }
    }
}

#[test]
fn what_others_write_after_install_stays() {
    let user = User::new();
    user.put(
        ".gemini/settings.json",
        "{\n  // mine\n  \"theme\": \"dark\"\n}\n",
    );
    user.run(&["client", "install", "gemini-cli", "--hook", "--write"]);
    let text = user.text(".gemini/settings.json");
    let text = text.replace("\"theme\": \"dark\"", "\"theme\": \"light\", // new");
    let text = text.replace(
        "\"theme\": \"light\", // new,",
        "\"theme\": \"light\", // new",
    );
    user.put(".gemini/settings.json", &text);
    user.run(&["client", "uninstall", "gemini-cli", "--write"]);
    assert_eq!(
        user.text(".gemini/settings.json"),
        "{\n  // mine\n  \"theme\": \"light\" // new\n}\n"
    );
    // The backup still has the first bytes.
    assert_eq!(
        user.text(".gemini/settings.json.treegraft-backup"),
        "{\n  // mine\n  \"theme\": \"dark\"\n}\n"
    );
    // The next install saves the file as it is now.
    user.run(&["client", "install", "gemini-cli", "--write"]);
    assert!(
        user.text(".gemini/settings.json.treegraft-backup")
            .contains("light")
    );
    // An install over an installed version keeps the backup.
    let first = user.text(".gemini/settings.json.treegraft-backup");
    user.run(&[
        "client",
        "install",
        "gemini-cli",
        "--tools",
        "read",
        "--write",
    ]);
    assert_eq!(user.text(".gemini/settings.json.treegraft-backup"), first);
}

/// A file that `install` created and that its client has written to since.
#[test]
fn a_removal_saves_the_file_unless_backups_are_removed() {
    let user = User::new();
    let path = ".cursor/mcp.json";
    let backup = format!("{path}{BACKUP}");
    for (options, is_saved) in [(&[][..], true), (&["--remove-backups"], false)] {
        user.run(&["client", "install", "cursor", "--write"]);
        let text = user.text(path);
        let end = text.rfind("\n}").expect("a table");
        let others = format!("{},\n  \"a\": 1{}", &text[..end], &text[end..]);
        user.put(path, &others);
        let _ = fs::remove_file(user.file(&backup));
        let done = user.json(&[&["client", "uninstall", "cursor", "--write"], options].concat());
        assert_eq!(done["files"][0]["backup"].is_string(), is_saved, "{done}");
        assert_eq!(user.file(&backup).exists(), is_saved);
        assert_eq!(user.text(path), "{\n  \"a\": 1\n}\n");
        if is_saved {
            assert_eq!(user.text(&backup), others);
        }
        fs::remove_file(user.file(path)).expect("it exists");
    }
}

#[test]
fn only_files_and_folders_that_install_created_are_removed() {
    let user = User::new();
    fs::create_dir(user.file("project/.cursor")).expect("it can be created");
    user.put(".codex/config.toml", "");
    for words in [
        &["client", "install", "cursor", "--project", "--write"][..],
        &["client", "install", "codex", "--write"],
        // The backup of this call contains our server: it is not the file before `install`.
        &[
            "client",
            "install",
            "cursor",
            "--project",
            "--tools",
            "read",
            "--write",
        ],
        &["client", "uninstall", "cursor", "--project", "--write"],
        &[
            "client",
            "uninstall",
            "codex",
            "--write",
            "--remove-backups",
        ],
    ] {
        assert!(user.run(words).status.success(), "{words:?}");
    }
    assert!(user.file("project/.cursor").is_dir());
    assert!(!user.file("project/.cursor/mcp.json").exists());
    assert!(
        user.file("project/.cursor/mcp.json.treegraft-backup")
            .exists()
    );
    assert_eq!(user.text(".codex/config.toml"), "");
    assert_eq!(
        fs::read_dir(user.file(".codex"))
            .expect("it exists")
            .count(),
        1
    );
}

#[test]
#[cfg(unix)]
fn a_link_and_a_read_only_file_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new();
    fs::create_dir(user.file(".cursor")).expect("it can be created");
    user.put("dotfiles/mcp.json", "{}\n");
    std::os::unix::fs::symlink("../dotfiles/mcp.json", user.file(".cursor/mcp.json"))
        .expect("it can be linked");
    user.run(&["client", "install", "cursor", "--write"]);
    let given = fs::Permissions::from_mode(0o444);
    let dotfile = user.file("dotfiles/mcp.json");
    fs::set_permissions(&dotfile, given).expect("the permissions can be set");
    let refused = user.json(&["client", "uninstall", "cursor", "--write"]);
    assert_eq!(refused["error"]["code"], "permission_denied");
    let given = fs::Permissions::from_mode(0o600);
    fs::set_permissions(&dotfile, given).expect("the permissions can be set");
    assert!(
        user.run(&["client", "uninstall", "cursor", "--write"])
            .status
            .success()
    );
    assert!(user.file(".cursor/mcp.json").is_symlink());
    assert_eq!(user.text("dotfiles/mcp.json"), "{}\n");
}

#[test]
fn a_broken_file_is_refused_and_left_alone() {
    for (client, syntax, servers, path, _) in CLIENTS {
        for (before, _) in syntax.broken() {
            let user = User::new();
            let before = before.replace("SERVERS", servers);
            user.put(path, &before);
            let output = user.run(&["client", "uninstall", client, "--write"]);
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            // A list of another shape has no server of ours.
            let is_clean = output.status.success();
            assert!(
                is_clean || text.starts_with("refused: invalid_content\n"),
                "{text}"
            );
            assert_eq!(user.text(path), before, "{client}");
        }
    }
}
