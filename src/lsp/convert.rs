//! Values of the protocol to ours and back: places, texts, edits.
//!
//! Comes in: what a server answered (LSP 3.18). Goes out: absolute paths and places that the caller
//! turns into bytes with the text of the file; what is no file, or no edit of a file, is said.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use gen_lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Definition,
    DefinitionResponse, DocumentChange, Edit, Location, TypeHierarchyItem, WorkspaceEdit,
};
use serde_json::{Value, json};

use super::uri::{path_of, uri_of};
use crate::change::Replacement;
use crate::source::{EncodedPosition, Encoding, Source, Span};

/// A place that a server named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The file; nothing where the server named something else (`jdt://...`), which `uri` says.
    pub path: Option<Utf8PathBuf>,
    /// As the server wrote it.
    pub uri: String,
    /// From where, and to where.
    pub range: (EncodedPosition, EncodedPosition),
}

/// Why an edit of the server's cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTextEdit {
    /// Files would be made, renamed or deleted.
    #[error("it would {what} `{uri}`")]
    OfFiles {
        /// `create`, `rename` or `delete`.
        what: &'static str,
        /// What.
        uri: String,
    },
    /// It changes what is no file.
    #[error("it would change `{uri}`, which is no file")]
    NoFile {
        /// What.
        uri: String,
    },
    /// A text with places to fill in.
    #[error("it would put in a snippet with places to fill in")]
    Snippet,
}

/// The edits of some files, by absolute path.
pub type FileEdits = BTreeMap<Utf8PathBuf, Vec<gen_lsp_types::TextEdit>>;

/// The params of a question about a place, byte `offset` of `source`.
pub fn at_place(
    path: &camino::Utf8Path,
    source: &Source,
    offset: usize,
    encoding: Encoding,
) -> Value {
    json!({
        "textDocument": {"uri": uri_of(path)},
        "position": position(source, offset, encoding),
    })
}

/// A place as the protocol writes it.
pub fn position(source: &Source, offset: usize, encoding: Encoding) -> Value {
    let EncodedPosition { line, column } = source.encoded_position(offset, encoding);
    json!({"line": line, "character": column})
}

/// The bytes of a range in the text of its file; one that ends before it begins is empty.
pub fn span_of(
    source: &Source,
    (start, end): (EncodedPosition, EncodedPosition),
    encoding: Encoding,
) -> Span {
    let start = source.encoded_offset(start, encoding);
    Span::new(start, source.encoded_offset(end, encoding).max(start))
}

/// Where definitions, declarations, types or implementations are.
pub fn definitions(answer: Option<DefinitionResponse>) -> Vec<Target> {
    match answer {
        None => Vec::new(),
        Some(DefinitionResponse::Definition(Definition::Location(one))) => vec![target(one)],
        Some(DefinitionResponse::Definition(Definition::LocationList(all))) => targets(all),
        Some(DefinitionResponse::DefinitionLinkList(links)) => {
            let links = links.into_iter();
            links
                .map(|link| of_range(&link.target_uri.0, &link.target_selection_range))
                .collect()
        }
    }
}

/// The same of a list of locations.
pub fn targets(locations: Vec<Location>) -> Vec<Target> {
    locations.into_iter().map(target).collect()
}

fn target(location: Location) -> Target {
    of_range(&location.uri.0, &location.range)
}

fn of_range(uri: &str, range: &gen_lsp_types::Range) -> Target {
    Target {
        path: path_of(uri),
        uri: uri.to_string(),
        range: encoded(range),
    }
}

/// A range of the protocol's.
pub fn encoded(range: &gen_lsp_types::Range) -> (EncodedPosition, EncodedPosition) {
    let place = |position: gen_lsp_types::Position| EncodedPosition {
        line: position.line,
        column: position.character,
    };
    (place(range.start), place(range.end))
}

/// Who calls: the places of the calls.
pub fn callers(calls: Vec<CallHierarchyIncomingCall>) -> Vec<Target> {
    let of_caller = |call: CallHierarchyIncomingCall| {
        let uri = call.from.uri.0;
        let ranges = call.from_ranges.into_iter();
        ranges
            .map(|range| of_range(&uri, &range))
            .collect::<Vec<_>>()
    };
    calls.into_iter().flat_map(of_caller).collect()
}

