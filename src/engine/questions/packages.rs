//! Determines which packages of a workspace can use which others, from their manifests.
//!
//! Input: the manifests (`Cargo.toml`). Output: [`Packages`], which knows whether the code of one file can use that of
//! another.

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use toml_edit::{DocumentMut, Item};

/// What lists the dependencies of a package.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// The packages of a workspace.
#[derive(Debug, Default)]
pub(super) struct Packages(Vec<Package>);

#[derive(Debug)]
struct Package {
    folder: Utf8PathBuf,
    name: String,
    dependencies: HashSet<String>,
}

impl Packages {
    /// Reads the packages from the paths and texts of manifests. A manifest without a package, such as that of a
    /// workspace, has none.
    pub(super) fn of(manifests: impl Iterator<Item = (Utf8PathBuf, String)>) -> Packages {
        let packages = manifests.filter_map(|(path, text)| {
            let manifest: DocumentMut = text.parse().ok()?;
            let name = manifest.get("package")?.get("name")?.as_str()?.to_string();
            let targets = manifest.get("target").and_then(Item::as_table_like);
            let targets = targets.into_iter().flat_map(|all| all.iter());
            let targets = targets.map(|(_, target)| target);
            let tables = std::iter::once(manifest.as_item()).chain(targets);
            let lists = tables.flat_map(|table| DEPENDENCIES.map(|list| table.get(list)));
            let lists = lists.flatten().filter_map(Item::as_table_like);
            let dependencies = lists.flat_map(|list| {
                let all = list.iter();
                all.map(|(name, item)| {
                    let renamed = item.get("package").and_then(Item::as_str);
                    renamed.unwrap_or(name).to_string()
                })
            });
            Some(Package {
                folder: path.parent()?.to_owned(),
                name,
                dependencies: dependencies.collect(),
            })
        });
        Packages(packages.collect())
    }

    /// Returns whether code in a file can use that of another. Also returns true if one of them is in no package.
    pub(super) fn can_use(&self, from: &Utf8Path, to: &Utf8Path) -> bool {
        let (Some(from), Some(to)) = (self.around(from), self.around(to)) else {
            return true;
        };
        let mut known = HashSet::from([from.name.as_str()]);
        let mut next = vec![from];
        while let Some(package) = next.pop() {
            if package.name == to.name {
                return true;
            }
            let used = self.0.iter();
            let used = used.filter(|one| package.dependencies.contains(&one.name));
            next.extend(used.filter(|one| known.insert(&one.name)));
        }
        false
    }

    /// Returns whether a package has this name in code.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|one| one.name.replace('-', "_") == name)
    }

    /// Returns the innermost package that contains a file.
    fn around(&self, path: &Utf8Path) -> Option<&Package> {
        let around = self.0.iter().filter(|one| path.starts_with(&one.folder));
        around.max_by_key(|one| one.folder.as_str().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_can_use_its_dependencies_and_theirs() {
        let packages = [
            ("/w/Cargo.toml", "[workspace]\nmembers = [\"*\"]\n"),
            (
                "/w/app/Cargo.toml",
                "[package]\nname = \"app\"\n[target.'cfg(unix)'.dependencies]\nm = {package = \"mid\"}\n",
            ),
            (
                "/w/mid/Cargo.toml",
                "[package]\nname = \"mid\"\n[dependencies]\nbase = {path = \"../base\"}\n",
            ),
            ("/w/base/Cargo.toml", "[package]\nname = \"base\"\n"),
            ("/w/broken/Cargo.toml", "[package"),
        ];
        let packages = packages.into_iter();
        let packages = Packages::of(packages.map(|(path, text)| (path.into(), text.to_string())));
        let can_use = |from: &str, to: &str| packages.can_use(from.into(), to.into());
        assert!(can_use("/w/app/src/a.rs", "/w/base/src/b.rs"));
        assert!(can_use("/w/base/src/a.rs", "/w/base/src/b.rs"));
        assert!(!can_use("/w/base/src/a.rs", "/w/mid/src/b.rs"));
        assert!(!can_use("/w/mid/src/a.rs", "/w/app/src/b.rs"));
        // What is in no package may use everything.
        assert!(can_use("/w/broken/src/a.rs", "/w/app/src/b.rs"));
    }
}
