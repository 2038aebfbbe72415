//! The languages: one row each in [`LANGUAGES`], everything else about one is data in
//! `queries/<language>/`.
//!
//! Comes in: a path. Goes out: the row that reads it; [`plain_text`] where none claims it.
//! There is no `match` on a language anywhere else.

use std::fmt;

/// A language: how its files are recognised, parsed and described.
pub struct Language {
    /// The name in answers, and of its folder in `queries/`.
    pub name: &'static str,
    /// File name endings without the dot, lower case.
    pub extensions: &'static [&'static str],
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

static PLAIN_TEXT: Language = Language {
    name: "text",
    extensions: &[],
};

/// The row for files no language claims: no syntax tree.
pub fn plain_text() -> &'static Language {
    &PLAIN_TEXT
}
