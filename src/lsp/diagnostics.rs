//! The diagnostics of a document: requested (pull), or awaited (push), with those of a check of the
//! project.

use std::time::{Duration, Instant};

use camino::Utf8Path;
use gen_lsp_types::{Diagnostic, Position};
use serde::Deserialize;
use serde_json::json;

use super::documents::FIRST_VERSION;
use super::language_server::LanguageServer;
use super::readiness::ReadyRule;
use super::session::PublishedDiagnostics;
use super::uri::uri_of;
use super::{Completeness, ServerError, Situation};

/// The request for the diagnostics of one document (LSP 3.17).
const DIAGNOSTIC: &str = "textDocument/diagnostic";

/// When a document is first sent again because the diagnostics of its version were not published: a
/// server that checks several versions at once does not publish the same diagnostics twice. The time
/// doubles, because a new version interrupts the check.
const FIRST_SEND_AGAIN: Duration = Duration::from_secs(1);

/// The diagnostics of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerDiagnostics {
    /// The diagnostics.
    pub items: Vec<Diagnostic>,
    /// Whether they are of the text that was last sent. If not, the server has published none since.
    pub is_current: bool,
    /// The least that the server knew between the request and the result.
    pub completeness: Completeness,
}

/// How long to wait for diagnostics.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosticsWait {
    /// When the files were read: a [`ProjectCheck`](super::project_check::ProjectCheck) that was requested
    /// before does not count.
    pub since: Instant,
    /// When the server has to be ready, and its check has to have ended.
    pub ready_until: Instant,
    /// How long the request itself may take.
    pub answer_within: Duration,
    /// Whether to run the check; without it, the diagnostics of a server that has one are incomplete.
    pub runs_check: bool,
}

impl LanguageServer {
    /// Returns the diagnostics of an open document. Waits until the server is ready, and repeats the
    /// request if the server has begun to index again.
    ///
    /// # Errors
    /// As [`LspClient::ask`](super::client::LspClient::ask).
    pub fn diagnostics(
        &self,
        path: &Utf8Path,
        wait: DiagnosticsWait,
    ) -> Result<ServerDiagnostics, ServerError> {
        loop {
            let found = self.diagnostics_once(path, wait)?;
            let is_ready = !matches!(found.completeness, Completeness::StillIndexing { .. });
            if is_ready || Instant::now() >= wait.ready_until {
                self.used();
                return Ok(found);
            }
        }
    }

    fn diagnostics_once(
        &self,
        path: &Utf8Path,
        wait: DiagnosticsWait,
    ) -> Result<ServerDiagnostics, ServerError> {
        let before = self.wait_until_checked(wait);
        let rule = self.client().launch().diagnostics;
        let (items, is_current) = match self.client().can("diagnosticProvider", DIAGNOSTIC) {
            true => {
                let mut items = self.pull_diagnostics(path, wait.answer_within)?;
                // Those of the check were published before this response.
                if wait.runs_check && rule.check.is_some() {
                    let published = self.client().published(path);
                    let published = published.map(|published| published.items);
                    items = without_duplicates(items, published.unwrap_or_default());
                }
                (items, true)
            }
            false => self.await_diagnostics(path, wait.answer_within)?,
        };
        let problem = match is_current {
            true => {
                let unchecked = items.iter().find_map(|one| rule.unchecked_reason(one));
                unchecked.or_else(|| self.client().diagnostics_limitation())
            }
            false => Some("it has not reported diagnostics since the last change".to_string()),
        };
        let limitation =
            problem.map_or(Completeness::Complete, |why| Completeness::Degraded { why });
        Ok(ServerDiagnostics {
            items,
            is_current,
            completeness: before.or(self.completeness()).or(limitation),
        })
    }

    /// Waits until the server is ready and its check of the project has ended.
    fn wait_until_checked(&self, wait: DiagnosticsWait) -> Completeness {
        let left = wait.ready_until.saturating_duration_since(Instant::now());
        let ready = self.wait_until_ready(left);
        match (ready, self.client().launch().diagnostics.check) {
            (ready @ Completeness::StillIndexing { .. }, _) | (ready, None) => ready,
            (ready, Some(check)) if wait.runs_check => {
                match self.client().run_check(check, wait.since, wait.ready_until) {
                    running @ Completeness::StillIndexing { .. } => running,
                    checked => ready.or(checked),
                }
            }
            (ready, Some(check)) => ready.or(Completeness::Degraded {
                why: format!("`{}` was not run", check.name),
            }),
        }
    }

    /// Requests the diagnostics of a document, once for each identifier under which the server has some.
    fn pull_diagnostics(
        &self,
        path: &Utf8Path,
        within: Duration,
    ) -> Result<Vec<Diagnostic>, ServerError> {
        #[derive(Deserialize)]
        struct DiagnosticReport {
            #[serde(default)]
            items: Vec<Diagnostic>,
        }
        let mut params = json!({"textDocument": {"uri": uri_of(path)}});
        let identifiers = self.diagnostic_identifiers();
        if identifiers.is_empty() {
            let report: DiagnosticReport = self.client().ask_within(DIAGNOSTIC, params, within)?;
            return Ok(report.items);
        }
        let mut items = Vec::new();
        for identifier in identifiers {
            params["identifier"] = identifier.into();
            let report: DiagnosticReport = self.client().ask_within(DIAGNOSTIC, &params, within)?;
            items.extend(report.items);
        }
        Ok(items)
    }

