//! Defines each tool once: its name, command line verb, schemas and description. All front ends use these definitions.

use serde_json::{Map, Value};

use crate::diagnostic;

use super::calls::{Call, ToolRequest};
#[cfg(feature = "servers")]
use super::request::questions::{
    CodeActions, Completions, Diagnostics, FindReferences, Format, GotoDefinition, Hover,
    RenameSymbol, SignatureHelp, WorkspaceSymbols,
};
use super::request::{
    AmendEdit, ApplyEdit, DeleteNode, DiscardEdit, EditNodes, FindNodes, InsertNode, ListEdits,
    LocatePlace, MoveNode, Outline, ReadNode, ReplaceNode, ReplaceText, Rewrite, UndoEdit,
    WrapNode, named_schema_of, schema_of,
};
use super::response::{Refused, RefusedCall};

pub use crate::workspace::ToolGroup;

/// A tool: a named request to the engine.
pub struct Tool {
    /// The name in MCP calls and batches: `replace_node`.
    pub name: &'static str,
    /// The verb on the command line, with its group: `replace`, `lsp hover`.
    pub verb: &'static str,
    /// The group of the tool; it may be in [`ToolGroup::Lean`] too.
    pub group: ToolGroup,
    /// What a call may change.
    pub effect: Effect,
    /// The description for a model: what the tool does, with example arguments.
    pub description: &'static str,
    /// The types of its arguments and answers.
    pub schemas: Schemas,
    /// The argument that names the file, if the tool also answers about a text without files.
    pub file_argument: Option<&'static str>,
    read: fn(Value) -> Result<Call, Refused>,
}

impl Tool {
    /// Returns a tool with the fields that follow from its request type, and defaults for the others.
    const fn for_request<R: ToolRequest>() -> Tool {
        Tool {
            name: R::TOOL,
            verb: R::TOOL,
            group: ToolGroup::Read,
            effect: Effect::Reads,
            description: "",
            schemas: Schemas {
                input: schema_of::<R>,
                answer: schema_of::<R::Answer>,
                named_answer: named_schema_of::<R::Answer>,
            },
            file_argument: R::FILE_ARGUMENT,
            read: Call::from_arguments::<R>,
        }
    }
}

/// What the calls of a tool may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// No files. They may keep a preview.
    Previews,
    /// They keep a preview, or write files if `apply` is true.
    PreviewsOrWrites,
    /// Files and the record of an edit. Repeating the call has no further effect.
    WritesOnce,
    /// Only the record of an edit, which is lost. Repeating the call has no further effect.
    Discards,
    /// Only files whose change was interrupted by a crash; the call completes or reverts the change.
    Settles,
}

/// The JSON Schemas of the arguments and the answer of a tool, generated from their types.
pub struct Schemas {
    /// Returns the schema of the arguments.
    pub input: fn() -> Map<String, Value>,
    /// Returns the schema of the answer.
    pub answer: fn() -> Map<String, Value>,
    /// Returns the schema of the answer with its types as named definitions.
    pub named_answer: fn() -> Map<String, Value>,
}

/// The tools of the group `lean`: one that reads, one that edits, and those for a preview or a refusal.
const LEAN: [&str; 5] = [
    "read_node",
    "edit_nodes",
    "apply_edit",
    "undo_edit",
    "amend_edit",
];

impl ToolGroup {
    /// Returns whether a server with this group lists the tool.
    pub fn lists(self, tool: &Tool) -> bool {
        match self {
            ToolGroup::Lean => LEAN.contains(&tool.name),
            other => tool.group == other,
        }
    }

    /// Returns whether a server with this group accepts calls of the tool.
    pub fn accepts(self, tool: &Tool) -> bool {
        match self {
            ToolGroup::Lean => tool.group != ToolGroup::Server,
            other => tool.group == other,
        }
    }
}

