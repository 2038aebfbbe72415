//! The arguments of the command line, with the help of each verb.
//!
//! A verb that calls a tool has the name in the tool's `verb` field. It serializes as
//! `{verb: arguments}`, or `{group: {verb: arguments}}`, with the arguments of the tool. Options that the user did not
//! pass are null, false or empty.

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
    AmendVerb, ApplyVerb, ChosenEdits, CreateVerb, DeleteFileVerb, DeleteVerb, DiscardVerb,
    EditVerb, InsertVerb, ListVerb, MoveFileVerb, MoveVerb, OrganizeVerb, ReplaceVerb, RewriteVerb,
    TextVerb, UndoVerb, WrapVerb,
};
#[cfg(unix)]
pub(super) use program::IDLE_SECONDS;
#[cfg(feature = "review")]
pub(super) use program::ReviewVerb;
pub(super) use program::{
    AddLanguageVerb, BatchVerb, CheckLanguageVerb, CompletionsVerb, HookVerb, InstallVerb,
    LanguageVerb, LanguagesVerb, LoadGrammarVerb, ManVerb, ServeVerb, UninstallVerb,
};
pub(super) use questions::{
    CodeActionsVerb, CompletionsVerb as LspCompletionsVerb, DefinitionVerb, DiagnosticsVerb,
    FormatVerb, HoverVerb, ReferencesVerb, RenameVerb, SignatureHelpVerb, SymbolsVerb,
};
pub(super) use reads::{FindVerb, LocateVerb, OutlineVerb, ReadVerb};

/// The heading of the options that every verb takes.
const GLOBAL_OPTIONS: &str = "Global options";

/// The layout of the help: the default layout of clap, but with `before_help` after the first line.
///
/// `long_about` could hold that paragraph too, but then clap prints each option on its own lines.
pub(super) const HELP_LAYOUT: &str = "\
{about-with-newline}
{before-help}{usage-heading} {usage}

{all-args}{after-help}";

/// Edit source code by text, syntax node and symbol
#[derive(Debug, Parser)]
#[command(
    name = "treegraft",
    version,
    max_term_width = 100,
    help_template = HELP_LAYOUT,
    before_help = "\
Select code by text in it, its node type and its symbol instead of line numbers. Every edit \
prints a diff and writes nothing until you apply it; `apply` writes exactly that diff.",
    after_help = "\
Examples:
  treegraft outline src
  treegraft replace 'src/api.rs:call@timeout(30)' --content 'timeout(60)'
  treegraft list
  treegraft apply e0123456789ab

Run `treegraft help COMMAND` for the options and examples of a command.
Exit codes: 0 success, 1 call refused, 2 usage error, 3 environment error, 4 a part refused."
)]
pub struct Arguments {
    /// Limit the workspace to this directory (repeatable). Default: the nearest directory upward
    /// with treegraft.toml or .git, else the current directory
    #[arg(long, global = true, value_name = "DIR", help_heading = GLOBAL_OPTIONS)]
    pub(super) root: Vec<Utf8PathBuf>,
    /// Print the answer as JSON, as the MCP server returns it
    #[arg(long, global = true, help_heading = GLOBAL_OPTIONS)]
    pub(super) json: bool,
    /// Set when to print colors
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = GLOBAL_OPTIONS
    )]
    pub(super) color: Color,
    /// Print long diffs without a pager
    #[arg(long, global = true, help_heading = GLOBAL_OPTIONS)]
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
    /// Set up the clients of agents
    #[command(
        subcommand,
        help_template = HELP_LAYOUT,
        before_help = "\
A client is a program that starts `treegraft serve`: Claude Code, Cursor, VS Code and others.",
        after_help = "\
Examples:
  treegraft client install claude-code --write
  treegraft client doctor"
    )]
    Client(ClientVerb),
    /// List the languages; add, check and remove your own
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print each language with its file extensions, other names and language server. A language that you \
add is a tree-sitter grammar in a shared library and a directory of query files; both are copied \
next to your configuration.",
        after_help = "\
Examples:
  treegraft languages
  treegraft languages node-types rust
  treegraft languages check queries/toy --grammar toy.so
  treegraft languages add toy --grammar toy.so --queries queries/toy --extension toy"
    )]
    Languages(LanguagesVerb),
    /// Print shell completions and manual pages
    #[command(
        subcommand,
        help_template = HELP_LAYOUT,
        before_help = "\
The completions and the pages describe the commands of this build.",
        after_help = "\
Examples:
  treegraft generate completions bash
  treegraft generate man ~/.local/share/man/man1"
    )]
    Generate(GenerateVerb),
}

