//! The rooms' typed errors to words; the only place where refusals are written.
//!
//! Lower case, no full stop, no advice that is true of every failure.

use std::time::Duration;

use crate::change::{Change, EditNote};
use crate::edit::{EditError, Operation};
use crate::locate::{
    ELIDED, FindError, LocateError, LocateSyntaxError, Question, Scope, ScopeError, around_marker,
    bounded_readings,
};
use crate::lsp::{Missing, ServerError, Situation};
use crate::parse::Parsed;
use crate::select::{Anchor, Candidate, Occurrence, SelectError, Selection, Selector, discover};
use crate::source::{NotText, Source, Span};
use crate::validate::{Failure, LostSymbol, NewProblem, Note, Rejected, Suspicion, missing_signs};
use crate::workspace::{FileError, NotRead, StateError};

use super::render::excerpt;
use super::suggest;
use super::{
    CANDIDATES_SHOWN, CandidateView, Code, Diagnostic, Places, Sought, ancestors, cut, first_line,
};

/// Lines of context above and below a place.
const AROUND: usize = 1;
/// How many lines of what a server complained of are shown.
const TAIL_LINES: usize = 5;
/// What to do where a find with `<..>` ends in what does not follow its beginning.
const END_IS_ELSEWHERE: &str = "what stands behind `<..>` must follow where each bracket that was \
                                opened in between is closed, in the same symbol or lines if there \
                                is a scope";
/// What to do where an anchor is like nothing in its file.
const NOTHING_LIKE_IT: &str = "no line of the file is like it; read the file again";

/// What a selector is used for.
#[derive(Clone, Copy, Debug)]
pub enum Pointing<'a> {
    /// This is to be done with a node.
    Edit(&'a Operation),
    /// A node is to be read.
    Read,
}

/// Why a selector was refused.
pub fn about_select(
    parsed: &Parsed,
    selector: &Selector,
    error: &SelectError<'_>,
    pointing: Pointing<'_>,
) -> Diagnostic {
    let anchor = anchor_text(&selector.anchor);
    let place = place_text(selector.scope.as_ref());
    let types = types_text(&selector.ancestor_node_type);
    let meant = match selector.ancestor_node_type.is_empty() {
        true => anchor.clone(),
        false => format!("{anchor} with ancestor_node_type {types}"),
    };
    let mut diagnostic = match error {
        SelectError::Scope(error) => about_scope(parsed, error),
        SelectError::BlankAnchor => Diagnostic::new(
            Code::InvalidArguments,
            format!("{anchor} holds nothing but white space"),
        )
        .help(match selector.anchor {
            Anchor::Part(_) => "give some text to replace",
            _ => "give some text of the target as anchor_text",
        }),
        SelectError::AnchorNotFound => {
            Diagnostic::new(Code::AnchorNotFound, format!("{anchor} not found {place}"))
        }
        SelectError::Find(error) => {
            let diagnostic = find_not_found(parsed, &anchor, &place, error);
            match &selector.anchor {
                Anchor::Part(find) if around_marker(find).is_some() => {
                    diagnostic.help("one marker is a point: two equal ones bound what is replaced")
                }
                _ => diagnostic,
            }
        }
        SelectError::SplitsWord { matches } => Diagnostic {
            excerpt: matches.first().map(|(span, words)| {
                let whole = format!("the word is {}", quoted(&parsed.source().slice(*words)));
                excerpt(parsed.source(), *span, &whole, AROUND)
            }),
            ..Diagnostic::new(
                Code::SplitsWord,
                format!("{anchor} only matches inside a longer word {place}"),
            )
        },
        SelectError::UnknownNodeType { name } => {
            let message = format!(
                "ancestor_node_type {} is neither a node type of {} nor a general word",
                quoted(name),
                parsed.source().language().name
            );
            let occurrences = discover(parsed, selector).unwrap_or_default();
            with_occurrences(
                parsed,
                Diagnostic::new(Code::UnknownNodeType, message),
                &occurrences,
            )
        }
        SelectError::AncestorRequired { occurrences } => {
            let times = times(occurrences.len());
            let message = match pointing {
                Pointing::Edit(_) => {
                    format!("{anchor} appears {times}; ancestor_node_type is required to edit")
                }
                Pointing::Read => {
                    format!("{anchor} appears {times}; ancestor_node_type says which node is meant")
                }
            };
            with_occurrences(
                parsed,
                Diagnostic::new(Code::AncestorRequired, message),
                occurrences,
            )
        }
        SelectError::AncestorNotFound { occurrences } => {
            let message = match occurrences.len() {
                1 => format!(
                    "no ancestor of type {types} found above anchor {}",
                    quoted(selector.anchor.as_str())
                ),
                count => format!(
                    "{anchor} appears {count} times {place} but none of them match ancestor {types}"
                ),
            };
            let mut diagnostic = Diagnostic::new(Code::AncestorNotFound, message);
            diagnostic.help = parsed.read_as_text();
            with_occurrences(parsed, diagnostic, occurrences)
        }
        SelectError::Ambiguous { candidates } => with_candidates(
            parsed,
            Diagnostic::new(
                Code::AmbiguousTarget,
                format!("{meant} matches {}", found_text(selector, candidates.len())),
            ),
            candidates,
        ),
        SelectError::MatchCount {
            expected,
            candidates,
        } => with_candidates(
            parsed,
            Diagnostic::new(
                Code::MatchCountMismatch,
                format!(
                    "expect_matches is {expected} but {meant} matches {}",
                    found_text(selector, candidates.len())
                ),
            ),
            candidates,
        )
        .help(format!(
            "expect_matches: {} edits all of them; a scope or a longer text leaves some out",
            candidates.len()
        )),
        SelectError::TooCommon { at_least } => Diagnostic::new(
            Code::AmbiguousTarget,
            format!(
                "{anchor} appears at least {at_least} times {place}, too often to look at each"
            ),
        )
        .help(match &selector.anchor {
            Anchor::Text(_) => "give a longer anchor_text, or a scope",
            Anchor::Find(_) | Anchor::Part(_) => "give a longer find, or a scope",
        }),
        SelectError::NthOutOfRange { nth, candidates } => with_candidates(
            parsed,
            Diagnostic::new(
                Code::NthOutOfRange,
                format!(
                    "nth is {nth} but {meant} matches {}",
                    found_text(selector, candidates.len())
                ),
            ),
            candidates,
        ),
        SelectError::OutwardOutOfRange { outward, above } => Diagnostic::new(
            Code::NthOutOfRange,
            format!(
                "outward is {outward} but further out there are only {} of type {types}",
                above.len()
            ),
        ),
        SelectError::SiblingOutOfRange {
            sibling,
            before,
            after,
        } => Diagnostic::new(
            Code::NthOutOfRange,
            format!(
                "sibling is {sibling} but the node has {before} named siblings before it and {after} after it"
            ),
        ),
    };
    diagnostic.suggestions = suggest::for_selector(parsed, selector, error, pointing);
    if let SelectError::Ambiguous { candidates } = error
        && candidates.len() > diagnostic.suggestions.len()
    {
        diagnostic.help = Some("nth picks a node by its number".to_string());
    }
    if diagnostic.suggestions.is_empty()
        && matches!(error, SelectError::AnchorNotFound | SelectError::Find(_))
        && diagnostic.help.is_none()
    {
        diagnostic.help = Some(match (&selector.anchor, error) {
            (Anchor::Part(find), SelectError::Find(error)) if has_no_end(find, error) => {
                END_IS_ELSEWHERE.to_string()
            }
            _ => NOTHING_LIKE_IT.to_string(),
        });
    }
    if matches!(error, SelectError::AnchorNotFound | SelectError::Find(_)) {
        diagnostic.sought = sought(parsed, selector.anchor.as_str());
    }
    diagnostic
}

