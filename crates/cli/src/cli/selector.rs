//! The arguments that point at code: places as strings, or a path and the parts of a selector as options.
//!
//! A place is `path:scope:type@text`. The engine reads it; only the path is split off here, to combine it with options
//! and to repeat a call for several files.

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value, json};

use treegraft::diagnostic::{Diagnostic, about_arguments, about_locate_syntax};
use treegraft::engine::Engine;
use treegraft::engine::request::SelectorArgument;
use treegraft::locate;

use crate::user_files;

/// The field that holds the places until they are arguments of a tool.
pub(super) const PLACES: &str = "places";

#[derive(Debug, Args, Serialize)]
pub(super) struct PlaceOptions {
    /// Place: path:scope:type@text. The path may be a glob, and all other parts are optional: a path and a
    /// symbol (src/api.rs:Server.handle), or a path and options
    #[arg(value_name = "PLACE", required = true)]
    places: Vec<String>,
    #[command(flatten)]
    #[serde(rename = "selector")]
    parts: SelectorOptions,
}

#[derive(Debug, Args, Serialize)]
pub(super) struct SelectorOptions {
    /// Select by this exact text in the node
    #[arg(
        long = "anchor",
        alias = "anchor-text",
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "find"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor_text: Option<String>,
    /// Select by a text whose whitespace may differ, instead of --anchor; <|> marks a token of it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    find: Option<String>,
    /// Select by the code of the node, in which $NAME matches one node and $$$NAME any number; needs
    /// no type
    #[arg(
        long,
        value_name = "CODE",
        allow_hyphen_values = true,
        conflicts_with_all = ["anchor_text", "find"]
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// Set the node type, or a general word: function, class, argument, ... (repeatable)
    #[arg(long = "ancestor", alias = "ancestor-node-type", value_name = "TYPE")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ancestor_node_type: Vec<String>,
    /// Search only in this symbol (Server.handle) or in these lines (10-20); a symbol alone is selected itself
    #[arg(long, alias = "lines", value_name = "SCOPE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// Select the N-th of several matching nodes, from 1
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    nth: Option<usize>,
    /// Select the N-th enclosing node of the same type
    #[arg(long, value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    outward: Option<usize>,
    /// Select the N-th named sibling after the node, or before it if N is negative
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    sibling: Option<isize>,
}

/// The places of a command, and the parts of a selector that its options give.
#[derive(Debug)]
pub(super) struct Places {
    places: Vec<Place>,
    parts: Map<String, Value>,
}

/// A path, which may be a glob, and the selector in the files with this path.
#[derive(Debug)]
struct Place {
    path: String,
    selector: Option<Value>,
}

impl Places {
    /// Takes the places out of the arguments of a verb, if it has some.
    ///
    /// # Errors
    /// A place has no path, or the options repeat a part of it.
    pub(super) fn take(arguments: &mut Map<String, Value>) -> Result<Option<Places>, Diagnostic> {
        let Some(Value::Array(places)) = arguments.shift_remove(PLACES) else {
            return Ok(None);
        };
        let mut parts = match arguments.shift_remove("selector") {
            Some(Value::Object(parts)) => parts,
            _ => Map::new(),
        };
        // The text verb has no selector: find and scope are its arguments.
        for name in ["find", "scope"] {
            parts.extend(arguments.shift_remove_entry(name));
        }
        let places = places.iter().filter_map(Value::as_str);
        let places = places.map(|place| Place::read(place, &parts));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        let strays = places.iter().skip(1).find(|place| place.is_stray());
        match strays {
            Some(stray) => Err(stray.refused(&places[0], &parts)),
            None => Ok(Some(Places { places, parts })),
        }
    }

    /// Returns the file and the selector, if the command names one file.
    pub(super) fn single(&self) -> Option<Map<String, Value>> {
        match &*self.places {
            [place] if !has_wildcard(&place.path) => Some(place.arguments()),
            _ => None,
        }
    }

    /// Returns the arguments for each file of the places, with those `given` for all.
    pub(super) fn of_files(
        &self,
        engine: &Engine,
        given: &Map<String, Value>,
    ) -> Vec<Map<String, Value>> {
        let mut all = Vec::new();
        for place in &self.places {
            // The call explains why a path names no file.
            let own = || vec![place.path.clone()];
            let paths = match has_wildcard(&place.path) {
                true => engine.files(&place.path).unwrap_or_else(|_| own()),
                false => own(),
            };
            all.extend(paths.into_iter().map(|path| {
                let mut arguments = given.clone();
                arguments.extend(place.arguments());
                arguments.insert("file_path".to_string(), json!(path));
                arguments
            }));
        }
        all
    }

