//! The connections of a server: how many there may be, and how long each may wait with its request.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The limits of a server's connections, so that clients that send nothing do not keep others away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The number of simultaneous connections. Each further one is answered with 503 and closed.
    pub(crate) connections: usize,
    /// The time in which the headers of a request must arrive, after the connection is opened or the previous request is
    /// answered. Then the connection is closed.
    pub(crate) headers: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: MOST_CONNECTIONS.min(open_files() / 2),
            headers: Duration::from_secs(5),
        }
    }
}

/// The most simultaneous connections. A server of one person has a few.
const MOST_CONNECTIONS: usize = 256;
/// How long the server waits if the system accepts no connection, such as for want of descriptors.
const PAUSE: Duration = Duration::from_millis(200);
/// The answer to a connection above the limit.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    content-type: text/plain\r\ncontent-length: 44\r\nconnection: close\r\n\r\n\
    the server has too many connections already\n";

/// Returns the number of files and connections that this process may have open.
#[cfg(unix)]
fn open_files() -> usize {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let limit = limit.current.map(usize::try_from);
    limit.and_then(Result::ok).unwrap_or(usize::MAX)
}

/// Returns the number of files and connections that this process may have open.
#[cfg(not(unix))]
fn open_files() -> usize {
    usize::MAX
}

/// Serves `router` until `stop` is cancelled, and answers the running requests first.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: &CancellationToken,
) {
    let free = Arc::new(Semaphore::new(limits.connections));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.headers);
    let open = GracefulShutdown::new();
    let mut reserve = Reserve::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            // The client is gone already.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
                ) =>
            {
                continue;
            }
            Err(_) => {
                reserve.refuse(&listener).await;
                continue;
            }
        };
        let Ok(slot) = free.clone().try_acquire_owned() else {
            refuse(stream);
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = open.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // A client may disconnect at any time, or send something that is not HTTP.
            let _ = connection.await;
            drop(slot);
        });
    }
    drop(listener);
    open.shutdown().await;
}

/// Answers a connection above the limit, if it takes the answer at once, and closes it.
fn refuse(stream: TcpStream) {
    let _ = stream.try_write(FULL);
}

/// A descriptor that is kept for the case that the process has no other one left. Without it, a connection that cannot
/// be accepted would wait, and the server would try to accept it again and again.
struct Reserve(Option<TcpSocket>);

impl Reserve {
    fn new() -> Reserve {
        Reserve(TcpSocket::new_v4().ok())
    }

    /// Refuses the connection that could not be accepted.
    async fn refuse(&mut self, listener: &TcpListener) {
        drop(self.0.take());
        tokio::select! {
            biased;
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => refuse(stream),
                // The descriptor is in use for something else already.
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
            () = tokio::time::sleep(PAUSE) => {}
        }
        *self = Reserve::new();
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::timeout;

    use super::*;
    use axum::routing::get;

    /// Far more than the server needs.
    const PATIENCE: Duration = Duration::from_secs(20);

    struct Server {
        address: std::net::SocketAddr,
        stop: CancellationToken,
        running: tokio::task::JoinHandle<()>,
    }

    impl Server {
        async fn start(limits: Limits) -> Server {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("it listens");
            let address = listener.local_addr().expect("it has an address");
            let router = Router::new().route("/", get(async || "here"));
            let stop = CancellationToken::new();
            let stopped = stop.clone();
            let running =
                tokio::spawn(async move { serve(listener, router, limits, &stopped).await });
            Server {
                address,
                stop,
                running,
            }
        }

        async fn connect(&self) -> TcpStream {
            let connected = TcpStream::connect(self.address).await;
            connected.expect("the server accepts connections")
        }
    }

    /// Sends a text and returns everything that the server sends until it closes the connection.
    async fn answer(stream: &mut TcpStream, text: &str) -> String {
        // The server may have closed the connection already.
        let _ = stream.write_all(text.as_bytes()).await;
        let mut bytes = Vec::new();
        let read = timeout(PATIENCE, stream.read_to_end(&mut bytes)).await;
        // A reset is an end too.
        let _ = read.expect("the server closes the connection");
        String::from_utf8(bytes).expect("the answer is UTF-8")
    }

    const REQUEST: &str = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

    #[tokio::test]
    async fn connections_without_complete_headers_are_closed() {
        let server = Server::start(Limits {
            connections: 8,
            headers: Duration::from_millis(100),
        })
        .await;
        for text in ["", "GET", "GET / HTTP/1.1\r\nhost: localhost\r\n"] {
            let mut stream = server.connect().await;
            assert_eq!(answer(&mut stream, text).await, "", "{text:?}");
        }
        // A connection that stays open after its request is closed too.
        let mut stream = server.connect().await;
        let kept = answer(&mut stream, "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
        assert!(
            kept.starts_with("HTTP/1.1 200") && kept.ends_with("here"),
            "{kept}"
        );
    }

    #[tokio::test]
    async fn connections_above_the_limit_are_answered_and_closed() {
        let server = Server::start(Limits {
            connections: 2,
            headers: PATIENCE,
        })
        .await;
        let held = [server.connect().await, server.connect().await];
        for _ in 0..10 {
            let refused = answer(&mut server.connect().await, "").await;
            assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
            let (head, body) = refused.split_once("\r\n\r\n").expect("a body");
            assert!(
                head.contains(&format!("content-length: {}\r\n", body.len())),
                "{head}"
            );
        }
        drop(held);
        // The server notices by and by that they are gone.
        let answered = async {
            loop {
                let answer = answer(&mut server.connect().await, REQUEST).await;
                if answer.starts_with("HTTP/1.1 200") {
                    break;
                }
            }
        };
        timeout(PATIENCE, answered)
            .await
            .expect("there is room again");
    }

    #[tokio::test]
    async fn a_server_that_stops_does_not_wait_for_requests() {
        let server = Server::start(Limits {
            connections: 2,
            headers: Duration::from_secs(3_600),
        })
        .await;
        let mut stream = server.connect().await;
        server.stop.cancel();
        assert_eq!(answer(&mut stream, "").await, "");
        let ended = timeout(PATIENCE, server.running).await;
        ended.expect("it ends").expect("it does not panic");
    }
}
