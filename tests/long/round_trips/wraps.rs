//! Wrapping a node and replacing the wrapper by the wrapped node restores the bytes of real files;
//! inside the wrapper, lines of multi-line strings keep their bytes.

use super::*;

/// The number of files of a language.
const FILES: usize = 6;

/// Parents whose children are not wrapped: the wrapper is not allowed there.
const SKIPPED_HOLDERS: &[&str] = &[
    "token_tree",
    "dict_pattern",
    "for_statement",
    "import_statement",
    "export_statement",
    "concatenated_string",
];

/// Languages whose grammars insert tokens that the tree does not show: up to half of the nodes may
/// be refused, elsewhere a third.
const OFTEN_REFUSED: &[&str] = &["zig"];

/// Wrappers of a language: the node types that they can wrap, their text, and their node type.
struct Wrappers {
    language: &'static str,
    wrappers: &'static [(&'static [&'static str], &'static str, &'static str)],
    /// The minimum number of wrapped nodes.
    at_least: usize,
}

const IN_SCRIPTS: &[(&[&str], &str, &str)] = &[
    (
        &[
            "expression_statement",
            "lexical_declaration",
            "return_statement",
            "if_statement",
            "for_statement",
        ],
        "if (ready) {\n  <|>\n}",
        "if_statement",
    ),
    (&["function_declaration"], "{\n  <|>\n}", "statement_block"),
    (
        &["call_expression", "string", "template_string", "object"],
        "wrapped(<|>)",
        "call_expression",
    ),
    (
        &["call_expression", "object", "template_string"],
        "wrapped(\n  <|>,\n  1,\n)",
        "call_expression",
    ),
    (
        &["jsx_element", "jsx_self_closing_element"],
        "<div>\n  <|>\n</div>",
        "jsx_element",
    ),
];

const IN_C: &[(&[&str], &str, &str)] = &[
    (
        &[
            "expression_statement",
            "return_statement",
            "if_statement",
            "for_statement",
        ],
        "if (ready) {\n    <|>\n}",
        "if_statement",
    ),
    (
        &["declaration", "function_definition"],
        "#ifdef WRAPPED\n<|>\n#endif",
        "preproc_ifdef",
    ),
    (
        &["call_expression", "string_literal"],
        "wrapped(<|>)",
        "call_expression",
    ),
    (
        &["call_expression"],
        "wrapped(\n    <|>,\n    1\n)",
        "call_expression",
    ),
];

const WRAPPERS: &[Wrappers] = &[
    Wrappers {
        language: "rust",
        wrappers: &[
            (
                &["expression_statement", "let_declaration"],
                "if ready {\n    <|>\n}",
                "if_expression",
            ),
            (
                &[
                    "function_item",
                    "struct_item",
                    "enum_item",
                    "impl_item",
                    "mod_item",
                ],
                "mod wrapped {\n    <|>\n}",
                "mod_item",
            ),
            (
                &[
                    "call_expression",
                    "match_expression",
                    "closure_expression",
                    "string_literal",
                    "raw_string_literal",
                ],
                "wrapped(<|>)",
                "call_expression",
            ),
            (
                &["call_expression", "match_expression", "raw_string_literal"],
                "wrapped(\n    <|>,\n    1,\n)",
                "call_expression",
            ),
        ],
        at_least: 45,
    },
    Wrappers {
        language: "json",
        wrappers: &[
            (&["object", "array", "string", "number"], "[<|>]", "array"),
            (
                &["object", "array", "number"],
                "{\n  \"wrapped\": <|>\n}",
                "object",
            ),
            (&["object", "array", "number"], "[\n  <|>\n]", "array"),
        ],
        at_least: 45,
    },
    Wrappers {
        language: "python",
        wrappers: &[
            (
                &[
                    "expression_statement",
                    "return_statement",
                    "if_statement",
                    "for_statement",
                    "with_statement",
                    "try_statement",
                ],
                "if ready:\n    <|>",
                "if_statement",
            ),
            (
                &["expression_statement", "if_statement", "for_statement"],
                "try:\n\t<|>\nfinally:\n\tdone()",
                "try_statement",
            ),
            (
                &["function_definition", "class_definition"],
                "class Wrapped:\n    <|>",
                "class_definition",
            ),
            (
                &["call", "string", "list", "dictionary"],
                "wrapped(<|>)",
                "call",
            ),
            (
                &["call", "dictionary", "string"],
                "wrapped(\n    <|>,\n    1,\n)",
                "call",
            ),
        ],
        at_least: 130,
    },
    Wrappers {
        language: "javascript",
        wrappers: IN_SCRIPTS,
        at_least: 60,
    },
    Wrappers {
        language: "jsx",
        wrappers: IN_SCRIPTS,
        at_least: 40,
    },
    Wrappers {
        language: "typescript",
        wrappers: IN_SCRIPTS,
        at_least: 45,
    },
    Wrappers {
        language: "tsx",
        wrappers: IN_SCRIPTS,
        at_least: 45,
    },
    Wrappers {
        language: "toml",
        wrappers: &[
            (&["array", "string", "integer"], "[<|>]", "array"),
            (&["array", "string"], "[\n  <|>,\n]", "array"),
            (
                &["array", "string", "inline_table"],
                "{ wrapped = <|> }",
                "inline_table",
            ),
        ],
        at_least: 35,
    },
    Wrappers {
        language: "yaml",
        wrappers: &[
            (
                &["block_mapping_pair"],
                "wrapped:\n  <|>",
                "block_mapping_pair",
            ),
            (
                &["block_sequence_item"],
                "- wrapped:\n  <|>",
                "block_sequence_item",
            ),
            (&["flow_node"], "[<|>]", "flow_node"),
        ],
        at_least: 25,
    },
    Wrappers {
        language: "go",
        wrappers: &[
            (
                &[
                    "expression_statement",
                    "short_var_declaration",
                    "return_statement",
                    "if_statement",
                    "for_statement",
                    "assignment_statement",
                ],
                "if ready {\n\t<|>\n}",
                "if_statement",
            ),
            (
                &["call_expression", "composite_literal", "raw_string_literal"],
                "wrapped(<|>)",
                "call_expression",
            ),
            (
                &["call_expression", "raw_string_literal"],
                "wrapped(\n    <|>,\n)",
                "call_expression",
            ),
        ],
        at_least: 45,
    },
    Wrappers {
        language: "c",
        wrappers: IN_C,
        at_least: 40,
    },
    Wrappers {
        language: "cpp",
        wrappers: IN_C,
        at_least: 45,
    },
    Wrappers {
        language: "java",
        wrappers: &[
            (
                &[
                    "expression_statement",
                    "local_variable_declaration",
                    "return_statement",
                    "if_statement",
                    "for_statement",
                    "try_statement",
                ],
                "if (ready) {\n    <|>\n}",
                "if_statement",
            ),
            (
                &[
                    "method_declaration",
                    "field_declaration",
                    "class_declaration",
                ],
                "class Wrapped {\n    <|>\n}",
                "class_declaration",
            ),
            (
                &["method_invocation", "string_literal"],
                "wrapped(<|>)",
                "method_invocation",
            ),
            (
                &["method_invocation", "string_literal"],
                "wrapped(\n    <|>,\n    1)",
                "method_invocation",
            ),
        ],
        at_least: 120,
    },
    Wrappers {
        language: "bash",
        wrappers: &[
            (
                &[
                    "command",
                    "if_statement",
                    "for_statement",
                    "variable_assignment",
                    "function_definition",
                    "redirected_statement",
                    "pipeline",
                ],
                "if ready; then\n  <|>\nfi",
                "if_statement",
            ),
            (&["command", "pipeline"], "{ <|>; }", "compound_statement"),
            (&["string", "raw_string"], "\"$(wrapped <|>)\"", "string"),
        ],
        at_least: 100,
    },
    Wrappers {
        language: "html",
        wrappers: &[
            (
                &["element", "script_element"],
                "<div>\n  <|>\n</div>",
                "element",
            ),
            (&["element"], "<b><|></b>", "element"),
        ],
        at_least: 18,
    },
    Wrappers {
        language: "css",
        wrappers: &[
            (
                &["rule_set", "media_statement"],
                "@media print {\n  <|>\n}",
                "media_statement",
            ),
            (&["declaration"], "& b {\n  <|>\n}", "rule_set"),
            (
                &["call_expression", "integer_value"],
                "max(<|>, 1px)",
                "call_expression",
            ),
        ],
        at_least: 25,
    },
    Wrappers {
        language: "elixir",
        wrappers: &[
            (&["tuple", "map", "integer", "atom"], "[<|>]", "list"),
            (
                &["list", "map", "integer"],
                "{\n  <|>,\n  :wrapped\n}",
                "tuple",
            ),
        ],
        at_least: 20,
    },
    Wrappers {
        language: "make",
        wrappers: &[(
            &["function_call", "variable_reference"],
            "$(strip <|>)",
            "function_call",
        )],
        at_least: 10,
    },
    Wrappers {
        language: "nix",
        wrappers: &[
            (
                &["list_expression", "string_expression"],
                "(<|>)",
                "parenthesized_expression",
            ),
            (
                &["list_expression", "attrset_expression"],
                "[\n  <|>\n]",
                "list_expression",
            ),
        ],
        at_least: 10,
    },
    Wrappers {
        language: "proto",
        wrappers: &[
            (
                &["message", "enum", "field", "map_field"],
                "message Wrapped {\n  <|>\n}",
                "message",
            ),
            (&["constant"], "{ wrapped: <|> }", "constant"),
        ],
        at_least: 20,
    },
    Wrappers {
        language: "r",
        wrappers: &[
            (
                &["call", "if_statement", "for_statement"],
                "{\n  <|>\n}",
                "braced_expression",
            ),
            (&["call", "string"], "wrapped(<|>, 1)", "call"),
        ],
        at_least: 20,
    },
    Wrappers {
        language: "csharp",
        wrappers: &[
            (
                &["expression_statement", "if_statement", "foreach_statement"],
                "if (ready)\n{\n    <|>\n}",
                "if_statement",
            ),
            (
                &["object_creation_expression", "string_literal"],
                "Wrapped(<|>)",
                "invocation_expression",
            ),
        ],
        at_least: 10,
    },
    Wrappers {
        language: "kotlin",
        wrappers: &[
            (
                &["for_statement", "while_statement", "assignment"],
                "if (ready) {\n    <|>\n}",
                "if_expression",
            ),
            (&["string_literal"], "wrapped(<|>)", "call_expression"),
        ],
        at_least: 5,
    },
    Wrappers {
        language: "swift",
        wrappers: &[
            (
                &["for_statement", "guard_statement", "assignment"],
                "if ready {\n    <|>\n}",
                "if_statement",
            ),
            (&["line_string_literal"], "wrapped(<|>)", "call_expression"),
        ],
        at_least: 5,
    },
    Wrappers {
        language: "scala",
        wrappers: &[
            (
                &[
                    "while_expression",
                    "for_expression",
                    "assignment_expression",
                ],
                "if (ready) {\n  <|>\n}",
                "if_expression",
            ),
            (&["string"], "wrapped(<|>)", "call_expression"),
        ],
        at_least: 5,
    },
    Wrappers {
        language: "dart",
        wrappers: &[(
            &["expression_statement", "if_statement", "for_statement"],
            "if (ready) {\n  <|>\n}",
            "if_statement",
        )],
        at_least: 10,
    },
    Wrappers {
        language: "zig",
        wrappers: &[
            (
                &[
                    "expression_statement",
                    "if_statement",
                    "for_statement",
                    "while_statement",
                ],
                "if (ready) {\n    <|>\n}",
                "if_statement",
            ),
            (
                &["call_expression", "string"],
                "wrapped(<|>)",
                "call_expression",
            ),
        ],
        at_least: 10,
    },
];

/// Returns a wrapper whose type differs from that of the node.
pub(super) fn wrapper_of(language: &str, kind: &str) -> Option<&'static str> {
    let own = WRAPPERS.iter().find(|one| one.language == language)?;
    let mut fitting = own.wrappers.iter();
    let (_, wrapper, _) = fitting.find(|(kinds, _, own)| kinds.contains(&kind) && *own != kind)?;
    Some(wrapper)
}