/// What to look for in other files: the text without markers, if this one does not hold it.
fn sought(parsed: &Parsed, find: &str) -> Option<Box<Sought>> {
    let text = match around_marker(find) {
        Some((before, behind)) => [before, behind].concat(),
        None => bounded_readings(find).swap_remove(0).text,
    };
    let text = text.trim();
    let is_here = parsed.source().text().contains(text);
    (!is_here && !text.contains(ELIDED)).then(|| {
        Box::new(Sought {
            file_path: parsed.source().path().to_string(),
            text: text.to_string(),
        })
    })
}

/// The same, with the other files that hold what was sought: each with a line, and whether there are
/// more of them.
pub fn with_other_files(
    diagnostic: Diagnostic,
    files: &[(String, usize)],
    has_more: bool,
) -> Diagnostic {
    let Some(places) = places_text(files, has_more) else {
        return diagnostic;
    };
    let other = diagnostic.help.as_deref();
    let other = other.filter(|help| *help != NOTHING_LIKE_IT);
    let before = other.map_or(String::new(), |help| format!("{help}; "));
    let help = format!("{before}the same text stands in {places}");
    diagnostic.help(help)
}

/// Files, each with a line, in words; nothing of none.
fn places_text(files: &[(String, usize)], has_more: bool) -> Option<String> {
    let places: Vec<String> = files
        .iter()
        .map(|(path, line)| format!("`{path}` at line {line}"))
        .collect();
    let (last, others) = places.split_last()?;
    Some(match others {
        _ if has_more => format!("{}, and in more files", places.join(", ")),
        [] => last.clone(),
        others => format!("{} and {last}", others.join(", ")),
    })
}

/// Files that hold a name which a server did not list there: it may be another one of that name.
pub fn namesakes_text(name: &str, files: &[(String, usize)], has_more: bool) -> Option<String> {
    let places = places_text(files, has_more)?;
    Some(format!(
        "{} also stands in {places}, which the server does not name",
        quoted(name)
    ))
}

/// Why a rename is refused because of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceReason {
    /// The server lists it among the references.
    Listed,
    /// The server resolves it to the renamed symbol.
    Resolved,
    /// It is a definition that implements the renamed one.
    Implements,
    /// It defines the renamed member again in a subtype.
    Overrides,
    /// It defines in a supertype what the renamed member defines again.
    Overridden,
    /// The server does not resolve it.
    Unresolved,
    /// There was no time left to look it up.
    NotLookedUp,
    /// The new name is already a name there.
    NameTaken,
}

impl PlaceReason {
    /// The reason in words.
    pub fn text(self) -> &'static str {
        match self {
            PlaceReason::Listed => "listed as a reference",
            PlaceReason::Resolved => "resolves to the renamed symbol",
            PlaceReason::Implements => "implements the renamed symbol",
            PlaceReason::Overrides => "overrides the renamed symbol",
            PlaceReason::Overridden => "overridden by the renamed symbol",
            PlaceReason::Unresolved => "not resolved by the server",
            PlaceReason::NotLookedUp => "not looked up, there are too many",
            PlaceReason::NameTaken => "already uses the new name",
        }
    }

    /// Whether the server knows that it is a use of the renamed symbol.
    pub fn is_known(self) -> bool {
        matches!(self, PlaceReason::Listed | PlaceReason::Resolved)
    }
}

/// A rename that leaves uses of the old name unchanged, at `places`. `why` is what the server does not know,
/// `changed` how many places the rename changes.
pub fn about_incomplete_rename(
    (old, new): (&str, &str),
    why: Option<&str>,
    changed: usize,
    places: Places,
) -> Diagnostic {
    let unknown = why.map(|why| format!("{why}; ")).unwrap_or_default();
    let left = match places.total {
        0 => "may leave others unchanged".to_string(),
        total => format!("leaves {} unchanged", counted(total, "possible use")),
    };
    let message = format!(
        "{unknown}renaming {} to {} changes {} and {left}",
        quoted(old),
        quoted(new),
        counted(changed, "place"),
    );
    let help = match places.total {
        0 => "try again later, or pass allow: [\"incomplete\"] to rename what the server knows",
        _ => {
            "pass allow: [\"incomplete\"] to rename the other places, then change those listed here that are \
             uses of it with edit_nodes"
        }
    };
    Diagnostic {
        places: Some(Box::new(places)),
        ..Diagnostic::new(Code::IncompleteRename, message)
    }
    .help(help)
}

/// A rename to a name that is already used in a scope that it changes.
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
    .help("choose another new_name, or pass allow: [\"surroundings\"] if none of these places is in the same scope")
}

/// The same as a note, where the request allows it.
pub fn name_clash_text(new: &str, places: &Places) -> Option<String> {
    let places = first_places(places)?;
    Some(format!(
        "allowed: {} is already used: {places}",
        quoted(new)
    ))
}

/// Uses of the old name that a rename leaves unchanged, where the request allows it.
pub fn unchanged_uses_text(old: &str, places: &Places) -> Option<String> {
    let places = first_places(places)?;
    Some(format!(
        "allowed: possible uses of {} stay: {places}",
        quoted(old)
    ))
}

/// Lines with identifiers of the old name that the server does not resolve, in files that do not seem to use
/// the renamed symbol.
pub fn unrelated_uses_text(old: &str, lines: &[(String, usize)]) -> Option<String> {
    let lines = first_lines(lines)?;
    Some(format!(
        "{} stays where the server does not resolve it, in files that name nothing of the changed ones: {lines}",
        quoted(old)
    ))
}

/// Lines of comments and strings that hold the old name.
pub fn mentions_text(old: &str, lines: &[(String, usize)]) -> Option<String> {
    let lines = first_lines(lines)?;
    Some(format!(
        "comments or strings still hold {}: {lines}",
        quoted(old)
    ))
}

/// Files that a rename could not be checked against.
pub fn unsearched_text(old: &str, count: usize, first: &str) -> String {
    let files = counted(count, "file");
    format!(
        "{files} could not be searched for {}, the first is `{first}`",
        quoted(old)
    )
}

/// A workspace of more files than a rename is checked against.
pub fn cut_search_text(old: &str, searched: usize) -> String {
    format!(
        "only the first {searched} files were searched for {}",
        quoted(old)
    )
}

/// How many places a note names.
const PLACES_NAMED: usize = 3;

fn first_places(places: &Places) -> Option<String> {
    let first = places.listed.iter().take(PLACES_NAMED);
    let first = first.map(|one| format!("`{}` {}:{}", one.file, one.line, one.column));
    with_more(first.collect(), places.total)
}

