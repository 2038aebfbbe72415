//! Explains why a move cannot keep the names of its code, and lists what it leaves unchanged.

use super::{counted, listed};
use crate::diagnostic::{Code, Diagnostic, PLACES_LISTED, PlaceView, Places, first_line};
use crate::names::{ImportNote, NotOrganized, NoteKind, Problem, ProblemKind, UnclearName};
use crate::parse::Parsed;
use crate::source::Span;

/// Explains that the import statements of a language are not known.
pub fn about_no_import_table(language: &str, known: &[&str]) -> Diagnostic {
    Diagnostic::new(
        Code::InvalidArguments,
        works_in("imports: true", language, known),
    )
    .help("leave imports out, and edit the import statements that the compiler reports with «edit_nodes»")
}

/// Explains that the import statements of a file cannot be organized, since those of its language are not known.
pub fn about_unorganized(path: &str, language: &str, known: &[&str]) -> Diagnostic {
    let message = format!("`{path}`: {}", works_in("organize_file", language, known));
    Diagnostic::new(Code::InvalidArguments, message).help("leave the file out")
}

fn works_in(what: &str, language: &str, known: &[&str]) -> String {
    let names: Vec<String> = known.iter().map(|name| name.to_string()).collect();
    format!("{what} works in {}, not in {language}", listed(&names))
}

/// Explains that the import statements of files need no change. `notes` are what was found.
pub fn about_organized(notes: &[String]) -> Diagnostic {
    let message =
        "no file would change: the import statements have what the code needs, and nothing else";
    let refused = Diagnostic::new(Code::NoChange, message);
    match notes.is_empty() {
        true => refused,
        false => refused.help(notes.join("; ")),
    }
}

/// Explains that files of two languages do not import each other.
pub fn about_other_language(language: &str, other: &str) -> Diagnostic {
    let message = format!(
        "imports: true moves code to a file of the same language, not from {language} to {other}"
    );
    Diagnostic::new(Code::InvalidArguments, message)
        .help("leave imports out, or choose another file")
}

/// Explains why the import statements of a file cannot follow an edit. `parsed` is its text after the edit.
pub(crate) fn about_imports(path: &str, parsed: &Parsed, why: &NotOrganized) -> Diagnostic {
    let all = match why {
        NotOrganized::Form(span) => {
            let message = format!(
                "cannot change the import statements of `{path}`: `{}` has an unknown form",
                first_line(parsed, *span)
            );
            return Diagnostic::new(Code::InvalidArguments, message).help(
                "leave imports out, and edit the import statements in the same «edit_nodes» call",
            );
        }
        NotOrganized::Unread(span) => {
            let line = parsed.source().line_of(span.start());
            let message = format!(
                "cannot change the import statements of `{path}`: the parser of the language cannot read line {line}"
            );
            return Diagnostic::new(Code::InvalidArguments, message).help(
                "leave imports out, and edit the import statements in the same «edit_nodes» call",
            );
        }
        NotOrganized::Circular(one) => {
            let message = format!(
                "`{}` in `{path}` needs an import of `{}`, but `{}` imports `{path}` while it is loaded",
                one.name, one.module, one.through
            );
            let chosen = serde_json::json!({&one.name: &one.module});
            let place = place(parsed, one.span, "uses the name");
            return with_places(Code::InvalidArguments, message, [place].into_iter()).help(format!(
                "with «amend_edit», import it in the new code where it is used, or accept the import with «imports: {chosen}»"
            ));
        }
        NotOrganized::Unclear(all) => all,
    };
    let named = |modules: &[String]| {
        let modules = modules.iter().map(|module| format!("`{module}`"));
        listed(&modules.collect::<Vec<_>>())
    };
    let mut texts = all.iter().map(|one| {
        format!(
            "`{}` in `{path}` may be imported from {}",
            one.name,
            named(&one.modules)
        )
    });
    let message = texts.next().unwrap_or_default();
    let more = all.len().saturating_sub(1);
    let message = match more {
        0 => message,
        _ => format!("{message} ({} in all)", counted(all.len(), "name")),
    };
    let first = |modules: &[String]| modules.first().cloned().unwrap_or_default();
    let chosen = all
        .iter()
        .map(|one| (one.name.clone(), first(&one.modules).into()));
    let chosen = serde_json::Value::Object(chosen.collect());
    let place = |one: &UnclearName| place(&one.parsed, one.span, "needs one of several imports");
    with_places(Code::AmbiguousSymbol, message, all.iter().map(place)).help(format!(
        "choose the modules with «imports: {chosen}», in the same call or in «amend_edit»"
    ))
}

