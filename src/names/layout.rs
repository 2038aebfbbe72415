//! Changes import statements: removes items and statements with their lines, and adds items and statements where the
//! file has them.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde::Deserialize;

use crate::change::Replacement;
use crate::parse::{Node, Parsed};
use crate::source::{Source, Span};

use super::facts::ImportFacts;
use super::file_names::FileNames;
use super::modules::{ModuleKind, Modules};
use super::statements::{Import, ImportItem, ImportKind, ImportPlace, ItemForm};

/// An item that a file has to import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The module as it is written in the file.
    pub(super) module: String,
    pub(super) name: String,
    pub(super) alias: Option<String>,
    pub(super) form: ItemForm,
    pub(super) is_type: bool,
    /// The first line of the block that only type checkers read, if it is imported in one.
    pub(super) guard: Option<String>,
}

impl Wanted {
    /// Returns an item under its own name.
    pub(super) fn named(module: String, name: &str) -> Wanted {
        Wanted {
            module,
            name: name.to_string(),
            alias: None,
            form: ItemForm::Named,
            is_type: false,
            guard: None,
        }
    }

    /// Returns the text of the item in a statement.
    pub(super) fn item(&self, facts: &ImportFacts) -> String {
        match &self.alias {
            Some(alias) => filled(&facts.item_as, &[("item", &self.name), ("alias", alias)]),
            None => self.name.clone(),
        }
    }

    /// Returns whether a statement of its own imports it as a type.
    fn is_in_type_statement(&self, facts: &ImportFacts) -> bool {
        self.is_type && facts.from_type.is_some()
    }
}

/// Replaces `{name}` in a template.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = template.to_string();
    for (name, value) in values {
        text = text.replace(&format!("{{{name}}}"), value);
    }
    text
}

/// Returns the statement that imports items of one module, all in the same form.
fn statement(facts: &ImportFacts, like: Option<&str>, wanted: &[&Wanted]) -> String {
    let Some(first) = wanted.first() else {
        return String::new();
    };
    let alias = first.alias.as_deref();
    let template = match (first.form, alias) {
        (ItemForm::Module, Some(_)) => facts.module_as.as_ref(),
        (ItemForm::Module, None) => facts.module.as_ref(),
        (ItemForm::Default, _) if first.is_type => facts.default_type.as_ref(),
        (ItemForm::Namespace, _) if first.is_type => facts.namespace_type.as_ref(),
        (ItemForm::Default, _) => facts.default.as_ref(),
        (ItemForm::Namespace, _) => facts.namespace.as_ref(),
        (ItemForm::Named, _) if first.is_type => facts.from_type.as_ref(),
        (ItemForm::Named, _) => Some(&facts.from),
    };
    let template = template.unwrap_or(&facts.from);
    let items: Vec<String> = wanted.iter().map(|one| one.item(facts)).collect();
    let module = match first.form {
        ItemForm::Module => &first.name,
        _ => &first.module,
    };
    let text = filled(
        template,
        &[
            ("module", module),
            ("items", &items.join(", ")),
            ("item", alias.unwrap_or(&first.name)),
            ("alias", alias.unwrap_or(&first.name)),
        ],
    );
    like_statement(&text, like)
}

/// Returns a statement with the quotes and the end of another one.
fn like_statement(text: &str, like: Option<&str>) -> String {
    let Some(like) = like else {
        return text.to_string();
    };
    let mut text = text.to_string();
    let count = |quote: char| like.matches(quote).count();
    if count('\'') > count('"') {
        text = text.replace('"', "'");
    }
    if !like.lines().any(|line| line.trim_end().ends_with(';')) {
        text = text.trim_end_matches(';').to_string();
    }
    text
}

/// Returns the deletion of the lines of spans, with the blank lines that would be left. Returns `None` if other code is on
/// these lines.
pub(super) fn lines_removed(source: &Source, spans: &[Span]) -> Option<Vec<Replacement>> {
    let text = source.text();
    let mut runs: Vec<Span> = Vec::new();
    let mut sorted = spans.to_vec();
    sorted.sort();
    for span in sorted {
        let lines = whole_lines(text, span)?;
        match runs.last_mut() {
            Some(last) if is_blank(text, last.end(), lines.start()) => {
                *last = Span::new(last.start(), lines.end().max(last.end()));
            }
            _ => runs.push(lines),
        }
    }
    let runs = runs.into_iter().map(|run| with_blank_lines(text, run));
    Some(runs.map(Replacement::deletion).collect())
}

