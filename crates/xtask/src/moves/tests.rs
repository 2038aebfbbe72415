//! Tests of the choice of definitions and of the reasons of refusals.

use super::*;

#[test]
fn definitions_at_the_top_level_are_moved_with_what_wraps_them() {
    let text = "import a from './a';\n\nexport function one() {\n  function inner() {}\n}\n\nconst two = 2;\n";
    let found = definitions("a.ts", text.to_string());
    let names: Vec<_> = found.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    let selectors: Vec<String> = found.iter().map(|one| one.selector.to_string()).collect();
    assert!(selectors[0].contains("export_statement"), "{selectors:?}");
}

#[test]
fn a_reason_has_no_names() {
    let text = "refused: incomplete_move\ncannot move `a` to `b` with its names: `x` is not `y`\n";
    assert_eq!(
        reason("incomplete_move", text),
        "incomplete_move: .. is not .."
    );
    assert_eq!(
        reason("stale_edit", "refused: stale_edit\nno"),
        "stale_edit: no"
    );
}
