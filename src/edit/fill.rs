//! Fills a template with what a match of its pattern captured.
//!
//! Where the template has the tokens of the pattern in their order, the text between them stays as it is in the file:
//! line breaks, comments and trailing commas. Only the tokens that differ are replaced.

use std::ops::Range;

use crate::parse::{Node, Parsed};
use crate::pattern::{Aligned, Match, Template, Token, TokenKind, words};
use crate::source::Span;

use super::Indent;
use super::indent::{self, IndentTarget};

/// The maximum number of tokens of a template that are compared with those of the pattern.
const ALIGNED_TOKENS: usize = 1_000;

/// A template with the text of its captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The text, which replaces the match.
    pub content: String,
    /// How it is written.
    pub indent: Indent,
    /// The captures in it, in order.
    pub captures: Vec<FilledCapture>,
    /// The comments of the match that it does not contain, in the old text.
    pub lost_comments: Vec<Span>,
    /// The code of the match that the pattern does not mention and the text does not contain, in the old text.
    pub lost_code: Vec<Span>,
}

/// A capture in the text of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilledCapture {
    /// The placeholder, as in the template.
    pub name: String,
    /// Its nodes, in the old text.
    pub span: Span,
    /// The number of characters before it in the content, without whitespace.
    pub before: usize,
}

/// Fills a template with the captures of a match, those of the `enclosed` placeholders in parentheses. The match must be one of
/// the template's pattern.
pub fn filled(
    parsed: &Parsed,
    found: &Match<'_>,
    template: &Template,
    enclosed: &[String],
) -> Filled {
    let matched = MatchedText {
        enclosed,
        ..MatchedText::new(parsed, found, template)
    };
    let content = match matched.places(template) {
        Some(places) => matched.in_place(template, &places),
        None => matched.whole(template),
    };
    let Content {
        text,
        indent,
        captures,
        kept,
    } = content;
    // A member keeps its name.
    let text = match found.is_shorthand && !template.is_empty() {
        true => format!("{}: {text}", matched.slice(matched.span)),
        false => text,
    };
    let is_lost = |span: &&Span| !kept.iter().any(|kept| kept.contains(**span));
    let unmentioned = matched.unmentioned();
    Filled {
        content: text,
        indent,
        captures,
        lost_comments: matched.comments.iter().filter(is_lost).copied().collect(),
        lost_code: unmentioned.iter().filter(is_lost).copied().collect(),
    }
}

/// The text of a match.
struct MatchedText<'a, 'p> {
    parsed: &'a Parsed,
    found: &'a Match<'p>,
    span: Span,
    /// The nodes that are larger than the match, outermost first.
    container: Vec<Node<'a>>,
    /// The words and signs outside the captures.
    tokens: Vec<Span>,
    /// The comments outside the captures.
    comments: Vec<Span>,
    /// The leaves that contain whitespace, such as the text of a string: there, its length matters.
    texts: Vec<Span>,
    /// The placeholders whose captures are enclosed in parentheses.
    enclosed: &'a [String],
}

/// The content while it is composed.
struct Content {
    text: String,
    indent: Indent,
    captures: Vec<FilledCapture>,
    /// The parts of the old text that it contains.
    kept: Vec<Span>,
}

impl Content {
    fn new(indent: Indent) -> Content {
        Content {
            text: String::new(),
            indent,
            captures: Vec::new(),
            kept: Vec::new(),
        }
    }

    /// Returns the whitespace at the start of the last line, or `first` in the first line.
    fn depth(&self, first: &str) -> String {
        match self.text.rsplit_once('\n') {
            Some((_, line)) => indent::leading(line).to_string(),
            None => first.to_string(),
        }
    }

    fn add_capture(&mut self, name: &str, span: Span, text: &str, is_enclosed: bool) {
        let [open, close] = if is_enclosed { ["(", ")"] } else { ["", ""] };
        self.text.push_str(open);
        self.captures.push(FilledCapture {
            name: name.to_string(),
            span,
            before: self.text.chars().filter(|c| !c.is_whitespace()).count(),
        });
        self.kept.push(span);
        self.text.push_str(text);
        self.text.push_str(close);
    }
}

