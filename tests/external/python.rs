//! The Python package as it is installed, with the compiled part of this build.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{repository, steady};
use crate::tools;

const PACKAGE: &str = "crates/python/python/treegraft";

/// The directory with the package, and the Python of the tests.
struct Installed {
    folder: TempDir,
    python: PathBuf,
}

impl Installed {
    fn new() -> Installed {
        let module = tools::variable("TREEGRAFT_TEST_PYTHON_MODULE");
        let folder = TempDir::new().expect("a temporary directory can be created");
        let package = folder.path().join("treegraft");
        fs::create_dir(&package).expect("a folder can be created");
        let sources = fs::read_dir(repository().join(PACKAGE)).expect("the package can be listed");
        for source in sources {
            let source = source.expect("the package can be listed");
            if source.path().is_file() {
                fs::copy(source.path(), package.join(source.file_name()))
                    .expect("a source can be copied");
            }
        }
        let library = package.join("_native.abi3.so");
        std::os::unix::fs::symlink(module, library).expect("a link can be created");
        Installed {
            folder,
            python: tools::python(),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path());
        command.envs([("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONPATH", ".")]);
        command.env("MYPYPATH", self.path());
        command
    }
}

fn tests() -> PathBuf {
    repository().join("tests/python")
}

#[test]
fn its_tests_pass() {
    let installed = Installed::new();
    let mut command = installed.command(&installed.python);
    command.args([
        "-W",
        "error",
        "-m",
        "unittest",
        "discover",
        "--start-directory",
    ]);
    let output = done(command.arg(tests()));
    let printed = String::from_utf8_lossy(&output.stderr);
    let count = printed
        .lines()
        .find_map(|line| line.strip_prefix("Ran ")?.split(' ').next());
    let count: usize = count.and_then(|count| count.parse().ok()).unwrap_or(0);
    assert!(count > 10, "{printed}");
    assert!(!printed.contains("skipped"), "{printed}");
}

/// With two workers on one machine; the figures of docs/at-scale.md are from `benches/scale.py`.
#[test]
fn a_cluster_loses_no_row_and_has_the_results_of_one_process() {
    let installed = Installed::new();
    let mut cluster = installed.command(&installed.python);
    cluster.arg(tests().join("cluster.py")).arg(repository());
    // For its logs and sockets.
    let output = done(cluster.env("RAY_TMPDIR", installed.path()));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed.lines().last(), Some("passed"), "{printed}");
}

#[test]
fn its_benchmark_runs() {
    let installed = Installed::new();
    let module = tools::variable("TREEGRAFT_TEST_PYTHON_MODULE");
    let mut command = installed.command(&installed.python);
    command.arg(repository().join("benches/python.py"));
    let output = done(command.arg(module).arg("--once"));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed.lines().count(), 11, "{printed}");
}

/// `book` checks that the page shows the program.
#[test]
fn the_example_for_many_repositories_prints_what_its_page_shows() {
    let installed = Installed::new();
    let page = fs::read_to_string(repository().join("docs/at-scale.md"));
    let page = page.expect("the page can be read");
    let example = repository().join("examples/python/many_repositories.py");
    let folder = TempDir::new().expect("a temporary directory can be created");
    for (name, text) in [
        ("shop/cart.py", &b"total = fetch(basket, price)\n"[..]),
        ("shop/prices.py", b"TEA = 250\n"),
        ("site/old.py", b"# \xe9\n"),
        ("site/README.md", b"fetch(a, b)\n"),
    ] {
        let file = folder.path().join("repositories").join(name);
        fs::create_dir_all(file.parent().expect("it has one")).expect("it can be created");
        fs::write(file, text).expect("a file can be written");
    }
    let mut command = installed.command(&installed.python);
    command
        .arg(example)
        .args(["fetch($A, $B)", "fetch($B, $A)"]);
    command.args(["repositories/shop", "repositories/site"]);
    command
        .current_dir(folder.path())
        .env("PYTHONPATH", installed.path());
    let output = done(in_loopback(&mut command, installed.path()));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        page.contains(&format!("```text\n{printed}```\n")),
        "{printed}"
    );
    // The script of the page, in a repository with a patch and in one without.
    let script = page
        .split("```bash\n")
        .nth(1)
        .expect("the page has a script");
    let script = script.split("```\n").next().unwrap_or_default();
    for repository in ["shop", "site"] {
        let mut apply = Command::new("sh");
        apply.args(["-c", script]).env("REPOSITORY", repository);
        apply.env("PATCHES", folder.path().join("patches"));
        done(apply.current_dir(folder.path().join("repositories").join(repository)));
    }
    let cart = fs::read_to_string(folder.path().join("repositories/shop/cart.py"));
    assert_eq!(cart.ok().as_deref(), Some("total = fetch(price, basket)\n"));
}

