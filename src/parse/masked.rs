//! Trees of a masked text: a text of the same length in which text without a meaning for the grammar is one word.
//!
//! A parse costs its tokens, and most tokens of prose are words and signs without a node. Input: a text of a language
//! with a mask ([`Language::mask`](crate::language::Language::mask)). Output: the tree of the masked text, which has the
//! same named nodes as that of the text itself, unless it has an error: then there is none, and the text itself is
//! parsed.

use tree_sitter::{InputEdit, ParseState, Tree};

use crate::source::Source;

use super::{Input, Parsed, parse_until, point};

/// Parses the masked text, until `stops` returns true. Reuses nodes of the masked tree of `old`, if it has one.
pub(super) fn parse(
    source: &Source,
    old: Option<&Parsed>,
    stops: impl Fn(&ParseState) -> bool,
) -> Option<Tree> {
    let text = masked(source)?;
    let old_tree = old.and_then(|before| {
        let mut tree = before.masked_tree()?.clone();
        let old_text = masked(&before.source)?;
        tree.edit(&edit_between((&before.source, &old_text), (source, &text)));
        Some(tree)
    });
    let input = Input {
        masked: Some(&text),
        ..Input::new(source, source.language())
    };
    let tree = parse_until(&input, old_tree.as_ref(), stops)?;
    (!tree.root_node().has_error()).then_some(tree)
}

/// Returns the masked text, if its language has a mask.
fn masked(source: &Source) -> Option<Vec<u8>> {
    let mask = source.language().mask()?;
    let mut text = Vec::with_capacity(source.len());
    for chunk in source.chunks() {
        text.extend_from_slice(chunk.as_bytes());
    }
    mask(&mut text);
    Some(text)
}

/// Returns one edit for all bytes that differ in the masked texts: an edited line may give a meaning to other lines.
fn edit_between((before, old): (&Source, &[u8]), (after, new): (&Source, &[u8])) -> InputEdit {
    let is_same = |(one, other): &(&u8, &u8)| one == other;
    let is_inside_char = |at: usize| old.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    let mut start = old.iter().zip(new).take_while(is_same).count();
    while is_inside_char(start) {
        start -= 1;
    }
    let ends = old[start..].iter().rev().zip(new[start..].iter().rev());
    let mut same = ends.take_while(is_same).count();
    while is_inside_char(old.len() - same) {
        same -= 1;
    }
    let (old_end, new_end) = (old.len() - same, new.len() - same);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(before.newline_point(start)),
        old_end_position: point(before.newline_point(old_end)),
        new_end_position: point(after.newline_point(new_end)),
    }
}

