//! Sends requests about named places to language servers, and previews the edits that servers suggest
//! (docs/design/front-ends.md#language-servers).
//!
//! A request is about a [`NamedPlace`](super::request::questions::NamedPlace). Its answer distinguishes a server's
//! failure from an empty result, and reports how complete it is. A place that does not resolve is a
//! [`RefusedCall`](super::response::RefusedCall). Servers are notified of the current files before every request.

mod clashes;
mod edits;
mod file_roles;
mod judged;
mod lookups;
mod outcome;
mod overrides;
mod place;
mod reach;
mod renames;
mod scopes;
pub mod server_checks;
mod unrenamed;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use gen_lsp_types::{
    CompletionResponse, DefinitionResponse, DiagnosticSeverity, WorkspaceSymbolLocation,
    WorkspaceSymbolResponse,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::diagnostic::{self, Code, Diagnostic};
use crate::language::{self, Language};
use crate::locate;
use crate::lsp::configuration::Configuration;
use crate::lsp::convert::{self, ServerLocation};
use crate::lsp::diagnostics::DiagnosticsWait;
use crate::lsp::documents::{FILE_LIMIT, Stamp};
use crate::lsp::language_server::{LanguageServer, ServerAnswer};
use crate::lsp::servers::{ServerAvailability, Servers};
use crate::lsp::{Completeness, ServerError, Situation};
use crate::parse::Parsed;
use crate::source::{Source, Span};
use crate::workspace::{Extent, WorkspacePath};

use super::calls::{CallContext, ToolRequest};
use super::core::Engine;
use super::made::EditsAnswer;
use super::request::LocateArgument;
use super::response::{EditMade, PendingRefusal, Refused};

use super::files::page_size;
use super::request::questions::{
    CodeActions, Completions, DefinitionKind, Diagnostics, FindReferences, Format, GotoDefinition,
    Hover, ReferenceKind, RenameSymbol, SignatureHelp, WorkspaceSymbols,
};
use super::response::questions::{
    Actions, Completed, Completion, Definitions, Diagnosed, Hovered, Known, Location, Outcome,
    Problem, ProblemsChanged, References, Signature, Signatures, SymbolFound, SymbolsFound,
};
use super::server_pool::ServerPool;
use place::{Asked, names_within};

/// The default number of places or problems in an answer.
const LISTED: usize = 50;
/// The maximum number of places or problems in an answer.
const LISTED_LIMIT: usize = 2_000;
/// The maximum number of workspace files whose changes a server is notified of.
const FILES_WATCHED: usize = FILE_LIMIT;
/// The maximum number of files that one call diagnoses.
const FILES_DIAGNOSED: usize = 200;
/// The maximum number of languages whose servers list symbols in one answer. Languages with the most files come first.
const LANGUAGES_ASKED: usize = 3;
/// The LSP method that lists the symbols of the workspace.
const SYMBOLS: &str = "workspace/symbol";
/// How long to wait for an indexing server before a request that needs the whole project.
const INDEXING_WAIT: Duration = Duration::from_secs(15);
/// How long to wait for an indexing server before a request that it can mostly answer from the file itself.
const DEFINITION_WAIT: Duration = Duration::from_secs(2);
/// How long to wait for the problems of a written file, before and after the write.
const AFTER_EDIT_WAIT: Duration = Duration::from_secs(3);
/// How long to wait for the problems of one file.
const DIAGNOSTICS_WAIT: Duration = Duration::from_secs(10);

impl Engine {
    /// Returns the definitions of a name, from its language server.
    ///
    /// # Errors
    /// The position does not resolve. If a server has no answer, the returned value reports it.
    pub fn goto_definition(&self, request: &GotoDefinition) -> Result<Definitions, Refused> {
        self.answer(request)
    }

    /// Returns the uses of a name, from its language server.
    ///
    /// # Errors
    /// As [`Engine::goto_definition`].
    pub fn find_references(&self, request: &FindReferences) -> Result<References, Refused> {
        self.answer(request)
    }

    /// Returns the description of a name, from its language server.
    ///
    /// # Errors
    /// As [`Engine::goto_definition`].
    pub fn hover(&self, request: &Hover) -> Result<Hovered, Refused> {
        self.answer(request)
    }

    /// Returns the problems in files, from their language servers.
    ///
    /// # Errors
    /// The path does not resolve. If a server has no answer, the returned value reports it.
    pub fn diagnostics(&self, request: &Diagnostics) -> Result<Diagnosed, Refused> {
        self.answer(request)
    }

    /// Returns the workspace symbols that match a name, from the language servers.
    ///
    /// # Errors
    /// `max_items` is 0. If a server has no answer, the returned value reports it.
    pub fn workspace_symbols(&self, request: &WorkspaceSymbols) -> Result<SymbolsFound, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, a rename by the symbol's language server. With `complete`, uses that the server
    /// leaves out are renamed too.
    ///
    /// # Errors
    /// The position does not resolve; the server is missing, not ready, or has no answer; or its edit fails a check.
    pub fn rename_symbol(&self, request: &RenameSymbol) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Returns the completions at a position, from its language server.
    ///
    /// # Errors
    /// As [`Engine::goto_definition`].
    pub fn completions(&self, request: &Completions) -> Result<Completed, Refused> {
        self.answer(request)
    }

    /// Returns the signatures of a call, from its language server.
    ///
    /// # Errors
    /// As [`Engine::goto_definition`].
    pub fn signature_help(&self, request: &SignatureHelp) -> Result<Signatures, Refused> {
        self.answer(request)
    }

    /// Previews, or with `apply` writes, the formatting of a file or a range of lines by its language server.
    ///
    /// # Errors
    /// The file does not exist; or the server is missing, has no answer, or has nothing to change.
    pub fn format(&self, request: &Format) -> Result<EditMade, Refused> {
        self.answer(request)
    }

    /// Returns the code actions of a language server at a position, or previews the one with the given title.
    ///
    /// # Errors
    /// As [`Engine::goto_definition`]; with a title, as [`Engine::rename_symbol`].
    pub fn code_actions(&self, request: &CodeActions) -> Result<Actions, Refused> {
        self.answer(request)
    }

