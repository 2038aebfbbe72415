//! A change as the rules of [`super::rules`] see it: both trees, one reading of what changed, and what was found out
//! about the two, each once.

use std::cell::OnceCell;

use crate::change::{Change, Reading, TextEdit};
use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::Span;

use super::surroundings::{self, Disturbance, Likeness, LostSymbol};
use super::syntax::{self, Problems};
use super::{Note, sections, values};

/// The text before and after a change, in one reading of it.
pub(super) struct Comparison<'c, 'p> {
    pub(super) before: &'p Parsed,
    pub(super) after: &'c Parsed,
    pub(super) selection: &'c Selection<'p>,
    pub(super) text_edit: &'c TextEdit,
    pub(super) new_span: Span,
    pub(super) container: &'c [Node<'p>],
    pub(super) gone: &'c [Span],
    pub(super) may_merge: bool,
    reading: &'c Reading<'p>,
    found: Found,
}

/// What was found out.
#[derive(Default)]
struct Found {
    problems: OnceCell<Problems>,
    is_right_alone: OnceCell<bool>,
    level: OnceCell<Option<(u8, u8)>>,
    likeness: OnceCell<Result<(Likeness, Vec<Note>), Disturbance>>,
    symbols: OnceCell<Symbols>,
    has_same_leaves: OnceCell<bool>,
    changed_value: OnceCell<Option<Span>>,
}

/// The symbols outside of the change that only one of the two texts has.
pub(super) struct Symbols {
    pub(super) lost: Vec<LostSymbol>,
    pub(super) appeared: Vec<Vec<String>>,
}

impl<'c, 'p> Comparison<'c, 'p> {
    pub(super) fn of(change: &'c Change<'p>, reading: &'c Reading<'p>) -> Comparison<'c, 'p> {
        Comparison {
            before: change.before(),
            after: change.after(),
            selection: &reading.selection,
            text_edit: &reading.text_edit,
            new_span: reading.new_span,
            container: &reading.container,
            gone: &reading.gone,
            may_merge: reading.may_merge,
            reading,
            found: Found::default(),
        }
    }

    /// Whether it is several edits of a text taken as one.
    pub(super) fn is_several(&self) -> bool {
        self.reading.is_several()
    }

    /// The node among whose children the edit is made.
    pub(super) fn parent(&self) -> Node<'p> {
        *self.container.last().expect("an edit is made in a node")
    }

    /// The problems round the place of the edit, in both texts.
    pub(super) fn problems(&self) -> &Problems {
        self.found.problems.get_or_init(|| Problems::round(self))
    }

    /// Whether the value that the edit is made in is right before it and after it by itself.
    pub(super) fn is_right_alone(&self) -> bool {
        let look = || syntax::is_right_alone(self);
        *self.found.is_right_alone.get_or_init(look)
    }

    /// The level of a heading before and after, where that is all that changes.
    pub(super) fn level(&self) -> Option<(u8, u8)> {
        *self.found.level.get_or_init(|| sections::level(self))
    }

    /// In which way what stands round the edit is what it was.
    pub(super) fn likeness(&self) -> Result<&(Likeness, Vec<Note>), &Disturbance> {
        let look = || surroundings::likeness(self);
        self.found.likeness.get_or_init(look).as_ref()
    }

    /// The symbols that go or come outside of the edit.
    pub(super) fn symbols(&self) -> &Symbols {
        let look = || surroundings::changed_symbols(self);
        self.found.symbols.get_or_init(look)
    }

    /// Whether each word and sign outside of the edit is what it was.
    pub(super) fn has_same_leaves(&self) -> bool {
        let look = || surroundings::is_same_outside(self, |node| node.is_leaf());
        *self.found.has_same_leaves.get_or_init(look)
    }

    /// Where a value outside of an edit of data is another one.
    pub(super) fn changed_value(&self) -> Option<Span> {
        let look = || values::changed(self);
        *self.found.changed_value.get_or_init(look)
    }
}
