//! Sends a call to the background process, if there is one that may answer it.

use std::io::BufReader;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::Value;

use treegraft::engine::Engine;
use treegraft::engine::tools::{Effect, Tool};

use super::socket::{Place, receive, send};
use super::{Answered, Asked, AskedCall, Identity, Request, Taken};
use crate::cli::CalledFrom;

/// How long the process may take to accept a request. It does so at once, unless it hangs.
pub(super) const ACCEPTS_WITHIN: Duration = Duration::from_secs(5);

/// What became of a call.
pub(in crate::cli) enum Made {
    /// The background process answered it.
    Answered(Box<Answered>),
    /// Nothing was done.
    NotTaken,
    /// The background process ended during a call that may have written files.
    Lost,
}

/// Sends a call to the background process of the engine's workspace.
pub(in crate::cli) fn ask(
    engine: &Engine,
    from: &CalledFrom<'_>,
    tool: &Tool,
    arguments: &Value,
) -> Made {
    let Ok(place) = Place::of(engine.roots()) else {
        return Made::NotTaken;
    };
    let call = AskedCall {
        tool: tool.name.to_string(),
        arguments: arguments.clone(),
        base: from.base.map(ToString::to_string),
        named_roots: from.roots.iter().map(ToString::to_string).collect(),
    };
    let identity = Identity::of(from.environment);
    let Some((mut input, Taken::Yes { .. })) = request(&place, identity, Asked::Call(call)) else {
        return Made::NotTaken;
    };
    match receive::<Option<Answered>>(&mut input, None) {
        Ok(Some(Some(answered))) => Made::Answered(Box::new(answered)),
        // It cannot open the workspace.
        Ok(Some(None)) => Made::NotTaken,
        _ if tool.effect == Effect::Reads || arguments.get("apply").is_none() => Made::NotTaken,
        _ => Made::Lost,
    }
}

/// Sends a request. Returns whether it is accepted, and the input from which an answer can be read; `None` if nothing
/// listens.
pub(super) fn request(
    place: &Place,
    identity: Identity,
    asked: Asked,
) -> Option<(BufReader<UnixStream>, Taken)> {
    let stream = place.connect().ok()?;
    stream.set_write_timeout(Some(ACCEPTS_WITHIN)).ok()?;
    send(&stream, &Request { identity, asked }).ok()?;
    // The answer may arrive together with this line.
    let mut input = BufReader::new(stream);
    let taken = receive(&mut input, Some(ACCEPTS_WITHIN)).ok()??;
    Some((input, taken))
}
