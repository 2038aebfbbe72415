//! Replacements of less than a node, in real files of every language, compared with a plain
//! `String`: exactly the text that a search text matches is replaced, and by exactly the given
//! content.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "the project's sources and cases are the real files; the tests print how many edits they tried"
)]

use std::collections::{BTreeMap, HashSet};
use std::fs;

use treegraft::edit::{Indent, Operation, edit};
use treegraft::language::{self, LANGUAGES, Language};
use treegraft::parse::{Node, Parsed};
use treegraft::select::{Selection, Selector, select};
use treegraft::source::{Source, Span};

use crate::support::{is_full, is_of_left_out};

/// Shorter files have too few places.
const SHORTEST: usize = 150;
/// The number of places tried in each file.
const PLACES: usize = 20;

#[test]
fn only_the_matched_text_of_a_line_is_replaced() {
    let mut tally = Tally::default();
    each_file(PLACES, |parsed, random| {
        let Some(span) = random.span(parsed, 1..6) else {
            return;
        };
        let text = parsed.source().slice(span).into_owned();
        if text.contains('\n') || has_markers(&text) {
            return;
        }
        let Some(selection) = tally.selected(parsed, &text) else {
            return;
        };
        assert_eq!(parsed.source().slice(selection.span()), text);
        for content in ["renamed", "a + b", "\"é😀\""] {
            if content == text {
                continue;
            }
            check(&selection, content, content, Indent::Auto);
        }
    });
    tally.report("texts on one line");
}

#[test]
fn two_markers_delimit_the_replaced_text() {
    let mut tally = Tally::default();
    each_file(PLACES, |parsed, random| {
        let Some(span) = random.span(parsed, 3..9) else {
            return;
        };
        let text = parsed.source().slice(span).into_owned();
        let words = tokens(&text);
        if text.contains('\n') || has_markers(&text) || words.len() < 3 {
            return;
        }
        let (first, last) = (words[1].0, words[words.len() - 2].1);
        if first > last {
            return;
        }
        let find = format!(
            "{}<|>{}<|>{}",
            &text[..first],
            &text[first..last],
            &text[last..]
        );
        let Some(selection) = tally.selected(parsed, &find) else {
            return;
        };
        let bounded = Span::new(span.start() + first, span.start() + last);
        let own = selection.span();
        assert_eq!(
            parsed.source().slice(own),
            parsed.source().slice(bounded),
            "{find:?}"
        );
        check(&selection, "renamed", "renamed", Indent::Auto);
    });
    tally.report("texts between markers");
}

/// The model: the brackets among the tokens of the file's tree.
#[test]
fn an_elided_middle_has_balanced_brackets() {
    let mut tally = Tally::default();
    let mut long = 0;
    each_file(8, |parsed, random| {
        let Some(start) = random.span(parsed, 1..4) else {
            return;
        };
        // A Bash case pattern ends with an unmatched bracket.
        let has_pairs = parsed.source().language().name != "bash";
        let whole = parsed.source().text();
        let mut end = (start.end() + 600).min(whole.len());
        while !whole.is_char_boundary(end) {
            end -= 1;
        }
        let rest = &whole[start.end()..end];
        let words = tokens(rest);
        let Some((from, to)) = words.get(2 + random.below(12)).copied() else {
            return;
        };
        let (first, last) = (&whole[start.start()..start.end()], &rest[from..to]);
        if has_markers(first) || has_markers(last) {
            return;
        }
        let find = format!("{first}<..>{last}");
        let Some(selection) = tally.selected(parsed, &find) else {
            return;
        };
        let own = selection.span();
        let text = parsed.source().slice(own);
        let trimmed = |text: &str| {
            tokens(text)
                .last()
                .map(|one| text[one.0..one.1].to_string())
        };
        assert_eq!(trimmed(&text), trimmed(last), "{find:?} names {text:?}");
        let after_first = tokens(&text)[tokens(first).len() - 1].1;
        let middle = Span::new(
            own.start() + after_first,
            (own.end() - last.len()).max(own.start() + after_first),
        );
        // A node may end with the bracket that its first words opened.
        let chain = parsed.chain(own);
        let is_node = chain.iter().any(|node| parsed_span(parsed, *node) == own);
        assert!(
            !has_pairs || is_node || is_balanced(parsed, middle),
            "{find:?} names {text:?}"
        );
        long += usize::from(text.contains('\n'));
    });
    assert!(long > 50, "only {long} span several lines");
    tally.report("elided middles");
}

