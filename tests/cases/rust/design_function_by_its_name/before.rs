use http::Request;

fn parse(text: &str) -> Request {
    Request::from(text)
}

pub async fn handle_request(request: Request) -> Response {
    log(&request);
    respond(request).await
}