/// The verbs that set up clients.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(super) enum ClientVerb {
    /// Print a client's MCP server configuration; --write installs it
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print the entry with which the client starts `treegraft serve`, and the diff of the client's \
configuration file. Without CLIENT, list the known clients and their configuration files.",
        after_help = "\
Examples:
  treegraft client install
  treegraft client install claude-code
  treegraft client install claude-code --hook --instructions --write
  treegraft client install claude-code --hook --no-server --write
  treegraft client install vscode --project --tools lean,server --write"
    )]
    Install(InstallVerb),
    /// Remove from a client's configuration what install wrote
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print the diff that removes the server, the hook and the instructions from the files of the \
client. With --write, remove them; files and directories that install created are removed if \
nothing else is in them.",
        after_help = "\
Examples:
  treegraft client uninstall claude-code
  treegraft client uninstall claude-code --write
  treegraft client uninstall cursor --project --remove-backups --write"
    )]
    Uninstall(UninstallVerb),
    /// Check the installation and report what is missing
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Check the program, the state directory, the roots, the staged edits, the languages, the language \
servers and the clients, and print how to fix each problem. Start the language server of each language \
in the workspace, and each server and hook that a client is configured to start, and end them. The exit \
code is 3 if treegraft cannot edit files here.",
        after_help = "\
Examples:
  treegraft client doctor
  treegraft client doctor | grep -A 1 servers
  treegraft client doctor --root ~/project --json"
    )]
    Doctor,
    /// Answer the event of a client's hook: check an edit of the client's own edit tool
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Read an event of the client from standard input, and print the answer for the client. A call that \
would succeed passes without an answer. A call whose old string is not in the file is answered with \
the corrected call if the string means exactly one place. A call that would add a syntax error is \
denied once: the same call again passes. Clients run this command; `treegraft client install CLIENT --hook` \
configures it.",
        after_help = "\
Example:
  echo '{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Write\", \"cwd\": \"/tmp\",
         \"tool_input\": {\"file_path\": \"/tmp/a.json\", \"content\": \"[1\"}}' \\
      | treegraft client hook claude-code"
    )]
    Hook(HookVerb),
}

/// The verbs that print files for a shell.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(super) enum GenerateVerb {
    /// Print a completion script for a shell
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Save the script in the directory from which the shell loads completions, as in the examples.",
        after_help = "\
Examples:
  treegraft generate completions bash > ~/.local/share/bash-completion/completions/treegraft
  treegraft generate completions zsh > ~/.zfunc/_treegraft
  treegraft generate completions fish > ~/.config/fish/completions/treegraft.fish"
    )]
    Completions(CompletionsVerb),
    /// Print or write the manual pages
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print the manual page of treegraft. With DIR, write that page and one page for each command into \
the directory.",
        after_help = "\
Examples:
  treegraft generate man > treegraft.1
  treegraft generate man ~/.local/share/man/man1"
    )]
    Man(ManVerb),
}

const PLACE_EXAMPLES: &str = "\
Examples:
  treegraft lsp definition 'src/app.py:main@<|>Store('
  treegraft lsp definition src/app.py:12@Store
  treegraft lsp definition 'src/app.py:main@<|>store.get' --kind type";

