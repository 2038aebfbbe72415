//! Handles renames: asks the server for the edit, finds the uses that it leaves unchanged, and adds them or refuses the
//! rename.
//!
//! Input: a [`RenameSymbol`]. Output: a preview of all places, or a refusal with those that would keep the old name or
//! whose symbol is not certain.

use std::collections::BTreeMap;
use std::slice;
use std::sync::Arc;

use camino::Utf8PathBuf;
use gen_lsp_types::WorkspaceEdit;
use serde_json::{Value, json};

use crate::change::Replacement;
use crate::diagnostic::{
    self, Diagnostic, IncompleteRename, JudgedEdit, PlaceEdit, PlaceReason, Places,
};
use crate::locate::is_word;
use crate::lsp::convert::FileEdits;
use crate::lsp::language_server::{LanguageServer, ServerAnswer};
use crate::lsp::{Completeness, ServerError, Situation};
use crate::parse::Parsed;
use crate::source::Span;

use super::edits::{file_edits, plan_of, planned_by_server, previewed};
use super::place::Asked;
use super::scopes::is_whole_name;
use super::unrenamed::{Unrenamed, Uses};
use super::{Engine, PendingRefusal, patience};
use crate::engine::calls::{CallContext, ToolRequest};
use crate::engine::ledger::LedgerOutcome;
use crate::engine::made::AnswerDetail;
use crate::engine::plan::{EditPlan, PlannedCall};
use crate::engine::request::questions::{AllowRename, RenameSymbol};
use crate::engine::request::{CallAccess, DiffArgument};
use crate::engine::response::{EditMade, Refused};

/// The maximum number of times that other declarations of a symbol are added to its rename.
const ROUNDS: usize = 8;
/// The maximum number of declarations that are renamed together.
const DECLARATIONS: usize = 100;

impl ToolRequest for RenameSymbol {
    type Answer = EditMade;

