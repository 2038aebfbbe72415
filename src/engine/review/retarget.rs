//! Gives an edit another target: the node that a person selects. A replacement of text is made inside that node. Amends
//! what is left of an edit of which a person accepted a part.

use std::time::Instant;

use serde_json::json;

use crate::diagnostic::{self, Diagnostic, NextCall, Pointing};
use crate::edit::Operation;
use crate::locate::{LineScope, Scope};
use crate::parse::Parsed;
use crate::preview::{self, FilePreview};
use crate::select::{self, Selector};
use crate::source::{Source, Span};

use super::super::calls::{CallContext, ToolRequest};
use super::super::core::Engine;
use super::super::ledger::{self, LedgerLine, LedgerOutcome};
use super::super::log::{self, EditOrigin, EditRecord, KeptFile};
use super::super::request::{
    AmendEdit, Amendment, EditCall, EditKind, KeptCall, RequestedEdit, ScopeArgument,
};
use super::super::response::{EditMade, PendingRefusal, Refused};
use super::{last_line, of_list};

/// One of the edits of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TargetReviewed {
    /// Its number in the call, from 0.
    pub number: usize,
    /// The number of the file that it changes; of several, the first one.
    pub file: usize,
    /// The first line that it changes in the text before the edit, from 1.
    pub line: usize,
    /// What it does, for example `replace function_item`.
    pub what: String,
    /// Why it can get no other target, if it cannot.
    pub refusal: Option<String>,
}

/// The call of an edit before a person gave it another target.
#[derive(Clone, Debug)]
pub struct FormerTarget(EditCall);

impl Engine {
    /// Stages an edit again with another target for one of its edits, with a new id: the node of a selector in its file,
    /// or for a replacement of text the lines of that node. The edit itself is discarded with a reason that names the new
    /// one. `edit_index` is the number of the edit; a call of one edit needs none.
    ///
    /// # Errors
    /// The edit can get no other target, or a check fails. The edit stays as it is then.
    pub fn retarget_edit(
        &self,
        edit_id: &str,
        edit_index: Option<usize>,
        selector: &Selector,
    ) -> Result<EditMade, Refused> {
        let (staged, request) = self
            .retargeting(edit_id, edit_index, selector)
            .map_err(of_list)?;
        let origin = EditOrigin {
            edit_id: None,
            client: staged.client.as_deref(),
            session: staged.session.as_deref(),
            is_retargeted: true,
        };
        match self.call_in(&request, &CallContext { watch: &(), origin }) {
            Ok(made) => Ok(made),
            Err(refused) => {
                // The agent has no use for the attempt of a person.
                if let Some(kept) = refused.edit_id() {
                    let _ = log::forget(self.workspace.state(), kept);
                }
                Err(refused)
            }
        }
    }

    /// Returns the call of a staged edit, which [`Engine::restore_target`] makes again. Returns `None` if the edit can get
    /// no other target.
    pub fn former_target(&self, edit_id: &str) -> Option<FormerTarget> {
        let (staged, _) = self.waiting(edit_id).ok()?;
        staged.edit_call().ok().map(FormerTarget)
    }

    /// Stages an edit that was given another target again as it was before, with a new id. The edit with the other target
    /// is discarded with a reason that names the new one.
    ///
    /// # Errors
    /// A check fails. The edit stays as it is then.
    pub fn restore_target(
        &self,
        edit_id: &str,
        former: &FormerTarget,
    ) -> Result<EditMade, Refused> {
        let started = Instant::now();
        let restored = self.target_restored(edit_id, former).map_err(|refusal| {
            self.refusal_of(AmendEdit::TOOL, &json!({"edit_id": edit_id}), refusal)
        });
        let outcome = LedgerOutcome::of_edit(&restored);
        let took = started.elapsed();
        let line = LedgerLine::new(
            &self.workspace,
            AmendEdit::TOOL,
            Some(edit_id),
            outcome,
            took,
        );
        // The call succeeds even if it cannot be recorded.
        let _ = ledger::append(self.workspace.state(), &line);
        restored
    }

