//! Generalizes a change to patterns and replacements that make the same change elsewhere.
//!
//! Input: a [`Parsed`], and one replacement in its text. Output: each [`Generalization`], the narrower first. Nodes that
//! the change keeps become placeholders; the rest stays as it is. A generalization that does not make the given change,
//! byte for byte, is left out.
//!
//! Each has the reading in which it makes the change.

use std::collections::HashSet;
use std::ops::Range;

use similar::DiffTag;

use crate::change::{Replacement, TextEdit};
use crate::parse::{Node, Parsed};
use crate::pattern::{ANY_READING, Match, Pattern, Template, TokenKind, placeholders, words};
use crate::source::{Span, shortest_diff};

use super::{Rewriting, rewrite};

/// The maximum length of a pattern, in bytes and in lines. A longer one would hardly match anything else.
const MOST_BYTES: usize = 1_000;
const MOST_LINES: usize = 20;
/// The maximum length of the node that a change is generalized in, in bytes.
const NODE_BYTES: usize = 20_000;
/// The maximum number of matches in the text of the example.
const MATCHES: usize = 10_000;

/// A pattern, and the replacement of its matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generalization {
    /// The pattern.
    pub pattern: String,
    /// What it is read as, such as `type`.
    pub reading: &'static str,
    /// The replacement, with the placeholders of the pattern.
    pub replacement: String,
}

/// Which of the kept nodes become placeholders, besides the members of lists and bodies.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Breadth {
    /// Whether a call that is not a member of a list keeps the name of what it calls, and the narrowest width also other
    /// nodes of several tokens.
    descends: bool,
    width: Width,
}

/// Which single tokens become placeholders, the fewest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Width {
    /// None.
    Exact,
    /// Those that move.
    Moved,
    /// Also names, and the object of a method; several members of a list may be any number.
    Names,
    /// Also numbers and constants.
    Constants,
}

/// From the narrowest to the widest.
const BREADTHS: [Breadth; 8] = {
    const fn breadth(descends: bool, width: Width) -> Breadth {
        Breadth { descends, width }
    }
    [
        breadth(true, Width::Exact),
        breadth(false, Width::Exact),
        breadth(true, Width::Moved),
        breadth(false, Width::Moved),
        breadth(true, Width::Names),
        breadth(false, Width::Names),
        breadth(true, Width::Constants),
        breadth(false, Width::Constants),
    ]
};

/// The same node before and after the change.
struct Example<'p> {
    before: &'p Parsed,
    after: &'p Parsed,
    old: Node<'p>,
    new: Node<'p>,
    /// The paths of nodes after the change, each with its text.
    places: HashSet<(Path, String)>,
    /// The types and texts of nodes after the change.
    kept: HashSet<(&'p str, String)>,
}

/// The types of the nodes around a node, each with the index of the child in it.
type Path = Vec<(u16, usize)>;

/// A part of the text that becomes a placeholder.
struct Part {
    span: Span,
    /// The type, and the text of each node.
    kind: String,
    texts: Vec<String>,
    /// Whether it may be any number of nodes.
    is_several: bool,
}

/// Returns the patterns and replacements that make a change like this one, the narrower first. There is none if the
/// change is not one in a single expression or statement.
pub fn generalizations(before: &Parsed, change: &Replacement) -> Vec<Generalization> {
    let attempts = [Some(change.clone()), first_change(before, change)];
    let mut found = attempts.into_iter().flatten().map(|change| {
        let change = trimmed(before, &change);
        let edit = TextEdit::new(before.source(), vec![change.clone()]);
        edit.map_or(Vec::new(), |edit| {
            let after = Parsed::parse(edit.apply(before.source()));
            of_texts(before, &after, &change)
        })
    });
    found.find(|all| !all.is_empty()).unwrap_or_default()
}

/// Returns the first changed lines of a change that has equal lines between others; of changed lines next to each other,
/// the first that is replaced by one line.
fn first_change(before: &Parsed, change: &Replacement) -> Option<Replacement> {
    let old = before.source().slice(change.span).into_owned();
    let olds: Vec<&str> = old.split_inclusive('\n').collect();
    let news: Vec<&str> = change.new_text.split_inclusive('\n').collect();
    let lines = |lines: &[&str], range: Range<usize>| lines[range].concat();
    let ops = shortest_diff(&olds, &news);
    let first = ops.iter().find(|op| op.tag() != DiffTag::Equal)?;
    let (mut own, mut other) = (first.old_range(), first.new_range());
    if own.len() > 1 && own.len() == other.len() {
        own.end = own.start + 1;
        other.end = other.start + 1;
    }
    let start = change.span.start() + lines(&olds, 0..own.start).len();
    let end = start + lines(&olds, own).len();
    Some(Replacement {
        span: Span::new(start, end),
        new_text: lines(&news, other),
    })
}

