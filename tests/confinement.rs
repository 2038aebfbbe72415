//! No call reads or writes files outside the workspace, git's own files, or the state directory:
//! not with any path, tool or front end, not while files are exchanged, and not because of any file
//! in the repository.
//!
//!
//! `cargo test --test main -- confinement --nocapture` also prints how much was tried. The tests
//! run only on Linux, which reports opened files (inotify) and started processes (`/proc`).

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests create hostile files, send hostile paths to every front end, and print counts"
)]

mod front_ends;
mod repository;
mod exchanged_paths;
mod fixture;

use std::collections::BTreeMap;
use std::time::Duration;

use camino::Utf8PathBuf;
use serde_json::{Value, json};
use treegraft::engine::Engine;

use crate::support::is_full;
use fixture::{Entry, Fixture, Inventory, SECRET, Watch};
use front_ends::{FrontEnd, FrontEnds, by_library, calls, move_there, selector, with_time_limit};

/// The time limit of one of these tests; far more than each needs.
const LIMIT: Duration = Duration::from_secs(600);

const INSIDE: &str = "fn open() { inside() }\n\nfn other() {}\n";
/// Text that is off limits. The same calls could edit it.
const OUTSIDE: &str = "fn open() { secret_7f3a() }\n\nfn other() {}\n";

/// Files next to the workspace.
const OUTSIDE_FILES: &[(&str, Entry)] = &[
    ("outside/secret.rs", Entry::File(OUTSIDE)),
    ("outside/folder/secret.rs", Entry::File(OUTSIDE)),
    ("outside/pipe", Entry::Pipe),
    ("outside/socket", Entry::Socket),
    // This path starts with the path of the root.
    ("root-beside/secret.rs", Entry::File(OUTSIDE)),
    ("root.rs", Entry::File(OUTSIDE)),
    ("other-way", Entry::Link("root")),
];

/// Files in the workspace that may be read and written.
const WORKSPACE_FILES: &[(&str, Entry)] = &[
    ("root/inside.rs", Entry::File(INSIDE)),
    ("root/src/deep.rs", Entry::File(INSIDE)),
    ("root/state/other.rs", Entry::File(INSIDE)),
    ("root/state/treegraft-not/near.rs", Entry::File(INSIDE)),
    ("root/.github/odd.rs", Entry::File(INSIDE)),
    ("root/.gitignore.rs", Entry::File(INSIDE)),
    ("root/x.git/hooks.rs", Entry::File(INSIDE)),
    ("root/....rs", Entry::File(INSIDE)),
    ("root/..rs", Entry::File(INSIDE)),
    ("root/..hidden/a..rs", Entry::File(INSIDE)),
    ("root/a.rs:10@x.rs", Entry::File(INSIDE)),
    ("root/it's \"odd\" \\ here.rs", Entry::File(INSIDE)),
    ("root/ .rs", Entry::File(INSIDE)),
    ("root/bidi\u{202e}sr.rs", Entry::File(INSIDE)),
    ("root/--apply.rs", Entry::File(INSIDE)),
    ("root/-.rs", Entry::File(INSIDE)),
    ("root/link-in.rs", Entry::Link("inside.rs")),
    (
        "root/link-in-absolute.rs",
        Entry::Link("{base}/root/inside.rs"),
    ),
    ("root/link-in-folder", Entry::Link("src")),
    ("root/link-up", Entry::Link("..")),
    ("root/link-round", Entry::Link("../root/src/../inside.rs")),
];