    const TOOL: &'static str = "rename_symbol";

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

impl RenameSymbol {
    /// Asks the server.
    pub(super) fn planned(&self, engine: &Engine) -> Result<PlannedCall, PendingRefusal> {
        let new_name = self.new_name.trim();
        if new_name.is_empty() {
            return Err(diagnostic::about_arguments("new_name is blank").into());
        }
        let asked = engine.asked(&self.place)?;
        let names = (asked.symbol.as_str(), new_name);
        let own = slice::from_ref(&asked);
        let (mut server, mut planned) = engine.plan_rename(own, new_name)?;
        if planned.left.has_known() || planned.left.is_indexing {
            // By now, the server has read more files, including the files of these uses.
            (server, planned) = engine.plan_rename(own, new_name)?;
        }
        let allows = |check| self.allow.contains(&check);
        if self.complete {
            planned = engine.completed(&asked, &server, planned, new_name)?;
        }
        let left = &planned.left;
        let is_allowed = allows(AllowRename::Incomplete) && !(self.complete && left.is_indexing);
        if (left.is_indexing || left.total() > 0) && !is_allowed {
            return Err(engine
                .about_incomplete(&asked, &server, planned, new_name)?
                .into());
        }
        let unchanged = engine.places(&left.uses, &left.outside_roots)?;
        let clashes = engine.clashes(&asked, &server, &planned.plan, new_name)?;
        if clashes.total > 0 && !allows(AllowRename::Surroundings) {
            return Err(diagnostic::about_name_clash(names, clashes).into());
        }
        let mut notes = engine.added_notes(&planned.added)?;
        notes.extend(left.notes(&asked.symbol, &unchanged));
        notes.extend(diagnostic::name_clash_text(new_name, &clashes));
        let mut plan = planned.plan;
        plan.notes.extend(notes);
        let may_have_errors = allows(AllowRename::Incomplete) || allows(AllowRename::Surroundings);
        let judged = (!may_have_errors).then_some(JudgedEdit::Rename);
        engine.judge(judged, Some(names), &mut plan)?;
        let kept = RenameSymbol {
            place: self.place.clone().in_file(asked.path.absolute()),
            apply: false,
            diff: DiffArgument::Auto,
            ..self.clone()
        };
        let summary = summary(&asked.symbol, new_name);
        Ok(planned_by_server(&kept, summary, plan))
    }
}

/// The preview of a rename, and the uses that it leaves unchanged.
struct Planned {
    plan: EditPlan,
    left: Unrenamed,
    /// The places that the server left out and the preview changes.
    added: Uses,
}

impl Engine {
    /// Previews the server's renames of declarations of one symbol, and finds the uses of the old name that remain.
    fn plan_rename(
        &self,
        all_asked: &[Asked],
        new_name: &str,
    ) -> Result<(Arc<LanguageServer>, Planned), Diagnostic> {
        let method = "textDocument/rename";
        let question = ("renaming", "renameProvider", method);
        let symbol = all_asked[0].symbol.as_str();
        let mut completeness = Completeness::Complete;
        let mut files = FileEdits::new();
        let mut of_first = None;
        for asked in all_asked {
            let (server, answered) = self.question(asked, question, |server| {
                server.client().ready_or_refuse(patience(server))?;
                may_be_renamed(server, asked)?;
                let mut params = asked.params(server);
                params["newName"] = json!(new_name);
                let edit: ServerAnswer<Option<WorkspaceEdit>> = server.ask(method, params)?;
                Ok(edit)
            })?;
            completeness = completeness.or(answered.completeness);
            for (path, edits) in file_edits(&server, answered.result.unwrap_or_default())? {
                let known = files.entry(path).or_default();
                let is_first = of_first.is_none();
                let new = edits
                    .into_iter()
                    .filter(|edit| is_first || !known.contains(edit));
                let new: Vec<_> = new.collect();
                known.extend(new);
            }
            of_first.get_or_insert(server);
        }
        let server = of_first.expect("there is at least one declaration");
        let is_meant =
            |old: &str, new: &str| old.is_empty() || old.contains(symbol) || new.contains(symbol);
        let source = all_asked[0].parsed.source();
        let summary = summary(symbol, new_name);
        let plan = self.plan_files(&server, source, &files, &summary, is_meant)?;
        let left = self.unrenamed(all_asked, &server, &plan, completeness, new_name)?;
        let added = Uses::new();
        Ok((server, Planned { plan, left, added }))
    }

    /// Adds the uses to a rename that the server left out and that are certain. The server renames other definitions of
    /// the symbol.
    ///
    /// # Errors
    /// The server does not rename another definition, or the edit fails a check.
    fn completed(
        &self,
        asked: &Asked,
        server: &LanguageServer,
        mut planned: Planned,
        new_name: &str,
    ) -> Result<Planned, Diagnostic> {
        let mut all_asked = vec![asked.clone()];
        let mut added = Uses::new();
        for _ in 0..ROUNDS {
            let known = all_asked.len();
            let are_members = self.are_members(&planned.plan)?;
            for ((path, span), why) in &planned.left.uses {
                let (own, parsed) = self.parsed(path.as_str())?;
                // A local variable shares `{ price }` with a member, but keeps its own name.
                let is_shared = *why == PlaceReason::SharesUse
                    && are_members
                    && is_member(&parsed, *span) == Some(true);
                let key = (path.clone(), *span);
                if (why.is_definition() || is_shared) && added.insert(key, *why).is_none() {
                    all_asked.push(Asked {
                        path: own,
                        parsed,
                        offset: span.start(),
                        symbol: asked.symbol.clone(),
                    });
                }
            }
            if all_asked.len() == known
                || all_asked.len() > DECLARATIONS
                || planned.left.is_indexing
            {
                break;
            }
            (_, planned) = self.plan_rename(&all_asked, new_name)?;
        }
        let left = &mut planned.left;
        if left.is_indexing {
            return Ok(planned);
        }
        added.retain(|key, _| !left.uses.contains_key(key));
        let mut certain = Uses::new();
        for ((path, span), why) in &left.uses {
            let (_, parsed) = self.parsed(path.as_str())?;
            if why.is_certain() && is_whole_name(&parsed, *span, &asked.symbol) {
                certain.insert((path.clone(), *span), *why);
            }
        }
        left.uses.retain(|key, _| !certain.contains_key(key));
        planned.plan = self.with_places(asked, server, &planned.plan, &certain, new_name)?;
        added.extend(certain);
        planned.added = added;
        Ok(planned)
    }

