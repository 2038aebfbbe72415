//! Streamable HTTP for several clients at once (`design.md`, section 14).
//!
//! Serves the same messages as over standard input and output, at [`PATH`]. Refuses addresses that
//! other machines can reach, requests without the token (401), and requests from a page of another
//! origin or for a host name of another machine (403).

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use treegraft::engine::{Engine, FILE_LIMIT};

use super::{ServeError, Server, ToolGroup, asked_to_stop};

/// The path of the endpoint.
pub const PATH: &str = "/mcp";
/// The maximum size of a request, in bytes: the largest file, with each byte escaped.
const REQUEST_BYTES: usize = 2 * FILE_LIMIT as usize;
/// The allowed origins: pages of this machine.
const ORIGINS: &[&str] = &["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// A server that listens, and knows its address, but does not serve yet.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listening {
    /// Listens on a loopback address. Port 0 selects a free port.
    ///
    /// # Errors
    /// Other machines can reach the address, or it is in use.
    pub async fn at(address: SocketAddr) -> Result<Listening, ServeError> {
        let unreachable = |error| ServeError::Listening(address, error);
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback(address));
        }
        let listener = TcpListener::bind(address).await.map_err(unreachable)?;
        let address = listener.local_addr().map_err(unreachable)?;
        Ok(Listening { listener, address })
    }

    /// Returns the URL for clients.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
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
    ) -> Result<(), ServeError> {
        let stop = CancellationToken::new();
        let server = Server::new(engine, groups);
        let service = service(move || server.another(), &stop);
        let router = Router::new()
            .route_service(PATH, service)
            .layer(from_fn_with_state(blake3::hash(token.as_bytes()), bearing));
        let mut asked_to_stop = pin!(asked_to_stop().map_err(ServeError::Signals)?);
        let serving = axum::serve(self.listener, router)
            .with_graceful_shutdown(stop.clone().cancelled_owned())
            .into_future();
        let mut serving = pin!(serving);
        tokio::select! {
            served = &mut serving => served,
            () = &mut asked_to_stop => {
                stop.cancel();
                serving.await
            }
        }
        .map_err(|error| ServeError::Listening(self.address, error))
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

/// Returns a random token: 64 hexadecimal digits.
///
/// # Errors
/// The system has no random bytes.
pub fn new_token() -> Result<String, ServeError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| ServeError::Random(io::Error::other(error)))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Rejects requests without the token. Compares digests, in constant time.
async fn bearing(State(token): State<blake3::Hash>, request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION);
    let given = given.and_then(|value| value.to_str().ok()?.split_once(' '));
    let is_right = given.is_some_and(|(scheme, given)| {
        scheme.eq_ignore_ascii_case("bearer") && blake3::hash(given.trim().as_bytes()) == token
    });
    if is_right {
        return next.run(request).await;
    }
    (
        StatusCode::UNAUTHORIZED,
        [(WWW_AUTHENTICATE, "Bearer")],
        "send the token of this server: Authorization: Bearer TOKEN\n",
    )
        .into_response()
}