/// Files in the workspace that may not be read or written.
const OFF_LIMITS: &[(&str, Entry)] = &[
    // Files of git.
    ("root/.git/config", Entry::File(OUTSIDE)),
    ("root/.git/hooks/pre-commit", Entry::File(OUTSIDE)),
    ("root/sub/.git/hooks/pre-commit", Entry::File(OUTSIDE)),
    ("root/worktree/.git", Entry::File(OUTSIDE)),
    ("root/shouting/.GIT/config", Entry::File(OUTSIDE)),
    // The state directory.
    ("root/state/treegraft/secret.rs", Entry::File(OUTSIDE)),
    // Names that no answer can show.
    ("root/new\nline.rs", Entry::File(OUTSIDE)),
    ("root/tab\t.rs", Entry::File(OUTSIDE)),
    ("root/escape\u{1b}[31m.rs", Entry::File(OUTSIDE)),
    ("root/link-control.rs", Entry::Link("escape\u{1b}[31m.rs")),
    ("root/folder\n/a.rs", Entry::File(OUTSIDE)),
    ("root/link-control-folder", Entry::Link("folder\n")),
    // Not regular files.
    ("root/folder.rs", Entry::Folder),
    ("root/pipe", Entry::Pipe),
    ("root/socket", Entry::Socket),
    ("root/link-pipe", Entry::Link("pipe")),
    ("root/link-socket", Entry::Link("socket")),
    // Links that point outside.
    ("root/link-out.rs", Entry::Link("../outside/secret.rs")),
    (
        "root/link-out-absolute.rs",
        Entry::Link("{base}/outside/secret.rs"),
    ),
    (
        "root/link-out-missing.rs",
        Entry::Link("../outside/missing.rs"),
    ),
    ("root/link-out-folder", Entry::Link("../outside/folder")),
    ("root/link-out-pipe", Entry::Link("../outside/pipe")),
    ("root/link-out-socket", Entry::Link("../outside/socket")),
    ("root/link-out-twice.rs", Entry::Link("src/../link-out.rs")),
    ("root/link-beside", Entry::Link("{base}/root-beside")),
    (
        "root/link-other-way",
        Entry::Link("{base}/other-way/inside.rs"),
    ),
    ("root/link-file-system", Entry::Link("/")),
    ("root/link-zero", Entry::Link("/dev/zero")),
    ("root/link-full", Entry::Link("/dev/full")),
    ("root/link-random", Entry::Link("/dev/random")),
    ("root/link-stdin", Entry::Link("/dev/stdin")),
    ("root/link-terminal", Entry::Link("/dev/tty")),
    ("root/link-descriptors", Entry::Link("/proc/self/fd")),
    ("root/link-process-root", Entry::Link("/proc/self/root")),
    ("root/link-process-folder", Entry::Link("/proc/self/cwd")),
    ("root/link-environment", Entry::Link("/proc/self/environ")),
    // Links to forbidden files in the workspace.
    ("root/link-git", Entry::Link(".git")),
    ("root/link-git-config", Entry::Link(".git/config")),
    ("root/link-state", Entry::Link("state/treegraft")),
    (
        "root/link-state-file.rs",
        Entry::Link("{base}/root/state/treegraft/secret.rs"),
    ),
    // Broken links.
    ("root/link-missing.rs", Entry::Link("missing.rs")),
    ("root/link-empty-name", Entry::Link(" ")),
    ("root/loop.rs", Entry::Link("loop.rs")),
    ("root/loop-a.rs", Entry::Link("loop-b.rs")),
    ("root/loop-b.rs", Entry::Link("./loop-a.rs")),
    ("root/loop-folder", Entry::Link("loop-folder/a")),
    (
        "root/loop-twofold",
        Entry::Link("loop-twofold/loop-twofold"),
    ),
];

