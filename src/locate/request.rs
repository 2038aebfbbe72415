//! What may be asked of a locate, and its short form `path:scope@find`.
//!
//! Comes in as a string or as values, goes out as either; printing is canonical and parses
//! back to the same value. Refuses strings that ask for nothing or whose lines are none
//! ([`LocateSyntaxError`]); whether file, lines and symbols exist is not known here.

use std::fmt;
use std::str::FromStr;

/// A point in a file, described by what is there.
///
/// Prints as `path:scope@find` and parses from it. Without scope and find it names no
/// place, and the empty find is no find: such values print, but do not parse back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locate {
    /// The file, as the caller names it.
    pub file_path: String,
    /// The part of the file to look in; the whole file where absent.
    pub scope: Option<Scope>,
    /// The text to look for, which may hold one position marker.
    pub find: Option<String>,
}

/// A range in a file, described by what is there: the same words as a [`Locate`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocateRange {
    /// The file, as the caller names it.
    pub file_path: String,
    /// The part of the file to look in; the whole file where absent.
    pub scope: Option<Scope>,
    /// The text that is the range; the scope is the range where absent.
    pub find: Option<String>,
}

/// A locate as a question may put it: with a choice among its matches, or for a text that is only
/// nearly there (`design.md`, section 4). An edit takes neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is asked.
    pub locate: Locate,
    /// Takes another match than the first, from 1 in file order.
    pub find_index: Option<usize>,
    /// Takes the text most like the find where it does not match.
    pub fuzzy: bool,
}

/// The part of a file that a locate looks in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A named definition.
    Symbol(SymbolScope),
    /// Some lines.
    Lines(LineScope),
}

/// A named definition, by the names that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolScope {
    /// The names from the outermost to the symbol's own; at least one.
    pub symbol_path: Vec<String>,
}

/// One line or several in a row, counted from 1, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineScope {
    /// At least 1.
    first: usize,
    /// At least `first`; nothing for the end of the file.
    last: Option<usize>,
}

/// Why a string is not a locate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocateSyntaxError {
    /// No file is named (`invalid_locate`).
    #[error("the path is empty")]
    EmptyPath,
    /// Neither a scope nor a find follows the path (`invalid_locate`).
    #[error("neither a scope nor a find follows the path {file_path:?}")]
    NothingAsked {
        /// The path that was read.
        file_path: String,
    },
    /// The quote that opens the path is never closed (`invalid_locate`).
    #[error("the quote that opens the path is never closed")]
    UnclosedQuote,
    /// The quoted path goes on after its closing quote (`invalid_locate`).
    #[error("after the quoted path stands {rest:?}, which begins neither with ':' nor with '@'")]
    TextAfterQuote {
        /// What follows the closing quote.
        rest: String,
    },
    /// The scope is neither lines nor a symbol path (`invalid_scope`).
    #[error("the scope {text:?} is invalid: {fault}")]
    InvalidScope {
        /// The scope as it was given.
        text: String,
        /// What is wrong with it.
        fault: ScopeFault,
    },
}

/// What is wrong with a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeFault {
    /// It begins at line 0.
    #[error("lines count from 1")]
    LineZero,
    /// Its last line comes before its first.
    #[error("line {last} comes before line {first}")]
    EndBeforeStart {
        /// The first line that was asked for.
        first: usize,
        /// The last line that was asked for.
        last: usize,
    },
    /// It is made of what line numbers are made of, but is no line and no range.
    #[error("it is neither a line nor a range of lines")]
    NotLines,
    /// A quoted name is never closed.
    #[error("the quote that opens a name is never closed")]
    UnclosedQuote,
}

impl LineScope {
    /// The one line `line`; refuses 0.
    pub fn line(line: usize) -> Result<LineScope, LocateSyntaxError> {
        LineScope::checked(line, Some(line)).map_err(|fault| LocateSyntaxError::InvalidScope {
            text: line.to_string(),
            fault,
        })
    }

    /// The lines from `first` to `last`, both included; `last` 0 is the end of the file.
    ///
    /// Refuses a `first` of 0 and a `last` before it.
    pub fn range(first: usize, last: usize) -> Result<LineScope, LocateSyntaxError> {
        let end = (last != 0).then_some(last);
        LineScope::checked(first, end).map_err(|fault| LocateSyntaxError::InvalidScope {
            text: format!("{first},{last}"),
            fault,
        })
    }

    /// The first line, from 1.
    pub fn first(self) -> usize {
        self.first
    }

    /// The last line, included; nothing for the end of the file.
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

/// Reads the part of a locate between `:` and `@`; nothing but blanks is no scope.
///
/// Text made of digits, `L`, `,`, `-` and blanks is lines or refused; all else is a symbol
/// path. The whole of `text` is the scope, an `@` in it included.
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

/// The path that `text` begins with, and what follows it.
fn split_path(text: &str) -> Result<(String, &str), LocateSyntaxError> {
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

/// How long the unquoted path is that `text` begins with.
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

/// The length of `C:` before a separator, or of `\\?\C:`.
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

/// The length of a URL's scheme with its `://`.
fn scheme_len(text: &str) -> Option<usize> {
    let colon = text.find("://")?;
    let mut name = text[..colon].bytes();
    let is_scheme = name.next()?.is_ascii_alphabetic()
        && name.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(colon + 3)
}

/// How long the scope is that `text` begins with: up to the first `@` outside quotes.
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
    /// The name without the quotes that keep it whole.
    name: String,
    /// How many bytes of the scope it takes.
    len: usize,
}

impl PathSegment {
    /// The segment that `text` begins with: up to a separator, a character that `ends` it, or
    /// the end. Quotes count where they enclose all of the segment; other quotes are text.
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

/// The length of the separator between names that `text` begins with, else 0.
fn separator_len(text: &str) -> usize {
    match text.as_bytes() {
        [b'.', ..] => 1,
        [b':', b':', ..] => 2,
        _ => 0,
    }
}

/// The quoted text that `text` begins with, unescaped, and its length with both quotes;
/// nothing when the quote is never closed. A `\` before another character is itself.
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

/// Whether line scopes are made of `char`; a name of nothing else needs quotes.
fn is_of_lines(char: char) -> bool {
    char.is_ascii_digit() || matches!(char, 'L' | ',' | '-') || char.is_whitespace()
}

/// Reads `n`, `n,m` or `n-m`, each number with or without an `L`, the last one absent or 0
/// for the end of the file.
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

/// A line number; one too large to count to is past the end of every file all the same.
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
        // A path such as `C` before the scope `/x` is read as a drive: only reading what
        // would be printed tells whether the path can do without quotes.
        let path = &self.file_path;
        let bare = format!("{path}{rest}");
        if !path.starts_with('"') && bare_path_len(&bare) == path.len() {
            f.write_str(&bare)
        } else {
            write!(f, "{}{rest}", Quoted(path))
        }
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

/// Whether a name is read back as it is without quotes, other names beside it.
fn is_plain(name: &str) -> bool {
    let splits = name.contains(['.', '@', '"']) || name.contains("::");
    !name.is_empty() && !splits && name.trim() == name
}

/// Text in quotes, with `"` and `\` escaped.
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

    /// Text in which the characters that mean something are frequent.
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
