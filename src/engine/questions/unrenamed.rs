//! Finds the uses of the old name that a rename leaves unchanged.
//!
//! Input: the preview of a rename. Output: [`Unrenamed`]. Uses come from three sources: the references that the server
//! lists, the definitions that it lists as implementations or overrides, and the identifiers with this name in the
//! workspace files that the server reads. An identifier that the server resolves to another symbol is not a use. Neither
//! is one that it does not resolve, if its scope or import proves that it is another symbol, if the renamed symbol cannot
//! be there, or if its file is unrelated to the changed files.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use crate::diagnostic::{self, Diagnostic, PLACES_LISTED, PlaceReason, PlaceView, Places};
use crate::engine::files::in_turn;
use crate::engine::moved_imports::ProjectFiles;
use crate::engine::plan::EditPlan;
use crate::language::Language;
use crate::language::queries::Mark;
use crate::locate::is_word;
use crate::lsp::built_in::BUILT_IN;
use crate::lsp::convert::{self, ServerLocation};
use crate::lsp::language_server::LanguageServer;
use crate::lsp::{Completeness, ServerError};
use crate::names::FileNames;
use crate::parse::{Node, Parsed};
use crate::preview::FilePreview;
use crate::source::{Source, Span};
use crate::workspace::WorkspacePath;

use super::lookups::{REFERENCES, implementations, references};
use super::place::{Asked, names_within};
use super::reach::Reach;
use super::scopes::{Proof, Scopes};
use super::{Engine, FILES_WATCHED, location, outside};
use crate::engine::response::questions::Location;

/// The maximum number of identifiers to look up.
pub(super) const LOOKUPS: usize = 2_000;
/// The maximum time for looking up identifiers.
pub(super) const LOOKUP_TIME: Duration = Duration::from_secs(30);
/// The minimum length of a word that relates a file to another, in bytes.
const TELLING_BYTES: usize = 3;

/// The occurrences of the old name that remain after a rename.
#[derive(Debug)]
pub(super) struct Unrenamed {
    /// The uses, in file order.
    pub(super) uses: Uses,
    /// The uses outside the workspace.
    pub(super) outside_roots: OutsideUses,
    /// Why the server may not know all uses, if it may not.
    pub(super) why_incomplete: Option<String>,
    /// Whether the server may not know all uses because it is still reading files.
    pub(super) is_indexing: bool,
    /// All occurrences of the old name that remain, by file.
    files: Vec<Occurrences>,
    /// The files and lines of unresolved identifiers in unrelated files.
    unrelated: Vec<(String, usize)>,
    /// Whether the workspace has more files than are searched.
    is_cut: bool,
}

impl Unrenamed {
    /// Returns the number of uses.
    pub(super) fn total(&self) -> usize {
        self.uses.len() + self.outside_roots.len()
    }

    /// Returns whether the server knows some of the uses.
    pub(super) fn has_known(&self) -> bool {
        self.uses.values().any(|why| why.is_known())
    }

    /// Returns the notes for a preview of the rename that leaves `uses` unchanged.
    pub(super) fn notes(&self, name: &str, uses: &Places) -> Vec<String> {
        let unread = unread(&self.files);
        let notes = [
            self.why_incomplete.clone(),
            diagnostic::unchanged_uses_text(name, uses),
            diagnostic::unrelated_uses_text(name, &self.unrelated),
            diagnostic::mentions_text(name, &mentions(&self.files)),
            unread.map(|(count, first)| diagnostic::unsearched_text(name, count, &first)),
            self.is_cut
                .then(|| diagnostic::cut_search_text(name, FILES_WATCHED)),
        ];
        notes.into_iter().flatten().collect()
    }
}

/// The texts that a rename changes.
pub(super) struct Renamed<'d> {
    pub(super) files: BTreeMap<Utf8PathBuf, &'d FilePreview>,
    /// All spellings of the old name that the rename replaces.
    names: BTreeSet<String>,
    /// Whether an imported name gets an alias, so that only the importing file uses the new name.
    is_alias: bool,
}

