//! Projects with a broken file, for the questions about diagnostics in `tests/servers.rs`: one for
//! each language server. The expected errors are those that each server finds in its file.

use super::projects::{Installer, PROJECTS, Program};

/// A project whose file [`Broken::file`] does not compile.
#[derive(Debug)]
pub(crate) struct Broken {
    /// The server, as in [`Program`].
    pub(crate) server: &'static str,
    /// The other files, with their names. `ROOT` is the folder of the project.
    pub(crate) others: &'static [(&'static str, &'static str)],
    /// The broken file.
    pub(crate) file: &'static str,
    /// Its text, with `<|>` before a name in it.
    pub(crate) text: &'static str,
    /// Words of the server's messages about it, in lower case.
    pub(crate) errors: &'static [&'static str],
    /// The text without errors.
    pub(crate) repaired: &'static str,
    /// A text of another file that makes the fixed file wrong, and the words of the message about
    /// that.
    pub(crate) elsewhere: Option<(&'static str, &'static str, &'static str)>,
    /// Whether an answer about the file may be complete.
    pub(crate) may_be_complete: bool,
}

const BROKEN: Broken = Broken {
    server: "",
    others: &[],
    file: "",
    text: "",
    errors: &[],
    repaired: "",
    elsewhere: None,
    may_be_complete: true,
};

/// Python, for both of its servers: errors with the same messages.
const PYTHON: Broken = Broken {
    others: &[("prices.py", "def price() -> int:\n    return 250\n")],
    file: "bill.py",
    text: "from prices import price\n\ntotal: str = <|>price()\nundefined_thing(total)\n",
    errors: &["assign", "undefined_thing"],
    repaired: "from prices import price\n\ntotal: int = price()\n",
    elsewhere: Some((
        "prices.py",
        "def price() -> str:\n    return \"\"\n",
        "assign",
    )),
    ..BROKEN
};

