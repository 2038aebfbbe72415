//! Corrections of string edits, and what is not corrected.

use super::*;

/// Returns the text after the corrected edit; panics with the resolution if the edit is not corrected.
fn corrected(text: &str, old: &str, new: &str) -> String {
    match resolve(text, &StringEdit::new(old, new)) {
        Resolution::Corrected(corrected) => {
            assert_eq!(text.matches(&corrected.edit.old).count(), 1);
            assert_eq!(&text[corrected.span.range()], corrected.edit.old);
            assert!(!corrected.differences.is_empty(), "no difference is named");
            corrected.edit.applied(text)
        }
        other => panic!("{other:?}"),
    }
}

fn differences(text: &str, old: &str, new: &str) -> Vec<Difference> {
    match resolve(text, &StringEdit::new(old, new)) {
        Resolution::Corrected(corrected) => corrected.differences,
        other => panic!("{other:?}"),
    }
}

fn is_missing(text: &str, old: &str, new: &str) {
    let resolution = resolve(text, &StringEdit::new(old, new));
    assert_eq!(resolution, Resolution::Missing);
}

const PYTHON: &str = "class A:\n    def f(self, a):\n        if a:\n            return a\n        return self.g(a, 1)\n\n\n    def g(self, a, b):\n        pass\n";

#[test]
fn an_old_string_of_the_text_is_exact() {
    let edit = StringEdit::new("pass", "return b");
    assert_eq!(resolve(PYTHON, &edit), Resolution::Exact);
    let everywhere = StringEdit {
        all: true,
        ..StringEdit::new("return", "yield")
    };
    assert_eq!(resolve(PYTHON, &everywhere), Resolution::Exact);
    is_missing(PYTHON, "", "x");
    is_missing(PYTHON, "return h", "x");
}

#[test]
fn tabs_mean_spaces() {
    let old = "\tdef f(self, a):\n\t\tif a:\n\t\t\treturn a\n";
    let new = "\tdef f(self, a):\n\t\tif a:\n\t\t\tif b:\n\t\t\t\treturn b\n\t\t\treturn a\n";
    let expected = PYTHON.replace(
        "            return a\n",
        "            if b:\n                return b\n            return a\n",
    );
    assert_eq!(corrected(PYTHON, old, new), expected);
    assert_eq!(differences(PYTHON, old, new), [Difference::Whitespace]);
}

#[test]
fn lines_at_column_0_keep_the_depth_of_the_text() {
    let old = "def f(self, a):\n    if a:\n        return a\n    return self.g(a, 1)";
    let new = "def f(self, a):\n    if a:\n        return a\n    b = 2\n    return self.g(a, b)";
    let expected = PYTHON.replace(
        "        return self.g(a, 1)",
        "        b = 2\n        return self.g(a, b)",
    );
    assert_eq!(corrected(PYTHON, old, new), expected);
}

#[test]
fn unchanged_lines_keep_their_bytes() {
    let text = "fn f() {\n    a( 1,2 );   \n\n\n    b();\n}\n";
    let old = "    a(1, 2);\n\n    b();\n";
    assert_eq!(
        corrected(text, old, "    a(1, 2);\n\n    c();\n"),
        "fn f() {\n    a( 1,2 );   \n\n\n    c();\n}\n"
    );
    // In a changed line, other whitespace may be the change itself.
    is_missing(text, "a(1, 2)", "a(1, 3)");
    let text = "x = [0, 1];\ny = r\"{0, 0}\";\n";
    is_missing(text, "y = r\"{0,0}\";", "y = r\"{A}_{0,0}\";");
    assert_eq!(
        corrected(text, "x = [0,1];\ny = r", "x = [0,1];\nz = r"),
        text.replace("y =", "z =")
    );
    let text = "a();\n\t\nb(1);\t\nc();\n";
    assert_eq!(
        corrected(text, "a();\n\t\nb( 1 );\t\nc();", "a();\n\nb(1);\t\nc();"),
        "a();\n\nb(1);\t\nc();\n"
    );
}

#[test]
fn line_numbers_are_no_code() {
    let old = "     2\t    def f(self, a):\n     3\t        if a:\n     4\t            return a";
    let new = "     2\t    def f(self, b):\n     3\t        if b:\n     4\t            return b";
    let bare = "    def f(self, b):\n        if b:\n            return b";
    let expected = PYTHON
        .replace("f(self, a)", "f(self, b)")
        .replace("if a", "if b")
        .replace("return a", "return b");
    assert_eq!(corrected(PYTHON, old, new), expected);
    assert_eq!(corrected(PYTHON, old, bare), expected);
    assert_eq!(differences(PYTHON, old, bare), [Difference::LineNumbers]);
    is_missing(PYTHON, "2\t    def f(self, a):\n9\t        if a:", "x");
}