/// Returns the start of the line in which a span starts.
fn line_start(source: &Source, span: Span) -> usize {
    source.text()[..span.start()]
        .rfind('\n')
        .map_or(0, |at| at + 1)
}

/// Returns whether there is nothing but blank lines between two offsets.
fn is_blank(text: &str, from: usize, to: usize) -> bool {
    from >= to || text[from..to].trim().is_empty()
}

/// Returns the span of the lines of a statement, if nothing else is on them but a comment.
fn whole_lines(text: &str, span: Span) -> Option<Span> {
    let start = text[..span.start()].rfind('\n').map_or(0, |at| at + 1);
    let end = text[span.end()..]
        .find('\n')
        .map_or(text.len(), |at| span.end() + at + 1);
    let rest = text[span.end()..end]
        .trim_start_matches([';', ' ', '\t'])
        .trim_end();
    let is_comment = rest.is_empty() || rest.starts_with('#') || rest.starts_with("//");
    let is_alone = text[start..span.start()].trim().is_empty() && is_comment;
    is_alone.then(|| Span::new(start, end))
}

/// Extends a span of whole lines so that the larger of the two gaps around it remains.
fn with_blank_lines(text: &str, run: Span) -> Span {
    let mut before = run.start();
    let mut above = 0;
    while before > 0 {
        let start = text[..before - 1].rfind('\n').map_or(0, |at| at + 1);
        if !text[start..before].trim().is_empty() {
            break;
        }
        before = start;
        above += 1;
    }
    let mut after = run.end();
    let mut below = 0;
    while after < text.len() {
        let end = text[after..]
            .find('\n')
            .map_or(text.len(), |at| after + at + 1);
        if !text[after..end].trim().is_empty() {
            break;
        }
        after = end;
        below += 1;
    }
    match () {
        () if before == 0 => Span::new(0, after),
        () if after == text.len() => Span::new(before, run.end()),
        () if above <= below && below > 0 => Span::new(before, run.end()),
        () if below > 0 => Span::new(run.start(), after),
        () => run,
    }
}

/// Returns the removal of some items of a statement that keeps others. Returns `None` if the rest has another form.
pub(super) fn items_removed(
    source: &Source,
    facts: &ImportFacts,
    import: &Import,
    removed: &[usize],
) -> Option<Vec<Replacement>> {
    let text = source.text();
    let is_named = |index: &usize| import.items[*index].form == import.items[removed[0]].form;
    let all_items: Vec<usize> = (0..import.items.len()).collect();
    let kept: Vec<usize> = all_items
        .iter()
        .copied()
        .filter(|index| !removed.contains(index))
        .collect();
    if !all_items.iter().all(is_named) && !kept.iter().any(is_named)
        || !removed.iter().all(is_named)
        || import.items[removed[0]].form != ItemForm::Named && import.kind != ImportKind::Modules
    {
        let kept: Vec<Wanted> = kept
            .iter()
            .map(|index| {
                let item = &import.items[*index];
                Wanted {
                    module: import.module_text().to_string(),
                    name: item.name.clone(),
                    alias: item.alias.clone(),
                    form: item.form,
                    is_type: import.is_type,
                    guard: None,
                }
            })
            .collect();
        let same = kept
            .iter()
            .all(|one| one.form == kept[0].form && one.form != ItemForm::Module);
        let kept: Vec<&Wanted> = kept.iter().collect();
        if !same || kept.len() > 1 && kept[0].form != ItemForm::Named {
            return None;
        }
        let like = source.slice(import.span);
        return Some(vec![Replacement {
            span: import.span,
            new_text: statement(facts, Some(&like), &kept),
        }]);
    }
    let mut all = Vec::new();
    for index in removed {
        let item = &import.items[*index];
        let start = text[..item.span.start()].rfind('\n').map_or(0, |at| at + 1);
        let end = text[item.span.end()..].find('\n');
        let end = end.map_or(text.len(), |at| item.span.end() + at + 1);
        let rest = text[item.span.end()..end].trim();
        let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        let is_alone = text[start..item.span.start()].trim().is_empty()
            && (rest.is_empty() || rest.starts_with('#') || rest.starts_with("//"));
        let has_kept_before = (0..*index).any(|one| !removed.contains(&one) && is_named(&one));
        let span = match import.items.get(index + 1) {
            _ if is_alone => Span::new(start, end),
            Some(next) if next.form == item.form && !has_kept_before => {
                Span::new(item.span.start(), next.span.start())
            }
            _ => match index.checked_sub(1) {
                Some(before) => Span::new(import.items[before].span.end(), item.span.end()),
                None => item.span,
            },
        };
        all.push(Replacement::deletion(span));
    }
    Some(all)
}