    /// Returns the engine with these language servers instead of those in the user's configuration.
    pub fn with_servers(self, configuration: Configuration) -> Engine {
        Engine {
            server_pool: Arc::new(ServerPool::from_configuration(configuration)),
            ..self
        }
    }

    /// Returns the engine with the language servers of another engine for the same roots, also those that run.
    pub fn with_servers_of(self, other: &Engine) -> Engine {
        Engine {
            server_pool: other.server_pool.clone(),
            ..self
        }
    }

    /// Lists the configured language servers, and the processes of the running ones. Starts no server.
    ///
    /// # Errors
    /// The user's configuration cannot be read.
    pub fn language_servers(&self) -> Result<Vec<ServerAvailability>, Refused> {
        let servers = self.server_pool.servers(&self.workspace);
        servers
            .map(Servers::availability)
            .map_err(|refusal| self.refusal_of("language_servers", &json!({}), refusal))
    }

    /// Stops the running language servers. No server starts afterwards.
    pub fn stop_servers(&self) {
        self.server_pool.stop();
    }
}

impl ToolRequest for GotoDefinition {
    type Answer = Definitions;

    const TOOL: &'static str = "goto_definition";

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<Definitions, PendingRefusal> {
        let asked = engine.asked(&self.place)?;
        let (what, provider, method) = match self.kind {
            DefinitionKind::Definition => (
                "definition",
                "definitionProvider",
                "textDocument/definition",
            ),
            DefinitionKind::Declaration => (
                "declaration",
                "declarationProvider",
                "textDocument/declaration",
            ),
            DefinitionKind::Type => (
                "type definition",
                "typeDefinitionProvider",
                "textDocument/typeDefinition",
            ),
            DefinitionKind::Implementation => (
                "implementation",
                "implementationProvider",
                "textDocument/implementation",
            ),
        };
        let found = engine.question(&asked, (what, provider, method), |server| {
            server.wait_until_ready(DEFINITION_WAIT.min(patience(server)));
            let answered: ServerAnswer<Option<DefinitionResponse>> =
                ask_until_ready(server, method, || asked.params(server), Option::is_none)?;
            Ok(answered.map(convert::definitions))
        });
        let symbol = asked.symbol.clone();
        Ok(match known(found, what, &symbol) {
            Ok((server, found)) => {
                let targets = in_order(found.result);
                let mut outcome = Outcome::from_completeness(found.completeness);
                outcome.notes.extend(server.take_note());
                let located = engine.locations(&server, &targets);
                outcome.notes.extend(unread_text(&targets, &located));
                Definitions {
                    outcome,
                    symbol,
                    locations: located.into_iter().flatten().collect(),
                }
            }
            Err(diagnostic) => Definitions {
                outcome: Outcome::failed(&diagnostic),
                symbol,
                locations: Vec::new(),
            },
        })
    }
}

impl ToolRequest for FindReferences {
    type Answer = References;

    const TOOL: &'static str = "find_references";

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<References, PendingRefusal> {
        let (wanted, note) = page_size(self.max_items, LISTED, LISTED_LIMIT)?;
        let skipped = match &self.cursor {
            None => 0,
            Some(cursor) => cursor.parse::<usize>().map_err(|_| {
                diagnostic::about_arguments(format!(
                    "invalid cursor {cursor:?}; pass the cursor of the previous page"
                ))
            })?,
        };
        let asked = engine.asked(&self.place)?;
        let found = engine.references(&asked, self.kind);
        let symbol = asked.symbol.clone();
        Ok(match known(found, reference_word(self.kind), &symbol) {
            Ok((server, found)) => {
                let mut outcome = Outcome::from_completeness(found.completeness);
                outcome.notes.extend(server.take_note());
                outcome.notes.extend(note);
                let mut targets = in_order(found.result);
                if self.kind == ReferenceKind::References {
                    (outcome, targets) = engine.named_targets(&server, targets, &symbol, outcome);
                }
                if outcome.completeness != Known::Complete {
                    let namesakes = engine.namesakes(&asked, &server, &targets);
                    outcome.notes.extend(namesakes);
                }
                let page: Vec<ServerLocation> =
                    targets.iter().skip(skipped).take(wanted).cloned().collect();
                let located = engine.locations(&server, &page);
                outcome.notes.extend(unread_text(&page, &located));
                let next = skipped + page.len();
                References {
                    outcome,
                    symbol,
                    reference_count: targets.len(),
                    references: located.into_iter().flatten().collect(),
                    cursor: (next < targets.len()).then(|| next.to_string()),
                }
            }
            Err(diagnostic) => References {
                outcome: Outcome::failed(&diagnostic),
                symbol,
                ..References::default()
            },
        })
    }
}

impl ToolRequest for Hover {
    type Answer = Hovered;

    const TOOL: &'static str = "hover";

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<Hovered, PendingRefusal> {
        let asked = engine.asked(&self.place)?;
        let method = "textDocument/hover";
        let found = engine.question(&asked, ("hover", "hoverProvider", method), |server| {
            let answered: ServerAnswer<Value> =
                ask_until_ready(server, method, || asked.params(server), Value::is_null)?;
            let text = match &answered.result {
                Value::Null => Some(String::new()),
                hover => convert::hover_text(&hover["contents"]),
            };
            let text = text.ok_or_else(|| {
                let (method, why) = (method.to_string(), "it has no contents".to_string());
                server.client().error(Situation::Malformed { method, why })
            })?;
            Ok(answered.map(|_| text))
        });
        let nothing = || diagnostic::about_nothing_known("description", &asked.symbol);
        let found = found.and_then(|(server, found)| match found.result.is_empty() {
            true => Err(nothing()),
            false => Ok((server, found)),
        });
        let (outcome, text) = match found {
            Ok((server, found)) => {
                let mut outcome = Outcome::from_completeness(found.completeness);
                outcome.notes.extend(server.take_note());
                (outcome, found.result)
            }
            Err(diagnostic) => (Outcome::failed(&diagnostic), String::new()),
        };
        Ok(Hovered {
            outcome,
            symbol: asked.symbol,
            text,
        })
    }
}

impl ToolRequest for Diagnostics {
    type Answer = Diagnosed;

