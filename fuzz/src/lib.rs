//! Functions that the fuzz targets share to read the bytes of an input.

mod choices;
mod json;

use treegraft::language;
use treegraft::source::{NotText, Source, Span};

pub use choices::Choices;
pub use json::change;

/// Returns the first `N` parts of an input, each up to a zero byte, and the rest, or `None` if
/// there are fewer parts.
pub fn parts<const N: usize>(input: &[u8]) -> Option<([&[u8]; N], &[u8])> {
    let mut rest = input;
    let mut parts = [&input[..0]; N];
    for part in &mut parts {
        let end = rest.iter().position(|byte| *byte == 0)?;
        *part = &rest[..end];
        rest = &rest[end + 1..];
    }
    Some((parts, rest))
}

/// Converts bytes to text. Invalid bytes and zero bytes are replaced.
pub fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}

/// Reads bytes as a file with this name. Bytes that are not text must be refused at the first bad
/// byte; the file is then the text that [`text_of`] returns.
pub fn source_of(name: &str, bytes: &[u8]) -> Source {
    let text = text_of(bytes);
    let language = language::for_file(name, &text);
    match Source::from_bytes(name, language, bytes.to_vec()) {
        Ok(source) => {
            assert_eq!(source.text().as_bytes(), bytes, "text is unchanged");
            assert!(!bytes.contains(&0), "text has no zero byte");
            source
        }
        Err(NotText::Binary { offset }) => {
            assert_eq!(bytes.iter().position(|byte| *byte == 0), Some(offset));
            Source::new(name, language, text)
        }
        Err(NotText::NotUtf8 { offset }) => {
            let error = std::str::from_utf8(bytes).expect_err("text is not refused");
            assert_eq!(error.valid_up_to(), offset);
            Source::new(name, language, text)
        }
        Err(error) => panic!("an unexpected error: {error}"),
    }
}

/// Returns the last character boundary of the text at or before `offset`.
pub fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Asserts that a span is in its text, on character boundaries.
pub fn check_span(text: &str, span: Span) {
    assert!(
        text.get(span.range()).is_some(),
        "{span:?} is not a span of a text of {} bytes",
        text.len()
    );
}
