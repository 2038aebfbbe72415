//! Moving a node and moving it back next to its old neighbor restores the bytes of real files, and
//! the first move changes nothing but the position of the node.
//!
//! Irregular blank lines cannot be restored; such trips are counted separately, and there may be
//! few of them.

use serde_json::{Value, json};

use super::*;
use crate::support::Bench;

/// The number of files of a language.
const FILES: usize = 9;

/// The file after a move.
struct Stop {
    parsed: Parsed,
    tree: tree_sitter::Tree,
    /// The bytes of the node that was moved last.
    own: Span,
}

impl Stop {
    /// Returns the nodes of a type with this text, in file order, except in the moved node.
    fn alike<'t>(&'t self, kind: &str, text: &str) -> Vec<tree_sitter::Node<'t>> {
        alike(&self.parsed, &self.tree, kind, text, self.own)
    }

    /// Returns the moved node.
    fn moved(&self, kind: &str) -> Option<tree_sitter::Node<'_>> {
        let all = nodes(&self.tree).filter(|node| {
            let span = without(&self.parsed, node.byte_range().into(), &[',', ';', ' ']);
            node.kind() == kind && self.own.contains(span)
        });
        // The first of the longest ones.
        all.max_by_key(|node| {
            (
                node.byte_range().len(),
                std::cmp::Reverse(node.start_byte()),
            )
        })
    }
}

fn alike<'t>(
    parsed: &Parsed,
    tree: &'t tree_sitter::Tree,
    kind: &str,
    text: &str,
    excluded: Span,
) -> Vec<tree_sitter::Node<'t>> {
    let is_alike = |node: &tree_sitter::Node<'_>| {
        let span = bare(parsed, node.byte_range().into());
        node.kind() == kind && !excluded.contains(span) && parsed.source().slice(span) == text
    };
    nodes(tree).filter(is_alike).collect()
}

/// Returns a selector, as a client sends it, for the node of this type at the range.
pub(super) fn pointing(parsed: &Parsed, range: Range<usize>, kind: &str) -> Option<Value> {
    let span = bare(parsed, range.clone().into());
    let source = parsed.source();
    let text = source.slice(span).into_owned();
    let first = text.lines().next().unwrap_or_default().len();
    let anchors = [span, Span::new(span.start(), span.start() + first)];
    anchors.into_iter().find_map(|anchor| {
        let lines = (source.line_of(anchor.start()), source.line_of(anchor.end()));
        let of = |nth| Selector {
            scope: LineScope::range(lines.0, lines.1).ok().map(Scope::Lines),
            nth: Some(nth),
            ..Selector::new(&source.slice(anchor), kind)
        };
        let all = (1..30).map_while(|nth| Some((nth, select(parsed, &of(nth)).ok()?)));
        let fits = |(_, selection): &(usize, Selection<'_>)| {
            selection.span().start() == span.start() && selection.span().end() <= range.end
        };
        let best = all
            .filter(fits)
            .max_by_key(|(_, selection)| selection.span().end());
        let (nth, _) = best?;
        Some(json!({
            "anchor_text": source.slice(anchor), "ancestor_node_type": kind,
            "scope": {"line": [lines.0, lines.1]}, "nth": nth,
        }))
    })
}

/// The destination of a move: next to or into this node.
struct Destination {
    range: Range<usize>,
    kind: String,
    position: &'static str,
    /// Whether it has other siblings than the node has now.
    has_other_siblings: bool,
}

/// Moves the node of a type at `range` and returns the resulting file.
fn moved(
    bench: &Bench,
    parsed: &Parsed,
    (range, kind): (Range<usize>, &str),
    to: &Destination,
) -> Option<Result<Stop, String>> {
    let name = "file";
    let selector = pointing(parsed, range, kind)?;
    let there = pointing(parsed, to.range.clone(), &to.kind)?;
    let path = Path::new(parsed.source().path());
    let name = match path.extension() {
        Some(extension) => format!("{name}.{}", extension.to_string_lossy()),
        None => path.file_name()?.to_string_lossy().into_owned(),
    };
    bench.write(&name, parsed.source().text());
    let answer = bench.call(
        "move_node",
        json!({
            "file_path": name, "selector": selector,
            "to": {"selector": there, "position": to.position},
        }),
    );
    let answer = match answer {
        Ok(answer) => answer.json,
        Err(refusal) => return Some(Err(refusal.text())),
    };
    let file = &answer["files"][0];
    let diff = file["diff"].as_str().expect("an edit has a diff");
    let text = crate::support::patched(parsed.source().text(), diff);
    let byte = |end: &str| {
        let byte = file["edits"][1]["new_range"][end]["byte"].as_u64();
        byte.expect("ranges include byte offsets") as usize
    };
    let after = reparsed(parsed, &text);
    Some(Ok(Stop {
        tree: tree(&after),
        parsed: after,
        own: Span::new(byte("start"), byte("end")),
    }))
}

