//! Answers the requests about a place: its position, its selector, and the text of its node.

use crate::diagnostic::{self, ANCESTORS_SHOWN, Diagnostic, Pointing, Trial};
use crate::locate::{self, LineScope, Locate, Question, Scope};
use crate::parse::{Node, Parsed};
use crate::select::{self, SelectError, Selector};
use crate::source::{Position, Source, Span};

use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::one_text::{OnText, OneText};
use super::outline::symbols_in;
use super::request::coordinates::{LineAndCharacter, RangeArgument};
use super::request::files;
use super::request::{CallAccess, LocateArgument, LocatePlace, ReadNode, SelectorArgument};
use super::response::{Located, NodeLine, NodeRead, NodeText, PendingRefusal, Point, Range};

/// The maximum length of a node text in an answer, in bytes.
pub const TEXT_SHOWN: usize = 100_000;
/// The default length of a node text in an answer, in bytes.
pub const TEXT_SHOWN_BY_DEFAULT: usize = 12_000;

impl ToolRequest for LocatePlace {
    type Answer = Located;

    const TOOL: &'static str = "locate";
    const FILE_ARGUMENT: Option<&'static str> = Some("file_path");

    fn access(&self) -> CallAccess {
        files(self.named_files(), false)
    }

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<Located, PendingRefusal> {
        let Some(file_path) = self.named_files().next() else {
            let message = "locate needs a locator, or a position that names its file";
            return Err(diagnostic::about_arguments(message).into());
        };
        let resolves = |parsed: &Parsed| self.located(parsed).is_ok().then_some(Trial::Works);
        let (_, parsed) = engine.parsed_or_near(file_path, resolves)?;
        Ok(self.located(&parsed)?)
    }

    fn answer_on_text(&self, text: &OneText) -> Result<OnText<Located>, Diagnostic> {
        self.named_files()
            .try_for_each(|path| text.check_path(path))?;
        self.located(text.parsed()).map(OnText::unchanged)
    }
}

impl LocatePlace {
    /// Returns the files that the request names: all of them must be the same.
    fn named_files(&self) -> impl Iterator<Item = &String> {
        let located = self.locate.as_ref();
        let located = located.map(|locate| &locate.0.locate.file_path);
        let position = self.position.as_ref();
        let named = position.and_then(|position| position.file_path.as_ref());
        located.into_iter().chain(&self.file_path).chain(named)
    }

    /// Locates the place in its file.
    fn located(&self, parsed: &Parsed) -> Result<Located, Diagnostic> {
        match (&self.locate, &self.position, self.range) {
            (Some(locate), None, None) => located_by_locator(parsed, &locate.0),
            (None, Some(position), None) => {
                let point = offset_of(parsed.source(), position.at)?;
                let locate::Description { point, question } = locate::describe(parsed, point);
                Ok(Located {
                    locate: question.map(LocateArgument),
                    ..at_position(parsed, point)
                })
            }
            (None, None, Some(range)) => located_by_range(parsed, range),
            _ => {
                let message = "locate takes one of a locator, a position and a range";
                Err(diagnostic::about_arguments(message))
            }
        }
    }
}

/// Resolves a locator in its file.
fn located_by_locator(parsed: &Parsed, question: &Question) -> Result<Located, Diagnostic> {
    let source = parsed.source();
    let place = locate::answer(parsed, question)
        .map_err(|error| diagnostic::about_locate(parsed, question, &error))?;
    let range = Range::from_span(source, place.span);
    Ok(Located {
        range: (!place.span.is_empty()).then_some(range),
        matches: Some(place.matches),
        find_index: question.find_index,
        near: place.is_near.then(|| source.slice(place.span).into_owned()),
        ..at_position(parsed, place.point)
    })
}

fn located_by_range(parsed: &Parsed, range: RangeArgument) -> Result<Located, Diagnostic> {
    let source = parsed.source();
    let (start, end) = (
        offset_of(source, range.start)?,
        offset_of(source, range.end)?,
    );
    if end < start {
        let message = "the range ends before it starts";
        return Err(diagnostic::about_arguments(message));
    }
    let span = Span::new(start, end);
    let described = locate::describe_range(parsed, span).map(Locate::from);
    let span = parsed.trimmed(span);
    Ok(Located {
        range: Some(Range::from_span(source, span)),
        locate: described.map(|one| LocateArgument(one.into())),
        ..node_located(parsed, span)
    })
}

