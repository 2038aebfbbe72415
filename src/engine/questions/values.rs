//! Determines what unresolved members belong to, from the values of their receivers.
//!
//! Input: a member, such as `run` in `tool.run()`, whose receiver is a variable, the parameter of a test, or the result of
//! a function without a type. Output: whether it is the renamed symbol. The receiver is replaced by each expression whose
//! value it can have: what is assigned to the variable, what the fixture or the function returns, or what a decorator
//! passes to the test. The server resolves the member of that expression, in a text that is not written. The syntax is in
//! `queries/`, the facts about tests are in `queries/rename.toml`.

use std::collections::HashMap;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::language::queries::Mark;
use crate::locate::is_word;
use crate::lsp::ServerError;
use crate::lsp::language_server::LanguageServer;
use crate::names::FileNames as Names;
use crate::parse::{Node, Parsed};
use crate::source::{Source, Span};

use super::Engine;
use super::completed::Certainty;
use super::named_paths::naming;
use super::unrenamed::Renamed;

/// The maximum number of steps from a receiver to an expression with its value.
const STEPS: usize = 8;
/// The maximum number of expressions for one receiver.
const VALUES: usize = 40;
/// The maximum number of questions to the server in one rename.
const PROBES: usize = 400;

/// An expression, and the members and calls that follow it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Value {
    path: Utf8PathBuf,
    span: Span,
    /// For example `.run()`.
    suffix: String,
}

/// A file and its names.
type NamesOfFile = (Arc<Parsed>, Arc<Names>);

/// Finds the values of receivers in the files of a workspace.
pub(super) struct Values<'v> {
    engine: &'v Engine,
    server: &'v LanguageServer,
    renamed: &'v Renamed<'v>,
    /// All files of the workspace.
    all: &'v [Utf8PathBuf],
    files: HashMap<Utf8PathBuf, Option<NamesOfFile>>,
    known: HashMap<Value, Certainty>,
}

