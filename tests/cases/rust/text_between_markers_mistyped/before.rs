use std::io;

/// Says hello.
#[inline]
pub fn hello(name: &str) -> String {
    let plan = {
        let width = name.len();
        width + 1
    };
    // Send it.
    send(plan, 30); // now
    let text = r"
  raw
";
    if plan > 3 {
        send(plan, 30);
    }
    format!("hello {name} and {text}")
}

mod inner {
    fn first() {}

    fn second() {}
}
