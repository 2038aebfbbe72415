//! Reads a query file into patterns, and says whether a node fits one.
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
//! Of two children of one type that stand side by side in a pattern the second is a later child. Behind `.`
//! stands the first named child, comments left aside.
//! Supertypes stand for all their subtypes. In a string `\"` is a quote and `\\` a backslash. The text of a
//! node is asked for in `tags.scm`, `kinds.scm`, `attached.scm`, `injections.scm` and `protected.scm`, and in
//! `bodies.scm` for a `@head` and what is `@void`; a capture that serves nothing else begins with `_`.
//! Refused, with file and line: unknown node types and fields, captures and directives that no
//! room reads, quantifiers, other anchors, other predicates.

use std::num::NonZeroU16;
use std::sync::OnceLock;

use regex::Regex;
use tree_sitter::Node;

use super::grammar::Grammar;
use super::{QueryError, TextOf};

/// A pattern seen from its captured node: the node, and those it must have above it, nearest first.
#[derive(Clone, Debug)]
pub(super) struct Captured {
    pub(super) node: NodePattern,
    pub(super) above: Vec<Above>,
}

/// What a node above the captured one must be.
#[derive(Clone, Debug)]
pub(super) struct Above {
    pub(super) node: NodePattern,
    /// The field that what is below it must be in.
    field: Option<NonZeroU16>,
    /// Whether what is below it must be its first child.
    first: bool,
}

impl Captured {
    /// Whether a node of a type may fit in a parent of the other type.
    pub(super) fn may_be(&self, kind: u16, parent: u16) -> bool {
        self.node.may_be(kind) && self.may_be_in(parent)
    }

    /// Returns whether a parent of a type may have such a child.
    pub(super) fn may_be_in(&self, parent: u16) -> bool {
        let above = self.above.first();
        above.is_none_or(|above| above.node.may_be(parent))
    }

