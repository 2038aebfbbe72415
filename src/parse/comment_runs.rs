//! Long runs of line comments, most of which are not given to the parser.
//!
//! The scanners of some grammars read all comments that follow for each comment, so a run costs the square of its length.
//! Input: a text of such a language. Output: the text without the middle of each long run. There, the tree has no
//! nodes: a comment is text of the enclosing node.

use tree_sitter::Range;

use crate::source::{Source, Span};

use super::point;

/// The number of comments at each end of a run that the parser gets.
const AT_ENDS: usize = 256;

/// The fewest comments that are omitted.
const OMITTED: usize = 256;

/// The fewest bytes of a run from which comments are omitted.
pub(super) const SHORTEST: usize = 2 * (2 * AT_ENDS + OMITTED);

/// Returns the parts of the text that the parser gets; none if it gets all of it.
pub(super) fn parsed_ranges(source: &Source) -> Vec<Range> {
    let Some(sign) = source.language().rescanned_comment() else {
        return Vec::new();
    };
    let omitted = omitted(source.text(), sign);
    if omitted.is_empty() {
        return Vec::new();
    }
    let starts = [0].into_iter().chain(omitted.iter().map(|span| span.end()));
    let ends = omitted.iter().map(|span| span.start());
    let parts = starts.zip(ends.chain([source.len()]));
    let range = |(start, end): (usize, usize)| Range {
        start_byte: start,
        end_byte: end,
        start_point: point(source.newline_point(start)),
        end_point: point(source.newline_point(end)),
    };
    parts.map(range).collect()
}

/// Returns the middle of each long run of lines that begin with `sign`.
fn omitted(text: &str, sign: &str) -> Vec<Span> {
    let mut omitted = Vec::new();
    // The starts of the lines of the current run.
    let mut run: Vec<usize> = Vec::new();
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
    for end in ends.chain([text.len()]) {
        let line = &text[start..end];
        let bare = line.trim_start_matches([' ', '\t']);
        // It may be a line of a string, which ends in it.
        let may_end_string = || line.contains("\"\"\"") || line.contains("'''");
        if bare.starts_with(sign) && end > start && !may_end_string() {
            run.push(start);
        } else {
            omitted.extend(middle(&run));
            run.clear();
        }
        start = end;
    }
    omitted.extend(middle(&run));
    omitted
}

/// Returns the middle of a run of lines that start there, if it is long.
fn middle(run: &[usize]) -> Option<Span> {
    let last = run.len().checked_sub(AT_ENDS)?;
    (last >= AT_ENDS + OMITTED).then(|| Span::new(run[AT_ENDS], run[last]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_long_run_is_omitted() {
        let lines = |count: usize| "  # note\n".repeat(count);
        let length = "  # note\n".len();
        for (count, expected) in [
            (0, 0),
            (2 * AT_ENDS + OMITTED - 1, 0),
            (5_000, 5_000 - 2 * AT_ENDS),
        ] {
            let before = "x = '#'\n# a\n\n";
            let text = [before, &lines(count), "y\n"].concat();
            let found = omitted(&text, "#");
            let bytes: usize = found.iter().map(|span| span.len()).sum();
            assert_eq!(bytes, expected * length, "{count}");
            let start = found.first().map_or(0, |span| span.start());
            assert_eq!(
                start,
                if expected == 0 {
                    0
                } else {
                    before.len() + AT_ENDS * length
                }
            );
        }
        let ended = ["'''\n", &lines(700), "# '''\n", &lines(700)].concat();
        assert_eq!(omitted(&ended, "#"), []);
    }
}
