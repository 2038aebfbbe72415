//! Sends a call to the background process, if there is one that may answer it.

use std::io::{BufReader, ErrorKind};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::Value;

use treegraft::engine::Engine;
use treegraft::engine::tools::{Effect, Tool};
use treegraft::lsp::configuration::Configuration;
use treegraft::workspace;

use super::server::start;
use super::socket::{Place, receive, send};
use super::{Answered, Asked, AskedCall, Identity, Request, Taken};
use crate::cli::CalledFrom;
use crate::cli::args::IDLE_SECONDS;

/// How long the process may take to accept a request. It does so at once, unless it hangs.
pub(super) const ACCEPTS_WITHIN: Duration = Duration::from_secs(5);

/// The outcome of a call.
pub(in crate::cli) enum Made {
    /// The background process answered it.
    Answered(Box<Answered>),
    /// Nothing was done.
    NotTaken,
    /// Nothing was done: the background process, which the user's configuration asks for, cannot be started.
    NotStarted(String),
    /// The background process ended during a call that may have written files.
    Lost,
}

/// Sends a call to the background process of the engine's workspace. Starts the process if none listens and the user's
/// configuration asks for it.
pub(in crate::cli) fn ask(
    engine: &Engine,
    from: &CalledFrom<'_>,
    tool: &Tool,
    arguments: &Value,
) -> Made {
    let Ok(place) = Place::for_roots(engine.roots()) else {
        return Made::NotTaken;
    };
    let call = AskedCall {
        tool: tool.name.to_string(),
        arguments: arguments.clone(),
        base: from.base.map(ToString::to_string),
        named_roots: from.roots.iter().map(ToString::to_string).collect(),
    };
    if let Err(error) = place.connect()
        && is_wanted()
    {
        let is_nobody = matches!(
            error.kind(),
            ErrorKind::NotFound | ErrorKind::ConnectionRefused
        );
        let roots: Vec<&str> = engine.roots().collect();
        let started = match is_nobody {
            true => start(&place, &roots, IDLE_SECONDS, from.environment).map(|_| ()),
            false => Err(format!(
                "cannot use the socket `{}`: {error}",
                place.socket()
            )),
        };
        if let Err(why) = started {
            return Made::NotStarted(why);
        }
    }
    let identity = Identity::from_environment(from.environment);
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

/// Returns whether the user's configuration asks for a background process. The call reports a configuration that cannot
/// be read.
fn is_wanted() -> bool {
    let path = workspace::user_configuration_path();
    let configuration = path.and_then(|path| Configuration::read(&path).ok());
    configuration.is_some_and(|configuration| configuration.has_background())
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
