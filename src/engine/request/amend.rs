//! Calls of the tools that edit, as JSON: reads them, and merges amendments into them.
//!
//! A call need not be valid: its arguments are those that the caller sent, in the form of `edit_nodes`.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::diagnostic::{self, Diagnostic, NextCall};
use crate::select::Selector;
use crate::validate::Check;

use super::access::CallAccess;
use super::read::{
    ANCHOR_FIELDS, SELECTOR_FIELDS, destination_fields, fields_of, from_string, gather_selector,
    is_of_file, operation, operation_fields, read, without_nulls,
};
use super::{
    AmendEdit, Amendment, DiffArgument, EDIT_NODES, EDITS_LIMIT, EditNodes, EditRequest, KeptCall,
    RequestedEdit, Rewrite, SelectorArgument,
};

/// The arguments of a tool that makes a single edit which are arguments of the call in `edit_nodes`.
const CALL_FIELDS: &[&str] = &["indent", "imports", "allow", "apply", "diff"];

/// A call of a tool that edits nodes or texts, as JSON.
#[derive(Clone, Debug)]
pub(in crate::engine) struct EditCall {
    /// Whether the tool makes a single edit.
    is_single: bool,
    /// Whether it writes at once.
    apply: bool,
    /// The arguments in the form of `edit_nodes`, without `edits` and `apply`.
    arguments: Map<String, Value>,
    /// The fields of each edit.
    edits: Vec<Map<String, Value>>,
}

