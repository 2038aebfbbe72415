//! Which file a module in an import statement is, and how another file is written as a module.
//!
//! Paths are those of the files as answers show them; whether a file exists is asked of the [`Project`].

use camino::{Utf8Path, Utf8PathBuf};

use super::Project;
use super::facts::{ImportFacts, ModulePaths};
use super::file_names::FileNames;
use super::statements::Import;

/// The number of files next to a file that are read for how they write modules.
const NEAR: usize = 20;

/// How the modules of a project are written in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModuleStyle {
    /// Whether modules are relative to the importing file.
    pub(crate) is_relative: bool,
    /// The folder that absolute modules are relative to.
    pub(crate) root: Option<Utf8PathBuf>,
    /// The extension that paths have, with its dot.
    pub(crate) extension: Option<String>,
}

/// What a module is to a file, in the order of the groups of import statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ModuleKind {
    /// It changes the language.
    Language,
    /// It is part of the standard library.
    Standard,
    /// It is another package.
    External,
    /// It is a file of the project.
    Project,
    /// Its path is relative to the file.
    Relative,
}

/// The modules of a language in a project.
#[derive(Clone, Copy)]
pub(crate) struct Modules<'m> {
    pub(crate) project: &'m dyn Project,
    pub(crate) facts: &'m ImportFacts,
}

