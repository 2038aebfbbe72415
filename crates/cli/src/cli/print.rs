//! Prints answers, refusals and progress; no other file prints.
//!
//! On a terminal, colors diffs, shows long ones in a pager, and shows the progress of long calls on
//! standard error. Prints the calls that a refusal suggests as commands.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::stream::{AsLockedWrite, RawStream};
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use camino::Utf8PathBuf;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use crate::user_files;
use treegraft::engine::response::AnyAnswer;
use treegraft::engine::response::{EditList, RefusedCall};
use treegraft::engine::watch::{self, Watch};
use treegraft::source::signs;

use super::args::Color;
#[cfg(unix)]
use super::background::Answered;
use super::{call_text, edits};

/// Prints answers and refusals in the requested form.
pub(super) struct Printer {
    color: ColorChoice,
    json: bool,
    /// The pager for long diffs.
    pager: Option<String>,
    /// The roots of `--root`, which suggested commands repeat.
    roots: Vec<Utf8PathBuf>,
}

/// How long a call takes before its progress is shown.
const PATIENCE: Duration = Duration::from_millis(400);

const ADDED: Style = AnsiColor::Green.on_default();
const REMOVED: Style = AnsiColor::Red.on_default();
const HUNK: Style = AnsiColor::Cyan.on_default();
const STRONG: Style = Style::new().bold();
const REFUSED: Style = AnsiColor::Red.on_default().bold();

/// Returns the terminal, for a program that draws on the whole screen.
#[cfg(feature = "review")]
pub(super) fn terminal() -> io::Stdout {
    io::stdout()
}

/// Returns whether the terminal is gone. Elsewhere than on Unix, the system ends the process then.
#[cfg(feature = "review")]
pub(super) fn is_terminal_gone() -> bool {
    #[cfg(unix)]
    return treegraft_review::is_terminal_gone([&io::stdin(), &io::stdout()]);
    #[cfg(not(unix))]
    return false;
}

impl Printer {
    pub(super) fn new(
        color: Color,
        json: bool,
        pager: Option<String>,
        roots: Vec<Utf8PathBuf>,
    ) -> Printer {
        let color = match color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        Printer {
            color,
            json,
            pager,
            roots,
        }
    }

    /// Prints an answer to standard output.
    pub(super) fn answer(&self, answer: &dyn AnyAnswer) {
        match self.json {
            true => self.json(&answer.as_json()),
            false => {
                let text = answer.as_text_with(&|tool, call| self.command(tool, call));
                self.answer_text(&text);
            }
        }
    }

    /// Prints an empty line between two answers, unless they are JSON.
    pub(super) fn separate(&self) {
        if !self.json {
            self.text(io::stdout(), "\n");
        }
    }

    /// Prints an answer or a refusal that another process made for the same command line.
    #[cfg(unix)]
    pub(super) fn answered(&self, answered: &Answered) {
        match (self.json, answered.is_refusal) {
            (true, _) => self.json(&answered.json),
            (false, true) => self.text(io::stderr(), &answered.text),
            (false, false) => self.answer_text(&answered.text),
        }
    }

    fn answer_text(&self, text: &str) {
        let shown = match self.is_long(text) && self.page(text) {
            // After leaving the pager, the user still sees what to do next.
            true => text.rsplit_once("\n\n").map_or("", |(_, end)| end),
            false => text,
        };
        self.text(io::stdout(), shown);
    }

    /// Prints the table of staged and applied edits to standard output.
    pub(super) fn edits(&self, list: &EditList) {
        match self.json {
            true => self.json(list),
            false => {
                let size = terminal_size::terminal_size().filter(|_| self.is_on_terminal());
                let width = size.map(|(width, _)| usize::from(width.0));
                let text = edits::table(list, width);
                self.text(io::stdout(), &text);
            }
        }
    }

    /// Writes bytes to standard output.
    pub(super) fn bytes(&self, bytes: &[u8]) {
        let mut output = io::stdout().lock();
        // A reader that closed the pipe does not want the rest.
        let _ = output.write_all(bytes).and_then(|()| output.flush());
    }

    /// Returns whether answers are JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints the beginning of a text that leaves room for a question on the screen, and the number of lines that follow
    /// it.
    pub(super) fn part(&self, text: &str) {
        /// The lines of the screen that the text does not use.
        const KEPT: usize = 4;
        let height =
            terminal_size::terminal_size().map_or(usize::MAX, |(_, height)| height.0.into());
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let shown = lines.len().min(height.saturating_sub(KEPT).max(1));
        let mut part = lines[..shown].concat();
        if shown < lines.len() {
            part.push_str(&format!(
                "(and {} more lines; v shows all)\n",
                lines.len() - shown
            ));
        }
        self.text(io::stdout(), &part);
    }