fn first_lines(lines: &[(String, usize)]) -> Option<String> {
    let first = lines.iter().take(PLACES_NAMED);
    let first = first.map(|(path, line)| format!("`{path}` line {line}"));
    with_more(first.collect(), lines.len())
}

/// Some places, and how many more there are; nothing of none.
fn with_more(mut places: Vec<String>, total: usize) -> Option<String> {
    let more = total - places.len();
    places.extend((more > 0).then(|| format!("{more} more")));
    (!places.is_empty()).then(|| listed(&places))
}

/// Why a locate was refused.
pub fn about_locate(parsed: &Parsed, question: &Question, error: &LocateError) -> Diagnostic {
    let locate = &question.locate;
    let place = place_text(locate.scope.as_ref());
    let mut diagnostic = match error {
        LocateError::NothingAsked => Diagnostic::new(
            Code::InvalidLocate,
            "a locate needs a scope, a find, or both",
        ),
        LocateError::Scope(error) => about_scope(parsed, error),
        LocateError::Find(error) => {
            let find = locate.find.as_deref().unwrap_or_default();
            Diagnostic {
                sought: sought(parsed, find),
                ..find_not_found(parsed, &format!("find {}", quoted(find)), &place, error)
            }
        }
        LocateError::IndexOutOfRange {
            find_index,
            matches,
        } => Diagnostic::new(
            Code::NthOutOfRange,
            format!(
                "find_index is {find_index} but there {}",
                match matches {
                    1 => "is 1 match".to_string(),
                    several => format!("are {several} matches"),
                }
            ),
        ),
    };
    diagnostic.suggestions = suggest::for_locate(parsed, locate, error);
    diagnostic
}

/// The text has no such line (from 1), or its line no such character.
pub fn about_no_place(source: &Source, line: usize, character: Option<usize>) -> Diagnostic {
    let lines = counted(source.line_count(), "line");
    let Some(own) = source.line_span(line) else {
        return Diagnostic::new(
            Code::LineOutOfRange,
            format!("line {line} is past the end: the file has {lines}"),
        );
    };
    let characters = counted(source.slice(own).chars().count(), "character");
    let character = character.unwrap_or(1);
    Diagnostic::new(
        Code::LineOutOfRange,
        format!("character {character} is past the end of line {line}, which has {characters}"),
    )
    .help("characters are code points and count from 1; a line without one is read too")
}

/// Why a string is no locate.
pub fn about_locate_syntax(error: &LocateSyntaxError) -> Diagnostic {
    let code = match error {
        LocateSyntaxError::InvalidScope { .. } => Code::InvalidScope,
        _ => Code::InvalidLocate,
    };
    Diagnostic::new(code, error.to_string()).help(
        "write it as path:scope@find, for example `src/main.rs:Server.handle@return <|>result`",
    )
}

/// Why a language server gave no answer, for a file of `language`.
pub fn about_server(language: &str, error: &ServerError) -> Diagnostic {
    let ServerError {
        command,
        tail,
        situation,
        ..
    } = error;
    let server = match command.join(" ") {
        command if command.is_empty() => format!("the language server of {language}"),
        command => format!("`{command}`"),
    };
    let milliseconds = |waited: &Duration| waited.as_millis();
    let (code, message, help) = match situation {
        Situation::NotInstalled { why } => {
            let help = match why {
                Missing::NoServer => {
                    "outline, find_nodes and all edits work without; [servers] in the user's \
                     configuration adds one"
                        .to_string()
                }
                Missing::Disabled => {
                    format!("`enabled` of [servers.{language}] in the user's configuration says so")
                }
                Missing::NotOnPath { install, .. } => {
                    format!(
                        "{install}; or name one by `command` of [servers.{language}] in the user's configuration"
                    )
                }
            };
            let message = format!("no language server of {language}: {why}");
            (Code::ServerNotInstalled, message, Some(help))
        }
        Situation::SpawnFailed { source_text } => {
            let message = format!("{server} cannot be started: {source_text}");
            (Code::SpawnFailed, message, None)
        }
        Situation::HandshakeFailed { why } => {
            let message = format!("{server} does not take up its work: {why}");
            (Code::HandshakeFailed, message, None)
        }
        Situation::Timeout {
            method,
            waited,
            unreadable,
        } => {
            let waited = milliseconds(waited);
            let mut message = format!("{server} has not answered {method} in {waited} ms");
            if let Some(unreadable) = unreadable {
                message = format!("{message}; it sent what cannot be read: {unreadable}");
            }
            let help = "ask again: it may have been busy; cold_seconds and warm_seconds of [servers] \
                        give it longer";
            (Code::RequestTimeout, message, Some(help.to_string()))
        }
        Situation::Crashed { how, retry_in } => {
            let help = match retry_in {
                Some(pause) => format!("it is started again in {} ms", milliseconds(pause)),
                None => "ask again: the next question starts it anew".to_string(),
            };
            (
                Code::ServerCrashed,
                format!("{server} has ended: {how}"),
                Some(help),
            )
        }
        Situation::Malformed { method, why } => {
            let message = format!("what {server} answers to {method} cannot be read: {why}");
            (Code::MalformedAnswer, message, None)
        }
        Situation::NotReady {
            completeness,
            waited,
        } => {
            let waited = milliseconds(waited);
            let message = format!("{server} is not ready after {waited} ms: {completeness}");
            let help = "ask again in a while; an answer now would be a part of the truth";
            (Code::NotReady, message, Some(help.to_string()))
        }
        Situation::Refused {
            method, message, ..
        } => {
            // Of what is renamed it is the place that does not do.
            let code = match method.to_lowercase().contains("rename") {
                true => Code::NotEditable,
                false => Code::MalformedAnswer,
            };
            (code, format!("{server} refuses {method}: {message}"), None)
        }
    };
    // What it complains of says why it ended, not why it answers what it answers.
    let tail = match situation {
        Situation::HandshakeFailed { .. } | Situation::Crashed { .. } => tail.trim_end(),
        _ => "",
    };
    Diagnostic {
        help,
        excerpt: (!tail.is_empty()).then(|| {
            let last: Vec<&str> = tail.lines().rev().take(TAIL_LINES).collect();
            let last: Vec<String> = last.iter().rev().map(|line| cut(line)).collect();
            format!("the last it wrote:\n{}", last.join("\n"))
        }),
        ..Diagnostic::new(code, message)
    }
}

/// A question that the server of the language does not take; `question` says what is asked for.
pub fn about_no_answers(language: &str, server: &str, question: &str) -> Diagnostic {
    Diagnostic::new(
        Code::ServerNotInstalled,
        format!("`{server}`, the language server of {language}, has no {question}"),
    )
}

/// A question to which the server knows no answer.
pub fn about_nothing_known(what: &str, symbol: &str) -> Diagnostic {
    let message = format!("the language server knows no {what} of {}", quoted(symbol));
    let diagnostic = Diagnostic::new(Code::SymbolNotFound, message);
    // That there are no subtypes may well be so.
    match ["definition", "use", "description"].contains(&what) {
        true => diagnostic.help("is it the name that is meant? a locate points with <|> before it"),
        false => diagnostic,
    }
}

