//! Rules of ast-grep: patterns with conditions on nodes, variables that are computed from captures, and a fix.
//!
//! Input: rule files in YAML or JSON, and a [`Parsed`]. Output: each [`Match`](super::Match) with the index of its rule, and the
//! [`Template`] of each rule. Keys that ast-grep ignores are refused ([`RuleSet::read`]), and so is what treegraft does
//! not support.
//!
//! The matching is that of `ast-grep-config`. The pattern of the matched nodes is then compared as any other pattern: a
//! match has exactly its tokens.

mod check;
mod recursion;
mod trees;

use std::borrow::Cow;
use std::cell::Cell;

use ast_grep_config::{
    DeserializeEnv, GlobalRules, RuleConfig, RuleConfigError, RuleCoreError,
    SerializableGlobalRule, SerializableRuleConfig,
};
use ast_grep_core::meta_var::MetaVarEnv;
use ast_grep_core::{Doc, Matcher};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::language::{self, Language};
use crate::parse::Parsed;

use super::{Matches, Pattern, Template, UnknownPlaceholder};
use check::{Checked, Checker};
use trees::{Grammar, TreeSearch};

/// The maximum length of a rule file, in bytes.
const RULE_BYTES: usize = 200_000;
/// The maximum number of nested lists and mappings in a rule.
const RULE_DEPTH: usize = 64;
/// The maximum depth of a node whose captures are rewritten recursively. Each level doubles the work.
const REWRITTEN_DEPTH: usize = 60;
/// The maximum depth of a tree that a pattern with a repeated capture searches. The matcher compares two captures
/// recursively.
const COMPARED_DEPTH: usize = 500;
/// The maximum depth of a tree that is searched recursively.
const SEARCHED_DEPTH: usize = 200;
/// The stack of a recursive search, in bytes. Rules nest too, and each level of both takes about 2 KB in debug builds.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// The text of a rule file.
#[derive(Clone, Debug, Default)]
pub struct RuleFile {
    /// Its name, for refusals. Empty if the text is from no file.
    pub name: String,
    /// The text: one or more rules in YAML or JSON.
    pub text: String,
}

/// The rules of a search.
pub struct RuleSet {
    rules: Vec<Rule>,
}

/// A rule for one language.
pub struct Rule {
    config: RuleConfig<Grammar>,
    language: &'static Language,
    /// The patterns of the matched nodes, each with its code, if every match has one of them.
    patterns: Vec<(String, Pattern)>,
    /// What the rule captures and computes, as in a fix.
    variables: Vec<String>,
    fix: Option<String>,
    files: Option<GlobSet>,
    ignores: Option<GlobSet>,
    /// The maximum depth of a tree that it searches.
    depth: Option<usize>,
    is_recursive: bool,
    is_recursive_rewrite: bool,
}

/// Why a rule is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidRule {
    /// The reason.
    pub message: String,
    /// The place in the rule, such as `rule.all[0].has.pattern`. Empty if it is the whole rule.
    pub place: String,
    /// The id of the rule, if known.
    pub id: Option<String>,
    /// The name of the rule file. Empty if the text is from no file.
    pub file: String,
    /// What would be valid in that place.
    pub help: Option<String>,
}

impl InvalidRule {
    fn new(message: impl Into<String>, place: impl Into<String>) -> InvalidRule {
        InvalidRule {
            message: message.into(),
            place: place.into(),
            id: None,
            file: String::new(),
            help: None,
        }
    }
}

impl<'de> Deserialize<'de> for Grammar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Grammar, D::Error> {
        let name = String::deserialize(deserializer)?;
        let language = language_of_rule(&name);
        let language = language.ok_or_else(|| serde::de::Error::custom("unknown language"))?;
        Ok(Grammar {
            language,
            sign: None,
        })
    }
}

impl RuleSet {
    /// Reads rules, and the utility rules that they share.
    ///
    /// # Errors
    /// A text is not YAML or JSON, a rule has an unknown key or an invalid value, or uses what treegraft does not
    /// support.
    pub fn read(files: &[RuleFile], utils: &[RuleFile]) -> Result<RuleSet, InvalidRule> {
        let mut globals = Globals::default();
        for file in utils {
            for value in documents(file)? {
                globals
                    .add(value)
                    .map_err(|invalid| invalid.in_file(file))?;
            }
        }
        let (globals, checked) = globals.parsed()?;
        let mut rules = Vec::new();
        for file in files {
            for value in documents(file)? {
                let rule = Rule::read(value, &globals, &checked);
                rules.push(rule.map_err(|invalid| invalid.in_file(file))?);
            }
        }
        if rules.is_empty() {
            let file = files.first().cloned().unwrap_or_default();
            return Err(InvalidRule::new("there is no rule", "").in_file(&file));
        }
        Ok(RuleSet { rules })
    }

