//! The arguments of each verb, and the engine requests they make.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::time::Duration;

use camino::Utf8PathBuf;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use serde_json::{Value, json};

use crate::mcp::ToolGroup;
use treegraft::diagnostic::{Code, Diagnostic, about_arguments, about_locate_syntax};
use treegraft::engine::Engine;
use treegraft::engine::coordinates::{PositionArgument, RangeArgument};
use treegraft::engine::request::questions::{
    AllowRename, CodeActions, Completions, DefinitionKind, Diagnostics, FindReferences, Format,
    GotoDefinition, Hover, NamedPlace, ReferenceKind, RenameSymbol, SignatureHelp,
    WorkspaceSymbols,
};
use treegraft::engine::request::{
    self, ApplyEdit, DeleteNode, Describe, Destination, DiscardEdit, EditNodes, FindNodes,
    IndentArgument, InsertNode, InsertPositionArgument, ListEdits, LocateArgument, MoveNode,
    Outline, ReadNode, ReplaceNode, ReplaceText, RetargetEdit, ScopeArgument, SelectorArgument,
    UndoEdit, WrapNode,
};
use treegraft::engine::response::Refusal;
use treegraft::locate::{self, Question};

use super::clients::CLIENTS;
use super::install;
use super::selector::{Requested, SelectorOptions, read_selector};

/// Over the options that every verb takes.
const EVERYWHERE: &str = "Everywhere";

/// Change code by saying what it is: the text that is there and the node around it.
#[derive(Debug, Parser)]
#[command(name = "treegraft", version, about, long_about = None, max_term_width = 100, after_help = "\
Examples:
  treegraft outline src
  treegraft replace src/api.rs --anchor 'timeout(30)' --ancestor call --content 'timeout(60)'
  treegraft edits
  treegraft apply e0123456789ab

Each verb has more of them: treegraft help replace
Exit status: 0 done, 1 refused, 2 usage, 3 environment.")]
pub struct Arguments {
    /// A directory to work in (may be given several times). Default: the nearest folder upward
    /// with treegraft.toml or .git, else the current one
    #[arg(long, global = true, value_name = "DIR", help_heading = EVERYWHERE)]
    pub(super) root: Vec<Utf8PathBuf>,
    /// Print JSON, the same that the MCP server answers
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(super) json: bool,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = EVERYWHERE)]
    pub(super) color: Color,
    /// Do not show long diffs in a pager
    #[arg(long, global = true, help_heading = EVERYWHERE)]
    pub(super) no_pager: bool,
    #[command(subcommand)]
    pub(super) verb: Verb,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(super) enum Verb {
    #[command(flatten)]
    Workspace(Box<WorkspaceVerb>),
    /// List the languages: their files, names and language servers
    #[command(after_help = "\
Example:
  treegraft languages")]
    Languages,
    /// Show what makes a client start the server, and with --write put it into its configuration
    #[command(after_help = "\
Examples:
  treegraft install
  treegraft install claude-code
  treegraft install claude-code --write
  treegraft install vscode --project --root ~/project --write")]
    Install(InstallVerb),
    /// Say what works here and what is missing; the status is 3 where nothing can be edited
    #[command(after_help = "\
Examples:
  treegraft doctor
  treegraft doctor --root ~/project --json")]
    Doctor,
    /// List the node types of a language, each with an example and the general words for it
    #[command(after_help = "\
Examples:
  treegraft node-types rust
  treegraft node-types tsx | grep function")]
    NodeTypes(NodeTypesVerb),
    /// Print what makes a shell complete the command line
    #[command(
        visible_alias = "completions",
        after_help = "\
Examples:
  treegraft shell-completions bash > ~/.local/share/bash-completion/completions/treegraft
  treegraft shell-completions zsh > ~/.zfunc/_treegraft
  treegraft shell-completions fish > ~/.config/fish/completions/treegraft.fish"
    )]
    ShellCompletions(ShellVerb),
    /// Print the page of the manual, or write it and one of each verb into a directory
    #[command(after_help = "\
Examples:
  treegraft man > treegraft.1
  treegraft man ~/.local/share/man/man1")]
    Man(ManVerb),
}

const PLACE_EXAMPLES: &str = "\
Examples:
  treegraft def 'src/app.py:main@<|>Store('
  treegraft def src/app.py --line 12 --symbol Store
  treegraft def 'src/app.py:main@<|>store.get' --kind type";

/// The verbs that work on files. One is described to the parser when it is called: all of them take half
/// of the program's start.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(super) enum WorkspaceVerb {
    /// List the symbols of a file, of a directory or of what a glob matches
    #[command(after_help = "\
Examples:
  treegraft outline src/main.rs
  treegraft outline src --kind function --depth 1
  treegraft outline 'src/**/*.py' --max 1000")]
    Outline(OutlineVerb),
    /// Find nodes by a text, a pattern, their type, the name of their symbol or a query
    #[command(after_help = "\
Examples:
  treegraft find src --text 'timeout(' --type call
  treegraft find --name 'handle_*' --type function
  treegraft find 'src/**/*.rs' --regex 'unwrap\\(\\)$'
  treegraft find src --query '(call_expression function: (identifier) @name)'")]
    Find(FindVerb),
    /// Say where a described place is
    #[command(after_help = "\
Examples:
  treegraft locate 'src/main.rs@fn <|>main'
  treegraft locate 'src/server.rs:Server.handle@return <|>result'
  treegraft locate src/server.rs:Server --range
  treegraft locate 'src/server.rs@return result' --index 2")]
    Locate(LocateVerb),
    /// Say what leads to a line and character: the shortest locate and selector
    #[command(after_help = "\
