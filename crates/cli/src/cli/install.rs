//! `install`: shows the configuration with which a client starts this program; `--write` adds it to
//! the client's configuration file.
//!
//! Returns the configuration file, the configuration to add, the diff, and whether it was written.
//! Refuses a file that does not parse, or that another program changes in the meantime.

use std::fmt::{Display, Write};
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::user_files;
use treegraft::diagnostic::{self, Code, Diagnostic, about_arguments};
use treegraft::engine::response::{Answer, CallText, RefusedCall};
use treegraft::language;
use treegraft::preview;
use treegraft::source::Source;
use treegraft::workspace::{FileError, Readers, StateDirectory, Workspace};

use super::Environment;
use super::args::InstallVerb;
use super::clients::{CLIENTS, ConfigDirs, ConfigScope, McpClient, SERVER_NAME};
use super::configuration::{ConfigChange, ServerEntry, merge};

/// The answer to `install` with a client.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Installation {
    /// The client.
    client: &'static str,
    /// The product name of the client.
    title: &'static str,
    /// The scope of the configuration: all projects of the user (`user`), or one project
    /// (`project`).
    scope: &'static str,
    /// The configuration file.
    file_path: String,
    /// The name of the server in the configuration.
    name: String,
    /// The key of the table of servers.
    servers: &'static str,
    /// The program that the client starts.
    command: String,
    /// Its arguments.
    args: Vec<String>,
    /// A complete configuration that contains only this server.
    configuration: String,
    /// The change to the file: `create` it, `add` the server, `replace` the server of the same
    /// name, or `nothing`.
    change: &'static str,
    /// The diff of the file.
    diff: String,
    /// Whether the change was written.
    written: bool,
    /// The call that writes the change.
    #[serde(skip)]
    call: Value,
}

/// The answer to `install` without a client.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Clients {
    /// The clients, in the order of the table.
    pub(super) clients: Vec<ClientListed>,
}

/// A client with one of its configuration files.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ClientListed {
    /// The client.
    pub(super) client: &'static str,
    /// The product name of the client.
    pub(super) title: &'static str,
    /// The scope of the configuration: all projects of the user (`user`), or one project
    /// (`project`).
    pub(super) scope: &'static str,
    /// The configuration file.
    pub(super) file_path: String,
    /// Whether the file exists.
    exists: bool,
    /// Whether the file contains a server with the name treegraft; absent if the file cannot be
    /// read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) configured: Option<bool>,
}

/// A configuration before and after the change.
struct Planned {
    before: Option<Vec<u8>>,
    after: String,
    change: ConfigChange,
    diff: String,
}

/// Adds the server to a client's configuration, or shows the change.
pub(super) fn install(
    verb: &InstallVerb,
    environment: &Environment,
) -> Result<Installation, Box<RefusedCall>> {
    let call = verb.call();
    install_inner(verb, environment, &call)
        .map_err(|diagnostic| Box::new(RefusedCall::of_call("install", call, diagnostic)))
}

fn install_inner(
    verb: &InstallVerb,
    environment: &Environment,
    call: &Value,
) -> Result<Installation, Diagnostic> {
    let client = verb.client.as_deref().and_then(McpClient::named);
    let client = client.ok_or_else(|| about_arguments("install takes a client"))?;
    let dirs = config_dirs(environment)?;
    let roots = absolute(&verb.root)?;
    let (scope, file) = match verb.project {
        false => (ConfigScope::User, client.user_file(&dirs)),
        true => {
            let project = project(&roots, environment);
            let file = client.project_file(&project);
            (
                ConfigScope::Project,
                file.ok_or_else(|| about_no_project(client))?,
            )
        }
    };
    let program = environment.program.as_deref();
    let program = program.ok_or_else(about_no_program)?;
    let mut arguments = vec!["serve".to_string()];
    for root in &roots {
        arguments.extend(["--root".to_string(), root.to_string()]);
    }
    let entry = client.entry(program, &arguments);
    let planned = plan(client, &file, &verb.name, &entry)?;
    let is_due = verb.write && planned.change != ConfigChange::Same;
    if is_due {
        write(&planned, &file, scope, &dirs)?;
    }
    let alone = merge(client.format, "", client.servers, &verb.name, &entry);
    Ok(Installation {
        client: client.name,
        title: client.title,
        scope: scope.as_str(),
        file_path: file.to_string(),
        name: verb.name.clone(),
        servers: client.servers,
        command: entry.command,
        args: entry.arguments,
        configuration: alone.map(|merged| merged.text).unwrap_or_default(),
        change: match (planned.change, &planned.before) {
            (ConfigChange::Same, _) => "nothing",
            (ConfigChange::Added, None) => "create",
            (ConfigChange::Added, Some(_)) => "add",
            (ConfigChange::Replaced, _) => "replace",
        },
        diff: planned.diff,
        written: is_due,
        call: call.clone(),
    })
}

