//! Prints the symbols of files, one JSON object per line: `{"file", "line", "end_line", "kind",
//! "name", "path"}`. The lines are those of the name.
//!
//! Run it with `cargo run --example outline -- src/lib.rs tests/*.rs`. `tests/compare_outlines.py`
//! compares the output with that of another program.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example program that reads the files in its arguments"
)]

use std::process::ExitCode;

use serde_json::json;
use treegraft::language;
use treegraft::parse::Parsed;
use treegraft::source::Source;

fn main() -> ExitCode {
    let mut failed = false;
    for file in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                println!("{}", json!({"file": file, "error": error.to_string()}));
                failed = true;
                continue;
            }
        };
        let parsed = Parsed::parse(Source::new(&file, language::for_file(&file, &text), text));
        let outline = parsed.outline();
        for (index, symbol) in outline.symbols().iter().enumerate() {
            let line = parsed.source().line_of(symbol.name_span.start());
            let end_line = parsed.source().line_of(symbol.name_span.end());
            let symbol_path = outline.short_path(index);
            println!(
                "{}",
                json!({
                    "file": file,
                    "line": line,
                    "end_line": end_line,
                    "kind": symbol.kind,
                    "name": symbol.name,
                    "path": symbol_path,
                })
            );
        }
    }
    ExitCode::from(u8::from(failed))
}
