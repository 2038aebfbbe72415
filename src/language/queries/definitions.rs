//! `tags.scm`: which nodes are definitions, and their names.

use std::ops::Range;

use tree_sitter::Node;

use super::marks::Mark;
use super::rule::QueryRule;
use super::{NO_TEXT, NONE, QueryError, Tables, TextOf};

/// What makes a node a definition.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    kind: &'static str,
    /// `#set! level`: the definition ends before the next one of the same or a higher level (1 is the highest).
    level: Option<u8>,
    /// `#set! names "all"`: all siblings of the name that have its type are names too.
    all_names: bool,
    /// `#set! name`: a text in which `@capture` is replaced by the captured text, and `..@capture` by the text of the
    /// definition before it.
    name: Option<String>,
    /// `#set! alias`: a text of the same form for the second name.
    alias: Option<String>,
}

/// A definition found at a node.
pub(crate) struct Tag<'t, 'a> {
    /// The word after `definition.`.
    pub(crate) kind: &'t str,
    /// Its level, if the level determines where it ends.
    pub(crate) level: Option<u8>,
    all_names: bool,
    /// The node of the declared name.
    pub(crate) name: Node<'a>,
    /// The node of the definition.
    node: Node<'a>,
    tables: &'t Tables,
    /// The node of a second name.
    alias: Option<Node<'a>>,
    name_template: Option<&'t str>,
    alias_template: Option<&'t str>,
    captured: Vec<(&'static str, Node<'a>)>,
}

impl<'a> Tag<'_, 'a> {
    /// Returns all names that the definition declares: `a` and `b` of `a, b int`.
    pub(crate) fn names(&self) -> Vec<Node<'a>> {
        let of_any_type = self.tables.uses(Mark::Named);
        let list = self.all_names.then(|| self.name.parent()).flatten();
        let names = match list {
            Some(list) => children_like(list, self.name),
            None => nodes_like(self.node, self.name, of_any_type),
        };
        names
            .into_iter()
            .map(|name| self.tables.innermost_named(name))
            .collect()
    }

    /// Returns the name of the definition as written at `name`, one of its names; `text` returns the text of a range.
    pub(crate) fn name_text(
        &self,
        name: Node<'a>,
        text: impl Fn(Range<usize>) -> String,
    ) -> String {
        match self.name_template {
            Some(template) => self.filled(template, text),
            None => text(name.byte_range()),
        }
    }

    /// Returns the second name; `text` returns the text of a range.
    pub(crate) fn alias_text(&self, text: impl Fn(Range<usize>) -> String) -> Option<String> {
        match self.alias_template {
            Some(template) => Some(self.filled(template, text)),
            None => self.alias.map(|alias| text(alias.byte_range())),
        }
    }

    /// Replaces each `@capture` in the template by the captured text, and each `..@capture` by the text before it.
    fn filled(&self, template: &str, text: impl Fn(Range<usize>) -> String) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('@') {
            let is_name_char = |c: char| c.is_alphanumeric() || c == '_';
            let end = after.find(|c| !is_name_char(c)).unwrap_or(after.len());
            let (wanted, following) = after.split_at(end);
            let up_to = before.strip_suffix("..");
            filled.push_str(up_to.unwrap_or(before));
            let captured = self.captured.iter().find(|(capture, _)| *capture == wanted);
            if let Some((_, node)) = captured {
                let bytes = match up_to {
                    Some(_) => self.node.start_byte()..node.start_byte(),
                    None => node.byte_range(),
                };
                filled.push_str(text(bytes).trim_end());
            }
            rest = following;
        }
        filled + rest
    }
}

/// Returns the children of `node` that have the type of `child`, one of them.
fn children_like<'a>(node: Node<'a>, child: Node<'a>) -> Vec<Node<'a>> {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    children
        .filter(|one| one.kind_id() == child.kind_id())
        .collect()
}

