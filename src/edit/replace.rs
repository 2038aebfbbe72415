//! A node becomes other text.

use crate::select::Selection;
use crate::source::Span;

use super::attached;
use super::indent::{self, Home};
use super::separator::{self, Ending};
use super::siblings::Attached;
use super::{
    Composed, Content, EditNote, Edited, Replacement, bare_content, has_other_line_ending,
    in_rounds,
};

/// Replaces the selected node: as given, with no change but the line breaks, which are the file's;
/// else with the comma and the indentation that the place wants. What is attached stays, unless it
/// is included or the content brings its own.
pub(super) fn replace<'p>(
    selection: Selection<'p>,
    given: &str,
    as_given: bool,
    include_attached: bool,
) -> Edited<'p> {
    let parsed = selection.parsed();
    let chain = selection.chain();
    let line_ending = parsed.source().line_ending_at(selection.span().start());
    let home = Home::of(parsed, &chain[..chain.len() - 1], selection.span());
    let attached = attached::before(parsed, chain);
    let (mut content, mut ending) = match as_given {
        true => (given.replace("\r\n", "\n"), Ending::AS_GIVEN),
        false => separator::for_replacement(parsed, chain, &bare_content(given)),
    };
    in_rounds(&selection, |last| {
        let mut brought = Vec::new();
        if let Some(last) = last.filter(|_| !as_given) {
            if !attached.is_empty() {
                brought = attached::kinds_brought(&last.after, last.new_span);
            }
            ending = ending.settled(last, &mut content);
        }
        let gone: Vec<&Attached> = attached
            .iter()
            .filter(|one| include_attached || brought.contains(&one.kind))
            .collect();
        let mut notes: Vec<EditNote> = ending.note().into_iter().collect();
        let text = match as_given {
            true => content.clone(),
            false => {
                let placed = indent::at_home(&content, &home, last);
                notes.extend(placed.note());
                placed.text
            }
        };
        if !gone.is_empty() {
            let kinds = kinds(&gone);
            notes.push(EditNote::AttachedReplaced { kinds });
        }
        if has_other_line_ending(given, line_ending) {
            notes.push(EditNote::LineEndings);
        }
        let text = text.replace('\n', line_ending);
        let mut replacements: Vec<Replacement> = gone
            .iter()
            .map(|one| Replacement::deletion(one.span))
            .collect();
        let gone: Vec<Span> = gone.iter().map(|one| one.span).collect();
        let content = Content {
            replacement: replacements.len(),
            start: 0,
            len: text.len(),
        };
        replacements.push(Replacement {
            span: selection.span(),
            new_text: text,
        });
        Composed {
            replacements,
            content,
            container: chain[..chain.len() - 1].to_vec(),
            gone: [gone, vec![selection.span()]].concat(),
            notes,
        }
    })
}

/// The kinds of attached things, each once.
pub(super) fn kinds(attached: &[&Attached]) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    for one in attached {
        if !kinds.contains(&one.kind) {
            kinds.push(one.kind.clone());
        }
    }
    kinds
}
