impl Set {
    fn regex(self) -> Result<Regex, Error> {
        Ok(Regex::new())
    }
}
