//! Determines which unresolved names belong to modules outside the workspace, from the imports of their file.
//!
//! Input: a name in a file, such as `get` in `requests.get`. Output: the first name of the module that the file imports it
//! from, if nothing else in the file can be meant. The facts about imports are in `queries/rename.toml`.

use crate::parse::Parsed;
use crate::source::Span;

use super::named_paths::{self, Naming};
use super::place::names_within;
use super::reach::is_bare;
use super::unrenamed::is_in_import;

/// Returns the first name of the module that a name belongs to by the imports of its file.
pub(super) fn imported_root(parsed: &Parsed, naming: &Naming, span: Span) -> Option<String> {
    let source = parsed.source();
    let text = source.text();
    let separator = naming.separator()?;
    if is_in_import(parsed, span) {
        return root_of_import(parsed, naming, span);
    }
    let names = named_paths::path_before(text, span.start(), separator, false)?;
    let Some(first) = names.first() else {
        let is_member = !is_bare(source, span);
        return (!is_member)
            .then(|| root_of_imports(parsed, naming, &source.slice(span), false))
            .flatten();
    };
    if naming.outside.contains(first) {
        return Some(first.clone());
    }
    root_of_imports(parsed, naming, first, true)
}

/// Returns the first name of the only module that a file imports a name from. With `is_module`, the name must not occur
/// other than before a separator, where it may be a variable.
fn root_of_imports(
    parsed: &Parsed,
    naming: &Naming,
    name: &str,
    is_module: bool,
) -> Option<String> {
    let source = parsed.source();
    let text = source.text();
    let separator = naming.separator()?;
    let mut root = None;
    for start in names_within(source, source.whole(), name) {
        let span = Span::new(start, start + name.len());
        let chain = parsed.chain(span);
        let is_mention = chain
            .iter()
            .any(|node| node.is_word("comment", None) || node.is_word("string", None));
        if is_mention || !is_bare(source, span) && !is_in_import(parsed, span) {
            continue;
        }
        let after = text[span.end()..].trim_start();
        if is_in_import(parsed, span) {
            let is_part = after.starts_with(separator) && naming.paths.is_some();
            let is_renamed = after
                .strip_prefix("as")
                .is_some_and(|rest| rest.starts_with(char::is_whitespace));
            if is_part || is_renamed {
                continue;
            }
            let found = root_of_import(parsed, naming, span)?;
            if root.as_ref().is_some_and(|root| *root != found) {
                return None;
            }
            root = Some(found);
        } else if is_module && !after.starts_with(separator) {
            return None;
        }
    }
    root
}

/// Returns the first name of the module that an import takes a name from.
fn root_of_import(parsed: &Parsed, naming: &Naming, span: Span) -> Option<String> {
    let source = parsed.source();
    let text = source.text();
    let before = text[..span.start()].trim_end();
    let is_alias = before
        .strip_suffix("as")
        .is_some_and(|rest| rest.ends_with(char::is_whitespace));
    if is_alias {
        return None;
    }
    if let Some(separator) = &naming.paths {
        let names = named_paths::path_before(text, span.start(), separator, true)?;
        return names.first().cloned();
    }
    let chain = parsed.chain(span);
    let import = chain.iter().rfind(|node| node.is_word("import", None))?;
    let statement = source.slice(import.span());
    let module = match named_paths::dotted_import(&statement) {
        Some(module) => module,
        None => {
            let names = named_paths::path_before(text, span.start(), ".", false)?;
            return Some(
                names
                    .first()
                    .cloned()
                    .unwrap_or_else(|| source.slice(span).into_owned()),
            );
        }
    };
    let first = module.split('.').next().filter(|first| !first.is_empty());
    first.map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::questions::named_paths::naming;
    use crate::language;
    use crate::source::Source;

    /// Returns the root of the last occurrence of `name`.
    fn root(path: &str, text: &str) -> Option<String> {
        let source = Source::new(path, language::of(path, text), text.to_string());
        let parsed = Parsed::parse(source);
        let start = text.rfind("name").expect("it is in the text");
        let naming = naming(parsed.source().language().name);
        imported_root(&parsed, naming, Span::new(start, start + 4))
    }

    #[test]
    fn a_name_belongs_to_the_module_that_the_file_imports() {
        for (path, text, expected) in [
            ("a.py", "import web\nweb.name()\n", Some("web")),
            (
                "a.py",
                "import web.client\nweb.client.name()\n",
                Some("web"),
            ),
            ("a.py", "from web import name\n", Some("web")),
            (
                "a.py",
                "from web.a import client\nclient.name\n",
                Some("web"),
            ),
            ("a.py", "from web import name\nname()\n", Some("web")),
            // A variable, a parameter, a name that is not imported, and one from two modules.
            ("a.py", "import web\nweb = 1\nweb.name()\n", None),
            ("a.py", "import web\ndef f(web):\n    web.name()\n", None),
            ("a.py", "web.name()\n", None),
            ("a.py", "from .web import name\n", None),
            (
                "a.py",
                "from a import name\nfrom b import name\nname()\n",
                None,
            ),
            ("a.py", "import web\nweb().name\n", None),
            (
                "a.rs",
                "use std::io;\nfn f() { io::Error::name(); }\n",
                Some("std"),
            ),
            (
                "a.rs",
                "use std::{fs, io};\nfn f() { io::name(); }\n",
                Some("std"),
            ),
            ("a.rs", "fn f() { std::io::name(); }\n", Some("std")),
            (
                "a.rs",
                "use crate::a::Kind;\nfn f() { Kind::name(); }\n",
                Some("crate"),
            ),
            (
                "a.rs",
                "use a::B as Kind;\nfn f() { Kind::name(); }\n",
                None,
            ),
            ("a.rs", "fn f() { Kind::name(); }\n", None),
            ("a.ts", "import { name } from \"web\";\n", None),
        ] {
            assert_eq!(root(path, text).as_deref(), expected, "{path}: {text}");
        }
    }
}