/// Explains what uses a node that would be deleted.
pub(crate) fn about_still_used(used: &[PlaceView]) -> Diagnostic {
    let message = format!("the node is still used in {}", counted(used.len(), "place"));
    with_places(Code::StillUsed, message, used.iter().cloned())
    .help("change these places first, or in the same «edit_nodes» call without unused; then repeat the call")
}

/// An edit that may have no new error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum JudgedEdit {
    Move,
    #[cfg(feature = "servers")]
    Rename,
    Organize,
}

/// Explains which errors language servers report only with an edit.
pub(crate) fn about_new_errors(edit: JudgedEdit, errors: &[(PlaceView, String)]) -> Diagnostic {
    let first = errors.first().map_or("", |(_, message)| message.as_str());
    let more = match errors.len() {
        0 | 1 => String::new(),
        count => format!(" ({} in all)", counted(count, "error")),
    };
    let (what, code, help) = match edit {
        JudgedEdit::Move => (
            "move",
            Code::IncompleteMove,
            "change the code that causes it first, then repeat the call; or leave imports out and edit the import \
             statements with «edit_nodes»",
        ),
        #[cfg(feature = "servers")]
        JudgedEdit::Rename => (
            "rename",
            Code::ChangesSurroundings,
            "choose another new_name, or pass «allow: [\"surroundings\"]» if you will fix it",
        ),
        JudgedEdit::Organize => (
            "changed import statements",
            Code::ChangesSurroundings,
            "edit the import statements of the file with «edit_nodes»",
        ),
    };
    let message = format!("the language server reports a new error with the {what}: {first}{more}");
    let places = errors.iter().map(|(place, _)| place.clone());
    with_places(code, message, places).help(help)
}

/// Returns a note on the errors that language servers report only with an edit.
pub(crate) fn new_errors_text(errors: &[(PlaceView, String)]) -> Option<String> {
    let (place, message) = errors.first()?;
    let (file, line) = (&place.file, place.line);
    let more = match errors.len() {
        1 => String::new(),
        count => format!(", {} in all", counted(count, "error")),
    };
    Some(format!(
        "the language server reports a new error: `{file}` line {line}: {message}{more}"
    ))
}

/// Returns a note on names that a deletion removes and that the file still uses.
pub(crate) fn still_used_text(parsed: &Parsed, uses: &[(String, Span)]) -> Option<String> {
    let (name, span) = uses.first()?;
    let line = parsed.source().line_of(span.start());
    let more = match uses.len() {
        1 => String::new(),
        count => format!(", {} in all", counted(count, "use")),
    };
    let path = parsed.source().path();
    Some(format!(
        "`{name}` is still used: `{path}` line {line} after the edit{more}"
    ))
}

/// Returns a note on an edit that no language server has checked.
pub(crate) fn unchecked_text(why: &str) -> String {
    format!("not checked: {why}")
}

/// Returns a note on names that nothing is known to define.
pub(crate) fn unknown_names_text(path: &str, unknown: &[(String, usize)]) -> Option<String> {
    let (_, line) = unknown.first()?;
    let names = unknown.iter().map(|(name, _)| format!("`{name}`"));
    let names = listed(&names.collect::<Vec<_>>());
    Some(format!(
        "not imported, since no file of the project defines or imports it: {names} (`{path}` line {line})"
    ))
}

/// Returns a note on names that new code uses while it runs, and that are imported only for type checkers.
pub(crate) fn only_types_text(path: &str, names: &[(String, usize)]) -> Option<String> {
    let (_, line) = names.first()?;
    let names = names.iter().map(|(name, _)| format!("`{name}`"));
    let names = listed(&names.collect::<Vec<_>>());
    Some(format!(
        "imported only for type checkers, but used by code that runs: {names} (`{path}` line {line}); import it where it \
         is used, or outside of the condition"
    ))
}

