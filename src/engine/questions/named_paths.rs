//! Reads how code refers to symbols of other files: paths, imports, includes, and strings with a path.
//!
//! Input: a text and the span of a name in it. Output: the names before it, or what an import names. The facts are in
//! `queries/rename.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use camino::{Utf8Path, Utf8PathBuf};
use toml_edit::{DocumentMut, Table};

use crate::locate::is_word;
use crate::names::NameForm;
use crate::source::Span;

const FACTS: &str = include_str!("../../../queries/rename.toml");

/// The facts by the name of the language. A file that cannot be read has none: a test reads it.
static NAMING: LazyLock<HashMap<String, Naming>> =
    LazyLock::new(|| read(FACTS).unwrap_or_default());

/// How the code of a language refers to symbols of other files.
#[derive(Debug, Default)]
pub(super) struct Naming {
    /// The separator of a path.
    pub(super) paths: Option<String>,
    /// The file in the directory of each package, whose modules are below `src`.
    pub(super) manifest: Option<String>,
    /// What a file contains whose macros other packages can expand.
    exports_macros: Option<String>,
    /// What the name of a block contains that implements members of another symbol for its type. Members of other
    /// blocks belong to the type alone.
    pub(super) implements: Option<String>,
    /// Whether imports name modules with dots.
    pub(super) has_dotted_imports: bool,
    /// Whether imports name files relative to their own.
    pub(super) has_relative_imports: bool,
    /// The modules that are never in the workspace.
    pub(super) outside: Vec<String>,
    /// The word between an imported name and its alias.
    pub(super) alias: Option<String>,
    /// How statements start that export all names of another file.
    pub(super) star_exports: Vec<String>,
    module_files: Vec<String>,
    extensions: Vec<String>,
    /// Whether the files of a directory with the same package clause share their names.
    pub(super) has_packages: bool,
    /// Whether a file has the names of the files that it includes.
    pub(super) has_includes: bool,
    /// Whether a string can be the path of a symbol.
    pub(super) has_dotted_strings: bool,
    /// The lists of exported names.
    pub(super) name_lists: Vec<String>,
    /// The functions whose first argument is the name that their result is assigned to.
    pub(super) naming_calls: Vec<String>,
    /// The words before a type that makes the names of its members strings, or before such words.
    pub(super) key_operators: Vec<String>,
    /// The members that the language or its library calls by their names.
    pub(super) called_members: Vec<NameForm>,
    /// The names that the language or a library looks up.
    pub(super) called_names: Vec<NameForm>,
    /// The call that gives the value which a statement binds after it has entered another one.
    pub(super) enter: Option<String>,
    /// How a list starts that never changes.
    pub(super) fixed_lists: Option<String>,
    /// The lines of which a string contains one if it may be a program.
    pub(super) program_lines: Vec<NameForm>,
    /// The texts of which a file contains one if its code looks up composed names.
    pub(super) composing: Vec<String>,
    /// The decorators of functions whose result is the value of a parameter with their name.
    pub(super) fixture_decorators: Vec<String>,
    /// The decorators that give values to parameters.
    pub(super) parameter_decorators: Vec<String>,
    /// The functions whose calls contain the values of several parameters.
    pub(super) parameter_sets: Vec<String>,
    /// The hooks that give values to parameters.
    pub(super) parameter_hooks: Vec<String>,
    /// The files whose fixtures are those of all files in their directory and below.
    pub(super) fixture_files: Vec<String>,
    /// What the names of functions start with whose parameters are fixtures.
    pub(super) test_prefixes: Vec<String>,
    /// The attributes whose value is the path of a symbol.
    pub(super) string_attributes: Vec<String>,
}

/// Returns the facts about a language.
pub(super) fn naming(language: &str) -> &'static Naming {
    static NONE: LazyLock<Naming> = LazyLock::new(Naming::default);
    NAMING.get(language).unwrap_or(&NONE)
}

