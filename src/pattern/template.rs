//! The text that replaces a match: code with the placeholders of its pattern.
//!
//! Input: the texts of a pattern and of its replacement. Output: a [`Template`], and how its tokens correspond to those of
//! the pattern ([`Template::aligned`]). Only texts are compared, so nothing here depends on a language.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// The replacement of a pattern's matches.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    tokens: Vec<Token>,
    pattern: Vec<Token>,
    pattern_text: String,
    /// Whether it is the fix of a rule.
    of_rule: bool,
}

/// A placeholder of a replacement that its pattern does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("new_content has `{name}`, which the {} does not {}", if *of_rule { "rule" } else { "pattern" }, if *of_rule { "define" } else { "capture" })]
pub struct UnknownPlaceholder {
    /// The placeholder as written.
    pub name: String,
    /// The placeholders that the pattern captures, or the variables of the rule.
    pub known: Vec<String>,
    /// Whether the replacement is that of a rule.
    pub of_rule: bool,
}

/// A word, a sign or a placeholder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
    pub(crate) kind: TokenKind,
}

/// The kind of a token. Only tokens of the same kind can replace each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Sign,
    /// A placeholder: its name without `$`, or `None` if it captures nothing.
    Placeholder(Option<String>),
}

/// A token of a template, and the token of the pattern whose place it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aligned {
    /// The index of the token in the template.
    pub(crate) token: usize,
    /// The index of the token in the pattern, if it takes the place of one.
    pub(crate) place: Option<usize>,
    /// Whether the two are equal.
    pub(crate) is_same: bool,
}

/// Returns the expression that finds placeholders. `$Name` is a variable of some languages.
fn placeholder() -> &'static Regex {
    static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\$\$\$(?:[A-Z_]\w*)?|\$\$?[A-Z_]\w*").expect("the expression is valid")
    });
    &PLACEHOLDER
}

/// Returns the placeholders of a text, as ranges of bytes.
pub(crate) fn placeholders(text: &str) -> impl Iterator<Item = Range<usize>> {
    let found = placeholder().find_iter(text);
    let found = found.filter(|one| !one.as_str().chars().any(char::is_lowercase));
    found.map(|one| one.range())
}

/// Returns the variables in the fix of a rule, as ranges of bytes. `$NAMEs` is the variable `$NAME` and a letter.
fn variables(text: &str) -> impl Iterator<Item = Range<usize>> {
    static VARIABLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\${1,3}[A-Z_][A-Z0-9_]*").expect("the expression is valid"));
    VARIABLE.find_iter(text).map(|one| one.range())
}

/// Splits a text into placeholders, words and single signs.
fn tokens(text: &str, placeholders: impl Iterator<Item = Range<usize>>) -> Vec<Token> {
    let mut all = Vec::new();
    let mut end = 0;
    for range in placeholders {
        all.extend(words(text, end..range.start));
        end = range.end;
        let name = text[range.clone()].trim_start_matches('$');
        // `$_` and `$_NAME` capture nothing.
        let captures = !name.is_empty() && !name.starts_with('_');
        all.push(Token {
            range,
            kind: TokenKind::Placeholder(captures.then(|| name.to_string())),
        });
    }
    all.extend(words(text, end..text.len()));
    all
}

/// Splits a part of a text into words and single signs.
pub(crate) fn words(text: &str, part: Range<usize>) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::new();
    for (at, c) in text[part.clone()].char_indices() {
        let at = part.start + at;
        let range = at..at + c.len_utf8();
        let is_word = c.is_alphanumeric() || c == '_';
        match all.last_mut() {
            _ if c.is_whitespace() => {}
            Some(last) if is_word && last.kind == TokenKind::Word && last.range.end == at => {
                last.range.end = range.end;
            }
            _ => all.push(Token {
                range,
                kind: if is_word {
                    TokenKind::Word
                } else {
                    TokenKind::Sign
                },
            }),
        }
    }
    all
}

