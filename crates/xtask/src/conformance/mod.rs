//! Serves treegraft over HTTP without a token, and adds the tools, resources and prompts that the
//! conformance suite of the Model Context Protocol requires.
//!
//! `cargo xtask conformance DIRECTORY` prints the address and serves until it is stopped.
//! `docs/measured.md` lists the results of the suite.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CompleteRequestParams, CompleteResult, DiscoverResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    Prompt, PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Resource, ResourceContents, ResourceTemplate, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use treegraft::engine::Engine;
use treegraft_cli::mcp::{Server, ToolGroup, http};

type Context = RequestContext<RoleServer>;

/// The names and answers that the suite requires.
const REQUIRED: &str = include_str!("required.json");

#[derive(Deserialize)]
struct Required {
    tools: Vec<Tool>,
    /// By tool.
    results: HashMap<String, CallToolResult>,
    /// The last one is a template of one word.
    resources: Vec<Value>,
    prompts: Vec<Prompt>,
    /// By prompt, with the names of its arguments in braces.
    messages: HashMap<String, Value>,
}

impl Required {
    /// Returns the contents of a resource.
    fn resource(&self, uri: &str) -> Option<ResourceContents> {
        let own = self.resources.iter().find_map(|resource| {
            let (front, back) = match resource["uri"].as_str()?.split_once("{id}") {
                Some(parts) => parts,
                None => return (resource["uri"] == uri).then(|| resource.clone()),
            };
            let id = uri.strip_prefix(front)?.strip_suffix(back)?;
            Some(filled(resource, "id", id))
        });
        serde_json::from_value(own?).ok()
    }

    /// Returns the messages of a prompt.
    fn prompt(&self, request: &GetPromptRequestParams) -> Option<GetPromptResult> {
        let mut messages = self.messages.get(&request.name)?.clone();
        for (name, value) in request.arguments.iter().flatten() {
            messages = filled(&messages, name, value.as_str().unwrap_or_default());
        }
        let messages: Vec<PromptMessage> = serde_json::from_value(messages).ok()?;
        Some(GetPromptResult::new(messages))
    }
}

/// Returns a value with a text in place of a name in braces.
fn filled(value: &Value, name: &str, text: &str) -> Value {
    let filled = |value: &Value| filled(value, name, text);
    match value {
        Value::String(own) => json!(own.replace(&format!("{{{name}}}"), text)),
        Value::Array(all) => all.iter().map(filled).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(key, value)| (key.clone(), filled(value)))
                .collect()
        }
        other => other.clone(),
    }
}

/// treegraft's handler, extended with the names that the suite requires.
#[derive(Clone)]
struct Suite {
    own: Server,
    required: Arc<Required>,
}

/// Returns a capability that no client of the suite declares.
#[expect(
    deprecated,
    reason = "older revisions have it, and the suite requires it"
)]
fn sampling() -> ClientCapabilities {
    ClientCapabilities::builder().enable_sampling().build()
}

/// Reports the progress of a tool that does nothing.
async fn report_progress(context: &Context) {
    for progress in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, progress).with_total(100.0);
            // The client may have disconnected.
            let _ = context.peer.notify_progress(progress).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

impl ServerHandler for Suite {
    fn get_info(&self) -> ServerConfig {
        self.own.get_info()
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        self.own.discover(context).await
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.own.list_tools(page, context).await?;
        listed.tools.extend(self.required.tools.clone());
        Ok(listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name == "test_missing_capability" {
            return Err(ErrorData::missing_required_client_capability(sampling()));
        }
        if request.name == "test_tool_with_progress" {
            report_progress(&context).await;
        }
        // treegraft's tools send no requests to the client and do not log.
        match self.required.results.get(request.name.as_ref()) {
            Some(result) => Ok(result.clone().into()),
            None => self.own.call_tool(request, context).await,
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut required = self.required.tools.iter();
        let tool = required.find(|tool| tool.name == name).cloned();
        tool.or_else(|| self.own.get_tool(name))
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.own.list_resources(page, context).await?;
        let uris = self
            .required
            .resources
            .iter()
            .filter_map(|own| own["uri"].as_str());
        let whole = uris.filter(|uri| !uri.contains('{'));
        listed
            .resources
            .extend(whole.map(|uri| Resource::new(uri, uri)));
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.own.list_resource_templates(page, context).await?;
        let template = ResourceTemplate::new("test://template/{id}/data", "Data");
        listed.resource_templates.push(template);
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.required.resource(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => self.own.read_resource(request, context).await,
        }
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.own.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.own.listen(context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        match request.uri == "test://watched-resource" {
            true => Ok(()),
            #[expect(deprecated, reason = "older revisions subscribe this way")]
            false => self.own.subscribe(request, context).await,
        }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        #[expect(deprecated, reason = "older revisions unsubscribe this way")]
        self.own.unsubscribe(request, context).await
    }

    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.own.list_prompts(page, context).await?;
        listed.prompts.extend(self.required.prompts.clone());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        match self.required.prompt(&request) {
            Some(result) => Ok(result.into()),
            None => self.own.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        self.own.complete(request, context).await
    }
}

/// Serves until the process is stopped.
///
/// # Errors
/// Returns an error if the directory cannot be a workspace or no port is free.
#[tokio::main]
pub(crate) async fn run(directory: String) -> Result<(), Box<dyn std::error::Error>> {
    let state = format!("{directory}/state");
    let engine = Engine::open(&[&directory], Some(&state))?;
    let own = Server::new(Arc::new(engine), ToolGroup::ALL);
    let stop = CancellationToken::new();
    let required: Arc<Required> = Arc::new(serde_json::from_str(REQUIRED)?);
    let suite = move || Suite {
        own: own.another(),
        required: required.clone(),
    };
    let service = http::service(suite, &stop);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}{}", listener.local_addr()?, http::PATH);
    let router = axum::Router::new().route_service(http::PATH, service);
    axum::serve(listener, router).await?;
    Ok(())
}