impl<'v> Values<'v> {
    pub(super) fn new(
        engine: &'v Engine,
        server: &'v LanguageServer,
        renamed: &'v Renamed<'v>,
        all: &'v [Utf8PathBuf],
    ) -> Values<'v> {
        Values {
            engine,
            server,
            renamed,
            all,
            files: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// Returns whether a member that the server does not resolve is the renamed symbol.
    ///
    /// # Errors
    /// A request to the server fails.
    pub(super) fn certainty(
        &mut self,
        path: &Utf8Path,
        member: Span,
    ) -> Result<Certainty, ServerError> {
        let Some(values) = self.values_of_receiver(path, member) else {
            return Ok(Certainty::Unclear);
        };
        let name = self
            .file(path)
            .map(|(parsed, _)| parsed.source().slice(member).into_owned());
        let name = name.unwrap_or_default();
        let [mut is_renamed, mut is_other] = [false; 2];
        for value in values {
            match self.member_of(value, &name)? {
                Certainty::Certain => is_renamed = true,
                Certainty::Other => is_other = true,
                Certainty::Unclear => return Ok(Certainty::Unclear),
            }
        }
        Ok(match (is_renamed, is_other) {
            (true, false) => Certainty::Certain,
            (false, true) => Certainty::Other,
            _ => Certainty::Unclear,
        })
    }

    /// Returns the expressions whose values the receiver of a member can have, if they are not the receiver itself.
    fn values_of_receiver(&mut self, path: &Utf8Path, member: Span) -> Option<Vec<Value>> {
        let (parsed, _) = self.file(path)?;
        let chain = parsed.chain(member);
        let (leaf, access) = (chain.last()?, chain.get(chain.len().checked_sub(2)?)?);
        let is_member = leaf.span() == member && access.is(Mark::MemberAccess);
        let receiver = named_children(access).into_iter().next()?.span();
        if !is_member || receiver.end() > member.start() {
            return None;
        }
        let values = self.values(path, receiver, 0)?;
        let is_replaced =
            |value: &Value| value.path != path || value.span.start() != receiver.start();
        let is_known = !values.is_empty() && values.len() <= VALUES;
        (is_known && values.iter().all(is_replaced)).then_some(values)
    }

    /// Returns the expressions whose values an expression can have. An expression that is not understood is its own value.
    fn values(&mut self, path: &Utf8Path, span: Span, steps: usize) -> Option<Vec<Value>> {
        if steps > STEPS {
            return None;
        }
        let (parsed, names) = self.file(path)?;
        let chain = parsed.chain(span);
        let own = Value {
            path: path.to_owned(),
            span,
            suffix: String::new(),
        };
        let node = chain.iter().rfind(|node| node.span() == span)?;
        if node.is(Mark::ScopedName) {
            let Some((is_of_file, bindings)) = names.bindings_of_use(span) else {
                return Some(vec![own]);
            };
            if is_of_file {
                return Some(vec![own]);
            }
            let mut values = Vec::new();
            for binding in bindings {
                values.extend(self.values_of_binding(path, *binding, steps + 1)?);
            }
            return Some(values);
        }
        let children = named_children(node);
        let first = children.first().map(|first| first.span());
        if node.is(Mark::MemberAccess) {
            let mut values = self.values(path, first?, steps + 1)?;
            let text = parsed.source().slice(Span::new(first?.end(), span.end()));
            return with_suffix(&mut values, text.trim());
        }
        if !node.is_word("call", None) {
            return Some(vec![own]);
        }
        let function = children.first()?;
        if let Some(values) = self.returned_by(path, function.span(), steps)? {
            return Some(values);
        }
        let mut values = self.values(path, function.span(), steps + 1)?;
        let text = parsed
            .source()
            .slice(Span::new(function.span().end(), span.end()));
        with_suffix(&mut values, &text)
    }

    /// Returns the values of a call of a function of the same file that has no type. The inner value is `None` if the
    /// function is another one, whose calls the server resolves.
    fn returned_by(
        &mut self,
        path: &Utf8Path,
        name: Span,
        steps: usize,
    ) -> Option<Option<Vec<Value>>> {
        let (parsed, names) = self.file(path)?;
        let Some((true, [binding])) = names.bindings_of_use(name) else {
            return Some(None);
        };
        let chain = parsed.chain(*binding);
        let Some((function, outer)) = function_at(&chain, *binding) else {
            return Some(None);
        };
        let is_decorated = outer.span() != function.span();
        let returned = returned_values(&parsed, function.span());
        if is_decorated || !returned.yielded.is_empty() {
            return Some(None);
        }
        let mut values = Vec::new();
        for one in returned.returned {
            values.extend(self.values(path, one, steps + 1)?);
        }
        Some(Some(values))
    }

    /// Returns the values that a binding of a local name gives to it.
    fn values_of_binding(
        &mut self,
        path: &Utf8Path,
        binding: Span,
        steps: usize,
    ) -> Option<Vec<Value>> {
        let (parsed, file_names) = self.file(path)?;
        let chain = parsed.chain(binding);
        let parent = chain.get(chain.len().checked_sub(2)?)?;
        if let Some(entered) = entered_value(&chain) {
            let mut values = self.values(path, entered, steps)?;
            let enter = &naming(parsed.source().language().name).enter;
            return with_suffix(&mut values, enter.as_deref()?);
        }
        let children = named_children(parent);
        let is_first = children
            .first()
            .is_some_and(|first| first.span() == binding);
        let assigned = children
            .iter()
            .find(|one| one.is_in(Mark::AssignedValue, *parent));
        if let Some(assigned) = assigned.filter(|_| is_first) {
            return self.values(path, assigned.span(), steps);
        }
        let leaf = chain.last()?;
        if leaf.span() != binding || !leaf.is_word("parameter", Some(*parent)) {
            return None;
        }
        let scope = chain.iter().rposition(|node| node.is(Mark::Scope))?;
        let function = chain[scope];
        let naming = naming(parsed.source().language().name);
        let children = named_children(&function);
        let name = children
            .first()
            .filter(|one| one.is_in(Mark::BindsOutside, function))?;
        let name = parsed.source().slice(name.span()).into_owned();
        let outer = scope.checked_sub(1).map(|outer| chain[outer]);
        let decorated = outer.filter(is_decorated);
        let is_test = naming
            .test_prefixes
            .iter()
            .any(|prefix| name.starts_with(prefix.as_str()));
        let own_decorators = decorated
            .map(|outer| decorators(&outer))
            .unwrap_or_default();
        let is_fixture = own_decorators
            .iter()
            .any(|one| is_call_of(&parsed, one, &naming.fixture_decorators));
        let parameter = parsed.source().slice(binding).into_owned();
        if !is_test && !is_fixture {
            return None;
        }
        let has_hook = |text: &str| {
            let mut hooks = naming.parameter_hooks.iter();
            hooks.any(|hook| has_word(text, hook))
        };
        let classes = chain[..scope].iter().filter(|node| is_decorated(node));
        let others = classes.filter(|node| decorated.is_none_or(|own| own.span() != node.span()));
        let is_passed = |node: &Node<'_>| {
            let mut decorators = decorators(node).into_iter();
            decorators.any(|one| has_word(&parsed.source().slice(one.span()), &parameter))
        };
        if has_hook(parsed.source().text()) || others.clone().any(is_passed) {
            return None;
        }
        let mut passing = own_decorators.iter();
        let passing = passing.find(|one| has_word(&parsed.source().slice(one.span()), &parameter));
        if let Some(passing) = passing {
            let arguments = is_call_of(&parsed, passing, &naming.parameter_decorators)
                .then(|| passed_values(&parsed, &file_names, passing, &parameter))??;
            let mut values = Vec::new();
            for one in arguments {
                values.extend(self.values(path, one, steps + 1)?);
            }
            return Some(values);
        }
        (name != parameter).then_some(())?;
        self.values_of_fixture(path, &parameter, steps)
    }

