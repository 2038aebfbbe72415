//! Starts the language servers of a workspace's languages to find out whether they work. Output: [`ServersChecked`].

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;

use crate::diagnostic;
use crate::engine::core::Engine;
use crate::engine::response::Refused;
use crate::language;
use crate::lsp::ServerError;
use crate::lsp::built_in::BuiltInServer;
use crate::lsp::launch::Timeouts;
use crate::lsp::servers::{ServerLimits, Servers};
use crate::workspace;

/// How long to wait for each step of the end of a server that was only started to be checked.
const STOP: Duration = Duration::from_millis(500);

/// The servers of the languages in a workspace.
#[derive(Debug)]
pub struct ServersChecked {
    /// The servers of languages with files, those with most files first.
    pub checked: Vec<ServerCheck>,
    /// The languages with files and without a built-in server, each with the number of its files.
    pub without_server: Vec<(&'static str, usize)>,
    /// The languages without files whose server is installed.
    pub elsewhere: Vec<&'static str>,
    /// Whether all files of the workspace were examined.
    pub is_all: bool,
}

/// One server that was started.
#[derive(Debug)]
pub struct ServerCheck {
    /// Its languages with files, and the number of their files, most files first.
    pub languages: Vec<(&'static str, usize)>,
    /// What it answered to `initialize`, or why it did not.
    pub started: Result<ServerStarted, ServerFailed>,
}

/// A server that answered `initialize`.
#[derive(Debug)]
pub struct ServerStarted {
    /// The command.
    pub command: Vec<String>,
    /// The name and version that it reports.
    pub title: Option<String>,
}

/// A server that did not answer `initialize`.
#[derive(Debug)]
pub struct ServerFailed {
    /// What happened.
    pub error: ServerError,
    /// The same in one sentence.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

/// Files of one language.
struct LanguageFiles {
    name: &'static str,
    count: usize,
    example: Utf8PathBuf,
}

impl Engine {
    /// Starts the server of each language in the workspace, waits at most `within` for each of its programs, and ends it.
    /// The servers start at the same time. They are not those that answer questions.
    ///
    /// # Errors
    /// The user's configuration cannot be read.
    pub fn check_servers(&self, within: Duration) -> Result<ServersChecked, Refused> {
        let configuration = self.server_pool.configuration(&self.workspace);
        let configuration = configuration
            .map_err(|refusal| self.refusal_of("check_servers", &json!({}), refusal))?;
        let timeouts = Timeouts {
            start: within,
            stop: STOP,
            ..Timeouts::default()
        };
        let limits = ServerLimits {
            timeouts,
            start_limit: Some(within),
            ..ServerLimits::default()
        };
        let roots = self.workspace.roots().map(Utf8Path::to_owned).collect();
        let servers = Servers::new(roots, configuration, workspace::search_path(), limits);
        let (languages, is_all) = self.language_files();
        let mut of_server: BTreeMap<&str, Vec<LanguageFiles>> = BTreeMap::new();
        let mut without_server = Vec::new();
        for files in languages {
            match BuiltInServer::for_language(files.name) {
                Some(server) => of_server.entry(server.name).or_default().push(files),
                None => without_server.push((files.name, files.count)),
            }
        }
        let available = servers.availability().into_iter();
        let elsewhere = available
            .filter(|server| !of_server.contains_key(server.name) && server.command.is_ok())
            .map(|server| server.name)
            .collect();
        let servers = &servers;
        let mut checked: Vec<ServerCheck> = thread::scope(|scope| {
            let threads: Vec<_> = of_server
                .into_values()
                .map(|languages| scope.spawn(move || check(servers, &languages)))
                .collect();
            let checks = threads.into_iter();
            // A check that panicked is a bug, which the panic has reported.
            checks.filter_map(|thread| thread.join().ok()).collect()
        });
        servers.stop();
        let count = |check: &ServerCheck| {
            check
                .languages
                .iter()
                .map(|(_, count)| count)
                .sum::<usize>()
        };
        checked.sort_by_key(|check| std::cmp::Reverse(count(check)));
        Ok(ServersChecked {
            checked,
            without_server,
            elsewhere,
            is_all,
        })
    }

    /// Returns the languages of the workspace's files, those with most files first, and whether all files were
    /// examined.
    fn language_files(&self) -> (Vec<LanguageFiles>, bool) {
        let mut known: BTreeMap<&'static str, LanguageFiles> = BTreeMap::new();
        let (files, is_all) = self.files_here();
        for path in files {
            // As in `languages_here`.
            if self.workspace.language_of(path.display()).is_none()
                && path.display().extension().is_some()
            {
                continue;
            }
            let name = self.language_at(&path).name;
            let files = known.entry(name).or_insert_with(|| LanguageFiles {
                name,
                count: 0,
                example: path.absolute().to_owned(),
            });
            files.count += 1;
        }
        known.remove(language::plain_text().name);
        let mut known: Vec<_> = known.into_values().collect();
        known.sort_by_key(|files| std::cmp::Reverse(files.count));
        (known, is_all)
    }
}

/// Starts the server of the first language. All of them have the same server.
fn check(servers: &Servers, languages: &[LanguageFiles]) -> ServerCheck {
    let LanguageFiles { name, example, .. } = &languages[0];
    let started = match servers.for_language(name, example) {
        Ok(server) => Ok(ServerStarted {
            command: server.client().launch().command.clone(),
            title: server.client().title().map(str::to_string),
        }),
        Err(error) => {
            let diagnostic = diagnostic::about_server(name, &error);
            Err(ServerFailed {
                error,
                help: diagnostic.help_text(),
                message: diagnostic.message,
            })
        }
    };
    ServerCheck {
        languages: languages.iter().map(|one| (one.name, one.count)).collect(),
        started,
    }
}
