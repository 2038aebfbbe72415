//! Invisible characters and characters that change how others are displayed. Untrusted text must neither control a
//! terminal nor be displayed as something else.

use std::borrow::Cow;

/// Returns whether a character controls a terminal, is invisible, or changes the display order of others (Unicode
/// Technical Report 36, section 2.5). Joiners inside words and emojis are allowed.
pub fn is_unseen(sign: char) -> bool {
    sign.is_control()
        || matches!(
            sign,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

/// Returns the text on one line with invisible characters escaped: `\u{1b}`.
pub fn in_one_line(text: &str) -> String {
    written_out(text, |sign| sign.escape_default().to_string()).into_owned()
}

/// Replaces each invisible character by the result of `written`.
pub fn written_out(text: &str, written: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let one = |sign: char| match is_unseen(sign) {
        true => written(sign),
        false => sign.to_string(),
    };
    Cow::Owned(text.chars().map(one).collect())
}