/// All broken projects.
pub(crate) const ALL: &[Broken] = &[
    Broken {
        server: "ty",
        ..PYTHON
    },
    Broken {
        server: "pyright",
        ..PYTHON
    },
    Broken {
        server: "clangd",
        others: &[
            (
                "compile_commands.json",
                r#"[{"directory": "ROOT", "file": "bill.c", "arguments": ["cc", "-c", "bill.c"]}]"#,
            ),
            ("prices.h", "int price(void);\n"),
        ],
        file: "bill.c",
        text: "#include \"prices.h\"\n\nint total(void) {\n    char *sum = <|>price();\n    return undefined_thing(sum);\n}\n",
        errors: &["incompatible", "undefined_thing"],
        repaired: "#include \"prices.h\"\n\nint total(void) {\n    return price();\n}\n",
        elsewhere: Some(("prices.h", "char *price(void);\n", "incompatible")),
        ..BROKEN
    },
    Broken {
        server: "TypeScript",
        others: &[
            (
                "tsconfig.json",
                r#"{"compilerOptions": {"strict": true, "noEmit": true}, "include": ["*.ts"]}"#,
            ),
            (
                "prices.ts",
                "export function price(): number {\n    return 250;\n}\n",
            ),
        ],
        file: "bill.ts",
        text: "import { price } from \"./prices\";\n\nexport const total: string = <|>price();\nundefinedThing(total);\n",
        errors: &["not assignable", "undefinedthing"],
        repaired: "import { price } from \"./prices\";\n\nexport const total: number = price();\n",
        elsewhere: Some((
            "prices.ts",
            "export function price(): string {\n    return \"\";\n}\n",
            "not assignable",
        )),
        ..BROKEN
    },
    Broken {
        server: "yaml-language-server",
        file: "menu.yaml",
        text: "<|>tea: *cold\nmilk: [1\n",
        errors: &["unresolved alias", "flow sequence"],
        repaired: "tea: hot\nmilk: [1]\n",
        ..BROKEN
    },
    Broken {
        server: "bash-language-server",
        file: "bill.sh",
        text: "#!/usr/bin/env bash\n<|>total() {\n    echo \"$undefined_thing\"\n",
        errors: &["expected a '}'"],
        repaired: "#!/usr/bin/env bash\ntotal() {\n    echo 250\n}\n\ntotal\n",
        ..BROKEN
    },
    Broken {
        server: "vscode-css-language-server",
        file: "menu.css",
        text: ".<|>menu { color red; }\n.bill {\n",
        errors: &["colon expected", "} expected"],
        repaired: ".menu { color: red; }\n",
        may_be_complete: false,
        ..BROKEN
    },
    Broken {
        server: "vscode-html-language-server",
        file: "menu.html",
        text: "<<|>p>tea</p>\n<style>.menu { color red; }</style>\n",
        errors: &["colon expected"],
        repaired: "<p>tea</p>\n<style>.menu { color: red; }</style>\n",
        may_be_complete: false,
        ..BROKEN
    },
    Broken {
        server: "vscode-json-language-server",
        file: "menu.json",
        text: "{\"<|>tea\": 250,, \"milk\": }\n",
        errors: &["property expected", "value expected"],
        repaired: "{\"tea\": 250, \"milk\": 120}\n",
        ..BROKEN
    },
    Broken {
        server: "tombi",
        file: "menu.toml",
        text: "<|>tea = \n[milk\n",
        errors: &["expected value", "expected ']'"],
        repaired: "tea = 250\n[milk]\n",
        ..BROKEN
    },
    Broken {
        server: "rust-analyzer",
        others: &[
            (
                "Cargo.toml",
                "[package]\nname = \"bill\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
            ),
            ("src/prices.rs", "pub fn price() -> u32 {\n    250\n}\n"),
        ],
        file: "src/lib.rs",
        text: "pub mod prices;\n\npub fn total() -> u32 {\n    let sum: String = prices::<|>price();\n    undefined_thing(sum)\n}\n",
        errors: &["mismatched types", "undefined_thing"],
        repaired: "pub mod prices;\n\npub fn total() -> u32 {\n    prices::price()\n}\n",
        elsewhere: Some((
            "src/prices.rs",
            "pub fn price() -> String {\n    String::new()\n}\n",
            "mismatched types",
        )),
        ..BROKEN
    },
    Broken {
        server: "gopls",
        others: &[
            ("go.mod", "module example.com/bill\n\ngo 1.19\n"),
            (
                "prices.go",
                "package bill\n\nfunc price() int {\n\treturn 250\n}\n",
            ),
        ],
        file: "bill.go",
        text: "package bill\n\n// Total is the sum.\nfunc Total() string {\n\tvar sum string = <|>price()\n\treturn undefinedThing(sum)\n}\n",
        errors: &["cannot use", "undefinedthing"],
        repaired: "package bill\n\n// Total is the sum.\nfunc Total() int {\n\treturn price()\n}\n",
        elsewhere: Some((
            "prices.go",
            "package bill\n\nfunc price() string {\n\treturn \"\"\n}\n",
            "cannot use",
        )),
        ..BROKEN
    },
];

/// Servers without a [`Project`](super::projects::Project).
const PROGRAMS: &[Program] = &[
    Program {
        server: "vscode-html-language-server",
        language: "html",
        command: &["vscode-html-language-server", "--stdio"],
        version: &[],
        from: Installer::Node,
    },
    Program {
        server: "vscode-json-language-server",
        language: "json",
        command: &["vscode-json-language-server", "--stdio"],
        version: &[],
        from: Installer::Node,
    },
];

impl Broken {
    /// Returns the program of the server.
    pub(crate) fn program(&self) -> Program {
        let known = PROJECTS.iter().map(|project| project.program());
        let mut all = known.chain(PROGRAMS.iter().copied());
        let found = all.find(|program| program.server == self.server);
        found.expect("it has a program")
    }

    /// Returns the text of the file, without the marker.
    pub(crate) fn broken(&self) -> String {
        self.text.replacen("<|>", "", 1)
    }

    /// Returns the locator of the marked name.
    pub(crate) fn locate(&self) -> String {
        let (before, after) = self.text.split_once("<|>").expect("it has a marker");
        let line = before.rsplit('\n').next().unwrap_or_default();
        let after = after.split('\n').next().unwrap_or_default();
        format!("{}@{line}<|>{after}", self.file)
    }
}
