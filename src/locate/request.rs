//! The locators and their short form `path:scope@find`.
//!
//! Input: a string or values. Output: either; the printed form is canonical and parses back to the same value.
//! Strings without scope and find, and invalid lines, are refused with a [`LocateSyntaxError`]. Whether the file,
//! lines and symbols exist is not known here.

use std::fmt;
use std::str::FromStr;

/// A point in a file, described by its text.
///
/// Prints as `path:scope@find` and parses from it. Without scope and find it resolves to no place, and an empty find
/// counts as no find: such values print, but do not parse back.
///
/// ```
/// use treegraft::Locate;
///
/// let locate: Locate = "src/a.rs:Server.handle@retry(<|>".parse()?;
/// assert_eq!(locate.file_path, "src/a.rs");
/// assert_eq!(locate.find.as_deref(), Some("retry(<|>"));
/// assert_eq!(locate.to_string(), "src/a.rs:Server.handle@retry(<|>");
/// # Ok::<(), treegraft::LocateSyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locate {
    /// The file, as the caller names it.
    pub file_path: String,
    /// The part of the file to search; the whole file if absent.
    pub scope: Option<Scope>,
    /// The text to search for, which may contain one position marker.
    pub find: Option<String>,
}

/// A range in a file, described by its text, with the same fields as a [`Locate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocateRange {
    /// The file, as the caller names it.
    pub file_path: String,
    /// The part of the file to search; the whole file if absent.
    pub scope: Option<Scope>,
    /// The text of the range; the scope is the range if absent.
    pub find: Option<String>,
}

/// A locator in a question: with a choice among its matches, or for a text that is only similar
/// (docs/design/locate.md#questions-and-edits). An edit allows neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The locator.
    pub locate: Locate,
    /// The number of the match to choose, from 1 in file order; the first without a number.
    pub find_index: Option<usize>,
    /// Whether to choose the most similar text if the find does not match.
    pub fuzzy: bool,
}

/// The part of a file that a locator searches.
///
/// ```
/// use treegraft::{Locate, Scope};
///
/// let locate: Locate = "src/a.rs:10-20".parse()?;
/// let Some(Scope::Lines(lines)) = locate.scope else {
///     panic!("these are lines");
/// };
/// assert_eq!((lines.first(), lines.last()), (10, Some(20)));
/// # Ok::<(), treegraft::LocateSyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The definition of a symbol.
    Symbol(SymbolScope),
    /// A range of lines.
    Lines(LineScope),
}

/// The definition of a symbol, by its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolScope {
    /// The names from the outermost symbol to the symbol's own name; at least one.
    pub symbol_path: Vec<String>,
}

/// A range of lines, counted from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineScope {
    /// At least 1.
    first: usize,
    /// At least `first`; `None` for the end of the file.
    last: Option<usize>,
}

/// Why a string is not a locator.
///
/// ```
/// use treegraft::{Locate, LocateSyntaxError};
///
/// let error = ":3".parse::<Locate>();
/// assert_eq!(error, Err(LocateSyntaxError::EmptyPath));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocateSyntaxError {
    /// The path is empty (`invalid_locate`).
    #[error("the path is empty")]
    EmptyPath,
    /// Neither a scope nor a find follows the path (`invalid_locate`).
    #[error("neither a scope nor a find follows the path {file_path:?}")]
    NothingAsked {
        /// The path.
        file_path: String,
    },
    /// The quote that opens the path is never closed (`invalid_locate`).
    #[error("the quote that opens the path is never closed")]
    UnclosedQuote,
    /// Text other than a scope or find follows the quoted path (`invalid_locate`).
    #[error("expected ':' or '@' after the quoted path, found {rest:?}")]
    TextAfterQuote {
        /// The text after the closing quote.
        rest: String,
    },
    /// The scope is neither lines nor a symbol path (`invalid_scope`).
    #[error("the scope {text:?} is invalid: {fault}")]
    InvalidScope {
        /// The scope as given.
        text: String,
        /// What is wrong with it.
        fault: ScopeFault,
    },
}

