//! Moves in languages whose files share the names of their package: only import statements belong to one file.
//!
//! The module proves that both files are of one package and are built under the same conditions, adds the import
//! statements that the moved code needs, and removes those that nothing in the old file uses any longer.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};

use crate::language::queries::Mark;
use crate::parse::Parsed;
use crate::source::Span;

use super::facts::PackageFacts;
use super::file_names::FileNames;
use super::layout;
use super::modules::{Modules, folder};
use super::moving::Plan;
use super::specs::{self, FileSpecs, Spec};
use super::{NoteKind, ProblemKind};

impl Plan<'_> {
    /// Plans the import statements of a move between files of packages.
    pub(super) fn package_move(&mut self) {
        let Some(facts) = &self.facts.packages else {
            return;
        };
        let moved = self.moved;
        let old = FileSpecs::from_parsed(moved.before);
        let there = FileSpecs::from_parsed(moved.target);
        self.is_parsed();
        self.destination(&old, &there);
        self.conditions(facts);
        self.package(facts, &old, &there);
        self.same_path(&there);
        if !self.problems.is_empty() {
            return;
        }
        self.package_needs(facts, &old, &there);
        self.package_unused(facts);
        self.run_order(facts);
    }

    /// Refuses files that the parser cannot read as a whole.
    fn is_parsed(&mut self) {
        for parsed in [self.moved.before, self.moved.target] {
            if let Some(span) = parsed.problems().first().map(|problem| problem.span) {
                self.problem(parsed, span, "", ProblemKind::Unparsed);
            }
        }
    }

    /// Refuses to move import statements, or to put code before them.
    fn destination(&mut self, old: &FileSpecs, there: &FileSpecs) {
        let moved = self.moved;
        let is_moved = |span: &Span| moved.removed.iter().any(|one| one.contains(*span));
        let clause = old.clause.iter().map(|(span, _)| *span);
        let mut heads = old.all.iter().map(|one| one.span).chain(clause);
        if let Some(span) = heads.find(is_moved) {
            self.problem(moved.before, span, "", ProblemKind::NoDefinition);
        }
        let first = moved.arrived.iter().copied().min();
        if let Some(span) = first.filter(|span| span.start() < there.end()) {
            self.problem(moved.target, span, "", ProblemKind::BeforeImports);
        }
    }

    /// Refuses files that are built under other conditions, which their names and first lines state.
    fn conditions(&mut self, facts: &PackageFacts) {
        let moved = self.moved;
        let own = conditions_of_name(facts, &moved.old_path);
        let there = conditions_of_name(facts, &moved.target_path);
        let head = self.head();
        if own != there {
            self.problem(moved.target, head, "", ProblemKind::OtherConditions);
        }
        let own = self.condition_lines(facts, moved.before);
        let there = self.condition_lines(facts, moved.target);
        let is_new = FileSpecs::from_parsed(moved.target).clause.is_none();
        if own != there && !(is_new && there.is_empty()) {
            self.problem(moved.target, head, "", ProblemKind::OtherConditions);
        }
    }

    /// Returns the first line of the new file.
    fn head(&self) -> Span {
        let source = self.moved.target.source();
        source.line_span(1).unwrap_or(Span::at(0))
    }

    /// Returns the lines with conditions that precede the package clause.
    fn condition_lines(&self, facts: &PackageFacts, parsed: &Parsed) -> Vec<String> {
        let clause = FileSpecs::from_parsed(parsed).clause;
        let end = clause.map_or(0, |(span, _)| span.start());
        let text = parsed.source().slice(Span::new(0, end)).into_owned();
        let is_condition = |line: &&str| {
            let mut all = facts.condition_lines.iter();
            all.any(|start| line.starts_with(start.as_str()))
        };
        text.lines()
            .filter(is_condition)
            .map(str::to_string)
            .collect()
    }

    /// Refuses files of two packages. A file without a package clause gets that of its folder.
    fn package(&mut self, facts: &PackageFacts, old: &FileSpecs, there: &FileSpecs) {
        let moved = self.moved;
        let Some((clause, name)) = &old.clause else {
            return self.problem(moved.before, Span::at(0), "", ProblemKind::NoPackage);
        };
        let is_same = folder(&moved.old_path) == folder(&moved.target_path)
            && there.clause.as_ref().is_none_or(|(_, other)| other == name);
        if !is_same {
            let clause = there.clause.as_ref().map(|(span, _)| *span);
            let span = clause.unwrap_or(self.head());
            return self.problem(moved.target, span, name, ProblemKind::OtherPackage);
        }
        match &there.clause {
            Some(_) => {}
            None => {
                let eol = layout::eol(moved.target.source());
                let lines = self.condition_lines(facts, moved.before);
                let lines: String = lines.iter().map(|line| format!("{line}{eol}")).collect();
                let gap = if lines.is_empty() { "" } else { eol };
                let clause = moved.before.source().slice(*clause).into_owned();
                let text = format!("{lines}{gap}{clause}");
                let edit = layout::first_import(moved.target, self.facts, &text, eol);
                self.there().extend([edit]);
            }
        }
    }

    /// Refuses a new file whose name differs from that of another only in the case of letters.
    fn same_path(&mut self, there: &FileSpecs) {
        let moved = self.moved;
        if there.clause.is_some() {
            return;
        }
        let name = moved.target_path.as_str();
        let project = self.resolver.modules.project;
        let files = project.folder(folder(&moved.target_path), &self.facts.extensions);
        let other = files.iter().find(|file| {
            let path = file.source().path();
            path != name && path.eq_ignore_ascii_case(name)
        });
        if let Some(other) = other {
            let span = other.source().line_span(1).unwrap_or(Span::at(0));
            self.problem(other, span, "", ProblemKind::SamePath);
        }
    }

    /// Adds the import statements that the moved code needs.
    fn package_needs(&mut self, facts: &PackageFacts, old: &FileSpecs, there: &FileSpecs) {
        let moved = self.moved;
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let own = SpecNames::new(
            &self.resolver.modules,
            facts,
            &moved.old_path,
            &self.before,
            old,
        );
        let used = values(&self.before, is_removed);
        for (name, span) in used {
            if !self.before.bindings(&name).is_empty() {
                continue;
            }
            match own.by_name.get(&name) {
                Some(index) => self.want_spec(facts, &old.all[*index].spec, (&name, span), there),
                None => self.unknown_value(&own, old, (&name, span)),
            }
        }
        self.star_names(old);
        self.directives(facts, old, there);
    }

    /// A value that no import statement of the old file is known to give.
    fn unknown_value(&mut self, own: &SpecNames, old: &FileSpecs, (name, span): (&str, Span)) {
        let moved = self.moved;
        let star = old.all.iter().find(|one| one.spec.is_star);
        if own.unknown.is_empty() && star.is_none() || self.facts.builtins.contains(name) {
            return;
        }
        if self.package_binds(name) {
            return;
        }
        match own.unknown.first() {
            Some(index) => {
                let path = old.all[*index].spec.path.clone();
                let span = old.all[*index].span;
                self.problem(moved.before, span, &path, ProblemKind::PackageName);
            }
            None => self.problem(moved.before, span, name, ProblemKind::FromStar),
        }
    }

    /// Returns whether a file of the package defines a name.
    pub(super) fn package_binds(&mut self, name: &str) -> bool {
        let moved = self.moved;
        if self.package_names.is_none() {
            let project = self.resolver.modules.project;
            let files = project.folder(folder(&moved.old_path), &self.facts.extensions);
            let mut names = BTreeSet::new();
            for file in files {
                names.extend(
                    FileNames::from_parsed(&file)
                        .file_names()
                        .map(str::to_string),
                );
            }
            self.package_names = Some(names);
        }
        let known = self.package_names.as_ref();
        known.is_some_and(|names| names.contains(name))
    }

    /// Refuses names that may come from an import of all names.
    fn star_names(&mut self, old: &FileSpecs) {
        let moved = self.moved;
        let Some(star) = old
            .all
            .iter()
            .find(|one| one.spec.is_star)
            .map(|one| one.span)
        else {
            return;
        };
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let uses = self.before.free_uses();
        let uses = uses.filter(|one| is_removed(one.span));
        let names: BTreeSet<String> = uses.map(|one| one.name.clone()).collect();
        for name in names {
            let is_bound = !self.before.bindings(&name).is_empty();
            if is_bound || self.facts.builtins.contains(&name) || self.package_binds(&name) {
                continue;
            }
            self.problem(moved.before, star, &name, ProblemKind::FromStar);
        }
    }

    /// Adds a statement of the old file to the new one, unless it has it.
    fn want_spec(
        &mut self,
        facts: &PackageFacts,
        spec: &Spec,
        (name, span): (&str, Span),
        there: &FileSpecs,
    ) {
        let moved = self.moved;
        if facts.own.contains(&spec.path) {
            return self.problem(moved.before, span, &spec.path, ProblemKind::OwnImport);
        }
        self.brought.push(name.to_string());
        let mut bound = None;
        for one in &there.all {
            if one.spec.path == spec.path && !one.spec.is_blank(facts) {
                if one.spec.alias == spec.alias && !one.spec.is_star {
                    return;
                }
                bound = Some((one.span, ProblemKind::Alias));
                break;
            }
            let gives = match &one.spec.alias {
                Some(alias) => alias == name,
                None => names_of(facts, &one.spec.path)
                    .iter()
                    .any(|one| one == name),
            };
            if gives && !one.spec.is_star {
                bound = Some((one.span, ProblemKind::Bound));
                break;
            }
        }
        match bound {
            Some((span, kind)) => self.problem(moved.target, span, name, kind),
            None => self.there().want_spec(spec.clone()),
        }
    }

    /// Adds the statements that comments of the moved code need.
    fn directives(&mut self, facts: &PackageFacts, old: &FileSpecs, there: &FileSpecs) {
        let moved = self.moved;
        for (start, path) in &facts.directives {
            let found = moved
                .removed
                .iter()
                .find_map(|span| directive(moved.before, *span, start));
            let Some(span) = found else {
                continue;
            };
            if facts.own.contains(path) {
                self.problem(moved.before, span, path, ProblemKind::OwnImport);
                continue;
            }
            let own = old.all.iter().find(|one| one.spec.path == *path);
            let has = there.all.iter().any(|one| one.spec.path == *path);
            let is_wanted = self.there().wants_path(path);
            if let Some(own) = own.filter(|_| !has && !is_wanted) {
                self.there().want_spec(facts.blank_spec(&own.spec));
            }
        }
    }

    /// Removes the statements of the old file that only the moved code used.
    fn package_unused(&mut self, facts: &PackageFacts) {
        let moved = self.moved;
        let own = FileSpecs::from_parsed(moved.after);
        let still = values(&self.after, |_| true);
        let before = FileSpecs::from_parsed(moved.before);
        let names = SpecNames::new(
            &self.resolver.modules,
            facts,
            &moved.old_path,
            &self.before,
            &before,
        );
        let mut gone = Vec::new();
        for (index, one) in own.all.iter().enumerate() {
            let is_same = before
                .all
                .get(index)
                .is_some_and(|other| other.spec == one.spec);
            let name = names.by_name.iter().find(|(_, at)| **at == index);
            let is_unused = name
                .is_some_and(|(name, _)| self.brought.contains(name) && !still.contains_key(name));
            let mut directives = facts.directives.iter();
            let needs = directives.find(|(_, path)| **path == one.spec.path);
            let is_left = needs.is_none_or(|(start, _)| {
                let whole = moved.after.source().whole();
                directive(moved.after, whole, start).is_none()
            });
            let only_directive = one.spec.is_blank(facts)
                && needs.is_some_and(|(start, _)| {
                    let mut removed = moved.removed.iter();
                    removed.any(|span| directive(moved.before, *span, start).is_some())
                });
            if is_same && is_left && (is_unused || only_directive) {
                gone.push(index);
            } else if is_same && is_unused {
                // The directive still needs the statement, which gives a name that nothing uses.
                let text = facts.blank_spec(&one.spec).text;
                self.old().replace(one.span, text);
            }
        }
        if gone.is_empty() {
            return;
        }
        match specs::removed(moved.after, &own, &gone) {
            Some(all) => self.old().extend(all),
            None => {
                let one = &own.all[gone[0]];
                let (span, path) = (one.span, one.spec.path.clone());
                self.problem(moved.after, span, &path, ProblemKind::Form);
            }
        }
    }

    /// Lists functions and initial values that run in the order of the files.
    fn run_order(&mut self, facts: &PackageFacts) {
        let moved = self.moved;
        for span in &moved.removed {
            let text = moved.before.source().slice(*span);
            let start = span.start() + text.len() - text.trim_start().len();
            let names = self.before.bound_in(*span);
            let ordered = names
                .into_iter()
                .find(|name| facts.ordered.iter().any(|one| one == name));
            if let Some(name) = ordered.map(str::to_string) {
                self.note(moved.before, start, NoteKind::RunOrder(name));
            }
            let called = specs::nodes_inside(moved.before, *span, |node, _| {
                node.is(Mark::InitialValue) && calls(moved.before, node.span())
            });
            if !called.is_empty()
                && let Some(name) = self.before.bound_in(*span).first()
            {
                let name = name.to_string();
                self.note(moved.before, start, NoteKind::ValueOrder(name));
            }
        }
    }
}

