//! Resolves a scope to spans: a symbol path, lines, or the whole file (docs/design/locate.md#scopes).
//!
//! Lines past the end, names without a symbol, and names of several different symbols are refused.

use std::borrow::Cow;

use crate::parse::{Parsed, Symbol, SymbolTree};
use crate::source::Span;

use super::request::{LineScope, Scope, SymbolScope};

/// The area of a scope: one or several spans of the file, sorted and disjoint.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    /// The spans in file order; several if definitions share a path.
    pub(crate) spans: Vec<Span>,
    /// The symbols of a symbol scope, those with exactly the given names first.
    pub(crate) symbols: Vec<Symbol>,
    /// Whether a walk up the tree ends at these spans; true for symbol scopes only.
    pub(crate) bounds_walk: bool,
}

/// Why a scope does not resolve.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// The first line is past the end of the file (`line_out_of_range`).
    #[error("line {line} is past the end: the file has {line_count} lines")]
    LineOutOfRange {
        /// The requested line, from 1.
        line: usize,
        /// The number of lines.
        line_count: usize,
    },
    /// The symbol path has no names (`invalid_scope`).
    #[error("a symbol path needs at least one name")]
    EmptySymbolPath,
    /// No symbol has the path (`symbol_not_found`).
    #[error("symbol {} not found", .path.join("."))]
    SymbolNotFound {
        /// The requested path.
        path: Vec<String>,
        /// The most similar paths, best first.
        nearest: Vec<Vec<String>>,
    },
    /// Several different paths end with the path (`ambiguous_symbol`).
    #[error("{} symbol paths end with {}", .found.len(), .path.join("."))]
    AmbiguousSymbol {
        /// The requested path.
        path: Vec<String>,
        /// Each full path with the kind of its symbol and the byte offset of its name, in file order.
        found: Vec<(Vec<String>, &'static str, usize)>,
    },
}

/// Resolves a scope; the whole text without one.
pub(crate) fn resolve(parsed: &Parsed, scope: Option<&Scope>) -> Result<Area, ScopeError> {
    match scope {
        None => Ok(Area {
            spans: vec![parsed.source().whole()],
            symbols: Vec::new(),
            bounds_walk: false,
        }),
        Some(Scope::Lines(lines)) => Ok(Area {
            spans: vec![line_span(parsed, lines)?],
            symbols: Vec::new(),
            bounds_walk: false,
        }),
        Some(Scope::Symbol(symbol)) => {
            let symbols = find_with_inner(parsed, symbol)?;
            Ok(Area {
                spans: merged(symbols.iter().map(|symbol| symbol.span).collect()),
                symbols,
                bounds_walk: true,
            })
        }
    }
}

impl Area {
    /// Returns whether one of the spans contains all of `span`.
    pub(crate) fn contains(&self, span: Span) -> bool {
        self.spans.iter().any(|own| own.contains(span))
    }
}

/// Returns the span from the start of the first line to the end of the last line, including its line ending.
fn line_span(parsed: &Parsed, lines: &LineScope) -> Result<Span, ScopeError> {
    let source = parsed.source();
    let line_count = source.line_count();
    let Some(first) = source.full_line_span(lines.first()) else {
        return Err(ScopeError::LineOutOfRange {
            line: lines.first(),
            line_count,
        });
    };
    let last = lines.last().unwrap_or(line_count).min(line_count);
    let end = source.full_line_span(last).map_or(source.len(), Span::end);
    Ok(Span::new(first.start(), end.max(first.start())))
}

