//! Streamable HTTP for several clients at once (docs/design/front-ends.md#safety).
//!
//! Serves the same messages as over standard input and output, at [`PATH`]. Refuses addresses that
//! other machines can reach, requests without the token (401), and requests from a page of another
//! origin or for a host name of another machine (403).

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use treegraft::engine::Engine;
use treegraft_loopback::{Error, require_token};

use super::messages::{self, MESSAGE_BYTES, Received};
use super::{Server, ToolGroup};

pub use treegraft_loopback::new_token;

/// The path of the endpoint.
pub const PATH: &str = "/mcp";
/// The allowed origins: pages of this machine.
const ORIGINS: &[&str] = &["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// A server that listens, and knows its address, but does not serve yet.
#[derive(Debug)]
pub struct Listening(treegraft_loopback::Listening);

impl Listening {
    /// Listens on a loopback address. Port 0 selects a free port.
    ///
    /// # Errors
    /// Other machines can reach the address, or it is in use.
    pub async fn at(address: SocketAddr) -> Result<Listening, Error> {
        let listening = treegraft_loopback::Listening::at(address).await?;
        Ok(Listening(listening))
    }

    /// Returns the URL for clients.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.0.address())
    }

    /// Serves the engine's tools to clients that send `token` until the process is asked to stop (SIGTERM, ctrl-c).
    /// Running calls are answered first.
    ///
    /// # Errors
    /// The system fails.
    pub async fn serve(
        self,
        engine: Arc<Engine>,
        groups: &[ToolGroup],
        token: &str,
    ) -> Result<(), Error> {
        let stop = CancellationToken::new();
        let server = Server::new(engine, groups);
        let service = service(move || server.another(), &stop);
        let router = Router::new()
            .route_service(PATH, service)
            .layer(from_fn(readable))
            .layer(DefaultBodyLimit::max(MESSAGE_BYTES));
        self.0.serve(require_token(router, token), stop).await
    }
}

/// Returns the HTTP service, with one handler for each session. The service does not check the
/// token. `stop` ends all sessions.
pub fn service<H: ServerHandler + Send + 'static>(
    handler: impl Fn() -> H + Send + Sync + 'static,
    stop: &CancellationToken,
) -> StreamableHttpService<H, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(ORIGINS.iter().copied())
        .with_max_request_body_bytes(MESSAGE_BYTES)
        .with_cancellation_token(stop.child_token());
    let sessions = Arc::new(LocalSessionManager::default());
    StreamableHttpService::new(move || Ok(handler()), sessions, config)
}

/// Answers requests that rmcp cannot read (its status is 415 then) with the error of JSON-RPC, or as a call that the
/// engine refuses by name.
async fn readable(parts: Parts, body: Result<Bytes, BytesRejection>, next: Next) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return rejection.into_response(),
    };
    let request = |body: Bytes| Request::from_parts(parts.clone(), body.into());
    let response = next.clone().run(request(body.clone())).await;
    if response.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE || !is_json(&parts.headers) {
        return response;
    }
    let json = [(CONTENT_TYPE, "application/json")];
    match messages::read(&body) {
        Received::Message(message) => match serde_json::to_vec(&message) {
            Ok(message) => next.run(request(message.into())).await,
            Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
        },
        Received::Refused(refusal) => {
            (StatusCode::BAD_REQUEST, json, refusal.one_answer()).into_response()
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let media_type = given.and_then(|given| given.split(';').next());
    media_type.is_some_and(|name| name.trim().eq_ignore_ascii_case("application/json"))
}
