//! HTTP servers that only programs and pages of this machine may use.
//!
//! A server listens on a loopback address ([`Listening`]). [`require_token`] rejects requests without the token, and
//! [`require_own_origin`] rejects requests from pages of another origin or for another host name. The number of
//! connections is limited, and each is closed if its request does not arrive in time.

mod connections;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, HeaderName, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use connections::Limits;

/// Why a server cannot be started, or stopped working.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Other machines could reach the address.
    #[error("{0} can be reached from other machines; listen on 127.0.0.1 or [::1]")]
    NotLoopback(SocketAddr),
    /// The server cannot listen on the address.
    #[error("cannot listen on {0}: {1}")]
    Listening(SocketAddr, #[source] io::Error),
    /// The system has no random bytes for a token.
    #[error("cannot generate a token: {0}")]
    Random(#[source] io::Error),
    /// The system does not report signals.
    #[error("cannot wait for signals: {0}")]
    Signals(#[source] io::Error),
}

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
    pub async fn at(address: SocketAddr) -> Result<Listening, Error> {
        let unreachable = |error| Error::Listening(address, error);
        if !address.ip().is_loopback() {
            return Err(Error::NotLoopback(address));
        }
        let listener = TcpListener::bind(address).await.map_err(unreachable)?;
        let address = listener.local_addr().map_err(unreachable)?;
        Ok(Listening { listener, address })
    }

    /// Returns the address, with the selected port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process is asked to stop (SIGTERM, ctrl-c). Then cancels `stop`, which must end all streams,
    /// and answers the running requests first.
    ///
    /// # Errors
    /// The system fails.
    pub async fn serve(self, router: Router, stop: CancellationToken) -> Result<(), Error> {
        let mut asked_to_stop = pin!(asked_to_stop().map_err(Error::Signals)?);
        let mut serving = pin!(connections::serve(
            self.listener,
            router,
            Limits::default(),
            &stop
        ));
        tokio::select! {
            () = &mut serving => {}
            () = &mut asked_to_stop => {
                stop.cancel();
                serving.await;
            }
        }
        Ok(())
    }
}

/// Returns a random token: 64 hexadecimal digits.
///
/// # Errors
/// The system has no random bytes.
pub fn new_token() -> Result<String, Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::Random(io::Error::other(error)))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Waits until the process is asked to stop (SIGTERM, ctrl-c).
///
/// # Errors
/// The system does not report signals.
#[cfg(unix)]
pub fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
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

/// Waits until the process is asked to stop (ctrl-c).
///
/// # Errors
/// None in practice: a system that reports no signals is waited for forever.
#[cfg(not(unix))]
pub fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

/// Rejects requests to the routes of `router` without the header `Authorization: Bearer TOKEN` (401). Compares digests,
/// in constant time.
pub fn require_token(router: Router, token: &str) -> Router {
    router.layer(from_fn_with_state(blake3::hash(token.as_bytes()), bearing))
}

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

/// Rejects requests to the routes of `router` that are not for the server at `address` by one of its own names, or that
/// a page of another origin makes (403). Pages of other ports of this machine are of another origin too.
pub fn require_own_origin(router: Router, address: SocketAddr) -> Router {
    router.layer(from_fn_with_state(address.port(), of_own_origin))
}

async fn of_own_origin(State(port): State<u16>, request: Request, next: Next) -> Response {
    match is_own(request.headers(), port) {
        true => next.run(request).await,
        false => (
            StatusCode::FORBIDDEN,
            "this server only answers pages of its own\n",
        )
            .into_response(),
    }
}

/// Returns whether the headers name this server, and no page of another origin.
fn is_own(headers: &HeaderMap, port: u16) -> bool {
    const SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
    // A header that is there twice names two servers.
    let only = |name: &HeaderName| {
        let mut values = headers.get_all(name).iter();
        let first = values.next().map(|value| value.to_str().unwrap_or("?"));
        match values.next() {
            None => first,
            Some(_) => Some("?"),
        }
    };
    let is_host = |host: &str| {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let (name, given) = host.rsplit_once(':').unwrap_or((host, "80"));
        let is_port = given.parse() == Ok(port) && !given.starts_with('+');
        is_port && names.iter().any(|own| name.eq_ignore_ascii_case(own))
    };
    let host = only(&HOST);
    let is_same_origin = |origin: &str| {
        let name = origin.strip_prefix("http://");
        name.is_some_and(|name| Some(name) == host)
    };
    host.is_some_and(is_host)
        && only(&ORIGIN).is_none_or(is_same_origin)
        && only(&SITE).is_none_or(|site| ["same-origin", "none"].contains(&site))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_own_names_and_pages_are_answered() {
        let is_own = |lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, HeaderValue::from_static(value));
            }
            is_own(&headers, 8642)
        };
        for lines in [
            &[("host", "127.0.0.1:8642")][..],
            &[("host", "localhost:8642")],
            &[("host", "LocalHost:8642")],
            &[("host", "[::1]:8642")],
            &[
                ("host", "127.0.0.1:8642"),
                ("origin", "http://127.0.0.1:8642"),
                ("sec-fetch-site", "same-origin"),
            ],
            &[("host", "127.0.0.1:8642"), ("sec-fetch-site", "none")],
        ] {
            assert!(is_own(lines), "{lines:?}");
        }
        for lines in [
            &[][..],
            &[("host", "127.0.0.1")],
            &[("host", "127.0.0.1:80")],
            &[("host", "127.0.0.1:+8642")],
            &[("host", "rebound.example:8642")],
            &[("host", "127.0.0.1.example:8642")],
            &[("host", "localhost.:8642")],
            &[("host", "localhost:8642"), ("host", "rebound.example:8642")],
            &[
                ("host", "localhost:8642"),
                ("origin", "http://localhost:3000"),
            ],
            &[
                ("host", "localhost:8642"),
                ("origin", "https://localhost:8642"),
            ],
            &[
                ("host", "localhost:8642"),
                ("origin", "http://127.0.0.1:8642"),
            ],
            &[("host", "localhost:8642"), ("origin", "null")],
            &[
                ("host", "localhost:8642"),
                ("origin", "http://attacker.example"),
            ],
            &[("host", "localhost:8642"), ("sec-fetch-site", "same-site")],
            &[("host", "localhost:8642"), ("sec-fetch-site", "cross-site")],
        ] {
            assert!(!is_own(lines), "{lines:?}");
        }
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let [one, other] = [(); 2].map(|()| new_token().expect("there are random bytes"));
        assert_eq!((one.len(), other.len()), (64, 64));
        assert_ne!(one, other);
    }
}
