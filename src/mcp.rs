//! The MCP server: tool = read arguments, `engine.verb()`, write the answer.
//!
//! Comes in: calls, a line of JSON each, on standard input. Goes out: answers on standard output,
//! and nothing else. Calls run beside each other; one that fails inside does not end the others.

mod instructions;

use std::io;
use std::pin::pin;
use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult,
    ConstString, ContentBlock, CustomRequest, CustomResult, DiscoverResult, ErrorCode,
    Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig, ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::JoinError;

use crate::engine::request::{read, schema_of};
use crate::engine::response::Refusal;
use crate::engine::{Answer, Engine};

pub use instructions::INSTRUCTIONS;

/// How long a client may keep the list of tools, in milliseconds: it changes with the program only.
const LIST_KEPT: u64 = 60 * 60 * 1000;

/// Why the server ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client did not open the conversation as the protocol wants it.
    #[error("the client did not open an MCP conversation: {0}")]
    Opening(#[source] Box<ServerInitializeError>),
    /// The system does not tell when to stop.
    #[error("cannot wait for signals: {0}")]
    Signals(#[source] io::Error),
    /// The loop that reads and writes failed.
    #[error("the server failed: {0}")]
    Failed(#[from] JoinError),
}

/// Serves the engine's tools over standard input and output until the input ends, or the process is
/// asked to stop (SIGTERM, ctrl-c); calls that run then are answered first.
///
/// Where standard input is no pipe, a thread may still wait for it afterwards: end the runtime with
/// `shutdown_background`.
///
/// # Errors
/// The client speaks something else, or the system fails.
pub async fn serve(engine: Arc<Engine>) -> Result<(), ServeError> {
    let server = Server {
        engine,
        tools: tools().into(),
    };
    let mut asked_to_stop = pin!(asked_to_stop().map_err(ServeError::Signals)?);
    let running = tokio::select! {
        opened = server.serve(rmcp::transport::stdio_pipes()) => match opened {
            Ok(running) => running,
            // A client that leaves without a word has done nothing wrong.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Opening(Box::new(error))),
        },
        () = &mut asked_to_stop => return Ok(()),
    };
    let stop = running.cancellation_token();
    let mut ended = pin!(running.waiting());
    tokio::select! {
        reason = &mut ended => reason?,
        () = &mut asked_to_stop => {
            stop.cancel();
            ended.await?
        }
    };
    Ok(())
}

#[cfg(unix)]
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

/// What one conversation is answered from.
#[derive(Clone)]
struct Server {
    engine: Arc<Engine>,
    tools: Arc<[Tool]>,
}

/// One row of the table of tools.
struct Tool {
    /// What the client is told about it.
    listed: rmcp::model::Tool,
    call: Box<Call>,
}

type Call = dyn Fn(&Engine, Value) -> CallToolResult + Send + Sync;

/// What a call of a tool may do.
#[derive(Clone, Copy)]
enum Effect {
    /// Nothing.
    Reads,
    /// Something, with each call anew.
    Writes,
    /// Something, once; the second call finds nothing to do.
    WritesOnce,
}

/// Arguments that mean the same in every tool, and the tool that explains them to all others: the list
/// of tools is paid for by every conversation.
const EXPLAINED_ONCE: (&str, &[&str]) =
    ("replace_node", &["file_path", "indent", "allow", "apply"]);

/// The table: a tool is a row.
fn tools() -> Vec<Tool> {
    vec![
        tool(
            "locate",
            "Locate",
            "Tells line and character of a symbol, of lines or of a text. Edits need no position. \
             Example: {\"locate\": \"src/server.rs:Server.handle@return <|>response\"}",
            Effect::Reads,
            Engine::locate,
        ),
        tool(
            "describe",
            "Describe",
            "The way back: from line and character, say of a compiler's error, to the shortest locate and \
             the selector of the node there, both tried. Example: {\"position\": \
             \"src/server.rs:42:10: error\"}",
            Effect::Reads,
            Engine::describe,
        ),
        tool(
            "read_node",
            "Read node",
            "Reads one syntax node and lists those around it: to look before an edit, or to learn \
             which types there are. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             {\"anchor_text\": \"Method::POST =>\"}}",
            Effect::Reads,
            Engine::read_node,
        ),
        tool(
            "replace_node",
            "Replace node",
            "Replaces one syntax node. Answers with the diff and an edit_id for apply_edit; writes \
             nothing yet, unless apply is true. If not exactly one node is meant, the refusal \
             suggests calls that work. Example: {\"file_path\": \"src/server.rs\", \"selector\": \
             {\"anchor_text\": \"Method::POST =>\", \"ancestor_node_type\": \"match_arm\"}, \
             \"new_content\": \"Method::POST => self.create(request),\"}",
            Effect::Writes,
            Engine::replace_node,
        ),
        tool(
            "replace_text",
            "Replace text",
            "Replaces the one match of find: the cheapest edit of some words or lines, as find needs no more \
             than is unique in the file or scope. Of a whole node replace_node is. Example: {\"file_path\": \
             \"src/server.rs\", \"find\": \"timeout(<|>30<|>)\", \"new_content\": \"60\"}",
            Effect::Writes,
            Engine::replace_text,
        ),
        tool(
            "insert_node",
            "Insert node",
            "Inserts new_content before or after a node, or first or last inside its body; otherwise as \
             replace_node. Example: {\"file_path\": \"src/server.rs\", \"selector\": {\"anchor_text\": \
             \"impl Server\", \"ancestor_node_type\": \"impl_item\"}, \"position\": \"last_child\", \
             \"new_content\": \"fn stop(self) {}\"}",
            Effect::Writes,
            Engine::insert_node,
        ),
        tool(
            "delete_node",
            "Delete node",
            "Deletes one node with its doc comments, attributes and comma; otherwise as replace_node. \
             Example: {\"file_path\": \"package.json\", \"selector\": {\"anchor_text\": \"\\\"left-pad\\\"\", \
             \"ancestor_node_type\": \"pair\"}}",
            Effect::Writes,
            Engine::delete_node,
        ),
        tool(
            "wrap_node",
            "Wrap node",
            "Puts a node into new_content, where it holds `<|>`; the node need not be sent. Example: \
             {\"file_path\": \"src/server.rs\", \"selector\": \"expression_statement@send(reply)\", \
             \"new_content\": \"if ready {\\n    <|>\\n}\"}",
            Effect::Writes,
            Engine::wrap_node,
        ),
        tool(
            "move_node",
            "Move node",
            "Moves a node with its doc comments and attributes beside or into another one, also of another \
             file. Example: {\"file_path\": \"src/server.rs\", \"selector\": \"function@fn helper\", \"to\": \
             {\"selector\": \"function@fn main\", \"position\": \"before\"}}",
            Effect::Writes,
            Engine::move_node,
        ),
        tool(
            "edit_nodes",
            "Edit nodes",
            "Several edits at once, in one or more files: all or none. \
             Example: {\"file_path\": \"src/a.rs\", \"edits\": [{\"find\": \"timeout(30)\", \
             \"new_content\": \"timeout(60)\"}, {\"op\": \"delete\", \"selector\": \"function@fn old\"}]}",
            Effect::Writes,
            Engine::edit_nodes,
        ),
        tool(
            "apply_edit",
            "Apply edit",
            "Writes exactly what a preview showed, or refuses if the file changed there since. Call it \
             when the diff is right. Example: {\"edit_id\": \"edbde52b9d658\"}",
            Effect::WritesOnce,
            Engine::apply_edit,
        ),
        tool(
            "undo_edit",
            "Undo edit",
            "Takes back an applied edit: its files get exactly the bytes they had, or it refuses if they \
             changed since. Example: {\"edit_id\": \"edbde52b9d658\"}",
            Effect::WritesOnce,
            Engine::undo_edit,
        ),
        tool(
            "retarget_edit",
            "Retarget edit",
            "Gives a refused or previewed edit another node without sending new_content again; \
             previews like the first call. Refusals suggest it. Example: {\"edit_id\": \
             \"edbde52b9d658\", \"selector\": {\"anchor_text\": \"Method::PUT =>\", \
             \"ancestor_node_type\": \"match_arm\"}}",
            Effect::Writes,
            Engine::retarget_edit,
        ),
        tool(
            "discard_edit",
            "Discard edit",
            "Forgets a previewed or refused edit; files stay as they are. Example: {\"edit_id\": \
             \"edbde52b9d658\"}",
            Effect::WritesOnce,
            Engine::discard_edit,
        ),
        tool(
            "list_edits",
            "List edits",
            "Lists edits that wait or were applied lately; with edit_id shows that one with its diff. \
             Example: {}",
            Effect::Reads,
            Engine::list_edits,
        ),
    ]
}

fn tool<Q, A>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
    verb: fn(&Engine, &Q) -> Result<A, Box<Refusal>>,
) -> Tool
where
    Q: for<'de> Deserialize<'de> + JsonSchema + 'static,
    A: Answer + 'static,
{
    let mut input = schema_of::<Q>();
    // The tool's own description stands beside it.
    input.remove("description");
    let (explains, shared) = EXPLAINED_ONCE;
    if let Some(Value::Object(properties)) = input.get_mut("properties")
        && name != explains
    {
        let shared = |(argument, _): &(&String, &mut Value)| shared.contains(&argument.as_str());
        for (_, property) in properties.iter_mut().filter(shared) {
            if let Value::Object(property) = property {
                property.remove("description");
                property.remove("enum");
            }
        }
    }
    let closed = ToolAnnotations::new().open_world(false);
    let annotations = match effect {
        // What a tool destroys or repeats means nothing where it only reads.
        Effect::Reads => closed.read_only(true),
        Effect::Writes => closed.read_only(false).destructive(true),
        Effect::WritesOnce => closed.read_only(false).destructive(true).idempotent(true),
    };
    Tool {
        listed: rmcp::model::Tool::new(name, description, input)
            .with_title(title)
            .with_raw_output_schema(Arc::new(output_schema::<A>()))
            .with_annotations(annotations),
        call: Box::new(move |engine, arguments| call(name, verb, engine, arguments)),
    }
}

/// The schema of a tool's answers: the first level only, since the list of tools is paid for by
/// every conversation.
///
/// It requires nothing: some clients hold the structured content of errors against it too
/// (typescript-sdk issue 1943).
fn output_schema<A: Answer>() -> Map<String, Value> {
    let mut properties = Map::new();
    if let Some(Value::Object(full)) = schema_of::<A>().remove("properties") {
        for (name, full) in full {
            properties.insert(name, first_level(&full));
        }
    }
    let mut schema = Map::new();
    schema.insert("type".to_string(), json!("object"));
    schema.insert("properties".to_string(), Value::Object(properties));
    schema
}

/// Of a property's schema its type.
fn first_level(full: &Value) -> Value {
    let own_type = full.get("type").cloned();
    Value::Object(
        own_type
            .map(|own| ("type".to_string(), own))
            .into_iter()
            .collect(),
    )
}

/// One call: read arguments, verb, answer.
fn call<Q, A>(
    name: &'static str,
    verb: fn(&Engine, &Q) -> Result<A, Box<Refusal>>,
    engine: &Engine,
    arguments: Value,
) -> CallToolResult
where
    Q: for<'de> Deserialize<'de> + JsonSchema,
    A: Answer,
{
    let (request, unknown) = match read::<Q>(arguments.clone()) {
        Ok(read) => read,
        Err(diagnostic) => return refused(&Refusal::of_call(name, arguments, diagnostic), &[]),
    };
    let notes: Vec<String> = unknown
        .iter()
        .map(|argument| format!("{name} has no argument `{argument}`; it was not used"))
        .collect();
    match verb(engine, &request) {
        Ok(answer) => answered(&answer, &notes),
        Err(refusal) => refused(&refusal, &notes),
    }
}

fn answered(answer: &impl Answer, notes: &[String]) -> CallToolResult {
    let mut structured = serde_json::to_value(answer).expect("an answer is plain data");
    if let Some(Value::Array(known)) = structured.get_mut("notes") {
        known.extend(notes.iter().map(|note| json!(note)));
    }
    let mut result = CallToolResult::structured(structured);
    result.content = vec![with_notes(notes, answer.text())];
    result
}

fn refused(refusal: &Refusal, notes: &[String]) -> CallToolResult {
    let mut result = CallToolResult::structured_error(refusal.json());
    result.content = vec![with_notes(notes, refusal.text())];
    result
}

fn with_notes(notes: &[String], text: String) -> ContentBlock {
    let notes: String = notes.iter().map(|note| format!("note: {note}\n")).collect();
    ContentBlock::text(notes + &text)
}

/// The answer to a call that failed inside. It has none of the stable codes: nobody can act on it.
fn failed(name: &str, error: &JoinError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!(
        "internal error in {name}: {error}\nwhether it wrote is not known, read the place again; \
         other calls are answered as before\n"
    ))])
}

