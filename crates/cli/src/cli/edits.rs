//! The table of staged and recently applied edits.

use std::time::{SystemTime, UNIX_EPOCH};

use treegraft::engine::response::{EditList, EditStatus};

/// The column headings.
pub(super) const HEAD: [&str; 6] = ["EDIT", "STATUS", "AGE", "TOOL", "FILE", "WHAT"];

/// Returns the table. With a `width`, no line is longer.
pub(super) fn table(list: &EditList, width: Option<usize>) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    table_at(list, width, now.map_or(0, |now| now.as_secs()))
}

fn table_at(list: &EditList, width: Option<usize>, now: u64) -> String {
    if list.edits.is_empty() && list.unreadable.is_empty() {
        return "no pending or applied edits\n".to_string();
    }
    let mut rows = vec![HEAD.map(str::to_string)];
    rows.extend(list.edits.iter().map(|edit| {
        let status = match edit.status {
            EditStatus::Refused => "refused",
            EditStatus::Applied | EditStatus::Rebased => "applied",
            EditStatus::Previewed | EditStatus::Undone | EditStatus::Unchanged => "previewed",
        };
        [
            edit.edit_id.clone(),
            status.to_string(),
            age(now.saturating_sub(edit.created)),
            edit.tool.clone(),
            files(&edit.file_path),
            edit.summary.clone(),
        ]
    }));
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..HEAD.len() - 1).map(widest).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        line.push_str(&row[HEAD.len() - 1]);
        text.push_str(&cut(&line, width));
        text.push('\n');
    }
    if list.omitted > 0 {
        text.push_str(&format!("({} older edits not shown)\n", list.omitted));
    }
    for record in &list.unreadable {
        text.push_str(&format!("note: {record}\n"));
    }
    text
}

/// Returns the first file and the number of the others.
fn files(paths: &str) -> String {
    match paths.split_once(", ") {
        Some((first, more)) => format!("{first} and {} more", more.split(", ").count()),
        None => paths.to_string(),
    }
}

/// Returns an age in the largest unit that fits.
fn age(seconds: u64) -> String {
    let units = [(86_400, 'd'), (3_600, 'h'), (60, 'm')];
    let unit = units.iter().find(|(length, _)| seconds >= *length);
    match unit {
        Some((length, name)) => format!("{}{name}", seconds / length),
        None => format!("{seconds}s"),
    }
}

fn cut(line: &str, width: Option<usize>) -> String {
    match width {
        Some(width) if line.chars().count() > width => {
            let shown: String = line.chars().take(width.saturating_sub(1)).collect();
            format!("{shown}…")
        }
        _ => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treegraft::engine::response::EditListed;

    fn listed(created: u64, status: EditStatus, file_path: &str, summary: &str) -> EditListed {
        EditListed {
            edit_id: "e0123456789ab".to_string(),
            status,
            tool: "replace_node".to_string(),
            file_path: file_path.to_string(),
            created,
            summary: summary.to_string(),
            diff: None,
        }
    }

    #[test]
    fn columns_are_aligned_and_lines_are_cut_at_the_terminal_width() {
        let list = EditList {
            edits: vec![
                listed(
                    99,
                    EditStatus::Previewed,
                    "src/a.rs",
                    "replace number at line 1",
                ),
                listed(
                    0,
                    EditStatus::Applied,
                    "übung/größe.md, src/b.rs",
                    "2 edits in 2 files",
                ),
            ],
            omitted: 3,
            unreadable: vec!["one cannot be read".to_string()],
        };
        insta::assert_snapshot!(table_at(&list, None, 100), @r"
        EDIT           STATUS     AGE  TOOL          FILE                       WHAT
        e0123456789ab  previewed  1s   replace_node  src/a.rs                   replace number at line 1
        e0123456789ab  applied    1m   replace_node  übung/größe.md and 1 more  2 edits in 2 files
        (3 older edits not shown)
        note: one cannot be read
        ");
        let narrow = table_at(&list, Some(80), 100);
        let line = narrow.lines().nth(1).unwrap_or_default();
        assert_eq!(
            line,
            "e0123456789ab  previewed  1s   replace_node  src/a.rs                   replace…"
        );
    }

    #[test]
    fn ages_have_one_unit() {
        let ages = [0, 59, 60, 7_199, 7_200, 90_000].map(age);
        assert_eq!(ages, ["0s", "59s", "1m", "1h", "2h", "1d"]);
    }
}