/// The occurrences of the old name in one file that the rename does not change.
#[derive(Debug)]
struct Occurrences {
    path: WorkspacePath,
    /// Identifiers, and occurrences in code that is not parsed.
    identifiers: Vec<Span>,
    /// The occurrences in comments and strings.
    mentions: Vec<NameMention>,
    is_unread: bool,
}

/// An occurrence of a name in a comment or string.
#[derive(Debug)]
struct NameMention {
    line: usize,
    /// Whether the name is the whole string.
    is_quoted: bool,
}

/// The uses found so far, by file and span.
pub(super) type Uses = BTreeMap<(Utf8PathBuf, Span), PlaceReason>;
/// The uses outside the workspace.
pub(super) type OutsideUses = Vec<(Location, PlaceReason)>;

impl Engine {
    /// Finds the uses of the old name that a rename leaves unchanged. `all_asked` are the renamed declarations, and
    /// `completeness` is the completeness of the server's answers to the rename.
    ///
    /// # Errors
    /// A lookup request to the server fails.
    pub(super) fn unrenamed(
        &self,
        all_asked: &[Asked],
        server: &LanguageServer,
        plan: &EditPlan,
        completeness: Completeness,
        new_name: &str,
    ) -> Result<Unrenamed, Diagnostic> {
        let asked = &all_asked[0];
        let language = asked.parsed.source().language().name;
        let about = |error: ServerError| diagnostic::about_server(language, &error);
        let renamed = self.renamed(asked, plan, new_name)?;
        let known = self.known_uses(all_asked, server, &renamed, completeness);
        let (mut uses, mut outside_roots, completeness) = known.map_err(about)?;
        let (all, is_all) = self.files_here();
        let mut files = self.occurrences(server, &renamed, all.clone());
        if renamed.is_alias {
            uses.retain(|(path, _), _| renamed.files.contains_key(path));
            files.retain(|file| renamed.files.contains_key(file.path.absolute()));
            outside_roots.clear();
        }
        let unresolved = self
            .look_up(server, &renamed, &files, &mut uses)
            .map_err(about)?;
        let project = ProjectFiles::new(self, HashMap::new());
        let scopes = Scopes::new(self, &renamed, &all, &project);
        let reach = self.reach(&renamed)?;
        let words = self.telling_words(&renamed);
        // A server cannot resolve names in files that it has not read yet.
        let is_complete = completeness == Completeness::Complete;
        // A server that lists no references only knows the names within each file.
        let has_references = server.client().can("referencesProvider", REFERENCES);
        let mut left = uses.clone();
        left.extend(unresolved.iter().map(|(file, span, why)| {
            let key = (file.path.absolute().to_owned(), *span);
            (key, *why)
        }));
        let mut unrelated = Vec::new();
        for (file, span, why) in unresolved {
            let path = file.path.absolute();
            let parsed = self.parsed_at(&file.path)?;
            let key = (path.to_owned(), span);
            match scopes.proof(&parsed, span, &left) {
                Proof::Other => {}
                Proof::Renamed(why) => {
                    uses.insert(key, why);
                }
                Proof::Unknown if !reach.holds(path, &parsed, span) => {}
                Proof::Unknown
                    if has_references
                        && (!is_complete || self.is_related(file, &renamed, &words)) =>
                {
                    uses.insert(key, why);
                }
                Proof::Unknown => {
                    let line = parsed.source().line_of(span.start());
                    unrelated.push((file.path.display().to_string(), line));
                }
            }
        }
        Ok(Unrenamed {
            uses,
            outside_roots,
            is_indexing: matches!(completeness, Completeness::StillIndexing { .. }),
            why_incomplete: why_incomplete(server, completeness),
            unrelated,
            files,
            is_cut: !is_all,
        })
    }

