//! What users download: the files that `.ci/release` makes, what it makes them of, and the container recipe.
//! `.ci/release --check` installs and uses the files.
#![expect(
    clippy::disallowed_methods,
    reason = "tests make, unpack and run an archive"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// The name of this server in the MCP registry.
const SERVER: &str = "io.github.treegraft/treegraft";

/// Packs a program twice: all files are equal and complete, and the program of the archive runs without an environment.
/// A script that starts the program of this build takes its place, since compressing that takes long.
#[cfg(target_os = "linux")]
#[test]
fn a_release_is_complete_and_reproducible() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let program = directory.path().join("treegraft");
    let script = format!(
        "#!/bin/sh\nexec '{}' \"$@\"\n",
        env!("CARGO_BIN_EXE_treegraft")
    );
    crate::support::write_program(&program, &script);
    let made = ["one", "two"].map(|name| {
        let folder = directory.path().join(name);
        let mut release = Command::new(root().join(".ci/release"));
        release.arg(&folder).arg(&program);
        release.args(["--target", "x86_64-unknown-linux-gnu"]);
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
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("treegraft-{version}-x86_64-unknown-linux-gnu");
    let files: Vec<&str> = made[0].split_whitespace().skip(1).step_by(2).collect();
    let expected = [
        "server.json".to_string(),
        format!("{name}.cdx.json"),
        format!("{name}.mcpb"),
        format!("{name}.tar.gz"),
        format!("treegraft-{version}.tgz"),
        format!("treegraft-linux-x64-{version}.tgz"),
    ];
    assert_eq!(files, expected);
    done(
        Command::new("tar")
            .args(["-xzf", &format!("{name}.tar.gz")])
            .current_dir(&folder),
    );
    let unpacked = folder.join(&name);
    for file in [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "THIRD-PARTY-LICENSES.txt",
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
    let printed = String::from_utf8_lossy(&message.stdout);
    assert_eq!(printed, format!("treegraft {version}\n"));

    // The program contains the packages that the SBOM lists, with their licenses, and no optional language.
    let sbom = parsed(&folder.join(format!("{name}.cdx.json")));
    assert_eq!(sbom["bomFormat"], "CycloneDX");
    let components = sbom["components"].as_array().expect("a list");
    let names: Vec<&str> = components
        .iter()
        .map(|component| component["name"].as_str().expect("a name"))
        .collect();
    for name in ["treegraft", "tree-sitter", "tree-sitter-rust", "rmcp"] {
        assert!(names.contains(&name), "{name}");
    }
    for name in ["tree-sitter-swift", "xtask", "insta"] {
        assert!(!names.contains(&name), "{name}");
    }
    let licenses = fs::read_to_string(unpacked.join("THIRD-PARTY-LICENSES.txt"));
    let licenses = licenses.expect("the licenses are text");
    for component in components {
        let [name, version] = ["name", "version"].map(|key| component[key].as_str());
        let title = format!("\n{} {} (", name.expect("a name"), version.expect("one"));
        let is_ours = name.is_some_and(|name| name.starts_with("treegraft"));
        assert_eq!(licenses.contains(&title), !is_ours, "{title}");
        assert!(component["licenses"][0]["expression"].is_string());
    }

    // The registry names the bundle by its address and checksum.
    let server = parsed(&folder.join("server.json"));
    assert_server(&server);
    let bundle = server["packages"].as_array().and_then(|all| all.last());
    let bundle = bundle.expect("the bundle is a package");
    let digest = made[0].lines().find(|line| line.ends_with(".mcpb"));
    let digest = digest.and_then(|line| line.split_whitespace().next());
    assert_eq!(bundle["fileSha256"].as_str(), digest);
}

#[cfg(target_os = "linux")]
#[test]
fn the_check_of_a_release_reads_its_checksums() {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    fs::write(directory.path().join("a.mcpb"), "changed").expect("a file can be written");
    let sums = format!("{}  a.mcpb\n", "0".repeat(64));
    fs::write(directory.path().join("SHA256SUMS"), sums).expect("a file can be written");
    let mut check = Command::new(root().join(".ci/release"));
    let output = check.arg("--check").arg(directory.path()).output();
    let output = output.expect("the command starts");
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(message, "error: a.mcpb does not have its checksum\n");
}

/// The rules of the schema of 2025-12-11 and of the official registry, as far as this file uses them.
fn assert_server(server: &Value) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let keys = |value: &Value| -> BTreeSet<String> {
        let object = value.as_object().expect("an object");
        object.keys().cloned().collect()
    };
    let is_within = |found: &BTreeSet<String>, allowed: &[&str]| {
        found.iter().all(|key| allowed.contains(&key.as_str()))
    };
    assert_eq!(
        server["$schema"],
        "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
    );
    assert_eq!(server["name"], SERVER);
    let allowed = [
        "$schema",
        "name",
        "title",
        "description",
        "version",
        "websiteUrl",
        "repository",
        "packages",
    ];
    assert!(is_within(&keys(server), &allowed), "{:?}", keys(server));
    for key in ["title", "description"] {
        assert!((1..=100).contains(&text(&server[key]).len()), "{key}");
    }
    assert_eq!(server["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(server["repository"]["source"], "github");
    assert_eq!(server["repository"]["url"], repository_url());
    // The namespace io.github.NAME belongs to the owner of the repository.
    let owner = format!(
        "io.github.{}",
        repository_url().split('/').nth(3).expect("an owner")
    );
    assert!(SERVER.starts_with(&format!("{owner}/")));

    for package in server["packages"].as_array().expect("a list") {
        let kind = text(&package["registryType"]);
        let allowed = [
            "registryType",
            "identifier",
            "version",
            "fileSha256",
            "runtimeHint",
            "transport",
            "packageArguments",
        ];
        assert!(is_within(&keys(package), &allowed), "{package}");
        assert_eq!(package["transport"], serde_json::json!({"type": "stdio"}));
        let identifier = text(&package["identifier"]);
        let version = env!("CARGO_PKG_VERSION");
        match kind.as_str() {
            "mcpb" => {
                let start = format!("{}/releases/download/v{version}/", repository_url());
                assert!(identifier.starts_with(&start), "{identifier}");
                assert!(identifier.ends_with(".mcpb"), "{identifier}");
                let digest = text(&package["fileSha256"]);
                let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
                assert!(digest.len() == 64 && digest.chars().all(is_hex), "{digest}");
            }
            "npm" | "pypi" => assert_eq!(identifier, "treegraft"),
            _ => panic!("unknown registry: {package}"),
        }
        assert_eq!(package["version"], version, "{package}");
        for argument in package["packageArguments"].as_array().into_iter().flatten() {
            match text(&argument["type"]).as_str() {
                "positional" => assert!(argument["value"].is_string(), "{argument}"),
                "named" => assert!(argument["name"].is_string(), "{argument}"),
                _ => panic!("unknown type: {argument}"),
            }
        }
        // All but the bundle, whose manifest has the command, start the server by an argument.
        if kind != "mcpb" {
            assert_eq!(package["packageArguments"][0]["value"], "serve");
        }
    }
}

#[test]
fn the_registry_can_verify_who_publishes_the_packages() {
    assert_server(&parsed(&root().join("packages/server.json")));
    assert_eq!(launcher_manifest()["mcpName"], SERVER);
    assert!(read("README.md").contains(&format!("<!-- mcp-name: {SERVER} -->")));
    let label = format!("LABEL io.modelcontextprotocol.server.name=\"{SERVER}\"");
    assert!(read("Containerfile").lines().any(|line| line == label));
}

#[test]
fn all_packages_have_the_version_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    let launcher = launcher_manifest();
    assert_eq!(launcher["version"], version);
    let programs = launcher["optionalDependencies"].as_object();
    for (name, wanted) in programs.expect("an object") {
        assert_eq!(wanted, version, "{name}");
    }
    let bundle = parsed(&root().join("packages/mcpb/manifest.json"));
    assert_eq!(bundle["version"], version);
    let heading = format!("\n## {version} ");
    assert!(read("CHANGELOG.md").contains(&heading), "no{heading}");
    // maturin takes it from the manifest of the program.
    assert!(read("pyproject.toml").contains("dynamic = [\"version\"]"));
    for package in ["cli", "loopback", "python", "review"] {
        let manifest: toml_edit::DocumentMut = read(&format!("crates/{package}/Cargo.toml"))
            .parse()
            .expect("the manifest is TOML");
        let dependencies = manifest["dependencies"].as_table().expect("a table");
        let ours = dependencies
            .iter()
            .filter(|(name, _)| name.starts_with("treegraft"));
        for (name, dependency) in ours {
            assert_eq!(
                dependency["version"].as_str(),
                Some(version),
                "{package}: {name}"
            );
        }
    }
}

/// The Python module and the program of a wheel have the same languages.
#[test]
fn the_python_module_has_the_languages_of_the_program() {
    let [program, module] = ["cli", "python"].map(|package| {
        let manifest: toml_edit::DocumentMut = read(&format!("crates/{package}/Cargo.toml"))
            .parse()
            .expect("the manifest is TOML");
        let features = manifest["features"].as_table().expect("a table");
        let default = features["default"].as_array().expect("a list");
        let default = default.iter().filter_map(|name| name.as_str());
        let all = features.iter().map(|(name, _)| name);
        let languages = |names: &mut dyn Iterator<Item = &str>| -> BTreeSet<String> {
            let names = names.filter(|name| name.starts_with("lang-"));
            names.map(str::to_string).collect()
        };
        [
            languages(&mut default.into_iter()),
            languages(&mut all.into_iter()),
        ]
    });
    assert_eq!(program, module);
}

/// The names of the targets, and what `.ci/release` makes of them, are in several files.
#[test]
fn every_target_has_its_package() {
    let targets = parsed(&root().join("packages/targets.json"));
    let targets = targets.as_object().expect("an object");
    assert_eq!(targets.len(), 8);
    let wanted: BTreeSet<String> = targets.values().map(package_of).collect();
    let launcher = launcher_manifest();
    let listed = launcher["optionalDependencies"].as_object();
    let listed: BTreeSet<String> = listed.expect("an object").keys().cloned().collect();
    assert_eq!(listed, wanted);

    // cargo binstall fills in these templates.
    let manifest: toml_edit::DocumentMut = read("crates/cli/Cargo.toml")
        .parse()
        .expect("the manifest is TOML");
    let binstall = &manifest["package"]["metadata"]["binstall"];
    for (target, platform) in targets {
        let is_windows = platform["os"] == "win32";
        let entry = match binstall["overrides"].get(target) {
            Some(entry) => entry,
            None => binstall,
        };
        let filled = |template: &toml_edit::Item| {
            let template = template.as_str().expect("a template");
            template
                .replace("{ repo }", repository_url())
                .replace("{ version }", env!("CARGO_PKG_VERSION"))
                .replace("{ target }", target)
                .replace("{ bin }", "treegraft")
                .replace("{ binary-ext }", if is_windows { ".exe" } else { "" })
        };
        let version = env!("CARGO_PKG_VERSION");
        let (extension, format) = if is_windows {
            ("zip", "zip")
        } else {
            ("tar.gz", "tgz")
        };
        assert_eq!(
            filled(&entry["pkg-url"]),
            format!(
                "{}/releases/download/v{version}/treegraft-{version}-{target}.{extension}",
                repository_url()
            )
        );
        assert_eq!(entry["pkg-fmt"].as_str(), Some(format), "{target}");
        let program = if is_windows {
            "treegraft.exe"
        } else {
            "treegraft"
        };
        assert_eq!(
            filled(&binstall["bin-dir"]),
            format!("treegraft-{version}-{target}/{program}")
        );
    }
}

/// The sources of a package include each file that they read at compile time.
#[test]
fn packages_contain_what_they_are_built_of() {
    for (package, folders) in [
        ("treegraft", &["src", "queries"][..]),
        ("treegraft-loopback", &["crates/loopback/src"]),
        (
            "treegraft-review",
            &[
                "crates/review/src",
                "crates/review/assets",
                "crates/review/templates",
            ],
        ),
        ("treegraft-cli", &["crates/cli/src"]),
    ] {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut list = Command::new(cargo);
        list.args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "--package",
            package,
        ]);
        let listed = done(list.current_dir(root()));
        let listed = String::from_utf8_lossy(&listed.stdout).replace('\\', "/");
        let listed: BTreeSet<&str> = listed.lines().collect();
        for folder in folders {
            let of_package = folder.strip_prefix("crates/").map_or(*folder, |rest| {
                rest.split_once('/').map_or(rest, |(_, inner)| inner)
            });
            let mut paths = Vec::new();
            collect(&root().join(folder), of_package, &mut paths);
            assert!(!paths.is_empty(), "{folder}");
            let missing: Vec<_> = paths
                .iter()
                .filter(|path| !listed.contains(path.as_str()))
                .collect();
            assert!(missing.is_empty(), "{package} lacks {missing:?}");
        }
        assert!(listed.contains("README.md"), "{package}");
        let foreign = ["tests/", "snapshots/", "fuzz/", "packages/", "benches/"];
        let foreign = listed
            .iter()
            .find(|path| foreign.iter().any(|start| path.starts_with(start)));
        assert_eq!(foreign, None, "{package}");
    }
    // These are read from outside of the folders above.
    for file in ["docs/editing.md", "docs/embedding.md", "docs/locating.md"] {
        assert!(
            read("Cargo.toml").contains(&format!("\"/{file}\"")),
            "{file}"
        );
    }
}

