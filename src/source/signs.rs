//! Invisible characters and characters that change how others are displayed. Untrusted text must neither control a
//! terminal nor be displayed as something else.

use std::borrow::Cow;

/// Returns whether a character controls a terminal, is invisible, or changes the display order of others (Unicode
/// Technical Report 36, section 2.5; those that are ignorable by default, such as tags). Joiners inside words and emojis and
/// the variation selectors of emojis are allowed.
pub fn is_unseen(sign: char) -> bool {
    sign.is_control()
        || matches!(
            sign,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
                | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
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
