//! One preview through all modules, as the curves and the counts measure it.

use treegraft::edit::{Indent, Operation, edit};
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::preview::{FilePreview, preview};
use treegraft::select::{Selector, select};
use treegraft::source::Source;
use treegraft::validate::validate;

/// Parses the text of a file as the engine does.
pub(crate) fn parsed(path: &str, text: &str) -> Parsed {
    let source = Source::new(path, language::of(path, ""), text.to_string());
    Parsed::parse(source)
}

/// Previews the replacement of one node, selected by anchor and type, in a parsed file.
pub(crate) fn previewed(
    parsed: &Parsed,
    anchor: &str,
    node_type: &str,
    new_content: &str,
) -> FilePreview {
    let operation = Operation::Replace {
        new_content: new_content.to_string(),
        indent: Indent::Auto,
        include_attached: false,
    };
    let selector = Selector::new(anchor, node_type);
    let selection = select(parsed, &selector).expect("the target is unique");
    let edited = edit(selection, &operation).expect("the target can be edited");
    let checked = validate(edited, &[]).expect("the new content is valid");
    preview(checked).0
}
