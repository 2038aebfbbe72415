//! The text of settings, and of errors in configuration files.

use std::fmt;

use crate::source::signs::in_one_line;
use crate::workspace::{ApprovalRequired, ConfigurationError, ConfigurationProblem, Settings};

use super::counted;

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problem = in_one_line(&problem_text(&self.problem));
        write!(f, "{}:{}: {problem}", self.path, self.line)
    }
}

fn problem_text(problem: &ConfigurationProblem) -> String {
    match problem {
        ConfigurationProblem::Reported(message) => message.clone(),
        ConfigurationProblem::NotAFile => "not a regular file".to_string(),
        ConfigurationProblem::TooLarge(limit) => format!("more than {limit} bytes"),
        ConfigurationProblem::NotUtf8 => "not UTF-8".to_string(),
        ConfigurationProblem::LimitOutOfRange { name, max } => {
            format!("`{name}` must be from 1 to {max}")
        }
        ConfigurationProblem::InvalidExtension(text) => {
            format!("`{text}` is not an extension: give the part after the last dot")
        }
        ConfigurationProblem::InvalidGuard => {
            "`guard` must be \"deny\", \"warn\" or \"off\"".to_string()
        }
        ConfigurationProblem::InvalidApproval => "`approval` must be \"required\"".to_string(),
        ConfigurationProblem::UnknownLanguage(name) => {
            format!("unknown language `{name}`: `treegraft languages` lists all")
        }
        ConfigurationProblem::NoServer(language) => {
            format!("`{language}` has no built-in server")
        }
        ConfigurationProblem::EmptyCommand(language) => {
            format!("the command of `{language}` is empty")
        }
        ConfigurationProblem::InvalidTimeout(language) => {
            format!("the timeouts of `{language}` must be greater than 0 seconds")
        }
    }
}

impl fmt::Display for ApprovalRequired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApprovalRequired::StageOnly => f.write_str("this server only stages edits"),
            ApprovalRequired::Configured(path) => write!(f, "`{path}` requires approval"),
            ApprovalRequired::Unknown(error) => write!(f, "edits may need approval: {error}"),
        }
    }
}

/// Lists the settings.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let patterns = match self.patterns() {
            0 => None,
            1 => Some("1 pattern excludes files".to_string()),
            count => Some(format!("{} exclude files", counted(count, "pattern"))),
        };
        let languages = self.languages();
        let languages =
            languages.map(|(extension, language)| format!("*.{extension} is {}", language.name));
        let limits = self.limits();
        let bytes = limits
            .file_bytes
            .map(|max| format!("at most {max} bytes per file"));
        let files = limits
            .files
            .map(|max| format!("at most {max} files examined"));
        let items = limits
            .items
            .map(|max| format!("at most {max} items in one answer"));
        let approval = self
            .requires_approval()
            .then(|| "edits of agents need approval".to_string());
        let tools = self.tools().map(|groups| {
            let names: Vec<&str> = groups.iter().map(|group| group.name()).collect();
            format!("tools for {}", names.join(", "))
        });
        let servers = self.servers().iter();
        let servers = servers.map(|(language, program)| format!("{program} for {language}"));
        let all = patterns.into_iter().chain(languages);
        let all: Vec<String> = all
            .chain([bytes, files, items, approval, tools].into_iter().flatten())
            .chain(servers)
            .collect();
        f.write_str(&all.join(", "))
    }
}
