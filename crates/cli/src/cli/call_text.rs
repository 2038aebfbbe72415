//! Prints the calls that an answer suggests as commands.
//!
//! An option has the name of its field, so that only positional arguments and the three short forms are listed here.

use camino::Utf8PathBuf;
use serde_json::{Map, Value, json};

use treegraft::engine::TEXT_SHOWN;
use treegraft::engine::request::coordinates::{LineAndCharacter, PositionArgument, RangeArgument};
use treegraft::engine::request::{LocateArgument, ScopeArgument, SelectorArgument, ShortSelector};
use treegraft::engine::tools;
use treegraft::locate;

/// The options whose names are shorter than those of their fields.
const SHORT_OPTIONS: &[(&str, &str)] = &[
    ("anchor_text", "anchor"),
    ("ancestor_node_type", "ancestor"),
    ("new_content", "content"),
];
/// The fields that are positional arguments, in their order.
const POSITIONAL: &[&str] = &[
    "client",
    "edit_id",
    "pattern",
    "find",
    "new_content",
    "path",
    "query",
    "position",
    "new_name",
];
/// The tools for which `find` and `new_content`, or `pattern` and `new_content`, are positional arguments.
const TAKE_CONTENT_FIRST: &[&str] = &["replace_text", "rewrite"];

/// Returns the command that makes a tool's call from the same directory, with these `--root`. Without a tool, returns
/// only the options; without arguments (null), only the command.
pub(super) fn command(roots: &[Utf8PathBuf], tool: &str, arguments: &Value) -> String {
    let mut command = Command {
        words: Vec::new(),
        tool,
    };
    if tool.is_empty() {
        command.push_arguments(arguments.as_object().cloned().unwrap_or_default());
        return command.words.join(" ");
    }
    command.words.push("treegraft".to_string());
    let roots = match arguments {
        Value::Null => &[],
        _ => roots,
    };
    // Some calls contain their roots.
    for root in roots.iter().filter(|_| arguments["root"].is_null()) {
        command.push(["--root", root.as_str()]);
    }
    let verb = tools::tool(tool).map_or(tool, |tool| tool.verb);
    command.words.extend(verb.split(' ').map(str::to_string));
    if let Some(arguments) = arguments.as_object() {
        command.push_arguments(arguments.clone());
    }
    command.words.join(" ")
}

/// A command line in the making.
struct Command<'a> {
    words: Vec<String>,
    tool: &'a str,
}

