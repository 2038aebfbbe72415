//! Parses the command line, and says what to write instead of a word that it does not know.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Error, Parser};

use treegraft::engine::tools;

use super::Arguments;
use super::command::grouped;

/// The words that people try, and the commands that they mean. Names of tools, and of commands in a group, need no entry.
const MEANT: &[(&str, &str)] = &[
    ("accept", "apply"),
    ("add", "insert"),
    ("cat", "read"),
    ("check", "lsp diagnostics"),
    ("codemod", "rewrite"),
    ("def", "lsp definition"),
    ("describe", "locate"),
    ("edits", "list"),
    ("grep", "find"),
    ("log", "list"),
    ("mcp", "serve"),
    ("mv", "file move"),
    ("new", "file create"),
    ("refs", "lsp references"),
    ("reject", "discard"),
    ("remove", "file delete"),
    ("rename-file", "file move"),
    ("revert", "undo"),
    ("rm", "file delete"),
    ("search", "find"),
    ("sed", "rewrite"),
    ("setup", "client install"),
    ("show", "list EDIT_ID"),
    ("staged", "list"),
    ("stats", "list --stats"),
    ("status", "list"),
    ("sub", "text"),
    ("view", "read"),
];
/// The options that people try, and those that they mean.
const MEANT_OPTIONS: &[(&str, &str)] = &[
    ("--at", "--scope"),
    ("--file", "PLACE, without an option"),
    ("--in", "--scope"),
    ("--kind", "--node-type, --ancestor or --kinds"),
    ("--line", "--scope"),
    ("--lines", "--scope"),
    ("--replacement", "--content"),
    ("--symbol", "--scope"),
    ("--text", "--anchor"),
    ("--type", "--node-type or --ancestor"),
    ("--with", "--content"),
    ("--write", "--apply"),
];

/// Parses the words of a command line, from the name of the program on. Prints the help or the error and ends the process if
/// they are no command.
pub(super) fn parse(words: &[OsString]) -> Arguments {
    match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) if error.kind() == ErrorKind::InvalidSubcommand => with_meant(error).exit(),
        Err(error) if error.kind() == ErrorKind::UnknownArgument => with_option(error).exit(),
        // The error of the other definition has the help with the groups.
        Err(error) => match grouped().try_get_matches_from(words) {
            Ok(_) => error.exit(),
            Err(error) => error.exit(),
        },
    }
}

/// Adds the command that an unknown one means.
fn with_meant(mut error: Error) -> Error {
    let given = context(&error, ContextKind::InvalidSubcommand);
    let mut command = grouped();
    command.build();
    let groups = command.get_subcommands();
    let of_group = groups
        .filter(|group| group.get_name() != "help" && group.find_subcommand(&given).is_some())
        .map(|group| format!("{} {given}", group.get_name()));
    let known = MEANT.iter().find(|(word, _)| *word == given);
    let meant = known
        .map(|(_, meant)| (*meant).to_string())
        .or_else(|| tools::tool(&given).map(|tool| tool.verb.to_string()));
    let mut meant: Vec<String> = of_group.chain(meant).collect();
    meant.dedup();
    if !meant.is_empty() {
        let meant = meant.join("` or `treegraft ");
        insert_tip(&mut error, format!("run `treegraft {meant}`"));
    }
    error
}

/// Adds the option that an unknown one means.
fn with_option(mut error: Error) -> Error {
    let given = context(&error, ContextKind::InvalidArg);
    let known = MEANT_OPTIONS.iter().find(|(option, _)| *option == given);
    if let Some((_, meant)) = known {
        insert_tip(&mut error, format!("use {meant}"));
    }
    error
}

fn context(error: &Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    }
}

fn insert_tip(error: &mut Error, tip: String) {
    error.remove(ContextKind::SuggestedSubcommand);
    error.remove(ContextKind::SuggestedArg);
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
}