/// Every path that is refused, and its code. `{base}` is the folder of the fixture, `{n}` a name of
/// 255 bytes.
const REFUSED: &[(&str, &str)] = &[
    // Parent directories.
    ("..", "outside_workspace"),
    ("../", "outside_workspace"),
    ("../outside/secret.rs", "outside_workspace"),
    ("../outside/missing.rs", "outside_workspace"),
    ("../root.rs", "outside_workspace"),
    ("../absent.rs", "outside_workspace"),
    ("../absent/secret.rs", "outside_workspace"),
    ("../root-beside/secret.rs", "outside_workspace"),
    ("../other-way/inside.rs", "outside_workspace"),
    ("src/../../outside/secret.rs", "outside_workspace"),
    ("src/./.././/../outside/secret.rs", "outside_workspace"),
    ("../root/../outside/secret.rs", "outside_workspace"),
    ("../../../../../../../../../etc/passwd", "outside_workspace"),
    ("missing/../../outside/secret.rs", "file_not_found"),
    ("inside.rs/../../outside/secret.rs", "file_not_found"),
    ("link-up/outside/secret.rs", "outside_workspace"),
    ("link-up", "outside_workspace"),
    // Absolute.
    ("/", "outside_workspace"),
    ("/etc/passwd", "outside_workspace"),
    ("//etc/passwd", "outside_workspace"),
    ("/missing/missing.rs", "outside_workspace"),
    ("{base}", "outside_workspace"),
    ("{base}/outside/secret.rs", "outside_workspace"),
    ("{base}/outside/missing.rs", "outside_workspace"),
    ("{base}/root-beside/secret.rs", "outside_workspace"),
    ("{base}/root.rs", "outside_workspace"),
    ("{base}/root/../outside/secret.rs", "outside_workspace"),
    (
        "{base}/root/src/../../outside/secret.rs",
        "outside_workspace",
    ),
    ("{base}/outside/../root/inside.rs", "outside_workspace"),
    ("{base}/other-way/inside.rs", "outside_workspace"),
    ("{base}/outside/pipe", "outside_workspace"),
    ("/dev/zero", "outside_workspace"),
    ("/dev/full", "outside_workspace"),
    ("/dev/stdin", "outside_workspace"),
    ("/dev/fd/0", "outside_workspace"),
    ("/proc/self/environ", "outside_workspace"),
    ("/proc/self/mem", "outside_workspace"),
    ("/proc/self/fd/0", "outside_workspace"),
    ("/proc/self/fd/3", "outside_workspace"),
    ("/proc/self/cwd/Cargo.toml", "outside_workspace"),
    (
        "/proc/self/root{base}/outside/secret.rs",
        "outside_workspace",
    ),
    ("/proc/self/root{base}/root/inside.rs", "outside_workspace"),
    (
        "/proc/self/fd/3/../../../..{base}/outside/secret.rs",
        "outside_workspace",
    ),
    // Links that point outside.
    ("link-out.rs", "outside_workspace"),
    ("{base}/root/link-out.rs", "outside_workspace"),
    ("./src/../link-out.rs", "outside_workspace"),
    ("link-out.rs/", "outside_workspace"),
    ("link-out-absolute.rs", "outside_workspace"),
    ("link-out-missing.rs", "outside_workspace"),
    ("link-out-folder", "outside_workspace"),
    ("link-out-folder/", "outside_workspace"),
    ("link-out-folder/secret.rs", "outside_workspace"),
    ("link-out-folder/../secret.rs", "outside_workspace"),
    ("link-out-folder/../../root/inside.rs", "outside_workspace"),
    ("link-out-pipe", "outside_workspace"),
    ("link-out-socket", "outside_workspace"),
    ("link-out-twice.rs", "outside_workspace"),
    ("link-up/root/link-out.rs", "outside_workspace"),
    ("link-beside/secret.rs", "outside_workspace"),
    ("link-other-way", "outside_workspace"),
    ("link-file-system", "outside_workspace"),
    ("link-file-system/etc/passwd", "outside_workspace"),
    (
        "link-file-system{base}/outside/secret.rs",
        "outside_workspace",
    ),
    ("link-file-system{base}/root/inside.rs", "outside_workspace"),
    ("link-zero", "outside_workspace"),
    ("link-full", "outside_workspace"),
    ("link-random", "outside_workspace"),
    ("link-stdin", "outside_workspace"),
    ("link-terminal", "outside_workspace"),
    ("link-descriptors", "outside_workspace"),
    ("link-descriptors/0", "outside_workspace"),
    ("link-descriptors/3", "outside_workspace"),
    (
        "link-process-root{base}/outside/secret.rs",
        "outside_workspace",
    ),
    (
        "link-process-root{base}/root/inside.rs",
        "outside_workspace",
    ),
    ("link-process-folder/Cargo.toml", "outside_workspace"),
    ("link-environment", "outside_workspace"),
    // git.
    (".git", "outside_workspace"),
    (".git/", "outside_workspace"),
    (".git/config", "outside_workspace"),
    (".git/missing", "outside_workspace"),
    (".git/hooks/pre-commit", "outside_workspace"),
    (".git/hooks/new-hook", "outside_workspace"),
    (".GIT/config", "outside_workspace"),
    (".Git/hooks/pre-commit", "outside_workspace"),
    ("shouting/.GIT/config", "outside_workspace"),
    ("shouting/.git/config", "outside_workspace"),
    ("sub/.git/hooks/pre-commit", "outside_workspace"),
    ("worktree/.git", "outside_workspace"),
    ("src/../.git/config", "outside_workspace"),
    ("./.git/./config", "outside_workspace"),
    (".git/../inside.rs", "outside_workspace"),
    ("{base}/root/.git/config", "outside_workspace"),
    ("../root/.git/config", "outside_workspace"),
    ("link-git", "outside_workspace"),
    ("link-git/config", "outside_workspace"),
    ("link-git-config", "outside_workspace"),
    ("link-in-folder/../.git/config", "outside_workspace"),
    // The state directory.
    ("state/treegraft", "outside_workspace"),
    ("state/treegraft/secret.rs", "outside_workspace"),
    ("state/treegraft/missing.rs", "outside_workspace"),
    (
        "state/treegraft/edits/e0123456789ab.json",
        "outside_workspace",
    ),
    ("state/../state/treegraft/secret.rs", "outside_workspace"),
    ("{base}/root/state/treegraft/secret.rs", "outside_workspace"),
    ("state/treegraft/../other.rs", "outside_workspace"),
    ("link-state", "outside_workspace"),
    ("link-state/secret.rs", "outside_workspace"),
    ("link-state-file.rs", "outside_workspace"),
    // Not regular files.
    (".", "not_a_file"),
    ("./", "not_a_file"),
    ("src", "not_a_file"),
    ("src/", "not_a_file"),
    ("src/..", "not_a_file"),
    ("../root", "not_a_file"),
    ("{base}/root", "not_a_file"),
    ("{base}/root/", "not_a_file"),
    ("folder.rs", "not_a_file"),
    ("link-in-folder", "not_a_file"),
    ("pipe", "not_a_file"),
    ("pipe/", "not_a_file"),
    ("link-pipe", "not_a_file"),
    ("socket", "not_a_file"),
    ("link-socket", "not_a_file"),
    ("loop.rs", "not_a_file"),
    ("loop-a.rs", "not_a_file"),
    ("loop-folder", "not_a_file"),
    ("loop-folder/a.rs", "not_a_file"),
    ("loop-twofold", "not_a_file"),
    ("loop-twofold/../inside.rs", "not_a_file"),
    ("chain/50", "not_a_file"),
    ("chain/41", "not_a_file"),
    // Missing files.
    ("link-missing.rs", "file_not_found"),
    ("link-empty-name", "file_not_found"),
    ("missing.rs", "file_not_found"),
    ("INSIDE.RS", "file_not_found"),
    ("STATE/treegraft/secret.rs", "file_not_found"),
    ("inside.rs/..", "file_not_found"),
    ("inside.rs/../inside.rs", "file_not_found"),
    ("inside.rs/secret.rs", "file_not_found"),
    ("pipe/secret.rs", "file_not_found"),
    ("socket/..", "file_not_found"),
    // Next to a path that is not a file or is outside: no suggestion names such a path.
    ("pip", "file_not_found"),
    ("link-ou.rs", "file_not_found"),
    ("link-out-folde/secret.rs", "file_not_found"),
    ("stat/treegraft/secret.rs", "file_not_found"),
    ("new line.rs", "file_not_found"),
    ("escape[31m.rs", "file_not_found"),
    ("caf\u{fffd}.rs", "file_not_found"),
    ("caf\u{e9}.rs", "file_not_found"),
    // To treegraft these are just names; only another program would expand them.
    (" ", "file_not_found"),
    ("~/secret.rs", "file_not_found"),
    ("~root/.profile", "file_not_found"),
    ("$HOME/secret.rs", "file_not_found"),
    ("`id`.rs", "file_not_found"),
    ("$(id).rs", "file_not_found"),
    ("*.rs", "file_not_found"),
    ("%2e%2e/outside/secret.rs", "file_not_found"),
    ("..%2foutside%2fsecret.rs", "file_not_found"),
    ("..\\outside\\secret.rs", "file_not_found"),
    ("\u{ff0e}\u{ff0e}/outside/secret.rs", "file_not_found"),
    ("..\u{2215}outside/secret.rs", "file_not_found"),
    (".\u{200c}./outside/secret.rs", "file_not_found"),
    ("file:///etc/passwd", "file_not_found"),
    ("C:\\outside\\secret.rs", "file_not_found"),
    ("\\\\?\\C:\\secret.rs", "file_not_found"),
    ("inside.rs::$DATA", "file_not_found"),
    ("NUL", "file_not_found"),
    // Control characters.
    ("new\nline.rs", "invalid_arguments"),
    ("tab\t.rs", "invalid_arguments"),
    ("escape\u{1b}[31m.rs", "invalid_arguments"),
    ("folder\n/a.rs", "invalid_arguments"),
    ("link-control.rs", "invalid_arguments"),
    ("link-control-folder/a.rs", "invalid_arguments"),
    ("inside.rs\0", "invalid_arguments"),
    ("inside.rs\0.txt", "invalid_arguments"),
    ("../outside/secret.rs\0.rs", "invalid_arguments"),
    ("\0", "invalid_arguments"),
    ("inside.rs\n", "invalid_arguments"),
    ("inside.rs\r", "invalid_arguments"),
    ("a\u{7f}.rs", "invalid_arguments"),
    ("a\u{9b}31m.rs", "invalid_arguments"),
    // Long paths.
    ("missing/{n}", "file_not_found"),
    ("n{n}", "file_not_found"),
    ("src/n{n}/a.rs", "file_not_found"),
    (
        "{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/{n}/a.rs",
        "file_not_found",
    ),
];

