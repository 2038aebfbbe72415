//! What the fuzz targets share: how the bytes of an input are read.

mod choices;
mod json;

use treegraft::language;
use treegraft::source::{NotText, Source, Span};

pub use choices::Choices;
pub use json::change;

/// The first `N` parts of an input, each up to a zero byte, and what is left; nothing where there
/// are fewer.
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

/// Bytes as text: what is none is replaced.
pub fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}")
}

/// Bytes as a file of this name. What is no text must be refused by its first bad byte; the file
/// is then the text that [`text_of`] makes of it.
pub fn source_of(name: &str, bytes: &[u8]) -> Source {
    let text = text_of(bytes);
    let language = language::of(name, &text);
    match Source::from_bytes(name, language, bytes.to_vec()) {
        Ok(source) => {
            assert_eq!(source.text().as_bytes(), bytes, "a text stays as it is");
            assert!(!bytes.contains(&0), "a zero byte is no text");
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
        Err(error) => panic!("a new reason that is not checked here: {error}"),
    }
}

/// The first character boundary of the text at or before `offset`.
pub fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// A span has to lie in its text, on character boundaries.
pub fn check_span(text: &str, span: Span) {
    assert!(
        text.get(span.range()).is_some(),
        "{span:?} is no span of a text of {} bytes",
        text.len()
    );
}
