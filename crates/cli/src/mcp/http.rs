//! Streamable HTTP for several clients at once (`design.md`, section 14).
//!
//! Serves the same messages as over standard input and output, at [`PATH`]. Refuses addresses that
//! other machines can reach, requests without the token (401), and requests from a page of another
//! origin or for a host name of another machine (403).

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use treegraft::engine::{Engine, FILE_LIMIT};
use treegraft_loopback::{Error, require_token};

use super::{Server, ToolGroup};

pub use treegraft_loopback::new_token;

/// The path of the endpoint.
pub const PATH: &str = "/mcp";
/// The maximum size of a request, in bytes: the largest file, with each byte escaped.
const REQUEST_BYTES: usize = 2 * FILE_LIMIT as usize;
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
        let router = Router::new().route_service(PATH, service);
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
        .with_max_request_body_bytes(REQUEST_BYTES)
        .with_cancellation_token(stop.child_token());
    let sessions = Arc::new(LocalSessionManager::default());
    StreamableHttpService::new(move || Ok(handler()), sessions, config)
}
