//! Messages on the wire: bytes from a server come in and [`Received`] goes out; the other way a JSON
//! value becomes a frame.
//!
//! A frame is `Content-Length: N`, an empty line and N bytes of JSON-RPC 2.0 (LSP 3.17, "Base
//! Protocol"). Servers in use bend this, so what stands between frames is passed over, header names
//! have any case and lines end in `\n` too. A frame that holds no message is one [`Unreadable`], and
//! the next one is read; only a frame that is too large or cut off ends the stream.

use std::io::{self, BufRead, Read, Write};

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The most bytes of one frame, 256 MiB: an answer with a million locations is half of that.
pub const LARGEST_FRAME: usize = 256 << 20;

/// Longer lines between frames are passed over in pieces of this many bytes.
const LONGEST_LINE: u64 = 64 << 10;

/// The name of a request, as the one who asks has chosen it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The peer wants an answer.
    Request {
        /// What the answer has to repeat.
        id: Id,
        /// What is asked.
        method: String,
        /// With what; null if nothing is given.
        params: Value,
    },
    /// The peer says something.
    Notification {
        /// What it is about.
        method: String,
        /// What it says; null if nothing is given.
        params: Value,
    },
    /// The peer answers.
    Answer {
        /// What was asked; nothing where the peer could not read that.
        id: Option<Id>,
        /// The result as JSON, `null` if none is given, or what went wrong. Whoever asked decodes it: a
        /// large one takes ten times its length as a [`Value`].
        outcome: Result<String, ErrorAnswer>,
    },
}

/// What a peer answers instead of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorAnswer {
    /// Its number; JSON-RPC's "internal error" (-32603) where it gives none.
    pub code: i64,
    /// Its words.
    pub message: String,
}

/// A whole frame without a message in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The answer it would have been, as far as that can be told.
    pub id: Option<Id>,
    /// What is wrong with it.
    pub why: String,
}

/// What one frame held.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// A message.
    Message(Message),
    /// Nothing that can be understood.
    Unreadable(Unreadable),
}

/// Why no further frame can be read.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// A frame has more bytes than are taken.
    #[error("a message of {size} bytes, more than {limit}")]
    TooLarge {
        /// Its bytes, as its header says.
        size: u64,
        /// The most that are taken.
        limit: usize,
    },
    /// The stream ended in a frame.
    #[error("the stream ended {missing} bytes before the end of a message")]
    CutOff {
        /// How many bytes are missing.
        missing: usize,
    },
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads the next frame of at most `limit` bytes; nothing when the stream ends between two.
///
/// # Errors
/// The stream cannot be read on.
pub fn read(from: &mut impl BufRead, limit: usize) -> Result<Option<Received>, WireError> {
    let Some(size) = read_header(from)? else {
        return Ok(None);
    };
    let wanted = usize::try_from(size).ok().filter(|size| *size <= limit);
    let Some(wanted) = wanted else {
        return Err(WireError::TooLarge { size, limit });
    };
    // Grows as bytes come, since the header may promise what never does.
    let mut body = Vec::new();
    from.take(size).read_to_end(&mut body)?;
    match wanted - body.len() {
        0 => Ok(Some(received(&body))),
        missing => Err(WireError::CutOff { missing }),
    }
}

/// Writes one message as a frame, and sends it off.
///
/// # Errors
/// What the system says.
pub fn write(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
    to.write_all(body)?;
    to.flush()
}

/// A request as the bytes of a frame's body.
pub fn request(id: i64, method: &str, params: Value) -> Vec<u8> {
    let mut message = message();
    message.insert("id".to_string(), id.into());
    with_params(message, method, params)
}

/// A notification as the bytes of a frame's body.
pub fn notification(method: &str, params: Value) -> Vec<u8> {
    with_params(message(), method, params)
}

/// An answer as the bytes of a frame's body.
pub fn answer(id: &Id, outcome: Result<Value, ErrorAnswer>) -> Vec<u8> {
    let mut message = message();
    let id = match id {
        Id::Number(number) => Value::from(*number),
        Id::Text(text) => Value::from(text.as_str()),
    };
    message.insert("id".to_string(), id);
    match outcome {
        Ok(result) => message.insert("result".to_string(), result),
        Err(error) => {
            let error = serde_json::json!({"code": error.code, "message": error.message});
            message.insert("error".to_string(), error)
        }
    };
    Value::Object(message).to_string().into_bytes()
}

fn message() -> Map<String, Value> {
    Map::from_iter([("jsonrpc".to_string(), Value::from("2.0"))])
}

fn with_params(mut message: Map<String, Value>, method: &str, params: Value) -> Vec<u8> {
    message.insert("method".to_string(), method.into());
    // The protocol allows only objects and lists here; no value means none.
    if !params.is_null() {
        message.insert("params".to_string(), params);
    }
    Value::Object(message).to_string().into_bytes()
}