/// Returns the insertions of items into a statement, in its order.
fn items_added(
    source: &Source,
    facts: &ImportFacts,
    import: &Import,
    wanted: &[&Wanted],
) -> Vec<Replacement> {
    let text = source.text();
    let is_named = |item: &&ImportItem| item.form == ItemForm::Named;
    let items: Vec<&ImportItem> = import.items.iter().filter(is_named).collect();
    let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
    let order = facts.item_order.detect(&names);
    let mut wanted = wanted.to_vec();
    if let Some(order) = order {
        wanted.sort_by_cached_key(|one| order.key(&one.name));
    }
    let mut places: Vec<(usize, String)> = Vec::new();
    for one in wanted {
        let is_next = |order: ItemOrder| {
            move |item: &&&ImportItem| order.key(&item.name) > order.key(&one.name)
        };
        let next = order.and_then(|order| items.iter().find(is_next(order)).copied());
        let Some(near) = next.or(items.last().copied()) else {
            continue;
        };
        let start = text[..near.span.start()].rfind('\n').map_or(0, |at| at + 1);
        let margin = &text[start..near.span.start()];
        let separator = match margin.trim().is_empty() && start > import.span.start() {
            true => format!(",{}{margin}", eol(source)),
            false => ", ".to_string(),
        };
        let item = one.item(facts);
        let (at, new_text) = match next {
            Some(_) => (near.span.start(), format!("{item}{separator}")),
            None => (near.span.end(), format!("{separator}{item}")),
        };
        match places.last_mut().filter(|(last, _)| *last == at) {
            Some((_, known)) => known.push_str(&new_text),
            None => places.push((at, new_text)),
        }
    }
    let places = places.into_iter();
    let inserted = places.map(|(at, new_text)| Replacement {
        span: Span::at(at),
        new_text,
    });
    inserted.collect()
}

/// An order of the items of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ItemOrder {
    /// Constants, then types, then other names.
    Kinds,
    /// Letters of both cases together.
    #[default]
    Letters,
    /// The order of the characters.
    Characters,
}

impl ItemOrder {
    /// Returns the order that names have: this one or another, or none.
    fn detect(self, names: &[&str]) -> Option<ItemOrder> {
        let all = [
            self,
            ItemOrder::Letters,
            ItemOrder::Characters,
            ItemOrder::Kinds,
        ];
        let mut all = all.into_iter();
        all.find(|order| names.is_sorted_by_key(|name| order.key(name)))
    }

    fn key(self, name: &str) -> (u8, String) {
        let letters = || name.to_lowercase();
        let mut chars = name.chars();
        let kind = match () {
            () if name.len() > 1 && !name.contains(char::is_lowercase) => 0,
            () if chars.next().is_some_and(char::is_uppercase) => 1,
            () => 2,
        };
        match self {
            ItemOrder::Kinds => (kind, letters()),
            ItemOrder::Letters => (0, letters()),
            ItemOrder::Characters => (0, name.to_string()),
        }
    }
}

/// Returns the line ending of a file.
pub(super) fn eol(source: &Source) -> &'static str {
    match source.text().contains("\r\n") {
        true => "\r\n",
        false => "\n",
    }
}

/// Returns the insertion of lines after the line in which a span ends, with the same indentation.
pub(super) fn lines_after(source: &Source, span: Span, lines: &[String]) -> Replacement {
    let text = source.text();
    let start = text[..span.start()].rfind('\n').map_or(0, |at| at + 1);
    let indent: String = text[start..]
        .chars()
        .take_while(|c| *c == ' ' || *c == '\t')
        .collect();
    let end = text[span.end()..]
        .find('\n')
        .map_or(text.len(), |at| span.end() + at);
    let end = end - usize::from(text[..end].ends_with('\r'));
    Replacement {
        span: Span::at(end),
        new_text: lines
            .iter()
            .map(|line| format!("{}{indent}{line}", eol(source)))
            .collect(),
    }
}

