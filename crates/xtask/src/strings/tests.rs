//! Measures a generated repository of language samples: no correction may have another result than the call means.

use std::fs;

use tempfile::TempDir;
use treegraft::language::LANGUAGES;

use crate::git::git_in_test as git;

use super::{Options, strings};

#[test]
fn no_correction_is_wrong() {
    let repository = TempDir::new().expect("a temporary directory can be created");
    let root = repository.path();
    git(root, &["init", "--quiet"]);
    for is_older in [true, false] {
        for language in LANGUAGES.iter().filter(|one| !one.extensions().is_empty()) {
            let (path, text) = language.sample();
            let path = root.join(language.name).join(path);
            let directory = path.parent().expect("the path has a parent");
            fs::create_dir_all(directory).expect("the repository can be written");
            let text = if is_older {
                older(text)
            } else {
                text.to_string()
            };
            fs::write(path, text).expect("the repository can be written");
        }
        git(root, &["add", "--all"]);
        git(root, &["commit", "--quiet", "--message", "next"]);
    }
    let options = Options {
        repositories: vec![root.to_string_lossy().into_owned()],
        hunks: 80,
        commits: 1,
        show: 3,
    };
    let report = strings(&options, |_| ()).expect("git answers");
    let [calls, wrong, good, changed] = report.totals();
    assert_eq!((wrong, changed), (0, 0), "{report}");
    assert!(calls > 400 && good > 40, "{report}");
}

/// Returns an older version of a sample: every seventh line is missing.
fn older(text: &str) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    let kept = lines.filter(|(index, _)| index % 7 != 3);
    kept.map(|(_, line)| line).collect()
}
