//! Explains why matches of a pattern are not rewritten.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Code, Diagnostic};
use super::{about_arguments, quoted};
use crate::pattern::UnknownPlaceholder;

/// The maximum number of match numbers in a refusal.
const NUMBERS_LISTED: usize = 20;

/// Explains that the replacement has a placeholder that the pattern does not capture.
pub fn about_unknown_placeholder(unknown: &UnknownPlaceholder) -> Diagnostic {
    let known = unknown.known.join(", ");
    let help = match (known.is_empty(), unknown.of_rule) {
        (true, false) => {
            "the pattern has no named placeholder, such as `$A` or `$$$ALL`".to_string()
        }
        (true, true) => "the rule defines no variable".to_string(),
        (false, false) => format!("the placeholders of the pattern are {known}"),
        (false, true) => format!("the variables of the rule are {known}"),
    };
    Diagnostic::new(Code::InvalidPattern, unknown.to_string()).help(help)
}

/// Explains that no rule has a fix.
pub fn about_no_fix(are_several: bool) -> Diagnostic {
    let (message, help) = match are_several {
        true => ("no rule has a fix", "add `fix` to the rules"),
        false => (
            "the rule has no fix",
            "add `fix` to the rule, or pass new_content",
        ),
    };
    Diagnostic::new(Code::InvalidPattern, message).help(help)
}

/// Explains that an edit does not show which code is to be changed elsewhere.
pub fn about_no_generalization(edit_id: &str) -> Diagnostic {
    about_arguments(format!(
        "the change of {edit_id} has no pattern: it is not a change in one expression or statement"
    ))
    .help("pass a pattern and new_content instead")
}

/// Adds the pattern of an earlier edit to the refusal of its matches.
pub fn with_help_on_pattern(refused: Diagnostic, pattern: &str, new_content: &str) -> Diagnostic {
    let own = format!(
        "the pattern is {} and its replacement {}",
        quoted(pattern),
        quoted(new_content)
    );
    let help = match &refused.help {
        Some(help) => format!("{help}; {own}"),
        None => own,
    };
    Diagnostic {
        help: Some(help),
        ..refused
    }
}

/// Explains that a rewrite would change more files than allowed.
pub fn about_too_many_files(matches: usize, files: usize, max_files: usize) -> Diagnostic {
    about_arguments(format!(
        "{matches} matches are in {files} files, and max_files is {max_files}"
    ))
    .help("pass a smaller path or a larger max_files")
}

/// Explains that one file has too many matches.
pub fn about_too_many_matches(file_path: &str) -> Diagnostic {
    about_arguments(format!(
        "`{file_path}` has too many matches to rewrite in one call, or is nested too deeply"
    ))
    .help("write a more specific pattern")
}

/// Explains that a rewrite was stopped by its caller.
pub fn about_stopped() -> Diagnostic {
    Diagnostic::new(
        Code::IoError,
        "the call was stopped; nothing is staged and no file changed",
    )
}

/// Explains that a call was stopped because the trees would take more than `limit` bytes of memory.
pub fn about_memory(limit: u64) -> Diagnostic {
    let limit = crate::memory::text(limit);
    Diagnostic::new(
        Code::FileTooLarge,
        format!("the call was stopped: it needs more memory than the limit of {limit}; nothing is staged and no file changed"),
    )
    .help("edit or search fewer or smaller files at once, or start the server with a larger --max-memory")
}

/// Explains that a pattern has more or fewer matches than expected.
pub fn about_match_count(expected: usize, found: usize) -> Diagnostic {
    Diagnostic::new(
        Code::MatchCountMismatch,
        format!("expect_matches is {expected}, but {}", matches_text(found)),
    )
    .help("«find_nodes» with the same pattern or rule lists them")
}

/// Explains that a match number is too large.
pub fn about_match_number(argument: &str, number: usize, found: usize) -> Diagnostic {
    Diagnostic::new(
        Code::NthOutOfRange,
        format!("{argument} contains {number}, but {}", matches_text(found)),
    )
}

/// Explains that an argument of an amendment does not apply to a rewrite.
pub fn about_unamendable(argument: &str) -> Diagnostic {
    about_arguments(format!("{argument} cannot be amended in a rewrite"))
        .help("amend skip, only, skip_failing, new_content or allow, or call rewrite again")
}

/// Explains that an amendment chooses a match that the rewrite does not replace.
pub fn about_unreplaced_match(
    argument: &str,
    number: usize,
    replaced: &BTreeSet<usize>,
) -> Diagnostic {
    let numbers: Vec<usize> = replaced.iter().copied().collect();
    Diagnostic::new(
        Code::NthOutOfRange,
        format!("{argument} contains {number}, but the edit does not replace match {number}"),
    )
    .help(format!(
        "it replaces the matches {}",
        numbers_text(&numbers, NUMBERS_LISTED)
    ))
}

/// Explains that an amendment leaves no match of a rewrite.
pub fn about_no_match_left() -> Diagnostic {
    about_arguments("the edit would replace no match").help("discard it with «discard_edit»")
}

/// Explains that the matches of a rewrite cannot be chosen by number any more.
pub fn about_renumbered() -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        "files changed since the preview, so the matches may have other numbers; nothing was staged",
    )
    .help("call rewrite again")
}

/// Explains that the matches of a rewrite, some of which are chosen by number, are not the same any more.
pub fn about_other_numbers() -> Diagnostic {
    about_arguments("the matches may have other numbers now")
}

