//! Determines which files are tests and which are generated. Input: a file's path in the workspace and its text.
//! Output: its [`FileRole`].
//!
//! The facts are in `queries/file_roles.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use camino::Utf8Path;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use toml_edit::{DocumentMut, Item};

use crate::engine::response::questions::FileRole;
use crate::source::Source;

const FACTS: &str = include_str!("../../../queries/file_roles.toml");

/// The facts about files of all languages.
const ANY: &str = "any";

/// The number of lines in which a generated file states that it is.
const LINES: usize = 20;

/// The facts by the name of the language. A file that cannot be read has none: a test reads it.
static ROLES: LazyLock<HashMap<String, Roles>> = LazyLock::new(|| read(FACTS).unwrap_or_default());

/// The facts about the files of a language.
struct Roles {
    tests: GlobSet,
    generated: GlobSet,
    generated_lines: Vec<String>,
}

/// Returns the role of a file with a path relative to its root, if it is not an ordinary one.
pub(super) fn file_role(path: &Utf8Path, source: &Source) -> Option<FileRole> {
    let of = |name: &str| ROLES.get(name);
    let facts: Vec<&Roles> = [of(source.language().name), of(ANY)]
        .into_iter()
        .flatten()
        .collect();
    let is_generated = |roles: &&Roles| roles.generated.is_match(path) || roles.is_stated(source);
    if facts.iter().any(is_generated) {
        return Some(FileRole::Generated);
    }
    let is_test = facts.iter().any(|roles| roles.tests.is_match(path));
    is_test.then_some(FileRole::Test)
}

impl Roles {
    /// Returns whether a comment in the text states that it is generated.
    fn is_stated(&self, source: &Source) -> bool {
        // A comment starts with punctuation, except for the following lines of a block.
        let is_comment = |line: &&str| {
            let first = line.trim_start().chars().next();
            first.is_some_and(|first| first.is_ascii_punctuation() && !"\"'`".contains(first))
        };
        let mut comments = source.text().lines().take(LINES).filter(is_comment);
        comments.any(|line| self.generated_lines.iter().any(|one| line.contains(one)))
    }
}

fn read(text: &str) -> Result<HashMap<String, Roles>, String> {
    let facts: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let of_language = |(name, facts): (&str, &Item)| {
        let texts = |key: &str| -> Result<Vec<String>, String> {
            let Some(all) = facts.get(key) else {
                return Ok(Vec::new());
            };
            let all = all
                .as_array()
                .ok_or_else(|| format!("{name}.{key} is no list"))?;
            let text = |one: &toml_edit::Value| one.as_str().map(str::to_string);
            let all: Option<_> = all.iter().map(text).collect();
            all.ok_or_else(|| format!("{name}.{key} is no list of strings"))
        };
        let globs = |key| globs(&texts(key)?).map_err(|error| format!("{name}.{key}: {error}"));
        let roles = Roles {
            tests: globs("tests")?,
            generated: globs("generated")?,
            generated_lines: texts("generated_lines")?,
        };
        Ok((name.to_string(), roles))
    };
    facts.iter().map(of_language).collect()
}

fn globs(patterns: &[String]) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let everything = if pattern.ends_with('/') { "**" } else { "" };
        let pattern = format!("**/{pattern}{everything}");
        set.add(GlobBuilder::new(&pattern).literal_separator(true).build()?);
    }
    set.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{self, LANGUAGES};

    #[test]
    fn the_facts_are_about_existing_languages() {
        let facts = read(FACTS).expect("the file is valid");
        let is_whole = LANGUAGES.iter().any(|one| one.name == "swift");
        for name in facts.keys().filter(|name| *name != ANY) {
            let is_known = LANGUAGES.iter().any(|one| one.name == name);
            assert!(is_known || !is_whole, "{name}");
        }
        for wrong in [
            "[a]\ntests = 1",
            "[a]\ntests = [1]",
            "[a]\ntests = [\"{\"]",
            "[",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tests_and_generated_files_are_known_by_path_and_text() {
        let role = |path: &str, text: &str| {
            let language = language::of_path(path).expect("it has a language");
            file_role(
                Utf8Path::new(path),
                &Source::new(path, language, text.to_string()),
            )
        };
        for path in [
            "tests/a.rs",
            "a/tests/b.py",
            "test_a.py",
            "a/conftest.py",
            "web/a.spec.ts",
            "__tests__/a.tsx",
            "a_test.go",
            "app/src/test/java/A.java",
        ] {
            assert_eq!(role(path, "a\n"), Some(FileRole::Test), "{path}");
        }
        for path in [
            "src/contest.py",
            "latest.ts",
            "testing.go",
            "src/tests_of.rs",
            "attests/a.py",
        ] {
            assert_eq!(role(path, "a\n"), None, "{path}");
        }
        for (path, text) in [
            ("a_pb2.py", "a\n"),
            ("tests/a_pb2.py", "a\n"),
            (
                "a.go",
                "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a\n",
            ),
            ("a.ts", "/**\n * @generated\n */\n"),
            (
                "a.rs",
                "/* automatically generated by rust-bindgen 0.69 */\n",
            ),
        ] {
            assert_eq!(role(path, text), Some(FileRole::Generated), "{path}");
        }
        for (path, text) in [
            ("a.py", "MARK = '@generated'\n"),
            ("b.py", &*format!("{}# @generated\n", "\n".repeat(LINES))),
        ] {
            assert_eq!(role(path, text), None, "{path}");
        }
    }
}