    /// Returns whether all definitions that a plan changes are members of types.
    fn are_members(&self, plan: &EditPlan) -> Result<bool, Diagnostic> {
        let mut definitions = Vec::new();
        for file in plan.preview.files() {
            let (_, parsed) = self.parsed(file.before().path())?;
            let all = file.record().replacements().iter();
            definitions.extend(all.filter_map(|one| is_member(&parsed, one.span)));
        }
        Ok(!definitions.is_empty() && definitions.into_iter().all(|one| one))
    }

    /// Returns the refusal of a rename that leaves uses unchanged, with the calls that rename them.
    fn about_incomplete(
        &self,
        asked: &Asked,
        server: &LanguageServer,
        planned: Planned,
        new_name: &str,
    ) -> Result<Diagnostic, Diagnostic> {
        let left = &planned.left;
        let places = self.places(&left.uses, &left.outside_roots)?;
        let mut incomplete = IncompleteRename {
            names: (&asked.symbol, new_name),
            why: left.why_incomplete.clone(),
            is_indexing: left.is_indexing,
            changed: changed_places(&planned.plan),
            added: planned.added.len(),
            rest: None,
        };
        if !left.is_indexing && left.outside_roots.is_empty() {
            let completed = match planned.added.is_empty() {
                true => self.completed(asked, server, planned, new_name),
                false => Ok(planned),
            };
            if let Ok(completed) = completed {
                let rest = &completed.left.uses;
                let clashes = self.clashes(asked, server, &completed.plan, new_name)?;
                // A rename that is refused for another reason is not suggested, nor an edit of another definition, whose
                // uses would keep the old name.
                let works = clashes.total == 0 && !rest.values().any(|why| why.is_of_other());
                incomplete.rest = match works {
                    true => Some(self.place_edits(rest, new_name)?),
                    false => None,
                };
            }
        }
        Ok(diagnostic::about_incomplete_rename(incomplete, places))
    }

    /// Returns the edits that rename places individually.
    fn place_edits(&self, uses: &Uses, new_name: &str) -> Result<Vec<PlaceEdit>, Diagnostic> {
        let edit = |((path, span), _): (&(Utf8PathBuf, Span), &PlaceReason)| {
            let (path, parsed) = self.parsed(path.as_str())?;
            let source = parsed.source();
            let line = source.line_of(span.start());
            let within = source.line_span(line).unwrap_or(*span);
            Ok(PlaceEdit {
                file_path: path.display().to_string(),
                line,
                find: find_in_line(
                    &source.slice(within),
                    span.start() - within.start(),
                    span.len(),
                ),
                new_content: new_name.to_string(),
            })
        };
        uses.iter().map(edit).collect()
    }

