//! What the engine of a workspace holds between calls, and how it is opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::{self, Diagnostic};
use crate::steps::Stopped;
use crate::workspace::{Caller, StateDirectory, StateError, Workspace, WorkspaceError};

use super::log::GcBudget;
use super::parsed_cache::{CACHE_BYTES, ParsedCache, cache};
use super::preview_cache::PreviewCache;
#[cfg(feature = "servers")]
use super::server_pool::ServerPool;

/// The language servers of a build without the feature `servers`: none.
#[cfg(not(feature = "servers"))]
#[derive(Debug, Default)]
pub(super) struct ServerPool;

#[cfg(not(feature = "servers"))]
impl ServerPool {
    fn narrowed(&self) -> Arc<ServerPool> {
        Arc::default()
    }
}

/// The engine for one workspace. Its methods can be called from several threads at once.
#[derive(Debug)]
pub struct Engine {
    pub(super) workspace: Workspace,
    pub(super) parsed: ParsedCache,
    /// How many bytes of memory the trees of the process may take.
    pub(super) max_memory: Option<u64>,
    pub(super) server_pool: Arc<ServerPool>,
    pub(super) previews: PreviewCache,
    pub(super) gc_budget: GcBudget,
}

/// Why an engine cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// A root cannot be opened.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The state directory cannot be opened.
    #[error(transparent)]
    State(#[from] StateError),
    /// A path is not UTF-8.
    #[error("the path {} is not UTF-8", .0.display())]
    NotUtf8(PathBuf),
}

fn utf8(path: &Path) -> Result<&Utf8Path, EngineError> {
    Utf8Path::from_path(path).ok_or_else(|| EngineError::NotUtf8(path.to_owned()))
}

impl Engine {
    /// Opens an engine for `roots`. Staged edits are kept in `state_directory`, by default (`None::<&str>`) the user's
    /// state directory (`$XDG_STATE_HOME/treegraft`). First completes or reverts interrupted changes of several files.
    ///
    /// # Errors
    /// A root or the state directory cannot be opened, or its path is not UTF-8.
    pub fn open(
        roots: &[impl AsRef<Path>],
        state_directory: Option<impl AsRef<Path>>,
    ) -> Result<Engine, EngineError> {
        Engine::open_for(Caller::Person, roots, state_directory)
    }

    /// Does the same as [`Engine::open`] for a caller. If the caller is an agent whose edits a person has to approve,
    /// no method writes a file of the workspace: it refuses with [`Code::ApprovalRequired`](crate::Code), and the edit
    /// stays staged.
    ///
    /// # Errors
    /// As for [`Engine::open`].
    pub fn open_for(
        caller: Caller,
        roots: &[impl AsRef<Path>],
        state_directory: Option<impl AsRef<Path>>,
    ) -> Result<Engine, EngineError> {
        let state = match state_directory {
            Some(path) => StateDirectory::open(utf8(path.as_ref())?)?,
            None => StateDirectory::open(&StateDirectory::default_path()?)?,
        };
        let roots = roots.iter().map(|root| Ok(utf8(root.as_ref())?.to_owned()));
        let roots: Vec<Utf8PathBuf> = roots.collect::<Result<_, EngineError>>()?;
        let workspace = Workspace::open_for(caller, &roots, state)?;
        Ok(Engine::over(workspace, Arc::default()))
    }

    /// Returns the engine with a limit of memory: a call during which the trees of all files of the process would take more
    /// than `bytes` is refused ([`Code::FileTooLarge`](crate::Code)), and files stay parsed in at most a quarter of it. Their
    /// memory is estimated: about 30 bytes for each byte of text, and twice that during an edit.
    pub fn with_max_memory(self, bytes: u64) -> Engine {
        Engine {
            parsed: cache(CACHE_BYTES.min(bytes / 4)),
            max_memory: Some(bytes),
            ..self
        }
    }

    /// Returns an engine for the intersection of `folders` and the roots, with the same staged edits. Returns `None` if
    /// the intersection is empty or cannot be opened.
    pub fn within(&self, folders: &[impl AsRef<str>]) -> Option<Engine> {
        let folders: Vec<Utf8PathBuf> = folders.iter().map(|one| one.as_ref().into()).collect();
        let workspace = self.workspace.narrowed(&folders)?;
        let engine = Engine::over(workspace, self.server_pool.narrowed());
        Some(match self.max_memory {
            Some(bytes) => engine.with_max_memory(bytes),
            None => engine,
        })
    }

    /// Returns the engine with `folder` as the base of relative paths in requests and answers. On the command line,
    /// this is the working directory. A folder outside the roots has no effect.
    pub fn relative_to(self, folder: impl AsRef<str>) -> Engine {
        Engine {
            workspace: self.workspace.relative_to(Utf8Path::new(folder.as_ref())),
            // Cached files have paths relative to the old base.
            parsed: cache(self.parsed.capacity()),
            previews: PreviewCache::default(),
            ..self
        }
    }

    fn over(workspace: Workspace, server_pool: Arc<ServerPool>) -> Engine {
        let engine = Engine {
            workspace,
            parsed: cache(CACHE_BYTES),
            max_memory: None,
            server_pool,
            previews: PreviewCache::default(),
            gc_budget: GcBudget::default(),
        };
        // Every edit retries failed recoveries and reports them.
        engine.settle();
        engine
    }

    /// Explains why a call was stopped. If it used too much memory, no file stays parsed.
    pub(super) fn about_stopped(&self, stopped: Stopped) -> Diagnostic {
        match stopped {
            Stopped::Asked => diagnostic::about_stopped(),
            Stopped::OutOfMemory(limit) => {
                self.parsed.clear();
                diagnostic::about_memory(limit)
            }
        }
    }
}
