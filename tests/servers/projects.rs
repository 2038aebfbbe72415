//! Small projects, one for each language server, and the questions about them: for
//! `tests/servers.rs` and `cargo xtask servers`. The places of a name are looked up in the files,
//! so that the expected answers are also known after a change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A language server, its project, and the questions about it.
#[derive(Debug)]
pub(crate) struct Project {
    /// The server.
    pub(crate) server: &'static str,
    /// The name of the language in the configuration.
    pub(crate) language: &'static str,
    /// The folder next to this file.
    pub(crate) folder: &'static str,
    /// The program and its arguments.
    pub(crate) command: &'static [&'static str],
    /// The command that prints its version; empty if there is none.
    pub(crate) version: &'static [&'static str],
    /// How it is installed.
    pub(crate) from: Installer,
    /// The name that the questions are about.
    pub(crate) name: &'static str,
    /// The locator of the name.
    pub(crate) locate: &'static str,
    /// The file and the text in which the name is defined, with `<|>` before it; `None` if the
    /// server does not find definitions.
    pub(crate) definition: Option<(&'static str, &'static str)>,
    /// A file in which the name belongs to another symbol.
    pub(crate) not_in: &'static str,
    /// Whether the server lists all places of a name.
    pub(crate) references: bool,
    /// Whether it lists the name among the symbols of the workspace.
    pub(crate) symbols: bool,
    /// Text in its description of the name.
    pub(crate) hover: Option<&'static str>,
    /// The new name of a rename.
    pub(crate) rename: Option<&'static str>,
    /// The file with an error, the wrong text, with `<|>` before the place, and words of the
    /// message about it.
    pub(crate) error: Option<(&'static str, &'static str, &'static str)>,
    /// The form of a comment, with `{}` for its text.
    pub(crate) comment: &'static str,
    /// A file, a text in it, and a replacement that mentions the name once more.
    pub(crate) ours: (&'static str, &'static str, &'static str),
    /// A new file and its text.
    pub(crate) new: (&'static str, &'static str),
    /// A file, text to append to it with a use that the server does not rename, and the reason.
    pub(crate) left: Option<(&'static str, &'static str, &'static str)>,
    /// Why a rename with `complete` changes that use; `None` if it is refused, and an edit changes the use.
    pub(crate) completed: Option<&'static str>,
    /// Questions that it accepts but cannot answer.
    pub(crate) silent: &'static [&'static str],
    /// Whether all its answers may stay incomplete.
    pub(crate) is_partial: bool,
}

/// How a server is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Installer {
    /// `tests/requirements.txt`.
    Python,
    /// `tests/surfaces/package.json`.
    Node,
    /// `tests/all.sh`, if it is not on the search path already.
    SearchPath,
}

/// A program that is a language server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    /// Its name in the tests.
    pub(crate) server: &'static str,
    /// The name of the language in the configuration.
    pub(crate) language: &'static str,
    /// The program and its arguments.
    pub(crate) command: &'static [&'static str],
    /// The command that prints its version; empty if there is none.
    pub(crate) version: &'static [&'static str],
    /// How it is installed.
    pub(crate) from: Installer,
}

const PYTHON: Project = Project {
    server: "ty",
    language: "python",
    folder: "python",
    command: &["ty", "server"],
    version: &["ty", "--version"],
    from: Installer::Python,
    name: "price",
    locate: "bill.py@FIRST = (\"größer als ☕ 𝒙\", <|>price",
    definition: Some(("prices.py", "def <|>price")),
    not_in: "",
    references: true,
    symbols: true,
    hover: Some("with all taxes"),
    rename: Some("cost"),
    error: Some(("bill.py", "WRONG: str = <|>total", "assign")),
    comment: "# {}",
    ours: (
        "bill.py",
        "price(\"tea\"))",
        "price(\"tea\") + price(\"milk\"))",
    ),
    new: (
        "tips.py",
        "from prices import price\n\nTIP = price(\"tea\") / 10\n",
    ),
    left: Some((
        "again.py",
        "def again(prices):\n    return prices.price(\"tea\")\n",
        NOT_RESOLVED,
    )),
    completed: None,
    silent: &[],
    is_partial: false,
};

