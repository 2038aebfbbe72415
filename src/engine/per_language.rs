//! Queries and patterns, which are parsed once for each language that is searched.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::diagnostic::{self, Code, Diagnostic};
use crate::language::{self, Language};
use crate::parse::{Node, Parsed};
use crate::pattern::{ANY_READING, Matches, Pattern, Quotes, is_data, is_prose};
use crate::select::{AllFound, BadQuery, Query};
use crate::source::Source;

/// The maximum number of languages whose files a note counts.
const LANGUAGES_LISTED: usize = 8;

/// A text that means something else in each language.
pub(super) struct PerLanguage<'r, T: OfLanguage> {
    text: &'r str,
    options: T::Options,
    /// The only language that is searched; `None`: each one.
    only: Option<&'static Language>,
    /// Whether a match was found, except in prose.
    found: AtomicBool,
    read: Mutex<HashMap<&'static str, Read<T>>>,
}

/// What such a text is in one language.
struct Read<T> {
    parsed: Arc<Result<T, BadQuery>>,
    /// How often it was used.
    uses: usize,
    /// The number of files in the language.
    files: usize,
    /// Whether only other grammars embed the language.
    is_inner: bool,
}

/// What such a text is.
pub(super) trait OfLanguage: Sized {
    /// How it is read.
    type Options: Default;

    /// What a refusal calls it.
    const NAME: &'static str;
    /// The code of the refusal.
    const CODE: Code;

    fn parse(
        text: &str,
        language: &'static Language,
        options: &Self::Options,
    ) -> Result<Self, BadQuery>;

    /// Returns the help of the refusal.
    fn help(text: &str, language: &str) -> String;
}

/// How a pattern is read.
#[derive(Default)]
pub(super) struct PatternOptions {
    pub(super) quotes: Quotes,
    /// The only reading; `None`: each one.
    pub(super) reading: Option<String>,
}

impl OfLanguage for Query {
    type Options = ();

    const NAME: &'static str = "query";
    const CODE: Code = Code::InvalidArguments;

    fn parse(text: &str, language: &'static Language, (): &()) -> Result<Query, BadQuery> {
        Query::new(text, language)
    }

    fn help(_: &str, language: &str) -> String {
        format!(
            "run `treegraft languages node-types {language}` to list the types; a pattern has the form \
             `(type field: (type) @name)`"
        )
    }
}

impl OfLanguage for Pattern {
    type Options = PatternOptions;

    const NAME: &'static str = "pattern";
    const CODE: Code = Code::InvalidPattern;

    fn parse(
        text: &str,
        language: &'static Language,
        options: &PatternOptions,
    ) -> Result<Pattern, BadQuery> {
        let pattern = Pattern::new(text, language).map_err(|invalid| BadQuery {
            message: invalid.message,
            offset: invalid.offset,
        })?;
        let pattern = pattern.with_quotes(options.quotes);
        let reading = options.reading.as_deref();
        let Some(reading) = reading.filter(|reading| *reading != ANY_READING) else {
            return Ok(pattern);
        };
        let known = pattern.readings();
        let message = format!("it can be read as {}, not as {reading}", known.join(", "));
        let of_reading = pattern.read_as(reading);
        of_reading.ok_or(BadQuery { message, offset: 0 })
    }

    fn help(text: &str, language: &str) -> String {
        diagnostic::help_on_pattern(text, language)
    }
}

