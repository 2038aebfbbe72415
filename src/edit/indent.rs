//! Gives new text the indentation of its new home (`design.md`, section 6).
//!
//! Content comes written at column 0 or already indented as in the file; both must come out
//! right. Protected lines (inside multi-line strings, comments) keep their bytes.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use crate::change::Change;
use crate::language::Language;
use crate::language::queries::Mark;
use crate::locate::Depth;
use crate::parse::{Chains, Node, Parsed};
use crate::source::{BOM, Source, Span};

use super::spacing::Lines;

/// Where content is going to stand.
#[derive(Clone, Debug)]
pub(crate) struct Home<'p> {
    /// What each line begins with before its indentation: the `> ` of a block quote, mostly nothing.
    pub(crate) quote: String,
    /// The white space that the first level of the content stands behind.
    pub(crate) indentation: String,
    /// The white space, a part of the indentation, that protected lines stand behind too: that of the
    /// list item round a fence.
    pub(crate) margin: String,
    unit: Unit<'p>,
    /// Whether what stands there goes on right at this depth, so that a line there tells nothing.
    pub(crate) is_flat: bool,
    /// What the caller showed of how deep content stands that comes there.
    pub(crate) shown: Depth,
    /// How many characters stand before it in its line; nothing where that is its indentation.
    column: Option<usize>,
    /// The further lines of what stands there.
    old_lines: Vec<String>,
    /// The language of the content, if there the column in which a line begins says what it is in.
    by_column: Option<&'static Language>,
    /// Whether there items stand right below the key of their sequence.
    has_flush_items: bool,
    /// Whether indentation bounds bodies in the language of the content.
    indented: bool,
    /// Whether there the column alone says which lines go on with the one before them.
    is_aligned: bool,
    /// Whether it is prose: code in it may be indented otherwise than the lines round it.
    is_prose: bool,
}

/// What one level of indentation is in a file, where that can be seen: sought when somebody asks.
#[derive(Clone, Debug)]
struct Unit<'p> {
    seen: Rc<OnceCell<Option<String>>>,
    /// In what it is sought: see [`unit`].
    lines: Option<(&'p Parsed, Span, Span)>,
    /// A place that blanks stand before has no tabs.
    is_of_blanks: bool,
}

impl<'p> Unit<'p> {
    fn known(unit: Option<String>) -> Unit<'p> {
        Unit {
            seen: Rc::new(unit.into()),
            lines: None,
            is_of_blanks: false,
        }
    }

    fn get(&self) -> Option<&str> {
        let seen = || {
            let seen = self
                .lines
                .and_then(|(parsed, code, span)| unit(parsed, code, span));
            seen.filter(|unit| !self.is_of_blanks || !unit.starts_with('\t'))
        };
        self.seen.get_or_init(seen).as_deref()
    }
}

impl<'p> Home<'p> {
    /// The home of what stands in the lines of `span`, a part of the last node of `container`.
    pub(crate) fn of(parsed: &'p Parsed, container: &[Node<'_>], span: Span) -> Home<'p> {
        let source = parsed.source();
        let margin = margin(parsed, container);
        let lines = Lines {
            source,
            margin: &margin,
        };
        let before = Span::new(lines.line_start(span.start()), span.start());
        let column = column(parsed, container, span.start()).map(|column| {
            // In a quote a line begins with its signs.
            match column.get(margin.len()..) {
                Some(rest) => format!("{margin}{rest}"),
                None => column,
            }
        });
        let prefix = match lines.starts_line(span.start()) {
            true => source.slice(before).into_owned(),
            false if column.is_some() => column.clone().unwrap_or_default(),
            false if margin.is_empty() => {
                let line = source.indentation_at(span.start());
                // A brace behind a parameter in a line of its own: its lines stand as deep as the
                // closing one.
                match closing_indentation(&source.slice(span)) {
                    Some(closing) if line.starts_with(closing) => closing.to_string(),
                    _ => line,
                }
            }
            // The first line of a list item begins with its marker, all others with the margin.
            false => {
                let line = source.slice(before);
                let own = line.len() - line.trim_start_matches([' ', '\t', '>']).len();
                match lines.starts_line(before.start() + own) && own > margin.len() {
                    true => line[..own].to_string(),
                    false => margin.clone(),
                }
            }
        };
        let code = code_round(parsed, container);
        // Its own line tells most: others may be those of a text in the code.
        let is_of_blanks = column.is_some() || prefix.ends_with(' ');
        let unit = match prefix.starts_with('\t') {
            true => Unit::known((!is_of_blanks).then(|| "\t".to_string())),
            false => Unit {
                seen: Rc::default(),
                lines: Some((parsed, code, span)),
                is_of_blanks,
            },
        };
        let mut home = Home {
            unit,
            ..Home::new(prefix, None)
        };
        let in_line = source.slice(before);
        home.column = (!lines.starts_line(span.start())).then(|| in_line.chars().count());
        // In a fence it is the fence's.
        let inner = container.last().map(|last| parsed.inner(*last).language());
        let language = inner.unwrap_or(source.language());
        home.has_flush_items = column.is_some() && has_flush_items(parsed, code, span);
        home.by_column = column.is_some().then_some(language);
        home.indented = language
            .tables()
            .is_some_and(|tables| tables.has_body(|body| body.indented));
        home.is_aligned = language
            .tables()
            .is_some_and(|tables| tables.has_body(|body| body.aligned));
        home.is_prose = language
            .tables()
            .is_some_and(|tables| tables.uses(Mark::Marker));
        let own = margin.get(home.quote.len()..).unwrap_or_default();
        if home.indentation.starts_with(own) {
            home.margin = own.to_string();
        }
        home
    }

    /// A home whose lines begin with `prefix`.
    pub(crate) fn new(prefix: String, unit: Option<String>) -> Home<'p> {
        // A quote's sign has a blank behind it that is not indentation.
        let quote = prefix.rfind('>').map_or(0, |sign| {
            let blank = prefix[sign + 1..].starts_with(' ');
            sign + 1 + usize::from(blank)
        });
        Home {
            quote: prefix[..quote].to_string(),
            indentation: prefix[quote..].to_string(),
            margin: String::new(),
            unit: Unit::known(unit),
            is_flat: false,
            shown: Depth::Unknown,
            column: None,
            old_lines: Vec::new(),
            by_column: None,
            has_flush_items: false,
            indented: false,
            is_aligned: false,
            is_prose: false,
        }
    }

    /// The home of what comes in the place of `span`, a text that stands there.
    pub(crate) fn instead_of(mut self, parsed: &Parsed, span: Span) -> Home<'p> {
        let old = parsed.source().slice(span);
        let goes_on = |line: &str| {
            let bare = line.trim_start_matches([' ', '\t']);
            leading(line) == self.indentation
                && !bare.starts_with([')', ']', '}', '\r'])
                && !bare.is_empty()
        };
        self.is_flat = old.lines().skip(1).any(goes_on);
        let depth = self.indentation.len();
        let is_shallow = |line: &str| leading(line).len() < depth && !line.trim().is_empty();
        // The lines of a string tell nothing; they are sought where lines stand further left.
        let kept = match old.lines().skip(1).any(is_shallow) {
            true => ContentLines::of(parsed, span).inside(|node| node.is_protected()),
            false => BTreeSet::new(),
        };
        let told = old.lines().enumerate().skip(1);
        let told = told.filter(|(index, _)| !kept.contains(index));
        self.old_lines = told.map(|(_, line)| line.to_string()).collect();
        self
    }

    /// The home one level deeper.
    pub(crate) fn deeper(mut self, default_unit: &str) -> Home<'p> {
        let unit = self.unit.get().unwrap_or(default_unit);
        self.indentation.push_str(unit);
        self
    }

    /// As many blanks deeper as a text in the first line is wide.
    pub(crate) fn behind(mut self, text: &str) -> Home<'p> {
        self.indentation.extend(text.chars().map(|_| ' '));
        self
    }

    /// What a line begins with.
    pub(crate) fn prefix(&self) -> String {
        format!("{}{}", self.quote, self.indentation)
    }

    /// So many line breaks with blank lines between them.
    pub(crate) fn breaks(&self, blank_lines: usize) -> String {
        let blank = format!("\n{}", self.quote.trim_end());
        blank.repeat(blank_lines) + "\n"
    }
}

