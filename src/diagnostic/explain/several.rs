//! Explains refusals of one edit that is made in several files or at several nodes, and what it leaves out.

use crate::diagnostic::{Code, Diagnostic, PlaceView, Places, Trial};

use super::{about_arguments, counted};

/// The maximum number of further places that a refusal names.
const OTHERS_NAMED: usize = 5;

/// The place of a refusal of an edit: its file if the edit has several, and the index of its selector if there are several.
#[derive(Clone, Copy, Debug)]
pub struct PlaceOfEdit<'a> {
    /// The file.
    pub path: Option<&'a str>,
    /// The index of the selector.
    pub selector: Option<usize>,
}

impl PlaceOfEdit<'_> {
    /// Returns the place for a message, or `None` if the edit has only one.
    pub fn text(&self) -> Option<String> {
        let path = self.path.map(|path| format!("`{path}`"));
        let selector = self.selector.map(|number| format!("selectors[{number}]"));
        match (path, selector) {
            (Some(path), Some(selector)) => Some(format!("{path}, {selector}")),
            (path, selector) => path.or(selector),
        }
    }
}

/// Explains that an edit is refused at one of its places.
pub fn about_one_of_several(refused: Diagnostic, place: PlaceOfEdit<'_>) -> Diagnostic {
    let Some(text) = place.text() else {
        return refused;
    };
    let help = || match place {
        PlaceOfEdit { path: Some(_), .. } => {
            "leave this file out, or give it an edit of its own in the same call".to_string()
        }
        PlaceOfEdit { selector, .. } => format!(
            "correct selectors[{}] or leave it out; «amend_edit» takes the whole list of selectors",
            selector.unwrap_or_default()
        ),
    };
    Diagnostic {
        message: format!("{text}: {}", refused.message),
        help: refused.help.or_else(|| Some(help())),
        ..refused
    }
}

/// Adds the other places where an edit is refused too.
pub fn with_others_refused(refused: Diagnostic, others: &[String]) -> Diagnostic {
    let named = others.iter().take(OTHERS_NAMED).map(String::as_str);
    let named = named.collect::<Vec<_>>().join("; ");
    let others = match others.len() {
        0 => String::new(),
        count if count > OTHERS_NAMED => format!(
            " (also refused: {named}, and {} more)",
            count - OTHERS_NAMED
        ),
        _ => format!(" (also refused: {named})"),
    };
    Diagnostic {
        message: format!("{}{others}", refused.message),
        ..refused
    }
}

/// Explains that an edit has no match in any of its files. `refused` is the refusal for the file at `path`, which is the
/// nearest. `selector` is the index of the selector, if there are several.
pub fn about_no_match_in_files(
    mut refused: Diagnostic,
    paths: &str,
    searched: usize,
    path: &str,
    selector: Option<usize>,
) -> Diagnostic {
    for suggestion in &mut refused.suggestions {
        // It was only tried in that file.
        suggestion.trial = Trial::NotTried;
    }
    let files = counted(searched, "file");
    let selector = match selector {
        Some(selector) => format!("selectors[{selector}]"),
        None => "the selector".to_string(),
    };
    Diagnostic {
        message: format!(
            "`{paths}` matches {files}, but {selector} matches in none; `{path}`: {}",
            refused.message
        ),
        ..refused
    }
}

/// Explains that an edit has more or fewer matches in all its files than expected. `found` is the number of nodes and of
/// files.
pub fn about_match_count_in_files(
    expected: usize,
    found: (usize, usize),
    listed: Vec<PlaceView>,
) -> Diagnostic {
    let (count, files) = found;
    let nodes = counted(count, "node");
    let files = counted(files, "file");
    Diagnostic {
        places: Some(Box::new(Places {
            listed,
            total: count,
        })),
        ..Diagnostic::new(
            Code::MatchCountMismatch,
            format!("expect_matches is {expected} but the edit matches {nodes} in {files}"),
        )
    }
    .help(format!(
        "pass «expect_matches: {count}» to edit all of them, or exclude some with a scope, a longer text or fewer files"
    ))
}

