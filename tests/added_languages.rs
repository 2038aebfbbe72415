//! Languages that the user adds: a grammar of the tests' own, whose parser is generated and compiled here, is added,
//! used like any other language, and removed; and every file that cannot be loaded is refused by name.

#![expect(
    clippy::disallowed_methods,
    reason = "tests create files, compile a parser and run the command line"
)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};
use tempfile::TempDir;
use tree_sitter_generate::{OptLevel, PARSER_HEADER, generate_parser_for_grammar};

use crate::support::{copy, repository};

/// A text in the language.
const TEXT: &str = "// Greets.\nfn greet(name) {\n  say(\"hi\", name);\n}\n\nlet limit = 3;\n";

/// The directory with the grammar and the query files.
fn fixture(name: &str) -> PathBuf {
    repository().join("tests/added_languages").join(name)
}

/// A directory with the generated parser.
static PARSER: LazyLock<TempDir> = LazyLock::new(|| {
    let directory = tempfile::tempdir().expect("a temporary directory can be created");
    let grammar = fs::read_to_string(fixture("grammar.json")).expect("the grammar can be read");
    let generated = generate_parser_for_grammar(&grammar, None, OptLevel::default(), &mut vec![]);
    let (name, code) = generated.expect("the grammar is valid");
    assert_eq!(name, "toy");
    let headers = directory.path().join("tree_sitter");
    fs::create_dir(&headers).expect("the directory can be created");
    fs::write(headers.join("parser.h"), PARSER_HEADER).expect("the file can be written");
    fs::write(directory.path().join("parser.c"), code).expect("the file can be written");
    directory
});

/// The compiled grammar. Compiled once per run.
pub(crate) static GRAMMAR: LazyLock<PathBuf> = LazyLock::new(|| library("toy", |code| code));

/// Compiles the parser, with changed code.
fn library(name: &str, change: impl Fn(String) -> String) -> PathBuf {
    let directory = PARSER.path();
    let code = fs::read_to_string(directory.join("parser.c")).expect("the file can be read");
    let source = directory.join(format!("{name}.c"));
    fs::write(&source, change(code)).expect("the file can be written");
    let library = source.with_extension(std::env::consts::DLL_EXTENSION);
    let output = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-I"])
        .arg(directory)
        .arg(source)
        .arg("-o")
        .arg(&library)
        .output()
        .expect("a C compiler is installed: building treegraft needs one");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    library
}

/// A user with a project, and with their own configuration and state.
struct User {
    home: TempDir,
}

struct Ran {
    code: Option<i32>,
    text: String,
    errors: String,
}

impl User {
    fn new() -> User {
        let home = tempfile::tempdir().expect("a temporary directory can be created");
        fs::create_dir_all(home.path().join("project/.git")).expect("it can be created");
        copy(&fixture("queries"), &home.path().join("queries"));
        fs::copy(fixture("sample.toy"), home.path().join("sample.toy")).expect("it can be copied");
        fs::copy(&*GRAMMAR, home.path().join("toy.so")).expect("it can be copied");
        let user = User { home };
        user.write("project/a.toy", TEXT);
        user.write("project/b.rs", "fn other() {}\n");
        user
    }

