//! The languages: one `LanguageSpec` each, listed in [`LANGUAGES`]; all other facts about a language are data in
//! `queries/<language>/`. A program can add others ([`NewLanguage`]).
//!
//! Input: a path. Output: the language of the file, or [`plain_text`] if no language claims it. No
//! code matches on a language.

mod added;
pub mod coverage;
#[cfg(feature = "lang-markdown")]
mod inline_cost;
pub(crate) mod queries;
pub(crate) mod strict;
mod parse_guards;
#[cfg(feature = "lang-markdown")]
mod plain_lines;

use std::fmt;
use std::sync::{LazyLock, OnceLock};

pub use added::{
    AbiError, AddError, Facts, Grammar, LoadError, NewLanguage, all, check_abi, check_name,
};
pub use queries::QueryError;

use added::Loader;
use queries::{Mark, Origin, Tables};
#[cfg(feature = "disk")]
pub(crate) use strict::with_stack;
use strict::{Code, CodeParser, StrictReading};

/// Includes the sample of a language: `sample!("folder/sample.ext")`.
macro_rules! sample {
    ($path:literal) => {
        ($path, include_str!(concat!("../queries/", $path)))
    };
}

/// Includes the query files of a language: `queries!["folder": file file; "folder": file]`.
macro_rules! queries {
    ($($folder:literal: $($file:ident)+);*) => {
        &[$($(QueryFile {
            path: concat!($folder, "/", stringify!($file), ".scm"),
            text: include_str!(concat!("../queries/", $folder, "/", stringify!($file), ".scm")),
        },)+)*]
    };
}

/// All languages that are built in, in the order in which users see them. A language without extensions occurs only
/// inside others.
pub static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| SPECS.iter().map(Language::from_spec).collect());

