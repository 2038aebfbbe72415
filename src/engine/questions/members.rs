//! Determines which unresolved names cannot be a renamed member of a type, from the language's rules for members.
//!
//! Input: the changed files with the places of the rename, and an unresolved name. Output: whether the name is another
//! symbol: the member of another type, a variable, or a field where the renamed member is a method. The rules are in
//! `queries/rename.toml`; names in code that is not parsed, such as macro bodies, are only decided by their path.

use std::collections::BTreeSet;

use crate::language::queries::Mark;
use crate::locate::is_word;
use crate::parse::{Parsed, Symbol};
use crate::source::Span;

use super::named_paths::{Naming, path_before};
use super::reach::is_bare;
use super::unrenamed::is_identifier;

/// What a renamed member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemberKind {
    /// A function in a block of its type.
    Method,
    /// A field of a type.
    Field,
}

/// The renamed members of types, if each renamed declaration is one.
#[derive(Debug)]
pub(super) struct Members {
    kind: MemberKind,
    /// The types that declare a renamed member.
    types: BTreeSet<String>,
}

impl Members {
    /// Returns the members whose names are at `places`. Returns `None` if there are none, if another type can have or
    /// inherit them, or if a renamed declaration is no member.
    pub(super) fn of(naming: &Naming, files: &[(&Parsed, Vec<Span>)]) -> Option<Members> {
        let implements = naming.implements.as_deref()?;
        let mut members: Option<Members> = None;
        for (parsed, places) in files {
            let symbols = parsed.outline_with_inner().symbols();
            let is_renamed = |symbol: &&Symbol| places.contains(&symbol.name_span);
            for symbol in symbols.iter().filter(is_renamed) {
                let parent = &symbols[symbol.parent?];
                let kind = kind_of(symbol, Some(parent))?;
                if parent.name.contains(implements) {
                    return None;
                }
                let types = BTreeSet::new();
                let members = members.get_or_insert(Members { kind, types });
                if members.kind != kind {
                    return None;
                }
                members.types.insert(parent.short_name().to_string());
            }
        }
        members
    }

    /// Returns whether an unresolved name is another symbol. `types` are the types that the workspace defines, without
    /// those whose name is also an alias.
    pub(super) fn is_other(
        &self,
        naming: &Naming,
        types: &BTreeSet<String>,
        parsed: &Parsed,
        span: Span,
    ) -> bool {
        let source = parsed.source();
        let text = source.text();
        let symbols = parsed.outline_with_inner().symbols();
        let chain = parsed.chain(span);
        if !is_identifier(&chain, span) {
            return false;
        }
        if let Some(symbol) = symbols.iter().find(|one| one.name_span == span) {
            let parent = symbol.parent.map(|parent| &symbols[parent]);
            let kind = kind_of(symbol, parent);
            return kind != Some(self.kind)
                || parent.is_some_and(|parent| types.contains(parent.short_name()))
                    && !parent.is_some_and(|parent| self.types.contains(parent.short_name()));
        }
        if let Some(qualifier) = qualifier(naming, parsed, span) {
            return !self.types.contains(&qualifier) && types.contains(&qualifier);
        }
        let is_parsed = !chain.iter().any(|node| node.is(Mark::Closed));
        // `a::<B>::name` is a path too.
        let is_path = naming.paths.as_ref().is_some_and(|separator| {
            let before = text[..span.start()].trim_end();
            before.ends_with(separator.as_str())
        });
        if !is_parsed || is_path {
            return false;
        }
        let after = text[span.end()..].trim_start();
        let is_called = after.starts_with('(');
        let is_unclear = after.starts_with(['/', '$']);
        match (self.kind, is_bare(source, span)) {
            // A method follows a receiver or a path.
            (MemberKind::Method, true) => true,
            (MemberKind::Method, false) => !is_called && !is_unclear && !after.starts_with(':'),
            // A function in a field is only called in parentheses.
            (MemberKind::Field, false) => is_called,
            (MemberKind::Field, true) => false,
        }
    }
}

/// Returns the kind of a member of a type.
fn kind_of(symbol: &Symbol, parent: Option<&Symbol>) -> Option<MemberKind> {
    match (symbol.kind, parent?.kind) {
        ("function", "implementation") => Some(MemberKind::Method),
        ("field", "struct") => Some(MemberKind::Field),
        _ => None,
    }
}

/// Returns the types that the decision about a name depends on: the one before it in its path, or the one that it is
/// declared in.
pub(super) fn types_at(naming: &Naming, parsed: &Parsed, span: Span) -> Option<String> {
    let symbols = parsed.outline_with_inner().symbols();
    match symbols.iter().find(|one| one.name_span == span) {
        Some(symbol) => Some(symbols[symbol.parent?].short_name().to_string()),
        None => qualifier(naming, parsed, span),
    }
}

