//! `languages`: lists the languages, adds and removes those of the user, and reports what query files are missing.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use treegraft::diagnostic::{Code, Diagnostic, about_arguments};
use treegraft::engine::response::{Answer, CallText, RefusedCall};
use treegraft::language::coverage::{self, Coverage};
use treegraft::language::{self, Grammar};

use super::Environment;
use super::args::{AddLanguageVerb, CheckLanguageVerb, LoadGrammarVerb};
use crate::user_languages::{self, Added, LanguageFiles, Manifest, QueryTexts, UserLanguages};

/// The answer to `languages add`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LanguageAdded {
    /// The name.
    name: String,
    /// The directory that its files were copied into.
    directory: String,
    /// The digest of the library.
    digest: String,
    /// The version of tree-sitter's ABI that the grammar was generated for.
    abi: usize,
    /// The number of node types.
    node_types: usize,
    /// The files of the language, as patterns.
    files: Vec<String>,
    /// Whether it replaced a language of the user with this name.
    has_replaced: bool,
    /// What the query files state.
    #[serde(flatten)]
    facts: FactsListed,
}

/// The answer to `languages check`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct QueriesChecked {
    /// The directory.
    directory: String,
    /// Whether the query files were read for a grammar.
    has_grammar: bool,
    /// What the query files state.
    #[serde(flatten)]
    facts: FactsListed,
}

/// The answer to `languages remove`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LanguageRemoved {
    /// The name.
    name: String,
}

/// What the query files of a language state.
#[derive(Debug, Serialize, JsonSchema)]
struct FactsListed {
    /// The kinds of facts, in the order of the files.
    facts: Vec<FactListed>,
    /// Query files that treegraft does not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<String>,
}

/// A kind of fact.
#[derive(Debug, Serialize, JsonSchema)]
struct FactListed {
    /// The query file.
    file: &'static str,
    /// The captures.
    captures: String,
    /// Whether a file states it.
    is_stated: bool,
    /// What it brings.
    brings: &'static str,
    /// Lines that may be added to the file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
    /// A line for a grammar with common node types.
    #[serde(skip)]
    example: &'static str,
}

/// Adds a language of the user.
pub(super) fn add(
    verb: &AddLanguageVerb,
    environment: &Environment,
) -> Result<LanguageAdded, Box<RefusedCall>> {
    added(verb, environment).map_err(|refused| of_call("add", refused))
}

fn added(verb: &AddLanguageVerb, environment: &Environment) -> Result<LanguageAdded, Diagnostic> {
    let without_dot = |text: &String| {
        let text = text.strip_prefix('.').unwrap_or(text);
        text.to_lowercase()
    };
    if verb.extension.is_empty() && verb.file_name.is_empty() {
        let name = &verb.name;
        return Err(about_arguments("the language has no files")
            .help(format!("pass `--extension {name}` or `--file-name NAME`")));
    }
    let manifest = Manifest {
        name: verb.name.clone(),
        other_names: verb.alias.clone(),
        extensions: verb.extension.iter().map(without_dot).collect(),
        file_names: verb.file_name.clone(),
        interpreters: verb.interpreter.clone(),
        indent: verb.indent.clone(),
        contexts: verb.context.clone(),
        replaces: verb.replace,
        symbol: symbol(&verb.name, verb.symbol.as_deref()),
        ..Manifest::default()
    };
    let files = LanguageFiles {
        library: &verb.grammar,
        queries: verb.queries.as_deref(),
        sample: verb.sample.as_deref(),
    };
    let Added {
        language,
        manifest,
        directory,
        grammar,
        queries,
        has_replaced,
    } = of_user(environment)?.add(manifest, &files)?;
    let endings = language
        .extensions()
        .iter()
        .map(|ending| format!("*.{ending}"));
    let names = language.file_names().iter().map(ToString::to_string);
    Ok(LanguageAdded {
        name: manifest.name,
        directory: directory.into_string(),
        digest: manifest.digest,
        abi: grammar.abi_version(),
        node_types: language.node_types().len(),
        files: endings.chain(names).collect(),
        has_replaced,
        facts: FactsListed::new(queries, Some(&grammar)),
    })
}