/// Returns the fields of an edit that an amendment adds.
fn added_edit(amendment: &Amendment) -> Option<Map<String, Value>> {
    match serde_json::to_value(amendment) {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

/// Removes the argument `apply`, and returns whether it is true.
fn taken_apply(arguments: &mut Map<String, Value>) -> bool {
    let apply = arguments.remove("apply").map(from_string);
    apply == Some(Value::Bool(true))
}

impl EditCall {
    /// Returns the call of a tool. Returns `None` if the tool does not edit nodes or texts, or if the arguments contain
    /// no edits.
    pub(in crate::engine) fn from_arguments(tool: &str, arguments: &Value) -> Option<EditCall> {
        let Value::Object(mut arguments) = without_nulls(from_string(arguments.clone())) else {
            return None;
        };
        if tool == EDIT_NODES {
            let edits = match from_string(arguments.remove("edits")?) {
                Value::Array(edits) => edits,
                edit @ Value::Object(_) => vec![edit],
                _ => return None,
            };
            let edits = edits.into_iter().map(|edit| match from_string(edit) {
                edit @ Value::Object(_) => match without_nulls(edit) {
                    Value::Object(edit) => edit,
                    _ => Map::new(),
                },
                _ => Map::new(),
            });
            let mut edits: Vec<_> = edits.collect();
            if !arguments.contains_key("file_path") {
                inherit_paths(&mut edits);
            }
            return Some(EditCall {
                is_single: false,
                apply: taken_apply(&mut arguments),
                edits,
                arguments,
            });
        }
        let operation = operation(tool)?;
        let mut edit = arguments;
        let mut arguments = Map::new();
        for name in CALL_FIELDS {
            if let Some(value) = edit.remove(*name) {
                arguments.insert(name.to_string(), value);
            }
        }
        edit.insert("op".to_string(), json!(operation.name));
        Some(EditCall {
            is_single: true,
            apply: taken_apply(&mut arguments),
            arguments,
            edits: vec![edit],
        })
    }

    /// Returns the call of a request of a tool that edits.
    pub(in crate::engine) fn of_request(tool: &str, request: &impl Serialize) -> EditCall {
        EditCall::from_arguments(tool, &json!(request))
            .expect("a request of a tool that edits has edits")
    }

    /// Combines the edits of all calls, in order, into one call, with `allow`, `imports`, `apply` and `diff` of the first one.
    pub(in crate::engine) fn together(all: Vec<EditCall>) -> EditCall {
        let own = ["file_path", "indent"];
        let (mut arguments, apply) = match all.first() {
            Some(first) => (first.arguments.clone(), first.apply),
            None => (Map::new(), false),
        };
        arguments.retain(|name, _| !own.contains(&name.as_str()));
        let edits = all.into_iter().flat_map(|call| {
            let shared = call.arguments;
            call.edits.into_iter().map(move |mut edit| {
                for (name, value) in own.iter().filter_map(|name| shared.get_key_value(*name)) {
                    edit.entry(name).or_insert_with(|| value.clone());
                }
                edit
            })
        });
        EditCall {
            is_single: false,
            apply,
            edits: edits.collect(),
            arguments,
        }
    }

    /// Returns an argument that differs between two calls. Such calls cannot be combined into one.
    pub(in crate::engine) fn differs_in(&self, other: &EditCall) -> Option<&'static str> {
        let shared = ["allow", "imports", "diff"];
        let differs = |name: &&str| self.arguments.get(*name) != other.arguments.get(*name);
        let is_other = (self.apply != other.apply).then_some("apply");
        is_other.or_else(|| shared.into_iter().find(differs))
    }

    /// Returns the number of edits.
    pub(in crate::engine) fn count(&self) -> usize {
        self.edits.len()
    }

    /// Returns the files that the call reads and writes.
    pub(in crate::engine) fn access(&self) -> CallAccess {
        let writes = self.apply;
        let read = self.read();
        read.map_or(CallAccess::Everything { writes }, |own| own.access(writes))
    }

    /// Returns the call with another `apply`.
    pub(in crate::engine) fn applying(self, apply: bool) -> EditCall {
        EditCall { apply, ..self }
    }

    /// Returns whether the call writes at once.
    pub(in crate::engine) fn applies(&self) -> bool {
        self.apply
    }

    /// Returns whether the call comes from a tool that makes a single edit.
    pub(in crate::engine) fn is_single(&self) -> bool {
        self.is_single
    }

    /// Returns the name of the tool.
    pub(in crate::engine) fn tool(&self) -> &'static str {
        let edit = self.edits.first().filter(|_| self.is_single);
        let op = edit.and_then(|edit| edit.get("op")?.as_str());
        let operation = op.and_then(operation);
        operation.map_or(EDIT_NODES, |operation| &operation.tool)
    }

    /// Returns the checks that are allowed to fail. Returns none if `allow` cannot be read.
    pub(in crate::engine) fn allowed(&self) -> Vec<Check> {
        let read = self.read_edits(&[]);
        read.map_or_else(|_| Vec::new(), |request| request.allowed())
    }

    /// Returns the call as it is kept: one of the tool that makes its single edit, else of `edit_nodes`.
    pub(in crate::engine) fn into_kept(mut self) -> KeptCall {
        let (tool, mut arguments) = (self.tool(), self.arguments);
        if self.apply {
            arguments.insert("apply".to_string(), json!(true));
        }
        match self.edits.pop() {
            Some(mut edit) if tool != EDIT_NODES => {
                edit.remove("op");
                arguments.extend(edit);
            }
            last => {
                self.edits.extend(last);
                arguments.insert("edits".to_string(), json!(self.edits));
            }
        }
        KeptCall::new(tool, arguments)
    }

    /// Returns whether the caller would have to send much again, new content or a list of edits, that amendments can
    /// correct.
    pub(in crate::engine) fn is_worth_keeping(&self) -> bool {
        let is_list = !self.is_single && (1..=EDITS_LIMIT).contains(&self.edits.len());
        is_list || self.is_single && self.has_content()
    }

    /// Returns whether the call contains new content.
    pub(in crate::engine) fn has_content(&self) -> bool {
        self.edits
            .iter()
            .any(|edit| edit.get("new_content").is_some_and(Value::is_string))
    }

    /// Returns the path in an edit, or that of the call, if it is only one and the edit does not create the file.
    pub(in crate::engine) fn file_path(&self, index: usize) -> Option<&str> {
        let edit = self.edits.get(index)?;
        if edit.contains_key("create") || edit.get("op").is_some_and(|op| op == "create_file") {
            return None;
        }
        let own = edit.get("file_path");
        own.or_else(|| self.arguments.get("file_path"))?.as_str()
    }

    /// Returns the call without the fields that no edit has. The refusal has named them.
    pub(in crate::engine) fn without_unknown_fields(mut self) -> EditCall {
        let known = fields_of::<EditNodes>();
        self.arguments.retain(|name, _| known.contains(name));
        let known = operation_fields();
        for edit in &mut self.edits {
            edit.retain(|name, _| {
                known.contains(&name.as_str()) || SELECTOR_FIELDS.contains(&name.as_str())
            });
        }
        self
    }

    /// Returns the call as it is kept, with each path replaced by `name`, and all paths.
    pub(in crate::engine) fn with_paths(
        mut self,
        name: impl Fn(&str) -> String,
    ) -> (EditCall, Vec<String>) {
        // It is that of the answer to this call.
        self.arguments.remove("diff");
        let mut paths = Vec::new();
        let mut replace = |fields: &mut Map<String, Value>| {
            let given = match fields.get_mut("file_path") {
                Some(Value::Array(paths)) => paths.as_mut_slice(),
                Some(path) => std::slice::from_mut(path),
                None => &mut [],
            };
            for path in given {
                if let Value::String(path) = path {
                    *path = name(path);
                    if !paths.contains(path) {
                        paths.push(path.clone());
                    }
                }
            }
        };
        replace(&mut self.arguments);
        for edit in &mut self.edits {
            replace(edit);
            let is_of_file = edit.get("op").is_some_and(|op| op == "move_file");
            if let Some(to) = edit.get_mut("to") {
                *to = from_string(to.take());
                match to {
                    Value::Object(to) => replace(to),
                    Value::String(_) if is_of_file => {
                        let mut fields = Map::new();
                        fields.insert("file_path".to_string(), to.take());
                        replace(&mut fields);
                        *to = fields.remove("file_path").unwrap_or_default();
                    }
                    _ => {}
                }
            }
        }
        (self, paths)
    }

    /// Reads the call.
    ///
    /// # Errors
    /// As for the tool.
    pub(in crate::engine) fn read(&self) -> Result<EditRequest, Diagnostic> {
        self.read_edits(&self.edits)
            .map_err(|refused| match self.is_single {
                true => refused.of_only_edit(0),
                false => refused,
            })
    }

    /// Reads and checks each edit by itself.
    ///
    /// # Errors
    /// An argument that applies to all edits is invalid, or there are too many edits.
    pub(in crate::engine) fn read_each(
        &self,
    ) -> Result<Vec<Result<RequestedEdit, Diagnostic>>, Diagnostic> {
        if self.edits.len() > EDITS_LIMIT {
            return self.read().map(|_| Vec::new());
        }
        let mut all = Vec::new();
        for (index, edit) in self.edits.iter().enumerate() {
            let read = self.read_edits(std::slice::from_ref(edit));
            match read.and_then(|request| request.requested_edits()) {
                Ok(own) => all.extend(own.into_iter().map(|edit| {
                    Ok(RequestedEdit {
                        index: Some(index),
                        ..edit
                    })
                })),
                Err(refused) if refused.edit_index.is_none() => return Err(refused),
                Err(refused) => all.push(Err(refused.of_only_edit(0).of_edit(index))),
            }
        }
        Ok(all)
    }

    /// Reads some edits.
    fn read_edits(&self, edits: &[Map<String, Value>]) -> Result<EditRequest, Diagnostic> {
        let mut arguments = self.arguments.clone();
        arguments.insert("edits".to_string(), json!(edits));
        let request = read::<EditNodes>(Value::Object(arguments))?;
        Ok(EditRequest::new(request, self.is_single))
    }

    /// Returns the call as one of `edit_nodes`.
    ///
    /// # Errors
    /// As for that tool.
    pub(in crate::engine) fn as_edit_nodes(&self) -> Result<EditNodes, Diagnostic> {
        let mut arguments = self.arguments.clone();
        arguments.insert("edits".to_string(), json!(self.edits));
        arguments.insert("apply".to_string(), json!(self.apply));
        read(Value::Object(arguments))
    }

    /// Returns the call with only the edits that have these numbers.
    pub(in crate::engine) fn with_only(self, numbers: &BTreeSet<usize>) -> EditCall {
        let edits = self.edits.into_iter().enumerate();
        let edits = edits.filter(|(number, _)| numbers.contains(number));
        EditCall {
            edits: edits.map(|(_, edit)| edit).collect(),
            ..self
        }
    }

    /// Merges the amendments of a request into the call.
    ///
    /// # Errors
    /// An amendment does not determine its edit, or the edit has no such field.
    pub(in crate::engine) fn amended(
        mut self,
        request: &AmendEdit,
    ) -> Result<EditCall, Diagnostic> {
        if request.skip_failing {
            let tool = self.tool();
            let message = format!("skip_failing is for rewrites; the edit was made by {tool}");
            return Err(diagnostic::about_arguments(message));
        }
        let chosen = self.chosen(request)?;
        let mut amended = HashSet::new();
        let mut added = Vec::new();
        for amendment in &request.edits {
            let index = amendment.edit_index;
            if index.is_none() && amendment.op.is_some() {
                added.extend(added_edit(amendment));
                continue;
            }
            if !amended.insert(index) {
                let message = "two of the edits have the same edit_index";
                return Err(diagnostic::about_arguments(message));
            }
            self.amend(amendment, false)?;
        }
        self.amend(&request.amendment, true)?;
        if request.diff == DiffArgument::Full {
            self.arguments
                .insert("diff".to_string(), json!(request.diff));
        }
        if chosen.is_some() || !added.is_empty() {
            let edits = &self.edits;
            let chosen = chosen.unwrap_or_else(|| (0..edits.len()).collect());
            let chosen = chosen.into_iter().map(|index| edits[index].clone());
            self.edits = chosen.chain(added).collect();
            self.is_single = false;
            if !self.arguments.contains_key("file_path") {
                inherit_paths(&mut self.edits);
            }
        }
        Ok(self)
    }

    /// Returns the indices of the edits that stay, in their new order; `None` if all stay.
    fn chosen(&self, request: &AmendEdit) -> Result<Option<Vec<usize>>, Diagnostic> {
        let (skip, only) = (&request.skip, &request.only);
        let count = self.edits.len();
        let about = |message: String| Err(diagnostic::about_arguments(message));
        if !skip.is_empty() && !only.is_empty() {
            return about("an amendment takes only one of skip and only".to_string());
        }
        if let Some(index) = skip.iter().chain(only).find(|index| **index >= count) {
            let last = count.saturating_sub(1);
            return about(format!(
                "no edit has the edit_index {index}; they are 0 to {last}"
            ));
        }
        if let Some(index) = only
            .iter()
            .find(|one| only.iter().filter(|other| other == one).count() > 1)
        {
            return about(format!("only contains {index} twice"));
        }
        if !only.is_empty() {
            return Ok(Some(only.clone()));
        }
        let left = (0..count).filter(|index| !skip.contains(index));
        let left: Vec<usize> = left.collect();
        match left.is_empty() {
            true => about("skip leaves no edit".to_string()),
            false => Ok((!skip.is_empty()).then_some(left)),
        }
    }

    /// Merges one amendment. `is_of_call` is whether it may also change arguments that apply to all edits.
    fn amend(&mut self, amendment: &Amendment, is_of_call: bool) -> Result<(), Diagnostic> {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(amendment) else {
            return Ok(());
        };
        fields.remove("edit_index");
        let count = self.edits.len();
        if let Some(allow) = fields.remove("allow") {
            if !is_of_call && count > 1 {
                let message = "allow applies to all edits; set it next to edits";
                return Err(diagnostic::about_arguments(message));
            }
            self.arguments.insert("allow".to_string(), allow);
        }
        match (fields.remove("imports"), self.arguments.get_mut("imports")) {
            (Some(Value::Object(chosen)), Some(Value::Object(known))) => known.extend(chosen),
            (Some(imports), _) => {
                self.arguments.insert("imports".to_string(), imports);
            }
            (None, _) => {}
        }
        let is_of_one = amendment.edit_index.is_some() || count == 1;
        if !is_of_one {
            if fields.contains_key("file_path")
                && self.edits.iter().all(|edit| edit.contains_key("file_path"))
            {
                let message = "each edit has its own file_path; set edit_index";
                return Err(diagnostic::about_arguments(message));
            }
            let shared = ["file_path", "indent"];
            let shared = shared.iter().filter_map(|name| fields.remove_entry(*name));
            self.arguments.extend(shared);
        }
        if count == 1 && fields.contains_key("indent") {
            // The amendment replaces both.
            self.arguments.remove("indent");
        }
        if fields.is_empty() {
            return Ok(());
        }
        let edit = match amendment.edit_index {
            Some(index) => self.edits.get_mut(index),
            None => self.edits.first_mut().filter(|_| count == 1),
        };
        let Some(edit) = edit else {
            let message = format!(
                "the call has {count} edits; set edit_index, from 0 to {}, to the edit to change",
                count.saturating_sub(1)
            );
            return Err(diagnostic::about_arguments(message));
        };
        merge(edit, fields)
    }
}

