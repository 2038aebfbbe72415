//! Reads and writes messages: turns bytes of a server into [`Received`], and JSON values into
//! frames.
//!
//! A frame is `Content-Length: N`, an empty line and N bytes of JSON-RPC 2.0 (LSP 3.17, "Base
//! Protocol"). Servers deviate from this, so text between frames is skipped, header names are
//! case-insensitive, and lines may end in `\n`. A frame without a message in it is an
//! [`Unreadable`], and reading continues; only a frame that is too large or cut off ends the
//! stream.

use std::io::{self, BufRead, Read, Write};

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The largest frame that is read, 256 MiB: a response with a million locations is half of that.
pub const LARGEST_FRAME: usize = 256 << 20;

/// Longer lines between frames are skipped in pieces of this many bytes.
const LONGEST_LINE: u64 = 64 << 10;

/// The parameters of a request are invalid (JSON-RPC 2.0).
pub const INVALID_PARAMS: i64 = -32602;
/// The method of a request is not supported (JSON-RPC 2.0).
pub const METHOD_NOT_FOUND: i64 = -32601;
/// Any other error (JSON-RPC 2.0).
const INTERNAL_ERROR: i64 = -32603;

/// The id of a request, chosen by its sender.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// An integer.
    Number(i64),
    /// A string.
    Text(String),
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A request of the peer.
    Request {
        /// The id that the response has to repeat.
        id: RequestId,
        /// The method.
        method: String,
        /// The parameters; null if there are none.
        params: Value,
    },
    /// A notification of the peer.
    Notification {
        /// The method.
        method: String,
        /// The parameters; null if there are none.
        params: Value,
    },
    /// A response of the peer.
    Response {
        /// The id of the request; `None` if the peer could not read it.
        id: Option<RequestId>,
        /// The result as JSON, `null` if there is none, or the error. The caller decodes it: a large
        /// result takes ten times its length as a [`Value`].
        outcome: Result<String, ResponseError>,
    },
}

/// The error in a response.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseError {
    /// Its code; JSON-RPC's "internal error" (-32603) if the peer sends none.
    pub code: i64,
    /// Its message.
    pub message: String,
}

/// A complete frame without a message in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The id of the request it responds to, if that can be read.
    pub id: Option<RequestId>,
    /// What is wrong with it.
    pub why: String,
}

/// The content of one frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// A message.
    Message(Message),
    /// Something else.
    Unreadable(Unreadable),
}

/// An error that ends the stream.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// A frame is larger than the limit.
    #[error("a message of {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Its length in bytes, by its header.
        size: u64,
        /// The largest length that is read.
        limit: usize,
    },
    /// The stream ended within a frame.
    #[error("the stream ended {missing} bytes before the end of a message")]
    CutOff {
        /// How many bytes are missing.
        missing: usize,
    },
    /// The system reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads the next frame, of at most `limit` bytes; returns `None` if the stream ends before it.
///
/// # Errors
/// The stream cannot be read any further.
pub fn read(from: &mut impl BufRead, limit: usize) -> Result<Option<Received>, WireError> {
    let Some(size) = read_length(from)? else {
        return Ok(None);
    };
    let wanted = usize::try_from(size).ok().filter(|size| *size <= limit);
    let Some(wanted) = wanted else {
        return Err(WireError::TooLarge { size, limit });
    };
    // Grows with the bytes that are read, since the header may announce more than that.
    let mut body = Vec::new();
    from.take(size).read_to_end(&mut body)?;
    match wanted - body.len() {
        0 => Ok(Some(decode_body(&body))),
        missing => Err(WireError::CutOff { missing }),
    }
}

/// Writes one message as a frame, and flushes it.
///
/// # Errors
/// As reported by the system.
pub fn write(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
    to.write_all(body)?;
    to.flush()
}

/// Returns a request as the body of a frame.
pub fn request(id: i64, method: &str, params: Value) -> Vec<u8> {
    let mut message = message();
    message.insert("id".to_string(), id.into());
    with_params(message, method, params)
}

/// Returns a notification as the body of a frame.
pub fn notification(method: &str, params: Value) -> Vec<u8> {
    with_params(message(), method, params)
}

/// Returns a response as the body of a frame.
pub fn response(id: &RequestId, outcome: Result<Value, ResponseError>) -> Vec<u8> {
    let mut message = message();
    let id = match id {
        RequestId::Number(number) => Value::from(*number),
        RequestId::Text(text) => Value::from(text.as_str()),
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
    // The protocol allows only objects and arrays here.
    if !params.is_null() {
        message.insert("params".to_string(), params);
    }
    Value::Object(message).to_string().into_bytes()
}

/// Returns the length of the next frame; `None` if the stream ends before it.
fn read_length(from: &mut impl BufRead) -> Result<Option<u64>, WireError> {
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
            // An empty line before the length is skipped like any other text.
            _ => size = content_length(&line).or(size),
        }
    }
}

/// Returns the number after the last `Content-Length:` of a line; a banner without a newline may precede
/// it.
fn content_length(line: &[u8]) -> Option<u64> {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let (_, number) = line.rsplit_once("content-length:")?;
    number.trim().parse().ok()
}

/// The fields of all messages; a result is not decoded.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    method: Value,
    #[serde(default)]
    params: Value,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Value>,
}

/// Distinguishes null from a missing field.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

