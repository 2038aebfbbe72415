//! The edits that every tool makes: in each language one place in a long file, with four changes.
//!
//! Each change is written here as old and new text. No tool produces the expected bytes.

use crate::texts::{SAMPLES, Sample};

/// The kind of a change.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Replace,
    Insert,
    Delete,
    Value,
}

/// All kinds, in the order of the table.
pub(crate) const KINDS: [Kind; 4] = [Kind::Replace, Kind::Insert, Kind::Delete, Kind::Value];

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Replace => "replace",
            Kind::Insert => "insert",
            Kind::Delete => "delete",
            Kind::Value => "value",
        }
    }
}

/// The edited place in one language. Each `old` text occurs exactly once in the file.
pub(crate) struct Place {
    pub(crate) language: &'static str,
    /// The text in the middle of the file that contains the place.
    around: &'static str,
    /// The replaced node and its replacement.
    pub(crate) node: &'static str,
    pub(crate) new_node: &'static str,
    /// The item inserted after the existing one.
    pub(crate) new_item: &'static str,
    insert: Change,
    delete: Change,
    value: Change,
}

/// A text that occurs exactly once in the file, and its replacement.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) old: &'static str,
    pub(crate) new: &'static str,
}

const RUST: Place = Place {
    language: "rust",
    around: r#"
/// Counts what comes in.
pub fn counted_before_the_bench(values: &[u32]) -> usize {
    values.len()
}

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
}

/// Hands on what was added up.
pub fn handed_on_after_the_bench(total: u32) -> String {
    format!("{total} in all")
}
"#,
    node: r#"pub fn target_of_the_bench(values: &[u32], least: u32) -> u32 {
    let mut total = 0;
    for value in values {
        if *value >= least {
            total += value % 7_654_321;
        }
    }
    total
}"#,
    new_node: r#"pub fn target_of_the_bench(values: &[u32], least: u32) -> u32 {
    let large = values.iter().filter(|value| **value >= least);
    large.map(|value| value % 1_234_567).sum()
}"#,
    new_item: r#"/// Takes the least of all.
pub fn least_of_the_bench(values: &[u32]) -> Option<u32> {
    values.iter().min().copied()
}"#,
    insert: Change {
        old: "/// Hands on what was added up.\n",
        new: r#"/// Takes the least of all.
pub fn least_of_the_bench(values: &[u32]) -> Option<u32> {
    values.iter().min().copied()
}

/// Hands on what was added up.
"#,
    },
    delete: Change {
        old: r#"/// Adds up what is large enough.
#[inline]
pub fn target_of_the_bench(values: &[u32], least: u32) -> u32 {
    let mut total = 0;
    for value in values {
        if *value >= least {
            total += value % 7_654_321;
        }
    }
    total
}

"#,
        new: "",
    },
    value: Change {
        old: "7_654_321",
        new: "1_234_567",
    },
};

const PYTHON: Place = Place {
    language: "python",
    around: r#"

def counted_before_the_bench(values):
    """Counts what comes in."""
    return len(values)


@cached
def target_of_the_bench(values, least):
    """Adds up what is large enough."""
    total = 0
    for value in values:
        if value >= least:
            total += value % 7_654_321
    return total


def handed_on_after_the_bench(total):
    """Hands on what was added up."""
    return f"{total} in all"

"#,
    node: r#"def target_of_the_bench(values, least):
    """Adds up what is large enough."""
    total = 0
    for value in values:
        if value >= least:
            total += value % 7_654_321
    return total"#,
    new_node: r#"def target_of_the_bench(values, least):
    """Adds up what is large enough."""
    large = [value for value in values if value >= least]
    return sum(value % 1_234_567 for value in large)"#,
    new_item: r#"def least_of_the_bench(values):
    """Takes the least of all."""
    return min(values)"#,
    insert: Change {
        old: "def handed_on_after_the_bench(",
        new: r#"def least_of_the_bench(values):
    """Takes the least of all."""
    return min(values)


def handed_on_after_the_bench("#,
    },
    delete: Change {
        old: r#"@cached
def target_of_the_bench(values, least):
    """Adds up what is large enough."""
    total = 0
    for value in values:
        if value >= least:
            total += value % 7_654_321
    return total


"#,
        new: "",
    },
    value: Change {
        old: "7_654_321",
        new: "1_234_567",
    },
};

const TYPESCRIPT: Place = Place {
    language: "typescript",
    around: r#"
/** Counts what comes in. */
export function counted_before_the_bench(values: number[]): number {
  return values.length;
}

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

/** Hands on what was added up. */
export function handed_on_after_the_bench(total: number): string {
  return `${total} in all`;
}
"#,
    node: r#"function target_of_the_bench(values: number[], least: number): number {
  let total = 0;
  for (const value of values) {
    if (value >= least) {
      total += value % 7654321;
    }
  }
  return total;
}"#,
    new_node: r#"function target_of_the_bench(values: number[], least: number): number {
  const large = values.filter((value) => value >= least);
  return large.reduce((total, value) => total + (value % 1234567), 0);
}"#,
    new_item: r#"/** Takes the least of all. */
