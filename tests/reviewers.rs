//! Two people decide about the same edit at the same moment, each in a process of their own: one of them is first, the other
//! learns what happened, and both see the same list.

#![expect(
    clippy::disallowed_methods,
    reason = "the test creates files and starts the program"
)]

use std::fs;
use std::sync::Barrier;

use serde_json::{Value, json};

use crate::mcp::Server;
use crate::review::{BILL, Review};
use crate::review_terminal;

/// How often each pair decides.
const ROUNDS: usize = 6;

/// What one of them decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Accept,
    Discard,
    Undo,
    /// Accepts the first of two files.
    AcceptPart,
    /// Selects another node.
    Retarget,
    Amend,
}

/// The outcome of a decision, and the refusal.
type Outcome = Result<(), String>;

const ACCEPTED: &str = "return 10";
const REASONS: [&str; 2] = ["the first reason", "the second reason"];

impl Decision {
    /// Decides on a page.
    fn on_page(self, page: &Review, edit_id: &str, reason: &str) -> Outcome {
        let decided = match self {
            Decision::Accept => page.accept(&[edit_id]),
            Decision::Undo => page.decide("/api/undo", &json!({"edit_ids": [edit_id]})),
            Decision::Discard => {
                let body = json!({"edit_ids": [edit_id], "reason": reason});
                page.decide("/api/discard", &body)
            }
            Decision::AcceptPart => {
                let left = json!([{"file": 1}]);
                let body = json!({"edits": [{"edit_id": edit_id, "leave_out": left}]});
                page.decide("/api/apply", &body)
            }
            Decision::Retarget => {
                let body = json!({"edit_id": edit_id, "selector": "integer@2"});
                page.decide("/api/retarget", &body)
            }
            Decision::Amend => unreachable!("only agents amend"),
        };
        let outcome = &decided["outcomes"][0];
        match outcome["is_done"] == true {
            true => Ok(()),
            false => {
                let text = outcome["text"].as_str();
                Err(text.unwrap_or_else(|| panic!("{decided}")).to_string())
            }
        }
    }

    /// Decides on the command line.
    fn on_command_line(self, page: &Review, edit_id: &str, reason: &str) -> Outcome {
        let words: &[&str] = match self {
            Decision::Accept => &["apply", edit_id],
            Decision::Undo => &["undo", edit_id],
            Decision::Discard => &["discard", edit_id, "--reason", reason],
            _ => unreachable!("the page does it"),
        };
        of_answer(&page.run(words))
    }

    /// Decides as an agent.
    fn of_agent(self, agent: &mut Server, edit_id: &str) -> Outcome {
        let made = match self {
            Decision::Amend => {
                let arguments = json!({"edit_id": edit_id, "new_content": "return 11"});
                agent.call("amend_edit", arguments)
            }
            Decision::Discard => agent.call("discard_edit", json!({"edit_id": edit_id})),
            _ => unreachable!("a person does it"),
        };
        of_answer(&made["structuredContent"])
    }
}

fn of_answer(answer: &Value) -> Outcome {
    match answer["error"].is_null() {
        true => Ok(()),
        false => Err(format!(
            "refused: {}: {}",
            answer["error"]["code"].as_str().expect("a code"),
            answer["error"]["message"].as_str().expect("a message")
        )),
    }
}

/// Calls both at the same moment.
fn at_once<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    let start = &Barrier::new(2);
    std::thread::scope(|threads| {
        let one = threads.spawn(move || {
            start.wait();
            one()
        });
        start.wait();
        let other = other();
        (one.join().expect("it ends"), other)
    })
}

/// Returns the list of a page without the times.
fn listed(page: &Review) -> String {
    let answer = page.get("/api/edits");
    assert_eq!(answer.status, 200);
    let mut times = answer.body.split("<time");
    let mut text = times.next().unwrap_or_default().to_string();
    for rest in times {
        text.push_str(rest.split_once("</time>").map_or("", |(_, rest)| rest));
    }
    text
}

/// Returns the ids of the edits that have a status.
fn with_status(page: &Review, status: &str) -> Vec<String> {
    let found = page.run(&["list", "--status", status]);
    let edits = found["edits"].as_array().expect("a list").iter();
    let ids = edits.map(|edit| edit["edit_id"].as_str().expect("an id").to_string());
    ids.collect()
}