impl<'a, 'p> MatchedText<'a, 'p> {
    fn new(parsed: &'a Parsed, found: &'a Match<'p>, template: &Template) -> MatchedText<'a, 'p> {
        let span = parsed.trimmed(found.span());
        let mut matched = MatchedText {
            parsed,
            found,
            span,
            container: container(parsed, span),
            tokens: Vec::new(),
            comments: Vec::new(),
            texts: Vec::new(),
            enclosed: &[],
        };
        matched.read_tokens(template);
        matched
    }

    /// Reads the tokens outside the captures.
    fn read_tokens(&mut self, template: &Template) {
        // Conditions of a rule may capture what surrounds the match, or parts of other captures.
        let is_own = |name: &str, span: Span| {
            let name = name.trim_start_matches('$');
            let is_of_pattern = !template.has_pattern() || template.captures(name);
            is_of_pattern && self.found.span().contains(span)
        };
        let captures = self.found.captures.iter();
        let captures = captures.filter(|(name, span)| is_own(name, *span));
        let captures: Vec<Span> = captures.map(|(_, span)| *span).collect();
        let is_captured = |span: Span| captures.iter().any(|own| own.contains(span));
        let siblings = std::iter::successors(Some(self.found.node), |node| {
            let next = node.raw()?.next_sibling()?;
            (*node != self.found.last).then(|| node.in_same_tree(next))
        });
        let mut open: Vec<Node<'_>> = siblings.collect();
        open.reverse();
        let text = self.parsed.source().text();
        while let Some(node) = open.pop() {
            let Some(raw) = node.raw() else { continue };
            let span = Span::from(raw.byte_range());
            if span.is_empty() || is_captured(span) {
                continue;
            }
            if raw.is_extra() {
                self.comments.push(span);
            } else if raw.child_count() == 0 {
                if text[span.range()].contains(char::is_whitespace) {
                    self.texts.push(span);
                }
                let own = words(text, span.range()).into_iter();
                self.tokens.extend(own.map(|word| Span::from(word.range)));
            } else {
                open.extend(node.own_children().into_iter().rev());
            }
        }
    }

    fn slice(&self, span: Span) -> String {
        self.parsed.source().slice(span).replace("\r\n", "\n")
    }

    fn is_enclosed(&self, name: &str) -> bool {
        self.enclosed.iter().any(|own| own == name)
    }

    /// Returns the index of the capture of a placeholder; `None` if it matched no node.
    fn capture(&self, name: &str) -> Option<usize> {
        let captures = self.found.captures.iter();
        let mut names = captures.map(|(own, _)| own.trim_start_matches('$'));
        names.position(|own| own == name)
    }

    /// Returns the text of a variable that the rule computes.
    fn computed(&self, name: &str) -> Option<&str> {
        let mut computed = self.found.transformed.iter();
        let own = computed.find(|(own, _)| own.trim_start_matches('$') == name);
        own.map(|(_, text)| text.as_str())
    }

    /// Returns where the tokens of the pattern are in the match: one that matched nothing, such as a separator, is empty.
    /// Returns `None` if the template has several lines, or if that is not known for a token.
    fn places(&self, template: &Template) -> Option<Vec<Span>> {
        let is_quoted = || !indent::margin(self.parsed, &self.container).is_empty();
        let is_long = template.tokens().len() > ALIGNED_TOKENS;
        let has_lines = || {
            let mut computed = self.found.transformed.iter();
            computed.any(|(_, text)| text.contains('\n'))
        };
        let is_known = template.has_pattern() && !self.found.tokens.is_empty() && !has_lines();
        if !is_known || is_long || template.text().trim().contains('\n') || is_quoted() {
            return None;
        }
        let mut places = Vec::new();
        let mut end = self.span.start();
        for (index, token) in template.pattern().iter().enumerate() {
            let ends = [token.range.start, token.range.end];
            let span = match (self.matched_at(ends[0]), self.matched_at(ends[1] - 1)) {
                (Some((first, start)), Some((last, end))) => {
                    let start = offset_in(first, *start, ends[0])?;
                    Span::new(start, offset_in(last, *end, ends[1])?.max(start))
                }
                (None, None) => {
                    let next = self.tokens.iter().find(|span| span.start() >= end);
                    let text = template.pattern_token(index);
                    let is_it = |span: &&Span| self.parsed.source().slice(**span) == text;
                    next.filter(is_it).copied().unwrap_or(Span::at(end))
                }
                _ => return None,
            };
            if span.start() < end {
                return None;
            }
            end = span.end();
            places.push(span);
        }
        Some(places)
    }

