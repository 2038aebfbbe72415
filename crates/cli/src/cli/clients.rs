//! The table of MCP clients, with the paths and the formats of their configurations.

use camino::{Utf8Path, Utf8PathBuf};
use etcetera::BaseStrategy;

use super::configuration::{CommandShape, ConfigFormat, HookEntry, HookFormat, ServerEntry};
use crate::user_files;

/// The default name of the server in a configuration.
pub(super) const SERVER_NAME: &str = "treegraft";

/// An MCP client: a program that starts MCP servers.
pub(super) struct McpClient {
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// Its product name.
    pub(super) title: &'static str,
    /// How its configuration is written.
    pub(super) format: ConfigFormat,
    /// The key of the table of servers.
    pub(super) servers: &'static str,
    /// How it writes the command of a server.
    shape: CommandShape,
    /// The value of `type` for a server that the client starts by a command, if the client requires
    /// it.
    kind: Option<&'static str>,
    /// Its user configuration: the first of the names that exists, else the first one.
    user: (Base, &'static [&'static str]),
    /// Its project configuration, chosen in the same way; empty if it has none.
    project: &'static [&'static str],
    /// The environment variable that moves the user configuration.
    moved: Moved,
    /// The variable for the directory of the project, if the client replaces it in arguments.
    project_variable: Option<&'static str>,
    /// How it runs commands before and after edits.
    pub(super) hooks: Hooks,
    /// The files with instructions for the model, of the user and of a project.
    instructions: (Option<(Base, &'static str)>, Option<&'static str>),
}

/// The base directory of a user configuration.
#[derive(Clone, Copy)]
enum Base {
    /// The home directory.
    Home,
    /// `$XDG_CONFIG_HOME`, else `~/.config`; `%APPDATA%` on Windows.
    Config,
    /// The same as `Config`; `~/.config` on Windows.
    DotConfig,
    /// The same as `Config`; `~/Library/Application Support` on macOS.
    Application,
}

