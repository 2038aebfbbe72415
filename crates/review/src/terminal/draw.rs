//! Puts the state on the screen: the list and the diff next to each other, or below each other on a narrow screen.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use crate::diff::{Change, FileDiff, Row};
use crate::items::Item;

use super::state::{LINES_SHOWN, LeftOut, Mode, Opened, State, TextKind, ViewLine, one_line};
use super::target::Targeting;

/// The width from which the list and the diff are next to each other.
const WIDE: u16 = 110;
/// The width of the list next to a diff.
const LIST_WIDTH: u16 = 42;
/// The width of a line number.
const NUMBER: usize = 5;

/// Styles that have no colors if the person wants none.
#[derive(Clone, Copy)]
struct Styles {
    has_colors: bool,
}

impl Styles {
    fn color(self, color: Color) -> Style {
        match self.has_colors {
            true => Style::new().fg(color),
            false => Style::new(),
        }
    }

    /// Returns the style of a part of a line with these classes of the stylesheet.
    fn piece(self, classes: &str, change: Change) -> Style {
        let base = match change {
            Change::None => Style::new(),
            Change::Added => self.color(Color::Green),
            Change::Removed => self.color(Color::Red),
        };
        classes.split(' ').fold(base, |style, class| match class {
            "mark" => style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            "unseen" | "cut" => style.add_modifier(Modifier::REVERSED),
            _ if change != Change::None => style,
            "comment" => style.patch(self.color(Color::DarkGray)),
            "string" => style.patch(self.color(Color::Cyan)),
            "keyword" => style.patch(self.color(Color::Magenta)),
            "number" => style.patch(self.color(Color::Blue)),
            "name" => style.add_modifier(Modifier::BOLD),
            _ => style,
        })
    }
}

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const REVERSED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Draws everything. Remembers how many lines of the diff fit.
pub(super) fn draw(frame: &mut Frame<'_>, state: &mut State<'_>, has_colors: bool) {
    let area = frame.area();
    let styles = Styles { has_colors };
    if area.height == 0 || area.width == 0 {
        return;
    }
    let [head, body, foot] = [
        Rect { height: 1, ..area },
        Rect {
            y: area.y + 1.min(area.height),
            height: area.height.saturating_sub(2),
            ..area
        },
        Rect {
            y: area.bottom() - 1,
            height: 1,
            ..area
        },
    ];
    let (list, diff) = split(body);
    state.height = usize::from(diff.height);
    let buffer = frame.buffer_mut();
    draw_head(buffer, head, state);
    draw_list(buffer, list, state, styles);
    if list.width < body.width {
        let x = list.right();
        for y in body.top()..body.bottom() {
            buffer.set_string(x, y, "│", styles.color(Color::DarkGray));
        }
    } else if diff.height > 0 && list.height > 0 {
        let line = "─".repeat(usize::from(body.width));
        buffer.set_string(body.x, list.bottom(), line, styles.color(Color::DarkGray));
    }
    draw_diff(buffer, diff, state, styles);
    if area.height > 1 {
        draw_foot(frame, foot, state);
    }
    if let Mode::Text { title, lines, top } = &mut state.mode {
        draw_text(frame.buffer_mut(), body, title, lines, top);
    }
    if let Mode::Target(asked) = &state.mode {
        draw_target(frame.buffer_mut(), body, asked);
    }
}

/// Returns the areas of the list and of the diff.
fn split(body: Rect) -> (Rect, Rect) {
    if body.width >= WIDE {
        let list = Rect {
            width: LIST_WIDTH,
            ..body
        };
        let diff = Rect {
            x: body.x + LIST_WIDTH + 1,
            width: body.width - LIST_WIDTH - 1,
            ..body
        };
        return (list, diff);
    }
    let height = match body.height {
        0..5 => 0,
        5..10 => 2,
        10..18 => 4,
        height => height / 3,
    };
    let list = Rect { height, ..body };
    let line = u16::from(height > 0);
    let diff = Rect {
        y: body.y + height + line,
        height: body.height - height - line,
        ..body
    };
    (list, diff)
}