    /// Returns the token of the match that an offset in the pattern is in.
    fn matched_at(&self, offset: usize) -> Option<&(Range<usize>, Span)> {
        let mut tokens = self.found.tokens.iter();
        tokens.find(|(place, _)| place.contains(&offset))
    }

    /// Returns the words and signs that neither a token of the pattern nor a placeholder matched, except separators.
    fn unmentioned(&self) -> Vec<Span> {
        let mentioned = &self.found.tokens;
        let is_mentioned = |span: &Span| {
            mentioned.is_empty() || mentioned.iter().any(|(_, own)| own.contains(*span))
        };
        let tokens = self.tokens.iter().filter(|span| !is_mentioned(span));
        let mut unmentioned: Vec<Span> = tokens.copied().collect();
        if unmentioned.is_empty() {
            return unmentioned;
        }
        let separators = self.separators();
        unmentioned.retain(|span| {
            let text = self.slice(*span);
            !matches!(text.as_str(), ";" | "\\") && !separators.contains(&text.as_str())
        });
        unmentioned
    }

    /// Fills the template with the tokens of the match that it has, and the text between them.
    fn in_place(&self, template: &Template, places: &[Span]) -> Content {
        let mut content = Content::new(Indent::Verbatim);
        let target = IndentTarget::for_span(self.parsed, &self.container, self.span);
        let prefix = target.prefix();
        let aligned = template.aligned();
        // The place of the token before, if it is the same in the pattern.
        let mut same_before = None;
        for Shown {
            token,
            gap: own_gap,
        } in self.shown(template, |token| {
            self.has_last_separator(places, &aligned[token])
        }) {
            let one = &aligned[token];
            let kept = one.place.filter(|_| one.is_same);
            let is_kept = match (same_before, kept) {
                (Some(before), Some(place)) => {
                    let between = &places[before + 1..place];
                    between.iter().all(|place| place.is_empty())
                }
                _ => false,
            };
            same_before = kept;
            let text = match &template.tokens()[token].kind {
                TokenKind::Placeholder(Some(name)) => match self.capture(name) {
                    Some(index) => Piece::Capture(self.found.captures[index].1),
                    None => Piece::Text(self.computed(name).unwrap_or_default().to_string()),
                },
                // The quotes of a string may be others.
                _ => match kept.map(|place| places[place]) {
                    Some(place) if !place.is_empty() => Piece::Text(self.slice(place)),
                    _ => Piece::Text(template.token(token).to_string()),
                },
            };
            let gap = self.gap(template, places, one, own_gap, is_kept);
            let gap = gap.map(|gap| self.without_removed(gap, places, one, &aligned));
            let gap = gap.filter(|gap| {
                let between = self.slice(*gap);
                let next = self.first_character(&text);
                is_kept
                    || !between.is_empty()
                    || own_gap.is_empty()
                    || !is_glued(content.text.chars().last(), next)
            });
            match gap {
                Some(gap) => {
                    let between = self.slice(gap);
                    // A comma after the last member stays in the same list with members.
                    let is_first = content.text.trim_end().ends_with(['(', '[', '{', '<']);
                    let is_same = one.place.is_some_and(|place| {
                        !template.closes(token) || template.is_same_list(token, place)
                    });
                    let comma = between.trim_start().strip_prefix(',');
                    let kept = comma.filter(|_| is_first || !is_same).unwrap_or(&between);
                    content.text.push_str(kept);
                    content.kept.push(gap);
                }
                None if content.text.is_empty() => {}
                None => content.text.push_str(own_gap),
            }
            match text {
                Piece::Text(text) => content.text.push_str(&text),
                Piece::Capture(span) => {
                    let text = match one.is_same {
                        true => self.slice(span),
                        false => self.moved(span, &content.depth(&prefix)),
                    };
                    let name = template.token(token);
                    content.add_capture(name, span, &text, self.is_enclosed(name));
                }
            }
        }
        self.end(template, places, &aligned, &mut content);
        content
    }

