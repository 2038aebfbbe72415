//! Lists the symbols of files, each with a locator that resolves only to it: page by page, ranked by references, or
//! summarized by directory if they do not fit.

use crate::diagnostic::{self, Diagnostic};
use crate::language::{self, GENERAL_WORDS, Language};
use crate::locate;
use crate::parse::{Node, Parsed};
use crate::source::Span;
use crate::workspace::WorkspacePath;

use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::files::page_size;
use super::files::{FileList, FilePage, FilesQuery, Page, PageCursor, Totals, in_turn};
use super::one_text::{OnText, OneText};
use super::overview::{FileSummary, Room, summarized};
use super::request::{CallAccess, LocateArgument, Outline, files};
use super::response::{
    Answer, FileOutline, Outlined, PendingRefusal, RANKED_HEAD, RankedSymbol, SymbolListed,
};
use super::survey::{Survey, SurveyQuery};

/// The default number of symbols in an outline.
pub const SYMBOLS_LISTED: usize = 200;
/// The default number of symbol levels in an outline of several files.
pub const SYMBOL_LEVELS: usize = 2;

/// A symbol, and the number of listed symbols that enclose it.
#[derive(Clone)]
struct Listed {
    symbol: SymbolListed,
    level: usize,
}

impl ToolRequest for Outline {
    type Answer = Outlined;

    const TOOL: &'static str = "outline";
    const FILE_ARGUMENT: Option<&'static str> = Some("path");

    fn access(&self) -> CallAccess {
        files(&self.path.0, false)
    }

    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<Outlined, PendingRefusal> {
        self.check()?;
        let limit = engine.workspace.items_limit();
        let otherwise = match self.max_bytes {
            Some(_) => limit,
            None => SYMBOLS_LISTED,
        };
        let (max_items, note) = page_size(self.max_items, otherwise, limit)?;
        if self.rank && self.cursor.is_some() {
            let refused = diagnostic::about_arguments("rank cannot be combined with cursor");
            let help = "a ranking has one page; pass max_items or max_bytes for a longer one";
            return Err(refused.help(help).into());
        }
        let query = FilesQuery {
            paths: &self.path,
            cursor: self.cursor.as_deref(),
            max_items,
            watch: context.watch,
        };
        let list = engine.file_list(&query)?;
        Ok(match list.is_only_file || list.cursor.is_some() {
            _ if self.rank => engine.ranking(self, &list, &query, note)?,
            true => engine.outline_page(self, &list, &query, note)?,
            false => engine.whole_outline(self, &list, &query, note)?,
        })
    }

    fn answer_on_text(&self, text: &OneText) -> Result<OnText<Outlined>, Diagnostic> {
        text.check_paths(&self.path)?;
        text.refuse(&[
            ("cursor", self.cursor.is_some()),
            ("max_bytes", self.max_bytes.is_some()),
            ("rank", self.rank),
        ])?;
        self.check()?;
        let (wanted, _) = page_size(self.max_items, usize::MAX, usize::MAX)?;
        let parsed = text.parsed();
        let page = FilePage {
            skipped: 0,
            wanted: usize::MAX,
            is_only_file: true,
        };
        let mut symbols = self.symbols(parsed, &page);
        let count = symbols.len();
        symbols.truncate(wanted);
        let notes = match symbols.is_empty() {
            true => parsed.read_as_text().into_iter().collect(),
            false => Vec::new(),
        };
        let file = FileOutline {
            file_path: text.path().to_string(),
            symbols: nested(symbols),
        };
        Ok(OnText::unchanged(Outlined {
            files: vec![file],
            files_looked_at: 1,
            symbols_total: (count > wanted).then_some(count),
            notes,
            ..Outlined::with_totals(None)
        }))
    }
}

impl Outline {
    /// Refuses a depth or kinds that no symbol can have.
    fn check(&self) -> Result<(), Diagnostic> {
        check_kinds(&self.kinds)?;
        match self.depth {
            Some(0) => Err(diagnostic::about_arguments("depth counts from 1")),
            _ => Ok(()),
        }
    }

