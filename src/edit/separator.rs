//! The separator at the end of replaced content, which may have its own or not.

use super::layout::LastLayout;
use crate::change::EditNote;
use crate::language::queries::{List, Mark};
use crate::parse::{Node, Parsed};
use crate::source::Span;

/// What happens to the separator (usually a comma) at the end of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    /// The separator, with the spaces before it.
    token: &'static str,
    comma: Comma,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comma {
    /// The content is right as it is.
    AsGiven,
    /// The old node ended with its own comma, the content did not.
    Added,
    /// Similar members end with their own comma. The content does not and may need none: it ends with a block, or the old
    /// node had none.
    PerhapsNeeded,
    /// The content ends with a comma, and the list has one after the node or needs none. It is left out unless it is part
    /// of a comment.
    PerhapsSurplus,
    /// The comma of the content is left out.
    Dropped,
}

impl Ending {
    /// The content is right as it is.
    pub(crate) const AS_GIVEN: Ending = Ending {
        token: ",",
        comma: Comma::AsGiven,
    };

    /// Returns what the tree of the last layout decides, and adapts `content`.
    pub(crate) fn settled(self, last: &LastLayout<'_>, content: &mut String) -> Ending {
        let (token, sign) = (self.token, self.token.trim_start());
        let comma = match self.comma {
            Comma::Added if !ends_in(sign, last) || is_alone(last) || last.has_more_problems() => {
                content.truncate(content.len() - token.len());
                Comma::AsGiven
            }
            Comma::PerhapsNeeded if last.has_more_problems() => {
                content.push_str(token);
                Comma::Added
            }
            Comma::PerhapsSurplus if ends_in(sign, last) => {
                content.truncate(content.len() - token.len());
                Comma::Dropped
            }
            Comma::PerhapsSurplus => Comma::AsGiven,
            // The old node needed none, like an arm that ends with a block; the content does.
            Comma::Dropped if last.has_more_problems() => {
                content.push_str(token);
                Comma::AsGiven
            }
            settled => settled,
        };
        Ending { token, comma }
    }

    /// Returns the note for the preview.
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

/// Returns `content`, which replaces the last node of `chain`, with the end that the old node has.
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
    // A leading separator is not part of the member.
    let member = list
        .filter(|list| list.leads)
        .and_then(|list| list.strip_start(bare));
    let (content, bare) = match member.map(str::trim_start) {
        Some(member) => (member, member),
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
    // Text without a node may follow the last token.
    let ends_it =
        |child: Node<'_>| child.kind() == token && child.span().end() == node.span().end();
    let has_own = node.last_child().is_some_and(ends_it);
    let (content, comma) = match (has_own, bare.ends_with(token)) {
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
    let token = if has_own { separator } else { token };
    (content, Ending { token, comma })
}

/// Returns whether a child of `parent` of the node's type ends with its own comma; only the first ones are read.
fn has_own_commas(parent: &Node<'_>, node: &Node<'_>) -> bool {
    const CHILDREN_READ: usize = 64;
    let alike = parent.first_children_like(*node, CHILDREN_READ);
    let mut last = alike.iter().filter_map(|sibling| sibling.last_child());
    last.any(|child| child.kind() == ",")
}

/// Returns whether the node is a member of a list, or the end of one.
fn ends_list_member(node: &Node<'_>, above: &[Node<'_>]) -> bool {
    let mut enclosing = above.iter().rev();
    let longer = enclosing.find(|outer| outer.span().end() != node.span().end());
    longer
        .and_then(|outer| outer.list())
        .is_some_and(|list| list.separator == ",")
}

/// Returns whether the token after the node is this sign.
fn follows(parsed: &Parsed, node: &Node<'_>, sign: char) -> bool {
    let source = parsed.source();
    let rest = Span::new(node.span().end(), source.len());
    let next = source.trimmed_start(rest).start();
    source.chars_from(next).next() == Some(sign) && is_sign(parsed, next, &sign.to_string())
}

/// Returns whether the tree has this sign where the text has it: as a token, or as a separator without a node.
fn is_sign(parsed: &Parsed, start: usize, sign: &str) -> bool {
    let span = Span::new(start, start + sign.len());
    parsed
        .token(span)
        .is_some_and(|token| match token.is_leaf() {
            true => token.kind() == sign && token.span().end() == span.end(),
            false => token.list().is_some_and(|list| list.separates(sign)),
        })
}

/// Returns whether the content ends with this token of the tree.
fn ends_in(token: &str, change: &LastLayout<'_>) -> bool {
    is_sign(change.after, change.new_span.end() - token.len(), token)
}

/// Returns whether the sign at the end of the content is a statement of its own.
fn is_alone(change: &LastLayout<'_>) -> bool {
    let end = change.new_span.end();
    let last = change.after.chain(Span::new(end - 1, end));
    last.last()
        .is_some_and(|last| last.span() == Span::new(end - 1, end))
}
