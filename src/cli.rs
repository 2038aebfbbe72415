//! The command line: the same verbs as the engine's, with a person's manners.
//!
//! Comes in: parsed arguments. Goes out: what to print and the exit status. Decides nothing
//! about code.

mod args;
mod batch;
mod clients;
mod command;
mod configuration;
mod doctor;
mod edits;
mod install;
mod print;

use std::process::ExitCode;
use std::sync::Arc;

use camino::Utf8PathBuf;
use serde::Serialize;

use crate::diagnostic::{ExitStatus, about_arguments};
use crate::engine::request::ListEdits;
use crate::engine::response::{Answer, EditList, EditListed, EditStatus, Refusal};
use crate::engine::{Engine, EngineError};
use crate::mcp::http::Listening;
use crate::mcp::{self, ServeError};
use crate::workspace::{self, Workspace};

pub use args::Arguments;
use args::{EditVerb, ManVerb, ServeVerb, Verb, WorkspaceVerb};
use print::Printer;

/// What shows a long diff where the user names nothing: it ends by itself where all fits on the screen.
const DEFAULT_PAGER: &str = "less -FRX";
/// How many calls a server works on at once.
const CALLS_AT_ONCE: usize = 64;

/// What a process knows of itself.
#[derive(Debug)]
pub struct Started {
    /// The directory it was called in.
    pub current: Utf8PathBuf,
    /// The program, where the system tells.
    pub program: Option<Utf8PathBuf>,
    /// Reads a variable of the environment.
    pub variable: fn(&str) -> Option<String>,
}

/// Runs one command.
///
/// Answers go to standard output, refusals to standard error; with `--json` both are JSON on
/// standard output.
pub fn run(arguments: Arguments, started: Started) -> ExitCode {
    let pager = (!arguments.no_pager).then(|| {
        let named = (started.variable)("PAGER");
        named.unwrap_or_else(|| DEFAULT_PAGER.to_string())
    });
    let printer = Printer::new(
        arguments.color,
        arguments.json,
        pager,
        arguments.root.clone(),
    );
    let verb = match arguments.verb {
        Verb::Languages => return answer(&printer, Ok(Engine::languages())),
        Verb::NodeTypes(verb) => return answer(&printer, Engine::node_types(&verb.language)),
        Verb::Install(mut verb) => {
            verb.root = arguments.root;
            return match verb.client {
                Some(_) => answer(&printer, install::install(&verb, &started)),
                None => answer(&printer, install::clients(&verb, &started)),
            };
        }
        Verb::Doctor => {
            let terminal = printer.terminal();
            let diagnosis = doctor::doctor(&arguments.root, &started, terminal);
            printer.answer(&diagnosis);
            return status(match diagnosis.works {
                true => ExitStatus::Done,
                false => ExitStatus::Environment,
            });
        }
        Verb::ShellCompletions(verb) => {
            printer.bytes(&command::completions(verb.shell));
            return status(ExitStatus::Done);
        }
        Verb::Man(verb) => return man(&printer, &verb),
        Verb::Workspace(verb) => *verb,
    };
    let current = started.current;
    let roots = match arguments.root.is_empty() {
        true => vec![Workspace::discover(&current)],
        false => arguments.root.clone(),
    };
    let engine = match Engine::open(&roots, None) {
        Ok(engine) => engine,
        Err(error) => {
            let help = match &error {
                EngineError::Workspace(_) => "name a directory with --root",
                EngineError::State(_) => "set XDG_STATE_HOME to a directory that can be written",
            };
            printer.problem(&format!("{error}\n\nhelp: {help}"));
            return status(ExitStatus::Environment);
        }
    };
    for error in engine.not_understood() {
        printer.said(&format!("warning: {error}; nothing of that file counts"));
    }
    // Without --root a relative path is one from here, as everywhere on the command line. Calls of others
    // than the person are about the workspace, wherever the program is started in it.
    let is_relative_to_root = matches!(verb, WorkspaceVerb::Batch(_) | WorkspaceVerb::Serve(_));
    let engine = match arguments.root.is_empty() && !is_relative_to_root {
        true => engine.relative_to(&current),
        false => engine,
    };
    match verb {
        WorkspaceVerb::Outline(verb) => {
            let request = verb.request();
            let outlined = printer.watching("files", |watch| engine.outline(&request, watch));
            answer(&printer, outlined)
        }
        WorkspaceVerb::Find(verb) => {
            let request = verb.request();
            let found = printer.watching("files", |watch| engine.find_nodes(&request, watch));
            answer(&printer, found)
        }
        WorkspaceVerb::Locate(verb) => {
            answer(&printer, verb.request().and_then(|one| engine.locate(&one)))
        }
        WorkspaceVerb::Describe(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.describe(&one)),
        ),
        WorkspaceVerb::Def(verb) => answer(
            &printer,
            verb.request()
                .and_then(|one| printer.waiting(|| engine.goto_definition(&one))),
        ),
        WorkspaceVerb::Refs(verb) => answer(
            &printer,
            verb.request()
                .and_then(|one| printer.waiting(|| engine.find_references(&one))),
        ),
        WorkspaceVerb::Hover(verb) => answer(
            &printer,
            verb.request()
                .and_then(|one| printer.waiting(|| engine.hover(&one))),
        ),
        WorkspaceVerb::Check(verb) => {
            let request = verb.request();
            answer(&printer, printer.waiting(|| engine.diagnostics(&request)))
        }
        WorkspaceVerb::Symbols(verb) => {
            let request = verb.request();
            answer(
                &printer,
                printer.waiting(|| engine.workspace_symbols(&request)),
            )
        }
        WorkspaceVerb::Rename(verb) => answer(
            &printer,
            verb.request()
                .and_then(|one| printer.waiting(|| engine.rename_symbol(&one))),
        ),
        WorkspaceVerb::Actions(verb) => answer(
            &printer,
            verb.request()
                .and_then(|one| printer.waiting(|| engine.code_actions(&one))),
        ),
        WorkspaceVerb::Format(verb) => {
            let request = verb.request();
            answer(&printer, printer.waiting(|| engine.format(&request)))
        }
        WorkspaceVerb::Complete(verb) => answer(
            &printer,
            verb.request()
                .and_then(|one| printer.waiting(|| engine.completions(&one))),
        ),
        WorkspaceVerb::Signature(verb) => answer(
            &printer,
            verb.request()
                .and_then(|one| printer.waiting(|| engine.signature_help(&one))),
        ),
        WorkspaceVerb::Read(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.read_node(&one)),
        ),
        WorkspaceVerb::Replace(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.replace_node(&one)),
        ),
        WorkspaceVerb::ReplaceText(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.replace_text(&one)),
        ),
        WorkspaceVerb::Wrap(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.wrap_node(&one)),
        ),
        WorkspaceVerb::Move(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.move_node(&one)),
        ),
        WorkspaceVerb::Insert(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.insert_node(&one)),
        ),
        WorkspaceVerb::Delete(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.delete_node(&one)),
        ),
        WorkspaceVerb::Edit(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.edit_nodes(&one)),
        ),
        WorkspaceVerb::Batch(verb) => batch::batch(&printer, &engine, &verb),
        WorkspaceVerb::Undo(verb) => answer(&printer, engine.undo_edit(&verb.request())),
        WorkspaceVerb::Apply(verb) => {
            let agreed = match verb.yes {
                true => Agreed::Unasked,
                false => agreed(&printer, &engine, &verb.edit),
            };
            if agreed == Agreed::No {
                return status(ExitStatus::Refused);
            }
            let mut applied = engine.apply_edit(&verb.edit.request());
            if let (Agreed::Yes, Ok(made)) = (agreed, &mut applied)
                && made.status == EditStatus::Applied
            {
                // It has just been seen.
                made.files.iter_mut().for_each(|file| file.diff.clear());
            }
            answer(&printer, applied)
        }
        WorkspaceVerb::Discard(verb) => answer(&printer, engine.discard_edit(&verb.request())),
        WorkspaceVerb::Retarget(verb) => answer(
            &printer,
            verb.request().and_then(|one| engine.retarget_edit(&one)),
        ),
        WorkspaceVerb::Edits => match engine.list_edits(&Default::default()) {
            Ok(list) => {
                printer.edits(&list);
                status(ExitStatus::Done)
            }
            Err(refusal) => answer::<EditList>(&printer, Err(refusal)),
        },
        WorkspaceVerb::Show(verb) => answer(&printer, engine.list_edits(&verb.request())),
        WorkspaceVerb::Stats(verb) => answer(&printer, engine.stats(verb.since)),
        WorkspaceVerb::Serve(verb) => serve(&printer, engine, &verb),
    }
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

