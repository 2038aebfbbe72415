//! Notifies a client of each change of the resources that it subscribed to.
//!
//! Other processes apply and discard edits too. Therefore the server polls the resources while
//! there is a subscription.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{ReadResourceResult, ResourceUpdatedNotificationParam};
use rmcp::service::Peer;
use rmcp::{ErrorData, RoleServer};
use tokio::task::AbortHandle;

use super::Server;

/// The time between two polls.
const PAUSE: Duration = Duration::from_millis(500);
/// The maximum number of subscriptions in one session.
const MOST: usize = 100;

/// The subscriptions of a session that was opened with `initialize`, by URI.
#[derive(Clone, Default)]
pub(super) struct Subscriptions {
    running: Arc<Mutex<HashMap<String, AbortHandle>>>,
}

impl Subscriptions {
    /// Watches a resource until [`Subscriptions::remove`] or until the client disconnects.
    ///
    /// # Errors
    /// The session has too many subscriptions.
    pub(super) fn add(
        &self,
        server: &Server,
        uri: String,
        peer: Peer<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|_, task| !task.is_finished());
        if running.contains_key(&uri) {
            return Ok(());
        }
        if running.len() >= MOST {
            let message = format!("a session can have at most {MOST} subscriptions");
            return Err(ErrorData::invalid_params(message, None));
        }
        let (server, watched) = (server.clone(), uri.clone());
        let task = tokio::spawn(async move {
            let mut watched = Watched::from_now(&server, vec![watched]).await;
            loop {
                let changed = tokio::select! {
                    changed = watched.changed() => changed,
                    () = gone(&peer) => return,
                };
                let changed = ResourceUpdatedNotificationParam::new(changed);
                if peer.notify_resource_updated(changed).await.is_err() {
                    return;
                }
            }
        });
        running.insert(uri, task.abort_handle());
        Ok(())
    }

    /// Ends a subscription, if there is one.
    pub(super) fn remove(&self, uri: &str) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = running.remove(uri) {
            task.abort();
        }
    }
}

/// Waits until the client has disconnected.
async fn gone(peer: &Peer<RoleServer>) {
    while !peer.is_transport_closed() {
        tokio::time::sleep(PAUSE).await;
    }
}

/// Resources, with their content at the last poll.
pub(super) struct Watched {
    server: Server,
    known: Vec<(String, Option<ReadResourceResult>)>,
    next: usize,
}

impl Watched {
    /// Reads each resource for the first time.
    pub(super) async fn from_now(server: &Server, uris: Vec<String>) -> Watched {
        let mut known = Vec::new();
        for uri in uris {
            let now = server.read(uri.clone()).await.ok();
            known.push((uri, now));
        }
        Watched {
            server: server.clone(),
            known,
            next: 0,
        }
    }

    /// Waits until one of them changes, and returns its URI.
    pub(super) async fn changed(&mut self) -> String {
        loop {
            while let Some((uri, before)) = self.known.get_mut(self.next) {
                self.next += 1;
                let now = self.server.read(uri.clone()).await.ok();
                if *before != now {
                    *before = now;
                    return uri.clone();
                }
            }
            self.next = 0;
            tokio::time::sleep(PAUSE).await;
        }
    }
}
