//! Moves between the modules of a crate, whose files are modules that other files declare.
//!
//! The new file gets the imports that the moved code needs. The old module imports the moved names again, with their
//! visibility, wherever something may still name them there, so all paths to them stay valid.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::change::Replacement;
use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::facts::CrateFacts;
use super::layout;
use super::modules::folder;
use super::moving::Plan;
use super::names::words;
use super::specs;
use super::statements;
use super::{ImportNote, NoteKind, ProblemKind};

/// A name that an import statement gives.
#[derive(Clone, Debug)]
struct Leaf {
    /// The path as it is written.
    path: Vec<String>,
    alias: Option<String>,
    is_glob: bool,
    statement: Span,
    /// Whether attributes precede the statement.
    is_guarded: bool,
    /// Whether the statement has no other name.
    is_alone: bool,
}

/// An item at the top level of a file.
#[derive(Clone, Debug)]
struct CrateItem {
    name: String,
    span: Span,
    name_span: Span,
    visibility: Option<String>,
}

/// The place of a file in its crate.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    root: Utf8PathBuf,
    path: Vec<String>,
}

/// The words of a code with their places, without those of comments and strings.
struct Words {
    all: Vec<(String, Span)>,
}

impl Words {
    fn of(parsed: &Parsed, spans: &[Span]) -> Words {
        let mut all = Vec::new();
        let mut open = vec![parsed.root()];
        while let Some(node) = open.pop() {
            let children = node.own_children();
            let is_named = node.is(Mark::ScopedName);
            if is_named && spans.iter().any(|span| span.contains(node.span())) {
                all.push((parsed.source().slice(node.span()).into_owned(), node.span()));
            }
            let near = children.into_iter().filter(|child| {
                child.is_named() && spans.iter().any(|span| child.span().touches(*span))
            });
            open.extend(near);
        }
        all.sort_by_key(|(_, span)| *span);
        Words { all }
    }

    fn first(&self, name: &str) -> Option<Span> {
        let mut all = self.all.iter();
        all.find(|(word, _)| word == name).map(|(_, span)| *span)
    }

    fn has(&self, name: &str) -> bool {
        self.first(name).is_some()
    }

    /// Returns those that are not members of something.
    fn free(self, parsed: &Parsed, facts: &CrateFacts) -> Words {
        let text = parsed.source().text();
        let is_free = |(_, span): &(String, Span)| {
            let before = &text[..span.start()];
            let is_field = before.ends_with('.') && !before.ends_with("..");
            !is_field && !before.ends_with(facts.separator.as_str())
        };
        Words {
            all: self.all.into_iter().filter(is_free).collect(),
        }
    }
}

impl Leaf {
    /// Returns the name that it gives.
    fn bound(&self) -> &str {
        let last = self.path.last().map_or("", String::as_str);
        self.alias.as_deref().unwrap_or(last)
    }
}

