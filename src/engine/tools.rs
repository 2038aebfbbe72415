//! The tools: each is defined once, and every front end derives from the definition what it lists, reads, guards and prints.

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::diagnostic;

use super::calls::{Call, CallAccess, edit, files, quick, watched};
use super::request::{
    ApplyEdit, DeleteNode, Describe, DiscardEdit, EditNodes, FindNodes, InsertNode, ListEdits,
    LocatePlace, MoveNode, Outline, ReadNode, ReplaceNode, ReplaceText, RetargetEdit, UndoEdit,
    WrapNode, schema_of,
};
use super::response::{
    Described, EditDiscarded, EditList, EditMade, Located, NodeRead, NodesFound, Outlined, Refusal,
};
use super::{Engine, Refused};
#[cfg(feature = "servers")]
use super::{
    request::questions::{
        CodeActions, Completions, Diagnostics, FindReferences, Format, GotoDefinition, Hover,
        RenameSymbol, SignatureHelp, WorkspaceSymbols,
    },
    response::questions::{
        Actions, Completed, Definitions, Diagnosed, Hovered, References, Signatures, SymbolsFound,
    },
};

/// A tool: a request of the engine, by name.
pub struct Tool {
    /// The name, as MCP clients and batches call it: `replace_node`.
    pub name: &'static str,
    /// The verb on the command line: `replace`.
    pub verb: &'static str,
    /// The group that it is listed in.
    pub group: ToolGroup,
    /// What a call may change.
    pub effect: Effect,
    /// The description for a model: what the tool does, and an example of its arguments.
    pub description: &'static str,
    /// The types of its arguments and answers.
    pub schemas: Schemas,
    pub(super) read: fn(&'static str, Value) -> Result<Call, Refused>,
}

/// A group of tools; a session pays for the tools that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolGroup {
    /// Questions about places.
    Read,
    /// Edits, as previews.
    Edit,
    /// Applying and discarding previews.
    Flow,
    /// Questions to language servers.
    Server,
}

/// What the calls of a tool may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// No file: they may keep a preview.
    Previews,
    /// They keep a preview, or write files if `apply` is true.
    PreviewsOrWrites,
    /// Files and the record of an edit. Only the first of several equal calls has an effect.
    WritesOnce,
    /// They complete changes of files that a crash interrupted, and nothing else.
    Settles,
}

/// The JSON Schemas of the arguments and the answer of a tool, generated from their types.
pub struct Schemas {
    /// Returns the schema of the arguments.
    pub input: fn() -> Map<String, Value>,
    /// Returns the schema of the answer.
    pub answer: fn() -> Map<String, Value>,
}

impl Schemas {
    const fn of<Q: JsonSchema, A: JsonSchema>() -> Schemas {
        Schemas {
            input: schema_of::<Q>,
            answer: schema_of::<A>,
        }
    }
}

impl ToolGroup {
    /// All groups, in the order in which their tools are listed.
    pub const ALL: &[ToolGroup] = &[
        ToolGroup::Read,
        ToolGroup::Edit,
        ToolGroup::Flow,
        ToolGroup::Server,
    ];

    /// Returns the tools of the group.
    pub fn tools(self) -> impl Iterator<Item = &'static Tool> {
        tools().filter(move |tool| tool.group == self)
    }
}

/// Returns all tools, group by group.
pub fn tools() -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().chain(SERVER_TOOLS)
}

/// Returns the tool with this name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    tools().find(|tool| tool.name == name)
}

/// The minimum similarity of a suggested name.
const NEAR: f64 = 0.8;

impl Call {
    /// Reads a call as leniently as the other front ends do.
    ///
    /// # Errors
    /// The tool does not exist, or does not take the arguments.
    pub fn read(tool: &str, arguments: Value) -> Result<Call, Refused> {
        match self::tool(tool) {
            Some(Tool { name, read, .. }) => read(name, arguments),
            None => {
                let known: Vec<&str> = tools().map(|tool| tool.name).collect();
                let message = format!(
                    "no tool is called `{tool}`; the tools are {}",
                    known.join(", ")
                );
                let mut diagnostic = diagnostic::about_arguments(message);
                let near = known
                    .iter()
                    .map(|name| (strsim::jaro_winkler(name, tool), name))
                    .filter(|(likeness, _)| *likeness > NEAR)
                    .max_by(|(one, _), (other, _)| one.total_cmp(other));
                diagnostic.help = near.map(|(_, name)| format!("the nearest is {name}"));
                Err(Box::new(Refusal {
                    tool: tool.to_string().into(),
                    ..Refusal::of_call("", arguments, diagnostic)
                }))
            }
        }
    }
}

