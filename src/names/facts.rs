//! How the import statements of a language are written: `queries/imports.toml`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::parse::Parsed;

#[cfg(feature = "oxc")]
use super::ecmascript::read_ecmascript;
use super::file_names::FileNames;
use super::layout::ItemOrder;
#[cfg(feature = "lang-python")]
use super::python::read_python;
use super::queried::read_queried;
use super::specs::Spec;

const FACTS: &str = include_str!("../../queries/imports.toml");

/// The facts by the name of the language. A file that cannot be read has none: a test reads it.
static ALL: LazyLock<HashMap<String, ImportFacts>> =
    LazyLock::new(|| read(FACTS).unwrap_or_default());

/// The facts about the import statements of a language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImportFacts {
    /// Further languages with the same facts.
    #[serde(default)]
    also: Vec<String>,
    pub(crate) modules: ModulePaths,
    /// The name of the file that makes a folder a module.
    #[serde(default)]
    pub(crate) package: String,
    /// The extensions of the files that import each other.
    pub(crate) extensions: Vec<String>,
    #[serde(default)]
    pub(crate) from: String,
    /// A statement that imports only types, if there is one.
    #[serde(default)]
    pub(crate) from_type: Option<String>,
    #[serde(default)]
    pub(crate) item_as: String,
    #[serde(default)]
    pub(crate) module: Option<String>,
    #[serde(default)]
    pub(crate) module_as: Option<String>,
    /// The import of a default export; `None` if modules have none.
    #[serde(default)]
    pub(crate) default: Option<String>,
    #[serde(default)]
    pub(crate) namespace: Option<String>,
    #[serde(default)]
    pub(crate) default_type: Option<String>,
    #[serde(default)]
    pub(crate) namespace_type: Option<String>,
    #[serde(default)]
    pub(crate) export_from: Option<String>,
    #[serde(default)]
    pub(crate) export_type: Option<String>,
    /// The prefix of exported definitions; `None` if all definitions of a file can be imported.
    #[serde(default)]
    pub(crate) export: Option<String>,
    /// The statement that makes a file without import and export statements a module.
    #[serde(default)]
    pub(crate) module_mark: Option<String>,
    /// Whether modules must not import each other while they are loaded.
    #[serde(default)]
    pub(crate) refuses_circular: bool,
    #[serde(default)]
    pub(crate) builtins: HashSet<String>,
    /// The names whose value differs between files.
    #[serde(default)]
    pub(crate) own: HashSet<String>,
    /// How the names of a file are read.
    pub(crate) reader: NameReader,
    /// Names without a definition that belong to modules of another kind.
    #[cfg_attr(
        not(feature = "oxc"),
        expect(dead_code, reason = "of a reader that is left out")
    )]
    #[serde(default)]
    pub(crate) other_modules: Vec<String>,
    /// The names of functions that load a module by its path.
    #[cfg_attr(
        not(feature = "oxc"),
        expect(dead_code, reason = "of a reader that is left out")
    )]
    #[serde(default)]
    pub(crate) loading_calls: Vec<String>,
    /// The first names of the modules of the standard library.
    #[serde(default)]
    pub(crate) standard: HashSet<String>,
    /// Whether blank lines separate import statements of different kinds.
    #[serde(default, rename = "grouped")]
    pub(crate) is_grouped: bool,
    /// The usual order of the items of a statement.
    #[serde(default)]
    pub(crate) item_order: ItemOrder,
    /// Names of the environment of the code, of which there may be more.
    #[serde(default)]
    pub(crate) environment: HashSet<String>,
    /// The file that makes a folder a package with a name.
    #[serde(default)]
    pub(crate) manifest: Option<String>,
    /// The extensions of files that are imported by their whole paths.
    #[serde(default)]
    pub(crate) whole_paths: Vec<String>,
    /// The words of a comment that keep the import statement on its line.
    #[serde(default)]
    pub(crate) keeping: Vec<String>,
    /// The signs of a line in a comment or string that contains code.
    #[serde(default)]
    pub(crate) code_signs: Vec<String>,
    /// Functions that return the names of the file that calls them.
    #[serde(default)]
    pub(crate) lookups: Vec<String>,
    /// The names that some nodes use without containing them.
    #[serde(default)]
    pub(crate) implicit: Vec<String>,
    /// The prefix of names that an import of all names leaves out.
    #[serde(default)]
    pub(crate) private: Option<String>,
    /// Whether other files can import what the file that makes a folder a module imports.
    #[serde(default)]
    pub(crate) exports_imports: bool,
    /// The number of blank lines after the import statements.
    #[serde(default = "one")]
    pub(crate) blank_lines: usize,
    /// The condition of imports that only a type checker reads.
    #[serde(default)]
    pub(crate) type_guards: Vec<String>,
    /// The facts about packages, if the files of a package share their names.
    #[serde(default)]
    pub(crate) packages: Option<PackageFacts>,
}

