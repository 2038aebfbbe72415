//! The user's configuration of language servers. Input: a file. Output: the settings of each
//! server.

use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8Path;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::built_in::BuiltInServer;
use super::launch::Timeouts;
use crate::language::by_name;
use crate::memory;
use crate::workspace::{self, ConfigurationError, ConfigurationProblem, read_toml};

/// The user's configuration of servers, by the name of a language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    servers: BTreeMap<String, ServerConfiguration>,
    /// How many bytes of memory all servers of a workspace may use together.
    max_memory: Option<u64>,
    /// Whether the command line keeps servers in a background process.
    background: bool,
    /// The programs that `treegraft.toml` chooses, by the name of a language.
    chosen: BTreeMap<String, String>,
}

/// The user's configuration of a language's server: `[servers.<language>]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfiguration {
    /// The program and its arguments, instead of the built-in ones.
    pub command: Option<Vec<String>>,
    /// Whether a server is started at all.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// The responses to `workspace/configuration`, nested by the dots in a section's name.
    #[serde(default)]
    pub settings: Value,
    /// The `initializationOptions` of `initialize`. `${root}` in a text is the root directory.
    #[serde(default)]
    pub initialization_options: Value,
    /// Whether a running server reports how an applied edit has changed its diagnostics.
    #[serde(default = "yes")]
    pub after_edits: bool,
    /// The timeout of its start, in seconds.
    pub start_seconds: Option<f64>,
    /// The timeout of first answers, and of all while the server is indexing, in seconds.
    pub cold_seconds: Option<f64>,
    /// The timeout of every other answer, in seconds.
    pub warm_seconds: Option<f64>,
}

impl Default for ServerConfiguration {
    /// Returns the built-in configuration.
    fn default() -> ServerConfiguration {
        ServerConfiguration {
            command: None,
            enabled: true,
            settings: Value::Null,
            initialization_options: Value::Null,
            after_edits: true,
            start_seconds: None,
            cold_seconds: None,
            warm_seconds: None,
        }
    }
}

impl Configuration {
    /// Reads a configuration file; a missing file is an empty one.
    ///
    /// # Errors
    /// The file cannot be read, or is not valid.
    pub fn read(path: &Utf8Path) -> Result<Configuration, ConfigurationError> {
        let error = |problem| ConfigurationError::of_file(path, problem);
        match workspace::read_configuration(path) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes);
                let text = text.map_err(|_| error(ConfigurationProblem::NotUtf8))?;
                Configuration::parse(path, &text)
            }
            Err(refused) if refused.kind() == std::io::ErrorKind::NotFound => {
                Ok(Configuration::default())
            }
            Err(refused) => Err(error(ConfigurationProblem::Reported(refused.to_string()))),
        }
    }

    /// Parses the text of the file `path`.
    ///
    /// # Errors
    /// The text is not valid, or configures a language without a built-in server.
    pub fn parse(path: &Utf8Path, text: &str) -> Result<Configuration, ConfigurationError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct ConfigurationFile {
            #[serde(default)]
            servers: BTreeMap<String, ServerConfiguration>,
            #[serde(default, deserialize_with = "read_memory")]
            max_memory: Option<u64>,
            #[serde(default)]
            background: bool,
            approval: Option<Value>,
            guard: Option<Value>,
        }
        let (file, document) = read_toml::<ConfigurationFile>(path, text)?;
        if file.approval.is_some() {
            workspace::approval_setting(path, text)?;
        }
        if file.guard.is_some() {
            workspace::guard_setting(path, text)?;
        }
        let servers = document.get("servers").and_then(|it| it.as_table_like());
        let span = |name: &str| {
            let (key, _) = servers?.get_key_value(name)?;
            key.span()
        };
        for (name, server) in &file.servers {
            if let Some(problem) = problem(name, server) {
                return Err(ConfigurationError::at(path, text, span(name), problem));
            }
        }
        Ok(Configuration {
            servers: file.servers,
            max_memory: file.max_memory,
            background: file.background,
            chosen: BTreeMap::new(),
        })
    }

    /// Replaces the configuration of a language's server.
    pub fn with(mut self, language: &str, server: ServerConfiguration) -> Configuration {
        self.servers.insert(language.to_string(), server);
        self
    }

    /// Limits the memory of all servers of a workspace together, in bytes.
    pub fn with_max_memory(self, bytes: u64) -> Configuration {
        Configuration {
            max_memory: Some(bytes),
            ..self
        }
    }

    /// Uses these programs of built-in servers, by the name of a language, unless the configuration has a command.
    pub fn with_chosen(self, chosen: BTreeMap<String, String>) -> Configuration {
        Configuration { chosen, ..self }
    }

    /// Returns whether a question of the command line starts a background process that keeps the servers.
    pub fn has_background(&self) -> bool {
        self.background
    }

    pub(super) fn max_memory(&self) -> Option<u64> {
        self.max_memory
    }

    /// Returns the configuration of a server: under its own name, or under that of another of its
    /// languages.
    pub(super) fn for_server(&self, server: &BuiltInServer) -> ServerConfiguration {
        let configured = server.names().find_map(|name| self.servers.get(name));
        configured.cloned().unwrap_or_default()
    }

    /// Returns the program that `treegraft.toml` chooses for a server, in the same way.
    pub(super) fn chosen_for(&self, server: &BuiltInServer) -> Option<&str> {
        let chosen = server.names().find_map(|name| self.chosen.get(name));
        chosen.map(String::as_str)
    }
}

