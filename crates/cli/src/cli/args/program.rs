//! The arguments of the verbs that serve, run many calls, or manage the installation.

use std::net::SocketAddr;
use std::num::NonZeroUsize;

use camino::Utf8PathBuf;
use clap::builder::{
    NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser,
};
use clap::{Args, Subcommand};
use clap_complete::Shell;

use treegraft::engine::tools::ToolGroup;
use treegraft::workspace::Guard;

use super::HELP_LAYOUT;
use crate::cli::clients::{CLIENTS, SERVER_NAME};
use crate::hook::HOOK_CLIENTS;

/// How long the background process runs without a question, by default.
pub(in crate::cli) const IDLE_SECONDS: u64 = 1800;

#[derive(Debug, Args)]
pub(in crate::cli) struct ServeVerb {
    /// Offer these groups of tools, separated by commas [default: those of treegraft.toml, or else
    /// lean]
    #[arg(
        long,
        value_name = "GROUPS",
        value_delimiter = ',',
        value_parser = group_names()
    )]
    pub(in crate::cli) tools: Vec<ToolGroup>,
    /// Serve streamable HTTP at this loopback address; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(in crate::cli) http: Option<SocketAddr>,
    /// Set the bearer token that HTTP clients must send (Authorization: Bearer TOKEN);
    /// generated and printed if omitted. Prefer the environment variable: other users can see the
    /// arguments of a command
    #[arg(
        long,
        value_name = "TOKEN",
        env = "TREEGRAFT_TOKEN",
        hide_env_values = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(in crate::cli) token: Option<String>,
    /// Write no file: stage all edits, until a person applies them with treegraft apply
    #[arg(long)]
    pub(in crate::cli) stage_only: bool,
    /// Refuse calls while the syntax trees of all files would take more memory than this, for
    /// example 2GB: an edit takes about 60 times the size of its file. The configuration limits
    /// the memory of language servers
    #[arg(long, value_name = "SIZE", value_parser = treegraft::memory::parse)]
    pub(in crate::cli) max_memory: Option<u64>,
    /// Keep the language servers of the workspace in a background process, which answers the
    /// questions of the command line
    #[arg(long, conflicts_with_all = ["tools", "http", "token", "stage_only", "max_memory"])]
    pub(in crate::cli) background: bool,
    /// End the background process and its language servers
    #[arg(long, requires = "background")]
    pub(in crate::cli) stop: bool,
    /// End the background process after this time without a question
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "background",
        default_value_t = IDLE_SECONDS
    )]
    pub(in crate::cli) idle: u64,
    /// Be the background process
    #[arg(long, hide = true, requires = "background")]
    pub(in crate::cli) here: bool,
}

#[cfg(feature = "review")]
#[derive(Debug, Args)]
pub(in crate::cli) struct ReviewVerb {
    /// Listen on this port of 127.0.0.1. Default: a free port
    #[arg(
        long,
        value_name = "PORT",
        default_value = "0",
        hide_default_value = true
    )]
    pub(in crate::cli) port: u16,
    /// Print the link, and do not open the browser
    #[arg(long)]
    pub(in crate::cli) no_open: bool,
    /// Show the edits in this terminal instead, for example over ssh
    #[arg(long, conflicts_with_all = ["port", "no_open"])]
    pub(in crate::cli) terminal: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct BatchVerb {
    /// File of calls; - reads standard input
    #[arg(default_value = "-")]
    pub(in crate::cli) file: String,
    /// Append the answers to this file, and skip lines that have an answer in it
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) output: Option<Utf8PathBuf>,
    /// Make all lines, which must be edits, one edit: all or none
    #[arg(long)]
    pub(in crate::cli) atomic: bool,
    /// Write the edits now, except those of lines that set "apply": false
    #[arg(long)]
    pub(in crate::cli) apply: bool,
    /// Set the number of lines that run in parallel. Default: the number of cores
    #[arg(long, value_name = "N")]
    pub(in crate::cli) jobs: Option<NonZeroUsize>,
    /// Make the calls on the texts in the lines, without files, workspace or state
    #[arg(long, conflicts_with_all = ["output", "atomic", "apply"])]
    pub(in crate::cli) pure: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CompletionsVerb {
    /// Shell of the script
    pub(in crate::cli) shell: Shell,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ManVerb {
    /// Directory for the pages; created if it is missing
    #[arg(value_name = "DIR")]
    pub(in crate::cli) directory: Option<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct HookVerb {
    /// Client whose event is on standard input
    #[arg(value_parser = PossibleValuesParser::new(HOOK_CLIENTS.iter().map(|client| client.name)))]
    pub(in crate::cli) client: String,
    /// Override `guard` of the user's configuration: deny a call that would fail or break the syntax, only
    /// warn about it, or do nothing
    #[arg(long, value_name = "GUARD", value_parser = guard())]
    pub(in crate::cli) guard: Option<Guard>,
    /// Let the call pass unchecked after this time
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 500)]
    pub(in crate::cli) time_limit: u64,
    /// After an edit, report the new errors that the language server of the file finds within SECONDS
    /// (10 if omitted). Only Claude Code reports the text before an edit
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "10")]
    pub(in crate::cli) diagnostics: Option<u64>,
}

