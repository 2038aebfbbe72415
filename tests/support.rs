//! The only module through which tests use the engine.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and read the results"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};

use camino::Utf8PathBuf;
use serde_json::Value;
use tempfile::TempDir;
use treegraft::diagnostic::Code;
use treegraft::engine::Engine;
use treegraft::engine::response::RefusedCall;
use treegraft::language::LANGUAGES;
#[cfg(unix)]
use treegraft::lsp::configuration::Configuration;

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = package.ancestors();
    let root = folders.find(|folder| folder.join("queries").is_dir());
    root.expect("the package is in the repository")
}

/// A file with two methods of the same name, for clients of the server.
pub(crate) const COUNTERS: &str = "\
struct Hits(u32);

impl Hits {
    fn count(&self) -> u32 {
        self.0
    }
}

impl Misses {
    fn count(&self) -> u32 {
        self.0
    }
}
";

/// Returns whether the long tests try all their cases, not only a part of them (`bash tests/all.sh --full`).
pub(crate) fn is_full() -> bool {
    std::env::var_os("TREEGRAFT_TEST_FULL").is_some_and(|value| value == "1")
}

/// Writes a script that can be run.
#[cfg(unix)]
pub(crate) fn write_program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;

    fs::write(path, script).expect("a file can be written");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, mode).expect("a file can be made executable");
}

/// Whether all languages are built in, including the optional ones.
pub(crate) const HAS_ALL: bool = cfg!(all(
    feature = "lang-csharp",
    feature = "lang-dart",
    feature = "lang-haskell",
    feature = "lang-julia",
    feature = "lang-kotlin",
    feature = "lang-ocaml",
    feature = "lang-scala",
    feature = "lang-swift",
));

/// The optional languages: their features in `Cargo.toml` are not in `default`.
static OPTIONAL: LazyLock<Vec<String>> = LazyLock::new(|| {
    let path = repository().join("Cargo.toml");
    let manifest = fs::read_to_string(path).expect("the manifest can be read");
    let manifest: toml_edit::DocumentMut = manifest.parse().expect("the manifest is TOML");
    let features = manifest["features"]
        .as_table()
        .expect("the manifest has features");
    let default = features["default"]
        .as_array()
        .expect("there are default features");
    let is_default = |name: &str| default.iter().any(|one| one.as_str() == Some(name));
    let optional = features.iter().filter(|(name, _)| !is_default(name));
    let languages = optional.filter_map(|(name, _)| name.strip_prefix("lang-"));
    languages.map(str::to_string).collect()
});

/// Returns whether a language is optional. A language that another one includes has a name with
/// that prefix: `ocaml_interface`.
pub(crate) fn is_optional(language: &str) -> bool {
    let begins = |name: &String| {
        let rest = language.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    OPTIONAL.iter().any(begins)
}

/// Returns whether a language is optional and not in the build. In a build with all languages none
/// is left out, even if one is missing.
pub(crate) fn is_left_out(language: &str) -> bool {
    let is_built = || LANGUAGES.iter().any(|one| one.name == language);
    !HAS_ALL && is_optional(language) && !is_built()
}

/// Returns whether a file is in the folder of a language that was left out.
pub(crate) fn is_of_left_out(path: &Path) -> bool {
    let path = path.strip_prefix(repository()).unwrap_or(path);
    let mut folders = path.iter().filter_map(|name| name.to_str());
    folders.any(is_left_out)
}

/// Returns all subcommands that users see, each with the words that call it.
pub(crate) fn subcommands() -> Vec<(String, clap::Command)> {
    let whole = <treegraft_cli::cli::Arguments as clap::CommandFactory>::command();
    let mut whole = whole.disable_help_subcommand(true);
    whole.build();
    let mut open = vec![(String::new(), whole)];
    let mut all = Vec::new();
    while let Some((words, command)) = open.pop() {
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let named = verbs.map(|verb| {
            let words = format!("{words} {}", verb.get_name());
            (words.trim_start().to_string(), verb.clone())
        });
        let named: Vec<_> = named.collect();
        open.extend(named.into_iter().rev());
        all.push((words, command));
    }
    all.remove(0);
    all
}

/// Returns whether answers and generated pages are written instead of compared.
pub(crate) fn is_recording() -> bool {
    std::env::var_os("TREEGRAFT_RECORD").is_some_and(|value| value == "1")
}

/// A workspace for one test, with its own state directory.
pub(crate) struct Bench {
    pub(crate) engine: Engine,
    root: Arc<TempDir>,
    state: Arc<TempDir>,
}

/// An engine's answer, as JSON and as text.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) json: Value,
    pub(crate) text: String,
}

/// Returns the only folder of a kind in a state directory. Each workspace has its own.
pub(crate) fn folder_of(state: &Path, kind: &str) -> PathBuf {
    let start = format!("{kind}-");
    let folders = fs::read_dir(state).expect("the state directory exists");
    let folders = folders.map(|entry| entry.expect("it can be listed").path());
    let is_of_kind = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().starts_with(&start)
    };
    let found: Vec<PathBuf> = folders.filter(is_of_kind).collect();
    match found.as_slice() {
        [folder] => folder.clone(),
        other => panic!("expected one folder of {kind}: {other:?}"),
    }
}

impl Bench {
    pub(crate) fn new() -> Bench {
        let directory = || TempDir::new().expect("a temporary directory can be created");
        Bench::over(Arc::new(directory()), Arc::new(directory()))
    }

    /// Returns another engine over the same workspace, as in another process.
    pub(crate) fn another_engine(&self) -> Bench {
        Bench::over(self.root.clone(), self.state.clone())
    }