#[test]
fn quotes_are_those_of_the_text() {
    let text = "print('a', \"b\")\n";
    assert_eq!(
        corrected(
            text,
            "print(\u{2018}a\u{2019}, \u{201c}b\u{201d})",
            "print(\u{2018}a\u{2019}, \u{201c}c\u{201d})"
        ),
        "print('a', \"c\")\n"
    );
    let prose = "He said \u{201c}yes\u{201d} to it.\n";
    assert_eq!(
        corrected(prose, "said \"yes\" to it", "said \"yes\" to them"),
        "He said \u{201c}yes\u{201d} to them.\n"
    );
    // Which quotes would be meant?
    is_missing(prose, "said \"yes\" to it", "said \"yes\" to \"them\"");
}

#[test]
fn one_stale_line_is_left_out() {
    let text = "def f():\n    start(2)\n    middle()\n    end()\n";
    let old = "    start(1)\n    middle()\n    end()";
    let new = "    start(1)\n    middle(3)\n    end()";
    assert_eq!(
        corrected(text, old, new),
        text.replace("middle()", "middle(3)")
    );
    assert_eq!(
        differences(text, old, new),
        [Difference::StaleLine("start(1)".to_string())]
    );
    // Where to insert depends on the stale line.
    is_missing(
        text,
        "    start(1)\n    middle()",
        "    start(1)\n    new()\n    middle()",
    );
    // Two lines are not in the text.
    is_missing(
        text,
        "    start(1)\n    middle()\n    end(1)",
        "    start(1)\n    m()\n    end(1)",
    );
}

#[test]
fn a_stale_line_next_to_a_deleted_one_is_left_out_with_its_line_break() {
    let text = "f() {\n    one();\n    middle_part();\n    end();\n}\n";
    assert_eq!(
        corrected(text, "    middle_part();\n    earlier();", "    earlier();"),
        "f() {\n    one();\n    end();\n}\n"
    );
    assert_eq!(
        corrected(text, "    earlier();\n    middle_part();", "    earlier();"),
        "f() {\n    one();\n    end();\n}\n"
    );
}

#[test]
fn blank_lines_next_to_changed_ones_are_not_guessed() {
    let text = "use a;\n\nuse b;\n\nfn f() {}\n";
    is_missing(text, "use a;\nuse b;", "use a;\nuse c;\nuse b;");
    is_missing(text, "use a;\nuse b;", "use a;\n");
    assert_eq!(
        corrected(
            text,
            "use a;\nuse b;\nfn f() {}",
            "use a;\nuse b;\nfn g() {}"
        ),
        "use a;\n\nuse b;\n\nfn g() {}\n"
    );
    // A blank line of the text has whitespace.
    let text = "  }\n  \n  two() {\n";
    is_missing(text, "}\n\ntwo() {", "}\n\none();\n\ntwo() {");
    // Whitespace at the end of a line that stays.
    let text = "[\n  'a', \n  'b',\n]\n";
    assert_eq!(
        corrected(text, "\t'a',\n\t'b',", "\t'a',\n\t'c',\n\t'b',"),
        "[\n  'a', \n  'c',\n  'b',\n]\n"
    );
}

#[test]
fn the_indentation_of_the_next_line_stays() {
    let text = "f() {\n    one();\n    two();\n    end();\n}\n";
    is_missing(text, "    one();  \n    two();  \n  ", "    one();\n");
    assert_eq!(
        corrected(text, "\tone();\n\ttwo();\n\t", "\tone();\n\t"),
        "f() {\n    one();\n    end();\n}\n"
    );
}

#[test]
fn whole_lines_mean_whole_lines() {
    let text = "f() {\n    // call(a, b);\n    other(a, b); call(c, d);\n}\n";
    is_missing(text, "    call(a,b);", "    call(a);");
    is_missing(text, "other(a,b);\n", "other(a);\n");
    assert_eq!(
        corrected(text, "call(c, d) ;", "call(c, e);"),
        text.replace("call(c, d)", "call(c, e)")
    );
}

