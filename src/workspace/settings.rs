//! The settings of a repository, in a `treegraft.toml` at the root of a workspace.
//!
//! Settings name no program and no file outside the root (docs/design/front-ends.md#safety). They exclude files from
//! lists, map extensions to languages, lower limits, require approval of the edits of agents, and choose groups of
//! tools and built-in language servers. A file with an error is ignored completely, and the line of the error is
//! reported. Thus, a file of another program or for a later version blocks nobody.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::ops::Range;

use camino::{Utf8Path, Utf8PathBuf};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::language::{self, Language};

use super::disk::Folder;

/// The name of the file.
pub(super) const NAME: &str = "treegraft.toml";
/// The setting that requires a person's approval of each edit, and its only value.
pub(super) const APPROVAL: &str = "approval";
const REQUIRED: &str = "required";
/// The setting of what hooks do with a call that would fail or break the syntax.
const GUARD: &str = "guard";
/// The maximum size of the settings file, in bytes.
const SIZE_LIMIT: u64 = 1024 * 1024;

/// The maximum size of a file that can be read, in bytes.
pub const FILE_LIMIT: u64 = 16 * 1024 * 1024;
/// The maximum number of files that one outline or search examines. The cursor continues from there.
pub const FILES_LOOKED_AT: usize = 10_000;
/// The maximum number of symbols or matches in one answer.
pub const ITEMS_LIMIT: usize = 2_000;

/// A group of tools. A client can load groups separately, since each tool description costs tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolGroup {
    /// Questions about places.
    Read,
    /// Edits, as previews.
    Edit,
    /// Applying and discarding previews.
    Flow,
    /// Questions to language servers.
    Server,
    /// The few tools that are enough for most edits. They cost a fraction of the groups that they are from, whose other
    /// tools are not listed, but can be called.
    Lean,
}

impl ToolGroup {
    /// All groups.
    pub const ALL: &[ToolGroup] = &[
        ToolGroup::Read,
        ToolGroup::Edit,
        ToolGroup::Flow,
        ToolGroup::Server,
        ToolGroup::Lean,
    ];

    /// The groups that a server offers if nothing chooses others.
    pub const DEFAULT: &[ToolGroup] = &[ToolGroup::Lean];

    /// Returns the name of the group in options and configurations.
    pub const fn name(self) -> &'static str {
        match self {
            ToolGroup::Read => "read",
            ToolGroup::Edit => "edit",
            ToolGroup::Flow => "flow",
            ToolGroup::Server => "server",
            ToolGroup::Lean => "lean",
        }
    }
}

/// Why a configuration cannot be used.
///
/// [`diagnostic`](crate::diagnostic) implements its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigurationError {
    /// The file.
    pub path: Utf8PathBuf,
    /// The line, from 1, or 0 if the file cannot be read.
    pub line: usize,
    /// What is wrong there.
    pub problem: ConfigurationProblem,
}

/// What is wrong in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigurationProblem {
    /// A message of the system, of the TOML parser or of the pattern parser.
    Reported(String),
    /// The file is a directory, a device or a pipe.
    NotAFile,
    /// The file is larger than this number of bytes.
    TooLarge(u64),
    /// The file is not UTF-8.
    NotUtf8,
    /// A limit is zero or above the built-in one.
    LimitOutOfRange {
        /// The name of the limit.
        name: &'static str,
        /// The built-in limit.
        max: u64,
    },
    /// The text is not an extension.
    InvalidExtension(String),
    /// The value of `approval` is unknown.
    InvalidApproval,
    /// The value of `guard` is unknown.
    InvalidGuard,
    /// No language has that name.
    UnknownLanguage(String),
    /// The language has no built-in server.
    NoServer(String),
    /// The command of the language's server is empty.
    EmptyCommand(String),
    /// A timeout of the language's server is not above zero.
    InvalidTimeout(String),
}

impl std::error::Error for ConfigurationError {}

impl ConfigurationError {
    /// Returns an error at an offset in `text`, the text of the file `path`. Without an offset, the error is in the
    /// first line.
    pub(crate) fn at(
        path: &Utf8Path,
        text: &str,
        at: Option<Range<usize>>,
        problem: ConfigurationProblem,
    ) -> Self {
        let before = text.get(..at.map_or(0, |at| at.start)).unwrap_or(text);
        ConfigurationError {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            problem,
        }
    }

