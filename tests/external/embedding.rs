//! The library outside of the workspace: the program of `tests/embedding` compiles with its own features.

use std::fs;
use std::process::Command;

use crate::support::repository;

#[test]
fn the_external_program_compiles() {
    let folder = repository().join("tests/embedding");
    // The dependency versions of the repository, which are on this machine.
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).expect("it can be copied");
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--target-dir"])
        .arg(repository().join("target/embedding"))
        .current_dir(&folder)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}
