//! `attached.scm`: what moves with a node.

use tree_sitter::Node;

use super::marks::Mark;
use super::rule::QueryRule;
use super::{NONE, QueryError, Tables, TextOf};

/// The kind of documentation.
const DOC: &str = "doc";

/// How a node is attached to the following one.
#[derive(Debug)]
pub(crate) struct AttachedKind {
    /// `doc`, `attribute`, ...
    pub(crate) kind: &'static str,
    /// `#set! touching "lines"`: no blank line may separate the two, and it may follow another node on its line
    /// instead.
    pub(crate) is_touching: bool,
    /// The node it belongs to if it has lines of its own.
    pub(crate) attached_to: AttachedTo,
    /// `#set! begins "same"`: it is a declaration of its own, attached to a node that starts with the same word.
    pub(crate) begins_same: bool,
    /// `#set! group "last"`: of several of its kind that are separated by blank lines, only those after the last blank
    /// line belong to the following node.
    pub(crate) is_of_last_group: bool,
}

impl AttachedKind {
    /// Returns whether the node is documentation by its own form, and not because of its place above a definition.
    pub(crate) fn is_doc_by_itself(&self) -> bool {
        self.kind == DOC && !self.is_touching
    }
}

/// The node that docs on lines of their own belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttachedTo {
    /// The following node.
    Following,
    /// `#set! attached_to "preceding"`: the preceding node that they touch.
    Preceding,
    /// `#set! attached_to "either"`: the preceding node that they touch, if a blank line or the end follows.
    Either,
}

/// The signs by which nodes are found that are not where the grammar puts them.
pub(crate) struct SignsOfMoved<'t> {
    /// What such a node starts with.
    pub(crate) starts: Vec<&'t str>,
    /// What is on the line above such a node.
    pub(crate) below: Vec<&'t str>,
}

impl Tables {
    pub(super) fn add_attached(&mut self, rule: QueryRule) -> Result<(), QueryError> {
        let (capture, kind) = rule.one_capture_with_prefix("attached.")?;
        rule.allow_settings(&["touching", "attached_to", "begins", "group"])?;
        let kind = AttachedKind {
            kind,
            is_touching: rule.flag("touching", "lines")?,
            attached_to: match rule.setting("attached_to").as_deref() {
                None => AttachedTo::Following,
                Some("preceding") => AttachedTo::Preceding,
                Some("either") => AttachedTo::Either,
                Some(other) => return Err(rule.unknown_setting("attached_to", other)),
            },
            begins_same: rule.flag("begins", "same")?,
            is_of_last_group: rule.flag("group", "last")?,
        };
        self.attached.add(rule.captured_at(capture)?, kind);
        Ok(())
    }

    /// Returns how `node` is attached, if it is.
    pub(crate) fn attached<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
    ) -> Option<&AttachedKind> {
        let kind = self.attached.value(node, above, text);
        kind.filter(|kind| kind.kind != NONE)
    }

    /// Returns whether a node of a type may be attached to another one in a parent of the other type.
    pub(crate) fn may_be_attached(&self, kind: u16, parent: u16) -> bool {
        self.attached
            .patterns()
            .any(|pattern| pattern.may_be(kind, parent))
    }

    /// Returns whether docs may follow the node that they belong to, on lines of their own.
    pub(crate) fn has_following_docs(&self) -> bool {
        let mut kinds = self.attached.values();
        kinds.any(|kind| kind.attached_to != AttachedTo::Following)
    }

    /// Returns whether `parent` merely wraps `node`: its other named children are attached or comments.
    pub(crate) fn is_wrapped(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        let wrapped = self.marks.rules(Mark::Wrapped);
        if wrapped.value(node, &[parent], super::NO_TEXT).is_none() {
            return false;
        }
        let mut cursor = parent.walk();
        let mut children = parent.children(&mut cursor);
        children.all(|child| match child.is_named() {
            true => child == node || child.is_extra() || self.attached.names_kind(child.kind_id()),
            // In brackets it is a member of a group, even if it is the only one.
            false => !matches!(child.kind(), "(" | "[" | "{"),
        })
    }

    /// Returns whether a node of a type may merely wrap another node; most may not.
    pub(crate) fn may_wrap(&self, kind: u16) -> bool {
        let mut wrapped = self.marks.rules(Mark::Wrapped).patterns();
        wrapped.any(|pattern| pattern.may_be_in(kind))
    }

    /// Returns whether a walk moves or hides some nodes of the grammar.
    pub(crate) fn has_moved(&self) -> bool {
        [Mark::Loose, Mark::Tail, Mark::Unseen]
            .into_iter()
            .any(|mark| self.uses(mark))
    }

    /// Returns the signs by which all moved nodes are found, or `None` if a rule gives no sign.
    pub(crate) fn signs_of_moved(&self) -> Option<SignsOfMoved<'_>> {
        let starts = self.starts_of(Mark::Loose);
        Some(SignsOfMoved {
            starts: starts
                .chain(self.starts_of(Mark::Unseen))
                .collect::<Option<_>>()?,
            below: self.starts_of(Mark::Tail).collect::<Option<_>>()?,
        })
    }
}
