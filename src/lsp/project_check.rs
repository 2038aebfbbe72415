//! A check of the whole project that a server runs on request. Input: its progress, and changes of
//! files. Output: the state of the current run.

use std::time::{Duration, Instant};

use super::readiness::ACTIVITY_GAP;

/// How long a server may take to begin a requested check. It has none to run for a project that it cannot
/// load.
const BEGIN_TIMEOUT: Duration = Duration::from_secs(3);

/// A check of the whole project that a server runs on request, in a process of its own (rust-analyzer: `cargo
/// check`). Its progress is reported, and what it finds is published; neither is part of the response to
/// `textDocument/diagnostic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProjectCheck {
    /// Its name in answers.
    pub name: &'static str,
    /// The notification that starts it, also while another run is in progress.
    pub start: &'static str,
    /// The prefix of its progress tokens.
    pub token: &'static str,
}

impl ProjectCheck {
    /// Returns whether a progress token, as JSON, is one of this check.
    pub(super) fn has_token(&self, token: &str) -> bool {
        token.trim_start_matches('"').starts_with(self.token)
    }
}

/// The last run of a [`ProjectCheck`], and the changes since.
#[derive(Debug, Default)]
pub(super) struct CheckTracker {
    run: Option<CheckRun>,
    /// How many changes of files were reported.
    changes: u64,
    /// Whether a run that another one replaced has not begun: it may still begin, or the server leaves it out.
    has_unbegun: bool,
}

/// A run of a [`ProjectCheck`].
#[derive(Clone, Copy, Debug)]
struct CheckRun {
    requested: Instant,
    /// [`CheckTracker::changes`] when it was requested.
    changes: u64,
    has_begun: bool,
    /// Whether what has begun may be an earlier run.
    may_be_earlier: bool,
    /// When the last of its activities ended; a project of several parts has one for each.
    ended: Option<Instant>,
}

/// The state of a requested run.
#[derive(Clone, Copy, Debug)]
pub(super) enum CheckState {
    /// No run covers the files as they are.
    NotRequested,
    /// The server has not begun the run in time.
    NotStarted,
    /// The run may end or begin at a message of the server, or once none has come until then.
    Running {
        until: Option<Instant>,
    },
    Ended,
}

impl CheckTracker {
    /// Records that the result of earlier runs is out of date.
    pub(super) fn files_changed(&mut self) {
        self.changes += 1;
    }

    /// Records that a run is requested now.
    pub(super) fn requested(&mut self, now: Instant) {
        self.has_unbegun |= self.run.is_some_and(|run| !run.has_begun);
        self.run = Some(CheckRun {
            requested: now,
            changes: self.changes,
            has_begun: false,
            may_be_earlier: false,
            ended: None,
        });
    }

    /// Records a step of its progress (`WorkDoneProgress`). The end of an earlier run comes before
    /// the beginning of the current one.
    pub(super) fn progress_reported(&mut self, kind: Option<&str>) {
        let Some(run) = &mut self.run else {
            return;
        };
        match kind {
            Some("begin") => {
                (run.has_begun, run.ended) = (true, None);
                run.may_be_earlier = std::mem::take(&mut self.has_unbegun);
            }
            Some("end") if run.has_begun => run.ended = Some(Instant::now()),
            _ => {}
        }
    }

    /// Returns the state of the run that covers the files as they are. A run that was requested
    /// before `since` counts only while it is running. `is_active` is whether one of its activities
    /// is in progress.
    pub(super) fn state(&mut self, since: Instant, is_active: bool, now: Instant) -> CheckState {
        let has_ended = |run: &CheckRun| run.has_ended(is_active, now);
        let covers = |run: &CheckRun| {
            run.changes == self.changes && (run.requested >= since || !has_ended(run))
        };
        let Some(run) = self.run.filter(covers) else {
            return CheckState::NotRequested;
        };
        let begins_until = run.requested + BEGIN_TIMEOUT;
        if has_ended(&run) {
            CheckState::Ended
        } else if !run.has_begun && now >= begins_until {
            self.run = None;
            self.has_unbegun = true;
            CheckState::NotStarted
        } else {
            let until = match run.ended {
                None if !run.has_begun => Some(begins_until),
                Some(ended) if !is_active => Some(run.settles_at(ended)),
                _ => None,
            };
            CheckState::Running { until }
        }
    }
}

impl CheckRun {
    /// Returns whether no part of it is in progress and none has begun shortly after the last one
    /// ended.
    fn has_ended(&self, is_active: bool, now: Instant) -> bool {
        let is_idle = |ended: Instant| now >= self.settles_at(ended);
        !is_active && self.ended.is_some_and(is_idle)
    }

    /// Returns when the run has ended, if nothing begins after the end of its last activity.
    fn settles_at(&self, ended: Instant) -> Instant {
        match self.may_be_earlier {
            true => ended + BEGIN_TIMEOUT,
            false => ended + ACTIVITY_GAP,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATER: Duration = Duration::from_secs(1);

    #[test]
    fn the_end_of_an_earlier_run_is_not_that_of_the_current_one() {
        let began = Instant::now();
        let mut tracker = CheckTracker::default();
        let ended = |tracker: &mut CheckTracker, after: Duration| {
            let now = Instant::now() + after;
            matches!(tracker.state(began, false, now), CheckState::Ended)
        };
        tracker.requested(began);
        tracker.files_changed();
        tracker.requested(began);
        // The first run begins late, and is ended for the second one.
        tracker.progress_reported(Some("begin"));
        tracker.progress_reported(Some("end"));
        assert!(!ended(&mut tracker, LATER));
        tracker.progress_reported(Some("begin"));
        tracker.progress_reported(Some("end"));
        assert!(ended(&mut tracker, LATER));
        // A server that leaves the first run out begins nothing else.
        tracker.requested(began);
        tracker.requested(began);
        tracker.progress_reported(Some("begin"));
        tracker.progress_reported(Some("end"));
        assert!(!ended(&mut tracker, LATER));
        assert!(ended(&mut tracker, BEGIN_TIMEOUT));
    }
}