/// What is wrong with a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeFault {
    /// The first line is 0.
    #[error("line numbers start at 1")]
    LineZero,
    /// The last line precedes the first.
    #[error("line {last} comes before line {first}")]
    EndBeforeStart {
        /// The requested first line.
        first: usize,
        /// The requested last line.
        last: usize,
    },
    /// It consists of the characters of line numbers, but is neither a line nor a range.
    #[error("it is neither a line number nor a range of lines")]
    NotLines,
    /// A quoted name is never closed.
    #[error("the quote that opens a name is never closed")]
    UnclosedQuote,
}

impl LineScope {
    /// Returns the scope of one line, counted from 1.
    ///
    /// # Errors
    /// The line is 0.
    pub fn line(line: usize) -> Result<LineScope, LocateSyntaxError> {
        LineScope::checked(line, Some(line)).map_err(|fault| LocateSyntaxError::InvalidScope {
            text: line.to_string(),
            fault,
        })
    }

    /// Returns the scope of the lines from `first` to `last`, both included and counted from 1. A `last` of 0 is the
    /// end of the file.
    ///
    /// # Errors
    /// `first` is 0, or `last` precedes it.
    pub fn range(first: usize, last: usize) -> Result<LineScope, LocateSyntaxError> {
        let end = (last != 0).then_some(last);
        LineScope::checked(first, end).map_err(|fault| LocateSyntaxError::InvalidScope {
            text: format!("{first},{last}"),
            fault,
        })
    }

    /// Returns the first line, from 1.
    pub fn first(self) -> usize {
        self.first
    }

    /// Returns the last line, included; `None` for the end of the file.
    pub fn last(self) -> Option<usize> {
        self.last
    }

    fn checked(first: usize, last: Option<usize>) -> Result<LineScope, ScopeFault> {
        match last {
            _ if first == 0 => Err(ScopeFault::LineZero),
            Some(last) if last < first => Err(ScopeFault::EndBeforeStart { first, last }),
            _ => Ok(LineScope { first, last }),
        }
    }
}

impl From<Locate> for LocateRange {
    fn from(locate: Locate) -> LocateRange {
        LocateRange {
            file_path: locate.file_path,
            scope: locate.scope,
            find: locate.find,
        }
    }
}

impl From<LocateRange> for Locate {
    fn from(range: LocateRange) -> Locate {
        Locate {
            file_path: range.file_path,
            scope: range.scope,
            find: range.find,
        }
    }
}

impl FromStr for Locate {
    type Err = LocateSyntaxError;

    fn from_str(text: &str) -> Result<Locate, LocateSyntaxError> {
        let (file_path, rest) = split_path(text)?;
        if file_path.is_empty() {
            return Err(LocateSyntaxError::EmptyPath);
        }
        let (scope, find) = match rest.strip_prefix(':') {
            Some(rest) => {
                let end = scope_len(rest).map_err(|fault| LocateSyntaxError::InvalidScope {
                    text: rest.to_string(),
                    fault,
                })?;
                (parse_scope(&rest[..end])?, &rest[end..])
            }
            None => (None, rest),
        };
        let find = find.strip_prefix('@').filter(|find| !find.is_empty());
        if scope.is_none() && find.is_none() {
            return Err(LocateSyntaxError::NothingAsked { file_path });
        }
        Ok(Locate {
            file_path,
            scope,
            find: find.map(str::to_string),
        })
    }
}

impl FromStr for LocateRange {
    type Err = LocateSyntaxError;

    fn from_str(text: &str) -> Result<LocateRange, LocateSyntaxError> {
        text.parse::<Locate>().map(LocateRange::from)
    }
}