/// The bytes that the next frame has; nothing where the stream ends first.
fn read_header(from: &mut impl BufRead) -> Result<Option<u64>, WireError> {
    let mut size = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let is_empty = line.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
        match size {
            Some(size) if is_empty => return Ok(Some(size)),
            // Before the length an empty line is one more that does not belong here.
            _ => size = content_length(&line).or(size),
        }
    }
}

/// The number behind the last `Content-Length:` of a line; a banner without an end of its own may
/// stand before it.
fn content_length(line: &[u8]) -> Option<u64> {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let (_, number) = line.rsplit_once("content-length:")?;
    number.trim().parse().ok()
}

/// What a message can hold; an outcome is left as it is.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    method: Value,
    #[serde(default)]
    params: Value,
    #[serde(borrow, default, deserialize_with = "given")]
    result: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "given")]
    error: Option<Value>,
}

/// Tells null from nothing at all.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn received(body: &[u8]) -> Received {
    // A list would be read as the fields in their order.
    let is_list = body.trim_ascii_start().starts_with(b"[");
    if is_list && serde_json::from_slice::<IgnoredAny>(body).is_ok() {
        let why = "not an object".to_string();
        return Received::Unreadable(Unreadable { id: None, why });
    }
    match serde_json::from_slice::<Envelope<'_>>(body) {
        Ok(envelope) => understood(envelope),
        Err(error) => {
            let why = match std::str::from_utf8(body) {
                Ok(_) => format!("not JSON: {error}"),
                Err(error) => format!("not UTF-8 from byte {}", error.valid_up_to()),
            };
            let id = id_of_broken(body);
            Received::Unreadable(Unreadable { id, why })
        }
    }
}

/// The id of an answer that is not JSON, or not UTF-8.
fn id_of_broken(body: &[u8]) -> Option<Id> {
    let text = String::from_utf8_lossy(body);
    if let Ok(value) = serde_json::from_str::<Value>(&text) {
        return match value.get("method") {
            None => id_of(value.get("id")?),
            Some(_) => None,
        };
    }
    // Only a number at the beginning: further on an `"id"` may be anything's.
    let (before, rest) = text.split_once("\"id\"")?;
    if before.len() > 64 || before.matches('{').count() != 1 {
        return None;
    }
    let number = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = number.find(|c: char| !c.is_ascii_digit())?;
    number[..end].parse().ok().map(Id::Number)
}

fn understood(envelope: Envelope<'_>) -> Received {
    let unreadable = |id, why: &str| {
        let why = why.to_string();
        Received::Unreadable(Unreadable { id, why })
    };
    let id = id_of(&envelope.id);
    if !envelope.id.is_null() && id.is_none() {
        return unreadable(None, "an id that is neither a number nor a text");
    }
    let params = envelope.params;
    Received::Message(match (envelope.method, id) {
        (Value::String(method), Some(id)) => Message::Request { id, method, params },
        (Value::String(method), None) => Message::Notification { method, params },
        (Value::Null, id) => {
            let outcome = match (envelope.error, envelope.result) {
                (None, None) => {
                    return unreadable(id, "neither a method nor a result nor an error");
                }
                (Some(error), _) if !error.is_null() => Err(error_of(error)),
                (_, result) => Ok(result.map_or("null", RawValue::get).to_string()),
            };
            Message::Answer { id, outcome }
        }
        (_, id) => return unreadable(id, "a method that is not a text"),
    })
}

/// Some servers write whole numbers with a point.
fn whole(value: &Value) -> Option<i64> {
    let fraction = || value.as_f64().filter(|number| number.fract() == 0.0);
    value.as_i64().or_else(|| fraction().map(|it| it as i64))
}

fn id_of(value: &Value) -> Option<Id> {
    match value {
        Value::String(text) => Some(Id::Text(text.clone())),
        value => whole(value).map(Id::Number),
    }
}

