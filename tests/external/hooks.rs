//! Hooks with the diagnostics of a language server.

use std::fs;

use serde_json::json;

use crate::tools;

#[expect(dead_code, reason = "the other tests use the rest")]
#[path = "../hooks/files.rs"]
mod files;

use files::Files;

fn assert_snapshot(name: &str, text: String) {
    let settings = crate::support::snapshots("hooks");
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Configures the Python server `ty`.
fn serve_python(files: &Files) {
    let command = json!([tools::of_python("ty"), "server"]);
    let folder = files.path("config/treegraft");
    fs::create_dir_all(&folder).expect("the directory can be created");
    fs::write(
        format!("{folder}/config.toml"),
        format!("[servers.python]\ncommand = {command}\n"),
    )
    .expect("the configuration can be written");
}

#[test]
fn new_errors_of_the_language_server_follow_an_edit() {
    const BEFORE: &str =
        "from prices import price\n\nknown_before: str = 1\ntotal: int = price()\n";
    let after = BEFORE.replace("total: int", "total: str");
    let many: String = (0..12)
        .map(|index| format!("missing_{index}()\n"))
        .collect();
    let files = Files::new(&[
        ("prices.py", "def price() -> int:\n    return 250\n"),
        ("bill.py", &after),
        ("many.py", &many),
    ]);
    serve_python(&files);
    let edited = |name: &str, original: &str, old: &str, new: &str| {
        let mut event = files.edit(name, old, new);
        event["hook_event_name"] = "PostToolUse".into();
        event["tool_response"] = json!({
            "filePath": files.path(name),
            "oldString": old,
            "newString": new,
            "originalFile": original,
            "structuredPatch": [],
            "userModified": false,
            "replaceAll": false,
        });
        event
    };
    let event = edited("bill.py", BEFORE, "total: int", "total: str");
    let answers = [
        ("a new error, and one from before", &event, "60"),
        ("no new error", &edited("bill.py", &after, "x", "x"), "60"),
        (
            "more errors than are shown",
            &edited("many.py", "", "x", "x"),
            "60",
        ),
        ("no time for the server", &event, "0"),
    ];
    let mut text: String = answers
        .map(|(name, event, seconds)| {
            let answer = files.answer_with("claude-code", event, &["--diagnostics", seconds]);
            format!("## {name}\n{}\n\n", files.shown(&answer))
        })
        .concat();
    let unasked = files.answer("claude-code", &event);
    text.push_str(&format!(
        "## without --diagnostics\n{}\n",
        files.shown(&unasked)
    ));
    assert_snapshot("new_errors_after_an_edit", text);
}