    const TOOL: &'static str = "diagnostics";

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<Diagnosed, PendingRefusal> {
        let (wanted, note) = page_size(self.max_items, LISTED, LISTED_LIMIT)?;
        let extents = engine.extents(&self.path)?;
        let is_alone = matches!(*extents, [Extent::File(_)]);
        let found = engine.workspace.files(&extents, None, FILES_DIAGNOSED);
        let mut all = Vec::new();
        let mut outcome = Outcome::from_completeness(Completeness::Complete);
        outcome.notes.extend(note);
        let mut failed: BTreeMap<&str, Diagnostic> = BTreeMap::new();
        let mut is_asked = false;
        let wait = DiagnosticsWait {
            since: Instant::now(),
            ready_until: Instant::now() + INDEXING_WAIT,
            answer_within: DIAGNOSTICS_WAIT,
            runs_check: true,
        };
        for path in &found.files {
            let language = engine.language_at(path).name;
            if !is_alone && (failed.contains_key(language) || Servers::has_none(language)) {
                continue;
            }
            let parsed = match engine.parsed_at(path) {
                Ok(parsed) => parsed,
                Err(diagnostic) if is_alone => return Err(diagnostic.into()),
                Err(diagnostic) => {
                    let why = format!("{}: {}", path.display(), diagnostic.message);
                    outcome = outcome.degraded(why);
                    continue;
                }
            };
            match engine.problems(path, &parsed, wait) {
                Ok(found) => {
                    outcome.notes.extend(found.note.clone());
                    outcome = outcome.with(found.completeness.clone());
                    if let Some(why) = unreported(&parsed, &found) {
                        outcome = outcome.degraded(format!("{}: {why}", path.display()));
                    }
                    all.extend(found.problems);
                }
                Err(diagnostic) => {
                    failed.insert(parsed.source().language().name, diagnostic);
                    continue;
                }
            }
            is_asked = true;
        }
        if !is_asked && let Some(diagnostic) = failed.values().next() {
            outcome = Outcome::failed(diagnostic);
        } else {
            for diagnostic in failed.values() {
                outcome = outcome.degraded(diagnostic.message.clone());
            }
        }
        if found.rest.is_some() {
            outcome = outcome.degraded(format!(
                "only the first {FILES_DIAGNOSED} files were checked"
            ));
        }
        if outcome.success && !is_asked {
            let message = format!("no file in {} has a language server", self.path);
            outcome = Outcome::failed(&Diagnostic::new(Code::ServerNotInstalled, message));
        }
        let diagnostic_count = all.len();
        all.truncate(wanted);
        Ok(Diagnosed {
            outcome,
            diagnostic_count,
            diagnostics: all,
        })
    }
}

impl ToolRequest for WorkspaceSymbols {
    type Answer = SymbolsFound;

    const TOOL: &'static str = "workspace_symbols";

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<SymbolsFound, PendingRefusal> {
        let (wanted, note) = page_size(self.max_items, LISTED, LISTED_LIMIT)?;
        let mut outcome = Outcome::from_completeness(Completeness::Complete);
        outcome.notes.extend(note);
        let mut symbols = Vec::new();
        let mut failed = Vec::new();
        let mut missing = None;
        let mut asked = 0;
        let mut left = Vec::new();
        let (languages, is_all) = engine.languages_here();
        for (language, path) in languages {
            if asked == LANGUAGES_ASKED {
                left.push(language);
                continue;
            }
            let server = match engine.opened(&path) {
                Ok(opened) => engine.server(&path, opened.source()),
                Err(diagnostic) => Err(diagnostic),
            };
            let found = match server {
                Err(diagnostic) => Err(diagnostic),
                // A server that cannot list symbols is not part of the answer.
                Ok(server) if !server.client().can("workspaceSymbolProvider", SYMBOLS) => {
                    let command = server.client().launch().command.join(" ");
                    let none = || diagnostic::about_no_answers(language, &command, "symbols");
                    missing.get_or_insert_with(none);
                    continue;
                }
                Ok(server) => {
                    outcome.notes.extend(server.take_note());
                    engine.symbols_of_language(language, &server, &self.query)
                }
            };
            match found {
                Ok(found) => {
                    asked += 1;
                    outcome = outcome.with(found.completeness);
                    add_new(&mut symbols, found.result);
                }
                Err(diagnostic) => failed.push(diagnostic),
            }
        }
        outcome = match asked {
            0 => Outcome::failed(&failed.into_iter().next().or(missing).unwrap_or_else(|| {
                let message = "no file in the workspace has a language server";
                Diagnostic::new(Code::ServerNotInstalled, message)
            })),
            _ => symbols_incomplete(outcome, &failed, &left, is_all),
        };
        let symbol_count = symbols.len();
        symbols.truncate(wanted);
        Ok(SymbolsFound {
            outcome,
            symbol_count,
            symbols,
        })
    }
}

impl ToolRequest for Completions {
    type Answer = Completed;