    /// Returns the rules, in the order of their files.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Returns at most the first `most` matches of each rule, including those in embedded trees, in text order.
    /// `path` is that of the file, as the globs of the rules name it.
    pub fn find<'p>(&self, parsed: &'p Parsed, path: &str, most: usize) -> Matches<'p> {
        let mut all = Matches::default();
        for (index, rule) in self.rules.iter().enumerate() {
            if !rule.is_off() && rule.applies_to(path) {
                let mut own = rule.find(parsed, most);
                own.found.iter_mut().for_each(|found| found.rule = index);
                all.cut |= own.cut;
                all.found.append(&mut own.found);
            }
        }
        all.sort(usize::MAX);
        all
    }
}

impl Rule {
    fn read(
        value: Value,
        globals: &GlobalRules,
        of_globals: &Checked,
    ) -> Result<Rule, InvalidRule> {
        let mut fields = fields_of(value)?;
        // Its values may have any form.
        fields.remove("metadata");
        let id = fields.get("id").and_then(Value::as_str).map(str::to_string);
        let read = || {
            let language = language_in(&fields)?;
            let mut checker = Checker::new(language);
            checker.config(&fields)?;
            let mut checked = checker.checked();
            let depth = checked.searched_depth(of_globals)?;
            let config: SerializableRuleConfig<Grammar> = deserialized(&fields)?;
            let config =
                RuleConfig::try_from(config, globals).map_err(|error| about_config(&error))?;
            Ok(Rule {
                language,
                patterns: std::mem::take(&mut checked.patterns),
                variables: checked.variables(of_globals),
                fix: checked.fix.take(),
                files: globs(&fields, "files")?,
                ignores: globs(&fields, "ignores")?,
                depth,
                is_recursive: depth == Some(SEARCHED_DEPTH),
                is_recursive_rewrite: checked.is_recursive_rewrite(),
                config,
            })
        };
        read().map_err(|invalid: InvalidRule| InvalidRule { id, ..invalid })
    }

    /// Returns the id; empty if the rule has none.
    pub fn id(&self) -> &str {
        &self.config.id
    }

    /// Returns the language that the rule names.
    pub fn language(&self) -> &'static Language {
        self.language
    }

    /// Returns whether its severity is `off`.
    pub fn is_off(&self) -> bool {
        matches!(self.config.severity, ast_grep_config::Severity::Off)
    }

    /// Returns whether the rule has a fix.
    pub fn has_fix(&self) -> bool {
        self.fix.is_some()
    }

    /// Returns whether the globs of the rule accept a path.
    pub fn applies_to(&self, path: &str) -> bool {
        let is_in = |globs: &Option<GlobSet>| globs.as_ref().map(|globs| globs.is_match(path));
        is_in(&self.ignores) != Some(true) && is_in(&self.files) != Some(false)
    }

    /// Returns whether trees of a language are searched.
    pub fn is_for(&self, language: &'static Language) -> bool {
        std::ptr::eq(language.of_rules(), self.language)
    }

    /// Returns the replacement of its matches: a text with its variables, or its fix. `None` if there is neither.
    ///
    /// # Errors
    /// The text has a variable that the rule does not define.
    pub fn template(&self, text: Option<&str>) -> Result<Option<Template>, UnknownPlaceholder> {
        let text = text.or(self.fix.as_deref());
        let pattern = match self.patterns.as_slice() {
            [(code, _)] => Some(code.as_str()),
            _ => None,
        };
        text.map(|text| Template::of_rule(text, pattern, &self.variables))
            .transpose()
    }

    /// Returns at most the first `most` matches in the file, including embedded trees of the language.
    pub fn find<'p>(&self, parsed: &'p Parsed, most: usize) -> Matches<'p> {
        if !self.is_recursive {
            return self.find_here(parsed, most);
        }
        let searched = std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
            let search = builder.spawn_scoped(scope, || self.find_here(parsed, most));
            search.ok().and_then(|search| search.join().ok())
        });
        searched.unwrap_or(Matches {
            found: Vec::new(),
            cut: true,
        })
    }

    fn find_here<'p>(&self, parsed: &'p Parsed, most: usize) -> Matches<'p> {
        let search = TreeSearch {
            grammar: Grammar {
                language: self.language,
                sign: None,
            },
            depth: self.depth,
            most,
        };
        let bounded = Bounded {
            rule: &self.config.matcher,
            depth: self.is_recursive_rewrite.then_some(REWRITTEN_DEPTH),
            cut: Cell::new(false),
        };
        let mut matches = Matches::default();
        for root in parsed.trees() {
            if self.is_for(root.language()) {
                matches.add(parsed, root, &bounded, &search, |found| {
                    self.config.get_message(found)
                });
            }
        }
        matches.cut |= bounded.cut.get();
        // A match has the tokens of its pattern, and no other ones.
        matches.found.retain_mut(|found| {
            let mut patterns = self.patterns.iter();
            let exact = patterns.find_map(|(_, pattern)| pattern.at(parsed, found.node));
            let is_match = exact.is_some() || self.patterns.is_empty();
            if let Some(exact) = exact {
                let is_own = |name: &String| exact.captures.iter().any(|(own, _)| own == name);
                found.captures.retain(|(name, _)| !is_own(name));
                found.captures.extend(exact.captures.iter().cloned());
                found.captures.sort();
                found.unnamed = exact.unnamed;
                found.tokens = exact.tokens;
            }
            is_match
        });
        matches.sort(most);
        matches
    }
}

