//! The files of a client that treegraft writes to: what they contain of ours, how they change, and
//! their backups.

use std::collections::BTreeSet;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::Serialize;

use treegraft::diagnostic::{self, Code, Diagnostic};
use treegraft::language;
use treegraft::preview;
use treegraft::source::Source;
use treegraft::workspace::{FileError, Readers, StateDirectory, Workspace};

use crate::cli::clients::{ConfigDirs, ConfigScope, HookFile, McpClient, Scope};
use crate::cli::configuration::{
    self, ConfigChange, HookEntry, NotMerged, ServerEntry, merge_block, read_block, without_block,
};
use crate::user_files;

/// What treegraft writes into a file of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::cli) enum Part {
    /// The entry of the server.
    Server,
    /// The commands that run before and after edits.
    Hook,
    /// The instructions for the model.
    Instructions,
}

impl Part {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Part::Server => "the server",
            Part::Hook => "the hook",
            Part::Instructions => "the instructions",
        }
    }
}

/// A file of a client, and the parts of ours that it may have.
pub(in crate::cli) struct ClientFile {
    client: &'static McpClient,
    pub(in crate::cli) path: Utf8PathBuf,
    has_server: bool,
    hooks: Option<&'static HookFile>,
    has_instructions: bool,
}

/// The parts of ours in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Content {
    /// The command and the arguments of the server.
    pub(in crate::cli) server: Option<Vec<String>>,
    pub(in crate::cli) hooks: Vec<HookEntry>,
    instructions: Option<String>,
}

/// The parts of ours that a file shall have; `None` leaves a part as it is.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) server: Option<ServerEntry>,
    pub(super) hooks: Option<Vec<HookEntry>>,
    pub(super) instructions: Option<String>,
}

/// The change of one file.
pub(super) struct Planned {
    pub(super) path: Utf8PathBuf,
    before: Option<Vec<u8>>,
    /// The new text; `None` removes the file.
    after: Option<String>,
    pub(super) parts: Vec<Part>,
    pub(super) change: Change,
    pub(super) diff: String,
    /// Whether the old bytes are written to the backup first.
    pub(super) backs_up: bool,
}

/// How a file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::cli) enum Change {
    /// The file is created.
    Create,
    /// Parts are added to the file.
    Add,
    /// Parts of the file are replaced.
    Replace,
    /// Parts are removed from the file.
    Remove,
    /// The file is removed: `install` created it, and nothing else is in it.
    Delete,
    /// The file stays as it is.
    Nothing,
}

/// Returns the files of a client in a scope.
pub(in crate::cli) fn of_client(client: &'static McpClient, scope: Scope<'_>) -> Vec<ClientFile> {
    let server = match scope {
        Scope::User(dirs) => Some(client.user_file(dirs)),
        Scope::Project(project) => client.project_file(project),
    };
    let new = |path| ClientFile {
        client,
        path,
        has_server: false,
        hooks: None,
        has_instructions: false,
    };
    let mut files: Vec<ClientFile> = Vec::new();
    if let Some(path) = server {
        let has_server = true;
        files.push(ClientFile {
            has_server,
            ..new(path)
        });
    }
    if let Some((hooks, path)) = client.hook_file(scope) {
        match files.iter_mut().find(|file| file.path == path) {
            Some(file) => file.hooks = Some(hooks),
            None => files.push(ClientFile {
                hooks: Some(hooks),
                ..new(path)
            }),
        }
    }
    if let Some(path) = client.instructions_file(scope) {
        files.push(ClientFile {
            has_instructions: true,
            ..new(path)
        });
    }
    files
}

