//! The rules of `tests/rules`, each on the samples next to it: matches, fixes, and a second run. `cargo xtask rules
//! tests/rules` compares them with ast-grep's own program.

#![expect(clippy::disallowed_methods, reason = "tests read and create files")]

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, repository, steady};

/// The samples. Each is named after its rule file.
const SAMPLES: &[&str] = &[
    "await-in-loop.ts",
    "class-name.tsx",
    "comprehension.py",
    "constant-equals.java",
    "debug-print.py",
    "errorf.go",
    "event-name.js",
    "event-name.page.html",
    "guard.tabs.ts",
    "guard.ts",
    "null-check.c",
    "sum-of-products.py",
    "two-strings.rs",
];

fn names() -> Vec<String> {
    let folder = repository().join("tests/rules");
    let entries = fs::read_dir(folder).expect("the folder exists");
    let names = entries.map(|entry| entry.expect("it is readable").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("names are UTF-8"))
        .collect();
    names.sort();
    names
}

fn text_of(name: &str) -> String {
    let path = repository().join("tests/rules").join(name);
    fs::read_to_string(path).expect("it is readable")
}

#[test]
fn rules_match_and_fix_their_samples() {
    let names = names();
    let rules = names.iter().filter(|name| name.ends_with(".yml"));
    let mut samples = Vec::new();
    for rule in rules {
        let prefix = rule
            .strip_suffix("yml")
            .expect("a rule file has this extension");
        let own = names
            .iter()
            .filter(|name| name.starts_with(prefix) && *name != rule);
        for sample in own {
            let bench = Bench::with(sample, text_of(sample));
            bench.write(rule, text_of(rule));
            let arguments = json!({"path": sample, "rule": {"path": rule}});
            let found = bench
                .call("find_nodes", arguments.clone())
                .expect("the rule is valid");
            let mut shown = found.text;
            if text_of(rule).contains("\nfix:") {
                let mut fixed = arguments;
                fixed["apply"] = json!(true);
                fixed["diff"] = json!("full");
                let made = bench
                    .call("rewrite", fixed.clone())
                    .expect("the fixes are valid");
                shown = format!("{shown}\n{}", made.text);
                let once = bench.read(sample);
                // Nested matches are left.
                if made.json["matches"]["nested"] == json!(0) {
                    let again = bench.call("rewrite", fixed).expect("it works");
                    assert_eq!(again.json["status"], "unchanged", "{sample}");
                    assert!(bench.read(sample) == once, "{sample}");
                }
            }
            let settings = crate::support::snapshots("rules");
            settings.bind(|| insta::assert_snapshot!(sample.as_str(), steady(&shown)));
            samples.push(sample.as_str());
        }
    }
    samples.sort();
    assert_eq!(samples, SAMPLES);
}

const CALLS: &str =
    "id: calls\nlanguage: python\nmessage: call of $F\nrule: {pattern: '$F(1)'}\nfix: $F(one)\n";

/// Returns a project with a configuration of ast-grep.
fn project() -> Bench {
    let bench = Bench::new();
    for folder in ["src", "rules/more", "utils", "bad", "other/x"] {
        fs::create_dir_all(bench.root().join(folder)).expect("the folder can be created");
    }
    bench.write("src/a.py", "f(1)\ng(2)\n");
    bench.write("src/b.py", "f(1)\n");
    for (name, text) in [
        (
            "sgconfig.yml",
            "ruleDirs: [rules]\nutilDirs: [utils]\ntestConfigs: [{testDir: x}]\n",
        ),
        ("rules/a.yml", CALLS),
        (
            "rules/more/b.yml",
            "id: two\nlanguage: python\nrule: {kind: call, has: {field: arguments, matches: with-two}}\n\
             ignores: [src/b.py]\n",
        ),
        (
            "rules/off.yml",
            "id: off\nlanguage: python\nseverity: off\nrule: {kind: integer}\n",
        ),
        (
            "utils/u.yml",
            "id: with-two\nlanguage: python\nrule: {has: {regex: '^2$'}}\n",
        ),
    ] {
        bench.write(name, text);
    }
    bench
}

fn matches(answer: &Value) -> Vec<String> {
    let matches = answer["matches"].as_array().expect("there is a list");
    let shown = matches.iter().map(|one| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let (path, id) = (text(&one["file_path"]), text(&one["rule"]["id"]));
        format!(
            "{path}:{} {id}: {}",
            one["line"],
            text(&one["rule"]["message"])
        )
    });
    shown.collect()
}

#[test]
fn the_rules_of_a_project_are_read() {
    let bench = project();
    let expected = [
        "src/a.py:1 calls: call of f",
        "src/a.py:2 two: ",
        "src/b.py:1 calls: call of f",
    ];
    for path in ["sgconfig.yml", "."] {
        let arguments = json!({"path": "src", "rule": {"path": path}});
        let found = bench.call("find_nodes", arguments).expect("they are valid");
        assert_eq!(matches(&found.json), expected);
    }
    let arguments =
        json!({"path": "src", "rule": {"path": "sgconfig.yml"}, "skip": [2], "apply": true});
    let made = bench.call("rewrite", arguments).expect("they are valid");
    assert_eq!(bench.read("src/a.py"), b"f(one)\ng(2)\n");
    assert_eq!(bench.read("src/b.py"), b"f(1)\n");
    let notes = made.json["notes"].to_string();
    assert!(
        notes.contains("the rules \\\"two\\\", \\\"off\\\" have no fix"),
        "{notes}"
    );
}

