//! Files over which hooks answer.

use std::fs;
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// A directory with files, whose path is `DIR` in snapshots.
pub(crate) struct Files {
    pub(crate) directory: tempfile::TempDir,
}

impl Files {
    pub(crate) fn new(files: &[(&str, &str)]) -> Files {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        for (name, text) in files {
            fs::write(directory.path().join(name), text).expect("the directory can be written");
        }
        Files { directory }
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.directory
            .path()
            .join(name)
            .to_string_lossy()
            .into_owned()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// Returns this program with arguments.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.in_directory(Command::new(env!("CARGO_BIN_EXE_treegraft")));
        command.args(words);
        command
    }

    pub(crate) fn in_directory(&self, mut command: Command) -> Command {
        command
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .current_dir(self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Answers an event; empty if the call passes unseen.
    pub(crate) fn answered(&self, client: &str, event: &[u8], options: &[&str]) -> String {
        let mut command = self
            .command(&["client", "hook", client])
            .args(options)
            .spawn()
            .expect("the command starts");
        let mut input = command.stdin.take().expect("it is piped");
        match input.write_all(event) {
            // The time limit may be over already.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.expect("the command reads the event"),
        }
        drop(input);
        let output = command.wait_with_output().expect("the command ends");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8(output.stdout).expect("the answer is text")
    }

    /// Answers an event, without a time limit that a busy machine could reach.
    pub(crate) fn answer(&self, client: &str, event: &Value) -> Value {
        self.answer_with(client, event, &[])
    }

    pub(crate) fn answer_with(&self, client: &str, event: &Value, options: &[&str]) -> Value {
        let options = [&["--time-limit", "600000"], options].concat();
        let answer = self.answered(client, event.to_string().as_bytes(), &options);
        match answer.is_empty() {
            true => Value::Null,
            false => serde_json::from_str(&answer).expect("the answer is JSON"),
        }
    }

    /// Returns an event before a call of Claude Code, in a mode in which it does not ask.
    pub(crate) fn before(&self, tool: &str, input: Value) -> Value {
        json!({
            "session_id": "s1",
            "transcript_path": self.path("transcript.jsonl"),
            "cwd": self.directory.path().to_string_lossy(),
            "prompt_id": "p1",
            "permission_mode": "acceptEdits",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "toolu_01",
        })
    }

    pub(crate) fn edit(&self, name: &str, old: &str, new: &str) -> Value {
        let input = json!({
            "replace_all": false,
            "file_path": self.path(name),
            "old_string": old,
            "new_string": new,
        });
        self.before("Edit", input)
    }

    /// Returns the answer as text with `DIR` for the directory.
    pub(crate) fn shown(&self, answer: &Value) -> String {
        let text = match answer {
            Value::Null => "(passes unseen)".to_string(),
            answer => {
                let mut text = serde_json::to_string_pretty(answer).expect("JSON can be printed");
                // Long texts are easier to read as the agent reads them.
                for field in ["permissionDecisionReason", "additionalContext", "reason"] {
                    let own = answer["hookSpecificOutput"][field].as_str();
                    if let Some(own) = own.or_else(|| answer[field].as_str()) {
                        text = text.replace(&Value::from(own).to_string(), "...");
                        text.push_str(&format!("\n\n{field}:\n{own}"));
                    }
                }
                text
            }
        };
        text.replace(self.directory.path().to_string_lossy().as_ref(), "DIR")
    }
}
