//! Adds the server and the hook to the text of a client's configuration, and removes them again. Every
//! other byte stays.
//!
//! Refuses a text that does not parse, or that has a value of another type where a table of servers
//! or hooks is expected. The JSON of some clients allows comments and trailing commas, which are
//! errors in the JSON grammar. Therefore this module uses parsers of these formats, instead of
//! syntax nodes.

mod block;
mod json;
mod plugin;
mod toml;
mod yaml;

pub(super) use block::{merge_block, read_block, without_block};

/// How a client's configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigFormat {
    /// Plain JSON.
    Json,
    /// JSON with comments and trailing commas.
    JsonWithComments,
    /// TOML.
    Toml,
    /// YAML, with a list of servers that have a `name`.
    Yaml,
}

/// How a client lists the commands that it runs before and after edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookFormat {
    /// JSON, plain or with comments, with the commands of each event.
    Json(ConfigFormat),
    /// A plugin in JavaScript that is ours as a whole, and runs one command.
    Plugin,
}

/// How a client writes the command of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandShape {
    /// `command` is the program, `args` the list of its arguments.
    ProgramAndArguments,
    /// `command` is the list of the program and its arguments.
    List,
}

/// The configuration of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerEntry {
    /// Its transport, if the client requires one.
    pub(super) kind: Option<&'static str>,
    /// How the command is written.
    pub(super) shape: CommandShape,
    /// The program that the client starts.
    pub(super) command: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
}

/// A command that a client runs at an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HookEntry {
    /// The event.
    pub(super) event: String,
    /// The tools at which the client runs the command, if the event is about a tool.
    pub(super) matcher: Option<String>,
    /// The command line.
    pub(super) command: String,
    /// The time limit, in the unit of the client.
    pub(super) timeout: u64,
}

/// A configuration after a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Merged {
    pub(super) text: String,
    pub(super) change: ConfigChange,
}

/// How the configuration changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ConfigChange {
    /// The configuration has the entry already.
    Same,
    /// The entry is new.
    Added,
    /// An entry of ours differed.
    Replaced,
}

/// Why a configuration cannot be changed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotMerged {
    #[error("line {line}: {message}")]
    Unreadable { line: usize, message: String },
    #[error("{what} is not a table of keys and values")]
    NoTable { what: String },
    #[error("{what} is not a list with one entry a line")]
    NoList { what: String },
    #[error("{what} is defined twice")]
    Twice { what: String },
    #[error("another plugin has its name")]
    OtherPlugin,
    #[error("mixed line endings")]
    MixedLineEndings,
    #[error("line {line}: `{start}` has no `{end}` after it")]
    OpenBlock {
        line: usize,
        start: &'static str,
        end: &'static str,
    },
}

/// The byte order mark, which stays where it is.
const MARK: &str = "\u{feff}";

/// Applies a change to a text without its byte order mark.
fn unmarked(
    text: &str,
    change: impl FnOnce(&str) -> Result<(String, ConfigChange), NotMerged>,
) -> Result<Merged, NotMerged> {
    let (mark, bare) = match text.strip_prefix(MARK) {
        Some(bare) => (MARK, bare),
        None => ("", text),
    };
    let (changed, change) = change(bare)?;
    Ok(Merged {
        text: match change {
            ConfigChange::Same => text.to_string(),
            _ => format!("{mark}{changed}"),
        },
        change,
    })
}

/// Returns the text of a file with the named server among its `servers`.
///
/// If a server with the name is started by a command, it keeps its other settings (`env`,
/// timeouts). A server of another kind is replaced completely.
pub(super) fn merge(
    format: ConfigFormat,
    text: &str,
    servers: &str,
    name: &str,
    entry: &ServerEntry,
) -> Result<Merged, NotMerged> {
    unmarked(text, |bare| match format {
        ConfigFormat::Json => {
            json::check_strictly(bare)?;
            json::merge(bare, servers, name, entry)
        }
        ConfigFormat::JsonWithComments => json::merge(bare, servers, name, entry),
        ConfigFormat::Toml => toml::merge(bare, servers, name, entry),
        ConfigFormat::Yaml => yaml::merge(bare, servers, name, entry),
    })
}

