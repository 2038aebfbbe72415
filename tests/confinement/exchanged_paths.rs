//! Paths that are exchanged between check and use: links, pipes and folders replace a path while it
//! is read and written, and between a preview and its application.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::fixture::{Fixture, Is, SECRET, Watch};
use super::front_ends::{FrontEnd, FrontEnds, Said, by_library, in_time, replacing, selector};
use super::{Drawn, LIMIT, NOTHING};

const ONE: &str = "fn open() { one() }";
const TWO: &str = "fn open() { two() }";
const HIDDEN: &str = "fn open() { secret_7f3a() }\n";

/// The number of times a path is read, and written, while it is exchanged.
const ROUNDS: usize = 2_000;
/// The number of previews that are made and applied.
const PREVIEWS: usize = 400;

const LAYOUT: &[(&str, Is)] = &[
    ("root/turn.rs", Is::File(ONE)),
    ("root/turn/file.rs", Is::File(ONE)),
    ("root/.git/file.rs", Is::File(HIDDEN)),
    // The same bytes as the intended file, so that a digest does not distinguish them.
    ("outside/same/file.rs", Is::File(ONE)),
    ("outside/other/file.rs", Is::File(HIDDEN)),
];

/// A path that is exchanged, a file path through it, and its replacements.
struct Swap {
    /// The exchanged path, in the fixture.
    name: &'static str,
    /// The file path, in the workspace.
    path: &'static str,
    /// The replacements, each with the code of the refusal while it is in place.
    instead: &'static [(Is<'static>, &'static str)],
}

/// Exchanges the last component of a path.
const FILE: Swap = Swap {
    name: "root/turn.rs",
    path: "turn.rs",
    instead: &[
        (Is::Link("../outside/same/file.rs"), "outside_workspace"),
        (Is::Link("{base}/outside/same/file.rs"), "outside_workspace"),
        (Is::Link("../outside/other/file.rs"), "outside_workspace"),
        (
            Is::Link("{base}/outside/other/file.rs"),
            "outside_workspace",
        ),
        (Is::Link("/proc/self/fd/3"), "outside_workspace"),
        (Is::Link(".git/file.rs"), "outside_workspace"),
        (Is::Link("missing.rs"), "file_not_found"),
        (Is::Link("turn.rs"), "not_a_file"),
        (Is::Pipe, "not_a_file"),
        (Is::Socket, "not_a_file"),
        (Is::Folder, "not_a_file"),
    ],
};

/// Exchanges a folder in the middle of a path.
const FOLDER: Swap = Swap {
    name: "root/turn",
    path: "turn/file.rs",
    instead: &[
        (Is::Link("../outside/same"), "outside_workspace"),
        (Is::Link("{base}/outside/same"), "outside_workspace"),
        (Is::Link("../outside/other"), "outside_workspace"),
        (Is::Link("{base}/outside/other"), "outside_workspace"),
        (Is::Link(".git"), "outside_workspace"),
        (Is::Link("/proc/self/cwd"), "outside_workspace"),
        (Is::Link("missing"), "file_not_found"),
        (Is::Link("turn"), "not_a_file"),
        (Is::File(HIDDEN), "file_not_found"),
        (Is::Pipe, "file_not_found"),
        (Is::Folder, "file_not_found"),
    ],
};

impl Swap {
    /// Creates the replacements.
    fn prepare(&self, fixture: &Fixture) {
        for (number, (is, _)) in self.instead.iter().enumerate() {
            fixture.lay(&[(&waiting(number), *is)]);
        }
    }

    /// Exchanges the path repeatedly until `stop` is set, and leaves it as it began. A writer may
    /// have replaced the path while something other than the file was there: it must replace it,
    /// not follow it, and it is then created again. Returns the number of exchanges, and how often
    /// that happened.
    fn turn(&self, fixture: &Fixture, stop: &AtomicBool) -> (usize, usize) {
        let mut drawn = Drawn(0xf00d);
        let (mut turns, mut replaced) = (0, 0);
        while !stop.load(Ordering::Relaxed) {
            for (number, (is, _)) in self.instead.iter().enumerate() {
                let other = waiting(number);
                fixture.exchange(self.name, &other);
                pause(drawn.next(40));
                fixture.exchange(self.name, &other);
                pause(drawn.next(40));
                turns += 2;
                if !fixture.has(&other, *is) {
                    fixture.remove(&other);
                    fixture.lay(&[(&other, *is)]);
                    replaced += 1;
                }
            }
        }
        (turns, replaced)
    }
}

fn waiting(number: usize) -> String {
    format!("root/waiting-{number}")
}

fn pause(times: usize) {
    for _ in 0..times {
        std::thread::yield_now();
    }
}

