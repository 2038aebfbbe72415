//! Shapes.

use std::fmt;

/// A point.
///
/// Its fields are private.
#[derive(Debug)]
pub struct Point {
    x: u8, // left to right
    y: u8,
}

// Written by hand: the derive would print the private fields.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.x)
    }
}

pub fn area(p: &Point) -> u8 {
    p.x * p.y
}
