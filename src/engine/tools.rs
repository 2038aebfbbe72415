//! The tools: each is defined once, and every front end derives from the definition what it lists, reads, guards and prints.

use serde_json::{Map, Value};

use crate::diagnostic;

use super::Refused;
use super::calls::{Call, ToolRequest};
#[cfg(feature = "servers")]
use super::request::questions::{
    CodeActions, Completions, Diagnostics, FindReferences, Format, GotoDefinition, Hover,
    RenameSymbol, SignatureHelp, WorkspaceSymbols,
};
use super::request::{
    ApplyEdit, DeleteNode, Describe, DiscardEdit, EditNodes, FindNodes, InsertNode, ListEdits,
    LocatePlace, MoveNode, Outline, ReadNode, ReplaceNode, ReplaceText, RetargetEdit, UndoEdit,
    WrapNode, schema_of,
};
use super::response::RefusedCall;

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
    read: fn(Value) -> Result<Call, Refused>,
}

impl Tool {
    /// Returns what the type of its request determines.
    const fn of<R: ToolRequest>() -> Tool {
        Tool {
            name: R::TOOL,
            verb: R::TOOL,
            group: ToolGroup::Read,
            effect: Effect::Reads,
            description: "",
            schemas: Schemas {
                input: schema_of::<R>,
                answer: schema_of::<R::Answer>,
            },
            read: Call::of::<R>,
        }
    }
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

impl ToolGroup {
    /// All groups, in the order in which their tools are listed.
    pub const ALL: &[ToolGroup] = &[
        ToolGroup::Read,
        ToolGroup::Edit,
        ToolGroup::Flow,
        ToolGroup::Server,
    ];

    /// Returns its name in options and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            ToolGroup::Read => "read",
            ToolGroup::Edit => "edit",
            ToolGroup::Flow => "flow",
            ToolGroup::Server => "server",
        }
    }

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
            Some(tool) => (tool.read)(arguments),
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
                Err(Box::new(RefusedCall {
                    tool: tool.to_string().into(),
                    ..RefusedCall::of_call("", arguments, diagnostic)
                }))
            }
        }
    }
}

