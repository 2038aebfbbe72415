//! Languages that a program adds to the built-in ones: a grammar of its own, with its query files.
//!
//! Input: a [`NewLanguage`]. Output: a [`Language`] that every lookup by path or by name finds. It exists until the
//! process ends, like its grammar. No code here accesses the disk: the program passes texts, or a function that reads
//! them when a file first needs the language.

use std::fmt;
use std::sync::{OnceLock, PoisonError, RwLock};

use super::queries::{Origin, QueryError, Tables};
use super::{Built, DEFAULTS, LANGUAGES, Language, LanguageSpec, QueryFile, plain_text};

/// The grammar of a language, as tree-sitter defines it: `tree_sitter_toy::LANGUAGE.into()`.
pub use tree_sitter::Language as Grammar;

/// A language that a program adds.
///
/// ```
/// # #[cfg(feature = "lang-json")] {
/// use treegraft::language::{self, Facts, NewLanguage};
///
/// // A grammar crate exports its grammar as `LANGUAGE`.
/// let facts = Facts::new(tree_sitter_json::LANGUAGE)
///     .query("tags.scm", "(pair key: (string (string_content) @name)) @definition.key")
///     .query("kinds.scm", "(pair) @property")
///     .query("lists.scm", "[(array) (object)] @list");
/// NewLanguage::new("catalog", facts).extension("catalog").add()?;
///
/// let text = "{\"tea\": 250, \"milk\": 90}";
/// let selector = "property@milk".parse()?;
/// let edited = treegraft::edit("shop.catalog", text, &selector, &treegraft::Operation::Delete)?;
/// assert_eq!(edited.text, "{\"tea\": 250}");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NewLanguage {
    names: Vec<String>,
    extensions: Vec<String>,
    file_names: Vec<String>,
    interpreters: Vec<String>,
    indent: Option<String>,
    contexts: Vec<String>,
    overrides: bool,
    read: Read,
}

/// How the facts are read.
enum Read {
    Now(Facts),
    AtFirstUse(Loader),
}

/// Returns the facts about a language, or why they cannot be read.
pub(super) type Loader = Box<dyn Fn() -> Result<Facts, LoadError> + Send + Sync>;

/// The grammar of a language, with the files that describe it.
#[derive(Clone, Debug)]
pub struct Facts {
    grammar: Grammar,
    /// The query files: name and text.
    queries: Vec<(String, String)>,
    sample: Option<(String, String)>,
    help: Option<String>,
}

impl Facts {
    /// Returns the facts of a language without query files: its nodes can be selected by type.
    pub fn new(grammar: impl Into<Grammar>) -> Facts {
        Facts {
            grammar: grammar.into(),
            queries: Vec::new(),
            sample: None,
            help: None,
        }
    }

    /// Adds a query file. Its name determines which facts it states: `tags.scm`, `kinds.scm`, `attached.scm`,
    /// `lists.scm`, `bodies.scm`, `protected.scm` or `injections.scm`.
    pub fn query(mut self, name: impl Into<String>, text: impl Into<String>) -> Facts {
        self.queries.push((name.into(), text.into()));
        self
    }

    /// Sets a file with as many node types as possible, which lists of node types take their examples from.
    pub fn sample(mut self, name: impl Into<String>, text: impl Into<String>) -> Facts {
        self.sample = Some((name.into(), text.into()));
        self
    }

    /// Sets what users can do if a query file is invalid, for facts that are read at the first use.
    pub fn help(mut self, help: impl Into<String>) -> Facts {
        self.help = Some(help.into());
        self
    }
}

/// Why the grammar of a language cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct LoadError {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub help: Option<String>,
}

/// Why a language cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddError {
    /// The name has characters that a name of a language cannot have.
    #[error(
        "`{0}` is not a name of a language: use a-z, 0-9, `_`, `-`, `+` and `#`, and start with a letter"
    )]
    InvalidName(String),
    /// The text is no file name extension.
    #[error("`{0}` is not an extension: pass the text after the last dot of a file name")]
    InvalidExtension(String),
    /// The text is no file name.
    #[error("`{0}` is not a file name")]
    InvalidFileName(String),
    /// The text is no indentation.
    #[error("`{0}` is not a level of indentation: use spaces or a tab")]
    InvalidIndent(String),
    /// The text has no place for an expression or a statement, or several.
    #[error(
        "the context `{0}` has no `<|>` for the place of an expression or a statement, or several"
    )]
    InvalidContext(String),
    /// Another language has the name, the extension, the file name or the interpreter.
    #[error("{what} `{value}` belongs to {language}")]
    Taken {
        /// `the name`, `the extension`, `the file name` or `the interpreter`.
        what: &'static str,
        /// The name, the extension, the file name or the interpreter.
        value: String,
        /// The language that has it.
        language: &'static str,
    },
    /// The grammar was generated for another version of tree-sitter.
    #[error(transparent)]
    Abi(#[from] AbiError),
    /// A query file is outside the subset that is read.
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// A grammar that was generated for another version of tree-sitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the grammar has ABI version {found}, and this version of tree-sitter reads {} to {}",
    tree_sitter::MIN_COMPATIBLE_LANGUAGE_VERSION,
    tree_sitter::LANGUAGE_VERSION
)]
pub struct AbiError {
    /// The version of the grammar.
    pub found: usize,
}

