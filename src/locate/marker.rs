//! The position marker. Input: a find. Output: its readings in the order in which to try them
//! (docs/design/locate.md#markers). In a find that selects text to replace, two equal markers bound a part
//! (docs/design/edit.md#replace-text).
//!
//! Refuses nothing: anything that is not a marker is plain text.

use crate::source::Span;

/// Deeper markers are plain text.
const DEEPEST: usize = 10;

/// One way to read a find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindReading {
    /// The find without the marker.
    pub(crate) text: String,
    /// The byte offset of the marker in `text`.
    pub(crate) marker: Option<usize>,
}

/// Returns the readings of `find` in the order in which to try them: the marker levels that occur exactly once,
/// deepest first, then plain text.
///
/// There are at most eleven readings. One pass over the find finds all of them.
pub(crate) fn readings(find: &str) -> Vec<FindReading> {
    let mut readings: Vec<FindReading> = unique_markers(find)
        .map(|(before, after)| FindReading {
            text: [before, after].concat(),
            marker: Some(before.len()),
        })
        .collect();
    readings.push(FindReading {
        text: find.to_string(),
        marker: None,
    });
    readings
}

/// Returns the text before and after the marker of `content`: the deepest marker that occurs exactly once.
pub(crate) fn around_marker(content: &str) -> Option<(&str, &str)> {
    unique_markers(content).next()
}

/// Returns the text before and after each marker whose level occurs exactly once, deepest first.
fn unique_markers(find: &str) -> impl Iterator<Item = (&str, &str)> {
    let by_level = bars_by_level(find);
    (1..=DEEPEST)
        .rev()
        .filter_map(move |level| match by_level[level] {
            Bars::One(bar) => Some((&find[..bar - level], &find[bar + 1 + level..])),
            _ => None,
        })
}

/// One way to read a find in which two markers bound a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BoundedReading {
    /// The find without the two markers.
    pub(crate) text: String,
    /// The byte offsets of the markers in `text`.
    pub(crate) bounds: Option<(usize, usize)>,
}

/// Returns the readings of `find` in the order in which to try them: the marker levels that occur exactly twice,
/// deepest first, then plain text.
pub(crate) fn bounded_readings(find: &str) -> Vec<BoundedReading> {
    let by_level = bars_by_level(find);
    let pairs = (1..=DEEPEST)
        .rev()
        .filter_map(|level| match by_level[level] {
            Bars::Two(first, second) => Some((first, second, level)),
            _ => None,
        });
    let mut readings: Vec<BoundedReading> = pairs
        .map(|(first, second, level)| {
            let inner = &find[first + 1 + level..second - level];
            let start = first - level;
            BoundedReading {
                text: [&find[..start], inner, &find[second + 1 + level..]].concat(),
                bounds: Some((start, start + inner.len())),
            }
        })
        .collect();
    readings.push(BoundedReading {
        text: find.to_string(),
        bounds: None,
    });
    readings
}

/// Returns `text`, which starts at offset `base` of its file, with markers around `part`. Returns `None` if the text
/// contains markers of all levels.
pub(crate) fn between_markers(text: &str, part: Span, base: usize) -> Option<String> {
    let bounds = (
        part.start().checked_sub(base)?,
        part.end().checked_sub(base)?,
    );
    let (before, own, after) = (
        text.get(..bounds.0)?,
        text.get(bounds.0..bounds.1)?,
        text.get(bounds.1..)?,
    );
    (1..=DEEPEST).find_map(|level| {
        let marker = ["<".repeat(level), ">".repeat(level)].join("|");
        let find = [before, &marker, own, &marker, after].concat();
        let reading = bounded_readings(&find).into_iter().next()?;
        (reading.bounds == Some(bounds) && reading.text == text).then_some(find)
    })
}

/// Returns the bars of the markers of each level.
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

/// Returns the number of angle brackets on both sides of the bar at `bar`.
///
/// Each run of brackets touches at most one bar, so all calls together cost one pass.
fn level_of(find: &[u8], bar: usize) -> usize {
    let left = find[..bar].iter().rev().take_while(|byte| **byte == b'<');
    let right = find[bar + 1..].iter().take_while(|byte| **byte == b'>');
    left.count().min(right.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every reading, with `‸` in place of its marker.
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
    fn the_deepest_unique_level_is_first() {
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
            let show = |one: BoundedReading| match one.bounds {
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