    pub(super) fn above_fits<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
    ) -> bool {
        let mut below = node;
        let mut known = above.iter().rev();
        self.above.iter().all(|wanted| {
            let Some(parent) = known.next().copied().or_else(|| below.parent()) else {
                return false;
            };
            let child = std::mem::replace(&mut below, parent);
            wanted.node.matches(parent, text, &mut Vec::new())
                && (!wanted.first || first_child(parent) == Some(child))
                && wanted.field.is_none_or(|field| {
                    let mut cursor = parent.walk();
                    parent
                        .children_by_field_id(field, &mut cursor)
                        .any(|one| one == child)
                })
        })
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct NodePattern {
    /// The node types that fit; `None` is the wildcard `(_)`: any named node.
    pub(super) kinds: Option<Vec<u16>>,
    children: Vec<ChildPattern>,
    captures: Vec<&'static str>,
    /// What its text must be or begin with, one of these; none: anything.
    texts: Vec<Text>,
    /// Several whole patterns, one of which must hold.
    alternatives: Vec<NodePattern>,
}

/// What is asked of a text.
#[derive(Clone, Debug)]
enum Text {
    Is(String),
    Begins(String),
    Matches(Pattern),
}

/// A regular expression that is compiled when a text is first compared with it: few are, and compiling takes
/// up to a millisecond.
#[derive(Clone, Debug)]
struct Pattern {
    regex: OnceLock<Regex>,
    pattern: String,
}

impl Pattern {
    fn is_match(&self, text: &str) -> bool {
        let compiled =
            || Regex::new(&self.pattern).expect("tests/languages.rs compiles every pattern");
        self.regex.get_or_init(compiled).is_match(text)
    }
}

impl Text {
    fn fits(&self, text: &str) -> bool {
        match self {
            Text::Is(wanted) => text == wanted,
            Text::Begins(wanted) => text.starts_with(wanted.as_str()),
            Text::Matches(pattern) => pattern.is_match(text),
        }
    }
}

#[derive(Clone, Debug)]
enum ChildPattern {
    Has {
        field: Option<NonZeroU16>,
        /// Whether no other named child may stand before it.
        first: bool,
        node: NodePattern,
    },
    HasNot {
        field: NonZeroU16,
    },
}

impl NodePattern {
    fn may_be(&self, kind: u16) -> bool {
        let kinds = self.kinds.as_ref();
        kinds.is_none_or(|kinds| kinds.contains(&kind))
    }

    fn kind_fits(&self, node: Node<'_>) -> bool {
        match &self.kinds {
            Some(kinds) => kinds.contains(&node.kind_id()),
            None => node.is_named(),
        }
    }

    fn text_fits(&self, node: Node<'_>, text: TextOf<'_>) -> bool {
        if self.texts.is_empty() {
            return true;
        }
        let text = text(node);
        self.texts.iter().any(|wanted| wanted.fits(&text))
    }

    pub(super) fn matches<'a>(
        &self,
        node: Node<'a>,
        text: TextOf<'_>,
        captured: &mut Vec<(&'static str, Node<'a>)>,
    ) -> bool {
        let known = captured.len();
        let holds = self.kind_fits(node)
            && self.text_fits(node, text)
            && self.children_match(node, text, captured);
        match holds {
            true => captured.extend(self.captures.iter().map(|capture| (*capture, node))),
            false => captured.truncate(known),
        }
        holds
    }

    fn children_match<'a>(
        &self,
        node: Node<'a>,
        text: TextOf<'_>,
        captured: &mut Vec<(&'static str, Node<'a>)>,
    ) -> bool {
        let mut alternatives = self.alternatives.iter();
        if !self.alternatives.is_empty()
            && !alternatives.any(|one| one.matches(node, text, captured))
        {
            return false;
        }
        // Of two of one type the second is behind the first.
        let mut last: Option<(&NodePattern, usize)> = None;
        self.children.iter().all(|child| match child {
            ChildPattern::HasNot { field } => node.child_by_field_id(field.get()).is_none(),
            ChildPattern::Has {
                first: true,
                node: wanted,
                ..
            } => first_child(node).is_some_and(|child| wanted.matches(child, text, captured)),
            ChildPattern::Has {
                field: Some(field),
                node: wanted,
                ..
            } => {
                // Most fields have one child, to which no walk is needed.
                let first = node.child_by_field_id(field.get());
                first.is_some_and(|child| wanted.matches(child, text, captured)) || {
                    let mut cursor = node.walk();
                    node.children_by_field_id(*field, &mut cursor)
                        .any(|child| wanted.matches(child, text, captured))
                }
            }
            ChildPattern::Has {
                field: None,
                node: wanted,
                ..
            } => {
                let alike = last.filter(|(one, _)| one.kinds == wanted.kinds);
                let first = alike.map_or(0, |(_, index)| index + 1);
                let mut cursor = node.walk();
                let mut children = node.children(&mut cursor).enumerate().skip(first);
                let found = children.find(|(_, child)| wanted.matches(*child, text, captured));
                last = found.map(|(index, _)| (wanted, index)).or(last);
                found.is_some()
            }
        })
    }

    /// The pattern in it that has the capture.
    fn captured_as(&mut self, wanted: &str) -> Option<&mut NodePattern> {
        if self.is_captured_as(wanted) {
            return Some(self);
        }
        let children = self.children.iter_mut().filter_map(|child| match child {
            ChildPattern::Has { node, .. } => Some(node),
            ChildPattern::HasNot { .. } => None,
        });
        children
            .chain(&mut self.alternatives)
            .find_map(|node| node.captured_as(wanted))
    }

    /// The patterns right in it.
    fn inner(&self) -> impl Iterator<Item = &NodePattern> {
        let children = self.children.iter().filter_map(|child| match child {
            ChildPattern::Has { node, .. } => Some(node),
            ChildPattern::HasNot { .. } => None,
        });
        children.chain(&self.alternatives)
    }

    fn has_texts(&self) -> bool {
        !self.texts.is_empty() || self.inner().any(NodePattern::has_texts)
    }

    /// Whether the node itself has the capture.
    pub(super) fn is_captured_as(&self, wanted: &str) -> bool {
        self.captures.contains(&wanted)
    }

    pub(super) fn has_capture(&self, wanted: &str) -> bool {
        self.is_captured_as(wanted) || self.inner().any(|one| one.has_capture(wanted))
    }

    fn all_captures(&self) -> Vec<&'static str> {
        let mut all = self.captures.clone();
        all.extend(self.inner().flat_map(NodePattern::all_captures));
        all
    }
}