/// The white space before the closing bracket that the last line of a text begins with.
fn closing_indentation(text: &str) -> Option<&str> {
    let (_, last) = text.trim_end().rsplit_once('\n')?;
    let bare = last.trim_start_matches([' ', '\t']);
    bare.starts_with([')', ']', '}'])
        .then(|| &last[..last.len() - bare.len()])
}

/// The white space as far in as the members of the innermost body of `container` stand that are told
/// by their column, or of one that begins at `start`.
fn column(parsed: &Parsed, container: &[Node<'_>], start: usize) -> Option<String> {
    let language = container.last().map(|node| parsed.inner(*node).language());
    let tables = language.and_then(|language| language.tables());
    tables.filter(|tables| tables.has_body(|body| body.column))?;
    let source = parsed.source();
    let begins = |node: &Node<'_>| node.raw().map(|raw| raw.start_byte());
    let is_column = |node: &&Node<'_>| node.body().is_some_and(|body| body.column);
    let chain = parsed.chain(Span::at(start));
    let own = chain
        .iter()
        .rev()
        .take_while(|node| begins(node) == Some(start));
    let own = own.filter(is_column).find_map(begins);
    let outer = container.iter().rev().find(is_column).and_then(begins);
    let start = own.or(outer).unwrap_or(0);
    let line = source.line_span(source.line_of(start));
    let before = Span::new(line.map_or(start, |line| line.start().min(start)), start);
    let before = source.slice(before);
    let blank = before.trim_start_matches(BOM).chars();
    Some(blank.map(|c| if c == '\t' { '\t' } else { ' ' }).collect())
}

/// What the lines of the innermost of `container` that has a marker (a list item, a block quote)
/// begin with; nothing where none has.
pub(crate) fn margin(parsed: &Parsed, container: &[Node<'_>]) -> String {
    /// A marker stands first, or behind what another one left.
    const LOOKED_AT: usize = 3;
    let marker = container.iter().rev().find_map(|node| {
        let mut first = node.first_children(LOOKED_AT).into_iter();
        first.find(|child| child.is(Mark::Marker))
    });
    let Some(marker) = marker else {
        return String::new();
    };
    let source = parsed.source();
    let marker = marker.span();
    let line = source.line_span(source.line_of(marker.start()));
    let start = line.map_or(marker.start(), |line| line.start());
    let before = source.slice(Span::new(start, marker.end()));
    let mut margin: String = before
        .chars()
        .map(|c| match c {
            '>' | '\t' => c,
            _ => ' ',
        })
        .collect();
    if !margin.ends_with([' ', '\t']) {
        margin.push(' ');
    }
    margin
}

/// The text in one language that the last of `container` is a part of: a fence's content, else the
/// file.
fn code_round(parsed: &Parsed, container: &[Node<'_>]) -> Span {
    let mut hosts = container.iter().rev().filter(|node| {
        let inner = parsed.inner(**node);
        !inner.is_of_tree_of(**node) && !inner.language().is_inner()
    });
    let host = hosts.next();
    host.map_or(parsed.source().whole(), |host| host.span())
}

/// What one level of indentation is in `code`, seen from the lines of `span` and those before it;
/// lines of a text in the code tell nothing of it.
fn unit(parsed: &Parsed, code: Span, span: Span) -> Option<String> {
    const LINES_LOOKED_AT: usize = 400;
    let source = parsed.source();
    let lines = |from: usize, to: usize| -> Vec<String> {
        let mut texts = TextNodes::of(parsed);
        let spans = (from..=to).filter_map(|number| source.line_span(number));
        let is_code = |line: &Span| {
            let text = source.slice(*line);
            line.start() == 0 || !text.starts_with([' ', '\t']) || !texts.cover(line.start())
        };
        let code = spans.filter(is_code);
        code.map(|line| source.slice(line).into_owned()).collect()
    };
    let of_lines = |from, to| unit_of(lines(from, to).iter().map(String::as_str));
    let (first, last) = (source.line_of(span.start()), source.line_of(span.end()));
    let begin = source.line_of(code.start().min(span.start()));
    let end = source.line_of(code.end().max(span.end()));
    let nearest = begin.max(first.saturating_sub(LINES_LOOKED_AT));
    of_lines(first + 1, last)
        .or_else(|| of_lines(nearest, first - 1))
        .or_else(|| of_lines(last + 1, end.min(last + LINES_LOOKED_AT)))
}

/// The nodes of a file whose lines are text, such as a multi-line string: their indentation is not that of code.
struct TextNodes<'p> {
    chains: Chains<'p>,
    /// Whether a node, or one that encloses it, is such a node.
    known: HashMap<(usize, usize), bool>,
}

impl<'p> TextNodes<'p> {
    fn of(parsed: &'p Parsed) -> TextNodes<'p> {
        TextNodes {
            chains: parsed.chains(),
            known: HashMap::new(),
        }
    }

    /// Returns whether one covers the start of a line other than the first, and the line break before it.
    fn cover(&mut self, line_start: usize) -> bool {
        let line_break = Span::new(line_start - 1, line_start);
        let mut seen = Vec::new();
        let mut is_text = false;
        for node in self.chains.upward_from(line_break) {
            if let Some(known) = self.known.get(&node.identity()) {
                is_text = *known;
                break;
            }
            seen.push(node.identity());
            let is_protected = node.is_protected();
            let starts_before = node.span().start() < line_break.start();
            if node.is(Mark::Unmeasured) || (is_protected && starts_before) {
                is_text = true;
                break;
            }
            if is_protected {
                // It covers the next line, but not this one.
                seen.clear();
            }
        }
        self.known
            .extend(seen.into_iter().map(|node| (node, is_text)));
        is_text
    }
}

/// What placing did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The content as it goes into the file.
    pub(crate) text: String,
    /// How many lines got other white space in front.
    pub(crate) shifted_lines: usize,
}

impl Placed {
    /// What the preview says of it.
    pub(crate) fn note(&self) -> Option<super::EditNote> {
        (self.shifted_lines > 0).then_some(super::EditNote::Reindented {
            lines: self.shifted_lines,
        })
    }
}

/// Re-indents `content` for its home. What its tree says in that place (multi-line strings, open
/// brackets) is known from the second round on.
pub(crate) fn at_home(content: &str, home: &Home<'_>, last: Option<&Change<'_>>) -> Placed {
    let lines = last.map(|change| ContentLines::of(change.after(), change.new_span()));
    let inside = |what: fn(Node<'_>) -> bool| {
        let lines = lines.as_ref();
        lines.map_or_else(BTreeSet::new, |lines| lines.inside(what))
    };
    let mut kept = Kept {
        protected: inside(is_fixed),
        together: inside(|node| node.moves_together()),
        comments: inside(|node| node.is_word("comment", None)),
    };
    let lines = lines.map_or_else(Vec::new, |lines| lines.starts);
    let by_column = home
        .by_column
        .map(|language| ByColumn::new(content, home, language));
    if by_column.is_some() {
        // A comment may stand before what it is in.
        let begins = |line: &str| line.trim_start_matches([' ', '\t']).starts_with('#');
        let numbered = content.split('\n').enumerate();
        let comments = numbered
            .filter(|(_, line)| begins(line))
            .map(|(line, _)| line);
        kept.comments.extend(comments);
    }
    let opened = |line: Option<usize>| match (&by_column, last) {
        (Some(content), _) => !home.is_flat && content.is_at_column_0(line),
        (None, Some(change)) => line.is_some_and(|line| {
            let opens = || opens_before_line(change, &lines, line, &home.quote);
            is_in_body(change, &lines, line) || (!home.is_flat && opens())
        }),
        // What should be in a body and stands beside it says nothing; what stands too deep does.
        (None, None) => home.indented && line.is_some(),
    };
    let closes = |line| {
        by_column.is_none() && last.is_some_and(|change| closes_at_line(change, &lines, line))
    };
    let hang = last.map_or(0, hang);
    if home.quote.is_empty() {
        return place(content, home, &kept, hang, opened, closes);
    }
    let bare = without_quote(content, &home.quote);
    let mut placed = place(&bare, home, &kept, hang, opened, closes);
    let lines = placed.text.split('\n').enumerate();
    let quoted: Vec<String> = lines
        .map(|(index, line)| match (index, line.is_empty()) {
            (0, _) => line.to_string(),
            (_, true) => home.quote.trim_end().to_string(),
            _ => format!("{}{line}", home.quote),
        })
        .collect();
    placed.text = quoted.join("\n");
    placed
}

/// The text of `span` with the indentation of its home, where that is in its lines, become `depth`;
/// protected lines stay as they are. Its first line begins with `span`.
pub(crate) fn moved(parsed: &Parsed, span: Span, home: &Home<'_>, depth: &str) -> String {
    let own = ContentLines::of(parsed, span);
    let mut protected = own.inside(is_fixed);
    let together = own.inside(|node| node.moves_together());
    let text = parsed.source().slice(span).replace("\r\n", "\n");
    let prefix = home.prefix();
    let lines: Vec<&str> = text.split('\n').collect();
    protected.extend(immovable(&together, &lines, &prefix));
    let line = |(index, line): (usize, &str)| match line.strip_prefix(prefix.as_str()) {
        Some(bare) if index > 0 && !protected.contains(&index) && !bare.trim().is_empty() => {
            format!("{depth}{bare}")
        }
        _ => line.to_string(),
    };
    text.split_inclusive('\n').enumerate().map(line).collect()
}

/// Content with its indentation brought to the file's kind.
pub(crate) fn in_unit_of(content: &str, home: &Home<'_>) -> String {
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    in_unit_of_file(&lines, home, &Kept::default()).concat()
}

/// Content of a language in which the column of a line says what it is in, its first line bare.
struct ByColumn {
    /// Read as it was given, if that makes sense.
    alone: Option<Parsed>,
    /// Whether it says the same with nothing but its first line put to its new home.
    is_same_at_home: bool,
    /// Whether items in the file stand right below the key of their sequence.
    has_flush_items: bool,
}

impl ByColumn {
    fn new(content: &str, home: &Home<'_>, language: &'static Language) -> ByColumn {
        let read = |text: String| {
            let parsed = Parsed::parse(Source::new("", language, text));
            let is_sound = parsed.problems().is_empty() && parsed.strict_problem().is_none();
            is_sound.then_some(parsed)
        };
        let alone = read(content.to_string());
        let at_home = read(format!("{}{content}", home.indentation));
        let kinds = |parsed: &Parsed| {
            let mut kinds = Vec::new();
            let mut cursor = parsed.walk(parsed.root());
            'walk: loop {
                let node = cursor.node();
                // A comment says nothing where it stands.
                if !node.is(Mark::Loose) {
                    kinds.push(node.kind_id());
                }
                if cursor.goto_first_child() {
                    kinds.push(u16::MAX);
                    continue;
                }
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        break 'walk;
                    }
                    kinds.push(u16::MAX - 1);
                }
            }
            kinds
        };
        let both = alone.as_ref().zip(at_home.as_ref());
        ByColumn {
            is_same_at_home: both.is_some_and(|(one, other)| kinds(one) == kinds(other)),
            alone,
            has_flush_items: home.has_flush_items,
        }
    }

    /// Whether it was written at column 0, not copied from the file without the white space before its
    /// first line; `level` is the first other line (from 0) that stands as deep as its new home.
    fn is_at_column_0(&self, level: Option<usize>) -> bool {
        let Some(alone) = &self.alone else {
            return false;
        };
        let source = alone.source();
        let item = level
            .and_then(|line| source.line_span(line + 1))
            .map(|line| {
                let text = source.slice(line);
                let bare = text.trim_start_matches([' ', '\t']);
                let start = line.start() + (text.len() - bare.len());
                (start, bare.starts_with("- ") || bare == "-")
            })
            .filter(|(_, is_item)| *is_item);
        match item {
            // What reads as an item and is none, but the rest of a text, was one beside the first.
            Some((start, _)) => {
                let chain = alone.chain(Span::new(start, start + 1));
                let begins = chain.iter().any(|node| node.span().start() == start);
                begins && !(self.is_same_at_home && self.has_flush_items)
            }
            None => !self.is_same_at_home,
        }
    }
}

