//! Reads a query file into rules.
//!
//! The files are written in a flat subset of tree-sitter's query language:
//!
//! ```text
//! pattern  = node captures | "(" node captures directive* ")"
//! node     = "(" (type | supertype | "_") child* directive* ")" | "[" node* "]"
//! child    = ["."] [field ":"] node captures | "!" field
//! directive = "(" "#set!" key string ")"
//!           | "(" ("#eq?" | "#any-of?" | "#starts-with?") capture string+ ")"
//!           | "(" "#match?" capture regex ")"
//! ```
//!
//! If two consecutive children in a pattern have one type, the second matches a later child than the first. A child
//! after `.` is the first named child that is not a comment. A supertype matches all its subtypes. In a string `\"`
//! is a quote and `\\` a backslash. The text of a node can be tested in `tags.scm`, `kinds.scm`, `attached.scm`,
//! `injections.scm` and `protected.scm`, and in `bodies.scm` for `@head`, `@terminator` and `@void`; the name of a capture that serves
//! no other purpose starts with `_`.
//!
//! An error gives the file and line: unknown node types and fields, captures and directives that no module reads,
//! quantifiers, other anchors, other predicates.

use std::num::NonZeroU16;

use super::grammar::Grammar;
use super::pattern::{
    AncestorPattern, CapturedPattern, ChildPattern, LazyRegex, NodePattern, TextTest,
};
use super::{Origin, QueryError};

/// A position in a query file.
#[derive(Clone, Copy)]
struct QueryPosition {
    file: &'static str,
    text: &'static str,
    /// The text from there to the end.
    rest: &'static str,
}

impl QueryPosition {
    fn error(&self, problem: impl Into<String>) -> QueryError {
        let before = &self.text[..self.text.len() - self.rest.len()];
        QueryError {
            file: self.file,
            line: before.matches('\n').count() + 1,
            problem: problem.into(),
        }
    }
}

/// One pattern of a file.
pub(super) struct QueryRule {
    position: QueryPosition,
    pub(super) root: NodePattern,
    /// All captures in it.
    pub(super) captures: Vec<&'static str>,
    pub(super) settings: Vec<(&'static str, String)>,
}

impl QueryRule {
    /// Returns an error about the rule.
    pub(super) fn error(&self, problem: &str) -> QueryError {
        self.position.error(problem)
    }

    /// Returns the pattern seen from its outermost node.
    pub(super) fn whole(self) -> CapturedPattern {
        CapturedPattern {
            node: self.root,
            ancestors: Vec::new(),
        }
    }

    /// Returns the pattern seen from the node captured as `capture`.
    pub(super) fn captured_at(mut self, capture: &str) -> Result<CapturedPattern, QueryError> {
        let mut ancestors = Vec::new();
        let mut node = std::mem::take(&mut self.root);
        while !node.is_captured_as(capture) {
            let holds = |child: &ChildPattern| match child {
                ChildPattern::Has { node, .. } => node.has_capture(capture),
                ChildPattern::HasNot { .. } => false,
            };
            let Some(index) = node.children.iter().position(holds) else {
                return Err(self.error(&format!("@{capture} is in an alternative")));
            };
            let ChildPattern::Has {
                field,
                first,
                node: child,
            } = node.children.swap_remove(index)
            else {
                return Err(self.error(&format!("@{capture} captures no node")));
            };
            ancestors.insert(0, AncestorPattern { node, field, first });
            node = child;
        }
        Ok(CapturedPattern { node, ancestors })
    }

    /// Returns the only capture that starts with `prefix`, and the rest of its name.
    pub(super) fn one_capture_with_prefix(
        &self,
        prefix: &str,
    ) -> Result<(&'static str, &'static str), QueryError> {
        let all = &self.captures;
        let mut fitting = all
            .iter()
            .filter(|one| !one.starts_with('_'))
            .filter_map(|one| Some((*one, one.strip_prefix(prefix)?)));
        match (fitting.next(), fitting.next()) {
            (Some(found), None) => Ok(found),
            _ => Err(self.error(&format!("expected one capture @{prefix}..., found {all:?}"))),
        }
    }

