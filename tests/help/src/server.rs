//! A server.

pub struct Server {
    pub timeout: u32,
}

impl Server {
    fn handle(&self, request: Request) -> u32 {
        let result = request.number();
        return result;
    }

    fn other(&self) -> u32 {
        let result = self.timeout;
        return result;
    }
}
