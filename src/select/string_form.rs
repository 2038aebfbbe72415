//! The string form of a selector, `scope:type@text`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use crate::locate::{self, LocateSyntaxError, Scope, parse_scope};
use crate::parse::Parsed;
use crate::pattern::{Pattern, placeholders};

use super::find::knows_type;
use super::{Anchor, Selector, occurrences_of_text, pattern_languages, pattern_nodes};

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
    #[error("expected a selector of the form [scope:][type]@text, or the path of a symbol")]
    NoAnchor,
    /// The scope is neither lines nor a symbol path (`invalid_scope`).
    #[error(transparent)]
    Scope(#[from] LocateSyntaxError),
}

impl FromStr for Selector {
    type Err = SelectorSyntaxError;

    /// Parses `[scope:][type]@text`, with the text verbatim after the first `@`, or `symbol[:type]`. A name alone before
    /// the `@` is a type, or the scope if it is not a type of the file's languages but a symbol.
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
            _ if is_only_scope(head) => (head, ""),
            _ => ("", head),
        };
        let node_type = node_type.trim();
        let mut selector = Selector {
            anchor: Anchor::Any(anchor.to_string()),
            ..Selector::new("", node_type)
        };
        if node_type.is_empty() {
            selector.ancestor_node_type.clear();
        }
        selector.scope = parse_scope(scope)?;
        Ok(selector)
    }
}

impl Selector {
    /// Returns what a selector that was written as a place means in a file; any other selector means the same everywhere.
    ///
    /// The part before the `@` is a type if the file's languages have it, else the scope if it is the path of a symbol.
    /// The text is exact text if the scope contains it; else a pattern of code or a token-aware pattern, if it matches.
    pub fn in_file(&self, parsed: &Parsed) -> Cow<'_, Selector> {
        let Anchor::Any(text) = &self.anchor else {
            return Cow::Borrowed(self);
        };
        let mut selector = Selector {
            anchor: Anchor::Text(text.clone()),
            ..self.clone()
        };
        if let ([name], None) = (&*self.ancestor_node_type, &self.scope)
            && !knows_type(parsed, name)
            && let Ok(scope @ Some(Scope::Symbol(_))) = parse_scope(name)
            && locate::area(parsed, scope.as_ref()).is_ok()
        {
            selector.scope = scope;
            selector.ancestor_node_type.clear();
        }
        let Ok(area) = locate::area(parsed, selector.scope.as_ref()) else {
            return Cow::Owned(selector);
        };
        if text.trim().is_empty() || !occurrences_of_text(parsed, text, &area).is_empty() {
            return Cow::Owned(selector);
        }
        let is_pattern = is_only_pattern(parsed, text)
            && pattern_nodes(parsed, &selector, text).is_ok_and(|(_, nodes)| !nodes.is_empty());
        if is_pattern {
            selector.anchor = Anchor::Pattern(text.clone());
        } else if locate::readings(text).len() > 1 || locate::find_all(parsed, text, &area).is_ok()
        {
            selector.anchor = Anchor::Find(text.clone());
        }
        Cow::Owned(selector)
    }
}

/// Returns whether a text has placeholders and can only mean a pattern: `$NAME` is code neither in the file nor in one of
/// its languages, as it is in JavaScript, PHP and Bash. There, a wrong name must not select other code.
fn is_only_pattern(parsed: &Parsed, text: &str) -> bool {
    let is_code = |language| {
        let pattern = Pattern::new(text, language);
        pattern.is_ok_and(|pattern| pattern.is_code())
    };
    let has_some = |text: &str| placeholders(text).next().is_some();
    has_some(text)
        && !has_some(parsed.source().text())
        && !pattern_languages(parsed).into_iter().any(is_code)
}

/// Returns whether the text before the `@` is lines or the path of a symbol, since no type has such a name.
fn is_only_scope(head: &str) -> bool {
    let is_path = head.contains(['.', '"']) || head.contains("::");
    is_path || !matches!(parse_scope(head), Ok(None | Some(Scope::Symbol(_))))
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
            (anchor, None) => {
                let colon = if is_only_scope(&types) { ":" } else { "" };
                write!(f, "{colon}{types}@{}", anchor.as_str())?;
            }
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
    use crate::language;
    use crate::source::Source;

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
        let of_type = Selector {
            anchor: Anchor::Any("x".to_string()),
            ..Selector::new("", "let_declaration")
        };
        assert_eq!(parsed("let_declaration@x"), of_type);
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
    fn the_text_of_a_place_is_exact_or_a_pattern_or_tokens() {
        let meant = |file: &str, code: &str, place: &str| {
            let language = language::for_file(file, code);
            let parsed = Parsed::parse(Source::new(file, language, code.to_string()));
            let selector: Selector = place.parse().expect("it is a selector");
            let meant = selector.in_file(&parsed).into_owned();
            (meant.anchor, meant.scope.map(|scope| scope.to_string()))
        };
        let text = |text: &str| Anchor::Text(text.to_string());
        let find = |text: &str| Anchor::Find(text.to_string());
        let python = "def f():\n    g(1)\n";
        for (place, anchor, scope) in [
            ("call@g(1)", text("g(1)"), None),
            ("call@g( 1 )", find("g( 1 )"), None),
            ("call@g(<|>2)", find("g(<|>2)"), None),
            ("call@g($A)", Anchor::Pattern("g($A)".to_string()), None),
            ("call@h($A)", text("h($A)"), None),
            ("f@g(1)", text("g(1)"), Some("f".to_string())),
            ("no_symbol@g(1)", text("g(1)"), None),
        ] {
            assert_eq!(meant("a.py", python, place), (anchor, scope), "{place}");
        }
        // A wrong name of a variable is no placeholder.
        for (file, code, place) in [
            ("a.sh", "echo $USER\n", "command@echo $NAME"),
            ("a.js", "hide(form);\n", "call@hide($EL)"),
            ("a.php", "<?php\n$user->bar();\n", "call@$FOO->bar()"),
            ("a.py", "# $A\ng(1)\n", "call@g($B)"),
        ] {
            let (anchor, _) = meant(file, code, place);
            assert!(matches!(anchor, Anchor::Text(_)), "{file}: {anchor:?}");
        }
    }

    #[test]
    fn two_colons_do_not_end_a_scope() {
        let selector = parsed("geo::area@x");
        assert!(selector.ancestor_node_type.is_empty());
        assert_eq!(selector.scope, parse_scope("geo::area").expect("a path"));
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
