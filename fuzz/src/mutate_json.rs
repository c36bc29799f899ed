//! Documents of JSON changed without breaking them, so that mutations get behind the parser.
//!
//! Byte by byte nearly every change makes a document that is none. Here a value is exchanged for one that nobody expects, removed,
//! doubled, or takes the place of another one; half of the changes are left to libFuzzer all the same, because the parser is tried
//! as well.

use serde_json::{Number, Value};

/// Changes the documents in the first `size` bytes of `data`; returns how long they are then.
///
/// What holds no documents, and what would become too long, is left to libFuzzer.
pub fn mutate_json(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed) | 1 << 40);
    if random.below(2) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let read: Result<Vec<Value>, _> =
        serde_json::Deserializer::from_slice(&data[..size]).into_iter().collect();
    let Ok(mut documents) = read else { return libfuzzer_sys::fuzzer_mutate(data, size, max_size) };
    if documents.is_empty() {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    for _ in 0..=random.below(3) {
        let which = random.below(documents.len());
        change(&mut documents[which], &mut random);
    }
    let mut text = Vec::new();
    for document in &documents {
        if serde_json::to_writer(&mut text, document).is_err() {
            return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
        }
        text.push(b'\n');
    }
    if text.len() > max_size {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    data[..text.len()].copy_from_slice(&text);
    text.len()
}

/// SplitMix64: small, and the same change for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below `limit`, which is not 0.
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or(0) % limit
    }
}

/// Changes one value somewhere in a document.
fn change(document: &mut Value, random: &mut Random) {
    let count = count(document);
    let other = nth(document, &mut random.below(count)).clone();
    let mut place = random.below(count);
    let value = nth(document, &mut place);
    match (random.below(8), &mut *value) {
        (0 | 1, Value::Array(items)) if !items.is_empty() => {
            let which = random.below(items.len());
            if random.below(2) == 0 {
                items.remove(which);
            } else {
                let twice = items[which].clone();
                items.insert(which, twice);
            }
        }
        (0 | 1, Value::Object(fields)) if !fields.is_empty() => {
            let which = random.below(fields.len());
            let key = fields.keys().nth(which).cloned().unwrap_or_default();
            if random.below(2) == 0 {
                fields.remove(&key);
            } else {
                fields.insert(key, other);
            }
        }
        (0..=4, Value::Number(number)) => *number = hostile_number(number, random),
        (0..=4, Value::Bool(flag)) => *flag = !*flag,
        (0..=4, Value::String(text)) => change_text(text, random),
        (5, value) => *value = other,
        (6, value) => *value = scalar(random),
        (_, Value::Number(number)) => *number = hostile_number(number, random),
        (_, value) => *value = Value::Null,
    }
}

/// Numbers at which arithmetic ends: nothing, the least, the limits of the types, and the neighbours of powers of two.
const NUMBERS: [f64; 16] =
    [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 100.0, 1e-300, 5e-324, 1e9, 1e15, 1e18, 1e19, 1.7e308, -1e18, 9e15];

fn hostile_number(number: &Number, random: &mut Random) -> Number {
    let value = number.as_f64().unwrap_or(0.0);
    let whole = number.as_u64().unwrap_or(0);
    match random.below(8) {
        0 => Number::from_f64(NUMBERS[random.below(NUMBERS.len())]),
        1 => Some(u64::MAX.into()),
        2 => Some(i64::MIN.into()),
        3 => Some((1_u64 << random.below(64)).into()),
        4 => Some((1_u64 << random.below(64)).wrapping_sub(1).into()),
        5 => Number::from_f64(value * 10_f64.powi(i32::try_from(random.below(13)).unwrap_or(0) - 6)),
        6 => Some(whole.wrapping_add(1).into()),
        _ => Some(whole.saturating_sub(1).into()),
    }
    .unwrap_or_else(|| whole.into())
}

fn change_text(text: &mut String, random: &mut Random) {
    let at = text.char_indices().map(|(at, _)| at).nth(random.below(text.len() + 1)).unwrap_or(text.len());
    match random.below(6) {
        0 => text.clear(),
        1 => text.truncate(at),
        2 => text.insert(at, char::from(u8::try_from(random.below(128)).unwrap_or(b'?'))),
        3 => text.insert_str(at, ["\u{202e}", "é", "\u{1b}[31m", "=1+1", "|", "\u{0}"][random.below(6)]),
        4 => *text = text.repeat(2),
        _ => *text = String::from_utf8_lossy(&text.as_bytes()[..text.len() / 2]).into_owned(),
    }
}

fn scalar(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::Null,
        1 => Value::Bool(true),
        2 => Value::String(String::new()),
        3 => Value::Array(Vec::new()),
        4 => Value::Object(serde_json::Map::new()),
        _ => hostile_number(&0.into(), random).into(),
    }
}

/// Values of a document, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum::<usize>(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// The value at a place of the document, counted from itself on; what is left of `place` is counted down.
fn nth<'v>(value: &'v mut Value, place: &mut usize) -> &'v mut Value {
    if *place == 0 {
        return value;
    }
    // Counted before it is entered: a borrow that is returned cannot be looked at first.
    let mut left = *place - 1;
    let skip = |item: &Value, left: &mut usize| {
        let within = count(item);
        let is_in_it = *left < within;
        if !is_in_it {
            *left -= within;
        }
        !is_in_it
    };
    let found = match value {
        Value::Array(items) => {
            let at = items.iter().position(|item| !skip(item, &mut left));
            at.map(|at| &mut items[at])
        }
        Value::Object(fields) => fields.values_mut().find(|item| !skip(item, &mut left)),
        _ => None,
    };
    *place = left;
    nth(found.expect("a place is below the count of the values"), place)
}
