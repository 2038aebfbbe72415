//! Suggests signs that new content lacks: each sign is inserted and the text parsed again.

use crate::change::Change;
use crate::parse::{Node, Parsed};
use crate::select::trimmed_node;
use crate::source::{Source, Span};

use super::syntax::NewProblem;

/// Signs that are often forgotten, the most likely first.
const SIGNS: &[&str] = &[",", ";", ":", "=", ")", "]", "}", "\"", "'", "`", "*/"];

/// Signs that each make the edited text parse if inserted at `offset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSigns {
    /// After a word or sign of the new content, as a byte offset in the edited text.
    pub offset: usize,
    /// The alternatives, the most likely first.
    pub signs: Vec<&'static str>,
}

/// Returns the signs that each make the new content parse: after the token before the problem, after the problem, at
/// the end of its line or at the end of the content. Returns `None` if there are none, or if the enclosing definition
/// had as many problems before the edit.
pub(super) fn missing_signs(change: &Change<'_>, problem: &NewProblem) -> Option<MissingSigns> {
    let alone = Alone::from_change(change)?;
    // The definition alone does not show the problem, so it cannot show whether a sign fixes it.
    if alone.known.strict_problem().is_some() || alone.is_sound_with(0, "") {
        return None;
    }
    let is_inside = |place: &usize| alone.now.start() < *place && *place <= alone.now.end();
    let mut places = places(change, problem).into_iter().filter(is_inside);
    let mut tries = alone.tries(change);
    places.find_map(|offset| {
        let signs = SIGNS.iter().copied().take(tries);
        tries = tries.saturating_sub(SIGNS.len());
        let offset_alone = offset - alone.now.start();
        let signs: Vec<&str> = signs
            .filter(|sign| alone.is_sound_with(offset_alone, sign))
            .collect();
        (!signs.is_empty()).then_some(MissingSigns { offset, signs })
    })
}

/// The enclosing definition, parsed alone.
struct Alone {
    /// The definition before the edit.
    known: Parsed,
    /// The replaced span in it, and the length of the replacement.
    hull: Span,
    new_len: usize,
    /// The span of the definition in the new text, and its text.
    now: Span,
    text: String,
}

impl Alone {
    fn from_change(change: &Change<'_>) -> Option<Alone> {
        let (before, text_edit) = (change.before(), change.text_edit());
        let definition = enclosing_definition(change)?;
        let now = text_edit.map_span(definition)?;
        let hull = text_edit.hull();
        let hull = Span::new(
            hull.start() - definition.start(),
            hull.end() - definition.start(),
        );
        let text = change.after().source().slice(now).into_owned();
        Some(Alone {
            known: before.parse_fragment(&before.source().slice(definition)),
            hull,
            // Text that is inserted at an end of the definition is not part of it.
            new_len: text.len() + hull.len() - definition.len(),
            now,
            text,
        })
    }

    /// Returns how many signs to try. A parse stops at the first error, so all signs are tried, unless the definition
    /// already has errors: then each try parses all of it, and the number is limited to the cost of a few parses of the
    /// file.
    fn tries(&self, change: &Change<'_>) -> usize {
        const OF_WHOLE_FILE: usize = 16;
        match self.known.problems().is_empty() {
            true => usize::MAX,
            false => OF_WHOLE_FILE * change.after().source().len() / self.text.len().max(1),
        }
    }

    /// Returns whether the definition has no more errors than before if `sign` is inserted at `offset`.
    fn is_sound_with(&self, offset: usize, sign: &str) -> bool {
        let (before, after) = self.text.split_at(offset);
        let source = self.known.source();
        let text = format!("{before}{sign}{after}");
        let source = Source::new(source.path(), source.language(), text);
        let edits = [(self.hull, self.new_len + sign.len())];
        // A gap in the grammar is not an error of the content.
        let known = self.known.problems().len();
        let is_no_worse = |parsed: &Parsed| parsed.problems().len() <= known;
        let may_be_sound = match known {
            0 => self.known.is_clean_after(&source, &edits),
            _ => is_no_worse(&self.known.reparse(source.clone(), &edits)),
        };
        may_be_sound && {
            let parsed = Parsed::parse(source);
            is_no_worse(&parsed) && parsed.strict_problem().is_none()
        }
    }
}

/// Returns the innermost definition that contains the edit, or else the outermost node below the root: its text alone
/// shows what is missing in it.
fn enclosing_definition(change: &Change<'_>) -> Option<Span> {
    let parsed = change.before();
    let hull = change.text_edit().hull();
    let below_root = change.container().get(1..).unwrap_or_default();
    let is_definition = |node: &&Node<'_>| node.tag(&[]).is_some();
    let definition = below_root.iter().rev().find(is_definition);
    let definition = definition
        .or(below_root.first())
        .map(|node| trimmed_node(parsed, *node));
    definition
        .or(Some(parsed.source().whole()))
        .filter(|definition| definition.contains(hull))
}

/// Returns the offsets in the content at which a sign may be missing, each once.
fn places(change: &Change<'_>, problem: &NewProblem) -> Vec<usize> {
    let (source, content) = (change.after().source(), change.new_span());
    let text = source.text();
    let start = problem.span.start().max(content.start());
    let line = source.line_span(source.line_of(start));
    let ends = [
        start,
        problem.span.end(),
        line.map_or(start, Span::end),
        content.end(),
    ];
    let mut places = Vec::new();
    for end in ends {
        let place = text[..end].trim_end().len();
        if content.start() < place && place <= content.end() && !places.contains(&place) {
            places.push(place);
        }
    }
    places
}
