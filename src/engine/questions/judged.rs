//! Checks an edit in language servers before it is shown.
//!
//! Input: the files of an edit. Output: a [`Judgement`]. The servers get the new texts as unsaved documents, report their
//! errors, and get the old texts again.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::{self, Code, Diagnostic, PlaceReason, PlaceView};
use crate::lsp::Completeness;
use crate::lsp::diagnostics::DiagnosticsWait;
use crate::lsp::language_server::LanguageServer;
use crate::parse::Parsed;
use crate::preview::FilePreview;
use crate::source::{Source, Span};
use crate::workspace::WorkspacePath;

use super::place::Asked;
use super::unrenamed::place_view;
use super::{Engine, problems_of};
use crate::engine::request::questions::ReferenceKind;
use crate::engine::response::questions::Problem;
use crate::lsp::convert::{self, ServerLocation};

/// How long to wait for a server that still reads files.
const READY_WAIT: Duration = Duration::from_secs(10);
/// How long to wait for the problems of one file.
const ANSWER_WAIT: Duration = Duration::from_secs(10);

/// How long the check of one edit may take.
const CHECK_TIME: Duration = Duration::from_secs(60);

/// How long to wait before new errors are asked for again.
const SETTLING_WAITS: [Duration; 3] = [
    Duration::from_millis(300),
    Duration::from_millis(700),
    Duration::from_secs(2),
];

/// What language servers report about an edit.
#[derive(Debug, Default)]
pub(in crate::engine) struct Judgement {
    /// The errors that they report only with the edit: the places in its texts, and the messages.
    pub(in crate::engine) new_errors: Vec<(PlaceView, String)>,
    /// Why a file was not checked.
    pub(in crate::engine) unchecked: Option<String>,
}

/// A file of an edit with its server.
struct Judged {
    server: Arc<LanguageServer>,
    path: WorkspacePath,
    before: Arc<Parsed>,
    after: Arc<Parsed>,
}

impl Engine {
    /// Returns what the servers of changed files report. Servers that are not running are started. `renamed` are the old
    /// and the new name of a rename.
    pub(in crate::engine) fn judged(
        &self,
        files: &[FilePreview],
        renamed: Option<(&str, &str)>,
    ) -> Judgement {
        let judging = self.server_pool.judging.lock();
        let _one_at_a_time = judging.unwrap_or_else(PoisonError::into_inner);
        let mut judgement = Judgement::default();
        let mut all = Vec::new();
        for file in files {
            match self.with_server(file) {
                Ok(judged) => all.push(judged),
                Err(why) => judgement.unchecked = Some(why.message),
            }
        }
        let texts = |is_after: bool| -> HashMap<Utf8PathBuf, Source> {
            let text = |one: &Judged| {
                let parsed = if is_after { &one.after } else { &one.before };
                (one.path.absolute().to_owned(), parsed.source().clone())
            };
            all.iter().map(text).collect()
        };
        let until = Instant::now() + CHECK_TIME;
        let found = self.problems_with(&all, false, &texts(false), until);
        let found = found.and_then(|before| {
            let after = self.settled_problems(&all, (&before, renamed), &texts(true), until);
            // The documents are those of the disk again, even if a server failed.
            let restored = self.sync_all(&all, false, &texts(false));
            let after = after?;
            restored?;
            Ok(new_problems(&before, &after, renamed))
        });
        match found {
            Ok(new) => {
                let errors = new.into_iter().filter(|one| one.severity == "error");
                let (unsaved, errors): (Vec<Problem>, Vec<Problem>) =
                    errors.partition(|error| is_unsaved_import(&all, error));
                // Without the import, the other errors say nothing.
                let errors = match unsaved.first() {
                    None => errors,
                    Some(one) => {
                        let why = "the server reads a new import only from the disk";
                        judgement.unchecked = Some(format!("{why}: {}", one.message));
                        Vec::new()
                    }
                };
                let errors = errors.into_iter();
                let errors = errors.map(|one| {
                    let place = PlaceView {
                        reason: "a new error, in the text after the edit",
                        locate: None,
                        ..place_view(one.location, PlaceReason::Listed)
                    };
                    (place, one.message)
                });
                judgement.new_errors = errors.collect();
            }
            Err(why) => judgement.unchecked = Some(why.message),
        }
        judgement
    }

    /// Returns a file with its server.
    fn with_server(&self, file: &FilePreview) -> Result<Judged, Diagnostic> {
        let path = self.workspace.place(file.before().path());
        let path = path.map_err(|error| diagnostic::about_file(&error))?;
        let parsed = |source: &Source| Arc::new(Parsed::parse(source.clone()));
        let servers = self.server_pool.servers(&self.workspace)?;
        let language = file.after().language().name;
        let server = servers.for_language(language, path.absolute());
        Ok(Judged {
            server: server.map_err(|error| diagnostic::about_server(language, &error))?,
            path,
            before: parsed(file.before()),
            after: parsed(file.after()),
        })
    }

    /// Gives the servers these texts of the files.
    fn sync_all(
        &self,
        all: &[Judged],
        is_after: bool,
        texts: &HashMap<Utf8PathBuf, Source>,
    ) -> Result<(), Diagnostic> {
        for one in all {
            let parsed = if is_after { &one.after } else { &one.before };
            let by_name =
                |file: &Utf8Path| self.workspace.language_of(file).map(|known| known.name);
            let text_of = |file: &Utf8Path| texts.get(file).cloned().or_else(|| self.text_at(file));
            let stamps = self.stamps(&one.server);
            let path = one.path.absolute();
            let synced = one
                .server
                .sync(path, parsed.source(), stamps, text_of, by_name);
            let language = parsed.source().language().name;
            synced.map_err(|error| diagnostic::about_server(language, &error))?;
        }
        Ok(())
    }