const NOT_RESOLVED: &str = "not resolved by the server";

/// All projects.
pub(crate) const PROJECTS: &[Project] = &[
    PYTHON,
    Project {
        server: "pyright",
        command: &["pyright-langserver", "--stdio"],
        version: &["pyright", "--version"],
        from: Installer::Node,
        ..PYTHON
    },
    Project {
        server: "clangd",
        language: "c",
        folder: "c",
        command: &["clangd", "--background-index"],
        version: &["clangd", "--version"],
        locate: "bill.c@\"größer als ☕ 𝒙\"; return <|>price",
        definition: Some(("prices.c", "int <|>price(const char *name) {")),
        error: Some(("bill.c", "const char *<|>wrong", "incompatible")),
        comment: "/* {} */",
        ours: (
            "bill.c",
            "price(\"cake\");",
            "price(\"cake\") + price(\"milk\");",
        ),
        new: (
            "tips.c",
            "#include \"prices.h\"\n\nint tip(void) { return price(\"tea\") / 10; }\n",
        ),
        left: Some((
            "again.h",
            "#include \"prices.h\"\n\n#define AGAIN (price(\"tea\") * 2)\n",
            "resolves to the renamed symbol",
        )),
        completed: Some("resolves to the renamed symbol"),
        ..PYTHON
    },
    Project {
        server: "TypeScript",
        language: "typescript",
        folder: "typescript",
        command: &["tsc", "--lsp", "--stdio"],
        version: &["tsc", "--version"],
        from: Installer::Node,
        locate: "bill.ts@first = [\"größer als ☕ 𝒙\", <|>price",
        definition: Some(("prices.ts", "function <|>price")),
        error: Some(("bill.ts", "const <|>wrong", "not assignable")),
        comment: "// {}",
        ours: (
            "bill.ts",
            "price(\"tea\")]",
            "price(\"tea\"), price(\"milk\")]",
        ),
        new: (
            "tips.ts",
            "import { price } from \"./prices\";\n\nexport const tip = price(\"tea\") / 10;\n",
        ),
        left: Some((
            "again.ts",
            "export const again = (prices: any) => prices.price(\"tea\");\n",
            NOT_RESOLVED,
        )),
        ..PYTHON
    },
    Project {
        server: "yaml-language-server",
        language: "yaml",
        folder: "yaml",
        command: &["yaml-language-server", "--stdio"],
        version: &["yaml-language-server", "--version"],
        from: Installer::Node,
        name: "hot",
        locate: "menu.yaml@{title: \"größer als ☕ 𝒙\", cup: *<|>hot",
        definition: Some(("menu.yaml", "  <|>cup: large")),
        not_in: "other.yaml",
        references: false,
        symbols: false,
        hover: Some("cup: large"),
        rename: Some("warm"),
        error: Some(("menu.yaml", "wrong: <|>*cold", "Unresolved alias")),
        comment: "# {}",
        ours: ("menu.yaml", "tea: *hot", "tea: *hot\nmilk: *hot"),
        new: ("tips.yaml", "tip: small\n"),
        left: None,
        ..PYTHON
    },
    Project {
        server: "bash-language-server",
        language: "bash",
        folder: "bash",
        command: &["bash-language-server", "start"],
        version: &["bash-language-server", "--version"],
        from: Installer::Node,
        locate: "bill.sh@echo \"größer als ☕ 𝒙\" \"$(<|>price",
        definition: Some(("prices.sh", "<|>price() {")),
        error: Some(("bill.sh", "<|>wrong=", "unused")),
        ours: (
            "bill.sh",
            "$(price tea)\"",
            "$(price tea)\" \"$(price milk)\"",
        ),
        new: (
            "tips.sh",
            "#!/usr/bin/env bash\nsource ./prices.sh\nprice tea\n",
        ),
        left: None,
        ..PYTHON
    },
    Project {
        server: "vscode-css-language-server",
        language: "css",
        folder: "css",
        command: &["vscode-css-language-server", "--stdio"],
        version: &[],
        from: Installer::Node,
        name: "--accent",
        locate: "menu.css@content: \"größer als ☕ 𝒙\"; color: var(<|>--accent",
        definition: Some(("menu.css", "<|>--accent: #c00")),
        symbols: false,
        hover: Some("Sets the color"),
        rename: Some("--brand"),
        error: Some(("menu.css", ".wrong { color <|>red", "colon expected")),
        comment: "/* {} */",
        ours: (
            "menu.css",
            ".menu {\n    color: var(--accent);",
            ".menu {\n    color: var(--accent);\n    background: var(--accent);",
        ),
        new: ("tips.css", ".tip { color: var(--accent); }\n"),
        left: None,
        is_partial: true,
        ..PYTHON
    },
    Project {
        server: "tombi",
        language: "toml",
        folder: "toml",
        command: &["tombi", "lsp", "--offline"],
        version: &["tombi", "--version"],
        name: "title",
        locate: "menu.toml@<|>title",
        definition: None,
        references: false,
        symbols: false,
        hover: Some("title"),
        rename: None,
        error: Some(("menu.toml", "wrong = <|>", "expected value")),
        ours: ("menu.toml", "cents = 250", "cents = 260"),
        new: ("tips.toml", "[tip]\ncents = 25\n"),
        left: None,
        silent: &["goto_definition", "find_references"],
        ..PYTHON
    },
    Project {
        server: "rust-analyzer",
        language: "rust",
        folder: "rust",
        command: &["rust-analyzer"],
        version: &["rust-analyzer", "--version"],
        from: Installer::SearchPath,
        locate: "src/lib.rs@(\"größer als ☕ 𝒙\", prices::<|>price",
        definition: Some(("src/prices.rs", "fn <|>price")),
        error: Some((
            "src/lib.rs",
            "    <|>total(&[\"cake\"])",
            "mismatched types",
        )),
        comment: "// {}",
        ours: (
            "src/lib.rs",
            "prices::price(\"tea\"))",
            "prices::price(\"tea\") + prices::price(\"milk\"))",
        ),
        new: (
            "src/bin/tips.rs",
            "fn main() {\n    println!(\"{}\", bill::prices::price(\"tea\"));\n}\n",
        ),
        left: Some((
            "src/prices.rs",
            "#[macro_export]\nmacro_rules! again {\n    () => {\n        $crate::prices::price(\"tea\")\n    };\n}\n",
            NOT_RESOLVED,
        )),
        ..PYTHON
    },
    Project {
        server: "gopls",
        language: "go",
        folder: "go",
        command: &["gopls"],
        version: &["gopls", "version"],
        from: Installer::SearchPath,
        locate: "bill.go@\"größer als ☕ 𝒙\", <|>price",
        definition: Some(("prices.go", "func <|>price")),
        error: Some(("bill.go", "string = <|>Total", "cannot use")),
        comment: "// {}",
        ours: (
            "bill.go",
            "price(\"tea\")",
            "price(\"tea\") + price(\"milk\")",
        ),
        new: (
            "tips.go",
            "package bill\n\n// Tip is a part of it.\nfunc Tip() int {\n\treturn price(\"tea\") / 10\n}\n",
        ),
        left: Some((
            "again_plan9.go",
            "package bill\n\n// Again is built on another system.\nfunc Again() int {\n\treturn price(\"tea\")\n}\n",
            NOT_RESOLVED,
        )),
        ..PYTHON
    },
];