/// The number of calls by outcome.
#[derive(Default)]
struct Outcomes(BTreeMap<String, usize>);

impl Outcomes {
    fn add(&mut self, done: &str, said: &Said) {
        assert!(!said.whole.contains(SECRET), "{}", said.whole);
        let outcome = match &said.code {
            None => done.to_string(),
            // Refusals of a path that changed between check and use.
            Some(code) if said.whole.contains("has become a link") => {
                format!("{code}, link just appeared")
            }
            Some(code) => code.clone(),
        };
        *self.0.entry(outcome).or_insert(0) += 1;
    }

    /// Returns whether calls met both the file and something outside; otherwise they show nothing.
    fn both_ways(&self, done: &str) -> bool {
        let led = |way: &str| self.0.keys().any(|outcome| outcome.starts_with(way));
        led(done) && led("outside_workspace")
    }
}

/// Stops the exchange when dropped, also if an assertion fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A function that makes a call.
type Say<'a> = &'a mut dyn FnMut(&str, Value) -> Said;

fn read_rounds(say: Say, path: &str, rounds: usize) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let reading = json!({"file_path": path, "selector": selector()});
    for round in 0.. {
        if round >= rounds && outcomes.both_ways("read") {
            break;
        }
        outcomes.add("read", &say("read_node", reading.clone()));
    }
    outcomes
}

fn write_rounds(say: Say, path: &str, rounds: usize) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let mut texts = [TWO, ONE];
    for round in 0.. {
        if round >= rounds && outcomes.both_ways("written") {
            break;
        }
        let said = say("replace_node", replacing(path, texts[0], true));
        // The file may already have this text.
        if [None, Some("no_change")].contains(&said.code.as_deref()) {
            texts.reverse();
        }
        outcomes.add("written", &said);
    }
    outcomes
}

/// Previews whenever the path resolves, and applies each preview.
fn staged_rounds(say: Say, path: &str, rounds: usize) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let mut texts = [TWO, ONE];
    let mut applied = 0;
    while applied < rounds || !outcomes.both_ways("applied") {
        let preview = say("replace_node", replacing(path, texts[0], false));
        assert!(!preview.whole.contains(SECRET), "{}", preview.whole);
        let Some(edit_id) = preview.json["edit_id"].as_str() else {
            // The file may already have this text.
            if preview.code.as_deref() == Some("no_change") {
                texts.reverse();
            }
            continue;
        };
        let said = say("apply_edit", json!({"edit_id": edit_id}));
        if said.code.is_none() {
            texts.reverse();
        }
        outcomes.add("applied", &said);
        applied += 1;
    }
    outcomes
}

/// Makes calls while paths are exchanged. Returns the number of exchanges and how often something
/// other than the file was replaced.
fn while_turning<T>(
    swap: &Swap,
    fixture: &Fixture,
    work: impl FnOnce() -> T,
) -> ((usize, usize), T) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let turning = scope.spawn(|| swap.turn(fixture, &stop));
        let until_here = Stop(&stop);
        let done = work();
        drop(until_here);
        (turning.join().expect("paths can be exchanged"), done)
    })
}

fn race(swap: &Swap) {
    let fixture = Fixture::new();
    fixture.lay(LAYOUT);
    let mut front_ends = FrontEnds::open(&fixture, "state");
    swap.prepare(&fixture);
    let before = ["outside", "root/.git"].map(|folder| fixture.inventory(folder, &[]));
    let laid_out = fixture.inventory("root", &[]);
    let watch = Watch::over(["outside", "root/.git"].map(|path| fixture.base().join(path)));
    watch.seen();

    let engine = &front_ends.engine;
    let mut by_library = |tool: &str, arguments: Value| by_library(engine, tool, &arguments);
    let mut again = by_library;
    let (both, (read, written)) = while_turning(swap, &fixture, || {
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| read_rounds(&mut by_library, swap.path, ROUNDS));
            let written = write_rounds(&mut again, swap.path, ROUNDS);
            (reader.join().expect("the reader is answered"), written)
        })
    });
    let (alone, staged) = while_turning(swap, &fixture, || {
        staged_rounds(&mut again, swap.path, PREVIEWS)
    });
    let mut by_server = |tool: &str, arguments: Value| {
        let said = front_ends.through(FrontEnd::Mcp, tool, &arguments);
        said.expect("the server takes every call")
    };
    let (served, by_server) = while_turning(swap, &fixture, || {
        [
            read_rounds(&mut by_server, swap.path, PREVIEWS),
            write_rounds(&mut by_server, swap.path, PREVIEWS),
            staged_rounds(&mut by_server, swap.path, PREVIEWS / 4),
        ]
    });

    assert_eq!(watch.seen(), NOTHING);
    let after = ["outside", "root/.git"].map(|folder| fixture.inventory(folder, &[]));
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.changes(after), NOTHING);
    }
    assert_eq!(fixture.inventory("root", &[]).names(), laid_out.names());
    let text = fixture.read(&format!("root/{}", swap.path));
    assert!([ONE, TWO].contains(&text.as_str()), "{text}");

    let runs = [both, alone, served];
    println!(
        "{} exchanged {} times while used: 0 opened outside, 0 changed, no file left over \
         ({} times a name was taken that was no file at that moment)",
        swap.name,
        runs.iter().map(|(turns, _)| turns).sum::<usize>(),
        runs.iter().map(|(_, replaced)| replaced).sum::<usize>(),
    );
    let [read_there, written_there, staged_there] = by_server;
    for (who, outcomes) in [
        ("library, reading", read),
        ("library, writing", written),
        ("library, applying", staged),
        ("MCP, reading", read_there),
        ("MCP, writing", written_there),
        ("MCP, applying", staged_there),
    ] {
        println!("  {who}: {:?}", outcomes.0);
    }
}

