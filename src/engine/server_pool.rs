//! The language servers of an engine.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use camino::Utf8Path;

use crate::diagnostic::{self, Diagnostic};
use crate::lsp::configuration::Configuration;
use crate::lsp::servers::{ServerLimits, Servers};
use crate::workspace::{self, Workspace};

/// The servers of an engine. The first request for a server starts it.
#[derive(Debug, Default)]
pub(super) struct ServerPool {
    /// The configuration given by the program. If absent, the user's configuration is used.
    configuration: Option<Configuration>,
    pub(super) servers: OnceLock<Servers>,
    /// Held while servers have texts that are not on the disk.
    pub(super) judging: Mutex<()>,
    /// The pools for parts of the same roots. Each server belongs to one pool, which notifies it of files.
    narrowed: Mutex<Vec<Weak<ServerPool>>>,
}

impl ServerPool {
    pub(super) fn from_configuration(configuration: Configuration) -> ServerPool {
        ServerPool {
            configuration: Some(configuration),
            ..ServerPool::default()
        }
    }

    /// Returns a pool for a part of the roots. Stopping this pool also stops the returned pool.
    pub(super) fn narrowed(&self) -> Arc<ServerPool> {
        let narrowed = Arc::new(ServerPool {
            configuration: self.configuration.clone(),
            ..ServerPool::default()
        });
        let mut all = self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.strong_count() > 0);
        all.push(Arc::downgrade(&narrowed));
        narrowed
    }

    /// Returns the servers for the roots of a workspace.
    ///
    /// # Errors
    /// The user's configuration cannot be read.
    pub(super) fn servers(&self, workspace: &Workspace) -> Result<&Servers, Diagnostic> {
        if let Some(servers) = self.servers.get() {
            return Ok(servers);
        }
        let configuration = self.configuration(workspace)?;
        Ok(self.servers.get_or_init(|| {
            let path = workspace::search_path();
            Servers::new(
                workspace.roots().map(Utf8Path::to_owned).collect(),
                configuration,
                path,
                ServerLimits::default(),
            )
        }))
    }

    /// Returns the configuration of the servers, with the choices of the workspace's settings.
    ///
    /// # Errors
    /// The user's configuration cannot be read.
    pub(super) fn configuration(&self, workspace: &Workspace) -> Result<Configuration, Diagnostic> {
        let configuration = self.user_configuration()?;
        Ok(configuration.with_chosen(workspace.chosen_servers()))
    }

    /// Returns the configuration that the program gave, or else the user's.
    ///
    /// # Errors
    /// The user's configuration cannot be read.
    pub(super) fn user_configuration(&self) -> Result<Configuration, Diagnostic> {
        match (&self.configuration, workspace::user_configuration_path()) {
            (Some(given), _) => Ok(given.clone()),
            (None, Some(path)) => Configuration::read(&path)
                .map_err(|error| diagnostic::about_arguments(error.to_string())),
            (None, None) => Ok(Configuration::default()),
        }
    }

    /// Stops the running servers.
    pub(super) fn stop(&self) {
        if let Some(servers) = self.servers.get() {
            servers.stop();
        }
        let all = self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter()
            .filter_map(Weak::upgrade)
            .for_each(|one| one.stop());
    }
}
