//! Moves of types to another package, in languages whose import statements give names of types.
//!
//! Every file that names the type gets the import statement that it needs then. The module refuses what one package cannot
//! see of the other, and names that get another meaning: it decides both by the names alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::language::queries::Mark;
use crate::parse::{Node, Parsed};
use crate::source::Span;

use super::facts::PackageFacts;
use super::modules::folder;
use super::moving::{FileNames, Plan};
use super::names::{NameKind, words};
use super::specs::{self, FileSpecs, Spec};
use super::statements;
use super::{ImportNote, NoteKind, ProblemKind};

/// The packages that a move connects.
#[derive(Clone, Debug)]
pub(super) struct Border {
    pub(super) old: String,
    pub(super) new: String,
}

/// A definition that only code of its package can use.
struct Hidden {
    name: String,
    role: Role,
    span: Span,
    parsed: Arc<Parsed>,
}

/// What a name is used for: code calls methods and uses the values of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Method,
    Value,
    Any,
}

/// The names that code uses, except those of its variables.
struct Mentioned(BTreeSet<(String, Role)>);

impl Mentioned {
    /// Returns whether the code may use a member.
    fn has(&self, hidden: &Hidden) -> bool {
        let roles: &[Role] = match hidden.role {
            Role::Any => &[Role::Method, Role::Value, Role::Any],
            Role::Method => &[Role::Method, Role::Any],
            Role::Value => &[Role::Value, Role::Any],
        };
        let mut roles = roles.iter();
        roles.any(|role| self.0.contains(&(hidden.name.clone(), *role)))
    }
}

impl Border {
    /// Returns the packages of two files below one source folder.
    pub(super) fn of(
        facts: &PackageFacts,
        (old_path, old): (&Utf8Path, &FileSpecs),
        (path, there): (&Utf8Path, &FileSpecs),
    ) -> Option<Border> {
        let (_, own) = old.clause.as_ref()?;
        let parts: Utf8PathBuf = own.split(facts.separator.as_str()).collect();
        let root = folder(old_path).as_str().strip_suffix(parts.as_str())?;
        let below = folder(path).strip_prefix(root.trim_end_matches('/')).ok()?;
        let new = below.iter().collect::<Vec<_>>().join(&facts.separator);
        let is_known = there.clause.as_ref().is_none_or(|(_, name)| *name == new);
        let border = Border {
            old: own.clone(),
            new,
        };
        (is_known && !border.new.is_empty() && border.new != *own).then_some(border)
    }
}