/// Lists the clients with their configuration files, and whether each file starts this program.
pub(super) fn clients(
    verb: &InstallVerb,
    environment: &Environment,
) -> Result<Clients, Box<RefusedCall>> {
    let refused = |diagnostic| Box::new(RefusedCall::of_call("install", verb.call(), diagnostic));
    let dirs = config_dirs(environment).map_err(refused)?;
    let roots = absolute(&verb.root).map_err(refused)?;
    Ok(listed(&dirs, &project(&roots, environment)))
}

/// Lists the clients with their user and project configuration files.
pub(super) fn listed(dirs: &ConfigDirs, project: &Utf8Path) -> Clients {
    let of_client = |client: &'static McpClient| {
        let in_project = client.project_file(project);
        let in_project = in_project.map(|file| (ConfigScope::Project, file));
        let files = [(ConfigScope::User, client.user_file(dirs))].into_iter();
        let files = files.chain(in_project);
        files.map(move |(scope, file)| {
            let bytes = user_files::read(&file);
            let missing = matches!(&bytes, Err(error) if error.kind() == io::ErrorKind::NotFound);
            ClientListed {
                client: client.name,
                title: client.title,
                scope: scope.as_str(),
                file_path: file.into_string(),
                exists: !missing,
                configured: match bytes {
                    Ok(bytes) => is_configured(client, &bytes),
                    Err(_) => missing.then_some(false),
                },
            }
        })
    };
    Clients {
        clients: CLIENTS.iter().flat_map(of_client).collect(),
    }
}

/// Returns whether a configuration contains a server with our name; `None` if it cannot be read.
fn is_configured(client: &McpClient, bytes: &[u8]) -> Option<bool> {
    let text = std::str::from_utf8(bytes).ok()?;
    let entry = client.entry(Utf8Path::new(""), &[]);
    let merged = merge(client.format, text, client.servers, SERVER_NAME, &entry).ok()?;
    Some(merged.change != ConfigChange::Added)
}

fn config_dirs(environment: &Environment) -> Result<ConfigDirs, Diagnostic> {
    ConfigDirs::of_user(environment.variable).ok_or_else(about_no_home)
}

/// Returns the roots as absolute paths: the client may start the server in another directory.
fn absolute(roots: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, Diagnostic> {
    if roots.is_empty() {
        return Ok(Vec::new());
    }
    let opened =
        Workspace::open(roots, state()?).map_err(|error| about_arguments(error.to_string()))?;
    Ok(opened.roots().map(Utf8Path::to_owned).collect())
}

fn project(roots: &[Utf8PathBuf], environment: &Environment) -> Utf8PathBuf {
    let first = roots.first().cloned();
    first.unwrap_or_else(|| Workspace::discover(&environment.current))
}

fn state() -> Result<StateDirectory, Diagnostic> {
    StateDirectory::default_path()
        .and_then(|path| StateDirectory::open(&path))
        .map_err(|error| diagnostic::about_state(&error))
}

fn plan(
    client: &McpClient,
    file: &Utf8Path,
    name: &str,
    entry: &ServerEntry,
) -> Result<Planned, Diagnostic> {
    let before = match user_files::read(file) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(about_unreadable(file, &error)),
    };
    // The path as `patch -p1` resolves it from the root.
    let shown = file.as_str().trim_start_matches('/');
    let language = language::of(shown, "");
    let old = Source::from_bytes(shown, language, before.clone().unwrap_or_default())
        .map_err(|error| diagnostic::about_text(file.as_str(), error))?;
    let merged = merge(client.format, old.text(), client.servers, name, entry)
        .map_err(|error| about_configuration(file, client.title, &error))?;
    let new = Source::new(shown, language, merged.text.clone());
    Ok(Planned {
        before,
        diff: match merged.change {
            ConfigChange::Same => String::new(),
            _ => preview::difference(&old, &new),
        },
        after: merged.text,
        change: merged.change,
    })
}

/// Writes the planned configuration, unless the file has changed since.
fn write(
    planned: &Planned,
    file: &Utf8Path,
    scope: ConfigScope,
    dirs: &ConfigDirs,
) -> Result<(), Diagnostic> {
    // Links may point anywhere in the user's home directory: many users keep such files in one place.
    let mut roots = vec![Workspace::nearest_folder(file)];
    if Workspace::nearest_folder(&dirs.home.join("_")) == dirs.home {
        roots.push(dirs.home.clone());
    }
    let workspace = Workspace::open(&roots, state()?)
        .map_err(|error| Diagnostic::new(Code::IoError, error.to_string()))?;
    // A user configuration may contain secrets; a project's file is for everybody in the project.
    let readers = match scope {
        ConfigScope::User => Readers::Owner,
        ConfigScope::Project => Readers::AsUsual,
    };
    let (before, after) = (planned.before.as_deref(), planned.after.as_bytes());
    let written = workspace.write_configuration(file.as_str(), before, readers, after);
    written.map_err(|error| match &error {
        FileError::Changed { .. } => about_changed(file),
        _ => diagnostic::about_file(&error),
    })
}

