//! Reads answers.

#![deny(missing_docs)]
#![no_std]

fn f() {}
