//! Resolves, reads and parses the files of a call, or takes them from the cache if their bytes are unchanged.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::{self, Code, Diagnostic, NextCall, Suggestion, Trial};
use crate::language::{self, Language};
use crate::parse::Parsed;
use crate::source::Source;
use crate::workspace::{FileError, NotRead, WorkspacePath};

use super::core::Engine;

/// Determines the language of a file from its bytes.
type LanguageOf<'e> = dyn Fn(&[u8]) -> &'static Language + 'e;

/// A file that was read, parsed if it was in the cache.
pub(super) enum Opened {
    Known(Arc<Parsed>),
    New(Source),
}

impl Opened {
    pub(super) fn source(&self) -> &Source {
        match self {
            Opened::Known(parsed) => parsed.source(),
            Opened::New(source) => source,
        }
    }

    pub(super) fn parsed(self) -> Arc<Parsed> {
        match self {
            Opened::Known(parsed) => parsed,
            Opened::New(source) => Arc::new(Parsed::parse(source)),
        }
    }
}

impl Engine {
    /// Parses the file, or takes it from the cache if its bytes are unchanged.
    pub(super) fn parsed(&self, path: &str) -> Result<(WorkspacePath, Arc<Parsed>), Diagnostic> {
        let path = self.resolved(path)?;
        let parsed = self.parsed_at(&path)?;
        Ok((path, parsed))
    }

    pub(super) fn resolved(&self, path: &str) -> Result<WorkspacePath, Diagnostic> {
        let resolved = self.workspace.resolve(path);
        resolved.map_err(|error| self.about_path(path, &error))
    }

    /// Does the same as [`Engine::parsed`] for a resolved path.
    pub(super) fn parsed_at(&self, path: &WorkspacePath) -> Result<Arc<Parsed>, Diagnostic> {
        let opened = self.opened(path)?;
        Ok(self.kept_parsed(path, opened))
    }

    /// Parses a file that was read, and caches the result.
    pub(super) fn kept_parsed(&self, path: &WorkspacePath, opened: Opened) -> Arc<Parsed> {
        let is_new = matches!(opened, Opened::New(_));
        let parsed = opened.parsed();
        if is_new {
            let key = path.absolute().to_owned();
            self.parsed.insert(key, parsed.clone());
        }
        parsed
    }

    /// Reads the text of a file. Returns the parsed file if it is in the cache.
    pub(super) fn opened(&self, path: &WorkspacePath) -> Result<Opened, Diagnostic> {
        self.opened_by(path, |known, language| {
            self.workspace.read_text(path, known, language)
        })
    }

    /// Reads a file with `read`, which gets the cached text.
    pub(super) fn opened_by(
        &self,
        path: &WorkspacePath,
        read: impl FnOnce(Option<&Source>, &LanguageOf<'_>) -> Result<Source, NotRead>,
    ) -> Result<Opened, Diagnostic> {
        let known = self.parsed.get(path.absolute());
        let language = |bytes: &[u8]| self.language_of(path.display().as_str(), bytes);
        let text = read(known.as_deref().map(Parsed::source), &language)
            .map_err(|error| diagnostic::about_not_read(&error))?;
        match known.filter(|known| known.source().is_same_text(&text)) {
            Some(known) => Ok(Opened::Known(known)),
            None => Ok(Opened::New(text)),
        }
    }

    /// Returns the language of a file from its repository's settings, or else from its name and the start of its text.
    pub(super) fn language_of(&self, name: &str, bytes: &[u8]) -> &'static Language {
        const LOOKED_AT: usize = 64 * 1024;
        let beginning = &bytes[..bytes.len().min(LOOKED_AT)];
        let configured = self.workspace.configured_language(Utf8Path::new(name));
        configured.unwrap_or_else(|| language::for_file(name, &String::from_utf8_lossy(beginning)))
    }

    /// Explains why a path is invalid, and names similar paths.
    pub(super) fn about_path(&self, path: &str, error: &FileError) -> Diagnostic {
        let mut diagnostic = diagnostic::about_file(error);
        if diagnostic.code == Code::OutsideWorkspace {
            let roots: Vec<&str> = self.roots().collect();
            diagnostic.help = Some(format!(
                "the workspace is {}; add a directory with --root",
                roots.join(", ")
            ));
        }
        if diagnostic.code == Code::FileNotFound {
            const NAMED: usize = 3;
            let nearest = self.workspace.nearest(path);
            let namesakes = match nearest.is_empty() {
                true => self.workspace.namesakes(path),
                false => Vec::new(),
            };
            let near = nearest.into_iter().chain(namesakes).take(NAMED);
            let near: Vec<String> = near.map(Utf8PathBuf::into_string).collect();
            if !near.is_empty() {
                diagnostic.help = Some(format!("similar paths: {}", near.join(", ")));
            }
        }
        diagnostic
    }

    /// Does the same as [`Engine::parsed`]. If the file does not exist, suggests the same call for other files of that
    /// name for which `tried` returns a result: first those for which the call works.
    pub(super) fn parsed_or_near(
        &self,
        path: &str,
        tried: impl Fn(&Parsed) -> Option<Trial>,
    ) -> Result<(WorkspacePath, Arc<Parsed>), Diagnostic> {
        self.parsed(path).map_err(|mut diagnostic| {
            if diagnostic.code == Code::FileNotFound {
                const SUGGESTED: usize = 3;
                let near = self.workspace.namesakes(path).into_iter();
                let fitting = near.filter_map(|path| {
                    let (_, parsed) = self.parsed(path.as_str()).ok()?;
                    Some(Suggestion {
                        selects: format!("the same call for `{path}`"),
                        trial: tried(&parsed)?,
                        call: NextCall::File(path.into_string()),
                    })
                });
                diagnostic.suggestions = fitting.take(SUGGESTED).collect();
                diagnostic.suggestions.sort_by_key(|one| one.trial);
            }
            diagnostic
        })
    }
}
