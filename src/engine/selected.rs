//! Finds kept edits by id, file, status and client, and describes them for lists.

use std::borrow::Cow;

use serde_json::json;

use crate::diagnostic::{self, Diagnostic};
use crate::preview;
use crate::workspace::{Extent, FileError};

use super::core::Engine;
use super::log::ended::{self, About, Ended, Why};
use super::log::{self, EditRecord};
use super::overlap;
use super::response::{EditList, EditListed, EditStatus, Refused, RefusedCall};
use super::watch::COMMAND_LINE;

/// The maximum number of pending edits in a list.
pub const WAITING_SHOWN: usize = 100;
/// The maximum number of applied edits in a list; the latest are kept.
pub const APPLIED_SHOWN: usize = 20;
/// The maximum number of edits that were discarded with a reason in a list; the latest are kept.
pub const DISCARDED_SHOWN: usize = 20;

/// The minimum length of the start of an id that is taken for the id.
const SHORTEST_START: usize = 7;

/// Determines which kept edits are meant: those that have all given properties.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EditFilter {
    /// Ids, or unambiguous starts of ids. If empty, all edits.
    pub edit_ids: Vec<String>,
    /// A file, a directory or a glob that one of the files of the edit matches.
    pub file: Option<String>,
    /// The status.
    pub status: Option<EditStatus>,
    /// The name of the program that made the edit.
    pub client: Option<String>,
    /// Whether the list contains diffs.
    pub diff: bool,
    /// Whether applied edits name the edits that they depend on.
    pub graph: bool,
}

impl EditFilter {
    /// Returns whether the filter selects all edits.
    fn is_empty(&self) -> bool {
        self.edit_ids.is_empty()
            && self.file.is_none()
            && self.status.is_none()
            && self.client.is_none()
    }
}

impl Engine {
    /// Lists the kept edits that `filter` selects: pending edits, then applied and undone ones, then those that were
    /// discarded with a reason, newest first. Edits that are named by id have the order of their ids. Without any
    /// condition, the list is cut as that of [`Engine::list_edits`].
    ///
    /// # Errors
    /// No edit or several edits have an id, or the file does not resolve.
    pub fn find_edits(&self, filter: &EditFilter) -> Result<EditList, Refused> {
        self.found(filter).map_err(|refused| {
            let arguments = match filter.edit_ids.as_slice() {
                [edit_id] => json!({"edit_id": edit_id}),
                _ => json!({}),
            };
            Box::new(RefusedCall::of_call("list_edits", arguments, refused))
        })
    }