/// Returns the insertions of items that a file has to import.
/// `like` is a statement of another file, whose quotes and end they get in a file without import statements.
pub(super) fn added(
    parsed: &Parsed,
    modules: &Modules<'_>,
    wanted: &[Wanted],
    like: Option<&str>,
) -> Vec<Replacement> {
    let source = parsed.source();
    let path = Utf8Path::new(source.path());
    let facts = modules.facts;
    let imports = FileNames::from_parsed(parsed).imports;
    let is_one_each = have_one_item_each(&imports);
    let mut replacements = Vec::new();
    let mut left: Vec<&Wanted> = Vec::new();
    let mut merged: Vec<(usize, Vec<&Wanted>)> = Vec::new();
    for one in wanted {
        let is_place = |import: &Import| {
            let is_same = import.kind == ImportKind::Items && import.module_text() == one.module;
            let is_guarded = match &one.guard {
                None => import.is_top(),
                Some(guard) => guard_of(source, import).as_deref() == Some(guard),
            };
            let named = import
                .items
                .iter()
                .filter(|item| item.form == ItemForm::Named);
            let can_have_it = import.is_type == one.is_in_type_statement(facts);
            is_same && is_guarded && named.count() > 0 && import.star.is_none() && can_have_it
        };
        let place = imports.iter().position(is_place);
        match place.filter(|_| one.form == ItemForm::Named && !is_one_each) {
            Some(index) => match merged.iter_mut().find(|(other, _)| *other == index) {
                Some((_, all)) => all.push(one),
                None => merged.push((index, vec![one])),
            },
            None => left.push(one),
        }
    }
    for (index, all) in merged {
        replacements.extend(items_added(source, facts, &imports[index], &all));
    }
    // One statement for the named items of each module.
    let own = imports
        .iter()
        .find(|import| import.kind == ImportKind::Items);
    let own = own.map(|import| source.slice(import.span).into_owned());
    let like = own.or_else(|| like.map(str::to_string));
    let like = like.or_else(|| Some(source.text().to_string()).filter(|text| !text.is_empty()));
    let mut lines: Vec<NewStatement> = Vec::new();
    while let Some(first) = left.first().copied() {
        let is_same = |other: &&Wanted| match first.form {
            ItemForm::Named if !is_one_each => {
                other.form == ItemForm::Named
                    && (&other.module, &other.guard) == (&first.module, &first.guard)
                    && other.is_in_type_statement(facts) == first.is_in_type_statement(facts)
            }
            _ => *other == first,
        };
        let (mut same, other): (Vec<&Wanted>, Vec<&Wanted>) = left.into_iter().partition(is_same);
        left = other;
        same.sort_by_cached_key(|one| facts.item_order.key(&one.name));
        if first.form != ItemForm::Named || is_one_each {
            same.truncate(1);
        }
        let module = match first.form {
            ItemForm::Module => &first.name,
            _ => &first.module,
        };
        lines.push(NewStatement {
            guard: first.guard.clone(),
            kind: modules.kind_of(path, module),
            module: module.clone(),
            gives_items: first.form != ItemForm::Module,
            only_item: Some(first.name.clone()).filter(|_| is_one_each),
            text: statement(facts, like.as_deref(), &same),
        });
    }
    replacements.extend(statements_added(parsed, modules, &imports, lines));
    replacements
}

/// An import statement that a file gets.
struct NewStatement {
    guard: Option<String>,
    kind: ModuleKind,
    module: String,
    /// Whether it imports items of a module, not the module.
    gives_items: bool,
    /// Its item, if each statement of the file imports only one.
    only_item: Option<String>,
    text: String,
}

/// Returns whether each statement of a file imports one item, also those of the same module.
fn have_one_item_each(imports: &[Import]) -> bool {
    let of_items = imports
        .iter()
        .filter(|import| import.kind == ImportKind::Items);
    let mut all = of_items.clone();
    let mut pairs = of_items.clone().zip(of_items.skip(1));
    let is_same = |(one, next): (&Import, &Import)| {
        let key = |import: &Import| (import.items.first().map(|item| item.form), import.is_type);
        one.module_text() == next.module_text() && key(one) == key(next)
    };
    all.all(|import| import.items.len() <= 1) && pairs.any(is_same)
}

