fn route(req: &Request) -> Response {
    match req.method {
        Method::GET => handle_get(),
        Method::POST => handle_post(), // creates
        Method::PUT => handle_put(),
    }
}
