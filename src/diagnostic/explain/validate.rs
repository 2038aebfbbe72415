//! Explains why checks reject a change.

use crate::change::Change;
use crate::diagnostic::attempt::{Attempt, ContentOrigin};
use crate::diagnostic::render::excerpt;
use crate::diagnostic::{Code, Diagnostic, symbol_text};
use crate::edit::Operation;
use crate::source::{Source, Span};
use crate::validate::{
    Checked, Disturbance, Failure, MissingSigns, NewProblem, Note, ProblemReason, Rejected,
    Suspicion,
};

use super::{AROUND, content_name, counted, lost_text, quoted, short};

/// Explains why a change was rejected. `missing` are the signs that would remove its first syntax error.
pub(in crate::diagnostic) fn change_rejected(
    attempt: &Attempt<'_, '_>,
    rejected: &Rejected<'_>,
    missing: Option<&MissingSigns>,
) -> Diagnostic {
    match rejected.failure() {
        Failure::Syntax(problems) => breaks_syntax(attempt, rejected, problems, missing),
        Failure::Surroundings(disturbance) => changes_surroundings(attempt, rejected, disturbance),
        Failure::Content(suspicion) => suspicious_content(
            rejected.change().after().source(),
            suspicion,
            attempt.origin,
        ),
    }
}

/// Explains that an edit changes more than its target.
fn changes_surroundings(
    attempt: &Attempt<'_, '_>,
    rejected: &Rejected<'_>,
    disturbance: &Disturbance,
) -> Diagnostic {
    const ALLOW: &str = "or pass «allow: [\"surroundings\"]»";
    let change = rejected.change();
    let kind = change.selection().node().kind();
    let selected = match change.selection().is_text() {
        true => "text",
        false => kind,
    };
    let source = change.after().source();
    let what = match disturbance.lost.as_slice() {
        [] => format!(
            "adjacent nodes in the {} would be grouped differently",
            disturbance.parent
        ),
        lost => format!(
            "{} would disappear or move: {}",
            counted(lost.len(), "surrounding symbol"),
            lost_text(lost)
        ),
    };
    let content = content_name(attempt.origin);
    let help = match (attempt.operation, &disturbance.missing_marker) {
        (Operation::Delete, _) => format!("delete an enclosing node, or replace it, {ALLOW}"),
        (_, Some(marker)) => format!(
            "begin {content} with the marker that the {kind} needs: {}",
            quoted(marker)
        ),
        _ if rejected.repeats_comment() => {
            format!("a comment already follows the node: remove the comment from {content}")
        }
        _ => match disturbance.unpaired {
            Some(bracket) => format!(
                "balance the brackets of {content}: the {} on line {} has no counterpart in it, {ALLOW}",
                quoted(&source.slice(bracket)),
                source.line_of(bracket.start()),
            ),
            None => match disturbance.lost.first() {
                Some(symbol) => format!(
                    "change {content} so that {} stays as it is, {ALLOW}",
                    quoted(&symbol_text(&symbol.path))
                ),
                None => format!(
                    "change {content} so that it does not combine with the text next to it, {ALLOW}"
                ),
            },
        },
    };
    let span = short(source, disturbance.span);
    let label = "parsed differently from here on";
    let message = format!("the edit would change more than the selected {selected}: {what}");
    Diagnostic {
        excerpt: Some(excerpt(source, span, label, AROUND)),
        ..Diagnostic::new(Code::ChangesSurroundings, message)
    }
    .help(help)
}

