//! Decides by scopes and imports whether an identifier that a server does not resolve is the renamed symbol.
//!
//! Input: an identifier with the old name. Output: a [`Proof`]. An identifier is the renamed symbol if the rename changes
//! all places that bind it, and another one if it changes none. Everything else is not decided.

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::PlaceReason;
use crate::names::{Meaning, Meanings};
use crate::parse::{Node, Parsed};
use crate::source::Span;
use crate::workspace::WorkspacePath;

use super::Engine;
use super::unrenamed::{Renamed, Uses, is_in_import};
use crate::engine::moved_imports::ProjectFiles;

/// What scopes and imports prove about an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// It is the renamed symbol.
    Renamed(PlaceReason),
    /// It is another symbol.
    Other,
    /// Nothing.
    Unknown,
}

/// The scopes and imports of the workspace, relative to a rename.
pub(super) struct Scopes<'r> {
    engine: &'r Engine,
    renamed: &'r Renamed<'r>,
    /// All files of the workspace.
    files: &'r [WorkspacePath],
    meanings: Meanings<'r>,
}

impl<'r> Scopes<'r> {
    pub(super) fn new(
        engine: &'r Engine,
        renamed: &'r Renamed<'r>,
        files: &'r [WorkspacePath],
        project: &'r ProjectFiles<'r>,
    ) -> Self {
        Scopes {
            engine,
            renamed,
            files,
            meanings: Meanings::new(project),
        }
    }

    /// Returns what is proven about an identifier. `left` are the places that may be uses, as far as the server knows.
    pub(super) fn proof(&self, parsed: &Parsed, span: Span, left: &Uses) -> Proof {
        let places = match self.meanings.at(parsed, span) {
            Meaning::Unknown => return Proof::Unknown,
            Meaning::OfModule(module) => {
                return match self.may_have(&module) {
                    true => Proof::Unknown,
                    false => Proof::Other,
                };
            }
            Meaning::Bound(places) => places,
        };
        let reason = match is_in_import(parsed, span) {
            true => PlaceReason::Imported,
            false => PlaceReason::InScope,
        };
        let mut all = Vec::new();
        for (path, binding) in places {
            let Some(absolute) = self.absolute(&path) else {
                return Proof::Unknown;
            };
            // A name that an import statement gives to something else.
            let is_alias = path == parsed.source().path() && is_in_import(parsed, binding);
            all.push(match () {
                () if self.renamed.changes(&absolute, binding) => Proof::Renamed(reason),
                () if is_alias => Proof::Other,
                () if left.contains_key(&(absolute, binding)) => Proof::Unknown,
                () => Proof::Other,
            });
        }
        let all = all.into_iter();
        all.reduce(|one, other| if one == other { one } else { Proof::Unknown })
            .unwrap_or(Proof::Other)
    }

    fn absolute(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let resolved = self.engine.workspace.resolve(path.as_str()).ok()?;
        Some(resolved.absolute().to_owned())
    }

    /// Returns whether a file of the workspace may be an absolute module or in it: a part of its path is the first name.
    fn may_have(&self, module: &str) -> bool {
        let first = module.split('.').next().unwrap_or_default();
        self.files.iter().any(|file| {
            let path = file.absolute();
            let folders = path.parent().into_iter().flat_map(Utf8Path::iter);
            let mut parts = folders.chain(path.file_stem());
            parts.any(|part| part.replace('-', "_") == first)
        })
    }
}

/// Returns whether the text of a place is only the name of one symbol. A short form of a field (`{ name }`) also names a
/// variable.
pub(super) fn is_whole_name(parsed: &Parsed, span: Span, name: &str) -> bool {
    let is_short_form = |node: &Node<'_>| node.kind().contains("shorthand");
    let chain = parsed.chain(span);
    parsed.source().slice(span) == name && !chain.iter().rev().take(2).any(is_short_form)
}
