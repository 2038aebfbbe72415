//! Connections that send no request keep no client away from the servers of the program: real sockets, and few
//! descriptors.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and start the program"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Far more than the server needs to close a connection.
const PATIENCE: Duration = Duration::from_secs(60);
/// The arguments of each server, and how it answers a request without a token.
const SERVERS: &[(&[&str], &str)] = &[
    (&["serve", "--http", "127.0.0.1:0"], "HTTP/1.1 401 "),
    (&["review", "--no-open"], "HTTP/1.1 200 "),
];

struct Server {
    process: Child,
    port: u16,
    _directory: TempDir,
}

impl Server {
    /// Starts a server that may have `descriptors` files and connections open.
    fn start(arguments: &[&str], descriptors: usize) -> Server {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let mut process = Command::new("sh")
            .arg("-c")
            .arg(format!("ulimit -n {descriptors}; exec \"$0\" \"$@\" 2>&1"))
            .arg(env!("CARGO_BIN_EXE_treegraft"))
            .args(arguments)
            .arg("--root")
            .arg(directory.path())
            .env("XDG_STATE_HOME", directory.path().join("state"))
            .env("XDG_CONFIG_HOME", directory.path().join("config"))
            .env("TREEGRAFT_TOKEN", "of the test")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let output = process.stdout.take().expect("standard output is a pipe");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, rest) = line.split_once("http://127.0.0.1:")?;
            rest.split('/').next()?.parse().ok()
        });
        Server {
            process,
            port: port.expect("it prints its address"),
            _directory: directory,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port));
        let stream = stream.expect("the server accepts connections");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a time limit");
        stream
    }

    /// Requests the page until the server has a free connection, and returns the first line of the answer.
    fn requested(&self) -> String {
        let latest = Instant::now() + PATIENCE;
        loop {
            let mut stream = self.connect();
            let port = self.port;
            // A connection above the limit is closed at once.
            let sent = write!(
                stream,
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
            );
            let answer = sent.ok().and_then(|()| ending(&mut stream));
            match answer {
                Some(answer) if !answer.is_empty() && !answer.starts_with("HTTP/1.1 503 ") => {
                    return answer.lines().next().unwrap_or_default().to_string();
                }
                _ => assert!(Instant::now() < latest, "the server answers no request"),
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns what the server has sent when it closes the connection; `None` if it resets the connection.
fn ending(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => Some(String::from_utf8(bytes).expect("the answer is UTF-8")),
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
        Err(error) => panic!("the server does not close the connection: {error}"),
    }
}

/// Opens connections that send nothing, waits until all are closed, and requests a page. Returns the number of
/// connections that were refused.
fn opened(arguments: &[&str], descriptors: usize, connections: usize, expected: &str) -> usize {
    let server = Server::start(arguments, descriptors);
    let mut open: Vec<TcpStream> = (0..connections).map(|_| server.connect()).collect();
    let endings = open.iter_mut().map(ending);
    let refused = endings.filter(|ending| match ending.as_deref() {
        Some("") => false,
        Some(text) => {
            assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
            true
        }
        None => true,
    });
    let refused = refused.count();
    let line = server.requested();
    assert!(line.starts_with(expected), "{line}");
    refused
}

#[test]
fn silent_connections_are_limited_and_closed() {
    for (arguments, expected) in SERVERS {
        let refused = opened(arguments, 1_024, 400, expected);
        assert!(
            (1..=400 - 256).contains(&refused),
            "{arguments:?}: {refused}"
        );
    }
}

#[test]
fn a_server_without_free_descriptors_is_reached_again() {
    for (arguments, expected) in SERVERS {
        let refused = opened(arguments, 20, 100, expected);
        assert!((1..100).contains(&refused), "{arguments:?}: {refused}");
    }
}
