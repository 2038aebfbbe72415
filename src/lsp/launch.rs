//! How a server is started and which messages it expects.

use std::time::Duration;

use camino::Utf8PathBuf;
use gen_lsp_types::Diagnostic;
use serde_json::Value;

use super::project_check::ProjectCheck;
use super::readiness::{ChangeTracking, ReadyRule};

/// How a server is started and which messages it expects.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The name of the server in answers.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The workspace folders, absolute, at least one; the first is the working directory.
    pub roots: Vec<Utf8PathBuf>,
    /// The responses to `workspace/configuration`, nested by the dots in a section's name.
    pub settings: Value,
    /// The `initializationOptions` of `initialize`; null for none.
    pub initialization_options: Value,
    /// How the server shows that it has read the project.
    pub ready: ReadyRule,
    /// Which changes of files the server takes into account.
    pub tracking: ChangeTracking,
    /// The peculiarities of its diagnostics.
    pub diagnostics: DiagnosticsRule,
    /// Why the server cannot be complete in this project; part of every answer.
    pub limitation: Option<String>,
    /// The timeouts.
    pub timeouts: Timeouts,
}

/// The peculiarities of a server's diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiagnosticsRule {
    /// The check of the whole project that the server runs besides its own diagnostics, if it has one.
    pub check: Option<ProjectCheck>,
    /// What the server never checks, so that a file without diagnostics may have errors.
    pub limitation: Option<&'static str>,
    /// Part of the message that it logs when it reports no diagnostics because a program is missing.
    pub off_when: Option<&'static str>,
    /// The code of the diagnostic by which the server reports that it does not check a file.
    pub unchecked_code: Option<&'static str>,
    /// The diagnostics that the server publishes without a version, or for the first version of a
    /// document, may be of an interrupted check.
    pub only_later_versions: bool,
    /// How the messages start that it reports of an import which no file on the disk has yet.
    pub unsaved_import: Option<&'static str>,
}

impl DiagnosticsRule {
    /// Returns the message of a diagnostic that reports that the server does not check the file.
    pub(super) fn unchecked_reason(&self, diagnostic: &Diagnostic) -> Option<String> {
        let value = serde_json::to_value(diagnostic).ok()?;
        let code = value["code"].as_str()?;
        let message = value["message"].as_str().unwrap_or(code);
        let is_unchecked = self.unchecked_code == Some(code);
        is_unchecked.then(|| message.lines().next().unwrap_or(code).to_string())
    }

    /// Returns a logged message without the logger's prefix, if it reports that diagnostics are
    /// off.
    pub(super) fn off_reason(&self, logged: &str) -> Option<String> {
        let at = logged.find(self.off_when?)?;
        Some(logged[at..].trim().to_string())
    }

    /// Returns whether a progress token, as JSON, is one of the server's [`ProjectCheck`].
    pub(super) fn is_check_token(&self, token: &str) -> bool {
        self.check.is_some_and(|check| check.has_token(token))
    }
}

/// The timeouts of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the response to `initialize`.
    pub start: Duration,
    /// For the first response to each method, and for all responses while the server is indexing.
    pub cold: Duration,
    /// For every other response.
    pub warm: Duration,
    /// For each step of stopping it: the response to `shutdown`, its exit, and its exit after a
    /// signal that it can catch.
    pub stop: Duration,
}

impl Default for Timeouts {
    /// Returns 30 s, 60 s, 20 s and 2 s.
    fn default() -> Timeouts {
        Timeouts {
            start: Duration::from_secs(30),
            cold: Duration::from_secs(60),
            warm: Duration::from_secs(20),
            stop: Duration::from_secs(2),
        }
    }
}
