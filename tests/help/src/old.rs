//! What nobody uses any more.

fn kept() {}

fn old() {}