/// The verbs that work on files. The verbs that serialize call a tool.
///
/// clap builds the command of a verb only when it is called: building all of them takes half of the
/// start time.
#[derive(Debug, Subcommand, Serialize)]
#[command(defer = true)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WorkspaceVerb {
    /// List the symbols of a file, a directory or a glob
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print each symbol with its line and kind, nested like the code. A directory or a glob leaves out \
hidden files and files that .gitignore, .ignore or treegraft.toml excludes. If the symbols do not fit, \
print the number of symbols in each directory or file, and the names of the most referenced ones.",
        after_help = "\
Examples:
  treegraft outline src/main.rs src/server.rs
  treegraft outline src --kinds function --depth 1
  treegraft outline 'src/**/*.py' --max-items 1000
  treegraft outline --max-bytes 4000
  treegraft outline src --rank --max-items 20"
    )]
    Outline(OutlineVerb),
    /// Find nodes by text, pattern, type, symbol name or query
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Pass one of --text, --regex, --name, --query and --pattern, or --node-type alone. Each match is printed with a \
selector in brackets: after its path and a colon, it is the PLACE of other commands.",
        after_help = "\
Examples:
  treegraft find src --text 'timeout(' --node-type call
  treegraft find --name 'handle_*' --node-type function
  treegraft find 'src/**/*.rs' --regex 'unwrap\\(\\)$'
  treegraft find src --query '(call_expression function: (identifier) @name)'
  treegraft find src --pattern 'timeout($SECONDS, $$$REST)'
  treegraft find src --rule rules/no-debug.yml"
    )]
    Find(FindVerb),
    /// Print nodes, lines or files
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Without a text or a type, print the symbol, the lines or the file, with the symbols in it. With a text and no type, \
print the smallest node at the text and the types of its ancestors. Several places are printed in turn; with --json, \
each as a JSON document.",
        after_help = "\
Examples:
  treegraft read src/main.rs
  treegraft read src/main.rs:10-20
  treegraft read src/main.rs:main src/server.rs:1-5
  treegraft read 'src/*.rs:1-5'
  treegraft read 'src/main.rs:function@fn main'
  treegraft read src/main.rs --anchor 'fn main'"
    )]
    Read(ReadVerb),
    /// Print the position of a place, or the place at a position
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
For a place such as path:scope@text, print its line and character. For a position such as path:42:10, print the \
shortest locator and selector, which remain valid if lines move. treegraft resolves both before it prints them.",
        after_help = "\
Examples:
  treegraft locate 'src/main.rs@fn <|>main'
  treegraft locate 'src/server.rs:Server.handle@return <|>result'
  treegraft locate src/server.rs:Server
  treegraft locate 'src/server.rs@return result' --find-index 2
  treegraft locate src/main.rs:42:10
  treegraft locate src/main.rs:42:10-43:5
  treegraft locate 'src/main.rs:42:10: error: cannot find value `x` in this scope'

The marker <|> sets the position in the text. Without a marker, the position is the start of the match."
    )]
    Locate(LocateVerb),
    /// Replace a node
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Point at the node with PLACE, or with a path and --anchor (text in the node) and --ancestor (its type). Print \
the diff; write nothing without --apply. `treegraft apply EDIT_ID` writes exactly that diff later.",
        after_help = "\
Examples:
  treegraft replace 'src/api.rs:match_arm@Method::POST =>' \\
      --content 'Method::POST => create(request),'
  treegraft replace src/api.rs --anchor 'Method::POST =>' --ancestor match_arm \\
      --content 'Method::POST => create(request),'
  treegraft replace 'config.json:pair@\"port\"' --content '\"port\": 8080' --apply
  generate | treegraft replace 'src/api.rs:Server:function@fn new' --content-file -

Doc comments and attributes before the node stay, unless the content contains its own, or you
pass --include-attached."
    )]
    Replace(ReplaceVerb),
    /// Replace a unique text
    #[command(
        alias = "replace-text",
        help_template = HELP_LAYOUT,
        before_help = "\
Replace the only match of FIND in each file, or in a symbol or lines of it (path:scope). Print the diff; write \
nothing without --apply.",
        after_help = "\
Examples:
  treegraft text 'timeout(30)' 'timeout(60)' src/api.rs
  treegraft text 'return <|>result<|> + 1' total src/api.rs:Server.handle
  treegraft text 'let plan = <..>;' 'let plan = Plan::new();' src/api.rs
  treegraft text 'log::debug!(\"here\");' '' src/api.rs --apply

Markers in FIND:
  <|>   Two of these enclose the part to replace. The rest of FIND makes the match unique.
  <..>  Matches text up to the nearest match of the rest of FIND, if its brackets are balanced.

