//! Checks the workspace on real directories.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use super::disk::steps::{self, Fault};
use super::read::read_seen;
use super::temporary::is_temporary;
use super::*;
use crate::source::Digest;

/// A folder with the workspace in `root` and the state in `state`. Tests add further files next to them.
struct Bench {
    _folder: tempfile::TempDir,
    base: Utf8PathBuf,
    workspace: Workspace,
}

impl Bench {
    fn with(files: &[(&str, &str)]) -> Bench {
        Bench::with_roots(&["root"], files)
    }

    /// Paths of `files` are relative to the folder.
    fn with_roots(roots: &[&str], files: &[(&str, &str)]) -> Bench {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let base = folder.path().canonicalize().expect("it is there");
        let base = Utf8PathBuf::from_path_buf(base).expect("temporary folders are UTF-8");
        let roots: Vec<Utf8PathBuf> = roots.iter().map(|root| base.join(root)).collect();
        for root in &roots {
            std::fs::create_dir_all(root).expect("it can be made");
        }
        let state = StateDirectory::open(&base.join("state")).expect("it can be made");
        let workspace = Workspace::open(&roots, state).expect("the roots are there");
        let bench = Bench {
            _folder: folder,
            base,
            workspace,
        };
        for (path, text) in files {
            bench.put(path, text);
        }
        bench
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.base.join(path);
        let folder = path.parent().expect("it is in the folder");
        std::fs::create_dir_all(folder).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }

