//! The same for files that are created, deleted and moved: the folder is as before or as after, with all modes and
//! directories, and nothing that another process has put there is lost.

use std::collections::BTreeMap;
use std::io::ErrorKind;

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::json;

use super::super::core::Engine;
use super::super::request::{ApplyEdit, EditNodes, ListEdits, UndoEdit, read};
use super::super::response::EditStatus;
use super::{CRASH, EditResult, NOT_STOPPED, engine, is_stopped, names, tried, utf8};
use crate::workspace::steps::{Fault, counted};

/// The work of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    AtOnce,
    Apply,
    Undo,
}

const ALL: [Work; 3] = [Work::AtOnce, Work::Apply, Work::Undo];

/// The edits of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edits {
    Create,
    Delete,
    Move,
    All,
}

const EDITS: [Edits; 4] = [Edits::Create, Edits::Delete, Edits::Move, Edits::All];

impl Edits {
    fn request(self, apply: bool) -> EditNodes {
        let create =
            json!({"op": "create_file", "file_path": "new/deep/a.txt", "new_content": "created\n"});
        let delete = json!({"op": "delete_file", "file_path": "gone.txt"});
        let moved = json!({"op": "move_file", "file_path": "from.txt", "to": "new/to.txt"});
        let edits = match self {
            Edits::Create => vec![create],
            Edits::Delete => vec![delete],
            Edits::Move => vec![moved],
            Edits::All => vec![
                create,
                json!({
                    "op": "replace",
                    "file_path": "kept.txt",
                    "selector": {"anchor_text": "the old line", "ancestor_node_type": "line"},
                    "new_content": "the new line",
                }),
                delete,
                moved,
                json!({"op": "create_file", "file_path": "empty.txt", "new_content": ""}),
            ],
        };
        let arguments = json!({"edits": edits, "apply": apply});
        read::<EditNodes>(arguments).expect("it is a request")
    }
}

/// What a folder contains: the mode and the text of each file, and nothing for a directory.
type Tree = BTreeMap<String, Option<(u32, String)>>;

struct FilesBench {
    folder: tempfile::TempDir,
    edits: Edits,
}

impl FilesBench {
    /// Returns a bench, and the id of the edit to apply or undo.
    fn prepared(edits: Edits, work: Work) -> (FilesBench, String) {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let bench = FilesBench { folder, edits };
        std::fs::create_dir(bench.root()).expect("it can be made");
        for (name, text, mode) in [
            ("gone.txt", "to be deleted\n", 0o640),
            ("from.txt", "to be moved\n", 0o750),
            ("kept.txt", "a line\nthe old line\n", 0o644),
        ] {
            let path = bench.root().join(name);
            std::fs::write(&path, text).expect("it can be written");
            set_mode(&path, mode);
        }
        let edit_id = match work {
            Work::AtOnce => String::new(),
            Work::Apply | Work::Undo => {
                let made = bench
                    .engine()
                    .edit_nodes(&edits.request(work == Work::Undo));
                made.expect("nothing prevents it").edit_id
            }
        };
        bench.date_files();
        (bench, edit_id)
    }

    /// Sets the modification times of the files: of some, a later change is certain to change the time, of others it is
    /// not. The steps differ between the two, and do not depend on the speed of the machine.
    fn date_files(&self) {
        let (hour, now) = (
            std::time::Duration::from_secs(3_600),
            std::time::SystemTime::now(),
        );
        let files = self.tree().into_iter().filter(|(_, file)| file.is_some());
        for (at, (name, _)) in files.enumerate() {
            let time = match at % 2 {
                0 => now - hour,
                _ => now + hour,
            };
            let opened = std::fs::File::options()
                .write(true)
                .open(self.root().join(name));
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

    fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        let mut open = vec![self.root()];
        while let Some(folder) = open.pop() {
            for name in names(&folder) {
                let path = folder.join(name);
                let shown = path.strip_prefix(self.root()).expect("it is below it");
                let shown = shown.to_string();
                if path.is_dir() {
                    tree.insert(shown, None);
                    open.push(path);
                } else {
                    let text = std::fs::read_to_string(&path).expect("it is text");
                    tree.insert(shown, Some((mode(&path), text)));
                }
            }
        }
        tree
    }

    /// Settles what dead processes have left.
    fn settled(&self, what: &str) -> Engine {
        let engine = self.engine();
        let is_settled = || {
            let journal = names(&self.state().join("journal"));
            !journal.iter().any(|name| name.ends_with(".json"))
        };
        // A process started by another test holds our locks for the moment between fork and exec.
        for _ in 0..100 {
            if is_settled() {
                return engine;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
            assert_eq!(engine.settle(), [""; 0], "{what}");
        }
        panic!("{what}: it cannot be settled");
    }

    /// Checks that the folder is as before or as after, that the edit says so, and that it can be applied or undone.
    /// Returns whether it is as after.
    fn check(&self, trees: &Trees, work: Work, edit_id: &str, what: &str) -> bool {
        let engine = self.settled(what);
        let held = self.tree();
        assert!(held == trees.old || held == trees.new, "{what}: {held:#?}");
        let is_new = held == trees.new;
        let list = engine.list_edits(&ListEdits::default());
        let list = list.unwrap_or_else(|refusal| panic!("{what}: {}", refusal.text()));
        assert!(list.unreadable.is_empty(), "{what}: {:?}", list.unreadable);
        let mut edits = list.edits.iter();
        let known = edits.find(|one| work == Work::AtOnce || one.edit_id == edit_id);
        let Some(known) = known else {
            assert!(!is_new && work == Work::AtOnce, "{what}: it is not known");
            return is_new;
        };
        let other = match (is_new, known.status) {
            (true, EditStatus::Applied) => engine.undo_edit(&UndoEdit::new(known.edit_id.clone())),
            (false, EditStatus::Previewed | EditStatus::Undone) => {
                engine.apply_edit(&ApplyEdit::new(known.edit_id.clone()))
            }
            (false, EditStatus::Refused) if work == Work::AtOnce => return is_new,
            (_, status) => panic!("{what}: {status:?}, is new: {is_new}"),
        };
        other.unwrap_or_else(|refusal| panic!("{what}: {}", refusal.text()));
        let wanted = if is_new { &trees.old } else { &trees.new };
        assert_eq!(self.tree(), *wanted, "{what}");
        is_new
    }
}

/// The folder before and after the edit.
struct Trees {
    old: Tree,
    new: Tree,
}

impl Trees {
    fn for_edits(edits: Edits) -> Trees {
        let (bench, _) = FilesBench::prepared(edits, Work::AtOnce);
        let old = bench.tree();
        let made = work(&bench.engine(), edits, Work::AtOnce, "");
        made.expect("nothing prevents it");
        let new = bench.tree();
        assert_ne!(old, new);
        Trees { old, new }
    }
}

#[cfg(unix)]
fn set_mode(path: &Utf8Path, mode: u32) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, mode).expect("it is ours");
}

