//! The refused calls, each refused for one reason.

use serde_json::{Value, json};
use treegraft::diagnostic::Code;

/// One call and its refusal code.
pub(super) struct Kind {
    pub(super) name: &'static str,
    edit: Edit,
    pub(super) code: Code,
}

enum Edit {
    Text {
        find: &'static str,
        new_content: &'static str,
    },
    Replace {
        selector: Selector,
        new_content: &'static str,
    },
    Insert {
        selector: Selector,
        position: &'static str,
        new_content: &'static str,
    },
    Delete {
        selector: Selector,
    },
}

struct Selector {
    anchor: &'static str,
    node_type: &'static str,
}

const STATEMENT: &str = "total += values.length;";
const FUNCTION: Selector = of("total += values.length", "function_declaration");
const MEMBER: Selector = of("values.length", "member_expression");

const fn of(anchor: &'static str, node_type: &'static str) -> Selector {
    Selector { anchor, node_type }
}

const fn text(
    name: &'static str,
    find: &'static str,
    new_content: &'static str,
    code: Code,
) -> Kind {
    let edit = Edit::Text { find, new_content };
    kind(name, edit, code)
}

const fn kind(name: &'static str, edit: Edit, code: Code) -> Kind {
    Kind { name, edit, code }
}

pub(super) const KINDS: &[Kind] = &[
    text(
        "stray }",
        STATEMENT,
        "total += values.length; }",
        Code::BreaksSyntax,
    ),
    kind(
        "stray } in a function",
        Edit::Replace {
            selector: FUNCTION,
            new_content: "\
function target_of(values, least) {
  let total = 7;
  if (total > least) {
    total += values.length;
  }}
  return total;
}",
        },
        Code::BreaksSyntax,
    ),
    kind(
        "stray } inserted",
        Edit::Insert {
            selector: FUNCTION,
            position: "after",
            new_content: "function more(a) { return a; }}",
        },
        Code::BreaksSyntax,
    ),
    text(
        "missing }",
        "    total += values.length;\n  }\n",
        "    total += values.length;\n",
        Code::BreaksSyntax,
    ),
    kind(
        "missing } in a function",
        Edit::Replace {
            selector: FUNCTION,
            new_content: "\
function target_of(values, least) {
  let total = 7;
  if (total > least) {
    total += values.length;
  return total;
}",
        },
        Code::BreaksSyntax,
    ),
    text(
        "open {",
        STATEMENT,
        "if (total) { total += values.length;",
        Code::BreaksSyntax,
    ),
    text(
        "open (",
        STATEMENT,
        "total += (values.length;",
        Code::BreaksSyntax,
    ),
    text(
        "open string",
        STATEMENT,
        "total += \"values;",
        Code::BreaksSyntax,
    ),
    text(
        "open comment",
        STATEMENT,
        "total += values.length; /* counted",
        Code::BreaksSyntax,
    ),
    kind(
        "closes its function, opens one",
        Edit::Replace {
            selector: of("let total = 7654321;", "lexical_declaration"),
            new_content: "\
let total = 7654321;
  return total;
}

function other(values, least) {
  let total = 1;",
        },
        Code::ChangesSurroundings,
    ),
    kind(
        "closes its function, inserted",
        Edit::Insert {
            selector: of("total > least", "if_statement"),
            position: "after",
            new_content: "\
return total;
}

function other(values, least) {
  let total = 1;",
        },
        Code::ChangesSurroundings,
    ),
    kind(
        "captures the next statement",
        Edit::Insert {
            selector: of("total > least", "if_statement"),
            position: "after",
            new_content: "if (values.length > 7)",
        },
        Code::ChangesSurroundings,
    ),
    kind(
        "next to an expression",
        Edit::Insert {
            selector: MEMBER,
            position: "after",
            new_content: "function more(a) { return a; }",
        },
        Code::BreaksSyntax,
    ),
    kind(
        "needed part deleted",
        Edit::Delete { selector: MEMBER },
        Code::BreaksSyntax,
    ),
    text(
        "ambiguous text",
        "return total;",
        "return 1;",
        Code::AmbiguousTarget,
    ),
    kind(
        "ambiguous node",
        Edit::Replace {
            selector: of("return total;", "function_declaration"),
            new_content: "function f() {}",
        },
        Code::AmbiguousTarget,
    ),
    text(
        "missing text",
        "totl += values.length;",
        "total = 1;",
        Code::FindNotFound,
    ),
    kind(
        "missing anchor",
        Edit::Replace {
            selector: of("totl += values.length", "function_declaration"),
            new_content: "function f() {}",
        },
        Code::AnchorNotFound,
    ),
    kind(
        "unknown type",
        Edit::Replace {
            selector: of("total += values.length", "function_item"),
            new_content: "function f() {}",
        },
        Code::UnknownNodeType,
    ),
];

impl Kind {
    pub(super) fn tool(&self) -> &'static str {
        match self.edit {
            Edit::Text { .. } => "replace_text",
            Edit::Replace { .. } => "replace_node",
            Edit::Insert { .. } => "insert_node",
            Edit::Delete { .. } => "delete_node",
        }
    }

    /// Returns the arguments of the call for a file.
    pub(super) fn arguments(&self, path: &str) -> Value {
        match &self.edit {
            Edit::Text { find, new_content } => {
                json!({"file_path": path, "find": find, "new_content": new_content})
            }
            Edit::Replace {
                selector,
                new_content,
            } => json!({
                "file_path": path, "selector": selector.json(), "new_content": new_content,
            }),
            Edit::Insert {
                selector,
                position,
                new_content,
            } => json!({
                "file_path": path, "selector": selector.json(), "position": position,
                "new_content": new_content,
            }),
            Edit::Delete { selector } => json!({"file_path": path, "selector": selector.json()}),
        }
    }

    /// Returns the call as command-line arguments.
    pub(super) fn words<'a>(&'a self, path: &'a str) -> Vec<&'a str> {
        let with_content = |mut words: Vec<&'a str>, new_content: &'a str| {
            words.extend(["--content", new_content]);
            words
        };
        match &self.edit {
            Edit::Text { find, new_content } => {
                vec!["text", find, new_content, path]
            }
            Edit::Replace {
                selector,
                new_content,
            } => with_content(selector.words("replace", path), new_content),
            Edit::Insert {
                selector,
                position,
                new_content,
            } => {
                let mut words = selector.words("insert", path);
                words.extend(["--position", position]);
                with_content(words, new_content)
            }
            Edit::Delete { selector } => selector.words("delete", path),
        }
    }
}

impl Selector {
    fn json(&self) -> Value {
        json!({"anchor_text": self.anchor, "ancestor_node_type": self.node_type})
    }

    fn words<'a>(&'a self, verb: &'a str, path: &'a str) -> Vec<&'a str> {
        vec![
            verb,
            path,
            "--anchor",
            self.anchor,
            "--ancestor",
            self.node_type,
        ]
    }
}
