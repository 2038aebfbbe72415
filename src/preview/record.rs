//! The record of a preview of one file, written to the state directory and read back from there. Only this crate
//! creates records.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::change::{Replacement, Target};
#[cfg(feature = "disk")]
use crate::source::Digest;
use crate::source::{FileDigest, Span};

/// The record of a preview of one file. A record that is read from the state directory becomes a preview again only if
/// the text, the result, the diff and the targets are those that were shown. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewRecord(Arc<RecordData>);

/// The fields of the record on disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RecordData {
    pub(super) file_path: String,
    #[serde(with = "replacements")]
    pub(super) replacements: Vec<Replacement>,
    pub(super) digest_before: FileDigest,
    pub(super) digest_after: FileDigest,
    /// The targets, in the order of the edits. There is at least one.
    #[serde(with = "targets")]
    pub(super) targets: Vec<Target>,
    /// Empty for a moved file, which both paths describe.
    pub(super) diff: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) moved: Option<MovedFile>,
}

/// The other file of a file that is moved, as an index in the preview.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MovedFile {
    /// The file is moved to that path.
    To(usize),
    /// The file comes from that path.
    From(usize),
}

impl MovedFile {
    /// Returns the index of the other file.
    pub fn index(self) -> usize {
        match self {
            MovedFile::To(index) | MovedFile::From(index) => index,
        }
    }
}

impl PreviewRecord {
    pub(super) fn new(data: RecordData) -> PreviewRecord {
        PreviewRecord(Arc::new(data))
    }

    #[cfg(feature = "disk")]
    pub(super) fn data(&self) -> &RecordData {
        &self.0
    }

    /// Returns the path of the file, as used in answers.
    pub fn file_path(&self) -> &str {
        &self.0.file_path
    }

    /// Returns the replacements, sorted by position.
    pub fn replacements(&self) -> &[Replacement] {
        &self.0.replacements
    }

    /// Returns the digest of the file before the edit.
    pub fn digest_before(&self) -> FileDigest {
        self.0.digest_before
    }

    /// Returns the digest of the file after the edit.
    pub fn digest_after(&self) -> FileDigest {
        self.0.digest_after
    }

    /// Returns the targets, in the order of the edits. There is at least one.
    pub fn targets(&self) -> &[Target] {
        &self.0.targets
    }

    /// Returns the other file, if the file is moved.
    pub fn moved(&self) -> Option<MovedFile> {
        self.0.moved
    }

    /// Returns the unified diff; it is empty if the file is moved.
    pub fn diff(&self) -> &str {
        &self.0.diff
    }

    /// Returns whether the texts before and after are those of another preview.
    pub fn has_digests_of(&self, other: &PreviewRecord) -> bool {
        let digests = |one: &PreviewRecord| (one.0.digest_before, one.0.digest_after);
        digests(self) == digests(other)
    }

    /// Returns a digest of what the checks of an edit depend on: the texts before and after, the replacements and the
    /// targets. An edit with the same digest passes the same checks.
    #[cfg(feature = "disk")]
    pub(crate) fn digest_of_edit(&self) -> Digest {
        let data = RecordData {
            file_path: String::new(),
            diff: String::new(),
            ..self.0.as_ref().clone()
        };
        Digest::from_bytes(&serde_json::to_vec(&data).expect("a record is written as JSON"))
    }

    /// Returns whether the texts before and after differ.
    pub fn is_change(&self) -> bool {
        self.0.digest_before != self.0.digest_after
    }

    #[cfg(feature = "disk")]
    pub(crate) fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().serialize(serializer)
    }

    #[cfg(feature = "disk")]
    pub(crate) fn deserialize<'de, D>(deserializer: D) -> Result<PreviewRecord, D::Error>
    where
        D: Deserializer<'de>,
    {
        RecordData::deserialize(deserializer).map(PreviewRecord::new)
    }
}

type SpanPair = (usize, usize);

fn pair(span: Span) -> SpanPair {
    (span.start(), span.end())
}

fn span<E: serde::de::Error>((start, end): SpanPair) -> Result<Span, E> {
    match start <= end {
        true => Ok(Span::new(start, end)),
        false => Err(E::custom("a span ends before it starts")),
    }
}

/// Serializes replacements as start, end and new text.
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

/// Serializes targets with spans as pairs.
mod targets {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct TargetForm<T> {
        node_type: T,
        span: SpanPair,
        new_span: SpanPair,
    }

    pub(super) fn serialize<S: Serializer>(
        targets: &[Target],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(targets.iter().map(|target| TargetForm {
            node_type: target.node_type.as_str(),
            span: pair(target.span),
            new_span: pair(target.new_span),
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Target>, D::Error> {
        let all = Vec::<TargetForm<String>>::deserialize(deserializer)?.into_iter();
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
