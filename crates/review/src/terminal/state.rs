//! The list, the opened edit and the decisions of the person: reacts to keys, and keeps up with the edits that agents
//! stage.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use treegraft::engine::Engine;
use treegraft::engine::response::EditListed;
use treegraft::engine::review::{EditReviewed, FilesMark, FormerTarget, TargetReviewed};

use crate::decisions::{self, Choice, Decided, counted};
use crate::diff::{FileDiff, Row, part_noun, visible};
use crate::items::{self, Group, Item};
use crate::listing::{Listing, Marks, changed, changed_edits};

use super::target::{Asked, Targeting};

/// How long edits are compared with files that changed, at each look. Keys wait for it.
const TIME_TO_COMPARE: Duration = Duration::from_millis(50);
/// The number of unchanged lines that are shown at once.
pub(super) const LINES_SHOWN: usize = 400;
/// The maximum length of a reason, in characters.
const REASON_CHARS: usize = treegraft::engine::REASON_CHARS;

/// Whether the terminal goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Go,
    Quit,
}

/// A part of an edit that is left out: a file, and a part of it unless all of it is left out.
pub(super) type LeftOut = BTreeSet<(usize, Option<usize>)>;

/// Everything that the terminal shows.
pub(super) struct State<'e> {
    engine: &'e Engine,
    listing: Listing,
    marks: Marks,
    /// Whether the edits were read before.
    is_listed: bool,
    pub(super) groups: Vec<Group>,
    /// The id of the shown edit.
    pub(super) current: Option<String>,
    /// The shown edit, once it is loaded.
    pub(super) opened: Option<Opened>,
    needs_load: bool,
    /// Whether the language server is asked about the shown edit, once the screen says so.
    asks: Asking,
    /// The shown edit, and the state of its files before they were read.
    watched: Option<(EditListed, FilesMark)>,
    pub(super) selected: BTreeSet<String>,
    left_out: HashMap<String, LeftOut>,
    /// The digest of the diff that each edit was last shown with.
    shown: HashMap<String, String>,
    last_accepted: Vec<String>,
    /// The edit that was last staged for another node, and its former call.
    last_target: Option<(String, FormerTarget)>,
    pub(super) message: String,
    pub(super) mode: Mode,
    /// The number of lines of a diff on the screen, as last drawn.
    pub(super) height: usize,
}

/// Whether a language server is asked about the shown edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asking {
    No,
    /// After the screen is drawn once more.
    Soon,
    Now,
}

/// What the keys do.
pub(super) enum Mode {
    /// They are those of the page.
    Keys,
    /// They are the reason for discarding these edits.
    Reason { text: String, edit_ids: Vec<String> },
    /// They select another node for an edit.
    Target(Targeting),
    /// They scroll a text.
    Text {
        title: String,
        lines: Vec<String>,
        /// The first line on the screen, after long lines are broken.
        top: usize,
    },
}

/// The shown edit.
pub(super) struct Opened {
    pub(super) edit_id: String,
    /// Whether it can be accepted.
    pub(super) is_open: bool,
    noun: &'static str,
    pub(super) files: Vec<FileDiff>,
    /// The files of the diff that would be written now.
    pub(super) now: Vec<FileDiff>,
    pub(super) lines: Vec<ViewLine>,
    /// What happened to its files since.
    since: String,
    /// Whether the language server can be asked what the edit changes now.
    can_ask: bool,
    targets: Vec<TargetReviewed>,
    /// Why no edit of the call can get another target.
    no_target: Option<String>,
    /// The line with the cursor.
    pub(super) cursor: usize,
    /// The first line on the screen.
    pub(super) top: usize,
    /// The number of columns that are scrolled past.
    pub(super) shift: usize,
}

/// A line of the shown edit.
pub(super) enum ViewLine {
    /// A text about the edit.
    Text(String, TextKind),
    /// The name of the file with this index.
    File(usize),
    /// A row of a file.
    Row(usize, Row),
    /// A row of a file of the diff that would be written now.
    Now(usize, Row),
}

/// How a text about an edit is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    Head,
    Plain,
    Note,
    Problem,
}

