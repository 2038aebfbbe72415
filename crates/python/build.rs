//! On macOS, the linker must leave the functions of the interpreter undefined.

#![expect(
    clippy::disallowed_methods,
    reason = "cargo names the target in the environment"
)]

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_VENDOR").is_ok_and(|vendor| vendor == "apple") {
        println!("cargo::rustc-cdylib-link-arg=-undefined");
        println!("cargo::rustc-cdylib-link-arg=dynamic_lookup");
    }
}
