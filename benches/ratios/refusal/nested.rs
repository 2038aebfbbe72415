//! JavaScript of any size and nesting, with one function that the calls are about.

use std::fmt;

use tree_sitter::Parser;

use crate::texts::grammar_of;

/// How deep a level is indented.
const INDENT: &str = "  ";

/// The function that the calls are about. Some others have its `return`.
const TARGET: &str = "\
function target_of(values, least) {
  let total = 7654321;
  if (total > least) {
    total += values.length;
  }
  return total;
}
";

/// Where the functions of a text are.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    /// On each level, before and after the function that holds the next one.
    Spread,
    /// All in the innermost of nested callbacks.
    Innermost,
}

/// One text.
pub(super) struct Nested {
    /// At least, in bytes.
    pub(super) size: usize,
    pub(super) levels: usize,
    pub(super) shape: Shape,
}

impl Shape {
    pub(super) fn name(self) -> &'static str {
        match self {
            Shape::Spread => "spread",
            Shape::Innermost => "innermost",
        }
    }
}

impl fmt::Display for Nested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.size, self.levels, self.shape.name())
    }
}

impl Nested {
    pub(super) fn text(&self) -> String {
        let mut lines = Lines::default();
        match self.shape {
            Shape::Spread => {
                let share = self.size / (2 * self.levels.max(1));
                let has_own_level = self.levels > 0;
                for depth in 0..self.levels {
                    lines.functions(share, depth);
                    lines.push(depth, &format!("function level_{depth}(a) {{"));
                }
                let outside = if has_own_level { 0 } else { share };
                lines.functions(outside, self.levels);
                lines.push_all(self.levels, TARGET);
                lines.functions(outside, self.levels);
                for depth in (0..self.levels).rev() {
                    lines.push(depth, "}");
                    lines.functions(share, depth);
                }
            }
            Shape::Innermost => {
                for depth in 0..self.levels {
                    lines.push(depth, &format!("describe(\"part {depth}\", () => {{"));
                }
                lines.functions(self.size / 2, self.levels);
                lines.push_all(self.levels, TARGET);
                lines.functions(self.size / 2, self.levels);
                for depth in (0..self.levels).rev() {
                    lines.push(depth, "});");
                }
            }
        }
        let tree = parser().parse(&lines.text, None);
        let has_error = tree.is_none_or(|tree| tree.root_node().has_error());
        assert!(!has_error, "what is measured is sound");
        lines.text
    }
}

/// A text as it grows.
#[derive(Default)]
struct Lines {
    text: String,
    functions: usize,
}

impl Lines {
    fn push(&mut self, depth: usize, line: &str) {
        self.text.push_str(&INDENT.repeat(depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn push_all(&mut self, depth: usize, lines: &str) {
        lines.lines().for_each(|line| self.push(depth, line));
    }

    /// Functions of that many bytes at least.
    fn functions(&mut self, bytes: usize, depth: usize) {
        let end = self.text.len() + bytes;
        while self.text.len() < end {
            let number = self.functions;
            self.functions += 1;
            let export = if depth == 0 { "export " } else { "" };
            // Not in all: a text that occurs more than 10,000 times is refused for that.
            let returned = match number % 4 {
                0 => "total".to_string(),
                _ => format!("total + {number}"),
            };
            let function = format!(
                "/** Adds up what is large enough, number {number}. */\n\
                 {export}function item_{number}(values, least) {{\n  let total = {number};\n  \
                 for (const value of values) {{\n    if (value >= least) {{\n      \
                 total += value % {};\n    }}\n  }}\n  return {returned};\n}}\n",
                number + 7
            );
            self.push_all(depth, &function);
        }
    }
}

/// A parser of JavaScript.
pub(super) fn parser() -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(grammar_of("nested.js"))
        .expect("the grammar is built for this version of tree-sitter");
    parser
}
