//! Replays the hunks of repositories as calls, compares the results with the commits, and reports
//! the outcomes.

#![expect(
    clippy::disallowed_methods,
    reason = "a separate program that writes files to a temporary directory for calls with several edits"
)]

pub(crate) mod baseline;
pub(crate) mod calls;
pub(crate) mod content;
pub(crate) mod history;
pub(crate) mod meaning;
pub(crate) mod pointing;
mod report;
pub(crate) mod text;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use similar::TextDiff;
use treegraft::edit::{self, Operation};
use treegraft::engine::Engine;
use treegraft::language;
use treegraft::locate::Scope;
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, Selector};
use treegraft::source::Source;

use calls::{Call, Outcome, Target};
use content::{Written, at_column_zero, contents, inserted};
use history::{History, Hunk, Revision};
use meaning::{HunkOperation, interpret, is_attached, skipped_at_once, trimmed};
use pointing::{Way, written};
use report::{Costs, Kind, Replayed, WAYS};

pub(crate) use report::Report;

/// The maximum number of characters that are shown of a call or a text.
const SHOWN: usize = 1_500;

/// The options of `cargo xtask replay`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Git repositories, bare or with a work tree
    #[arg(required = true, value_name = "PATH_OF_REPOSITORY")]
    pub(crate) repositories: Vec<String>,
    /// Number of hunks to take from each repository
    #[arg(long, value_name = "N", default_value_t = 450)]
    pub(crate) hunks: usize,
    /// Print the first N missed hunks of each cause
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) show: usize,
}

/// Replays the repositories. Calls `report_progress` after each one.
///
/// # Errors
/// Returns an error if git fails for a repository.
pub(crate) fn replay(
    options: &Options,
    report_progress: impl Fn(String),
) -> Result<Report, String> {
    let mut report = Report::showing(options.show);
    let mut strings: HashMap<&'static str, HashSet<String>> = HashMap::new();
    for path in &options.repositories {
        let mut history = History::of(path)?;
        report.repositories.push(Replayed {
            name: name_of(path),
            head: history.head.clone(),
            commits: history.commits,
            hunks: 0,
            converted: 0,
        });
        history.each_revision(options.hunks, |revision| {
            let own = language::of(&revision.path, &revision.before);
            let strings = strings
                .entry(own.name)
                .or_insert_with(|| string_types(own.name));
            replay_revision(&revision, strings, &mut report);
            Ok(())
        })?;
        if let Some(one) = report.repositories.last() {
            report_progress(format!(
                "{}: {} of {} hunks",
                one.name, one.converted, one.hunks
            ));
        }
    }
    Ok(report)
}

/// Returns the name of the repository at a path: `owner/name`.
pub(crate) fn name_of(path: &str) -> String {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
    let own = names
        .iter()
        .rev()
        .find(|name| **name != "repo" && **name != ".git");
    own.map_or(path.to_string(), |name| name.replace('+', "/"))
}

/// Returns the node types of a language whose lines must not be indented: its strings.
pub(crate) fn string_types(language: &str) -> HashSet<String> {
    let listed = Engine::node_types(language).map(|listed| listed.node_types);
    let types = listed.unwrap_or_default().into_iter();
    let is_string = |words: &[String]| words.iter().any(|word| word == "string");
    // The position of a YAML block or plain scalar determines its indentation. Concatenated strings
    // are code.
    types
        .filter(|one| {
            !["block", "concatenated", "scalar"]
                .iter()
                .any(|word| one.node_type.contains(word))
        })
        .filter(|one| {
            is_string(&one.general_words)
                || ["string", "CDSect"]
                    .iter()
                    .any(|word| one.node_type.contains(word))
        })
        .map(|one| one.node_type)
        .collect()
}

pub(crate) fn parse(path: &str, text: &str) -> Parsed {
    Parsed::parse(Source::new(
        path,
        language::of(path, text),
        text.to_string(),
    ))
}

fn replay_revision(revision: &Revision, strings: &HashSet<String>, report: &mut Report) {
    let before = parse(&revision.path, &revision.before);
    for hunk in &revision.hunks {
        if let Some(one) = report.repositories.last_mut() {
            one.hunks += 1;
        }
        let skip = match skipped_at_once(&revision.before, hunk) {
            Some(skip) => skip,
            None if before.source().language().grammar().is_none() => meaning::Skip::NoLanguage,
            None => match replay_hunk(revision, &before, hunk, strings, report) {
                Ok(()) => continue,
                Err(skip) => skip,
            },
        };
        *report.skipped.entry(skip).or_default() += 1;
    }
}

