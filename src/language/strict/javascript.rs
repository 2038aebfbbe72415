//! Checks JavaScript and TypeScript with the oxc parser, and what its semantic analysis reports as syntax errors.

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;

use super::{Code, StrictProblem};

/// Returns the first problem in JavaScript or TypeScript. JSX is JavaScript; in TypeScript, the extension of the file decides.
///
/// A file is a module if it has imports, exports or a top-level `await`, or if it is valid only as one, unless its extension
/// decides. A CommonJS module is the body of a function, so it may return.
pub(in crate::language) fn check_javascript(code: &Code<'_>) -> Option<StrictProblem> {
    let known = SourceType::from_path(code.path);
    let known = known.or_else(|_| SourceType::from_path(code.sample)).ok()?;
    let known = known.with_jsx(known.is_javascript() || known.is_jsx());
    let decides = |extension: &str| [".mjs", ".cjs", ".mts", ".cts"].contains(&extension);
    let extension = code.path.rfind('.').map_or("", |dot| &code.path[dot..]);
    if decides(extension) || known.is_typescript_definition() {
        return problem_as(known, code);
    }
    let problem = problem_as(known.with_unambiguous(true), code)?;
    problem_as(known.with_module(true), code).map(|_| problem)
}

/// Returns the first problem in code of a known kind.
fn problem_as(kind: SourceType, code: &Code<'_>) -> Option<StrictProblem> {
    let options = ParseOptions {
        parse_regular_expression: true,
        allow_return_outside_function: code.is_part || is_common_js(code),
        ..ParseOptions::default()
    };
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, code.text, kind)
        .with_options(options)
        .parse();
    let mut problems: Vec<_> = parsed.diagnostics.into_iter().collect();
    if problems.is_empty() {
        let program = allocator.alloc(parsed.program);
        let semantic = SemanticBuilder::new().with_check_syntax_error(true);
        problems.extend(semantic.build(program).diagnostics);
    }
    let problem = problems.into_iter().next()?;
    // The last of several places is that of the error; the others are what it contradicts.
    let places = problem.labels.iter();
    let offset = places.map(|label| label.offset()).max();
    Some(StrictProblem {
        message: problem.message.to_string(),
        offset: offset.map_or(0, |offset| offset as usize),
    })
}

/// Returns whether code is JavaScript that Node.js wraps in a function.
fn is_common_js(code: &Code<'_>) -> bool {
    let is_javascript = code.path.ends_with(".js") || code.path.ends_with(".cjs");
    let signs = ["require(", "module.exports", "exports."];
    is_javascript && signs.iter().any(|sign| code.text.contains(sign))
}