    /// Returns the uses that the server knows but does not rename. Returns those outside the workspace separately, and the
    /// completeness of its answers.
    fn known_uses(
        &self,
        all_asked: &[Asked],
        server: &LanguageServer,
        renamed: &Renamed<'_>,
        mut completeness: Completeness,
    ) -> Result<(Uses, OutsideUses, Completeness), ServerError> {
        let (mut uses, mut outside_roots) = (Uses::new(), Vec::new());
        for asked in all_asked {
            let listed;
            (listed, completeness) = references(asked, server, completeness)?;
            for target in listed {
                let Some(path) = &target.path else { continue };
                match self.span_of_target(server, &target) {
                    None => outside_roots.push((outside(path, &target), PlaceReason::Listed)),
                    Some((source, span)) => {
                        let unchanged = renamed.unchanged_use(path, &source, span);
                        let unchanged = unchanged.map(|span| (path.clone(), span));
                        uses.extend(unchanged.map(|key| (key, PlaceReason::Listed)));
                    }
                }
            }
            for target in implementations(asked, server)? {
                if let Some(path) = &target.path
                    && let Some((source, span)) = self.span_of_target(server, &target)
                    && let Some(span) = renamed.name_in(&source, span)
                    && !renamed.changes(path, span)
                {
                    uses.insert((path.clone(), span), PlaceReason::Implements);
                }
            }
            let overrides = self.overrides(asked, server)?;
            outside_roots.extend(overrides.outside);
            for (path, span, why) in overrides.within {
                if !renamed.changes(&path, span) {
                    uses.entry((path, span)).or_insert(why);
                }
            }
        }
        self.shared_uses(server, renamed, &mut uses, &mut outside_roots)?;
        Ok((uses, outside_roots, completeness))
    }

    /// Returns the places of uses for a refusal.
    pub(super) fn places(
        &self,
        uses: &Uses,
        outside_roots: &[(Location, PlaceReason)],
    ) -> Result<Places, Diagnostic> {
        let total = uses.len() + outside_roots.len();
        let mut listed = Vec::new();
        for ((path, span), why) in uses.iter().take(PLACES_LISTED) {
            let (path, parsed) = self.parsed(path.as_str())?;
            listed.push(place_view(location(&path, &parsed, *span), *why));
        }
        let outside_roots = outside_roots.iter().cloned();
        listed.extend(outside_roots.map(|(one, why)| place_view(one, why)));
        listed.truncate(PLACES_LISTED);
        Ok(Places { listed, total })
    }

