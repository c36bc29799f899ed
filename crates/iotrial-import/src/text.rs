//! The text of a stranger's file: unpacked, decoded, and within limits before any reader begins.

use std::borrow::Cow;
use std::io::Read;

use iotrial_model::imported::{Stated, Warning};
use iotrial_model::wide_text::{UTF8_MARK, beginning_in_plain_utf8, from_utf16, in_plain_utf8};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};

use crate::ImportError;

// A choice (docs/import.md): everything that is read is in memory at once.
/// No larger file of another tool is read, packed or not: what its results take in memory is several times what they take in
/// the file.
pub const MOST_BYTES: usize = 64 << 20;
/// With so much of a file a first block of Zstandard is whole, which has at most 128 KiB, and can be unpacked.
pub const HEAD_BYTES: usize = 192 << 10;
/// What of a beginning is looked at, unpacked.
const HEAD_UNPACKED: usize = 4_096;
/// Warnings of one file beyond these are only counted.
// A choice: more warnings of one file are not read.
const MOST_WARNINGS: usize = 50;
/// What is quoted of a stranger's text.
// Long enough to recognise a line by, short enough for a line on a terminal.
const LONGEST_QUOTE: usize = 60;
/// The same of what a tool says of itself: with a path, such a line of fio has twice as much.
const LONGEST_MESSAGE: usize = 300;
/// A path through a document with keys that no tool wrote is longer.
const LONGEST_PLACE: usize = 200;
/// What is kept of one option; lists of files are longer than anything else.
const LONGEST_KEPT: usize = 16_384;

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Unpacks gzip and Zstandard, to at most so many bytes; anything else stays as it is.
///
/// # Errors
///
/// When it is packed and broken, or would be larger.
pub fn unpack(bytes: &[u8], most: usize) -> Result<Cow<'_, [u8]>, ImportError> {
    let Some(mut packed) = Packed::of(bytes)? else { return Ok(Cow::Borrowed(bytes)) };
    let mut unpacked = Vec::new();
    let read = packed.by_ref().take(most as u64 + 1).read_to_end(&mut unpacked);
    read.map_err(|error| ImportError::Packed { message: error.to_string() })?;
    if unpacked.len() > most {
        return Err(ImportError::too_large(most));
    }
    if packed.is_damaged() {
        return Err(ImportError::Packed { message: "its checksum does not match its content".to_owned() });
    }
    Ok(Cow::Owned(unpacked))
}

/// The same as UTF-8 without a mark, whatever PowerShell or an editor of Windows made of it. Bytes that are no text stay as they are.
///
/// # Errors
///
/// As of [`unpack`], and of UTF-16 with half a character.
pub fn unpack_text(bytes: &[u8], most: usize) -> Result<Cow<'_, [u8]>, ImportError> {
    in_plain_utf8(unpack(bytes, most)?).map_err(|_| ImportError::Binary)
}

/// The reader that unpacks.
enum Packed<'b> {
    Gzip(Box<flate2::read::MultiGzDecoder<&'b [u8]>>),
    Zstd(Box<StreamingDecoder<&'b [u8], FrameDecoder>>),
}

impl<'b> Packed<'b> {
    /// `None` of what is not packed.
    fn of(bytes: &'b [u8]) -> Result<Option<Self>, ImportError> {
        Ok(if bytes.starts_with(&GZIP_MAGIC) {
            Some(Self::Gzip(Box::new(flate2::read::MultiGzDecoder::new(bytes))))
        } else if bytes.starts_with(&ZSTD_MAGIC) {
            let decoder = StreamingDecoder::new(bytes);
            let decoder = decoder.map_err(|error| ImportError::Packed { message: error.to_string() })?;
            Some(Self::Zstd(Box::new(decoder)))
        } else {
            None
        })
    }

    /// Whether what came out, all of it, is something else than what was packed.
    fn is_damaged(&self) -> bool {
        match self {
            // Its reader compares the checksum itself.
            Self::Gzip(_) => false,
            // This one leaves it to whoever reads. A flipped bit mostly unpacks to another text that is as valid.
            Self::Zstd(decoder) => {
                let frame = &decoder.decoder;
                let stated = frame.get_checksum_from_data();
                stated.is_some_and(|stated| frame.get_calculated_checksum() != Some(stated))
            }
        }
    }
}

impl Read for Packed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Gzip(reader) => reader.read(bytes),
            Self::Zstd(reader) => reader.read(bytes),
        }
    }
}

