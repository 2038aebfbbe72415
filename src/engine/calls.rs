//! Makes a call by tool name and returns the answer.
//!
//! The files that a call reads and writes are known before the call (`CallAccess`), so calls can run concurrently.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::diagnostic::{self, Code};

#[cfg(feature = "servers")]
use super::request::questions::{CodeActions, Format, RenameSymbol};
use super::request::{
    ApplyEdit, DeleteNode, Describe, DiscardEdit, EditNodes, EditRequest, FindNodes, InsertNode,
    ListEdits, Locate, MoveNode, Outline, ReadNode, ReplaceNode, ReplaceText, RetargetEdit,
    UndoEdit, WrapNode, read,
};
use super::response::{Answer, Refusal};
use super::watch::Watch;
use super::{Engine, Refused};

/// The answer of any tool.
pub trait AnyAnswer: Send {
    /// Returns the answer as JSON.
    fn as_json(&self) -> Value;
    /// Returns the answer as text.
    fn as_text(&self) -> String;
    /// Returns the code of the failure if the answer explains why there is no result.
    fn why_none(&self) -> Option<Code>;
}

impl<A: Answer + Send> AnyAnswer for A {
    fn as_json(&self) -> Value {
        serde_json::to_value(self).expect("an answer is plain data")
    }

    fn as_text(&self) -> String {
        self.text()
    }

    fn why_none(&self) -> Option<Code> {
        self.failure()
    }
}

/// A call whose arguments are read, before it is made.
pub struct Call {
    tool: &'static str,
    pub(super) reach: CallAccess,
    /// The edits, if the tool edits nodes.
    pub(super) edits: Option<EditRequest>,
    make: Box<Make>,
}

/// Makes a call. The edit of a call that edits nodes gets the given id.
type Make =
    dyn Fn(&Engine, &dyn Watch, Option<&str>) -> Result<Box<dyn AnyAnswer>, Refused> + Send + Sync;

/// The files that a call reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallAccess {
    /// Reads a file, a directory or the matches of a glob.
    Path(String),
    /// Reads these files, and writes them if `writes` is set.
    Files { paths: Vec<String>, writes: bool },
    /// Reads and writes the files of the edit with this id.
    Edit(String),
    /// May read all files, and write them if `writes` is set.
    Everything { writes: bool },
}

