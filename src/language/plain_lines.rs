//! Markdown for its block grammar, with plain text as long words.
//!
//! Input: a text. Output: a text of equal length with the same line breaks, from which the block grammar makes the same
//! named nodes with fewer tokens: it needs the markers at the start of a line, and of the rest only the signs of tables,
//! HTML blocks and link definitions.

use std::ops::Range;

/// What the block grammar needs of a line.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Blank,
    /// A link definition may begin in it and reach to the next blank line.
    Definition,
    /// Every byte has a meaning.
    Kept,
    /// The bytes in the range are plain text.
    Plain(Range<usize>),
}

/// Replaces plain text by one letter, byte by byte. Tabs stay, since columns depend on them, and so do other characters
/// than ASCII, which are letters for the grammar.
pub(super) fn mask(text: &mut [u8]) {
    const BOM: &[u8] = "\u{feff}".as_bytes();
    let mut start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut may_continue_definition = false;
    while start < text.len() {
        let rest = &text[start..];
        let end = start + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line = &mut text[start..end];
        match Line::read(line) {
            Line::Blank => may_continue_definition = false,
            Line::Definition => may_continue_definition = true,
            Line::Plain(range) if !may_continue_definition => {
                for byte in &mut line[range] {
                    if byte.is_ascii() && *byte != b'\t' {
                        *byte = b'x';
                    }
                }
            }
            Line::Plain(_) | Line::Kept => {}
        }
        let is_two_bytes = text[end..].starts_with(b"\r\n");
        start = end + 1 + usize::from(is_two_bytes);
    }
}

impl Line {
    fn read(line: &[u8]) -> Line {
        // A grammar takes a zero byte for the end of the text.
        let has_sign = memchr::memchr3(b'|', b'<', 0, line).is_some();
        let mut at = 0;
        let mut may_start_block = true;
        let start = loop {
            match line.get(at) {
                None => break None,
                Some(b' ' | b'\t' | b'>' | b'-' | b'+' | b'*' | b'.' | b')') => {}
                Some(byte) if byte.is_ascii_digit() => {}
                Some(byte) if is_letter(*byte) => break Some(at),
                Some(b'[') if may_start_block => match Bracket::read(&line[at..]) {
                    Bracket::Task => at += 2,
                    Bracket::Label => return Line::Definition,
                    Bracket::Text => break Some(at),
                },
                Some(_) => may_start_block = false,
            }
            at += 1;
        };
        let Some(start) = start else {
            let is_blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t'));
            return if is_blank { Line::Blank } else { Line::Kept };
        };
        let (before, rest) = line.split_at(start);
        let has_fence = [b"```", b"~~~"]
            .iter()
            .any(|fence| before.windows(fence.len()).any(|part| part == *fence));
        let ends_html = memchr::memchr(b'>', rest).is_some();
        if has_sign || has_fence || ends_html {
            return Line::Kept;
        }
        let last = rest
            .iter()
            .rposition(|byte| is_letter(*byte) || byte.is_ascii_digit());
        Line::Plain(start..start + last.map_or(0, |last| last + 1))
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// What an opening bracket at the start of a block may begin.
enum Bracket {
    /// The box of a task, which is one token.
    Task,
    /// The label of a link definition.
    Label,
    /// Text, such as that of a link.
    Text,
}

impl Bracket {
    fn read(text: &[u8]) -> Bracket {
        if let [_, b' ' | b'\t' | b'x' | b'X', b']', ..] = text {
            return match text.get(3) {
                Some(b':') => Bracket::Label,
                _ => Bracket::Task,
            };
        }
        let mut at = 1;
        loop {
            match &text[at..] {
                // The next line may end the label. After an escape, tree-sitter-md 0.5.4 reads no other text than a label.
                [] | [b'\\' | b'&', ..] => return Bracket::Label,
                [b'[', b' ' | b'\t' | b'x' | b'X', b']', ..] => at += 3,
                [b'[', ..] => return Bracket::Text,
                [b']', b':', ..] => return Bracket::Label,
                [b']', ..] => return Bracket::Text,
                [_, ..] => at += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_becomes_one_word_between_the_signs_at_its_ends() {
        let cases = [
            ("Some *text*.", "xxxxxxxxxx*."),
            ("# A `b`", "# xxxx`"),
            ("> 1. **Ä b\tc** d…", "> 1. **Äxx\txxxxx…"),
            ("- [ ] do [it](a)", "- [ ] xxxxxxxxx)"),
            ("- [it](a) now", "- xxxxxxxxxxx"),
            ("[a]: b", "[a]: b"),
            ("[a\nb]: c\n\nd e", "[a\nb]: c\n\nxxx"),
            ("[a]:\r\nb c\r\n \t\r\nd e", "[a]:\r\nb c\r\n \t\r\nxxx"),
            (
                "a | b\n<b>a b</b>\na b -->\n```a b",
                "a | b\n<b>a b</b>\na b -->\n```a b",
            ),
            ("\u{feff}# a b\rc d", "\u{feff}# xxx\rxxx"),
            ("1986. 3\n\n---\n", "1986. 3\n\n---\n"),
        ];
        for (text, expected) in cases {
            let mut bytes = text.as_bytes().to_vec();
            mask(&mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), expected, "{text}");
        }
    }
}
