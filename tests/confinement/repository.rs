//! A hostile repository: settings, queries, hooks, unusual names, forged records. treegraft starts
//! no program because of it, reads nothing outside, and gives the same answers as without it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fixture::{Entry, Fixture, SECRET, Watch};
use super::front_ends::{FrontEnd, FrontEnds, calls, finished, replacing, with_time_limit};
use super::{INSIDE, LIMIT, NOTHING, OUTSIDE};
use treegraft::locate::join_path;

use crate::mcp::Server;
use crate::support::{folder_of, steady};

/// Programs that an editor, a version control system or a build starts.
const TRAPS: &[&str] = &[
    "bash",
    "black",
    "bun",
    "cargo",
    "cat",
    "clang-format",
    "clangd",
    "code",
    "dash",
    "deno",
    "diff",
    "ed",
    "editor",
    "env",
    "git",
    "go",
    "gofmt",
    "gopls",
    "hg",
    "jj",
    "less",
    "make",
    "more",
    "nano",
    "node",
    "npm",
    "npx",
    "patch",
    "perl",
    "prettier",
    "pyright",
    "pyright-langserver",
    "python",
    "python3",
    "ruff",
    "rust-analyzer",
    "rustc",
    "rustfmt",
    "rustup",
    "sh",
    "ssh",
    "tree-sitter",
    "tsc",
    "typescript-language-server",
    "vi",
    "vim",
    "xdg-open",
    "zsh",
];

/// Environment variables that name a program for others to start.
const NAMING_PROGRAMS: &[&str] = &[
    "BROWSER",
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_SSH_COMMAND",
    "LESSOPEN",
    "PAGER",
    "RUSTC",
    "RUSTC_WRAPPER",
    "SHELL",
    "VISUAL",
];

const PLAIN_FILES: &[(&str, Entry)] = &[
    ("root/open.rs", Entry::File(INSIDE)),
    (
        "root/web/page.html",
        Entry::File("<p>one</p>\n<script>\nlet a = 1;\n</script>\n"),
    ),
    ("root/tool.py", Entry::File("def open():\n    return 1\n")),
    (
        "root/notes.md",
        Entry::File("# One\n\n```rust\nfn open() {}\n```\n"),
    ),
    ("root/data.json", Entry::File("{\"a\": 1, \"b\": [2]}\n")),
    ("outside/secret.rs", Entry::File(OUTSIDE)),
    (
        "outside/tags.scm",
        Entry::File("(function_item) @secret_7f3a\n"),
    ),
    ("home/.keep", Entry::File("")),
];