    /// Asks the user for a line of text. Returns `None` at the end of the input.
    pub(super) fn ask_line(&self, question: &str) -> Option<String> {
        let mut output = io::stdout().lock();
        let asked = write!(output, "{question}").and_then(|()| output.flush());
        let line = asked
            .and_then(|()| user_files::read_line_of_standard_input())
            .ok()?;
        (!line.is_empty()).then(|| line.trim().to_string())
    }

    /// Returns whether standard output is a terminal.
    pub(super) fn is_on_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Returns whether answers are text on a terminal.
    pub(super) fn is_for_a_person(&self) -> bool {
        !self.json && self.is_on_terminal()
    }

    /// Returns whether standard output has colors.
    #[cfg(feature = "review")]
    pub(super) fn has_colors(&self) -> bool {
        self.color_on(&io::stdout()) != ColorChoice::Never
    }

    /// Returns whether there is a user to ask.
    pub(super) fn can_ask(&self) -> bool {
        self.is_for_a_person() && self.has_keyboard()
    }

    /// Returns whether standard input is a keyboard.
    pub(super) fn has_keyboard(&self) -> bool {
        io::stdin().is_terminal()
    }

    /// Asks the user a yes/no question; any answer except yes means no.
    pub(super) fn ask(&self, question: &str) -> bool {
        let mut output = io::stdout().lock();
        let asked = write!(output, "{question} [y/N] ").and_then(|()| output.flush());
        let answer = asked.and_then(|()| user_files::read_line_of_standard_input());
        answer.is_ok_and(|answer| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
    }

    /// Makes a call and shows its progress as a bar.
    pub(super) fn watching<T>(&self, what: &'static str, call: impl FnOnce(&dyn Watch) -> T) -> T {
        let bar = Bar {
            what,
            from: Instant::now(),
            is_seen: io::stderr().is_terminal(),
            bar: Mutex::new(None),
        };
        let answer = call(&bar);
        let shown = bar.bar.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(shown) = shown {
            shown.finish_and_clear();
        }
        answer
    }

    /// Makes a call that may wait for a language server, and shows a spinner while it waits.
    pub(super) fn waiting<T>(&self, call: impl FnOnce() -> T) -> T {
        if !io::stderr().is_terminal() {
            return call();
        }
        let (ends, ended) = channel::<()>();
        let printer_thread = thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let spinner = ProgressBar::new_spinner().with_style(style("{spinner} {msg} {elapsed}"));
            spinner.set_message("waiting for the language server");
            spinner.enable_steady_tick(Duration::from_millis(100));
            // It ends when the sender is dropped.
            let _ = ended.recv();
            spinner.finish_and_clear();
        });
        let answer = call();
        drop(ends);
        let _ = printer_thread.join();
        answer
    }

    /// Prints a refusal to standard error, or as JSON to standard output.
    pub(super) fn refusal(&self, refusal: &RefusedCall) {
        match self.json {
            true => self.json(&refusal.json()),
            false => {
                let command = |tool: &str, call: &Value| self.command(tool, call);
                let text = refusal.text_with(&command);
                self.text(io::stderr(), &text);
            }
        }
    }

    /// Prints one of many answers as a line of JSON to standard output. Returns false if nobody reads it.
    pub(super) fn line(&self, answer: &Value) -> bool {
        let mut output = io::stdout().lock();
        writeln!(output, "{answer}").is_ok() && output.flush().is_ok()
    }

    /// Describes standard output: whether it is a terminal, and whether output is colored.
    pub(super) fn terminal(&self) -> String {
        let what = match io::stdout().is_terminal() {
            true => "a terminal",
            false => "not a terminal",
        };
        match self.color_on(&io::stdout()) {
            ColorChoice::Never => format!("{what}, without colors"),
            _ => format!("{what}, with colors"),
        }
    }

    /// Prints an error to standard error.
    pub(super) fn problem(&self, text: &str) {
        self.text(io::stderr(), &format!("error: {text}\n"));
    }

    /// Prints a message to standard error.
    pub(super) fn message(&self, text: &str) {
        self.text(io::stderr(), &format!("{text}\n"));
    }

    fn json(&self, value: &impl serde::Serialize) {
        let mut text = serde_json::to_string_pretty(value).expect("answers have string keys");
        text.push('\n');
        if self.is_on_terminal() {
            // JSON can escape every character of its strings.
            let written = |sign| match sign {
                '\n' => sign.to_string(),
                sign => format!("\\u{:04x}", u32::from(sign)),
            };
            text = signs::written_out(&text, written).into_owned();
        }
        self.bytes(text.as_bytes());
    }

    /// Returns whether output to the stream is colored.
    fn color_on(&self, stream: &impl RawStream) -> ColorChoice {
        match self.color {
            ColorChoice::Auto => AutoStream::choice(stream),
            color => color,
        }
    }

    /// Returns whether the text contains a diff and does not fit on the screen.
    fn is_long(&self, text: &str) -> bool {
        let size = terminal_size::terminal_size().filter(|_| self.is_on_terminal());
        let is_diff = || text.lines().any(|line| line.starts_with("--- "));
        size.is_some_and(|(_, height)| text.lines().count() >= usize::from(height.0) && is_diff())
    }

    /// Shows a text in the pager. Returns false if there is none.
    #[expect(
        clippy::disallowed_methods,
        reason = "the pager is the user's own program, named by their environment"
    )]
    fn page(&self, text: &str) -> bool {
        let mut words = self.pager.as_deref().unwrap_or_default().split_whitespace();
        let Some(program) = words.next().filter(|program| *program != "cat") else {
            return false;
        };
        let is_colored = self.color_on(&io::stdout()) != ColorChoice::Never;
        let shown = shown(text, is_colored, true);
        let mut pager = Command::new(program);
        pager.args(words).stdin(Stdio::piped());
        let Ok(mut pager) = pager.spawn() else {
            return false;
        };
        if let Some(mut input) = pager.stdin.take() {
            // A user who leaves the pager early does not want the rest.
            let _ = input.write_all(shown.as_bytes());
        }
        let _ = pager.wait();
        true
    }

    /// Returns the command that makes a tool's call from the same directory.
    fn command(&self, tool: &str, arguments: &Value) -> String {
        call_text::command(&self.roots, tool, arguments)
    }

    /// Ignores a closed pipe: its reader does not want the rest.
    fn text(&self, mut stream: impl RawStream + AsLockedWrite, text: &str) {
        let color = self.color_on(&stream);
        let shown = shown(text, color != ColorChoice::Never, stream.is_terminal());
        // One write. Without colors, the text is unchanged: bytes of a file may look like color
        // codes.
        let _ = match color {
            ColorChoice::Never => stream
                .write_all(shown.as_bytes())
                .and_then(|()| stream.flush()),
            _ => {
                let mut stream = AutoStream::new(stream, color);
                stream
                    .write_all(shown.as_bytes())
                    .and_then(|()| stream.flush())
            }
        };
    }
}

