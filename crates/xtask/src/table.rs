//! Prints measured records as JSON lines, or as Markdown tables.
//!
//! A task returns one record for each thing that it measures: a JSON object with its labels, an `outcome` and numbers.
//! `kind` names the table of a record. A table has a row for each combination of some labels, counts the records of each
//! outcome, and sums numbers. `cargo xtask table FILE` prints the tables of lines that `--json` wrote, so that the lines
//! of several runs make one table.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::Value;

/// How the records are printed.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Output {
    /// Print one JSON object for each measured thing instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the first N examples of each row and unexpected outcome, to reproduce them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) show: usize,
}

/// A table of the records of one kind.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    kind: &'static str,
    /// The labels of a row. With `outcome` among them, outcomes are not columns.
    by: &'static [&'static str],
    /// Numbers that are summed. `a/b` is the ratio of two sums.
    sums: &'static [&'static str],
}

/// What a task measured.
pub(crate) struct Measured {
    pub(crate) records: Vec<Value>,
    pub(crate) tables: Vec<Table>,
}

impl Measured {
    pub(crate) fn new(records: Vec<Value>, tables: &[Table]) -> Measured {
        Measured {
            records,
            tables: tables.to_vec(),
        }
    }
}

impl Output {
    /// Returns the records as they are printed.
    pub(crate) fn text(&self, measured: &Measured) -> String {
        let Measured { records, tables } = measured;
        if self.json {
            let lines = records.iter().map(|record| format!("{record}\n"));
            return lines.collect();
        }
        let mut text = self.examples(measured);
        for table in tables {
            text.push_str(&table.text(records));
        }
        text
    }

    /// Returns the first examples of each row of the first table of their kind.
    fn examples(&self, measured: &Measured) -> String {
        let mut counts: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut text = String::new();
        for record in &measured.records {
            let mut tables = measured.tables.iter();
            let table = tables.find(|table| record["kind"] == table.kind);
            let (Some(table), Some(example)) = (table, record["example"].as_str()) else {
                continue;
            };
            let mut labels = table.labels(record);
            labels.push(label(record, "outcome"));
            let count = counts.entry(labels.clone()).or_default();
            *count += 1;
            if *count <= self.show {
                text.push_str(&format!("---- {}\n{example}\n\n", labels.join(", ")));
            }
        }
        text
    }
}

impl Table {
    pub(crate) const fn new(
        kind: &'static str,
        by: &'static [&'static str],
        sums: &'static [&'static str],
    ) -> Table {
        Table { kind, by, sums }
    }

    fn labels(&self, record: &Value) -> Vec<String> {
        self.by.iter().map(|name| label(record, name)).collect()
    }

    /// Returns the table in Markdown; nothing without records.
    fn text(&self, records: &[Value]) -> String {
        let own = records.iter().filter(|record| record["kind"] == self.kind);
        let own: Vec<&Value> = own.collect();
        let mut rows: BTreeMap<Vec<String>, Vec<&Value>> = BTreeMap::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for record in &own {
            rows.entry(self.labels(record)).or_default().push(record);
            if record.get("outcome").is_some() && !self.by.contains(&"outcome") {
                *counts.entry(label(record, "outcome")).or_default() += 1;
            }
        }
        let mut outcomes: Vec<String> = counts.keys().cloned().collect();
        outcomes.sort_by_key(|outcome| Reverse(counts[outcome]));
        if rows.is_empty() {
            return String::new();
        }
        let mut rows: Vec<(Vec<String>, Vec<&Value>)> = rows.into_iter().collect();
        // Records that are rows of their own are not counted.
        let is_counted = rows.len() < own.len();
        if is_counted && rows.len() > 1 {
            let mut all = vec![String::new(); self.by.len()];
            all[0] = "all".to_string();
            rows.push((all, own));
        }
        let mut head: Vec<String> = self.by.iter().map(|label| label.to_string()).collect();
        head.extend(is_counted.then(|| "number".to_string()));
        head.extend(outcomes.iter().cloned());
        head.extend(self.sums.iter().map(|sum| sum.to_string()));
        let labels = self.by.len();
        let numbers = "--:|".repeat(head.len() - labels);
        let rule = format!("{}{numbers}", "---|".repeat(labels));
        let mut text = format!("{}:\n\n| {} |\n|{rule}\n", self.kind, head.join(" | "));
        for (key, records) in &rows {
            let mut cells = key.clone();
            cells.extend(is_counted.then(|| records.len().to_string()));
            cells.extend(outcomes.iter().map(|outcome| share(records, outcome)));
            cells.extend(self.sums.iter().map(|name| summed(records, name)));
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        text + "\n"
    }
}

/// Returns a label of a record as text.
fn label(record: &Value, name: &str) -> String {
    match &record[name] {
        Value::String(text) => text.replace('|', "\\|"),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Returns how many records have an outcome, and their share.
fn share(records: &[&Value], outcome: &str) -> String {
    let own = records
        .iter()
        .filter(|record| label(record, "outcome") == outcome);
    match own.count() {
        0 => "0".to_string(),
        count => format!(
            "{count} ({:.1} %)",
            100.0 * count as f64 / records.len() as f64
        ),
    }
}

/// Returns the sum of a number, or the ratio of two sums.
fn summed(records: &[&Value], name: &str) -> String {
    let sum = |name: &str| -> f64 {
        let numbers = records.iter().filter_map(|record| record[name].as_f64());
        numbers.sum()
    };
    match name.split_once('/') {
        None if records.iter().all(|record| record[name].is_null()) => String::new(),
        Some((_, of)) if sum(of) == 0.0 => String::new(),
        Some((part, of)) => format!("{:.3}", sum(part) / sum(of)),
        None if sum(name).fract() == 0.0 => format!("{}", sum(name)),
        None => format!("{:.1}", sum(name)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_groups_counts_and_sums_its_records() {
        let record = |tool: &str, outcome: &str, sent: u64| {
            json!({"kind": "call", "tool": tool, "outcome": outcome, "sent": sent, "limit": 10,
                "example": format!("{tool} {sent}")})
        };
        let records = vec![
            record("b", "exact", 1),
            record("a", "wrong", 2),
            record("b", "exact", 3),
            json!({"kind": "other"}),
        ];
        let measured = Measured {
            records,
            tables: vec![Table::new("call", &["tool"], &["sent", "sent/limit"])],
        };
        let output = Output {
            json: false,
            show: 1,
        };
        let expected = "---- b, exact\nb 1\n\n---- a, wrong\na 2\n\ncall:\n\n\
            | tool | number | exact | wrong | sent | sent/limit |\n|---|--:|--:|--:|--:|--:|\n\
            | a | 1 | 0 | 1 (100.0 %) | 2 | 0.200 |\n\
            | b | 2 | 2 (100.0 %) | 0 | 4 | 0.200 |\n\
            | all | 3 | 2 (66.7 %) | 1 (33.3 %) | 6 | 0.200 |\n\n";
        assert_eq!(output.text(&measured), expected);
    }
}
