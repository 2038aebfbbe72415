//! Real language servers over small projects (`tests/servers/`): what each answers, and that no
//! answer describes outdated text. `tests/all.sh` installs the servers; the tests of a missing
//! server fail.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::engine::response::RefusedCall;
use treegraft::lsp::configuration::{Configuration, ServerConfiguration};

use crate::support::call;
use crate::tools;

#[path = "../servers/projects.rs"]
mod projects;

mod broken;

mod components;

use broken::Broken;
use projects::{Installer, PROJECTS, Place, Program, Project, texts};

/// Longer than any server takes to notice a change, even on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A server over its project.
struct Served {
    project: &'static Project,
    workspace: Workspace,
}

/// Returns the project of a server.
fn project(server: &str) -> &'static Project {
    let mut projects = PROJECTS.iter();
    let found = projects.find(|project| project.server == server);
    found.expect("it has a project")
}

/// Returns the settings that use a command for each of some languages.
fn configured(servers: &[(&str, Vec<String>)]) -> Configuration {
    let servers = servers.iter().map(|(language, command)| {
        let server = ServerConfiguration {
            command: Some(command.clone()),
            enabled: true,
            ..ServerConfiguration::default()
        };
        (language, server)
    });
    servers.fold(Configuration::default(), |all, (language, server)| {
        all.with(language, server)
    })
}

/// Returns the command of a server.
fn command(program: &Program) -> Vec<String> {
    let server = program.server;
    let folder = match program.from {
        Installer::Python => tools::python().parent().map(Path::to_path_buf),
        Installer::Node => Some(tools::variable("TREEGRAFT_TEST_NODE").into()),
        Installer::SearchPath => {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            let mut paths = std::env::split_paths(&paths);
            paths.find(|folder| folder.join(program.command[0]).is_file())
        }
    };
    let missing = || panic!("{server} is not installed: `bash tests/all.sh external` installs it");
    let folder = folder.unwrap_or_else(missing);
    // A rustup proxy exists even if its program is not installed; then it fails.
    if let (Installer::SearchPath, Some((asked, arguments))) =
        (program.from, program.version.split_first())
    {
        let mut command = Command::new(folder.join(asked));
        let output = command.args(arguments).stdin(Stdio::null()).output();
        if !output.is_ok_and(|output| output.status.success()) {
            missing();
        }
    }
    program.command_in(&folder)
}

/// An engine over a folder, with this server for its language.
struct Workspace {
    engine: Engine,
    root: PathBuf,
    directories: [TempDir; 2],
}

impl Workspace {
    fn new(program: &Program, lay_out: impl FnOnce(&Path)) -> Workspace {
        Workspace::with(&[(program.language, command(program))], lay_out)
    }

    /// Returns an engine over the same folder and state, for an agent whose edits a person approves.
    fn staging(&self, program: &Program) -> Engine {
        let [root, state] = &self.directories;
        let [root, state] = [root, state].map(|one| one.path().canonicalize().expect("it exists"));
        let caller = treegraft::engine::Caller::Agent { stage_only: true };
        let engine = Engine::open_for(caller, &[root], Some(state)).expect("it can be opened");
        engine.with_servers(configured(&[(program.language, command(program))]))
    }

    /// Uses a server for each of some languages.
    fn with(servers: &[(&str, Vec<String>)], lay_out: impl FnOnce(&Path)) -> Workspace {
        let directory = || TempDir::new().expect("a temporary directory can be created");
        let directories = [directory(), directory()];
        let utf8 = |directory: &TempDir| {
            let path = directory.path().canonicalize().expect("it exists");
            Utf8PathBuf::from_path_buf(path).expect("temporary directories have UTF-8 names")
        };
        let [root, state] = [utf8(&directories[0]), utf8(&directories[1])];
        lay_out(root.as_std_path());
        let engine =
            Engine::open(std::slice::from_ref(&root), Some(&state)).expect("it can be opened");
        Workspace {
            engine: engine.with_servers(configured(servers)),
            root: root.into_std_path_buf(),
            directories,
        }
    }

    fn call(&self, tool: &str, arguments: Value) -> Result<Value, Value> {
        match call(&self.engine, tool, arguments) {
            Ok(answered) => Ok(answered.json),
            Err(refusal) => Err(json!(format!(
                "{}: {}",
                refusal.code().as_str(),
                refusal.message()
            ))),
        }
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        let folder = path.parent().expect("the path has a parent");
        fs::create_dir_all(folder).expect("the folder can be created");
        fs::write(path, text).expect("the file can be written");
    }
}

impl Served {
    fn start(server: &str) -> Served {
        let project = project(server);
        Served {
            project,
            workspace: Workspace::new(&project.program(), |root| project.lay_out(root)),
        }
    }

    fn call(&self, tool: &str, arguments: Value) -> Result<Value, Value> {
        self.workspace.call(tool, arguments)
    }

    /// Asks about the project's name.
    fn ask(&self, tool: &str, more: Value) -> Result<Value, Value> {
        let mut arguments = json!({"locate": self.project.locate});
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        self.call(tool, arguments)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.workspace.root.join(file)
    }

    /// Changes a file as another program would.
    fn change(&self, file: &str, change: impl FnOnce(&str) -> String) {
        let text = fs::read_to_string(self.path(file)).expect("the file is there");
        fs::write(self.path(file), change(&text)).expect("the file is written");
    }

    fn remark(&self, text: &str) -> String {
        format!("{}\n", self.project.comment.replace("{}", text))
    }