/// Returns a note on a file whose import statements are not known.
pub(crate) fn imports_unchanged_text(path: &str) -> String {
    format!(
        "the import statements of `{path}` are not changed: its language has none that are known"
    )
}

/// Explains that a file changed while the edit was planned.
pub fn about_changed_file(path: &str) -> Diagnostic {
    let message = format!("`{path}` changed while the move was planned");
    Diagnostic::new(Code::StaleEdit, message).help("nothing was changed; retry the call")
}

/// Returns a place in a file.
pub(crate) fn place(parsed: &Parsed, span: Span, reason: &'static str) -> PlaceView {
    let source = parsed.source();
    let position = source.position(span.start());
    PlaceView {
        file: source.path().to_string(),
        line: position.line,
        column: position.character,
        text: first_line(parsed, span),
        locate: None,
        reason,
    }
}

/// Returns a refusal with the first places.
fn with_places(
    code: Code,
    message: String,
    all: impl ExactSizeIterator<Item = PlaceView>,
) -> Diagnostic {
    let total = all.len();
    let listed = all.take(PLACES_LISTED).collect();
    Diagnostic {
        places: Some(Box::new(Places { listed, total })),
        ..Diagnostic::new(code, message)
    }
}

/// Explains which names a move cannot be proven to keep.
pub(crate) fn about_incomplete_move(node: &str, target: &str, problems: &[Problem]) -> Diagnostic {
    let first = problems.first();
    let kind = first.map_or(ProblemKind::Form, |one| one.kind);
    let name = first.map_or("", |one| one.name.as_str());
    let why = first.map_or_else(String::new, |one| why(one, target));
    let more = match problems.len() {
        0 | 1 => String::new(),
        count => format!(" ({} in all)", counted(count, "problem")),
    };
    let message = format!("cannot move `{node}` to `{target}` with its names: {why}{more}");
    let place = |one: &Problem| place(&one.parsed, one.span, reason(one.kind));
    with_places(Code::IncompleteMove, message, problems.iter().map(place))
        .help(help(kind, name, target))
}

fn why(problem: &Problem, target: &str) -> String {
    let Problem { name, path, .. } = problem;
    match problem.kind {
        ProblemKind::NotTopLevel => format!("the node is not a top-level node of `{path}`"),
        ProblemKind::NotTopLevelThere => {
            format!("the destination is not at the top level of `{path}`")
        }
        ProblemKind::DefinedTwice => format!("`{path}` defines `{name}` more than once"),
        ProblemKind::Assigned => format!("code assigns the global variable `{name}`"),
        ProblemKind::FromStar => format!("`{name}` may come from an import of all names"),
        ProblemKind::Bound => format!("`{name}` means something else in `{path}`"),
        ProblemKind::BoundInUser => format!("`{path}` uses the name `{name}` for something else"),
        ProblemKind::TypeOnly => format!("`{path}` imports `{name}` only as a type"),
        ProblemKind::Alias => format!("`{path}` has another name for `{name}`"),
        ProblemKind::Changed => {
            format!("code of `{path}` changes `{name}` while the file is loaded")
        }
        ProblemKind::Declared => format!("`{path}` declares `{name}`"),
        ProblemKind::OwnModule => format!("the code uses `{target}` as the module `{name}`"),
        ProblemKind::TooLate => format!("code in `{path}` needs `{name}` before its definition"),
        ProblemKind::NotExported => format!("`{path}` does not export `{name}`"),
        ProblemKind::NoModule => {
            format!("the path by which `{path}` would import `{name}` is not known")
        }
        ProblemKind::Circular => {
            format!("the move makes `{target}` and other files import each other")
        }
        ProblemKind::LoadOrder => {
            "the move changes in which order files are loaded that import each other".to_string()
        }
        ProblemKind::Unparsed => {
            format!("the parser cannot read the code of `{path}` that contains `{name}`")
        }
        ProblemKind::Unread => format!("the parser of the language cannot read `{path}`"),
        ProblemKind::Embedded => {
            format!("`{path}` uses `{name}` in code inside another language, which is not changed")
        }
        ProblemKind::OtherModules => format!("`{path}` uses modules without import statements"),
        ProblemKind::Loaded => {
            format!(
                "`{path}` loads a module in a call, which may be the file of the node, and contains `{name}`"
            )
        }
        ProblemKind::MayStop => format!("loading `{path}` may fail"),
        ProblemKind::DefaultExport => "the node is the default export of its file".to_string(),
        ProblemKind::NoDefinition => "the node is not a definition".to_string(),
        ProblemKind::BeforeImports => {
            format!("the destination precedes the import statements of `{path}`")
        }
        ProblemKind::OtherConditions => {
            format!("`{path}` is built under other conditions than the file of the node")
        }
        ProblemKind::NoPackage => format!("`{path}` does not state its package"),
        ProblemKind::OtherPackage => format!("`{path}` is not a file of the package `{name}`"),
        ProblemKind::OfPlace => {
            format!("the meaning of code in `{path}` depends on its place")
        }
        ProblemKind::SamePath => {
            format!("the path of the new file differs from `{path}` only in the case of letters")
        }
        ProblemKind::PackageName => {
            format!("the name that the import of `{name}` gives is not known")
        }
        ProblemKind::OwnImport => {
            format!("the node needs the import of `{name}`, which belongs to the file")
        }
        ProblemKind::Form => {
            format!("the use of `{name}` in `{path}` has a form that cannot be changed")
        }
    }
}