    /// Returns whether the file has the separator that the pattern has before a placeholder.
    fn has_last_separator(&self, places: &[Span], placeholder: &Aligned) -> bool {
        let place = placeholder.place.filter(|_| placeholder.is_same);
        let before = place.and_then(|place| place.checked_sub(1));
        before.is_some_and(|before| {
            let own = self.slice(places[before]);
            self.separators().contains(&own.as_str())
        })
    }

    /// Returns what is left of the text before a token: a comment at the end of the line of removed code belongs to that.
    fn without_removed(
        &self,
        gap: Span,
        places: &[Span],
        one: &Aligned,
        aligned: &[Aligned],
    ) -> Span {
        let before = &places[..one.place.unwrap_or_default()];
        let is_code = |span: &Span| !span.is_empty() && self.slice(*span) != ",";
        let is_kept = |place: usize| aligned.iter().any(|own| own.place == Some(place));
        let text = self.slice(gap);
        let line = text.find('\n').map(|line| gap.start() + line);
        match (before.iter().rposition(is_code), line) {
            (Some(owner), Some(line)) if !is_kept(owner) => {
                let comments = self.comments.iter();
                let mut on_line = comments.filter(|own| gap.contains(**own) && own.start() < line);
                let end = on_line.next_back().map_or(gap.start(), |own| own.end());
                Span::new(end, gap.end())
            }
            _ => gap,
        }
    }

