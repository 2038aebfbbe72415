//! What a parse, a reparse and a preview by anchor cost over the length of a file, as curves.
//!
//! `cargo bench --bench curves` draws them into `target/criterion/report/index.html`, and says what changed since the
//! run before; words behind `--` choose (`preview-warm/rust`). The texts and the bare parses are those of
//! `benches/ratios`, which says what the curves are worth beside the work that nobody can avoid.

#[expect(dead_code, reason = "of the floor the parses are taken")]
#[path = "../ratios/floor.rs"]
mod floor;
mod pass;
#[expect(dead_code, reason = "the texts are asked for by anchor only")]
#[path = "../ratios/texts.rs"]
mod texts;

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};

use pass::{parsed, previewed};
use texts::{SAMPLES, Sample};

const SIZES: [usize; 4] = [100, 1_000, 10_000, 50_000];

criterion_group! {
    name = curves;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = parse, reparse, preview_cold, preview_warm
}
criterion_main!(curves);

/// One bare parse; of Markdown that of its blocks.
fn parse(criterion: &mut Criterion) {
    of_each(criterion, "parse", |group, id, sample, text| {
        let mut parser = sample.parser();
        group.bench_function(id, |bencher| {
            bencher.iter(|| floor::parse(&mut parser, text))
        });
    });
}

/// One bare reparse, after the edit that the previews make.
fn reparse(criterion: &mut Criterion) {
    of_each(criterion, "reparse", |group, id, sample, text| {
        let shown = shown(sample, text);
        let after = shown.after().text();
        let [replacement] = &shown.facts().replacements[..] else {
            panic!("a node is replaced in one piece");
        };
        let (start, end) = (replacement.span.start(), replacement.span.end());
        let edit = floor::input_edit(text, start, end, &replacement.new_text);
        let mut parser = sample.parser();
        let old = floor::parse(&mut parser, text);
        group.bench_function(id, |bencher| {
            bencher.iter(|| floor::reparse(&mut parser, &old, &edit, after));
        });
    });
}

/// From the text to the preview.
fn preview_cold(criterion: &mut Criterion) {
    of_each(criterion, "preview-cold", |group, id, sample, text| {
        group.bench_function(id, |bencher| bencher.iter(|| shown(sample, text)));
    });
}

/// From a parsed file, which was asked before, to the preview.
fn preview_warm(criterion: &mut Criterion) {
    of_each(criterion, "preview-warm", |group, id, sample, text| {
        let parsed = parsed(sample.path, text);
        let again = || previewed(&parsed, sample.anchor, sample.node_type, sample.new_content);
        again();
        group.bench_function(id, |bencher| bencher.iter(again));
    });
}

fn shown(sample: &Sample, text: &str) -> treegraft::preview::FilePreview {
    let parsed = parsed(sample.path, text);
    previewed(&parsed, sample.anchor, sample.node_type, sample.new_content)
}

type Measure = fn(&mut BenchmarkGroup<'_, WallTime>, BenchmarkId, &Sample, &str);

/// A curve for each language.
fn of_each(criterion: &mut Criterion, name: &str, measure: Measure) {
    let mut group = criterion.benchmark_group(name);
    for sample in SAMPLES {
        for lines in SIZES {
            let text = sample.text(lines);
            group.throughput(Throughput::Bytes(text.len() as u64));
            measure(
                &mut group,
                BenchmarkId::new(sample.name, lines),
                sample,
                &text,
            );
        }
    }
    group.finish();
}