/// Unusual paths that are inside the workspace, and the file that each resolves to.
const ACCEPTED: &[(&str, &str)] = &[
    ("inside.rs", "inside.rs"),
    ("./inside.rs", "inside.rs"),
    ("inside.rs/", "inside.rs"),
    ("inside.rs/.", "inside.rs"),
    ("src/../inside.rs", "inside.rs"),
    ("src//deep.rs", "src/deep.rs"),
    ("../root/inside.rs", "inside.rs"),
    ("{base}/root/inside.rs", "inside.rs"),
    ("{base}/root/src/../inside.rs", "inside.rs"),
    ("{base}//root/./src/deep.rs", "src/deep.rs"),
    ("{base}/root/../root/inside.rs", "inside.rs"),
    ("link-in.rs", "inside.rs"),
    ("link-in-absolute.rs", "inside.rs"),
    ("link-in-folder/deep.rs", "src/deep.rs"),
    ("link-in-folder/../inside.rs", "inside.rs"),
    ("link-up/root/inside.rs", "inside.rs"),
    ("link-up/root/link-up/root/src/deep.rs", "src/deep.rs"),
    ("link-round", "inside.rs"),
    ("chain/40", "inside.rs"),
    ("state/other.rs", "state/other.rs"),
    ("state/treegraft-not/near.rs", "state/treegraft-not/near.rs"),
    (".github/odd.rs", ".github/odd.rs"),
    (".gitignore.rs", ".gitignore.rs"),
    ("x.git/hooks.rs", "x.git/hooks.rs"),
    ("....rs", "....rs"),
    ("..rs", "..rs"),
    ("..hidden/a..rs", "..hidden/a..rs"),
    ("a.rs:10@x.rs", "a.rs:10@x.rs"),
    ("it's \"odd\" \\ here.rs", "it's \"odd\" \\ here.rs"),
    (" .rs", " .rs"),
    ("bidi\u{202e}sr.rs", "bidi\u{202e}sr.rs"),
    ("{n}", "{n}"),
];

