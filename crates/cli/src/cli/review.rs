//! Serves the review page, and opens it in the user's browser; or shows the edits in the terminal.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use treegraft::diagnostic::ExitStatus;
use treegraft::engine::Engine;
use treegraft::workspace::{StateDirectory, StateError};
use treegraft_loopback::{Error, Listening, asked_to_stop, new_token};
use treegraft_review::{Stop, link};

use super::args::ReviewVerb;
use super::print::{Printer, is_terminal_gone, terminal};
use super::{Environment, run_server, status};

/// How long a browser may take to read such a file.
const READ_WITHIN: Duration = Duration::from_secs(60);

/// How soon the process notices that its terminal is gone.
const NOTICES_WITHIN: Duration = Duration::from_millis(200);

/// How long the terminal may take to end when it is asked to.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// The program that opens a file in the user's browser.
const OPENER: &str = match () {
    () if cfg!(target_os = "macos") => "open",
    () if cfg!(windows) => "explorer",
    () => "xdg-open",
};

/// Serves the page until the process is asked to stop, or shows the edits in the terminal.
pub(super) fn review(
    printer: &Printer,
    engine: Engine,
    verb: &ReviewVerb,
    environment: &Environment,
) -> ExitCode {
    let engine = Arc::new(engine);
    if verb.terminal {
        if !printer.is_on_terminal() || !printer.has_keyboard() {
            printer.problem("--terminal needs a terminal: standard input or output is none");
            return status(ExitStatus::Environment);
        }
        let has_colors = printer.has_colors();
        return run_server(printer, engine.clone(), shown(engine, has_colors));
    }
    let opens = !verb.no_open && has_display(environment.variable);
    let serving = served(printer, engine.clone(), verb.port, opens);
    run_server(printer, engine, serving)
}

/// Shows the edits in the terminal until the person quits, the terminal is gone or the process is asked to stop.
async fn shown(engine: Arc<Engine>, has_colors: bool) -> io::Result<()> {
    let asked_to_stop = asked_to_stop()?;
    let stop = Stop::default();
    let asked = stop.clone();
    let mut screen = tokio::task::spawn_blocking(move || {
        treegraft_review::in_terminal(&engine, &asked, has_colors, terminal)
    });
    tokio::select! {
        done = &mut screen => return ended(done),
        () = asked_to_stop => stop.ask(),
        () = terminal_gone() => stop.ask(),
    }
    // A terminal that is gone may never answer.
    let done = tokio::time::timeout(ENDS_WITHIN, screen).await;
    done.map_or(Ok(()), ended)
}

/// Returns how the screen ended. Drawing fails on a terminal that is gone, maybe before that is noticed.
fn ended(done: Result<io::Result<()>, tokio::task::JoinError>) -> io::Result<()> {
    let done = done.unwrap_or_else(|error| Err(io::Error::other(error)));
    done.or_else(|error| match is_terminal_gone() {
        true => Ok(()),
        false => Err(error),
    })
}

/// Waits until the terminal is gone.
async fn terminal_gone() {
    while !is_terminal_gone() {
        tokio::time::sleep(NOTICES_WITHIN).await;
    }
}

async fn served(
    printer: &Printer,
    engine: Arc<Engine>,
    port: u16,
    opens: bool,
) -> Result<(), Error> {
    let listening = Listening::at(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
    let token = new_token()?;
    let link = link(listening.address(), &token);
    printer.message(&format!("reviewing at {link}\npress ctrl-c to stop"));
    let mut redirect = None;
    if opens {
        match Redirect::to(&link, listening.address()) {
            Ok(file) => {
                start_browser(&file.path);
                redirect = Some(file);
            }
            Err(error) => printer.message(&format!("cannot open the browser: {error}")),
        }
    }
    let serving = treegraft_review::serve(listening, engine, &token);
    let read = async {
        tokio::time::sleep(READ_WITHIN).await;
        drop(redirect);
        std::future::pending().await
    };
    tokio::select! {
        served = serving => served,
        () = read => Ok(()),
    }
}

/// A file that sends the browser to the page. Other users can read the arguments of a process, so the browser gets the
/// path of this file instead of the link. Only the user can read the file. Dropping the value removes it.
struct Redirect {
    state: StateDirectory,
    name: String,
    path: Utf8PathBuf,
}

impl Redirect {
    fn to(link: &str, address: SocketAddr) -> Result<Redirect, StateError> {
        let state = StateDirectory::open(&StateDirectory::default_path()?)?;
        let name = format!("open-{}.html", address.port());
        let page = format!(
            "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta http-equiv=\"refresh\" content=\"0; url={link}\">\n<title>treegraft review</title>\n\
             <a href=\"{link}\">Open the review page</a>\n"
        );
        let path = state.write_page(&name, &page, READ_WITHIN)?;
        Ok(Redirect { state, name, path })
    }
}

impl Drop for Redirect {
    fn drop(&mut self) {
        // The token in a file that cannot be removed is worth nothing once the server has stopped.
        let _ = self.state.remove_page(&self.name);
    }
}

/// Returns whether a browser can show a page here.
fn has_display(variable: fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    cfg!(any(target_os = "macos", windows)) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Starts the browser with a file. If that fails, the user still has the printed link.
#[expect(
    clippy::disallowed_methods,
    reason = "the user asked for the browser, and nothing from an agent is passed to it"
)]
fn start_browser(path: &Utf8Path) {
    let started = Command::new(OPENER)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut started) = started {
        // Waits, so that the process does not stay as a zombie.
        std::thread::spawn(move || started.wait());
    }
}