#[test]
fn a_rule_is_text_or_an_object_or_a_file() {
    let bench = project();
    let object = json!({"language": "python", "rule": {"pattern": "$F(1)"}});
    for rule in [
        json!("language: python\nrule:\n  pattern: $F(1)\n"),
        object.clone(),
        json!(object.to_string()),
        json!([object]),
        json!({"path": "rules/a.yml"}),
    ] {
        let arguments = json!({"path": "src", "rule": rule, "new_content": "g($F)"});
        let made = bench.call("rewrite", arguments).expect("it works");
        assert_eq!(made.json["matches"]["replaced"], 2);
        let again = json!({"edit_id": made.json["edit_id"]});
        bench.call("apply_edit", again.clone()).expect("it applies");
        assert_eq!(bench.read("src/b.py"), b"g(f)\n");
        bench.call("undo_edit", again).expect("it is undone");
    }
}

#[test]
fn refusals_name_the_file_the_rule_and_the_place() {
    let bench = project();
    bench.write(
        "bad/a.yml",
        "id: a\nlanguage: python\nrule: {all: [{kind: call}, {kinds: call}]}\n",
    );
    bench.write("bad/b.yml", "id: [\n");
    bench.write(
        "other/sgconfig.yml",
        "ruleDirs: [x]\nlanguageGlobs: {python: ['*.x']}\n",
    );
    bench.write("other/x/a.yml", CALLS);
    let refused = |tool: &str, mut arguments: Value| {
        arguments["path"] = json!("src");
        let refused = bench.call(tool, arguments).expect_err("it is refused");
        let error = refused.json()["error"].take();
        let text = |name: &str| error[name].as_str().unwrap_or_default().to_string();
        format!("{} {}", text("code"), text("message"))
    };
    let find = |rule: Value| refused("find_nodes", json!({"rule": rule}));
    insta::assert_snapshot!([
        find(json!({"path": "bad/a.yml"})),
        find(json!({"path": "bad"})),
        find(json!({"path": "bad/b.yml"})),
        find(json!({"path": "other"})),
        find(json!({"path": "missing.yml"})),
        find(json!({"path": "src"})),
        find(json!("")),
        find(json!("language: python\nrule: {kind: call, regx: a}\n")),
        find(json!({"language": "python", "rule": {"kind": "call"}, "fixes": ""})),
        find(json!(5)),
        refused("find_nodes", json!({"rule": {}, "pattern": "f()"})),
        refused("find_nodes", json!({"rule": {}, "node_type": "call"})),
        refused("rewrite", json!({"rule": {}, "pattern": "f()"})),
        refused("rewrite", json!({"new_content": ""})),
        refused("rewrite", json!({"pattern": "f()"})),
        refused("rewrite", json!({"rule": {"path": "rules/off.yml"}})),
        refused("rewrite", json!({"rule": {"path": "rules"}, "new_content": ""})),
        refused("rewrite", json!({"rule": {"path": "sgconfig.yml"}, "new_content": ""})),
        refused("rewrite", json!({"rule": {"path": "rules/a.yml"}, "new_content": "$G"})),
    ].join("\n"), @r#"
    invalid_pattern `bad/a.yml`, rule "a", `rule.all[1]`: unknown key `kinds`
    invalid_pattern `bad/a.yml`, rule "a", `rule.all[1]`: unknown key `kinds`
    invalid_pattern `bad/b.yml`: invalid YAML: unclosed bracket '[' at line 1, column 5
    invalid_arguments `other/sgconfig.yml`: treegraft does not support `languageGlobs`
    file_not_found `missing.yml` does not exist
    invalid_arguments `src` has no rule file: their names end in .yml or .yaml
    invalid_pattern the rule is invalid: there is no rule
    invalid_pattern `rule`: unknown key `regx`
    invalid_pattern the rule is invalid: unknown key `fixes`
    invalid_arguments rule must be the text of a rule, a rule as an object, or {path}
    invalid_arguments pass only one of text, regex, name, query, pattern and rule
    invalid_arguments a rule cannot be combined with node_type; put `kind` in the rule
    invalid_arguments a rewrite takes only one of pattern and rule
    invalid_arguments a rewrite needs a pattern or a rule
    invalid_arguments new_content is missing; only a rule can have a fix
    invalid_pattern the rule has no fix
    invalid_pattern `rules/more/b.yml`, rule "two": rule `with-two` is not defined
    invalid_arguments new_content can replace the matches of only one rule
    invalid_pattern new_content has `$G`, which the rule does not define
    "#);
}

#[test]
fn computed_lines_with_a_string_of_several_lines_are_refused() {
    let bench = Bench::new();
    let text = |string: &str| format!("def g():\n    old(\n        1,\n        {string},\n    )\n");
    let rule = json!({"language": "python", "rule": {"pattern": "old($$$ALL)"},
        "transform": {"NEW": {"replace": {"source": "$$$ALL", "replace": "1", "by": "2"}}}, "fix": "new($NEW)"});
    let rewrite = |string: &str| {
        bench.write("a.py", text(string));
        bench.call(
            "rewrite",
            json!({"path": "a.py", "rule": rule, "apply": true}),
        )
    };
    rewrite("'x'").expect("no line of it is text");
    assert_eq!(
        bench.read("a.py"),
        b"def g():\n    new(2,\n    'x',)\n",
        "the lines move"
    );
    let refused = rewrite("'''\n        x'''").expect_err("a line is text");
    assert_eq!(
        bench.read("a.py"),
        text("'''\n        x'''").as_bytes(),
        "nothing is written"
    );
    insta::assert_snapshot!(refused.text(), @r"
    refused: invalid_content
    match 1 (a.py:2): $NEW is computed from code with a string of several lines, whose indentation would change

    help: use a capture of the rule in its fix instead, or edit the match with replace_node; 1 of 1 match cannot be rewritten (1); skip_failing leaves them out
    ");
}