/// Leaves out the text at both ends that a change does not change, except words at its ends, which are whole.
fn trimmed(before: &Parsed, change: &Replacement) -> Replacement {
    let old = before.source().slice(change.span);
    let (old, new) = (old.as_ref(), change.new_text.as_str());
    let is_equal = |(a, b): &(char, char)| a == b;
    let prefix: usize = old
        .chars()
        .zip(new.chars())
        .take_while(is_equal)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix: usize = old
        .chars()
        .rev()
        .zip(new.chars().rev())
        .take_while(is_equal)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let text = before.source().text();
    let start = change.span.start() + prefix;
    let end = start + old.len() - suffix;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let word_start = text[..start].trim_end_matches(is_word).len();
    let word_end = text.len() - text[end..].trim_start_matches(is_word).len();
    let new = [
        &text[word_start..start],
        &new[..new.len() - suffix],
        &text[end..word_end],
    ];
    Replacement {
        span: Span::new(word_start, word_end),
        new_text: new.concat(),
    }
}

/// Returns the generalizations of a change: those of the smallest node with several tokens that has one; last, that of a
/// single token.
fn of_texts(before: &Parsed, after: &Parsed, change: &Replacement) -> Vec<Generalization> {
    let (old_len, new_len) = (before.source().text().len(), after.source().text().len());
    let new_span = |old: Span| {
        let end = (new_len + old.end()).checked_sub(old_len)?;
        (old.start() <= end).then(|| Span::new(old.start(), end))
    };
    let mut all: Vec<Generalization> = Vec::new();
    let mut of_token = Vec::new();
    let chain = before.chain(change.span);
    let mut spans: Vec<Span> = Vec::new();
    for old in chain.iter().rev() {
        let span = before.trimmed(old.span());
        if spans.contains(&span) || !old.is_named() || has_only_members(*old) {
            continue;
        }
        spans.push(span);
        if span.len() > NODE_BYTES || old.body().is_some() {
            break;
        }
        let new = new_span(span).and_then(|span| {
            let own = after.chain(span);
            own.into_iter()
                .find(|node| after.trimmed(node.span()) == span)
        });
        let Some(new) = new else { continue };
        let example = Example::new(before, after, *old, new);
        if old.child_count() == 0 {
            of_token = example.of_token();
            continue;
        }
        let mut sketches: Vec<Generalization> = Vec::new();
        for sketch in BREADTHS
            .iter()
            .filter_map(|breadth| example.sketch(*breadth))
        {
            if !sketches.contains(&sketch) {
                sketches.push(sketch);
            }
        }
        all.extend(sketches.into_iter().filter_map(|one| example.checked(one)));
        if !all.is_empty() {
            break;
        }
    }
    all.extend(of_token);
    all
}