/// What a person says to an edit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agreed {
    Unasked,
    Yes,
    No,
}

/// Shows what an edit would write, and asks; where nobody can be asked, and where there is nothing to
/// write, it is for the engine to say.
fn agreed(printer: &Printer, engine: &Engine, verb: &EditVerb) -> Agreed {
    if !printer.can_ask() {
        return Agreed::Unasked;
    }
    let request = ListEdits {
        edit_id: Some(verb.edit_id.clone()),
    };
    let Ok(list) = engine.list_edits(&request) else {
        return Agreed::Unasked;
    };
    let waits = |edit: &EditListed| edit.status == EditStatus::Previewed;
    if !list.edits.iter().all(waits) {
        return Agreed::Unasked;
    }
    printer.answer(&list);
    if printer.ask("\nwrite this?") {
        return Agreed::Yes;
    }
    printer.said(&format!("not written; it waits as {}", verb.edit_id));
    Agreed::No
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
            // A thread may still wait for standard input; it must not hold up the end.
            runtime.shutdown_background();
            // Nor may a call that is not over yet keep what it has started.
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
        (Some("-"), _) | (_, Some("-")) => workspace::read_standard_input(),
        (Some(given), _) => return Ok(given.to_string()),
        (None, Some(file)) => workspace::read_named_by_user(file.into()),
        (None, None) => {
            return Err(refused(
                "give the content with --content or --content-file".to_string(),
            ));
        }
    };
    let bytes = read.map_err(|error| refused(format!("the content cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| refused("the content is not UTF-8".to_string()))
}