/// Returns the insertions of whole statements: each in the group of its kind and in its order.
fn statements_added(
    parsed: &Parsed,
    modules: &Modules<'_>,
    imports: &[Import],
    mut statements: Vec<NewStatement>,
) -> Vec<Replacement> {
    let source = parsed.source();
    let facts = modules.facts;
    let eol = eol(source);
    statements.sort_by_cached_key(|one| one.key(facts));
    let mut lines = Insertions::default();
    let mut new_groups: Vec<NewGroup> = Vec::new();
    let header = header(parsed, imports);
    for one in statements {
        let of_guard = |import: &&Import| match &one.guard {
            None => header.iter().any(|known| known.span == import.span),
            Some(guard) => guard_of(source, import).as_ref() == Some(guard),
        };
        let own: Vec<&Import> = imports.iter().filter(of_guard).collect();
        match Place::find(source, modules, &own, &one) {
            Some(Place::Before(import)) => {
                let start = line_start(source, import.span);
                let margin = source
                    .slice(Span::new(start, import.span.start()))
                    .into_owned();
                lines.add(start, format!("{margin}{}{eol}", one.text));
            }
            Some(Place::After(import)) => {
                let inserted = lines_after(source, import.span, &[one.text]);
                lines.add(inserted.span.start(), inserted.new_text);
            }
            None => match new_groups.iter_mut().find(|group| group.takes(&one)) {
                Some(group) => group.texts.push(one.text),
                None => new_groups.push(NewGroup {
                    guard: one.guard,
                    kind: one.kind,
                    texts: vec![one.text],
                }),
            },
        }
    }
    let kinds = header
        .iter()
        .map(|import| (*import, kind_of(source, modules, import)));
    let kinds: Vec<(&Import, ModuleKind)> = kinds.collect();
    let mut first = Vec::new();
    for group in new_groups {
        let text = group.text(parsed, eol);
        let precedes =
            |(_, own): &&(&Import, ModuleKind)| group.guard.is_some() || *own < group.kind;
        match (kinds.iter().rfind(precedes), kinds.first()) {
            (Some((import, _)), _) => {
                let end = lines_after(source, import.span, &[]).span.start();
                lines.add(end, format!("{eol}{eol}{text}"));
            }
            (None, Some((import, _))) => {
                lines.add(line_start(source, import.span), format!("{text}{eol}{eol}"));
            }
            (None, None) => first.push(text),
        }
    }
    let mut all = lines.into_replacements();
    if !first.is_empty() {
        let gap = match facts.is_grouped {
            true => format!("{eol}{eol}"),
            false => eol.to_string(),
        };
        all.push(first_import(parsed, facts, &first.join(&gap), eol));
    }
    all
}

impl NewStatement {
    /// Returns the key of the order of statements. A block may use a name that another statement imports.
    fn key(&self, facts: &ImportFacts) -> impl Ord + use<> {
        let item = self.only_item.as_ref();
        let item = item.map(|item| facts.item_order.key(item));
        let module = self.module.to_lowercase();
        (
            self.guard.is_some(),
            self.kind,
            self.gives_items,
            module,
            item,
        )
    }
}

/// Statements of one kind, or of one block, for which the file has no group yet.
struct NewGroup {
    guard: Option<String>,
    kind: ModuleKind,
    texts: Vec<String>,
}

impl NewGroup {
    fn takes(&self, one: &NewStatement) -> bool {
        let is_same_kind = self.kind == one.kind || self.guard.is_some();
        self.guard == one.guard && is_same_kind
    }

    fn text(&self, parsed: &Parsed, eol: &str) -> String {
        let Some(guard) = &self.guard else {
            return self.texts.join(eol);
        };
        let unit = crate::edit::indent_unit(parsed);
        let texts = self.texts.iter();
        let texts = texts.map(|text| format!("{eol}{unit}{text}"));
        format!("{guard}{}", texts.collect::<String>())
    }
}

