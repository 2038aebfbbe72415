//! A workspace for one test, and calls as MCP makes them. The fuzz targets use it too.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::Utf8PathBuf;
use serde_json::Value;
use tempfile::TempDir;
use treegraft::diagnostic::Code;
use treegraft::engine::Engine;
use treegraft::engine::response::RefusedCall;
#[cfg(unix)]
use treegraft::lsp::configuration::Configuration;

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

fn utf8(path: &Path) -> Utf8PathBuf {
    Utf8PathBuf::from_path_buf(path.to_path_buf()).expect("temporary directories have UTF-8 names")
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
