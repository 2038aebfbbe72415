//! The same change of a text said otherwise, for checks that a change passes if one way to say it does.

use crate::parse::{Node, Parsed};
use crate::select::{self, trimmed_node};
use crate::source::{Source, Span};

use super::{Composed, Content, Edited, Replacement, TextEdit, carried_out};

/// How many of the places are tried where the same lines may come or go.
const PLACES_TRIED: usize = 8;
/// How many of the nodes are tried that end before a place.
const NODES_TRIED: usize = 4;

/// A change that leads to the same text, and the nodes that it may be made in: each from the root down
/// to the one among whose children it is made.
pub(crate) struct Said<'p> {
    pub(crate) edited: Edited<'p>,
    pub(crate) containers: Vec<Vec<Node<'p>>>,
}

/// The same change said otherwise: as whole lines that come or go where text came or went, nearest
/// first, or with the blanks on its other side. `x` that becomes `w;\n  x` brings the line `w;` in
/// before that of `x`. Nothing where text came and other text went.
pub(crate) fn otherwise<'p>(edited: &Edited<'p>) -> impl Iterator<Item = Said<'p>> {
    let before = edited.selection.parsed();
    let after = edited.after.source();
    let run = Run::of(before.source(), after, &edited.text_edit);
    let places = run.map(|run| run.places()).unwrap_or_default();
    places.into_iter().map(move |place| {
        let span = place.span;
        let composed = Composed {
            content: Content {
                replacement: 0,
                start: 0,
                len: place.new_text.len(),
            },
            container: strictly_around(before, span),
            gone: Vec::from_iter((!span.is_empty()).then_some(span)),
            replacements: vec![Replacement {
                span,
                new_text: place.new_text,
            }],
            notes: Vec::new(),
        };
        let edited = Edited {
            may_merge: place.may_merge,
            ..carried_out(&edited.selection, composed)
        };
        let mut containers = vec![edited.container.clone()];
        if !edited.may_merge {
            containers.extend(before_lines(&edited, span));
        }
        Said { edited, containers }
    })
}

/// Where a change could be made as well.
struct Place {
    span: Span,
    new_text: String,
    may_merge: bool,
}

/// Text that came or that went, and nothing else: a part of the longer of two texts.
struct Run<'a> {
    longer: &'a str,
    start: usize,
    len: usize,
    came: bool,
}

impl<'a> Run<'a> {
    fn of(before: &'a Source, after: &'a Source, edit: &TextEdit) -> Option<Run<'a>> {
        let (hull, new_hull) = (edit.hull(), edit.new_hull());
        let (old, new) = (before.slice(hull), after.slice(new_hull));
        let came = new.len() > old.len();
        let (short, long) = if came { (&old, &new) } else { (&new, &old) };
        let pairs = short.bytes().zip(long.bytes());
        let ahead = pairs.take_while(|(one, other)| one == other).count();
        let behind = short.len() - ahead;
        let is_run =
            long.len() > short.len() && long.as_bytes().ends_with(&short.as_bytes()[ahead..]);
        is_run.then(|| Run {
            longer: if came { after.text() } else { before.text() },
            start: hull.start() + ahead,
            len: long.len() - ahead - behind,
            came,
        })
    }

    fn places(&self) -> Vec<Place> {
        let (text, run) = (self.longer.as_bytes(), self.len);
        // How far the run can begin earlier or later, over such bytes.
        let earlier = |over: fn(u8) -> bool| {
            let by = (1..=self.start).take_while(|by| {
                let passed = text[self.start - by];
                passed == text[self.start - by + run] && over(passed)
            });
            self.start - by.count()
        };
        let later = |over: fn(u8) -> bool| {
            let passed = (self.start..text.len() - run)
                .take_while(|at| text[*at] == text[*at + run] && over(text[*at]));
            self.start + passed.count()
        };
        let starts_line = |at: &usize| *at == 0 || text[at - 1] == b'\n';
        let all = earlier(|_| true)..=later(|_| true);
        let mut starts: Vec<usize> = all.filter(starts_line).collect();
        starts.sort_by_key(|at| at.abs_diff(self.start));
        starts.truncate(PLACES_TRIED);
        let place = |at: usize, may_merge| match self.came {
            true => Place {
                span: Span::at(at),
                new_text: self.longer[at..at + run].to_string(),
                may_merge,
            },
            false => Place {
                span: Span::new(at, at + run),
                new_text: String::new(),
                may_merge,
            },
        };
        let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
        let beside = [later(is_blank), earlier(is_blank)];
        let beside = beside.into_iter().filter(|at| *at != self.start);
        let whole = starts.into_iter().map(|at| place(at, false));
        whole.chain(beside.map(|at| place(at, true))).collect()
    }
}

/// The nodes that end before lines which come or go, and may end with them: a class that gets another
/// method. What was not named stays as it is, and so does what begins behind them.
fn before_lines<'p>(edited: &Edited<'p>, span: Span) -> Vec<Vec<Node<'p>>> {
    let parsed = edited.selection.parsed();
    let depth = edited.container.len();
    let last = parsed.source().text()[..span.end()].trim_end().len();
    let ends = |node: &&Node<'_>| {
        let own = trimmed_node(parsed, **node);
        let is_named = own.touches(edited.selection.span());
        is_named && own.end() == last && own.start() < span.start()
    };
    let chain = parsed.chain(Span::new(last.saturating_sub(1), last));
    if chain.get(..depth) != Some(&edited.container[..]) {
        return Vec::new();
    }
    let below = chain[depth..].iter().take_while(ends).take(NODES_TRIED);
    let below = below.count();
    (1..=below).map(|by| chain[..depth + by].to_vec()).collect()
}

/// The nodes from the root down to the smallest that begins before `span` and ends behind it.
fn strictly_around(parsed: &Parsed, span: Span) -> Vec<Node<'_>> {
    let mut chain = parsed.chain(span);
    let is_around = |node: &Node<'_>| {
        let own = trimmed_node(parsed, *node);
        own.start() < span.start() && span.end() < own.end()
    };
    let inner = chain.iter().skip(1).take_while(|node| is_around(node));
    let depth = 1 + inner.count();
    chain.truncate(depth);
    chain
}

/// All that several edits of `before` came to, as one change of the text from the first of them to the
/// last.
pub(crate) fn as_one<'p>(before: &'p Parsed, all: &TextEdit) -> Edited<'p> {
    let hull = all.hull();
    let selection = select::all_of(before, hull);
    let replacements = all.replacements();
    let gone = replacements.iter().map(|one| one.span);
    let composed = Composed {
        content: Content {
            replacement: 0,
            start: 0,
            len: replacements[0].new_text.len(),
        },
        container: strictly_around(before, hull),
        gone: gone.filter(|span| !span.is_empty()).collect(),
        replacements: replacements.to_vec(),
        notes: Vec::new(),
    };
    Edited {
        new_span: all.new_hull(),
        ..carried_out(&selection, composed)
    }
}