impl Rewrite {
    /// Returns the request with the amendments of another merged into it. `replaced` are the numbers of the matches
    /// that the request replaces.
    ///
    /// # Errors
    /// An amendment does not apply to a rewrite, or does not contain one of these numbers.
    pub(in crate::engine) fn amended(
        &self,
        request: &AmendEdit,
        replaced: &BTreeSet<usize>,
    ) -> Result<Rewrite, Diagnostic> {
        let mut fields = match serde_json::to_value(&request.amendment) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        fields.retain(|name, _| !["new_content", "allow", "imports"].contains(&name.as_str()));
        let first = fields.keys().next().map(String::as_str);
        let edits = (!request.edits.is_empty()).then_some("edits");
        if let Some(name) = first.or(edits) {
            return Err(diagnostic::about_unamendable(name));
        }
        if !request.skip.is_empty() && !request.only.is_empty() {
            let message = "an amendment takes only one of skip and only";
            return Err(diagnostic::about_arguments(message));
        }
        let chosen = [("skip", &request.skip), ("only", &request.only)];
        for (name, numbers) in chosen {
            if let Some(number) = numbers.iter().find(|number| !replaced.contains(number)) {
                return Err(diagnostic::about_unreplaced_match(name, *number, replaced));
            }
        }
        let is_kept = |number: &&usize| match request.only.is_empty() {
            true => !request.skip.contains(number),
            false => request.only.contains(number),
        };
        let kept: Vec<usize> = replaced.iter().filter(is_kept).copied().collect();
        if kept.is_empty() {
            return Err(diagnostic::about_no_match_left());
        }
        let (skip, only) = match chosen.iter().all(|(_, numbers)| numbers.is_empty()) {
            true => (self.skip.clone(), self.only.clone()),
            false => (Vec::new(), kept),
        };
        let amendment = request.amendment.clone();
        Ok(Rewrite {
            new_content: amendment.new_content.or(self.new_content.clone()),
            allow: amendment.allow.unwrap_or(self.allow.clone()),
            imports: amendment.imports.unwrap_or(self.imports.clone()),
            skip,
            only,
            skip_failing: self.skip_failing || request.skip_failing,
            apply: request.apply == Some(true),
            diff: request.diff,
            ..self.clone()
        })
    }
}

