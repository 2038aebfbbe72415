//! Handles edits that language servers suggest: code actions, formatting, and with [`renames`](super::renames) renames.
//! They are previewed and applied like any other edit (docs/design/front-ends.md#language-servers).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use gen_lsp_types::{CodeAction, CodeActionResponse, Command, TextEdit as LspEdit, WorkspaceEdit};
use serde_json::{Value, json};

use crate::change::{Change, Replacement, TextEdit};
use crate::diagnostic::{self, Diagnostic, Trial};
use crate::edit;
use crate::locate::is_word;
use crate::lsp::convert::{self, FileEdits};
use crate::lsp::diagnostics::DiagnosticsWait;
use crate::lsp::language_server::{LanguageServer, ServerAnswer};
use crate::lsp::uri::uri_of;
use crate::lsp::{ServerError, Situation};
use crate::parse::Parsed;
use crate::preview::{self, FilePreview, Preview};
use crate::source::Source;
use crate::validate::{Check, Checked, Rejected, validate};

use super::place::{Asked, name_at};
use super::{DEFINITION_WAIT, DIAGNOSTICS_WAIT, Engine, PendingRefusal, patience};
use crate::engine::calls::{CallContext, ToolRequest};
use crate::engine::plan::{EditPlan, PlannedCall, TargetInfo};
use crate::engine::request::{CallAccess, DiffArgument, KeptCall};
use crate::engine::response::{EditAction, EditMade, Refused};

use crate::engine::ledger::LedgerOutcome;
use crate::engine::made::AnswerDetail;
use crate::engine::places::offset_of;
use crate::engine::request::questions::{CodeActions, Format, NamedPlace, RenameSymbol};
use crate::engine::response::questions::{Action, Actions, Outcome};

impl ToolRequest for Format {
    type Answer = EditMade;

    const TOOL: &'static str = "format";

    fn access(&self) -> CallAccess {
        CallAccess::Everything { writes: self.apply }
    }

    fn outcome(answer: &Result<EditMade, Refused>) -> Option<LedgerOutcome<'_>> {
        Some(LedgerOutcome::of_edit(answer))
    }

    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        let apply = self.apply.then_some(AnswerDetail::Counts);
        engine.make((apply, self.diff), context.origin, || self.planned(engine))
    }
}

impl Format {
    /// Asks the server.
    fn planned(&self, engine: &Engine) -> Result<PlannedCall, PendingRefusal> {
        let (path, parsed) = engine.parsed_or_near(&self.file_path, |_| Some(Trial::Works))?;
        let source = parsed.source();
        let language = source.language();
        let server = engine.server(&path, source)?;
        let (provider, method) = match self.lines {
            None => ("documentFormattingProvider", "textDocument/formatting"),
            Some(_) => (
                "documentRangeFormattingProvider",
                "textDocument/rangeFormatting",
            ),
        };
        let command = server.client().launch().command.join(" ");
        if !server.client().can(provider, method) {
            return Err(diagnostic::about_no_answers(language.name, &command, "formatting").into());
        }
        let indent = edit::indent_unit(&parsed);
        let mut params = json!({
            "textDocument": {"uri": uri_of(path.absolute())},
            "options": {"tabSize": indent.chars().count(), "insertSpaces": !indent.contains('\t')},
        });
        let mut summary = "format the file".to_string();
        if let Some((first, last)) = self.lines {
            let line = |number: usize| {
                source
                    .line_span(number)
                    .ok_or_else(|| diagnostic::about_no_place(source, number, None))
            };
            let (from, to) = (line(first)?.start(), line(last.max(first))?.end());
            let encoding = server.client().encoding();
            params["range"] = json!({
                "start": convert::position(source, from, encoding),
                "end": convert::position(source, to, encoding),
            });
            summary = format!("format lines {first} to {last}");
        }
        let edits: ServerAnswer<Option<Vec<LspEdit>>> = server
            .ask(method, params)
            .map_err(|error| diagnostic::about_server(language.name, &error))?;
        let edit = WorkspaceEdit {
            changes: Some(HashMap::from([(
                uri_of(path.absolute()).into(),
                edits.result.unwrap_or_default(),
            )])),
            ..WorkspaceEdit::default()
        };
        let plan = engine.plan(&server, source, edit, &summary, |_, _| true)?;
        let kept = Format {
            file_path: path.absolute().to_string(),
            apply: false,
            diff: DiffArgument::Auto,
            ..self.clone()
        };
        Ok(planned_by_server(&kept, summary, plan))
    }
}

impl ToolRequest for CodeActions {
    type Answer = Actions;

