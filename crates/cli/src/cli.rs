//! The command line: the engine's verbs for people at a terminal.
//!
//! Takes parsed arguments, prints answers and returns the exit code. Contains no logic about the
//! edited code.

mod args;
#[cfg(unix)]
mod background;
mod batch;
mod call;
mod call_text;
mod chosen;
mod clients;
mod command;
mod configuration;
mod doctor;
mod edits;
mod hook;
mod install;
mod interactive;
mod languages;
mod print;
#[cfg(feature = "review")]
mod review;
mod selector;
mod usage;

use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::mcp::http::Listening;
use crate::mcp::{self, ServeError};
use crate::user_languages::UserLanguages;
use treegraft::diagnostic::ExitStatus;
use treegraft::engine::response::AnyAnswer;
use treegraft::engine::response::{Answer, RefusedCall};
#[cfg(unix)]
use treegraft::engine::tools::ToolGroup;
use treegraft::engine::{Caller, Engine, EngineError};
use treegraft::workspace::Workspace;

pub use args::Arguments;
use args::{
    ClientVerb, GenerateVerb, InstallVerb, LanguageVerb, ManVerb, ServeVerb, UninstallVerb, Verb,
    WorkspaceVerb,
};
#[cfg(unix)]
use background::Made;
use call::PreparedCall;
use print::Printer;

/// The pager for long diffs if `PAGER` is not set. It exits by itself if the diff fits on the
/// screen.
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

/// Parses the words of a command line, from the name of the program on. Prints the help or an error and ends the process if
/// they are no command.
pub fn arguments(words: &[OsString]) -> Arguments {
    usage::parse(words)
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
        Verb::Languages(verb) => languages(&printer, verb.verb, &environment),
        Verb::Client(verb) => client(&printer, verb, roots, environment),
        Verb::Generate(GenerateVerb::Completions(verb)) => {
            printer.bytes(&command::completions(verb.shell));
            status(ExitStatus::Done)
        }
        Verb::Generate(GenerateVerb::Man(verb)) => man(&printer, &verb),
        Verb::Workspace(verb) => {
            register_languages(&printer, &environment);
            if let WorkspaceVerb::Batch(verb) = &*verb
                && verb.pure
            {
                return batch::pure(&printer, verb);
            }
            match open(&printer, &roots, &verb, &environment.current) {
                Some(engine) => in_workspace(&printer, engine, &verb, (&roots, &environment)),
                None => status(ExitStatus::Environment),
            }
        }
    }
}

/// Runs a verb that sets up clients.
fn client(
    printer: &Printer,
    verb: ClientVerb,
    root: Vec<Utf8PathBuf>,
    environment: Environment,
) -> ExitCode {
    match verb {
        ClientVerb::Install(verb) => install(printer, InstallVerb { root, ..verb }, &environment),
        ClientVerb::Uninstall(verb) => {
            let verb = UninstallVerb { root, ..verb };
            answer(printer, install::uninstall(&verb, &environment))
        }
        ClientVerb::Doctor => {
            register_languages(printer, &environment);
            doctor(printer, &root, &environment)
        }
        ClientVerb::Hook(verb) => {
            register_languages(printer, &environment);
            hook::hook(printer, &verb, environment.current)
        }
    }
}

/// Adds the languages of the user to the built-in ones. Prints a warning for each that is ignored.
fn register_languages(printer: &Printer, environment: &Environment) {
    let user = UserLanguages::of_user(environment.program.as_deref());
    for ignored in user.map_or(Vec::new(), |user| user.register()) {
        let (path, problem) = (ignored.path, ignored.problem);
        printer.message(&format!(
            "warning: {path}: {problem}; the language is ignored"
        ));
    }
}

