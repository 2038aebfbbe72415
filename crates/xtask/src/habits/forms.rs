//! Turns a hunk into calls, one for each form in which agents write the content.
//!
//! A form determines the result if only the bytes of the commit can be meant by it. For the others, for instance content
//! that omits the blank lines of the commit, another result may be as right.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use serde_json::{Value, json};
use treegraft::edit::InsertPosition;
use treegraft::parse::{Node, Parsed};
use treegraft::select::{self, Anchor, Selector};
use treegraft::source::Span;

use crate::replay::baseline::{is_unique, replaced, token_bounds};
use crate::replay::calls::{Call, Target, of_node, position_name};
use crate::replay::content::{Written, at_column_zero, contents, in_string};
use crate::replay::history::Hunk;
use crate::replay::meaning::{
    HunkOperation, Skip, difference, interpret, is_attached, is_comment, skipped_at_once, trimmed,
};
use crate::replay::pointing::{Way, written};
use crate::replay::text::{TextEdit, text_edits};

/// The size, in lines, of the largest symbol that is replaced as a whole.
const LARGEST: usize = 60;
/// How many tokens are taken on each side of a marked text, at most.
const TOKENS: usize = 80;

/// The tool that makes the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tool {
    ReplaceNode,
    ReplaceText,
    InsertNode,
}

impl Tool {
    pub(super) fn name(self) -> &'static str {
        match self {
            Tool::ReplaceNode => "replace_node",
            Tool::ReplaceText => "replace_text",
            Tool::InsertNode => "insert_node",
        }
    }
}

/// How the content of a call is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    AsInFile,
    ColumnZero,
    FirstLineBare,
    LeadingNewline,
    TrailingNewline,
    TrailingNewlines,
    BlankLines,
    ZeroBlankLines,
    ContentNewline,
    NoComma,
    Comma,
    Attached,
    LineBefore,
    LineAfter,
    BothLines,
    Markers,
    MarkedWhitespace,
    MarkedPoint,
}

impl Form {
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::AsInFile => "as in the file",
            Form::ColumnZero => "at column 0",
            Form::FirstLineBare => "first line bare, the rest as in the file",
            Form::LeadingNewline => "with a leading newline",
            Form::TrailingNewline => "with a trailing newline",
            Form::TrailingNewlines => "with two trailing newlines",
            Form::BlankLines => "with its blank lines",
            Form::ZeroBlankLines => "at column 0, with its blank lines",
            Form::ContentNewline => "with a trailing newline in the content only",
            Form::NoComma => "list member without a comma",
            Form::Comma => "list member with a comma",
            Form::Attached => "with its comments and attributes",
            Form::LineBefore => "with the line before",
            Form::LineAfter => "with the line after",
            Form::BothLines => "with the line before and the line after",
            Form::Markers => "between two markers",
            Form::MarkedWhitespace => "between two markers, with whitespace",
            Form::MarkedPoint => "at two adjacent markers",
        }
    }

    /// When the form determines the result, in a few words.
    pub(super) fn rule(self, tool: Tool) -> &'static str {
        match (self, tool) {
            (Form::MarkedWhitespace, _) => "yes",
            (Form::Markers | Form::MarkedPoint, _) => "if a later line shows the depth",
            (Form::LineBefore | Form::LineAfter | Form::BothLines, _) => {
                "if the content ends with a newline only where `find` does"
            }
            (Form::AsInFile | Form::NoComma | Form::Comma, Tool::ReplaceNode) => {
                "if no line is less indented than the first"
            }
            (Form::TrailingNewline, Tool::ReplaceNode) => {
                "if no line is less indented than the first, outside strings"
            }
            (Form::AsInFile | Form::ContentNewline, Tool::ReplaceText)
            | (Form::LeadingNewline | Form::TrailingNewline, Tool::ReplaceText) => {
                "if the first line keeps its indentation"
            }
            (Form::FirstLineBare, Tool::ReplaceNode) => "if a later line shows the depth",
            (Form::FirstLineBare, Tool::ReplaceText) => {
                "if the first line keeps its indentation, and a later line shows the depth"
            }
            (Form::FirstLineBare, Tool::InsertNode) => {
                "if the blank lines are given, and a later line shows the depth"
            }
            (Form::ColumnZero, Tool::ReplaceNode) => {
                "if a later line is at the base or one unit deeper"
            }
            (Form::ColumnZero, Tool::ReplaceText) => {
                "if the first line keeps its indentation, and a later line is at the base or one unit deeper"
            }
            (Form::ColumnZero | Form::ZeroBlankLines, Tool::InsertNode) => {
                "if the blank lines are given, and a later line is at the base or one unit deeper"
            }
            (Form::LeadingNewline | Form::TrailingNewlines, Tool::ReplaceNode) => {
                "if the commit has that blank line, outside strings"
            }
            (Form::Attached, _) => "if the old comments and attributes are of the same types",
            _ => "if the blank lines and the trailing comma of the commit are given",
        }
    }
}