    /// Returns the symbols of one file for the page.
    fn symbols(&self, parsed: &Parsed, page: &FilePage) -> Vec<Listed> {
        let depth = self.depth.unwrap_or(match page.is_only_file {
            true => usize::MAX,
            false => SYMBOL_LEVELS,
        });
        let shown = shown(parsed, depth, &self.kinds).into_iter();
        let wanted = shown.skip(page.skipped).take(page.wanted);
        wanted
            .map(|(index, level)| Listed {
                symbol: listed(parsed, index),
                level,
            })
            .collect()
    }
}

impl Engine {
    /// Returns one page of symbols: of one file, or of several files from a cursor on.
    fn outline_page(
        &self,
        request: &Outline,
        list: &FileList,
        query: &FilesQuery<'_>,
        note: Option<String>,
    ) -> Result<Outlined, Diagnostic> {
        let mut page = self.ask_list(list, query, |path, page| {
            self.symbols_of(path, request, page)
        })?;
        if let [(path, listed)] = &page.files[..]
            && listed.is_empty()
            && let Some(why) = self.parsed_at(path)?.read_as_text()
        {
            page.notes.push(why);
        }
        page.notes.splice(0..0, note);
        let page = OutlinePage {
            list,
            page,
            totals: list.totals(),
        };
        page.fitting(request.max_bytes)
    }

    /// Returns the symbols of several files, or a summary if they do not fit.
    fn whole_outline(
        &self,
        request: &Outline,
        list: &FileList,
        query: &FilesQuery<'_>,
        note: Option<String>,
    ) -> Result<Outlined, Diagnostic> {
        let depth = request.depth.unwrap_or(SYMBOL_LEVELS);
        let survey_query = SurveyQuery {
            max_items: query.max_items,
            with_references: request.max_bytes.is_some(),
            watch: query.watch,
        };
        let survey = self.survey(
            list,
            &survey_query,
            |parsed| shown(parsed, depth, &request.kinds),
            |parsed, (index, level)| Listed {
                symbol: listed(parsed, index),
                level,
            },
        );
        if survey.totals.items <= query.max_items {
            let results = survey.files.iter().map(|file| match file {
                Ok(file) => Ok(file.items.clone()),
                Err(refused) => Err(refused.clone()),
            });
            let mut page = list.page(results.collect(), survey.stopped, query.max_items)?;
            page.notes.splice(0..0, note.clone());
            let totals = Some(survey.totals);
            let page = OutlinePage { list, page, totals };
            let outlined = page.outlined(page.len());
            let max_bytes = request.max_bytes.unwrap_or(usize::MAX);
            if outlined.text().len() <= max_bytes {
                return Ok(outlined);
            }
        }
        let room = Room {
            items: query.max_items,
            bytes: request.max_bytes.unwrap_or(usize::MAX),
        };
        self.overview(list, &survey, room, note)
    }

    /// Returns a summary of the files. Its cursor starts the list of all symbols.
    fn overview(
        &self,
        list: &FileList,
        survey: &Survey<Listed>,
        room: Room,
        note: Option<String>,
    ) -> Result<Outlined, Diagnostic> {
        let files = survey.files.iter().zip(list.files());
        let files: Vec<FileSummary<'_>> = files
            .map(|(file, path)| {
                let symbols = file.as_ref().map_or(&[][..], |file| &file.symbols);
                let top = symbols.iter().filter(|symbol| symbol.level == 0);
                let names = top.filter_map(|symbol| {
                    let references = survey.references(file.as_ref().ok()?, symbol);
                    Some((references, symbol.name.as_str()))
                });
                FileSummary {
                    path: path.absolute(),
                    symbols: symbols.len(),
                    names: names.collect(),
                }
            })
            .collect();
        let first = files.iter().position(|file| file.symbols > 0);
        let cursor = first.map(|first| PageCursor {
            file_path: list.files()[first].display().to_owned(),
            answered: 0,
            totals: Some(survey.totals),
        });
        let mut outlined = without_symbols(list, survey);
        outlined.cursor = cursor.map(|cursor| cursor.to_string());
        let hint = "the symbols do not fit; pass one of these paths, or cursor, to list symbols";
        outlined
            .notes
            .splice(0..0, note.into_iter().chain([hint.to_string()]));
        let mut end = String::new();
        outlined.push_end(&mut end);
        let rest = Room {
            bytes: room.bytes.saturating_sub(end.len()),
            ..room
        };
        outlined.summary = summarized(&files, &|path| self.workspace.shown(path), rest);
        let length = outlined.text().len();
        match length <= room.bytes {
            true => Ok(outlined),
            false => Err(too_small(room.bytes, length)),
        }
    }

