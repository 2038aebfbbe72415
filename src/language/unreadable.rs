//! Texts that must not be given to a grammar, as its scanner would end the program.
//!
//! What a scanner has to know between two tokens it writes into 1,024 bytes (tree-sitter's
//! `TREE_SITTER_SERIALIZATION_BUFFER_SIZE`). Two scanners do not heed what fits in there: they are ended by an
//! assertion of C, which nothing can catch. Whether they would be has to be known before.

/// How many characters of a heredoc's word the scanner of Ruby can write down (tree-sitter-ruby 0.23.1: in one byte).
const LONGEST_WORD: usize = u8::MAX as usize;

/// The scanner of YAML writes ten bytes, and four for each block it is in: 253 fit (tree-sitter-yaml 0.7.2). Two may begin
/// in one column, a mapping and a sequence in it.
const DEEPEST: usize = 253 / 2;

/// Ruby: the word behind `<<` has more characters than the scanner can write down.
pub(super) fn has_long_heredoc_word(text: &str) -> Option<&'static str> {
    let is_long = |(at, _): (usize, &str)| {
        let word = text[at + 1..].strip_prefix('<')?;
        let word = word.trim_start_matches(['-', '~']);
        let first = word.chars().next()?;
        let is_of_word = |c: &char| match first {
            '"' | '\'' | '`' => *c != first,
            _ => c.is_alphanumeric() || *c == '_',
        };
        // A quote is no part of the word.
        let length = word.chars().skip(usize::from(!is_of_word(&first)));
        let length = length.take_while(is_of_word);
        let is_long = length.take(LONGEST_WORD + 1).count() > LONGEST_WORD;
        is_long.then_some("the word of a heredoc has more than 255 characters")
    };
    text.match_indices('<').find_map(is_long)
}

/// YAML: more blocks are in each other than the scanner can write down.
pub(super) fn is_nested_too_deep(text: &str) -> Option<&'static str> {
    // The columns in which the blocks begin that the line is in.
    let mut columns: Vec<usize> = Vec::new();
    let is_deep = |line: &str| {
        let mut rest = line.trim_start_matches([' ', '\t']);
        if rest.trim_end().is_empty() {
            return false;
        }
        loop {
            let column = line.len() - rest.len();
            while columns.pop_if(|last| *last >= column).is_some() {}
            columns.push(column);
            // `- - a` begins two blocks, and what stands behind them may begin one more.
            let behind = rest.strip_prefix(['-', '?', ':']);
            let Some(behind) = behind.filter(|behind| behind.starts_with([' ', '\t'])) else {
                return columns.len() > DEEPEST;
            };
            rest = behind.trim_start_matches([' ', '\t']);
        }
    };
    text.lines()
        .any(is_deep)
        .then_some("more than 126 blocks are in each other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_word_and_the_deepest_block_are_read_and_no_more() {
        for (length, is_read) in [(3, true), (255, true), (256, false), (900, false)] {
            let word = "é".repeat(length);
            for opener in ["<<", "<<-", "<<~\"", "<<'", "<<`"] {
                let found = has_long_heredoc_word(&format!("x = {opener}{word}"));
                assert_eq!(found.is_none(), is_read, "{opener} {length}");
            }
        }
        let shifted = format!("x <<<~{}", "X".repeat(256));
        assert!(has_long_heredoc_word(&shifted).is_some());
        assert_eq!(has_long_heredoc_word("a << b; c <<"), None);
        for (depth, is_read) in [(1, true), (126, true), (127, false), (400, false)] {
            let lines = (0..depth).map(|at| format!("{}k:\n", " ".repeat(at)));
            let texts = [
                "- ".repeat(depth - 1) + "a",
                "? ".repeat(depth - 1) + "a",
                lines.collect::<String>(),
            ];
            for text in texts {
                assert_eq!(
                    is_nested_too_deep(&text).is_none(),
                    is_read,
                    "{depth}: {text}"
                );
            }
        }
        // The lines of one block, and keys of one line, are in no other.
        assert_eq!(is_nested_too_deep(&"- a: b\n".repeat(1_000)), None);
        assert_eq!(
            is_nested_too_deep(&format!("{{{}}}", "a: 1, ".repeat(1_000))),
            None
        );
    }
}