    /// Returns a user who added the language.
    fn with_toy() -> User {
        let user = User::new();
        user.works(ADD);
        user
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).expect("the file can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file can be read")
    }

    /// Returns the command of a line without quotes; `~` means a space in an argument.
    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_treegraft"));
        command
            .args(line.split(' ').map(|word| word.replace('~', " ")))
            .current_dir(self.path("project"))
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> Ran {
        self.ran(&mut self.command(line))
    }

    /// Runs a command. Its output does not depend on the user and on the compiler.
    fn ran(&self, command: &mut Command) -> Ran {
        let Output {
            status,
            stdout,
            stderr,
        } = command.output().expect("the command runs");
        let random = Regex::new("@[0-9a-f]{12}-[0-9a-f]{16}").expect("it is valid");
        let digest = Regex::new("digest [0-9a-f]{16}").expect("it is valid");
        let text = |bytes: &[u8]| {
            let home = self.home.path().to_str().expect("the path is UTF-8");
            let text = String::from_utf8_lossy(bytes).replace(home, "/home/me");
            let text = random.replace_all(&text, "@0123456789ab-0123456789abcdef");
            let text = text.replace(&library_name(), "grammar.so");
            digest
                .replace_all(&text, "digest 0123456789abcdef")
                .into_owned()
        };
        Ran {
            code: status.code(),
            text: text(&stdout),
            errors: text(&stderr),
        }
    }

    fn works(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(0), "{line}: {}{}", ran.text, ran.errors);
        ran.text
    }

    /// Returns the code and the text of a refusal.
    fn refused(&self, line: &str) -> String {
        let ran = self.run(line);
        assert!(
            ran.errors.contains("refused: "),
            "{line}: {}{}",
            ran.text,
            ran.errors
        );
        assert!(
            ran.code.is_some_and(|code| code > 0),
            "{line}: {:?}",
            ran.code
        );
        ran.errors
            .trim_start_matches("refused: ")
            .trim_end()
            .to_string()
    }

    /// Checks that `languages add` is refused and adds nothing.
    fn add_is_refused(&self, line: &str, expected: &[&str]) {
        let refusal = self.refused(line);
        for text in expected {
            assert!(refusal.contains(text), "{line}: no `{text}` in: {refusal}");
        }
        let languages = fs::read_dir(self.path("config/treegraft/languages"));
        assert_eq!(languages.map_or(0, Iterator::count), 0, "{line}");
    }

    /// Returns the path of a file of the added language.
    fn added(&self, name: &str) -> PathBuf {
        let languages = self.path("config/treegraft/languages");
        let entries = fs::read_dir(languages).expect("the directory exists");
        let paths = entries.map(|entry| entry.expect("it can be listed").path());
        let directories: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
        assert_eq!(directories.len(), 1, "{directories:?}");
        directories[0].join(name)
    }

    /// Checks that files of the language are refused with this text, and that everything else works.
    fn only_toy_is_refused(&self, expected: &str) {
        let refusal = self.refused("outline a.toy");
        assert!(refusal.starts_with("grammar_unavailable\n"), "{refusal}");
        assert!(refusal.contains(expected), "no `{expected}` in: {refusal}");
        assert!(
            refusal.contains("treegraft languages remove toy"),
            "{refusal}"
        );
        let edit = self.refused("replace a.toy --anchor 3 --ancestor line --content 4");
        assert!(edit.starts_with("grammar_unavailable\n"), "{edit}");
        let all = self.works("outline .");
        assert!(all.contains("b.rs\n  1 function other"), "{all}");
        let skipped = "1 file skipped: 1 in a language whose grammar cannot be loaded";
        assert!(all.contains(skipped), "{all}");
        self.works("replace b.rs --anchor other --ancestor function --content fn~o(){}");
        self.works("find . --node-type function");
        assert!(self.works("languages").contains("\ntoy\n"));
    }
}

const ADD: &str = "languages add toy --grammar ../toy.so --queries ../queries --extension .TOY \
                   --sample ../sample.toy --file-name Toyfile --alias toy-script --interpreter toysh \
                   --context fn~f(){<|>;}";