impl<'p> Example<'p> {
    fn new(before: &'p Parsed, after: &'p Parsed, old: Node<'p>, new: Node<'p>) -> Example<'p> {
        let mut example = Example {
            before,
            after,
            old,
            new,
            places: HashSet::new(),
            kept: HashSet::new(),
        };
        let mut open = vec![(new, Path::new())];
        while let Some((node, path)) = open.pop() {
            let text = example.new_text(node);
            for (index, child) in node.own_children().into_iter().enumerate() {
                let mut path = path.clone();
                path.push((node.kind_id(), index));
                open.push((child, path));
            }
            if node.is_named() {
                example.kept.insert((node.kind(), text.clone()));
                example.places.insert((path, text));
            }
        }
        example
    }

    /// Returns the pattern and the replacement of this breadth, which are not checked.
    fn sketch(&self, breadth: Breadth) -> Option<Generalization> {
        let mut parts = Vec::new();
        self.old_parts(self.old, &Path::new(), false, breadth, &mut parts);
        let names = names(&parts);
        let mut new_parts = Vec::new();
        self.new_parts(self.new, &parts, &names, &mut new_parts);
        let spans = parts.iter().map(|part| part.span);
        let olds: Vec<(Span, String)> = spans.zip(names).collect();
        let pattern = with_names(self.before, self.old, &olds)?;
        let replacement = with_names(self.after, self.new, &new_parts)?;
        let is_long = pattern.len() > MOST_BYTES || pattern.lines().count() > MOST_LINES;
        let is_plain = placeholders(&pattern).count() == olds.len()
            && placeholders(&replacement).count() == new_parts.len();
        // Signs around one placeholder are enough if words replace them: `$A[:]` that becomes `$A.copy()`.
        let has_words =
            has_word(&pattern, |_| true) || olds.len() == 1 && has_word(&replacement, |_| true);
        let is_of_use = !is_long && is_plain && has_words;
        is_of_use.then_some(Generalization {
            pattern,
            reading: ANY_READING,
            replacement,
        })
    }

    /// Returns the generalization, if necessary with a rule, if it makes the change of the example.
    fn checked(&self, sketch: Generalization) -> Option<Generalization> {
        // Other places have other line breaks, which a replacement in one line keeps.
        let in_one_line = Generalization {
            pattern: in_one_line(&sketch.pattern),
            replacement: in_one_line(&sketch.replacement),
            reading: ANY_READING,
        };
        self.read(in_one_line).or_else(|| self.read(sketch))
    }

    /// Returns the generalization with the reading in which it makes the change of the example.
    fn read(&self, general: Generalization) -> Option<Generalization> {
        let (found, template) = self.found(&general)?;
        let reading = found.reading;
        let rewriting = Rewriting {
            templates: &[Some(template)],
            allow: &[],
            find: &|_| Vec::new(),
        };
        let rewritten = rewrite(self.before, &[found], &[], &rewriting);
        let is_made = rewritten.made.is_some_and(|made| {
            let after = made.checked().after().source();
            after.text() == self.after.source().text()
        });
        is_made.then_some(Generalization { reading, ..general })
    }

    /// Returns the generalizations of a single token: every token with this text and reading, and those of all readings.
    fn of_token(&self) -> Vec<Generalization> {
        let text = self.text(self.old);
        // A token that the new text has too would match again.
        let is_kept = self.kept.contains(&(self.old.kind(), text.clone()));
        let is_name = has_word(&text, |word| {
            !word.starts_with(|c: char| c.is_ascii_digit())
        });
        if is_kept || !is_name {
            return Vec::new();
        }
        let general = Generalization {
            replacement: self.new_text(self.new),
            reading: ANY_READING,
            pattern: text,
        };
        let Some(of_one) = self.read(general.clone()) else {
            return Vec::new();
        };
        let is_other = Pattern::new(&general.pattern, self.old.language())
            .map(|pattern| pattern.find(self.before, MATCHES))
            .is_ok_and(|matches| {
                let mut found = matches.found.iter();
                found.any(|one| one.reading != of_one.reading)
            });
        let of_all = is_other.then_some(general);
        [of_one].into_iter().chain(of_all).collect()
    }

    /// Collects the parts of a node before the change that become placeholders. `in_head` is whether it is next to a
    /// list, such as the function of a call.
    fn old_parts(
        &self,
        node: Node<'p>,
        path: &Path,
        in_head: bool,
        breadth: Breadth,
        parts: &mut Vec<Part>,
    ) {
        let children = node.own_children();
        let has_list = |node: &Node<'_>| is_list(*node);
        let is_list = has_list(&node);
        let has_lists = children.iter().any(has_list);
        let has_body = children.iter().any(|child| child.body().is_some());
        let last_named = children.iter().rposition(|child| child.is_named());
        // Some grammars have the object and the name of a method next to its arguments.
        let last_head = children
            .iter()
            .rposition(|child| child.is_named() && !child.is_extra() && !has_list(child));
        let run = match is_list || node.body().is_some() {
            true => self.run(node, breadth),
            false => None,
        };
        let run_span = run.as_ref().map(|run| run.span);
        parts.extend(run);
        for (index, child) in children.into_iter().enumerate() {
            let span = self.before.trimmed(child.span());
            if !child.is_named()
                || child.is_extra()
                || run_span.is_some_and(|run| run.contains(span))
            {
                continue;
            }
            let mut own = path.clone();
            own.push((node.kind_id(), index));
            let text = self.text(child);
            let is_head = has_lists && !has_list(&child);
            let place = Place {
                is_member: is_list,
                is_object: in_head && Some(index) != last_named
                    || is_head && Some(index) < last_head,
                is_name: has_body,
                is_head: is_head || in_head,
                is_in_place: self.places.contains(&(own.clone(), text.clone())),
            };
            let is_kept = self.kept.contains(&(child.kind(), text.clone()));
            // Lists and bodies are taken by their members.
            let has_members = has_list(&child) || child.body().is_some();
            match is_kept && !has_members && breadth.takes(child, &text, &place) {
                true => parts.push(Part {
                    span,
                    kind: child.kind().to_string(),
                    texts: vec![text],
                    is_several: false,
                }),
                false => {
                    let in_head = place.is_head && !has_list(&child);
                    self.old_parts(child, &own, in_head, breadth, parts);
                }
            }
        }
    }

    /// Returns the members of a list that become one placeholder: all of them if the change keeps the list, or if it only
    /// adds members at an end or removes some there.
    fn run(&self, list: Node<'p>, breadth: Breadth) -> Option<Part> {
        let members = members(list);
        let texts: Vec<String> = members.iter().map(|member| self.text(*member)).collect();
        let is_kept = self.kept.contains(&(list.kind(), self.text(list)));
        let whole = 0..members.len();
        let range = match is_kept {
            true => whole,
            false if breadth.width < Width::Names || !is_list(list) => return None,
            false => {
                let mut open = vec![self.new];
                let mut found = None;
                while let Some(node) = open.pop() {
                    if node.kind() == list.kind() {
                        let others: Vec<String> = self::members(node)
                            .iter()
                            .map(|member| self.new_text(*member))
                            .collect();
                        found = found.or(common_end(&texts, &others));
                    }
                    open.extend(node.own_children());
                }
                found?
            }
        };
        let (first, last) = (members.get(range.start)?, members[range.clone()].last()?);
        Some(Part {
            span: Span::new(
                self.before.trimmed(first.span()).start(),
                self.before.trimmed(last.span()).end(),
            ),
            kind: String::new(),
            texts: texts[range].to_vec(),
            is_several: true,
        })
    }

    /// Collects the parts of a node after the change that are placeholders of the pattern.
    fn new_parts(
        &self,
        node: Node<'p>,
        parts: &[Part],
        names: &[String],
        found: &mut Vec<(Span, String)>,
    ) {
        let text = self.new_text(node);
        let mut all = parts.iter().zip(names);
        let own = all.find(|(part, _)| {
            !part.is_several && part.kind == node.kind() && part.texts == [text.as_str()]
        });
        if let Some((_, name)) = own {
            found.push((self.after.trimmed(node.span()), name.clone()));
            return;
        }
        let mut run = None;
        if is_list(node) || node.body().is_some() {
            let members = members(node);
            let texts: Vec<String> = members.iter().map(|one| self.new_text(*one)).collect();
            let mut all = parts.iter().zip(names).filter(|(part, _)| part.is_several);
            run = all.find_map(|(part, name)| {
                let mut windows = texts.windows(part.texts.len());
                let at = windows.position(|window| window == part.texts)?;
                let last = members[at + part.texts.len() - 1];
                let span = Span::new(
                    self.after.trimmed(members[at].span()).start(),
                    self.after.trimmed(last.span()).end(),
                );
                Some((span, name.clone()))
            });
            found.extend(run.clone());
        }
        for child in node.own_children() {
            let span = self.after.trimmed(child.span());
            if !run
                .as_ref()
                .is_some_and(|(run, _): &(Span, String)| run.contains(span))
            {
                self.new_parts(child, parts, names, found);
            }
        }
    }

    /// Returns the example as a match of its generalization, and the replacement.
    fn found(&self, general: &Generalization) -> Option<(Match<'p>, Template)> {
        let pattern = Pattern::new(&general.pattern, self.old.language());
        let pattern = pattern.and_then(Pattern::of_one_node).ok()?;
        let template = Template::new(&general.replacement, &general.pattern).ok()?;
        let matches = pattern.find(self.before, MATCHES);
        let span = self.before.trimmed(self.old.span());
        let mut own = matches.found.into_iter();
        let own = own.find(|found| self.before.trimmed(found.span()) == span)?;
        Some((own, template))
    }

    fn text(&self, node: Node<'_>) -> String {
        let span = self.before.trimmed(node.span());
        self.before.source().slice(span).into_owned()
    }

    fn new_text(&self, node: Node<'_>) -> String {
        let span = self.after.trimmed(node.span());
        self.after.source().slice(span).into_owned()
    }
}