    /// Returns the most referenced symbols of all files.
    fn ranking(
        &self,
        request: &Outline,
        list: &FileList,
        query: &FilesQuery<'_>,
        note: Option<String>,
    ) -> Result<Outlined, Diagnostic> {
        let depth = request.depth.unwrap_or(usize::MAX);
        let shown = |parsed: &Parsed| shown(parsed, depth, &request.kinds);
        let survey_query = SurveyQuery {
            max_items: 0,
            with_references: true,
            watch: query.watch,
        };
        let mut survey = self.survey(list, &survey_query, shown, |_, _| ());
        if list.is_only_file
            && let Some(Err(refused)) = survey.files.pop_if(|file| file.is_err())
        {
            return Err(refused);
        }
        let mut order: Vec<(f64, usize, usize)> = survey
            .read()
            .flat_map(|(index, file)| {
                let survey = &survey;
                let symbols = file.symbols.iter();
                symbols.map(move |symbol| (survey.references(file, symbol), index, symbol.index))
            })
            .collect();
        order.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
        order.truncate(query.max_items);
        let ranked = self.described(list, &order);
        let mut outlined = without_symbols(list, &survey);
        outlined.notes.splice(0..0, note);
        let mut text = RANKED_HEAD.to_string();
        outlined.push_end(&mut text);
        let max_bytes = request.max_bytes.unwrap_or(usize::MAX);
        let first = ranked.first().map_or(0, |first| first.line_text().len());
        if text.len() + first > max_bytes {
            return Err(too_small(max_bytes, text.len() + first));
        }
        let mut length = text.len();
        let fits = |symbol: &RankedSymbol| {
            length += symbol.line_text().len();
            length <= max_bytes
        };
        outlined.ranked = ranked.into_iter().take_while(fits).collect();
        Ok(outlined)
    }

    /// Returns the symbols at these indexes of files and their outlines, each with its number of references.
    fn described(&self, list: &FileList, order: &[(f64, usize, usize)]) -> Vec<RankedSymbol> {
        let mut files: Vec<usize> = order.iter().map(|(_, file, _)| *file).collect();
        files.sort_unstable();
        files.dedup();
        let of_file = |place: usize| -> Result<Vec<(usize, RankedSymbol)>, Diagnostic> {
            let path = &list.files()[files[place]];
            let parsed = self.opened(path)?.parsed();
            let own = order.iter().enumerate();
            let own = own.filter(|(_, (_, file, _))| *file == files[place]);
            // The file may have changed since it was counted.
            let own = own
                .filter(|(_, (_, _, index))| parsed.outline().symbols().get(*index).is_some())
                .map(|(rank, (references, _, index))| {
                    let symbol = listed(&parsed, *index);
                    let ranked = RankedSymbol {
                        file_path: path.display().to_string(),
                        name: symbol.name,
                        kind: symbol.kind,
                        line: symbol.line,
                        locate: symbol.locate,
                        references: references.round() as usize,
                    };
                    (rank, ranked)
                });
            Ok(own.collect())
        };
        let progress = in_turn(files.len(), usize::MAX, &(), |place, _| of_file(place));
        let mut ranked = progress.into_items();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, symbol)| symbol).collect()
    }

    /// Returns the symbols of one file for the page.
    fn symbols_of(
        &self,
        path: &WorkspacePath,
        request: &Outline,
        page: &FilePage,
    ) -> Result<Vec<Listed>, Diagnostic> {
        let parsed = match page.is_only_file {
            true => self.parsed_at(path)?,
            false => self.opened(path)?.parsed(),
        };
        Ok(request.symbols(&parsed, page))
    }
}

