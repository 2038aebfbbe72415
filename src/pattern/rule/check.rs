//! Checks the keys and values of a rule, each with its place, and collects its variables and references.
//!
//! `ast-grep-config` ignores unknown keys in some places, and does not say where an invalid value is.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use crate::language::Language;

use super::super::Pattern;
use super::super::matching::What;
use super::super::reading::RulePattern;
use super::recursion::{Direction, Reference, Rewriting, check_rewriters, check_utils};
use super::trees::Grammar;
use super::{InvalidRule, cause};

const RULE: &[&str] = &[
    "pattern", "kind", "regex", "nthChild", "range", "inside", "has", "precedes", "follows", "all",
    "any", "not", "matches",
];
const RELATION: &[&str] = &["stopBy", "field"];
const CONFIG: &[&str] = &[
    "id",
    "language",
    "rule",
    "constraints",
    "utils",
    "transform",
    "fix",
    "rewriters",
    "message",
    "note",
    "severity",
    "labels",
    "files",
    "ignores",
    "url",
];
const GLOBAL: &[&str] = &[
    "id",
    "language",
    "rule",
    "constraints",
    "utils",
    "transform",
    "arguments",
];
/// Keys that are allowed in utility rules and have no effect there.
const OF_PEOPLE: &[&str] = &["message", "note", "severity", "url"];
const REWRITER: &[&str] = &[
    "id",
    "language",
    "rule",
    "constraints",
    "utils",
    "transform",
    "fix",
];
const TRANSFORMS: &[(&str, &[&str])] = &[
    ("substring", &["source", "startChar", "endChar"]),
    ("replace", &["source", "replace", "by"]),
    ("convert", &["source", "toCase", "separatedBy"]),
    ("rewrite", &["source", "rewriters", "joinBy"]),
];
const CASES: &[&str] = &[
    "lowerCase",
    "upperCase",
    "capitalize",
    "camelCase",
    "snakeCase",
    "kebabCase",
    "pascalCase",
];
const SEPARATORS: &[&str] = &["dash", "dot", "slash", "space", "underscore", "caseChange"];
/// The maximum length of a node type or selector, in bytes. It is parsed recursively.
const KIND_BYTES: usize = 1_000;
/// The maximum number in `nthChild`.
const NTH_MOST: u64 = 9_999;

type Fields = Map<String, Value>;
type Step<T = ()> = Result<T, InvalidRule>;

/// Facts about a rule.
#[derive(Default)]
pub(super) struct Checked {
    /// The patterns of the matched nodes, each with its code, if every match has one of them.
    pub(super) patterns: Vec<(String, Pattern)>,
    pub(super) fix: Option<String>,
    /// The named placeholders of all patterns, and whether each captures several nodes.
    captures: Vec<(String, bool)>,
    transformed: BTreeSet<String>,
    references: Vec<Reference>,
    rewritings: Vec<Rewriting>,
    /// Whether a search recurses into the depth of the tree.
    is_recursive: bool,
}

impl Checked {
    /// Returns the maximum depth of a searched tree, if there is one. Refuses unbounded recursion.
    pub(super) fn searched_depth(&self, globals: &Checked) -> Step<Option<usize>> {
        let references = self.references.iter().chain(&globals.references);
        check_utils(&references.collect::<Vec<_>>())?;
        check_rewriters(&self.rewritings)?;
        for (name, is_multi) in &self.captures {
            if self.captures.contains(&(name.clone(), !is_multi)) {
                let message = format!("`{name}` is both `${name}` and `$$${name}`");
                return Err(InvalidRule::new(message, "rule"));
            }
        }
        let mut names: Vec<&(String, bool)> = self.captures.iter().collect();
        let all = names.len();
        names.sort();
        names.dedup();
        let is_recursive = self.is_recursive || globals.is_recursive || !self.rewritings.is_empty();
        let repeats = names.len() < all;
        Ok(match (is_recursive, repeats) {
            (true, _) => Some(super::SEARCHED_DEPTH),
            (false, true) => Some(super::COMPARED_DEPTH),
            (false, false) => None,
        })
    }