impl Server {
    /// Runs a call on a thread that may wait for the disk.
    async fn run(&self, name: &str, arguments: Value) -> Result<CallToolResult, ErrorData> {
        let names = || self.tools.iter().map(|tool| tool.listed.name.as_ref());
        let Some(row) = names().position(|known| known == name) else {
            let known = names().collect::<Vec<_>>().join(", ");
            let message = format!("unknown tool: {name}; the tools are {known}");
            return Err(ErrorData::invalid_params(message, None));
        };
        let (engine, tools) = (self.engine.clone(), self.tools.clone());
        let called =
            tokio::task::spawn_blocking(move || (tools[row].call)(&engine, arguments)).await;
        Ok(called.unwrap_or_else(|error| failed(name, &error)))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let implementation = Implementation::new("treegraft", env!("CARGO_PKG_VERSION"))
            .with_title("treegraft")
            .with_description(env!("CARGO_PKG_DESCRIPTION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(implementation)
            .with_instructions(INSTRUCTIONS)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let discovered = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(discovered
            .with_ttl_ms(LIST_KEPT)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = self.tools.iter().map(|tool| tool.listed.clone()).collect();
        Ok(ListToolsResult::with_all_items(listed)
            .with_ttl_ms(LIST_KEPT)
            .with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = self.run(&request.name, arguments).await?;
        Ok(result.into())
    }

    /// A call whose arguments are no object does not fit the protocol's type and comes here. Some
    /// clients send the object as a string; the others get a refusal that says what is wrong.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != CallToolRequestMethod::VALUE {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                format!("unknown method: {}", request.method),
                None,
            ));
        }
        let mut params = request.params.unwrap_or_default();
        let Some(name) = params["name"].as_str().map(str::to_string) else {
            return Err(ErrorData::invalid_params(
                "tools/call needs the name of a tool",
                None,
            ));
        };
        let mut result = self.run(&name, params["arguments"].take()).await?;
        // As rmcp does for results of its own types.
        if context.protocol_version() < Some(ProtocolVersion::V_2026_07_28) {
            result.result_type = None;
        }
        serde_json::to_value(result)
            .map(CustomResult)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(tools: Vec<Tool>) -> (tempfile::TempDir, Server) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = camino::Utf8Path::from_path(directory.path()).expect("its path is UTF-8");
        let engine = Engine::open(&[root.to_owned()], Some(&root.join("state")))
            .expect("the directory opens");
        let server = Server {
            engine: Arc::new(engine),
            tools: tools.into(),
        };
        (directory, server)
    }

