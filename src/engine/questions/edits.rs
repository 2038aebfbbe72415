//! Edits that language servers propose: renamings, actions, formatting. They are previews like any other
//! edit, and take the same way to the disk (`design.md`, section 12).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use gen_lsp_types::{CodeAction, CodeActionResponse, Command, TextEdit as LspEdit, WorkspaceEdit};
use serde_json::{Value, json};

use crate::change::{Change, TextEdit};
use crate::diagnostic::{self, Diagnostic};
use crate::edit;
use crate::locate::is_word;
use crate::lsp::convert;
use crate::lsp::diagnostics::DiagnosticsWait;
use crate::lsp::language_server::{LanguageServer, ServerAnswer};
use crate::lsp::uri::uri_of;
use crate::lsp::{ServerError, Situation};
use crate::preview::{self, Preview};
use crate::source::Source;
use crate::validate::{Check, validate};
use crate::workspace::WorkspacePath;

use super::answers::{Action, Actions, Outcome};
use super::place::{Asked, name_at};
use super::request::{AllowRename, CodeActions, Format, Place, RenameSymbol};
use super::unrenamed::Unrenamed;
use super::{DEFINITION_WAIT, DIAGNOSTICS_WAIT, Engine, Unplaced, patience};
use crate::engine::draft::{Drawn, Share};
use crate::engine::offset_of;
use crate::engine::response::{EditAction, EditMade, EditStatus};
use crate::engine::staged::{Request, Staged};

impl Engine {
    pub(in crate::engine) fn rename_symbol_inner(
        &self,
        request: &RenameSymbol,
    ) -> Result<EditMade, Unplaced> {
        let new_name = request.new_name.trim();
        if new_name.is_empty() {
            return Err(diagnostic::about_arguments("new_name is blank").into());
        }
        let asked = self.asked(&request.place)?;
        let symbol = &asked.symbol;
        let summary = format!("rename `{symbol}` to `{new_name}`");
        let (server, mut drawn, mut left) = self.drawn_rename(&asked, new_name, &summary)?;
        if left.has_known || left.is_indexing {
            // It has read more since: also the files of these uses, which it was asked about.
            let (_, again, left_again) = self.drawn_rename(&asked, new_name, &summary)?;
            (drawn, left) = (again, left_again);
        }
        let allows = |check| request.allow.contains(&check);
        if (left.uses.total > 0 || left.is_indexing) && !allows(AllowRename::Incomplete) {
            return Err(diagnostic::about_incomplete_rename(
                (symbol, new_name),
                left.why_incomplete.as_deref(),
                changed_places(&drawn),
                left.uses,
            )
            .into());
        }
        let clashes = self.clashes(&asked, &server, &drawn, new_name)?;
        if clashes.total > 0 && !allows(AllowRename::Surroundings) {
            return Err(diagnostic::about_name_clash((symbol, new_name), clashes).into());
        }
        drawn.notes.extend(left.notes(symbol));
        drawn
            .notes
            .extend(diagnostic::name_clash_text(new_name, &clashes));
        let kept = Request::Rename(Box::new(RenameSymbol {
            place: request.place.clone().in_file(asked.path.absolute()),
            apply: false,
            ..request.clone()
        }));
        self.staged_by_server(kept, summary, drawn, request.apply)
    }

    /// The preview of what the server would rename, and what it leaves of the old name.
    fn drawn_rename(
        &self,
        asked: &Asked,
        new_name: &str,
        summary: &str,
    ) -> Result<(Arc<LanguageServer>, Drawn, Unrenamed), Diagnostic> {
        let method = "textDocument/rename";
        let question = ("renaming", "renameProvider", method);
        let (server, answered) = self.question(asked, question, |server| {
            server.client().ready_or_refuse(patience(server))?;
            may_be_renamed(server, asked)?;
            let mut params = asked.params(server);
            params["newName"] = json!(new_name);
            let edit: ServerAnswer<Option<WorkspaceEdit>> = server.ask(method, params)?;
            Ok(edit)
        })?;
        let symbol = asked.symbol.as_str();
        let edit = answered.result.unwrap_or_default();
        let is_meant =
            |old: &str, new: &str| old.is_empty() || old.contains(symbol) || new.contains(symbol);
        let source = asked.parsed.source();
        let drawn = self.drawn(&server, source, edit, summary, is_meant)?;
        let left = self.unrenamed(asked, &server, &drawn, answered.completeness, new_name)?;
        Ok((server, drawn, left))
    }