fn guard() -> impl TypedValueParser<Value = Guard> {
    PossibleValuesParser::new(["deny", "warn", "off"]).map(|name| match name.as_str() {
        "warn" => Guard::Warn,
        "off" => Guard::Off,
        _ => Guard::Deny,
    })
}

#[derive(Debug, Args)]
pub(in crate::cli) struct InstallVerb {
    /// Client to configure
    #[arg(value_parser = client_names())]
    pub(in crate::cli) client: Option<String>,
    /// Write the changes, keep the rest of each file, and save a copy of it as FILE.treegraft-backup
    #[arg(long)]
    pub(in crate::cli) write: bool,
    /// Use the configuration of the project instead of the user's. Its files name the command
    /// treegraft without a path
    #[arg(long)]
    pub(in crate::cli) project: bool,
    /// Offer these groups of tools, separated by commas: lean, or read, edit, flow, server
    #[arg(
        long,
        value_name = "GROUPS",
        value_delimiter = ',',
        hide_possible_values = true,
        conflicts_with = "no_server",
        value_parser = group_names()
    )]
    pub(in crate::cli) tools: Vec<ToolGroup>,
    /// Also run treegraft client hook before each edit with the client's own edit tools
    #[arg(long)]
    pub(in crate::cli) hook: bool,
    /// Also run the hook after each edit, to report new errors of the language server (claude-code)
    #[arg(long, requires = "hook")]
    pub(in crate::cli) diagnostics: bool,
    /// Also write when to use which tool into the client's file of instructions, such as AGENTS.md
    #[arg(long)]
    pub(in crate::cli) instructions: bool,
    /// Leave out the server
    #[arg(long)]
    pub(in crate::cli) no_server: bool,
    /// Set the name of the server in the configuration
    #[arg(long, value_name = "NAME", default_value = SERVER_NAME, value_parser = server_name)]
    pub(in crate::cli) name: String,
    /// The roots of the global option `--root`.
    #[arg(skip)]
    pub(in crate::cli) root: Vec<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct UninstallVerb {
    /// Client whose configuration to clean
    #[arg(value_parser = client_names())]
    pub(in crate::cli) client: String,
    /// Write the changes, and keep the rest of each file
    #[arg(long)]
    pub(in crate::cli) write: bool,
    /// Use the configuration of the project instead of the user's
    #[arg(long)]
    pub(in crate::cli) project: bool,
    /// Remove the copies that install saved, too
    #[arg(long)]
    pub(in crate::cli) remove_backups: bool,
    /// Set the name of the server in the configuration
    #[arg(long, value_name = "NAME", default_value = SERVER_NAME, value_parser = server_name)]
    pub(in crate::cli) name: String,
    /// The roots of the global option `--root`.
    #[arg(skip)]
    pub(in crate::cli) root: Vec<Utf8PathBuf>,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub(in crate::cli) struct LanguagesVerb {
    #[command(subcommand)]
    pub(in crate::cli) verb: Option<LanguageVerb>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(in crate::cli) enum LanguageVerb {
    /// List all languages; yours are marked
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print each language with its files, other names and language server: first the built-in languages, \
then yours.",
        after_help = "\
Example:
  treegraft languages list"
    )]
    List,
    /// List the node types of a language
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print each node type with an example and, in parentheses, the general words for it. Both can be \
passed to --ancestor and --node-type.",
        after_help = "\
Examples:
  treegraft languages node-types rust
  treegraft languages node-types tsx | grep function"
    )]
    NodeTypes(NodeTypesVerb),
    /// Add a language: a grammar that you built, and its query files
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Copy a tree-sitter grammar (a shared library that exports tree_sitter_NAME) and its query files \
next to your configuration, and check them: the ABI of the grammar, the query files, the sample. \
From then on, all commands and servers use the language like a built-in one. A library is a \
program: add only one that you trust.",
        after_help = "\
Examples:
  treegraft languages add toy --grammar toy.so --extension toy
  treegraft languages add toy --grammar toy.so --queries queries/toy --extension toy \\
    --sample queries/toy/sample.toy"
    )]
    Add(AddLanguageVerb),
    /// Remove a language that you added
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Delete the copies of the grammar and the query files. Files of the language are plain text then.",
        after_help = "\
Example:
  treegraft languages remove old-toy"
    )]
    Remove(RemoveLanguageVerb),
    /// Report which query files and captures a language lacks
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print what the query files in FOLDER state and what is missing: what each missing capture would \
bring, and lines to add. With a grammar, the files are read for it, and the lines have its node \
types.",
        after_help = "\
Examples:
  treegraft languages check queries/toy
  treegraft languages check queries/toy --grammar toy.so
  treegraft languages check queries/toy --language old-toy"
    )]
    Check(CheckLanguageVerb),
    /// Load a grammar and report the result, for the process that started this one
    #[command(hide = true)]
    LoadGrammar(LoadGrammarVerb),
}