/// Whether it begins as gzip and Zstandard do.
pub(crate) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(&GZIP_MAGIC) || bytes.starts_with(&ZSTD_MAGIC)
}

/// The beginning of what a file holds, unpacked and in UTF-8, from the first [`HEAD_BYTES`] of the file: what it is can be told from it
/// before the rest is read. Empty where it cannot be unpacked.
pub fn head_of(bytes: &[u8]) -> Vec<u8> {
    match Packed::of(bytes) {
        Ok(None) => beginning_in_plain_utf8(&bytes[..bytes.len().min(HEAD_UNPACKED)]).into_owned(),
        // The rest is missing, so that an error at the end is none.
        Ok(Some(packed)) => {
            let mut head = Vec::new();
            let _ = packed.take(HEAD_UNPACKED as u64).read_to_end(&mut head);
            beginning_in_plain_utf8(&head).into_owned()
        }
        Err(_) => Vec::new(),
    }
}

/// Why a file beyond [`MOST_BYTES`] is not read, by its first bytes: one that a test worked on is no result, however large it is.
pub fn refusal_of_large(head: &[u8]) -> ImportError {
    let head = &head[..head.len().min(4_096)];
    match unpack(head, MOST_BYTES).and_then(|head| decode(&head, &mut Notes::default()).map(drop)) {
        Err(error) if error.is_foreign() => error,
        _ => ImportError::too_large(MOST_BYTES),
    }
}

/// The text of a file that a person wrote, packed or not, in any encoding that a result may have. One with characters that
/// cannot be read is refused: what would take their place was not written by anybody.
///
/// # Errors
///
/// When it is too large, packed and broken, or no text.
pub fn text_of(bytes: &[u8]) -> Result<String, ImportError> {
    if bytes.len() > MOST_BYTES {
        return Err(refusal_of_large(bytes));
    }
    let mut notes = Notes::default();
    let unpacked = unpack(bytes, MOST_BYTES)?;
    let text = match decode(&unpacked, &mut notes) {
        // A person may well leave a file empty, which is for its reader to judge.
        Err(ImportError::Empty) => return Ok(String::new()),
        text => text?.into_owned(),
    };
    match notes.take().into_iter().next() {
        Some(warning) => Err(ImportError::Encoding { place: warning.place }),
        None => Ok(text),
    }
}

/// The text: UTF-8 with or without a mark, or UTF-16 as PowerShell writes it. Single bytes that are not UTF-8
/// (a name in another code page) are replaced, with a warning.
pub(crate) fn decode<'b>(bytes: &'b [u8], notes: &mut Notes) -> Result<Cow<'b, str>, ImportError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ImportError::Empty);
    }
    if let Some((what, hint)) = archive_of(bytes) {
        return Err(ImportError::Archive { what, hint });
    }
    if let Some(text) = from_utf16(bytes) {
        let text = text.map_err(|_| ImportError::Binary)?;
        // A zero character in text is data of another kind.
        return if text.contains('\0') { Err(ImportError::Binary) } else { Ok(Cow::Owned(text)) };
    }
    if bytes.contains(&0) {
        return Err(ImportError::Binary);
    }
    let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(error) => {
            let spoilt = bytes.iter().filter(|byte| !byte.is_ascii()).count();
            // A tenth: names in a Western code page have a few such bytes, programs and images have mostly
            // such bytes. Text in Cyrillic or Greek has as many, and unlike those lines, and no control characters but theirs.
            if spoilt > bytes.len() / 10 && !is_in_code_page(bytes) {
                return Err(ImportError::Binary);
            }
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            notes.warn(
                format!("line {line}"),
                "is not UTF-8; characters that cannot be read are replaced".to_owned(),
            );
            Ok(Cow::Owned(String::from_utf8_lossy(bytes).into_owned()))
        }
    }
}