/// Checks what is true after each decision: one is first, the refusal of the other says what happened, and both see the same.
fn check_decided(
    pages: [&Review; 2],
    edit_id: &str,
    decided: [(Decision, &Outcome); 2],
) -> Decision {
    let done: Vec<Decision> = decided
        .iter()
        .filter(|(_, outcome)| outcome.is_ok())
        .map(|(decision, _)| *decision)
        .collect();
    let [first] = done[..] else {
        panic!("one of them is first: {decided:?}");
    };
    let refused = decided
        .iter()
        .find_map(|(_, outcome)| outcome.as_ref().err());
    let refused = refused.expect("the other is refused");
    let what = match first {
        Decision::Accept => "is already applied",
        Decision::Undo => "is not applied",
        Decision::Discard => "was discarded",
        Decision::AcceptPart => "a person accepted a part of it",
        Decision::Retarget => "a person selected another node",
        Decision::Amend => "was replaced",
    };
    // The other waits for the lock of the first one, or finds it.
    assert!(
        refused.contains(what) && refused.contains(edit_id),
        "{first:?}: {refused}"
    );
    assert_eq!(listed(pages[0]), listed(pages[1]));
    first
}

/// Undoes what is applied, and discards what is staged.
fn tidy_up(page: &Review) {
    for edit_id in with_status(page, "applied") {
        page.run(&["undo", &edit_id]);
    }
    for edit_id in with_status(page, "previewed") {
        page.run(&["discard", &edit_id]);
    }
    assert_eq!(page.read("bill.py"), BILL);
    assert_eq!(page.read("other.py"), BILL);
}

/// Checks the files and records after a decision.
fn check_files(page: &Review, edit_id: &str, first: Decision, reason: Option<&str>) {
    let (bill, other) = (page.read("bill.py"), page.read("other.py"));
    let changed = BILL.replace("return 1", ACCEPTED);
    match first {
        Decision::Accept => {
            assert_eq!((bill, page.status(edit_id)), (changed, json!("applied")));
        }
        Decision::AcceptPart => {
            assert_eq!((bill.as_str(), other.as_str()), (&*changed, BILL));
            assert_eq!(with_status(page, "previewed").len(), 1);
            assert_eq!(with_status(page, "applied").len(), 1);
        }
        Decision::Undo => {
            assert_eq!(
                (bill.as_str(), page.status(edit_id)),
                (BILL, json!("undone"))
            );
        }
        Decision::Discard => {
            assert_eq!(bill, BILL);
            let found = page.run(&["list", edit_id]);
            assert_eq!(found["edits"][0]["reason"].as_str(), reason, "{found}");
            assert_eq!(with_status(page, "previewed"), [""; 0]);
        }
        Decision::Retarget | Decision::Amend => {
            assert_eq!(bill, BILL);
            let staged = with_status(page, "previewed");
            assert!(staged.len() == 1 && staged[0] != edit_id, "{staged:?}");
        }
    }
}

fn workspace() -> Review {
    let review = Review::start();
    fs::write(review.path("other.py"), BILL).expect("it can be written");
    review
}

/// Stages an edit of one file, or for a part of two files.
fn staged(review: &Review, decisions: [Decision; 2]) -> String {
    if decisions.contains(&Decision::AcceptPart) {
        let edit = |file: &str| json!({"op": "replace_text", "file_path": file, "find": "return 1", "new_content": ACCEPTED});
        let edits = json!([edit("bill.py"), edit("other.py")]);
        let made = review.run(&["edit", &edits.to_string()]);
        return made["edit_id"].as_str().expect("an id").to_string();
    }
    if decisions.contains(&Decision::Retarget) {
        let words = [
            "replace",
            "bill.py",
            "--anchor",
            "1",
            "--ancestor",
            "integer",
        ];
        let made = review.run(&[&words[..], &["--content", "10"]].concat());
        return made["edit_id"]
            .as_str()
            .unwrap_or_else(|| panic!("{made}"))
            .to_string();
    }
    let edit_id = review.stage("bill.py", "return 1", ACCEPTED);
    if decisions.contains(&Decision::Undo) {
        review.accept(&[&edit_id]);
    }
    edit_id
}

#[test]
fn of_two_pages_one_decides() {
    use Decision::{Accept, AcceptPart, Discard, Retarget, Undo};
    let pages = workspace();
    let others = pages.another();
    for decisions in [
        [Accept, Accept],
        [Accept, Discard],
        [Discard, Discard],
        [Undo, Undo],
        [AcceptPart, Accept],
        [AcceptPart, AcceptPart],
        [AcceptPart, Discard],
        [Retarget, Accept],
        [Retarget, Retarget],
        [Retarget, Discard],
    ] {
        for round in 0..ROUNDS {
            let edit_id = staged(&pages, decisions);
            let [one, other] = decisions;
            let (of_one, of_other) = at_once(
                || one.on_page(&pages, &edit_id, REASONS[0]),
                || other.on_page(&others, &edit_id, REASONS[1]),
            );
            let decided = [(one, &of_one), (other, &of_other)];
            let first = check_decided([&pages, &others], &edit_id, decided);
            let reason = REASONS[usize::from(of_one.is_err())];
            assert!(first == one || first == other, "round {round}");
            // The lists are read again: an old one is no excuse.
            check_files(&pages, &edit_id, first, Some(reason));
            tidy_up(&pages);
        }
    }
}

