//! The servers of a workspace. Input: a language and a file. Output: a running [`LanguageServer`].
//!
//! The first request starts a server, and all later ones share it. After it exits, it is restarted
//! with a growing delay. It is stopped when it has not been used for long, or when all servers are
//! dropped.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::built_in::{BUILT_IN, BuiltInServer, ServerProgram};
use super::client::LspClient;
use super::configuration::{Configuration, ServerConfiguration};
use super::documents::{Documents, OPEN_LIMIT};
use super::language_server::LanguageServer;
use super::launch::{Launch, Timeouts};
use super::monitor::lock;
use super::process::Processes;
use super::readiness::ReadyRule;
use super::{Missing, ServerError, Situation};
use crate::{memory, workspace};

/// The limits of all servers.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// The timeouts, unless the built-in entry or the configuration has others.
    pub timeouts: Timeouts,
    /// The delays before a restart after the first, second, ... consecutive failure; after more
    /// failures, the last delay.
    pub restart_after: Vec<Duration>,
    /// How long a server has to run for its exit to count as a first failure.
    pub lasting: Duration,
    /// How long a server may be unused before a request to another one stops it.
    pub idle: Duration,
    /// The maximum number of documents that each server has open.
    pub open_limit: usize,
    /// An upper limit of the timeout for the start, even if the configuration has a longer one.
    pub start_limit: Option<Duration>,
}

impl Default for ServerLimits {
    /// Returns restarts at once, then after 1, 2, 4, 8, 16, 32 and 60 s; one minute; 20 minutes.
    fn default() -> ServerLimits {
        let seconds = [0, 1, 2, 4, 8, 16, 32, 60];
        ServerLimits {
            timeouts: Timeouts::default(),
            restart_after: seconds.map(Duration::from_secs).to_vec(),
            lasting: Duration::from_secs(60),
            idle: Duration::from_secs(20 * 60),
            open_limit: OPEN_LIMIT,
            start_limit: None,
        }
    }
}

/// The servers of one workspace. Dropping it ends them.
#[derive(Debug)]
pub struct Servers {
    roots: Vec<Utf8PathBuf>,
    configuration: Configuration,
    search_path: OsString,
    limits: ServerLimits,
    /// By the name of the built-in entry.
    slots: Arc<Slots>,
    /// Whether a thread watches the memory of the servers.
    is_watched: AtomicBool,
    processes: Processes,
    /// Threads that end servers.
    stopping: Mutex<Vec<JoinHandle<()>>>,
    is_closed: AtomicBool,
}

/// The slots by the name of the built-in entry.
type Slots = Mutex<BTreeMap<&'static str, Arc<Mutex<Slot>>>>;

/// How often the memory of the servers is looked at.
const WATCHED_EVERY: Duration = Duration::from_secs(1);

/// The running servers of one built-in entry, and its failures.
#[derive(Debug, Default)]
struct Slot {
    running: Vec<Arc<LanguageServer>>,
    /// The number of consecutive exits and failed starts.
    failures: usize,
    last_failure: Option<(Instant, ServerError)>,
    /// The documents of the server that exited.
    left_open: Option<Documents>,
    /// Why the last server was ended, for the first answer of the next.
    note: Option<String>,
}

/// Whether a server can be started, and where it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAvailability {
    /// The name of the built-in entry.
    pub name: &'static str,
    /// Its languages.
    pub languages: Vec<&'static str>,
    /// The command that would be tried first, or what is missing.
    pub command: Result<Vec<String>, Missing>,
    /// The numbers of its running processes.
    pub running: Vec<u32>,
}

/// How to start the server of one built-in entry: the commands to try, in order.
struct LaunchPlan {
    built_in: &'static BuiltInServer,
    commands: Vec<(Vec<String>, ServerProgram)>,
    configured: ServerConfiguration,
    timeouts: Timeouts,
}

