//! The languages that the user added: a grammar in a shared library, with query files.
//!
//! They are in `languages/` next to the user's configuration: a manifest `NAME.toml`, and a directory `NAME@...` with the
//! library, the query files and the sample. A manifest replaces another one at once, so that a language is old or new.
//! Only files of this directory are ever loaded, and only the command line writes into it: no workspace and no call of
//! an agent can name one.
//!
//! At the start, only the manifests are read. The library is loaded when a file first needs the language.

#![expect(
    clippy::disallowed_methods,
    reason = "the directory is the user's, and no path in it comes from a workspace"
)]

mod library;
mod private;

use std::fs;
use std::io::{self, Read, Write};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use treegraft::diagnostic::{Code, Diagnostic, about_arguments, about_grammar};
use treegraft::language::coverage::QUERY_FILES;
use treegraft::language::{self, AddError, Facts, Grammar, LoadError, NewLanguage};
use treegraft::source::Digest;
use treegraft::workspace;

use private::Kind;

/// The maximum size of a library, in bytes. The largest grammar that is known has 40 MB.
const LIBRARY_LIMIT: u64 = 256 * 1024 * 1024;
/// The maximum size of a query file, a sample or a manifest, in bytes.
const TEXT_LIMIT: u64 = 1024 * 1024;
/// Separates the name of a language from the rest of the name of its directory. No name contains it.
const AFTER_NAME: char = '@';
const QUERIES: &str = "queries";

/// The facts about a language that are known before its library is loaded.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) other_names: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) extensions: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) file_names: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) interpreters: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) indent: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) contexts: Vec<String>,
    /// Whether it takes over names and extensions of other languages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) replaces: bool,
    /// The function of the library that returns the grammar.
    pub(crate) symbol: String,
    /// The name of the directory.
    #[serde(default)]
    pub(crate) directory: String,
    /// The name of the library in it.
    #[serde(default)]
    pub(crate) library: String,
    /// The digest of the library.
    #[serde(default)]
    pub(crate) digest: String,
    /// The name of the sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sample: Option<String>,
}

/// The files of a language, as the user names them.
pub(crate) struct LanguageFiles<'f> {
    pub(crate) library: &'f Utf8Path,
    pub(crate) queries: Option<&'f Utf8Path>,
    pub(crate) sample: Option<&'f Utf8Path>,
}

/// A language that was added.
pub(crate) struct Added {
    pub(crate) language: &'static language::Language,
    pub(crate) manifest: Manifest,
    pub(crate) directory: Utf8PathBuf,
    pub(crate) grammar: Grammar,
    pub(crate) queries: QueryTexts,
    /// Whether another language of the user had the name.
    pub(crate) has_replaced: bool,
}

/// The query files in a directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueryTexts {
    /// Those that treegraft reads: name and text.
    pub(crate) read: Vec<(String, String)>,
    /// The names of the others.
    pub(crate) others: Vec<String>,
}

/// Why a language of the user is ignored.
pub(crate) struct Ignored {
    /// The manifest, or the directory of all.
    pub(crate) path: Utf8PathBuf,
    pub(crate) problem: String,
}

/// The directory of the languages that the user added.
#[derive(Clone, Debug)]
pub(crate) struct UserLanguages {
    directory: Utf8PathBuf,
    /// The path of this program, which loads a library in a process of its own first.
    program: Option<Utf8PathBuf>,
}

impl UserLanguages {
    /// Returns the directory next to the user's configuration; `None` for a user without a home directory.
    pub(crate) fn of_user(program: Option<&Utf8Path>) -> Option<UserLanguages> {
        let configuration = workspace::user_configuration_path()?;
        Some(UserLanguages {
            directory: configuration.with_file_name("languages"),
            program: program.map(Utf8Path::to_owned),
        })
    }

    /// Adds the languages to those that treegraft knows. Without any, this costs one call to the system. Returns those
    /// that are ignored.
    pub(crate) fn register(&self) -> Vec<Ignored> {
        let (manifests, mut ignored) = match self.manifests() {
            Ok(manifests) => manifests,
            Err(ignored) => return vec![ignored],
        };
        for manifest in manifests {
            let path = self.manifest_path(&manifest.name);
            let own = self.clone();
            let mut language = new_language(&manifest, {
                let manifest = manifest.clone();
                move || own.facts(&manifest)
            });
            if manifest.replaces {
                language = language.overrides();
            }
            if let Err(error) = language.add() {
                let problem = match error {
                    AddError::Taken { .. } => {
                        format!("{error}; add it again with `--replace` to use it instead")
                    }
                    other => other.to_string(),
                };
                ignored.push(Ignored { path, problem });
            }
        }
        ignored
    }