/// Adds to a refusal of an edit with several matches in a file how to edit all matches in all files, if their number is
/// known.
pub fn with_help_on_all_matches(refused: Diagnostic, count: Option<usize>) -> Diagnostic {
    match count {
        Some(count) => {
            let help = format!("pass «expect_matches: {count}» to edit all matches in all files");
            refused.help(help)
        }
        None => refused,
    }
}

/// Adds that the edit can be made at all of several equal places.
pub fn with_help_on_equal_places(refused: Diagnostic, count: usize) -> Diagnostic {
    refused.help(format!(
        "to edit all {count} of them, call «amend_edit» with expect_matches"
    ))
}

/// Explains that an edit would change more files than allowed without a confirmation.
pub fn about_too_many_edited_files(nodes: usize, files: usize, limit: usize) -> Diagnostic {
    about_arguments(format!(
        "the edit matches {nodes} nodes in {files} files; without expect_matches, the limit is {limit} files"
    ))
    .help(format!(
        "pass «expect_matches: {nodes}» to edit all of them, or fewer files"
    ))
}

/// Explains that two selectors of an edit select the same node.
pub fn about_same_node(numbers: (usize, usize), path: &str, line: usize) -> Diagnostic {
    let (first, second) = numbers;
    Diagnostic::new(
        Code::OverlappingEdits,
        format!(
            "selectors[{first}] and selectors[{second}] select the same node: `{path}`, line {line}"
        ),
    )
    .help("leave one of them out")
}

/// Explains that the nodes of two selectors of an edit overlap.
pub fn about_selectors_clash(numbers: (usize, usize), lines: (usize, usize)) -> Diagnostic {
    Diagnostic::new(
        Code::OverlappingEdits,
        format!(
            "selectors[{}] (line {}) and selectors[{}] (line {}) overlap",
            numbers.0, lines.0, numbers.1, lines.1
        ),
    )
    .help("leave one of them out, or select smaller nodes")
}

/// Explains that nodes of several files cannot move to one file.
pub fn about_move_of_several(files: usize) -> Diagnostic {
    about_arguments(format!(
        "the edit moves nodes of {files} files, so its destination cannot be in a certain file"
    ))
    .help("leave out to.file_path to move each node within its file, or use an edit for each file")
}

/// Explains that no file that a glob matches can be read. `codes` are the reasons.
pub fn about_unreadable_files(codes: &[Code], paths: &str) -> Diagnostic {
    let code = codes.first().copied().unwrap_or(Code::FileNotFound);
    let files = counted(codes.len(), "file");
    Diagnostic::new(
        code,
        format!("`{paths}` matches {files}, none of which can be read"),
    )
}

/// Adds to the refusal of a path with wildcards which calls take a glob.
pub fn with_help_on_globs(refused: Diagnostic) -> Diagnostic {
    let help = "an edit of «edit_nodes» takes a glob, or a list of files";
    let help = match &refused.help {
        Some(other) => format!("{other}; {help}"),
        None => help.to_string(),
    };
    refused.help(help)
}

/// Adds to the refusal of a directory how to name its files.
pub fn with_help_on_folder(refused: Diagnostic, path: &str) -> Diagnostic {
    let path = path.trim_end_matches('/');
    refused.help(format!("a glob names the files in it: `{path}/**/*`"))
}

/// Returns a note on the files that an edit leaves out.
pub fn left_out_text(left_out: usize, searched: usize) -> Option<String> {
    let have = if left_out == 1 { "has" } else { "have" };
    let text = || format!("left out {left_out} of {searched} files, which {have} no match");
    (left_out > 0).then(text)
}

/// Returns a note on the nodes that already have the new text.
pub fn unchanged_text(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("left 1 node as it is, which already has the new text".to_string()),
        count => Some(format!(
            "left {count} nodes as they are, which already have the new text"
        )),
    }
}
