//! The languages: one row each in [`LANGUAGES`]; everything else about one is data in
//! `queries/<language>/`.
//!
//! Comes in: a path. Goes out: the row that reads it, [`plain_text`] where none claims it.
//! There is no `match` on a language anywhere.

#[cfg(feature = "lang-markdown")]
mod inline_cost;
pub(crate) mod queries;
pub(crate) mod strict;
mod unreadable;

use std::fmt;
use std::sync::{LazyLock, OnceLock};

use queries::{QueryError, Tables};
use strict::Reading;

/// The sample of a language: `sample!("folder/sample.ext")`.
macro_rules! sample {
    ($path:literal) => {
        ($path, include_str!(concat!("../queries/", $path)))
    };
}

/// The query files of a language: `queries!["folder": file file; "folder": file]`.
macro_rules! queries {
    ($($folder:literal: $($file:ident)+);*) => {
        &[$($(QueryFile {
            path: concat!($folder, "/", stringify!($file), ".scm"),
            text: include_str!(concat!("../queries/", $folder, "/", stringify!($file), ".scm")),
        },)+)*]
    };
}

/// All languages that are built in, in the order they are listed to users. One without extensions
/// occurs only inside others.
pub static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| ROWS.iter().map(Language::of).collect());

const ROWS: &[Row] = &[
    #[cfg(feature = "lang-rust")]
    Row {
        names: &["rust", "rs"],
        extensions: &["rs"],
        grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
        queries: queries!["rust": tags kinds attached lists bodies protected],
        sample: sample!("rust/sample.rs"),
        ..ROW
    },
    #[cfg(feature = "lang-json")]
    Row {
        names: &["json", "application/json"],
        extensions: &["json", "webmanifest", "geojson"],
        grammar: Some(|| tree_sitter_json::LANGUAGE.into()),
        queries: queries!["json": tags kinds lists bodies protected],
        strict: Some(strict::read_json),
        reads_alone: true,
        indent: "  ",
        sample: sample!("json/sample.json"),
        ..ROW
    },
    #[cfg(feature = "lang-markdown")]
    Row {
        names: &["markdown", "md"],
        extensions: &["md", "markdown"],
        grammar: Some(|| tree_sitter_md::LANGUAGE.into()),
        queries: queries!["markdown": tags kinds bodies injections],
        quotes_code: true,
        indent: "  ",
        sample: sample!("markdown/sample.md"),
        ..ROW
    },
    #[cfg(feature = "lang-markdown")]
    Row {
        names: &["markdown_inline"],
        grammar: Some(|| tree_sitter_md::INLINE_LANGUAGE.into()),
        queries: queries!["markdown_inline": kinds],
        unreadable: Some(inline_cost::too_costly),
        quotes_code: true,
        indent: "  ",
        sample: sample!("markdown/sample.md"),
        ..ROW
    },
    #[cfg(feature = "lang-python")]
    Row {
        names: &["python", "py", "python3"],
        extensions: &["py", "pyi", "pyw"],
        file_names: &["SConstruct", "SConscript"],
        interpreters: &["python", "pypy", "uv"],
        grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
        queries: queries!["python": tags kinds attached lists bodies protected],
        sample: sample!("python/sample.py"),
        ..ROW
    },
    #[cfg(feature = "lang-javascript")]
    Row {
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
        sample: sample!("javascript/sample.js"),
        ..ROW
    },
    #[cfg(feature = "lang-javascript")]
    Row {
        names: &["jsx", "text/babel", "text/jsx"],
        extensions: &["jsx"],
        grammar: Some(|| tree_sitter_javascript::LANGUAGE.into()),
        queries: queries![
            "javascript": tags kinds attached lists bodies protected;
            "plain_javascript": tags kinds bodies;
            "jsx": kinds bodies
        ],
        indent: "  ",
        sample: sample!("jsx/sample.jsx"),
        ..ROW
    },
    #[cfg(feature = "lang-typescript")]
    Row {
        names: &["typescript", "ts", "mts", "cts", "text/typescript"],
        extensions: &["ts", "mts", "cts"],
        interpreters: &["deno", "ts-node", "tsx"],
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        queries: queries![
            "javascript": tags kinds attached lists bodies protected;
            "typescript": tags kinds attached lists bodies
        ],
        indent: "  ",
        sample: sample!("typescript/sample.ts"),
        ..ROW
    },
    #[cfg(feature = "lang-typescript")]
    Row {
        names: &["tsx"],
        extensions: &["tsx"],
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TSX.into()),
        queries: queries![
            "javascript": tags kinds attached lists bodies protected;
            "typescript": tags kinds attached lists bodies;
            "jsx": kinds bodies
        ],
        indent: "  ",
        sample: sample!("tsx/sample.tsx"),
        ..ROW
    },
    #[cfg(feature = "lang-toml")]
    Row {
        names: &["toml"],
        extensions: &["toml"],
        file_names: &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile"],
        grammar: Some(|| tree_sitter_toml_ng::LANGUAGE.into()),
        queries: queries!["toml": tags kinds attached lists bodies protected],
        strict: Some(strict::read_toml),
        indent: "  ",
        sample: sample!("toml/sample.toml"),
        ..ROW
    },
    #[cfg(feature = "lang-yaml")]
    Row {
        names: &["yaml", "yml"],
        extensions: &["yaml", "yml"],
        file_names: &[".clang-format", ".clang-tidy", ".clangd"],
        grammar: Some(|| tree_sitter_yaml::LANGUAGE.into()),
        queries: queries!["yaml": tags kinds attached lists bodies],
        strict: Some(strict::read_yaml),
        unreadable: Some(unreadable::yaml::is_nested_too_deep),
        indent: "  ",
        sample: sample!("yaml/sample.yaml"),
        ..ROW
    },
    #[cfg(feature = "lang-go")]
    Row {
        names: &["go", "golang"],
        extensions: &["go"],
        grammar: Some(|| tree_sitter_go::LANGUAGE.into()),
        queries: queries!["go": tags kinds attached lists bodies protected],
        indent: "\t",
        sample: sample!("go/sample.go"),
        ..ROW
    },
    #[cfg(feature = "lang-c")]
    Row {
        names: &["c"],
        extensions: &["c", "h"],
        grammar: Some(|| tree_sitter_c::LANGUAGE.into()),
        queries: queries!["c": tags kinds attached lists bodies protected],
        has_macros: true,
        sample: sample!("c/sample.c"),
        ..ROW
    },
    #[cfg(feature = "lang-cpp")]
    Row {
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
        ..ROW
    },
    #[cfg(feature = "lang-java")]
    Row {
        names: &["java"],
        extensions: &["java"],
        grammar: Some(|| tree_sitter_java::LANGUAGE.into()),
        queries: queries!["java": tags kinds attached lists bodies protected],
        sample: sample!("java/sample.java"),
        ..ROW
    },
    #[cfg(feature = "lang-bash")]
    Row {
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
        queries: queries!["bash": tags kinds lists bodies protected],
        indent: "  ",
        sample: sample!("bash/sample.sh"),
        ..ROW
    },
    #[cfg(feature = "lang-html")]
    Row {
        names: &["html", "htm", "text/html"],
        extensions: &["html", "htm", "xhtml"],
        grammar: Some(|| tree_sitter_html::LANGUAGE.into()),
        queries: queries!["html": tags kinds bodies protected injections],
        indent: "  ",
        sample: sample!("html/sample.html"),
        ..ROW
    },
    #[cfg(feature = "lang-css")]
    Row {
        names: &["css", "text/css"],
        extensions: &["css"],
        grammar: Some(|| tree_sitter_css::LANGUAGE.into()),
        queries: queries!["css": tags kinds lists bodies protected],
        indent: "  ",
        sample: sample!("css/sample.css"),
        ..ROW
    },
    #[cfg(feature = "lang-ruby")]
    Row {
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
        unreadable: Some(unreadable::ruby::has_long_word),
        indent: "  ",
        sample: sample!("ruby/sample.rb"),
        ..ROW
    },
    #[cfg(feature = "lang-php")]
    Row {
        names: &["php"],
        extensions: &["php", "phtml", "phpt"],
        interpreters: &["php"],
        grammar: Some(|| tree_sitter_php::LANGUAGE_PHP.into()),
        queries: queries!["php": tags kinds attached lists bodies protected],
        sample: sample!("php/sample.php"),
        ..ROW
    },
    #[cfg(feature = "lang-lua")]
    Row {
        names: &["lua"],
        extensions: &["lua", "rockspec"],
        file_names: &[".luacheckrc"],
        interpreters: &["lua", "luajit", "texlua"],
        grammar: Some(|| tree_sitter_lua::LANGUAGE.into()),
        queries: queries!["lua": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("lua/sample.lua"),
        ..ROW
    },
    #[cfg(feature = "lang-hcl")]
    Row {
        names: &["hcl", "terraform", "tf"],
        extensions: &["tf", "hcl", "tfvars", "tofu", "nomad"],
        grammar: Some(|| tree_sitter_hcl::LANGUAGE.into()),
        queries: queries!["hcl": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("hcl/sample.tf"),
        ..ROW
    },
    #[cfg(feature = "lang-dockerfile")]
    Row {
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
        ..ROW
    },
    #[cfg(feature = "lang-xml")]
    Row {
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
        ..ROW
    },
    #[cfg(feature = "lang-elixir")]
    Row {
        names: &["elixir", "ex", "exs", "iex"],
        extensions: &["ex", "exs"],
        interpreters: &["elixir"],
        grammar: Some(|| tree_sitter_elixir::LANGUAGE.into()),
        queries: queries!["elixir": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("elixir/sample.ex"),
        ..ROW
    },
    #[cfg(feature = "lang-make")]
    Row {
        names: &["make", "makefile", "mk"],
        extensions: &["mk", "mak", "make"],
        file_names: &["Makefile", "makefile", "GNUmakefile"],
        interpreters: &["make"],
        grammar: Some(|| tree_sitter_make::LANGUAGE.into()),
        queries: queries!["make": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("make/sample.mk"),
        ..ROW
    },
    #[cfg(feature = "lang-nix")]
    Row {
        names: &["nix"],
        extensions: &["nix"],
        grammar: Some(|| tree_sitter_nix::LANGUAGE.into()),
        queries: queries!["nix": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("nix/sample.nix"),
        ..ROW
    },
    #[cfg(feature = "lang-proto")]
    Row {
        names: &["proto", "protobuf", "proto3"],
        extensions: &["proto"],
        grammar: Some(|| tree_sitter_proto::LANGUAGE.into()),
        queries: queries!["proto": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("proto/sample.proto"),
        ..ROW
    },
    #[cfg(feature = "lang-r")]
    Row {
        names: &["r", "rscript"],
        extensions: &["r"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        grammar: Some(|| tree_sitter_r::LANGUAGE.into()),
        queries: queries!["r": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("r/sample.R"),
        ..ROW
    },
    #[cfg(feature = "lang-zig")]
    Row {
        names: &["zig"],
        extensions: &["zig"],
        grammar: Some(|| tree_sitter_zig::LANGUAGE.into()),
        queries: queries!["zig": tags kinds attached lists bodies protected],
        sample: sample!("zig/sample.zig"),
        ..ROW
    },
    #[cfg(feature = "lang-csharp")]
    Row {
        names: &["csharp", "c#", "cs"],
        extensions: &["cs", "csx"],
        interpreters: &["dotnet"],
        grammar: Some(|| tree_sitter_c_sharp::LANGUAGE.into()),
        queries: queries!["csharp": tags kinds attached lists bodies protected],
        sample: sample!("csharp/sample.cs"),
        ..ROW
    },
    #[cfg(feature = "lang-kotlin")]
    Row {
        names: &["kotlin", "kt", "kts"],
        extensions: &["kt", "kts"],
        interpreters: &["kotlin"],
        grammar: Some(|| tree_sitter_kotlin_ng::LANGUAGE.into()),
        queries: queries!["kotlin": tags kinds attached lists bodies protected],
        sample: sample!("kotlin/sample.kt"),
        ..ROW
    },
    #[cfg(feature = "lang-swift")]
    Row {
        names: &["swift"],
        extensions: &["swift"],
        interpreters: &["swift"],
        grammar: Some(|| tree_sitter_swift::LANGUAGE.into()),
        queries: queries!["swift": tags kinds attached lists bodies protected],
        sample: sample!("swift/sample.swift"),
        ..ROW
    },
    #[cfg(feature = "lang-scala")]
    Row {
        names: &["scala", "sc"],
        extensions: &["scala", "sc", "sbt", "mill"],
        interpreters: &["scala", "scala-cli"],
        grammar: Some(|| tree_sitter_scala::LANGUAGE.into()),
        queries: queries!["scala": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("scala/sample.scala"),
        ..ROW
    },
    #[cfg(feature = "lang-dart")]
    Row {
        names: &["dart"],
        extensions: &["dart"],
        interpreters: &["dart"],
        grammar: Some(|| tree_sitter_dart::LANGUAGE.into()),
        queries: queries!["dart": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("dart/sample.dart"),
        ..ROW
    },
    #[cfg(feature = "lang-julia")]
    Row {
        names: &["julia", "jl"],
        extensions: &["jl"],
        interpreters: &["julia"],
        grammar: Some(|| tree_sitter_julia::LANGUAGE.into()),
        queries: queries!["julia": tags kinds attached lists bodies protected],
        sample: sample!("julia/sample.jl"),
        ..ROW
    },
    #[cfg(feature = "lang-ocaml")]
    Row {
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
        ..ROW
    },
    #[cfg(feature = "lang-ocaml")]
    Row {
        names: &["ocaml_interface", "mli"],
        extensions: &["mli"],
        grammar: Some(|| tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE.into()),
        queries: queries!["ocaml": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("ocaml_interface/sample.mli"),
        ..ROW
    },
    #[cfg(feature = "lang-haskell")]
    Row {
        names: &["haskell", "hs"],
        extensions: &["hs"],
        interpreters: &["runghc", "runhaskell", "stack", "cabal"],
        grammar: Some(|| tree_sitter_haskell::LANGUAGE.into()),
        queries: queries!["haskell": tags kinds attached lists bodies protected],
        indent: "  ",
        sample: sample!("haskell/sample.hs"),
        ..ROW
    },
];

static PLAIN_TEXT: Language = Language::of(&Row {
    names: &["text"],
    queries: queries![],
    quotes_code: true,
    sample: sample!("text/sample.txt"),
    ..ROW
});

/// The general words for node types that every language maps as far as it has them
/// (`design.md`, section 5).
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
];

/// The node types of a text that no grammar reads, from the outermost.
pub(crate) const TEXT_NODE_TYPES: [&str; 3] = ["document", "paragraph", "line"];

/// A language: how its files are recognised, parsed and described.
pub struct Language {
    /// The name in answers, and of its folder in `queries/`.
    pub name: &'static str,
    row: &'static Row,
    /// Apart, as it is large, and most languages are not asked for.
    built: OnceLock<Box<Built>>,
}

/// What is written down of a language.
struct Row {
    /// The name, and what else it is called: in the first line of a code fence, in `type="..."`.
    names: &'static [&'static str],
    /// File name endings without the dot, lower case.
    extensions: &'static [&'static str],
    /// Endings that are another's too: its own are those files that have one of `line_starts`. It is
    /// listed behind that one.
    shared_extensions: &'static [&'static str],
    /// What lines begin with, white space left aside, in files of its own and of no other language.
    line_starts: &'static [&'static str],
    /// Whole file names, as they are written; one that ends with `*` is what others begin with.
    file_names: &'static [&'static str],
    /// The programs that a first line `#!...` names.
    interpreters: &'static [&'static str],
    grammar: Option<fn() -> tree_sitter::Language>,
    queries: &'static [QueryFile],
    /// The language's real parser, where asking it is cheap: tree-sitter lets pass what it refuses.
    strict: Option<StrictParser>,
    /// Whether that parser tells of a value alone what it tells of it in its text, and nothing of what it says.
    reads_alone: bool,
    /// Why a text must not be given to the grammar, if so: it would never come to an end, or end the program.
    unreadable: Option<fn(&str) -> Option<&'static str>>,
    /// Whether texts of the language rightly show diffs and code fences.
    quotes_code: bool,
    /// Whether macros stand for anything, so that the grammar finds faults in sound code.
    has_macros: bool,
    /// One level of indentation where a file shows none.
    indent: &'static str,
    /// A file with as many kinds of nodes as can be: its name, and its text.
    sample: (&'static str, &'static str),
}

/// What a row says that says nothing else.
const ROW: Row = Row {
    names: &[],
    extensions: &[],
    shared_extensions: &[],
    line_starts: &[],
    file_names: &[],
    interpreters: &[],
    grammar: None,
    queries: &[],
    strict: None,
    reads_alone: false,
    unreadable: None,
    quotes_code: false,
    has_macros: false,
    indent: "    ",
    sample: ("", ""),
};

/// Reads a whole text by the rules of the language.
pub(crate) type StrictParser = fn(&str) -> Reading;

/// What a language's real parser refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictProblem {
    /// The parser's words, without its position.
    pub message: String,
    /// Byte offset in the text.
    pub offset: usize,
}

/// A file of `queries/`. Languages that share node types share files.
#[derive(Clone, Copy, Debug)]
pub struct QueryFile {
    /// Its path below `queries/`; the name at its end says what it holds.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

impl QueryFile {
    /// `tags`, `kinds`, ...
    pub(crate) fn role(&self) -> &'static str {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        name.trim_end_matches(".scm")
    }
}

/// What is made of a row at its first use.
struct Built {
    grammar: tree_sitter::Language,
    tables: Tables,
}

/// The language of a file, by its name and the lines at the beginning of its text.
pub fn of(path: &str, text: &str) -> &'static Language {
    of_lines(path, text)
        .or_else(|| of_path(path))
        .or_else(|| of_first_line(text))
        .unwrap_or(&PLAIN_TEXT)
}

/// The language that claims the file's name.
pub fn of_path(path: &str) -> Option<&'static Language> {
    let file_name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let named = |language: &&Language| language.row.file_names.contains(&file_name);
    let begun = |language: &&Language| {
        let mut starts = language
            .row
            .file_names
            .iter()
            .filter_map(|name| name.strip_suffix('*'));
        starts.any(|start| file_name.starts_with(start))
    };
    let extension = extension(file_name);
    let ending = |language: &&Language| language.row.extensions.contains(&extension.as_str());
    let all = || LANGUAGES.iter();
    let found = all().find(named).or_else(|| all().find(ending));
    found.or_else(|| all().find(begun))
}

