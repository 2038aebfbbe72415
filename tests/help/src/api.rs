//! A file that the examples of the help edit.

use crate::server::Server;

struct Reply {
    text: String,
}

impl Server {
    fn new() -> Server {
        Server { timeout: 0 }
    }

    fn handle(&self, request: Request) -> u32 {
        let plan = Plan::of(
            request.path(),
            request.method(),
        );
        let result = match request.method {
            Method::GET => list(plan),
            Method::POST => insert(request),
            Method::PUT => change(request),
        };
        timeout(30);
        log::debug!("here");
        return result + 1;
    }
}

fn main() {
    let reply = helper();
    let ready = true;
    send(reply);
}

fn helper() -> Reply {
    Reply {
        text: String::new(),
    }
}

fn old() {}

fn handle_request(number: Option<u32>) -> u32 {
    number
        .unwrap()
}