    const TOOL: &'static str = "completions";

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<Completed, PendingRefusal> {
        let (wanted, note) = page_size(self.max_items, LISTED, LISTED_LIMIT)?;
        let asked = engine.asked(&self.place)?;
        let method = "textDocument/completion";
        let question = ("completions", "completionProvider", method);
        let found = engine.question(&asked, question, |server| {
            let params = || asked.params(server);
            let is_empty = |found: &Option<CompletionResponse>| found.is_none();
            ask_until_ready(server, method, params, is_empty)
        });
        let found = found.map(|(_, found)| found);
        let (mut outcome, items) = match found {
            Err(diagnostic) => (Outcome::failed(&diagnostic), Vec::new()),
            Ok(found) => {
                let outcome = Outcome::from_completeness(found.completeness);
                match found.result {
                    None => (outcome, Vec::new()),
                    Some(CompletionResponse::CompletionItemList(items)) => (outcome, items),
                    Some(CompletionResponse::CompletionList(list)) => {
                        let outcome = match list.is_incomplete {
                            true => outcome
                                .degraded("the server returned an incomplete list".to_string()),
                            false => outcome,
                        };
                        (outcome, list.items)
                    }
                }
            }
        };
        outcome.notes.extend(note);
        let mut items: Vec<(String, Completion)> = items
            .into_iter()
            .map(|item| {
                let order = item.sort_text.unwrap_or_else(|| item.label.clone());
                let completion = Completion {
                    label: item.label,
                    kind: item.kind.map(|kind| convert::kind_name(&kind)),
                    detail: item.detail,
                };
                (order, completion)
            })
            .collect();
        items.sort_by(|(a, _), (b, _)| a.cmp(b));
        let item_count = items.len();
        items.truncate(wanted);
        Ok(Completed {
            outcome,
            item_count,
            items: items.into_iter().map(|(_, item)| item).collect(),
        })
    }
}

impl ToolRequest for SignatureHelp {
    type Answer = Signatures;

    const TOOL: &'static str = "signature_help";

    fn answer(&self, engine: &Engine, _: &CallContext<'_>) -> Result<Signatures, PendingRefusal> {
        let asked = engine.asked(&self.place)?;
        let method = "textDocument/signatureHelp";
        let question = ("signatures", "signatureHelpProvider", method);
        let found = engine.question(&asked, question, |server| {
            let params = || asked.params(server);
            ask_until_ready(
                server,
                method,
                params,
                Option::<gen_lsp_types::SignatureHelp>::is_none,
            )
        });
        let nothing = || {
            let help = "put the place inside the parentheses of a call, after the opening one";
            Diagnostic {
                help: Some(help.to_string()),
                ..diagnostic::about_nothing_known("signature", &asked.symbol)
            }
        };
        let found = found.and_then(|(_, found)| match found.result {
            Some(help) if !help.signatures.is_empty() => Ok((found.completeness, help)),
            _ => Err(nothing()),
        });
        Ok(match found {
            Err(diagnostic) => Signatures {
                outcome: Outcome::failed(&diagnostic),
                ..Signatures::default()
            },
            Ok((completeness, help)) => Signatures {
                outcome: Outcome::from_completeness(completeness),
                active_parameter: serde_json::to_value(help.active_parameter)
                    .ok()
                    .and_then(|number| Some(number.as_u64()? as usize + 1)),
                signatures: help
                    .signatures
                    .into_iter()
                    .map(|one| Signature {
                        label: one.label,
                        documentation: one
                            .documentation
                            .and_then(|words| serde_json::to_value(words).ok())
                            .and_then(|words| convert::hover_text(&words))
                            .unwrap_or_default(),
                    })
                    .collect(),
            },
        })
    }
}

impl Engine {
    /// Omits the targets that do not contain the symbol's name, and reports how many.
    fn named_targets(
        &self,
        server: &LanguageServer,
        targets: Vec<ServerLocation>,
        symbol: &str,
        outcome: Outcome,
    ) -> (Outcome, Vec<ServerLocation>) {
        let all = targets.len();
        let targets = self.holding_the_name(server, targets, symbol);
        let outcome = match all - targets.len() {
            0 => outcome,
            left_out => outcome.degraded(format!(
                "omitted {left_out} of {all} places that do not contain `{symbol}`"
            )),
        };
        (outcome, targets)
    }

    fn references(
        &self,
        asked: &Asked,
        kind: ReferenceKind,
    ) -> Result<(Arc<LanguageServer>, ServerAnswer<Vec<ServerLocation>>), Diagnostic> {
        let prepare_types = "textDocument/prepareTypeHierarchy";
        let prepare_calls = "textDocument/prepareCallHierarchy";
        let calls = ("call hierarchy", "callHierarchyProvider", prepare_calls);
        let types = ("type hierarchy", "typeHierarchyProvider", prepare_types);
        match kind {
            ReferenceKind::References => {
                let method = "textDocument/references";
                let question = ("references", "referencesProvider", method);
                self.question(asked, question, |server| {
                    server.wait_until_ready(INDEXING_WAIT.min(patience(server)));
                    let params = || {
                        let mut params = asked.params(server);
                        params["context"] = json!({"includeDeclaration": true});
                        params
                    };
                    let answered =
                        ask_until_ready(server, method, params, |found: &Option<Vec<_>>| {
                            found.as_ref().is_none_or(Vec::is_empty)
                        })?;
                    Ok(answered.map(|found| convert::locations(found.unwrap_or_default())))
                })
            }
            ReferenceKind::Callers => self.question(asked, calls, |server| {
                let method = "callHierarchy/incomingCalls";
                hierarchy(server, asked, prepare_calls, method, convert::callers)
            }),
            ReferenceKind::Callees => self.question(asked, calls, |server| {
                let method = "callHierarchy/outgoingCalls";
                hierarchy(server, asked, prepare_calls, method, convert::callees)
            }),
            ReferenceKind::Subtypes => self.question(asked, types, |server| {
                let method = "typeHierarchy/subtypes";
                hierarchy(server, asked, prepare_types, method, convert::types)
            }),
            ReferenceKind::Supertypes => self.question(asked, types, |server| {
                let method = "typeHierarchy/supertypes";
                hierarchy(server, asked, prepare_types, method, convert::types)
            }),
        }
    }

    /// Returns the problems in one file, in text order.
    fn problems(
        &self,
        path: &WorkspacePath,
        parsed: &Arc<Parsed>,
        wait: DiagnosticsWait,
    ) -> Result<ProblemsFound, Diagnostic> {
        let server = self.server(path, parsed.source())?;
        problems_of(&server, path, parsed, wait)
    }

