//! `install`: shows the configuration with which a client starts this program; `--write` adds it to
//! the client's configuration file. `uninstall`: removes it.
//!
//! Returns the configuration to add, and for each file of the client its diff and whether it was
//! written. Refuses a file that does not parse, or that another program changes in the meantime.

pub(super) mod files;
mod instructions;

use std::fmt::Write;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::user_files;
use treegraft::diagnostic::{Code, Diagnostic, about_arguments};
use treegraft::engine::Engine;
use treegraft::engine::response::{Answer, CallText, RefusedCall};
use treegraft::engine::tools::ToolGroup;
use treegraft::workspace::Workspace;

use super::Environment;
use super::args::{InstallVerb, UninstallVerb};
use super::clients::{CLIENTS, ConfigDirs, ConfigScope, Hooks, McpClient, SERVER_NAME, Scope};
use super::configuration::{ServerEntry, merge, read_server};
use files::{Change, Created, Part, Planned, Wanted, backup_of};

/// The name of this program, in files that are read on many machines.
const PROGRAM: &str = "treegraft";

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
    /// The server in the configuration; absent with `--no-server`.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<ServerShown>,
    /// The command of the hook; absent without `--hook`.
    #[serde(skip_serializing_if = "Option::is_none")]
    hook: Option<String>,
    /// The files that change.
    files: Vec<FileShown>,
    /// Whether changes were written.
    written: bool,
    /// The call that writes the changes.
    #[serde(skip)]
    call: Value,
}

/// A server in a configuration.
#[derive(Debug, Serialize, JsonSchema)]
struct ServerShown {
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
}

/// The answer to `uninstall`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Removal {
    /// The client.
    client: &'static str,
    /// The product name of the client.
    title: &'static str,
    /// The scope of the configuration: all projects of the user (`user`), or one project
    /// (`project`).
    scope: &'static str,
    /// The files that contain something of treegraft.
    files: Vec<FileShown>,
    /// The backups that `--remove-backups` removes.
    backups: Vec<String>,
    /// Whether changes were written.
    written: bool,
    /// The call that writes the changes.
    #[serde(skip)]
    call: Value,
}

/// A file of a client and its change.
#[derive(Debug, Serialize, JsonSchema)]
struct FileShown {
    /// The file.
    file_path: String,
    /// What treegraft writes into the file, or removes from it.
    parts: Vec<Part>,
    /// The change.
    change: Change,
    /// The diff of the file.
    diff: String,
    /// The copy of the old file, which is written first.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
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

/// A client, and the scope of its files.
struct Target {
    client: &'static McpClient,
    scope: ConfigScope,
    dirs: ConfigDirs,
    project: Utf8PathBuf,
}

impl Target {
    fn new(
        client: &str,
        is_project: bool,
        roots: &[Utf8PathBuf],
        environment: &Environment,
    ) -> Result<Target, Diagnostic> {
        let known = McpClient::named(client);
        Ok(Target {
            client: known.ok_or_else(|| about_arguments(format!("no client {client:?}")))?,
            scope: match is_project {
                true => ConfigScope::Project,
                false => ConfigScope::User,
            },
            dirs: config_dirs(environment)?,
            project: project(roots, environment),
        })
    }

