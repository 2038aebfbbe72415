//! What a person sees: the command line on a pseudoterminal.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests run the command line and read files, and one prints its session"
)]

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use serde_json::{Value, json};

/// The time limit of a command; far more than it needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A workspace with its own state directory.
pub(crate) struct Fixture {
    directory: tempfile::TempDir,
}

/// A command on a terminal with 24 lines of 80 characters.
pub(crate) struct OnTerminal {
    child: Child,
    keyboard: File,
    arriving: Receiver<Vec<u8>>,
    /// Whether the terminal is to be closed, and the thread that reads from it.
    closes: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
    /// The output so far.
    seen: String,
}

impl Fixture {
    pub(crate) fn new() -> Fixture {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        fs::create_dir(directory.path().join("workspace")).expect("the workspace can be created");
        Fixture { directory }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("the workspace can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command
            .arg("--root")
            .arg(self.path("workspace"))
            .args(words)
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("TERM", "xterm-256color")
            .env("PAGER", "sed s/^/paged:/")
            .env_remove("NO_COLOR")
            .current_dir(self.directory.path());
        command
    }

    /// Previews another number in `a.json` and returns the edit id.
    fn previewed(&self) -> String {
        let replace = ["replace", "a.json", "--anchor", "1", "--ancestor", "number"];
        let words = [&replace[..], &["--content", "2", "--json"]].concat();
        let output = self.command(&words).output().expect("the command runs");
        let made: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        made["edit_id"].as_str().expect("it has an id").to_string()
    }

    fn on_terminal(&self, words: &[&str]) -> OnTerminal {
        OnTerminal::of(self.command(words))
    }

    /// Returns the output of a command.
    fn seen(&self, words: &[&str]) -> String {
        self.on_terminal(words).ended().0
    }
}

impl Drop for OnTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl OnTerminal {
    pub(crate) fn of(mut command: Command) -> OnTerminal {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let terminal = openpt(flags).expect("a pseudoterminal can be opened");
        grantpt(&terminal).expect("access can be granted");
        unlockpt(&terminal).expect("it can be used");
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&terminal, size).expect("it takes a size");
        let name = ptsname(&terminal, Vec::new()).expect("it has a name");
        let name = name.into_string().expect("its name is ASCII");
        let end = || -> Stdio {
            let opened = OpenOptions::new().read(true).write(true).open(&name);
            opened.expect("the other end of the terminal opens").into()
        };
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn();
        // The command holds the other end of the terminal, which must close when the child exits.
        drop(command);
        let keyboard = File::from(terminal);
        let mut screen = keyboard.try_clone().expect("the terminal can be cloned");
        let (sender, arriving) = channel();
        let closes = Arc::new(AtomicBool::new(false));
        let is_closed = closes.clone();
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            let patience = Timespec {
                tv_sec: 0,
                tv_nsec: 50_000_000,
            };
            while !is_closed.load(Ordering::Relaxed) {
                let mut arrives = [PollFd::new(&screen, PollFlags::IN)];
                if poll(&mut arrives, Some(&patience)).is_ok_and(|count| count == 0) {
                    continue;
                }
                let Ok(count @ 1..) = screen.read(&mut bytes) else {
                    return;
                };
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        OnTerminal {
            child: child.expect("the command runs"),
            keyboard,
            arriving,
            closes,
            reader: Some(reader),
            seen: String::new(),
        }
    }

