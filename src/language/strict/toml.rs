//! Reads and validates TOML with the toml crate.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Data, GroupKind, StrictReading, Value, hash};

/// Reads and validates TOML. The toml crate limits the depth.
pub(in crate::language) fn read_toml(text: &str) -> StrictReading {
    let bare = text.trim_start_matches('\u{feff}');
    let base = text.len() - bare.len();
    match DeTable::parse(bare) {
        Ok(table) => StrictReading {
            data: Some(toml_data(table.get_ref(), text, base)),
            problem: None,
        },
        Err(error) => {
            let offset = error.span().map_or(bare.len(), |span| span.start);
            StrictReading::refused(text, base + offset, error.message())
        }
    }
}

fn toml_data(root: &DeTable<'_>, text: &str, base: usize) -> Data {
    let span = |of: Range<usize>| of.start + base..of.end + base;
    let mut data = Data::default();
    let mut tables = vec![(root, None)];
    let mut open = Vec::new();
    loop {
        if let Some((table, within)) = tables.pop() {
            let group = data.open(GroupKind::Mapping, within);
            for (key, value) in table {
                let pair = data.open(GroupKind::Pair, Some(group));
                data.groups[pair].key = Some((span(key.span()), hash(key.get_ref())));
                open.push((value, pair));
            }
        }
        let Some((value, within)) = open.pop() else {
            data.values.sort_by_key(|value| value.span.start);
            return data;
        };
        match value.get_ref() {
            DeValue::Table(table) => tables.push((table, Some(within))),
            DeValue::Array(array) => {
                let group = data.open(GroupKind::Sequence, Some(within));
                open.extend(array.iter().map(|value| (value, group)));
            }
            _ => data.values.push(Value {
                span: span(value.span()),
                says: hash(&text[base..][value.span()]),
                says_but_break: 0,
                refers_to: None,
                within,
            }),
        }
    }
}