    /// Returns an error about the first capture that is not allowed; those that start with `_` are.
    pub(super) fn allow_captures(&self, allowed: &[&str]) -> Result<(), QueryError> {
        let is_unknown = |one: &&&str| !one.starts_with('_') && !allowed.contains(*one);
        match self.captures.iter().find(is_unknown) {
            Some(unknown) => Err(self.error(&format!("unknown capture @{unknown}"))),
            None => Ok(()),
        }
    }

    /// Returns an error if the rule tests a text.
    pub(super) fn refuse_text(&self) -> Result<(), QueryError> {
        match self.root.has_texts() {
            true => Err(self.error("rules in this file cannot test the text of a node")),
            false => Ok(()),
        }
    }

    /// Returns an error about a value that a setting does not have.
    pub(super) fn unknown_setting(&self, key: &str, value: &str) -> QueryError {
        self.error(&format!("unknown setting {key} \"{value}\""))
    }

    /// Returns an error about the first setting that is not allowed.
    pub(super) fn allow_settings(&self, allowed: &[&str]) -> Result<(), QueryError> {
        let mut settings = self.settings.iter();
        match settings.find(|(key, _)| !allowed.contains(key)) {
            Some((key, _)) => Err(self.error(&format!("unknown setting {key}"))),
            None => Ok(()),
        }
    }

    /// Returns the value of a setting.
    pub(super) fn setting(&self, wanted: &str) -> Option<String> {
        let mut settings = self.settings.iter();
        let found = settings.find(|(key, _)| *key == wanted);
        found.map(|(_, value)| value.clone())
    }

    /// Returns whether a setting has its only possible value.
    pub(super) fn flag(&self, key: &str, value: &str) -> Result<bool, QueryError> {
        match self.setting(key) {
            None => Ok(false),
            Some(set) if set == value => Ok(true),
            Some(other) => Err(self.unknown_setting(key, &other)),
        }
    }
}

/// Reads the rules of a file, in its order.
///
/// # Errors
/// The file is outside the subset, or it names something that the grammar does not have.
pub(super) fn parse(
    (file, text): (&'static str, &'static str),
    grammar: &Grammar<'_>,
    origin: Origin,
) -> Result<Vec<QueryRule>, QueryError> {
    let mut parser = RuleParser {
        at: QueryPosition {
            file,
            text,
            rest: text,
        },
        grammar,
        origin,
        depth: 0,
        settings: Vec::new(),
        texts: Vec::new(),
    };
    let mut rules = Vec::new();
    while parser.peek().is_some() {
        let position = parser.at;
        let mut root = parser.pattern()?;
        for (capture, texts) in std::mem::take(&mut parser.texts) {
            let Some(node) = root.captured_as(capture) else {
                return parser.error(format!("no node is captured as @{capture}"));
            };
            node.texts = texts;
        }
        let settings = std::mem::take(&mut parser.settings);
        let mut captures = Vec::new();
        root.add_captures(&mut captures);
        rules.push(QueryRule {
            position,
            root,
            captures,
            settings,
        });
    }
    Ok(rules)
}

/// The maximum depth of a pattern: far more than any useful one has.
const DEEPEST: usize = 32;

/// Reads patterns from the start of the remaining text. They are shallow, so recursion is safe.
struct RuleParser<'a> {
    at: QueryPosition,
    grammar: &'a Grammar<'a>,
    origin: Origin,
    /// The number of nodes around the current one.
    depth: usize,
    settings: Vec<(&'static str, String)>,
    /// Captures with the tests of their texts.
    texts: Vec<(&'static str, Vec<TextTest>)>,
}

impl RuleParser<'_> {
    fn error<T>(&self, problem: impl Into<String>) -> Result<T, QueryError> {
        Err(self.at.error(problem))
    }

    /// Returns the next character that is neither whitespace nor in a comment.
    fn peek(&mut self) -> Option<char> {
        loop {
            self.at.rest = self.at.rest.trim_ascii_start();
            match self.at.rest.chars().next()? {
                ';' => self.advance(self.at.rest.find('\n').unwrap_or(self.at.rest.len())),
                next => return Some(next),
            }
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.at.rest = &self.at.rest[bytes..];
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.advance(wanted.len_utf8());
        }
        found
    }

    fn word(&mut self) -> Result<&'static str, QueryError> {
        self.peek();
        let of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        let end = self.at.rest.find(|c| !of_word(c));
        let (word, rest) = self.at.rest.split_at(end.unwrap_or(self.at.rest.len()));
        if word.is_empty() {
            return self.error(format!("expected a name at {rest:.20}"));
        }
        self.at.rest = rest;
        Ok(word)
    }

