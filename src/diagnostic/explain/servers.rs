//! Explains the refusals of questions to language servers, and what a server's changes leave out.

use crate::lsp::{Missing, ServerError, Situation};
use crate::validate::{Failure, Rejected};

use super::{AROUND, about_arguments, counted, listed, places_text, quoted, short};
use crate::diagnostic::render::excerpt;
use crate::diagnostic::{Code, Diagnostic, NextCall, PlaceEdit, Places, Suggestion, cut};

/// The maximum number of lines shown of a server's standard error.
const TAIL_LINES: usize = 5;

/// The requests of a rename.
const RENAME_METHODS: [&str; 2] = ["textDocument/rename", "textDocument/prepareRename"];

/// Lists files that contain a name but are not in the server's answer. The name may belong to another symbol there.
pub fn namesakes_text(name: &str, files: &[(String, usize)], has_more: bool) -> Option<String> {
    let places = places_text(files, has_more)?;
    Some(format!(
        "{} also occurs in {places}, which the server does not list",
        quoted(name)
    ))
}

/// Why a place prevents a rename, or belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceReason {
    /// The server lists the place among the references.
    Listed,
    /// The server resolves the place to the renamed symbol.
    Resolved,
    /// The server resolves the place to the renamed symbol and to another one.
    ResolvedToSeveral,
    /// The place is a definition that implements the renamed one.
    Implements,
    /// The place redefines the renamed member in a subtype.
    Overrides,
    /// The place is in a supertype, and defines what the renamed member redefines.
    Overridden,
    /// The place defines another symbol, and a renamed use also refers to it.
    SharesUse,
    /// The server does not resolve the place.
    Unresolved,
    /// The place was not looked up, because there were too many.
    NotLookedUp,
    /// The place already uses the new name.
    NameTaken,
    /// An import names the renamed symbol and its file.
    Imported,
    /// Its scope binds the name only where the rename changes it.
    InScope,
}

impl PlaceReason {
    /// Returns the reason as text.
    pub fn text(self) -> &'static str {
        match self {
            PlaceReason::Listed => "listed as a reference",
            PlaceReason::Resolved => "resolves to the renamed symbol",
            PlaceReason::ResolvedToSeveral => "resolves to the renamed symbol and to another",
            PlaceReason::Implements => "implements the renamed symbol",
            PlaceReason::Overrides => "overrides the renamed symbol",
            PlaceReason::Overridden => "overridden by the renamed symbol",
            PlaceReason::SharesUse => "shares a use with the renamed symbol",
            PlaceReason::Unresolved => "not resolved by the server",
            PlaceReason::NotLookedUp => "not looked up: too many places",
            PlaceReason::NameTaken => "already uses the new name",
            PlaceReason::Imported => "imports the renamed symbol",
            PlaceReason::InScope => "in the scope of the renamed symbol",
        }
    }

    /// Returns whether the server knows that the place is a use of the renamed symbol.
    pub fn is_known(self) -> bool {
        use PlaceReason::{Listed, Resolved, ResolvedToSeveral};
        matches!(self, Listed | Resolved | ResolvedToSeveral)
    }

    /// Returns whether the place is certainly a use of the renamed symbol, and of no other one.
    pub fn is_certain(self) -> bool {
        use PlaceReason::{Imported, InScope, Listed, Resolved};
        matches!(self, Listed | Resolved | Imported | InScope)
    }

    /// Returns whether the place is another definition of the renamed symbol.
    pub fn is_definition(self) -> bool {
        use PlaceReason::{Implements, Overridden, Overrides};
        matches!(self, Implements | Overrides | Overridden)
    }

    /// Returns whether the place is also, or only, a place of another definition, which has uses of its own.
    pub fn is_of_other(self) -> bool {
        use PlaceReason::{ResolvedToSeveral, SharesUse};
        self.is_definition() || matches!(self, ResolvedToSeveral | SharesUse)
    }
}