    /// Returns the tokens of the template that the content contains, each with the whitespace before it. Leaves out
    /// placeholders that matched nothing, each with one separator next to it unless the one before it stays.
    fn shown<'t>(
        &self,
        template: &'t Template,
        has_last_separator: impl Fn(usize) -> bool,
    ) -> Vec<Shown<'t>> {
        let all = template.tokens();
        let is_empty = |token: &Token| match &token.kind {
            TokenKind::Placeholder(Some(name)) => {
                self.capture(name).is_none() && self.computed(name).is_none_or(str::is_empty)
            }
            _ => false,
        };
        let separators = match all.iter().any(is_empty) {
            true => self.separators(),
            false => Vec::new(),
        };
        let is_separator =
            |index: usize| index < all.len() && separators.contains(&template.token(index));
        let mut shown: Vec<Shown<'t>> = Vec::new();
        // The whitespace before what was left out with the separator after it.
        let mut gap = None;
        let mut index = 0;
        while index < all.len() {
            if !is_empty(&all[index]) {
                shown.push(Shown {
                    token: index,
                    gap: gap.take().unwrap_or(template.gap(index)),
                });
            } else if is_separator(index + 1) {
                gap = gap.or(Some(template.gap(index)));
                index += 1;
            } else if shown
                .last()
                .is_some_and(|last| last.token + 1 == index && is_separator(last.token))
                && !has_last_separator(index)
            {
                shown.pop();
            }
            index += 1;
        }
        shown
    }

    /// Returns the separators of the lists in the match.
    fn separators(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        let mut open = vec![self.found.node, self.found.last];
        while let Some(node) = open.pop() {
            all.extend(node.list().map(|list| list.token()));
            open.extend(node.own_children());
        }
        all
    }

    /// Adds what follows the last token, if that is the last one of the match too.
    fn end(
        &self,
        template: &Template,
        places: &[Span],
        aligned: &[Aligned],
        content: &mut Content,
    ) {
        let last = aligned.last().and_then(|last| last.place);
        let last_place = template.pattern().len().checked_sub(1);
        if let (Some(end), true) = (places.last(), last == last_place) {
            let rest = Span::new(end.end(), self.span.end());
            content.text.push_str(&self.slice(rest));
            content.kept.push(rest);
        }
    }

    /// Returns the text of the match before a token, if it stays: it is between two tokens that stay; or the token takes the
    /// place of one of the pattern, and the template has whitespace there if the pattern has. A line break stays in as many
    /// brackets as before.
    fn gap(
        &self,
        template: &Template,
        places: &[Span],
        one: &Aligned,
        own_gap: &str,
        is_kept: bool,
    ) -> Option<Span> {
        let place = one.place?;
        let before = match place.checked_sub(1) {
            None => self.span.start(),
            Some(last) => places[last].end(),
        };
        let gap = Span::new(before, places[place].start());
        if one.token == 0 {
            // Tokens before the first one of the pattern.
            return (place == 0).then_some(gap);
        }
        let pattern_gap = template.pattern_gap(place);
        let is_in_text = self.texts.iter().any(|text| text.contains(gap));
        let is_alike = match is_in_text {
            true => own_gap == pattern_gap,
            false => own_gap.is_empty() == pattern_gap.is_empty(),
        };
        // Outside of brackets, a line break may end a statement.
        let fits = || {
            !self.slice(gap).contains('\n')
                || template.depth(one.token) == template.pattern_depth(place)
        };
        ((is_kept || is_alike) && fits()).then_some(gap)
    }

    fn first_character(&self, piece: &Piece) -> Option<char> {
        match piece {
            Piece::Text(text) => text.chars().next(),
            Piece::Capture(span) => self.slice(*span).chars().next(),
        }
    }

    /// Returns the text of a capture for a line that starts with `depth`.
    fn moved(&self, span: Span, depth: &str) -> String {
        let container = container(self.parsed, span);
        let target = IndentTarget::for_span(self.parsed, &container, span);
        indent::moved(self.parsed, span, &target, depth)
    }

    /// Fills all of the template.
    fn whole(&self, template: &Template) -> Content {
        let target = IndentTarget::for_span(self.parsed, &self.container, self.span);
        let text = template.text().trim_end().replace("\r\n", "\n");
        let template = template.with_text(indent::with_unit_of_file(&text, &target));
        let mut content = Content::new(Indent::Column0);
        for Shown { token, gap } in self.shown(&template, |_| false) {
            content.text.push_str(gap);
            let own = template.token(token);
            let TokenKind::Placeholder(Some(name)) = &template.tokens()[token].kind else {
                content.text.push_str(own);
                continue;
            };
            match self.capture(name) {
                Some(index) => {
                    let span = self.found.captures[index].1;
                    let moved = self.moved(span, &content.depth(""));
                    content.add_capture(own, span, &moved, self.is_enclosed(own));
                }
                None => {
                    let depth = content.depth("");
                    let computed = self.computed(name).unwrap_or_default();
                    let mut lines = computed.replace("\r\n", "\n");
                    lines = lines.replace('\n', &format!("\n{depth}"));
                    content.text.push_str(&lines);
                }
            }
        }
        content
    }
}

/// Returns where an offset in the pattern is in the match, given a token there. A text with other escapes has other places
/// inside.
fn offset_in(place: &Range<usize>, span: Span, offset: usize) -> Option<usize> {
    match offset {
        at if at == place.start => Some(span.start()),
        at if at == place.end => Some(span.end()),
        at => (place.len() == span.len()).then(|| span.start() + at - place.start),
    }
}

/// A token of the template, by index, and the whitespace before it.
struct Shown<'t> {
    token: usize,
    gap: &'t str,
}

/// What is put in the place of a token.
enum Piece {
    Text(String),
    Capture(Span),
}

/// Returns the nodes that are larger than a span, outermost first.
fn container(parsed: &Parsed, span: Span) -> Vec<Node<'_>> {
    let mut chain = parsed.chain(span);
    chain.retain(|node| parsed.trimmed(node.span()) != span);
    chain
}

/// Returns whether two characters next to each other would be parts of one token.
fn is_glued(last: Option<char>, next: Option<char>) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    match (last, next) {
        // Empty brackets.
        (Some('('), Some(')')) | (Some('['), Some(']')) | (Some('{'), Some('}')) => false,
        (Some(last), Some(next)) => is_word(last) == is_word(next),
        _ => false,
    }
}
