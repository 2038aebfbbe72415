//! Translates calls and refusals to the command line: tools to verbs, fields to options.

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use treegraft::engine::request::coordinates::{LineAndCharacter, PositionArgument, RangeArgument};
use treegraft::engine::request::{LocateArgument, ShortSelector};
use treegraft::engine::tools;

/// The option of each field. `file_path` and `edit_id` are positional arguments.
const OPTIONS: &[(&str, &str)] = &[
    ("allow", "--allow"),
    ("ancestor_node_type", "--ancestor"),
    ("anchor_text", "--anchor"),
    ("apply", "--apply"),
    ("blank_lines", "--blank-lines"),
    ("column", "--column"),
    ("complete", "--complete"),
    ("cursor", "--cursor"),
    ("diagnostics", "--diagnostics"),
    ("edit_id", "EDIT_ID"),
    ("edit_index", "--edit-index"),
    ("edits", "--edits"),
    ("expect_matches", "--expect-matches"),
    ("file_path", "FILE"),
    ("find", "--find"),
    ("find_index", "--index"),
    ("fix", "--fix"),
    ("fuzzy", "--fuzzy"),
    ("hook", "--hook"),
    ("imports", "--imports"),
    ("include_attached", "--include-attached"),
    ("indent", "--indent"),
    ("instructions", "--instructions"),
    ("kind", "--kind"),
    ("language", "--language"),
    ("like", "--like"),
    ("line", "--line"),
    ("lines", "--lines"),
    ("max_files", "--max-files"),
    ("max_items", "--max"),
    ("name", "--name"),
    ("new_content", "--content"),
    ("no_server", "--no-server"),
    ("node_type", "--type"),
    ("nth", "--nth"),
    ("op", "--op"),
    ("outermost", "--outermost"),
    ("outward", "--outward"),
    ("position", "--position"),
    ("project", "--project"),
    ("pattern", "--pattern"),
    ("query", "--query"),
    ("quotes", "--quotes"),
    ("range", "--range"),
    ("reading", "--reading"),
    ("regex", "--regex"),
    ("remove_backups", "--remove-backups"),
    ("root", "--root"),
    ("rule", "--rule"),
    ("sibling", "--sibling"),
    ("skip_failing", "--skip-failing"),
    ("symbol", "--symbol"),
    ("symbol_path", "--symbol"),
    ("text", "--text"),
    ("to", "--to"),
    ("tools", "--tools"),
    ("unused", "--unused"),
    ("write", "--write"),
];

/// The fields that are positional arguments, in their order.
const POSITIONAL: &[&str] = &[
    "client",
    "edit_id",
    "file_path",
    "file",
    "locate",
    "path",
    "new_name",
];

/// The fields whose options follow the selector and the destination, in their order.
const TRAILING: &[&str] = &[
    "edit_index",
    "op",
    "position",
    "new_content",
    "blank_lines",
    "indent",
    "name",
    "allow",
    "root",
    "range",
    "include_attached",
    "line",
    "column",
    "symbol",
    "lines",
    "kind",
    "max_items",
    "cursor",
    "apply",
    "project",
    "tools",
    "no_server",
    "hook",
    "diagnostics",
    "instructions",
    "remove_backups",
    "write",
];

/// What follows a field that is set, and not an option.
const SET: &str = ": true";

/// Fields that are also common words. They are translated only if the sentence uses them as
/// arguments.
const NAMED: &[&str] = &[
    "allow", "find", "indent", "nth", "outward", "position", "sibling",
];
/// The same for a search, whose arguments all have such names.
const NAMED_IN_SEARCH: &[&str] = &["name", "pattern", "query", "regex", "text"];

/// The tools that take `find` or `pattern`, in addition to the tools that edit nodes.
const TAKE_FIND: &[&str] = &["replace_text", "amend_edit"];

fn option(field: &str) -> Option<&'static str> {
    let found = OPTIONS.iter().find(|(name, _)| *name == field);
    found.map(|(_, option)| *option)
}

/// Returns the command that makes a tool's call from the same directory, with these `--root`.
pub(super) fn command(roots: &[Utf8PathBuf], tool: &str, arguments: &Value) -> String {
    let mut words = vec!["treegraft".to_string()];
    // Some calls contain their roots.
    let roots = roots.iter().filter(|_| arguments["root"].is_null());
    for root in roots {
        words.extend(["--root".to_string(), quoted(root.as_str())]);
    }
    words.push(verb(tool).unwrap_or(tool).to_string());
    push_arguments(&mut words, tool, arguments);
    words.join(" ")
}

