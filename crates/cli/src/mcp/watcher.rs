//! Reports the progress of a call to its client as `notifications/progress`, and stops a call when
//! the client cancels it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio_util::sync::CancellationToken;

use treegraft::engine::watch::{StopCheck, Watch};

/// The minimum time between two notifications.
const PAUSE: Duration = Duration::from_millis(200);

/// Watches one call. Without a client, it reports nothing and never stops the call.
#[derive(Default)]
pub(super) struct Watcher {
    cancelled: CancellationToken,
    client: Option<ProgressClient>,
    /// The name of the client, if it has one.
    name: Option<String>,
    /// The name of the client's session, if the system has given one.
    session: Option<String>,
}

/// The client that requested progress.
struct ProgressClient {
    counts: UnboundedSender<(usize, usize)>,
    /// The time and the count of the last notification.
    last: Mutex<Option<(Instant, usize)>>,
}

impl Watcher {
    /// Watches for the client of a request; notifies it only if it sent a progress token.
    pub(super) fn for_request(
        context: &RequestContext<RoleServer>,
        session: Option<&str>,
    ) -> Watcher {
        let client = context.meta.get_progress_token().map(|token| {
            let (counts, mut arriving) = mpsc::unbounded_channel::<(usize, usize)>();
            let client = context.peer.clone();
            tokio::spawn(async move {
                while let Some((done, all)) = arriving.recv().await {
                    let notification = ProgressNotificationParam::new(token.clone(), done as f64)
                        .with_total(all as f64)
                        .with_message(format!("{done} of {all} files"));
                    if client.notify_progress(notification).await.is_err() {
                        return;
                    }
                }
            });
            ProgressClient {
                counts,
                last: Mutex::new(None),
            }
        });
        let name = context.client_info().map(|client| client.name.clone());
        Watcher {
            cancelled: context.ct.clone(),
            client,
            name,
            session: session.map(str::to_string),
        }
    }
}

impl Watch for Watcher {
    fn goes_on(&self, done: usize, all: usize) -> bool {
        if let Some(client) = &self.client
            && let Ok(mut last) = client.last.try_lock()
            && last.is_none_or(|(when, known)| when.elapsed() >= PAUSE && known < done)
        {
            *last = Some((Instant::now(), done));
            // A client that has disconnected need not be notified.
            let _ = client.counts.send((done, all));
        }
        !self.cancelled.is_cancelled()
    }

    fn stop_check(&self) -> Option<StopCheck> {
        let cancelled = self.cancelled.clone();
        Some(Arc::new(move || cancelled.is_cancelled()))
    }

    fn client(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_goes_on_until_it_is_cancelled() {
        let watcher = Watcher::default();
        assert!(watcher.goes_on(1, 2));
        watcher.cancelled.cancel();
        assert!(!watcher.goes_on(2, 2));
    }

    #[test]
    fn reported_counts_increase() {
        let (counts, mut client) = mpsc::unbounded_channel();
        let watcher = Watcher {
            cancelled: CancellationToken::new(),
            client: Some(ProgressClient {
                counts,
                last: Mutex::new(None),
            }),
            name: None,
            session: None,
        };
        for done in [0, 1, 2] {
            watcher.goes_on(done, 3);
        }
        std::thread::sleep(PAUSE);
        for done in [0, 3] {
            watcher.goes_on(done, 3);
        }
        assert_eq!(
            (client.try_recv(), client.try_recv()),
            (Ok((0, 3)), Ok((3, 3)))
        );
        assert!(client.try_recv().is_err());
    }
}