/// A line that does not hold the name that is asked for; `lines` of the file, from 1, do.
pub fn about_no_name(symbol: &str, line: usize, text: &str, lines: &[usize]) -> Diagnostic {
    const SHOWN: usize = 5;
    let text = cut(text.trim());
    let message = format!("{} is not on line {line}: {text}", quoted(symbol));
    let diagnostic = Diagnostic::new(Code::SymbolNotFound, message);
    let shown: Vec<String> = lines.iter().take(SHOWN).map(usize::to_string).collect();
    let more = lines.len() - shown.len();
    match (shown.as_slice(), more) {
        ([], _) => {
            diagnostic.help("the file does not hold it; find_nodes looks for it in all files")
        }
        ([one], 0) => diagnostic.help(format!("it is on line {one}")),
        (_, 0) => diagnostic.help(format!("it is on lines {}", shown.join(", "))),
        _ => diagnostic.help(format!(
            "it is on lines {} and {more} more",
            shown.join(", ")
        )),
    }
}

/// Edits of a server's that are not carried out: nothing was changed.
pub fn about_server_edit(server: &str, why: &str) -> Diagnostic {
    let message = format!("what `{server}` would change cannot be carried out: {why}");
    Diagnostic::new(Code::MalformedAnswer, message)
}

/// A file that changed between the question and the answer, whose places are not those of now.
pub fn about_changed_meanwhile(path: &str) -> Diagnostic {
    let message = format!("`{path}` changed while the language server was asked");
    Diagnostic::new(Code::StaleEdit, message).help("nothing was changed; make the same call again")
}

/// A change of a server's that does not pass the checks: nothing was changed.
pub fn about_rejected_server_edit(server: &str, rejected: &Rejected<'_>) -> Diagnostic {
    let source = rejected.change().after().source();
    let before = rejected.change().before().source();
    let path = before.path();
    let diagnostic = match rejected.failure() {
        Failure::Syntax(problems) => {
            let message = format!("what `{server}` would change breaks the syntax of `{path}`");
            let problem = problems.first();
            Diagnostic {
                excerpt: problem
                    .map(|problem| excerpt(source, short(source, problem.span), "here", AROUND)),
                ..Diagnostic::new(Code::BreaksSyntax, message)
            }
        }
        _ => about_server_edit(
            server,
            &format!("it would change more of `{path}` than it says"),
        ),
    };
    Diagnostic {
        diff: Some(crate::preview::diff(before, rejected.change().text_edit())),
        ..diagnostic
    }
}

/// A title that no action has, or several; `titles` are there.
pub fn about_no_action(title: &str, titles: &[&str]) -> Diagnostic {
    const SHOWN: usize = 10;
    let count = titles.iter().filter(|one| **one == title).count();
    let diagnostic = match count {
        0 => about_arguments(format!("no action here has the title {}", quoted(title))),
        _ => about_arguments(format!("{count} actions have the title {}", quoted(title))),
    };
    let shown: Vec<String> = titles.iter().take(SHOWN).map(|one| quoted(one)).collect();
    match shown.is_empty() {
        true => diagnostic.help("nothing is proposed here"),
        false => diagnostic.help(format!("there are {}", shown.join(", "))),
    }
}

/// An edit whose places a server chose.
pub fn about_not_retargeted(tool: &str) -> Diagnostic {
    about_arguments(format!("an edit of {tool} has no selector to change")).help(format!(
        "call {tool} with the other place; discard_edit forgets this one"
    ))
}

/// A server that would change nothing where a change was asked for.
pub fn about_no_server_edit(server: &str, what: &str) -> Diagnostic {
    Diagnostic::new(
        Code::NoChange,
        format!("`{server}` has nothing to change: {what}"),
    )
}

/// An edit that failed, and the way to try the same on another node.
pub struct Attempt<'a, 'p> {
    /// The node.
    pub selection: &'a Selection<'p>,
    /// What led to it.
    pub selector: &'a Selector,
    /// What was to be done with it.
    pub operation: &'a Operation,
    /// Returns whether the operation passes every check on another node, or `None` if it cannot be applied there.
    pub passes: &'a dyn Fn(Selection<'p>) -> Option<bool>,
}

/// Why an operation cannot be carried out on a node.
pub fn about_edit(attempt: &Attempt<'_, '_>, error: &EditError) -> Diagnostic {
    match error {
        EditError::Root => Diagnostic::new(
            Code::NotEditable,
            "the selected node is the root of the file, which is not editable as one node",
        )
        .help("select the nodes inside that are to change"),
        EditError::ErrorNode => Diagnostic::new(
            Code::NotEditable,
            "the selected node is an ERROR node: the parser could not make sense of this text",
        )
        .help("select a node around it"),
        EditError::NoText => Diagnostic::new(Code::NotEditable, "the selected node holds no text"),
        EditError::BlankContent => match attempt.operation {
            Operation::Insert { .. } => Diagnostic::new(
                Code::InvalidContent,
                "new_content is blank; there is nothing to insert",
            ),
            _ => Diagnostic::new(
                Code::InvalidContent,
                "new_content is blank; a node is not replaced by nothing",
            )
            .help("delete_node takes a node out"),
        },
        EditError::ZeroByte { offset } => Diagnostic::new(
            Code::InvalidContent,
            format!(
                "new_content holds a zero byte at offset {offset}, which would make the file binary"
            ),
        ),
        EditError::NoInside { bodies } => no_inside(attempt, bodies),
        EditError::NoMarker => Diagnostic::new(
            Code::InvalidContent,
            "new_content does not say where the node goes: it holds the marker <|> there, once",
        )
        .help("for example `if ready {\n    <|>\n}`; where new_content has such text of its own, <<|>> is a marker too"),
        EditError::Unsettled => Diagnostic::new(
            Code::InvalidContent,
            "new_content parses differently each time it is laid out for its place",
        )
        .help("pass indent: \"verbatim\" with new_content as it is to stand in the file"),
        EditError::NoChange => Diagnostic::new(
            Code::NoChange,
            "the file already holds new_content at this place",
        ),
    }
}

