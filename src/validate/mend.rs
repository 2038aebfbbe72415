//! What new content lacks where it cannot be parsed: signs that were put in and parsed.

use crate::edit::{Edited, Replacement, TextEdit};
use crate::parse::Parsed;
use crate::source::Span;

use super::syntax::NewProblem;

/// What may be forgotten, likeliest first.
const SIGNS: &[&str] = &[",", ";", ":", "=", ")", "]", "}", "\"", "'", "`", "*/"];

/// Signs of which each makes the edited text parse, put in at `offset` of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mend {
    /// Behind a word or sign of the new content, in bytes of the edited text.
    pub offset: usize,
    /// Each alone, likeliest first.
    pub signs: Vec<&'static str>,
}

/// The one sign, or each of several, with which new content would parse: behind what stands before the
/// problem, behind the problem, at the end of its line or at that of the content. Nothing where the
/// file had problems before, or where none does.
pub fn mend(edited: &Edited<'_>, problem: &NewProblem) -> Option<Mend> {
    let before = edited.selection.parsed();
    let is_sound = |parsed: &Parsed, at: usize| {
        parsed.problems_round(Span::at(at)).is_empty() && parsed.strict_problem().is_none()
    };
    if !is_sound(before, edited.text_edit.hull().start()) {
        return None;
    }
    let places = places(edited, problem);
    places.into_iter().find_map(|offset| {
        let mends = |sign: &&&str| {
            let with = with_sign(&edited.after, offset, sign);
            with.is_some_and(|parsed| is_sound(&parsed, offset))
        };
        let signs: Vec<&str> = SIGNS.iter().filter(mends).copied().collect();
        (!signs.is_empty()).then_some(Mend { offset, signs })
    })
}

/// Where a sign may be missing, in the content alone, each once.
fn places(edited: &Edited<'_>, problem: &NewProblem) -> Vec<usize> {
    let (source, content) = (edited.after.source(), edited.new_span);
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

fn with_sign(after: &Parsed, offset: usize, sign: &str) -> Option<Parsed> {
    let put_in = Replacement {
        span: Span::at(offset),
        new_text: sign.to_string(),
    };
    let edit = TextEdit::new(after.source(), vec![put_in]).ok()?;
    Some(after.reparse(edit.apply(after.source()), &edit.lengths()))
}
