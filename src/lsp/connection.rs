//! A JSON-RPC connection to the process of a server. Input: requests. Output: results, each within
//! its timeout.
//!
//! One thread writes the queued frames. Another one reads and decodes, and passes unsolicited
//! messages to a [`Handler`]. Every request of the server gets a response, since some servers wait
//! for one forever.

use std::collections::HashMap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use camino::Utf8Path;
use serde_json::{Value, json};

use super::Situation;
use super::monitor::Monitor;
use super::process::{DRAIN_TIMEOUT, Process, Streams, spawn};
use super::wire::{self, Message, Received, ResponseError, Unreadable};

/// The maximum number of queued bytes that a server has not read yet. Beyond it, nothing is queued.
const QUEUE_LIMIT: usize = 64 << 20;

/// Receives unsolicited messages of a server, on the thread that reads.
pub(super) trait Handler: Send + Sync {
    /// Returns the response to a request of the server.
    fn request(&self, method: &str, params: Value) -> Result<Value, ResponseError>;

    /// Takes a notification of the server.
    ///
    /// # Errors
    /// What is wrong with its parameters.
    fn notification(&self, method: &str, params: Value) -> Result<(), String>;

    /// Records that the process has exited, before the pending requests fail. Called on another
    /// thread, while the connection is locked: must not use it.
    fn closed(&self);
}

/// A connection to a running process. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct Connection {
    process: Arc<Process>,
    state: Arc<Monitor<ConnectionState>>,
    queue: SendQueue,
    next_id: AtomicI64,
    /// How long each step of [`Connection::stop`] may take.
    stop_timeout: Duration,
    is_stopped: AtomicBool,
}

#[derive(Debug, Default)]
struct ConnectionState {
    pending: HashMap<i64, SyncSender<ReceivedResponse>>,
    closed: Option<Closed>,
    /// Why the reader stopped before the end of the stream.
    read_error: Option<String>,
    unreadable_count: u64,
    last_unreadable: String,
}

/// How and when the process exited.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    pub(super) how: String,
    pub(super) at: Instant,
    /// Why treegraft could not continue to read, if it killed the process for that reason.
    read_error: Option<String>,
}

#[derive(Debug)]
enum ReceivedResponse {
    /// The result as JSON, or the server's error.
    Decoded(Result<String, ResponseError>),
    Unreadable(String),
}

/// A request that was sent.
struct SentRequest {
    id: i64,
    response: Receiver<ReceivedResponse>,
    /// [`ConnectionState::unreadable_count`] when it was sent.
    unreadable_before: u64,
}

/// The queue of the thread that writes.
#[derive(Clone, Debug)]
struct SendQueue {
    frames: Sender<QueuedFrame>,
    queued_bytes: Arc<AtomicUsize>,
}

#[derive(Debug)]
enum QueuedFrame {
    Body(Vec<u8>),
    /// Closes the stream.
    Close,
}

/// The thread that reads and decodes.
struct MessageReader {
    state: Arc<Monitor<ConnectionState>>,
    queue: SendQueue,
    process: Arc<Process>,
    handler: Arc<dyn Handler>,
}

impl Connection {
    /// Starts a program in a directory, and the threads that speak with it.
    pub(super) fn open(
        command: (&str, &[String]),
        directory: &Utf8Path,
        stop_timeout: Duration,
        handler: Arc<dyn Handler>,
    ) -> io::Result<Connection> {
        let state = Arc::new(Monitor::<ConnectionState>::default());
        let on_exit = {
            let (state, handler) = (state.clone(), handler.clone());
            move |how| state.change(|state| state.close(how, &*handler))
        };
        let (process, Streams { input, output }) = Process::start(command, directory, on_exit)?;
        let (queue, frames) = SendQueue::new();
        let connection = Connection {
            process: process.clone(),
            state: state.clone(),
            queue: queue.clone(),
            next_id: AtomicI64::new(1),
            stop_timeout,
            is_stopped: AtomicBool::new(false),
        };
        let queued_bytes = queue.queued_bytes.clone();
        spawn("writer", move || write_all(input, &frames, &queued_bytes))?;
        let reader = MessageReader {
            state,
            queue,
            process,
            handler,
        };
        spawn("reader", move || reader.read_all(output))?;
        Ok(connection)
    }

