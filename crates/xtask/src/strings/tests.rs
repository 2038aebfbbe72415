//! Measures a generated repository of language samples: no correction may have another result than the call means.

use crate::git::samples_in_test;

use super::{Options, strings};

#[test]
fn no_correction_is_wrong() {
    let repository = samples_in_test(older);
    let options = Options {
        repositories: vec![repository.path().to_string_lossy().into_owned()],
        hunks: 80,
        commits: 1,
        show: 3,
    };
    let report = strings(&options, |_| ()).expect("git answers");
    let [calls, wrong, good, changed] = report.totals();
    assert_eq!((wrong, changed), (0, 0), "{report}");
    assert!(calls > 400 && good > 40, "{report}");
}

/// Returns an older version of a sample: every seventh line is missing.
fn older(text: &str) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    let kept = lines.filter(|(index, _)| index % 7 != 3);
    kept.map(|(_, line)| line).collect()
}
