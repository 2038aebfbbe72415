//! Finds the uses of a renamed symbol that exist only when the code runs: names that the language or a library calls, and
//! names that code composes.
//!
//! Input: the texts that a rename changes. Output: places that refuse the rename. The names are in `queries/rename.toml`;
//! `imports.scm` marks the lookups.

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use crate::diagnostic::{Diagnostic, PlaceReason};
use crate::engine::files::in_turn;
use crate::lsp::language_server::LanguageServer;
use crate::names::{NameForm, composed_names};
use crate::parse::Parsed;
use crate::source::Span;

use super::Engine;
use super::completed::{is_function, is_module};
use super::named_paths::{Naming, naming};
use super::unrenamed::{Renamed, TELLING_BYTES, Uses};

/// The kinds of symbols that are members only inside a type.
const VALUES: [&str; 3] = ["function", "variable", "constant"];

/// A definition that a rename changes.
struct Definition {
    path: Utf8PathBuf,
    /// The span of its name.
    span: Span,
    /// Whether it belongs to a type.
    is_member: bool,
}

impl Engine {
    /// Returns the places where the old name is or may be looked up when the code runs.
    ///
    /// # Errors
    /// A changed file cannot be read.
    pub(super) fn runtime_uses(
        &self,
        server: &LanguageServer,
        naming: &Naming,
        renamed: &Renamed<'_>,
        name: &str,
    ) -> Result<Uses, Diagnostic> {
        let definitions = self.definitions(renamed)?;
        let called = called_by_name(&definitions, naming, name);
        let called = called.map(|place| (place, PlaceReason::CalledByName));
        let composed = self.composed_names(server, renamed, &definitions, name);
        let composed = composed.map(|place| (place, PlaceReason::ComposedName));
        Ok(composed.chain(called).collect())
    }

    /// Returns whether the rename changes only definitions that belong to types.
    ///
    /// # Errors
    /// A changed file cannot be read.
    pub(super) fn are_members(&self, renamed: &Renamed<'_>) -> Result<bool, Diagnostic> {
        let definitions = self.definitions(renamed)?;
        Ok(!definitions.is_empty() && definitions.iter().all(|one| one.is_member))
    }

    /// Returns whether there is a definition at a place that belongs to a type.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn is_member_at(&self, path: &Utf8Path, name: Span) -> Result<bool, Diagnostic> {
        let (_, parsed) = self.parsed(path.as_str())?;
        Ok(is_member(&parsed, name).unwrap_or_default())
    }

    /// Returns the definitions that the rename changes.
    fn definitions(&self, renamed: &Renamed<'_>) -> Result<Vec<Definition>, Diagnostic> {
        let mut definitions = Vec::new();
        for (path, file) in &renamed.files {
            let (_, parsed) = self.parsed(file.before().path())?;
            for one in file.record().replacements() {
                let span = renamed.name_in(file.before(), one.span);
                let Some(span) = span else { continue };
                definitions.extend(is_member(&parsed, span).map(|is_member| Definition {
                    path: path.clone(),
                    span,
                    is_member,
                }));
            }
        }
        Ok(definitions)
    }

    /// Returns the composed strings that may be the old name when the code runs. Outside the changed files, a string must
    /// start or end with enough of the name.
    fn composed_names(
        &self,
        server: &LanguageServer,
        renamed: &Renamed<'_>,
        definitions: &[Definition],
        name: &str,
    ) -> impl Iterator<Item = (Utf8PathBuf, Span)> {
        let languages = server.built_in().languages.iter();
        let signs: Vec<&String> = languages
            .flat_map(|(name, _)| &naming(name).composing)
            .collect();
        let mut files = Vec::new();
        if !signs.is_empty() {
            files = self.files_here().0;
        }
        let may_be_of_file = !definitions.iter().all(|one| one.is_member);
        let bytes = name.as_bytes();
        let ends = [bytes.first_chunk(), bytes.last_chunk::<TELLING_BYTES>()];
        let found = in_turn(files.len(), usize::MAX, &(), |index, _| {
            let file = &files[index];
            let path = file.absolute();
            let is_changed = renamed.files.contains_key(path);
            let bytes = self.workspace.read(file, file.file_limit());
            let may_compose = |bytes: Vec<u8>| {
                let has = |text: &[u8]| memmem::find(&bytes, text).is_some();
                signs.iter().any(|sign| has(sign.as_bytes()))
                    && (is_changed || ends.iter().flatten().any(|end| has(&end[..])))
            };
            if !self.is_of_language(server, file) || !bytes.is_ok_and(may_compose) {
                return Ok(Vec::new());
            }
            let Ok(parsed) = self.parsed_at(file) else {
                return Ok(Vec::new());
            };
            let least = if is_changed { 1 } else { TELLING_BYTES };
            let all = composed_names(&parsed).into_iter();
            let fitting = all.filter(|one| {
                let is_here = !one.is_of_file || is_changed && may_be_of_file;
                is_here && one.form.fixed() >= least && one.form.fits(name)
            });
            let fitting = fitting.map(|one| (path.to_owned(), one.span));
            Ok(fitting.collect())
        });
        found.into_items().into_iter()
    }
}

/// Returns whether the definition with a name at a span belongs to a type; `None` if there is no definition.
pub(super) fn is_member(parsed: &Parsed, name: Span) -> Option<bool> {
    let symbols = parsed.outline_with_inner().symbols();
    let symbol = symbols.iter().find(|symbol| symbol.name_span == name)?;
    let parent = symbol.parent.map(|parent| &symbols[parent]);
    let is_in_type = parent.is_some_and(|one| !is_function(one) && !is_module(one));
    Some(is_in_type || !VALUES.contains(&symbol.kind))
}

/// Returns the definitions that the language or a library calls by their name.
fn called_by_name(
    definitions: &[Definition],
    naming: &Naming,
    name: &str,
) -> impl Iterator<Item = (Utf8PathBuf, Span)> {
    let is_in = |all: &[NameForm]| all.iter().any(|form| form.fits(name));
    let is_called = is_in(&naming.called_names);
    let is_called_member = is_in(&naming.called_members);
    let called = definitions
        .iter()
        .filter(move |one| is_called || is_called_member && one.is_member);
    called.map(|one| (one.path.clone(), one.span))
}