/// One row of the table.
struct ToolRow {
    tool: &'static str,
    read: fn(&'static str, Value) -> Result<Call, Refused>,
}

/// The table of the tools that need no language server, one row per tool.
const ROWS: &[ToolRow] = &[
    ToolRow {
        tool: "outline",
        read: |tool, given| {
            let reach = |one: &Outline| CallAccess::Path(one.path.clone());
            watched(tool, given, reach, Engine::outline)
        },
    },
    ToolRow {
        tool: "locate",
        read: |tool, given| {
            let reach = |one: &Locate| files([&one.locate.0.locate.file_path], false);
            quick(tool, given, reach, Engine::locate)
        },
    },
    ToolRow {
        tool: "describe",
        read: |tool, given| {
            let reach = |one: &Describe| {
                let position = one.position.as_ref();
                let named = position.and_then(|position| position.file_path.as_ref());
                files(one.file_path.iter().chain(named), false)
            };
            quick(tool, given, reach, Engine::describe)
        },
    },
    ToolRow {
        tool: "read_node",
        read: |tool, given| {
            let reach = |one: &ReadNode| {
                let located = one.locate.as_ref();
                let located = located.map(|locate| &locate.0.locate.file_path);
                files(one.file_path.iter().chain(located), false)
            };
            quick(tool, given, reach, Engine::read_node)
        },
    },
    ToolRow {
        tool: "find_nodes",
        read: |tool, given| {
            let reach = |one: &FindNodes| CallAccess::Path(one.path.clone());
            watched(tool, given, reach, Engine::find_nodes)
        },
    },
    ToolRow {
        tool: "replace_node",
        read: |tool, given| edit::<ReplaceNode>(tool, given),
    },
    ToolRow {
        tool: "replace_text",
        read: |tool, given| edit::<ReplaceText>(tool, given),
    },
    ToolRow {
        tool: "insert_node",
        read: |tool, given| edit::<InsertNode>(tool, given),
    },
    ToolRow {
        tool: "delete_node",
        read: |tool, given| edit::<DeleteNode>(tool, given),
    },
    ToolRow {
        tool: "wrap_node",
        read: |tool, given| edit::<WrapNode>(tool, given),
    },
    ToolRow {
        tool: "move_node",
        read: |tool, given| edit::<MoveNode>(tool, given),
    },
    ToolRow {
        tool: "edit_nodes",
        read: |tool, given| edit::<EditNodes>(tool, given),
    },
    ToolRow {
        tool: "apply_edit",
        read: |tool, given| {
            let reach = |one: &ApplyEdit| CallAccess::Edit(one.edit_id.clone());
            quick(tool, given, reach, Engine::apply_edit)
        },
    },
    ToolRow {
        tool: "undo_edit",
        read: |tool, given| {
            let reach = |one: &UndoEdit| CallAccess::Edit(one.edit_id.clone());
            quick(tool, given, reach, Engine::undo_edit)
        },
    },
    ToolRow {
        tool: "retarget_edit",
        read: |tool, given| {
            let reach = |one: &RetargetEdit| CallAccess::Edit(one.edit_id.clone());
            quick(tool, given, reach, Engine::retarget_edit)
        },
    },
    ToolRow {
        tool: "discard_edit",
        read: |tool, given| {
            let reach = |one: &DiscardEdit| CallAccess::Edit(one.edit_id.clone());
            quick(tool, given, reach, Engine::discard_edit)
        },
    },
    ToolRow {
        tool: "list_edits",
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

/// The rows of the tools that ask language servers.
#[cfg(feature = "servers")]
const SERVER_ROWS: &[ToolRow] = &[
    ToolRow {
        tool: "goto_definition",
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::goto_definition),
    },
    ToolRow {
        tool: "find_references",
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::find_references),
    },
    ToolRow {
        tool: "hover",
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::hover),
    },
    ToolRow {
        tool: "diagnostics",
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::diagnostics),
    },
    ToolRow {
        tool: "workspace_symbols",
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::workspace_symbols),
    },
    ToolRow {
        tool: "rename_symbol",
        read: |tool, given| {
            let reach = |one: &RenameSymbol| CallAccess::Everything { writes: one.apply };
            quick(tool, given, reach, Engine::rename_symbol)
        },
    },
    ToolRow {
        tool: "code_actions",
        read: |tool, given| {
            quick(
                tool,
                given,
                |_: &CodeActions| reads_all(),
                Engine::code_actions,
            )
        },
    },
    ToolRow {
        tool: "format",
        read: |tool, given| {
            let reach = |one: &Format| CallAccess::Everything { writes: one.apply };
            quick(tool, given, reach, Engine::format)
        },
    },
    ToolRow {
        tool: "completions",
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::completions),
    },
    ToolRow {
        tool: "signature_help",
        read: |tool, given| quick(tool, given, |_| reads_all(), Engine::signature_help),
    },
];
#[cfg(not(feature = "servers"))]
const SERVER_ROWS: &[ToolRow] = &[];

/// The tools that write only with `apply`.
pub const WRITING: &[&str] = &[
    "replace_node",
    "replace_text",
    "insert_node",
    "delete_node",
    "wrap_node",
    "move_node",
    "edit_nodes",
    "retarget_edit",
    "rename_symbol",
    "format",
];

fn rows() -> impl Iterator<Item = &'static ToolRow> {
    ROWS.iter().chain(SERVER_ROWS)
}

/// Returns the names of all tools.
pub fn tools() -> impl Iterator<Item = &'static str> {
    rows().map(|row| row.tool)
}

