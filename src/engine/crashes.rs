//! Kills the writer, or makes the system refuse it, at every single call that it makes on files. Whatever happens, all
//! files are old or all are new, and the staged edits still exist.
//!
//! `cargo test --lib crashes -- --nocapture` prints how often each case was tried. With `TREEGRAFT_CRASH_ROUNDS=20` in
//! the environment, all cases run with twenty different sizes instead of one. Of the steps, a part is tried; with
//! `TREEGRAFT_TEST_FULL=1`, all are.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the tests create files, read them and print counts"
)]

mod together;
mod whole_files;

use std::io::ErrorKind;
use std::process::Command;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;

use crate::workspace::steps::{Fault, counted};
use crate::workspace::{Caller, Step};

use super::core::Engine;
use super::log;
use super::request::{ApplyEdit, EditNodes, ListEdits, UndoEdit, read};
use super::response::{EditMade, EditStatus, RefusedCall};

/// The work of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// One call previews and writes.
    AtOnce,
    /// An earlier preview is written.
    Apply,
    /// An earlier preview is written to files in which other parts have changed since.
    Rebase,
    /// An earlier write is undone.
    Undo,
    /// An earlier write is undone in files in which other parts have changed since.
    UndoAlone,
}

const ALL: [Work; 5] = [
    Work::AtOnce,
    Work::Apply,
    Work::Rebase,
    Work::Undo,
    Work::UndoAlone,
];

/// A line that another program adds.
const ANOTHER: &str = "another line\n";

impl Work {
    fn is_undo(self) -> bool {
        matches!(self, Work::Undo | Work::UndoAlone)
    }

    /// Returns the text that another program adds to the files before the work.
    fn added(self) -> &'static str {
        match self {
            Work::Rebase | Work::UndoAlone => ANOTHER,
            Work::AtOnce | Work::Apply | Work::Undo => "",
        }
    }
}

/// A separate workspace: files that each contain one line to change.
struct CrashBench {
    folder: tempfile::TempDir,
    files: usize,
    /// The number of lines before and after the line to change.
    lines: usize,
}

/// The contents of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Contents {
    Old,
    New,
}

type EditResult = Result<EditMade, Box<RefusedCall>>;

impl CrashBench {
    fn new(files: usize, lines: usize) -> CrashBench {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let bench = CrashBench {
            folder,
            files,
            lines,
        };
        std::fs::create_dir(bench.root()).expect("it can be made");
        for file in 0..files {
            bench.put(file, &bench.text(file, "old", ""));
        }
        bench
    }

    /// Prepares a bench for the work.
    fn prepared(files: usize, lines: usize, work: Work) -> (CrashBench, String) {
        let bench = CrashBench::new(files, lines);
        let engine = bench.engine();
        let edit_id = match work {
            Work::AtOnce => {
                bench.date_files();
                return (bench, String::new());
            }
            Work::Apply | Work::Rebase => bench.edit(&engine, false),
            Work::Undo | Work::UndoAlone => bench.edit(&engine, true),
        };
        let edit_id = edit_id.expect("nothing prevents it").edit_id;
        let word = if work.is_undo() { "new" } else { "old" };
        for file in (0..files).filter(|_| !work.added().is_empty()) {
            bench.put(file, &bench.text(file, word, work.added()));
        }
        bench.date_files();
        (bench, edit_id)
    }

    /// Sets the modification times of the files: for every other file, a later change is certain to change the time,
    /// for the others it is not. The steps differ between the two, and do not depend on the speed of the machine.
    fn date_files(&self) {
        let (hour, now) = (
            std::time::Duration::from_secs(3_600),
            std::time::SystemTime::now(),
        );
        for file in 0..self.files {
            let path = self.root().join(name(file));
            let opened = std::fs::File::options().write(true).open(&path);
            let time = match (file + self.lines) % 2 {
                0 => now - hour,
                _ => now + hour,
            };
            let dated = opened.and_then(|opened| opened.set_modified(time));
            dated.expect("it is ours");
        }
    }

    fn root(&self) -> Utf8PathBuf {
        utf8(self.folder.path()).join("root")
    }

    fn state(&self) -> Utf8PathBuf {
        utf8(self.folder.path()).join("state")
    }

