//! The only module through which tests use the engine.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and read the results"
)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use treegraft::language::LANGUAGES;

#[path = "support/bench.rs"]
mod bench;
pub(crate) use bench::*;

/// The root of the repository.
pub(crate) fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = package.ancestors();
    let root = folders.find(|folder| folder.join("queries").is_dir());
    root.expect("the package is in the repository")
}

/// A file with two methods of the same name, for clients of the server.
pub(crate) const COUNTERS: &str = "\
struct Hits(u32);

impl Hits {
    fn count(&self) -> u32 {
        self.0
    }
}

impl Misses {
    fn count(&self) -> u32 {
        self.0
    }
}
";

/// Returns whether the long tests try all their cases, not only a part of them (`bash tests/all.sh --full`).
pub(crate) fn is_full() -> bool {
    std::env::var_os("TREEGRAFT_TEST_FULL").is_some_and(|value| value == "1")
}

/// Writes a script that can be run.
#[cfg(unix)]
pub(crate) fn write_program(path: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;

    fs::write(path, script).expect("a file can be written");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, mode).expect("a file can be made executable");
}

/// Whether all languages are built in, including the optional ones.
pub(crate) const HAS_ALL: bool = cfg!(all(
    feature = "lang-csharp",
    feature = "lang-dart",
    feature = "lang-haskell",
    feature = "lang-julia",
    feature = "lang-kotlin",
    feature = "lang-ocaml",
    feature = "lang-scala",
    feature = "lang-swift",
));

/// The optional languages: their features in `Cargo.toml` are not in `default`.
static OPTIONAL: LazyLock<Vec<String>> = LazyLock::new(|| {
    let path = repository().join("Cargo.toml");
    let manifest = fs::read_to_string(path).expect("the manifest can be read");
    let manifest: toml_edit::DocumentMut = manifest.parse().expect("the manifest is TOML");
    let features = manifest["features"]
        .as_table()
        .expect("the manifest has features");
    let default = features["default"]
        .as_array()
        .expect("there are default features");
    let is_default = |name: &str| default.iter().any(|one| one.as_str() == Some(name));
    let optional = features.iter().filter(|(name, _)| !is_default(name));
    let languages = optional.filter_map(|(name, _)| name.strip_prefix("lang-"));
    languages.map(str::to_string).collect()
});

/// Returns whether a language is optional. A language that another one includes has a name with
/// that prefix: `ocaml_interface`.
pub(crate) fn is_optional(language: &str) -> bool {
    let begins = |name: &String| {
        let rest = language.strip_prefix(name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    OPTIONAL.iter().any(begins)
}

/// Returns whether a language is optional and not in the build. In a build with all languages none
/// is left out, even if one is missing.
pub(crate) fn is_left_out(language: &str) -> bool {
    let is_built = || LANGUAGES.iter().any(|one| one.name == language);
    !HAS_ALL && is_optional(language) && !is_built()
}

/// Returns whether a file is in the folder of a language that was left out.
pub(crate) fn is_of_left_out(path: &Path) -> bool {
    let path = path.strip_prefix(repository()).unwrap_or(path);
    let mut folders = path.iter().filter_map(|name| name.to_str());
    folders.any(is_left_out)
}

/// Returns all subcommands that users see, each with the words that call it.
pub(crate) fn subcommands() -> Vec<(String, clap::Command)> {
    let whole = <treegraft_cli::cli::Arguments as clap::CommandFactory>::command();
    let mut whole = whole.disable_help_subcommand(true);
    whole.build();
    let mut open = vec![(String::new(), whole)];
    let mut all = Vec::new();
    while let Some((words, command)) = open.pop() {
        let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
        let named = verbs.map(|verb| {
            let words = format!("{words} {}", verb.get_name());
            (words.trim_start().to_string(), verb.clone())
        });
        let named: Vec<_> = named.collect();
        open.extend(named.into_iter().rev());
        all.push((words, command));
    }
    all.remove(0);
    all
}

/// Returns whether answers and generated pages are written instead of compared.
pub(crate) fn is_recording() -> bool {
    std::env::var_os("TREEGRAFT_RECORD").is_some_and(|value| value == "1")
}

/// Returns the settings of the snapshots in a folder of `snapshots/`. They name the test file that compares with them.
pub(crate) fn snapshots(folder: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(repository().join("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

/// Replaces edit ids, which differ between runs, by a fixed one.
pub(crate) fn steady(text: &str) -> String {
    let mut steady = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('e') {
        let digits = rest[start + 1..]
            .chars()
            .take_while(|c| c.is_ascii_digit() || ('a'..='f').contains(c))
            .count();
        let alone = !rest[..start].ends_with(|c: char| c.is_alphanumeric())
            && !rest[start + 1 + digits..].starts_with(|c: char| c.is_alphanumeric());
        steady.push_str(&rest[..start]);
        match digits == 12 && alone {
            true => steady.push_str("e000000000000"),
            false => steady.push_str(&rest[start..start + 1 + digits]),
        }
        rest = &rest[start + 1 + digits..];
    }
    steady.push_str(rest);
    steady
}

/// Runs git in a repository that a test created, independent of the machine's settings.
pub(crate) fn git(root: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git starts");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {arguments:?}: {message}");
}

/// Copies a folder with its contents.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the directory can be written");
    for entry in fs::read_dir(from).expect("the files are there") {
        let entry = entry.expect("the files are there");
        let place = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &place),
            false => {
                fs::copy(entry.path(), place).expect("a file can be copied");
            }
        }
    }
}
