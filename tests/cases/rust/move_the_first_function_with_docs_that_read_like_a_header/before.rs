// Renders text; do not edit the buffer while it runs. See the @file format.
// Opens vim: the editor of the user.
fn render(text: &str) -> usize {
    text.len()
}

fn clear() -> usize {
    0
}
