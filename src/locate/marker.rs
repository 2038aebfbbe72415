//! The position marker: comes in as a find, goes out as the ways to read it, in the order
//! they are to be tried (locate spec, section 4); of a text to replace two equal markers bound a part
//! (`design.md`, section 6).
//!
//! Refuses nothing: what is not a marker is plain text.

use crate::source::Span;

/// Levels above this one are plain text.
const DEEPEST: usize = 10;

/// One way to read a find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindReading {
    /// The find with the marker taken out.
    pub(crate) text: String,
    /// The byte of `text` that the marker stood before.
    pub(crate) marker: Option<usize>,
}

/// The readings of `find` in the order they are to be tried: the marker levels that occur
/// exactly once, deepest first, then plain text.
///
/// There are at most eleven, each found in one walk over the find.
pub(crate) fn readings(find: &str) -> Vec<FindReading> {
    let by_level = bars_by_level(find);
    let unique = (1..=DEEPEST)
        .rev()
        .filter_map(|level| match by_level[level] {
            Bars::One(bar) => Some((bar, level)),
            _ => None,
        });
    let mut readings: Vec<FindReading> = unique
        .map(|(bar, level)| FindReading {
            text: [&find[..bar - level], &find[bar + 1 + level..]].concat(),
            marker: Some(bar - level),
        })
        .collect();
    readings.push(FindReading {
        text: find.to_string(),
        marker: None,
    });
    readings
}

/// What stands before and behind the marker of `content`: the deepest that occurs exactly once.
pub(crate) fn round_marker(content: &str) -> Option<(&str, &str)> {
    let by_level = bars_by_level(content);
    let unique = (1..=DEEPEST).rev().find_map(|level| match by_level[level] {
        Bars::One(bar) => Some((bar, level)),
        _ => None,
    });
    let (bar, level) = unique?;
    Some((&content[..bar - level], &content[bar + 1 + level..]))
}

/// One way to read a find that bounds a part of what it matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounded {
    /// The find with both markers taken out.
    pub(crate) text: String,
    /// The bytes of `text` between which they stood.
    pub(crate) bounds: Option<(usize, usize)>,
}

/// The readings of `find` in the order they are to be tried: the marker levels that occur exactly
/// twice, deepest first, then plain text.
pub(crate) fn bounded_readings(find: &str) -> Vec<Bounded> {
    let by_level = bars_by_level(find);
    let pairs = (1..=DEEPEST)
        .rev()
        .filter_map(|level| match by_level[level] {
            Bars::Two(first, second) => Some((first, second, level)),
            _ => None,
        });
    let mut readings: Vec<Bounded> = pairs
        .map(|(first, second, level)| {
            let inner = &find[first + 1 + level..second - level];
            let start = first - level;
            Bounded {
                text: [&find[..start], inner, &find[second + 1 + level..]].concat(),
                bounds: Some((start, start + inner.len())),
            }
        })
        .collect();
    readings.push(Bounded {
        text: find.to_string(),
        bounds: None,
    });
    readings
}

/// `text`, which begins at `base`, with markers round the part of it that `part` is; nothing where it
/// has all kinds of markers itself.
pub(crate) fn between_markers(text: &str, part: Span, base: usize) -> Option<String> {
    let bounds = (
        part.start().checked_sub(base)?,
        part.end().checked_sub(base)?,
    );
    let (before, own, behind) = (
        text.get(..bounds.0)?,
        text.get(bounds.0..bounds.1)?,
        text.get(bounds.1..)?,
    );
    (1..=DEEPEST).find_map(|level| {
        let marker = ["<".repeat(level), ">".repeat(level)].join("|");
        let find = [before, &marker, own, &marker, behind].concat();
        let reading = bounded_readings(&find).into_iter().next()?;
        (reading.bounds == Some(bounds) && reading.text == text).then_some(find)
    })
}

/// The bars of the markers of each level, as far as they matter.
fn bars_by_level(find: &str) -> [Bars; DEEPEST + 1] {
    let mut by_level = [const { Bars::None }; DEEPEST + 1];
    for bar in memchr::memchr_iter(b'|', find.as_bytes()) {
        let level = level_of(find.as_bytes(), bar);
        if (1..=DEEPEST).contains(&level) {
            by_level[level].add(bar);
        }
    }
    by_level
}

enum Bars {
    None,
    One(usize),
    Two(usize, usize),
    More,
}

impl Bars {
    fn add(&mut self, bar: usize) {
        *self = match self {
            Bars::None => Bars::One(bar),
            Bars::One(first) => Bars::Two(*first, bar),
            Bars::Two(..) | Bars::More => Bars::More,
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
        let show = |reading: FindReading| match reading.marker {
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
    fn two_markers_of_one_level_bound_what_is_between() {
        let shown = |find: &str| -> Vec<String> {
            let readings = bounded_readings(find).into_iter();
            let show = |one: Bounded| match one.bounds {
                Some((start, end)) => format!(
                    "{}‹{}›{}",
                    &one.text[..start],
                    &one.text[start..end],
                    &one.text[end..]
                ),
                None => one.text,
            };
            readings.map(show).collect()
        };
        assert_eq!(
            shown("return <|>result<|> + 1"),
            ["return ‹result› + 1", "return <|>result<|> + 1"]
        );
        assert_eq!(
            shown("a <|>b<|> <<|>>c<<|>>"),
            [
                "a <|>b<|> ‹c›",
                "a ‹b› <<|>>c<<|>>",
                "a <|>b<|> <<|>>c<<|>>"
            ]
        );
        assert_eq!(shown("f(<|><|>)"), ["f(‹›)", "f(<|><|>)"]);
        assert_eq!(shown("one <|> alone"), ["one <|> alone"]);
    }

    #[test]
    fn level_ten_is_a_marker_and_level_eleven_is_not() {
        let at_level = |level: usize| format!("a {}|{}b", "<".repeat(level), ">".repeat(level));
        assert_eq!(shown(&at_level(10))[0], "a ‸b");
        assert_eq!(shown(&at_level(11)), [at_level(11)]);
    }
}