/// What an environment variable of a client moves.
#[derive(Clone, Copy)]
enum Moved {
    Nothing,
    /// The directory of its files.
    Directory(&'static str),
    /// The file of its servers.
    File(&'static str),
}

/// How a client runs commands before and after edits.
pub(super) enum Hooks {
    /// A file that lists commands.
    File(HookFile),
    /// None that treegraft can use, and why.
    None(&'static str),
}

/// An event, and the tools at which the client reports it, if it is about a tool.
type HookEvent = (&'static str, Option<&'static str>);

/// A file that lists the hooks of a client.
pub(super) struct HookFile {
    pub(super) format: HookFormat,
    user: (Base, &'static str),
    project: &'static str,
    /// The events at which edits are checked, with the built-in tools that edit.
    before: &'static [HookEvent],
    /// The event after an edit, if `treegraft client hook` reports new errors at it.
    after: Option<HookEvent>,
    /// A second in the unit of the client's time limits.
    second: u64,
}

/// The scope of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigScope {
    /// All projects of the user.
    User,
    /// One project.
    Project,
}

/// The time limit of a check, which takes less than a second.
const CHECK_SECONDS: u64 = 10;
/// The time limit of a hook that waits for a language server, which is ten seconds.
const DIAGNOSTICS_SECONDS: u64 = 20;

const AGENTS: Option<&str> = Some("AGENTS.md");

/// The clients, in the order in which they are listed.
///
/// Each one names the pages of its documentation on servers, hooks and instructions.
pub(super) const CLIENTS: [McpClient; 13] = [
    // https://code.claude.com/docs/en/mcp, https://code.claude.com/docs/en/hooks,
    // https://code.claude.com/docs/en/memory
    McpClient {
        name: "claude-code",
        title: "Claude Code",
        format: ConfigFormat::Json,
        servers: "mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: Some("stdio"),
        user: (Base::Home, &[".claude.json"]),
        project: &[".mcp.json"],
        moved: Moved::Directory("CLAUDE_CONFIG_DIR"),
        project_variable: None,
        hooks: Hooks::File(HookFile {
            format: HookFormat::Json(ConfigFormat::Json),
            user: (Base::Home, ".claude/settings.json"),
            project: ".claude/settings.json",
            before: &[
                ("PreToolUse", Some("Edit|MultiEdit|Write")),
                // Reports the edits that the client refuses before `PreToolUse`; about no tool.
                ("PostToolBatch", None),
            ],
            after: Some(("PostToolUse", Some("Edit|MultiEdit|Write"))),
            second: 1,
        }),
        instructions: (Some((Base::Home, ".claude/CLAUDE.md")), Some("CLAUDE.md")),
    },
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers
    McpClient {
        name: "claude-desktop",
        title: "Claude Desktop",
        format: ConfigFormat::Json,
        servers: "mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (Base::Application, &["Claude/claude_desktop_config.json"]),
        project: &[],
        moved: Moved::Nothing,
        project_variable: None,
        hooks: Hooks::None("its documentation has no hooks"),
        instructions: (None, None),
    },
    // https://cursor.com/docs/mcp, https://cursor.com/docs/agent/hooks,
    // https://cursor.com/docs/context/rules
    McpClient {
        name: "cursor",
        title: "Cursor",
        format: ConfigFormat::JsonWithComments,
        servers: "mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (Base::Home, &[".cursor/mcp.json"]),
        project: &[".cursor/mcp.json"],
        moved: Moved::Nothing,
        project_variable: Some("${workspaceFolder}"),
        hooks: Hooks::None("`treegraft client hook` does not read the events of its hooks"),
        instructions: (None, AGENTS),
    },
    // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration,
    // https://code.visualstudio.com/docs/copilot/customization/custom-instructions
    McpClient {
        name: "vscode",
        title: "VS Code",
        format: ConfigFormat::JsonWithComments,
        servers: "servers",
        shape: CommandShape::ProgramAndArguments,
        kind: Some("stdio"),
        user: (Base::Application, &["Code/User/mcp.json"]),
        project: &[".vscode/mcp.json"],
        moved: Moved::Nothing,
        project_variable: Some("${workspaceFolder}"),
        hooks: Hooks::None("`treegraft client hook` does not read the events of its hooks"),
        instructions: (None, AGENTS),
    },
    // https://zed.dev/docs/ai/mcp, https://zed.dev/docs/ai/rules
    McpClient {
        name: "zed",
        title: "Zed",
        format: ConfigFormat::JsonWithComments,
        servers: "context_servers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (Base::Config, &["zed/settings.json"]),
        project: &[".zed/settings.json"],
        moved: Moved::Nothing,
        project_variable: None,
        hooks: Hooks::None("its documentation has no hooks"),
        instructions: (None, AGENTS),
    },
    // https://developers.openai.com/codex/mcp, https://developers.openai.com/codex/hooks,
    // https://developers.openai.com/codex/guides/agents-md
    McpClient {
        name: "codex",
        title: "Codex",
        format: ConfigFormat::Toml,
        servers: "mcp_servers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (Base::Home, &[".codex/config.toml"]),
        project: &[".codex/config.toml"],
        moved: Moved::Directory("CODEX_HOME"),
        project_variable: None,
        hooks: Hooks::File(HookFile {
            format: HookFormat::Json(ConfigFormat::Json),
            user: (Base::Home, ".codex/hooks.json"),
            project: ".codex/hooks.json",
            before: &[("PreToolUse", Some("^apply_patch$"))],
            after: None,
            second: 1,
        }),
        instructions: (Some((Base::Home, ".codex/AGENTS.md")), AGENTS),
    },
    // https://geminicli.com/docs/tools/mcp-server, https://geminicli.com/docs/hooks/reference,
    // https://geminicli.com/docs/cli/gemini-md
    McpClient {
        name: "gemini-cli",
        title: "Gemini CLI",
        format: ConfigFormat::JsonWithComments,
        servers: "mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (Base::Home, &[".gemini/settings.json"]),
        project: &[".gemini/settings.json"],
        moved: Moved::Nothing,
        project_variable: None,
        hooks: Hooks::File(HookFile {
            format: HookFormat::Json(ConfigFormat::JsonWithComments),
            user: (Base::Home, ".gemini/settings.json"),
            project: ".gemini/settings.json",
            before: &[("BeforeTool", Some("^(replace|write_file)$"))],
            after: None,
            second: 1_000,
        }),
        instructions: (Some((Base::Home, ".gemini/GEMINI.md")), Some("GEMINI.md")),
    },
    // https://docs.windsurf.com/windsurf/cascade/mcp,
    // https://docs.windsurf.com/windsurf/cascade/hooks,
    // https://docs.windsurf.com/windsurf/cascade/agents-md
    McpClient {
        name: "windsurf",
        title: "Windsurf",
        format: ConfigFormat::Json,
        servers: "mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (Base::Home, &[".codeium/windsurf/mcp_config.json"]),
        project: &[],
        moved: Moved::Nothing,
        project_variable: None,
        hooks: Hooks::None("`treegraft client hook` does not read the events of its hooks"),
        instructions: (None, AGENTS),
    },
    // https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/plugins,
    // https://opencode.ai/docs/rules
    McpClient {
        name: "opencode",
        title: "opencode",
        format: ConfigFormat::JsonWithComments,
        servers: "mcp",
        shape: CommandShape::List,
        kind: Some("local"),
        user: (
            Base::DotConfig,
            &["opencode/opencode.json", "opencode/opencode.jsonc"],
        ),
        project: &["opencode.json", "opencode.jsonc"],
        moved: Moved::Nothing,
        project_variable: None,
        hooks: Hooks::File(HookFile {
            format: HookFormat::Plugin,
            user: (Base::DotConfig, "opencode/plugins/treegraft.js"),
            project: ".opencode/plugins/treegraft.js",
            before: &[("tool.execute.before", Some("edit|write|apply_patch"))],
            after: None,
            second: 1_000,
        }),
        instructions: (Some((Base::DotConfig, "opencode/AGENTS.md")), AGENTS),
    },
    // https://docs.cline.bot/mcp/mcp-overview, https://docs.cline.bot/customization/cline-rules
    McpClient {
        name: "cline",
        title: "Cline",
        format: ConfigFormat::Json,
        servers: "mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (
            Base::Home,
            &[".cline/data/settings/cline_mcp_settings.json"],
        ),
        project: &[],
        moved: Moved::File("CLINE_MCP_SETTINGS_PATH"),
        project_variable: None,
        hooks: Hooks::None("`treegraft client hook` does not read the events of its hooks"),
        instructions: (None, AGENTS),
    },
    // https://docs.continue.dev/customize/deep-dives/mcp,
    // https://docs.continue.dev/customize/deep-dives/rules
    McpClient {
        name: "continue",
        title: "Continue",
        format: ConfigFormat::Yaml,
        servers: "mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (Base::Home, &[".continue/config.yaml"]),
        project: &[".continue/mcpServers/treegraft.yaml"],
        moved: Moved::Nothing,
        project_variable: None,
        hooks: Hooks::None("its documentation has no hooks"),
        instructions: (None, Some(".continue/rules/treegraft.md")),
    },
    // https://ampcode.com/manual#mcp, https://ampcode.com/manual#AGENTS.md
    McpClient {
        name: "amp",
        title: "Amp",
        format: ConfigFormat::JsonWithComments,
        servers: "amp.mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (
            Base::DotConfig,
            &["amp/settings.json", "amp/settings.jsonc"],
        ),
        project: &[".amp/settings.json", ".amp/settings.jsonc"],
        moved: Moved::Nothing,
        project_variable: None,
        hooks: Hooks::None("its hooks are functions of plugins in TypeScript, not commands"),
        instructions: (Some((Base::DotConfig, "amp/AGENTS.md")), AGENTS),
    },
    // https://www.jetbrains.com/help/junie/model-context-protocol-mcp.html,
    // https://www.jetbrains.com/help/junie/customize-guidelines.html
    McpClient {
        name: "junie",
        title: "JetBrains Junie",
        format: ConfigFormat::Json,
        servers: "mcpServers",
        shape: CommandShape::ProgramAndArguments,
        kind: None,
        user: (Base::Home, &[".junie/mcp/mcp.json"]),
        project: &[".junie/mcp/mcp.json"],
        moved: Moved::Nothing,
        project_variable: None,
        hooks: Hooks::None("its documentation has no hooks"),
        instructions: (None, Some(".junie/guidelines.md")),
    },
];

/// The directories of a user's configurations.
pub(super) struct ConfigDirs {
    pub(super) home: Utf8PathBuf,
    config: Utf8PathBuf,
    application: Utf8PathBuf,
    variable: fn(&str) -> Option<String>,
}

impl ConfigDirs {
    /// Returns the directories of the current user, or `None` without a home directory with a UTF-8 path. `variable`
    /// reads an environment variable.
    pub(super) fn of_user(variable: fn(&str) -> Option<String>) -> Option<ConfigDirs> {
        let utf8 = |path: std::path::PathBuf| Utf8PathBuf::from_path_buf(path).ok();
        let base = etcetera::base_strategy::choose_base_strategy().ok()?;
        let native = etcetera::base_strategy::choose_native_strategy().ok()?;
        let config = utf8(base.config_dir())?;
        let application = match cfg!(target_os = "macos") {
            true => utf8(native.data_dir())?,
            false => config.clone(),
        };
        Some(ConfigDirs {
            home: utf8(base.home_dir().to_path_buf())?,
            config,
            application,
            variable,
        })
    }