    /// Returns a rename that also changes `added`. An import in a file that the server does not read gets an alias.
    fn with_places(
        &self,
        asked: &Asked,
        server: &LanguageServer,
        plan: &EditPlan,
        added: &Uses,
        new_name: &str,
    ) -> Result<EditPlan, Diagnostic> {
        let mut files: BTreeMap<Utf8PathBuf, Vec<Replacement>> = BTreeMap::new();
        for file in plan.preview.files() {
            let path = self.resolved(file.before().path())?;
            let all = file.record().replacements().to_vec();
            files.insert(path.absolute().to_owned(), all);
        }
        for ((path, span), why) in added {
            let (own, parsed) = self.parsed(path.as_str())?;
            let after = parsed.source().text()[span.end()..].trim_start();
            let has_alias = after
                .strip_prefix("as")
                .is_some_and(|rest| !rest.starts_with(is_word));
            let keeps_name = *why == PlaceReason::Imported && !self.is_of_language(server, &own);
            let new_text = match keeps_name && !has_alias {
                // The rest of the file is not read, and keeps the old name.
                true => format!("{new_name} as {}", asked.symbol),
                false => new_name.to_string(),
            };
            let all = files.entry(path.clone()).or_default();
            all.push(Replacement {
                span: *span,
                new_text,
            });
        }
        let command = server.client().launch().command.join(" ");
        let mut previews = Vec::new();
        for (path, replacements) in files {
            let (_, parsed) = self.parsed(path.as_str())?;
            let mut known = plan.preview.files().iter();
            let known = known.find(|file| file.before().path() == parsed.source().path());
            if known.is_some_and(|file| file.before().digest() != parsed.source().digest()) {
                return Err(diagnostic::about_changed_meanwhile(parsed.source().path()));
            }
            previews.push(previewed(&command, &parsed, replacements)?);
        }
        plan_of(&command, previews)
    }

    /// Returns the notes for places that treegraft added to a server's rename, one for each reason.
    fn added_notes(&self, added: &Uses) -> Result<Vec<String>, Diagnostic> {
        let mut by_reason: BTreeMap<&str, Uses> = BTreeMap::new();
        for (key, why) in added {
            let uses = by_reason.entry(why.text()).or_default();
            uses.insert(key.clone(), *why);
        }
        let mut notes = Vec::new();
        for (reason, uses) in by_reason {
            let places: Places = self.places(&uses, &[])?;
            notes.push(diagnostic::added_uses_text(reason, &places));
        }
        Ok(notes)
    }
}

fn summary(symbol: &str, new_name: &str) -> String {
    format!("rename `{symbol}` to `{new_name}`")
}

/// Asks the server whether the name can be changed, if the server supports such requests.
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
            message: format!("`{}` cannot be renamed here", asked.symbol),
        })),
        _ => Ok(()),
    }
}

/// Returns whether a definition is a member of a type. Returns `None` if the span is not the name of a definition.
fn is_member(parsed: &Parsed, name: Span) -> Option<bool> {
    const VALUES: [&str; 3] = ["function", "variable", "constant"];
    const NO_TYPES: [&str; 4] = ["function", "method", "module", "namespace"];
    let symbols = parsed.outline_with_inner().symbols();
    let symbol = symbols.iter().find(|symbol| symbol.name_span == name)?;
    let parent = symbol.parent.map(|parent| &symbols[parent]);
    let is_in_type = parent.is_some_and(|parent| !NO_TYPES.contains(&parent.kind));
    Some(is_in_type || !VALUES.contains(&symbol.kind))
}

/// Returns a text with two markers that finds a name in its line: the name with as few preceding words as possible, or the
/// line.
fn find_in_line(line: &str, start: usize, len: usize) -> String {
    let end = start + len;
    let joins = |at: usize| {
        let sides = [line[..at].chars().next_back(), line[at..].chars().next()];
        sides.into_iter().all(|side| side.is_some_and(is_word))
    };
    let starts = (0..=start).rev();
    let mut starts = starts.filter(|at| line.is_char_boundary(*at) && !joins(*at));
    let found = starts.find(|at| line.matches(&line[*at..end]).count() == 1);
    let (from, to) = match found {
        Some(from) => (from, end),
        None => (0, line.trim_end().len()),
    };
    let (before, after) = (line[from..start].trim_start(), &line[end..to]);
    format!("{before}<|>{}<|>{after}", &line[start..end])
}

/// Returns the number of places that an edit changes.
fn changed_places(plan: &EditPlan) -> usize {
    let files = plan.preview.files().iter();
    files.map(|file| file.record().replacements().len()).sum()
}
