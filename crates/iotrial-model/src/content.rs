//! What a document says, apart from how it is written down: a digest that identifies it, and names that belong to a content.
//!
//! The order of keys, white space, comments and the form of a number are how it is written. A profile that somebody printed and
//! annotated is the same profile, and a record that another program laid out anew is the same record.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write as _};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use sha2::{Digest as _, Sha256};

/// The digest of a TOML document, in hexadecimal digits; `None` where it is not one.
pub fn digest_of_toml(text: &str) -> Option<String> {
    // An editor of Windows ends lines in another way, also those within a string.
    let text = text.replace("\r\n", "\n");
    let document = toml::de::Deserializer::parse(&text).ok()?;
    let mut hash = Sha256::new();
    Feed::to(&mut hash).deserialize(document).ok()?;
    Some(in_hexadecimal(hash))
}

/// The digest of several contents in their order.
pub fn digest_of_digests<'d>(digests: impl IntoIterator<Item = &'d str>) -> String {
    let mut hash = Sha256::new();
    for digest in digests {
        hash.update(digest);
        hash.update("\n");
    }
    in_hexadecimal(hash)
}

/// The name of the built-in document that a text claims to be and is not: it has that name, and other content.
///
/// `builtins` has the names and texts of all. What [`reads_like`] a name is no other name: `Flash` and `flash ` are `flash`.
pub fn falsely_named<'b>(
    name: &str,
    text: &str,
    builtins: impl IntoIterator<Item = (&'b str, &'b str)>,
) -> Option<&'b str> {
    let (known, original) = builtins.into_iter().find(|(known, _)| reads_like(known, name))?;
    // Most are the built-in ones as they are, and need not be parsed.
    (text != original && digest_of_toml(text) != digest_of_toml(original)).then_some(known)
}

/// Whether a reader takes a name for that of something built in, which is in ASCII: they differ in case, in punctuation, or in letters of
/// another script in a name that is ASCII for the most part. Such a letter may look like any, and a ligature like three. A name in another
/// script is a name of its own.
pub fn reads_like(builtin: &str, name: &str) -> bool {
    let meant: Vec<char> = builtin
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let (mut plain, mut foreign) = (0, 0);
    // Where in the meant name one can be. All ways at once, because a name of a stranger has as many letters as the stranger likes.
    let mut places = BTreeSet::from([0]);
    for letter in name.chars().map(|letter| narrow(letter).to_ascii_lowercase()) {
        let lengths = match (letter.is_ascii(), letter.is_alphanumeric()) {
            (true, false) => continue,
            (true, true) => 1..=1,
            (false, true) => 1..=3,
            // A dash is nothing, and a vertical bar is an `l`.
            (false, false) => 0..=1,
        };
        plain += usize::from(letter.is_ascii());
        foreign += usize::from(!letter.is_ascii() && letter.is_alphanumeric());
        let is_part = |part: &[char]| !letter.is_ascii() || part == [letter];
        let ends = |at: &usize| {
            let at = *at;
            let ends = lengths.clone().map(move |length| at + length);
            ends.filter(|end| meant.get(at..*end).is_some_and(is_part)).collect::<Vec<_>>()
        };
        places = places.iter().flat_map(ends).collect();
    }
    plain >= foreign && places.contains(&meant.len())
}

/// The ASCII character of a full-width one.
fn narrow(letter: char) -> char {
    match letter {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(letter) - 0xFEE0).unwrap_or(letter),
        _ => letter,
    }
}

/// The name under which something is shown that may be other than the built-in of its name. It may be the built-in of another version, so
/// that nothing is said of who changed it.
pub fn shown_name(name: &str, differs: bool) -> Cow<'_, str> {
    if differs { format!("{name} (differs from the built-in)").into() } else { name.into() }
}

/// The key of a record that has the digest of all others.
pub const CHECKSUM: &str = "checksum";

/// What the checksum in a record says of the record. It finds a change by accident or by hand. Whoever wants to deceive can compute it
/// anew: it is no signature.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Checksum {
    /// There is none, as in records of older versions and of other programs.
    #[default]
    Absent,
    /// There is one, and nobody has held it against the record: [`Checksum::check`] does.
    Unchecked,
    /// It is that of the content.
    Matches,
    /// Something was changed after the record was written.
    Differs,
}

