//! Exact replacement of a text that stands in a file once: what the edit tool of most agents does.
//!
//! It reads the file, looks for the text, and writes a temporary file that it renames. No syntax is looked at.

use std::fs;
use std::path::Path;

use serde_json::json;

/// Says that this process is the program, and not the bench.
const PROGRAM: &str = "replace-a-text-that-stands-there-once";

/// What the program is started with.
pub(crate) fn words(path: &str, old: &str, new: &str) -> Vec<String> {
    [PROGRAM, path, old, new].map(str::to_string).to_vec()
}

/// What an agent sends.
pub(crate) fn arguments(path: &str, old: &str, new: &str) -> String {
    json!({"file_path": path, "old_string": old, "new_string": new}).to_string()
}

/// Where this process is the program: it replaces.
pub(crate) fn is_program() -> bool {
    let words: Vec<String> = std::env::args().collect();
    let [_, program, path, old, new] = &words[..] else {
        return false;
    };
    if program != PROGRAM {
        return false;
    }
    println!("{}", replaced(Path::new(path), old, new));
    true
}

/// The answer.
pub(crate) fn replaced(path: &Path, old: &str, new: &str) -> String {
    let shown = path.display();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return format!("{shown}: {error}"),
    };
    let mut places = text.match_indices(old);
    let (Some((at, _)), None) = (places.next(), places.next()) else {
        return format!("the text does not stand in {shown} once");
    };
    let after = [&text[..at], new, &text[at + old.len()..]].concat();
    let beside = path.with_extension("new");
    match fs::write(&beside, after).and_then(|()| fs::rename(&beside, path)) {
        Ok(()) => "replaced".to_string(),
        Err(error) => format!("{shown}: {error}"),
    }
}