    /// Returns an engine over another workspace of the same user.
    pub(crate) fn another_workspace(&self) -> Bench {
        let root = TempDir::new().expect("a temporary directory can be created");
        Bench::over(Arc::new(root), self.state.clone())
    }

    fn over(root: Arc<TempDir>, state: Arc<TempDir>) -> Bench {
        let engine = Engine::open(&[utf8(root.path())], Some(&utf8(state.path())))
            .expect("temporary directories can be opened");
        Bench {
            engine,
            root,
            state,
        }
    }

    pub(crate) fn with(name: &str, bytes: impl AsRef<[u8]>) -> Bench {
        let bench = Bench::new();
        bench.write(name, bytes);
        bench
    }

    /// Adds these language servers.
    #[cfg(unix)]
    pub(crate) fn with_servers(self, configuration: Configuration) -> Bench {
        Bench {
            engine: self.engine.with_servers(configuration),
            ..self
        }
    }

    /// Makes paths relative to a folder of the workspace.
    pub(crate) fn relative_to(self, folder: &str) -> Bench {
        let folder = utf8(&self.root.path().join(folder));
        Bench {
            engine: self.engine.relative_to(&folder),
            ..self
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn state(&self) -> &Path {
        self.state.path()
    }

    /// Returns the path of the record of a pending or refused edit.
    pub(crate) fn record(&self, edit_id: &str) -> PathBuf {
        folder_of(self.state(), "edits").join(format!("{edit_id}.json"))
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.root.path().join(name), bytes).expect("the workspace can be written");
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.root.path().join(name)).expect("the file is there")
    }

    /// Calls a tool as MCP does.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Result<Answered, Box<RefusedCall>> {
        call(&self.engine, tool, arguments)
    }
}

/// Calls a tool of an engine as MCP does.
pub(crate) fn call(
    engine: &Engine,
    tool: &str,
    arguments: Value,
) -> Result<Answered, Box<RefusedCall>> {
    let call = engine.read_call(tool, arguments)?;
    let answer = call.make(engine, &())?;
    let text = answer.as_text();
    Ok(Answered {
        json: answer.as_json(),
        text,
    })
}

/// Returns whether a refusal means that the selector itself resolved.
pub(crate) fn resolved(code: Code) -> bool {
    matches!(
        code,
        Code::BreaksSyntax
            | Code::ChangesSurroundings
            | Code::SuspiciousContent
            | Code::InvalidContent
            | Code::NoChange
    )
}

/// Applies a unified diff to a text as `patch` would, without fuzz: a plain model of it. It takes
/// the length of a hunk from its header, so that a line of the text may look like another header.
pub(crate) fn patched(before: &str, diff: &str) -> String {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut at = 0;
    let mut left = [0, 0];
    let mut lines = diff.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if left == [0, 0] {
            let Some(header) = line.strip_prefix("@@ -") else {
                continue;
            };
            let numbers = |range: Option<&str>| -> (usize, usize) {
                let range = range.expect("a hunk names its lines");
                let (first, count) = range.split_once(',').unwrap_or((range, "1"));
                let number = |text: &str| text.parse().expect("lines are numbers");
                (number(first), number(count))
            };
            let mut ranges = header.split(' ');
            let (first, removed) = numbers(ranges.next());
            let added = ranges.next().and_then(|range| range.strip_prefix('+'));
            left = [removed, numbers(added).1];
            let start = if removed == 0 { first } else { first - 1 };
            new.extend(&mut old[at..start].iter().copied());
            at = start;
            continue;
        }
        if line.starts_with('\\') {
            continue;
        }
        let bare = match lines.peek() {
            Some(next) if next.starts_with('\\') => &line[1..line.len() - 1],
            _ => &line[1..],
        };
        let sign = &line[..1];
        if sign != "+" {
            assert_eq!(old[at], bare, "a diff repeats the old lines");
            at += 1;
            left[0] -= 1;
        }
        if sign != "-" {
            new.push_str(bare);
            left[1] -= 1;
        }
    }
    new.extend(old[at..].iter().copied());
    new
}

/// Returns the settings of the snapshots in a folder of `snapshots/`. They name the test file that compares with them.
pub(crate) fn snapshots(folder: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(repository().join("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

/// Replaces edit ids, which differ between runs, by a fixed one.
pub(crate) fn steady(text: &str) -> String {
    let mut steady = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('e') {
        let digits = rest[start + 1..]
            .chars()
            .take_while(|c| c.is_ascii_digit() || ('a'..='f').contains(c))
            .count();
        let alone = !rest[..start].ends_with(|c: char| c.is_alphanumeric())
            && !rest[start + 1 + digits..].starts_with(|c: char| c.is_alphanumeric());
        steady.push_str(&rest[..start]);
        match digits == 12 && alone {
            true => steady.push_str("e000000000000"),
            false => steady.push_str(&rest[start..start + 1 + digits]),
        }
        rest = &rest[start + 1 + digits..];
    }
    steady.push_str(rest);
    steady
}

fn utf8(path: &Path) -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(path.to_path_buf()).expect("temporary directories have UTF-8 names")
}

/// Runs git in a repository that a test created, independent of the machine's settings.
pub(crate) fn git(root: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git starts");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {message}");
}

/// Copies a folder with its contents.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the directory can be written");
    for entry in fs::read_dir(from).expect("the files are there") {
        let entry = entry.expect("the files are there");
        let place = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &place),
            false => {
                fs::copy(entry.path(), place).expect("a file can be copied");
            }
        }
    }
}