impl Template {
    /// Reads the replacement of a pattern.
    ///
    /// # Errors
    /// It has a placeholder that the pattern does not capture.
    pub fn new(text: &str, pattern: &str) -> Result<Template, UnknownPlaceholder> {
        let pattern_text = pattern.trim().to_string();
        let template = Template {
            text: text.to_string(),
            tokens: tokens(text, placeholders(text)),
            pattern: tokens(&pattern_text, placeholders(&pattern_text)),
            pattern_text,
            of_rule: false,
        };
        let is_unknown = |token: &&Token| match &token.kind {
            TokenKind::Placeholder(name) => {
                name.as_ref().is_none_or(|name| !template.captures(name))
            }
            TokenKind::Word | TokenKind::Sign => false,
        };
        let unknown = template.tokens.iter().find(is_unknown);
        match unknown {
            None => Ok(template),
            Some(unknown) => Err(UnknownPlaceholder {
                name: text[unknown.range.clone()].to_string(),
                known: template.captured(),
                of_rule: false,
            }),
        }
    }

    /// Reads the fix of a rule. `pattern` is the code of the matched nodes, if the rule has one pattern for them, and
    /// `known` the variables, as they are written in a fix.
    ///
    /// # Errors
    /// It has a variable that is not known.
    #[cfg(feature = "rules")]
    pub(super) fn of_rule(
        text: &str,
        pattern: Option<&str>,
        known: &[String],
    ) -> Result<Template, UnknownPlaceholder> {
        let pattern_text = pattern.unwrap_or_default().trim().to_string();
        let name = |written: &str| written.trim_start_matches('$').to_string();
        let is_unknown = |range: &Range<usize>| {
            let own = name(&text[range.clone()]);
            !known.iter().any(|one| name(one) == own)
        };
        match variables(text).find(is_unknown) {
            Some(unknown) => Err(UnknownPlaceholder {
                name: text[unknown].to_string(),
                known: known.to_vec(),
                of_rule: true,
            }),
            None => Ok(Template {
                text: text.to_string(),
                tokens: tokens(text, variables(text)),
                pattern: tokens(&pattern_text, placeholders(&pattern_text)),
                pattern_text,
                of_rule: true,
            }),
        }
    }

    /// Returns whether the code of the matched nodes is known.
    pub(crate) fn has_pattern(&self) -> bool {
        !self.pattern.is_empty()
    }

    /// Returns whether the replacement is the pattern itself.
    pub(crate) fn is_pattern(&self) -> bool {
        self.has_pattern() && self.text.trim() == self.pattern_text
    }

    /// Returns whether the pattern has a placeholder with this name.
    pub(crate) fn captures(&self, name: &str) -> bool {
        let mut own = self.pattern.iter();
        own.any(|token| match &token.kind {
            TokenKind::Placeholder(own) => own.as_deref() == Some(name),
            TokenKind::Word | TokenKind::Sign => false,
        })
    }

    /// Returns the placeholders that the pattern captures, as written, each once.
    fn captured(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for token in &self.pattern {
            let own = &self.pattern_text[token.range.clone()];
            let captures = matches!(token.kind, TokenKind::Placeholder(Some(_)));
            if captures && !all.iter().any(|one| one == own) {
                all.push(own.to_string());
            }
        }
        all
    }

    /// Returns a name that the pattern has for one node and for several.
    pub fn ambiguous(&self) -> Option<String> {
        let all = self.captured();
        let is_several = |one: &&String| one.starts_with("$$$");
        let mut several = all.iter().filter(is_several).map(|one| &one[3..]);
        let name = several.find(|name| {
            let mut single = all.iter().filter(|one| !is_several(one));
            single.any(|one| one.trim_start_matches('$') == *name)
        });
        name.map(str::to_string)
    }