/// Wraps a node and replaces the wrapper by the wrapped text.
fn wrap_and_unwrap(
    file: &File,
    node: tree_sitter::Node<'_>,
    wrapper: &str,
    kind: &str,
    trips: &mut Trips,
) {
    let Some(target) = file.target(node) else {
        return;
    };
    let before = file.text();
    let operation = Operation::Wrap {
        new_content: wrapper.to_string(),
        indent: Indent::Auto,
    };
    let wrapped = match done(target.selection.clone(), &operation) {
        Ok(wrapped) => wrapped,
        Err(error) => {
            trips
                .refused
                .push(target.wrong(&format!("{wrapper:?}: {error}"), "", ""));
            return;
        }
    };
    trips.made += 1;
    let after = reparsed(&file.parsed, wrapped.after().text());
    let text = after.source().text();
    let new = wrapped.record().targets()[0].new_span();
    let mut say = |what: &str, from: &str, to: &str| {
        trips
            .wrong
            .push(target.wrong(&format!("{wrapper:?}: {what}"), from, to));
    };
    let (ahead, following) = (&text[..new.start()], &text[new.end()..]);
    if !before.starts_with(ahead) || !before.ends_with(following) {
        return say("more than the node changed", before, text);
    }
    let old = Span::new(ahead.len(), before.len() - following.len());
    let own = wrapper.split("<|>").collect::<Vec<_>>();
    let inside = solid(&before[old.range()]);
    if solid(&text[new.range()]) != format!("{}{inside}{}", solid(own[0]), solid(own[1])) {
        return say("the wrapped text changed", before, text);
    }
    let is_kept = |node: tree_sitter::Node<'_>| {
        let is_tall = node.start_position().row < node.end_position().row;
        let is_protected = file.marks.protected.contains(&node.id());
        !is_tall || !is_protected || text.contains(&before[node.byte_range()])
    };
    if !nodes(&file.tree).all(is_kept) {
        return say("lines of a protected text changed", before, text);
    }
    let Some(selection) = select_at(&after, new, kind) else {
        return say(&format!("the wrapper is not a {kind}"), before, text);
    };
    let replace = Operation::Replace {
        new_content: file.parsed.source().indentation_at(old.start()) + &before[old.range()],
        indent: Indent::Auto,
        include_attached: false,
    };
    match done(selection, &replace) {
        Err(error) => say(&format!("cannot be unwrapped: {error}"), before, text),
        Ok(back) if back.after().text() == before => trips.exact += 1,
        Ok(back) => say("unwrapping gave another text", before, back.after().text()),
    }
}