/// The names that the statements of a file give, as far as they are known.
pub(super) struct SpecNames {
    pub(super) by_name: BTreeMap<String, usize>,
    pub(super) unknown: Vec<usize>,
    /// Whether a name differs from the last element of its path.
    pub(super) has_guesses: bool,
}

impl SpecNames {
    /// Every statement gives a name that the file uses, or the file would not be built.
    pub(super) fn new(
        modules: &Modules<'_>,
        facts: &PackageFacts,
        path: &Utf8Path,
        file: &FileNames,
        own: &FileSpecs,
    ) -> SpecNames {
        let used = values(file, |_| true);
        let is_free = |name: &str| used.contains_key(name) && file.bindings(name).is_empty();
        let mut by_name: BTreeMap<String, usize> = BTreeMap::new();
        let mut open = Vec::new();
        let mut has_guesses = false;
        for (index, one) in own.all.iter().enumerate() {
            match &one.spec.alias {
                Some(alias) => {
                    by_name.insert(alias.clone(), index);
                }
                None if one.spec.is_star => {}
                None => open.push(index),
            }
        }
        // The last element of the path first, then names that differ from it.
        for is_exact in [true, false] {
            let mut claims: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for index in &open {
                let names = names_of(facts, &own.all[*index].spec.path);
                let names = names.iter().take(if is_exact { 1 } else { usize::MAX });
                let mut names = names.filter(|name| is_free(name) && !by_name.contains_key(*name));
                if let Some(name) = names.next() {
                    claims.entry(name.clone()).or_default().push(*index);
                }
            }
            for (name, indices) in claims {
                if let [only] = indices[..] {
                    by_name.insert(name, only);
                    open.retain(|index| *index != only);
                    has_guesses |= !is_exact;
                }
            }
        }
        // Packages of the project state their names.
        open.retain(|index| {
            let name = local_name(modules, path, &own.all[*index].spec.path);
            let name = name.filter(|name| is_free(name) && !by_name.contains_key(name));
            match name {
                Some(name) => {
                    by_name.insert(name, *index);
                    false
                }
                None => true,
            }
        });
        SpecNames {
            by_name,
            unknown: open,
            has_guesses,
        }
    }
}

