impl Till {
    fn count(&self) -> u32 {
        Ok(self.coins)
    }
}
