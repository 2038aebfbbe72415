use a::b;

use d::e;

fn main() {}