    fn link(&self, path: &str, target: &str) {
        let path = self.base.join(path);
        let folder = path.parent().expect("it is in the folder");
        std::fs::create_dir_all(folder).expect("it can be made");
        symlink(target, path).expect("it can be made");
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.base.join(path)).expect("it can be read")
    }

    fn set_mode(&self, path: &str, mode: u32) {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(self.base.join(path), mode).expect("it is ours");
    }

    fn mode(&self, path: &str) -> u32 {
        let metadata = std::fs::metadata(self.base.join(path)).expect("it is there");
        metadata.mode() & 0o7777
    }

    fn path(&self, path: &str) -> WorkspacePath {
        self.workspace.resolve(path).expect("it is there")
    }

    /// Returns the resolved `path` or the error, without the machine's own names.
    fn resolved(&self, path: &str) -> String {
        let answer = match self.workspace.resolve(path) {
            Ok(path) => path.display().to_string(),
            Err(error) => error.to_string(),
        };
        answer.replace(self.base.as_str(), "[base]")
    }

    fn replace(&self, path: &str, old: &str, new: &str) -> Result<(), FileError> {
        let path = self.path(path);
        let old = Digest::from_bytes(old.as_bytes());
        replace(&self.workspace, &path, old, [new.as_bytes()])
    }

    /// Returns all names in a folder, including temporary files.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.base.join(folder)).expect("it is there");
        let names = entries.map(|entry| {
            let name = entry.expect("it is there").file_name();
            name.into_string().expect("the tests use UTF-8")
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

/// Replaces a file as `apply` does, without a journal entry.
fn replace<'a>(
    workspace: &Workspace,
    path: &WorkspacePath,
    expected: Digest,
    new: impl IntoIterator<Item = &'a [u8]>,
) -> Result<(), FileError> {
    let locked = workspace.lock(path)?;
    let temporary = TemporaryName::new().expect("there are random bytes");
    let permit = workspace.write_permit()?;
    let prepared = locked.prepare(&permit, expected, &temporary, new)?.sync()?;
    let warnings = prepared.take_place().inspect_err(|_| {
        let removed = locked.remove_prepared(&temporary);
        removed.expect("it is in a folder of ours");
    })?;
    match warnings.into_iter().next() {
        Some(WriteWarning::NotSynced(error)) => Err(error),
        Some(WriteWarning::AttributesLost { .. }) | None => Ok(()),
    }
}

fn error_text<T: std::fmt::Debug>(result: Result<T, FileError>) -> String {
    result.expect_err("it is to be refused").to_string()
}

// Resolving paths

#[test]
fn a_path_is_relative_to_the_first_root_or_absolute_in_one() {
    let bench = Bench::with_roots(
        &["root", "other"],
        &[("root/src/a.rs", ""), ("other/b.rs", "")],
    );
    for given in [
        "src/a.rs",
        "./src//a.rs",
        "src/../src/./a.rs",
        "../root/src/a.rs",
    ] {
        assert_eq!(bench.resolved(given), "src/a.rs", "{given}");
    }
    let absolute = bench.base.join("root/src/a.rs");
    assert_eq!(bench.resolved(absolute.as_str()), "src/a.rs");
    assert_eq!(bench.path("src/a.rs").absolute(), absolute);
    let other = bench.base.join("other/b.rs");
    assert_eq!(bench.resolved(other.as_str()), "[base]/other/b.rs");
    assert_eq!(bench.resolved("../other/b.rs"), "[base]/other/b.rs");
    assert_eq!(bench.resolved("."), ".");
    assert_eq!(bench.resolved(bench.base.join("root").as_str()), ".");
}

#[test]
fn nothing_leads_out_of_the_roots() {
    let bench = Bench::with(&[("root/src/a.rs", ""), ("rooted/b.rs", ""), ("b.rs", "")]);
    let absolute = bench.base.join("b.rs");
    let similar = bench.base.join("rooted/b.rs");
    let dotted = bench.base.join("root/../b.rs");
    let given = [
        "..",
        "../b.rs",
        "../missing",
        "src/../../b.rs",
        "../rooted/b.rs",
        "../rooted/../root/src/a.rs",
        "/",
        "/etc/passwd",
        absolute.as_str(),
        similar.as_str(),
        dotted.as_str(),
    ];
    for given in given {
        assert!(
            bench.resolved(given).ends_with("is outside the workspace"),
            "{given}: {}",
            bench.resolved(given)
        );
    }
}

#[test]
fn links_are_followed_inside_only() {
    let bench = Bench::with(&[("root/src/a.rs", "one"), ("secret/b.rs", "two")]);
    let inside = bench.base.join("root/src").to_string();
    let outside = bench.base.join("secret").to_string();
    bench.link("root/file", "src/a.rs");
    bench.link("root/folder", "src");
    bench.link("root/absolute", &inside);
    bench.link("root/src/up", "../file");
    bench.link("root/round", "../root/src/a.rs");
    for given in ["file", "folder/a.rs", "absolute/a.rs", "src/up", "round"] {
        assert_eq!(bench.resolved(given), "src/a.rs", "{given}");
    }
    // A name after a link is resolved at the target of the link.
    bench.put("root/c.rs", "");
    assert_eq!(bench.resolved("folder/../c.rs"), "c.rs");

    bench.link("root/out_file", "../secret/b.rs");
    bench.link("root/out_folder", &outside);
    bench.link("root/out_missing", "../secret/missing");
    bench.link("root/out_twice", "out_folder");
    for given in [
        "out_file",
        "out_folder",
        "out_folder/b.rs",
        "out_folder/missing",
        "out_missing",
        "out_twice/b.rs",
    ] {
        let refusal = format!("`{given}` is outside the workspace");
        assert_eq!(bench.resolved(given), refusal);
    }
}

#[test]
fn links_that_lead_nowhere_are_named() {
    let bench = Bench::with(&[]);
    bench.link("root/dangling", "gone/a.rs");
    bench.link("root/one", "two");
    bench.link("root/two", "one");
    bench.link("root/itself", "itself");
    assert_eq!(bench.resolved("dangling"), "`gone` does not exist");
    let nowhere = "is a chain of too many links, not a file";
    assert_eq!(bench.resolved("one"), format!("`one` {nowhere}"));
    assert_eq!(bench.resolved("itself/a"), format!("`itself/a` {nowhere}"));
}

#[test]
fn resolved_paths_of_windows_are_written_as_usual() {
    for (resolved, usual) in [
        (r"\\?\C:\a\b", r"C:\a\b"),
        (r"\\?\UNC\host\share\a", r"\\host\share\a"),
        ("/a/b", "/a/b"),
    ] {
        assert_eq!(without_prefix(resolved.into()), Utf8Path::new(usual));
    }
}

#[test]
fn git_and_the_state_are_closed() {
    let bench = Bench::with(&[("root/.git/config", ""), ("root/sub/.git/hooks/x", "")]);
    bench.put("root/.gitignore", "");
    bench.link("root/config", ".git/config");
    for given in [
        ".git",
        ".git/config",
        ".GIT/config",
        "git~1/config",
        ".git./config",
        ".Git ::$INDEX_ALLOCATION/config",
        ".g\u{200c}it/config",
        "sub/.git/hooks/x",
        "config",
    ] {
        let refusal = format!("`{given}` is in a .git directory");
        assert_eq!(bench.resolved(given), refusal);
    }
    assert_eq!(bench.resolved(".gitignore"), ".gitignore");
    for given in [".git.rs", "git", "git~2", ".git :a/b", "x.git"] {
        let is_closed = bench.resolved(given).contains("is in a .git");
        assert_eq!(is_closed, given.contains(':'), "{given}");
    }

    let bench = Bench::with_roots(&[""], &[("state/edits/a", "")]);
    for given in ["state", "state/edits/a", "state/../state", "STATE/edits/a"] {
        let refusal = format!("`{given}` is in the state directory");
        assert_eq!(bench.resolved(given), refusal);
    }
}

#[test]
fn a_file_is_created_with_its_folders_and_never_over_another() {
    let bench = Bench::with(&[("root/there", "old")]);
    bench.link("root/link", "deep/target");
    let create = |path: &str, readers| {
        let permit = bench.workspace.write_permit().expect("a person may write");
        let created = bench.workspace.create(&permit, path, readers, b"new");
        created.map_err(|error| error.to_string())
    };
    assert_eq!(create("a/b/c.json", Readers::Owner), Ok(()));
    assert_eq!(bench.text("root/a/b/c.json"), "new");
    let modes = ["root/a", "root/a/b", "root/a/b/c.json"].map(|path| bench.mode(path));
    assert_eq!(modes, [0o700, 0o700, 0o600]);
    assert_eq!(create("shared", Readers::AsUsual), Ok(()));
    // A write through a link with a missing target creates the target.
    assert_eq!(create("link", Readers::AsUsual), Ok(()));
    assert_eq!(bench.text("root/deep/target"), "new");
    for (path, refusal) in [
        ("there", "`there` has changed"),
        ("../out", "`../out` is outside the workspace"),
        (".git/config", "`.git/config` is in a .git directory"),
        ("no/../way", "`no/../way` does not exist"),
        ("there/below", "`there/below` does not exist"),
    ] {
        assert_eq!(
            create(path, Readers::Owner),
            Err(refusal.to_string()),
            "{path}"
        );
    }
    assert_eq!(bench.text("root/there"), "old");
    assert_eq!(bench.names("root/a/b"), ["c.json"]);
}

/// Checks that if another program creates the file at the same moment, one of the two fails,
/// and the file of the other is complete.
#[test]
fn of_two_that_create_a_file_at_once_one_is_refused() {
    let bench = Bench::with(&[]);
    for round in 0..400 {
        let name = format!("file{round}");
        let path = bench.base.join(format!("root/{name}"));
        let (ours, theirs) = std::thread::scope(|scope| {
            let theirs = scope.spawn(|| {
                // Our process writes a temporary file first. Each iteration hits a different step after that.
                while !bench
                    .names("root")
                    .iter()
                    .any(|one| is_temporary(one) || *one == name)
                {}
                (0..round * 5).for_each(|_| std::hint::spin_loop());
                let mut file = std::fs::File::create_new(&path)?;
                std::io::Write::write_all(&mut file, b"theirs")
            });
            let permit = bench.workspace.write_permit().expect("a person may write");
            let ours = bench
                .workspace
                .create(&permit, &name, Readers::AsUsual, b"ours");
            (ours, theirs.join().expect("it does not panic"))
        });
        let text = std::fs::read_to_string(&path).expect("one of them created it");
        match (&ours, &theirs) {
            (Ok(()), Err(error)) => {
                assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
                assert_eq!(text, "ours");
            }
            (Err(FileError::Changed { .. }), Ok(())) => assert_eq!(text, "theirs"),
            both => panic!("{both:?} in round {round}, which left {text:?}"),
        }
    }
    assert!(bench.names("root").iter().all(|name| !is_temporary(name)));
}

#[test]
fn without_hard_links_a_file_is_created_under_its_name() {
    let bench = Bench::with(&[]);
    let create = |name: &str, fails_at: Option<usize>| {
        let fault = fails_at.map(|at| (at, Fault::Fail(std::io::ErrorKind::Unsupported)));
        let (created, taken) = steps::counted(fault, || {
            let permit = bench.workspace.write_permit().expect("a person may write");
            bench
                .workspace
                .create(&permit, name, Readers::AsUsual, b"new")
        });
        (created.map_err(|error| error.to_string()), taken)
    };
    // The first call also creates the folders of the state directory.
    assert_eq!(create("first", None).0, Ok(()));
    let (created, taken) = create("a", None);
    assert_eq!(created, Ok(()));
    let link = taken.iter().position(|step| *step == Step::Link);
    let link = link.expect("it takes its name by a link");
    let (created, taken) = create("b", Some(link));
    assert_eq!((created, bench.text("root/b").as_str()), (Ok(()), "new"));
    assert_eq!(
        taken[link..link + 3],
        [Step::Link, Step::Create, Step::Rename]
    );
    assert!(bench.names("root").iter().all(|name| !is_temporary(name)));
}

#[test]
fn what_is_missing_is_named() {
    let bench = Bench::with(&[("root/src/a.rs", "")]);
    assert_eq!(bench.resolved("src/b.rs"), "`src/b.rs` does not exist");
    assert_eq!(bench.resolved("lib/deep/b.rs"), "`lib` does not exist");
    assert_eq!(bench.resolved("src/a.rs/b"), "`src/a.rs/b` does not exist");
    assert_eq!(bench.resolved(""), "`` does not exist");
    assert_eq!(
        bench.resolved("a\nb"),
        r#"the path "a\nb" contains the control character '\n'"#
    );
    assert_eq!(
        bench.resolved("a\0"),
        r#"the path "a\0" contains the control character '\0'"#
    );
}

#[test]
fn a_root_reached_by_a_link_has_both_names() {
    let bench = Bench::with(&[("root/a.rs", "")]);
    bench.link("alias", "root");
    let alias = bench.base.join("alias");
    let state = StateDirectory::open(&bench.base.join("state")).expect("it is there");
    let workspace = Workspace::open(&[alias.clone(), bench.base.join("root")], state)
        .expect("the root is there");
    assert_eq!(workspace.roots().count(), 1);
    for given in [alias.join("a.rs"), bench.base.join("root/a.rs")] {
        let path = workspace.resolve(given.as_str()).expect("it is there");
        assert_eq!(path.display(), "a.rs");
    }
}

#[test]
fn paths_are_relative_to_the_directory_that_is_named() {
    let files = [
        "root/top.rs",
        "root/sub/x.rs",
        "root/sub/deep/y.rs",
        "root/.git/config",
        "other/b.rs",
    ];
    let bench = Bench::with_roots(&["root", "other"], &files.map(|file| (file, "")));
    let relative_to = |folder: &str| {
        let state = StateDirectory::open(&bench.base.join("state")).expect("it is there");
        let roots = ["root", "other"].map(|root| bench.base.join(root));
        let workspace = Workspace::open(&roots, state).expect("the roots are there");
        workspace.relative_to(&bench.base.join(folder))
    };
    let absolute = |file: &str| bench.base.join(file).into_string();
    for (folder, names) in [
        (
            "root",
            [
                "top.rs",
                "sub/x.rs",
                "sub/deep/y.rs",
                &absolute("other/b.rs"),
            ],
        ),
        (
            "root/sub",
            ["../top.rs", "x.rs", "deep/y.rs", &absolute("other/b.rs")],
        ),
        (
            "root/sub/deep",
            ["../../top.rs", "../x.rs", "y.rs", &absolute("other/b.rs")],
        ),
        (
            "other",
            [
                &absolute("root/top.rs"),
                &absolute("root/sub/x.rs"),
                &absolute("root/sub/deep/y.rs"),
                "b.rs",
            ],
        ),
        // Neither resolves to a location in a root.
        (
            ".",
            [
                "top.rs",
                "sub/x.rs",
                "sub/deep/y.rs",
                &absolute("other/b.rs"),
            ],
        ),
        (
            "gone",
            [
                "top.rs",
                "sub/x.rs",
                "sub/deep/y.rs",
                &absolute("other/b.rs"),
            ],
        ),
    ] {
        let workspace = relative_to(folder);
        let places = [
            "root/top.rs",
            "root/sub/x.rs",
            "root/sub/deep/y.rs",
            "other/b.rs",
        ];
        for (place, name) in places.into_iter().zip(names) {
            for given in [&absolute(place), name] {
                let path = workspace.resolve(given).expect("it is there");
                assert_eq!(
                    (path.display().as_str(), path.absolute()),
                    (name, &*bench.base.join(place))
                );
            }
            assert_eq!(
                workspace.absolute(Utf8Path::new(name)),
                bench.base.join(place)
            );
        }
    }
    let workspace = relative_to("root/sub");
    let display = |path: &str| {
        workspace
            .resolve(path)
            .map(|path| path.display().to_string())
    };
    assert_eq!(display(".").expect("it is there"), ".");
    assert_eq!(display("..").expect("it is there"), "..");
    assert_eq!(display("../sub").expect("it is there"), ".");
    assert_eq!(error_text(display("../no/z.rs")), "`../no` does not exist");
    let outside = "`../../x` is outside the workspace";
    assert_eq!(error_text(display("../../x")), outside);
    assert_eq!(workspace.nearest("../sbu/x.rs"), ["x.rs"]);
    assert_eq!(workspace.namesakes("tops.rs"), ["../top.rs"]);
    let closed = relative_to("root/.git").resolve("config");
    assert_eq!(error_text(closed), "`config` is in a .git directory");
}

#[test]
fn a_workspace_needs_directories() {
    let bench = Bench::with(&[("root/a.rs", "")]);
    let open = |roots: &[Utf8PathBuf]| {
        let state = StateDirectory::open(&bench.base.join("state")).expect("it is there");
        Workspace::open(roots, state).map(drop)
    };
    assert!(matches!(open(&[]), Err(WorkspaceError::NoRoot)));
    for path in ["root/a.rs", "missing"] {
        let result = open(&[bench.base.join(path)]);
        assert!(
            matches!(result, Err(WorkspaceError::Root { .. })),
            "{result:?}"
        );
    }
}

#[test]
fn a_workspace_begins_where_its_mark_is() {
    let bench = Bench::with(&[("root/.git/config", ""), ("root/a/b/c.rs", "")]);
    let discover = |path: &str| Workspace::discover(&bench.base.join(path));
    assert_eq!(discover("root/a/b"), bench.base.join("root"));
    assert_eq!(discover("root"), bench.base.join("root"));
    bench.put("root/a/treegraft.toml", "");
    assert_eq!(discover("root/a/b"), bench.base.join("root/a"));
}

#[test]
fn the_nearest_names_exist() {
    let bench = Bench::with(&[
        ("root/src/server.rs", ""),
        ("root/src/servers.rs", ""),
        ("root/src/serve.rs", ""),
        ("root/src/sever.rs", ""),
        ("root/src/zebra.md", ""),
        ("root/.git/x", ""),
    ]);
    let nearest = |path: &str| bench.workspace.nearest(path);
    assert_eq!(
        nearest("src/servr.rs"),
        ["src/server.rs", "src/serve.rs", "src/servers.rs"]
    );
    assert_eq!(nearest("scr/server.rs"), ["src/server.rs"]);
    assert_eq!(nearest("scr/missing.rs"), ["src"]);
    assert_eq!(nearest("nothing_like_it"), [""; 0]);
    assert_eq!(nearest("git"), [""; 0]);
    assert_eq!(nearest("../roof/x"), [""; 0]);
    assert_eq!(nearest("src/server.rs"), [""; 0]);
}

#[test]
fn namesakes_are_found_wherever_they_are() {
    let bench = Bench::with(&[
        ("root/src/engine/draft.rs", ""),
        ("root/src/engine/drafts.rs", ""),
        ("root/src/cli/draft.rs", ""),
        ("root/docs/draft.md", ""),
        ("root/zebra.rs", ""),
        ("root/.git/draft.rs", ""),
    ]);
    let namesakes = |path: &str| bench.workspace.namesakes(path);
    assert_eq!(
        namesakes("src/draft.rs"),
        [
            "src/cli/draft.rs",
            "src/engine/draft.rs",
            "docs/draft.md",
            "src/engine/drafts.rs",
        ]
    );
    assert_eq!(namesakes("src/engin/draft.rs")[0], "src/engine/draft.rs");
    assert_eq!(namesakes("src/engine/draft.py")[0], "src/engine/draft.rs");
    assert_eq!(namesakes("zebar.rs"), ["zebra.rs"]);
    assert_eq!(namesakes("nothing_like_it"), [""; 0]);
    assert_eq!(namesakes("../roof/draft.rs"), [""; 0]);
    assert_eq!(namesakes("zebra.rs"), [""; 0]);
}

#[test]
fn a_listing_has_what_can_be_resolved() {
    let bench = Bench::with(&[("root/b/x", ""), ("root/a.rs", ""), ("root/.git/x", "")]);
    bench.link("root/link", "a.rs");
    bench.put("root/.treegraft-0123456789abcdef.tmp", "");
    let root = bench.path(".");
    let listing = bench.workspace.list(&root, 100).expect("it can be listed");
    let found: Vec<(&str, FileKind)> = listing
        .entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.kind))
        .collect();
    let expected = [
        ("a.rs", FileKind::File),
        ("b", FileKind::Directory),
        ("link", FileKind::Link),
    ];
    assert_eq!(found, expected);
    assert!(!listing.cut);
    let listing = bench.workspace.list(&root, 2).expect("it can be listed");
    assert!(listing.cut && listing.entries.len() <= 2);
}