/// Lines are copied from the file, with and without the indentation of the first line, and the new
/// content has one other word: only that word changes.
#[test]
fn copied_lines_keep_their_form() {
    let mut tally = Tally::default();
    each_file(3, |parsed, random| {
        let source = parsed.source();
        let first = 1 + random.below(source.line_of(source.len()));
        let count = 2 + random.below(4);
        let (Some(start), Some(end)) = (source.line_span(first), source.line_span(first + count))
        else {
            return;
        };
        let span = Span::new(start.start(), end.end());
        let text = source.slice(span).into_owned();
        let bare = text.trim().len();
        let Some((from, to)) = tokens(&text).into_iter().rev().find(|(from, to)| {
            *to - *from > 2 && text[*from..*to].chars().all(char::is_alphanumeric)
        }) else {
            return;
        };
        if bare == 0 || has_markers(&text) || text.trim_start().lines().count() < 2 {
            return;
        }
        let changed = format!("{}renamed{}", &text[..from], &text[to..]);
        let wanted = format!(
            "{}{changed}{}",
            &source.text()[..span.start()],
            &source.text()[span.end()..]
        );
        let mut forms = vec![
            (text.clone(), changed.clone()),
            (text.trim().to_string(), changed.trim().to_string()),
        ];
        if source.slice(Span::new(span.end(), source.len())).trim() != "" {
            forms.push((format!("{text}\n"), format!("{changed}\n")));
        }
        for (find, content) in forms {
            let Some(selection) = tally.selected(parsed, &find) else {
                return;
            };
            let after = made(&selection, &content, Indent::Auto);
            assert_eq!(after, wanted, "{find:?} replaced by {content:?}");
            let last = text.split('\n').next_back();
            let ends_blank = [text.lines().next(), last]
                .into_iter()
                .flatten()
                .any(|line| line.trim().is_empty());
            if !ends_blank && span.end() < source.len() {
                let without = made(&selection, "", Indent::Auto);
                let model = source.text().replacen(&find, "", 1);
                assert_eq!(without, model, "{find:?} removed");
            }
        }
        // The search text includes the indentation of the next line.
        let next = source
            .line_span(first + count + 1)
            .map(|line| source.slice(line));
        if let Some(next) = next.filter(|next| !next.trim().is_empty() && bare == text.len()) {
            let blank = &next[..next.len() - next.trim_start().len()];
            if let Some(selection) = tally.selected(parsed, &format!("{text}\n{blank}")) {
                let without = made(&selection, "", Indent::Auto);
                let find = format!("{text}\n{blank}");
                assert_eq!(without, source.text().replacen(&find, "", 1));
            }
        }
    });
    tally.report("copied lines");
}

/// For each language, the number of search texts that matched one place, and of all.
#[derive(Default)]
struct Tally(BTreeMap<&'static str, (usize, usize)>);

impl Tally {
    fn selected<'p>(&mut self, parsed: &'p Parsed, find: &str) -> Option<Selection<'p>> {
        let selector = Selector::part(find);
        let own = self.0.entry(parsed.source().language().name).or_default();
        own.0 += 1;
        let selection = select(parsed, &selector).ok();
        own.1 += usize::from(selection.is_some());
        selection
    }

    fn report(self, what: &str) {
        let has_files = |one: &&Language| one.grammar().is_some() && !one.extensions().is_empty();
        for language in LANGUAGES.iter().filter(has_files) {
            let (_, named) = self.0.get(language.name).copied().unwrap_or_default();
            assert!(
                named > 0,
                "{what}: {} search texts matched one place in {}",
                named,
                language.name
            );
        }
        let (tried, named) = self
            .0
            .values()
            .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        println!(
            "{what}: {named} of {tried} search texts matched one place; each was replaced as in the model"
        );
    }
}