/// Where a node is.
struct Place {
    /// Whether it is a member of a list.
    is_member: bool,
    /// Whether it is next to a list, or a part of such a node.
    is_head: bool,
    /// Whether it is a part of such a node, but not the last one, which names what is called.
    is_object: bool,
    /// Whether it is next to a body, such as the name of a function.
    is_name: bool,
    /// Whether it is in the same place after the change.
    is_in_place: bool,
}

impl Breadth {
    /// Returns whether a node that the change keeps becomes a placeholder.
    fn takes(self, node: Node<'_>, text: &str, place: &Place) -> bool {
        let width = self.width;
        let is_free = match place.is_in_place {
            true => width >= Width::Names,
            false => width >= Width::Moved,
        };
        if is_constant(node, text) {
            return width == Width::Constants && !place.is_head;
        }
        if place.is_member {
            return true;
        }
        if place.is_head {
            let may_be_free = place.is_object || place.is_name;
            return may_be_free && (is_free || contains_list(node) && !self.descends);
        }
        match node.child_count() {
            0 => is_free,
            _ => !self.descends || width > Width::Exact && !contains_list(node),
        }
    }
}

/// Names the parts in the order of the text; those with the same text have the same name.
fn names(parts: &[Part]) -> Vec<String> {
    let mut known: Vec<&Part> = Vec::new();
    let names = parts.iter().map(|part| {
        let is_same = |one: &&Part| {
            (&one.kind, &one.texts, one.is_several) == (&part.kind, &part.texts, part.is_several)
        };
        let index = known.iter().position(is_same).unwrap_or_else(|| {
            known.push(part);
            known.len() - 1
        });
        let letter = char::from(b'A' + (index % 26) as u8);
        let sign = if part.is_several { "$$$" } else { "$" };
        match index / 26 {
            0 => format!("{sign}{letter}"),
            repeated => format!("{sign}{letter}{repeated}"),
        }
    });
    names.collect()
}