fn decode_body(body: &[u8]) -> Received {
    // An array would be read as the fields in their order.
    let is_list = body.trim_ascii_start().starts_with(b"[");
    if is_list && serde_json::from_slice::<IgnoredAny>(body).is_ok() {
        let why = "not an object".to_string();
        return Received::Unreadable(Unreadable { id: None, why });
    }
    match serde_json::from_slice::<Envelope<'_>>(body) {
        Ok(envelope) => decode(envelope),
        Err(error) => {
            let why = match std::str::from_utf8(body) {
                Ok(_) => format!("not JSON: {error}"),
                Err(error) => format!("not UTF-8 from byte {}", error.valid_up_to()),
            };
            let id = id_in_broken(body);
            Received::Unreadable(Unreadable { id, why })
        }
    }
}

/// Returns the id of a response that is not JSON, or not UTF-8.
fn id_in_broken(body: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(body);
    if let Ok(value) = serde_json::from_str::<Value>(&text) {
        return match value.get("method") {
            None => id_of(value.get("id")?),
            Some(_) => None,
        };
    }
    // Only a number near the beginning: a later `"id"` may belong to another object.
    let (before, rest) = text.split_once("\"id\"")?;
    if before.len() > 64 || before.matches('{').count() != 1 {
        return None;
    }
    let number = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = number.find(|c: char| !c.is_ascii_digit())?;
    number[..end].parse().ok().map(RequestId::Number)
}

fn decode(envelope: Envelope<'_>) -> Received {
    let unreadable = |id, why: &str| {
        let why = why.to_string();
        Received::Unreadable(Unreadable { id, why })
    };
    let id = id_of(&envelope.id);
    if !envelope.id.is_null() && id.is_none() {
        return unreadable(None, "an id that is neither a number nor a string");
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
            Message::Response { id, outcome }
        }
        (_, id) => return unreadable(id, "a method that is not a string"),
    })
}

/// Reads an integer, which some servers write with a fraction.
fn integer(value: &Value) -> Option<i64> {
    let fraction = || value.as_f64().filter(|number| number.fract() == 0.0);
    value.as_i64().or_else(|| fraction().map(|it| it as i64))
}

fn id_of(value: &Value) -> Option<RequestId> {
    match value {
        Value::String(text) => Some(RequestId::Text(text.clone())),
        value => integer(value).map(RequestId::Number),
    }
}

fn error_of(error: Value) -> ResponseError {
    let message = error.get("message").and_then(Value::as_str);
    ResponseError {
        code: error
            .get("code")
            .and_then(integer)
            .unwrap_or(INTERNAL_ERROR),
        message: message.map_or_else(|| error.to_string(), str::to_string),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(bytes: &[u8]) -> Vec<Received> {
        // One byte at a time: a stream may arrive in pieces of any size.
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

    fn response_to(id: i64, outcome: Result<Value, ResponseError>) -> Received {
        let id = Some(RequestId::Number(id));
        let outcome = outcome.map(|result| result.to_string());
        Received::Message(Message::Response { id, outcome })
    }

    #[test]
    fn written_messages_are_read_back() {
        let mut bytes = Vec::new();
        let params = json!({"emoji": "😀", "list": [1, null]});
        for body in [
            request(7, "ask", params.clone()),
            notification("say", Value::Null),
            response(&RequestId::Text("x".to_string()), Ok(Value::Null)),
        ] {
            write(&mut bytes, &body).expect("a vector takes all");
        }
        let (ask, say) = ("ask".to_string(), "say".to_string());
        assert_eq!(
            all(&bytes),
            [
                Message::Request {
                    id: RequestId::Number(7),
                    method: ask,
                    params
                },
                Message::Notification {
                    method: say,
                    params: Value::Null
                },
                Message::Response {
                    id: Some(RequestId::Text("x".to_string())),
                    outcome: Ok("null".to_string())
                },
            ]
            .map(Received::Message)
        );
    }

    #[test]
    fn headers_are_read_in_all_forms() {
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
            let one = response_to(1, Ok(json!(2)));
            assert_eq!(all(bytes.as_bytes()), [one.clone(), one], "{header:.60}");
        }
    }

    #[test]
    fn deviating_responses_are_read() {
        let error = |code, message: &str| {
            let message = message.to_string();
            Err(ResponseError { code, message })
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
            assert_eq!(all(frame(body).as_bytes()), [response_to(1, expected)]);
        }
        let nobody = r#"{"id":null,"error":{"code":-32700,"message":"parse"}}"#;
        assert_eq!(
            all(frame(nobody).as_bytes()),
            [Received::Message(Message::Response {
                id: None,
                outcome: Err(ResponseError {
                    code: -32700,
                    message: "parse".to_string()
                })
            })]
        );
    }

    #[test]
    fn a_frame_without_a_message_is_skipped() {
        let unreadable = |id: Option<i64>, why: &str| {
            let (id, why) = (id.map(RequestId::Number), why.to_string());
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
                unreadable(None, "an id that is neither a number nor a string"),
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
            assert_eq!(all(&bytes), [expected, response_to(1, Ok(json!(2)))]);
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
            "a message of 11 bytes, more than the limit of 10"
        );
        assert_eq!(
            read(b"Content-Length: 10\r\n\r\n{}"),
            "the stream ended 8 bytes before the end of a message"
        );
    }
}
