//! Walks across the boundary between a tree and an embedded tree: Markdown's block and inline
//! trees.

use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::select::{Selector, discover, select};
use treegraft::source::Source;

const QUOTE: &str = "# Title 😀\n\n> intro\n>\n> - one **bold 😀 word** here,\n>   *over\n>   lines*\n>   - inner\n\
                     > - two\n>\n> end\n\nlast\n";

fn parsed(text: &str) -> Parsed {
    let source = Source::new("a.md", language::for_file("a.md", text), text.to_string());
    Parsed::parse(source)
}

/// Returns the types of the ancestors of the only occurrence of `anchor`, innermost first.
fn above(text: &str, anchor: &str) -> Vec<String> {
    let parsed = parsed(text);
    let selector = Selector::new(anchor, "");
    let occurrences = discover(&parsed, &selector).expect("the anchor occurs");
    assert_eq!(occurrences.len(), 1, "{anchor}");
    let chain = occurrences[0].chain.iter().rev();
    chain.map(|node| node.kind().to_string()).collect()
}

/// Returns the text of the selected node.
fn selected(text: &str, anchor: &str, node_type: &str) -> String {
    let parsed = parsed(text);
    let selection = select(&parsed, &Selector::new(anchor, node_type));
    let selection = selection.unwrap_or_else(|error| panic!("{anchor} {node_type}: {error}"));
    parsed.source().slice(selection.span()).into_owned()
}

#[test]
fn every_ancestor_of_bold_text_can_be_selected() {
    let item = "- one **bold 😀 word** here,\n>   *over\n>   lines*\n>   - inner";
    let wanted = [
        ("strong_emphasis", "**bold 😀 word**".to_string()),
        (
            "inline",
            item["- ".len()..item.len() - "\n>   - inner".len()].to_string(),
        ),
        (
            "paragraph",
            item["- ".len()..item.len() - "\n>   - inner".len()].to_string(),
        ),
        ("list_item", item.to_string()),
        ("list", format!("{item}\n> - two")),
        (
            "block_quote",
            format!("> intro\n>\n> {item}\n> - two\n>\n> end"),
        ),
        ("section", QUOTE.trim_end().to_string()),
        ("document", QUOTE.trim_end().to_string()),
    ];
    let crlf = QUOTE.replace('\n', "\r\n");
    let types: Vec<&str> = wanted.iter().map(|(node_type, _)| *node_type).collect();
    assert_eq!(above(QUOTE, "d 😀 w"), types);
    assert_eq!(above(&crlf, "d 😀 w"), types);
    for (node_type, text) in wanted {
        assert_eq!(selected(QUOTE, "d 😀 w", node_type), text);
        assert_eq!(
            selected(&crlf, "d 😀 w", node_type),
            text.replace('\n', "\r\n")
        );
    }
}

#[test]
fn the_outer_tree_wins_if_an_anchor_crosses_the_boundary() {
    assert_eq!(above(QUOTE, "one **bold")[0], "inline");
    assert_eq!(above(QUOTE, "word** here,\n>   *over")[0], "inline");
    assert_eq!(above(QUOTE, "over\n>   lines")[0], "emphasis");
    assert_eq!(above(QUOTE, "lines*\n>   - inner")[0], "list_item");
    assert_eq!(above(QUOTE, "inner\n> - two")[0], "list");
}

#[test]
fn an_anchor_selects_nodes_in_both_trees() {
    assert_eq!(
        selected(QUOTE, "one **bold", "strong_emphasis"),
        "**bold 😀 word**"
    );
    assert_eq!(selected(QUOTE, "# Title", "inline"), "Title 😀");
    assert_eq!(
        selected(QUOTE, "here,\n>   *over", "emphasis"),
        "*over\n>   lines*"
    );
}

#[test]
fn siblings_are_those_of_the_inner_tree() {
    let parsed = parsed("a *b* and `c` d\n");
    let mut selector = Selector::new("b", "emphasis");
    selector.sibling = 1;
    let selection = select(&parsed, &selector).expect("a code span follows");
    assert_eq!(selection.node().kind(), "code_span");
}

#[test]
fn nodes_end_with_their_text() {
    let text = "- a\n  - b\n\n  - c\n- d\n\n> ```\n> code\n> ```\n> x\n\n1. e\n\n   f\n2. g\n";
    for text in [text.to_string(), text.replace('\n', "\r\n")] {
        let end = |anchor, node_type| {
            let text = selected(&text, anchor, node_type);
            text.replace("\r\n", "\n")
        };
        assert_eq!(end("b", "list_item"), "- b");
        assert_eq!(end("b", "paragraph"), "b");
        assert_eq!(end("a", "list_item"), "- a\n  - b\n\n  - c");
        assert_eq!(end("code", "code_fence_content"), "code");
        assert_eq!(end("code", "fenced_code_block"), "```\n> code\n> ```");
        assert_eq!(end("e", "list_item"), "1. e\n\n   f");
    }
}

#[test]
fn table_cells_have_inline_nodes() {
    let text = "| a | b **c** |\n|---|:-:|\n| `d` | e |\n";
    assert_eq!(
        above(text, "c"),
        [
            "strong_emphasis",
            "pipe_table_cell",
            "pipe_table_header",
            "pipe_table",
            "section",
            "document"
        ]
    );
    assert_eq!(selected(text, "d", "code_span"), "`d`");
    assert_eq!(selected(text, "e", "row"), "| `d` | e |");
}

#[test]
fn plain_fences_and_html_have_no_inline_nodes_and_front_matter_has_those_of_yaml() {
    let text = "---\na: *b*\n---\n\n```\nlet *c* = d;\n```\n\n<div>\n*e*\n</div>\n\n[f]: http://g \"*h*\"\n";
    let own = above(text, "a: *b*");
    assert_eq!(own[0], "block_mapping_pair");
    assert_eq!(own[own.len() - 2..], ["minus_metadata", "document"]);
    assert_eq!(above(text, "c* =")[0], "code_fence_content");
    assert_eq!(above(text, "e*")[0], "html_block");
    assert_eq!(
        above(text, "h*")[..2],
        ["link_title", "link_reference_definition"]
    );
}

#[test]
fn a_line_of_20_kb_is_read_and_one_too_costly_stays_a_leaf() {
    let prose = "Prose with **bold** and `code *` and [a link](http://x.y/z_1), and some more words after it. ";
    let long = prose.repeat(200) + "*the end*\n";
    assert_eq!(above(&long, "the end")[0], "emphasis");
    let costly = "*a **b ".repeat(5_000) + "*the end*\n";
    assert_eq!(above(&costly, "the end")[0], "inline");
}