#[test]
fn of_a_page_and_the_command_line_one_decides() {
    use Decision::{Accept, Discard, Undo};
    let pages = workspace();
    let others = pages.another();
    for decisions in [
        [Accept, Accept],
        [Accept, Discard],
        [Discard, Accept],
        [Discard, Discard],
        [Undo, Undo],
    ] {
        for round in 0..ROUNDS {
            let edit_id = staged(&pages, decisions);
            let [one, other] = decisions;
            let (of_one, of_other) = at_once(
                || {
                    // A process needs its time to start.
                    std::thread::sleep(std::time::Duration::from_millis(8 * round as u64));
                    one.on_page(&pages, &edit_id, REASONS[0])
                },
                || other.on_command_line(&pages, &edit_id, REASONS[1]),
            );
            let decided = [(one, &of_one), (other, &of_other)];
            let first = check_decided([&pages, &others], &edit_id, decided);
            check_files(
                &pages,
                &edit_id,
                first,
                Some(REASONS[usize::from(of_one.is_err())]),
            );
            tidy_up(&pages);
        }
    }
}

#[test]
fn of_a_page_and_an_agent_one_decides() {
    use Decision::{Accept, AcceptPart, Amend, Discard, Retarget};
    let pages = workspace();
    let others = pages.another();
    let mut command = pages.command();
    command.arg("serve");
    let own = tempfile::tempdir().expect("a temporary directory can be created");
    let mut agent = Server::started(command, own);
    agent.initialize("2025-06-18");
    for decisions in [
        [Accept, Amend],
        [Accept, Discard],
        [Discard, Amend],
        [Discard, Discard],
        [AcceptPart, Discard],
        [Retarget, Discard],
    ] {
        for _ in 0..ROUNDS {
            let edit_id = staged(&pages, decisions);
            let [one, other] = decisions;
            let (of_one, of_other) = at_once(
                || one.on_page(&pages, &edit_id, REASONS[0]),
                || other.of_agent(&mut agent, &edit_id),
            );
            let decided = [(one, &of_one), (other, &of_other)];
            let first = check_decided([&pages, &others], &edit_id, decided);
            check_files(
                &pages,
                &edit_id,
                first,
                of_one.is_ok().then_some(REASONS[0]),
            );
            tidy_up(&pages);
        }
    }
    assert!(agent.end().success());
}

/// The keys are typed at the moment of the request. The screen shows a refusal whole.
#[test]
fn of_a_page_and_a_terminal_one_decides() {
    let pages = workspace();
    let others = pages.another();
    let terminal = || {
        let mut command = pages.command();
        command
            .args(["review", "--terminal"])
            .env("TERM", "xterm-256color");
        review_terminal::Review::of(command)
    };
    for (key, decision) in [
        ("a", Decision::Accept),
        ("a", Decision::Discard),
        ("u", Decision::Undo),
    ] {
        for _ in 0..ROUNDS / 2 {
            let edit_id = staged(&pages, [decision; 2]);
            let mut screen = terminal();
            screen.sees(ACCEPTED);
            let (of_page, ()) = at_once(
                || decision.on_page(&pages, &edit_id, REASONS[0]),
                || screen.types(key),
            );
            match (&of_page, key) {
                (Ok(()), _) => {
                    let (refusal, heading) = match decision {
                        Decision::Accept => ("is already applied", "Applied 1"),
                        Decision::Discard => ("was discarded", "Discarded 1"),
                        _ => ("is not applied", "1 staged"),
                    };
                    // The screen is also right if it shows the decision of the other before it reads the key.
                    screen.until(refusal, |text| {
                        let is_refused = text.contains("Nothing was written: the edit is refused");
                        (is_refused && text.contains(refusal)) || text.contains(heading)
                    });
                    screen.types("q");
                }
                (Err(_), "a") => screen.sees("Accepted 1 edit in 1 file"),
                (Err(_), _) => screen.sees("Undid 1 edit in 1 file"),
            }
            if let Err(refused) = &of_page {
                let what = if key == "a" {
                    "is already applied"
                } else {
                    "is not applied"
                };
                assert!(refused.contains(what), "{refused}");
            }
            let first = match (&of_page, key) {
                (Ok(()), _) => decision,
                (Err(_), "a") => Decision::Accept,
                (Err(_), _) => Decision::Undo,
            };
            check_files(&pages, &edit_id, first, Some(REASONS[0]));
            assert_eq!(listed(&pages), listed(&others));
            screen.types("q");
            screen.ends_restored(true);
            tidy_up(&pages);
        }
    }
}