    /// Returns the variables that a fix can have, as written in it, each once.
    pub(super) fn variables(&self, globals: &Checked) -> Vec<String> {
        let captures = self.captures.iter().chain(&globals.captures);
        let mut all: Vec<String> = captures
            .map(|(name, is_multi)| match is_multi {
                true => format!("$$${name}"),
                false => format!("${name}"),
            })
            .collect();
        all.extend(self.transformed.iter().map(|name| format!("${name}")));
        all.sort();
        all.dedup();
        all
    }

    pub(super) fn is_recursive_rewrite(&self) -> bool {
        self.rewritings.iter().any(|one| one.rewriter.is_some())
    }

    pub(super) fn add(&mut self, other: Checked) {
        self.captures.extend(other.captures);
        self.references.extend(other.references);
        self.is_recursive |= other.is_recursive;
    }
}

/// Where a rule object is.
#[derive(Clone)]
struct Place {
    path: String,
    /// From the node that the rule of a utility or rewriter matches.
    direction: Direction,
    /// The utility that is defined there.
    util: Option<String>,
    /// The rewriter that is defined there.
    rewriter: Option<String>,
}

impl Place {
    fn at(path: &str) -> Place {
        Place {
            path: path.to_string(),
            direction: Direction::Same,
            util: None,
            rewriter: None,
        }
    }

    fn key(&self, key: &str) -> Place {
        let path = match self.path.is_empty() {
            true => key.to_string(),
            false => format!("{}.{key}", self.path),
        };
        Place {
            path,
            ..self.clone()
        }
    }

    fn index(&self, index: usize) -> Place {
        Place {
            path: format!("{}[{index}]", self.path),
            ..self.clone()
        }
    }

    fn towards(&self, direction: Direction) -> Place {
        Place {
            direction: self.direction.then(direction),
            ..self.clone()
        }
    }

    fn bad<T>(&self, message: impl Into<String>) -> Step<T> {
        Err(InvalidRule::new(message, self.path.clone()))
    }
}

/// Reads the values of one rule.
pub(super) struct Checker {
    grammar: Grammar,
    checked: Checked,
}

impl Checker {
    pub(super) fn new(language: &'static Language) -> Checker {
        Checker {
            grammar: Grammar {
                language,
                sign: None,
            },
            checked: Checked::default(),
        }
    }

    pub(super) fn checked(self) -> Checked {
        self.checked
    }

    /// Checks a rule of a rule file.
    pub(super) fn config(&mut self, fields: &Fields) -> Step {
        let place = Place::at("");
        check_keys(fields, &place, &[CONFIG])?;
        self.core(fields, &place)?;
        for key in ["id", "message", "note", "severity", "url"] {
            if let Some(value) = fields.get(key) {
                string(value, &place.key(key))?;
            }
        }
        if let Some(severity) = fields.get("severity") {
            let known = ["hint", "info", "warning", "error", "off"];
            one_of(severity, &place.key("severity"), &known)?;
        }
        for key in ["files", "ignores"] {
            let at = place.key(key);
            for (index, glob) in each(fields.get(key), &at)? {
                if let Value::Object(glob) = glob {
                    check_keys(glob, &index, &[&["glob", "caseInsensitive"]])?;
                    required(glob, "glob", &index).and_then(|glob| string(glob, &index))?;
                } else {
                    string(glob, &index)?;
                }
            }
        }
        if let Some(labels) = fields.get("labels") {
            let at = place.key("labels");
            for (name, label) in object(labels, &at)? {
                let at = at.key(name);
                let label = object(label, &at)?;
                check_keys(label, &at, &[&["style", "message"]])?;
                let style = required(label, "style", &at)?;
                one_of(style, &at.key("style"), &["primary", "secondary"])?;
            }
        }
        if let Some(fix) = fields.get("fix") {
            self.checked.fix = Some(self.fix(fix, &place.key("fix"))?);
        }
        let patterns = patterns_of(&fields["rule"]).unwrap_or_default();
        let read = patterns.into_iter().map(|pattern| {
            let (code, selector) = code_of(pattern)?;
            let language = self.grammar.language;
            let own = RulePattern::new(code, selector, language).ok()?;
            let is_lone = matches!(own.part.what, What::Placeholder(_));
            let code = own.code.clone();
            (!is_lone).then(|| (code, Pattern::of_rule(own, language)))
        });
        self.checked.patterns = read.collect::<Option<Vec<_>>>().unwrap_or_default();
        Ok(())
    }

