//! Expresses a change of a file as calls of treegraft's tools, as an agent would make it, and makes the calls.

pub(crate) mod candidates;
pub(crate) mod content;
pub(crate) mod finds;
pub(crate) mod nodes;

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use treegraft::edit::InsertPosition;
use treegraft::engine::Engine;
use treegraft::engine::on_text::OneText;
use treegraft::engine::request::SelectorArgument;
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::select::{self, Anchor, Selector};
use treegraft::source::{Source, Span};

use crate::history::Hunk;
use crate::text::without_whitespace;

/// The codes of all checks that a caller can allow to fail.
pub(crate) const ALLOW: [&str; 3] = ["syntax_errors", "surroundings", "suspicious_content"];

/// A hunk alone, with the text before it and the text after it.
#[derive(Clone, Copy)]
pub(crate) struct Site<'p> {
    pub(crate) path: &'p str,
    pub(crate) before: &'p Parsed,
    pub(crate) wanted: &'p Parsed,
    pub(crate) hunk: &'p Hunk,
    /// The node types of the language whose lines keep their bytes.
    pub(crate) strings: &'p HashSet<String>,
}

impl<'p> Site<'p> {
    pub(crate) fn old_text(&self) -> &'p str {
        self.before.source().text()
    }

    pub(crate) fn new_text(&self) -> &'p str {
        self.wanted.source().text()
    }

    /// Returns whether a find selects just this text.
    pub(crate) fn selects(&self, find: &str, target: Span) -> bool {
        let selector = Selector {
            anchor: Anchor::Part(find.to_string()),
            ..Selector::part(find)
        };
        let selected = select::select(self.before, &selector);
        selected.is_ok_and(|selection| selection.span() == target)
    }
}

/// A tool with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

impl Call {
    /// Returns a call that replaces a text.
    pub(crate) fn of_text(path: &str, find: &str, content: &str) -> Call {
        Call {
            tool: "replace_text",
            arguments: json!({"file_path": path, "find": find, "new_content": content}),
        }
    }
}

/// What a call did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The bytes of the commit.
    Exact,
    /// Other bytes: what differs, and the text.
    Wrong(&'static str, String),
    /// A refusal: its code and its text.
    Refused(&'static str, String),
}

/// Makes a call on a text and compares the result with the expected text.
pub(crate) fn run(before: &Parsed, wanted: &str, call: &Call) -> Outcome {
    let source = before.source();
    let text = OneText::new(Some(source.path()), None, source.text().into());
    let answered = text.and_then(|text| text.call(call.tool, call.arguments.clone()));
    let after = match answered {
        Err(refused) => return Outcome::Refused(refused.code().as_str(), refused.text()),
        Ok(answer) => answer.after.map(|after| after.text().to_string()),
    };
    let after = after.unwrap_or_default();
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.lines().filter(|line| !line.trim().is_empty())
    }
    match after == wanted {
        true => Outcome::Exact,
        false if lines(&after).eq(lines(wanted)) => Outcome::Wrong("blank lines", after),
        false if without_whitespace(&after) == without_whitespace(wanted) => {
            Outcome::Wrong("whitespace", after)
        }
        false => Outcome::Wrong("other bytes", after),
    }
}

/// Returns the size of a call's arguments in bytes.
pub(crate) fn bytes(arguments: &Value) -> usize {
    arguments.to_string().len()
}

/// Returns the argument `position` of an insertion.
pub(crate) fn position_name(position: InsertPosition) -> &'static str {
    match position {
        InsertPosition::Before => "before",
        InsertPosition::After => "after",
        InsertPosition::FirstChild => "first_child",
        InsertPosition::LastChild => "last_child",
    }
}

/// Returns a selector as an argument: as one string if that is equivalent.
pub(crate) fn selector_argument(selector: &Selector) -> Value {
    let own = SelectorArgument(selector.clone());
    if let ([node_type], Anchor::Text(anchor)) =
        (&selector.ancestor_node_type[..], &selector.anchor)
    {
        let scope = selector.scope.as_ref().map(|scope| format!("{scope}:"));
        let string = Value::String(format!("{}{node_type}@{anchor}", scope.unwrap_or_default()));
        let read = serde_json::from_value::<SelectorArgument>(string.clone());
        if read.is_ok_and(|read| read == own) {
            return string;
        }
    }
    json!(own)
}

pub(crate) fn parse(path: &str, text: &str) -> Parsed {
    let language = language::for_file(path, text);
    Parsed::parse(Source::new(path, language, text.to_string()))
}

/// By language the node types whose lines keep their bytes: strings.
#[derive(Default)]
pub(crate) struct Strings(HashMap<&'static str, HashSet<String>>);

impl Strings {
    pub(crate) fn for_file(&mut self, parsed: &Parsed) -> &HashSet<String> {
        let language = parsed.source().language().name;
        let own = self.0.entry(language);
        own.or_insert_with(|| string_types(language))
    }
}

fn string_types(language: &str) -> HashSet<String> {
    // The position of a YAML block or plain scalar determines its indentation. Concatenated strings are code.
    const MOVED: [&str; 3] = ["block", "concatenated", "scalar"];
    let listed = Engine::node_types(language).map(|listed| listed.node_types);
    let types = listed.unwrap_or_default().into_iter().filter(|one| {
        let has = |word: &&str| one.node_type.contains(*word);
        let is_string = one.general_words.iter().any(|word| word == "string");
        !MOVED.iter().any(has) && (is_string || ["string", "CDSect"].iter().any(has))
    });
    types.map(|one| one.node_type).collect()
}
