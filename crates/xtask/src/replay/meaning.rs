//! What a hunk did, in terms of nodes: two trees come in, the operation a person would ask for goes
//! out, or why there is none.

use treegraft::edit::InsertPosition;
use treegraft::parse::{Node, Parsed};
use treegraft::source::Span;

use super::history::Hunk;

/// How many lines a side of a hunk may have.
const LARGEST: usize = 60;

/// An operation that leads from the old text to the wanted one. Spans called `new` are in the wanted
/// text, all else is of the old one; a chain goes from the root down to the node.
pub(crate) enum Meant<'p> {
    Replace {
        chain: Vec<Node<'p>>,
        new: Span,
        include_attached: bool,
    },
    Insert {
        chain: Vec<Node<'p>>,
        position: InsertPosition,
        new: Span,
    },
    Delete {
        chains: Vec<Vec<Node<'p>>>,
    },
    /// The text that changed.
    Text,
}

/// What a hunk did: the operation that fits it best, and the others that do as well.
pub(crate) struct Meaning<'p> {
    pub(crate) best: Meant<'p>,
    pub(crate) others: Vec<Meant<'p>>,
}

/// Why a hunk is not converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Skip {
    Large,
    Blank,
    NoLanguage,
    Frame,
    BreaksSyntax,
    BrokenBefore,
    NoNode,
    NoFind,
}

impl Skip {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Skip::Large => "more than 60 lines go or come",
            Skip::Blank => "nothing but white space changes",
            Skip::NoLanguage => "no grammar reads the file",
            Skip::Frame => {
                "the kind of line breaks, the last of them or the BOM changes, which a file keeps"
            }
            Skip::BreaksSyntax => "the hunk without the rest of its commit breaks the syntax",
            Skip::BrokenBefore => "the old text does not parse at the place",
            Skip::NoNode => "no selector was found for a node",
            Skip::NoFind => "no find was found for the text",
        }
    }
}

/// Whether a hunk is left out whatever it did.
pub(crate) fn skipped_at_once(before: &str, hunk: &Hunk) -> Option<Skip> {
    if hunk.lines.0.max(hunk.lines.1) > LARGEST {
        Some(Skip::Large)
    } else if ink(&before[hunk.old.clone()]) == ink(&hunk.new) {
        Some(Skip::Blank)
    } else {
        None
    }
}

/// Whether a hunk changes what is no content: line breaks of another kind than the file has there, whether there is one at
/// its end, and its BOM stay (design.md section 6).
fn changes_frame(before: &Parsed, wanted: &Parsed, hunk: &Hunk) -> bool {
    const BOM: char = '\u{feff}';
    let (old, new) = (before.source().text(), wanted.source().text());
    let kind = before.source().line_ending_at(hunk.old.start);
    let breaks = hunk.new.matches('\n').count();
    let with_return = hunk.new.matches("\r\n").count();
    let other_kind = match kind {
        "\n" => with_return > 0,
        _ => with_return < breaks,
    };
    other_kind
        || old.ends_with('\n') != new.ends_with('\n')
        || old.starts_with(BOM) != new.starts_with(BOM)
}

/// A text without its white space.
pub(crate) fn ink(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// What a hunk did.
pub(crate) fn mean<'p>(
    before: &'p Parsed,
    wanted: &'p Parsed,
    hunk: &Hunk,
) -> Result<Meaning<'p>, Skip> {
    if changes_frame(before, wanted, hunk) {
        return Err(Skip::Frame);
    }
    let (old, new) = difference(before.source().text(), wanted.source().text());
    let at = |parsed: &Parsed, span: Span| {
        let mut problems = parsed.problems().iter();
        problems.any(|one| one.span.touches(span))
    };
    let is_worse = wanted.problems().len() > before.problems().len()
        || (at(wanted, new) && !at(before, old))
        || (wanted.strict_problem().is_some() && before.strict_problem().is_none());
    if is_worse {
        return Err(Skip::BreaksSyntax);
    }
    let pair = Pair::descend(before, wanted, hunk);
    let node = pair.old[pair.old.len() - 1];
    if node.is_error() || pair.gone.iter().any(|node| node.has_error()) {
        return Err(Skip::BrokenBefore);
    }
    let nodes = match (pair.gone.is_empty(), pair.come.is_empty()) {
        (true, false) => pair.inserted(),
        (false, true) => pair.deleted(),
        (false, false) => pair.replaced(),
        (true, true) => None,
    };
    let is_small = |meant: &Meant<'_>| match meant {
        Meant::Replace { chain, .. } => pair.is_in_hunk(chain[chain.len() - 1]),
        _ => true,
    };
    let whole = pair.whole();
    let mut ways: Vec<Meant<'p>> = Vec::new();
    let (first, later): (Vec<_>, Vec<_>) = nodes.into_iter().chain(whole).partition(is_small);
    ways.extend(first);
    ways.push(Meant::Text);
    ways.extend(later);
    let mut ways = ways.into_iter();
    let best = ways.next().ok_or(Skip::NoNode)?;
    Ok(Meaning {
        best,
        others: ways.collect(),
    })
}