Words and operators match exactly and whole; whitespace between them may differ."
    )]
    Text(TextVerb),
    /// Insert next to a node or inside its body
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Point at the node with PLACE, or with a path and --anchor (text in the node) and --ancestor (its type). Print \
the diff; write nothing without --apply. treegraft adds the commas and blank lines that the new content needs.",
        after_help = "\
Examples:
  treegraft insert 'src/api.rs:match_arm@Method::POST =>' --position after \\
      --content 'Method::PUT => update(request),'
  treegraft insert 'config.json:pair@\"server\"' --position last_child \\
      --content '\"port\": 8080' --apply
  generate | treegraft insert src/api.rs:Server:impl_item --position first_child --content-file -"
    )]
    Insert(InsertVerb),
    /// Delete a node with its doc comments and attributes
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Point at the node with PLACE, or with a path and --anchor (text in the node) and --ancestor (its type). Print \
the diff; write nothing without --apply. treegraft also removes the comma that belongs to the node.",
        after_help = "\
Examples:
  treegraft delete src/api.rs:old
  treegraft delete 'src/api.rs:function_item@fn old'
  treegraft delete '**/*.json' --anchor '\"port\"' --ancestor pair --apply"
    )]
    Delete(DeleteVerb),
    /// Wrap a node in new content
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
The marker <|> in the content is where the node goes. Point at the node with PLACE, or with a path and --anchor (text in the node) and --ancestor (its type). Print \
the diff; write nothing without --apply.",
        after_help = "\
Examples:
  treegraft wrap 'src/api.rs:expression_statement@send(reply)' --content 'if ready {
      <|>
  }'
  treegraft wrap 'src/api.ts:call_expression@load()' --content 'await <|>' --apply

If the content itself contains <|>, write the marker as <<|>>."
    )]
    Wrap(WrapVerb),
    /// Move a node
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Move a node with its doc comments and attributes next to another node or into its body, in the \
same file or in another one. Print the diff; write nothing without --apply.",
        after_help = "\
Examples:
  treegraft move src/api.rs:helper --to main --position before
  treegraft move 'src/api.rs:struct_item@struct Reply' \\
      --to 'src/reply.rs:use_declaration@use std::io' --position after --apply
  treegraft move app/models.py:Order --to app/orders.py:Cart --position after --imports

With --imports, the import statements of all files follow: the moved code brings what it needs, and files that import \
it import it from its new file. Works in Python, JavaScript, TypeScript and Go."
    )]
    Move(MoveVerb),
    /// Replace every match of a pattern or a rule
    #[command(
        override_usage = "treegraft rewrite [OPTIONS] <PATTERN> <REPLACEMENT> [PATH]...\n       \
treegraft rewrite [OPTIONS] --rule <FILE> [PATH]...\n       \
treegraft rewrite [OPTIONS] --like <EDIT_ID> [PATH]...",
        help_template = HELP_LAYOUT,
        before_help = "\
Replace every match of PATTERN in the files of each PATH, all or none. Print the matches with \
their numbers and the diff; write nothing without --apply. Line breaks, comments and trailing \
commas between the tokens that both have stay as they are.",
        after_help = "\
Examples:
  treegraft rewrite 'equal($A, $B)' 'equal($B, $A)' src
  treegraft rewrite '$A.unwrap()' '$A.expect(\"checked\")' 'src/**/*.rs' --only 1 --apply
  treegraft rewrite 'debug($$$ALL)' '' --skip-failing
  treegraft rewrite 'self.db' 'self.store' src --scope Server --symbol-kind function
  treegraft rewrite --rule rules/no-debug.yml src
  treegraft rewrite --like e0123456789ab src