impl<'r, T: OfLanguage> PerLanguage<'r, T> {
    /// Reads it for each language, or only for one.
    pub(super) fn new(text: &'r str, only: Option<&'static Language>) -> PerLanguage<'r, T> {
        PerLanguage::with_options(text, only, T::Options::default())
    }

    pub(super) fn with_options(
        text: &'r str,
        only: Option<&'static Language>,
        options: T::Options,
    ) -> PerLanguage<'r, T> {
        PerLanguage {
            text,
            options,
            only,
            found: AtomicBool::new(false),
            read: Mutex::default(),
        }
    }

    /// Parses it for a language, once.
    fn for_language(&self, language: &'static Language) -> Arc<Result<T, BadQuery>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let own = read.entry(language.name).or_insert_with(|| Read {
            parsed: Arc::new(T::parse(self.text, language, &self.options)),
            uses: 0,
            files: 0,
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
        let all = languages
            .into_iter()
            .map(|language| self.for_language(language));
        all.filter(|one| one.is_ok())
    }

    /// Refuses it if it is valid for none of the languages so far. Reports the error in the language that most files have;
    /// of several, the one furthest into it, since one for another language fails early. In plain data, almost any text is
    /// valid: that counts only if it has a match there, or if there is no other language.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        if self.found.load(Ordering::Relaxed) {
            return Ok(());
        }
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let is_of_data = |name: &str| language::by_name(name).is_some_and(is_data);
        let code = read.iter().filter(|(name, _)| !is_of_data(name));
        let code: Vec<(&&'static str, &Read<T>)> = code.collect();
        if code.iter().any(|(_, own)| own.parsed.is_ok()) {
            return Ok(());
        }
        let faults = read.iter().filter_map(|(language, own)| {
            let fault = own.parsed.as_ref().as_ref().err()?;
            Some((*language, own, fault))
        });
        let worst = faults.max_by_key(|(language, own, fault)| {
            let is_code = !is_of_data(language);
            (is_code, !own.is_inner, own.uses, fault.offset, *language)
        });
        let Some((language, _, fault)) = worst else {
            return Ok(());
        };
        let valid = read.iter().filter(|(_, own)| own.parsed.is_ok());
        let valid: Vec<&str> = valid.map(|(name, _)| *name).collect();
        if code.is_empty() && !valid.is_empty() {
            return Ok(());
        }
        let refused = diagnostic::about_invalid_text(
            T::NAME,
            self.text,
            language,
            &fault.message,
            fault.offset,
        );
        let mut help = T::help(self.text, language);
        if let Some(name) = valid.iter().min() {
            help.push_str("; it is valid for ");
            help.push_str(name);
            help.push_str(": pass a path with only such files to search them");
        }
        Err(refused.with_code(T::CODE).help(help))
    }

    /// Notes a file in a language.
    fn note_file(&self, language: &'static Language) {
        self.for_language(language);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = read.get_mut(language.name) {
            own.files += 1;
        }
    }

    /// Returns a note on the files without a match, by language, the most first.
    pub(super) fn files_text(&self) -> Option<String> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (name, own) in read.iter().filter(|(_, own)| own.files > 0) {
            counts.entry(own.files).or_default().push(name);
        }
        let mut all = Vec::new();
        for (files, mut names) in counts.into_iter().rev() {
            names.sort();
            all.extend(names.iter().map(|name| match read[name].parsed.is_ok() {
                true => format!("{files} {name}"),
                false => format!("{files} {name} (the {} is invalid there)", T::NAME),
            }));
        }
        let others = all.len().saturating_sub(LANGUAGES_LISTED);
        all.truncate(LANGUAGES_LISTED);
        if others > 0 {
            all.push(format!("and others in {others} more languages"));
        }
        (!all.is_empty()).then(|| format!("searched files by language: {}", all.join(", ")))
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
        if language.grammar().is_none() {
            return false;
        }
        if self.is_wanted(language) {
            self.note_file(language);
        }
        // Embedded languages are only known after a parse.
        let tables = language.tables();
        tables.is_some_and(|tables| tables.has_injections())
            || self.is_wanted(language)
                && match self.for_language(language).as_ref() {
                    Ok(pattern) => pattern.may_be_in(source.text()),
                    Err(_) => false,
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
                if own.found.iter().any(|one| !is_prose(one.node.language())) {
                    self.found.store(true, Ordering::Relaxed);
                }
                all.cut |= own.cut;
                all.found.extend(own.found);
            }
        }
        all.found.sort_by_key(|one| {
            let span = one.span();
            (span.start(), std::cmp::Reverse(span.end()))
        });
        all
    }

    /// Returns the number of nodes in a text that almost match, by what differs. `found` has those that match.
    pub(super) fn near_misses<'p>(
        &self,
        parsed: &'p Parsed,
        found: impl Iterator<Item = Node<'p>> + Clone,
    ) -> BTreeMap<String, usize> {
        let mut all = BTreeMap::new();
        for pattern in self.of_all(parsed) {
            if let Ok(pattern) = pattern.as_ref()
                && pattern.may_be_in(parsed.source().text())
            {
                for (what, count) in pattern.near_misses(parsed, found.clone()) {
                    *all.entry(what).or_default() += count;
                }
            }
        }
        all
    }
}

/// Returns a note on nodes that almost match.
pub(super) fn near_misses_text(all: &BTreeMap<String, usize>) -> Option<String> {
    let each = all.iter().map(|(what, count)| format!("{count} {what}"));
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("similar, but no match: {}", each.join(", ")))
}

/// Returns a note on what a pattern was read as, with the number of matches, if that is not only code of its own.
pub(super) fn readings_text(readings: &BTreeMap<&str, usize>) -> Option<String> {
    let is_usual = |name: &&str| matches!(*name, "" | "code" | "expression" | "statement");
    let all = readings
        .iter()
        .map(|(name, count)| format!("{name} ({count})"));
    let all: Vec<String> = all.collect();
    let help = match all.len() {
        1 => "",
        _ => "; pass reading to choose one",
    };
    let is_shown = !readings.keys().all(is_usual);
    is_shown.then(|| format!("read as {}{help}", all.join(", ")))
}
