//! Import statements of languages whose files share the names of a package: reads them, and adds and removes them in the
//! sorted groups of a file.

use std::collections::BTreeMap;

use crate::change::Replacement;
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::{Source, Span};

use super::facts::{ImportFacts, PackageFacts};
use super::file_names::FileNames;
use super::layout;
use super::statements::{Import, ImportPlace};

/// An import statement that names one package or one of its members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spec {
    /// The text to write in another file.
    pub(super) text: String,
    pub(super) path: String,
    pub(super) alias: Option<String>,
    /// Whether it imports all names.
    pub(super) is_star: bool,
}

/// A statement of a file.
#[derive(Clone, Debug)]
pub(super) struct FileSpec {
    pub(super) spec: Spec,
    pub(super) span: Span,
    /// The whole statement.
    statement: Span,
    is_listed: bool,
}

/// The package clause and the import statements of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileSpecs {
    /// The clause and the name of the package.
    pub(super) clause: Option<(Span, String)>,
    pub(super) all: Vec<FileSpec>,
}

impl Spec {
    /// Returns a statement that imports a path under its own name.
    pub(super) fn plain(facts: &PackageFacts, path: &str) -> Spec {
        Spec {
            text: facts.item.replace("{path}", path),
            path: path.to_string(),
            alias: None,
            is_star: false,
        }
    }

    /// Returns whether it only has effects, and gives no name.
    pub(super) fn is_blank(&self, facts: &PackageFacts) -> bool {
        self.alias.is_some() && self.alias == facts.blank
    }
}

impl FileSpecs {
    pub(super) fn from_parsed(parsed: &Parsed) -> FileSpecs {
        let clause = parsed
            .root()
            .own_children()
            .into_iter()
            .find(|node| node.is(Mark::PackageClause));
        let clause = clause.and_then(|node| {
            let name = node
                .own_children()
                .into_iter()
                .rfind(|one| one.is_named())?;
            let name = parsed.source().slice(name.span()).into_owned();
            Some((node.span(), name))
        });
        let all = FileNames::from_parsed(parsed).imports.into_iter();
        FileSpecs {
            clause,
            all: all.map(|import| file_spec(parsed, &import)).collect(),
        }
    }

    /// Returns the end of the import statements and of the package clause.
    pub(super) fn end(&self) -> usize {
        let clause = self.clause.iter().map(|(span, _)| span.end());
        let all = self.all.iter().map(|one| one.statement.end());
        clause.chain(all).max().unwrap_or(0)
    }
}

fn file_spec(parsed: &Parsed, import: &Import) -> FileSpec {
    let source = parsed.source();
    let (statement, is_listed) = match import.place {
        ImportPlace::Part {
            statement,
            is_listed,
        } => (statement, is_listed),
        _ => (import.span, false),
    };
    FileSpec {
        spec: Spec {
            text: source.slice(import.span).into_owned(),
            path: import.module_text().to_string(),
            alias: import.items.first().map(|item| item.name.clone()),
            is_star: import.star.is_some(),
        },
        span: import.span,
        statement,
        is_listed,
    }
}