/// Where a statement goes.
enum Place<'i> {
    Before(&'i Import),
    After(&'i Import),
}

impl<'i> Place<'i> {
    /// Returns the place of a statement among others, or `None` if it needs a group of its own.
    fn find(
        source: &Source,
        modules: &Modules<'_>,
        own: &[&'i Import],
        one: &NewStatement,
    ) -> Option<Place<'i>> {
        let kinds: Vec<ModuleKind> = own
            .iter()
            .map(|import| kind_of(source, modules, import))
            .collect();
        let like = own
            .iter()
            .zip(&kinds)
            .filter(|(_, kind)| **kind == one.kind);
        let like: Vec<&'i Import> = like.map(|(import, _)| *import).collect();
        let is_alone = one.guard.is_none() && (modules.facts.is_grouped || has_gap(source, own));
        let Some(last) = like.last().copied() else {
            // Statements of all kinds are in one group.
            let before = own.iter().zip(&kinds).rfind(|(_, kind)| **kind < one.kind);
            return match (before, own.first()) {
                _ if is_alone => None,
                (Some((import, _)), _) => Some(Place::After(import)),
                (None, first) => first.map(|import| Place::Before(import)),
            };
        };
        let item_order = modules.facts.item_order;
        let key_of = |import: &Import, is_by_form: bool| {
            let gives_items = is_by_form && import.kind != ImportKind::Modules;
            let item = import.items.first().filter(|_| one.only_item.is_some());
            let item = item.map(|item| item_order.key(&item.name));
            (gives_items, module_of(import).to_lowercase(), item)
        };
        let mut orders = [true, false].into_iter();
        let order = orders.find(|by_form| like.is_sorted_by_key(|import| key_of(import, *by_form)));
        let next = order.and_then(|by_form| {
            let item = one.only_item.as_ref().map(|item| item_order.key(item));
            let own = (by_form && one.gives_items, one.module.to_lowercase(), item);
            like.iter().find(|import| key_of(import, by_form) > own)
        });
        Some(next.map_or(Place::After(last), |import| Place::Before(import)))
    }
}

/// Returns whether blank lines separate statements.
fn has_gap(source: &Source, imports: &[&Import]) -> bool {
    imports.windows(2).any(|pair| {
        let (end, start) = (pair[0].span.end(), pair[1].span.start());
        source.line_of(start) > source.line_of(end) + 1
    })
}

/// Returns the module of a statement: that of its items, or its first one.
fn module_of(import: &Import) -> &str {
    let first = import.items.first().map_or("", |item| item.name.as_str());
    import.module.as_ref().map_or(first, |(_, text)| text)
}

fn kind_of(source: &Source, modules: &Modules<'_>, import: &Import) -> ModuleKind {
    match import.kind {
        ImportKind::Language => ModuleKind::Language,
        _ => modules.kind_of(Utf8Path::new(source.path()), module_of(import)),
    }
}

/// Texts to insert, by their places.
#[derive(Default)]
struct Insertions(BTreeMap<usize, String>);

impl Insertions {
    fn add(&mut self, at: usize, text: String) {
        self.0.entry(at).or_default().push_str(&text);
    }

    fn into_replacements(self) -> Vec<Replacement> {
        let all = self.0.into_iter();
        let all = all.map(|(at, new_text)| Replacement {
            span: Span::at(at),
            new_text,
        });
        all.collect()
    }
}

/// Returns the import statements of the file itself that precede its first definition.
fn header<'i>(parsed: &Parsed, imports: &'i [Import]) -> Vec<&'i Import> {
    let first = parsed.root().own_children().into_iter().find(|node| {
        let own = node.unwrapped();
        let is_import = imports.iter().any(|import| import.span == node.span());
        own.last()
            .is_some_and(|node| node.definition().is_some_and(is_block_definition))
            && !is_import
    });
    let first = first.map_or(usize::MAX, |node| node.span().start());
    let is_own = |import: &&Import| {
        import.is_top() && import.kind != ImportKind::Export && import.span.start() < first
    };
    imports.iter().filter(is_own).collect()
}

fn is_block_definition(kind: &str) -> bool {
    !matches!(kind, "variable" | "constant")
}