/// The most places for which a refused rename suggests edits.
const PLACES_EDITED: usize = 20;

/// A rename that leaves uses of the old name unchanged.
pub struct IncompleteRename<'n> {
    /// The old and the new name.
    pub names: (&'n str, &'n str),
    /// The gap in the server's knowledge.
    pub why: Option<String>,
    /// Whether the server is still reading files.
    pub is_indexing: bool,
    /// The number of places that the rename changes, with the added ones.
    pub changed: usize,
    /// The number of places that treegraft added to the server's.
    pub added: usize,
    /// The edits of the places that a rename with `complete` leaves, if it can be made and each place can be edited alone.
    pub rest: Option<Vec<PlaceEdit>>,
}

/// Explains a rename that leaves uses of the old name unchanged, at `places`.
pub fn about_incomplete_rename(rename: IncompleteRename<'_>, places: Places) -> Diagnostic {
    let (old, new) = rename.names;
    let unknown = rename.why.map(|why| format!("{why}; ")).unwrap_or_default();
    let left = match places.total {
        0 => "may leave others unchanged".to_string(),
        total => format!("leaves {} unchanged", counted(total, "possible use")),
    };
    let added = match rename.added {
        0 => String::new(),
        added => format!(", {added} of them added to the server's,"),
    };
    let message = format!(
        "{unknown}renaming {} to {} changes {}{added} and {left}",
        quoted(old),
        quoted(new),
        counted(rename.changed, "place"),
    );
    let mut diagnostic = Diagnostic::new(Code::IncompleteRename, message);
    let total = places.total;
    let help = match rename.rest {
        _ if rename.is_indexing => {
            "try again later; without complete, «allow: [\"incomplete\"]» renames what the server knows"
        }
        Some(edits) if edits.is_empty() => {
            let selects = format!("{} more", counted(total, "place"));
            diagnostic.suggestions = vec![Suggestion::new(NextCall::Complete, selects)];
            ""
        }
        Some(edits) if edits.len() <= PLACES_EDITED => {
            let rest = edits.len();
            let all = counted(rename.changed + total - rest, "place");
            let edits = NextCall::EditPlaces(edits);
            diagnostic.suggestions = vec![
                Suggestion::new(
                    NextCall::CompleteInPart,
                    format!("{all}, and leaves {rest}"),
                ),
                Suggestion::new(
                    edits,
                    format!("the {} that it leaves", counted(rest, "place")),
                ),
            ];
            "apply the rename, then send the edits of those places that are uses"
        }
        _ => {
            "pass «allow: [\"incomplete\"]» to rename the other places, then change the uses among the places \
             listed here with «rename_symbol» or «edit_nodes»"
        }
    };
    diagnostic.places = Some(Box::new(places));
    match help {
        "" => diagnostic,
        help => diagnostic.help(help),
    }
}

/// Explains a rename to a name that is already used in a scope that it changes.
pub fn about_name_clash((old, new): (&str, &str), places: Places) -> Diagnostic {
    let message = format!(
        "renaming {} to {} clashes with {} of that name",
        quoted(old),
        quoted(new),
        counted(places.total, "use"),
    );
    Diagnostic {
        places: Some(Box::new(places)),
        ..Diagnostic::new(Code::ChangesSurroundings, message)
    }
    .help("choose another new_name, or pass «allow: [\"surroundings\"]» if none of these places is in the same scope")
}

/// Returns the note for a name clash that the request allows.
pub fn name_clash_text(new: &str, places: &Places) -> Option<String> {
    let places = first_places(places)?;
    Some(format!(
        "allowed: {} is already used: {places}",
        quoted(new)
    ))
}

/// Returns the note for uses of the old name that a rename leaves unchanged, as the request allows.
pub fn unchanged_uses_text(old: &str, places: &Places) -> Option<String> {
    let places = first_places(places)?;
    Some(format!(
        "allowed: possible uses of {} are left unchanged: {places}",
        quoted(old)
    ))
}