    /// Returns the value of an environment variable that is set and not empty.
    fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }
}

impl McpClient {
    /// Returns the client with this name on the command line.
    pub(super) fn named(name: &str) -> Option<&'static McpClient> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// Returns the path of its user configuration.
    pub(super) fn user_file(&self, dirs: &ConfigDirs) -> Utf8PathBuf {
        let (base, names) = self.user;
        if let Moved::File(variable) = self.moved
            && let Some(file) = dirs.variable(variable)
        {
            return file.into();
        }
        existing(names.iter().map(|name| self.in_user(dirs, base, name)))
    }

    /// Returns the path of its project configuration, if it has one.
    pub(super) fn project_file(&self, project: &Utf8Path) -> Option<Utf8PathBuf> {
        let names = self.project.iter().map(|name| project.join(name));
        (!self.project.is_empty()).then(|| existing(names))
    }

    /// Returns the path of its file of hooks, if treegraft can use its hooks.
    pub(super) fn hook_file(&self, scope: Scope<'_>) -> Option<(&HookFile, Utf8PathBuf)> {
        let Hooks::File(hooks) = &self.hooks else {
            return None;
        };
        let (base, path) = hooks.user;
        let file = match scope {
            Scope::User(dirs) => self.in_user(dirs, base, path),
            Scope::Project(project) => project.join(hooks.project),
        };
        Some((hooks, file))
    }