/// Files that a hostile repository can contain. The trap is `{base}/traps/git`.
const HOSTILE: &[(&str, Entry)] = &[
    (
        "root/treegraft.toml",
        Entry::File(
            "root = \"/\"\nroots = [\"..\", \"{base}/outside\"]\nstate = \"{base}/outside\"\n\
             include = [\"{base}/outside/secret.rs\"]\nformatter = \"{base}/traps/git\"\n\
             [language.rust]\nserver = [\"{base}/traps/git\"]\nqueries = \"{base}/outside\"\n\
             [hooks]\nbefore = \"{base}/traps/git\"\nafter = \"git add -A\"\n",
        ),
    ),
    (
        "root/.treegraft/config.toml",
        Entry::File("server = \"{base}/traps/git\"\n"),
    ),
    (
        "root/.treegraft/treegraft.toml",
        Entry::Link("{base}/outside/secret.rs"),
    ),
    (
        "root/.config/treegraft/config.toml",
        Entry::File("server = \"{base}/traps/git\"\n"),
    ),
    (
        "root/queries/rust/tags.scm",
        Entry::File("(function_item) @definition.nothing (((\n"),
    ),
    (
        "root/queries/rust/kinds.scm",
        Entry::File("((identifier) @function (#eq? @function \"x\"))\n"),
    ),
    (
        "root/queries/rust/lists.scm",
        Entry::Link("{base}/outside/tags.scm"),
    ),
    ("root/queries/python", Entry::Link("{base}/outside")),
    (
        "root/languages.toml",
        Entry::File("[[language]]\nname = \"rust\"\n"),
    ),
    (
        "root/.helix/languages.toml",
        Entry::File("[language-server.x]\ncommand = \"{base}/traps/git\"\n"),
    ),
    ("root/libtree-sitter-rust.so", Entry::File("no library\n")),
    (
        "root/.gitattributes",
        Entry::File("*.rs diff=trap filter=trap merge=trap\n"),
    ),
    (
        "root/.gitmodules",
        Entry::File("[submodule \"x\"]\npath = x\nurl = ext::{base}/traps/git\n"),
    ),
    (
        "root/.git/config",
        Entry::File(
            "[core]\nfsmonitor = {base}/traps/git\nhooksPath = {base}/traps\neditor = {base}/traps/git\n\
             pager = {base}/traps/git\nsshCommand = {base}/traps/git\nworktree = {base}/outside\n\
             [diff]\nexternal = {base}/traps/git\n[diff \"trap\"]\ntextconv = {base}/traps/git\n\
             [filter \"trap\"]\nclean = {base}/traps/git\nsmudge = {base}/traps/git\n\
             [include]\npath = {base}/outside/secret.rs\n",
        ),
    ),
    ("root/.git/HEAD", Entry::File("ref: refs/heads/main\n")),
    (
        "root/.git/hooks/pre-commit",
        Entry::File("#!/bin/sh\n{base}/traps/git\n"),
    ),
    (
        "root/.git/hooks/post-index-change",
        Entry::File("#!/bin/sh\n{base}/traps/git\n"),
    ),
    (
        "root/rust-toolchain.toml",
        Entry::File("[toolchain]\npath = \"{base}/traps\"\n"),
    ),
    (
        "root/rustfmt.toml",
        Entry::File("tab_spaces = 8\nhard_tabs = true\n"),
    ),
    (
        "root/.cargo/config.toml",
        Entry::File("[build]\nrustc-wrapper = \"{base}/traps/git\"\n[alias]\nb = \"run\"\n"),
    ),
    (
        "root/build.rs",
        Entry::File("fn main() { std::process::Command::new(\"git\").spawn(); }\n"),
    ),
    (
        "root/Cargo.toml",
        Entry::File("[package]\nname = \"trap\"\nversion = \"0.0.0\"\n"),
    ),
    (
        "root/package.json",
        Entry::File("{\"scripts\": {\"preinstall\": \"{base}/traps/git\"}}\n"),
    ),
    (
        "root/.prettierrc.js",
        Entry::File("require('child_process').execSync('git')\n"),
    ),
    (
        "root/conftest.py",
        Entry::File("import os; os.system('git')\n"),
    ),
    ("root/Makefile", Entry::File("all:\n\tgit\n")),
    ("root/.envrc", Entry::File("git\n")),
    (
        "root/.editorconfig",
        Entry::File("root = true\n[*]\nindent_style = tab\nend_of_line = crlf\n"),
    ),
    (
        "root/.vscode/settings.json",
        Entry::File(
            "{\"rust-analyzer.server.path\": \"{base}/traps/git\", \"files.eol\": \"\\r\\n\"}\n",
        ),
    ),
    (
        "root/.vscode/tasks.json",
        Entry::File("{\"tasks\": [{\"command\": \"git\"}]}\n"),
    ),
    (
        "root/.mcp.json",
        Entry::File("{\"mcpServers\": {\"x\": {\"command\": \"git\"}}}\n"),
    ),
    ("root/git", Entry::Link("{base}/traps/git")),
    ("root/sh", Entry::Link("{base}/traps/sh")),
];

/// Returns calls of every kind.
fn plain_calls() -> Vec<(&'static str, Value)> {
    let mut all = calls("open.rs");
    all.extend([
        ("locate", json!({"locate": "open.rs:open@inside"})),
        ("locate", json!({"locate": "web/page.html@let <|>a"})),
        ("locate", json!({"file_path": "tool.py", "position": "2:12"})),
        // Refused, with suggestions that treegraft tries before it shows them.
        (
            "replace_node",
            json!({"file_path": "open.rs", "selector": {"anchor_text": "fn", "ancestor_node_type": "function_item"}, "new_content": "x"}),
        ),
        (
            "replace_node",
            json!({"file_path": "tool.py", "selector": {"anchor_text": "return 1", "ancestor_node_type": "return_statement"}, "new_content": "return 2", "apply": true}),
        ),
        (
            "insert_node",
            json!({"file_path": "data.json", "selector": {"anchor_text": "\"a\"", "ancestor_node_type": "pair"}, "position": "after", "new_content": "\"c\": 3", "apply": true}),
        ),
        (
            "read_node",
            json!({"file_path": "notes.md", "selector": {"anchor_text": "fn open", "ancestor_node_type": "function_item"}}),
        ),
        (
            "read_node",
            json!({"file_path": "web/page.html", "selector": {"anchor_text": "one", "ancestor_node_type": "element"}}),
        ),
    ]);
    all
}

