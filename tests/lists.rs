//! Every list type of the languages: after a member is inserted, replaced or deleted, the list
//! looks as a person would have written it. The tests compare it with a simple model that writes
//! the whole list again.
//!
//! Each row is a list with four members. Each is tried on one line and on several, with and without
//! a separator after the last member, with spaces and with tabs, with `\n` and with `\r\n`; the new
//! content is at column 0 or indented as in the file, with and without its separator.

use treegraft::edit::{self, Indent, InsertPosition, Operation};
use treegraft::parse::Parsed;
use treegraft::select::{self, Selector};
use treegraft::source::Source;
use treegraft::{language, preview, validate};

use crate::support::{HAS_ALL, is_full};

/// A list and the text around it. Each indentation level is four spaces.
struct Row {
    name: &'static str,
    file: &'static str,
    before: &'static str,
    open: &'static str,
    /// The text inside the brackets of a list on one line.
    pad: &'static str,
    close: &'static str,
    after: &'static str,
    separator: &'static str,
    /// The start of a comment.
    comment: &'static str,
    /// The indentation levels of members on their own lines, and of the closing bracket.
    depth: (usize, usize),
    /// For each member: a text to find it by, its node type, and its text.
    members: [(&'static str, &'static str, &'static str); 4],
    /// New members: on one line, and on several. A line that starts with `¦` is in a string and
    /// keeps its indentation.
    new: &'static [&'static str],
    /// The text of the list without its only member, if that is not `open` and `close`.
    empty: Option<&'static str>,
    /// Whether a single member needs a separator.
    single: bool,
    /// The minimum number of members.
    shortest: usize,
    layouts: &'static [Layout],
}

/// The layout of the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// On one line.
    Line,
    /// On one line, with a separator after the last.
    LineTrailing,
    /// One per line, with a separator after the last.
    Lines,
    /// One per line.
    LinesBare,
    /// One per line, each followed by a comment that contains commas and brackets.
    Commented,
    /// One per line, each preceded by such a comment.
    Headed,
}

use Layout::*;

const ALL: &[Layout] = &[Line, LineTrailing, Lines, LinesBare, Commented, Headed];
const WITHOUT_COMMENTS: &[Layout] = &[Line, LinesBare];

const ROW: Row = Row {
    name: "",
    file: "a.rs",
    before: "",
    open: "(",
    pad: "",
    close: ")",
    after: ";\n}\n",
    separator: ",",
    comment: "//",
    depth: (2, 1),
    members: [
        ("a1", "identifier", "a1"),
        ("\"b, [b\"", "string_literal", "\"b, [b\""),
        ("c(1, 2)", "call_expression", "c(1, 2)"),
        ("d3", "identifier", "d3"),
    ],
    new: &[
        "n(\"x, ](\", 1)",
        "m(|| {\n    go();\n})",
        "r#\"p\n¦  q, )\n¦r\"#",
    ],
    empty: None,
    single: false,
    shortest: 1,
    layouts: ALL,
};

const GO: Row = Row {
    file: "a.go",
    after: "\n}\n",
    members: [
        ("a1", "identifier", "a1"),
        ("\"b, [b\"", "interpreted_string_literal", "\"b, [b\""),
        ("c(1, 2)", "call_expression", "c(1, 2)"),
        ("d3", "identifier", "d3"),
    ],
    new: &[
        "n(\"x, ](\", 1)",
        "m(func() {\n    go1()\n})",
        "`p\n¦  q, )\n¦r`",
    ],
    layouts: &[Line, Lines, LinesBare, Commented, Headed],
    ..ROW
};

const JAVA: Row = Row {
    file: "a.java",
    after: ";\n    }\n}\n",
    depth: (3, 2),
    members: [
        ("a1", "identifier", "a1"),
        ("\"b, [b\"", "string_literal", "\"b, [b\""),
        ("c(1, 2)", "method_invocation", "c(1, 2)"),
        ("d3", "identifier", "d3"),
    ],
    new: &[
        "n(\"x, ](\", 1)",
        "m(() -> {\n    go();\n})",
        "\"\"\"\n¦  q, )\n¦r\"\"\"",
    ],
    layouts: &[Line, LinesBare],
    ..ROW
};

const PYTHON: Row = Row {
    file: "a.py",
    before: "def f():\n    g",
    after: "\n",
    comment: "#",
    members: [
        ("a1", "identifier", "a1"),
        ("\"b, [b\"", "string", "\"b, [b\""),
        ("c(1, 2)", "call", "c(1, 2)"),
        ("d3", "identifier", "d3"),
    ],
    new: &[
        "n(\"x, ](\", 1)",
        "m(\n    go,\n)",
        "\"\"\"p\n¦  q, )\n¦r\"\"\"",
    ],
    ..ROW
};

const TYPE_MEMBERS: [(&str, &str, &str); 4] = [
    ("A1", "type_identifier", "A1"),
    ("B1<u8, i8>", "generic_type", "B1<u8, i8>"),
    ("&'static str", "reference_type", "&'static str"),
    ("u64", "primitive_type", "u64"),
];
const TYPE_NEW: &[&str] = &["N<[u8; 3], ()>", "i64"];

const SCRIPT_MEMBERS: [(&str, &str, &str); 4] = [
    ("a1", "identifier", "a1"),
    ("\"b, [b\"", "string", "\"b, [b\""),
    ("c(1, 2)", "call_expression", "c(1, 2)"),
    ("d3", "identifier", "d3"),
];
const SCRIPT_NEW: &[&str] = &[
    "n(\"x, ](\", 1)",
    "() => {\n    go();\n}",
    "`p\n¦  q, )\n¦r`",
];