impl Call {
    /// Reads a call as leniently as the other front ends do.
    ///
    /// # Errors
    /// The tool does not exist, or does not take the arguments.
    pub fn read(tool: &str, arguments: Value) -> Result<Call, Refused> {
        match rows().find(|row| row.tool == tool) {
            Some(row) => (row.read)(row.tool, arguments),
            None => {
                let known: Vec<&str> = tools().collect();
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

    /// Returns the name of the call's tool.
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// Makes the call.
    ///
    /// # Errors
    /// As the engine's method for the tool.
    pub fn make(&self, engine: &Engine, watch: &dyn Watch) -> Result<Box<dyn AnyAnswer>, Refused> {
        (self.make)(engine, watch, None)
    }

    /// Makes the call. Its edit gets the id. If an edit with the id is already written, returns that edit.
    pub(super) fn make_once(
        &self,
        engine: &Engine,
        watch: &dyn Watch,
        edit_id: Option<&str>,
    ) -> Result<Box<dyn AnyAnswer>, Refused> {
        (self.make)(engine, watch, edit_id)
    }
}

/// The minimum similarity of a suggested name.
const NEAR: f64 = 0.8;

#[cfg(feature = "servers")]
fn reads_all() -> CallAccess {
    CallAccess::Everything { writes: false }
}

fn files<'a>(paths: impl IntoIterator<Item = &'a String>, writes: bool) -> CallAccess {
    CallAccess::Files {
        paths: paths.into_iter().cloned().collect(),
        writes,
    }
}

/// Reads a call that takes negligible time.
fn quick<Q, A>(
    tool: &'static str,
    given: Value,
    reach: impl Fn(&Q) -> CallAccess,
    verb: fn(&Engine, &Q) -> Result<A, Refused>,
) -> Result<Call, Refused>
where
    Q: for<'de> Deserialize<'de> + JsonSchema + Send + Sync + 'static,
    A: Answer + Send + 'static,
{
    let request = request_of::<Q>(tool, given)?;
    let reach = reach(&request);
    Ok(Call {
        tool,
        reach,
        edits: None,
        make: Box::new(move |engine, _, _| Ok(Box::new(verb(engine, &request)?))),
    })
}

/// Reads a call that reports its progress.
fn watched<Q, A>(
    tool: &'static str,
    given: Value,
    reach: impl Fn(&Q) -> CallAccess,
    verb: fn(&Engine, &Q, &dyn Watch) -> Result<A, Refused>,
) -> Result<Call, Refused>
where
    Q: for<'de> Deserialize<'de> + JsonSchema + Send + Sync + 'static,
    A: Answer + Send + 'static,
{
    let request = request_of::<Q>(tool, given)?;
    let reach = reach(&request);
    Ok(Call {
        tool,
        reach,
        edits: None,
        make: Box::new(move |engine, watch, _| Ok(Box::new(verb(engine, &request, watch)?))),
    })
}

/// Reads a call that edits nodes or texts.
fn edit<Q>(tool: &'static str, given: Value) -> Result<Call, Refused>
where
    Q: for<'de> Deserialize<'de> + serde::Serialize + JsonSchema + Send + Sync + 'static,
    for<'q> EditRequest: From<&'q Q>,
{
    let request = request_of::<Q>(tool, given)?;
    let edits = EditRequest::from(&request);
    let paths = edits.file_paths().map(str::to_string).collect();
    let writes = edits.applies();
    Ok(Call {
        tool,
        reach: CallAccess::Files { paths, writes },
        edits: Some(edits.clone()),
        make: Box::new(move |engine, _, edit_id| {
            Ok(Box::new(engine.edited(tool, &request, &edits, edit_id)?))
        }),
    })
}

fn request_of<Q>(tool: &'static str, given: Value) -> Result<Q, Refused>
where
    Q: for<'de> Deserialize<'de> + JsonSchema,
{
    read::<Q>(given.clone())
        .map_err(|diagnostic| Box::new(Refusal::of_call(tool, given, diagnostic)))
}
