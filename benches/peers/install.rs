//! Installs the peers from their registries into `target/peers/`, once.
//!
//! Later runs reuse the installed programs. If a peer cannot be installed, the bench prints its
//! name and the command that failed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The registry of a peer.
enum Registry {
    Crates,
    PyPi,
}

struct Peer {
    name: &'static str,
    version: &'static str,
    registry: Registry,
    program: &'static str,
}

const SEMANTIC: Peer = Peer {
    name: "semantic-edit-mcp",
    version: "0.4.0",
    registry: Registry::Crates,
    program: "semantic-edit-mcp",
};

const PATCHLOOM: Peer = Peer {
    name: "patchloom",
    version: "0.37.6",
    registry: Registry::Crates,
    program: "patchloom",
};

const AST_GREP: Peer = Peer {
    name: "ast-grep-cli",
    version: "0.51.1",
    registry: Registry::PyPi,
    program: "ast-grep",
};

/// Returns the programs of all three peers, in the order of the tools.
pub(crate) fn installed() -> Result<[PathBuf; 3], String> {
    let folder = folder()?;
    Ok([
        SEMANTIC.installed(&folder)?,
        PATCHLOOM.installed(&folder)?,
        AST_GREP.installed(&folder)?,
    ])
}

/// Returns the program of ast-grep.
pub(crate) fn ast_grep() -> Result<PathBuf, String> {
    AST_GREP.installed(&folder()?)
}

/// Returns the directory of the peers.
fn folder() -> Result<PathBuf, String> {
    // Cargo provides the path of `target/tmp`, a sibling of that directory.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let folder = target.expect("it is in the target folder").join("peers");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

impl Peer {
    fn installed(&self, folder: &Path) -> Result<PathBuf, String> {
        let root = folder.join(format!("{}-{}", self.name, self.version));
        let path = root.join("bin").join(self.program);
        // Written last, so an interrupted installation starts again.
        let mark = root.join("installed");
        if !(mark.exists() && path.exists()) {
            println!(
                "installing {} {} into {}",
                self.name,
                self.version,
                root.display()
            );
            self.install(folder, &root)?;
            fs::write(&mark, self.version)
                .map_err(|error| format!("{}: {error}", mark.display()))?;
        }
        Ok(path)
    }

    fn install(&self, folder: &Path, root: &Path) -> Result<(), String> {
        match self.registry {
            Registry::Crates => {
                let build: PathBuf = folder.join("build");
                let mut cargo = Command::new(env!("CARGO"));
                cargo
                    .args([
                        "install",
                        self.name,
                        "--version",
                        self.version,
                        "--locked",
                        "--root",
                    ])
                    .arg(root)
                    // The flags of this build do not apply to the peers.
                    .env_remove("RUSTFLAGS")
                    .env("CARGO_TARGET_DIR", &build);
                self.run(&mut cargo)?;
                let _ = fs::remove_dir_all(build);
                Ok(())
            }
            Registry::PyPi => {
                self.run(Command::new("python3").args(["-m", "venv"]).arg(root))?;
                let package = format!("{}=={}", self.name, self.version);
                let mut pip = Command::new(root.join("bin").join("python"));
                pip.args([
                    "-m",
                    "pip",
                    "install",
                    "--disable-pip-version-check",
                    &package,
                ]);
                self.run(&mut pip)
            }
        }
    }

    /// Runs a command. Its output goes to the terminal to show the progress.
    fn run(&self, command: &mut Command) -> Result<(), String> {
        let (name, version) = (self.name, self.version);
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!(
                "cannot install {name} {version}: {command:?}: {status}"
            )),
            Err(error) => Err(format!(
                "cannot install {name} {version}: {command:?}: {error}"
            )),
        }
    }
}
