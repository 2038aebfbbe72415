//! What a guest pays.

pub mod prices;

/// All of it.
pub fn total(names: &[&str]) -> u32 {
    names.iter().map(|name| prices::price(name)).sum()
}

/// The first line of a bill.
pub fn first() -> (&'static str, u32) {
    ("größer als ☕ 𝒙", prices::price("tea"))
}

/// Deliberately of another type.
pub fn wrong() -> String {
    total(&["cake"])
}