    /// Reads the manifests, in the order of their names.
    fn manifests(&self) -> Result<(Vec<Manifest>, Vec<Ignored>), Ignored> {
        let of_all = |problem: String| Ignored {
            path: self.directory.clone(),
            problem,
        };
        let names = match fs::read_dir(&self.directory) {
            Ok(entries) => entries
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .filter(|name| name.ends_with(".toml") && !name.starts_with('.')),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok((Vec::new(), Vec::new()));
            }
            Err(error) => return Err(of_all(error.to_string())),
        };
        let mut names: Vec<String> = names.collect();
        names.sort();
        if !names.is_empty() {
            self.check_directory().map_err(of_all)?;
        }
        let (mut manifests, mut ignored) = (Vec::new(), Vec::new());
        for name in names {
            match self.manifest(name.trim_end_matches(".toml")) {
                Ok(manifest) => manifests.push(manifest),
                Err(problem) => ignored.push(Ignored {
                    path: self.directory.join(&name),
                    problem,
                }),
            }
        }
        Ok((manifests, ignored))
    }

    /// Checks that only the user can write into the directory.
    fn check_directory(&self) -> Result<(), String> {
        if let Some(configuration) = self.directory.parent() {
            private::check_not_for_all(configuration)?;
        }
        private::check(&self.directory, Kind::Directory)
    }

    fn manifest_path(&self, name: &str) -> Utf8PathBuf {
        self.directory.join(format!("{name}.toml"))
    }

    /// Returns whether the user has a language of this name, maybe with a damaged manifest.
    fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.manifest_path(name)).is_ok()
    }

    fn manifest(&self, name: &str) -> Result<Manifest, String> {
        let path = self.manifest_path(name);
        private::check(&path, Kind::File)?;
        let text = read_text(&path).map_err(|error| error.to_string())?;
        let manifest: Manifest =
            toml_edit::de::from_str(&text).map_err(|error| error.message().to_string())?;
        let is_own = manifest
            .directory
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with(AFTER_NAME));
        let of_directory = [&manifest.directory, &manifest.library];
        let files = of_directory.into_iter().chain(&manifest.sample);
        let are_names = files.into_iter().all(|name| is_one_name(name));
        match manifest.name == name && is_own && are_names {
            true => Ok(manifest),
            false => Err("it is not the manifest of this language".to_string()),
        }
    }

    /// Loads the library of a language, and reads its query files and its sample.
    fn facts(&self, manifest: &Manifest) -> Result<Facts, LoadError> {
        let again = format!(
            "add the language again with `treegraft languages add {name} --replace ...`, or remove it with \
             `treegraft languages remove {name}`",
            name = manifest.name
        );
        let failed = |problem: String| LoadError {
            problem,
            help: Some(again.clone()),
        };
        let directory = self.directory.join(&manifest.directory);
        let path = directory.join(&manifest.library);
        self.check_directory().map_err(failed)?;
        private::check(&directory, Kind::Directory).map_err(failed)?;
        private::check(&path, Kind::File).map_err(failed)?;
        let bytes = read(&path, LIBRARY_LIMIT)
            .map_err(|error| failed(format!("cannot read `{path}`: {error}")))?;
        if Digest::from_bytes(&bytes).to_string() != manifest.digest {
            return Err(failed(format!("`{path}` changed since it was added")));
        }
        drop(bytes);
        let sample = manifest.sample.as_ref().map(|name| directory.join(name));
        let program = self.program.as_deref();
        let loaded = library::load(&path, &manifest.symbol, sample.as_deref(), program);
        let mut facts =
            Facts::new(loaded.map_err(|problem| failed(format!("`{path}` {problem}")))?);
        let queries = read_queries(&directory.join(QUERIES)).map_err(failed)?;
        for (name, text) in queries.read {
            facts = facts.query(name, text);
        }
        if let (Some(name), Some(path)) = (&manifest.sample, &sample) {
            let text = read_text(path)
                .map_err(|error| failed(format!("cannot read `{path}`: {error}")))?;
            facts = facts.sample(name, text);
        }
        let help = format!("fix the file in `{}`, or {again}", directory.join(QUERIES));
        Ok(facts.help(help))
    }

    /// Copies the files of a language into the directory, and checks them there. The language exists once its manifest
    /// does.
    ///
    /// # Errors
    /// The name is taken, a file cannot be read or written, or the grammar or a query file cannot be used.
    pub(crate) fn add(
        &self,
        mut manifest: Manifest,
        files: &LanguageFiles<'_>,
    ) -> Result<Added, Diagnostic> {
        let never = || {
            Err(LoadError {
                problem: "it is not loaded yet".to_string(),
                help: None,
            })
        };
        let name = manifest.name.clone();
        let planned = new_language(&manifest, never);
        planned.check_words().map_err(|error| about_add(&error))?;
        if !manifest.replaces && !self.has(&name) {
            planned
                .check_free(None)
                .map_err(|error| about_add(&error))?;
        }
        library::check_supported().map_err(|problem| about_library(files.library, problem))?;
        let library = read_named(files.library, LIBRARY_LIMIT)?;
        library::check_form(&library).map_err(|problem| about_library(files.library, problem))?;
        let queries = files.queries.map(read_queries_of).transpose()?;
        let queries = queries.unwrap_or_default();
        let sample = files.sample.map(read_named_text).transpose()?;
        manifest.digest = Digest::from_bytes(&library).to_string();
        manifest.library = format!("grammar.{}", std::env::consts::DLL_EXTENSION);
        manifest.sample = files
            .sample
            .map(|path| format!("sample.{}", path.extension().unwrap_or("txt")));
        let random = getrandom::u64().map_err(|error| about_io(&self.directory, &error.into()))?;
        manifest.directory = format!("{name}{AFTER_NAME}{}-{random:016x}", &manifest.digest[..12]);
        let directory = self.directory.join(&manifest.directory);
        let _locked = private::create_all(&self.directory)
            .and_then(|()| private::locked(&self.directory))
            .map_err(|error| about_io(&self.directory, &error))?;
        let is_there = self.has(&name);
        if is_there && !manifest.replaces {
            let message = format!("you already have a language `{name}`");
            return Err(about_arguments(message).help("pass --replace to replace it"));
        }
        let write = || -> io::Result<()> {
            private::create(&directory)?;
            private::create(&directory.join(QUERIES))?;
            write_new(&directory.join(&manifest.library), &library)?;
            for (file, text) in &queries.read {
                write_new(&directory.join(QUERIES).join(file), text.as_bytes())?;
            }
            if let (Some(name), Some(text)) = (&manifest.sample, &sample) {
                write_new(&directory.join(name), text.as_bytes())?;
            }
            Ok(())
        };
        let checked = write()
            .map_err(|error| about_io(&directory, &error))
            .and_then(|()| self.checked(&manifest, files, &library, &queries))
            .and_then(|checked| {
                let text = toml_edit::ser::to_string(&manifest)
                    .expect("a manifest consists of texts and lists of texts");
                let written = self.write_manifest(&name, text.as_bytes());
                written.map_err(|error| about_io(&self.directory, &error))?;
                Ok(checked)
            });
        let (language, grammar) = checked.inspect_err(|_| {
            // What is left of it is removed when the language is added or removed again.
            let _ = fs::remove_dir_all(&directory);
        })?;
        self.sweep(&name, Some(&manifest.directory));
        Ok(Added {
            language,
            manifest,
            directory,
            grammar,
            queries,
            has_replaced: is_there,
        })
    }

    /// Loads the copies, and checks the query files and the sample.
    fn checked(
        &self,
        manifest: &Manifest,
        files: &LanguageFiles<'_>,
        library: &[u8],
        queries: &QueryTexts,
    ) -> Result<(&'static language::Language, Grammar), Diagnostic> {
        self.check_directory().map_err(|problem| {
            about_grammar(
                &format!("cannot add {}", manifest.name),
                &LoadError {
                    problem,
                    help: None,
                },
            )
        })?;
        let directory = self.directory.join(&manifest.directory);
        let path = directory.join(&manifest.library);
        let sample = manifest.sample.as_ref().map(|name| directory.join(name));
        let program = self.program.as_deref();
        let grammar = library::load(&path, &manifest.symbol, sample.as_deref(), program).map_err(
            |problem| {
                library::about_symbols(
                    about_library(files.library, problem),
                    library,
                    &manifest.symbol,
                )
            },
        )?;
        if let Some(folder) = files.queries {
            check_queries(folder, queries, &grammar)?;
        }
        let mut facts = Facts::new(grammar.clone());
        for (name, text) in &queries.read {
            facts = facts.query(name, text);
        }
        if let (Some(name), Some(path)) = (&manifest.sample, files.sample) {
            facts = facts.sample(name, read_named_text(path)?);
        }
        let language = new_language_now(manifest, facts).made();
        let language = language.map_err(|error| about_add(&error))?;
        if let Some(path) = files.sample {
            check_sample(path, language)?;
        }
        Ok((language, grammar))
    }

    /// Removes a language of the user, also one whose manifest cannot be read. Returns its directory.
    ///
    /// # Errors
    /// The user has no such language, or it cannot be removed.
    pub(crate) fn remove(&self, name: &str) -> Result<(), Diagnostic> {
        language::check_name(name).map_err(|error| about_add(&error))?;
        let path = self.manifest_path(name);
        // Without the directory, there is nothing to lock.
        let _locked = private::locked(&self.directory).ok();
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let is_built_in = language::all().any(|one| one.name == name && !one.is_added());
                let message = match is_built_in {
                    true => {
                        format!("{name} is built in: only languages that you added can be removed")
                    }
                    false => format!("you have no language `{name}`"),
                };
                let diagnostic = Diagnostic::new(Code::UnknownLanguage, message);
                return Err(diagnostic.help(self.help_with_names()));
            }
            Err(error) => return Err(about_io(&path, &error)),
        }
        self.sweep(name, None);
        Ok(())
    }

    fn help_with_names(&self) -> String {
        let names = match self.manifests() {
            Ok((manifests, _)) => manifests.into_iter().map(|one| one.name).collect(),
            Err(_) => Vec::new(),
        };
        match names.is_empty() {
            true => "you have added no language; `treegraft languages add` adds one".to_string(),
            false => format!("your languages are {}", names.join(", ")),
        }
    }

    /// Removes the directories of a language, except `kept`. One that another process still uses may remain until the
    /// next time.
    fn sweep(&self, name: &str, kept: Option<&str>) {
        let Ok(entries) = fs::read_dir(&self.directory) else {
            return;
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let is_of_it = |entry: &String| {
            let rest = entry.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(AFTER_NAME)) && Some(entry.as_str()) != kept
        };
        for entry in names.filter(is_of_it) {
            let _ = fs::remove_dir_all(self.directory.join(entry));
        }
    }

    fn write_manifest(&self, name: &str, text: &[u8]) -> io::Result<()> {
        let random = getrandom::u64()?;
        let temporary = self.directory.join(format!(".{name}-{random:016x}"));
        let written = write_new(&temporary, text)
            .and_then(|()| fs::rename(&temporary, self.manifest_path(name)));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }
}

