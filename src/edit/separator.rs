//! The commas a list needs after the edit: contents may come with or without their own.

use crate::parse::{Node, Parsed};

use super::EditNote;

/// What became of the comma at the end of replaced content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comma {
    /// The content is right as it is.
    AsGiven,
    /// The old node ended with a comma of its own, the content did not.
    Added,
    /// The same, but the content ends with a block, after which most grammars need none.
    PerhapsNeeded,
    /// The comma stands behind the node, or the list has none there.
    Dropped,
}

impl Comma {
    /// What the preview says of it.
    pub(crate) fn note(self) -> Option<EditNote> {
        match self {
            Comma::Added => Some(EditNote::CommaAdded),
            Comma::Dropped => Some(EditNote::CommaDropped),
            Comma::AsGiven | Comma::PerhapsNeeded => None,
        }
    }
}

/// Brings the end of `content`, which replaces the last node of `chain`, in line with the old.
pub(crate) fn for_replacement(
    parsed: &Parsed,
    chain: &[Node<'_>],
    content: &str,
) -> (String, Comma) {
    let bare = content.trim_end();
    let Some((node, above)) = chain.split_last() else {
        return (content.to_string(), Comma::AsGiven);
    };
    let last_child = node
        .raw()
        .child_count()
        .checked_sub(1)
        .and_then(|last| node.raw().child(last));
    let own_comma = last_child.is_some_and(|child| child.kind() == ",");
    let in_list = above.last().is_some_and(|parent| {
        let tables = parsed.source().language().tables();
        tables.is_some_and(|tables| tables.is_list(parent.raw()))
    });
    // In a macro's tokens nothing else tells a list from other text.
    let comma_follows = node
        .raw()
        .next_sibling()
        .is_some_and(|next| next.kind() == ",");
    match (own_comma, bare.strip_suffix(',')) {
        (true, None) if bare.ends_with('}') => (bare.to_string(), Comma::PerhapsNeeded),
        (true, None) => (format!("{bare},"), Comma::Added),
        (false, Some(without)) if in_list || comma_follows => (without.to_string(), Comma::Dropped),
        _ => (content.to_string(), Comma::AsGiven),
    }
}