    /// Waits until a text appears.
    fn sees(&mut self, text: &str) {
        let latest = Instant::now() + PATIENCE;
        while !self.seen.contains(text) {
            let left = latest.saturating_duration_since(Instant::now());
            let bytes = self.arriving.recv_timeout(left);
            let bytes = bytes.unwrap_or_else(|_| panic!("no {text:?} in {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Returns the next bytes of the output. `None` means that there are none within `patience`, or that it has ended.
    pub(crate) fn output_within(&mut self, patience: Duration) -> Option<Vec<u8>> {
        self.arriving.recv_timeout(patience).ok()
    }

    /// Returns the process id of the command.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&self.keyboard, size).expect("it takes a size");
    }

    /// Closes the terminal, as if its window were closed. The command gets no signal.
    pub(crate) fn closes(&mut self) {
        self.closes.store(true, Ordering::Relaxed);
        let reader = self.reader.take().map(JoinHandle::join);
        assert!(reader.is_none_or(|done| done.is_ok()));
        self.keyboard = File::open("/dev/null").expect("it can be opened");
    }

    /// Returns whether the terminal reads lines and echoes them, as a shell expects it.
    pub(crate) fn is_cooked(&self) -> bool {
        let modes = tcgetattr(&self.keyboard).expect("it has modes").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// Waits for the end of the command.
    pub(crate) fn exit(&mut self) -> ExitStatus {
        let latest = Instant::now() + PATIENCE;
        while Instant::now() < latest {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        panic!("the command does not end");
    }

    pub(crate) fn types(&mut self, text: &str) {
        self.keyboard
            .write_all(text.as_bytes())
            .expect("the terminal can be written to");
    }

    pub(crate) fn ended(mut self) -> (String, ExitStatus) {
        while let Ok(bytes) = self.arriving.recv_timeout(PATIENCE) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        let status = self.child.wait().expect("it ended");
        (self.seen.replace("\r\n", "\n"), status)
    }
}

#[test]
fn apply_shows_the_diff_and_asks() {
    let fixture = Fixture::new();
    fixture.write("workspace/a.json", "{\"a\": 1}\n");
    let edit_id = fixture.previewed();
    for answer in ["n\n", "\n", "what?\n"] {
        let mut apply = fixture.on_terminal(&["apply", &edit_id]);
        apply.sees("apply this edit? [y/N] ");
        apply.types(answer);
        let (seen, status) = apply.ended();
        assert!(seen.contains("\u{1b}[32m+{\"a\": 2}\u{1b}[0m"), "{seen:?}");
        assert!(
            seen.contains(&format!("not applied; the edit is still staged: {edit_id}")),
            "{seen}"
        );
        assert_eq!(status.code(), Some(1));
        assert_eq!(fixture.read("workspace/a.json"), "{\"a\": 1}\n");
    }
    let mut apply = fixture.on_terminal(&["apply", &edit_id]);
    apply.sees("apply this edit? [y/N] ");
    apply.types("y\n");
    let (seen, status) = apply.ended();
    assert_eq!(
        seen.matches("+{\"a\": 2}").count(),
        1,
        "the diff is shown once: {seen}"
    );
    assert!(
        seen.contains(&format!("applied as edit {edit_id}")),
        "{seen}"
    );
    assert!(status.success());
    assert_eq!(fixture.read("workspace/a.json"), "{\"a\": 2}\n");
    // An edit that cannot be applied needs no confirmation.
    let (seen, status) = fixture.on_terminal(&["apply", &edit_id]).ended();
    assert!(
        !seen.contains("apply this edit?") && status.code() == Some(1),
        "{seen}"
    );
}

/// Text that would erase its line on a terminal and reverse the text direction, and its escaped
/// form.
const STEERING: [&str; 2] = [
    "\u{1b}[2K\u{1b}[1A\rno\u{202e}thing\u{9b}m\u{7f}",
    "\\u{1b}[2K\\u{1b}[1A\\rno\\u{202e}thing\\u{9b}m\\u{7f}",
];

#[test]
fn the_text_of_a_file_does_not_control_the_terminal() {
    let [steering, written_out] = STEERING;
    let fixture = Fixture::new();
    fixture.write(
        "workspace/a.txt",
        &format!("one {steering}\ttwo\r\nthree\r\n"),
    );
    let replace = ["text", "one", "1", "a.txt"];
    for more in [&[][..], &["--color", "never"]] {
        let seen = fixture.seen(&[&replace[..], more].concat());
        for sign in ['-', '+'] {
            let word = if sign == '-' { "one" } else { "1" };
            let line = format!("{sign}{word} {written_out}\ttwo");
            assert!(seen.contains(&line), "{line} in {seen:?}");
        }
    }
    let seen = fixture.seen(&["find", "--text", "thing"]);
    // A carriage return ends a line.
    let (_, line) = written_out.split_once("\\r").expect("it has one");
    assert!(seen.contains(line), "{seen:?}");
    let refused = fixture.seen(&["read", "a.txt", "--anchor", &format!("on{steering}")]);
    assert!(
        refused.contains(line) && !refused.contains('\u{202e}'),
        "{refused:?}"
    );

    let seen = fixture.seen(&[&replace[..], &["--json"]].concat());
    let unseen = |sign: char| sign != '\n' && (sign.is_control() || sign == '\u{202e}');
    assert!(!seen.contains(unseen), "{seen:?}");
    let answer_json: Value = serde_json::from_str(&seen).expect("it is still JSON");
    let diff = answer_json["files"][0]["diff"]
        .as_str()
        .expect("it has a diff");
    assert!(diff.contains(&format!("-one {steering}\ttwo")), "{diff:?}");
}

#[test]
fn piped_output_has_the_bytes_of_the_file() {
    let [steering, _] = STEERING;
    let fixture = Fixture::new();
    fixture.write("workspace/a.txt", &format!("one {steering}\ttwo\nthree\n"));
    let replace = ["text", "one", "1", "a.txt"];
    for command in [&replace[..], &["read", "a.txt", "--anchor", "one"]] {
        let output = fixture.command(command).output().expect("the command runs");
        let piped = String::from_utf8(output.stdout).expect("it is UTF-8");
        assert!(piped.contains(&format!("one {steering}\ttwo")), "{piped:?}");
    }
}

#[test]
fn apply_does_not_ask_with_yes_or_json() {
    for words in [["--yes"], ["--json"]] {
        let fixture = Fixture::new();
        fixture.write("workspace/a.json", "{\"a\": 1}\n");
        let edit_id = fixture.previewed();
        let (seen, status) = fixture
            .on_terminal(&[&["apply", edit_id.as_str()], &words[..]].concat())
            .ended();
        assert!(
            status.success() && !seen.contains("apply this edit?"),
            "{seen}"
        );
        assert_eq!(fixture.read("workspace/a.json"), "{\"a\": 2}\n");
    }
}

#[test]
fn a_long_diff_is_shown_in_the_pager_and_the_next_command_after_it() {
    let fixture = Fixture::new();
    let lines: Vec<String> = (0..60)
        .map(|number| format!("  \"{number}\": {number}"))
        .collect();
    fixture.write(
        "workspace/a.json",
        &format!("{{\n{}\n}}\n", lines.join(",\n")),
    );
    let replace = [
        "replace",
        "a.json",
        "--anchor",
        "\"0\"",
        "--ancestor",
        "object",
        "--content",
    ];
    let long = [&replace[..], &["{}"]].concat();
    let seen = fixture.seen(&long);
    assert!(
        seen.contains("paged:\u{1b}[31m-  \"7\": 7,\u{1b}[0m\n"),
        "{seen}"
    );
    let after = seen.rsplit_once("paged:").map_or("", |(_, after)| after);
    let root = fixture.path("workspace");
    let next = format!(
        "\nnothing is written yet; this writes it:\n  treegraft --root {} apply ",
        root.display()
    );
    assert!(after.contains(&next), "{after}");
    for more in [&["--no-pager"][..], &["--json"]] {
        let seen = fixture.seen(&[&long[..], more].concat());
        assert!(!seen.contains("paged:"), "{seen}");
    }
    let piped = fixture.command(&long).output().expect("the command runs");
    let piped = String::from_utf8_lossy(&piped.stdout).into_owned();
    assert!(
        !piped.contains("paged:") && !piped.contains('\u{1b}'),
        "{piped}"
    );
    // A short diff is not shown in the pager.
    let short = [
        "replace",
        "a.json",
        "--anchor",
        "\"0\"",
        "--ancestor",
        "pair",
    ];
    let seen = fixture.seen(&[&short[..], &["--content", "\"0\": 1"]].concat());
    assert!(
        seen.contains("+  \"0\": 1") && !seen.contains("paged:"),
        "{seen}"
    );
    // If the pager does not exist, the output is still complete.
    let mut without = fixture.command(&long);
    without.env("PAGER", "no-such-pager");
    let (seen, _) = OnTerminal::of(without).ended();
    assert!(seen.contains("-  \"7\": 7,"), "{seen}");
    assert_eq!(seen.matches("nothing is written yet").count(), 1, "{seen}");
}

#[test]
fn a_batch_shows_progress_only_on_a_terminal() {
    const LINES: usize = 400;

    let fixture = Fixture::new();
    fixture.write("workspace/a.json", "{\"a\": 0}\n");
    let lines: String = (0..LINES)
        .map(|number| {
            let line = json!({"tool": "replace_node", "arguments": {
                "file_path": "a.json", "selector": format!("number@{number}"),
                "new_content": (number + 1).to_string(), "apply": true,
            }});
            format!("{line}\n")
        })
        .collect();
    fixture.write("calls.jsonl", &lines);
    let seen = fixture.seen(&["batch", "calls.jsonl", "--output", "seen.jsonl"]);
    assert!(seen.contains(&format!(" of {LINES} lines")), "{seen:?}");
    assert!(
        seen.contains(&format!("{LINES} lines: {LINES} done, 0 refused; ")),
        "{seen:?}"
    );
    fixture.write("workspace/a.json", "{\"a\": 0}\n");
    let words = ["batch", "calls.jsonl", "--output", "piped.jsonl"];
    let piped = fixture.command(&words).output().expect("the command runs");
    assert!(piped.status.success());
    assert_eq!(String::from_utf8_lossy(&piped.stderr), "");
}

#[test]
fn a_question_shows_that_it_waits_only_on_a_terminal() {
    let fixture = Fixture::new();
    fixture.write("workspace/a.py", "store = 1\n");
    fs::create_dir_all(fixture.path("config/treegraft")).expect("the directory can be created");
    let server = "[servers.python]\ncommand = [\"sleep\", \"2\"]\n";
    fixture.write("config/treegraft/config.toml", server);
    let hover = ["lsp", "hover", "a.py:1@store"];
    let seen = fixture.seen(&hover);
    assert!(seen.contains("waiting for the language server"), "{seen:?}");
    assert!(seen.contains("no answer: handshake_failed"), "{seen:?}");
    let piped = fixture.command(&hover).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&piped.stderr), "");
}

#[test]
fn a_batch_on_a_terminal_explains_its_input() {
    let fixture = Fixture::new();
    fixture.write("workspace/a.json", "{\"a\": 1}\n");
    let mut batch = fixture.on_terminal(&["batch"]);
    batch.sees("reading calls from standard input, one per line; press ctrl-d to end");
    batch.types("{\"tool\": \"outline\"}\n\u{4}");
    let (seen, status) = batch.ended();
    assert!(seen.contains("{\"line\":1,") && status.success(), "{seen}");
}

#[test]
fn the_table_of_edits_fits_the_terminal_and_is_complete_when_piped() {
    let fixture = Fixture::new();
    let name = "workspace/a-file-with-a-name-that-leaves-no-room-for-what-the-edit-does.json";
    fixture.write(name, "{\"a\": 1}\n");
    let file = name.trim_start_matches("workspace/");
    let words = ["delete", file, "--anchor", "1", "--ancestor", "pair"];
    assert!(
        fixture
            .command(&words)
            .output()
            .expect("it runs")
            .status
            .success()
    );
    let seen = fixture.seen(&["list"]);
    assert!(seen.starts_with("\u{1b}[1mEDIT "), "{seen:?}");
    let seen = fixture.seen(&["list", "--color", "never"]);
    let widths: Vec<usize> = seen.lines().map(|line| line.chars().count()).collect();
    assert_eq!(widths.len(), 2, "{seen}");
    assert_eq!(widths.into_iter().max(), Some(80), "{seen}");
    let piped = fixture.command(&["list"]).output().expect("it runs");
    let piped = String::from_utf8_lossy(&piped.stdout).into_owned();
    assert!(piped.ends_with(".json  a     +1 -1\n"), "{piped}");
}

/// Stages an edit of each of `files` files, and returns their ids.
fn staged(fixture: &Fixture, files: usize) -> Vec<String> {
    let staged = (0..files).map(|file| {
        let name = format!("{file}.json");
        fixture.write(&format!("workspace/{name}"), "{\"a\": 1, \"b\": 2}\n");
        let words = ["replace", &name, "--anchor", "1", "--ancestor", "number"];
        let words = [&words[..], &["--content", "3", "--json"]].concat();
        let output = fixture.command(&words).output().expect("the command runs");
        let made: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        made["edit_id"].as_str().expect("it has an id").to_string()
    });
    staged.collect()
}

const ASKED: &str = "apply this edit [y,n,x,f,d,a,q,v,?]? ";

/// Answers the question about each edit in turn, and returns the output.
fn reviewed(fixture: &Fixture, words: &[&str], answers: &[&str]) -> (String, ExitStatus) {
    let mut review = fixture.on_terminal(words);
    for (index, answer) in answers.iter().enumerate() {
        let latest = Instant::now() + PATIENCE;
        while review.seen.matches(ASKED).count() + review.seen.matches("reason, which").count()
            <= index
        {
            let left = latest.saturating_duration_since(Instant::now());
            let bytes = review.arriving.recv_timeout(left);
            let bytes =
                bytes.unwrap_or_else(|_| panic!("no question {index} in {:?}", review.seen));
            review.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        review.types(&format!("{answer}\n"));
    }
    review.ended()
}

#[test]
fn interactive_asks_about_each_edit() {
    let fixture = Fixture::new();
    let ids = staged(&fixture, 6);
    let words = ["apply", "--interactive", "--color", "never"];
    let answers = ["?", "what", "y", "n", "x", "keep it", "v", "y", "q"];
    let (seen, status) = reviewed(&fixture, &words, &answers);
    assert!(
        seen.contains("x - discard this edit, with a reason"),
        "{seen}"
    );
    assert!(seen.contains(&format!("(1/6) {}  ", ids[0])), "{seen}");
    assert!(
        seen.contains(&format!("discarded edit {}: keep it", ids[2])),
        "{seen}"
    );
    assert!(
        seen.contains("discarded 1 edit\n3 still staged\napplied 2 edits\n"),
        "{seen}"
    );
    assert_eq!(status.code(), Some(0), "{seen}");
    let is_applied = |file: usize| {
        fixture
            .read(&format!("workspace/{file}.json"))
            .contains('3')
    };
    let applied: Vec<bool> = (0..6).map(is_applied).collect();
    assert_eq!(applied, [true, false, false, true, false, false]);
    // Only what is left is asked about, and `a` applies all of it.
    let (seen, status) = reviewed(&fixture, &words, &["a"]);
    assert!(seen.contains("(1/3)") && !seen.contains("(2/3)"), "{seen}");
    assert!(seen.contains("applied 3 edits"), "{seen}");
    assert_eq!(status.code(), Some(0), "{seen}");
    let (seen, status) = reviewed(&fixture, &words, &[]);
    assert_eq!(
        (seen.as_str(), status.code()),
        ("no pending edits\n", Some(0))
    );
}

#[test]
fn interactive_shows_an_edit_again_if_code_around_it_changed() {
    let fixture = Fixture::new();
    staged(&fixture, 2);
    for file in 0..2 {
        let changed = "{\"z\": 0, \"a\": 1, \"b\": 9}\n";
        fixture.write(&format!("workspace/{file}.json"), changed);
    }
    let words = ["apply", "--interactive", "--color", "never"];
    // `a` decides about all edits as they were shown.
    let (seen, status) = reviewed(&fixture, &words, &["a", "y", "n"]);
    assert_eq!(seen.matches("it is shown again").count(), 2, "{seen}");
    assert!(seen.contains("+{\"z\": 0, \"a\": 3, \"b\": 9}"), "{seen}");
    assert!(seen.contains("1 still staged\napplied 1 edit\n"), "{seen}");
    assert_eq!(status.code(), Some(0), "{seen}");
    let is_applied = |file: usize| {
        fixture
            .read(&format!("workspace/{file}.json"))
            .contains('3')
    };
    assert_eq!([is_applied(0), is_applied(1)], [true, false]);
}

#[test]
fn interactive_decides_about_the_later_edits_of_a_file() {
    let fixture = Fixture::new();
    staged(&fixture, 3);
    for number in ["4", "5"] {
        for file in ["0.json", "1.json"] {
            let words = [
                "replace",
                file,
                "--anchor",
                "2",
                "--ancestor",
                "number",
                "--content",
                number,
            ];
            assert!(
                fixture
                    .command(&words)
                    .output()
                    .expect("it runs")
                    .status
                    .success()
            );
        }
    }
    let words = ["apply", "--interactive", "--color", "never"];
    // Both later edits of 0.json change the same number: the second is refused.
    let (seen, status) = reviewed(&fixture, &words, &["f", "d", "n"]);
    assert!(!seen.contains("(4/7)"), "{seen}");
    assert!(seen.contains("refused: stale_edit"), "{seen}");
    assert!(
        seen.contains("4 still staged\napplied 2 edits, 1 refused\n"),
        "{seen}"
    );
    assert_eq!(status.code(), Some(4), "{seen}");
    assert_eq!(fixture.read("workspace/0.json"), "{\"a\": 3, \"b\": 4}\n");
    assert_eq!(fixture.read("workspace/1.json"), "{\"a\": 1, \"b\": 2}\n");
    // It cannot ask without a terminal.
    let output = fixture
        .command(&["apply", "--interactive"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("--interactive asks on a terminal"), "{said}");
}

#[test]
fn several_edits_are_applied_after_one_question() {
    let fixture = Fixture::new();
    let ids = staged(&fixture, 3);
    let words = ["--color", "never", "apply", &ids[0][..8], &ids[1]];
    let mut apply = fixture.on_terminal(&words);
    apply.sees("apply these 2 edits? [y/N] ");
    apply.types("y\n");
    let (seen, status) = apply.ended();
    assert!(seen.contains("applied 2 edits\n"), "{seen}");
    assert_eq!(status.code(), Some(0));
    let mut discard = fixture.on_terminal(&["discard", "--all"]);
    discard.sees("discard 1 edit? [y/N] ");
    discard.types("n\n");
    let (seen, status) = discard.ended();
    assert!(seen.contains("nothing is discarded"), "{seen}");
    assert_eq!(status.code(), Some(1));
    let (seen, _) = fixture.on_terminal(&["list"]).ended();
    assert!(
        seen.contains(&format!("{}  previewed", &ids[2][..7])),
        "{seen}"
    );
    assert!(
        seen.lines().all(|line| line.chars().count() <= 80),
        "{seen}"
    );
}

/// Thirty staged edits are reviewed with fewer than ten commands. With `--nocapture`, prints the session.
#[test]
fn thirty_edits_are_reviewed_with_few_commands() {
    let fixture = Fixture::new();
    let ids = staged(&fixture, 30);
    let mut commands = 0;
    let mut session = String::new();
    let mut run = |words: &[&str], answers: &[&str]| {
        commands += 1;
        let (seen, status) = reviewed(&fixture, &[&["--color", "never"], words].concat(), answers);
        session.push_str(&format!("$ treegraft {}\n{seen}", words.join(" ")));
        assert!(status.success(), "{words:?}: {seen}");
        seen
    };
    let seen = run(&["list"], &[]);
    assert_eq!(seen.lines().count(), 31, "{seen}");
    assert!(
        seen.lines().all(|line| line.chars().count() <= 80),
        "{seen}"
    );
    run(&["apply", "--file", "1*.json", "--yes"], &[]);
    run(
        &[
            "discard",
            "--file",
            "2?.json",
            "--yes",
            "--reason",
            "not these",
        ],
        &[],
    );
    run(
        &["apply", "--interactive"],
        &["y", "x", "no", "v", "y", "n", "a"],
    );
    let seen = run(&["list", "--status", "previewed"], &[]);
    assert!(seen.contains("  4.json"), "{seen}");
    run(&["discard", "--all", "--yes"], &[]);
    println!("{session}\n{} edits, {commands} commands", ids.len());
    assert!(commands < 10);
    let changed = (0..30).filter(|file| {
        fixture
            .read(&format!("workspace/{file}.json"))
            .contains('3')
    });
    assert_eq!(changed.count(), 11 + 7);
}
