//! The HTML of the page. The templates escape every text.

use askama::Template;
use serde_json::{Value, json};
use treegraft::engine::request::SelectorArgument;
use treegraft::engine::review::{EditReviewed, NodeAround};

use crate::diff::{Change, FileDiff, Gap, Piece, Row, part_noun, visible};
use crate::items::{self, Group, Item, SinceText};
use crate::listing::Listing;

/// The number of rows of a diff that are sent at once.
pub(crate) const ROWS_SENT: usize = 400;
/// The number of files of an edit whose diffs are sent with the edit. The page requests the others when they come into view.
const FILES_SENT: usize = 10;

/// The page without data.
#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct Page;

/// The list of edits.
#[derive(Template)]
#[template(path = "list.html")]
pub(crate) struct List {
    roots: String,
    pending: usize,
    groups: Vec<Group>,
}

/// An edit with its diffs.
#[derive(Template)]
#[template(path = "edit.html")]
pub(crate) struct Edit {
    item: Item,
    summary: String,
    tool: String,
    client: String,
    reason: String,
    notes: Vec<String>,
    since: Since,
    /// The digest of the diff that is shown.
    shown: String,
    /// The edits of the call that can get another target, as JSON.
    targets: String,
    /// Why no edit of a staged call can.
    no_target: String,
    /// Why the edit is refused, as the agent reads it.
    refusal: String,
    /// What the parts of the edit are called.
    noun: &'static str,
    files: Vec<FilePart>,
}

/// What happened to the files since.
#[derive(Default)]
struct Since {
    /// Absent if the files are unchanged.
    message: String,
    /// Why an undo is refused, as the agent reads it.
    refusal: String,
    is_problem: bool,
    can_ask: bool,
    diffs: Vec<FilePart>,
}

/// The nodes around a position.
#[derive(Template)]
#[template(path = "nodes.html")]
pub(crate) struct Nodes {
    nodes: Vec<NodePart>,
}

struct NodePart {
    node_type: String,
    /// The selector as JSON.
    selector: String,
    /// The selector as it is shown.
    shown: String,
    first_line: String,
    line: usize,
    end_line: usize,
}

/// A file of a diff.
struct FilePart {
    index: usize,
    /// The number of the file in the edit, and those of the files that can only be chosen with it.
    number: usize,
    together: String,
    /// The number of its parts that can be left out one by one.
    parts: usize,
    /// Whether the file can be left out.
    can_leave_out: bool,
    file_path: String,
    /// What happens to the whole file, if anything.
    change: String,
    added: usize,
    removed: usize,
    has_counts: bool,
    rows: Rows,
}

/// Rows of a diff.
#[derive(Template)]
#[template(path = "rows.html")]
pub(crate) struct Rows {
    lines: Vec<RowPart>,
    /// The URL of the rows that follow, if some are left.
    rest: String,
    left: usize,
}

/// A row of a diff.
enum RowPart {
    Gap {
        url: String,
        count: usize,
        /// The number of lines that are shown at once.
        shown: usize,
        /// Whether the file has more unchanged lines that are not shown.
        has_more: bool,
    },
    Choice {
        file: usize,
        number: usize,
        name: String,
    },
    Line {
        class: &'static str,
        sign: &'static str,
        /// What a screen reader reads for the sign.
        spoken: &'static str,
        old: String,
        new: String,
        pieces: Vec<Piece>,
        is_unended: bool,
    },
}

/// Which diffs of an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Diffs {
    /// Those of the preview.
    AsShown,
    /// Those that would be written now.
    Now,
}

impl List {
    /// Lists all edits.
    pub(crate) fn new<'r>(listing: &Listing, roots: impl Iterator<Item = &'r str>) -> List {
        List {
            roots: roots.map(visible).collect::<Vec<_>>().join(", "),
            pending: items::pending(listing),
            groups: items::groups(listing),
        }
    }
}

impl Edit {
    /// Shows an edit with the first rows of its diffs.
    pub(crate) fn new(reviewed: &EditReviewed, files: &[FileDiff], now: &[FileDiff]) -> Edit {
        let edit = &reviewed.edit;
        let parts = files.iter().enumerate();
        let can_choose = edit.is_open();
        Edit {
            item: Item::from_edit(edit),
            summary: visible(&edit.summary).into_owned(),
            tool: edit.tool.clone(),
            client: items::client_of(edit),
            reason: visible(edit.reason.as_deref().unwrap_or_default()).into_owned(),
            notes: reviewed
                .notes
                .iter()
                .map(|note| visible(note).into_owned())
                .collect(),
            since: Since::new(reviewed, now),
            shown: reviewed.shown.clone(),
            targets: targets(reviewed),
            no_target: visible(items::no_target(reviewed).unwrap_or_default()).into_owned(),
            refusal: visible(reviewed.refusal.as_deref().unwrap_or(&edit.summary)).into_owned(),
            noun: part_noun(&edit.tool),
            files: parts
                .map(|(index, file)| {
                    let rows = Rows::first(file, &edit.edit_id, Diffs::AsShown, index);
                    let mut part = FilePart::new(index, file, rows, true);
                    part.can_leave_out = can_choose
                        && files.iter().any(|other| {
                            other.number != file.number && !file.together.contains(&other.number)
                        });
                    part
                })
                .collect(),
        }
    }
}

