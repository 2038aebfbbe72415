mod a;
mod b;
mod c;

mod d {
    pub fn one() {}
}

mod e {
    pub fn two() {}
}
