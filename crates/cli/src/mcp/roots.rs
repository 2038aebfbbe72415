//! Narrows the workspace to the folders that an older client lists with `roots/list`.
//!
//! They never widen it. Folders outside the workspace are ignored: the user who started the server
//! chose its roots.

use std::sync::Arc;
use std::time::Duration;

use camino::Utf8PathBuf;
use percent_encoding::percent_decode_str;
use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::sync::RwLock;

use treegraft::engine::Engine;

/// How long calls wait for the client's roots.
const PATIENCE: Duration = Duration::from_secs(5);

/// The workspace of one session.
#[derive(Clone)]
pub(super) struct Narrowed {
    whole: Arc<Engine>,
    now: Arc<RwLock<Arc<Engine>>>,
}

impl Narrowed {
    pub(super) fn not_yet(engine: Arc<Engine>) -> Narrowed {
        Narrowed {
            whole: engine.clone(),
            now: Arc::new(RwLock::new(engine)),
        }
    }

    /// Returns the workspace for another session.
    pub(super) fn afresh(&self) -> Narrowed {
        Narrowed::not_yet(self.whole.clone())
    }

    /// Returns the engine of the whole workspace.
    pub(super) fn whole(&self) -> &Engine {
        &self.whole
    }

    /// Returns the engine of the session.
    pub(super) async fn engine(&self) -> Arc<Engine> {
        self.now.read().await.clone()
    }

    /// Asks the client for its roots, if it supports them, and narrows the workspace to them.
    pub(super) async fn narrow(&self, client: &Peer<RoleServer>) {
        let has_roots = client
            .peer_info()
            .is_some_and(|info| info.capabilities.roots.is_some());
        if !has_roots {
            return;
        }
        let mut now = self.now.write().await;
        let Some(folders) = folders_of(client).await else {
            return;
        };
        let whole = self.whole.clone();
        let narrowed = tokio::task::spawn_blocking(move || whole.within(&folders)).await;
        *now = match narrowed {
            Ok(Some(engine)) => Arc::new(engine),
            _ => self.whole.clone(),
        };
    }
}

#[expect(deprecated, reason = "clients of older revisions have roots")]
async fn folders_of(client: &Peer<RoleServer>) -> Option<Vec<Utf8PathBuf>> {
    let listed = tokio::time::timeout(PATIENCE, client.list_roots()).await;
    let roots = listed.ok()?.ok()?.roots.into_iter();
    Some(roots.filter_map(|root| folder_of(&root.uri)).collect())
}

/// Returns the local folder of a `file:` URI.
fn folder_of(uri: &str) -> Option<Utf8PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    path.starts_with('/').then(|| path.into_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_uri_names_a_folder_of_this_machine() {
        let folder = |uri| folder_of(uri).map(Utf8PathBuf::into_string);
        assert_eq!(folder("file:///a/b").as_deref(), Some("/a/b"));
        assert_eq!(
            folder("file://localhost/a%20b/%C3%BC").as_deref(),
            Some("/a b/ü")
        );
        for uri in [
            "file://elsewhere/a",
            "https://a/b",
            "/a/b",
            "file:///%FF",
            "",
        ] {
            assert_eq!(folder(uri), None, "{uri}");
        }
    }
}
