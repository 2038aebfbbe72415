//! Real language servers over small projects (`tests/servers/`): what each answers, and that no answer is of a
//! text that is not there any more. `tests/all.sh` installs most of them; what is left out is said.

#![expect(
    clippy::disallowed_methods,
    reason = "tests lay out files and look at what became of them"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::lsp::servers::{Configuration, ServerConfiguration};

use crate::support::call;

#[path = "servers/projects.rs"]
mod projects;

use projects::{Installer, PROJECTS, Place, Project, texts};

/// Longer than any server takes until it knows of a change, also on a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// Some take a gigabyte: one after the other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A server over its project.
struct Served {
    project: &'static Project,
    engine: Engine,
    root: PathBuf,
    _directories: [TempDir; 2],
}

/// The project of a server.
fn project(server: &str) -> &'static Project {
    let mut projects = PROJECTS.iter();
    let found = projects.find(|project| project.server == server);
    found.expect("it has a project")
}

fn left_out(server: &str, why: &str) {
    let left_out = format!("left out: {server}; {why}\n");
    let _ = std::io::stderr().write_all(left_out.as_bytes());
}

/// The command of a server; nothing, said aloud, where it is not installed.
fn command(project: &Project) -> Option<Vec<String>> {
    let by_script = "`bash tests/all.sh` installs and runs it";
    let folder = match project.from {
        Installer::Python => std::env::var_os("TREEGRAFT_TEST_PYTHON").and_then(|python| {
            let folder = Path::new(&python).parent()?;
            Some(folder.to_path_buf())
        }),
        Installer::Node => std::env::var_os("TREEGRAFT_TEST_NODE").map(PathBuf::from),
        Installer::SearchPath => {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            let mut paths = std::env::split_paths(&paths);
            let found = paths.find(|folder| folder.join(project.command[0]).is_file());
            // A proxy without the program behind it is found and does not work.
            let works = |folder: &PathBuf| {
                let mut command = Command::new(folder.join(project.command[0]));
                command.args(&project.version[1..]).stdin(Stdio::null());
                let output = command.output();
                output.is_ok_and(|output| output.status.success())
            };
            let found = found.filter(works);
            if found.is_none() {
                left_out(project.server, "it is not on the search path");
            }
            return Some(project.command_in(&found?));
        }
    };
    if folder.is_none() {
        left_out(project.server, by_script);
    }
    Some(project.command_in(&folder?))
}

