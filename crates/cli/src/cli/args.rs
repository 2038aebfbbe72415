//! The command line: its verbs, with their help, and their arguments.
//!
//! The verb of a tool has the name of the tool's `verb`, and serializes as `{verb: arguments}` with the arguments of
//! the tool. Options that were not given are null, false or empty.

mod edits;
mod program;
mod questions;
mod reads;

use camino::Utf8PathBuf;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use treegraft::engine::request::schema_of;

pub(super) use edits::{
    ApplyVerb, DeleteVerb, EditVerb, InsertVerb, MoveVerb, ReplaceTextVerb, ReplaceVerb,
    RetargetVerb, SeveralVerb, WrapVerb,
};
pub(super) use program::{
    BatchVerb, InstallVerb, ManVerb, NodeTypesVerb, ServeVerb, ShellVerb, StatsVerb,
};
pub(super) use questions::{
    ActionsVerb, CheckVerb, CompleteVerb, DefVerb, FormatVerb, HoverVerb, RefsVerb, RenameVerb,
    SignatureVerb, SymbolsVerb,
};
pub(super) use reads::{DescribeVerb, FindVerb, LocateVerb, OutlineVerb, ReadVerb};

/// The heading of the options that every verb takes.
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

/// The verbs that work on files. Those that serialize are the verbs of tools.
///
/// The parser builds the command of a verb only when it is called: building all of them takes half of the start time.
#[derive(Debug, Subcommand, Serialize)]
#[command(defer = true)]
#[serde(rename_all = "kebab-case")]
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
    #[serde(skip)]
    Batch(BatchVerb),
    /// Write what a preview showed; on a terminal it shows the diff and asks
    #[command(after_help = "\
Examples:
  treegraft apply e0123456789ab
  treegraft apply e0123456789ab --yes")]
    #[serde(skip)]
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
    #[serde(skip)]
    Edits,
    /// Show one edit with its diff
    #[command(after_help = "\
Example:
  treegraft show e0123456789ab")]
    #[serde(rename = "edits")]
    Show(EditVerb),
    /// Count what became of the calls that edit: outcomes, refusals, times
    #[command(after_help = "\
Examples:
  treegraft stats
  treegraft stats --since 7d --json")]
    #[serde(skip)]
    Stats(StatsVerb),
    /// Serve the tools over MCP, on standard input and output or over HTTP
    #[command(after_help = "\
Examples:
  treegraft serve --root ~/project
  treegraft serve --tools read
  TREEGRAFT_TOKEN=$(openssl rand -hex 32) treegraft serve --http 127.0.0.1:8642")]
    #[serde(skip)]
    Serve(ServeVerb),
}

/// Returns a parser that takes the names of an enum of the engine, also with hyphens.
fn names_of<T: JsonSchema>() -> impl TypedValueParser<Value = String> {
    let schema = schema_of::<T>();
    let names = schema.get("enum").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let values = names.map(|name| {
        let with_hyphens = name.contains('_').then(|| name.replace('_', "-"));
        PossibleValue::new(name.to_string()).aliases(with_hyphens)
    });
    PossibleValuesParser::new(values.collect::<Vec<_>>()).map(|name| name.replace('-', "_"))
}