fn about_no_project(client: &McpClient) -> Diagnostic {
    let with = CLIENTS
        .iter()
        .filter(|one| one.project_file("".into()).is_some());
    let with: Vec<&str> = with.map(|one| one.name).collect();
    about_arguments(format!("{} has no project configuration", client.title)).help(format!(
        "omit --project; the clients that have one are {}",
        with.join(", ")
    ))
}

/// Explains that the user's home directory is unknown.
fn about_no_home() -> Diagnostic {
    let message = "no home directory with a UTF-8 path found";
    Diagnostic::new(Code::IoError, message).help("set HOME to a directory")
}

/// Explains that the path of this program is unknown.
fn about_no_program() -> Diagnostic {
    let message = "the system reports no UTF-8 path of this program";
    Diagnostic::new(Code::IoError, message)
}

/// Explains why the server cannot be added to a client's configuration.
fn about_configuration(file: &Utf8Path, client: &str, why: &dyn Display) -> Diagnostic {
    let message = format!("`{file}` is not a configuration that {client} can read: {why}");
    Diagnostic::new(Code::InvalidContent, message)
        .help("fix the file, or add the server by hand; the file was not changed")
}

/// Explains that another program changed a client's configuration since it was read.
fn about_changed(file: &Utf8Path) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!("`{file}` has changed since it was read"),
    )
    .help("nothing was written; repeat the command")
}

fn about_unreadable(file: &Utf8Path, error: &io::Error) -> Diagnostic {
    let code = match error.kind() {
        io::ErrorKind::PermissionDenied => Code::PermissionDenied,
        io::ErrorKind::IsADirectory => Code::NotAFile,
        _ => Code::IoError,
    };
    Diagnostic::new(code, format!("cannot read `{file}`: {error}"))
}

impl InstallVerb {
    /// Returns the call as JSON, to repeat it.
    fn call(&self) -> Value {
        let mut call = json!({"client": self.client});
        if self.project {
            call["project"] = json!(true);
        }
        if self.name != SERVER_NAME {
            call["name"] = json!(self.name);
        }
        if !self.root.is_empty() {
            let roots: Vec<&str> = self.root.iter().map(|root| root.as_str()).collect();
            call["root"] = json!(roots);
        }
        call
    }
}

impl Answer for Installation {
    fn text_with(&self, call_text: CallText<'_>) -> String {
        let Installation {
            title,
            name,
            servers,
            file_path,
            ..
        } = self;
        let mut text = format!("{title} starts {name} with this configuration in {file_path}:\n\n");
        text.push_str(&self.configuration);
        let will = if self.written { "" } else { "would " };
        let verb = |done: &'static str, to_do: &'static str| match self.written {
            true => done,
            false => to_do,
        };
        let _ = match self.change {
            "create" => writeln!(text, "\n{will}{} the file", verb("created", "create")),
            "add" => writeln!(text, "\n{will}{} {name} to {servers}", verb("added", "add")),
            "replace" => writeln!(
                text,
                "\n{will}{} {name}, which has another configuration",
                verb("replaced", "replace")
            ),
            _ => writeln!(text, "\nnothing to do: the file already contains it"),
        };
        if !self.diff.is_empty() {
            let _ = write!(text, "\n{}", self.diff);
        }
        let _ = match (self.change, self.written) {
            ("nothing", _) => Ok(()),
            (_, true) => writeln!(text, "\nrestart {title} to load the configuration"),
            (_, false) => {
                let mut call = self.call.clone();
                call["write"] = json!(true);
                let call = call_text("install", &call);
                writeln!(text, "\nnothing is written yet; this writes it:\n  {call}")
            }
        };
        text
    }
}

impl Answer for Clients {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        let mut last = "";
        for one in &self.clients {
            if one.client != last {
                let _ = writeln!(text, "{} ({})", one.client, one.title);
                last = one.client;
            }
            let state = match (one.exists, one.configured) {
                (false, _) => "missing",
                (true, Some(true)) => "configured",
                (true, Some(false)) => "not configured",
                (true, None) => "unreadable",
            };
            let _ = writeln!(text, "  {:<8}{} ({state})", one.scope, one.file_path);
        }
        text.push_str("\nto configure a client, run `treegraft install CLIENT --write`\n");
        text
    }
}