    const TOOL: &'static str = "code_actions";

    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<Actions, PendingRefusal> {
        let (asked, end) = engine.action_range(self)?;
        let (server, listed) = match (engine.actions_at(&asked, end), &self.apply) {
            (Ok(found), _) => found,
            (Err(diagnostic), Some(_)) => return Err(diagnostic.into()),
            (Err(diagnostic), None) => {
                return Ok(Actions {
                    outcome: Outcome::failed(&diagnostic),
                    ..Actions::default()
                });
            }
        };
        let outcome = Outcome::from_completeness(listed.completeness);
        let Some(title) = &self.apply else {
            return Ok(Actions {
                outcome,
                actions: listed.result.iter().map(action).collect(),
                edit: None,
            });
        };
        let edit = engine.make((None, DiffArgument::Auto), context.origin, || {
            self.carried_out(engine, &asked, (server, listed.result), title)
        })?;
        Ok(Actions {
            outcome,
            actions: Vec::new(),
            edit: Some(edit),
        })
    }
}

impl CodeActions {
    /// Carries out the action with a title.
    fn carried_out(
        &self,
        engine: &Engine,
        asked: &Asked,
        (server, listed): (Arc<LanguageServer>, Vec<CodeActionResponse>),
        title: &str,
    ) -> Result<PlannedCall, PendingRefusal> {
        let chosen = chosen(listed, title)?;
        if let Some(why) = action(&chosen).not_possible {
            let command = server.client().launch().command.join(" ");
            return Err(diagnostic::about_no_server_edit(&command, &why).into());
        }
        let source = asked.parsed.source();
        let edit = carried_out(&server, chosen)
            .map_err(|error| diagnostic::about_server(source.language().name, &error))?;
        let plan = engine.plan(&server, source, edit, title, |_, _| true)?;
        let kept = CodeActions {
            place: self.place.clone().in_file(asked.path.absolute()),
            ..self.clone()
        };
        Ok(planned_by_server(&kept, title.to_string(), plan))
    }

    /// Asks the server for the action that was staged.
    fn planned(&self, engine: &Engine) -> Result<PlannedCall, PendingRefusal> {
        let title = self.apply.as_deref().unwrap_or_default();
        let (asked, end) = engine.action_range(self)?;
        let (server, listed) = engine.actions_at(&asked, end)?;
        self.carried_out(engine, &asked, (server, listed.result), title)
    }
}

/// Returns a call whose edit a server suggests. `kept` is the request as it is kept.
pub(super) fn planned_by_server<R: ToolRequest>(
    kept: &R,
    summary: String,
    plan: EditPlan,
) -> PlannedCall {
    PlannedCall {
        call: KeptCall::of_request(R::TOOL, kept),
        summary: plan.in_files(summary),
        symbol: None,
        plan,
        matches: None,
    }
}

impl Engine {
    /// Previews an edit that a server returned for the text `asked`. `may_replace` returns whether the edit may replace
    /// one text with another.
    fn plan(
        &self,
        server: &LanguageServer,
        asked: &Source,
        edit: WorkspaceEdit,
        what: &str,
        may_replace: impl Fn(&str, &str) -> bool,
    ) -> Result<EditPlan, Diagnostic> {
        let files = file_edits(server, edit)?;
        self.plan_files(server, asked, &files, what, may_replace)
    }

    /// Previews the edits of files that a server returned, as [`Engine::plan`].
    pub(super) fn plan_files(
        &self,
        server: &LanguageServer,
        asked: &Source,
        files: &FileEdits,
        what: &str,
        may_replace: impl Fn(&str, &str) -> bool,
    ) -> Result<EditPlan, Diagnostic> {
        let command = server.client().launch().command.join(" ");
        let refused = |why: String| diagnostic::about_server_edit(&command, &why);
        let mut previews = Vec::new();
        for (path, edits) in files {
            let (path, parsed) = self.parsed(path.as_str())?;
            let source = parsed.source();
            // The server's positions are valid only in the text that it has.
            let known = match source.path() == asked.path() {
                true => Some(asked.digest()),
                false => server.text(path.absolute()).map(|text| text.digest()),
            };
            if known.is_some_and(|known| known != source.digest()) {
                return Err(diagnostic::about_changed_meanwhile(source.path()));
            }
            let replacements = convert::replacements(source, edits, server.client().encoding());
            if replacements.is_empty() {
                continue;
            }
            let is_unwanted = |one: &&Replacement| {
                let old = source.slice(one.span);
                !may_replace(&old, &one.new_text)
            };
            if let Some(unwanted) = replacements.iter().find(is_unwanted) {
                return Err(refused(format!(
                    "it would put {:?} in place of {:?} at line {} of {}",
                    unwanted.new_text,
                    source.slice(unwanted.span),
                    source.line_of(unwanted.span.start()),
                    path.display()
                )));
            }
            previews.push(previewed(&command, &parsed, replacements)?);
        }
        if previews.is_empty() {
            return Err(diagnostic::about_no_server_edit(&command, what));
        }
        plan_of(&command, previews)
    }