/// Returns the insertion of the first import statements of a file: after the comments about the file and its docstring.
pub(super) fn first_import(
    parsed: &Parsed,
    facts: &ImportFacts,
    text: &str,
    eol: &str,
) -> Replacement {
    let source = parsed.source();
    let whole = source.text();
    let children = parsed.root().own_children();
    let is_head = |node: &&Node<'_>| is_docstring(**node);
    let head = children
        .iter()
        .find(|node| !node.is_word("comment", None))
        .filter(is_head);
    let comments = children
        .iter()
        .take_while(|node| node.is_word("comment", None));
    // Comments that touch the first definition belong to it.
    let comments = comments.filter(|node| {
        let rest = &whole[node.span().end()..];
        let blank = rest.trim_start_matches([' ', '\t', '\r']);
        blank
            .strip_prefix('\n')
            .is_some_and(|rest| rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n'))
    });
    let after = head.or(comments.last()).map(|node| node.span().end());
    let Some(after) = after else {
        let start = whole.len() - whole.trim_start_matches('\u{feff}').len();
        let start = match whole[start..].starts_with("#!") {
            true => whole.find('\n').map_or(whole.len(), |at| at + 1),
            false => start,
        };
        let gap = match whole[start..].trim().is_empty() {
            true => eol.to_string(),
            false => format!("{eol}{}", eol.repeat(facts.blank_lines)),
        };
        return Replacement {
            span: Span::at(start),
            new_text: format!("{text}{gap}"),
        };
    };
    let end = whole[after..]
        .find('\n')
        .map_or(whole.len(), |at| after + at);
    let end = end - usize::from(whole[..end].ends_with('\r'));
    let rest = whole[end..].trim_start_matches(['\r', ' ', '\t']);
    let has_gap = rest.trim().is_empty() || rest.starts_with("\n\n") || rest.starts_with("\n\r\n");
    let gap = if has_gap {
        String::new()
    } else {
        eol.to_string()
    };
    Replacement {
        span: Span::at(end),
        new_text: format!("{eol}{eol}{text}{gap}"),
    }
}

/// Returns whether a node is a string as a statement.
fn is_docstring(node: Node<'_>) -> bool {
    let is_string = |node: Node<'_>| node.is_word("string", None);
    let mut inner = node.own_children();
    inner.retain(|one| one.is_named());
    is_string(node) || inner.len() == 1 && inner.first().is_some_and(|one| is_string(*one))
}

/// Returns the first line of the block that contains an import statement, if the block is that of a condition of the file.
pub(super) fn guard_of(source: &Source, import: &Import) -> Option<String> {
    match import.place {
        ImportPlace::Block(guard) => Some(source.slice(guard).into_owned()),
        _ => None,
    }
}

/// Returns the first line of the block with a span that only type checkers read.
pub(super) fn type_guard_at(parsed: &Parsed, facts: &ImportFacts, span: Span) -> Option<Span> {
    let source = parsed.source();
    let chain = parsed.chain(span);
    chain.windows(2).find_map(|nodes| {
        let (start, inner) = (nodes[0].span().start(), nodes[1].span().start());
        let line = source.line_span(source.line_of(start))?;
        let text = source.slice(Span::new(start, line.end()));
        let header = Span::new(start, start + text.trim_end().len());
        // The other branch of the condition is not guarded.
        let is_first = header.end() <= inner && is_blank(source.text(), header.end(), inner);
        (is_first && facts.is_type_guard(text.trim_end())).then_some(header)
    })
}

/// Returns the statements that import or export items of a module as another statement does: values and types apart.
pub(super) fn statements_like(
    facts: &ImportFacts,
    import: &Import,
    like: &str,
    wanted: &[Wanted],
) -> Vec<String> {
    let of = |is_type: bool| -> Vec<&Wanted> {
        let own = wanted
            .iter()
            .filter(|one| (one.is_type || import.is_type) == is_type);
        own.collect()
    };
    let parts = [(false, of(false)), (true, of(true))].into_iter();
    let parts = parts.filter(|(_, items)| !items.is_empty());
    parts
        .map(|(is_type, items)| match import.kind {
            ImportKind::Export => export_statement(facts, like, &items, is_type),
            _ => statement(facts, Some(like), &items),
        })
        .collect()
}

/// Returns the statement that exports items of a module.
fn export_statement(facts: &ImportFacts, like: &str, wanted: &[&Wanted], is_type: bool) -> String {
    let items: Vec<String> = wanted.iter().map(|one| one.item(facts)).collect();
    let module = wanted.first().map_or("", |one| one.module.as_str());
    let values = [("module", module), ("items", &items.join(", "))];
    let template = match is_type {
        true => facts.export_type.as_ref(),
        false => facts.export_from.as_ref(),
    };
    like_statement(
        &filled(template.unwrap_or(&facts.from), &values),
        Some(like),
    )
}