/// Returns the note for places that are added to a server's rename, for one reason.
pub fn added_uses_text(reason: &str, places: &Places) -> String {
    let first = places.listed.iter().take(PLACES_ADDED);
    let first = first.map(|one| format!("`{}` {}:{}", one.file, one.line, one.column));
    let places = with_more(first.collect(), places.total).unwrap_or_default();
    format!("added to the server's rename ({reason}): {places}")
}

/// Returns the note for unresolved identifiers with the old name, in files that do not seem to use the renamed symbol.
pub fn unrelated_uses_text(old: &str, lines: &[(String, usize)]) -> Option<String> {
    let lines = first_lines(lines, PLACES_NAMED)?;
    Some(format!(
        "unresolved {} is left unchanged in files that seem unrelated: {lines}",
        quoted(old)
    ))
}

/// Returns the note for comments and strings that contain the old name.
pub fn mentions_text(old: &str, lines: &[(String, usize)]) -> Option<String> {
    let first = first_lines(lines, MENTIONS_NAMED)?;
    let contain = if lines.len() == 1 {
        "contains"
    } else {
        "contain"
    };
    Some(format!(
        "{} of comments or strings still {contain} {}: {first}",
        counted(lines.len(), "line"),
        quoted(old)
    ))
}

/// Returns the note for files that could not be searched for the old name.
pub fn unsearched_text(old: &str, count: usize, first: &str) -> String {
    let files = counted(count, "file");
    format!(
        "{files} could not be searched for {}, starting with `{first}`",
        quoted(old)
    )
}

/// Returns the note for a workspace with more files than are searched for the old name.
pub fn cut_search_text(old: &str, searched: usize) -> String {
    format!(
        "only the first {searched} files were searched for {}",
        quoted(old)
    )
}

/// The maximum number of places in a note.
const PLACES_NAMED: usize = 3;
/// The maximum number of lines of comments and strings in a note.
const MENTIONS_NAMED: usize = 10;
/// The maximum number of added places in a note.
const PLACES_ADDED: usize = 20;

fn first_places(places: &Places) -> Option<String> {
    let first = places.listed.iter().take(PLACES_NAMED);
    let first = first.map(|one| format!("`{}` {}:{}", one.file, one.line, one.column));
    with_more(first.collect(), places.total)
}

fn first_lines(lines: &[(String, usize)], most: usize) -> Option<String> {
    let first = lines.iter().take(most);
    let first = first.map(|(path, line)| format!("`{path}` line {line}"));
    with_more(first.collect(), lines.len())
}

/// Lists some places and the number of further ones. Returns `None` if there are none.
fn with_more(mut places: Vec<String>, total: usize) -> Option<String> {
    let more = total - places.len();
    places.extend((more > 0).then(|| format!("{more} more")));
    (!places.is_empty()).then(|| listed(&places))
}

/// Explains why a language server gave no answer for a file of `language`.
pub fn about_server(language: &str, error: &ServerError) -> Diagnostic {
    let server = match error.command.join(" ") {
        command if command.is_empty() => format!("the {language} language server"),
        command => format!("`{command}`"),
    };
    let message = match &error.situation {
        Situation::NotInstalled { why } => format!("no language server for {language}: {why}"),
        Situation::SpawnFailed { source_text } => {
            format!("{server} cannot be started: {source_text}")
        }
        Situation::HandshakeFailed { why } => format!("{server} failed to initialize: {why}"),
        Situation::Timeout {
            method,
            waited,
            unreadable,
        } => {
            let unreadable = unreadable.as_ref();
            let sent = unreadable.map(|why| format!("; it sent an unreadable message: {why}"));
            format!(
                "{server} did not answer {method} within {} ms{}",
                waited.as_millis(),
                sent.unwrap_or_default()
            )
        }
        Situation::Crashed { how, .. } => format!("{server} exited: {how}"),
        Situation::Malformed { method, why } => {
            format!("cannot read the answer of {server} to {method}: {why}")
        }
        Situation::NotReady {
            completeness,
            waited,
        } => {
            let waited = waited.as_millis();
            format!("{server} is not ready after {waited} ms: {completeness}")
        }
        Situation::Refused {
            method, message, ..
        } => format!("{server} refused {method}: {message}"),
    };
    Diagnostic {
        help: server_help(language, &error.situation),
        excerpt: last_output(error),
        ..Diagnostic::new(server_code(&error.situation), message)
    }
}

