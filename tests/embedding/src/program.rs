//! Uses every item at the root of the library that needs no feature, and prints results.

use std::error::Error;
use std::io::Write;

use treegraft::{
    Anchor, Change, Checked, Code, Diagnostic, Edited, Indent, InsertPosition, Locate,
    LocateSyntaxError, NextCall, Note, Operation, Parsed, Place, Preview, Refusal, Scope,
    SelectedNode, Selector, SelectorSyntaxError, Source, Span, Suggestion, edit, locate, read,
};

const TEXT: &str = "fn main() {\n    start(1);\n    start(2);\n}\n";

/// Writes the results to `to`.
pub(crate) fn run(to: &mut impl Write) -> Result<(), Box<dyn Error>> {
    one_call(to)?;
    refused(to)?;
    strings(to)?;
    steps(to)
}

/// Edits, reads and locates in one call each.
fn one_call(to: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let second = Selector::new("start(2", "call_expression");
    let node: SelectedNode = read("main.rs", TEXT, &second)?;
    writeln!(to, "{} at line {}", node.text, node.line)?;
    let insert = Operation::insert(InsertPosition::After, "stop();");
    let statement = Selector {
        anchor: Anchor::Find("start ( 2".to_string()),
        ..Selector::new("", "expression_statement")
    };
    let edited: Edited = edit("main.rs", TEXT, &statement, &insert)?;
    write!(to, "{}", edited.diff)?;
    let range = Locate {
        file_path: "main.rs".to_string(),
        scope: None,
        find: Some("start(2".to_string()),
    };
    let place: Place = locate(TEXT, &range)?;
    let span: Span = place.span;
    writeln!(to, "bytes {:?}", span.range())?;
    Ok(())
}

/// Corrects an ambiguous selector with a suggestion.
fn refused(to: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let both = Selector::new("start", "call_expression");
    let edited: Result<Edited, Refusal> = edit("main.rs", TEXT, &both, &Operation::Delete);
    let Err(refusal) = edited else {
        return Err("two nodes were edited as one".into());
    };
    let diagnostic: &Diagnostic = refusal.diagnostic();
    writeln!(to, "{}", diagnostic.message)?;
    assert_eq!(refusal.code(), Code::AmbiguousTarget);
    let suggestions: &[Suggestion] = refusal.suggestions();
    for suggestion in suggestions {
        if let NextCall::Select(selector) = &suggestion.call {
            writeln!(to, "{}", read("main.rs", TEXT, selector)?.text)?;
        }
    }
    let error: Box<dyn Error + Send + Sync> = refusal.into();
    writeln!(to, "{}", error.to_string().lines().count() > 3)?;
    Ok(())
}

/// Parses selectors and locators.
fn strings(to: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let no_anchor = "10-20".parse::<Selector>();
    assert_eq!(no_anchor, Err(SelectorSyntaxError::NoAnchor));
    let no_path = ":3".parse::<Locate>();
    assert_eq!(no_path, Err(LocateSyntaxError::EmptyPath));
    let locate: Locate = "main.rs:main@start".parse()?;
    if let Some(Scope::Symbol(symbol)) = &locate.scope {
        writeln!(to, "{}", symbol.symbol_path.join("."))?;
    }
    Ok(())
}

/// Takes each step separately.
fn steps(to: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let language = treegraft::language::for_file("main.rs", TEXT);
    let source = Source::new("main.rs", language, TEXT.to_string());
    let parsed = Parsed::parse(source);
    let selector: Selector = "main:integer_literal@1".parse()?;
    let selection =
        treegraft::select::select(&parsed, &selector).map_err(|error| error.to_string())?;
    let operation = Operation::Insert {
        position: InsertPosition::After,
        new_content: "2".to_string(),
        indent: Indent::Auto,
        blank_lines: Default::default(),
    };
    let change: Change<'_> = treegraft::edit::edit(selection, &operation)?;
    let checked: Checked<'_> = treegraft::validate::validate(change, &[])
        .map_err(|rejected| format!("{:?}", rejected.failure()))?;
    let notes: Vec<Note> = checked.notes().to_vec();
    let (file, _) = treegraft::preview::preview(checked);
    let preview = Preview::from_files(vec![file])?;
    for file in preview.files() {
        write!(to, "{}", file.after().text())?;
    }
    writeln!(to, "{} note", notes.len())?;
    Ok(())
}
