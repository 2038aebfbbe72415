//! Calls on a text.

use std::any::Any;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use treegraft::engine::on_text::OneText;
use treegraft::engine::response::EditMade;

use crate::convert::{Refused, answered, arguments_of, bytes_of, of_class, raised};
use crate::objects::object_of;

/// Calls a tool on a text, and returns its answer as an object of the class.
#[pyfunction]
pub(crate) fn call_on_text<'py>(
    class: &Bound<'py, PyType>,
    tool: &str,
    text: &Bound<'py, PyAny>,
    language: Option<&str>,
    file_path: Option<&str>,
    arguments: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = bytes_of(text)?;
    let arguments = arguments_of(arguments)?;
    let made = in_library(class.py(), || {
        let text = OneText::new(file_path, language, bytes)?;
        Ok(text.call(tool, arguments)?.answer)
    });
    answered(class, made)
}

/// Calls a tool that edits on a text.
#[pyfunction]
pub(crate) fn edit_text(
    py: Python<'_>,
    tool: &str,
    text: &Bound<'_, PyAny>,
    language: Option<&str>,
    file_path: Option<&str>,
    arguments: &Bound<'_, PyDict>,
) -> PyResult<Edited> {
    let bytes = bytes_of(text)?;
    let arguments = arguments_of(arguments)?;
    let made = in_library(py, || -> Result<_, Refused> {
        let before = OneText::new(file_path, language, bytes)?;
        let made = before.call(tool, arguments)?;
        let diff = made.after.as_ref().map(|after| before.diff(after));
        let after = made.after.unwrap_or(before);
        let digest = after.digest().to_string();
        Ok((made.answer, after, diff.unwrap_or_default(), digest))
    });
    let (answer, after, diff, digest) = made.map_err(|refused| raised(py, &refused))?;
    let answer: Box<dyn Any> = answer;
    let Ok(answer) = answer.downcast::<EditMade>() else {
        return Err(PyValueError::new_err(format!("{tool} does not edit")));
    };
    Ok(Edited {
        text: PyString::new(py, after.text()).unbind(),
        diff,
        digest,
        answer,
    })
}

/// Calls the library without the interpreter lock.
fn in_library<T: Send>(py: Python<'_>, call: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "timing")]
    let call = || crate::timing::timed(call);
    py.detach(call)
}

/// A text after an edit that passed every check.
// The answer becomes Python objects when the program reads it, which most do not.
#[pyclass(module = "treegraft", frozen)]
pub(crate) struct Edited {
    /// The whole new text.
    #[pyo3(get)]
    text: Py<PyString>,
    /// The unified diff, in a form that `patch -p1` accepts; empty if nothing changed.
    #[pyo3(get)]
    diff: String,
    /// The BLAKE3 digest of the new text.
    #[pyo3(get)]
    digest: String,
    answer: Box<EditMade>,
}

#[pymethods]
impl Edited {
    /// Reads the parts of a pickle.
    #[new]
    fn unpickled(
        text: Py<PyString>,
        diff: String,
        digest: String,
        answer: &str,
    ) -> PyResult<Edited> {
        let answer = serde_json::from_str(answer);
        Ok(Edited {
            text,
            diff,
            digest,
            answer: answer.map_err(|error| PyValueError::new_err(error.to_string()))?,
        })
    }

    fn __reduce__<'py>(
        &'py self,
        py: Python<'py>,
    ) -> (
        Bound<'py, PyType>,
        (&'py Py<PyString>, &'py str, &'py str, String),
    ) {
        let answer = serde_json::to_string(&self.answer).expect("an answer is plain data");
        let parts = (&self.text, &*self.diff, &*self.digest, answer);
        (py.get_type::<Edited>(), parts)
    }

    /// What the edit did in addition to the operation, such as adding a comma.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.answer.notes)
    }

    /// Whether the text changed.
    #[getter]
    fn changed(&self) -> bool {
        !self.diff.is_empty()
    }

    /// The complete answer: the nodes, their ranges before and after, and the matches of a rewrite.
    #[getter]
    fn answer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = CLASS.import(py, "treegraft._answers", "EditMade")?;
        of_class(class, &*self.answer)
    }

    /// The matches of a rewrite.
    #[getter]
    fn matches<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let matches = self.answer.matches.as_ref();
        matches.map(|matches| object_of(py, matches)).transpose()
    }

    fn __eq__(&self, other: &Edited) -> bool {
        // Equal digests are of equal texts.
        self.digest == other.digest && self.diff == other.diff && self.answer == other.answer
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.text.bind(py).hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let of = |part: Bound<'_, PyAny>| part.repr().map(|text| text.to_string());
        Ok(format!(
            "Edited(diff={}, digest={}, notes={}, changed={})",
            of(PyString::new(py, &self.diff).into_any())?,
            of(PyString::new(py, &self.digest).into_any())?,
            of(self.notes(py)?.into_any())?,
            if self.changed() { "True" } else { "False" },
        ))
    }
}