    pub(super) fn process(&self) -> &Arc<Process> {
        &self.process
    }

    /// Sends a request and waits for its result, as JSON. A request that times out is cancelled.
    pub(super) fn request(
        &self,
        method: &str,
        params: Value,
        within: Duration,
    ) -> Result<String, Situation> {
        let deadline = Instant::now() + within;
        let request = self.send_request(method, params)?;
        let left = deadline.saturating_duration_since(Instant::now());
        let method = method.to_string();
        match request.response.recv_timeout(left) {
            Ok(ReceivedResponse::Decoded(Ok(result))) => Ok(result),
            Ok(ReceivedResponse::Decoded(Err(ResponseError { code, message }))) => {
                Err(Situation::Refused {
                    method,
                    code,
                    message,
                })
            }
            Ok(ReceivedResponse::Unreadable(why)) => Err(Situation::Malformed { method, why }),
            Err(RecvTimeoutError::Timeout) => Err(Situation::Timeout {
                method,
                waited: within,
                unreadable: self.cancel(&request),
            }),
            Err(RecvTimeoutError::Disconnected) => {
                Err(self.failure(&method).unwrap_or(Situation::Crashed {
                    how: "unknown".to_string(),
                    retry_in: None,
                }))
            }
        }
    }

    fn send_request(&self, method: &str, params: Value) -> Result<SentRequest, Situation> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, response) = mpsc::sync_channel(1);
        let unreadable_before = {
            let mut state = self.state.lock();
            // After the exit nobody would respond: the channel loses its only sender here.
            match state.closed {
                None => drop(state.pending.insert(id, sender)),
                Some(_) => drop(sender),
            }
            state.unreadable_count
        };
        if !self.queue.push(wire::request(id, method, params)) {
            self.state.lock().pending.remove(&id);
            return Err(queue_is_full(method));
        }
        Ok(SentRequest {
            id,
            response,
            unreadable_before,
        })
    }

    /// Cancels a request. If a message that arrived in the meantime could not be read, returns why.
    fn cancel(&self, request: &SentRequest) -> Option<String> {
        let unreadable = {
            let mut state = self.state.lock();
            state.pending.remove(&request.id);
            let has_new = state.unreadable_count > request.unreadable_before;
            has_new.then(|| state.last_unreadable.clone())
        };
        let cancelled = json!({"id": request.id});
        self.queue
            .push(wire::notification("$/cancelRequest", cancelled));
        unreadable
    }

    /// Queues a notification, which is sent after everything queued before.
    pub(super) fn notify(&self, method: &str, params: Value) -> Result<(), Situation> {
        match self.queue.push(wire::notification(method, params)) {
            true => Ok(()),
            false => Err(queue_is_full(method)),
        }
    }

    /// Returns whether the process is still running.
    pub(super) fn is_open(&self) -> bool {
        self.state.lock().closed.is_none()
    }

    pub(super) fn closed(&self) -> Option<Closed> {
        self.state.lock().closed.clone()
    }

    /// Returns why a call of `method` fails now that the process has exited.
    pub(super) fn failure(&self, method: &str) -> Option<Situation> {
        let closed = self.closed()?;
        Some(match closed.read_error {
            Some(why) => Situation::Malformed {
                method: method.to_string(),
                why,
            },
            None => Situation::Crashed {
                how: closed.how,
                retry_in: None,
            },
        })
    }

    /// Returns how many messages of the server could not be read.
    pub(super) fn unreadable_count(&self) -> u64 {
        self.state.lock().unreadable_count
    }

    /// Ends the process; if `is_graceful`, asks the server to shut down first.
    pub(super) fn stop(&self, is_graceful: bool) {
        if self.is_stopped.swap(true, Ordering::SeqCst) {
            return;
        }
        let patience = self.stop_timeout;
        if is_graceful && self.is_open() {
            let shutdown = self.request("shutdown", Value::Null, patience);
            if shutdown.is_ok() {
                self.queue.push(wire::notification("exit", Value::Null));
            }
        }
        self.queue.close();
        if !(is_graceful && self.process.has_exited_within(patience)) {
            self.process.terminate(patience);
        }
        // A stopped server is not alive for its caller, and its last messages have been read.
        let is_open = |state: &mut ConnectionState| state.closed.is_none();
        self.state.wait_while(2 * DRAIN_TIMEOUT, is_open);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop(false);
    }
}

