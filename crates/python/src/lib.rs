//! `treegraft._native`, the compiled part of the Python package `treegraft`.
//!
//! Takes arguments as Python objects and returns answers as such. The sources in `python/treegraft` give them types. Each
//! call releases the interpreter lock while the library works.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use pythonize::{depythonize, pythonize};
use serde_json::Value;

use treegraft::Engine;
use treegraft::engine::EngineError;
use treegraft::engine::calls::{AnyAnswer, Call};
use treegraft::engine::on_text::OneText;
use treegraft::engine::response::{
    Described, EditMade, Located, NodeRead, NodesFound, Outlined, RefusedCall,
};
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
        let made = py.detach(|| Call::read(tool, arguments)?.make(&engine, &Program));
        answered(py, made)
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

type Refused = Box<RefusedCall>;

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

fn answered(py: Python<'_>, made: Result<Box<dyn AnyAnswer>, Refused>) -> PyResult<Answered<'_>> {
    match made {
        Ok(answer) => Ok((converted(py, &*answer)?, None)),
        Err(refusal) => {
            let (error, text) = refused(py, &refusal)?;
            Ok((error, Some(text)))
        }
    }
}

/// Returns an answer as Python objects. Those of tools that are called often are not converted to JSON first.
fn converted<'py>(py: Python<'py>, answer: &dyn AnyAnswer) -> PyResult<Bound<'py, PyAny>> {
    let any: &dyn Any = answer;
    macro_rules! one_of {
        ($($kind:ty),*) => {
            $(if let Some(answer) = any.downcast_ref::<$kind>() {
                return Ok(pythonize(py, answer)?);
            })*
        };
    }
    one_of!(EditMade, NodesFound, NodeRead, Located, Described, Outlined);
    Ok(pythonize(py, &answer.as_json())?)
}

fn refused<'py>(py: Python<'py>, refusal: &Refused) -> PyResult<RefusedText<'py>> {
    Ok((pythonize(py, &refusal.json())?, refusal.text()))
}

/// The nanoseconds that the library took for the last call on a text.
#[cfg(feature = "timing")]
static LAST_CALL: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// Calls the library without the interpreter lock.
fn in_library<T: Send>(py: Python<'_>, call: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        #[cfg(feature = "timing")]
        let began = std::time::Instant::now();
        let made = call();
        #[cfg(feature = "timing")]
        LAST_CALL.store(
            began.elapsed().as_nanos() as u64,
            std::sync::atomic::Ordering::Relaxed,
        );
        made
    })
}

/// Returns the time in seconds that the library took for the last call on a text.
#[cfg(feature = "timing")]
#[pyfunction]
fn time_of_last_call() -> f64 {
    LAST_CALL.load(std::sync::atomic::Ordering::Relaxed) as f64 / 1e9
}

/// Calls a tool on a text.
#[pyfunction]
fn call_on_text<'py>(
    py: Python<'py>,
    tool: &str,
    text: &Bound<'py, PyAny>,
    language: Option<&str>,
    file_path: Option<&str>,
    arguments: &Bound<'py, PyAny>,
) -> PyResult<Answered<'py>> {
    let bytes = bytes_of(text)?;
    let arguments = without_absent(read(arguments)?);
    let made = in_library(py, || {
        let text = OneText::new(file_path, language, bytes)?;
        Ok(text.call(tool, arguments)?.answer)
    });
    answered(py, made)
}

/// The answer of an edit, the new text, the diff and the digest of the new text.
type EditedText<'py> = (Bound<'py, EditAnswer>, Bound<'py, PyString>, String, String);
/// The JSON and the text of a refusal.
type RefusedText<'py> = (Bound<'py, PyAny>, String);

