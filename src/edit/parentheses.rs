//! Encloses content in parentheses where it would be read as something else: `{ a: 1 }` as the body of an arrow function,
//! `a === b` after `!`.
//!
//! The grammar decides: an expression is read as sent if the node at its place has the type and the descendants that the
//! content has alone, in parentheses. So there is no table of precedences.

use crate::change::{Change, EditNote};
use crate::locate;
use crate::parse::{Node, Parsed};
use crate::pattern;
use crate::select::Selection;
use crate::source::{Source, Span};

use super::{EditError, wrap};

/// Returns the change, or the one that `make` returns for the content in parentheses if only that is read as sent.
pub(super) fn settled<'p>(
    change: Change<'p>,
    selection: &Selection<'p>,
    content: &str,
    make: impl Fn(&str) -> Result<Change<'p>, EditError>,
) -> Change<'p> {
    let reading = reading(selection, content, change.after(), change.new_span());
    let Some((sent, is_read)) = reading else {
        return change;
    };
    // Some grammars accept what the language refuses.
    if is_read && change.new_code_problem().is_none() {
        return change;
    }
    match make(&format!("({})", content.trim())) {
        Ok(other)
            if is_in_parentheses(&sent, other.after(), other.new_span())
                && other.new_code_problem().is_none() =>
        {
            other.with_note(EditNote::Parenthesized)
        }
        _ => change,
    }
}

/// Returns the change that wraps a node, or the one with parentheses around the node, around the whole, or both, if only
/// that is read as sent. `make` returns the change for other content.
pub(super) fn around_wrapped<'p>(
    change: Change<'p>,
    selection: &Selection<'p>,
    content: &str,
    make: impl Fn(&str) -> Result<Change<'p>, EditError>,
) -> Change<'p> {
    if wrap::is_block(content) {
        // Statements, with their comments.
        return change;
    }
    let mut content = content.to_string();
    let mut change = change;
    if let Some((before, after)) = locate::around_marker(&content)
        && is_expression(selection.node(), selection.parsed())
        && (!keeps_wrapped((change.after(), change.new_span()), selection, before)
            || change.new_code_problem().is_some())
    {
        let marker = &content[before.len()..content.len() - after.len()];
        let enclosed = format!("{before}({marker}){after}");
        let other = make(&enclosed).ok();
        let other = other.filter(|other| {
            let made = (other.after(), other.new_span());
            keeps_wrapped(made, selection, &format!("{before}("))
        });
        if let Some(other) = other.filter(|other| other.new_code_problem().is_none()) {
            change = other.with_note(EditNote::Parenthesized);
            content = enclosed;
        }
    }
    let text = change
        .after()
        .source()
        .slice(change.new_span())
        .into_owned();
    settled(change, selection, &text, |_| {
        make(&format!("({})", content.trim()))
    })
}

/// Returns whether content that wraps a node is read as sent, and the node as before.
pub(super) fn is_wrapped_as_sent(
    selection: &Selection<'_>,
    content: &str,
    after: &Parsed,
    new_span: Span,
) -> bool {
    if wrap::is_block(content) {
        return true;
    }
    let keeps = locate::around_marker(content).is_none_or(|(before, _)| {
        !is_expression(selection.node(), selection.parsed())
            || keeps_wrapped((after, new_span), selection, before)
    });
    keeps && is_read_as_sent(selection, &after.source().slice(new_span), after, new_span)
}

/// Returns whether a wrapped node has the type and the descendants that it had, after the content `before` it.
fn keeps_wrapped((after, new): (&Parsed, Span), selection: &Selection<'_>, before: &str) -> bool {
    let is_text = |c: &char| !c.is_whitespace();
    let text = after.source().slice(new);
    let ahead = before.chars().filter(is_text).count();
    let old = selection.parsed().text_of(selection.node());
    let len = old.chars().filter(is_text).count();
    let own: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| is_text(c)).collect();
    let last = (ahead + len).checked_sub(1).and_then(|last| own.get(last));
    let (Some((start, _)), Some((last, c))) = (own.get(ahead), last) else {
        return false;
    };
    let at = |offset: usize| new.start() + offset;
    let span = Span::new(at(*start), at(last + c.len_utf8()));
    let mut nodes = nodes_at(after, span).into_iter();
    nodes.any(|node| is_alike(node, selection.node()))
}

/// Returns whether a node is an expression or a type, which may be in parentheses.
fn is_expression(node: Node<'_>, parsed: &Parsed) -> bool {
    context_of(node, &parsed.text_of(node)).is_some()
}

