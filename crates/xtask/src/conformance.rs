//! Serves treegraft over HTTP without a token, and adds the tools, resources and prompts that the
//! conformance suite of the Model Context Protocol requires.
//!
//! `cargo xtask conformance DIRECTORY` prints the address and serves until it is stopped.
//! `docs/conformance.md` lists the results of the suite.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CompleteRequestParams, CompleteResult, ContentBlock, DiscoverResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    Prompt, PromptArgument, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Role, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use treegraft::engine::Engine;
use treegraft_cli::mcp::{Server, ToolGroup, http};

/// A red dot.
const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// A WAV file without samples.
const AUDIO: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const WATCHED: &str = "test://watched-resource";

type Context = RequestContext<RoleServer>;

/// treegraft's handler, extended with the names that the suite requires.
#[derive(Clone)]
struct Suite {
    own: Server,
}

fn tools() -> Vec<Tool> {
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_progress",
        "test_missing_capability",
        "test_streaming_elicitation",
        "test_logging_tool",
    ];
    let tool = |name, schema: Value| {
        let schema = schema.as_object().cloned().unwrap_or_default();
        Tool::new(name, "For the conformance suite", schema)
    };
    let plain = plain.map(|name| tool(name, json!({"type": "object", "properties": {}})));
    let keywords = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    });
    let region = json!({"type": "string", "x-mcp-header": "Region"});
    let mut tools = plain.to_vec();
    tools.push(tool(
        "test_custom_headers",
        json!({"type": "object", "properties": {"region": region}}),
    ));
    tools.push(tool("json_schema_2020_12_tool", keywords));
    tools
}

/// Returns a capability that no client of the suite declares.
#[expect(
    deprecated,
    reason = "older revisions have it, and the suite requires it"
)]
fn sampling() -> ClientCapabilities {
    ClientCapabilities::builder().enable_sampling().build()
}

fn embedded(uri: &str, mime_type: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(mime_type))
}

/// Returns the answer of a suite tool, or `None` for other tools.
async fn called(name: &str, context: &Context) -> Option<CallToolResult> {
    let content = match name {
        "test_simple_text" => vec![ContentBlock::text(
            "This is a simple text response for testing.",
        )],
        "test_image_content" => vec![ContentBlock::image(IMAGE, "image/png")],
        "test_audio_content" => vec![ContentBlock::audio(AUDIO, "audio/wav")],
        "test_embedded_resource" => vec![embedded(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content.",
        )],
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(IMAGE, "image/png"),
            embedded(
                "test://mixed-content-resource",
                "application/json",
                "{\"test\":\"data\",\"value\":123}",
            ),
        ],
        "test_error_handling" => {
            let content =
                ContentBlock::text("This tool intentionally returns an error for testing");
            return Some(CallToolResult::error(vec![content]));
        }
        "test_tool_with_progress" => {
            for progress in [0.0, 50.0, 100.0] {
                if let Some(token) = context.meta.get_progress_token() {
                    let progress_sent =
                        ProgressNotificationParam::new(token, progress).with_total(100.0);
                    // The client may have disconnected.
                    let _ = context.peer.notify_progress(progress_sent).await;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            vec![ContentBlock::text("done")]
        }
        // treegraft's tools send no requests to the client and do not log.
        "test_streaming_elicitation"
        | "test_logging_tool"
        | "test_custom_headers"
        | "json_schema_2020_12_tool" => vec![ContentBlock::text("done")],
        _ => return None,
    };
    Some(CallToolResult::success(content))
}

fn read(uri: &str) -> Option<ResourceContents> {
    let text = |text: &str| Some(ResourceContents::text(text, uri));
    match uri {
        "test://static-text" => text("This is the content of the static text resource."),
        "test://static-binary" => {
            Some(ResourceContents::blob(IMAGE, uri).with_mime_type("image/png"))
        }
        WATCHED => text("It stays as it is."),
        _ => {
            let id = uri
                .strip_prefix("test://template/")?
                .strip_suffix("/data")?;
            let data =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"))
        }
    }
}

fn prompts() -> Vec<Prompt> {
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments = arguments
            .iter()
            .map(|name| PromptArgument::new(*name).with_required(true));
        Prompt::new(
            name,
            Some("For the conformance suite"),
            Some(arguments.collect()),
        )
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
    ]
}

fn prompted(request: &GetPromptRequestParams) -> Option<GetPromptResult> {
    let given = |name: &str| {
        let arguments = request.arguments.as_ref();
        let value = arguments.and_then(|all| all.get(name)?.as_str());
        value.unwrap_or_default().to_string()
    };
    let user = |content| PromptMessage::new(Role::User, content);
    let text = |text: String| user(ContentBlock::text(text));
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_string())],
        "test_prompt_with_arguments" => vec![text(format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            given("arg1"),
            given("arg2")
        ))],
        "test_prompt_with_embedded_resource" => vec![
            user(embedded(
                &given("resourceUri"),
                "text/plain",
                "Embedded resource content for testing.",
            )),
            text("Please process the embedded resource above.".to_string()),
        ],
        "test_prompt_with_image" => vec![
            user(ContentBlock::image(IMAGE, "image/png")),
            text("Please analyze the image above.".to_string()),
        ],
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
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
        listed.tools.extend(tools());
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
        match called(&request.name, &context).await {
            Some(result) => Ok(result.into()),
            None => self.own.call_tool(request, context).await,
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mut own = tools().into_iter();
        own.find(|tool| tool.name == name)
            .or_else(|| self.own.get_tool(name))
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.own.list_resources(page, context).await?;
        for uri in ["test://static-text", "test://static-binary", WATCHED] {
            let resource = Resource::new(uri, uri).with_description("For the conformance suite");
            listed.resources.push(resource);
        }
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
        match read(&request.uri) {
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
        match request.uri == WATCHED {
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
        listed.prompts.extend(prompts());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        match prompted(&request) {
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
    let service = http::service(move || Suite { own: own.another() }, &stop);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}{}", listener.local_addr()?, http::PATH);
    let router = axum::Router::new().route_service(http::PATH, service);
    axum::serve(listener, router).await?;
    Ok(())
}