    /// Returns whether the template contains a variable, named as in `$NAME`.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        let name = name.trim_start_matches('$');
        let mut own = self.tokens.iter();
        own.any(|token| match &token.kind {
            TokenKind::Placeholder(own) => own.as_deref() == Some(name),
            _ => false,
        })
    }

    /// Returns the template with other whitespace.
    pub(crate) fn with_text(&self, text: String) -> Template {
        let tokens = match self.of_rule {
            true => tokens(&text, variables(&text)),
            false => tokens(&text, placeholders(&text)),
        };
        Template {
            tokens,
            text,
            ..self.clone()
        }
    }

    /// Returns the text of the replacement.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the replacement is empty, so that matches are deleted.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns the tokens of the replacement.
    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns the tokens of the pattern.
    pub(crate) fn pattern(&self) -> &[Token] {
        &self.pattern
    }

    /// Returns a token of the pattern as text.
    pub(crate) fn pattern_token(&self, index: usize) -> &str {
        &self.pattern_text[self.pattern[index].range.clone()]
    }

    /// Returns a token of the replacement as text.
    pub(crate) fn token(&self, index: usize) -> &str {
        &self.text[self.tokens[index].range.clone()]
    }

    /// Returns the whitespace before a token of the replacement.
    pub(crate) fn gap(&self, index: usize) -> &str {
        gap(&self.text, &self.tokens, index)
    }

    /// Returns the whitespace before a token of the pattern.
    pub(crate) fn pattern_gap(&self, index: usize) -> &str {
        gap(&self.pattern_text, &self.pattern, index)
    }

    /// Returns whether a token of the replacement is a closing bracket.
    pub(crate) fn closes(&self, token: usize) -> bool {
        matches!(self.token(token), ")" | "]" | "}")
    }

    /// Returns whether a closing bracket of the replacement ends a list of the same kind as one of the pattern: with the
    /// same bracket, of a call if that is one. Parentheses around one value are no list.
    pub(crate) fn is_same_list(&self, token: usize, place: usize) -> bool {
        let own = opening(token, |index| self.token(index));
        let other = opening(place, |index| self.pattern_token(index));
        let (Some(own), Some(other)) = (own, other) else {
            return false;
        };
        let has_head = own > 0 && self.gap(own).is_empty();
        let had_head = other > 0 && self.pattern_gap(other).is_empty();
        let depth = self.depth(own) + 1;
        let is_comma = |index: &usize| self.token(*index) == "," && self.depth(*index) == depth;
        let has_comma = (own..token).any(|index| is_comma(&index));
        self.token(own) == self.pattern_token(other)
            && has_head == had_head
            && (has_head || self.token(own) != "(" || has_comma)
    }

    /// Returns the number of brackets that are open before a token of the replacement.
    pub(crate) fn depth(&self, index: usize) -> usize {
        depth((0..index).map(|before| self.token(before)))
    }

    /// Returns the number of brackets that are open before a token of the pattern.
    pub(crate) fn pattern_depth(&self, index: usize) -> usize {
        depth((0..index).map(|before| self.pattern_token(before)))
    }

    /// Returns which tokens of the pattern the tokens of the replacement take the places of, so that as few as possible
    /// are replaced, removed and added (the Levenshtein distance).
    pub(crate) fn aligned(&self) -> Vec<Aligned> {
        let (rows, columns) = (self.pattern.len(), self.tokens.len());
        // Two tokens of different kinds do not take each other's place.
        const NEVER: usize = 3;
        let cost = |row: usize, column: usize| match (
            &self.pattern[row].kind,
            &self.tokens[column].kind,
        ) {
            (TokenKind::Placeholder(one), TokenKind::Placeholder(other)) => {
                usize::from(one != other)
            }
            (one, other) if one == other => {
                usize::from(self.pattern_token(row) != self.token(column))
            }
            _ => NEVER,
        };
        // The distance of the tokens from each row and column to the ends.
        let mut distance = vec![vec![0; columns + 1]; rows + 1];
        for row in (0..=rows).rev() {
            for column in (0..=columns).rev() {
                distance[row][column] = match (row < rows, column < columns) {
                    (false, false) => 0,
                    (true, false) => distance[row + 1][column] + 1,
                    (false, true) => distance[row][column + 1] + 1,
                    (true, true) => (distance[row + 1][column + 1] + cost(row, column))
                        .min(distance[row + 1][column] + 1)
                        .min(distance[row][column + 1] + 1),
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        let mut all = Vec::new();
        while column < columns {
            let own = distance[row][column];
            let step = (row < rows).then(|| cost(row, column));
            match step {
                Some(step) if step < NEVER && own == distance[row + 1][column + 1] + step => {
                    all.push(Aligned {
                        token: column,
                        place: Some(row),
                        is_same: step == 0,
                    });
                    (row, column) = (row + 1, column + 1);
                }
                Some(_) if own == distance[row + 1][column] + 1 => row += 1,
                _ => {
                    all.push(Aligned {
                        token: column,
                        place: None,
                        is_same: false,
                    });
                    column += 1;
                }
            }
        }
        all
    }
}

/// Returns the index of the bracket that a closing one belongs to.
fn opening<'t>(closing: usize, token: impl Fn(usize) -> &'t str) -> Option<usize> {
    let mut open = 1;
    (0..closing).rev().find(|index| {
        match token(*index) {
            ")" | "]" | "}" => open += 1,
            "(" | "[" | "{" => open -= 1,
            _ => {}
        }
        open == 0
    })
}

fn depth<'t>(tokens: impl Iterator<Item = &'t str>) -> usize {
    tokens.fold(0, |depth: usize, token| match token {
        "(" | "[" | "{" => depth + 1,
        ")" | "]" | "}" => depth.saturating_sub(1),
        _ => depth,
    })
}