    fn target_restored(
        &self,
        edit_id: &str,
        former: &FormerTarget,
    ) -> Result<EditMade, PendingRefusal> {
        let (staged, _) = self.waiting(edit_id)?;
        let origin = EditOrigin {
            is_retargeted: true,
            ..staged.origin()
        };
        match self.edit(former.0.clone().applying(false), origin) {
            Ok(made) => self.instead_of(&staged, Ok(made), origin),
            Err(refusal) => {
                if let Some(kept) = &refusal.edit_id {
                    let _ = log::forget(self.workspace.state(), kept);
                }
                Err(refusal)
            }
        }
    }

    /// Returns a staged edit, and the amendment that gives it another target.
    fn retargeting(
        &self,
        edit_id: &str,
        edit_index: Option<usize>,
        selector: &Selector,
    ) -> Result<(EditRecord, AmendEdit), Diagnostic> {
        let (staged, _) = self.waiting(edit_id)?;
        let no_target = |why: &str| diagnostic::about_no_other_target(&staged.edit_id, why);
        let numbers = staged.edit_numbers();
        let number = match (edit_index, numbers.first()) {
            (Some(index), _) if numbers.contains(&index) => index,
            (Some(_), _) => return Err(diagnostic::about_no_such_part(&staged.edit_id)),
            (None, Some(only)) if numbers.len() == 1 => *only,
            (None, _) => {
                return Err(no_target(
                    "it has several edits, and none of them is chosen",
                ));
            }
        };
        let edit = with_target(&staged.call, number).map_err(no_target)?;
        self.check_same_node(&staged, &edit, selector)?;
        let index = (!staged.call.is_single()).then_some(number);
        let amendment = match edit.kind {
            EditKind::Edit(Operation::ReplaceText { .. }) => {
                Some(self.inside(&edit, index, selector)?)
            }
            _ => Amendment::suggested(&NextCall::Select(selector.clone()), index),
        };
        let request = AmendEdit::several(&staged.edit_id, amendment.into_iter().collect());
        match self.is_same_edit(&staged, &request) {
            true => Err(no_target("it is already the edit of that node")),
            false => Ok((staged, request)),
        }
    }

    /// Checks that a selector, which a person has selected in the text before the edit, selects the same node in the current
    /// file.
    fn check_same_node(
        &self,
        staged: &EditRecord,
        edit: &RequestedEdit,
        selector: &Selector,
    ) -> Result<(), Diagnostic> {
        let path = edit.only_file().unwrap_or_default();
        let (path, now) = self.parsed(path)?;
        let absolute = path.absolute().as_str();
        let file = staged.paths.iter().position(|own| own == absolute);
        let kept = file.and_then(|file| staged.files.get(file));
        let Some(kept) =
            kept.filter(|kept| kept.record.digest_before().digest() != Some(now.source().digest()))
        else {
            return Ok(());
        };
        let shown = self.shown(staged, kept, path.display().as_str())?;
        let before = Parsed::parse(shown.before().clone());
        let span = |parsed: &Parsed| {
            let selection = select::select(parsed, selector).map_err(|error| {
                diagnostic::about_select(parsed, selector, &error, Pointing::Read)
            })?;
            Ok::<Span, Diagnostic>(selection.span())
        };
        let (old, new) = (span(&before)?, span(&now)?);
        // What is inside a node may change: it is the same one if it starts with the same line.
        let start = first_line(before.source(), old);
        let changed = preview::changed_lines(before.source(), now.source());
        match changed.map_span(start) == Some(first_line(now.source(), new)) {
            true => Ok(()),
            false => Err(diagnostic::about_other_node(path.display().as_str())),
        }
    }

    /// Returns whether an amendment makes the same changes as the staged edit.
    fn is_same_edit(&self, staged: &EditRecord, request: &AmendEdit) -> bool {
        // The parts of a divided call have their numbers in the whole call.
        let Some(call) = staged.call.edits().filter(|_| !staged.is_part) else {
            return false;
        };
        let again = call.amended(request);
        let Ok(again) = again.and_then(|again| self.planned(&again)) else {
            return false;
        };
        let files = again.plan.preview.files();
        let mut pairs = files.iter().zip(&staged.files);
        let is_same = |(now, kept): (&FilePreview, &KeptFile)| {
            now.record().digest_of_edit() == kept.record.digest_of_edit()
        };
        files.len() == staged.files.len() && pairs.all(is_same)
    }

