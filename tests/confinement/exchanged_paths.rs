//! Paths that are exchanged between check and use: links, pipes and folders replace a path while it
//! is read and written, and between a preview and its application.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::fixture::{Entry, Fixture, SECRET, Watch};
use super::front_ends::{
    FrontEnd, FrontEnds, Reply, by_library, replacing, selector, with_time_limit,
};
use super::{Drawn, LIMIT, NOTHING};
use crate::support::is_full;

const ONE: &str = "fn open() { one() }";
const TWO: &str = "fn open() { two() }";
const HIDDEN: &str = "fn open() { secret_7f3a() }\n";

/// Returns the number of times a path is read, and written, while it is exchanged, and the number of previews that are
/// made and applied.
fn rounds() -> (usize, usize) {
    if is_full() { (2_000, 400) } else { (400, 80) }
}

const LAYOUT: &[(&str, Entry)] = &[
    ("root/turn.rs", Entry::File(ONE)),
    ("root/turn/file.rs", Entry::File(ONE)),
    ("root/.git/file.rs", Entry::File(HIDDEN)),
    // The same bytes as the intended file, so that a digest does not distinguish them.
    ("outside/same/file.rs", Entry::File(ONE)),
    ("outside/other/file.rs", Entry::File(HIDDEN)),
];

/// A path that is exchanged, a file path through it, and its replacements.
struct Swap {
    /// The exchanged path, in the fixture.
    name: &'static str,
    /// The file path, in the workspace.
    path: &'static str,
    /// The replacements, each with the code of the refusal while it is in place.
    instead: &'static [(Entry<'static>, &'static str)],
}

/// Exchanges the last component of a path.
const FILE: Swap = Swap {
    name: "root/turn.rs",
    path: "turn.rs",
    instead: &[
        (Entry::Link("../outside/same/file.rs"), "outside_workspace"),
        (
            Entry::Link("{base}/outside/same/file.rs"),
            "outside_workspace",
        ),
        (Entry::Link("../outside/other/file.rs"), "outside_workspace"),
        (
            Entry::Link("{base}/outside/other/file.rs"),
            "outside_workspace",
        ),
        (Entry::Link("/proc/self/fd/3"), "outside_workspace"),
        (Entry::Link(".git/file.rs"), "outside_workspace"),
        (Entry::Link("missing.rs"), "file_not_found"),
        (Entry::Link("turn.rs"), "not_a_file"),
        (Entry::Pipe, "not_a_file"),
        (Entry::Socket, "not_a_file"),
        (Entry::Folder, "not_a_file"),
    ],
};

/// Exchanges a folder in the middle of a path.
const FOLDER: Swap = Swap {
    name: "root/turn",
    path: "turn/file.rs",
    instead: &[
        (Entry::Link("../outside/same"), "outside_workspace"),
        (Entry::Link("{base}/outside/same"), "outside_workspace"),
        (Entry::Link("../outside/other"), "outside_workspace"),
        (Entry::Link("{base}/outside/other"), "outside_workspace"),
        (Entry::Link(".git"), "outside_workspace"),
        (Entry::Link("/proc/self/cwd"), "outside_workspace"),
        (Entry::Link("missing"), "file_not_found"),
        (Entry::Link("turn"), "not_a_file"),
        (Entry::File(HIDDEN), "file_not_found"),
        (Entry::Pipe, "file_not_found"),
        (Entry::Folder, "file_not_found"),
    ],
};

impl Swap {
    /// Creates the replacements.
    fn prepare(&self, fixture: &Fixture) {
        for (number, (entry, _)) in self.instead.iter().enumerate() {
            fixture.create(&[(&waiting(number), *entry)]);
        }
    }