#[derive(Debug, Args)]
pub(in crate::cli) struct AddLanguageVerb {
    /// Name of the language: a-z, 0-9, _, -, + and #
    pub(in crate::cli) name: String,
    /// Shared library with the grammar, as `tree-sitter build` makes it
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) grammar: Utf8PathBuf,
    /// Directory with the query files: tags.scm, kinds.scm, ...
    #[arg(long, value_name = "FOLDER")]
    pub(in crate::cli) queries: Option<Utf8PathBuf>,
    /// Extension of its files (repeatable)
    #[arg(long, value_name = "EXT")]
    pub(in crate::cli) extension: Vec<String>,
    /// Whole name of its files, such as Justfile; one that ends with * is a prefix (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) file_name: Vec<String>,
    /// Program that the first line #!... of its files may name (repeatable)
    #[arg(long, value_name = "PROGRAM")]
    pub(in crate::cli) interpreter: Vec<String>,
    /// Other name, for code fences and rules (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) alias: Vec<String>,
    /// One level of indentation, for files that show none. Default: four spaces
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) indent: Option<String>,
    /// Text of a file with <|> where an expression or a statement is, for patterns (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) context: Vec<String>,
    /// Function of the library that returns the grammar. Default: tree_sitter_NAME
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) symbol: Option<String>,
    /// File with many node types, which must parse; node-types takes its examples from it
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) sample: Option<Utf8PathBuf>,
    /// Replace your language of this name, and take over names and extensions of other languages
    #[arg(long)]
    pub(in crate::cli) replace: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct RemoveLanguageVerb {
    /// Name of the language
    pub(in crate::cli) name: String,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct CheckLanguageVerb {
    /// Directory with the query files
    pub(in crate::cli) folder: Utf8PathBuf,
    /// Read the query files for the grammar in this shared library
    #[arg(long, value_name = "FILE", conflicts_with = "language")]
    pub(in crate::cli) grammar: Option<Utf8PathBuf>,
    /// Read the query files for the grammar of this language
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) language: Option<String>,
    /// Function of the library that returns the grammar. Default: tree_sitter_ and the name of FILE
    #[arg(long, value_name = "NAME", requires = "grammar")]
    pub(in crate::cli) symbol: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct LoadGrammarVerb {
    /// Shared library
    pub(in crate::cli) library: Utf8PathBuf,
    /// Function that returns the grammar
    pub(in crate::cli) symbol: String,
    /// File to parse
    pub(in crate::cli) sample: Option<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct NodeTypesVerb {
    /// Name or file extension of the language
    pub(in crate::cli) language: String,
}

/// Returns a parser that accepts the names of the tool groups.
fn group_names() -> impl TypedValueParser<Value = ToolGroup> {
    let groups = ToolGroup::ALL.iter().copied();
    PossibleValuesParser::new(groups.map(ToolGroup::name)).try_map(|name| {
        let mut groups = ToolGroup::ALL.iter().copied();
        groups
            .find(|group| group.name() == name)
            .ok_or("unknown group of tools")
    })
}

/// Returns a parser that accepts the names of the clients.
fn client_names() -> PossibleValuesParser {
    let names = CLIENTS.iter().map(|client| PossibleValue::new(client.name));
    PossibleValuesParser::new(names)
}

/// Parses a server name that every client accepts.
fn server_name(name: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(allowed) {
        true => Ok(name.to_string()),
        false => Err("a name must consist of letters, digits, - and _".to_string()),
    }
}