/// Why a change was rejected, with the change.
pub fn about_rejected(attempt: &Attempt<'_, '_>, rejected: &Rejected<'_>) -> Diagnostic {
    let source = rejected.change().after().source();
    let before = rejected.change().before().source();
    let diff = crate::preview::diff(before, rejected.change().text_edit());
    let diagnostic = match rejected.failure() {
        Failure::Syntax(problems) => about_syntax(attempt, rejected, problems),
        Failure::Surroundings(disturbance) => {
            let what = match disturbance.lost.as_slice() {
                [] => format!(
                    "what stands beside it in the {} would be grouped differently",
                    disturbance.parent
                ),
                lost => format!(
                    "{} around it would go or move: {}",
                    counted(lost.len(), "symbol"),
                    lost_text(lost)
                ),
            };
            let selected = match rejected.change().selection().is_text() {
                true => "text",
                false => rejected.change().selection().node().kind(),
            };
            let label = "from here on it would be read differently";
            Diagnostic {
                excerpt: Some(excerpt(source, short(source, disturbance.span), label, AROUND)),
                ..Diagnostic::new(
                    Code::ChangesSurroundings,
                    format!("the edit would change more than the selected {selected}: {what}"),
                )
            }
            .help(match (attempt.operation, &disturbance.missing_marker) {
                (Operation::Delete, _) => "delete a node around it, or replace it, or pass allow: [\"surroundings\"]".to_string(),
                (_, Some(marker)) => format!("begin new_content with the marker that the {} needs, as here: {}", rejected.change().selection().node().kind(), quoted(marker)),
                _ if comment_behind(rejected) => "a comment already stands behind the node: leave it out of new_content".to_string(),
                _ => "check the brackets, quotes and operators at both ends of new_content, or pass allow: [\"surroundings\"]".to_string(),
            })
        }
        Failure::Content(suspicion) => about_suspicion(source, suspicion),
    };
    let depends_on_the_place = match rejected.failure() {
        // An unpaired bracket or quote in the content is wrong everywhere.
        Failure::Syntax(problems) => problems.iter().all(|problem| problem.unpaired.is_none()),
        Failure::Surroundings(disturbance) => disturbance.unpaired.is_none(),
        Failure::Content(_) => false,
    };
    let is_about_the_place = depends_on_the_place
        && matches!(
            attempt.operation,
            Operation::Insert { .. } | Operation::Delete
        );
    Diagnostic {
        diff: Some(diff),
        suggestions: match is_about_the_place {
            true => suggest::further_out(attempt),
            false => Vec::new(),
        },
        ..diagnostic
    }
}

/// Why a file could not be read or written.
pub fn about_file(error: &FileError) -> Diagnostic {
    let code = match error {
        FileError::ControlCharacter { .. } => Code::InvalidArguments,
        FileError::FileNotFound { .. } => Code::FileNotFound,
        FileError::NotAFile { .. } => Code::NotAFile,
        FileError::OutsideWorkspace { .. } => Code::OutsideWorkspace,
        FileError::TooLarge { .. } => Code::FileTooLarge,
        FileError::HardLinked { .. } => Code::HardLinked,
        FileError::PermissionDenied { .. } => Code::PermissionDenied,
        FileError::Locked { .. } => Code::Locked,
        FileError::Changed { .. } => Code::StaleEdit,
        FileError::NotLocked { .. }
        | FileError::NoLock { .. }
        | FileError::NoJournal { .. }
        | FileError::NoWayBack { .. }
        | FileError::Io { .. } => Code::IoError,
    };
    // A path that is none may be of any length.
    const SHOWN: usize = 2_000;
    let message = error.to_string();
    let message = match message.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}... ({} bytes)", &message[..end], message.len()),
        None => message,
    };
    let diagnostic = Diagnostic::new(code, message);
    match error {
        FileError::Locked { .. } => {
            diagnostic.help("nothing was changed; the same call passes as soon as that is done")
        }
        _ => diagnostic,
    }
}

/// Why a file has no text.
pub fn about_not_read(error: &NotRead) -> Diagnostic {
    match error {
        NotRead::File(error) => about_file(error),
        NotRead::NotText { path, error } => about_text(path.as_str(), *error),
    }
}

/// Why bytes are no text.
pub fn about_text(path: &str, error: NotText) -> Diagnostic {
    match error {
        NotText::Binary { offset } => Diagnostic::new(
            Code::BinaryFile,
            format!("`{path}` is binary: byte {offset} is zero"),
        ),
        NotText::NotUtf8 { offset } => Diagnostic::new(
            Code::NotUtf8,
            format!("`{path}` is not UTF-8: byte {offset} begins no character; it was not touched"),
        ),
    }
}

/// Why the state directory failed.
pub fn about_state(error: &StateError) -> Diagnostic {
    Diagnostic::new(Code::IoError, error.to_string())
        .help("set XDG_STATE_HOME to a directory that can be written")
}

/// A client's configuration that nothing can be put into.
pub fn about_configuration(path: &str, client: &str, why: &str) -> Diagnostic {
    let message = format!("`{path}` is not as {client} reads it: {why}");
    Diagnostic::new(Code::InvalidContent, message)
        .help("it was not touched; mend it, or put the server there by hand")
}

/// A client's configuration that another program wrote between two looks.
pub fn about_changed_configuration(path: &str) -> Diagnostic {
    Diagnostic::new(Code::StaleEdit, format!("`{path}` has changed meanwhile"))
        .help("nothing was written; the same call sees it as it is now")
}

/// A client without a configuration of a project; `with` names those that have one.
pub fn about_no_project(client: &str, with: &[&str]) -> Diagnostic {
    about_arguments(format!("{client} has no configuration of a project")).help(format!(
        "leave out --project; those that have one are {}",
        with.join(", ")
    ))
}

/// Nobody says where the user's configurations are.
pub fn about_no_home() -> Diagnostic {
    Diagnostic::new(
        Code::IoError,
        "there is no home directory with a UTF-8 name",
    )
    .help("set HOME to a directory")
}

/// Nobody says where this program is.
pub fn about_no_program() -> Diagnostic {
    let message = "the system does not say under which UTF-8 path this program runs";
    Diagnostic::new(Code::IoError, message)
}

/// Why the arguments are none.
pub fn about_arguments(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::InvalidArguments, message)
}

/// No staged edit has the id.
pub fn about_missing_edit(edit_id: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("no staged edit has the id {}", quoted(edit_id)),
    )
    .help("it may be applied or discarded already; list_edits shows those that wait")
}

/// The record of an edit cannot be read; `why` says what became of it.
pub fn about_unreadable_edit(edit_id: &str, why: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("the record of edit {} {why}", quoted(edit_id)),
    )
}

/// An edit was asked to be applied or undone that is `applied`, or is not.
pub fn about_not_applied(edit_id: &str, applied: bool) -> Diagnostic {
    let (state, help) = match applied {
        true => ("is applied already", "undo_edit takes it back"),
        false => ("is not applied", "list_edits shows which are"),
    };
    Diagnostic::new(
        Code::EditNotFound,
        format!("the edit {} {state}", quoted(edit_id)),
    )
    .help(help)
}

/// A file changed since an edit was applied: `diff` is what changed.
pub fn about_changed_since(file_path: &str, diff: String) -> Diagnostic {
    Diagnostic {
        diff: Some(diff),
        ..Diagnostic::new(
            Code::StaleEdit,
            format!("`{file_path}` changed since the edit was applied; nothing was written"),
        )
    }
    .help("what changed since is below; replace or delete what the edit brought instead")
}

/// The text from before an edit is gone.
pub fn about_no_way_back(file_path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!("what `{file_path}` held before the edit is not kept any more"),
    )
    .help("texts are kept for a week, and the oldest go first when there are too many")
}

/// What is to move goes to a place inside of it.
pub fn about_move_into_itself(lines: (usize, usize)) -> Diagnostic {
    let message = format!(
        "the node at line {} cannot go to line {}, which moves with it",
        lines.0, lines.1
    );
    Diagnostic::new(Code::OverlappingEdits, message)
        .help("select a node outside of it as the destination")
}

/// Two matches of one edit take the same text.
pub fn about_matches_clash(lines: (usize, usize)) -> Diagnostic {
    let message = format!(
        "the matches at lines {} and {} take the same text",
        lines.0, lines.1
    );
    Diagnostic::new(Code::OverlappingEdits, message)
        .help("edit one of them, or let the selector mean smaller nodes")
}