impl Modules<'_> {
    /// Returns how a module is written, if it is the file `to`.
    pub(crate) fn is_file(
        &self,
        from: &Utf8Path,
        module: &str,
        to: &Utf8Path,
    ) -> Option<ModuleStyle> {
        match self.facts.modules {
            ModulePaths::Dotted => self.is_dotted(from, module, to),
            ModulePaths::Specifier => self.is_specified(from, module, to),
            ModulePaths::Package => None,
        }
    }

    /// Returns what a module is to a file.
    pub(crate) fn kind_of(&self, from: &Utf8Path, module: &str) -> ModuleKind {
        let first = module.split(['.', '/']).next().unwrap_or_default();
        match () {
            () if self.is_relative(module) => ModuleKind::Relative,
            () if self.facts.standard.contains(first) => ModuleKind::Standard,
            () if self.file_of(from, module).is_some() => ModuleKind::Project,
            () => ModuleKind::External,
        }
    }

    /// Returns whether a file imports a name of the project for others: the file makes a folder a module.
    pub(crate) fn gives_import(&self, path: &Utf8Path, names: &FileNames, name: &str) -> bool {
        let is_package = path.file_stem() == Some(self.facts.package.as_str());
        let mut imports = names.imports.iter();
        let import = imports.find(|import| import.items.iter().any(|item| item.bound.0 == name));
        let is_own = import.is_some_and(|import| {
            let module = match import.module_text() {
                "" => name,
                module => module,
            };
            self.kind_of(path, module) >= ModuleKind::Project
        });
        is_package && self.facts.exports_imports && is_own
    }

    /// Returns how a file writes modules of the project, as its import statements show.
    pub(crate) fn style_of(&self, path: &Utf8Path, imports: &[Import]) -> Option<ModuleStyle> {
        imports.iter().find_map(|import| {
            let module = import.module_text();
            let file = self.file_of(path, module)?;
            self.is_file(path, module, &file)
        })
    }

    /// Returns how a file without import statements writes modules: as the files next to it do.
    pub(crate) fn usual_style(&self, path: &Utf8Path) -> ModuleStyle {
        let files = self.project.folder(folder(path), &self.facts.extensions);
        let near = files.iter().filter(|file| file.source().path() != path);
        let mut styles = near.take(NEAR).filter_map(|file| {
            let names = FileNames::from_parsed(file);
            self.style_of(Utf8Path::new(file.source().path()), &names.imports)
        });
        let extension = path.extension().unwrap_or_default();
        let is_whole = self.facts.whole_paths.iter().any(|one| one == extension);
        styles.next().unwrap_or_else(|| ModuleStyle {
            extension: is_whole.then(|| format!(".{extension}")),
            ..ModuleStyle::default()
        })
    }

    /// Returns the module of an item that may itself be a module.
    pub(crate) fn submodule(&self, module: &str, item: &str) -> Option<String> {
        match self.facts.modules {
            ModulePaths::Dotted if module.ends_with('.') => Some(format!("{module}{item}")),
            ModulePaths::Dotted => Some(format!("{module}.{item}")),
            ModulePaths::Specifier | ModulePaths::Package => None,
        }
    }

    /// Returns the file of a module inside a package, of which the file is given.
    pub(crate) fn inner(&self, package: &Utf8Path, name: &str) -> Option<Utf8PathBuf> {
        let is_package = package.file_stem() == Some(self.facts.package.as_str());
        match self.facts.modules {
            ModulePaths::Dotted if is_package => self.dotted_file(folder(package), name),
            _ => None,
        }
    }

    /// Returns whether a module depends on the place of the importing file.
    pub(crate) fn is_relative(&self, module: &str) -> bool {
        module.starts_with('.')
    }

    /// Returns the file of a module that is relative, or absolute below a root.
    pub(crate) fn file_of(&self, from: &Utf8Path, module: &str) -> Option<Utf8PathBuf> {
        match self.facts.modules {
            ModulePaths::Dotted => {
                let (base, rest) = match dots(module) {
                    0 => {
                        let roots = self.roots_of(from);
                        let found = roots.iter().find_map(|root| self.dotted_file(root, module));
                        return found;
                    }
                    dots => (up(folder(from), dots - 1)?, module.trim_start_matches('.')),
                };
                self.dotted_file(&base, rest)
            }
            ModulePaths::Specifier => self.specified_file(from, module).map(|(path, _)| path),
            ModulePaths::Package => None,
        }
    }

    /// Returns the module by which the file `from` imports the file `to`.
    pub(crate) fn module(
        &self,
        from: &Utf8Path,
        to: &Utf8Path,
        style: &ModuleStyle,
    ) -> Option<String> {
        match self.facts.modules {
            ModulePaths::Dotted => self.dotted(from, to, style),
            ModulePaths::Specifier => {
                let is_inside = self.package_of(from) == self.package_of(to);
                is_inside.then(|| self.specifier(from, to, style))
            }
            ModulePaths::Package => None,
        }
    }

    /// Returns the folder of the package that contains a file, and the name of the package, if it has a manifest with a name.
    fn package_of(&self, path: &Utf8Path) -> Option<(Utf8PathBuf, String)> {
        let manifest = self.facts.manifest.as_ref()?;
        folder(path).ancestors().find_map(|folder| {
            let path = folder.join(manifest);
            let is_there = self.project.has_file(&path);
            let parsed = is_there.then(|| self.project.parsed(&path)).flatten()?;
            let read: serde_json::Value = serde_json::from_str(parsed.source().text()).ok()?;
            Some((folder.to_owned(), read["name"].as_str()?.to_string()))
        })
    }

    /// Returns whether a module is the package of the file itself, under its name.
    pub(crate) fn is_own_package(&self, path: &Utf8Path, module: &str) -> bool {
        let package = self.package_of(path);
        package.is_some_and(|(_, name)| {
            let rest = module.strip_prefix(&name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Returns the files of the packages that loading `to` loads, except those that contain `from`.
    pub(crate) fn packages(&self, from: &Utf8Path, to: &Utf8Path) -> Vec<Utf8PathBuf> {
        if self.facts.modules != ModulePaths::Dotted {
            return Vec::new();
        }
        let all = folder(to).ancestors();
        let outside = all.take_while(|one| !folder(from).starts_with(one) && self.is_package(one));
        outside
            .filter_map(|one| self.dotted_file(one, ""))
            .collect()
    }

    /// Returns a relative module of one file as it is written in another.
    pub(crate) fn rebased(&self, module: &str, from: &Utf8Path, to: &Utf8Path) -> Option<String> {
        if folder(from) == folder(to) {
            return Some(module.to_string());
        }
        let relative = |path: &Utf8Path| {
            let own: Vec<&str> = folder(to).iter().collect();
            let there: Vec<&str> = path.iter().collect();
            let common = own
                .iter()
                .zip(&there)
                .take_while(|(one, other)| one == other);
            let common = common.count();
            let rest: Vec<String> = there[common..]
                .iter()
                .map(|part| part.to_string())
                .collect();
            (own.len() - common, rest)
        };
        match self.facts.modules {
            ModulePaths::Dotted => {
                let base = up(folder(from), dots(module).checked_sub(1)?)?;
                let rest = module.trim_start_matches('.').split('.');
                let path = rest
                    .filter(|part| !part.is_empty())
                    .fold(base, |path, part| path.join(part));
                let root = self.root(from);
                if self.root(to) != root || !share_package(&root, folder(to), &path) {
                    let below = path.strip_prefix(&root).ok()?;
                    let parts: Vec<&str> = below.iter().collect();
                    return (!parts.is_empty()).then(|| parts.join("."));
                }
                let (above, rest) = relative(&path);
                Some(format!("{}{}", ".".repeat(above + 1), rest.join(".")))
            }
            ModulePaths::Package => None,
            ModulePaths::Specifier => {
                let path = joined(folder(from), module)?;
                if self.package_of(&path) != self.package_of(to) {
                    return None;
                }
                let (above, rest) = relative(&path);
                let mut parts = vec!["..".to_string(); above];
                if parts.is_empty() {
                    parts.push(".".to_string());
                }
                parts.extend(rest);
                Some(parts.join("/"))
            }
        }
    }

    /// Returns the path of a module without its extension, and without the file that makes a folder a module.
    fn parts(&self, path: &Utf8Path) -> Vec<String> {
        let mut parts: Vec<String> = folder(path).iter().map(str::to_string).collect();
        let stem = stem(path);
        if stem != self.facts.package {
            parts.push(stem.to_string());
        }
        parts
    }

    fn is_package(&self, folder: &Utf8Path) -> bool {
        let mut all = self.facts.extensions.iter();
        all.any(|one| {
            self.project
                .has_file(&folder.join(format!("{}.{one}", self.facts.package)))
        })
    }

    /// Returns the folder that contains the outermost package of a file.
    fn root(&self, path: &Utf8Path) -> Utf8PathBuf {
        let mut current = folder(path).to_owned();
        while !current.as_str().is_empty() && self.is_package(&current) {
            current = folder(&current).to_owned();
        }
        current
    }

    /// Returns the folders that absolute modules of a file may be relative to.
    fn roots_of(&self, from: &Utf8Path) -> Vec<Utf8PathBuf> {
        let mut roots = vec![self.root(from)];
        for one in folder(from).ancestors() {
            if !self.is_package(one) {
                roots.push(one.to_owned());
                roots.push(one.join("src"));
            }
        }
        roots
    }

    fn dotted_file(&self, base: &Utf8Path, dotted: &str) -> Option<Utf8PathBuf> {
        let path = dotted
            .split('.')
            .fold(base.to_owned(), |path, part| match part {
                "" => path,
                part => path.join(part),
            });
        let extensions = self.facts.extensions.iter();
        let mut names = extensions.flat_map(|one| {
            let package = path.join(format!("{}.{one}", self.facts.package));
            let file = Utf8PathBuf::from(format!("{path}.{one}"));
            [package, file]
        });
        names.find(|name| self.project.has_file(name))
    }

    fn is_dotted(&self, from: &Utf8Path, module: &str, to: &Utf8Path) -> Option<ModuleStyle> {
        let dots = dots(module);
        if dots > 0 {
            let base = up(folder(from), dots - 1)?;
            let wanted = base.iter().map(str::to_string);
            let rest = module[dots..].split('.').filter(|part| !part.is_empty());
            let wanted: Vec<String> = wanted.chain(rest.map(str::to_string)).collect();
            return (wanted == self.parts(to)).then(|| ModuleStyle {
                is_relative: true,
                ..ModuleStyle::default()
            });
        }
        let parts = self.parts(to);
        let wanted: Vec<&str> = module.split('.').collect();
        let root = parts.len().checked_sub(wanted.len())?;
        if module.is_empty() || parts[root..] != wanted[..] {
            return None;
        }
        let root: Utf8PathBuf = parts[..root].iter().collect();
        if self.is_package(&root) {
            return None;
        }
        // A script finds the files of its own folder first.
        let own = self.dotted_file(folder(from), module);
        if own.is_some_and(|own| own != to) && !self.is_package(folder(from)) {
            return None;
        }
        Some(ModuleStyle {
            root: Some(root),
            ..ModuleStyle::default()
        })
    }

    fn dotted(&self, from: &Utf8Path, to: &Utf8Path, style: &ModuleStyle) -> Option<String> {
        let parts = self.parts(to);
        let own = folder(from);
        let root = self.root(to);
        let is_of_package = root != folder(to);
        let is_near = self.root(from) == root && share_package(&root, own, to);
        // A file that imports the files next to it relatively is part of a package, also without the file that says so.
        let is_next = own == folder(to);
        if style.is_relative && (is_of_package && is_near || is_next) {
            let own: Vec<&str> = own.iter().collect();
            let common = own
                .iter()
                .zip(&parts)
                .take_while(|(one, other)| *one == other);
            let common = common.count();
            let dots = ".".repeat(own.len() - common + 1);
            return Some(format!("{dots}{}", parts[common..].join(".")));
        }
        let given = style
            .root
            .as_ref()
            .filter(|root| folder(to).starts_with(root));
        let below = |root: &Utf8Path| parts[root.iter().count()..].join(".");
        match given {
            Some(root) => Some(below(root)),
            None if is_of_package => Some(below(&root)),
            // Without a package, only files of one folder find each other.
            None if folder(from) == folder(to) => parts.last().cloned(),
            None => None,
        }
    }

    fn specified_file(
        &self,
        from: &Utf8Path,
        module: &str,
    ) -> Option<(Utf8PathBuf, Option<String>)> {
        if !module.starts_with('.') {
            return None;
        }
        let path = joined(folder(from), module)?;
        let extensions = &self.facts.extensions;
        let of = |base: &Utf8Path| {
            let mut all = extensions.iter();
            all.find_map(|one| {
                let file = Utf8PathBuf::from(format!("{base}.{one}"));
                self.project.has_file(&file).then_some(file)
            })
        };
        let written = path.extension().map(|one| format!(".{one}"));
        if let Some(extension) = written {
            let is_code = extensions.iter().any(|one| *one == extension[1..]);
            if self.project.has_file(&path) {
                return Some((path, Some(extension).filter(|_| is_code)));
            }
            // TypeScript files are imported as the JavaScript files that they become.
            let base = path.with_extension("");
            if extensions.contains(&extension[1..].to_string())
                && let Some(file) = of(&base)
            {
                return Some((file, Some(extension)));
            }
        }
        let file = of(&path).or_else(|| of(&path.join(&self.facts.package)));
        file.map(|file| (file, None))
    }

    fn is_specified(&self, from: &Utf8Path, module: &str, to: &Utf8Path) -> Option<ModuleStyle> {
        let (file, extension) = self.specified_file(from, module)?;
        (file == to).then_some(ModuleStyle {
            is_relative: true,
            root: None,
            extension,
        })
    }

    fn specifier(&self, from: &Utf8Path, to: &Utf8Path, style: &ModuleStyle) -> String {
        let own: Vec<&str> = folder(from).iter().collect();
        let there: Vec<&str> = folder(to).iter().collect();
        let common = own
            .iter()
            .zip(&there)
            .take_while(|(one, other)| one == other);
        let common = common.count();
        let mut parts: Vec<String> = vec!["..".to_string(); own.len() - common];
        if parts.is_empty() {
            parts.push(".".to_string());
        }
        parts.extend(there[common..].iter().map(|part| part.to_string()));
        let extension = style.extension.as_deref();
        let is_index = stem(to) == self.facts.package;
        if !is_index || extension.is_some() || parts.len() == 1 {
            parts.push(format!("{}{}", stem(to), self.extension_for(to, extension)));
        }
        parts.join("/")
    }

    /// Returns the extension with which a file is imported where others have `style`.
    fn extension_for(&self, to: &Utf8Path, style: Option<&str>) -> String {
        let own = to
            .extension()
            .map_or(String::new(), |one| format!(".{one}"));
        match style {
            None => String::new(),
            // The file is imported as it is.
            Some(style) if style.starts_with(".ts") => own,
            Some(_) => own.replace(".tsx", ".js").replace("ts", "js"),
        }
    }
}

/// Returns whether two paths are in the same package directly below a folder: no relative module leaves it.
fn share_package(root: &Utf8Path, one: &Utf8Path, other: &Utf8Path) -> bool {
    let package = |path: &Utf8Path| -> Option<String> {
        let below = path.strip_prefix(root).ok()?;
        below.iter().next().map(str::to_string)
    };
    package(one).is_some() && package(one) == package(other)
}

/// Returns the number of dots that a module starts with.
fn dots(module: &str) -> usize {
    module.len() - module.trim_start_matches('.').len()
}

/// Returns the folder of a file.
pub(crate) fn folder(path: &Utf8Path) -> &Utf8Path {
    path.parent().unwrap_or(Utf8Path::new(""))
}

fn stem(path: &Utf8Path) -> &str {
    let stem = path.file_stem().unwrap_or_default();
    stem.strip_suffix(".d").unwrap_or(stem)
}

/// Returns the folder this many levels above.
fn up(from: &Utf8Path, levels: usize) -> Option<Utf8PathBuf> {
    let mut folder = from.to_owned();
    for _ in 0..levels {
        if !folder.pop() {
            return None;
        }
    }
    Some(folder)
}

/// Returns a relative path below a folder, without `.` and `..`.
fn joined(folder: &Utf8Path, relative: &str) -> Option<Utf8PathBuf> {
    let mut path = folder.to_owned();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if !path.pop() {
                    return None;
                }
            }
            part => path.push(part),
        }
    }
    Some(path)
}
