//! Exact replacement of a text that occurs once in a file, as the edit tool of most agents does it.
//!
//! The program reads the file, searches for the text, writes a temporary file and renames it. It
//! does not parse the file.

use std::fs;
use std::path::Path;

use serde_json::json;

/// The argument that makes this process the program instead of the bench.
const PROGRAM: &str = "replace-a-text-that-occurs-once";

/// Returns the arguments that start the program.
pub(crate) fn words(path: &str, old: &str, new: &str) -> Vec<String> {
    [PROGRAM, path, old, new].map(str::to_string).to_vec()
}

/// Returns the arguments that an agent sends.
pub(crate) fn arguments(path: &str, old: &str, new: &str) -> String {
    json!({"file_path": path, "old_string": old, "new_string": new}).to_string()
}

/// Replaces the text if this process is the program. Returns whether it is.
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

/// Replaces the text in a file and returns the answer.
pub(crate) fn replaced(path: &Path, old: &str, new: &str) -> String {
    let shown = path.display();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return format!("{shown}: {error}"),
    };
    let mut places = text.match_indices(old);
    let (Some((at, _)), None) = (places.next(), places.next()) else {
        return format!("the text does not occur exactly once in {shown}");
    };
    let after = [&text[..at], new, &text[at + old.len()..]].concat();
    let temporary = path.with_extension("new");
    match fs::write(&temporary, after).and_then(|()| fs::rename(&temporary, path)) {
        Ok(()) => "replaced".to_string(),
        Err(error) => format!("{shown}: {error}"),
    }
}
