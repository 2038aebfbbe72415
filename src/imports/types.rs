//! The import statements of a move in languages whose statements give names of types and of their members.
//!
//! A statement that nothing uses is no error there, so what may be needed is added. What could give a name of the new file
//! another meaning is refused.

use std::collections::{BTreeMap, BTreeSet};

use crate::language::queries::Mark;
use crate::source::Span;

use super::ProblemKind;
use super::borders::Border;
use super::facts::PackageFacts;
use super::moving::{FileNames, Plan};
use super::names::{NameKind, NameUse, words};
use super::specs::{self, FileSpecs, Spec};

impl Plan<'_> {
    /// Adds the import statements that the moved code needs.
    pub(super) fn type_needs(&mut self, facts: &PackageFacts, old: &FileSpecs, there: &FileSpecs) {
        let moved = self.moved;
        self.same_file();
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let used = self.before.names.all_uses().iter();
        let used = used.filter(|one| is_removed(one.span));
        let used: BTreeSet<String> = used.map(|one| one.name.clone()).collect();
        let is_single = |spec: &Spec| !spec.is_star;
        let new = self.border.as_ref().map(|border| border.new.clone());
        for one in old.all.iter().filter(|one| is_single(&one.spec)) {
            let name = one.spec.last(facts).to_string();
            if self.is_of_package(facts, &one.spec, new.as_deref()) {
                self.brought.push(name);
                continue;
            }
            if used.contains(&name) {
                self.want_type(facts, &one.spec, &name, there);
            } else if self.documents(&name) {
                self.want_documented(facts, &one.spec, &name, there);
            }
        }
        if let Some(border) = self.border.clone() {
            self.types_of_old(facts, &border, old, there);
        }
        self.bound_there(facts, old, there);
        self.stars(facts, old, there);
    }

    /// Returns whether a statement imports a type of a package.
    fn is_of_package(&self, facts: &PackageFacts, spec: &Spec, package: Option<&str>) -> bool {
        package.is_some_and(|package| {
            let name = spec.last(facts);
            let own = format!("{package}{}{name}", facts.separator);
            !spec.is_static && !spec.is_star && spec.path == own
        })
    }

    /// Imports the types of the old package that the moved code uses.
    fn types_of_old(
        &mut self,
        facts: &PackageFacts,
        border: &Border,
        old: &FileSpecs,
        there: &FileSpecs,
    ) {
        let moved = self.moved;
        let is_type = |one: &&NameUse| {
            let is_type = matches!(one.kind, NameKind::Type | NameKind::ValueOrType);
            is_type && moved.removed.iter().any(|span| span.contains(one.span))
        };
        let uses = self.before.names.all_uses().iter().filter(is_type);
        let uses = uses.filter(|one| !self.before.names.is_inner(one));
        let uses: BTreeMap<String, Span> = uses.map(|one| (one.name.clone(), one.span)).collect();
        let is_imported = |name: &str| {
            let mut all = old.all.iter().filter(|one| !one.spec.is_star);
            all.any(|one| one.spec.last(facts) == name)
        };
        let has_star = old
            .all
            .iter()
            .any(|one| one.spec.is_star && one.spec.path == border.new);
        for (name, span) in uses {
            if is_imported(&name) || self.names.contains(&name) {
                continue;
            }
            match self.of_old_package(facts, border, &name) {
                Ok(Some(spec)) => {
                    self.want_type(facts, &spec, &name, there);
                }
                Ok(None) if !has_star && self.package_has(&border.new, &name) => {
                    self.problem(moved.before, span, &name, ProblemKind::BoundInPackage);
                }
                Ok(None) => {}
                Err((file, span)) => self.problem(&file, span, &name, ProblemKind::NotPublic),
            }
        }
    }

    /// Returns the package of the old file, or of the new one.
    fn package_of(&self, specs: &FileSpecs, is_new: bool) -> String {
        match (&self.border, &specs.clause) {
            (Some(border), _) if is_new => border.new.clone(),
            (_, Some((_, name))) => name.clone(),
            _ => String::new(),
        }
    }

    /// Refuses to separate definitions that need the same file.
    fn same_file(&mut self) {
        let moved = self.moved;
        let whole = moved.before.source().whole();
        let mut wrong = Vec::new();
        for node in specs::nodes_inside(moved.before, whole, |node, _| node.is(Mark::SameFile)) {
            let is_moved = moved.removed.iter().any(|one| one.contains(node.span()));
            let children = node.own_children().into_iter();
            let mut names = children.filter(|child| child.is_in(Mark::BindsOutside, node));
            let Some(name) = names.next() else { continue };
            let name = moved.before.source().slice(name.span()).into_owned();
            let is_in = |text: &str| words(text).any(|(_, word)| word == name);
            let is_apart = match is_moved {
                true => is_in(moved.after.source().text()),
                false => moved
                    .removed
                    .iter()
                    .any(|one| is_in(&moved.before.source().slice(*one))),
            };
            if is_apart {
                wrong.push((node.span(), name));
            }
        }
        for (span, name) in wrong {
            self.problem(moved.before, span, &name, ProblemKind::SameFile);
        }
    }

    /// Returns whether a tag of a comment in the moved code contains a name.
    fn documents(&self, name: &str) -> bool {
        let moved = self.moved;
        moved.removed.iter().any(|span| {
            let text = moved.before.source().slice(*span).into_owned();
            text.lines().any(|line| {
                let is_comment = line.trim_start().starts_with(['*', '/']);
                let tag = line.find('@').filter(|_| is_comment);
                tag.is_some_and(|at| words(&line[at..]).any(|(_, word)| word == name))
            })
        })
    }

    /// Adds a statement that only a comment of the moved code needs, if that changes nothing else.
    fn want_documented(
        &mut self,
        facts: &PackageFacts,
        spec: &Spec,
        name: &str,
        there: &FileSpecs,
    ) {
        let has = there.all.iter().any(|one| one.spec == *spec);
        let is_other = there.all.iter().any(|one| one.spec.last(facts) == name);
        let is_used = self
            .target
            .names
            .all_uses()
            .iter()
            .any(|one| one.name == name)
            || !self.target.names.bindings(name).is_empty();
        if !has && !is_other && !is_used {
            self.brought.push(name.to_string());
            self.there().want_spec(spec.clone());
        }
    }

    /// Adds a statement that gives one name.
    fn want_type(&mut self, facts: &PackageFacts, spec: &Spec, name: &str, there: &FileSpecs) {
        let moved = self.moved;
        self.brought.push(name.to_string());
        if there.all.iter().any(|one| one.spec == *spec) {
            return;
        }
        let bound = self.target.names.bindings(name).first().copied();
        if let Some(bound) = bound {
            return self.problem(moved.target, bound, name, ProblemKind::Bound);
        }
        let own = self.target.names.all_uses().iter();
        let own = own.filter(|one| one.name == name && !moved.has_arrived(one.span));
        let mut own = own.map(|one| one.span);
        if let Some(own) = own.next() {
            // It has the same meaning if the package of the type is imported as a whole.
            let has_star = there.all.iter().any(|one| {
                let start = format!("{}{}", one.spec.path, facts.separator);
                one.spec.is_star
                    && one.spec.is_static == spec.is_static
                    && spec.path.strip_prefix(&start) == Some(name)
            });
            let package = self.package_of(there, true);
            if has_star && !self.package_has(&package, name) {
                return;
            }
            return self.problem(moved.target, own, name, ProblemKind::Bound);
        }
        let same_name = there.all.iter().find(|one| {
            !one.spec.is_star
                && one.spec.last(facts) == name
                && one.spec.is_static == spec.is_static
        });
        if let Some(other) = same_name.filter(|one| one.spec.path != spec.path) {
            return self.problem(moved.target, other.span, name, ProblemKind::Bound);
        }
        self.there().want_spec(spec.clone());
    }

    /// Refuses names of the moved code to which a statement of the new file would give another meaning.
    fn bound_there(&mut self, facts: &PackageFacts, old: &FileSpecs, there: &FileSpecs) {
        let moved = self.moved;
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let mut wrong = Vec::new();
        for one in there.all.iter().filter(|one| !one.spec.is_star) {
            let old_package = self.border.as_ref().map(|border| border.old.as_str());
            if old.all.iter().any(|other| other.spec == one.spec)
                || self.is_of_package(facts, &one.spec, old_package)
            {
                continue;
            }
            let name = one.spec.last(facts);
            let is_changed = |used: &NameUse| {
                let is_own = is_removed(used.span) && used.name == name;
                let is_type = matches!(used.kind, NameKind::Type | NameKind::ValueOrType);
                is_own
                    && match one.spec.is_static {
                        true => !self.before.names.is_inner(used),
                        false => is_type,
                    }
            };
            let is_moved = self
                .before
                .names
                .bindings(name)
                .iter()
                .any(|span| is_removed(*span));
            if is_moved || self.before.names.all_uses().iter().any(is_changed) {
                wrong.push((one.span, name.to_string()));
            }
        }
        for (span, name) in wrong {
            self.problem(moved.target, span, &name, ProblemKind::Bound);
        }
    }

    /// Returns the names that code in some places uses and that neither the file, its package nor one of its statements
    /// gives: the type names, or all.
    fn loose(
        &mut self,
        facts: &PackageFacts,
        (file, own, package): (&FileNames, &FileSpecs, &str),
        is_wanted: impl Fn(Span) -> bool,
        is_static: bool,
    ) -> BTreeMap<String, Span> {
        let singles: BTreeSet<&str> = own
            .all
            .iter()
            .filter(|one| !one.spec.is_star)
            .map(|one| one.spec.last(facts))
            .collect();
        let mut all = BTreeMap::new();
        for one in file
            .names
            .all_uses()
            .iter()
            .filter(|one| is_wanted(one.span))
        {
            let name = one.name.as_str();
            let is_bound = match one.kind {
                NameKind::Type => file.names.types.contains(name),
                NameKind::Called => false,
                NameKind::Any | NameKind::ValueOrType => file.names.is_inner(one),
            };
            let is_type = matches!(one.kind, NameKind::Type | NameKind::ValueOrType);
            let is_of_file = !file.names.bindings(name).is_empty() && one.kind != NameKind::Called;
            if is_bound || is_of_file || singles.contains(name) || !is_type && !is_static {
                continue;
            }
            if one.kind == NameKind::Called || !self.package_has(package, name) {
                all.entry(name.to_string()).or_insert(one.span);
            }
        }
        all
    }

    /// Adds the imports of all names, and refuses names to which such an import may give another meaning.
    fn stars(&mut self, facts: &PackageFacts, old: &FileSpecs, there: &FileSpecs) {
        let moved = self.moved;
        let before = FileNames::of(moved.before);
        let target = FileNames::of(moved.target);
        let is_removed = |span: Span| moved.removed.iter().any(|one| one.contains(span));
        let builtins = &self.facts.builtins;
        let package = self.package_of(old, false);
        let new_package = match &there.clause {
            Some((_, name)) => name.clone(),
            None => self.package_of(old, true),
        };
        for is_static in [false, true] {
            let stars = |specs: &FileSpecs| -> Vec<(Spec, Span)> {
                let all = specs.all.iter();
                let all = all.filter(|one| one.spec.is_star && one.spec.is_static == is_static);
                all.map(|one| (one.spec.clone(), one.span)).collect()
            };
            let (mut own, mut known) = (stars(old), stars(there));
            if let Some(border) = &self.border {
                own.retain(|one| one.0.path != border.new);
                known.retain(|one| one.0.path != border.old);
            }
            let is_known = |spec: &Spec, all: &[(Spec, Span)]| all.iter().any(|one| one.0 == *spec);
            let needed = self.loose(facts, (&before, old, &package), is_removed, is_static);
            let old_names = self.loose(facts, (&before, old, &package), |_| true, is_static);
            let mut there_names = self.loose(
                facts,
                (&target, there, &new_package),
                |span| !moved.has_arrived(span),
                is_static,
            );
            if is_static {
                // Methods of a class and of the types that it extends are found first.
                let inner = target.names.all_uses().iter();
                let inner: BTreeSet<&str> = inner
                    .filter(|one| target.names.is_inner(one))
                    .map(|one| one.name.as_str())
                    .collect();
                there_names.retain(|name, _| !inner.contains(name.as_str()));
            }
            let is_builtin = |name: &str| !is_static && builtins.contains(name);
            let is_needed = needed.keys().any(|name| !is_builtin(name));
            let extra: Vec<_> = known.iter().filter(|one| !is_known(&one.0, &own)).collect();
            let mut wrong = Vec::new();
            if let Some((_, span)) = extra.first() {
                for name in needed.keys() {
                    let is_clear = is_builtin(name)
                        && (extra
                            .iter()
                            .all(|one| facts.clear_stars.contains(&one.0.path))
                            || there_names.contains_key(name));
                    // Without such an import in the old file, the name is one of an outer type.
                    let is_inherited = own.is_empty() && !is_builtin(name);
                    if !is_clear && !is_inherited {
                        wrong.push((*span, name.clone()));
                    }
                }
            }
            let added: Vec<&Spec> = own
                .iter()
                .map(|one| &one.0)
                .filter(|star| is_needed && !is_known(star, &known))
                .collect();
            for (name, span) in there_names.iter().filter(|_| !added.is_empty()) {
                let is_clear = match is_builtin(name) {
                    true => {
                        added
                            .iter()
                            .all(|one| facts.clear_stars.contains(&one.path))
                            || old_names.contains_key(name)
                    }
                    false => extra.is_empty() && old_names.contains_key(name),
                };
                if !is_clear {
                    wrong.push((*span, name.clone()));
                }
            }
            let added: Vec<Spec> = added.into_iter().cloned().collect();
            for (span, name) in wrong {
                self.problem(moved.target, span, &name, ProblemKind::FromStar);
            }
            for spec in added {
                self.there().want_spec(spec);
            }
        }
    }

    /// Removes the statements of the old file that only the moved code used.
    pub(super) fn type_unused(&mut self, facts: &PackageFacts) {
        let moved = self.moved;
        let own = FileSpecs::of(moved.after);
        let text = moved.after.source().text();
        let is_left = |name: &str| {
            words(text).any(|(at, word)| {
                let span = Span::new(at, at + word.len());
                word == name && !own.all.iter().any(|one| one.span.contains(span))
            })
        };
        let gone = own.all.iter().enumerate().filter(|(_, one)| {
            let name = one.spec.last(facts);
            !one.spec.is_star && self.brought.iter().any(|other| other == name) && !is_left(name)
        });
        let gone: Vec<usize> = gone.map(|(index, _)| index).collect();
        // An import that nothing uses is no error.
        let all = specs::removed(moved.after, &own, &gone).unwrap_or_default();
        self.old().extend(all);
    }
}
