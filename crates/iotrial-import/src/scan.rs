//! What a line that is printed for people says: a number with its unit, and what follows a label.

use iotrial_model::units::ByteSize;

/// A number at the beginning, and its unit: `("64.0", "KiB")` of `64.0KiB`. The number is empty where there is none.
pub(crate) fn number_and_unit(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

/// What follows a label, up to one of `ends` or the end of the line: `libaio` of `ioengine=libaio, iodepth=4`.
pub(crate) fn after<'t>(text: &'t str, label: &str, ends: &[char]) -> Option<&'t str> {
    let (_, rest) = text.split_once(label)?;
    rest.trim_start().split(ends).next()
}

/// A count that follows a label: 4 of `jobs=4): err=`.
pub(crate) fn count_after(text: &str, label: &str) -> Option<u64> {
    number_and_unit(after(text, label, &[])?).0.parse().ok()
}

/// Whole bytes in a unit of 1,024, as storage tools count whatever they call it: `4096`, `4k`, `8KB`, `64KiB`.
pub(crate) fn binary_size(text: &str) -> Option<ByteSize> {
    let (number, unit) = number_and_unit(text);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift).map(ByteSize::bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_where_its_unit_begins() {
        let cases =
            [("64.0KiB", ("64.0", "KiB")), (" 8 KB ", ("8", "KB")), ("7", ("7", "")), ("k", ("", "k"))];
        for (text, expected) in cases {
            assert_eq!(number_and_unit(text), expected, "{text}");
        }
        assert_eq!(count_after("a: (groupid=0, jobs= 4): err= 0", "jobs="), Some(4));
        assert_eq!(count_after("jobs=", "jobs="), None);
        assert_eq!(after("ioengine=libaio, iodepth=4", "iodepth=", &[',']), Some("4"));
    }

    #[test]
    fn sizes_are_whole_and_of_powers_of_two() {
        let bytes = |text| binary_size(text).map(ByteSize::get);
        assert_eq!(["4096", "4k", "8KB", "1MiB"].map(bytes), [4_096, 4_096, 8_192, 1 << 20].map(Some));
        assert_eq!(["1.5k", "4x", "k", "99999999T"].map(bytes), [None; 4]);
    }
}
