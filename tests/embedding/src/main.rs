//! A program outside of the repository's workspace that uses the library.
#![deny(unused)]

mod program;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    program::run(&mut std::io::stdout())
}