/// What is called: the names of the definitions.
pub fn callees(calls: Vec<CallHierarchyOutgoingCall>) -> Vec<Target> {
    let item = |call: CallHierarchyOutgoingCall| of_item(&call.to);
    calls.into_iter().map(item).collect()
}

fn of_item(item: &CallHierarchyItem) -> Target {
    of_range(&item.uri.0, &item.selection_range)
}

/// The names of the types.
pub fn types(items: Vec<TypeHierarchyItem>) -> Vec<Target> {
    let items = items.iter();
    items
        .map(|item| of_range(&item.uri.0, &item.selection_range))
        .collect()
}

/// What the `contents` of a hover say, as Markdown: marked content, or the older forms, a text or some
/// code, one or several (LSP 3.18, `MarkedString`). Nothing where it is none of them.
pub fn hover_text(contents: &Value) -> Option<String> {
    let text = match contents {
        Value::String(text) => text.clone(),
        Value::Array(all) => {
            let all: Option<Vec<String>> = all.iter().map(hover_text).collect();
            all?.join("\n\n")
        }
        _ => {
            let text = contents["value"].as_str()?;
            match contents["language"].as_str() {
                Some(language) => format!("```{language}\n{text}\n```"),
                None => text.to_string(),
            }
        }
    };
    Some(without_pictures(text.trim()))
}

/// Markdown without the pictures whose bytes stand in it.
fn without_pictures(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(start) = rest.find("![") {
        let (before, from) = rest.split_at(start);
        kept.push_str(before);
        let title = from.find("](").filter(|end| !from[..*end].contains('\n'));
        let bytes = title.filter(|end| from[end + 2..].starts_with("data:"));
        let end = bytes.and_then(|at| Some(at + from[at..].find(')')? + 1));
        let (picture, behind) = from.split_at(end.unwrap_or(2));
        kept.push_str(if end.is_some() { "" } else { picture });
        rest = behind;
    }
    kept + rest
}

/// The texts that an edit of the workspace changes: those of `documentChanges`, else of `changes`
/// (LSP 3.18, `WorkspaceEdit`).
///
/// # Errors
/// It does anything else than change texts of files; nothing of it is to be carried out then.
pub fn text_edits(edit: WorkspaceEdit) -> Result<FileEdits, NoTextEdit> {
    let mut files = FileEdits::new();
    let of_files = |what, uri: String| Err(NoTextEdit::OfFiles { what, uri });
    let Some(changes) = edit.document_changes else {
        for (uri, edits) in edit.changes.unwrap_or_default() {
            let path = path_of(&uri.0).ok_or(NoTextEdit::NoFile { uri: uri.0 })?;
            files.entry(path).or_default().extend(edits);
        }
        return Ok(files);
    };
    for change in changes {
        let of_one = match change {
            DocumentChange::TextDocumentEdit(of_one) => of_one,
            DocumentChange::CreateFile(file) => return of_files("create", file.uri.0),
            DocumentChange::RenameFile(file) => return of_files("rename", file.old_uri.0),
            DocumentChange::DeleteFile(file) => return of_files("delete", file.uri.0),
        };
        let uri = of_one.text_document.text_document_identifier.uri.0;
        let path = path_of(&uri).ok_or(NoTextEdit::NoFile { uri })?;
        let own = files.entry(path).or_default();
        for edit in of_one.edits {
            own.push(match edit {
                Edit::TextEdit(edit) => edit,
                Edit::AnnotatedTextEdit(edit) => edit.text_edit,
                Edit::SnippetTextEdit(_) => return Err(NoTextEdit::Snippet),
            });
        }
    }
    Ok(files)
}

/// Edits of one text as replacements of its bytes, in the order they were given; those that change nothing
/// are left out.
pub fn replacements(
    source: &Source,
    edits: &[gen_lsp_types::TextEdit],
    encoding: Encoding,
) -> Vec<Replacement> {
    let replacement = |edit: &gen_lsp_types::TextEdit| Replacement {
        span: span_of(source, encoded(&edit.range), encoding),
        new_text: edit.new_text.clone(),
    };
    let all = edits.iter().map(replacement);
    all.filter(|one| source.slice(one.span) != one.new_text)
        .collect()
}

