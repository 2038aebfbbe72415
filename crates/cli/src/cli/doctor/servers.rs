//! The checks of language servers: those of the languages in the workspace are started, and must answer
//! `initialize`.

use std::time::Duration;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Serialize;

use treegraft::engine::Engine;
use treegraft::engine::questions::server_checks::{ServerCheck, ServersChecked};
use treegraft::lsp::configuration::Configuration;
use treegraft::lsp::{Missing, Situation};
use treegraft::workspace;

use super::{DoctorCheck, State, without, works};

/// How long each program may take to answer `initialize`.
const LIMIT: Duration = Duration::from_secs(10);

/// A language server that was checked.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CheckedServer {
    /// Its languages in the workspace.
    languages: Vec<LanguageCount>,
    /// Whether it works.
    status: ServerStatus,
    /// The command that was tried.
    command: Vec<String>,
    /// The name and version that it reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The first line of its standard error that reports an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_error: Option<String>,
    /// The command that installs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    install: Option<String>,
}

/// A language of the workspace.
#[derive(Debug, Serialize, JsonSchema)]
struct LanguageCount {
    /// The language.
    language: &'static str,
    /// The number of its files.
    files: usize,
}

/// Whether a language server works.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ServerStatus {
    /// It answered `initialize`.
    Answers,
    /// It is not installed, or only a launcher for it is.
    Missing,
    /// The user's configuration disables it.
    Disabled,
    /// It is installed and does not answer `initialize`.
    Fails,
}

/// Starts the servers of the languages in the workspace, all at the same time.
pub(super) fn servers(roots: &[Utf8PathBuf]) -> Vec<DoctorCheck> {
    let configuration = workspace::user_configuration_path().map(|path| Configuration::read(&path));
    if let Some(Err(error)) = configuration {
        let help = "fix the file: no language server is used until then; edits still work";
        return vec![without("servers", State::Lacks, error.to_string(), help)];
    }
    let checked = Engine::open(roots, None::<&str>).ok();
    let checked = checked.and_then(|engine| engine.check_servers(LIMIT).ok());
    // The checks of the roots and the state directory report why the engine cannot be opened.
    checked.map_or(vec![], |checked| checks(&checked))
}

fn checks(found: &ServersChecked) -> Vec<DoctorCheck> {
    let mut checks: Vec<DoctorCheck> = found.checked.iter().map(check).collect();
    if !found.without_server.is_empty() {
        let languages = counted(&found.without_server);
        checks.push(works("servers", format!("no built-in server: {languages}")));
    }
    if !found.elsewhere.is_empty() {
        let languages = found.elsewhere.join(", ");
        let languages = format!("installed, not started, no files here: {languages}");
        checks.push(works("servers", languages));
    }
    if !found.is_all {
        let found = "the workspace has more files than were examined for languages";
        checks.push(works("servers", found));
    }
    if checks.is_empty() {
        checks.push(works("servers", "no file here has a language server"));
    }
    checks
}

/// Returns languages with their numbers of files: `rust (3 files), toml (1 file)`.
fn counted(languages: &[(&str, usize)]) -> String {
    let one = |(language, files): &(&str, usize)| match files {
        1 => format!("{language} (1 file)"),
        files => format!("{language} ({files} files)"),
    };
    let all: Vec<String> = languages.iter().map(one).collect();
    all.join(", ")
}

fn check(check: &ServerCheck) -> DoctorCheck {
    let about = counted(&check.languages);
    let languages = check.languages.iter();
    let languages = languages.map(|(language, files)| LanguageCount {
        language,
        files: *files,
    });
    let server = CheckedServer {
        languages: languages.collect(),
        status: ServerStatus::Answers,
        command: vec![],
        title: None,
        first_error: None,
        install: None,
    };
    let failed = match &check.started {
        Ok(started) => {
            let command = started.command.join(" ");
            let title = started.title.as_ref();
            let title = title.map_or(String::new(), |title| format!(": {title}"));
            return DoctorCheck {
                server: Some(CheckedServer {
                    command: started.command.clone(),
                    title: started.title.clone(),
                    ..server
                }),
                ..works("servers", format!("{about}: `{command}` answers{title}"))
            };
        }
        Err(failed) => failed,
    };
    let (status, install) = match &failed.error.situation {
        Situation::NotInstalled { why } => match why {
            Missing::NoServer | Missing::NotBuiltIn { .. } => (ServerStatus::Missing, ""),
            Missing::Disabled => (ServerStatus::Disabled, ""),
            Missing::NotOnPath { install, .. } | Missing::NotStartedByLauncher { install, .. } => {
                (ServerStatus::Missing, install.as_str())
            }
        },
        _ => (ServerStatus::Fails, ""),
    };
    let first_error = Some(failed.error.first_error.clone()).filter(|line| !line.is_empty());
    let mut found = match &failed.error.situation {
        Situation::NotInstalled { why } => format!("{about}: {why}"),
        _ => format!("{about}: {}", failed.message),
    };
    if let (ServerStatus::Fails, Some(line)) = (status, &first_error) {
        found = format!("{found}; its first error: {line}");
    }
    let state = match status {
        ServerStatus::Answers | ServerStatus::Disabled => State::Works,
        ServerStatus::Missing | ServerStatus::Fails => State::Lacks,
    };
    let command = failed.error.command.join(" ");
    let run = format!("run `{command}` in the workspace to see all of its output");
    DoctorCheck {
        name: "servers",
        state,
        found,
        help: match status {
            ServerStatus::Disabled => None,
            _ => failed.help.clone().or(Some(run)),
        },
        server: Some(CheckedServer {
            status,
            command: failed.error.command.clone(),
            first_error,
            install: Some(install.to_string()).filter(|install| !install.is_empty()),
            ..server
        }),
    }
}
