//! Plots the cost of a parse, a reparse and a preview by anchor against the length of a file.
//!
//! `cargo bench --bench curves` draws the curves into `target/criterion/report/index.html` and
//! prints what changed since the previous run. Words after `--` select curves
//! (`preview-warm/rust`). The texts and the bare parses are those of `benches/ratios`, which
//! compares these costs with the work that no tool can avoid.

#[expect(dead_code, reason = "only the parses of the floor are needed")]
#[path = "../ratios/floor.rs"]
mod floor;
mod pass;
#[expect(dead_code, reason = "only the texts and anchors are needed")]
#[path = "../ratios/texts.rs"]
mod texts;

use std::cell::LazyCell;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};

use treegraft::preview::FilePreview;

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

/// Measures one bare parse; for Markdown, that of its blocks.
fn parse(criterion: &mut Criterion) {
    of_each(criterion, "parse", |group, id, sample, lines| {
        let text = LazyCell::new(|| sample.text(lines));
        group.bench_function(id, |bencher| {
            let (mut parser, text) = (sample.parser(), text.as_str());
            bencher.iter(|| floor::parse(&mut parser, text));
        });
    });
}

/// Measures one bare reparse after the edit that the previews make.
fn reparse(criterion: &mut Criterion) {
    of_each(criterion, "reparse", |group, id, sample, lines| {
        let state = LazyCell::new(|| {
            let text = sample.text(lines);
            let shown = shown(sample, &text);
            let [replacement] = shown.record().replacements() else {
                panic!("a node is replaced in one piece");
            };
            let (start, end) = (replacement.span.start(), replacement.span.end());
            let edit = floor::input_edit(&text, start, end, &replacement.new_text);
            let old = floor::parse(&mut sample.parser(), &text);
            (old, edit, shown.after().text().to_string())
        });
        group.bench_function(id, |bencher| {
            let (mut parser, (old, edit, after)) = (sample.parser(), &*state);
            bencher.iter(|| floor::reparse(&mut parser, old, edit, after));
        });
    });
}

/// Measures from the text to the preview.
fn preview_cold(criterion: &mut Criterion) {
    of_each(criterion, "preview-cold", |group, id, sample, lines| {
        let text = LazyCell::new(|| sample.text(lines));
        group.bench_function(id, |bencher| {
            let text = text.as_str();
            bencher.iter(|| shown(sample, text));
        });
    });
}

/// Measures from a parsed file, which was queried before, to the preview.
fn preview_warm(criterion: &mut Criterion) {
    of_each(criterion, "preview-warm", |group, id, sample, lines| {
        let known = LazyCell::new(|| {
            let parsed = parsed(sample.path, &sample.text(lines));
            previewed(&parsed, sample.anchor, sample.node_type, sample.new_content);
            parsed
        });
        group.bench_function(id, |bencher| {
            let known = &*known;
            bencher.iter(|| previewed(known, sample.anchor, sample.node_type, sample.new_content));
        });
    });
}

fn shown(sample: &Sample, text: &str) -> FilePreview {
    let parsed = parsed(sample.path, text);
    previewed(&parsed, sample.anchor, sample.node_type, sample.new_content)
}

type Measure = fn(&mut BenchmarkGroup<'_, WallTime>, BenchmarkId, &Sample, usize);

/// Measures a curve for each language. Cases that are not selected are not prepared.
fn of_each(criterion: &mut Criterion, name: &str, measure: Measure) {
    let mut group = criterion.benchmark_group(name);
    for sample in SAMPLES {
        for lines in SIZES {
            group.throughput(Throughput::Elements(lines as u64));
            measure(
                &mut group,
                BenchmarkId::new(sample.name, lines),
                sample,
                lines,
            );
        }
    }
    group.finish();
}
