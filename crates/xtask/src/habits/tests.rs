//! The habits benchmark over a repository made here, and the forms of single changes.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::git::{git, git_in_test};
use crate::replay::history::Hunk;
use crate::replay::{parse, string_types};

use super::forms::{Form, Sample, Site, Tool};
use super::{Options, Show, habits};

/// The versions of two files, one commit each.
const RUST: [&str; 4] = [
    "fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    let sum = add(1, 2);\n    print(sum);\n}\n",
    // A line is replaced.
    "fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    let sum = add(1, 3);\n    print(sum);\n}\n",
    // A statement is added, next to those before and after it.
    "fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nfn main() {\n    let sum = add(1, 3);\n    check(sum);\n    \
     print(sum);\n}\n",
    // Two places are changed.
    "fn add(a: u8, b: u8) -> u8 {\n    b + a\n}\n\nfn main() {\n    let sum = add(1, 3);\n    check(sum);\n    \
     print(sum + 1);\n}\n",
];
const JSON: [&str; 4] = [
    "{\n  \"name\": \"a\",\n  \"files\": [\n    \"a.rs\",\n    \"c.rs\"\n  ]\n}\n",
    "{\n  \"name\": \"a\",\n  \"files\": [\n    \"a.rs\",\n    \"c.rs\"\n  ]\n}\n",
    // A member is added between two others.
    "{\n  \"name\": \"a\",\n  \"files\": [\n    \"a.rs\",\n    \"b.rs\",\n    \"c.rs\"\n  ]\n}\n",
    "{\n  \"name\": \"a\",\n  \"files\": [\n    \"a.rs\",\n    \"b.rs\",\n    \"c.rs\"\n  ]\n}\n",
];

fn repository() -> TempDir {
    let repository = TempDir::new().expect("there is room for a temporary directory");
    let root = repository.path();
    git_in_test(root, &["init", "--quiet"]);
    for (rust, json) in RUST.iter().zip(JSON) {
        fs::write(root.join("a.rs"), rust).expect("the repository can be written");
        fs::write(root.join("a.json"), json).expect("the repository can be written");
        git_in_test(root, &["add", "--all"]);
        git_in_test(root, &["commit", "--quiet", "--message", "next"]);
    }
    repository
}

fn options(root: &Path) -> Options {
    Options {
        repositories: vec![root.to_string_lossy().into_owned()],
        hunks: 20,
        commits: 20,
        confirmation: 64,
        show: Some(Show::All),
        examples: None,
        json: false,
    }
}

#[test]
fn a_small_repository_is_made_exactly_in_all_forms_that_determine_the_result() {
    let repository = repository();
    let report = habits(&options(repository.path()), |_| ()).expect("git answers");
    let (json, text) = (report.json(), report.to_string());
    let forms = json["forms"].as_array().expect("a list of forms");
    let determining = forms.iter().filter(|row| row["determines"] == true);
    for row in determining.clone() {
        assert_eq!(row["calls"], row["exact"], "{row}\n{text}");
    }
    let has = |tool: &str, form: &str, language: &str| {
        let mut rows = determining.clone();
        rows.any(|row| row["tool"] == tool && row["form"] == form && row["language"] == language)
    };
    for (tool, form, language) in [
        ("replace_node", "as in the file", "rust"),
        ("replace_node", "at column 0", "rust"),
        ("replace_node", "with a trailing newline", "rust"),
        ("replace_text", "as in the file", "rust"),
        ("replace_text", "with the line before", "rust"),
        ("replace_text", "between two markers", "rust"),
        (
            "replace_text",
            "between two markers, with whitespace",
            "json",
        ),
        ("insert_node", "at column 0", "rust"),
        ("insert_node", "list member with a comma", "json"),
        ("insert_node", "list member without a comma", "json"),
    ] {
        assert!(
            has(tool, form, language),
            "{tool} {form} {language}\n{text}"
        );
    }
    // The commit has no blank line where this form asks for one.
    let examples = json["examples"].as_array().expect("a list of examples");
    let asked = examples
        .iter()
        .find(|one| one["form"] == "insert_node, with a leading newline" && one["file"] == "a.rs");
    let asked = asked.unwrap_or_else(|| panic!("no example\n{text}"));
    assert_eq!(asked["determines"], false);
    assert_eq!(asked["outcome"], "blank lines");
    assert_eq!(asked["arguments"]["new_content"], "\n    check(sum);");
}

#[test]
fn whole_commits_are_made_by_one_call_each() {
    let repository = repository();
    let report = habits(&options(repository.path()), |_| ()).expect("git answers");
    let commits = &report.json()["whole_commits"];
    assert_eq!(commits["made"], 3);
    assert_eq!(commits["one_call_exact"], 3, "{report}");
    assert_eq!(commits["treegraft"]["calls"], 3);
    // One place in the first commit; one in each file in the second; two in the third.
    assert_eq!(commits["string_replacement"]["calls"], 5);
    assert_eq!(commits["string_replacement"]["received"], 5 * 64);
    let own = &report.json()["repositories"][0]["whole_commits"]["each"];
    let own = own.as_array().expect("a list of commits");
    let of_first = own.iter().find(|one| one["places"] == 1);
    let call = r#"{"file_path":"a.rs","new_string":"    let sum = add(1, 3);","old_string":"    let sum = add(1, 2);"}"#;
    let sent = of_first.map(|one| one["string_replacement"]["sent"].clone());
    assert_eq!(sent, Some(Value::from(call.len())));
}

