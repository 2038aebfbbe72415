//! `treegraft._native`, the compiled part of the Python package `treegraft`.
//!
//! Takes arguments as Python objects and returns answers as such, or raises `treegraft.Refusal`. The sources in
//! `python/treegraft` give them types. Each call releases the interpreter lock while the library works.

mod objects;

mod convert;
#[cfg(feature = "timing")]
mod timing;

mod text;

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use pythonize::pythonize;

use treegraft::Engine;
use treegraft::engine::EngineError;
use treegraft::engine::calls::Call;
use treegraft::engine::watch::Watch;

use convert::{answered, arguments_of, raised};

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

    /// Calls a tool, and returns its answer as an object of the class. Calls may run concurrently.
    fn call<'py>(
        &self,
        class: &Bound<'py, PyType>,
        tool: &str,
        arguments: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let engine = self.engine()?;
        let arguments = arguments_of(arguments)?;
        let made = class
            .py()
            .detach(|| Call::read(tool, arguments)?.make(&engine, &Program));
        answered(class, made)
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

/// Returns the languages that are built in.
#[pyfunction]
fn languages(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let languages = py.detach(Engine::languages);
    Ok(pythonize(py, &languages)?)
}

/// Returns the node types of a language.
#[pyfunction]
fn node_types<'py>(py: Python<'py>, language: &str) -> PyResult<Bound<'py, PyAny>> {
    let types = py.detach(|| Engine::node_types(language));
    let types = types.map_err(|refused| raised(py, &refused))?;
    Ok(pythonize(py, &types)?)
}

/// The compiled part of `treegraft`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<OpenEngine>()?;
    module.add_class::<text::Edited>()?;
    module.add_function(wrap_pyfunction!(text::call_on_text, module)?)?;
    module.add_function(wrap_pyfunction!(text::edit_text, module)?)?;
    module.add_function(wrap_pyfunction!(languages, module)?)?;
    module.add_function(wrap_pyfunction!(node_types, module)?)?;
    #[cfg(feature = "timing")]
    {
        module.add_class::<timing::RustCall>()?;
        module.add_function(wrap_pyfunction!(timing::time_of_last_call, module)?)?;
    }
    Ok(())
}