    fn renamed<'d>(
        &self,
        asked: &Asked,
        plan: &'d EditPlan,
        new_name: &str,
    ) -> Result<Renamed<'d>, Diagnostic> {
        let mut files = BTreeMap::new();
        let mut names = BTreeSet::from([asked.symbol.clone()]);
        let mut has_alias = false;
        for file in plan.preview.files() {
            let path = self.workspace.resolve(file.before().path());
            let path = path.map_err(|error| diagnostic::about_file(&error))?;
            for one in file.record().replacements() {
                let old = file.before().slice(one.span);
                // An edit may also replace text before the name.
                if old.ends_with(asked.symbol.as_str()) && !old.contains(char::is_whitespace) {
                    names.insert(old.into_owned());
                }
                // `name` becomes `name as new_name`.
                let rest = one.new_text.trim().strip_prefix(asked.symbol.as_str());
                let keeps_name = rest.is_some_and(|rest| {
                    rest.starts_with(char::is_whitespace) && rest.trim_end().ends_with(new_name)
                });
                let (_, parsed) = self.parsed(file.before().path())?;
                has_alias |= keeps_name && is_in_import(&parsed, one.span);
            }
            files.insert(path.absolute().to_owned(), file);
        }
        // A name that is also changed elsewhere has uses in other files.
        let is_alias = has_alias && files.len() == 1;
        Ok(Renamed {
            files,
            names,
            is_alias,
        })
    }

    /// Returns the text of a target's file and the target's span, or `None` for a file outside the workspace.
    pub(super) fn span_of_target(
        &self,
        server: &LanguageServer,
        target: &ServerLocation,
    ) -> Option<(Source, Span)> {
        let source = self.text_at(target.path.as_deref()?)?;
        let span = convert::span_of(&source, target.range, server.client().encoding());
        Some((source, span))
    }

    /// Returns the occurrences of the old name in the files that the server reads, starting with the files that the
    /// rename changes. In files that it does not read, only imports are searched.
    fn occurrences(
        &self,
        server: &LanguageServer,
        renamed: &Renamed<'_>,
        mut files: Vec<WorkspacePath>,
    ) -> Vec<Occurrences> {
        let languages = self.changed_languages(renamed);
        files.retain(|file| {
            let own = self.workspace.language_of(file.display());
            self.is_of_language(server, file)
                || self.is_component(file)
                || own.is_some_and(|own| languages.contains(&own.name))
        });
        files.sort_by_key(|file| !renamed.files.contains_key(file.absolute()));
        let found = in_turn(files.len(), usize::MAX, &(), |index, _| {
            let file = &files[index];
            let mut found = self.occurrences_in(file, renamed);
            if !self.is_of_language(server, file) {
                self.keep_imports_of(server, &languages, &mut found);
            }
            Ok(vec![found])
        });
        found.into_items()
    }

    /// Returns whether the server supports the language of a file. If the file name does not determine the language,
    /// only files without an extension are read for this.
    pub(super) fn is_of_language(&self, server: &LanguageServer, file: &WorkspacePath) -> bool {
        let by_name = self.workspace.language_of(file.display());
        let own = match by_name {
            Some(language) => language.name,
            None if file.display().extension().is_some() => return false,
            None => self.language_at(file).name,
        };
        let mut languages = server.built_in().languages.iter();
        languages.any(|(name, _)| *name == own)
    }

    /// Returns whether the symbols of a file are those of code of another language in it, such as a script.
    fn is_component(&self, file: &WorkspacePath) -> bool {
        let language = self.workspace.language_of(file.display());
        let tables = language.and_then(Language::tables);
        tables.is_some_and(|tables| tables.uses(Mark::Listed))
    }

    /// Returns the languages of the changed files, and those whose code can import from them.
    fn changed_languages(&self, renamed: &Renamed<'_>) -> BTreeSet<&'static str> {
        let own = renamed.files.values().filter_map(|file| {
            let language = self
                .workspace
                .language_of(Utf8Path::new(file.before().path()));
            language.map(|language| language.name)
        });
        let own: BTreeSet<&'static str> = own.collect();
        let rows = BUILT_IN.iter();
        let rows = rows.filter(|row| own.iter().any(|name| row.has_language(name)));
        let together = rows.flat_map(|row| row.languages.iter().map(|(name, _)| *name));
        together.chain(own.iter().copied()).collect()
    }

    /// Keeps the imports in code of a language of the server or of a changed file, if the server does not read the file
    /// around it.
    fn keep_imports_of(
        &self,
        server: &LanguageServer,
        languages: &BTreeSet<&'static str>,
        found: &mut Occurrences,
    ) {
        found.mentions.clear();
        let Ok(parsed) = self.parsed_at(&found.path) else {
            return found.identifiers.clear();
        };
        found.identifiers.retain(|span| {
            let chain = parsed.chain(*span);
            let language = chain.last().map(|node| node.language().name);
            is_in_import(&parsed, *span)
                && language.is_some_and(|language| {
                    server.built_in().has_language(language) || languages.contains(&language)
                })
        });
    }

    fn occurrences_in(&self, path: &WorkspacePath, renamed: &Renamed<'_>) -> Occurrences {
        let mut found = Occurrences {
            path: path.clone(),
            identifiers: Vec::new(),
            mentions: Vec::new(),
            is_unread: false,
        };
        let is_held = match self.workspace.read(path, path.file_limit()) {
            Ok(bytes) => renamed
                .names
                .iter()
                .any(|name| memmem::find(&bytes, name.as_bytes()).is_some()),
            Err(_) => {
                found.is_unread = true;
                false
            }
        };
        if !is_held {
            return found;
        }
        let Ok(parsed) = self.parsed_at(path) else {
            found.is_unread = true;
            return found;
        };
        let source = parsed.source();
        let mut chains = parsed.chains();
        let mut spans: Vec<Span> = Vec::new();
        for name in &renamed.names {
            let found = names_within(source, source.whole(), name).into_iter();
            spans.extend(found.map(|start| Span::new(start, start + name.len())));
        }
        spans.sort();
        for span in spans {
            if renamed.changes(path.absolute(), span) {
                continue;
            }
            let chain = chains.at(span);
            match occurrence(&parsed, &chain, span, &renamed.names) {
                Some(NameOccurrence::Identifier(span)) => found.identifiers.push(span),
                Some(NameOccurrence::Mention) if is_exported(&parsed, span) => {
                    found.identifiers.push(span);
                }
                Some(NameOccurrence::Mention) => found.mentions.push(NameMention {
                    line: source.line_of(span.start()),
                    is_quoted: is_quoted(source, span),
                }),
                None => {}
            }
        }
        found.identifiers.dedup();
        found
    }

    /// Adds the identifiers that the server resolves to the renamed symbol to `uses`. Returns the identifiers that it does
    /// not resolve.
    fn look_up<'f>(
        &self,
        server: &LanguageServer,
        renamed: &Renamed<'_>,
        files: &'f [Occurrences],
        uses: &mut Uses,
    ) -> Result<Vec<(&'f Occurrences, Span, PlaceReason)>, ServerError> {
        let mut unresolved = Vec::new();
        let stamps = self.stamps(server);
        let deadline = Instant::now() + LOOKUP_TIME;
        let mut lookups = 0;
        for file in files.iter().filter(|file| !file.identifiers.is_empty()) {
            let path = file.path.absolute();
            let key = |span: Span| (path.to_owned(), span);
            if !self.is_of_language(server, &file.path) {
                let all = file.identifiers.iter();
                unresolved.extend(all.map(|span| (file, *span, PlaceReason::Unresolved)));
                continue;
            }
            let Some(source) = self.text_at(path) else {
                continue;
            };
            self.synced_with(server, path, &source, stamps.iter().cloned())?;
            for span in &file.identifiers {
                if uses.contains_key(&key(*span)) {
                    continue;
                }
                lookups += 1;
                let why = match lookups > LOOKUPS || Instant::now() > deadline {
                    true => Some(PlaceReason::NotLookedUp),
                    false => self.use_at(server, renamed, (path, &source), *span)?,
                };
                match why {
                    Some(why @ (PlaceReason::Resolved | PlaceReason::ResolvedToSeveral)) => {
                        uses.insert(key(*span), why);
                    }
                    Some(why) => unresolved.push((file, *span, why)),
                    None => {}
                }
            }
        }
        Ok(unresolved)
    }

    /// Returns where uses of the renamed symbol can be.
    fn reach(&self, renamed: &Renamed<'_>) -> Result<Reach, Diagnostic> {
        let mut files = Vec::new();
        for (path, file) in &renamed.files {
            let (_, parsed) = self.parsed(file.before().path())?;
            let all = file.record().replacements().iter();
            let places = all.filter_map(|one| renamed.name_in(file.before(), one.span));
            files.push((path, parsed, places.collect::<Vec<_>>()));
        }
        let files = files.iter();
        let files = files.map(|(path, parsed, places)| (path.as_path(), &**parsed, places.clone()));
        Ok(Reach::from_places(&files.collect::<Vec<_>>()))
    }

    /// Returns whether a file may use what the changed files define: it is one of them, is in the same directory as one
    /// of them, or contains one of `words`. Also returns true if there are no words, or if the file cannot be read.
    fn is_related(
        &self,
        file: &Occurrences,
        renamed: &Renamed<'_>,
        words: &HashSet<String>,
    ) -> bool {
        let path = file.path.absolute();
        let mut folders = renamed.files.keys().map(|changed| changed.parent());
        if folders.any(|folder| folder == path.parent()) || words.is_empty() {
            return true;
        }
        let source = self.text_at(path);
        source.is_none_or(|source| {
            let mut all = source.text().split(|c: char| !is_word(c));
            all.any(|word| words.contains(word))
        })
    }

    /// Returns the words by which other files refer to the changed files: their names, the names of their directories,
    /// and the names of their top-level symbols. Returns none if a changed file is in the top directory of the
    /// workspace.
    fn telling_words(&self, renamed: &Renamed<'_>) -> HashSet<String> {
        let mut words = HashSet::new();
        for file in renamed.files.values() {
            let path = Utf8Path::new(file.before().path());
            let folders = path.parent().map(Utf8Path::as_str).unwrap_or_default();
            if folders.is_empty() {
                return HashSet::new();
            }
            words.extend(path.file_stem().map(str::to_string));
            for folder in folders.split('/') {
                words.extend([folder.to_string(), folder.replace('-', "_")]);
            }
            if let Ok((_, parsed)) = self.parsed(path.as_str()) {
                let symbols = parsed.outline().symbols().iter();
                let top = symbols.filter(|symbol| symbol.parent.is_none());
                words.extend(top.map(|symbol| symbol.short_name().to_string()));
            }
        }
        words.retain(|word| word.len() >= TELLING_BYTES && !renamed.names.contains(word));
        words
    }
}