impl Checksum {
    /// Holds the checksum in the JSON text of a record against its content.
    ///
    /// # Errors
    ///
    /// When it is not a JSON document.
    pub fn check(json: &[u8]) -> serde_json::Result<Self> {
        let (digest, stated) = digest_of_json(json)?;
        Ok(match stated {
            None => Self::Absent,
            Some(stated) if stated == digest => Self::Matches,
            Some(_) => Self::Differs,
        })
    }
}

/// As a field of a record. What it is worth only the text of the whole record can tell.
impl<'de> Deserialize<'de> for Checksum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|_| Self::Unchecked)
    }
}

/// The checksum of a record: the digest of its JSON text without the key of that name.
///
/// # Errors
///
/// When it cannot be read, or is not a JSON document.
pub fn checksum_of(json: impl io::Read) -> serde_json::Result<String> {
    digest_from(&mut serde_json::Deserializer::from_reader(json)).map(|(digest, _)| digest)
}

fn digest_of_json(json: &[u8]) -> serde_json::Result<(String, Option<String>)> {
    digest_from(&mut serde_json::Deserializer::from_slice(json))
}

/// The digest, and the one that the document states itself.
fn digest_from<'de, R: serde_json::de::Read<'de>>(
    document: &mut serde_json::Deserializer<R>,
) -> serde_json::Result<(String, Option<String>)> {
    let (mut hash, mut stated) = (Sha256::new(), None);
    Feed { hash: &mut hash, checksum: Some(&mut stated) }.deserialize(&mut *document)?;
    document.end()?;
    Ok((in_hexadecimal(hash), stated))
}

fn in_hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Feeds a value to a hash as it is read, so that a record of a hundred megabytes needs no second copy of itself.
///
/// Words, whole numbers and strings as JSON writes them; other numbers as `f` and the 16 hexadecimal digits of their IEEE 754 form; of a list
/// its values, each with a comma behind it; of a table the digests of its members, `"key":value`, in ascending order.
struct Feed<'h> {
    hash: &'h mut Sha256,
    /// Where the checksum goes that the outermost table states; it is not fed.
    checksum: Option<&'h mut Option<String>>,
}

impl<'h> Feed<'h> {
    fn to(hash: &'h mut Sha256) -> Self {
        Self { hash, checksum: None }
    }

    fn text<E: Error>(self, text: &str) -> Result<(), E> {
        serde_json::to_writer(self.hash, text).map_err(E::custom)
    }