fn put(buffer: &mut Buffer, area: Rect, row: u16, line: &Line<'_>, style: Style) {
    if row < area.height {
        let y = area.y + row;
        buffer.set_style(
            Rect {
                y,
                height: 1,
                ..area
            },
            style,
        );
        buffer.set_line(area.x, y, line, area.width);
    }
}

fn draw_head(buffer: &mut Buffer, area: Rect, state: &State<'_>) {
    let staged = state.pending();
    let text = format!(" treegraft review  {staged} staged  {}", state.roots());
    put(buffer, area, 0, &Line::styled(text, BOLD), REVERSED);
}

fn draw_list(buffer: &mut Buffer, area: Rect, state: &State<'_>, styles: Styles) {
    let mut lines: Vec<(Line<'_>, bool)> = Vec::new();
    for group in &state.groups {
        let by = match group.client.is_empty() {
            true => String::new(),
            false => format!(" by {}", one_line(&group.client)),
        };
        let count = group.items.len() + group.omitted;
        let head = format!("{}{by} {count}", group.name);
        lines.push((Line::styled(head, BOLD), false));
        for item in &group.items {
            let is_current = state.current.as_deref() == Some(&item.edit_id);
            let is_selected = state.selected.contains(&item.edit_id);
            lines.push((item_line(item, is_selected, area.width, styles), is_current));
        }
    }
    if lines.is_empty() {
        let text = "No staged edits. Edits appear here when an agent stages them.";
        lines.push((Line::raw(text), false));
    }
    let height = usize::from(area.height);
    let current = lines.iter().position(|(_, is_current)| *is_current);
    // The heading of the first edit stays in view.
    let top = match current {
        Some(at) if at >= height => at + 1 - height,
        _ => 0,
    };
    for (row, (line, is_current)) in (0..area.height).zip(lines.iter().skip(top)) {
        let style = if *is_current { REVERSED } else { Style::new() };
        put(buffer, area, row, line, style);
    }
}

fn item_line<'l>(item: &Item, is_selected: bool, width: u16, styles: Styles) -> Line<'l> {
    let check = match (item.can_select, is_selected) {
        (true, true) => "[x] ",
        (true, false) => "[ ] ",
        (false, _) => "    ",
    };
    let more = match item.more_files.is_empty() {
        true => String::new(),
        false => format!(" {}", item.more_files),
    };
    let mark = match (item.is("refused"), item.fit) {
        (true, _) => "refused: ".to_string(),
        (false, "") => String::new(),
        (false, fit) => format!("{fit}: "),
    };
    let counts = match item.added + item.removed {
        0 => format!(" {}", item.age),
        _ => format!(" +{} -{} {}", item.added, item.removed, item.age),
    };
    let text = format!(
        "{}{more}  {mark}{}",
        one_line(&item.file),
        one_line(&item.what)
    );
    let room = usize::from(width).saturating_sub(check.len() + counts.len());
    let text = cut(&text, room);
    let space = " ".repeat(room.saturating_sub(Span::raw(text.as_str()).width()));
    let style = match item.is("refused") || item.fit == "stale" {
        true => styles.color(Color::Red),
        false => Style::new(),
    };
    Line::from(vec![
        Span::raw(check),
        Span::styled(text, style),
        Span::raw(space),
        Span::raw(counts),
    ])
}

/// Returns the start of a text that fits into a width.
fn cut(text: &str, width: usize) -> String {
    if Span::raw(text).width() <= width {
        return text.to_string();
    }
    let mut start = String::new();
    for sign in text.chars() {
        start.push(sign);
        if Span::raw(start.as_str()).width() > width.saturating_sub(1) {
            start.pop();
            break;
        }
    }
    if width > 0 {
        start.push('…');
    }
    start
}

fn draw_diff(buffer: &mut Buffer, area: Rect, state: &mut State<'_>, styles: Styles) {
    let id = state.opened.as_ref().map(|opened| opened.edit_id.clone());
    let left = id.and_then(|id| state.left_out(&id).cloned());
    let Some(opened) = &mut state.opened else {
        return;
    };
    opened.scroll(usize::from(area.height));
    let shown = opened.lines.iter().enumerate().skip(opened.top);
    for (row, (at, line)) in (0..area.height).zip(shown) {
        let line = view_line(opened, line, left.as_ref(), styles);
        let style = if at == opened.cursor {
            REVERSED
        } else {
            Style::new()
        };
        put(buffer, area, row, &line, style);
        if line.width() > usize::from(area.width) {
            buffer.set_string(area.right() - 1, area.y + row, "›", BOLD);
        }
    }
}

fn view_line<'l>(
    opened: &'l Opened,
    line: &'l ViewLine,
    left: Option<&LeftOut>,
    styles: Styles,
) -> Line<'l> {
    let is_left = |file, part| left.is_some_and(|left| left.contains(&(file, part)));
    let check = |is_out| if is_out { "[ ]" } else { "[x]" };
    match line {
        ViewLine::Text(text, kind) => Line::styled(
            text.chars().skip(opened.shift).collect::<String>(),
            match kind {
                TextKind::Head => BOLD,
                TextKind::Plain => Style::new(),
                TextKind::Note => styles.color(Color::Yellow),
                TextKind::Problem => styles.color(Color::Red).add_modifier(Modifier::BOLD),
            },
        ),
        ViewLine::File(index) => {
            let file = &opened.files[*index];
            let box_text = match opened.is_open && opened.can_leave_out(file.number) {
                true => format!("{} ", check(is_left(file.number, None))),
                false => String::new(),
            };
            let change = match file.change.is_empty() {
                true => String::new(),
                false => format!("  {}", one_line(&file.change)),
            };
            let text = format!(
                "{box_text}{}{change}  +{} -{}",
                one_line(&file.file_path),
                file.added,
                file.removed
            );
            Line::styled(text, BOLD.add_modifier(Modifier::UNDERLINED))
        }
        ViewLine::Row(index, row) => match row {
            Row::Part(part) => {
                let is_out = is_left(part.file, None) || is_left(part.file, Some(part.number));
                Line::styled(format!("{} {}", check(is_out), part.name), BOLD)
            }
            row => row_line(&opened.files[*index], row, opened.shift, styles),
        },
        ViewLine::Now(index, row) => row_line(&opened.now[*index], row, opened.shift, styles),
    }
}