    /// Returns the place of a request for actions, and the end offset of its range.
    fn action_range(&self, request: &CodeActions) -> Result<(Asked, usize), PendingRefusal> {
        let place = match request.range {
            None => request.place.clone(),
            Some(range) => NamedPlace {
                line: Some(range.start.line),
                column: range.start.character,
                ..request.place.clone()
            },
        };
        let asked = self.asked(&place)?;
        let source = asked.parsed.source();
        let end = match request.range {
            None => asked.offset + name_at(source, asked.offset).len(),
            Some(range) => offset_of(source, range.end)?,
        };
        match end < asked.offset {
            true => {
                let message = "the range ends before it starts";
                Err(diagnostic::about_arguments(message).into())
            }
            false => Ok((asked, end)),
        }
    }

    fn actions_at(
        &self,
        asked: &Asked,
        end: usize,
    ) -> Result<(Arc<LanguageServer>, ServerAnswer<Vec<CodeActionResponse>>), Diagnostic> {
        let method = "textDocument/codeAction";
        let question = ("actions", "codeActionProvider", method);
        self.question(asked, question, |server| {
            let params = action_params(server, asked, end)?;
            let listed: ServerAnswer<Option<Vec<CodeActionResponse>>> =
                server.ask(method, params.result)?;
            Ok(ServerAnswer {
                result: listed.result.unwrap_or_default(),
                // Actions that fix problems not yet found by the server are missing.
                completeness: params.completeness.or(listed.completeness),
            })
        })
    }

    /// Asks a server again what a staged call changes.
    pub(in crate::engine) fn planned_by_server(
        &self,
        call: &KeptCall,
    ) -> Result<PlannedCall, Diagnostic> {
        let planned = match call.tool() {
            RenameSymbol::TOOL => call.request::<RenameSymbol>()?.planned(self),
            Format::TOOL => call.request::<Format>()?.planned(self),
            _ => call.request::<CodeActions>()?.planned(self),
        };
        planned.map_err(|refusal| refusal.diagnostic)
    }
}

/// Returns the edits of each file in a server's edit.
pub(super) fn file_edits(
    server: &LanguageServer,
    edit: WorkspaceEdit,
) -> Result<FileEdits, Diagnostic> {
    let command = server.client().launch().command.join(" ");
    let refused = |why: String| diagnostic::about_server_edit(&command, &why);
    convert::text_edits(edit).map_err(|error| refused(error.to_string()))
}

/// Previews the replacements of one file that `command` returned.
pub(super) fn previewed(
    command: &str,
    parsed: &Parsed,
    replacements: Vec<Replacement>,
) -> Result<FilePreview, Diagnostic> {
    let path = parsed.source().path();
    let refused = |why: String| diagnostic::about_server_edit(command, &why);
    let text_edit = TextEdit::new(parsed.source(), replacements)
        .map_err(|error| refused(format!("{path}: {error}")))?;
    let checked = checked(parsed, text_edit)
        .map_err(|rejected| diagnostic::about_rejected_server_edit(command, &rejected))?;
    Ok(preview::preview(checked).0)
}

/// Combines the previews of files that `command` changes.
pub(super) fn plan_of(command: &str, previews: Vec<FilePreview>) -> Result<EditPlan, Diagnostic> {
    let refused = |why: String| diagnostic::about_server_edit(command, &why);
    let target = TargetInfo {
        edit: 0,
        action: EditAction::ReplaceText,
    };
    let targets = previews.iter().map(|_| vec![target]).collect();
    // Two paths may resolve to one file.
    let preview = Preview::from_files(previews).map_err(|error| refused(error.to_string()))?;
    Ok(EditPlan {
        targets,
        preview,
        notes: Vec::new(),
    })
}

/// Checks the syntax of a server's edit. Whether the edit changes more than its target is up to the server.
fn checked(parsed: &Parsed, text_edit: TextEdit) -> Result<Checked<'_>, Box<Rejected<'_>>> {
    let mut allow = vec![Check::Surroundings, Check::SuspiciousContent];
    let change = Change::of_texts(parsed, text_edit);
    // Replacing names with names does not add anything that the grammar cannot parse.
    let problems = change.after().problems().len();
    if problems > 0
        && problems <= parsed.problems().len()
        && is_of_names(parsed.source(), change.text_edit())
    {
        allow.push(Check::SyntaxErrors);
    }
    validate(change, &allow)
}

