use std::fmt;

use serde::Serialize;

use crate::a;
use crate::c;

use super::d;
