//! YAML: more nested blocks than the scanner can save.

/// The most nested blocks: the scanner saves ten bytes, and four for each block, so 253 fit (tree-sitter-yaml 0.7.2).
/// Two may start in one column, a mapping and a sequence in it.
const DEEPEST: usize = 253 / 2;

/// Returns a reason if more blocks are nested than the scanner can save.
pub(in crate::language) fn is_nested_too_deep(text: &str) -> Option<&'static str> {
    // The columns in which the blocks around the line start.
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
            // `- - a` starts two blocks, and the text after them may start one more.
            let block = rest.strip_prefix(['-', '?', ':']);
            let Some(block) = block.filter(|block| block.starts_with([' ', '\t'])) else {
                return columns.len() > DEEPEST;
            };
            rest = block.trim_start_matches([' ', '\t']);
        }
    };
    text.lines()
        .any(is_deep)
        .then_some("more than 126 blocks are nested")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_block_is_read_and_no_deeper_one() {
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
        // The blocks of one line, and keys of one line, are not nested in others.
        assert_eq!(is_nested_too_deep(&"- a: b\n".repeat(1_000)), None);
        let flow = format!("{{{}}}", "a: 1, ".repeat(1_000));
        assert_eq!(is_nested_too_deep(&flow), None);
    }
}