/// Returns the groups of statements that are each alone on their lines, without blank lines and comments between them.
fn groups<'g>(source: &Source, all: &[&'g FileSpec]) -> Vec<Vec<&'g FileSpec>> {
    let mut groups: Vec<Vec<&'g FileSpec>> = Vec::new();
    for one in all {
        let before = groups.last().and_then(|group| group.last().copied());
        let is_next = before.is_some_and(|before| {
            source.line_of(one.span.start()) == source.line_of(before.span.end()) + 1
                && (before.statement == one.statement || !one.is_listed && !before.is_listed)
        });
        match groups.last_mut().filter(|_| is_next) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// Returns how well a statement fits a group: the kind of its path, and the number of path elements that a member shares.
fn fit(facts: &PackageFacts, group: &[&FileSpec], spec: &Spec) -> Option<usize> {
    let separator = facts.separator.as_str();
    let is_like = |one: &&FileSpec| is_hosted(&one.spec, facts) == is_hosted(spec, facts);
    let shared = |one: &FileSpec| {
        let own = one.spec.path.split(separator);
        let pairs = own.zip(spec.path.split(separator));
        pairs.take_while(|(one, other)| one == other).count()
    };
    let like = group.iter().copied().filter(|one| is_like(one));
    like.map(shared).max()
}

/// Returns whether the first element of a path is the name of a host, as in Go.
fn is_hosted(spec: &Spec, facts: &PackageFacts) -> bool {
    let mut parts = spec.path.split(facts.separator.as_str());
    parts.next().is_some_and(|first| first.contains('.'))
}

/// Returns the insertions of statements that a file has to have.
pub(super) fn added(parsed: &Parsed, facts: &ImportFacts, wanted: &[Spec]) -> Vec<Replacement> {
    let Some(package) = facts.packages.as_ref().filter(|_| !wanted.is_empty()) else {
        return Vec::new();
    };
    let source = parsed.source();
    let eol = layout::eol(source);
    let own = FileSpecs::from_parsed(parsed);
    let is_own = |one: &&FileSpec| !package.own.contains(&one.spec.path);
    let mut places: Vec<&FileSpec> = own.all.iter().filter(is_own).collect();
    // A list of statements is the place, if there is one.
    let list = places.iter().find(|one| one.is_listed);
    if let Some(list) = list.map(|one| one.statement) {
        places.retain(|one| one.statement == list);
    } else if let ([single], Some((open, close))) = (&places[..], &package.list) {
        let mut all: Vec<&Spec> = wanted.iter().chain([&single.spec]).collect();
        return vec![Replacement {
            span: single.statement,
            new_text: listed(source, package, &mut all, (open, close), eol),
        }];
    }
    if places.is_empty() {
        return vec![first(parsed, package, &own, wanted)];
    }
    let all_groups = groups(source, &places);
    let is_listed = places.iter().any(|one| one.is_listed);
    // The lines at each place: those of the group there, and those that form another group.
    let mut lines: BTreeMap<(usize, bool), (Vec<String>, Vec<String>)> = BTreeMap::new();
    let mut wanted: Vec<&Spec> = wanted.iter().collect();
    wanted.sort_by_key(|spec| &spec.path);
    for spec in wanted {
        let fitting = all_groups.iter();
        let fitting = fitting.filter_map(|group| Some((fit(package, group, spec)?, group)));
        let best = fitting.max_by_key(|(fit, _)| *fit).map(|(_, group)| group);
        let members = best.unwrap_or(&places);
        let next = match best {
            Some(members) if members.is_sorted_by_key(|one| &one.spec.path) => {
                members.iter().find(|one| one.spec.path > spec.path)
            }
            Some(_) => None,
            // In a group of its own, a statement of a host follows the others.
            None => members
                .first()
                .filter(|_| !is_hosted(spec, package) && package.list.is_some()),
        };
        let place = match next {
            Some(next) => (next.span.start(), true),
            None => (members[members.len() - 1].span.end(), false),
        };
        let (in_group, of_group) = lines.entry(place).or_default();
        let own = if best.is_some() { in_group } else { of_group };
        own.push(match is_listed {
            true => spec.text.clone(),
            false => package.statement_of(spec),
        });
    }
    let lines = lines.into_iter().map(|(place, (in_group, of_group))| {
        inserted_lines(source, place, &in_group, &of_group, eol)
    });
    lines.collect()
}

/// Returns the insertion of lines into the group of the statement at an offset, and of lines that form another group.
fn inserted_lines(
    source: &Source,
    (offset, is_before): (usize, bool),
    in_group: &[String],
    of_group: &[String],
    eol: &str,
) -> Replacement {
    let text = source.text();
    let start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let margin: String = text[start..]
        .chars()
        .take_while(|c| *c == ' ' || *c == '\t')
        .collect();
    let mut new_text = String::new();
    if is_before {
        for line in of_group {
            new_text.push_str(&format!("{line}{eol}{margin}"));
        }
        if !of_group.is_empty() {
            new_text = format!("{}{eol}{margin}", new_text.trim_end_matches([' ', '\t']));
        }
        for line in in_group {
            new_text.push_str(&format!("{line}{eol}{margin}"));
        }
        return Replacement {
            span: Span::at(offset),
            new_text,
        };
    }
    for line in in_group {
        new_text.push_str(&format!("{eol}{margin}{line}"));
    }
    if !of_group.is_empty() {
        new_text.push_str(eol);
    }
    for line in of_group {
        new_text.push_str(&format!("{eol}{margin}{line}"));
    }
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    let end = end - usize::from(text[..end].ends_with('\r'));
    Replacement {
        span: Span::at(end),
        new_text,
    }
}

/// Returns the first import statements of a file, after its package clause.
fn first(parsed: &Parsed, facts: &PackageFacts, own: &FileSpecs, wanted: &[Spec]) -> Replacement {
    let source = parsed.source();
    let eol = layout::eol(source);
    let text = source.text();
    let mut all: Vec<&Spec> = wanted.iter().collect();
    let statements = match (&facts.list, wanted.len()) {
        (Some((open, close)), 2..) => listed(source, facts, &mut all, (open, close), eol),
        _ => statements_of(facts, all, "", eol),
    };
    let at = own.end();
    let end = text[at..].find('\n').map_or(text.len(), |line| at + line);
    let end = end - usize::from(text[..end].ends_with('\r'));
    let rest = text[end..].trim_start_matches(['\r', ' ', '\t']);
    let has_gap = rest.trim().is_empty() || rest.starts_with("\n\n") || rest.starts_with("\n\r\n");
    let gap = if has_gap { "" } else { eol };
    Replacement {
        span: Span::at(end),
        new_text: format!("{eol}{eol}{statements}{gap}"),
    }
}

/// Returns one statement with a list.
fn listed(
    source: &Source,
    facts: &PackageFacts,
    all: &mut Vec<&Spec>,
    (open, close): (&str, &str),
    eol: &str,
) -> String {
    let margin = if source.text().contains("\n  ") && !source.text().contains("\n\t") {
        "  "
    } else {
        "\t"
    };
    let lines = statements_of(facts, std::mem::take(all), margin, eol);
    format!("{open}{eol}{lines}{eol}{close}")
}

/// Returns sorted statements, with a blank line between their kinds.
fn statements_of(facts: &PackageFacts, mut all: Vec<&Spec>, margin: &str, eol: &str) -> String {
    let kind = |spec: &Spec| is_hosted(spec, facts);
    let key = |spec: &Spec| (kind(spec), spec.path.clone());
    all.sort_by_key(|spec| key(spec));
    let mut text = String::new();
    for (index, spec) in all.iter().enumerate() {
        if index > 0 {
            text.push_str(eol);
            if kind(all[index - 1]) != kind(spec) {
                text.push_str(eol);
            }
        }
        match margin {
            "" => text.push_str(&facts.statement_of(spec)),
            margin => text.push_str(&format!("{margin}{}", spec.text)),
        }
    }
    text
}

/// Returns the removal of statements of a file, with the lists that contain nothing else.
pub(super) fn removed(
    parsed: &Parsed,
    own: &FileSpecs,
    gone: &[usize],
) -> Option<Vec<Replacement>> {
    let source = parsed.source();
    let text = source.text();
    let mut spans: Vec<Span> = Vec::new();
    let mut all = Vec::new();
    for index in gone {
        let one = &own.all[*index];
        let siblings = own.all.iter().enumerate();
        let mut siblings = siblings.filter(|(_, other)| other.statement == one.statement);
        let is_whole = siblings.all(|(other, _)| gone.contains(&other));
        match is_whole {
            true if !spans.contains(&one.statement) => spans.push(one.statement),
            true => {}
            false => spans.push(one.span),
        }
    }
    for one in layout::lines_removed(source, &spans)? {
        // No blank line follows the start of a list or precedes its end.
        let span = one.span;
        let before = text[..span.start()].trim_end();
        let after = text[span.end()..].trim_start();
        let start = match after.starts_with(')') {
            true => before.len() + text[before.len()..].find('\n').map_or(0, |at| at + 1),
            false => span.start(),
        };
        let end = match before.ends_with('(') {
            true => {
                let next = text.len() - after.len();
                text[..next].rfind('\n').map_or(next, |at| at + 1)
            }
            false => span.end(),
        };
        all.push(Replacement::deletion(Span::new(
            start.min(end),
            end.max(start),
        )));
    }
    Some(all)
}

/// Returns the nodes of a file that match, from the outermost.
pub(super) fn nodes_inside<'p>(
    parsed: &'p Parsed,
    span: Span,
    wanted: impl Fn(Node<'p>, Option<Node<'p>>) -> bool,
) -> Vec<Node<'p>> {
    let mut found = Vec::new();
    let mut open = vec![(parsed.root(), None)];
    while let Some((node, parent)) = open.pop() {
        if span.contains(node.span()) && wanted(node, parent) {
            found.push(node);
        }
        let children = node.own_children().into_iter();
        let near = children.filter(|child| child.is_named() && child.span().touches(span));
        open.extend(near.map(|child| (child, Some(node))));
    }
    found.sort_by_key(|node| node.span());
    found
}
