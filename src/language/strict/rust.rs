//! Checks Rust with syn.

use super::{Code, StrictProblem};

/// Returns the first problem in Rust items.
pub(in crate::language) fn check_rust(code: &Code<'_>) -> Option<StrictProblem> {
    let error = syn::parse_file(code.text).err()?;
    Some(StrictProblem {
        message: error.to_string(),
        offset: error.span().byte_range().start.min(code.text.len()),
    })
}
