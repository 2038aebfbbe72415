//! Changes a JSON value in one place: removes, duplicates, swaps, wraps or replaces what is there.

use serde_json::{Value, json};

use crate::Choices;

/// Changes one place of `value`. New strings and names are taken from `words`.
pub fn change(value: &mut Value, choices: &mut Choices<'_>, words: &[String]) {
    let other = place(value, choices).clone();
    let place = place(value, choices);
    match choices.below(9) {
        0 => *place = leaf(choices, words),
        1 => *place = other,
        2 => *place = Value::from(place.to_string()),
        3 => *place = json!([place]),
        4 => remove_one(place, choices),
        5 => add_one(place, other, choices, words),
        6 => rename_one(place, choices, words),
        7 => *place = of_another_kind(place),
        _ => alter(place, choices),
    }
}

/// Returns the value itself or a value inside it.
fn place<'v>(value: &'v mut Value, choices: &mut Choices<'_>) -> &'v mut Value {
    let inside = match value {
        Value::Object(object) => object.len(),
        Value::Array(array) => array.len(),
        _ => 0,
    };
    // The value itself is the last choice.
    let chosen = choices.below(inside + 1);
    if chosen == inside {
        return value;
    }
    let inner = match value {
        Value::Object(object) => object.values_mut().nth(chosen),
        Value::Array(array) => array.get_mut(chosen),
        _ => None,
    };
    place(inner.expect("the index is in range"), choices)
}

fn leaf(choices: &mut Choices<'_>, words: &[String]) -> Value {
    match choices.below(8) {
        0 => Value::Null,
        1 => json!(choices.one_in(2)),
        2 => json!(i64::from(choices.byte()) - 8),
        3 => json!(u64::MAX - u64::from(choices.byte())),
        4 => json!(f64::from(choices.byte()) * 1e300),
        5 => json!({}),
        6 => json!([]),
        _ => Value::from(word(choices, words)),
    }
}

fn word(choices: &mut Choices<'_>, words: &[String]) -> String {
    choices.of(words).cloned().unwrap_or_default()
}

fn remove_one(value: &mut Value, choices: &mut Choices<'_>) {
    match value {
        Value::Object(object) => {
            let name = object.keys().nth(choices.below(object.len())).cloned();
            name.and_then(|name| object.shift_remove(&name));
        }
        Value::Array(array) if !array.is_empty() => {
            array.remove(choices.below(array.len()));
        }
        other => *other = Value::Null,
    }
}

fn add_one(value: &mut Value, new: Value, choices: &mut Choices<'_>, words: &[String]) {
    match value {
        Value::Object(object) => {
            object.insert(word(choices, words), new);
        }
        Value::Array(array) => array.insert(choices.below(array.len() + 1), new),
        Value::String(text) => text.push_str(&word(choices, words)),
        other => *other = new,
    }
}

fn rename_one(value: &mut Value, choices: &mut Choices<'_>, words: &[String]) {
    if let Value::Object(object) = value {
        let name = object.keys().nth(choices.below(object.len())).cloned();
        if let Some(inner) = name.and_then(|name| object.shift_remove(&name)) {
            object.insert(word(choices, words), inner);
        }
    } else {
        *value = Value::from(word(choices, words));
    }
}

/// Converts a number to a string, a string to a number, an object to a list.
fn of_another_kind(value: &Value) -> Value {
    match value {
        Value::String(text) => text
            .parse()
            .map_or(json!(text.len()), |number: i64| json!(number)),
        Value::Object(object) => object.values().cloned().collect(),
        Value::Array(array) => array.first().cloned().unwrap_or_default(),
        other => Value::from(other.to_string()),
    }
}

/// Changes a number or a text slightly.
fn alter(value: &mut Value, choices: &mut Choices<'_>) {
    match value {
        Value::Number(number) => {
            let by = i64::from(choices.byte()) - 128;
            let altered = number.as_i64().map(|number| number.wrapping_add(by));
            *value = json!(altered.unwrap_or(by));
        }
        Value::String(text) => {
            let characters: Vec<char> = text.chars().collect();
            let at = choices.below(characters.len());
            let new = char::from(choices.byte());
            let altered = characters.iter().enumerate();
            *text = altered
                .map(|(index, old)| if index == at { new } else { *old })
                .collect();
        }
        Value::Bool(flag) => *flag = !*flag,
        _ => {}
    }
}
