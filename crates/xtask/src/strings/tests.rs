//! Measures a generated repository of language samples: no correction may have another result than the call means.

use crate::git::samples_in_test;

use crate::table::Output;

use super::{Options, strings};

#[test]
fn no_correction_is_wrong() {
    let repository = samples_in_test(older);
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
    let wrong = measured
        .records
        .iter()
        .find(|record| record["outcome"] == "wrong");
    assert_eq!(wrong, None);
    assert_eq!(count("right call", Some("taken for another call")), 0);
    assert!(count("broken call", None) > 400 && count("right call", None) > 40);
}

/// Returns an older version of a sample: every seventh line is missing.
fn older(text: &str) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    let kept = lines.filter(|(index, _)| index % 7 != 3);
    kept.map(|(_, line)| line).collect()
}