    /// Writes edits, and reports on the first one how they change the problems that running servers find in their files.
    pub(super) fn asking_servers<'a, T: EditsAnswer, E>(
        &self,
        paths: impl Iterator<Item = &'a str>,
        write: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let asked = self.running_servers(paths);
        if asked.is_empty() {
            return write();
        }
        let before = self.problems_now(&asked);
        let mut written = write()?;
        let Some(made) = written.first_mut() else {
            return Ok(written);
        };
        match before.and_then(|(before, _)| Ok((before, self.problems_now(&asked)?))) {
            Ok((before, (after, incomplete))) => {
                made.notes
                    .extend(incomplete.map(|why| format!("diagnostics may be incomplete: {why}")));
                made.diagnostics = Some(problems_changed(&before, &after));
            }
            Err(diagnostic) => {
                let note = format!(
                    "diagnostics before and after the edit are unknown: {}",
                    diagnostic.message
                );
                made.notes.push(note);
            }
        }
        Ok(written)
    }

    /// Returns how the problems that a language server finds in a file changed since its text was `before`. Starts the
    /// server if it is not running, and waits at most `within` for it.
    ///
    /// # Errors
    /// The file cannot be read, its language has no server, or the server has not checked both texts in time.
    pub fn problems_since(
        &self,
        path: &str,
        before: &str,
        within: Duration,
    ) -> Result<ProblemsChanged, Diagnostic> {
        let resolved = self.workspace.resolve(path);
        let path = resolved.map_err(|error| diagnostic::about_file(&error))?;
        let after = self.parsed_at(&path)?;
        let language = after.source().language();
        let source = Source::new(path.display().as_str(), language, before.to_string());
        let before = Arc::new(Parsed::parse(source));
        let server = self.server(&path, after.source())?;
        let end = Instant::now() + within;
        let mut found = Vec::new();
        for parsed in [&before, &after] {
            let synced = self.synced(&server, &path, parsed.source());
            synced.map_err(|error| diagnostic::about_server(language.name, &error))?;
            let wait = DiagnosticsWait {
                since: Instant::now(),
                ready_until: end,
                answer_within: end.saturating_duration_since(Instant::now()),
                runs_check: false,
            };
            let problems = problems_of(&server, &path, parsed, wait)?;
            if let Completeness::StillIndexing { what } = problems.completeness {
                return Err(Diagnostic::new(Code::NotReady, what));
            }
            found.push(problems.problems);
        }
        Ok(problems_changed(&found[0], &found[1]))
    }

