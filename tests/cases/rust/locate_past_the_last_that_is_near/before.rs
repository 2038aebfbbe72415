struct Server {
    port: u16,
}

impl Server {
    /// Starts it.
    fn start(&self) -> Result<(), Error> {
        let listener = bind(self.port)?;
        retry();
        listener.accept()?;
        retry();
        serve(listener, 10, 10)
    }

    fn stop(self) {
        drop(self);
    }
}
