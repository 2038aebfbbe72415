//! Pseudorandom numbers that are the same in each run.

/// A generator seeded with text.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn from_seed(parts: &[&str]) -> Random {
        // FNV-1a, with a separator byte that occurs in none of the parts.
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in parts.join("\0").bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Random(hash)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    /// Returns one of the elements.
    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }
}
