//! How often the property tests of the library try.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Returns what is tried: the same `usual` number of cases each time, and with `TREEGRAFT_TEST_FULL=1` as many as `full`,
/// which differ from run to run.
#[expect(clippy::disallowed_methods, reason = "the test asks how much to try")]
pub(crate) fn tried(usual: u32, full: u32) -> ProptestConfig {
    let is_full = std::env::var_os("TREEGRAFT_TEST_FULL").is_some_and(|value| value == "1");
    let (cases, rng_seed) = match is_full {
        true => (full, RngSeed::Random),
        false => (usual, RngSeed::Fixed(1)),
    };
    ProptestConfig {
        cases,
        rng_seed,
        ..ProptestConfig::default()
    }
}