/// Refuses a grammar that was generated for another version of tree-sitter.
///
/// # Errors
/// The version of its ABI is too old or too new.
pub fn check_abi(grammar: &Grammar) -> Result<(), AbiError> {
    let found = grammar.abi_version();
    let read = tree_sitter::MIN_COMPATIBLE_LANGUAGE_VERSION..=tree_sitter::LANGUAGE_VERSION;
    match read.contains(&found) {
        true => Ok(()),
        false => Err(AbiError { found }),
    }
}

impl NewLanguage {
    /// Returns a language with this name.
    pub fn new(name: impl Into<String>, facts: Facts) -> NewLanguage {
        NewLanguage::read_by(name.into(), Read::Now(facts))
    }

    /// Returns a language whose facts `read` returns when a file first needs them. If it fails, files of the language
    /// are refused.
    pub fn read_at_first_use(
        name: impl Into<String>,
        read: impl Fn() -> Result<Facts, LoadError> + Send + Sync + 'static,
    ) -> NewLanguage {
        NewLanguage::read_by(name.into(), Read::AtFirstUse(Box::new(read)))
    }

    fn read_by(name: String, read: Read) -> NewLanguage {
        NewLanguage {
            names: vec![name],
            extensions: Vec::new(),
            file_names: Vec::new(),
            interpreters: Vec::new(),
            indent: None,
            contexts: Vec::new(),
            overrides: false,
            read,
        }
    }

    /// Adds another name, which a code fence or a rule may use.
    pub fn other_name(mut self, name: impl Into<String>) -> NewLanguage {
        self.names.push(name.into());
        self
    }

    /// Adds an extension of its files, without the dot. A language without extensions and file names occurs only inside
    /// others.
    pub fn extension(mut self, extension: impl AsRef<str>) -> NewLanguage {
        self.extensions.push(extension.as_ref().to_lowercase());
        self
    }

    /// Adds a whole name of its files; a name that ends with `*` is a prefix.
    pub fn file_name(mut self, name: impl Into<String>) -> NewLanguage {
        self.file_names.push(name.into());
        self
    }

    /// Adds a program that the first line `#!...` of its files may name.
    pub fn interpreter(mut self, program: impl Into<String>) -> NewLanguage {
        self.interpreters.push(program.into());
        self
    }

    /// Sets one level of indentation for files that show none. Default: four spaces.
    pub fn indent(mut self, indent: impl Into<String>) -> NewLanguage {
        self.indent = Some(indent.into());
        self
    }

    /// Adds the text of a file with `<|>` in the place of an expression or a statement. A pattern that is not a whole file
    /// is parsed there.
    pub fn context(mut self, text: impl Into<String>) -> NewLanguage {
        self.contexts.push(text.into());
        self
    }

    /// Allows names, extensions, file names and interpreters of other languages: it takes them over.
    pub fn overrides(mut self) -> NewLanguage {
        self.overrides = true;
        self
    }

