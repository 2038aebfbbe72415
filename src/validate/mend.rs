//! What new content lacks where it cannot be parsed: signs that were put in and parsed.

use crate::change::Change;
use crate::parse::Node;
use crate::select::trimmed_node;
use crate::source::Span;

use super::syntax::NewProblem;

/// What may be forgotten, likeliest first.
const SIGNS: &[&str] = &[",", ";", ":", "=", ")", "]", "}", "\"", "'", "`", "*/"];

/// Signs of which each makes the change text parse, put in at `offset` of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mend {
    /// Behind a word or sign of the new content, in bytes of the change text.
    pub offset: usize,
    /// Each alone, likeliest first.
    pub signs: Vec<&'static str>,
}

/// The signs with each of which new content would parse: behind what stands before the problem, behind the
/// problem, at the end of its line or at that of the content. Nothing where none does, or where the definition
/// that the edit is in had as many problems before.
pub fn mend(change: &Change<'_>, problem: &NewProblem) -> Option<Mend> {
    let before = change.before();
    let round = definition_round(change)?;
    // A grammar's gap is no fault of the content.
    let known = before.alone(&before.source().slice(round));
    let is_sound = |text: &str| {
        let parsed = before.alone(text);
        parsed.problems().len() <= known.problems().len() && parsed.strict_problem().is_none()
    };
    let now = change.text_edit().map_span(round)?;
    let text = change.after().source().slice(now);
    // A definition whose text alone does not tell the two apart tells nothing of a sign.
    if known.strict_problem().is_some() || is_sound(&text) {
        return None;
    }
    let places = places(change, problem).into_iter();
    let mut places = places.filter(|place| now.start() < *place && *place <= now.end());
    places.find_map(|offset| {
        let (ahead, behind) = text.split_at(offset - now.start());
        let mends = |sign: &&&str| is_sound(&format!("{ahead}{sign}{behind}"));
        let signs: Vec<&str> = SIGNS.iter().filter(mends).copied().collect();
        (!signs.is_empty()).then_some(Mend { offset, signs })
    })
}

/// The innermost definition that the edit is made in, or else the outermost node but the root: what is
/// missing in it is told by its text alone.
fn definition_round(change: &Change<'_>) -> Option<Span> {
    let parsed = change.before();
    let hull = change.text_edit().hull();
    let below_root = change.container().get(1..).unwrap_or_default();
    let is_definition = |node: &&Node<'_>| node.tag(&[]).is_some();
    let round = below_root.iter().rev().find(is_definition);
    let round = round
        .or(below_root.first())
        .map(|node| trimmed_node(parsed, *node));
    round
        .or(Some(parsed.source().whole()))
        .filter(|round| round.contains(hull))
}

/// Where a sign may be missing, in the content alone, each once.
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