fn row_line<'l>(file: &FileDiff, row: &Row, shift: usize, styles: Styles) -> Line<'l> {
    let line = match row {
        Row::Line(line) => line,
        Row::Gap(gap) => {
            let hint = match (gap.is_known, gap.count > LINES_SHOWN) {
                (false, _) => String::new(),
                (true, false) => ", Enter shows them".to_string(),
                (true, true) => {
                    format!(", Enter shows {LINES_SHOWN} of them, e the whole file")
                }
            };
            let text = format!("{:>NUMBER$} {} unchanged lines{hint}", "…", gap.count);
            return Line::styled(text, styles.color(Color::DarkGray));
        }
        Row::Part(part) => return Line::raw(part.name.clone()),
    };
    let number = |number: Option<usize>| number.map_or_else(String::new, |n| n.to_string());
    let sign = match line.change {
        Change::None => ' ',
        Change::Removed => '-',
        Change::Added => '+',
    };
    let numbers = format!(
        "{:>NUMBER$}{:>NUMBER$} ",
        number(line.old),
        number(line.new)
    );
    let mut spans = vec![
        Span::styled(numbers, styles.color(Color::DarkGray)),
        Span::styled(sign.to_string(), styles.piece("", line.change)),
    ];
    let mut skip = shift;
    for piece in file.pieces(line) {
        let text = piece.text.replace('\t', "    ");
        let length = text.chars().count();
        let text: String = text.chars().skip(skip).collect();
        skip = skip.saturating_sub(length);
        if !text.is_empty() {
            spans.push(Span::styled(text, styles.piece(&piece.class, line.change)));
        }
    }
    if line.is_unended {
        let style = styles.piece("cut", Change::None);
        spans.push(Span::styled(" no newline at the end of the file", style));
    }
    Line::from(spans)
}