Examples:
  treegraft describe src/main.rs 42:10
  treegraft describe src/main.rs 42:10-43:5
  treegraft describe 'src/main.rs:42:10: error: cannot find value `x` in this scope'")]
    Describe(DescribeVerb),
    /// Say where a name is defined, by its language server
    #[command(after_help = PLACE_EXAMPLES)]
    Def(DefVerb),
    /// List where a name is used, by its language server
    #[command(after_help = "\
Examples:
  treegraft refs src/store.py:Store.get
  treegraft refs src/store.py:Store.get --kind callers
  treegraft refs src/app.py --line 12 --symbol store --max 200")]
    Refs(RefsVerb),
    /// Say what a name is: its type, signature and documentation, by its language server
    #[command(after_help = "\
Examples:
  treegraft hover 'src/app.py:main@<|>store.get('
  treegraft hover src/app.py --line 12 --symbol store")]
    Hover(HoverVerb),
    /// List what is wrong in files, by their language servers
    #[command(after_help = "\
Examples:
  treegraft check src/app.py
  treegraft check 'src/**/*.ts' --max 200")]
    Check(CheckVerb),
    /// List the symbols of the workspace with such a name, by its language servers
    #[command(after_help = "\
Examples:
  treegraft symbols Store")]
    Symbols(SymbolsVerb),
    /// Rename a symbol in every file that uses it: shows the diff, writes nothing without --apply
    #[command(after_help = "\
Examples:
  treegraft rename src/store.py:Store.get fetch
  treegraft rename src/app.py --line 12 --symbol store shelf --apply")]
    Rename(RenameVerb),
    /// List what a language server proposes to do at a place; --apply previews one of them
    #[command(after_help = "\
Examples:
  treegraft actions src/app.py --line 12 --symbol Store
  treegraft actions src/app.py --line 12 --symbol Store --apply 'import store.Store'
  treegraft actions src/app.py --range 12:5-14:20")]
    Actions(ActionsVerb),
    /// Lay out a file as its language server does: shows the diff, writes nothing without --apply
    #[command(after_help = "\
Examples:
  treegraft format src/store.ts
  treegraft format src/store.ts --lines 10-20 --apply")]
    Format(FormatVerb),
    /// List what may stand at a place, by its language server
    #[command(after_help = "\
Examples:
  treegraft complete 'src/app.py:main@store.<|>get'")]
    Complete(CompleteVerb),
    /// Say what a call takes, by its language server
    #[command(after_help = "\
Examples:
  treegraft signature 'src/app.py:main@store.get(<|>'")]
    Signature(SignatureVerb),
    /// Print a node, or the node types there are at a text
    #[command(after_help = "\
Examples:
  treegraft read src/main.rs 'function_item@fn main'
  treegraft read src/main.rs --symbol main
  treegraft read src/main.rs --anchor 'fn main'")]
    Read(ReadVerb),
    /// Replace a node: shows the diff, writes nothing without --apply
    #[command(after_help = "\
Examples:
  treegraft replace src/api.rs --anchor 'Method::POST =>' --ancestor match_arm \\
      --content 'Method::POST => create(request),'
  treegraft replace src/api.rs 'match_arm@Method::POST =>' \\
      --content 'Method::POST => create(request),'
  treegraft replace config.json --anchor '\"port\"' --ancestor pair --content '\"port\": 8080' --apply
  generate | treegraft replace src/api.rs --anchor 'fn new' --ancestor function \\
      --symbol Server --content-file -")]
    Replace(ReplaceVerb),
    /// Replace less than a node, or more, by its text: shows the diff, writes nothing without --apply
    #[command(after_help = "\
Examples:
  treegraft replace-text src/api.rs --find 'timeout(30)' --content 'timeout(60)'
  treegraft replace-text src/api.rs --symbol Server.handle --find 'return <|>result<|> + 1' \\
      --content total
  treegraft replace-text src/api.rs --find 'let plan = <..>;' --content 'let plan = Plan::new();'
  treegraft replace-text src/api.rs --find 'log::debug!(\"here\");' --content '' --apply")]
    ReplaceText(ReplaceTextVerb),
    /// Insert beside a node or inside its body: shows the diff, writes nothing without --apply
    #[command(after_help = "\
Examples:
  treegraft insert src/api.rs --anchor 'Method::POST =>' --ancestor match_arm --position after \\
      --content 'Method::PUT => update(request),'
  treegraft insert config.json --anchor '\"server\"' --ancestor pair --position last_child \\
      --content '\"port\": 8080' --apply
  generate | treegraft insert src/api.rs --anchor 'impl Server' --ancestor impl_item \\
      --position first_child --content-file -")]
    Insert(InsertVerb),
    /// Delete a node with what is attached to it: shows the diff, writes nothing without --apply
    #[command(after_help = "\
Examples:
  treegraft delete src/api.rs --anchor 'fn old' --ancestor function_item
  treegraft delete src/api.rs --symbol old
  treegraft delete config.json --anchor '\"port\"' --ancestor pair --apply")]
    Delete(DeleteVerb),
    /// Put a node into new content: shows the diff, writes nothing without --apply
    #[command(after_help = "\
The marker <|> in the content is where the node goes; write <<|>> if the content itself contains <|>.

Examples:
  treegraft wrap src/api.rs --anchor 'send(reply)' --ancestor expression_statement \\
      --content 'if ready {
      <|>
  }'
  treegraft wrap src/api.ts --anchor 'load()' --ancestor call_expression \\
      --content 'await <|>' --apply")]
    Wrap(WrapVerb),
    /// Put a node elsewhere: shows the diff, writes nothing without --apply
    #[command(after_help = "\