/// Whether some item near `span` stands as deep as the key of its sequence.
fn has_flush_items(parsed: &Parsed, code: Span, span: Span) -> bool {
    const LINES_LOOKED_AT: usize = 400;
    let source = parsed.source();
    let own = source.line_of(span.start());
    let first = own
        .saturating_sub(LINES_LOOKED_AT)
        .max(source.line_of(code.start()));
    let lines = first..=source.line_of(code.end()).min(own + LINES_LOOKED_AT);
    let texts = lines.map_while(|line| Some(source.slice(source.line_span(line)?).into_owned()));
    let mut above: Option<String> = None;
    for text in texts {
        let bare = text.trim_start();
        if bare.is_empty() || bare.starts_with('#') {
            continue;
        }
        let is_flush = |above: &String| {
            above.trim_end().ends_with(':')
                && !above.trim_start().starts_with("- ")
                && leading(above) == leading(&text)
        };
        if bare.starts_with("- ") && above.as_ref().is_some_and(is_flush) {
            return true;
        }
        above = Some(text);
    }
    false
}

/// How much deeper than its marker all other lines of the content stand, if it begins with one: as
/// deep as the marker is long.
fn hang(change: &Change<'_>) -> usize {
    let start = change.new_span().start();
    let first = change.after().chain(Span::new(start, start + 1));
    let marker = first
        .iter()
        .rev()
        .find(|node| node.span().start() == start && node.is(Mark::Marker));
    marker.map_or(0, |marker| marker.span().len())
}

