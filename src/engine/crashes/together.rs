//! The same for several edits that are accepted or undone together, one of them in part: all files are old or all new, the
//! edits have the status that the files say, and what is left out is still staged.

use std::io::ErrorKind;

use camino::Utf8PathBuf;
use serde_json::json;

use super::super::core::Engine;
use super::super::request::{EditNodes, read};
use super::super::response::EditStatus;
use super::super::review::{ChosenEdit, EditPart};
use super::super::selected::EditFilter;
use super::{CRASH, NOT_STOPPED, engine, is_stopped, rounds, tried, utf8};
use crate::workspace::steps::{Fault, counted};

const OLD: [(&str, &str); 3] = [
    ("a.txt", "one\n\ntwo\n\nthree\n"),
    ("b.txt", "one\n"),
    ("c.txt", "one\n"),
];
const NEW: [(&str, &str); 3] = [
    ("a.txt", "1\n\n2\n\nthree\n"),
    ("b.txt", "1\n"),
    ("c.txt", "one\n"),
];

/// What another program adds to the first file before the edits are undone.
const SINCE: &str = "\nfour\n";

struct TogetherBench {
    folder: tempfile::TempDir,
    /// The edits: of `a.txt` and `b.txt`, of `a.txt`, and of `a.txt` and `c.txt`, of which the last file is left out.
    edit_ids: Vec<String>,
}

impl TogetherBench {
    fn prepared(is_undo: bool) -> TogetherBench {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut bench = TogetherBench {
            folder,
            edit_ids: Vec::new(),
        };
        std::fs::create_dir(bench.root()).expect("it can be made");
        for (name, text) in OLD {
            std::fs::write(bench.root().join(name), text).expect("it can be written");
        }
        let engine = bench.engine();
        let edits: [&[(&str, &str, &str)]; 2] = [
            &[("a.txt", "one", "1"), ("b.txt", "one", "1")],
            &[("a.txt", "two", "2"), ("c.txt", "one", "1")],
        ];
        for edits in edits {
            let edits = edits.iter().map(|(name, find, new_content)| {
                json!({"op": "replace_text", "file_path": name, "find": find, "new_content": new_content})
            });
            let request = json!({"edits": edits.collect::<Vec<_>>()});
            let request = read::<EditNodes>(request).expect("it is a request");
            let made = engine.edit_nodes(&request).expect("it fits");
            bench.edit_ids.push(made.edit_id);
        }
        if is_undo {
            let accepted = engine.accept_edits(&bench.chosen()).expect("they fit");
            bench.edit_ids = accepted.edits.into_iter().map(|one| one.edit_id).collect();
            // Another program changes a file since, so that the records of its edits change when they are undone.
            let (name, text) = NEW[0];
            let text = format!("{text}{SINCE}");
            std::fs::write(bench.root().join(name), text).expect("it can be written");
        }
        bench
    }

    fn root(&self) -> Utf8PathBuf {
        utf8(self.folder.path()).join("root")
    }

    fn engine(&self) -> Engine {
        engine(&self.root(), &utf8(self.folder.path()).join("state"))
    }

    fn chosen(&self) -> Vec<ChosenEdit> {
        chosen(&self.edit_ids)
    }

    /// Returns whether the files are new. A new process finds edits with the right status.
    fn is_new(&self, is_undo: bool, what: &str) -> bool {
        let engine = self.engine();
        for _ in 0..100 {
            let left = crate::apply::journal::left(engine.workspace.state());
            if left.expect("it can be read") == 0 {
                break;
            }
            // A process started by another test holds our locks for the moment between fork and exec.
            std::thread::sleep(std::time::Duration::from_millis(10));
            assert_eq!(engine.settle(), [""; 0], "{what}");
        }
        let texts = self.texts(what);
        let is_new = texts == NEW.map(of_strings);
        assert!(is_new || texts == OLD.map(of_strings), "{what}: {texts:?}");
        let list = engine.find_edits(&EditFilter::default());
        let list = list.unwrap_or_else(|refusal| panic!("{what}: {}", refusal.text()));
        assert!(list.unreadable.is_empty(), "{what}: {:?}", list.unreadable);
        let with = |status| {
            let edits = list.edits.iter().filter(move |one| one.status == status);
            edits.map(|one| one.file_path.as_str()).collect::<Vec<_>>()
        };
        let (staged, applied) = (with(EditStatus::Previewed), with(EditStatus::Applied));
        match (is_new, is_undo) {
            (true, _) => assert_eq!(applied.len(), 2, "{what}: {applied:?}"),
            (false, _) => assert!(applied.is_empty(), "{what}: {applied:?}"),
        }
        // What is left out is a part of the whole edit, or an edit of its own.
        let is_left = staged.iter().any(|file| file.ends_with("c.txt"));
        assert!(is_left, "{what}: {staged:?}");
        if is_undo {
            self.goes_on(&engine, is_new, what);
        }
        is_new
    }

