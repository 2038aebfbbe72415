//! What users download: the archive that `.ci/release` makes, and the container recipe.
#![expect(
    clippy::disallowed_methods,
    reason = "tests make, unpack and run an archive"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Packs the program of this build twice: both archives are equal and complete, and the program
/// runs without an environment.
#[cfg(target_os = "linux")]
#[test]
fn a_release_is_complete_and_reproducible() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let made = ["one", "two"].map(|name| {
        let folder = directory.path().join(name);
        let mut release = Command::new(root().join(".ci/release"));
        release.arg(&folder).arg(env!("CARGO_BIN_EXE_treegraft"));
        // A fixed time, since there may be no commit to take it from.
        done(release.env("SOURCE_DATE_EPOCH", "1700000000"));
        fs::read_to_string(folder.join("SHA256SUMS")).expect("the checksums exist")
    });
    assert_eq!(made[0], made[1]);

    let folder = directory.path().join("one");
    done(
        Command::new("sha256sum")
            .args(["--check", "SHA256SUMS"])
            .current_dir(&folder),
    );
    let archive = made[0]
        .split_whitespace()
        .nth(1)
        .expect("the file name follows the checksum");
    done(
        Command::new("tar")
            .args(["-xzf", archive])
            .current_dir(&folder),
    );
    let unpacked = folder.join(archive.trim_end_matches(".tar.gz"));
    for file in [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "CHANGELOG.md",
        "man/treegraft.1",
        "man/treegraft-replace.1",
        "completions/treegraft.bash",
        "completions/treegraft.zsh",
    ] {
        assert!(unpacked.join(file).is_file(), "{file}");
    }
    let message = done(
        Command::new(unpacked.join("treegraft"))
            .arg("--version")
            .env_clear(),
    );
    let version = format!("treegraft {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8_lossy(&message.stdout), version);
}

#[test]
fn the_image_builds_this_project_and_runs_without_privileges() {
    let recipe = read("Containerfile");
    let manifest = read("Cargo.toml");
    let rust = manifest
        .split_once("rust-version = \"")
        .map(|(_, rest)| rest);
    let rust = rust
        .and_then(|rest| rest.split('"').next())
        .expect("the manifest has a Rust version");
    let steps = |name: &str| -> Vec<&str> {
        let lines = recipe.lines();
        lines
            .filter_map(|line| line.strip_prefix(name))
            .map(str::trim)
            .collect()
    };
    let froms = steps("FROM");
    assert_eq!(froms.len(), 2, "a build stage and a final stage");
    assert!(
        froms[0].starts_with(&format!("rust:{rust}-")),
        "{}",
        froms[0]
    );
    assert!(!froms[1].contains("rust"), "{}", froms[1]);
    let user = steps("USER");
    let user = user.last().expect("the recipe has a user");
    assert!(
        user.split(':')
            .all(|id| id.parse::<u32>().is_ok_and(|id| id > 0)),
        "{user}"
    );
    let left_out = read(".dockerignore");
    for name in ["target", ".git"] {
        assert!(left_out.lines().any(|line| line == name), "{name}");
    }
}

fn done(command: &mut Command) -> Output {
    let output = command.output().expect("the command starts");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {message}");
    output
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).expect("the file can be read")
}

fn root() -> &'static Path {
    crate::support::repository()
}
