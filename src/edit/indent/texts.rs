//! Lines of content that are text, not code.

use std::collections::BTreeSet;

use crate::parse::Node;

use super::lines::runs;
use super::tree::ContentLines;

/// Lines of content (from 0) that are text, which is not indented like code.
#[derive(Default)]
pub(super) struct TextLines {
    /// Those that keep their bytes.
    pub(super) protected: BTreeSet<usize>,
    /// Those of texts that mean the same if all their lines move by the same amount.
    pub(super) together: BTreeSet<usize>,
    /// Those inside a comment, which move with the others if they are as deep.
    pub(super) comments: BTreeSet<usize>,
}

impl TextLines {
    pub(super) fn from_lines(lines: &ContentLines<'_>) -> TextLines {
        TextLines {
            protected: lines.inside(is_fixed),
            together: lines.inside(|node| node.moves_together()),
            comments: lines.inside(|node| node.is_word("comment", None)),
        }
    }

    /// Returns whether each space of the line is part of a text.
    pub(super) fn is_literal(&self, line: usize) -> bool {
        self.protected.contains(&line) || self.together.contains(&line)
    }

    /// Returns whether the line moves with others only if it is as deep.
    pub(super) fn is_loose(&self, line: usize) -> bool {
        self.comments.contains(&line) || self.together.contains(&line)
    }
}

/// Returns whether the lines of the node keep their bytes wherever it moves.
pub(super) fn is_fixed(node: Node<'_>) -> bool {
    node.is_protected() && !node.moves_together()
}

/// Returns the lines of texts that cannot move, because one of their lines does not begin with `base`.
pub(super) fn immovable(
    together: &BTreeSet<usize>,
    lines: &[impl AsRef<str>],
    base: &str,
) -> BTreeSet<usize> {
    let moves = |index: usize| {
        let line = lines.get(index).map_or("", AsRef::as_ref);
        line.trim().is_empty() || line.starts_with(base)
    };
    let fixed = runs(together)
        .into_iter()
        .filter(|text| !text.iter().all(|&index| moves(index)));
    fixed.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_text_move_all_or_none() {
        let together = BTreeSet::from([1, 2, 4, 5]);
        let lines = ["  a(", "    b", "  c", "  d", "    e", "f"];
        assert_eq!(immovable(&together, &lines, "  "), BTreeSet::from([4, 5]));
        assert_eq!(immovable(&together, &lines, ""), BTreeSet::new());
        assert_eq!(immovable(&together, &lines, "   "), together);
        assert_eq!(
            immovable(&BTreeSet::from([0]), &["  "], "    "),
            BTreeSet::new()
        );
    }
}
