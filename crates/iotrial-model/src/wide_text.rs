//! Text in UTF-16 or with a mark, as PowerShell writes it into the files that it redirects to.

use std::borrow::Cow;
use std::char::{DecodeUtf16Error, decode_utf16};

/// The mark that editors and shells of Windows put before UTF-8.
pub const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

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

/// Text as UTF-8 without a mark, out of UTF-16 where it is that. Anything else, text or not, stays as it is.
///
/// # Errors
///
/// Half a character of UTF-16.
pub fn in_plain_utf8(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, [u8]>, DecodeUtf16Error> {
    if let Some(text) = from_utf16(&bytes) {
        return text.map(|text| Cow::Owned(text.into_bytes()));
    }
    if !bytes.starts_with(UTF8_MARK) {
        return Ok(bytes);
    }
    Ok(match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[UTF8_MARK.len()..]),
        Cow::Owned(mut bytes) => {
            bytes.drain(..UTF8_MARK.len());
            Cow::Owned(bytes)
        }
    })
}

/// The same of the beginning of a text, which may end within a character.
pub fn beginning_in_plain_utf8(head: &[u8]) -> Cow<'_, [u8]> {
    // Of a character of two units, the first may be the last that is here.
    let shorter = &head[..(head.len() & !1).saturating_sub(2)];
    let plain = |head| in_plain_utf8(Cow::Borrowed(head)).ok();
    plain(head).or_else(|| plain(shorter)).unwrap_or(Cow::Borrowed(head))
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

    #[test]
    fn what_windows_made_of_a_text_becomes_the_text_again() {
        let wide: Vec<u8> = "\u{feff}título".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in [wide.as_slice(), "\u{feff}título".as_bytes(), "título".as_bytes()] {
            for bytes in [Cow::Borrowed(bytes), Cow::Owned(bytes.to_vec())] {
                assert_eq!(in_plain_utf8(bytes).unwrap(), "título".as_bytes());
            }
        }
        assert_eq!(in_plain_utf8(Cow::Borrowed(&[0, 1, 2])).unwrap(), &[0, 1, 2][..]);
        assert!(in_plain_utf8(Cow::Borrowed(&[0xff, 0xfe, 0x00, 0xd8])).is_err(), "half a character");
    }

    #[test]
    fn a_beginning_is_read_wherever_it_is_cut() {
        let text = "\u{feff}a 💾 b";
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for length in 4..=wide.len() {
            let head = beginning_in_plain_utf8(&wide[..length]);
            assert!("a 💾 b".as_bytes().starts_with(&head) && head.starts_with(b"a"), "{length}: {head:?}");
        }
        assert_eq!(beginning_in_plain_utf8(b""), &b""[..]);
    }
}
