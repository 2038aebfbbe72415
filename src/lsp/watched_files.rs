//! The files that a server has registered to watch. Input: registrations. Output: a matcher of
//! paths.

use camino::{Utf8Path, Utf8PathBuf};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde_json::Value;

use super::uri::path_of;

/// The files that a server has registered to watch.
#[derive(Debug)]
pub(super) struct WatchedFiles {
    /// The options of the registrations that `globs` are of.
    registrations: Vec<Value>,
    globs: GlobSet,
}

impl WatchedFiles {
    /// Returns a matcher of no files.
    pub(super) fn none() -> WatchedFiles {
        WatchedFiles {
            registrations: Vec::new(),
            globs: GlobSet::empty(),
        }
    }

    /// Returns the globs of the current registrations; `roots` are the workspace folders.
    pub(super) fn update(&mut self, registrations: Vec<Value>, roots: &[Utf8PathBuf]) -> GlobSet {
        if self.registrations != registrations {
            self.globs = globs(&registrations, roots);
            self.registrations = registrations;
        }
        self.globs.clone()
    }
}

fn globs(registrations: &[Value], roots: &[Utf8PathBuf]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    let watchers = registrations.iter().map(|options| &options["watchers"]);
    for watcher in watchers.filter_map(Value::as_array).flatten() {
        for pattern in absolute_patterns(&watcher["globPattern"], roots) {
            // Invalid patterns match nothing.
            if let Ok(glob) = Glob::new(&pattern) {
                set.add(glob);
            }
        }
    }
    set.build().unwrap_or_default()
}

/// Returns the patterns for absolute paths. `pattern` is a string, relative to each root; or a
/// `RelativePattern`, whose base is a URI or a workspace folder.
fn absolute_patterns(pattern: &Value, roots: &[Utf8PathBuf]) -> Vec<String> {
    let base = &pattern["baseUri"];
    let base = base.as_str().or(base["uri"].as_str()).and_then(path_of);
    let relative = pattern["pattern"].as_str();
    match (pattern.as_str(), base, relative) {
        (Some(pattern), ..) if pattern.starts_with('/') => vec![pattern.to_string()],
        (Some(pattern), ..) => {
            let below = |root: &Utf8PathBuf| format!("{}/{pattern}", escaped(root));
            roots.iter().map(below).collect()
        }
        (None, Some(base), Some(relative)) => vec![format!("{}/{relative}", escaped(&base))],
        _ => Vec::new(),
    }
}

/// Returns the pattern that matches only this path.
fn escaped(path: &Utf8Path) -> String {
    let mut escaped = String::new();
    for c in path.as_str().trim_end_matches('/').chars() {
        match c {
            '*' | '?' | '[' | ']' | '{' | '}' | '!' => escaped.extend(['[', c, ']']),
            c => escaped.push(c),
        }
    }
    escaped
}