/// Returns a fixture whose programs all leave a mark when they are started.
fn trapped_fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.create(PLAIN_FILES);
    for name in TRAPS {
        let path = format!("traps/{name}");
        fixture.create(&[(
            &path,
            Entry::File("#!/bin/sh\necho \"$0 $*\" >> {base}/started\n"),
        )]);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(fixture.base().join(path), mode)
            .expect("the permissions can be set");
    }
    fixture
}

/// Returns the command of treegraft, with only traps on the search path.
fn command(fixture: &Fixture) -> Command {
    let base = fixture.base();
    let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
    command
        .env_clear()
        .env("PATH", base.join("traps"))
        .env("HOME", base.join("home"))
        .env("XDG_STATE_HOME", base.join("state"))
        .env("XDG_CONFIG_HOME", base.join("home"))
        .envs(
            NAMING_PROGRAMS
                .iter()
                .map(|name| (name, base.join("traps/git"))),
        )
        // Without `--root`, treegraft looks for the root markers of the repository.
        .current_dir(fixture.root());
    command
}

/// What the system reports about a process's children, including those that ended.
#[derive(Debug, PartialEq, Eq)]
struct Children {
    /// The ids of running children.
    now: Vec<String>,
    /// The page faults of ended children: every process causes some.
    pages: u64,
}

const NO_CHILDREN: Children = Children {
    now: Vec::new(),
    pages: 0,
};

impl Children {
    /// Returns the children of a process that runs, or that ended and was not waited for.
    fn of(process: u32) -> Children {
        let folder = format!("/proc/{process}");
        let threads = std::fs::read_dir(format!("{folder}/task")).expect("the process is there");
        let now = threads.flat_map(|thread| {
            let list = thread.expect("they can be listed").path().join("children");
            // A thread may end between the two calls.
            let list = std::fs::read_to_string(list).unwrap_or_default();
            list.split_whitespace()
                .map(str::to_string)
                .collect::<Vec<_>>()
        });
        let now = now.collect();
        let field = |number| stat(process, number).parse::<u64>().expect("a number");
        // The fields cminflt and cmajflt of proc(5).
        let pages = field(11) + field(13);
        Children { now, pages }
    }
}

/// Returns a field of `/proc/<process>/stat`, counted from 1 as in proc(5); the third or a later
/// one.
fn stat(process: u32, number: usize) -> String {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat"));
    let text = text.expect("the process is there");
    let (_, fields) = text.rsplit_once(')').expect("the name is in parentheses");
    let mut fields = fields.split_whitespace();
    fields
        .nth(number - 3)
        .expect("the field exists")
        .to_string()
}

/// Runs a command to its end and returns its output and its children.
fn run(mut command: Command) -> (Output, Children) {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let latest = Instant::now() + Duration::from_secs(10);
    // The process has ended; the system keeps it until it is waited for.
    while stat(child.id(), 3) != "Z" {
        assert!(Instant::now() < latest, "{command:?} does not exit");
        std::thread::sleep(Duration::from_micros(500));
    }
    let children = Children::of(child.id());
    (
        child.wait_with_output().expect("the output can be read"),
        children,
    )
}

