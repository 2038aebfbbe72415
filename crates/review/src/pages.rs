//! The HTML of the page. The templates escape every text.

use std::time::{SystemTime, UNIX_EPOCH};

use askama::Template;
use treegraft::engine::response::{EditListed, EditStatus};
use treegraft::engine::review::{EditReviewed, FilesSince};

use crate::diff::{Change, FileDiff, Gap, Piece, Row, part_noun, visible};
use crate::listing::Listing;

/// The number of rows of a diff that are sent at once.
pub(crate) const ROWS_SENT: usize = 400;
/// The number of files of an edit whose diffs are sent with the edit. The page requests the others when they come into view.
const FILES_SENT: usize = 10;
/// The number of applied edits, and of discarded ones, that are listed.
const PAST_LISTED: usize = 100;

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

/// The edits under one heading.
struct Group {
    name: &'static str,
    /// The client, for pending edits.
    client: String,
    items: Vec<Item>,
    omitted: usize,
    can_select: bool,
}

/// An edit in the list.
struct Item {
    edit_id: String,
    status: &'static str,
    label: String,
    file: String,
    more_files: usize,
    /// The files, one a line.
    files: String,
    what: String,
    added: usize,
    removed: usize,
    created: u64,
    age: String,
    can_select: bool,
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
    /// What the parts of the edit are called.
    noun: &'static str,
    files: Vec<FilePart>,
}

/// What became of the files since.
#[derive(Default)]
struct Since {
    /// Absent if the files are unchanged.
    message: String,
    is_problem: bool,
    diffs: Vec<FilePart>,
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
    /// What becomes of the whole file, if anything.
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

impl List {
    /// Lists all edits: the pending ones by client, then the applied and the discarded ones.
    pub(crate) fn of<'r>(listing: &Listing, roots: impl Iterator<Item = &'r str>) -> List {
        let is_pending = |status| matches!(status, EditStatus::Previewed | EditStatus::Refused);
        let pending = listing.edits(is_pending);
        let mut groups: Vec<Group> = Vec::new();
        for edit in &pending {
            let client = client_of(edit);
            let known = groups.iter().position(|group| group.client == client);
            let index = known.unwrap_or_else(|| {
                groups.push(Group {
                    name: "Staged",
                    client,
                    items: Vec::new(),
                    omitted: 0,
                    can_select: true,
                });
                groups.len() - 1
            });
            groups[index].items.push(Item::of(edit));
        }
        for (name, status) in [
            ("Applied", EditStatus::Applied),
            ("Discarded", EditStatus::Discarded),
        ] {
            let edits = listing.edits(|one| one == status);
            if !edits.is_empty() {
                groups.push(Group {
                    name,
                    client: String::new(),
                    items: edits
                        .iter()
                        .take(PAST_LISTED)
                        .map(|edit| Item::of(edit))
                        .collect(),
                    omitted: edits.len().saturating_sub(PAST_LISTED),
                    can_select: false,
                });
            }
        }
        let is_staged = |edit: &&&EditListed| edit.status == EditStatus::Previewed;
        List {
            roots: roots.map(visible).collect::<Vec<_>>().join(", "),
            pending: pending.iter().filter(is_staged).count(),
            groups,
        }
    }
}

impl Item {
    fn of(edit: &EditListed) -> Item {
        let mut files = edit.files();
        let file = visible(files.next().unwrap_or_default()).into_owned();
        let more_files = files.count();
        let all: Vec<_> = edit.files().map(visible).collect();
        let what = edit.symbol.as_deref().unwrap_or(&edit.summary);
        let what = visible(match edit.status {
            EditStatus::Discarded => edit.reason.as_deref().unwrap_or("no reason"),
            _ => what,
        });
        Item {
            edit_id: edit.edit_id.clone(),
            status: edit.status_name(),
            label: format!("{file}: {what}"),
            file,
            more_files,
            files: all.join("\n"),
            what: what.into_owned(),
            added: edit.added_lines,
            removed: edit.removed_lines,
            created: edit.created,
            age: age(edit.created),
            can_select: edit.status == EditStatus::Previewed,
        }
    }

    fn is(&self, status: &str) -> bool {
        self.status == status
    }
}

