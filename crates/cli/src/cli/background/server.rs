//! Starts, runs and ends the background process.

#![expect(
    clippy::disallowed_methods,
    reason = "it starts this program as a process that outlives the command line"
)]

use std::io::BufReader;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use treegraft::diagnostic::ExitStatus;
use treegraft::engine::calls::Call;
use treegraft::engine::{Caller, Engine};

use super::client::request;
use super::socket::{Lock, Place, receive, send};
use super::{Answered, Asked, AskedCall, Identity, Request, Taken};
use crate::cli::Environment;
use crate::cli::args::ServeVerb;
use crate::cli::call_text;
use crate::cli::print::User;

/// How long a started process may take until it listens, and a stopped one until it has ended.
const STARTS_WITHIN: Duration = Duration::from_secs(20);
/// How often that is looked at.
const STEP: Duration = Duration::from_millis(10);
/// How often the process checks whether its socket and its workspace still exist.
const CHECKED_EVERY: Duration = Duration::from_secs(2);
/// How long a client may take to send its request.
const SENDS_WITHIN: Duration = Duration::from_secs(10);

/// Starts the background process of a workspace, or ends it. Returns a message for the user.
///
/// # Errors
/// The process cannot be started, or does not end; the value describes it.
pub(in crate::cli) fn background(
    engine: &Engine,
    verb: &ServeVerb,
    environment: &Environment,
) -> Result<String, String> {
    let place = Place::for_roots(engine.roots()).map_err(|error| error.to_string())?;
    let roots: Vec<&str> = engine.roots().collect();
    let workspace = roots.join(", ");
    let identity = Identity::from_environment(environment);
    if verb.stop {
        return Ok(match stop(&place, &identity)? {
            Some(process) => format!("ended the background process {process} of {workspace}"),
            None => format!("no background process for {workspace}"),
        });
    }
    let mut replaced = String::new();
    match request(&place, identity.clone(), Asked::Describe) {
        Some((_, Taken::Yes { process })) => {
            return Ok(format!("process {process} already serves {workspace}"));
        }
        Some((_, Taken::No { why })) => {
            stop(&place, &identity)?;
            replaced = format!("; it replaces an older one: {why}");
        }
        None => {}
    }
    let process = start(&place, &roots, verb.idle, environment)?;
    let idle = verb.idle;
    Ok(format!(
        "process {process} serves {workspace} in the background{replaced}; it ends after {idle} s without a question, or \
         with `treegraft serve --background --stop`"
    ))
}

/// Starts this program again as the background process, in a session of its own, and waits until it listens. Returns the
/// number of the process, which may be one that was started at the same time.
pub(super) fn start(
    place: &Place,
    roots: &[&str],
    idle: u64,
    environment: &Environment,
) -> Result<u32, String> {
    let program = environment.program.as_ref();
    let program = program.ok_or("the system does not report the path of the program")?;
    let mut command = Command::new(program);
    for root in roots {
        command.args(["--root", root]);
    }
    let idle = idle.to_string();
    command
        .args(["serve", "--background", "--here", "--idle", &idle])
        .current_dir(roots[0])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = command.spawn();
    let mut started = started.map_err(|error| format!("cannot start `{program}`: {error}"))?;
    let identity = Identity::from_environment(environment);
    let deadline = Instant::now() + STARTS_WITHIN;
    loop {
        // It ends in order if another one was started at the same time.
        let ended = started.try_wait().ok().flatten();
        let has_failed = ended.is_some_and(|status| !status.success());
        match request(place, identity.clone(), Asked::Describe) {
            Some((_, Taken::Yes { process })) => return Ok(process),
            Some((_, Taken::No { why })) => return Err(format!("cannot use the process: {why}")),
            None if has_failed || Instant::now() >= deadline => {
                let socket = place.socket();
                return Err(format!(
                    "the background process does not listen at `{socket}`; a path may have 100 bytes: set XDG_STATE_HOME \
                     to a shorter one if it is longer"
                ));
            }
            None => thread::sleep(STEP),
        }
    }
}

/// Ends the process. Returns its number; `None` if there is none.
fn stop(place: &Place, identity: &Identity) -> Result<Option<u32>, String> {
    let Some((_, Taken::Yes { process })) = request(place, identity.clone(), Asked::Stop) else {
        return Ok(None);
    };
    let deadline = Instant::now() + STARTS_WITHIN;
    // The process has ended when the lock is free, and its language servers have ended before that.
    while matches!(place.lock(), Ok(None)) {
        if Instant::now() >= deadline {
            return Err(format!("the process {process} does not end"));
        }
        thread::sleep(STEP);
    }
    Ok(Some(process))
}

/// What the process waits for.
enum Event {
    Connected(UnixStream),
    Answered,
    Stop,
}

/// The background process.
struct Process {
    identity: Identity,
    roots: Vec<Utf8PathBuf>,
    /// Has the language servers. Each call has an engine of its own, as on the command line: it reads the settings of
    /// the repository again.
    engine: Engine,
    /// The number of requests that are being answered.
    busy: AtomicUsize,
}

