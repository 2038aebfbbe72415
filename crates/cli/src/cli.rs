//! The command line: the engine's verbs for people at a terminal.
//!
//! Takes parsed arguments, prints answers and returns the exit status. Decides nothing about
//! code.

mod args;
mod batch;
mod clients;
mod command;
mod configuration;
mod doctor;
mod edits;
mod install;
mod print;
mod selector;
mod shell;

use std::process::ExitCode;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use crate::mcp::http::Listening;
use crate::mcp::{self, ServeError};
use crate::user_files;
use treegraft::diagnostic::{ExitStatus, about_arguments};
use treegraft::engine::request::ListEdits;
use treegraft::engine::response::{Answer, EditList, EditListed, EditStatus, Refusal};
use treegraft::engine::watch::Watch;
use treegraft::engine::{Engine, EngineError};
use treegraft::workspace::Workspace;

pub use args::Arguments;
use args::{ApplyVerb, EditVerb, ManVerb, ServeVerb, Verb, WorkspaceVerb};
use print::Printer;

/// The pager for long diffs without `PAGER`: it exits by itself where everything fits on the screen.
const DEFAULT_PAGER: &str = "less -FRX";
/// How many calls a server handles concurrently.
const CALLS_AT_ONCE: usize = 64;

/// The environment of a process.
#[derive(Debug)]
pub struct Environment {
    /// The working directory.
    pub current: Utf8PathBuf,
    /// The path of the program, if the system reports it.
    pub program: Option<Utf8PathBuf>,
    /// Reads an environment variable.
    pub variable: fn(&str) -> Option<String>,
}

/// Runs one command.
///
/// Answers go to standard output, refusals to standard error; with `--json` both are JSON on
/// standard output.
pub fn run(arguments: Arguments, environment: Environment) -> ExitCode {
    let pager = (!arguments.no_pager).then(|| {
        let named = (environment.variable)("PAGER");
        named.unwrap_or_else(|| DEFAULT_PAGER.to_string())
    });
    let roots = arguments.root;
    let printer = Printer::new(arguments.color, arguments.json, pager, roots.clone());
    match arguments.verb {
        Verb::Languages => answer(&printer, Ok(Engine::languages())),
        Verb::NodeTypes(verb) => answer(&printer, Engine::node_types(&verb.language)),
        Verb::Install(mut verb) => {
            verb.root = roots;
            match verb.client {
                Some(_) => answer(&printer, install::install(&verb, &environment)),
                None => answer(&printer, install::clients(&verb, &environment)),
            }
        }
        Verb::Doctor => {
            let diagnosis = doctor::doctor(&roots, &environment, printer.terminal());
            printer.answer(&diagnosis);
            status(match diagnosis.works {
                true => ExitStatus::Done,
                false => ExitStatus::Environment,
            })
        }
        Verb::ShellCompletions(verb) => {
            printer.bytes(&command::completions(verb.shell));
            status(ExitStatus::Done)
        }
        Verb::Man(verb) => man(&printer, &verb),
        Verb::Workspace(verb) => match open(&printer, &roots, &verb, &environment.current) {
            Some(engine) => in_workspace(&printer, engine, *verb),
            None => status(ExitStatus::Environment),
        },
    }
}

/// Opens the engine over the roots, or over the workspace that `current` is in. Prints why it cannot be opened.
fn open(
    printer: &Printer,
    roots: &[Utf8PathBuf],
    verb: &WorkspaceVerb,
    current: &Utf8Path,
) -> Option<Engine> {
    let is_discovered = roots.is_empty();
    let roots = match is_discovered {
        true => vec![Workspace::discover(current)],
        false => roots.to_vec(),
    };
    let engine = match Engine::open(&roots, None) {
        Ok(engine) => engine,
        Err(error) => {
            let help = match &error {
                EngineError::Workspace(_) => "name a directory with --root",
                EngineError::State(_) => "set XDG_STATE_HOME to a directory that can be written",
            };
            printer.problem(&format!("{error}\n\nhelp: {help}"));
            return None;
        }
    };
    for error in engine.not_understood() {
        printer.said(&format!("warning: {error}; nothing of that file counts"));
    }
    // Without --root, relative paths on the command line start from the working directory. The calls of a batch or of
    // an MCP client are about the workspace, wherever in it the program was started.
    let is_relative_to_root = matches!(verb, WorkspaceVerb::Batch(_) | WorkspaceVerb::Serve(_));
    Some(match is_discovered && !is_relative_to_root {
        true => engine.relative_to(current),
        false => engine,
    })
}