/// The facts about packages whose files share their names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackageFacts {
    /// A statement that imports an item.
    pub(crate) statement: String,
    /// An item that imports a path.
    pub(crate) item: String,
    /// The start and the end of a statement that imports several items.
    #[serde(default)]
    pub(crate) list: Option<(String, String)>,
    /// The separator of the elements of a path.
    pub(crate) separator: String,
    /// The alias of an import that gives no name.
    #[serde(default)]
    pub(crate) blank: Option<String>,
    /// The paths of import statements that belong to their file.
    #[serde(default, rename = "own_paths")]
    pub(crate) own: Vec<String>,
    /// The comments that need the import of a package: how they start, and the path.
    #[serde(default)]
    pub(crate) directives: BTreeMap<String, String>,
    /// The functions that run in the order of the files.
    #[serde(default)]
    pub(crate) ordered: Vec<String>,
    /// The last words of file names that state when a file is built.
    #[serde(default)]
    pub(crate) suffixes: Vec<String>,
    /// How the lines start that state when a file is built.
    #[serde(default)]
    pub(crate) condition_lines: Vec<String>,
    /// The folder of copied packages.
    #[serde(default)]
    pub(crate) vendor: Option<String>,
}

/// How the path of a module determines its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModulePaths {
    Dotted,
    Specifier,
    Package,
}

/// How the names of a file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NameReader {
    #[serde(rename = "ruff")]
    Python,
    #[serde(rename = "oxc")]
    Ecmascript,
    Queries,
}

impl NameReader {
    /// Adds the names of a file.
    pub(super) fn read(self, parsed: &Parsed, names: &mut FileNames) {
        match self {
            #[cfg(feature = "lang-python")]
            NameReader::Python => read_python(parsed, names),
            #[cfg(feature = "oxc")]
            NameReader::Ecmascript => read_ecmascript(parsed, names),
            NameReader::Queries => read_queried(parsed, names),
            #[cfg(not(all(feature = "lang-python", feature = "oxc")))]
            _ => {}
        }
    }
}

impl PackageFacts {
    /// Returns the statement that imports something in a file of its own line.
    pub(super) fn statement_of(&self, spec: &Spec) -> String {
        self.statement.replace("{item}", &spec.text)
    }

    /// Returns a statement that gives no name.
    pub(super) fn blank_spec(&self, spec: &Spec) -> Spec {
        let Some(blank) = self.blank.as_ref().filter(|_| spec.alias.is_none()) else {
            return spec.clone();
        };
        Spec {
            text: format!("{blank} {}", spec.text),
            alias: Some(blank.clone()),
            ..spec.clone()
        }
    }
}

impl ImportFacts {
    /// Returns the facts about a language.
    pub(crate) fn for_language(language: &str) -> Option<&'static ImportFacts> {
        ALL.get(language)
    }

    /// Returns the languages that have facts, sorted.
    pub(crate) fn languages() -> Vec<&'static str> {
        let mut names: Vec<&str> = ALL.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Returns whether a line is the condition of imports that only a type checker reads.
    pub(crate) fn is_type_guard(&self, line: &str) -> bool {
        self.type_guards.iter().any(|one| one == line)
    }

    /// Returns whether the files of two languages can import each other.
    pub(crate) fn are_related(&self, extension: &str) -> bool {
        self.extensions.iter().any(|one| one == extension)
    }
}

fn one() -> usize {
    1
}

fn read(text: &str) -> Result<HashMap<String, ImportFacts>, toml_edit::de::Error> {
    let own: HashMap<String, ImportFacts> = toml_edit::de::from_str(text)?;
    let rows = own.iter().flat_map(|(name, facts)| {
        let names = std::iter::once(name).chain(&facts.also);
        names.map(|name| (name.clone(), facts.clone()))
    });
    Ok(rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_are_valid_and_about_languages_with_import_statements() {
        let facts = read(FACTS).expect("the file is valid");
        assert!(!facts.is_empty());
        for wrong in ["[a]\nmodules = \"x\"", "[a]", "["] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