/// The first named child, comments left aside.
fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find(|child| !child.is_extra())
}

/// Where in a file something stands.
#[derive(Clone, Copy)]
struct Place {
    file: &'static str,
    text: &'static str,
    /// What is left of the text from there.
    rest: &'static str,
}

impl Place {
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
pub(super) struct Rule {
    place: Place,
    pub(super) root: NodePattern,
    pub(super) settings: Vec<(&'static str, String)>,
}

impl Rule {
    pub(super) fn error(&self, problem: &str) -> QueryError {
        self.place.error(problem)
    }

    /// The pattern seen from the node captured as `capture`.
    pub(super) fn captured_at(mut self, capture: &str) -> Result<Captured, QueryError> {
        let mut above = Vec::new();
        let mut node = std::mem::take(&mut self.root);
        while !node.is_captured_as(capture) {
            let holds = |child: &ChildPattern| match child {
                ChildPattern::Has { node, .. } => node.has_capture(capture),
                ChildPattern::HasNot { .. } => false,
            };
            let Some(index) = node.children.iter().position(holds) else {
                return Err(self.error(&format!("@{capture} stands in an alternative")));
            };
            let ChildPattern::Has {
                field,
                first,
                node: child,
            } = node.children.swap_remove(index)
            else {
                return Err(self.error(&format!("@{capture} is of no node")));
            };
            above.insert(0, Above { node, field, first });
            node = child;
        }
        Ok(Captured { node, above })
    }

    /// The one capture that begins with `prefix`, and the rest of its name.
    pub(super) fn one_capture_with_prefix(
        &self,
        prefix: &str,
    ) -> Result<(&'static str, &'static str), QueryError> {
        let all = self.root.all_captures();
        let mut fitting = all
            .iter()
            .filter(|one| !one.starts_with('_'))
            .filter_map(|one| Some((*one, one.strip_prefix(prefix)?)));
        match (fitting.next(), fitting.next()) {
            (Some(found), None) => Ok(found),
            _ => Err(self.error(&format!(
                "one capture @{prefix}... is wanted, found {all:?}"
            ))),
        }
    }

    pub(super) fn allow_captures(&self, allowed: &[&str]) -> Result<(), QueryError> {
        let all = self.root.all_captures();
        let is_unknown = |one: &&&str| !one.starts_with('_') && !allowed.contains(*one);
        match all.iter().find(is_unknown) {
            Some(unknown) => Err(self.error(&format!("no room reads the capture @{unknown}"))),
            None => Ok(()),
        }
    }

    pub(super) fn asks_for_no_text(&self) -> Result<(), QueryError> {
        match self.root.has_texts() {
            true => Err(self.error("no text of a node is asked for in this file")),
            false => Ok(()),
        }
    }

    pub(super) fn unknown_setting(&self, key: &str, value: &str) -> QueryError {
        self.error(&format!("no room reads the setting {key} \"{value}\""))
    }

    pub(super) fn allow_settings(&self, allowed: &[&str]) -> Result<(), QueryError> {
        let mut settings = self.settings.iter();
        match settings.find(|(key, _)| !allowed.contains(key)) {
            Some((key, _)) => Err(self.error(&format!("no room reads the setting {key}"))),
            None => Ok(()),
        }
    }

