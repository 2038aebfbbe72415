//! Parses positions in the forms that other programs print: `42:10`, a line of compiler output or an object, with the
//! file if it is included.
//!
//! Refuses a text without a line number, and a line or character 0.

use std::sync::LazyLock;

use regex::Regex;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::{from_string, integer};

/// A line and a character in it, both from 1. Without a character, the position is the first non-whitespace character
/// of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineAndCharacter {
    /// The line.
    pub line: usize,
    /// The character, in Unicode code points.
    pub character: Option<usize>,
}

/// A position as written in requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionArgument {
    /// The file, if the text contains it.
    pub file_path: Option<String>,
    /// The position.
    pub at: LineAndCharacter,
}

/// A range as written in requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeArgument {
    /// The first character.
    pub start: LineAndCharacter,
    /// The position after the last character.
    pub end: LineAndCharacter,
}

/// The forms in which programs name a position: compilers and linters (`a.rs:42:10: error`, `--> a.rs:42:10`,
/// `a.ts(42,10): error`), interpreters (`File "a.py", line 42`), and this engine itself (``Located `a.py` at 42:10``).
static WAYS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let ways = [
        r"^(?<line>\d+)(?::(?<character>\d+))?$",
        r"^Located `(?<file>[^`]+)` at (?<line>\d+):(?<character>\d+)",
        r#"^File "(?<file>[^"]+)", line (?<line>\d+)"#,
        r"^(?:-->\s*)?(?<file>(?:[A-Za-z]:[\\/])?[^:()\n]+):(?<line>\d+)(?::(?<character>\d+))?(?::|\s|$)",
        r"^(?<file>[^()\n]+)\((?<line>\d+)(?:,(?<character>\d+))?\)(?::|\s|$)",
    ];
    let read = |way: &str| Regex::new(way).expect("the pattern is one");
    ways.map(read).into()
});

const FORMS: &str = "a position is {\"line\": 42, \"character\": 10}, \"42:10\", or a compiler's line such as \
     \"src/a.rs:42:10: error\"";

const RANGE_FORMS: &str = "a range is {\"start\": .., \"end\": ..} or \"42:10-43:5\"";

impl PositionArgument {
    /// Reads the position that a text contains.
    ///
    /// # Errors
    /// The text contains no line number, or a line or character 0.
    pub fn read(text: &str) -> Result<PositionArgument, String> {
        let text = text.trim();
        let found = WAYS.iter().find_map(|way| way.captures(text));
        let found = found.ok_or_else(|| format!("{text:?} has no line number; {FORMS}"))?;
        let number = |name| found.name(name).map(|digits| counted(digits.as_str()));
        let line = number("line").ok_or(FORMS)??;
        Ok(PositionArgument {
            file_path: found.name("file").map(|file| file.as_str().to_string()),
            at: LineAndCharacter {
                line,
                character: number("character").transpose()?,
            },
        })
    }
}

impl RangeArgument {
    /// Reads a range such as `42:10-43:5`.
    ///
    /// # Errors
    /// The text is not a range.
    pub fn read(text: &str) -> Result<RangeArgument, String> {
        let place = |text: &str| PositionArgument::read(text).map(|position| position.at);
        match text.split_once('-') {
            Some((start, end)) => Ok(RangeArgument {
                start: place(start)?,
                end: place(end)?,
            }),
            None => Err(RANGE_FORMS.to_string()),
        }
    }
}

/// Parses a number from 1. A number that is too large becomes `usize::MAX`, which is past every end.
fn counted(digits: &str) -> Result<usize, String> {
    match digits.parse().unwrap_or(usize::MAX) {
        0 => Err("lines and characters count from 1".to_string()),
        number => Ok(number),
    }
}

fn from_object(object: &Map<String, Value>) -> Result<PositionArgument, String> {
    // Positions in answers also have the last two fields, which are ignored here.
    const FIELDS: &[&str] = &["line", "character", "column", "byte", "utf16_character"];

    refuse_others("a position", object, FIELDS, FORMS)?;
    let number = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match integer(value).map(usize::try_from) {
            Some(Ok(number)) if number > 0 => Ok(Some(number)),
            _ => Err(format!("{name} must be a number from 1, not {value}")),
        },
    };
    let character = match number("character")? {
        Some(character) => Some(character),
        None => number("column")?,
    };
    Ok(PositionArgument {
        file_path: None,
        at: LineAndCharacter {
            line: number("line")?.ok_or(FORMS)?,
            character,
        },
    })
}

