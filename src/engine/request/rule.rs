//! The rules of a search, as a call passes them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

/// One or more rules of ast-grep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleArgument {
    /// The text of a rule file, in YAML or JSON.
    Text(String),
    /// A rule as an object, or a list of rules.
    Value(Value),
    /// A rule file, a directory of them, or an `sgconfig.yml`.
    Path(String),
}

impl Serialize for RuleArgument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RuleArgument::Text(text) => text.serialize(serializer),
            RuleArgument::Value(value) => value.serialize(serializer),
            RuleArgument::Path(path) => json!({"path": path}).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RuleArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleArgument, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match &value {
            Value::String(text) => Ok(RuleArgument::Text(text.clone())),
            // No rule has this key.
            Value::Object(fields) => match fields.get("path") {
                Some(Value::String(path)) if fields.len() == 1 => {
                    Ok(RuleArgument::Path(path.clone()))
                }
                _ => Ok(RuleArgument::Value(value)),
            },
            Value::Array(_) => Ok(RuleArgument::Value(value)),
            _ => Err(serde::de::Error::custom(
                "rule must be the text of a rule, a rule as an object, or {path}",
            )),
        }
    }
}

impl JsonSchema for RuleArgument {
    fn schema_name() -> Cow<'static, str> {
        "Rule".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "object"]})
    }
}
