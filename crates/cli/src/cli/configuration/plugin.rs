//! A plugin in JavaScript: a file of opencode that is ours as a whole, and that runs the command of a hook.

use serde_json::Value;

use super::{ConfigChange, HookEntry, NotMerged};

/// The plugin with placeholders in double quotes.
const TEMPLATE: &str = include_str!("opencode.js");
/// The start of the first line, also of other versions.
const START: &str = "// treegraft:";
/// The start of the line with the command, which is a string in JSON.
const COMMAND: &str = "const command = ";
/// The start of the line with the time limit in milliseconds.
const TIMEOUT: &str = "const timeout = ";
/// The start of the line with the tools, which are a list in JSON.
const TOOLS: &str = "const tools = ";
/// The event before a call.
const EVENT: &str = "tool.execute.before";

/// Returns the text of the plugin that runs the hook.
fn plugin(hook: &HookEntry) -> String {
    let text = |text: &str| Value::from(text).to_string();
    let tools = hook.matcher.as_deref().unwrap_or_default().split('|');
    let tools: Vec<String> = tools.map(text).collect();
    TEMPLATE
        .replace("\"COMMAND\"", &text(&hook.command))
        .replace("\"TIMEOUT\"", &hook.timeout.to_string())
        .replace("\"TOOLS\"", &format!("[{}]", tools.join(", ")))
}

/// Returns the text of the file with the plugin that runs the first of the hooks. Refuses a plugin of somebody else.
pub(super) fn merge_hooks(
    text: &str,
    hooks: &[HookEntry],
) -> Result<(String, ConfigChange), NotMerged> {
    if !(text.is_empty() || text.starts_with(START)) {
        return Err(NotMerged::OtherPlugin);
    }
    let wanted = hooks.first().map(plugin).unwrap_or_default();
    let change = match text {
        text if text == wanted => ConfigChange::Same,
        "" => ConfigChange::Added,
        _ => ConfigChange::Replaced,
    };
    Ok((wanted, change))
}

/// Returns the hook that the plugin runs, if `is_ours` recognizes its command.
pub(super) fn read_hooks(text: &str, is_ours: &dyn Fn(&str) -> bool) -> Vec<HookEntry> {
    let read = |start: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(start));
        line.and_then(|value| serde_json::from_str::<Value>(value).ok())
    };
    let command = read(COMMAND).and_then(|command| Some(command.as_str()?.to_string()));
    let Some(command) = command.filter(|command| is_ours(command)) else {
        return Vec::new();
    };
    let tools = read(TOOLS).unwrap_or_default();
    let tools = tools.as_array().into_iter().flatten();
    let tools: Vec<&str> = tools.filter_map(Value::as_str).collect();
    let timeout = read(TIMEOUT).and_then(|timeout| timeout.as_u64());
    vec![HookEntry {
        event: EVENT.to_string(),
        matcher: Some(tools.join("|")),
        command,
        timeout: timeout.unwrap_or_default(),
    }]
}