Quote the pattern, since a shell replaces $NAME."
    )]
    Rewrite(RewriteVerb),
    /// Make several edits, all or none
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
The edits can be in one or more files. One edit can also change several files (file_path is a list \
or a glob) or several nodes (selectors instead of selector). All selectors refer to the text before \
the command. Print the diff; write nothing without --apply or `\"apply\": true` in the JSON.",
        after_help = "\
Examples:
  treegraft edit '[{\"op\": \"replace\", \"file_path\": \"src/api.rs\",
      \"selector\": {\"anchor_text\": \"fn new\", \"ancestor_node_type\": \"function\"},
      \"new_content\": \"fn new() -> Api {}\"},
     {\"op\": \"delete\", \"file_path\": \"src/old.rs\",
      \"selector\": {\"anchor_text\": \"fn old\", \"ancestor_node_type\": \"function\"}}]'
  treegraft edit '[{\"op\": \"insert\", \"file_path\": \"src/**/*.rs\", \"selector\": \"struct@struct\",
      \"position\": \"before\", \"new_content\": \"#[derive(Debug)]\"},
     {\"op\": \"delete\", \"file_path\": \"src/old.rs\",
      \"selectors\": [\"function@fn kept\", \"function@fn old\"]}]'
  treegraft edit - --apply < edits.json

An op is replace, replace_text, insert, delete, wrap or move, or, for a whole file, create_file,
delete_file, organize_file or move_file (with \"to\": the new path). A selector must match one node
in each file; with expect_matches, all selectors together that many in all files. A file that only
a glob names may have no match. Options override the JSON."
    )]
    Edit(EditVerb),
    /// Create, delete, move and organize files
    #[command(
        subcommand,
        help_template = HELP_LAYOUT,
        before_help = "\
The edit of a whole file is staged, applied and undone like any other edit.",
        after_help = "\
Examples:
  treegraft file create src/greeting.rs --content 'pub struct Greeting;'
  treegraft file move src/old.rs src/legacy/old.rs --apply"
    )]
    File(FileVerb),
    /// List staged and recently applied edits
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
With an id, print the edit with its diff. Otherwise, print a table of previews, refused edits and applied edits, newest first, with the program that made \
each, its symbol or what it does, and the number of added and removed lines. On a terminal, ids are \
cut to a unique start, which every command accepts.",
        after_help = "\
Examples:
  treegraft list
  treegraft list e0123456789ab   # print its diff
  treegraft list --status previewed --file 'src/**/*.rs'
  treegraft list --client claude-code --diff
  treegraft list --graph         # print which applied edits depend on which
  treegraft list --stats --since 7d
  treegraft list --forget        # remove what is kept of them

Edits are kept for a week in the state directory, which only you can read: up to 5000 of each \
workspace, and up to 256 MB of the texts that they replaced."
    )]
    #[serde(skip)]
    List(ListVerb),
    /// Write previewed edits
    #[command(
        override_usage = "treegraft apply [OPTIONS] <EDIT_ID>...\n       \
treegraft apply [OPTIONS] <--all|--file <GLOB>|--client <NAME>|--interactive>",
        help_template = HELP_LAYOUT,
        before_help = "\
Write exactly the diff that the preview showed. On a terminal, print the diff again and ask \
first. Several edits are written one after the other, the oldest first; if one is refused, the \
others are still written. The exit code is 1 if all edits were refused, 4 if some were.",
        after_help = "\
Examples:
  treegraft apply e0123456789ab
  treegraft apply e0123456789ab --yes
  treegraft apply --file 'src/**/*.rs'
  treegraft apply --all --yes --rebase auto

With --interactive, treegraft shows each edit and asks, as `git add -p` does. If the edited code
changed since the preview, treegraft writes nothing and prints a new preview. If only code around \
it changed, the same id applies that preview, and --rebase auto writes it at once."
    )]
    #[serde(skip)]
    Apply(ApplyVerb),
    /// Undo an applied edit
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Restore the text that the edit replaced, and keep what changed elsewhere in its files. treegraft \
refuses if the text of the edit itself changed since, and names the later edits to undo first.",
        after_help = "\
Examples:
  treegraft undo e0123456789ab
  treegraft undo --preview e0123456789ab   # print what it would change"
    )]
    Undo(UndoVerb),
    /// Change a staged or refused edit
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Change only the given parts of the edit and keep the others, so that you need not send the content \
again. Print the diff of the new edit; write nothing without --apply.",
        after_help = "\
Examples:
  treegraft amend e0123456789ab 'match_arm@Method::PUT =>'
  treegraft amend e0123456789ab --anchor 'Method::PUT =>'
  treegraft amend e0123456789ab --content 'Method::POST => store(request),' --apply
  treegraft amend e0123456789ab --edits '[{\"edit_index\": 0,
      \"selector\": \"match_arm@Method::PUT =>\"}]'