/// Returns a text as it is printed: with colors, and on a terminal with control and invisible
/// characters escaped.
fn shown(text: &str, is_colored: bool, is_on_terminal: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut in_diff = false;
    for line in text.split_inclusive('\n') {
        in_diff = in_diff || line.starts_with("--- ");
        let style = match in_diff {
            _ if !is_colored => None,
            true => style_in_diff(line),
            false if line.starts_with("refused: ") || line.starts_with("error: ") => Some(REFUSED),
            false
                if ["help: ", "note: ", edits::HEAD[0]]
                    .iter()
                    .any(|one| line.starts_with(one)) =>
            {
                Some(STRONG)
            }
            false => None,
        };
        let bare = line.trim_end_matches(['\r', '\n']);
        let end = &line[bare.len()..];
        let bare = match is_on_terminal {
            true => signs::written_out(bare, |sign| match sign {
                '\t' => sign.to_string(),
                sign => sign.escape_default().to_string(),
            }),
            false => Cow::Borrowed(bare),
        };
        match style {
            Some(style) => shown += &format!("{style}{bare}{style:#}{end}"),
            None => shown.extend([&*bare, end]),
        }
    }
    shown
}

/// The progress of a call, on standard error.
struct Bar {
    what: &'static str,
    from: Instant,
    is_seen: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Watch for Bar {
    fn goes_on(&self, done: usize, all: usize) -> bool {
        if self.is_seen && self.from.elapsed() >= PATIENCE {
            let mut shown = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
            let bar = shown.get_or_insert_with(|| {
                let bar = ProgressBar::new(0).with_message(self.what);
                bar.with_style(style("[{bar:40}] {pos} of {len} {msg}, {eta} left"))
            });
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
        true
    }

    fn client(&self) -> Option<&str> {
        User.client()
    }
}

/// The user, who makes a call without progress.
pub(super) struct User;

impl Watch for User {
    fn goes_on(&self, _: usize, _: usize) -> bool {
        true
    }

    fn client(&self) -> Option<&str> {
        Some(watch::COMMAND_LINE)
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    style.progress_chars("=> ")
}

fn style_in_diff(line: &str) -> Option<Style> {
    match line.as_bytes().first() {
        _ if line.starts_with("--- ") || line.starts_with("+++ ") => Some(STRONG),
        Some(b'+') => Some(ADDED),
        Some(b'-') => Some(REMOVED),
        Some(b'@') => Some(HUNK),
        _ => None,
    }
}
