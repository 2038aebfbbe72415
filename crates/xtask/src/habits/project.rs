//! A directory with an engine: calls are made there as a client makes them.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;
use treegraft::engine::Engine;
use treegraft::engine::calls::Call;

/// What a call answers.
pub(crate) struct Answered {
    /// The code of the refusal.
    pub(crate) code: Option<&'static str>,
    /// The text that the caller receives.
    pub(crate) text: String,
    /// The same as JSON.
    pub(crate) json: Value,
}

/// A directory with an engine of its own.
pub(crate) struct Project {
    engine: Engine,
    root: TempDir,
    _state: TempDir,
}

impl Project {
    pub(crate) fn new() -> Result<Project, String> {
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
    pub(crate) fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.root.path().join(path);
        let folder = path.parent().unwrap_or(self.root.path());
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(crate) fn read(&self, path: &str) -> Result<String, String> {
        let path = self.root.path().join(path);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Makes a call.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Answered {
        let made = Call::read(tool, arguments.clone());
        match made.and_then(|call| call.make(&self.engine, &())) {
            Ok(answer) => Answered {
                code: None,
                text: answer.as_text(),
                json: answer.as_json(),
            },
            Err(refusal) => Answered {
                code: Some(refusal.code().as_str()),
                text: refusal.text(),
                json: refusal.json(),
            },
        }
    }
}