/// The smallest nodes of two trees that the change lies in, and which of their children differ.
struct Pair<'p, 'h> {
    before: &'p Parsed,
    wanted: &'p Parsed,
    hunk: &'h Hunk,
    old: Vec<Node<'p>>,
    new: Vec<Node<'p>>,
    /// The named children before and behind those that differ, in the old text.
    front: Vec<Node<'p>>,
    back: Vec<Node<'p>>,
    gone: Vec<Node<'p>>,
    come: Vec<Node<'p>>,
}

impl<'p, 'h> Pair<'p, 'h> {
    fn descend(before: &'p Parsed, wanted: &'p Parsed, hunk: &'h Hunk) -> Pair<'p, 'h> {
        let mut pair = Pair {
            before,
            wanted,
            hunk,
            old: vec![before.root()],
            new: vec![wanted.root()],
            front: Vec::new(),
            back: Vec::new(),
            gone: Vec::new(),
            come: Vec::new(),
        };
        loop {
            pair.compare();
            let ([gone], [come]) = (&pair.gone[..], &pair.come[..]) else {
                return pair;
            };
            let (gone, come) = (*gone, *come);
            let is_same = gone.kind() == come.kind();
            if !is_same || !pair.is_around(trimmed(before, gone), trimmed(wanted, come)) {
                return pair;
            }
            pair.old.push(gone);
            pair.new.push(come);
        }
    }