fn gap<'t>(text: &'t str, tokens: &[Token], index: usize) -> &'t str {
    let before = index
        .checked_sub(1)
        .map_or(0, |last| tokens[last].range.end);
    &text[before..tokens[index].range.start]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns each token of the template with the token of the pattern whose place it takes.
    fn aligned(pattern: &str, text: &str) -> Vec<(String, Option<String>)> {
        let template = Template::new(text, pattern).expect("it has only known placeholders");
        let aligned = template.aligned().into_iter();
        aligned
            .map(|one| {
                let place = one.place.map(|at| template.pattern_token(at).to_string());
                (template.token(one.token).to_string(), place)
            })
            .collect()
    }

    fn pairs(expected: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
        let expected = expected.iter();
        expected
            .map(|(own, place)| (own.to_string(), place.map(str::to_string)))
            .collect()
    }

    #[test]
    fn swapped_placeholders_take_each_others_place() {
        let expected = [
            ("f", Some("f")),
            ("(", Some("(")),
            ("$B", Some("$A")),
            (",", Some(",")),
            ("$A", Some("$B")),
            (")", Some(")")),
        ];
        assert_eq!(aligned("f($A, $B)", "f($B, $A)"), pairs(&expected));
    }

    #[test]
    fn added_tokens_take_no_place() {
        let expected = [
            ("$A", None),
            (".", None),
            ("f", Some("f")),
            ("(", Some("(")),
            (")", Some(")")),
        ];
        assert_eq!(aligned("f($A)", "$A.f()"), pairs(&expected));
    }

    #[test]
    fn a_word_takes_the_place_of_a_word() {
        let expected = [("g", Some("f")), ("(", Some("(")), (")", Some(")"))];
        assert_eq!(aligned("f($$$)", "g()"), pairs(&expected));
    }

    #[test]
    fn an_unknown_placeholder_is_refused() {
        let refused = |text: &str| Template::new(text, "f($A, $$$REST, $_)").err();
        let known = vec!["$A".to_string(), "$$$REST".to_string()];
        for name in ["$B", "$_", "$$$"] {
            let unknown = UnknownPlaceholder {
                name: name.to_string(),
                known: known.clone(),
                of_rule: false,
            };
            assert_eq!(refused(&format!("g({name})")), Some(unknown));
        }
        for text in ["g($A, $$$REST)", "g($REST)", "$lower", "", "'$'"] {
            assert_eq!(refused(text), None, "{text}");
        }
    }
}
