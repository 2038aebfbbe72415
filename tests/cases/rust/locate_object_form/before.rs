fn route(req: &Request) -> Response {
    match req.method {
        Method::GET => handle_get(),
        Method::POST => handle_post(),
        Method::PUT => handle_put(),
    }
}

fn audit(req: &Request) {
    match req.method {
        Method::POST => log(req),
        _ => {}
    }
    if req.method == Method::POST {
        count(req);
    }
}