    /// Undoes the edits that are applied, and accepts both again.
    fn goes_on(&self, engine: &Engine, is_applied: bool, what: &str) {
        if is_applied {
            let undone = engine.undo_edits(&self.edit_ids);
            undone.unwrap_or_else(|refused| panic!("{what}: {refused}"));
        }
        assert_eq!(self.texts(what), OLD.map(of_strings), "{what}");
        let whole = self
            .edit_ids
            .iter()
            .map(|one| ChosenEdit::whole(one.as_str()));
        let accepted = engine.accept_edits(&whole.collect::<Vec<_>>());
        accepted.unwrap_or_else(|refused| panic!("{what}: {refused}"));
        assert_eq!(self.texts(what), NEW.map(of_strings), "{what}");
    }

    /// Returns the texts of the files, without what another program added.
    fn texts(&self, what: &str) -> [(String, String); 3] {
        OLD.map(|(name, _)| {
            let text = std::fs::read_to_string(self.root().join(name));
            let text = text.unwrap_or_else(|error| panic!("{what}: {error}"));
            let own = text.strip_suffix(SINCE).unwrap_or(&text);
            (name.to_string(), own.to_string())
        })
    }
}

fn of_strings((name, text): (&str, &str)) -> (String, String) {
    (name.to_string(), text.to_string())
}

fn chosen(edit_ids: &[String]) -> Vec<ChosenEdit> {
    let whole = ChosenEdit::whole(edit_ids[0].as_str());
    let part = ChosenEdit::whole(edit_ids[1].as_str()).without([EditPart::new(1, None)]);
    vec![whole, part]
}

fn work(engine: &Engine, edit_ids: &[String], is_undo: bool) -> Result<(), String> {
    let done = match is_undo {
        true => engine.undo_edits(edit_ids).map(drop),
        false => engine.accept_edits(&chosen(edit_ids)).map(drop),
    };
    done.map_err(|refused| refused.to_string())
}

/// The process that is stopped.
#[test]
fn the_writer_of_several_edits_that_is_stopped() {
    let Ok(arguments) = std::env::var(CRASH) else {
        return;
    };
    let arguments: Vec<&str> = arguments.split('\n').collect();
    let [root, state, kind, one, other, at] = arguments.as_slice() else {
        panic!("it ran with {arguments:?}");
    };
    let edit_ids = [one.to_string(), other.to_string()];
    let at = at.parse().expect("it is a number");
    counted(Some((at, Fault::Stop)), || {
        drop(work(
            &engine((*root).into(), (*state).into()),
            &edit_ids,
            *kind == "undo",
        ))
    });
    panic!("{NOT_STOPPED}");
}

#[test]
fn several_edits_are_written_or_undone_all_or_none() {
    for is_undo in [false, true] {
        let bench = TogetherBench::prepared(is_undo);
        let engine = bench.engine();
        let (done, steps) = counted(None, || work(&engine, &bench.edit_ids, is_undo));
        done.expect("nothing stops it");
        assert_eq!(bench.is_new(is_undo, "without a stop"), !is_undo);
        let (mut old, mut new, mut refused) = (0, 0, 0);
        for (at, step) in tried(false, &steps) {
            let what = format!("undo: {is_undo}, step {at} {step:?}");
            let bench = TogetherBench::prepared(is_undo);
            let engine = bench.engine();
            let fault = Some((at, Fault::Fail(ErrorKind::StorageFull)));
            let (done, _) = counted(fault, || work(&engine, &bench.edit_ids, is_undo));
            drop(engine);
            refused += usize::from(done.is_err());
            assert_eq!(
                bench.is_new(is_undo, &what),
                done.is_ok() != is_undo,
                "{what}: {done:?}"
            );

            if at % 3 != 0 && rounds() == 1 {
                continue;
            }
            let bench = TogetherBench::prepared(is_undo);
            let (root, state) = (bench.root(), utf8(bench.folder.path()).join("state"));
            let kind = if is_undo { "undo" } else { "accept" };
            let at = at.to_string();
            let ids = bench.edit_ids.join("\n");
            let arguments = [root.as_str(), state.as_str(), kind, &ids, &at].join("\n");
            let test = "engine::crashes::together::the_writer_of_several_edits_that_is_stopped";
            // A process has more steps before its work: those of its startup.
            is_stopped(test, &arguments);
            match bench.is_new(is_undo, &what) {
                true => new += 1,
                false => old += 1,
            }
        }
        assert!(
            old > 0 && new > 0 && refused > 0,
            "{old} old, {new} new, {refused} refused"
        );
    }
}