Examples:
  treegraft move src/api.rs 'function_item@fn helper' --to 'function_item@fn main' \\
      --position before
  treegraft move src/api.rs --anchor 'struct Reply' --ancestor struct_item \\
      --to-file src/reply.rs --to 'use_declaration@use std::io' --position after --apply")]
    Move(MoveVerb),
    /// Make several edits of one or more files, all or none: shows the diff, writes nothing without
    /// --apply or `"apply": true` in the JSON
    #[command(after_help = "\
Examples:
  treegraft edit '[{\"op\": \"replace\", \"file_path\": \"src/api.rs\",
      \"selector\": {\"anchor_text\": \"fn new\", \"ancestor_node_type\": \"function\"},
      \"new_content\": \"fn new() -> Api {}\"},
     {\"op\": \"delete\", \"file_path\": \"src/old.rs\",
      \"selector\": {\"anchor_text\": \"fn old\", \"ancestor_node_type\": \"function\"}}]'
  treegraft edit - --apply < edits.json")]
    Edit(SeveralVerb),
    /// Make many calls, a line of JSON each, and answer a line each: previews, writes nothing without
    /// --apply
    #[command(after_help = "\
A line is {\"tool\": \"replace_node\", \"arguments\": {..}}, a call as over MCP, with an \"id\" if you like;
its answer has that id and a result, or an error. Paths are relative to the root of the workspace,
also from a folder below it.

Examples:
  treegraft batch calls.jsonl > answers.jsonl
  treegraft batch --output answers.jsonl --apply < calls.jsonl
  treegraft batch calls.jsonl --atomic --apply")]
    Batch(BatchVerb),
    /// Write what a preview showed; on a terminal it shows the diff and asks
    #[command(after_help = "\
Examples:
  treegraft apply e0123456789ab
  treegraft apply e0123456789ab --yes")]
    Apply(ApplyVerb),
    /// Take back an applied edit: the files get exactly the bytes they had
    #[command(after_help = "\
Example:
  treegraft undo e0123456789ab")]
    Undo(EditVerb),
    /// Forget a staged edit
    #[command(after_help = "\
Example:
  treegraft discard e0123456789ab")]
    Discard(EditVerb),
    /// Give a staged or refused edit another place
    #[command(after_help = "\
Examples:
  treegraft retarget e0123456789ab 'match_arm@Method::PUT =>'
  treegraft retarget e0123456789ab --anchor 'Method::PUT =>' --ancestor match_arm")]
    Retarget(RetargetVerb),
    /// List the edits that wait, and those applied lately
    #[command(after_help = "\
Examples:
  treegraft edits
  treegraft edits --json")]
    Edits,
    /// Show one edit with its diff
    #[command(after_help = "\
Example:
  treegraft show e0123456789ab")]
    Show(EditVerb),
    /// Count what became of the calls that edit: outcomes, refusals, times
    #[command(after_help = "\
Examples:
  treegraft stats
  treegraft stats --since 7d --json")]
    Stats(StatsVerb),
    /// Serve the tools over MCP, on standard input and output or over HTTP
    #[command(after_help = "\
Examples:
  treegraft serve --root ~/project
  treegraft serve --tools read
  TREEGRAFT_TOKEN=$(openssl rand -hex 32) treegraft serve --http 127.0.0.1:8642")]
    Serve(ServeVerb),
}

#[derive(Debug, Args)]
pub(super) struct ServeVerb {
    /// The groups of tools that are offered
    #[arg(
        long,
        value_name = "GROUPS",
        value_delimiter = ',',
        default_value = "read,edit,flow"
    )]
    pub(super) tools: Vec<GroupOption>,
    /// Listen here for streamable HTTP, at a loopback address; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(super) http: Option<SocketAddr>,
    /// What clients over HTTP must bear (Authorization: Bearer TOKEN); without it one is made and printed.
    /// Other users see what stands on a command line: the variable keeps it to yourself
    #[arg(
        long,
        value_name = "TOKEN",
        env = "TREEGRAFT_TOKEN",
        hide_env_values = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(super) token: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum GroupOption {
    Read,
    Edit,
    Flow,
    Server,
}

impl ServeVerb {
    pub(super) fn groups(&self) -> Vec<ToolGroup> {
        let groups = self.tools.iter().map(|group| match group {
            GroupOption::Read => ToolGroup::Read,
            GroupOption::Edit => ToolGroup::Edit,
            GroupOption::Flow => ToolGroup::Flow,
            GroupOption::Server => ToolGroup::Server,
        });
        groups.collect()
    }
}

