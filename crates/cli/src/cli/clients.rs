//! The table of MCP clients, with the path and the format of their configurations.

use camino::{Utf8Path, Utf8PathBuf};
use etcetera::BaseStrategy;

use super::configuration::{ConfigFormat, ServerEntry};

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
    /// The value of `type` for a server that the client starts by a command, if the client requires
    /// it.
    kind: Option<&'static str>,
    /// Its user configuration.
    user: (Base, &'static str),
    /// Its project configuration.
    project: Option<&'static str>,
    /// The environment variable that moves the user configuration to another folder.
    moved_by: Option<&'static str>,
}

/// The base directory of a user configuration.
#[derive(Clone, Copy)]
enum Base {
    /// The home directory.
    Home,
    /// `$XDG_CONFIG_HOME`, else `~/.config`; `%APPDATA%` on Windows.
    Config,
    /// The same; `~/Library/Application Support` on macOS.
    Application,
}

/// The scope of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConfigScope {
    /// All projects of the user.
    User,
    /// One project.
    Project,
}

/// The clients, in the order in which they are listed.
///
/// Sources, in the same order: <https://code.claude.com/docs/en/mcp>,
/// <https://modelcontextprotocol.io/docs/develop/connect-local-servers>,
/// <https://cursor.com/docs/mcp>, <https://code.visualstudio.com/docs/copilot/reference/mcp-configuration>,
/// <https://zed.dev/docs/ai/mcp>, <https://developers.openai.com/codex/mcp>,
/// <https://geminicli.com/docs/tools/mcp-server>.
pub(super) const CLIENTS: [McpClient; 7] = [
    McpClient {
        name: "claude-code",
        title: "Claude Code",
        format: ConfigFormat::Json,
        servers: "mcpServers",
        kind: Some("stdio"),
        user: (Base::Home, ".claude.json"),
        project: Some(".mcp.json"),
        moved_by: Some("CLAUDE_CONFIG_DIR"),
    },
    McpClient {
        name: "claude-desktop",
        title: "Claude Desktop",
        format: ConfigFormat::Json,
        servers: "mcpServers",
        kind: None,
        user: (Base::Application, "Claude/claude_desktop_config.json"),
        project: None,
        moved_by: None,
    },
    McpClient {
        name: "cursor",
        title: "Cursor",
        format: ConfigFormat::JsonWithComments,
        servers: "mcpServers",
        kind: None,
        user: (Base::Home, ".cursor/mcp.json"),
        project: Some(".cursor/mcp.json"),
        moved_by: None,
    },
    McpClient {
        name: "vscode",
        title: "VS Code",
        format: ConfigFormat::JsonWithComments,
        servers: "servers",
        kind: Some("stdio"),
        user: (Base::Application, "Code/User/mcp.json"),
        project: Some(".vscode/mcp.json"),
        moved_by: None,
    },
    McpClient {
        name: "zed",
        title: "Zed",
        format: ConfigFormat::JsonWithComments,
        servers: "context_servers",
        kind: None,
        user: (Base::Config, "zed/settings.json"),
        project: Some(".zed/settings.json"),
        moved_by: None,
    },
    McpClient {
        name: "codex",
        title: "Codex",
        format: ConfigFormat::Toml,
        servers: "mcp_servers",
        kind: None,
        user: (Base::Home, ".codex/config.toml"),
        project: Some(".codex/config.toml"),
        moved_by: Some("CODEX_HOME"),
    },
    McpClient {
        name: "gemini-cli",
        title: "Gemini CLI",
        format: ConfigFormat::JsonWithComments,
        servers: "mcpServers",
        kind: None,
        user: (Base::Home, ".gemini/settings.json"),
        project: Some(".gemini/settings.json"),
        moved_by: None,
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
}

impl McpClient {
    /// Returns the client with this name on the command line.
    pub(super) fn named(name: &str) -> Option<&'static McpClient> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// Returns the path of its user configuration.
    pub(super) fn user_file(&self, dirs: &ConfigDirs) -> Utf8PathBuf {
        let (base, path) = self.user;
        let path = Utf8Path::new(path);
        let moved = self.moved_by.and_then(dirs.variable);
        match (moved.filter(|folder| !folder.is_empty()), base) {
            (Some(folder), _) => Utf8Path::new(&folder).join(path.file_name().unwrap_or_default()),
            (None, Base::Home) => dirs.home.join(path),
            (None, Base::Config) => dirs.config.join(path),
            (None, Base::Application) => dirs.application.join(path),
        }
    }

    /// Returns the path of its project configuration, if it has one.
    pub(super) fn project_file(&self, project: &Utf8Path) -> Option<Utf8PathBuf> {
        self.project.map(|path| project.join(path))
    }

    /// Returns the configuration of a server that a command starts.
    pub(super) fn entry(&self, command: &Utf8Path, arguments: &[String]) -> ServerEntry {
        ServerEntry {
            kind: self.kind,
            command: command.to_string(),
            arguments: arguments.to_vec(),
        }
    }
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
        assert_eq!(moved[1], files(|_| Some(String::new()))[1]);
    }
}
