//! The MCP server: it parses the arguments of a tool call, calls the engine and returns the answer.
//!
//! Calls arrive on standard input, one line of JSON each, or over HTTP ([`http`]). Standard output
//! contains only answers. Calls run concurrently; an internal error in one call does not affect the
//! others.

pub mod http;
mod instructions;
mod messages;
mod own_edits;
mod prompts;
mod resources;
mod roots;
mod schemas;
mod stdio;
mod subscriptions;
mod watcher;

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CacheScope, CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult,
    CompleteRequestParams, CompleteResult, CompletionInfo, ConstString, ContentBlock,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, ToolAnnotations,
    UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, ServerInitializeError, SubscriptionContext,
};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value};
use tokio::task::JoinError;

use treegraft::engine::Engine;
use treegraft::engine::response::AnyAnswer;
use treegraft::engine::response::RefusedCall;
use treegraft::engine::tools::{self, Effect, Schemas, Tool};
use treegraft::engine::watch::Watch;
use treegraft_loopback::asked_to_stop;

pub use instructions::INSTRUCTIONS;
use instructions::STAGES_ONLY;
use own_edits::OwnEdits;
use schemas::ListedSchemas;
use subscriptions::{Subscriptions, Watched};
pub use treegraft::engine::tools::ToolGroup;
use watcher::Watcher;

/// How long a client may cache the list of tools, in milliseconds: it changes only with the program.
const LIST_KEPT: u64 = 60 * 60 * 1000;

