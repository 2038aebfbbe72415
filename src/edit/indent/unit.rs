//! Infers what one level of indentation is in a file: a tab, or a number of spaces.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::language::queries::Mark;
use crate::parse::{Chains, Parsed};
use crate::source::Span;

use super::lines::leading;

/// One level of indentation near a position, inferred at first use.
#[derive(Clone, Debug)]
pub(super) struct Unit<'p> {
    inferred: Rc<OnceCell<Option<String>>>,
    /// The arguments of [`unit_near`]; `None` if the unit is known.
    lines: Option<(&'p Parsed, Span, Rc<str>, Span)>,
    /// Whether spaces precede the position, so that a tab cannot be the unit.
    is_of_spaces: bool,
}

impl<'p> Unit<'p> {
    pub(super) fn known(unit: Option<String>) -> Unit<'p> {
        Unit {
            inferred: Rc::new(unit.into()),
            lines: None,
            is_of_spaces: false,
        }
    }

    /// Creates a unit that is inferred from the lines of `span` in `code`, then from those nearest to it. They begin with
    /// `margin`, which is not indentation.
    pub(super) fn near(
        parsed: &'p Parsed,
        code: Span,
        margin: String,
        span: Span,
        is_of_spaces: bool,
    ) -> Unit<'p> {
        Unit {
            inferred: Rc::default(),
            lines: Some((parsed, code, margin.into(), span)),
            is_of_spaces,
        }
    }

    /// Returns the unit; `None` if no line is indented deeper than another.
    pub(super) fn get(&self) -> Option<&str> {
        let infer = || {
            let (parsed, code, margin, span) = self.lines.as_ref()?;
            let unit = unit_near(parsed, *code, margin, *span)?;
            (!self.is_of_spaces || !unit.starts_with('\t')).then_some(unit)
        };
        self.inferred.get_or_init(infer).as_deref()
    }
}

/// Returns one level of indentation in `code`: as in the lines of `span`, else as in those before it, else as in those
/// after it. Lines of multi-line strings and comments do not count, nor does the `margin` before a line.
fn unit_near(parsed: &Parsed, code: Span, margin: &str, span: Span) -> Option<String> {
    /// The number of lines read before the span, and after it.
    const LINES_READ: usize = 400;
    let source = parsed.source();
    let lines = |from: usize, to: usize| -> Vec<String> {
        let mut texts = TextNodes::new(parsed);
        let spans = (from..=to).filter_map(|number| source.line_span(number));
        let is_code = |line: &Span| {
            let text = source.slice(*line);
            line.start() == 0 || !text.starts_with([' ', '\t']) || !texts.cover(line.start())
        };
        let code = spans.filter(is_code);
        code.map(|line| source.slice(line).into_owned()).collect()
    };
    let of_lines = |from, to| {
        let lines = lines(from, to);
        unit_of(
            lines
                .iter()
                .map(|line| line.strip_prefix(margin).unwrap_or(line)),
        )
    };
    let (first, last) = (source.line_of(span.start()), source.line_of(span.end()));
    let begin = source.line_of(code.start().min(span.start()));
    let end = source.line_of(code.end().max(span.end()));
    let nearest = begin.max(first.saturating_sub(LINES_READ));
    of_lines(first + 1, last)
        .or_else(|| of_lines(nearest, first - 1))
        .or_else(|| of_lines(last + 1, end.min(last + LINES_READ)))
}

/// The nodes of a file whose lines are text, such as multi-line strings: their indentation is not that of code.
struct TextNodes<'p> {
    chains: Chains<'p>,
    /// Whether a node, or one that encloses it, is one whose lines are text.
    known: HashMap<(usize, usize), bool>,
}

impl<'p> TextNodes<'p> {
    fn new(parsed: &'p Parsed) -> TextNodes<'p> {
        TextNodes {
            chains: parsed.chains(),
            known: HashMap::new(),
        }
    }

    /// Returns whether one covers the start of a line other than the first, and the line break before it.
    fn cover(&mut self, line_start: usize) -> bool {
        let line_break = Span::new(line_start - 1, line_start);
        let mut seen = Vec::new();
        let mut is_text = false;
        for node in self.chains.upward_from(line_break) {
            if let Some(known) = self.known.get(&node.identity()) {
                is_text = *known;
                break;
            }
            seen.push(node.identity());
            let is_protected = node.is_protected();
            let starts_before = node.span().start() < line_break.start();
            if node.is(Mark::Unmeasured) || (is_protected && starts_before) {
                is_text = true;
                break;
            }
            if is_protected {
                // It covers the next line, but not this one.
                seen.clear();
            }
        }
        self.known
            .extend(seen.into_iter().map(|node| (node, is_text)));
        is_text
    }
}

/// Returns one level of indentation in a text; `None` if no line is indented deeper than another.
pub(crate) fn unit_of_text(text: &str) -> Option<String> {
    unit_of(text.lines())
}

/// Returns one level of indentation in a file; the language's usual one if no line is indented.
#[cfg(feature = "disk")]
pub(crate) fn indent_unit(parsed: &Parsed) -> String {
    let own = unit_of_text(parsed.source().text());
    own.unwrap_or_else(|| parsed.source().language().indent().to_string())
}

/// Returns one level of indentation in these lines: a tab if most indented lines start with one, else the most frequent
/// number of spaces by which a line is deeper than the previous one.
fn unit_of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let (mut tabs, mut spaces) = (0, 0);
    let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
    let mut lines = lines.filter(|line| !line.trim().is_empty()).peekable();
    let mut last = lines.peek().map_or(0, |first| leading(first).len());
    for line in lines {
        let lead = leading(line);
        match lead.starts_with('\t') {
            true => tabs += 1,
            false => {
                spaces += usize::from(!lead.is_empty());
                // A single space more is alignment, not a level.
                if lead.len() > last + 1 {
                    *steps.entry(lead.len() - last).or_default() += 1;
                }
                last = lead.len();
            }
        }
    }
    if tabs > spaces {
        return Some("\t".to_string());
    }
    let common = steps
        .into_iter()
        .max_by_key(|(step, count)| (*count, usize::MAX - step));
    common.map(|(step, _)| " ".repeat(step))
}