impl Plan<'_> {
    /// Plans the import statements of the files that name the moved types, once they are in another package.
    pub(super) fn cross(&mut self, facts: &PackageFacts, border: &Border) {
        let moved = self.moved;
        let bound = moved
            .removed
            .iter()
            .map(|span| self.before.names.bound_in(*span));
        self.names = bound.flatten().map(str::to_string).collect();
        self.exported_package(facts, border);
        self.same_package(border);
        self.taken(border);
        self.hidden_members(border);
        if self.package_files(&border.old).iter().all(|file| {
            let tops = file.root().own_children();
            !tops.iter().any(|node| node.is(Mark::TypeDefinition))
        }) {
            let name = self.names.first().cloned().unwrap_or_default();
            self.problem(
                moved.before,
                moved.nodes[0],
                &name,
                ProblemKind::LastOfPackage,
            );
        }
        if self.problems.is_empty() {
            self.type_users(facts, border);
            self.other_languages(facts, border);
        }
    }

    /// Returns whether a file of a package defines a name.
    pub(super) fn package_has(&mut self, package: &str, name: &str) -> bool {
        if !self.names_of_packages.contains_key(package) {
            let files = self.package_files(package);
            let names = files.iter().flat_map(|file| {
                let names = FileNames::of(file).names;
                names.file_names().map(str::to_string).collect::<Vec<_>>()
            });
            let names = names.collect();
            self.names_of_packages.insert(package.to_string(), names);
        }
        let known = self.names_of_packages.get(package);
        known.is_some_and(|names| names.contains(name))
    }

    /// Returns the files of a package, in all source folders.
    pub(super) fn package_files(&mut self, package: &str) -> Vec<Arc<Parsed>> {
        if let Some(known) = self.packages.get(package) {
            return known.clone();
        }
        let moved = self.moved;
        let project = self.modules.project;
        let found = project.files_with(&[package.to_string()], &self.facts.extensions);
        let is_planned = |path: &str| path == moved.old_path || path == moved.target_path;
        let others = found.files.into_iter();
        let others = others.filter(|file| !is_planned(file.source().path()));
        let planned = [moved.after, moved.target].into_iter().cloned();
        let own = others.chain(planned).filter(|file| {
            let clause = FileSpecs::of(file).clause;
            clause.is_some_and(|(_, name)| name == package)
        });
        let own: Vec<Arc<Parsed>> = own.collect();
        self.packages.insert(package.to_string(), own.clone());
        own
    }

    /// Refuses a package that a module description does not export.
    fn exported_package(&mut self, facts: &PackageFacts, border: &Border) {
        let moved = self.moved;
        let Some(name) = &facts.module_file else {
            return;
        };
        for above in folder(&moved.target_path).ancestors() {
            let Some(parsed) = self.modules.project.parsed(&above.join(name)) else {
                continue;
            };
            let text = parsed.source().text().to_string();
            let is_exported = |package: &str| text.contains(&format!("exports {package}"));
            if is_exported(&border.old) && !is_exported(&border.new) {
                let span = parsed.source().line_span(1).unwrap_or(Span::at(0));
                self.problem(&parsed, span, &border.new, ProblemKind::HiddenPackage);
            }
        }
    }

    /// Refuses types that others extend only in their package.
    fn same_package(&mut self, border: &Border) {
        let moved = self.moved;
        let is_marked = |node: Node<'_>, _: Option<Node<'_>>| node.is(Mark::SamePackage);
        let mut wrong = Vec::new();
        for span in &moved.removed {
            for node in specs::nodes_inside(moved.before, *span, is_marked) {
                wrong.push((moved.before.clone(), node.span()));
            }
        }
        for file in self.package_files(&border.old) {
            for node in specs::nodes_inside(&file, file.source().whole(), is_marked) {
                let text = file.source().slice(node.span());
                if words(&text).any(|(_, word)| self.names.iter().any(|name| name == word)) {
                    wrong.push((file.clone(), node.span()));
                }
            }
        }
        for (file, span) in wrong {
            let name = self.names.first().cloned().unwrap_or_default();
            self.problem(&file, span, &name, ProblemKind::SamePackage);
        }
    }

    /// Refuses a name that the new package already has.
    fn taken(&mut self, border: &Border) {
        let moved = self.moved;
        for parsed in self.package_files(&border.new) {
            let names = FileNames::of(&parsed).names;
            let is_target = parsed.source().path() == moved.target_path;
            for name in self.names.clone() {
                let mut spans = names.bindings(&name).iter().copied();
                let taken = spans.find(|span| !is_target || !moved.has_arrived(*span));
                if let Some(span) = taken {
                    self.problem(&parsed, span, &name, ProblemKind::Bound);
                }
            }
        }
    }

    /// Refuses uses of members that only their package sees, by the names of the members.
    fn hidden_members(&mut self, border: &Border) {
        let moved = self.moved;
        let mut used = Mentioned(BTreeSet::new());
        for span in &moved.removed {
            used.0.extend(mentioned(moved.before, *span).0);
        }
        for file in self.package_files(&border.old) {
            for hidden in hidden(&file, file.source().whole()) {
                if used.has(&hidden) {
                    self.problem(
                        &hidden.parsed,
                        hidden.span,
                        &hidden.name,
                        ProblemKind::Hidden,
                    );
                }
            }
        }
        let own = moved.removed.iter().map(|span| hidden(moved.before, *span));
        let own: Vec<Hidden> = own.flatten().collect();
        if own.is_empty() {
            return;
        }
        let mut used = Mentioned(BTreeSet::new());
        for file in self.package_files(&border.old) {
            used.0.extend(mentioned(&file, file.source().whole()).0);
        }
        for hidden in own.iter().filter(|hidden| used.has(hidden)) {
            self.problem(
                &hidden.parsed,
                hidden.span,
                &hidden.name,
                ProblemKind::Hidden,
            );
        }
    }

    /// Changes the import statements and the qualified names of all files that name a moved type.
    fn type_users(&mut self, facts: &PackageFacts, border: &Border) {
        let moved = self.moved;
        let project = self.modules.project;
        let found = project.files_with(&self.names, &self.facts.extensions);
        for path in found.unread {
            let (line, what) = (0, NoteKind::Unread);
            self.notes.push(ImportNote { path, line, what });
        }
        let is_planned = |path: &str| path == moved.old_path || path == moved.target_path;
        let others = found.files.into_iter();
        let mut users: Vec<Arc<Parsed>> = others
            .filter(|file| {
                !is_planned(file.source().path()) && self.facts.are_related(extension(file))
            })
            .collect();
        users.extend([moved.after.clone(), moved.target.clone()]);
        for parsed in users {
            let path = Utf8PathBuf::from(parsed.source().path());
            for name in self.names.clone() {
                let has_name = words(parsed.source().text()).any(|(_, word)| word == name);
                if has_name && let Some(problem) = parsed.problems().first() {
                    self.problem(&parsed, problem.span, &name, ProblemKind::Unparsed);
                }
                if has_name {
                    self.type_user(facts, border, (&path, &parsed), &name);
                    self.qualified(border, (&path, &parsed), &name);
                }
            }
        }
    }

    /// Changes the import statements of a file that names a type.
    fn type_user(
        &mut self,
        facts: &PackageFacts,
        border: &Border,
        (path, parsed): (&Utf8Path, &Arc<Parsed>),
        name: &str,
    ) {
        let moved = self.moved;
        let file = FileNames::of(parsed);
        let own = FileSpecs::of(parsed);
        let package = own.clause.as_ref().map_or("", |(_, name)| name.as_str());
        let [old, new] =
            [&border.old, &border.new].map(|one| format!("{one}{}{name}", facts.separator));
        let is_target = path == moved.target_path;
        let mut is_imported = false;
        let mut is_wanted = false;
        for (index, one) in own.all.iter().enumerate() {
            let rest = one.spec.path.strip_prefix(old.as_str());
            let Some(rest) =
                rest.filter(|rest| rest.is_empty() || rest.starts_with(&facts.separator))
            else {
                let is_other = !one.spec.is_star && one.spec.last(facts) == name;
                is_imported |= is_other && !one.spec.is_static;
                continue;
            };
            let is_plain = rest.is_empty() && !one.spec.is_star && !one.spec.is_static;
            let removed = specs::removed(parsed, &own, &[index]).filter(|_| is_plain);
            match removed {
                Some(removed) => {
                    self.file(path, parsed).extend(removed);
                    is_imported = true;
                    is_wanted = package != border.new;
                }
                None => {
                    let import = statements::all(parsed).into_iter();
                    let mut import = import.filter(|import| import.span == one.span);
                    let module = import.next().and_then(|import| import.module);
                    let Some((span, _)) = module else { continue };
                    let start = Span::new(span.start(), span.start() + old.len());
                    self.file(path, parsed).replace(start, new.clone());
                    is_imported |= is_plain;
                }
            }
        }
        let is_use = |one: &&super::names::NameUse| {
            let is_type = matches!(one.kind, NameKind::Type | NameKind::ValueOrType);
            one.name == name && is_type && !(is_target && moved.has_arrived(one.span))
        };
        let used = file
            .names
            .all_uses()
            .iter()
            .find(is_use)
            .map(|one| one.span);
        let has_star = |package: &str| {
            let mut all = own.all.iter();
            all.any(|one| one.spec.is_star && !one.spec.is_static && one.spec.path == package)
        };
        let is_of_old = package == border.old || has_star(&border.old);
        if let Some(span) = used.filter(|_| !is_imported && !is_target) {
            let is_own = file.names.types.contains(name);
            let is_seen = is_of_old || package == border.new || has_star(&border.new);
            match () {
                () if is_own && is_seen => {
                    self.problem(parsed, span, name, ProblemKind::BoundInUser)
                }
                () if is_own => {}
                () if is_of_old => is_wanted = package != border.new,
                () if is_seen => self.problem(parsed, span, name, ProblemKind::BoundInUser),
                () => {}
            }
        } else if let Some(span) = used.filter(|_| is_target && !is_imported && !is_of_old) {
            // It was another type.
            self.problem(parsed, span, name, ProblemKind::BoundInUser);
        }
        if is_wanted {
            if !self.is_public(moved.before, &self.before.names, name) {
                let span = self.before.names.bindings(name).first().copied();
                return self.problem(
                    moved.before,
                    span.unwrap_or(moved.nodes[0]),
                    name,
                    ProblemKind::NotPublic,
                );
            }
            let spec = facts.import_of(&new);
            self.file(path, parsed).want_spec(spec);
        }
    }

    /// Returns whether all code can use a type at the top level of a file.
    pub(super) fn is_public(
        &self,
        parsed: &Parsed,
        names: &super::names::Names,
        name: &str,
    ) -> bool {
        let bindings = names.bindings(name);
        let tops = parsed.root().own_children().into_iter();
        let mut tops = tops.filter(|node| bindings.iter().any(|span| node.span().contains(*span)));
        tops.any(|node| node.is(Mark::NamesFile))
    }

    /// Changes the qualified names of a type in code and comments, and lists those in strings.
    fn qualified(
        &mut self,
        border: &Border,
        (path, parsed): (&Utf8Path, &Arc<Parsed>),
        name: &str,
    ) {
        let text = parsed.source().text().to_string();
        let separator = self
            .facts
            .packages
            .as_ref()
            .map_or(".", |facts| facts.separator.as_str());
        let wanted = format!("{}{separator}{name}", border.old);
        let new = border.new.clone();
        let heads: Vec<Span> = statements::all(parsed).iter().map(|one| one.span).collect();
        for (at, _) in text.match_indices(&wanted) {
            let is_word = |c: char| c == '_' || c.is_alphanumeric();
            let after = text[at + wanted.len()..].chars().next();
            let before = text[..at].chars().next_back();
            let span = Span::new(at, at + wanted.len());
            let is_part =
                after.is_some_and(is_word) || before.is_some_and(|c| is_word(c) || c == '.');
            if is_part || heads.iter().any(|head| head.contains(span)) {
                continue;
            }
            let chain = parsed.chain(span);
            match chain.iter().any(|node| node.is_word("string", None)) {
                true => self.note(parsed, at, NoteKind::Mention(name.to_string())),
                false => {
                    let package = Span::new(at, at + border.old.len());
                    self.file(path, parsed).replace(package, new.clone());
                }
            }
        }
    }

    /// Refuses a use of the type in another language that shares its packages.
    fn other_languages(&mut self, facts: &PackageFacts, border: &Border) {
        let project = self.modules.project;
        let found = project.files_with(&self.names, &facts.other_extensions);
        for parsed in found.files {
            if !facts
                .other_extensions
                .iter()
                .any(|one| one == extension(&parsed))
            {
                continue;
            }
            let text = parsed.source().text();
            for name in self.names.clone() {
                let at = words(text)
                    .find(|(_, word)| *word == name)
                    .map(|(at, _)| at);
                if let Some(at) = at.filter(|_| text.contains(&border.old)) {
                    let span = Span::new(at, at + name.len());
                    self.problem(&parsed, span, &name, ProblemKind::Embedded);
                }
            }
        }
    }

    /// Returns the statement that imports a type of the old package, if the moved code needs it.
    ///
    /// # Errors
    /// The type is not public.
    pub(super) fn of_old_package(
        &mut self,
        facts: &PackageFacts,
        border: &Border,
        name: &str,
    ) -> Result<Option<Spec>, (Arc<Parsed>, Span)> {
        for file in self.package_files(&border.old) {
            let names = FileNames::of(&file).names;
            let Some(span) = names.bindings(name).first().copied() else {
                continue;
            };
            if !self.is_public(&file, &names, name) {
                return Err((file, span));
            }
            let path = format!("{}{}{name}", border.old, facts.separator);
            return Ok(Some(facts.import_of(&path)));
        }
        Ok(None)
    }
}

