const TYPES: &[(&str, &[&str])] = &[
    ("cbor", &["*.cbor"]),
    ("clojure", &["*.clj", "*.cljs"]),
];