/// Loads the grammar of a library that the user names.
///
/// # Errors
/// The file cannot be read, or is no library with this grammar.
pub(crate) fn grammar_of(
    path: &Utf8Path,
    symbol: &str,
    program: Option<&Utf8Path>,
) -> Result<Grammar, Diagnostic> {
    library::check_supported().map_err(|problem| about_library(path, problem))?;
    let bytes = read_named(path, LIBRARY_LIMIT)?;
    library::check_form(&bytes).map_err(|problem| about_library(path, problem))?;
    // A name without a directory would be searched elsewhere.
    let absolute = path.canonicalize_utf8();
    let absolute = absolute.map_err(|error| about_io(path, &error))?;
    library::load(&absolute, symbol, None, program)
        .map_err(|problem| library::about_symbols(about_library(path, problem), &bytes, symbol))
}

/// Loads a library and parses the sample, and returns the report for the process that started this one.
pub(crate) fn load_and_report(
    library: &Utf8Path,
    symbol: &str,
    sample: Option<&Utf8Path>,
) -> String {
    let sample = sample.and_then(|path| read_text(path).ok());
    library::load_and_report(library, symbol, &sample.unwrap_or_default())
}

/// Reads the query files in a directory that the user names.
///
/// # Errors
/// The directory or one of the files cannot be read.
pub(crate) fn read_queries_of(folder: &Utf8Path) -> Result<QueryTexts, Diagnostic> {
    if let Err(error) = fs::read_dir(folder) {
        return Err(about_io(folder, &error));
    }
    read_queries(folder).map_err(|problem| Diagnostic::new(Code::IoError, problem))
}