impl Renamed<'_> {
    /// Returns whether the rename changes the text of a span, or inserts text next to it.
    pub(super) fn changes(&self, path: &Utf8Path, span: Span) -> bool {
        let file = self.files.get(path);
        file.is_some_and(|file| {
            let mut all = file.record().replacements().iter();
            all.any(|one| one.span.touches(span))
        })
    }

    /// Returns the first occurrence of the old name in a part of a text.
    pub(super) fn name_in(&self, source: &Source, part: Span) -> Option<Span> {
        let longest_first = self.names.iter().rev();
        let found = longest_first.filter_map(|name| {
            let start = *names_within(source, part, name).first()?;
            Some(Span::new(start, start + name.len()))
        });
        found.min_by_key(|span| span.start())
    }

    /// Returns the span of a listed reference that the rename leaves unchanged. A reference that is another identifier,
    /// such as an alias or `Self`, keeps its name and is not returned.
    fn unchanged_use(&self, path: &Utf8Path, source: &Source, span: Span) -> Option<Span> {
        let name = self.name_in(source, span);
        let is_alias = name.is_none() && source.slice(span).chars().all(is_word);
        let place = name.unwrap_or(span);
        (!is_alias && !self.changes(path, place)).then_some(place)
    }
}

/// Returns the number of files that could not be searched and the first of them.
fn unread(files: &[Occurrences]) -> Option<(usize, String)> {
    let unread: Vec<&Occurrences> = files.iter().filter(|file| file.is_unread).collect();
    let first = unread.first()?;
    Some((unread.len(), first.path.display().to_string()))
}

