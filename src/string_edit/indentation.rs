//! Which indentation of the text an indentation of an edit means.
//!
//! The lines that the old string and the text have in common are the evidence. An indentation that they do not show is
//! derived from the nearest one that they show, if there is only one way.

use std::collections::BTreeMap;

use crate::edit::unit_of_text;

/// The indentations of the old string, each with the one that it has in the text.
#[derive(Default)]
pub(super) struct Indentations {
    /// `None` for an indentation that has two meanings.
    known: BTreeMap<String, Option<String>>,
    /// One level of indentation in the text, if its lines show it.
    unit: Option<String>,
    /// Whether the text aligns lines with spaces after tabs, so that spaces of the edit need not be levels.
    is_aligned: bool,
}

impl Indentations {
    /// Creates the table from the indentations of lines in the old string and in the text.
    pub(super) fn new(lines: impl Iterator<Item = (String, String)>, text: &str) -> Indentations {
        let mut known: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (old, own) in lines {
            let meaning = known.entry(old).or_insert_with(|| Some(own.clone()));
            if meaning.as_ref() != Some(&own) {
                *meaning = None;
            }
        }
        Indentations {
            known,
            unit: unit_of_text(text),
            is_aligned: text.lines().any(|line| {
                let after_tabs = line.trim_start_matches('\t');
                after_tabs.len() < line.len() && after_tabs.starts_with("  ")
            }),
        }
    }

    /// Returns whether the table contradicts itself: one indentation with two meanings, or a deeper one that is less deep
    /// in the text.
    pub(super) fn is_contradictory(&self) -> bool {
        let mut shown: Vec<(&String, &String)> = Vec::new();
        for (old, own) in &self.known {
            let Some(own) = own else { return true };
            let crosses = |(other, of_other): &(&String, &String)| {
                old.starts_with(other.as_str())
                    && old.len() > other.len()
                    && own.len() <= of_other.len()
            };
            if shown.iter().any(crosses) {
                return true;
            }
            shown.push((old, own));
        }
        !self.steps_are_alike()
    }

    /// Returns whether a difference between two indentations always has the same size in the text.
    fn steps_are_alike(&self) -> bool {
        let shown: Vec<(&str, &str)> = self.shown().collect();
        let mut sizes = shown.windows(2).map(|pair| {
            let own_step = pair[1].1.len().checked_sub(pair[0].1.len())?;
            Some((pair[1].0.len() - pair[0].0.len(), own_step))
        });
        let Some(first) = sizes.next() else {
            return true;
        };
        let is_alike = |size: Option<(usize, usize)>| {
            let ((step, own_step), (other, own_other)) = first.zip(size)?;
            Some(step * own_other == other * own_step)
        };
        first.is_some() && sizes.all(|size| is_alike(size) == Some(true))
    }

    /// Returns the indentation in the text for one in the edit.
    pub(super) fn meaning(&self, indentation: &str) -> Option<String> {
        if let Some(known) = self.known.get(indentation) {
            return known.clone();
        }
        if self.is_contradictory() {
            return None;
        }
        // Lines that are indented as in the text show that the edit has the indentation of the text.
        if !self.known.is_empty() && self.shown().all(|(old, own)| old == own) {
            return Some(indentation.to_string());
        }
        self.deeper(indentation)
            .or_else(|| self.shallower(indentation))
    }

    /// Returns the indentation in the text for one of a new line below a line with the indentation `above`. Spaces that
    /// make it more than one level deeper may align it, so that they do not mean tabs.
    pub(super) fn meaning_below(&self, above: &str, indentation: &str) -> Option<String> {
        let meaning = self.meaning(indentation)?;
        let may_align = indentation.ends_with(' ')
            && meaning.ends_with('\t')
            && !self.known.contains_key(indentation);
        let levels = |meaning: &str| meaning.matches('\t').count();
        let is_far = may_align && levels(&meaning) > levels(&self.meaning(above)?) + 1;
        (!is_far).then_some(meaning)
    }

    /// Derives the meaning of an indentation from the deepest known one that it begins with.
    fn deeper(&self, indentation: &str) -> Option<String> {
        let (old, own) = self
            .shown()
            .filter(|(old, _)| indentation.starts_with(*old))
            .last()?;
        let added = self.in_text(&indentation[old.len()..])?;
        Some(format!("{own}{added}"))
    }

    /// Derives the meaning of an indentation from the least deep known one that begins with it.
    fn shallower(&self, indentation: &str) -> Option<String> {
        let (old, own) = self.shown().find(|(old, _)| old.starts_with(indentation))?;
        let removed = self.in_text(&old[indentation.len()..])?;
        own.strip_suffix(removed.as_str()).map(str::to_string)
    }

    /// Returns the known indentations with one meaning, the least deep first.
    fn shown(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut shown: Vec<(&str, &str)> = self
            .known
            .iter()
            .filter_map(|(old, own)| Some((old.as_str(), own.as_deref()?)))
            .collect();
        shown.sort_by_key(|(old, _)| old.len());
        shown.into_iter()
    }

    /// Returns the whitespace of the text for a difference between two indentations of the edit.
    fn in_text(&self, difference: &str) -> Option<String> {
        let (step, own_step) = match self.shown_step() {
            Some(step) => self.divided(step)?,
            None => self.assumed_step(difference)?,
        };
        if self.is_aligned && own_step.starts_with('\t') && step.starts_with(' ') {
            return None;
        }
        let levels = difference.len() / step.len();
        (step.repeat(levels) == difference).then(|| own_step.repeat(levels))
    }

    /// Returns the smallest difference between two known indentations, in the edit and in the text.
    fn shown_step(&self) -> Option<(String, String)> {
        let shown: Vec<(&str, &str)> = self.shown().collect();
        let steps = shown.windows(2).filter_map(|pair| {
            let step = pair[1].0.strip_prefix(pair[0].0)?;
            let own_step = pair[1].1.strip_prefix(pair[0].1)?;
            Some((step.to_string(), own_step.to_string()))
        });
        steps.min_by_key(|(step, _)| step.len())
    }

    /// Returns one level of a step of several.
    fn divided(&self, (step, own_step): (String, String)) -> Option<(String, String)> {
        let unit = self.unit.clone().unwrap_or_else(|| own_step.clone());
        let levels = own_step.len() / unit.len();
        let is_whole = levels > 0 && unit.repeat(levels) == own_step && step.len() % levels == 0;
        is_whole.then(|| (step[..step.len() / levels].to_string(), unit))
    }

    /// Returns one level if only one indentation is known: that of the text, and the same in the edit; a tab in the edit
    /// is also one level, unless the known indentation has spaces, or another number of levels than tabs. Spaces are
    /// counted as in the text only if the known indentation is the same there, or is none: otherwise the edit may have
    /// another unit.
    fn assumed_step(&self, difference: &str) -> Option<(String, String)> {
        let unit = self.unit.clone()?;
        let has_same_unit = self.shown().all(|(old, own)| {
            old == own || (old.is_empty() && difference.len().is_multiple_of(unit.len()))
        });
        let tabs_are_levels = self.shown().all(|(old, own)| {
            old.chars().all(|char| char == '\t')
                && (old.is_empty() || own == unit.repeat(old.len()))
        });
        match difference.starts_with('\t') {
            true => tabs_are_levels.then(|| ("\t".to_string(), unit)),
            false if unit.starts_with('\t') || !has_same_unit => None,
            false => Some((" ".to_string(), " ".to_string())),
        }
    }
}