impl Servers {
    /// Starts no server yet. `roots` are absolute, at least one; `search_path` is the user's `PATH`.
    pub fn new(
        roots: Vec<Utf8PathBuf>,
        configuration: Configuration,
        search_path: OsString,
        limits: ServerLimits,
    ) -> Servers {
        Servers {
            roots,
            configuration,
            search_path,
            limits,
            slots: Arc::default(),
            is_watched: AtomicBool::new(false),
            processes: Processes::default(),
            stopping: Mutex::default(),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Returns whether a language has no built-in server.
    pub fn has_none(language: &str) -> bool {
        BuiltInServer::for_language(language).is_none()
    }

    /// Returns the server of a language for a file, and starts it if it is not running. Concurrent callers
    /// wait for the same start; servers of other languages are not blocked.
    ///
    /// # Errors
    /// `NotInstalled`, `SpawnFailed`, `HandshakeFailed`, and `Crashed` while the delay after a failure has
    /// not passed.
    pub fn for_language(
        &self,
        language: &str,
        file: &Utf8Path,
    ) -> Result<Arc<LanguageServer>, ServerError> {
        let name = BuiltInServer::for_language(language).map_or("", |built_in| built_in.name);
        self.end_idle_except(name);
        let plan = self.plan(language)?;
        let slot = self.slot(plan.built_in);
        let mut slot = lock(&slot);
        slot.remove_exited(&self.limits);
        self.end_stale(&mut slot);
        let root = self.root_of(file);
        let mut running = slot.running.iter();
        if let Some(server) = running.find(|server| self.serves(server, root)) {
            server.used();
            return Ok(server.clone());
        }
        slot.check_restart_delay(&self.limits)?;
        self.check_open(&plan)?;
        match self.start(&plan, file, slot.left_open.as_ref()) {
            Ok(server) => {
                let server = Arc::new(server);
                server.set_note(slot.note.take());
                self.watch_memory();
                slot.left_open = None;
                slot.running.push(server.clone());
                Ok(server)
            }
            Err(error) => {
                slot.failures += 1;
                slot.last_failure = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    /// Returns the server of a language for a file, if it is running and configured to be used after edits.
    pub fn running(&self, language: &str, file: &Utf8Path) -> Option<Arc<LanguageServer>> {
        let built_in = BuiltInServer::for_language(language)?;
        if !self.configuration.for_server(built_in).after_edits {
            return None;
        }
        let slot = lock(&self.slots).get(built_in.name)?.clone();
        // A locked slot is starting a server, which is not awaited.
        let slot = slot.try_lock().ok()?;
        let root = self.root_of(file);
        let mut running = slot.running.iter();
        let running =
            running.find(|server| server.client().is_alive() && self.serves(server, root));
        running.cloned()
    }

    /// Returns the availability of each server; starts none.
    pub fn availability(&self) -> Vec<ServerAvailability> {
        let availability = |built_in: &'static BuiltInServer| ServerAvailability {
            name: built_in.name,
            languages: built_in.language_names().collect(),
            command: match self.plan(built_in.name) {
                Ok(mut plan) => Ok(plan.commands.swap_remove(0).0),
                Err(ServerError {
                    situation: Situation::NotInstalled { why },
                    ..
                }) => Err(why),
                Err(_) => Err(Missing::NoServer),
            },
            running: self.process_ids(built_in).unwrap_or_default(),
        };
        BUILT_IN.iter().map(availability).collect()
    }

    /// Returns the numbers of an entry's running processes; `None` while one is being started.
    fn process_ids(&self, built_in: &BuiltInServer) -> Option<Vec<u32>> {
        let slot = lock(&self.slots).get(built_in.name)?.clone();
        let slot = slot.try_lock().ok()?;
        let running = slot.running.iter();
        let alive = running.filter(|server| server.client().is_alive());
        Some(alive.map(|server| server.client().process_id()).collect())
    }

    /// Ends all servers, including those that are being started; none is started from then on.
    pub fn stop(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
        let slots: Vec<_> = lock(&self.slots).values().cloned().collect();
        let mut running = Vec::new();
        for slot in &slots {
            // A locked slot is starting a server, which is killed below.
            if let Ok(mut slot) = slot.try_lock() {
                running.append(&mut slot.running);
            }
        }
        thread::scope(|scope| {
            for server in &running {
                scope.spawn(|| server.client().stop());
            }
        });
        self.processes.kill();
        for thread in lock(&self.stopping).drain(..) {
            // It cannot panic; and if it did, the process is killed above.
            let _ = thread.join();
        }
    }

    /// Starts the thread that watches the memory of the servers, if it is limited.
    fn watch_memory(&self) {
        let Some(limit) = self.configuration.max_memory() else {
            return;
        };
        if self.is_watched.swap(true, Ordering::SeqCst) {
            return;
        }
        let slots = Arc::downgrade(&self.slots);
        thread::spawn(move || {
            loop {
                thread::sleep(WATCHED_EVERY);
                let Some(slots) = slots.upgrade() else { break };
                end_over_limit(&slots, limit);
            }
        });
    }

    fn slot(&self, built_in: &BuiltInServer) -> Arc<Mutex<Slot>> {
        let mut slots = lock(&self.slots);
        slots.entry(built_in.name).or_default().clone()
    }

    /// Returns the root that contains a file: the innermost one; the first root if none does.
    fn root_of(&self, file: &Utf8Path) -> &Utf8Path {
        let containing = self.roots.iter().filter(|root| file.starts_with(root));
        let innermost = containing.max_by_key(|root| root.as_str().len());
        innermost.unwrap_or(&self.roots[0])
    }

    fn serves(&self, server: &LanguageServer, root: &Utf8Path) -> bool {
        server.root() == root || server.has_workspace_folders() && self.roots.len() > 1
    }

    fn check_open(&self, plan: &LaunchPlan) -> Result<(), ServerError> {
        if !self.is_closed.load(Ordering::SeqCst) {
            return Ok(());
        }
        Err(ServerError {
            server: plan.built_in.name.to_string(),
            command: plan.commands[0].0.clone(),
            tail: String::new(),
            first_error: String::new(),
            situation: Situation::Crashed {
                how: "all servers have been ended".to_string(),
                retry_in: None,
            },
        })
    }

    /// Ends unused servers that do not take all changes into account: their successors read all files.
    fn end_stale(&self, slot: &mut Slot) {
        let is_stale =
            |server: &mut Arc<LanguageServer>| Arc::strong_count(server) == 1 && server.is_stale();
        for server in slot.running.extract_if(.., is_stale).collect::<Vec<_>>() {
            slot.left_open = Some(server.take_documents());
            self.end_in_background(vec![server]);
        }
    }

    /// Ends the servers of other entries that have not been used for long.
    fn end_idle_except(&self, name: &str) {
        let slots: Vec<_> = lock(&self.slots)
            .iter()
            .filter(|(other, _)| **other != name)
            .map(|(_, slot)| slot.clone())
            .collect();
        for slot in slots {
            // A locked slot is in use.
            let Ok(mut slot) = slot.try_lock() else {
                continue;
            };
            let is_idle = |server: &mut Arc<LanguageServer>| {
                Arc::strong_count(server) == 1 && server.idle_time() >= self.limits.idle
            };
            let idle: Vec<_> = slot.running.extract_if(.., is_idle).collect();
            self.end_in_background(idle);
        }
    }

    fn end_in_background(&self, servers: Vec<Arc<LanguageServer>>) {
        let mut stopping = lock(&self.stopping);
        stopping.retain(|thread| !thread.is_finished());
        if !servers.is_empty() {
            stopping.push(thread::spawn(move || drop(servers)));
        }
    }

    fn plan(&self, language: &str) -> Result<LaunchPlan, ServerError> {
        let Some(built_in) = BuiltInServer::for_language(language) else {
            return Err(not_installed(language, Vec::new(), Missing::NoServer));
        };
        let configured = self.configuration.for_server(built_in);
        let wanted: Vec<(Vec<String>, ServerProgram)> = match &configured.command {
            Some(command) => vec![(command.clone(), built_in.rules_of(command))],
            None => {
                let words =
                    |command: &str| command.split_whitespace().map(str::to_string).collect();
                let programs = self.programs(built_in)?.into_iter();
                programs.map(|one| (words(one.command), one)).collect()
            }
        };
        let first = || wanted[0].0.clone();
        if !configured.enabled {
            return Err(not_installed(built_in.name, first(), Missing::Disabled));
        }
        let commands: Vec<_> = wanted
            .iter()
            .filter_map(|(command, rules)| Some((self.on_search_path(command)?, *rules)))
            .collect();
        if commands.is_empty() {
            let programs = wanted.iter().map(|(command, _)| command[0].clone());
            let why = Missing::NotOnPath {
                programs: programs.collect(),
                install: match configured.command {
                    None => wanted[0].1.install.to_string(),
                    Some(_) => String::new(),
                },
            };
            return Err(not_installed(built_in.name, first(), why));
        }
        let mut timeouts = self.limits.timeouts;
        if let Some(cold) = built_in.cold_timeout {
            timeouts.cold = timeouts.cold.max(cold);
        }
        let mut timeouts = configured.timeouts_over(timeouts);
        if let Some(limit) = self.limits.start_limit {
            timeouts.start = timeouts.start.min(limit);
        }
        Ok(LaunchPlan {
            built_in,
            commands,
            timeouts,
            configured,
        })
    }

    /// Returns the programs that may provide a server: the one that `treegraft.toml` chooses, or all.
    fn programs(
        &self,
        built_in: &'static BuiltInServer,
    ) -> Result<Vec<ServerProgram>, ServerError> {
        let programs = built_in.programs;
        let Some(chosen) = self.configuration.chosen_for(built_in) else {
            return Ok(programs.to_vec());
        };
        match programs.iter().find(|program| program.name() == chosen) {
            Some(program) => Ok(vec![*program]),
            None => {
                let names = programs.iter().map(|program| program.name().to_string());
                let why = Missing::NotBuiltIn {
                    program: chosen.to_string(),
                    built_in: names.collect(),
                };
                Err(not_installed(built_in.name, vec![chosen.to_string()], why))
            }
        }
    }

    /// Returns a command with the path of its program; `None` if that is not on the search path.
    fn on_search_path(&self, command: &[String]) -> Option<Vec<String>> {
        let search_path = OsStr::new(&self.search_path);
        let program = workspace::find_program(search_path, &command[0])?;
        let mut command = command.to_vec();
        command[0] = program.to_string();
        Some(command)
    }

    /// Starts a server with the first command that works.
    fn start(
        &self,
        plan: &LaunchPlan,
        file: &Utf8Path,
        left_open: Option<&Documents>,
    ) -> Result<LanguageServer, ServerError> {
        let roots = self.roots_for(file);
        let missing = missing_build_files(plan.built_in, file);
        let mut first_error = None;
        for (command, rules) in &plan.commands {
            let launch = plan.launch(command, rules, &roots, missing.clone());
            match LspClient::start(launch, &self.processes) {
                Ok(client) => {
                    let documents = self.documents(&client, plan.built_in, left_open);
                    return Ok(LanguageServer::new(*plan.built_in, client, documents));
                }
                Err(error) => {
                    first_error.get_or_insert(launcher_checked(error, rules));
                }
            }
        }
        Err(first_error.expect("a plan has a command"))
    }

    /// Returns all roots, that of the file first: a server without workspace folders reads no other.
    fn roots_for(&self, file: &Utf8Path) -> Vec<Utf8PathBuf> {
        let root = self.root_of(file);
        let others = self.roots.iter().filter(|other| *other != root).cloned();
        [root.to_owned()].into_iter().chain(others).collect()
    }

    fn documents(
        &self,
        client: &LspClient,
        built_in: &BuiltInServer,
        left_open: Option<&Documents>,
    ) -> Documents {
        let launch = client.launch();
        let documents = Documents::new(client.capabilities(), client.encoding())
            .with_open_limit(self.limits.open_limit)
            .with_tracking(launch.tracking, built_in.languages);
        // A server that reads files after a delay accepts no second document before that.
        let is_delayed = matches!(launch.ready, ReadyRule::Delayed { .. });
        match left_open.filter(|_| !is_delayed) {
            Some(before) => documents.reopening(before),
            None => documents,
        }
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.stop();
    }
}

impl LaunchPlan {
    fn launch(
        &self,
        command: &[String],
        rules: &ServerProgram,
        roots: &[Utf8PathBuf],
        missing: Option<String>,
    ) -> Launch {
        let never_read = rules
            .limitation
            .map(|limitation| format!("no {limitation}"));
        let configured = &self.configured;
        Launch {
            name: self.built_in.name.to_string(),
            command: command.to_vec(),
            roots: roots.to_vec(),
            settings: configured.settings_over(rules.settings),
            initialization_options: configured
                .initialization_options_over(rules.initialization_options, &roots[0]),
            ready: rules.ready,
            tracking: rules.tracking,
            diagnostics: rules.diagnostics,
            limitation: missing.or(never_read),
            timeouts: self.timeouts,
        }
    }
}

impl Slot {
    /// Removes the servers that have exited, and counts them as failures.
    fn remove_exited(&mut self, limits: &ServerLimits) {
        let has_exited = |server: &mut Arc<LanguageServer>| !server.client().is_alive();
        for server in self.running.extract_if(.., has_exited).collect::<Vec<_>>() {
            let exit = server.client().exit();
            let (at, how) = exit.unwrap_or_else(|| (Instant::now(), String::new()));
            let has_lasted = at.duration_since(server.started()) >= limits.lasting;
            self.failures = if has_lasted { 1 } else { self.failures + 1 };
            let error = server.client().error(Situation::Crashed {
                how,
                retry_in: None,
            });
            self.last_failure = Some((at, error));
            self.left_open = Some(server.take_documents());
        }
    }

    /// Refuses a start while the delay after the last failure has not passed.
    fn check_restart_delay(&self, limits: &ServerLimits) -> Result<(), ServerError> {
        let Some((at, error)) = &self.last_failure else {
            return Ok(());
        };
        let delays = &limits.restart_after;
        let last = delays.len().saturating_sub(1);
        let delay = delays.get(self.failures.saturating_sub(1).min(last));
        let delay = delay.copied().unwrap_or_default();
        let left = delay.saturating_sub(at.elapsed());
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

/// Ends servers until all together use at most `limit` bytes: those that have not been used for longest first. A server
/// that is answering a question is only ended if it alone uses more.
fn end_over_limit(slots: &Slots, limit: u64) {
    let slots: Vec<_> = lock(slots).values().cloned().collect();
    let mut running = Vec::new();
    for slot in &slots {
        // A locked slot is starting a server. It is examined the next time.
        if let Ok(slot_now) = slot.try_lock() {
            running.extend(
                slot_now
                    .running
                    .iter()
                    .map(|server| (slot, Arc::downgrade(server))),
            );
        }
    }
    let live = |server: &Weak<LanguageServer>| server.upgrade();
    let groups: Vec<u32> = running
        .iter()
        .map(|(_, server)| live(server).map_or(0, |server| server.client().process_id()))
        .collect();
    let Some(used) = memory::of_groups(&groups) else {
        return;
    };
    let mut all: u64 = used.iter().sum();
    let mut servers: Vec<_> = running.into_iter().zip(used).collect();
    let idle = |server: &Weak<LanguageServer>| live(server).map(|server| server.idle_time());
    servers.sort_by_key(|((_, server), _)| std::cmp::Reverse(idle(server)));
    for ((slot, server), used) in servers {
        if all <= limit {
            break;
        }
        let Ok(mut slot) = slot.try_lock() else {
            continue;
        };
        let is_it = |one: &mut Arc<LanguageServer>| {
            Weak::as_ptr(&server) == Arc::as_ptr(one)
                && (Arc::strong_count(one) == 1 || used > limit)
        };
        for server in slot.running.extract_if(.., is_it).collect::<Vec<_>>() {
            all -= used;
            let (used, limit) = (memory::text(used), memory::text(limit));
            slot.note = Some(format!(
                "{} was restarted: it used {used} of memory, and max_memory of all servers is {limit}",
                server.client().launch().command.join(" ")
            ));
            slot.left_open = Some(server.take_documents());
            // Also ends it if a question still holds it.
            server.client().stop();
        }
    }
}

fn not_installed(server: &str, command: Vec<String>, why: Missing) -> ServerError {
    ServerError {
        server: server.to_string(),
        command,
        tail: String::new(),
        first_error: String::new(),
        situation: Situation::NotInstalled { why },
    }
}

/// Returns that a server is not installed if that is what its launcher reports.
fn launcher_checked(error: ServerError, rules: &ServerProgram) -> ServerError {
    let reports = |line: &&str| {
        let line = line.to_lowercase();
        rules
            .not_installed_when
            .iter()
            .any(|words| line.contains(words))
    };
    let report = match error.situation {
        Situation::HandshakeFailed { .. } => error.tail.lines().find(reports),
        _ => None,
    };
    let Some(report) = report.map(str::trim) else {
        return error;
    };
    let why = Missing::NotStartedByLauncher {
        launcher: error.command[0].clone(),
        report: report.to_string(),
        install: rules.install.to_string(),
    };
    ServerError {
        situation: Situation::NotInstalled { why },
        ..error
    }
}

/// Returns which build files of a server are missing, if none of them is in a directory above the file
/// (where clangd searches for them).
fn missing_build_files(built_in: &BuiltInServer, file: &Utf8Path) -> Option<String> {
    let names = built_in.build_files;
    let exists = |name: &&str| {
        let mut folders = file.ancestors().skip(1);
        folders.any(|folder| workspace::is_there(&folder.join(name)))
    };
    let is_missing = !names.is_empty() && !names.iter().any(exists);
    is_missing.then(|| format!("no {}", names.join(", no ")))
}