impl Command<'_> {
    fn push<'w>(&mut self, words: impl IntoIterator<Item = &'w str>) {
        self.words.extend(words.into_iter().map(quoted));
    }

    /// Appends the positional arguments and the options.
    fn push_arguments(&mut self, mut arguments: Map<String, Value>) {
        if self.tool == "read_node" && arguments.get("max_bytes") == Some(&json!(TEXT_SHOWN)) {
            // The default of the command.
            arguments.remove("max_bytes");
        }
        if self.tool == "amend_edit" && arguments.contains_key("selectors") {
            // Only an object of --edits has several selectors.
            let index = arguments.remove("edit_index").unwrap_or(json!(0));
            let selectors = arguments.remove("selectors");
            arguments.insert(
                "edits".to_string(),
                json!([{"edit_index": index, "selectors": selectors}]),
            );
        }
        let place = self.take_place(&mut arguments);
        for name in POSITIONAL {
            let is_option = match *name {
                "find" | "pattern" | "new_content" => !TAKE_CONTENT_FIRST.contains(&self.tool),
                _ => false,
            };
            if !is_option && let Some(value) = arguments.remove(*name) {
                self.push_positional(name, &value);
            }
        }
        self.words.extend(place);
        if let Some(to) = arguments.remove("to") {
            self.push_destination(&to);
        }
        for (name, value) in &arguments {
            self.push_option(name, value);
        }
    }

    /// Takes the place out of the arguments: the file with the selector, the locator or the position. Parts of a selector
    /// that a place cannot have become arguments.
    fn take_place(&self, arguments: &mut Map<String, Value>) -> Option<String> {
        if let Some(locate) = arguments.remove("locate") {
            return Some(quoted(&locate_text(&locate, arguments)));
        }
        let file_field = match self.tool {
            // The file is already that of the edit.
            "amend_edit" => None,
            _ if arguments.contains_key("file") => Some("file"),
            _ => Some("file_path")
                .filter(|field| arguments.get(*field).is_some_and(Value::is_string)),
        };
        let file = file_field.and_then(|field| arguments.remove(field));
        let rest = match (self.tool, arguments.remove("selector")) {
            (_, Some(selector)) => selector_text(&selector, arguments),
            ("replace_text", _) => take_scope(arguments),
            ("locate", _) => {
                let range = arguments
                    .remove("range")
                    .and_then(|range| range_text(&range));
                range.or_else(|| position_text(&arguments.remove("position")?))
            }
            _ => take_line(arguments),
        };
        let rest = rest.unwrap_or_default();
        let place = match (file.as_ref().and_then(Value::as_str), &*rest) {
            (None, "") => return None,
            (None, rest) => rest.to_string(),
            (Some(file), "") => locate::join_path(file, ""),
            (Some(file), rest) if rest.starts_with('@') => locate::join_path(file, rest),
            (Some(file), rest) => locate::join_path(file, &format!(":{rest}")),
        };
        // A place must not look like an option.
        Some(quoted(&match place.starts_with('-') {
            true => format!("./{place}"),
            false => place,
        }))
    }

    fn push_positional(&mut self, name: &str, value: &Value) {
        match value {
            Value::Array(many) => many.iter().for_each(|one| self.push_positional(name, one)),
            // A path must not look like an option. Edit ids start with a letter.
            Value::String(path) if name == "path" && path.starts_with('-') => {
                self.push([&*format!("./{path}")]);
            }
            Value::String(text) => self.push([&**text]),
            other => self.push([&*other.to_string()]),
        }
    }

    /// Appends the destination of a move: its place and the position.
    fn push_destination(&mut self, to: &Value) {
        let Some(object) = to.as_object() else {
            return self.push_option("to", to);
        };
        let mut others = Map::new();
        let selector = selector_text(object.get("selector").unwrap_or(to), &mut others);
        let place = match selector.filter(|_| others.is_empty()) {
            Some(selector) => {
                let path = object.get("file_path").and_then(Value::as_str);
                locate::join_path(path.unwrap_or_default(), &format!(":{selector}"))
            }
            None => object.get("selector").unwrap_or(to).to_string(),
        };
        self.push_option("to", &json!(place));
        for name in ["position", "create"] {
            self.push_option(name, &to[name]);
        }
    }

    /// Appends an option, once for each of its values. A flag that is true has no value.
    fn push_option(&mut self, name: &str, value: &Value) {
        let short = SHORT_OPTIONS.iter().find(|(field, _)| *field == name);
        let name = short.map_or(name, |(_, option)| option);
        let option = format!("--{}", name.replace('_', "-"));
        match option_value(name, value) {
            Value::Object(modules) if name == "imports" => {
                let modules = modules.iter();
                let modules: Vec<String> = modules
                    .map(|(name, module)| format!("{name}={}", module.as_str().unwrap_or_default()))
                    .collect();
                self.words
                    .push(format!("{option}={}", quoted(&modules.join(","))));
            }
            Value::Array(many) => {
                for one in &many {
                    self.push_option(name, one);
                }
            }
            Value::String(text) => self.push([&*option, &*text]),
            Value::Number(number) => self.push([&*option, &*number.to_string()]),
            Value::Bool(true) => self.push([&*option]),
            Value::Bool(false) | Value::Null => {}
            object @ Value::Object(_) => self.push([&*option, &*object.to_string()]),
        }
    }
}

/// Returns the value of a field as its option takes it.
fn option_value(name: &str, value: &Value) -> Value {
    match (name, value) {
        ("edits", list) => json!(list.to_string()),
        ("lines", Value::Array(pair)) => {
            let pair: Vec<String> = pair.iter().map(Value::to_string).collect();
            json!(pair.join("-"))
        }
        ("blank_lines", Value::Object(_)) => {
            let number = |side: &str| {
                value[side]
                    .as_u64()
                    .map_or(String::new(), |n| n.to_string())
            };
            json!(format!("{},{}", number("before"), number("after")))
        }
        ("range", Value::Object(_)) => json!(range_text(value)),
        ("scope", scope) => json!(scope_text(scope)),
        _ => value.clone(),
    }
}

