//! Between Python objects and the values of the library.

use std::any::Any;

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyString, PyType};
use pythonize::{depythonize, pythonize};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use treegraft::engine::response::AnyAnswer;
use treegraft::engine::response::{Located, NodeRead, NodesFound, Outlined, RefusedCall};

use crate::objects::object_of;

pub(crate) type Refused = Box<RefusedCall>;

/// Returns the bytes of a text, which the library checks.
pub(crate) fn bytes_of(text: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
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

/// Returns the arguments of a call as JSON. Those that are `None` are absent.
pub(crate) fn arguments_of(given: &Bound<'_, PyDict>) -> PyResult<Value> {
    let mut arguments = Map::new();
    for (name, value) in given.iter().filter(|(_, value)| !value.is_none()) {
        arguments.insert(read::<String>(&name)?, read(&value)?);
    }
    Ok(Value::Object(arguments))
}

/// Reads an object that is like JSON.
fn read<T: From<String> + DeserializeOwned>(given: &Bound<'_, PyAny>) -> PyResult<T> {
    // Most are text. `depythonize` looks for other kinds first.
    if let Some(Ok(text)) = given.cast::<PyString>().ok().map(|text| text.to_str()) {
        return Ok(T::from(text.to_string()));
    }
    depythonize(given).map_err(|error| {
        PyTypeError::new_err(format!("the arguments of a call are like JSON: {error}"))
    })
}

/// Returns the answer of a call as an object of its class.
///
/// # Errors
/// `treegraft.Refusal`, if the call is refused.
pub(crate) fn answered<'py>(
    class: &Bound<'py, PyType>,
    made: Result<Box<dyn AnyAnswer>, Refused>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let answer = made.map_err(|refused| raised(py, &refused))?;
    let any: &dyn Any = &*answer;
    // Tools that are called often.
    macro_rules! one_of {
        ($($kind:ty),*) => {
            $(if let Some(answer) = any.downcast_ref::<$kind>() {
                return object_of(py, answer);
            })*
        };
    }
    one_of!(NodesFound, NodeRead, Located, Outlined);
    of_class(class, &answer.as_json())
}

/// Returns a value as an object of a class of `treegraft._answers`.
pub(crate) fn of_class<'py>(
    class: &Bound<'py, PyType>,
    value: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    class.call_method1(intern!(py, "from_json"), (pythonize(py, value)?,))
}

/// Returns the exception `treegraft.Refusal` about a refused call.
pub(crate) fn raised(py: Python<'_>, refused: &RefusedCall) -> PyErr {
    static REFUSAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let exception = || {
        let of_json = pythonize(py, &refused.json()["error"])?;
        let refusal = REFUSAL.import(py, "treegraft._refusal", "Refusal")?;
        refusal.call1((of_json, refused.text()))
    };
    match exception() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