impl Plan<'_> {
    /// Plans a move between the modules of a crate.
    pub(super) fn crate_move(&mut self, facts: &CrateFacts) {
        let moved = self.moved;
        for parsed in [moved.before, moved.target] {
            if let Some(span) = parsed.problems().first().map(|problem| problem.span) {
                self.problem(parsed, span, "", ProblemKind::Unparsed);
            }
        }
        let [old, new] = [&moved.old_path, &moved.target_path].map(|path| self.place(facts, path));
        let (Some(old), Some(new)) = (old, new) else {
            let unknown = match self.place(facts, &moved.old_path) {
                None => moved.before,
                Some(_) => moved.target,
            };
            let span = unknown.source().line_span(1).unwrap_or(Span::at(0));
            return self.problem(unknown, span, "", ProblemKind::NoPlace);
        };
        if old.root != new.root {
            let span = moved.target.source().line_span(1).unwrap_or(Span::at(0));
            return self.problem(moved.target, span, "", ProblemKind::NoPlace);
        }
        if !self.problems.is_empty() {
            return;
        }
        self.visible_modules(facts, &old, &new);
        self.crate_forms(facts, &old, &new);
        self.crate_needs(facts, &old, &new);
        self.crate_members(facts, &old, &new);
        self.hidden_outside(facts, &old, &new);
        self.crate_users(facts, &old, &new);
    }

    /// Returns the place of a file whose module its parent declares once, without attributes.
    fn place(&self, facts: &CrateFacts, path: &Utf8Path) -> Option<Place> {
        let stem = path.file_stem()?;
        let is_root = |folder: &Utf8Path| -> Vec<Utf8PathBuf> {
            let all = facts.roots.iter().flat_map(|root| {
                let extensions = self.facts.extensions.iter();
                extensions.map(move |one| folder.join(format!("{root}.{one}")))
            });
            all.filter(|file| self.modules.project.has_file(file))
                .collect()
        };
        let mut segments: Vec<String> = Vec::new();
        let mut above = folder(path).to_owned();
        let mut roots = is_root(&above);
        if roots.iter().any(|root| root == path) {
            return Some(Place {
                root: path.to_owned(),
                path: segments,
            });
        }
        if stem != self.facts.package {
            segments.push(stem.to_string());
        }
        while roots.is_empty() {
            segments.insert(0, above.file_name()?.to_string());
            above = above.parent()?.to_owned();
            roots = is_root(&above);
        }
        let first = segments.first()?;
        let declaring: Vec<Utf8PathBuf> = roots
            .into_iter()
            .filter(|root| {
                let parsed = self.modules.project.parsed(root);
                parsed.is_some_and(|parsed| declared(&parsed, first).is_some())
            })
            .collect();
        let [root] = &declaring[..] else {
            return None;
        };
        let place = Place {
            root: root.clone(),
            path: segments,
        };
        (0..place.path.len())
            .all(|index| self.declaration(&place, index).is_some())
            .then_some(place)
    }

    /// Returns the visibility of a module on the way to a place: the text of it, or none.
    fn declaration(&self, place: &Place, index: usize) -> Option<Option<String>> {
        let file = self.file_of_module(place, index)?;
        let parsed = self.modules.project.parsed(&file)?;
        declared(&parsed, &place.path[index])
    }

    /// Returns the file of the module with the first segments of a path.
    fn file_of_module(&self, place: &Place, length: usize) -> Option<Utf8PathBuf> {
        if length == 0 {
            return Some(place.root.clone());
        }
        let base: Utf8PathBuf = place.path[..length].iter().collect();
        let base = folder(&place.root).join(base);
        let all = self.facts.extensions.iter().flat_map(|one| {
            [
                Utf8PathBuf::from(format!("{base}.{one}")),
                base.join(format!("{}.{one}", self.facts.package)),
            ]
        });
        let found: Vec<Utf8PathBuf> = all
            .filter(|file| self.modules.project.has_file(file))
            .collect();
        match &found[..] {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// Refuses modules that do not see each other.
    fn visible_modules(&mut self, facts: &CrateFacts, old: &Place, new: &Place) {
        for (from, to) in [(old, new), (new, old)] {
            for index in 0..to.path.len() {
                let visibility = self.declaration(to, index).flatten();
                let is_public = visibility.is_some_and(|one| facts.visible.contains(&one));
                if !is_public && !from.path.starts_with(&to.path[..index]) {
                    let parsed = self.moved.target.clone();
                    let span = parsed.source().line_span(1).unwrap_or(Span::at(0));
                    self.problem(&parsed, span, &to.path[index], ProblemKind::Private);
                }
            }
        }
    }

    /// Refuses items whose meaning depends on their place.
    fn crate_forms(&mut self, facts: &CrateFacts, old: &Place, new: &Place) {
        let moved = self.moved;
        let mut wrong = Vec::new();
        for span in &moved.removed {
            let tops = moved.before.root().own_children().into_iter();
            for node in tops.filter(|node| node.is_named() && span.contains(node.span())) {
                if node.is(Mark::PlaceItem) {
                    wrong.push(node.span());
                }
            }
            // Relative paths in a module inside a function start at that module.
            let modules = |node: Node<'_>, parent: Option<Node<'_>>| {
                let is_inner =
                    parent.is_some_and(|parent| parent.span() != moved.before.root().span());
                is_inner && node.is(Mark::ModuleItem)
            };
            let modules = specs::nodes_inside(moved.before, *span, modules);
            wrong.extend(modules.iter().map(|node| node.span()));
            let text = moved.before.source().slice(*span).into_owned();
            let found = facts
                .refused_texts
                .iter()
                .find_map(|one| text.find(one.as_str()));
            if let Some(at) = found {
                wrong.push(Span::new(span.start() + at, span.start() + at + 1));
            }
            if folder(&moved.old_path) != folder(&moved.target_path) {
                let found = facts
                    .file_texts
                    .iter()
                    .find_map(|one| text.find(one.as_str()));
                wrong.extend(found.map(|at| Span::new(span.start() + at, span.start() + at + 1)));
            }
        }
        for span in wrong {
            self.problem(moved.before, span, "", ProblemKind::OfPlace);
        }
        let attributes = |parsed: &Parsed| -> Vec<String> {
            let lines = parsed.source().text().lines();
            let own = lines.filter(|line| line.starts_with(facts.file_attribute.as_str()));
            own.map(str::to_string).collect()
        };
        // A file may also be a module of another crate, such as a build script.
        let name = moved.old_path.file_name().unwrap_or_default().to_string();
        let found = self
            .modules
            .project
            .files_with(&facts.path_texts, &self.facts.extensions);
        for file in found.files {
            let text = file.source().text();
            if let Some(at) = text.find(name.as_str()) {
                let span = Span::new(at, at + name.len());
                self.problem(&file, span, &name, ProblemKind::NoPlace);
            }
        }
        let is_root = old.path.is_empty() || new.path.is_empty();
        if !is_root && attributes(moved.before) != attributes(moved.target) {
            let span = moved.target.source().line_span(1).unwrap_or(Span::at(0));
            self.problem(moved.target, span, "", ProblemKind::OtherConditions);
        }
    }

    /// Imports what the moved code uses.
    fn crate_needs(&mut self, facts: &CrateFacts, old: &Place, new: &Place) {
        let moved = self.moved;
        let all_used = Words::of(moved.before, &moved.removed);
        let used = Words::of(moved.before, &moved.removed).free(moved.before, facts);
        let own = items(moved.before);
        let is_moved = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let leaves = own_leaves(moved.before, facts);
        let there = own_leaves(moved.target, facts);
        let there_items = items(moved.target);
        let is_bound = |name: &str| {
            let item = there_items
                .iter()
                .find(|item| item.name == name && !moved.has_arrived(item.name_span));
            item.map(|item| item.name_span)
        };
        self.names = own
            .iter()
            .filter(|item| is_moved(item.name_span))
            .map(|item| item.name.clone())
            .collect();
        for name in self.names.clone() {
            let is_import = there.iter().any(|leaf| leaf.bound() == name);
            let other = match is_import {
                true => None,
                false => is_bound(&name).or_else(|| self.means_there(facts, &name)),
            };
            if let Some(span) = other {
                self.problem(moved.target, span, &name, ProblemKind::Bound);
            }
        }
        if let Some(glob) = leaves.iter().find(|leaf| leaf.is_glob) {
            let has_glob = there.iter().any(|leaf| {
                leaf.is_glob && absolute(facts, &leaf.path, new) == absolute(facts, &glob.path, old)
            });
            if !has_glob {
                let name = glob.path.join(&facts.separator);
                self.problem(moved.before, glob.statement, &name, ProblemKind::FromStar);
            }
        }
        self.relative_paths(facts, old);
        // Code calls methods of traits without naming them, also by macros.
        let source = moved.before.source().text();
        let calls = all_used.all.iter().any(|(_, span)| {
            let before = &source[..span.start()];
            before.ends_with(['.', ':'])
                || source[span.end()..].starts_with(facts.macro_sign.as_str())
        });
        for leaf in &leaves {
            let name = leaf.bound().to_string();
            let is_used = used.has(&name);
            let is_trait = calls && self.may_be_trait(&name, leaf, facts);
            if leaf.is_glob || !is_used && !is_trait {
                continue;
            }
            let span = used.first(&name).unwrap_or(leaf.statement);
            if leaf.is_guarded {
                self.problem(moved.before, span, &name, ProblemKind::Guarded);
                continue;
            }
            let Some(path) = absolute(facts, &leaf.path, old) else {
                self.problem(moved.before, leaf.statement, &name, ProblemKind::NoModule);
                continue;
            };
            let first = leaf.path.first().cloned().unwrap_or_default();
            let is_local = own.iter().any(|item| item.name == first)
                || leaves
                    .iter()
                    .any(|other| other.bound() == first && other.path.len() > 1);
            if is_local && leaf.path.len() > 1 {
                self.problem(moved.before, leaf.statement, &name, ProblemKind::NoModule);
                continue;
            }
            let target_path: Vec<String> = std::iter::once(facts.root.clone())
                .chain(new.path.iter().cloned())
                .collect();
            let is_of_target =
                path.len() == target_path.len() + 1 && path.starts_with(&target_path);
            if is_of_target {
                if leaf.alias.is_some() {
                    self.problem(moved.before, leaf.statement, &name, ProblemKind::Alias);
                }
                continue;
            }
            if is_used {
                self.brought.push(name.clone());
            }
            self.want_path(
                facts,
                (&path, leaf.alias.as_deref()),
                &name,
                (&there, new),
                is_bound(&name),
            );
        }
        for item in own.iter().filter(|item| !is_moved(item.name_span)) {
            let methods = methods_of_trait(moved.before, item);
            let by_method = methods.iter().find_map(|method| all_used.first(method));
            let Some(span) = all_used.first(&item.name).or(by_method) else {
                continue;
            };
            if leaves.iter().any(|leaf| leaf.bound() == item.name) {
                continue;
            }
            let is_visible = item
                .visibility
                .as_ref()
                .is_some_and(|one| facts.visible.contains(one));
            if !is_visible && !new.path.starts_with(&old.path) {
                self.problem(
                    moved.before,
                    item.name_span,
                    &item.name,
                    ProblemKind::Private,
                );
                continue;
            }
            let node = moved.before.root().own_children().into_iter();
            let mut node = node.filter(|node| node.span().contains(item.name_span));
            if node.any(|node| node.is(Mark::PlaceItem)) {
                self.problem(moved.before, span, &item.name, ProblemKind::OfPlace);
                continue;
            }
            if !used.has(&item.name) && by_method.is_none() {
                continue;
            }
            let mut path = vec![facts.root.clone()];
            path.extend(old.path.iter().cloned());
            path.push(item.name.clone());
            self.want_path(
                facts,
                (&path, None),
                &item.name,
                (&there, new),
                is_bound(&item.name),
            );
        }
        // Names of the new file that the moved code does not mean.
        for (name, span) in &used.all {
            let is_known = own.iter().any(|item| item.name == *name)
                || leaves.iter().any(|leaf| leaf.bound() == name);
            let text = moved.before.source().text();
            let is_member = text[..span.start()].ends_with(['.', ':']);
            if is_known || is_member {
                continue;
            }
            let bound = is_bound(name).or_else(|| {
                let leaf = there
                    .iter()
                    .find(|leaf| !leaf.is_glob && leaf.bound() == name);
                leaf.map(|leaf| leaf.statement)
            });
            if let Some(bound) = bound {
                self.problem(moved.target, bound, name, ProblemKind::Bound);
            }
            let is_macro = text[span.end()..].starts_with(facts.macro_sign.as_str());
            let is_there = moved.target.source().text().match_indices(name.as_str());
            let has_there = is_there.into_iter().any(|(at, _)| {
                let one = Span::new(at, at + name.len());
                let rest = &moved.target.source().text()[one.end()..];
                !moved.has_arrived(one) && rest.starts_with(facts.macro_sign.as_str())
            });
            if is_macro && !has_there && !self.facts.builtins.contains(name) {
                self.problem(moved.before, *span, name, ProblemKind::OfPlace);
            }
        }
    }

    /// Adds an import of a path to the new file, unless it has it.
    fn want_path(
        &mut self,
        facts: &CrateFacts,
        (path, alias): (&[String], Option<&str>),
        name: &str,
        (there, new): (&[Leaf], &Place),
        bound: Option<Span>,
    ) {
        let moved = self.moved;
        if let Some(span) = bound {
            return self.problem(moved.target, span, name, ProblemKind::Bound);
        }
        let mut same = there.iter();
        let same = same.find(|leaf| !leaf.is_glob && leaf.bound() == name);
        if let Some(leaf) = same {
            if leaf.is_guarded || absolute(facts, &leaf.path, new).as_deref() != Some(path) {
                self.problem(moved.target, leaf.statement, name, ProblemKind::Bound);
            }
            return;
        }
        let first = path.first().cloned().unwrap_or_default();
        let tops = items(moved.target);
        let is_local = tops
            .iter()
            .find(|item| item.name == first)
            .map(|item| item.name_span);
        let is_local = is_local.or_else(|| {
            let leaf = there
                .iter()
                .find(|leaf| leaf.bound() == first && leaf.path.len() > 1);
            leaf.map(|leaf| leaf.statement)
        });
        if let Some(span) = is_local.filter(|_| path.len() > 1) {
            return self.problem(moved.target, span, &first, ProblemKind::Bound);
        }
        if let Some(span) = self.means_there(facts, name) {
            return self.problem(moved.target, span, name, ProblemKind::Bound);
        }
        // Two traits of one name may have methods of one name.
        let last = path.last();
        let same = there.iter().find(|leaf| {
            let is_same = !leaf.is_glob && leaf.path.last() == last;
            is_same && absolute(facts, &leaf.path, new).as_deref() != Some(path)
        });
        if let Some(leaf) = same {
            return self.problem(moved.target, leaf.statement, name, ProblemKind::Bound);
        }
        let mut text = path.join(&facts.separator);
        if let Some(alias) = alias {
            text = facts
                .alias
                .replace("{path}", &text)
                .replace("{alias}", alias);
        }
        let text = facts.statement.replace("{path}", &text);
        self.there().want_line(text);
    }

    /// Returns where the code of the new file uses a name, which is not bound there, as that of an item.
    fn means_there(&self, facts: &CrateFacts, name: &str) -> Option<Span> {
        let moved = self.moved;
        let whole = moved.target.source().whole();
        let text = moved.target.source().text();
        let heads: Vec<Span> = statements::all(moved.target)
            .iter()
            .map(|one| one.span)
            .collect();
        let used = Words::of(moved.target, &[whole]).free(moved.target, facts);
        let mut own = used.all.into_iter().filter(|(word, span)| {
            let rest = &text[span.end()..];
            let is_item = name.starts_with(char::is_uppercase)
                || [facts.separator.as_str(), facts.macro_sign.as_str(), "("]
                    .iter()
                    .any(|sign| rest.starts_with(sign));
            let is_head = heads.iter().any(|head| head.contains(*span));
            word == name && is_item && !is_head && !moved.has_arrived(*span)
        });
        own.next().map(|(_, span)| span)
    }

    /// Returns whether a name may be that of a trait, whose methods code calls without naming it.
    fn may_be_trait(&self, name: &str, leaf: &Leaf, facts: &CrateFacts) -> bool {
        let moved = self.moved;
        if leaf.alias.as_ref() == Some(&facts.blank) {
            return true;
        }
        if !leaf
            .path
            .last()
            .is_some_and(|last| last.starts_with(char::is_uppercase))
        {
            return false;
        }
        let text = moved.before.source().text();
        let mut open = vec![moved.before.root()];
        while let Some(node) = open.pop() {
            for child in node
                .own_children()
                .into_iter()
                .filter(|child| child.is_named())
            {
                let is_type =
                    child.is_in(Mark::TypeName, node) && !child.is_in(Mark::TraitName, node);
                let is_own = &text[child.span().start()..child.span().end()] == name;
                if is_type && is_own {
                    return false;
                }
                open.push(child);
            }
        }
        // Code takes variants and constants of types.
        !text.match_indices(name).any(|(at, _)| {
            let rest = text[at + name.len()..].strip_prefix(facts.separator.as_str());
            rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
        })
    }

    /// Writes paths that start at the old module as paths of the crate, not those in strings.
    fn relative_paths(&mut self, facts: &CrateFacts, old: &Place) {
        let moved = self.moved;
        for span in moved.arrived.clone() {
            let text = moved.target.source().slice(span).into_owned();
            let starts = [&facts.own, &facts.above].map(|one| format!("{one}{}", facts.separator));
            let mut at = 0;
            while at < text.len() {
                let rest = &text[at..];
                let before = text[..at].chars().next_back();
                let is_start = before.is_none_or(|c| c != '_' && c != ':' && !c.is_alphanumeric());
                let is_path = starts.iter().any(|start| rest.starts_with(start.as_str()));
                if !is_start || !is_path {
                    at += rest.chars().next().map_or(1, char::len_utf8);
                    continue;
                }
                let mut length = 0;
                let mut path = old.path.clone();
                while let Some(start) = starts
                    .iter()
                    .find(|one| rest[length..].starts_with(one.as_str()))
                {
                    if *start == starts[1] && path.pop().is_none() {
                        break;
                    }
                    length += start.len();
                }
                let mut whole = vec![facts.root.clone()];
                whole.extend(path);
                let new_text = format!("{}{}", whole.join(&facts.separator), facts.separator);
                let start = span.start() + at;
                let path = Span::new(start, start + length);
                at += length;
                let chain = moved.target.chain(path);
                if !chain.iter().any(|node| node.is_word("string", None)) {
                    self.there().replace(path, new_text);
                }
            }
        }
    }

    /// Refuses fields and methods that only one of the modules sees, by their names.
    fn crate_members(&mut self, facts: &CrateFacts, old: &Place, new: &Place) {
        let moved = self.moved;
        let is_moved = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let used = Words::of(moved.before, &moved.removed);
        let mut after: BTreeSet<String> = BTreeSet::new();
        let rest = Words::of(moved.after, &[moved.after.source().whole()]);
        after.extend(rest.all.into_iter().map(|(name, _)| name));
        let mut wrong = Vec::new();
        let mut open: Vec<Node<'_>> = vec![moved.before.root()];
        let mut hidden = Vec::new();
        while let Some(node) = open.pop() {
            for child in node
                .own_children()
                .into_iter()
                .filter(|child| child.is_named())
            {
                if child.is_in(Mark::PrivateMember, node) && is_hidden(facts, moved.before, child) {
                    hidden.push(child);
                }
                open.push(child);
            }
        }
        let names: Vec<String> = self.names.clone();
        let below = self.files_below(old);
        for node in hidden {
            let text = moved.before.source().slice(node.span()).into_owned();
            let name = node
                .own_children()
                .into_iter()
                .find(|one| one.is(Mark::ScopedName));
            let name = match name {
                Some(name) => moved.before.source().slice(name.span()).into_owned(),
                None => text.clone(),
            };
            let is_unnamed = node.is(Mark::Unnamed);
            let is_seen = match is_moved(node.span()) {
                true => {
                    after.contains(&name)
                        || is_unnamed && names.iter().any(|own| after.contains(own))
                        || below
                            .iter()
                            .any(|file| words(file.source().text()).any(|(_, word)| word == name))
                }
                false => {
                    let is_inside = new.path.starts_with(&old.path);
                    !is_inside && used.has(&name)
                }
            };
            if is_seen {
                wrong.push((node.span(), name));
            }
        }
        for (span, name) in wrong {
            self.problem(moved.before, span, &name, ProblemKind::Private);
        }
    }

    /// Refuses names that the modules above the old one, or others, let only a part of the crate see.
    fn hidden_outside(&mut self, facts: &CrateFacts, old: &Place, new: &Place) {
        let moved = self.moved;
        let used = Words::of(moved.before, &moved.removed);
        let mut files: Vec<(Arc<Parsed>, bool)> = Vec::new();
        for length in 0..old.path.len() {
            if new.path.starts_with(&old.path[..length]) {
                continue;
            }
            let file = self.file_of_module(old, length);
            let parsed = file.and_then(|file| self.modules.project.parsed(&file));
            files.extend(parsed.map(|parsed| (parsed, true)));
        }
        let parent = &old.path[..old.path.len().saturating_sub(1)];
        if !new.path.starts_with(parent) {
            let found = self
                .modules
                .project
                .files_with(&facts.restricted, &self.facts.extensions);
            files.extend(found.files.into_iter().map(|file| (file, false)));
        }
        for (file, is_above) in files {
            let mut open: Vec<Node<'_>> = vec![file.root()];
            let mut wrong = Vec::new();
            while let Some(node) = open.pop() {
                for child in node
                    .own_children()
                    .into_iter()
                    .filter(|child| child.is_named())
                {
                    let is_member =
                        child.is_in(Mark::PrivateMember, node) || child.is(Mark::NamedItem);
                    let is_restricted = is_above || visibility(&file, child).is_some();
                    if is_member && is_restricted && is_hidden(facts, &file, child) {
                        let own = child.own_children().into_iter();
                        let name = own
                            .filter(|one| one.is(Mark::ScopedName))
                            .map(|one| one.span())
                            .next();
                        let name = name.map(|span| (file.source().slice(span).into_owned(), span));
                        wrong.extend(name.filter(|(name, _)| used.has(name)));
                    }
                    open.push(child);
                }
            }
            for (name, span) in wrong {
                self.problem(&file, span, &name, ProblemKind::Private);
            }
        }
        let root = self.modules.project.parsed(&old.root);
        let strict = root.and_then(|root| {
            let text = root.source().text();
            let mut all = facts.strict_texts.iter();
            let at = all.find_map(|one| text.find(one.as_str()))?;
            Some((root.clone(), Span::new(at, at + 1)))
        });
        if let Some((root, span)) = strict {
            self.problem(&root, span, "", ProblemKind::OfPlace);
        }
    }

    /// Returns the files of the modules inside a module.
    fn files_below(&self, place: &Place) -> Vec<Arc<Parsed>> {
        let moved = self.moved;
        let base = folder(&place.root).join(place.path.iter().collect::<Utf8PathBuf>());
        let found = self
            .modules
            .project
            .files_with(&self.names, &self.facts.extensions);
        let others = found.files.into_iter();
        others
            .filter(|file| {
                let path = Utf8Path::new(file.source().path());
                path.starts_with(&base) && path != moved.old_path && path != moved.target_path
            })
            .collect()
    }

    /// Keeps the paths to the moved names valid, and removes imports that only the moved code used.
    fn crate_users(&mut self, facts: &CrateFacts, old: &Place, new: &Place) {
        let moved = self.moved;
        let own = items(moved.before);
        let rest = Words::of(moved.after, &[moved.after.source().whole()]);
        let found = self
            .modules
            .project
            .files_with(&self.names, &self.facts.extensions);
        for path in found.unread {
            let (line, what) = (0, NoteKind::Unread);
            self.notes.push(ImportNote { path, line, what });
        }
        let others: Vec<Arc<Parsed>> = found
            .files
            .into_iter()
            .filter(|file| {
                let path = file.source().path();
                path != moved.old_path && path != moved.target_path
            })
            .collect();
        let mut module = vec![facts.root.clone()];
        module.extend(new.path.iter().cloned());
        // The new file defines what it imported.
        let target_leaves = own_leaves(moved.target, facts);
        for leaf in target_leaves {
            let name = leaf.bound().to_string();
            if !self.names.contains(&name) || leaf.is_glob {
                continue;
            }
            let mut wanted = vec![facts.root.clone()];
            wanted.extend(old.path.iter().cloned());
            wanted.push(name.clone());
            let is_own = absolute(facts, &leaf.path, new) == Some(wanted);
            let is_removed = is_own && leaf.is_alone && self.there().delete(leaf.statement);
            if !is_removed {
                self.problem(moved.target, leaf.statement, &name, ProblemKind::Bound);
            }
        }
        let moved_items = own
            .into_iter()
            .filter(|item| moved.removed.iter().any(|one| one.contains(item.name_span)));
        for item in moved_items {
            let is_public = item.visibility.as_deref() == facts.visible.first().map(String::as_str);
            let methods = methods_of_trait(moved.before, &item);
            let is_used = rest.has(&item.name)
                || methods.iter().any(|method| rest.has(method))
                || others
                    .iter()
                    .any(|file| words(file.source().text()).any(|(_, word)| word == item.name));
            if !is_public && !is_used {
                continue;
            }
            match &item.visibility {
                Some(one) if !facts.visible.contains(one) => {
                    self.problem(
                        moved.before,
                        item.name_span,
                        &item.name,
                        ProblemKind::Private,
                    );
                    continue;
                }
                Some(_) => {}
                None => {
                    let there = items(moved.target);
                    let mut there = there.iter().filter(|one| one.name == item.name);
                    let Some(arrived) = there.find(|one| moved.has_arrived(one.name_span)) else {
                        continue;
                    };
                    let edit = Replacement {
                        span: Span::at(arrived.span.start()),
                        new_text: facts.export.clone(),
                    };
                    self.there().extend([edit]);
                }
            }
            let mut path = module.clone();
            path.push(item.name.clone());
            let text = facts
                .statement
                .replace("{path}", &path.join(&facts.separator));
            let text = match &item.visibility {
                Some(visibility) => format!("{visibility} {text}"),
                None => text,
            };
            self.old().want_line(text);
        }
        // What nothing names any longer.
        let leaves = own_leaves(moved.after, facts);
        let text = moved.after.source().text().to_string();
        let is_unused = |leaf: &&Leaf| {
            let name = leaf.bound();
            let is_left = words(&text).any(|(at, word)| {
                word == name && !leaf.statement.contains(Span::new(at, at + word.len()))
            });
            let is_private = text[leaf.statement.start()..].starts_with(facts.use_word.as_str());
            let is_brought = self.brought.iter().any(|one| one == name);
            !leaf.is_guarded
                && !leaf.is_glob
                && is_brought
                && !is_left
                && is_private
                && !self.may_be_trait(name, leaf, facts)
        };
        let gone: Vec<Leaf> = leaves.iter().filter(is_unused).cloned().collect();
        let statements: BTreeSet<Span> = gone.iter().map(|leaf| leaf.statement).collect();
        for statement in statements {
            let own = leaves.iter().filter(|leaf| leaf.statement == statement);
            let left = own.filter(|leaf| !gone.iter().any(|one| one.path == leaf.path));
            if left.count() == 0 {
                self.old().delete(statement);
                continue;
            }
            // An unused import is no error.
            let names: Vec<&str> = gone.iter().map(Leaf::bound).collect();
            if let Some(new_text) =
                without_items(facts, &text[statement.start()..statement.end()], &names)
            {
                self.old().replace(statement, new_text);
            }
        }
    }
}

/// Returns a statement of one line without some of its items, if it has one list of them.
fn without_items(facts: &CrateFacts, statement: &str, names: &[&str]) -> Option<String> {
    let (head, rest) = statement.split_once('{')?;
    let (items, end) = rest.split_once('}')?;
    if statement.contains('\n') || items.contains('{') {
        return None;
    }
    let is_kept = |item: &&str| {
        let mut flat = Vec::new();
        flatten(facts, item, &[], &mut flat);
        let bound = flat.first().map(|(path, alias, _)| {
            let last = path.last().cloned().unwrap_or_default();
            alias.clone().unwrap_or(last)
        });
        !bound.is_some_and(|bound| names.contains(&bound.as_str()))
    };
    let kept: Vec<&str> = items
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .filter(is_kept)
        .collect();
    match &kept[..] {
        [only] if **only != *facts.own => Some(format!("{head}{only}{end}")),
        _ => Some(format!("{head}{{{}}}{end}", kept.join(", "))),
    }
}

/// Returns the path from the root of the crate, or of another crate.
fn absolute(facts: &CrateFacts, path: &[String], place: &Place) -> Option<Vec<String>> {
    let mut base = place.path.clone();
    let mut rest = path;
    let first = path.first()?;
    if *first != facts.own && *first != facts.above {
        return Some(path.to_vec());
    }
    while let Some(one) = rest.first() {
        match one {
            one if *one == facts.own => {}
            one if *one == facts.above => {
                base.pop()?;
            }
            _ => break,
        }
        rest = &rest[1..];
    }
    let mut all = vec![facts.root.clone()];
    all.extend(base);
    all.extend(rest.iter().cloned());
    Some(all)
}

/// Returns the visibility of a module that a file declares once, without attributes.
fn declared(parsed: &Parsed, name: &str) -> Option<Option<String>> {
    let children = parsed.root().own_children();
    let mut found = Vec::new();
    for (index, node) in children.iter().enumerate() {
        if !node.is(Mark::ModuleItem) {
            continue;
        }
        let own = node.own_children().into_iter();
        let mut named = own.filter(|child| child.is(Mark::ScopedName));
        let is_own = named.any(|child| *parsed.source().slice(child.span()) == *name);
        if !is_own {
            continue;
        }
        let is_guarded = has_attribute(&children[..index]);
        found.push((visibility(parsed, *node), is_guarded));
    }
    match &found[..] {
        [(visibility, false)] => Some(visibility.clone()),
        _ => None,
    }
}

/// Returns whether an attribute belongs to what follows some nodes.
fn has_attribute(before: &[Node<'_>]) -> bool {
    let attached = before.iter().rev().map_while(|node| node.attached());
    attached.into_iter().any(|kind| kind == "attribute")
}

/// Returns whether only a part of the crate sees a member or an item.
fn is_hidden(facts: &CrateFacts, parsed: &Parsed, node: Node<'_>) -> bool {
    visibility(parsed, node).is_none_or(|one| !facts.visible.contains(&one))
}

fn visibility(parsed: &Parsed, node: Node<'_>) -> Option<String> {
    let children = node.own_children().into_iter();
    let mut own = children.filter(|child| child.is(Mark::Visibility));
    let own = own.next()?;
    let text = parsed.source().slice(own.span()).into_owned();
    Some(text.split_whitespace().collect())
}

/// Returns the names of the methods of a trait, which code calls without naming the trait.
fn methods_of_trait(parsed: &Parsed, item: &CrateItem) -> Vec<String> {
    let tops = parsed.root().own_children().into_iter();
    let own = tops.filter(|node| node.is(Mark::TraitItem) && node.span() == item.span);
    let inner = own
        .flat_map(Node::own_children)
        .flat_map(Node::own_children);
    let methods = inner.filter(|node| node.is(Mark::MethodDefinition));
    let names = methods.filter_map(|method| {
        let own = method.own_children().into_iter();
        own.filter(|child| child.is(Mark::ScopedName))
            .map(|child| child.span())
            .next()
    });
    names
        .map(|span| parsed.source().slice(span).into_owned())
        .collect()
}

/// Returns the items of a file.
fn items(parsed: &Parsed) -> Vec<CrateItem> {
    let tops = parsed.root().own_children().into_iter();
    let mut all = Vec::new();
    for node in tops.filter(|node| node.is_named() && node.is(Mark::NamedItem)) {
        let children = node.own_children().into_iter();
        let mut names = children.filter(|child| child.is(Mark::ScopedName));
        let Some(name) = names.next() else { continue };
        all.push(CrateItem {
            name: parsed.source().slice(name.span()).into_owned(),
            span: node.span(),
            name_span: name.span(),
            visibility: visibility(parsed, node),
        });
    }
    all
}

/// Returns the names that the import statements of a file give.
fn own_leaves(parsed: &Parsed, facts: &CrateFacts) -> Vec<Leaf> {
    let children = parsed.root().own_children();
    let mut all = Vec::new();
    for import in statements::all(parsed)
        .into_iter()
        .filter(statements::Import::is_top)
    {
        let text = parsed.source().slice(import.span).into_owned();
        let Some(at) = text.find(facts.use_word.as_str()) else {
            continue;
        };
        let body = text[at + facts.use_word.len()..]
            .trim_end_matches(';')
            .trim();
        let index = children.iter().position(|node| node.span() == import.span);
        let is_guarded = index.is_some_and(|index| has_attribute(&children[..index]));
        let mut own = Vec::new();
        flatten(facts, body, &[], &mut own);
        let is_alone = own.len() == 1;
        all.extend(own.into_iter().map(|(path, alias, is_glob)| Leaf {
            path,
            alias,
            is_glob,
            statement: import.span,
            is_guarded,
            is_alone,
        }));
    }
    all
}

/// A path with its alias, and whether it imports all names.
type Flat = (Vec<String>, Option<String>, bool);

/// Reads the tree of an import statement.
fn flatten(facts: &CrateFacts, text: &str, above: &[String], all: &mut Vec<Flat>) {
    let text = text.trim();
    if let Some(open) = text.find('{') {
        let mut base = above.to_vec();
        let head = text[..open]
            .trim()
            .trim_end_matches(facts.separator.as_str());
        let parts = head.split(facts.separator.as_str()).map(str::trim);
        base.extend(parts.filter(|part| !part.is_empty()).map(str::to_string));
        let close = text.rfind('}').unwrap_or(text.len());
        let mut depth = 0;
        let mut start = open + 1;
        for (at, c) in text[..close]
            .char_indices()
            .skip_while(|(at, _)| *at <= open)
        {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    flatten(facts, &text[start..at], &base, all);
                    start = at + 1;
                }
                _ => {}
            }
        }
        return flatten(facts, &text[start..close], &base, all);
    }
    if text.is_empty() {
        return;
    }
    let mut words = text.split_whitespace();
    let path = words.next().unwrap_or_default();
    let alias = words.nth(1).map(str::to_string);
    let mut parts = above.to_vec();
    parts.extend(
        path.split(facts.separator.as_str())
            .filter(|part| !part.is_empty())
            .map(str::to_string),
    );
    let is_glob = parts.last().is_some_and(|last| last == "*");
    if is_glob {
        parts.pop();
    }
    let is_group = parts.len() > 1 && parts.last() == Some(&facts.own);
    if is_group {
        parts.pop();
    }
    all.push((parts, alias, is_glob));
}

/// Returns the insertion of import lines into a file.
pub(super) fn added(
    parsed: &Parsed,
    facts: &super::ImportFacts,
    lines: &[String],
) -> Vec<Replacement> {
    if lines.is_empty() {
        return Vec::new();
    }
    let source = parsed.source();
    let all = statements::all(parsed);
    let last = all.iter().rfind(|one| one.is_top());
    match last {
        Some(last) => {
            let mut sorted = lines.to_vec();
            sorted.sort_by(|one, other| one.trim_end_matches(';').cmp(other.trim_end_matches(';')));
            vec![layout::lines_after(source, last.span, &sorted)]
        }
        None => {
            let eol = layout::eol(source);
            let mut sorted = lines.to_vec();
            sorted.sort_by(|one, other| one.trim_end_matches(';').cmp(other.trim_end_matches(';')));
            vec![layout::first_import(parsed, facts, &sorted.join(eol), eol)]
        }
    }
}