/// Returns the text of a node with placeholders, without the indentation of its first line. Returns `None` if they
/// overlap.
fn with_names(parsed: &Parsed, node: Node<'_>, parts: &[(Span, String)]) -> Option<String> {
    let source = parsed.source();
    let span = parsed.trimmed(node.span());
    let mut parts: Vec<&(Span, String)> = parts.iter().collect();
    parts.sort_by_key(|(span, _)| span.start());
    let mut text = String::new();
    let mut end = span.start();
    let mut is_after_several = false;
    for (span, name) in parts {
        if span.start() < end {
            return None;
        }
        let is_several = name.starts_with("$$$");
        let code = source.slice(Span::new(end, span.start()));
        text.push_str(&on_one_line(&code, is_after_several, is_several));
        text.push_str(name);
        is_after_several = is_several;
        end = span.end();
    }
    let code = source.slice(Span::new(end, span.end()));
    text.push_str(&on_one_line(&code, is_after_several, false));
    let line = &source.text()[..span.start()];
    let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
    let depth = &line[..line.len() - line.trim_start().len()];
    let text = text.replace("\r\n", "\n");
    Some(text.replace(&format!("\n{depth}"), "\n"))
}

/// Returns code without the line break after `$$$` before it, and before `$$$` after it: a replacement of one line keeps
/// the line breaks of each match.
fn on_one_line(code: &str, is_after_several: bool, is_before_several: bool) -> String {
    let (after, before) = (code.trim_start(), code.trim_end());
    let leading = &code[..code.len() - after.len()];
    let trailing = &code[before.len()..];
    let space = |is_tight: bool| if is_tight { "" } else { " " };
    let leading = match is_after_several && leading.contains('\n') {
        true => space(after.starts_with([')', ']', ','])),
        false => leading,
    };
    let trailing = match is_before_several && trailing.contains('\n') {
        true => space(before.ends_with(['(', '['])),
        false => trailing,
    };
    match code.trim() {
        "" => leading.to_string(),
        own => [leading, own, trailing].concat(),
    }
}

