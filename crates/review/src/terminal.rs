//! The review in a terminal: the list of edits and the diff of one, with the keys of the page.
//!
//! `state` reacts to keys and to the edits that agents stage; `draw` puts the state on the screen. Every text that comes from
//! a file, an edit or an agent has its control characters written out before it is drawn.

mod draw;
mod state;
mod target;

use std::io::{self, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use treegraft::engine::Engine;

use state::{Next, State};

/// The time between two looks for edits that changed.
const PAUSE: Duration = Duration::from_millis(400);
/// How soon the terminal notices that it is to stop.
const NOTICES_WITHIN: Duration = Duration::from_millis(100);

/// Asks the terminal to stop, from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks it to stop. It restores the screen first.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Shows the edits until the person quits or `stop` is asked. `output` returns the terminal; without `has_colors`, nothing
/// is colored.
///
/// The screen is restored in any case, even if this thread panics.
///
/// # Errors
/// The terminal fails.
pub fn in_terminal<W: Write + 'static>(
    engine: &Engine,
    stop: &Stop,
    has_colors: bool,
    output: fn() -> W,
) -> io::Result<()> {
    let _screen = Screen::taken(output)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(output()))?;
    let mut state = State::new(engine);
    let mut looked = Instant::now();
    state.refresh();
    while !stop.is_asked() {
        terminal.draw(|frame| draw::draw(frame, &mut state, has_colors))?;
        if event::poll(NOTICES_WITHIN)? {
            // A held key passes edits without loading them.
            loop {
                if react(&mut state, &event::read()?) == Next::Quit {
                    return Ok(());
                }
                if !event::poll(Duration::ZERO)? {
                    break;
                }
            }
        }
        if looked.elapsed() >= PAUSE {
            state.refresh();
            looked = Instant::now();
        }
        state.load();
    }
    Ok(())
}

/// Returns whether the terminal that these are ends of is gone: its window or connection is closed.
///
/// A process that gets no signal then would stay: reading from such a terminal neither waits nor ends.
#[cfg(unix)]
pub fn is_terminal_gone(ends: [&dyn AsFd; 2]) -> bool {
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    // Asked for nothing, the system reports these alone.
    let mut ends = ends.map(|end| PollFd::from_borrowed_fd(end.as_fd(), PollFlags::empty()));
    let asked = poll(&mut ends, Some(&Timespec::default()));
    asked.is_ok() && ends.iter().any(|end| end.revents().intersects(gone))
}

fn react(state: &mut State<'_>, event: &Event) -> Next {
    match event {
        Event::Key(key) if key.is_press() || key.is_repeat() => state.press(*key),
        Event::Paste(text) => {
            state.paste(text);
            Next::Go
        }
        _ => Next::Go,
    }
}

/// The alternate screen of the terminal. Dropping it restores the terminal; a panic does so before its message.
struct Screen<W: Write + 'static>(fn() -> W);

impl<W: Write + 'static> Screen<W> {
    fn taken(output: fn() -> W) -> io::Result<Screen<W>> {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore(&mut output());
            hook(info);
        }));
        enable_raw_mode()?;
        let screen = Screen(output);
        execute!(output(), EnterAlternateScreen, EnableBracketedPaste)?;
        Ok(screen)
    }
}

impl<W: Write + 'static> Drop for Screen<W> {
    fn drop(&mut self) {
        restore(&mut (self.0)());
    }
}

/// Restores the terminal. If that fails, the terminal is gone.
fn restore(output: &mut impl Write) {
    let _ = execute!(output, DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}
