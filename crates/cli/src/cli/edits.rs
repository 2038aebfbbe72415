//! The table of staged and recently applied edits.

use std::time::{SystemTime, UNIX_EPOCH};

use treegraft::engine::response::{EditList, EditListed, EditStatus};

/// The column headings.
pub(super) const HEAD: [&str; 7] = ["EDIT", "STATUS", "AGE", "WHO", "FILE", "WHAT", "LINES"];
const ID: usize = 0;
const STATUS: usize = 1;
const WHO: usize = 3;
const FILE: usize = 4;
const WHAT: usize = 5;
/// The minimum length of an id that is cut to a unique start.
const SHORT_ID: usize = 7;
/// The maximum width of the program's name if the width of the table is limited.
const WHO_WIDTH: usize = 12;

/// Returns the table. With a `width`, no line is longer: ids are cut to a unique start, the status is left out if all
/// edits are previews, and files, symbols and names of programs are cut.
pub(super) fn table(list: &EditList, width: Option<usize>) -> String {
    table_at(list, width, now())
}

/// Returns how long ago an edit was made.
pub(super) fn age_of(edit: &EditListed) -> String {
    age(now().saturating_sub(edit.created))
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

fn table_at(list: &EditList, width: Option<usize>, now: u64) -> String {
    if list.edits.is_empty() && list.unreadable.is_empty() {
        return "no pending or applied edits\n".to_string();
    }
    let mut rows = vec![HEAD.map(str::to_string)];
    rows.extend(list.edits.iter().map(|edit| row(edit, now)));
    if let Some(width) = width {
        fit(&mut rows, list, width);
    }
    let widths = widths(&rows);
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).filter(|(_, width)| **width > 0);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text.push_str(cut_end(cells.join("  ").trim_end(), width.unwrap_or(usize::MAX)).as_str());
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

fn row(edit: &EditListed, now: u64) -> [String; HEAD.len()] {
    let is_made = !matches!(edit.status, EditStatus::Refused | EditStatus::Discarded);
    let what = match (&edit.reason, &edit.symbol) {
        (Some(reason), _) => reason.split_whitespace().collect::<Vec<_>>().join(" "),
        (None, Some(symbol)) if is_made => symbol.clone(),
        (None, _) => edit.summary.clone(),
    };
    let lines = match is_made {
        true => format!("+{} -{}", edit.added_lines, edit.removed_lines),
        false => String::new(),
    };
    [
        edit.edit_id.clone(),
        edit.status_name().to_string(),
        age(now.saturating_sub(edit.created)),
        edit.client.clone().unwrap_or_else(|| "-".to_string()),
        files(&edit.file_path),
        what,
        lines,
    ]
}

/// Shortens the cells so that a line is at most `width` characters long.
fn fit(rows: &mut [[String; HEAD.len()]], list: &EditList, width: usize) {
    let short = short_id(list);
    let is_previewed = |edit: &EditListed| edit.status_name() == "previewed";
    let has_status = !list.edits.iter().all(is_previewed);
    for row in &mut *rows {
        row[ID] = row[ID].chars().take(short).collect();
        row[WHO] = cut_end(&row[WHO], WHO_WIDTH);
        if !has_status {
            row[STATUS].clear();
        }
    }
    let widths = widths(rows);
    let columns = widths.iter().filter(|width| **width > 0).count();
    let all: usize = widths.iter().sum::<usize>() + 2 * (columns - 1);
    let excess = all.saturating_sub(width);
    let both = (widths[FILE] + widths[WHAT]).saturating_sub(excess);
    // Each of the two columns gets half, and what the other does not need.
    let file = (both / 2).max(both.saturating_sub(widths[WHAT]));
    let file = file.min(widths[FILE]);
    let what = both - file;
    let symbols = list.edits.iter().map(|edit| edit.symbol.as_ref());
    for (row, symbol) in rows.iter_mut().zip(std::iter::once(None).chain(symbols)) {
        row[FILE] = cut_start(&row[FILE], file);
        // The end of a symbol tells most, as the start of a sentence does.
        row[WHAT] = match symbol == Some(&row[WHAT]) {
            true => cut_start(&row[WHAT], what),
            false => cut_end(&row[WHAT], what),
        };
    }
}

/// Returns the length to which all ids can be cut so that they still differ.
fn short_id(list: &EditList) -> usize {
    let mut ids: Vec<&str> = list.edits.iter().map(|edit| &*edit.edit_id).collect();
    ids.sort_unstable();
    let common = ids.windows(2).map(|pair| {
        let both = pair[0].bytes().zip(pair[1].bytes());
        both.take_while(|(one, other)| one == other).count()
    });
    SHORT_ID.max(common.max().unwrap_or(0) + 1)
}

fn widths(rows: &[[String; HEAD.len()]]) -> [usize; HEAD.len()] {
    std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    })
}

