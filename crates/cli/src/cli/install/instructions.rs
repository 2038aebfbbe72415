//! The instructions that `install --instructions` writes for the model, and the tools that they name.

use treegraft::engine::tools::ToolGroup;

/// What precedes the list.
const HEAD: &str = "\
## Edit code with treegraft

The MCP server `treegraft` edits code by syntax node, and checks each edit before it writes it.

";

/// When to use which tool; each line is written if the server offers its group of tools.
const LINES: [(ToolGroup, &str); 8] = [
    (
        ToolGroup::Read,
        "Look at code: `outline` lists the symbols of a file or directory, `find_nodes` searches, and `read_node` \
         reads one symbol instead of the whole file.",
    ),
    (
        ToolGroup::Edit,
        "Change a function, class, statement or list item: `replace_node`, `insert_node`, `delete_node`, `move_node`, \
         `wrap_node`. Select the node by its symbol and text in it, for example \
         `Server.handle:if_statement@timeout`.",
    ),
    (
        ToolGroup::Edit,
        "Change some words: `replace_text`, with `find` and a `scope`.",
    ),
    (
        ToolGroup::Edit,
        "Make the same change in many places: one `rewrite` with a pattern, not many edits.",
    ),
    (
        ToolGroup::Edit,
        "Change several places or files together: `edit_nodes`.",
    ),
    (
        ToolGroup::Flow,
        "An edit answers with a diff and an `edit_id`; `apply_edit` writes exactly that diff, and `undo_edit` takes it \
         back. Pass `apply: true` if you need not look at the diff first.",
    ),
    (
        ToolGroup::Server,
        "Ask the language server: `goto_definition`, `find_references`, `rename_symbol`, `diagnostics`.",
    ),
    (
        ToolGroup::Edit,
        "A refusal lists calls that work: make one of them.",
    ),
];

/// Returns the instructions for a server with these groups of tools.
pub(super) fn instructions(groups: &[ToolGroup]) -> String {
    let lines = LINES.iter().filter(|(group, _)| groups.contains(group));
    let lines = lines.map(|(_, line)| format!("- {line}\n"));
    format!("{HEAD}{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use treegraft::engine::tools::tool;

    use super::*;

    #[test]
    fn each_named_tool_is_in_the_group_of_its_line() {
        for (group, line) in LINES {
            let mut count = 0;
            for name in line.split('`').skip(1).step_by(2) {
                if let Some(tool) = tool(name) {
                    assert_eq!(tool.group, group, "{name}");
                    count += 1;
                } else {
                    let others = ["edit_id", "apply: true", "find", "scope"];
                    let is_selector = name.contains('@');
                    assert!(is_selector || others.contains(&name), "{name}");
                }
            }
            assert!(count > 0 || line.starts_with("A refusal"), "{line}");
        }
    }
}
