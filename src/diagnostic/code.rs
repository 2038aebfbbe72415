//! The closed list of codes (docs/design/select.md#refusals): meaning and exit status of each.

/// The kind of a refusal; stable.
///
/// ```
/// use treegraft::{Code, Operation, Selector, edit};
///
/// let selector = Selector::new("begin", "call_expression");
/// let refusal = edit("a.rs", "fn f() { begni(1); }\n", &selector, &Operation::Delete);
/// let refusal = refusal.expect_err("the text has a typing error");
/// assert_eq!(refusal.code(), Code::AnchorNotFound);
/// assert_eq!(refusal.code().as_str(), "anchor_not_found");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The locator has neither scope nor find, or the string is not a locator.
    InvalidLocate,
    /// The scope is neither lines nor a symbol path.
    InvalidScope,
    /// The line is past the end of the file.
    LineOutOfRange,
    /// No symbol has the path.
    SymbolNotFound,
    /// The path matches several different symbols.
    AmbiguousSymbol,
    /// The pattern does not match in the scope.
    FindNotFound,
    /// The text does not occur in the scope.
    AnchorNotFound,
    /// No occurrence of the anchor has a node of the type.
    AncestorNotFound,
    /// An edit needs a node type.
    AncestorRequired,
    /// The selector matches more than one node.
    AmbiguousTarget,
    /// The type is neither in the grammar nor a general word of the language.
    UnknownNodeType,
    /// `nth`, `outward` or `sibling` asks for more than there is.
    NthOutOfRange,
    /// The selector matches more or fewer nodes than expected.
    MatchCountMismatch,
    /// The pattern only matches inside a longer word.
    SplitsWord,
    /// The node is the root, an ERROR node, or has no text.
    NotEditable,
    /// The node has no body to insert into, or several.
    NoInside,
    /// The selector has the form of another tool.
    UnsupportedSelector,
    /// The content cannot be inserted.
    InvalidContent,
    /// The content is a sketch of code, such as a diff or a placeholder.
    SuspiciousContent,
    /// The edit introduces syntax errors.
    BreaksSyntax,
    /// The edit changes code around the target.
    ChangesSurroundings,
    /// The edit would not change the file.
    NoChange,
    /// Two of several edits overlap.
    OverlappingEdits,
    /// The file changed since the preview.
    StaleEdit,
    /// No staged edit has the id.
    EditNotFound,
    /// The edit was discarded.
    Discarded,
    /// A person has to approve the edit before it is written.
    ApprovalRequired,
    /// The file does not exist.
    FileNotFound,
    /// A new file has the path of an existing one.
    FileExists,
    /// The path is a directory, a device or a pipe.
    NotAFile,
    /// The path is outside the roots, or in a protected directory.
    OutsideWorkspace,
    /// The file contains bytes that are not UTF-8.
    NotUtf8,
    /// The file contains a zero byte.
    BinaryFile,
    /// The file exceeds the size limit.
    FileTooLarge,
    /// The file has several hard links, which a replacement would break.
    HardLinked,
    /// The system or the mode of the file denies access.
    PermissionDenied,
    /// Another process is writing the file.
    Locked,
    /// The disk or the system failed.
    IoError,
    /// Arguments are missing, of the wrong kind, or contradictory.
    InvalidArguments,
    /// The pattern is not code in any of the languages searched.
    InvalidPattern,
    /// No language has that name.
    UnknownLanguage,
    /// The grammar of a language that the user added cannot be loaded.
    GrammarUnavailable,
    /// No language server that answers the question is installed.
    ServerNotInstalled,
    /// The system did not start the language server.
    SpawnFailed,
    /// The language server started but failed to initialize.
    HandshakeFailed,
    /// The language server did not answer in time.
    RequestTimeout,
    /// The language server exited.
    ServerCrashed,
    /// The language server's response does not answer the request.
    MalformedAnswer,
    /// The language server does not know enough yet.
    NotReady,
    /// The rename would leave uses of the old name unchanged.
    IncompleteRename,
    /// The move would leave names without their definitions.
    IncompleteMove,
    /// Something uses the node that would be deleted.
    StillUsed,
}

/// The exit status of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExitStatus {
    /// Done: 0.
    Done = 0,
    /// Refused; another request may succeed: 1.
    Refused = 1,
    /// The command line is invalid: 2.
    Usage = 2,
    /// The environment does not allow it: 3.
    Environment = 3,
    /// A part of it is done, and a part is refused: 4.
    Partly = 4,
}