    /// Returns the error of a file that cannot be read.
    pub(crate) fn of_file(path: &Utf8Path, problem: ConfigurationProblem) -> Self {
        ConfigurationError {
            path: path.to_owned(),
            line: 0,
            problem,
        }
    }
}

/// Parses a TOML text. Also returns the document, which has the positions of keys.
pub(crate) fn read_toml<T: DeserializeOwned>(
    path: &Utf8Path,
    text: &str,
) -> Result<(T, toml_edit::Document<String>), ConfigurationError> {
    let error = |at, message: &str| {
        let problem = ConfigurationProblem::Reported(message.to_string());
        ConfigurationError::at(path, text, at, problem)
    };
    let settings = toml_edit::de::from_str(text)
        .map_err(|refused| error(refused.span(), refused.message()))?;
    let document = toml_edit::Document::parse(text.to_string())
        .map_err(|refused| error(refused.span(), refused.message()))?;
    Ok((settings, document))
}

/// The settings of a root. Empty if there is no `treegraft.toml`.
#[derive(Debug, Default)]
pub struct Settings {
    ignored: Option<Gitignore>,
    /// The languages by extension, in lower case and without the dot.
    languages: BTreeMap<String, &'static Language>,
    limits: Limits,
    requires_approval: bool,
    tools: Option<Vec<ToolGroup>>,
    /// The program of the built-in server, by the name of a language.
    servers: BTreeMap<String, String>,
    settings_errors: Option<ConfigurationError>,
}

/// Limits, which cannot exceed the built-in ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) file_bytes: Option<u64>,
    pub(crate) files: Option<usize>,
    pub(crate) items: Option<usize>,
}

impl Limits {
    /// Refuses zero, and limits above the built-in ones.
    fn check(&self, located: &LocatedToml<'_>) -> Result<(), ConfigurationError> {
        let count = |limit: Option<usize>| limit.map(|limit| limit as u64);
        for (name, given, max) in [
            ("file_bytes", self.file_bytes, FILE_LIMIT),
            ("files", count(self.files), FILES_LOOKED_AT as u64),
            ("items", count(self.items), ITEMS_LIMIT as u64),
        ] {
            if given.is_some_and(|given| given == 0 || given > max) {
                let problem = ConfigurationProblem::LimitOutOfRange { name, max };
                return Err(located.error(located.key("limits", name), problem));
            }
        }
        Ok(())
    }
}

/// A settings file, with the positions of its keys for errors.
struct LocatedToml<'t> {
    path: &'t Utf8Path,
    text: &'t str,
    toml: toml_edit::Document<String>,
}

impl LocatedToml<'_> {
    fn error(&self, at: Option<Range<usize>>, problem: ConfigurationProblem) -> ConfigurationError {
        ConfigurationError::at(self.path, self.text, at, problem)
    }

    fn key(&self, table: &str, key: &str) -> Option<Range<usize>> {
        let table = self.toml.get(table)?.as_table_like()?;
        let (key, _) = table.get_key_value(key)?;
        key.span()
    }

    fn pattern(&self, index: usize) -> Option<Range<usize>> {
        self.toml.get("ignore")?.as_array()?.get(index)?.span()
    }
}

/// Returns the languages by extension, in lower case.
fn languages(
    located: &LocatedToml<'_>,
    given: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, &'static Language>, ConfigurationError> {
    let mut languages = BTreeMap::new();
    for (ending, name) in given {
        let refused = |problem| located.error(located.key("languages", ending), problem);
        if ending.is_empty() || ending.contains(['.', '/', '\\', '*']) {
            return Err(refused(ConfigurationProblem::InvalidExtension(
                ending.clone(),
            )));
        }
        let language = named(name)
            .ok_or_else(|| refused(ConfigurationProblem::UnknownLanguage(name.clone())))?;
        languages.insert(ending.to_lowercase(), language);
    }
    Ok(languages)
}

impl Settings {
    /// Reads the settings of the directory `root`, whose path is `path`.
    pub(super) fn read(root: &Folder, path: &Utf8Path) -> Settings {
        Settings::read_whole(root, path).unwrap_or_else(|error| Settings {
            settings_errors: Some(error),
            ..Settings::default()
        })
    }