const ROWS: &[Row] = &[
    Row {
        name: "arguments",
        before: "fn f() {\n    g",
        ..ROW
    },
    Row {
        name: "array",
        before: "fn f() {\n    let v = ",
        open: "[",
        close: "]",
        ..ROW
    },
    Row {
        name: "tuple",
        before: "fn f() {\n    let v = ",
        single: true,
        ..ROW
    },
    Row {
        name: "macro arguments",
        before: "fn f() {\n    g!",
        members: [
            ("a1", "identifier", "a1"),
            ("\"b, [b\"", "string_literal", "\"b, [b\""),
            ("33", "integer_literal", "33"),
            ("d3", "identifier", "d3"),
        ],
        new: &["\"x, ](\"", "7"],
        ..ROW
    },
    Row {
        name: "derive",
        before: "#[derive",
        members: [
            ("Debug", "identifier", "Debug"),
            ("Clone", "identifier", "Clone"),
            ("Copy", "identifier", "Copy"),
            ("Eq", "identifier", "Eq"),
        ],
        new: &["Hash"],
        after: "]\nstruct S;\n",
        depth: (1, 0),
        layouts: &[Line, LineTrailing, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "parameters",
        before: "fn f",
        after: " {}\n",
        depth: (1, 0),
        members: [
            ("a1", "parameter", "a1: u8"),
            ("b1", "parameter", "b1: (u8, u8)"),
            ("c1", "parameter", "c1: fn(u8, u8) -> u8"),
            ("d1", "parameter", "d1: [u8; 2]"),
        ],
        new: &["n: HashMap<u8, [u8; 3]>", "n: (\n    u8,\n    u8,\n)"],
        ..ROW
    },
    Row {
        name: "closure parameters",
        before: "fn f() {\n    let g = ",
        open: "|",
        close: "|",
        after: " 1;\n}\n",
        members: [
            ("a1", "parameter", "a1: u8"),
            ("b1", "parameter", "b1: (u8, u8)"),
            ("c1", "identifier", "c1"),
            ("d1", "parameter", "d1: [u8; 2]"),
        ],
        new: &["n: (u8, u8)"],
        // The grammar has no comma after the last one.
        layouts: &[Line, LinesBare],
        ..ROW
    },
    Row {
        name: "tuple type",
        before: "type T = ",
        after: ";\n",
        depth: (1, 0),
        members: TYPE_MEMBERS,
        new: TYPE_NEW,
        single: true,
        ..ROW
    },
    Row {
        name: "generic arguments",
        before: "type T = X",
        open: "<",
        close: ">",
        after: ";\n",
        depth: (1, 0),
        members: TYPE_MEMBERS,
        new: TYPE_NEW,
        empty: Some(""),
        ..ROW
    },
    Row {
        name: "generic parameters",
        before: "struct S",
        open: "<",
        close: ">",
        after: ";\n",
        depth: (1, 0),
        members: [
            ("'a", "lifetime_parameter", "'a"),
            ("B1", "type_parameter", "B1: Into<(u8, u8)>"),
            ("C1", "type_parameter", "C1"),
            ("N1", "const_parameter", "const N1: usize"),
        ],
        new: &["D: Fn(u8, u8) -> u8"],
        empty: Some(""),
        ..ROW
    },
    Row {
        name: "where clause",
        before: "fn f()",
        open: " where",
        pad: " ",
        close: "",
        after: "{}\n",
        depth: (1, 0),
        members: [
            ("A1", "where_predicate", "A1: Into<(u8, u8)>"),
            ("B1", "where_predicate", "B1: Clone"),
            ("C1", "where_predicate", "C1: Fn(u8, u8)"),
            ("D1", "where_predicate", "D1: Copy"),
        ],
        new: &["N: From<[u8; 3]>"],
        empty: Some(" "),
        layouts: &[Line, LineTrailing, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "trait bounds",
        before: "fn f<T",
        open: ": ",
        close: "",
        after: ">() {}\n",
        separator: " +",
        members: [
            ("A1", "type_identifier", "A1"),
            ("B1<u8, i8>", "generic_type", "B1<u8, i8>"),
            ("C1", "type_identifier", "C1"),
            ("D1", "type_identifier", "D1"),
        ],
        new: &["N<(u8, u8)>"],
        empty: Some(""),
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "tuple pattern",
        before: "fn f() {\n    let ",
        after: " = x;\n}\n",
        members: [
            ("a1", "identifier", "a1"),
            ("(b1, b2)", "tuple_pattern", "(b1, b2)"),
            ("c1", "identifier", "c1"),
            ("d1", "identifier", "d1"),
        ],
        new: &["(n1, n2)"],
        ..ROW
    },
    Row {
        name: "slice pattern",
        before: "fn f() {\n    let ",
        open: "[",
        close: "]",
        after: " = x;\n}\n",
        members: [
            ("a1", "identifier", "a1"),
            ("(b1, b2)", "tuple_pattern", "(b1, b2)"),
            ("c1", "identifier", "c1"),
            ("d1", "identifier", "d1"),
        ],
        new: &["(n1, n2)"],
        ..ROW
    },
    Row {
        name: "tuple struct pattern",
        before: "fn f() {\n    let S",
        after: " = x;\n}\n",
        members: [
            ("a1", "identifier", "a1"),
            ("(b1, b2)", "tuple_pattern", "(b1, b2)"),
            ("c1", "identifier", "c1"),
            ("d1", "identifier", "d1"),
        ],
        new: &["(n1, n2)"],
        ..ROW
    },
    Row {
        name: "struct pattern",
        before: "fn f() {\n    let S ",
        open: "{",
        pad: " ",
        close: "}",
        after: " = x;\n}\n",
        members: [
            ("a1", "field_pattern", "a1"),
            ("b1", "field_pattern", "b1: (x1, x2)"),
            ("c1", "field_pattern", "c1"),
            ("d1", "field_pattern", "d1"),
        ],
        new: &["n: [n1, n2]"],
        ..ROW
    },
    Row {
        name: "use list",
        before: "use x::",
        open: "{",
        close: "}",
        after: ";\n",
        depth: (1, 0),
        members: [
            ("a1", "identifier", "a1"),
            ("b1::{", "scoped_use_list", "b1::{b2, b3}"),
            ("c1 as", "use_as_clause", "c1 as c2"),
            ("d1", "identifier", "d1"),
        ],
        new: &["n::{n1, n2}"],
        ..ROW
    },
    Row {
        name: "struct fields",
        before: "struct S ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n",
        depth: (1, 0),
        members: [
            ("a1", "field_declaration", "a1: u8"),
            ("b1", "field_declaration", "pub b1: (u8, u8)"),
            ("c1", "field_declaration", "c1: [u8; 2]"),
            ("d1", "field_declaration", "d1: X<u8, u8>"),
        ],
        new: &["pub n: Vec<(u8, u8)>", "n: (\n    u8,\n    u8,\n)"],
        ..ROW
    },
    Row {
        name: "tuple struct fields",
        before: "struct S",
        after: ";\n",
        depth: (1, 0),
        members: [
            ("A1", "type_identifier", "A1"),
            ("B1<u8, i8>", "generic_type", "pub B1<u8, i8>"),
            ("&'static str", "reference_type", "pub(crate) &'static str"),
            ("u64", "primitive_type", "u64"),
        ],
        new: &["pub N<[u8; 3], ()>"],
        ..ROW
    },
    Row {
        name: "struct literal",
        before: "fn f() {\n    let s = S ",
        open: "{",
        pad: " ",
        close: "}",
        members: [
            ("a1", "field_initializer", "a1: 1"),
            ("b1", "field_initializer", "b1: \"x, }\""),
            ("c1", "shorthand_field_initializer", "c1"),
            ("d1", "field_initializer", "d1: (1, 2)"),
        ],
        new: &["n: g(1, 2)", "n: T {\n    x: 1,\n    y: \"{, \",\n}"],
        ..ROW
    },
    Row {
        name: "enum variants",
        before: "enum E ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n",
        depth: (1, 0),
        members: [
            ("A1", "enum_variant", "A1"),
            ("B1", "enum_variant", "B1(u8, u8)"),
            ("C1", "enum_variant", "C1 { x: u8, y: u8 }"),
            ("D1", "enum_variant", "D1 = 4"),
        ],
        new: &["N(Vec<u8>, u8)", "N {\n    x: u8,\n}"],
        ..ROW
    },
    Row {
        name: "match arms",
        before: "fn f() {\n    match x ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n}\n",
        members: [
            ("A1", "match_arm", "A1 => 1"),
            ("B1", "match_arm", "B1(x, y) => g(x, y)"),
            ("C1", "match_arm", "C1 if x == [1, 2] => \"}, {\""),
            ("_", "match_arm", "_ => (1, 2)"),
        ],
        new: &["N => h(1, 2)", "N => g(\n    1,\n    2,\n)"],
        ..ROW
    },
    Row {
        name: "json array",
        file: "a.json",
        before: "{\n    \"k\": ",
        open: "[",
        close: "]",
        after: "\n}\n",
        members: [
            ("11", "number", "11"),
            ("\"b, [b\"", "string", "\"b, [b\""),
            ("[1, 2]", "array", "[1, 2]"),
            ("{\"x\"", "object", "{\"x\": \"}, \"}"),
        ],
        new: &["\"n, ]\"", "{\n    \"n\": [\n        1\n    ]\n}"],
        layouts: WITHOUT_COMMENTS,
        ..ROW
    },
    Row {
        name: "json object",
        file: "a.json",
        before: "{\n    \"k\": ",
        open: "{",
        close: "}",
        after: "\n}\n",
        members: [
            ("\"a1\"", "pair", "\"a1\": 1"),
            ("\"b1\"", "pair", "\"b1\": \"x, }\""),
            ("\"c1\"", "pair", "\"c1\": [1, 2]"),
            ("\"d1\"", "pair", "\"d1\": {\"x\": 1}"),
        ],
        new: &[
            "\"n\": \"}, \"",
            "\"n\": {\n    \"x\": [\n        1\n    ]\n}",
        ],
        layouts: WITHOUT_COMMENTS,
        ..ROW
    },
    Row {
        name: "javascript arguments",
        file: "a.js",
        before: "function f() {\n    g",
        members: SCRIPT_MEMBERS,
        new: SCRIPT_NEW,
        ..ROW
    },
    Row {
        name: "javascript array",
        file: "a.js",
        before: "function f() {\n    let v = ",
        open: "[",
        close: "]",
        members: SCRIPT_MEMBERS,
        new: SCRIPT_NEW,
        ..ROW
    },
    Row {
        name: "javascript object",
        file: "a.js",
        before: "function f() {\n    let v = ",
        open: "{",
        pad: " ",
        close: "}",
        members: [
            ("a1", "pair", "a1: 1"),
            ("b1", "method_definition", "b1() {}"),
            ("c1", "shorthand_property_identifier", "c1"),
            ("...d1", "spread_element", "...d1"),
        ],
        new: &["n: [1, \"}, \"]", "n() {\n    return `p\n¦q, }`;\n}"],
        ..ROW
    },
    Row {
        name: "javascript parameters",
        file: "a.js",
        before: "function f",
        after: " {}\n",
        depth: (1, 0),
        members: [
            ("a1", "identifier", "a1"),
            ("b1", "assignment_pattern", "b1 = [1, 2]"),
            ("{ c1", "object_pattern", "{ c1, c2 }"),
            ("[d1", "array_pattern", "[d1]"),
        ],
        new: &["n = g(1, 2)"],
        ..ROW
    },
    Row {
        name: "javascript imports",
        file: "a.js",
        before: "import ",
        open: "{",
        pad: " ",
        close: "}",
        after: " from \"m\";\n",
        depth: (1, 0),
        members: [
            ("a1", "import_specifier", "a1"),
            ("b1", "import_specifier", "b1 as b2"),
            ("c1", "import_specifier", "c1"),
            ("d1", "import_specifier", "d1"),
        ],
        new: &["n1 as n2"],
        ..ROW
    },
    Row {
        name: "typescript type arguments",
        file: "a.ts",
        before: "type T = X",
        open: "<",
        close: ">",
        after: ";\n",
        depth: (1, 0),
        members: [
            ("A1", "type_identifier", "A1"),
            ("B1<", "generic_type", "B1<string, C>"),
            ("\"c, <\"", "literal_type", "\"c, <\""),
            ("{ d1", "object_type", "{ d1: [1, 2] }"),
        ],
        new: &["N<[A, B], \">, \">"],
        empty: Some(""),
        ..ROW
    },
    Row {
        name: "typescript enum",
        file: "a.ts",
        before: "enum E ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n",
        depth: (1, 0),
        members: [
            ("a1", "enum_assignment", "a1 = 1"),
            ("b1", "enum_assignment", "b1 = \"x, }\""),
            ("c1", "enum_assignment", "c1 = 3"),
            ("d1", "enum_assignment", "d1 = g(1, 2)"),
        ],
        new: &["n = \"}, \""],
        ..ROW
    },
    Row {
        name: "typescript object type",
        file: "a.ts",
        before: "type T = ",
        open: "{",
        pad: " ",
        close: "}",
        after: ";\n",
        separator: ";",
        depth: (1, 0),
        members: [
            ("a1", "property_signature", "a1: A"),
            ("b1", "method_signature", "b1(x: B, y: C): void"),
            ("c1", "property_signature", "c1?: { x: 1; y: 2 }"),
            ("[d1", "index_signature", "[d1: string]: D"),
        ],
        new: &["n: { x: \"; }\" }"],
        layouts: &[Line, Lines],
        ..ROW
    },
    Row {
        name: "css block",
        file: "a.css",
        before: "@media print {\n    .r ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n}\n",
        separator: ";",
        members: [
            ("a1", "declaration", "a1: 1px"),
            ("b1", "declaration", "b1: x, \"y; }\""),
            ("c1", "declaration", "c1: url(d;e) !important"),
            ("d1", "declaration", "d1: 1 / 2"),
        ],
        new: &["n: f(1, 2) 3", "n:\n    1px,\n    2px"],
        layouts: &[Line, LineTrailing, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "go arguments",
        before: "package a\n\nfunc f() {\n    g",
        ..GO
    },
    Row {
        name: "go composite literal",
        before: "package a\n\nfunc f() {\n    v := []T",
        open: "{",
        close: "}",
        ..GO
    },
    Row {
        name: "go keyed elements",
        before: "package a\n\nfunc f() {\n    v := T",
        open: "{",
        close: "}",
        members: [
            ("a: 1", "keyed_element", "a: 1"),
            ("\"b\": 2", "keyed_element", "\"b\": 2"),
            ("c: {1, 2}", "keyed_element", "c: {1, 2}"),
            ("d: f(1)", "keyed_element", "d: f(1)"),
        ],
        new: &["n: 9", "n: {\n    1,\n}"],
        ..GO
    },
    Row {
        name: "go parameters",
        before: "package a\n\nfunc f",
        after: " {\n}\n",
        depth: (1, 0),
        members: [
            ("a int", "parameter_declaration", "a int"),
            ("b, c []int", "parameter_declaration", "b, c []int"),
            (
                "d func(int, int)",
                "parameter_declaration",
                "d func(int, int)",
            ),
            ("e ...any", "variadic_parameter_declaration", "e ...any"),
        ],
        new: &["n map[K]V", "n struct {\n    a, b int\n}"],
        ..GO
    },
    Row {
        name: "go type parameters",
        before: "package a\n\nfunc f",
        open: "[",
        close: "]",
        after: "() {\n}\n",
        depth: (1, 0),
        members: [
            ("K comparable", "type_parameter_declaration", "K comparable"),
            ("V any", "type_parameter_declaration", "V any"),
            (
                "N ~int | ~string",
                "type_parameter_declaration",
                "N ~int | ~string",
            ),
            ("L List[V]", "type_parameter_declaration", "L List[V]"),
        ],
        new: &["E error"],
        empty: Some(""),
        layouts: &[Line, Lines, LinesBare],
        ..GO
    },
    Row {
        name: "go type arguments",
        before: "package a\n\nvar a M",
        open: "[",
        close: "]",
        after: "\n",
        depth: (1, 0),
        members: [
            ("K1", "type_elem", "K1"),
            ("[]int", "type_elem", "[]int"),
            ("chan int", "type_elem", "chan int"),
            ("*T", "type_elem", "*T"),
        ],
        new: &["N[K]"],
        empty: Some(""),
        layouts: &[Line, Lines, LinesBare],
        ..GO
    },
    Row {
        name: "go results",
        before: "package a\n\nfunc f() {\n    return",
        open: " ",
        close: "",
        after: "\n}\n",
        empty: Some(""),
        layouts: &[Line],
        ..GO
    },
    Row {
        name: "go statements on one line",
        before: "package a\n\nfunc f() ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n",
        separator: ";",
        depth: (1, 0),
        members: [
            ("a1()", "expression_statement", "a1()"),
            ("b := \"c; }\"", "short_var_declaration", "b := \"c; }\""),
            ("c++", "inc_statement", "c++"),
            ("return 1, 2", "return_statement", "return 1, 2"),
        ],
        new: &["n = 1"],
        layouts: &[Line],
        ..GO
    },
    Row {
        name: "java arguments",
        before: "class A {\n    void f() {\n        g",
        ..JAVA
    },
    Row {
        name: "java array",
        before: "class A {\n    void f() {\n        int[] v = ",
        open: "{",
        close: "}",
        layouts: ALL,
        ..JAVA
    },
    Row {
        name: "java parameters",
        before: "class A {\n    void f",
        after: ";\n}\n",
        depth: (2, 1),
        members: [
            ("int a", "formal_parameter", "int a"),
            ("final Map<K, V> b", "formal_parameter", "final Map<K, V> b"),
            (
                "@A({1, 2}) int[] c",
                "formal_parameter",
                "@A({1, 2}) int[] c",
            ),
            ("T... d", "spread_parameter", "T... d"),
        ],
        new: &["List<N> n"],
        layouts: &[Line, LinesBare],
        ..JAVA
    },
    Row {
        name: "java type parameters",
        before: "class A",
        open: "<",
        close: ">",
        after: " {\n}\n",
        depth: (1, 0),
        members: [
            ("A1", "type_parameter", "A1"),
            (
                "B1 extends X<Y, Z> & W",
                "type_parameter",
                "B1 extends X<Y, Z> & W",
            ),
            ("C1", "type_parameter", "C1"),
            ("D1", "type_parameter", "D1"),
        ],
        new: &["N extends I"],
        empty: Some(""),
        layouts: &[Line, LinesBare],
        ..JAVA
    },
    Row {
        name: "java enum",
        before: "enum A ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n",
        depth: (1, 0),
        members: [
            ("A1", "enum_constant", "A1"),
            ("B1(1, \"}\")", "enum_constant", "B1(1, \"}\")"),
            ("C1 { }", "enum_constant", "C1 { }"),
            ("@X(1) D1", "enum_constant", "@X(1) D1"),
        ],
        new: &["N(7)"],
        layouts: &[Lines, LinesBare, Commented, Headed],
        ..JAVA
    },
    Row {
        name: "java annotation arguments",
        before: "@A",
        after: "\nclass A {\n}\n",
        depth: (1, 0),
        members: [
            ("a = 1", "element_value_pair", "a = 1"),
            ("b = {1, 2}", "element_value_pair", "b = {1, 2}"),
            ("c = @B(1)", "element_value_pair", "c = @B(1)"),
            ("d = \"x, )\"", "element_value_pair", "d = \"x, )\""),
        ],
        new: &["n = N.class"],
        layouts: &[Line, LinesBare],
        ..JAVA
    },
    Row {
        name: "css selectors",
        file: "a.css",
        before: "@media print {\n    ",
        open: "",
        close: "",
        after: " {\n        m: n;\n    }\n}\n",
        members: [
            (".a1", "class_selector", ".a1"),
            ("b1", "child_selector", "b1 > b2"),
            ("#c1", "id_selector", "#c1"),
            ("[d1", "attribute_selector", "[d1=\",\"]"),
        ],
        new: &["n1:is(n2, n3)"],
        shortest: 2,
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "css values",
        file: "a.css",
        before: ".r {\n    a:",
        open: " ",
        close: "",
        after: " !important;\n}\n",
        members: [
            ("A1", "plain_value", "A1"),
            ("\"b, 1\"", "string_value", "\"b, 1\""),
            ("f(1, 2)", "call_expression", "f(1, 2)"),
            ("44px", "integer_value", "44px"),
        ],
        new: &["n(1, 2)"],
        shortest: 2,
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "css arguments",
        file: "a.css",
        before: ".r {\n    a: f",
        after: " b;\n}\n",
        members: [
            ("a1", "plain_value", "a1"),
            ("\"b, (b\"", "string_value", "\"b, (b\""),
            ("c(1, 2)", "call_expression", "c(1, 2)"),
            ("33px", "integer_value", "33px"),
        ],
        new: &["n(1, 2)", "m(\n    1,\n    2\n)"],
        layouts: &[Line, LinesBare],
        ..ROW
    },
    Row {
        name: "toml array",
        file: "a.toml",
        before: "[t]\nk = ",
        open: "[",
        close: "]",
        after: " # of k, [\nl = 1\n",
        comment: "#",
        depth: (1, 0),
        members: [
            ("11", "integer", "11"),
            ("\"b, [b\"", "string", "\"b, [b\""),
            ("[1, 2]", "array", "[1, 2]"),
            ("{ x", "inline_table", "{ x = \"}, \" }"),
        ],
        new: &[
            "\"n, ]\"",
            "[\n    1,\n    { n = 1 },\n]",
            "\"\"\"p\n¦  q, ]\n¦r\"\"\"",
        ],
        ..ROW
    },
    Row {
        name: "yaml flow sequence",
        file: "a.yaml",
        before: "t:\n    k: ",
        open: "[",
        close: "]",
        after: " # of k, [\n    l: 1\n",
        comment: "#",
        depth: (2, 1),
        members: [
            ("11", "flow_node", "11"),
            ("\"b, [b\"", "double_quote_scalar", "\"b, [b\""),
            ("[1, 2]", "flow_sequence", "[1, 2]"),
            ("x:", "flow_pair", "x: {y: \"}, \"}"),
        ],
        new: &["\"n, ]\"", "{n: [1, 2]}"],
        // Whitespace in a flow collection may not be a tab.
        layouts: &[Line, LineTrailing],
        ..ROW
    },
    Row {
        name: "yaml flow mapping",
        file: "a.yaml",
        before: "t:\n    - k: ",
        open: "{",
        close: "}",
        after: "\n      l: 1\n",
        depth: (2, 1),
        members: [
            ("a1", "flow_pair", "a1: 1"),
            ("b1", "flow_pair", "b1: \"x, }\""),
            ("\"c1\"", "flow_pair", "\"c1\": [1, 2]"),
            ("d1", "flow_pair", "d1: {x: 1}"),
        ],
        new: &["n: \"}, \"", "n: {m: [1, {o: 2}]}"],
        layouts: &[Line, LineTrailing],
        ..ROW
    },
    Row {
        name: "toml inline table",
        file: "a.toml",
        before: "[t]\nk = ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n\n[u]\n",
        depth: (1, 0),
        members: [
            ("a1", "pair", "a1 = 1"),
            ("b1", "pair", "b1.b2 = \"x, }\""),
            ("\"c1\"", "pair", "\"c1\" = [1, 2]"),
            ("d1", "pair", "d1 = { x = 1 }"),
        ],
        new: &["n = \"}, \"", "n.m = [1, { o = 2 }]"],
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "c arguments",
        file: "a.c",
        before: "int f(void) {\n    g",
        new: &["n(\"x, ](\", 1)", "m(1,\n    2)"],
        layouts: &[Line, LinesBare],
        ..ROW
    },
    Row {
        name: "c parameters",
        file: "a.c",
        before: "int f",
        after: ";\n",
        depth: (1, 0),
        members: [
            ("a1", "parameter_declaration", "int a1"),
            ("(*b)", "parameter_declaration", "void (*b)(int, int)"),
            ("c[2]", "parameter_declaration", "char c[2]"),
            ("d3", "parameter_declaration", "struct d3 *d"),
        ],
        new: &["int (*n)(int, int)", "const char *m"],
        layouts: &[Line, LinesBare],
        ..ROW
    },
    Row {
        name: "c initializer list",
        file: "a.c",
        before: "int f(void) {\n    int v[] = ",
        open: "{",
        close: "}",
        members: [
            ("a1", "identifier", "a1"),
            ("[1]", "initializer_pair", "[1] = { 1, 2 }"),
            (".b", "initializer_pair", ".b = \"x, {\""),
            ("d3", "identifier", "d3"),
        ],
        new: &[".n = { 1, 2 }", "{\n    1,\n    2,\n}"],
        ..ROW
    },
    Row {
        name: "c enumerators",
        file: "a.c",
        before: "enum e ",
        open: "{",
        close: "}",
        after: ";\n",
        depth: (1, 0),
        members: [
            ("A1", "enumerator", "A1"),
            ("B1", "enumerator", "B1 = F(1, 2)"),
            ("C1", "enumerator", "C1"),
            ("D1", "enumerator", "D1 = ','"),
        ],
        new: &["N = F(1, 2)", "M"],
        layouts: &[Lines, LinesBare, Commented, Headed],
        ..ROW
    },
    Row {
        name: "c macro parameters",
        file: "a.c",
        before: "#define F",
        after: " 1\n",
        members: [
            ("a1", "identifier", "a1"),
            ("b1", "identifier", "b1"),
            ("c1", "identifier", "c1"),
            ("d1", "identifier", "d1"),
        ],
        new: &["n"],
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "c++ template parameters",
        file: "a.cpp",
        before: "template ",
        open: "<",
        close: ">",
        after: "\nint f();\n",
        members: [
            ("A1", "type_parameter_declaration", "typename A1"),
            (
                "B1",
                "optional_type_parameter_declaration",
                "class B1 = C<int, 2>",
            ),
            ("C1", "parameter_declaration", "int C1"),
            ("D1", "type_parameter_declaration", "class D1"),
        ],
        new: &["bool N", "class M"],
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "c++ template arguments",
        file: "a.cpp",
        before: "using v = f",
        open: "<",
        close: ">",
        after: ";\n",
        members: [
            ("a1", "type_descriptor", "a1"),
            ("b1<", "type_descriptor", "b1<int, 2>"),
            ("33", "number_literal", "33"),
            ("d1", "type_descriptor", "d1*"),
        ],
        new: &["n<int, 1>", "5"],
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "c++ constructor initializers",
        file: "a.cpp",
        before: "A::A()",
        open: " : ",
        close: "",
        after: " {}\n",
        members: [
            ("a1", "field_initializer", "a1(1)"),
            ("b1", "field_initializer", "b1{1, 2}"),
            ("c1", "field_initializer", "c1(\"x, (\")"),
            ("d1", "field_initializer", "d1()"),
        ],
        new: &["n(1, 2)"],
        empty: Some(""),
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "c++ captures",
        file: "a.cpp",
        before: "auto f = ",
        open: "[",
        close: "]",
        after: "(int i) { return i; };\n",
        members: [
            ("this", "this", "this"),
            ("b1", "lambda_capture_initializer", "b1 = f(1, 2)"),
            ("c1", "identifier", "c1"),
            ("d1", "identifier", "d1"),
        ],
        new: &["n"],
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "python arguments",
        ..PYTHON
    },
    Row {
        name: "python list",
        before: "def f():\n    g = ",
        open: "[",
        close: "]",
        ..PYTHON
    },
    Row {
        name: "python set",
        before: "def f():\n    g = ",
        open: "{",
        close: "}",
        empty: Some("{}"),
        ..PYTHON
    },
    Row {
        name: "python tuple",
        before: "def f():\n    g = ",
        single: true,
        ..PYTHON
    },
    Row {
        name: "python dictionary",
        before: "def f():\n    g = ",
        open: "{",
        close: "}",
        members: [
            ("a1", "pair", "a1: 1"),
            ("\"b, [b\"", "pair", "\"b, [b\": [2]"),
            ("c(1, 2)", "pair", "c(1, 2): {3: 4}"),
            ("**d", "dictionary_splat", "**d"),
        ],
        new: &["\"n\": (1, 2)", "n: {\n    \"m\": 1,\n}", "**n"],
        ..PYTHON
    },
    Row {
        name: "python parameters",
        before: "def f",
        after: ":\n    pass\n",
        depth: (1, 0),
        members: [
            ("a1", "identifier", "a1"),
            ("b1", "typed_parameter", "b1: Dict[str, int]"),
            ("c1", "default_parameter", "c1=(1, 2)"),
            ("d1", "typed_default_parameter", "d1: int = f(1, 2)"),
        ],
        new: &["n: X[1, 2] = {1, 2}"],
        layouts: ALL,
        ..PYTHON
    },
    Row {
        name: "python lambda parameters",
        before: "def f():\n    g = lambda",
        open: " ",
        close: ":",
        after: " 1\n",
        members: [
            ("a1", "identifier", "a1"),
            ("b1", "default_parameter", "b1=(1, 2)"),
            ("*c1", "list_splat_pattern", "*c1"),
            ("**d1", "dictionary_splat_pattern", "**d1"),
        ],
        new: &["n=f(1, 2)"],
        empty: Some(":"),
        layouts: &[Line],
        shortest: 2,
        ..PYTHON
    },
    Row {
        name: "python imported names",
        before: "from .a.b import ",
        depth: (1, 0),
        members: [
            ("a1", "dotted_name", "a1"),
            ("b1", "aliased_import", "b1 as b2"),
            ("c1", "dotted_name", "c1"),
            ("d1", "aliased_import", "d1 as d2"),
        ],
        new: &["n", "n1 as n2"],
        shortest: 2,
        ..PYTHON
    },
    Row {
        name: "python imported names without brackets",
        before: "from a.b import",
        open: " ",
        close: "",
        depth: (1, 0),
        members: [
            ("a1", "dotted_name", "a1"),
            ("b1", "aliased_import", "b1 as b2"),
            ("c1", "dotted_name", "c1"),
            ("d1", "aliased_import", "d1 as d2"),
        ],
        new: &["n", "n1 as n2"],
        shortest: 2,
        layouts: &[Line],
        ..PYTHON
    },
    Row {
        name: "python imported modules",
        before: "import",
        open: " ",
        close: "",
        members: [
            ("a1", "dotted_name", "a1.a2"),
            ("b1", "aliased_import", "b1 as b2"),
            ("c1", "dotted_name", "c1"),
            ("d1", "aliased_import", "d1.d3 as d2"),
        ],
        new: &["n", "n1 as n2"],
        shortest: 2,
        layouts: &[Line],
        ..PYTHON
    },
    Row {
        name: "python bases",
        before: "class A",
        after: ":\n    pass\n",
        depth: (1, 0),
        members: [
            ("B1", "identifier", "B1"),
            ("C1[x, y]", "subscript", "C1[x, y]"),
            ("d1.D", "attribute", "d1.D"),
            ("metaclass", "keyword_argument", "metaclass=M"),
        ],
        new: &["N[1, 2]"],
        empty: Some(""),
        ..PYTHON
    },
    Row {
        name: "python type parameters",
        before: "class A",
        open: "[",
        close: "]",
        after: ":\n    pass\n",
        depth: (1, 0),
        members: [
            ("A1", "type", "A1"),
            ("B1", "type", "B1"),
            ("*C1", "type", "*C1"),
            ("**D1", "type", "**D1"),
        ],
        new: &["N"],
        empty: Some(""),
        layouts: &[Line, LineTrailing, Lines, LinesBare],
        ..PYTHON
    },
    Row {
        name: "python targets",
        before: "def f():\n    ",
        open: "",
        close: " = x",
        members: [
            ("a1", "identifier", "a1"),
            ("(b1, b2)", "tuple_pattern", "(b1, b2)"),
            ("c1[1, 2]", "subscript", "c1[1, 2]"),
            ("*d1", "list_splat_pattern", "*d1"),
        ],
        new: &["n[1, 2]"],
        shortest: 3,
        layouts: &[Line],
        ..PYTHON
    },
    Row {
        name: "python values",
        before: "def f():\n    x =",
        open: " ",
        close: "",
        new: &["n(1, 2)"],
        shortest: 3,
        layouts: &[Line],
        ..PYTHON
    },
    Row {
        name: "python index",
        before: "def f():\n    x = y",
        open: "[",
        close: "]",
        new: &["n(1, 2)"],
        shortest: 3,
        layouts: &[Line],
        ..PYTHON
    },
    Row {
        name: "python global names",
        before: "def f():\n    global",
        open: " ",
        close: "",
        members: [
            ("a1", "identifier", "a1"),
            ("b1", "identifier", "b1"),
            ("c1", "identifier", "c1"),
            ("d1", "identifier", "d1"),
        ],
        new: &["n1"],
        shortest: 2,
        layouts: &[Line],
        ..PYTHON
    },
    Row {
        name: "python contexts",
        before: "def f():\n    with",
        open: " ",
        close: ":",
        after: "\n        pass\n",
        members: [
            ("a1", "with_item", "a1 as a2"),
            ("b1", "with_item", "b1(1, 2)"),
            ("c1", "with_item", "c1"),
            ("d1", "with_item", "d1 as d2"),
        ],
        new: &["n(1, 2) as n2"],
        shortest: 2,
        layouts: &[Line],
        ..PYTHON
    },
    Row {
        name: "python alternatives of a pattern",
        before: "match x:\n    case",
        open: " ",
        close: ":",
        after: "\n        pass\n",
        separator: " |",
        members: [
            ("1", "integer", "1"),
            ("[b1, b2]", "list_pattern", "[b1, b2]"),
            ("\"c | c\"", "string", "\"c | c\""),
            ("None", "none", "None"),
        ],
        new: &["N(1, 2)"],
        shortest: 3,
        layouts: &[Line],
        ..PYTHON
    },
    Row {
        name: "c# arguments",
        file: "a.cs",
        before: "class A {\n    int F() {\n        G",
        after: ";\n    }\n}\n",
        depth: (3, 2),
        members: [
            ("a1", "argument", "a1"),
            ("\"b, [b\"", "argument", "\"b, [b\""),
            ("c(", "argument", "c(1, 2)"),
            ("d3", "argument", "x: d3"),
        ],
        new: &["n(\"x, ](\", 1)", "out var n"],
        layouts: &[Line, LinesBare],
        ..ROW
    },
    Row {
        name: "c# parameters",
        file: "a.cs",
        before: "class A {\n    int F",
        after: " => 1;\n}\n",
        members: [
            ("a1", "parameter", "int a1"),
            ("b1", "parameter", "Dictionary<int, int> b1"),
            ("c1", "parameter", "int c1 = F(1, 2)"),
            ("d3", "parameter", "ref (int, int) d3"),
        ],
        new: &["in Dictionary<int, int> n", "int[] m = null"],
        layouts: &[Line, LinesBare],
        ..ROW
    },
    Row {
        name: "c# enum members",
        file: "a.cs",
        before: "enum E ",
        open: "{",
        close: "}",
        after: "\n",
        depth: (1, 0),
        members: [
            ("A1", "enum_member_declaration", "A1"),
            ("B1", "enum_member_declaration", "B1 = 1 << 2"),
            ("C1", "enum_member_declaration", "C1"),
            ("D1", "enum_member_declaration", "D1 = ','"),
        ],
        new: &["N = 1 + 2", "M"],
        layouts: &[Lines, LinesBare, Commented, Headed],
        ..ROW
    },
    Row {
        name: "kotlin arguments",
        file: "a.kt",
        before: "fun f() {\n    g",
        after: "\n}\n",
        members: [
            ("a1", "value_argument", "a1"),
            ("\"b, [b\"", "value_argument", "\"b, [b\""),
            ("c(", "value_argument", "c(1, 2)"),
            ("d3", "value_argument", "x = d3"),
        ],
        new: &["n(\"x, ](\", 1)", "{\n    go()\n}"],
        ..ROW
    },
    Row {
        name: "kotlin parameters",
        file: "a.kt",
        before: "fun f",
        after: " {\n}\n",
        depth: (1, 0),
        members: [
            ("a1", "parameter", "a1: Int"),
            ("b1", "parameter", "b1: Map<Int, Int>"),
            ("c1", "parameter", "c1: (Int, Int) -> Int"),
            ("d3", "parameter", "d3: Int"),
        ],
        new: &["n: Map<Int, (Int) -> Int>", "m: Int"],
        layouts: &[Line, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "swift arguments",
        file: "a.swift",
        before: "func f() {\n    g",
        after: "\n}\n",
        members: [
            ("a1", "value_argument", "a1"),
            ("\"b, [b\"", "value_argument", "\"b, [b\""),
            ("c(", "value_argument", "c(1, 2)"),
            ("d3", "value_argument", "x: d3"),
        ],
        new: &["n(\"x, ](\", 1)", "m: {\n    go()\n}"],
        layouts: &[Line, LinesBare],
        ..ROW
    },
    Row {
        name: "swift array",
        file: "a.swift",
        before: "func f() {\n    let v = ",
        open: "[",
        close: "]",
        after: "\n}\n",
        members: [
            ("a1", "simple_identifier", "a1"),
            ("\"b, [b\"", "line_string_literal", "\"b, [b\""),
            ("c(1, 2)", "call_expression", "c(1, 2)"),
            ("d3", "simple_identifier", "d3"),
        ],
        new: &["n(\"x, ](\", 1)", "m(\n    1,\n    2\n)"],
        ..ROW
    },
    Row {
        name: "scala arguments",
        file: "a.scala",
        before: "object A {\n    g",
        after: "\n}\n",
        members: [
            ("a1", "identifier", "a1"),
            ("\"b, [b\"", "string", "\"b, [b\""),
            ("c(1, 2)", "call_expression", "c(1, 2)"),
            ("d3", "identifier", "d3"),
        ],
        new: &["n(\"x, ](\", 1)", "m(\n    1,\n    2\n)"],
        layouts: &[Line, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "scala parameters",
        file: "a.scala",
        before: "object A {\n    def f",
        after: ": Int = 1\n}\n",
        members: [
            ("a1", "parameter", "a1: Int"),
            ("b1", "parameter", "b1: Map[Int, Int]"),
            ("c1", "parameter", "c1: (Int, Int) => Int"),
            ("d3", "parameter", "d3: Int = g(1, 2)"),
        ],
        new: &["n: Map[Int, (Int, Int)]", "m: Int = 1"],
        layouts: &[Line, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "dart arguments",
        file: "a.dart",
        before: "void f() {\n    g",
        members: [
            ("a1", "argument", "a1"),
            ("'b, [b'", "argument", "'b, [b'"),
            ("c(", "argument", "c(1, 2)"),
            ("d3", "named_argument", "x: d3"),
        ],
        new: &["n('x, ](', 1)", "m: () {\n    go();\n}"],
        ..ROW
    },
    Row {
        name: "dart list",
        file: "a.dart",
        before: "var v = ",
        open: "[",
        close: "]",
        after: ";\n",
        depth: (1, 0),
        members: [
            ("a1", "identifier", "a1"),
            ("'b, [b'", "string_literal", "'b, [b'"),
            ("[1, 2]", "list_literal", "[1, 2]"),
            ("d3", "identifier", "d3"),
        ],
        new: &["'x, ]('", "[\n    1,\n    2,\n]"],
        ..ROW
    },
    Row {
        name: "julia arguments",
        file: "a.jl",
        before: "function f()\n    g",
        after: "\nend\n",
        comment: "#",
        members: [
            ("a1", "identifier", "a1"),
            ("\"b, [b\"", "string_literal", "\"b, [b\""),
            ("c(1, 2)", "call_expression", "c(1, 2)"),
            ("d3", "identifier", "d3"),
        ],
        new: &["n(\"x, ](\", 1)", "m(\n    1,\n    2,\n)"],
        layouts: &[Line, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "julia vector",
        file: "a.jl",
        before: "v = ",
        open: "[",
        close: "]",
        after: "\n",
        comment: "#",
        depth: (1, 0),
        members: [
            ("a1", "identifier", "a1"),
            ("\"b, [b\"", "string_literal", "\"b, [b\""),
            ("c(1, 2)", "call_expression", "c(1, 2)"),
            ("d3", "identifier", "d3"),
        ],
        new: &["n(\"x, ](\", 1)", "(1, 2)"],
        // A single element on its own line, without a comma, is a row of a matrix.
        shortest: 3,
        ..ROW
    },
    Row {
        name: "ocaml list",
        file: "a.ml",
        before: "let v = ",
        open: "[",
        close: "]",
        after: "\n",
        separator: ";",
        depth: (1, 0),
        members: [
            ("a1", "value_path", "a1"),
            ("\"b; [b\"", "string", "\"b; [b\""),
            ("(c; 2)", "parenthesized_expression", "(c; 2)"),
            ("d3", "value_path", "d3"),
        ],
        new: &["\"x; ](\"", "[1; 2]"],
        layouts: &[Line, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "ocaml record type",
        file: "a.ml",
        before: "type t = ",
        open: "{",
        pad: " ",
        close: "}",
        after: "\n",
        separator: ";",
        depth: (1, 0),
        members: [
            ("a1", "field_declaration", "a1 : int"),
            ("b1", "field_declaration", "mutable b1 : (int * int) list"),
            ("c1", "field_declaration", "c1 : < m : int; n : int >"),
            ("d1", "field_declaration", "d1 : int -> int"),
        ],
        new: &["mutable n : int array", "m : int"],
        shortest: 2,
        layouts: &[Line, Lines, LinesBare],
        ..ROW
    },
    Row {
        name: "haskell list",
        file: "a.hs",
        before: "v = ",
        open: "[",
        close: "]",
        after: "\n",
        members: [
            ("a1", "variable", "a1"),
            ("\"b, [b\"", "literal", "\"b, [b\""),
            ("(1, 2)", "tuple", "(1, 2)"),
            ("d3", "variable", "d3"),
        ],
        new: &["(\"x, ](\", 1)", "[1, 2]"],
        shortest: 2,
        layouts: &[Line],
        ..ROW
    },
    Row {
        name: "haskell imported names",
        file: "a.hs",
        before: "import A ",
        after: "\n",
        members: [
            ("a1", "import_name", "a1"),
            ("B1", "import_name", "B1 (B2, B3)"),
            ("(<>)", "import_name", "(<>)"),
            ("d1", "import_name", "d1"),
        ],
        new: &["N (..)", "n"],
        shortest: 2,
        layouts: &[Line],
        ..ROW
    },
];

impl Row {
    /// Returns the file with these members, each with its number for its comment.
    fn text(&self, members: &[(usize, String)], layout: Layout) -> String {
        let (inner, outer) = self.depth;
        let (inner, outer) = ("    ".repeat(inner), "    ".repeat(outer));
        let list = if members.is_empty() {
            let empty = format!("{}{}", self.open, self.close);
            self.empty.map_or(empty, str::to_string)
        } else if matches!(layout, Line | LineTrailing) {
            let single = self.single && members.len() == 1;
            let last = if layout == LineTrailing || single {
                self.separator
            } else {
                ""
            };
            let all: Vec<&str> = members.iter().map(|(_, member)| member.as_str()).collect();
            let all = all.join(&format!("{} ", self.separator));
            format!(
                "{}{}{all}{last}{}{}",
                self.open, self.pad, self.pad, self.close
            )
        } else {
            let mut list = format!("{}\n", self.open);
            for (index, (number, member)) in members.iter().enumerate() {
                let is_last = index + 1 == members.len();
                let single = self.single && members.len() == 1;
                let bare = is_last && layout == LinesBare && !single;
                let separator = if bare { "" } else { self.separator };
                let comment = format!("{} of {number}, ({number}", self.comment);
                let (above, trailing) = match layout {
                    Commented if *number > 0 => (String::new(), format!(" {comment}")),
                    Headed if *number > 0 => (format!("{inner}{comment}\n"), String::new()),
                    _ => Default::default(),
                };
                list += &format!("{above}{inner}{member}{separator}{trailing}\n");
            }
            list + &outer + self.close
        };
        format!("{}{list}{}", self.before, self.after)
    }

    /// Returns a new member as it appears in the list.
    fn placed(&self, new: &str, layout: Layout) -> String {
        let deep = match layout {
            Line | LineTrailing => self.depth.1,
            _ => self.depth.0,
        };
        let mut lines = new.lines();
        let first = lines.next().unwrap_or_default().to_string();
        lines.fold(first, |text, line| match line.strip_prefix('¦') {
            Some(kept) => format!("{text}\n{kept}"),
            None => format!("{text}\n{}{line}", "    ".repeat(deep)),
        })
    }
}

/// Returns the rows of the languages that are built in.
fn rows() -> impl Iterator<Item = &'static Row> {
    let is_left_out = |row: &&Row| {
        !HAS_ALL && language::of_path(row.file).is_none_or(|one| one.grammar().is_none())
    };
    ROWS.iter().filter(move |row| !is_left_out(row))
}

/// Returns the files of all rows, with their names.
pub(crate) fn texts() -> impl Iterator<Item = (String, String)> {
    let of_lists = rows().map(|row| {
        let members = row.members.iter().enumerate();
        let members: Vec<(usize, String)> = members
            .map(|(index, one)| (index, one.2.to_string()))
            .collect();
        (row.file.to_string(), row.text(&members, row.layouts[0]))
    });
    let of_blocks = BLOCKS.iter().map(|row| {
        let members: Vec<&str> = row.members.iter().map(|one| one.2).collect();
        ("a.md".to_string(), row.text(&members, row.blank_lines[0]))
    });
    of_lists.chain(of_blocks)
}

/// An edit and the member that it is about.
#[derive(Clone, Copy, Debug)]
enum Action {
    Before(usize),
    After(usize),
    First,
    Last,
    Delete(usize),
}

impl Action {
    /// Returns the member that is edited or is next to the edit; for the whole list, any member in
    /// it.
    fn index(self) -> usize {
        match self {
            Action::Before(index) | Action::After(index) | Action::Delete(index) => index,
            Action::First | Action::Last => 0,
        }
    }
}

/// With `TREEGRAFT_TEST_FULL=1`, they try all their cases.
mod long {
    use super::*;

    #[test]
    fn an_edited_list_looks_handwritten() {
        let mut tried = 0;
        let mut wrong = Vec::new();
        let step = if is_full() { 1 } else { 8 };
        for row in rows().step_by(step) {
            for &layout in row.layouts {
                // The separator of a single member does not show the style.
                let of_style = matches!(layout, LineTrailing | LinesBare);
                let first = if row.single && of_style { 2 } else { 1 };
                let lengths = first.max(row.shortest)..=row.members.len();
                // Most differences are those between one member and several.
                let is_tried = |length: &usize| {
                    is_full() || [lengths.start(), lengths.end()].contains(&length)
                };
                for length in lengths.clone().filter(is_tried) {
                    tried += check_row(row, layout, length, &mut wrong);
                }
            }
        }
        let least = if is_full() { 10_000 } else { 500 };
        assert!(tried > least, "{tried} edits were tried");
        let shown: Vec<String> = wrong.iter().take(12).cloned().collect();
        assert!(
            wrong.is_empty(),
            "{} of {tried} edits had another result:\n{}",
            wrong.len(),
            shown.join("\n")
        );
    }
}

fn check_row(row: &Row, layout: Layout, length: usize, wrong: &mut Vec<String>) -> usize {
    let own: Vec<(usize, String)> = row.members[..length]
        .iter()
        .enumerate()
        .map(|(index, (_, _, member))| (index + 1, member.to_string()))
        .collect();
    let before = row.text(&own, layout);
    let mut tried = 0;
    let mut actions: Vec<Action> = (0..length).map(Action::Delete).collect();
    actions.extend((0..length).flat_map(|index| [Action::Before(index), Action::After(index)]));
    actions.extend([Action::First, Action::Last]);
    for action in actions {
        if let Action::Delete(index) = action {
            let mut left = own.clone();
            left.remove(index);
            let after = row.text(&left, layout);
            tried += check(row, layout, length, action, [&before, "", &after], wrong);
            continue;
        }
        for new in row.new {
            let at = match action {
                Action::Before(index) => index,
                Action::After(index) => index + 1,
                Action::First => 0,
                _ => length,
            };
            let mut all = own.clone();
            let placed = row.placed(new, layout);
            all.insert(at, (0, placed.clone()));
            let after = row.text(&all, layout);
            let flat = new.replace('¦', "");
            let mut contents = vec![flat.clone() + row.separator, placed.clone(), flat];
            if placed.contains('\n') {
                contents.push(placed + row.separator);
            }
            contents.dedup();
            for content in contents {
                tried += check(
                    row,
                    layout,
                    length,
                    action,
                    [&before, &content, &after],
                    wrong,
                );
            }
        }
    }
    tried
}

fn check(
    row: &Row,
    layout: Layout,
    length: usize,
    action: Action,
    [before, content, after]: [&str; 3],
    wrong: &mut Vec<String>,
) -> usize {
    let tabs = |text: &str| text.replace("    ", "\t");
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let mut forms = vec![(before.to_string(), content.to_string(), after.to_string())];
    if content.contains('\n') || !matches!(layout, Line | LineTrailing) {
        forms.push(match length % 2 {
            1 => (tabs(before), tabs(content), tabs(after)),
            _ => (crlf(before), content.to_string(), crlf(after)),
        });
    }
    for (before, content, after) in &forms {
        let index = action.index();
        let got = edited(row.file, row.members[index], action, before, content);
        if got.as_ref() != Ok(after) {
            let got = got.unwrap_or_else(|refused| refused);
            wrong.push(format!(
                "--- {} {layout:?} {action:?} {content:?}\n{before}\n--- wanted\n{after}\n--- got\n{got}",
                row.name
            ));
            break;
        }
    }
    forms.len()
}

fn edited(
    file: &str,
    (anchor, node_type, _): (&str, &str, &str),
    action: Action,
    before: &str,
    content: &str,
) -> Result<String, String> {
    let source = Source::new(file, language::for_file(file, before), before.to_string());
    let parsed = Parsed::parse(source);
    let selector = Selector::new(anchor, node_type);
    let inside = matches!(action, Action::First | Action::Last);
    let selection = select::select(&parsed, &selector).map_err(|error| error.to_string())?;
    let selection = match inside {
        false => selection,
        true => {
            // The list that contains the member.
            let chain = selection.chain();
            let list = chain
                .iter()
                .rev()
                .skip(1)
                .find(|node| node.span().len() > selection.span().len())
                .expect("a member lies in a list");
            let of_list = Selector::new(anchor, list.kind());
            select::select(&parsed, &of_list).map_err(|error| error.to_string())?
        }
    };
    let insert = |position| Operation::Insert {
        position,
        new_content: content.to_string(),
        indent: Indent::Auto,
        blank_lines: Default::default(),
    };
    let operation = match action {
        Action::Before(_) => insert(InsertPosition::Before),
        Action::After(_) => insert(InsertPosition::After),
        Action::First => insert(InsertPosition::FirstChild),
        Action::Last => insert(InsertPosition::LastChild),
        Action::Delete(_) => Operation::Delete,
    };
    let edited = edit::edit(selection, &operation).map_err(|error| error.to_string())?;
    let refused = |rejected: Box<validate::Rejected<'_>>| {
        let text = rejected.change().after().source().text();
        format!("refused, {:?}:\n{text}", rejected.failure())
    };
    let checked = validate::validate(edited, &[]).map_err(refused)?;
    let (preview, _) = preview::preview(checked);
    Ok(preview.after().text().to_string())
}

/// Blocks that follow each other in Markdown.
struct Blocks {
    name: &'static str,
    before: &'static str,
    /// The start of each line.
    margin: &'static str,
    after: &'static str,
    members: [(&'static str, &'static str, &'static str); 4],
    new: &'static [&'static str],
    /// The number of blank lines between two members.
    blank_lines: &'static [usize],
    /// The file without members.
    empty: Option<&'static str>,
}

const ITEMS: Blocks = Blocks {
    name: "list",
    before: "# H\n\npara\n\n",
    margin: "",
    after: "\nend\n",
    members: [
        ("- a1", "list_item", "- a1"),
        (
            "- b1",
            "list_item",
            "- b1\n  - b2\n    - b3\n\n    b4\n  - b5",
        ),
        (
            "- c1",
            "list_item",
            "- c1, [c](x)\n  lazy\n\n  ```rust\n  fn c() {\n      c2();\n  }\n  ```",
        ),
        ("- d1", "list_item", "- d1"),
    ],
    new: &[
        "- n1",
        "- n1\n  - n2\n\n    n3",
        "- n1\n\n  ```text\n  - no item\n      deep\n\n  # no heading\n  ```",
    ],
    blank_lines: &[0, 1],
    empty: Some("# H\n\npara\n\nend\n"),
};

const BLOCKS: &[Blocks] = &[
    ITEMS,
    Blocks {
        name: "ordered list",
        members: [
            ("1. a1", "list_item", "1. a1"),
            ("1. b1", "list_item", "1. b1\n   - b2\n\n     b4"),
            ("7. c1", "list_item", "7. c1"),
            ("8. d1", "list_item", "8. d1\n\n   d2"),
        ],
        new: &["9. n1", "3. n1\n   1. n2\n\n      n3"],
        ..ITEMS
    },
    Blocks {
        name: "task list",
        members: [
            ("] a1", "list_item", "- [ ] a1"),
            ("] b1", "list_item", "- [x] b1\n  - [ ] b2\n\n    b4"),
            ("] c1", "list_item", "- [ ] c1"),
            ("] d1", "list_item", "- [x] d1\n\n  d2"),
        ],
        new: &["- [ ] n1", "- [x] n1\n  - [ ] n2\n\n    n3"],
        ..ITEMS
    },
    Blocks {
        name: "nested list",
        before: "para\n\n- outer\n",
        margin: "  ",
        after: "- next\n",
        empty: Some("para\n\n- outer\n- next\n"),
        blank_lines: &[0],
        ..ITEMS
    },
    Blocks {
        name: "list in a quote",
        before: "para\n\n> intro\n>\n",
        margin: "> ",
        after: ">\n> outro\n\nend\n",
        empty: Some("para\n\n> intro\n>\n> outro\n\nend\n"),
        ..ITEMS
    },
    Blocks {
        name: "list at the end",
        before: "para\n\n",
        after: "",
        empty: Some("para\n"),
        ..ITEMS
    },
    Blocks {
        name: "rows",
        before: "para\n\n| x | y |\n|---|---|\n",
        members: [
            ("a1", "pipe_table_row", "| a1 | a2 |"),
            ("b1", "pipe_table_row", "| b1 | `b\\|2` |"),
            ("c1", "pipe_table_row", "| c1 | [c](x) |"),
            ("d1", "pipe_table_row", "| d1 | **d** |"),
        ],
        new: &["| n1 | n2, n3 |", "| n1 | n2 |\n| n3 | n4 |"],
        blank_lines: &[0],
        empty: Some("para\n\n| x | y |\n|---|---|\n\nend\n"),
        ..ITEMS
    },
    Blocks {
        name: "sections",
        before: "# Top\n\nintro\n\n",
        members: [
            ("## a1", "section", "## a1\n\npara"),
            (
                "## b1",
                "section",
                "## b1\n\n### b2\n\n- x\n\n### b3\n\n```sh\n# no heading\n```",
            ),
            ("## c1", "section", "## c1"),
            ("## d1", "section", "## d1\n\n> quote"),
        ],
        new: &["## n1\n\ntext", "## n1\n\n### n2\n\n```sh\n# x\n    y\n```"],
        blank_lines: &[1, 2],
        after: "\n# Other\n",
        empty: Some("# Top\n\nintro\n\n# Other\n"),
        ..ITEMS
    },
    Blocks {
        name: "blocks",
        before: "# H\n\n",
        members: [
            ("a1", "paragraph", "a1\nlazy **a2**"),
            (
                "b1",
                "fenced_code_block",
                "```rust\nfn b1() {\n\n    x\n}\n```",
            ),
            ("c1", "block_quote", "> c1\n> c2"),
            ("d1", "html_block", "<div>\n  d1\n</div>"),
        ],
        new: &["n1", "n1\nn2", "```\n  n1\n\nn2\n```", "- n1\n  - n2"],
        after: "\n# Other\n",
        blank_lines: &[1],
        empty: Some("# H\n\n# Other\n"),
        ..ITEMS
    },
    Blocks {
        name: "blocks in an item",
        before: "- outer\n\n",
        margin: "  ",
        members: [
            ("a1", "paragraph", "a1\nlazy **a2**"),
            (
                "b1",
                "fenced_code_block",
                "```rust\nfn b1() {\n\n    x\n}\n```",
            ),
            ("c1", "block_quote", "> c1\n> c2"),
            ("d1", "paragraph", "d1"),
        ],
        new: &["n1", "n1\nn2", "```\n  n1\n\nn2\n```"],
        after: "- next\n",
        blank_lines: &[1],
        empty: Some("- outer\n- next\n"),
    },
    Blocks {
        name: "blocks in a quote",
        before: "> # H\n>\n",
        margin: "> ",
        members: [
            ("a1", "paragraph", "a1\nlazy **a2**"),
            (
                "b1",
                "fenced_code_block",
                "```rust\nfn b1() {\n\n    x\n}\n```",
            ),
            ("- c1", "list", "- c1\n  - c2"),
            ("d1", "paragraph", "d1"),
        ],
        new: &["n1", "n1\nn2", "```\n  n1\n\nn2\n```"],
        after: "\nend\n",
        blank_lines: &[1],
        empty: Some("> # H\n\nend\n"),
    },
];

impl Blocks {
    fn text(&self, members: &[&str], blank_lines: usize) -> String {
        if let ([], Some(empty)) = (members, self.empty) {
            return empty.to_string();
        }
        let with_margin = |line: &str| match line.is_empty() {
            true => self.margin.trim_end().to_string(),
            false => format!("{}{line}", self.margin),
        };
        let gap = "\n".repeat(blank_lines + 1);
        let joined = members.join(&gap);
        let lines: Vec<String> = joined.split('\n').map(with_margin).collect();
        format!("{}{}\n{}", self.before, lines.join("\n"), self.after)
    }

    /// Returns the content as it appears in the file.
    fn as_in_file(&self, new: &str) -> String {
        let mut lines = new.split('\n');
        let first = lines.next().unwrap_or_default().to_string();
        lines.fold(first, |text, line| match line.is_empty() {
            true => format!("{text}\n{}", self.margin.trim_end()),
            false => format!("{text}\n{}{line}", self.margin),
        })
    }
}

#[test]
fn edited_markdown_blocks_look_handwritten() {
    let mut tried = 0;
    let mut wrong = Vec::new();
    for row in BLOCKS {
        for &blank_lines in row.blank_lines {
            for length in 1..=row.members.len() {
                let own: Vec<&str> = row.members[..length].iter().map(|one| one.2).collect();
                let before = row.text(&own, blank_lines);
                let mut actions: Vec<Action> = (0..length).map(Action::Delete).collect();
                actions.extend((0..length).flat_map(|at| [Action::Before(at), Action::After(at)]));
                // A section is enclosed by another section, which its type does not select.
                if row.members[0].1 != "section" && !row.before.ends_with("# H\n>\n") {
                    actions.extend([Action::Last]);
                    actions.extend((!row.name.starts_with("blocks")).then_some(Action::First));
                }
                for action in actions {
                    let contents = match action {
                        Action::Delete(_) => &[""],
                        _ => row.new,
                    };
                    for new in contents {
                        let mut all = own.clone();
                        match action {
                            Action::Delete(index) => drop(all.remove(index)),
                            Action::After(index) => all.insert(index + 1, new),
                            Action::Last => all.push(new),
                            _ => all.insert(action.index(), new),
                        }
                        // A single gap shows no style, and after a deletion the wider of two gaps
                        // stays.
                        let styled = (length > 1 || blank_lines == row.blank_lines[0])
                            && (blank_lines < 2 || !matches!(action, Action::Delete(0)));
                        let after = row.text(&all, blank_lines);
                        for content in [new.to_string(), row.as_in_file(new)] {
                            if !styled {
                                continue;
                            }
                            for crlf in [false, true] {
                                let form = |text: &str| match crlf {
                                    true => text.replace('\n', "\r\n"),
                                    false => text.to_string(),
                                };
                                let member = row.members[action.index()];
                                let got = edited("a.md", member, action, &form(&before), &content);
                                tried += 1;
                                if got.as_ref() != Ok(&form(&after)) {
                                    let got = got.unwrap_or_else(|refused| refused);
                                    wrong.push(format!(
                                        "--- {} Line {action:?} {blank_lines} {content:?}\n{before}\n--- wanted\n{after}\n--- got\n{got}",
                                        row.name
                                    ));
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(tried > 2_000, "{tried} edits were tried");
    let shown: Vec<String> = wrong.iter().take(12).cloned().collect();
    assert!(
        wrong.is_empty(),
        "{} of {tried} edits had another result:\n{}",
        wrong.len(),
        shown.join("\n")
    );
}