    /// Returns the path of its file of instructions, if it has one.
    pub(super) fn instructions_file(&self, scope: Scope<'_>) -> Option<Utf8PathBuf> {
        match scope {
            Scope::User(dirs) => {
                let (base, path) = self.instructions.0?;
                Some(self.in_user(dirs, base, path))
            }
            Scope::Project(project) => Some(project.join(self.instructions.1?)),
        }
    }

    fn in_user(&self, dirs: &ConfigDirs, base: Base, path: &str) -> Utf8PathBuf {
        let path = Utf8Path::new(path);
        let moved = match self.moved {
            Moved::Directory(variable) => dirs.variable(variable),
            Moved::Nothing | Moved::File(_) => None,
        };
        match (moved, base) {
            (Some(folder), _) => Utf8Path::new(&folder).join(path.file_name().unwrap_or_default()),
            (None, Base::Home) => dirs.home.join(path),
            (None, Base::Config) => dirs.config.join(path),
            (None, Base::DotConfig) if cfg!(windows) => dirs.home.join(".config").join(path),
            (None, Base::DotConfig) => dirs.config.join(path),
            (None, Base::Application) => dirs.application.join(path),
        }
    }

    /// Returns the configuration of a server that a command starts.
    pub(super) fn entry(&self, command: &str, arguments: &[String]) -> ServerEntry {
        ServerEntry {
            kind: self.kind,
            shape: self.shape,
            command: command.to_string(),
            arguments: arguments.to_vec(),
        }
    }

    /// Returns a root in the arguments of a project's configuration, which is read on many machines.
    pub(super) fn project_root(&self, root: &Utf8Path, project: &Utf8Path) -> String {
        let inside = root.strip_prefix(project).ok().map(Utf8Path::as_str);
        match (self.project_variable, inside) {
            (Some(variable), Some("")) => variable.to_string(),
            (Some(variable), Some(inside)) => format!("{variable}/{inside}"),
            (None, Some("")) => ".".to_string(),
            (None, Some(inside)) => inside.to_string(),
            (_, None) => root.to_string(),
        }
    }
}

