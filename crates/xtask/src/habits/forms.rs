//! Turns a hunk into calls, one for each form in which agents write the content.
//!
//! A form determines the result if only the bytes of the commit can be meant by it. For the others, for instance content
//! that omits the blank lines of the commit, another result may be as right. The conditions are:
//!
//! - The first line of replaced lines keeps its indentation. No later line of a node is less indented than its first.
//! - With content at column 0, with a bare first line and between markers, a later line shows the depth: the least indented
//!   one is as deep as the first line or one unit deeper.
//! - An insertion asks for the blank lines and the trailing comma of the commit.

use std::ops::Range;

use serde_json::{Value, json};
use treegraft::edit::InsertPosition;
use treegraft::parse::{Node, Parsed};
use treegraft::select;
use treegraft::source::Span;

use crate::change::content::{
    Content, at_column_zero, in_string, with_blank_lines, with_semicolon,
};
use crate::change::finds::{TextEdit, Way, text_edits};
use crate::change::nodes::{HunkOperation, interpret, is_comment, touch, trimmed};
use crate::change::{Call, Site, position_name, selector_argument};
use crate::text::{
    blank_lines, dedented, difference, indentation, is_unique, line_start, margin, replaced,
    token_bounds, trimmed_range,
};

/// The size, in lines, of the largest symbol that is replaced as a whole.
const LARGEST: usize = 60;
/// How many tokens are taken on each side of a marked text, at most.
const TOKENS: usize = 80;

pub(super) const AS_IN_FILE: &str = "as in the file";
pub(super) const COLUMN_ZERO: &str = "at column 0";
pub(super) const FIRST_LINE_BARE: &str = "first line bare, the rest as in the file";
const LEADING_NEWLINE: &str = "with a leading newline";
const TRAILING_NEWLINE: &str = "with a trailing newline";
pub(super) const BLANK_LINES: &str = "with its blank lines";
const COMMA: &str = "list member with a comma";
pub(super) const LINE_BEFORE: &str = "with the line before";
pub(super) const LINE_AFTER: &str = "with the line after";
pub(super) const BOTH_LINES: &str = "with the line before and the line after";
const MARKERS: &str = "between two markers";
pub(super) const MARKED_WHITESPACE: &str = "between two markers, with whitespace";
const MARKED_POINT: &str = "at two adjacent markers";

/// A call with content in one form.
pub(super) struct Sample {
    pub(super) form: &'static str,
    /// Whether the form determines the result.
    pub(super) determines: bool,
    pub(super) call: Call,
}

/// A form, the content, and whether it determines the result.
type Form = (&'static str, String, bool);

/// Returns the calls for a hunk.
///
/// # Errors
/// Returns the reason why the hunk cannot be made alone.
pub(super) fn samples(site: &Site<'_>) -> Result<Vec<Sample>, &'static str> {
    let mut samples = Vec::new();
    if site.hunk.is_large() {
        return Err("more than 60 lines on one side");
    }
    if site.before.source().language().name == "html" {
        return Err("HTML, whose grammar shows no unpaired elements");
    }
    if !site.hunk.is_blank(site.old_text()) {
        let mut replaced_nodes: Vec<Node<'_>> = Vec::new();
        for operation in interpret(site)?.into_iter().chain(enclosing_symbol(site)) {
            match operation {
                HunkOperation::Replace {
                    chain,
                    new,
                    include_attached,
                } if !replaced_nodes.contains(&chain[chain.len() - 1]) => {
                    replaced_nodes.push(chain[chain.len() - 1]);
                    samples.extend(replacements(site, &chain, new, include_attached));
                }
                HunkOperation::Insert {
                    chain,
                    position,
                    new,
                } => samples.extend(insertions(site, &chain, position, new)),
                _ => {}
            }
        }
        samples.extend(texts(site));
    }
    if let Some((find, content, _)) = marked_whitespace(site) {
        samples.push(of_text(site, MARKED_WHITESPACE, &find, &content, true));
    }
    Ok(samples)
}

/// Returns the smallest symbol that encloses the change, as a node that is replaced.
fn enclosing_symbol<'p>(site: &Site<'p>) -> Option<HunkOperation<'p>> {
    let (old, wanted) = (site.old_text(), site.new_text());
    let (changed, _) = difference(old, wanted);
    let symbols = site.before.outline().symbols().iter();
    let spans = symbols.map(|symbol| symbol.node_span).filter(|span| {
        let lines = old[span.range()].matches('\n').count();
        span.start() < changed.start() && changed.end() < span.end() && lines < LARGEST
    });
    let span = spans.min_by_key(|span| span.len())?;
    let chain = site.before.chain(span);
    let node = *chain.last()?;
    let new = Span::new(span.start(), wanted.len() - (old.len() - span.end()));
    let other = *site.wanted.chain(new).last()?;
    let is_same = node.span() == span && other.span() == new && node.kind() == other.kind();
    (is_same && chain.len() > 1).then_some(HunkOperation::Replace {
        chain,
        new,
        include_attached: false,
    })
}