#[cfg(unix)]
fn mode(path: &Utf8Path) -> u32 {
    let metadata = path.metadata().expect("it is there");
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777
}

#[cfg(not(unix))]
fn set_mode(_: &Utf8Path, _: u32) {}

#[cfg(not(unix))]
fn mode(_: &Utf8Path) -> u32 {
    0
}

fn work(engine: &Engine, edits: Edits, work: Work, edit_id: &str) -> EditResult {
    let edit_id = edit_id.to_string();
    match work {
        Work::AtOnce => engine.edit_nodes(&edits.request(true)),
        Work::Apply => engine.apply_edit(&ApplyEdit::new(edit_id)),
        Work::Undo => engine.undo_edit(&UndoEdit::new(edit_id)),
    }
}

/// The process that is stopped at a step. The test that starts it determines its work.
#[test]
fn the_writer_that_is_stopped() {
    let Ok(arguments) = std::env::var(CRASH) else {
        return;
    };
    let arguments: Vec<&str> = arguments.split('\n').collect();
    let [root, state, edits, kind, edit_id, at] = arguments.as_slice() else {
        panic!("it ran with {arguments:?}");
    };
    let (root, state) = (Utf8Path::new(root), Utf8Path::new(state));
    let at = at.parse().expect("it is a number");
    let edits = EDITS.into_iter().find(|one| format!("{one:?}") == *edits);
    let edits = edits.expect("they are known");
    let kind = ALL.into_iter().find(|one| format!("{one:?}") == *kind);
    counted(Some((at, Fault::Stop)), || match kind {
        Some(kind) => drop(work(&engine(root, state), edits, kind, edit_id)),
        // Only the work of every process at startup.
        None => drop(engine(root, state)),
    });
    panic!("{NOT_STOPPED}");
}

fn stop_at(bench: &FilesBench, kind: Option<Work>, edit_id: &str, at: usize) -> bool {
    let kind = kind.map_or(String::new(), |kind| format!("{kind:?}"));
    let (root, state) = (bench.root(), bench.state());
    let (edits, at) = (format!("{:?}", bench.edits), at.to_string());
    let arguments = [root.as_str(), state.as_str(), &edits, &kind, edit_id, &at].join("\n");
    is_stopped(
        "engine::crashes::whole_files::the_writer_that_is_stopped",
        &arguments,
    )
}

#[test]
fn a_process_that_stops_at_any_step_leaves_the_folder_as_before_or_as_after() {
    for edits in EDITS {
        let trees = Trees::for_edits(edits);
        for kind in ALL {
            let (bench, edit_id) = FilesBench::prepared(edits, kind);
            let (done, steps) = counted(None, || work(&bench.engine(), edits, kind, &edit_id));
            done.expect("nothing stops it");
            let (mut old, mut new) = (0, 0);
            for (at, step) in tried(edits == Edits::All, &steps) {
                let what = format!("{edits:?}, {kind:?}, step {at} {step:?}");
                let (bench, edit_id) = FilesBench::prepared(edits, kind);
                assert!(stop_at(&bench, Some(kind), &edit_id, at), "{what}");
                // After every third stop, a second process is stopped while it settles the unfinished writes.
                if at % 3 == 0 {
                    stop_at(&bench, None, "", (at * 7) % 60);
                }
                match bench.check(&trees, kind, &edit_id, &what) {
                    true => new += 1,
                    false => old += 1,
                }
            }
            assert!(
                old > 0 && new > 0,
                "{edits:?} {kind:?}: {old} old, {new} new"
            );
            eprintln!("{edits:?} {kind:?}: {old} times old, {new} times new");
        }
    }
}