/// The language that has the lines, of those that share the ending of the file's name.
fn of_lines(path: &str, text: &str) -> Option<&'static Language> {
    let extension = extension(path);
    LANGUAGES.iter().find(|language| {
        let row = &language.row;
        let is_its_own = |line: &str| {
            let line = line.trim_start();
            row.line_starts.iter().any(|start| line.starts_with(start))
        };
        row.shared_extensions.contains(&extension.as_str()) && text.lines().any(is_its_own)
    })
}

/// What stands behind the last dot, in lower case.
fn extension(path: &str) -> String {
    let (_, extension) = path.rsplit_once('.').unwrap_or_default();
    extension.to_lowercase()
}

/// The language that a first line `#!/usr/bin/env -S python3 -u` names.
fn of_first_line(text: &str) -> Option<&'static Language> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
    });
    let program =
        words.find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
    let mut all = LANGUAGES.iter();
    all.find(|language| language.row.interpreters.contains(&program))
}

/// The language of that name, as `injections.scm` files write it.
pub(crate) fn by_name(name: &str) -> Option<&'static Language> {
    let name = name.to_lowercase();
    LANGUAGES
        .iter()
        .find(|language| language.row.names.contains(&name.as_str()))
}

/// The row for files that no language claims: no syntax tree.
pub fn plain_text() -> &'static Language {
    &PLAIN_TEXT
}