    fn string(&mut self) -> Result<String, QueryError> {
        if !self.take('"') {
            return self.error("expected a string");
        }
        let mut text = String::new();
        let mut chars = self.at.rest.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.advance(at + 1);
                    return Ok(text);
                }
                '\\' => match chars.next() {
                    Some((_, c @ ('"' | '\\'))) => text.push(c),
                    _ => return self.error("expected a quote or a backslash after a backslash"),
                },
                c => text.push(c),
            }
        }
        self.error("unclosed string")
    }

    /// Reads a node, or a node and directives in parentheses.
    fn pattern(&mut self) -> Result<NodePattern, QueryError> {
        let inner = self.at.rest.strip_prefix('(').map(str::trim_start);
        if !inner.is_some_and(|inner| inner.starts_with(['(', '[']) && !inner.starts_with("(#")) {
            return self.captured_node();
        }
        self.advance(1);
        let node = self.captured_node()?;
        while self.peek().is_some() && self.at.rest.starts_with("(#") {
            self.directive()?;
        }
        match self.take(')') {
            true => Ok(node),
            false => self.error("groups of siblings are not supported"),
        }
    }

    fn captured_node(&mut self) -> Result<NodePattern, QueryError> {
        if self.depth == DEEPEST {
            return self.error("the pattern is nested too deep");
        }
        self.depth += 1;
        let mut node = self.node()?;
        self.depth -= 1;
        while self.take('@') {
            node.captures.push(self.word()?);
        }
        match self.peek() {
            Some(c @ ('?' | '*' | '+' | '.')) => self.error(format!("{c} is not supported")),
            _ => Ok(node),
        }
    }

    fn node(&mut self) -> Result<NodePattern, QueryError> {
        if self.take('[') {
            return self.alternatives();
        }
        if self.peek() == Some('"') {
            let token = self.string()?;
            let kinds = Some(vec![self.kind(&token, false)?]);
            return Ok(NodePattern {
                kinds,
                ..NodePattern::default()
            });
        }
        if !self.take('(') {
            return self.error("expected a node");
        }
        if matches!(self.peek(), Some('(' | '[')) {
            return self.error("groups of siblings are not supported");
        }
        let kinds = match self.word()? {
            "_" => None,
            name => Some(self.with_subtypes(name)?),
        };
        let mut node = NodePattern {
            kinds,
            ..NodePattern::default()
        };
        while !self.take(')') {
            let first = self.take('.');
            self.peek();
            if self.at.rest.starts_with("(#") {
                self.directive()?;
            } else if self.take('!') {
                let field = self.word()?;
                let field = self.field(field)?;
                node.children.push(ChildPattern::HasNot { field });
            } else if matches!(self.peek(), Some('(' | '[' | '"')) {
                let child = self.captured_node()?;
                node.children.push(ChildPattern::Has {
                    field: None,
                    first,
                    node: child,
                });
            } else {
                let field = self.word()?;
                let field = self.field(field)?;
                if !self.take(':') {
                    return self.error("expected a colon after the field name");
                }
                let child = self.captured_node()?;
                node.children.push(ChildPattern::Has {
                    field: Some(field),
                    first,
                    node: child,
                });
            }
        }
        Ok(node)
    }

    fn alternatives(&mut self) -> Result<NodePattern, QueryError> {
        let mut alternatives = Vec::new();
        while !self.take(']') {
            alternatives.push(self.captured_node()?);
        }
        let mut kinds = Vec::new();
        for one in &alternatives {
            match &one.kinds {
                Some(of_one) => kinds.extend_from_slice(of_one),
                None => return self.error("a wildcard cannot be an alternative"),
            }
        }
        let plain = alternatives.iter().all(|one| {
            one.children.is_empty() && one.captures.is_empty() && one.alternatives.is_empty()
        });
        if plain {
            alternatives.clear();
        }
        Ok(NodePattern {
            kinds: Some(kinds),
            alternatives,
            ..NodePattern::default()
        })
    }

    fn directive(&mut self) -> Result<(), QueryError> {
        self.advance("(#".len());
        let name = self.word()?;
        type Test<P> = fn(&P, String) -> Result<TextTest, QueryError>;
        let test: Option<Test<Self>> = match name {
            "eq" | "any-of" => Some(|_, text| Ok(TextTest::Is(text))),
            "starts-with" => Some(|_, text| Ok(TextTest::StartsWith(text))),
            "match" => Some(|parser, pattern| Ok(TextTest::Matches(parser.regex(pattern)?))),
            _ => None,
        };
        if let Some(test) = test.filter(|_| self.take('?') && self.take('@')) {
            let capture = self.word()?;
            let mut texts = Vec::new();
            while !self.take(')') {
                let text = self.string()?;
                texts.push(test(self, text)?);
            }
            self.texts.push((capture, texts));
            return Ok(());
        }
        if name != "set" || !self.take('!') {
            return self.error(format!("#{name} is not supported"));
        }
        let key = self.word()?;
        let value = self.string()?;
        self.settings.push((key, value));
        match self.take(')') {
            true => Ok(()),
            false => self.error("#set! needs a key and a string"),
        }
    }

    fn regex(&self, pattern: String) -> Result<LazyRegex, QueryError> {
        if self.origin == Origin::BuiltIn {
            return Ok(LazyRegex::new(pattern));
        }
        LazyRegex::compiled(pattern).map_err(|error| {
            // The lines before the last repeat the pattern.
            let error = error.to_string();
            let why = error.lines().last().unwrap_or_default();
            let why = why.strip_prefix("error: ").unwrap_or(why);
            self.at
                .error(format!("the regular expression is invalid: {why}"))
        })
    }

    fn kind(&self, name: &str, named: bool) -> Result<u16, QueryError> {
        match self.grammar.id_for_node_kind(name, named) {
            0 => self.error(format!("the grammar has no node type {name}")),
            id => Ok(id),
        }
    }

    /// Returns the node type, or all subtypes of a supertype.
    fn with_subtypes(&self, name: &str) -> Result<Vec<u16>, QueryError> {
        let mut open = vec![self.kind(name, true)?];
        let mut kinds = Vec::new();
        while let Some(kind) = open.pop() {
            if self.grammar.node_kind_is_supertype(kind) {
                open.extend_from_slice(self.grammar.subtypes_for_supertype(kind));
            } else if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        match kinds.is_empty() {
            true => self.error(format!("the grammar lists no types below {name}")),
            false => Ok(kinds),
        }
    }

    fn field(&self, name: &str) -> Result<NonZeroU16, QueryError> {
        match self.grammar.field_id_for_name(name) {
            Some(id) => Ok(id),
            None => self.error(format!("the grammar has no field {name}")),
        }
    }
}
