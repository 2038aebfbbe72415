//! The help, shell completions and manual pages, generated from the command line's definition.

use camino::Utf8Path;
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use schemars::JsonSchema;
use serde::Serialize;

use crate::user_files;
use treegraft::engine::response::{Answer, CallText};

use super::Arguments;
use super::args::HELP_LAYOUT;

const NAME: &str = "treegraft";

/// The pages that were written.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PagesWritten {
    /// Their directory.
    directory: String,
    /// Their names.
    pages: Vec<String>,
}

/// The groups of commands in the help.
const GROUPS: &[(&str, &[&str])] = &[
    ("Read", &["outline", "find", "read", "locate"]),
    (
        "Edit",
        &[
            "replace", "text", "insert", "delete", "wrap", "move", "rewrite", "edit", "file",
        ],
    ),
    (
        "Stage",
        &["list", "apply", "undo", "amend", "discard", "review"],
    ),
    ("Ask language servers", &["lsp"]),
    ("Serve", &["serve", "batch"]),
    ("Set up", &["client", "languages", "generate"]),
];

/// Returns the definition of the command line, whose help lists the commands in groups. Builds all commands, which takes
/// half of the start time.
pub(super) fn grouped() -> Command {
    let mut built = Arguments::command();
    built.build();
    let header = *built.get_styles().get_header();
    let literal = *built.get_styles().get_literal();
    let mut groups = String::new();
    for (heading, names) in GROUPS {
        groups.push_str(&format!("{header}{heading}:{header:#}\n"));
        for command in names.iter().filter_map(|name| built.find_subcommand(name)) {
            let (name, about) = (command.get_name(), command.get_about());
            let about = about.map(ToString::to_string).unwrap_or_default();
            groups.push_str(&format!("  {literal}{name:9}{literal:#}  {about}\n"));
        }
        groups.push('\n');
    }
    let layout = HELP_LAYOUT.replace(
        "{all-args}",
        &format!("{groups}{header}Global options:{header:#}\n{{options}}"),
    );
    Arguments::command().help_template(layout)
}

/// Returns the completion script of a shell.
pub(super) fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), NAME, &mut script);
    script
}

/// Returns the manual page of the command line.
///
/// # Errors
/// None in practice: it is written to memory.
pub(super) fn page() -> std::io::Result<Vec<u8>> {
    of_command(built())
}

/// Writes the manual page of the command line, and one page for each verb.
///
/// # Errors
/// The system's error.
pub(super) fn write_pages(directory: &Utf8Path) -> std::io::Result<PagesWritten> {
    let mut commands = vec![built()];
    let mut next = 0;
    while let Some(command) = commands.get(next) {
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let verbs: Vec<Command> = verbs.cloned().collect();
        next += 1;
        commands.splice(next..next, verbs);
    }
    let mut pages = Vec::new();
    for command in commands {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let name = format!("{name}.1");
        user_files::write(directory, &name, &of_command(command)?)?;
        pages.push(name);
    }
    Ok(PagesWritten {
        directory: directory.to_string(),
        pages,
    })
}

fn built() -> Command {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    command
}

fn of_command(command: Command) -> std::io::Result<Vec<u8>> {
    let examples = command.get_after_help().map(ToString::to_string);
    let (has_verbs, has_version) = (command.has_subcommands(), command.get_version().is_some());
    // As the help prints them: the first line and the paragraph below it.
    let about = [command.get_about(), command.get_before_help()];
    let about: Vec<String> = about
        .into_iter()
        .flatten()
        .map(ToString::to_string)
        .collect();
    let manual = Man::new(command.long_about(about.join("\n\n")));
    let mut page = Vec::new();
    manual.render_title(&mut page)?;
    manual.render_name_section(&mut page)?;
    manual.render_synopsis_section(&mut page)?;
    manual.render_description_section(&mut page)?;
    manual.render_options_section(&mut page)?;
    if has_verbs {
        manual.render_subcommands_section(&mut page)?;
    }
    if let Some(examples) = examples {
        // Line by line: the renderer would reflow them as a paragraph.
        let lines: Vec<String> = examples.lines().map(escaped).collect();
        let section = format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", lines.join("\n"));
        page.extend(section.into_bytes());
    }
    if has_version {
        manual.render_version_section(&mut page)?;
    }
    Ok(page)
}

/// Escapes a line for the manual's markup.
fn escaped(line: &str) -> String {
    let line = line
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq");
    match line.starts_with('.') {
        true => format!("\\&{line}"),
        false => line,
    }
}

impl Answer for PagesWritten {
    fn text_with(&self, _: CallText<'_>) -> String {
        let (count, directory) = (self.pages.len(), &self.directory);
        format!("wrote {count} manual pages to {directory}\n")
    }
}