    /// Returns the files that have a running server, with this server.
    fn running_servers<'a>(
        &self,
        paths: impl Iterator<Item = &'a str>,
    ) -> Vec<(WorkspacePath, Arc<LanguageServer>)> {
        let mut running: Vec<(WorkspacePath, Arc<LanguageServer>)> = Vec::new();
        let Some(servers) = self.server_pool.servers.get() else {
            return running;
        };
        for path in paths {
            let Ok(path) = self.workspace.resolve(path) else {
                continue;
            };
            let server = servers.running(self.language_at(&path).name, path.absolute());
            if !running.iter().any(|(known, _)| *known == path) {
                running.extend(server.map(|server| (path, server)));
            }
        }
        running
    }

    /// Returns the problems of the files in their current state, and why some may be missing.
    ///
    /// # Errors
    /// A server has not checked the current state of the files.
    fn problems_now(
        &self,
        asked: &[(WorkspacePath, Arc<LanguageServer>)],
    ) -> Result<(Vec<Problem>, Option<String>), Diagnostic> {
        let mut all = Vec::new();
        let mut incomplete = None;
        for (path, server) in asked {
            let parsed = self.parsed_at(path)?;
            let synced = self.synced(server, path, parsed.source());
            let language = parsed.source().language().name;
            synced.map_err(|error| diagnostic::about_server(language, &error))?;
            let now = Instant::now();
            let wait = DiagnosticsWait {
                since: now,
                ready_until: now + AFTER_EDIT_WAIT,
                answer_within: AFTER_EDIT_WAIT,
                runs_check: false,
            };
            let found = problems_of(server, path, &parsed, wait)?;
            match found.completeness {
                Completeness::StillIndexing { what: why } => {
                    return Err(Diagnostic::new(Code::NotReady, why));
                }
                Completeness::Degraded { why } if !found.is_fresh => {
                    return Err(Diagnostic::new(Code::NotReady, why));
                }
                Completeness::Degraded { why } => {
                    incomplete.get_or_insert(why);
                }
                Completeness::Complete => {}
            }
            all.extend(found.problems);
        }
        Ok((all, incomplete))
    }

    /// Returns the languages of the workspace that may have a server, each with one file. Languages with the most files
    /// come first. Also returns whether all files were examined.
    fn languages_here(&self) -> (Vec<(&'static str, WorkspacePath)>, bool) {
        let mut known: BTreeMap<&'static str, (usize, WorkspacePath)> = BTreeMap::new();
        let (files, is_all) = self.files_here();
        for path in files {
            // Many files have an extension that determines no language. Do not read these files.
            if self.workspace.language_of(path.display()).is_none()
                && path.display().extension().is_some()
            {
                continue;
            }
            let language = self.language_at(&path).name;
            if !Servers::has_none(language) {
                known.entry(language).or_insert((0, path)).0 += 1;
            }
        }
        let mut known: Vec<_> = known.into_iter().collect();
        known.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let known = known.into_iter();
        let known = known.map(|(language, (_, path))| (language, path));
        (known.collect(), is_all)
    }

    fn symbols_of_language(
        &self,
        language: &'static str,
        server: &LanguageServer,
        query: &str,
    ) -> Result<ServerAnswer<Vec<SymbolFound>>, Diagnostic> {
        server.wait_until_ready(INDEXING_WAIT.min(patience(server)));
        let found: ServerAnswer<Option<WorkspaceSymbolResponse>> = server
            .ask(SYMBOLS, json!({"query": query}))
            .map_err(|error| diagnostic::about_server(language, &error))?;
        let list = match found.result {
            None => Vec::new(),
            Some(WorkspaceSymbolResponse::SymbolInformationList(list)) => list
                .into_iter()
                .map(|one| {
                    let base = one.base_symbol_information;
                    (base.name, base.kind, one.location)
                })
                .collect(),
            Some(WorkspaceSymbolResponse::WorkspaceSymbolList(list)) => list
                .into_iter()
                .filter_map(|one| {
                    let base = one.base_symbol_information;
                    match one.location {
                        WorkspaceSymbolLocation::Location(location) => {
                            Some((base.name, base.kind, location))
                        }
                        // The client does not announce support for these locations.
                        WorkspaceSymbolLocation::LocationUriOnly(_) => None,
                    }
                })
                .collect(),
        };
        let mut names = Vec::new();
        let mut places = Vec::new();
        for (name, kind, location) in list {
            names.push((name, convert::kind_name(&kind)));
            places.push(location);
        }
        // Some servers return the span of the whole definition, including what is attached to it.
        let located = self.locations_with(
            server,
            &convert::locations(places),
            |index, source, span| {
                let name = names[index].0.trim_end_matches("()");
                let name = name.rsplit(['.', ':']).next().unwrap_or(name);
                let first = names_within(source, span, name).into_iter().next();
                first.map_or(span, |start| Span::new(start, start + name.len()))
            },
        );
        let symbols = names.into_iter().zip(located);
        let symbols = symbols.filter_map(|((name, kind), location)| {
            Some(SymbolFound {
                name,
                kind,
                location: location?,
            })
        });
        let symbols: Vec<SymbolFound> = symbols.collect();
        Ok(ServerAnswer {
            result: symbols,
            completeness: found.completeness,
        })
    }

    /// Sends a request to the server of a file, if the server has the capability.
    fn question<R>(
        &self,
        asked: &Asked,
        (what, provider, method): (&str, &str, &str),
        ask: impl FnOnce(&LanguageServer) -> Result<ServerAnswer<R>, ServerError>,
    ) -> Result<(Arc<LanguageServer>, ServerAnswer<R>), Diagnostic> {
        let source = asked.parsed.source();
        let language = source.language().name;
        let server = self.server(&asked.path, source)?;
        if !server.client().can(provider, method) {
            let command = server.client().launch().command.join(" ");
            return Err(diagnostic::about_no_answers(language, &command, what));
        }
        let about = |error| diagnostic::about_server(language, &error);
        let answered = ask(&server).map_err(about)?;
        Ok((server, answered))
    }

    /// Returns the server of a file, after notifying it of the current files.
    fn server(
        &self,
        path: &WorkspacePath,
        source: &Source,
    ) -> Result<Arc<LanguageServer>, Diagnostic> {
        let language = source.language().name;
        let about = |error: ServerError| diagnostic::about_server(language, &error);
        let servers = self.server_pool.servers(&self.workspace)?;
        let server = servers
            .for_language(language, path.absolute())
            .map_err(about)?;
        self.synced(&server, path, source).map_err(about)?;
        Ok(server)
    }

    /// Returns the language of a file, from its name and its repository's settings, or else from its text.
    fn language_at(&self, path: &WorkspacePath) -> &'static Language {
        let by_name = self.workspace.language_of(path.display());
        by_name.unwrap_or_else(|| match self.opened(path) {
            Ok(opened) => opened.source().language(),
            // The file is not text.
            Err(_) => language::plain_text(),
        })
    }

    /// Notifies a server of the current files.
    fn synced(
        &self,
        server: &LanguageServer,
        path: &WorkspacePath,
        source: &Source,
    ) -> Result<(), ServerError> {
        self.synced_with(server, path.absolute(), source, self.stamps(server))
    }

    /// Notifies a server of the files in `stamps`.
    fn synced_with(
        &self,
        server: &LanguageServer,
        path: &Utf8Path,
        source: &Source,
        stamps: impl IntoIterator<Item = (Utf8PathBuf, Stamp)>,
    ) -> Result<(), ServerError> {
        let by_name = |file: &Utf8Path| self.workspace.language_of(file).map(|known| known.name);
        let text_of = |file: &Utf8Path| self.text_at(file);
        server.sync(path, source, stamps, text_of, by_name)
    }

    /// Returns the stamps of the workspace's files that a server reads.
    fn stamps(&self, server: &LanguageServer) -> Vec<(Utf8PathBuf, Stamp)> {
        let by_name = |file: &Utf8Path| self.workspace.language_of(file).map(|known| known.name);
        let reads = |file: &WorkspacePath| server.reads(file.absolute(), by_name(file.display()));
        let (files, is_all) = self.files_here();
        server.set_all_files_listed(is_all);
        let files = files.into_iter().filter(reads);
        let stamped = files.filter_map(|file| {
            let (modified, length) = self.workspace.stamp(&file)?;
            Some((file.absolute().to_owned(), Stamp { modified, length }))
        });
        stamped.collect()
    }

    /// Reads a file of the workspace. Returns `None` if it cannot be read.
    fn text_at(&self, file: &Utf8Path) -> Option<Source> {
        let path = self.workspace.resolve(file.as_str()).ok()?;
        Some(self.opened(&path).ok()?.source().clone())
    }

    /// Returns the files of the workspace, up to the number that a server is notified of, and whether these are all.
    fn files_here(&self) -> (Vec<WorkspacePath>, bool) {
        let roots = self
            .workspace
            .roots()
            .filter_map(|root| self.workspace.resolve(root.as_str()).ok());
        let mut files = Vec::new();
        let mut is_all = true;
        for root in roots {
            let found = self
                .workspace
                .files(&[Extent::Folder(root)], None, FILES_WATCHED);
            is_all &= found.rest.is_none() && !found.cut;
            files.extend(found.files);
        }
        is_all &= files.len() <= FILES_WATCHED;
        files.truncate(FILES_WATCHED);
        (files, is_all)
    }

    /// Returns the targets that contain the name. Keeps targets in files that are not read.
    fn holding_the_name(
        &self,
        server: &LanguageServer,
        targets: Vec<ServerLocation>,
        name: &str,
    ) -> Vec<ServerLocation> {
        let encoding = server.client().encoding();
        let mut texts: BTreeMap<Utf8PathBuf, Option<Source>> = BTreeMap::new();
        let mut holds = |target: &ServerLocation| {
            let Some(path) = &target.path else {
                return true;
            };
            let source = texts
                .entry(path.clone())
                .or_insert_with(|| self.text_at(path));
            source.as_ref().is_none_or(|source| {
                let span = convert::span_of(source, target.range, encoding);
                source.slice(span).contains(name)
            })
        };
        targets.into_iter().filter(|target| holds(target)).collect()
    }

    /// Returns the locations of targets; `None` for a target that is not a file.
    fn locations(
        &self,
        server: &LanguageServer,
        targets: &[ServerLocation],
    ) -> Vec<Option<Location>> {
        self.locations_with(server, targets, |_, _, span| span)
    }

    /// Does the same as [`Engine::locations`] for the part of each target that `part` returns.
    fn locations_with(
        &self,
        server: &LanguageServer,
        targets: &[ServerLocation],
        part: impl Fn(usize, &Source, Span) -> Span,
    ) -> Vec<Option<Location>> {
        let encoding = server.client().encoding();
        let mut known: BTreeMap<&Utf8Path, Option<(WorkspacePath, Arc<Parsed>)>> = BTreeMap::new();
        let located = targets.iter().enumerate().map(|(index, target)| {
            let path = target.path.as_deref()?;
            let file = known.entry(path).or_insert_with(|| {
                let path = self.workspace.resolve(path.as_str()).ok()?;
                let parsed = self.parsed_at(&path).ok()?;
                Some((path, parsed))
            });
            Some(match file {
                Some((path, parsed)) => {
                    let span = convert::span_of(parsed.source(), target.range, encoding);
                    location(path, parsed, part(index, parsed.source(), span))
                }
                None => outside(path, target),
            })
        });
        located.collect()
    }

    /// Returns a note on other files that the server reads and that contain the name, without the files of `targets`.
    fn namesakes(
        &self,
        asked: &Asked,
        server: &LanguageServer,
        targets: &[ServerLocation],
    ) -> Option<String> {
        let own = asked.path.display().to_string();
        let listed = targets.iter().filter_map(|one| one.path.as_deref());
        let listed: Vec<&Utf8Path> = listed.collect();
        let is_wanted = |file: &WorkspacePath| {
            server.reads(file.absolute(), Some(self.language_at(file).name))
                && !listed.contains(&file.absolute())
        };
        let (mut files, has_more) = self.holding(&own, &asked.symbol, is_wanted);
        files.retain(|(path, _)| *path != own);
        diagnostic::namesakes_text(&asked.symbol, &files, has_more)
    }
}