fn extension(parsed: &Parsed) -> &str {
    Utf8Path::new(parsed.source().path())
        .extension()
        .unwrap_or_default()
}

/// Returns the members that only code of their package, or code that extends them, can use.
fn hidden(parsed: &Arc<Parsed>, span: Span) -> Vec<Hidden> {
    let mut found = Vec::new();
    let mut open: Vec<(Node<'_>, Option<Node<'_>>, bool)> = vec![(parsed.root(), None, false)];
    while let Some((node, parent, is_inside)) = open.pop() {
        let is = |mark: Mark| match parent {
            Some(parent) => node.is_in(mark, parent),
            None => node.is(mark),
        };
        let is_type = is(Mark::TypeDefinition);
        let is_member = is(Mark::MemberDefinition);
        if is_member && is_inside && span.contains(node.span()) {
            if !is(Mark::PublicMember) && !is(Mark::PrivateMember) {
                let is_method = is(Mark::MethodDefinition);
                let names = names_of_member(node);
                found.extend(names.into_iter().map(|(name, is_variable)| Hidden {
                    name: parsed.source().slice(name.span()).into_owned(),
                    role: match (is_method, is_variable) {
                        (true, _) => Role::Method,
                        (false, true) if !is_type => Role::Value,
                        _ => Role::Any,
                    },
                    span: name.span(),
                    parsed: parsed.clone(),
                }));
            }
            if !is_type || is(Mark::PrivateMember) {
                continue;
            }
        }
        let children = node
            .own_children()
            .into_iter()
            .filter(|child| child.is_named());
        open.extend(children.map(|child| (child, Some(node), is_inside || is_type)));
    }
    found
}