    /// Exchanges the path repeatedly until `stop` is set, and leaves it as it began. A writer may
    /// have replaced the path while something other than the file was there: it must replace it,
    /// not follow it, and it is then created again. Returns the number of exchanges, and how often
    /// that happened.
    fn exchange_until(&self, fixture: &Fixture, stop: &AtomicBool) -> (usize, usize) {
        let mut drawn = Drawn(0xf00d);
        let (mut exchanges, mut replaced) = (0, 0);
        while !stop.load(Ordering::Relaxed) {
            for (number, (entry, _)) in self.instead.iter().enumerate() {
                let other = waiting(number);
                fixture.exchange(self.name, &other);
                pause(drawn.next(40));
                fixture.exchange(self.name, &other);
                pause(drawn.next(40));
                exchanges += 2;
                if !fixture.has(&other, *entry) {
                    fixture.remove(&other);
                    fixture.create(&[(&other, *entry)]);
                    replaced += 1;
                }
            }
        }
        (exchanges, replaced)
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
    fn add(&mut self, done: &str, reply: &Reply) {
        assert!(!reply.whole.contains(SECRET), "{}", reply.whole);
        let outcome = match &reply.code {
            None => done.to_string(),
            // Refusals of a path that changed between check and use.
            Some(code) if reply.whole.contains("has become a link") => {
                format!("{code}, link just appeared")
            }
            Some(code) => code.clone(),
        };
        *self.0.entry(outcome).or_insert(0) += 1;
    }

    /// Returns whether calls met both the file and something outside; otherwise they show nothing.
    fn both_ways(&self, done: &str) -> bool {
        let met = |way: &str| self.0.keys().any(|outcome| outcome.starts_with(way));
        met(done) && met("outside_workspace")
    }
}

/// Stops the exchange when dropped, even if an assertion fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A function that makes a call.
type MakeCall<'a> = &'a mut dyn FnMut(&str, Value) -> Reply;

fn read_rounds(make_call: MakeCall, path: &str, rounds: usize) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let reading = json!({"file_path": path, "selector": selector()});
    for round in 0.. {
        if round >= rounds && outcomes.both_ways("read") {
            break;
        }
        outcomes.add("read", &make_call("read_node", reading.clone()));
    }
    outcomes
}

fn write_rounds(make_call: MakeCall, path: &str, rounds: usize) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let mut texts = [TWO, ONE];
    for round in 0.. {
        if round >= rounds && outcomes.both_ways("written") {
            break;
        }
        let reply = make_call("replace_node", replacing(path, texts[0], true));
        // The file may already have this text.
        if [None, Some("no_change")].contains(&reply.code.as_deref()) {
            texts.reverse();
        }
        outcomes.add("written", &reply);
    }
    outcomes
}

/// Previews whenever the path resolves, and applies each preview.
fn staged_rounds(make_call: MakeCall, path: &str, rounds: usize) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let mut texts = [TWO, ONE];
    let mut applied = 0;
    while applied < rounds || !outcomes.both_ways("applied") {
        let preview = make_call("replace_node", replacing(path, texts[0], false));
        assert!(!preview.whole.contains(SECRET), "{}", preview.whole);
        let Some(edit_id) = preview.json["edit_id"].as_str() else {
            // The file may already have this text.
            if preview.code.as_deref() == Some("no_change") {
                texts.reverse();
            }
            continue;
        };
        let reply = make_call("apply_edit", json!({"edit_id": edit_id}));
        if reply.code.is_none() {
            texts.reverse();
        }
        outcomes.add("applied", &reply);
        applied += 1;
    }
    outcomes
}

/// Makes calls while paths are exchanged. Returns the number of exchanges and how often something
/// other than the file was replaced.
fn while_exchanging<T>(
    swap: &Swap,
    fixture: &Fixture,
    work: impl FnOnce() -> T,
) -> ((usize, usize), T) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let exchanging = scope.spawn(|| swap.exchange_until(fixture, &stop));
        let stop_guard = Stop(&stop);
        let done = work();
        drop(stop_guard);
        (exchanging.join().expect("paths can be exchanged"), done)
    })
}