/// Returns the text of a selector in a place, if it has one. Its other fields become arguments.
fn selector_text(selector: &Value, arguments: &mut Map<String, Value>) -> Option<String> {
    let read = serde_json::from_value::<SelectorArgument>(selector.clone());
    let Ok(SelectorArgument(mut selector)) = read else {
        // An amendment may change only a part of a selector.
        arguments.extend(selector.as_object().cloned().unwrap_or_default());
        return None;
    };
    let fields = json!(SelectorArgument(selector.clone()));
    (selector.nth, selector.outward, selector.sibling) = (None, 0, 0);
    let short = match json!(ShortSelector(selector)) {
        Value::String(short) => Some(short),
        _ => None,
    };
    let fields = fields.as_object().into_iter().flatten();
    let others = fields.filter(|(name, _)| {
        short.is_none() || ["nth", "outward", "sibling"].contains(&name.as_str())
    });
    arguments.extend(others.map(|(name, value)| (name.clone(), value.clone())));
    short
}

/// Returns the text of a locator, which may select one of several matches or allow similar text.
fn locate_text(locate: &Value, arguments: &mut Map<String, Value>) -> String {
    let Ok(LocateArgument(question)) = serde_json::from_value(locate.clone()) else {
        return locate.as_str().unwrap_or_default().to_string();
    };
    if let Some(index) = question.find_index {
        arguments.insert("find_index".to_string(), json!(index));
    }
    arguments.insert("fuzzy".to_string(), json!(question.fuzzy));
    question.locate.to_string()
}

fn take_scope(arguments: &mut Map<String, Value>) -> Option<String> {
    scope_text(&arguments.remove("scope")?)
}

/// Returns a scope as a place has it.
fn scope_text(scope: &Value) -> Option<String> {
    let read = serde_json::from_value::<ScopeArgument>(scope.clone());
    read.ok()?.0.map(|scope| scope.to_string())
}

/// Takes a line, and a character or a name on it, out of the arguments.
fn take_line(arguments: &mut Map<String, Value>) -> Option<String> {
    let [line, column, symbol] = ["line", "column", "symbol"].map(|name| arguments.remove(name));
    let line = line?;
    Some(match (column, symbol.as_ref().and_then(Value::as_str)) {
        (_, Some(symbol)) => format!("{line}@{symbol}"),
        (Some(column), None) => format!("{line}:{column}"),
        (None, None) => line.to_string(),
    })
}

/// Returns a position such as `42:10`.
fn position_text(position: &Value) -> Option<String> {
    let position = serde_json::from_value::<PositionArgument>(position.clone());
    position.ok().map(|position| point_text(position.at))
}

/// Returns a range such as `42:10-43:5`.
fn range_text(range: &Value) -> Option<String> {
    let range = serde_json::from_value::<RangeArgument>(range.clone()).ok()?;
    let (start, end) = (point_text(range.start), point_text(range.end));
    Some(format!("{start}-{end}"))
}

fn point_text(at: LineAndCharacter) -> String {
    match at.character {
        Some(character) => format!("{}:{character}", at.line),
        None => at.line.to_string(),
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

    #[track_caller]
    fn check(tool: &str, arguments: Value, expected: &str) {
        assert_eq!(command(&[], tool, &arguments), expected);
    }

    #[test]
    fn a_file_and_a_selector_are_a_place() {
        let selector = json!({"anchor_text": "POST", "ancestor_node_type": "match_arm", "nth": 2});
        check(
            "delete_node",
            json!({"file_path": "src/a.rs", "selector": selector, "apply": true}),
            "treegraft delete 'src/a.rs:match_arm@POST' --apply --nth 2",
        );
        check(
            "replace_text",
            json!({"file_path": "a.rs", "scope": {"line": [1, 2]}, "find": "a b", "new_content": "c"}),
            "treegraft text 'a b' c a.rs:1,2",
        );
        check(
            "move_node",
            json!({
                "file_path": "a.rs", "selector": "f",
                "to": {"file_path": "b.rs", "selector": "@x", "position": "after"}
            }),
            "treegraft move a.rs:f --to 'b.rs:@x' --position after",
        );
        check(
            "hover",
            json!({"file": "a.py", "line": 3, "symbol": "x"}),
            "treegraft lsp hover 'a.py:3@x'",
        );
    }

    #[test]
    fn an_amendment_has_the_file_of_its_edit() {
        check(
            "amend_edit",
            json!({"edit_id": "e1", "selectors": ["call@h()"]}),
            "treegraft amend e1 --edits '[{\"edit_index\":0,\"selectors\":[\"call@h()\"]}]'",
        );
        check(
            "amend_edit",
            json!({"edit_id": "e1", "file_path": "b.rs", "selector": {"pattern": "f($A)"}}),
            "treegraft amend e1 --pattern 'f($A)' --file-path b.rs",
        );
    }
}