/// Compares a text with a file in `snapshots/`.
fn pinned(folder: &str, name: &str, text: &str) {
    let settings = crate::support::snapshots(folder);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

fn library_name() -> String {
    format!("grammar.{}", std::env::consts::DLL_EXTENSION)
}

#[test]
fn a_language_is_added_used_and_removed() {
    let user = User::new();
    let plain = user.works("outline a.toy");
    assert!(plain.contains("no symbols"), "{plain}");
    pinned("languages", "added", &user.works(ADD));
    let outline = "a.toy\n  2 function greet\n  6 variable limit\n";
    assert!(user.works("outline a.toy").starts_with(outline));
    pinned(
        "languages",
        "node_types",
        &user.works("languages node-types toy"),
    );
    let listed = user.works("languages list");
    let toy = "toy\n  files: *.toy Toyfile; #! toysh\n  added by you\n  also called: toy-script\n";
    assert!(listed.contains(toy), "{listed}");
    let found = user.works("find a.toy --node-type string");
    assert!(found.contains("\"hi\""), "{found}");
    // A list has commas, a function has its comment, and new content gets its indentation.
    let after = "--position after --content 2 --apply";
    let inserted = user.works(&format!(
        "insert a.toy --anchor name --ancestor argument {after}"
    ));
    assert!(inserted.contains("note: added the separator"), "{inserted}");
    let last = "--position last_child --content say(limit); --apply";
    user.works(&format!(
        "insert a.toy --anchor greet --ancestor function {last}"
    ));
    let edited = "// Greets.\nfn greet(name) {\n  say(\"hi\", name, 2);\n  say(limit);\n}\n\nlet limit = 3;\n";
    assert_eq!(user.read("project/a.toy"), edited);
    let rewritten = user.works("rewrite say($A) tell($A) . --apply");
    assert!(
        user.read("project/a.toy").contains("  tell(limit);\n"),
        "{rewritten}"
    );
    let deleted = user.works("delete a.toy --anchor greet --ancestor function --apply --json");
    let deleted: Value = serde_json::from_str(&deleted).expect("the answer is JSON");
    assert_eq!(user.read("project/a.toy"), "let limit = 3;\n");
    let broken = user.refused("replace a.toy --anchor 3 --ancestor number --content (");
    assert!(broken.starts_with("breaks_syntax"), "{broken}");
    for (name, text) in [("Toyfile", TEXT), ("c", "#!/usr/bin/toysh\n")] {
        user.write(&format!("project/{name}"), text);
    }
    assert!(user.works("outline Toyfile").contains("function greet"));
    user.write("project/d.md", "```toy-script\nfn inner() {}\n```\n");
    assert!(
        user.works("find d.md --node-type function")
            .contains("fn inner")
    );
    assert_eq!(user.works("languages remove toy"), "removed toy\n");
    let left = fs::read_dir(user.path("config/treegraft/languages")).expect("it exists");
    assert_eq!(left.count(), 0);
    // Without the language, the file is plain text, and its edits can be undone.
    let id = deleted["edit_id"].as_str().expect("an edit has an id");
    user.works(&format!("undo {id}"));
    assert!(user.read("project/a.toy").starts_with("// Greets.\n"));
}

#[test]
fn a_server_uses_an_added_language() {
    let user = User::with_toy();
    let arguments = json!({
        "file_path": "a.toy",
        "selector": {"anchor_text": "\"hi\"", "ancestor_node_type": "argument"},
        "new_content": "\"bye\"",
    });
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let call = json!({"name": "replace_node", "arguments": arguments});
    let mut server = user.command("serve");
    server
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = server.spawn().expect("the server starts");
    let mut input = server.stdin.take().expect("it is a pipe");
    let mut output = BufReader::new(server.stdout.take().expect("it is a pipe")).lines();
    let mut ask = |id: u8, method: &str, params: &Value| {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{call}").expect("the server reads");
        output
            .next()
            .expect("the server answers")
            .expect("the answer is text")
    };
    ask(1, "initialize", &hello);
    let answer = ask(2, "tools/call", &call);
    drop((input, output));
    let _ = server.wait();
    assert!(answer.contains("would replace"), "{answer}");
    assert!(answer.contains("bye"), "{answer}");
}

#[test]
fn names_and_extensions_of_other_languages_are_refused_unless_replaced() {
    let user = User::new();
    for (line, expected) in [
        (
            "../toy --extension toy",
            "`../toy` is not a name of a language",
        ),
        ("a/b --extension toy", "`a/b` is not a name of a language"),
        ("a\\b --extension toy", "is not a name of a language"),
        ("Toy --extension toy", "`Toy` is not a name of a language"),
        (".. --extension toy", "`..` is not a name of a language"),
        ("toy", "the language has no files"),
        ("toy --extension a.b", "`a.b` is not an extension"),
        ("toy --extension ../x", "`./x` is not an extension"),
        (
            "toy --extension toy --context fn",
            "the context `fn` has no `<|>`",
        ),
        (
            "toy --extension toy --indent x",
            "`x` is not a level of indentation",
        ),
        ("toy --file-name a/b", "`a/b` is not a file name"),
        ("toy --extension rs", "the extension `rs` belongs to rust"),
        ("rust --extension toy", "the name `rust` belongs to rust"),
        ("text --extension toy", "the name `text` belongs to text"),
        (
            "toy --alias py --extension toy",
            "the name `py` belongs to python",
        ),
        (
            "toy --file-name Makefile",
            "the file name `Makefile` belongs to make",
        ),
        (
            "toy --extension toy --interpreter sh",
            "the interpreter `sh` belongs to bash",
        ),
    ] {
        user.add_is_refused(
            &format!("languages add --grammar ../toy.so {line}"),
            &["invalid_arguments\n", expected],
        );
    }
    // Said explicitly, the user's language has precedence.
    user.write("project/c.rs", TEXT);
    user.works(
        "languages add toy --grammar ../toy.so --queries ../queries --extension rs --replace",
    );
    // Without a sample, the general words are listed all the same, which reviews take colors from.
    assert!(
        user.works("languages node-types toy")
            .contains("comment                (comment)\n")
    );
    assert!(user.works("outline c.rs").contains("function greet"));
    assert!(
        user.works("languages")
            .contains("\ntoy\n  files: *.rs\n  added by you\n")
    );
    user.works("languages remove toy");
    user.works(
        "languages add rust --symbol tree_sitter_toy --grammar ../toy.so --extension toy --replace",
    );
    assert_eq!(user.works("languages").matches("\nrust\n").count(), 1);
    assert!(
        user.works("find a.toy --node-type call_statement")
            .contains("say")
    );
    user.works("languages remove rust");
    assert!(user.works("outline b.rs").contains("function other"));
    let refused = user.refused("languages remove rust");
    assert!(refused.contains("rust is built in"), "{refused}");
    let refused = user.refused("languages remove toi");
    assert!(refused.contains("you have no language `toi`"), "{refused}");
    assert!(
        user.refused("languages remove ../x")
            .contains("is not a name of a language")
    );
}

#[test]
fn a_language_is_replaced_as_a_whole_or_not_at_all() {
    let user = User::with_toy();
    let refused = user.refused(ADD);
    assert!(
        refused.contains("you already have a language `toy`"),
        "{refused}"
    );
    assert!(refused.contains("help: pass --replace"), "{refused}");
    user.write(
        "queries/tags.scm",
        "(comment) @closed\n\n(nothing) @definition.function\n",
    );
    let refused = user.refused(&format!("{ADD} --replace"));
    assert_eq!(
        refused.lines().nth(1),
        Some("../queries/tags.scm:3: the grammar has no node type nothing")
    );
    assert!(user.works("outline a.toy").contains("function greet"));
    user.write("sample.toy", "let a = 1;\nfn fn\n");
    user.write("queries/tags.scm", "");
    let refused = user.refused(&format!("{ADD} --replace"));
    assert!(
        refused.contains("../sample.toy:2: the grammar reports a syntax error"),
        "{refused}"
    );
    assert!(user.works("outline a.toy").contains("function greet"));
    user.write("sample.toy", "let a = 1;\n");
    assert!(
        user.works(&format!("{ADD} --replace"))
            .starts_with("replaced toy\n")
    );
    assert!(user.works("outline a.toy").contains("no symbols"));
    // Nothing of the old one is left.
    assert_eq!(
        fs::read_to_string(user.added("sample.toy")).expect("it is there"),
        "let a = 1;\n"
    );
}

#[test]
fn what_is_no_grammar_is_refused() {
    let user = User::new();
    let whole = fs::read(&*GRAMMAR).expect("the library can be read");
    let add = |file: &str| format!("languages add toy --grammar ../{file} --extension toy");
    user.add_is_refused(&add("none.so"), &["file_not_found\n", "`../none.so`"]);
    user.add_is_refused(
        &add("queries"),
        &["not_a_file\n", "`../queries` is not a file"],
    );
    for (name, bytes, expected) in [
        ("empty.so", &b""[..], "`../empty.so` is empty"),
        (
            "grammar.js",
            b"module.exports = grammar({})",
            "is not a shared library: build one with",
        ),
        (
            "toy.wasm",
            b"\0asm\x01\0\0\0",
            "is a WebAssembly module, and treegraft loads shared libraries",
        ),
        ("head.so", &whole[..64], "`../head.so` cannot be loaded: "),
        (
            "half.so",
            &whole[..whole.len() / 2],
            "`../half.so` cannot be ",
        ),
    ] {
        user.write(name, bytes);
        user.add_is_refused(&add(name), &["grammar_unavailable\n", expected]);
    }
    user.add_is_refused(
        &(add("toy.so") + " --symbol tree_sitter_other"),
        &[
            "`../toy.so` has no function `tree_sitter_other`",
            "help: pass `--symbol tree_sitter_toy`",
        ],
    );
    let own = |name: &str, path: PathBuf| {
        fs::copy(path, user.path(name)).expect("the library can be copied");
    };
    own(
        "abi.so",
        library("abi", |code| {
            let changed = code.replace("= LANGUAGE_VERSION", "= 99");
            assert_ne!(changed, code);
            changed
        }),
    );
    user.add_is_refused(
        &add("abi.so"),
        &["`../abi.so` cannot be used: the grammar has ABI version 99, and this version of tree-sitter reads 13 to 15"],
    );
    own(
        "crash.so",
        library("crash", |code| {
            code + "\n#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { abort(); }\n"
        }),
    );
    user.add_is_refused(
        &add("crash.so"),
        &["`../crash.so` cannot be used: the process that loaded it crashed ("],
    );
    own(
        "null.so",
        library("null", |_| {
            "const void *tree_sitter_toy(void) { return 0; }\n".to_string()
        }),
    );
    user.add_is_refused(
        &add("null.so"),
        &["`../null.so` cannot be used: the process that loaded it crashed ("],
    );
    own(
        "exit.so",
        library("exit", |code| {
            code + "\n#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { exit(0); }\n"
        }),
    );
    user.add_is_refused(
        &add("exit.so"),
        &["`../exit.so` cannot be used: the process that loaded it crashed ("],
    );
}

#[test]
fn a_grammar_that_changed_or_crashes_is_refused_and_everything_else_works() {
    let user = User::new();
    let crashes = library("later", |code| {
        let start = "static void start(void) { if (getenv(\"TOY_CRASH\")) abort(); }";
        code + "\n#include <stdlib.h>\n__attribute__((constructor)) " + start + "\n"
    });
    fs::copy(crashes, user.path("toy.so")).expect("the library can be copied");
    user.works(ADD);
    let ran = user.ran(user.command("outline a.toy").env("TOY_CRASH", "1"));
    assert_eq!(ran.code, Some(3), "{}", ran.text);
    assert!(
        ran.errors.contains("the process that loaded it crashed"),
        "{}",
        ran.errors
    );
    let ran = user.ran(user.command("outline .").env("TOY_CRASH", "1"));
    assert!(ran.text.contains("function other"), "{}", ran.text);
    assert!(user.works("outline a.toy").contains("function greet"));

    let path = user.added(&library_name());
    let whole = fs::read(&path).expect("the library can be read");
    fs::write(&path, &whole[..whole.len() - 1]).expect("the library can be written");
    user.only_toy_is_refused("grammar.so` changed since it was added");
    let refusal = format!("refused: {}", user.refused("outline a.toy"));
    pinned("diagnostics/grammar_unavailable", "changed", &refusal);
    let created = user.refused("file create new.toy --content let");
    assert!(created.starts_with("grammar_unavailable"), "{created}");
    let types = user.refused("languages node-types toy");
    assert!(types.contains("cannot use the language toy"), "{types}");
    fs::remove_file(&path).expect("the library can be removed");
    user.only_toy_is_refused("cannot read `/home/me/config/treegraft/languages/");
    let doctor = user.run("client doctor");
    assert!(
        doctor.text.contains("lacks   grammars   toy: "),
        "{}",
        doctor.text
    );
    user.works(&format!("{ADD} --replace"));
    assert!(user.works("outline a.toy").contains("function greet"));
    // A query file that the user edits is read again; the place of an error is named.
    let tags = user.added("queries/tags.scm");
    fs::write(
        &tags,
        "(let_statement name: (_) @name) @definition.variable\n",
    )
    .expect("it can be written");
    assert!(!user.works("outline a.toy").contains("greet"));
    fs::write(&tags, "\n(none) @definition.variable\n").expect("it can be written");
    user.only_toy_is_refused("toy/tags.scm:2: the grammar has no node type none");
}

#[cfg(unix)]
#[test]
fn files_that_other_users_can_write_are_not_loaded() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("the mode can be set");
    };
    let mode = |path: &Path| {
        let metadata = fs::metadata(path).expect("the path exists");
        metadata.permissions().mode() & 0o777
    };
    let user = User::new();
    set(&user.path("toy.so"), 0o666);
    user.add_is_refused(
        ADD,
        &[
            "permission_denied\n",
            "other users can write `../toy.so` (mode 666)",
            "help: run `chmod o-w ../toy.so`",
        ],
    );
    set(&user.path("toy.so"), 0o775);
    // The user may name a link; its target is copied.
    symlink(user.path("toy.so"), user.path("link.so")).expect("a link can be made");
    user.works(&ADD.replace("toy.so", "link.so"));
    let languages = user.path("config/treegraft/languages");
    let library = user.added(&library_name());
    assert!(
        !fs::symlink_metadata(&library)
            .expect("it exists")
            .is_symlink()
    );
    let directory = user.added("");
    assert_eq!(
        (mode(&languages), mode(&directory), mode(&library)),
        (0o700, 0o700, 0o600)
    );
    for path in [&library, &directory] {
        let kept = mode(path);
        set(path, kept | 0o022);
        user.only_toy_is_refused("other users can write `/home/me/config/treegraft/languages/toy@");
        set(path, kept);
    }
    let kept = user.path("kept.so");
    fs::rename(&library, &kept).expect("it can be moved");
    symlink(&kept, &library).expect("a link can be made");
    user.only_toy_is_refused("grammar.so` is a link");
    fs::remove_file(&library).expect("it can be removed");
    fs::rename(&kept, &library).expect("it can be moved");
    assert!(user.works("outline a.toy").contains("function greet"));
    // What states the extensions is not trusted either.
    let manifest = languages.join("toy.toml");
    for path in [&manifest, &languages, &user.path("config/treegraft")] {
        let kept = mode(path);
        set(path, 0o777);
        let ran = user.run("outline a.toy");
        assert!(ran.text.contains("no symbols"), "{}", ran.text);
        assert!(
            ran.errors.contains("(mode 777); the language is ignored"),
            "{}",
            ran.errors
        );
        set(path, kept);
    }
}