/// Content without the signs of the quote it goes into, if all its lines but the first have them.
fn without_quote(content: &str, quote: &str) -> String {
    let signs = quote.matches('>').count();
    let strip = |line: &str| {
        let mut rest = line;
        for _ in 0..signs {
            rest = rest.trim_start_matches([' ', '\t']).strip_prefix('>')?;
        }
        Some(rest.strip_prefix(' ').unwrap_or(rest).to_string())
    };
    let mut lines = content.split('\n');
    let first = lines.next().unwrap_or_default();
    let rest: Option<Vec<String>> = lines.map(strip).collect();
    match rest {
        Some(rest) if !rest.is_empty() => {
            let first = strip(first).unwrap_or_else(|| first.to_string());
            [vec![first], rest].concat().join("\n")
        }
        _ => content.to_string(),
    }
}

/// Whether the lines of the node keep their bytes wherever it goes.
fn is_fixed(node: Node<'_>) -> bool {
    node.is_protected() && !node.moves_together()
}

/// Of the lines that move together, those of a text of which one cannot go along, as it does not stand
/// behind `own`.
fn immovable(together: &BTreeSet<usize>, lines: &[impl AsRef<str>], own: &str) -> BTreeSet<usize> {
    let moves = |index: usize| {
        let line = lines.get(index).map_or("", AsRef::as_ref);
        line.trim().is_empty() || line.starts_with(own)
    };
    let fixed = runs(together)
        .into_iter()
        .filter(|text| !text.iter().all(|&index| moves(index)));
    fixed.flatten().collect()
}

/// The runs of consecutive numbers.
fn runs(numbers: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut runs: Vec<Vec<usize>> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some(run) if run.last() == number.checked_sub(1).as_ref() => run.push(number),
            _ => runs.push(vec![number]),
        }
    }
    runs
}

/// Lines of a content (from 0) that are no measure of its indentation.
#[derive(Default)]
struct Kept {
    /// Those that stay as they are.
    protected: BTreeSet<usize>,
    /// Those of texts that say the same where all their lines move by as much.
    together: BTreeSet<usize>,
    /// Those inside a comment, which move with the others as far as they stand as deep.
    comments: BTreeSet<usize>,
}

impl Kept {
    /// Whether what the line holds is of a text, where each blank counts.
    fn is_of_text(&self, line: usize) -> bool {
        self.protected.contains(&line) || self.together.contains(&line)
    }
}