    fn diagnostic_identifiers(&self) -> Vec<String> {
        let registrations = self.client().registrations(DIAGNOSTIC);
        let capability = &self.client().capabilities()["diagnosticProvider"];
        let all = registrations.iter().chain([capability]);
        let identifiers = all.filter_map(|options| options["identifier"].as_str());
        let mut identifiers: Vec<String> = identifiers.map(str::to_string).collect();
        identifiers.sort_unstable();
        identifiers.dedup();
        identifiers
    }

    /// Waits for the diagnostics that the server publishes for the text that was last sent. If it does not,
    /// returns the previous ones, and that they are not current.
    fn await_diagnostics(
        &self,
        path: &Utf8Path,
        within: Duration,
    ) -> Result<(Vec<Diagnostic>, bool), ServerError> {
        let deadline = Instant::now() + within;
        let published = || {
            self.client()
                .published(path)
                .map(|published| published.items)
        };
        let rule = self.client().launch().ready;
        if let ReadyRule::Progress {
            idle_request: Some(_),
            ..
        } = rule
        {
            // Before the server is idle, diagnostics may be of a partly read document. For a text that it
            // knows, it publishes none again.
            let ready = self.client().wait_until_ready(within);
            let is_ready = !matches!(ready, Completeness::StillIndexing { .. });
            if let Some(items) = published().filter(|_| is_ready) {
                return Ok((items, true));
            }
        }
        if let Some(current) = self.await_published(path, deadline)? {
            return Ok((current, true));
        }
        if !self.client().is_alive() {
            let how = self.client().exit().map_or(String::new(), |(_, how)| how);
            let retry_in = None;
            return Err(self.client().error(Situation::Crashed { how, retry_in }));
        }
        Ok((published().unwrap_or_default(), false))
    }

    /// Waits until the server has published diagnostics of the text as it was last sent, and of all that
    /// the server has read. Returns `None` if it has not by then.
    fn await_published(
        &self,
        path: &Utf8Path,
        deadline: Instant,
    ) -> Result<Option<Vec<Diagnostic>>, ServerError> {
        let only_later = self.client().launch().diagnostics.only_later_versions;
        let (mut version, mut since) = self.resend(path)?;
        let mut sends_again = only_later && version == FIRST_VERSION;
        let mut pause = FIRST_SEND_AGAIN;
        while self.client().is_alive() && Instant::now() < deadline {
            if sends_again {
                (version, since) = self.send_again(path)?;
            }
            let until = match only_later {
                true => deadline.min(Instant::now() + pause),
                false => deadline,
            };
            let is_of_version = |one: &PublishedDiagnostics| match one.version {
                Some(of) => of >= version,
                None => !only_later && one.received >= since,
            };
            match self.client().wait_for_published(path, until, is_of_version) {
                // They may be of a part of the project. Those of a new version are of all of it.
                Some(early) if early.is_early && !sends_again => {}
                Some(current) => return Ok(Some(current.items)),
                None => pause *= 2,
            }
            sends_again = true;
        }
        Ok(None)
    }
}

/// Joins the diagnostics of a response with those of the check, which replace the same ones.
fn without_duplicates(response: Vec<Diagnostic>, mut of_check: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let overlap = |a: &Diagnostic, b: &Diagnostic| {
        let at = |position: &Position| (position.line, position.character);
        at(&a.range.start) <= at(&b.range.end) && at(&b.range.start) <= at(&a.range.end)
    };
    let is_same =
        |a: &Diagnostic, b: &Diagnostic| a.code.is_some() && a.code == b.code && overlap(a, b);
    let others = response.into_iter();
    let others: Vec<_> = others
        .filter(|one| !of_check.iter().any(|other| is_same(one, other)))
        .collect();
    of_check.extend(others);
    of_check
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_of_both_the_server_and_its_check_are_listed_once() {
        let diagnostic = |code: &str, from: u32, to: u32, message: &str| -> Diagnostic {
            let position = |character: u32| json!({"line": 0, "character": character});
            let range = json!({"start": position(from), "end": position(to)});
            serde_json::from_value(json!({"range": range, "code": code, "message": message}))
                .expect("a diagnostic")
        };
        let own = vec![
            diagnostic("E0308", 4, 5, "expected String"),
            diagnostic("E0308", 8, 9, "elsewhere"),
            diagnostic("E0425", 4, 5, "another"),
        ];
        let of_check = vec![diagnostic("E0308", 4, 6, "mismatched types")];
        let all = without_duplicates(own.clone(), of_check.clone());
        assert_eq!(all, [of_check, own[1..].to_vec()].concat());
    }
}