    fn read_whole(root: &Folder, path: &Utf8Path) -> Result<Settings, ConfigurationError> {
        let own = path.join(NAME);
        let Some(bytes) = bytes(root, &own)? else {
            return Ok(Settings::default());
        };
        let text = String::from_utf8(bytes);
        let text =
            text.map_err(|_| ConfigurationError::of_file(&own, ConfigurationProblem::NotUtf8))?;
        Settings::parse(path, &text)
    }

    /// Parses the settings of the directory `root`.
    ///
    /// # Errors
    /// There is an unknown field, an invalid pattern, an unknown language, or a limit above the built-in one.
    pub fn parse(root: &Utf8Path, text: &str) -> Result<Settings, ConfigurationError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            ignore: Vec<String>,
            #[serde(default)]
            languages: BTreeMap<String, String>,
            #[serde(default)]
            limits: Limits,
            approval: Option<Value>,
            #[serde(default, deserialize_with = "read_tools")]
            tools: Option<Vec<ToolGroup>>,
            #[serde(default)]
            servers: BTreeMap<String, String>,
        }
        let path = root.join(NAME);
        let (file, toml) = read_toml::<File>(&path, text)?;
        let located = LocatedToml {
            path: &path,
            text,
            toml,
        };
        let reported = |error: &ignore::Error| ConfigurationProblem::Reported(error.to_string());
        let mut patterns = GitignoreBuilder::new(root);
        for (index, line) in file.ignore.iter().enumerate() {
            let added = patterns.add_line(None, line);
            added.map_err(|error| located.error(located.pattern(index), reported(&error)))?;
        }
        let languages = languages(&located, &file.languages)?;
        for language in file.servers.keys() {
            if named(language).is_none() {
                let problem = ConfigurationProblem::UnknownLanguage(language.clone());
                return Err(located.error(located.key("servers", language), problem));
            }
        }
        file.limits.check(&located)?;
        let requires_approval = file.approval.is_some() && approval(&path, text)?;
        let ignored = (!file.ignore.is_empty()).then(|| patterns.build());
        Ok(Settings {
            ignored: ignored
                .transpose()
                .map_err(|error| located.error(None, reported(&error)))?,
            languages,
            limits: file.limits,
            requires_approval,
            tools: file.tools,
            servers: file.servers,
            settings_errors: None,
        })
    }

    /// Returns whether the settings exclude a path. The path is absolute and below the root.
    pub(super) fn leave_out(&self, path: &Utf8Path, is_folder: bool) -> bool {
        let ignored = self.ignored.as_ref();
        ignored.is_some_and(|ignored| ignored.matched(path, is_folder).is_ignore())
    }

    /// Returns the language that the settings assign to a file.
    pub(super) fn language_of(&self, path: &Utf8Path) -> Option<&'static Language> {
        let ending = path.extension()?.to_lowercase();
        self.languages.get(&ending).copied()
    }

    /// Returns the maximum size of a file that can be read, in bytes.
    pub(super) fn file_bytes(&self) -> u64 {
        self.limits.file_bytes.unwrap_or(FILE_LIMIT)
    }

    /// Returns the maximum number of files that one outline or search examines.
    pub(super) fn files(&self) -> usize {
        self.limits.files.unwrap_or(FILES_LOOKED_AT)
    }

    /// Returns the maximum number of symbols or matches in one answer.
    pub(super) fn items(&self) -> usize {
        self.limits.items.unwrap_or(ITEMS_LIMIT)
    }

    /// Returns why the settings file is ignored, if it is.
    pub(super) fn settings_errors(&self) -> Option<&ConfigurationError> {
        self.settings_errors.as_ref()
    }

    /// Returns whether the file sets nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.patterns() == 0
            && self.languages.is_empty()
            && self.limits == Limits::default()
            && !self.requires_approval
            && self.tools.is_none()
            && self.servers.is_empty()
    }

    /// Returns the number of patterns that exclude files from lists.
    pub(crate) fn patterns(&self) -> usize {
        self.ignored.as_ref().map_or(0, Gitignore::len)
    }

    /// Returns each extension that has a language, and the language.
    pub(crate) fn languages(&self) -> impl Iterator<Item = (&str, &'static Language)> {
        let languages = self.languages.iter();
        languages.map(|(extension, language)| (extension.as_str(), *language))
    }

    /// Returns whether a person has to approve each edit of an agent. Read for display only: the file may change.
    pub(crate) fn requires_approval(&self) -> bool {
        self.requires_approval
    }

    /// Returns the groups of tools that a server of the root offers, if the file chooses them.
    pub(crate) fn tools(&self) -> Option<&[ToolGroup]> {
        self.tools.as_deref()
    }

    /// Returns the program that the file chooses among those of the built-in server of a language, by the name of the
    /// language. The program may be unknown.
    pub(crate) fn servers(&self) -> &BTreeMap<String, String> {
        &self.servers
    }

    /// Returns the limits that are set.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// Reads at least one group of tools.
