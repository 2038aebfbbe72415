//! The measured texts: this project's own files in six languages, joined item by item to any
//! length, with a target in the middle.

#![expect(clippy::disallowed_methods, reason = "the texts are files")]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use tree_sitter::Parser;

#[expect(
    dead_code,
    reason = "only the texts of the cases are needed, not the requests"
)]
#[path = "../../tests/pages.rs"]
mod pages;

/// One language and the edit that the benchmarks make in it.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
    /// Directories and files of this project in this language, and their file name suffix. The
    /// texts of cases are read from their pages.
    sources: (&'static [&'static str], &'static str),
    /// The text between two items, around the items of one file, and around the whole text.
    layout: Layout,
    /// A definition that occurs only once, its name, a text in it that occurs only once, and the
    /// type of the replaced node that encloses this text.
    pub(crate) target: &'static str,
    pub(crate) symbol: &'static str,
    pub(crate) anchor: &'static str,
    pub(crate) node_type: &'static str,
    /// The replacement of the node.
    pub(crate) new_content: &'static str,
}

struct Layout {
    separator: &'static str,
    file: (&'static str, &'static str),
    whole: (&'static str, &'static str),
}

const LINES: Layout = Layout {
    separator: "\n",
    file: ("", ""),
    whole: ("", "\n"),
};

pub(crate) const RUST: &Sample = &Sample {
    name: "rust",
    path: "src/bench.rs",
    sources: (&["src"], ".rs"),
    layout: Layout {
        file: ("mod part {\n", "\n}"),
        ..LINES
    },
    target: "\
/// Adds up what is large enough.
#[inline]
pub fn target_of_the_bench(values: &[u32], least: u32) -> u32 {
    let mut total = 0;
    for value in values {
        if *value >= least {
            total += value % 7_654_321;
        }
    }
    total
}",
    symbol: "target_of_the_bench",
    anchor: "value % 7_654_321",
    node_type: "function_item",
    new_content: "\
pub fn target_of_the_bench(values: &[u32], least: u32) -> u32 {
    let large = values.iter().filter(|value| **value >= least);
    let mut total: u32 = 0;
    for value in large {
        total = total.wrapping_add(value % 1_234_567);
    }
    total
}",
};

const JSON: &Sample = &Sample {
    name: "json",
    path: "bench.json",
    sources: (&["examples/teaching"], ".jsonl"),
    layout: Layout {
        separator: ",\n",
        whole: ("{\"parts\": [\n", "\n]}\n"),
        ..LINES
    },
    target: "\
{
  \"target_of_the_bench\": {
    \"least\": 7654321,
    \"colours\": [\"blue\", \"green\"]
  }
}",
    symbol: "target_of_the_bench",
    anchor: "7654321",
    node_type: "pair",
    new_content: "\"least\": 1234567",
};

const MARKDOWN: &Sample = &Sample {
    name: "markdown",
    path: "bench.md",
    sources: (&["docs", "README.md"], ".md"),
    layout: LINES,
    target: "\
## Target of the bench

The values are *added up*, as far as they are large enough: `value % 7654321` of each, and
nothing of what is smaller.
",
    symbol: "Target of the bench",
    anchor: "value % 7654321",
    node_type: "paragraph",
    new_content: "\
The values are *added up*, as far as they are large enough: `value % 1234567` of each. What
is smaller is left out, and so is what was seen before.",
};

const PYTHON: &Sample = &Sample {
    name: "python",
    path: "src/bench.py",
    sources: (&["tests", "fuzz", "queries/python"], ".py"),
    layout: LINES,
    target: "\
@cached
def target_of_the_bench(values, least):
    \"\"\"Adds up what is large enough.\"\"\"
    total = 0
    for value in values:
        if value >= least:
            total += value % 7_654_321
    return total
",
    symbol: "target_of_the_bench",
    anchor: "value % 7_654_321",
    node_type: "function_definition",
    new_content: "\
def target_of_the_bench(values, least):
    large = [value for value in values if value >= least]
    return sum(value % 1_234_567 for value in large)",
};

const TYPESCRIPT: &Sample = &Sample {
    name: "typescript",
    path: "src/bench.ts",
    sources: (&["tests/cases/typescript", "queries/typescript"], ".ts"),
    layout: LINES,
    target: "\
/** Adds up what is large enough. */
export function target_of_the_bench(values: number[], least: number): number {
  let total = 0;
  for (const value of values) {
    if (value >= least) {
      total += value % 7654321;
    }
  }
  return total;
}
",
    symbol: "target_of_the_bench",
    anchor: "value % 7654321",
    node_type: "function_declaration",
    new_content: "\
function target_of_the_bench(values: number[], least: number): number {
  const large = values.filter((value) => value >= least);
  return large.reduce((total, value) => total + (value % 1234567), 0);
}",
};

const GO: &Sample = &Sample {
    name: "go",
    path: "src/bench.go",
    sources: (&["tests/cases/go", "queries/go"], ".go"),
    layout: LINES,
    target: "\
// targetOfTheBench adds up what is large enough.
func targetOfTheBench(values []int, least int) int {
	total := 0
	for _, value := range values {
		if value >= least {
			total += value % 7654321
		}
	}
	return total
}
",
    symbol: "targetOfTheBench",
    anchor: "value % 7654321",
    node_type: "function_declaration",
    new_content: "\
func targetOfTheBench(values []int, least int) int {
	total := 0
	for _, value := range values {
		total += max(value, least) % 1234567
	}
	return total
}",
};