fn reason(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::NotTopLevel => "is inside another node",
        ProblemKind::NotTopLevelThere => "would be inside another node",
        ProblemKind::DefinedTwice => "another definition",
        ProblemKind::Assigned => "assigned here",
        ProblemKind::FromStar => "may define it",
        ProblemKind::Bound | ProblemKind::BoundInUser => "has another meaning here",
        ProblemKind::TypeOnly => "only a type",
        ProblemKind::Alias => "has another name here",
        ProblemKind::Changed => "changes it",
        ProblemKind::Declared => "declares it",
        ProblemKind::OwnModule => "the module itself",
        ProblemKind::TooLate => "needs it earlier",
        ProblemKind::NotExported => "not exported",
        ProblemKind::NoModule => "no known path",
        ProblemKind::Circular | ProblemKind::LoadOrder => "needs the other file",
        ProblemKind::Unparsed | ProblemKind::Unread => "not parsed",
        ProblemKind::Embedded => "inside another language",
        ProblemKind::OtherModules => "another kind of module",
        ProblemKind::Loaded => "may load the old file",
        ProblemKind::MayStop => "may fail while the file is loaded",
        ProblemKind::DefaultExport => "the default export",
        ProblemKind::NoDefinition => "no definition",
        ProblemKind::BeforeImports => "before import statements",
        ProblemKind::OtherConditions => "other conditions",
        ProblemKind::NoPackage => "no package",
        ProblemKind::OtherPackage => "another package",
        ProblemKind::OfPlace => "depends on its place",
        ProblemKind::SamePath => "the same path",
        ProblemKind::PackageName => "gives an unknown name",
        ProblemKind::OwnImport => "needs it",
        ProblemKind::Form => "not changed",
    }
}