/// Returns the descendants of `root` in positions like that of `name`, one of them: in the same fields of nodes of the
/// same types. The names themselves may be `of_any_type`.
fn nodes_like<'a>(root: Node<'a>, name: Node<'a>, of_any_type: bool) -> Vec<Node<'a>> {
    let mut found = vec![root];
    let mut current = root;
    while current != name {
        let mut cursor = current.walk();
        if cursor
            .goto_first_child_for_byte(name.start_byte())
            .is_none()
        {
            return vec![name];
        }
        let Some(field) = cursor.field_id() else {
            return vec![name];
        };
        current = cursor.node();
        let below = |node: Node<'a>| {
            let mut cursor = node.walk();
            let children = node.children_by_field_id(field, &mut cursor);
            let is_any = of_any_type && current == name;
            let alike = children.filter(|child| is_any || child.kind_id() == current.kind_id());
            alike.collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(below).collect();
    }
    found
}

impl Tables {
    pub(super) fn add_definition(&mut self, rule: QueryRule) -> Result<(), QueryError> {
        let (capture, kind) = rule.one_capture_with_prefix("definition.")?;
        rule.allow_captures(&[capture, "name", "alias", "trait", "type", "body"])?;
        if kind != NONE && !rule.captures.contains(&"name") {
            return Err(rule.error("a definition needs a @name"));
        }
        rule.allow_settings(&["name", "names", "alias", "level"])?;
        let all_names = match rule.setting("names").as_deref() {
            Some("all") => true,
            Some(_) => return Err(rule.error("names must be \"all\"")),
            None => false,
        };
        let level = match rule.setting("level").map(|level| level.parse()) {
            Some(Ok(level)) => Some(level),
            Some(Err(_)) => return Err(rule.error("level must be a number from 0 to 255")),
            None => None,
        };
        let definition = Definition {
            kind,
            level,
            all_names,
            name: rule.setting("name"),
            alias: rule.setting("alias"),
        };
        self.definitions.add(rule.captured_at(capture)?, definition);
        Ok(())
    }

    /// Returns the definition at `node`, if there is one. `above` are its ancestors as far as the caller knows them,
    /// the nearest last.
    pub(crate) fn tag<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
    ) -> Option<Tag<'_, 'a>> {
        let mut captured = Vec::new();
        let (_, definition) = self.definitions.find(node, above, text, &mut captured)?;
        if definition.kind == NONE {
            return None;
        }
        let of = |wanted: &str| {
            captured
                .iter()
                .find(|(capture, _)| *capture == wanted)
                .map(|(_, node)| *node)
        };
        let name = of("name")?;
        Some(Tag {
            kind: definition.kind,
            level: definition.level,
            all_names: definition.all_names,
            name,
            node,
            tables: self,
            alias: of("alias").map(|alias| self.innermost_named(alias)),
            name_template: definition.name.as_deref(),
            alias_template: definition.alias.as_deref(),
            captured,
        })
    }

    /// Returns the name itself, which may be deep in `node`: `f` in `**f(int a)`.
    fn innermost_named<'a>(&self, mut node: Node<'a>) -> Node<'a> {
        while self.uses(Mark::Named) {
            let mut cursor = node.walk();
            let mut children = node.named_children(&mut cursor);
            let is_named = |child: &Node<'a>| self.has_below(Mark::Named, *child, &[node], NO_TEXT);
            let Some(inner) = children.find(is_named) else {
                break;
            };
            node = inner;
        }
        node
    }

    /// Returns the kinds of definitions of the language: `function`, `struct`, `key`, ...
    #[cfg(feature = "disk")]
    pub(crate) fn symbol_kinds(&self) -> impl Iterator<Item = &str> {
        let kinds = self.definitions.values().map(|definition| definition.kind);
        kinds.filter(|kind| *kind != NONE)
    }

    /// Returns whether definitions of the language have levels.
    pub(crate) fn has_levels(&self) -> bool {
        let mut definitions = self.definitions.values();
        definitions.any(|definition| definition.level.is_some())
    }
}