/// Returns whether a node is a list in brackets. Without them, such as in `return a`, its members are like other nodes.
fn is_list(node: Node<'_>) -> bool {
    let is_bracket = |child: Option<Node<'_>>| child.is_some_and(|child| !child.is_named());
    node.list().is_some() && is_bracket(node.first_child()) && is_bracket(node.last_child())
}

/// Returns the named children of a list that are not comments.
fn members(list: Node<'_>) -> Vec<Node<'_>> {
    let mut all = list.own_children();
    all.retain(|child| child.is_named() && !child.is_extra());
    all
}

/// Returns which members of a list are at an end of another, if those are all members of one of the two.
fn common_end(own: &[String], others: &[String]) -> Option<Range<usize>> {
    let (len, shorter) = (own.len(), own.len().min(others.len()));
    if shorter == 0 {
        return None;
    }
    if own[..shorter] == others[..shorter] {
        return Some(0..shorter);
    }
    (own[len - shorter..] == others[others.len() - shorter..]).then_some(len - shorter..len)
}

/// Returns whether a node is a number, or named like the word that it is (`None`, `true`, `this`).
fn is_constant(node: Node<'_>, text: &str) -> bool {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    node.child_count() == 0 && (is_number || node.kind().eq_ignore_ascii_case(text))
}

fn contains_list(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if is_list(node) {
            return true;
        }
        open.extend(node.own_children());
    }
    false
}

/// Returns a text with a space for each line break and the whitespace around it; next to a bracket, with nothing.
fn in_one_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    let mut joined = lines.next().unwrap_or_default().to_string();
    for line in lines {
        let is_in_bracket = joined.ends_with(['(', '[', '{']) || line.starts_with([')', ']', '}']);
        if !is_in_bracket && !line.is_empty() {
            joined.push(' ');
        }
        joined.push_str(line);
    }
    joined
}

/// Returns whether a node is a list with nothing but its members, which say too little alone.
fn has_only_members(node: Node<'_>) -> bool {
    let children = node.own_children();
    let bracket = children.iter().position(|child| child.bracket() > 0);
    node.list().is_some() && bracket.is_none_or(|first| first == 0)
}