impl Program {
    /// Returns the program and its arguments. `installed` is the folder of the programs of its
    /// [`Installer`]; for programs that run on Node.js, that folder also has Node.js.
    pub(crate) fn command_in(&self, installed: &Path) -> Vec<String> {
        let program = |name: &str| installed.join(name).to_string_lossy().into_owned();
        let node = (self.from == Installer::Node).then(|| program("node"));
        let own = [program(self.command[0])];
        let arguments = self.command[1..].iter().map(|word| word.to_string());
        node.into_iter().chain(own).chain(arguments).collect()
    }
}

/// A place: a file, a line and a character, both from 1.
pub(crate) type Place = (String, usize, usize);

impl Project {
    /// Copies the project into an empty folder, given by its canonical path.
    pub(crate) fn lay_out(&self, root: &Path) {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/servers");
        for (name, text) in texts(&own.join(self.folder)) {
            let path = root.join(&name);
            let folder = path.parent().expect("the path has a parent");
            fs::create_dir_all(folder).expect("the folder can be created");
            let text = text.replace("ROOT", &root.to_string_lossy());
            fs::write(&path, text).expect("the file can be written");
        }
    }

    /// Returns its server.
    pub(crate) fn program(&self) -> Program {
        Program {
            server: self.server,
            language: self.language,
            command: self.command,
            version: self.version,
            from: self.from,
        }
    }

