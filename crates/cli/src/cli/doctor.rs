//! `doctor`: checks the installation.
//!
//! Returns a list of checks, each with help if something is missing, and whether edits work at all.

mod servers;
mod started;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use treegraft::apply::journal;
use treegraft::engine::Engine;
use treegraft::engine::response::{Answer, CallText, EditStatus};
use treegraft::language;
use treegraft::workspace::{Caller, FileKind, StateDirectory, StateError, Workspace};

use super::Environment;
use super::clients::{CLIENTS, ConfigDirs, ConfigScope, McpClient, SERVER_NAME, Scope};
use super::install::files::{ClientFile, first_word, of_client};
use crate::user_files;
use servers::CheckedServer;
use started::Started;

/// The answer to `doctor`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Diagnosis {
    /// Whether everything works that every edit needs.
    pub(super) works: bool,
    /// The checks.
    checks: Vec<DoctorCheck>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DoctorCheck {
    /// What was checked.
    name: &'static str,
    /// The result.
    state: State,
    /// The result in one sentence.
    found: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    /// The language server that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<CheckedServer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum State {
    /// It works.
    Works,
    /// Something optional is missing; every edit works without it.
    Lacks,
    /// Something required is missing; no edit works without it.
    Missing,
}

/// Runs all checks. `roots` are the roots of `--root`; `terminal` describes standard output.
pub(super) fn doctor(
    roots: &[Utf8PathBuf],
    environment: &Environment,
    terminal: String,
) -> Diagnosis {
    let mut checks = vec![program(environment)];
    let (roots, how) = match roots {
        [] => found_root(&environment.current),
        named => (named.to_vec(), "set by --root".to_string()),
    };
    let state = StateDirectory::default_path();
    checks.push(state_directory(&state));
    checks.extend(state.as_ref().ok().and_then(|path| replacement(path)));
    checks.extend(in_roots(&roots, &how, &state));
    checks.extend(servers::servers(&roots));
    checks.extend(clients(&roots, environment));
    checks.push(works("terminal", terminal));
    Diagnosis {
        works: checks.iter().all(|check| check.state != State::Missing),
        checks,
    }
}

fn works(name: &'static str, found: impl Into<String>) -> DoctorCheck {
    DoctorCheck {
        name,
        state: State::Works,
        found: found.into(),
        help: None,
        server: None,
    }
}

fn without(name: &'static str, state: State, found: String, help: &str) -> DoctorCheck {
    DoctorCheck {
        name,
        state,
        found,
        help: Some(help.to_string()),
        server: None,
    }
}

fn program(environment: &Environment) -> DoctorCheck {
    let version = env!("CARGO_PKG_VERSION");
    match &environment.program {
        Some(path) => works("program", format!("treegraft {version}, {path}")),
        None => without(
            "program",
            State::Lacks,
            format!("treegraft {version}; the system does not report its path"),
            "add the path to client configurations by hand; install cannot",
        ),
    }
}

/// Returns the default root, and why it is the default.
fn found_root(current: &Utf8Path) -> (Vec<Utf8PathBuf>, String) {
    let root = Workspace::discover(current);
    let how = match Workspace::mark_of(&root) {
        Some(mark) => format!("the nearest directory upward with {mark}"),
        None => "the current directory; no directory upward has .git or treegraft.toml".to_string(),
    };
    (vec![root], how)
}

fn state_directory(path: &Result<Utf8PathBuf, StateError>) -> DoctorCheck {
    let opened = path
        .as_ref()
        .map_err(|error| error.to_string())
        .and_then(|path| StateDirectory::open(path).map_err(|error| error.to_string()));
    match opened {
        Ok(state) => works("state", format!("{} exists", state.path())),
        Err(error) => without("state", State::Missing, error, STATE_HELP),
    }
}

const STATE_HELP: &str = "set XDG_STATE_HOME to a writable directory";

/// Tries to replace a file atomically, as every edit does.
fn replacement(path: &Utf8Path) -> Option<DoctorCheck> {
    let state = StateDirectory::open(path).ok()?;
    Some(match state.try_replacing() {
        Ok(true) => works("replace", "files are replaced atomically"),
        Ok(false) => without(
            "replace",
            State::Missing,
            "a replaced file still has its old bytes".to_string(),
            "set XDG_STATE_HOME to a directory on another file system",
        ),
        Err(error) => without("replace", State::Missing, error.to_string(), STATE_HELP),
    })
}