/// Re-indents `content` for its home;
/// `hang` is how much deeper than the first all others stand in any case;
/// `opened` says of the first line that stands as deep as the home, if one does, whether it wants to
/// stand deeper than the first: a bracket is open, or the line goes on with what stands before it.
fn place(
    content: &str,
    home: &Home<'_>,
    kept: &Kept,
    hang: usize,
    opened: impl Fn(Option<usize>) -> bool,
    closes: impl Fn(usize) -> bool,
) -> Placed {
    let lines: Vec<&str> = content.split_inclusive('\n').collect();
    let lines: Vec<String> = in_unit_of_file(&lines, home, kept);
    let free = |index: usize| !kept.protected.contains(&index) && !lines[index].trim().is_empty();
    let in_comment =
        |index: usize| kept.comments.contains(&index) || kept.together.contains(&index);
    let rest: Vec<usize> = (1..lines.len()).filter(|&index| free(index)).collect();
    let of_code = rest.iter().copied().filter(|&index| !in_comment(index));
    let of_code: Vec<usize> = of_code.collect();
    let measured = if of_code.is_empty() { &rest } else { &of_code };

    let own = match kept.protected.contains(&0) {
        true => own_of_rest(&lines, measured, home),
        false => own_indentation(&lines, measured, home, hang, opened, closes),
    };
    let stays = own.is_none() || is_mixed_as_in_file(&lines, &rest, home);
    let own = own.unwrap_or_default();
    let fixed = immovable(&kept.together, &lines, &own);
    let free = |index: usize| free(index) && !fixed.contains(&index);
    let mut text = String::new();
    let mut shifted_lines = 0;
    for (index, line) in lines.iter().enumerate() {
        if index == 0 {
            text.push_str(line.trim_start_matches([' ', '\t']));
        } else if stays {
            text.push_str(line);
        } else if let Some(blanks) = blanks_of_text(line, &own, home) {
            text.push_str(&blanks);
        } else if !free(index) || (in_comment(index) && !line.starts_with(own.as_str())) {
            let has_margin = line.trim().is_empty() || own.starts_with(home.margin.as_str());
            text.push_str(if has_margin { "" } else { &home.margin });
            text.push_str(line);
        } else {
            let bare = line
                .strip_prefix(own.as_str())
                .unwrap_or(line.trim_start_matches([' ', '\t']));
            shifted_lines += usize::from(own != home.indentation);
            text.push_str(&home.indentation);
            text.push_str(bare);
        }
    }
    Placed {
        text,
        shifted_lines,
    }
}

/// Whether content stands as in a file that mixes tabs and blanks, a tab for eight of them: none of
/// its lines begins before its home, some with other white space.
fn is_mixed_as_in_file(lines: &[String], rest: &[usize], home: &Home<'_>) -> bool {
    const TAB: usize = 8;
    let columns = |lead: &str| {
        lead.chars().fold(0, |column, c| match c {
            '\t' => (column / TAB + 1) * TAB,
            _ => column + 1,
        })
    };
    let first = lines.first().map_or("", |line| leading(line));
    let own = home.indentation.as_str();
    let mut leads = rest.iter().map(|&index| leading(&lines[index]));
    !own.is_empty()
        && (first.is_empty() || first == own)
        && leads.clone().all(|lead| columns(lead) >= columns(own))
        && leads.any(|lead| !lead.starts_with(own))
}

/// A line of white space that is a part of a text told by its column, at its new home: what is more
/// than the indentation of the content is text.
fn blanks_of_text(line: &str, own: &str, home: &Home<'_>) -> Option<String> {
    let more = line.strip_prefix(own).filter(|more| {
        home.by_column.is_some() && line.trim().is_empty() && more.starts_with([' ', '\t'])
    });
    more.map(|more| format!("{}{more}", home.indentation))
}

/// The white space that stands for "no indentation" in the content; nothing where it stands as in the
/// file.
fn own_indentation(
    lines: &[String],
    rest: &[usize],
    home: &Home<'_>,
    hang: usize,
    opened: impl Fn(Option<usize>) -> bool,
    closes: impl Fn(usize) -> bool,
) -> Option<String> {
    if home.shown == Depth::AsInFile {
        return None;
    }
    let first = lines.first().map_or("", |line| leading(line));
    let common = rest
        .iter()
        .map(|&index| leading(&lines[index]))
        .reduce(common_prefix);
    let Some(common) = common else {
        return Some(first.to_string());
    };
    if !first.is_empty() {
        return Some(common_prefix(first, common).to_string());
    }
    if home.shown == Depth::Shallower {
        return Some(String::new());
    }
    match own_by_old_lines(lines, rest, home) {
        Some(Depth::AsInFile) => return None,
        Some(_) => return Some(String::new()),
        None => {}
    }
    if home.is_aligned {
        // As it reads by itself.
        return Some(String::new());
    }
    let told = own_by_alignment(lines, rest, home);
    let (unit, home) = (&home.unit, home.indentation.as_str());
    if home.is_empty() || !common.starts_with(home) || common.len() < home.len() + hang {
        // Less deep than the place, but deeper than one level of a content at column 0; what the first
        // line opens would stand deeper than the place.
        let opens = lines[0].trim_end().ends_with([':', '(', '[', '{']);
        let is_between = || common.len() > unit.get().map_or(usize::MAX, str::len);
        let is_between = home.starts_with(common) && common != home && is_between();
        let is_of_file = is_between && !opens;
        return (told.is_some() || !is_of_file).then(String::new);
    }
    if let Some(own) = told {
        return Some(own);
    }
    // The first line is bare and all others are at least as deep as the home: either it was
    // copied from the file without the white space before it, or it stands at column 0 and has
    // nothing but deeper lines. A line right at the home's depth that an open bracket or an
    // operator wants deeper than the first line tells, unless what was opened ends there too.
    let at_home = |index: &usize| leading(&lines[*index]) == home;
    let level = rest.iter().copied().find(at_home);
    let ends_at_home = rest.last().copied().filter(at_home).is_some_and(closes);
    Some(match opened(level) && !ends_at_home {
        true => String::new(),
        false => home.to_string(),
    })
}

/// The same where the first line tells nothing, as it stands where it was written: `#if`.
fn own_of_rest(lines: &[String], rest: &[usize], home: &Home<'_>) -> Option<String> {
    let leads = rest.iter().map(|&index| leading(&lines[index]));
    let is_as_in_file = leads.reduce(common_prefix).is_some_and(|common| {
        !home.indentation.is_empty() && common.starts_with(home.indentation.as_str())
    });
    let is_as_in_file = match home.shown {
        Depth::AsInFile => true,
        Depth::Shallower => false,
        _ => is_as_in_file,
    };
    (!is_as_in_file).then(String::new)
}

