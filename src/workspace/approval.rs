//! Decides who may write files of the workspace (docs/design/stage.md#approval).
//!
//! Every write of a source file takes a [`WritePermit`], which only [`Workspace::write_permit`] returns. It reads the
//! configuration each time, so that a person can require approval while a server runs. The stricter of all sources
//! counts. An agent cannot change them through treegraft: that would be a write.

use camino::{Utf8Path, Utf8PathBuf};

use super::disk::Folder;
use super::settings::{self, ConfigurationError, ConfigurationProblem};
use super::{FileError, Workspace};

/// Who calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caller {
    /// A person, or a program that a person runs: may write.
    #[default]
    Person,
    /// An agent: may write unless a person has to approve each edit.
    Agent {
        /// Whether a person has to approve each edit whatever the configuration is.
        stage_only: bool,
    },
}

/// The permission to write files of a workspace.
#[derive(Debug)]
pub struct WritePermit(());

/// Why a person has to approve an edit before it is written.
///
/// [`diagnostic`](crate::diagnostic) implements its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalRequired {
    /// The server only stages edits.
    StageOnly,
    /// This configuration file sets `approval = "required"`.
    Configured(Utf8PathBuf),
    /// A configuration file may require approval, but cannot be read.
    Unknown(ConfigurationError),
}

/// The sources of the decision.
#[derive(Clone, Debug)]
pub(super) struct Approval {
    pub(super) caller: Caller,
    /// The roots that the workspace was opened with, without links.
    pub(super) folders: Vec<Utf8PathBuf>,
}

impl Workspace {
    /// Returns the permission to write files, if the caller has it now.
    ///
    /// # Errors
    /// A person has to approve each edit.
    pub fn write_permit(&self) -> Result<WritePermit, FileError> {
        match self.approval.required() {
            None => Ok(WritePermit(())),
            Some(why) => Err(FileError::ApprovalRequired { why }),
        }
    }

    /// Returns why the caller may not write files now, if that is so.
    pub fn approval_required(&self) -> Option<ApprovalRequired> {
        self.approval.required()
    }
}

impl Approval {
    fn required(&self) -> Option<ApprovalRequired> {
        match self.caller {
            Caller::Person => None,
            Caller::Agent { stage_only: true } => Some(ApprovalRequired::StageOnly),
            Caller::Agent { stage_only: false } => {
                let user = settings::user_configuration_path().and_then(|path| of_user(&path));
                user.or_else(|| self.folders.iter().find_map(|folder| of_root(folder)))
            }
        }
    }
}

/// Returns why the user's configuration file requires approval, if it does.
fn of_user(path: &Utf8Path) -> Option<ApprovalRequired> {
    match super::read_configuration(path) {
        Ok(bytes) => of_bytes(path, &bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            let problem = ConfigurationProblem::Reported(error.to_string());
            Some(unknown(ConfigurationError::of_file(path, problem)))
        }
    }
}

/// Returns why the settings file of a root requires approval, if it does.
fn of_root(folder: &Utf8Path) -> Option<ApprovalRequired> {
    let path = folder.join(settings::NAME);
    let bytes = match Folder::open(folder) {
        Ok(root) => settings::bytes(&root, &path),
        Err(failed) => {
            let problem = ConfigurationProblem::Reported(failed.source.to_string());
            Err(ConfigurationError::of_file(&path, problem))
        }
    };
    match bytes {
        Ok(bytes) => of_bytes(&path, &bytes?),
        Err(error) => Some(unknown(error)),
    }
}

/// Returns why a configuration file with this content requires approval, if it does. Ignores all other settings, which
/// may be invalid. A file that is not TOML requires approval if it has the name of the setting in it.
fn of_bytes(path: &Utf8Path, bytes: &[u8]) -> Option<ApprovalRequired> {
    let text = String::from_utf8_lossy(bytes);
    match settings::approval(path, &text) {
        Ok(true) => Some(ApprovalRequired::Configured(path.to_owned())),
        Ok(false) => None,
        Err(error) => text.contains(settings::APPROVAL).then(|| unknown(error)),
    }
}

fn unknown(error: ConfigurationError) -> ApprovalRequired {
    ApprovalRequired::Unknown(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_requires_approval_or_may_do_so() {
        let path = Utf8Path::new("/r/treegraft.toml");
        let required = |text: &str| match of_bytes(path, text.as_bytes()) {
            None => "no".to_string(),
            Some(ApprovalRequired::Unknown(error)) => error.to_string(),
            Some(why) => why.to_string(),
        };
        for (text, expected) in [
            ("", "no"),
            ("ignore = [\"a\"]\n", "no"),
            (
                "approval = \"required\"\n",
                "`/r/treegraft.toml` requires approval",
            ),
            // Other settings may be invalid.
            (
                "ignore = 1\napproval = \"required\"\n",
                "`/r/treegraft.toml` requires approval",
            ),
            // A value that is not known may be meant as this one.
            (
                "# x\napproval = \"requierd\"\n",
                "/r/treegraft.toml:2: `approval` must be \"required\"",
            ),
            (
                "approval = true\n",
                "/r/treegraft.toml:1: `approval` must be \"required\"",
            ),
            // The file of another program blocks nobody.
            ("a = \n", "no"),
        ] {
            assert_eq!(required(text), expected, "{text}");
        }
        let broken = required("approval = \"required\"\nignore = [\n");
        assert!(broken.starts_with("/r/treegraft.toml:"), "{broken}");
    }
}