/// Returns the symbols with the path: those of the file, or else those of the embedded trees.
fn find_with_inner(parsed: &Parsed, wanted: &SymbolScope) -> Result<Vec<Symbol>, ScopeError> {
    let of = |outline: &SymbolTree, found: Vec<usize>| {
        let symbols = found
            .into_iter()
            .map(|index| outline.symbols()[index].clone());
        symbols.collect()
    };
    // Only a search in all symbols of the file decides about a refusal.
    let word = last_word(&wanted.symbol_path);
    if let Some(outline) = word.and_then(|word| parsed.outline_naming(&word))
        && let Ok(found) = find(&outline, wanted)
    {
        return Ok(of(&outline, found));
    }
    match find(parsed.outline(), wanted) {
        Ok(found) => Ok(of(parsed.outline(), found)),
        Err(ScopeError::SymbolNotFound { .. }) if parsed.may_hold_others() => {
            let outline = parsed.outline_with_inner();
            find(outline, wanted).map(|found| of(outline, found))
        }
        Err(refused) => Err(refused),
    }
}

/// Returns the last word of a path. Every name that the path can mean ends with this word, and the
/// word occurs in the text, even if the name is composed of several parts.
fn last_word(path: &[String]) -> Option<String> {
    let last = path.last().map(|name| normal(name))?;
    let part = last.rsplit('.').next()?;
    let words = part.rsplit(|c: char| !c.is_alphanumeric() && c != '_');
    let mut words = words.filter(|word| !word.is_empty());
    words.next().map(str::to_string)
}

/// Returns the spans of all symbols that a path names, even if they are different symbols.
#[cfg(feature = "disk")]
pub(crate) fn spans_of_all(parsed: &Parsed, wanted: &SymbolScope) -> Vec<Span> {
    let outline = parsed.outline_with_inner();
    let (found, _) = with_path(outline, &wanted.symbol_path);
    let spans = found.into_iter().map(|index| outline.symbols()[index].span);
    spans.collect()
}

/// Returns the symbols with the path. Refuses a path of several different symbols.
fn find(outline: &SymbolTree, wanted: &SymbolScope) -> Result<Vec<usize>, ScopeError> {
    let path = &wanted.symbol_path;
    if normal(&path.join(".")).is_empty() {
        return Err(ScopeError::EmptySymbolPath);
    }
    let (symbols, are_whole) = with_path(outline, path);
    if are_whole {
        return Ok(symbols);
    }
    let found = distinct_paths(outline, &symbols);
    match found.len() {
        0 => Err(ScopeError::SymbolNotFound {
            path: path.clone(),
            nearest: nearest(outline, path),
        }),
        1 => Ok(symbols),
        _ => Err(ScopeError::AmbiguousSymbol {
            path: path.clone(),
            found,
        }),
    }
}

/// Returns the symbols with the path, by the first rule that yields any (docs/design/locate.md#scopes), and whether it
/// is their whole path.
fn with_path(outline: &SymbolTree, path: &[String]) -> (Vec<usize>, bool) {
    let joined = path.join(".");
    let joined = normal(&joined);
    let may_be = |index: &usize| ends_with_name(&outline.symbols()[*index], &joined);
    let likely: Vec<usize> = (0..outline.symbols().len()).filter(may_be).collect();
    let whole = whole_paths(outline, &likely, path, &joined);
    if !whole.is_empty() {
        return (whole, true);
    }
    let is_end = |index: &usize| path_ends_with(&outline.path(*index), &joined);
    (likely.into_iter().filter(is_end).collect(), false)
}

/// Returns the symbols whose whole path is the requested one: those with exactly these names, then those with equivalent
/// names.
fn whole_paths(
    outline: &SymbolTree,
    likely: &[usize],
    path: &[String],
    joined: &str,
) -> Vec<usize> {
    let names_equal = |index: &usize| {
        let symbols = outline.path(*index);
        symbols.len() == path.len()
            && symbols
                .iter()
                .zip(path)
                .all(|(symbol, name)| symbol.name == *name)
    };
    let (exact, alike): (Vec<usize>, Vec<usize>) = likely
        .iter()
        .copied()
        .filter(|index| names_equal(index) || spells(&outline.path(*index), joined))
        .partition(names_equal);
    [exact, alike].concat()
}