/// Returns the name that the files of a package in the project state.
fn local_name(modules: &Modules<'_>, from: &Utf8Path, path: &str) -> Option<String> {
    let facts = modules.facts.packages.as_ref()?;
    let parts: Vec<&str> = path.split(facts.separator.as_str()).collect();
    let extensions = &modules.facts.extensions;
    for above in folder(from).ancestors() {
        let ends = (1..parts.len()).map(|start| above.join(parts[start..].join("/")));
        let vendored = facts
            .vendor
            .iter()
            .map(|vendor| above.join(vendor).join(path));
        for place in vendored.chain(ends).collect::<Vec<Utf8PathBuf>>() {
            let files = modules.project.folder(&place, extensions);
            let names = files.iter().filter_map(|file| {
                let own = conditions_of_name(facts, Utf8Path::new(file.source().path()));
                FileSpecs::from_parsed(file)
                    .clause
                    .filter(|_| own.is_empty())
            });
            let names: BTreeSet<String> = names.map(|(_, name)| name).collect();
            if names.len() == 1 {
                return names.into_iter().next();
            }
        }
    }
    None
}

/// Returns the first use of each value of which code in some places uses a member.
pub(super) fn values(
    names: &FileNames,
    is_wanted: impl Fn(Span) -> bool,
) -> BTreeMap<String, Span> {
    let mut all = BTreeMap::new();
    for one in names.free_accesses() {
        let is_name = one.value.chars().all(|c| c == '_' || c.is_alphanumeric());
        if is_name && is_wanted(one.span) {
            all.entry(one.value.clone()).or_insert(one.span);
        }
    }
    all
}

