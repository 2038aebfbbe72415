//! Measures a generated repository of language samples: no correction may have another result than the call means.

use crate::git::samples_in_test;
use crate::table::Output;

use super::{Options, strings};

#[test]
fn no_correction_is_wrong() {
    let repository = samples_in_test();
    let options = Options {
        repositories: vec![repository.path().to_string_lossy().into_owned()],
        hunks: 80,
        commits: 1,
        output: Output::default(),
    };
    let measured = strings(&options, |_| ()).expect("git answers");
    let count = |kind: &str, outcome: Option<&str>| {
        let records = measured.records.iter();
        let own = records.filter(|record| {
            record["kind"] == kind && outcome.is_none_or(|outcome| record["outcome"] == outcome)
        });
        own.count()
    };
    assert_eq!(count("broken call", Some("wrong")), 0);
    assert_eq!(count("right call", Some("taken for another call")), 0);
    assert!(count("broken call", None) > 400 && count("right call", None) > 40);
}