impl Naming {
    /// Returns what separates the names of modules, if imports name modules.
    pub(super) fn separator(&self) -> Option<&str> {
        let dot = self.has_dotted_imports.then_some(".");
        self.paths.as_deref().or(dot)
    }

    /// Returns the names of the directories and modules of a file whose path has these parts, without the file names
    /// that are named by their directory.
    pub(super) fn modules(&self, path: &Utf8Path) -> Vec<String> {
        let mut modules: Vec<String> = path.iter().map(str::to_string).collect();
        let stem = path.file_stem().unwrap_or_default();
        modules.pop();
        if !self.module_files.iter().any(|name| name == stem) {
            modules.push(stem.to_string());
        }
        modules
    }

    /// Returns whether code in a text may belong to the package that uses it.
    pub(super) fn is_expanded_elsewhere(&self, text: &str) -> bool {
        let mark = self.exports_macros.as_deref();
        mark.is_some_and(|mark| text.contains(mark))
    }

    /// Returns the paths that the file of an imported module can have. `module` is a path without extension.
    pub(super) fn files_of(&self, module: &Utf8Path) -> Vec<Utf8PathBuf> {
        // `./a.js` also names `a.ts`.
        let own = module.extension();
        let has_extension = own.is_some_and(|own| self.extensions.iter().any(|one| one == own));
        let bare = match has_extension {
            true => module.with_extension(""),
            false => module.to_owned(),
        };
        let mut files = vec![module.to_owned()];
        for extension in &self.extensions {
            files.push(Utf8PathBuf::from(format!("{bare}.{extension}")));
            for name in &self.module_files {
                files.push(bare.join(format!("{name}.{extension}")));
            }
        }
        files
    }
}

/// Returns the names before a name in a path: `a` and `b` in `a::b::name`. With `in_list`, the path may continue before
/// the braces of a list, as in `a::{b::name}`. Returns `None` if something else is part of the path.
pub(super) fn path_before(
    text: &str,
    start: usize,
    separator: &str,
    in_list: bool,
) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text[..start].trim_end();
    loop {
        if let Some(before) = rest.strip_suffix(separator) {
            let before = before.trim_end();
            let is_part = |c: char| is_word(c) || c == '$';
            let name = before.trim_end_matches(is_part);
            let name = &before[name.len()..];
            if name.is_empty() {
                return None;
            }
            names.insert(0, name.to_string());
            rest = before[..before.len() - name.len()].trim_end();
        } else if in_list && rest.ends_with(['{', ',']) {
            rest = before_list(rest)?.trim_end();
            if !rest.ends_with(separator) {
                return None;
            }
        } else {
            return Some(names);
        }
    }
}

/// Returns the text before the innermost open brace.
fn before_list(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            '}' => depth += 1,
            '{' if depth == 0 => return Some(&text[..at]),
            '{' => depth -= 1,
            ';' => return None,
            _ => {}
        }
    }
    None
}

/// Returns the module that a dotted import names: `..a.b` in `from ..a.b import name`.
pub(super) fn dotted_import(import: &str) -> Option<&str> {
    let module = import.strip_prefix("from")?.split_whitespace().next()?;
    let is_module = module.chars().all(|c| is_word(c) || c == '.');
    is_module.then_some(module)
}

/// Returns whether a text applies an operator to a type: `keyof typeof name` or `keyof name`.
pub(super) fn has_keys_of(text: &str, operators: &[String], name: &str) -> bool {
    let Some((first, _)) = operators.split_first() else {
        return false;
    };
    let words = text.split(|c: char| !is_word(c));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        if word != first {
            continue;
        }
        while words
            .peek()
            .is_some_and(|word| operators.iter().any(|one| one == word))
        {
            words.next();
        }
        if words.peek() == Some(&name) {
            return true;
        }
    }
    false
}