    /// Finds the children that differ.
    fn compare(&mut self) {
        let named = |parsed: &'p Parsed, chain: &[Node<'p>]| {
            let children = parsed.children(chain[chain.len() - 1]).into_iter();
            let has_text =
                |child: &Node<'_>| child.is_named() && !parsed.text_of(*child).trim().is_empty();
            children.filter(has_text).collect::<Vec<_>>()
        };
        let old = named(self.before, &self.old);
        let new = named(self.wanted, &self.new);
        let is_same = |(own, other): &(&Node<'_>, &Node<'_>)| {
            let texts = (self.before.text_of(**own), self.wanted.text_of(**other));
            own.kind() == other.kind() && texts.0.trim() == texts.1.trim()
        };
        let front = old.iter().zip(&new).take_while(is_same).count();
        let most = old.len().min(new.len()) - front;
        let backwards = old.iter().rev().zip(new.iter().rev());
        let back = backwards.take(most).take_while(is_same).count();
        self.gone = old[front..old.len() - back].to_vec();
        self.come = new[front..new.len() - back].to_vec();
        self.front = old[..front].to_vec();
        self.back = old[old.len() - back..].to_vec();
        self.turn(&old, &new);
        // What is attached to a node that changed is said again with it.
        let begins_attached = |nodes: &[Node<'_>]| {
            nodes.len() > 1 && nodes.first().is_some_and(|first| is_attached(*first))
        };
        if !begins_attached(&self.gone) && !begins_attached(&self.come) {
            return;
        }
        let text = self.before.source().text();
        while let (Some(previous), Some(first)) = (self.front.last().copied(), self.gone.first())
            && is_attached(previous)
            && breaks(
                text,
                trimmed(self.before, previous),
                trimmed(self.before, *first),
            ) <= 1
        {
            self.front.pop();
            self.gone.insert(0, previous);
            self.come.insert(0, new[self.front.len()]);
        }
    }

    /// What came, or went, begins with what is attached to it, where the next one has the same: of
    /// `#[test] fn a() {} #[test] fn b() {}` nobody takes `fn a() {} #[test]` out.
    fn turn(&mut self, old: &[Node<'p>], new: &[Node<'p>]) {
        let text = |parsed: &Parsed, node: Node<'_>| parsed.text_of(node).trim().to_string();
        let (parsed, all) = match (self.gone.is_empty(), self.come.is_empty()) {
            (true, false) => (self.wanted, new),
            (false, true) => (self.before, old),
            _ => return,
        };
        loop {
            let run = if self.come.is_empty() {
                &self.gone
            } else {
                &self.come
            };
            let (Some(last), Some(ahead)) = (run.last(), self.front.last()) else {
                return;
            };
            let is_bare = run.iter().all(|node| is_attached(*node));
            let is_same =
                ahead.kind() == last.kind() && text(self.before, *ahead) == text(parsed, *last);
            if is_bare || !is_attached(*last) || !is_same {
                return;
            }
            let (first, count) = (self.front.len() - 1, run.len());
            let turned = all[first..first + count].to_vec();
            let next = old[if self.come.is_empty() {
                first + count
            } else {
                first
            }];
            match self.come.is_empty() {
                true => self.gone = turned,
                false => self.come = turned,
            }
            self.front.pop();
            self.back.insert(0, next);
        }
    }

    /// Whether the lines outside of two spans are the same but for blank ones, and for what parts the
    /// nodes in them from those before.
    fn lines_are_around(&self, old: Span, new: Span) -> bool {
        fn inked(text: &str) -> Vec<&str> {
            let lines = text.lines().map(str::trim_end);
            lines.filter(|line| !line.is_empty()).collect()
        }
        // Of prose a comma is a part of the words.
        let is_prose = self.old.last().is_some_and(|node| node.kind() == "inline");
        let signs: &[char] = if is_prose { &[] } else { &[',', ';'] };
        let (before, wanted) = (self.before.source().text(), self.wanted.source().text());
        let mut ahead = [&before[..old.start()], &wanted[..new.start()]].map(inked);
        if let [Some(one), Some(other)] = ahead.each_mut().map(|lines| lines.last_mut()) {
            (*one, *other) = (one.trim_end_matches(signs), other.trim_end_matches(signs));
        }
        let behind = [&before[old.end()..], &wanted[new.end()..]].map(|text| {
            let rest = text
                .trim_start_matches([' ', '\t', '\r'])
                .trim_start_matches(signs);
            let rest = rest.trim_start_matches([' ', '\t', '\r']);
            let ends_line = rest.is_empty() || rest.starts_with('\n');
            inked(if ends_line { rest } else { text })
        });
        ahead[0] == ahead[1] && behind[0] == behind[1]
    }

    /// Whether each of the nodes, comments aside, begins a line.
    fn begin_lines(&self, parsed: &Parsed, nodes: &[Node<'_>]) -> bool {
        let text = parsed.source().text();
        let begins = |node: &Node<'_>| begins_line(text, trimmed(parsed, *node).start());
        let mut others = nodes.iter().filter(|node| !is_comment(**node));
        others.all(begins)
    }

    /// Whether the texts outside of two spans are the same.
    fn is_around(&self, old: Span, new: Span) -> bool {
        let (before, wanted) = (self.before.source().text(), self.wanted.source().text());
        before[..old.start()] == wanted[..new.start()] && before[old.end()..] == wanted[new.end()..]
    }

    fn come_span(&self) -> Option<Span> {
        hull(self.wanted, &self.come)
    }

    fn chain_to(&self, node: Node<'p>) -> Vec<Node<'p>> {
        let mut chain = self.old.clone();
        chain.push(node);
        chain
    }

    /// Whether the lines of a node are all among those of the hunk.
    fn is_in_hunk(&self, node: Node<'p>) -> bool {
        let span = trimmed(self.before, node);
        self.hunk.old.start <= span.start() && span.end() <= self.hunk.old.end
    }

    /// The new children as an insertion, if they have lines of their own.
    fn inserted(&self) -> Option<Meant<'p>> {
        let new = self.come_span()?;
        let at = match (self.front.last(), self.back.first()) {
            (Some(previous), _) => trimmed(self.before, *previous).end(),
            (None, Some(next)) => {
                let start = trimmed(self.before, *next).start();
                line_start(self.before.source().text(), start)
            }
            (None, None) => self.hunk.old.start,
        };
        let text = self.wanted.source().text();
        let last_is_next_ones = self.come.last().is_some_and(|last| is_comment(*last))
            && !self.come.iter().all(|node| is_attached(*node));
        let gone = &self.before.source().text()[self.hunk.old.clone()];
        // Where a blank line goes, lines do not only come.
        if last_is_next_ones
            || gone.lines().any(|line| line.trim().is_empty())
            || !self.lines_are_around(Span::at(at), new)
            || !has_lines(text, new)
            || !self.begin_lines(self.wanted, &self.come)
        {
            return None;
        }
        let (chain, position) = self.place(new)?;
        Some(Meant::Insert {
            chain,
            position,
            new,
        })
    }

    /// Beside which node a person would put the new children.
    fn place(&self, new: Span) -> Option<(Vec<Node<'p>>, InsertPosition)> {
        let (old_text, new_text) = (self.before.source().text(), self.wanted.source().text());
        let start_of_new = new_text[..new.start()].trim_end();
        let blank_before = &new_text[start_of_new.len()..new.start()];
        if let Some(previous) = self.front.last().copied()
            && is_comment(previous)
            && blank_before.matches('\n').count() <= 1
            && self.has_line_start(previous)
        {
            return Some((self.chain_to(previous), InsertPosition::After));
        }
        // What is attached to a node is called by that node.
        let is_borne = |node: &&Node<'_>| is_attached(**node);
        let borne = self.back.iter().take_while(is_borne).count();
        let touch = |pair: &[Node<'_>]| {
            let spans = [pair[0], pair[1]].map(|node| trimmed(self.before, node));
            breaks(old_text, spans[0], spans[1]) <= 1
        };
        let next = match self.back.get(borne) {
            Some(bearer) if self.back[..=borne].windows(2).all(touch) => Some(*bearer),
            _ => self.back.first().copied(),
        };
        if let Some(next) = next {
            // It is put beside what it stands close to.
            let behind = &new_text[new.end()..];
            let blank_behind = &behind[..behind.len() - behind.trim_start().len()];
            let gaps = [blank_before, blank_behind].map(|blank| blank.matches('\n').count());
            if gaps[1] < gaps[0] && gaps[1] <= 1 {
                return Some((self.chain_to(next), InsertPosition::Before));
            }
        }
        let mut earlier = self.front.iter().rev().copied().peekable();
        while let Some(previous) = earlier.next() {
            // A comment behind the node before it is that node's; an attribute is the next one's.
            let start = trimmed(self.before, previous).start();
            let line = &old_text[..start];
            let line = &line[line.rfind('\n').map_or(0, |at| at + 1)..];
            let is_trailing = is_comment(previous) && !line.trim().is_empty();
            if is_trailing && earlier.peek().is_some() {
                continue;
            }
            // An attribute goes behind another one.
            let is_bare = self
                .come
                .iter()
                .all(|node| is_attached(*node) && !is_comment(*node));
            if is_attached(previous) && !is_comment(previous) && !is_bare {
                break;
            }
            return Some((self.chain_to(previous), InsertPosition::After));
        }
        if let Some(next) = next {
            return Some((self.chain_to(next), InsertPosition::Before));
        }
        // Without brackets round it there is no telling that things go into it.
        let holder = self.before.text_of(*self.old.last()?);
        if !holder.trim_start().starts_with(['{', '[', '(']) {
            return None;
        }
        // A body is called by the node it is the last part of.
        let mut chain = self.old.clone();
        if let [.., parent, node] = chain[..]
            && chain.len() > 2
            && parent.span().end() == node.span().end()
            && parent.span().start() < node.span().start()
        {
            chain.pop();
        }
        (chain.len() > 1).then_some((chain, InsertPosition::LastChild))
    }

    /// Whether a node has nothing before it in its line.
    fn has_line_start(&self, node: Node<'_>) -> bool {
        begins_line(
            self.before.source().text(),
            trimmed(self.before, node).start(),
        )
    }

    /// The old children as a deletion, if they had lines of their own.
    fn deleted(&self) -> Option<Meant<'p>> {
        let old = hull(self.before, &self.gone)?;
        let text = self.before.source().text();
        let at = line_start(text, old.start());
        let new = Span::at(at.min(self.wanted.source().len()));
        if !self.lines_are_around(old, new)
            || !has_lines(text, old)
            || !self.begin_lines(self.before, &self.gone)
        {
            return None;
        }
        Some(Meant::Delete {
            chains: self.gone.iter().map(|node| self.chain_to(*node)).collect(),
        })
    }

    /// One old child, with what is attached to it, that became others.
    fn replaced(&self) -> Option<Meant<'p>> {
        let (last, attached) = self.gone.split_last()?;
        let old = hull(self.before, &self.gone)?;
        let new = self.come_span()?;
        let bears = !is_attached(*last) && !is_attached(*self.come.last()?);
        let may_be = attached.is_empty() || bears;
        if !attached.iter().all(|node| is_attached(*node)) || !may_be || !self.is_around(old, new) {
            return None;
        }
        Some(Meant::Replace {
            chain: self.chain_to(*last),
            new,
            include_attached: !attached.is_empty(),
        })
    }

    /// The smallest node that the change lies in.
    fn whole(&self) -> Option<Meant<'p>> {
        let node = *self.old.last()?;
        let lines = self.before.text_of(node).matches('\n').count();
        if self.old.len() < 2 || lines > LARGEST {
            return None;
        }
        Some(Meant::Replace {
            chain: self.old.clone(),
            new: whole_text(self.wanted, *self.new.last()?),
            include_attached: false,
        })
    }
}

