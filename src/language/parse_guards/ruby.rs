//! Ruby: heredocs whose word is too long for the scanner to save.

/// The most characters of the word of a heredoc (tree-sitter-ruby 0.23.1 saves their number in one byte).
const LONGEST_WORD: usize = u8::MAX as usize;

/// Returns a reason if the word after `<<` has more characters than the scanner can save.
pub(in crate::language) fn has_long_word(text: &str) -> Option<&'static str> {
    let is_long = |(at, _): (usize, &str)| {
        let word = text[at + 1..].strip_prefix('<')?;
        let word = word.trim_start_matches(['-', '~']);
        let first = word.chars().next()?;
        let is_of_word = |c: &char| match first {
            '"' | '\'' | '`' => *c != first,
            _ => c.is_alphanumeric() || *c == '_',
        };
        // A quote is not part of the word.
        let length = word.chars().skip(usize::from(!is_of_word(&first)));
        let length = length.take_while(is_of_word);
        let is_long = length.take(LONGEST_WORD + 1).count() > LONGEST_WORD;
        is_long.then_some("a heredoc delimiter has more than 255 characters")
    };
    text.match_indices('<').find_map(is_long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_word_is_read_and_no_longer_one() {
        for (length, is_read) in [(3, true), (255, true), (256, false), (900, false)] {
            let word = "é".repeat(length);
            for opener in ["<<", "<<-", "<<~\"", "<<'", "<<`", "<<<~"] {
                let found = has_long_word(&format!("x = {opener}{word}"));
                assert_eq!(found.is_none(), is_read, "{opener} {length}");
            }
        }
        assert_eq!(has_long_word("a << b; c <<"), None);
    }
}
