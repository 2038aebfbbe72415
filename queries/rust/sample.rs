#!/usr/bin/env -S cargo +nightly -Zscript
//! A small shop: products, carts and the orders that are made of them.
#![feature(never_type, gen_blocks, try_blocks, yield_expr)]

extern crate alloc;

use std::collections::{BTreeMap, HashMap as Map};
use std::fmt::{self, Display};
use std::io::prelude::*;

pub mod prices;

/* Amounts of money are kept in cents. */
type Cents = i64;

const FREE_SHIPPING: Cents = 50_00;
static mut ORDERS_TODAY: u32 = 0;

/// What is sold, and for how much.
#[derive(Clone, Debug, PartialEq)]
pub struct Product<'a> {
    pub name: &'a str,
    pub(crate) price: Cents,
    tags: [&'static str; 3],
}

/// The sides of a box, in millimetres.
struct Size(u32, u32, u32);

#[derive(Default)]
pub struct Cart<'a, const LIMIT: usize = 20> {
    lines: Vec<(Product<'a>, u32)>,
    note: Option<String>,
    gift: bool,
}

#[repr(u8)]
pub enum Payment {
    Cash = 1,
    Card {
        number: String,
        month: u8,
        year: u16,
    },
    Voucher(Cents),
}

enum Parcel<T> {
    Empty,
    Sealed(T),
}

#[repr(C)]
union Digits {
    whole: u64,
    bytes: [u8; 8],
}

unsafe extern "C" {
    fn print_label(format: *const u8, ...) -> i32;
    fn lock_till();
}

pub trait Priced: Display {
    type Currency: Default;
    const TAX: f64 = 0.19;

    fn total(&self) -> Cents;

    fn rounded(&self) -> Cents
    where
        Self: Sized,
    {
        self.total() / 100 * 100
    }
}

impl<'a, const LIMIT: usize> Cart<'a, LIMIT> {
    pub const fn new() -> Self {
        Cart {
            lines: Vec::new(),
            note: None,
            gift: false,
        }
    }

    pub fn add(&mut self, product: Product<'a>, mut count: u32) -> Result<(), ShopError> {
        if self.lines.len() >= LIMIT {
            return Err(ShopError::Full);
        } else if count == 0 {
            count += 1;
        }
        self.lines.push((product, count));
        Ok(())
    }

    fn names<'s>(&'s self) -> impl Iterator<Item = &'a str> + use<'s, 'a, LIMIT> {
        self.lines.iter().map(|(product, _)| product.name)
    }

    fn cheapest(&self) -> Option<&Product<'a>> {
        let products = self.lines.iter().map(|line| &line.0);
        products.min_by_key(|product| product.price)
    }
}

impl Priced for Cart<'_> {
    type Currency = &'static str;

    fn total(&self) -> Cents {
        let mut sum = 0;
        for (product, count) in &self.lines {
            sum += product.price * Cents::from(*count);
        }
        sum
    }
}

impl Display for Cart<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} lines\tof {}", self.lines.len(), r#"the "cart""#)
    }
}

macro_rules! cart {
    ($($name:literal => $price:expr),* $(,)?) => {{
        let mut cart = Cart::<20>::new();
        $(cart.add(product($name, $price), 1)?;)*
        cart
    }};
}

pub(super) fn shipping(weight: u32, abroad: bool) -> Cents {
    match weight {
        0 => 0,
        1..=500 if abroad => 8_90,
        1..=500 => 3_90,
        501 | 502 => 4_90,
        grams @ 503.. => Cents::from(grams) / 100,
    }
}

fn describe(payment: &Payment) -> String {
    match payment {
        Payment::Cash => "cash".to_string(),
        Payment::Card {
            number,
            month: 1..=12,
            ..
        } => number.clone(),
        Payment::Card { number, year, .. } => format!("{number}: not in {year}"),
        &Payment::Voucher(-1) => String::new(),
        Payment::Voucher(rest) => rest.to_string(),
    }
}

fn discount(prices: &[Cents], rule: for<'p> fn(&'p Cents) -> Cents) -> Cents {
    match prices {
        [] => 0,
        [first, .., last] => rule(first) + rule(last),
        [only] => rule(only),
    }
}

fn apply_all(rules: &[Box<dyn for<'r> Fn(&'r Cents) -> Cents>], price: Cents) -> Cents {
    rules.iter().fold(price, |now, rule| rule(&now))
}

fn count_by<T: ?Sized, F>(count: F, of: &T) -> usize
where
    F: for<'r> Fn(&'r T) -> usize,
{
    count(of)
}

fn restock(shelf: &mut [u32], wanted: u32) -> u32 {
    let mut place = 0;
    'search: loop {
        while place < shelf.len() {
            if shelf[place] >= wanted {
                break 'search;
            }
            place += 1;
            continue;
        }
        break;
    }
    shelf[place] = !0 ^ wanted;
    shelf[place]
}

async fn send(order: u32) -> Result<bool, ShopError> {
    let sent = async { post(order).await };
    let known: Result<u32, ShopError> = try { parse::<u32>("7")? };
    let numbers = gen { yield 1 };
    if let Ok(7) = known
        && order > 7
    {
        drop(numbers);
    }
    for hour in 9..17 {
        call(hour + (order % 2));
    }
    let Some(true) = sent.await else {
        return Ok(false);
    };
    Ok(true)
}

/// The words on the slip that goes with a parcel.
fn slip(parcel: Parcel<Size>) -> &'static str {
    match parcel {
        Parcel::Empty::<Size> => "nothing in it",
        Parcel::Sealed(ref size) if size.0 > 600 => "bulky",
        _ => "handle with care",
    }
}

fn give_up() -> ! {
    let reason = Size(1, 2, 3);
    let Size(width, mut height, _) = reason;
    height = width as u32;
    std::process::exit(height as i32)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cart = cart! { "tea" => 4_50, "cup" => 12_00 };
    let gift = Cart { gift: true, ..cart };
    let note = gift.note;
    let again = Cart::<20> {
        lines: vec![],
        note,
        gift: false,
    };
    let total = <Cart as Priced>::total(&again);
    let size = const { 8 * 4 };
    let Product { name, .. } = product("pot", 39_95);
    let letter = 'x';
    let numbers = "1 2 3"
        .split(' ')
        .map(str::parse::<u32>)
        .collect::<Vec<_>>();
    let by_name: Map<&str, Cents> = [("tea", 4_50)].into();
    unsafe {
        ORDERS_TODAY += 1;
        lock_till();
    };
    println!("{total} {size} {name} {letter} {numbers:?} {by_name:?}");
    Ok(())
}