// Reading

#[test]
fn a_file_is_read_up_to_the_limit() {
    let bench = Bench::with(&[("root/a.rs", "12345"), ("root/empty", "")]);
    let path = bench.path("a.rs");
    let read = |limit| bench.workspace.read(&path, limit);
    assert_eq!(read(5).expect("it is small enough"), b"12345");
    assert_eq!(read(u64::MAX).expect("there is no limit"), b"12345");
    assert_eq!(
        error_text(read(4)),
        "`a.rs` has 5 bytes, more than the limit of 4"
    );
    let empty = bench.workspace.read(&bench.path("empty"), 0);
    assert_eq!(empty.expect("nothing fits everywhere"), b"");
}

#[test]
fn bytes_that_are_known_are_not_read_out() {
    let long = "0123456789".repeat(20_000);
    for text in ["", "a", &long] {
        let bench = Bench::with(&[("root/a.rs", text)]);
        let path = bench.path("a.rs");
        let read = |known: &str| {
            let read = read_seen(&path, 1_000_000, Some(known.as_bytes()));
            read.expect("it can be read").0
        };
        assert_eq!(read(text), None);
        let others = [0, 65_535, 65_536, 65_537, text.len().saturating_sub(1)];
        let others = others.into_iter().filter(|at| *at < text.len()).map(|at| {
            let mut other = text.to_string();
            other.replace_range(at..=at, "x");
            other
        });
        for other in others.chain([format!("{text}x"), text.chars().skip(1).collect()]) {
            if other != text {
                assert_eq!(read(&other).as_deref(), Some(text.as_bytes()));
            }
        }
    }
}

