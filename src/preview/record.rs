//! What is kept of a preview of one file: made of a preview, written to the state directory, and
//! read back from there. Nothing outside of the crate makes one.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::change::{Replacement, Target};
use crate::source::{Digest, Span};

/// What is kept of a preview of one file. Only a preview makes it; what is read back from the state
/// directory becomes a preview again only if the text, the result, the diff and the targets are
/// those that were shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewRecord(pub(super) RecordData);

/// The record, in the form it has on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordData {
    pub(super) file_path: String,
    #[serde(with = "replacements")]
    pub(super) replacements: Vec<Replacement>,
    pub(super) digest_before: Digest,
    pub(super) digest_after: Digest,
    /// In the order of the edits; at least one.
    #[serde(with = "targets")]
    pub(super) targets: Vec<Target>,
    pub(super) diff: String,
}

impl PreviewRecord {
    /// The file, as it is named in answers.
    pub fn file_path(&self) -> &str {
        &self.0.file_path
    }

    /// The change, sorted by place.
    pub fn replacements(&self) -> &[Replacement] {
        &self.0.replacements
    }

    /// The digest of the text before.
    pub fn digest_before(&self) -> Digest {
        self.0.digest_before
    }

    /// The digest of the text after.
    pub fn digest_after(&self) -> Digest {
        self.0.digest_after
    }

    /// What was selected, in the order of the edits; at least one.
    pub fn targets(&self) -> &[Target] {
        &self.0.targets
    }

    /// A unified diff.
    pub fn diff(&self) -> &str {
        &self.0.diff
    }

    /// Whether the texts before and after differ.
    pub fn is_change(&self) -> bool {
        self.0.digest_before != self.0.digest_after
    }

    pub(crate) fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D>(deserializer: D) -> Result<PreviewRecord, D::Error>
    where
        D: Deserializer<'de>,
    {
        RecordData::deserialize(deserializer).map(PreviewRecord)
    }
}

type Pair = (usize, usize);

fn pair(span: Span) -> Pair {
    (span.start(), span.end())
}

fn span<E: serde::de::Error>((start, end): Pair) -> Result<Span, E> {
    match start <= end {
        true => Ok(Span::new(start, end)),
        false => Err(E::custom("a span ends before it starts")),
    }
}

/// Replacements as start, end and new text.
mod replacements {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        replacements: &[Replacement],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let all = replacements.iter();
        serializer.collect_seq(all.map(|one| (one.span.start(), one.span.end(), &one.new_text)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Replacement>, D::Error> {
        let all = Vec::<(usize, usize, String)>::deserialize(deserializer)?;
        let all = all.into_iter().map(|(start, end, new_text)| {
            let span = span((start, end))?;
            Ok(Replacement { span, new_text })
        });
        all.collect()
    }
}

/// Targets with spans as pairs.
mod targets {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Form<T> {
        node_type: T,
        span: Pair,
        new_span: Pair,
    }

    pub(super) fn serialize<S: Serializer>(
        targets: &[Target],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(targets.iter().map(|target| Form {
            node_type: target.node_type.as_str(),
            span: pair(target.span),
            new_span: pair(target.new_span),
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Target>, D::Error> {
        let all = Vec::<Form<String>>::deserialize(deserializer)?.into_iter();
        let all = all.map(|one| {
            Ok(Target {
                node_type: one.node_type,
                span: span(one.span)?,
                new_span: span(one.new_span)?,
            })
        });
        all.collect()
    }
}