/// Removes a language of the user.
pub(super) fn remove(
    name: &str,
    environment: &Environment,
) -> Result<LanguageRemoved, Box<RefusedCall>> {
    let removed = of_user(environment).and_then(|user| user.remove(name));
    removed.map_err(|refused| of_call("remove", refused))?;
    Ok(LanguageRemoved {
        name: name.to_string(),
    })
}

/// Compares the query files in a directory with what treegraft reads.
pub(super) fn check(
    verb: &CheckLanguageVerb,
    environment: &Environment,
) -> Result<QueriesChecked, Box<RefusedCall>> {
    checked(verb, environment).map_err(|refused| of_call("check", refused))
}

fn checked(
    verb: &CheckLanguageVerb,
    environment: &Environment,
) -> Result<QueriesChecked, Diagnostic> {
    let queries = user_languages::read_queries_of(&verb.folder)?;
    let grammar = grammar(verb, environment)?;
    if let Some(grammar) = &grammar {
        user_languages::check_queries(&verb.folder, &queries, grammar)?;
    }
    Ok(QueriesChecked {
        directory: verb.folder.to_string(),
        has_grammar: grammar.is_some(),
        facts: FactsListed::new(queries, grammar.as_ref()),
    })
}

/// Returns the grammar to read the query files for, if the user names one.
fn grammar(
    verb: &CheckLanguageVerb,
    environment: &Environment,
) -> Result<Option<Grammar>, Diagnostic> {
    if let Some(name) = &verb.language {
        let known = language::all().find(|one| one.names().contains(&name.as_str()));
        let Some(known) = known else {
            let diagnostic = Diagnostic::new(
                Code::UnknownLanguage,
                format!("unknown language \"{name}\""),
            );
            return Err(diagnostic.help("run `treegraft languages` to list all"));
        };
        if let Some(error) = known.load_error() {
            let failed = format!("cannot check query files of {name}");
            return Err(treegraft::diagnostic::about_grammar(&failed, error));
        }
        return Ok(known.grammar().cloned());
    }
    let Some(path) = &verb.grammar else {
        return Ok(None);
    };
    let stem = path.file_stem().unwrap_or_default();
    let stem = ["libtree-sitter-", "tree-sitter-"]
        .iter()
        .find_map(|start| stem.strip_prefix(start))
        .unwrap_or(stem);
    let symbol = symbol(stem, verb.symbol.as_deref());
    let program = environment.program.as_deref();
    user_languages::grammar_of(path, &symbol, program).map(Some)
}

/// Loads a library and reports the result, for the process that started this one.
pub(super) fn report_load(verb: &LoadGrammarVerb) -> String {
    let sample = verb.sample.as_deref();
    user_languages::load_and_report(&verb.library, &verb.symbol, sample)
}

/// Returns the function that returns the grammar, as tree-sitter names it by default.
fn symbol(name: &str, given: Option<&str>) -> String {
    let default = || {
        let in_c = |c: char| match c.is_ascii_alphanumeric() {
            true => c,
            false => '_',
        };
        let name: String = name.chars().map(in_c).collect();
        format!("tree_sitter_{name}")
    };
    given.map_or_else(default, str::to_string)
}

fn of_user(environment: &Environment) -> Result<UserLanguages, Diagnostic> {
    UserLanguages::of_user(environment.program.as_deref()).ok_or_else(|| {
        Diagnostic::new(Code::IoError, "no home directory found").help("set HOME to a directory")
    })
}

fn of_call(verb: &str, refused: Diagnostic) -> Box<RefusedCall> {
    Box::new(RefusedCall::of_call(
        "languages",
        json!({"verb": verb}),
        refused,
    ))
}

