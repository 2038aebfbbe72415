//! The input of the rules in [`super::rules`]: both trees, one reading of the change, and what the rules ask about them,
//! each computed at most once.

use std::cell::OnceCell;

use crate::change::{Change, Reading, TextEdit};
use crate::parse::{Node, Parsed};
use crate::select::Selection;
use crate::source::Span;

use super::surroundings::{self, Conversion, Difference, Edited, Likeness, LostSymbol, compare};
use super::syntax::{self, Problems};
use super::{Note, sections, values};

/// The two trees of a change in one reading.
pub(super) struct Comparison<'c, 'p> {
    pub(super) before: &'p Parsed,
    pub(super) after: &'c Parsed,
    pub(super) selection: &'c Selection<'p>,
    pub(super) text_edit: &'c TextEdit,
    pub(super) new_span: Span,
    pub(super) container: &'c [Node<'p>],
    pub(super) removed: &'c [Span],
    pub(super) may_merge: bool,
    is_step: bool,
    reading: &'c Reading<'p>,
    found: Cached,
}

/// Cached answers.
#[derive(Default)]
struct Cached {
    problems: OnceCell<Problems>,
    is_right_alone: OnceCell<bool>,
    level: OnceCell<Option<(u8, u8)>>,
    likeness: OnceCell<Result<(Likeness, Vec<Note>), Difference>>,
    symbols: OnceCell<Symbols>,
    has_same_tokens: OnceCell<bool>,
    changed_value: OnceCell<Option<Span>>,
}

/// The symbols outside the change that only one of the two texts has.
pub(super) struct Symbols {
    pub(super) lost: Vec<LostSymbol>,
    pub(super) appeared: Vec<Vec<String>>,
    pub(super) converted: Option<Conversion>,
}

impl<'c, 'p> Comparison<'c, 'p> {
    pub(super) fn new(change: &'c Change<'p>, reading: &'c Reading<'p>) -> Comparison<'c, 'p> {
        Comparison {
            before: change.before(),
            after: change.after(),
            selection: &reading.selection,
            text_edit: &reading.text_edit,
            new_span: reading.new_span,
            container: &reading.container,
            removed: &reading.removed,
            may_merge: reading.may_merge,
            is_step: change.is_step(),
            reading,
            found: Cached::default(),
        }
    }

    /// Returns whether several edits are judged as one.
    pub(super) fn is_several(&self) -> bool {
        self.reading.is_several()
    }

    /// Returns whether others follow it, after which the whole is checked.
    pub(super) fn is_step(&self) -> bool {
        self.is_step
    }

    /// Returns the node whose children the edit changes.
    pub(super) fn parent(&self) -> Node<'p> {
        *self.container.last().expect("an edit is made in a node")
    }

    /// Returns the syntax errors near the edit in both texts.
    pub(super) fn problems(&self) -> &Problems {
        self.found.problems.get_or_init(|| Problems::near(self))
    }

    /// Returns whether the enclosing value is valid before and after the edit when parsed alone.
    pub(super) fn is_right_alone(&self) -> bool {
        let look = || syntax::is_right_alone(self);
        *self.found.is_right_alone.get_or_init(look)
    }

    /// Returns the old and the new level of a heading if nothing else changes.
    pub(super) fn level(&self) -> Option<(u8, u8)> {
        *self.found.level.get_or_init(|| sections::level(self))
    }

    /// Returns how the surroundings are alike, or where they differ.
    pub(super) fn likeness(&self) -> Result<&(Likeness, Vec<Note>), &Difference> {
        let look = || surroundings::likeness(self);
        self.found.likeness.get_or_init(look).as_ref()
    }

    /// Returns the symbols outside the edit that disappear or appear.
    pub(super) fn symbols(&self) -> &Symbols {
        let look = || surroundings::changed_symbols(self);
        self.found.symbols.get_or_init(look)
    }

    /// Returns whether all tokens outside the edit are unchanged.
    pub(super) fn has_same_tokens(&self) -> bool {
        let look = || {
            // A token that the edit touches may be joined with new text.
            let edited = Edited {
                apart: self.selection.is_text(),
                ..Edited::from_comparison(self)
            };
            compare(self, &edited, |node| node.is_leaf() && !node.is_host()).is_ok()
        };
        *self.found.has_same_tokens.get_or_init(look)
    }

    /// Returns the place of a changed value outside the edit, in data.
    pub(super) fn changed_value(&self) -> Option<Span> {
        let look = || values::changed(self);
        *self.found.changed_value.get_or_init(look)
    }
}