impl Target<'_> {
    /// Returns what is wrong with the text after a move.
    fn problem_with(&self, stop: &Stop, has_other_siblings: bool) -> Option<&'static str> {
        let before = &self.file.parsed;
        let sorted = |text: &str| {
            let mut all: Vec<char> = substance(text).chars().collect();
            all.sort_unstable();
            all
        };
        let text = stop.parsed.source().text();
        if sorted(before.source().text()) != sorted(text) {
            return Some("text was removed or added");
        }
        let cut = |parsed: &Parsed, span: Span| {
            let text = parsed.source().text();
            substance(&text[..span.start()]) + &substance(&text[span.end()..])
        };
        let moved = substance(&stop.parsed.source().slice(stop.own));
        let rest = cut(&stop.parsed, stop.own);
        if !is_with(&substance(before.source().text()), &rest, &moved) {
            return Some("more than the node moved");
        }
        let is_kept = |node: tree_sitter::Node<'_>| {
            let is_protected = self.file.marks.protected.contains(&node.id());
            let is_tall = node.start_position().row < node.end_position().row;
            !is_protected || !is_tall || text.contains(&self.file.text()[node.byte_range()])
        };
        if !nodes(&self.file.tree).all(is_kept) {
            return Some("lines of a protected text changed");
        }
        let names = |outline: &[Vec<String>]| {
            let names = outline.iter().filter_map(|path| path.last());
            let mut names: Vec<String> = names.cloned().collect();
            names.sort();
            names
        };
        let stays = !has_other_siblings && !self.file.is_of_name(self.span);
        (stays && names(&self.file.outline) != names(&outline(&stop.parsed)))
            .then_some("other symbols changed")
    }
}

/// Returns the destinations of a node.
fn destinations(file: &File, node: tree_sitter::Node<'_>, turn: usize) -> Vec<Destination> {
    let Some(parent) = node.parent() else {
        return Vec::new();
    };
    let mut members = file.members(parent);
    members.retain(|member| may_be_adjacent(node, *member));
    let Some(index) = members.iter().position(|member| *member == node) else {
        return Vec::new();
    };
    let (before, following) = (&members[..index], &members[index + 1..]);
    let ends = [(following.last(), "after"), (before.first(), "before")];
    let mut ends = ends
        .into_iter()
        .filter_map(|(end, position)| Some((*end?, position)));
    let neighbor = ends.next().map(|(end, position)| Destination {
        range: end.byte_range(),
        kind: end.kind().to_string(),
        position,
        has_other_siblings: false,
    });
    // Another body of the same type that neither contains the node nor is inside it.
    let is_apart = |one: &tree_sitter::Node<'_>| {
        let (own, other) = (node.byte_range(), one.byte_range());
        other.end <= own.start || own.end <= other.start
    };
    let is_other = |one: &tree_sitter::Node<'_>| {
        one.kind() == parent.kind() && is_apart(one) && *one != parent
    };
    let is_line = |one: tree_sitter::Node<'_>| one.start_position().row == one.end_position().row;
    // A line comment puts a list on several lines, where it stays.
    let is_commented = node.prev_sibling().is_some_and(|one| file.is_attached(one));
    let others = nodes(&file.tree)
        .filter(is_other)
        .filter(|one| !(is_protected(file, *one) || is_commented && is_line(*one)));
    let mut others = others.filter_map(|one| Some(*file.members(one).first()?));
    let (other, position) = match turn.is_multiple_of(2) {
        true => (others.next(), "before"),
        false => (others.last(), "after"),
    };
    let other_body = other.map(|other| Destination {
        range: other.byte_range(),
        kind: other.kind().to_string(),
        position,
        has_other_siblings: true,
    });
    neighbor.into_iter().chain(other_body).collect()
}

fn is_protected(file: &File, node: tree_sitter::Node<'_>) -> bool {
    let mut above = std::iter::successors(Some(node), |node| node.parent());
    above.any(|one| file.marks.protected.contains(&one.id()))
}