fn server_code(situation: &Situation) -> Code {
    match situation {
        Situation::NotInstalled { .. } => Code::ServerNotInstalled,
        Situation::SpawnFailed { .. } => Code::SpawnFailed,
        Situation::HandshakeFailed { .. } => Code::HandshakeFailed,
        Situation::Timeout { .. } => Code::RequestTimeout,
        Situation::Crashed { .. } => Code::ServerCrashed,
        Situation::NotReady { .. } => Code::NotReady,
        // A refused rename is about the place: the name there cannot be changed.
        Situation::Refused { method, .. } if RENAME_METHODS.contains(&method.as_str()) => {
            Code::NotEditable
        }
        Situation::Malformed { .. } | Situation::Refused { .. } => Code::MalformedAnswer,
    }
}

fn server_help(language: &str, situation: &Situation) -> Option<String> {
    let help = match situation {
        Situation::NotInstalled { why } => match why {
            Missing::NoServer => {
                "outline, «find_nodes» and all edits work without a language server"
            }
            Missing::Disabled => {
                return Some(format!(
                    "set enabled = true in [servers.{language}] of the user's configuration"
                ));
            }
            Missing::NotBuiltIn { built_in, .. } => {
                return Some(format!(
                    "choose {} in [servers] of treegraft.toml; or set command in [servers.{language}] of the user's \
                     configuration",
                    built_in.join(" or ")
                ));
            }
            Missing::NotOnPath { install, .. } if install.is_empty() => {
                return Some(format!(
                    "correct command in [servers.{language}] of the user's configuration"
                ));
            }
            Missing::NotStartedByLauncher { install, .. } => {
                return Some(format!("run `{install}` in the directory of the project"));
            }
            Missing::NotOnPath { install, .. } => {
                return Some(format!(
                    "{install}; or set command in [servers.{language}] of the user's configuration"
                ));
            }
        },
        Situation::Timeout { .. } => {
            return Some(format!(
                "retry, the server may have been busy; or raise cold_seconds and warm_seconds in \
                 [servers.{language}] of the user's configuration"
            ));
        }
        Situation::Crashed { retry_in, .. } => match retry_in {
            Some(pause) => {
                return Some(format!(
                    "retry in {} ms to restart the server",
                    pause.as_millis()
                ));
            }
            None => "retry: the next request restarts the server",
        },
        Situation::NotReady { .. } => "an answer now would be incomplete; retry later",
        Situation::SpawnFailed { .. }
        | Situation::HandshakeFailed { .. }
        | Situation::Malformed { .. }
        | Situation::Refused { .. } => return None,
    };
    Some(help.to_string())
}

/// Returns the end of a server's standard error. It explains why the server ended, but not its answers.
fn last_output(error: &ServerError) -> Option<String> {
    let tail = match error.situation {
        Situation::HandshakeFailed { .. } | Situation::Crashed { .. } => error.tail.trim_end(),
        _ => "",
    };
    let last: Vec<&str> = tail.lines().rev().take(TAIL_LINES).collect();
    let last: Vec<String> = last.iter().rev().map(|line| cut(line)).collect();
    (!tail.is_empty()).then(|| format!("last output of the server:\n{}", last.join("\n")))
}

/// Explains that the server of a language does not support a request. `question` names the request.
pub fn about_no_answers(language: &str, server: &str, question: &str) -> Diagnostic {
    Diagnostic::new(
        Code::ServerNotInstalled,
        format!("`{server}`, the {language} language server, does not support {question}"),
    )
}