/// Returns the answers to all calls: from the command line as text and as JSON, and over MCP.
fn answers(fixture: &Fixture) -> (Vec<String>, usize) {
    let mut answers = Vec::new();
    let mut processes = 0;
    let mut keep = |call: &dyn std::fmt::Debug, answer: &str| {
        assert!(!answer.contains(SECRET), "{call:?}: {answer}");
        answers.push(format!("{call:?}: {}", steady(answer)));
    };
    let mut server = command(fixture);
    server.arg("serve");
    let own = tempfile::tempdir().expect("a temporary directory can be created");
    let mut server = Server::started(server, own);
    server.initialize("2025-06-18");
    for (tool, arguments) in plain_calls() {
        let again = || {
            for (path, entry) in PLAIN_FILES {
                if let Entry::File(text) = entry
                    && path.starts_with("root/")
                {
                    fixture.write(path, text);
                }
            }
        };
        again();
        let result = server.call(tool, arguments.clone());
        keep(&(tool, &arguments), &result.to_string());
        assert_eq!(Children::of(server.process_id()), NO_CHILDREN);
        let Some(words) = crate::surfaces::command_line(tool, &arguments) else {
            continue;
        };
        for json in [true, false] {
            again();
            let mut command = command(fixture);
            command.args(words.iter().filter(|word| json || *word != "--json"));
            let (output, children) = run(command);
            keep(
                &words,
                &(printed(&output.stdout) + &printed(&output.stderr)),
            );
            assert_eq!(children, NO_CHILDREN, "{words:?}");
            processes += 1;
        }
    }
    // Otherwise, the next calls would report them as pending edits of others.
    let forgotten = command(fixture).args(["list", "--forget"]).output();
    assert!(forgotten.expect("the command runs").status.success());
    for words in [
        &["languages"][..],
        &["languages", "node-types", "rust"],
        &["--help"],
    ] {
        let mut command = command(fixture);
        command.args(words);
        let (output, children) = run(command);
        keep(&words, &printed(&output.stdout));
        assert_eq!(children, NO_CHILDREN, "{words:?}");
        processes += 1;
    }
    assert_eq!(Children::of(server.process_id()), NO_CHILDREN);
    assert!(server.end().success());
    (answers, processes + 1)
}

#[test]
fn a_started_program_leaves_a_mark_and_is_counted() {
    let fixture = trapped_fixture();
    let started = finished(&mut Command::new(fixture.base().join("traps/git")));
    assert!(started.status.success());
    assert_eq!(
        fixture.read("started"),
        format!("{}/traps/git \n", fixture.base())
    );
    // A shell that starts a program and waits for it; in the first case both have ended.
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "/bin/true; :"]);
    let (_, children) = run(shell);
    assert!(children.pages > 0, "{children:?}");
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "read line; /bin/cat; :"])
        .stdin(Stdio::piped());
    let mut shell = shell.spawn().expect("the shell starts");
    assert_eq!(Children::of(shell.id()), NO_CHILDREN);
    let mut input = shell.stdin.take().expect("it is a pipe");
    std::io::Write::write_all(&mut input, b"\n").expect("the shell reads");
    let latest = Instant::now() + Duration::from_secs(10);
    while Children::of(shell.id()).now.is_empty() {
        assert!(Instant::now() < latest, "the shell starts nothing");
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(input);
    assert!(shell.wait().expect("it ends").success());
}

#[test]
fn a_hostile_repository_starts_nothing_and_changes_no_answer() {
    with_time_limit(LIMIT, || {
        let fixture = trapped_fixture();
        let (plain, _) = answers(&fixture);
        fixture.create(HOSTILE);
        let guarded = [
            "outside",
            "traps",
            "root/.git",
            "root/queries",
            "root/.vscode",
        ];
        let before = guarded.map(|folder| fixture.inventory(folder, &[]));
        let watch = Watch::over(guarded.map(|path| fixture.base().join(path)));
        watch.seen();
        let (hostile, processes) = answers(&fixture);
        assert_eq!(watch.seen(), NOTHING);
        assert_eq!(plain.len(), hostile.len());
        let mut warned = 0;
        for (plain, hostile) in plain.iter().zip(&hostile) {
            // The only difference is one warning on standard error: the settings file is ignored.
            const END: &str = "the file is ignored\n";
            let mut answered = hostile.clone();
            if let Some(start) = hostile.find("warning: ") {
                let line = hostile[start..]
                    .split_inclusive('\n')
                    .next()
                    .unwrap_or_default();
                assert!(line.ends_with(END), "{hostile}");
                answered.replace_range(start..start + line.len(), "");
                warned += 1;
            }
            assert_eq!(*plain, answered);
        }
        assert!(warned > 0);
        for (folder, before) in guarded.iter().zip(&before) {
            assert_eq!(before.changes(&fixture.inventory(folder, &[])), NOTHING);
        }
        assert!(!fixture.names("").contains(&"started".to_string()));
        println!(
            "a hostile repository: {} files of it, {} answers by {processes} processes, all as \
             without them; {} traps: 0 started, 0 children, 0 files opened outside",
            HOSTILE.len(),
            hostile.len(),
            TRAPS.len()
        );
    });
}

