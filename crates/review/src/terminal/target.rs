//! Selects another node for one of the edits of a call: lists the nodes at the cursor, from the innermost.

use ratatui::crossterm::event::KeyCode;
use ratatui::text::Span;
use treegraft::Selector;
use treegraft::engine::Engine;
use treegraft::engine::review::{NodeAround, TargetReviewed};

use super::state::one_line;

/// The number of columns that are shown after the position at least.
const MARGIN: usize = 10;

/// The question which node an edit is for.
pub(super) struct Targeting {
    edit_id: String,
    /// The edits of the call in the file that can get another target, those nearest to the line first.
    edits: Vec<TargetReviewed>,
    edit: usize,
    file: usize,
    line: usize,
    /// The text of the line, and the number of characters before the position.
    text: Vec<char>,
    column: usize,
    nodes: Vec<NodeAround>,
    at: usize,
    /// Why the nodes cannot be listed.
    problem: String,
}

/// What a key does.
pub(super) enum Asked {
    Go,
    Close,
    /// Stage the edit with this number for this node.
    Retarget(String, usize, Box<Selector>),
}

impl Targeting {
    /// Asks about a line of the text before an edit. Returns `None` if no edit of the file can get another target.
    pub(super) fn new(
        engine: &Engine,
        edit_id: &str,
        targets: &[TargetReviewed],
        (file, line, text): (usize, usize, &str),
    ) -> Option<Targeting> {
        let is_own = |one: &&TargetReviewed| one.refusal.is_none() && one.file == file;
        let mut edits: Vec<TargetReviewed> = targets.iter().filter(is_own).cloned().collect();
        edits.sort_by_key(|one| one.line.abs_diff(line));
        let mut asked = Targeting {
            edit_id: edit_id.to_string(),
            edits,
            edit: 0,
            file,
            line,
            text: text.chars().collect(),
            column: 0,
            nodes: Vec::new(),
            at: 0,
            problem: String::new(),
        };
        asked.column = asked.words().first().copied().unwrap_or(0);
        asked.load(engine);
        (!asked.edits.is_empty()).then_some(asked)
    }

    fn load(&mut self, engine: &Engine) {
        let nodes = engine.nodes_around(&self.edit_id, self.file, self.line, self.column);
        self.at = 0;
        (self.nodes, self.problem) = match nodes {
            Ok(nodes) => (nodes, String::new()),
            Err(refused) => (Vec::new(), one_line(refused.message())),
        };
    }

    /// Returns where words and other signs of the line start.
    fn words(&self) -> Vec<usize> {
        let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
        let starts = self.text.iter().enumerate().filter(move |(at, sign)| {
            let before = at.checked_sub(1).map(|before| self.text[before]);
            !sign.is_whitespace()
                && before.is_none_or(|before| !(is_word(before) && is_word(**sign)))
        });
        starts.map(|(at, _)| at).collect()
    }

    /// Reacts to a key.
    pub(super) fn press(&mut self, engine: &Engine, key: KeyCode) -> Asked {
        let column = match key {
            KeyCode::Right => self.words().into_iter().find(|at| *at > self.column),
            KeyCode::Left => self.words().into_iter().rev().find(|at| *at < self.column),
            _ => None,
        };
        if let Some(column) = column {
            self.column = column;
            self.load(engine);
        }
        match key {
            KeyCode::Down | KeyCode::Char('j') => {
                self.at = (self.at + 1).min(self.nodes.len().saturating_sub(1));
            }
            KeyCode::Up | KeyCode::Char('k') => self.at = self.at.saturating_sub(1),
            KeyCode::Tab => self.edit = (self.edit + 1) % self.edits.len().max(1),
            KeyCode::Enter => {
                let chosen = self.edits.get(self.edit).zip(self.nodes.get(self.at));
                if let Some((edit, node)) = chosen {
                    let selector = Box::new(node.selector.clone());
                    return Asked::Retarget(self.edit_id.clone(), edit.number, selector);
                }
            }
            KeyCode::Esc | KeyCode::Char('q' | 't') => return Asked::Close,
            _ => {}
        }
        Asked::Go
    }

    /// Returns the lines to show on a screen of this width, and the index of the selected one.
    pub(super) fn lines(&self, width: usize) -> (Vec<String>, usize) {
        let edit = self.edits.get(self.edit);
        let what = edit.map_or_else(String::new, |edit| one_line(&edit.what));
        let others = match self.edits.len() {
            0 | 1 => String::new(),
            count => format!(
                "  (edit {} of {count}, Tab selects the next)",
                self.edit + 1
            ),
        };
        let [line, position] = self.line(width);
        let mut lines = vec![
            format!("{what}{others}"),
            line,
            position,
            "Left and Right move in the line, Up and Down select, Enter stages the edit for that node".to_string(),
            String::new(),
        ];
        let head = lines.len();
        let nodes = self.nodes.iter().map(|node| {
            let selector = one_line(&node.selector.to_string());
            let first = one_line(&node.first_line);
            format!(
                "{}  line {}  {selector}  {first}",
                node.node_type, node.line
            )
        });
        lines.extend(nodes);
        if self.nodes.is_empty() {
            lines.push(match self.problem.is_empty() {
                true => "No node here has a selector.".to_string(),
                false => self.problem.clone(),
            });
        }
        (lines, head + self.at)
    }

    /// Returns the line of the file, and a line that shows the position in it. Of a long line, that is the part around the
    /// position.
    fn line(&self, width: usize) -> [String; 2] {
        let head = format!("line {}: ", self.line);
        let room = width.saturating_sub(head.len());
        let column = self.column.min(self.text.len());
        let part =
            |from: usize, to: usize| one_line(&self.text[from..to].iter().collect::<String>());
        let fits = |from: usize, room: usize| Span::raw(part(from, column)).width() <= room;
        let mut from = column;
        match column < room && fits(0, room.saturating_sub(MARGIN)) {
            true => from = 0,
            false => {
                while from > 0 && fits(from - 1, room / 2) {
                    from -= 1;
                }
            }
        }
        let cut = if from > 0 { "…" } else { "" };
        let before = part(from, column);
        let after = part(column, column.saturating_add(width).min(self.text.len()));
        let start = format!("{head}{cut}{before}");
        let position = format!("{}^", " ".repeat(Span::raw(start.as_str()).width()));
        [format!("{start}{after}"), position]
    }
}