/// Checks the query files of a directory with a grammar.
///
/// # Errors
/// A file is invalid; the message gives the line.
pub(crate) fn check_queries(
    folder: &Utf8Path,
    queries: &QueryTexts,
    grammar: &Grammar,
) -> Result<(), Diagnostic> {
    language::coverage::check(&queries.read, grammar).map_err(|error| {
        let path = folder.join(error.file);
        let message = format!("{path}:{}: {}", error.line, error.problem);
        about_arguments(message).help(format!(
            "fix or remove the line; without a grammar, `treegraft languages check {folder}` lists what the files may \
             state"
        ))
    })
}

fn check_sample(path: &Utf8Path, language: &'static language::Language) -> Result<(), Diagnostic> {
    let (name, text) = language.sample();
    let source = treegraft::Source::new(name, language, text.to_string());
    let parsed = treegraft::Parsed::parse(source);
    let Some(problem) = parsed.problems().first() else {
        return Ok(());
    };
    let line = text[..problem.span.start()].matches('\n').count() + 1;
    let message = format!("{path}:{line}: the grammar reports a syntax error in the sample");
    Err(about_arguments(message).help("pass a file that the grammar can parse with --sample"))
}

fn new_language(
    manifest: &Manifest,
    read: impl Fn() -> Result<Facts, LoadError> + Send + Sync + 'static,
) -> NewLanguage {
    let language = NewLanguage::read_at_first_use(&manifest.name, read);
    with_words(language, manifest)
}