    /// Returns the files and selectors of all places. Places without a selector of their own are combined.
    pub(super) fn all(&self) -> Vec<Map<String, Value>> {
        let (bare, own): (Vec<&Place>, Vec<&Place>) = self
            .places
            .iter()
            .partition(|place| place.selector == self.selector());
        let mut all: Vec<_> = own.iter().map(|place| place.arguments()).collect();
        if let Some(first) = bare.first() {
            let paths: Vec<&String> = bare.iter().map(|place| &place.path).collect();
            let mut combined = first.arguments();
            combined.insert("file_path".to_string(), json!(paths));
            all.insert(0, combined);
        }
        all
    }

    /// Returns the path of a place that selects nothing.
    pub(super) fn without_selector(&self) -> Option<&str> {
        let bare = self.places.iter().find(|place| place.selector.is_none());
        bare.map(|place| &*place.path)
    }

    /// Returns the selector that the options give.
    fn selector(&self) -> Option<Value> {
        (!self.parts.is_empty()).then(|| json!(self.parts))
    }
}

impl Place {
    /// Reads a place, to whose selector the options add `parts`.
    fn read(text: &str, parts: &Map<String, Value>) -> Result<Place, Diagnostic> {
        let (path, rest) = locate::split_path(text).map_err(|error| about_locate_syntax(&error))?;
        if path.is_empty() {
            return Err(about_arguments(format!("the place {text:?} has no path"))
                .help("write it as path:scope:type@text; everything after the path is optional"));
        }
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let selector = match (rest, parts.is_empty()) {
            ("" | "@", true) => None,
            ("" | "@", false) => Some(json!(parts)),
            (rest, true) => Some(json!(rest)),
            (rest, false) => Some(combined(rest, parts)?),
        };
        Ok(Place { path, selector })
    }

    /// Returns whether the word is rather a part of something else than a place: no file has its name.
    fn is_stray(&self) -> bool {
        let has_form_of_path = self.path.contains(['/', '\\', '.']) || has_wildcard(&self.path);
        !has_form_of_path && user_files::stamp(self.path.as_str().into()).is_none()
    }

    /// Refuses a word that follows a place and is none.
    fn refused(&self, place: &Place, parts: &Map<String, Value>) -> Diagnostic {
        let Place { path, selector } = self;
        let texts = ["anchor_text", "find", "pattern"].iter();
        let text = texts.filter_map(|name| parts.get(*name)?.as_str()).next();
        let refused = about_arguments(format!("{path:?} is neither a file nor a place"));
        match (text, selector) {
            (Some(text), _) => {
                refused.help(format!("put a text with spaces in quotes: '{text} {path}'"))
            }
            (None, Some(Value::String(selector))) => refused.help(format!(
                "join a path and what it holds with a colon: '{}:{path}{selector}'",
                place.path
            )),
            _ => refused.help(format!(
                "join a path and a symbol with a colon: '{}:{path}'",
                place.path
            )),
        }
    }

    fn arguments(&self) -> Map<String, Value> {
        let mut arguments = Map::new();
        arguments.insert("file_path".to_string(), json!(self.path));
        if let Some(selector) = &self.selector {
            arguments.insert("selector".to_string(), selector.clone());
        }
        arguments
    }
}

/// Returns the selector of a place with further parts.
fn combined(selector: &str, parts: &Map<String, Value>) -> Result<Value, Diagnostic> {
    // Lines alone select nothing, but are a scope.
    let own = match locate::parse_scope(selector) {
        Ok(Some(locate::Scope::Lines(_))) => Ok(json!({"scope": selector})),
        _ => serde_json::from_value(json!(selector)).map(|one: SelectorArgument| json!(one)),
    };
    let mut own = own.map_err(|error| about_arguments(error.to_string()))?;
    for (name, value) in parts {
        let is_text = ["anchor_text", "find", "pattern"].contains(&name.as_str());
        let (field, what) = match &**name {
            "ancestor_node_type" => (&**name, "type"),
            _ if is_text => ("text", "text"),
            name => (name, name),
        };
        if !own[field].is_null() {
            let message = format!("the {what} is given twice, in the place and by an option");
            return Err(about_arguments(message).help("leave out one of them"));
        }
        own[name] = value.clone();
    }
    Ok(own)
}

fn has_wildcard(path: &str) -> bool {
    treegraft::workspace::has_wildcard(path)
}
