//! Reads the messages of a client. A message that is not JSON-RPC gets an error with its id, as far as that can be read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestMethod, ClientJsonRpcMessage, ConstString, RequestId};
use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use treegraft::engine::request::{JsonError, read_json};

/// The maximum size of a message, in bytes: the largest file, with each byte escaped.
pub(super) const MESSAGE_BYTES: usize = 2 * treegraft::engine::FILE_LIMIT as usize;

/// A byte order mark, which some programs on Windows write first.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// What a client has sent.
pub(super) enum Received {
    Message(Box<ClientJsonRpcMessage>),
    Refused(Refusal),
}

/// The error for a message that cannot be read.
pub(super) struct Refusal {
    error: ErrorData,
    /// The id of each request that waits for an answer. A notification and a response have none.
    ids: Vec<Id>,
}

/// An id as the client wrote it; `None` if it has not the form of an id.
type Id = Option<Box<RawValue>>;

/// The fields of a message, without their meaning.
type Fields<'t> = BTreeMap<Cow<'t, str>, Cow<'t, RawValue>>;

impl Refusal {
    /// Returns the refusal of a message that is too large, with the id that was found in it.
    pub(super) fn of_large(id: Option<&[u8]>) -> Refusal {
        let id = id.and_then(|id| serde_json::from_slice::<&RawValue>(id).ok());
        let error = format!("the message is larger than {MESSAGE_BYTES} bytes");
        Refusal {
            error: ErrorData::invalid_request(error, None),
            ids: vec![id.and_then(as_id)],
        }
    }

    /// Returns the answers on standard output, one for each request.
    pub(super) fn answers(&self) -> impl Iterator<Item = Vec<u8>> {
        self.ids.iter().map(|id| self.answer(id))
    }

    /// Returns the one answer over HTTP.
    pub(super) fn one_answer(&self) -> Vec<u8> {
        match &self.ids[..] {
            [id] => self.answer(id),
            _ => self.answer(&None),
        }
    }

    fn answer(&self, id: &Id) -> Vec<u8> {
        /// The error response of JSON-RPC 2.0, whose id is null if it is unknown.
        #[derive(Serialize)]
        struct Answer<'a> {
            jsonrpc: &'static str,
            id: &'a Id,
            error: &'a ErrorData,
        }
        let answer = Answer {
            jsonrpc: "2.0",
            id,
            error: &self.error,
        };
        serde_json::to_vec(&answer).expect("an error and an id are plain data")
    }
}

/// Reads a message. Arguments of a tool call that are not Unicode text become a string of JSON, which the engine refuses
/// by name.
pub(super) fn read(bytes: &[u8]) -> Received {
    let bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
    match serde_json::from_slice::<ClientJsonRpcMessage>(bytes) {
        Ok(message) => Received::Message(Box::new(message)),
        Err(error) => read_leniently(bytes, &error),
    }
}

/// Reads what can be read of a message that is not valid.
fn read_leniently(bytes: &[u8], error: &serde_json::Error) -> Received {
    let text = String::from_utf8_lossy(bytes);
    let is_utf8 = matches!(text, Cow::Borrowed(_));
    let refused = |error, ids| Received::Refused(Refusal { error, ids });
    let Ok(fields) = serde_json::from_str::<Fields>(&text) else {
        return match serde_json::from_str::<IgnoredAny>(&text) {
            Err(error) => refused(ErrorData::parse_error(error.to_string(), None), vec![None]),
            Ok(_) if text.trim_start().starts_with('[') => refused(
                invalid("batches are not supported: send each message by itself"),
                ids_of_batch(&text),
            ),
            Ok(_) => refused(invalid("a message is a JSON object"), vec![None]),
        };
    };
    let id = fields.get("id").map(|id| as_id(id));
    if !fields.contains_key("method")
        && (fields.contains_key("result") || fields.contains_key("error"))
    {
        // The request must not wait for this response any longer.
        let id = fields
            .get("id")
            .and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
        let error = invalid(format!("the client's response cannot be read: {error}"));
        return match id {
            Some(id) => Received::Message(Box::new(ClientJsonRpcMessage::error(error, Some(id)))),
            None => refused(error, Vec::new()),
        };
    }
    if is_utf8 && let Some(message) = with_arguments_as_text(&fields) {
        return Received::Message(Box::new(message));
    }
    let error = match is_utf8 {
        true => explained(&text, &fields, error),
        false => ErrorData::parse_error("the message is not UTF-8", None),
    };
    let is_notification = id.is_none() && fields.contains_key("method");
    refused(
        error,
        match is_notification {
            true => Vec::new(),
            false => vec![id.flatten()],
        },
    )
}