/// Returns the modules all of whose names a text imports: `.a` in `from .a import *`.
pub(super) fn star_imports(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let line = line.split('#').next().unwrap_or_default().trim();
        let import = line.strip_suffix('*')?.trim_end();
        import.strip_suffix("import").and_then(dotted_import)
    })
}

/// Returns where a text has the start of a statement that exports all names of another file: `export *`. `statements` are
/// such starts; the whitespace between their words and signs may be different.
pub(super) fn star_exports(text: &str, statements: &[String]) -> Vec<Span> {
    let end_of = |start: usize, parts: &[&str]| {
        let mut end = start;
        for part in parts {
            let rest = text[end..].trim_start();
            let is_joined = rest.len() == text.len() - end && text[..end].ends_with(is_word);
            let rest = rest.strip_prefix(part)?;
            if end > start && is_joined && part.starts_with(is_word) {
                return None;
            }
            end = text.len() - rest.len();
        }
        Some(end)
    };
    let mut found = Vec::new();
    for statement in statements {
        let parts: Vec<&str> = statement.split_whitespace().collect();
        let first = parts.first().copied().unwrap_or_default();
        let starts = text.match_indices(first).map(|(start, _)| start);
        let starts = starts.filter(|start| !text[..*start].ends_with(is_word));
        found.extend(starts.filter_map(|start| Some(Span::new(start, end_of(start, &parts)?))));
    }
    found
}

/// Returns the last string of an import: `./a` in `import { name } from "./a"`.
pub(super) fn imported_file(import: &str) -> Option<&str> {
    let text = import.trim_end().trim_end_matches(';').trim_end();
    let quote = text.chars().next_back().filter(|c| "\"'`".contains(*c))?;
    let inner = &text[..text.len() - 1];
    let start = inner.rfind(quote)? + 1;
    Some(&inner[start..])
}

/// Returns whether the end of an import's text is in the braces of its list of names.
pub(super) fn is_in_braces(text: &str) -> bool {
    text.rfind('{') > text.rfind('}')
}

/// Returns the new text of an imported name that gets an alias, so that the rest of its file keeps the old name: `new as
/// old`. `after` is the text after the name; if it has an alias already, only the name changes.
pub(super) fn with_alias(new: &str, old: &str, word: &str, after: &str) -> String {
    let rest = after.trim_start().strip_prefix(word);
    match rest.is_some_and(|rest| !rest.starts_with(is_word)) {
        true => new.to_string(),
        false => format!("{new} {word} {old}"),
    }
}

/// Joins a relative path to a directory, without `.` and `..` in the result.
pub(super) fn joined(folder: &Utf8Path, relative: &str) -> Utf8PathBuf {
    let mut path = folder.to_owned();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    path
}

/// Returns the names in the paths of the files that a text includes.
pub(super) fn included(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_start);
    let lines =
        lines.filter_map(|line| line.strip_prefix('#')?.trim_start().strip_prefix("include"));
    lines.filter_map(|rest| {
        let quoted = rest.trim().strip_prefix('"')?;
        let path = &quoted[..quoted.find('"')?];
        path.rsplit('/').next()
    })
}

/// Returns the package clause of a text.
pub(super) fn package(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim);
    lines.find_map(|line| {
        let name = line.strip_prefix("package ")?.trim_start();
        name.split(|c| !is_word(c)).next()
    })
}

/// Returns the content of the string that contains a name, and the offset of the name in it.
pub(super) fn string_content(text: &str, span: Span) -> Option<(&str, usize)> {
    let is_part = |c: char| is_word(c) || c == '.' || c == ':';
    let before = text[..span.start()].trim_end_matches(is_part);
    let after = text[span.end()..].trim_start_matches(is_part);
    let (start, end) = (before.len(), text.len() - after.len());
    let quote = before.chars().next_back().filter(|c| "\"'".contains(*c))?;
    // A string of three quotes is prose, and a prefix can change what the text means.
    let outside = before[..before.len() - 1].chars().next_back();
    let is_plain = outside.is_none_or(|c| c != quote && !is_word(c) && c != '\\');
    (is_plain && after.starts_with(quote)).then(|| (&text[start..end], span.start() - start))
}

