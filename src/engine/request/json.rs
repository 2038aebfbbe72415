//! Reads JSON from text, and names what is wrong with it.

use serde::de::DeserializeOwned;

/// Why a text cannot be read as JSON.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// A string has an escape such as `\ud83d` without its other half. Programs write one if they cut text in the
    /// middle of a character.
    #[error(
        "{path} contains a lone surrogate (`\\ud800` to `\\udfff`), which is half of a character"
    )]
    LoneSurrogate {
        /// The value with the string: `edits[0].new_content`.
        path: String,
    },
    /// Another error.
    #[error("{0}")]
    Invalid(serde_json::Error),
}

/// Reads a JSON text.
///
/// # Errors
/// The text is not JSON, or one of its strings is not Unicode text.
pub fn read_json<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = match error.path().to_string() {
            path if path == "." => "the text".to_string(),
            path if path.ends_with('?') => "the name of a field".to_string(),
            path => path,
        };
        let error = error.into_inner();
        match is_lone_surrogate(&error) {
            true => JsonError::LoneSurrogate { path },
            false => JsonError::Invalid(error),
        }
    })?;
    deserializer.end().map_err(JsonError::Invalid)?;
    Ok(read)
}

/// Returns whether serde_json refused an escape for its missing half. Its errors have no kinds, only messages.
fn is_lone_surrogate(error: &serde_json::Error) -> bool {
    let message = error.to_string();
    ["lone leading surrogate", "unexpected end of hex escape"]
        .iter()
        .any(|known| message.starts_with(known))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn error(text: &str) -> String {
        let read = read_json::<Value>(text);
        read.expect_err("it is not JSON").to_string()
    }

    #[test]
    fn a_lone_surrogate_is_reported_with_its_place() {
        for half in [
            r"\ud83d",
            r"\ud83d x",
            r"\ude00",
            r"\ud83d\ud83d",
            r"\ud83d\n",
            r"\uD83D\u0041",
        ] {
            let message = error(&format!(
                r#"{{"edits": [{{}}, {{"new_content": "a{half}"}}]}}"#
            ));
            assert!(
                message.starts_with("edits[1].new_content contains a lone surrogate"),
                "{half}: {message}"
            );
        }
        assert!(error(r#""\ud83d""#).starts_with("the text contains a lone surrogate"));
        assert!(error(r#"{"\ud83d": 1}"#).starts_with("the name of a field contains"));
    }

    #[test]
    fn other_errors_are_those_of_the_parser() {
        assert_eq!(error("{"), "EOF while parsing an object at line 1 column 1");
        assert_eq!(error("{} x"), "trailing characters at line 1 column 4");
        assert_eq!(
            error(r#"{"n": 1e999}"#),
            "number out of range at line 1 column 11"
        );
        let deep = "[".repeat(200);
        assert!(error(&deep).starts_with("recursion limit exceeded"));
    }

    #[test]
    fn whole_characters_are_read() {
        let read: Value = read_json(r#""\ud83d\ude00 \\ud83d""#).expect("it is JSON");
        assert_eq!(read, "\u{1F600} \\ud83d");
    }
}
