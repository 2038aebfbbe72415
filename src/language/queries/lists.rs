//! `lists.scm`: nodes whose members are separated.

use tree_sitter::Node;

use super::rule::QueryRule;
use super::{QueryError, Tables};

/// A list with separators between its members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct List {
    /// The token between two members, with the whitespace before it.
    pub(crate) separator: String,
    /// Which of its children are members.
    pub(crate) members: Members,
    /// How an empty list changes when it gets a member.
    pub(crate) opens: Opens,
    /// Whether the last member has a separator too if members are on lines of their own.
    pub(crate) trailing: bool,
    /// Whether a single member needs one: `(a,)`.
    pub(crate) single: bool,
    /// Whether a single member is no list: `(a)`.
    pub(crate) is_no_list_of_one: bool,
    /// Whether the list is deleted with its last member: `<T>`.
    pub(crate) is_deleted_when_empty: bool,
    /// Whether a line break separates two members too, so that no separator is written there.
    pub(crate) or_lines: bool,
    /// Another token that may separate two members.
    pub(crate) other: Option<String>,
    /// Whether members on lines of their own need no separator.
    pub(crate) optional: bool,
    /// Whether it is not the body of its parent: `const a = 1, b = 2`.
    pub(crate) is_no_body: bool,
    /// Whether a separator at the start of a line, or before the first member, belongs to the following member.
    pub(crate) leads: bool,
}

/// Which children of a list are its members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Members {
    /// Every child is a member.
    #[default]
    Nodes,
    /// All children between two separators are one member.
    Runs,
    /// A child is a member if it is the only one between two separators; otherwise the grammar does not know what the
    /// list is.
    Alone,
}

/// How an empty list changes when it gets a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Opens {
    /// It stays on its line if the content is one line.
    #[default]
    Inline,
    /// The member gets lines of its own.
    Lines,
    /// Like the list that it is a member of.
    Around,
}

impl List {
    fn read(rule: &QueryRule) -> Result<List, QueryError> {
        let mut list = List {
            separator: ",".to_string(),
            ..List::default()
        };
        for (key, value) in &rule.settings {
            match (*key, value.as_str()) {
                ("separator", separator) => list.separator = separator.to_string(),
                ("other", other) => list.other = Some(other.to_string()),
                ("optional", "lines") => list.optional = true,
                ("inside", "none") => list.is_no_body = true,
                ("begins", "lines") => list.leads = true,
                ("members", "runs") => list.members = Members::Runs,
                ("members", "alone") => list.members = Members::Alone,
                ("opens", "lines") => list.opens = Opens::Lines,
                ("opens", "around") => list.opens = Opens::Around,
                ("trailing", "lines") => list.trailing = true,
                ("single", "separated") => list.single = true,
                ("lone", "value") => list.is_no_list_of_one = true,
                ("empty", "goes") => list.is_deleted_when_empty = true,
                ("or", "lines") => list.or_lines = true,
                _ => return Err(rule.unknown_setting(key, value)),
            }
        }
        Ok(list)
    }

    /// Returns the token between two members.
    pub(crate) fn token(&self) -> &str {
        self.separator.trim_start()
    }

    /// Returns whether either of two tokens may separate two members. If a line break separates them too, the other
    /// token has a meaning of its own: `&`.
    pub(crate) fn has_choice(&self) -> bool {
        self.other.is_some() && !self.or_lines
    }

    /// Returns `text` without the separator that it ends with, if it does. `\\;` is not a
    /// separator, nor is the end of a longer word.
    pub(crate) fn strip_end<'t>(&self, text: &'t str) -> Option<&'t str> {
        let mut tokens = self.tokens().take(if self.has_choice() { 2 } else { 1 });
        let bare = tokens.find_map(|token| {
            let bare = text.strip_suffix(token)?;
            (!(is_word(token) && bare.ends_with(is_word_char))).then_some(bare)
        })?;
        (!bare.ends_with('\\')).then_some(bare)
    }

    /// Returns whether `text` ends with another token that separates it from the following member.
    pub(crate) fn ends_itself(&self, text: &str) -> bool {
        let other = self.other.as_deref().filter(|_| !self.has_choice());
        other.is_some_and(|other| text.ends_with(other))
    }

    /// Returns `text` without the separator that it starts with, if it does.
    pub(crate) fn strip_start<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.tokens().find_map(|token| {
            let rest = text.strip_prefix(token)?;
            (!(is_word(token) && rest.starts_with(is_word_char))).then_some(rest)
        })
    }

    fn tokens(&self) -> impl Iterator<Item = &str> {
        [self.token()].into_iter().chain(self.other.as_deref())
    }

    /// Returns whether the token may separate two members.
    pub(crate) fn separates(&self, token: &str) -> bool {
        self.tokens().any(|one| one == token)
    }
}

/// Returns whether a separator is a word, which may be part of a longer word.
fn is_word(token: &str) -> bool {
    token.ends_with(char::is_alphabetic)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'')
}

impl Tables {
    pub(super) fn add_list(&mut self, rule: QueryRule) -> Result<(), QueryError> {
        rule.refuse_text()?;
        rule.allow_captures(&["list"])?;
        let list = List::read(&rule)?;
        self.lists.add(rule.captured_at("list")?, list);
        Ok(())
    }

    /// Returns how the members of `node` are separated, if it is a list.
    pub(crate) fn list(&self, node: Node<'_>) -> Option<&List> {
        self.lists.value_of(node)
    }
}