/// Runs the checks that need open roots.
fn in_roots(
    roots: &[Utf8PathBuf],
    how: &str,
    state: &Result<Utf8PathBuf, StateError>,
) -> Vec<DoctorCheck> {
    let opened = state.as_ref().ok().and_then(|path| {
        let state = StateDirectory::open(path).ok()?;
        Some(Workspace::open(roots, state))
    });
    let workspace = match opened {
        // The check of the state directory reports this.
        None => return vec![],
        Some(Err(error)) => {
            let help = "pass an existing directory with --root";
            return vec![without("roots", State::Missing, error.to_string(), help)];
        }
        Some(Ok(workspace)) => workspace,
    };
    let names: Vec<&str> = workspace.roots().map(Utf8Path::as_str).collect();
    let mut checks = vec![works("roots", format!("{}: {how}", names.join(", ")))];
    for (root, settings) in workspace.settings() {
        let path = root.join("treegraft.toml");
        checks.push(works("settings", format!("{path}: {settings}")));
    }
    for error in workspace.settings_errors() {
        let help = "fix the file: it is ignored until then";
        checks.push(without("settings", State::Lacks, error.to_string(), help));
    }
    checks.extend(approval(roots, workspace.state()));
    checks.push(edits(roots));
    checks.push(interrupted(&workspace));
    checks.push(languages(&workspace));
    checks.extend(grammars());
    checks
}

/// Reports whether a configuration file requires approval of the edits of agents.
fn approval(roots: &[Utf8PathBuf], state: &StateDirectory) -> Option<DoctorCheck> {
    let state = StateDirectory::open(state.path()).ok()?;
    let agent = Caller::Agent { stage_only: false };
    let why = Workspace::open_for(agent, roots, state)
        .ok()?
        .approval_required()?;
    Some(works("approval", format!("agents only stage edits: {why}")))
}

/// Counts the staged edits. Opening the engine completes or reverts edits that crashed processes
/// left.
fn edits(roots: &[Utf8PathBuf]) -> DoctorCheck {
    let listed = Engine::open(roots, None::<&str>)
        .map_err(|error| error.to_string())
        .and_then(|engine| {
            let listed = engine.list_edits(&Default::default());
            listed.map_err(|refusal| refusal.message().to_string())
        });
    match listed {
        Ok(listed) => {
            let waiting = listed.edits.iter();
            let waiting = waiting.filter(|edit| edit.status != EditStatus::Applied);
            works("edits", format!("{} staged", waiting.count()))
        }
        Err(error) => without("edits", State::Missing, error, STATE_HELP),
    }
}

fn interrupted(workspace: &Workspace) -> DoctorCheck {
    match journal::left(workspace.state()) {
        Ok(0) => works("journal", "no interrupted edits"),
        Ok(left) => without(
            "journal",
            State::Lacks,
            format!("{left} interrupted edits cannot be completed or reverted"),
            "run `treegraft list` for the reasons; each call retries",
        ),
        Err(error) => without("journal", State::Missing, error.to_string(), STATE_HELP),
    }
}

fn languages(workspace: &Workspace) -> DoctorCheck {
    const SHOWN: usize = 5;
    let known = language::all().filter(|language| language.grammar().is_some());
    let known = format!("{} with grammars", known.count());
    let mut plain: Vec<(usize, String)> = plain_extensions(workspace)
        .into_iter()
        .map(|(extension, count)| (count, extension))
        .collect();
    plain.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    if plain.is_empty() {
        return works(
            "languages",
            format!("{known}; every file here is in one of them"),
        );
    }
    let shown = plain.iter().take(SHOWN);
    let shown: Vec<String> = shown
        .map(|(count, extension)| format!(".{extension} ({count})"))
        .collect();
    let more = match plain.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let found = format!("{known}; plain text here: {}{more}", shown.join(", "));
    let help =
        "plain text can be edited by line and paragraph; `treegraft languages` lists the languages";
    without("languages", State::Lacks, found, help)
}

/// Loads the grammars that the user added, if there are any.
fn grammars() -> Option<DoctorCheck> {
    let mut added: Vec<_> = language::all().filter(|one| one.is_added()).collect();
    added.sort_by_key(|language| language.name);
    let broken = added.iter().find_map(|one| Some((one, one.load_error()?)));
    if let Some((language, error)) = broken {
        let help = error.help.clone().unwrap_or_default();
        let found = format!("{}: {error}", language.name);
        return Some(without("grammars", State::Lacks, found, &help));
    }
    let names: Vec<&str> = added.iter().map(|language| language.name).collect();
    let found = format!("added by you: {}", names.join(", "));
    (!names.is_empty()).then(|| works("grammars", found))
}

/// Counts the files without a grammar, by extension. Examines 10,000 names, and skips hidden
/// directories and caches.
fn plain_extensions(workspace: &Workspace) -> BTreeMap<String, usize> {
    const LOOKED_AT: usize = 10_000;
    let mut left = LOOKED_AT;
    let mut plain = BTreeMap::new();
    let mut open: VecDeque<Utf8PathBuf> = workspace.roots().map(Utf8Path::to_owned).collect();
    while let Some(folder) = open.pop_front() {
        let listing = workspace
            .resolve(folder.as_str())
            .and_then(|path| workspace.list(&path, left));
        let Ok(listing) = listing else { continue };
        left -= listing.entries.len().min(left);
        // Programs can recreate the content of a cache (https://bford.info/cachedir/).
        if listing
            .entries
            .iter()
            .any(|entry| entry.name == "CACHEDIR.TAG")
        {
            continue;
        }
        for entry in listing.entries {
            let path = folder.join(&entry.name);
            match entry.kind {
                FileKind::Directory if !entry.name.starts_with('.') => open.push_back(path),
                FileKind::File if workspace.language_of(&path).is_none() => {
                    let extension = path.extension().map(str::to_lowercase);
                    *plain.entry(extension.unwrap_or_default()).or_default() += 1;
                }
                _ => {}
            }
        }
        if left == 0 {
            break;
        }
    }
    // The language of a file without an extension depends on its first line, which is not read here.
    plain.remove("");
    plain
}