/// Returns the position, and the smallest node there.
fn at_position(parsed: &Parsed, point: usize) -> Located {
    let source = parsed.source();
    Located {
        position: Some(Point::at(source, point)),
        ..node_located(parsed, at_point(source, point))
    }
}

/// Returns the smallest node at a span, with its selector.
fn node_located(parsed: &Parsed, span: Span) -> Located {
    let chain = parsed.chain(span);
    // The root cannot be edited.
    let node = chain.last().filter(|_| chain.len() > 1);
    let selector = node.and_then(|_| select::describe(parsed, &chain));
    Located {
        file_path: parsed.source().path().to_string(),
        node: node.map(|node| diagnostic::node_view(parsed, *node).into()),
        selector: selector.map(SelectorArgument),
        ancestors: node_lines(parsed, &chain[..chain.len().saturating_sub(1)]),
        ..Located::default()
    }
}

impl ToolRequest for ReadNode {
    type Answer = NodeRead;

    const TOOL: &'static str = "read_node";
    const FILE_ARGUMENT: Option<&'static str> = Some("file_path");

    fn access(&self) -> CallAccess {
        let located = self.locate.as_ref();
        let located = located.map(|locate| &locate.0.locate.file_path);
        files(self.file_path.iter().chain(located), false)
    }

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<NodeRead, PendingRefusal> {
        let (file_path, place) = self.place()?;
        let resolves = |parsed: &Parsed| match &place {
            PlaceToRead::Node(selector) => select::select(parsed, selector).is_ok(),
            PlaceToRead::Located(question) => locate::answer(parsed, question).is_ok(),
            PlaceToRead::Text(_) => true,
        };
        let (_, parsed) =
            engine.parsed_or_near(file_path, |parsed| resolves(parsed).then_some(Trial::Works))?;
        Ok(place.read(&parsed, self.max_bytes)?)
    }

    fn answer_on_text(&self, text: &OneText) -> Result<OnText<NodeRead>, Diagnostic> {
        let (file_path, place) = self.place()?;
        text.check_path(file_path)?;
        place
            .read(text.parsed(), self.max_bytes)
            .map(OnText::unchanged)
    }
}

/// What is read of a file.
enum PlaceToRead<'r> {
    Node(&'r Selector),
    /// The symbol, or the smallest node at a point.
    Located(&'r Question),
    /// The text of lines, or of the whole file.
    Text(Option<LineScope>),
}

impl ReadNode {
    /// Returns the file, and what to read of it.
    fn place(&self) -> Result<(&String, PlaceToRead<'_>), Diagnostic> {
        let lines = match &self.lines.0 {
            None => None,
            Some(Scope::Lines(lines)) => Some(*lines),
            Some(Scope::Symbol(_)) => {
                let message = "lines must be a line or a range of lines, such as 10-20";
                return Err(diagnostic::about_arguments(message));
            }
        };
        match (&self.file_path, &self.selector, &self.locate, lines) {
            (None, None, Some(locate), None) => {
                Ok((&locate.0.locate.file_path, PlaceToRead::Located(&locate.0)))
            }
            (Some(path), Some(selector), None, None) => Ok((path, PlaceToRead::Node(&selector.0))),
            (Some(path), None, None, lines) => Ok((path, PlaceToRead::Text(lines))),
            _ => {
                let message = "pass file_path with selector or lines, or only locate";
                Err(diagnostic::about_arguments(message))
            }
        }
    }
}

impl PlaceToRead<'_> {
    /// Reads the node or the text, at most `max_bytes` of it.
    fn read(&self, parsed: &Parsed, max_bytes: Option<usize>) -> Result<NodeRead, Diagnostic> {
        let (nodes, lines) = match self {
            PlaceToRead::Node(selector) => (chain_to_read(parsed, selector)?, None),
            PlaceToRead::Located(question) => (located_chain(parsed, question)?, None),
            PlaceToRead::Text(lines) => (Vec::new(), Some(line_text(parsed.source(), *lines)?)),
        };
        // If no node within the scope covers the anchor, read the root.
        let root = [parsed.root()];
        let (node, above) = nodes.split_last().unwrap_or((&root[0], &[]));
        let span = lines.unwrap_or_else(|| select::trimmed_node(parsed, *node));
        let text = parsed.source().slice(span);
        let limit = max_bytes.unwrap_or(TEXT_SHOWN_BY_DEFAULT).min(TEXT_SHOWN);
        let shown = text.floor_char_boundary(limit);
        Ok(NodeRead {
            file_path: parsed.source().path().to_string(),
            node: NodeText {
                node_type: match self {
                    PlaceToRead::Text(Some(_)) => "lines",
                    _ => node.kind(),
                }
                .to_string(),
                range: Range::from_span(parsed.source(), span),
                text: text[..shown].to_string(),
                omitted_bytes: text.len() - shown,
                symbol_path: parsed.symbol_path(&nodes),
            },
            ancestors: node_lines(parsed, above),
            ancestors_omitted: above.len().saturating_sub(ANCESTORS_SHOWN),
            symbols: lines.map_or(Vec::new(), |span| symbols_in(parsed, span)),
        })
    }
}