/// The reason why the server stopped by itself.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client did not open the session as the protocol requires.
    #[error("the client did not open an MCP session: {0}")]
    Opening(#[source] Box<ServerInitializeError>),
    /// The HTTP server cannot be started, or stopped working.
    #[error(transparent)]
    Http(#[from] treegraft_loopback::Error),
    /// The system does not report signals.
    #[error("cannot wait for signals: {0}")]
    Signals(#[source] io::Error),
    /// The task that reads and writes messages failed.
    #[error("the server failed: {0}")]
    Failed(#[from] JoinError),
}

/// Serves the engine's tools over standard input and output until the input ends, or the process is asked to stop
/// (SIGTERM, ctrl-c). Running calls are answered first.
///
/// If standard input is not a pipe, a thread may still wait for it afterwards: end the runtime with
/// `shutdown_background`.
///
/// # Errors
/// The client does not follow the protocol, or the system fails.
pub async fn serve(engine: Arc<Engine>, groups: &[ToolGroup]) -> Result<(), ServeError> {
    let server = Server::new(engine, groups);
    let mut asked_to_stop = pin!(asked_to_stop().map_err(ServeError::Signals)?);
    let running = tokio::select! {
        opened = server.serve(stdio::Lines::open()) => match opened {
            Ok(running) => running,
            // A client may disconnect without a message.
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

/// The handler of one session, over any transport. [`serve`] and [`http`] serve it; programs can
/// serve it over their own transport.
#[derive(Clone)]
pub struct Server {
    workspace: roots::Narrowed,
    tools: Arc<Vec<ListedTool>>,
    /// Whether the tools were last listed as tools of a server that only stages edits.
    listed_stages_only: Arc<AtomicBool>,
    own_edits: OwnEdits,
    /// A name of the session, which tells apart clients of the same name.
    session: Option<Arc<str>>,
    subscriptions: Subscriptions,
}

/// A tool.
struct ListedTool {
    /// Its description for the client, without annotations.
    listed: rmcp::model::Tool,
    effect: Effect,
    /// The types of its arguments and answers.
    schemas: &'static Schemas,
    call: ToolFunction,
    /// Whether it is in the list that the client gets.
    is_listed: bool,
}

/// Calls the tool with this name.
type ToolFunction = fn(&Engine, &str, Value, &dyn Watch) -> CallToolResult;

/// Returns the tool as the protocol lists it, without schemas and annotations.
fn listed(tool: &'static Tool) -> ListedTool {
    ListedTool {
        listed: rmcp::model::Tool::new(tool.name, tool.description, Map::new()),
        effect: tool.effect,
        schemas: &tool.schemas,
        call,
        is_listed: true,
    }
}

impl ListedTool {
    /// Returns the tool with its annotations, for a server that may write files or only stages edits.
    fn annotated(&self, stages_only: bool) -> rmcp::model::Tool {
        // By default, the protocol assumes that a tool writes, is destructive and is not idempotent.
        let closed = ToolAnnotations::new().open_world(false);
        let annotations = match self.effect {
            Effect::Reads => closed.read_only(true),
            Effect::Previews => closed.destructive(false),
            Effect::PreviewsOrWrites if stages_only => closed.destructive(false),
            Effect::PreviewsOrWrites => closed,
            Effect::WritesOnce if stages_only => closed.destructive(false).idempotent(true),
            Effect::WritesOnce | Effect::Discards => closed.idempotent(true),
            Effect::Settles => closed.destructive(false).idempotent(true),
        };
        self.listed.clone().with_annotations(annotations)
    }
}

fn with_schemas(mut tools: Vec<ListedTool>) -> Vec<ListedTool> {
    let mut written = schemas::written();
    let names = tools.iter().filter(|tool| tool.is_listed);
    let explaining = schemas::explaining(names.map(|tool| tool.listed.name.as_ref()));
    for ListedTool {
        listed, schemas, ..
    } in &mut tools
    {
        let explains = explaining == Some(listed.name.as_ref());
        let written = written.remove(&schemas::key(&listed.name, explains));
        let made = || schemas::made(&listed.name, schemas, explains);
        let ListedSchemas { input } = written.unwrap_or_else(made);
        listed.input_schema = input;
        if explains && let Some(description) = schemas::description(&listed.name) {
            listed.description = Some(description.into());
        }
    }
    tools
}

/// Makes one call: parses the arguments, calls the engine and returns the answer.
fn call(engine: &Engine, name: &str, arguments: Value, watch: &dyn Watch) -> CallToolResult {
    let read = engine.read_call(name, arguments);
    let made = read.and_then(|call| call.make(engine, watch));
    match made {
        Ok(answer) => answered(&*answer),
        Err(refusal) => refused(&refusal),
    }
}

fn answered(answer: &dyn AnyAnswer) -> CallToolResult {
    let structured = answer.as_json();
    let mut result = match answer.why_none() {
        None => CallToolResult::structured(structured),
        Some(_) => CallToolResult::structured_error(structured),
    };
    result.content = vec![ContentBlock::text(answer.as_text())];
    result
}

fn refused(refusal: &RefusedCall) -> CallToolResult {
    let mut result = CallToolResult::structured_error(refusal.json());
    result.content = vec![ContentBlock::text(refusal.text())];
    result
}

/// Returns the answer to a call with an internal error. It has no stable code, since the caller
/// cannot fix it.
fn failed(name: &str, error: &JoinError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!(
        "internal error in {name}: {error}\nthe call may have written files: read the code again \
         before you retry; other calls still work\n"
    ))])
}

/// Returns a random name for a session, or `None` if the system has no random bytes.
fn new_session() -> Option<Arc<str>> {
    let mut bytes = [0; 3];
    getrandom::fill(&mut bytes).ok()?;
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    Some(digits.collect::<String>().into())
}

impl Server {
    /// Returns a server that lists the tools of some groups, over an engine. Open the engine with
    /// [`Engine::open_for`] for [`Caller::Agent`](treegraft::engine::Caller), so that a person can
    /// require approval of each edit.
    pub fn new(engine: Arc<Engine>, groups: &[ToolGroup]) -> Server {
        let accepted = tools::tools().filter(|tool| groups.iter().any(|one| one.accepts(tool)));
        let accepted = accepted.map(|tool| ListedTool {
            is_listed: groups.iter().any(|group| group.lists(tool)),
            ..listed(tool)
        });
        Server::with_tools(engine, accepted.collect())
    }

    fn with_tools(engine: Arc<Engine>, tools: Vec<ListedTool>) -> Server {
        Server {
            workspace: roots::Narrowed::not_yet(engine),
            tools: Arc::new(with_schemas(tools)),
            listed_stages_only: Arc::default(),
            own_edits: OwnEdits::default(),
            session: new_session(),
            subscriptions: Subscriptions::default(),
        }
    }

    /// Returns a server for another session: each session has its own subscriptions and the roots
    /// of its client.
    pub fn another(&self) -> Server {
        Server {
            workspace: self.workspace.afresh(),
            tools: self.tools.clone(),
            listed_stages_only: Arc::default(),
            own_edits: OwnEdits::default(),
            session: new_session(),
            subscriptions: Subscriptions::default(),
        }
    }

    /// Returns the tools as they are listed, without annotations.
    pub fn listed(&self) -> impl Iterator<Item = &rmcp::model::Tool> {
        let listed = self.tools.iter().filter(|tool| tool.is_listed);
        listed.map(|tool| &tool.listed)
    }

    /// Returns the instructions for a model.
    pub fn instructions(&self) -> String {
        let names = self.listed().map(|tool| tool.name.as_ref());
        let own = instructions::of_tools(names);
        match self.workspace.whole().approval_required() {
            None => own.to_string(),
            Some(_) => format!("{own}\n{STAGES_ONLY}"),
        }
    }

    /// Calls the engine on a thread that may block.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Engine, &[ListedTool]) -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let (engine, tools) = (self.workspace.engine().await, self.tools.clone());
        tokio::task::spawn_blocking(move || question(&engine, &tools)).await
    }

    /// Runs a call for the client of `context`.
    async fn run(
        &self,
        name: &str,
        arguments: Value,
        watcher: Watcher,
    ) -> Result<CallToolResult, ErrorData> {
        let mut names = self.tools.iter().map(|tool| tool.listed.name.as_ref());
        let Some(row) = names.position(|known| known == name) else {
            let known: Vec<&str> = self.listed().map(|tool| tool.name.as_ref()).collect();
            let known = known.join(", ");
            let message = format!("unknown tool: {name}; the tools are {known}");
            return Err(ErrorData::invalid_params(message, None));
        };
        let call = move |engine: &Engine, tools: &[ListedTool]| {
            let ListedTool { listed, call, .. } = &tools[row];
            call(engine, &listed.name, arguments, &watcher)
        };
        let called = self.ask(call);
        Ok(called.await.unwrap_or_else(|error| failed(name, &error)))
    }

    /// Makes a call, and watches the edits of the session.
    async fn called(
        &self,
        name: &str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let about = self.own_edits.before(&arguments);
        let result = self
            .run(
                name,
                arguments,
                Watcher::for_request(context, self.session.as_deref()),
            )
            .await?;
        self.own_edits.after(about, &result);
        // Later revisions have no notifications without a subscription.
        if context.protocol_version() < Some(ProtocolVersion::V_2026_07_28) {
            self.own_edits.watch(self, &context.peer);
            self.check_listed(&context.peer).await;
        }
        Ok(result)
    }

    /// Returns whether a person has to approve each edit now.
    async fn stages_only(&self) -> Result<bool, JoinError> {
        let required = self.ask(|engine, _| engine.approval_required()).await?;
        Ok(required.is_some())
    }

    /// Notifies the client if the annotations of the tools have changed since they were listed.
    async fn check_listed(&self, client: &Peer<RoleServer>) {
        let Ok(stages_only) = self.stages_only().await else {
            return;
        };
        let listed = self.listed_stages_only.swap(stages_only, Ordering::Relaxed);
        if listed != stages_only {
            // A client that has disconnected need not be notified.
            let _ = client.notify_tool_list_changed().await;
        }
    }

    async fn read(&self, uri: String) -> Result<ReadResourceResult, ErrorData> {
        let text = self.ask(move |engine, tools| resources::read(engine, tools, &uri));
        let contents = text.await.map_err(internal)??;
        Ok(ReadResourceResult::new(vec![contents]))
    }
}

fn internal(error: JoinError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

impl ServerHandler for Server {
    #[expect(deprecated, reason = "clients of older revisions read log messages")]
    fn get_info(&self) -> ServerConfig {
        let implementation = Implementation::new("treegraft", env!("CARGO_PKG_VERSION"))
            .with_title("treegraft")
            .with_description(env!("CARGO_PKG_DESCRIPTION"));
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .build();
        let instructions = self.instructions();
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(instructions)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut info = self.get_info();
        // Without a subscription, clients of this revision are not notified that the annotations have changed.
        if let Some(tools) = &mut info.capabilities.tools {
            tools.list_changed = None;
        }
        let discovered = DiscoverResult::from_server_info(versions, info);
        Ok(discovered
            .with_ttl_ms(LIST_KEPT)
            .with_cache_scope(CacheScope::Public))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.workspace.narrow(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.workspace.narrow(&context.peer).await;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let stages_only = self.stages_only().await.map_err(internal)?;
        self.listed_stages_only
            .store(stages_only, Ordering::Relaxed);
        let listed = self.tools.iter().filter(|tool| tool.is_listed);
        let listed = listed.map(|tool| tool.annotated(stages_only));
        let listed = ListToolsResult::with_all_items(listed.collect());
        // Annotations that allow more must not outlive their reason in a cache.
        Ok(match stages_only {
            true => listed.with_ttl_ms(0).with_cache_scope(CacheScope::Private),
            false => listed
                .with_ttl_ms(LIST_KEPT)
                .with_cache_scope(CacheScope::Public),
        })
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        let tool = self.tools.iter().find(|tool| tool.listed.name == name);
        tool.map(|tool| tool.annotated(false))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        Ok(self
            .called(&request.name, arguments, &context)
            .await?
            .into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self.ask(|engine, _| resources::listed(engine));
        let listed = listed.await.map_err(internal)?;
        Ok(ListResourcesResult::with_all_items(listed))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listed = ListResourceTemplatesResult::with_all_items(resources::templates());
        Ok(listed
            .with_ttl_ms(LIST_KEPT)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(self.read(request.uri).await?.into())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let uris = uris.filter(|uri| resources::changes(uri)).cloned();
        Some(
            SubscriptionFilter::builder()
                .resource_subscriptions(uris)
                .build(),
        )
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone();
        let uris = uris.unwrap_or_default();
        let mut watched = Watched::from_now(self, uris).await;
        loop {
            let changed = tokio::select! {
                changed = watched.changed() => changed,
                () = context.cancelled() => return Ok(()),
            };
            if context
                .sink()
                .notify_resource_updated(changed)
                .await
                .is_err()
            {
                return Ok(());
            }
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.read(request.uri.clone()).await?;
        if resources::changes(&request.uri) {
            self.subscriptions.add(self, request.uri, context.peer)?;
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    #[expect(deprecated, reason = "clients of older revisions read log messages")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.own_edits.set_level(request.level);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::listed())
            .with_ttl_ms(LIST_KEPT)
            .with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        Ok(prompts::get(&request.name, &arguments)?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = self.ask(move |engine, tools| completed(engine, tools, &request));
        let mut values = values.await.map_err(internal)?;
        let total = values.len();
        values.truncate(CompletionInfo::MAX_VALUES);
        let has_more = values.len() < total;
        let info = CompletionInfo::with_pagination(values, u32::try_from(total).ok(), has_more);
        let info = info.map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(info))
    }

    /// Handles calls whose arguments are not an object; rmcp does not parse them as calls. Some
    /// clients send the object as a string; for other arguments, the call is refused.
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
        let arguments = params["arguments"].take();
        let mut result = self.called(&name, arguments, &context).await?;
        // As rmcp does for its own result types.
        if context.protocol_version() < Some(ProtocolVersion::V_2026_07_28) {
            result.result_type = None;
        }
        serde_json::to_value(result)
            .map(CustomResult)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

/// Completes an argument of a prompt or of a resource.
fn completed(
    engine: &Engine,
    tools: &[ListedTool],
    request: &CompleteRequestParams,
) -> Vec<String> {
    let (name, typed) = (
        request.argument.name.as_str(),
        request.argument.value.as_str(),
    );
    let argument = match &request.r#ref {
        Reference::Prompt(prompt) => {
            let given = request.context.as_ref();
            let other = |name: &str| Some(given?.get_argument(name)?.as_str());
            prompts::argument(&prompt.name, name, &other)
        }
        Reference::Resource(template) => match resources::argument(&template.uri, name) {
            Some(resources::Completes::From(argument)) => Some(argument),
            Some(resources::Completes::Tools) => {
                let names = tools.iter().map(|tool| tool.listed.name.to_string());
                return names.filter(|name| name.starts_with(typed)).collect();
            }
            None => None,
        },
        _ => None,
    };
    argument
        .map(|argument| engine.complete(argument, typed))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools() -> Vec<ListedTool> {
        treegraft::engine::tools::tools().map(listed).collect()
    }

    fn server(tools: Vec<ListedTool>) -> (tempfile::TempDir, Server) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = camino::Utf8Path::from_path(directory.path()).expect("its path is UTF-8");
        let engine = Engine::open(&[root.to_owned()], Some(&root.join("state")))
            .expect("the directory opens");
        (directory, Server::with_tools(Arc::new(engine), tools))
    }

    fn panicking() -> ListedTool {
        let listed = rmcp::model::Tool::new("panics", "", Map::new());
        let any = treegraft::engine::tools::tools().next();
        ListedTool {
            listed,
            effect: Effect::Reads,
            schemas: &any.expect("there are tools").schemas,
            call: |_, _, _, _| panic!("on purpose"),
            is_listed: true,
        }
    }

    fn text(result: &CallToolResult) -> &str {
        let first = result.content.first().and_then(ContentBlock::as_text);
        &first.expect("an answer begins with text").text
    }

    #[tokio::test]
    async fn a_tool_that_panics_is_an_error_and_the_next_call_is_answered() {
        let (_directory, server) = server(tools().into_iter().chain([panicking()]).collect());
        let failed = server
            .run("panics", json!({}), Watcher::default())
            .await
            .expect("a result");
        assert_eq!(failed.is_error, Some(true));
        assert!(
            text(&failed).contains("internal error in panics"),
            "{}",
            text(&failed)
        );
        let next = server
            .run("list_edits", json!({}), Watcher::default())
            .await
            .expect("a result");
        assert_eq!(text(&next), "no pending or applied edits\n");
    }

    #[tokio::test]
    async fn unknown_arguments_are_refused() {
        let (_directory, server) = server(tools());
        let arguments = json!({"limit": 3});
        let listed = server
            .run("list_edits", arguments, Watcher::default())
            .await
            .expect("a result");
        assert_eq!(
            text(&listed),
            "refused: invalid_arguments\nunknown field `limit`\n\nhelp: the fields are `edit_id`\n"
        );
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "recording is asked for by a variable, and writes to the sources"
    )]
    #[test]
    fn stored_schemas_match_the_types() {
        let written = schemas::written();
        let made = tools().into_iter().flat_map(|tool| {
            let name = tool.listed.name;
            let explains = [false, true].into_iter();
            let explains = explains.filter(|explains| schemas::is_stored(&name, *explains));
            let stored = explains.map(|explains| {
                let made = schemas::made(&name, tool.schemas, explains);
                (schemas::key(&name, explains), made)
            });
            stored.collect::<Vec<_>>()
        });
        let made: Vec<(String, ListedSchemas)> = made.collect();
        if std::env::var_os("TREEGRAFT_RECORD").is_some_and(|value| value == "1") {
            let line = |(name, schemas): &(String, ListedSchemas)| {
                let schemas = serde_json::to_string(schemas).expect("schemas are plain data");
                format!("\"{name}\": {schemas}")
            };
            let lines: Vec<String> = made.iter().map(line).collect();
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mcp/schemas.json");
            std::fs::write(path, format!("{{\n{}\n}}\n", lines.join(",\n")))
                .expect("the sources can be written");
            return;
        }
        assert_eq!(written.len(), made.len());
        for (name, schemas) in made {
            assert_eq!(
                written.get(&name),
                Some(&schemas),
                "{name}: run TREEGRAFT_RECORD=1 cargo test --lib schemas to store the schemas again"
            );
        }
    }

    #[test]
    fn tools_have_a_unique_name_and_a_description() {
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
