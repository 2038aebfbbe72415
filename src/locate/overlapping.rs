//! Finds every occurrence of some bytes, also those that overlap. Input: the bytes and a text. Output: where they start.
//!
//! The cost is linear, no matter how repetitive both are (the algorithm of Knuth, Morris and Pratt).

/// Returns the index in `text` of the first byte of each occurrence of `needle`, which is not empty.
pub(super) fn occurrences(needle: &[u8], text: impl Iterator<Item = u8>) -> Vec<usize> {
    // For each length of a prefix, from 1: the length of the longest shorter prefix that it ends with.
    let mut borders = Vec::with_capacity(needle.len());
    borders.push(0);
    let mut held = 0;
    for byte in &needle[1..] {
        held = extended(needle, &borders, held, *byte);
        borders.push(held);
    }
    let mut starts = Vec::new();
    held = 0;
    for (index, byte) in text.enumerate() {
        held = extended(needle, &borders, held, byte);
        if held == needle.len() {
            starts.push(index + 1 - held);
        }
    }
    starts
}

/// Returns the length of the longest prefix of `needle` with which a text ends that consists of its first `held` bytes
/// and `byte`.
fn extended(needle: &[u8], borders: &[usize], mut held: usize, byte: u8) -> usize {
    loop {
        match needle.get(held) {
            Some(next) if *next == byte => return held + 1,
            _ if held == 0 => return 0,
            _ => held = borders[held - 1],
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn occurrences_are_those_that_a_comparison_at_each_offset_finds() {
        let letters = b"aab";
        for number in 0..4_000_usize {
            let pick =
                |at: usize| letters[(at * at * (number % 7) + at + number) % (2 + number % 2)];
            let text: Vec<u8> = (0..40).map(pick).collect();
            let from = number % 30;
            let needle = &text[from..from + 1 + number % 9];
            let found = super::occurrences(needle, text.iter().copied());
            let windows = text.windows(needle.len()).enumerate();
            let equal = windows.filter(|(_, window)| *window == needle);
            let expected: Vec<usize> = equal.map(|(start, _)| start).collect();
            assert_eq!(found, expected, "{needle:?} in {text:?}");
        }
    }
}
