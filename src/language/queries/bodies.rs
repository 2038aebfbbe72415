//! `bodies.scm`: where the body of a node is, and how its members are laid out.

use tree_sitter::Node;

use super::rule::QueryRule;
use super::{NO_TEXT, QueryError, Tables};

/// How the members of a body are laid out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    /// Whether its members are always on lines of their own.
    pub(crate) lines: bool,
    /// Whether its members are on lines of their own, with blank lines between them as in other
    /// bodies.
    pub(crate) apart: bool,
    /// Whether all members start in the column of the first one, which alone makes them members.
    pub(crate) column: bool,
    /// Whether the indentation of its lines alone determines what it contains.
    pub(crate) indented: bool,
    /// Whether its members start in one column, and a deeper line continues the preceding member.
    pub(crate) aligned: bool,
    /// Whether blank lines separate its members if the file does not show otherwise.
    pub(crate) blank: bool,
    /// Whether blank lines separate definitions of several lines if the file does not show otherwise.
    pub(crate) tall: bool,
    /// How many blank lines separate a definition if the file does not show it; one by default.
    pub(crate) between: Option<usize>,
    /// The sign or word that precedes its members, if it is not a bracket: the `:` of a case.
    pub(crate) after: Option<String>,
    /// Whether whitespace between its members has a meaning, so that none is added.
    pub(crate) prose: bool,
    /// Whether an empty body stays on its line when it gets a member.
    pub(crate) inline: bool,
}

impl Body {
    fn read(rule: &QueryRule) -> Result<Body, QueryError> {
        let mut body = Body::default();
        for (key, value) in &rule.settings {
            match (*key, value.as_str()) {
                ("members", "lines") => body.lines = true,
                ("members", "apart") => body.apart = true,
                ("members", "column") => (body.lines, body.column) = (true, true),
                ("members", "indented") => body.indented = true,
                ("members", "aligned") => body.aligned = true,
                ("spacing", "blank") => body.blank = true,
                ("spacing", "tall") => body.tall = true,
                ("after", sign) => body.after = Some(sign.to_string()),
                ("members", "prose") => body.prose = true,
                ("opens", "inline") => body.inline = true,
                ("between", "2") => body.between = Some(2),
                _ => return Err(rule.unknown_setting(key, value)),
            }
        }
        Ok(body)
    }
}

impl Tables {
    pub(super) fn add_body(&mut self, rule: QueryRule) -> Result<(), QueryError> {
        let (capture, _) = rule.one_capture_with_prefix("")?;
        rule.refuse_text()?;
        rule.allow_captures(&["body"])?;
        if rule.root.is_captured_as(capture) {
            let body = Body::read(&rule)?;
            self.bodies.add(rule.captured_at(capture)?, body);
        } else {
            rule.allow_settings(&[])?;
            self.inner_bodies.add(rule.captured_at(capture)?, ());
        }
        Ok(())
    }

    /// Returns how the members of `node` are laid out, if it is a body in any parent.
    pub(crate) fn body(&self, node: Node<'_>) -> Option<&Body> {
        self.bodies.value_of(node)
    }

    /// Returns whether `node` is the body of `parent`.
    pub(crate) fn is_body_of(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        self.body(node).is_some() || self.is_inner_body(node, &[parent])
    }

    /// Returns whether `node` is the body of the first of `above`, each of which is the parent of the next one.
    pub(crate) fn is_inner_body<'a>(&self, node: Node<'a>, above: &[Node<'a>]) -> bool {
        let rule = self
            .inner_bodies
            .find(node, above, NO_TEXT, &mut Vec::new());
        rule.is_some_and(|(pattern, ())| pattern.ancestors.len() == above.len())
    }

    /// Returns whether some body has the property, such as `|body| body.column`.
    pub(crate) fn has_body(&self, has_property: impl Fn(&Body) -> bool) -> bool {
        self.bodies.values().any(has_property)
    }
}