/// Returns the context in which an expression has the type that it has.
fn context_of(node: Node<'_>, text: &str) -> Option<&'static str> {
    let contexts = pattern::contexts(node.language()).into_iter();
    contexts.map(|(_, context)| context).find(|context| {
        let alone = Alone::parse(node, text, context);
        alone.is_some_and(|alone| alone.node().is_some_and(|own| own.is_of_type_of(node)))
    })
}

/// Returns whether content that replaces a node is read as the expression that was sent, or is no expression.
pub(crate) fn is_read_as_sent(
    selection: &Selection<'_>,
    content: &str,
    after: &Parsed,
    new_span: Span,
) -> bool {
    reading(selection, content, after, new_span).is_none_or(|(_, is_read)| is_read)
}

/// Returns the tree of an expression of another type than the replaced one, alone in parentheses, and whether it is read so at
/// its place.
fn reading(
    selection: &Selection<'_>,
    content: &str,
    after: &Parsed,
    new_span: Span,
) -> Option<(Alone, bool)> {
    let old = selection.node();
    let at_place = nodes_at(after, new_span);
    let is_first = is_first_of_statement(after, new_span);
    let is_refused = at_place.iter().any(|node| node.needs_parentheses(is_first));
    if !is_refused && at_place.iter().any(|node| node.is_of_type_of(old)) {
        return None;
    }
    let context = context_of(old, &selection.parsed().text_of(old))?;
    let sent = Alone::parse(old, content.trim(), context)?;
    let expected = sent.node()?;
    let is_read = !is_refused && at_place.iter().any(|node| is_alike(*node, expected));
    Some((sent, is_read))
}

/// Returns whether a statement starts with a span and contains more.
fn is_first_of_statement(parsed: &Parsed, span: Span) -> bool {
    let span = parsed.trimmed(span);
    let chain = parsed.chain(span);
    let mut pairs = chain.windows(2);
    pairs.any(|pair| {
        let statement = pair[1];
        statement.is_word("statement", Some(pair[0]))
            && statement.span().start() == span.start()
            && parsed.trimmed(statement.span()) != span
    })
}

/// Returns whether the content of parentheses is read as sent.
fn is_in_parentheses(sent: &Alone, after: &Parsed, new_span: Span) -> bool {
    let inner = Span::new(new_span.start() + 1, new_span.end().saturating_sub(1));
    let inner = after.trimmed(inner);
    let Some(expected) = sent.node() else {
        return false;
    };
    let mut inside = nodes_at(after, inner).into_iter();
    nodes_at(after, new_span).iter().any(groups_one) && inside.any(|node| is_alike(node, expected))
}

/// The maximum length of an expression that is parsed alone, in bytes.
const ALONE_BYTES: usize = 20_000;

/// An expression in parentheses in a file of its own.
struct Alone {
    parsed: Parsed,
    span: Span,
}

impl Alone {
    /// Parses a text in a context. `None` if it is not one expression, or too long.
    fn parse(old: Node<'_>, text: &str, context: &str) -> Option<Alone> {
        let (before, after) = context.split_once("<|>")?;
        if text.len() > ALONE_BYTES {
            return None;
        }
        let file = format!("{before}({text}){after}");
        let parsed = Parsed::parse(Source::new("", old.language(), file));
        let start = before.len() + 1;
        let alone = Alone {
            parsed,
            span: Span::new(start, start + text.len()),
        };
        let group = Span::new(alone.span.start() - 1, alone.span.end() + 1);
        let is_sound = alone.parsed.problems().is_empty()
            && nodes_at(&alone.parsed, group).iter().any(groups_one)
            && alone.node().is_some();
        is_sound.then_some(alone)
    }

    /// Returns the outermost node of the expression.
    fn node(&self) -> Option<Node<'_>> {
        nodes_at(&self.parsed, self.span).into_iter().next()
    }
}

/// Returns whether a node has one node in it, as parentheses around an expression have.
fn groups_one(node: &Node<'_>) -> bool {
    let children = node.own_children().into_iter();
    children.filter(|child| child.is_named()).count() == 1
}

/// Returns the named nodes that have a span, from the outermost.
fn nodes_at(parsed: &Parsed, span: Span) -> Vec<Node<'_>> {
    let span = parsed.trimmed(span);
    let mut chain = parsed.chain(span);
    chain.retain(|node| parsed.trimmed(node.span()) == span);
    chain
}