#[test]
fn only_files_are_read() {
    let bench = Bench::with(&[("root/folder/a.rs", "")]);
    let made = std::process::Command::new("mkfifo")
        .arg(bench.base.join("root/pipe"))
        .status()
        .expect("every Unix has mkfifo");
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(bench.base.join("root/socket"))
        .expect("a socket can be made");
    let read = |path| error_text(bench.workspace.read(&bench.path(path), 100));
    assert_eq!(read("folder"), "`folder` is a directory, not a file");
    assert_eq!(read("."), "`.` is a directory, not a file");
    assert_eq!(read("pipe"), "`pipe` is a named pipe, not a file");
    assert_eq!(read("socket"), "`socket` is a socket, not a file");
    for path in ["folder", "pipe", "socket"] {
        let refusal = error_text(bench.replace(path, "", "new"));
        assert!(refusal.ends_with("not a file"), "{refusal}");
    }
}

#[test]
fn a_link_that_appears_after_resolving_is_not_followed() {
    let bench = Bench::with(&[
        ("root/src/a.rs", "one"),
        ("root/b.rs", "two"),
        ("root/.git/a.rs", "git"),
        ("secret/a.rs", "secret"),
    ]);
    let (folder, file) = (bench.path("src/a.rs"), bench.path("b.rs"));
    std::fs::remove_dir_all(bench.base.join("root/src")).expect("it can go");
    std::fs::remove_file(bench.base.join("root/b.rs")).expect("it can go");
    for target in ["secret", "root/.git"] {
        bench.link("root/src", bench.base.join(target).as_str());
        bench.link("root/b.rs", bench.base.join(target).join("a.rs").as_str());
        for path in [&folder, &file] {
            let refusal = format!(
                "`{}` has become a link since it was resolved",
                path.display()
            );
            assert_eq!(error_text(bench.workspace.read(path, 100)), refusal);
            let digest = Digest::from_bytes(b"secret");
            let replaced = replace(&bench.workspace, path, digest, [&b"new"[..]]);
            assert_eq!(error_text(replaced), refusal);
        }
        std::fs::remove_file(bench.base.join("root/src")).expect("it can go");
        std::fs::remove_file(bench.base.join("root/b.rs")).expect("it can go");
    }
    assert_eq!(
        error_text(bench.workspace.read(&file, 100)),
        "`b.rs` does not exist"
    );
    assert_eq!(bench.text("secret/a.rs"), "secret");
    assert_eq!(bench.text("root/.git/a.rs"), "git");
}