#[test]
fn a_file_replaced_by_an_equal_one_since_the_preview_is_not_written() {
    let fixture = Fixture::new();
    fixture.lay(LAYOUT);
    fixture.lay(&[
        ("root/twin.rs", Is::File(ONE)),
        ("root/waiting-0", Is::Link("twin.rs")),
    ]);
    let mut front_ends = FrontEnds::open(&fixture, "state");
    for front_end in FrontEnd::ALL {
        let arguments = replacing("turn.rs", TWO, false);
        let preview = by_library(&front_ends.engine, "replace_node", &arguments);
        let edit_id = preview.json["edit_id"]
            .as_str()
            .expect("the edit is previewed");
        fixture.exchange("root/turn.rs", "root/waiting-0");
        let said = front_ends.apply(front_end, edit_id);
        assert_eq!(said.code.as_deref(), Some("stale_edit"), "{}", said.whole);
        assert_eq!(fixture.read("root/twin.rs"), ONE);
        fixture.exchange("root/turn.rs", "root/waiting-0");
    }
}

#[test]
fn a_file_exchanged_during_calls_never_resolves_outside() {
    in_time(LIMIT, || race(&FILE));
}

#[test]
fn a_folder_exchanged_during_calls_never_resolves_outside() {
    in_time(LIMIT, || race(&FOLDER));
}

#[test]
fn a_path_exchanged_after_a_preview_is_not_written() {
    in_time(LIMIT, || {
        let mut refused = 0;
        for swap in [FILE, FOLDER] {
            let fixture = Fixture::new();
            fixture.lay(LAYOUT);
            let mut front_ends = FrontEnds::open(&fixture, "state");
            swap.prepare(&fixture);
            let file = format!("root/{}", swap.path);
            let before = ["outside", "root/.git"].map(|folder| fixture.inventory(folder, &[]));
            let watch = Watch::over(["outside", "root/.git"].map(|path| fixture.base().join(path)));
            watch.seen();
            for (number, (is, code)) in swap.instead.iter().enumerate() {
                for front_end in FrontEnd::ALL {
                    let arguments = replacing(swap.path, TWO, false);
                    let preview = by_library(&front_ends.engine, "replace_node", &arguments);
                    let edit_id = preview.json["edit_id"]
                        .as_str()
                        .expect("the edit is previewed");
                    fixture.exchange(swap.name, &waiting(number));
                    let said = front_ends.apply(front_end, edit_id);
                    let told = || format!("{} {is:?} by {front_end:?}: {}", swap.name, said.whole);
                    assert_eq!(said.code.as_deref(), Some(*code), "{}", told());
                    assert!(!said.whole.contains(SECRET), "{}", told());
                    assert!(fixture.has(swap.name, *is), "{}", told());
                    fixture.exchange(swap.name, &waiting(number));
                    assert_eq!(fixture.read(&file), ONE, "{}", told());
                    // The refused edit is still staged, and the file is back.
                    let said = front_ends.apply(front_end, edit_id);
                    assert_eq!(said.json["status"], "applied", "{}", said.whole);
                    assert_eq!(fixture.read(&file), TWO);
                    fixture.write(&file, ONE);
                    refused += 1;
                }
            }
            assert_eq!(watch.seen(), NOTHING);
            let after = ["outside", "root/.git"].map(|folder| fixture.inventory(folder, &[]));
            for (before, after) in before.iter().zip(&after) {
                assert_eq!(before.changes(after), NOTHING);
            }
        }
        println!(
            "exchanged after the preview: {refused} edits, each refused, and applied once the file was back"
        );
    });
}