/// The expected list of events or changes.
const NOTHING: [String; 0] = [];

/// Returns a fixture with all of the tables in it.
fn hostile_fixture() -> Fixture {
    let fixture = Fixture::new();
    for table in [OUTSIDE_FILES, WORKSPACE_FILES, OFF_LIMITS] {
        fixture.create(table);
    }
    // A chain of links; the name of each is its length.
    for number in 1..=50 {
        let target = match number {
            1 => "../inside.rs".to_string(),
            _ => (number - 1).to_string(),
        };
        fixture.create(&[(&format!("root/chain/{number}"), Entry::Link(&target))]);
    }
    fixture.create(&[(&format!("root/{}", longest_name()), Entry::File(INSIDE))]);
    // No UTF-8 path can name this file.
    let not_text = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9.rs");
    std::fs::write(fixture.root().as_std_path().join(not_text), OUTSIDE)
        .expect("the file can be written");
    fixture
}

fn path_of(fixture: &Fixture, path: &str) -> String {
    fixture.expanded(path).replace("{n}", &longest_name())
}

/// Returns a file name of the maximum length.
fn longest_name() -> String {
    format!("{}.rs", "n".repeat(252))
}

/// Returns everything that must not change when every call is refused; the state is in the
/// fixture's own root.
fn everything(fixture: &Fixture) -> Inventory {
    fixture.inventory("", &["root/state/treegraft"])
}

/// Watches everything that no call may touch.
fn watch(fixture: &Fixture) -> Watch {
    let base = fixture.base();
    let outside_paths = ["outside", "root-beside", "root.rs"];
    let inside = OFF_LIMITS.iter().filter_map(|(path, entry)| match entry {
        // These are watched with their folder; the folders of the links are part of the workspace.
        _ if path.contains(".git/") || path.contains(".GIT/") => None,
        Entry::Link(_) | Entry::Folder => None,
        _ => Some(*path),
    });
    let git = ["root/.git", "root/sub/.git", "root/shouting/.GIT"];
    let watched = outside_paths.into_iter().chain(inside).chain(git);
    let watch = Watch::over(watched.map(|path| base.join(path)));
    // Setting up the watch causes events too; discards them.
    watch.seen();
    watch
}

