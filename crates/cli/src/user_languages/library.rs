//! Loads a grammar from a shared library.
//!
//! Input: the path of a library and the function that returns the grammar. Output: the grammar, or why it cannot be
//! loaded. The library runs code when it is loaded, so another process loads it first: if that process ends early or
//! does not answer, this one never loads the library.

#![expect(
    clippy::disallowed_methods,
    reason = "the program starts itself, to load a library that the user added"
)]

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use serde::{Deserialize, Serialize};
use tree_sitter_loader::{Loader, LoaderError};

use treegraft::diagnostic::Diagnostic;
use treegraft::language::{self, Grammar};

/// How long the other process may take. Loading takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);
/// The arguments with which the program loads a library and reports the result.
const REPORT: [&str; 2] = ["languages", "load-grammar"];
/// How a line with the result starts: a library may print something too.
const REPORT_START: &str = "treegraft-grammar: ";

/// What the other process reports.
#[derive(Debug, Deserialize, Serialize)]
struct Report {
    /// Why the grammar cannot be used.
    problem: Option<String>,
}

/// Refuses a build that cannot load libraries.
///
/// # Errors
/// The reason.
pub(super) fn check_supported() -> Result<(), String> {
    match cfg!(all(target_env = "musl", target_feature = "crt-static")) {
        false => Ok(()),
        true => Err("cannot be loaded: this build of treegraft is linked statically with musl, which cannot load \
                     shared libraries; install the build for glibc"
            .to_string()),
    }
}

/// Refuses what is no shared library, with what it is instead.
///
/// # Errors
/// The reason.
pub(super) fn check_form(bytes: &[u8]) -> Result<(), String> {
    const LIBRARIES: [&[u8]; 5] = [
        b"\x7fELF",
        b"MZ",
        b"\xcf\xfa\xed\xfe",
        b"\xce\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe",
    ];
    if LIBRARIES.iter().any(|start| bytes.starts_with(start)) {
        return Ok(());
    }
    let build = format!(
        "build one with `tree-sitter build --output grammar.{}`",
        std::env::consts::DLL_EXTENSION
    );
    Err(match bytes {
        [] => "is empty".to_string(),
        _ if bytes.starts_with(b"\0asm") => {
            format!("is a WebAssembly module, and treegraft loads shared libraries: {build}")
        }
        _ => format!("is not a shared library: {build}"),
    })
}

/// Loads a grammar, after another process could do so and parse the sample.
///
/// # Errors
/// What is wrong, to follow the path of the library.
pub(super) fn load(
    path: &Utf8Path,
    symbol: &str,
    sample: Option<&Utf8Path>,
    program: Option<&Utf8Path>,
) -> Result<Grammar, String> {
    check_supported()?;
    if let Some(program) = program {
        try_in_process(path, symbol, sample, program)?;
    }
    load_here(path, symbol)
}

fn load_here(path: &Utf8Path, symbol: &str) -> Result<Grammar, String> {
    let grammar =
        Loader::load_language(path.as_std_path(), symbol).map_err(|error| match error {
            LoaderError::Symbol(_) => format!("has no function `{symbol}`"),
            LoaderError::Library(error) => format!("cannot be loaded: {}", error.error),
            other => format!("cannot be loaded: {other}"),
        })?;
    language::check_abi(&grammar).map_err(|error| {
        format!("cannot be used: {error}; generate the parser with a matching tree-sitter")
    })?;
    Ok(grammar)
}

/// Loads a library in this process, and returns the report for the process that asked. `sample` is the text of the
/// sample.
pub(crate) fn load_and_report(path: &Utf8Path, symbol: &str, sample: &str) -> String {
    let problem = load_here(path, symbol).and_then(|grammar| try_grammar(&grammar, sample));
    let report = Report {
        problem: problem.err(),
    };
    let report = serde_json::to_string(&report).expect("a report is one text");
    format!("\n{REPORT_START}{report}\n")
}

/// Reads the names in a grammar and parses texts: a damaged grammar fails here.
fn try_grammar(grammar: &Grammar, sample: &str) -> Result<(), String> {
    let facts = language::Facts::new(grammar.clone());
    let made = language::NewLanguage::new("tried", facts).made();
    let made = made.map_err(|error| format!("cannot be used: {error}"))?;
    made.node_types();
    for text in [sample, "", "a = 1\n", "{ \"a\": [1, 'b'] }\n// c\n# d\n"] {
        treegraft::Parsed::parse(treegraft::Source::new("tried", made, text.to_string()));
    }
    Ok(())
}