/// What else files are packed in, by their first bytes: a name in words, and what to do with it.
fn archive_of(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const UNPACK: &str = "unpack it, and give what is in it";
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    // A header of tar has its mark behind the name of the first file.
    if bytes.get(257..262) == Some(b"ustar") {
        return Some(("a tar archive", UNPACK));
    }
    [
        (&b"PK\x03\x04"[..], "a ZIP archive or a workbook", UNPACK),
        (b"\xfd7zXZ\0", "compressed with xz", UNPACK),
        (b"BZh", "compressed with bzip2", UNPACK),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
        // SYSSTAT_MAGIC, 0xd596, of a machine that stores the low byte first.
        (b"\x96\xd5", "a data file of sysstat (sa)", "`sadf -j FILE -- -b -d` writes what iotrial reads"),
    ]
    .into_iter()
    .find(|(magic, ..)| starts(magic))
    .map(|(_, what, hint)| (what, hint))
}

/// Whether bytes are lines of text in some code page: what tools write in plain characters is read, and the others are replaced.
fn is_in_code_page(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    // Four lines: programs and images without a control character in a hundred bytes do not occur.
    bytes.iter().filter(|byte| **byte == b'\n').count() >= 4 && !bytes.iter().any(is_control)
}

/// Warnings as they come up, within a limit.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    warnings: Vec<Warning>,
    more: usize,
}

impl Notes {
    pub(crate) fn warn(&mut self, place: impl Into<String>, message: impl Into<String>) {
        if self.warnings.len() < MOST_WARNINGS {
            // It may contain keys of a stranger's file.
            let place = cut(&place.into(), LONGEST_PLACE);
            self.warnings.push(Warning { place, message: message.into() });
        } else {
            // Counted beyond the limit, so that the summary can say how many there were.
            self.more += 1;
        }
    }

    /// Of a line, from 1.
    pub(crate) fn warn_line(&mut self, line: usize, message: impl Into<String>) {
        self.warn(format!("line {line}"), message);
    }

    /// The warnings so far; it goes on with none.
    pub(crate) fn take(&mut self) -> Vec<Warning> {
        let more = std::mem::take(&mut self.more);
        let mut warnings = std::mem::take(&mut self.warnings);
        if more > 0 {
            let message = format!("{more} more values were not understood");
            warnings.push(Warning { place: "the rest".to_owned(), message });
        }
        warnings
    }
}

/// A stranger's text as it may stand in a message: short, and without control characters.
pub(crate) fn quote(text: &str) -> String {
    cut(text.trim(), LONGEST_QUOTE)
}

/// What a tool says of itself, as it may stand in a message: at its end is mostly why it failed.
pub(crate) fn quote_message(text: &str) -> String {
    cut(text.trim(), LONGEST_MESSAGE)
}

/// A stranger's text as it is kept in a record: whole, unless nobody would have written it.
pub(crate) fn kept(text: &str) -> String {
    cut(text.trim(), LONGEST_KEPT)
}

fn cut(text: &str, longest: usize) -> String {
    // Most are a name or a number.
    if text.len() <= longest && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    // Control characters could change a terminal or the structure of a report.
    let mut cut: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(longest).collect();
    if text.chars().nth(longest).is_some() {
        cut.push('…');
    }
    cut
}

/// Lines with their numbers from 1.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// A text without the colours and other marks of a terminal: `ESC [ 32 m`.
pub(crate) fn without_escapes(text: &str) -> Cow<'_, str> {
    const ESCAPE: &str = "\u{1b}[";
    if !text.contains(ESCAPE) {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split(ESCAPE);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_end = |c: char| matches!(c, '@'..='~');
        // Parameters are digits and a few signs. Without an end it is none, and stays.
        let end = part
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, ';' | '?' | ':'))
            .filter(|end| part[*end..].starts_with(is_end));
        plain.push_str(end.map_or(part, |end| &part[end + 1..]));
    }
    Cow::Owned(plain)
}