/// Returns whether `joined` is an end of the path of `symbols`, which may begin inside a composed name.
fn path_ends_with(symbols: &[&Symbol], joined: &str) -> bool {
    (1..symbols.len()).any(|skipped| spells(&symbols[skipped..], joined))
        || (0..symbols.len()).any(|skipped| {
            let (first, rest) = (symbols[skipped], &symbols[skipped + 1..]);
            tails(first).any(|tail| begins_and_spells(&tail, rest, joined))
        })
}

/// Returns the distinct paths of symbols, each with the kind of its first symbol and the byte offset of its name.
fn distinct_paths(
    outline: &SymbolTree,
    indexes: &[usize],
) -> Vec<(Vec<String>, &'static str, usize)> {
    let mut found: Vec<(Vec<String>, &'static str, usize)> = Vec::new();
    for &index in indexes {
        let short_path = outline.short_path(index);
        // `A::f` defined outside its class is the `f` declared in `A`.
        let is_same = |known: &[String]| normal(&known.join(".")) == normal(&short_path.join("."));
        if found.iter().all(|(known, ..)| !is_same(known)) {
            let symbol = &outline.symbols()[index];
            found.push((short_path, symbol.kind, symbol.name_span.start()));
        }
    }
    found
}

/// Normalizes a name for comparison: `::` becomes `.`, quotes are removed.
fn normal(name: &str) -> Cow<'_, str> {
    match name.contains("::") || name.contains(['"', '\'']) {
        true => name.replace("::", ".").replace(['"', '\''], "").into(),
        false => name.into(),
    }
}

/// Returns the normalized names of a symbol.
fn forms(symbol: &Symbol) -> impl Iterator<Item = Cow<'_, str>> {
    let names = [Some(symbol.name.as_str()), symbol.alias.as_deref()];
    names.into_iter().flatten().map(normal)
}

/// Returns the ends of a composed alias, such as `Put` for `Store.Put`, and the parts of any name after a `::`.
fn tails(symbol: &Symbol) -> impl Iterator<Item = Cow<'_, str>> {
    let (name, alias) = (&symbol.name, symbol.alias.as_deref().unwrap_or_default());
    let parts_after = |name, sign: &'static str| {
        let signs = str::match_indices(name, sign);
        signs.map(move |(at, _)| normal(&name[at + sign.len()..]))
    };
    parts_after(name, "::")
        .chain(parts_after(alias, "::"))
        .chain(parts_after(alias, "."))
}

/// Returns whether the path ends with one of the symbol's names: a cheap check that most symbols fail.
fn ends_with_name(symbol: &Symbol, joined: &str) -> bool {
    // Normalizing and comparing names takes longer than comparing their last letter, in which most differ.
    let may_end = |name: &str| match name.trim_end_matches(['"', '\'']).as_bytes().last() {
        Some(last) => *last == b':' || joined.as_bytes().last() == Some(last),
        None => true,
    };
    if !may_end(&symbol.name) && !symbol.alias.as_deref().is_some_and(may_end) {
        return false;
    }
    let mut forms = forms(symbol).chain(tails(symbol));
    forms.any(|form| joined.ends_with(form.as_ref()))
}

/// Returns whether `joined` is the names of `symbols`, joined by dots.
fn spells(symbols: &[&Symbol], joined: &str) -> bool {
    let Some((first, rest)) = symbols.split_first() else {
        return joined.is_empty();
    };
    forms(first).any(|form| begins_and_spells(&form, rest, joined))
}

/// Returns whether `joined` is `first` and the names of `symbols`, joined by dots.
fn begins_and_spells(first: &str, symbols: &[&Symbol], joined: &str) -> bool {
    if !joined.starts_with(first) {
        return false;
    }
    // Byte offsets in `joined` that the names so far can end at.
    let mut reached = vec![first.len()];
    for symbol in symbols {
        let mut next = Vec::new();
        for form in forms(symbol) {
            for &offset in &reached {
                let rest = joined[offset..].strip_prefix('.');
                if let Some(rest) = rest.and_then(|rest| rest.strip_prefix(form.as_ref())) {
                    next.push(joined.len() - rest.len());
                }
            }
        }
        if next.is_empty() {
            return false;
        }
        next.sort_unstable();
        next.dedup();
        reached = next;
    }
    reached.last() == Some(&joined.len())
}

