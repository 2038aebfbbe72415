//! The position marker: comes in as a find, goes out as the ways to read it, in the order
//! they are to be tried (locate spec, section 4).
//!
//! Refuses nothing: what is not a marker is plain text.

/// Levels above this one are plain text.
const DEEPEST: usize = 10;

/// One way to read a find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The find with the marker taken out.
    pub(crate) text: String,
    /// The byte of `text` that the marker stood before.
    pub(crate) marker: Option<usize>,
}

/// The readings of `find` in the order they are to be tried: the marker levels that occur
/// exactly once, deepest first, then plain text.
///
/// There are at most eleven, each found in one walk over the find.
pub(crate) fn readings(find: &str) -> Vec<Reading> {
    let mut by_level = [const { Occurrences::None }; DEEPEST + 1];
    for bar in memchr::memchr_iter(b'|', find.as_bytes()) {
        let level = level_of(find.as_bytes(), bar);
        if (1..=DEEPEST).contains(&level) {
            by_level[level].add(bar);
        }
    }
    let unique = (1..=DEEPEST)
        .rev()
        .filter_map(|level| match by_level[level] {
            Occurrences::One(bar) => Some((bar, level)),
            Occurrences::None | Occurrences::Several => None,
        });
    let mut readings: Vec<Reading> = unique
        .map(|(bar, level)| Reading {
            text: [&find[..bar - level], &find[bar + 1 + level..]].concat(),
            marker: Some(bar - level),
        })
        .collect();
    readings.push(Reading {
        text: find.to_string(),
        marker: None,
    });
    readings
}

/// Where a level occurs, as far as it matters.
enum Occurrences {
    None,
    One(usize),
    Several,
}

impl Occurrences {
    fn add(&mut self, bar: usize) {
        *self = match self {
            Occurrences::None => Occurrences::One(bar),
            Occurrences::One(_) | Occurrences::Several => Occurrences::Several,
        };
    }
}

/// How many brackets stand on both sides of the bar at `bar`.
///
/// A run of brackets touches one bar on its open side, so all calls together cost one walk.
fn level_of(find: &[u8], bar: usize) -> usize {
    let left = find[..bar].iter().rev().take_while(|byte| **byte == b'<');
    let right = find[bar + 1..].iter().take_while(|byte| **byte == b'>');
    left.count().min(right.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every reading, with `‸` where its marker stood.
    fn shown(find: &str) -> Vec<String> {
        let show = |reading: Reading| match reading.marker {
            Some(marker) => {
                let (before, after) = reading.text.split_at(marker);
                format!("{before}‸{after}")
            }
            None => reading.text,
        };
        readings(find).into_iter().map(show).collect()
    }

    #[test]
    fn text_without_a_marker_has_one_reading() {
        assert_eq!(shown("a | b"), ["a | b"]);
        assert_eq!(shown("tail |> pipe <| back"), ["tail |> pipe <| back"]);
        assert_eq!(shown("TODO: <HERE>fix"), ["TODO: <HERE>fix"]);
        assert_eq!(shown(""), [""]);
    }

    #[test]
    fn a_marker_is_tried_before_plain_text() {
        assert_eq!(shown("str <|> num"), ["str ‸ num", "str <|> num"]);
    }

    #[test]
    fn a_lone_marker_of_level_two_is_of_level_two() {
        assert_eq!(shown("<<|>>"), ["‸", "<<|>>"]);
    }

    #[test]
    fn a_level_that_occurs_twice_marks_nothing() {
        assert_eq!(shown("x <|> y <|> z"), ["x <|> y <|> z"]);
        assert_eq!(
            shown("a <<|>> b <<|>> c <|>"),
            ["a <<|>> b <<|>> c ‸", "a <<|>> b <<|>> c <|>"]
        );
    }

    #[test]
    fn the_deepest_unique_level_comes_first() {
        assert_eq!(
            shown("x <|> y <<|>> z"),
            ["x <|> y ‸ z", "x ‸ y <<|>> z", "x <|> y <<|>> z"]
        );
    }

    #[test]
    fn brackets_beyond_the_level_are_plain_text() {
        assert_eq!(shown("Vec<<|>u8>")[0], "Vec<‸u8>");
        assert_eq!(shown("Option<u8<|>>>")[0], "Option<u8‸>>");
        assert_eq!(shown("Map<<|>")[0], "Map<‸");
        assert_eq!(shown("a <|>|> b")[0], "a ‸|> b");
    }

    #[test]
    fn level_ten_is_a_marker_and_level_eleven_is_not() {
        let at_level = |level: usize| format!("a {}|{}b", "<".repeat(level), ">".repeat(level));
        assert_eq!(shown(&at_level(10))[0], "a ‸b");
        assert_eq!(shown(&at_level(11)), [at_level(11)]);
    }
}