impl Amendment {
    /// Returns the amendment that makes a suggested change, of the edit at `index` if there are several. Returns `None`
    /// if the suggestion is another call.
    pub(in crate::engine) fn suggested(call: &NextCall, index: Option<usize>) -> Option<Amendment> {
        let mut amendment = Amendment {
            edit_index: index,
            ..Amendment::default()
        };
        let selector = |selector: &Selector| Some(json!(SelectorArgument::from(selector)));
        match call {
            NextCall::Select(new) => amendment.selector = selector(new),
            NextCall::SelectSeveral(all) => {
                amendment.selectors = Some(all.iter().filter_map(selector).collect());
            }
            NextCall::SelectDestination(new) => amendment.to = selector(new),
            NextCall::File(path) => amendment.file_path = Some(path.as_str().into()),
            NextCall::Locate(_)
            | NextCall::Apply(_)
            | NextCall::Undo(_)
            | NextCall::Complete
            | NextCall::CompleteInPart
            | NextCall::EditPlaces(_) => return None,
        }
        Some(amendment)
    }
}

/// Sets the paths of each edit that has none to those of the previous edit. An edit of a whole file must name it.
fn inherit_paths(edits: &mut [Map<String, Value>]) {
    let mut previous = None;
    for edit in edits {
        match (edit.get("file_path"), &previous) {
            (Some(own), _) => previous = Some(own.clone()),
            (None, Some(paths)) if !is_of_file(edit) => {
                edit.insert("file_path".to_string(), paths.clone());
            }
            (None, _) => {}
        }
    }
}