// Replacing

#[test]
fn a_file_is_replaced_as_a_whole() {
    let bench = Bench::with(&[("root/src/a.rs", "one\r\n")]);
    let path = bench.path("src/a.rs");
    let chunks = [&b"tw"[..], b"", b"o"];
    replace(
        &bench.workspace,
        &path,
        Digest::from_bytes(b"one\r\n"),
        chunks,
    )
    .expect("it is unchanged");
    assert_eq!(bench.text("root/src/a.rs"), "two");
    assert_eq!(bench.names("root/src"), ["a.rs"]);
    bench
        .replace("src/a.rs", "two", "")
        .expect("it can become empty");
    assert_eq!(bench.text("root/src/a.rs"), "");
}

#[test]
fn a_changed_file_is_left_alone() {
    let bench = Bench::with(&[("root/a.rs", "changed")]);
    match bench.replace("a.rs", "one", "two") {
        Err(FileError::Changed { path, found }) => {
            assert_eq!(
                (path.as_str(), found),
                ("a.rs", Digest::from_bytes(b"changed"))
            );
        }
        other => panic!("expected to be refused, got {other:?}"),
    }
    assert_eq!(bench.text("root/a.rs"), "changed");
    assert_eq!(bench.names("root"), ["a.rs"]);
}

#[test]
fn a_change_after_the_reading_is_noticed_whatever_time_it_gives_the_file() {
    let hour = Duration::from_secs(3_600);
    for written in [
        SystemTime::now() - hour,
        SystemTime::now(),
        SystemTime::now() + hour,
    ] {
        let bench = Bench::with(&[("root/a.rs", "one")]);
        let file = bench.base.join("root/a.rs");
        let date = || {
            let opened = std::fs::File::options().write(true).open(&file);
            let dated = opened.and_then(|opened| opened.set_modified(written));
            dated.expect("it is ours");
        };
        date();
        let mut locked = bench
            .workspace
            .lock(&bench.path("a.rs"))
            .expect("nobody has it");
        let read = locked.read(None, |_| language::plain_text());
        let digest = read.expect("it can be read").digest();
        let temporary = TemporaryName::new().expect("there are random bytes");
        let permit = bench.workspace.write_permit().expect("a person may write");
        let prepared = locked.prepare(&permit, digest, &temporary, [&b"two"[..]]);
        drop(prepared.expect("it is as it was read"));
        let prepared = locked.prepare(&permit, digest, &temporary, [&b"two"[..]]);
        let prepared = prepared.and_then(Unsynced::sync);
        let prepared = prepared.expect("it is as it was read");
        std::thread::sleep(Duration::from_millis(10));
        bench.put("root/a.rs", "oNe");
        date();
        assert_eq!(error_text(prepared.take_place()), "`a.rs` has changed");
        locked.remove_prepared(&temporary).expect("it can go");
        let prepared = locked.prepare(&permit, digest, &temporary, [&b"two"[..]]);
        assert_eq!(error_text(prepared), "`a.rs` has changed");
        assert_eq!(bench.text("root/a.rs"), "oNe");
        assert_eq!(bench.names("root"), ["a.rs"]);
    }
}

