//! How the import statements of a language are written: `queries/imports.toml`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use toml_edit::{DocumentMut, Item};

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
#[derive(Clone, Debug)]
pub(crate) struct ImportFacts {
    pub(crate) modules: ModulePaths,
    /// The name of the file that makes a folder a module.
    pub(crate) package: String,
    /// The extensions of the files that import each other.
    pub(crate) extensions: Vec<String>,
    pub(crate) from: String,
    /// A statement that imports only types, if there is one.
    pub(crate) from_type: Option<String>,
    pub(crate) item_as: String,
    pub(crate) module: Option<String>,
    pub(crate) module_as: Option<String>,
    /// The import of a default export; `None` if modules have none.
    pub(crate) default: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) default_type: Option<String>,
    pub(crate) namespace_type: Option<String>,
    pub(crate) export_from: Option<String>,
    pub(crate) export_type: Option<String>,
    /// The prefix of exported definitions; `None` if all definitions of a file can be imported.
    pub(crate) export: Option<String>,
    /// The statement that makes a file without import and export statements a module.
    pub(crate) module_mark: Option<String>,
    /// Whether modules must not import each other while they are loaded.
    pub(crate) refuses_circular: bool,
    pub(crate) builtins: HashSet<String>,
    /// The names whose value differs between files.
    pub(crate) own: HashSet<String>,
    /// How the names of a file are read.
    pub(crate) reader: NameReader,
    /// Names without a definition that belong to modules of another kind.
    #[cfg_attr(
        not(feature = "oxc"),
        expect(dead_code, reason = "of a reader that is left out")
    )]
    pub(crate) other_modules: Vec<String>,
    /// The names of functions that load a module by its path.
    #[cfg_attr(
        not(feature = "oxc"),
        expect(dead_code, reason = "of a reader that is left out")
    )]
    pub(crate) loading_calls: Vec<String>,
    /// The first names of the modules of the standard library.
    pub(crate) standard: HashSet<String>,
    /// Whether blank lines separate import statements of different kinds.
    pub(crate) is_grouped: bool,
    /// The usual order of the items of a statement.
    pub(crate) item_order: ItemOrder,
    /// Names of the environment of the code, of which there may be more.
    pub(crate) environment: HashSet<String>,
    /// The extensions of files that are imported by their whole paths.
    pub(crate) whole_paths: Vec<String>,
    /// The words of a comment that keep the import statement on its line.
    pub(crate) keeping: Vec<String>,
    /// The signs of a line in a comment or string that contains code.
    pub(crate) code_signs: Vec<String>,
    /// Functions that return the names of the file that calls them.
    pub(crate) lookups: Vec<String>,
    /// The names that some nodes use without containing them.
    pub(crate) implicit: Vec<String>,
    /// The prefix of names that an import of all names leaves out.
    pub(crate) private: Option<String>,
    /// Whether other files can import what the file that makes a folder a module imports.
    pub(crate) exports_imports: bool,
    /// The number of blank lines after the import statements.
    pub(crate) blank_lines: usize,
    /// The condition of imports that only a type checker reads.
    pub(crate) type_guards: Vec<String>,
    /// The facts about packages, if the files of a package share their names.
    pub(crate) packages: Option<PackageFacts>,
}

/// The facts about packages whose files share their names.
#[derive(Clone, Debug)]
pub(crate) struct PackageFacts {
    /// A statement that imports an item.
    pub(crate) statement: String,
    /// An item that imports a path.
    pub(crate) item: String,
    /// The start and the end of a statement that imports several items.
    pub(crate) list: Option<(String, String)>,
    /// The separator of the elements of a path.
    pub(crate) separator: String,
    /// The alias of an import that gives no name.
    pub(crate) blank: Option<String>,
    /// The paths of import statements that belong to their file.
    pub(crate) own: Vec<String>,
    /// The comments that need the import of a package: how they start, and the path.
    pub(crate) directives: Vec<(String, String)>,
    /// The functions that run in the order of the files.
    pub(crate) ordered: Vec<String>,
    /// The last words of file names that state when a file is built.
    pub(crate) suffixes: Vec<String>,
    /// How the lines start that state when a file is built.
    pub(crate) condition_lines: Vec<String>,
    /// The folder of copied packages.
    pub(crate) vendor: Option<String>,
}

/// How the path of a module determines its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModulePaths {
    Dotted,
    Specifier,
    Package,
}

/// How the names of a file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameReader {
    Python,
    Ecmascript,
    Queries,
}