fn in_workspace(printer: &Printer, engine: Engine, verb: WorkspaceVerb) -> ExitCode {
    let calls = Calls {
        printer,
        engine: &engine,
    };
    match verb {
        WorkspaceVerb::Outline(verb) => calls.watching("files", verb.request(), Engine::outline),
        WorkspaceVerb::Find(verb) => calls.watching("files", verb.request(), Engine::find_nodes),
        WorkspaceVerb::Locate(verb) => calls.answer(verb.request(), Engine::locate),
        WorkspaceVerb::Describe(verb) => calls.answer(verb.request(), Engine::describe),
        WorkspaceVerb::Def(verb) => calls.waiting(verb.request(), Engine::goto_definition),
        WorkspaceVerb::Refs(verb) => calls.waiting(verb.request(), Engine::find_references),
        WorkspaceVerb::Hover(verb) => calls.waiting(verb.request(), Engine::hover),
        WorkspaceVerb::Check(verb) => calls.waiting(Ok(verb.request()), Engine::diagnostics),
        WorkspaceVerb::Symbols(verb) => {
            calls.waiting(Ok(verb.request()), Engine::workspace_symbols)
        }
        WorkspaceVerb::Rename(verb) => calls.waiting(verb.request(), Engine::rename_symbol),
        WorkspaceVerb::Actions(verb) => calls.waiting(verb.request(), Engine::code_actions),
        WorkspaceVerb::Format(verb) => calls.waiting(Ok(verb.request()), Engine::format),
        WorkspaceVerb::Complete(verb) => calls.waiting(verb.request(), Engine::completions),
        WorkspaceVerb::Signature(verb) => calls.waiting(verb.request(), Engine::signature_help),
        WorkspaceVerb::Read(verb) => calls.answer(verb.request(calls.engine), Engine::read_node),
        WorkspaceVerb::Replace(verb) => {
            calls.answer(verb.request(calls.engine), Engine::replace_node)
        }
        WorkspaceVerb::ReplaceText(verb) => calls.answer(verb.request(), Engine::replace_text),
        WorkspaceVerb::Wrap(verb) => calls.answer(verb.request(calls.engine), Engine::wrap_node),
        WorkspaceVerb::Move(verb) => calls.answer(verb.request(calls.engine), Engine::move_node),
        WorkspaceVerb::Insert(verb) => {
            calls.answer(verb.request(calls.engine), Engine::insert_node)
        }
        WorkspaceVerb::Delete(verb) => {
            calls.answer(verb.request(calls.engine), Engine::delete_node)
        }
        WorkspaceVerb::Edit(verb) => calls.answer(verb.request(), Engine::edit_nodes),
        WorkspaceVerb::Batch(verb) => batch::batch(printer, &engine, &verb),
        WorkspaceVerb::Undo(verb) => calls.answer(Ok(verb.request()), Engine::undo_edit),
        WorkspaceVerb::Apply(verb) => apply(printer, &engine, verb),
        WorkspaceVerb::Discard(verb) => calls.answer(Ok(verb.request()), Engine::discard_edit),
        WorkspaceVerb::Retarget(verb) => {
            calls.answer(verb.request(calls.engine), Engine::retarget_edit)
        }
        WorkspaceVerb::Edits => match engine.list_edits(&Default::default()) {
            Ok(list) => {
                printer.edits(&list);
                status(ExitStatus::Done)
            }
            Err(refusal) => answer::<EditList>(printer, Err(refusal)),
        },
        WorkspaceVerb::Show(verb) => calls.answer(Ok(verb.request()), Engine::list_edits),
        WorkspaceVerb::Stats(verb) => answer(printer, engine.stats(verb.since)),
        WorkspaceVerb::Serve(verb) => serve(printer, engine, &verb),
    }
}

/// Makes one call to the engine and prints its answer.
struct Calls<'a> {
    printer: &'a Printer,
    engine: &'a Engine,
}

impl Calls<'_> {
    fn answer<R, A: Answer + Serialize>(
        &self,
        request: Result<R, Box<Refusal>>,
        call: impl FnOnce(&Engine, &R) -> Result<A, Box<Refusal>>,
    ) -> ExitCode {
        let answered = request.and_then(|request| call(self.engine, &request));
        answer(self.printer, answered)
    }

    /// The same for a call that waits for a language server.
    fn waiting<R, A: Answer + Serialize>(
        &self,
        request: Result<R, Box<Refusal>>,
        call: impl FnOnce(&Engine, &R) -> Result<A, Box<Refusal>>,
    ) -> ExitCode {
        self.answer(request, |engine, request| {
            self.printer.waiting(|| call(engine, request))
        })
    }

    /// The same for a call that shows how many `things` it is done with.
    fn watching<R, A: Answer + Serialize>(
        &self,
        things: &'static str,
        request: R,
        call: impl FnOnce(&Engine, &R, &dyn Watch) -> Result<A, Box<Refusal>>,
    ) -> ExitCode {
        let printer = self.printer;
        let answered = printer.watching(things, |watch| call(self.engine, &request, watch));
        answer(printer, answered)
    }
}