/// Returns the names that a path may give, the most likely first.
fn names_of(facts: &PackageFacts, path: &str) -> Vec<String> {
    let mut parts: Vec<&str> = path.split(facts.separator.as_str()).collect();
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    let last = parts.pop().unwrap_or_default();
    let mut words = match parts.last().filter(|_| is_version(last)) {
        Some(before) => vec![before.to_string(), last.to_string()],
        None => vec![last.to_string()],
    };
    let stem = words[0].split('.').next().unwrap_or_default().to_string();
    words.push(stem);
    for word in words.clone() {
        let pieces: Vec<&str> = word.split(['-', '.']).collect();
        words.extend([pieces.concat(), pieces.join("_")]);
        words.extend(pieces.iter().map(|piece| piece.to_string()));
        if pieces.len() > 1 {
            words.extend([pieces[1..].concat(), pieces[1..].join("_")]);
            words.push(pieces[..pieces.len() - 1].concat());
        }
    }
    let mut known = BTreeSet::new();
    words.retain(|word| !word.is_empty() && known.insert(word.clone()));
    words
}

/// Returns the conditions that the name of a file states.
fn conditions_of_name(facts: &PackageFacts, path: &Utf8Path) -> Vec<String> {
    let stem = path.file_stem().unwrap_or_default();
    let parts: Vec<&str> = stem.split('_').collect();
    let own = parts.iter().skip(1).rev();
    let known = own.take_while(|part| facts.suffixes.iter().any(|one| one == *part));
    let mut all: Vec<String> = known.map(|part| part.to_string()).collect();
    if stem.starts_with(['_', '.']) {
        all.push(String::new());
    }
    all
}

/// Returns whether code in a span calls a function.
fn calls(parsed: &Parsed, span: Span) -> bool {
    let found = specs::nodes_inside(parsed, span, |node, parent| node.is_word("call", parent));
    !found.is_empty()
}

/// Returns the first line in a span that starts with a directive.
fn directive(parsed: &Parsed, span: Span, start: &str) -> Option<Span> {
    let text = parsed.source().slice(span);
    let mut at = span.start();
    for line in text.split_inclusive('\n') {
        if line
            .strip_prefix(start)
            .is_some_and(|rest| rest.starts_with([' ', '\t']))
        {
            return Some(Span::new(at, at + start.len()));
        }
        at += line.len();
    }
    None
}