/// Names that a program or a shell could misinterpret.
const ODD_NAMES: &[&str] = &[
    "--apply.rs",
    "--root=...rs",
    "--content-file=outside.rs",
    "--help.rs",
    "-.rs",
    "-rf.rs",
    "--.rs",
    "@open.rs",
    "+x.rs",
    "=x.rs",
    "~.rs",
    "#x.rs",
    "!x.rs",
    "a b.rs",
    " a.rs",
    "a .rs",
    "it's.rs",
    "\"quoted\".rs",
    "''.rs",
    "back\\slash.rs",
    "\\n.rs",
    "$(git).rs",
    "`git`.rs",
    "${HOME}.rs",
    "$HOME.rs",
    "a;git.rs",
    "a&git&.rs",
    "a|git.rs",
    "a>b.rs",
    "a<b.rs",
    "a*.rs",
    "a?.rs",
    "[a].rs",
    "{a,b}.rs",
    "a.rs:1:1.rs",
    "a.rs:10@x.rs",
    "a.rs@fn open.rs",
    "a.rs:open.rs",
    "C:.rs",
    "%2e%2e.rs",
    "http:.rs",
];

/// Returns what a command printed.
fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn odd_file_names_work_in_commands_and_suggestions() {
    with_time_limit(LIMIT, || {
        for name in ODD_NAMES {
            let fixture = trapped_fixture();
            let file = format!("root/{name}");
            std::fs::remove_dir_all(fixture.root()).expect("the permissions can be set");
            fixture.create(&[(&file, Entry::File(INSIDE))]);
            let read = |path: &str| {
                let mut read = command(&fixture);
                read.args(["read", path, "--anchor", "inside", "--ancestor", "function"]);
                let (output, children) = run(read);
                assert_eq!(children, NO_CHILDREN, "{name}");
                output
            };
            let output = read(&join_path(&format!("./{name}"), ""));
            assert!(
                output.status.success(),
                "{name}: {}",
                printed(&output.stderr)
            );

            // With a similar name, the refusal suggests a command for this file.
            let refusal = printed(&read(&join_path(&format!("./{name}_"), "")).stderr);
            let suggested = refusal
                .lines()
                .find(|line| line.starts_with("  treegraft "));
            let suggested = suggested.unwrap_or_else(|| panic!("{name}: no suggestion: {refusal}"));
            let program = env!("CARGO_BIN_EXE_treegraft");
            let suggested = suggested.replacen("treegraft", program, 1);
            let mut shell = Command::new("/bin/sh");
            shell
                .args(["-c", &suggested])
                .env("PATH", fixture.base().join("traps"))
                .env("XDG_STATE_HOME", fixture.base().join("state"))
                .current_dir(fixture.root());
            let (output, _) = run(shell);
            assert!(
                output.status.success() && printed(&output.stdout).contains("inside()"),
                "{suggested}: {}{}",
                printed(&output.stdout),
                printed(&output.stderr)
            );
            assert_eq!(fixture.read(&file), INSIDE);
            assert_eq!(fixture.names("root"), [name.to_string()]);
            assert!(
                !fixture.names("").contains(&"started".to_string()),
                "{name}"
            );
        }
        println!(
            "odd names: {}, each read, and the suggested command run by a shell: 0 programs \
             started",
            ODD_NAMES.len()
        );
    });
}

#[test]
fn a_word_that_is_an_option_is_never_a_file() {
    let fixture = trapped_fixture();
    fixture.create(&[
        ("root/--apply", Entry::File(INSIDE)),
        ("root/--root=..", Entry::File(INSIDE)),
    ]);
    for word in ["--apply", "--root=.."] {
        let mut replace = command(&fixture);
        replace.args([
            "replace",
            word,
            "--anchor",
            "fn open",
            "--ancestor",
            "function",
        ]);
        replace.args(["--content", "fn opened() {}"]);
        let (output, _) = run(replace);
        assert_eq!(output.status.code(), Some(2), "{word}");
        let mut read = command(&fixture);
        read.args(["read", "--anchor", "fn open", "--", word]);
        let (output, _) = run(read);
        assert!(output.status.success(), "{word}");
        assert_eq!(fixture.read(&format!("root/{word}")), INSIDE);
    }
}

