//! The digest of a text, which detects whether a file changed since the preview.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The BLAKE3 hash of a file's bytes, 32 bytes; printed and parsed as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(blake3::Hash);

impl Digest {
    /// Returns the digest of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Digest {
        Digest(blake3::hash(bytes))
    }

    /// Returns the digest of all remaining bytes of `reader`, without keeping them in memory.
    #[cfg(feature = "disk")]
    pub(crate) fn of_reader(reader: impl std::io::Read) -> std::io::Result<Digest> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(reader)?;
        Ok(Digest(hasher.finalize()))
    }

    /// Collects the short chunks of a rope first, because BLAKE3 is several times as fast on long pieces.
    pub(super) fn of_chunks<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Digest {
        const PIECE: usize = 64 * 1024;
        let mut hasher = blake3::Hasher::new();
        let mut piece: Vec<u8> = Vec::new();
        for chunk in chunks {
            if piece.len() + chunk.len() > PIECE {
                hasher.update(&piece);
                piece.clear();
            }
            piece.extend_from_slice(chunk);
        }
        hasher.update(&piece);
        Digest(hasher.finalize())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.to_hex().as_str())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text that is not 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 hexadecimal digits")]
pub struct NotADigest;

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Digest, NotADigest> {
        blake3::Hash::from_hex(text)
            .map(Digest)
            .map_err(|_| NotADigest)
    }
}

impl TryFrom<String> for Digest {
    type Error = NotADigest;

    fn try_from(text: String) -> Result<Digest, NotADigest> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

/// The state of a file: the digest of its bytes, or that there is no file. Printed and parsed as the digest or `absent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FileDigest {
    /// There is no file.
    Absent,
    /// The file has bytes with this digest.
    Present(Digest),
}

const ABSENT: &str = "absent";

impl FileDigest {
    /// Returns the digest of the file, if there is one.
    pub fn digest(self) -> Option<Digest> {
        match self {
            FileDigest::Absent => None,
            FileDigest::Present(digest) => Some(digest),
        }
    }

    /// Returns whether there is no file.
    pub fn is_absent(self) -> bool {
        self == FileDigest::Absent
    }
}

impl From<Digest> for FileDigest {
    fn from(digest: Digest) -> FileDigest {
        FileDigest::Present(digest)
    }
}

impl fmt::Display for FileDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileDigest::Absent => f.write_str(ABSENT),
            FileDigest::Present(digest) => digest.fmt(f),
        }
    }
}

impl TryFrom<String> for FileDigest {
    type Error = NotADigest;

    fn try_from(text: String) -> Result<FileDigest, NotADigest> {
        match text.as_str() {
            ABSENT => Ok(FileDigest::Absent),
            digest => digest.parse().map(FileDigest::Present),
        }
    }
}

impl From<FileDigest> for String {
    fn from(state: FileDigest) -> String {
        state.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_any_length_have_the_digest_of_the_whole() {
        let bytes: Vec<u8> = (0..200_003u32).map(|n| (n % 251) as u8).collect();
        for length in [1, 1000, 65_536, 65_537, 150_000, 300_000] {
            assert_eq!(
                Digest::of_chunks(bytes.chunks(length)),
                Digest::from_bytes(&bytes)
            );
        }
        assert_eq!(Digest::of_chunks([].into_iter()), Digest::from_bytes(b""));
    }

    #[test]
    fn no_file_differs_from_an_empty_one() {
        let written = |state: FileDigest| String::from(state);
        let empty = FileDigest::from(Digest::from_bytes(b""));
        for state in [FileDigest::Absent, empty] {
            assert_eq!(FileDigest::try_from(written(state)), Ok(state));
        }
        assert_eq!(written(FileDigest::Absent), "absent");
        assert_ne!(empty, FileDigest::Absent);
        assert_eq!(FileDigest::try_from("gone".to_string()), Err(NotADigest));
    }
}