/// Checks that the edit changes only the selected text, and replaces it by the given content.
fn check(selection: &Selection<'_>, given: &str, wanted: &str, indent: Indent) {
    let text = selection.parsed().source().text();
    let span = selection.span();
    let after = made(selection, given, indent);
    let model = format!("{}{wanted}{}", &text[..span.start()], &text[span.end()..]);
    assert_eq!(after, model);
}

fn made(selection: &Selection<'_>, content: &str, indent: Indent) -> String {
    let operation = Operation::ReplaceText {
        new_content: content.to_string(),
        indent,
    };
    match edit(selection.clone(), &operation) {
        Ok(edited) => edited.after().source().text().to_string(),
        Err(error) => panic!("{error}: {content:?}"),
    }
}

/// Returns whether a text contains special characters of a search text.
fn has_markers(text: &str) -> bool {
    text.contains("<|>") || text.contains("<..>")
}

/// Returns the words and other tokens of a text, as byte ranges.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens: Vec<(usize, usize)> = Vec::new();
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match (is_word(c), in_word) {
            (true, true) => tokens.last_mut().expect("there is an open token").1 = end,
            _ if c.is_whitespace() => {}
            _ => tokens.push((at, end)),
        }
        in_word = is_word(c);
    }
    tokens
}

fn parsed_span(parsed: &Parsed, node: Node<'_>) -> Span {
    let text = parsed.source().slice(node.span());
    let start = node.span().start() + (text.len() - text.trim_start().len());
    Span::new(start, start + text.trim().len())
}

fn is_balanced(parsed: &Parsed, middle: Span) -> bool {
    let mut depth = 0_isize;
    let mut open = vec![parsed.root()];
    let mut signs: Vec<(usize, isize)> = Vec::new();
    while let Some(node) = open.pop() {
        let kind = node.kind();
        let step = match node.is_named() {
            false if kind.ends_with(['(', '[', '{']) => 1,
            false if kind.starts_with([')', ']', '}']) => -1,
            _ => 0,
        };
        if middle.contains(node.span()) && step != 0 {
            signs.push((node.span().start(), step));
        }
        open.extend(parsed.children(node));
    }
    signs.sort_unstable();
    signs.into_iter().all(|(_, step)| {
        depth += step;
        depth >= 0
    }) && depth == 0
}

/// A pseudorandom generator with the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// Picks a few consecutive tokens of a text.
    fn span(&mut self, parsed: &Parsed, count: std::ops::Range<usize>) -> Option<Span> {
        let text = parsed.source().text();
        let tokens = tokens(text);
        let first = self.below(tokens.len());
        let count = count.start + self.below(count.len());
        let last = tokens.get(first + count - 1)?;
        Some(Span::new(tokens[first].0, last.1))
    }
}

fn each_file(tried: usize, mut check: impl FnMut(&Parsed, &mut Random)) {
    // Fewer would leave out a language.
    let tried = if is_full() { tried } else { tried.min(8) };
    for (name, text) in files() {
        // The random numbers of a file do not depend on the other files.
        let mut random = Random(7);
        let parsed = Parsed::parse(Source::new(&name, language::for_file(&name, &text), text));
        if parsed.source().len() < SHORTEST || parsed.source().text().contains('\r') {
            continue;
        }
        for _ in 0..tried {
            check(&parsed, &mut random);
        }
    }
}

/// Returns the files of the cases, and some of the project's own.
fn files() -> Vec<(String, String)> {
    let root = crate::support::repository();
    let pages = crate::cases::pages();
    let of_cases = pages.iter().flat_map(|page| &page.texts);
    let of_cases = of_cases.map(|text| (text.path.clone(), text.text.to_string()));
    let mut found: Vec<(String, String)> = of_cases.collect();
    let mut open = vec![root.join("src/edit"), root.join("queries")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("the files can be listed") {
            let path = entry.expect("the files can be listed").path();
            match path.is_dir() {
                true if is_of_left_out(&path) => {}
                true => open.push(path),
                false => {
                    let text = fs::read_to_string(&path).expect("the project's files are text");
                    found.push((path.to_string_lossy().into_owned(), text));
                }
            }
        }
    }
    found.sort();
    let mut seen = HashSet::new();
    found.retain(|(_, text)| seen.insert(text.clone()));
    found
}