/// All files would stay as they are.
pub fn about_nothing_done() -> Diagnostic {
    Diagnostic::new(
        Code::NoChange,
        "every file would stay as it is: what is asked for is there already",
    )
}

/// Two of several edits take the same text; `first` and `second` are their lines.
pub fn about_clash(numbers: (usize, usize), lines: (usize, usize)) -> Diagnostic {
    let (first, second) = numbers;
    Diagnostic {
        edit_index: Some(second),
        ..Diagnostic::new(
            Code::OverlappingEdits,
            format!(
                "edits[{first}] (line {}) and edits[{second}] (line {}) take the same text",
                lines.0, lines.1
            ),
        )
    }
    .help("leave one of them out, make one edit of both, or let each take a smaller node")
}

/// A staged edit was asked to be applied that was refused when it was made.
pub fn about_refused_edit(edit_id: &str) -> Diagnostic {
    Diagnostic::new(
        Code::EditNotFound,
        format!(
            "the edit {} was refused and has nothing to apply",
            quoted(edit_id)
        ),
    )
    .help("give it another place with retarget_edit")
}

/// The file changed since the preview.
pub fn about_stale(file_path: &str) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!("`{file_path}` changed since the preview; nothing was written"),
    )
}

/// Since the preview, the name of a file leads to another one.
pub fn about_moved(file_path: &str, now: &str) -> Diagnostic {
    Diagnostic::new(
        Code::StaleEdit,
        format!("`{file_path}` leads to `{now}` since the preview; nothing was written"),
    )
    .help("make the edit again with the file that is meant")
}

/// What a note on an operation says.
pub fn note_text(operation: &Operation, note: &Note) -> String {
    match note {
        Note::Edit(EditNote::Reindented { lines: 1 }) => {
            "re-indented 1 line of new_content".to_string()
        }
        Note::Edit(EditNote::Reindented { lines }) => {
            format!("re-indented {lines} lines of new_content")
        }
        Note::Edit(EditNote::CommaAdded) => {
            "added the comma that the place needs behind new_content".to_string()
        }
        Note::Edit(EditNote::CommaDropped) => {
            "left out the comma at the end of new_content: the list has its own".to_string()
        }
        Note::Edit(EditNote::SeparatorDropped { text }) => {
            format!(
                "left out the `{text}` at the end of new_content: the list has its own, or none there"
            )
        }
        Note::Edit(EditNote::SemicolonDropped) => {
            "left out the `;` at the end of new_content: one stands behind the place".to_string()
        }
        Note::Edit(EditNote::AttachedReplaced { kinds }) => {
            format!(
                "replaced what was attached to the old text: {}",
                kinds.join(", ")
            )
        }
        Note::Edit(EditNote::LineEndings) => {
            "brought new_content to the file's line endings".to_string()
        }
        Note::Edit(EditNote::AttachedAlong { kinds }) => {
            let kinds = listed(kinds);
            match operation {
                Operation::Delete | Operation::Wrap { .. } => {
                    format!("the {kinds} attached to it went along")
                }
                _ => format!("the {kinds} attached to the node kept its place beside it"),
            }
        }
        Note::Edit(EditNote::SeparatorRemoved { text }) => {
            format!("the `{text}` beside it went too")
        }
        Note::Edit(EditNote::SeparatorAdded { text }) => {
            format!("added the `{text}` that the place needs")
        }
        Note::Edit(EditNote::WholeMember { text }) => {
            format!("the whole member of the list went: {}", quoted(&cut(text)))
        }
        Note::Edit(EditNote::LeftWithoutValue { node_type }) => {
            format!("the {node_type} is left without a value, which reads as null")
        }
        Note::Edit(EditNote::WholeOf { node_type }) => {
            format!("nothing else was in the {node_type}, which went as a whole")
        }
        Note::TookPlace { was, now } => match now.as_slice() {
            [] => format!("nothing with a type of its own stands in place of the {was}"),
            [one] => format!("{} stands in place of the {was}", with_article(one)),
            many => format!(
                "{} nodes stand in place of the {was}: {}",
                many.len(),
                many.join(", ")
            ),
        },
        Note::ParentChanged { was, now } => {
            format!("the {was} around it became {}", with_article(now))
        }
        Note::Regrouped { node_type } => format!(
            "the text reaches over an edge in the {node_type}: what stands round it is grouped otherwise now"
        ),
        Note::HeadingLevel { was, now } => format!(
            "the heading's level was {was} and is {now}: what follows it may be in another section"
        ),
        Note::OpensSection => {
            "what follows new_content is now in the section that its heading opens".to_string()
        }
        Note::RepeatsNeighbour { line, before } => {
            let side = if *before { "before" } else { "after" };
            format!(
                "the line {side} new_content is the same as its own: {}",
                quoted(&cut(line))
            )
        }
        Note::Allowed(failure) => match failure {
            Failure::Syntax(problems) => format!("allowed: {} new syntax errors", problems.len()),
            Failure::Surroundings(disturbance) => match disturbance.lost.as_slice() {
                [] => "allowed: the surroundings of the target change".to_string(),
                lost => format!("allowed: symbols go or move: {}", lost_text(lost)),
            },
            Failure::Content(_) => "allowed: new_content looks like a sketch of code".to_string(),
        },
    }
}

fn about_scope(parsed: &Parsed, error: &ScopeError) -> Diagnostic {
    match error {
        ScopeError::LineOutOfRange { line, line_count } => Diagnostic::new(
            Code::LineOutOfRange,
            format!(
                "line {line} is past the end: the file has {}",
                counted(*line_count, "line")
            ),
        ),
        ScopeError::EmptySymbolPath => {
            Diagnostic::new(Code::InvalidScope, "symbol_path needs at least one name")
        }
        ScopeError::SymbolNotFound { path, .. } => Diagnostic::new(
            Code::SymbolNotFound,
            format!("symbol {} not found in file", quoted(&path.join("."))),
        ),
        ScopeError::AmbiguousSymbol { path, found } => {
            let views = found
                .iter()
                .take(CANDIDATES_SHOWN)
                .map(|(path, kind, name)| {
                    let line = parsed.source().line_of(*name);
                    let span = parsed.source().line_span(line).unwrap_or(Span::at(*name));
                    CandidateView {
                        line,
                        text: first_line(parsed, span).trim().to_string(),
                        node_type: Some(kind.to_string()),
                        ancestors: Vec::new(),
                        ancestors_omitted: 0,
                        symbol_path: path.clone(),
                        context: excerpt(parsed.source(), Span::at(*name), "", 0),
                    }
                });
            Diagnostic {
                candidates: views.collect(),
                candidates_omitted: found.len().saturating_sub(CANDIDATES_SHOWN),
                ..Diagnostic::new(
                    Code::AmbiguousSymbol,
                    format!(
                        "{} symbols end with {}",
                        found.len(),
                        quoted(&path.join("."))
                    ),
                )
            }
        }
    }
}

