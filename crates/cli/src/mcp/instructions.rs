//! The instructions for a model about the server as a whole.

/// How to select a node, and how to apply a preview.
pub const INSTRUCTIONS: &str = "\
treegraft edits source files by their syntax. It finds exactly one place or changes nothing. Never count \
lines or columns.

Point at a node with two things:
- anchor_text: some text in the node, copied exactly, such as its first words;
- ancestor_node_type: the type of the node at or around that text: a tree-sitter type \
(function_item, match_arm, pair) or a general word (function, method, class, struct, enum, field, \
parameter, argument, statement, call, import, comment, string, item, section).

Together they must lead to one node: \
{\"anchor_text\": \"Method::POST =>\", \"ancestor_node_type\": \"match_arm\"} is that arm. If the same \
code stands in several symbols add \"scope\": {\"symbol_path\": [\"Server\", \"handle\"]}. Shorter, all in \
one string: \"Server.handle:match_arm@Method::POST =>\". If you do not know the type, call read_node \
without it.

What costs least: for some words or lines replace_text, with no more old text than is unique \
(`<|>` on both sides of the part to replace, `<..>` for a long middle); for a whole node replace_node; \
insert_node, delete_node, wrap_node, move_node need no old text. Several places: edit_nodes, all or none. \
Write new_content at column 0; indentation, blank lines and commas are fitted to the place.

Each edit answers with the diff and an edit_id; nothing is written yet. If the diff is right, \
apply_edit with that edit_id writes just that. apply: true does both in one call. undo_edit takes an \
applied edit back.

If a call is refused, nothing was changed. A suggestion is a complete call, tested before it was \
printed: choose the one whose \"selects\" is the node you mean and make that call as it is. A refused edit \
is kept under its edit_id: retarget_edit gives it another place, do not send it again. stale_edit means \
the file changed there since the preview: look at the fresh diff before you apply it.
";