/// Returns all tools, in the order in which they are listed.
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
                let message = format!("unknown tool `{tool}`; the tools are {}", known.join(", "));
                let mut diagnostic = diagnostic::about_arguments(message);
                let near = known
                    .iter()
                    .map(|name| (strsim::jaro_winkler(name, tool), name))
                    .filter(|(likeness, _)| *likeness > NEAR)
                    .max_by(|(one, _), (other, _)| one.total_cmp(other));
                diagnostic.help =
                    near.map(|(_, name)| format!("a tool with a similar name exists: `{name}`"));
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
        description: "Lists the symbols of a file, directory or glob with locators; summarizes \
             directories if they do not fit. Example: {\"path\": \"src\"}",
        ..Tool::for_request::<Outline>()
    },
    Tool {
        verb: "locate",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Returns the line and character of a symbol, of lines or of a text, or the \
             locator and selector of a position such as src/server.rs:42:10 in a compiler error. \
             Edits need no position. Example: {\"locate\": \"src/server.rs:Server.handle@return \
             <|>response\"}",
        ..Tool::for_request::<LocatePlace>()
    },
    Tool {
        verb: "read",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Reads one syntax node and lists its ancestors: to look before an edit, or \
             to learn the node types. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             \"@Method::POST =>\"}",
        ..Tool::for_request::<ReadNode>()
    },
    Tool {
        verb: "find",
        group: ToolGroup::Read,
        effect: Effect::Reads,
        description: "Finds nodes in a file, a directory or a glob, each with a selector for the other tools. \
             Example: {\"path\": \"src\", \"text\": \"timeout(\", \"node_type\": \"call\"}",
        ..Tool::for_request::<FindNodes>()
    },
    Tool {
        verb: "replace",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Replaces one syntax node. Returns the diff and an edit_id for apply_edit; \
             writes nothing unless apply is true. If the selector does not match exactly one \
             node, the refusal suggests calls that work. Example: {\"file_path\": \
             \"src/server.rs\", \"selector\": {\"anchor_text\": \"POST =>\", \
             \"ancestor_node_type\": \"match_arm\"}, \"new_content\": \"POST => create(),\"}",
        ..Tool::for_request::<ReplaceNode>()
    },
    Tool {
        verb: "text",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Replaces the only match of find: the cheapest way to edit a few words or lines. \
             For a node, use replace_node. Example: {\"file_path\": \"src/server.rs\", \"find\": \
             \"timeout(<|>30<|>)\", \"new_content\": \"60\"}",
        ..Tool::for_request::<ReplaceText>()
    },
    Tool {
        verb: "insert",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Inserts new_content before or after a node, or first or last inside its \
             body; otherwise like replace_node. Example: {\"file_path\": \"src/server.rs\", \
             \"selector\": \"Server:impl_item\", \"position\": \"last_child\", \
             \"new_content\": \"fn stop(self) {}\"}",
        ..Tool::for_request::<InsertNode>()
    },
    Tool {
        verb: "delete",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Deletes a node with doc comments, attributes and comma; otherwise \
             like replace_node. unused: true refuses what is used. Example: {\"file_path\": \"package.json\", \"selector\": \
             \"pair@\\\"left-pad\\\"\"}",
        ..Tool::for_request::<DeleteNode>()
    },
    Tool {
        verb: "wrap",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Wraps a node in new_content, with `<|>` in place of its text. Example: \
             {\"file_path\": \"src/server.rs\", \"selector\": \
             \"statement@send(reply)\", \"new_content\": \"if ready {\\n    <|>\\n}\"}",
        ..Tool::for_request::<WrapNode>()
    },
    Tool {
        verb: "move",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Moves a node with doc comments and attributes next to or into another node, \
             in any file; imports: true updates all imports. Example: {\"file_path\": \"src/server.rs\", \"selector\": \"helper\", \
             \"to\": {\"selector\": \"main\", \"position\": \"before\"}}",
        ..Tool::for_request::<MoveNode>()
    },
    Tool {
        verb: "edit",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Makes several edits, all or none. Each may name several files or nodes. imports: true: import statements follow. Example: {\"edits\": [{\"file_path\": \"src/a.rs\", \"find\": \
             \"timeout(30)\", \"new_content\": \"timeout(60)\"}, {\"file_path\": \"src/**/*.rs\", \
             \"op\": \"delete\", \"selector\": \"old\"}]}",
        ..Tool::for_request::<EditNodes>()
    },
    Tool {
        verb: "rewrite",
        group: ToolGroup::Edit,
        effect: Effect::PreviewsOrWrites,
        description: "Replaces every match of a pattern in many files, as one edit. Example: \
             {\"path\": \"src\", \"pattern\": \"timeout($A)\", \"new_content\": \"timeout($A, None)\"}",
        ..Tool::for_request::<Rewrite>()
    },
    Tool {
        verb: "apply",
        group: ToolGroup::Flow,
        effect: Effect::WritesOnce,
        description: "Writes exactly what a preview showed, or refuses if the edited code changed \
             since. Example: {\"edit_id\": \"edbde52b9d658\"}",
        ..Tool::for_request::<ApplyEdit>()
    },
    Tool {
        verb: "undo",
        group: ToolGroup::Flow,
        effect: Effect::WritesOnce,
        description: "Undoes an applied edit and nothing else; refuses if its text changed since. \
             Example: {\"edit_id\": \"edbde52b9d658\"}",
        ..Tool::for_request::<UndoEdit>()
    },
    Tool {
        verb: "amend",
        group: ToolGroup::Flow,
        effect: Effect::PreviewsOrWrites,
        description: "Changes only the given fields of a refused or previewed edit and previews \
             it again. Example: {\"edit_id\": \"edbde52b9d658\", \"selector\": \
             \"match_arm@Method::PUT =>\"}",
        ..Tool::for_request::<AmendEdit>()
    },
    Tool {
        verb: "discard",
        group: ToolGroup::Flow,
        effect: Effect::Discards,
        description: "Discards a previewed or refused edit; no file changes. Example: \
             {\"edit_id\": \"edbde52b9d658\"}",
        ..Tool::for_request::<DiscardEdit>()
    },
    Tool {
        verb: "list",
        group: ToolGroup::Flow,
        effect: Effect::Settles,
        description: "Lists pending and recently applied edits; with edit_id, shows one with its \
             diff. Example: {}",
        ..Tool::for_request::<ListEdits>()
    },
];

/// The tools that ask language servers.
#[cfg(feature = "servers")]
const SERVER_TOOLS: &[Tool] = &[
    Tool {
        verb: "lsp definition",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Finds the definition of a name with the language server, also where text \
             search finds many matches or none. Example: {\"locate\": \"app.py:main@<|>Store(\"}",
        ..Tool::for_request::<GotoDefinition>()
    },
    Tool {
        verb: "lsp references",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Lists every use of a name with the language server, not other symbols of that \
             name. To search for text, find_nodes is faster. Check completeness before you rely \
             on it. Example: {\"locate\": \"store.py:Store.get\"}",
        ..Tool::for_request::<FindReferences>()
    },
    Tool {
        verb: "lsp hover",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Returns the type, signature and documentation of a name. Example: \
             {\"file\": \"app.py\", \"line\": 5, \"symbol\": \"store\"}",
        ..Tool::for_request::<Hover>()
    },
    Tool {
        verb: "lsp diagnostics",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Lists errors and warnings in files, from the compiler or type checker. Call \
             it after edits. Example: {\"path\": \"app.py\"}",
        ..Tool::for_request::<Diagnostics>()
    },
    Tool {
        verb: "lsp symbols",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Finds symbols in the whole workspace by part of their name. Example: \
             {\"query\": \"Store\"}",
        ..Tool::for_request::<WorkspaceSymbols>()
    },
    Tool {
        verb: "lsp rename",
        group: ToolGroup::Server,
        effect: Effect::PreviewsOrWrites,
        description: "Renames a symbol in every file that uses it, or refuses and lists the \
             places that would keep the old name. \
             Example: {\"locate\": \"store.py:Store.get\", \"new_name\": \"fetch\"}",
        ..Tool::for_request::<RenameSymbol>()
    },
    Tool {
        verb: "lsp code-actions",
        group: ToolGroup::Server,
        effect: Effect::Previews,
        description: "Lists fixes and refactorings that the language server suggests at a place; \
             apply previews the one with that title. Example: {\"file\": \"app.py\", \"line\": 5, \
             \"symbol\": \"Store\"}",
        ..Tool::for_request::<CodeActions>()
    },
    Tool {
        verb: "lsp format",
        group: ToolGroup::Server,
        effect: Effect::PreviewsOrWrites,
        description: "Previews the formatting of a file, or of some lines, by its language \
             server. Example: {\"file_path\": \"app.py\"}",
        ..Tool::for_request::<Format>()
    },
    Tool {
        verb: "lsp completions",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Lists completions at a place, such as the members after a dot. Example: \
             {\"locate\": \"app.py:main@store.<|>get\"}",
        ..Tool::for_request::<Completions>()
    },
    Tool {
        verb: "lsp signature-help",
        group: ToolGroup::Server,
        effect: Effect::Reads,
        description: "Returns the signatures of a call; the place is after its opening bracket. \
             Example: {\"locate\": \"app.py:main@store.get(<|>1\"}",
        ..Tool::for_request::<SignatureHelp>()
    },
];
#[cfg(not(feature = "servers"))]
const SERVER_TOOLS: &[Tool] = &[];