/// Calls a tool that edits on a text.
#[pyfunction]
fn edit_text<'py>(
    py: Python<'py>,
    tool: &str,
    text: &Bound<'py, PyAny>,
    language: Option<&str>,
    file_path: Option<&str>,
    arguments: &Bound<'py, PyAny>,
) -> PyResult<(Option<EditedText<'py>>, Option<RefusedText<'py>>)> {
    let bytes = bytes_of(text)?;
    let arguments = without_absent(read(arguments)?);
    let made = in_library(py, || -> Result<_, Refused> {
        let before = OneText::new(file_path, language, bytes)?;
        let made = before.call(tool, arguments)?;
        let diff = made.after.as_ref().map(|after| before.diff(after));
        let after = made.after.unwrap_or(before);
        let digest = after.digest().to_string();
        Ok((made.answer, after, diff.unwrap_or_default(), digest))
    });
    let (answer, after, diff, digest) = match made {
        Ok(made) => made,
        Err(refusal) => return Ok((None, Some(refused(py, &refusal)?))),
    };
    let answer: Box<dyn Any> = answer;
    let Ok(answer) = answer.downcast::<EditMade>() else {
        return Err(PyValueError::new_err(format!("{tool} does not edit")));
    };
    let answer = Bound::new(py, EditAnswer(*answer))?;
    let text = PyString::new(py, after.text());
    Ok((Some((answer, text, diff, digest)), None))
}

/// The answer of an edit, which most programs do not look at.
#[pyclass(name = "EditAnswer", module = "treegraft._native", frozen, eq)]
#[derive(PartialEq)]
struct EditAnswer(EditMade);

#[pymethods]
impl EditAnswer {
    #[new]
    fn parsed(json: &str) -> PyResult<EditAnswer> {
        let answer = serde_json::from_str(json);
        answer
            .map(EditAnswer)
            .map_err(|error| PyValueError::new_err(error.to_string()))
    }

    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize(py, &self.0)?)
    }

    fn notes(&self) -> Vec<&str> {
        self.0.notes.iter().map(String::as_str).collect()
    }

    fn matches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize(py, &self.0.matches)?)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let json = serde_json::to_string(&self.0).expect("an answer is plain data");
        Ok((py.get_type::<EditAnswer>().into_any(), (json,)))
    }
}

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
    match py.detach(|| Engine::node_types(language)) {
        Ok(types) => Ok((pythonize(py, &types)?, None)),
        Err(refusal) => {
            let (error, text) = refused(py, &refusal)?;
            Ok((error, Some(text)))
        }
    }
}

/// Returns the time in seconds that a call of a tool on a text takes a program in Rust.
#[cfg(feature = "timing")]
#[pyfunction]
fn time_of_call_on_text(
    py: Python<'_>,
    tool: &str,
    text: &str,
    language: &str,
    arguments: &Bound<'_, PyAny>,
) -> PyResult<f64> {
    use std::hint::black_box;

    let arguments = read(arguments)?;
    Ok(py.detach(|| {
        let began = std::time::Instant::now();
        {
            let before = OneText::new(None, Some(language), text.as_bytes().to_vec());
            let before = before.expect("the text is text");
            let made = before.call(tool, arguments);
            let made = made.unwrap_or_else(|refusal| panic!("{refusal}"));
            let diff = made.after.as_ref().map(|after| before.diff(after));
            let digest = made.after.map(|after| after.digest().to_string());
            black_box((diff, digest, made.answer));
        }
        began.elapsed().as_secs_f64()
    }))
}

/// The compiled part of `treegraft`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<OpenEngine>()?;
    module.add_class::<EditAnswer>()?;
    module.add_function(wrap_pyfunction!(call_on_text, module)?)?;
    module.add_function(wrap_pyfunction!(edit_text, module)?)?;
    module.add_function(wrap_pyfunction!(languages, module)?)?;
    module.add_function(wrap_pyfunction!(node_types, module)?)?;
    #[cfg(feature = "timing")]
    {
        module.add_function(wrap_pyfunction!(time_of_call_on_text, module)?)?;
        module.add_function(wrap_pyfunction!(time_of_last_call, module)?)?;
    }
    Ok(())
}