#[test]
fn a_change_while_the_new_bytes_are_written_is_noticed() {
    type ChangeFile = fn(&Bench);
    let changes: [(ChangeFile, &str); 3] = [
        (|bench| bench.put("root/a.rs", "new"), "`a.rs` has changed"),
        (
            |bench| {
                bench.put("root/b.rs", "new");
                let path = |name| bench.base.join("root").join(name);
                std::fs::rename(path("b.rs"), path("a.rs")).expect("it can be renamed");
            },
            "`a.rs` has changed",
        ),
        (
            |bench| std::fs::remove_file(bench.base.join("root/a.rs")).expect("it can go"),
            "`a.rs` does not exist",
        ),
    ];
    for (change, refusal) in changes {
        let bench = Bench::with(&[("root/a.rs", "one")]);
        let path = bench.path("a.rs");
        let chunks = std::iter::once_with(|| {
            change(&bench);
            &b"two"[..]
        });
        let result = replace(&bench.workspace, &path, Digest::from_bytes(b"one"), chunks);
        assert_eq!(error_text(result), refusal);
        let left = bench.names("root");
        assert!(left.is_empty() || left == ["a.rs"], "{left:?}");
        if !left.is_empty() {
            assert_eq!(bench.text("root/a.rs"), "new");
        }
    }
}