    /// Checks a utility rule that several rules share.
    pub(super) fn global(&mut self, fields: &Fields) -> Step {
        let mut place = Place::at("");
        check_keys(fields, &place, &[GLOBAL, OF_PEOPLE])?;
        let id = string(required(fields, "id", &place)?, &place.key("id"))?;
        place.util = Some(id.to_string());
        for (at, argument) in each(fields.get("arguments"), &place.key("arguments"))? {
            string(argument, &at)?;
        }
        self.checked.is_recursive = true;
        self.core(fields, &place)
    }

    /// Checks what rules, utility rules and rewriters have.
    fn core(&mut self, fields: &Fields, place: &Place) -> Step {
        self.rule(required(fields, "rule", place)?, &place.key("rule"))?;
        if let Some(constraints) = fields.get("constraints") {
            let at = place.key("constraints").towards(Direction::Other);
            for (name, rule) in object(constraints, &at)? {
                self.rule(rule, &at.key(name))?;
            }
        }
        if let Some(utils) = fields.get("utils") {
            self.checked.is_recursive = true;
            let at = place.key("utils");
            for (name, rule) in object(utils, &at)? {
                let own = Place {
                    util: Some(name.clone()),
                    direction: Direction::Same,
                    ..at.key(name)
                };
                self.rule(rule, &own)?;
            }
        }
        if let Some(transform) = fields.get("transform") {
            let at = place.key("transform");
            for (name, transform) in object(transform, &at)? {
                let at = at.key(name);
                if !is_variable(&format!("${name}")) {
                    return at.bad(
                        "the name of a variable has only A-Z, 0-9 and _, and starts with A-Z",
                    );
                }
                if place.rewriter.is_none() {
                    self.checked.transformed.insert(name.clone());
                }
                self.transform(transform, &at)?;
            }
        }
        let at = place.key("rewriters");
        for (at, rewriter) in each(fields.get("rewriters"), &at)? {
            let own = object(rewriter, &at)?;
            check_keys(own, &at, &[REWRITER])?;
            let id = string(required(own, "id", &at)?, &at.key("id"))?;
            if let Some(language) = own.get("language") {
                let at = at.key("language");
                let language = super::language_of_rule(string(language, &at)?);
                if !language.is_some_and(|one| std::ptr::eq(one, self.grammar.language)) {
                    return at.bad("it is not the language of the rule");
                }
            }
            let at = Place {
                rewriter: Some(id.to_string()),
                ..at
            };
            self.core(own, &at)?;
            self.fix(required(own, "fix", &at)?, &at.key("fix"))?;
        }
        Ok(())
    }

    /// Checks a rule object.
    fn rule(&mut self, value: &Value, place: &Place) -> Step {
        let fields = object(value, place)?;
        check_keys(fields, place, &[RULE])?;
        self.conditions(fields, place)
    }

    fn relation(&mut self, value: &Value, place: &Place) -> Step {
        let fields = object(value, place)?;
        check_keys(fields, place, &[RULE, RELATION])?;
        self.conditions(fields, place)?;
        if let Some(field) = fields.get("field") {
            let at = place.key("field");
            let name = string(field, &at)?;
            let is_known = ast_grep_core::Language::field_to_id(&self.grammar, name).is_some();
            if !is_known {
                return at.bad(format!(
                    "{} has no field {name:?}",
                    self.grammar.language.name
                ));
            }
        }
        match fields.get("stopBy") {
            Some(rule @ Value::Object(_)) => {
                self.checked.is_recursive = true;
                self.rule(rule, &place.key("stopBy").towards(Direction::Other))
            }
            Some(word) => one_of(word, &place.key("stopBy"), &["neighbor", "end"]),
            None => Ok(()),
        }
    }

