//! Lists the symbols of files, each with a locator that resolves only to it.

use crate::diagnostic::{self, Diagnostic};
use crate::language::{GENERAL_WORDS, LANGUAGES, Language};
use crate::locate;
use crate::parse::{Node, Parsed};
use crate::workspace::WorkspacePath;

use super::calls::{CallAccess, CallContext, ToolRequest};
use super::files::{FilePage, FilesQuery};
use super::request::{LocateArgument, Outline};
use super::response::{FileOutline, Outlined, SymbolListed};
use super::{Engine, PendingRefusal, SYMBOL_LEVELS, SYMBOLS_LISTED};

/// A symbol, and the number of listed symbols that enclose it.
struct Listed {
    symbol: SymbolListed,
    level: usize,
}

impl ToolRequest for Outline {
    type Answer = Outlined;

    const TOOL: &'static str = "outline";

    fn access(&self) -> CallAccess {
        CallAccess::Path(self.path.clone())
    }

    fn answer(
        &self,
        engine: &Engine,
        context: &CallContext<'_>,
    ) -> Result<Outlined, PendingRefusal> {
        check_kinds(&self.kinds)?;
        let (max_items, note) = super::page_size(
            self.max_items,
            SYMBOLS_LISTED,
            engine.workspace.items_limit(),
        )?;
        if self.depth == Some(0) {
            return Err(diagnostic::about_arguments("depth counts from 1").into());
        }
        let call = FilesQuery {
            path: &self.path,
            cursor: self.cursor.as_deref(),
            max_items,
            watch: context.watch,
        };
        let mut page = engine.ask_files(&call, |path, page| engine.symbols_of(path, self, page))?;
        if let [(path, listed)] = &page.files[..]
            && listed.is_empty()
            && let Some(why) = engine.parsed_at(path)?.read_as_text()
        {
            page.notes.push(why);
        }
        let files = page.files.into_iter().map(|(path, items)| FileOutline {
            file_path: path.display().to_string(),
            symbols: nested(items),
        });
        Ok(Outlined {
            files: files.collect(),
            files_looked_at: page.files_looked_at,
            cursor: page.cursor.map(|cursor| cursor.to_string()),
            notes: note.into_iter().chain(page.notes).collect(),
        })
    }
}

impl Engine {
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
        let depth = request.depth.unwrap_or(match page.is_only_file {
            true => usize::MAX,
            false => SYMBOL_LEVELS,
        });
        let shown = shown(&parsed, depth, &request.kinds).into_iter();
        let wanted = shown.skip(page.skipped).take(page.wanted);
        Ok(wanted
            .map(|(index, level)| Listed {
                symbol: listed(&parsed, index),
                level,
            })
            .collect())
    }
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
    let known = || LANGUAGES.iter().flat_map(Language::symbol_kinds);
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