/// Returns the names that a member binds, and whether each is a variable.
fn names_of_member<'p>(member: Node<'p>) -> Vec<(Node<'p>, bool)> {
    let named = |node: Node<'p>, parent: Node<'p>| {
        let marks = [Mark::Binds, Mark::BindsOutside, Mark::MemberName];
        let is_name = node.is_in(Mark::ScopedName, parent)
            && marks.iter().any(|mark| node.is_in(*mark, parent));
        is_name.then(|| (node, node.is_in(Mark::Binds, parent)))
    };
    let children = member.own_children();
    let mut all: Vec<(Node<'p>, bool)> = Vec::new();
    for child in children {
        all.extend(named(child, member));
        let inner = child.own_children().into_iter();
        all.extend(inner.filter_map(|inner| named(inner, child)));
    }
    all
}

/// Returns the names that code uses, except those of its variables.
fn mentioned(parsed: &Parsed, span: Span) -> Mentioned {
    let names = FileNames::of(parsed).names;
    let uses = names.all_uses().iter();
    let uses = uses.filter(|one| span.contains(one.span));
    let uses = uses.filter(|one| one.kind != NameKind::Any || !names.is_inner(one));
    let role = |kind: NameKind| match kind {
        NameKind::Called => Role::Method,
        NameKind::Any => Role::Value,
        NameKind::Type | NameKind::ValueOrType => Role::Any,
    };
    let all = uses.map(|one| (one.name.clone(), role(one.kind)));
    let mut all: BTreeSet<(String, Role)> = all.collect();
    let mut open: Vec<(Node<'_>, Option<Node<'_>>)> = vec![(parsed.root(), None)];
    while let Some((node, parent)) = open.pop() {
        let is = |mark: Mark| parent.is_some_and(|parent| node.is_in(mark, parent));
        let of_type = parent.is_some_and(|parent| parent.is(Mark::TypeDefinition));
        let is_member = is(Mark::MemberName) || is(Mark::BindsOutside) && !of_type;
        if span.contains(node.span()) && is(Mark::ScopedName) && is_member {
            let name = parsed.source().slice(node.span()).into_owned();
            let role = match is(Mark::CalledName) || is(Mark::BindsOutside) {
                true => Role::Method,
                false => Role::Value,
            };
            all.insert((name, role));
        }
        let children = node.own_children().into_iter();
        let near = children.filter(|child| child.is_named() && child.span().touches(span));
        open.extend(near.map(|child| (child, Some(node))));
    }
    Mentioned(all)
}