#[test]
fn a_damaged_manifest_is_reported_and_can_be_removed() {
    let user = User::with_toy();
    let manifest = "config/treegraft/languages/toy.toml";
    let whole = user.read(manifest);
    for (text, expected) in [
        ("name = ".to_string(), "the language is ignored"),
        (
            whole.replace("library = ", "libary = "),
            "unknown field `libary`",
        ),
        (
            whole.replace("grammar.", "../grammar."),
            "it is not the manifest of this language",
        ),
        (
            whole.replace("toy@", "other@"),
            "it is not the manifest of this language",
        ),
        (
            whole.replace("name = \"toy\"", "name = \"toi\""),
            "it is not the manifest of this language",
        ),
        (
            whole.replace("\"toy\"]", "\"rs\"]"),
            "the extension `rs` belongs to rust; add it again with `--replace`",
        ),
    ] {
        assert_ne!(text, whole);
        user.write(manifest, &text);
        let ran = user.run("outline b.rs");
        assert_eq!(ran.code, Some(0), "{text}");
        assert!(ran.text.contains("function other"), "{}", ran.text);
        let warning = format!("warning: /home/me/{manifest}: ");
        assert!(
            ran.errors.starts_with(&warning) && ran.errors.contains(expected),
            "{}",
            ran.errors
        );
    }
    user.works("languages remove toy");
    let left = fs::read_dir(user.path("config/treegraft/languages")).expect("it exists");
    assert_eq!(left.count(), 0);
}