/// All samples.
pub(crate) const SAMPLES: &[&Sample] = &[RUST, JSON, MARKDOWN, PYTHON, TYPESCRIPT, GO];

impl Sample {
    /// Returns text of at least `lines` lines with the sample's own target.
    pub(crate) fn text(&self, lines: usize) -> String {
        self.text_with(self.target, lines)
    }

    /// Returns text of at least `lines` lines: the items of the files, repeated, with `target` in
    /// the middle.
    pub(crate) fn text_with(&self, target: &str, lines: usize) -> String {
        let files = self.items();
        let (mut taken, mut has_target) = (0, false);
        let mut parts: Vec<Vec<&str>> = Vec::new();
        for items in files.iter().cycle() {
            let mut part = Vec::new();
            for item in items {
                if taken * 2 >= lines && !has_target {
                    part.push(target);
                    has_target = true;
                }
                if taken >= lines {
                    break;
                }
                part.push(item);
                taken += item.matches('\n').count() + 1;
            }
            parts.push(part);
            if taken >= lines && has_target {
                break;
            }
        }
        let Layout {
            separator,
            file,
            whole,
        } = &self.layout;
        let parts: Vec<String> = parts
            .iter()
            .filter(|part| !part.is_empty())
            .map(|part| format!("{}{}{}", file.0, part.join(separator), file.1))
            .collect();
        let text = format!("{}{}{}", whole.0, parts.join(separator), whole.1);
        assert!(
            self.parses(&text),
            "the measured text in {} parses",
            self.name
        );
        text
    }

    /// Returns the items of each file with the text before them, sorted by path. Items that do not
    /// parse are left out.
    fn items(&self) -> Vec<Vec<String>> {
        let (folders, ending) = self.sources;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut texts = Vec::new();
        let mut paths = Vec::new();
        for folder in folders {
            match folder.strip_prefix("tests/cases/") {
                Some(language) => texts.extend(of_cases(&root, language, ending)),
                None => collect(root.join(folder), ending, &mut paths),
            }
        }
        paths.sort();
        let read = |path| fs::read_to_string(path).expect("sources are text");
        texts.extend(paths.into_iter().map(read));
        let files = texts.iter().map(|text| match self.name {
            "json" => text.lines().map(pretty).collect(),
            _ => self.items_of(text),
        });
        let files: Vec<Vec<String>> = files.filter(|items| !items.is_empty()).collect();
        assert!(!files.is_empty(), "there are files in {}", self.name);
        files
    }

    fn items_of(&self, text: &str) -> Vec<String> {
        let mut parser = self.parser();
        let tree = parser
            .parse(text, None)
            .expect("the parser is not cancelled");
        let mut cursor = tree.walk();
        let mut items = Vec::new();
        let mut start = 0;
        for node in tree.root_node().children(&mut cursor) {
            let end = node.end_byte();
            if node.kind() == "hash_bang_line" {
                // A file can have only one, at its start.
                start = end;
            } else if node.kind() != "attribute_item" && !node.is_extra() {
                items.push(text[start..end].trim_matches('\n').to_string());
                start = end;
            }
        }
        items.retain(|item| self.parses(item));
        items
    }

    fn parses(&self, text: &str) -> bool {
        let tree = self.parser().parse(text, None);
        let tree = tree.expect("the parser is not cancelled");
        !tree.root_node().has_error()
    }

    /// Returns a parser of the language.
    pub(crate) fn parser(&self) -> Parser {
        let mut parser = Parser::new();
        parser
            .set_language(grammar_of(self.path))
            .expect("the grammar is built for this version of tree-sitter");
        parser
    }
}

/// Returns the grammar for a file name.
pub(crate) fn grammar_of(path: &str) -> &'static tree_sitter::Language {
    let language = treegraft::language::for_file(path, "");
    language.grammar().expect("its language is built in")
}

/// Returns the distinct texts of a language's cases.
fn of_cases(root: &Path, language: &str, ending: &str) -> Vec<String> {
    let pages = pages::all(root).expect("the pages can be read").into_iter();
    let own = pages.filter(|page| page.language == language);
    let texts = own.flat_map(|page| page.texts);
    let texts = texts.filter(|text| text.file_name.ends_with(ending));
    let mut seen = HashSet::new();
    let texts = texts.map(|text| text.text.to_string());
    texts.filter(|text| seen.insert(text.clone())).collect()
}

/// Formats a JSON value over several lines.
fn pretty(line: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(line).expect("a line is a value");
    serde_json::to_string_pretty(&value).expect("a value can be written")
}

fn collect(path: PathBuf, ending: &str, paths: &mut Vec<PathBuf>) {
    if path.is_file() {
        if path.to_string_lossy().ends_with(ending) {
            paths.push(path);
        }
        return;
    }
    for entry in fs::read_dir(path).expect("the sources can be listed") {
        collect(
            entry.expect("the sources can be listed").path(),
            ending,
            paths,
        );
    }
}