#[cfg(all(test, feature = "lang-markdown"))]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::language;
    use crate::source::Span;

    /// What lines are made of, between commas: the signs of all blocks, and text.
    const PARTS: &str = concat!(
        ",  ,  ,    ,\t,> ,>,- ,* ,+ ,1. ,12) ,123456789. ,-\t,- [ ] ,* [x] ,[x],[ ],# ,###### ,####### , #,foo,a b,é,— ,x,7,",
        "a) ,[a],[a]:,[^a]: ,[a b,[a\\],]: /b,]:,/b,<b c>,<a@b.c>,<http://a>,\"t\",\"t,'t u',(t,),|,a | b,--|--,|-|-|,:-:,",
        "\\|,`|`,<div>,</div>,<!--,-->,<pre>,</pre,</style>,<script>,<textarea,<?,?>,<!A,<![CDATA[,]]>,<b>,</b>,<b c='d',",
        "<,```,```rust,``` {.a},``,`,~~~,~~~ {.a},---,===,***,* * *,- - -,___,+++,...,a: b,: a,$$,\\,\\],\\#,\\[,&amp;,&#35;,",
        "*,_,!,[,],:,#,=,-,.,;,{,},%,^,@,\u{1},\u{b},\u{c},\0,\u{85},\u{a0},\u{2028},\u{3000},\u{feff},\u{301},😀,",
        "![a](b),[a](b),[a][b],*a* `b`,  \n"
    );
    const LINE_ENDS: &[&str] = &[
        "\n", "\n", "\n", "\n\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "",
    ];

    fn text(lines: std::ops::Range<usize>) -> impl Strategy<Value = String> {
        let part = prop::sample::select(PARTS.split(',').collect::<Vec<_>>());
        let line = (
            prop::collection::vec(part, 0..5),
            prop::sample::select(LINE_ENDS),
        );
        let line = line.prop_map(|(parts, end)| parts.concat() + end);
        prop::collection::vec(line, lines).prop_map(|lines| lines.concat())
    }

    fn source(text: &str) -> Source {
        let language = language::by_name("markdown").expect("it is built in");
        Source::new("a.md", language, text.to_string())
    }

    /// Describes the named nodes of a tree, parents before their children.
    fn named_nodes(tree: &Tree) -> Vec<String> {
        let mut nodes = Vec::new();
        let mut cursor = tree.walk();
        let mut depth = 0;
        loop {
            let node = cursor.node();
            if node.is_named() {
                let field = cursor.field_name();
                let flags = (node.is_error(), node.is_missing(), node.is_extra());
                let (kind, range) = (node.kind(), node.range());
                nodes.push(format!("{depth} {field:?} {kind} {range:?} {flags:?}"));
            }
            if cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return nodes;
                }
                depth -= 1;
            }
        }
    }

    /// Compares a tree of the masked text with that of the text itself.
    fn check(source: &Source, masked: &Tree, how: &str) {
        let own = super::super::parse(&Input::new(source, source.language()), None);
        let own = own.expect("the grammar supports every text");
        let (masked, own) = (named_nodes(masked), named_nodes(&own));
        let first = masked.iter().zip(&own).find(|(masked, own)| masked != own);
        assert!(masked == own, "{how} of {:?}: {first:?}", source.text());
    }

    /// Returns whether the text has a masked tree, which is compared. It has one if its own tree has no error.
    fn check_whole(text: &str) -> bool {
        let source = source(text);
        let tree = parse(&source, None, |_| false);
        match &tree {
            Some(tree) => check(&source, tree, "the tree"),
            None => {
                let own = super::super::parse(&Input::new(&source, source.language()), None);
                let own = own.expect("the grammar supports every text");
                assert!(own.root_node().has_error(), "{text:?} has no masked tree");
            }
        }
        tree.is_some()
    }

    proptest! {
        #![proptest_config(crate::trials::tried(1_000, 50_000))]

        #[test]
        fn a_masked_text_has_the_nodes_of_the_text(text in text(1..12)) {
            check_whole(&text);
        }

        #[test]
        fn a_masked_text_has_them_after_edits(
            start in text(1..12),
            edits in prop::collection::vec((any::<Index>(), 0..24usize, text(0..3)), 1..6),
        ) {
            let mut parsed = Parsed::parse(source(&start));
            for (at, len, new_text) in edits {
                let old = parsed.source().text();
                let boundary = |mut at: usize| {
                    while !old.is_char_boundary(at) {
                        at -= 1;
                    }
                    at
                };
                let start = boundary(at.index(old.len() + 1));
                let span = Span::new(start, boundary((start + len).min(old.len())).max(start));
                let after = parsed.source().spliced([(span, new_text.as_str())].into_iter());
                parsed = parsed.reparse(after, &[(span, new_text.len())]);
                if let Some(tree) = parsed.masked_tree() {
                    check(parsed.source(), tree, "the edited tree");
                }
            }
        }
    }

    /// Returns how many nodes with children a reparse after an edit in the middle reuses, and how many there are.
    fn reused(path: &str, text: &str, edited: Span) -> (usize, usize) {
        let source = Source::new(path, language::for_file(path, text), text.to_string());
        let before = Parsed::parse(source);
        let after = before.source().spliced([(edited, "b")].into_iter());
        let after = before.reparse(after, &[(edited, 1)]);
        let ids = |parsed: &Parsed| {
            let mut ids = HashSet::new();
            let mut cursor = parsed.syntax().expect("it has a grammar").tree.walk();
            loop {
                if cursor.node().child_count() > 0 {
                    ids.insert(cursor.node().id());
                }
                if !cursor.goto_first_child() && !super::super::to_next(&mut cursor) {
                    return ids;
                }
            }
        };
        let (before, after) = (ids(&before), ids(&after));
        (after.intersection(&before).count(), after.len())
    }

    /// Shows what `docs/tree-sitter.md` reports.
    #[test]
    fn nodes_of_a_markdown_tree_are_not_reused() {
        let markdown = "# A\n\nText a.\n\n- c\n  d\n\n".repeat(200);
        let middle = markdown.len() / 2;
        let edited = middle + markdown[middle..].find("a.").expect("it is in each part");
        let (kept, all) = reused("a.md", &markdown, Span::new(edited, edited + 1));
        assert!(kept * 2 < all, "{kept} of {all}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the texts are files")]
    fn the_pages_of_the_project_have_the_same_nodes() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut open = vec![
            root.join("docs"),
            root.join("tests/cases"),
            root.join("README.md"),
        ];
        let (mut texts, mut masked) = (0, 0);
        while let Some(path) = open.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(path).expect("a folder can be listed");
                open.extend(entries.map(|entry| entry.expect("a folder can be listed").path()));
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = std::fs::read_to_string(path).expect("a page is text");
                // A case shows its text in a fence.
                for part in [text.as_str()].into_iter().chain(text.split("\n````")) {
                    texts += 1;
                    masked += usize::from(check_whole(part));
                }
            }
        }
        assert!(masked * 10 > texts * 9, "{masked} of {texts} are masked");
    }

    /// Lines after the edited one may get another meaning.
    #[test]
    fn an_edit_may_mask_other_lines() {
        let texts = [
            "a\n\n[b]:\n/c d\n\"e f\ng h\" i\n\nj k\n",
            "a\n\n[b\nc d]: e\nf g\n\nh i\n",
            "a\n\n[b]: /c\n'd e\nf g'\nh i\n",
            "a\n\n- [b]: <c>\n  (d e\n  f) \n- g h\n",
        ];
        for text in texts {
            for at in 0..=text.len() {
                for (removed, added) in [
                    (0, "["),
                    (0, "\n\n"),
                    (0, "x y"),
                    (1, ""),
                    (1, "]:"),
                    (3, "|"),
                ] {
                    let parsed = Parsed::parse(source(text));
                    let span = Span::new(at, (at + removed).min(text.len()));
                    let after = parsed.source().spliced([(span, added)].into_iter());
                    let after = parsed.reparse(after, &[(span, added.len())]);
                    if let Some(tree) = after.masked_tree() {
                        check(after.source(), tree, "the edited tree");
                    }
                }
            }
        }
    }
}
