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
    pub fn of(bytes: &[u8]) -> Digest {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_any_length_have_the_digest_of_the_whole() {
        let bytes: Vec<u8> = (0..200_003u32).map(|n| (n % 251) as u8).collect();
        for length in [1, 1000, 65_536, 65_537, 150_000, 300_000] {
            assert_eq!(Digest::of_chunks(bytes.chunks(length)), Digest::of(&bytes));
        }
        assert_eq!(Digest::of_chunks([].into_iter()), Digest::of(b""));
    }
}
