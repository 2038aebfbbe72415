//! A folder with a workspace and, next to it, secrets. It is created from a table, compared before
//! and after, and watched in between.

use std::collections::BTreeMap;
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{CWD, FileType, Mode, RenameFlags, inotify, mknodat, renameat_with};
use rustix::io::Errno;

/// Occurs in every file that is off limits and nowhere else; no call contains it.
pub(super) const SECRET: &str = "secret_7f3a";

/// What a path is. `{base}` in a text or a target is the folder of the fixture.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry<'a> {
    /// A file with this text.
    File(&'a str),
    /// A symbolic link to this target.
    Link(&'a str),
    /// A hard link to this file.
    Hard(&'a str),
    Folder,
    Pipe,
    Socket,
}

/// A temporary folder; its subfolder `root` is the workspace.
pub(super) struct Fixture {
    _folder: tempfile::TempDir,
    base: Utf8PathBuf,
}

/// Everything in a folder: the kind, mode, times and bytes of each path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Inventory(BTreeMap<PathBuf, String>);

/// Reports each time something that is off limits is opened, read, written, created, renamed or
/// removed. It does not report lookups of a name.
pub(super) struct Watch {
    inotify: OwnedFd,
    paths: BTreeMap<i32, PathBuf>,
}

impl Fixture {
    /// Uses a file system in memory if there is one, so that thousands of writes do not wait for a
    /// disk.
    pub(super) fn new() -> Fixture {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a temporary directory can be created");
        let base = folder.path().canonicalize().expect("it exists");
        let base = Utf8PathBuf::from_path_buf(base).expect("temporary folders are UTF-8");
        fs::create_dir(base.join("root")).expect("it can be created");
        Fixture {
            _folder: folder,
            base,
        }
    }

    pub(super) fn base(&self) -> &Utf8Path {
        &self.base
    }

    pub(super) fn root(&self) -> Utf8PathBuf {
        self.base.join("root")
    }

    pub(super) fn expanded(&self, text: &str) -> String {
        text.replace("{base}", self.base.as_str())
    }

    /// Creates what the table lists, in order, with any missing folders.
    pub(super) fn create(&self, table: &[(&str, Entry)]) {
        for (path, is) in table {
            let path = self.base.join(path);
            let folder = path.parent().expect("it is in the fixture");
            fs::create_dir_all(folder).expect("it can be created");
            let made = match is {
                Entry::File(text) => fs::write(&path, self.expanded(text)),
                Entry::Link(target) => symlink(self.expanded(target), &path),
                Entry::Hard(other) => fs::hard_link(self.base.join(other), &path),
                Entry::Folder => fs::create_dir(&path),
                Entry::Pipe => {
                    let mode = Mode::RUSR | Mode::WUSR;
                    mknodat(CWD, path.as_std_path(), FileType::Fifo, mode, 0).map_err(Into::into)
                }
                // The socket's path stays when the listener is dropped.
                Entry::Socket => UnixListener::bind(&path).map(drop),
            };
            made.unwrap_or_else(|error| panic!("{path:?}: {error}"));
        }
    }

    /// Exchanges two paths in one step, whatever they are.
    pub(super) fn exchange(&self, one: &str, other: &str) {
        let (one, other) = (self.base.join(one), self.base.join(other));
        renameat_with(
            CWD,
            one.as_std_path(),
            CWD,
            other.as_std_path(),
            RenameFlags::EXCHANGE,
        )
        .expect("both files exist");
    }

    /// Returns whether a path is still of the same kind; the contents of files and links are not
    /// compared.
    pub(super) fn has(&self, path: &str, is: Entry) -> bool {
        let metadata = fs::symlink_metadata(self.base.join(path)).expect("it exists");
        let kind = metadata.file_type();
        match is {
            Entry::File(_) | Entry::Hard(_) => kind.is_file(),
            Entry::Link(_) => kind.is_symlink(),
            Entry::Folder => kind.is_dir(),
            Entry::Pipe => kind.is_fifo(),
            Entry::Socket => kind.is_socket(),
        }
    }

    pub(super) fn remove(&self, path: &str) {
        fs::remove_file(self.base.join(path)).expect("it exists");
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        fs::write(self.base.join(path), text).expect("the file can be written");
    }

    pub(super) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.base.join(path)).expect("it is there, and text")
    }

    /// Returns the names in a folder, sorted.
    pub(super) fn names(&self, folder: &str) -> Vec<String> {
        let names = fs::read_dir(self.base.join(folder)).expect("it can be listed");
        let mut names: Vec<String> = names
            .map(|name| name.expect("it can be listed").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Returns everything below `folder`; below the paths in `except`, only the names.
    pub(super) fn inventory(&self, folder: &str, except: &[&str]) -> Inventory {
        let except: Vec<PathBuf> = except
            .iter()
            .map(|one| self.base.join(one).into())
            .collect();
        let mut found = BTreeMap::new();
        let mut waiting = vec![PathBuf::from(self.base.join(folder))];
        while let Some(path) = waiting.pop() {
            let excepted = except.contains(&path);
            let metadata = fs::symlink_metadata(&path).expect("a listed path exists");
            if metadata.is_dir() && !excepted {
                let names = fs::read_dir(&path).expect("it can be listed");
                waiting.extend(names.map(|name| name.expect("it can be listed").path()));
            }
            let entry = match excepted {
                true => String::new(),
                false => described(&path, &metadata),
            };
            found.insert(path, entry);
        }
        Inventory(found)
    }
}

fn described(path: &Path, metadata: &fs::Metadata) -> String {
    let held = match metadata.file_type() {
        kind if kind.is_file() => {
            String::from_utf8_lossy(&fs::read(path).expect("it can be read")).into_owned()
        }
        kind if kind.is_symlink() => {
            let target = fs::read_link(path).expect("it is a link");
            format!("-> {}", target.to_string_lossy())
        }
        kind if kind.is_fifo() => "a pipe".to_string(),
        kind if kind.is_socket() => "a socket".to_string(),
        _ => String::new(),
    };
    format!(
        "mode {:o}, owner {} {}, inode {}, {} names, written {}.{:09}: {held:?}",
        metadata.mode(),
        metadata.uid(),
        metadata.gid(),
        metadata.ino(),
        // The link count of a folder depends on its subfolders.
        if metadata.is_dir() {
            0
        } else {
            metadata.nlink()
        },
        metadata.mtime(),
        metadata.mtime_nsec(),
    )
}

impl Inventory {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn names(&self) -> Vec<&Path> {
        self.0.keys().map(PathBuf::as_path).collect()
    }

    /// Returns one line for each path that differs in `after`.
    pub(super) fn changes(&self, after: &Inventory) -> Vec<String> {
        let names = self.0.keys().chain(after.0.keys());
        let mut changes: Vec<String> = names
            .filter(|name| self.0.get(*name) != after.0.get(*name))
            .map(|name| {
                format!(
                    "{name:?} was {:?}, is {:?}",
                    self.0.get(name),
                    after.0.get(name)
                )
            })
            .collect();
        changes.dedup();
        changes
    }
}

impl Watch {
    /// Watches each of the paths, and everything in each folder.
    pub(super) fn over(paths: impl IntoIterator<Item = Utf8PathBuf>) -> Watch {
        let flags = inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC;
        let mut watch = Watch {
            inotify: inotify::init(flags).expect("the system can watch files"),
            paths: BTreeMap::new(),
        };
        for path in paths {
            watch.add(path.into());
        }
        watch
    }

    fn add(&mut self, path: PathBuf) {
        let metadata = fs::symlink_metadata(&path).expect("a watched path exists");
        if metadata.is_dir() {
            let names = fs::read_dir(&path).expect("it can be listed");
            for name in names {
                let name = name.expect("it can be listed");
                if name.file_type().expect("it exists").is_dir() {
                    self.add(name.path());
                }
            }
        }
        // Does not watch for closing: another process that a test starts may briefly hold a file
        // that the tests opened before.
        let flags = inotify::WatchFlags::ALL_EVENTS - inotify::WatchFlags::CLOSE;
        let flags = flags | inotify::WatchFlags::DONT_FOLLOW;
        let watched = inotify::add_watch(&self.inotify, &path, flags);
        self.paths.insert(watched.expect("it can be watched"), path);
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Returns the events since the last call.
    pub(super) fn seen(&self) -> Vec<String> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.inotify, &mut buffer);
        let mut seen = Vec::new();
        loop {
            match events.next() {
                Ok(event) => seen.push(format!(
                    "{:?} {:?}: {:?}",
                    self.paths.get(&event.wd()),
                    event.file_name(),
                    event.events()
                )),
                Err(Errno::AGAIN) => return seen,
                Err(error) => panic!("the watch failed: {error}"),
            }
        }
    }
}