/// Returns a sentence of a refusal of `tool` with verbs instead of tools and options instead of
/// fields. Does not change quoted text, nor the fields of `edit`, whose argument is JSON.
pub(super) fn sentence(tool: &str, text: &str) -> String {
    let mut sentence = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = match quoted_len(rest) {
            Some(len) => len,
            None => match word_of(rest) {
                "" => first.len_utf8(),
                word => {
                    let after = &rest[word.len()..];
                    let own = in_sentence(tool, &sentence, word, after);
                    rest = match &own {
                        Some(own) if own.starts_with("--") => push_value(&mut sentence, own, after),
                        own => {
                            sentence.push_str(own.as_deref().unwrap_or(word));
                            after
                        }
                    };
                    continue;
                }
            },
        };
        sentence.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    sentence
}

/// Returns the length of the quoted text at the start, or `None` if there is none.
fn quoted_len(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| ['"', '`'].contains(c))?;
    let mut is_escaped = false;
    let mut inner = text.char_indices().skip(1);
    let end = inner.find(|(_, c)| {
        let is_end = *c == quote && !is_escaped;
        is_escaped = quote == '"' && *c == '\\' && !is_escaped;
        is_end
    });
    end.map(|(at, _)| at + 1)
}

/// Returns the word at the start, which may be a path.
fn word_of(text: &str) -> &str {
    let is_of_word = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    let end = text.find(|c| !is_of_word(c)).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', '-', '/'])
}

/// Returns the word of the command line for `word`, which appears between `before` and `after`.
fn in_sentence(tool: &str, before: &str, word: &str, after: &str) -> Option<String> {
    let is_json = tool == "edit_nodes";
    if tool == "rewrite" && word == "new_content" {
        return Some("REPLACEMENT".to_string());
    }
    let field = word.strip_prefix("selector.").unwrap_or(word);
    if let Some(verb) = verb(word).filter(|_| word.contains('_')) {
        // `replace_text` is also an operation in the JSON.
        let is_operation = is_json && word == "replace_text";
        return (!is_operation).then(|| format!("treegraft {verb}"));
    }
    let is_field = match field {
        _ if is_json => ["allow", "indent"].contains(&field) && after.starts_with(": "),
        "complete" | "imports" | "unused" => after.starts_with(SET),
        "to" => before.is_empty() && after.starts_with(':'),
        _ if field.contains('_') || field != word => true,
        _ => is_named(tool, before, field, after),
    };
    option(field).filter(|_| is_field).map(str::to_string)
}

/// Returns whether a common word names an argument: at the start of a clause, or in a list.
fn is_named(tool: &str, before: &str, field: &str, after: &str) -> bool {
    let is_known = match tool {
        "find_nodes" => NAMED_IN_SEARCH.contains(&field),
        // The find of a locator and the pattern of a rewrite are no options.
        _ if field == "find" || field == "pattern" => {
            tool.ends_with("_node") || TAKE_FIND.contains(&tool)
        }
        _ => NAMED.contains(&field),
    };
    if !is_known || before.ends_with('@') {
        return false;
    }
    let is_start = before.is_empty() || before.ends_with(": ") || before.ends_with("; ");
    let is_listed = [", ", " and ", " or "]
        .iter()
        .any(|one| before.ends_with(one));
    let is_text = tool != "find_nodes" && ["find", "pattern"].contains(&field);
    is_start || is_listed && !is_text || after.starts_with([',', ':'])
}

/// Appends an option, and its value if a JSON value follows. Returns the rest of the sentence.
fn push_value<'t>(sentence: &mut String, option: &str, after: &'t str) -> &'t str {
    sentence.push_str(option);
    if let Some(rest) = after.strip_prefix(SET) {
        return rest;
    }
    let Some(value) = after.strip_prefix(": ") else {
        return after;
    };
    let (value, end) = match value.strip_prefix("[\"") {
        Some(value) => (value, "\"]"),
        None => (value.strip_prefix('"').unwrap_or_default(), "\""),
    };
    match value.split_once(end) {
        Some((value, rest)) => {
            sentence.push(' ');
            sentence.push_str(value);
            rest
        }
        None => after,
    }
}

/// Returns the verb of a tool.
fn verb(tool: &str) -> Option<&'static str> {
    tools::tool(tool).map(|tool| tool.verb)
}