/// Lists the languages, or adds, checks or removes one of the user's.
fn languages(printer: &Printer, verb: Option<LanguageVerb>, environment: &Environment) -> ExitCode {
    // The process only loads a library, in which nothing else may depend on it.
    if let Some(LanguageVerb::LoadGrammar(verb)) = &verb {
        printer.bytes(languages::report_load(verb).as_bytes());
        return status(ExitStatus::Done);
    }
    register_languages(printer, environment);
    match verb {
        Some(LanguageVerb::Add(verb)) => answer(printer, languages::add(&verb, environment)),
        Some(LanguageVerb::Remove(verb)) => {
            answer(printer, languages::remove(&verb.name, environment))
        }
        Some(LanguageVerb::Check(verb)) => answer(printer, languages::check(&verb, environment)),
        Some(LanguageVerb::NodeTypes(verb)) => answer(printer, Engine::node_types(&verb.language)),
        _ => answer(printer, Ok(Engine::languages())),
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
    let caller = match verb {
        WorkspaceVerb::Serve(verb) => Caller::Agent {
            stage_only: verb.stage_only,
        },
        _ => Caller::Person,
    };
    let engine = match Engine::open_for(caller, &roots, None::<&str>) {
        Ok(engine) => engine,
        Err(error) => {
            let help = match &error {
                EngineError::State(_) => "set XDG_STATE_HOME to a writable directory",
                _ => "pass an existing directory with --root",
            };
            printer.problem(&format!("{error}\n\nhelp: {help}"));
            return None;
        }
    };
    let engine = match verb {
        WorkspaceVerb::Serve(ServeVerb {
            max_memory: Some(bytes),
            ..
        }) => engine.with_max_memory(*bytes),
        _ => engine,
    };
    for error in engine.settings_errors() {
        printer.message(&format!("warning: {error}; the file is ignored"));
    }
    // Without --root, paths on the command line are relative to the working directory. Paths in the
    // calls of a batch or of an MCP client are relative to the root, wherever in the workspace the
    // program was started.
    let is_relative_to_root = match verb {
        WorkspaceVerb::Batch(_) | WorkspaceVerb::Serve(_) => true,
        #[cfg(feature = "review")]
        WorkspaceVerb::Review(_) => true,
        _ => false,
    };
    Some(match is_discovered && !is_relative_to_root {
        true => engine.relative_to(current),
        false => engine,
    })
}

/// Runs a verb that works on files.
fn in_workspace(
    printer: &Printer,
    engine: Engine,
    verb: &WorkspaceVerb,
    (roots, environment): (&[Utf8PathBuf], &Environment),
) -> ExitCode {
    match verb {
        WorkspaceVerb::Batch(verb) => batch::batch(printer, &engine, verb),
        WorkspaceVerb::Apply(verb) => chosen::apply(printer, &engine, verb),
        WorkspaceVerb::Discard(verb) => chosen::discard(printer, &engine, verb),
        WorkspaceVerb::List(verb) => chosen::list(printer, &engine, verb),
        WorkspaceVerb::Serve(verb) if verb.background => {
            in_background(printer, engine, verb, environment)
        }
        WorkspaceVerb::Serve(verb) => serve(printer, engine, verb),
        #[cfg(feature = "review")]
        WorkspaceVerb::Review(verb) => review::review(printer, engine, verb, environment),
        verb => {
            let from = CalledFrom {
                environment,
                roots,
                base: roots.is_empty().then_some(&*environment.current),
            };
            calls(printer, &engine, verb, &from)
        }
    }
}

/// The command line that makes a call.
struct CalledFrom<'a> {
    environment: &'a Environment,
    /// The roots of `--root`.
    roots: &'a [Utf8PathBuf],
    /// The directory that relative paths start at, if it is not the first root.
    base: Option<&'a Utf8Path>,
}

/// Makes the calls of a verb. Its status is that of the first call that fails.
fn calls(
    printer: &Printer,
    engine: &Engine,
    verb: &WorkspaceVerb,
    from: &CalledFrom<'_>,
) -> ExitCode {
    let prepared = match call::prepare(printer, engine, verb) {
        Ok(prepared) => prepared,
        Err(refusal) => return answer_any(printer, Err(refusal)),
    };
    let mut status = ExitCode::SUCCESS;
    for (index, one) in prepared.into_iter().enumerate() {
        if index > 0 {
            printer.separate();
        }
        let own = call(printer, engine, one, from);
        if status == ExitCode::SUCCESS {
            status = own;
        }
    }
    status
}

/// Makes a call, in the background process if it has the language servers of the workspace.
fn call(
    printer: &Printer,
    engine: &Engine,
    prepared: PreparedCall,
    from: &CalledFrom<'_>,
) -> ExitCode {
    #[cfg(unix)]
    if prepared.tool.group == ToolGroup::Server {
        let ask = || background::ask(engine, from, prepared.tool, &prepared.arguments);
        match printer.waiting(ask) {
            Made::Answered(answered) => {
                printer.answered(&answered);
                return ExitCode::from(answered.exit_code);
            }
            Made::Lost => {
                printer.problem(
                    "the background process ended during the call\n\n\
                     help: run `treegraft list` to see whether the edit was written",
                );
                return status(ExitStatus::Environment);
            }
            Made::NotStarted(why) => printer.message(&format!("warning: {why}")),
            Made::NotTaken => {}
        }
    }
    #[cfg(not(unix))]
    let _ = (from.environment, from.roots, from.base, &prepared.arguments);
    answer_any(printer, prepared.make(printer, engine))
}