fn error_of(error: Value) -> ErrorAnswer {
    const INTERNAL_ERROR: i64 = -32603;
    let message = error.get("message").and_then(Value::as_str);
    ErrorAnswer {
        code: error.get("code").and_then(whole).unwrap_or(INTERNAL_ERROR),
        message: message.map_or_else(|| error.to_string(), str::to_string),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(bytes: &[u8]) -> Vec<Received> {
        // One byte at a time: a stream may come in any pieces.
        let mut from = io::BufReader::with_capacity(1, bytes);
        let mut all = Vec::new();
        while let Some(one) = read(&mut from, LARGEST_FRAME).expect("the stream is whole") {
            all.push(one);
        }
        all
    }

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    fn answered(id: i64, outcome: Result<Value, ErrorAnswer>) -> Received {
        let id = Some(Id::Number(id));
        let outcome = outcome.map(|result| result.to_string());
        Received::Message(Message::Answer { id, outcome })
    }

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        let params = json!({"emoji": "😀", "list": [1, null]});
        for body in [
            request(7, "ask", params.clone()),
            notification("say", Value::Null),
            answer(&Id::Text("x".to_string()), Ok(Value::Null)),
        ] {
            write(&mut bytes, &body).expect("a vector takes all");
        }
        let (ask, say) = ("ask".to_string(), "say".to_string());
        assert_eq!(
            all(&bytes),
            [
                Message::Request {
                    id: Id::Number(7),
                    method: ask,
                    params
                },
                Message::Notification {
                    method: say,
                    params: Value::Null
                },
                Message::Answer {
                    id: Some(Id::Text("x".to_string())),
                    outcome: Ok("null".to_string())
                },
            ]
            .map(Received::Message)
        );
    }

    #[test]
    fn headers_are_read_however_they_are_written() {
        let body = r#"{"id":1,"result":2}"#;
        let length = body.len();
        for header in [
            format!("content-length:{length}\r\n\r\n"),
            format!("CONTENT-LENGTH :{length}\r\n\r\n").replace(" :", ":   "),
            format!("Content-Length: {length}\n\n"),
            format!("Content-Type: x; charset=utf-8\r\nContent-Length: {length}\r\n\r\n"),
            format!("Content-Length: {length}\r\nContent-Type: x\r\n\r\n"),
            format!("Starting...\n\nready\r\nContent-Length: {length}\r\n\r\n"),
            format!("no end of lineContent-Length: {length}\r\n\r\n"),
            format!(
                "{}\r\nContent-Length: {length}\r\n\r\n",
                "x".repeat(100_000)
            ),
        ] {
            let bytes = header.clone() + body + &frame(body);
            let one = answered(1, Ok(json!(2)));
            assert_eq!(all(bytes.as_bytes()), [one.clone(), one], "{header:.60}");
        }
    }

    #[test]
    fn bent_answers_are_understood() {
        let error = |code, message: &str| {
            let message = message.to_string();
            Err(ErrorAnswer { code, message })
        };
        for (body, expected) in [
            (r#"{"id":1,"result":null,"error":null}"#, Ok(Value::Null)),
            (r#"{"id":1.0,"result":[]}"#, Ok(json!([]))),
            (
                r#"{"id":1,"error":{"code":-32801.0,"message":"m"}}"#,
                error(-32801, "m"),
            ),
            (r#"{"id":1,"error":"no"}"#, error(-32603, "\"no\"")),
        ] {
            assert_eq!(all(frame(body).as_bytes()), [answered(1, expected)]);
        }
        let nobody = r#"{"id":null,"error":{"code":-32700,"message":"parse"}}"#;
        assert_eq!(
            all(frame(nobody).as_bytes()),
            [Received::Message(Message::Answer {
                id: None,
                outcome: Err(ErrorAnswer {
                    code: -32700,
                    message: "parse".to_string()
                })
            })]
        );
    }

    #[test]
    fn a_frame_without_a_message_is_passed_over() {
        let unreadable = |id: Option<i64>, why: &str| {
            let (id, why) = (id.map(Id::Number), why.to_string());
            Received::Unreadable(Unreadable { id, why })
        };
        for (body, expected) in [
            (
                b"{{{{{".as_slice(),
                unreadable(None, "not JSON: key must be a string at line 1 column 2"),
            ),
            (b"[]", unreadable(None, "not an object")),
            (
                b"{\"id\":4}",
                unreadable(Some(4), "neither a method nor a result nor an error"),
            ),
            (
                b"{\"id\":[],\"result\":1}",
                unreadable(None, "an id that is neither a number nor a text"),
            ),
            (
                b"{\"id\":5,\"result\":\"\xff\"}",
                unreadable(Some(5), "not UTF-8 from byte 18"),
            ),
            (
                b"{\"id\": 6,\"result\":[1,",
                unreadable(
                    Some(6),
                    "not JSON: EOF while parsing a value at line 1 column 21",
                ),
            ),
        ] {
            let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
            bytes.extend(body);
            bytes.extend(frame(r#"{"id":1,"result":2}"#).bytes());
            assert_eq!(all(&bytes), [expected, answered(1, Ok(json!(2)))]);
        }
    }

    #[test]
    fn a_frame_that_is_too_large_or_cut_off_ends_the_stream() {
        let read = |mut bytes: &[u8]| {
            let error = read(&mut bytes, 10).expect_err("the stream is broken");
            error.to_string()
        };
        assert_eq!(
            read(b"Content-Length: 11\r\n\r\n{}"),
            "a message of 11 bytes, more than 10"
        );
        assert_eq!(
            read(b"Content-Length: 10\r\n\r\n{}"),
            "the stream ended 8 bytes before the end of a message"
        );
    }
}
