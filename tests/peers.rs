//! The page on other tools and its plots are generated from the data that `cargo bench --bench
//! peers` wrote.
//!
//! `TREEGRAFT_RECORD=1` regenerates them from that data.

#![expect(
    clippy::disallowed_methods,
    reason = "a page and its data are files of the project"
)]

use std::fs;

#[path = "../benches/peers/data.rs"]
mod data;
#[path = "../benches/peers/page.rs"]
mod page;
#[path = "../benches/peers/plot.rs"]
mod plot;

use data::Data;

#[test]
fn page_and_plots_match_the_data() {
    let docs = crate::support::repository().join("docs");
    let kept = |name: &str| fs::read_to_string(docs.join(name)).unwrap_or_default();
    let text = kept("peers.json");
    let data: Data = serde_json::from_str(&text).expect("it is what a run has written");
    assert_eq!(data.text(), text, "docs/peers.json is as a run writes it");
    let records = std::env::var_os("TREEGRAFT_RECORD").is_some_and(|value| value == "1");
    for (name, made) in [
        ("peers.md", page::page(&data)),
        ("peers.svg", plot::plot(&data)),
    ] {
        if records {
            fs::write(docs.join(name), made).expect("the page can be written");
        } else {
            assert!(
                kept(name) == made,
                "docs/{name} is made of other data; TREEGRAFT_RECORD=1 records it"
            );
        }
    }
}