/// Returns the command and the arguments of the named server, if the file has it.
pub(super) fn read_server(
    format: ConfigFormat,
    text: &str,
    servers: &str,
    name: &str,
) -> Result<Option<Vec<String>>, NotMerged> {
    let bare = text.trim_start_matches(MARK);
    match format {
        ConfigFormat::Json => {
            json::check_strictly(bare)?;
            json::read_server(bare, servers, name)
        }
        ConfigFormat::JsonWithComments => json::read_server(bare, servers, name),
        ConfigFormat::Toml => toml::read_server(bare, servers, name),
        ConfigFormat::Yaml => yaml::read_server(bare, servers, name),
    }
}

/// Returns the text of a file without the named server. An empty table of servers is removed too,
/// unless `keeps_table`.
pub(super) fn without_server(
    format: ConfigFormat,
    text: &str,
    servers: &str,
    name: &str,
    keeps_table: bool,
) -> Result<String, NotMerged> {
    let removed = unmarked(text, |bare| {
        let text = match format {
            ConfigFormat::Json | ConfigFormat::JsonWithComments => {
                json::without_server(bare, servers, name, keeps_table)?
            }
            ConfigFormat::Toml => toml::without_server(bare, servers, name, keeps_table)?,
            ConfigFormat::Yaml => yaml::without_server(bare, servers, name, keeps_table)?,
        };
        Ok((text, ConfigChange::Replaced))
    })?;
    Ok(removed.text)
}

/// Returns whether the file has a table of servers.
pub(super) fn has_servers(format: ConfigFormat, text: &str, servers: &str) -> bool {
    let bare = text.trim_start_matches(MARK);
    match format {
        ConfigFormat::Json | ConfigFormat::JsonWithComments => json::has_key(bare, &[servers]),
        ConfigFormat::Toml => toml::has_key(bare, servers),
        ConfigFormat::Yaml => yaml::has_key(bare, servers),
    }
}

/// Returns the text of a file with these hooks of ours, and with no other hook of ours at the
/// `events`. `is_ours` recognizes our command lines.
pub(super) fn merge_hooks(
    format: HookFormat,
    text: &str,
    events: &[&str],
    hooks: &[HookEntry],
    is_ours: &dyn Fn(&str) -> bool,
) -> Result<Merged, NotMerged> {
    unmarked(text, |bare| match format {
        HookFormat::Json(format) => {
            if format == ConfigFormat::Json {
                json::check_strictly(bare)?;
            }
            json::merge_hooks(bare, events, hooks, is_ours)
        }
        HookFormat::Plugin => plugin::merge_hooks(bare, hooks),
    })
}

/// Returns the hooks of ours in a file.
pub(super) fn read_hooks(
    format: HookFormat,
    text: &str,
    is_ours: &dyn Fn(&str) -> bool,
) -> Result<Vec<HookEntry>, NotMerged> {
    let bare = text.trim_start_matches(MARK);
    match format {
        HookFormat::Json(_) => json::read_hooks(bare, is_ours),
        HookFormat::Plugin => Ok(plugin::read_hooks(bare, is_ours)),
    }
}

/// Returns the text of a file without the hooks of ours. Lists that become empty are removed too,
/// unless `original` has them.
pub(super) fn without_hooks(
    format: HookFormat,
    text: &str,
    is_ours: &dyn Fn(&str) -> bool,
    original: &str,
) -> Result<String, NotMerged> {
    let removed = unmarked(text, |bare| {
        let original = original.trim_start_matches(MARK);
        let text = match format {
            HookFormat::Json(_) => json::without_hooks(bare, is_ours, original)?,
            HookFormat::Plugin => String::new(),
        };
        Ok((text, ConfigChange::Replaced))
    })?;
    Ok(removed.text)
}

/// Returns whether a file of hooks contains nothing that its user wrote.
pub(super) fn has_no_hooks(format: HookFormat, text: &str) -> bool {
    match format {
        HookFormat::Json(format) => is_empty(format, text),
        HookFormat::Plugin => text.trim_start_matches(MARK).is_empty(),
    }
}

/// Returns whether a configuration contains nothing that its user wrote.
pub(super) fn is_empty(format: ConfigFormat, text: &str) -> bool {
    let bare = text.trim_start_matches(MARK);
    match format {
        ConfigFormat::Json | ConfigFormat::JsonWithComments => json::is_empty(bare),
        ConfigFormat::Toml => bare.trim().is_empty(),
        ConfigFormat::Yaml => yaml::is_empty(bare),
    }
}

/// Returns the line ending of a text.
fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns a message that starts with a lower case letter, as refusals do.
fn lower(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().map(|first| first.to_lowercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}
