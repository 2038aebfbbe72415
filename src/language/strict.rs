//! The real parsers of languages where asking them is cheap: tree-sitter lets pass what they refuse.

use super::StrictProblem;

/// serde_json skips values it ignores without recursion, so that depth is no danger.
#[cfg(feature = "lang-json")]
pub(super) fn read_json(text: &str) -> Result<(), StrictProblem> {
    let bare = text.trim_start_matches('\u{feff}');
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(bare) else {
        return Ok(());
    };
    let line_start: usize = bare
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let offset = line_start + error.column().saturating_sub(1);
    let mut offset = (text.len() - bare.len() + offset).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    Err(StrictProblem {
        message: message.to_string(),
        offset,
    })
}

/// The toml crate limits how deep it goes.
#[cfg(feature = "lang-toml")]
pub(super) fn read_toml(text: &str) -> Result<(), StrictProblem> {
    let bare = text.trim_start_matches('\u{feff}');
    let Err(error) = bare.parse::<toml::Table>() else {
        return Ok(());
    };
    let offset = error.span().map_or(bare.len(), |span| span.start);
    let mut offset = (text.len() - bare.len() + offset).min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    Err(StrictProblem {
        message: error.message().to_string(),
        offset,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "lang-json")]
    #[test]
    fn the_real_json_parser_says_where_and_survives_depth() {
        assert_eq!(
            read_json("{\n  \"a\": 1,\n}"),
            Err(StrictProblem {
                message: "key must be a string".to_string(),
                offset: 12
            })
        );
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        assert_eq!(read_json(&deep), Ok(()));
        assert!(read_json("1 2").is_err_and(|problem| problem.offset == 2));
    }

    #[cfg(feature = "lang-toml")]
    #[test]
    fn the_real_toml_parser_says_where_and_survives_depth() {
        assert_eq!(
            read_toml("\u{feff}a = 1\n[b]\nc = 2\nc = 3\n"),
            Err(StrictProblem {
                message: "duplicate key".to_string(),
                offset: 19
            })
        );
        assert_eq!(read_toml("a = [1, 2]\r\n"), Ok(()));
        let deep = format!("a = {}", "[".repeat(200_000) + &"]".repeat(200_000));
        assert!(read_toml(&deep).is_err());
    }
}