impl Code {
    /// All codes.
    pub const ALL: &[Code] = &[
        Code::InvalidLocate,
        Code::InvalidScope,
        Code::LineOutOfRange,
        Code::SymbolNotFound,
        Code::AmbiguousSymbol,
        Code::FindNotFound,
        Code::AnchorNotFound,
        Code::AncestorNotFound,
        Code::AncestorRequired,
        Code::AmbiguousTarget,
        Code::UnknownNodeType,
        Code::NthOutOfRange,
        Code::MatchCountMismatch,
        Code::SplitsWord,
        Code::NotEditable,
        Code::NoInside,
        Code::UnsupportedSelector,
        Code::InvalidContent,
        Code::SuspiciousContent,
        Code::BreaksSyntax,
        Code::ChangesSurroundings,
        Code::NoChange,
        Code::OverlappingEdits,
        Code::StaleEdit,
        Code::EditNotFound,
        Code::Discarded,
        Code::ApprovalRequired,
        Code::FileNotFound,
        Code::FileExists,
        Code::NotAFile,
        Code::OutsideWorkspace,
        Code::NotUtf8,
        Code::BinaryFile,
        Code::FileTooLarge,
        Code::HardLinked,
        Code::PermissionDenied,
        Code::Locked,
        Code::IoError,
        Code::InvalidArguments,
        Code::InvalidPattern,
        Code::UnknownLanguage,
        Code::GrammarUnavailable,
        Code::ServerNotInstalled,
        Code::SpawnFailed,
        Code::HandshakeFailed,
        Code::RequestTimeout,
        Code::ServerCrashed,
        Code::MalformedAnswer,
        Code::NotReady,
        Code::IncompleteRename,
        Code::IncompleteMove,
        Code::StillUsed,
    ];

    /// Returns the code as text.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::InvalidLocate => "invalid_locate",
            Code::InvalidScope => "invalid_scope",
            Code::LineOutOfRange => "line_out_of_range",
            Code::SymbolNotFound => "symbol_not_found",
            Code::AmbiguousSymbol => "ambiguous_symbol",
            Code::FindNotFound => "find_not_found",
            Code::AnchorNotFound => "anchor_not_found",
            Code::AncestorNotFound => "ancestor_not_found",
            Code::AncestorRequired => "ancestor_required",
            Code::AmbiguousTarget => "ambiguous_target",
            Code::UnknownNodeType => "unknown_node_type",
            Code::NthOutOfRange => "nth_out_of_range",
            Code::MatchCountMismatch => "match_count_mismatch",
            Code::SplitsWord => "splits_word",
            Code::NotEditable => "not_editable",
            Code::NoInside => "no_inside",
            Code::UnsupportedSelector => "unsupported_selector",
            Code::InvalidContent => "invalid_content",
            Code::SuspiciousContent => "suspicious_content",
            Code::BreaksSyntax => "breaks_syntax",
            Code::ChangesSurroundings => "changes_surroundings",
            Code::NoChange => "no_change",
            Code::OverlappingEdits => "overlapping_edits",
            Code::StaleEdit => "stale_edit",
            Code::EditNotFound => "edit_not_found",
            Code::Discarded => "discarded",
            Code::ApprovalRequired => "approval_required",
            Code::FileNotFound => "file_not_found",
            Code::FileExists => "file_exists",
            Code::NotAFile => "not_a_file",
            Code::OutsideWorkspace => "outside_workspace",
            Code::NotUtf8 => "not_utf8",
            Code::BinaryFile => "binary_file",
            Code::FileTooLarge => "file_too_large",
            Code::HardLinked => "hard_linked",
            Code::PermissionDenied => "permission_denied",
            Code::Locked => "locked",
            Code::IoError => "io_error",
            Code::InvalidArguments => "invalid_arguments",
            Code::InvalidPattern => "invalid_pattern",
            Code::UnknownLanguage => "unknown_language",
            Code::GrammarUnavailable => "grammar_unavailable",
            Code::ServerNotInstalled => "server_not_installed",
            Code::SpawnFailed => "spawn_failed",
            Code::HandshakeFailed => "handshake_failed",
            Code::RequestTimeout => "request_timeout",
            Code::ServerCrashed => "server_crashed",
            Code::MalformedAnswer => "malformed_answer",
            Code::NotReady => "not_ready",
            Code::IncompleteRename => "incomplete_rename",
            Code::IncompleteMove => "incomplete_move",
            Code::StillUsed => "still_used",
        }
    }

    /// Returns the exit status of a process that ends with this refusal.
    pub fn exit_status(self) -> ExitStatus {
        match self {
            Code::InvalidArguments => ExitStatus::Usage,
            Code::IoError
            | Code::PermissionDenied
            | Code::Locked
            | Code::GrammarUnavailable
            | Code::ServerNotInstalled
            | Code::SpawnFailed
            | Code::HandshakeFailed
            | Code::RequestTimeout
            | Code::ServerCrashed
            | Code::MalformedAnswer
            | Code::NotReady => ExitStatus::Environment,
            _ => ExitStatus::Refused,
        }
    }
}
