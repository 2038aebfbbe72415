//! The work nobody can avoid, and the least program around it.
//!
//! The unit is one parse by tree-sitter alone, or one reparse after an edit, of text in one piece. The floor
//! reads the bytes, checks them, hashes, parses, finds the anchor, climbs to the node, splices, reparses,
//! looks for new errors and makes the diff of the changed lines: an edit without refusals, attached
//! comments, indentation, surroundings or any other care.

use memchr::memmem;
use similar::TextDiff;
use tree_sitter::{InputEdit, Parser, Point, Tree};

use crate::texts::Sample;

/// One parse of the whole text; of Markdown that of its blocks.
pub(crate) fn parse(parser: &mut Parser, text: &str) -> Tree {
    parser.parse(text, None).expect("nothing stops the parser")
}

/// One reparse of `after`, which an edit made of the text that was parsed.
pub(crate) fn reparse(parser: &mut Parser, old: &Tree, edit: &InputEdit, after: &str) -> Tree {
    let mut tree = old.clone();
    tree.edit(edit);
    let reparsed = parser.parse(after, Some(&tree));
    reparsed.expect("nothing stops the parser")
}

/// From the bytes of a file to the diff.
pub(crate) fn cold(sample: &Sample, parser: &mut Parser, bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).expect("the text is UTF-8");
    let digest = blake3::hash(text.as_bytes());
    let parsed = parse(parser, &text);
    let diff = warm(sample, parser, &text, &parsed);
    std::hint::black_box(digest);
    diff
}

/// From a parsed text to the diff.
pub(crate) fn warm(sample: &Sample, parser: &mut Parser, text: &str, parsed: &Tree) -> String {
    let mut hits = memmem::find_iter(text.as_bytes(), sample.anchor);
    let anchor = hits.next().expect("the anchor is there");
    assert!(hits.next().is_none(), "it is there once");
    let end = anchor + sample.anchor.len();
    let root = parsed.root_node();
    let mut node = root
        .descendant_for_byte_range(anchor, end)
        .expect("a node is around it");
    while node.kind() != sample.node_type {
        node = node.parent().expect("one of the type is around it");
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

/// One replacement as tree-sitter takes it.
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

/// Where one comes to from a point over a text.
fn moved(from: Point, over: &str) -> Point {
    match memchr::memrchr(b'\n', over.as_bytes()) {
        None => Point::new(from.row, from.column + over.len()),
        Some(last) => Point::new(
            from.row + memchr::memchr_iter(b'\n', over.as_bytes()).count(),
            over.len() - last - 1,
        ),
    }
}