    fn panicking() -> Tool {
        let listed = rmcp::model::Tool::new("panics", "", Map::new());
        Tool {
            listed,
            call: Box::new(|_, _| panic!("on purpose")),
        }
    }

    fn text(result: &CallToolResult) -> &str {
        let first = result.content.first().and_then(ContentBlock::as_text);
        &first.expect("an answer begins with text").text
    }

    #[tokio::test]
    async fn a_tool_that_panics_is_an_error_and_the_next_call_is_answered() {
        let (_directory, server) = server(tools().into_iter().chain([panicking()]).collect());
        let failed = server.run("panics", json!({})).await.expect("a result");
        assert_eq!(failed.is_error, Some(true));
        assert!(
            text(&failed).contains("internal error in panics"),
            "{}",
            text(&failed)
        );
        let next = server.run("list_edits", json!({})).await.expect("a result");
        assert_eq!(text(&next), "no edits wait\n");
    }

    #[tokio::test]
    async fn unknown_arguments_are_named_and_the_call_is_answered() {
        let (_directory, server) = server(tools());
        let arguments = json!({"limit": 3});
        let listed = server.run("list_edits", arguments).await.expect("a result");
        assert_eq!(
            text(&listed),
            "note: list_edits has no argument `limit`; it was not used\nno edits wait\n"
        );
    }

    #[test]
    fn tools_have_a_name_of_their_own_and_a_description() {
        let tools = tools();
        let mut names: Vec<_> = tools.iter().map(|tool| tool.listed.name.clone()).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), tools.len());
        for tool in &tools {
            let described = tool.listed.description.as_deref().unwrap_or_default();
            assert!(described.contains("Example: {"), "{}", tool.listed.name);
        }
    }
}
