//! The unit, which is the work that no tool can avoid, and the floor, a minimal edit program.
//!
//! The unit is one parse by tree-sitter alone, or one reparse after an edit, of text in one piece.
//! The floor reads, validates, hashes and parses the bytes, finds the anchor, walks up to the node,
//! splices, reparses, looks for new errors and computes the diff of the changed lines. It does not
//! handle refusals, attached comments, indentation, surroundings or anything else.

use memchr::memmem;
use similar::TextDiff;
use tree_sitter::{InputEdit, Parser, Point, Tree};

use crate::texts::Sample;

/// Parses the whole text once; for Markdown, only the blocks.
pub(crate) fn parse(parser: &mut Parser, text: &str) -> Tree {
    parser.parse(text, None).expect("nothing stops the parser")
}

/// Reparses `after`, the result of an edit of the parsed text.
pub(crate) fn reparse(parser: &mut Parser, old: &Tree, edit: &InputEdit, after: &str) -> Tree {
    let mut tree = old.clone();
    tree.edit(edit);
    let reparsed = parser.parse(after, Some(&tree));
    reparsed.expect("nothing stops the parser")
}

/// Runs the floor from the bytes of a file to the diff.
pub(crate) fn cold(sample: &Sample, parser: &mut Parser, bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).expect("the text is UTF-8");
    let digest = blake3::hash(text.as_bytes());
    let parsed = parse(parser, &text);
    let diff = warm(sample, parser, &text, &parsed);
    std::hint::black_box(digest);
    diff
}

/// Runs the floor from a parsed text to the diff.
pub(crate) fn warm(sample: &Sample, parser: &mut Parser, text: &str, parsed: &Tree) -> String {
    let mut hits = memmem::find_iter(text.as_bytes(), sample.anchor);
    let anchor = hits.next().expect("the anchor occurs");
    assert!(hits.next().is_none(), "it occurs once");
    let end = anchor + sample.anchor.len();
    let root = parsed.root_node();
    let mut node = root
        .descendant_for_byte_range(anchor, end)
        .expect("a node encloses it");
    while node.kind() != sample.node_type {
        node = node.parent().expect("an ancestor has the type");
    }
    let (start, old_end) = (node.start_byte(), node.end_byte());
    let new = sample.new_content;
    let after = [&text[..start], new, &text[old_end..]].concat();
    let edit = input_edit(text, start, old_end, new);
    let reparsed = reparse(parser, parsed, &edit, &after);
    assert_eq!(root.has_error(), reparsed.root_node().has_error());
    let line_start = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let line_end =
        |text: &str, from: usize| text[from..].find('\n').map_or(text.len(), |at| from + at);
    let old_lines = &text[line_start..line_end(text, old_end)];
    let new_lines = &after[line_start..line_end(&after, start + new.len())];
    let diff = TextDiff::from_lines(old_lines, new_lines);
    diff.unified_diff().to_string()
}

/// Converts a replacement to a tree-sitter edit.
pub(crate) fn input_edit(text: &str, start: usize, old_end: usize, new: &str) -> InputEdit {
    let start_position = moved(Point::new(0, 0), &text[..start]);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: start + new.len(),
        start_position,
        old_end_position: moved(start_position, &text[start..old_end]),
        new_end_position: moved(start_position, new),
    }
}

/// Returns the point after `over`, which starts at `from`.
fn moved(from: Point, over: &str) -> Point {
    match memchr::memrchr(b'\n', over.as_bytes()) {
        None => Point::new(from.row, from.column + over.len()),
        Some(last) => Point::new(
            from.row + memchr::memchr_iter(b'\n', over.as_bytes()).count(),
            over.len() - last - 1,
        ),
    }
}
