//! The node that a verb is about: a selector in one string, its parts as options, or a symbol alone.
//!
//! Refuses options that name no node, and a symbol that does not exist or has several nodes.

use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use treegraft::diagnostic::{
    Code, Diagnostic, NextCall, SUGGESTIONS_MADE, Suggestion, about_arguments,
};
use treegraft::engine::request::{
    self, FindNodes, LocateArgument, ReadNode, ScopeArgument, SelectorArgument,
};
use treegraft::engine::response::{NodeFound, Refusal};
use treegraft::engine::{Engine, ITEMS_LIMIT};
use treegraft::locate::{Locate, Question, Scope, SymbolScope};
use treegraft::select::{Anchor, Selector};

pub(super) type Requested<T> = Result<T, Box<Refusal>>;

/// How many symbols with the same path are looked at.
const SYMBOLS_LOOKED_AT: usize = 2 * SUGGESTIONS_MADE;

#[derive(Debug, Args)]
pub(super) struct SelectorOptions {
    /// The node, as find prints it: [scope:][type]@text, or a selector as JSON
    #[arg(
        value_name = "SELECTOR",
        value_parser = read_selector,
        conflicts_with_all = ["anchor", "find", "ancestor", "symbol", "lines"]
    )]
    selector: Option<SelectorArgument>,
    /// Exact text in the node
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "find"
    )]
    anchor: Option<String>,
    /// Instead of --anchor: a pattern, white space may differ, <|> marks the token meant
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    find: Option<String>,
    /// The type of the node, or a general word (function, class, argument, ...)
    #[arg(long, value_name = "TYPE")]
    ancestor: Vec<String>,
    /// Look inside this symbol, for example Server.handle; alone it selects the symbol itself
    #[arg(long, value_name = "PATH", conflicts_with = "lines")]
    symbol: Option<String>,
    /// Look in these lines, for example 10-20
    #[arg(long, value_name = "LINES")]
    lines: Option<String>,
    /// Which of several candidates, from 1
    #[arg(long, value_name = "N")]
    nth: Option<usize>,
    /// The n-th next node of the type further out
    #[arg(long, value_name = "N")]
    outward: Option<usize>,
    /// The n-th named sibling after the node (before, if negative)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    sibling: Option<isize>,
}

/// The selector of a call, and why its symbol is not one node.
pub(super) struct SelectorTarget {
    pub(super) selector: SelectorArgument,
    refused: Option<Diagnostic>,
}

impl SelectorOptions {
    /// Returns whether no option names a node.
    pub(super) fn is_empty(&self) -> bool {
        self.selector.is_none() && self.anchor.is_none() && self.find.is_none() && !self.is_symbol()
    }

    /// Returns whether the options name a symbol alone, whose node is looked for in the file.
    pub(super) fn is_symbol(&self) -> bool {
        self.symbol.is_some()
            && self.anchor.is_none()
            && self.find.is_none()
            && self.ancestor.is_empty()
            && self.nth.is_none()
    }

    /// Returns the target of a call of `tool` in `file`.
    pub(super) fn target(
        self,
        tool: &'static str,
        engine: &Engine,
        file: &str,
    ) -> Requested<SelectorTarget> {
        if self.is_empty() {
            let message = "pass a selector, --anchor or --find; --symbol alone selects the symbol";
            let diagnostic = about_arguments(message);
            return Err(Box::new(Refusal::of_call(tool, Value::Null, diagnostic)));
        }
        let numbers = [
            ("nth", self.nth.map(Value::from)),
            ("outward", self.outward.map(Value::from)),
            ("sibling", self.sibling.map(Value::from)),
        ];
        let (selector, refused) = match self.symbol.as_deref().filter(|_| self.is_symbol()) {
            Some(path) => node_of_symbol(engine, file, symbol_scope(tool, path)?),
            None => (self.parts(), None),
        };
        let numbers = numbers
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_string(), value?)));
        let selector = selector.into_iter().chain(numbers).collect();
        Ok(SelectorTarget {
            selector: read(tool, "selector", Value::Object(selector))?,
            refused,
        })
    }

    /// Returns the fields of the selector, as a call would carry them, without the numbers.
    fn parts(self) -> Map<String, Value> {
        if let Some(selector) = self.selector {
            return fields(selector);
        }
        let scope = self.symbol.map(|path| json!({"symbol_path": path}));
        let ancestor = (!self.ancestor.is_empty()).then(|| json!(self.ancestor));
        let parts = [
            ("anchor_text", self.anchor.map(Value::String)),
            ("find", self.find.map(Value::String)),
            ("ancestor_node_type", ancestor),
            ("scope", scope.or(self.lines.map(Value::String))),
        ];
        let parts = parts.into_iter();
        let given = parts.filter_map(|(name, value)| Some((name.to_string(), value?)));
        given.collect()
    }
}

impl SelectorTarget {
    /// Returns the request for the target.
    ///
    /// # Errors
    /// The symbol is not one node.
    pub(super) fn checked<R: Serialize>(self, tool: &'static str, request: R) -> Requested<R> {
        match self.refused {
            None => Ok(request),
            Some(diagnostic) => Err(Box::new(Refusal::of_call(tool, json!(request), diagnostic))),
        }
    }
}

/// Reads a selector in one string.
pub(super) fn read_selector(text: &str) -> Result<SelectorArgument, String> {
    let read = serde_json::from_value(json!(text));
    read.map_err(|error| error.to_string().replace("@anchor_text", "@text"))
}