/// How deep the content stands as its lines tell that stand in the text it replaces too: as deep as
/// there, or as deep but for the home.
fn own_by_old_lines(lines: &[String], rest: &[usize], home: &Home<'_>) -> Option<Depth> {
    let indentation = home.indentation.as_str();
    let is_told = |line: &str| line.trim().contains(char::is_alphanumeric);
    let once = |line: &str, among: &mut dyn Iterator<Item = &str>| {
        among.filter(|other| other.trim() == line.trim()).count() == 1
    };
    let old_leads = home.old_lines.iter().filter(|old| !old.trim().is_empty());
    let least_old = old_leads.map(|old| leading(old).len()).min()?;
    let least = rest
        .iter()
        .map(|&index| leading(&lines[index]).len())
        .min()?;
    // As in the file none would stand further left than the place, and all that stood there.
    let is_left = least < least_old.min(indentation.len());
    let (mut as_in_file, mut at_column_0) = (false, false);
    for &index in rest {
        let line = lines[index].as_str();
        let mut own = rest.iter().map(|&index| lines[index].as_str());
        if !is_told(line) || !once(line, &mut own) {
            continue;
        }
        let old = home.old_lines.iter();
        let old: Vec<&String> = old.filter(|old| old.trim() == line.trim()).collect();
        if let [old] = old.as_slice() {
            let (lead, was) = (leading(line), leading(old));
            as_in_file |= lead == was && !is_left;
            at_column_0 |= was.strip_prefix(indentation) == Some(lead) && lead != was;
        }
    }
    match (as_in_file, at_column_0) {
        (true, false) => Some(Depth::AsInFile),
        (false, true) => Some(Depth::Shallower),
        _ => None,
    }
}

/// The white space that stands for "no indentation" in the content, as a line tells that is aligned with something in the first one: with what stands behind a
/// bracket, or with an operator that it begins with too.
fn own_by_alignment(lines: &[String], rest: &[usize], home: &Home<'_>) -> Option<String> {
    let first: Vec<char> = lines.first()?.trim_end().chars().collect();
    let indentation = home.indentation.as_str();
    let column = home.column.unwrap_or(indentation.len());
    // `in_file` is the column in the file, `line` what stands there.
    let is_aligned = |in_file: usize, line: &str| {
        let Some(column) = in_file.checked_sub(column) else {
            return false;
        };
        let Some(before) = column.checked_sub(1) else {
            return false;
        };
        let bracket = stays_open(&first, before);
        let operator: String = line
            .trim_start()
            .chars()
            .take_while(|c| !c.is_alphanumeric() && !c.is_whitespace() && !"\"'_)]}".contains(*c))
            .collect();
        let there: String = first
            .iter()
            .skip(column)
            .take(operator.chars().count())
            .collect();
        (bracket && column < first.len()) || (!operator.is_empty() && there == operator)
    };
    rest.iter().find_map(|&index| {
        let line = lines[index].as_str();
        let lead = leading(line);
        let depth = lead.chars().all(|c| c == ' ').then_some(lead.len())?;
        let at_column_0 = is_aligned(depth + indentation.len(), line);
        match (at_column_0, is_aligned(depth, line)) {
            (true, false) => Some(String::new()),
            (false, true) => Some(indentation.to_string()),
            _ => None,
        }
    })
}

/// Whether an opening bracket stands at `index` that no other closes in the line.
fn stays_open(line: &[char], index: usize) -> bool {
    if !line.get(index).is_some_and(|c| "([{".contains(*c)) {
        return false;
    }
    let mut depth = 0;
    line[index..].iter().all(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth > 0
    })
}

/// The lines with their indentation brought to the file's kind, where it is wholly of the other:
/// tabs stay tabs.
fn in_unit_of_file(lines: &[&str], home: &Home<'_>, no_measure: &Kept) -> Vec<String> {
    let kept = || lines.iter().map(|line| line.to_string()).collect();
    let is_free = |index: usize| !no_measure.is_of_text(index) && !lines[index].trim().is_empty();
    let leads: Vec<&str> = (0..lines.len())
        .filter(|&index| is_free(index) && !no_measure.comments.contains(&index))
        .map(|index| leading(lines[index]))
        .filter(|lead| !lead.is_empty())
        .collect();
    if leads.is_empty() || home.is_prose {
        return kept();
    }
    // The lines in whose place it comes may be no more of the file's kind.
    let as_before = |lead: &&str| home.old_lines.iter().any(|line| leading(line) == *lead);
    if leads.iter().any(as_before) {
        return kept();
    }
    // Asked last: it is sought in many lines.
    let Some(unit) = home.unit.get() else {
        return kept();
    };
    let other = if unit.starts_with('\t') { ' ' } else { '\t' };
    let step = match other {
        '\t' => 1,
        _ => leads.iter().map(|lead| lead.len()).min().unwrap_or(0),
    };
    let is_level = other == '\t' || step > 1;
    if !is_level || leads.iter().any(|lead| lead.contains(|c| c != other)) {
        return kept();
    }
    // How much of the whitespace of a line is indentation: in a text that moves with its code, that of the
    // line in which the text starts.
    let mut indented = vec![0; lines.len()];
    for index in (0..lines.len()).filter(|&index| is_free(index)) {
        indented[index] = leading(lines[index]).len();
    }
    for text in runs(&no_measure.together) {
        let first = text[0]
            .checked_sub(1)
            .map_or("", |first| leading(lines[first]));
        let is_indented =
            |&index: &usize| lines[index].trim().is_empty() || lines[index].starts_with(first);
        if text.iter().all(is_indented) {
            for index in text {
                indented[index] = first.len().min(leading(lines[index]).len());
            }
        }
    }
    let convert = |(line, lead): (&&str, usize)| {
        unit.repeat(lead / step) + &" ".repeat(lead % step) + &line[lead..]
    };
    lines.iter().zip(indented).map(convert).collect()
}

/// What one level of indentation is in a file, in one of its language where no line is indented.
pub(crate) fn indent_unit(parsed: &Parsed) -> String {
    let lines = parsed.source().text().lines();
    let own = unit_of(lines);
    own.unwrap_or_else(|| parsed.source().language().indent().to_string())
}