#[test]
fn the_watch_reports_each_access() {
    let fixture = hostile_fixture();
    let watch = watch(&fixture);
    assert!(watch.seen().is_empty());
    let looks: [(&str, &dyn Fn(Utf8PathBuf)); 4] = [
        ("outside/secret.rs", &|path| drop(std::fs::read(path))),
        ("root/.git", &|path| drop(std::fs::read_dir(path))),
        ("root/state/treegraft/secret.rs", &|path| {
            drop(std::fs::File::open(path));
        }),
        ("root/pipe", &|path| {
            let mut options = std::fs::OpenOptions::new();
            // Opens the pipe for both reading and writing, so that opening does not block.
            drop(options.read(true).write(true).open(path));
        }),
    ];
    for (path, look) in looks {
        look(fixture.base().join(path));
        let seen = watch.seen();
        assert!(!seen.is_empty(), "{path}");
    }
}

#[test]
fn hostile_paths_are_refused_at_every_front_end() {
    with_time_limit(LIMIT, || {
        let fixture = hostile_fixture();
        let mut front_ends = FrontEnds::open(&fixture, "root/state");
        let before = everything(&fixture);
        let watch = watch(&fixture);
        let mut tally = BTreeMap::new();
        let mut skipped = 0;
        for (number, (path, code)) in REFUSED.iter().enumerate() {
            let path = path_of(&fixture, path);
            let calls = calls(&path).into_iter().chain([move_there(&path)]);
            // Each path is tried with other tools.
            let is_tried = |(at, _): &(usize, _)| is_full() || (at + number) % 3 == 0;
            for (_, (tool, arguments)) in calls.enumerate().filter(is_tried) {
                // A folder path may be searched, and so may a glob.
                let is_several = fixture.root().join(&path).is_dir() || path.contains('*');
                if arguments.get("path").is_some() && is_several && *code != "outside_workspace" {
                    continue;
                }
                for front_end in FrontEnd::ALL {
                    let Some(reply) = front_ends.through(front_end, tool, &arguments) else {
                        skipped += 1;
                        continue;
                    };
                    let context = || format!("{tool} {path:?} by {front_end:?}: {}", reply.whole);
                    assert_eq!(reply.code.as_deref(), Some(*code), "{}", context());
                    assert!(!reply.whole.contains(SECRET), "{}", context());
                    let shown = |c: char| c == '\n' || !c.is_control();
                    assert!(reply.whole.chars().all(shown), "{}", context());
                    *tally.entry((format!("{front_end:?}"), *code)).or_insert(0) += 1;
                }
            }
        }
        assert_eq!(watch.seen(), NOTHING);
        assert_eq!(before.changes(&everything(&fixture)), NOTHING);
        let refused: usize = tally.values().sum();
        println!(
            "hostile paths: {} paths, {refused} calls, all refused ({skipped} calls have no command \
             line), {} places watched and {} names compared: 0 opened, 0 changed",
            REFUSED.len(),
            watch.len(),
            before.len()
        );
        for ((front_end, code), count) in tally {
            println!("  {front_end}: {code} {count}");
        }
    });
}

#[test]
fn odd_paths_inside_resolve_to_their_own_file() {
    with_time_limit(LIMIT, || {
        let fixture = hostile_fixture();
        let mut front_ends = FrontEnds::open(&fixture, "root/state");
        let mut made = 0;
        for (number, (path, file)) in ACCEPTED.iter().enumerate() {
            let (path, file) = (path_of(&fixture, path), path_of(&fixture, file));
            let place = format!("root/{file}");
            let but_this = || fixture.inventory("", &["root/state/treegraft", &place]);
            let before = but_this();
            let watch = watch(&fixture);
            // Each path is tried with other tools.
            let is_tried = |(at, _): &(usize, _)| is_full() || (at + number) % 3 == 0;
            for (_, (tool, arguments)) in calls(&path).into_iter().enumerate().filter(is_tried) {
                for front_end in FrontEnd::ALL {
                    let Some(reply) = front_ends.through(front_end, tool, &arguments) else {
                        continue;
                    };
                    let context = || format!("{tool} {path:?} by {front_end:?}: {}", reply.whole);
                    assert_eq!(reply.code, None, "{}", context());
                    let mut lists = ["files", "matches"].iter();
                    let answered = match lists.find_map(|list| reply.json.get(*list)?.as_array()) {
                        Some(list) => &list[0]["file_path"],
                        None => &reply.json["file_path"],
                    };
                    assert_eq!(*answered, json!(file), "{}", context());
                    let applied = arguments["apply"] == json!(true);
                    assert_eq!(fixture.read(&place) != INSIDE, applied, "{}", context());
                    fixture.write(&place, INSIDE);
                    made += 1;
                }
            }
            assert_eq!(watch.seen(), NOTHING);
            // Apart from the file, only its folder changed.
            let folder = fixture.base().join(&place);
            let folder = format!("{:?} was", folder.parent().expect("it is in the fixture"));
            let changes = before.changes(&but_this());
            assert!(
                changes.len() == 1 && changes[0].starts_with(&folder),
                "{changes:?}"
            );
        }
        println!(
            "odd paths inside: {} paths, {made} calls, each answered from its own file",
            ACCEPTED.len()
        );
    });
}