/// Merges the fields of an amendment into an edit.
fn merge(edit: &mut Map<String, Value>, mut fields: Map<String, Value>) -> Result<(), Diagnostic> {
    gather_selector(edit);
    if let Some(operation) = fields.get("op").and_then(Value::as_str).and_then(operation) {
        // Fields of the former operation are of no use.
        edit.retain(|name, _| operation.fields.contains(name));
    }
    let op = fields.get("op").or_else(|| edit.get("op"));
    let operation = op.and_then(Value::as_str).and_then(operation);
    let is_move = match operation {
        Some(operation) => operation.name == "move",
        None => edit.contains_key("to") || fields.contains_key("to"),
    };
    let is_of_file = operation.is_some_and(|operation| operation.name == "move_file");
    if fields.contains_key("to") && !is_move && !is_of_file {
        return Err(diagnostic::about_arguments("only a move has `to`"));
    }
    if is_move {
        let mut to = match edit.remove("to").map(from_string) {
            Some(Value::Object(mut to)) => {
                gather_selector(&mut to);
                to
            }
            _ => Map::new(),
        };
        match fields.remove("to") {
            Some(Value::Object(mut new)) => {
                merge_target(&mut to, &mut new, true);
                to.extend(new);
            }
            Some(Value::String(place)) => {
                let mut new = destination_fields(&place)?;
                merge_target(&mut to, &mut new, true);
                to.extend(new);
            }
            Some(other) => {
                let message = format!("to must be a string or an object, not {other}");
                return Err(diagnostic::about_arguments(message));
            }
            None => {}
        }
        to.extend(fields.remove_entry("position"));
        to.extend(fields.remove_entry("create"));
        edit.insert("to".to_string(), Value::Object(to));
    }
    if fields.contains_key("selectors") {
        edit.remove("selector");
    }
    let is_of_node = operation.is_none_or(|operation| operation.name != "replace_text");
    merge_target(edit, &mut fields, is_of_node);
    edit.extend(fields);
    Ok(())
}

