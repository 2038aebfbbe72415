//! JavaScript texts of any size and nesting, with one target function.

use std::fmt;

use tree_sitter::Parser;

use crate::texts::grammar_of;

/// The indentation of one level.
const INDENT: &str = "  ";

/// The target of the calls. Some other functions have the same `return`.
const TARGET: &str = "\
function target_of(values, least) {
  let total = 7654321;
  if (total > least) {
    total += values.length;
  }
  return total;
}
";

/// The distribution of the functions in a text.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// On each level, before and after the function that contains the next level.
    Spread,
    /// All in the innermost of nested callbacks.
    Innermost,
}

/// One text.
pub(super) struct Nested {
    /// The minimum size in bytes.
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
        assert!(!has_error, "the measured text parses");
        lines.text
    }
}

/// A text under construction.
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

    /// Appends functions of at least `bytes` bytes.
    fn functions(&mut self, bytes: usize, depth: usize) {
        let end = self.text.len() + bytes;
        while self.text.len() < end {
            let number = self.functions;
            self.functions += 1;
            let export = if depth == 0 { "export " } else { "" };
            // Only in every fourth function: a text with more than 10,000 matches is refused for
            // another reason.
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

/// Returns a JavaScript parser.
pub(super) fn parser() -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(grammar_of("nested.js"))
        .expect("the grammar is built for this version of tree-sitter");
    parser
}