/// Parses the part of a locator between `:` and `@`. Returns `None` if it is empty or only whitespace.
///
/// Text that consists of digits, `L`, `,`, `-` and whitespace is lines; all other text is a symbol
/// path. The whole of `text` is the scope, including any `@`.
///
/// # Errors
/// The lines are invalid, or the quote of a name is not closed.
pub fn parse_scope(text: &str) -> Result<Option<Scope>, LocateSyntaxError> {
    let text = text.trim();
    let invalid = |fault| LocateSyntaxError::InvalidScope {
        text: text.to_string(),
        fault,
    };
    if text.is_empty() {
        return Ok(None);
    }
    if text.chars().all(is_of_lines) {
        let lines = parse_lines(text).map_err(invalid)?;
        return Ok(Some(Scope::Lines(lines)));
    }
    let mut symbol_path = Vec::new();
    let mut rest = text;
    loop {
        let segment = PathSegment::read(rest, |_| false).map_err(invalid)?;
        symbol_path.push(segment.name);
        match &rest[segment.len..] {
            "" => break,
            after => rest = &after[separator_len(after)..],
        }
    }
    Ok(Some(Scope::Symbol(SymbolScope { symbol_path })))
}

/// Returns the path at the start of a place, without its quotes, and the text after it, which is empty or starts with `:`
/// or `@`.
///
/// ```
/// use treegraft::locate::split_path;
///
/// let (path, rest) = split_path("src/a.rs:Server:call@retry()")?;
/// assert_eq!((path.as_str(), rest), ("src/a.rs", ":Server:call@retry()"));
/// # Ok::<(), treegraft::LocateSyntaxError>(())
/// ```
///
/// # Errors
/// The quote that opens the path is not closed, or text follows it.
pub fn split_path(text: &str) -> Result<(String, &str), LocateSyntaxError> {
    if text.starts_with('"') {
        let (path, len) = read_quoted(text).ok_or(LocateSyntaxError::UnclosedQuote)?;
        let rest = &text[len..];
        return match rest.chars().next() {
            None | Some(':' | '@') => Ok((path, rest)),
            Some(_) => Err(LocateSyntaxError::TextAfterQuote {
                rest: rest.to_string(),
            }),
        };
    }
    let (path, rest) = text.split_at(bare_path_len(text));
    Ok((path.to_string(), rest))
}

/// Returns a place from its path, with quotes if it needs them, and the text after it: the reverse of [`split_path`].
pub fn join_path(path: &str, rest: &str) -> String {
    // A path such as `C` before the scope `/x` is read as a drive, so the text is parsed to determine whether the
    // path needs quotes.
    let bare = format!("{path}{rest}");
    match !path.starts_with('"') && bare_path_len(&bare) == path.len() {
        true => bare,
        false => format!("{}{rest}", Quoted(path)),
    }
}

/// Returns the length of the unquoted path at the start of `text`.
fn bare_path_len(text: &str) -> usize {
    let own_colon = drive_len(text).or_else(|| scheme_len(text)).unwrap_or(0);
    let bytes = text.as_bytes();
    let ends_at = |at: &usize| match bytes[*at] {
        b':' => true,
        b'@' => *at > 0 && !matches!(bytes[*at - 1], b'/' | b'\\'),
        _ => false,
    };
    (own_colon..bytes.len())
        .find(ends_at)
        .unwrap_or(bytes.len())
}

/// Returns the length of `C:` before a separator, or of `\\?\C:`.
fn drive_len(text: &str) -> Option<usize> {
    let (prefix, rest) = match text.strip_prefix(r"\\?\") {
        Some(rest) => (4, rest),
        None => (0, text),
    };
    match rest.as_bytes() {
        [letter, b':', after @ ..] if letter.is_ascii_alphabetic() => {
            (prefix > 0 || matches!(after, [b'/' | b'\\', ..])).then_some(prefix + 2)
        }
        _ => None,
    }
}

/// Returns the length of a URL's scheme, including its `://`.
fn scheme_len(text: &str) -> Option<usize> {
    let colon = text.find("://")?;
    let mut name = text[..colon].bytes();
    let is_scheme = name.next()?.is_ascii_alphabetic()
        && name.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(colon + 3)
}

/// Returns the length of the scope at the start of `text`: up to the first `@` outside quotes.
fn scope_len(text: &str) -> Result<usize, ScopeFault> {
    let mut end = 0;
    loop {
        end += PathSegment::read(&text[end..], |char| char == '@')?.len;
        match separator_len(&text[end..]) {
            0 => return Ok(end),
            separator => end += separator,
        }
    }
}