#[test]
fn two_places_are_not_one() {
    let text = "f(a,  b)\nf(a,   b)\n";
    is_missing(text, "f(a, b)", "g()");
    let text = "    x = 1\n\n\tx = 1\n";
    is_missing(text, "\t\t\tx = 1", "y");
}

#[test]
fn each_of_several_places_gets_its_context() {
    let text = "def g():\n    pass\n\n\ndef h():\n    pass\n";
    let Resolution::Several(several) = resolve(text, &StringEdit::new("pass", "return")) else {
        panic!("`pass` occurs twice");
    };
    let unique: Vec<Option<StringEdit>> =
        several.places.into_iter().map(|one| one.unique).collect();
    assert_eq!(
        unique,
        [
            Some(StringEdit::new(
                "def g():\n    pass",
                "def g():\n    return"
            )),
            Some(StringEdit::new(
                "def h():\n    pass",
                "def h():\n    return"
            )),
        ]
    );
    assert_eq!(several.total, 2);
}

#[test]
fn deleted_lines_leave_nothing() {
    let text = "a {\n    one;\n    two;\n}\n";
    assert_eq!(corrected(text, "\tone;\n\ttwo;\n", ""), "a {\n}\n");
    assert_eq!(corrected(text, "\tone;\n", ""), "a {\n    two;\n}\n");
    // Also at column 0.
    assert_eq!(corrected(text, "one;\ntwo;\n", ""), "a {\n}\n");
    assert_eq!(corrected(text, "one  ;\n", ""), "a {\n    two;\n}\n");
}

#[test]
fn what_cannot_be_known_is_not_written() {
    // A level of indentation that the lines do not show.
    let text = "a\n\tb\n  c\n";
    is_missing(text, "a  \n\t\tb", "a  \n\t\tb\n     d");
    // Lines that are broken elsewhere, and new lines between them.
    let text = "call(a,\n     b)\n";
    is_missing(text, "call(a, b)", "call(\n  a, b, c)");
    assert_eq!(
        corrected(text, "call(a, b)", "call(a, c)"),
        "call(a,\n     c)\n"
    );
}

#[test]
fn deleted_code_leaves_no_line_break_twice() {
    let text = "a\nthis  one\nb\n";
    assert_eq!(corrected(text, "\nthis one\n", "\n"), "a\nb\n");
    assert_eq!(corrected(text, "\nthis one\n", ""), "ab\n");
    // Would the indentation stay on the blank line?
    let text = "a\n    this  one\nb\n";
    is_missing(text, "this one\n", "\n");
}

#[test]
fn numbers_never_get_into_the_text() {
    let text = "first = 1\nsecond = 2\nthird = 3\n";
    // Some lines of the new string have numbers, or the numbers are not consecutive.
    is_missing(
        text,
        "1\tfirst = 1\n2\tsecond = 2",
        "1\tfirst = 1\nmore = 5\n2\tsecond = 2",
    );
    is_missing(text, "2\tsecond = 2", "2 | second = 3\n2 | more = 4");
    // The number is a key, and another one in the text.
    let text = "1\tone\n2\ttwo\n";
    is_missing(text, "3\ttwo", "3\tthree");
    let text = "x = {\n    1: one,\n    2: two,\n}\n";
    is_missing(text, "3: two,", "3: three,");
}

#[test]
fn another_unit_is_not_guessed() {
    // One line shows two spaces for four: another unit, or another depth?
    let text = "def f(a):\n    return a\n";
    is_missing(text, "  return  a", "  if a:\n    return 1\n  return  a");
    // Two lines that contradict each other.
    let text = "a:\n    b:\n      c\n";
    is_missing(text, "a:\n  b:\n    c  \n", "a:\n  b:\n    c:\n      d\n");
}

#[test]
fn a_change_of_whitespace_is_not_lost() {
    let text = "call(a,  b);\n";
    is_missing(text, "call(a, b) ;", "call(a, b)  ;");
    // A dash is not a quote.
    let text = "f('one');\n";
    is_missing(
        text,
        "f(\u{2019}one\u{2019});",
        "f(\u{2019}one \u{2014} two\u{2019});",
    );
}

#[test]
fn whitespace_at_the_end_of_a_changed_line_is_that_of_the_edit() {
    let text = "<a x>\n</a>\n";
    assert_eq!(
        corrected(text, "<a  x>\n</a>", "<b x> \n</a>"),
        "<b x> \n</a>\n"
    );
    // Nothing changes.
    is_missing(text, "<a  x>", "<a  x>");
}