/// Returns the parameters of a request for actions: the range from the place to byte `end`, with the problems on its
/// lines.
fn action_params(
    server: &LanguageServer,
    asked: &Asked,
    end: usize,
) -> Result<ServerAnswer<Value>, ServerError> {
    let source = asked.parsed.source();
    let encoding = server.client().encoding();
    let now = Instant::now();
    let method = "textDocument/diagnostic";
    let wait = DiagnosticsWait {
        since: now,
        ready_until: now + DEFINITION_WAIT.min(patience(server)),
        // A server that pushes problems may have no problems to push.
        answer_within: match server.client().can("diagnosticProvider", method) {
            true => DIAGNOSTICS_WAIT,
            false => DEFINITION_WAIT,
        },
        runs_check: false,
    };
    let found = server.diagnostics(asked.path.absolute(), wait)?;
    let (first, last) = (source.line_of(asked.offset), source.line_of(end));
    let is_here = |one: &gen_lsp_types::Diagnostic| {
        let span = convert::span_of(source, convert::encoded_range(&one.range), encoding);
        source.line_of(span.start()) <= last && source.line_of(span.end()) >= first
    };
    let here: Vec<_> = found.items.into_iter().filter(is_here).collect();
    let params = json!({
        "textDocument": {"uri": uri_of(asked.path.absolute())},
        "range": {
            "start": convert::position(source, asked.offset, encoding),
            "end": convert::position(source, end.min(source.len()), encoding),
        },
        "context": {"diagnostics": here, "triggerKind": 1},
    });
    Ok(ServerAnswer {
        result: params,
        completeness: found.completeness,
    })
}

/// Returns the only action with this title.
fn chosen(listed: Vec<CodeActionResponse>, title: &str) -> Result<CodeActionResponse, Diagnostic> {
    let titles: Vec<String> = listed.iter().map(|one| action(one).title).collect();
    let mut chosen = listed.into_iter().filter(|one| action(one).title == title);
    match (chosen.next(), chosen.next()) {
        (Some(chosen), None) => Ok(chosen),
        _ => {
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            Err(diagnostic::about_no_action(title, &titles))
        }
    }
}

/// Returns an action for a list.
fn action(listed: &CodeActionResponse) -> Action {
    match listed {
        CodeActionResponse::Command(Command { title, .. }) => Action {
            title: title.clone(),
            kind: None,
            is_preferred: false,
            not_possible: None,
        },
        CodeActionResponse::CodeAction(action) => Action {
            title: action.title.clone(),
            kind: serde_json::to_value(&action.kind)
                .ok()
                .and_then(|kind| Some(kind.as_str()?.to_string())),
            is_preferred: action.is_preferred.unwrap_or_default(),
            not_possible: action.disabled.as_ref().map(|why| why.reason.clone()),
        },
    }
}

/// Returns the edit of an action, or the edit that its command requests.
fn carried_out(
    server: &LanguageServer,
    chosen: CodeActionResponse,
) -> Result<WorkspaceEdit, ServerError> {
    let mut action = match chosen {
        CodeActionResponse::Command(command) => return executed(server, &command),
        CodeActionResponse::CodeAction(action) => action,
    };
    let can_resolve = server.client().capabilities()["codeActionProvider"]["resolveProvider"]
        .as_bool()
        .unwrap_or_default();
    if action.edit.is_none() && can_resolve {
        let resolved: ServerAnswer<CodeAction> = server.ask("codeAction/resolve", &action)?;
        action = resolved.result;
    }
    match (action.edit, action.command) {
        // The edit of an action precedes its command, which then only moves the cursor or similar.
        (Some(edit), _) => Ok(edit),
        (None, Some(command)) => executed(server, &command),
        (None, None) => Ok(WorkspaceEdit::default()),
    }
}

/// Executes a command, and returns the edit that it requests.
fn executed(server: &LanguageServer, command: &Command) -> Result<WorkspaceEdit, ServerError> {
    let arguments = serde_json::to_value(&command.arguments).unwrap_or_default();
    let arguments = arguments.as_array().cloned().unwrap_or_default();
    let done = server.client().execute(&command.command, &arguments)?;
    let mut edits = done.edits.into_iter();
    match (edits.next(), edits.next()) {
        (None, _) => Ok(WorkspaceEdit::default()),
        (Some(edit), None) => Ok(edit),
        (Some(_), Some(_)) => {
            let method = command.command.clone();
            let why = "it requests several successive edits".to_string();
            Err(server.client().error(Situation::Malformed { method, why }))
        }
    }
}

/// Returns whether an edit only replaces names with names.
fn is_of_names(source: &Source, edit: &TextEdit) -> bool {
    let is_name = |text: &str| text.chars().all(is_word) && !text.is_empty();
    let mut all = edit.replacements().iter();
    all.all(|one| is_name(&source.slice(one.span)) && is_name(&one.new_text))
}