fn draw_foot(frame: &mut Frame<'_>, area: Rect, state: &State<'_>) {
    let width = usize::from(area.width);
    if let Mode::Reason { text, edit_ids } = &state.mode {
        let edits = match edit_ids.len() {
            1 => "this edit".to_string(),
            count => format!("{count} edits"),
        };
        let question = format!(" Discard {edits}. Reason: ");
        // The end of a long reason.
        let room = width.saturating_sub(question.len() + 1);
        let mut shown = one_line(text);
        while Span::raw(shown.as_str()).width() > room && !shown.is_empty() {
            shown.remove(0);
        }
        let line = format!("{question}{shown}");
        let x = Span::raw(line.as_str())
            .width()
            .min(width.saturating_sub(1));
        put(
            frame.buffer_mut(),
            area,
            0,
            &Line::styled(line, BOLD),
            REVERSED,
        );
        // The width of the screen is at most that of a terminal.
        let x = area.x.saturating_add(u16::try_from(x).unwrap_or(u16::MAX));
        frame.set_cursor_position((x.min(area.right().saturating_sub(1)), area.y));
        return;
    }
    let keys = match &state.mode {
        Mode::Target(_) => "Enter stage  Tab next edit  Esc close".to_string(),
        Mode::Text { .. } => "Up Down scroll  Esc close".to_string(),
        _ => {
            let (accept, can_accept) = state.accept_text();
            let accept = can_accept.then(|| format!("a {accept}"));
            let others = ["d discard", "u undo", "? keys", "q quit"].map(str::to_string);
            let keys: Vec<String> = accept.into_iter().chain(others).collect();
            keys.join("  ")
        }
    };
    let text = match state.message.is_empty() {
        true => format!(" {keys}"),
        false => format!(" {}  |  {keys}", one_line(&state.message)),
    };
    let line = Line::styled(cut(&text, width), BOLD);
    put(frame.buffer_mut(), area, 0, &line, REVERSED);
}

/// Shows a text in a box over the body.
fn draw_text(buffer: &mut Buffer, body: Rect, title: &str, lines: &[String], top: &mut usize) {
    if body.height < 3 || body.width < 4 {
        return;
    }
    Clear.render(body, buffer);
    let block = Block::bordered().title(Line::styled(format!(" {} ", one_line(title)), BOLD));
    let inner = block.inner(body);
    block.render(body, buffer);
    let width = usize::from(inner.width);
    let wrapped: Vec<String> = lines.iter().flat_map(|line| wrapped(line, width)).collect();
    *top = (*top).min(wrapped.len().saturating_sub(usize::from(inner.height)));
    for (row, line) in (0..inner.height).zip(wrapped.into_iter().skip(*top)) {
        put(buffer, inner, row, &Line::raw(line), Style::new());
    }
}

/// Shows the nodes for which an edit can be staged, in a box over the body. The selected one is in view.
fn draw_target(buffer: &mut Buffer, body: Rect, asked: &Targeting) {
    if body.height < 3 || body.width < 4 {
        return;
    }
    Clear.render(body, buffer);
    let block = Block::bordered().title(Line::styled(" Select another node ", BOLD));
    let inner = block.inner(body);
    block.render(body, buffer);
    let width = usize::from(inner.width);
    let (lines, selected) = asked.lines(width);
    let top = (selected + 1).saturating_sub(usize::from(inner.height));
    for (row, (at, line)) in (0..inner.height).zip(lines.iter().enumerate().skip(top)) {
        let style = if at == selected {
            REVERSED
        } else {
            Style::new()
        };
        put(buffer, inner, row, &Line::raw(cut(line, width)), style);
    }
}

/// Breaks a line that is longer than a width.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for sign in line.chars() {
        let last = lines.last_mut().expect("there is a line");
        last.push(sign);
        if Span::raw(last.as_str()).width() > width {
            last.pop();
            lines.push(sign.to_string());
        }
    }
    lines
}
