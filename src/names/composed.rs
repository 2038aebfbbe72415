//! Names that code looks up as strings when it runs: `globals()[f"_{name}"]`, `getattr(self, "do_" + word)`.
//!
//! `imports.scm` marks the strings. Their fixed texts determine which names they can be.

use crate::language::queries::Mark;
use crate::locate::is_word;
use crate::parse::{Node, Parsed};
use crate::source::Span;

/// The signs that start unknown text in the string of a format, as in `"do_%s" % word` and `"do_{}".format(word)`.
const FORMAT_SIGNS: [char; 2] = ['%', '{'];

/// A value that is looked up as a name.
#[derive(Debug)]
pub(crate) struct ComposedName {
    pub(crate) span: Span,
    pub(crate) form: NameForm,
    /// Whether the name is one of the file itself, and not that of a member.
    pub(crate) is_of_file: bool,
}

/// What is known of a name: fixed texts, and `None` for unknown text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameForm(Vec<Option<String>>);

impl ComposedName {
    /// Reads a node that is looked up as a name. Returns `None` for another node, and if no name has this form.
    pub(crate) fn of(parsed: &Parsed, node: Node<'_>, is: impl Fn(Mark) -> bool) -> Option<Self> {
        let is_of_file = is(Mark::ComposedOwnName);
        if !is_of_file && !is(Mark::ComposedMember) {
            return None;
        }
        let mut parts = Vec::new();
        add_parts(parsed, node, node.kind(), &mut parts);
        let has_other = |part: &Option<String>| {
            let text = part.as_deref().unwrap_or_default();
            text.contains(|c: char| !is_word(c) && c != '$')
        };
        let span = node.span();
        (!parts.iter().any(has_other)).then_some(ComposedName {
            span,
            form: NameForm(parts),
            is_of_file,
        })
    }
}

impl NameForm {
    /// Reads a form with `*` for unknown text.
    #[cfg(feature = "servers")]
    pub(crate) fn of(text: &str) -> NameForm {
        let fixed = text.split('*').map(|part| Some(part.to_string()));
        let mut parts: Vec<Option<String>> = Vec::new();
        for part in fixed {
            if !parts.is_empty() {
                parts.push(None);
            }
            parts.push(part);
        }
        parts.retain(|part| part.as_deref() != Some(""));
        NameForm(parts)
    }

    /// Returns the length of the longer of the fixed texts at the start and at the end, in bytes.
    #[cfg(feature = "servers")]
    pub(crate) fn fixed(&self) -> usize {
        let ends = [self.0.first(), self.0.last()];
        let ends = ends.into_iter().flatten().flatten();
        ends.map(String::len).max().unwrap_or_default()
    }

    /// Returns whether a name has this form.
    pub(crate) fn fits(&self, name: &str) -> bool {
        let mut rest = name;
        let mut is_open = false;
        for (index, part) in self.0.iter().enumerate() {
            let Some(text) = part else {
                is_open = true;
                continue;
            };
            let is_last = index + 1 == self.0.len();
            let after = match is_open {
                false => rest.strip_prefix(text.as_str()),
                true if is_last => rest.ends_with(text.as_str()).then_some(""),
                true => rest.split_once(text.as_str()).map(|(_, after)| after),
            };
            let Some(after) = after else {
                return false;
            };
            (rest, is_open) = (after, false);
        }
        is_open || rest.is_empty()
    }
}

/// Returns the names of a file that code looks up as strings.
#[cfg(feature = "servers")]
pub(crate) fn composed_names(parsed: &Parsed) -> Vec<ComposedName> {
    let mut all = Vec::new();
    let mut open = vec![(parsed.root(), None::<Node<'_>>)];
    while let Some((node, parent)) = open.pop() {
        let is = |mark: Mark| parent.is_some_and(|parent| node.is_in(mark, parent));
        all.extend(ComposedName::of(parsed, node, is));
        open.extend(
            node.own_children()
                .into_iter()
                .map(|child| (child, Some(node))),
        );
    }
    all
}

/// Adds the parts of a string, or of strings that operators of the type `operator` join.
fn add_parts(parsed: &Parsed, node: Node<'_>, operator: &str, parts: &mut Vec<Option<String>>) {
    let children = node.own_children().into_iter();
    let named = children.filter(|child| child.is_named());
    if node.is_word("string", None) {
        // Text in a string has no parts.
        let unknown = named.filter(|child| child.own_children().iter().any(|one| one.is_named()));
        add_string(parsed, node.span(), unknown.map(|one| one.span()), parts);
    } else if node.kind() == operator {
        for child in named {
            add_parts(parsed, child, operator, parts);
        }
    } else {
        parts.push(None);
    }
}

/// Adds the parts of one string. `unknown` are the spans of the code in it.
fn add_string(
    parsed: &Parsed,
    span: Span,
    unknown: impl Iterator<Item = Span>,
    parts: &mut Vec<Option<String>>,
) {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let text = parsed.source().slice(span);
    let inner = text.trim_start_matches(|c| !is_quote(c));
    let start = span.end() - inner.trim_start_matches(is_quote).len();
    let end = start.max(span.start() + text.trim_end_matches(is_quote).len());
    let add_fixed = |parts: &mut Vec<Option<String>>, from: usize, to: usize| {
        let fixed = parsed.source().slice(Span::new(from, to.max(from)));
        let (fixed, is_format) = match fixed.find(FORMAT_SIGNS) {
            Some(at) => (&fixed[..at], true),
            None => (&*fixed, false),
        };
        if !fixed.is_empty() {
            parts.push(Some(fixed.to_string()));
        }
        if is_format {
            parts.push(None);
        }
    };
    let mut from = start;
    for code in unknown {
        add_fixed(parts, from, code.start());
        parts.push(None);
        from = code.end();
    }
    add_fixed(parts, from, end);
}
