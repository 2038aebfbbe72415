//! Conversion of protocol values (LSP 3.18) to treegraft's and back: locations, texts, edits.
//!
//! Locations stay in lines and columns until the caller has the text of the file. Locations outside of
//! files keep their URI, and edits of anything but texts of files are an [`UnsupportedEdit`].

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

/// A location in a server's answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ServerLocation {
    /// The file; `None` if `uri` names something else (`jdt://...`).
    pub path: Option<Utf8PathBuf>,
    /// The URI as the server sent it.
    pub uri: String,
    /// Start and end.
    pub range: (EncodedPosition, EncodedPosition),
}

/// Why an edit of the server is not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedEdit {
    /// It creates, renames or deletes files.
    #[error("it would {what} `{uri}`")]
    FileOperation {
        /// `create`, `rename` or `delete`.
        what: &'static str,
        /// The file.
        uri: String,
    },
    /// It changes something other than a file.
    #[error("it would change `{uri}`, which is not a file")]
    NotAFile {
        /// What it changes.
        uri: String,
    },
    /// It inserts a snippet.
    #[error("it would insert a snippet with placeholders")]
    Snippet,
}

/// The edits of files, by absolute path.
pub type FileEdits = BTreeMap<Utf8PathBuf, Vec<gen_lsp_types::TextEdit>>;

/// Returns the parameters of a request about byte `offset` of `source` (LSP 3.18,
/// `TextDocumentPositionParams`).
pub fn position_params(
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

/// Returns a position of the protocol.
pub fn position(source: &Source, offset: usize, encoding: Encoding) -> Value {
    let EncodedPosition { line, column } = source.encoded_position(offset, encoding);
    json!({"line": line, "character": column})
}

/// Returns the bytes of a range in the text of its file; a range that ends before its start is empty.
pub fn span_of(
    source: &Source,
    (start, end): (EncodedPosition, EncodedPosition),
    encoding: Encoding,
) -> Span {
    let start = source.encoded_offset(start, encoding);
    Span::new(start, source.encoded_offset(end, encoding).max(start))
}

/// Returns the locations of definitions, declarations, types or implementations.
pub fn definitions(answer: Option<DefinitionResponse>) -> Vec<ServerLocation> {
    match answer {
        None => Vec::new(),
        Some(DefinitionResponse::Definition(Definition::Location(one))) => {
            vec![server_location(one)]
        }
        Some(DefinitionResponse::Definition(Definition::LocationList(all))) => locations(all),
        Some(DefinitionResponse::DefinitionLinkList(links)) => {
            let links = links.into_iter();
            links
                .map(|link| location_of_range(&link.target_uri.0, &link.target_selection_range))
                .collect()
        }
    }
}

/// Returns the locations of a list.
pub fn locations(locations: Vec<Location>) -> Vec<ServerLocation> {
    locations.into_iter().map(server_location).collect()
}

fn server_location(location: Location) -> ServerLocation {
    location_of_range(&location.uri.0, &location.range)
}

fn location_of_range(uri: &str, range: &gen_lsp_types::Range) -> ServerLocation {
    ServerLocation {
        path: path_of(uri),
        uri: uri.to_string(),
        range: encoded_range(range),
    }
}

/// Returns start and end of a range of the protocol.
pub fn encoded_range(range: &gen_lsp_types::Range) -> (EncodedPosition, EncodedPosition) {
    let encoded = |position: gen_lsp_types::Position| EncodedPosition {
        line: position.line,
        column: position.character,
    };
    (encoded(range.start), encoded(range.end))
}

/// Returns the locations of incoming calls.
pub fn callers(calls: Vec<CallHierarchyIncomingCall>) -> Vec<ServerLocation> {
    let of_caller = |call: CallHierarchyIncomingCall| {
        let uri = call.from.uri.0;
        let ranges = call.from_ranges.into_iter();
        ranges
            .map(|range| location_of_range(&uri, &range))
            .collect::<Vec<_>>()
    };
    calls.into_iter().flat_map(of_caller).collect()
}

/// Returns the locations of the names of called definitions.
pub fn callees(calls: Vec<CallHierarchyOutgoingCall>) -> Vec<ServerLocation> {
    let item = |call: CallHierarchyOutgoingCall| of_item(&call.to);
    calls.into_iter().map(item).collect()
}

fn of_item(item: &CallHierarchyItem) -> ServerLocation {
    location_of_range(&item.uri.0, &item.selection_range)
}

/// Returns the locations of the names of types.
pub fn types(items: Vec<TypeHierarchyItem>) -> Vec<ServerLocation> {
    let items = items.iter();
    items
        .map(|item| location_of_range(&item.uri.0, &item.selection_range))
        .collect()
}

/// Returns the `contents` of a hover as Markdown: `MarkupContent`, or one or more of the older
/// `MarkedString` (LSP 3.18). `None` for other forms.
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
    Some(without_inline_images(text.trim()))
}