#[test]
fn two_runs_are_the_same_and_change_nothing() {
    let repository = repository();
    let root = repository.path().to_string_lossy().into_owned();
    let files = || {
        let listed = walk(repository.path());
        let texts = listed.into_iter().map(|path| {
            let bytes = fs::read(&path).expect("the file can be read");
            (path, bytes)
        });
        texts.collect::<BTreeMap<_, _>>()
    };
    let before = files();
    let runs = [(), ()].map(|()| {
        let report = habits(&options(repository.path()), |_| ()).expect("git answers");
        report.json()
    });
    assert_eq!(runs[0]["forms"], runs[1]["forms"]);
    assert_eq!(runs[0]["whole_commits"], runs[1]["whole_commits"]);
    assert_eq!(before, files());
    assert_eq!(git(&root, &["status", "--porcelain"]), Ok(String::new()));
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder can be listed") {
        let path = entry.expect("the folder can be listed").path();
        match path.is_dir() {
            true => found.extend(walk(&path)),
            false => found.push(path),
        }
    }
    found
}

#[test]
fn a_path_that_is_no_repository_is_named() {
    let empty = TempDir::new().expect("there is room for a temporary directory");
    let path = empty.path().join("none");
    let refused = habits(&options(&path), |_| ()).map(|_| ());
    let name = path.to_string_lossy().into_owned();
    assert!(refused.is_err_and(|fault| fault.contains(&name)));
}

/// The contents of a form, by tool, and whether it determines the result, for the change from one text to another in
/// lines `first` to `last` of the old one.
fn contents(
    path: &str,
    (old, new): (&str, &str),
    (first, last): (usize, usize),
    tool: Tool,
    form: Form,
) -> Vec<(String, bool)> {
    let start = |line: usize| {
        let lines = old.split_inclusive('\n').take(line - 1);
        lines.map(str::len).sum::<usize>()
    };
    let range = start(first)..start(last + 1);
    let tail = old.len() - range.end;
    let came = new[range.start..new.len() - tail].to_string();
    let hunk = Hunk {
        lines: (last + 1 - first, came.lines().count()),
        old: range,
        new: came,
    };
    let (before, wanted) = (parse(path, old), parse(path, new));
    let strings: HashSet<String> = string_types(before.source().language().name);
    let site = Site {
        path,
        before: &before,
        wanted: &wanted,
        hunk: &hunk,
        strings: &strings,
    };
    let samples = site
        .samples()
        .unwrap_or_else(|skip| panic!("{}", skip.reason()));
    let is_asked = |sample: &&Sample<'_>| sample.tool == tool && sample.form == form;
    let own = samples.iter().filter(is_asked).map(|sample| {
        let content = sample.call.arguments["new_content"].as_str();
        (content.unwrap_or_default().to_string(), sample.determines)
    });
    own.collect()
}

const CLASS: (&str, &str) = (
    "class A:\n    def f(self):\n        \"\"\"Runs.\n\n        Twice.\n        \"\"\"\n        return one()\n",
    "class A:\n    def f(self):\n        \"\"\"Runs.\n\n        Twice.\n        \"\"\"\n        return two()\n",
);

#[test]
fn docstrings_move_with_the_code_to_column_zero() {
    let at_zero = contents("a.py", CLASS, (7, 7), Tool::ReplaceNode, Form::ColumnZero);
    let function = "def f(self):\n    \"\"\"Runs.\n\n    Twice.\n    \"\"\"\n    return two()";
    assert!(
        at_zero.contains(&(function.to_string(), true)),
        "{at_zero:?}"
    );
}

#[test]
fn a_bare_first_line_leaves_the_rest_as_in_the_file() {
    let bare = contents(
        "a.py",
        CLASS,
        (7, 7),
        Tool::ReplaceNode,
        Form::FirstLineBare,
    );
    let function =
        "def f(self):\n        \"\"\"Runs.\n\n        Twice.\n        \"\"\"\n        return two()";
    assert!(bare.contains(&(function.to_string(), true)), "{bare:?}");
}

#[test]
fn an_insertion_without_the_blank_lines_of_the_commit_does_not_determine_them() {
    let texts = (
        "fn a() {}\n\nfn c() {}\n",
        "fn a() {}\n\nfn b() {}\n\nfn c() {}\n",
    );
    let lines = (3, 2);
    let of = |form| contents("a.rs", texts, lines, Tool::InsertNode, form);
    assert_eq!(of(Form::AsInFile), [("fn b() {}".to_string(), false)]);
    assert_eq!(
        of(Form::BlankLines),
        [("\nfn b() {}\n\n".to_string(), true)]
    );
}

#[test]
fn lines_of_context_are_in_find_and_content() {
    let texts = (
        "let a = 1;\nlet b = 1;\nlet c = 1;\n",
        "let a = 1;\nlet b = 2;\nlet c = 1;\n",
    );
    let of = |form| contents("a.rs", texts, (2, 2), Tool::ReplaceText, form);
    let wanted = |text: &str| [(text.to_string(), true)];
    assert_eq!(of(Form::LineBefore), wanted("let a = 1;\nlet b = 2;"));
    assert_eq!(of(Form::LineAfter), wanted("let b = 2;\nlet c = 1;"));
    assert_eq!(
        of(Form::BothLines),
        wanted("let a = 1;\nlet b = 2;\nlet c = 1;")
    );
}

#[test]
fn whitespace_alone_is_changed_between_markers() {
    let texts = ("fn a() {\n    b( 1);\n}\n", "fn a() {\n    b(1);\n}\n");
    let of = |form| contents("a.rs", texts, (2, 2), Tool::ReplaceText, form);
    assert_eq!(of(Form::MarkedWhitespace), [(String::new(), true)]);
    assert_eq!(of(Form::AsInFile), []);
}
