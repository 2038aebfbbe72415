//! The separators between the content and its neighbors in a list.

use crate::change::EditNote;
use crate::language::queries::{List, Mark};

use super::super::insertion_point::{InsertionPoint, Neighbour};
use super::super::siblings::Element;
use super::content::{InsertedNodes, start_of_last_line};

/// Content with the separators that its list requires.
#[derive(Default)]
pub(super) struct Separated {
    pub(super) content: String,
    /// The separator after the content.
    pub(super) after: String,
    /// The separator that the previous member gets, and where.
    pub(super) previous_separator: Option<(usize, String)>,
    /// The note that a separator of the content was left out.
    pub(super) dropped: Option<EditNote>,
    /// Whether the content has its own leading separator.
    pub(super) has_leading: bool,
}

impl InsertionPoint<'_> {
    /// Returns the content with its separators: after it, and before a comment that it ends with.
    pub(super) fn separated(
        &self,
        content: &str,
        on_lines: bool,
        nodes: Option<&InsertedNodes>,
    ) -> Separated {
        let Some(list) = self.list().filter(|_| !self.is_attached_alone) else {
            return Separated {
                content: content.to_string(),
                ..Separated::default()
            };
        };
        if self.has_leading_separators(on_lines) {
            return with_leading_separator(content, list);
        }
        let end = nodes
            .and_then(|nodes| nodes.end_before_comment)
            .map(|end| start_of_last_line(content) + end)
            .filter(|end| content.is_char_boundary(*end));
        let (body, comment) = content.split_at(end.unwrap_or(content.len()));
        let body = body.trim_end();
        let (bare, comment) = match list.strip_start(comment.trim_start()) {
            Some(rest) => (body, rest),
            None => (list.strip_end(body).unwrap_or(body), comment),
        };
        let bare = bare.trim_end();
        let bare = list
            .strip_start(bare)
            .map_or(bare, |bare| bare.trim_start_matches([' ', '\t']));
        let had_none = bare.len() + comment.len() == content.len();
        let (previous_separator, separator) = self.separators(list, on_lines, !had_none, nodes);
        let is_dropped = !had_none && separator.is_empty();
        // A separator on a line of its own stays there; some contents end themselves.
        let own = body.strip_prefix(bare).unwrap_or_default();
        let stays = !separator.is_empty()
            && comment.is_empty()
            && own.contains('\n')
            && list.strip_end(own).is_some();
        let (content, after) = match list.ends_itself(bare) {
            true => (bare, String::new()),
            false if stays => (body, String::new()),
            false => (bare, separator),
        };
        let (content, after) = match comment.is_empty() {
            true => (content.to_string(), after),
            false => (format!("{content}{after}{comment}"), String::new()),
        };
        Separated {
            content,
            after,
            previous_separator,
            dropped: is_dropped.then(|| match list.token() {
                "," => EditNote::CommaDropped,
                token => EditNote::SeparatorDropped {
                    text: token.to_string(),
                },
            }),
            has_leading: false,
        }
    }

    /// Returns whether the separator is before the content, or before the member that the content precedes.
    pub(super) fn has_leading_separators(&self, on_lines: bool) -> bool {
        let is_before_first =
            || self.inner(self.previous).is_none() && self.inner(self.next).is_some();
        (on_lines || is_before_first()) && self.leading_separator().is_some()
    }

    /// Returns the separator that the previous member lacks and where it goes, and the separator after the content.
    /// `given` is whether the content had its own.
    fn separators(
        &self,
        list: &List,
        on_lines: bool,
        given: bool,
        nodes: Option<&InsertedNodes>,
    ) -> (Option<(usize, String)>, String) {
        let separator = self.siblings.separator(self.parsed).unwrap_or_default();
        let needs_none = |element: &Element<'_>| element.node.is(Mark::Unseparated);
        let (mut previous, mut next) = self.members();
        if list.optional && on_lines {
            // As the nearest member that could have one.
            let nearest = [previous, next].into_iter().flatten();
            let mut models = nearest.chain(self.siblings.members());
            let model = models.find(|one| !needs_none(one));
            let is_usual = model.map_or(given, |one| one.separator.is_some());
            let is_after = is_usual && !nodes.is_some_and(|nodes| nodes.needs_no_separator);
            return (None, if is_after { separator } else { String::new() });
        }
        if list.or_lines {
            // A line break separates the content from a neighbor in another line.
            let neighbours = self.element(self.previous).zip(self.element(self.next));
            let are_on_lines = neighbours.is_some_and(|(previous, next)| {
                self.lines().breaks(previous.end, next.start()) > 0
            });
            let is_other = |named| on_lines || (are_on_lines && self.named == named);
            previous = previous.filter(|_| !is_other(Neighbour::Next));
            next = next.filter(|_| !is_other(Neighbour::Previous));
        }
        let lacking = previous.filter(|one| one.separator.is_none() && !needs_none(one));
        let is_required = match (previous, next) {
            (_, Some(_)) => true,
            (Some(_), None) if !on_lines && self.separator_of_only_member().is_some() => false,
            (Some(previous), None) if previous.separator.is_some() => true,
            (Some(previous), None) if !needs_none(previous) => false,
            (Some(_), None) => on_lines && list.trailing,
            (None, None) => (on_lines && list.trailing) || list.single,
        };
        // Without a tree: the content is probably of the kind of its neighbor.
        let named = match self.named {
            Neighbour::Previous => previous,
            Neighbour::Next => next,
        };
        let needs_no_separator = match nodes {
            Some(nodes) => nodes.needs_no_separator,
            None => named.is_some_and(needs_none),
        };
        let is_after = is_required && !needs_no_separator;
        (
            lacking.map(|previous| (previous.core.end(), separator.clone())),
            if is_after { separator } else { String::new() },
        )
    }
}

/// Returns the content without its separators; the list's leading one is added later.
fn with_leading_separator(content: &str, list: &List) -> Separated {
    let bare = content.trim();
    let rest = list.strip_start(bare).map(str::trim_start);
    let bare = rest.unwrap_or(bare);
    Separated {
        content: list.strip_end(bare).unwrap_or(bare).trim_end().to_string(),
        has_leading: rest.is_some(),
        ..Separated::default()
    }
}
