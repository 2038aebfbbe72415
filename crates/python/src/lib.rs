//! `treegraft._native`, the compiled part of the Python package `treegraft`.
//!
//! Takes arguments as Python objects and returns answers as such. The sources in `python/treegraft` give them types. Each
//! call releases the interpreter lock while the library works.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use pythonize::{depythonize, pythonize};
use serde_json::Value;

use treegraft::Engine;
use treegraft::engine::EngineError;
use treegraft::engine::calls::Call;
use treegraft::engine::on_text::OneText;
use treegraft::engine::watch::Watch;

/// An answer or the JSON of a refusal, and the text of the refusal.
type Answered<'py> = (Bound<'py, PyAny>, Option<String>);

/// An engine, until it is closed.
#[pyclass(name = "Engine", module = "treegraft._native", frozen)]
struct OpenEngine(RwLock<Option<Arc<Engine>>>);

/// The name of the caller in lists of edits.
struct Program;

impl Watch for Program {
    fn goes_on(&self, _: usize, _: usize) -> bool {
        true
    }

    fn client(&self) -> Option<&str> {
        Some("python")
    }
}

#[pymethods]
impl OpenEngine {
    #[new]
    #[pyo3(signature = (roots, state_directory = None))]
    fn open(
        py: Python<'_>,
        roots: Vec<PathBuf>,
        state_directory: Option<PathBuf>,
    ) -> PyResult<OpenEngine> {
        let engine = py.detach(|| Engine::open(&roots, state_directory));
        let engine = engine.map_err(|error| match error {
            EngineError::NotUtf8(_) => PyValueError::new_err(error.to_string()),
            _ => PyOSError::new_err(error.to_string()),
        })?;
        Ok(OpenEngine(RwLock::new(Some(Arc::new(engine)))))
    }

    /// Returns the root directories.
    fn roots(&self) -> PyResult<Vec<String>> {
        Ok(self.engine()?.roots().map(str::to_string).collect())
    }

    /// Makes a call. Calls may run concurrently.
    fn call<'py>(
        &self,
        py: Python<'py>,
        tool: &str,
        arguments: &Bound<'py, PyAny>,
    ) -> PyResult<Answered<'py>> {
        let engine = self.engine()?;
        let arguments = without_absent(read(arguments)?);
        let made = py.detach(|| {
            let answer = Call::read(tool, arguments)?.make(&engine, &Program);
            Ok(answer?.as_json())
        });
        answered(
            py,
            made.map_err(|refusal: Refused| (refusal.json(), refusal.text())),
        )
    }

    /// Stops the language servers after the running calls. Later calls fail.
    fn close(&self, py: Python<'_>) {
        let engine = {
            let mut engine = self.0.write().unwrap_or_else(PoisonError::into_inner);
            engine.take()
        };
        py.detach(|| drop(engine));
    }
}

impl OpenEngine {
    fn engine(&self) -> PyResult<Arc<Engine>> {
        let engine = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let engine = engine.as_ref().cloned();
        engine.ok_or_else(|| PyValueError::new_err("the engine is closed"))
    }
}

type Refused = Box<treegraft::engine::response::RefusedCall>;

/// Returns the arguments of a call as JSON.
fn read(arguments: &Bound<'_, PyAny>) -> PyResult<Value> {
    depythonize(arguments).map_err(|error| {
        PyTypeError::new_err(format!("the arguments of a call are like JSON: {error}"))
    })
}

/// Removes the arguments that are `None`.
fn without_absent(mut arguments: Value) -> Value {
    if let Value::Object(arguments) = &mut arguments {
        arguments.retain(|_, value| !value.is_null());
    }
    arguments
}

fn answered(py: Python<'_>, made: Result<Value, (Value, String)>) -> PyResult<Answered<'_>> {
    let (value, text) = match made {
        Ok(value) => (value, None),
        Err((value, text)) => (value, Some(text)),
    };
    Ok((pythonize(py, &value)?, text))
}

/// Calls a tool on a text. Also returns the text after the call, its diff to the text before, and its digest, unless the
/// call is refused.
#[pyfunction]
fn call_on_text<'py>(
    py: Python<'py>,
    tool: &str,
    text: &Bound<'py, PyAny>,
    language: Option<&str>,
    file_path: Option<&str>,
    arguments: &Bound<'py, PyAny>,
) -> PyResult<(Answered<'py>, Option<After<'py>>)> {
    let bytes = bytes_of(text)?;
    let arguments = without_absent(read(arguments)?);
    let made = py.detach(|| {
        let before = OneText::new(file_path, language, bytes)?;
        let made = before.call(tool, arguments)?;
        let diff = made.after.as_ref().map(|after| before.diff(after));
        let after = made.after.unwrap_or(before);
        let digest = after.digest().to_string();
        Ok((made.answer.as_json(), after, diff, digest))
    });
    match made {
        Ok((answer, after, diff, digest)) => {
            let after = (
                PyString::new(py, after.text()),
                diff.unwrap_or_default(),
                digest,
            );
            Ok((answered(py, Ok(answer))?, Some(after)))
        }
        Err(refusal) => {
            let refusal: Refused = refusal;
            Ok((answered(py, Err((refusal.json(), refusal.text())))?, None))
        }
    }
}

/// A text, its diff and its digest.
type After<'py> = (Bound<'py, PyString>, String, String);

/// Returns the bytes of a text, which the library checks.
fn bytes_of(text: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = text.cast::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok(text.as_bytes().to_vec()),
            // It has lone surrogates: the library refuses them by their place.
            Err(_) => {
                let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
                Ok(encoded.cast::<PyBytes>()?.as_bytes().to_vec())
            }
        };
    }
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if let Ok(bytes) = text.cast::<PyByteArray>() {
        return Ok(bytes.to_vec());
    }
    let kind = text.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "a text is str or bytes, not {kind}"
    )))
}

/// Returns the languages that are built in.
#[pyfunction]
fn languages(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let languages = py.detach(Engine::languages);
    Ok(pythonize(py, &languages)?)
}

/// Returns the node types of a language.
#[pyfunction]
fn node_types<'py>(py: Python<'py>, language: &str) -> PyResult<Answered<'py>> {
    let made = py.detach(|| Engine::node_types(language));
    let made = made.map(|types| serde_json::to_value(types).expect("an answer is plain data"));
    answered(py, made.map_err(|refusal| (refusal.json(), refusal.text())))
}

/// The compiled part of `treegraft`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<OpenEngine>()?;
    module.add_function(wrap_pyfunction!(call_on_text, module)?)?;
    module.add_function(wrap_pyfunction!(languages, module)?)?;
    module.add_function(wrap_pyfunction!(node_types, module)?)?;
    Ok(())
}