#[derive(Debug, Args)]
pub(super) struct ShellVerb {
    /// The shell
    pub(super) shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManVerb {
    /// The directory, which is made where it is missing
    #[arg(value_name = "DIR")]
    pub(super) directory: Option<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct StatsVerb {
    /// Only of the last minutes, hours, days or weeks: 30m, 12h, 7d, 4w
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(super) since: Option<Duration>,
}

#[derive(Debug, Args)]
pub(super) struct InstallVerb {
    /// The client; without one they are listed, with the file of each
    #[arg(value_parser = client_names())]
    pub(super) client: Option<String>,
    /// Write it; all else in the file stays as it is
    #[arg(long)]
    pub(super) write: bool,
    /// Into the configuration of the project instead of the user's
    #[arg(long)]
    pub(super) project: bool,
    /// What the server is called there
    #[arg(long, value_name = "NAME", default_value = install::NAME, value_parser = server_name)]
    pub(super) name: String,
    /// Those of the whole command line.
    #[arg(skip)]
    pub(super) root: Vec<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct OutlineVerb {
    /// A file, a directory or a glob
    #[arg(default_value = ".")]
    path: String,
    /// How many levels of symbols. Default: all of one file, 2 of several
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Only symbols of this kind: function, class, ...
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    #[command(flatten)]
    page: PageOptions,
}

#[derive(Debug, Args)]
pub(super) struct FindVerb {
    /// A file, a directory or a glob
    #[arg(default_value = ".")]
    path: String,
    /// Exactly this text
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
    /// What this pattern matches; ^ and $ are ends of lines
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    regex: Option<String>,
    /// Nodes of this type, or general word; beside a text, a pattern or a name: the one around it
    #[arg(long = "type", value_name = "TYPE")]
    node_type: Option<String>,
    /// Symbols of this name; * stands for any text
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    name: Option<String>,
    /// What this query of tree-sitter captures first
    #[arg(long, value_name = "QUERY")]
    query: Option<String>,
    #[command(flatten)]
    page: PageOptions,
}

// Which part of a long answer. (A doc comment on what is flattened would become the help of the verb.)
#[derive(Debug, Args)]
struct PageOptions {
    /// How many at most
    #[arg(long, value_name = "N")]
    max: Option<usize>,
    /// Go on where the answer before ended
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct LocateVerb {
    /// path:scope@find; scope is a symbol path or lines, find may hold the marker <|>
    locate: String,
    /// Print the range instead of a point
    #[arg(long)]
    range: bool,
    /// Take the N-th match instead of the first
    #[arg(long, value_name = "N")]
    index: Option<NonZeroUsize>,
    /// Take the text most like find where it does not match
    #[arg(long)]
    fuzzy: bool,
}

#[derive(Debug, Args)]
pub(super) struct DescribeVerb {
    /// The file; or all in one, as compilers write it: src/main.rs:42:10
    place: String,
    /// Line and character from 1 (42:10), or a range of them (42:10-43:5), the end excluded
    at: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct ReadVerb {
    /// The file
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
}

#[derive(Debug, Args)]
pub(super) struct ReplaceVerb {
    /// The file
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    #[command(flatten)]
    content: ContentOptions,
    /// Doc comments and attributes before the node go too
    #[arg(long)]
    include_attached: bool,
    /// How the content gets its indentation
    #[arg(long, value_name = "HOW", default_value = "auto")]
    indent: IndentOption,
    #[command(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args)]
pub(super) struct ReplaceTextVerb {
    /// The file
    file: String,
    /// The text; white space between tokens may differ, two markers <|> bound the part to replace,
    /// <..> stands for a middle whose brackets are balanced
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    find: String,
    /// Look inside this symbol, for example Server.handle
    #[arg(long, value_name = "PATH", conflicts_with = "lines")]
    symbol: Option<String>,
    /// Look in these lines, for example 10-20
    #[arg(long, value_name = "LINES")]
    lines: Option<String>,
    #[command(flatten)]
    content: ContentOptions,
    /// How the content gets its indentation
    #[arg(long, value_name = "HOW", default_value = "auto")]
    indent: IndentOption,
    #[command(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args)]
pub(super) struct WrapVerb {
    /// The file
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    #[command(flatten)]
    content: ContentOptions,
    /// How the content gets its indentation
    #[arg(long, value_name = "HOW", default_value = "auto")]
    indent: IndentOption,
    #[command(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args)]
pub(super) struct MoveVerb {
    /// The file
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    /// The node it goes to: [scope:][type]@text in it, or a selector as JSON
    #[arg(long, value_name = "SELECTOR", value_parser = read_selector)]
    to: SelectorArgument,
    /// The file of that node, if it is another
    #[arg(long, value_name = "FILE")]
    to_file: Option<String>,
    /// Beside that node, or first or last inside its body
    #[arg(long, value_name = "WHERE")]
    position: PositionOption,
    /// How it gets its indentation
    #[arg(long, value_name = "HOW", default_value = "auto")]
    indent: IndentOption,
    #[command(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args)]
pub(super) struct InsertVerb {
    /// The file
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    /// Beside the node, or first or last inside its body
    #[arg(long, value_name = "WHERE")]
    position: PositionOption,
    #[command(flatten)]
    content: ContentOptions,
    /// How the content gets its indentation
    #[arg(long, value_name = "HOW", default_value = "auto")]
    indent: IndentOption,
    #[command(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args)]
pub(super) struct DeleteVerb {
    /// The file
    file: String,
    #[command(flatten)]
    selector: SelectorOptions,
    #[command(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args)]
pub(super) struct SeveralVerb {
    /// A JSON list of edits, or an object with `edits` and the other arguments of edit_nodes; @FILE
    /// reads it from a file, - from standard input. An option given here overrides the JSON
    edits: String,
    /// How contents get their indentation. Default: as the JSON says, else auto
    #[arg(long, value_name = "HOW")]
    indent: Option<IndentOption>,
    #[command(flatten)]
    edit: EditOptions,
}

#[derive(Debug, Args)]
pub(super) struct BatchVerb {
    /// A file of calls; - reads standard input
    #[arg(default_value = "-")]
    pub(super) file: String,
    /// Write the answers at the end of this file; lines that it answers already are not done again
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<Utf8PathBuf>,
    /// All lines are edits and one change: all or none
    #[arg(long)]
    pub(super) atomic: bool,
    /// Write at once, but for edits that say otherwise
    #[arg(long)]
    pub(super) apply: bool,
    /// How many lines run beside each other. Default: as many as there are cores
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,
}

// What an edit puts into the file.
#[derive(Debug, Args)]
struct ContentOptions {
    /// The new text; - reads standard input
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "content_file",
        required_unless_present = "content_file"
    )]
    content: Option<String>,
    /// A file with the new text; - reads standard input
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    content_file: Option<Utf8PathBuf>,
}

// What every edit takes.
#[derive(Debug, Args)]
struct EditOptions {
    /// Let a failed check be a note
    #[arg(long, value_name = "CHECK")]
    allow: Vec<AllowOption>,
    /// Write at once
    #[arg(long)]
    apply: bool,
}

#[derive(Debug, Args)]
pub(super) struct EditVerb {
    /// The id from the preview
    pub(super) edit_id: String,
}

#[derive(Debug, Args)]
pub(super) struct ApplyVerb {
    #[command(flatten)]
    pub(super) edit: EditVerb,
    /// Do not ask
    #[arg(long, short)]
    pub(super) yes: bool,
}

#[derive(Debug, Args)]
pub(super) struct NodeTypesVerb {
    /// The name of the language, or the ending of its files
    pub(super) language: String,
}

#[derive(Debug, Args)]
pub(super) struct RetargetVerb {
    /// The id from the preview or the refusal
    edit_id: String,
    #[command(flatten)]
    selector: SelectorOptions,
    /// Of a move: the node it goes to instead, as in treegraft move
    #[arg(long, value_name = "SELECTOR", value_parser = read_selector)]
    to: Option<SelectorArgument>,
    /// Which of several edits, from 0
    #[arg(long, value_name = "N")]
    edit_index: Option<usize>,
    /// Write at once
    #[arg(long)]
    apply: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum PositionOption {
    Before,
    After,
    #[value(alias = "first-child")]
    FirstChild,
    #[value(alias = "last-child")]
    LastChild,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum IndentOption {
    Auto,
    Verbatim,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum AllowOption {
    SyntaxErrors,
    Surroundings,
    SuspiciousContent,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
#[value(rename_all = "snake_case")]
enum AllowRenameOption {
    Incomplete,
    Surroundings,
}

// A name that a language server is asked about.
#[derive(Debug, Args)]
pub(super) struct PlaceArguments {
    /// A locate such as 'src/app.py:main@<|>store', or src/app.py:12:5 as answers print it; with --line the
    /// file
    #[arg(value_name = "PLACE")]
    place: String,
    /// The line, from 1
    #[arg(long, value_name = "N")]
    line: Option<usize>,
    /// The character in the line, from 1
    #[arg(long, value_name = "N", requires = "line")]
    column: Option<usize>,
    /// The name: its nearest occurrence on the line counts
    #[arg(long, value_name = "NAME", requires = "line")]
    symbol: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct DefVerb {
    #[command(flatten)]
    place: PlaceArguments,
    /// Which place
    #[arg(long, value_enum, default_value = "definition")]
    kind: DefinitionOption,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DefinitionOption {
    Definition,
    Declaration,
    Type,
    Implementation,
}

#[derive(Debug, Args)]
pub(super) struct RefsVerb {
    #[command(flatten)]
    place: PlaceArguments,
    /// Which places
    #[arg(long, value_enum, default_value = "references")]
    kind: ReferenceOption,
    #[command(flatten)]
    page: PageOptions,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ReferenceOption {
    References,
    Callers,
    Callees,
    Subtypes,
    Supertypes,
}

#[derive(Debug, Args)]
pub(super) struct HoverVerb {
    #[command(flatten)]
    place: PlaceArguments,
}

#[derive(Debug, Args)]
pub(super) struct CheckVerb {
    /// A file, a directory or a glob
    #[arg(value_name = "PATH", default_value = ".")]
    path: String,
    /// How many are listed at most
    #[arg(long, value_name = "N")]
    max: Option<usize>,
}

#[derive(Debug, Args)]
pub(super) struct SymbolsVerb {
    /// A part of the name
    #[arg(value_name = "NAME")]
    query: String,
    /// How many are listed at most
    #[arg(long, value_name = "N")]
    max: Option<usize>,
}

#[derive(Debug, Args)]
pub(super) struct RenameVerb {
    #[command(flatten)]
    place: PlaceArguments,
    /// The other name
    #[arg(value_name = "NEW_NAME")]
    new_name: String,
    /// Let a failed check be a note
    #[arg(long, value_name = "CHECK")]
    allow: Vec<AllowRenameOption>,
    /// Write at once instead of a preview
    #[arg(long)]
    apply: bool,
}

#[derive(Debug, Args)]
pub(super) struct ActionsVerb {
    #[command(flatten)]
    place: PlaceArguments,
    /// Of this part of the file, for example 10:5-12:3; PLACE is the file then
    #[arg(long, value_name = "FROM-TO", conflicts_with_all = ["line", "column", "symbol"],
        value_parser = RangeArgument::read)]
    range: Option<RangeArgument>,
    /// Preview the action of this title
    #[arg(long, value_name = "TITLE")]
    apply: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct FormatVerb {
    /// The file
    #[arg(value_name = "FILE")]
    file: String,
    /// Only these lines, for example 10-20
    #[arg(long, value_name = "LINES", value_parser = line_range)]
    lines: Option<(usize, usize)>,
    /// Write at once instead of a preview
    #[arg(long)]
    apply: bool,
}

#[derive(Debug, Args)]
pub(super) struct CompleteVerb {
    #[command(flatten)]
    place: PlaceArguments,
    /// How many are listed at most
    #[arg(long, value_name = "N")]
    max: Option<usize>,
}

#[derive(Debug, Args)]
pub(super) struct SignatureVerb {
    #[command(flatten)]
    place: PlaceArguments,
}

/// `10-20` or `10`.
fn line_range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        text.trim()
            .parse::<usize>()
            .ok()
            .filter(|number| *number > 0)
    };
    number(first)
        .zip(number(last))
        .filter(|(first, last)| first <= last)
        .ok_or_else(|| "give one line or two with a hyphen between, from 1: 10-20".to_string())
}

impl ActionsVerb {
    pub(super) fn request(self) -> Requested<CodeActions> {
        let place = match self.range {
            Some(_) => NamedPlace {
                file: Some(self.place.place),
                ..NamedPlace::default()
            },
            None => self.place.read("code_actions")?,
        };
        Ok(CodeActions {
            place,
            range: self.range,
            apply: self.apply,
        })
    }
}

impl FormatVerb {
    pub(super) fn request(self) -> Format {
        Format {
            file_path: self.file,
            lines: self.lines,
            apply: self.apply,
        }
    }
}

impl CompleteVerb {
    pub(super) fn request(self) -> Requested<Completions> {
        Ok(Completions {
            place: self.place.read("completions")?,
            max_items: self.max,
        })
    }
}

impl SignatureVerb {
    pub(super) fn request(self) -> Requested<SignatureHelp> {
        let place = self.place.read("signature_help")?;
        Ok(SignatureHelp { place })
    }
}

impl PlaceArguments {
    fn read(self, tool: &'static str) -> Requested<NamedPlace> {
        if self.line.is_some() {
            return Ok(NamedPlace {
                locate: None,
                file: Some(self.place),
                line: self.line,
                column: self.column,
                symbol: self.symbol,
            });
        }
        if let Some(place) = printed_place(&self.place) {
            return Ok(place);
        }
        let locate: locate::Locate = self.place.parse().map_err(|error| {
            let arguments = json!({"locate": self.place});
            Box::new(Refusal::of_call(
                tool,
                arguments,
                about_locate_syntax(&error),
            ))
        })?;
        Ok(NamedPlace {
            locate: Some(LocateArgument(Question {
                find_index: None,
                fuzzy: false,
                locate,
            })),
            ..NamedPlace::default()
        })
    }
}

/// Reads `path:line:column`, as answers print a place.
fn printed_place(text: &str) -> Option<NamedPlace> {
    let (rest, column) = text.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if file.is_empty() || file.contains('@') || !is_number(line) || !is_number(column) {
        return None;
    }
    Some(NamedPlace {
        file: Some(file.to_string()),
        line: Some(line.parse().ok()?),
        column: Some(column.parse().ok()?),
        ..NamedPlace::default()
    })
}

impl DefVerb {
    pub(super) fn request(self) -> Requested<GotoDefinition> {
        Ok(GotoDefinition {
            place: self.place.read("goto_definition")?,
            kind: match self.kind {
                DefinitionOption::Definition => DefinitionKind::Definition,
                DefinitionOption::Declaration => DefinitionKind::Declaration,
                DefinitionOption::Type => DefinitionKind::Type,
                DefinitionOption::Implementation => DefinitionKind::Implementation,
            },
        })
    }
}

impl RefsVerb {
    pub(super) fn request(self) -> Requested<FindReferences> {
        Ok(FindReferences {
            place: self.place.read("find_references")?,
            kind: match self.kind {
                ReferenceOption::References => ReferenceKind::References,
                ReferenceOption::Callers => ReferenceKind::Callers,
                ReferenceOption::Callees => ReferenceKind::Callees,
                ReferenceOption::Subtypes => ReferenceKind::Subtypes,
                ReferenceOption::Supertypes => ReferenceKind::Supertypes,
            },
            max_items: self.page.max,
            cursor: self.page.cursor,
        })
    }
}

impl HoverVerb {
    pub(super) fn request(self) -> Requested<Hover> {
        let place = self.place.read("hover")?;
        Ok(Hover { place })
    }
}

impl CheckVerb {
    pub(super) fn request(self) -> Diagnostics {
        Diagnostics {
            path: self.path,
            max_items: self.max,
        }
    }
}

impl SymbolsVerb {
    pub(super) fn request(self) -> WorkspaceSymbols {
        WorkspaceSymbols {
            query: self.query,
            max_items: self.max,
        }
    }
}

impl RenameVerb {
    pub(super) fn request(self) -> Requested<RenameSymbol> {
        Ok(RenameSymbol {
            place: self.place.read("rename_symbol")?,
            new_name: self.new_name,
            allow: self.allow.iter().map(|one| (*one).into()).collect(),
            apply: self.apply,
        })
    }
}

impl OutlineVerb {
    pub(super) fn request(self) -> Outline {
        Outline {
            path: self.path,
            depth: self.depth,
            kinds: self.kind,
            max_items: self.page.max,
            cursor: self.page.cursor,
        }
    }
}

impl FindVerb {
    pub(super) fn request(self) -> FindNodes {
        FindNodes {
            path: self.path,
            text: self.text,
            regex: self.regex,
            node_type: self.node_type,
            name: self.name,
            query: self.query,
            max_items: self.page.max,
            cursor: self.page.cursor,
        }
    }
}

impl LocateVerb {
    pub(super) fn request(self) -> Requested<request::LocatePlace> {
        let arguments = json!({"locate": self.locate, "range": self.range});
        let locate: locate::Locate = self.locate.parse().map_err(|error| {
            Box::new(Refusal::of_call(
                "locate",
                arguments,
                about_locate_syntax(&error),
            ))
        })?;
        Ok(request::LocatePlace {
            locate: LocateArgument(Question {
                find_index: self.index.map(NonZeroUsize::get),
                fuzzy: self.fuzzy,
                locate,
            }),
            range: self.range,
        })
    }
}

impl DescribeVerb {
    pub(super) fn request(self) -> Requested<Describe> {
        let arguments = json!({"file_path": self.place, "position": self.at});
        let refused = |problem| {
            let diagnostic = about_arguments(problem);
            Box::new(Refusal::of_call("describe", arguments.clone(), diagnostic))
        };
        let Some(at) = self.at else {
            let position = PositionArgument::read(&self.place).map_err(refused)?;
            return Ok(Describe {
                file_path: position.file_path.clone(),
                position: Some(position),
                range: None,
            });
        };
        let (position, range) = match at.contains('-') {
            true => (None, Some(RangeArgument::read(&at).map_err(refused)?)),
            false => (Some(PositionArgument::read(&at).map_err(refused)?), None),
        };
        Ok(Describe {
            file_path: Some(self.place),
            position,
            range,
        })
    }
}

impl ReadVerb {
    pub(super) fn request(self, engine: &Engine) -> Requested<ReadNode> {
        const TOOL: &str = "read_node";
        let target = self.selector.target(TOOL, engine, &self.file)?;
        let request = ReadNode {
            file_path: Some(self.file),
            selector: Some(target.selector.clone()),
            locate: None,
        };
        target.checked(TOOL, request)
    }
}

impl ReplaceVerb {
    pub(super) fn request(self, engine: &Engine) -> Requested<ReplaceNode> {
        const TOOL: &str = "replace_node";
        let target = self.selector.target(TOOL, engine, &self.file)?;
        let request = ReplaceNode {
            file_path: self.file,
            selector: target.selector.clone(),
            new_content: self.content.read(TOOL)?,
            include_attached: self.include_attached,
            indent: self.indent.into(),
            allow: self.edit.allowed(),
            apply: self.edit.apply,
        };
        target.checked(TOOL, request)
    }
}

impl InsertVerb {
    pub(super) fn request(self, engine: &Engine) -> Requested<InsertNode> {
        const TOOL: &str = "insert_node";
        let target = self.selector.target(TOOL, engine, &self.file)?;
        let request = InsertNode {
            file_path: self.file,
            selector: target.selector.clone(),
            position: self.position.into(),
            new_content: self.content.read(TOOL)?,
            indent: self.indent.into(),
            allow: self.edit.allowed(),
            apply: self.edit.apply,
        };
        target.checked(TOOL, request)
    }
}

impl ReplaceTextVerb {
    pub(super) fn request(self) -> Requested<ReplaceText> {
        const TOOL: &str = "replace_text";
        let scope = self.symbol.map(|path| json!({"symbol_path": path}));
        let scope = scope.or(self.lines.map(Value::String));
        let scope = scope.map(|scope| {
            serde_json::from_value::<ScopeArgument>(scope.clone()).map_err(|error| {
                let diagnostic = Diagnostic::new(Code::InvalidScope, error.to_string());
                Box::new(Refusal::of_call(TOOL, json!({"scope": scope}), diagnostic))
            })
        });
        Ok(ReplaceText {
            file_path: self.file,
            scope: scope.transpose()?.unwrap_or_default(),
            find: self.find,
            new_content: self.content.read(TOOL)?,
            indent: self.indent.into(),
            allow: self.edit.allowed(),
            apply: self.edit.apply,
        })
    }
}

impl WrapVerb {
    pub(super) fn request(self, engine: &Engine) -> Requested<WrapNode> {
        const TOOL: &str = "wrap_node";
        let target = self.selector.target(TOOL, engine, &self.file)?;
        let request = WrapNode {
            file_path: self.file,
            selector: target.selector.clone(),
            new_content: self.content.read(TOOL)?,
            indent: self.indent.into(),
            allow: self.edit.allowed(),
            apply: self.edit.apply,
        };
        target.checked(TOOL, request)
    }
}

impl MoveVerb {
    pub(super) fn request(self, engine: &Engine) -> Requested<MoveNode> {
        const TOOL: &str = "move_node";
        let target = self.selector.target(TOOL, engine, &self.file)?;
        let request = MoveNode {
            file_path: self.file,
            selector: target.selector.clone(),
            to: Destination {
                file_path: self.to_file,
                selector: self.to,
                position: self.position.into(),
            },
            indent: self.indent.into(),
            allow: self.edit.allowed(),
            apply: self.edit.apply,
        };
        target.checked(TOOL, request)
    }
}

impl DeleteVerb {
    pub(super) fn request(self, engine: &Engine) -> Requested<DeleteNode> {
        const TOOL: &str = "delete_node";
        let target = self.selector.target(TOOL, engine, &self.file)?;
        let request = DeleteNode {
            file_path: self.file,
            selector: target.selector.clone(),
            allow: self.edit.allowed(),
            apply: self.edit.apply,
        };
        target.checked(TOOL, request)
    }
}

impl SeveralVerb {
    /// The edits are read as leniently as those of a call.
    pub(super) fn request(self) -> Requested<EditNodes> {
        const TOOL: &str = "edit_nodes";
        let text = match self.edits.strip_prefix('@') {
            Some(file) => super::content(TOOL, None, Some(&file.into()))?,
            None => super::content(TOOL, Some(&self.edits), None)?,
        };
        let refused = |diagnostic| {
            let arguments = json!({"edits": text});
            Box::new(Refusal::of_call(TOOL, arguments, diagnostic))
        };
        let edits: Value = serde_json::from_str(&text)
            .map_err(|error| refused(about_arguments(format!("the edits are no JSON: {error}"))))?;
        // The list, or the arguments of edit_nodes with it.
        let arguments = match edits.get("edits") {
            Some(_) => edits,
            None => json!({"edits": edits}),
        };
        let mut request = request::read::<EditNodes>(arguments).map_err(refused)?;
        if let Some(indent) = self.indent {
            request.indent = indent.into();
        }
        if !self.edit.allow.is_empty() {
            request.allow = self.edit.allowed();
        }
        request.apply |= self.edit.apply;
        Ok(request)
    }
}

impl ContentOptions {
    fn read(&self, tool: &'static str) -> Requested<String> {
        super::content(tool, self.content.as_deref(), self.content_file.as_ref())
    }
}

impl EditOptions {
    fn allowed(&self) -> Vec<request::Allow> {
        let allow = self.allow.iter().copied();
        allow.map(request::Allow::from).collect()
    }
}

impl EditVerb {
    pub(super) fn request<R: From<EditVerb>>(self) -> R {
        R::from(self)
    }
}

impl From<EditVerb> for ApplyEdit {
    fn from(verb: EditVerb) -> ApplyEdit {
        ApplyEdit {
            edit_id: verb.edit_id,
        }
    }
}

impl From<EditVerb> for UndoEdit {
    fn from(verb: EditVerb) -> UndoEdit {
        UndoEdit {
            edit_id: verb.edit_id,
        }
    }
}

impl From<EditVerb> for DiscardEdit {
    fn from(verb: EditVerb) -> DiscardEdit {
        DiscardEdit {
            edit_id: verb.edit_id,
        }
    }
}

impl From<EditVerb> for ListEdits {
    fn from(verb: EditVerb) -> ListEdits {
        ListEdits {
            edit_id: Some(verb.edit_id),
        }
    }
}

impl RetargetVerb {
    pub(super) fn request(self, engine: &Engine) -> Requested<RetargetEdit> {
        const TOOL: &str = "retarget_edit";
        let mut request = RetargetEdit {
            edit_id: self.edit_id,
            selector: None,
            to: self.to,
            edit_index: self.edit_index,
            apply: self.apply,
        };
        if request.to.is_some() && self.selector.is_empty() {
            return Ok(request);
        }
        let target = match self.selector.is_symbol() {
            // Only a symbol is looked for before the call.
            false => self.selector.target(TOOL, engine, "")?,
            true => {
                let file = file_of_edit(engine, &request.edit_id)?;
                self.selector.target(TOOL, engine, &file)?
            }
        };
        request.selector = Some(target.selector.clone());
        target.checked(TOOL, request)
    }
}

/// Returns the file of a staged edit.
///
/// # Errors
/// There is no such edit, or it is of several files.
fn file_of_edit(engine: &Engine, edit_id: &str) -> Requested<String> {
    let request = ListEdits {
        edit_id: Some(edit_id.to_string()),
    };
    let edits = engine.list_edits(&request)?.edits;
    match edits.as_slice() {
        [edit] if !edit.file_path.contains(", ") => Ok(edit.file_path.clone()),
        _ => {
            let message = "the edit is of several files, and --symbol names no file";
            let diagnostic = Diagnostic {
                help: Some("pass --anchor and --ancestor".to_string()),
                ..about_arguments(message)
            };
            let arguments = json!({"edit_id": edit_id});
            Err(Box::new(Refusal::of_call(
                "retarget_edit",
                arguments,
                diagnostic,
            )))
        }
    }
}

/// A number with the unit behind it.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "a number with m, h, d or w behind it, as 7d".to_string();
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let (_, minutes) = [('m', 1), ('h', 60), ('d', 24 * 60), ('w', 7 * 24 * 60)]
        .into_iter()
        .find(|(name, _)| *name == unit)
        .ok_or_else(wrong)?;
    let number = text
        .strip_suffix(unit)
        .and_then(|number| number.parse().ok());
    let number: u64 = number.ok_or_else(wrong)?;
    let seconds = number.checked_mul(minutes * 60).ok_or_else(wrong)?;
    Ok(Duration::from_secs(seconds))
}

/// The clients of the table.
fn client_names() -> PossibleValuesParser {
    let names = CLIENTS.iter().map(|client| PossibleValue::new(client.name));
    PossibleValuesParser::new(names)
}

/// A name that every client takes for a server.
fn server_name(name: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(allowed) {
        true => Ok(name.to_string()),
        false => Err("a name is of letters, digits, - and _".to_string()),
    }
}

impl From<PositionOption> for InsertPositionArgument {
    fn from(position: PositionOption) -> InsertPositionArgument {
        match position {
            PositionOption::Before => InsertPositionArgument::Before,
            PositionOption::After => InsertPositionArgument::After,
            PositionOption::FirstChild => InsertPositionArgument::FirstChild,
            PositionOption::LastChild => InsertPositionArgument::LastChild,
        }
    }
}

impl From<IndentOption> for IndentArgument {
    fn from(indent: IndentOption) -> IndentArgument {
        match indent {
            IndentOption::Auto => IndentArgument::Auto,
            IndentOption::Verbatim => IndentArgument::Verbatim,
        }
    }
}

impl From<AllowRenameOption> for AllowRename {
    fn from(allow: AllowRenameOption) -> AllowRename {
        match allow {
            AllowRenameOption::Incomplete => AllowRename::Incomplete,
            AllowRenameOption::Surroundings => AllowRename::Surroundings,
        }
    }
}

impl From<AllowOption> for request::Allow {
    fn from(allow: AllowOption) -> request::Allow {
        match allow {
            AllowOption::SyntaxErrors => request::Allow::SyntaxErrors,
            AllowOption::Surroundings => request::Allow::Surroundings,
            AllowOption::SuspiciousContent => request::Allow::SuspiciousContent,
        }
    }
}
