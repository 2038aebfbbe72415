//! Reads and validates YAML with the saphyr parser.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::{Data, GroupKind, StrictProblem, StrictReading, Value, hash};

/// Reads and validates YAML. The saphyr parser reads events one by one and limits the depth of flow
/// collections.
pub(in crate::language) fn read_yaml(text: &str) -> StrictReading {
    let bare = text.trim_start_matches('\u{feff}');
    let base = text.len() - bare.len();
    // The parser counts characters.
    let starts = bare.char_indices().map(|(start, _)| start);
    let starts: Option<Vec<usize>> = (!bare.is_ascii()).then(|| starts.collect());
    let byte = |index: usize| match &starts {
        Some(starts) => base + starts.get(index).copied().unwrap_or(bare.len()),
        None => base + index.min(bare.len()),
    };
    let mut reader = YamlReader {
        ends_bare: !text.ends_with(['\n', '\r']),
        last: text.trim_end().len(),
        ..YamlReader::default()
    };
    for event in Parser::new_from_str(bare) {
        let (event, at) = match event {
            Ok(event) => event,
            Err(error) => {
                let offset = byte(error.marker().index());
                return StrictReading::refused(text, offset, error.info());
            }
        };
        let start = byte(at.start.index());
        let span = start..byte(at.end.index()).max(start);
        match event {
            Event::DocumentStart(_) => reader.begin(GroupKind::Document, None),
            Event::SequenceStart(anchor, _) => {
                reader.anchor(anchor, span.start);
                reader.begin(GroupKind::Sequence, None);
            }
            Event::MappingStart(anchor, _) => {
                reader.anchor(anchor, span.start);
                reader.begin(GroupKind::Mapping, Some(HashSet::new()));
            }
            Event::DocumentEnd | Event::SequenceEnd | Event::MappingEnd => {
                reader.open.pop();
            }
            Event::Alias(anchor) => reader.value(span, "*", "", Some(anchor)),
            Event::Scalar(value, style, anchor, tag) => {
                reader.anchor(anchor, span.start);
                // The parser may report an empty value at the next sign.
                let is_nothing = value.is_empty() && style == ScalarStyle::Plain;
                let span = match style {
                    ScalarStyle::Literal | ScalarStyle::Folded => {
                        start_of_block(text, start)..span.end
                    }
                    _ if is_nothing => start..start,
                    _ => span,
                };
                let tag = tag.map(|tag| tag.to_string()).unwrap_or_default();
                reader.value(span, &value, &tag, None);
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd => {}
        }
    }
    let problem = reader.problem.map(|(message, offset)| StrictProblem {
        message: message.to_string(),
        offset,
    });
    StrictReading {
        data: Some(reader.data),
        problem,
    }
}

/// Returns where the sign of a block scalar (`|`, `>`, YAML 1.2.2 section 8.1) is if the parser reports that its first
/// line starts at `start`, which may be after the line of the sign.
fn start_of_block(text: &str, start: usize) -> usize {
    let is_header = |line: &str| {
        let rest = line[1..].trim_start_matches(|c: char| "+-".contains(c) || c.is_ascii_digit());
        let bare = rest.trim_start();
        bare.is_empty() || (bare.starts_with('#') && bare.len() < rest.len())
    };
    // Blank lines may separate the two.
    let ahead = text[..start].trim_end();
    let line = ahead.rfind('\n').map_or(0, |line_break| line_break + 1);
    let mut signs = ahead[line..].match_indices(['|', '>']);
    let sign = signs.find(|(at, _)| is_header(&ahead[line + at..]));
    match text[start..].starts_with(['|', '>']) {
        true => start,
        false => sign.map_or(start, |(at, _)| line + at),
    }
}

/// Reads the events of a YAML text.
#[derive(Default)]
struct YamlReader {
    data: Data,
    open: Vec<OpenCollection>,
    /// Where each anchor is.
    anchors: HashMap<usize, usize>,
    /// The first key that most parsers refuse: it is in its mapping already, or it is empty.
    problem: Option<(&'static str, usize)>,
    /// Whether the text ends without a line break, and where its last value ends.
    ends_bare: bool,
    last: usize,
}

struct OpenCollection {
    group: usize,
    /// The keys of a mapping so far.
    keys: Option<HashSet<u64>>,
    /// The pair of a mapping whose value is next.
    pair: Option<usize>,
}

impl YamlReader {
    /// Returns the group that contains the next node, and whether the node is its key.
    fn place(&mut self) -> (Option<usize>, bool) {
        let Some(last) = self.open.last_mut() else {
            return (None, false);
        };
        if last.keys.is_none() {
            return (Some(last.group), false);
        }
        match last.pair.take() {
            Some(pair) => (Some(pair), false),
            None => {
                let pair = self.data.open(GroupKind::Pair, Some(last.group));
                last.pair = Some(pair);
                (Some(pair), true)
            }
        }
    }

    fn begin(&mut self, kind: GroupKind, keys: Option<HashSet<u64>>) {
        let (within, _) = self.place();
        let group = self.data.open(kind, within);
        let pair = None;
        self.open.push(OpenCollection { group, keys, pair });
    }

    fn anchor(&mut self, anchor: usize, start: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, start);
        }
    }

    fn value(&mut self, span: Range<usize>, value: &str, tag: &str, alias: Option<usize>) {
        let (within, is_key) = self.place();
        let says = hash(&(value, tag, alias.is_some()));
        let Some(within) = within else {
            return;
        };
        if is_key {
            self.data.groups[within].key = Some((span.clone(), says));
            let keys = self.open.last_mut().and_then(|open| open.keys.as_mut());
            if value.is_empty() && span.is_empty() {
                let missing = ("a pair without a key", span.start);
                self.problem.get_or_insert(missing);
            } else if value != "<<"
                && alias.is_none()
                && keys.is_some_and(|keys| !keys.insert(says))
            {
                self.problem.get_or_insert(("duplicate key", span.start));
            }
        } else if span.is_empty() && value.is_empty() && self.data.groups[within].is_pair() {
            self.data.groups[within].is_null = tag.is_empty();
        }
        if span.is_empty() {
            return;
        }
        // A line that is added to the file gives its last text a line break.
        let is_last = self.ends_bare && span.end >= self.last;
        let broken = format!("{value}\n");
        self.data.values.push(Value {
            span,
            says,
            says_but_break: if is_last {
                hash(&(broken.as_str(), tag, false))
            } else {
                0
            },
            refers_to: alias.and_then(|anchor| self.anchors.get(&anchor).copied()),
            within,
        });
    }
}