/// One hunk and the data needed to express it as calls.
struct Replay<'p, 'r> {
    revision: &'r Revision,
    before: &'p Parsed,
    wanted: &'p Parsed,
    hunk: &'r Hunk,
    strings: &'r HashSet<String>,
    report: &'r mut Report,
    costs: Costs,
}

fn replay_hunk(
    revision: &Revision,
    before: &Parsed,
    hunk: &Hunk,
    strings: &HashSet<String>,
    report: &mut Report,
) -> Result<(), meaning::Skip> {
    let old = &revision.before;
    let (front, back) = (&old[..hunk.old.start], &old[hunk.old.end..]);
    let wanted = parse(&revision.path, &format!("{front}{}{back}", hunk.new));
    let meaning = interpret(before, &wanted, hunk)?;
    let mut replay = Replay {
        revision,
        before,
        wanted: &wanted,
        hunk,
        strings,
        report,
        costs: Costs::default(),
    };
    let kind = replay.run(&meaning.best, true)?;
    for other in &meaning.others {
        // Other operations may not apply to the hunk.
        let _ = replay.run(other, false);
    }
    replay.count_costs();
    *report.converted.entry(kind).or_default() += 1;
    if let Some(one) = report.repositories.last_mut() {
        one.converted += 1;
    }
    Ok(())
}