/// The problems that a server finds in a file.
struct ProblemsFound {
    /// The problems, in text order.
    problems: Vec<Problem>,
    /// How complete the server's knowledge was.
    completeness: Completeness,
    /// Whether the problems are those of the current text.
    is_fresh: bool,
    /// Why the server was restarted.
    note: Option<String>,
}

fn reference_word(kind: ReferenceKind) -> &'static str {
    match kind {
        ReferenceKind::References => "use",
        ReferenceKind::Callers => "caller",
        ReferenceKind::Callees => "callee",
        ReferenceKind::Subtypes => "subtype",
        ReferenceKind::Supertypes => "supertype",
    }
}

/// Reports why symbols may be missing: servers failed or were not asked, or some files were not examined.
fn symbols_incomplete(
    mut outcome: Outcome,
    failed: &[Diagnostic],
    not_asked: &[&str],
    is_all: bool,
) -> Outcome {
    for diagnostic in failed {
        outcome = outcome.degraded(diagnostic.message.clone());
    }
    if !not_asked.is_empty() {
        let languages = not_asked.join(", ");
        outcome = outcome.degraded(format!("the servers of {languages} were not asked"));
    }
    match is_all {
        true => outcome,
        false => outcome.degraded(format!(
            "only the first {FILES_WATCHED} files were examined for languages"
        )),
    }
}

/// Compares the problems before and after an edit. Each earlier problem matches at most one later problem.
fn problems_changed(before: &[Problem], after: &[Problem]) -> ProblemsChanged {
    let mut known: Vec<&Problem> = before.iter().collect();
    let is_new = |problem: &&Problem| {
        let same = known.iter().position(|known| known.is_like(problem));
        same.map(|same| known.swap_remove(same)).is_none()
    };
    ProblemsChanged {
        before: before.len(),
        after: after.len(),
        new: after.iter().filter(is_new).cloned().collect(),
    }
}

/// Returns why the server cannot have checked all of a file although it reports no error: the file does not parse.
fn unreported(parsed: &Parsed, found: &ProblemsFound) -> Option<String> {
    let strict = parsed.strict_problem().map(|one| one.offset);
    let own = || parsed.problems().first().map(|one| one.span.start());
    let line = parsed.source().line_of(strict.or_else(own)?);
    let mut reported = found.problems.iter();
    let is_reported = reported.any(|one| one.severity == "error" || one.location.line == line);
    (!is_reported)
        .then(|| format!("line {line} has a syntax error that the server does not report"))
}

/// Asks a server for the problems in a file that it has open.
fn problems_of(
    server: &LanguageServer,
    path: &WorkspacePath,
    parsed: &Parsed,
    wait: DiagnosticsWait,
) -> Result<ProblemsFound, Diagnostic> {
    let language = parsed.source().language().name;
    let found = server
        .diagnostics(path.absolute(), wait)
        .map_err(|error| diagnostic::about_server(language, &error))?;
    let encoding = server.client().encoding();
    let mut problems: Vec<(usize, Problem)> = Vec::new();
    for one in found.items {
        let span = convert::span_of(
            parsed.source(),
            convert::encoded_range(&one.range),
            encoding,
        );
        let severity = match one.severity {
            None | Some(DiagnosticSeverity::Error) => "error",
            Some(DiagnosticSeverity::Warning) => "warning",
            Some(DiagnosticSeverity::Information) => "information",
            Some(_) => "hint",
        };
        let mut value = serde_json::to_value(&one).unwrap_or_default();
        let code = match value["code"].take() {
            Value::String(code) => Some(code),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        };
        let message = match value["message"].take() {
            Value::String(message) => message,
            mut marked => marked["value"]
                .take()
                .as_str()
                .unwrap_or_default()
                .to_string(),
        };
        problems.push((
            span.start(),
            Problem {
                location: location(path, parsed, span),
                severity: severity.to_string(),
                message,
                code,
            },
        ));
    }
    problems.sort_by_key(|(start, _)| *start);
    Ok(ProblemsFound {
        problems: problems.into_iter().map(|(_, one)| one).collect(),
        completeness: found.completeness,
        is_fresh: found.is_current,
        note: server.take_note(),
    })
}

