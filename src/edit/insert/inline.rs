//! Content within a line, with the spaces that the siblings have.

use crate::language::queries::List;
use crate::parse::Node;
use crate::source::Span;

use super::super::insertion_point::{InsertionPoint, Neighbour};
use super::super::siblings::{Element, Siblings};
use super::{Inserted, Layout};

impl InsertionPoint<'_> {
    /// Returns the content within a line.
    pub(super) fn inline(&self, layout: &Layout<'_, '_>) -> Inserted {
        let neighbour = self.element(self.previous).or(self.element(self.next));
        let at = neighbour.map_or(self.siblings.parent.span(), |element| element.core);
        let separated = self.separated(layout.content.text, false, layout.nodes);
        let target = self.target_in_line(at.end());
        let (content, mut notes) = layout.reindented(&separated.content, target);
        notes.extend(separated.dropped);
        let mut inserted = Inserted {
            at: Span::at(at.end()),
            before: String::new(),
            content,
            after: separated.after,
            previous_separator: separated.previous_separator,
            opening: None,
            closing: None,
            surplus: None,
            notes,
        };
        match (self.inner(self.previous), self.inner(self.next)) {
            (None, None) if self.siblings.closing().is_some() => self.fill_brackets(&mut inserted),
            (None, Some(next)) => self.put_before_first(&mut inserted, next),
            (Some(_), Some(next)) if self.named == Neighbour::Next => {
                inserted.at = Span::at(next.start());
                inserted.after += &self.inline_space();
            }
            _ => self.put_after_previous(&mut inserted, at.end()),
        }
        inserted
    }

    /// Puts the content into an empty pair of brackets, with spaces if there is one before the opening brace.
    fn fill_brackets(&self, inserted: &mut Inserted) {
        let (Some(open), Some(close)) = (self.element(self.previous), self.element(self.next))
        else {
            return;
        };
        let source = self.parsed.source();
        let preceding = source.slice(Span::new(0, open.core.start()));
        let bracket = source.slice(open.core);
        let is_spaced = bracket == "{" && preceding.ends_with([' ', '\t']);
        inserted.at = Span::new(open.end, close.core.start());
        // A word, like the name of a tag, needs a space after it.
        let is_word = bracket.ends_with(char::is_alphanumeric);
        let space = if is_spaced || is_word { " " } else { "" };
        inserted.before = space.to_string();
        inserted.after += &match is_word {
            true => source.slice(inserted.at).into_owned(),
            false => space.to_string(),
        };
    }

    /// Puts the content before the first member. In a list with leading separators one of the two gets one.
    fn put_before_first(&self, inserted: &mut Inserted, next: &Element<'_>) {
        inserted.at = Span::at(next.start());
        let lead = self.leading_separator();
        if let Some(lead) = lead.filter(|_| self.has_leading_separators(false)) {
            match self.first_without_separator() {
                Some(_) => inserted.after += &format!(" {lead}"),
                None => inserted.before = lead,
            }
            let is_spaced = inserted.before.is_empty();
            inserted.after += if is_spaced { "" } else { " " };
            return;
        }
        inserted.after += &self.inline_space();
        inserted.surplus = self.separator_of_only_member();
    }

    /// Puts the content after the previous element, else before the next one, else at `end`.
    fn put_after_previous(&self, inserted: &mut Inserted, end: usize) {
        let space = self.inline_space();
        let is_closed_up = |text: &str| {
            text.starts_with(',') || (self.siblings.is_prose() && text.starts_with(is_closing))
        };
        match (self.element(self.previous), self.element(self.next)) {
            (None, Some(next)) => {
                inserted.at = Span::at(next.start());
                inserted.after += &space;
            }
            (previous, _) => {
                inserted.at = Span::at(previous.map_or(end, |previous| previous.end));
                if !is_closed_up(&inserted.content) {
                    inserted.before = space;
                }
            }
        }
    }

    /// Returns the whitespace between two neighbors in one line: as here, else as between other
    /// siblings, else as in the enclosing list, else as in a member that is a list.
    fn inline_space(&self) -> String {
        if let Some(continuation) = self.continuation() {
            return continuation;
        }
        if self.siblings.is_prose() && self.siblings.has_words {
            return if self.words_touch() { "" } else { " " }.to_string();
        }
        let here = self.element(self.previous).zip(self.element(self.next));
        let here = here.and_then(|(previous, next)| self.space_between(previous, next));
        let among = |siblings: &Siblings<'_>| {
            let mut pairs = siblings.elements.windows(2);
            pairs.find_map(|pair| self.space_between(&pair[0], &pair[1]))
        };
        let in_list = |node: Node<'_>| {
            let siblings = Siblings::for_parent(self.parsed, node);
            let is_same = siblings.list.map(List::token) == self.list().map(List::token);
            is_same.then(|| among(&siblings)).flatten()
        };
        let is_list = |node: &Node<'_>| node.list().is_some();
        let enclosing = || {
            let mut above = self.container.iter().rev().skip(1).copied();
            in_list(above.find(is_list)?)
        };
        let nested = || {
            let members = self.siblings.members().map(|member| member.node);
            members.filter(is_list).find_map(in_list)
        };
        let usual = || if self.siblings.is_prose() { "" } else { " " };
        here.or_else(|| among(&self.siblings))
            .or_else(enclosing)
            .or_else(nested)
            .unwrap_or_else(|| usual().to_string())
    }

    /// Returns whether the neighbors are words of prose without a space between them.
    fn words_touch(&self) -> bool {
        let neighbours = self.inner(self.previous).zip(self.inner(self.next));
        neighbours.is_some_and(|(previous, next)| {
            let between = Span::new(previous.end, next.start().max(previous.end));
            let between = self.parsed.source().slice(between);
            !between.starts_with(char::is_whitespace)
        })
    }

    /// Returns the spaces between two members; `None` if there is more between them than spaces and
    /// a separator.
    fn space_between(&self, one: &Element<'_>, other: &Element<'_>) -> Option<String> {
        let are_inside = one.is_inside() && other.is_inside();
        let is_separated = self.list().is_none() || one.separator.is_some();
        let between = Span::new(one.end, other.start().max(one.end));
        let text = self.parsed.source().slice(between);
        let is_blank = text.chars().all(|c| matches!(c, ' ' | '\t'));
        // Two words of running text that touch may be one token.
        let is_model = !text.is_empty() || !self.siblings.is_running_text;
        (are_inside && is_separated && is_blank && is_model).then(|| text.into_owned())
    }
}

/// Returns whether no space precedes this punctuation mark in prose.
fn is_closing(mark: char) -> bool {
    matches!(mark, '.' | ',' | ';' | ':' | '!' | '?' | ')')
}