    pub(super) fn setting(&self, wanted: &str) -> Option<String> {
        let mut settings = self.settings.iter();
        let found = settings.find(|(key, _)| *key == wanted);
        found.map(|(_, value)| value.clone())
    }
}

/// The patterns of a file, in its order.
///
/// # Errors
/// It is outside the subset, or names what the grammar does not have.
pub(super) fn parse(
    (file, text): (&'static str, &'static str),
    grammar: &Grammar<'_>,
) -> Result<Vec<Rule>, QueryError> {
    let mut reader = Reader {
        at: Place {
            file,
            text,
            rest: text,
        },
        grammar,
        settings: Vec::new(),
        texts: Vec::new(),
    };
    let mut rules = Vec::new();
    while reader.peek().is_some() {
        let place = reader.at;
        let mut root = reader.pattern()?;
        for (capture, texts) in std::mem::take(&mut reader.texts) {
            let Some(node) = root.captured_as(capture) else {
                return reader.error(format!("nothing is captured as @{capture}"));
            };
            node.texts = texts;
        }
        let settings = std::mem::take(&mut reader.settings);
        rules.push(Rule {
            place,
            root,
            settings,
        });
    }
    Ok(rules)
}

/// Reads patterns from the front of what is left. Query files are ours and shallow, so that
/// recursion follows their depth without danger.
struct Reader<'a> {
    at: Place,
    grammar: &'a Grammar<'a>,
    settings: Vec<(&'static str, String)>,
    /// What is captured, and of what its text must be one.
    texts: Vec<(&'static str, Vec<Text>)>,
}

impl Reader<'_> {
    fn error<T>(&self, problem: impl Into<String>) -> Result<T, QueryError> {
        Err(self.at.error(problem))
    }

    /// The next character that is neither blank nor in a comment.
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
            return self.error(format!("a name is wanted at {rest:.20}"));
        }
        self.at.rest = rest;
        Ok(word)
    }

    fn string(&mut self) -> Result<String, QueryError> {
        if !self.take('"') {
            return self.error("a string is wanted");
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
                    _ => return self.error("a backslash stands before a quote or a backslash"),
                },
                c => text.push(c),
            }
        }
        self.error("a string does not end")
    }

    /// A node, or a node and directives in brackets.
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
            false => self.error("a group of siblings is not in the subset"),
        }
    }

    fn captured_node(&mut self) -> Result<NodePattern, QueryError> {
        let mut node = self.node()?;
        while self.take('@') {
            node.captures.push(self.word()?);
        }
        match self.peek() {
            Some(c @ ('?' | '*' | '+' | '.')) => self.error(format!("{c} is not in the subset")),
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
            return self.error("a node is wanted");
        }
        if matches!(self.peek(), Some('(' | '[')) {
            return self.error("a group of siblings is not in the subset");
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
                    return self.error("a field name is followed by a colon");
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
                None => return self.error("a wildcard among alternatives says nothing"),
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
        let test: Option<fn(String) -> Text> = match name {
            "eq" | "any-of" => Some(Text::Is),
            "starts-with" => Some(Text::Begins),
            "match" => Some(|pattern| {
                let regex = OnceLock::new();
                Text::Matches(Pattern { regex, pattern })
            }),
            _ => None,
        };
        if let Some(test) = test.filter(|_| self.take('?') && self.take('@')) {
            let capture = self.word()?;
            let mut texts = Vec::new();
            while !self.take(')') {
                texts.push(test(self.string()?));
            }
            self.texts.push((capture, texts));
            return Ok(());
        }
        if name != "set" || !self.take('!') {
            return self.error(format!("#{name} is not in the subset"));
        }
        let key = self.word()?;
        let value = self.string()?;
        self.settings.push((key, value));
        match self.take(')') {
            true => Ok(()),
            false => self.error("#set! takes a key and a string"),
        }
    }

    fn kind(&self, name: &str, named: bool) -> Result<u16, QueryError> {
        match self.grammar.id_for_node_kind(name, named) {
            0 => self.error(format!("the grammar has no node type {name}")),
            id => Ok(id),
        }
    }

    /// The node type, or for a supertype all types below it.
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