    /// The preview of what a server would change that was asked about the text `asked`; `is_meant` says
    /// whether it may replace one text by another.
    fn drawn(
        &self,
        server: &LanguageServer,
        asked: &Source,
        edit: WorkspaceEdit,
        what: &str,
        is_meant: impl Fn(&str, &str) -> bool,
    ) -> Result<Drawn, Diagnostic> {
        let command = server.client().launch().command.join(" ");
        let refused = |why: String| diagnostic::about_server_edit(&command, &why);
        let files = convert::text_edits(edit).map_err(|error| refused(error.to_string()))?;
        let encoding = server.client().encoding();
        let mut previews = Vec::new();
        for (path, edits) in &files {
            let (path, parsed) = self.parsed(path.as_str())?;
            let source = parsed.source();
            // Its places are of the text that it was told of, and of no other.
            let told = match source.path() == asked.path() {
                true => Some(asked.digest()),
                false => server.text(path.absolute()).map(|told| told.digest()),
            };
            if told.is_some_and(|told| told != source.digest()) {
                return Err(diagnostic::about_changed_meanwhile(source.path()));
            }
            let replacements = convert::replacements(source, edits, encoding);
            if replacements.is_empty() {
                continue;
            }
            for one in &replacements {
                let old = source.slice(one.span);
                if !is_meant(&old, &one.new_text) {
                    let line = source.line_of(one.span.start());
                    let why = format!(
                        "it would put {:?} for {old:?} at line {line} of {}",
                        one.new_text,
                        path.display()
                    );
                    return Err(refused(why));
                }
            }
            let text_edit = TextEdit::new(source, replacements)
                .map_err(|error| refused(format!("{}: {error}", path.display())))?;
            // What a name stands for is the server's to know; that the text is sound is ours.
            let mut allow = vec![Check::Surroundings, Check::SuspiciousContent];
            let change = Change::of_texts(&parsed, text_edit);
            // Names for names add nothing to what the grammar did not parse before.
            let problems = change.after().problems().len();
            if problems > 0
                && problems <= parsed.problems().len()
                && is_of_names(source, change.text_edit())
            {
                allow.push(Check::SyntaxErrors);
            }
            let checked = validate(change, &allow)
                .map_err(|rejected| diagnostic::about_rejected_server_edit(&command, &rejected))?;
            let (preview, _) = preview::preview(checked);
            previews.push(preview);
        }
        if previews.is_empty() {
            return Err(diagnostic::about_no_server_edit(&command, what));
        }
        let share = Share {
            edit: 0,
            action: EditAction::ReplaceText,
        };
        let shares = previews.iter().map(|_| vec![share]).collect();
        // Two names may lead to one file.
        let preview = Preview::of(previews).map_err(|error| refused(error.to_string()))?;
        Ok(Drawn {
            shares,
            preview,
            notes: Vec::new(),
        })
    }

    /// Keeps a preview that a server made, and writes it if that is wanted.
    fn staged_by_server(
        &self,
        request: Request,
        summary: String,
        drawn: Drawn,
        apply: bool,
    ) -> Result<EditMade, Unplaced> {
        let unsettled = self.settle();
        let files = drawn.preview.files().iter();
        let paths: Result<Vec<WorkspacePath>, Diagnostic> = files
            .map(|file| Ok(self.parsed(file.before().path())?.0))
            .collect();
        let names = paths?
            .iter()
            .map(|path| path.absolute().to_string())
            .collect();
        let summary = match drawn.preview.files().len() {
            1 => summary,
            files => format!("{summary} in {files} files"),
        };
        let notes = drawn.notes.clone();
        let staged =
            Staged::new(names, request, EditStatus::Previewed, summary, notes).showing(&drawn);
        let unswept = self.keep(&staged, &drawn.preview)?;
        let mut made = match apply {
            // The one way to the disk.
            true => self.write_staged(&crate::engine::request::ApplyEdit {
                edit_id: staged.edit_id.clone(),
            })?,
            false => crate::engine::made(&staged, &drawn, EditStatus::Previewed),
        };
        made.notes.extend(unsettled.into_iter().chain(unswept));
        Ok(made)
    }

