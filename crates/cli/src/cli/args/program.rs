//! The verbs about the program itself, and those that serve or make many calls.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::time::Duration;

use camino::Utf8PathBuf;
use clap::Args;
use clap::builder::{
    NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser,
};
use clap_complete::Shell;

use treegraft::engine::tools::ToolGroup;

use crate::cli::clients::{CLIENTS, SERVER_NAME};

#[derive(Debug, Args)]
pub(in crate::cli) struct ServeVerb {
    /// The groups of tools that are offered
    #[arg(
        long,
        value_name = "GROUPS",
        value_delimiter = ',',
        default_value = "read,edit,flow",
        value_parser = group_names()
    )]
    pub(in crate::cli) tools: Vec<ToolGroup>,
    /// Listen here for streamable HTTP, at a loopback address; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(in crate::cli) http: Option<SocketAddr>,
    /// Bearer token required from HTTP clients (Authorization: Bearer TOKEN); generated and printed if omitted.
    /// Other users can see the arguments of a command; the environment variable hides the token from them
    #[arg(
        long,
        value_name = "TOKEN",
        env = "TREEGRAFT_TOKEN",
        hide_env_values = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    pub(in crate::cli) token: Option<String>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct BatchVerb {
    /// A file of calls; - reads standard input
    #[arg(default_value = "-")]
    pub(in crate::cli) file: String,
    /// Write the answers at the end of this file; lines that it answers already are not done again
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) output: Option<Utf8PathBuf>,
    /// All lines are edits and one change: all or none
    #[arg(long)]
    pub(in crate::cli) atomic: bool,
    /// Write at once, but for edits that say otherwise
    #[arg(long)]
    pub(in crate::cli) apply: bool,
    /// How many lines run beside each other. Default: as many as there are cores
    #[arg(long, value_name = "N")]
    pub(in crate::cli) jobs: Option<NonZeroUsize>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct StatsVerb {
    /// Only of the last minutes, hours, days or weeks: 30m, 12h, 7d, 4w
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(in crate::cli) since: Option<Duration>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ShellVerb {
    /// The shell
    pub(in crate::cli) shell: Shell,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct ManVerb {
    /// The directory, which is made where it is missing
    #[arg(value_name = "DIR")]
    pub(in crate::cli) directory: Option<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct InstallVerb {
    /// The client; without one they are listed, with the file of each
    #[arg(value_parser = client_names())]
    pub(in crate::cli) client: Option<String>,
    /// Write it; all else in the file stays as it is
    #[arg(long)]
    pub(in crate::cli) write: bool,
    /// Into the configuration of the project instead of the user's
    #[arg(long)]
    pub(in crate::cli) project: bool,
    /// What the server is called there
    #[arg(long, value_name = "NAME", default_value = SERVER_NAME, value_parser = server_name)]
    pub(in crate::cli) name: String,
    /// Those of the whole command line.
    #[arg(skip)]
    pub(in crate::cli) root: Vec<Utf8PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct NodeTypesVerb {
    /// The name of the language, or the ending of its files
    pub(in crate::cli) language: String,
}

/// Returns a parser that takes the names of the groups of tools.
fn group_names() -> impl TypedValueParser<Value = ToolGroup> {
    let groups = ToolGroup::ALL.iter().copied();
    PossibleValuesParser::new(groups.map(ToolGroup::name)).try_map(|name| {
        let mut groups = ToolGroup::ALL.iter().copied();
        groups
            .find(|group| group.name() == name)
            .ok_or("there is no such group")
    })
}

/// Reads a number with its unit, such as `7d`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a number followed by m, h, d or w, such as 7d".to_string();
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

/// Returns a parser that takes the names of the clients.
fn client_names() -> PossibleValuesParser {
    let names = CLIENTS.iter().map(|client| PossibleValue::new(client.name));
    PossibleValuesParser::new(names)
}

/// Reads a name that every client accepts for a server.
fn server_name(name: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(allowed) {
        true => Ok(name.to_string()),
        false => Err("a name consists of letters, digits, - and _".to_string()),
    }
}
