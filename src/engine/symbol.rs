//! Completes calls that select their node only by a symbol.

use serde_json::{Value, json};

use crate::diagnostic::{self, Diagnostic};
use crate::locate::Scope;
use crate::select::{self, Selector, SymbolNode};

use super::request::SelectorArgument;
use super::{Engine, Refused};

impl Engine {
    /// Completes the selector of a call that selects its node only by a symbol, such as
    /// `{"scope": {"symbol_path": ["Server", "handle"]}}`, with an optional `outward` or `sibling`. Returns the
    /// arguments with a selector for the symbol's node. If the file cannot be read, the selector is the symbol's name,
    /// and the call reports the problem.
    ///
    /// # Errors
    /// The symbol does not exist or has several nodes; or the call is about an edit of several files.
    pub fn with_symbol_node(
        &self,
        tool: &'static str,
        mut arguments: Value,
    ) -> Result<Value, Refused> {
        match self.symbol_node(&arguments) {
            Ok(selector) => {
                arguments["selector"] = json!(SelectorArgument(selector));
                Ok(arguments)
            }
            Err(diagnostic) => Err(self.refusal_of(tool, &arguments, diagnostic)),
        }
    }

    fn symbol_node(&self, arguments: &Value) -> Result<Selector, Diagnostic> {
        let wanted = wanted(&arguments["selector"])?;
        let file_path = match arguments["edit_id"].as_str() {
            Some(edit_id) => self.only_file_of(edit_id)?,
            None => {
                let file_path = arguments["file_path"].as_str();
                file_path.unwrap_or_default().to_string()
            }
        };
        let Ok((_, parsed)) = self.parsed(&file_path) else {
            return Ok(wanted.by_name());
        };
        match select::symbol_selector(&parsed, &wanted) {
            Ok(selector) => Ok(selector.unwrap_or_else(|| wanted.by_name())),
            Err(error) => Err(diagnostic::about_symbol(&parsed, &wanted, &error)),
        }
    }

    /// Returns the only file of an edit.
    fn only_file_of(&self, edit_id: &str) -> Result<String, Diagnostic> {
        let staged = self.staged(edit_id)?;
        match staged.paths.as_slice() {
            [path] => Ok(path.clone()),
            _ => {
                let message = "the edit changes several files, so a symbol alone is not enough";
                let help = "pass anchor_text and ancestor_node_type";
                Err(diagnostic::about_arguments(message).help(help))
            }
        }
    }
}

/// Reads a selector that has a symbol path and no anchor.
fn wanted(selector: &Value) -> Result<SymbolNode, Diagnostic> {
    let about = |message: String| diagnostic::about_arguments(message);
    let Value::Object(mut fields) = selector.clone() else {
        return Err(about("a selector must be an object".to_string()));
    };
    // A selector needs an anchor; the anchor of the symbol is not known yet.
    fields.insert("anchor_text".to_string(), json!(""));
    let read = serde_json::from_value(Value::Object(fields));
    let SelectorArgument(selector) = read.map_err(|error| about(error.to_string()))?;
    match selector.scope {
        Some(Scope::Symbol(symbol)) => Ok(SymbolNode {
            symbol,
            outward: selector.outward,
            sibling: selector.sibling,
        }),
        _ => Err(about("symbol_path is missing".to_string())),
    }
}