/// Returns whether a command line of a hook starts this program for the client.
pub(in crate::cli) fn is_our_hook(command: &str, client: &str) -> bool {
    let Some((program, rest)) = first_word(command) else {
        return false;
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let words: Vec<&str> = rest.split_whitespace().collect();
    name.trim_end_matches(".exe") == "treegraft" && words.starts_with(&["client", "hook", client])
}

/// Returns the first word of a command line without its quotes, and the rest.
pub(in crate::cli) fn first_word(command: &str) -> Option<(&str, &str)> {
    let command = command.trim_start();
    match command.chars().next()? {
        quote @ ('"' | '\'') => command[1..].split_once(quote),
        _ => Some(command.split_once(' ').unwrap_or((command, ""))),
    }
}

/// Returns a program as the first word of a command line.
pub(super) fn quoted(program: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/\\._-:+@".contains(c);
    match program.chars().all(is_plain) {
        true => program.to_string(),
        false if cfg!(windows) => format!("\"{program}\""),
        false => format!("'{program}'"),
    }
}

impl ClientFile {
    pub(super) fn has(&self, part: Part) -> bool {
        match part {
            Part::Server => self.has_server,
            Part::Hook => self.hooks.is_some(),
            Part::Instructions => self.has_instructions,
        }
    }

    fn backup(&self) -> Utf8PathBuf {
        backup_of(&self.path)
    }

    /// Returns whether a text of the file contains nothing that its user wrote.
    fn is_empty(&self, text: &str) -> bool {
        match (self.has_instructions, self.has_server, self.hooks) {
            (true, _, _) => text.trim().is_empty(),
            (_, false, Some(hooks)) => configuration::has_no_hooks(hooks.format, text),
            _ => configuration::is_empty(self.client.format, text),
        }
    }

    fn is_ours(&self) -> impl Fn(&str) -> bool + use<> {
        let client = self.client.name;
        move |command: &str| is_our_hook(command, client)
    }

    /// Returns the parts of ours in a text of the file.
    pub(in crate::cli) fn content(&self, text: &str, name: &str) -> Result<Content, NotMerged> {
        let McpClient {
            format, servers, ..
        } = self.client;
        let mut content = Content::default();
        if self.has_server {
            content.server = configuration::read_server(*format, text, servers, name)?;
        }
        if let Some(hooks) = self.hooks {
            content.hooks = configuration::read_hooks(hooks.format, text, &self.is_ours())?;
        }
        if self.has_instructions {
            content.instructions = read_block(text)?;
        }
        Ok(content)
    }

    /// Returns a text of the file with the wanted parts, and the parts that the file can have and that are
    /// wanted.
    fn with(
        &self,
        text: &str,
        name: &str,
        wanted: &Wanted,
    ) -> Result<(String, ConfigChange, Vec<Part>), NotMerged> {
        let mut text = text.to_string();
        let mut change = ConfigChange::Same;
        let mut parts = Vec::new();
        let client = self.client;
        if let (true, Some(entry)) = (self.has_server, &wanted.server) {
            let merged = configuration::merge(client.format, &text, client.servers, name, entry)?;
            (text, change) = (merged.text, change.max(merged.change));
            parts.push(Part::Server);
        }
        if let (Some(hooks), Some(entries)) = (self.hooks, &wanted.hooks) {
            let merged = configuration::merge_hooks(
                hooks.format,
                &text,
                &hooks.events(),
                entries,
                &self.is_ours(),
            )?;
            (text, change) = (merged.text, change.max(merged.change));
            parts.push(Part::Hook);
        }
        if let (true, Some(instructions)) = (self.has_instructions, &wanted.instructions) {
            let merged = merge_block(&text, instructions)?;
            (text, change) = (merged.text, change.max(merged.change));
            parts.push(Part::Instructions);
        }
        Ok((text, change, parts))
    }

    /// Returns a text of the file without the parts of ours. `original` is the text before they were
    /// written, if it is known.
    fn without(
        &self,
        text: &str,
        name: &str,
        content: &Content,
        original: Option<&str>,
    ) -> Result<String, NotMerged> {
        let client = self.client;
        if let Some(original) = original
            && self.restores(original, text, name, content)
        {
            return Ok(original.to_string());
        }
        let mut text = text.to_string();
        let original = original.unwrap_or_default();
        if content.server.is_some() {
            let keeps = configuration::has_servers(client.format, original, client.servers);
            text =
                configuration::without_server(client.format, &text, client.servers, name, keeps)?;
        }
        if let Some(hooks) = self.hooks
            && !content.hooks.is_empty()
        {
            text = configuration::without_hooks(hooks.format, &text, &self.is_ours(), original)?;
        }
        if content.instructions.is_some() {
            text = without_block(&text)?;
        }
        Ok(text)
    }

    /// Returns whether `install` makes exactly this text from the original one.
    fn restores(&self, original: &str, text: &str, name: &str, content: &Content) -> bool {
        let server = content.server.as_deref().and_then(|words| {
            let (command, arguments) = words.split_first()?;
            Some(self.client.entry(command, arguments))
        });
        let wanted = Wanted {
            server,
            hooks: (!content.hooks.is_empty()).then(|| content.hooks.clone()),
            instructions: content.instructions.clone(),
        };
        let untouched = self.content(original, name).ok() == Some(Content::default());
        let made = self.with(original, name, &wanted);
        untouched && made.is_ok_and(|(made, _, _)| made == text)
    }

    /// Plans the parts that are wanted in the file.
    pub(super) fn plan(&self, name: &str, wanted: &Wanted) -> Result<Planned, Diagnostic> {
        let file = File::read(&self.path)?;
        let of_file = |error| self.refused(&error);
        let content = self.content(&file.text, name).map_err(of_file)?;
        let (after, change, parts) = self.with(&file.text, name, wanted).map_err(of_file)?;
        let change = match (change, &file.bytes) {
            (ConfigChange::Same, _) => Change::Nothing,
            (_, None) => Change::Create,
            (ConfigChange::Added, Some(_)) => Change::Add,
            (ConfigChange::Replaced, Some(_)) => Change::Replace,
        };
        let backup = user_files::exists(&self.backup());
        let backs_up = file.bytes.is_some() && (!backup || content == Content::default());
        Ok(file.planned(&self.path, Some(after), parts, change, backs_up))
    }

    /// Plans the removal of the parts of ours. `created` are the paths that `install` created.
    pub(super) fn plan_removal(
        &self,
        name: &str,
        created: &Created,
    ) -> Result<Planned, Diagnostic> {
        let file = File::read(&self.path)?;
        let of_file = |error| self.refused(&error);
        let content = self.content(&file.text, name).map_err(of_file)?;
        let mut parts = Vec::new();
        if content.server.is_some() {
            parts.push(Part::Server);
        }
        if !content.hooks.is_empty() {
            parts.push(Part::Hook);
        }
        if content.instructions.is_some() {
            parts.push(Part::Instructions);
        }
        if parts.is_empty() {
            return Ok(file.planned(&self.path, None, parts, Change::Nothing, false));
        }
        let original = user_files::read(&self.backup()).ok();
        let original = original.and_then(|bytes| String::from_utf8(bytes).ok());
        let backs_up = original.is_none();
        // A backup of a file that had parts of ours is not the original.
        let original = original.filter(|text| {
            self.content(text, name)
                .is_ok_and(|content| content == Content::default())
        });
        let after = self
            .without(&file.text, name, &content, original.as_deref())
            .map_err(of_file)?;
        if self.is_empty(&after) && created.contains(&self.path) {
            return Ok(file.planned(&self.path, None, parts, Change::Delete, false));
        }
        Ok(file.planned(&self.path, Some(after), parts, Change::Remove, backs_up))
    }

    fn refused(&self, error: &NotMerged) -> Diagnostic {
        let (path, title) = (&self.path, self.client.title);
        let message = match (error, self.has_instructions) {
            (NotMerged::OtherPlugin, _) => {
                format!("`{path}` is not a plugin that `treegraft client install` has written")
            }
            (_, true) => format!("`{path}` has instructions of treegraft without an end: {error}"),
            (_, false) => format!("`{path}` is not a configuration that {title} can read: {error}"),
        };
        Diagnostic::new(Code::InvalidContent, message)
            .help("fix the file, or change it by hand; the file was not changed")
    }
}

/// Returns the path of the backup of a file.
pub(super) fn backup_of(path: &Utf8Path) -> Utf8PathBuf {
    format!("{path}.treegraft-backup").into()
}

/// A file as it is now.
struct File {
    bytes: Option<Vec<u8>>,
    text: String,
}

impl File {
    fn read(path: &Utf8Path) -> Result<File, Diagnostic> {
        let bytes = match user_files::read(path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(about_unreadable(path, &error)),
        };
        let source = source(path, bytes.clone().unwrap_or_default())
            .map_err(|error| diagnostic::about_text(path.as_str(), error))?;
        Ok(File {
            bytes,
            text: source.text().to_string(),
        })
    }

    fn planned(
        self,
        path: &Utf8Path,
        after: Option<String>,
        parts: Vec<Part>,
        change: Change,
        backs_up: bool,
    ) -> Planned {
        let new = after.clone().unwrap_or_default();
        let diff = match change {
            Change::Nothing => String::new(),
            _ => match (
                source(path, self.text.into_bytes()),
                source(path, new.into_bytes()),
            ) {
                (Ok(old), Ok(new)) => preview::difference(&old, &new),
                _ => String::new(),
            },
        };
        Planned {
            path: path.to_owned(),
            before: self.bytes,
            after,
            parts,
            change,
            diff,
            backs_up: backs_up && change != Change::Nothing,
        }
    }
}

fn source(path: &Utf8Path, bytes: Vec<u8>) -> Result<Source, treegraft::source::NotText> {
    // The path as `patch -p1` resolves it from the root.
    let shown = path.as_str().trim_start_matches('/');
    Source::from_bytes(shown, language::for_file(shown, ""), bytes)
}

impl Planned {
    /// Writes the change, unless the file has changed since it was read.
    pub(super) fn write(
        &self,
        scope: ConfigScope,
        dirs: &ConfigDirs,
        created: &mut Created,
    ) -> Result<(), Diagnostic> {
        if self.change == Change::Nothing {
            return Ok(());
        }
        if let (true, Some(before)) = (self.backs_up, &self.before) {
            let backup = backup_of(&self.path);
            let old = user_files::read(&backup).ok();
            if old.as_deref() != Some(before) {
                write(&backup, old.as_deref(), before, scope, dirs)?;
            }
        }
        match &self.after {
            Some(after) => {
                if self.before.is_none() {
                    created.add_missing(&self.path);
                    created.save();
                }
                write(
                    &self.path,
                    self.before.as_deref(),
                    after.as_bytes(),
                    scope,
                    dirs,
                )
            }
            None => self.remove(created),
        }
    }

    fn remove(&self, created: &mut Created) -> Result<(), Diagnostic> {
        let now = user_files::read(&self.path).ok();
        if now != self.before {
            return Err(about_changed(&self.path));
        }
        user_files::remove(&self.path).map_err(|error| about_unwritable(&self.path, &error))?;
        created.remove(&self.path);
        Ok(())
    }
}

/// Writes a file of the user, unless it has other bytes than `before`.
fn write(
    path: &Utf8Path,
    before: Option<&[u8]>,
    after: &[u8],
    scope: ConfigScope,
    dirs: &ConfigDirs,
) -> Result<(), Diagnostic> {
    // Links may point anywhere in the user's home directory: many users keep such files in one place.
    let mut roots = vec![Workspace::nearest_folder(path)];
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
    let written = workspace.write_configuration(path.as_str(), before, readers, after);
    written.map_err(|error| match &error {
        FileError::Changed { .. } => about_changed(path),
        _ => diagnostic::about_file(&error),
    })
}

pub(super) fn state() -> Result<StateDirectory, Diagnostic> {
    StateDirectory::default_path()
        .and_then(|path| StateDirectory::open(&path))
        .map_err(|error| diagnostic::about_state(&error))
}

/// The files and directories that `install` created. `uninstall` removes them if they are empty.
pub(super) struct Created {
    paths: BTreeSet<Utf8PathBuf>,
    folder: Utf8PathBuf,
}

impl Created {
    const NAME: &str = "created.json";

    pub(super) fn load() -> Result<Created, Diagnostic> {
        let folder = state()?.path().join("clients");
        let bytes = user_files::read(&folder.join(Created::NAME)).unwrap_or_default();
        Ok(Created {
            paths: serde_json::from_slice::<Vec<String>>(&bytes)
                .unwrap_or_default()
                .into_iter()
                .map(Utf8PathBuf::from)
                .collect(),
            folder,
        })
    }

    fn contains(&self, path: &Utf8Path) -> bool {
        self.paths.contains(path) && user_files::is_regular(path)
    }

    /// Adds a file, and the directories of its path that do not exist.
    fn add_missing(&mut self, path: &Utf8Path) {
        let missing = path
            .ancestors()
            .take_while(|path| !user_files::exists(path));
        self.paths.extend(missing.map(Utf8Path::to_owned));
    }

    /// Removes a file, and the directories of its path that were created for it and that are empty.
    fn remove(&mut self, path: &Utf8Path) {
        self.paths.remove(path);
        for folder in path.ancestors().skip(1) {
            if !self.paths.contains(folder) || !user_files::remove_empty_directory(folder) {
                break;
            }
            self.paths.remove(folder);
        }
    }

    /// Removes the directories that backups kept.
    pub(super) fn remove_backup(&mut self, path: &Utf8Path) -> Result<(), Diagnostic> {
        let backup = backup_of(path);
        user_files::remove(&backup).map_err(|error| about_unwritable(&backup, &error))?;
        self.remove(&backup);
        Ok(())
    }

    /// Writes the list. A list that cannot be written only means that `uninstall` leaves empty files.
    pub(super) fn save(&self) {
        if self.paths.is_empty() {
            let _ = user_files::remove(&self.folder.join(Created::NAME));
            user_files::remove_empty_directory(&self.folder);
            return;
        }
        let paths: Vec<&str> = self.paths.iter().map(|path| path.as_str()).collect();
        if let Ok(bytes) = serde_json::to_vec_pretty(&paths) {
            let _ = user_files::write(&self.folder, Created::NAME, &bytes);
        }
    }
}

/// Explains that another program changed a client's file since it was read.
fn about_changed(file: &Utf8Path) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!("`{file}` has changed since it was read"),
    )
    .help("nothing was written; repeat the command")
}

fn about_unreadable(file: &Utf8Path, error: &io::Error) -> Diagnostic {
    about_io(&format!("cannot read `{file}`"), error)
}

fn about_unwritable(file: &Utf8Path, error: &io::Error) -> Diagnostic {
    about_io(&format!("cannot remove `{file}`"), error)
}

fn about_io(what: &str, error: &io::Error) -> Diagnostic {
    let code = match error.kind() {
        io::ErrorKind::PermissionDenied => Code::PermissionDenied,
        io::ErrorKind::IsADirectory => Code::NotAFile,
        _ => Code::IoError,
    };
    Diagnostic::new(code, format!("{what}: {error}"))
}
