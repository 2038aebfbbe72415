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
use crate::diagnostic::{self, Diagnostic, PlaceReason, Places};
use crate::lsp::convert::FileEdits;
use crate::lsp::language_server::{LanguageServer, ServerAnswer};
use crate::lsp::{Completeness, ServerError, Situation};

use super::edits::{Suggested, file_edits, plan_of, previewed};
use super::named_paths::{naming, with_alias};
use super::place::Asked;
use super::unrenamed::{Unrenamed, Uses};
use super::{Engine, PendingRefusal, patience};
use crate::engine::Refused;
use crate::engine::calls::{CallAccess, CallContext, ToolRequest};
use crate::engine::draft::EditPlan;
use crate::engine::ledger::LedgerOutcome;
use crate::engine::request::DiffArgument;
use crate::engine::request::questions::{AllowRename, RenameSymbol};
use crate::engine::response::EditMade;
use crate::engine::staged::Request;

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
        let apply = self.apply.then_some(self.diff);
        engine.stage_suggested(self.suggested(engine)?, apply, context.origin)
    }
}

impl RenameSymbol {
    /// Asks the server.
    pub(super) fn suggested(&self, engine: &Engine) -> Result<Suggested, PendingRefusal> {
        let new_name = self.new_name.trim();
        if new_name.is_empty() {
            return Err(diagnostic::about_arguments("new_name is blank").into());
        }
        let asked = engine.asked(&self.place)?;
        let symbol = &asked.symbol;
        let names = (symbol.as_str(), new_name);
        let own = slice::from_ref(&asked);
        let (mut server, mut planned) = engine.plan_rename(own, new_name)?;
        if planned.left.has_known() || planned.left.is_indexing {
            // By now, the server has read more files, including the files of these uses.
            (server, planned) = engine.plan_rename(own, new_name)?;
        }
        let allows = |check| self.allow.contains(&check);
        if !self.complete {
            // A string that certainly names the symbol is a use too.
            let completion =
                engine.completion(&asked, None, &planned.plan, new_name, &planned.left)?;
            let strings = completion.added.into_iter().chain(completion.doubtful);
            let strings = strings.filter(|(_, why)| {
                matches!(why, PlaceReason::NamedInString | PlaceReason::KeyString)
            });
            planned.left.uses.extend(strings);
        }
        let is_refused = match self.complete {
            true => planned.left.is_indexing,
            false => planned.left.total() > 0 || planned.left.is_indexing,
        };
        if is_refused && (self.complete || !allows(AllowRename::Incomplete)) {
            let left = &planned.left;
            let places = engine.places(&left.uses, &left.outside_roots)?;
            let (why, changed) = (left.why_incomplete.clone(), changed_places(&planned.plan));
            let can_complete =
                !left.is_indexing && engine.can_be_completed(&asked, &server, planned, new_name);
            return Err(diagnostic::about_incomplete_rename(
                names,
                why.as_deref(),
                changed,
                places,
                can_complete,
            )
            .into());
        }
        let mut added = Uses::new();
        let mut unchanged = planned.left.uses.clone();
        if self.complete {
            let completed = engine.completed(&asked, &server, planned, new_name)?;
            (planned, added, unchanged) = (completed.planned, completed.added, completed.doubtful);
        }
        let Planned { mut plan, left } = planned;
        let unchanged_places = engine.places(&unchanged, &left.outside_roots)?;
        if self.complete && unchanged_places.total > 0 && !allows(AllowRename::Incomplete) {
            let counts = (changed_places(&plan) - added.len(), added.len());
            return Err(diagnostic::about_doubtful_uses(names, counts, unchanged_places).into());
        }
        let clashes = engine.clashes(&asked, &server, &plan, new_name)?;
        if clashes.total > 0 && !allows(AllowRename::Surroundings) {
            return Err(diagnostic::about_name_clash(names, clashes).into());
        }
        plan.notes.extend(engine.added_notes(&added)?);
        plan.notes
            .extend(left.notes(symbol, &unchanged_places, &added));
        plan.notes
            .extend(diagnostic::name_clash_text(new_name, &clashes));
        let request = Request::Rename(Box::new(RenameSymbol {
            place: self.place.clone().in_file(asked.path.absolute()),
            apply: false,
            diff: DiffArgument::Auto,
            ..self.clone()
        }));
        Ok(Suggested {
            request,
            summary: summary(symbol, new_name),
            plan,
        })
    }
}

