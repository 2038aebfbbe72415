//! Rewrites like an earlier edit: the chosen pattern, the wider ones, and refusals.

use serde_json::{Value, json};

use crate::support::{Bench, steady};

const A: &str = "import log\n\n\ndef f(x):\n    if x == None:\n        log.warn('a', x)\n    return unicode(x)\n";
const B: &str = "def g(y):\n    if y.z == None:\n        log.warn(\n            'b',  # first\n            y,\n        )\n    \
                 other.warn(1)\n    return isinstance(y, unicode) or unicode(y, 'utf')\n";
const C: &str = "log.warn(1);\nunicode(x);\n";

fn bench() -> Bench {
    let bench = Bench::new();
    for (name, text) in [("a.py", A), ("b.py", B), ("c.js", C)] {
        bench.write(name, text);
    }
    bench
}

/// Makes an edit of `a.py`. Returns its id.
fn example(bench: &Bench, find: &str, new_content: &str, apply: bool) -> Value {
    let arguments =
        json!({"file_path": "a.py", "find": find, "new_content": new_content, "apply": apply});
    let made = bench.call("replace_text", arguments).expect("it works");
    made.json["edit_id"].clone()
}

fn like(edit_id: &Value) -> Value {
    json!({"like": edit_id})
}

#[test]
fn a_staged_edit_is_made_in_all_places() {
    let bench = bench();
    let edit_id = example(&bench, "unicode(x)", "str(x)", false);
    let made = bench
        .call("rewrite", like(&edit_id))
        .expect("it has a pattern");
    let text = made
        .text
        .replace(edit_id.as_str().expect("it is text"), "e000");
    insta::assert_snapshot!(steady(&text), @r#"
    the change of e000, generalized for python:
      - unicode($$$A)
      + str($$$A)
    would rewrite 2 of 2 matches in 2 files
    a.py: match 1 at line 7, +1 -1
    b.py: match 2 at line 8, +1 -1

    --- a/a.py
    +++ b/a.py
    @@ -4,4 +4,4 @@
     def f(x):
         if x == None:
             log.warn('a', x)
    -    return unicode(x)
    +    return str(x)

    --- a/b.py
    +++ b/b.py
    @@ -5,4 +5,4 @@
                 y,
             )
         other.warn(1)
    -    return isinstance(y, unicode) or unicode(y, 'utf')
    +    return isinstance(y, unicode) or str(y, 'utf')

    another pattern has 3 matches in 2 files:
      - unicode
      + str
      a.py:7: return unicode(x)
      b.py:8: return isinstance(y, unicode) or unicode(y, 'utf')
      b.py:8: return isinstance(y, unicode) or unicode(y, 'utf')
    preview it:
      rewrite {"path":["."],"pattern":"unicode","new_content":"str","language":"python","reading":"expression"}

    nothing is written yet; this writes it:
      apply_edit {"edit_id":"e000000000000"}
    "#);
    let own = &made.json["generalized"];
    assert_eq!(own["pattern"], "unicode($$$A)");
    assert_eq!(own["others"][0]["matches"], 3);
    let apply = json!({"edit_id": made.json["edit_id"]});
    bench.call("apply_edit", apply.clone()).expect("it applies");
    assert_eq!(
        bench.read("a.py"),
        A.replace("unicode(x)", "str(x)").as_bytes()
    );
    assert_eq!(
        bench.read("b.py"),
        B.replace("unicode(y, 'utf')", "str(y, 'utf')").as_bytes()
    );
    assert_eq!(bench.read("c.js"), C.as_bytes(), "it is another language");
    bench.call("undo_edit", apply).expect("it is undone");
    assert_eq!(bench.read("a.py"), A.as_bytes());
    assert_eq!(bench.read("b.py"), B.as_bytes());
}

#[test]
fn an_applied_edit_is_made_in_the_other_places() {
    let bench = bench();
    let edit_id = example(&bench, "log.warn", "log.warning", true);
    // A later edit of the same file changes nothing about the example.
    example(&bench, "import log", "import log, other", true);
    let made = bench
        .call("rewrite", like(&edit_id))
        .expect("it has a pattern");
    assert_eq!(made.json["generalized"]["pattern"], "log.warn");
    let apply = json!({"edit_id": made.json["edit_id"]});
    bench.call("apply_edit", apply).expect("it applies");
    let expected = B.replace("log.warn", "log.warning");
    assert_eq!(bench.read("b.py"), expected.as_bytes());
    let again = bench.call("rewrite", like(&edit_id));
    let again = again.expect("it works again");
    // The narrower pattern has no more matches, so the next one is used.
    assert_eq!(again.json["generalized"]["pattern"], "$A.warn");
}