/// Whether what stands before an elided middle was found, and no end of it.
fn has_no_end(find: &str, error: &FindError) -> bool {
    let readings = bounded_readings(find);
    let ink = |text: &str| text.split_whitespace().collect::<String>();
    let first = readings[0].text.split_once(ELIDED);
    let found = error.prefix.as_ref().map(|(prefix, _)| ink(prefix));
    first.is_some_and(|(first, _)| found == Some(ink(first)))
}

fn find_not_found(parsed: &Parsed, find: &str, place: &str, error: &FindError) -> Diagnostic {
    if error.gave_up {
        return Diagnostic::new(
            Code::FindNotFound,
            format!("{find} matches in part almost everywhere {place}; the search was given up"),
        )
        .help("give a scope, or a find with a word that is rarer");
    }
    if let Some(there) = error.whitespace {
        let label = format!(
            "this whitespace is {}",
            quoted(&parsed.source().slice(there))
        );
        return Diagnostic {
            excerpt: Some(excerpt(parsed.source(), there, &label, AROUND)),
            ..Diagnostic::new(
                Code::FindNotFound,
                format!("{find} not found {place}: the whitespace at a marker differs"),
            )
        }
        .help("copy that whitespace into find, or put the marker next to a word or sign");
    }
    let shown = match (&error.prefix, error.outside) {
        (_, Some(outside)) => Some((outside, "it matches here, outside of the scope".to_string())),
        (Some((prefix, span)), None) => {
            Some((*span, format!("only {} matches, here", quoted(prefix))))
        }
        (None, None) => None,
    };
    Diagnostic {
        excerpt: shown.map(|(span, label)| excerpt(parsed.source(), span, &label, AROUND)),
        ..Diagnostic::new(Code::FindNotFound, format!("{find} not found {place}"))
    }
}

fn no_inside(attempt: &Attempt<'_, '_>, bodies: &[Span]) -> Diagnostic {
    let (parsed, node) = (attempt.selection.parsed(), attempt.selection.node());
    let line = parsed.source().line_of(attempt.selection.span().start());
    let has = match bodies.len() {
        0 => "no body".to_string(),
        count => format!("{count} bodies"),
    };
    let message = format!(
        "the {} at line {line} has {has} to insert into",
        node.kind()
    );
    let diagnostic = Diagnostic::new(Code::NoInside, message);
    match bodies {
        [] => Diagnostic {
            suggestions: suggest::further_out(attempt),
            ..diagnostic
        }
        .help("position before or after puts new_content beside it"),
        bodies => Diagnostic {
            suggestions: suggest::bodies(attempt, bodies),
            ..diagnostic
        }
        .help("select the body that is meant"),
    }
}

fn about_syntax(
    attempt: &Attempt<'_, '_>,
    rejected: &Rejected<'_>,
    problems: &[NewProblem],
) -> Diagnostic {
    let source = rejected.change().after().source();
    let errors = match problems.len() {
        1 => "a syntax error".to_string(),
        count => format!("{count} syntax errors"),
    };
    let within = construct(rejected.change());
    let message = format!("the edit would bring in {errors}{within}");
    let mut diagnostic = Diagnostic::new(Code::BreaksSyntax, message);
    let Some(first) = problems.first() else {
        return diagnostic;
    };
    let allow = "or pass allow: [\"syntax_errors\"]";
    let correct = match attempt.operation {
        Operation::Replace { .. } | Operation::ReplaceText { .. } | Operation::Wrap { .. } => {
            format!("correct new_content, {allow}")
        }
        Operation::Insert { .. } => {
            format!("correct new_content, or insert it beside a node of its kind, {allow}")
        }
        Operation::Delete => format!("delete a node around it, or replace it, {allow}"),
    };
    let bracket = first
        .unpaired
        .map(|span| (span, source.slice(span).into_owned()));
    let (shown, label, help) = match (bracket, &first.message, &first.missing) {
        (Some((span, bracket)), ..) if "([{".contains(&bracket) => (
            span,
            "not closed in new_content".to_string(),
            format!(
                "close the {} of line {}, {allow}",
                quoted(&bracket),
                source.line_of(span.start())
            ),
        ),
        (Some((span, bracket)), ..) if !")]}".contains(&bracket) => (
            span,
            "a string or comment that does not end in new_content".to_string(),
            format!("end it in new_content, {allow}"),
        ),
        (Some((span, bracket)), ..) => (
            span,
            "closes nothing in new_content".to_string(),
            format!(
                "take out the {} of line {}, {allow}",
                quoted(&bracket),
                source.line_of(span.start())
            ),
        ),
        (None, Some(message), _) => (first.span, message.clone(), correct),
        (None, None, Some(missing)) => {
            (first.span, format!("missing {}", quoted(missing)), correct)
        }
        (None, None, None) => match missing_signs(rejected.change(), first) {
            Some(found) => {
                let signs: Vec<String> = found.signs.iter().map(|sign| quoted(sign)).collect();
                let signs = signs.join(" or ");
                let behind = source.text()[..found.offset].chars().next_back();
                let start = found.offset - behind.map_or(0, char::len_utf8);
                (
                    Span::new(start, found.offset),
                    format!("{signs} seems to be missing behind it"),
                    format!("with {signs} there it can be parsed; put it in, {allow}"),
                )
            }
            None => {
                // What cannot be parsed may begin many lines before what makes it so.
                let (span, content) = (first.span, rejected.change().new_span());
                let is_above = source.line_of(span.start()) < source.line_of(content.start())
                    && content.start() < span.end();
                let shown = match is_above {
                    true => Span::new(content.start(), span.end()),
                    false => span,
                };
                (shown, "cannot be parsed".to_string(), correct)
            }
        },
    };
    diagnostic.excerpt = Some(excerpt(source, short(source, shown), &label, AROUND));
    diagnostic.help(help)
}

/// What an edit is made in: a node below the root, and the symbol it is in.
fn construct(change: &Change<'_>) -> String {
    let Some(node) = change.container().get(1..).and_then(|below| below.last()) else {
        return String::new();
    };
    let symbol = change.before().symbol_path(change.container());
    match symbol.is_empty() {
        true => format!(" in the {}", node.kind()),
        false => format!(" in the {} of {}", node.kind(), symbol.join(".")),
    }
}

/// Whether the content ends with a comment where the old node has one behind it in its line.
fn comment_behind(rejected: &Rejected<'_>) -> bool {
    let change = rejected.change();
    let before = change.before();
    let end = change.selection().span().end();
    let rest_of_line = before.source().line_span(before.source().line_of(end));
    let rest_of_line = rest_of_line.map(|line| Span::new(end, line.end().max(end)));
    let is_comment = |parsed: &Parsed, span: Span| {
        let chain = parsed.chain(span);
        let mut pairs = chain.windows(2);
        pairs.any(|pair| pair[1].is_word("comment", Some(pair[0])))
    };
    let behind = rest_of_line.is_some_and(|rest| {
        let text = before.source().slice(rest);
        let last = text.trim_end().char_indices().next_back();
        last.is_some_and(|(offset, c)| {
            let start = rest.start() + offset;
            is_comment(before, Span::new(start, start + c.len_utf8()))
        })
    });
    let new_end = change.new_span().end();
    behind && new_end > 0 && is_comment(change.after(), Span::new(new_end - 1, new_end))
}

