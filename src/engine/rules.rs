//! The rules of a search: read from an argument, a rule file, a directory of them, or the directories that an
//! `sgconfig.yml` names.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use crate::diagnostic::{self, Diagnostic};
use crate::parse::Parsed;
use crate::pattern::Matches;
use crate::pattern::rule::{Rule, RuleFile, RuleSet};
use crate::source::Source;
use crate::workspace::{Extent, WorkspacePath};

use super::core::Engine;
use super::request::RuleArgument;

/// The names of the configuration of ast-grep.
const CONFIGURATION: [&str; 2] = ["sgconfig.yml", "sgconfig.yaml"];
/// The extensions of rule files.
const EXTENSIONS: [&str; 2] = ["yml", "yaml"];
/// The key of the configuration that only concerns the tests of rules.
const OF_TESTS: &str = "testConfigs";

/// The rules of a search.
pub(super) struct Rules {
    set: RuleSet,
    /// The directory of `sgconfig.yml`, to which the globs of its rules are relative; otherwise the root.
    base: Option<Utf8PathBuf>,
}

/// The files of rules.
#[derive(Default)]
struct RuleFiles {
    rules: Vec<RuleFile>,
    utils: Vec<RuleFile>,
    base: Option<Utf8PathBuf>,
}

impl Engine {
    /// Reads the rules of a call.
    pub(super) fn rules(&self, argument: &RuleArgument) -> Result<Rules, Diagnostic> {
        match argument {
            RuleArgument::Path(path) => Rules::read(self.rule_files(path)?),
            RuleArgument::Text(_) | RuleArgument::Value(_) => Rules::without_files(argument),
        }
    }

    fn rule_files(&self, path: &str) -> Result<RuleFiles, Diagnostic> {
        let configuration = match self.extent(path)? {
            Extent::File(file) => {
                let name = file.absolute().file_name().unwrap_or_default();
                CONFIGURATION.contains(&name).then_some(file)
            }
            Extent::Folder(folder) => {
                let names = CONFIGURATION.iter();
                let mut files = names.map(|name| folder.absolute().join(name));
                files.find_map(|file| self.workspace.resolve(file.as_str()).ok())
            }
            Extent::Glob { .. } => None,
        };
        match configuration {
            Some(file) => self.configured_rules(&file),
            None => Ok(RuleFiles {
                rules: self.rules_below(path)?,
                ..RuleFiles::default()
            }),
        }
    }

    /// Reads the files in the directories that an `sgconfig.yml` names.
    fn configured_rules(&self, file: &WorkspacePath) -> Result<RuleFiles, Diagnostic> {
        let text = self.opened(file)?.source().text().to_string();
        let shown = file.display();
        let refused =
            |message: String| diagnostic::about_arguments(format!("`{shown}`: {message}"));
        let value = crate::pattern::rule::configuration(&text).map_err(&refused)?;
        let folder = file.absolute().parent().unwrap_or(Utf8Path::new(""));
        let mut files = RuleFiles {
            base: Some(folder.to_owned()),
            ..RuleFiles::default()
        };
        for (key, value) in &value {
            let own = match key.as_str() {
                "ruleDirs" => &mut files.rules,
                "utilDirs" => &mut files.utils,
                OF_TESTS => continue,
                _ => return Err(refused(format!("treegraft does not support `{key}`"))),
            };
            let names = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let names: Option<Vec<&str>> = names.iter().map(Value::as_str).collect();
            let Some(names) = names.filter(|names| !names.is_empty() || value.is_array()) else {
                return Err(refused(format!("`{key}` is not a list of directories")));
            };
            for name in names {
                own.extend(self.rules_below(folder.join(name).as_str())?);
            }
        }
        Ok(files)
    }

    /// Reads a rule file, or those below a directory or of a glob.
    fn rules_below(&self, path: &str) -> Result<Vec<RuleFile>, Diagnostic> {
        let searched = self.searched_files(&path.into())?;
        let is_rule = |file: &&WorkspacePath| {
            let extension = file.absolute().extension().unwrap_or_default();
            !searched.is_list || EXTENSIONS.contains(&extension)
        };
        let files: Vec<&WorkspacePath> = searched.files.iter().filter(is_rule).collect();
        if files.is_empty() {
            let message = format!("`{path}` has no rule file: their names end in .yml or .yaml");
            return Err(diagnostic::about_arguments(message));
        }
        let read = files.into_iter().map(|file| {
            Ok(RuleFile {
                name: file.display().to_string(),
                text: self.opened(file)?.source().text().to_string(),
            })
        });
        read.collect()
    }
}

impl Rules {
    /// Reads the rules of a call that has no files.
    ///
    /// # Errors
    /// The argument names files, or a rule is invalid.
    pub(super) fn without_files(argument: &RuleArgument) -> Result<Rules, Diagnostic> {
        let text = match argument {
            RuleArgument::Text(text) => text.clone(),
            RuleArgument::Value(value) => value.to_string(),
            RuleArgument::Path(path) => {
                let message = format!("cannot read the rules in `{path}`: the call has no files");
                return Err(diagnostic::about_arguments(message).help("pass the text of the rule"));
            }
        };
        Rules::read(RuleFiles {
            rules: vec![RuleFile {
                name: String::new(),
                text,
            }],
            ..RuleFiles::default()
        })
    }

    fn read(files: RuleFiles) -> Result<Rules, Diagnostic> {
        let set = RuleSet::read(&files.rules, &files.utils)
            .map_err(|invalid| diagnostic::about_rule(&invalid))?;
        Ok(Rules {
            set,
            base: files.base,
        })
    }

    /// Returns the path that the globs of the rules are matched against.
    pub(super) fn matched_path<'p>(&self, path: &'p WorkspacePath) -> &'p Utf8Path {
        let base = self.base.as_ref();
        let below = base.and_then(|base| path.absolute().strip_prefix(base).ok());
        below.unwrap_or(path.relative())
    }

    /// Returns all rules.
    pub(super) fn rules(&self) -> &[Rule] {
        self.set.rules()
    }

    /// Returns whether there are several, so that answers name the rule of a match.
    pub(super) fn are_several(&self) -> bool {
        self.rules().len() > 1
    }

    /// Returns whether a text may contain a match, as far as its language shows.
    pub(super) fn may_be_in(&self, source: &Source) -> bool {
        let language = source.language();
        let embeds = language
            .tables()
            .is_some_and(|tables| tables.has_injections());
        embeds || self.rules().iter().any(|rule| rule.is_for(language))
    }

    /// Returns at most `most` matches of each rule in a file, in file order. `path` is matched against the globs of the
    /// rules.
    pub(super) fn find<'p>(&self, path: &Utf8Path, parsed: &'p Parsed, most: usize) -> Matches<'p> {
        self.set.find(parsed, path.as_str(), most)
    }
}