    fn word<E: Error>(self, word: impl fmt::Display) -> Result<(), E> {
        write!(self.hash, "{word}").map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Feed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Feed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.word("null")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<(), E> {
        self.word(flag)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.word(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.word(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        // Programs write 2.0 as 2, and both are the same number.
        if number.fract() == 0.0 && number.abs() < EXACT {
            // No zero has a sign here.
            return self.word(number + 0.0);
        }
        // The letter in front, because the digits alone may be those of a whole number.
        self.word(format_args!("f{:016x}", number.to_bits()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.text(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.hash.update("[");
        while list.next_element_seed(Feed::to(self.hash))?.is_some() {
            self.hash.update(",");
        }
        self.hash.update("]");
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut table: A) -> Result<(), A::Error> {
        let mut members: Vec<[u8; 32]> = Vec::new();
        while let Some(key) = table.next_key::<String>()? {
            if let Some(stated) = self.checksum.as_mut().filter(|_| key == CHECKSUM) {
                // Anything but a text is a checksum that does not match.
                **stated = Some(match table.next_value::<serde_json::Value>()? {
                    serde_json::Value::String(text) => text,
                    other => other.to_string(),
                });
                continue;
            }
            let mut member = Sha256::new();
            Feed::to(&mut member).text::<A::Error>(&key)?;
            member.update(":");
            table.next_value_seed(Feed::to(&mut member))?;
            members.push(member.finalize().into());
        }
        // By digest and not by key, which is as good an order and needs no keys.
        members.sort_unstable();
        self.hash.update("{");
        members.iter().for_each(|member| self.hash.update(member));
        self.hash.update("}");
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const BUILTIN: (&str, &str) =
        ("flash", "name = \"flash\"\n# why\nedge = \"5ms\"\nlong = \"\"\"\na\nb\"\"\"\n");

    fn digest(json: &str) -> String {
        digest_of_json(json.as_bytes()).unwrap().0
    }

    #[test]
    fn the_form_of_a_document_is_not_its_content() {
        let original = r#"{"a":[1,2.5,-0.0,null,true],"b":{"c":"é\n","d":1e-7},"n":18446744073709551615}"#;
        for other in [
            r#"{ "n": 18446744073709551615, "b": {"d": 0.0000001, "c": "\u00e9\u000a"}, "a": [1.0, 25e-1, 0, null, true] }"#,
            "{\n\t\"a\":[1,2.5,0.0,null,true],\n\"checksum\":\"x\",\"b\":{\"c\":\"é\\n\",\"d\":1e-7},\"n\":18446744073709551615\n}\n",
        ] {
            assert_eq!(digest(other), digest(original), "{other}");
        }
    }

    #[test]
    fn every_change_of_a_value_a_key_or_a_place_is_another_content() {
        let all = [
            "{}",
            "[]",
            "null",
            "[[]]",
            "[1,2]",
            "[2,1]",
            "[12]",
            "[1.5]",
            "[-1]",
            r#"["1"]"#,
            r#"{"a":1}"#,
            r#"{"b":1}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":1,"b":1}"#,
            // Only the checksum of the document itself is left out.
            r#"{"a":{"checksum":1}}"#,
            r#"{"a":{"checksum":2}}"#,
            r#"{"a":18446744073709551615}"#,
            r#"{"a":18446744073709551614}"#,
            r#"{"a":0.1}"#,
            r#"{"a":0.10000000000000002}"#,
            // The second has the digits of the first in IEEE 754 form.
            "2.5",
            "4004000000000000",
        ];
        let mut digests: Vec<String> = all.iter().map(|one| digest(one)).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), all.len());
    }

    #[test]
    fn a_checksum_matches_the_document_that_it_is_of() {
        let sum = digest(r#"{"a":1}"#);
        let check = |text: &str| Checksum::check(text.as_bytes()).unwrap();
        assert_eq!(check(r#"{"a":1}"#), Checksum::Absent);
        assert_eq!(check(&format!(r#"{{"a":1,"checksum":"{sum}"}}"#)), Checksum::Matches);
        assert_eq!(check(&format!(r#"{{ "checksum" : "{sum}", "a": 1 }}"#)), Checksum::Matches);
        assert_eq!(check(&format!(r#"{{"a":2,"checksum":"{sum}"}}"#)), Checksum::Differs);
        assert_eq!(check(r#"{"a":1,"checksum":7}"#), Checksum::Differs);
        assert!(Checksum::check(b"{\"a\":1}\n{\"a\":2}\n").is_err());
    }

    #[test]
    fn a_name_belongs_to_its_content_whatever_its_comments_and_its_case() {
        let check = |name: &str, text: &str, expected: Option<&str>| {
            assert_eq!(falsely_named(name, text, [BUILTIN]), expected, "{name}: {text}");
        };
        let (name, text) = BUILTIN;
        check(name, text, None);
        check(name, &format!("# ours\n{}", text.replace(" = ", "=")), None);
        check(name, &text.replace('\n', "\r\n"), None);
        check(name, &text.replace("5ms", "5s"), Some(name));
        check("ours", &text.replace("5ms", "5s"), None);
        let full_width = "\u{FF26}\u{FF4C}\u{FF41}\u{FF53}\u{FF48}";
        // A Cyrillic letter, a ligature, an accent of its own, a bar, and a character that cannot be seen.
        let foreign =
            ["fl\u{430}sh", "\u{FB02}ash", "fla\u{301}sh", "f\u{2223}ash", "fl\u{200B}ash", full_width];
        for like in ["Flash", " flash", "fl-ash", "FLASH."].into_iter().chain(foreign) {
            check(like, &text.replace("\"flash\"", &format!("\"{like}\"")), Some(name));
        }
        // The second is Greek through and through.
        for another in
            ["flashy", "\u{3B1}\u{3C3}\u{3C4}\u{3C1}\u{3B1}", "fl\u{430}s", "\u{FB02}ashing", "", "\u{2014}"]
        {
            check(another, &text.replace("5ms", "5s"), None);
        }
        let long = format!("{}flash", "\u{200B}".repeat(10_000));
        check(&long, &text.replace("5ms", "5s"), Some(name));
    }
}