#[test]
fn a_failure_leaves_no_temporary_file() {
    let bench = Bench::with(&[("root/a.rs", "one")]);
    let path = bench.path("a.rs");
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let chunks = std::iter::once_with(|| -> &[u8] {
            assert_eq!(bench.names("root").len(), 2, "the temporary file is there");
            std::panic::resume_unwind(Box::new("no more bytes"))
        });
        replace(&bench.workspace, &path, Digest::from_bytes(b"one"), chunks)
    }));
    assert!(result.is_err());
    assert_eq!(bench.names("root"), ["a.rs"]);
    assert_eq!(bench.text("root/a.rs"), "one");
    bench
        .replace("a.rs", "one", "two")
        .expect("the lock was given back");
}

#[test]
fn the_mode_and_the_owner_are_kept() {
    for mode in [0o755, 0o600, 0o640, 0o666, 0o200] {
        let bench = Bench::with(&[("root/a.sh", "one")]);
        bench.set_mode("root/a.sh", mode);
        let before = std::fs::metadata(bench.base.join("root/a.sh")).expect("it is there");
        match bench.replace("a.sh", "one", "two") {
            Ok(()) => assert_eq!(bench.text("root/a.sh"), "two"),
            // Only the superuser can read a file that nobody may read.
            Err(FileError::PermissionDenied { why, .. }) => {
                assert_eq!((mode, why), (0o200, Denied::System));
            }
            Err(other) => panic!("{mode:o}: {other}"),
        }
        assert_eq!(bench.mode("root/a.sh"), mode);
        let after = std::fs::metadata(bench.base.join("root/a.sh")).expect("it is there");
        assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
    }
}

#[test]
fn the_owner_of_another_is_kept_or_the_edit_refused() {
    let bench = Bench::with(&[("root/a.rs", "one")]);
    let file = bench.base.join("root/a.rs");
    bench.set_mode("root/a.rs", 0o666);
    if std::os::unix::fs::chown(&file, Some(12345), Some(12345)).is_err() {
        // Only the superuser can change the owner of a file, which this test requires.
        return;
    }
    bench
        .replace("a.rs", "one", "two")
        .expect("the superuser may");
    let metadata = std::fs::metadata(&file).expect("it is there");
    assert_eq!((metadata.uid(), metadata.gid()), (12345, 12345));
    assert_eq!(bench.mode("root/a.rs"), 0o666);
    assert_eq!(bench.text("root/a.rs"), "two");
}