/// Starts what each client is configured to start.
fn clients(roots: &[Utf8PathBuf], environment: &Environment) -> Vec<DoctorCheck> {
    const HELP: &str = "run `treegraft client install CLIENT` to configure a client";
    let Some(dirs) = ConfigDirs::of_user(environment.variable) else {
        let found = "no home directory found".to_string();
        let help = "set HOME to a directory";
        return vec![without("clients", State::Lacks, found, help)];
    };
    let project = roots.first().map_or(Utf8Path::new(""), |root| root);
    // A root that cannot be opened is reported by another check.
    let directory = match user_files::exists(project) {
        true => project,
        false => &environment.current,
    };
    let mut checks = Vec::new();
    let mut seen = BTreeSet::new();
    for client in &CLIENTS {
        for (scope, place) in [
            (ConfigScope::User, Scope::User(&dirs)),
            (ConfigScope::Project, Scope::Project(project)),
        ] {
            let own = environment.program.as_deref();
            let started = Place {
                client,
                scope,
                own,
                directory,
            };
            for file in of_client(client, place) {
                // The home directory may be the project.
                if seen.insert(file.path.clone()) {
                    checks.extend(started.checks(&file));
                }
            }
        }
    }
    if checks.is_empty() {
        checks.push(without(
            "clients",
            State::Lacks,
            "none configured".to_string(),
            HELP,
        ));
    }
    checks
}

/// A client and a scope of its files.
struct Place<'a> {
    client: &'static McpClient,
    scope: ConfigScope,
    /// The path of this program.
    own: Option<&'a Utf8Path>,
    /// Where the client starts what it is configured to start.
    directory: &'a Utf8Path,
}

impl Place<'_> {
    fn checks(&self, file: &ClientFile) -> Vec<DoctorCheck> {
        let Ok(bytes) = user_files::read(&file.path) else {
            return vec![];
        };
        let text = String::from_utf8_lossy(&bytes);
        let content = match file.content(&text, SERVER_NAME) {
            Ok(content) => content,
            Err(error) => {
                let found = format!("cannot read {}: {error}", file.path);
                let help = "fix the file: the client may not read it either";
                return vec![without("clients", State::Lacks, found, help)];
            }
        };
        let mut checks = Vec::new();
        if let Some(words) = &content.server {
            let started = started::server(words, self.scope, self.own, self.directory);
            checks.push(self.check("server", &words.join(" "), started, ""));
        }
        let mut commands: Vec<&str> = content.hooks.iter().map(|hook| &*hook.command).collect();
        commands.sort_unstable();
        commands.dedup();
        for command in commands {
            let Some((program, arguments)) = first_word(command) else {
                continue;
            };
            let arguments: Vec<&str> = arguments.split_whitespace().collect();
            let called = (program, &arguments[..]);
            let started = started::hook(called, self.scope, self.own, self.directory);
            checks.push(self.check("hook", command, started, " --no-server --hook"));
        }
        checks
    }

    fn check(&self, what: &str, command: &str, started: Started, options: &str) -> DoctorCheck {
        let (title, scope) = (self.client.title, self.scope.as_str());
        let about = format!("{title} ({scope}): {what} `{command}`");
        let is_project = if scope == "project" { " --project" } else { "" };
        let fix = format!(
            "treegraft client install {}{is_project}{options} --write",
            self.client.name
        );
        match started {
            Started::Works(found) => works("clients", format!("{about}: {found}")),
            Started::Skipped(why) => works("clients", format!("{about}, {why}")),
            Started::Fails(why) => {
                let help = match why.contains("on the PATH") {
                    true => "add the directory of treegraft to the PATH".to_string(),
                    false => format!("run `{fix}`"),
                };
                without("clients", State::Lacks, format!("{about}: {why}"), &help)
            }
        }
    }
}

impl Answer for Diagnosis {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        for check in &self.checks {
            let state = match check.state {
                State::Works => "works",
                State::Lacks => "lacks",
                State::Missing => "missing",
            };
            let _ = writeln!(text, "{state:<8}{:<10} {}", check.name, check.found);
            if let Some(help) = &check.help {
                let _ = writeln!(text, "{:<19}help: {help}", "");
            }
        }
        text.push_str(match self.works {
            true => "\nall required checks passed\n",
            false => "\na required check failed: treegraft cannot edit files here\n",
        });
        text
    }
}