    /// Returns the values of the fixture that a file sees under a name.
    fn values_of_fixture(
        &mut self,
        from: &Utf8Path,
        name: &str,
        steps: usize,
    ) -> Option<Vec<Value>> {
        let (parsed, _) = self.file(from)?;
        let naming = naming(parsed.source().language().name);
        let mut candidates = vec![from.to_owned()];
        for folder in from.ancestors().skip(1) {
            for file in &naming.fixture_files {
                let files = naming.files_of(&folder.join(file)).into_iter();
                candidates.extend(files.filter(|file| self.all.contains(file) && file != from));
            }
        }
        // A fixture can have another name than its function.
        let renames = [format!("name=\"{name}\""), format!("name='{name}'")];
        for path in &candidates {
            let (parsed, _) = self.file(path)?;
            let text = parsed.source().text();
            let mut hooks = naming.parameter_hooks.iter();
            if renames.iter().any(|one| text.contains(one.as_str()))
                || hooks.any(|hook| has_word(text, hook))
            {
                return None;
            }
        }
        for path in candidates {
            let (parsed, names) = self.file(&path)?;
            let in_class = parsed.outline_with_inner().symbols().iter();
            let mut in_class = in_class.filter(|one| one.name == name && one.parent.is_some());
            if in_class.next().is_some() {
                return None;
            }
            let binding = match names.bindings(name) {
                [] => continue,
                [binding] => *binding,
                _ => return None,
            };
            let chain = parsed.chain(binding);
            let (function, outer) = function_at(&chain, binding)?;
            let decorators = decorators(&outer);
            let is_fixture = |one: &Node<'_>| is_call_of(&parsed, one, &naming.fixture_decorators);
            let is_renamed = |one: &Node<'_>| has_word(&parsed.source().slice(one.span()), "name");
            if !decorators.iter().any(is_fixture) || decorators.iter().any(is_renamed) {
                return None;
            }
            let found = returned_values(&parsed, function.span());
            let spans = match found.yielded.is_empty() {
                true => found.returned,
                false => found.yielded,
            };
            let mut values = Vec::new();
            for span in spans {
                values.extend(self.values(&path, span, steps + 1)?);
            }
            return Some(values);
        }
        None
    }