fn about_suspicion(source: &Source, suspicion: &Suspicion) -> Diagnostic {
    let (message, help) = match suspicion {
        Suspicion::EscapedLineBreak(_) => (
            "new_content holds the two characters \\n where a line break seems meant",
            "send real line breaks",
        ),
        Suspicion::Placeholder(_) => (
            "new_content holds a comment that stands for code left out",
            "send the whole code of the node, or select a smaller node",
        ),
        Suspicion::DiffMarker(_) => (
            "new_content holds lines of a diff",
            "send the code as it is to stand in the file",
        ),
        Suspicion::CodeFence(_) => (
            "new_content begins with a code fence",
            "send the code without the fence",
        ),
    };
    Diagnostic {
        excerpt: Some(excerpt(
            source,
            short(source, suspicion.span()),
            "here",
            AROUND,
        )),
        ..Diagnostic::new(Code::SuspiciousContent, message)
    }
    .help(format!("{help}, or pass allow: [\"suspicious_content\"]"))
}

fn with_candidates(
    parsed: &Parsed,
    diagnostic: Diagnostic,
    candidates: &[Candidate<'_>],
) -> Diagnostic {
    let views = candidates
        .iter()
        .take(CANDIDATES_SHOWN)
        .filter_map(|candidate| {
            let (node, above) = candidate.chain.split_last()?;
            Some(view(parsed, candidate.anchor, Some(*node), above))
        });
    Diagnostic {
        candidates: views.collect(),
        candidates_omitted: candidates.len().saturating_sub(CANDIDATES_SHOWN),
        ..diagnostic
    }
}

fn with_occurrences(
    parsed: &Parsed,
    diagnostic: Diagnostic,
    occurrences: &[Occurrence<'_>],
) -> Diagnostic {
    let shown = occurrences.iter().take(CANDIDATES_SHOWN);
    Diagnostic {
        candidates: shown
            .map(|one| view(parsed, one.anchor, None, &one.chain))
            .collect(),
        candidates_omitted: occurrences.len().saturating_sub(CANDIDATES_SHOWN),
        ..diagnostic
    }
}

fn view(
    parsed: &Parsed,
    anchor: Span,
    node: Option<crate::parse::Node<'_>>,
    above: &[crate::parse::Node<'_>],
) -> CandidateView {
    // The root is no node to point at.
    let below_root = match above {
        [root, rest @ ..] if *root == parsed.root() => rest,
        all => all,
    };
    let (ancestors, ancestors_omitted) = ancestors(parsed, below_root);
    let span = node.map_or(anchor, |node| crate::select::trimmed_node(parsed, node));
    CandidateView {
        line: parsed.source().line_of(span.start()),
        text: first_line(parsed, span),
        node_type: node.map(|node| node.kind().to_string()),
        ancestors,
        ancestors_omitted,
        symbol_path: parsed.symbol_path(&parsed.chain(span)),
        context: excerpt(parsed.source(), anchor, "", AROUND),
    }
}

/// The part of a span that an excerpt marks: what of it stands on its first line, a few
/// characters at most.
fn short(source: &Source, span: Span) -> Span {
    const MARKED: usize = 40;
    let text = source.slice(span);
    let line = text.lines().next().unwrap_or_default();
    let marked: usize = line.chars().take(MARKED).map(char::len_utf8).sum();
    Span::new(span.start(), span.start() + marked)
}

fn anchor_text(anchor: &Anchor) -> String {
    match anchor {
        Anchor::Text(text) => format!("anchor_text {}", quoted(text)),
        Anchor::Find(find) | Anchor::Part(find) => format!("find {}", quoted(find)),
    }
}

/// So many nodes, or places where no node is meant.
fn found_text(selector: &Selector, count: usize) -> String {
    match selector.anchor {
        Anchor::Part(_) => counted(count, "place"),
        _ => counted(count, "node"),
    }
}

fn place_text(scope: Option<&Scope>) -> String {
    match scope {
        None => "in file".to_string(),
        Some(Scope::Symbol(symbol)) => {
            format!("in symbol {}", quoted(&symbol.symbol_path.join(".")))
        }
        Some(Scope::Lines(lines)) => match lines.last() {
            Some(last) if last == lines.first() => format!("in line {last}"),
            Some(last) => format!("in lines {}-{last}", lines.first()),
            None => format!("in the lines from {}", lines.first()),
        },
    }
}

fn types_text(types: &[String]) -> String {
    let quoted: Vec<String> = types.iter().map(|name| self::quoted(name)).collect();
    quoted.join(" or ")
}

/// Text as JSON writes it, so that it reads as it was sent; cut where it is long.
fn quoted(text: &str) -> String {
    serde_json::Value::from(cut(text)).to_string()
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_string(),
        count => format!("{count} times"),
    }
}

/// `doc`, `doc and attribute`, `doc, attribute and comment`.
/// A name with `a` or `an` before it, as it is spelt.
fn with_article(name: &str) -> String {
    let article = match name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    };
    format!("{article} {name}")
}

fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all_but_last @ .., last] => format!("{} and {last}", all_but_last.join(", ")),
    }
}

/// A number of things: `1 node`, `2 nodes`.
fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

/// At most five symbols that would go or move.
fn lost_text(lost: &[LostSymbol]) -> String {
    const SHOWN: usize = 5;
    let mut texts: Vec<String> = lost
        .iter()
        .take(SHOWN)
        .map(|symbol| {
            let path = symbol.path.join(".");
            match &symbol.moved_to {
                Some(moved_to) => format!(
                    "{path} (line {}) would be {}",
                    symbol.line,
                    moved_to.join(".")
                ),
                None => format!("{path} (line {})", symbol.line),
            }
        })
        .collect();
    if lost.len() > SHOWN {
        texts.push(format!("and {} more", lost.len() - SHOWN));
    }
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(operation: &Operation, note: EditNote, expected: &str) {
        assert_eq!(note_text(operation, &Note::Edit(note)), expected);
    }

    #[test]
    fn notes_say_what_went_along_and_what_stays() {
        let kinds = |names: &[&str]| EditNote::AttachedAlong {
            kinds: names.iter().map(|name| name.to_string()).collect(),
        };
        let insert = Operation::Insert {
            position: crate::edit::InsertPosition::Before,
            new_content: String::new(),
            indent: crate::edit::Indent::Auto,
        };
        let delete = Operation::Delete;
        check(
            &delete,
            kinds(&["doc"]),
            "the doc attached to it went along",
        );
        check(
            &delete,
            kinds(&["doc", "attribute", "comment"]),
            "the doc, attribute and comment attached to it went along",
        );
        check(
            &insert,
            kinds(&["doc", "attribute"]),
            "the doc and attribute attached to the node kept its place beside it",
        );
        let text = ",".to_string();
        check(
            &delete,
            EditNote::SeparatorRemoved { text: text.clone() },
            "the `,` beside it went too",
        );
        check(
            &insert,
            EditNote::SeparatorAdded { text },
            "added the `,` that the place needs",
        );
        check(
            &delete,
            EditNote::WholeOf {
                node_type: "expression_statement".to_string(),
            },
            "nothing else was in the expression_statement, which went as a whole",
        );
    }
}