impl<'e> State<'e> {
    pub(super) fn new(engine: &'e Engine) -> State<'e> {
        State {
            engine,
            listing: Listing::default(),
            marks: Marks::new(),
            is_listed: false,
            groups: Vec::new(),
            current: None,
            opened: None,
            needs_load: false,
            asks: Asking::No,
            watched: None,
            selected: BTreeSet::new(),
            left_out: HashMap::new(),
            shown: HashMap::new(),
            last_accepted: Vec::new(),
            last_target: None,
            message: String::new(),
            mode: Mode::Keys,
            height: 0,
        }
    }

    /// Returns the roots of the workspace.
    pub(super) fn roots(&self) -> String {
        let roots = self.engine.roots().map(one_line);
        roots.collect::<Vec<_>>().join(", ")
    }

    /// Reads which edits changed since the last call.
    pub(super) fn refresh(&mut self) {
        if let Err(refused) = self.listing.refresh(self.engine) {
            // A directory that cannot be read now may be readable later.
            self.message = one_line(refused.message());
            return;
        }
        self.listing.compare(self.engine, TIME_TO_COMPARE);
        let marks = self.listing.marks();
        let ids = changed(&self.marks, &marks);
        let edits = changed_edits(&self.marks, &marks);
        let is_first = !std::mem::replace(&mut self.is_listed, true);
        let watched = self.watched.as_ref();
        self.needs_load |=
            watched.is_some_and(|(edit, files)| self.engine.files_mark(edit) != *files);
        if ids.is_empty() {
            return;
        }
        let fresh = ids.iter().filter(|id| !self.marks.contains_key(*id));
        let fresh: Vec<&String> = fresh.collect();
        let were_stale: BTreeSet<String> = self.stale().collect();
        self.groups = items::groups(&self.listing);
        let staged: BTreeSet<String> = self.staged().map(|item| item.edit_id.clone()).collect();
        let fresh = fresh.iter().filter(|id| staged.contains(**id));
        let fresh = fresh.count();
        if !is_first && fresh > 0 && matches!(self.mode, Mode::Keys) {
            self.message = format!(
                "{} new {}",
                fresh,
                if fresh == 1 { "edit" } else { "edits" }
            );
        }
        let stale = self.stale().filter(|id| !were_stale.contains(id)).count();
        if !is_first && fresh == 0 && stale > 0 && matches!(self.mode, Mode::Keys) {
            self.message = match stale {
                1 => "1 edit is stale now".to_string(),
                count => format!("{count} edits are stale now"),
            };
        }
        self.selected.retain(|id| staged.contains(id));
        self.left_out.retain(|id, _| staged.contains(id));
        self.shown.retain(|id, _| staged.contains(id));
        self.marks = marks;
        let is_listed = |id: &String| self.item(id).is_some();
        match self.current.clone() {
            Some(id) if is_listed(&id) => {
                self.needs_load |= edits.contains(&id);
            }
            _ => {
                let first = self.staged().next().map(|item| item.edit_id.clone());
                self.show(first.or_else(|| self.items().next().map(|item| item.edit_id.clone())));
            }
        }
    }

    /// Loads the shown edit, if it is another one or has changed.
    pub(super) fn load(&mut self) {
        let asks = self.asks == Asking::Now;
        self.asks = match self.asks {
            Asking::Soon => Asking::Now,
            Asking::Now | Asking::No => Asking::No,
        };
        if !std::mem::take(&mut self.needs_load) && !asks {
            return;
        }
        let Some(edit_id) = self.current.clone() else {
            self.opened = None;
            return;
        };
        let place = self.opened.as_ref().filter(|one| one.edit_id == edit_id);
        let since = place.map(|one| one.since.clone());
        let place = place.map(|one| (one.cursor, one.top, one.shift));
        let listed = self.listing.get(&edit_id).cloned();
        self.watched = listed.map(|edit| {
            let files = self.engine.files_mark(&edit);
            (edit, files)
        });
        let reviewed = match asks {
            true => self.engine.review_edit_asking(&edit_id),
            false => self.engine.review_edit(&edit_id),
        };
        self.opened = match reviewed {
            Err(refused) => {
                self.message = one_line(refused.message());
                None
            }
            Ok(reviewed) => {
                self.shown.insert(edit_id.clone(), reviewed.shown.clone());
                self.listing.learn(&reviewed);
                let mut opened = Opened::from_reviewed(&reviewed);
                (opened.cursor, opened.top, opened.shift) = place.unwrap_or_default();
                opened.cursor = opened.cursor.min(opened.lines.len().saturating_sub(1));
                let is_other = since.is_some_and(|since| since != opened.since);
                if is_other && !opened.since.is_empty() && matches!(self.mode, Mode::Keys) {
                    self.message = opened.since.clone();
                }
                Some(opened)
            }
        };
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &Item> {
        self.groups.iter().flat_map(|group| &group.items)
    }

    fn staged(&self) -> impl Iterator<Item = &Item> {
        self.items().filter(|item| item.is("previewed"))
    }

    /// Returns the ids of the staged edits that cannot be written as they were shown.
    fn stale(&self) -> impl Iterator<Item = String> {
        let stale = self.items().filter(|item| item.fit == "stale");
        stale.map(|item| item.edit_id.clone())
    }

    /// Returns the number of edits that can be accepted.
    pub(super) fn pending(&self) -> usize {
        self.staged().count()
    }

    fn item(&self, edit_id: &str) -> Option<&Item> {
        self.items().find(|item| item.edit_id == edit_id)
    }

    fn current_item(&self) -> Option<&Item> {
        self.current.as_deref().and_then(|id| self.item(id))
    }

    /// Returns what is left out of an edit.
    pub(super) fn left_out(&self, edit_id: &str) -> Option<&LeftOut> {
        self.left_out.get(edit_id).filter(|left| !left.is_empty())
    }

    fn show(&mut self, edit_id: Option<String>) {
        if self.current != edit_id {
            self.opened = None;
        }
        self.current = edit_id;
        self.needs_load = true;
    }

    /// Reacts to a key.
    pub(super) fn press(&mut self, key: KeyEvent) -> Next {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && matches!(key.code, KeyCode::Char('c')) {
            return Next::Quit;
        }
        let page = self.height.max(1);
        match &mut self.mode {
            Mode::Keys if !is_control => return self.act(key.code),
            Mode::Keys => {}
            Mode::Reason { text, .. } => match key.code {
                KeyCode::Esc => self.mode = Mode::Keys,
                KeyCode::Enter => self.discard_now(),
                KeyCode::Backspace => drop(text.pop()),
                KeyCode::Char('u') if is_control => text.clear(),
                KeyCode::Char(sign) if !is_control && text.chars().count() < REASON_CHARS => {
                    text.push(sign);
                }
                _ => {}
            },
            Mode::Target(asked) => match asked.press(self.engine, key.code) {
                Asked::Go => {}
                Asked::Close => self.mode = Mode::Keys,
                Asked::Retarget(edit_id, number, selector) => {
                    self.mode = Mode::Keys;
                    let selector = selector.as_ref();
                    let former = self.engine.former_target(&edit_id);
                    let decided = decisions::retarget(
                        self.engine,
                        &self.listing,
                        &edit_id,
                        Some(number),
                        selector,
                    );
                    let new = decided.left_out.first().cloned();
                    self.last_target = new.zip(former).or(self.last_target.take());
                    self.decided(&[edit_id], decided);
                }
            },
            Mode::Text { top, .. } => match key.code {
                KeyCode::Down | KeyCode::Char('j') => *top += 1,
                KeyCode::Up | KeyCode::Char('k') => *top = top.saturating_sub(1),
                KeyCode::PageDown | KeyCode::Char(' ') => *top += page,
                KeyCode::PageUp => *top = top.saturating_sub(page),
                KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q' | '?') => self.mode = Mode::Keys,
                _ => {}
            },
        }
        Next::Go
    }

    /// Takes a pasted text, which is only a reason: its letters are no keys.
    pub(super) fn paste(&mut self, pasted: &str) {
        if let Mode::Reason { text, .. } = &mut self.mode {
            let words = pasted.split_whitespace().collect::<Vec<_>>().join(" ");
            let left = REASON_CHARS.saturating_sub(text.chars().count());
            text.extend(words.chars().take(left));
        }
    }

    fn act(&mut self, key: KeyCode) -> Next {
        match key {
            KeyCode::Char('q') => return Next::Quit,
            KeyCode::Char('j') => self.step(1),
            KeyCode::Char('k') => self.step(-1),
            KeyCode::Char(' ') => self.toggle_selected(),
            KeyCode::Char('a') => self.accept(),
            KeyCode::Char('d') => self.ask_reason(),
            KeyCode::Char('u') => self.undo(),
            KeyCode::Char('x') => self.toggle_left_out(),
            KeyCode::Char('t') => self.ask_target(),
            KeyCode::Char('f') if self.opened.as_ref().is_some_and(|one| one.can_ask) => {
                self.asks = Asking::Soon;
                self.message = "asking the language server".to_string();
            }
            KeyCode::Char('?') => {
                self.mode = Mode::Text {
                    title: "Keys".to_string(),
                    lines: KEYS.iter().map(|line| line.to_string()).collect(),
                    top: 0,
                };
            }
            key => self.move_in_diff(key),
        }
        Next::Go
    }

    /// Shows the next or the previous edit.
    fn step(&mut self, by: isize) {
        let ids: Vec<&str> = self.items().map(|item| item.edit_id.as_str()).collect();
        let at = ids
            .iter()
            .position(|id| self.current.as_deref() == Some(*id));
        let to = match at {
            Some(at) => at
                .saturating_add_signed(by)
                .min(ids.len().saturating_sub(1)),
            None => 0,
        };
        let id = ids.get(to).map(|id| id.to_string());
        if id != self.current {
            self.show(id);
        }
    }

    fn toggle_selected(&mut self) {
        let id = self.current_item().filter(|item| item.can_select);
        if let Some(id) = id.map(|item| item.edit_id.clone())
            && !self.selected.remove(&id)
        {
            self.selected.insert(id);
        }
    }

    fn move_in_diff(&mut self, key: KeyCode) {
        let page = self.height.saturating_sub(1).max(1);
        let Some(opened) = &mut self.opened else {
            return;
        };
        let last = opened.lines.len().saturating_sub(1);
        let is_file = |line: &ViewLine| matches!(line, ViewLine::File(_));
        match key {
            KeyCode::Down => opened.cursor = (opened.cursor + 1).min(last),
            KeyCode::Up => opened.cursor = opened.cursor.saturating_sub(1),
            KeyCode::PageDown => opened.cursor = (opened.cursor + page).min(last),
            KeyCode::PageUp => opened.cursor = opened.cursor.saturating_sub(page),
            KeyCode::Home => opened.cursor = 0,
            KeyCode::End => opened.cursor = last,
            KeyCode::Right => opened.shift = (opened.shift + 8).min(5_000),
            KeyCode::Left => opened.shift = opened.shift.saturating_sub(8),
            KeyCode::Char('n') => {
                let mut next = opened.lines.iter().enumerate().skip(opened.cursor + 1);
                let next = next.find(|(_, line)| is_file(line));
                opened.cursor = next.map_or(opened.cursor, |(at, _)| at);
                opened.top = opened.cursor;
            }
            KeyCode::Char('p') => {
                let mut before = opened.lines[..opened.cursor.min(opened.lines.len())].iter();
                opened.cursor = before.rposition(is_file).unwrap_or(0);
                opened.top = opened.cursor;
            }
            KeyCode::Enter => opened.expand(),
            KeyCode::Char('e') => opened.expand_file(),
            _ => {}
        }
    }

    /// Leaves out the part or the file at the cursor, or takes it back.
    fn toggle_left_out(&mut self) {
        let Some(opened) = self.opened.as_ref().filter(|one| one.is_open) else {
            return;
        };
        let left = self.left_out.entry(opened.edit_id.clone()).or_default();
        match opened.at_cursor() {
            Some((file, Some(part))) => opened.toggle_part(left, file, part),
            Some((file, None)) if opened.can_leave_out(file) => opened.toggle_file(left, file),
            _ => self.message = "the edit has no other file; discard it with d".to_string(),
        }
    }

    /// Lists the nodes at the cursor, for one of which the edit can be staged.
    fn ask_target(&mut self) {
        let Some(opened) = self.opened.as_ref().filter(|one| one.is_open) else {
            return;
        };
        let asked = opened
            .place()
            .and_then(|place| Targeting::new(self.engine, &opened.edit_id, &opened.targets, place));
        match asked {
            Some(asked) => self.mode = Mode::Target(asked),
            None => {
                let why = opened.no_target.as_deref();
                let why = why.unwrap_or("no edit of this file can");
                self.message = format!("this edit can have no other target: {}", one_line(why));
            }
        }
    }

    /// Returns what the key `a` does: a text, and whether it does anything.
    pub(super) fn accept_text(&self) -> (String, bool) {
        if !self.selected.is_empty() {
            let ids: Vec<&String> = self.selected.iter().collect();
            let mut files: BTreeSet<&str> = BTreeSet::new();
            for id in &ids {
                let names = self.item(id).map_or("", |item| item.files.as_str());
                let left = self.left_out(id);
                let names = names.split('\n').enumerate().filter(|(number, _)| {
                    !left.is_some_and(|left| left.contains(&(*number, None)))
                });
                files.extend(names.map(|(_, name)| name));
            }
            let (edits, files) = (counted(ids.len(), "edit"), counted(files.len(), "file"));
            return (format!("accept {edits} in {files}"), true);
        }
        let Some(opened) = self.opened.as_ref().filter(|one| one.is_open) else {
            return ("accept".to_string(), false);
        };
        opened.accept_text(self.left_out(&opened.edit_id))
    }

    fn accept(&mut self) {
        if !self.accept_text().1 {
            return;
        }
        let ids: Vec<String> = match self.selected.is_empty() {
            true => self.current.iter().cloned().collect(),
            false => self.selected.iter().cloned().collect(),
        };
        let choices = ids.iter().map(|edit_id| Choice {
            edit_id: edit_id.clone(),
            shown: self.shown.get(edit_id).cloned(),
            leave_out: self.left_out(edit_id).cloned().unwrap_or_default(),
        });
        let choices: Vec<Choice> = choices.collect();
        let decided = decisions::accept(self.engine, &self.listing, &choices);
        let done: Vec<String> = decided.done();
        if !done.is_empty() {
            self.last_accepted = done;
        }
        self.decided(&ids, decided);
    }

    fn ask_reason(&mut self) {
        let can_discard = |item: &&Item| {
            let mut open = ["previewed", "refused", "undone"].into_iter();
            open.any(|status| item.is(status))
        };
        let edit_ids: Vec<String> = match self.selected.is_empty() {
            true => {
                let current = self.current_item().filter(can_discard);
                current
                    .map(|item| item.edit_id.clone())
                    .into_iter()
                    .collect()
            }
            false => self.selected.iter().cloned().collect(),
        };
        if !edit_ids.is_empty() {
            let text = String::new();
            self.mode = Mode::Reason { text, edit_ids };
        }
    }

    fn discard_now(&mut self) {
        let Mode::Reason { text, edit_ids } = std::mem::replace(&mut self.mode, Mode::Keys) else {
            return;
        };
        let reason = Some(text.trim()).filter(|reason| !reason.is_empty());
        let decided = decisions::discard(self.engine, &self.listing, &edit_ids, reason);
        self.decided(&edit_ids, decided);
    }

    fn undo(&mut self) {
        let is_current =
            |(edit_id, _): &mut (String, FormerTarget)| self.current.as_ref() == Some(edit_id);
        match self.last_target.take_if(is_current) {
            Some((edit_id, former)) => {
                let decided = decisions::restore(self.engine, &self.listing, &edit_id, &former);
                self.decided(&[edit_id], decided);
            }
            None => self.undo_accepted(),
        }
    }

    fn undo_accepted(&mut self) {
        let applied = self.current_item().filter(|item| item.is("applied"));
        let applied = applied.map(|item| item.edit_id.clone());
        let ids = match applied.filter(|id| !self.last_accepted.contains(id)) {
            Some(id) => vec![id],
            None => std::mem::take(&mut self.last_accepted),
        };
        if ids.is_empty() {
            self.message = "nothing to undo".to_string();
            return;
        }
        let decided = decisions::undo(self.engine, &self.listing, &ids);
        if decided.done().is_empty() && ids.len() > 1 {
            self.last_accepted = ids.clone();
        }
        self.decided(&[], decided);
    }

    /// Shows the outcome of a decision, and the next edit after the decided ones.
    fn decided(&mut self, ids: &[String], decided: Decided) {
        let all: Vec<&Item> = self.items().collect();
        let at = all
            .iter()
            .position(|item| self.current.as_deref() == Some(&item.edit_id));
        let (before, after) = all.split_at(at.map_or(0, |at| at + 1).min(all.len()));
        let is_left = |item: &&&Item| item.is("previewed") && !ids.contains(&item.edit_id);
        let next = after.iter().chain(before).find(is_left);
        let next = decided
            .left_out
            .first()
            .cloned()
            .or_else(|| Some(next?.edit_id.clone()));
        let is_gone = self.current.as_ref().is_some_and(|id| ids.contains(id));
        // Without another staged edit, the decided one stays in view, so that `u` is about it.
        let next = next.or_else(|| decided.done().first().cloned());
        let is_done = !decided.done().is_empty();
        let refused = decided.outcomes.iter().filter(|outcome| !outcome.is_done);
        let lines = refused.flat_map(|outcome| {
            let head = format!("{}: refused", one_line(&outcome.file_path));
            let text = outcome.text.split('\n').map(one_line);
            [head, String::new()]
                .into_iter()
                .chain(text)
                .collect::<Vec<_>>()
        });
        let lines: Vec<String> = lines.collect();
        if !lines.is_empty() {
            self.mode = Mode::Text {
                title: decided.message.clone(),
                lines,
                top: 0,
            };
        }
        self.needs_load = true;
        if is_done && is_gone {
            self.show(next);
        }
        self.refresh();
        self.message = decided.message;
    }
}

impl Opened {
    fn from_reviewed(reviewed: &EditReviewed) -> Opened {
        let edit = &reviewed.edit;
        let files = FileDiff::all(reviewed);
        let mut lines = about(reviewed);
        let mut now = Vec::new();
        let since = items::since(&reviewed.since);
        if let Some(since) = &since {
            let kind = match since.is_problem {
                true => TextKind::Problem,
                false => TextKind::Note,
            };
            lines.extend(texts(&since.message, kind));
            if since.can_ask {
                let ask = "Press f to ask the language server what it changes now.";
                lines.extend(texts(ask, kind));
            }
            if !since.refusal.is_empty() {
                lines.extend(texts(&since.refusal, kind));
            }
            now = FileDiff::now(reviewed);
            for (index, file) in now.iter().enumerate() {
                lines.push(ViewLine::Text(one_line(&file.file_path), TextKind::Head));
                let rows = file.rows.iter().cloned();
                lines.extend(rows.map(|row| ViewLine::Now(index, row)));
            }
            lines.push(ViewLine::Text(String::new(), TextKind::Plain));
        }
        for (index, file) in files.iter().enumerate() {
            lines.push(ViewLine::File(index));
            let rows = file.rows.iter().cloned();
            lines.extend(rows.map(|row| ViewLine::Row(index, row)));
        }
        Opened {
            edit_id: edit.edit_id.clone(),
            is_open: edit.is_open(),
            noun: part_noun(&edit.tool),
            files,
            now,
            lines,
            can_ask: since.as_ref().is_some_and(|since| since.can_ask),
            since: since.map(|since| since.message).unwrap_or_default(),
            targets: reviewed.targets.clone(),
            no_target: items::no_target(reviewed).map(str::to_string),
            cursor: 0,
            top: 0,
            shift: 0,
        }
    }

    /// Moves the lines on the screen, of which there are `height`, so that the cursor is among them.
    pub(super) fn scroll(&mut self, height: usize) {
        let last = (self.cursor + 1).saturating_sub(height);
        self.top = self.top.clamp(last, self.cursor.max(last));
    }

    /// Returns the file, the number and the text of the line at the cursor, as it was before the edit. On an added line, that
    /// is the line above; outside a diff, the first changed one.
    fn place(&self) -> Option<(usize, usize, &str)> {
        let place = |line: &'_ ViewLine| match line {
            ViewLine::Row(file, Row::Line(row)) => Some((self.files[*file].number, row.old?)),
            _ => None,
        };
        let text = |(file, number): (usize, usize)| {
            let mut lines = self.lines.iter();
            let text = lines.find_map(|line| match line {
                ViewLine::Row(_, Row::Line(row)) if place(line) == Some((file, number)) => {
                    Some(row.text())
                }
                _ => None,
            });
            (file, number, text.unwrap_or_default())
        };
        let first = || {
            let mut targets = self.targets.iter();
            let first = targets.find(|target| target.refusal.is_none())?;
            Some((first.file, first.line))
        };
        let until = self.lines.len().min(self.cursor + 1);
        let above = self.lines[..until].iter().rev();
        let mut above = above.take_while(|line| !matches!(line, ViewLine::File(_)));
        above.find_map(place).or_else(first).map(text)
    }

    /// Replaces the gap at the cursor by the lines that it hides.
    fn expand(&mut self) {
        let rows: Vec<ViewLine> = match self.lines.get(self.cursor) {
            Some(ViewLine::Row(file, Row::Gap(gap))) if gap.is_known => {
                let rows = self.files[*file].unchanged(*gap, LINES_SHOWN).into_iter();
                rows.map(|row| ViewLine::Row(*file, row)).collect()
            }
            Some(ViewLine::Now(file, Row::Gap(gap))) if gap.is_known => {
                let rows = self.now[*file].unchanged(*gap, LINES_SHOWN).into_iter();
                rows.map(|row| ViewLine::Now(*file, row)).collect()
            }
            _ => return,
        };
        self.lines.splice(self.cursor..=self.cursor, rows);
    }

    /// Shows all lines of the file at the cursor, which stays at its line.
    fn expand_file(&mut self) {
        let mut above = self.lines.iter().take(self.cursor + 1).rev();
        let file = above.find_map(|line| match line {
            ViewLine::File(file) | ViewLine::Row(file, _) => Some(*file),
            _ => None,
        });
        let file = file.unwrap_or(0);
        let mut lines = Vec::new();
        let mut cursor = self.cursor;
        for (at, line) in std::mem::take(&mut self.lines).into_iter().enumerate() {
            if at == self.cursor {
                cursor = lines.len();
            }
            match line {
                ViewLine::Row(own, Row::Gap(gap)) if own == file && gap.is_known => {
                    let rows = self.files[file].unchanged(gap, gap.count).into_iter();
                    lines.extend(rows.map(|row| ViewLine::Row(file, row)));
                }
                line => lines.push(line),
            }
        }
        self.lines = lines;
        self.cursor = cursor;
    }

    /// Returns the number of the file at the cursor, and that of the part if there is one.
    fn at_cursor(&self) -> Option<(usize, Option<usize>)> {
        let above = self.lines.get(..=self.cursor)?.iter().rev();
        for line in above {
            match line {
                ViewLine::File(index) => return Some((self.files[*index].number, None)),
                ViewLine::Row(_, Row::Part(part)) => return Some((part.file, Some(part.number))),
                _ => {}
            }
        }
        // Above the first file.
        self.files.first().map(|file| (file.number, None))
    }

    fn file(&self, number: usize) -> Option<&FileDiff> {
        self.files.iter().find(|file| file.number == number)
    }

    /// Returns whether the edit has a file that is not chosen together with this one.
    pub(super) fn can_leave_out(&self, number: usize) -> bool {
        let Some(file) = self.file(number) else {
            return false;
        };
        let mut others = self.files.iter();
        others.any(|other| other.number != number && !file.together.contains(&other.number))
    }

    fn toggle_file(&self, left: &mut LeftOut, number: usize) {
        let is_left = left.contains(&(number, None));
        let together = self.file(number).map_or(&[][..], |file| &file.together);
        for one in together.iter().chain([&number]) {
            left.retain(|(file, _)| file != one);
            if !is_left {
                left.insert((*one, None));
            }
        }
    }

    fn toggle_part(&self, left: &mut LeftOut, file: usize, part: usize) {
        let parts = self.file(file).map_or(&[][..], |file| &file.rows).iter();
        let parts = parts.filter_map(|row| match row {
            Row::Part(part) => Some(part.number),
            _ => None,
        });
        let parts: BTreeSet<usize> = parts.collect();
        if left.remove(&(file, None)) {
            left.extend(parts.iter().map(|one| (file, Some(*one))));
        }
        if !left.remove(&(file, Some(part))) {
            left.insert((file, Some(part)));
        }
        if parts.iter().all(|one| left.contains(&(file, Some(*one)))) {
            left.retain(|(one, _)| *one != file);
            left.insert((file, None));
        }
    }

    /// Returns what is accepted of the edit, in words, and whether that is anything.
    fn accept_text(&self, left: Option<&LeftOut>) -> (String, bool) {
        let counts = self.files.iter().map(|file| {
            let all = file.parts.max(1);
            let is_left = |part| left.is_some_and(|left| left.contains(&(file.number, part)));
            let parts = left.into_iter().flatten();
            let parts = parts.filter(|(own, part)| *own == file.number && part.is_some());
            let chosen = match is_left(None) {
                true => 0,
                false => all.saturating_sub(parts.count()),
            };
            (all, chosen)
        });
        let counts: Vec<(usize, usize)> = counts.collect();
        let (all, chosen) = counts
            .iter()
            .fold((0, 0), |(all, chosen), one| (all + one.0, chosen + one.1));
        let files = counts.iter().filter(|(_, chosen)| *chosen > 0).count();
        let is_divided = counts.iter().any(|(all, _)| *all > 1);
        let of_files = counted(files, "file");
        let text = match (chosen < all, is_divided, counts.len()) {
            (false, _, 0 | 1) => "accept".to_string(),
            (false, ..) => format!("accept {of_files}"),
            (true, true, 0 | 1) => format!("accept {chosen} of {}", counted(all, self.noun)),
            (true, true, _) => {
                format!(
                    "accept {chosen} of {} in {of_files}",
                    counted(all, self.noun)
                )
            }
            (true, false, total) => format!("accept {files} of {}", counted(total, "file")),
        };
        (text, chosen > 0)
    }
}

/// Returns the lines about an edit that precede its diff.
fn about(reviewed: &EditReviewed) -> Vec<ViewLine> {
    let edit = &reviewed.edit;
    let item = Item::from_edit(edit);
    let status = match item.is("previewed") {
        true => "staged",
        false => item.status,
    };
    let (tool, by, age) = (&edit.tool, items::client_of(edit), &item.age);
    let origin = format!("{status}, {tool} by {by}, {age} ago, {}", edit.edit_id);
    let refusal = reviewed.refusal.as_deref().filter(|_| item.is("refused"));
    let summary = visible(refusal.unwrap_or(&edit.summary));
    let summary_kind = match item.is("refused") {
        true => TextKind::Problem,
        false => TextKind::Plain,
    };
    let reason = edit.reason.as_deref().unwrap_or("no reason");
    let reason = format!("discarded: {}", visible(reason));
    let reason = item.is("discarded").then_some(reason);
    let notes = reviewed.notes.iter();
    let notes = notes.map(|note| format!("note: {}", visible(note)));
    let mut lines = texts(&item.label, TextKind::Head);
    lines.extend(texts(&origin, TextKind::Plain));
    lines.extend(texts(&summary, summary_kind));
    lines.extend(
        reason
            .into_iter()
            .chain(notes)
            .flat_map(|note| texts(&note, TextKind::Note)),
    );
    lines
}

fn texts(text: &str, kind: TextKind) -> Vec<ViewLine> {
    let lines = text.split('\n');
    lines
        .map(|line| ViewLine::Text(one_line(line), kind))
        .collect()
}

/// Returns a text as one line, with its control characters written out.
pub(super) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "    ")
}

/// The help.
const KEYS: &[&str] = &[
    "j k         next, previous edit",
    "Space       select the edit",
    "a           accept the selected edits, or else this one, all or none",
    "d           discard them, with a reason",
    "u           undo the edits accepted last, or the selection of another node",
    "            on another applied edit, undo this one",
    "n p         next, previous file of the edit",
    "x           leave out the file or match at the cursor, or take it back",
    "t           select another node for the edit, from those at the cursor",
    "Up Down PageUp PageDown Home End",
    "            move the cursor in the diff",
    "Left Right  scroll long lines",
    "Enter       show the unchanged lines at the cursor",
    "e           show the whole file",
    "f           ask the language server what a stale edit of it changes now",
    "?           this help",
    "q           quit",
];