/// Returns how long to wait for an indexing server if an incomplete answer is useless: as long as for its first
/// answers.
fn patience(server: &LanguageServer) -> Duration {
    server.client().launch().timeouts.cold
}

/// Sends a request. If an indexing server has no result, sends the request again when the server is ready.
///
/// # Errors
/// As [`LanguageServer::ask`]; `NotReady` if the server has no result and is still indexing after the wait.
fn ask_until_ready<R: DeserializeOwned>(
    server: &LanguageServer,
    method: &str,
    params: impl Fn() -> Value,
    is_empty: impl Fn(&R) -> bool,
) -> Result<ServerAnswer<R>, ServerError> {
    let is_indexing = |answered: &ServerAnswer<R>| {
        matches!(answered.completeness, Completeness::StillIndexing { .. })
    };
    let first: ServerAnswer<R> = server.ask(method, params())?;
    if !is_empty(&first.result) || !is_indexing(&first) {
        return Ok(first);
    }
    server.client().ready_or_refuse(patience(server))?;
    server.ask(method, params())
}

/// Returns the related items in a hierarchy, using two requests.
fn hierarchy<T: DeserializeOwned>(
    server: &LanguageServer,
    asked: &Asked,
    prepare: &str,
    method: &str,
    convert: fn(Vec<T>) -> Vec<ServerLocation>,
) -> Result<ServerAnswer<Vec<ServerLocation>>, ServerError> {
    server.wait_until_ready(INDEXING_WAIT.min(patience(server)));
    let items: ServerAnswer<Option<Vec<Value>>> =
        ask_until_ready(server, prepare, || asked.params(server), Option::is_none)?;
    let mut found = items.map(|items| (items.unwrap_or_default(), Vec::new()));
    for item in std::mem::take(&mut found.result.0) {
        let of_item: ServerAnswer<Option<Vec<T>>> = server.ask(method, json!({"item": item}))?;
        found
            .result
            .1
            .extend(convert(of_item.result.unwrap_or_default()));
        if found.completeness == Completeness::Complete {
            found.completeness = of_item.completeness;
        }
    }
    Ok(found.map(|(_, targets)| targets))
}

/// Returns what was found. An empty result is an error.
fn known(
    found: Result<(Arc<LanguageServer>, ServerAnswer<Vec<ServerLocation>>), Diagnostic>,
    what: &str,
    symbol: &str,
) -> Result<(Arc<LanguageServer>, ServerAnswer<Vec<ServerLocation>>), Diagnostic> {
    let found = found?;
    match found.1.result.is_empty() {
        true => Err(diagnostic::about_nothing_known(what, symbol)),
        false => Ok(found),
    }
}

/// Sorts targets by file and position, and removes duplicates: of several that start at the same place, also with
/// another spelling of the URI, it keeps the shortest.
fn in_order(mut targets: Vec<ServerLocation>) -> Vec<ServerLocation> {
    let place = |target: &ServerLocation| {
        let uri = target.path.is_none().then(|| target.uri.clone());
        (target.path.clone(), uri, target.range)
    };
    targets.sort_by_cached_key(place);
    targets.dedup_by_key(|target| {
        let (path, uri, (start, _)) = place(target);
        (path, uri, start)
    });
    targets
}

/// Adds the symbols that are not yet in a list. Some servers list a symbol twice, and two servers may list the same one.
fn add_new(all: &mut Vec<SymbolFound>, found: Vec<SymbolFound>) {
    let place = |one: &SymbolFound| {
        let Location {
            file, line, column, ..
        } = &one.location;
        (one.name.clone(), file.clone(), *line, *column)
    };
    let mut known: BTreeSet<_> = all.iter().map(place).collect();
    all.extend(found.into_iter().filter(|one| known.insert(place(one))));
}

/// Returns a note on targets that are not files.
fn unread_text(targets: &[ServerLocation], located: &[Option<Location>]) -> Option<String> {
    let none = targets.iter().zip(located).filter(|(_, one)| one.is_none());
    let uris: Vec<&str> = none.map(|(target, _)| target.uri.as_str()).collect();
    let first = uris.first()?;
    Some(format!("{} places are not in files: {first}", uris.len()))
}

/// Returns a location in a file of the workspace.
fn location(path: &WorkspacePath, parsed: &Parsed, span: Span) -> Location {
    const WIDTH: usize = 120;
    let source = parsed.source();
    let (start, end) = (source.position(span.start()), source.position(span.end()));
    let line = source.line_span(start.line).map(|line| source.slice(line));
    let line = line.unwrap_or_default();
    let chain = parsed.chain(super::places::at_point(source, span.start()));
    let question = locate::describe(parsed, span.start()).question;
    Location {
        file: path.display().to_string(),
        line: start.line,
        column: start.character,
        end_line: end.line,
        end_column: end.character,
        preview: line.trim().chars().take(WIDTH).collect(),
        symbol_path: parsed.symbol_path(&chain),
        file_role: file_roles::file_role(path.relative(), source),
        locate: question.map(LocateArgument),
    }
}

/// Returns a location in a file that is not read because it is outside the workspace or not text.
fn outside(path: &Utf8Path, target: &ServerLocation) -> Location {
    let (start, end) = target.range;
    Location {
        file: path.to_string(),
        line: start.line as usize + 1,
        column: start.column as usize + 1,
        end_line: end.line as usize + 1,
        end_column: end.column as usize + 1,
        preview: String::new(),
        symbol_path: Vec::new(),
        file_role: None,
        locate: None,
    }
}