    fn conditions(&mut self, fields: &Fields, place: &Place) -> Step {
        if !fields.keys().any(|key| RULE.contains(&key.as_str())) {
            return place.bad("it has no condition");
        }
        for (key, value) in fields {
            let at = place.key(key);
            match key.as_str() {
                "pattern" => self.pattern(value, &at)?,
                "kind" => {
                    let kind = string(value, &at)?;
                    let is_long = kind.len() > KIND_BYTES || has_long_number(kind);
                    if is_long {
                        return at.bad("it is too long, or contains a large number");
                    }
                    ast_grep_config::parse_selector(kind, self.grammar).map_err(|error| {
                        InvalidRule {
                            help: Some(format!(
                                "run `treegraft languages node-types {}` to list the types",
                                self.grammar.language.name
                            )),
                            ..InvalidRule::new(cause(&error), at.path.clone())
                        }
                    })?;
                }
                "regex" => self.regex(value, &at)?,
                "nthChild" => self.nth_child(value, &at)?,
                "range" => range(value, &at)?,
                "has" => self.relation(value, &at.towards(Direction::Down))?,
                "inside" => self.relation(value, &at.towards(Direction::Up))?,
                "precedes" | "follows" => {
                    let relation = object(value, &at)?;
                    if relation.contains_key("field") {
                        return at
                            .key("field")
                            .bad("`field` is valid only in `has` and `inside`");
                    }
                    self.relation(value, &at.towards(Direction::Other))?;
                }
                "all" | "any" => {
                    for (at, rule) in each(Some(value), &at)? {
                        self.rule(rule, &at)?;
                    }
                }
                "not" => self.rule(value, &at)?,
                "matches" => self.matches(value, &at)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn matches(&mut self, value: &Value, place: &Place) -> Step {
        let Value::Object(calls) = value else {
            self.refer(string(value, place)?, place);
            return Ok(());
        };
        for (name, arguments) in calls {
            let at = place.key(name).towards(Direction::Other);
            self.refer(name, &at);
            for (argument, rule) in object(arguments, &at)? {
                self.rule(rule, &at.key(argument))?;
            }
        }
        Ok(())
    }

    fn refer(&mut self, name: &str, place: &Place) {
        self.checked
            .references
            .extend(place.util.as_ref().map(|util| Reference {
                util: util.clone(),
                name: name.to_string(),
                direction: place.direction,
                place: place.path.clone(),
            }));
        // A utility may capture anything.
        self.rewriting(place, |one| one.may_grow = true);
    }

    /// Changes what is known of the rewriter of a place.
    fn rewriting(&mut self, place: &Place, change: impl FnOnce(&mut Rewriting)) {
        let Some(id) = &place.rewriter else {
            return;
        };
        let all = &mut self.checked.rewritings;
        let known = all.iter().position(|one| one.rewriter.as_ref() == Some(id));
        let index = known.unwrap_or_else(|| {
            all.push(Rewriting {
                rewriter: Some(id.clone()),
                ..Rewriting::default()
            });
            all.len() - 1
        });
        change(&mut all[index]);
    }

    fn pattern(&mut self, value: &Value, place: &Place) -> Step {
        let (code, selector) = match value {
            Value::Object(fields) => {
                check_keys(fields, place, &[&["context", "selector", "strictness"]])?;
                let context = required(fields, "context", place)?;
                if let Some(strictness) = fields.get("strictness") {
                    let known = ["cst", "smart", "ast", "relaxed", "signature", "template"];
                    one_of(strictness, &place.key("strictness"), &known)?;
                }
                let selector = fields.get("selector");
                let at = place.key("selector");
                let selector = selector.map(|one| string(one, &at)).transpose()?;
                (string(context, &place.key("context"))?, selector)
            }
            value => (string(value, place)?, None),
        };
        let code = code.trim();
        let language = self.grammar.language;
        let pattern = RulePattern::new(code, selector, language).map_err(|invalid| {
            let before = &code[..code.floor_char_boundary(invalid.offset)];
            let rest: String = code[before.len()..].chars().take(40).collect();
            let rest = rest.lines().next().unwrap_or_default().to_string();
            let language = language.name;
            let at = match before.is_empty() {
                true => String::new(),
                false => format!(" before {rest:?}"),
            };
            let message = format!(
                "the pattern is invalid for {language}: {}{at}",
                invalid.message
            );
            InvalidRule::new(message, place.path.clone())
        })?;
        let is_lone = matches!(pattern.part.what, What::Placeholder(_));
        let direction = match (place.direction, is_lone) {
            // Only a pattern that is a placeholder captures the whole node.
            (Direction::Same, false) => Direction::Down,
            (direction, _) => direction,
        };
        for index in pattern.part.placeholders() {
            let placeholder = &pattern.placeholders[index];
            let Some(name) = &placeholder.name else {
                continue;
            };
            // The variables of a rewriter are its own.
            if place.rewriter.is_none() {
                let capture = (name.clone(), placeholder.is_several());
                self.checked.captures.push(capture);
            }
            self.rewriting(place, |one| one.captures.push((name.clone(), direction)));
        }
        Ok(())
    }

    fn regex(&mut self, value: &Value, place: &Place) -> Step {
        Regex::new(string(value, place)?)
            .map(|_| ())
            .or_else(|error| {
                let error = error.to_string();
                let why = error.lines().last().unwrap_or_default();
                let why = why.strip_prefix("error: ").unwrap_or(why);
                place.bad(format!("the regular expression is invalid: {why}"))
            })
    }

    fn nth_child(&mut self, value: &Value, place: &Place) -> Step {
        let position = |value: &Value, at: &Place| match value {
            Value::Number(number) => match number.as_u64() {
                Some(number) if (1..=NTH_MOST).contains(&number) => Ok(()),
                _ => at.bad(format!("it is not a number from 1 to {NTH_MOST}")),
            },
            Value::String(text) if has_long_number(text) => at.bad("it contains a large number"),
            Value::String(text) => {
                static FORM: LazyLock<Regex> = LazyLock::new(|| {
                    Regex::new(r"^\s*[+-]?\s*(\d+|\d*\s*[nN]\s*([+-]\s*\d+)?)\s*$")
                        .expect("the expression is valid")
                });
                match FORM.is_match(text) {
                    true => Ok(()),
                    false => at.bad("it is neither a number nor of the form `2n+1`"),
                }
            }
            _ => at.bad("it is neither a number nor of the form `2n+1`"),
        };
        let Value::Object(fields) = value else {
            return position(value, place);
        };
        check_keys(fields, place, &[&["position", "ofRule", "reverse"]])?;
        position(required(fields, "position", place)?, &place.key("position"))?;
        if let Some(reverse) = fields.get("reverse").filter(|one| !one.is_boolean()) {
            return place
                .key("reverse")
                .bad(format!("{reverse} is not true or false"));
        }
        match fields.get("ofRule") {
            Some(rule) => self.rule(rule, &place.key("ofRule").towards(Direction::Other)),
            None => Ok(()),
        }
    }

    fn transform(&mut self, value: &Value, place: &Place) -> Step {
        if let Value::String(text) = value {
            return self.short_transform(text, place);
        }
        let fields = object(value, place)?;
        let names: Vec<&str> = TRANSFORMS.iter().map(|(name, _)| *name).collect();
        check_keys(fields, place, &[&names])?;
        let Some(((name, transform), 1)) = fields.iter().next().zip(Some(fields.len())) else {
            return place.bad(format!("it needs exactly one of {}", names.join(", ")));
        };
        let at = place.key(name);
        let own = object(transform, &at)?;
        let known = TRANSFORMS.iter().find(|(one, _)| one == name);
        check_keys(own, &at, &[known.map_or(&[], |(_, keys)| *keys)])?;
        let source = string(required(own, "source", &at)?, &at.key("source"))?;
        self.source(source, &at.key("source"))?;
        match name.as_str() {
            "substring" => {
                for key in ["startChar", "endChar"] {
                    if let Some(number) = own.get(key)
                        && number
                            .as_i64()
                            .and_then(|one| i32::try_from(one).ok())
                            .is_none()
                    {
                        return at
                            .key(key)
                            .bad(format!("{number} is not a number of characters"));
                    }
                }
            }
            "replace" => {
                self.regex(required(own, "replace", &at)?, &at.key("replace"))?;
                string(required(own, "by", &at)?, &at.key("by"))?;
            }
            "convert" => {
                one_of(required(own, "toCase", &at)?, &at.key("toCase"), CASES)?;
                for (at, one) in each(own.get("separatedBy"), &at.key("separatedBy"))? {
                    one_of(one, &at, SEPARATORS)?;
                }
            }
            _ => {
                let mut rewriters = Vec::new();
                let list = required(own, "rewriters", &at)?;
                for (at, one) in each(Some(list), &at.key("rewriters"))? {
                    rewriters.push(string(one, &at)?.to_string());
                }
                if let Some(join) = own.get("joinBy") {
                    string(join, &at.key("joinBy"))?;
                }
                self.rewrites(source, rewriters, place);
            }
        }
        Ok(())
    }

    /// Checks a transform in one line: `replace($A, replace='a', by='b')`.
    fn short_transform(&mut self, text: &str, place: &Place) -> Step {
        static FORM: LazyLock<Regex> = LazyLock::new(|| {
            let value = r#"(?:'[^']*'|"[^"]*"|\[[^\]]*\]|[^\s,'"\[\]()][^,()]*)"#;
            let form = format!(
                r"^\s*(?<name>\w+)\s*\(\s*(?<source>[^,\s]+)\s*,\s*(?<arguments>\w+\s*=\s*{value}\s*(?:,\s*\w+\s*=\s*{value}\s*)*)\)\s*$"
            );
            Regex::new(&form).expect("the expression is valid")
        });
        let Some(parts) = FORM.captures(text) else {
            return place.bad("it is not of the form `replace($A, replace='a', by='b')`");
        };
        if !TRANSFORMS.iter().any(|(name, _)| *name == &parts["name"]) {
            return place.bad(format!("unknown transform {:?}", &parts["name"]));
        }
        self.source(&parts["source"], place)?;
        let parsed: Result<ast_grep_config::Transformation, _> =
            serde_json::from_value(Value::String(text.to_string()));
        let transform = parsed.map_err(|error| error.to_string());
        let transform =
            transform.and_then(|one| one.parse(&self.grammar).map_err(|error| cause(&error)));
        match transform {
            Err(message) => place.bad(message),
            Ok(transform) => {
                let rewriters = transform.used_rewriters();
                if !rewriters.is_empty() {
                    self.rewrites(&parts["source"], rewriters.to_vec(), place);
                }
                Ok(())
            }
        }
    }

    fn source(&self, source: &str, place: &Place) -> Step {
        match is_variable(source) {
            true => Ok(()),
            false => place.bad(format!("{source:?} is not a named variable such as `$A`")),
        }
    }

    fn rewrites(&mut self, source: &str, rewriters: Vec<String>, place: &Place) {
        let source = source.trim_start_matches('$').to_string();
        let path = place.path.clone();
        match place.rewriter {
            None => self.checked.rewritings.push(Rewriting {
                uses: vec![(source, rewriters, path)],
                ..Rewriting::default()
            }),
            Some(_) => self.rewriting(place, |one| one.uses.push((source, rewriters, path))),
        }
    }

    /// Returns the text of a fix.
    fn fix(&mut self, value: &Value, place: &Place) -> Step<String> {
        match value {
            Value::String(text) => Ok(text.clone()),
            Value::Array(_) => place.bad("treegraft does not support a list of fixes"),
            value => {
                let fields = object(value, place)?;
                check_keys(
                    fields,
                    place,
                    &[&["template", "expandStart", "expandEnd", "title"]],
                )?;
                for key in ["expandStart", "expandEnd"] {
                    if fields.contains_key(key) {
                        return place
                            .key(key)
                            .bad(format!("treegraft does not support `{key}`"));
                    }
                }
                let template = required(fields, "template", place)?;
                string(template, &place.key("template")).map(str::to_string)
            }
        }
    }
}

/// Returns the patterns of which each node that a rule matches has one, if that is so.
fn patterns_of(rule: &Value) -> Option<Vec<&Value>> {
    let all = |key: &str| rule[key].as_array().into_iter().flatten();
    let of_any = || {
        let any: Option<Vec<Vec<&Value>>> = all("any").map(patterns_of).collect();
        any.map(|any| any.concat()).filter(|any| !any.is_empty())
    };
    let own = rule.get("pattern").map(|pattern| vec![pattern]);
    own.or_else(|| all("all").find_map(patterns_of))
        .or_else(of_any)
}

/// Returns the code of a pattern and its selector, if it is compared as a whole.
fn code_of(pattern: &Value) -> Option<(&str, Option<&str>)> {
    let is_whole = pattern.get("strictness").is_none_or(|one| one == "smart");
    let code = pattern.as_str().or(pattern["context"].as_str())?;
    is_whole.then(|| (code, pattern["selector"].as_str()))
}

/// Returns whether a text is a variable that captures: `$A`, `$$$ALL`.
fn is_variable(text: &str) -> bool {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\$(?:\$\$)?[A-Z][A-Z0-9_]*$").expect("the expression is valid")
    });
    FORM.is_match(text)
}

/// Returns whether a text has a number of more than four digits.
fn has_long_number(text: &str) -> bool {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    runs.into_iter().any(|run| run.len() > 4)
}

fn range(value: &Value, place: &Place) -> Step {
    let fields = object(value, place)?;
    check_keys(fields, place, &[&["start", "end"]])?;
    for key in ["start", "end"] {
        let at = place.key(key);
        let position = object(required(fields, key, place)?, &at)?;
        check_keys(position, &at, &[&["line", "column"]])?;
        required(position, "line", &at)?;
        if let Some((key, _)) = position.iter().find(|(_, number)| !number.is_u64()) {
            return at.key(key).bad("it is not a number from 0");
        }
    }
    Ok(())
}

fn check_keys(fields: &Fields, place: &Place, known: &[&[&str]]) -> Step {
    for (key, value) in fields {
        let known: Vec<&str> = known.iter().flat_map(|keys| keys.iter().copied()).collect();
        if !known.contains(&key.as_str()) {
            let near = known
                .iter()
                .map(|one| (strsim::jaro_winkler(one, key), *one))
                .filter(|(likeness, _)| *likeness > 0.8)
                .max_by(|one, other| one.0.total_cmp(&other.0));
            let help = match near {
                Some((_, near)) => format!("a key with a similar name exists: `{near}`"),
                None => format!("the keys are {}", known.join(", ")),
            };
            return Err(InvalidRule {
                help: Some(help),
                ..InvalidRule::new(format!("unknown key `{key}`"), place.path.clone())
            });
        }
        if value.is_null() {
            return place.key(key).bad("it has no value");
        }
    }
    Ok(())
}

fn required<'v>(fields: &'v Fields, key: &str, place: &Place) -> Step<&'v Value> {
    match fields.get(key) {
        Some(value) => Ok(value),
        None => place.bad(format!("`{key}` is missing")),
    }
}

fn string<'v>(value: &'v Value, place: &Place) -> Step<&'v str> {
    match value.as_str() {
        Some(text) => Ok(text),
        None => place.bad("it is not a string"),
    }
}

fn one_of(value: &Value, place: &Place, known: &[&str]) -> Step {
    match value.as_str() {
        Some(text) if known.contains(&text) => Ok(()),
        _ => place.bad(format!("{value} is not one of {}", known.join(", "))),
    }
}

fn object<'v>(value: &'v Value, place: &Place) -> Step<&'v Fields> {
    match value.as_object() {
        Some(fields) => Ok(fields),
        None => place.bad("it is not a mapping of keys"),
    }
}

/// Returns the values of a list, each with its place.
fn each<'v>(value: Option<&'v Value>, place: &Place) -> Step<Vec<(Place, &'v Value)>> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(all)) => Ok((0..).map(|at| place.index(at)).zip(all).collect()),
        Some(_) => place.bad("it is not a list"),
    }
}