export function least_of_the_bench(values: number[]): number {
  return Math.min(...values);
}"#,
    insert: Change {
        old: "/** Hands on what was added up. */\n",
        new: r#"/** Takes the least of all. */
export function least_of_the_bench(values: number[]): number {
  return Math.min(...values);
}

/** Hands on what was added up. */
"#,
    },
    delete: Change {
        old: r#"/** Adds up what is large enough. */
export function target_of_the_bench(values: number[], least: number): number {
  let total = 0;
  for (const value of values) {
    if (value >= least) {
      total += value % 7654321;
    }
  }
  return total;
}

"#,
        new: "",
    },
    value: Change {
        old: "7654321",
        new: "1234567",
    },
};

const JSON: Place = Place {
    language: "json",
    around: r#"{
  "target_of_the_bench": {
    "least": 7654321,
    "colours_of_the_bench": ["blue", "green"],
    "greatest_of_the_bench": 8765432
  }
}"#,
    node: r#""colours_of_the_bench": ["blue", "green"]"#,
    new_node: r#""colours_of_the_bench": ["blue", "grey", "violet"]"#,
    new_item: r#""mean_of_the_bench": 4321"#,
    insert: Change {
        old: r#""greatest_of_the_bench": 8765432"#,
        new: r#""greatest_of_the_bench": 8765432,
        "mean_of_the_bench": 4321"#,
    },
    delete: Change {
        old: r#"        "colours_of_the_bench": ["blue", "green"],
"#,
        new: "",
    },
    value: Change {
        old: "7654321",
        new: "1234567",
    },
};

const MARKDOWN: Place = Place {
    language: "markdown",
    around: r#"
## Before the bench

Nothing is added up here.

## Target of the bench

The values are *added up*, as far as they are large enough: `value % 7654321` of each, and
nothing of what is smaller.

## After the bench

What was added up is handed on.
"#,
    node: r#"The values are *added up*, as far as they are large enough: `value % 7654321` of each, and
nothing of what is smaller."#,
    new_node: r#"The values are *added up*, as far as they are large enough: `value % 1234567` of each. What
is smaller is left out, and so is what was seen before."#,
    new_item: r#"## Least of the bench

The least is taken of all."#,
    insert: Change {
        old: "## After the bench",
        new: r#"## Least of the bench

The least is taken of all.

## After the bench"#,
    },
    delete: Change {
        old: r#"## Target of the bench

The values are *added up*, as far as they are large enough: `value % 7654321` of each, and
nothing of what is smaller.

"#,
        new: "",
    },
    value: Change {
        old: "7654321",
        new: "1234567",
    },
};

/// All places, in the order of the table.
pub(crate) const PLACES: [&Place; 5] = [&RUST, &PYTHON, &TYPESCRIPT, &JSON, &MARKDOWN];

impl Place {
    /// Returns the old text, which occurs exactly once in the file, and the new text.
    pub(crate) fn change(&self, kind: Kind) -> Change {
        match kind {
            Kind::Replace => Change {
                old: self.node,
                new: self.new_node,
            },
            Kind::Insert => self.insert,
            Kind::Delete => self.delete,
            Kind::Value => self.value,
        }
    }

    fn sample(&self) -> &'static Sample {
        let is_same = |sample: &&&Sample| sample.name == self.language;
        SAMPLES
            .iter()
            .find(is_same)
            .expect("a sample in the language")
    }

    /// Returns the path of the edited file in the workspace.
    pub(crate) fn path(&self) -> &'static str {
        self.sample().path
    }

    /// Returns a file of at least `lines` lines with the place in the middle.
    pub(crate) fn text(&self, lines: usize) -> String {
        let text = self.sample().text_with(self.around, lines);
        // Some sources have other line endings. Use one kind of line ending throughout.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = match text.strip_prefix("{\"parts\": [\n") {
            Some(parts) => pretty(parts.trim_end_matches("\n]}\n")),
            None => text,
        };
        for kind in KINDS {
            let old = self.change(kind).old;
            assert_eq!(text.matches(old).count(), 1, "{old} occurs once");
        }
        text
    }
}

/// Formats JSON with one entry per line. Short lists stay on one line.
fn pretty(parts: &str) -> String {
    let lines: Vec<String> = parts.lines().map(|line| format!("    {line}\n")).collect();
    format!("{{\n  \"parts\": [\n{}  ]\n}}\n", lines.concat())
}

/// One edit of one file.
pub(crate) struct Case<'a> {
    pub(crate) place: &'static Place,
    pub(crate) kind: Kind,
    pub(crate) lines: usize,
    pub(crate) text: &'a str,
}

impl Case<'_> {
    /// Returns the expected file.
    pub(crate) fn wanted(&self) -> String {
        let Change { old, new } = self.place.change(self.kind);
        self.text.replacen(old, new, 1)
    }

    /// Returns the index of the place in the list of parts of a data file.
    pub(crate) fn index(&self) -> usize {
        let data: serde_json::Value = serde_json::from_str(self.text).expect("the text is data");
        let parts = data["parts"].as_array().expect("a list of parts");
        let is_it = |part: &serde_json::Value| part.get("target_of_the_bench").is_some();
        parts.iter().position(is_it).expect("the place exists")
    }
}