impl ConnectionState {
    fn close(&mut self, how: String, handler: &dyn Handler) {
        handler.closed();
        self.closed = Some(Closed {
            how,
            at: Instant::now(),
            read_error: self.read_error.take(),
        });
        // The receivers of all pending requests are disconnected.
        self.pending.clear();
    }
}

fn queue_is_full(method: &str) -> Situation {
    Situation::Timeout {
        method: method.to_string(),
        waited: Duration::ZERO,
        unreadable: Some(format!(
            "the server has not read the last {QUEUE_LIMIT} bytes that were sent"
        )),
    }
}

impl SendQueue {
    fn new() -> (SendQueue, Receiver<QueuedFrame>) {
        let (frames, receiver) = mpsc::channel();
        let queued_bytes = Arc::default();
        let queue = SendQueue {
            frames,
            queued_bytes,
        };
        (queue, receiver)
    }

    /// Queues the body of a frame; returns whether there was space for it.
    fn push(&self, body: Vec<u8>) -> bool {
        let size = body.len();
        if self.queued_bytes.fetch_add(size, Ordering::Relaxed) > QUEUE_LIMIT {
            self.queued_bytes.fetch_sub(size, Ordering::Relaxed);
            return false;
        }
        // Fails only if the thread that writes has ended; then the process has exited too.
        let _ = self.frames.send(QueuedFrame::Body(body));
        true
    }

    fn close(&self) {
        // Fails only if the thread that writes has ended; then the stream is closed already.
        let _ = self.frames.send(QueuedFrame::Close);
    }
}

/// Writes the queued frames until the queue is closed or the server stops reading.
fn write_all(input: impl Write, queue: &Receiver<QueuedFrame>, queued_bytes: &AtomicUsize) {
    let mut input = BufWriter::new(input);
    while let Ok(QueuedFrame::Body(body)) = queue.recv() {
        let written = wire::write(&mut input, &body);
        queued_bytes.fetch_sub(body.len(), Ordering::Relaxed);
        if written.is_err() {
            return;
        }
    }
}

impl MessageReader {
    fn read_all(&self, output: impl Read) {
        // A server that closes its output is useless. Most exit a moment later.
        const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
        let mut output = BufReader::with_capacity(64 << 10, output);
        let error = loop {
            match wire::read(&mut output, wire::LARGEST_FRAME) {
                Ok(Some(Received::Message(message))) => self.receive(message),
                Ok(Some(Received::Unreadable(unreadable))) => self.receive_unreadable(unreadable),
                Ok(None) => break None,
                // The process exited while it wrote; its exit is what matters.
                Err(wire::WireError::CutOff { .. }) => break None,
                Err(error) => break Some(error.to_string()),
            }
        };
        let patience = match error {
            Some(_) => Duration::ZERO,
            None => EXIT_TIMEOUT,
        };
        self.lock().read_error = error;
        self.process.stream_drained();
        if !self.process.has_exited_within(patience) {
            self.process.kill();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock()
    }

    fn receive(&self, message: Message) {
        match message {
            Message::Response {
                id: Some(wire::RequestId::Number(id)),
                outcome,
            } => self.resolve(id, ReceivedResponse::Decoded(outcome)),
            // treegraft sends no request with such an id.
            Message::Response { .. } => {}
            Message::Request { id, method, params } => {
                let outcome = self.handler.request(&method, params);
                self.queue.push(wire::response(&id, outcome));
            }
            Message::Notification { method, params } => {
                if let Err(why) = self.handler.notification(&method, params) {
                    self.receive_unreadable(Unreadable { id: None, why });
                }
            }
        }
    }

    fn receive_unreadable(&self, Unreadable { id, why }: Unreadable) {
        {
            let mut state = self.lock();
            state.unreadable_count += 1;
            state.last_unreadable.clone_from(&why);
        }
        if let Some(wire::RequestId::Number(id)) = id {
            self.resolve(id, ReceivedResponse::Unreadable(why));
        }
    }

    /// Hands a response to the thread that waits for it.
    fn resolve(&self, id: i64, response: ReceivedResponse) {
        let pending = self.lock().pending.remove(&id);
        if let Some(pending) = pending {
            // Fails if the request has timed out.
            let _ = pending.try_send(response);
        }
    }
}
