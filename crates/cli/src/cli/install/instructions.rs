//! The instructions that `install --instructions` writes for the model, and the tools that they name.

use treegraft::engine::tools::ToolGroup;

/// What precedes the list.
const HEAD: &str = "\
## Edit code with treegraft

The MCP server `treegraft` edits code by syntax node, and checks each edit before it writes it.

";

/// When to use which tool; each line is written if the server offers one of its groups of tools.
const LINES: [(&[ToolGroup], &str); 10] = [
    (
        &[ToolGroup::Read],
        "Look at code: `outline` lists the symbols of a file or directory, `find_nodes` searches, and `read_node` \
         reads one symbol instead of the whole file.",
    ),
    (
        &[ToolGroup::Lean],
        "Look at code: `read_node` reads one symbol instead of the whole file.",
    ),
    (
        &[ToolGroup::Edit],
        "Change a function, class, statement or list item: `replace_node`, `insert_node`, `delete_node`, `move_node`, \
         `wrap_node`. Select the node by its symbol and text in it, for example \
         `Server.handle:if_statement@timeout`.",
    ),
    (
        &[ToolGroup::Edit],
        "Change some words: `replace_text`, with `find` and a `scope`.",
    ),
    (
        &[ToolGroup::Edit],
        "Make the same change in many places: one `rewrite` with a pattern, not many edits.",
    ),
    (
        &[ToolGroup::Edit],
        "Change several places or files together: `edit_nodes`.",
    ),
    (
        &[ToolGroup::Lean],
        "Change code: `edit_nodes`, with all edits of a change in one call. An edit names some words with `find`, or a \
         function, class, statement or list item with a `selector`: its symbol and text in it, for example \
         `Server.handle:if_statement@timeout`.",
    ),
    (
        &[ToolGroup::Flow, ToolGroup::Lean],
        "An edit answers with a diff and an `edit_id`; `apply_edit` writes exactly that diff, and `undo_edit` takes it \
         back. Pass `apply: true` if you need not look at the diff first.",
    ),
    (
        &[ToolGroup::Server],
        "Ask the language server: `goto_definition`, `find_references`, `rename_symbol`, `diagnostics`.",
    ),
    (
        &[ToolGroup::Edit, ToolGroup::Lean],
        "A refusal lists calls that work: make one of them.",
    ),
];

/// Returns the instructions for a server with these groups of tools.
pub(super) fn instructions(groups: &[ToolGroup]) -> String {
    let is_offered = |own: &&[ToolGroup]| own.iter().any(|group| groups.contains(group));
    let lines = LINES.iter().filter(|(own, _)| is_offered(own));
    let lines = lines.map(|(_, line)| format!("- {line}\n"));
    format!("{HEAD}{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use treegraft::engine::tools::tool;

    use super::*;

    #[test]
    fn each_named_tool_is_in_the_groups_of_its_line() {
        for (groups, line) in LINES {
            let mut count = 0;
            for name in line.split('`').skip(1).step_by(2) {
                if let Some(tool) = tool(name) {
                    assert!(groups.iter().all(|group| group.lists(tool)), "{name}");
                    count += 1;
                } else {
                    let others = ["edit_id", "apply: true", "find", "scope", "selector"];
                    let is_selector = name.contains('@');
                    assert!(is_selector || others.contains(&name), "{name}");
                }
            }
            assert!(count > 0 || line.starts_with("A refusal"), "{line}");
        }
    }
}