/// A page of symbols, which may end earlier.
struct OutlinePage<'a> {
    list: &'a FileList,
    page: Page<Listed>,
    totals: Option<Totals>,
}

impl OutlinePage<'_> {
    /// Returns the number of symbols.
    fn len(&self) -> usize {
        self.page.files.iter().map(|(_, items)| items.len()).sum()
    }

    /// Returns the answer with as many symbols as fit in this many bytes of text, at least one.
    fn fitting(&self, max_bytes: Option<usize>) -> Result<Outlined, Diagnostic> {
        let all = self.len();
        let Some(max_bytes) = max_bytes else {
            return Ok(self.outlined(all));
        };
        let (mut fitting, mut too_many) = (0, all + 1);
        while too_many - fitting > 1 {
            let middle = fitting + (too_many - fitting) / 2;
            match self.outlined(middle).text().len() <= max_bytes {
                true => fitting = middle,
                false => too_many = middle,
            }
        }
        let outlined = self.outlined(fitting.max(1));
        let length = outlined.text().len();
        match length <= max_bytes {
            true => Ok(outlined),
            false => Err(too_small(max_bytes, length)),
        }
    }

    /// Returns the answer with the first `count` symbols.
    fn outlined(&self, count: usize) -> Outlined {
        let mut outlined = Outlined {
            files: Vec::new(),
            files_looked_at: self.page.files_looked_at,
            cursor: self.page.cursor.as_ref().map(|cursor| {
                let totals = self.totals;
                let cursor = cursor.clone();
                PageCursor { totals, ..cursor }.to_string()
            }),
            notes: self.page.notes.clone(),
            ..Outlined::with_totals(self.totals)
        };
        let mut left = count;
        for (path, items) in &self.page.files {
            let taken = &items[..items.len().min(left)];
            if !taken.is_empty() || items.is_empty() {
                outlined.files.push(FileOutline {
                    file_path: path.display().to_string(),
                    symbols: nested(taken.to_vec()),
                });
            }
            left -= taken.len();
            if taken.len() < items.len() {
                let cursor = PageCursor {
                    file_path: path.display().to_owned(),
                    answered: self.list.answered(path) + taken.len(),
                    totals: self.totals,
                };
                outlined.cursor = Some(cursor.to_string());
                let place = self.list.files().iter().position(|file| file == path);
                outlined.files_looked_at = place.map_or(outlined.files_looked_at, |own| own + 1);
                break;
            }
        }
        outlined
    }
}

impl Outlined {
    /// Returns an answer without symbols.
    fn with_totals(totals: Option<Totals>) -> Outlined {
        Outlined {
            files: Vec::new(),
            summary: Vec::new(),
            ranked: Vec::new(),
            files_looked_at: 0,
            files_total: totals.map(|totals| totals.files),
            symbols_total: totals.map(|totals| totals.items),
            totals_are_partial: totals.is_some_and(|totals| totals.is_partial),
            cursor: None,
            notes: Vec::new(),
        }
    }
}

/// Returns the answer about all files of a survey, without their symbols.
fn without_symbols<T>(list: &FileList, survey: &Survey<T>) -> Outlined {
    let done = survey.files.len();
    Outlined {
        files_looked_at: done,
        notes: list.notes_at(done, survey.stopped, &survey.skipped()),
        ..Outlined::with_totals(Some(survey.totals))
    }
}

fn too_small(max_bytes: usize, needed: usize) -> Diagnostic {
    diagnostic::about_arguments(format!("max_bytes {max_bytes} is too small"))
        .help(format!("the shortest answer has {needed} bytes"))
}