    /// Asks the server whether a member of a value is the renamed symbol.
    fn member_of(&mut self, value: Value, name: &str) -> Result<Certainty, ServerError> {
        if let Some(known) = self.known.get(&value) {
            return Ok(*known);
        }
        let Some((parsed, _)) = self.file(&value.path).filter(|_| self.known.len() < PROBES) else {
            return Ok(Certainty::Unclear);
        };
        let source = parsed.source();
        let text = source.text();
        let (before, expression, after) = (
            &text[..value.span.start()],
            &text[value.span.start()..value.span.end()],
            &text[value.span.end()..],
        );
        let start = format!("{before}({expression}){}.", value.suffix);
        let probe = format!("{start}{name}{after}");
        let probe = Source::new(source.path(), source.language(), probe);
        let stamps = self.engine.stamps(self.server);
        let sync = |source: &Source| {
            let stamps = stamps.iter().cloned();
            self.engine
                .synced_with(self.server, &value.path, source, stamps)
        };
        sync(&probe)?;
        let targets = self
            .engine
            .definitions_at(self.server, &value.path, &probe, start.len());
        // The server has the text of the file again, whatever it answered.
        sync(source)?;
        let targets = targets?.unwrap_or_default();
        let [mut is_renamed, mut is_other] = [false; 2];
        for target in &targets {
            let place = self.engine.span_of_target(self.server, target);
            let name = place.and_then(|(source, span)| self.renamed.name_in(&source, span));
            match (target.path.as_deref(), name) {
                (Some(path), Some(name)) if self.renamed.changes(path, name) => is_renamed = true,
                _ => is_other = true,
            }
        }
        let certainty = match (is_renamed, is_other) {
            (true, false) => Certainty::Certain,
            (false, true) => Certainty::Other,
            _ => Certainty::Unclear,
        };
        self.known.insert(value, certainty);
        Ok(certainty)
    }

    fn file(&mut self, path: &Utf8Path) -> Option<NamesOfFile> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let parsed = self.engine.parsed(path.as_str()).ok();
        let file = parsed.map(|(_, parsed)| {
            let names = Arc::new(Names::of(&parsed));
            (parsed, names)
        });
        self.files.insert(path.to_owned(), file.clone());
        file
    }
}

/// The values that a function returns and yields.
#[derive(Debug, Default)]
struct ReturnedValues {
    returned: Vec<Span>,
    yielded: Vec<Span>,
}

/// Returns the values that a function returns and yields itself.
fn returned_values(parsed: &Parsed, function: Span) -> ReturnedValues {
    let mut found = ReturnedValues::default();
    let chain = parsed.chain(function);
    let Some(function) = chain
        .iter()
        .find(|node| node.span() == function && node.is(Mark::Scope))
    else {
        return found;
    };
    let mut open = vec![*function];
    while let Some(node) = open.pop() {
        for child in named_children(&node) {
            if child.is_in(Mark::ReturnedValue, node) {
                found.returned.push(child.span());
            }
            if child.is_in(Mark::YieldedValue, node) {
                found.yielded.push(child.span());
            }
            if !child.is(Mark::Scope) {
                open.push(child);
            }
        }
    }
    found
}

/// Returns the function whose name is at a place, and the node with its decorators.
fn function_at<'p>(chain: &[Node<'p>], name: Span) -> Option<(Node<'p>, Node<'p>)> {
    let at = chain.len().checked_sub(2)?;
    let function = chain[at];
    let is_name = chain.last()?.span() == name && function.is_word("function", None);
    let outer = at
        .checked_sub(1)
        .map(|outer| chain[outer])
        .filter(is_decorated);
    is_name.then(|| (function, outer.unwrap_or(function)))
}

fn is_decorated(node: &Node<'_>) -> bool {
    !decorators(node).is_empty()
}

/// Returns the decorators among the children of a node.
fn decorators<'p>(node: &Node<'p>) -> Vec<Node<'p>> {
    let children = named_children(node).into_iter();
    children
        .filter(|child| child.attached() == Some("decorator"))
        .collect()
}

/// Returns whether a decorator is a function with one of these names, or its call.
fn is_call_of(parsed: &Parsed, decorator: &Node<'_>, names: &[String]) -> bool {
    let text = parsed.source().slice(decorator.span());
    let path = text.split('(').next().unwrap_or_default().trim_end();
    let name = path.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    names.iter().any(|one| one == name)
}