/// One name of a symbol path.
struct PathSegment {
    /// The name without its quotes.
    name: String,
    /// Its length in the scope, in bytes.
    len: usize,
}

impl PathSegment {
    /// Reads the segment at the start of `text`: up to a separator, a character that `ends` it, or the end. Quotes
    /// count if they enclose the whole segment; other quotes are text.
    fn read(text: &str, ends: impl Fn(char) -> bool) -> Result<PathSegment, ScopeFault> {
        let mut from = 0;
        let start = text.len() - text.trim_start().len();
        if text[start..].starts_with('"') {
            let (name, len) = read_quoted(&text[start..]).ok_or(ScopeFault::UnclosedQuote)?;
            from = start + len;
            let after = text[from..].trim_start();
            if after.is_empty() || separator_len(after) > 0 || after.starts_with(&ends) {
                let len = text.len() - after.len();
                return Ok(PathSegment { name, len });
            }
        }
        let len = text[from..]
            .char_indices()
            .map(|(offset, char)| (from + offset, char))
            .find(|(offset, char)| separator_len(&text[*offset..]) > 0 || ends(*char))
            .map_or(text.len(), |(offset, _)| offset);
        let name = text[..len].to_string();
        Ok(PathSegment { name, len })
    }
}

/// Returns the length of the separator at the start of `text`, or 0 if there is none.
fn separator_len(text: &str) -> usize {
    match text.as_bytes() {
        [b'.', ..] => 1,
        [b':', b':', ..] => 2,
        _ => 0,
    }
}

/// Returns the quoted text at the start of `text`, unescaped, and its length including both quotes; `None` if the
/// quote is not closed. A `\` before any character except a quote or `\` is a plain character.
fn read_quoted(text: &str) -> Option<(String, usize)> {
    let body = text.strip_prefix('"')?;
    let mut unescaped = String::new();
    let mut chars = body.char_indices().peekable();
    while let Some((offset, char)) = chars.next() {
        match char {
            '"' => return Some((unescaped, offset + 2)),
            '\\' => {
                let escaped = chars.next_if(|(_, next)| matches!(next, '"' | '\\'));
                unescaped.push(escaped.map_or(char, |(_, next)| next));
            }
            _ => unescaped.push(char),
        }
    }
    None
}

/// Returns whether `char` may be part of lines. A name that consists only of such characters needs quotes.
fn is_of_lines(char: char) -> bool {
    char.is_ascii_digit() || matches!(char, 'L' | ',' | '-') || char.is_whitespace()
}

/// Parses `n`, `n,m` or `n-m`. Each number may have an `L` before it. An absent or 0 last number is the end of the
/// file.
fn parse_lines(text: &str) -> Result<LineScope, ScopeFault> {
    let (first, last) = match text.split_once([',', '-']) {
        Some((first, last)) => (first, Some(last)),
        None => (text, None),
    };
    let first = parse_line(first)?;
    let last = match last.map(str::trim) {
        None => Some(first),
        Some("") => None,
        Some(last) => Some(parse_line(last)?).filter(|last| *last != 0),
    };
    LineScope::checked(first, last)
}

/// Parses a line number. A number that is too large for `usize` is past the end of every file.
fn parse_line(text: &str) -> Result<usize, ScopeFault> {
    let text = text.trim();
    let digits = text.strip_prefix('L').unwrap_or(text).trim_start();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ScopeFault::NotLines);
    }
    Ok(digits.parse().unwrap_or(usize::MAX))
}

impl From<Locate> for Question {
    fn from(locate: Locate) -> Question {
        Question {
            locate,
            find_index: None,
            fuzzy: false,
        }
    }
}

impl fmt::Display for Locate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = String::new();
        if let Some(scope) = &self.scope {
            rest.push_str(&format!(":{scope}"));
        }
        if let Some(find) = &self.find {
            rest.push('@');
            rest.push_str(find);
        }
        f.write_str(&join_path(&self.file_path, &rest))
    }
}

