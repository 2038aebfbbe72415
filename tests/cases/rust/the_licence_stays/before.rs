// Copyright 2026 The authors.
fn a() {}

fn b() {}
