//! What a model is told about the server as a whole, before its first call.

/// The one way to point, and the way from a preview to the disk.
pub const INSTRUCTIONS: &str = "\
treegraft edits source files by their syntax. It finds exactly one place or changes nothing, and \
every edit is a diff before it is written. Never count lines or columns.

Point at a node with two things:
- anchor_text: some text in the node, copied exactly from the file, such as its first words;
- ancestor_node_type: the type of the node at or around that text: a tree-sitter type \
(function_item, match_arm, pair) or a general word (function, method, class, struct, enum, field, \
parameter, argument, statement, call, import, comment, string, item, section).

Text and type together must lead to one node; neither needs to be unique by itself. \
{\"anchor_text\": \"Method::POST =>\", \"ancestor_node_type\": \"match_arm\"} is that arm. If the same \
code stands in several symbols add \"scope\": {\"symbol_path\": [\"Server\", \"handle\"]}. If you do not \
know the type, call read_node without it.

To edit: replace_node, insert_node and delete_node show the diff and an edit_id; nothing is written \
yet. If the diff is right, apply_edit with that edit_id writes just that. apply: true does both in one \
call. edit_nodes makes several edits at once, all or none. new_content is the whole new node; \
indentation and commas are fitted to its place. undo_edit takes an applied edit back.

If a call is refused, nothing was changed. The refusal lists the candidates and suggestions. A \
suggestion is a complete call, tested before it was printed: choose the one whose \"selects\" is the \
node you mean and make that call as it is. A refused edit is kept under its edit_id: \
retarget_edit gives it another place, do not send it again. stale_edit means the file changed at that \
place since the preview: look at the fresh diff before you apply it.
";
