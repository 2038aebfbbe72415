//! The lines and paragraphs of a text without a grammar, as nodes.
//!
//! Input: a [`Source`]. Output: a [`TextTree`]: a `document` of `paragraph`s, which are runs of lines that are not
//! blank. A `line` is the text of a line without leading and trailing whitespace.

use std::ops::Range;

use crate::source::{BOM, Source, Span};

/// A text as a tree of three levels.
#[derive(Debug)]
pub(super) struct TextTree {
    whole: Span,
    /// The lines that are not blank.
    lines: Vec<Span>,
    /// The lines of each paragraph.
    paragraphs: Vec<Range<usize>>,
}

/// A node of the tree: its level, as in [`TEXT_NODE_TYPES`](crate::language::TEXT_NODE_TYPES), and its index in that
/// level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextNodeId {
    pub(super) level: usize,
    index: usize,
}

/// The whole text.
pub(super) const DOCUMENT: TextNodeId = TextNodeId { level: 0, index: 0 };

impl TextTree {
    pub(super) fn new(source: &Source) -> TextTree {
        let mut tree = TextTree {
            whole: source.whole(),
            lines: Vec::new(),
            paragraphs: Vec::new(),
        };
        let mut continues_paragraph = false;
        for line in source.line_spans() {
            let text = source.slice(line);
            let bare = text.trim_start_matches(|c: char| c.is_whitespace() || c == BOM);
            let start = line.start() + (text.len() - bare.len());
            let bare = bare.trim_end();
            if !bare.is_empty() {
                let index = tree.lines.len();
                tree.lines.push(Span::new(start, start + bare.len()));
                match tree.paragraphs.last_mut().filter(|_| continues_paragraph) {
                    Some(last) => last.end = index + 1,
                    None => tree.paragraphs.push(index..index + 1),
                }
            }
            continues_paragraph = !bare.is_empty();
        }
        tree
    }

    pub(super) fn span(&self, id: TextNodeId) -> Span {
        match id.level {
            0 => self.whole,
            1 => {
                let lines = &self.paragraphs[id.index];
                Span::new(
                    self.lines[lines.start].start(),
                    self.lines[lines.end - 1].end(),
                )
            }
            _ => self.lines[id.index],
        }
    }

    /// Returns the children of a node.
    pub(super) fn children(&self, id: TextNodeId) -> impl Iterator<Item = TextNodeId> + use<> {
        let level = id.level + 1;
        let below = self.below(id);
        below.map(move |index| TextNodeId { level, index })
    }

    /// Returns the indices of the children of a node in the next level.
    fn below(&self, id: TextNodeId) -> Range<usize> {
        match id.level {
            0 => 0..self.paragraphs.len(),
            1 => self.paragraphs[id.index].clone(),
            _ => 0..0,
        }
    }
}

/// A walk over a node of the tree and its descendants.
#[derive(Clone)]
pub(crate) struct TextCursor<'p> {
    pub(super) tree: &'p TextTree,
    /// The nodes from the first one down to the current one.
    path: Vec<TextNodeId>,
}

impl<'p> TextCursor<'p> {
    pub(super) fn new(tree: &'p TextTree, id: TextNodeId) -> TextCursor<'p> {
        let path = vec![id];
        TextCursor { tree, path }
    }

    pub(super) fn id(&self) -> TextNodeId {
        *self.path.last().expect("it is at a node")
    }

    /// Moves to the first child that ends after `byte`; does nothing if there is none.
    pub(super) fn goto_first_child_after(&mut self, byte: usize) -> bool {
        let tree = self.tree;
        let below = tree.below(self.id());
        let level = self.id().level + 1;
        let ends_before = |index| tree.span(TextNodeId { level, index }).end() <= byte;
        let (mut first, mut end) = (below.start, below.end);
        while first < end {
            let middle = first + (end - first) / 2;
            match ends_before(middle) {
                true => first = middle + 1,
                false => end = middle,
            }
        }
        let found = below.contains(&first);
        self.path.extend(found.then_some(TextNodeId {
            level,
            index: first,
        }));
        found
    }

    pub(super) fn goto_first_child(&mut self) -> bool {
        let child = self.tree.children(self.id()).next();
        self.path.extend(child);
        child.is_some()
    }

    pub(super) fn goto_next_sibling(&mut self) -> bool {
        let [.., parent, own] = &mut self.path[..] else {
            return false;
        };
        let found = self.tree.below(*parent).contains(&(own.index + 1));
        own.index += usize::from(found);
        found
    }

    pub(super) fn goto_parent(&mut self) -> bool {
        let has_parent = self.path.len() > 1;
        if has_parent {
            self.path.pop();
        }
        has_parent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;

    /// Compares the nodes in the order of a walk, each as its text, indented by its depth.
    fn check(text: &str, expected: &str) {
        let source = Source::new("a.txt", language::plain_text(), text.to_string());
        let tree = TextTree::new(&source);
        let mut cursor = TextCursor::new(&tree, DOCUMENT);
        let mut lines = Vec::new();
        'walk: loop {
            let id = cursor.id();
            let own = source.slice(tree.span(id)).into_owned();
            lines.push(format!("{}{own:?}", "  ".repeat(id.level)));
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn a_run_of_lines_that_are_not_blank_is_a_paragraph() {
        check(
            "\u{feff}a\r\n \tb c \n\n \t\nd\u{2028}e\rf",
            "\"a\\r\\n \\tb c \\n\\n \\t\\nd\\u{2028}e\\rf\"\n  \"a\\r\\n \\tb c\"\n    \"a\"\n    \"b c\"\n  \
             \"d\\u{2028}e\\rf\"\n    \"d\\u{2028}e\"\n    \"f\"",
        );
    }

    #[test]
    fn a_text_of_blanks_has_no_lines() {
        check("", "\"\"");
        check(" \n\t\n", "\" \\n\\t\\n\"");
    }

    #[test]
    fn the_first_child_after_a_byte_is_found() {
        let source = Source::new("a.txt", language::plain_text(), "a\nb\n\nc\n".to_string());
        let tree = TextTree::new(&source);
        let first_after = |byte| {
            let mut cursor = TextCursor::new(&tree, DOCUMENT);
            cursor
                .goto_first_child_after(byte)
                .then(|| tree.span(cursor.id()).start())
        };
        let found: Vec<Option<usize>> = (0..7).map(first_after).collect();
        assert_eq!(
            found,
            [Some(0), Some(0), Some(0), Some(5), Some(5), Some(5), None]
        );
    }
}