/// Appends the words that follow the verb of a tool's call.
fn push_arguments(words: &mut Vec<String>, tool: &str, arguments: &Value) {
    if tool == "rewrite" {
        push_rewrite(words, arguments);
        return;
    }
    for name in POSITIONAL {
        match &arguments[*name] {
            // The file is already that of the edit.
            Value::String(file) if tool == "amend_edit" && *name == "file_path" => {
                words.extend(["--file".to_string(), quoted(file)]);
            }
            // A path must not look like an option. Edit ids start with a letter.
            Value::String(path) if path.starts_with('-') => {
                words.push(quoted(&format!("./{path}")))
            }
            Value::String(value) => words.push(quoted(value)),
            locate @ Value::Object(_) => push_locate(words, locate),
            _ => {}
        }
    }
    if tool == "describe" {
        let position = position_text(&arguments["position"]);
        words.extend(position.or_else(|| range_text(&arguments["range"])));
        return;
    }
    push_selector(words, &arguments["selector"]);
    // replace_text has the fields of its selector next to its other arguments.
    push_selector(words, arguments);
    push_destination(words, &arguments["to"]);
    if tool == "amend_edit" && arguments["edits"].is_array() {
        push_option(words, "edits", &json!(arguments["edits"].to_string()));
    }
    if tool == "amend_edit" && arguments["selectors"].is_array() {
        // Only an object of --edits has several selectors.
        let index = arguments["edit_index"].as_u64().unwrap_or(0);
        let edits = json!([{"edit_index": index, "selectors": arguments["selectors"]}]);
        push_option(words, "edits", &json!(edits.to_string()));
        return;
    }
    for name in TRAILING {
        push_option(words, name, &option_value(name, &arguments[*name]));
    }
}

/// Returns the value of a field as its option takes it.
fn option_value(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("lines", Value::Array(pair)) => json!(joined(pair, "-")),
        ("blank_lines", Value::Object(_)) => {
            let number = |side: &str| {
                value[side]
                    .as_u64()
                    .map_or(String::new(), |n| n.to_string())
            };
            json!(format!("{},{}", number("before"), number("after")))
        }
        ("range", Value::Object(_)) => json!(range_text(value)),
        _ => value.clone(),
    }
}

fn joined(pair: &[Value], separator: &str) -> String {
    let pair: Vec<String> = pair.iter().map(Value::to_string).collect();
    pair.join(separator)
}

/// Appends the pattern and the replacement of a rewrite, or its rule, the paths and what limits its matches.
fn push_rewrite(words: &mut Vec<String>, arguments: &Value) {
    if arguments["rule"].is_string() {
        push_option(words, "rule", &arguments["rule"]);
        push_option(words, "fix", &arguments["new_content"]);
    } else {
        let texts = [&arguments["pattern"], &arguments["new_content"]];
        words.extend(texts.into_iter().filter_map(Value::as_str).map(quoted));
    }
    let paths = match &arguments["path"] {
        Value::Array(paths) => paths.as_slice(),
        path => std::slice::from_ref(path),
    };
    words.extend(paths.iter().filter_map(Value::as_str).map(quoted));
    for name in ["language", "reading", "quotes", "outermost"] {
        push_option(words, name, &arguments[name]);
    }
}

/// Appends a locator in object form, which may select one of several matches or allow similar text.
fn push_locate(words: &mut Vec<String>, locate: &Value) {
    if let Ok(LocateArgument(question)) = serde_json::from_value(locate.clone()) {
        words.push(quoted(&question.locate.to_string()));
        push_option(words, "find_index", &json!(question.find_index));
        push_option(words, "fuzzy", &json!(question.fuzzy));
    }
}

/// Returns a position such as `42:10`.
fn position_text(position: &Value) -> Option<String> {
    let position = serde_json::from_value::<PositionArgument>(position.clone());
    position.ok().map(|position| point_text(position.at))
}

/// Returns a range such as `42:10-43:5`.
fn range_text(range: &Value) -> Option<String> {
    let range = serde_json::from_value::<RangeArgument>(range.clone()).ok()?;
    Some(format!(
        "{}-{}",
        point_text(range.start),
        point_text(range.end)
    ))
}

fn point_text(at: LineAndCharacter) -> String {
    match at.character {
        Some(character) => format!("{}:{character}", at.line),
        None => at.line.to_string(),
    }
}

/// Appends an option, once for each of its values. A flag that is true has no value.
fn push_option(words: &mut Vec<String>, name: &str, value: &Value) {
    let option = option(name).unwrap_or(name).to_string();
    match value {
        Value::Array(many) => many.iter().for_each(|one| push_option(words, name, one)),
        Value::String(text) => words.extend([option, quoted(text)]),
        Value::Number(number) => words.extend([option, number.to_string()]),
        Value::Bool(true) => words.push(option),
        Value::Bool(false) | Value::Null | Value::Object(_) => {}
    }
}