/// Returns the key of a string value: `default` in `default = "name"`. `start` is the offset of the quote.
pub(super) fn key_of_string(text: &str, start: usize) -> Option<&str> {
    let before = text[..start].trim_end().strip_suffix('=')?.trim_end();
    let name = before.trim_end_matches(is_word);
    Some(&before[name.len()..])
}

/// Returns the name that the result of a call is assigned to: `T` in `T = typing.TypeVar("T")`. `start` is the offset of
/// the quote, and `calls` are the functions.
pub(super) fn declared_by_call(text: &str, start: usize, calls: &[String]) -> Option<Span> {
    let before = text[..start].trim_end().strip_suffix('(')?.trim_end();
    let path = before.trim_end_matches(|c| is_word(c) || c == '.');
    let function = before[path.len()..].rsplit('.').next()?;
    let assigned = path.trim_end().strip_suffix('=')?.trim_end();
    let name = assigned.trim_end_matches(is_word);
    let is_call = calls.iter().any(|call| call == function);
    (is_call && name.len() < assigned.len()).then(|| Span::new(name.len(), assigned.len()))
}

/// Returns whether a name may declare something: a word is directly before it, or `:` or `=` follows.
pub(super) fn may_declare(text: &str, span: Span) -> bool {
    const OPERATORS: [&str; 20] = [
        "return", "in", "not", "and", "or", "await", "yield", "if", "elif", "else", "case", "is",
        "new", "match", "while", "assert", "raise", "throw", "go", "defer",
    ];
    let before = text[..span.start()].trim_end();
    let word = &before[before.trim_end_matches(is_word).len()..];
    let after = text[span.end()..].trim_start();
    let is_bound = (after.starts_with(':') && !after.starts_with("::"))
        || (after.starts_with('=') && !after.starts_with("=="))
        || after.starts_with('@')
        || after.starts_with("+=")
        || after.starts_with("-=");
    let is_listed = before.ends_with('|') && !before.ends_with("||") || after.starts_with('|');
    is_bound || is_listed || !word.is_empty() && !OPERATORS.contains(&word)
}

fn read(text: &str) -> Result<HashMap<String, Naming>, String> {
    let facts: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let of_language = |(name, facts): (&str, &toml_edit::Item)| {
        let facts = facts
            .as_table()
            .ok_or_else(|| format!("{name} is no table"))?;
        for (key, _) in facts.iter() {
            if !KEYS.contains(&key) {
                return Err(format!("{name}.{key} is unknown"));
            }
        }
        let text_of = |key: &str| {
            let text = facts.get(key).and_then(|one| one.as_str());
            text.map(str::to_string)
        };
        let imports = facts.get("imports").and_then(|one| one.as_str());
        let has = |key: &str| {
            facts
                .get(key)
                .and_then(|one| one.as_bool())
                .unwrap_or_default()
        };
        let naming = Naming {
            paths: text_of("paths"),
            manifest: text_of("manifest"),
            exports_macros: text_of("exports_macros"),
            implements: text_of("implements"),
            has_dotted_imports: imports == Some("dotted"),
            has_relative_imports: imports == Some("relative"),
            alias: text_of("alias"),
            star_exports: texts(facts, "star_exports"),
            outside: texts(facts, "outside"),
            module_files: texts(facts, "module_files"),
            extensions: texts(facts, "extensions"),
            has_packages: has("packages"),
            has_includes: has("includes"),
            has_dotted_strings: has("dotted_strings"),
            name_lists: texts(facts, "name_lists"),
            naming_calls: texts(facts, "naming_calls"),
            key_operators: texts(facts, "key_operators"),
            called_members: forms(facts, "called_members"),
            called_names: forms(facts, "called_names"),
            composing: texts(facts, "composing"),
            enter: text_of("enter"),
            fixed_lists: text_of("fixed_lists"),
            program_lines: forms(facts, "program_lines"),
            fixture_decorators: texts(facts, "fixture_decorators"),
            parameter_decorators: texts(facts, "parameter_decorators"),
            parameter_sets: texts(facts, "parameter_sets"),
            parameter_hooks: texts(facts, "parameter_hooks"),
            fixture_files: texts(facts, "fixture_files"),
            test_prefixes: texts(facts, "test_prefixes"),
            string_attributes: texts(facts, "string_attributes"),
        };
        Ok((name.to_string(), naming))
    };
    facts.iter().map(of_language).collect()
}