/// Adds the paths of the files below a folder, with the folder's own name in the package.
fn collect(folder: &Path, name: &str, paths: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let entry = entry.expect("the folder can be read");
        let inner = format!("{name}/{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => collect(&entry.path(), &inner, paths),
            false => paths.push(inner),
        }
    }
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

#[test]
fn the_manifest_of_the_bundle_starts_the_server() {
    let manifest = root().join("packages/mcpb/manifest.json");
    let content = parsed(&manifest);
    // Clients replace these two.
    let server = &content["server"];
    assert_eq!(
        server["mcp_config"]["command"].as_str(),
        server["entry_point"]
            .as_str()
            .map(|entry| format!("${{__dirname}}/{entry}"))
            .as_deref()
    );
    let arguments = serde_json::json!(["serve", "--root", "${user_config.root}"]);
    assert_eq!(server["mcp_config"]["args"], arguments);
    assert_eq!(content["user_config"]["root"]["type"], "directory");
}

#[test]
fn workflows_may_only_read_by_default() {
    let folder = root().join(".github/workflows");
    let mut workflows: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    workflows.sort();
    assert_eq!(workflows.len(), 2);
    for workflow in &workflows {
        let text = fs::read_to_string(workflow).expect("the file can be read");
        // A job asks for what it needs.
        assert!(text.contains("\npermissions:\n  contents: read\n"));
    }
}

/// The release makes files for all targets.
#[test]
fn the_release_workflow_builds_every_target() {
    let workflow = read(".github/workflows/release.yml");
    let built: BTreeSet<&str> = workflow
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- target: "))
        .collect();
    let targets = parsed(&root().join("packages/targets.json"));
    let targets = targets.as_object().expect("an object");
    let wanted: BTreeSet<&str> = targets.keys().map(String::as_str).collect();
    assert_eq!(built, wanted);
}

fn repository_url() -> &'static str {
    env!("CARGO_PKG_REPOSITORY")
}

fn launcher_manifest() -> Value {
    parsed(&root().join("packages/npm/package.json"))
}

fn parsed(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("the file can be read");
    serde_json::from_str(&text).expect("the file is JSON")
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
