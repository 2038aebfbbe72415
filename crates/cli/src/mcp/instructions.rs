//! The instructions of the server, which a model reads before it calls a tool.

/// Explains how to select a node, which edit to choose, and how to apply a preview.
///
/// Together with the paragraph of a server that only stages edits, it has less than the 2,048 characters that clients keep.
pub const INSTRUCTIONS: &str = "\
treegraft edits source files by syntax node. An edit changes exactly what it names, or nothing.

Select a node with two fields:
- anchor_text: exact text in the node, such as its first words;
- ancestor_node_type: the type of the node: a tree-sitter type (function_item, match_arm, pair) or a \
general word (function, method, class, struct, enum, field, parameter, argument, statement, call, import, \
comment, string, item, section).

Together they must match one node: \
{\"anchor_text\": \"Method::POST =>\", \"ancestor_node_type\": \"match_arm\"}. \
If the same code occurs in several symbols, add \"scope\": \"Server.handle\". As one string: \
\"Server.handle:match_arm@Method::POST =>\"; \"path:\" before it replaces file_path. \
If you do not know the type, call read_node without it.

Choose the edit that needs the least text:
- some words or lines: replace_text, with only enough old text to be unique (`<|>` on both sides of the \
part to replace; `<..>` matches a long middle);
- a whole node: replace_node;
- insert_node, delete_node, wrap_node and move_node need no old text;
- several places or files: edit_nodes, all or none; every match of a pattern: rewrite.
Write new_content at column 0: treegraft adjusts indentation, blank lines and commas.

An edit returns a diff and an edit_id, and writes nothing; apply_edit with the edit_id writes exactly \
that diff. apply: true writes in the same call. undo_edit undoes an applied edit.

A refused call changes nothing. Each suggestion in a refusal is a tested call: choose the one \
whose \"selects\" is the node you mean, and send it unchanged. If a refusal has an edit_id, call \
amend_edit with it and only the fields to change. stale_edit, rebase_proposed: the \
code changed, nothing is written; check the new diff.
";

/// Explains the same for a server whose only tool for edits is `edit_nodes`.
const FOR_EDIT_NODES: &str = "\
treegraft edits source files by text and syntax node. An edit matches exactly one place, or nothing \
changes and the refusal suggests what to send instead.

Each entry of edits in edit_nodes names a place:
- some words or lines: find, with only enough old text to be unique (`<|>` on both sides of the part to \
replace; `<..>` matches a long middle);
- a node: selector, a symbol (\"Server.handle\") or text in the node with the node's type: a tree-sitter type \
or a general word (function, class, statement, call, argument, field, import, comment, string).
Write new_content at column 0: treegraft adjusts indentation, blank lines and commas.

If a refusal has an edit_id, amend_edit with only the fields to change is enough.
";

/// Returns the instructions for a server with these tools.
pub(super) fn of_tools<'t>(names: impl Iterator<Item = &'t str>) -> &'static str {
    let mut names = names.filter(|name| ["replace_node", "edit_nodes"].contains(name));
    match names.next() {
        Some("edit_nodes") => FOR_EDIT_NODES,
        _ => INSTRUCTIONS,
    }
}

/// Explains how to work with a server that only stages edits. Follows the other instructions.
pub(super) const STAGES_ONLY: &str = "\
A person approves each edit here. Every edit is only staged; apply: true, apply_edit and undo_edit \
answer approval_required. Do not retry: report the edit_id, and go on. Put edits that depend on each \
other into one edit_nodes call. If an edit was discarded, the refusal has the reason.
";