/// Returns the edits of a call that can get another target, as JSON: an empty text for none.
fn targets(reviewed: &EditReviewed) -> String {
    let targets = items::selectable(reviewed).map(|one| {
        json!({"number": one.number, "file": one.file, "line": one.line, "what": visible(&one.what)})
    });
    let targets: Vec<Value> = targets.collect();
    match targets.is_empty() {
        true => String::new(),
        false => json!(targets).to_string(),
    }
}

impl Nodes {
    pub(crate) fn new(around: &[NodeAround]) -> Nodes {
        let nodes = around.iter().map(|node| NodePart {
            node_type: node.node_type.clone(),
            selector: serde_json::to_string(&SelectorArgument::from(&node.selector))
                .unwrap_or_default(),
            shown: visible(&node.selector.to_string()).into_owned(),
            first_line: visible(&node.first_line).into_owned(),
            line: node.line,
            end_line: node.end_line,
        });
        Nodes {
            nodes: nodes.collect(),
        }
    }
}

impl Since {
    fn new(reviewed: &EditReviewed, now: &[FileDiff]) -> Since {
        let Some(SinceText {
            message,
            refusal,
            is_problem,
            can_ask,
        }) = items::since(&reviewed.since)
        else {
            return Since::default();
        };
        let edit_id = &reviewed.edit.edit_id;
        let parts = now.iter().enumerate();
        let diffs = parts.map(|(index, file)| {
            let rows = Rows::first(file, edit_id, Diffs::Now, index);
            FilePart::new(index, file, rows, false)
        });
        Since {
            message,
            refusal: refusal.into_owned(),
            is_problem,
            can_ask,
            diffs: diffs.collect(),
        }
    }
}

impl FilePart {
    fn new(index: usize, file: &FileDiff, rows: Rows, has_counts: bool) -> FilePart {
        let together = file.together.iter().map(usize::to_string);
        FilePart {
            index,
            number: file.number,
            together: together.collect::<Vec<_>>().join(" "),
            parts: file.parts,
            can_leave_out: false,
            file_path: visible(&file.file_path).into_owned(),
            change: visible(&file.change).into_owned(),
            added: file.added,
            removed: file.removed,
            has_counts,
            rows,
        }
    }
}

impl Rows {
    /// Shows the first rows of a file with this index.
    fn first(file: &FileDiff, edit_id: &str, diffs: Diffs, index: usize) -> Rows {
        let url = file_url(edit_id, diffs, index);
        match index < FILES_SENT {
            true => Rows::from_file(file, &url, 0),
            false => Rows::later(file, &url),
        }
    }

    /// Shows the rows of a file from an index. `url` is that of the file.
    pub(crate) fn from_file(file: &FileDiff, url: &str, from: usize) -> Rows {
        let from = from.min(file.rows.len());
        let rows = &file.rows[from..];
        let left = rows.len().saturating_sub(ROWS_SENT);
        let rows = rows.iter().take(ROWS_SENT);
        Rows {
            lines: rows.map(|row| RowPart::from_row(file, url, row)).collect(),
            rest: match left > 0 {
                true => format!("{url}?from={}", from + ROWS_SENT),
                false => String::new(),
            },
            left,
        }
    }

    /// Shows unchanged lines of a file.
    pub(crate) fn unchanged(file: &FileDiff, url: &str, gap: Gap) -> Rows {
        let rows = file.unchanged(gap, ROWS_SENT);
        Rows {
            lines: rows
                .iter()
                .map(|row| RowPart::from_row(file, url, row))
                .collect(),
            rest: String::new(),
            left: 0,
        }
    }

    /// Shows no row yet.
    fn later(file: &FileDiff, url: &str) -> Rows {
        Rows {
            lines: Vec::new(),
            rest: format!("{url}?from=0"),
            left: file.rows.len(),
        }
    }
}

impl RowPart {
    fn from_row(file: &FileDiff, url: &str, row: &Row) -> RowPart {
        let line = match row {
            Row::Line(line) => line,
            Row::Part(part) => {
                return RowPart::Choice {
                    file: part.file,
                    number: part.number,
                    name: part.name.clone(),
                };
            }
            Row::Gap(Gap {
                old,
                new,
                count,
                is_known,
            }) => {
                let url = match *is_known {
                    true => format!("{url}?old={old}&new={new}&count={count}"),
                    false => String::new(),
                };
                let shown = ROWS_SENT.min(*count);
                let mut gaps = file.rows.iter().filter(|row| matches!(row, Row::Gap(_)));
                return RowPart::Gap {
                    url,
                    count: *count,
                    shown,
                    has_more: shown < *count || gaps.nth(1).is_some(),
                };
            }
        };
        let (class, sign, spoken) = match line.change {
            Change::None => ("same", " ", ""),
            Change::Removed => ("removed", "\u{2212}", "removed:"),
            Change::Added => ("added", "+", "added:"),
        };
        let number = |number: Option<usize>| number.map_or_else(String::new, |n| n.to_string());
        RowPart::Line {
            class,
            sign,
            spoken,
            old: number(line.old),
            new: number(line.new),
            pieces: file.pieces(line),
            is_unended: line.is_unended,
        }
    }
}

/// Returns the URL of the rows of a file.
pub(crate) fn file_url(edit_id: &str, diffs: Diffs, index: usize) -> String {
    let diffs = match diffs {
        Diffs::AsShown => "files",
        Diffs::Now => "now",
    };
    format!("api/edits/{edit_id}/{diffs}/{index}")
}
