//! Reads a repository with git. Nothing in it is changed.

#[cfg(test)]
use std::path::Path;
use std::process::Command;

use treegraft::language;

/// The size in bytes of the largest text that is read.
const LARGEST: usize = 200 * 1024;

/// Runs git and returns its output. The command is split at spaces, further arguments are not.
///
/// # Errors
/// Returns an error if git does not start or fails.
pub(crate) fn git(repository: &str, command: &str, further: &[&str]) -> Result<String, String> {
    let arguments = ["-C", repository].into_iter().chain(command.split(' '));
    let output = Command::new("git").args(arguments).args(further).output();
    let output = output.map_err(|error| format!("cannot start git: {error}"))?;
    if !output.status.success() {
        let fault = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(format!("{repository}: git {command}: {fault}"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the name of the repository at a path: `owner/name`.
pub(crate) fn name_of(path: &str) -> String {
    let mut names = path.rsplit('/').filter(|name| !name.is_empty());
    let own = names.find(|name| *name != "repo" && *name != ".git");
    own.map_or(path.to_string(), |name| name.replace('+', "/"))
}

/// Returns whether files with this name have a grammar.
pub(crate) fn has_grammar(path: &str) -> bool {
    language::of_path(path).is_some_and(|own| own.grammar().is_some())
}

/// Runs git in a test repository, independent of the machine's configuration.
#[cfg(test)]
pub(crate) fn git_in_test(root: &Path, command: &str) {
    let settings = ["user.name=a", "user.email=a@b.c", "commit.gpgsign=false"];
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(settings.into_iter().flat_map(|setting| ["-c", setting]))
        .args(command.split(' '))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git starts");
    let fault = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {command}: {fault}");
}

/// Creates a repository of the language samples in a test: a commit without every seventh line, and one with the samples.
#[cfg(test)]
pub(crate) fn samples_in_test() -> tempfile::TempDir {
    use std::fs;

    let repository = tempfile::TempDir::new().expect("a temporary directory can be created");
    let root = repository.path();
    git_in_test(root, "init --quiet");
    for is_older in [true, false] {
        let languages = treegraft::language::LANGUAGES.iter();
        for language in languages.filter(|one| !one.extensions().is_empty()) {
            let (path, text) = language.sample();
            let path = root.join(language.name).join(path);
            let directory = path.parent().expect("the path has a parent");
            fs::create_dir_all(directory).expect("the repository can be written");
            let lines = text.split_inclusive('\n').enumerate();
            let lines = lines.filter(|(index, _)| !is_older || index % 7 != 3);
            let text: String = lines.map(|(_, line)| line).collect();
            fs::write(path, text).expect("the repository can be written");
        }
        git_in_test(root, "add --all");
        git_in_test(root, "commit --quiet --message next");
    }
    repository
}

/// Returns the text of a blob, or `None` if it is missing, too large or not text.
///
/// # Errors
/// Returns an error if git does not start.
pub(crate) fn blob(repository: &str, id: &str) -> Result<Option<String>, String> {
    let arguments = ["-C", repository, "cat-file", "blob", id];
    let output = Command::new("git").args(arguments).output();
    let output = output.map_err(|error| format!("cannot start git: {error}"))?;
    let text = String::from_utf8(output.stdout).ok();
    let text = text.filter(|text| output.status.success() && text.len() <= LARGEST);
    Ok(text.filter(|text| !text.contains('\0')))
}
