//! Facts about a rejected change that only its refusal needs.

use crate::parse::Parsed;
use crate::source::Span;

use super::missing_signs::{MissingSigns, missing_signs};
use super::{Failure, ProblemReason, Rejected};

impl Rejected<'_> {
    /// Returns whether the same content may pass on another node. A sketch of code, and content
    /// with an unpaired bracket or quote, fail on every node.
    pub fn depends_on_target(&self) -> bool {
        match self.failure() {
            Failure::Syntax(problems) => problems.iter().all(|problem| problem.unpaired.is_none()),
            Failure::Surroundings(disturbance) => disturbance.unpaired.is_none(),
            Failure::Content(_) => false,
        }
    }

    /// Returns whether the parser of the language rejected code that the grammar accepts, such as a second `const a`. Such
    /// content may pass in another scope, but with another meaning.
    pub fn is_refused_by_language(&self) -> bool {
        let Failure::Syntax(problems) = self.failure() else {
            return false;
        };
        let mut reasons = problems.iter().map(|problem| &problem.reason);
        reasons.any(|reason| matches!(reason, Some(ProblemReason::OfLanguage(_))))
    }

    /// Returns the signs that each remove the first syntax error, if nothing else explains it. Parses the text again for
    /// each sign that it tries.
    pub fn missing_signs(&self) -> Option<MissingSigns> {
        let Failure::Syntax(problems) = self.failure() else {
            return None;
        };
        let first = problems.first()?;
        let is_explained =
            first.unpaired.is_some() || first.reason.is_some() || first.missing.is_some();
        match is_explained {
            true => None,
            false => missing_signs(self.change(), first),
        }
    }

    /// Returns whether the content ends with a comment although a comment follows the old node on its line.
    pub fn repeats_comment(&self) -> bool {
        let change = self.change();
        let before = change.before();
        let end = change.selection().span().end();
        let line = before.source().line_span(before.source().line_of(end));
        let follows = line.is_some_and(|line| {
            let rest = Span::new(end, line.end().max(end));
            let text = before.source().slice(rest);
            let last = text.trim_end().char_indices().next_back();
            last.is_some_and(|(offset, c)| {
                let start = rest.start() + offset;
                is_comment(before, Span::new(start, start + c.len_utf8()))
            })
        });
        let new_end = change.new_span().end();
        follows && new_end > 0 && is_comment(change.after(), Span::new(new_end - 1, new_end))
    }
}

fn is_comment(parsed: &Parsed, span: Span) -> bool {
    let chain = parsed.chain(span);
    let mut pairs = chain.windows(2);
    pairs.any(|pair| pair[1].is_word("comment", Some(pair[0])))
}