#[test]
fn another_pattern_is_the_printed_call() {
    let bench = bench();
    let edit_id = example(&bench, "x == None", "x is None", false);
    let made = bench.call("rewrite", like(&edit_id)).expect("it works");
    let own = &made.json["generalized"];
    assert_eq!(own["pattern"], "$A == None", "{own}");
    let arguments = json!({"path": ".", "pattern": own["pattern"], "new_content": own["new_content"],
        "language": own["language"], "reading": own["reading"], "expect_matches": 2, "apply": true});
    bench.call("rewrite", arguments).expect("it is a call");
    assert_eq!(
        bench.read("b.py"),
        B.replace("y.z == None", "y.z is None").as_bytes()
    );
}

#[test]
fn members_and_types_are_read_as_such() {
    let bench = Bench::new();
    let a = "class A {\n  async f(x: X) {\n    return 1;\n  }\n}\n";
    let b = "class B extends A {\n  // g\n  async g() {\n    // nothing\n    h();\n\n    k();\n  }\n\n  async h() {}\n}\nlet x: X;\n";
    bench.write("a.ts", a);
    bench.write("b.ts", b);
    let edit = json!({"file_path": "a.ts", "find": "async f", "new_content": "f"});
    let made = bench.call("replace_text", edit).expect("it works");
    let made = bench
        .call("rewrite", like(&made.json["edit_id"]))
        .expect("it has a pattern");
    let own = &made.json["generalized"];
    assert_eq!(own["pattern"], "async $A($$$B) { $$$C }", "{own}");
    let apply = json!({"edit_id": made.json["edit_id"]});
    bench.call("apply_edit", apply).expect("it applies");
    assert_eq!(bench.read("a.ts"), a.replace("async ", "").as_bytes());
    assert_eq!(
        String::from_utf8_lossy(&bench.read("b.ts")),
        b.replace("async ", "")
    );
    let edit = json!({"file_path": "a.ts", "find": "x: <|>X<|>", "new_content": "Y"});
    let made = bench.call("replace_text", edit).expect("it works");
    let made = bench
        .call("rewrite", like(&made.json["edit_id"]))
        .expect("it has a pattern");
    let own = &made.json["generalized"];
    assert_eq!(
        (&own["pattern"], &made.json["matches"]["found"]),
        (&json!("X"), &json!(2)),
        "{own}"
    );
}

#[test]
fn what_cannot_be_generalized_is_refused() {
    let bench = bench();
    let edit_id = example(&bench, "import log", "import log\nimport b", false);
    let refused = |arguments: Value| {
        let refused = bench
            .call("rewrite", arguments)
            .expect_err("it is refused")
            .text();
        refused.replace(edit_id.as_str().expect("it is text"), "e000")
    };
    let with = |name: &str, value: Value| {
        let mut arguments = like(&edit_id);
        arguments[name] = value;
        refused(arguments)
    };
    let language =
        |name: &str| refused(json!({"pattern": "f()", "new_content": "", "language": name}));
    insta::assert_snapshot!([
        refused(like(&edit_id)),
        with("pattern", json!("f()")),
        with("new_content", json!("")),
        with("rule", json!({})),
        with("language", json!("python")),
        with("apply", json!(true)),
        refused(like(&json!("e123"))),
        language("pyton"),
        refused(json!({"rule": {}, "language": "python"})),
    ].join("\n"), @r#"
    refused: invalid_arguments
    the change of e000 has no pattern: it is not a change in one expression or statement

    help: pass a pattern and new_content instead

    refused: invalid_arguments
    like cannot be combined with pattern

    refused: invalid_arguments
    like cannot be combined with new_content

    refused: invalid_arguments
    like cannot be combined with rule

    refused: invalid_arguments
    like cannot be combined with language

    refused: invalid_arguments
    like is only previewed, since it selects a pattern

    help: call apply_edit with the edit_id of the preview

    refused: edit_not_found
    no staged edit has the id "e123"

    help: amend_edit replaces a pending edit, and old edits are removed; list_edits shows the others

    refused: invalid_arguments
    unknown language "pyton"

    help: run `treegraft languages` to list the languages

    refused: invalid_arguments
    language can only be combined with pattern
    "#);
}