    fn engine(&self) -> Engine {
        engine(&self.root(), &self.state())
    }

    /// Returns the text of a file. No two files have the same text.
    fn text(&self, file: usize, word: &str, before: &str) -> String {
        let filler: String = (0..self.lines)
            .map(|line| format!("line {line} of file {file}\n"))
            .collect();
        format!("{before}{filler}\nthe {word} line of {file}\n\n{filler}")
    }

    fn put(&self, file: usize, text: &str) {
        std::fs::write(self.root().join(name(file)), text).expect("it can be written");
    }

    fn edit(&self, engine: &Engine, apply: bool) -> EditResult {
        edit(engine, self.files, apply)
    }

    /// Returns the contents of all files. Fails if the files do not agree, if they contain anything else, or if there
    /// are other files.
    fn held(&self, work: Work, what: &str) -> Contents {
        let before = work.added();
        let held = (0..self.files).map(|file| {
            let text = std::fs::read_to_string(self.root().join(name(file)));
            let text = text.unwrap_or_else(|error| panic!("{what}: {error}"));
            match text {
                text if text == self.text(file, "old", before) => Contents::Old,
                text if text == self.text(file, "new", before) => Contents::New,
                text => panic!("{what}: file {file} is torn: {} bytes", text.len()),
            }
        });
        let held: Vec<Contents> = held.collect();
        assert!(held.iter().all(|one| *one == held[0]), "{what}: {held:?}");
        assert_eq!(
            names(&self.root()).len(),
            self.files,
            "{what}: {:?}",
            names(&self.root())
        );
        held[0]
    }

    /// Checks what a new process finds: complete files, no temporary files, a readable state that matches the files,
    /// and an edit that can be applied or undone.
    fn check_after_restart(&self, work: Work, edit_id: &str, what: &str) -> Contents {
        let engine = self.engine();
        let notes = || {
            let notes = names(&self.state().join("journal")).into_iter();
            let notes = notes.filter(|name| name.ends_with(".json"));
            notes.collect::<Vec<String>>()
        };
        // A process started by another test holds our locks for the moment between fork and exec.
        for _ in 0..100 {
            if notes().is_empty() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
            assert_eq!(engine.settle(), [""; 0], "{what}");
        }
        assert_eq!(notes(), [""; 0], "{what}");
        let held = self.held(work, what);
        let list = engine.list_edits(&ListEdits::default());
        let list = list.unwrap_or_else(|refusal| panic!("{what}: {}", refusal.text()));
        assert!(list.unreadable.is_empty(), "{what}: {:?}", list.unreadable);
        let known = list
            .edits
            .iter()
            .find(|one| work == Work::AtOnce || one.edit_id == edit_id);
        let status = known.map(|one| one.status);
        match (held, status) {
            (Contents::New, Some(EditStatus::Applied)) => {}
            (Contents::Old, Some(EditStatus::Undone)) if work.is_undo() => {}
            (Contents::Old, Some(EditStatus::Previewed)) if !work.is_undo() => {}
            // The writer was stopped before the edit was staged.
            (Contents::Old, None) if work == Work::AtOnce => {}
            // The edit was refused before it was staged.
            (Contents::Old, Some(EditStatus::Refused)) if work == Work::AtOnce => return held,
            other => panic!("{what}: {other:?}"),
        }
        if let Some(known) = known {
            let edit_id = known.edit_id.clone();
            let made = match held {
                Contents::Old => engine.apply_edit(&ApplyEdit::new(edit_id)),
                Contents::New => engine.undo_edit(&UndoEdit::new(edit_id)),
            };
            made.unwrap_or_else(|refusal| panic!("{what}: {}", refusal.text()));
            assert_ne!(self.held(work, what), held, "{what}");
        }
        self.check_swept(&engine, what);
        held
    }