    /// Returns the server's answer to each question that it supports, with the expected places.
    fn questions(&self) -> Vec<(&'static str, Value, Vec<Place>)> {
        let mut questions = Vec::new();
        if let Some(place) = self.project.defined(&self.workspace.root) {
            let answer = self.ask("goto_definition", json!({}));
            questions.push(("goto_definition", answer.expect("it resolves"), vec![place]));
        }
        if self.project.references {
            let answer = self.ask("find_references", json!({}));
            let named = self.project.named(&self.workspace.root);
            questions.push(("find_references", answer.expect("it resolves"), named));
        }
        if let Some(place) = self.project.wrong(&self.workspace.root) {
            let answer = self.call("diagnostics", json!({"path": place.0}));
            questions.push(("diagnostics", answer.expect("it resolves"), vec![place]));
        }
        questions
    }

    /// Asks until every answer is complete; no answer may be wrong and claim to be complete.
    fn check(&self, when: &str) {
        let deadline = Instant::now() + LONG;
        loop {
            let mut is_known = true;
            for (tool, answer, expected) in self.questions() {
                let about = || format!("{} {when}: {tool}: {answer:#}", self.project.server);
                let found = self.places(tool, &answer);
                match (found == expected, answer["completeness"] == "complete") {
                    (true, _) => {}
                    (false, true) => panic!("{}\nexpected: {expected:?}", about()),
                    (false, false) if self.project.is_partial => {
                        let is_there = |place: &Place| expected.contains(place);
                        assert!(found.iter().all(is_there), "{}\n{expected:?}", about());
                    }
                    (false, false) => {
                        is_known = false;
                        assert!(Instant::now() < deadline, "{}\n{expected:?}", about());
                    }
                }
            }
            if is_known {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Returns the places of an answer; of diagnostics, those of the expected error.
    fn places(&self, tool: &str, answer: &Value) -> Vec<Place> {
        let list = match tool {
            "goto_definition" => &answer["locations"],
            "find_references" => &answer["references"],
            "workspace_symbols" => &answer["symbols"],
            _ => &answer["diagnostics"],
        };
        let expected_words = self
            .project
            .error
            .map_or("", |(_, _, expected_words)| expected_words);
        let is_meant = |one: &&Value| {
            let message = one["message"].as_str();
            message.is_none_or(|message| {
                message
                    .to_lowercase()
                    .contains(&expected_words.to_lowercase())
            })
        };
        let list = list.as_array().into_iter().flatten().filter(is_meant);
        let number = |one: &Value| one.as_u64().map_or(0, |number| number as usize);
        list.map(|one| {
            let file = one["file"].as_str().unwrap_or_default();
            (
                file.to_string(),
                number(&one["line"]),
                number(&one["column"]),
            )
        })
        .collect()
    }

    /// Checks that unsupported questions are reported as such, and that the server answers the
    /// others.
    fn check_answers(&self) {
        let project = self.project;
        self.check("at first");
        let none = |tool: &str, more: Value| {
            let reply = match self.ask(tool, more) {
                Ok(answer) => answer.to_string(),
                Err(refusal) => refusal.to_string(),
            };
            let [code, words] = match project.silent.contains(&tool) {
                true => ["symbol_not_found", "found no "],
                false => ["server_not_installed", "does not support "],
            };
            let is_reported = reply.contains(code) && reply.contains(words);
            assert!(is_reported, "{} {tool}: {reply}", project.server);
        };
        if project.definition.is_none() {
            none("goto_definition", json!({}));
        }
        if !project.references {
            none("find_references", json!({}));
        }
        match project.hover {
            None => none("hover", json!({})),
            Some(expected_words) => {
                let hover = self.ask("hover", json!({})).expect("it resolves");
                let text = hover["text"].as_str().unwrap_or_default();
                assert!(
                    text.contains(expected_words),
                    "{}: {hover:#}",
                    project.server
                );
                assert_eq!(hover["symbol"], project.name, "{}", project.server);
            }
        }
        let Some(new_name) = project.rename else {
            none("rename_symbol", json!({"new_name": "other"}));
            return;
        };
        let before = texts(&self.workspace.root);
        let mut expected = before.clone();
        expected.extend(project.renamed(&self.workspace.root, new_name));
        let made = self.ask("rename_symbol", json!({"new_name": new_name}));
        let made = made.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", project.server));
        assert_eq!(
            texts(&self.workspace.root),
            before,
            "a preview changes nothing"
        );
        let edit = json!({"edit_id": made["edit_id"]});
        self.call("apply_edit", edit.clone()).expect("it applies");
        assert_eq!(texts(&self.workspace.root), expected, "{}", project.server);
        self.call("undo_edit", edit).expect("it is undone");
        assert_eq!(texts(&self.workspace.root), before, "{}", project.server);
        self.check("after an edit was undone");
        self.check_left(new_name);
    }

    /// Checks that a rename that would leave a use unchanged is refused with its place, is made if that
    /// is allowed, and with `complete` changes the use too, or is refused if it is not certain.
    fn check_left(&self, new_name: &str) {
        let Some((file, text, reason)) = self.project.left else {
            return;
        };
        let path = self.path(file);
        let before = fs::read_to_string(&path).ok();
        let text = before.clone().unwrap_or_default() + text;
        fs::write(&path, text).expect("the file can be written");
        let mut arguments = json!({"locate": self.project.locate, "new_name": new_name});
        let refusal = call(&self.workspace.engine, "rename_symbol", arguments.clone());
        let refusal = refusal.expect_err("a use would be left").json();
        let about = || format!("{}: {refusal:#}", self.project.server);
        let error = &refusal["error"];
        assert_eq!(error["code"], "incomplete_rename", "{}", about());
        let places = error["places"].as_array().expect("there is a list");
        let is_meant = |place: &Value| place["file"] == file && place["reason"] == reason;
        assert!(
            places.len() == 1 && places.iter().all(is_meant),
            "{}",
            about()
        );
        arguments["allow"] = json!(["incomplete"]);
        let made = self.call("rename_symbol", arguments);
        let made = made.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", self.project.server));
        let notes = made["notes"].to_string();
        assert!(
            notes.contains("are left unchanged:") && notes.contains(file),
            "{notes}"
        );
        self.check_completed(new_name, &refusal);
        match before {
            Some(text) => fs::write(&path, text).expect("the file can be written"),
            None => fs::remove_file(&path).expect("the file can be removed"),
        }
        self.check("after another use was removed");
    }

    /// Checks that the call that `refusal` suggests renames all places.
    fn check_completed(&self, new_name: &str, refusal: &Value) {
        let arguments =
            json!({"locate": self.project.locate, "new_name": new_name, "complete": true});
        let mut expected = texts(&self.workspace.root);
        expected.extend(self.project.renamed(&self.workspace.root, new_name));
        let suggested = &refusal["error"]["suggestions"];
        let Some(reason) = self.project.completed else {
            let refused = call(&self.workspace.engine, "rename_symbol", arguments);
            let refused = refused.expect_err("the use is not certain").json();
            assert_eq!(refused["error"]["code"], "incomplete_rename", "{refused}");
            assert_eq!(refused["error"]["suggestions"], *suggested);
            // Both suggested calls together rename all places.
            let made = self.send_both(suggested);
            assert_eq!(
                texts(&self.workspace.root),
                expected,
                "{}",
                self.project.server
            );
            self.undo(made);
            return;
        };
        let suggested = &suggested[0];
        assert_eq!(suggested["arguments"], arguments, "{}", self.project.server);
        let made = self.call("rename_symbol", arguments);
        let made = made.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", self.project.server));
        let note = format!("added to the server's rename ({reason}): ");
        assert!(made["notes"].to_string().contains(&note), "{made:#}");
        let edit = json!({"edit_id": made["edit_id"]});
        self.call("apply_edit", edit.clone()).expect("it applies");
        assert_eq!(texts(&self.workspace.root), expected);
        self.call("undo_edit", edit).expect("it is undone");
    }

    /// Sends the two calls that a refused rename suggests, and returns their edits.
    fn send_both(&self, suggested: &Value) -> Vec<Value> {
        let suggested = suggested.as_array().expect("there is a list");
        assert_eq!(suggested.len(), 2, "{suggested:#?}");
        let send = |one: &Value| {
            let tool = one["tool"].as_str().expect("it is a tool");
            let made = self.call(tool, one["arguments"].clone());
            let made = made.unwrap_or_else(|refusal| panic!("{one:#}: {refusal:#}"));
            let edit = json!({"edit_id": made["edit_id"]});
            self.call("apply_edit", edit.clone()).expect("it applies");
            edit
        };
        suggested.iter().map(send).collect()
    }

    fn undo(&self, made: Vec<Value>) {
        for edit in made.into_iter().rev() {
            self.call("undo_edit", edit).expect("it is undone");
        }
    }

    /// Checks that a rename is refused if the server only looks at one file at a time and would
    /// miss places.
    fn check_partial(&self) {
        let renamed = self.ask("rename_symbol", json!({"new_name": "--brand"}));
        let refusal = renamed
            .expect_err("a file that the server does not read mentions the name")
            .to_string();
        assert!(refusal.contains("incomplete_rename"), "{refusal}");
    }

    /// Checks the answers after each kind of file change.
    fn check_changes(&self) {
        let project = self.project;
        let (file, find, new_content) = project.ours;
        let edit = json!({"file_path": file, "find": find, "new_content": new_content});
        let preview = self.call("replace_text", edit).expect("it is sound");
        let edit = json!({"edit_id": preview["edit_id"]});
        self.call("apply_edit", edit).expect("it applies");
        self.check("after an edit of ours");

        // The file of the question is open in the server; the other one, if any, is not.
        let asked = project.locate.split('@').next().unwrap_or_default();
        self.change(asked, |text| format!("{}{text}", self.remark("more")));
        self.check("after an edit of an open file");
        let closed = project.definition.map_or(asked, |(file, _)| file);
        self.change(closed, |text| format!("{}{text}", self.remark("more")));
        self.check("after an edit of a closed file");

        let (name, text) = project.new;
        self.workspace.write(name, text);
        self.check("after a new file");

        let killed = self.kill();
        self.change(closed, |text| format!("{}{text}", self.remark("again")));
        self.check("after it was killed");
        assert_ne!(self.running(), killed, "a new process is asked");

        if project.is_partial {
            self.check_partial();
        }
        fs::remove_file(self.path(name)).expect("the file can be removed");
        self.check("after a file was removed");
    }

    /// Returns the processes of the language's server.
    fn running(&self) -> Vec<u32> {
        let servers = self.workspace.engine.language_servers();
        let servers = servers.expect("it has language servers");
        let mut servers = servers.into_iter();
        let own = servers.find(|one| one.languages.contains(&self.project.language));
        own.expect("it has a row").running
    }

    /// Kills the server and its children.
    fn kill(&self) -> Vec<u32> {
        let running = self.running();
        assert_eq!(running.len(), 1, "{}", self.project.server);
        let killed =
            rustix::process::kill_process_group(group(running[0]), rustix::process::Signal::KILL);
        killed.expect("it runs");
        running
    }
}

/// Returns the process group that a process leads.
fn group(leader: u32) -> rustix::process::Pid {
    let leader = i32::try_from(leader).ok();
    let group = leader.and_then(rustix::process::Pid::from_raw);
    group.expect("it is a process id")
}

impl Served {
    /// Asks each question once: as the first of a session, after files were changed by another program, and after the
    /// server was killed. An answer is the expected one, or states that it is incomplete and why.
    fn check_each_once(server: &str) {
        let project = project(server);
        let tools = [
            ("goto_definition", project.definition.is_some()),
            ("find_references", project.references),
            ("hover", project.hover.is_some()),
            ("workspace_symbols", project.symbols),
            ("diagnostics", project.error.is_some()),
            ("rename_symbol", project.rename.is_some()),
        ];
        for (tool, _) in tools.into_iter().filter(|(_, is_answered)| *is_answered) {
            let served = Served::start(server);
            served.ask_once(tool, "after the start");
            served.shift();
            served.ask_once(tool, "after a change");
            if !served.running().is_empty() {
                served.kill();
            }
            served.shift();
            served.ask_once(tool, "after a kill");
        }
    }

    /// Moves all places of the name, and adds one in a file that the server may not have open.
    fn shift(&self) {
        let asked = self.project.locate.split('@').next().unwrap_or_default();
        let defined = self.project.definition.map_or(asked, |(file, _)| file);
        for file in std::collections::BTreeSet::from([asked, defined]) {
            self.change(file, |text| self.remarked(text));
        }
        let (name, text) = self.project.new;
        match self.path(name).exists() {
            true => self.change(name, |text| self.remarked(text)),
            false => self.workspace.write(name, text),
        }
    }

    /// Adds a remark before a text; after the first line of a script.
    fn remarked(&self, text: &str) -> String {
        let first = match text.starts_with("#!") {
            true => text.find('\n').map_or(0, |at| at + 1),
            false => 0,
        };
        format!(
            "{}{}{}",
            &text[..first],
            self.remark("more"),
            &text[first..]
        )
    }

    fn ask_once(&self, tool: &str, when: &str) {
        let project = self.project;
        let root = &self.workspace.root;
        let about = |answer: &Value| format!("{} {when}: {tool}: {answer:#}", project.server);
        let answer = match tool {
            "workspace_symbols" => self.call(tool, json!({"query": project.name})),
            "diagnostics" => {
                let (file, _, _) = project.error.expect("it has an error");
                self.call(tool, json!({"path": file}))
            }
            "rename_symbol" => self.ask(tool, json!({"new_name": project.rename})),
            _ => self.ask(tool, json!({})),
        };
        let answer = match answer {
            Ok(answer) => answer,
            // A rename is refused if it may not be complete.
            Err(refusal) => {
                let text = refusal.to_string();
                let is_stated = ["not_ready", "incomplete_rename", "server_crashed"]
                    .iter()
                    .any(|code| text.contains(code));
                assert!(tool == "rename_symbol" && is_stated, "{}", about(&refusal));
                return;
            }
        };
        if tool == "rename_symbol" {
            let is_partial = answer["notes"]
                .to_string()
                .contains("may not know all files");
            let mut expected = texts(root);
            let before = expected.clone();
            let new_name = project.rename.expect("it is renamed");
            expected.extend(project.renamed(root, new_name));
            let edit = json!({"edit_id": answer["edit_id"]});
            self.call("apply_edit", edit.clone()).expect("it applies");
            assert!(is_partial || texts(root) == expected, "{}", about(&answer));
            self.call("undo_edit", edit).expect("it is undone");
            assert_eq!(texts(root), before);
            return;
        }
        let expected = match tool {
            "find_references" => project.named(root),
            "diagnostics" => project.wrong(root).into_iter().collect(),
            _ => project.defined(root).into_iter().collect(),
        };
        let found = self.places(tool, &answer);
        let is_right = match tool {
            "hover" => {
                let text = answer["text"].as_str().unwrap_or_default();
                text.contains(project.hover.unwrap_or_default())
            }
            "workspace_symbols" => expected.iter().all(|place| found.contains(place)),
            _ => found == expected,
        };
        let error = answer["parse_error"].as_str().unwrap_or_default();
        let reason = answer["completeness_reason"].as_str().unwrap_or_default();
        match answer["completeness"].as_str() {
            _ if !error.is_empty() => {
                let codes = ["not_ready: ", "server_crashed: "];
                let is_stated = codes.iter().any(|code| error.starts_with(code));
                assert!(is_stated, "{}", about(&answer));
            }
            Some("complete") => {
                assert!(
                    is_right && reason.is_empty(),
                    "{}\n{expected:?}",
                    about(&answer)
                );
            }
            Some("still_indexing" | "degraded") => {
                assert!(!reason.is_empty(), "{}", about(&answer));
            }
            _ => panic!("{}", about(&answer)),
        }
    }
}

/// Checks that no first question of a session gets a wrong answer marked as complete, and that no
/// existing name is reported as unknown.
fn check_first_questions(project: &'static Project) {
    let asked = |tool: &str, arguments: Value| {
        let served = Served::start(project.server);
        let answer = match tool {
            "workspace_symbols" => served.call(tool, arguments),
            _ => served.ask(tool, arguments),
        };
        let answer = answer.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", project.server));
        let about = format!("{}: {tool} first: {answer:#}", project.server);
        let error = answer["parse_error"].as_str().unwrap_or_default();
        assert!(
            error.is_empty() || error.starts_with("not_ready"),
            "{about}"
        );
        let is_complete = answer["completeness"] == "complete";
        (served, answer, is_complete, about)
    };
    if project.definition.is_some() {
        let (served, answer, is_complete, about) = asked("goto_definition", json!({}));
        let found = served.places("goto_definition", &answer);
        let expected = project.defined(&served.workspace.root);
        assert!(
            found.first() == expected.as_ref() || !is_complete,
            "{about}"
        );
    }
    if project.references {
        let (served, answer, is_complete, about) = asked("find_references", json!({}));
        let found = served.places("find_references", &answer);
        let expected = project.named(&served.workspace.root);
        assert!(found == expected || !is_complete, "{about}");
    }
    if let Some(expected_words) = project.hover {
        let (_, answer, is_complete, about) = asked("hover", json!({}));
        let text = answer["text"].as_str().unwrap_or_default();
        assert!(text.contains(expected_words) || !is_complete, "{about}");
    }
    if project.symbols {
        let query = json!({"query": project.name});
        let (served, answer, is_complete, about) = asked("workspace_symbols", query);
        let found = served.places("workspace_symbols", &answer);
        let expected = project
            .defined(&served.workspace.root)
            .expect("it is defined");
        assert!(found.contains(&expected) || !is_complete, "{about}");
    }
}

fn drive(server: &str) {
    check_first_questions(project(server));
    Served::check_each_once(server);
    let served = Served::start(server);
    served.check_answers();
    served.check_changes();
    let running = served.running();
    drop(served);
    // A launcher leaves its child running unless someone stops that too.
    let deadline = Instant::now() + LONG;
    for leader in running {
        while rustix::process::test_kill_process_group(group(leader)).is_ok() {
            assert!(Instant::now() < deadline, "{server} still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn ty() {
    drive("ty");
}

/// Definitions that override each other keep the same name, even though each resolves to itself.
#[test]
fn a_member_is_not_renamed_without_its_overrides() {
    let served = Served::start("ty");
    for (file, text) in [
        (
            "base.py",
            "class Base:\n    kind = \"a\"\n    alone = 1\n\n    def show(self):\n        return self.kind\n",
        ),
        (
            "middle.py",
            "from base import Base\n\n\nclass Middle(Base):\n    pass\n",
        ),
        (
            "leaf.py",
            "from middle import Middle\n\n\nclass Leaf(Middle):\n    kind = \"b\"\n\n    def show(self):\n        kind = 1\n        return kind\n",
        ),
        (
            "two.py",
            "class First:\n    def step(self):\n        pass\n\n\nclass Second:\n    def step(self):\n        pass\n\n\n\
             def go(one: First | Second):\n    one.step()\n",
        ),
        (
            "other.py",
            "class Other:\n    kind = \"c\"\n    alone = 2\n",
        ),
    ] {
        fs::write(served.path(file), text).expect("the file can be written");
    }
    for (locate, expected) in [
        (
            "base.py@<|>kind = \"a\"",
            json!([["leaf.py", 5, "overrides the renamed symbol"]]),
        ),
        (
            "leaf.py@<|>kind = \"b\"",
            // A use on the supertype may refer to the renamed definition.
            json!([
                ["base.py", 2, "overridden by the renamed symbol"],
                ["base.py", 6, "overridden by the renamed symbol"],
            ]),
        ),
        (
            "base.py:Base.show",
            json!([["leaf.py", 7, "implements the renamed symbol"]]),
        ),
        (
            "leaf.py:Leaf.show",
            json!([["base.py", 5, "overridden by the renamed symbol"]]),
        ),
        (
            "two.py:First.step",
            json!([["two.py", 7, "shares a use with the renamed symbol"]]),
        ),
        ("base.py@<|>alone", json!([])),
        ("other.py@<|>kind", json!([])),
    ] {
        let arguments = json!({"locate": locate, "new_name": "another"});
        let places = match call(&served.workspace.engine, "rename_symbol", arguments) {
            Ok(_) => json!([]),
            Err(refusal) => {
                let error = refusal.json()["error"].clone();
                assert_eq!(error["code"], "incomplete_rename", "{locate}: {error:#}");
                let places = error["places"].as_array().cloned().unwrap_or_default();
                let place = |one: &Value| json!([one["file"], one["line"], one["reason"]]);
                places.iter().map(place).collect()
            }
        };
        assert_eq!(places, expected, "{locate}");
    }
    // Nothing can rename what a type outside the workspace defines.
    let text = "import threading\n\n\nclass Worker(threading.Thread):\n    def run(self):\n        self.go()\n\n    \
                def go(self):\n        pass\n";
    fs::write(served.path("worker.py"), text).expect("the file can be written");
    for complete in [false, true] {
        let arguments =
            json!({"locate": "worker.py:Worker.run", "new_name": "another", "complete": complete});
        let refusal = call(&served.workspace.engine, "rename_symbol", arguments);
        let error = refusal.expect_err("`Thread` calls it").json()["error"].clone();
        assert_eq!(error["code"], "incomplete_rename", "{error:#}");
        assert_eq!(error["suggestions"], json!([]), "{error:#}");
        let place = &error["places"][0];
        assert_eq!(place["reason"], "overridden by the renamed symbol");
        let file = place["file"].as_str().unwrap_or_default();
        assert!(file.ends_with("threading.pyi"), "{error:#}");
    }
    let own = json!({"locate": "worker.py:Worker.go", "new_name": "another"});
    served
        .call("rename_symbol", own)
        .expect("only it defines this");
    // With `complete`, all of them are renamed, from any of them.
    let before = texts(&served.workspace.root);
    for (locate, name, files) in [
        ("base.py:Base.show", "show", &["base.py", "leaf.py"][..]),
        ("leaf.py:Leaf.show", "show", &["base.py", "leaf.py"]),
        ("two.py:First.step", "step", &["two.py"]),
    ] {
        let arguments =
            json!({"locate": locate, "new_name": "another", "complete": true, "apply": true});
        let made = served.call("rename_symbol", arguments);
        let made = made.unwrap_or_else(|refusal| panic!("{locate}: {refusal:#}"));
        let mut expected = before.clone();
        for file in files {
            expected.insert(file.to_string(), before[*file].replace(name, "another"));
        }
        assert_eq!(texts(&served.workspace.root), expected, "{locate}");
        let notes = made["notes"].to_string();
        assert!(notes.contains("the renamed symbol): "), "{notes}");
        let edit = json!({"edit_id": made["edit_id"]});
        served.call("undo_edit", edit).expect("it is undone");
    }
}

/// A local variable and a member of the same name share `{ price }`.
#[test]
fn a_rename_of_a_local_variable_never_renames_a_member() {
    let served = Served::start("TypeScript");
    let text = "export interface Cost {\n  price: number;\n}\n\nexport function make(): Cost {\n  const price = 3;\n  \
                return { price };\n}\n";
    served.workspace.write("cost.ts", text);
    for complete in [false, true] {
        let arguments =
            json!({"locate": "cost.ts@const <|>price", "new_name": "sum", "complete": complete});
        let refusal = call(&served.workspace.engine, "rename_symbol", arguments);
        let (places, _) = left_places(&refusal.expect_err("the member has the name too"));
        let expected = json!(["cost.ts", 2, "shares a use with the renamed symbol"]);
        assert_eq!(places, [expected]);
    }
}

/// The move exports a function without a type, which the settings of the project refuse.
#[test]
fn a_move_with_a_new_error_of_the_server_is_refused() {
    let served = Served::start("TypeScript");
    let settings = r#"{"compilerOptions": {"strict": true, "declaration": true, "isolatedDeclarations": true}}"#;
    served.workspace.write("tsconfig.json", settings);
    let old = "function sum() {\n  return [1].length;\n}\n\nexport const all: number = sum();\n";
    served.workspace.write("from.ts", old);
    served
        .workspace
        .write("to.ts", "export const one: number = 1;\n");
    let to = json!({"file_path": "to.ts", "selector": "lexical_declaration@const one", "position": "after"});
    let arguments = json!({"file_path": "from.ts", "selector": "sum", "to": to, "imports": true});
    let refusal = call(&served.workspace.engine, "move_node", arguments);
    let refusal = refusal.expect_err("the server reports an error").json();
    let error = &refusal["error"];
    assert_eq!(error["code"], "incomplete_move", "{error:#}");
    let place = &error["places"][0];
    assert_eq!(place["file"], "to.ts", "{error:#}");
    // The server has the texts of the disk again.
    let problems = served
        .workspace
        .call("diagnostics", json!({"path": "to.ts"}));
    let problems = problems.expect("the server answers");
    assert_eq!(problems["diagnostic_count"], 0, "{problems:#}");

    let typed = old.replace("sum() {", "sum(): number {");
    served.workspace.write("from.ts", &typed);
    let to = json!({"file_path": "to.ts", "selector": "lexical_declaration@const one", "position": "after"});
    let arguments = json!({"file_path": "from.ts", "selector": "sum", "to": to, "imports": true});
    let made = served
        .workspace
        .call("move_node", arguments)
        .expect("the server finds nothing");
    assert!(!made.to_string().contains("not checked"), "{made:#}");
}

/// Returns the places that a refused rename would leave, each with its file, line and reason, and what the refusal
/// suggests.
fn left_places(refusal: &RefusedCall) -> (Vec<Value>, Value) {
    let refusal = refusal.json();
    let error = &refusal["error"];
    assert_eq!(error["code"], "incomplete_rename", "{error:#}");
    let places = error["places"].as_array().expect("there is a list").iter();
    let places = places.map(|one| json!([one["file"], one["line"], one["reason"]]));
    (places.collect(), error["suggestions"].clone())
}

/// The server does not read code for another platform, and no string.
#[test]
fn a_rename_lists_code_for_other_platforms_with_the_edits_that_change_it() {
    let served = Served::start("rust-analyzer");
    let text = "pub mod prices;\n\n#[cfg(windows)]\nmod windows {\n    use crate::prices::{price, Kind};\n\n    \
                pub fn twice() -> u32 {\n        price(\"tea\") * 2\n    }\n}\n\n#[cfg(windows)]\n\
                pub fn again() -> u32 {\n    crate::prices::price(\"tea\")\n}\n\n/// The price.\npub struct Bill {\n    \
                #[serde(default = \"crate::prices::price\", rename = \"price\")]\n    pub sum: u32,\n}\n";
    fs::write(served.path("src/lib.rs"), text).expect("the file can be written");
    let own = "pub fn price(_: &str) -> u32 {\n    250\n}\n";
    fs::write(served.path("src/prices.rs"), own).expect("the file can be written");
    let arguments = json!({"locate": "src/prices.rs:price", "new_name": "cost"});
    let refusal = call(&served.workspace.engine, "rename_symbol", arguments);
    let (places, suggested) = left_places(&refusal.expect_err("the server left out some places"));
    // The server resolves the paths, and not what the import brings into scope.
    let expected = json!(["src/lib.rs", 8, "not resolved by the server"]);
    assert_eq!(places, [expected]);
    served.send_both(&suggested);
    let expected = text
        .replace("price(\"", "cost(\"")
        .replace("{price,", "{cost,");
    let renamed = fs::read_to_string(served.path("src/lib.rs")).expect("the file is there");
    assert_eq!(renamed, expected);
}

#[test]
fn pyright() {
    drive("pyright");
}

#[test]
fn clangd() {
    drive("clangd");
}

#[test]
fn typescript() {
    drive("TypeScript");
}

#[test]
fn yaml() {
    drive("yaml-language-server");
}

#[test]
fn bash() {
    drive("bash-language-server");
}

#[test]
fn css() {
    drive("vscode-css-language-server");
}

#[test]
fn tombi() {
    drive("tombi");
}

#[test]
fn rust_analyzer() {
    drive("rust-analyzer");
}

#[test]
fn gopls() {
    drive("gopls");
}

/// A session over a broken file.
struct Session {
    broken: &'static Broken,
    workspace: Workspace,
}

impl Session {
    fn start(broken: &'static Broken) -> Session {
        let workspace = Workspace::new(&broken.program(), |root| {
            let texts = broken.others.iter().copied();
            let own = broken.broken();
            for (name, text) in texts.chain([(broken.file, own.as_str())]) {
                let path = root.join(name);
                let folder = path.parent().expect("the path has a parent");
                fs::create_dir_all(folder).expect("the folder can be created");
                let text = text.replace("ROOT", &root.to_string_lossy());
                fs::write(path, text).expect("the file can be written");
            }
        });
        Session { broken, workspace }
    }

    /// Asks for diagnostics until the answer is complete. Every answer counts, also the first one:
    /// a complete one lists all `errors`, or none if there are none.
    fn check(&self, when: &str, errors: &[&str]) {
        let Broken { server, file, .. } = self.broken;
        let deadline = Instant::now() + LONG;
        loop {
            let answer = self.workspace.call("diagnostics", json!({"path": file}));
            let answer = answer.unwrap_or_else(|refusal| panic!("{server} {when}: {refusal:#}"));
            let about = || format!("{server} {when}: {answer:#}");
            let listed = answer["diagnostics"].as_array().expect("a list");
            let is_listed = |words: &&str| {
                let mut messages = listed.iter().map(|one| one["message"].as_str());
                messages.any(|one| one.is_some_and(|one| one.to_lowercase().contains(*words)))
            };
            let is_right = match errors.is_empty() {
                true => listed.iter().all(|one| one["severity"] != "error"),
                false => errors.iter().all(is_listed),
            };
            let is_complete = answer["completeness"] == "complete";
            assert!(is_right || !is_complete, "{}\n{errors:?}", about());
            assert_eq!(
                is_complete,
                answer["completeness_reason"].is_null(),
                "{}",
                about()
            );
            if is_right && is_complete == self.broken.may_be_complete {
                return;
            }
            assert!(self.broken.may_be_complete || !is_complete, "{}", about());
            assert!(Instant::now() < deadline, "{}\n{errors:?}", about());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Applies an edit that fixes the file.
    fn repair(&self) {
        let edit = json!({"file_path": self.broken.file, "find": self.broken.broken().trim_end(),
            "new_content": self.broken.repaired.trim_end(), "apply": true});
        let applied = self.workspace.call("replace_text", edit);
        applied.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", self.broken.server));
    }
}

/// Checks that no answer about diagnostics is marked as complete and wrong: as the first of a
/// session, after another question, and after changes.
fn check_broken(server: &str) {
    let mut all = broken::ALL.iter();
    let broken = all.find(|broken| broken.server == server);
    let broken = broken.expect("it has a broken file");

    let session = Session::start(broken);
    session.check("at the first question", broken.errors);

    let session = Session::start(broken);
    // The server may refuse the question; it only matters that it was asked.
    let _ = session
        .workspace
        .call("hover", json!({"locate": broken.locate()}));
    session.check("after a hover", broken.errors);
    session.workspace.write(broken.file, broken.repaired);
    session.check("after a repair from outside", &[]);
    session.workspace.write(broken.file, &broken.broken());
    session.check("after a change from outside", broken.errors);
    session.repair();
    session.check("after a repair by an edit", &[]);
    if let Some((file, text, expected_words)) = broken.elsewhere {
        session.workspace.write(file, text);
        session.check("after a change of another file", &[expected_words]);
    }
}

#[test]
fn broken_files_of_ty() {
    check_broken("ty");
}

#[test]
fn broken_files_of_pyright() {
    check_broken("pyright");
}

#[test]
fn broken_files_of_clangd() {
    check_broken("clangd");
}

#[test]
fn broken_files_of_typescript() {
    check_broken("TypeScript");
}

#[test]
fn broken_files_of_yaml() {
    check_broken("yaml-language-server");
}

#[test]
fn broken_files_of_bash() {
    check_broken("bash-language-server");
}

#[test]
fn broken_files_of_css() {
    check_broken("vscode-css-language-server");
}

#[test]
fn broken_files_of_html() {
    check_broken("vscode-html-language-server");
}

#[test]
fn broken_files_of_json() {
    check_broken("vscode-json-language-server");
}

#[test]
fn broken_files_of_tombi() {
    check_broken("tombi");
}

#[test]
fn broken_files_of_rust_analyzer() {
    check_broken("rust-analyzer");
}

#[test]
fn broken_files_of_gopls() {
    check_broken("gopls");
}

#[test]
fn a_folder_check_includes_files_with_a_configured_language() {
    let wrong = "total: str = 5\n";
    let workspace = Workspace::new(&project("ty").program(), |root| {
        let settings = "[languages]\ntpl = \"python\"\n";
        fs::write(root.join("treegraft.toml"), settings).expect("the file can be written");
        fs::create_dir(root.join("src")).expect("the folder can be created");
        fs::write(root.join("src/bill.tpl"), wrong).expect("the file can be written");
        let script = format!("#!/usr/bin/env python3\n{wrong}");
        fs::write(root.join("src/bill"), script).expect("the file can be written");
    });
    for (path, files) in [
        ("src/bill", &["src/bill"][..]),
        ("src/bill.tpl", &["src/bill.tpl"]),
        ("src", &["src/bill", "src/bill.tpl"]),
    ] {
        let answer = workspace.call("diagnostics", json!({"path": path}));
        let answer = answer.expect("it resolves");
        let listed = answer["diagnostics"].as_array().expect("a list");
        let found: Vec<&str> = listed
            .iter()
            .filter_map(|one| one["file"].as_str())
            .collect();
        assert_eq!(found, files, "{answer:#}");
        assert_eq!(answer["completeness"], "complete", "{answer:#}");
    }
}

#[test]
fn every_project_below_a_folder_is_checked_even_if_a_check_writes_files() {
    let workspace = Workspace::new(&project("rust-analyzer").program(), |root| {
        for name in ["bill", "menu"] {
            let folder = root.join(name).join("src");
            fs::create_dir_all(&folder).expect("the folder can be created");
            let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2021\"\n");
            let write = |path, text| fs::write(path, text).expect("the file can be written");
            write(root.join(name).join("Cargo.toml"), manifest);
            write(
                folder.join("lib.rs"),
                format!("pub fn f() {{\n    undefined_{name}()\n}}\n"),
            );
        }
    });
    // The first check writes `Cargo.lock`, which makes rust-analyzer read both projects again.
    let deadline = Instant::now() + LONG;
    loop {
        let answer = workspace.call("diagnostics", json!({"path": "*/src/*.rs"}));
        let answer = answer.expect("it resolves");
        let listed = answer["diagnostics"].as_array().expect("a list");
        let found: Vec<&str> = listed
            .iter()
            .filter_map(|one| one["file"].as_str())
            .collect();
        let is_right = found == ["bill/src/lib.rs", "menu/src/lib.rs"];
        let is_complete = answer["completeness"] == "complete";
        assert!(is_right || !is_complete, "{answer:#}");
        if is_complete {
            return;
        }
        assert!(Instant::now() < deadline, "{answer:#}");
    }
}

/// Checks that what a server answers to an agent that only stages is written when a person applies it, and not before.
fn check_staged(server: &str, file: &str, calls: Vec<(&str, Value)>) {
    let served = Served::start(server);
    let text = fs::read_to_string(served.path(file)).expect("the file is there");
    // There is something to format.
    fs::write(served.path(file), format!("{text}\n\n\n\n")).expect("the file can be written");
    served.check("before an agent asks");
    let before = texts(&served.workspace.root);
    let agent = served.workspace.staging(&served.project.program());
    for (tool, arguments) in calls {
        let about = format!("{server}: {tool}: {arguments}");
        let edit_id = match call(&agent, tool, arguments) {
            // Code actions are always previews.
            Ok(previewed) => previewed.json["edit"]["edit_id"].clone(),
            Err(refusal) => {
                assert_eq!(refusal.code().as_str(), "approval_required", "{about}");
                json!(refusal.edit_id())
            }
        };
        let edit = json!({"edit_id": edit_id});
        let applied = call(&agent, "apply_edit", edit.clone()).expect_err(&about);
        assert_eq!(applied.code().as_str(), "approval_required", "{about}");
        assert_eq!(texts(&served.workspace.root), before, "{about}");
        served
            .call("apply_edit", edit.clone())
            .expect("a person may");
        assert_ne!(texts(&served.workspace.root), before, "{about}");
        let undone = call(&agent, "undo_edit", edit.clone()).expect_err("not by an agent");
        assert_eq!(undone.code().as_str(), "approval_required", "{about}");
        served.call("undo_edit", edit).expect("a person may");
        assert_eq!(texts(&served.workspace.root), before, "{about}");
    }
}

#[test]
fn what_servers_answer_to_an_agent_that_only_stages_is_written_by_a_person() {
    let rename = |server: &str, name: &str| json!({"locate": project(server).locate, "new_name": name, "apply": true});
    check_staged(
        "rust-analyzer",
        "src/prices.rs",
        vec![
            ("rename_symbol", rename("rust-analyzer", "cost")),
            (
                "format",
                json!({"file_path": "src/prices.rs", "apply": true}),
            ),
            (
                "code_actions",
                json!({"locate": "src/prices.rs@fn <|>price", "apply": "Generate a type alias for function with named params"}),
            ),
        ],
    );
    check_staged(
        "gopls",
        "prices.go",
        vec![
            ("rename_symbol", rename("gopls", "cost")),
            ("format", json!({"file_path": "prices.go", "apply": true})),
        ],
    );
}