/// Explains that the server has no answer.
pub fn about_nothing_known(what: &str, symbol: &str) -> Diagnostic {
    let message = format!("the language server found no {what} of {}", quoted(symbol));
    let diagnostic = Diagnostic::new(Code::SymbolNotFound, message);
    // A symbol may well have no subtypes.
    match ["definition", "use", "description"].contains(&what) {
        true => diagnostic.help("put <|> directly before the intended name in the locator"),
        false => diagnostic,
    }
}

/// Explains that a line does not contain the symbol. `lines` are the lines of the file that contain it, from 1.
pub fn about_no_name(symbol: &str, line: usize, text: &str, lines: &[usize]) -> Diagnostic {
    const SHOWN: usize = 5;
    let text = cut(text.trim());
    let message = format!("{} is not on line {line}: {text}", quoted(symbol));
    let diagnostic = Diagnostic::new(Code::SymbolNotFound, message);
    let shown: Vec<String> = lines.iter().take(SHOWN).map(usize::to_string).collect();
    let more = lines.len() - shown.len();
    match (shown.as_slice(), more) {
        ([], _) => diagnostic.help("the file does not contain it; «find_nodes» searches all files"),
        ([one], 0) => diagnostic.help(format!("it is on line {one}")),
        (_, 0) => diagnostic.help(format!("it is on lines {}", shown.join(", "))),
        _ => diagnostic.help(format!(
            "it is on lines {} and {more} more",
            shown.join(", ")
        )),
    }
}

/// Explains why a server's edit was not made. Nothing was changed.
pub fn about_server_edit(server: &str, why: &str) -> Diagnostic {
    let message = format!("the edit of `{server}` cannot be applied: {why}");
    Diagnostic::new(Code::MalformedAnswer, message)
}

/// Explains that a file changed between the request and the answer, so that the positions in the answer are wrong.
pub fn about_changed_meanwhile(path: &str) -> Diagnostic {
    let message = format!("`{path}` changed during the request to the language server");
    Diagnostic::new(Code::StaleEdit, message).help("nothing was changed; retry the call")
}

/// Explains why a server's edit fails the checks. Nothing was changed.
pub fn about_rejected_server_edit(server: &str, rejected: &Rejected<'_>) -> Diagnostic {
    let source = rejected.change().after().source();
    let before = rejected.change().before().source();
    let path = before.path();
    let diagnostic = match rejected.failure() {
        Failure::Syntax(problems) => {
            let message = format!("the edit of `{server}` would break the syntax of `{path}`");
            let problem = problems.first();
            Diagnostic {
                excerpt: problem
                    .map(|problem| excerpt(source, short(source, problem.span), "here", AROUND)),
                ..Diagnostic::new(Code::BreaksSyntax, message)
            }
        }
        _ => about_server_edit(
            server,
            &format!("it would change the structure of `{path}` outside the edited text"),
        ),
    };
    Diagnostic {
        diff: Some(crate::preview::diff(before, rejected.change().text_edit())),
        ..diagnostic
    }
}

/// Explains that no action or several actions have the title. `titles` are the available titles.
pub fn about_no_action(title: &str, titles: &[&str]) -> Diagnostic {
    const SHOWN: usize = 10;
    let count = titles.iter().filter(|one| **one == title).count();
    let diagnostic = match count {
        0 => about_arguments(format!("no action here has the title {}", quoted(title))),
        _ => about_arguments(format!("{count} actions have the title {}", quoted(title))),
    };
    let shown: Vec<String> = titles.iter().take(SHOWN).map(|one| quoted(one)).collect();
    match shown.is_empty() {
        true => diagnostic.help("the server suggests no actions here"),
        false => diagnostic.help(format!("available actions: {}", shown.join(", "))),
    }
}

/// Explains that a server suggests no change.
pub fn about_no_server_edit(server: &str, what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::NoChange,
        format!("`{server}` suggested no change: {what}"),
    )
}
