//! Messages on standard input and output, one line of JSON each.
//!
//! The transport of rmcp skips lines that it cannot read, so that the client waits for the answer forever. This one
//! answers each line that may be a request.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use super::messages::{self, MESSAGE_BYTES, Received, Refusal};

/// The transport of a process whose client has its standard input and output.
pub(super) struct Lines {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    output: Arc<Mutex<Output>>,
    /// Reads until the input ends or the transport is closed.
    reading: JoinSet<()>,
}

/// Standard output.
struct Output {
    pipe: StdioWriter,
    /// The bytes that are not written yet: a write may be cancelled in the middle of a line.
    rest: VecDeque<u8>,
    is_closed: bool,
}

impl Lines {
    /// Takes standard input and output.
    pub(super) fn open() -> Lines {
        let (reader, writer) = stdio_pipes();
        let output = Arc::new(Mutex::new(Output {
            pipe: writer,
            rest: VecDeque::new(),
            is_closed: false,
        }));
        // The next line is read when the server has taken the message.
        let (sender, messages) = mpsc::channel(1);
        let mut reading = JoinSet::new();
        reading.spawn(read_lines(BufReader::new(reader), sender, output.clone()));
        Lines {
            messages,
            output,
            reading,
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let line = serde_json::to_vec(&message)?;
            output.lock().await.write_line(&line).await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.reading.abort_all();
        self.output.lock().await.is_closed = true;
        Ok(())
    }
}

impl Output {
    async fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_closed {
            return Err(io::ErrorKind::NotConnected.into());
        }
        self.rest.extend(line);
        self.rest.push_back(b'\n');
        self.pipe.write_all_buf(&mut self.rest).await?;
        self.pipe.flush().await
    }
}

/// Passes on the messages until the input ends, and answers lines that are not messages. An input that cannot be read
/// any longer, and an output that nobody reads, are an end too.
async fn read_lines(
    mut input: BufReader<StdioReader>,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    output: Arc<Mutex<Output>>,
) {
    while let Ok(Some(line)) = read_line(&mut input).await {
        let received = match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => messages::read(&line),
            Line::TooLong { id } => Received::Refused(Refusal::of_large(id.as_deref())),
        };
        match received {
            Received::Message(message) => {
                if messages.send(*message).await.is_err() {
                    return;
                }
            }
            Received::Refused(refusal) => {
                for answer in refusal.answers() {
                    if output.lock().await.write_line(&answer).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

enum Line {
    Whole(Vec<u8>),
    /// A line of more than [`MESSAGE_BYTES`], with its id.
    TooLong {
        id: Option<Vec<u8>>,
    },
}

/// Reads a line; the last one may end with the input. Returns `None` at the end of the input.
async fn read_line(input: &mut BufReader<StdioReader>) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut finder: Option<IdFinder> = None;
    loop {
        let available = input.fill_buf().await?;
        let end = memchr::memchr(b'\n', available);
        let part = &available[..end.unwrap_or(available.len())];
        match &mut finder {
            None if line.len() + part.len() <= MESSAGE_BYTES => line.extend_from_slice(part),
            None => {
                let mut started = IdFinder::default();
                started.read(&std::mem::take(&mut line));
                started.read(part);
                finder = Some(started);
            }
            Some(finder) => finder.read(part),
        }
        let is_end = end.is_some() || available.is_empty();
        let is_nothing = available.is_empty() && line.is_empty() && finder.is_none();
        let length = part.len() + usize::from(end.is_some());
        input.consume(length);
        if is_end {
            return Ok(match finder {
                Some(finder) => Some(Line::TooLong { id: finder.id }),
                None if is_nothing => None,
                None => Some(Line::Whole(line)),
            });
        }
    }
}

/// Finds the id of a message that is too large to be kept: the value of the field `id` of the outermost object.
#[derive(Default)]
struct IdFinder {
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// The start of the current key or value of the outermost object.
    text: Vec<u8>,
    /// Whether the current value is that of the id.
    is_id: bool,
    id: Option<Vec<u8>>,
}

impl IdFinder {
    /// The maximum length of an id that is found.
    const ID_BYTES: usize = 1024;

    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.read_byte(*byte);
        }
    }

    fn read_byte(&mut self, byte: u8) {
        if self.is_in_string {
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
        } else {
            match byte {
                b'"' => self.is_in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    if self.depth == 1 {
                        self.end_value();
                    }
                    self.depth = self.depth.saturating_sub(1);
                }
                b':' if self.depth == 1 => {
                    self.is_id = self.text.trim_ascii() == b"\"id\"";
                    self.text.clear();
                    return;
                }
                b',' if self.depth == 1 => self.end_value(),
                _ => {}
            }
            if b"{}[],".contains(&byte) {
                return;
            }
        }
        if self.depth == 1 && self.text.len() <= IdFinder::ID_BYTES {
            self.text.push(byte);
        }
    }

    fn end_value(&mut self) {
        let value = std::mem::take(&mut self.text);
        if std::mem::take(&mut self.is_id) && value.len() <= IdFinder::ID_BYTES {
            self.id = Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_large_message_is_found() {
        let found = |text: &str| {
            let mut finder = IdFinder::default();
            finder.read(text.as_bytes());
            finder
                .id
                .map(|id| String::from_utf8(id).expect("it is UTF-8"))
        };
        for (text, expected) in [
            (r#"{"id":7,"params":{"id":8}}"#, Some("7")),
            (
                r#"{"params":{"id":8,"text":"\"id\":9,"},"id": 7 }"#,
                Some(" 7 "),
            ),
            (
                r#"{"params":[{"id":8}],"id":"a,}\"b"}"#,
                Some(r#""a,}\"b""#),
            ),
            (r#"{"text":"\\","id":7"#, None),
            (r#"{"text":"\\","id":7}"#, Some("7")),
            (r#"{"a":"id","b":7}"#, None),
            (r#"{"params":{"id":8}}"#, None),
            (r#"[{"id":8}]"#, None),
            ("]]}}", None),
        ] {
            assert_eq!(found(text).as_deref(), expected, "{text}");
        }
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(IdFinder::ID_BYTES));
        assert_eq!(found(&long), None);
    }
}