/// Returns the span of lines, or of the whole text.
fn line_text(source: &Source, lines: Option<LineScope>) -> Result<Span, Diagnostic> {
    let all = Span::new(0, source.text().len());
    let Some(lines) = lines else {
        return Ok(all);
    };
    let no_place = || diagnostic::about_no_place(source, lines.first(), None);
    let first = source.line_span(lines.first()).ok_or_else(no_place)?;
    let last = lines.last().and_then(|last| source.line_span(last));
    Ok(Span::new(first.start(), last.map_or(all.end(), Span::end)))
}

/// Returns the node at the place of a locator with its ancestors: without a find, the definition of the symbol.
fn located_chain<'p>(parsed: &'p Parsed, question: &Question) -> Result<Vec<Node<'p>>, Diagnostic> {
    let place = locate::answer(parsed, question)
        .map_err(|error| diagnostic::about_locate(parsed, question, &error))?;
    let mut chain = parsed.chain(at_point(parsed.source(), place.point));
    if question.locate.find.is_none() {
        up_to_symbol(parsed, &mut chain, place.point);
    }
    Ok(chain)
}

/// Returns the span of the character at an offset, or an empty span before whitespace.
pub(super) fn at_point(source: &Source, point: usize) -> Span {
    match source.text()[point..].chars().next() {
        Some(c) if !c.is_whitespace() => Span::new(point, point + c.len_utf8()),
        _ => Span::at(point),
    }
}

/// Returns the byte offset of a line and character. Without a character, returns the offset of the line's first
/// non-whitespace character.
pub(super) fn offset_of(source: &Source, at: LineAndCharacter) -> Result<usize, Diagnostic> {
    let no_place = || diagnostic::about_no_place(source, at.line, at.character);
    let line = source.line_span(at.line).ok_or_else(no_place)?;
    match at.character {
        Some(character) => source
            .offset(Position {
                line: at.line,
                character,
            })
            .ok_or_else(no_place),
        None => {
            let text = source.slice(line);
            let blank = text.len() - text.trim_start().len();
            Ok(line.start() + if blank == text.len() { 0 } else { blank })
        }
    }
}

fn node_lines(parsed: &Parsed, chain: &[Node<'_>]) -> Vec<NodeLine> {
    diagnostic::ancestors(parsed, chain)
        .0
        .into_iter()
        .map(NodeLine::from)
        .collect()
}

/// Returns the selected node with its ancestors. Without a node type, returns the smallest node at the only anchor.
fn chain_to_read<'p>(parsed: &'p Parsed, selector: &Selector) -> Result<Vec<Node<'p>>, Diagnostic> {
    match select::select(parsed, selector) {
        Ok(selection) => Ok(selection.chain().to_vec()),
        Err(SelectError::AncestorRequired { occurrences }) if occurrences.len() == 1 => {
            Ok(occurrences.into_iter().flat_map(|one| one.chain).collect())
        }
        Err(error) => Err(diagnostic::about_select(
            parsed,
            selector,
            &error,
            Pointing::Read,
        )),
    }
}

/// Shortens a chain that ends at a declared name, so that it ends at the definition.
fn up_to_symbol(parsed: &Parsed, chain: &mut Vec<Node<'_>>, name: usize) {
    let symbols = parsed.outline().symbols();
    if let Some(symbol) = symbols
        .iter()
        .find(|symbol| symbol.name_span.start() == name)
        && let Some(depth) = chain
            .iter()
            .rposition(|node| node.span() == symbol.node_span)
    {
        chain.truncate(depth + 1);
    }
}