#[test]
fn a_path_that_is_not_utf8_is_refused() {
    let fixture = trapped_fixture();
    let not_text = <OsStr as OsStrExt>::from_bytes(b"caf\xe9.rs");
    std::fs::write(fixture.root().as_std_path().join(not_text), OUTSIDE)
        .expect("the file can be written");
    for verb in ["read", "replace", "insert", "delete"] {
        let mut command = command(&fixture);
        command
            .arg(verb)
            .arg(not_text)
            .args(["--anchor", "fn open", "--ancestor", "function"]);
        match verb {
            "replace" => drop(command.args(["--content", "x", "--apply"])),
            "insert" => drop(command.args(["--position", "after", "--content", "x", "--apply"])),
            "delete" => drop(command.arg("--apply")),
            _ => {}
        }
        let (output, _) = run(command);
        assert_eq!(output.status.code(), Some(2), "{verb}");
        let reply = printed(&output.stdout) + &printed(&output.stderr);
        assert!(
            reply.contains("invalid UTF-8") && !reply.contains(SECRET),
            "{reply}"
        );
    }
    let read = std::fs::read(fixture.root().as_std_path().join(not_text));
    assert_eq!(read.expect("it exists"), OUTSIDE.as_bytes());
}

/// The id of a forged record.
const FORGED: &str = "e0123456789ab";

#[test]
fn a_forged_record_cannot_reach_outside_the_workspace() {
    with_time_limit(LIMIT, || {
        let fixture = trapped_fixture();
        // The same bytes are outside, so that the record matches; the state directory is in the
        // repository's control.
        fixture.create(&[
            ("outside/same.rs", Entry::File(INSIDE)),
            ("root/link.rs", Entry::Link("{base}/outside/same.rs")),
            ("root/.git/same.rs", Entry::File(INSIDE)),
            ("root/state/treegraft/same.rs", Entry::File(INSIDE)),
        ]);
        let mut front_ends = FrontEnds::open(&fixture, "root/state");
        let arguments = replacing("open.rs", "fn opened() {}", false);
        let preview = front_ends.through(FrontEnd::Library, "replace_node", &arguments);
        let preview = preview.expect("the front end supports the call").json;
        let edit_id = preview["edit_id"].as_str().expect("the edit is previewed");
        let folder = folder_of(
            fixture.base().join("root/state/treegraft").as_std_path(),
            "edits",
        );
        let folder = folder.file_name().expect("it has a name").display();
        let folder = format!("root/state/treegraft/{folder}");
        let record = fixture.read(&format!("{folder}/{edit_id}.json"));
        let before = ["outside", "root/.git"].map(|folder| fixture.inventory(folder, &[]));
        let watch = Watch::over(
            ["outside", "root/.git", "root/state/treegraft/same.rs"]
                .map(|path| fixture.base().join(path)),
        );
        watch.seen();
        let place = format!("{folder}/{FORGED}.json");
        let mut tried = 0;
        for path in [
            "{base}/outside/same.rs",
            "{base}/root/../outside/same.rs",
            "../outside/same.rs",
            "{base}/root/link.rs",
            "{base}/root/.git/same.rs",
            "{base}/root/state/treegraft/same.rs",
            "/proc/self/root{base}/outside/same.rs",
        ] {
            let mut forged: Value = serde_json::from_str(&record).expect("a record is JSON");
            forged["edit_id"] = json!(FORGED);
            for field in [
                "/paths/0",
                "/call/arguments/file_path",
                "/files/0/file_path",
            ] {
                let field = forged.pointer_mut(field).expect("a record names its file");
                *field = json!(fixture.expanded(path));
            }
            fixture.write(&place, &forged.to_string());
            for front_end in FrontEnd::ALL {
                let reply = front_ends.apply(front_end, FORGED);
                assert_eq!(
                    reply.code.as_deref(),
                    Some("outside_workspace"),
                    "{}",
                    reply.whole
                );
                tried += 1;
            }
            for front_end in [FrontEnd::Library, FrontEnd::Mcp] {
                let retargeted =
                    json!({"edit_id": FORGED, "selector": "function@fn other", "apply": true});
                let reply = front_ends.through(front_end, "amend_edit", &retargeted);
                let reply = reply.expect("the front end supports the call");
                assert_eq!(
                    reply.code.as_deref(),
                    Some("outside_workspace"),
                    "{}",
                    reply.whole
                );
                let reply = front_ends.through(front_end, "list_edits", &json!({}));
                let reply = reply.expect("the front end supports the call");
                assert!(!reply.whole.contains(FORGED), "{}", reply.whole);
                tried += 2;
            }
        }
        // These are not records at all.
        for entry in [
            Entry::Link("{base}/outside/secret.rs"),
            Entry::Pipe,
            Entry::Folder,
            Entry::Socket,
        ] {
            // A readable file that is not a record has been set aside by now.
            if fixture.base().join(&place).symlink_metadata().is_ok() {
                fixture.remove(&place);
            }
            fixture.create(&[(&place, entry)]);
            for front_end in FrontEnd::ALL {
                let reply = front_ends.apply(front_end, FORGED);
                assert!(
                    reply.code.is_some() && !reply.whole.contains(SECRET),
                    "{}",
                    reply.whole
                );
                tried += 1;
            }
            if matches!(entry, Entry::Folder) {
                std::fs::remove_dir(fixture.base().join(&place)).expect("it is empty");
                fixture.write(&place, "");
            }
        }
        for edit_id in [
            "../../../outside/same",
            "/etc/passwd",
            "e0123456789a/",
            "e../same.rs00",
            "",
        ] {
            for front_end in FrontEnd::ALL {
                let reply = front_ends.apply(front_end, edit_id);
                assert_eq!(
                    reply.code.as_deref(),
                    Some("edit_not_found"),
                    "{}",
                    reply.whole
                );
                tried += 1;
            }
        }
        assert_eq!(watch.seen(), NOTHING);
        for (folder, before) in ["outside", "root/.git"].iter().zip(&before) {
            assert_eq!(before.changes(&fixture.inventory(folder, &[])), NOTHING);
        }
        println!("forged records: {tried} calls, each refused");
    });
}