/// Returns the lines with mentions in all files. Lines where the name is a whole string come first.
fn mentions(files: &[Occurrences]) -> Vec<(String, usize)> {
    let of = |is_wanted: bool| {
        files.iter().flat_map(move |file| {
            let all = file.mentions.iter();
            let wanted = all.filter(move |one| one.is_quoted == is_wanted);
            wanted.map(|one| (file.path.display().to_string(), one.line))
        })
    };
    let mut known = HashSet::new();
    let all = of(true).chain(of(false));
    all.filter(|line| known.insert(line.clone())).collect()
}

/// Returns whether a name has the same quote on both sides.
fn is_quoted(source: &Source, span: Span) -> bool {
    let text = source.text();
    let before = text[..span.start()].chars().next_back();
    let after = text[span.end()..].chars().next();
    before == after && before.is_some_and(|quote| matches!(quote, '"' | '\'' | '`'))
}

/// Returns whether a string is a name in the list of the names that a file exports.
fn is_exported(parsed: &Parsed, span: Span) -> bool {
    is_quoted(parsed.source(), span)
        && FileNames::from_parsed(parsed).listed.is_some_and(|listed| {
            let mut listed = listed.iter();
            listed.any(|one| one.span.contains(span) && one.name == parsed.source().slice(span))
        })
}

/// The kind of an occurrence of a name.
enum NameOccurrence {
    /// An identifier, or part of code that is not parsed.
    Identifier(Span),
    /// Part of a comment or string.
    Mention,
}

