//! Text in UTF-16, as PowerShell writes it into the files that it redirects to.

use std::char::{DecodeUtf16Error, decode_utf16};

/// The text of bytes that are UTF-16: with a mark, or of plain characters mostly. `None` where they are something else.
///
/// # Errors
///
/// Half a character, which no text has. A zero character in the text is data of another kind, and is for the caller to judge.
pub fn from_utf16(bytes: &[u8]) -> Option<Result<String, DecodeUtf16Error>> {
    /// Two bytes in the order of the text.
    type Unit = fn([u8; 2]) -> u16;
    let (wide, unit): (&[u8], Unit) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => (rest, u16::from_be_bytes),
        // Without a mark, plain characters still have one byte of zero each, before or behind by the order of
        // bytes.
        [first, 0, ..] if *first != 0 && half_is_zero(bytes) => (bytes, u16::from_le_bytes),
        [0, second, ..] if *second != 0 && half_is_zero(bytes) => (bytes, u16::from_be_bytes),
        _ => return None,
    };
    let units = wide.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    Some(decode_utf16(units).collect())
}

/// Whether nearly every other byte is zero, as in plain characters of two bytes.
fn half_is_zero(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(256)];
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    // From 40 to 50 % of the bytes: nearly all characters are plain. A program with many zeros has more or
    // fewer.
    (2 * head.len()..=5 * head.len() / 2).contains(&(5 * zeros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_either_order_is_read_with_a_mark_and_without_and_nothing_else_is() {
        let wide = |text: &str, unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(unit).collect()
        };
        let check = |bytes: &[u8], expected: Option<&str>| {
            assert_eq!(from_utf16(bytes).map(|text| text.unwrap()).as_deref(), expected);
        };
        check(&wide("\u{feff}título", u16::to_le_bytes), Some("título"));
        check(&wide("\u{feff}título", u16::to_be_bytes), Some("título"));
        check(&wide("unmarked text", u16::to_le_bytes), Some("unmarked text"));
        check(b"plain", None);
        check(b"", None);
        check(b"\x7fELF\x02\x01\x01\x00\x00\x00", None);
        assert!(from_utf16(&[0xff, 0xfe, 0x00, 0xd8]).unwrap().is_err(), "half a character");
    }
}