#[test]
fn the_example_of_a_review_stages_its_edit() {
    let installed = Installed::new();
    let folder = TempDir::new().expect("a temporary directory can be created");
    let project = folder.path().join("project");
    fs::create_dir(&project).expect("a directory can be created");
    let text = "a = fetch(1, 2)\nb = fetch(3, 4)\n";
    fs::write(project.join("a.py"), text).expect("a file can be written");
    let example = repository().join("examples/python/rewrite_and_review.py");
    let mut command = installed.command(&installed.python);
    command
        .arg(example)
        .arg(&project)
        .args(["fetch($A, $B)", "fetch($B, $A)"]);
    let output = done(command.env("XDG_STATE_HOME", folder.path().join("state")));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    insta::assert_snapshot!(steady(&printed.replace(&*project.to_string_lossy(), "PROJECT")), @r"
    2 matches
      a.py:1: fetch(1, 2) {'$A': '1', '$B': '2'}
      a.py:2: fetch(3, 4) {'$A': '3', '$B': '4'}
    --- a/a.py
    +++ b/a.py
    @@ -1,2 +1,2 @@
    -a = fetch(1, 2)
    -b = fetch(3, 4)
    +a = fetch(2, 1)
    +b = fetch(4, 3)
    staged 2 matches as e000000000000
    review them: treegraft review --root PROJECT
    ");
    assert_eq!(
        fs::read_to_string(project.join("a.py")).ok().as_deref(),
        Some(text)
    );
    let mut edits = Command::new(env!("CARGO_BIN_EXE_treegraft"));
    edits.arg("--root").arg(&project).args(["list"]);
    let listed = done(edits.env("XDG_STATE_HOME", folder.path().join("state")));
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("rewrite 2 matches"), "{listed}");
}

/// Lets Ray use only loopback addresses, and write its logs and sockets into a folder.
fn in_loopback<'c>(command: &'c mut Command, folder: &Path) -> &'c mut Command {
    command.env("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0");
    command.env("RAY_USAGE_STATS_ENABLED", "0");
    command.env("RAY_AUTH_MODE", "disabled");
    command.env("RAY_TMPDIR", folder)
}

/// The lines of a program that must be errors for a type checker.
fn wrong_lines() -> BTreeSet<u64> {
    let program = fs::read_to_string(tests().join("typed.py")).expect("the program can be read");
    let lines = program
        .lines()
        .zip(1..)
        .filter(|(line, _)| line.ends_with("  # wrong"));
    let lines: BTreeSet<u64> = lines.map(|(_, number)| number).collect();
    assert!(lines.len() > 10);
    lines
}

#[test]
fn mypy_accepts_it_and_finds_wrong_uses() {
    let installed = Installed::new();
    let mut mypy = installed.command(&installed.python);
    mypy.args([
        "-m",
        "mypy",
        "--strict",
        "--python-version",
        "3.10",
        "--cache-dir",
        "/dev/null",
    ]);
    mypy.args(["--no-error-summary", "--hide-error-context"]);
    mypy.arg("treegraft").arg(tests().join("typed.py"));
    let output = mypy.output().expect("mypy starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = printed.lines().filter(|line| line.contains(": error: "));
    let mut found = BTreeSet::new();
    for error in errors {
        let line = error
            .split_once("typed.py:")
            .and_then(|(_, rest)| rest.split(':').next());
        found.insert(
            line.and_then(|line| line.parse().ok())
                .unwrap_or_else(|| panic!("{printed}")),
        );
    }
    assert_eq!(
        found,
        wrong_lines(),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn pyright_accepts_it_and_finds_wrong_uses() {
    let installed = Installed::new();
    fs::copy(tests().join("typed.py"), installed.path().join("typed.py"))
        .expect("a file can be copied");
    let configuration = json!({
        "typeCheckingMode": "strict", "pythonVersion": "3.10", "include": ["treegraft", "typed.py"],
    });
    fs::write(
        installed.path().join("pyrightconfig.json"),
        configuration.to_string(),
    )
    .expect("a configuration can be written");
    let mut pyright = installed.command(tools::node("pyright"));
    pyright
        .arg("--outputjson")
        .arg("--pythonpath")
        .arg(&installed.python);
    let output = pyright.output().expect("pyright starts");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("pyright prints JSON");
    let mut found = BTreeSet::new();
    for error in answer["generalDiagnostics"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let is_of_program = error["file"]
            .as_str()
            .is_some_and(|file| file.ends_with("typed.py"));
        assert!(is_of_program, "{error:#}");
        found.extend(
            error["range"]["start"]["line"]
                .as_u64()
                .map(|line| line + 1),
        );
    }
    assert_eq!(found, wrong_lines(), "{answer:#}");
}

fn done(command: &mut Command) -> Output {
    let output = command.output().expect("the command starts");
    let message = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert!(output.status.success(), "{command:?}: {}", message.concat());
    output
}