impl FactsListed {
    fn new(queries: QueryTexts, grammar: Option<&Grammar>) -> FactsListed {
        let facts = coverage::for_queries(&queries.read, grammar).into_iter();
        let listed = |one: Coverage| FactListed {
            file: one.file,
            captures: one.captures,
            is_stated: one.is_stated,
            brings: one.brings,
            lines: one.lines,
            example: one.example,
        };
        FactsListed {
            facts: facts.map(listed).collect(),
            unread: queries.others,
        }
    }

    /// Returns the facts in two lists, with the lines that may be added.
    fn text(&self, has_grammar: bool) -> String {
        let mut text = self.lists(true);
        if !has_grammar {
            text.push_str(
                "\nwithout a grammar, the patterns were not read; pass --grammar FILE or --language NAME\n",
            );
        }
        text
    }

    fn lists(&self, with_lines: bool) -> String {
        let mut text = String::new();
        let (stated, missing): (Vec<_>, Vec<_>) = self.facts.iter().partition(|one| one.is_stated);
        if !stated.is_empty() {
            text.push_str("\nstated:\n");
        }
        for one in stated {
            let _ = writeln!(text, "  {} {}: {}", one.file, one.shown(), one.brings);
            if with_lines {
                write_lines(&mut text, "  could add", &one.lines);
            }
        }
        if !missing.is_empty() {
            text.push_str("\nmissing:\n");
        }
        for one in missing {
            let _ = writeln!(text, "  {} {}: {}", one.file, one.shown(), one.brings);
            match one.lines.is_empty() {
                _ if !with_lines => {}
                false => write_lines(&mut text, "  could add", &one.lines),
                true => {
                    let _ = writeln!(text, "    for example: {}", one.example);
                }
            }
        }
        if !self.unread.is_empty() {
            let _ = writeln!(text, "\ntreegraft does not read {}", self.unread.join(", "));
        }
        text
    }
}

impl FactListed {
    /// Returns the first captures; `*` means any end of one.
    fn shown(&self) -> String {
        const SHOWN: usize = 5;
        let mut captures = self.captures.split(' ');
        let first: Vec<&str> = captures.by_ref().take(SHOWN).collect();
        match (captures.count(), self.captures.ends_with('.')) {
            (0, true) => format!("{}*", self.captures),
            (0, false) => first.join(" "),
            (more, _) => format!("{} and {more} more", first.join(" ")),
        }
    }
}

/// Writes the first lines, and how many more there are.
fn write_lines(text: &mut String, heading: &str, lines: &[String]) {
    const SHOWN: usize = 5;
    for line in lines.iter().take(SHOWN) {
        let _ = writeln!(text, "  {heading}: {line}");
    }
    if let Some(more) = lines.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "  {heading} {more} more: pass --json to list all");
    }
}

impl Answer for LanguageAdded {
    fn text_with(&self, _: CallText<'_>) -> String {
        let done = match self.has_replaced {
            true => "replaced",
            false => "added",
        };
        let mut text = format!("{done} {}\n  files: {}\n", self.name, self.files.join(" "));
        let _ = writeln!(
            text,
            "  grammar: {} node types, ABI {}, digest {}",
            self.node_types,
            self.abi,
            self.digest.get(..16).unwrap_or(&self.digest)
        );
        let _ = writeln!(text, "  copied to {}", self.directory);
        text.push_str(&self.facts.lists(false));
        let name = &self.name;
        let _ = writeln!(
            text,
            "\n`treegraft languages check FOLDER --language {name}` lists lines to add to query files\n\
             a running server uses the language after a restart"
        );
        text
    }
}

impl Answer for QueriesChecked {
    fn text_with(&self, _: CallText<'_>) -> String {
        format!("{}\n{}", self.directory, self.facts.text(self.has_grammar))
    }
}

impl Answer for LanguageRemoved {
    fn text_with(&self, _: CallText<'_>) -> String {
        format!("removed {}\n", self.name)
    }
}