const KEYS: [&str; 29] = [
    "alias",
    "star_exports",
    "outside",
    "manifest",
    "exports_macros",
    "implements",
    "paths",
    "imports",
    "module_files",
    "extensions",
    "packages",
    "includes",
    "dotted_strings",
    "name_lists",
    "naming_calls",
    "key_operators",
    "called_members",
    "called_names",
    "composing",
    "enter",
    "fixed_lists",
    "program_lines",
    "fixture_decorators",
    "parameter_decorators",
    "parameter_hooks",
    "parameter_sets",
    "fixture_files",
    "test_prefixes",
    "string_attributes",
];

fn forms(facts: &Table, key: &str) -> Vec<NameForm> {
    let all = texts(facts, key);
    all.iter().map(|text| NameForm::of(text)).collect()
}

fn texts(facts: &Table, key: &str) -> Vec<String> {
    let all = facts.get(key).and_then(|one| one.as_array());
    let all = all.into_iter().flatten();
    all.filter_map(|one| one.as_str().map(str::to_string))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::LANGUAGES;

    #[test]
    fn the_facts_are_about_existing_languages() {
        let facts = read(FACTS).expect("the file is valid");
        let is_whole = LANGUAGES.iter().any(|one| one.name == "swift");
        for name in facts.keys() {
            let is_known = LANGUAGES.iter().any(|one| one.name == name);
            assert!(is_known || !is_whole, "{name}");
        }
        for wrong in ["[a]\nnothing = 1", "a = 1", "["] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_is_read_up_to_its_start() {
        let names = |text: &str, in_list| {
            let start = text.rfind("name").expect("it is in the text");
            path_before(text, start, "::", in_list).map(|names| names.join(" "))
        };
        for (text, expected) in [
            ("f(a::b::name", Some("a b")),
            ("$crate :: b::name", Some("$crate b")),
            ("name", Some("")),
            ("x.name", Some("")),
            ("a::<T>::name", None),
            ("::name", None),
        ] {
            assert_eq!(names(text, false).as_deref(), expected, "{text}");
        }
        for (text, expected) in [
            ("use a::{b, c::name", Some("a c")),
            ("use a::{b::{c, d}, name", Some("a")),
            ("use {name", None),
        ] {
            assert_eq!(names(text, true).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn imports_and_strings_are_read() {
        assert_eq!(dotted_import("from ..a.b import (name"), Some("..a.b"));
        assert_eq!(dotted_import("import a"), None);
        let modules: Vec<&str> =
            star_imports("from .a import *  # all\nfrom b import c\nfrom b.c import *\n").collect();
        assert_eq!(modules, [".a", "b.c"]);
        let statements = ["export *", "export type *"].map(str::to_string);
        for (text, expected) in [
            ("export * from \"./a\";", Some((0, 8))),
            ("b;\nexport\n  type* as c from \"./a\";", Some((3, 17))),
            (
                "export {type} from \"./a\"; exports * 2; reexport * 2",
                None,
            ),
            ("export typed *; exporttype *; export type a", None),
        ] {
            let found = star_exports(text, &statements);
            let found = found.first().map(|span| (span.start(), span.end()));
            assert_eq!(found, expected, "{text}");
        }
        assert!(is_in_braces("import a, { b, ") && !is_in_braces("import { b }, "));
        assert_eq!(with_alias("new", "old", "as", " } from"), "new as old");
        assert_eq!(with_alias("new", "old", "as", " as a }"), "new");
        assert_eq!(with_alias("new", "old", "as", ", assign }"), "new as old");
        let operators = ["keyof".to_string(), "typeof".to_string()];
        for (text, expected) in [
            ("type A = keyof typeof Kinds;", true),
            ("type A = keyof Kinds", true),
            ("type A = typeof Kinds", false),
            ("type A = keyof Other & Kinds", false),
        ] {
            assert_eq!(has_keys_of(text, &operators, "Kinds"), expected, "{text}");
        }
        let calls = ["TypeVar".to_string()];
        for (text, expected) in [
            ("T = t.TypeVar(\n    \"T\"", Some("T")),
            ("T = other(\"T\"", None),
            ("t.TypeVar(\"T\"", None),
        ] {
            let quote = text.find('"').expect("there is one");
            let found = declared_by_call(text, quote, &calls);
            assert_eq!(found.map(|span| &text[span.start()..span.end()]), expected);
        }
        assert_eq!(imported_file("import { a } from \"./b\";"), Some("./b"));
        assert_eq!(imported_file("export { a }"), None);
        assert_eq!(joined(Utf8Path::new("/a/b"), "../c/./d"), "/a/c/d");
        let included: Vec<&str> = included("#include <a.h>\n # include \"x/b.h\"\n").collect();
        assert_eq!(included, ["b.h"]);
        assert_eq!(package("// a\npackage bill\n"), Some("bill"));
        let content = |text: &str| {
            let start = text.find("name").expect("it is in the text");
            let found = string_content(text, Span::new(start, start + 4));
            found.map(|(content, at)| format!("{content} {at}"))
        };
        assert_eq!(content("f(\"a.b.name\")").as_deref(), Some("a.b.name 4"));
        assert_eq!(content("f('name')").as_deref(), Some("name 0"));
        for other in [
            "f(\"a name\")",
            "\"\"\"name\"\"\"",
            "f\"name\"",
            "b'name'",
            "name",
        ] {
            assert_eq!(content(other), None, "{other}");
        }
        let text = "#[serde(default = \"name\")]";
        let quote = text.find('"').expect("there is one");
        assert_eq!(key_of_string(text, quote), Some("default"));
    }

    #[test]
    fn a_name_with_a_word_before_it_may_declare_something() {
        let may = |text: &str| {
            let start = text.find("name").expect("it is in the text");
            may_declare(text, Span::new(start, start + 4))
        };
        for text in [
            "let name",
            "int name(",
            "name: u8",
            "name = 1",
            "|name| 1",
            "name := 1",
            "mut name",
        ] {
            assert!(may(text), "{text}");
        }
        for text in [
            "f(name)",
            "name(1)",
            "return name",
            "a == name",
            "name == 1",
            "name::b",
            "a || name",
        ] {
            assert!(!may(text), "{text}");
        }
    }

    #[test]
    fn modules_and_their_files_correspond() {
        let rust = naming("rust");
        assert_eq!(rust.modules(Utf8Path::new("a/mod.rs")), ["a"]);
        assert_eq!(rust.modules(Utf8Path::new("a/b.rs")), ["a", "b"]);
        assert!(rust.modules(Utf8Path::new("lib.rs")).is_empty());
        let files = naming("typescript").files_of(Utf8Path::new("/a/b.js"));
        assert!(files.contains(&Utf8PathBuf::from("/a/b.ts")), "{files:?}");
        let files = naming("python").files_of(Utf8Path::new("/a/b"));
        let expected = [
            "/a/b",
            "/a/b.py",
            "/a/b/__init__.py",
            "/a/b.pyi",
            "/a/b/__init__.pyi",
        ];
        assert_eq!(files, expected.map(Utf8PathBuf::from));
    }
}