/// Moves a node to each of its destinations and from there back next to each of its old neighbors.
fn move_and_back(target: &Target<'_>, bench: &Bench, trips: &mut Trips) {
    let file = target.file;
    let node = target.node;
    let before = file.text();
    let ends = [("before", true), ("after", false)];
    for to in destinations(file, node, trips.made) {
        let first = moved(bench, &file.parsed, (node.byte_range(), node.kind()), &to);
        let what = format!(
            "{} the {} {:?}",
            to.position,
            to.kind,
            first_line(&before[to.range.clone()])
        );
        let stop = match first {
            None => continue,
            // The table has that key already.
            Some(Err(error)) if error.contains("duplicate key") => continue,
            Some(Ok(stop)) => stop,
            Some(Err(error)) => {
                trips
                    .refused
                    .push(target.wrong(&format!("{what}: {error}"), "", ""));
                continue;
            }
        };
        let there = stop.parsed.source().text();
        if let Some(problem) = target.problem_with(&stop, to.has_other_siblings) {
            let problem = format!("{what}: {problem}");
            trips.wrong.push(target.wrong(&problem, before, there));
            continue;
        }
        for (position, next) in ends {
            let neighbor = sibling(file, node, next);
            let Some(neighbor) = neighbor.filter(|one| may_be_adjacent(node, one.node)) else {
                continue;
            };
            if !file.marks.lists.contains(&node.id())
                && (file.shares_line(node) || file.shares_line(neighbor.node))
            {
                continue;
            }
            let Some(back) = back(target, &neighbor, position, &stop, bench) else {
                continue;
            };
            trips.made += 1;
            let what = format!("{what}, and back {position} the {}", neighbor.kind());
            match back {
                Err(error) => {
                    let what = format!("{what}: {error}");
                    trips.wrong.push(target.wrong(&what, before, there));
                }
                Ok(back) => {
                    let text = back.parsed.source().text();
                    if text == before {
                        trips.exact += 1;
                    } else if full_lines(text) != full_lines(before) {
                        let mut diff = target.wrong(&what, before, text);
                        diff += &target.wrong("after the first move", before, there);
                        trips.wrong.push(diff);
                    }
                }
            }
        }
    }
}

fn back(
    target: &Target<'_>,
    neighbor: &Target<'_>,
    position: &'static str,
    stop: &Stop,
    bench: &Bench,
) -> Option<Result<Stop, String>> {
    let file = target.file;
    let text = file
        .parsed
        .source()
        .slice(bare(&file.parsed, neighbor.node.byte_range().into()));
    let own = bare(&file.parsed, target.node.byte_range().into());
    let here = alike(&file.parsed, &file.tree, neighbor.kind(), &text, own);
    let place = here.iter().position(|one| *one == neighbor.node)?;
    let there = stop.alike(neighbor.kind(), &text);
    if there.len() != here.len() {
        return None;
    }
    let moving = stop.moved(target.kind())?;
    let to = Destination {
        range: there[place].byte_range(),
        kind: neighbor.kind().to_string(),
        position,
        has_other_siblings: false,
    };
    moved(
        bench,
        &stop.parsed,
        (moving.byte_range(), moving.kind()),
        &to,
    )
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn test_moves(file: &File, trips: &mut Trips) {
    let bench = Bench::new();
    // Moving the only member may remove the list too.
    let is_among = |parent: tree_sitter::Node<'_>| {
        let stay = usize::from(file.marks.fleeting.contains(&parent.id()));
        file.members(parent).len() > 1 + stay
    };
    let is_wanted = |node: tree_sitter::Node<'_>| {
        let is_movable = file.is_member(node) && node.parent().is_some_and(is_among);
        is_movable && !is_protected(file, node) && !node.kind().starts_with("preproc")
    };
    for node in file.nodes(trips, is_wanted) {
        if let Some(target) = file.target(node) {
            move_and_back(&target, &bench, trips);
        }
    }
}

/// The minimum number of trips for each language, and the minimum percentage that restores the
/// exact bytes.
const AT_LEAST: &[(&str, usize, usize)] = &[
    ("rust", 90, 93),
    ("json", 3, 100),
    ("python", 110, 93),
    ("javascript", 120, 88),
    ("jsx", 80, 88),
    ("typescript", 110, 90),
    ("tsx", 120, 93),
    ("toml", 14, 100),
    ("yaml", 8, 100),
    ("go", 80, 93),
    ("c", 60, 93),
    ("cpp", 110, 83),
    ("java", 110, 94),
    ("bash", 45, 80),
    ("html", 5, 100),
    ("vue", 5, 70),
    ("svelte", 5, 70),
    ("astro", 5, 70),
    ("css", 25, 90),
    ("ruby", 90, 85),
    ("php", 50, 80),
    ("lua", 40, 80),
    ("hcl", 8, 80),
    ("dockerfile", 25, 90),
    ("xml", 8, 90),
    ("elixir", 10, 80),
    ("make", 2, 80),
    ("nix", 10, 80),
    ("proto", 25, 80),
    ("r", 10, 80),
    ("zig", 10, 80),
    ("csharp", 120, 80),
    ("kotlin", 55, 80),
    ("swift", 65, 80),
    ("scala", 110, 80),
    ("dart", 95, 80),
    ("julia", 45, 80),
    ("ocaml", 55, 75),
    ("ocaml_interface", 12, 80),
    ("haskell", 20, 80),
];

#[test]
fn moving_a_node_and_back_restores_files_of_each_language() {
    for language in languages() {
        let files = files_of(language).into_iter().take(FILES).collect();
        let trips = trips_of(language, files, Some(1), test_moves);
        let mut all = AT_LEAST.iter();
        let (name, at_least, exact) = all
            .find(|(name, ..)| *name == language.name)
            .expect("each language has a minimum number of trips");
        trips.report(name, *at_least, *exact);
    }
}