    /// Adds the language: from now on, lookups by path and by name find it. An engine keeps the language of a file that it
    /// has already parsed until the file changes, so add languages first.
    ///
    /// # Errors
    /// A name or an extension is invalid or taken, the grammar was generated for another version of tree-sitter, or a
    /// query file is invalid.
    pub fn add(self) -> Result<&'static Language, AddError> {
        if !self.overrides {
            self.check_free(None)?;
        }
        let language = self.made()?;
        let mut added = ADDED.write().unwrap_or_else(PoisonError::into_inner);
        // The last one that was added has precedence.
        let others = added.iter().filter(|other| **other != language).copied();
        *added = Vec::leak([language].into_iter().chain(others).collect());
        Ok(language)
    }

    /// Returns the language without adding it.
    ///
    /// # Errors
    /// See [`NewLanguage::add`].
    #[doc(hidden)]
    pub fn made(self) -> Result<&'static Language, AddError> {
        self.check_words()?;
        let names = leaked(self.names);
        let spec = LanguageSpec {
            names,
            extensions: leaked(self.extensions),
            file_names: leaked(self.file_names),
            interpreters: leaked(self.interpreters),
            contexts: leaked(self.contexts),
            indent: self.indent.map_or(DEFAULTS.indent, |indent| indent.leak()),
            ..DEFAULTS
        };
        let (loader, built) = match self.read {
            Read::AtFirstUse(loader) => (loader, OnceLock::new()),
            Read::Now(facts) => {
                let built = built(names[0], facts)?;
                // `built` is known, so nothing calls it.
                let loader: Loader = Box::new(|| {
                    let problem = "the grammar is already loaded".to_string();
                    Err(LoadError {
                        problem,
                        help: None,
                    })
                });
                (loader, OnceLock::from(Ok(Box::new(built))))
            }
        };
        Ok(Box::leak(Box::new(Language {
            name: names[0],
            spec: Box::leak(Box::new(spec)),
            loader: Some(loader),
            built,
        })))
    }

    /// Refuses invalid names and extensions.
    ///
    /// # Errors
    /// An invalid name, extension, file name or context: see [`AddError`].
    #[doc(hidden)]
    pub fn check_words(&self) -> Result<(), AddError> {
        for name in &self.names {
            check_name(name)?;
        }
        for extension in &self.extensions {
            if extension.is_empty() || extension.contains(is_not_in_extension) {
                return Err(AddError::InvalidExtension(extension.clone()));
            }
        }
        let is_level =
            |indent: &String| !indent.is_empty() && indent.chars().all(|c| c == ' ' || c == '\t');
        if let Some(indent) = self.indent.as_ref().filter(|indent| !is_level(indent)) {
            return Err(AddError::InvalidIndent(indent.clone()));
        }
        let is_no_context = |text: &&String| text.matches("<|>").count() != 1;
        if let Some(text) = self.contexts.iter().find(is_no_context) {
            return Err(AddError::InvalidContext(text.clone()));
        }
        let words = self.file_names.iter().chain(&self.interpreters);
        for name in words {
            let is_one = !name.is_empty() && name != "*" && !name.contains(['/', '\\', '\0']);
            if !is_one || name.chars().any(char::is_control) {
                return Err(AddError::InvalidFileName(name.clone()));
            }
        }
        Ok(())
    }

    /// Refuses what belongs to another language than `own`.
    ///
    /// # Errors
    /// [`AddError::Taken`].
    #[doc(hidden)]
    pub fn check_free(&self, own: Option<&str>) -> Result<(), AddError> {
        type Claims = fn(&Language) -> &'static [&'static str];
        let claims: [(&'static str, &[String], Claims); 4] = [
            ("the name", &self.names, Language::names),
            ("the extension", &self.extensions, Language::extensions),
            ("the file name", &self.file_names, Language::file_names),
            (
                "the interpreter",
                &self.interpreters,
                Language::interpreters,
            ),
        ];
        for (what, wanted, claimed) in claims {
            for value in wanted {
                let owns = |language: &&'static Language| {
                    Some(language.name) != own && claimed(language).contains(&value.as_str())
                };
                if let Some(owner) = super::all().chain([plain_text()]).find(owns) {
                    return Err(AddError::Taken {
                        what,
                        value: value.clone(),
                        language: owner.name,
                    });
                }
            }
        }
        Ok(())
    }
}

/// Refuses a text that is not a name of a language.
///
/// # Errors
/// [`AddError::InvalidName`].
#[doc(hidden)]
pub fn check_name(name: &str) -> Result<(), AddError> {
    const LONGEST: usize = 64;
    let is_in_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-+#".contains(c);
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    match starts && name.len() <= LONGEST && name.chars().all(is_in_name) {
        true => Ok(()),
        false => Err(AddError::InvalidName(name.to_string())),
    }
}

fn is_not_in_extension(c: char) -> bool {
    matches!(c, '.' | '/' | '\\' | '*') || c.is_whitespace() || c.is_control()
}

impl fmt::Debug for NewLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewLanguage")
            .field("names", &self.names)
            .field("extensions", &self.extensions)
            .finish_non_exhaustive()
    }
}

/// The languages that were added, the last one first.
static ADDED: RwLock<&'static [&'static Language]> = RwLock::new(&[]);

/// Returns the languages that were added, the last one first.
pub(super) fn added() -> &'static [&'static Language] {
    *ADDED.read().unwrap_or_else(PoisonError::into_inner)
}

/// Returns all languages: those that were added, and then the built-in ones whose names they do not take.
pub fn all() -> impl Iterator<Item = &'static Language> {
    let added = added();
    let is_overridden = |built_in: &&Language| added.contains(built_in);
    let built_in = LANGUAGES.iter().filter(move |one| !is_overridden(one));
    added.iter().copied().chain(built_in)
}

/// Reads the facts of an added language.
pub(super) fn load(name: &'static str, loader: &Loader) -> Result<Box<Built>, LoadError> {
    let facts = loader()?;
    let help = facts.help.clone();
    let built = built(name, facts).map_err(|error| LoadError {
        problem: error.to_string(),
        help,
    });
    built.map(Box::new)
}

fn built(name: &'static str, facts: Facts) -> Result<Built, AddError> {
    check_abi(&facts.grammar)?;
    let files = facts.queries.into_iter().map(|(file, text)| QueryFile {
        path: format!("{name}/{file}").leak(),
        text: text.leak(),
    });
    let queries: &'static [QueryFile] = Vec::leak(files.collect());
    let tables = Tables::read(&facts.grammar, queries, Origin::Added)?;
    let sample = facts.sample;
    Ok(Built {
        grammar: facts.grammar,
        tables,
        queries,
        sample: sample.map_or(("", ""), |(name, text)| (name.leak(), text.leak())),
    })
}

fn leaked(texts: Vec<String>) -> &'static [&'static str] {
    let texts = texts.into_iter().map(|text| &*text.leak());
    Vec::leak(texts.collect::<Vec<&'static str>>())
}