/// Returns Markdown without the images that are included as `data:` URIs.
fn without_inline_images(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(start) = rest.find("![") {
        let (before, from) = rest.split_at(start);
        kept.push_str(before);
        let title = from.find("](").filter(|end| !from[..*end].contains('\n'));
        let bytes = title.filter(|end| from[end + 2..].starts_with("data:"));
        let end = bytes.and_then(|at| Some(at + from[at..].find(')')? + 1));
        let (image, after) = from.split_at(end.unwrap_or(2));
        kept.push_str(if end.is_some() { "" } else { image });
        rest = after;
    }
    kept + rest
}

/// Returns the text edits of an edit of the workspace: `documentChanges`, or `changes` if it has none
/// (LSP 3.18, `WorkspaceEdit`).
///
/// # Errors
/// It does anything but change texts of files; none of it is applied then.
pub fn text_edits(edit: WorkspaceEdit) -> Result<FileEdits, UnsupportedEdit> {
    let mut files = FileEdits::new();
    let file_operation = |what, uri: String| Err(UnsupportedEdit::FileOperation { what, uri });
    let Some(changes) = edit.document_changes else {
        for (uri, edits) in edit.changes.unwrap_or_default() {
            let path = path_of(&uri.0).ok_or(UnsupportedEdit::NotAFile { uri: uri.0 })?;
            files.entry(path).or_default().extend(edits);
        }
        return Ok(files);
    };
    for change in changes {
        let document_edit = match change {
            DocumentChange::TextDocumentEdit(edit) => edit,
            DocumentChange::CreateFile(file) => return file_operation("create", file.uri.0),
            DocumentChange::RenameFile(file) => return file_operation("rename", file.old_uri.0),
            DocumentChange::DeleteFile(file) => return file_operation("delete", file.uri.0),
        };
        let uri = document_edit.text_document.text_document_identifier.uri.0;
        let path = path_of(&uri).ok_or(UnsupportedEdit::NotAFile { uri })?;
        let edits = files.entry(path).or_default();
        for edit in document_edit.edits {
            edits.push(match edit {
                Edit::TextEdit(edit) => edit,
                Edit::AnnotatedTextEdit(edit) => edit.text_edit,
                Edit::SnippetTextEdit(_) => return Err(UnsupportedEdit::Snippet),
            });
        }
    }
    Ok(files)
}

/// Returns the edits of one text as replacements of its bytes, in the same order, without those that change
/// nothing.
pub fn replacements(
    source: &Source,
    edits: &[gen_lsp_types::TextEdit],
    encoding: Encoding,
) -> Vec<Replacement> {
    let replacement = |edit: &gen_lsp_types::TextEdit| Replacement {
        span: span_of(source, encoded_range(&edit.range), encoding),
        new_text: edit.new_text.clone(),
    };
    let all = edits.iter().map(replacement);
    all.filter(|one| source.slice(one.span) != one.new_text)
        .collect()
}

/// Returns the name of a kind of the protocol in snake case: `enum_member` for `EnumMember`.
pub fn kind_name(kind: &impl std::fmt::Debug) -> String {
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

    fn edit_of(value: Value) -> Result<FileEdits, UnsupportedEdit> {
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
    fn an_edit_of_anything_but_texts_is_unsupported() {
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
                "it would change `untitled:1`, which is not a file",
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
    fn the_contents_of_a_hover_are_markdown() {
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