impl ServerConfiguration {
    /// Returns the server's settings, over its defaults as JSON.
    pub(super) fn settings_over(&self, defaults: &str) -> Value {
        merged(defaults, &self.settings)
    }

    /// Returns the server's initialization options, over its defaults as JSON. `${root}` in a text becomes `root`.
    pub(super) fn initialization_options_over(&self, defaults: &str, root: &Utf8Path) -> Value {
        let mut options = merged(defaults, &self.initialization_options);
        name_root(&mut options, root);
        options
    }

    /// Returns the server's timeouts, over its defaults.
    pub(super) fn timeouts_over(&self, mut defaults: Timeouts) -> Timeouts {
        for (timeout, seconds) in [
            (&mut defaults.start, self.start_seconds),
            (&mut defaults.cold, self.cold_seconds),
            (&mut defaults.warm, self.warm_seconds),
        ] {
            *timeout = seconds.map_or(*timeout, Duration::from_secs_f64);
        }
        defaults
    }
}

/// Reads a text such as `"4 GB"` as a number of bytes.
fn read_memory<'de, D: Deserializer<'de>>(value: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(value)?;
    memory::parse(&text).map(Some).map_err(D::Error::custom)
}

/// Returns what is wrong in the configuration of a language's server.
fn problem(language: &str, server: &ServerConfiguration) -> Option<ConfigurationProblem> {
    let name = language.to_string();
    if BuiltInServer::for_language(language).is_none() {
        return Some(
            match by_name(language).is_some_and(|known| known.name == language) {
                true => ConfigurationProblem::NoServer(name),
                false => ConfigurationProblem::UnknownLanguage(name),
            },
        );
    }
    if server.command.as_ref().is_some_and(Vec::is_empty) {
        return Some(ConfigurationProblem::EmptyCommand(name));
    }
    let seconds = [
        server.start_seconds,
        server.cold_seconds,
        server.warm_seconds,
    ];
    let is_time = |seconds: &f64| Duration::try_from_secs_f64(*seconds).is_ok() && *seconds > 0.0;
    let are_times = seconds.iter().flatten().all(is_time);
    (!are_times).then_some(ConfigurationProblem::InvalidTimeout(name))
}

/// Returns the user's values over defaults as JSON.
fn merged(defaults: &str, values: &Value) -> Value {
    let mut merged = serde_json::from_str(defaults).unwrap_or_default();
    merge(&mut merged, values);
    merged
}