/// A call with content in one form.
pub(super) struct Sample<'p> {
    pub(super) tool: Tool,
    pub(super) form: Form,
    /// Whether the form determines the result.
    pub(super) determines: bool,
    pub(super) call: Call,
    pub(super) target: Target<'p>,
}

/// A hunk alone, with the text before it and the text after it.
pub(super) struct Site<'p> {
    pub(super) path: &'p str,
    pub(super) before: &'p Parsed,
    pub(super) wanted: &'p Parsed,
    pub(super) hunk: &'p Hunk,
    /// The node types of the language whose lines keep their bytes.
    pub(super) strings: &'p HashSet<String>,
}

/// The lines around a span: how many blank lines there are on each side, and whether a delimiter or an end of the file
/// follows them.
#[derive(Clone, Copy)]
struct Gaps {
    above: usize,
    below: usize,
    is_first: bool,
    is_last: bool,
    /// Whether the blank lines are empty.
    are_empty: bool,
}

impl Gaps {
    fn of(text: &str, span: Range<usize>) -> Gaps {
        let (before, after) = (&text[..span.start], &text[span.end..]);
        let after = after.trim_start_matches([',', ';']);
        let blank = |space: &str| space.matches('\n').count().saturating_sub(1);
        let above = &before[before.trim_end().len()..];
        let below = &after[..after.len() - after.trim_start().len()];
        let is_empty = |space: &str| {
            let lines = space.matches('\n').count();
            let mut inner = space.split('\n').skip(1).take(lines.saturating_sub(1));
            inner.all(|line| line.trim_end_matches('\r').is_empty())
        };
        let opens = |c: char| matches!(c, '{' | '[' | '(' | ':');
        let closes = |c: char| matches!(c, '}' | ']' | ')');
        Gaps {
            above: blank(above),
            below: blank(below),
            is_first: before.trim_end().chars().next_back().is_none_or(opens),
            is_last: after.trim_start().chars().next().is_none_or(closes),
            are_empty: is_empty(above) && is_empty(below),
        }
    }
}

