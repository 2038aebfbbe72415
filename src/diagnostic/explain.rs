//! Puts facts into words: refusals, helps and notes. No other module has sentences for users.
//!
//! The functions resolve and parse nothing; the caller passes the suggestions. Messages are lower case, have no
//! full stop, and give no advice that is true of every failure.

mod edit;
#[cfg(feature = "disk")]
mod files;
#[cfg(feature = "disk")]
mod imports;
mod locate;
mod notes;
#[cfg(feature = "disk")]
mod rewrite;
#[cfg(feature = "rules")]
mod rule;
mod select;
#[cfg(feature = "servers")]
mod servers;
#[cfg(feature = "disk")]
mod settings;
#[cfg(feature = "disk")]
mod several;
#[cfg(feature = "disk")]
mod staged;
mod validate;

use crate::locate::Scope;
use crate::parse::{Node, Parsed};
use crate::select::trimmed_node;
use crate::source::{Source, Span};
use crate::validate::{Conversion, LostSymbol};

use super::attempt::ContentOrigin;
use super::render::excerpt;
use super::{CandidateView, Code, Diagnostic, ancestors, cut, first_line, node_view, symbol_text};

#[cfg(feature = "disk")]
pub use edit::about_edit_of_whole_file;
pub use edit::{
    about_clash, about_many_alone, about_matches_clash, about_move_into_itself, about_nothing_done,
};
#[cfg(feature = "disk")]
pub use files::*;
#[cfg(feature = "disk")]
pub use imports::*;
pub use locate::{about_locate_syntax, about_no_place};
pub use notes::note_text;
#[cfg(feature = "disk")]
pub use rewrite::*;
#[cfg(feature = "rules")]
pub use rule::*;
pub use select::{about_invalid_text, help_on_pattern, with_other_files};
#[cfg(feature = "servers")]
pub use servers::*;
#[cfg(feature = "disk")]
pub use several::*;
#[cfg(feature = "disk")]
pub use staged::*;

pub(super) use edit::edit_refused;
pub(super) use locate::locator_refused;
pub(super) use select::selector_refused;
pub use validate::string_edit_notes;

pub(super) use validate::change_rejected;

/// The number of context lines above and below a place.
const AROUND: usize = 1;

/// Explains why arguments are invalid.
pub fn about_arguments(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::InvalidArguments, message)
}

/// Returns the name of an operation's content.
fn content_name(origin: ContentOrigin) -> &'static str {
    match origin {
        ContentOrigin::Argument => "new_content",
        ContentOrigin::Move => "the moved text",
        ContentOrigin::StringEdit => "the new text",
    }
}

/// Returns a candidate: a node, or an anchor if there is no node yet, with the nodes above it.
fn view(
    parsed: &Parsed,
    anchor: Span,
    node: Option<Node<'_>>,
    above: &[Node<'_>],
) -> CandidateView {
    // The root cannot be selected.
    let below_root = match above {
        [root, rest @ ..] if *root == parsed.root() => rest,
        all => all,
    };
    let (ancestors, ancestors_omitted) = ancestors(parsed, below_root);
    let span = node.map_or(anchor, |node| trimmed_node(parsed, node));
    CandidateView {
        line: parsed.source().line_of(span.start()),
        text: node.map_or_else(
            || first_line(parsed, span),
            |node| node_view(parsed, node).text,
        ),
        node_type: node.map(|node| node.kind().to_string()),
        ancestors,
        ancestors_omitted,
        symbol_path: parsed.symbol_path(&parsed.chain(span)),
        context: excerpt(parsed.source(), anchor, "", AROUND),
    }
}

/// Returns the part of a span that an excerpt marks: the first few characters of its first line.
fn short(source: &Source, span: Span) -> Span {
    const MARKED: usize = 40;
    let text = source.slice(span);
    let line = text.lines().next().unwrap_or_default();
    let marked: usize = line.chars().take(MARKED).map(char::len_utf8).sum();
    Span::new(span.start(), span.start() + marked)
}

/// Returns words for a scope, such as `in file` or `in lines 1-2`.
fn scope_text(scope: Option<&Scope>) -> String {
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

/// Lists the node types of a selector.
fn types_text(types: &[String]) -> String {
    let quoted: Vec<String> = types.iter().map(|name| self::quoted(name)).collect();
    quoted.join(" or ")
}

/// Lists files, each with a line. Returns `None` if there are none.
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

/// Returns what happens to a definition that becomes one of another kind.
fn conversion_text(conversion: &Conversion) -> String {
    let Conversion {
        path,
        was,
        now,
        inside,
    } = conversion;
    let inside = match inside {
        0 => String::new(),
        count => format!(" with its {}", counted(*count, "symbol")),
    };
    let path = path.join(".");
    format!("the {was} {path}{inside} becomes {}", with_article(now))
}

/// Lists at most five of the symbols that would disappear or move.
fn lost_text(lost: &[LostSymbol]) -> String {
    const SHOWN: usize = 5;
    let mut texts: Vec<String> = lost
        .iter()
        .take(SHOWN)
        .map(|symbol| {
            let path = symbol_text(&symbol.path);
            match &symbol.moved_to {
                // An enclosing definition has the same short name, but another kind or full name.
                Some(moved_to) if *moved_to == symbol.path => {
                    format!(
                        "{path} (line {}) would belong to a different definition",
                        symbol.line
                    )
                }
                Some(moved_to) => format!(
                    "{path} (line {}) would become {}",
                    symbol.line,
                    symbol_text(moved_to)
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

/// Returns a text as a JSON string, in the form in which it was sent. Cuts long texts.
fn quoted(text: &str) -> String {
    serde_json::Value::from(cut(text)).to_string()
}

/// Returns `once`, or a count with `times`.
fn times(count: usize) -> String {
    match count {
        1 => "once".to_string(),
        count => format!("{count} times"),
    }
}

/// Returns a name with the article `a` or `an`.
fn with_article(name: &str) -> String {
    let article = match name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        true => "an",
        false => "a",
    };
    format!("{article} {name}")
}

/// Lists names: `a, b and c`.
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all_but_last @ .., last] => format!("{} and {last}", all_but_last.join(", ")),
    }
}

/// Returns a count with its noun: `1 node`, `2 nodes`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}