/// What one level of indentation is, seen from lines of the file: a tab where most indented lines
/// begin with one, else the step by which lines mostly go deeper.
fn unit_of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let (mut tabs, mut spaces) = (0, 0);
    let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
    let mut lines = lines.filter(|line| !line.trim().is_empty()).peekable();
    let mut last = lines.peek().map_or(0, |first| leading(first).len());
    for line in lines {
        let lead = leading(line);
        match lead.starts_with('\t') {
            true => tabs += 1,
            false => {
                spaces += usize::from(!lead.is_empty());
                // A single space more is alignment, not a level.
                if lead.len() > last + 1 {
                    *steps.entry(lead.len() - last).or_default() += 1;
                }
                last = lead.len();
            }
        }
    }
    if tabs > spaces {
        return Some("\t".to_string());
    }
    let common = steps
        .into_iter()
        .max_by_key(|(step, count)| (*count, usize::MAX - step));
    common.map(|(step, _)| " ".repeat(step))
}

/// The lines (from 0) of a part of a text.
struct ContentLines<'p> {
    /// Where they begin.
    starts: Vec<usize>,
    /// The nodes that each begins inside of.
    around: Vec<Vec<Node<'p>>>,
    /// Those that begin with what stands where it was written.
    unindented: BTreeSet<usize>,
}

impl<'p> ContentLines<'p> {
    fn of(parsed: &'p Parsed, span: Span) -> ContentLines<'p> {
        let text = parsed.source().slice(span);
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).map(|offset| offset + 1);
        let starts = [0].into_iter().chain(breaks);
        let starts: Vec<usize> = starts.map(|offset| span.start() + offset).collect();
        let mut chains = parsed.chains();
        let around = starts.iter().enumerate().map(|(line, &start)| {
            // Such a node begins at or before the end of the line before, and reaches past its start.
            let reaches =
                |node: &Node<'_>| node.span().start() < start && node.span().end() > start;
            let chain = (line > 0).then(|| chains.at(Span::new(start - 1, start)));
            chain
                .unwrap_or_default()
                .into_iter()
                .filter(reaches)
                .collect()
        });
        let around = around.collect();
        let numbered = starts.iter().enumerate();
        let unindented = numbered.filter(|(_, start)| begins_unindented(parsed, **start));
        ContentLines {
            around,
            unindented: unindented.map(|(line, _)| line).collect(),
            starts,
        }
    }

    /// The lines that begin inside a node that is `what`.
    fn inside(&self, what: fn(Node<'_>) -> bool) -> BTreeSet<usize> {
        let numbered = self.around.iter().enumerate();
        let inside = numbered.filter(|(_, around)| around.iter().any(|node| what(*node)));
        let inside = inside.map(|(line, _)| line);
        inside.chain(self.unindented.iter().copied()).collect()
    }
}

/// Whether what begins behind the white space at `offset` stands where it was written, however deep
/// the lines round it: `#if`.
pub(crate) fn begins_unindented(parsed: &Parsed, offset: usize) -> bool {
    let tables = parsed.source().language().tables();
    if !tables.is_some_and(|tables| tables.uses(Mark::Unindented)) && !parsed.holds_others() {
        return false;
    }
    let rest = parsed.source().chars_behind(offset);
    let first = offset + rest.take_while(|c| matches!(c, ' ' | '\t')).count();
    let token = Span::new(first, (first + 1).min(parsed.source().len()));
    let chain = parsed.chain(token);
    chain
        .last()
        .is_some_and(|node| node.has_unindented_at(first))
}

/// Returns whether a node starts at `offset` that belongs as deep as the line its parent starts in.
pub(crate) fn begins_outdented(parsed: &Parsed, offset: usize) -> bool {
    begins_with(parsed, offset, |node, parent| {
        node.is_in(Mark::Outdented, parent)
    })
}

/// Returns whether a node or a sign of this kind starts at `offset`; the kind is a question about it and its parent.
fn begins_with(
    parsed: &Parsed,
    offset: usize,
    is_one: impl Fn(Node<'_>, Node<'_>) -> bool,
) -> bool {
    let chain = parsed.chain(Span::at(offset));
    let mut pairs = chain.windows(2);
    let sign = || chain.last()?.sign_at(offset);
    pairs.any(|pair| pair[1].span().start() == offset && is_one(pair[1], pair[0]))
        || sign().is_some_and(|(sign, parent)| is_one(sign, parent))
}

/// Whether a line of the content (from 0) is in a body that indentation bounds, of what begins before
/// it in the content.
fn is_in_body(change: &Change<'_>, lines: &[usize], line: usize) -> bool {
    let (1.., Some(&start)) = (line, lines.get(line)) else {
        return false;
    };
    let text = change
        .after()
        .source()
        .slice(Span::new(start, change.new_span().end()));
    let first = start + (text.len() - text.trim_start_matches([' ', '\t', '>']).len());
    let own = change.new_span().start()..start;
    let chain = change.after().chain(Span::at(first));
    chain.windows(2).any(|pair| {
        let is_file = pair[0].is_indented();
        pair[1].is_indented() && !is_file && own.contains(&pair[0].span().start())
    })
}

/// Whether a line of the content (from 0) wants to stand deeper than the first: a bracket is open
/// at its start and it does not begin with a closing one, or it continues what an operator parts.
fn opens_before_line(change: &Change<'_>, lines: &[usize], line: usize, quote: &str) -> bool {
    let (1.., Some(&start)) = (line, lines.get(line)) else {
        return false;
    };
    let end = change.new_span().end();
    let text = change.after().source().slice(Span::new(start, end));
    let unquoted = text.strip_prefix(quote).unwrap_or(&text);
    let bare = unquoted.trim_start_matches([' ', '\t']);
    let first = start + (text.len() - bare.len());
    if bare.starts_with([')', ']', '}', '\n', '\r']) {
        return false;
    }
    let chain = change.after().chain(Span::at(first));
    let begins = |holds: fn(Node<'_>, Node<'_>) -> bool| {
        let mut pairs = chain.windows(2);
        pairs.any(|pair| pair[1].span().start() == first && holds(pair[1], pair[0]))
    };
    let shows_nothing = |node: Node<'_>, parent: Node<'_>| {
        node.is_in(Mark::Flush, parent) || node.is_in(Mark::Outdented, parent)
    };
    if begins_with(change.after(), first, shows_nothing) {
        return false;
    }
    if begins(|node, parent| node.is_in(Mark::Deeper, parent)) && !bare.starts_with('{') {
        return true;
    }
    chain
        .iter()
        .rev()
        .take_while(|node| node.span().start() >= change.new_span().start())
        .filter(|node| node.span().start() < start)
        .any(|node| opens_before(*node, first) || continues_at(*node, first))
}

/// Whether a line of the content (from 0) begins with the word that ends the whole of it: `done`.
fn closes_at_line(change: &Change<'_>, lines: &[usize], line: usize) -> bool {
    let Some(&start) = lines.get(line) else {
        return false;
    };
    let end = change.new_span().end();
    let text = change.after().source().slice(Span::new(start, end));
    let first = start + (text.len() - text.trim_start_matches([' ', '\t']).len());
    let begins = |node: &Node<'_>| node.span().start() == change.new_span().start();
    let chain = change.after().chain(Span::at(first));
    let around = chain.iter().filter(|node| begins(node));
    around.filter_map(|node| node.last_child()).any(|last| {
        let is_word = last.kind().starts_with(char::is_alphabetic);
        !last.is_named() && last.span().start() == first && is_word
    })
}

/// Whether one of the node's own children before `offset` is an opening bracket, or the sign behind
/// which its members stand, without its closing one before `offset`.
fn opens_before(node: Node<'_>, offset: usize) -> bool {
    let after = node.body().and_then(|body| body.after.as_deref());
    let ends_there = |last: Node<'_>| !last.is_named() && last.span().start() == offset;
    if let Some(sign) = after
        && !node.last_child().is_some_and(ends_there)
    {
        let mut children = node.own_children().into_iter();
        if children.any(|child| child.kind() == sign && child.span().end() <= offset) {
            return true;
        }
    }
    let mut depth = 0;
    for child in node.own_children() {
        if child.span().start() >= offset {
            break;
        }
        match child.kind() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    depth > 0
}

/// Whether a child of the node begins at `offset` that goes on with what stands before it: an
/// operator (`.`, `+`, `&&`), or what a keyword or an operator (`=`, `where`) wants to follow.
/// Comments count as what they stand before; a sign that ends the node closes it.
fn continues_at(node: Node<'_>, offset: usize) -> bool {
    let is_word = |kind: &str| kind.starts_with(char::is_alphabetic);
    let parts = |sign: Node<'_>| {
        let is_bracket_or_separator =
            matches!(sign.kind(), "(" | ")" | "[" | "]" | "{" | "}" | "," | ";");
        !is_bracket_or_separator && !sign.is_in(Mark::Flush, node)
    };
    let mut begins_there = false;
    let mut previous: Option<Node<'_>> = None;
    let mut children = node.own_children().into_iter();
    let next = children.find(|child| {
        let start = child.span().start();
        begins_there |= start == offset;
        let is_next = !child.is_extra() && start >= offset;
        if !child.is_extra() && !is_next {
            previous = Some(*child);
        }
        is_next
    });
    let (Some(previous), Some(next), true) = (previous, next, begins_there) else {
        return false;
    };
    if next.is_named() {
        let opens_block = next.first_child().is_some_and(|first| first.kind() == "{");
        // A statement stands as deep as its label.
        let is_labeled = previous.kind() == ":"
            && node.is_word("statement", None)
            && next.is_word("statement", None);
        !opens_block && !is_labeled && !previous.is_named() && parts(previous)
    } else {
        let closes = children.next().is_none();
        !closes && !is_word(next.kind()) && parts(next)
    }
}

pub(super) fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn common_prefix<'a>(a: &'a str, b: &'a str) -> &'a str {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    &a[..same]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, indentation: &str, unit: &str, expected: &str) {
        let home = Home::new(indentation.to_string(), Some(unit.to_string()));
        let opened = |line: Option<usize>| {
            let Some(line) = line else {
                return false;
            };
            let before: String = content.split_inclusive('\n').take(line).collect();
            let of_line = content.lines().nth(line).unwrap_or_default().trim_start();
            before.matches('(').count() > before.matches(')').count() && !of_line.starts_with(')')
        };
        assert_eq!(
            place(content, &home, &Kept::default(), 0, opened, |_| false).text,
            expected
        );
    }

