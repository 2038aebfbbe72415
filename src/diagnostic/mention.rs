//! The tools and arguments that a help mentions. Each front end names them in its own words.
//!
//! The help of a [`Diagnostic`](super::Diagnostic) has them between `«` and `»`: the name of a tool, or an argument and its
//! value as in JSON. Other text between these signs is text.

use std::fmt;

/// A tool or an argument in a help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention<'h> {
    /// The name of a tool.
    Tool(&'h str),
    /// An argument with its value in JSON.
    Argument {
        /// The name.
        name: &'h str,
        /// The value.
        value: &'h str,
    },
}

const OPEN: char = '«';
const CLOSE: char = '»';

impl<'h> Mention<'h> {
    fn read(text: &'h str) -> Option<Mention<'h>> {
        let is_name = |name: &str| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        match text.split_once(": ") {
            Some((name, value)) => is_name(name).then_some(Mention::Argument { name, value }),
            None => is_name(text).then_some(Mention::Tool(text)),
        }
    }
}

/// Returns a help with the words for what it mentions.
pub(super) fn worded(help: &str, words: &dyn Fn(Mention<'_>) -> String) -> String {
    let mut text = String::with_capacity(help.len());
    let mut rest = help;
    while let Some((before, after)) = rest.split_once(OPEN) {
        text.push_str(before);
        let mention = after.split_once(CLOSE);
        let mention = mention.and_then(|(inner, after)| Some((Mention::read(inner)?, after)));
        match mention {
            Some((mention, after)) => {
                text.push_str(&words(mention));
                rest = after;
            }
            None => {
                text.push(OPEN);
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

/// Displays it as calls have it.
impl fmt::Display for Mention<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mention::Tool(tool) => f.write_str(tool),
            Mention::Argument { name, value } => write!(f, "{name}: {value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_and_arguments_are_mentioned() {
        let help = "pass «allow: [\"x\"]», or call «undo_edit»; « and «Ünd» are text, «a";
        assert_eq!(
            worded(help, &|mention| mention.to_string()),
            "pass allow: [\"x\"], or call undo_edit; « and «Ünd» are text, «a"
        );
        assert_eq!(
            worded(help, &|_| "-".to_string()),
            "pass -, or call -; « and «Ünd» are text, «a"
        );
    }
}