/// Returns at most three paths: those that end with the wanted last name, then those with the most similar last
/// names.
fn nearest(outline: &SymbolTree, path: &[String]) -> Vec<Vec<String>> {
    const LOOKED_AT: usize = 20_000;
    let last = path.last().map_or("", String::as_str).to_lowercase();
    let mut scored: Vec<(f64, usize)> = outline
        .symbols()
        .iter()
        .take(LOOKED_AT)
        .enumerate()
        .map(|(index, symbol)| {
            let likeness = forms(symbol)
                .map(|form| likeness(&form.to_lowercase(), &last))
                .fold(0.0, f64::max);
            (likeness, index)
        })
        .filter(|(likeness, _)| *likeness > 0.6)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut nearest = Vec::new();
    for (_, index) in scored {
        let short_path = outline.short_path(index);
        if !nearest.contains(&short_path) {
            nearest.push(short_path);
        }
        if nearest.len() == 3 {
            break;
        }
    }
    nearest
}

/// Returns a similarity from 0 to 1: by a shared prefix, or by how few letters differ or are swapped.
fn likeness(a: &str, b: &str) -> f64 {
    let shared_beginning = match strsim::jaro_winkler(a, b) {
        likeness if likeness > 0.8 => likeness,
        _ => 0.0,
    };
    strsim::normalized_damerau_levenshtein(a, b).max(shared_beginning)
}

/// Sorts spans and merges those that overlap.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if last.overlaps(span) => {
                *last = Span::new(last.start(), last.end().max(span.end()));
            }
            _ => merged.push(span),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::LANGUAGES;
    use crate::source::Source;

    /// Returns the symbols and paths that `path` resolves to in `outline`.
    fn found(outline: &SymbolTree, path: &[String]) -> Option<Vec<(Symbol, Vec<String>)>> {
        let wanted = SymbolScope {
            symbol_path: path.to_vec(),
        };
        let found = find(outline, &wanted).ok()?;
        let with_path = |index: usize| {
            let symbol = Symbol {
                parent: None,
                ..outline.symbols()[index].clone()
            };
            (symbol, outline.short_path(index))
        };
        Some(found.into_iter().map(with_path).collect())
    }

    #[test]
    fn a_path_names_the_same_among_the_symbols_that_have_its_last_word_as_among_all() {
        let mut asked = 0;
        for language in LANGUAGES.iter() {
            let (name, text) = language.sample();
            let parsed = Parsed::parse(Source::new(name, language, text.to_string()));
            let outline = parsed.outline().clone();
            // A tree without a computed outline.
            let fresh = Parsed::parse(parsed.source().clone());
            for (index, symbol) in outline.symbols().iter().enumerate() {
                let names = outline.path(index).into_iter();
                let whole: Vec<String> = names.map(|symbol| symbol.name.clone()).collect();
                let short = outline.short_path(index);
                let mut paths = vec![whole, short.clone(), vec![short.join(".")]];
                paths.extend(
                    forms(symbol)
                        .chain(tails(symbol))
                        .map(|form| vec![form.into()]),
                );
                for path in paths {
                    let Some(word) = last_word(&path) else {
                        continue;
                    };
                    let Some(some) = fresh.outline_naming(&word) else {
                        continue;
                    };
                    asked += 1;
                    let all = found(&outline, &path);
                    assert_eq!(found(&some, &path), all, "{} {path:?}", language.name);
                }
            }
        }
        assert!(asked > 1_000, "{asked}");
    }
}