    pub(in crate::engine) fn format_inner(&self, request: &Format) -> Result<EditMade, Unplaced> {
        let (path, parsed) = self.parsed_or_near(&request.file_path, |_| true)?;
        let source = parsed.source();
        let language = source.language();
        let server = self.server(&path, source)?;
        let (provider, method) = match request.lines {
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
        if let Some((first, last)) = request.lines {
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
        let drawn = self.drawn(&server, source, edit, &summary, |_, _| true)?;
        let kept = Request::Format(Box::new(Format {
            file_path: path.absolute().to_string(),
            apply: false,
            ..request.clone()
        }));
        self.staged_by_server(kept, summary, drawn, request.apply)
    }

    pub(in crate::engine) fn code_actions_inner(
        &self,
        request: &CodeActions,
    ) -> Result<Actions, Unplaced> {
        let place = match request.range {
            None => request.place.clone(),
            Some(range) => Place {
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
        if end < asked.offset {
            let message = "the range ends before it starts";
            return Err(diagnostic::about_arguments(message).into());
        }
        let method = "textDocument/codeAction";
        let question = ("actions", "codeActionProvider", method);
        let found = self.question(&asked, question, |server| {
            let params = action_params(server, &asked, end)?;
            let listed: ServerAnswer<Option<Vec<CodeActionResponse>>> =
                server.ask(method, params.result)?;
            Ok(ServerAnswer {
                result: listed.result.unwrap_or_default(),
                // Actions that fix what the server has not found yet are missing.
                completeness: params.completeness.or(listed.completeness),
            })
        });
        let (server, listed) = match (found, &request.apply) {
            (Ok(found), _) => found,
            (Err(diagnostic), Some(_)) => return Err(diagnostic.into()),
            (Err(diagnostic), None) => {
                return Ok(Actions {
                    outcome: Outcome::failed(&diagnostic),
                    ..Actions::default()
                });
            }
        };
        let actions: Vec<Action> = listed.result.iter().map(action).collect();
        let Some(title) = &request.apply else {
            return Ok(Actions {
                outcome: Outcome::of(listed.completeness),
                actions,
                edit: None,
            });
        };
        let mut chosen = listed
            .result
            .into_iter()
            .filter(|one| action(one).title == *title);
        let (Some(chosen), None) = (chosen.next(), chosen.next()) else {
            let titles: Vec<&str> = actions.iter().map(|one| one.title.as_str()).collect();
            return Err(diagnostic::about_no_action(title, &titles).into());
        };
        if let Some(why) = action(&chosen).not_possible {
            let command = server.client().launch().command.join(" ");
            return Err(diagnostic::about_no_server_edit(&command, &why).into());
        }
        let language = asked.parsed.source().language().name;
        let edit = carried_out(&server, chosen)
            .map_err(|error| diagnostic::about_server(language, &error))?;
        let drawn = self.drawn(&server, source, edit, title, |_, _| true)?;
        let kept = Request::Action(Box::new(CodeActions {
            place: request.place.clone().in_file(asked.path.absolute()),
            ..request.clone()
        }));
        let edit = self.staged_by_server(kept, title.clone(), drawn, false)?;
        Ok(Actions {
            outcome: Outcome::of(listed.completeness),
            actions: Vec::new(),
            edit: Some(edit),
        })
    }

    /// The preview of an action, once more.
    pub(in crate::engine) fn action_again(
        &self,
        request: &CodeActions,
    ) -> Result<EditMade, Unplaced> {
        let actions = self.code_actions_inner(request)?;
        let nothing = || diagnostic::about_no_action(request.apply.as_deref().unwrap_or(""), &[]);
        actions.edit.ok_or_else(|| nothing().into())
    }
}

/// Asks whether what stands there has a name that can be another, where the server answers that.
fn may_be_renamed(server: &LanguageServer, asked: &Asked) -> Result<(), ServerError> {
    const METHOD: &str = "textDocument/prepareRename";
    let asks = &server.client().capabilities()["renameProvider"]["prepareProvider"];
    if *asks != Value::Bool(true) {
        return Ok(());
    }
    let answer: ServerAnswer<Value> = server.ask(METHOD, asked.params(server))?;
    match answer.result {
        Value::Null => Err(server.client().error(Situation::Refused {
            method: METHOD.to_string(),
            code: 0,
            message: format!("`{}` has no name that can be changed here", asked.symbol),
        })),
        _ => Ok(()),
    }
}

/// The params of a question for actions: from the place to byte `end`, and what is wrong on those lines.
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
        // A server that pushes them may have none to push.
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

/// An action as it is listed.
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

/// What an action would change: its edit, or what its command has us carry out.
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
        // An edit comes before its command, which then only moves the cursor or the like.
        (Some(edit), _) => Ok(edit),
        (None, Some(command)) => executed(server, &command),
        (None, None) => Ok(WorkspaceEdit::default()),
    }
}

/// The edit that a command of the server's wants carried out.
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
            let why = "it wants several edits carried out, one after the other".to_string();
            Err(server.client().error(Situation::Malformed { method, why }))
        }
    }
}

/// Whether an edit replaces names by names.
fn is_of_names(source: &Source, edit: &TextEdit) -> bool {
    let is_name = |text: &str| text.chars().all(is_word) && !text.is_empty();
    let mut all = edit.replacements().iter();
    all.all(|one| is_name(&source.slice(one.span)) && is_name(&one.new_text))
}

/// How many places an edit changes.
fn changed_places(drawn: &Drawn) -> usize {
    let files = drawn.preview.files().iter();
    files.map(|file| file.record().replacements().len()).sum()
}