#[test]
fn spaces_may_align_in_a_text_with_tabs() {
    let text = "if a\n\tb \\\n\t    c\n";
    is_missing(text, "if a\n    b  \\", "if a\n    b  \\\n        d \\");
    let text = "if a {\n\tb()\n}\n";
    assert_eq!(
        corrected(
            text,
            "if a {\n    b()\n}",
            "if a {\n    if c {\n        b()\n    }\n}"
        ),
        "if a {\n\tif c {\n\t\tb()\n\t}\n}\n"
    );
}

#[test]
fn an_edit_with_the_indentation_of_the_text_keeps_its_own() {
    // No line shows another indentation, so tabs among spaces are meant.
    let text = "f() {\n    a\n}\n\ng  >b\n";
    assert_eq!(
        corrected(text, "g >b", "h() {\n    if c\n\td\n}\n\ng >b"),
        "f() {\n    a\n}\n\nh() {\n    if c\n\td\n}\n\ng  >b\n"
    );
    let text = "    f(a,  b)\n";
    assert_eq!(
        corrected(text, "    f(a, b)", "    {\n    \tc\n    }\n    f(a, b)"),
        "    {\n    \tc\n    }\n    f(a,  b)\n"
    );
}

#[test]
fn spaces_far_below_a_line_may_align() {
    let text = "f () {\n\ta\n\tfor b\n\tdo\n\t\tc\n}\n";
    is_missing(
        text,
        "f () {\n    a\n    for b\n    do\n        c",
        "f () {\n    a\n    for b \\\n            d\n    do\n        c",
    );
}

#[test]
fn a_line_that_only_loses_its_trailing_blanks_loses_them() {
    let text = "<a href=\"x\">\n<li>  \nend\n";
    assert_eq!(
        corrected(
            text,
            "<a href=\u{201c}x\u{201d}>\n<li>  ",
            "<a href=\u{201c}x\u{201d}>\n<li>\nnew\n<li>  "
        ),
        "<a href=\"x\">\n<li>\nnew\n<li>  \nend\n"
    );
    // The edit and the text end the line in different ways, and the edit changes its own.
    is_missing("a  b \t\nc\n", "a b  \nc", "a b\nd\nc");
}

#[test]
fn one_of_several_unlike_blank_lines_is_not_guessed() {
    let text = "\tone\n\n\ttwo\n\t\n\tend\n";
    is_missing(text, "one\n\ntwo\n\n", "one\n\n");
    // A new blank line with whitespace.
    is_missing("a\n\n  b  c\n", "\n  b c", "  \n  d\n  b c");
    let text = "\tone\n\n\ttwo\n\n\tend\n";
    assert_eq!(
        corrected(text, "one\n\ntwo\n\n", "one\n\n"),
        "\tone\n\n\tend\n"
    );
}

#[test]
fn a_tab_is_not_always_one_level() {
    // A tab after spaces may be meant.
    let text = "a\n  b\nc  d\n";
    is_missing(text, "  c  d", "  c d\n  {\n  \te\n  }");
    // A tab means four spaces here, but other lines have two.
    let text = "a\n  b\n\nc() {\n    d(1, 2)\n}\n";
    is_missing(text, "\td(1, 2)", "\tif e {\n\t\td(1, 2)\n\t}");
    let text = "c() {\n    d(1, 2)\n}\n";
    assert_eq!(
        corrected(text, "\td(1, 2)", "\tif e {\n\t\td(1, 2)\n\t}"),
        "c() {\n    if e {\n        d(1, 2)\n    }\n}\n"
    );
}

#[test]
fn a_lone_carriage_return_is_no_line_break() {
    let text = "let a = 1;\nlet b = 2;\n";
    for (old, new) in [
        ("let a = 1;\r", "let a = 3;"),
        ("let a = 1;\r", "let a = 3;\r"),
        ("let a = 1;\r\n", "let a = 3;\r\n"),
    ] {
        assert_eq!(corrected(text, old, new), "let a = 3;\nlet b = 2;\n");
    }
    is_missing(text, "let a = 1;\rlet b = 2;", "let a = 3;\rlet b = 4;");
    // The text has it.
    let text = "let a = 1;\rlet b = 2;\r";
    assert_eq!(
        resolve(text, &StringEdit::new("let a = 1;\r", "let a = 3;\r")),
        Resolution::Exact
    );
    assert_eq!(
        corrected(text, "let a = 1;\nlet b", "let a = 3;\nlet b"),
        "let a = 3;\rlet b = 2;\r"
    );
}
