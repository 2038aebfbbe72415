//! `treegraft review --terminal` on a pseudoterminal: what is on the screen, what the keys do, and how the terminal is left.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files and start the program"
)]

use std::fs;
use std::io::{self, Write};
use std::num::NonZero;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use treegraft::Engine;
use treegraft_review::{Stop, in_terminal};

use crate::terminal::OnTerminal;

const PATIENCE: Duration = Duration::from_secs(60);
const BILL: &str = "def price():\n    return 1\n\n\ndef tax():\n    return 2\n";
/// A file name that reverses the text direction, and a text that would write to the clipboard of the terminal.
const HOSTILE: &str = "re\u{202e}yp.py";
const HOSTILE_TEXT: &str = "\u{1b}]52;c;YQ==\u{7}\u{202e}";
const PANICS: &str = "TREEGRAFT_TEST_PANIC";

/// A workspace with two files.
struct Fixture {
    directory: tempfile::TempDir,
}

/// The review on a terminal, with the screen that a person sees.
pub(crate) struct Review {
    terminal: OnTerminal,
    screen: vt100::Parser,
    /// All bytes of the output.
    bytes: Vec<u8>,
}

impl Fixture {
    fn new() -> Fixture {
        let directory = tempfile::tempdir().expect("a temporary directory can be created");
        let fixture = Fixture { directory };
        fs::create_dir(fixture.path("")).expect("it can be created");
        for name in ["bill.py", "report.py", HOSTILE] {
            fixture.write(name, BILL);
        }
        fixture
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join("workspace").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("it can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("it can be read")
    }

    fn of(&self, mut command: Command) -> Command {
        command
            .current_dir(self.path(""))
            .env("XDG_STATE_HOME", self.directory.path().join("state"))
            .env("XDG_CONFIG_HOME", self.directory.path().join("config"))
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR");
        command
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command.args(words);
        self.of(command)
    }

    fn run(&self, words: &[&str]) -> Value {
        let output = self.command(words).arg("--json").output();
        let output = output.expect("the command runs");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{words:?}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    fn stage(&self, file: &str, find: &str, content: &str) -> String {
        let made = self.run(&["text", find, content, file]);
        let edit_id = made["edit_id"].as_str().unwrap_or_else(|| panic!("{made}"));
        edit_id.to_string()
    }

    /// Returns the directory of the records of the workspace.
    fn records(&self) -> std::path::PathBuf {
        let state = self.directory.path().join("state/treegraft");
        let entries = fs::read_dir(state).expect("it is there");
        let mut folders = entries.map(|entry| entry.expect("it can be read").path());
        let is_of_records = |path: &std::path::PathBuf| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("edits-"))
        };
        folders.find(is_of_records).expect("there is an edit")
    }

    fn review(&self) -> Review {
        Review::of(self.command(&["review", "--terminal"]))
    }

    fn status(&self, edit_id: &str) -> Value {
        self.run(&["list", edit_id])["edits"][0].clone()
    }
}

fn size(number: u16) -> NonZero<u16> {
    NonZero::new(number).expect("a screen has cells")
}

impl Review {
    pub(crate) fn of(command: Command) -> Review {
        Review {
            terminal: OnTerminal::of(command),
            screen: vt100::Parser::new(size(24), size(80), 0),
            bytes: Vec::new(),
        }
    }

    /// Reads output until the screen is as wanted.
    pub(crate) fn until(&mut self, what: &str, is_wanted: impl Fn(&str) -> bool) {
        let latest = Instant::now() + PATIENCE;
        while !is_wanted(&self.screen.screen().contents()) {
            let left = latest.saturating_duration_since(Instant::now());
            let Some(bytes) = self.terminal.output_within(left) else {
                panic!(
                    "no {what:?} on the screen:\n{}",
                    self.screen.screen().contents()
                );
            };
            self.screen.process(&bytes);
            self.bytes.extend(bytes);
        }
    }