impl HookFile {
    /// The events at which our commands run.
    pub(super) fn events(&self) -> Vec<&'static str> {
        let events = self.before.iter().chain(&self.after);
        events.map(|(event, _)| *event).collect()
    }

    /// Returns whether the client has a hook after edits.
    pub(super) fn has_diagnostics(&self) -> bool {
        self.after.is_some()
    }

    /// Returns the hooks that run a command to check edits and, if there is one, a command after edits.
    pub(super) fn entries(&self, before: &str, after: Option<&str>) -> Vec<HookEntry> {
        let entry = |event: HookEvent, command: &str, seconds: u64| HookEntry {
            event: event.0.to_string(),
            matcher: event.1.map(str::to_string),
            command: command.to_string(),
            timeout: seconds * self.second,
        };
        let checks = self
            .before
            .iter()
            .map(|event| entry(*event, before, CHECK_SECONDS));
        let after = after.zip(self.after);
        let after = after.map(|(command, event)| entry(event, command, DIAGNOSTICS_SECONDS));
        checks.chain(after).collect()
    }
}

/// Returns the first path that exists, else the first one.
fn existing(paths: impl Iterator<Item = Utf8PathBuf>) -> Utf8PathBuf {
    let paths: Vec<Utf8PathBuf> = paths.collect();
    let found = paths.iter().find(|path| user_files::exists(path));
    found.or(paths.first()).cloned().unwrap_or_default()
}

/// Where the files of a scope are.
#[derive(Clone, Copy)]
pub(super) enum Scope<'a> {
    User(&'a ConfigDirs),
    Project(&'a Utf8Path),
}

impl ConfigScope {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            ConfigScope::User => "user",
            ConfigScope::Project => "project",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::HOOK_CLIENTS;

    fn files(variable: fn(&str) -> Option<String>) -> Vec<String> {
        let dirs = ConfigDirs {
            home: "/home/a".into(),
            config: "/home/a/.config".into(),
            application: "/home/a/Application Support".into(),
            variable,
        };
        let file = |client: &McpClient| {
            let project = client.project_file("/project".into());
            let project = project.map_or("-".to_string(), Utf8PathBuf::into_string);
            format!("{} {} {project}", client.name, client.user_file(&dirs))
        };
        CLIENTS.iter().map(file).collect()
    }

    #[test]
    fn each_client_has_its_files() {
        assert_eq!(
            files(|_| None),
            [
                "claude-code /home/a/.claude.json /project/.mcp.json",
                "claude-desktop /home/a/Application Support/Claude/claude_desktop_config.json -",
                "cursor /home/a/.cursor/mcp.json /project/.cursor/mcp.json",
                "vscode /home/a/Application Support/Code/User/mcp.json /project/.vscode/mcp.json",
                "zed /home/a/.config/zed/settings.json /project/.zed/settings.json",
                "codex /home/a/.codex/config.toml /project/.codex/config.toml",
                "gemini-cli /home/a/.gemini/settings.json /project/.gemini/settings.json",
                "windsurf /home/a/.codeium/windsurf/mcp_config.json -",
                "opencode /home/a/.config/opencode/opencode.json /project/opencode.json",
                "cline /home/a/.cline/data/settings/cline_mcp_settings.json -",
                "continue /home/a/.continue/config.yaml /project/.continue/mcpServers/treegraft.yaml",
                "amp /home/a/.config/amp/settings.json /project/.amp/settings.json",
                "junie /home/a/.junie/mcp/mcp.json /project/.junie/mcp/mcp.json",
            ]
        );
    }

    #[test]
    fn a_variable_moves_the_file_of_those_that_have_one() {
        let moved = files(|name| Some(format!("/moved/{name}")));
        assert_eq!(
            moved[0],
            "claude-code /moved/CLAUDE_CONFIG_DIR/.claude.json /project/.mcp.json"
        );
        assert_eq!(
            moved[5],
            "codex /moved/CODEX_HOME/config.toml /project/.codex/config.toml"
        );
        assert_eq!(moved[9], "cline /moved/CLINE_MCP_SETTINGS_PATH -");
        assert_eq!(moved[1], files(|_| Some(String::new()))[1]);
    }

    #[test]
    fn the_clients_with_hooks_are_those_of_the_hook_command() {
        let with = CLIENTS.iter();
        let with = with.filter(|client| matches!(client.hooks, Hooks::File(_)));
        let mut with: Vec<&str> = with.map(|client| client.name).collect();
        let mut known: Vec<&str> = HOOK_CLIENTS.iter().map(|client| client.name).collect();
        with.sort_unstable();
        known.sort_unstable();
        assert_eq!(with, known);
    }
}