    /// Checks that the leftovers of a dead process in the state directory are removed as soon as no process can still
    /// be writing them.
    fn check_swept(&self, engine: &Engine, what: &str) {
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(120);
        let temporary = || {
            let folders = names(&self.state()).into_iter();
            let files = folders.flat_map(|folder| {
                let folder = self.state().join(folder);
                names(&folder)
                    .into_iter()
                    .map(move |name| folder.join(name))
            });
            files
                .filter(|path| path.as_str().ends_with(".tmp"))
                .collect::<Vec<_>>()
        };
        for path in temporary() {
            let file = std::fs::File::options().write(true).open(&path);
            let set = file.and_then(|file| file.set_modified(long_ago));
            set.expect("it is ours");
        }
        let swept = engine.workspace.state().remove("swept", "last");
        swept.expect("it can be removed");
        let swept = log::sweep_now_and_then(engine.workspace.state(), &engine.gc_budget);
        swept.expect("nothing prevents it");
        assert_eq!(temporary(), [""; 0], "{what}");
    }
}

fn utf8(path: &std::path::Path) -> Utf8PathBuf {
    let path = path.canonicalize().expect("it is there");
    Utf8PathBuf::from_path_buf(path).expect("temporary folders are UTF-8")
}

fn name(file: usize) -> String {
    format!("{file}.txt")
}

fn names(folder: &Utf8Path) -> Vec<String> {
    let Ok(entries) = folder.read_dir_utf8() else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.expect("it is there").file_name().to_string());
    names.collect()
}

fn engine(root: &Utf8Path, state: &Utf8Path) -> Engine {
    Engine::open(&[root.to_owned()], Some(state)).expect("they can be opened")
}

fn edit(engine: &Engine, files: usize, apply: bool) -> EditResult {
    let edits = (0..files).map(|file| {
        json!({
            "op": "replace",
            "file_path": name(file),
            "selector": {"anchor_text": "the old line", "ancestor_node_type": "line"},
            "new_content": format!("the new line of {file}"),
        })
    });
    let arguments = json!({"edits": edits.collect::<Vec<_>>(), "apply": apply});
    let request = read::<EditNodes>(arguments).expect("it is a request");
    engine.edit_nodes(&request)
}

fn work(engine: &Engine, files: usize, work: Work, edit_id: &str) -> EditResult {
    let edit_id = edit_id.to_string();
    match work {
        Work::AtOnce => edit(engine, files, true),
        Work::Apply | Work::Rebase => engine.apply_edit(&ApplyEdit::new(edit_id)),
        Work::Undo | Work::UndoAlone => engine.undo_edit(&UndoEdit::new(edit_id)),
    }
}

/// Returns the steps at which a work is tried: every second one, or every sixth if it `has_several_files`, with other
/// steps for each file; all with `TREEGRAFT_TEST_FULL=1`.
fn tried(has_several_files: bool, steps: &[Step]) -> impl Iterator<Item = (usize, Step)> {
    let is_full = std::env::var_os("TREEGRAFT_TEST_FULL").is_some_and(|value| value == "1");
    let (every, row) = if has_several_files { (6, 7) } else { (2, 9) };
    let all = steps.iter().copied().enumerate();
    all.filter(move |(at, _)| is_full || (at + at / row) % every == 0)
}

fn rounds() -> usize {
    let rounds = std::env::var("TREEGRAFT_CRASH_ROUNDS");
    rounds.map_or(1, |rounds| rounds.parse().expect("it is a number"))
}

/// Returns the number of lines of a file. Each run has different sizes, from a few bytes to about ten thousand.
fn lines(round: usize) -> usize {
    match round % 4 {
        0 => round,
        1 => 20 * (round + 1),
        2 => 3 + round * 7,
        _ => 400 + 60 * round,
    }
}

const CRASH: &str = "TREEGRAFT_TEST_CRASH";
const NOT_STOPPED: &str = "there was no such step";

/// The process that is stopped. The test that starts it determines its work and the step at which it stops. Without
/// such a test, it does the whole work.
#[test]
fn the_writer_that_is_stopped() {
    let Ok(arguments) = std::env::var(CRASH) else {
        let bench = CrashBench::new(1, 1);
        bench.edit(&bench.engine(), true).expect("nothing stops it");
        assert_eq!(bench.held(Work::AtOnce, "alone"), Contents::New);
        return;
    };
    let arguments: Vec<&str> = arguments.split('\n').collect();
    let [root, state, files, kind, edit_id, at] = arguments.as_slice() else {
        panic!("it ran with {arguments:?}");
    };
    let (root, state) = (Utf8Path::new(root), Utf8Path::new(state));
    let files = files.parse().expect("it is a number");
    let at = at.parse().expect("it is a number");
    let kind = ALL.into_iter().find(|one| format!("{one:?}") == *kind);
    counted(Some((at, Fault::Stop)), || match kind {
        Some(kind) => drop(work(&engine(root, state), files, kind, edit_id)),
        // Only the work of every process at startup.
        None => drop(engine(root, state)),
    });
    panic!("{NOT_STOPPED}");
}