/// A text without what a log, a mail or a prompt put before each of its lines: a time, the name of a container, `> `. What stands
/// before one of the words that begin a line of the tool shows it. Times differ from line to line, so that digits stand for digits.
pub(crate) fn without_prefixes<'t>(text: &'t str, at_line_start: &[&str]) -> Cow<'t, str> {
    // A choice: longer than any log has, and short enough that a sentence with the word in it costs nothing.
    const LONGEST: usize = 160;
    const TRIES: usize = 8;
    let prefix_of = |line: &'t str| {
        at_line_start.iter().find_map(|word| {
            let at = line.find(word).filter(|at| (1..=LONGEST).contains(at))?;
            let is_indented = line[..at].trim().is_empty();
            (!is_indented).then_some(&line[..at])
        })
    };
    // What has such a line without anything before it has no prefix.
    if text.lines().any(|line| at_line_start.iter().any(|word| line.trim_start().starts_with(word))) {
        return Cow::Borrowed(text);
    }
    let is_on_most = |prefix: &&str| {
        let lines = || text.lines().filter(|line| !line.trim().is_empty());
        let with = lines().filter(|line| behind_prefix(line, prefix).is_some()).count();
        // Two in three: messages of others may stand between.
        with >= 2 && 3 * with >= 2 * lines().count()
    };
    let Some(prefix) = text.lines().filter_map(prefix_of).take(TRIES).find(is_on_most) else {
        return Cow::Borrowed(text);
    };
    let lines: Vec<&str> = text.lines().map(|line| behind_prefix(line, prefix).unwrap_or(line)).collect();
    Cow::Owned(lines.join("\n"))
}

/// What follows a prefix, whatever its digits are. Editors and logs cut blanks at the end of a line.
fn behind_prefix<'l>(line: &'l str, prefix: &str) -> Option<&'l str> {
    let (mut left, mut wanted) = (line, prefix);
    let is_digit = |c: char| c.is_ascii_digit();
    // Numbers of lines are flush right.
    if wanted.trim_start().starts_with(is_digit) {
        (left, wanted) = (left.trim_start(), wanted.trim_start());
    }
    while let Some(first) = wanted.chars().next() {
        if is_digit(first) {
            let rest = left.trim_start_matches(is_digit);
            if rest.len() == left.len() {
                return None;
            }
            (left, wanted) = (rest, wanted.trim_start_matches(is_digit));
        } else if let Some(rest) = left.strip_prefix(first) {
            (left, wanted) = (rest, &wanted[first.len_utf8()..]);
        } else {
            return (left.is_empty() && wanted.trim().is_empty()).then_some(left);
        }
    }
    Some(left)
}

/// A number in a field that should hold one; a warning where it does not. A field that is empty, or says that
/// there is nothing, holds none.
pub(crate) fn number(field: &str, place: impl FnOnce() -> String, notes: &mut Notes) -> Option<Stated> {
    let field = field.trim();
    // These are how tools say «none»; a warning for each would hide the others.
    if field.is_empty() || field.eq_ignore_ascii_case("n/a") || field == "-" {
        return None;
    }
    let stated = Stated::parse(field).filter(|stated| stated.value >= 0.0);
    if stated.is_none() {
        notes.warn(place(), format!("`{}` is not a number of zero or more", quote(field)));
    }
    stated
}

/// The same of a count.
pub(crate) fn count(field: &str, place: impl FnOnce() -> String, notes: &mut Notes) -> Option<u64> {
    let stated = number(field, place, notes)?;
    // Up to 2^53 every whole number is exact.
    (stated.value < 9e15).then(|| as_count(stated))
}

/// A number that [`number`] has read as a count, without its fraction. One that is too large becomes the largest count, which the check
/// of the finished record refuses, instead of wrapping around to a believable one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "not negative, and floats saturate"
)]
pub(crate) fn as_count(stated: Stated) -> u64 {
    stated.value as u64
}