/// Returns the kind of an occurrence of a name, or `None` for a part of another name, such as `$name`. `chain` contains the
/// enclosing named nodes.
fn occurrence(
    parsed: &Parsed,
    chain: &[Node<'_>],
    span: Span,
    names: &BTreeSet<String>,
) -> Option<NameOccurrence> {
    if is_mention(chain) {
        return Some(NameOccurrence::Mention);
    }
    let Some(leaf) = chain.last() else {
        return Some(NameOccurrence::Identifier(span));
    };
    if names.contains(parsed.source().slice(leaf.span()).as_ref()) {
        return Some(NameOccurrence::Identifier(leaf.span()));
    }
    let is_code = leaf.is(Mark::Code) || leaf.is_error() || parsed.is_plain_text();
    is_code.then_some(NameOccurrence::Identifier(span))
}

/// Returns whether the innermost enclosing node is the name itself, and not a comment or string.
pub(super) fn is_identifier(chain: &[Node<'_>], span: Span) -> bool {
    chain.last().is_some_and(|leaf| leaf.span() == span) && !is_mention(chain)
}

/// Returns whether a name is an identifier in an import.
pub(super) fn is_in_import(parsed: &Parsed, span: Span) -> bool {
    let chain = parsed.chain(span);
    is_identifier(&chain, span) && chain.iter().any(|node| node.is_word("import", None))
}

/// Returns whether the innermost node of a chain is part of a comment or string. Code in a string is not.
pub(super) fn is_mention(chain: &[Node<'_>]) -> bool {
    let innermost = &chain[chain.len().saturating_sub(2)..];
    let is_comment = |node: &Node<'_>| node.is_word("comment", None);
    let is_string = |node: &Node<'_>| node.is_word("string", None);
    chain.iter().any(is_comment) || innermost.iter().any(is_string)
}

fn why_incomplete(server: &LanguageServer, completeness: Completeness) -> Option<String> {
    let command = server.client().launch().command.join(" ");
    let why = match completeness {
        Completeness::Complete => return None,
        Completeness::StillIndexing { what: why } | Completeness::Degraded { why } => why,
    };
    let why = why.lines().next().unwrap_or_default();
    Some(format!("`{command}` may not know all files ({why})"))
}

/// Returns a place for a refusal.
pub(super) fn place_view(location: Location, why: PlaceReason) -> PlaceView {
    PlaceView {
        file: location.file,
        line: location.line,
        column: location.column,
        text: location.preview,
        locate: location.locate.map(|locate| locate.0),
        reason: why.text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language;

    /// Returns the kind of the only occurrence of `name` in a text.
    fn occurrence_in(path: &str, text: &str) -> &'static str {
        let source = Source::new(path, language::for_file(path, text), text.to_string());
        let parsed = Parsed::parse(source);
        let starts = names_within(parsed.source(), parsed.source().whole(), "name");
        let [start] = starts[..] else {
            return "not once";
        };
        let span = Span::new(start, start + "name".len());
        let names = BTreeSet::from(["name".to_string(), "r#name".to_string()]);
        match occurrence(&parsed, &parsed.chain(span), span, &names) {
            Some(NameOccurrence::Identifier(found)) if found.contains(span) => "identifier",
            Some(NameOccurrence::Identifier(_)) => "elsewhere",
            Some(NameOccurrence::Mention) => "mention",
            None => "another name",
        }
    }

    #[test]
    fn code_in_strings_and_macros_is_code_and_text_is_not() {
        for (path, text, expected) in [
            ("a.py", "x = name\n", "identifier"),
            ("a.py", "x = f\"{name!r} {other}\"\n", "identifier"),
            ("a.py", "__all__ = [\"name\"]\n", "mention"),
            ("a.py", "x = f\"a name {other}\"\n", "mention"),
            ("a.py", "x = 1  # name\n", "mention"),
            ("a.ts", "const x = `${name}`;\n", "identifier"),
            ("a.ts", "const x = `name ${other}`;\n", "mention"),
            ("a.ts", "const x = {\"name\": 1};\n", "mention"),
            ("a.tsx", "const x = <a>the name</a>;\n", "another name"),
            (
                "a.rs",
                "macro_rules! m { () => { $crate::a::name() } }\n",
                "identifier",
            ),
            (
                "a.rs",
                "macro_rules! m { ($name:ident) => {} }\n",
                "another name",
            ),
            ("a.rs", "fn f() { a.r#name }\n", "identifier"),
            ("a.rs", "/// The name.\nfn f() {}\n", "mention"),
            ("a.go", "var x = `name`\n", "mention"),
            ("a.c", "#define M(x) (x->name + 1)\n", "identifier"),
            ("a.sh", "echo \"$name\"\n", "identifier"),
        ] {
            assert_eq!(occurrence_in(path, text), expected, "{path}: {text}");
        }
    }
}