fn new_language_now(manifest: &Manifest, facts: Facts) -> NewLanguage {
    with_words(NewLanguage::new(&manifest.name, facts), manifest)
}

fn with_words(mut language: NewLanguage, manifest: &Manifest) -> NewLanguage {
    for name in &manifest.other_names {
        language = language.other_name(name);
    }
    for extension in &manifest.extensions {
        language = language.extension(extension);
    }
    for name in &manifest.file_names {
        language = language.file_name(name);
    }
    for program in &manifest.interpreters {
        language = language.interpreter(program);
    }
    for text in &manifest.contexts {
        language = language.context(text);
    }
    match &manifest.indent {
        Some(indent) => language.indent(indent),
        None => language,
    }
}

/// Returns whether a text is a name in a directory.
fn is_one_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0'])
}

fn read(path: &Utf8Path, limit: u64) -> io::Result<Vec<u8>> {
    // To open a pipe would wait for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let file = fs::File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.len() > limit {
        return Err(io::Error::other(format!("it has more than {limit} bytes")));
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_text(path: &Utf8Path) -> io::Result<String> {
    let text = String::from_utf8(read(path, TEXT_LIMIT)?);
    text.map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Reads a file that the user names. Follows links.
fn read_named(path: &Utf8Path, limit: u64) -> Result<Vec<u8>, Diagnostic> {
    // A pipe would block.
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            let message = format!("`{path}` is not a file");
            return Err(Diagnostic::new(Code::NotAFile, message));
        }
        Ok(_) => {}
        Err(error) => return Err(about_io(path, &error)),
    }
    private::check_not_for_all(path).map_err(|problem| {
        let help = format!("run `chmod o-w {path}`, if you trust its content");
        Diagnostic::new(Code::PermissionDenied, problem).help(help)
    })?;
    read(path, limit).map_err(|error| about_io(path, &error))
}

fn read_named_text(path: &Utf8Path) -> Result<String, Diagnostic> {
    let text = String::from_utf8(read_named(path, TEXT_LIMIT)?);
    text.map_err(|_| Diagnostic::new(Code::NotUtf8, format!("`{path}` is not UTF-8")))
}

fn read_queries(folder: &Utf8Path) -> Result<QueryTexts, String> {
    let mut queries = QueryTexts::default();
    for name in QUERY_FILES {
        let path = folder.join(name);
        match read_text(&path) {
            Ok(text) => queries.read.push((name.to_string(), text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("cannot read `{path}`: {error}")),
        }
    }
    let entries = fs::read_dir(folder).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    queries.others = names
        .filter(|name| name.ends_with(".scm") && !QUERY_FILES.contains(&name.as_str()))
        .collect();
    queries.others.sort();
    Ok(queries)
}

/// Creates a file that only the user can read and write.
fn write_new(path: &Utf8Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = private::create_file(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn about_io(path: &Utf8Path, error: &io::Error) -> Diagnostic {
    let code = match error.kind() {
        io::ErrorKind::NotFound => Code::FileNotFound,
        io::ErrorKind::PermissionDenied => Code::PermissionDenied,
        _ => Code::IoError,
    };
    Diagnostic::new(code, format!("`{path}`: {error}"))
}

fn about_library(path: &Utf8Path, problem: String) -> Diagnostic {
    let error = LoadError {
        problem: format!("`{path}` {problem}"),
        help: None,
    };
    about_grammar("cannot load the grammar", &error)
}

fn about_add(error: &AddError) -> Diagnostic {
    let diagnostic = about_arguments(error.to_string());
    match error {
        AddError::Taken { .. } => {
            diagnostic.help("pass another one, or `--replace` to use yours instead")
        }
        _ => diagnostic,
    }
}