impl Edit {
    /// Shows an edit with the first rows of its diffs.
    pub(crate) fn of(reviewed: &EditReviewed, files: &[FileDiff]) -> Edit {
        let edit = &reviewed.edit;
        let parts = files.iter().enumerate();
        let can_choose = edit.status == EditStatus::Previewed;
        Edit {
            item: Item::of(edit),
            summary: visible(&edit.summary).into_owned(),
            tool: edit.tool.clone(),
            client: client_of(edit),
            reason: visible(edit.reason.as_deref().unwrap_or_default()).into_owned(),
            notes: reviewed
                .notes
                .iter()
                .map(|note| visible(note).into_owned())
                .collect(),
            since: Since::of(&reviewed.since),
            noun: part_noun(&edit.tool),
            files: parts
                .map(|(index, file)| {
                    let url = file_url(&edit.edit_id, index);
                    let rows = match index < FILES_SENT {
                        true => Rows::of(file, &url, 0),
                        false => Rows::later(file, &url),
                    };
                    let mut part = FilePart::of(index, file, rows, true);
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

impl Since {
    fn of(since: &FilesSince) -> Since {
        let (message, diff) = match since {
            FilesSince::Unchanged => return Since::default(),
            FilesSince::Rebased(diff) => (
                "Other parts of the file changed since the preview. The edit still fits, and is written like this:".to_string(),
                diff.as_str(),
            ),
            FilesSince::Stale(diff) if diff.is_empty() => (
                "The file changed since the preview, so this edit cannot be accepted.".to_string(),
                "",
            ),
            FilesSince::Stale(diff) => (
                "The file changed since the preview, so this edit cannot be accepted as shown. Accept stages a fresh preview of the same request:".to_string(),
                diff.as_str(),
            ),
            FilesSince::RefusedNow(reason) => (
                format!("The file changed since the preview, so this edit cannot be accepted. The same request is now refused: {}", visible(reason)),
                "",
            ),
            FilesSince::ChangedSince => (
                "The file changed since the edit was applied, so this edit cannot be undone.".to_string(),
                "",
            ),
            FilesSince::Unreadable(reason) => (visible(reason).into_owned(), ""),
            _ => return Since::default(),
        };
        let files = FileDiff::of_text(diff);
        let parts = files.iter().enumerate();
        Since {
            message,
            is_problem: !matches!(since, FilesSince::Rebased(_)),
            diffs: parts
                .map(|(index, file)| FilePart::of(index, file, Rows::of(file, "", 0), false))
                .collect(),
        }
    }
}

impl FilePart {
    fn of(index: usize, file: &FileDiff, rows: Rows, has_counts: bool) -> FilePart {
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
    /// Shows the rows of a file from an index. `url` is that of the file; without one, no further rows can be requested.
    pub(crate) fn of(file: &FileDiff, url: &str, from: usize) -> Rows {
        let from = from.min(file.rows.len());
        let rows = &file.rows[from..];
        let left = rows.len().saturating_sub(ROWS_SENT);
        let rows = rows.iter().take(ROWS_SENT);
        Rows {
            lines: rows.map(|row| RowPart::of(file, url, row)).collect(),
            rest: match left > 0 && !url.is_empty() {
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
            lines: rows.iter().map(|row| RowPart::of(file, url, row)).collect(),
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
    fn of(file: &FileDiff, url: &str, row: &Row) -> RowPart {
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
                let url = match *is_known && !url.is_empty() {
                    true => format!("{url}?old={old}&new={new}&count={count}"),
                    false => String::new(),
                };
                return RowPart::Gap { url, count: *count };
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
pub(crate) fn file_url(edit_id: &str, index: usize) -> String {
    format!("api/edits/{edit_id}/files/{index}")
}

fn client_of(edit: &EditListed) -> String {
    let client = edit.client.as_deref();
    match client {
        None => "unknown client".to_string(),
        Some("cli") => "command line".to_string(),
        Some(client) => visible(client).into_owned(),
    }
}

/// Returns how long ago a time was, in one unit: `3m`.
fn age(created: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.map_or(0, |now| now.as_secs()).saturating_sub(created);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}