fn read_tools<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Vec<ToolGroup>>, D::Error> {
    let groups = Vec::<ToolGroup>::deserialize(value)?;
    match groups.is_empty() {
        true => Err(D::Error::custom("`tools` has no group of tools")),
        false => Ok(Some(groups)),
    }
}

/// Returns the bytes of the settings file `path` in the directory `root`, or `None` if there is no such file.
pub(super) fn bytes(root: &Folder, path: &Utf8Path) -> Result<Option<Vec<u8>>, ConfigurationError> {
    let error = |problem| ConfigurationError::of_file(path, problem);
    let failed = |source: io::Error| error(ConfigurationProblem::Reported(source.to_string()));
    let metadata = match root.look(NAME) {
        Err(failed) if failed.source.kind() == ErrorKind::NotFound => return Ok(None),
        looked => looked.map_err(|refused| failed(refused.source))?,
    };
    if !metadata.is_file() {
        return Err(error(ConfigurationProblem::NotAFile));
    }
    if metadata.len() > SIZE_LIMIT {
        return Err(error(ConfigurationProblem::TooLarge(SIZE_LIMIT)));
    }
    let read = root
        .open_to_read(NAME)
        .and_then(|mut file| file.read(SIZE_LIMIT, metadata.len()));
    read.map(Some).map_err(|refused| failed(refused.source))
}

/// Returns whether the configuration file `path` requires that a person approves each edit of an agent. Other settings
/// in the file may be invalid.
///
/// # Errors
/// The text is not TOML, or the setting has an unknown value.
pub(crate) fn approval(path: &Utf8Path, text: &str) -> Result<bool, ConfigurationError> {
    let toml = toml_edit::Document::parse(text).map_err(|refused| {
        let problem = ConfigurationProblem::Reported(refused.message().to_string());
        ConfigurationError::at(path, text, refused.span(), problem)
    })?;
    match toml.get_key_value(APPROVAL) {
        None => Ok(false),
        Some((_, value)) if value.as_str() == Some(REQUIRED) => Ok(true),
        Some((key, _)) => {
            let problem = ConfigurationProblem::InvalidApproval;
            Err(ConfigurationError::at(path, text, key.span(), problem))
        }
    }
}

/// What a hook does with a call of an agent's own edit tool that would fail or break the syntax.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guard {
    /// It denies the call, once.
    #[default]
    Deny,
    /// It only tells the agent.
    Warn,
    /// It does nothing.
    Off,
}

/// Returns what hooks do according to the user's configuration; the default if it cannot be read.
pub fn user_guard() -> Guard {
    let path = user_configuration_path();
    let read = path.and_then(|path| {
        let bytes = super::read_configuration(&path).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        guard(&path, &text).ok()
    });
    read.unwrap_or_default()
}

/// Returns what hooks do according to the user's configuration file `path`. Other settings in the file may be invalid.
///
/// # Errors
/// The text is not TOML, or the setting has an unknown value.
pub(crate) fn guard(path: &Utf8Path, text: &str) -> Result<Guard, ConfigurationError> {
    let toml = toml_edit::Document::parse(text).map_err(|refused| {
        let problem = ConfigurationProblem::Reported(refused.message().to_string());
        ConfigurationError::at(path, text, refused.span(), problem)
    })?;
    let Some((key, value)) = toml.get_key_value(GUARD) else {
        return Ok(Guard::default());
    };
    match value.as_str() {
        Some("deny") => Ok(Guard::Deny),
        Some("warn") => Ok(Guard::Warn),
        Some("off") => Ok(Guard::Off),
        _ => {
            let problem = ConfigurationProblem::InvalidGuard;
            Err(ConfigurationError::at(path, text, key.span(), problem))
        }
    }
}