/// Reads an argument as that of a call is read.
fn read<T: DeserializeOwned>(tool: &'static str, name: &str, value: Value) -> Requested<T> {
    serde_json::from_value(value.clone()).map_err(|error| {
        let diagnostic = about_arguments(error.to_string());
        Box::new(Refusal::of_call(tool, json!({name: value}), diagnostic))
    })
}

fn fields(selector: SelectorArgument) -> Map<String, Value> {
    match json!(selector) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn symbol_scope(tool: &'static str, path: &str) -> Requested<SymbolScope> {
    let scope = json!({"symbol_path": path});
    match read(tool, "scope", scope)? {
        ScopeArgument(Some(Scope::Symbol(scope))) => Ok(scope),
        _ => Ok(SymbolScope {
            symbol_path: vec![path.to_string()],
        }),
    }
}

/// Returns the selector of a symbol's own node, as a search for its name finds it, and a refusal unless there is one
/// node. The selector is then the symbol's name in the symbol; a call with it reports what is wrong with the file.
fn node_of_symbol(
    engine: &Engine,
    file: &str,
    scope: SymbolScope,
) -> (Map<String, Value>, Option<Diagnostic>) {
    let symbol = scope.to_string();
    let name = scope.symbol_path.last().cloned().unwrap_or_default();
    let refused = match nodes_of(engine, file, &scope) {
        Ok(nodes) => match nodes.as_slice() {
            [
                NodeFound {
                    selector: Some(selector),
                    ..
                },
            ] => return (fields(SelectorArgument(selector.0.clone())), None),
            [] | [_] => None,
            several => Some(about_several(&symbol, several)),
        },
        Err(refusal) => match refusal.code() {
            Code::SymbolNotFound | Code::AmbiguousSymbol | Code::InvalidScope => {
                Some(with_nodes(engine, &refusal))
            }
            _ => None,
        },
    };
    let selector = Selector {
        anchor: Anchor::Text(name),
        ancestor_node_type: Vec::new(),
        scope: Some(Scope::Symbol(scope)),
        nth: None,
        outward: 0,
        sibling: 0,
    };
    (fields(SelectorArgument(selector)), refused)
}

/// Returns the nodes of the symbols with the path.
fn nodes_of(engine: &Engine, file: &str, scope: &SymbolScope) -> Requested<Vec<NodeFound>> {
    let question = |find_index| {
        LocateArgument(Question {
            locate: Locate {
                file_path: file.to_string(),
                scope: Some(Scope::Symbol(scope.clone())),
                find: None,
            },
            find_index,
            fuzzy: false,
        })
    };
    let located = engine.locate(&request::LocatePlace {
        locate: question(None),
        range: false,
    })?;
    let mut paths: Vec<Vec<String>> = Vec::new();
    for index in 1..=located.matches.min(SYMBOLS_LOOKED_AT) {
        let symbol = engine.read_node(&ReadNode {
            file_path: None,
            selector: None,
            locate: Some(question(Some(index))),
        })?;
        if !paths.contains(&symbol.node.symbol_path) {
            paths.push(symbol.node.symbol_path);
        }
    }
    let mut nodes = Vec::new();
    for path in paths {
        let is_it = |node: &NodeFound| node.symbol_path == path;
        let mut page = FindNodes {
            path: file.to_string(),
            name: path.last().cloned(),
            max_items: Some(ITEMS_LIMIT),
            ..FindNodes::default()
        };
        // A node on a later page counts too: the symbol must be one node.
        loop {
            let found = engine.find_nodes(&page, &())?;
            nodes.extend(found.matches.into_iter().filter(is_it));
            page.cursor = found.cursor;
            if page.cursor.is_none() {
                break;
            }
        }
    }
    Ok(nodes)
}

/// Explains that a symbol has several nodes, and suggests each.
fn about_several(symbol: &str, nodes: &[NodeFound]) -> Diagnostic {
    let message = format!("symbol {} has {} nodes", json!(symbol), nodes.len());
    let suggestions = nodes.iter().filter_map(suggestion);
    Diagnostic {
        suggestions: suggestions.take(SUGGESTIONS_MADE).collect(),
        ..Diagnostic::new(Code::AmbiguousTarget, message)
    }
}

/// Returns the refusal of a symbol path with suggestions that select the nodes of the suggested symbols.
fn with_nodes(engine: &Engine, refusal: &Refusal) -> Diagnostic {
    let suggestions = refusal.suggestions();
    let nodes = suggestions.iter().flat_map(|suggested| {
        let locate = suggested.arguments["locate"].clone();
        match serde_json::from_value::<LocateArgument>(locate) {
            Ok(LocateArgument(Question {
                locate:
                    Locate {
                        file_path,
                        scope: Some(Scope::Symbol(scope)),
                        ..
                    },
                ..
            })) => nodes_of(engine, &file_path, &scope).unwrap_or_default(),
            _ => Vec::new(),
        }
    });
    let suggestions = nodes.filter_map(|node| suggestion(&node));
    Diagnostic {
        suggestions: suggestions.take(SUGGESTIONS_MADE).collect(),
        ..Diagnostic::new(refusal.code(), refusal.message())
    }
}

fn suggestion(node: &NodeFound) -> Option<Suggestion> {
    let selector = node.selector.as_ref()?;
    let selects = format!("{} at line {}: {}", node.node_type, node.line, node.text);
    Some(Suggestion::new(
        NextCall::Select(selector.0.clone()),
        selects,
    ))
}