/// The tools that need no language server.
const TOOLS: &[Tool] = &[
    Tool {
        verb: "outline",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Lists the symbols of a file, a directory or a glob, each with a locate that leads to it. \
             Example: {\"path\": \"src/server.rs\"}",
        ..Tool::of::<Outline>()
    },
    Tool {
        verb: "locate",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Tells line and character of a symbol, of lines or of a text. Edits need no position. \
             Example: {\"locate\": \"src/server.rs:Server.handle@return <|>response\"}",
        ..Tool::of::<LocatePlace>()
    },
    Tool {
        verb: "describe",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "The way back: from line and character, say of a compiler's error, to the shortest locate and \
             the selector of the node there. Example: {\"position\": \
             \"src/server.rs:42:10: error\"}",
        ..Tool::of::<Describe>()
    },
    Tool {
        verb: "read",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Reads one syntax node and lists those around it: to look before an edit, or to learn \
             which types there are. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             \"@Method::POST =>\"}",
        ..Tool::of::<ReadNode>()
    },
    Tool {
        verb: "find",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Finds nodes in a file, a directory or a glob, each with a selector for the other tools. \
             Example: {\"path\": \"src\", \"text\": \"timeout(\", \"node_type\": \"call\"}",
        ..Tool::of::<FindNodes>()
    },
    Tool {
        verb: "replace",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Replaces one syntax node. Answers with the diff and an edit_id for apply_edit; writes \
             nothing yet, unless apply is true. If not exactly one node is meant, the refusal \
             suggests calls that work. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             {\"anchor_text\": \"Method::POST =>\", \"ancestor_node_type\": \"match_arm\"}, \
             \"new_content\": \"Method::POST => self.create(request),\"}",
        ..Tool::of::<ReplaceNode>()
    },
    Tool {
        verb: "replace-text",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Replaces the one match of find: the cheapest edit of some words or lines, as find needs no more \
             than is unique in the file or scope. Of a whole node replace_node is. Example: {\"file_path\": \
             \"src/server.rs\", \"find\": \"timeout(<|>30<|>)\", \"new_content\": \"60\"}",
        ..Tool::of::<ReplaceText>()
    },
    Tool {
        verb: "insert",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Inserts new_content before or after a node, or first or last inside its body; otherwise as \
             replace_node. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             \"impl_item@impl Server\", \"position\": \"last_child\", \
             \"new_content\": \"fn stop(self) {}\"}",
        ..Tool::of::<InsertNode>()
    },
    Tool {
        verb: "delete",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Deletes one node with its doc comments, attributes and comma; otherwise as replace_node. \
             Example: {\"file_path\": \"package.json\", \"selector\": \"pair@\\\"left-pad\\\"\"}",
        ..Tool::of::<DeleteNode>()
    },
    Tool {
        verb: "wrap",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Puts a node into new_content, where it holds `<|>`; the node need not be sent. Example: \
             {\"file_path\": \"src/server.rs\", \"selector\": \"expression_statement@send(reply)\", \
             \"new_content\": \"if ready {\\n    <|>\\n}\"}",
        ..Tool::of::<WrapNode>()
    },
    Tool {
        verb: "move",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Moves a node with its doc comments and attributes beside or into another one, also of another \
             file. Example: {\"file_path\": \"src/server.rs\", \"selector\": \"function@fn helper\", \"to\": \
             {\"selector\": \"function@fn main\", \"position\": \"before\"}}",
        ..Tool::of::<MoveNode>()
    },
    Tool {
        verb: "edit",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Several edits at once, in one or more files: all or none. \
             Example: {\"file_path\": \"src/a.rs\", \"edits\": [{\"find\": \"timeout(30)\", \
             \"new_content\": \"timeout(60)\"}, {\"op\": \"delete\", \"selector\": \"function@fn old\"}]}",
        ..Tool::of::<EditNodes>()
    },
    Tool {
        verb: "apply",
        group: ToolGroup::Flow,
        effect: Effect::WritesOnce,
        description: "Writes exactly what a preview showed, or refuses if the file changed there since. Call it \
             when the diff is right. Example: {\"edit_id\": \"edbde52b9d658\"}",
        ..Tool::of::<ApplyEdit>()
    },
    Tool {
        verb: "undo",
        group: ToolGroup::Flow,
        effect: Effect::WritesOnce,
        description: "Takes back an applied edit: its files get exactly the bytes they had, or it refuses if they \
             changed since. Example: {\"edit_id\": \"edbde52b9d658\"}",
        ..Tool::of::<UndoEdit>()
    },
    Tool {
        verb: "retarget",
        group: ToolGroup::Flow,
        effect: Effect::PreviewsOrWrites,
        description: "Gives a refused or previewed edit another node without sending new_content again; \
             previews like the first call. Refusals suggest it. Example: {\"edit_id\": \
             \"edbde52b9d658\", \"selector\": \"match_arm@Method::PUT =>\"}",
        ..Tool::of::<RetargetEdit>()
    },
    Tool {
        verb: "discard",
        group: ToolGroup::Flow,
        effect: Effect::WritesOnce,
        description: "Forgets a previewed or refused edit; files stay as they are. Example: {\"edit_id\": \
             \"edbde52b9d658\"}",
        ..Tool::of::<DiscardEdit>()
    },
    Tool {
        verb: "edits",
        group: ToolGroup::Flow,
        effect: Effect::Settles,
        description: "Lists edits that wait or were applied lately; with edit_id shows that one with its diff. \
             Example: {}",
        ..Tool::of::<ListEdits>()
    },
];

/// The tools that ask language servers.
#[cfg(feature = "servers")]
const SERVER_TOOLS: &[Tool] = &[
    Tool {
        verb: "def",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Where a name is defined, by the language server: also where text search finds many, or none. \
             Example: {\"locate\": \"app.py:main@<|>Store(\"}",
        ..Tool::of::<GotoDefinition>()
    },
    Tool {
        verb: "refs",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Every use of a name, by the language server, and no namesakes; for a text, find_nodes is \
             quicker. Look at completeness before you rely on it. Example: {\"locate\": \
             \"store.py:Store.get\"}",
        ..Tool::of::<FindReferences>()
    },
    Tool {
        verb: "hover",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "What a name is: its type, signature and documentation. Example: {\"file\": \"app.py\", \
             \"line\": 5, \"symbol\": \"store\"}",
        ..Tool::of::<Hover>()
    },
    Tool {
        verb: "check",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Errors and warnings of files, as the compiler or type checker has them: call it after edits. \
             Example: {\"path\": \"app.py\"}",
        ..Tool::of::<Diagnostics>()
    },
    Tool {
        verb: "symbols",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Symbols of the whole workspace by a part of their name. Example: {\"query\": \"Store\"}",
        ..Tool::of::<WorkspaceSymbols>()
    },
    Tool {
        verb: "rename",
        group: ToolGroup::Server,
        effect: Effect::PreviewsOrWrites,
        description: "Renames a symbol in every file that uses it, or refuses with the places that would keep the old \
             name. Answers as edits do, with a diff and an edit_id for apply_edit. Example: {\"locate\": \"store.py:Store.get\", \"new_name\": \"fetch\"}",
        ..Tool::of::<RenameSymbol>()
    },
    Tool {
        verb: "actions",
        group: ToolGroup::Server,
        effect: Effect::Previews,
        description: "Repairs and refactorings that the language server proposes at a place; apply previews the one of \
             that title. Example: {\"file\": \"app.py\", \"line\": 5, \"symbol\": \"Store\"}",
        ..Tool::of::<CodeActions>()
    },
    Tool {
        verb: "format",
        group: ToolGroup::Server,
        effect: Effect::PreviewsOrWrites,
        description: "Lays out a file, or some lines, as its language server does: a preview. Example: {\"file_path\": \
             \"app.py\"}",
        ..Tool::of::<Format>()
    },
    Tool {
        verb: "complete",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "What may stand at a place, such as the members behind a dot. Example: {\"locate\": \
             \"app.py:main@store.<|>get\"}",
        ..Tool::of::<Completions>()
    },
    Tool {
        verb: "signature",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "What a call takes; the place is behind its opening bracket. Example: {\"locate\": \
             \"app.py:main@store.get(<|>1\"}",
        ..Tool::of::<SignatureHelp>()
    },
];
#[cfg(not(feature = "servers"))]
const SERVER_TOOLS: &[Tool] = &[];