    const AT_HOME: &str = "fn a() {\n        b();\n    }";

    #[test]
    fn content_at_column_0_moves_to_its_home() {
        check("fn a() {\n    b();\n}", "    ", "    ", AT_HOME);
    }

    #[test]
    fn content_as_in_the_file_stays() {
        check("fn a() {\n        b();\n    }", "    ", "    ", AT_HOME);
        check("    fn a() {\n        b();\n    }", "    ", "    ", AT_HOME);
        check(
            "        fn a() {\n            b();\n        }",
            "    ",
            "    ",
            AT_HOME,
        );
    }

    #[test]
    fn a_list_at_column_0_with_nothing_but_deeper_lines_moves() {
        check("foo(a,\n    b)", "    ", "    ", "foo(a,\n        b)");
        check("foo(\n        a)", "    ", "    ", "foo(\n        a)");
    }

    #[test]
    fn tabs_stay_tabs() {
        check(
            "fn a() {\n    b();\n}",
            "\t",
            "\t",
            "fn a() {\n\t\tb();\n\t}",
        );
        check("fn a() {\n\tb();\n}", "    ", "    ", AT_HOME);
    }

    #[test]
    fn lines_of_a_text_move_all_or_none() {
        let together = BTreeSet::from([1, 2, 4, 5]);
        let lines = ["  a(", "    b", "  c", "  d", "    e", "f"];
        assert_eq!(immovable(&together, &lines, "  "), BTreeSet::from([4, 5]));
        assert_eq!(immovable(&together, &lines, ""), BTreeSet::new());
        assert_eq!(immovable(&together, &lines, "   "), together);
        assert_eq!(
            immovable(&BTreeSet::from([0]), &["  "], "    "),
            BTreeSet::new()
        );
    }

    #[test]
    fn protected_and_blank_lines_keep_their_bytes() {
        let home = Home::new("  ".to_string(), None);
        let kept = Kept {
            protected: BTreeSet::from([2]),
            ..Kept::default()
        };
        let placed = place("a(\n\nb\nc)", &home, &kept, 0, |_| true, |_| false);
        assert_eq!(
            placed,
            Placed {
                text: "a(\n\nb\n  c)".to_string(),
                shifted_lines: 1
            }
        );
    }
}