    fn files(&self) -> Vec<files::ClientFile> {
        files::of_client(
            self.client,
            match self.scope {
                ConfigScope::User => Scope::User(&self.dirs),
                ConfigScope::Project => Scope::Project(&self.project),
            },
        )
    }
}

/// Adds the server to a client's configuration, or shows the change.
pub(super) fn install(
    verb: &InstallVerb,
    environment: &Environment,
) -> Result<Installation, Box<RefusedCall>> {
    let call = verb.call();
    install_inner(verb, environment, &call)
        .map_err(|diagnostic| Box::new(RefusedCall::of_call("client install", call, diagnostic)))
}

fn install_inner(
    verb: &InstallVerb,
    environment: &Environment,
    call: &Value,
) -> Result<Installation, Diagnostic> {
    let roots = absolute(&verb.root)?;
    let name = verb.client.as_deref().unwrap_or_default();
    let target = Target::new(name, verb.project, &roots, environment)?;
    let client = target.client;
    let program = match target.scope {
        ConfigScope::Project => PROGRAM,
        ConfigScope::User => {
            let program = environment.program.as_deref();
            program.ok_or_else(about_no_program)?.as_str()
        }
    };
    let entry = (!verb.no_server).then(|| server_entry(verb, &target, program, &roots));
    let hook = verb
        .hook
        .then(|| format!("{} client hook {}", files::quoted(program), client.name));
    let wanted = Wanted {
        server: entry.clone(),
        hooks: match (&hook, &client.hooks) {
            (None, _) => None,
            (Some(_), Hooks::File(hooks)) if verb.diagnostics && !hooks.has_diagnostics() => {
                return Err(about_no_diagnostics(client));
            }
            (Some(hook), Hooks::File(hooks)) => {
                let after = verb.diagnostics.then(|| format!("{hook} --diagnostics"));
                Some(hooks.entries(hook, after.as_deref()))
            }
            (Some(_), Hooks::None(why)) => return Err(about_no_hook(client, why)),
        },
        instructions: verb
            .instructions
            .then(|| instructions::instructions(&tool_groups(verb, &target))),
    };
    let files = target.files();
    for (part, is_wanted) in [
        (Part::Server, wanted.server.is_some()),
        (Part::Hook, wanted.hooks.is_some()),
        (Part::Instructions, wanted.instructions.is_some()),
    ] {
        if is_wanted && !files.iter().any(|file| file.has(part)) {
            return Err(about_no_file(&target, part));
        }
    }
    let planned = files.iter().map(|file| file.plan(&verb.name, &wanted));
    let planned: Vec<Planned> = planned.collect::<Result<_, _>>()?;
    let planned: Vec<Planned> = planned
        .into_iter()
        .filter(|file| !file.parts.is_empty())
        .collect();
    let is_due = verb.write && planned.iter().any(|file| file.change != Change::Nothing);
    if is_due {
        write_all(&planned, &target)?;
    }
    Ok(Installation {
        client: client.name,
        title: client.title,
        scope: target.scope.as_str(),
        server: entry.map(|entry| ServerShown {
            name: verb.name.clone(),
            servers: client.servers,
            configuration: merge(client.format, "", client.servers, &verb.name, &entry)
                .map(|merged| merged.text)
                .unwrap_or_default(),
            command: entry.command,
            args: entry.arguments,
        }),
        hook,
        files: planned.iter().map(FileShown::from_planned).collect(),
        written: is_due,
        call: call.clone(),
    })
}

/// Returns the groups of tools that the installed server offers.
fn tool_groups(verb: &InstallVerb, target: &Target) -> Vec<ToolGroup> {
    if !verb.tools.is_empty() {
        return verb.tools.clone();
    }
    let engine = match target.scope {
        ConfigScope::User => None,
        // The server reports why the project cannot be opened.
        ConfigScope::Project => Engine::open(&[&target.project], None::<&str>).ok(),
    };
    let chosen = engine.map(|engine| engine.tool_groups());
    chosen.unwrap_or_else(|| ToolGroup::DEFAULT.to_vec())
}

fn write_all(planned: &[Planned], target: &Target) -> Result<(), Diagnostic> {
    let mut created = Created::load()?;
    let written = planned
        .iter()
        .try_for_each(|file| file.write(target.scope, &target.dirs, &mut created));
    created.save();
    written
}

/// Returns the entry of the server.
fn server_entry(
    verb: &InstallVerb,
    target: &Target,
    program: &str,
    roots: &[Utf8PathBuf],
) -> ServerEntry {
    let mut arguments = vec!["serve".to_string()];
    if !verb.tools.is_empty() {
        let names: Vec<&str> = verb.tools.iter().map(|group| group.name()).collect();
        arguments.extend(["--tools".to_string(), names.join(",")]);
    }
    for root in roots {
        let root = match target.scope {
            ConfigScope::User => root.to_string(),
            ConfigScope::Project => target.client.project_root(root, &target.project),
        };
        arguments.extend(["--root".to_string(), root]);
    }
    target.client.entry(program, &arguments)
}

/// Removes what `install` wrote for a client, or shows the change.
pub(super) fn uninstall(
    verb: &UninstallVerb,
    environment: &Environment,
) -> Result<Removal, Box<RefusedCall>> {
    let call = verb.call();
    uninstall_inner(verb, environment, &call)
        .map_err(|diagnostic| Box::new(RefusedCall::of_call("client uninstall", call, diagnostic)))
}

fn uninstall_inner(
    verb: &UninstallVerb,
    environment: &Environment,
    call: &Value,
) -> Result<Removal, Diagnostic> {
    let roots = absolute(&verb.root)?;
    let target = Target::new(&verb.client, verb.project, &roots, environment)?;
    let mut created = Created::load()?;
    let files = target.files();
    let planned = files
        .iter()
        .map(|file| file.plan_removal(&verb.name, &created));
    let mut planned: Vec<Planned> = planned.collect::<Result<_, _>>()?;
    if verb.remove_backups {
        for file in &mut planned {
            file.backs_up = false;
        }
    }
    let backups: Vec<&Utf8Path> = planned
        .iter()
        .filter(|file| verb.remove_backups && user_files::exists(&backup_of(&file.path)))
        .map(|file| file.path.as_path())
        .collect();
    let shown: Vec<FileShown> = planned
        .iter()
        .filter(|file| file.change != Change::Nothing)
        .map(FileShown::from_planned)
        .collect();
    let is_due = verb.write && !(shown.is_empty() && backups.is_empty());
    if is_due {
        let written = planned
            .iter()
            .try_for_each(|file| file.write(target.scope, &target.dirs, &mut created));
        let removed = written.and_then(|()| {
            let mut backups = backups.iter();
            backups.try_for_each(|path| created.remove_backup(path))
        });
        created.save();
        removed?;
    }
    Ok(Removal {
        client: target.client.name,
        title: target.client.title,
        scope: target.scope.as_str(),
        backups: backups
            .iter()
            .map(|path| backup_of(path).into_string())
            .collect(),
        files: shown,
        written: is_due,
        call: call.clone(),
    })
}

impl FileShown {
    fn from_planned(planned: &Planned) -> FileShown {
        FileShown {
            file_path: planned.path.to_string(),
            parts: planned.parts.clone(),
            change: planned.change,
            diff: planned.diff.clone(),
            backup: planned
                .backs_up
                .then(|| backup_of(&planned.path).into_string()),
        }
    }
}

/// Lists the clients with their configuration files, and whether each file starts this program.
pub(super) fn clients(
    verb: &InstallVerb,
    environment: &Environment,
) -> Result<Clients, Box<RefusedCall>> {
    let refused = |diagnostic| {
        Box::new(RefusedCall::of_call(
            "client install",
            verb.call(),
            diagnostic,
        ))
    };
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
    let server = read_server(client.format, text, client.servers, SERVER_NAME).ok()?;
    Some(server.is_some())
}

fn config_dirs(environment: &Environment) -> Result<ConfigDirs, Diagnostic> {
    ConfigDirs::of_user(environment.variable).ok_or_else(about_no_home)
}

/// Returns the roots as absolute paths: the client may start the server in another directory.
fn absolute(roots: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, Diagnostic> {
    if roots.is_empty() {
        return Ok(Vec::new());
    }
    let opened = Workspace::open(roots, files::state()?)
        .map_err(|error| about_arguments(error.to_string()))?;
    Ok(opened.roots().map(Utf8Path::to_owned).collect())
}

fn project(roots: &[Utf8PathBuf], environment: &Environment) -> Utf8PathBuf {
    let first = roots.first().cloned();
    first.unwrap_or_else(|| Workspace::discover(&environment.current))
}

/// Explains that a client has no file for a part in a scope.
fn about_no_file(target: &Target, part: Part) -> Diagnostic {
    let (client, scope) = (target.client, target.scope.as_str());
    let (what, option, other) = match part {
        Part::Server => ("configuration", "--project", false),
        Part::Hook => ("hooks", "--hook", false),
        Part::Instructions => ("file of instructions", "--instructions", true),
    };
    let message = format!("{} has no {scope} {what}", client.title);
    let with = CLIENTS.iter().filter(|one| {
        let (dirs, project) = (&target.dirs, target.project.as_path());
        let scope = match target.scope {
            ConfigScope::User => Scope::User(dirs),
            ConfigScope::Project => Scope::Project(project),
        };
        files::of_client(one, scope)
            .iter()
            .any(|file| file.has(part))
    });
    let with: Vec<&str> = with.map(|one| one.name).collect();
    let in_project = Scope::Project(&target.project);
    let help = match (target.scope, other) {
        (ConfigScope::User, true) if client.instructions_file(in_project).is_some() => {
            "pass --project: the client reads instructions from the project".to_string()
        }
        _ => format!(
            "omit {option}; the clients that have one are {}",
            with.join(", ")
        ),
    };
    about_arguments(message).help(help)
}

/// Explains that treegraft cannot use the hooks of a client.
fn about_no_hook(client: &McpClient, why: &str) -> Diagnostic {
    let with = CLIENTS.iter();
    let with = with.filter(|one| matches!(one.hooks, Hooks::File(_)));
    let with: Vec<&str> = with.map(|one| one.name).collect();
    about_arguments(format!("treegraft has no hook for {}: {why}", client.title)).help(format!(
        "omit --hook; the clients that have one are {}",
        with.join(", ")
    ))
}

/// Explains that the hook of a client reports nothing after an edit.
fn about_no_diagnostics(client: &McpClient) -> Diagnostic {
    let title = client.title;
    let message = format!("the hook for {title} reports no errors after an edit");
    about_arguments(message).help("omit --diagnostics; only claude-code has it")
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

impl InstallVerb {
    /// Returns the call as JSON, to repeat it.
    fn call(&self) -> Value {
        let mut call = json!({"client": self.client});
        let flags = [
            ("project", self.project),
            ("no_server", self.no_server),
            ("hook", self.hook),
            ("diagnostics", self.diagnostics),
            ("instructions", self.instructions),
        ];
        for (name, _) in flags.iter().filter(|(_, is_set)| *is_set) {
            call[*name] = json!(true);
        }
        if !self.tools.is_empty() {
            let names: Vec<&str> = self.tools.iter().map(|group| group.name()).collect();
            call["tools"] = json!(names.join(","));
        }
        name_and_root(&mut call, &self.name, &self.root);
        call
    }
}

impl UninstallVerb {
    /// Returns the call as JSON, to repeat it.
    fn call(&self) -> Value {
        let mut call = json!({"client": self.client});
        let flags = [
            ("project", self.project),
            ("remove_backups", self.remove_backups),
        ];
        for (name, _) in flags.iter().filter(|(_, is_set)| *is_set) {
            call[*name] = json!(true);
        }
        name_and_root(&mut call, &self.name, &self.root);
        call
    }
}

fn name_and_root(call: &mut Value, name: &str, roots: &[Utf8PathBuf]) {
    if name != SERVER_NAME {
        call["name"] = json!(name);
    }
    if !roots.is_empty() {
        let roots: Vec<&str> = roots.iter().map(|root| root.as_str()).collect();
        call["root"] = json!(roots);
    }
}

impl FileShown {
    /// Writes what happens to the file, and its diff.
    fn text(&self, text: &mut String, written: bool) {
        let path = &self.file_path;
        let parts: Vec<&str> = self.parts.iter().map(|part| part.as_str()).collect();
        let parts = parts.join(" and ");
        let verb = |done: &'static str, to_do: &'static str| match written {
            true => done.to_string(),
            false => format!("would {to_do}"),
        };
        let _ = match self.change {
            Change::Create => {
                let verb = verb("created", "create");
                writeln!(text, "\n{verb} {path} with {parts}")
            }
            Change::Add => {
                let verb = verb("added", "add");
                writeln!(text, "\n{verb} {parts} to {path}")
            }
            Change::Replace => {
                let verb = verb("changed", "change");
                writeln!(text, "\n{verb} {parts} in {path}")
            }
            Change::Remove => {
                let verb = verb("removed", "remove");
                writeln!(text, "\n{verb} {parts} from {path}")
            }
            Change::Delete => {
                let verb = verb("removed", "remove");
                writeln!(text, "\n{verb} {path}, which treegraft created")
            }
            Change::Nothing => writeln!(text, "\nunchanged: {path} already contains {parts}"),
        };
        if let Some(backup) = &self.backup {
            let verb = verb("saved", "save");
            let _ = writeln!(text, "{verb} a copy of the old file as {backup}");
        }
        if !self.diff.is_empty() {
            let _ = write!(text, "\n{}", self.diff);
        }
    }
}

impl Answer for Installation {
    fn text_with(&self, call_text: CallText<'_>) -> String {
        let mut text = String::new();
        let title = self.title;
        if let Some(server) = &self.server {
            let path = self.files.first().map_or("", |file| &file.file_path);
            let ServerShown {
                name,
                configuration,
                ..
            } = server;
            let _ = writeln!(
                text,
                "{title} starts {name} with this configuration in {path}:\n"
            );
            text.push_str(configuration);
        }
        if let Some(hook) = &self.hook {
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(
                text,
                "{gap}{title} runs this command before each edit:\n\n  {hook}"
            );
        }
        for file in &self.files {
            file.text(&mut text, self.written);
        }
        let is_due = self.files.iter().any(|file| file.change != Change::Nothing);
        let _ = match (is_due, self.written) {
            (false, _) => Ok(()),
            (true, true) => writeln!(text, "\nrestart {title} to load the configuration"),
            (true, false) => to_write(&mut text, "client install", &self.call, call_text),
        };
        text.trim_start_matches('\n').to_string()
    }
}

impl Answer for Removal {
    fn text_with(&self, call_text: CallText<'_>) -> String {
        let mut text = String::new();
        for file in &self.files {
            file.text(&mut text, self.written);
        }
        for backup in &self.backups {
            let verb = if self.written {
                "removed"
            } else {
                "would remove"
            };
            let _ = writeln!(text, "\n{verb} {backup}");
        }
        let (title, scope) = (self.title, self.scope);
        let is_due = !(self.files.is_empty() && self.backups.is_empty());
        let _ = match (is_due, self.written) {
            (false, _) => writeln!(text, "nothing of treegraft in the {scope} files of {title}"),
            (true, true) => writeln!(text, "\nrestart {title} to load the configuration"),
            (true, false) => to_write(&mut text, "client uninstall", &self.call, call_text),
        };
        text.trim_start_matches('\n').to_string()
    }
}

/// Writes the call that writes the changes.
fn to_write(
    text: &mut String,
    verb: &str,
    call: &Value,
    call_text: CallText<'_>,
) -> std::fmt::Result {
    let mut call = call.clone();
    call["write"] = json!(true);
    let call = call_text(verb, &call);
    writeln!(text, "\nnothing is written yet; this writes it:\n  {call}")
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
        text.push_str("\nto configure a client, run `treegraft client install CLIENT --write`\n");
        text
    }
}
