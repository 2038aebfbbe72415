//! A block between two marker comments in a text that people also write.

use super::{ConfigChange, Merged, NotMerged, newline};

/// The line before the block.
const BLOCK_START: &str = "<!-- treegraft: start (written by `treegraft client install`) -->";
/// The line after the block.
const BLOCK_END: &str = "<!-- treegraft: end -->";

/// The first words of the line before the block, also of other versions.
const STARTS: &str = "<!-- treegraft: start";

/// Returns the lines of the block with its markers, from the start of the first to the end of the last
/// one without its line ending.
fn find(text: &str) -> Result<Option<(usize, usize)>, NotMerged> {
    let Some(start) = line_with(text, 0, STARTS) else {
        return Ok(None);
    };
    let Some(end) = line_with(text, start, BLOCK_END) else {
        return Err(NotMerged::OpenBlock {
            line: text[..start].matches('\n').count() + 1,
            start: BLOCK_START,
            end: BLOCK_END,
        });
    };
    Ok(Some((start, end + BLOCK_END.len())))
}

/// Returns the start of the first line from an offset that starts with `words`.
fn line_with(text: &str, from: usize, words: &str) -> Option<usize> {
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if line.starts_with(words) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Returns the content of the block of a text.
pub(in crate::cli) fn read_block(text: &str) -> Result<Option<String>, NotMerged> {
    Ok(find(text)?.map(|(start, end)| {
        let block = text[start..end].replace("\r\n", "\n");
        let lines: Vec<&str> = block.lines().collect();
        lines[1..lines.len() - 1].join("\n") + "\n"
    }))
}

/// Returns the text with the content in its block: in place of the old one, else at its end after an
/// empty line.
pub(in crate::cli) fn merge_block(text: &str, content: &str) -> Result<Merged, NotMerged> {
    let newline = newline(text);
    let block = format!("{BLOCK_START}\n{content}{BLOCK_END}").replace('\n', newline);
    let (text, change) = match find(text)? {
        Some((start, end)) if text[start..end] == block => (text.to_string(), ConfigChange::Same),
        Some((start, end)) => (
            format!("{}{block}{}", &text[..start], &text[end..]),
            ConfigChange::Replaced,
        ),
        None => {
            let gap = match text {
                "" => String::new(),
                text if text.ends_with('\n') => newline.to_string(),
                _ => newline.repeat(2),
            };
            (format!("{text}{gap}{block}{newline}"), ConfigChange::Added)
        }
    };
    Ok(Merged { text, change })
}

/// Returns the text without its block, its line ending and the empty line before it.
pub(in crate::cli) fn without_block(text: &str) -> Result<String, NotMerged> {
    let Some((start, end)) = find(text)? else {
        return Ok(text.to_string());
    };
    let (before, after) = (&text[..start], &text[end..]);
    let after = after.strip_prefix('\r').unwrap_or(after);
    let after = after.strip_prefix('\n').unwrap_or(after);
    let gap = newline(text);
    let before = match before.strip_suffix(gap) {
        Some(shorter) if shorter.ends_with(gap) || shorter.is_empty() => shorter,
        _ => before,
    };
    Ok(format!("{before}{after}"))
}