    /// Returns the problems of the files with their new texts. Some servers report errors until they have read what a new
    /// import statement names, so those that are new are asked for again.
    fn settled_problems(
        &self,
        all: &[Judged],
        (before, renamed): (&[Problem], Option<(&str, &str)>),
        texts: &HashMap<Utf8PathBuf, Source>,
        until: Instant,
    ) -> Result<Vec<Problem>, Diagnostic> {
        let mut after = self.problems_with(all, true, texts, until)?;
        for wait in SETTLING_WAITS {
            let new = new_problems(before, &after, renamed);
            let is_error = |one: &Problem| one.severity == "error" && !is_unsaved_import(all, one);
            if !new.iter().any(is_error) {
                break;
            }
            std::thread::sleep(wait);
            after = self.problems_with(all, true, texts, until)?;
        }
        Ok(after)
    }

    /// Returns the problems of the files with these texts.
    fn problems_with(
        &self,
        all: &[Judged],
        is_after: bool,
        texts: &HashMap<Utf8PathBuf, Source>,
        until: Instant,
    ) -> Result<Vec<Problem>, Diagnostic> {
        self.sync_all(all, is_after, texts)?;
        let mut problems = Vec::new();
        for one in all {
            if Instant::now() > until {
                let seconds = CHECK_TIME.as_secs();
                let why = format!("the servers did not report all files within {seconds} seconds");
                return Err(Diagnostic::new(Code::NotReady, why));
            }
            let parsed = if is_after { &one.after } else { &one.before };
            let now = Instant::now();
            let wait = DiagnosticsWait {
                since: now,
                ready_until: now + READY_WAIT,
                answer_within: ANSWER_WAIT,
                runs_check: false,
            };
            let found = problems_of(&one.server, &one.path, parsed, wait)?;
            let why = match found.completeness {
                Completeness::StillIndexing { what } => what,
                Completeness::Degraded { why } if !found.is_fresh => why,
                _ => {
                    problems.extend(found.problems);
                    continue;
                }
            };
            let command = one.server.client().launch().command.join(" ");
            return Err(Diagnostic::new(
                Code::NotReady,
                format!("`{command}`: {why}"),
            ));
        }
        Ok(problems)
    }
}

impl Engine {
    /// Returns the uses of the symbols that some spans of a file define, from its language server.
    ///
    /// # Errors
    /// The spans define no symbol, or the server has no answer.
    pub(in crate::engine) fn listed_users(
        &self,
        parsed: &Arc<Parsed>,
        removed: &[Span],
    ) -> Result<Vec<PlaceView>, Diagnostic> {
        let path = self.resolved(parsed.source().path())?;
        let symbols = parsed.outline_with_inner().symbols();
        let is_removed = |span: Span| removed.iter().any(|one| one.contains(span));
        let is_outer = |parent: Option<usize>| {
            parent.is_none_or(|parent| !is_removed(symbols[parent].node_span))
        };
        let own = symbols
            .iter()
            .filter(|one| is_removed(one.node_span) && is_outer(one.parent));
        let own: Vec<Asked> = own
            .map(|one| Asked {
                path: path.clone(),
                parsed: parsed.clone(),
                offset: one.name_span.start(),
                symbol: one.short_name().to_string(),
            })
            .collect();
        if own.is_empty() {
            let wrong = "unused needs a definition; the selected node defines no symbol";
            return Err(diagnostic::about_arguments(wrong));
        }
        let mut users = Vec::new();
        for asked in &own {
            let (server, found) = self.references(asked, ReferenceKind::References)?;
            if let Completeness::StillIndexing { what } = found.completeness {
                return Err(Diagnostic::new(Code::NotReady, what));
            }
            let encoding = server.client().encoding();
            let is_other = |target: &ServerLocation| {
                let span = convert::span_of(parsed.source(), target.range, encoding);
                target.path.as_deref() != Some(path.absolute()) || !is_removed(span)
            };
            let targets: Vec<ServerLocation> = found.result.into_iter().filter(is_other).collect();
            let located = self.locations(&server, &targets).into_iter().flatten();
            users.extend(located.map(|location| PlaceView {
                reason: "uses it",
                ..place_view(location, PlaceReason::Listed)
            }));
        }
        Ok(users)
    }
}

/// Returns the problems that are new. One that moved to another file with its code is not, nor one about a renamed symbol
/// under its new name.
fn new_problems(
    before: &[Problem],
    after: &[Problem],
    renamed: Option<(&str, &str)>,
) -> Vec<Problem> {
    let text = |problem: &Problem| match renamed {
        Some((old, new)) => problem.message.replace(new, old),
        None => problem.message.clone(),
    };
    let mut known: Vec<&Problem> = before.iter().collect();
    let is_new = |problem: &&Problem| {
        let is_same = |one: &&Problem| text(one) == text(problem) && one.code == problem.code;
        let same = known.iter().position(is_same);
        same.map(|same| known.swap_remove(same)).is_none()
    };
    after.iter().filter(is_new).cloned().collect()
}

/// Returns whether a server reports an error of an import that is only in an unsaved text.
fn is_unsaved_import(all: &[Judged], error: &Problem) -> bool {
    all.iter().any(|one| {
        let start = one.server.client().launch().diagnostics.unsaved_import;
        start.is_some_and(|start| error.message.starts_with(start))
    })
}