/// Starts this program to load the library. If it cannot be started, for example because it was replaced by a newer one
/// in the meantime, the library is loaded without this check.
fn try_in_process(
    path: &Utf8Path,
    symbol: &str,
    sample: Option<&Utf8Path>,
    program: &Utf8Path,
) -> Result<(), String> {
    let mut command = Command::new(program.as_std_path());
    let sample = sample.map(Utf8Path::as_str);
    command
        .args(REPORT)
        .args([path.as_str(), symbol])
        .args(sample);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else {
        return Ok(());
    };
    let stdout = child.stdout.take();
    let reader = thread::spawn(move || {
        const LONGEST: u64 = 64 * 1024;
        let mut output = Vec::new();
        let read = stdout.map(|stdout| stdout.take(LONGEST).read_to_end(&mut output));
        let is_read = matches!(read, Some(Ok(_)));
        is_read.then(|| String::from_utf8_lossy(&output).into_owned())
    });
    let Some(status) = wait(&mut child) else {
        return Err(format!(
            "cannot be used: a process that loaded it did not end within {} s",
            PATIENCE.as_secs()
        ));
    };
    let output = reader.join().ok().flatten().unwrap_or_default();
    let mut lines = output.lines().rev();
    let report = lines
        .find_map(|line| line.strip_prefix(REPORT_START))
        .and_then(|report| serde_json::from_str::<Report>(report).ok());
    match report {
        Some(report) if status.success() => match report.problem {
            Some(problem) => Err(problem),
            None => Ok(()),
        },
        _ => Err(format!(
            "cannot be used: the process that loaded it crashed ({status})"
        )),
    }
}

/// Waits for the process. Ends it and returns `None` if it takes too long.
fn wait(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if start.elapsed() < PATIENCE => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(20));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// Adds the grammars that a library has to a refusal, if it has no function of this name.
pub(super) fn about_symbols(refusal: Diagnostic, library: &[u8], symbol: &str) -> Diagnostic {
    let found = symbols(library);
    match found.is_empty() || found.iter().any(|one| one == symbol) {
        true => refusal,
        false => refusal.help(format!("pass `--symbol {}`", found.join("` or `--symbol "))),
    }
}

/// Returns the names in a library that look like functions that return a grammar.
fn symbols(library: &[u8]) -> Vec<String> {
    const START: &[u8] = b"tree_sitter_";
    const SHOWN: usize = 3;
    let mut found: Vec<String> = Vec::new();
    let mut rest = library;
    while let Some(at) = memchr::memmem::find(rest, START) {
        let name = &rest[at..];
        let is_in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = name.iter().take_while(|byte| is_in_name(byte)).count();
        let is_whole = at == 0 || !is_in_name(&rest[at - 1]);
        let name_text = String::from_utf8_lossy(&name[..length]).into_owned();
        let is_scanner = name_text.contains("_external_scanner");
        let ends = name.get(length) == Some(&0) && length > START.len();
        if is_whole && ends && !is_scanner && !found.contains(&name_text) {
            found.push(name_text);
        }
        rest = &name[length..];
    }
    found.truncate(SHOWN);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_named() {
        let problem = |bytes: &[u8]| check_form(bytes).expect_err("it is no library");
        assert_eq!(problem(b""), "is empty");
        assert!(problem(b"\0asm\x01").starts_with("is a WebAssembly module"));
        assert!(
            problem(b"module.exports = grammar({").starts_with("is not a shared library: build")
        );
        assert_eq!(check_form(b"\x7fELF\x02"), Ok(()));
    }

    #[test]
    fn the_grammars_of_a_library_are_found() {
        let library = b"\0tree_sitter_a\0x_tree_sitter_b\0tree_sitter_a_external_scanner_scan\0\
                        tree_sitter_c\0tree_sitter_a\0tree_sitter_\0tree_sitter_d";
        assert_eq!(symbols(library), ["tree_sitter_a", "tree_sitter_c"]);
    }
}