/// Starts or ends the background process, or runs as it.
#[cfg(unix)]
fn in_background(
    printer: &Printer,
    engine: Engine,
    verb: &ServeVerb,
    environment: &Environment,
) -> ExitCode {
    let done = match verb.here {
        true => background::process(engine, verb, environment),
        false => {
            let done = background::background(&engine, verb, environment);
            done.map(|text| printer.bytes(format!("{text}\n").as_bytes()))
        }
    };
    match done {
        Ok(()) => status(ExitStatus::Done),
        Err(error) => {
            printer.problem(&error);
            status(ExitStatus::Environment)
        }
    }
}

#[cfg(not(unix))]
fn in_background(printer: &Printer, _: Engine, verb: &ServeVerb, _: &Environment) -> ExitCode {
    let _ = (verb.stop, verb.idle, verb.here);
    printer.problem(
        "a background process needs Unix sockets, which treegraft does not use on this system",
    );
    status(ExitStatus::Environment)
}

/// Prints an answer or a refusal.
fn answer<A: Answer>(printer: &Printer, answer: Result<A, Box<RefusedCall>>) -> ExitCode {
    answer_any(printer, answer.map(|answer| Box::new(answer) as _))
}

/// Prints the answer of any tool, or a refusal.
fn answer_any(printer: &Printer, answer: Result<Box<dyn AnyAnswer>, Box<RefusedCall>>) -> ExitCode {
    match answer {
        Ok(answer) => {
            printer.answer(&*answer);
            status(answer.exit_status())
        }
        Err(refusal) => {
            printer.refusal(&refusal);
            status(refusal.exit_status())
        }
    }
}

/// Lists the clients, or installs the server in one.
fn install(printer: &Printer, verb: InstallVerb, environment: &Environment) -> ExitCode {
    match verb.client {
        Some(_) => answer(printer, install::install(&verb, environment)),
        None => answer(printer, install::clients(&verb, environment)),
    }
}

/// Prints the checks of the installation.
fn doctor(printer: &Printer, roots: &[Utf8PathBuf], environment: &Environment) -> ExitCode {
    let diagnosis = doctor::doctor(roots, environment, printer.terminal());
    printer.answer(&diagnosis);
    status(match diagnosis.works {
        true => ExitStatus::Done,
        false => ExitStatus::Environment,
    })
}

/// Prints the manual, or writes its pages.
fn man(printer: &Printer, verb: &ManVerb) -> ExitCode {
    let done = match &verb.directory {
        None => command::page().map(|page| printer.bytes(&page)),
        Some(directory) => command::write_pages(directory).map(|pages| printer.answer(&pages)),
    };
    match done {
        Ok(()) => status(ExitStatus::Done),
        Err(error) => {
            printer.problem(&format!("cannot write the manual pages: {error}"));
            status(ExitStatus::Environment)
        }
    }
}

/// Serves the tools until the client disconnects or the process is asked to stop.
fn serve(printer: &Printer, engine: Engine, verb: &ServeVerb) -> ExitCode {
    let engine = Arc::new(engine);
    run_server(printer, engine.clone(), served(printer, engine, verb))
}

/// Runs a server of the engine to its end.
fn run_server<E: fmt::Display>(
    printer: &Printer,
    engine: Arc<Engine>,
    serving: impl Future<Output = Result<(), E>>,
) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .max_blocking_threads(CALLS_AT_ONCE)
        .enable_all()
        .build();
    let served = match runtime {
        Ok(runtime) => {
            let served = runtime.block_on(serving);
            // A thread may still wait for standard input; it must not delay the shutdown.
            runtime.shutdown_background();
            // Unfinished calls must not keep language servers running.
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
    let chosen = engine.tool_groups();
    let groups = match verb.tools.is_empty() {
        true => &chosen,
        false => &verb.tools,
    };
    let Some(address) = verb.http else {
        return mcp::serve(engine, groups).await;
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
    printer.message(&format!("serving at {}{made}", listening.url()));
    Ok(listening.serve(engine, groups, &token).await?)
}

fn status(status: ExitStatus) -> ExitCode {
    ExitCode::from(status as u8)
}