/// What of two texts differs, without what both begin and end with; words stay whole.
pub(crate) fn difference(old: &str, new: &str) -> (Span, Span) {
    let is_same = |(one, other): &(char, char)| one == other;
    let common = old.chars().zip(new.chars()).take_while(is_same);
    let mut front: usize = common.map(|(c, _)| c.len_utf8()).sum();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let splits = |text: &str, at: usize| {
        let before = text[..at].chars().next_back();
        let behind = text[at..].chars().next();
        before.is_some_and(is_word) && behind.is_some_and(is_word)
    };
    while splits(old, front) || splits(new, front) {
        front -= old[..front].chars().next_back().map_or(1, char::len_utf8);
    }
    let (old_rest, new_rest) = (&old[front..], &new[front..]);
    let common = old_rest.chars().rev().zip(new_rest.chars().rev());
    let mut back: usize = common.take_while(is_same).map(|(c, _)| c.len_utf8()).sum();
    while splits(old, old.len() - back) || splits(new, new.len() - back) {
        back -= old[old.len() - back..]
            .chars()
            .next()
            .map_or(1, char::len_utf8);
    }
    (
        Span::new(front, old.len() - back),
        Span::new(front, new.len() - back),
    )
}

/// The bytes of a node without the white space at its ends.
pub(crate) fn trimmed(parsed: &Parsed, node: Node<'_>) -> Span {
    let span = node.span();
    let text = parsed.source().slice(span);
    let start = span.start() + (text.len() - text.trim_start().len());
    Span::new(start, start.max(span.start() + text.trim_end().len()))
}