impl fmt::Display for LocateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Locate::from(self.clone()).fmt(f)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Symbol(symbol) => symbol.fmt(f),
            Scope::Lines(lines) => lines.fmt(f),
        }
    }
}

impl fmt::Display for SymbolScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alone = self.symbol_path.len() == 1;
        for (index, name) in self.symbol_path.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            if is_plain(name) && !(alone && name.chars().all(is_of_lines)) {
                f.write_str(name)?;
            } else {
                write!(f, "{}", Quoted(name))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for LineScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            Some(last) => write!(f, "{},{last}", self.first),
            None => write!(f, "{},", self.first),
        }
    }
}

/// Returns whether a name is read back unchanged without quotes, next to other names.
fn is_plain(name: &str) -> bool {
    // A `:` at the end would continue with the `:` that ends the scope of a selector.
    let splits = name.contains(['.', '@', '"']) || name.contains("::") || name.ends_with(':');
    !name.is_empty() && !splits && name.trim() == name
}

/// Displays text in quotes, with `"` and `\` escaped.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for piece in self.0.split_inclusive(['"', '\\']) {
            match piece.strip_suffix(['"', '\\']) {
                Some(plain) => write!(f, "{plain}\\{}", &piece[plain.len()..])?,
                None => f.write_str(piece)?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn locate(file_path: &str, scope: Option<Scope>, find: Option<&str>) -> Locate {
        Locate {
            file_path: file_path.to_string(),
            scope,
            find: find.map(str::to_string),
        }
    }

    fn symbol(names: &[&str]) -> Option<Scope> {
        Some(Scope::Symbol(SymbolScope {
            symbol_path: names.iter().map(|name| name.to_string()).collect(),
        }))
    }

    fn lines(first: usize, last: usize) -> Option<Scope> {
        let lines = LineScope::range(first, last).expect("the test asks for lines that exist");
        Some(Scope::Lines(lines))
    }

    #[track_caller]
    fn check(text: &str, expected: Locate) {
        assert_eq!(text.parse::<Locate>(), Ok(expected.clone()), "{text}");
        assert_eq!(expected.to_string().parse(), Ok(expected));
    }

    #[track_caller]
    fn refused(text: &str) -> LocateSyntaxError {
        match text.parse::<Locate>() {
            Ok(locate) => panic!("{text} was read as {locate:?}"),
            Err(error) => error,
        }
    }

    #[track_caller]
    fn scope_fault(text: &str) -> ScopeFault {
        match refused(&format!("a.py:{text}@x")) {
            LocateSyntaxError::InvalidScope { fault, .. } => fault,
            other => panic!("{text} was refused for {other:?}"),
        }
    }

    #[test]
    fn path_scope_and_find_are_read() {
        let scope = symbol(&["MyClass", "my_method"]);
        check(
            "foo.py:MyClass.my_method@self.<|>",
            locate("foo.py", scope, Some("self.<|>")),
        );
        check(
            "a b/c d.py:Foo@x y",
            locate("a b/c d.py", symbol(&["Foo"]), Some("x y")),
        );
        check("foo.py@x", locate("foo.py", None, Some("x")));
        check("foo.py:@x", locate("foo.py", None, Some("x")));
        check("foo.py:Foo@", locate("foo.py", symbol(&["Foo"]), None));
    }

    #[test]
    fn the_find_is_verbatim_after_the_first_at_sign() {
        for find in [
            "a:b@c",
            "line1\nline2:x",
            "@route(\"/\")",
            " x @ y ",
            "\"a@b\"",
        ] {
            check(
                &format!("foo.py@{find}"),
                locate("foo.py", None, Some(find)),
            );
            check(
                &format!("foo.py:3@{find}"),
                locate("foo.py", lines(3, 3), Some(find)),
            );
        }
    }

    #[test]
    fn an_at_sign_that_begins_a_component_belongs_to_the_path() {
        let api = symbol(&["Api"]);
        for path in ["node_modules/@types/a.ts", "@types/a.ts", r"lib\@types\a"] {
            check(&format!("{path}:Api"), locate(path, api.clone(), None));
        }
    }

    #[test]
    fn other_at_signs_and_colons_of_a_path_need_quotes() {
        check(
            "\"mod/y@v1.2.3/z.go\":Zed@return",
            locate("mod/y@v1.2.3/z.go", symbol(&["Zed"]), Some("return")),
        );
        check(r#""a\"b\\c\d"@x"#, locate(r#"a"b\c\d"#, None, Some("x")));
    }

    #[test]
    fn the_colon_of_a_drive_or_a_scheme_belongs_to_the_path() {
        for path in [
            r"C:\a.py",
            "C:/a.py",
            r"\\?\C:\a.py",
            "file:///a.py",
            "vscode-remote://host/a.py",
        ] {
            check(&format!("{path}:3"), locate(path, lines(3, 3), None));
            check(&format!("{path}@x:y"), locate(path, None, Some("x:y")));
        }
        check("C:a", locate("C", symbol(&["a"]), None));
    }

    #[test]
    fn lines_are_read_in_every_form() {
        for form in ["10,20", "10-20", "L10-20", "L10-L20", "L10,20", " 10 , 20 "] {
            check(&format!("a.py:{form}"), locate("a.py", lines(10, 20), None));
        }
        for form in ["10,", "10-", "L10-", "10,0", "10 - L0"] {
            check(&format!("a.py:{form}"), locate("a.py", lines(10, 0), None));
        }
        for form in ["42", "L42", " 42 ", "042"] {
            check(&format!("a.py:{form}"), locate("a.py", lines(42, 42), None));
        }
    }

    #[test]
    fn a_line_number_too_large_to_count_to_is_a_line() {
        let text = format!("a.py:{}", "9".repeat(40));
        check(&text, locate("a.py", lines(usize::MAX, usize::MAX), None));
    }

    #[test]
    fn what_looks_like_lines_and_is_none_is_refused() {
        assert_eq!(scope_fault("0"), ScopeFault::LineZero);
        assert_eq!(scope_fault("0,3"), ScopeFault::LineZero);
        let reversed = ScopeFault::EndBeforeStart {
            first: 24,
            last: 20,
        };
        assert_eq!(scope_fault("24,20"), reversed);
        for text in [",20", "10--20", "10,20,30", "L", "10 20", "-3", "10-L"] {
            assert_eq!(scope_fault(text), ScopeFault::NotLines, "{text}");
        }
    }

    #[test]
    fn all_else_is_a_symbol_path() {
        for (text, names) in [
            ("Box<int, 4>.sum", &["Box<int, 4>", "sum"][..]),
            ("geo::area", &["geo", "area"]),
            ("(*Store).Put", &["(*Store)", "Put"]),
            ("\"app.name\".env", &["app.name", "env"]),
            ("\"a@b\"", &["a@b"]),
            (" \"a.b\" . \"c\" ", &["a.b", "c"]),
            ("\"200\"", &["200"]),
            ("²", &["²"]),
            ("l10", &["l10"]),
            ("1. Intro", &["1", " Intro"]),
            ("Why..", &["Why", "", ""]),
            ("\"\"", &[""]),
            ("operator\"\"_km", &["operator\"\"_km"]),
            ("\"a\" b.c", &["\"a\" b", "c"]),
        ] {
            check(&format!("f:{text}"), locate("f", symbol(names), None));
            check(
                &format!("f:{text}@x"),
                locate("f", symbol(names), Some("x")),
            );
        }
    }

    #[test]
    fn a_name_that_is_never_closed_is_refused() {
        assert_eq!(scope_fault("\"a"), ScopeFault::UnclosedQuote);
        assert_eq!(scope_fault("a.\"b\\\""), ScopeFault::UnclosedQuote);
    }

    #[test]
    fn a_locate_that_asks_for_nothing_is_refused() {
        let nothing = LocateSyntaxError::NothingAsked {
            file_path: "a.py".to_string(),
        };
        for text in ["a.py", "a.py:", "a.py@", "a.py:@", "a.py: @", "\"a.py\""] {
            assert_eq!(refused(text), nothing, "{text}");
        }
    }

    #[test]
    fn a_locate_without_a_path_is_refused() {
        assert_eq!(refused(""), LocateSyntaxError::EmptyPath);
        assert_eq!(refused(":3"), LocateSyntaxError::EmptyPath);
        assert_eq!(refused("\"\"@x"), LocateSyntaxError::EmptyPath);
        assert_eq!(refused("\"a.py:3"), LocateSyntaxError::UnclosedQuote);
        assert_eq!(
            refused("\"a\"b:3"),
            LocateSyntaxError::TextAfterQuote {
                rest: "b:3".to_string()
            }
        );
    }

    #[test]
    fn a_scope_alone_is_read_whole() {
        assert_eq!(parse_scope(" "), Ok(None));
        assert_eq!(parse_scope("L3-5"), Ok(lines(3, 5)));
        assert_eq!(parse_scope("a@b.c"), Ok(symbol(&["a@b", "c"])));
    }

    #[test]
    fn line_scopes_hold_what_they_promise() {
        let one = LineScope::line(3).expect("line 3 is a line");
        assert_eq!((one.first(), one.last()), (3, Some(3)));
        let open = LineScope::range(3, 0).expect("0 is the end of the file");
        assert_eq!((open.first(), open.last()), (3, None));
        let zero = LocateSyntaxError::InvalidScope {
            text: "0".to_string(),
            fault: ScopeFault::LineZero,
        };
        assert_eq!(LineScope::line(0), Err(zero));
        let reversed = LocateSyntaxError::InvalidScope {
            text: "5,2".to_string(),
            fault: ScopeFault::EndBeforeStart { first: 5, last: 2 },
        };
        assert_eq!(LineScope::range(5, 2), Err(reversed));
    }

    #[test]
    fn printing_is_canonical() {
        for (text, canonical) in [
            ("a.py:L10-20@x", "a.py:10,20@x"),
            ("a.py:42", "a.py:42,42"),
            ("a.py:10-", "a.py:10,"),
            ("a.py:geo::area", "a.py:geo.area"),
            ("\"a.py\":\"a\".\"b.c\"", "a.py:a.\"b.c\""),
            ("a.py:\"200\"", "a.py:\"200\""),
            ("a.py:items.\"0\"", "a.py:items.0"),
            ("\"C\":\"/x\"", "\"C\":/x"),
            ("\"dir/\"@x", "\"dir/\"@x"),
        ] {
            let range: LocateRange = text.parse().expect("the test parses");
            assert_eq!(range.to_string(), canonical);
            assert_eq!(Locate::from(range).to_string(), canonical);
        }
    }

    /// Returns text with many special characters.
    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof![
            r#"[aCL09.:@"\\/,\- \n]{1,8}"#,
            r#"(file|C|a)?[:/\\@]{0,3}[aé"]{0,2}"#,
            any::<String>(),
        ]
    }

    fn any_scope() -> impl Strategy<Value = Scope> {
        let names = prop::collection::vec(any_text(), 1..4);
        let lines = (1..9usize, prop::option::of(0..9usize));
        prop_oneof![
            names.prop_map(|symbol_path| Scope::Symbol(SymbolScope { symbol_path })),
            lines.prop_map(|(first, more)| Scope::Lines(LineScope {
                first,
                last: more.map(|more| first + more),
            })),
        ]
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_back(
            file_path in any_text(),
            scope in prop::option::of(any_scope()),
            find in prop::option::of(any_text()),
        ) {
            let find = find.filter(|find| !find.is_empty());
            prop_assume!(!file_path.is_empty() && (scope.is_some() || find.is_some()));
            let locate = Locate { file_path, scope, find };
            prop_assert_eq!(locate.to_string().parse(), Ok(locate));
        }

        #[test]
        fn what_is_parsed_prints_to_the_same(text in any_text(), rest in any_text()) {
            if let Ok(locate) = format!("{text}{rest}").parse::<Locate>() {
                prop_assert_eq!(locate.to_string().parse(), Ok(locate));
            }
        }
    }
}