fn apply(printer: &Printer, engine: &Engine, verb: ApplyVerb) -> ExitCode {
    let consent = match verb.yes {
        true => Consent::NotAsked,
        false => ask_consent(printer, engine, &verb.edit),
    };
    if consent == Consent::Refused {
        return status(ExitStatus::Refused);
    }
    let mut applied = engine.apply_edit(&verb.edit.request());
    if let (Consent::Given, Ok(made)) = (consent, &mut applied)
        && made.status == EditStatus::Applied
    {
        // The diff was shown with the question.
        made.files.iter_mut().for_each(|file| file.diff.clear());
    }
    answer(printer, applied)
}

fn answer<A: Answer + Serialize>(printer: &Printer, answer: Result<A, Box<Refusal>>) -> ExitCode {
    match answer {
        Ok(answer) => {
            printer.answer(&answer);
            let failure = answer.failure();
            status(failure.map_or(ExitStatus::Done, |code| code.exit_status()))
        }
        Err(refusal) => {
            printer.refusal(&refusal);
            status(refusal.exit_status())
        }
    }
}

/// Whether the user consents to an edit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Consent {
    NotAsked,
    Given,
    Refused,
}

/// Shows what an edit would write, and asks for consent. Does not ask without a terminal or where there is nothing to
/// write: the engine then reports why.
fn ask_consent(printer: &Printer, engine: &Engine, verb: &EditVerb) -> Consent {
    if !printer.can_ask() {
        return Consent::NotAsked;
    }
    let request = ListEdits {
        edit_id: Some(verb.edit_id.clone()),
    };
    let Ok(list) = engine.list_edits(&request) else {
        return Consent::NotAsked;
    };
    let is_previewed = |edit: &EditListed| edit.status == EditStatus::Previewed;
    if !list.edits.iter().all(is_previewed) {
        return Consent::NotAsked;
    }
    printer.answer(&list);
    if printer.ask("\nwrite this?") {
        return Consent::Given;
    }
    printer.said(&format!("not written; it waits as {}", verb.edit_id));
    Consent::Refused
}

fn man(printer: &Printer, verb: &ManVerb) -> ExitCode {
    let done = match &verb.directory {
        None => command::page().map(|page| printer.bytes(&page)),
        Some(directory) => command::write_pages(directory).map(|pages| printer.answer(&pages)),
    };
    match done {
        Ok(()) => status(ExitStatus::Done),
        Err(error) => {
            printer.problem(&format!("the pages cannot be written: {error}"));
            status(ExitStatus::Environment)
        }
    }
}

fn serve(printer: &Printer, engine: Engine, verb: &ServeVerb) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(CALLS_AT_ONCE)
        .enable_all()
        .build();
    let served = match runtime {
        Ok(runtime) => {
            let engine = Arc::new(engine);
            let served = runtime.block_on(served(printer, engine.clone(), verb));
            // A thread may still wait for standard input; it must not delay the shutdown.
            runtime.shutdown_background();
            // Nor may an unfinished call keep the servers that it started.
            engine.stop_servers();
            served.map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    };
    match served {
        Ok(()) => status(ExitStatus::Done),
        Err(error) => {
            printer.problem(&format!("the server stopped: {error}"));
            status(ExitStatus::Environment)
        }
    }
}

async fn served(
    printer: &Printer,
    engine: Arc<Engine>,
    verb: &ServeVerb,
) -> Result<(), ServeError> {
    let groups = verb.groups();
    let Some(address) = verb.http else {
        return mcp::serve(engine, &groups).await;
    };
    let listening = Listening::at(address).await?;
    let (token, made) = match &verb.token {
        Some(token) => (token.clone(), String::new()),
        None => {
            let token = mcp::http::new_token()?;
            let made = format!("\nauthorization: Bearer {token}");
            (token, made)
        }
    };
    printer.said(&format!("serving at {}{made}", listening.url()));
    listening.serve(engine, &groups, &token).await
}

fn status(status: ExitStatus) -> ExitCode {
    ExitCode::from(status as u8)
}

/// The content of an edit: given, from a file, or from standard input.
fn content(
    tool: &'static str,
    given: Option<&str>,
    file: Option<&Utf8PathBuf>,
) -> Result<String, Box<Refusal>> {
    let refused = |message: String| {
        let arguments = serde_json::Value::Null;
        Box::new(Refusal::of_call(tool, arguments, about_arguments(message)))
    };
    let read = match (given, file.map(|file| file.as_str())) {
        (Some("-"), _) | (_, Some("-")) => user_files::read_standard_input(),
        (Some(given), _) => return Ok(given.to_string()),
        (None, Some(file)) => user_files::read(file.into()),
        (None, None) => {
            return Err(refused(
                "give the content with --content or --content-file".to_string(),
            ));
        }
    };
    let bytes = read.map_err(|error| refused(format!("the content cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| refused("the content is not UTF-8".to_string()))
}