impl<'p> Replay<'p, '_> {
    /// Runs an operation in every way.
    fn run(&mut self, operation: &HunkOperation<'p>, is_best: bool) -> Result<Kind, meaning::Skip> {
        match operation {
            HunkOperation::Replace {
                chain,
                new,
                include_attached,
            } => {
                let kind = if is_best {
                    Kind::Replace
                } else {
                    Kind::ReplaceAround
                };
                let contents = contents(self.wanted, *new, self.strings);
                let flag = [("include_attached", json!(true))];
                let flags = if *include_attached { &flag[..] } else { &[] };
                self.run_node(kind, "replace_node", chain, &contents, flags)
            }
            HunkOperation::Insert {
                chain,
                position,
                new,
            } => {
                let contents = inserted(self.wanted, *new, self.strings);
                let flags = [("position", json!(calls::position_name(*position)))];
                self.run_node(Kind::Insert, "insert_node", chain, &contents, &flags)
            }
            HunkOperation::Delete { chains } => self.run_deletion(chains),
            HunkOperation::Text => self.run_text(),
        }
    }

    fn run_node(
        &mut self,
        kind: Kind,
        tool: &'static str,
        chain: &[Node<'p>],
        contents: &[(Written, String)],
        flags: &[(&str, Value)],
    ) -> Result<Kind, meaning::Skip> {
        let selectors = self.selectors(chain);
        if selectors.is_empty() {
            return Err(meaning::Skip::NoNode);
        }
        let target = Target::Nodes(vec![chain[chain.len() - 1]]);
        for (way, selector) in &selectors {
            for (written_as, content) in contents {
                let mut further = flags.to_vec();
                if tool != "delete_node" {
                    further.push(("new_content", json!(content)));
                }
                if *written_as == Written::Verbatim {
                    further.push(("indent", json!("verbatim")));
                }
                let forms = written(selector);
                let calls = forms
                    .iter()
                    .map(|form| calls::of_node(tool, &self.revision.path, form, &further));
                let calls: Vec<Call> = calls.collect();
                let key = (kind, *way, *written_as);
                if self.run_call(key, &calls, &target) == Outcome::Exact {
                    for (index, call) in calls.iter().enumerate() {
                        let bytes = calls::bytes(&call.arguments);
                        if index == 0 && written_as.is_plain() {
                            self.cost(&[4, 8], bytes);
                        }
                        self.cost(&[5, 9], bytes);
                    }
                }
            }
        }
        Ok(kind)
    }

    fn cost(&mut self, ways: &[usize], bytes: usize) {
        for way in ways {
            let own = &mut self.costs.bytes[*way];
            *own = Some(own.map_or(bytes, |least| least.min(bytes)));
        }
    }

    fn selectors(&mut self, chain: &[Node<'p>]) -> Vec<(Way, Selector)> {
        let selectors = pointing::selectors(self.before, chain, &mut self.report.tries);
        for way in [Way::Described, Way::Words] {
            if !selectors.iter().any(|(own, _)| *own == way) {
                *self.report.unnamed.entry(way).or_default() += 1;
            }
        }
        selectors
    }

    /// Runs a call in the last of its equivalent forms.
    fn run_call(
        &mut self,
        key: (Kind, Way, Written),
        calls: &[Call],
        target: &Target<'_>,
    ) -> Outcome {
        let wanted = self.wanted.source().text();
        let Some(call) = calls.last() else {
            return Outcome::Refused("invalid_arguments");
        };
        let ran = calls::run(self.before, wanted, call, target);
        let language = self.before.source().language().name;
        let Revision { commit, path, .. } = self.revision;
        let repository = self.report.repositories.last().map(|one| one.name.clone());
        let repository = repository.unwrap_or_default();
        let old = self.before.source().text();
        self.report.add(key, language, ran.outcome, || {
            let (_, way, written_as) = key;
            let arguments: String = call.arguments.to_string().chars().take(SHOWN).collect();
            let got = match ran.after.is_empty() {
                true => String::new(),
                false => format!(
                    "expected (-) and actual (+):\n{}",
                    difference(wanted, &ran.after)
                ),
            };
            format!(
                "---- {repository} {commit} {path} ({}, {})\n{} {arguments}\nthe commit:\n{}{got}",
                way.name(),
                written_as.name(),
                call.tool,
                difference(old, wanted),
            )
        });
        ran.outcome
    }

    /// Replaces the changed text, with every form of search text.
    fn run_text(&mut self) -> Result<Kind, meaning::Skip> {
        let wanted = self.wanted.source().text();
        let edits = text::text_edits(self.before, wanted, self.hunk);
        if edits.is_empty() {
            return Err(meaning::Skip::NoFind);
        }
        for edit in edits {
            let mut contents = vec![(Written::AsInFile, edit.new_content.clone())];
            contents.extend(at_column_zero(
                self.wanted,
                edit.start,
                &edit.new_content,
                self.strings,
            ));
            let old = self.before.source().text();
            contents.extend(
                edit.verbatim(old)
                    .map(|content| (Written::Verbatim, content)),
            );
            for (written_as, content) in contents {
                let call = |scope: Option<Value>| {
                    let mut arguments = json!({"file_path": self.revision.path});
                    if let Some(scope) = scope {
                        arguments["scope"] = scope;
                    }
                    arguments["find"] = json!(edit.find);
                    arguments["new_content"] = json!(content);
                    if written_as == Written::Verbatim {
                        arguments["indent"] = json!("verbatim");
                    }
                    Call {
                        tool: "replace_text",
                        arguments,
                    }
                };
                let calls: Vec<Call> = match &edit.scope {
                    Some(scope) => {
                        let Scope::Symbol(symbol) = scope else {
                            continue;
                        };
                        let object = json!({"symbol_path": symbol.symbol_path});
                        let string = json!(scope.to_string());
                        vec![call(Some(object)), call(Some(string))]
                    }
                    None => vec![call(None)],
                };
                let key = (Kind::ReplaceText, edit.way, written_as);
                let target = Target::Text(edit.target);
                if self.run_call(key, &calls, &target) != Outcome::Exact {
                    continue;
                }
                let is_plain = written_as.is_plain() && !edit.is_short;
                for (index, call) in calls.iter().enumerate() {
                    let bytes = calls::bytes(&call.arguments);
                    if index == 0 && is_plain {
                        let way = if edit.scope.is_some() { 7 } else { 6 };
                        self.cost(&[way, 8], bytes);
                    }
                    self.cost(&[9], bytes);
                }
            }
        }
        self.run_texts();
        Ok(Kind::ReplaceText)
    }

    /// Replaces each changed place with its own edit, in one call.
    fn run_texts(&mut self) {
        for (way, allows_one_space) in [(Way::LeastText, false), (Way::OneBlank, true)] {
            let wanted = self.wanted.source().text();
            let Some(edits) = text::several_edits(self.before, wanted, allows_one_space) else {
                return;
            };
            if allows_one_space && !edits.iter().any(|edit| edit.is_short) {
                return;
            }
            let own = edits
                .iter()
                .map(|edit| json!({"find": edit.find, "new_content": edit.new_content}));
            let own: Vec<Value> = own.collect();
            let call = Call {
                tool: "edit_nodes",
                arguments: json!({"file_path": self.revision.path, "edits": own}),
            };
            let bytes = calls::bytes(&call.arguments);
            let key = (Kind::ReplaceTexts, way, Written::AsInFile);
            let target = Target::Text(edits[0].target);
            if self.run_call(key, &[call], &target) == Outcome::Exact {
                let ways: &[usize] = if allows_one_space { &[9] } else { &[8, 9] };
                self.cost(ways, bytes);
            }
        }
    }

    /// Deletes nodes. Nodes that are deleted with another node are not named.
    fn run_deletion(&mut self, chains: &[Vec<Node<'p>>]) -> Result<Kind, meaning::Skip> {
        let mut left: Vec<&Vec<Node<'p>>> = chains.iter().collect();
        let mut named: Vec<&Vec<Node<'p>>> = Vec::new();
        loop {
            // Comments and attributes are deleted with their node.
            let has_owner = |chain: &&Vec<Node<'p>>| !is_attached(chain[chain.len() - 1]);
            let last = left
                .iter()
                .rposition(has_owner)
                .or(left.len().checked_sub(1));
            let Some(last) = last else {
                break;
            };
            let chain = left.remove(last);
            let selector = select::describe(self.before, chain).ok_or(meaning::Skip::NoNode)?;
            named.push(chain);
            let selection = select::select(self.before, &selector);
            let selection = selection.map_err(|_| meaning::Skip::NoNode)?;
            if let Ok(edited) = edit::edit(selection, &Operation::Delete) {
                let is_deleted = |node: Node<'_>| {
                    let span = trimmed(self.before, node);
                    let mut all = edited.text_edit().replacements().iter();
                    all.any(|one| one.span.contains(span))
                };
                left.retain(|chain| !is_deleted(chain[chain.len() - 1]));
            }
        }
        named.sort_by_key(|chain| chain[chain.len() - 1].span().start());
        let nothing = [(Written::AtColumnZero, String::new())];
        if let [chain] = named[..] {
            return self.run_node(Kind::Delete, "delete_node", chain, &nothing, &[]);
        }
        let selectors: Vec<Vec<(Way, Selector)>> =
            named.iter().map(|chain| self.selectors(chain)).collect();
        let targets = named.iter().map(|chain| chain[chain.len() - 1]).collect();
        let target = Target::Nodes(targets);
        for way in [Way::Described, Way::Words] {
            let of_way = |all: &Vec<(Way, Selector)>| {
                let own = all.iter().find(|(own, _)| *own == way)?;
                Some(written(&own.1))
            };
            let Some(forms) = selectors.iter().map(of_way).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let path = &self.revision.path;
            let call = |pick: fn(&Vec<Value>) -> Option<&Value>| {
                let edits = forms.iter().map(|forms| {
                    let selector = pick(forms).cloned().unwrap_or_default();
                    json!({"op": "delete", "selector": selector})
                });
                Call {
                    tool: "edit_nodes",
                    arguments: json!({"file_path": path, "edits": edits.collect::<Vec<_>>()}),
                }
            };
            let calls = [call(|forms| forms.first()), call(|forms| forms.last())];
            let key = (Kind::DeleteSeveral, way, Written::AtColumnZero);
            if self.run_call(key, &calls, &target) == Outcome::Exact {
                let [plain, short] = calls.each_ref().map(|call| calls::bytes(&call.arguments));
                self.cost(&[4, 8], plain);
                self.cost(&[5, 9], short);
            }
        }
        Ok(Kind::DeleteSeveral)
    }

    /// Adds the costs of the other ways and stores all costs.
    fn count_costs(&mut self) {
        let (old, new) = (self.before.source().text(), self.wanted.source().text());
        let own = baseline::baseline(&self.revision.path, old, new, self.hunk);
        let theirs = [own.lines, own.least, Some(own.diff), Some(own.file)];
        self.costs.lines = self.hunk.lines.0.max(self.hunk.lines.1);
        self.costs.bytes[..theirs.len()].copy_from_slice(&theirs);
        debug_assert!(WAYS.len() > theirs.len());
        self.report.costs.push(self.costs.clone());
    }
}

/// Returns a diff of two texts.
pub(crate) fn difference(old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let shown = diff.unified_diff().context_radius(2).to_string();
    shown.chars().take(SHOWN).collect()
}