/// Explains that an edit adds syntax errors.
fn breaks_syntax(
    attempt: &Attempt<'_, '_>,
    rejected: &Rejected<'_>,
    problems: &[NewProblem],
    missing: Option<&MissingSigns>,
) -> Diagnostic {
    let change = rejected.change();
    let source = change.after().source();
    let errors = match problems.len() {
        1 => "a syntax error".to_string(),
        count => format!("{count} syntax errors"),
    };
    let reason = problems.first().and_then(|first| first.reason.as_ref());
    let message = match reason {
        Some(ProblemReason::MisreadHeredoc) => {
            "the edit changes only a part of the lines of here-documents".to_string()
        }
        _ => format!("the edit introduces {errors}{}", construct(change)),
    };
    let diagnostic = Diagnostic::new(Code::BreaksSyntax, message);
    let Some(first) = problems.first() else {
        return diagnostic;
    };
    let content = content_name(attempt.origin);
    let mark = match (first.unpaired, missing) {
        (Some(span), _) => unpaired_mark(source, span, content),
        (None, Some(missing)) => missing_mark(source, missing),
        (None, None) => problem_mark(change, first),
    };
    let advice = mark.advice.unwrap_or_else(|| {
        match (attempt.operation, attempt.origin) {
            (Operation::Insert { .. }, ContentOrigin::Argument) => {
                "correct new_content, or insert it next to a node of the same kind"
            }
            (Operation::Insert { .. }, ContentOrigin::Move) => {
                "move it next to a node of the same kind"
            }
            (_, ContentOrigin::StringEdit) => "correct the new text",
            (Operation::Delete, _) => "delete an enclosing node, or replace it",
            _ => "correct new_content",
        }
        .to_string()
    });
    let span = short(source, mark.span);
    let diagnostic = Diagnostic {
        excerpt: Some(excerpt(source, span, &mark.label, AROUND)),
        ..diagnostic
    };
    match attempt.origin {
        ContentOrigin::StringEdit => diagnostic.help(advice),
        _ => diagnostic.help(format!("{advice}, or pass «allow: [\"syntax_errors\"]»")),
    }
}

/// The span that an excerpt of a syntax error marks.
struct SyntaxMark {
    span: Span,
    label: String,
    /// How to fix the error. If absent, the advice depends on the operation.
    advice: Option<String>,
}

/// Marks a bracket, quote or comment delimiter without its counterpart.
fn unpaired_mark(source: &Source, span: Span, content: &str) -> SyntaxMark {
    let sign = source.slice(span);
    let line = source.line_of(span.start());
    let (label, advice) = match &*sign {
        bracket if "([{".contains(bracket) => (
            format!("not closed in {content}"),
            format!("close the {} on line {line}", quoted(bracket)),
        ),
        bracket if ")]}".contains(bracket) => (
            format!("unmatched {} in {content}", quoted(bracket)),
            format!("remove the {} on line {line}", quoted(bracket)),
        ),
        _ => (
            format!("this string or comment is not closed in {content}"),
            format!("close it in {content}"),
        ),
    };
    SyntaxMark {
        span,
        label,
        advice: Some(advice),
    }
}

/// Marks the place where signs seem to be missing.
fn missing_mark(source: &Source, missing: &MissingSigns) -> SyntaxMark {
    let signs: Vec<String> = missing.signs.iter().map(|sign| quoted(sign)).collect();
    let signs = signs.join(" or ");
    let preceding = source.text()[..missing.offset].chars().next_back();
    let start = missing.offset - preceding.map_or(0, char::len_utf8);
    SyntaxMark {
        span: Span::new(start, missing.offset),
        label: format!("{signs} seems to be missing after this"),
        advice: Some(format!("insert {signs} there")),
    }
}

/// Marks the text that the parser rejects, if neither a bracket nor a missing sign explains the error.
fn problem_mark(change: &Change<'_>, problem: &NewProblem) -> SyntaxMark {
    let source = change.after().source();
    let plain = |span: Span, label: String| SyntaxMark {
        span,
        label,
        advice: None,
    };
    if let Some(reason) = &problem.reason {
        return SyntaxMark {
            advice: reason_advice(reason),
            ..plain(problem.span, reason_text(reason))
        };
    }
    if let Some(missing) = &problem.missing {
        return plain(problem.span, format!("missing {}", quoted(missing)));
    }
    // An error node can start many lines before the text that causes it.
    let (span, content) = (problem.span, change.new_span());
    let is_above = source.line_of(span.start()) < source.line_of(content.start())
        && content.start() < span.end();
    let start = if is_above {
        content.start()
    } else {
        span.start()
    };
    plain(Span::new(start, span.end()), "cannot be parsed".to_string())
}

