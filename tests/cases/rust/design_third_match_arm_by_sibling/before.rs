fn name(code: u16) -> &'static str {
    match code {
        200 => "ok",
        301 => "moved",
        404 => "missing",
        500 => "failed",
    }
}
