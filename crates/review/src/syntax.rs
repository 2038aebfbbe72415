//! Finds what to color in a source, from its syntax tree: no language is known here.

use std::collections::HashMap;
use std::ops::Range;

use treegraft::engine::Engine;
use treegraft::parse::Parsed;
use treegraft::source::Source;

/// The maximum size of a source that is colored, in bytes.
const BYTES_COLORED: usize = 4 << 20;

/// The class of a colored text, which the stylesheet knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Comment,
    String,
    Keyword,
    Number,
    /// A name where it is declared.
    Name,
}

impl Class {
    /// Returns the name of the class in the stylesheet.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::Comment => "comment",
            Class::String => "string",
            Class::Keyword => "keyword",
            Class::Number => "number",
            Class::Name => "name",
        }
    }
}

/// The colored texts of a source, in order and disjoint.
#[derive(Debug, Default)]
pub(crate) struct Colors {
    /// The start of each line.
    lines: Vec<usize>,
    texts: Vec<(Range<usize>, Class)>,
}

impl Colors {
    /// Finds the colored texts of a source.
    pub(crate) fn from_source(source: &Source) -> Colors {
        if source.len() > BYTES_COLORED {
            return Colors::default();
        }
        let ends = source.text().match_indices('\n').map(|(at, _)| at + 1);
        let lines = [0].into_iter().chain(ends).collect();
        let parsed = Parsed::parse(source.clone());
        let mut texts = Vec::new();
        let classes = classes(source.language().names()[0]);
        let mut open = vec![parsed.root()];
        while let Some(node) = open.pop() {
            let children = parsed.children(node);
            let own = match node.is_named() {
                true => classes.get(node.kind()).copied(),
                false => is_keyword(node.kind()).then_some(Class::Keyword),
            };
            let is_number = || {
                let text = parsed.text_of(node);
                children.is_empty() && text.starts_with(|first: char| first.is_ascii_digit())
            };
            match own.or_else(|| is_number().then_some(Class::Number)) {
                Some(class) => {
                    let span = node.span();
                    texts.push((span.start()..span.end(), class));
                }
                None => open.extend(children.into_iter().rev()),
            }
        }
        let names = parsed.outline().symbols().iter();
        let names = names.map(|symbol| symbol.name_span);
        texts.extend(names.map(|span| (span.start()..span.end(), Class::Name)));
        texts.sort_by_key(|(range, _)| range.start);
        let mut end = 0;
        texts.retain(|(range, _)| {
            let is_free = range.start >= end && !range.is_empty();
            end = if is_free { range.end } else { end };
            is_free
        });
        Colors { lines, texts }
    }

    /// Returns the colored texts of a line, as ranges in the line. `number` counts from 1.
    pub(crate) fn of_line(&self, number: usize) -> Vec<(Range<usize>, Class)> {
        let Some(&start) = number
            .checked_sub(1)
            .and_then(|index| self.lines.get(index))
        else {
            return Vec::new();
        };
        let end = self.lines.get(number).copied().unwrap_or(usize::MAX);
        let first = self.texts.partition_point(|(range, _)| range.end <= start);
        let texts = self.texts[first..].iter();
        let texts = texts.take_while(|(range, _)| range.start < end);
        let in_line = texts.map(|(range, class)| {
            let range = range.start.max(start) - start..range.end.min(end) - start;
            (range, *class)
        });
        in_line.collect()
    }
}

/// Returns the classes of the node types of a language.
fn classes(language: &str) -> HashMap<String, Class> {
    let listed = Engine::node_types(language).map(|listed| listed.node_types);
    let types = listed.unwrap_or_default().into_iter();
    let classes = types.filter_map(|one| {
        let is = |word: &str| one.general_words.iter().any(|general| general == word);
        let class = match () {
            () if is("comment") => Class::Comment,
            () if is("string") => Class::String,
            () => return None,
        };
        Some((one.node_type, class))
    });
    classes.collect()
}

/// Returns whether the type of a token is a word.
fn is_keyword(kind: &str) -> bool {
    let mut signs = kind.chars();
    let is_word = signs.next().is_some_and(char::is_alphabetic);
    is_word && signs.all(|sign| sign.is_alphanumeric() || sign == '_')
}

#[cfg(test)]
mod tests {
    use treegraft::language;

    use super::*;

    #[test]
    fn words_of_the_grammar_and_declared_names_are_colored() {
        let text = "// Adds.\nfn add() -> u8 {\n    let text = \"a\n\u{e9}\";\n    41\n}\n";
        let source = Source::new("a.rs", language::for_file("a.rs", text), text.to_string());
        let colors = Colors::from_source(&source);
        let lines = text.split('\n').enumerate().map(|(index, line)| {
            let texts = colors.of_line(index + 1).into_iter();
            let texts = texts.map(|(range, class)| {
                format!(
                    "{}={}",
                    class.name(),
                    line[range.start..range.end.min(line.len())].trim()
                )
            });
            texts.collect::<Vec<_>>().join(" ")
        });
        assert_eq!(
            lines.collect::<Vec<_>>(),
            [
                "comment=// Adds.",
                "keyword=fn name=add",
                "keyword=let string=\"a",
                "string=\u{e9}\"",
                "number=41",
                "",
                ""
            ]
        );
        assert!(colors.of_line(0).is_empty() && colors.of_line(99).is_empty());
    }
}