/// Returns words for the innermost node below the root that contains an edit, and its symbol.
fn construct(change: &Change<'_>) -> String {
    let Some(node) = change.container().get(1..).and_then(|below| below.last()) else {
        return String::new();
    };
    let symbol = change.before().symbol_path(change.container());
    match symbol.is_empty() {
        true => format!(" in the {}", node.kind()),
        false => format!(" in the {} of {}", node.kind(), symbol_text(&symbol)),
    }
}

/// Returns how to fix a problem that the tree does not show, if the advice does not depend on the operation.
fn reason_advice(reason: &ProblemReason) -> Option<String> {
    match reason {
        ProblemReason::EndedByLine(keyword) => {
            Some(format!("continue on the line of {}", quoted(keyword)))
        }
        ProblemReason::MisreadHeredoc => {
            Some("edit the statement and its lines with «replace_text»".to_string())
        }
        ProblemReason::TokensOfMacro => {
            Some("edit the arguments of the macro with «replace_text»".to_string())
        }
        _ => None,
    }
}

/// Returns the words for a problem that the tree does not show.
fn reason_text(reason: &ProblemReason) -> String {
    match reason {
        ProblemReason::Reported(message) | ProblemReason::OfLanguage(message) => message,
        ProblemReason::EndedByLine(keyword) => {
            return format!("the line break ends the {keyword} statement");
        }
        ProblemReason::MisreadHeredoc => "the grammar does not find the end of this here-document",
        ProblemReason::TokensOfMacro => {
            "with this content, the arguments of the macro no longer parse as code"
        }
        ProblemReason::EmptyBody => "the body is empty",
        ProblemReason::UnevenIndentation => {
            "the line is not indented like the adjacent lines of its body"
        }
        ProblemReason::ShallowIndentation => "the line is not indented deeper than its header",
    }
    .to_string()
}

/// Explains that the content looks like a sketch of code.
fn suspicious_content(source: &Source, suspicion: &Suspicion, origin: ContentOrigin) -> Diagnostic {
    let (fault, help) = suspicion_text(suspicion);
    let message = format!("{} {fault}", content_name(origin));
    Diagnostic {
        excerpt: Some(excerpt(
            source,
            short(source, suspicion.span()),
            "here",
            AROUND,
        )),
        ..Diagnostic::new(Code::SuspiciousContent, message)
    }
    .help(format!("{help}, or pass «allow: [\"suspicious_content\"]»"))
}

/// Returns the words for content that looks like a sketch, and how to correct it.
fn suspicion_text(suspicion: &Suspicion) -> (&'static str, &'static str) {
    match suspicion {
        Suspicion::EscapedLineBreak(_) => (
            "contains the two characters \\n where a line break seems intended",
            "send real line breaks",
        ),
        Suspicion::Placeholder(_) => (
            "contains a comment in place of omitted code",
            "send the complete code of the node, or select a smaller node",
        ),
        Suspicion::DiffMarker(_) => (
            "contains lines of a diff",
            "send the code as it should appear in the file",
        ),
        Suspicion::CodeFence(_) => (
            "begins with a code fence",
            "send the code without the fence",
        ),
    }
}

/// Returns what an agent should know about an edit that it makes with another tool: new text that is no complete code,
/// and symbols around its strings that disappear or move. An agent that writes the whole text knows what disappears.
pub fn string_edit_notes(checked: &Checked<'_>, is_whole_text: bool) -> Vec<String> {
    let notes = checked.notes().iter();
    let has_surroundings = !is_whole_text && checked.before().problems().is_empty();
    let texts = notes.filter_map(|note| match note {
        // In a file with errors, symbols can appear and disappear by the way the parser skips them.
        Note::Allowed(Failure::Surroundings(disturbance))
            if !disturbance.lost.is_empty() && has_surroundings =>
        {
            Some(format!(
                "symbols around the edit disappear or move: {}",
                lost_text(&disturbance.lost)
            ))
        }
        Note::Allowed(Failure::Content(suspicion)) => Some(format!(
            "{} {}",
            content_name(ContentOrigin::StringEdit),
            suspicion_text(suspicion).0
        )),
        _ => None,
    });
    texts.collect()
}
