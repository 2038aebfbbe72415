//! Keeps the mode, the owner and the extended attributes of a file.

use cap_std::fs::Metadata;
use serde::{Deserialize, Serialize};

use super::disk::{ExtendedAttributes, OpenFile};
use super::{FileError, WorkspacePath};

/// The mode, the owner and the extended attributes of a file, such as its access control list. A replaced or moved file
/// keeps them, and a restored one gets them back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileAttributes {
    mode: u32,
    owner: u32,
    group: u32,
    #[serde(default, skip_serializing_if = "ExtendedAttributes::is_empty")]
    extended: ExtendedAttributes,
}

impl FileAttributes {
    /// Returns the attributes of the open file `file`.
    #[cfg(unix)]
    pub(super) fn read(
        path: &WorkspacePath,
        file: &OpenFile,
        metadata: &Metadata,
    ) -> Result<Option<FileAttributes>, FileError> {
        use cap_std::fs::MetadataExt;
        let extended = file.extended_attributes();
        Ok(Some(FileAttributes {
            mode: metadata.mode() & 0o7777,
            owner: metadata.uid(),
            group: metadata.gid(),
            extended: extended.map_err(|failed| path.refused(failed))?,
        }))
    }

    /// Returns `None`: other systems have none of these, and read-only files are refused.
    #[cfg(not(unix))]
    pub(super) fn read(
        _: &WorkspacePath,
        _: &OpenFile,
        _: &Metadata,
    ) -> Result<Option<FileAttributes>, FileError> {
        Ok(None)
    }

    /// Gives the attributes to a file that only its owner can read yet. At no moment can more users read it than with
    /// these attributes. Returns the names of extended attributes that the system does not let this user set.
    #[cfg(unix)]
    pub(super) fn give(
        &self,
        path: &WorkspacePath,
        new: &OpenFile,
    ) -> Result<Vec<String>, FileError> {
        give_owner(path, new, self.owner, self.group)?;
        let failed = |failed| path.refused(failed);
        let lost = new
            .set_extended_attributes(&self.extended)
            .map_err(failed)?;
        // After the owner, because a change of owner clears bits of the mode, and after the access control list, because
        // the mode limits what the list that the file has from its directory allows.
        new.set_mode(self.mode).map_err(failed)?;
        Ok(lost)
    }

    #[cfg(not(unix))]
    pub(super) fn give(&self, _: &WorkspacePath, _: &OpenFile) -> Result<Vec<String>, FileError> {
        Ok(Vec::new())
    }
}

/// Gives `new` an owner and a group, if its own differ.
#[cfg(unix)]
fn give_owner(
    path: &WorkspacePath,
    new: &OpenFile,
    owner: u32,
    group: u32,
) -> Result<(), FileError> {
    use cap_std::fs::MetadataExt;
    let ours = new.look().map_err(|failed| path.refused(failed))?;
    let owner = (ours.uid() != owner).then_some(owner);
    let group = (ours.gid() != group).then_some(group);
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    let kept = new.set_owner(owner, group);
    kept.map_err(|_| FileError::PermissionDenied {
        path: path.display().to_owned(),
        why: super::Denied::Owner,
    })
}