/// Returns the first file and the number of the others.
pub(super) fn files(paths: &str) -> String {
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

/// Cuts the end of a text that is longer than `width` characters.
fn cut_end(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let shown: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{shown}…")
}

/// Cuts the start of a text that is longer than `width` characters.
fn cut_start(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_string();
    }
    let shown: String = text.chars().skip(count + 1 - width.max(1)).collect();
    format!("…{shown}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: &str, status: EditStatus, files: &str, symbol: Option<&str>) -> EditListed {
        EditListed {
            edit_id: id.to_string(),
            status,
            client: Some("claude-code".to_string()),
            session: None,
            tool: "replace_node".to_string(),
            file_path: files.to_string(),
            paths: Vec::new(),
            symbol: symbol.map(str::to_string),
            added_lines: 12,
            removed_lines: 3,
            created: 40,
            summary: "replace number at line 1".to_string(),
            reason: None,
            diff: None,
            overlaps: Vec::new(),
            depends_on: Vec::new(),
        }
    }

    fn list(edits: Vec<EditListed>) -> EditList {
        EditList {
            edits,
            omitted: 3,
            unreadable: vec!["one cannot be read".to_string()],
        }
    }

    #[test]
    fn columns_are_aligned() {
        let discarded = EditListed {
            reason: Some("keep\nthe name".to_string()),
            ..listed("e0123456789ad", EditStatus::Discarded, "a.rs", Some("a"))
        };
        let list = list(vec![
            listed("e0123456789ab", EditStatus::Previewed, "src/a.rs", None),
            listed(
                "e0123456789ac",
                EditStatus::Applied,
                "übung/größe.md, src/b.rs",
                Some("Größe.a"),
            ),
            discarded,
        ]);
        insta::assert_snapshot!(table_at(&list, None, 100), @r"
        EDIT           STATUS     AGE  WHO          FILE                       WHAT                      LINES
        e0123456789ab  previewed  1m   claude-code  src/a.rs                   replace number at line 1  +12 -3
        e0123456789ac  applied    1m   claude-code  übung/größe.md and 1 more  Größe.a                   +12 -3
        e0123456789ad  discarded  1m   claude-code  a.rs                       keep the name
        (3 older edits not shown)
        note: one cannot be read
        ");
    }

    #[test]
    fn edits_differ_in_80_columns() {
        let previewed = |id, file, symbol| listed(id, EditStatus::Previewed, file, Some(symbol));
        let list = list(vec![
            previewed(
                "e0123456789ab",
                "crates/engine/src/front/handlers/request.rs",
                "RequestHandler.handle_request",
            ),
            previewed(
                "e0123496789ab",
                "crates/engine/src/front/handlers/response.rs",
                "RequestHandler.handle_response",
            ),
        ]);
        insta::assert_snapshot!(table_at(&list, Some(80), 100), @r"
        EDIT     AGE  WHO          FILE                   WHAT                    LINES
        e012345  1m   claude-code  …/handlers/request.rs  …andler.handle_request  +12 -3
        e012349  1m   claude-code  …handlers/response.rs  …ndler.handle_response  +12 -3
        (3 older edits not shown)
        note: one cannot be read
        ");
        assert!(
            table_at(&list, Some(80), 100)
                .lines()
                .all(|line| line.chars().count() <= 80)
        );
        assert!(
            table_at(&list, Some(20), 100)
                .lines()
                .take(3)
                .all(|line| line.chars().count() <= 20)
        );
    }

    #[test]
    fn ages_have_one_unit() {
        let ages = [0, 59, 60, 7_199, 7_200, 90_000].map(age);
        assert_eq!(ages, ["0s", "59s", "1m", "1h", "2h", "1d"]);
    }
}