/// Whether a line is of a kind. A text of many lines is looked at line by line only where a word of such lines is in it at all: that is
/// fast over a large text, a function for each line is not.
pub(crate) fn has_line(text: &str, word: &str, is_it: fn(&str) -> bool) -> bool {
    text.contains(word) && text.lines().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let decoded = unpack(bytes, MOST_BYTES)
            .and_then(|bytes| Ok(decode(&bytes, &mut Notes::default())?.into_owned()));
        match (decoded, expected) {
            (Ok(text), Ok(expected)) => assert_eq!(text, expected),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (found, expected) => panic!("{found:?} and not {expected:?}"),
        }
    }

    #[test]
    fn text_is_decoded_from_what_windows_writes() {
        let wide = |text: &str, unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(unit).collect()
        };
        check(b"plain", Ok("plain"));
        check(b"\xef\xbb\xbfmarked", Ok("marked"));
        check(&wide("\u{feff}wide", u16::to_le_bytes), Ok("wide"));
        check(&wide("\u{feff}wide", u16::to_be_bytes), Ok("wide"));
        check(&wide("unmarked", u16::to_le_bytes), Ok("unmarked"));
        check(
            b"with one \xfcmlaut in a long line of text",
            Ok("with one \u{fffd}mlaut in a long line of text"),
        );
    }

    #[test]
    fn what_is_no_text_is_refused() {
        check(b"", Err("it is empty"));
        check(b" \r\n", Err("it is empty"));
        check(b"\x7fELF\x02\x01\x01\x00\x00\x00", Err("it is not text"));
        check(b"\xff\xd8\xff\xe0 and so on", Err("it is not text"));
        check(&[0x1f, 0x8b, 8, 0, 0], Err("it cannot be unpacked"));
        check(&[0x28, 0xb5, 0x2f, 0xfd, 0, 0], Err("it cannot be unpacked"));
    }

    #[test]
    fn archives_are_named() {
        check(b"PK\x03\x04\x14\0\0\0", Err("a ZIP archive"));
        check(b"\x96\xd5\x75\x21\0\0", Err("a data file of sysstat"));
        let mut tar = vec![b'a'; 512];
        tar[257..262].copy_from_slice(b"ustar");
        check(&tar, Err("a tar archive"));
        check(b"BZip is a word\n", Ok("BZip is a word\n"));
    }

    #[test]
    fn what_unpacks_to_more_than_the_limit_is_refused() {
        use std::io::Write as _;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let zeros = vec![b'0'; 1 << 20];
        (0..65).for_each(|_| packed.write_all(&zeros).unwrap());
        check(&packed.finish().unwrap(), Err("larger than 64 MiB"));
    }

    #[test]
    fn what_a_log_puts_before_each_line_is_taken_off() {
        let plain = "a: (g=0)\nfio-3.33\n\n  read: 1\n";
        let with = |prefix: fn(usize) -> String| {
            plain.lines().enumerate().map(|(at, line)| prefix(at) + line + "\n").collect::<String>()
        };
        for text in [
            with(|at| format!("2026-11-25T10:0{at}:59.{at}Z stdout F ")),
            with(|_| "> ".to_owned()),
            with(|at| format!("app-1  | [{}] ", 9 + at)),
            with(|_| "> ".to_owned()).replace("> \n", ">\n"),
        ] {
            assert_eq!(without_prefixes(&text, &["fio-"]).trim_end(), plain.trim_end(), "{text}");
        }
        for text in [plain, "  fio-3.33\n", "see fio-3.33\nfor more\nof it\n"] {
            assert!(matches!(without_prefixes(text, &["fio-"]), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(without_escapes("\u{1b}[1;32mfio\u{1b}[0m [K"), "fio [K");
    }

    #[test]
    fn the_text_of_a_person_is_whole_or_refused() {
        let wide: Vec<u8> = "\u{feff}format = 1".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(text_of(&wide).unwrap(), "format = 1");
        assert_eq!(text_of(b"a = 1").unwrap(), "a = 1");
        assert_eq!(text_of(b" \n").unwrap(), "");
        let error = text_of(b"title = \"one\"\nlabel = \"\xfcber alles\"").unwrap_err();
        assert_eq!(error.to_string(), "line 2 has characters that are not UTF-8");
    }

    #[test]
    fn the_beginning_of_a_packed_file_is_known_before_the_rest() {
        use std::io::Write as _;
        let text = "{\"format\":\"iotrial.record/1\",".to_owned() + &"x".repeat(1 << 20);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        assert!(head_of(&packed[..HEAD_BYTES]).starts_with(b"{\"format\":\"iotrial.record/1"));
        assert!(head_of(text.as_bytes()).starts_with(b"{\"format\""));
        assert!(head_of(&[0x1f, 0x8b, 8]).is_empty());
        let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(head_of(&wide).starts_with(b"{\"format\":\"iotrial.record/1"));
    }

    #[test]
    fn a_quote_is_short_and_harmless() {
        assert_eq!(quote(" a\u{1b}[31mb \n"), "a [31mb");
        assert_eq!(quote(&"x".repeat(100)).chars().count(), LONGEST_QUOTE + 1);
    }
}