impl<'p> Site<'p> {
    /// The calls for this hunk.
    ///
    /// # Errors
    /// The hunk cannot be made alone.
    pub(super) fn samples(&self) -> Result<Vec<Sample<'p>>, Skip> {
        let old = self.before.source().text();
        match skipped_at_once(old, self.hunk) {
            Some(Skip::Blank) => return Ok(self.marked_whitespace().into_iter().collect()),
            Some(skip) => return Err(skip),
            None => {}
        }
        if self.has_unpaired_tags() {
            return Err(Skip::BreaksSyntax);
        }
        let meaning = interpret(self.before, self.wanted, self.hunk)?;
        let mut samples = Vec::new();
        let mut replaced_nodes: Vec<Node<'p>> = Vec::new();
        let all = std::iter::once(meaning.best).chain(meaning.others);
        for meant in all.chain(self.enclosing_symbol()) {
            match meant {
                HunkOperation::Replace {
                    chain,
                    new,
                    include_attached,
                } => {
                    let node = chain[chain.len() - 1];
                    if !replaced_nodes.contains(&node) {
                        replaced_nodes.push(node);
                        samples.extend(self.replacements(&chain, new, include_attached));
                    }
                }
                HunkOperation::Insert {
                    chain,
                    position,
                    new,
                } => samples.extend(self.insertions(&chain, position, new)),
                HunkOperation::Delete { .. } | HunkOperation::Text => {}
            }
        }
        samples.extend(self.texts());
        samples.extend(self.marked_whitespace());
        Ok(samples)
    }

    /// Whether the hunk of an HTML file opens or closes other elements than before, which only other hunks of its commit
    /// make right. The grammar shows no error there.
    fn has_unpaired_tags(&self) -> bool {
        let old = &self.before.source().text()[self.hunk.old.clone()];
        self.before.source().language().name == "html"
            && open_tags(old) != open_tags(&self.hunk.new)
    }

    /// The smallest symbol that encloses the change, as a node that is replaced.
    fn enclosing_symbol(&self) -> Option<HunkOperation<'p>> {
        let (old, wanted) = (self.before.source().text(), self.wanted.source().text());
        let (changed, _) = difference(old, wanted);
        let symbols = self.before.outline().symbols().iter();
        let spans = symbols.map(|symbol| symbol.node_span).filter(|span| {
            let lines = old[span.range()].matches('\n').count();
            span.start() < changed.start() && changed.end() < span.end() && lines < LARGEST
        });
        let span = spans.min_by_key(|span| span.len())?;
        let chain = self.before.chain(span);
        let node = *chain.last()?;
        let new = Span::new(span.start(), wanted.len() - (old.len() - span.end()));
        let other = *self.wanted.chain(new).last()?;
        let is_same = node.span() == span && other.span() == new && node.kind() == other.kind();
        (is_same && chain.len() > 1).then_some(HunkOperation::Replace {
            chain,
            new,
            include_attached: false,
        })
    }

    /// The forms of content that replaces a node.
    fn replacements(
        &self,
        chain: &[Node<'p>],
        new: Span,
        include_attached: bool,
    ) -> Vec<Sample<'p>> {
        let text = self.wanted.source().text();
        let Some((plain, zero, bare)) = self.written(new) else {
            return Vec::new();
        };
        let gaps = Gaps::of(text, new.range());
        let begins_line = self.begins_line(text, new.start());
        let ends_line = text[new.end()..]
            .trim_start_matches([',', ';', ' ', '\t', '\r'])
            .chars()
            .next()
            .is_none_or(|c| c == '\n');
        let is_string = self.is_in_string(self.wanted, new);
        let is_settled = self.is_indentation_settled(new) && !is_string;
        // Content that starts within a line has no indentation to show.
        let drops_comment = chain.last().is_some_and(|node| {
            let begins = |parsed: &Parsed, span: Span| {
                let first = Span::new(span.start(), (span.start() + 1).min(span.end()));
                let chain = parsed.chain(first);
                chain
                    .iter()
                    .any(|node| is_comment(*node) && node.span().start() >= span.start())
            };
            let old = trimmed(self.before, *node);
            begins(self.before, old) && !begins(self.wanted, new)
        });
        let is_even = !drops_comment
            && match begins_line {
                true => self.is_even(new),
                false => self.is_indentation_settled(new),
            };
        let is_settled = is_settled && !drops_comment;
        let mut forms = vec![(Form::AsInFile, plain.clone(), is_even)];
        if let Some((zero, is_determined)) = zero {
            let is_determined = is_determined && !is_string && !drops_comment;
            forms.push((Form::ColumnZero, zero, is_determined));
        }
        if bare != plain && bare.contains('\n') {
            forms.push((Form::FirstLineBare, bare, is_settled));
        }
        let is_code = is_even && !is_string;
        let has_blank_above = !begins_line || gaps.above > 0 || gaps.is_first;
        let has_blank_below = !ends_line || gaps.below > 0 || gaps.is_last;
        forms.push((
            Form::LeadingNewline,
            format!("\n{plain}"),
            is_code && has_blank_above,
        ));
        forms.push((Form::TrailingNewline, format!("{plain}\n"), is_code));
        forms.push((
            Form::TrailingNewlines,
            format!("{plain}\n\n"),
            is_code && has_blank_below,
        ));
        if self.is_list_member(self.before, chain) {
            forms.push((Form::NoComma, plain.clone(), is_even));
            forms.push((Form::Comma, format!("{plain},"), is_even));
        }
        let flag = [("include_attached", json!(true))];
        let flags = if include_attached { &flag[..] } else { &[] };
        let mut samples = self.of_node(Tool::ReplaceNode, chain, forms, flags);
        if let Some((content, is_determined)) = self.with_attached(chain, new, include_attached) {
            let form = vec![(Form::Attached, content, is_determined)];
            samples.extend(self.of_node(Tool::ReplaceNode, chain, form, &[]));
        }
        samples
    }

    /// The forms of content that is inserted next to a node, or into it.
    fn insertions(
        &self,
        chain: &[Node<'p>],
        position: InsertPosition,
        new: Span,
    ) -> Vec<Sample<'p>> {
        let (old, text) = (self.before.source().text(), self.wanted.source().text());
        // A semicolon after the node belongs to the content.
        let semicolon = usize::from(text[new.end()..].starts_with(';'));
        let new = Span::new(new.start(), new.end() + semicolon);
        let Some((plain, zero, bare)) = self.written(new) else {
            return Vec::new();
        };
        let node = chain[chain.len() - 1];
        let place = trimmed(self.before, node);
        let is_inside = matches!(
            position,
            InsertPosition::FirstChild | InsertPosition::LastChild
        );
        let is_deep = self.margin(old, place.start()) == self.margin(text, new.start());
        let gaps = Gaps::of(text, new.range());
        let kept = match position {
            InsertPosition::Before => Gaps::of(old, place.range()).above,
            InsertPosition::After => Gaps::of(old, place.range()).below,
            _ => 0,
        };
        let is_apart = self.are_siblings_apart(chain, new);
        let is_comment_next_to_comment = self.is_comment_next_to_comment(place, new);
        let is_even = self.is_even(new);
        let is_side_given = |given: usize, wanted: usize, is_edge: bool| match is_edge {
            true => wanted == 0,
            false => wanted == given && wanted >= kept && (wanted > 0 || !is_apart),
        };
        let ends_with_comment = self
            .nodes_of(new)
            .last()
            .is_some_and(|node| is_comment(*node));
        let is_member = !is_inside && !ends_with_comment && self.is_list_member(self.before, chain);
        let has_comma = text[new.end()..].starts_with(',');
        let is_comma_kept =
            !is_member || !gaps.is_last || has_comma == self.has_trailing_comma(chain);
        let are_blank_lines_given = |above, below| {
            is_side_given(above, gaps.above, gaps.is_first)
                && is_side_given(below, gaps.below, gaps.is_last)
                && gaps.are_empty
                && is_comma_kept
                && !is_comment_next_to_comment
                && (is_inside || is_deep)
                && is_even
        };
        let mut forms = vec![(Form::AsInFile, plain.clone(), are_blank_lines_given(0, 0))];
        if let Some((zero, is_determined)) = &zero {
            let is_determined = *is_determined && are_blank_lines_given(0, 0);
            forms.push((Form::ColumnZero, zero.clone(), is_determined));
        }
        if bare != plain && bare.contains('\n') {
            let is_determined = self.is_indentation_settled(new) && are_blank_lines_given(0, 0);
            forms.push((Form::FirstLineBare, bare, is_determined));
        }
        let with_blank_lines = |content: &str, above: usize, below: usize| {
            let trailing = match below {
                0 => 0,
                below => below + 1,
            };
            format!("{}{content}{}", "\n".repeat(above), "\n".repeat(trailing))
        };
        let (above, below) = (gaps.above, gaps.below);
        if above + below > 0 {
            let content = with_blank_lines(&plain, above, below);
            forms.push((
                Form::BlankLines,
                content,
                are_blank_lines_given(above, below),
            ));
            if let Some((zero, is_determined)) = &zero {
                let is_determined = *is_determined && are_blank_lines_given(above, below);
                let content = with_blank_lines(zero, above, below);
                forms.push((Form::ZeroBlankLines, content, is_determined));
            }
        }
        forms.push((
            Form::LeadingNewline,
            with_blank_lines(&plain, 1, 0),
            are_blank_lines_given(1, 0),
        ));
        forms.push((
            Form::TrailingNewline,
            format!("{plain}\n"),
            are_blank_lines_given(0, 0),
        ));
        forms.push((
            Form::TrailingNewlines,
            with_blank_lines(&plain, 0, 1),
            are_blank_lines_given(0, 1),
        ));
        if is_member {
            forms.push((Form::NoComma, plain.clone(), are_blank_lines_given(0, 0)));
            forms.push((
                Form::Comma,
                format!("{plain},"),
                are_blank_lines_given(0, 0),
            ));
        }
        let flags = [("position", json!(position_name(position)))];
        self.of_node(Tool::InsertNode, chain, forms, &flags)
    }

    fn of_node(
        &self,
        tool: Tool,
        chain: &[Node<'p>],
        forms: Vec<(Form, String, bool)>,
        flags: &[(&str, Value)],
    ) -> Vec<Sample<'p>> {
        let Some(selector) = select::describe(self.before, chain) else {
            return Vec::new();
        };
        let selector = written(&selector).pop().unwrap_or_default();
        let node = chain[chain.len() - 1];
        let sample = |(form, content, determines): (Form, String, bool)| {
            let mut further = flags.to_vec();
            further.push(("new_content", json!(content)));
            Sample {
                tool,
                form,
                determines,
                call: of_node(tool.name(), self.path, &selector, &further),
                target: Target::Nodes(vec![node]),
            }
        };
        forms.into_iter().map(sample).collect()
    }

    /// The content of a span of the wanted text: as in the file; at column 0, and whether that determines the
    /// indentation; and with a bare first line.
    #[expect(clippy::type_complexity, reason = "three forms of one content")]
    fn written(&self, new: Span) -> Option<(String, Option<(String, bool)>, String)> {
        let text = self.wanted.source().text();
        let all = contents(self.wanted, new, self.strings);
        let (_, plain) = all.first()?;
        // How much whitespace a blank line keeps cannot be seen.
        let are_empty = |content: &str| {
            let mut lines = content.lines();
            lines.all(|line| line.is_empty() || !line.trim().is_empty())
        };
        let zero = all.iter().find_map(|(written, content)| {
            let is_determined = match written {
                Written::AtColumnZero => self.is_at_base_or_deeper(new),
                Written::FromMidLine => self.is_column_settled(new, content),
                _ => return None,
            };
            Some((content.clone(), is_determined && are_empty(content)))
        });
        let bare = text[new.range()].to_string();
        Some((plain.clone(), zero, bare))
    }

    /// Whether the later lines of a span of the wanted text show where line 1 belongs: the least indented of them is one
    /// unit deeper than line 1; or it is as deep, and closes what line 1 opens or is next to it.
    fn is_indentation_settled(&self, new: Span) -> bool {
        let text = self.wanted.source().text();
        let margin = self.margin(text, new.start()).len();
        let Some(least) = self.later_indentation(new) else {
            return true;
        };
        match least == margin {
            true => margin == 0 || self.has_level_line(new, margin),
            false => least == margin + unit(self.before.source().text()),
        }
    }

    /// Whether the least indented later line of a span of the wanted text is as deep as line 1, or one unit deeper, which
    /// shows that content at column 0 is.
    fn is_at_base_or_deeper(&self, new: Span) -> bool {
        let margin = self.margin(self.wanted.source().text(), new.start()).len();
        let least = self.later_indentation(new);
        least.is_none_or(|least| {
            least == margin || least == margin + unit(self.before.source().text())
        })
    }

    /// Whether a later line with this indentation closes what an earlier one opens, or is a sibling of line 1. A line
    /// after a colon is inside.
    fn has_level_line(&self, new: Span, margin: usize) -> bool {
        let text = self.wanted.source().text();
        let mut at = new.start();
        let mut last = "";
        let mut is_level = false;
        for (index, line) in text[new.range()].split_inclusive('\n').enumerate() {
            let bare = line.trim();
            let own = line.len() - line.trim_start().len();
            let is_counted =
                index > 0 && !bare.is_empty() && !in_string(self.wanted, at, self.strings);
            if is_counted && own == margin && !last.ends_with(':') {
                let chain = self.wanted.chain(Span::new(at + own, at + own + 1));
                let outermost = chain
                    .windows(2)
                    .find(|pair| pair[1].span().start() == at + own);
                is_level |= outermost.is_none_or(|pair| {
                    pair[0].span().start() < new.start()
                        || chain.last().is_some_and(|leaf| !leaf.is_named())
                });
            }
            if !bare.is_empty() {
                last = bare;
            }
            at += line.len();
        }
        is_level
    }

    /// Whether no later line of a span of the wanted text is less indented than its first line.
    fn is_even(&self, new: Span) -> bool {
        let text = self.wanted.source().text();
        let margin = self.margin(text, new.start()).len();
        let least = self.later_indentation(new);
        least.is_none_or(|least| least >= margin)
    }

    /// Whether a span is a part of a string, where whitespace belongs to the text; also in the strings of an embedded
    /// language.
    fn is_in_string(&self, parsed: &Parsed, span: Span) -> bool {
        let is_string = |kind: &str| {
            self.strings.contains(kind) || kind.starts_with("string") || kind.ends_with("string")
        };
        let chain = parsed.chain(span);
        let mut strings = chain.iter().filter(|node| is_string(node.kind()));
        strings.any(|node| {
            let is_part = ["content", "fragment"]
                .iter()
                .any(|word| node.kind().contains(word));
            is_part || node.span() != span
        })
    }

    /// The same for content at column 0 that starts in the middle of a line.
    fn is_column_settled(&self, new: Span, content: &str) -> bool {
        let text = self.wanted.source().text();
        let later = content
            .lines()
            .skip(1)
            .filter(|line| !line.trim().is_empty());
        let least = later.map(|line| line.len() - line.trim_start().len()).min();
        let (Some(least), Some(own)) = (least, self.later_indentation(new)) else {
            return true;
        };
        let line_start = line_start(text, new.start());
        let ahead = &text[line_start..new.start()];
        let is_list_sign = !ahead.contains(|c: char| c.is_alphanumeric());
        match own - least.min(own) == self.margin(text, new.start()).len() {
            true => self.is_at_base_or_deeper(new),
            false => least == 0 && is_list_sign,
        }
    }

    /// The least indentation of the lines of a span after its first, in characters, without blank lines and lines in
    /// strings.
    fn later_indentation(&self, new: Span) -> Option<usize> {
        let text = self.wanted.source().text();
        let mut at = new.start();
        let mut least: Option<usize> = None;
        for (index, line) in text[new.range()].split_inclusive('\n').enumerate() {
            let is_counted =
                index > 0 && !line.trim().is_empty() && !in_string(self.wanted, at, self.strings);
            if is_counted {
                let own = line.len() - line.trim_start().len();
                least = Some(least.map_or(own, |least| least.min(own)));
            }
            at += line.len();
        }
        least
    }

    fn begins_line(&self, text: &str, offset: usize) -> bool {
        text[line_start(text, offset)..offset].trim().is_empty()
    }

    /// The whitespace that the line of an offset starts with.
    fn margin<'t>(&self, text: &'t str, offset: usize) -> &'t str {
        let line = &text[line_start(text, offset)..];
        let line = line.split('\n').next().unwrap_or_default();
        &line[..line.len() - line.trim_start().len()]
    }

    /// Whether the last node of a chain is in a list, next to a comma. Commas in prose separate nothing.
    fn is_list_member(&self, parsed: &Parsed, chain: &[Node<'p>]) -> bool {
        let [.., parent, node] = chain else {
            return false;
        };
        let is_comma = |child: &Node<'_>| child.kind() == ",";
        let children = parsed.children(*parent);
        let at = children.iter().position(|child| child == node);
        let next_to_comma = at.is_some_and(|at| {
            let before = at.checked_sub(1).and_then(|at| children.get(at));
            before.is_some_and(is_comma) || children.get(at + 1).is_some_and(is_comma)
        });
        next_to_comma && parent.kind() != "inline" && !is_comment(*node)
    }

    /// Whether the list of the last node of a chain has a comma after its last member.
    fn has_trailing_comma(&self, chain: &[Node<'p>]) -> bool {
        let parent = chain[chain.len().saturating_sub(2)];
        let children = self.before.children(parent);
        let last_member = children
            .iter()
            .rposition(|child| child.is_named() && !child.kind().contains("comment"));
        let last_comma = children.iter().rposition(|child| child.kind() == ",");
        last_comma > last_member
    }

    /// The nodes that a span of the wanted text consists of, and those of the same extent.
    fn nodes_of(&self, new: Span) -> Vec<Node<'p>> {
        let mut chain = self.wanted.chain(new);
        let enclosing = chain
            .iter()
            .rposition(|node| trimmed(self.wanted, *node) != new);
        let own = chain.split_off(enclosing.map_or(0, |at| at + 1));
        match (own.is_empty(), chain.last()) {
            (true, Some(parent)) => {
                let children = self.wanted.children(*parent).into_iter();
                let inside = |child: &Node<'_>| {
                    child.is_named() && new.contains(trimmed(self.wanted, *child))
                };
                children.filter(inside).collect()
            }
            _ => own,
        }
    }

    /// Whether nodes next to the place, of the type that is inserted, are separated by blank lines. If there are no two
    /// of them, content of several lines may be.
    fn are_siblings_apart(&self, chain: &[Node<'p>], new: Span) -> bool {
        let text = self.before.source().text();
        let kinds: Vec<&str> = self.nodes_of(new).into_iter().map(Node::kind).collect();
        let parent = chain[chain.len().saturating_sub(2)];
        let children = self.before.children(parent).into_iter();
        let named: Vec<Node<'_>> = children.filter(|child| child.is_named()).collect();
        let is_of_type = |node: &Node<'_>| kinds.contains(&node.kind());
        let has_model = named.windows(2).any(|pair| pair.iter().all(is_of_type));
        let is_tall = self.wanted.source().text()[new.range()].contains('\n');
        let mut pairs = named.windows(2);
        (is_tall && !has_model)
            || pairs.any(|pair| {
                let between =
                    trimmed(self.before, pair[0]).end()..trimmed(self.before, pair[1]).start();
                let is_apart =
                    between.start < between.end && text[between].matches('\n').count() > 1;
                is_apart && pair.iter().any(is_of_type)
            })
    }

    /// Whether only comments are inserted next to a node with comments: then it cannot be seen on which side of those.
    fn is_comment_next_to_comment(&self, place: Span, new: Span) -> bool {
        let nodes = self.nodes_of(new);
        let are_comments = !nodes.is_empty() && nodes.iter().all(|node| is_comment(*node));
        are_comments && !attached(self.before, place).is_empty()
    }

    /// The content of a node together with the comments and attributes that touch it, and whether the old ones are of
    /// the same types.
    fn with_attached(
        &self,
        chain: &[Node<'p>],
        new: Span,
        include_attached: bool,
    ) -> Option<(String, bool)> {
        let text = self.wanted.source().text();
        let node = *chain.last()?;
        if is_attached(node) {
            return None;
        }
        let old = attached(self.before, trimmed(self.before, node));
        // With `include_attached` the span starts with them.
        let inner = self.wanted.chain(new);
        let own = match include_attached {
            true => {
                let parent = *inner.last()?;
                let children = self.wanted.children(parent).into_iter();
                children
                    .filter(|child| new.contains(child.span()) && is_attached(*child))
                    .collect()
            }
            false => attached(self.wanted, new),
        };
        let start = trimmed(self.wanted, *own.first()?).start().min(new.start());
        let kinds = |nodes: &[Node<'_>]| -> HashSet<String> {
            nodes.iter().map(|node| node.kind().to_string()).collect()
        };
        let is_determined = kinds(&old).is_subset(&kinds(&own));
        let ahead = &text[line_start(text, start)..start];
        let ahead = if ahead.trim().is_empty() { ahead } else { "" };
        Some((format!("{ahead}{}", &text[start..new.end()]), is_determined))
    }

    /// The forms of a text that is found and replaced.
    fn texts(&self) -> Vec<Sample<'p>> {
        let wanted = self.wanted.source().text();
        let mut samples = Vec::new();
        for edit in text_edits(self.before, wanted, self.hunk) {
            match edit.way {
                Way::Lines => samples.extend(self.lines(&edit)),
                Way::Marked if !edit.is_short => {
                    let is_settled = self.is_marked_settled(&edit);
                    samples.push(self.of_text(Form::Markers, &edit, is_settled));
                }
                Way::Point if !edit.is_short => {
                    let is_settled = self.is_marked_settled(&edit);
                    samples.push(self.of_text(Form::MarkedPoint, &edit, is_settled));
                }
                _ => {}
            }
        }
        samples
    }

    /// Whether the indentation of content between two markers is given: its whitespace is kept if the marked text starts
    /// or ends with some; else its later lines show where the first belongs.
    fn is_marked_settled(&self, edit: &TextEdit) -> bool {
        let old = &self.before.source().text()[edit.target.range()];
        let start = edit.target.start();
        let new = Span::new(start, start + edit.new_content.len());
        old.trim().len() < old.len() || self.is_indentation_settled(new)
    }

    fn of_text(&self, form: Form, edit: &TextEdit, determines: bool) -> Sample<'p> {
        self.text_sample(
            form,
            (&edit.find, &edit.new_content),
            edit.target,
            determines,
        )
    }

    fn text_sample(
        &self,
        form: Form,
        (find, content): (&str, &str),
        target: Span,
        determines: bool,
    ) -> Sample<'p> {
        let arguments = json!({"file_path": self.path, "find": find, "new_content": content});
        Sample {
            tool: Tool::ReplaceText,
            form,
            determines,
            call: Call {
                tool: Tool::ReplaceText.name(),
                arguments,
            },
            target: Target::Text(target),
        }
    }

    /// The forms of whole lines.
    fn lines(&self, edit: &TextEdit) -> Vec<Sample<'p>> {
        let (old, wanted) = (self.before.source().text(), self.wanted.source().text());
        let lines = edit.start..edit.start + edit.find.len();
        let (find, content) = (edit.find.as_str(), edit.new_content.as_str());
        let mut samples = Vec::new();
        if !content.is_empty() {
            let margin = self.margin(find, 0);
            let is_same = margin == self.margin(content, 0);
            let mut add = |form, find: &str, content: &str, determines| {
                samples.push(self.text_sample(form, (find, content), edit.target, determines));
            };
            add(Form::AsInFile, find, content, is_same);
            let new = Span::new(edit.start, edit.start + content.len());
            let first = edit.start + (content.len() - content.trim_start().len());
            let own = Span::new(first, new.end());
            let is_settled = is_same && self.is_indentation_settled(own);
            let is_zero_settled = is_same && self.is_at_base_or_deeper(own);
            let zero = at_column_zero(self.wanted, edit.start, content, self.strings);
            let dedented = dedented(find, margin);
            if let (Some((_, zero)), Some(find)) = (zero, dedented) {
                add(Form::ColumnZero, &find, &zero, is_zero_settled);
            }
            if !margin.is_empty() && content.contains('\n') {
                let (find, content) = (find.trim_start(), content.trim_start());
                add(Form::FirstLineBare, find, content, is_settled);
            }
            let ending = self.before.source().line_ending_at(edit.start);
            let with = |text: &str| (format!("{ending}{text}"), format!("{text}{ending}"));
            let (leading, trailing) = (with(find), with(content));
            add(Form::LeadingNewline, &leading.0, &trailing.0, is_same);
            add(Form::TrailingNewline, &leading.1, &trailing.1, is_same);
            let is_code = is_same && !self.is_in_string(self.before, edit.target);
            add(Form::ContentNewline, find, &trailing.1, is_code);
        }
        let before = old[..lines.start].trim_end();
        let above = match before.is_empty() {
            true => None,
            false => Some(line_start(old, before.len())),
        };
        let after = &old[lines.end..];
        let below = match after.trim().is_empty() {
            true => None,
            false => {
                let text = lines.end + (after.len() - after.trim_start().len());
                Some(old[text..].find('\n').map_or(old.len(), |at| text + at))
            }
        };
        let wider = [
            (Form::LineBefore, above, Some(lines.end)),
            (Form::LineAfter, Some(lines.start), below),
            (Form::BothLines, above, below),
        ];
        for (form, start, end) in wider {
            let (Some(start), Some(mut end)) = (start, end) else {
                continue;
            };
            // A newline that both texts end with is left out.
            while let Some(shorter) = newline_before(old, end).filter(|shorter| {
                *shorter > start && replaced(old, wanted, start..end).ends_with('\n')
            }) {
                end = shorter;
            }
            let content = replaced(old, wanted, start..end);
            let find = &old[start..end];
            let target = trimmed_range(old, start..end);
            let is_blank = find.trim().is_empty() || content.trim().is_empty();
            // One newline at the end only ends the content.
            let is_determined = find.ends_with('\n') || !content.ends_with('\n');
            if !is_blank && self.selects(find, target) {
                samples.push(self.text_sample(form, (find, &content), target, is_determined));
            }
        }
        samples
    }

    /// The change with the whitespace around it between two markers.
    pub(super) fn marked_whitespace(&self) -> Option<Sample<'p>> {
        let (old, wanted) = (self.before.source().text(), self.wanted.source().text());
        let (changed, _) = difference(old, wanted);
        let start = old[..changed.start()].trim_end().len();
        let after = &old[changed.end()..];
        let end = changed.end() + (after.len() - after.trim_start().len());
        let content = replaced(old, wanted, start..end);
        let bounds = token_bounds(old);
        let first = bounds.partition_point(|bound| *bound < start);
        let last = bounds.partition_point(|bound| *bound < end);
        let target = Span::new(start, end);
        for count in 1..TOKENS {
            let from = bounds[first.saturating_sub(count)];
            let to = *bounds.get(last + count).unwrap_or(&old.len());
            let parts = [&old[from..start], &old[start..end], &old[end..to]];
            let is_found = !parts.iter().any(|part| part.contains("<|>"))
                && parts[0].trim_start() == parts[0]
                && parts[2].trim_end() == parts[2]
                && is_unique(old, &old[from..to]);
            let find = parts.join("<|>");
            if is_found && self.selects(&find, target) {
                let form = Form::MarkedWhitespace;
                return Some(self.text_sample(form, (&find, &content), target, true));
            }
        }
        None
    }

    /// Whether a find selects just this text.
    fn selects(&self, find: &str, target: Span) -> bool {
        let selector = Selector {
            anchor: Anchor::Part(find.to_string()),
            ..Selector::part(find)
        };
        let selected = select::select(self.before, &selector);
        selected.is_ok_and(|selection| selection.span() == target)
    }
}

