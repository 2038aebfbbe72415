//! Queries and patterns, which are parsed once for each language that is searched.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::diagnostic::{self, Code, Diagnostic};
use crate::language::Language;
use crate::parse::Parsed;
use crate::pattern::{Matches, Pattern};
use crate::select::{AllFound, BadQuery, Query};
use crate::source::Source;

/// A text that means something else in each language.
pub(super) struct PerLanguage<'r, T> {
    text: &'r str,
    /// The only language that is searched; `None`: each one.
    only: Option<&'static Language>,
    read: Mutex<HashMap<&'static str, Read<T>>>,
}

/// What such a text is in one language.
struct Read<T> {
    parsed: Arc<Result<T, BadQuery>>,
    /// How often it was used.
    uses: usize,
    /// Whether only other grammars embed the language.
    is_inner: bool,
}

/// What such a text is.
pub(super) trait OfLanguage: Sized {
    /// What a refusal calls it.
    const NAME: &'static str;
    /// The code of the refusal.
    const CODE: Code;

    fn parse(text: &str, language: &'static Language) -> Result<Self, BadQuery>;

    /// Returns the help of the refusal.
    fn help(language: &str) -> String;
}

impl OfLanguage for Query {
    const NAME: &'static str = "query";
    const CODE: Code = Code::InvalidArguments;

    fn parse(text: &str, language: &'static Language) -> Result<Query, BadQuery> {
        Query::new(text, language)
    }

    fn help(language: &str) -> String {
        format!(
            "run `treegraft node-types {language}` to list the types; a pattern has the form \
             `(type field: (type) @name)`"
        )
    }
}

impl OfLanguage for Pattern {
    const NAME: &'static str = "pattern";
    const CODE: Code = Code::InvalidPattern;

    fn parse(text: &str, language: &'static Language) -> Result<Pattern, BadQuery> {
        Pattern::new(text, language).map_err(|invalid| BadQuery {
            message: invalid.message,
            offset: invalid.offset,
        })
    }

    fn help(_: &str) -> String {
        diagnostic::PATTERN_HELP.to_string()
    }
}

impl<'r, T: OfLanguage> PerLanguage<'r, T> {
    /// Reads it for each language, or only for one.
    pub(super) fn new(text: &'r str, only: Option<&'static Language>) -> PerLanguage<'r, T> {
        PerLanguage {
            text,
            only,
            read: Mutex::default(),
        }
    }

    /// Parses it for a language, once.
    fn of(&self, language: &'static Language) -> Arc<Result<T, BadQuery>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let own = read.entry(language.name).or_insert_with(|| Read {
            parsed: Arc::new(T::parse(self.text, language)),
            uses: 0,
            is_inner: language.is_inner(),
        });
        own.uses += 1;
        own.parsed.clone()
    }

    fn is_wanted(&self, language: &'static Language) -> bool {
        self.only.is_none_or(|only| std::ptr::eq(only, language))
    }

    /// Returns it for each language of the text in which it is valid.
    fn of_all(&self, parsed: &Parsed) -> impl Iterator<Item = Arc<Result<T, BadQuery>>> {
        let mut languages: Vec<&'static Language> = parsed.languages().collect();
        languages.sort_by_key(|language| language.name);
        languages.dedup_by_key(|language| language.name);
        languages.retain(|language| language.grammar().is_some() && self.is_wanted(language));
        let all = languages.into_iter().map(|language| self.of(language));
        all.filter(|one| one.is_ok())
    }

    /// Refuses it if it is valid for none of the languages so far. Reports the error in the language that most files have;
    /// of several, the one furthest into it, since one for another language fails early.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let faults = read.iter().filter_map(|(language, own)| {
            let fault = own.parsed.as_ref().as_ref().err()?;
            Some((*language, own, fault))
        });
        let worst = faults.max_by_key(|(language, own, fault)| {
            (!own.is_inner, own.uses, fault.offset, *language)
        });
        let Some((language, _, fault)) = worst else {
            return Ok(());
        };
        if read.values().any(|own| own.parsed.is_ok()) {
            return Ok(());
        }
        let refused = diagnostic::about_invalid_text(
            T::NAME,
            self.text,
            language,
            &fault.message,
            fault.offset,
        );
        Err(refused.with_code(T::CODE).help(T::help(language)))
    }
}

impl PerLanguage<'_, Query> {
    /// Returns the matches in a text, in file order.
    pub(super) fn find<'p>(&self, parsed: &'p Parsed) -> AllFound<'p> {
        let mut all = AllFound::default();
        for query in self.of_all(parsed) {
            if let Ok(query) = query.as_ref() {
                let own = query.find(parsed);
                all.cut |= own.cut;
                all.found.extend(own.found);
            }
        }
        all.found
            .sort_by_key(|one| (one.span.start(), std::cmp::Reverse(one.span.end())));
        all
    }
}

impl PerLanguage<'_, Pattern> {
    /// Returns whether a text may contain a match, as far as it shows without a parse.
    pub(super) fn may_be_in(&self, source: &Source) -> bool {
        let language = source.language();
        match language.grammar() {
            None => false,
            // Embedded languages are only known after a parse.
            Some(_)
                if language
                    .tables()
                    .is_some_and(|tables| tables.has_injections()) =>
            {
                true
            }
            Some(_) if !self.is_wanted(language) => false,
            Some(_) => match self.of(language).as_ref() {
                Ok(pattern) => pattern.may_be_in(source.text()),
                Err(_) => false,
            },
        }
    }

    /// Returns at most `most` matches of each language in a text, in file order.
    pub(super) fn find<'p>(&self, parsed: &'p Parsed, most: usize) -> Matches<'p> {
        let mut all = Matches::default();
        for pattern in self.of_all(parsed) {
            if let Ok(pattern) = pattern.as_ref()
                && pattern.may_be_in(parsed.source().text())
            {
                let own = pattern.find(parsed, most);
                all.cut |= own.cut;
                all.found.extend(own.found);
            }
        }
        all.found.sort_by_key(|one| {
            let span = one.node.span();
            (span.start(), std::cmp::Reverse(span.end()))
        });
        all
    }
}