fn listed(parsed: &Parsed, index: usize) -> SymbolListed {
    let symbol = &parsed.outline().symbols()[index];
    SymbolListed {
        name: symbol.name.clone(),
        kind: symbol.kind.to_string(),
        line: parsed.source().line_of(symbol.name_span.start()),
        locate: LocateArgument(locate::describe_symbol(parsed, index)),
        symbols: Vec::new(),
    }
}

/// Returns the first symbols of a file that begin in a part of it, at most [`SYMBOLS_LISTED`].
pub(super) fn symbols_in(parsed: &Parsed, part: Span) -> Vec<SymbolListed> {
    let symbols = parsed.outline().symbols();
    let within = shown(parsed, SYMBOL_LEVELS, &[]).into_iter();
    let within = within.filter(|(index, _)| part.contains(symbols[*index].name_span));
    let items = within.take(SYMBOLS_LISTED).map(|(index, level)| Listed {
        symbol: listed(parsed, index),
        level,
    });
    nested(items.collect())
}

/// Returns the symbols of the given kinds, by index. Each has its depth among them, which is below `depth`.
fn shown(parsed: &Parsed, depth: usize, kinds: &[String]) -> Vec<(usize, usize)> {
    let symbols = parsed.outline().symbols();
    let mut chains = parsed.chains();
    // A kind that is not a general word of the language matches no node.
    let language = parsed.source().language();
    let words: Vec<&String> = kinds
        .iter()
        .filter(|kind| language.knows_word(kind))
        .collect();
    // The depth of each symbol among those of the given kinds.
    let mut levels: Vec<usize> = Vec::new();
    let mut shown = Vec::new();
    for (index, symbol) in symbols.iter().enumerate() {
        let above = symbol.parent.map_or(0, |parent| levels[parent]);
        let mut is_word = |word: &&String| {
            let chain = chains.at(symbol.name_span);
            let is_own = |node: &Node<'_>| node.span() == symbol.node_span;
            let own = chain.iter().rposition(is_own);
            own.is_some_and(|own| {
                let parent = own.checked_sub(1).map(|parent| chain[parent]);
                chain[own].is_word(word, parent)
            })
        };
        let is_wanted = kinds.is_empty()
            || kinds.iter().any(|kind| symbol.kind == kind)
            || words.iter().any(&mut is_word);
        levels.push(above + usize::from(is_wanted));
        if is_wanted && above < depth {
            shown.push((index, above));
        }
    }
    shown
}

/// Returns the symbols as a tree: the parent of a symbol is the last preceding symbol of a lower depth. A symbol whose
/// parent is on the preceding page is at the top level.
fn nested(items: Vec<Listed>) -> Vec<SymbolListed> {
    let mut open: Vec<Listed> = Vec::new();
    let mut all = Vec::new();
    let close = |open: &mut Vec<Listed>, all: &mut Vec<SymbolListed>| {
        if let Some(last) = open.pop() {
            let outer = open.last_mut().map(|outer| &mut outer.symbol.symbols);
            outer.unwrap_or(all).push(last.symbol);
        }
    };
    for item in items {
        while open.last().is_some_and(|last| last.level >= item.level) {
            close(&mut open, &mut all);
        }
        open.push(item);
    }
    while !open.is_empty() {
        close(&mut open, &mut all);
    }
    all
}

/// Refuses kinds that no symbol can have.
fn check_kinds(kinds: &[String]) -> Result<(), Diagnostic> {
    let known = || language::all().flat_map(Language::symbol_kinds);
    let is_known = |kind: &str| GENERAL_WORDS.contains(&kind) || known().any(|own| own == kind);
    match kinds.iter().find(|kind| !is_known(kind)) {
        None => Ok(()),
        Some(unknown) => {
            let mut all: Vec<&str> = known().collect();
            all.sort_unstable();
            all.dedup();
            let message = format!("unknown symbol kind {unknown:?}");
            Err(Diagnostic {
                help: Some(format!("the kinds are {}", all.join(", "))),
                ..diagnostic::about_arguments(message)
            })
        }
    }
}
