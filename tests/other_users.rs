//! Another user of the same machine: reads no state, connects to no socket, and learns no token.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests start processes, create files and print what they cannot try"
)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_treegraft");
/// The other user, `nobody` on most systems.
const OTHER: &str = "65534";
/// What the process of the other user tries: the port of the page, and then paths, one a line.
const TRIED: &str = "TREEGRAFT_TEST_OTHER_USER";

/// Returns a command that runs a program as the other user.
fn as_other(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", OTHER, "--regid", OTHER, "--clear-groups", "--"])
        .arg(program);
    command
}

/// The process of the other user. The test below starts it.
#[test]
fn the_other_user() {
    let Ok(tried) = std::env::var(TRIED) else {
        return;
    };
    let mut lines = tried.lines();
    let port: u16 = lines.next().expect("a port").parse().expect("a number");
    for path in lines.map(Path::new) {
        if File::open(path).is_ok() || fs::read_dir(path).is_ok() {
            println!("read: {}", path.display());
        }
        if UnixStream::connect(path).is_ok() {
            println!("connected: {}", path.display());
        }
        if fs::OpenOptions::new().append(true).open(path).is_ok() {
            println!("opened for writing: {}", path.display());
        }
    }
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    let host = format!("Host: 127.0.0.1:{port}\r\nConnection: close");
    write!(stream, "GET /api/edits HTTP/1.1\r\n{host}\r\n\r\n").expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    println!("page: {}", answer.lines().next().unwrap_or_default());
}

/// The processes and the files of the first user.
struct Owner {
    directory: tempfile::TempDir,
    page: Child,
    /// The link to the page.
    link: String,
}

impl Owner {
    fn start() -> Owner {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        // Whatever is kept from the other user is kept by the modes that treegraft sets.
        let open = |path: &Path| {
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(path, mode).expect("it is ours");
        };
        open(directory.path());
        for name in ["workspace", "state", "config"] {
            let path = directory.path().join(name);
            fs::create_dir(&path).expect("it can be created");
            open(&path);
        }
        let file = directory.path().join("workspace/a.rs");
        fs::write(file, "fn a() {}\n").expect("it can be written");
        let edited = command(Command::new(PROGRAM), directory.path())
            .args(["text", "fn a()", "fn b()", "a.rs"])
            .args(["--apply"])
            .output();
        assert!(edited.expect("it runs").status.success());
        let started = command(Command::new(PROGRAM), directory.path())
            .args(["serve", "--background"])
            .output();
        assert!(started.expect("it runs").status.success());
        let mut page = command(Command::new(PROGRAM), directory.path())
            .args(["review", "--no-open"])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let errors = page.stderr.take().expect("standard error is a pipe");
        let line = BufReader::new(errors).lines().next();
        let line = line.expect("it prints a line").expect("it is text");
        let link = line.strip_prefix("reviewing at ").expect("a link");
        Owner {
            directory,
            page,
            link: link.to_string(),
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.page.kill();
        let _ = self.page.wait();
        let _ = command(Command::new(PROGRAM), self.directory.path())
            .args(["serve", "--background", "--stop"])
            .output();
    }
}

fn command(mut command: Command, directory: &Path) -> Command {
    command
        .current_dir(directory.join("workspace"))
        .env("XDG_STATE_HOME", directory.join("state"))
        .env("XDG_CONFIG_HOME", directory.join("config"));
    command
}

/// Returns all paths below a directory, and the directory.
fn paths_below(directory: &Path) -> Vec<PathBuf> {
    let mut all = vec![directory.to_owned()];
    for entry in fs::read_dir(directory).expect("it is there") {
        let path = entry.expect("it can be listed").path();
        match path.is_dir() {
            true => all.extend(paths_below(&path)),
            false => all.push(path),
        }
    }
    all
}

#[test]
fn another_user_reads_nothing_and_reaches_nothing() {
    let version = as_other(Path::new(PROGRAM)).arg("--version").output();
    if !version.is_ok_and(|output| output.status.success()) {
        println!("skipped: another user; only the superuser can start a process of one");
        return;
    }
    let owner = Owner::start();
    let state = paths_below(&owner.directory.path().join("state/treegraft"));
    let is_there = |end: &str| {
        state
            .iter()
            .any(|path| path.to_string_lossy().ends_with(end))
    };
    assert!(is_there(".sock") && is_there(".json"), "{state:?}");
    let process = PathBuf::from(format!("/proc/{}", owner.page.id()));
    let rest = owner
        .link
        .strip_prefix("http://127.0.0.1:")
        .expect("a loopback address");
    let (port, token) = rest.split_once("/#").expect("a token");
    let mut tried = vec![port.to_string()];
    tried.extend(state.iter().map(|path| path.display().to_string()));
    for name in ["environ", "fd", "mem"] {
        tried.push(process.join(name).display().to_string());
    }
    let test = std::env::current_exe().expect("this process has a program");
    let output = as_other(&test)
        .args(["other_users::the_other_user", "--exact", "--nocapture"])
        .env(TRIED, tried.join("\n"))
        .output()
        .expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(printed.contains("page: HTTP/1.1 401 "), "{printed}");
    for reached in ["read:", "connected:", "opened for writing:"] {
        assert!(!printed.contains(reached), "{printed}");
    }
    // Every user can read the arguments of a process.
    let arguments = fs::read(process.join("cmdline")).expect("it runs");
    assert!(!String::from_utf8_lossy(&arguments).contains(token));
    // Not even with treegraft.
    let listed = command(as_other(Path::new(PROGRAM)), owner.directory.path())
        .args(["list"])
        .output()
        .expect("it runs");
    assert_eq!(listed.status.code(), Some(3), "{listed:?}");
    assert_eq!(
        paths_below(&owner.directory.path().join("state/treegraft")),
        state
    );
}
