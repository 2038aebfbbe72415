//! The objects of answers, which are created without their JSON form.
//!
//! A structure becomes an object of its class in `treegraft._answers`, and a list in it a tuple. Whatever is not in such an
//! object, such as the arguments of a call, becomes the Python form of its JSON.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};
use pythonize::{PythonizeDefault, PythonizeError, Pythonizer};
use serde::ser::{Serialize, SerializeSeq, SerializeStruct, SerializeTuple, Serializer};

type Object<'py> = Bound<'py, PyAny>;
type Json<'py> = Pythonizer<'py, PythonizeDefault>;
type Made<T> = Result<T, PythonizeError>;

/// Returns the object of a value.
pub(crate) fn object_of<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Object<'py>> {
    let classes = Classes::get(py)?;
    Ok(value.serialize(Objects { py, classes })?)
}

/// What creates objects of the classes of answers.
struct Classes {
    /// The names of `treegraft._answers`.
    names: Py<PyDict>,
    /// `object.__new__`, which skips the slow `__init__` of frozen data classes.
    new: Py<PyAny>,
}

impl Classes {
    fn get(py: Python<'_>) -> PyResult<&Classes> {
        static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
        CLASSES.get_or_try_init(py, || {
            let object = py.import("builtins")?.getattr("object")?;
            Ok(Classes {
                names: py.import("treegraft._answers")?.dict().unbind(),
                new: object.getattr("__new__")?.unbind(),
            })
        })
    }
}

#[derive(Clone, Copy)]
struct Objects<'c, 'py> {
    py: Python<'py>,
    classes: &'c Classes,
}

impl<'py> Objects<'_, 'py> {
    fn json(self) -> Json<'py> {
        Pythonizer::new(self.py)
    }
}

/// Serializes what is the same in JSON.
macro_rules! as_json {
    ($($method:ident($($argument:ident: $kind:ty),*) -> $made:ty;)*) => {
        $(fn $method(self, $($argument: $kind),*) -> Made<$made> {
            self.json().$method($($argument),*)
        })*
    };
}

type Name = &'static str;

impl<'c, 'py> Serializer for Objects<'c, 'py> {
    type Ok = Object<'py>;
    type Error = PythonizeError;
    type SerializeSeq = Items<'c, 'py>;
    type SerializeTuple = Items<'c, 'py>;
    type SerializeTupleStruct = <Json<'py> as Serializer>::SerializeTupleStruct;
    type SerializeTupleVariant = <Json<'py> as Serializer>::SerializeTupleVariant;
    type SerializeMap = <Json<'py> as Serializer>::SerializeMap;
    type SerializeStruct = Fields<'c, 'py>;
    type SerializeStructVariant = <Json<'py> as Serializer>::SerializeStructVariant;

    as_json! {
        serialize_bool(value: bool) -> Object<'py>;
        serialize_i8(value: i8) -> Object<'py>;
        serialize_i16(value: i16) -> Object<'py>;
        serialize_i32(value: i32) -> Object<'py>;
        serialize_i64(value: i64) -> Object<'py>;
        serialize_u8(value: u8) -> Object<'py>;
        serialize_u16(value: u16) -> Object<'py>;
        serialize_u32(value: u32) -> Object<'py>;
        serialize_u64(value: u64) -> Object<'py>;
        serialize_f32(value: f32) -> Object<'py>;
        serialize_f64(value: f64) -> Object<'py>;
        serialize_char(value: char) -> Object<'py>;
        serialize_str(value: &str) -> Object<'py>;
        serialize_bytes(value: &[u8]) -> Object<'py>;
        serialize_none() -> Object<'py>;
        serialize_unit() -> Object<'py>;
        serialize_unit_struct(name: Name) -> Object<'py>;
        serialize_unit_variant(name: Name, index: u32, variant: Name) -> Object<'py>;
        serialize_tuple_struct(name: Name, length: usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(name: Name, index: u32, variant: Name, length: usize) -> Self::SerializeTupleVariant;
        serialize_map(length: Option<usize>) -> Self::SerializeMap;
        serialize_struct_variant(name: Name, index: u32, variant: Name, length: usize) -> Self::SerializeStructVariant;
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made<Object<'py>> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: Name,
        value: &T,
    ) -> Made<Object<'py>> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: Name,
        index: u32,
        variant: Name,
        value: &T,
    ) -> Made<Object<'py>> {
        self.json()
            .serialize_newtype_variant(name, index, variant, value)
    }

    fn serialize_seq(self, length: Option<usize>) -> Made<Items<'c, 'py>> {
        Ok(Items {
            of: self,
            items: Vec::with_capacity(length.unwrap_or_default()),
        })
    }

    fn serialize_tuple(self, length: usize) -> Made<Items<'c, 'py>> {
        self.serialize_seq(Some(length))
    }

    fn serialize_struct(self, name: Name, _: usize) -> Made<Fields<'c, 'py>> {
        let names = self.classes.names.bind(self.py);
        let class = names.get_item(PyString::intern(self.py, name))?;
        let Some(class) = class else {
            return Ok(Fields {
                of: self,
                object: None,
                fields: PyDict::new(self.py),
            });
        };
        let object = self.classes.new.bind(self.py).call1((class,))?;
        let fields = object.getattr(intern!(self.py, "__dict__"))?;
        Ok(Fields {
            of: self,
            object: Some(object),
            fields: fields.cast_into().map_err(PyErr::from)?,
        })
    }
}

/// The items of a tuple.
struct Items<'c, 'py> {
    of: Objects<'c, 'py>,
    items: Vec<Object<'py>>,
}

impl<'py> SerializeSeq for Items<'_, 'py> {
    type Ok = Object<'py>;
    type Error = PythonizeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Made<()> {
        self.items.push(item.serialize(self.of)?);
        Ok(())
    }

    fn end(self) -> Made<Object<'py>> {
        Ok(PyTuple::new(self.of.py, self.items)?.into_any())
    }
}

impl<'py> SerializeTuple for Items<'_, 'py> {
    type Ok = Object<'py>;
    type Error = PythonizeError;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, item: &T) -> Made<()> {
        SerializeSeq::serialize_element(self, item)
    }

    fn end(self) -> Made<Object<'py>> {
        SerializeSeq::end(self)
    }
}

/// The fields of a structure.
struct Fields<'c, 'py> {
    of: Objects<'c, 'py>,
    /// The object whose `__dict__` the fields are. Without it, the structure has no class.
    object: Option<Object<'py>>,
    fields: Bound<'py, PyDict>,
}

impl<'py> SerializeStruct for Fields<'_, 'py> {
    type Ok = Object<'py>;
    type Error = PythonizeError;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: Name, value: &T) -> Made<()> {
        let value = match self.object {
            Some(_) => value.serialize(self.of)?,
            None => value.serialize(self.of.json())?,
        };
        let name = PyString::intern(self.of.py, name);
        Ok(self.fields.set_item(name, value)?)
    }

    fn end(self) -> Made<Object<'py>> {
        Ok(self.object.unwrap_or_else(|| self.fields.into_any()))
    }
}