/// The bytes of a node; where it is a part of a string, with the white space at its ends.
fn whole_text(parsed: &Parsed, node: Node<'_>) -> Span {
    let kind = node.kind();
    let is_part = kind.contains("content") || kind.contains("fragment");
    match is_part && (kind.contains("string") || parsed.children(node).is_empty()) {
        true => node.span(),
        false => trimmed(parsed, node),
    }
}

fn hull(parsed: &Parsed, nodes: &[Node<'_>]) -> Option<Span> {
    let start = whole_text(parsed, *nodes.first()?).start();
    Some(Span::new(start, whole_text(parsed, *nodes.last()?).end()))
}

/// How many line breaks there are between two spans.
fn breaks(text: &str, one: Span, other: Span) -> usize {
    text[one.end()..other.start().max(one.end())]
        .matches('\n')
        .count()
}

/// Where the line of an offset begins.
fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Whether there is nothing before an offset in its line.
fn begins_line(text: &str, offset: usize) -> bool {
    text[line_start(text, offset)..offset].trim().is_empty()
}

pub(crate) fn is_comment(node: Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// Whether a node stands with what follows it: by the words in the names of its type.
pub(crate) fn is_attached(node: Node<'_>) -> bool {
    let words = ["comment", "attribute_item", "decorator", "annotation"];
    node.kind() != "type_annotation" && words.iter().any(|word| node.kind().contains(word))
}

/// Whether a span has its lines for itself; a comma or a semicolon may stand behind it.
fn has_lines(text: &str, span: Span) -> bool {
    let behind = text[span.end()..].split('\n').next();
    begins_line(text, span.start())
        && behind.is_some_and(|behind| behind.trim_matches([',', ';', ' ', '\t', '\r']).is_empty())
}
