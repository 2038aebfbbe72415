impl Set {
    fn clear(&mut self) {
    }
}