/// Returns whether a pattern has such a word outside its placeholders.
fn has_word(pattern: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
    let mut end = 0;
    let mut rest: Vec<Range<usize>> = Vec::new();
    for range in placeholders(pattern) {
        rest.push(end..range.start);
        end = range.end;
    }
    rest.push(end..pattern.len());
    rest.into_iter().any(|part| {
        let mut words = words(pattern, part).into_iter();
        words.any(|word| word.kind == TokenKind::Word && is_wanted(&pattern[word.range]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    /// Returns the generalizations of a change from one text to another, with readings other than that of expressions.
    fn general(path: &str, old: &str, new: &str) -> Vec<String> {
        let language = crate::language::for_file(path, old);
        let before = Parsed::parse(Source::new(path, language, old.to_string()));
        let change = Replacement {
            span: Span::new(0, old.len()),
            new_text: new.to_string(),
        };
        let all = generalizations(&before, &change).into_iter();
        all.map(|one| {
            let own = format!("{} -> {}", one.pattern, one.replacement);
            match one.reading {
                "expression" | "statement" | "code" => own,
                reading => format!("{reading}: {own}"),
            }
        })
        .collect()
    }

    #[test]
    fn a_call_in_several_lines_is_generalized_in_one() {
        let old = "f(a.b,\n  g(\n    1\n  ), old)\n";
        let all = general("a.py", old, &old.replace("old", "new(x)"));
        assert_eq!(all[0], "f($A, $B, old) -> f($A, $B, new(x))", "{all:?}");
        // Here, the lines are code.
        let old = "if a:\n    f(1)\n    old(2)\n";
        let all = general(
            "a.py",
            old,
            &old.replace("old(2)\n", "with b:\n        old(2)\n"),
        );
        assert!(
            all.iter().all(|one| !one.contains("with b: old")),
            "{all:?}"
        );
    }

    #[test]
    fn the_object_of_a_method_becomes_a_placeholder() {
        for (path, text) in [
            ("A.java", "class A { boolean f(B b) { return _; } }\n"),
            ("a.rb", "x = _\n"),
            ("a.js", "x = _;\n"),
        ] {
            let texts = ["b.size() > 0", "!b.any()"].map(|own| text.replace('_', own));
            let all = general(path, &texts[0], &texts[1]);
            let expected = "$A.size() > 0 -> !$A.any()";
            assert!(all.iter().any(|one| one == expected), "{path}: {all:?}");
        }
    }

    #[test]
    fn changes_of_expressions_are_generalized() {
        for (old, new, expected) in [
            (
                "same(a.b, g(1))\n",
                "same(g(1), a.b)\n",
                &["same($A, $B) -> same($B, $A)"][..],
            ),
            (
                "x = unicode(y)\n",
                "x = str(y)\n",
                &["unicode($$$A) -> str($$$A)", "unicode -> str"],
            ),
            (
                "log.warn('a', b)\n",
                "log.warning('a', b)\n",
                &[
                    "log.warn -> log.warning",
                    "$A.warn -> $A.warning",
                    "member: warn -> warning",
                ],
            ),
            (
                "x = y[:]\n",
                "x = y.copy()\n",
                &["y[:] -> y.copy()", "$A[:] -> $A.copy()"],
            ),
            ("x = (y)\n", "x = y\n", &["(y) -> y"]),
            (
                "f(x, True)\n",
                "f(x, strict=True)\n",
                &[
                    "f($A, True) -> f($A, strict=True)",
                    "f($A, $B) -> f($A, strict=$B)",
                ],
            ),
            (
                "f(x, y)\n",
                "f(x, y, z)\n",
                &["f($A, $B) -> f($A, $B, z)", "f($$$A) -> f($$$A, z)"],
            ),
            (
                "f(x, None)\n",
                "f(x)\n",
                &["f($A, None) -> f($A)", "f($$$A, None) -> f($$$A)"],
            ),
            (
                "if d.has_key(k):\n    pass\n",
                "if k in d:\n    pass\n",
                &["d.has_key($A) -> $A in d", "$A.has_key($B) -> $B in $A"],
            ),
            (
                "if type(a.b) == int:\n    pass\n",
                "if type(a.b) is int:\n    pass\n",
                &[
                    "type($$$A) == int -> type($$$A) is int",
                    "$A == int -> $A is int",
                    "type($$$A) == $B -> type($$$A) is $B",
                ],
            ),
            (
                "isinstance(x, basestring)\n",
                "isinstance(x, str)\n",
                &[
                    "isinstance($A, basestring) -> isinstance($A, str)",
                    "basestring -> str",
                ],
            ),
            (
                "if a == 0:\n    return a\n",
                "if a == None:\n    return a\n",
                &["a == 0 -> a == None", "$A == 0 -> $A == None"],
            ),
            (
                "def f():\n    return a\n",
                "def f():\n    return g(a)\n",
                &["return a -> return g(a)", "return $A -> return g($A)"],
            ),
            (
                "def f(self):\n    a = 1\n    return a\n",
                "def f(cls):\n    a = 1\n    return a\n",
                &[
                    "def f(self): $$$A -> def f(cls): $$$A",
                    "def $A(self): $$$B -> def $A(cls): $$$B",
                    "self -> cls",
                ],
            ),
        ] {
            assert_eq!(general("a.py", old, new), expected, "{old}");
        }
    }

    #[test]
    fn a_generalization_has_its_reading() {
        let typescript = |old: &str, new: &str| general("a.ts", old, new);
        assert_eq!(
            typescript(
                "class A extends B {\n  async f(a: X) {\n    g();\n    h();\n  }\n  k() {}\n}\n",
                "class A extends B {\n  f(a: X) {\n    g();\n    h();\n  }\n  k() {}\n}\n",
            ),
            [
                "member: async f($$$A) { $$$B } -> f($$$A) { $$$B }",
                "member: async $A($$$B) { $$$C } -> $A($$$B) { $$$C }",
            ]
        );
        assert_eq!(
            typescript(
                "let old: old = {old: 1};\nold.f();\n",
                "let young: old = {old: 1};\nold.f();\n",
            ),
            ["old -> young", "any: old -> young"]
        );
    }

    #[test]
    fn what_is_not_one_change_of_code_has_no_pattern() {
        for (old, new) in [
            ("a = 1\n", "a = 1\nb = 2\n"),
            ("a = 1\nb = 2\n", "b = 2\n"),
            ("x = 1\n", "x = 1\n"),
            ("", "x = 1\n"),
        ] {
            assert_eq!(general("a.py", old, new), [""; 0], "{old}");
        }
    }
}