    pub(crate) fn sees(&mut self, text: &str) {
        self.until(text, |screen| screen.contains(text));
    }

    fn misses(&mut self, text: &str) {
        self.until(&format!("screen without {text}"), |screen| {
            !screen.contains(text)
        });
    }

    pub(crate) fn types(&mut self, text: &str) {
        self.terminal.types(text);
    }

    /// Reads the rest of the output. The terminal is then as a shell needs it.
    pub(crate) fn ends_restored(mut self, is_done: bool) -> String {
        assert_eq!(self.terminal.exit().success(), is_done);
        while let Some(bytes) = self.terminal.output_within(Duration::from_secs(2)) {
            self.screen.process(&bytes);
            self.bytes.extend(bytes);
        }
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert!(self.terminal.is_cooked());
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// An agent stages while the person looks; the person leaves out a file, accepts, discards with a reason and undoes.
#[test]
fn a_person_decides_by_keys() {
    let fixture = Fixture::new();
    let mut review = fixture.review();
    review.sees("No staged edits");
    let tax = fixture.stage("bill.py", "return 2", "return 20");
    review.sees("1 new edit");
    review.sees("return 20");
    let edits = json!([
        {"op": "replace_text", "file_path": "bill.py", "find": "return 1", "new_content": "return 10"},
        {"op": "replace_text", "file_path": "report.py", "find": "return 1", "new_content": "return 10"},
    ]);
    let both = fixture.run(&["edit", &edits.to_string()]);
    let both = both["edit_id"].as_str().expect("an id").to_string();
    review.sees("2 staged");
    review.types("k");
    review.sees("a accept 2 files");
    // The second file.
    review.types("nnx");
    review.sees("a accept 1 of 2 files");
    review.sees("[ ] report.py");
    review.types("a");
    review.sees("what you left out is still staged");
    assert_eq!(
        fixture.read("bill.py"),
        BILL.replace("return 1", "return 10")
    );
    assert_eq!(fixture.read("report.py"), BILL);
    assert_eq!(fixture.status(&both)["status"], "discarded");

    // The rest is shown, and discarded with a reason. A pasted text is no key.
    review.sees("1 edit of a divided edit");
    review.types("\u{1b}[200~aaaa\u{1b}[201~");
    review.types("d");
    review.sees("Discard this edit. Reason:");
    review.types("not the ");
    review.types("\u{1b}[200~report\nof today\u{1b}[201~");
    review.types("\r");
    review.sees("Discarded 1 edit");
    let discarded = fixture.run(&["list", "--status", "discarded"]);
    assert_eq!(discarded["edits"][0]["reason"], "not the report of today");

    // Of the same file, and written together with nothing else.
    review.sees("return 20");
    review.types(" a");
    review.sees("Accepted 1 edit in 1 file");
    assert_eq!(fixture.status(&tax)["status"], "applied");
    review.types("u");
    review.sees("Undid 1 edit in 1 file");
    assert_eq!(
        fixture.read("bill.py"),
        BILL.replace("return 1", "return 10")
    );

    // A refusal is shown whole.
    fixture.write("bill.py", "return 3\n");
    review.types("a");
    review.sees("Nothing was written: the edit is refused");
    review.sees("stale_edit");
    review.types("q");
    review.misses("stale_edit");
    review.types("?");
    review.sees("leave out the file or match at the cursor");
    review.types("\u{1b}");
    review.misses("leave out the file or match");
    assert!(!review.terminal.is_cooked());
    review.types("q");
    review.ends_restored(true);
}

/// The diff of an undo, and why one is refused, are on the screen before the key is pressed.
#[test]
fn an_undo_is_shown_before_it_is_made() {
    let fixture = Fixture::new();
    let applied = |find: &str, content: &str| {
        let edit_id = fixture.stage("bill.py", find, content);
        fixture.run(&["apply", &edit_id]);
    };
    applied("return 1", "return 10");
    applied("return 10", "return 100");
    applied("return 2", "return 20");
    let mut review = fixture.review();
    review.sees("return 20");
    review.types("j");
    review.sees("Undo keeps these changes");
    review.types("j");
    review.sees("undo is refused now:");
    review.sees("stale_edit");
    review.types("k");
    review.sees("Undo keeps these changes");
    review.types("u");
    review.sees("Undid 1 edit in 1 file");
    let text = BILL
        .replace("return 1", "return 10")
        .replace("return 2", "return 20");
    assert_eq!(fixture.read("bill.py"), text);
    review.types("q");
    review.ends_restored(true);
}

/// Files change under staged edits: the list marks those that do not fit any more, and each is shown as it is now.
#[test]
fn a_stale_edit_is_marked_and_shown_as_it_is_now() {
    let fixture = Fixture::new();
    let words = [
        "replace",
        "bill.py",
        "--anchor",
        "def tax",
        "--ancestor",
        "function_definition",
    ];
    fixture.run(&[&words[..], &["--content", "def vat():\n    return 20"]].concat());
    fixture.run(&["rewrite", "return $A", "yield $A", "report.py"]);
    let mut review = fixture.review();
    review.sees("yield 1");
    assert!(!review.screen.screen().contents().contains("stale"));
    // The other one, while this one is shown.
    fixture.write("bill.py", &BILL.replace("return 2", "return 22"));
    review.sees("bill.py  stale: tax");
    review.sees("1 edit is stale now");
    fixture.write("report.py", &BILL.replace("return 1", "return 11"));
    review.sees("report.py  stale: ");
    review.sees("yield 11");
    review.types("j");
    review.sees("return 22");
    fixture.write("bill.py", BILL);
    review.misses("bill.py  stale: ");
    review.misses("return 22");
    fixture.write("bill.py", &format!("# Elsewhere.\n{BILL}"));
    review.sees("The edit still fits");
    assert!(!review.screen.screen().contents().contains("bill.py  stale"));
    review.types("q");
    review.ends_restored(true);
}

/// The language server is asked what a stale edit of it changes now if the person wants that.
#[test]
fn the_language_server_is_asked_about_a_stale_edit() {
    let fixture = Fixture::new();
    crate::review::configure_server(fixture.directory.path());
    fixture.run(&["lsp", "format", "bill.py"]);
    let mut review = fixture.review();
    review.sees("return 10");
    fixture.write("bill.py", &BILL.replace("return 1", "return 7"));
    review.sees("Press f to ask the language server what it changes now.");
    review.types("f");
    review.misses("Press f");
    review.sees("return 7");
    review.types("q");
    review.ends_restored(true);
}

/// The nodes at the cursor are listed, and the edit is staged for the selected one.
/// Selects the innermost node of the last line of a diff, which is the last line of the other function.
fn select_last(review: &mut Review) {
    review.types("\u{1b}[F");
    review.types("t");
    review.sees("return 2");
    review.types("\u{1b}[C");
    review.sees("integer@2");
    review.types("\t\r");
    review.sees("Staged for the other node");
}

#[test]
fn another_node_is_selected_by_keys() {
    let fixture = Fixture::new();
    let edits = json!([
        {"op": "replace", "file_path": "bill.py", "selector": "integer@1", "new_content": "10"},
        {"op": "replace", "file_path": "bill.py", "selector": "identifier@tax", "new_content": "vat"},
    ]);
    let made = fixture.run(&["edit", &edits.to_string()]);
    let edit_id = made["edit_id"].as_str().expect("an id").to_string();
    let mut review = fixture.review();
    review.sees("vat");
    review.types("t");
    review.sees("Select another node");
    review.sees("line 2:     return 1");
    review.sees("replace integer");
    review.sees("return_statement@1");
    // To the number, which is the innermost node there, and for the other edit.
    review.types("\u{1b}[C");
    review.sees("integer@1");
    review.types("\t");
    review.sees("replace identifier");
    review.types("\u{1b}");
    review.misses("Select another node");
    select_last(&mut review);
    // Back, and there again.
    review.types("u");
    review.sees("Staged for the former node again");
    review.sees("return 1");
    select_last(&mut review);
    assert_eq!(fixture.status(&edit_id)["status"], "discarded");
    review.types("a");
    review.sees("Accepted 1 edit in 1 file");
    let text = BILL.replace("return 2", "return 10").replace("tax", "vat");
    assert_eq!(fixture.read("bill.py"), text);
    fixture.run(&["rewrite", "return $A", "yield $A", "report.py"]);
    review.sees("1 staged");
    review.types("k");
    review.sees("yield");
    review.types("t");
    review.sees("a pattern determines its matches");
    review.types("q");
    review.ends_restored(true);
}

/// The unchanged lines of a file are shown in parts, or all at once.
#[test]
fn the_whole_file_is_shown() {
    let fixture = Fixture::new();
    let lines = (0..2_000).map(|n| format!("a{n} = {n}\n"));
    fixture.write("long.py", &lines.collect::<String>());
    fixture.stage("long.py", "a1000 = 1000", "a1000 = 2");
    let mut review = fixture.review();
    review.sees("997 unchanged lines, Enter shows 400 of them, e the whole file");
    review.types("e");
    review.misses("unchanged lines");
    // To the start and the end of the file.
    review.types("\u{1b}[H");
    review.sees("a0 = 0");
    review.types("\u{1b}[F");
    review.sees("a1999 = 1999");
    review.types("q");
    review.ends_restored(true);
}

/// No control character of a name, a text or a reason reaches the terminal.
#[test]
fn control_characters_are_written_out() {
    let fixture = Fixture::new();
    let content = format!("return '{HOSTILE_TEXT}'");
    fixture.stage(HOSTILE, "return 1", &content);
    let discarded = fixture.stage(HOSTILE, "return 2", "return 3");
    let reason = format!("no {HOSTILE_TEXT}\n\rno");
    fixture.run(&["discard", &discarded, "--reason", &reason]);
    let mut review = fixture.review();
    review.sees("re\\u{202e}yp.py");
    review.sees("\\u{1b}]52;c;YQ==\\u{7}\\u{202e}");
    review.types("j");
    review.sees("discarded: no \\u{1b}]52;c;YQ==\\u{7}\\u{202e}");
    review.types("kd");
    review.sees("Reason:");
    // Sent by the keyboard as an escape key and letters: the question is closed, and nothing is written.
    review.types("\u{1b}");
    review.misses("Reason:");
    review.types("q");
    let output = review.ends_restored(true);
    for unwanted in ["\u{1b}]", "\u{7}", "\u{202e}"] {
        assert!(!output.contains(unwanted), "{unwanted:?}: {output:?}");
    }
    assert_eq!(fixture.read(HOSTILE), BILL);
}

/// Nor does one of a node, a selector or a line in the list of nodes. Of a long line, the part at the cursor is shown.
#[test]
fn control_characters_of_nodes_are_written_out() {
    let fixture = Fixture::new();
    let items: String = (0..3_000).map(|n| format!("'b{n}',")).collect();
    let text = format!("x = '{HOSTILE_TEXT}\u{e0041}'; y = 1\nz = [{items}]\n");
    fixture.write(HOSTILE, &text);
    let edits = json!([
        {"op": "replace", "file_path": HOSTILE, "selector": "integer@1", "new_content": "2"},
        {"op": "replace_text", "file_path": HOSTILE, "find": "'b2900'", "new_content": "'c'"},
    ]);
    fixture.run(&["edit", &edits.to_string()]);
    let mut review = fixture.review();
    review.sees("[x] edit 2");
    review.types("t");
    review.sees("Select another node");
    review.sees("x = '\\u{1b}]52;c;YQ==\\u{7}\\u{202e}\\u{e0041}'; y = 1");
    // To the text.
    review.types(&"\u{1b}[C".repeat(2));
    review.sees("string@");
    review.types("\t");
    review.sees("replace text in string");
    review.types("\u{1b}");
    review.misses("Select another node");
    // The long line, which the other edit changes, and its end.
    review.types("\u{1b}[F");
    review.types("t");
    review.sees("line 2: ");
    review.types(&"\u{1b}[C".repeat(80));
    review.sees("line 2: …");
    review.sees("^");
    review.types("\u{1b}");
    review.misses("Select another node");
    review.types("q");
    let output = review.ends_restored(true);
    for unwanted in ["\u{1b}]", "\u{7}", "\u{202e}", "\u{e0041}"] {
        assert!(!output.contains(unwanted), "{unwanted:?}: {output:?}");
    }
    assert_eq!(fixture.read(HOSTILE), text);
}

#[test]
fn without_colors_nothing_is_colored() {
    let fixture = Fixture::new();
    fixture.stage("bill.py", "return 1", "return 10");
    let is_colored = |review: &Review| {
        let screen = review.screen.screen();
        let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
        let mut cells = cells.filter_map(|(row, column)| screen.cell(row, column));
        cells.any(|cell| {
            cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default
        })
    };
    let mut review = fixture.review();
    review.sees("return 10");
    assert!(is_colored(&review));
    review.types("q");
    review.ends_restored(true);
    let mut command = fixture.command(&["review", "--terminal"]);
    command.env("NO_COLOR", "1");
    let mut review = Review::of(command);
    review.sees("return 10");
    assert!(!is_colored(&review));
    review.types("q");
    review.ends_restored(true);
}

#[test]
fn signals_and_ctrl_c_restore_the_terminal() {
    let fixture = Fixture::new();
    for stop in ["-TERM", "-INT", "ctrl-c"] {
        let mut review = fixture.review();
        review.sees("No staged edits");
        match stop {
            "ctrl-c" => review.types("\u{3}"),
            signal => {
                let id = review.terminal.id().to_string();
                let sent = Command::new("kill").args([signal, &id]).status();
                assert!(sent.expect("kill runs").success());
            }
        }
        review.ends_restored(true);
    }
}

/// A terminal whose window is closed leaves no process, even if the process gets no signal.
#[test]
fn a_closed_terminal_ends_the_review() {
    let fixture = Fixture::new();
    fixture.stage("bill.py", "return 1", "return 10");
    for keys in ["", "d", "?"] {
        let mut review = fixture.review();
        review.sees("return 10");
        review.types(keys);
        review.terminal.closes();
        assert!(review.terminal.exit().success(), "{keys}");
    }
    assert_eq!(fixture.read("bill.py"), BILL);
}

/// The code around an edit changed: the screen shows what is written, and that is written.
#[test]
fn an_edit_whose_surroundings_changed_is_accepted_as_it_is_shown() {
    let fixture = Fixture::new();
    let edit_id = fixture.stage("bill.py", "return 1", "return 10");
    let mut review = fixture.review();
    review.sees("return 10");
    let text = format!("# The bill.\n{}", BILL.replace("return 2", "return 3"));
    fixture.write("bill.py", &text);
    review.sees("The code around the edit changed");
    review.sees("# The bill.");
    review.types("a");
    review.sees("Accepted 1 edit in 1 file");
    assert_eq!(
        fixture.read("bill.py"),
        text.replace("return 1", "return 10")
    );
    assert_eq!(fixture.status(&edit_id)["status"], "applied");
    review.types("q");
    review.ends_restored(true);
}

/// A screen that panics once, while it is drawn.
struct Panicking;

impl Write for Panicking {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        static WRITTEN: AtomicUsize = AtomicUsize::new(0);
        let before = WRITTEN.fetch_add(bytes.len(), Ordering::Relaxed);
        let after = before + bytes.len();
        let written = io::stdout().write(bytes);
        assert!(before >= 300 || after < 300, "the screen fails");
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// The program whose screen panics; the next test starts it on a terminal.
#[test]
fn the_screen_that_panics() {
    if std::env::var_os(PANICS).is_none() {
        return;
    }
    let state = std::env::var("XDG_STATE_HOME").expect("it is set");
    let engine = Engine::open(&["."], Some(state)).expect("it can be opened");
    let done = in_terminal(&engine, &Stop::default(), true, || Panicking);
    done.expect("it panics before");
}

#[test]
fn a_panic_restores_the_terminal_before_its_message() {
    let fixture = Fixture::new();
    let program = std::env::current_exe().expect("the tests are a program");
    let mut command = fixture.of(Command::new(program));
    let test = "review_terminal::the_screen_that_panics";
    command
        .args(["--exact", test, "--nocapture"])
        .env(PANICS, "1");
    let output = Review::of(command).ends_restored(false);
    let (before, after) = output
        .split_once("the screen fails")
        .expect("the message is printed");
    assert!(before.contains("\u{1b}[?1049l"), "{before:?}");
    assert!(!after.contains("\u{1b}[?1049h"), "{after:?}");
}

/// The review is usable on small screens, and survives the smallest.
#[test]
fn any_size_will_do() {
    let fixture = Fixture::new();
    fixture.stage("bill.py", "return 1", "return 10");
    let mut review = fixture.review();
    review.sees("return 10");
    for (rows, columns) in [(2, 3), (1, 1), (10, 40), (50, 200), (6, 30), (24, 80)] {
        review.terminal.resize(rows, columns);
        review
            .screen
            .screen_mut()
            .set_size(size(rows), size(columns));
        if rows > 5 {
            // The change is in view, or the next key moves to it.
            review.types("\u{1b}[F");
            review.sees("return 10");
            review.types("\u{1b}[H");
            review.sees("treegraft review");
        }
    }
    review.types("q");
    review.ends_restored(true);
    let output = fixture.command(&["review", "--terminal"]).output();
    let output = output.expect("the command runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("--terminal needs a terminal"), "{errors}");
    assert_eq!(output.status.code(), Some(3));
}

/// A thousand edits, and a diff of thousands of lines in a file of fifty thousand.
#[test]
fn many_edits_and_long_files_stay_fluid() {
    let fixture = Fixture::new();
    let edit_id = fixture.stage("bill.py", "return 1", "return 10");
    let records = fixture.records();
    let record = fs::read_to_string(records.join(format!("{edit_id}.json")));
    let record = record.expect("it is kept");
    for number in 1..1_000 {
        let other = format!("e{number:012x}");
        let copy = record.replace(&edit_id, &other);
        fs::write(records.join(format!("{other}.json")), copy).expect("it can be written");
    }
    let lines = |word: &str, count: usize| -> String {
        (0..count).map(|n| format!("    {word}{n},\n")).collect()
    };
    let text = |word: &str| format!("x = [\n{}]\n", lines(word, 3_000));
    fixture.write(
        "long.py",
        &format!("{}\ny = [\n{}]\n", text("b"), lines("z", 7_000)),
    );
    fixture.write("content", text("c").trim_end());
    fixture.run(&[
        "replace",
        "long.py",
        "--anchor",
        "x = [",
        "--ancestor",
        "assignment",
        "--content-file",
        "content",
    ]);
    let mut review = fixture.review();
    review.sees("1001 staged");
    review.sees("long.py");
    let started = Instant::now();
    review.types(&"j".repeat(500));
    review.types(&"k".repeat(500));
    review.sees("replace assignment");
    // The end of the diff, and back.
    review.types("\u{1b}[F");
    review.sees("unchanged lines");
    review.types(&"\u{1b}[A".repeat(300));
    review.types("\u{1b}[H");
    review.sees("b0,");
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "{:?}",
        started.elapsed()
    );
    review.types("q");
    review.ends_restored(true);
}