impl NameReader {
    fn named(name: &str) -> Option<NameReader> {
        match name {
            "ruff" => Some(NameReader::Python),
            "oxc" => Some(NameReader::Ecmascript),
            "queries" => Some(NameReader::Queries),
            _ => None,
        }
    }

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
    pub(crate) fn of(language: &str) -> Option<&'static ImportFacts> {
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

fn read(text: &str) -> Result<HashMap<String, ImportFacts>, String> {
    let all: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let of_language = |(name, facts): (&str, &Item)| {
        let like = facts
            .get("like")
            .and_then(Item::as_str)
            .map(|other| all.get(other));
        let facts = like.map_or(Ok(facts), |other| {
            other.ok_or_else(|| format!("{name}.like"))
        })?;
        let text = |key: &str| facts.get(key).and_then(Item::as_str).map(str::to_string);
        let needed = |key: &str| text(key).ok_or_else(|| format!("{name}.{key} is no string"));
        let number = |key: &str| match facts.get(key).and_then(Item::as_integer) {
            Some(2) => Ok(2),
            None => Ok(1),
            Some(other) => Err(format!("{name}.{key}: {other}")),
        };
        let list = |key: &str| -> Result<Vec<String>, String> {
            let Some(all) = facts.get(key) else {
                return Ok(Vec::new());
            };
            let wrong = || format!("{name}.{key} is no list of strings");
            let all = all.as_array().ok_or_else(wrong)?.iter();
            all.map(|one| one.as_str().map(str::to_string).ok_or_else(wrong))
                .collect()
        };
        let pairs = |key: &str| -> Result<Vec<(String, String)>, String> {
            let all = facts.get(key).and_then(Item::as_inline_table);
            let all = all.into_iter().flatten();
            let wrong = || format!("{name}.{key} is no table of strings");
            all.map(|(key, value)| Some((key.to_string(), value.as_str()?.to_string())))
                .map(|pair| pair.ok_or_else(wrong))
                .collect()
        };
        let packages = || -> Result<PackageFacts, String> {
            let bounds = match &list("list")?[..] {
                [open, close] => Some((open.clone(), close.clone())),
                _ => None,
            };
            Ok(PackageFacts {
                statement: needed("statement")?,
                item: needed("item")?,
                list: bounds,
                separator: needed("separator")?,
                blank: text("blank"),
                own: list("own_paths")?,
                directives: pairs("directives")?,
                ordered: list("ordered")?,
                suffixes: list("suffixes")?,
                condition_lines: list("condition_lines")?,
                vendor: text("vendor"),
            })
        };
        let is_package = text("modules").as_deref() == Some("package");
        let unless_package = |key: &str| match is_package {
            true => Ok(String::new()),
            false => needed(key),
        };
        let own = ImportFacts {
            packages: is_package.then(packages).transpose()?,
            modules: match needed("modules")?.as_str() {
                "dotted" => ModulePaths::Dotted,
                "specifier" => ModulePaths::Specifier,
                "package" => ModulePaths::Package,
                other => return Err(format!("{name}.modules: {other}")),
            },
            package: unless_package("package")?,
            extensions: list("extensions")?,
            from: unless_package("from")?,
            from_type: text("from_type"),
            item_as: unless_package("item_as")?,
            module: text("module"),
            module_as: text("module_as"),
            default: text("default"),
            namespace: text("namespace"),
            default_type: text("default_type"),
            namespace_type: text("namespace_type"),
            export_from: text("export_from"),
            export_type: text("export_type"),
            export: text("export"),
            module_mark: text("module_mark"),
            refuses_circular: text("circular").as_deref() == Some("refuse"),
            builtins: list("builtins")?.into_iter().collect(),
            own: list("own")?.into_iter().collect(),
            reader: NameReader::named(&needed("reader")?)
                .ok_or_else(|| format!("{name}.reader is not known"))?,
            other_modules: list("other_modules")?,
            loading_calls: list("loading_calls")?,
            standard: list("standard")?.into_iter().collect(),
            is_grouped: facts.get("grouped").and_then(Item::as_bool) == Some(true),
            item_order: match text("item_order").as_deref() {
                Some("kinds") => ItemOrder::Kinds,
                None => ItemOrder::Letters,
                Some(other) => return Err(format!("{name}.item_order: {other}")),
            },
            lookups: list("lookups")?,
            environment: list("environment")?.into_iter().collect(),
            whole_paths: list("whole_paths")?,
            keeping: list("keeping")?,
            code_signs: list("code_signs")?,
            implicit: list("implicit")?,
            private: text("private"),
            blank_lines: number("blank_lines")?,
            exports_imports: facts.get("exports_imports").and_then(Item::as_bool) == Some(true),
            type_guards: list("type_guards")?,
        };
        Ok((name.to_string(), own))
    };
    all.iter().map(of_language).collect()
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