#[test]
fn refusals_do_not_reveal_whether_a_file_exists() {
    let fixture = hostile_fixture();
    let front_ends = FrontEnds::open(&fixture, "root/state");
    let pairs = [
        ("{base}/outside/secret.rs", "{base}/outside/absent.rs"),
        (
            "{base}/outside/folder/secret.rs",
            "{base}/outside/absent/secret.rs",
        ),
        ("../outside/secret.rs", "../outside/absent.rs"),
        ("../outside/pipe", "../outside/none"),
        ("../outside/secret.rs", "../absent/secret.rs"),
        ("../root.rs", "../absent.rs"),
        ("/etc/passwd", "/etc/absent"),
        ("/etc/passwd", "/absent/passwd"),
        ("/proc/self/fd/0", "/proc/self/fd/99"),
        ("link-out.rs", "link-out-missing.rs"),
        ("link-out-folder/secret.rs", "link-out-folder/absent.rs"),
        (".git/config", ".git/absent"),
        ("worktree/.git", "folder.rs/.git"),
        ("state/treegraft/secret.rs", "state/treegraft/absent.rs"),
    ];
    let mut compared = 0;
    for pair in pairs {
        let [there, missing] = [pair.0, pair.1].map(|path| {
            let path = path_of(&fixture, path);
            calls(&path)
                .into_iter()
                .map(move |call| (path.clone(), call))
        });
        for ((there, one), (missing, other)) in there.zip(missing) {
            let context = |path: &str, (tool, arguments): &(&str, Value)| {
                let reply = by_library(&front_ends.engine, tool, arguments);
                without_edit_id(&reply.whole).replace(path, "<path>")
            };
            assert_eq!(context(&there, &one), context(&missing, &other));
            compared += 1;
        }
    }
    println!("existing or not: {compared} pairs of calls with equal answers");
}

/// Returns an answer with the same id for each kept edit.
fn without_edit_id(answer: &str) -> String {
    let id = answer.split_once("\"edit_id\":\"");
    let id = id.and_then(|(_, rest)| rest.split_once('"'));
    id.map_or(answer.to_string(), |(id, _)| {
        answer.replace(id, "<edit_id>")
    })
}

#[test]
fn a_file_hard_linked_from_outside_is_read_and_not_written() {
    with_time_limit(LIMIT, || {
        let fixture = hostile_fixture();
        // The workspace may read its bytes; replacing the file would separate the two names.
        fixture.create(&[
            ("outside/shared.rs", Entry::File(INSIDE)),
            ("root/shared.rs", Entry::Hard("outside/shared.rs")),
            ("root/link-shared.rs", Entry::Link("shared.rs")),
        ]);
        let mut front_ends = FrontEnds::open(&fixture, "root/state");
        let before = everything(&fixture);
        let mut made = 0;
        for path in ["shared.rs", "link-shared.rs"] {
            for (tool, arguments) in calls(path) {
                for front_end in FrontEnd::ALL {
                    let Some(reply) = front_ends.through(front_end, tool, &arguments) else {
                        continue;
                    };
                    let applied = arguments["apply"] == json!(true);
                    let code = applied.then_some("hard_linked");
                    assert_eq!(
                        reply.code.as_deref(),
                        code,
                        "{tool} by {front_end:?}: {}",
                        reply.whole
                    );
                    made += 1;
                }
            }
        }
        assert_eq!(before.changes(&everything(&fixture)), NOTHING);
        println!("hard links to outside: {made} calls, each write refused");
    });
}