/// Appends the destination of a move; for `amend_edit`, perhaps only its selector.
fn push_destination(words: &mut Vec<String>, to: &Value) {
    let Some(object) = to.as_object() else {
        return;
    };
    let selector = object.get("selector").unwrap_or(to);
    let short = serde_json::from_value::<ShortSelector>(selector.clone());
    let short = match short.map(|short| json!(short)) {
        Ok(Value::String(short)) => short,
        _ => selector.to_string(),
    };
    push_option(words, "to", &Value::String(short));
    if let Some(file) = to["file_path"].as_str() {
        words.extend(["--to-file".to_string(), quoted(file)]);
    }
    push_option(words, "position", &to["position"]);
}

fn push_selector(words: &mut Vec<String>, selector: &Value) {
    for name in ["anchor_text", "find", "pattern", "ancestor_node_type"] {
        push_option(words, name, &selector[name]);
    }
    if let Some(path) = selector["scope"]["symbol_path"].as_array() {
        let scope = treegraft::locate::SymbolScope {
            symbol_path: path
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_string)
                .collect(),
        };
        push_option(words, "symbol_path", &Value::String(scope.to_string()));
    }
    match &selector["scope"]["line"] {
        Value::Null => {}
        Value::Array(pair) => words.extend(["--lines".to_string(), joined(pair, ",")]),
        line => words.extend(["--lines".to_string(), line.to_string()]),
    }
    for name in ["nth", "outward", "sibling"] {
        push_option(words, name, &selector[name]);
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:,=".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tool: &str, text: &str, expected: &str) {
        assert_eq!(sentence(tool, text), expected);
    }

    #[test]
    fn tools_and_fields_become_verbs_and_options() {
        let tool = "replace_node";
        check(
            tool,
            "list_edits shows those",
            "treegraft edits shows those",
        );
        check(
            tool,
            "give a longer anchor_text, or a scope",
            "give a longer --anchor, or a scope",
        );
        check(tool, "find \"a\" not found", "--find \"a\" not found");
        check(
            tool,
            "to: find \"a\" not found",
            "--to: --find \"a\" not found",
        );
        check(tool, "selector.nth counts from 1", "--nth counts from 1");
        check(
            tool,
            "correct new_content, or pass allow: [\"syntax_errors\"]",
            "correct --content, or pass --allow syntax_errors",
        );
        check(
            "rename_symbol",
            "pass allow: [\"incomplete\"] with complete: true, to complete it",
            "pass --allow incomplete with --complete, to complete it",
        );
        check(
            tool,
            "pass indent: \"verbatim\" with new_content",
            "pass --indent verbatim with --content",
        );
        check(
            "rewrite",
            "new_content has `$B`, which the pattern does not capture",
            "REPLACEMENT has `$B`, which the pattern does not capture",
        );
        check(
            "delete_node",
            "pattern \"f($A)\" matches 2 nodes",
            "--pattern \"f($A)\" matches 2 nodes",
        );
        check(
            "find_nodes",
            "find_nodes needs one of text, regex, node_type, name, query and pattern",
            "treegraft find needs one of --text, --regex, --type, --name, --query and --pattern",
        );
    }

    #[test]
    fn quoted_text_paths_and_common_words_stay() {
        for text in [
            "anchor \"a \\\" new_content: \\\\\" and `list_edits` in src/list_edits.rs",
            "an unclosed \" and `",
            "the file does not allow it; go to the line, or find it again",
            "allow: [\"never closed",
            "{\"new_content\": \"x\"}",
        ] {
            let kept = text.replace("allow: [", "--allow: [");
            check("delete_node", text, &kept);
        }
        check(
            "locate",
            "write it as path:scope@find, as here",
            "write it as path:scope@find, as here",
        );
        check("locate", "find \"a\" not found", "find \"a\" not found");
    }

    #[test]
    fn several_selectors_and_patterns_have_their_options() {
        let amended = |arguments: Value| command(&[], "amend_edit", &arguments);
        assert_eq!(
            amended(json!({"edit_id": "e1", "selectors": ["call@h()"]})),
            "treegraft amend e1 --edits '[{\"edit_index\":0,\"selectors\":[\"call@h()\"]}]'"
        );
        assert_eq!(
            amended(json!({"edit_id": "e1", "selector": {"pattern": "f($A)"}})),
            "treegraft amend e1 --pattern 'f($A)'"
        );
    }

    #[test]
    fn the_fields_of_json_stay() {
        let text = "edits[0]: replace_text takes find and anchor_text; amend_edit changes it";
        let expected =
            "edits[0]: replace_text takes find and anchor_text; treegraft amend changes it";
        check("edit_nodes", text, expected);
        check(
            "edit_nodes",
            "pass allow: [\"surroundings\"]",
            "pass --allow surroundings",
        );
    }
}