/// The tools that need no language server.
const TOOLS: &[Tool] = &[
    Tool {
        name: "outline",
        verb: "outline",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Lists the symbols of a file, a directory or a glob, each with a locate that leads to it. \
             Example: {\"path\": \"src/server.rs\"}",
        schemas: Schemas::of::<Outline, Outlined>(),
        read: |tool, given| {
            let reach = |one: &Outline| CallAccess::Path(one.path.clone());
            watched(tool, given, reach, Engine::outline)
        },
    },
    Tool {
        name: "locate",
        verb: "locate",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Tells line and character of a symbol, of lines or of a text. Edits need no position. \
             Example: {\"locate\": \"src/server.rs:Server.handle@return <|>response\"}",
        schemas: Schemas::of::<LocatePlace, Located>(),
        read: |tool, given| {
            let reach = |one: &LocatePlace| files([&one.locate.0.locate.file_path], false);
            quick(tool, given, reach, Engine::locate)
        },
    },
    Tool {
        name: "describe",
        verb: "describe",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "The way back: from line and character, say of a compiler's error, to the shortest locate and \
             the selector of the node there. Example: {\"position\": \
             \"src/server.rs:42:10: error\"}",
        schemas: Schemas::of::<Describe, Described>(),
        read: |tool, given| {
            let reach = |one: &Describe| {
                let position = one.position.as_ref();
                let named = position.and_then(|position| position.file_path.as_ref());
                files(one.file_path.iter().chain(named), false)
            };
            quick(tool, given, reach, Engine::describe)
        },
    },
    Tool {
        name: "read_node",
        verb: "read",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Reads one syntax node and lists those around it: to look before an edit, or to learn \
             which types there are. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             \"@Method::POST =>\"}",
        schemas: Schemas::of::<ReadNode, NodeRead>(),
        read: |tool, given| {
            let reach = |one: &ReadNode| {
                let located = one.locate.as_ref();
                let located = located.map(|locate| &locate.0.locate.file_path);
                files(one.file_path.iter().chain(located), false)
            };
            quick(tool, given, reach, Engine::read_node)
        },
    },
    Tool {
        name: "find_nodes",
        verb: "find",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Finds nodes in a file, a directory or a glob, each with a selector for the other tools. \
             Example: {\"path\": \"src\", \"text\": \"timeout(\", \"node_type\": \"call\"}",
        schemas: Schemas::of::<FindNodes, NodesFound>(),
        read: |tool, given| {
            let reach = |one: &FindNodes| CallAccess::Path(one.path.clone());
            watched(tool, given, reach, Engine::find_nodes)
        },
    },
    Tool {
        name: "replace_node",
        verb: "replace",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Replaces one syntax node. Answers with the diff and an edit_id for apply_edit; writes \
             nothing yet, unless apply is true. If not exactly one node is meant, the refusal \
             suggests calls that work. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             {\"anchor_text\": \"Method::POST =>\", \"ancestor_node_type\": \"match_arm\"}, \
             \"new_content\": \"Method::POST => self.create(request),\"}",
        schemas: Schemas::of::<ReplaceNode, EditMade>(),
        read: |tool, given| edit::<ReplaceNode>(tool, given),
    },
    Tool {
        name: "replace_text",
        verb: "replace-text",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Replaces the one match of find: the cheapest edit of some words or lines, as find needs no more \
             than is unique in the file or scope. Of a whole node replace_node is. Example: {\"file_path\": \
             \"src/server.rs\", \"find\": \"timeout(<|>30<|>)\", \"new_content\": \"60\"}",
        schemas: Schemas::of::<ReplaceText, EditMade>(),
        read: |tool, given| edit::<ReplaceText>(tool, given),
    },
    Tool {
        name: "insert_node",
        verb: "insert",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Inserts new_content before or after a node, or first or last inside its body; otherwise as \
             replace_node. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             \"impl_item@impl Server\", \"position\": \"last_child\", \
             \"new_content\": \"fn stop(self) {}\"}",
        schemas: Schemas::of::<InsertNode, EditMade>(),
        read: |tool, given| edit::<InsertNode>(tool, given),
    },
    Tool {
        name: "delete_node",
        verb: "delete",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Deletes one node with its doc comments, attributes and comma; otherwise as replace_node. \
             Example: {\"file_path\": \"package.json\", \"selector\": \"pair@\\\"left-pad\\\"\"}",
        schemas: Schemas::of::<DeleteNode, EditMade>(),
        read: |tool, given| edit::<DeleteNode>(tool, given),
    },
    Tool {
        name: "wrap_node",
        verb: "wrap",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Puts a node into new_content, where it holds `<|>`; the node need not be sent. Example: \
             {\"file_path\": \"src/server.rs\", \"selector\": \"expression_statement@send(reply)\", \
             \"new_content\": \"if ready {\\n    <|>\\n}\"}",
        schemas: Schemas::of::<WrapNode, EditMade>(),
        read: |tool, given| edit::<WrapNode>(tool, given),
    },
    Tool {
        name: "move_node",
        verb: "move",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Moves a node with its doc comments and attributes beside or into another one, also of another \
             file. Example: {\"file_path\": \"src/server.rs\", \"selector\": \"function@fn helper\", \"to\": \
             {\"selector\": \"function@fn main\", \"position\": \"before\"}}",
        schemas: Schemas::of::<MoveNode, EditMade>(),
        read: |tool, given| edit::<MoveNode>(tool, given),
    },
    Tool {
        name: "edit_nodes",
        verb: "edit",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Several edits at once, in one or more files: all or none. \
             Example: {\"file_path\": \"src/a.rs\", \"edits\": [{\"find\": \"timeout(30)\", \
             \"new_content\": \"timeout(60)\"}, {\"op\": \"delete\", \"selector\": \"function@fn old\"}]}",
        schemas: Schemas::of::<EditNodes, EditMade>(),
        read: |tool, given| edit::<EditNodes>(tool, given),
    },
    Tool {
        name: "apply_edit",
        verb: "apply",
        group: ToolGroup::Flow,
        effect: Effect::WritesOnce,
        description: "Writes exactly what a preview showed, or refuses if the file changed there since. Call it \
             when the diff is right. Example: {\"edit_id\": \"edbde52b9d658\"}",
        schemas: Schemas::of::<ApplyEdit, EditMade>(),
        read: |tool, given| {
            let reach = |one: &ApplyEdit| CallAccess::Edit(one.edit_id.clone());
            quick(tool, given, reach, Engine::apply_edit)
        },
    },
    Tool {
        name: "undo_edit",
        verb: "undo",
        group: ToolGroup::Flow,
        effect: Effect::WritesOnce,
        description: "Takes back an applied edit: its files get exactly the bytes they had, or it refuses if they \
             changed since. Example: {\"edit_id\": \"edbde52b9d658\"}",
        schemas: Schemas::of::<UndoEdit, EditMade>(),
        read: |tool, given| {
            let reach = |one: &UndoEdit| CallAccess::Edit(one.edit_id.clone());
            quick(tool, given, reach, Engine::undo_edit)
        },
    },
    Tool {
        name: "retarget_edit",
        verb: "retarget",
        group: ToolGroup::Flow,
        effect: Effect::PreviewsOrWrites,
        description: "Gives a refused or previewed edit another node without sending new_content again; \
             previews like the first call. Refusals suggest it. Example: {\"edit_id\": \
             \"edbde52b9d658\", \"selector\": \"match_arm@Method::PUT =>\"}",
        schemas: Schemas::of::<RetargetEdit, EditMade>(),
        read: |tool, given| {
            let reach = |one: &RetargetEdit| CallAccess::Edit(one.edit_id.clone());
            quick(tool, given, reach, Engine::retarget_edit)
        },
    },
    Tool {
        name: "discard_edit",
        verb: "discard",
        group: ToolGroup::Flow,
        effect: Effect::WritesOnce,
        description: "Forgets a previewed or refused edit; files stay as they are. Example: {\"edit_id\": \
             \"edbde52b9d658\"}",
        schemas: Schemas::of::<DiscardEdit, EditDiscarded>(),
        read: |tool, given| {
            let reach = |one: &DiscardEdit| CallAccess::Edit(one.edit_id.clone());
            quick(tool, given, reach, Engine::discard_edit)
        },
    },
    Tool {
        name: "list_edits",
        verb: "edits",
        group: ToolGroup::Flow,
        effect: Effect::Settles,
        description: "Lists edits that wait or were applied lately; with edit_id shows that one with its diff. \
             Example: {}",
        schemas: Schemas::of::<ListEdits, EditList>(),
        read: |tool, given| {
            let reach = |one: &ListEdits| match &one.edit_id {
                Some(edit_id) => CallAccess::Edit(edit_id.clone()),
                // The list also contains the edits that other calls stage.
                None => CallAccess::Everything { writes: true },
            };
            quick(tool, given, reach, Engine::list_edits)
        },
    },
];

/// The tools that ask language servers.
#[cfg(feature = "servers")]
const SERVER_TOOLS: &[Tool] = &[
    Tool {
        name: "goto_definition",
        verb: "def",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Where a name is defined, by the language server: also where text search finds many, or none. \
             Example: {\"locate\": \"app.py:main@<|>Store(\"}",
        schemas: Schemas::of::<GotoDefinition, Definitions>(),
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::goto_definition),
    },
    Tool {
        name: "find_references",
        verb: "refs",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Every use of a name, by the language server, and no namesakes; for a text, find_nodes is \
             quicker. Look at completeness before you rely on it. Example: {\"locate\": \
             \"store.py:Store.get\"}",
        schemas: Schemas::of::<FindReferences, References>(),
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::find_references),
    },
    Tool {
        name: "hover",
        verb: "hover",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "What a name is: its type, signature and documentation. Example: {\"file\": \"app.py\", \
             \"line\": 5, \"symbol\": \"store\"}",
        schemas: Schemas::of::<Hover, Hovered>(),
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::hover),
    },
    Tool {
        name: "diagnostics",
        verb: "check",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Errors and warnings of files, as the compiler or type checker has them: call it after edits. \
             Example: {\"path\": \"app.py\"}",
        schemas: Schemas::of::<Diagnostics, Diagnosed>(),
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::diagnostics),
    },
    Tool {
        name: "workspace_symbols",
        verb: "symbols",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Symbols of the whole workspace by a part of their name. Example: {\"query\": \"Store\"}",
        schemas: Schemas::of::<WorkspaceSymbols, SymbolsFound>(),
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::workspace_symbols),
    },
    Tool {
        name: "rename_symbol",
        verb: "rename",
        group: ToolGroup::Server,
        effect: Effect::PreviewsOrWrites,
        description: "Renames a symbol in every file that uses it, or refuses with the places that would keep the old \
             name. Answers as edits do, with a diff and an edit_id for apply_edit. Example: {\"locate\": \"store.py:Store.get\", \"new_name\": \"fetch\"}",
        schemas: Schemas::of::<RenameSymbol, EditMade>(),
        read: |tool, given| {
            let reach = |one: &RenameSymbol| CallAccess::Everything { writes: one.apply };
            quick(tool, given, reach, Engine::rename_symbol)
        },
    },
    Tool {
        name: "code_actions",
        verb: "actions",
        group: ToolGroup::Server,
        effect: Effect::Previews,
        description: "Repairs and refactorings that the language server proposes at a place; apply previews the one of \
             that title. Example: {\"file\": \"app.py\", \"line\": 5, \"symbol\": \"Store\"}",
        schemas: Schemas::of::<CodeActions, Actions>(),
        read: |tool, given| {
            quick(
                tool,
                given,
                |_: &CodeActions| reads_all(),
                Engine::code_actions,
            )
        },
    },
    Tool {
        name: "format",
        verb: "format",
        group: ToolGroup::Server,
        effect: Effect::PreviewsOrWrites,
        description: "Lays out a file, or some lines, as its language server does: a preview. Example: {\"file_path\": \
             \"app.py\"}",
        schemas: Schemas::of::<Format, EditMade>(),
        read: |tool, given| {
            let reach = |one: &Format| CallAccess::Everything { writes: one.apply };
            quick(tool, given, reach, Engine::format)
        },
    },
    Tool {
        name: "completions",
        verb: "complete",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "What may stand at a place, such as the members behind a dot. Example: {\"locate\": \
             \"app.py:main@store.<|>get\"}",
        schemas: Schemas::of::<Completions, Completed>(),
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::completions),
    },
    Tool {
        name: "signature_help",
        verb: "signature",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "What a call takes; the place is behind its opening bracket. Example: {\"locate\": \
             \"app.py:main@store.get(<|>1\"}",
        schemas: Schemas::of::<SignatureHelp, Signatures>(),
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::signature_help),
    },
];
#[cfg(not(feature = "servers"))]
const SERVER_TOOLS: &[Tool] = &[];

#[cfg(feature = "servers")]
fn reads_all() -> CallAccess {
    CallAccess::Everything { writes: false }
}