/// Explains that a staged rewrite changes nothing any more.
pub fn about_no_match_now() -> Diagnostic {
    about_arguments("no match is left to rewrite")
}

/// Explains that what is left of a divided rewrite cannot be found in a changed file.
pub fn about_unknown_matches(path: &str) -> Diagnostic {
    about_arguments(format!(
        "{} changed where matches were left out, so which matches are meant is not known",
        quoted(path)
    ))
    .help("make a new edit of what is left")
}

fn matches_text(found: usize) -> String {
    match found {
        1 => "there is 1 match".to_string(),
        found => format!("there are {found} matches"),
    }
}

/// Explains that a captured node would be split by the text around it.
pub fn about_regrouped(name: &str, captured: &str, result: &str) -> Diagnostic {
    Diagnostic::new(
        Code::ChangesSurroundings,
        format!(
            "{name} captures {}, which is not one node in {}",
            quoted(captured),
            quoted(result)
        ),
    )
    .help(format!("enclose {name} in parentheses in new_content"))
}

/// Explains that a rewrite would lose code that the pattern does not mention.
pub fn about_lost_code(code: &str) -> Diagnostic {
    Diagnostic::new(
        Code::ChangesSurroundings,
        format!(
            "the match contains {}, which the pattern does not mention and new_content would lose",
            quoted(code)
        ),
    )
    .help(
        "mention it in the pattern, for example as $$$REST, and in new_content, or skip the match",
    )
}

/// Explains that a pattern has matches of several readings.
pub fn about_readings(language: &str, readings: &BTreeMap<&str, usize>) -> Diagnostic {
    let all = readings
        .iter()
        .map(|(name, count)| format!("{name} ({count})"));
    let all: Vec<String> = all.collect();
    let names = readings.keys().map(|name| format!("reading: {name:?}"));
    let names: Vec<String> = names.collect();
    about_arguments(format!(
        "the pattern has matches of {} kinds in {language}: {}",
        readings.len(),
        all.join(", ")
    ))
    .with_code(Code::AmbiguousTarget)
    .help(format!(
        "pass {}, or «reading: \"any\"» to rewrite all of them",
        names.join(" or ")
    ))
}

/// Explains that a match is not rewritten because the edit of one inside it is refused.
pub fn about_refused_inner(text: &str) -> Diagnostic {
    let text = quoted(text);
    about_inner_match(format!("the edit of {text}, a match inside it, is refused"))
}

/// Explains that a match cannot be rewritten because of those inside it.
pub fn about_inner_match(why: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::ChangesSurroundings, why).help(
        "pass «outermost: true» to leave the matches inside others as they are, or skip the match",
    )
}

/// Explains that a match has line breaks of two kinds.
pub fn about_mixed_line_breaks() -> Diagnostic {
    Diagnostic::new(
        Code::InvalidContent,
        "it has line breaks of two kinds (\\n and \\r\\n), and a rewrite would make them equal",
    )
    .help("edit it with «replace_text», or make the line breaks of the file equal first")
}

/// Explains that a computed variable would change a string of several lines.
pub fn about_string_with_lines(name: &str) -> Diagnostic {
    Diagnostic::new(
        Code::InvalidContent,
        format!(
            "{name} is computed from code with a string of several lines, whose indentation would change"
        ),
    )
    .help("use a capture of the rule in its fix instead, or edit the match with «replace_node»")
}

/// Explains that a match cannot be rewritten together with the others.
pub fn about_match_after_others() -> Diagnostic {
    Diagnostic::new(
        Code::ChangesSurroundings,
        "it can be rewritten alone, but not together with the other matches",
    )
}

/// Adds how to leave out refused matches to the refusal of a rewrite.
pub fn with_help_on_matches(refused: Diagnostic, numbers: &[usize], found: usize) -> Diagnostic {
    let listed = numbers_text(numbers, NUMBERS_LISTED);
    let matches = if found == 1 { "match" } else { "matches" };
    let count = numbers.len();
    let own = refused.help.as_ref().map(|help| format!("{help}; "));
    let help = format!(
        "{}{count} of {found} {matches} cannot be rewritten ({listed}); skip_failing leaves them out",
        own.unwrap_or_default()
    );
    Diagnostic {
        help: Some(help),
        ..refused
    }
}

/// Returns the first numbers, and how many there are after them.
pub fn numbers_text(numbers: &[usize], most: usize) -> String {
    let listed: Vec<String> = numbers.iter().take(most).map(usize::to_string).collect();
    let listed = listed.join(", ");
    match numbers.len().saturating_sub(most) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

/// Returns a note on a diff of which an answer shows this many of all bytes.
pub fn diff_cut_text((shown, all): (usize, usize), edit_id: &str) -> String {
    format!(
        "the diff is cut, {shown} of {all} bytes are shown; the whole diff is in list_edits with edit_id {edit_id}"
    )
}

/// Returns a note on the diffs that an answer does not show.
pub fn diffs_omitted_text(files: usize, edit_id: &str) -> Option<String> {
    let diffs = match files {
        0 => return None,
        1 => "the diff of 1 more file is not shown; it is".to_string(),
        files => format!("the diffs of {files} more files are not shown; they are"),
    };
    Some(format!("{diffs} in list_edits with edit_id {edit_id}"))
}
