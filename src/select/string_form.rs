//! The string form of a selector, `scope:type@text`.

use std::fmt;
use std::str::FromStr;

use crate::locate::{LocateSyntaxError, Scope, parse_scope};

use super::{Anchor, Selector};

/// Why a string is not a selector.
///
/// ```
/// use treegraft::{Selector, SelectorSyntaxError};
///
/// let error = "10-20".parse::<Selector>();
/// assert_eq!(error, Err(SelectorSyntaxError::NoAnchor));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectorSyntaxError {
    /// It has no `@`, and is not the path of a symbol (`invalid_arguments`).
    #[error("expected a selector of the form [scope:][type]@anchor_text, or the path of a symbol")]
    NoAnchor,
    /// The scope is neither lines nor a symbol path (`invalid_scope`).
    #[error(transparent)]
    Scope(#[from] LocateSyntaxError),
}

impl FromStr for Selector {
    type Err = SelectorSyntaxError;

    /// Parses `[scope:][type]@anchor_text`, with the anchor verbatim after the first `@`, or `symbol[:type]`.
    fn from_str(text: &str) -> Result<Selector, SelectorSyntaxError> {
        let Some((head, anchor)) = text.split_once('@') else {
            let selector = of_symbol(text)?;
            // Other paths with colons are names that have to be quoted.
            let is_same = of_symbol(&selector.to_string()).as_ref() == Ok(&selector);
            return is_same
                .then_some(selector)
                .ok_or(SelectorSyntaxError::NoAnchor);
        };
        let (scope, node_type) = match head.rsplit_once(':') {
            Some((scope, node_type)) if !scope.ends_with(':') => (scope, node_type),
            _ => ("", head),
        };
        let node_type = node_type.trim();
        let mut selector = Selector::new(anchor, node_type);
        if node_type.is_empty() {
            selector.ancestor_node_type.clear();
        }
        selector.scope = parse_scope(scope)?;
        Ok(selector)
    }
}

/// Parses the path of a symbol, with or without a node type.
fn of_symbol(text: &str) -> Result<Selector, SelectorSyntaxError> {
    let (path, node_type) = match text.rsplit_once(':') {
        Some((path, node_type)) if !path.ends_with(':') => (path, node_type.trim()),
        _ => (text, ""),
    };
    let scope = parse_scope(path)?;
    if !matches!(scope, Some(Scope::Symbol(_))) {
        return Err(SelectorSyntaxError::NoAnchor);
    }
    let mut selector = Selector {
        anchor: Anchor::Symbol,
        scope,
        ..Selector::new("", node_type)
    };
    if node_type.is_empty() {
        selector.ancestor_node_type.clear();
    }
    Ok(selector)
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types = self.ancestor_node_type.join(",");
        match (&self.anchor, &self.scope) {
            (Anchor::Symbol, Some(scope)) => {
                let colon = if types.is_empty() { "" } else { ":" };
                write!(f, "{scope}{colon}{types}")?;
            }
            (anchor, Some(scope)) => write!(f, "{scope}:{types}@{}", anchor.as_str())?,
            (anchor, None) => write!(f, "{types}@{}", anchor.as_str())?,
        }
        let further = [
            matches!(self.anchor, Anchor::Find(_)).then(|| "find".to_string()),
            matches!(self.anchor, Anchor::Part(_)).then(|| "part of a text".to_string()),
            matches!(self.anchor, Anchor::Pattern(_)).then(|| "pattern of code".to_string()),
            self.nth.map(|nth| format!("nth: {nth}")),
            (self.outward != 0).then(|| format!("outward: {}", self.outward)),
            (self.sibling != 0).then(|| format!("sibling: {}", self.sibling)),
        ];
        let further: Vec<String> = further.into_iter().flatten().collect();
        match further.as_slice() {
            [] => Ok(()),
            further => write!(f, " ({})", further.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn parsed(text: &str) -> Selector {
        text.parse().expect("the test parses")
    }

    #[test]
    fn scope_type_and_anchor_are_read() {
        let selector = parsed("Server.handle:match_arm@Method::POST => a@b");
        assert_eq!(selector.anchor.as_str(), "Method::POST => a@b");
        assert_eq!(selector.ancestor_node_type, ["match_arm"]);
        assert_eq!(
            selector.scope,
            parse_scope("Server.handle").expect("a path")
        );
        assert_eq!(
            parsed("let_declaration@x"),
            Selector::new("x", "let_declaration")
        );
        assert!(parsed("@x").ancestor_node_type.is_empty());
        assert!(parsed("f:@x").ancestor_node_type.is_empty());
    }

    #[test]
    fn a_path_without_an_anchor_is_a_symbol() {
        for (text, types) in [
            ("Server.handle", &[][..]),
            ("Server:impl_item", &["impl_item"]),
        ] {
            let selector = parsed(text);
            assert_eq!(selector.anchor, Anchor::Symbol);
            assert_eq!(selector.ancestor_node_type, types);
            assert_eq!(selector.to_string(), text);
        }
    }

    #[test]
    fn two_colons_do_not_end_a_scope() {
        let selector = parsed("geo::area@x");
        assert_eq!(selector.ancestor_node_type, ["geo::area"]);
        assert_eq!(parsed("geo::area:call@x").to_string(), "geo.area:call@x");
    }

    #[test]
    fn strings_that_are_no_selectors_are_refused() {
        for text in ["", "12", ":call_expression"] {
            let without = text.parse::<Selector>();
            assert_eq!(without, Err(SelectorSyntaxError::NoAnchor), "{text}");
        }
        let lines = "9-3:call_expression@x".parse::<Selector>();
        assert!(matches!(lines, Err(SelectorSyntaxError::Scope(_))));
    }

    #[test]
    fn what_has_no_string_form_is_printed_after_it() {
        let mut selector = parsed("f:call_expression@x");
        selector.anchor = Anchor::Find("x".to_string());
        (selector.nth, selector.sibling) = (Some(2), -1);
        let printed = selector.to_string();
        assert_eq!(printed, "f:call_expression@x (find, nth: 2, sibling: -1)");
        assert_ne!(parsed(&printed), selector);
    }

    proptest! {
        #[test]
        fn what_is_parsed_prints_to_the_same(
            head in prop_oneof![r#"[aL3.:"\\, \-]{0,10}"#, any::<String>()],
            anchor in any::<String>(),
        ) {
            for text in [format!("{head}@{anchor}"), head] {
                if let Ok(selector) = text.parse::<Selector>() {
                    prop_assert_eq!(selector.to_string().parse(), Ok(selector));
                }
            }
        }
    }
}
