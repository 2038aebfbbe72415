//! The times of calls, for `benches/python.py`.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use treegraft::engine::on_text::OneText;

use crate::convert::arguments_of;

/// The nanoseconds that the library took for the last call on a text.
static LAST_CALL: AtomicU64 = AtomicU64::new(0);

/// Makes a call of the library, and keeps its time.
pub(crate) fn timed<T>(call: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let made = call();
    LAST_CALL.store(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
    made
}

/// Returns the time in seconds that the library took for the last call on a text.
#[pyfunction]
pub(crate) fn time_of_last_call() -> f64 {
    LAST_CALL.load(Ordering::Relaxed) as f64 / 1e9
}

/// A call of a tool on a text, made in Rust.
#[pyclass(frozen)]
pub(crate) struct RustCall {
    tool: String,
    text: String,
    language: String,
    arguments: Value,
}

#[pymethods]
impl RustCall {
    #[new]
    fn new(
        tool: String,
        text: String,
        language: String,
        arguments: &Bound<'_, PyDict>,
    ) -> PyResult<RustCall> {
        let arguments = arguments_of(arguments)?;
        Ok(RustCall {
            tool,
            text,
            language,
            arguments,
        })
    }

    /// Makes the call, and returns its time in seconds.
    fn time(&self, py: Python<'_>) -> f64 {
        py.detach(|| {
            let arguments = self.arguments.clone();
            let began = Instant::now();
            {
                let bytes = self.text.as_bytes().to_vec();
                black_box(timed(|| {
                    let before = OneText::new(None, Some(&self.language), bytes);
                    let before = before.expect("the text is text");
                    let made = before.call(&self.tool, arguments);
                    let made = made.unwrap_or_else(|refusal| panic!("{refusal}"));
                    let edited = made.after.map(|after| {
                        let diff = before.diff(&after);
                        (diff, after.digest().to_string(), after)
                    });
                    (made.answer, edited)
                }));
            }
            began.elapsed().as_secs_f64()
        })
    }
}