/// Returns the values that a decorator passes to a parameter: `1` and `2` in `@parametrize("a", [1, 2])`.
fn passed_values(
    parsed: &Parsed,
    file_names: &Names,
    decorator: &Node<'_>,
    parameter: &str,
) -> Option<Vec<Span>> {
    let call = named_children(decorator).into_iter().next()?;
    let arguments = named_children(&call).into_iter().nth(1)?;
    let arguments = named_children(&arguments);
    let [names, values, ..] = arguments.as_slice() else {
        return None;
    };
    let text = |node: &Node<'_>| parsed.source().slice(node.span()).into_owned();
    let unquoted = |text: &str| text.trim().trim_matches(['"', '\'']).trim().to_string();
    let is_text = names.is_word("string", None);
    let names: Vec<String> = match is_text {
        true => unquoted(&text(names)).split(',').map(unquoted).collect(),
        false => named_children(names)
            .iter()
            .map(|one| unquoted(&text(one)))
            .collect(),
    };
    let at = names.iter().position(|name| name == parameter)?;
    if !values.is_word("list", None) || values.is_word("call", None) {
        return None;
    }
    let mut found = Vec::new();
    for value in named_children(values) {
        if value.is_word("comment", None) {
            continue;
        }
        let sets = &naming(parsed.source().language().name).parameter_sets;
        let is_set = is_call_of(parsed, &value, sets);
        if !is_set && is_text && names.len() == 1 {
            found.push(value.span());
            continue;
        }
        let parts = match is_set {
            true => elements(parsed, file_names, *named_children(&value).get(1)?)?,
            false if value.is_word("list", None) => elements(parsed, file_names, value)?,
            false => return None,
        };
        if parts.len() != names.len() {
            return None;
        }
        found.push(parts[at]);
    }
    Some(found)
}

/// Returns the elements of a list, or the arguments of a call without names. `*a` gives the elements of the list that
/// is assigned to `a`, if it never changes.
fn elements(parsed: &Parsed, file_names: &Names, list: Node<'_>) -> Option<Vec<Span>> {
    let mut found = Vec::new();
    for part in named_children(&list) {
        let first = named_children(&part).into_iter().next();
        let is_named = first.is_some_and(|first| first.is_in(Mark::MemberName, part));
        if part.is_word("comment", None) || is_named {
            continue;
        }
        if !part.is(Mark::Spread) {
            found.push(part.span());
            continue;
        }
        // A class may bind the name too, and its decorators use that one.
        let Some((true, [binding])) = file_names.bindings_of_use(first?.span()) else {
            return None;
        };
        let chain = parsed.chain(*binding);
        let assignment = chain.get(chain.len().checked_sub(2)?)?;
        let children = named_children(assignment).into_iter();
        let mut assigned = children.filter(|one| one.is_in(Mark::AssignedValue, *assignment));
        let assigned = assigned.next().filter(|one| one.is_word("list", None))?;
        let text = parsed.source().slice(assigned.span());
        let start = &naming(parsed.source().language().name).fixed_lists;
        start.as_deref().filter(|start| text.starts_with(start))?;
        let parts = named_children(&assigned).into_iter();
        let parts: Vec<_> = parts.filter(|one| !one.is_word("comment", None)).collect();
        if parts.iter().any(|one| one.is(Mark::Spread)) {
            return None;
        }
        found.extend(parts.iter().map(|one| one.span()));
    }
    Some(found)
}

/// Returns the value that a statement enters before it binds the last name of a chain: `open(path)` in `with open(path) as
/// name`.
fn entered_value(chain: &[Node<'_>]) -> Option<Span> {
    let is_awaited = |node: &Node<'_>| node.is(Mark::AwaitedStatement);
    let at = chain.iter().rposition(|node| {
        let children = named_children(node).into_iter();
        children
            .take(1)
            .any(|first| first.is_in(Mark::EnteredValue, *node))
    })?;
    // Between them is only what states the name.
    let is_name = at + 3 == chain.len() && chain[at + 1].span() == chain[at + 2].span();
    (is_name && !chain[..at].iter().any(is_awaited))
        .then(|| named_children(&chain[at]).first().map(|first| first.span()))?
}

/// Appends members and calls to values.
fn with_suffix(values: &mut Vec<Value>, text: &str) -> Option<Vec<Value>> {
    // A comment would end the line.
    if text.contains('#') {
        return None;
    }
    for value in values.iter_mut() {
        value.suffix.push_str(&text.replace('\n', " "));
    }
    Some(std::mem::take(values))
}

fn named_children<'p>(node: &Node<'p>) -> Vec<Node<'p>> {
    let children = node.own_children().into_iter();
    children.filter(|child| child.is_named()).collect()
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c| !is_word(c)).any(|one| one == word)
}