impl Language {
    const fn of(row: &'static Row) -> Language {
        Language {
            name: row.names[0],
            row,
            built: OnceLock::new(),
        }
    }

    /// What it is called: its name first, then what a code fence may call it.
    pub fn names(&self) -> &'static [&'static str] {
        self.row.names
    }

    /// The endings of its files' names, without the dot, lower case.
    pub fn extensions(&self) -> &'static [&'static str] {
        self.row.extensions
    }

    /// Whole names of its files.
    pub fn file_names(&self) -> &'static [&'static str] {
        self.row.file_names
    }

    /// The programs that the first line `#!...` of its files names.
    pub fn interpreters(&self) -> &'static [&'static str] {
        self.row.interpreters
    }

    /// A file with as many kinds of its nodes as can be: its name, and its text.
    pub fn sample(&self) -> (&'static str, &'static str) {
        self.row.sample
    }

    /// Whether it occurs only inside other languages.
    pub fn is_inner(&self) -> bool {
        self.row.extensions.is_empty() && self.row.grammar.is_some()
    }

    /// Whether its texts rightly show diffs and code fences.
    pub(crate) fn quotes_code(&self) -> bool {
        self.row.quotes_code
    }

    /// Whether the grammar finds faults in sound code, since macros stand for anything.
    pub(crate) fn has_macros(&self) -> bool {
        self.row.has_macros
    }

    /// One level of indentation where a file shows none.
    pub(crate) fn indent(&self) -> &'static str {
        self.row.indent
    }

    /// The grammar; plain text has none.
    pub fn grammar(&self) -> Option<&tree_sitter::Language> {
        self.built().map(|built| &built.grammar)
    }

    pub(crate) fn tables(&self) -> Option<&Tables> {
        self.built().map(|built| &built.tables)
    }

    pub(crate) fn strict(&self) -> Option<StrictParser> {
        self.row.strict
    }

    /// The language's real parser, where a text is right if it was and each value in which it changed is
    /// right alone.
    pub(crate) fn strict_of_value(&self) -> Option<StrictParser> {
        self.row.strict.filter(|_| self.row.reads_alone)
    }

    /// Why a text must not be given to the grammar, if so. `text` is only asked for where that may be.
    pub(crate) fn unreadable<T: AsRef<str>>(
        &self,
        text: impl FnOnce() -> T,
    ) -> Option<&'static str> {
        let asked = self.row.unreadable?;
        asked(text().as_ref())
    }

    /// The named node types of the grammar, without hidden ones.
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

    /// Whether the grammar has the node type.
    pub(crate) fn has_node_type(&self, name: &str) -> bool {
        let Some(grammar) = self.grammar() else {
            return TEXT_NODE_TYPES.contains(&name);
        };
        let id = grammar.id_for_node_kind(name, true);
        id != 0 && grammar.node_kind_is_visible(id)
    }

    /// Whether the language maps the general word.
    pub(crate) fn knows_word(&self, word: &str) -> bool {
        self.tables().is_some_and(|tables| tables.knows_word(word))
    }

    /// What the symbols of the language are, in alphabetical order.
    pub(crate) fn symbol_kinds(&self) -> Vec<&str> {
        let tables = self.tables().into_iter();
        let mut kinds: Vec<&str> = tables.flat_map(Tables::symbol_kinds).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Returns the general words for a node type, some of which apply only in certain places.
    pub(crate) fn words_of(&self, node_type: &str) -> Vec<&'static str> {
        // The queries of a language without that type are not read.
        let kind = self
            .row
            .grammar
            .map_or(0, |grammar| grammar().id_for_node_kind(node_type, true));
        let tables = (kind != 0).then(|| self.tables()).flatten();
        tables.map_or(Vec::new(), |tables| tables.words_of(kind))
    }

    /// The query files, for the test that also gives them to tree-sitter.
    pub fn query_files(&self) -> &'static [QueryFile] {
        self.row.queries
    }

    /// Reads the query files into tables.
    ///
    /// # Errors
    /// A file is outside the subset that is read (see the `queries` room), with file and line.
    pub fn check_queries(&self) -> Result<(), QueryError> {
        match self.row.grammar {
            Some(grammar) => self.load(&grammar()).map(|_| ()),
            None => Ok(()),
        }
    }

    fn built(&self) -> Option<&Built> {
        let grammar = self.row.grammar?;
        Some(self.built.get_or_init(|| {
            let grammar = grammar();
            let tables = self
                .load(&grammar)
                .expect("tests/languages.rs reads every query file");
            Box::new(Built { grammar, tables })
        }))
    }

    fn load(&self, grammar: &tree_sitter::Language) -> Result<Tables, QueryError> {
        Tables::read(grammar, self.row.queries)
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

    #[test]
    fn a_language_is_found_by_the_name_of_the_file_or_its_first_line() {
        assert_eq!(of("src/lib.rs", "").name, "rust");
        assert_eq!(of("C:\\a\\PACKAGE.JSON", "").name, "json");
        assert_eq!(of("README.MD", "").name, "markdown");
        assert_eq!(of("a.rs/Makefile", "").name, "make");
        assert_eq!(of("a.rs/makefile.txt", "").name, "text");
        assert_eq!(of("a/Cargo.lock", "").name, "toml");
        assert_eq!(of("a/.bashrc", "").name, "bash");
        assert_eq!(of("a/Dockerfile.dev", "").name, "dockerfile");
        assert_eq!(of("a/Dockerfile.md", "").name, "markdown");
        assert_eq!(
            of("run", "#!/usr/bin/env -S PYTHONPATH=a python3.12 -u\n").name,
            "python"
        );
        assert_eq!(of("run", "#!/bin/sh\r\n").name, "bash");
        assert_eq!(of("run", "# !/bin/sh\n").name, "text");
        assert_eq!(of("run.rs", "#!/bin/sh\n").name, "rust");
    }

    #[test]
    fn a_header_is_of_c_unless_lines_of_it_say_otherwise() {
        let guard = "// Copyright\r\n#ifndef A_H\r\n#define A_H\r\n";
        assert_eq!(
            of("a.h", &format!("{guard}int f(int class);\r\n")).name,
            "c"
        );
        assert_eq!(of("a.h", &format!("{guard}namespace a {{\r\n")).name, "cpp");
        assert_eq!(of("A.H", "struct A {\n protected:\n").name, "cpp");
        assert_eq!(of("a.h", "").name, "c");
        assert_eq!(of("a.c", "class A {}\n").name, "c");
    }

    #[test]
    fn every_query_file_is_read() {
        for language in LANGUAGES.iter() {
            assert_eq!(language.check_queries(), Ok(()));
        }
    }
}