/// A pseudorandom generator with the same numbers in every run (xorshift).
struct Drawn(u64);

impl Drawn {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).expect("it is below a usize")
    }
}

#[test]
fn random_paths_resolve_as_in_the_system_or_are_refused() {
    const PATHS: usize = 5_000;
    const NAMES: &[&str] = &[
        "..",
        "..",
        "..",
        ".",
        "",
        "root",
        "outside",
        "inside.rs",
        "secret.rs",
        "src",
        "deep.rs",
        "link-up",
        "link-in-folder",
        "link-in.rs",
        "link-in-absolute.rs",
        "link-round",
        "link-out.rs",
        "link-out-folder",
        "link-file-system",
        "link-process-root",
        "link-state",
        "link-git",
        ".git",
        "config",
        "state",
        "treegraft",
        "other.rs",
        "chain",
        "7",
        "40",
        "50",
        "loop-folder",
        "pipe",
        "root-beside",
        "missing",
    ];
    with_time_limit(LIMIT, || {
        let fixture = hostile_fixture();
        let front_ends = FrontEnds::open(&fixture, "root/state");
        let before = everything(&fixture);
        let watch = watch(&fixture);
        let root = fixture.root();
        let mut drawn = Drawn(0x7f3a);
        let mut tally: BTreeMap<String, usize> = BTreeMap::new();
        for _ in 0..PATHS {
            let length = 1 + drawn.next(7);
            let names: Vec<&str> = (0..length)
                .map(|_| NAMES[drawn.next(NAMES.len())])
                .collect();
            let mut path = names.join("/");
            match drawn.next(6) {
                0 => path = format!("{}/{path}", fixture.base()),
                1 => path = format!("{root}/{path}"),
                _ => {}
            }
            let arguments = json!({
                "file_path": path,
                "selector": selector(),
            });
            let reply = by_library(&front_ends.engine, "read_node", &arguments);
            assert!(!reply.whole.contains(SECRET), "{path}: {}", reply.whole);
            if reply.code.is_none() {
                let answered = reply.json["file_path"]
                    .as_str()
                    .expect("an answer names its file");
                // The system does not resolve a path that continues after a file name, not even
                // with a slash.
                let plain = path.trim_end_matches(['/', '.']);
                let by_system = root.join(plain).canonicalize_utf8();
                assert_eq!(by_system.ok(), Some(root.join(answered)), "{path}");
            }
            let outcome = reply.code.unwrap_or_else(|| "answered".to_string());
            *tally.entry(outcome).or_insert(0) += 1;
        }
        assert_eq!(watch.seen(), NOTHING);
        assert_eq!(before.changes(&everything(&fixture)), NOTHING);
        println!("random paths: {PATHS}: {tally:?}; 0 opened, 0 changed");
        for outcome in [
            "answered",
            "outside_workspace",
            "not_a_file",
            "file_not_found",
        ] {
            assert!(tally.contains_key(outcome), "{outcome} was never drawn");
        }
    });
}

#[test]
fn a_root_that_is_a_link_confines_calls_to_its_target() {
    let fixture = hostile_fixture();
    let state = fixture.base().join("state");
    let roots = [fixture.base().join("other-way")];
    let engine = Engine::open(&roots, Some(&state)).expect("the directories can be opened");
    let watch = watch(&fixture);
    let read = |path: &str| {
        let arguments = json!({"file_path": path_of(&fixture, path), "selector": selector()});
        by_library(&engine, "read_node", &arguments).code
    };
    for (path, code) in REFUSED {
        // The root may be named by this path here, and its state is in another directory.
        if path.contains("other-way") || path.contains("stat") {
            continue;
        }
        assert_eq!(read(path).as_deref(), Some(*code), "{path}");
    }
    for path in [
        "{base}/other-way/inside.rs",
        "{base}/root/inside.rs",
        "inside.rs",
    ] {
        assert_eq!(read(path), None, "{path}");
    }
    for path in [
        "{base}/other-way/../outside/secret.rs",
        "{base}/other-way/link-out.rs",
    ] {
        assert_eq!(read(path).as_deref(), Some("outside_workspace"), "{path}");
    }
    // The directory `root/state` is not this engine's state directory, so names in it may be looked
    // up.
    let mut seen = watch.seen();
    seen.retain(|one| !one.contains("/root/state/"));
    assert_eq!(seen, NOTHING);
}