/// Replaces `${root}` in all texts of a value.
fn name_root(value: &mut Value, root: &Utf8Path) {
    match value {
        Value::String(text) => *text = text.replace("${root}", root.as_str()),
        Value::Array(values) => values.iter_mut().for_each(|value| name_root(value, root)),
        Value::Object(values) => values.values_mut().for_each(|value| name_root(value, root)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Merges one value into another: objects by their keys, everything else as a whole.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (_, Value::Null) => {}
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

fn yes() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_merged_by_their_keys() {
        let mut settings = json!({"a": {"b": 1, "c": 2}, "d": 3});
        merge(&mut settings, &json!({"a": {"b": {"x": 4}}, "e": 5}));
        let both = json!({"a": {"b": {"x": 4}, "c": 2}, "d": 3, "e": 5});
        assert_eq!(settings, both);
        merge(&mut settings, &Value::Null);
        assert_eq!(settings, both);
    }

    #[test]
    fn the_limit_of_memory_is_read() {
        let read = |value: &str| {
            let text = format!("max_memory = {value}\n");
            let read = Configuration::parse("c.toml".into(), &text);
            read.map(|configuration| configuration.max_memory())
        };
        assert_eq!(read("\"4 GB\""), Ok(Some(4_000_000_000)));
        for value in ["4", "\"4\""] {
            let error = read(value).expect_err(value).to_string();
            assert!(error.starts_with("c.toml:1: "), "{error}");
        }
    }

    #[test]
    fn a_configuration_is_read() {
        let text = "# ours\n[servers.python]\ncommand = [\"pyright-langserver\", \"--stdio\"]\n\
                    settings = { python = { analysis = { typeCheckingMode = \"off\" } } }\n\
                    cold_seconds = 90\n\n[servers.rust]\nenabled = false\n";
        let configuration = Configuration::parse("c.toml".into(), text).expect("it is valid");
        let python = configuration
            .for_server(BuiltInServer::for_language("python").expect("it is built in"));
        let words = ["pyright-langserver", "--stdio"].map(str::to_string);
        assert_eq!(python.command.as_deref(), Some(&words[..]));
        assert_eq!(
            python.settings["python"]["analysis"]["typeCheckingMode"],
            "off"
        );
        assert_eq!((python.enabled, python.cold_seconds), (true, Some(90.0)));
        assert!(
            !configuration
                .for_server(BuiltInServer::for_language("rust").expect("it is built in"))
                .enabled
        );
        assert!(
            configuration
                .for_server(BuiltInServer::for_language("go").expect("it is built in"))
                .enabled
        );
    }

    #[test]
    fn errors_in_a_configuration_name_its_line() {
        for (text, expected) in [
            (
                "[servers.python]\ncomand = []\n",
                "c.toml:2: unknown field `comand`, expected one of `command`, `enabled`, `settings`, \
                 `initialization_options`, `after_edits`, `start_seconds`, `cold_seconds`, `warm_seconds`",
            ),
            (
                "\n[server.python]\n",
                "c.toml:2: unknown field `server`, expected one of `servers`, `max_memory`, `background`, \
                 `approval`, `guard`",
            ),
            (
                "[servers.python]\n[servers.pyton]\n",
                "c.toml:2: unknown language `pyton`: `treegraft languages` lists all",
            ),
            (
                "[servers.markdown_inline]\ncommand = [\"x\"]\n",
                "c.toml:1: `markdown_inline` has no built-in server",
            ),
            (
                "[servers.go]\ncommand = []\n",
                "c.toml:1: the command of `go` is empty",
            ),
            (
                "[servers.go]\nwarm_seconds = -1\n",
                "c.toml:1: the timeouts of `go` must be greater than 0 seconds",
            ),
            (
                "[servers.go]\ncommand = \"gopls\"\n",
                "c.toml:2: invalid type: string \"gopls\", expected a sequence",
            ),
            ("[servers.go\n", "c.toml:1: unclosed table, expected `]`"),
        ] {
            let error = Configuration::parse("c.toml".into(), text).expect_err("it is not valid");
            assert_eq!(error.to_string(), expected);
        }
    }
}