/// The comments and attributes before a node that touch it.
fn attached(parsed: &Parsed, span: Span) -> Vec<Node<'_>> {
    let text = parsed.source().text();
    let chain = parsed.chain(span);
    let Some(at) = chain.iter().position(|node| trimmed(parsed, *node) == span) else {
        return Vec::new();
    };
    let Some(parent) = at.checked_sub(1).map(|at| chain[at]) else {
        return Vec::new();
    };
    let children = parsed.children(parent).into_iter();
    let named: Vec<Node<'_>> = children.filter(|child| child.is_named()).collect();
    let own = named.partition_point(|child| trimmed(parsed, *child).start() < span.start());
    let mut found = Vec::new();
    let mut next = span.start();
    for node in named[..own].iter().rev() {
        let before = trimmed(parsed, *node);
        let begins_line = text[line_start(text, before.start())..before.start()]
            .trim()
            .is_empty();
        let touches = before.end() <= next
            && text[before.end()..next].trim().is_empty()
            && text[before.end()..next].matches('\n').count() <= 1;
        if !is_attached(*node) || !touches || !begins_line {
            break;
        }
        next = before.start();
        found.insert(0, *node);
    }
    found
}

/// The lines of a text without `margin`; nothing if a line has less.
pub(super) fn dedented(text: &str, margin: &str) -> Option<String> {
    let lines = text.split_inclusive('\n').map(|line| match line.trim() {
        "" => Some(line),
        _ => line.strip_prefix(margin),
    });
    lines.collect()
}