/// In a directory whose default list gives another user everything, the file has no list, or one that gives less.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stderr, reason = "a test says what it cannot try")]
#[test]
fn nobody_can_read_the_new_bytes_who_cannot_read_the_file() {
    const LIST: &str = "system.posix_acl_access";
    /// Returns a list with these permissions of user 12345, of the group, the mask and others.
    fn list([user, group, mask, others]: [u16; 4]) -> Vec<u8> {
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        let entries = [(1, 6, u32::MAX), (2, user, 12345), (4, group, u32::MAX)];
        let ends = [(16, mask, u32::MAX), (32, others, u32::MAX)];
        for (tag, permissions, id) in entries.into_iter().chain(ends) {
            let (tag, permissions): (u16, u16) = (tag, permissions);
            bytes.extend([tag.to_le_bytes(), permissions.to_le_bytes()].concat());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }
    /// Returns what user 12345, the group and others may do with a file.
    fn permissions(path: &std::path::Path) -> Option<[u32; 3]> {
        let mode = path.symlink_metadata().ok()?.mode();
        let list = xattr::get(path, LIST).expect("it is there");
        let Some(list) = list else {
            return Some([mode & 7, mode >> 3 & 7, mode & 7]);
        };
        let entry = |tag: u8| {
            let entries = list[4..].chunks(8);
            let found = entries.clone().find(|entry| entry[0] == tag);
            found.map_or(0, |entry| u32::from(entry[2]))
        };
        let mask = entry(16);
        Some([entry(2) & mask, entry(4) & mask, entry(32)])
    }
    let own_list = list([4, 0, 4, 0]);
    for (mode, own) in [(0o640, None), (0o600, None), (0o640, Some(&own_list))] {
        let bench = Bench::with(&[("root/a.rs", "one")]);
        let file = bench.base.join("root/a.rs");
        let default = xattr::set(
            bench.base.join("root"),
            "system.posix_acl_default",
            &list([7, 7, 7, 7]),
        );
        if let Err(error) = default {
            assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
            eprintln!("skipped: a directory with access control lists: {error}");
            return;
        }
        bench.set_mode("root/a.rs", mode);
        if let Some(list) = own {
            xattr::set(&file, LIST, list).expect("it can have a list");
        }
        let allowed = permissions(file.as_std_path()).expect("it is there");
        let folder = bench.base.join("root");
        let seen = std::rc::Rc::new(std::cell::Cell::new(0));
        let counted = seen.clone();
        let observe = move || {
            for entry in std::fs::read_dir(&folder).expect("it is there") {
                let path = entry.expect("it is there").path();
                let Some(given) = permissions(&path) else {
                    continue;
                };
                let is_wider = given
                    .iter()
                    .zip(allowed)
                    .any(|(given, own)| given & !own != 0);
                assert!(!is_wider, "{given:?} instead of {allowed:?}");
                counted.set(counted.get() + usize::from(!path.ends_with("a.rs")));
            }
        };
        let replaced = steps::observed(observe, || bench.replace("a.rs", "one", "two"));
        replaced.expect("nothing prevents it");
        assert!(
            seen.get() > 3,
            "the temporary file was seen {} times",
            seen.get()
        );
        assert_eq!(permissions(file.as_std_path()), Some(allowed));
        assert_eq!(xattr::get(&file, LIST).expect("it is there").as_ref(), own);
        assert_eq!(bench.mode("root/a.rs"), mode);
    }
}

#[test]
fn a_link_stays_a_link() {
    let bench = Bench::with(&[("root/src/a.rs", "one")]);
    bench.link("root/link", "src/a.rs");
    bench
        .replace("link", "one", "two")
        .expect("it resolves to a file");
    let target = std::fs::read_link(bench.base.join("root/link")).expect("it is a link");
    assert_eq!(target, std::path::Path::new("src/a.rs"));
    assert_eq!(bench.text("root/src/a.rs"), "two");
    assert_eq!(bench.names("root"), ["link", "src"]);
}

#[test]
fn a_file_with_other_names_is_read_and_not_replaced() {
    let bench = Bench::with(&[("root/a.rs", "one")]);
    let path = |name| bench.base.join("root").join(name);
    std::fs::hard_link(path("a.rs"), path("b.rs")).expect("it can be linked");
    let bytes = bench.workspace.read(&bench.path("b.rs"), 100);
    assert_eq!(bytes.expect("it can be read"), b"one");
    let refusal = "`a.rs` has 2 hard links, which replacing the file would break";
    assert_eq!(error_text(bench.replace("a.rs", "one", "two")), refusal);
    assert_eq!(bench.text("root/b.rs"), "one");
    assert_eq!(bench.names("root"), ["a.rs", "b.rs"]);
}

#[test]
fn a_read_only_file_is_refused_for_everybody() {
    let bench = Bench::with(&[("root/a.rs", "one")]);
    bench.set_mode("root/a.rs", 0o444);
    assert_eq!(
        error_text(bench.replace("a.rs", "one", "two")),
        "`a.rs`: the file is read-only"
    );
    assert_eq!(bench.text("root/a.rs"), "one");
    assert_eq!(bench.mode("root/a.rs"), 0o444);
    assert_eq!(bench.names("root"), ["a.rs"]);
}

#[test]
fn a_read_only_folder_is_the_systems_to_refuse() {
    let bench = Bench::with(&[("root/src/a.rs", "one")]);
    bench.set_mode("root/src", 0o555);
    let result = bench.replace("src/a.rs", "one", "two");
    bench.set_mode("root/src", 0o755);
    let expected = match result {
        // The superuser can write here.
        Ok(()) => "two",
        Err(FileError::PermissionDenied { why, .. }) => {
            assert_eq!(why, Denied::System);
            "one"
        }
        Err(other) => panic!("{other}"),
    };
    assert_eq!(bench.text("root/src/a.rs"), expected);
    assert_eq!(bench.names("root/src"), ["a.rs"]);
}

#[test]
fn of_writers_that_saw_the_same_bytes_one_wins() {
    let bench = Bench::with(&[("root/a.rs", "0")]);
    // The writers use different paths to the same file.
    bench.link("root/link", "a.rs");
    for round in 0..20 {
        let old = round.to_string();
        let new = (round + 1).to_string();
        let results = std::thread::scope(|scope| {
            let writers = ["a.rs", "link", "a.rs", "link"]
                .map(|path| scope.spawn(|| bench.replace(path, &old, &new)));
            writers.map(|writer| writer.join().expect("no writer panics"))
        });
        let won = results.iter().filter(|result| result.is_ok()).count();
        assert_eq!(won, 1, "{results:?}");
        for result in results {
            assert!(
                matches!(result, Ok(()) | Err(FileError::Changed { .. })),
                "{result:?}"
            );
        }
        assert_eq!(bench.text("root/a.rs"), new);
    }
    assert_eq!(bench.names("root"), ["a.rs", "link"]);
}

#[test]
fn a_file_name_may_be_as_long_as_names_can_be() {
    let long = format!("{}.rs", "a".repeat(252));
    let bench = Bench::with(&[(&format!("root/{long}"), "one")]);
    bench
        .replace(&long, "one", "two")
        .expect("the name is allowed");
    assert_eq!(bench.names("root"), [long]);
}