impl Served {
    fn start(server: &str) -> Option<Served> {
        let project = project(server);
        let command = command(project)?;
        let directory = || TempDir::new().expect("there is room for a temporary directory");
        let directories = [directory(), directory()];
        let utf8 = |directory: &TempDir| {
            let path = directory.path().canonicalize().expect("it is there");
            Utf8PathBuf::from_path_buf(path).expect("temporary directories have UTF-8 names")
        };
        let [root, state] = [utf8(&directories[0]), utf8(&directories[1])];
        project.lay_out(root.as_std_path());
        let server = ServerConfiguration {
            command: Some(command),
            enabled: true,
            ..ServerConfiguration::default()
        };
        let engine =
            Engine::open(std::slice::from_ref(&root), Some(&state)).expect("it can be opened");
        let configuration = Configuration::default().with(project.language, server);
        Some(Served {
            project,
            engine: engine.with_servers(configuration),
            root: root.into_std_path_buf(),
            _directories: directories,
        })
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

    /// Asks about the name.
    fn ask(&self, tool: &str, more: Value) -> Result<Value, Value> {
        let mut arguments = json!({"locate": self.project.locate});
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        self.call(tool, arguments)
    }

    fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    /// Changes a file as another program does.
    fn change(&self, file: &str, change: impl FnOnce(&str) -> String) {
        let text = fs::read_to_string(self.path(file)).expect("the file is there");
        fs::write(self.path(file), change(&text)).expect("the file is written");
    }

    fn remark(&self, text: &str) -> String {
        format!("{}\n", self.project.comment.replace("{}", text))
    }

    /// What each question is answered that the server takes, and what there is to be found.
    fn questions(&self) -> Vec<(&'static str, Value, Vec<Place>)> {
        let mut questions = Vec::new();
        if let Some(place) = self.project.defined(&self.root) {
            let answer = self.ask("goto_definition", json!({}));
            questions.push(("goto_definition", answer.expect("it resolves"), vec![place]));
        }
        if self.project.references {
            let answer = self.ask("find_references", json!({}));
            let named = self.project.named(&self.root);
            questions.push(("find_references", answer.expect("it resolves"), named));
        }
        if let Some(place) = self.project.wrong(&self.root) {
            let answer = self.call("diagnostics", json!({"path": place.0}));
            questions.push(("diagnostics", answer.expect("it resolves"), vec![place]));
        }
        questions
    }

    /// Asks until all is known: no answer may be wrong and say that it is complete.
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

    /// The places of an answer; of problems those of the one that is meant.
    fn places(&self, tool: &str, answer: &Value) -> Vec<Place> {
        let list = match tool {
            "goto_definition" => &answer["locations"],
            "find_references" => &answer["references"],
            _ => &answer["diagnostics"],
        };
        let said = self.project.error.map_or("", |(_, _, said)| said);
        let is_meant = |one: &&Value| {
            let message = one["message"].as_str();
            message.is_none_or(|message| message.to_lowercase().contains(&said.to_lowercase()))
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

    /// What the server has not is said to be missing, and the rest is answered.
    fn check_answers(&self) {
        let project = self.project;
        self.check("at first");
        let none = |tool: &str, more: Value| {
            let said = match self.ask(tool, more) {
                Ok(answer) => answer.to_string(),
                Err(refusal) => refusal.to_string(),
            };
            let [code, words] = match project.silent.contains(&tool) {
                true => ["symbol_not_found", "knows no "],
                false => ["server_not_installed", "has no "],
            };
            let is_said = said.contains(code) && said.contains(words);
            assert!(is_said, "{} {tool}: {said}", project.server);
        };
        if project.definition.is_none() {
            none("goto_definition", json!({}));
        }
        if !project.references {
            none("find_references", json!({}));
        }
        match project.hover {
            None => none("hover", json!({})),
            Some(said) => {
                let hover = self.ask("hover", json!({})).expect("it resolves");
                let text = hover["text"].as_str().unwrap_or_default();
                assert!(text.contains(said), "{}: {hover:#}", project.server);
                assert_eq!(hover["symbol"], project.name, "{}", project.server);
            }
        }
        let Some(new_name) = project.rename else {
            none("rename_symbol", json!({"new_name": "other"}));
            return;
        };
        let before = texts(&self.root);
        let mut expected = before.clone();
        expected.extend(project.renamed(&self.root, new_name));
        let made = self.ask("rename_symbol", json!({"new_name": new_name}));
        let made = made.unwrap_or_else(|refusal| panic!("{}: {refusal:#}", project.server));
        assert_eq!(texts(&self.root), before, "a preview changes nothing");
        let edit = json!({"edit_id": made["edit_id"]});
        self.call("apply_edit", edit.clone()).expect("it applies");
        assert_eq!(texts(&self.root), expected, "{}", project.server);
        self.call("undo_edit", edit).expect("it is undone");
        assert_eq!(texts(&self.root), before, "{}", project.server);
        self.check("after an edit was undone");
    }

    /// A renaming by a server that looks at one file at a time is refused where it would leave places out.
    fn check_partial(&self) {
        let renamed = self.ask("rename_symbol", json!({"new_name": "--brand"}));
        let refusal = renamed
            .expect_err("a file that it does not look at names it")
            .to_string();
        assert!(refusal.contains("not_ready"), "{refusal}");
    }

    /// Every way in which files change.
    fn check_changes(&self) {
        let project = self.project;
        let (file, find, new_content) = project.ours;
        let edit = json!({"file_path": file, "find": find, "new_content": new_content});
        let preview = self.call("replace_text", edit).expect("it is sound");
        let edit = json!({"edit_id": preview["edit_id"]});
        self.call("apply_edit", edit).expect("it applies");
        self.check("after an edit of ours");

        // The file that is asked about is open; the other, where there is one, was never asked about.
        let asked = project.locate.split('@').next().unwrap_or_default();
        self.change(asked, |text| format!("{}{text}", self.remark("more")));
        self.check("after an edit of an open file");
        let closed = project.definition.map_or(asked, |(file, _)| file);
        self.change(closed, |text| format!("{}{text}", self.remark("more")));
        self.check("after an edit of a closed file");

        let (name, text) = project.new;
        let folder = self.path(name);
        let folder = folder.parent().expect("it is in a folder");
        fs::create_dir_all(folder).expect("a folder is made");
        fs::write(self.path(name), text).expect("a file is written");
        self.check("after a new file");

        let killed = self.kill();
        self.change(closed, |text| format!("{}{text}", self.remark("again")));
        self.check("after it was killed");
        assert_ne!(self.running(), killed, "another one is asked");

        if project.is_partial {
            self.check_partial();
        }
        fs::remove_file(self.path(name)).expect("a file is removed");
        self.check("after a file was removed");
    }

    /// The processes that run for the language.
    fn running(&self) -> Vec<u32> {
        let servers = self.engine.language_servers();
        let servers = servers.expect("it was given a configuration");
        let mut servers = servers.into_iter();
        let own = servers.find(|one| one.languages.contains(&self.project.language));
        own.expect("it has a row").running
    }

    /// Kills what runs, with all that it started.
    fn kill(&self) -> Vec<u32> {
        let running = self.running();
        assert_eq!(running.len(), 1, "{}", self.project.server);
        let killed =
            rustix::process::kill_process_group(group(running[0]), rustix::process::Signal::KILL);
        killed.expect("it runs");
        running
    }
}

/// The group of a process that leads one.
fn group(leader: u32) -> rustix::process::Pid {
    let leader = i32::try_from(leader).ok();
    let group = leader.and_then(rustix::process::Pid::from_raw);
    group.expect("it is the number of a process")
}

fn drive(server: &str) {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(served) = Served::start(server) else {
        return;
    };
    served.check_answers();
    served.check_changes();
    let running = served.running();
    drop(served);
    // Launchers leave what they started alive, if nobody ends that too.
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