/// The preview of a rename, and the uses that it leaves unchanged.
struct Planned {
    plan: EditPlan,
    left: Unrenamed,
}

/// The preview of a rename with the uses that the server left out.
struct Completed {
    planned: Planned,
    added: Uses,
    /// Places that may belong to another symbol.
    doubtful: Uses,
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
        Ok((server, Planned { plan, left }))
    }

    /// Adds the uses to a rename that the server left out.
    ///
    /// # Errors
    /// The server does not rename another declaration, still reads files, or the edit fails a check.
    fn completed(
        &self,
        asked: &Asked,
        server: &LanguageServer,
        mut planned: Planned,
        new_name: &str,
    ) -> Result<Completed, Diagnostic> {
        let mut all_asked = vec![asked.clone()];
        let mut added = Uses::new();
        for _ in 0..ROUNDS {
            let left = &planned.left;
            let are_members = self.are_members(&self.renamed(asked, &planned.plan, new_name)?)?;
            let mut found = Uses::new();
            for ((path, span), why) in &left.uses {
                let is_declaration = match why {
                    PlaceReason::Implements | PlaceReason::Overrides | PlaceReason::Overridden => {
                        true
                    }
                    // A local variable shares `{ price }` with a member, but keeps its own name.
                    PlaceReason::SharesUse => are_members && self.is_member_at(path, *span)?,
                    _ => false,
                };
                if is_declaration && !added.contains_key(&(path.clone(), *span)) {
                    let (path, parsed) = self.parsed(path.as_str())?;
                    found.insert((path.absolute().to_owned(), *span), *why);
                    all_asked.push(Asked {
                        path,
                        parsed,
                        offset: span.start(),
                        symbol: asked.symbol.clone(),
                    });
                }
            }
            if found.is_empty() || all_asked.len() > DECLARATIONS {
                break;
            }
            added.extend(found);
            let (_, again) = self.plan_rename(&all_asked, new_name)?;
            if again.left.is_indexing {
                let left = &again.left;
                return Err(diagnostic::about_incomplete_rename(
                    (&asked.symbol, new_name),
                    left.why_incomplete.as_deref(),
                    changed_places(&again.plan),
                    self.places(&left.uses, &left.outside_roots)?,
                    false,
                ));
            }
            planned = again;
        }
        let Planned { plan, left } = planned;
        let completion = self.completion(asked, Some(server), &plan, new_name, &left)?;
        // A declaration that the server does not rename is a doubtful use.
        added.retain(|key, _| !completion.doubtful.contains_key(key));
        let plan = self.with_places(asked, server, &plan, &completion.added, new_name)?;
        added.extend(completion.added);
        Ok(Completed {
            planned: Planned { plan, left },
            added,
            doubtful: completion.doubtful,
        })
    }

    /// Returns whether a rename with all uses would not be refused.
    fn can_be_completed(
        &self,
        asked: &Asked,
        server: &LanguageServer,
        planned: Planned,
        new_name: &str,
    ) -> bool {
        self.completed(asked, server, planned, new_name)
            .and_then(|completed| {
                let plan = &completed.planned.plan;
                let is_certain = completed.doubtful.is_empty()
                    && completed.planned.left.outside_roots.is_empty();
                Ok(is_certain && self.clashes(asked, server, plan, new_name)?.total == 0)
            })
            .unwrap_or_default()
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
            let mut new_text = new_name.to_string();
            if *why == PlaceReason::Imported {
                let (own, parsed) = self.parsed(path.as_str())?;
                let chain = parsed.chain(*span);
                let naming = chain.last().map(|node| naming(node.language().name));
                let alias = naming.and_then(|naming| naming.alias.as_deref());
                if let Some(word) = alias.filter(|_| !self.is_of_language(server, &own)) {
                    let after = &parsed.source().text()[span.end()..];
                    new_text = with_alias(new_name, &asked.symbol, word, after);
                }
            }
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

/// Returns the number of places that an edit changes.
fn changed_places(plan: &EditPlan) -> usize {
    let files = plan.preview.files().iter();
    files.map(|file| file.record().replacements().len()).sum()
}
