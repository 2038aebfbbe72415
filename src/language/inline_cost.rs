//! Detects texts that are too costly for Markdown's inline grammar.
//!
//! Input: the text of a paragraph, heading or table cell. The grammar tries every way to pair delimiters and ignores
//! time limits, so the text is checked before parsing.

/// Real lines of 20 KB with ordinary markup stay below all of these limits. Without them 144 bytes of ` <![_!![&` take
/// 3.5 s and 35 KB of `*a **b ` 28 s; with them the slowest of some ten thousand random patterns took 75 ms, and 136 ms
/// with 20 KB of prose after it; prose takes 0.6 ms per KB.
const BYTES: usize = 32 * 1024;
/// Possible openers: the cost grows with their number times the bytes.
const SIGNS: usize = 2_500;
/// `![`: the cost grows in the same way.
const IMAGES: usize = 64;
/// Openers without a closer: the cost may double with each, and grows with the bytes after them.
const UNCLOSED: usize = 16;
const UNCLOSED_TIMES_BYTES: usize = 128 * 1024;

pub(super) fn too_costly(text: &str) -> Option<&'static str> {
    is_too_costly(text).then_some("it has too many unclosed delimiters")
}

fn is_too_costly(text: &str) -> bool {
    let signs = || {
        let bytes = text.bytes();
        bytes.filter(|byte| b"*_~[<$`&".contains(byte)).count()
    };
    if text.len() > BYTES || signs() > SIGNS || text.matches("![").count() > IMAGES {
        return true;
    }
    let unclosed = unclosed(text.as_bytes());
    unclosed > UNCLOSED || unclosed * text.len() > UNCLOSED_TIMES_BYTES
}

/// Counts the delimiters without a partner, roughly as CommonMark pairs them.
fn unclosed(text: &[u8]) -> usize {
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut lost = 0;
    let mut at = 0;
    // Lengths of runs of backticks (or dollars) that no equal run follows.
    let mut never_closed: Vec<(u8, usize)> = Vec::new();
    while let Some(&sign) = text.get(at) {
        if sign == b'\\' {
            at += 2;
            continue;
        }
        let start = at;
        at += run(text, start);
        match sign {
            b'[' | b'<' => open.push((sign, at - start)),
            b']' => lost += close(&mut open, b'[', at - start).1,
            b'>' => lost += close(&mut open, b'<', at - start).1,
            b'`' | b'$' => {
                let opener = (sign, at - start);
                let closed = match never_closed.contains(&opener) {
                    true => None,
                    false => end_of_same_run(text, at, opener),
                };
                match closed {
                    Some(end) => at = end,
                    None => {
                        never_closed.push(opener);
                        lost += opener.1;
                    }
                }
            }
            b'*' | b'_' | b'~' => {
                let before = start.checked_sub(1).map_or(b' ', |before| text[before]);
                let after = text.get(at).copied().unwrap_or(b' ');
                let (opens, closes) = flanks(before, after);
                let is_word = !is_loose(before) && !is_loose(after);
                if sign == b'_' && is_word {
                    continue;
                }
                let mut left = at - start;
                if closes {
                    let (still, between) = close(&mut open, sign, left);
                    left = still;
                    lost += between;
                }
                match opens {
                    true if left > 0 => open.push((sign, left)),
                    true => {}
                    false => lost += left,
                }
            }
            _ => {}
        }
    }
    lost + open.iter().map(|(_, count)| count).sum::<usize>()
}

/// Returns whether delimiters between two bytes may open and whether they may close.
fn flanks(before: u8, after: u8) -> (bool, bool) {
    let opens = !after.is_ascii_whitespace() && (!is_loose(after) || is_loose(before));
    let closes = !before.is_ascii_whitespace() && (!is_loose(before) || is_loose(after));
    (opens, closes)
}

/// Returns whether the byte is whitespace or punctuation.
fn is_loose(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte.is_ascii_punctuation()
}

/// Closes up to `count` openers of `sign`. Returns how many closers are left over and how many openers of other signs
/// between them are lost.
fn close(open: &mut Vec<(u8, usize)>, sign: u8, mut count: usize) -> (usize, usize) {
    let mut lost = 0;
    while count > 0 {
        let Some(opener) = open.iter().rposition(|(of, _)| *of == sign) else {
            break;
        };
        lost += open[opener + 1..]
            .iter()
            .map(|(_, count)| count)
            .sum::<usize>();
        open.truncate(opener + 1);
        let paired = open[opener].1.min(count);
        count -= paired;
        open[opener].1 -= paired;
        if open[opener].1 == 0 {
            open.pop();
        }
    }
    (count, lost)
}

/// Returns how many bytes from `at` on are equal.
fn run(text: &[u8], at: usize) -> usize {
    let same = text[at..].iter().take_while(|byte| **byte == text[at]);
    same.count()
}

fn end_of_same_run(text: &[u8], mut at: usize, (sign, length): (u8, usize)) -> Option<usize> {
    while at < text.len() {
        let here = run(text, at);
        if text[at] == sign && here == length {
            return Some(at + here);
        }
        at += here;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_closes_is_counted() {
        for (text, count) in [
            ("plain, **bold *it*** and `a * b` [x](y_z)", 0),
            ("snake_case_name", 0),
            ("`a * b", 2),
            ("*a **b ", 3),
            ("*a [b* c", 1),
            ("<![_![", 4),
            ("\\*a \\[", 0),
        ] {
            assert_eq!(unclosed(text.as_bytes()), count, "{text}");
        }
    }

    #[test]
    fn long_prose_is_read_and_hostile_text_is_not() {
        let prose = "Some *words* of **prose** with `code * in it` and [a link](http://a.b/c_d), \
                     say; and then a sentence as most are, which holds no markup at all, of any kind. ";
        let long = prose.repeat(20 * 1024 / prose.len());
        assert_eq!(unclosed(long.as_bytes()), 0);
        assert!(!is_too_costly(&long));
        assert!(is_too_costly(&"*a **b ".repeat(5_000)));
        assert!(is_too_costly(&" <![_!![&".repeat(16)));
        assert!(is_too_costly(&"![]".repeat(200)));
        assert!(is_too_costly(&"`".repeat(200_000)));
    }
}