    /// Returns the current place of the definition.
    pub(crate) fn defined(&self, root: &Path) -> Option<Place> {
        let (file, text) = self.definition?;
        Some(place_of(root, file, text))
    }

    /// Returns the current places of the name, in the order of the files.
    pub(crate) fn named(&self, root: &Path) -> Vec<Place> {
        let mut places = Vec::new();
        for (file, text) in texts(root) {
            if file == self.not_in {
                continue;
            }
            for (number, line) in text.lines().enumerate() {
                for at in occurrences(line, self.name) {
                    let character = line[..at].chars().count() + 1;
                    places.push((file.clone(), number + 1, character));
                }
            }
        }
        places
    }

    /// Returns the files that the rename changes, with their expected texts.
    pub(crate) fn renamed(&self, root: &Path, new_name: &str) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for (file, text) in texts(root) {
            let mut renamed = text.clone();
            for at in occurrences(&text, self.name).into_iter().rev() {
                renamed.replace_range(at..at + self.name.len(), new_name);
            }
            if renamed != text && file != self.not_in {
                files.insert(file, renamed);
            }
        }
        files
    }

    /// Returns the current place of the error.
    pub(crate) fn wrong(&self, root: &Path) -> Option<Place> {
        let (file, text, _) = self.error?;
        Some(place_of(root, file, text))
    }
}

/// Returns the files below a folder by their relative paths, without hidden files.
pub(crate) fn texts(root: &Path) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder is listed") {
            let path: PathBuf = entry.expect("a folder is listed").path();
            let name = path.strip_prefix(root).expect("it is below");
            let name = name.to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                let is_ours = !name.starts_with(['.', '_']) && name != "target";
                folders.extend(is_ours.then_some(path));
            } else if let Ok(text) = fs::read_to_string(&path) {
                texts.insert(name, text);
            }
        }
    }
    texts
}

/// Returns the offsets of a name as a whole word.
fn occurrences(text: &str, name: &str) -> Vec<usize> {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let is_whole = |at: &usize| {
        !joins(text[..*at].chars().next_back()) && !joins(text[at + name.len()..].chars().next())
    };
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(is_whole).collect()
}

/// Returns the place of the marker in the first line that contains a text.
fn place_of(root: &Path, file: &str, text: &str) -> Place {
    let (before, after) = text.split_once("<|>").expect("it has a marker");
    let whole = fs::read_to_string(root.join(file)).expect("the file is there");
    let needle = format!("{before}{after}");
    let mut lines = whole.lines().enumerate();
    let found = lines.find_map(|(number, line)| Some((number, line, line.find(&needle)?)));
    let (number, line, at) = found.expect("the text exists");
    let character = line[..at + before.len()].chars().count() + 1;
    (file.to_string(), number + 1, character)
}