/// Returns what the caller can do.
fn help(kind: ProblemKind, name: &str, target: &str) -> String {
    const FIRST: &str = "first, then repeat the call";
    const OR_LEAVE: &str = "or leave imports out";
    match kind {
        ProblemKind::NotTopLevel => format!("select a top-level node, {OR_LEAVE}"),
        ProblemKind::NotTopLevelThere => {
            format!("move before or after a top-level node, {OR_LEAVE}")
        }
        ProblemKind::DefinedTwice => {
            format!("move all definitions of `{name}` in one «edit_nodes» call, {OR_LEAVE}")
        }
        ProblemKind::Assigned => format!(
            "move the functions that assign `{name}` and the variable in one «edit_nodes» call"
        ),
        ProblemKind::FromStar => format!("import `{name}` by its name {FIRST}"),
        ProblemKind::Bound | ProblemKind::BoundInUser => {
            format!("rename `{name}` in one of the files {FIRST}")
        }
        ProblemKind::TypeOnly => format!("import `{name}` as a value there {FIRST}"),
        ProblemKind::Alias => format!("replace the other name by `{name}` {FIRST}"),
        ProblemKind::Changed => format!("move that code too in one «edit_nodes» call, {OR_LEAVE}"),
        ProblemKind::Declared => {
            format!("remove the declaration of `{name}` there {FIRST}; {OR_LEAVE} and edit both")
        }
        ProblemKind::OwnModule => {
            format!("use names of `{name}` instead of the module in the code {FIRST}")
        }
        ProblemKind::TooLate => format!(
            "choose a destination in `{target}` that fits the order of the definitions, then repeat the call"
        ),
        ProblemKind::NotExported => format!("export `{name}` {FIRST}"),
        ProblemKind::DefaultExport => format!("export it by its name {FIRST}; {OR_LEAVE}"),
        ProblemKind::NoModule
        | ProblemKind::OtherModules
        | ProblemKind::Unparsed
        | ProblemKind::Unread
        | ProblemKind::Embedded => {
            "leave imports out, and edit the import statements with «edit_nodes»".to_string()
        }
        ProblemKind::Circular | ProblemKind::LoadOrder => {
            "move what both files use to a third file first, or choose another file".to_string()
        }
        ProblemKind::Loaded => {
            format!("remove the call or `{name}` there {FIRST}; {OR_LEAVE} and edit both")
        }
        ProblemKind::MayStop => format!("choose another file, {OR_LEAVE}"),
        ProblemKind::NoDefinition => {
            "select a definition; import statements follow the definitions that need them"
                .to_string()
        }
        ProblemKind::BeforeImports => {
            "choose a destination that follows the import statements, then repeat the call"
                .to_string()
        }
        ProblemKind::OtherConditions => {
            format!("choose a file with the same build constraints, {OR_LEAVE}")
        }
        ProblemKind::NoPackage => format!("add the package clause {FIRST}"),
        ProblemKind::OtherPackage => {
            format!("choose a file of the package `{name}` in the same folder, {OR_LEAVE}")
        }
        ProblemKind::OfPlace => format!("leave the code in its file, {OR_LEAVE}"),
        ProblemKind::SamePath => "choose another name for the new file".to_string(),
        ProblemKind::PackageName => format!("give the import a name of its own {FIRST}"),
        ProblemKind::OwnImport => format!("leave the node in its file, {OR_LEAVE}"),
        ProblemKind::Form => format!("import `{name}` by its name there {FIRST}"),
    }
}

/// Returns the notes about places that a move leaves unchanged.
pub(crate) fn moved_import_texts(notes: &[ImportNote]) -> Vec<String> {
    notes
        .iter()
        .map(|note| {
            let place = format!("`{}` line {}", note.path, note.line);
            match &note.what {
                NoteKind::Mention(name) => {
                    format!("not changed: {place} names `{name}` in its old file")
                }
                NoteKind::Dynamic(name) => {
                    format!("not changed: {place} loads a module in a call, and the file contains `{name}`")
                }
                NoteKind::OwnName(name) => {
                    format!("the value of `{name}` differs between files: {place}")
                }
                NoteKind::RunOrder(name) => {
                    format!("`{name}` functions of a package run in the order of its files: {place}")
                }
                NoteKind::ValueOrder(name) => {
                    format!(
                        "variables of a package get their values in the order of its files, and `{name}` from a call: \
                         {place}"
                    )
                }
                NoteKind::Decorator(name) => format!(
                    "the decorator `{name}` runs when the new file is loaded, which the old file does not do: {place}"
                ),
                NoteKind::Effects(module) => format!(
                    "not imported in the new file: {place} imports `{module}` for its effects"
                ),
                NoteKind::Unread => format!("not searched: `{}` cannot be read", note.path),
            }
        })
        .collect()
}
