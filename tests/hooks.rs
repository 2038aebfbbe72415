//! Hooks: events of the clients, field by field as they document them, and the answers.

#![expect(
    clippy::disallowed_methods,
    reason = "tests run the command line and read files"
)]

use std::fs;
use std::io::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

mod files;

use files::Files;

fn assert_snapshot(name: &str, text: String) {
    let settings = crate::support::snapshots("hooks");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Far more than a command needs.
const PATIENCE: Duration = Duration::from_secs(30);
const PYTHON: &str = "def f(a):\n    return a\n\n\ndef g():\n    pass\n\n\ndef h():\n    pass\n";

#[test]
fn a_right_call_passes_unseen() {
    let files = Files::new(&[
        ("a.py", PYTHON),
        ("crlf.py", "def f():\r\n    return 1\r\n"),
        ("mark.py", "\u{feff}x = 1\n"),
        ("notes.txt", "one\ntwo\n"),
        ("broken.py", "def f(:\n    pass\n\nx = 1\n"),
    ]);
    let unseen = [
        files.edit("a.py", "    return a\n", "    return a + 1\n"),
        files.edit("crlf.py", "def f():\n    return 1\n", "def f():\n    return 2\n"),
        files.edit("mark.py", "x = 1", "x = 2"),
        files.edit("notes.txt", "two", "(three"),
        // Errors that were there before do not count.
        files.edit("broken.py", "x = 1", "x = 2"),
        files.before(
            "Edit",
            json!({"file_path": files.path("a.py"), "old_string": "pass", "new_string": "return", "replace_all": true}),
        ),
        files.before(
            "MultiEdit",
            json!({"file_path": files.path("a.py"), "edits": [
                {"old_string": "return a", "new_string": "return b"},
                {"old_string": "return b", "new_string": "return c"},
            ]}),
        ),
        files.before("Write", json!({"file_path": files.path("new.py"), "content": "x = 1\n"})),
        files.before("Write", json!({"file_path": files.path("broken.py"), "content": "def f():\n    pass\n"})),
        // The edit creates the file.
        files.edit("made.py", "", "x = ("),
    ];
    for event in unseen {
        assert_eq!(files.answer("claude-code", &event), Value::Null, "{event}");
    }
    assert_eq!(files.text("a.py"), PYTHON);
}

#[test]
fn what_is_not_understood_passes() {
    let files = Files::new(&[("a.py", PYTHON)]);
    fs::write(files.path("binary.py"), b"\xff\xfe\x00").expect("the directory can be written");
    fs::create_dir(files.path("directory.py")).expect("a directory can be created");
    let broken = files.edit("a.py", "return a", "return (a");
    let with = |change: &dyn Fn(&mut Value)| {
        let mut event = broken.clone();
        change(&mut event);
        event
    };
    let unknown = [
        with(&|event| event["hook_event_name"] = "SessionStart".into()),
        with(&|event| event["hook_event_name"] = Value::Null),
        with(&|event| event["tool_name"] = "NotebookEdit".into()),
        with(&|event| event["tool_name"] = 1.into()),
        with(&|event| event["tool_input"] = Value::Null),
        with(&|event| event["tool_input"]["old_string"] = Value::Null),
        with(&|event| event["tool_input"]["new_string"] = json!(["x"])),
        with(&|event| event["tool_input"]["file_path"] = "binary.py".into()),
        with(&|event| event["tool_input"]["file_path"] = files.path("directory.py").into()),
        with(&|event| event["tool_input"]["file_path"] = files.path("missing.py").into()),
        with(&|event| event["tool_input"]["file_path"] = "".into()),
        with(&|event| event["tool_input"]["file_path"] = "a\u{0}b.py".into()),
        // A relative path in an unknown directory.
        with(&|event| {
            event["cwd"] = "elsewhere".into();
            event["tool_input"]["file_path"] = "a.py".into();
        }),
        json!([]),
        json!("PreToolUse"),
    ];
    for event in &unknown {
        assert_eq!(files.answer("claude-code", event), Value::Null, "{event}");
    }
    for bytes in [&b""[..], b"{", b"\xff", b"null"] {
        assert_eq!(files.answered("claude-code", bytes, &[]), "");
    }
    // A file that takes longer than the time limit.
    let rows = "{\"a\": [1, 2, 3, {\"b\": null}]},\n".repeat(150_000);
    fs::write(files.path("large.json"), format!("[\n{rows}0]\n"))
        .expect("the directory can be written");
    let event = files.edit("large.json", "0]\n", "0\n").to_string();
    assert_eq!(
        files.answered("claude-code", event.as_bytes(), &["--time-limit", "1"]),
        ""
    );
    // The same call is denied, if its path is known.
    let relative = with(&|event| event["tool_input"]["file_path"] = "a.py".into());
    let answer = files.answer("claude-code", &relative);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn an_input_that_does_not_end_passes_after_the_time_limit() {
    let files = Files::new(&[("a.py", PYTHON)]);
    let event = files.edit("a.py", "return a", "return (a").to_string();
    for sent in ["", &event[..event.len() / 2], &event] {
        let mut command = files.command(&["client", "hook", "claude-code"]);
        let mut process = command.spawn().expect("the command starts");
        let mut input = process.stdin.take().expect("it is piped");
        // The command may have ended already.
        let _ = input.write_all(sent.as_bytes());
        let latest = Instant::now() + PATIENCE;
        while process.try_wait().expect("it can be asked").is_none() {
            if Instant::now() > latest {
                process.kill().expect("it can be ended");
                panic!("the command waits for the end of the input");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // The input is open until here.
        drop(input);
        let output = process.wait_with_output().expect("it has ended");
        assert!(output.status.success(), "{output:?}");
        assert_eq!((output.stdout, output.stderr), (Vec::new(), Vec::new()));
    }
}

/// 65 MiB: more than two texts of the largest file.
#[test]
fn an_input_that_is_too_large_passes() {
    let files = Files::new(&[]);
    let bytes = vec![b' '; 65 << 20];
    let options = ["--time-limit", "600000"];
    assert_eq!(files.answered("claude-code", &bytes, &options), "");
}

#[test]
fn an_old_string_that_means_one_place_is_corrected() {
    let files = Files::new(&[("a.py", PYTHON)]);
    let mut event = files.edit(
        "a.py",
        "def  f(a):\n\treturn a",
        "def f(a):\n\treturn a + 1",
    );
    // The client asks its user: the corrected call is shown for confirmation.
    event["permission_mode"] = "default".into();
    let asked = files.shown(&files.answer("claude-code", &event));
    // The client does not ask: the agent sends the corrected call.
    event["permission_mode"] = "acceptEdits".into();
    let denied = files.shown(&files.answer("claude-code", &event));
    let again = files.shown(&files.answer("claude-code", &event));
    let multiple = files.before(
        "MultiEdit",
        json!({"file_path": files.path("a.py"), "edits": [
            {"old_string": "\treturn a", "new_string": "\treturn b"},
            {"old_string": "     5\tdef g():\n     6\t    pass", "new_string": "def g():\n    return 1"},
        ]}),
    );
    let multiple = files.shown(&files.answer("claude-code", &multiple));
    assert_snapshot(
        "corrected",
        format!(
            "# in default mode\n\n{asked}\n\n# in mode acceptEdits\n\n{denied}\n\n# the same call again\n\n{again}\n\n# several edits\n\n{multiple}"
        ),
    );
}

#[test]
fn an_ambiguous_old_string_is_answered_with_each_place() {
    let files = Files::new(&[("a.py", PYTHON)]);
    let event = files.edit("a.py", "pass", "return 0");
    let answer = files.answer("claude-code", &event);
    // A later edit of several, in a text that is shorter than the file.
    let several = files.before(
        "MultiEdit",
        json!({"file_path": files.path("a.py"), "edits": [
            {"old_string": PYTHON, "new_string": "x = 1\ny = 1\n"},
            {"old_string": "1", "new_string": "2"},
        ]}),
    );
    let several = files.answer("claude-code", &several);
    let shown = [files.shown(&answer), files.shown(&several)].join("\n\n# a later edit\n\n");
    assert_snapshot("ambiguous", shown);
}

#[test]
fn a_new_syntax_error_is_denied_once() {
    let files = Files::new(&[("a.py", PYTHON), ("a.json", "{\"a\": 1}\n")]);
    let edit = files.edit("a.py", "return a", "return (a");
    let first = files.shown(&files.answer("claude-code", &edit));
    assert_eq!(files.answer("claude-code", &edit), Value::Null);
    // Another session, and another call, are not the same.
    let mut other = edit.clone();
    other["session_id"] = "s2".into();
    let answer = files.answer("claude-code", &other);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    let write = |name: &str, content: &str| {
        let event = files.before(
            "Write",
            json!({"file_path": files.path(name), "content": content}),
        );
        files.shown(&files.answer("claude-code", &event))
    };
    let new = write("b.json", "{\"a\": [1, 2}\n");
    let existing = write("a.json", "{\"a\": 1, \"b\"}\n");
    assert_snapshot(
        "syntax",
        format!(
            "# an edit\n\n{first}\n\n# a new file\n\n{new}\n\n# an existing file\n\n{existing}"
        ),
    );
}

#[test]
fn changes_around_an_edit_only_inform() {
    let text =
        "function a() {\n  one();\n}\n\nfunction b() {}\n\n/* the rest */\nfunction c() {}\n";
    let files = Files::new(&[
        ("a.js", text),
        ("b.js", "function a() {\n  one();\n  two();\n}\n"),
    ]);
    let lost = files.answer(
        "claude-code",
        &files.edit("a.js", "  one();\n}", "  one();\n}\n/*"),
    );
    let sketch = files.edit(
        "b.js",
        "  one();\n  two();",
        "  // ... existing code ...\n  three();",
    );
    let sketch = files.answer("claude-code", &sketch);
    let write = |name: &str, content: &str| {
        let input = json!({"file_path": files.path(name), "content": content});
        files.answer("claude-code", &files.before("Write", input))
    };
    let whole = write("b.js", "// ... existing code ...\nfunction b() {}\n");
    assert_snapshot(
        "informed",
        format!(
            "# a comment swallows a function\n\n{}\n\n# a sketch\n\n{}\n\n# a sketch of a whole file\n\n{}",
            files.shown(&lost),
            files.shown(&sketch),
            files.shown(&whole)
        ),
    );
    // An agent that writes a whole file knows what is gone.
    assert_eq!(write("a.js", "function d() {}\n"), Value::Null);
}

/// Returns the event after a batch of calls of Claude Code, with their arguments and responses.
fn batch(files: &Files, calls: &[(Value, &str)]) -> Value {
    let calls = calls.iter().map(|(event, response)| {
        json!({
            "tool_name": event["tool_name"],
            "tool_input": event["tool_input"],
            "tool_use_id": "toolu_01",
            "tool_response": response,
        })
    });
    let mut event = files.before("", Value::Null);
    event["hook_event_name"] = "PostToolBatch".into();
    event["tool_calls"] = calls.collect();
    event
}

#[test]
fn calls_that_the_client_refuses_are_answered_after_it() {
    const NOT_FOUND: &str = "<tool_use_error>String to replace not found in file.</tool_use_error>";
    let files = Files::new(&[("a.py", PYTHON)]);
    let event = batch(
        &files,
        &[
            (files.edit("a.py", "def  f(a):", "def f(b):"), NOT_FOUND),
            (
                files.edit("a.py", "pass", "return 0"),
                "<tool_use_error>Found 2 matches</tool_use_error>",
            ),
            (files.edit("a.py", "def gg():\n    passs", "x"), NOT_FOUND),
            (files.edit("a.py", ":\n\tpass", "x"), NOT_FOUND),
            (files.edit("a.py", "def k():\n    pass", "x"), NOT_FOUND),
            (
                files.edit("a.py", "while True: sleep(forever)", "x"),
                NOT_FOUND,
            ),
            // It succeeded, was refused for another reason, or is no edit.
            (
                files.edit("a.py", "def  f(a):", "def f(b):"),
                "<tool_use_error>File is in a directory that is denied by your permission settings.</tool_use_error>",
            ),
            (
                files.edit("a.py", "return a", "return b"),
                "The file has been updated.",
            ),
            (
                files.edit("a.py", "return a", "return b"),
                "<tool_use_error>File has not been read yet.</tool_use_error>",
            ),
            (
                files.before("Read", json!({"file_path": files.path("a.py")})),
                "<tool_use_error>x</tool_use_error>",
            ),
        ],
    );
    assert_snapshot(
        "refused_by_the_client",
        files.shown(&files.answer("claude-code", &event)),
    );
    let fine = batch(
        &files,
        &[(files.edit("a.py", "return a", "return b"), "done")],
    );
    assert_eq!(files.answer("claude-code", &fine), Value::Null);
}

#[test]
fn the_guard_can_be_a_warning_or_off() {
    let files = Files::new(&[("a.py", PYTHON)]);
    let event = files.edit("a.py", "return a", "return (a");
    let context = |answer: &Value| answer["hookSpecificOutput"]["additionalContext"].is_string();
    let denied = |answer: &Value| answer["hookSpecificOutput"]["permissionDecision"] == "deny";
    fs::create_dir_all(files.path("config/treegraft")).expect("a directory can be created");
    let configure = |text: &str| {
        fs::write(files.path("config/treegraft/config.toml"), text)
            .expect("the file can be written");
    };
    configure("guard = \"warn\"\n");
    let warned = files.answer("claude-code", &event);
    assert!(context(&warned) && !denied(&warned), "{warned}");
    assert!(denied(&files.answer_with(
        "claude-code",
        &event,
        &["--guard", "deny"]
    )));
    configure("guard = \"off\"\n");
    assert_eq!(files.answer("claude-code", &event), Value::Null);
    let warned = files.answer_with("claude-code", &event, &["--guard", "warn"]);
    assert!(context(&warned), "{warned}");
    // An invalid file does not switch it off.
    configure("guard = \"of\"\n");
    let mut other = event.clone();
    other["session_id"] = "s2".into();
    assert!(denied(&files.answer("claude-code", &other)));
}

#[test]
#[cfg(unix)]
fn a_call_that_cannot_be_remembered_is_not_denied() {
    let files = Files::new(&[("a.py", PYTHON)]);
    fs::create_dir_all(files.path("state/treegraft")).expect("a directory can be created");
    fs::write(files.path("state/treegraft/denied"), "").expect("the file can be written");
    let event = files.edit("a.py", "return a", "return (a");
    for _ in 0..2 {
        let answer = files.answer("claude-code", &event);
        assert!(
            answer["hookSpecificOutput"]["additionalContext"].is_string(),
            "{answer}"
        );
        assert_eq!(
            answer["hookSpecificOutput"]["permissionDecision"],
            Value::Null
        );
    }
}

#[test]
fn a_call_without_a_state_directory_passes() {
    let files = Files::new(&[("a.py", PYTHON), ("state", "")]);
    let event = files.edit("a.py", "return a", "return (a");
    assert_eq!(files.answer("claude-code", &event), Value::Null);
}

#[test]
#[cfg(unix)]
fn a_file_outside_the_project_passes_unseen() {
    let elsewhere = Files::new(&[("keys.py", "AWS = 1\nAWS = 2\n")]);
    let files = Files::new(&[("a.py", PYTHON)]);
    std::os::unix::fs::symlink(elsewhere.path("keys.py"), files.path("link.py"))
        .expect("a link can be created");
    fs::create_dir(files.path(".git")).expect("a directory can be created");
    fs::write(files.path(".git/config.py"), "AWS = 1\nAWS = 2\n").expect("the file can be written");
    for path in [
        elsewhere.path("keys.py"),
        elsewhere.path("new.py"),
        files.path("link.py"),
        files.path(".git/config.py"),
        format!("{}/../keys.py", files.directory.path().to_string_lossy()),
    ] {
        for (old, new) in [("AWS", "x"), ("AWS =  1", "x"), ("AWS = 1", "x = (")] {
            let mut event = files.edit("a.py", old, new);
            event["tool_input"]["file_path"] = path.as_str().into();
            assert_eq!(files.answer("claude-code", &event), Value::Null, "{event}");
            let event = batch(
                &files,
                &[(
                    event,
                    "<tool_use_error>String to replace not found in file.</tool_use_error>",
                )],
            );
            assert_eq!(files.answer("claude-code", &event), Value::Null, "{event}");
        }
        let mut event = files.before("Write", json!({"file_path": path, "content": "x = ("}));
        assert_eq!(files.answer("claude-code", &event), Value::Null, "{event}");
        event["hook_event_name"] = "PostToolUse".into();
        let answer = files.answer_with("claude-code", &event, &["--diagnostics"]);
        assert_eq!(answer, Value::Null, "{event}");
    }
    // A new directory of the project is in it.
    let event = files.before(
        "Write",
        json!({"file_path": files.path("new/b.json"), "content": "[1"}),
    );
    let answer = files.answer("claude-code", &event);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn clients_that_write_the_line_endings_themselves_may_send_any() {
    const LINES: [&str; 2] = ["a = 1\nb = 2\n", "a = 1\r\nb = 2\r\n"];
    for text in LINES {
        let files = Files::new(&[("a.py", text)]);
        for old in LINES {
            for new in LINES {
                let new = new.replace('1', "3");
                let opencode = json!({
                    "hook_event_name": "tool.execute.before",
                    "tool": "edit",
                    "args": {"filePath": files.path("a.py"), "oldString": old, "newString": new},
                });
                assert_eq!(files.answer("opencode", &opencode), Value::Null);
                let gemini = json!({
                    "hook_event_name": "BeforeTool",
                    "tool_name": "replace",
                    "tool_input": {"file_path": files.path("a.py"), "old_string": old, "new_string": new},
                });
                assert_eq!(files.answer("gemini-cli", &gemini), Value::Null);
            }
        }
    }
}

#[test]
fn gemini_cli_denies_what_its_tool_cannot_find() {
    let files = Files::new(&[("a.py", PYTHON)]);
    let event = |tool: &str, input: Value| {
        json!({
            "session_id": "s1",
            "transcript_path": files.path("transcript.json"),
            "cwd": files.directory.path().to_string_lossy(),
            "hook_event_name": "BeforeTool",
            "timestamp": "2026-11-27T12:00:00Z",
            "tool_name": tool,
            "tool_input": input,
        })
    };
    let replace = |old: &str, new: &str| {
        let input = json!({"file_path": files.path("a.py"), "instruction": "x", "old_string": old, "new_string": new});
        event("replace", input)
    };
    // The tool finds text with other whitespace itself.
    for passes in [
        replace("return a", "return b"),
        replace("def  f(a):\n\treturn a", "x"),
        event(
            "replace",
            json!({"file_path": files.path("a.py"), "old_string": "pass", "new_string": "return", "allow_multiple": true}),
        ),
        event("read_file", json!({"file_path": files.path("a.py")})),
        event(
            "write_file",
            json!({"file_path": files.path("b.py"), "content": "x = 1\n"}),
        ),
    ] {
        assert_eq!(files.answer("gemini-cli", &passes), Value::Null, "{passes}");
    }
    let ambiguous = files.answer("gemini-cli", &replace("pass", "return"));
    let broken = files.answer(
        "gemini-cli",
        &event(
            "write_file",
            json!({"file_path": files.path("b.json"), "content": "[1"}),
        ),
    );
    assert_snapshot(
        "gemini_cli",
        format!(
            "# several places\n\n{}\n\n# a syntax error\n\n{}",
            files.shown(&ambiguous),
            files.shown(&broken)
        ),
    );
}

#[test]
fn codex_denies_patches_that_break_the_syntax() {
    let files = Files::new(&[("a.py", PYTHON), ("b.json", "{\"a\": 1}\n")]);
    let event = |patch: &str| {
        json!({
            "session_id": "s1",
            "transcript_path": null,
            "cwd": files.directory.path().to_string_lossy(),
            "hook_event_name": "PreToolUse",
            "model": "m",
            "turn_id": "t1",
            "tool_name": "apply_patch",
            "tool_use_id": "c1",
            "tool_input": {"command": patch},
        })
    };
    for passes in [
        "*** Begin Patch\n*** Update File: a.py\n@@ def f(a):\n-    return a\n+    return b\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.py\n@@\n def g():\n-    pass\n+    return 1\n*** Delete File: b.json\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: a.py\n@@\n+# appended\n*** End Patch",
        "*** Begin Patch\n*** Add File: new.py\n+x = 1\n*** End Patch",
        "*** Begin Patch\n*** Update File: a.py\n?\n*** End Patch",
        "*** Update File: a.py",
        "",
    ] {
        assert_eq!(
            files.answer("codex", &event(passes)),
            Value::Null,
            "{passes}"
        );
    }
    let broken = "*** Begin Patch\n*** Update File: a.py\n@@\n def f(a):\n-    return a\n+    return (a\n*** Add File: c.json\n+[1\n*** End Patch";
    assert_snapshot("codex", files.shown(&files.answer("codex", &event(broken))));
}

/// Runs the plugin of opencode in node: each call as the client makes it, and how it ends.
const CLIENT: &str = r#"
import { Treegraft } from "./config/opencode/plugins/treegraft.js"
import { text } from "node:stream/consumers"
const hooks = await Treegraft({ directory: process.cwd() })
const ends = []
for (const [index, { tool, args }] of JSON.parse(await text(process.stdin)).entries()) {
  const input = { tool, sessionID: "s1", callID: `c${index}` }
  const output = { title: "", output: "Edit applied successfully.", metadata: {} }
  try {
    await hooks["tool.execute.before"](input, { args })
    await hooks["tool.execute.after"]({ ...input, args }, output)
    ends.push(output.output)
  } catch (error) {
    ends.push(error.message)
  }
}
console.log(JSON.stringify(ends))
"#;

#[test]
fn the_plugin_of_opencode_throws_what_denies_a_call() {
    let files = Files::new(&[
        ("a.py", PYTHON),
        ("package.json", "{\"type\": \"module\"}\n"),
        ("client.js", CLIENT),
    ]);
    let installed = files
        .command(&[
            "client",
            "install",
            "opencode",
            "--hook",
            "--no-server",
            "--write",
        ])
        .output()
        .expect("the command runs");
    assert!(installed.status.success(), "{installed:?}");
    let edit = |old: &str, new: &str| {
        let args = json!({"filePath": files.path("a.py"), "oldString": old, "newString": new});
        json!({"tool": "edit", "args": args})
    };
    let patch = |text: &str| json!({"tool": "apply_patch", "args": {"patchText": text}});
    let calls = [
        edit("return a", "return b"),
        json!({"tool": "edit", "args": {"filePath": files.path("a.py"), "oldString": "pass", "newString": "return", "replaceAll": true}}),
        json!({"tool": "bash", "args": {"command": "ls", "description": "Lists files"}}),
        json!({"tool": "edit", "args": {}}),
        json!({"tool": "write", "args": {"filePath": files.path("b.py"), "content": "x = 1\n"}}),
        patch(
            "*** Begin Patch\n*** Update File: a.py\n@@ def f(a):\n-  return a\n+  return b\n*** End Patch",
        ),
        edit("def f(a):\n\treturn a", "def f(a):\n\treturn a + 1"),
        edit("    pass", "    return 2"),
        edit("return a", "return (a"),
        edit("return a", "return (a"),
        edit("def h():\n    pass\n", "# ... existing code ...\n"),
        json!({"tool": "write", "args": {"filePath": files.path("b.json"), "content": "[1"}}),
        patch(
            "*** Begin Patch\n*** Update File: a.py\n@@\n-    return a\n+    return [a\n*** End Patch",
        ),
    ];
    let mut node = files
        .in_directory(Command::new("node"))
        .arg("client.js")
        .spawn()
        .expect("node is installed");
    let mut input = node.stdin.take().expect("it is piped");
    input
        .write_all(json!(calls).to_string().as_bytes())
        .expect("node reads the calls");
    drop(input);
    let output = node.wait_with_output().expect("node ends");
    assert!(output.status.success(), "{output:?}");
    let ends: Vec<String> = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let directory = files.directory.path().to_string_lossy();
    let shown = calls.iter().zip(ends).map(|(call, end)| {
        format!("# {} {}\n{end}\n\n", call["tool"], call["args"]).replace(directory.as_ref(), "DIR")
    });
    assert_snapshot("opencode", shown.collect());
}

#[test]
fn a_plugin_of_somebody_else_is_not_written() {
    let files = Files::new(&[]);
    let folder = files.directory.path().join("config/opencode/plugins");
    fs::create_dir_all(&folder).expect("the directory can be created");
    let path = folder.join("treegraft.js");
    fs::write(&path, "export const Mine = async () => ({})\n").expect("the file can be written");
    let run = |words: &[&str]| files.command(words).output().expect("the command runs");
    let refused = run(&[
        "client",
        "install",
        "opencode",
        "--hook",
        "--no-server",
        "--write",
    ]);
    let error = String::from_utf8_lossy(&refused.stderr);
    let expected = "is not a plugin that `treegraft client install` has written";
    assert!(
        !refused.status.success() && error.contains(expected),
        "{error}"
    );
    for words in [
        &["client", "install", "opencode", "--write"][..],
        &["client", "uninstall", "opencode", "--write"],
    ] {
        let output = run(words);
        assert!(output.status.success(), "{output:?}");
    }
    let text = fs::read_to_string(&path).expect("the file is there");
    assert_eq!(text, "export const Mine = async () => ({})\n");
}

#[test]
fn no_answer_allows_a_call() {
    let files = Files::new(&[("a.py", PYTHON)]);
    for mode in [
        "default",
        "plan",
        "acceptEdits",
        "bypassPermissions",
        "dontAsk",
        "auto",
    ] {
        for (old, new) in [
            ("return a", "return b"),
            ("return  a", "return b"),
            ("pass", "x"),
            ("return a", "return (a"),
        ] {
            let mut event = files.edit("a.py", old, new);
            event["permission_mode"] = mode.into();
            event["session_id"] = mode.into();
            let answer = files.answer("claude-code", &event);
            let decision = &answer["hookSpecificOutput"]["permissionDecision"];
            assert!(
                [json!("deny"), json!("ask"), Value::Null].contains(decision),
                "{answer}"
            );
            assert!(
                decision == "ask" || answer["hookSpecificOutput"]["updatedInput"].is_null(),
                "{answer}"
            );
        }
    }
}