fn race(swap: &Swap) {
    let fixture = Fixture::new();
    fixture.create(LAYOUT);
    let mut front_ends = FrontEnds::open(&fixture, "state");
    swap.prepare(&fixture);
    let before = ["outside", "root/.git"].map(|folder| fixture.inventory(folder, &[]));
    let initial = fixture.inventory("root", &[]);
    let watch = Watch::over(["outside", "root/.git"].map(|path| fixture.base().join(path)));
    watch.seen();

    let engine = &front_ends.engine;
    let mut by_library = |tool: &str, arguments: Value| by_library(engine, tool, &arguments);
    let mut again = by_library;
    let (rounds, previews) = rounds();
    let (both, (read, written)) = while_exchanging(swap, &fixture, || {
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| read_rounds(&mut by_library, swap.path, rounds));
            let written = write_rounds(&mut again, swap.path, rounds);
            (reader.join().expect("the reader is answered"), written)
        })
    });
    let (alone, staged) = while_exchanging(swap, &fixture, || {
        staged_rounds(&mut again, swap.path, previews)
    });
    let mut by_server = |tool: &str, arguments: Value| {
        let reply = front_ends.through(FrontEnd::Mcp, tool, &arguments);
        reply.expect("the server takes every call")
    };
    let (served, by_server) = while_exchanging(swap, &fixture, || {
        [
            read_rounds(&mut by_server, swap.path, previews),
            write_rounds(&mut by_server, swap.path, previews),
            staged_rounds(&mut by_server, swap.path, previews / 4),
        ]
    });

    assert_eq!(watch.seen(), NOTHING);
    let after = ["outside", "root/.git"].map(|folder| fixture.inventory(folder, &[]));
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.changes(after), NOTHING);
    }
    assert_eq!(fixture.inventory("root", &[]).names(), initial.names());
    let text = fixture.read(&format!("root/{}", swap.path));
    assert!([ONE, TWO].contains(&text.as_str()), "{text}");

    let runs = [both, alone, served];
    println!(
        "{} exchanged {} times during calls: 0 opened outside, 0 changed, no file left over \
         (a path that was not a file at that moment was replaced {} times)",
        swap.name,
        runs.iter().map(|(exchanges, _)| exchanges).sum::<usize>(),
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
    fixture.create(LAYOUT);
    fixture.create(&[
        ("root/twin.rs", Entry::File(ONE)),
        ("root/waiting-0", Entry::Link("twin.rs")),
    ]);
    let mut front_ends = FrontEnds::open(&fixture, "state");
    for front_end in FrontEnd::ALL {
        let arguments = replacing("turn.rs", TWO, false);
        let preview = by_library(&front_ends.engine, "replace_node", &arguments);
        let edit_id = preview.json["edit_id"]
            .as_str()
            .expect("the edit is previewed");
        fixture.exchange("root/turn.rs", "root/waiting-0");
        let reply = front_ends.apply(front_end, edit_id);
        assert_eq!(reply.code.as_deref(), Some("stale_edit"), "{}", reply.whole);
        assert_eq!(fixture.read("root/twin.rs"), ONE);
        fixture.exchange("root/turn.rs", "root/waiting-0");
    }
}

#[test]
fn a_file_exchanged_during_calls_never_resolves_outside() {
    with_time_limit(LIMIT, || race(&FILE));
}

#[test]
fn a_folder_exchanged_during_calls_never_resolves_outside() {
    with_time_limit(LIMIT, || race(&FOLDER));
}

#[test]
fn a_path_exchanged_after_a_preview_is_not_written() {
    with_time_limit(LIMIT, || {
        let mut refused = 0;
        for swap in [FILE, FOLDER] {
            let fixture = Fixture::new();
            fixture.create(LAYOUT);
            let mut front_ends = FrontEnds::open(&fixture, "state");
            swap.prepare(&fixture);
            let file = format!("root/{}", swap.path);
            let before = ["outside", "root/.git"].map(|folder| fixture.inventory(folder, &[]));
            let watch = Watch::over(["outside", "root/.git"].map(|path| fixture.base().join(path)));
            watch.seen();
            for (number, (entry, code)) in swap.instead.iter().enumerate() {
                for front_end in FrontEnd::ALL {
                    let arguments = replacing(swap.path, TWO, false);
                    let preview = by_library(&front_ends.engine, "replace_node", &arguments);
                    let edit_id = preview.json["edit_id"]
                        .as_str()
                        .expect("the edit is previewed");
                    fixture.exchange(swap.name, &waiting(number));
                    let reply = front_ends.apply(front_end, edit_id);
                    let context =
                        || format!("{} {entry:?} by {front_end:?}: {}", swap.name, reply.whole);
                    assert_eq!(reply.code.as_deref(), Some(*code), "{}", context());
                    assert!(!reply.whole.contains(SECRET), "{}", context());
                    assert!(fixture.has(swap.name, *entry), "{}", context());
                    fixture.exchange(swap.name, &waiting(number));
                    assert_eq!(fixture.read(&file), ONE, "{}", context());
                    // The refused edit is still staged, and the file is back.
                    let reply = front_ends.apply(front_end, edit_id);
                    assert_eq!(reply.json["status"], "applied", "{}", reply.whole);
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