/// Returns the language that a rule names.
fn language_of_rule(name: &str) -> Option<&'static Language> {
    let language = language::by_name(name).map(Language::of_rules)?;
    language.grammar().map(|_| language)
}

/// Reads the language of a rule.
fn language_in(fields: &Map<String, Value>) -> Result<&'static Language, InvalidRule> {
    let name = match fields.get("language") {
        Some(Value::String(name)) => name,
        Some(_) => return Err(InvalidRule::new("it is not a string", "language")),
        None => return Err(InvalidRule::new("`language` is missing", "")),
    };
    language_of_rule(name)
        .ok_or_else(|| InvalidRule::new(format!("unknown language {name:?}"), "language"))
}

/// Reads the configuration of ast-grep, `sgconfig.yml`.
///
/// # Errors
/// It is not a mapping in YAML.
pub fn configuration(text: &str) -> Result<Map<String, Value>, String> {
    let read = ast_grep_config::from_str::<Option<Map<String, Value>>>(text);
    read.map(Option::unwrap_or_default)
        .map_err(|error| format!("invalid YAML: {}", error.without_snippet()))
}

/// Returns a text in the `metadata` of the first rule in a text.
pub fn metadata(text: &str, key: &str) -> Option<String> {
    let file = RuleFile {
        name: String::new(),
        text: text.to_string(),
    };
    let all = documents(&file).ok()?;
    all.first()?["metadata"][key].as_str().map(str::to_string)
}

/// Reads the rules of a file.
fn documents(file: &RuleFile) -> Result<Vec<Value>, InvalidRule> {
    let bad = |message: String| InvalidRule::new(message, "").in_file(file);
    let text = file.text.trim_start_matches('\u{feff}');
    if text.len() > RULE_BYTES {
        return Err(bad(format!("a rule file has at most {RULE_BYTES} bytes")));
    }
    let is_json = text.trim_start().starts_with(['{', '[']);
    let json = is_json.then(|| serde_json::from_str::<Value>(text).ok());
    let read = match json.flatten() {
        Some(Value::Array(all)) => all,
        Some(one) => vec![one],
        None => ast_grep_config::from_multiple::<Value>(text).map_err(|error| {
            let error = error.without_snippet().to_string();
            bad(format!("invalid YAML: {error}"))
        })?,
    };
    let read: Vec<Value> = read.into_iter().filter(|one| !one.is_null()).collect();
    match read.iter().any(|one| depth(one) > RULE_DEPTH) {
        true => Err(bad(format!("it has more than {RULE_DEPTH} nested values"))),
        false => Ok(read),
    }
}

/// Returns the number of nested lists and mappings.
fn depth(value: &Value) -> usize {
    let mut open = vec![(value, 0)];
    let mut deepest = 0;
    while let Some((value, depth)) = open.pop() {
        deepest = deepest.max(depth);
        match value {
            Value::Array(all) => open.extend(all.iter().map(|one| (one, depth + 1))),
            Value::Object(all) => open.extend(all.values().map(|one| (one, depth + 1))),
            _ => {}
        }
    }
    deepest
}

fn fields_of(value: Value) -> Result<Map<String, Value>, InvalidRule> {
    match value {
        Value::Object(fields) => Ok(fields),
        _ => Err(InvalidRule::new("a rule must be a mapping of keys", "")),
    }
}

fn deserialized<T: DeserializeOwned>(fields: &Map<String, Value>) -> Result<T, InvalidRule> {
    serde_json::from_value(Value::Object(fields.clone()))
        .map_err(|error| InvalidRule::new(error.to_string(), ""))
}