/// Runs as the background process until it is not used for long.
///
/// # Errors
/// The socket cannot be created.
pub(in crate::cli) fn process(
    engine: Engine,
    verb: &ServeVerb,
    environment: &Environment,
) -> Result<(), String> {
    // Fails only for the leader of a process group, which has a session of its own or was started by hand.
    let _ = rustix::process::setsid();
    let place = Place::for_roots(engine.roots()).map_err(|error| error.to_string())?;
    let Some(lock) = lock(&place)? else {
        // Another process was started at the same time.
        return Ok(());
    };
    let listener = place.listen(&lock).map_err(|error| error.to_string())?;
    let process = Arc::new(Process {
        identity: Identity::from_environment(environment),
        roots: engine.roots().map(Utf8PathBuf::from).collect(),
        engine,
        busy: AtomicUsize::new(0),
    });
    let (sender, events) = channel();
    accept(listener, sender.clone());
    stop_at_signals(sender.clone());
    let idle = Duration::from_secs(verb.idle);
    let mut used = Instant::now();
    loop {
        match events.recv_timeout(CHECKED_EVERY.min(idle)) {
            Ok(Event::Connected(stream)) => {
                used = Instant::now();
                process.busy.fetch_add(1, Ordering::SeqCst);
                let (process, sender) = (process.clone(), sender.clone());
                thread::spawn(move || {
                    // The client is gone if it cannot be answered.
                    let event = process.answer(&stream).unwrap_or(Event::Answered);
                    process.busy.fetch_sub(1, Ordering::SeqCst);
                    let _ = sender.send(event);
                });
            }
            Ok(Event::Answered) => used = Instant::now(),
            Ok(Event::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let is_idle = process.busy.load(Ordering::SeqCst) == 0 && used.elapsed() >= idle;
                if is_idle || !place.exists() || !crate::user_files::exists(&process.roots[0]) {
                    break;
                }
            }
        }
    }
    // No new question is accepted while the servers end.
    place.close();
    process.engine.stop_servers();
    drop(lock);
    Ok(())
}

/// Takes the lock of a place, and waits for a process that is about to end. Returns `None` if another process listens.
fn lock(place: &Place) -> Result<Option<Lock>, String> {
    let deadline = Instant::now() + STARTS_WITHIN;
    loop {
        if let Some(lock) = place.lock().map_err(|error| error.to_string())? {
            return Ok(Some(lock));
        }
        if place.connect().is_ok() || Instant::now() >= deadline {
            return Ok(None);
        }
        thread::sleep(STEP);
    }
}

/// Accepts connections in a thread, which ends with the process.
fn accept(listener: UnixListener, sender: Sender<Event>) {
    thread::spawn(move || {
        for stream in listener.incoming() {
            match stream {
                Ok(stream) => {
                    if sender.send(Event::Connected(stream)).is_err() {
                        break;
                    }
                }
                // Too many open files, for example.
                Err(_) => thread::sleep(STEP),
            }
        }
    });
}

/// Ends the process in order if the system asks it to end.
fn stop_at_signals(sender: Sender<Event>) {
    use tokio::signal::unix::{SignalKind, signal};
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            if let Ok(mut terminate) = signal(SignalKind::terminate()) {
                terminate.recv().await;
                let _ = sender.send(Event::Stop);
            }
        });
    });
}

impl Process {
    /// Answers one request.
    fn answer(&self, stream: &UnixStream) -> std::io::Result<Event> {
        let mut input = BufReader::new(stream.try_clone()?);
        let process = std::process::id();
        let Some(request) = receive::<Value>(&mut input, Some(SENDS_WITHIN))? else {
            return Ok(Event::Answered);
        };
        let request: Request = match serde_json::from_value(request) {
            Ok(request) => request,
            Err(_) => {
                let why = "it is another build of treegraft".to_string();
                send(stream, &Taken::No { why })?;
                return Ok(Event::Answered);
            }
        };
        let difference = request.identity.difference(&self.identity);
        match (request.asked, difference) {
            (Asked::Stop, _) => {
                send(stream, &Taken::Yes { process })?;
                Ok(Event::Stop)
            }
            (_, Some(why)) => {
                let why = why.to_string();
                send(stream, &Taken::No { why })?;
                Ok(Event::Answered)
            }
            (Asked::Describe, None) => {
                send(stream, &Taken::Yes { process })?;
                Ok(Event::Answered)
            }
            (Asked::Call(call), None) => {
                send(stream, &Taken::Yes { process })?;
                let engine = self.engine_for(call.base.as_deref().map(Utf8Path::new));
                send(stream, &engine.map(|engine| made(&engine, call)))?;
                Ok(Event::Answered)
            }
        }
    }

    /// Opens the workspace for a call; `None` if that fails.
    fn engine_for(&self, base: Option<&Utf8Path>) -> Option<Engine> {
        let engine = Engine::open_for(Caller::Person, &self.roots, None::<&str>);
        let engine = engine.ok()?.with_servers_of(&self.engine);
        Some(match base {
            Some(base) => engine.relative_to(base),
            None => engine,
        })
    }
}

/// Makes a call, and returns the answer as the command line prints it.
fn made(engine: &Engine, call: AskedCall) -> Answered {
    let roots: Vec<Utf8PathBuf> = call.named_roots.iter().map(Utf8PathBuf::from).collect();
    let command = |tool: &str, arguments: &Value| call_text::command(&roots, tool, arguments);
    let made = Call::read(&call.tool, call.arguments).and_then(|call| call.make(engine, &User));
    match made {
        Ok(answer) => Answered {
            is_refusal: false,
            json: answer.as_json(),
            text: answer.as_text_with(&command),
            exit_code: exit_code(answer.exit_status()),
        },
        Err(refusal) => Answered {
            is_refusal: true,
            json: serde_json::to_value(refusal.json()).unwrap_or_default(),
            text: refusal.text_with(&command),
            exit_code: exit_code(refusal.exit_status()),
        },
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    status as u8
}