/// Returns the name before a name in a path: `B` in `a::B::name`.
fn qualifier(naming: &Naming, parsed: &Parsed, span: Span) -> Option<String> {
    let separator = naming.paths.as_deref()?;
    path_before(parsed.source().text(), span.start(), separator, false)?.pop()
}

/// Returns the types that texts define. A name that is also given to something else, as in `use a::B as C`, is left out.
pub(super) fn types<'p>(files: impl Iterator<Item = &'p Parsed> + Clone) -> BTreeSet<String> {
    let mut types = BTreeSet::new();
    for parsed in files.clone() {
        let symbols = parsed.outline_with_inner().symbols().iter();
        let defined = symbols.filter(|symbol| ["struct", "enum"].contains(&symbol.kind));
        types.extend(defined.map(|symbol| symbol.short_name().to_string()));
    }
    for parsed in files {
        let text = parsed.source().text();
        let mut words = text
            .split(|c: char| !is_word(c))
            .filter(|word| !word.is_empty());
        let mut before = words.next().unwrap_or_default();
        for word in words {
            if ["as", "type"].contains(&before) {
                types.remove(word);
            }
            before = word;
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::questions::named_paths::naming;
    use crate::engine::questions::place::names_within;
    use crate::language;
    use crate::source::Source;

    /// Returns, for each occurrence of `name` after the renamed places in `declared`, whether it is another symbol.
    fn others(declared: &str, rest: &str) -> Option<Vec<bool>> {
        let text = format!("{declared}{rest}");
        let source = Source::new("a.rs", language::of("a.rs", &text), text);
        let parsed = Parsed::parse(source);
        let all = names_within(parsed.source(), parsed.source().whole(), "name").into_iter();
        let all = all.map(|start| Span::new(start, start + "name".len()));
        let (own, rest): (Vec<Span>, Vec<Span>) =
            all.partition(|span| span.start() < declared.len());
        let naming = naming("rust");
        let members = Members::of(naming, &[(&parsed, own)])?;
        let types = types(std::iter::once(&parsed));
        let rest = rest.into_iter();
        let is_other = |span| members.is_other(naming, &types, &parsed, span);
        Some(rest.map(is_other).collect())
    }

    #[test]
    fn a_method_is_a_call_or_has_the_path_of_its_type() {
        let method = "struct A;\nimpl A {\n    fn name(&self) {}\n}\n";
        for (rest, expected) in [
            (
                "struct B;\nfn f() { B::name(); x::B::name(); }\n",
                [true, true].as_slice(),
            ),
            (
                "fn f() { A::name(); Self::name(); C::name(); }\n",
                &[false; 3],
            ),
            (
                "struct D;\ntype B = A;\nuse A as D;\nfn f() { B::name(); D::name(); }\n",
                &[false; 2],
            ),
            (
                "fn f(a: A) { a.name(); a.name; a.name::<u8>(); a.name /* */ (); }\n",
                &[false, true, false, false],
            ),
            ("fn f(name: u8) -> B { B { name } }\n", &[true, true]),
            (
                "struct B {\n    name: u8,\n}\nimpl B {\n    fn name(&self) {}\n}\n",
                &[true, true],
            ),
            (
                "fn name() {}\ntrait T {\n    fn name();\n}\n",
                &[true, true],
            ),
            (
                "impl T for A {\n    fn name() {}\n}\nimpl A {\n    fn name() {}\n}\n",
                &[false, false],
            ),
            // The type of this block is not known.
            ("impl B {\n    fn name(&self) {}\n}\n", &[false]),
            (
                "macro_rules! m { ($a:expr) => { $a.name; name } }\nfn f() { m!(name, a.name); }\n",
                &[false; 4],
            ),
            (
                "struct B;\nmacro_rules! m { () => { B::name() } }\n",
                &[true],
            ),
        ] {
            assert_eq!(others(method, rest).as_deref(), Some(expected), "{rest}");
        }
    }

    #[test]
    fn a_field_is_not_called() {
        let field = "struct A {\n    name: u8,\n}\n";
        let rest = "fn f(a: A, name: u8) {\n    a.name();\n    a.name;\n    (a.name)();\n}\n";
        assert_eq!(others(field, rest), Some(vec![false, true, false, false]));
    }

    #[test]
    fn a_member_that_another_type_can_have_is_not_decided() {
        for declared in [
            "trait T {\n    fn name();\n}\n",
            "impl T for A {\n    fn name() {}\n}\n",
            "impl A {\n    fn name() {}\n}\nimpl T for A {\n    fn name() {}\n}\n",
            "fn name() {}\n",
            "enum A {\n    B { name: u8 },\n}\n",
        ] {
            assert_eq!(others(declared, "fn f() { a.name; }\n"), None, "{declared}");
        }
    }
}