/// Returns the call of a tool whose arguments are not JSON values, with their text as the arguments.
fn with_arguments_as_text(fields: &Fields) -> Option<ClientJsonRpcMessage> {
    let method: String = serde_json::from_str(fields.get("method")?.get()).ok()?;
    if method != CallToolRequestMethod::VALUE {
        return None;
    }
    let mut params: Fields = serde_json::from_str(fields.get("params")?.get()).ok()?;
    let arguments = params.get("arguments")?.get();
    read_json::<Value>(arguments).err()?;
    let arguments = to_raw_value(arguments).ok()?;
    params.insert(Cow::Borrowed("arguments"), Cow::Owned(arguments));
    let mut fields = fields.clone();
    let params = to_raw_value(&params).ok()?;
    fields.insert(Cow::Borrowed("params"), Cow::Owned(params));
    serde_json::from_slice(&serde_json::to_vec(&fields).ok()?).ok()
}

/// Explains what is wrong with a request.
fn explained(text: &str, fields: &Fields, error: &serde_json::Error) -> ErrorData {
    let is_string = |name: &str| {
        let field = fields.get(name);
        field.is_some_and(|field| field.get().starts_with('"'))
    };
    let reason = match read_json::<Value>(text) {
        Err(JsonError::LoneSurrogate { path }) if path.starts_with("params") => {
            let error = JsonError::LoneSurrogate { path };
            return ErrorData::invalid_params(error.to_string(), None);
        }
        Err(error) => error.to_string(),
        Ok(message) => match &message {
            message if message["jsonrpc"] != "2.0" => r#""jsonrpc" must be "2.0""#.to_string(),
            _ if !is_string("method") => r#""method" must be a string"#.to_string(),
            message if !(message["id"].is_string() || message["id"].is_i64()) => {
                r#""id" must be a string or an integer"#.to_string()
            }
            message
                if message
                    .get("params")
                    .is_some_and(|params| !params.is_object()) =>
            {
                return ErrorData::invalid_params(r#""params" must be an object"#, None);
            }
            _ => error.to_string(),
        },
    };
    invalid(reason)
}

fn invalid(reason: impl Into<Cow<'static, str>>) -> ErrorData {
    ErrorData::invalid_request(reason, None)
}

/// Returns the ids of a batch, or one unknown id if no message in it has one.
fn ids_of_batch(text: &str) -> Vec<Id> {
    let messages: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
    let ids = messages.iter().filter_map(|message| {
        let fields: Fields = serde_json::from_str(message.get()).ok()?;
        let is_request = fields.contains_key("method");
        is_request
            .then(|| as_id(fields.get("id")?))
            .flatten()
            .map(Some)
    });
    let ids: Vec<Id> = ids.collect();
    match ids.is_empty() {
        true => vec![None],
        false => ids,
    }
}

/// Returns a value as an id if it is a string or a number, and keeps how it is written: it may be a text or a number that
/// Rust has no type for.
fn as_id(value: &RawValue) -> Id {
    let is_id = value
        .get()
        .starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit());
    is_id.then(|| value.to_owned())
}
