//! The files that a call is about: a path or a list of paths.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// One or more files, directories or globs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathsArgument(pub Vec<String>);

impl PathsArgument {
    /// Returns whether it is only the current directory.
    pub(super) fn is_here(&self) -> bool {
        *self == PathsArgument::default()
    }

    /// Returns no path.
    pub(super) fn none() -> PathsArgument {
        PathsArgument(Vec::new())
    }

    /// Returns whether no path is given.
    pub(super) fn is_none(&self) -> bool {
        self.0.iter().all(String::is_empty)
    }

    /// Returns the path, if there is only one.
    pub(super) fn only(&self) -> Option<&str> {
        match self.0.as_slice() {
            [path] => Some(path),
            _ => None,
        }
    }
}

impl From<&str> for PathsArgument {
    fn from(path: &str) -> PathsArgument {
        PathsArgument(vec![path.to_string()])
    }
}

impl From<String> for PathsArgument {
    fn from(path: String) -> PathsArgument {
        PathsArgument(vec![path])
    }
}

impl fmt::Display for PathsArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.0.join("`, `"))
    }
}

impl Default for PathsArgument {
    fn default() -> PathsArgument {
        PathsArgument(vec![".".to_string()])
    }
}

impl Serialize for PathsArgument {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            all => all.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for PathsArgument {
    fn deserialize<D: serde::Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathsArgument, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "path must be a string or a list of strings")]
        enum Given {
            One(String),
            Several(Vec<String>),
        }
        let paths = match Given::deserialize(deserializer)? {
            Given::One(path) => vec![path],
            Given::Several(paths) => paths,
        };
        match paths.is_empty() {
            true => Err(serde::de::Error::custom("path is an empty list")),
            false => Ok(PathsArgument(paths)),
        }
    }
}

impl JsonSchema for PathsArgument {
    fn schema_name() -> Cow<'static, str> {
        "Paths".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "array"]})
    }
}