/// Takes the selector and the fields of a selector from `fields`, and merges them into `edit`.
fn merge_target(edit: &mut Map<String, Value>, fields: &mut Map<String, Value>, is_of_node: bool) {
    let flat = SELECTOR_FIELDS
        .iter()
        .filter_map(|name| fields.remove_entry(*name));
    let flat: Map<String, Value> = flat.collect();
    if fields.contains_key("selector") || !flat.is_empty() {
        // What is not in the selector contradicts it.
        edit.retain(|name, _| name != "selectors" && !SELECTOR_FIELDS.contains(&name.as_str()));
    }
    if let Some(selector) = fields.remove("selector") {
        merge_selector(edit, selector, is_of_node);
    }
    if !flat.is_empty() {
        change_selector(edit, flat);
    }
}

/// Replaces the selector in `fields`. If it has no anchor, only changes the fields that it has. A selector of a node
/// without a type gets that of the old one, since an edit needs a type.
fn merge_selector(fields: &mut Map<String, Value>, selector: Value, is_of_node: bool) {
    let is_whole = selector.is_string();
    let selector = object_form(selector);
    let Value::Object(mut new) = selector else {
        fields.insert("selector".to_string(), selector);
        return;
    };
    let has_anchor = ANCHOR_FIELDS.iter().any(|name| new.contains_key(*name));
    if is_whole && !has_anchor {
        // It is the path of a symbol.
        fields.insert("selector".to_string(), Value::Object(new));
        return;
    }
    if !has_anchor {
        return change_selector(fields, new);
    }
    if is_of_node
        && !new.contains_key("pattern")
        && !new.contains_key("ancestor_node_type")
        && let Some(Value::Object(old)) = fields.remove("selector").map(object_form)
        && let Some(node_type) = old.get("ancestor_node_type")
    {
        new.insert("ancestor_node_type".to_string(), node_type.clone());
    }
    fields.insert("selector".to_string(), Value::Object(new));
}

