//! The latest previews of this process, by id. A preview that was just shown can be written without being restored from
//! its record.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::preview::{FilePreview, Preview};

use super::log::{EditRecord, KeptFile};

/// The maximum number of previews to hold, and the maximum total size of their texts in bytes.
const HELD: usize = 16;
const BYTES_HELD: usize = 8 * 1024 * 1024;

/// Previews, the oldest first.
#[derive(Debug, Default)]
pub(super) struct PreviewCache(Mutex<VecDeque<(String, Preview)>>);

impl PreviewCache {
    /// Holds a preview. Removes the oldest ones if there are too many or their texts are too large.
    pub(super) fn hold(&self, edit_id: &str, preview: Preview) {
        let mut held = self.held();
        held.retain(|(known, _)| known != edit_id);
        held.push_back((edit_id.to_string(), preview));
        let mut bytes: usize = held.iter().map(|(_, preview)| size(preview)).sum();
        while held.len() > HELD || bytes > BYTES_HELD {
            let oldest = held.pop_front();
            bytes -= oldest.map_or(bytes, |(_, preview)| size(&preview));
        }
    }

    /// Removes and returns the preview of a record, if it is held and matches the record.
    pub(super) fn take(&self, staged: &EditRecord) -> Option<Preview> {
        let mut held = self.held();
        let index = held.iter().position(|(known, _)| *known == staged.edit_id);
        let (_, preview) = held.remove(index?)?;
        let is_same = |(kept, shown): (&KeptFile, &FilePreview)| kept.record == *shown.record();
        let is_of_it = staged.files.len() == preview.files().len()
            && staged.files.iter().zip(preview.files()).all(is_same);
        is_of_it.then_some(preview)
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<(String, Preview)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the size of a preview's texts in bytes.
fn size(preview: &Preview) -> usize {
    let files = preview.files().iter();
    files
        .map(|file| file.before().len() + file.after().len())
        .sum()
}