/// Starts a process that is stopped at a step of its work, or of its startup alone. Returns false if it has no such
/// step.
fn stop_at(bench: &CrashBench, kind: Option<Work>, edit_id: &str, at: usize) -> bool {
    let kind = kind.map_or(String::new(), |kind| format!("{kind:?}"));
    let (root, state) = (bench.root(), bench.state());
    let (files, at) = (bench.files.to_string(), at.to_string());
    let arguments = [root.as_str(), state.as_str(), &files, &kind, edit_id, &at].join("\n");
    is_stopped("engine::crashes::the_writer_that_is_stopped", &arguments)
}

/// Runs a test in a process of its own. Returns whether that was stopped; it fails if it had no step to stop at.
fn is_stopped(test: &str, arguments: &str) -> bool {
    let program = std::env::current_exe().expect("the tests are a program");
    let output = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(CRASH, arguments)
        .output()
        .expect("it can be started");
    // A process stopped by a signal has no exit code.
    let is_stopped = output.status.code().is_none();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(is_stopped || stderr.contains(NOT_STOPPED), "{stderr}");
    is_stopped
}

#[test]
fn a_process_that_stops_at_any_step_leaves_all_files_old_or_all_new() {
    let mut table =
        String::from("files  work       steps  stopped  also at restart  all old  all new\n");
    for files in [1, 5] {
        for kind in ALL {
            let (mut most, mut stopped, mut again, mut old, mut new) = (0, 0, 0, 0, 0);
            for round in 0..rounds() {
                let lines = lines(round);
                let (bench, edit_id) = CrashBench::prepared(files, lines, kind);
                let (done, steps) = counted(None, || work(&bench.engine(), files, kind, &edit_id));
                done.expect("nothing stops it");
                let wanted = bench.held(kind, "without a stop");
                assert_eq!(wanted == Contents::Old, kind.is_undo());
                most = most.max(steps.len());
                for (at, step) in tried(files > 1, &steps) {
                    let what =
                        format!("{kind:?}, {files} files, {lines} lines, step {at} {step:?}");
                    let (bench, edit_id) = CrashBench::prepared(files, lines, kind);
                    assert!(stop_at(&bench, Some(kind), &edit_id, at), "{what}");
                    stopped += 1;
                    // After every third stop, a second process is stopped while it settles the unfinished writes.
                    if stopped % 3 == 0 {
                        again += usize::from(stop_at(&bench, None, "", (at * 7 + round) % 60));
                    }
                    match bench.check_after_restart(kind, &edit_id, &what) {
                        Contents::Old => old += 1,
                        Contents::New => new += 1,
                    }
                }
            }
            assert!(old > 0 && new > 0, "{kind:?} {files}: {old} old, {new} new");
            eprintln!("{kind:?} of {files}: stopped {stopped} times");
            let kind = format!("{kind:?}");
            table.push_str(&format!(
                "{files:5}  {kind:9}  {most:5}  {stopped:7}  {again:15}  {old:7}  {new:7}\n"
            ));
        }
    }
    eprintln!("{} rounds\n{table}", rounds());
}

#[test]
fn what_somebody_else_wrote_meanwhile_stays_and_the_rest_agrees() {
    const FOREIGN: &str = "somebody else was here\n";
    let files = 5;
    let (bench, _) = CrashBench::prepared(files, 3, Work::AtOnce);
    let (done, steps) = counted(None, || work(&bench.engine(), files, Work::AtOnce, ""));
    done.expect("nothing stops it");
    let (mut old, mut new) = (0, 0);
    for (at, step) in steps.iter().enumerate() {
        let what = format!("step {at} {step:?}");
        let (mut bench, _) = CrashBench::prepared(files, 3, Work::AtOnce);
        assert!(stop_at(&bench, Some(Work::AtOnce), "", at), "{what}");
        // The file that would have been replaced last.
        let last = bench.root().join(name(files - 1));
        std::fs::write(&last, FOREIGN).expect("it can be written");
        bench.engine();
        let found = std::fs::read_to_string(&last).expect("it is there");
        assert_eq!(found, FOREIGN, "{what}");
        std::fs::remove_file(&last).expect("it is there");
        bench.files = files - 1;
        match bench.held(Work::AtOnce, &what) {
            Contents::Old => old += 1,
            Contents::New => new += 1,
        }
    }
    assert!(old > 0 && new > 0);
    eprintln!(
        "{} stops with a foreign change after it: {old} times all others old, {new} times new",
        old + new
    );
}