/// A kind of the protocol's in our words: `EnumMember` is `enum_member`.
pub fn word_of(kind: &impl std::fmt::Debug) -> String {
    let mut word = String::new();
    for c in format!("{kind:?}").chars() {
        if c.is_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(c.to_lowercase());
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::plain_text;

    fn edit_of(value: Value) -> Result<FileEdits, NoTextEdit> {
        text_edits(serde_json::from_value(value).expect("it is a WorkspaceEdit"))
    }

    fn range(line: u32, from: u32, to: u32) -> Value {
        json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}})
    }

    #[test]
    fn both_forms_of_an_edit_are_read() {
        let edit = json!({"range": range(0, 0, 1), "newText": "b"});
        let plain = edit_of(json!({"changes": {"file:///a%20b.py": [edit]}}));
        let versioned = edit_of(json!({"documentChanges": [
            {"textDocument": {"uri": "file:///a%20b.py", "version": null}, "edits": [edit]},
        ]}));
        assert_eq!(plain, versioned);
        let files = plain.expect("it changes a file");
        assert_eq!(files.keys().collect::<Vec<_>>(), ["/a b.py"]);
    }

    #[test]
    fn an_edit_of_anything_but_texts_is_refused_as_a_whole() {
        let edit = json!({"range": range(0, 0, 1), "newText": "b"});
        let changed =
            json!({"textDocument": {"uri": "file:///a.py", "version": 1}, "edits": [edit]});
        for (change, expected) in [
            (
                json!({"kind": "create", "uri": "file:///n.py"}),
                "it would create `file:///n.py`",
            ),
            (
                json!({"kind": "rename", "oldUri": "file:///a.py", "newUri": "file:///b.py"}),
                "it would rename `file:///a.py`",
            ),
            (
                json!({"kind": "delete", "uri": "file:///a.py"}),
                "it would delete `file:///a.py`",
            ),
            (
                json!({"textDocument": {"uri": "untitled:1", "version": 1}, "edits": [edit]}),
                "it would change `untitled:1`, which is no file",
            ),
        ] {
            let refused = edit_of(json!({"documentChanges": [changed, change]}));
            assert_eq!(refused.expect_err("it does more").to_string(), expected);
        }
    }

    #[test]
    fn columns_are_read_in_the_units_of_the_server() {
        let source = Source::new("a.txt", plain_text(), "😀x = 1\n".to_string());
        for (encoding, column) in [
            (Encoding::Utf8, 4),
            (Encoding::Utf16, 2),
            (Encoding::Utf32, 1),
        ] {
            let edits: Vec<gen_lsp_types::TextEdit> = serde_json::from_value(json!([
                {"range": range(0, column, column + 1), "newText": "y"},
                {"range": range(0, column, column + 1), "newText": "x"},
            ]))
            .expect("edits");
            let made = replacements(&source, &edits, encoding);
            let expected = Replacement {
                span: Span::new(4, 5),
                new_text: "y".to_string(),
            };
            assert_eq!(made, [expected], "{encoding:?}");
            assert_eq!(
                position(&source, 4, encoding),
                json!({"line": 0, "character": column})
            );
        }
    }

    #[test]
    fn what_a_hover_says_is_markdown() {
        for (contents, expected) in [
            (json!({"kind": "markdown", "value": "\n**a**\n"}), "**a**"),
            (json!("a"), "a"),
            (
                json!("a ![b](data:image/png;base64,AA=) c ![d](e.png)"),
                "a  c ![d](e.png)",
            ),
            (
                json!({"language": "c", "value": "int a;"}),
                "```c\nint a;\n```",
            ),
            (
                json!(["a", {"language": "c", "value": "b"}]),
                "a\n\n```c\nb\n```",
            ),
        ] {
            assert_eq!(hover_text(&contents).as_deref(), Some(expected));
        }
        assert_eq!(hover_text(&json!({"kind": "markdown"})), None);
    }
}
