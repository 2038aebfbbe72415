//! The separators a list needs after the edit: contents may come with or without their own.

use crate::change::{Change, EditNote};
use crate::language::queries::{List, Mark};
use crate::parse::{Node, Parsed};
use crate::source::Span;

/// What became of the separator (mostly a comma) at the end of replaced content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The separator, with the blanks before it.
    token: &'static str,
    comma: Comma,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comma {
    /// The content is right as it is.
    AsGiven,
    /// The old node ended with a comma of its own, the content did not.
    Added,
    /// Members like it end with a comma of their own, the content does not and may need none: it
    /// ends with a block, or the old node had none.
    PerhapsNeeded,
    /// The content ends with a comma where the place has its own, or none, behind the node: too
    /// much unless it is part of a comment.
    PerhapsSurplus,
    /// The comma stands behind the node, or the list has none there.
    Dropped,
}

impl Ending {
    /// The content is right as it is.
    pub(crate) const AS_GIVEN: Ending = Ending {
        token: ",",
        comma: Comma::AsGiven,
    };

    /// What the tree of the last round says of it; `content` is brought in line.
    pub(crate) fn settled(self, last: &Change<'_>, content: &mut String) -> Ending {
        let (token, sign) = (self.token, self.token.trim_start());
        let comma = match self.comma {
            Comma::Added if !ends_in(sign, last) || is_alone(last) || has_more_problems(last) => {
                content.truncate(content.len() - token.len());
                Comma::AsGiven
            }
            Comma::PerhapsNeeded if has_more_problems(last) => {
                content.push_str(token);
                Comma::Added
            }
            Comma::PerhapsSurplus if ends_in(sign, last) => {
                content.truncate(content.len() - token.len());
                Comma::Dropped
            }
            Comma::PerhapsSurplus => Comma::AsGiven,
            // The old node did without, as an arm that ends with a block does; this one does not.
            Comma::Dropped if has_more_problems(last) => {
                content.push_str(token);
                Comma::AsGiven
            }
            settled => settled,
        };
        Ending { token, comma }
    }

    /// What the preview says of it.
    pub(crate) fn note(self) -> Option<EditNote> {
        match self.comma {
            Comma::Added if self.token != "," => Some(EditNote::SeparatorAdded {
                text: self.token.trim_start().to_string(),
            }),
            Comma::Added => Some(EditNote::CommaAdded),
            Comma::Dropped if self.token == ";" => Some(EditNote::SemicolonDropped),
            Comma::Dropped => Some(EditNote::CommaDropped),
            Comma::AsGiven | Comma::PerhapsNeeded | Comma::PerhapsSurplus => None,
        }
    }
}

/// Brings the end of `content`, which replaces the last node of `chain`, in line with the old.
pub(crate) fn for_replacement(
    parsed: &Parsed,
    chain: &[Node<'_>],
    content: &str,
) -> (String, Ending) {
    let bare = content.trim_end();
    let Some((node, above)) = chain.split_last() else {
        return (content.to_string(), Ending::AS_GIVEN);
    };
    let list = above.last().and_then(|parent| {
        let list = parent.list()?;
        node.is_of_tree_of(*parent).then_some(list)
    });
    // A member whose separator stands before it is no more than what is behind that.
    let behind = list
        .filter(|list| list.leads)
        .and_then(|list| list.strip_start(bare));
    let (content, bare) = match behind.map(str::trim_start) {
        Some(behind) => (behind, behind),
        None => (content, bare),
    };
    let token = list.map_or(",", List::token);
    let separator = list.map_or(",", |list| list.separator.as_str());
    let may_end = node.is(Mark::Ended);
    let is_ended = node.last_child().is_some_and(|child| child.kind() == ";");
    let semicolon = |comma| Ending { token: ";", comma };
    match bare.ends_with(';') {
        false if is_ended && may_end => return (format!("{bare};"), semicolon(Comma::Added)),
        true if !is_ended && follows(parsed, node, ';') => {
            return (bare.to_string(), semicolon(Comma::PerhapsSurplus));
        }
        _ => {}
    }
    // Behind the last sign there may be text that has no node.
    let ends_it =
        |child: Node<'_>| child.kind() == token && child.span().end() == node.span().end();
    let own = node.last_child().is_some_and(ends_it);
    let (content, comma) = match (own, bare.ends_with(token)) {
        (true, false) if bare.ends_with('}') => (bare.to_string(), Comma::PerhapsNeeded),
        (true, false) => (format!("{bare}{separator}"), Comma::Added),
        (false, _) if token != "," => (content.to_string(), Comma::AsGiven),
        (false, true) if ends_list_member(node, above) || follows(parsed, node, ',') => {
            (bare.to_string(), Comma::PerhapsSurplus)
        }
        (false, false)
            if above
                .last()
                .is_some_and(|parent| has_own_commas(parent, node)) =>
        {
            (bare.to_string(), Comma::PerhapsNeeded)
        }
        _ => (content.to_string(), Comma::AsGiven),
    };
    let token = if own { separator } else { token };
    (content, Ending { token, comma })
}

fn has_more_problems(last: &Change<'_>) -> bool {
    let before = last.before();
    let after = last.after().problems_around(last.text_edit().new_hull());
    after.len() > before.problems_around(last.text_edit().hull()).len()
}

/// Whether a child of `parent` of the node's type ends with a comma of its own; the first few tell.
fn has_own_commas(parent: &Node<'_>, node: &Node<'_>) -> bool {
    const LOOKED_AT: usize = 64;
    let alike = parent.first_children_like(*node, LOOKED_AT);
    let mut last = alike.iter().filter_map(|sibling| sibling.last_child());
    last.any(|child| child.kind() == ",")
}

/// Whether the node is a member of a list, or the end of one.
fn ends_list_member(node: &Node<'_>, above: &[Node<'_>]) -> bool {
    let mut around = above.iter().rev();
    let longer = around.find(|outer| outer.span().end() != node.span().end());
    longer
        .and_then(|outer| outer.list())
        .is_some_and(|list| list.separator == ",")
}

/// Whether the token behind the node is this sign.
fn follows(parsed: &Parsed, node: &Node<'_>, sign: char) -> bool {
    let source = parsed.source();
    let behind = Span::new(node.span().end(), source.len());
    let next = source.trimmed_start(behind).start();
    source.chars_behind(next).next() == Some(sign) && is_sign(parsed, next, &sign.to_string())
}

/// Whether the tree, too, has this sign where the text has it: a token, or what parts the members of a list
/// and has no node.
fn is_sign(parsed: &Parsed, start: usize, sign: &str) -> bool {
    let span = Span::new(start, start + sign.len());
    parsed
        .token(span)
        .is_some_and(|token| match token.is_leaf() {
            true => token.kind() == sign && token.span().end() == span.end(),
            false => token.list().is_some_and(|list| list.separates(sign)),
        })
}

/// Whether the new content ends in this token of the tree.
fn ends_in(token: &str, change: &Change<'_>) -> bool {
    is_sign(change.after(), change.new_span().end() - token.len(), token)
}

/// Whether the sign that the new content ends in is no part of what stands before it: a statement of
/// its own.
fn is_alone(change: &Change<'_>) -> bool {
    let end = change.new_span().end();
    let last = change.after().chain(Span::new(end - 1, end));
    last.last()
        .is_some_and(|last| last.span() == Span::new(end - 1, end))
}