/// Returns the forms of content that replaces a node.
fn replacements(
    site: &Site<'_>,
    chain: &[Node<'_>],
    new: Span,
    include_attached: bool,
) -> Vec<Sample> {
    let text = site.new_text();
    let own = Content::from_span(site.wanted, new, site.strings);
    let (plain, bare) = (&own.plain, &text[new.range()]);
    let gaps = Gaps::around(text, new.range());
    let is_string = is_in_string(site, new);
    let keeps = !drops_comment(site, chain, new);
    let is_even = keeps
        && match own.begins_line {
            true => is_even(site, new),
            // Content that starts within a line has no indentation to show.
            false => is_at_base_or_deeper(site, new),
        };
    let is_code = is_even && !is_string;
    let is_above_given = !own.begins_line || gaps.above > 0 || gaps.is_first;
    let mut forms = vec![
        (AS_IN_FILE, plain.clone(), is_even),
        (
            LEADING_NEWLINE,
            format!("\n{plain}"),
            is_code && is_above_given,
        ),
        (TRAILING_NEWLINE, format!("{plain}\n"), is_code),
    ];
    if let Some(zero) = &own.zero {
        let is_settled = is_zero_settled(site, new, &own, zero) && keeps && !is_string;
        forms.push((COLUMN_ZERO, zero.clone(), is_settled));
    }
    if bare != plain && bare.contains('\n') {
        let is_settled = is_at_base_or_deeper(site, new) && keeps && !is_string;
        forms.push((FIRST_LINE_BARE, bare.to_string(), is_settled));
    }
    if is_list_member(site.before, chain) {
        forms.push((COMMA, format!("{plain},"), is_even));
    }
    let flag = include_attached.then(|| ("include_attached", json!(true)));
    of_node(site, "replace_node", chain, forms, flag)
}

/// Returns the forms of content that is inserted next to a node, or into it.
fn insertions(
    site: &Site<'_>,
    chain: &[Node<'_>],
    position: InsertPosition,
    new: Span,
) -> Vec<Sample> {
    let (old, text) = (site.old_text(), site.new_text());
    let new = with_semicolon(text, new);
    let own = Content::from_span(site.wanted, new, site.strings);
    let (plain, bare) = (&own.plain, &text[new.range()]);
    let place = trimmed(site.before, chain[chain.len() - 1]);
    let gaps = Gaps::around(text, new.range());
    let (is_inside, kept) = match position {
        InsertPosition::Before => (false, Gaps::around(old, place.range()).above),
        InsertPosition::After => (false, Gaps::around(old, place.range()).below),
        InsertPosition::FirstChild | InsertPosition::LastChild => (true, 0),
    };
    let nodes = nodes_of(site, new);
    let ends_with_comment = nodes.last().is_some_and(|node| is_comment(*node));
    let is_member = !is_inside && !ends_with_comment && is_list_member(site.before, chain);
    let has_comma = text[new.end()..].starts_with(',');
    // On which side of other comments a comment belongs is not given.
    let are_comments = !nodes.is_empty() && nodes.iter().all(|node| is_comment(*node));
    let is_settled = gaps.are_empty
        && (!is_member || !gaps.is_last || has_comma == has_trailing_comma(site.before, chain))
        && !are_comments
        && (is_inside || margin(old, place.start()) == margin(text, new.start()))
        && is_even(site, new);
    let is_apart = are_siblings_apart(site, chain, new);
    let is_side_given = |given: usize, wanted: usize, is_edge: bool| match is_edge {
        true => wanted == 0,
        false => wanted == given && wanted >= kept && (wanted > 0 || !is_apart),
    };
    let are_given = |above: usize, below: usize| {
        is_settled
            && is_side_given(above, gaps.above, gaps.is_first)
            && is_side_given(below, gaps.below, gaps.is_last)
    };
    let mut forms = vec![
        (AS_IN_FILE, plain.clone(), are_given(0, 0)),
        (LEADING_NEWLINE, format!("\n{plain}"), are_given(1, 0)),
        (TRAILING_NEWLINE, format!("{plain}\n"), are_given(0, 0)),
    ];
    let (above, below) = (gaps.above, gaps.below);
    if above + below > 0 {
        let content = with_blank_lines(plain, above, below);
        forms.push((BLANK_LINES, content, are_given(above, below)));
    }
    if let Some(zero) = &own.zero {
        let is_determined = is_zero_settled(site, new, &own, zero);
        forms.push((COLUMN_ZERO, zero.clone(), is_determined && are_given(0, 0)));
    }
    if bare != plain && bare.contains('\n') {
        let is_determined = is_at_base_or_deeper(site, new) && are_given(0, 0);
        forms.push((FIRST_LINE_BARE, bare.to_string(), is_determined));
    }
    if is_member {
        forms.push((COMMA, format!("{plain},"), are_given(0, 0)));
    }
    let flag = Some(("position", json!(position_name(position))));
    of_node(site, "insert_node", chain, forms, flag)
}

/// Returns the calls of a tool with the last node of a chain, one for each form.
fn of_node(
    site: &Site<'_>,
    tool: &'static str,
    chain: &[Node<'_>],
    forms: Vec<Form>,
    flag: Option<(&str, Value)>,
) -> Vec<Sample> {
    let Some(selector) = select::describe(site.before, chain) else {
        return Vec::new();
    };
    let mut arguments = json!({"file_path": site.path, "selector": selector_argument(&selector)});
    if let Some((name, value)) = flag {
        arguments[name] = value;
    }
    let sample = |(form, content, determines): Form| {
        let mut arguments = arguments.clone();
        arguments["new_content"] = json!(content);
        Sample {
            form,
            determines,
            call: Call { tool, arguments },
        }
    };
    forms.into_iter().map(sample).collect()
}

fn of_text(
    site: &Site<'_>,
    form: &'static str,
    find: &str,
    content: &str,
    determines: bool,
) -> Sample {
    Sample {
        form,
        determines,
        call: Call::of_text(site.path, find, content),
    }
}

/// Returns the forms of a text that is found and replaced.
fn texts(site: &Site<'_>) -> Vec<Sample> {
    let mut samples = Vec::new();
    for edit in text_edits(site) {
        let form = match edit.way {
            Way::Lines => {
                samples.extend(lines(site, &edit));
                continue;
            }
            Way::Marked => MARKERS,
            Way::Point => MARKED_POINT,
            Way::Elided | Way::Tokens => continue,
        };
        samples.push(of_text(site, form, &edit.find, &edit.new_content, true));
    }
    samples
}

/// Returns the forms of whole lines.
fn lines(site: &Site<'_>, edit: &TextEdit) -> Vec<Sample> {
    let (find, content) = (edit.find.as_str(), edit.new_content.as_str());
    let mut samples = lines_of_context(site, edit.start..edit.start + find.len());
    if content.is_empty() {
        return samples;
    }
    let keeps_margin = indentation(find) == indentation(content);
    let mut add = |form, find: &str, content: &str, is_settled: bool| {
        samples.push(of_text(site, form, find, content, is_settled));
    };
    add(AS_IN_FILE, find, content, true);
    let new = Span::new(edit.start, edit.start + content.len());
    let own = trimmed_range(site.new_text(), new.range());
    let zero = at_column_zero(site.wanted, new, site.strings).filter(|zero| zero != content);
    if let (Some(zero), Some(find)) = (zero, dedented(find, indentation(find))) {
        let is_settled = keeps_margin && is_at_base_or_deeper(site, own);
        add(COLUMN_ZERO, &find, &zero, is_settled);
    }
    if !indentation(find).is_empty() && content.contains('\n') {
        let is_settled = keeps_margin && is_at_base_or_deeper(site, own);
        let [find, content] = [find, content].map(str::trim_start);
        add(FIRST_LINE_BARE, find, content, is_settled);
    }
    let ending = site.before.source().line_ending_at(edit.start);
    let leading = [find, content].map(|text| format!("{ending}{text}"));
    add(LEADING_NEWLINE, &leading[0], &leading[1], true);
    let trailing = [find, content].map(|text| format!("{text}{ending}"));
    add(TRAILING_NEWLINE, &trailing[0], &trailing[1], true);
    samples
}

/// Returns the forms of some lines with the nearest lines that are not blank.
fn lines_of_context(site: &Site<'_>, lines: Range<usize>) -> Vec<Sample> {
    let (old, wanted) = (site.old_text(), site.new_text());
    let before = old[..lines.start].trim_end();
    let above = (!before.is_empty()).then(|| line_start(old, before.len()));
    let after = &old[lines.end..];
    let below = (!after.trim().is_empty()).then(|| {
        let text = lines.end + (after.len() - after.trim_start().len());
        old[text..].find('\n').map_or(old.len(), |at| text + at)
    });
    let wider = [
        (LINE_BEFORE, above, Some(lines.end)),
        (LINE_AFTER, Some(lines.start), below),
        (BOTH_LINES, above, below),
    ];
    let mut samples = Vec::new();
    for (form, start, end) in wider {
        let (Some(start), Some(mut end)) = (start, end) else {
            continue;
        };
        // A newline that both texts end with is left out.
        while let Some(shorter) = old[start..end].strip_suffix('\n')
            && !shorter.is_empty()
            && replaced(old, wanted, start..end).ends_with('\n')
        {
            end = start + shorter.strip_suffix('\r').unwrap_or(shorter).len();
        }
        let (find, content) = (&old[start..end], replaced(old, wanted, start..end));
        let is_blank = find.trim().is_empty() || content.trim().is_empty();
        if !is_blank && site.selects(find, trimmed_range(old, start..end)) {
            samples.push(of_text(site, form, find, &content, true));
        }
    }
    samples
}

/// Returns the change with the whitespace around it between two markers: the find, the content and the marked text.
pub(crate) fn marked_whitespace(site: &Site<'_>) -> Option<(String, String, Span)> {
    let old = site.old_text();
    let (changed, _) = difference(old, site.new_text());
    let start = old[..changed.start()].trim_end().len();
    let after = &old[changed.end()..];
    let end = changed.end() + (after.len() - after.trim_start().len());
    let content = replaced(old, site.new_text(), start..end);
    let bounds = token_bounds(old);
    let first = bounds.partition_point(|bound| *bound < start);
    let last = bounds.partition_point(|bound| *bound < end);
    let target = Span::new(start, end);
    (1..TOKENS).find_map(|count| {
        let from = bounds[first.saturating_sub(count)];
        let to = *bounds.get(last + count).unwrap_or(&old.len());
        let parts = [&old[from..start], &old[start..end], &old[end..to]];
        let find = parts.join("<|>");
        let is_found = !parts.iter().any(|part| part.contains("<|>"))
            && parts[0].trim_start() == parts[0]
            && parts[2].trim_end() == parts[2]
            && is_unique(old, &old[from..to])
            && site.selects(&find, target);
        is_found.then(|| (find, content.clone(), target))
    })
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
    fn around(text: &str, span: Range<usize>) -> Gaps {
        let (before, after) = (&text[..span.start], &text[span.end..]);
        let after = after.trim_start_matches([',', ';']);
        let above = &before[before.trim_end().len()..];
        let below = &after[..after.len() - after.trim_start().len()];
        let is_empty = |space: &str| {
            let mut inner = space.split('\n').skip(1).take(blank_lines(space));
            inner.all(|line| line.trim_end_matches('\r').is_empty())
        };
        let opens = |c: char| matches!(c, '{' | '[' | '(' | ':');
        let closes = |c: char| matches!(c, '}' | ']' | ')');
        Gaps {
            above: blank_lines(above),
            below: blank_lines(below),
            is_first: before.trim_end().chars().next_back().is_none_or(opens),
            is_last: after.trim_start().chars().next().is_none_or(closes),
            are_empty: is_empty(above) && is_empty(below),
        }
    }
}

/// Returns the least indentation of the later lines of a span of the wanted text, without blank lines and lines in strings.
fn later_indentation(site: &Site<'_>, new: Span) -> Option<usize> {
    let mut at = new.start();
    let mut least = None;
    for line in site.new_text()[new.range()].split_inclusive('\n') {
        let is_counted = !line.trim().is_empty() && !in_string(site.wanted, at, site.strings);
        if at > new.start() && is_counted {
            let own = indentation(line).len();
            least = Some(least.map_or(own, |least: usize| least.min(own)));
        }
        at += line.len();
    }
    least
}

/// Returns the indentation of the line in which a span of the wanted text starts.
fn base(site: &Site<'_>, new: Span) -> usize {
    margin(site.new_text(), new.start()).len()
}

/// Returns whether no later line of a span of the wanted text is less indented than its first line.
fn is_even(site: &Site<'_>, new: Span) -> bool {
    later_indentation(site, new).is_none_or(|least| least >= base(site, new))
}

/// Returns whether the least indented later line is as deep as line 1, or one unit deeper, which shows how deep line 1 is.
fn is_at_base_or_deeper(site: &Site<'_>, new: Span) -> bool {
    let base = base(site, new);
    let least = later_indentation(site, new);
    least.is_none_or(|least| least == base || least == base + unit(site.old_text()))
}

/// Returns whether content at column 0 shows its depth. How much whitespace a blank line keeps cannot be seen, nor how deep
/// content that starts within a line is.
fn is_zero_settled(site: &Site<'_>, new: Span, own: &Content, zero: &str) -> bool {
    let mut lines = zero.lines();
    own.begins_line
        && lines.all(|line| line.is_empty() || !line.trim().is_empty())
        && is_at_base_or_deeper(site, new)
}

/// Returns how many characters one unit of indentation has in a text: the most frequent step from a line to a deeper one.
fn unit(text: &str) -> usize {
    let mut steps = [0; 17];
    let mut last = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let own = indentation(line).len();
        if own > last && own - last < steps.len() {
            steps[own - last] += 1;
        }
        last = own;
    }
    match steps.iter().max() {
        None | Some(0) => 4,
        Some(most) => steps.iter().position(|count| count == most).unwrap_or(4),
    }
}

/// Returns whether a span of the wanted text is a part of a string, where whitespace belongs to the text; also in the strings
/// of an embedded language.
fn is_in_string(site: &Site<'_>, span: Span) -> bool {
    site.wanted.chain(span).iter().any(|node| {
        let kind = node.kind();
        let is_part = kind.contains("content") || kind.contains("fragment");
        let is_string = site.strings.contains(kind) || kind.contains("string");
        is_string && (is_part || node.span() != span)
    })
}

/// Returns whether a replaced node starts with a comment and the new one does not. treegraft keeps that comment.
fn drops_comment(site: &Site<'_>, chain: &[Node<'_>], new: Span) -> bool {
    let begins = |parsed: &Parsed, span: Span| {
        let first = Span::new(span.start(), (span.start() + 1).min(span.end()));
        let mut chain = parsed.chain(first).into_iter();
        chain.any(|node| is_comment(node) && node.span().start() >= span.start())
    };
    let old = chain.last().map(|node| trimmed(site.before, *node));
    old.is_some_and(|old| begins(site.before, old)) && !begins(site.wanted, new)
}

/// Returns whether the last node of a chain is in a list, next to a comma. Commas in prose separate nothing.
fn is_list_member(parsed: &Parsed, chain: &[Node<'_>]) -> bool {
    let [.., parent, node] = chain else {
        return false;
    };
    let children = parsed.children(*parent);
    let is_pair = |pair: &[Node<'_>]| {
        let is_comma = |child: &Node<'_>| child.kind() == ",";
        pair.contains(node) && pair.iter().any(is_comma)
    };
    children.windows(2).any(is_pair) && parent.kind() != "inline" && !is_comment(*node)
}

/// Returns whether the list of the last node of a chain has a comma after its last member.
fn has_trailing_comma(parsed: &Parsed, chain: &[Node<'_>]) -> bool {
    let children = parsed.children(chain[chain.len().saturating_sub(2)]);
    let is_member = |child: &Node<'_>| child.is_named() && !is_comment(*child);
    let last_comma = children.iter().rposition(|child| child.kind() == ",");
    last_comma > children.iter().rposition(is_member)
}

/// Returns the nodes that a span of the wanted text consists of, and those of the same extent.
fn nodes_of<'p>(site: &Site<'p>, new: Span) -> Vec<Node<'p>> {
    let mut chain = site.wanted.chain(new);
    let is_other = |node: &Node<'_>| trimmed(site.wanted, *node) != new;
    let enclosing = chain.iter().rposition(is_other);
    let own = chain.split_off(enclosing.map_or(0, |at| at + 1));
    if !own.is_empty() {
        return own;
    }
    let parent = chain.last().copied().unwrap_or(site.wanted.root());
    let children = site.wanted.children(parent).into_iter();
    let is_inside =
        |child: &Node<'_>| child.is_named() && new.contains(trimmed(site.wanted, *child));
    children.filter(is_inside).collect()
}

/// Returns whether nodes next to the place, of the type that is inserted, are separated by blank lines. If there are no two
/// of them, content of several lines may be.
fn are_siblings_apart(site: &Site<'_>, chain: &[Node<'_>], new: Span) -> bool {
    let nodes = nodes_of(site, new);
    let is_of_type = |node: &Node<'_>| nodes.iter().any(|own| own.kind() == node.kind());
    let parent = chain[chain.len().saturating_sub(2)];
    let children = site.before.children(parent).into_iter();
    let named: Vec<Node<'_>> = children.filter(|child| child.is_named()).collect();
    let has_model = named.windows(2).any(|pair| pair.iter().all(is_of_type));
    let is_tall = site.new_text()[new.range()].contains('\n');
    let mut pairs = named.windows(2);
    (is_tall && !has_model)
        || pairs.any(|pair| !touch(site.before, pair[0], pair[1]) && pair.iter().any(is_of_type))
}