const SPECS: &[LanguageSpec] = &[
    #[cfg(feature = "lang-rust")]
    LanguageSpec {
        names: &["rust", "rs"],
        extensions: &["rs"],
        grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
        queries: queries!["rust": tags kinds attached lists bodies protected injections],
        code_parser: Some(strict::check_rust),
        parses_parts: true,
        sample: sample!("rust/sample.rs"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-json")]
    LanguageSpec {
        names: &["json", "application/json"],
        extensions: &["json", "webmanifest", "geojson", "ipynb"],
        grammar: Some(|| tree_sitter_json::LANGUAGE.into()),
        queries: queries!["json": tags kinds lists bodies protected],
        strict: Some(strict::read_json),
        validates_fragments: true,
        indent: "  ",
        sample: sample!("json/sample.json"),
        ..DEFAULTS
    },
    // The strict parser refuses comments.
    #[cfg(feature = "lang-json")]
    LanguageSpec {
        names: &["jsonc"],
        extensions: &["jsonc", "code-workspace"],
        grammar: Some(|| tree_sitter_json::LANGUAGE.into()),
        queries: queries!["json": tags kinds lists bodies protected],
        indent: "  ",
        sample: sample!("jsonc/sample.jsonc"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-markdown")]
    LanguageSpec {
        names: &["markdown", "md"],
        extensions: &["md", "markdown"],
        grammar: Some(|| tree_sitter_md::LANGUAGE.into()),
        queries: queries!["markdown": tags kinds bodies injections],
        mask: Some(plain_lines::mask),
        quotes_code: true,
        indent: "  ",
        sample: sample!("markdown/sample.md"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-markdown")]
    LanguageSpec {
        names: &["markdown_inline"],
        grammar: Some(|| tree_sitter_md::INLINE_LANGUAGE.into()),
        queries: queries!["markdown_inline": kinds],
        parse_guard: Some(inline_cost::too_costly),
        quotes_code: true,
        indent: "  ",
        sample: sample!("markdown/sample.md"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-python")]
    LanguageSpec {
        names: &["python", "py", "python3"],
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConstruct", "SConscript"],
        interpreters: &["python", "pypy", "uv"],
        grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
        queries: queries!["python": tags kinds attached lists bodies protected],
        code_parser: Some(strict::check_python),
        rescanned_comment: Some("#"),
        sample: sample!("python/sample.py"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-javascript")]
    LanguageSpec {
        names: &[
            "javascript",
            "js",
            "mjs",
            "cjs",
            "node",
            "text/javascript",
            "application/javascript",
            "module",
        ],
        extensions: &["js", "mjs", "cjs"],
        interpreters: &["node", "nodejs", "bun"],
        grammar: Some(|| tree_sitter_javascript::LANGUAGE.into()),
        queries: queries![
            "javascript": tags kinds attached lists bodies protected;
            "plain_javascript": tags kinds bodies;
            "jsx": kinds bodies
        ],
        indent: "  ",
        code_parser: Some(strict::check_javascript),
        sample: sample!("javascript/sample.js"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-javascript")]
    LanguageSpec {
        names: &["jsx", "text/babel", "text/jsx"],
        rules_of: Some("javascript"),
        extensions: &["jsx"],
        grammar: Some(|| tree_sitter_javascript::LANGUAGE.into()),
        queries: queries![
            "javascript": tags kinds attached lists bodies protected;
            "plain_javascript": tags kinds bodies;
            "jsx": kinds bodies
        ],
        indent: "  ",
        code_parser: Some(strict::check_javascript),
        sample: sample!("jsx/sample.jsx"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-typescript")]
    LanguageSpec {
        names: &["typescript", "ts", "mts", "cts", "text/typescript"],
        extensions: &["ts", "mts", "cts"],
        interpreters: &["deno", "ts-node", "tsx"],
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        queries: queries![
            "javascript": tags kinds attached lists bodies protected;
            "typescript": tags kinds attached lists bodies
        ],
        indent: "  ",
        code_parser: Some(strict::check_javascript),
        sample: sample!("typescript/sample.ts"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-typescript")]
    LanguageSpec {
        names: &["tsx"],
        extensions: &["tsx"],
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TSX.into()),
        queries: queries![
            "javascript": tags kinds attached lists bodies protected;
            "typescript": tags kinds attached lists bodies;
            "jsx": kinds bodies
        ],
        indent: "  ",
        code_parser: Some(strict::check_javascript),
        sample: sample!("tsx/sample.tsx"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-toml")]
    LanguageSpec {
        names: &["toml"],
        extensions: &["toml"],
        file_names: &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"],
        grammar: Some(|| tree_sitter_toml_ng::LANGUAGE.into()),
        queries: queries!["toml": tags kinds attached lists bodies protected],
        strict: Some(strict::read_toml),
        indent: "  ",
        sample: sample!("toml/sample.toml"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-yaml")]
    LanguageSpec {
        names: &["yaml", "yml"],
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy", ".clangd"],
        grammar: Some(|| tree_sitter_yaml::LANGUAGE.into()),
        queries: queries!["yaml": tags kinds attached lists bodies],
        strict: Some(strict::read_yaml),
        parse_guard: Some(parse_guards::yaml::is_nested_too_deep),
        indent: "  ",
        sample: sample!("yaml/sample.yaml"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-go")]
    LanguageSpec {
        names: &["go", "golang"],
        extensions: &["go"],
        grammar: Some(|| tree_sitter_go::LANGUAGE.into()),
        queries: queries!["go": tags kinds attached lists bodies protected imports],
        indent: "\t",
        sample: sample!("go/sample.go"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-c")]
    LanguageSpec {
        names: &["c"],
        extensions: &["c", "h"],
        grammar: Some(|| tree_sitter_c::LANGUAGE.into()),
        queries: queries!["c": tags kinds attached lists bodies protected],
        has_macros: true,
        sample: sample!("c/sample.c"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-cpp")]
    LanguageSpec {
        names: &["cpp", "c++", "cxx", "cc"],
        extensions: &[
            "cpp", "cc", "cxx", "hpp", "hh", "hxx", "ipp", "inl", "cu", "cuh",
        ],
        shared_extensions: &["h"],
        line_starts: &[
            "namespace ",
            "template <",
            "template<",
            "class ",
            "public:",
            "private:",
            "protected:",
        ],
        grammar: Some(|| tree_sitter_cpp::LANGUAGE.into()),
        queries: queries![
            "cpp": tags kinds attached lists bodies protected;
            "c": tags kinds attached lists bodies protected
        ],
        has_macros: true,
        sample: sample!("cpp/sample.cpp"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-java")]
    LanguageSpec {
        names: &["java"],
        extensions: &["java"],
        grammar: Some(|| tree_sitter_java::LANGUAGE.into()),
        queries: queries!["java": tags kinds attached lists bodies protected],
        sample: sample!("java/sample.java"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-bash")]
    LanguageSpec {
        names: &["bash", "sh", "shell", "zsh", "shellscript"],
        extensions: &["sh", "bash", "zsh", "ksh", "bats"],
        file_names: &[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".bash_logout",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            "PKGBUILD",
            "APKBUILD",
        ],
        interpreters: &["sh", "bash", "dash", "zsh", "ksh", "ash"],
        grammar: Some(|| tree_sitter_bash::LANGUAGE.into()),
        queries: queries!["bash": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("bash/sample.sh"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-html")]
    LanguageSpec {
        names: &["html", "htm", "text/html"],
        extensions: &["html", "htm", "xhtml"],
        grammar: Some(|| tree_sitter_html::LANGUAGE.into()),
        queries: queries!["html": tags kinds bodies protected injections],
        indent: "  ",
        sample: sample!("html/sample.html"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-vue")]
    LanguageSpec {
        names: &["vue"],
        extensions: &["vue"],
        // It reads the names of components and the braces as Vue does, and reports errors in fewer files than the
        // published grammars of Vue do.
        grammar: Some(|| tree_sitter_astro_next::LANGUAGE.into()),
        queries: queries![
            "html": tags kinds protected injections;
            "astro": kinds bodies protected;
            "vue": tags
        ],
        indent: "  ",
        sample: sample!("vue/sample.vue"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-svelte")]
    LanguageSpec {
        names: &["svelte"],
        extensions: &["svelte"],
        grammar: Some(|| tree_sitter_svelte_ng::LANGUAGE.into()),
        queries: queries![
            "html": tags kinds bodies protected injections;
            "svelte": tags kinds bodies protected
        ],
        indent: "  ",
        sample: sample!("svelte/sample.svelte"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-astro")]
    LanguageSpec {
        names: &["astro"],
        extensions: &["astro"],
        grammar: Some(|| tree_sitter_astro_next::LANGUAGE.into()),
        queries: queries![
            "html": tags kinds protected;
            "astro": kinds bodies protected injections;
            "vue": tags
        ],
        indent: "  ",
        sample: sample!("astro/sample.astro"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-css")]
    LanguageSpec {
        names: &["css", "text/css"],
        extensions: &["css"],
        grammar: Some(|| tree_sitter_css::LANGUAGE.into()),
        queries: queries!["css": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("css/sample.css"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-ruby")]
    LanguageSpec {
        names: &["ruby", "rb"],
        extensions: &["rb", "rake", "gemspec", "ru", "podspec", "thor", "jbuilder"],
        file_names: &[
            "Gemfile",
            "Rakefile",
            "Guardfile",
            "Vagrantfile",
            "Capfile",
            "Fastfile",
            "Podfile",
            "Brewfile",
            "Dangerfile",
            "Steepfile",
        ],
        interpreters: &["ruby", "jruby", "rake"],
        grammar: Some(|| tree_sitter_ruby::LANGUAGE.into()),
        queries: queries!["ruby": tags kinds attached lists bodies protected],
        parse_guard: Some(parse_guards::ruby::has_long_word),
        indent: "  ",
        sample: sample!("ruby/sample.rb"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-php")]
    LanguageSpec {
        names: &["php"],
        extensions: &["php", "phtml", "phpt"],
        interpreters: &["php"],
        grammar: Some(|| tree_sitter_php::LANGUAGE_PHP.into()),
        queries: queries!["php": tags kinds attached lists bodies protected],
        sample: sample!("php/sample.php"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-lua")]
    LanguageSpec {
        names: &["lua"],
        extensions: &["lua", "rockspec"],
        file_names: &[".luacheckrc"],
        interpreters: &["lua", "luajit", "texlua"],
        grammar: Some(|| tree_sitter_lua::LANGUAGE.into()),
        queries: queries!["lua": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("lua/sample.lua"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-hcl")]
    LanguageSpec {
        names: &["hcl", "terraform", "tf"],
        extensions: &["tf", "hcl", "tfvars", "tofu", "nomad"],
        grammar: Some(|| tree_sitter_hcl::LANGUAGE.into()),
        queries: queries!["hcl": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("hcl/sample.tf"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-dockerfile")]
    LanguageSpec {
        names: &["dockerfile", "containerfile", "docker"],
        extensions: &["dockerfile", "containerfile"],
        file_names: &[
            "Dockerfile",
            "Containerfile",
            "Dockerfile.*",
            "Containerfile.*",
        ],
        grammar: Some(|| tree_sitter_containerfile::LANGUAGE.into()),
        queries: queries!["dockerfile": tags kinds attached lists bodies protected injections],
        sample: sample!("dockerfile/sample.dockerfile"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-xml")]
    LanguageSpec {
        names: &["xml", "text/xml", "application/xml", "svg"],
        extensions: &[
            "xml",
            "xsd",
            "xsl",
            "xslt",
            "svg",
            "rss",
            "atom",
            "plist",
            "csproj",
            "fsproj",
            "vbproj",
            "props",
            "targets",
            "nuspec",
            "resx",
            "xaml",
            "wsdl",
            "kml",
            "gpx",
            "storyboard",
            "xib",
        ],
        grammar: Some(|| tree_sitter_xml::LANGUAGE_XML.into()),
        queries: queries!["xml": tags kinds bodies protected],
        indent: "  ",
        sample: sample!("xml/sample.xml"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-elixir")]
    LanguageSpec {
        names: &["elixir", "ex", "exs", "iex"],
        extensions: &["ex", "exs"],
        interpreters: &["elixir"],
        grammar: Some(|| tree_sitter_elixir::LANGUAGE.into()),
        queries: queries!["elixir": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("elixir/sample.ex"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-make")]
    LanguageSpec {
        names: &["make", "makefile", "mk"],
        extensions: &["mk", "mak", "make"],
        file_names: &["Makefile", "makefile", "GNUmakefile"],
        interpreters: &["make"],
        grammar: Some(|| tree_sitter_make::LANGUAGE.into()),
        queries: queries!["make": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("make/sample.mk"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-nix")]
    LanguageSpec {
        names: &["nix"],
        extensions: &["nix"],
        grammar: Some(|| tree_sitter_nix::LANGUAGE.into()),
        queries: queries!["nix": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("nix/sample.nix"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-proto")]
    LanguageSpec {
        names: &["proto", "protobuf", "proto3"],
        extensions: &["proto"],
        grammar: Some(|| tree_sitter_proto::LANGUAGE.into()),
        queries: queries!["proto": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("proto/sample.proto"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-r")]
    LanguageSpec {
        names: &["r", "rscript"],
        extensions: &["r"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        grammar: Some(|| tree_sitter_r::LANGUAGE.into()),
        queries: queries!["r": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("r/sample.R"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-zig")]
    LanguageSpec {
        names: &["zig"],
        extensions: &["zig"],
        grammar: Some(|| tree_sitter_zig::LANGUAGE.into()),
        queries: queries!["zig": tags kinds attached lists bodies protected],
        sample: sample!("zig/sample.zig"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-csharp")]
    LanguageSpec {
        names: &["csharp", "c#", "cs"],
        extensions: &["cs", "csx"],
        interpreters: &["dotnet"],
        grammar: Some(|| tree_sitter_c_sharp::LANGUAGE.into()),
        queries: queries!["csharp": tags kinds attached lists bodies protected],
        sample: sample!("csharp/sample.cs"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-kotlin")]
    LanguageSpec {
        names: &["kotlin", "kt", "kts"],
        extensions: &["kt", "kts"],
        interpreters: &["kotlin"],
        grammar: Some(|| tree_sitter_kotlin_ng::LANGUAGE.into()),
        queries: queries!["kotlin": tags kinds attached lists bodies protected],
        sample: sample!("kotlin/sample.kt"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-swift")]
    LanguageSpec {
        names: &["swift"],
        extensions: &["swift"],
        interpreters: &["swift"],
        grammar: Some(|| tree_sitter_swift::LANGUAGE.into()),
        queries: queries!["swift": tags kinds attached lists bodies protected],
        sample: sample!("swift/sample.swift"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-scala")]
    LanguageSpec {
        names: &["scala", "sc"],
        extensions: &["scala", "sc", "sbt", "mill"],
        interpreters: &["scala", "scala-cli"],
        grammar: Some(|| tree_sitter_scala::LANGUAGE.into()),
        queries: queries!["scala": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("scala/sample.scala"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-dart")]
    LanguageSpec {
        names: &["dart"],
        extensions: &["dart"],
        interpreters: &["dart"],
        grammar: Some(|| tree_sitter_dart::LANGUAGE.into()),
        queries: queries!["dart": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("dart/sample.dart"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-julia")]
    LanguageSpec {
        names: &["julia", "jl"],
        extensions: &["jl"],
        interpreters: &["julia"],
        grammar: Some(|| tree_sitter_julia::LANGUAGE.into()),
        queries: queries!["julia": tags kinds attached lists bodies protected],
        sample: sample!("julia/sample.jl"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-ocaml")]
    LanguageSpec {
        names: &["ocaml", "ml"],
        extensions: &["ml"],
        file_names: &[".ocamlinit"],
        interpreters: &["ocaml"],
        grammar: Some(|| tree_sitter_ocaml::LANGUAGE_OCAML.into()),
        queries: queries![
            "ocaml": tags kinds attached lists bodies protected;
            "ocaml_common": tags bodies
        ],
        indent: "  ",
        sample: sample!("ocaml/sample.ml"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-ocaml")]
    LanguageSpec {
        names: &["ocaml_interface", "mli"],
        extensions: &["mli"],
        grammar: Some(|| tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE.into()),
        queries: queries!["ocaml": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("ocaml_interface/sample.mli"),
        ..DEFAULTS
    },
    #[cfg(feature = "lang-haskell")]
    LanguageSpec {
        names: &["haskell", "hs"],
        extensions: &["hs"],
        interpreters: &["runghc", "runhaskell", "stack", "cabal"],
        grammar: Some(|| tree_sitter_haskell::LANGUAGE.into()),
        queries: queries!["haskell": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("haskell/sample.hs"),
        ..DEFAULTS
    },
];

static PLAIN_TEXT: Language = Language::from_spec(&LanguageSpec {
    names: &["text"],
    queries: queries![],
    quotes_code: true,
    sample: sample!("text/sample.txt"),
    ..DEFAULTS
});

/// The general words for node types. Every language maps those that apply to it (docs/design/select.md#candidates).
pub const GENERAL_WORDS: &[&str] = &[
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "interface",
    "module",
    "type",
    "variable",
    "field",
    "parameter",
    "argument",
    "statement",
    "expression",
    "block",
    "call",
    "import",
    "comment",
    "string",
    "property",
    "element",
    "item",
    "heading",
    "section",
    "list",
    "table",
    "row",
    "code_block",
    "case",
    "attribute",
    "key",
    "rule",
];

/// The node types of a text without a grammar, from the outermost.
pub(crate) const TEXT_NODE_TYPES: [&str; 3] = ["document", "paragraph", "line"];

/// A language: how its files are recognized, parsed and described.
pub struct Language {
    /// The name in output, and of its folder in `queries/`.
    pub name: &'static str,
    spec: &'static LanguageSpec,
    /// Reads the grammar and the query files, if they are not built in.
    loader: Option<Loader>,
    /// In a box because it is large and most languages are not used.
    built: OnceLock<Result<Box<Built>, LoadError>>,
}

/// The constant facts about a language.
struct LanguageSpec {
    /// The name, then other names: in the first line of a code fence, in `type="..."`.
    names: &'static [&'static str],
    /// File name extensions without the dot, in lower case.
    extensions: &'static [&'static str],
    /// Extensions of another language that precedes this one in the list: a file with one of `line_starts` is of this
    /// language.
    shared_extensions: &'static [&'static str],
    /// Starts of lines, without leading whitespace, that occur in files of this language and not in those of the other
    /// one.
    line_starts: &'static [&'static str],
    /// Whole file names, case-sensitive; a name that ends with `*` is a prefix.
    file_names: &'static [&'static str],
    /// The programs that a first line `#!...` may name.
    interpreters: &'static [&'static str],
    grammar: Option<fn() -> tree_sitter::Language>,
    queries: &'static [QueryFile],
    /// The parser of the language itself, if it is fast: it refuses texts that tree-sitter accepts.
    strict: Option<StrictParser>,
    /// The parser of the language for whole files of code, or for parts of them if it `parses_parts`.
    code_parser: Option<CodeParser>,
    /// Whether the nodes in the root that an edit touches are parsed, and not the whole file.
    parses_parts: bool,
    /// Whether the strict parser validates a value outside its text as it does inside, and returns no data.
    validates_fragments: bool,
    /// Returns why a text must not be given to the grammar, if so: parsing would not end, or would end the program.
    parse_guard: Option<fn(&str) -> Option<&'static str>>,
    /// Replaces text by other text of the same length from which the grammar makes the same named nodes, unless it reports
    /// an error, in less time.
    mask: Option<fn(&mut [u8])>,
    /// The sign of line comments, if the scanner of the grammar reads all comments that follow for each one.
    rescanned_comment: Option<&'static str>,
    /// Whether texts of the language may quote diffs and code fences.
    quotes_code: bool,
    /// Whether macros may expand to anything, so that the grammar reports errors in correct code.
    has_macros: bool,
    /// The language whose rules apply to it, if another one. It has the same grammar.
    #[cfg_attr(
        not(feature = "rules"),
        expect(dead_code, reason = "only rules name languages")
    )]
    rules_of: Option<&'static str>,
    /// One level of indentation if a file shows none.
    indent: &'static str,
    /// A file with as many node types as possible: its name and its text.
    sample: (&'static str, &'static str),
    /// Files with `<|>` in the place of a part: an expression or a statement that would parse as something else, or not at
    /// all, if it were the whole file.
    contexts: &'static [&'static str],
}

/// The values that most languages have.
const DEFAULTS: LanguageSpec = LanguageSpec {
    names: &[],
    extensions: &[],
    shared_extensions: &[],
    line_starts: &[],
    file_names: &[],
    interpreters: &[],
    grammar: None,
    queries: &[],
    strict: None,
    code_parser: None,
    parses_parts: false,
    validates_fragments: false,
    parse_guard: None,
    mask: None,
    rescanned_comment: None,
    quotes_code: false,
    has_macros: false,
    rules_of: None,
    indent: "    ",
    sample: ("", ""),
    contexts: &[],
};

/// Parses a whole text by the rules of the language.
pub(crate) type StrictParser = fn(&str) -> StrictReading;

/// An error that the parser of a language itself reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictProblem {
    /// The message of the parser, without its position.
    pub message: String,
    /// The byte offset in the text.
    pub offset: usize,
}

/// A file in `queries/`. Languages that share node types share files.
#[derive(Clone, Copy, Debug)]
pub struct QueryFile {
    /// The path below `queries/`; its file name determines which facts it states.
    pub path: &'static str,
    /// The text.
    pub text: &'static str,
}

impl QueryFile {
    /// Returns `tags`, `kinds`, ...
    pub(crate) fn role(&self) -> &'static str {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        name.trim_end_matches(".scm")
    }
}

/// The parts of a language that are made at its first use.
struct Built {
    grammar: tree_sitter::Language,
    tables: Tables,
    queries: &'static [QueryFile],
    sample: (&'static str, &'static str),
}

/// Returns the language of a file, by its name and its text.
pub fn for_file(path: &str, text: &str) -> &'static Language {
    of_lines(path, text)
        .or_else(|| of_path(path))
        .or_else(|| of_first_line(text))
        .unwrap_or(&PLAIN_TEXT)
}

/// Returns the language that claims the name of the file.
pub fn of_path(path: &str) -> Option<&'static Language> {
    let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let has_name = |language: &&Language| language.spec.file_names.contains(&file_name);
    let has_prefix = |language: &&Language| {
        let mut starts = language
            .spec
            .file_names
            .iter()
            .filter_map(|name| name.strip_suffix('*'));
        starts.any(|start| file_name.starts_with(start))
    };
    let extension = extension(file_name);
    let has_extension =
        |language: &&Language| language.spec.extensions.contains(&extension.as_str());
    let found = all().find(has_name).or_else(|| all().find(has_extension));
    found.or_else(|| all().find(has_prefix))
}

/// Returns the language whose line starts occur in the text, of those that share the extension of the file.
fn of_lines(path: &str, text: &str) -> Option<&'static Language> {
    let extension = extension(path);
    all().find(|language| {
        let spec = &language.spec;
        let is_its_own = |line: &str| {
            let line = line.trim_start();
            spec.line_starts.iter().any(|start| line.starts_with(start))
        };
        spec.shared_extensions.contains(&extension.as_str()) && text.lines().any(is_its_own)
    })
}

/// Returns the text after the last dot, in lower case.
fn extension(path: &str) -> String {
    let (_, extension) = path.rsplit_once('.').unwrap_or_default();
    extension.to_lowercase()
}

/// Returns the language that a first line `#!/usr/bin/env -S python3 -u` names.
fn of_first_line(text: &str) -> Option<&'static Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
    });
    let program =
        words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    all().find(|language| language.spec.interpreters.contains(&program))
}

/// Returns the language of that name, as `injections.scm` files write it.
pub(crate) fn by_name(name: &str) -> Option<&'static Language> {
    let name = name.to_lowercase();
    all().find(|language| language.spec.names.contains(&name.as_str()))
}

/// Returns the language of files that no other one claims: it has no syntax tree.
pub fn plain_text() -> &'static Language {
    &PLAIN_TEXT
}

impl Language {
    const fn from_spec(spec: &'static LanguageSpec) -> Language {
        Language {
            name: spec.names[0],
            spec,
            loader: None,
            built: OnceLock::new(),
        }
    }

    /// Returns its name, then other names that a code fence may use.
    pub fn names(&self) -> &'static [&'static str] {
        self.spec.names
    }

    /// Returns the extensions of its files, without the dot, in lower case.
    pub fn extensions(&self) -> &'static [&'static str] {
        self.spec.extensions
    }

    /// Returns whole names of its files.
    pub fn file_names(&self) -> &'static [&'static str] {
        self.spec.file_names
    }

    /// Returns the programs that the first line `#!...` of its files may name.
    pub fn interpreters(&self) -> &'static [&'static str] {
        self.spec.interpreters
    }

    /// Returns a file with as many of its node types as possible: its name and its text, both empty if there is none.
    pub fn sample(&self) -> (&'static str, &'static str) {
        match &self.loader {
            Some(_) => self.built().map_or(("", ""), |built| built.sample),
            None => self.spec.sample,
        }
    }

    /// Returns whether a program added it.
    pub fn is_added(&self) -> bool {
        self.loader.is_some()
    }

    /// Returns why the grammar of an added language cannot be used, if so. Loads the grammar.
    pub fn load_error(&self) -> Option<&LoadError> {
        self.loader.as_ref()?;
        self.made()?.as_ref().err()
    }

    /// Returns files with `<|>` in the place of an expression or a statement.
    pub(crate) fn contexts(&self) -> &'static [&'static str] {
        self.spec.contexts
    }

    /// Returns whether it occurs only inside other languages.
    pub fn is_inner(&self) -> bool {
        let has_grammar = self.spec.grammar.is_some() || self.loader.is_some();
        self.spec.extensions.is_empty() && self.spec.file_names.is_empty() && has_grammar
    }

    /// Returns whether its texts may quote diffs and code fences.
    pub(crate) fn quotes_code(&self) -> bool {
        self.spec.quotes_code
    }

    /// Returns whether the grammar reports errors in correct code because macros may expand to anything.
    pub(crate) fn has_macros(&self) -> bool {
        self.spec.has_macros
    }

    /// Returns the language that rules name for files of this one.
    #[cfg(feature = "rules")]
    pub(crate) fn of_rules(&'static self) -> &'static Language {
        self.spec.rules_of.and_then(by_name).unwrap_or(self)
    }

    /// Returns one level of indentation for a file that shows none.
    pub(crate) fn indent(&self) -> &'static str {
        self.spec.indent
    }

    /// Returns the grammar; plain text has none.
    #[doc(hidden)]
    pub fn grammar(&self) -> Option<&tree_sitter::Language> {
        self.built().map(|built| &built.grammar)
    }

    pub(crate) fn tables(&self) -> Option<&Tables> {
        self.built().map(|built| &built.tables)
    }

    /// Returns the sign that each line of a quote begins with: `>` in Markdown.
    pub(crate) fn line_sign(&self) -> Option<char> {
        let sign = self.tables()?.starts_of(Mark::LineSign).next()??;
        sign.chars().next()
    }

    /// Returns whether `word` starts a clause of a statement, such as `else`.
    pub(crate) fn is_clause(&self, word: &str) -> bool {
        self.is_keyword(Mark::Clause, word)
    }

    fn is_keyword(&self, mark: Mark, word: &str) -> bool {
        let Some((grammar, tables)) = self.grammar().zip(self.tables()) else {
            return false;
        };
        tables.has_type(mark, grammar.id_for_node_kind(word, false))
    }

    pub(crate) fn strict(&self) -> Option<StrictParser> {
        self.spec.strict
    }

    /// Returns the first problem that the parser of the language finds in code of a file. `is_part`: it is only a part of the
    /// file.
    pub(crate) fn code_problem(
        &self,
        text: &str,
        path: &str,
        is_part: bool,
    ) -> Option<StrictProblem> {
        let parser = self.spec.code_parser?;
        let code = Code {
            text,
            path,
            sample: self.spec.sample.0,
            is_part,
        };
        strict::check_code(parser, &code)
    }

    /// Returns whether a parser of the language itself checks its code.
    pub(crate) fn checks_code(&self) -> bool {
        self.spec.code_parser.is_some()
    }

    /// Returns whether that parser checks the nodes in the root that an edit touches, and not the whole file.
    pub(crate) fn checks_parts(&self) -> bool {
        self.spec.parses_parts
    }

    /// Returns the parser of the language itself, if a valid text stays valid when each changed value in it is valid
    /// alone.
    pub(crate) fn strict_of_value(&self) -> Option<StrictParser> {
        self.spec.strict.filter(|_| self.spec.validates_fragments)
    }

    /// Returns why a text must not be given to the grammar, if so. Calls `text` only if the language has such texts.
    pub(crate) fn parse_refusal<T: AsRef<str>>(
        &self,
        text: impl FnOnce() -> T,
    ) -> Option<&'static str> {
        let guard = self.spec.parse_guard?;
        guard(text().as_ref())
    }

    /// Returns what replaces the text that the grammar does not need.
    pub(crate) fn mask(&self) -> Option<fn(&mut [u8])> {
        self.spec.mask
    }

    /// Returns the sign of line comments, if the cost of a run of them is the square of its length.
    pub(crate) fn rescanned_comment(&self) -> Option<&'static str> {
        self.spec.rescanned_comment
    }

    /// Returns the named node types of the grammar, without hidden ones.
    pub fn node_types(&'static self) -> Vec<&'static str> {
        let Some(grammar) = self.grammar() else {
            return TEXT_NODE_TYPES.to_vec();
        };
        let mut names: Vec<&'static str> = (0..grammar.node_kind_count() as u16)
            .filter(|&id| grammar.node_kind_is_named(id) && grammar.node_kind_is_visible(id))
            .filter_map(|id| grammar.node_kind_for_id(id))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns whether the grammar has the node type.
    pub(crate) fn has_node_type(&self, name: &str) -> bool {
        let Some(grammar) = self.grammar() else {
            return TEXT_NODE_TYPES.contains(&name);
        };
        let id = grammar.id_for_node_kind(name, true);
        id != 0 && grammar.node_kind_is_visible(id)
    }

    /// Returns whether the language maps the general word.
    pub(crate) fn knows_word(&self, word: &str) -> bool {
        self.tables().is_some_and(|tables| tables.knows_word(word))
    }

    /// Returns the kinds of symbols in the language, in alphabetical order.
    #[cfg(feature = "disk")]
    pub(crate) fn symbol_kinds(&self) -> Vec<&str> {
        let tables = self.tables().into_iter();
        let mut kinds: Vec<&str> = tables.flat_map(Tables::symbol_kinds).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Returns the general words for a node type, some of which apply only in certain places.
    pub(crate) fn words_of(&self, node_type: &str) -> Vec<&'static str> {
        // The query files of a built-in language without that type are not read.
        let kind = match self.spec.grammar {
            Some(grammar) => grammar().id_for_node_kind(node_type, true),
            None => self
                .grammar()
                .map_or(0, |grammar| grammar.id_for_node_kind(node_type, true)),
        };
        let tables = (kind != 0).then(|| self.tables()).flatten();
        tables.map_or(Vec::new(), |tables| tables.words_of(kind))
    }

    /// Returns the name of the group of languages that share a `tags.scm`, such as JavaScript and TypeScript: the first of
    /// its folders that has one. A name in one of them can refer to a definition in another.
    #[cfg(feature = "disk")]
    pub(crate) fn family(&self) -> &'static str {
        let folders = self.spec.queries.iter().filter_map(|file| {
            let (folder, name) = file.path.rsplit_once('/')?;
            (name == "tags.scm").then_some(folder)
        });
        folders.min().unwrap_or(self.name)
    }

    /// Returns the query files, for the test that also compiles them with tree-sitter.
    pub fn query_files(&self) -> &'static [QueryFile] {
        match &self.loader {
            Some(_) => self.built().map_or(&[], |built| built.queries),
            None => self.spec.queries,
        }
    }

    /// Reads the query files into tables.
    ///
    /// # Errors
    ///
    /// A file is outside the subset that is read (see the `queries` module); the error gives the file and line.
    pub fn check_queries(&self) -> Result<(), QueryError> {
        match self.spec.grammar {
            Some(grammar) => self.load(&grammar()).map(|_| ()),
            None => Ok(()),
        }
    }

    fn built(&self) -> Option<&Built> {
        self.made()?.as_deref().ok()
    }

    /// Returns the grammar and the tables, or why they cannot be loaded; `None` for plain text.
    fn made(&self) -> Option<&Result<Box<Built>, LoadError>> {
        if let Some(built) = self.built.get() {
            return Some(built);
        }
        if let Some(loader) = &self.loader {
            let load = || added::load(self.name, loader);
            return Some(self.built.get_or_init(load));
        }
        let grammar = self.spec.grammar?;
        Some(self.built.get_or_init(|| {
            let grammar = grammar();
            let tables = self
                .load(&grammar)
                .expect("tests/languages.rs reads every query file");
            Ok(Box::new(Built {
                grammar,
                tables,
                queries: self.spec.queries,
                sample: self.spec.sample,
            }))
        }))
    }

    fn load(&self, grammar: &tree_sitter::Language) -> Result<Tables, QueryError> {
        Tables::read(grammar, self.spec.queries, Origin::BuiltIn)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "disk")]
    #[test]
    fn languages_that_share_definitions_are_one_family() {
        let family = |path| for_file(path, "").family();
        for (one, other) in [("a.js", "b.tsx"), ("a.c", "b.cpp"), ("a.ml", "b.mli")] {
            assert_eq!(family(one), family(other), "{one} {other}");
        }
        let known: Vec<_> = LANGUAGES.iter().map(Language::family).collect();
        for (one, own) in LANGUAGES.iter().zip(&known) {
            for (other, family) in LANGUAGES.iter().zip(&known) {
                let tags = |language: &Language| -> Vec<&str> {
                    let files = language.query_files().iter().map(|file| file.path);
                    files.filter(|path| path.ends_with("/tags.scm")).collect()
                };
                let shares = tags(one).iter().any(|path| tags(other).contains(path));
                assert!(own == family || !shares, "{} {}", one.name, other.name);
            }
        }
    }

    #[test]
    fn a_language_is_found_by_the_name_of_the_file_or_its_first_line() {
        assert_eq!(for_file("src/lib.rs", "").name, "rust");
        assert_eq!(for_file("C:\\a\\PACKAGE.JSON", "").name, "json");
        assert_eq!(for_file("README.MD", "").name, "markdown");
        assert_eq!(for_file("a.rs/Makefile", "").name, "make");
        assert_eq!(for_file("a.rs/makefile.txt", "").name, "text");
        assert_eq!(for_file("a/Cargo.lock", "").name, "toml");
        assert_eq!(for_file("a/.bashrc", "").name, "bash");
        assert_eq!(for_file("a/Dockerfile.dev", "").name, "dockerfile");
        assert_eq!(for_file("a/Dockerfile.md", "").name, "markdown");
        assert_eq!(
            for_file("run", "#!/usr/bin/env -S PYTHONPATH=a python3.12 -u\n").name,
            "python"
        );
        assert_eq!(for_file("run", "#!/bin/sh\r\n").name, "bash");
        assert_eq!(for_file("run", "# !/bin/sh\n").name, "text");
        assert_eq!(for_file("run.rs", "#!/bin/sh\n").name, "rust");
    }

    #[test]
    fn a_header_is_of_c_unless_lines_of_it_say_otherwise() {
        let guard = "// Copyright\r\n#ifndef A_H\r\n#define A_H\r\n";
        assert_eq!(
            for_file("a.h", &format!("{guard}int f(int class);\r\n")).name,
            "c"
        );
        assert_eq!(
            for_file("a.h", &format!("{guard}namespace a {{\r\n")).name,
            "cpp"
        );
        assert_eq!(for_file("A.H", "struct A {\n protected:\n").name, "cpp");
        assert_eq!(for_file("a.h", "").name, "c");
        assert_eq!(for_file("a.c", "class A {}\n").name, "c");
    }

    #[test]
    fn every_query_file_is_read() {
        for language in LANGUAGES.iter() {
            assert_eq!(language.check_queries(), Ok(()));
        }
    }
}