#[test]
fn a_system_that_refuses_any_step_is_said_and_the_folder_agrees() {
    let kinds = [
        ErrorKind::StorageFull,
        ErrorKind::PermissionDenied,
        ErrorKind::Other,
    ];
    for edits in EDITS {
        let trees = Trees::for_edits(edits);
        for kind in ALL {
            let (bench, edit_id) = FilesBench::prepared(edits, kind);
            let engine = bench.engine();
            let (done, steps) = counted(None, || work(&engine, edits, kind, &edit_id));
            done.expect("nothing refuses it");
            let (mut refused, mut made) = (0, 0);
            for (at, step) in tried(edits == Edits::All, &steps) {
                let error = kinds[at % kinds.len()];
                let what = format!("{edits:?}, {kind:?}, step {at} {step:?}: {error}");
                let (bench, edit_id) = FilesBench::prepared(edits, kind);
                let engine = bench.engine();
                let fault = Some((at, Fault::Fail(error)));
                let (answer, _) = counted(fault, || work(&engine, edits, kind, &edit_id));
                let held = bench.tree();
                let is_made = match answer {
                    Ok(_) => {
                        made += 1;
                        true
                    }
                    Err(_) => {
                        refused += 1;
                        false
                    }
                };
                let is_new = is_made != (kind == Work::Undo);
                let wanted = if is_new { &trees.new } else { &trees.old };
                assert_eq!(without_empty(&held), without_empty(wanted), "{what}");
                bench.check_after_fault(&trees, kind, &edit_id, &what);
            }
            assert!(refused > 0 && made > 0, "{edits:?} {kind:?}");
            eprintln!("{edits:?} {kind:?}: {refused} refused, {made} made");
        }
    }
}

/// Leaves out the directories without files. If the system refuses to remove an empty directory, it stays.
fn without_empty(tree: &Tree) -> Tree {
    let has_files = |folder: &str| {
        let mut below = tree
            .iter()
            .filter(|(name, _)| Utf8Path::new(name).starts_with(folder));
        below.any(|(_, file)| file.is_some())
    };
    let kept = tree.iter().filter(|(name, _)| has_files(name));
    kept.map(|(name, file)| (name.clone(), file.clone()))
        .collect()
}

impl FilesBench {
    /// Does the same as [`FilesBench::check`], after a step that the system refused.
    fn check_after_fault(&self, trees: &Trees, work: Work, edit_id: &str, what: &str) {
        let mut folders = vec!["new/deep", "new"];
        if without_empty(&self.tree()) == trees.old {
            folders.retain(|folder| std::fs::remove_dir(self.root().join(folder)).is_ok());
        }
        self.check(trees, work, edit_id, what);
    }
}

#[test]
fn what_somebody_else_put_there_meanwhile_stays_and_the_rest_agrees() {
    const FOREIGN: &str = "somebody else was here\n";
    let edits = Edits::All;
    let trees = Trees::for_edits(edits);
    for kind in ALL {
        let (bench, edit_id) = FilesBench::prepared(edits, kind);
        let (done, steps) = counted(None, || work(&bench.engine(), edits, kind, &edit_id));
        done.expect("nothing stops it");
        let names = [
            "new/deep/a.txt",
            "gone.txt",
            "from.txt",
            "new/to.txt",
            "kept.txt",
            "empty.txt",
        ];
        let (mut old, mut new) = (0, 0);
        for (at, step) in tried(true, &steps) {
            let name = names[at % names.len()];
            let what = format!("{kind:?}, {name}, step {at} {step:?}");
            let (bench, edit_id) = FilesBench::prepared(edits, kind);
            assert!(stop_at(&bench, Some(kind), &edit_id, at), "{what}");
            let path = bench.root().join(name);
            let folder = path.parent().expect("it is in a folder");
            std::fs::create_dir_all(folder).expect("it can be made");
            // As editors do, so that it is another file.
            let other = bench.state().join("foreign");
            std::fs::write(&other, FOREIGN).expect("it can be written");
            std::fs::rename(&other, &path).expect("it can be renamed");
            bench.settled(&what);
            let found = std::fs::read_to_string(&path);
            assert_eq!(found.expect("it is there"), FOREIGN, "{what}");
            let rest = |tree: &Tree| {
                let mut rest = tree.clone();
                rest.remove(name);
                rest.retain(|_, file| file.is_some());
                rest
            };
            match rest(&bench.tree()) {
                held if held == rest(&trees.old) => old += 1,
                held if held == rest(&trees.new) => new += 1,
                held => panic!("{what}: {held:#?}"),
            }
        }
        assert!(old > 0 && new > 0, "{kind:?}: {old} old, {new} new");
        eprintln!("{kind:?} with a foreign change: {old} times old, {new} times new");
    }
}
