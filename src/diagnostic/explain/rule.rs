//! Explains why a rule is invalid.

use super::super::{Code, Diagnostic};
use crate::pattern::rule::InvalidRule;

/// Explains why a rule is invalid.
pub fn about_rule(invalid: &InvalidRule) -> Diagnostic {
    let InvalidRule {
        message,
        place,
        id,
        file,
        help,
    } = invalid;
    let mut where_it_is: Vec<String> = Vec::new();
    if !file.is_empty() {
        where_it_is.push(format!("`{file}`"));
    }
    if let Some(id) = id.as_deref().filter(|id| !id.is_empty()) {
        where_it_is.push(format!("rule {id:?}"));
    }
    if !place.is_empty() {
        where_it_is.push(format!("`{place}`"));
    }
    let where_it_is = match where_it_is.is_empty() {
        true => "the rule is invalid".to_string(),
        false => where_it_is.join(", "),
    };
    Diagnostic {
        help: help.clone(),
        ..Diagnostic::new(Code::InvalidPattern, format!("{where_it_is}: {message}"))
    }
}