/// Returns whether two nodes and their descendants have the same types.
fn is_alike(one: Node<'_>, other: Node<'_>) -> bool {
    let mut open = vec![(one, other)];
    while let Some((one, other)) = open.pop() {
        let (ones, others) = (one.own_children(), other.own_children());
        if !one.is_of_type_of(other) || ones.len() != others.len() {
            return false;
        }
        open.extend(ones.into_iter().zip(others));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Operation, edit};
    use crate::select::{Selector, select};

    fn replaced(path: &str, text: &str, anchor: (&str, &str), content: &str) -> (String, bool) {
        let language = crate::language::for_file(path, text);
        let parsed = Parsed::parse(Source::new(path, language, text.to_string()));
        let selection =
            select(&parsed, &Selector::new(anchor.0, anchor.1)).expect("it is one node");
        let change = edit(selection, &Operation::replace(content)).expect("it is replaced");
        let has_note = change.notes().contains(&EditNote::Parenthesized);
        (change.after().source().text().to_string(), has_note)
    }

    #[test]
    fn a_wrapped_expression_is_read_as_before() {
        for (path, text, anchor, content, expected) in [
            (
                "a.js",
                "x = a === b;\n",
                ("a === b", "binary_expression"),
                "!<|>",
                "x = !(a === b);\n",
            ),
            (
                "a.js",
                "y = f(a + b);\n",
                ("a + b", "binary_expression"),
                "<|> * 2",
                "y = f((a + b) * 2);\n",
            ),
            (
                "a.js",
                "z = g(c) * 2;\n",
                ("g(c)", "call_expression"),
                "<|> + 1",
                "z = (g(c) + 1) * 2;\n",
            ),
            (
                "a.js",
                "z = (a + c) * 2;\n",
                ("a + c", "binary_expression"),
                "g(<|>)",
                "z = (g(a + c)) * 2;\n",
            ),
            (
                "a.py",
                "z = lambda: a\n",
                ("lambda", "lambda"),
                "<|>.b",
                "z = (lambda: a).b\n",
            ),
            (
                "a.py",
                "z = x == y\n",
                ("x == y", "comparison_operator"),
                "not <|>",
                "z = not x == y\n",
            ),
            (
                "a.py",
                "z = a + b\n",
                ("a + b", "binary_operator"),
                "f\"{<|>}\"",
                "z = f\"{a + b}\"\n",
            ),
            (
                "a.js",
                "z = a + b;\n",
                ("a + b", "binary_expression"),
                "\"<|>\"",
                "z = \"a + b\";\n",
            ),
            (
                "a.rs",
                "fn f() { x = a as u8; }\n",
                ("a as u8", "type_cast_expression"),
                "<|>.c()",
                "fn f() { x = (a as u8).c(); }\n",
            ),
            (
                "a.rs",
                "fn f() { x = a + b; }\n",
                ("a + b", "binary_expression"),
                "<|>.c()",
                "fn f() { x = (a + b).c(); }\n",
            ),
        ] {
            let language = crate::language::for_file(path, text);
            let parsed = Parsed::parse(Source::new(path, language, text.to_string()));
            let selection =
                select(&parsed, &Selector::new(anchor.0, anchor.1)).expect("it is one node");
            let change = edit(selection, &Operation::wrap(content)).expect("it is wrapped");
            assert_eq!(change.after().source().text(), expected);
        }
    }

    #[test]
    fn an_expression_is_read_as_sent() {
        let mut wrong = Vec::new();
        for (path, text, anchor, content, expected) in [
            (
                "a.js",
                "g(1).b();\n",
                ("g(1)", "call_expression"),
                "{ a: 1 }",
                "({ a: 1 }).b();\n",
            ),
            (
                "a.js",
                "g(1)();\n",
                ("g(1)", "call_expression"),
                "function () {}",
                "(function () {})();\n",
            ),
            (
                "a.js",
                "g(1)(b);\n",
                ("g(1)", "call_expression"),
                "{ a: 1 }",
                "({ a: 1 })(b);\n",
            ),
            (
                "a.ts",
                "g(1)(b).c(d);\n",
                ("g(1)", "call_expression"),
                "function h() {}",
                "(function h() {})(b).c(d);\n",
            ),
            (
                "a.js",
                "x = g(1);\n",
                ("g(1)", "call_expression"),
                "function () {}",
                "x = function () {};\n",
            ),
            (
                "a.js",
                "x = () => g(1);\n",
                ("g(1)", "call_expression"),
                "{ a: 1 }",
                "x = () => ({ a: 1 });\n",
            ),
            (
                "a.js",
                "x = !g(1);\n",
                ("g(1)", "call_expression"),
                "a === b",
                "x = !(a === b);\n",
            ),
            (
                "a.js",
                "x = g(1) * 2;\n",
                ("g(1)", "call_expression"),
                "a + b",
                "x = (a + b) * 2;\n",
            ),
            (
                "a.js",
                "x = g(1) + 2;\n",
                ("g(1)", "call_expression"),
                "a * b",
                "x = a * b + 2;\n",
            ),
            (
                "a.js",
                "x = g(1).b;\n",
                ("g(1)", "call_expression"),
                "await c",
                "x = (await c).b;\n",
            ),
            (
                "a.ts",
                "let x: Old[];\n",
                ("Old", "type_identifier"),
                "A | B",
                "let x: (A | B)[];\n",
            ),
            (
                "a.ts",
                "let x: Old;\n",
                ("Old", "type_identifier"),
                "A | B",
                "let x: A | B;\n",
            ),
            (
                "a.py",
                "x = g(1) * 2\n",
                ("g(1)", "call"),
                "a + b",
                "x = (a + b) * 2\n",
            ),
            (
                "a.py",
                "x = not g(1)\n",
                ("g(1)", "call"),
                "a if b else c",
                "x = not (a if b else c)\n",
            ),
            (
                "a.py",
                "x = g(1).b\n",
                ("g(1)", "call"),
                "lambda: 1",
                "x = (lambda: 1).b\n",
            ),
            (
                "a.py",
                "async def f():\n    g(1).b\n",
                ("g(1)", "call"),
                "await c",
                "async def f():\n    (await c).b\n",
            ),
            (
                "a.rs",
                "fn f() { if g(1) {} }\n",
                ("g(1)", "call_expression"),
                "S { a: 1 }",
                "fn f() { if (S { a: 1 }) {} }\n",
            ),
            (
                "a.rs",
                "fn f() { g(1).b(); }\n",
                ("g(1)", "call_expression"),
                "-1",
                "fn f() { (-1).b(); }\n",
            ),
            (
                "a.rs",
                "fn f() { g(1).b(); }\n",
                ("g(1)", "call_expression"),
                "a as u8",
                "fn f() { (a as u8).b(); }\n",
            ),
            (
                "a.rs",
                "fn f() { x = g(1); }\n",
                ("g(1)", "call_expression"),
                "S { a: 1 }",
                "fn f() { x = S { a: 1 }; }\n",
            ),
            (
                "a.go",
                "package a\n\nfunc f() {\n\tif g(1) {\n\t}\n}\n",
                ("g(1)", "call_expression"),
                "T{}",
                "package a\n\nfunc f() {\n\tif (T{}) {\n\t}\n}\n",
            ),
            (
                "A.java",
                "class A { int x = g(1) * 2; }\n",
                ("g(1)", "method_invocation"),
                "a + b",
                "class A { int x = (a + b) * 2; }\n",
            ),
            (
                "a.c",
                "int x = g(1) * 2;\n",
                ("g(1)", "call_expression"),
                "a + b",
                "int x = (a + b) * 2;\n",
            ),
            (
                "a.rb",
                "x = g(1) * 2\n",
                ("g(1)", "call"),
                "a + b",
                "x = (a + b) * 2\n",
            ),
            (
                "a.php",
                "<?php $x = g(1) * 2;\n",
                ("g(1)", "function_call_expression"),
                "$a + $b",
                "<?php $x = ($a + $b) * 2;\n",
            ),
            (
                "a.cs",
                "class A { int x = g(1) * 2; }\n",
                ("g(1)", "invocation_expression"),
                "a + b",
                "class A { int x = (a + b) * 2; }\n",
            ),
            (
                "a.kt",
                "val x = g(1) * 2\n",
                ("g(1)", "call_expression"),
                "a + b",
                "val x = (a + b) * 2\n",
            ),
            (
                "a.lua",
                "x = g(1) * 2\n",
                ("g(1)", "function_call"),
                "a + b",
                "x = (a + b) * 2\n",
            ),
        ] {
            let (new, has_note) = replaced(path, text, anchor, content);
            let is_changed = expected.contains(&format!("({content})"));
            if new != expected || has_note != is_changed {
                wrong.push(format!("{path}: {content}: {new:?}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    }
}