/// Refuses unknown fields.
fn refuse_others(
    what: &str,
    object: &Map<String, Value>,
    fields: &[&str],
    forms: &str,
) -> Result<(), String> {
    let mut given = object.iter().filter(|(_, value)| !value.is_null());
    match given.find(|(name, _)| !fields.contains(&name.as_str())) {
        Some((other, _)) => Err(format!("{what} has no field {other}; {forms}")),
        None => Ok(()),
    }
}

fn position_of(value: Value) -> Result<PositionArgument, String> {
    match from_string(value) {
        Value::String(text) => PositionArgument::read(&text),
        Value::Object(object) => from_object(&object),
        number if integer(&number).is_some() => PositionArgument::read(&number.to_string()),
        _ => Err(FORMS.to_string()),
    }
}

impl Serialize for LineAndCharacter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.character {
            Some(character) => json!({"line": self.line, "character": character}),
            None => json!({"line": self.line}),
        }
        .serialize(serializer)
    }
}

impl Serialize for PositionArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (&self.file_path, self.at.character) {
            (None, _) => self.at.serialize(serializer),
            (Some(file), None) => format!("{file}:{}", self.at.line).serialize(serializer),
            (Some(file), Some(character)) => {
                format!("{file}:{}:{character}", self.at.line).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for PositionArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PositionArgument, D::Error> {
        position_of(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for RangeArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({"start": self.start, "end": self.end}).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RangeArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RangeArgument, D::Error> {
        let read = |value| match from_string(value) {
            Value::String(text) => RangeArgument::read(&text),
            Value::Object(mut object) => {
                refuse_others("a range", &object, &["start", "end"], RANGE_FORMS)?;
                let mut end_of = |name: &str| {
                    let given = object.remove(name).unwrap_or_default();
                    position_of(given).map(|position| position.at)
                };
                Ok(RangeArgument {
                    start: end_of("start")?,
                    end: end_of("end")?,
                })
            }
            _ => Err(RANGE_FORMS.to_string()),
        };
        read(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for PositionArgument {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Position".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["object", "string"]})
    }
}

impl JsonSchema for RangeArgument {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Range".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "object"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn read(text: &str) -> (Option<String>, usize, Option<usize>) {
        let read = PositionArgument::read(text).expect("it names a place");
        (read.file_path, read.at.line, read.at.character)
    }

    #[test]
    fn a_place_is_read_as_programs_write_it() {
        for (text, file, line, character) in [
            ("42:10", None, 42, Some(10)),
            ("42", None, 42, None),
            ("Located `foo.py` at 42:10", Some("foo.py"), 42, Some(10)),
            (
                "Located `a b.py` at 2:1 (the first of 3 matches)",
                Some("a b.py"),
                2,
                Some(1),
            ),
            ("src/main.rs:42:10", Some("src/main.rs"), 42, Some(10)),
            ("src/main.rs:42", Some("src/main.rs"), 42, None),
            ("  --> src/main.rs:42:10", Some("src/main.rs"), 42, Some(10)),
            (
                "src/a.c:7:3: error: expected ';' before '}' token",
                Some("src/a.c"),
                7,
                Some(3),
            ),
            ("./a.go:7:3: undefined: x", Some("./a.go"), 7, Some(3)),
            (
                "src/a.ts(42,10): error TS2322: Type 'x' is not assignable.",
                Some("src/a.ts"),
                42,
                Some(10),
            ),
            (
                "a.py:3: error: Name \"x\" is not defined",
                Some("a.py"),
                3,
                None,
            ),
            (
                "a.py:3:5: F821 Undefined name `x`",
                Some("a.py"),
                3,
                Some(5),
            ),
            ("  File \"a.py\", line 3, in f", Some("a.py"), 3, None),
            (r"C:\src\a.cs:3:5: error", Some(r"C:\src\a.cs"), 3, Some(5)),
            (r"C:\src\a.cs(3,5): error", Some(r"C:\src\a.cs"), 3, Some(5)),
        ] {
            let expected = (file.map(str::to_string), line, character);
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn what_names_no_line_is_refused() {
        for text in ["", "main.rs", "0:3", "3:0", "a.rs:0", "line 3", ":3:4"] {
            assert!(PositionArgument::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_is_two_places() {
        let range = RangeArgument::read("2:3-4:5").expect("it is a range");
        assert_eq!(range.start.line, 2);
        assert_eq!(range.end.character, Some(5));
        assert!(RangeArgument::read("2:3").is_err());
    }
}
