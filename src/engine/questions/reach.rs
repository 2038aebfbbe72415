//! Determines where uses of a renamed symbol can be, from the places that the rename changes.
//!
//! Input: the changed files with these places. Output: a [`Reach`]. If the symbol is a local variable, an unresolved
//! identifier outside its function is not a use. If the symbol is a member, an unresolved identifier that is not a
//! member is not a use.

use camino::{Utf8Path, Utf8PathBuf};

use crate::parse::Parsed;
use crate::source::{Source, Span};

/// The places where uses of a symbol can be.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// The function that contains all uses.
    function: Option<(Utf8PathBuf, Span)>,
    /// Whether all uses follow a receiver or a path: `a.name`, `a::name`.
    is_member: bool,
}

impl Reach {
    /// Returns the reach of a symbol, from its places in each changed file.
    pub(super) fn from_places(files: &[(&Utf8Path, &Parsed, Vec<Span>)]) -> Reach {
        let is_bare_use = |parsed: &Parsed, span: Span| {
            is_bare(parsed.source(), span) && !is_symbol_name(parsed, span)
        };
        let places = files
            .iter()
            .flat_map(|(_, parsed, spans)| spans.iter().map(|span| (*parsed, *span)));
        let has_member = places
            .clone()
            .any(|(parsed, span)| !is_bare(parsed.source(), span));
        Reach {
            function: match files {
                [(path, parsed, spans)] => {
                    function_of(parsed, spans).map(|span| (path.to_path_buf(), span))
                }
                _ => None,
            },
            is_member: has_member
                && !places
                    .clone()
                    .any(|(parsed, span)| is_bare_use(parsed, span)),
        }
    }

    /// Returns whether an identifier can be a use.
    pub(super) fn holds(&self, path: &Utf8Path, parsed: &Parsed, span: Span) -> bool {
        let is_outside = self
            .function
            .as_ref()
            .is_some_and(|(own, function)| own != path || !function.contains(span));
        let is_other =
            self.is_member && is_bare(parsed.source(), span) && !is_symbol_name(parsed, span);
        !is_outside && !is_other
    }
}

/// Returns whether a name is not a member: it does not follow `.`, `->` or `::`.
pub(super) fn is_bare(source: &Source, span: Span) -> bool {
    let before = source.text()[..span.start()].trim_end();
    let is_member = before.ends_with('.') && !before.ends_with("..");
    !is_member && !before.ends_with("->") && !before.ends_with("::")
}

/// Returns whether a place is the declared name of a symbol.
fn is_symbol_name(parsed: &Parsed, span: Span) -> bool {
    let symbols = parsed.outline_with_inner().symbols();
    symbols.iter().any(|symbol| symbol.name_span.contains(span))
}

/// Returns the function of a local variable with these places. Returns `None` for a parameter, which callers may name,
/// and for a member.
fn function_of(parsed: &Parsed, spans: &[Span]) -> Option<Span> {
    let is_seen_outside = |span: &Span| {
        let chain = parsed.chain(*span);
        let mut parent = None;
        let is_named_by_others = chain.iter().any(|node| {
            let begins = node.span().start() == span.start();
            let is_key = begins
                && ["property", "field"]
                    .iter()
                    .any(|word| node.is_word(word, parent));
            let is_parameter = node.is_word("parameter", parent);
            parent = Some(*node);
            is_key || is_parameter
        });
        is_named_by_others || !is_bare(parsed.source(), *span)
    };
    if spans.iter().any(is_seen_outside) {
        return None;
    }
    let symbols = parsed.outline_with_inner().symbols().iter();
    let functions = symbols.filter(|symbol| ["function", "method"].contains(&symbol.kind));
    let mut around = functions.filter(|function| {
        let is_inside =
            |span: &Span| function.node_span.contains(*span) && !function.name_span.contains(*span);
        spans.iter().all(is_inside)
    });
    around.next_back().map(|function| function.node_span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::questions::place::names_within;
    use crate::language;

    /// Returns, for each occurrence of `name` in `rest`, whether it can be a use of a symbol whose uses are the
    /// occurrences in `renamed`.
    fn holds(path: &str, renamed: &str, rest: &str) -> Vec<bool> {
        let text = format!("{renamed}{rest}");
        let source = Source::new(path, language::for_file(path, &text), text);
        let parsed = Parsed::parse(source);
        let all = names_within(parsed.source(), parsed.source().whole(), "name").into_iter();
        let all = all.map(|start| Span::new(start, start + "name".len()));
        let (own, others): (Vec<Span>, Vec<Span>) =
            all.partition(|span| span.start() < renamed.len());
        let path = Utf8Path::new(path);
        let reach = Reach::from_places(&[(path, &parsed, own)]);
        let others = others.into_iter();
        others
            .map(|span| reach.holds(path, &parsed, span))
            .collect()
    }

    #[test]
    fn a_local_variable_is_used_in_its_function_and_a_member_as_a_member() {
        let local = "def f():\n    name = 1\n    return name\n";
        let parameter = "def f(name):\n    return name\n";
        let method = "class A:\n    def name(self):\n        return self.name()\n";
        let outside = "def g(a):\n    return a(name=1), a.name, name\n";
        assert_eq!(holds("a.py", local, outside), [false, false, false]);
        // Callers may name the parameter.
        assert_eq!(holds("a.py", parameter, outside), [true, true, true]);
        assert_eq!(holds("a.py", method, outside), [false, true, false]);
        // A definition may implement the method.
        let again = "class B:\n    def name(self):\n        name = 1\n";
        assert_eq!(holds("a.py", method, again), [true, false]);
        let local = "fn f() {\n    let name = 1;\n    g(name);\n}\n";
        let field = "struct A {\n    name: u8,\n}\nfn f(a: A) {\n    a.name;\n}\n";
        let outside = "macro_rules! m { ($a:expr) => { $a.name; let b = name; } }\n";
        assert_eq!(holds("a.rs", local, outside), [false, false]);
        assert_eq!(holds("a.rs", field, outside), [true, false]);
        let made = "fn f() -> A {\n    A { name: 1 }\n}\n";
        assert_eq!(
            holds("a.rs", &format!("{field}{made}"), outside),
            [true, true]
        );
        let key = "function f() {\n  return {name: 1};\n}\n";
        let outside = "g().name;\n";
        assert_eq!(holds("a.ts", key, outside), [true]);
    }
}
