//! Signs that are not seen, or change how others are: what strangers write must not speak to a terminal, nor
//! look like something else there.

use std::borrow::Cow;

/// Whether a sign steers a terminal (control characters), is not seen, or turns round the order in which others
/// are seen (Unicode Technical Report 36, section 2.5). Joiners within words and emojis are none of them.
pub(crate) fn is_unseen(sign: char) -> bool {
    sign.is_control()
        || matches!(
            sign,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

/// The text in one line, its unseen signs written out: `\u{1b}`.
pub(crate) fn in_one_line(text: &str) -> String {
    written_out(text, |sign| sign.escape_default().to_string()).into_owned()
}

/// The text with each unseen sign as `written` has it.
pub(crate) fn written_out(text: &str, written: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let one = |sign: char| match is_unseen(sign) {
        true => written(sign),
        false => sign.to_string(),
    };
    Cow::Owned(text.chars().map(one).collect())
}