/// Explains an error by its first cause.
fn cause(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let first = causes.last().unwrap_or(error).to_string();
    let mut first = first.trim_end_matches('.').to_string();
    if let Some(letter) = first.get_mut(..1) {
        letter.make_ascii_lowercase();
    }
    first
}

/// Explains what is wrong with a rule whose keys and values are valid.
fn about_config(error: &RuleConfigError) -> InvalidRule {
    match error {
        RuleConfigError::Core(core) => about_core(core),
        RuleConfigError::MissingPotentialKinds => InvalidRule {
            help: Some("add `kind`, or a pattern that is not only a placeholder".to_string()),
            ..InvalidRule::new("it matches nodes of any type", "rule")
        },
        RuleConfigError::UndefinedRewriter(id) => {
            InvalidRule::new(format!("the rewriter `{id}` is not defined"), "transform")
        }
        other => InvalidRule::new(cause(other), ""),
    }
}

fn about_core(error: &RuleCoreError) -> InvalidRule {
    match error {
        RuleCoreError::UndefinedMetaVar(name, place) => {
            InvalidRule::new(format!("`${name}` is not defined"), *place)
        }
        RuleCoreError::Transform(error) => InvalidRule::new(cause(error), "transform"),
        other => InvalidRule::new(cause(other), ""),
    }
}

/// Reads `files` or `ignores`.
fn globs(fields: &Map<String, Value>, key: &str) -> Result<Option<GlobSet>, InvalidRule> {
    let Some(Value::Array(all)) = fields.get(key) else {
        return Ok(None);
    };
    let mut set = GlobSetBuilder::new();
    for (index, glob) in all.iter().enumerate() {
        let text = glob.as_str().or(glob["glob"].as_str()).unwrap_or_default();
        let built: Result<Glob, globset::Error> = GlobBuilder::new(text)
            .case_insensitive(glob["caseInsensitive"] == true)
            .build();
        let bad =
            |error: globset::Error| InvalidRule::new(error.to_string(), format!("{key}[{index}]"));
        set.add(built.map_err(bad)?);
    }
    set.build()
        .map(Some)
        .map_err(|error| InvalidRule::new(error.to_string(), key))
}

impl InvalidRule {
    fn in_file(self, file: &RuleFile) -> InvalidRule {
        InvalidRule {
            file: file.name.clone(),
            ..self
        }
    }
}

/// Utility rules that several rules share.
#[derive(Default)]
struct Globals {
    rules: Vec<SerializableGlobalRule<Grammar>>,
    checked: Checked,
}

impl Globals {
    fn add(&mut self, value: Value) -> Result<(), InvalidRule> {
        let fields = fields_of(value)?;
        let id = fields.get("id").and_then(Value::as_str).map(str::to_string);
        let mut read = || {
            let mut checker = Checker::new(language_in(&fields)?);
            checker.global(&fields)?;
            self.checked.add(checker.checked());
            self.rules.push(deserialized(&fields)?);
            Ok(())
        };
        read().map_err(|invalid: InvalidRule| InvalidRule { id, ..invalid })
    }

    fn parsed(self) -> Result<(GlobalRules, Checked), InvalidRule> {
        self.checked.searched_depth(&Checked::default())?;
        let rules =
            DeserializeEnv::parse_global_utils(self.rules).map_err(|error| about_core(&error))?;
        Ok((rules, self.checked))
    }
}

/// A rule that is not applied to deep nodes if that may take too long.
struct Bounded<'r> {
    rule: &'r ast_grep_config::RuleCore,
    depth: Option<usize>,
    /// Whether a node was too deep.
    cut: Cell<bool>,
}

impl Matcher for Bounded<'_> {
    fn match_node_with_env<'tree, D: Doc>(
        &self,
        node: ast_grep_core::Node<'tree, D>,
        env: &mut Cow<MetaVarEnv<'tree, D>>,
    ) -> Option<ast_grep_core::Node<'tree, D>> {
        let most = self.depth.unwrap_or(usize::MAX);
        let kinds = || self.rule.potential_kinds();
        let may_match = || kinds().is_none_or(|kinds| kinds.contains(usize::from(node.kind_id())));
        if self.depth.is_some() && may_match() && is_node_deeper(&node, most) {
            self.cut.set(true);
            return None;
        }
        self.rule.match_node_with_env(node, env)
    }
}

fn is_node_deeper<D: Doc>(node: &ast_grep_core::Node<'_, D>, most: usize) -> bool {
    let mut open = vec![(node.clone(), 0)];
    while let Some((node, depth)) = open.pop() {
        if depth > most {
            return true;
        }
        open.extend(node.children().map(|child| (child, depth + 1)));
    }
    false
}

#[cfg(test)]
mod tests;
