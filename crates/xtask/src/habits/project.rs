//! A directory with an engine: calls are made there as a client makes them.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::engine::calls::Call;

/// What a call answers.
pub(super) struct Answered {
    /// The code of the refusal.
    pub(super) code: Option<&'static str>,
    /// The text that the caller receives.
    pub(super) text: String,
}

/// A directory with an engine of its own.
pub(super) struct Project {
    engine: Engine,
    root: TempDir,
    _state: TempDir,
}

impl Project {
    pub(super) fn new() -> Result<Project, String> {
        let fault = |error: &dyn std::fmt::Display| format!("a temporary directory: {error}");
        let root = TempDir::new().map_err(|error| fault(&error))?;
        let state = TempDir::new().map_err(|error| fault(&error))?;
        let engine = Engine::open(&[root.path()], Some(state.path()));
        Ok(Project {
            engine: engine.map_err(|error| fault(&error))?,
            root,
            _state: state,
        })
    }

    /// Writes a file, with the directories that it needs.
    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.root.path().join(path);
        let folder = path.parent().unwrap_or(self.root.path());
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(super) fn read(&self, path: &str) -> Result<String, String> {
        let path = self.root.path().join(path);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Makes a call.
    pub(super) fn call(&self, tool: &str, arguments: &Value) -> Answered {
        let made = Call::read(tool, arguments.clone());
        match made.and_then(|call| call.make(&self.engine, &())) {
            Ok(answer) => Answered {
                code: None,
                text: answer.as_text(),
            },
            Err(refusal) => Answered {
                code: Some(refusal.code().as_str()),
                text: refusal.text(),
            },
        }
    }
}
