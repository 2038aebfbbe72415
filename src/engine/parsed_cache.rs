//! The cache of parsed files.

use std::sync::Arc;

use camino::Utf8PathBuf;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use crate::parse::Parsed;

/// The size of the cache of parsed files, in bytes.
pub(super) const CACHE_BYTES: u64 = 256 * 1024 * 1024;

/// The parsed files of an engine, by absolute path.
pub(super) type ParsedCache = Cache<Utf8PathBuf, Arc<Parsed>, ByTree>;

#[derive(Clone, Debug)]
pub(super) struct ByTree;

impl Weighter<Utf8PathBuf, Arc<Parsed>> for ByTree {
    fn weight(&self, _: &Utf8PathBuf, parsed: &Arc<Parsed>) -> u64 {
        parsed.memory() as u64 + 1
    }
}

/// Creates a cache of parsed files, of at most this many bytes. It has one shard: a shard cannot hold an entry larger than
/// itself, and the default number of shards grows with the number of cores. Each call uses the cache once per file.
pub(super) fn cache(bytes: u64) -> ParsedCache {
    let options = OptionsBuilder::new()
        .estimated_items_capacity(1_000)
        .weight_capacity(bytes)
        .shards(1)
        .build()
        .expect("both capacities are given");
    let (hashes, lifecycle) = (DefaultHashBuilder::default(), DefaultLifecycle::default());
    Cache::with_options(options, ByTree, hashes, lifecycle)
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::language;
    use crate::source::Source;
    use crate::workspace::FILE_LIMIT;

    fn parsed(bytes: u64) -> Arc<Parsed> {
        let text = format!("\"{}\"", "x".repeat(bytes as usize - 2));
        let source = Source::new("x.json", language::for_file("x.json", ""), text);
        Arc::new(Parsed::parse(source))
    }

    #[test]
    fn what_is_kept_parsed_is_bounded_and_holds_the_largest_file() {
        let cache = cache(CACHE_BYTES);
        cache.insert("large.json".into(), parsed(FILE_LIMIT));
        assert!(cache.peek(Utf8Path::new("large.json")).is_some());
        for number in 0..40 {
            cache.insert(format!("{number}.json").into(), parsed(1 << 20));
            assert!(cache.weight() <= CACHE_BYTES);
        }
    }
}
