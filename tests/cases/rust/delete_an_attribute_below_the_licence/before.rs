// Copyright 2020 The authors.
#[derive(Debug)]
struct First;

struct Second;