#[test]
fn a_system_that_refuses_any_step_is_said_and_nothing_is_lost() {
    let kinds = [
        ErrorKind::StorageFull,
        ErrorKind::PermissionDenied,
        ErrorKind::Other,
    ];
    let mut table = String::from("files  work       refused steps  edits refused  edits made\n");
    for files in [1, 5] {
        for kind in ALL {
            let (mut steps_taken, mut refused, mut made) = (0, 0, 0);
            let (bench, edit_id) = CrashBench::prepared(files, 40, kind);
            let engine = bench.engine();
            let (done, steps) = counted(None, || work(&engine, files, kind, &edit_id));
            done.expect("nothing refuses it");
            for (at, step) in tried(files > 1, &steps) {
                for round in 0..rounds() {
                    let error = kinds[(steps_taken + round) % kinds.len()];
                    let what = format!("{kind:?}, {files} files, step {at} {step:?}: {error}");
                    let (bench, edit_id) = CrashBench::prepared(files, 40, kind);
                    let engine = bench.engine();
                    let fault = Some((at, Fault::Fail(error)));
                    let (answer, _) = counted(fault, || work(&engine, files, kind, &edit_id));
                    steps_taken += 1;
                    let held = bench.held(kind, &what);
                    let is_new = held == Contents::New;
                    match answer {
                        Ok(_) => {
                            made += 1;
                            assert_eq!(is_new, !kind.is_undo(), "{what}");
                        }
                        Err(refusal) => {
                            refused += 1;
                            assert_eq!(is_new, kind.is_undo(), "{what}: {}", refusal.text());
                            assert!(!refusal.message().is_empty());
                        }
                    }
                    bench.check_after_restart(kind, &edit_id, &what);
                }
            }
            assert!(refused > 0 && made > 0, "{kind:?} {files}");
            let kind = format!("{kind:?}");
            table.push_str(&format!(
                "{files:5}  {kind:9}  {steps_taken:13}  {refused:13}  {made:10}\n"
            ));
        }
    }
    eprintln!("{table}");
}

#[test]
fn a_process_that_may_not_write_takes_no_locks_from_the_one_that_settles() {
    let files = 2;
    let (bench, _) = CrashBench::prepared(files, 3, Work::AtOnce);
    let (_, steps) = counted(None, || work(&bench.engine(), files, Work::AtOnce, ""));
    // The last step at which the record of the change still exists.
    let interrupted = (0..steps.len()).rev().find_map(|at| {
        let (bench, _) = CrashBench::prepared(files, 3, Work::AtOnce);
        assert!(stop_at(&bench, Some(Work::AtOnce), "", at));
        let journal = names(&bench.state().join("journal"));
        let is_recorded = journal.iter().any(|name| name.ends_with(".json"));
        is_recorded.then_some(bench)
    });
    let bench = interrupted.expect("every change is recorded");
    let caller = Caller::Agent { stage_only: true };
    let agent = Engine::open_for(caller, &[bench.root()], Some(&bench.state()));
    let agent = agent.expect("it can be opened");
    let paths: Vec<_> = (0..files)
        .map(|file| agent.workspace.place(&name(file)).expect("it is there"))
        .collect();
    let locked = agent.workspace.try_lock_all(&paths).expect("it can be");
    let locked = locked.expect("nobody else has locked them");
    // It gives its reason although it could not get the locks: it does not try to.
    let notes = agent.settle();
    assert_eq!(
        notes,
        [
            "another change is being written or was interrupted, and this server only stages edits: if it was \
          interrupted, the user completes or reverts it with `treegraft list`"
        ]
    );
    drop(locked);
    bench.check_after_restart(Work::AtOnce, "", "after the agent");
}
