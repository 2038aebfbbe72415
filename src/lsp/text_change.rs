//! The change from one text of a document to the next, as the protocol sends it.

use serde_json::{Value, json};

use crate::source::{Encoding, Source, Span};

/// Returns the text without a byte order mark, which is not part of it in the protocol.
pub(super) fn body(source: &Source) -> &str {
    &source.text()[source.whole().range()]
}

/// Returns the smallest change from one text to another: without their common prefix and suffix.
pub(super) fn incremental(old: &Source, new: &Source, encoding: Encoding) -> Value {
    let (span, text) = smallest_change(body(old), body(new));
    let body_start = old.whole().start();
    let position = |offset| {
        let position = old.encoded_position(body_start + offset, encoding);
        json!({"line": position.line, "character": position.column})
    };
    let range = json!({"start": position(span.start()), "end": position(span.end())});
    json!({"range": range, "text": text})
}

/// Returns the bytes of `old` that change, and their replacement. Never splits a character or `\r\n`: the
/// protocol has no position within a line terminator.
fn smallest_change<'a>(old: &str, new: &'a str) -> (Span, &'a str) {
    let is_same = |(a, b): &(u8, u8)| a == b;
    let pairs = old.bytes().zip(new.bytes());
    let mut prefix = pairs.take_while(is_same).count();
    let splits = |text: &str, at: usize| {
        !text.is_char_boundary(at)
            || text.as_bytes().get(at) == Some(&b'\n') && text[..at].ends_with('\r')
    };
    while splits(old, prefix) || splits(new, prefix) {
        prefix -= 1;
    }
    let longest = old.len().min(new.len()) - prefix;
    let pairs = old.bytes().rev().zip(new.bytes().rev()).take(longest);
    let mut suffix = pairs.take_while(is_same).count();
    while splits(old, old.len() - suffix) || splits(new, new.len() - suffix) {
        suffix -= 1;
    }
    let span = Span::new(prefix, old.len() - suffix);
    (span, &new[prefix..new.len() - suffix])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language;
    use crate::source::EncodedPosition;

    fn source(text: &str) -> Source {
        Source::new("a", language::plain_text(), text.to_string())
    }

    fn applied(old: &str, change: &Value, encoding: Encoding) -> String {
        let old = source(old);
        let offset = |end: &str| {
            let position = &change["range"][end];
            let number = |name: &str| position[name].as_u64().expect("a number") as u32;
            let (line, column) = (number("line"), number("character"));
            old.encoded_offset(EncodedPosition { line, column }, encoding)
        };
        let (start, end) = (offset("start"), offset("end"));
        let new = change["text"].as_str().expect("a text");
        format!("{}{new}{}", &old.text()[..start], &old.text()[end..])
    }

    proptest! {
        #[test]
        fn an_incremental_change_results_in_the_new_text(
            old in "[ab\r\n😀é]{0,12}",
            new in "[ab\r\n😀é]{0,12}",
        ) {
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let change = incremental(&source(&old), &source(&new), encoding);
                prop_assert_eq!(applied(&old, &change, encoding), new.as_str());
            }
        }
    }
}