#[test]
fn a_repository_cannot_name_a_grammar() {
    let user = User::new();
    for settings in [
        "[languages.toy]\ngrammar = \"../toy.so\"\n",
        "[grammars]\ntoy = \"../toy.so\"\n",
        "[languages]\ntoy = \"../toy.so\"\n",
    ] {
        user.write("project/treegraft.toml", settings);
        let ran = user.run("outline a.toy");
        assert!(ran.errors.contains("the file is ignored"), "{}", ran.errors);
        assert!(ran.text.contains("no symbols"), "{}", ran.text);
    }
    // It can give files to a language that the user has added, as to any other.
    user.works(ADD);
    user.write("project/treegraft.toml", "[languages]\ninc = \"toy\"\n");
    user.write("project/a.inc", TEXT);
    assert!(user.works("outline a.inc").contains("function greet"));
}

#[test]
fn missing_query_files_are_listed_with_lines_to_add() {
    let user = User::new();
    let folder = user.path("queries");
    for name in ["lists.scm", "bodies.scm", "protected.scm"] {
        fs::remove_file(folder.join(name)).expect("it can be removed");
    }
    user.write("queries/kinds.scm", "; General words.\n(call) @call\n");
    user.write("queries/highlights.scm", "(call) @function\n");
    let checked = user.works("languages check ../queries --grammar ../toy.so");
    pinned("languages", "checked", &checked);
    let without = user.works("languages check ../queries");
    assert!(
        without.contains("\nwithout a grammar, the patterns were not read"),
        "{without}"
    );
    // The suggested lines are valid.
    let answer = user.works("languages check ../queries --grammar ../toy.so --json");
    let answer: Value = serde_json::from_str(&answer).expect("the answer is JSON");
    let facts = answer["facts"].as_array().expect("there are facts");
    for fact in facts.iter().filter(|fact| fact["is_stated"] == false) {
        let lines = fact["lines"].as_array().into_iter().flatten();
        let lines: Vec<&str> = lines.filter_map(Value::as_str).collect();
        let file = fact["file"].as_str().expect("a fact has a file");
        user.write(&format!("queries/{file}"), lines.join("\n"));
    }
    let all = user.works("languages check ../queries --grammar ../toy.so");
    assert_eq!(all.matches(".scm @").count(), 8, "{all}");
    assert!(all.contains("\nmissing:\n  injections.scm"), "{all}");
    user.works(ADD);
    user.works("languages check ../queries --language toy");
    let refused = user.refused("languages check ../none");
    assert!(refused.starts_with("file_not_found\n"), "{refused}");
    let refused = user.refused("languages check ../queries --language toi");
    assert!(refused.starts_with("unknown_language\n"), "{refused}");
}

#[test]
fn of_languages_that_are_added_at_once_each_is_whole() {
    let user = User::new();
    const WRITERS: usize = 4;
    let spawned = (0..WRITERS).map(|_| {
        let mut command = user.command(&format!("{ADD} --replace"));
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("the command starts")
    });
    let spawned: Vec<_> = spawned.collect();
    for one in spawned {
        let output = one.wait_with_output().expect("the command ends");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
    }
    assert!(user.works("outline a.toy").contains("function greet"));
    // One directory is left.
    assert!(user.added("queries").is_dir());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_does_not_block() {
    let user = User::new();
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        let made = Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo is there").success());
    };
    pipe(&user.path("queries/tags.scm"));
    let refused = user.refused(ADD);
    assert!(refused.contains("tags.scm`: it is not a file"), "{refused}");
    pipe(&user.path("toy.so"));
    let refused = user.refused(ADD);
    assert!(refused.contains("`../toy.so` is not a file"), "{refused}");
}