fn test_wraps(file: &File, wrappers: &Wrappers, trips: &mut Trips) {
    let is_in_protected = |node: tree_sitter::Node<'_>| {
        let mut above = std::iter::successors(node.parent(), |node| node.parent());
        above.any(|one| file.marks.protected.contains(&one.id()))
    };
    for (kinds, wrapper, kind) in wrappers.wrappers {
        let is_wanted = |node: tree_sitter::Node<'_>| {
            let parent = node.parent().map_or("", |parent| parent.kind());
            let is_skipped = SKIPPED_HOLDERS.contains(&parent) || is_in_protected(node);
            kinds.contains(&node.kind()) && node.is_named() && !is_skipped
        };
        let mut some = Trips {
            of_a_kind: Some(2),
            ..Trips::default()
        };
        std::mem::swap(&mut some.taken, &mut trips.taken);
        let picked = file.nodes(&mut some, is_wanted);
        std::mem::swap(&mut some.taken, &mut trips.taken);
        for node in picked {
            wrap_and_unwrap(file, node, wrapper, kind, trips);
        }
        trips.taken.clear();
    }
}

#[test]
fn wrapping_a_node_and_unwrapping_it_restores_files_of_each_language() {
    for wrappers in WRAPPERS {
        let is_tried = is_full() || SAMPLE.contains(&wrappers.language);
        if !is_tried || is_left_out(wrappers.language) {
            continue;
        }
        let language = by_name(wrappers.language);
        let facts = Facts::of(language);
        let mut trips = Trips::default();
        for parsed in files_of(language).into_iter().take(FILES) {
            test_wraps(&File::new(parsed, &facts), wrappers, &mut trips);
        }
        let shown: Vec<String> = trips.wrong.iter().take(6).cloned().collect();
        assert!(
            shown.is_empty() && trips.exact == trips.made,
            "{}: {} of {} went wrong:\n{}",
            language.name,
            trips.wrong.len(),
            trips.made,
            shown.join("\n")
        );
        // Not every string of a language is an expression.
        let refused = trips.refused.len();
        let of = 3 - usize::from(OFTEN_REFUSED.contains(&wrappers.language));
        assert!(
            trips.made >= wrappers.at_least && refused * of <= trips.made,
            "{}: {} were made, {refused} refused:\n{}",
            language.name,
            trips.made,
            trips.refused.join("\n")
        );
    }
}