    /// Returns the edits with these ids as [`Engine::find_edits`] lists them, without those that are gone. Changes
    /// nothing: unlike other calls, it leaves interrupted changes alone, so that a program can poll it.
    pub fn look_up_edits(
        &self,
        edit_ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Vec<EditListed> {
        let edits = edit_ids.into_iter();
        let edits = edits.filter_map(|edit_id| self.edit_listed(edit_id.as_ref(), false).ok());
        edits.collect()
    }

    pub(super) fn found(&self, filter: &EditFilter) -> Result<EditList, Diagnostic> {
        let unsettled = self.settle();
        let mut list = match filter.edit_ids.is_empty() {
            true => self.all_edits(filter)?,
            false => {
                let edits = filter.edit_ids.iter();
                EditList {
                    edits: edits
                        .map(|edit_id| self.edit_listed(edit_id, filter.diff))
                        .collect::<Result<_, _>>()?,
                    omitted: 0,
                    unreadable: Vec::new(),
                }
            }
        };
        list.unreadable.extend(unsettled);
        let extent = filter.file.as_deref().map(|file| self.extent(file));
        let extent = extent.transpose()?;
        list.edits.retain(|edit| {
            filter.status.is_none_or(|status| status == edit.status)
                && (filter.client.is_none() || filter.client == edit.client)
                && extent
                    .as_ref()
                    .is_none_or(|extent| self.is_in(edit, extent))
        });
        if filter.is_empty() {
            cut(&mut list);
        }
        if filter.graph {
            self.add_dependencies(&mut list)?;
        }
        Ok(list)
    }

    /// Returns whether one of the files of an edit is in `extent`.
    fn is_in(&self, edit: &EditListed, extent: &Extent) -> bool {
        let mut files = edit.files();
        files.any(|file| {
            let place = self.workspace.place_of_new(file);
            place.is_ok_and(|place| extent.contains(&place))
        })
    }

    /// Lists all edits of files inside the roots, of the refused calls of the command line only if these are asked for.
    fn all_edits(&self, filter: &EditFilter) -> Result<EditList, Diagnostic> {
        let state = self.workspace.state();
        let failed = |error| diagnostic::about_state(&error);
        let (mut all, unreadable) = log::all(state).map_err(failed)?;
        if filter.status != Some(EditStatus::Refused) {
            all.retain(|one| {
                one.status != EditStatus::Refused || one.client.as_deref() != Some(COMMAND_LINE)
            });
        }
        let mut overlaps = overlap::overlaps(&all);
        let listed = |staged: EditRecord| {
            let overlaps = overlaps.remove(&staged.edit_id).unwrap_or_default();
            let listed = self.listed(staged, filter.diff)?;
            Some(EditListed { overlaps, ..listed })
        };
        let (applied, mut edits): (Vec<EditListed>, Vec<EditListed>) = all
            .into_iter()
            .filter_map(listed)
            .partition(|one| matches!(one.status, EditStatus::Applied | EditStatus::Undone));
        edits.extend(applied);
        let ended = ended::all(state).map_err(failed)?.into_iter();
        let ended = ended.filter_map(|one| self.listed_discarded(one));
        let discarded = ended.filter(|one| {
            let is_staged = edits.iter().any(|edit| edit.edit_id == one.edit_id);
            one.reason.is_some() && !is_staged
        });
        let discarded: Vec<EditListed> = discarded.collect();
        edits.extend(discarded);
        Ok(EditList {
            edits,
            omitted: 0,
            unreadable,
        })
    }

    /// Returns an edit, even if it is discarded.
    pub(super) fn edit_listed(&self, edit_id: &str, diff: bool) -> Result<EditListed, Diagnostic> {
        let full = self.full_id(edit_id)?;
        let ended = || ended::find(self.workspace.state(), &full).ok().flatten();
        let found = match self.staged(&full) {
            Ok(staged) => self.listed(staged, diff),
            Err(refused) => match ended() {
                Some(ended) if matches!(ended.why, Why::Discarded { .. }) => {
                    self.listed_discarded(ended)
                }
                _ => return Err(refused),
            },
        };
        found.ok_or_else(|| diagnostic::about_missing_edit(edit_id))
    }

    /// Returns the only id of an edit of files inside the roots that starts with `given`.
    ///
    /// # Errors
    /// There is no such edit, or there are several.
    pub(super) fn full_id<'g>(&self, given: &'g str) -> Result<Cow<'g, str>, Diagnostic> {
        if log::is_id(given) || !log::is_start_of_id(given) {
            return Ok(Cow::Borrowed(given));
        }
        let state = self.workspace.state();
        let ids = log::ids_from(state, given).map_err(|error| diagnostic::about_state(&error))?;
        let is_here = |edit_id: &String| {
            let staged = log::find(state, edit_id).ok();
            let paths = staged.map(|staged| staged.paths).or_else(|| {
                let ended = ended::find(state, edit_id).ok()??;
                Some(ended.about?.paths)
            });
            paths.is_some_and(|paths| self.names(&paths).is_some())
        };
        let mut ids: Vec<String> = ids.into_iter().filter(is_here).collect();
        match ids.len() {
            0 => Err(diagnostic::about_missing_edit(given)),
            // The edit that a shorter start meant may be gone, and another one have it by chance.
            1 if given.len() >= SHORTEST_START => Ok(Cow::Owned(ids.remove(0))),
            _ => Err(diagnostic::about_ambiguous_edit(given, &ids)),
        }
    }

    /// Returns the names of the files of an edit as answers show them, or `None` if one is outside the roots.
    pub(super) fn names(&self, paths: &[String]) -> Option<Vec<String>> {
        let names = paths
            .iter()
            .map(|path| match self.workspace.place_of_new(path) {
                Ok(file) if file.absolute() == path.as_str() => Some(file.display().to_string()),
                // A refused edit may name a file that does not exist, or cannot.
                Ok(_) | Err(FileError::FileNotFound { .. } | FileError::InFile { .. }) => {
                    Some(path.clone())
                }
                Err(_) => None,
            });
        names.collect()
    }

    /// Returns an edit as lists show it, or `None` if one of its files is outside the roots.
    fn listed(&self, staged: EditRecord, diff: bool) -> Option<EditListed> {
        let names = self.names(&staged.paths)?;
        let counts = staged.files.iter();
        let counts = counts.map(|file| preview::line_counts(file.record.diff()));
        let (added_lines, removed_lines) = counts.fold((0, 0), |(added, removed), (more, less)| {
            (added + more, removed + less)
        });
        let diffs = || {
            let diffs = staged.diffs_named(&names);
            preview::in_one_patch(diffs.iter().map(String::as_str)).concat()
        };
        Some(EditListed {
            diff: diff.then(diffs).filter(|diff: &String| !diff.is_empty()),
            file_path: names.join(", "),
            paths: names,
            tool: staged.call.tool().to_string(),
            edit_id: staged.edit_id,
            status: staged.status,
            client: staged.client,
            session: staged.session,
            symbol: staged.symbol,
            added_lines,
            removed_lines,
            created: staged.created,
            summary: staged.summary,
            reason: None,
            overlaps: Vec::new(),
            depends_on: Vec::new(),
        })
    }

    /// Does the same as [`Engine::listed`] for a discarded edit. Returns `None` for one that ended otherwise.
    fn listed_discarded(&self, ended: Ended) -> Option<EditListed> {
        let Why::Discarded { reason } = ended.why else {
            return None;
        };
        let About {
            client,
            tool,
            paths,
            symbol,
            summary,
            ..
        } = ended.about?;
        let names = self.names(&paths)?;
        Some(EditListed {
            file_path: names.join(", "),
            paths: names,
            tool,
            edit_id: ended.edit_id,
            status: EditStatus::Discarded,
            client,
            session: None,
            symbol,
            added_lines: 0,
            removed_lines: 0,
            created: ended.at,
            summary,
            reason,
            diff: None,
            overlaps: Vec::new(),
            depends_on: Vec::new(),
        })
    }
}

/// Keeps the newest edits of each status, and counts the others.
fn cut(list: &mut EditList) {
    let all = list.edits.len();
    let (mut waiting, mut applied, mut discarded) = (0, 0, 0);
    list.edits.retain(|edit| {
        let (count, limit) = match edit.status {
            EditStatus::Applied | EditStatus::Undone => (&mut applied, APPLIED_SHOWN),
            EditStatus::Discarded => (&mut discarded, DISCARDED_SHOWN),
            _ => (&mut waiting, WAITING_SHOWN),
        };
        *count += 1;
        *count <= limit
    });
    list.omitted = all - list.edits.len();
}
