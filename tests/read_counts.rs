//! How often a call reads a file or a record, counted with inotify.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and read the results"
)]

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::inotify::{self, ReadFlags, WatchFlags};
use rustix::io::Errno;
use serde_json::{Value, json};

use crate::support::{Bench, steady};

/// Counts how often a file is opened, even after it is renamed or removed.
struct Opens(OwnedFd);

impl Opens {
    fn of(path: &Path) -> Opens {
        let flags = inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC;
        let inotify = inotify::init(flags).expect("the system can watch files");
        // Reading is watched too, because identical consecutive events count as one.
        let events = WatchFlags::OPEN | WatchFlags::CLOSE | WatchFlags::ACCESS;
        inotify::add_watch(&inotify, path, events).expect("it can be watched");
        Opens(inotify)
    }

    /// Returns how often it was opened for reading since the last call.
    fn to_read(&self) -> usize {
        // Another process that a test starts may briefly hold a file that is closed here.
        let patience = Instant::now() + Duration::from_secs(20);
        let (mut opened, mut read, mut written) = (0, 0, 0);
        loop {
            for event in self.events() {
                opened += usize::from(event.contains(ReadFlags::OPEN));
                read += usize::from(event.contains(ReadFlags::CLOSE_NOWRITE));
                written += usize::from(event.contains(ReadFlags::CLOSE_WRITE));
            }
            if opened == read + written {
                return read;
            }
            assert!(
                Instant::now() < patience,
                "{opened} opened, {read} {written} closed"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn events(&self) -> Vec<ReadFlags> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&self.0, &mut buffer);
        let mut events = Vec::new();
        loop {
            match reader.next() {
                Ok(event) => events.push(event.events()),
                Err(Errno::AGAIN) => return events,
                Err(error) => panic!("the watch failed: {error}"),
            }
        }
    }
}

/// Returns a workspace with two old files. A recently written file would be read once more before
/// it is replaced, because its time could not show a change.
fn bench() -> Bench {
    let bench = Bench::new();
    for name in ["a.rs", "b.rs"] {
        bench.write(name, "fn a() {\n    one();\n    two();\n}\n");
        date(&bench.root().join(name));
    }
    bench
}

fn date(path: &Path) {
    let hour = Duration::from_secs(3_600);
    let file = File::options().write(true).open(path);
    let dated = file.and_then(|file| file.set_modified(SystemTime::now() - hour));
    dated.expect("the permissions can be set");
}

fn replace(file_path: &str, find: &str, new_content: &str) -> Value {
    json!({"file_path": file_path, "find": find, "new_content": new_content})
}

fn applying(mut arguments: Value) -> Value {
    arguments["apply"] = json!(true);
    arguments
}

#[test]
fn an_immediate_edit_reads_its_file_to_plan_it_and_under_its_lock() {
    let bench = bench();
    let opens = Opens::of(&bench.root().join("a.rs"));
    let arguments = applying(replace("a.rs", "one()", "three()"));
    let made = bench.call("replace_text", arguments).expect("it fits");
    assert_eq!(made.json["status"], "applied");
    assert_eq!(opens.to_read(), 2);
}

#[test]
fn immediate_edits_read_each_file_for_each_of_its_names_and_under_its_lock() {
    let bench = bench();
    let opens = ["a.rs", "b.rs"].map(|name| Opens::of(&bench.root().join(name)));
    let edits = [
        replace("a.rs", "one()", "three()"),
        replace("b.rs", "one()", "three()"),
        replace("./a.rs", "two()", "four()"),
    ];
    let made = bench.call("edit_nodes", applying(json!({"edits": edits})));
    assert_eq!(made.expect("they fit").json["status"], "applied");
    assert_eq!(opens.map(|opens| opens.to_read()), [3, 2]);
}

#[test]
fn a_record_is_read_once_to_apply_the_edit_and_once_to_undo_it() {
    let bench = bench();
    let previewed = bench.call("replace_text", replace("a.rs", "one()", "three()"));
    let edit_id = previewed.expect("it fits").json["edit_id"].clone();
    let name = edit_id.as_str().expect("it is a text");
    let record = bench.record(name);
    let file = Opens::of(&bench.root().join("a.rs"));
    for (engine, suffix) in [(&bench, "json"), (&bench.another_engine(), "undone.json")] {
        // The watch follows the file when it is renamed. An undo replaces it.
        let opens = Opens::of(&record.with_extension(suffix));
        for tool in ["apply_edit", "undo_edit"] {
            let made = engine.call(tool, json!({"edit_id": edit_id}));
            made.expect("the file is unchanged");
            assert_eq!(opens.to_read(), 1, "{tool}");
        }
    }
    assert_eq!(file.to_read(), 1, "the file with the old text");
}

#[test]
fn a_refusal_is_the_same_for_a_preview_and_a_write() {
    let bench = bench();
    bench.write("zero.bin", b"a\0b");
    std::fs::create_dir_all(bench.root().join("deep/a.rs.d")).expect("it can be created");
    bench.write("deep/c.rs", "fn c() {\n    one();\n}\n");
    let one = |file_path: &str| replace(file_path, "one()", "three()");
    let both = |first, second| json!({"edits": [one(first), one(second)]});
    for (tool, arguments) in [
        ("replace_text", one("c.rs")),
        ("replace_text", one("missing.rs")),
        ("replace_text", one("zero.bin")),
        ("replace_text", one("deep")),
        ("replace_text", one("../a.rs")),
        ("edit_nodes", both("a.rs", "c.rs")),
        ("edit_nodes", both("zero.bin", "c.rs")),
        ("edit_nodes", both("c.rs", "zero.bin")),
        ("edit_nodes", both("a.rs", "deep/../zero.bin")),
    ] {
        let refused = |arguments: Value| {
            let refusal = bench.call(tool, arguments).expect_err("it is refused");
            steady(&refusal.text().replace(",\"apply\":true", ""))
        };
        let shown = refused(arguments.clone());
        assert_eq!(refused(applying(arguments)), shown);
    }
}