/// How many characters one unit of indentation has in a text: the most frequent step from a line to a deeper one.
fn unit(text: &str) -> usize {
    let mut steps: Vec<usize> = vec![0; 17];
    let mut last = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let own = line.len() - line.trim_start().len();
        if let Some(step) = own.checked_sub(last)
            && let Some(count) = steps.get_mut(step)
            && step > 0
        {
            *count += 1;
        }
        last = own;
    }
    let most = steps.iter().copied().max().unwrap_or(0);
    match most {
        0 => 4,
        most => steps.iter().position(|count| *count == most).unwrap_or(4),
    }
}

/// By name how many elements a part of an HTML text opens more than it closes, without those whose end tag may be missing.
fn open_tags(text: &str) -> BTreeMap<String, isize> {
    const UNCLOSED: [&str; 19] = [
        "br", "hr", "img", "input", "meta", "link", "area", "base", "col", "p", "li", "dt", "dd",
        "td", "th", "tr", "thead", "tbody", "option",
    ];
    let mut open: BTreeMap<String, isize> = BTreeMap::new();
    for tag in text.split('<').skip(1) {
        let (step, name) = match tag.strip_prefix('/') {
            Some(name) => (-1, name),
            None => (1, tag),
        };
        let end = name.find(|c: char| !c.is_alphanumeric());
        let name = name[..end.unwrap_or(name.len())].to_lowercase();
        if !name.is_empty() && !UNCLOSED.contains(&name.as_str()) {
            *open.entry(name).or_default() += step;
        }
    }
    open.retain(|_, count| *count != 0);
    open
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Where the newline starts that ends at an offset.
fn newline_before(text: &str, end: usize) -> Option<usize> {
    let text = &text[..end];
    let text = text.strip_suffix('\n')?;
    Some(text.strip_suffix('\r').unwrap_or(text).len())
}

/// A range of a text without the whitespace at its ends.
fn trimmed_range(text: &str, range: Range<usize>) -> Span {
    let own = &text[range.clone()];
    let start = range.start + (own.len() - own.trim_start().len());
    Span::new(start, start.max(range.start + own.trim_end().len()))
}