#[test]
fn a_state_directory_with_links_to_outside_is_not_used() {
    with_time_limit(LIMIT, || {
        for (folder, apply) in [
            ("edits", false),
            ("texts", false),
            ("locks", true),
            ("journal", true),
        ] {
            let fixture = trapped_fixture();
            let mut front_ends = FrontEnds::open(&fixture, "root/state");
            // A workspace has folders of its own for some kinds.
            let arguments = replacing("open.rs", "fn opened() {}", false);
            let made = front_ends.through(FrontEnd::Library, "replace_node", &arguments);
            assert_eq!(made.expect("the front end supports the call").code, None);
            let state = "root/state/treegraft";
            let is_own = |name: &String| name.starts_with(&format!("{folder}-"));
            let own = fixture.names(state).into_iter().find(is_own);
            let place = format!("{state}/{}", own.unwrap_or(folder.to_string()));
            let path = fixture.base().join(&place);
            if path.exists() {
                std::fs::remove_dir_all(&path).expect("it can be removed");
            }
            fixture.create(&[(&place, Entry::Link("{base}/outside"))]);
            let before = fixture.inventory("outside", &[]);
            let watch = Watch::over([fixture.base().join("outside")]);
            watch.seen();
            let arguments = replacing("open.rs", "fn opened() {}", apply);
            for front_end in FrontEnd::ALL {
                let reply = front_ends.through(front_end, "replace_node", &arguments);
                let reply = reply.expect("the front end supports the call");
                assert_eq!(reply.code.as_deref(), Some("io_error"), "{}", reply.whole);
            }
            assert_eq!(watch.seen(), NOTHING);
            assert_eq!(before.changes(&fixture.inventory("outside", &[])), NOTHING);
            assert_eq!(fixture.read("root/open.rs"), INSIDE);
        }
    });
}

#[test]
fn a_lock_that_is_a_pipe_blocks_no_call() {
    with_time_limit(LIMIT, || {
        let fixture = trapped_fixture();
        let mut front_ends = FrontEnds::open(&fixture, "root/state");
        let arguments = replacing("open.rs", "fn open() {}", true);
        let reply = front_ends.through(FrontEnd::Library, "replace_node", &arguments);
        assert_eq!(reply.expect("the front end supports the call").code, None);
        let locks = "root/state/treegraft/locks";
        for name in fixture.names(locks) {
            let lock = format!("{locks}/{name}");
            fixture.remove(&lock);
            fixture.create(&[(&lock, Entry::Pipe)]);
        }
        fixture.write("root/open.rs", INSIDE);
        for front_end in FrontEnd::ALL {
            let reply = front_ends.through(front_end, "replace_node", &arguments);
            let reply = reply.expect("the front end supports the call");
            assert_eq!(reply.code.as_deref(), Some("io_error"), "{}", reply.whole);
        }
        assert_eq!(fixture.read("root/open.rs"), INSIDE);
    });
}