A selector without a type keeps the type of the edit. For a rewrite, --skip, --only, --skip-failing
and --content are possible."
    )]
    Amend(Box<AmendVerb>),
    /// Discard staged edits
    #[command(
        override_usage = "treegraft discard [OPTIONS] <EDIT_ID>...\n       \
treegraft discard [OPTIONS] <--all|--file <GLOB>|--client <NAME>>",
        help_template = HELP_LAYOUT,
        before_help = "\
Delete previews and refused edits. No file of the workspace changes. Later calls about a discarded \
edit report the reason.",
        after_help = "\
Examples:
  treegraft discard e0123456789ab
  treegraft discard e0123456789ab --reason 'keep the old name'
  treegraft discard --all --yes"
    )]
    #[serde(skip)]
    Discard(DiscardVerb),
    /// Review staged edits in the browser or the terminal
    #[cfg(feature = "review")]
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Serve a page on loopback on which you accept, discard and undo the edits that agents stage, and open \
it in the browser. The link contains a token: its holder can apply staged edits. With --terminal, \
show the same in the terminal.",
        after_help = "\
Examples:
  treegraft review
  treegraft review --no-open --port 8650
  treegraft review --root ~/project

The page and the terminal are updated while agents work. Press ? for their keys."
    )]
    #[serde(skip)]
    Review(ReviewVerb),
    /// Ask the language servers: definitions, references, renames
    #[command(
        subcommand,
        help_template = HELP_LAYOUT,
        before_help = "\
treegraft starts the language server of the file, and ends it after the answer. `treegraft serve --background` \
keeps it running between commands.",
        after_help = "\
Examples:
  treegraft lsp definition 'src/app.py:main@<|>Store('
  treegraft lsp rename src/store.py:Store.get fetch"
    )]
    Lsp(LspVerb),
    /// Run the MCP server
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Serve the tools over the Model Context Protocol (MCP), on standard input and output or, with \
--http, over HTTP. With --background, keep the language servers of the workspace running for the \
command line instead: `treegraft lsp` then does not start its own.",
        after_help = "\
Examples:
  treegraft serve --root ~/project
  treegraft serve --tools read
  treegraft serve --stage-only
  treegraft serve --background
  treegraft serve --background --stop
  TREEGRAFT_TOKEN=$(openssl rand -hex 32) treegraft serve --http 127.0.0.1:8642"
    )]
    #[serde(skip)]
    Serve(ServeVerb),
    /// Run many calls, one JSON object per line
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Read one call per line and print one JSON answer per line, in the same order. Edits are previews \
without --apply. The exit code is 1 if all lines were refused, 4 if some were.",
        after_help = "\
Examples:
  treegraft batch calls.jsonl > answers.jsonl
  treegraft batch --output answers.jsonl --apply < calls.jsonl
  treegraft batch calls.jsonl --atomic --apply
  treegraft batch --pure < texts.jsonl > edited.jsonl

A line is an MCP call, {\"tool\": \"replace_node\", \"arguments\": {..}}, with an optional \"id\" that the
answer repeats. Paths are relative to the root of the workspace, even in a subdirectory.

With --pure, a line is {\"text\": \"..\", \"language\": \"python\", \"calls\": [{..}]}, and its answer has the
\"status\", the new \"text\", the \"diff\" and the \"digest\". Nothing is read or written besides."
    )]
    #[serde(skip)]
    Batch(BatchVerb),
}

/// The operations on whole files.
#[derive(Debug, Subcommand, Serialize)]
#[command(defer = true)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FileVerb {
    /// Create a file
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Create a file with this content, and the directories that it needs. The content is checked as that \
of any other edit. Print the diff; write nothing without --apply. An existing file is never \
overwritten.",
        after_help = "\
Examples:
  treegraft file create src/greeting.rs --content 'pub struct Greeting;
'
  generate | treegraft file create src/generated.rs --content-file - --apply

The file has exactly the bytes of the content. `treegraft undo` removes it, if it has not changed."
    )]
    Create(CreateVerb),
    /// Delete a file
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Print the diff; write nothing without --apply. `treegraft undo` restores the file with its mode.",
        after_help = "\
Examples:
  treegraft file delete src/old.rs
  treegraft file delete src/old.rs --apply"
    )]
    Delete(DeleteFileVerb),
    /// Move or rename a file
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Move a file with its mode to a new path, and create the directories that it needs. Print the diff; \
write nothing without --apply. An existing file is never overwritten. Other files that refer to it \
are not changed.",
        after_help = "\
Examples:
  treegraft file move src/old.rs src/legacy/old.rs
  treegraft file move src/old.rs src/Old.rs --apply

