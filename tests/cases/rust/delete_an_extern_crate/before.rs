extern crate alloc;

/** A shape. */
pub trait Shape {
    /// Its unit.
    type Unit;
    const SIDES: u8;

    fn area(&self) -> u8;
    fn name(&self) -> char;
}

static COUNT: u8 = 0;
const LIMIT: u8 = 9;

union Bits {
    byte: u8,
    flag: u8,
}

macro_rules! side {
    ($x:expr) => {
        $x
    };
}

extern "C" {
    fn printf(format: *const u8, ...) -> i32;
}

mod inner {
    /*! Inside. */
    fn f() {
        ;
        let c = 'c';
    }
}