    /// Returns the amendment that makes a replacement of text in the lines of a node.
    fn inside(
        &self,
        edit: &RequestedEdit,
        edit_index: Option<usize>,
        selector: &Selector,
    ) -> Result<Amendment, Diagnostic> {
        let path = edit.only_file().unwrap_or_default();
        let (_, parsed) = self.parsed(path)?;
        let selection = select::select(&parsed, selector)
            .map_err(|error| diagnostic::about_select(&parsed, selector, &error, Pointing::Read))?;
        let (source, span) = (parsed.source(), selection.span());
        let lines = LineScope::range(source.line_of(span.start()), last_line(source, span));
        let lines = lines.map_err(|error| diagnostic::about_arguments(error.to_string()))?;
        let scope = ScopeArgument(Some(Scope::Lines(lines)));
        let mut amendment = Amendment {
            edit_index,
            ..Amendment::default()
        };
        amendment
            .selector_fields
            .insert("scope".to_string(), json!(scope));
        Ok(amendment)
    }

    /// Returns the edits of a staged call.
    pub(in crate::engine) fn targets_reviewed(&self, staged: &EditRecord) -> Vec<TargetReviewed> {
        let names = self.names(&staged.paths).unwrap_or_default();
        let texts = staged.files.iter().zip(&names);
        let texts = texts.map(|(kept, name)| self.shown(staged, kept, name).ok());
        let texts: Vec<_> = texts.collect();
        let targets = staged.edit_numbers().into_iter().filter_map(|number| {
            let files = staged.files.iter().enumerate();
            let mut own = files.flat_map(|(file, kept)| {
                let targets = kept.record.targets().iter().zip(&kept.targets);
                let own = targets.filter(|(_, info)| info.edit == number);
                own.map(move |(target, info)| (file, target, info))
            });
            let (file, target, info) = own.next()?;
            let text = texts.get(file)?.as_ref();
            Some(TargetReviewed {
                number,
                file,
                line: text.map_or(1, |text| text.before().line_of(target.span().start())),
                what: format!("{} {}", info.action.to_do(), target.node_type()),
                refusal: with_target(&staged.call, number).err().map(str::to_string),
            })
        });
        targets.collect()
    }

    /// Amends what is left of an edit of which a person accepted a part.
    pub(in crate::engine) fn amended_part(
        &self,
        staged: &EditRecord,
        request: &AmendEdit,
        origin: EditOrigin<'_>,
    ) -> Result<EditMade, PendingRefusal> {
        if staged.call.edits().is_none() {
            return Err(diagnostic::about_part_not_amended(staged.call.tool()).into());
        }
        let numbers = staged.edit_numbers();
        let call = staged.edit_call()?;
        let place = |index: usize| {
            let place = numbers.iter().position(|number| *number == index);
            place.ok_or_else(|| diagnostic::about_accepted_edit(index, &numbers))
        };
        let mut own = request.clone();
        for amendment in std::iter::once(&mut own.amendment).chain(&mut own.edits) {
            amendment.edit_index = amendment.edit_index.map(place).transpose()?;
        }
        self.amended(call, &own, own.apply == Some(true), origin)
    }
}

/// Returns the part of a span in its first line.
fn first_line(source: &Source, span: Span) -> Span {
    let line = source.line_span(source.line_of(span.start()));
    let end = line.map_or(span.end(), |line| line.end().min(span.end()));
    Span::new(span.start(), end)
}

/// Returns an edit of a call if it can get another target.
///
/// # Errors
/// Why it cannot.
fn with_target(call: &KeptCall, number: usize) -> Result<RequestedEdit, &'static str> {
    let edits = call.edits().ok_or_else(|| match call.rewrite() {
        Some(_) => "a pattern determines its matches; leave out the wrong ones",
        None => "a language server determines its targets",
    })?;
    let request = edits.read().ok();
    let requested = request.and_then(|request| request.requested_edits().ok());
    let edit = requested.and_then(|requested| requested.into_iter().nth(number));
    let edit = edit.ok_or("its request cannot be read")?;
    if edit.file_operation().is_some() {
        return Err("it is about a whole file");
    }
    if edit.only_file().is_none() {
        return Err("it is about several files");
    }
    match edit.selectors.len() == 1 && edit.expected.is_none() {
        true => Ok(edit),
        false => Err("it has several targets"),
    }
}