/// Returns the path of the user's configuration: `$XDG_CONFIG_HOME/treegraft/config.toml`, or
/// `~/.config/treegraft/config.toml`; `None` for a user without a home directory.
pub fn user_configuration_path() -> Option<Utf8PathBuf> {
    use etcetera::BaseStrategy;
    let user = etcetera::base_strategy::Xdg::new().ok()?;
    let path = Utf8PathBuf::from_path_buf(user.config_dir()).ok()?;
    Some(path.join("treegraft/config.toml"))
}

/// Returns the language with this name, if whole files can have it.
fn named(name: &str) -> Option<&'static Language> {
    let plain = language::plain_text();
    let built_in = language::by_name(name).filter(|language| !language.is_inner());
    built_in.or((plain.name == name).then_some(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Settings, ConfigurationError> {
        Settings::parse(Utf8Path::new("/r"), text)
    }

    #[test]
    fn what_is_said_counts() {
        let settings = parse(
            "ignore = [\"vendor/\", \"*.min.js\", \"!kept.min.js\"]\n[languages]\nINC = \"text\"\n\
             [limits]\nfile_bytes = 10\nfiles = 3\nitems = 2\n",
        )
        .expect("it is right");
        let leaves_out = |path: &str, is_folder| settings.leave_out(Utf8Path::new(path), is_folder);
        assert!(leaves_out("/r/a/vendor", true) && !leaves_out("/r/vendor", false));
        assert!(leaves_out("/r/a.min.js", false) && !leaves_out("/r/kept.min.js", false));
        let language = |path: &str| settings.language_of(Utf8Path::new(path));
        assert_eq!(language("a.inc").map(|it| it.name), Some("text"));
        assert!(language("inc").is_none() && language("a.inc.rs").is_none());
        assert_eq!(
            (settings.file_bytes(), settings.files(), settings.items()),
            (10, 3, 2)
        );
        let none = parse("").expect("it says nothing");
        assert_eq!(none.file_bytes(), FILE_LIMIT);
        assert!(none.is_empty() && !none.leave_out(Utf8Path::new("/r/a"), false));
    }

    #[test]
    fn what_nobody_understands_is_named_with_its_line() {
        for (text, expected) in [
            (
                "\n[server]\n",
                "/r/treegraft.toml:2: unknown field `server`",
            ),
            // Only the user's configuration has commands.
            (
                "\n[servers.python]\ncommand = [\"ty\"]\n",
                "/r/treegraft.toml:2: invalid type: map, expected a string",
            ),
            (
                "[servers]\ngo = \"gopls\"\npyton = \"ty\"\n",
                "/r/treegraft.toml:3: unknown language `pyton`",
            ),
            (
                "\ntools = [\"read\", \"reed\"]\n",
                "/r/treegraft.toml:2: unknown variant `reed`, expected one of `read`, `edit`, `flow`, `server`",
            ),
            (
                "\ntools = []\n",
                "/r/treegraft.toml:2: `tools` has no group of tools",
            ),
            (
                "ignore = [\n  \"a\",\n  \"{b\",\n]\n",
                "/r/treegraft.toml:3: ",
            ),
            (
                "[languages]\n\".inc\" = \"text\"\n",
                "/r/treegraft.toml:2: `.inc` is not an extension",
            ),
            (
                "[languages]\ninc = \"pyton\"\n",
                "/r/treegraft.toml:2: unknown language `pyton`",
            ),
            (
                "[languages]\ninc = \"markdown_inline\"\n",
                "/r/treegraft.toml:2: unknown language",
            ),
            (
                "[limits]\nfiles = 1\nitems = 0\n",
                "/r/treegraft.toml:3: `items` must be from 1 to 2000",
            ),
            (
                "[limits]\nfile_bytes = 16777217\n",
                "/r/treegraft.toml:2: `file_bytes` must be from 1",
            ),
            ("[limits]\nfile_bytes = -1\n", "/r/treegraft.toml:2: "),
            ("ignore = 1\n", "/r/treegraft.toml:1: "),
            ("a = \n", "/r/treegraft.toml:1: "),
            (
                "[languages]\na = \"\\u001b[2J\\n\\u202e\"\n",
                "/r/treegraft.toml:2: unknown language `\\u{1b}[2J\\n\\u{202e}`",
            ),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
