//! The programs that start MCP servers, as a table: a row comes in, the file of its configuration
//! and what stands there for a server go out.

use camino::{Utf8Path, Utf8PathBuf};
use etcetera::BaseStrategy;

use super::configuration::{Entry, Format};

/// A program that starts MCP servers.
pub(super) struct Client {
    /// What the command line calls it.
    pub(super) name: &'static str,
    /// What people call it.
    pub(super) title: &'static str,
    /// How its configuration is written.
    pub(super) format: Format,
    /// The key of the table of servers.
    pub(super) servers: &'static str,
    /// What stands under `type` of a server that is started, where it has to.
    kind: Option<&'static str>,
    /// Its file for everything its user does.
    user: (Base, &'static str),
    /// Its file in a project.
    project: Option<&'static str>,
    /// The variable that names another folder for the user's file.
    moved_by: Option<&'static str>,
}

/// What a file of the user lies under.
#[derive(Clone, Copy)]
enum Base {
    /// The home directory.
    Home,
    /// `$XDG_CONFIG_HOME`, else `~/.config`; `%APPDATA%` on Windows.
    Config,
    /// The same; `~/Library/Application Support` on macOS.
    Application,
}

/// For whom a server is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// For everything its user does.
    User,
    /// For one project.
    Project,
}

/// The clients, in the order they are listed in.
///
/// Sources, in the same order: <https://code.claude.com/docs/en/mcp>,
/// <https://modelcontextprotocol.io/docs/develop/connect-local-servers>,
/// <https://cursor.com/docs/mcp>, <https://code.visualstudio.com/docs/copilot/reference/mcp-configuration>,
/// <https://zed.dev/docs/ai/mcp>, <https://developers.openai.com/codex/mcp>,
/// <https://geminicli.com/docs/tools/mcp-server>.
pub(super) const CLIENTS: [Client; 7] = [
    Client {
        name: "claude-code",
        title: "Claude Code",
        format: Format::Json,
        servers: "mcpServers",
        kind: Some("stdio"),
        user: (Base::Home, ".claude.json"),
        project: Some(".mcp.json"),
        moved_by: Some("CLAUDE_CONFIG_DIR"),
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        format: Format::Json,
        servers: "mcpServers",
        kind: None,
        user: (Base::Application, "Claude/claude_desktop_config.json"),
        project: None,
        moved_by: None,
    },
    Client {
        name: "cursor",
        title: "Cursor",
        format: Format::JsonWithComments,
        servers: "mcpServers",
        kind: None,
        user: (Base::Home, ".cursor/mcp.json"),
        project: Some(".cursor/mcp.json"),
        moved_by: None,
    },
    Client {
        name: "vscode",
        title: "VS Code",
        format: Format::JsonWithComments,
        servers: "servers",
        kind: Some("stdio"),
        user: (Base::Application, "Code/User/mcp.json"),
        project: Some(".vscode/mcp.json"),
        moved_by: None,
    },
    Client {
        name: "zed",
        title: "Zed",
        format: Format::JsonWithComments,
        servers: "context_servers",
        kind: None,
        user: (Base::Config, "zed/settings.json"),
        project: Some(".zed/settings.json"),
        moved_by: None,
    },
    Client {
        name: "codex",
        title: "Codex",
        format: Format::Toml,
        servers: "mcp_servers",
        kind: None,
        user: (Base::Home, ".codex/config.toml"),
        project: Some(".codex/config.toml"),
        moved_by: Some("CODEX_HOME"),
    },
    Client {
        name: "gemini-cli",
        title: "Gemini CLI",
        format: Format::JsonWithComments,
        servers: "mcpServers",
        kind: None,
        user: (Base::Home, ".gemini/settings.json"),
        project: Some(".gemini/settings.json"),
        moved_by: None,
    },
];

/// Where a user keeps configurations.
pub(super) struct Homes {
    pub(super) home: Utf8PathBuf,
    config: Utf8PathBuf,
    application: Utf8PathBuf,
    variable: fn(&str) -> Option<String>,
}

impl Homes {
    /// Those of the user who runs this; nothing where there is no home directory with a UTF-8 name.
    /// `variable` reads the environment.
    pub(super) fn of_user(variable: fn(&str) -> Option<String>) -> Option<Homes> {
        let utf8 = |path: std::path::PathBuf| Utf8PathBuf::from_path_buf(path).ok();
        let base = etcetera::base_strategy::choose_base_strategy().ok()?;
        let native = etcetera::base_strategy::choose_native_strategy().ok()?;
        let config = utf8(base.config_dir())?;
        let application = match cfg!(target_os = "macos") {
            true => utf8(native.data_dir())?,
            false => config.clone(),
        };
        Some(Homes {
            home: utf8(base.home_dir().to_path_buf())?,
            config,
            application,
            variable,
        })
    }
}

impl Client {
    /// The client that the command line calls so.
    pub(super) fn named(name: &str) -> Option<&'static Client> {
        CLIENTS.iter().find(|client| client.name == name)
    }

    /// Its file for everything its user does.
    pub(super) fn user_file(&self, homes: &Homes) -> Utf8PathBuf {
        let (base, path) = self.user;
        let path = Utf8Path::new(path);
        let moved = self.moved_by.and_then(homes.variable);
        match (moved.filter(|folder| !folder.is_empty()), base) {
            (Some(folder), _) => Utf8Path::new(&folder).join(path.file_name().unwrap_or_default()),
            (None, Base::Home) => homes.home.join(path),
            (None, Base::Config) => homes.config.join(path),
            (None, Base::Application) => homes.application.join(path),
        }
    }

    /// Its file in a project, where it has one.
    pub(super) fn project_file(&self, project: &Utf8Path) -> Option<Utf8PathBuf> {
        self.project.map(|path| project.join(path))
    }

    /// What stands in its configuration for a server that a command starts.
    pub(super) fn entry(&self, command: &Utf8Path, arguments: &[String]) -> Entry {
        Entry {
            kind: self.kind,
            command: command.to_string(),
            arguments: arguments.to_vec(),
        }
    }
}

impl Scope {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(variable: fn(&str) -> Option<String>) -> Vec<String> {
        let homes = Homes {
            home: "/home/a".into(),
            config: "/home/a/.config".into(),
            application: "/home/a/Application Support".into(),
            variable,
        };
        let file = |client: &Client| {
            let project = client.project_file("/project".into());
            let project = project.map_or("-".to_string(), Utf8PathBuf::into_string);
            format!("{} {} {project}", client.name, client.user_file(&homes))
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
