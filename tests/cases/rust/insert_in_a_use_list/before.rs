use std::{fmt, io::{self, Read}};