`treegraft edit` moves a file and edits others in one step, with \"op\": \"move_file\"."
    )]
    Move(MoveFileVerb),
    /// Add missing import statements and remove unused ones
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Import the names that the code of each file uses and that other files of the workspace define or \
import, and remove the imports that nothing uses, in Python, JavaScript, TypeScript and Go. Print \
the diff; write nothing without --apply. A name that several modules give is refused; --imports \
chooses one.",
        after_help = "\
Examples:
  treegraft file organize app/report.py
  treegraft file organize 'app/**/*.py' --apply
  treegraft file organize app/report.py --imports dumps=json

Existing import statements keep their order. Imports of a package file (__init__.py) stay, since \
other files may import from there."
    )]
    Organize(OrganizeVerb),
}

/// The questions to language servers.
#[derive(Debug, Subcommand, Serialize)]
#[command(defer = true)]
#[serde(rename_all = "kebab-case")]
pub(super) enum LspVerb {
    /// Print where a name is defined
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language server of the file for the definition of the name at PLACE.",
        after_help = PLACE_EXAMPLES
    )]
    Definition(DefinitionVerb),
    /// List the references to a name
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language server of the file for the uses of the name at PLACE. Other symbols with the \
same name are not listed.",
        after_help = "\
Examples:
  treegraft lsp references src/store.py:Store.get
  treegraft lsp references src/store.py:Store.get --kind callers
  treegraft lsp references src/app.py:12@store --max-items 200"
    )]
    References(ReferencesVerb),
    /// Print the type, signature and documentation of a name
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language server of the file about the name at PLACE.",
        after_help = "\
Examples:
  treegraft lsp hover 'src/app.py:main@<|>store.get('
  treegraft lsp hover src/app.py:12@store"
    )]
    Hover(HoverVerb),
    /// List the errors and warnings in files
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language servers of the files for their diagnostics.",
        after_help = "\
Examples:
  treegraft lsp diagnostics src/app.py
  treegraft lsp diagnostics 'src/**/*.ts' --max-items 200"
    )]
    Diagnostics(DiagnosticsVerb),
    /// Search the symbols of the workspace by name
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language servers of the workspace for the symbols whose name contains NAME.",
        after_help = "\
Examples:
  treegraft lsp symbols Store"
    )]
    Symbols(SymbolsVerb),
    /// Rename a symbol in every file that uses it
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language server of the file to rename the symbol at PLACE. Print the diff; write \
nothing without --apply. treegraft refuses a rename that leaves uses of the old name, or whose \
new name is already used there. With --complete, it also renames the uses that the server leaves \
out, or lists those that may belong to another symbol.",
        after_help = "\
Examples:
  treegraft lsp rename src/store.py:Store.get fetch
  treegraft lsp rename src/store.py:Store.get fetch --complete
  treegraft lsp rename 'src/app.py:12@store' shelf --apply"
    )]
    Rename(RenameVerb),
    /// List the fixes and refactorings for a position
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language server of the file for its code actions at PLACE. With --apply, preview one \
of them: print its diff, and write nothing until you run `treegraft apply`.",
        after_help = "\
Examples:
  treegraft lsp code-actions src/app.py:12@Store
  treegraft lsp code-actions src/app.py:12@Store --apply 'import store.Store'
  treegraft lsp code-actions src/app.py --range 12:5-14:20"
    )]
    CodeActions(CodeActionsVerb),
    /// Format a file
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language server of the file to format it. Print the diff; write nothing without --apply.",
        after_help = "\
Examples:
  treegraft lsp format src/store.ts
  treegraft lsp format src/store.ts --lines 10-20 --apply"
    )]
    Format(FormatVerb),
    /// List the completions at a position
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language server of the file what can follow the text before PLACE, such as the \
members after a dot.",
        after_help = "\
Examples:
  treegraft lsp completions 'src/app.py:main@store.<|>get'"
    )]
    Completions(LspCompletionsVerb),
    /// Print the signature of the function in a call
    #[command(
        help_template = HELP_LAYOUT,
        before_help = "\
Ask the language server of the file for the parameters of the called function. PLACE is \
between the parentheses of the call.",
        after_help = "\
Examples:
  treegraft lsp signature-help 'src/app.py:main@store.get(<|>'"
    )]
    SignatureHelp(SignatureHelpVerb),
}

/// Returns a parser that accepts the names of an enum of the engine, also with hyphens instead of
/// underscores.
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