/// Changes fields of the selector in `fields`.
fn change_selector(fields: &mut Map<String, Value>, changes: Map<String, Value>) {
    let mut selector = match fields.remove("selector").map(object_form) {
        Some(Value::Object(selector)) => selector,
        _ => Map::new(),
    };
    if ANCHOR_FIELDS.iter().any(|name| changes.contains_key(*name)) {
        selector.retain(|name, _| !ANCHOR_FIELDS.contains(&name.as_str()));
    }
    selector.extend(changes);
    fields.insert("selector".to_string(), Value::Object(selector));
}

/// Returns the fields of a selector that an amendment of `old` has to contain: only those that differ, if the anchor stays.
pub(in crate::engine) fn changed_fields(old: &Value, new: Value) -> Value {
    let (Value::Object(mut old), Value::Object(all)) = (object_form(old.clone()), &new) else {
        return new;
    };
    // Where the text of a place is exact, it means the same.
    if old
        .get("text")
        .is_some_and(|text| all.get("anchor_text") == Some(text))
    {
        let text = old.remove("text").unwrap_or_default();
        old.insert("anchor_text".to_string(), text);
    }
    let differs = |(name, value): &(&String, &Value)| old.get(*name) != Some(value);
    let changes = all.iter().filter(differs);
    let changes: Map<String, Value> = changes
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let changes_anchor = ANCHOR_FIELDS.iter().any(|name| changes.contains_key(*name));
    let drops_any = old.keys().any(|name| !all.contains_key(name));
    match changes_anchor || drops_any || changes.is_empty() {
        true => new,
        false => Value::Object(changes),
    }
}

/// Returns the object form of a selector. A string that cannot be parsed stays, so that reading it explains why.
fn object_form(selector: Value) -> Value {
    let selector = from_string(selector);
    if !selector.is_string() {
        return selector;
    }
    let read = serde_json::from_value::<SelectorArgument>(selector.clone());
    read.map_or(selector, |read| json!(read))
}
