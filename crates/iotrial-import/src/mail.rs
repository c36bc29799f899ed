//! A page or a text as mail programs and browsers keep it: one file of parts (MHTML), encoded line by line (RFC 2045), or quoted.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use quoted_printable::ParseMode;

use crate::text::HEAD_BYTES;

/// Heads of parts are within so many lines of their beginning.
const MOST_HEAD_LINES: usize = 60;
/// More parts than a page has pictures.
const MOST_PARTS: usize = 1_000;

/// How the content of a part is written.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Plain,
    QuotedPrintable,
    Base64,
}

/// The text of the largest part that is a page or a text; what is no message stays as it is.
pub(crate) fn unwrapped(text: &str) -> Cow<'_, str> {
    let is_message = text.lines().take(MOST_HEAD_LINES).any(|line| is_field(line, "MIME-Version:"));
    if !is_message {
        // The content of a message alone: `=3D` stands for each `=`, and a `=` at the end of a line joins it to the next.
        // A page has the first of them in its head: not all of each report is looked through for them.
        let head = &text[..text.floor_char_boundary(HEAD_BYTES)];
        let is_quoted = head.matches("=3D").take(8).count() == 8 && text.contains("=\n");
        return if is_quoted { Cow::Owned(quoted_printable(text)) } else { Cow::Borrowed(text) };
    }
    let boundary = text.split_once("boundary=").map(|(_, rest)| {
        let rest = rest.trim_start_matches('"');
        rest.split(['"', ';', '\n', '\r']).next().unwrap_or_default().trim()
    });
    let parts: Vec<&str> = match boundary.filter(|boundary| !boundary.is_empty()) {
        Some(boundary) => text.split(&format!("\n--{boundary}")).skip(1).take(MOST_PARTS).collect(),
        None => vec![text],
    };
    let decoded = parts.into_iter().filter_map(text_of_part);
    decoded.max_by_key(String::len).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn is_field(line: &str, name: &str) -> bool {
    line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// A part without its head, decoded; `None` of pictures and the like.
fn text_of_part(part: &str) -> Option<String> {
    let part = part.trim_start();
    let (head, body) = part.split_once("\n\n")?;
    if head.lines().count() > MOST_HEAD_LINES {
        return None;
    }
    let field = |name: &str| head.lines().find(|line| is_field(line, name)).map(str::to_ascii_lowercase);
    if field("Content-Type:").is_some_and(|kind| !kind.contains("text/html") && !kind.contains("text/plain"))
    {
        return None;
    }
    let encoding = match field("Content-Transfer-Encoding:") {
        Some(encoding) if encoding.contains("quoted-printable") => Encoding::QuotedPrintable,
        Some(encoding) if encoding.contains("base64") => Encoding::Base64,
        _ => Encoding::Plain,
    };
    Some(match encoding {
        Encoding::Plain => body.to_owned(),
        Encoding::QuotedPrintable => quoted_printable(body),
        Encoding::Base64 => base64(body)?,
    })
}

/// `=3D` is a byte in hexadecimal; a `=` at the end of a line takes the line break away. What is neither stays.
fn quoted_printable(text: &str) -> String {
    // The lines of what is decoded end as RFC 2045 has them.
    let bytes =
        quoted_printable::decode(text, ParseMode::Robust).unwrap_or_else(|_| text.as_bytes().to_vec());
    String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
}

/// `None` where it is none.
fn base64(text: &str) -> Option<String> {
    let digits: String = text.split_ascii_whitespace().collect();
    Some(String::from_utf8_lossy(&STANDARD.decode(digits).ok()?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_a_message_is_decoded_and_its_pictures_are_not() {
        let message = |encoding: &str, body: &str| {
            format!(
                "From: x\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=\"b\"\n\n\n--b\nContent-Type: image/png\nContent-Transfer-Encoding: base64\n\nAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: {encoding}\n\n{body}\n--b--\n"
            )
        };
        for (encoding, body) in [
            ("quoted-printable", "<a b=3D\"c\">w=\nord=E2=82=AC</a>"),
            ("base64", "PGEgYj0i\nYyI+d29yZOKCrDwvYT4="),
            ("8bit", "<a b=\"c\">word€</a>"),
        ] {
            assert_eq!(unwrapped(&message(encoding, body)).trim_end(), "<a b=\"c\">word€</a>", "{encoding}");
        }
    }

    #[test]
    fn the_content_of_a_message_alone_is_decoded_and_equal_signs_are_none() {
        let rows = "<td class=3D'a'>1</t=\nd>".repeat(8);
        assert_eq!(unwrapped(&rows), "<td class='a'>1</td>".repeat(8));
        for text in ["a = 3D\nb=\n", "MIME-Version: none of it"] {
            assert!(unwrapped(text).len() == text.len(), "{text}");
        }
    }
}
