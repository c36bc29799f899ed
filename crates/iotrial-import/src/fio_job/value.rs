//! Values as fio writes them: numbers with `k`, `m`, `g`, arithmetic in brackets, times, percentages, lists.

use std::fmt;
use std::time::Duration;

use super::section::Surroundings;

/// What `k` stands for: 1,024 unless the job says `kb_base=1000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KbBase {
    /// `k`, `kb` and `ki` are 1,024; only `kib` is 1,000, the other way round than usual.
    Binary,
    /// `k`, `kb` and `ki` are 1,000, and `kib` is 1,024.
    Decimal,
}

/// An amount, or a share of something that is not known here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Amount {
    /// Bytes, or a count.
    Whole(u64),
    /// A percentage of the file or device, whose size only fio knows.
    Percent(f64),
}

/// A whole number with an optional unit, or an expression in brackets.
pub(super) fn number(text: &str, base: KbBase) -> Result<u64, String> {
    match amount(text, base)? {
        Amount::Whole(whole) => Ok(whole),
        Amount::Percent(_) => Err("a percentage has no meaning here".to_owned()),
    }
}

/// The same, or a percentage.
pub(super) fn amount(text: &str, base: KbBase) -> Result<Amount, String> {
    let text = text.trim();
    if let Some(percent) = text.strip_suffix('%') {
        let percent: f64 = percent.trim().parse().map_err(|_| not_a_number(text))?;
        return if (0.0..=100.0).contains(&percent) {
            Ok(Amount::Percent(percent))
        } else {
            Err(format!("`{text}` is not from 0 % to 100 %"))
        };
    }
    let value = if text.starts_with('(') {
        evaluate(text, base)?
    } else {
        let (digits, unit) = split_unit(text);
        // In 128 bits, so that an overflow is seen at the end and not in the middle.
        whole(digits)?.checked_mul(factor(unit, base)?.into()).ok_or_else(|| too_large(text))?
    };
    u64::try_from(value).map(Amount::Whole).map_err(|_| too_large(text))
}

/// A time; a bare number is in `unit`.
pub(super) fn time(text: &str, unit: Duration, base: KbBase) -> Result<Duration, String> {
    let text = text.trim();
    // An expression has no unit behind it.
    let (digits, suffix) = if text.starts_with('(') { (text, "") } else { split_unit(text) };
    let unit = match suffix.to_ascii_lowercase().as_str() {
        "" => unit,
        "us" | "usec" => Duration::from_micros(1),
        "ms" | "msec" => Duration::from_millis(1),
        "s" | "sec" => Duration::from_secs(1),
        "m" | "min" => Duration::from_mins(1),
        "h" => Duration::from_hours(1),
        "d" => Duration::from_hours(24),
        _ => return Err(format!("`{text}` has an unknown unit; the units are us, ms, s, m, h, d")),
    };
    let count = if digits.starts_with('(') { evaluate(digits, base)? } else { whole(digits)? };
    let count = u32::try_from(count).map_err(|_| too_large(text))?;
    unit.checked_mul(count).ok_or_else(|| too_large(text))
}

/// `0`, `1`, or nothing at all, which means 1.
pub(super) fn flag(value: Option<&str>) -> Result<bool, String> {
    match value.map(str::trim) {
        None | Some("" | "1" | "true" | "yes") => Ok(true),
        Some("0" | "false" | "no") => Ok(false),
        Some(other) => Err(format!("`{other}` is neither 0 nor 1")),
    }
}

/// Whether a value says that an option is off.
pub(super) fn is_off(value: Option<&str>) -> bool {
    matches!(value.map(str::trim), Some("0" | "none" | "false" | "no" | "off"))
}

/// A value for reads and one for writes, as `8k`, `8k,64k` or `,64k` give them; what is left out has none.
pub(super) fn by_direction(text: &str) -> [Option<&str>; 2] {
    let mut parts = text.split(',').map(|part| Some(part.trim()).filter(|part| !part.is_empty()));
    let read = parts.next().flatten();
    // One value holds for both, and a second one for writes.
    // `8k,` has an empty part for writes, which is not the same as no part.
    let write = parts.next().map_or(read, |write| write);
    [read, write]
}

/// Replaces `${NAME}` by the environment, and fio's own words for the machine.
pub(super) fn expand(text: &str, surroundings: &Surroundings<'_>) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) =
            after.split_once('}').ok_or_else(|| format!("`{text}` opens `${{` and does not close it"))?;
        let value = (surroundings.variable)(name)
            // A variable that is not set is an error and not empty: fio would run another load than was
            // meant.
            .ok_or_else(|| format!("`${{{name}}}` reads the environment: set the variable, and allow it with --fio-env {name}"))?;
        expanded.push_str(before);
        expanded.push_str(&value);
        rest = after;
    }
    expanded.push_str(rest);
    let words = [
        ("$ncpus", u64::from(surroundings.cpu_count)),
        ("$pagesize", surroundings.page_bytes),
        ("$mb_memory", surroundings.memory_mib),
    ];
    // After the variables, so that a variable may contain them.
    Ok(words.iter().fold(expanded, |text, (word, value)| text.replace(word, &value.to_string())))
}

fn not_a_number(text: &str) -> String {
    format!("`{text}` is not a number that fio would read")
}

fn too_large(text: impl fmt::Display) -> String {
    format!("`{text}` is too large, or less than zero")
}

fn split_unit(text: &str) -> (&str, &str) {
    // Hexadecimal numbers have no unit, as their digits look like one.
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let end = if is_hex {
        text.len()
    } else {
        text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(text.len())
    };
    (&text[..end], text[end..].trim())
}

fn whole(digits: &str) -> Result<i128, String> {
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    // In 64 bits with a sign.
    let parsed = hex.map_or_else(|| digits.parse::<i64>(), |hex| i64::from_str_radix(hex, 16));
    parsed.map(i128::from).map_err(|_| {
        if digits.contains('.') {
            format!("`{digits}` is not a whole number, and fio reads whole numbers only")
        } else {
            not_a_number(digits)
        }
    })
}

fn factor(unit: &str, base: KbBase) -> Result<i64, String> {
    let unit = unit.to_ascii_lowercase();
    let (prefix, is_reversed) = match unit.as_bytes() {
        [] | [b'b'] => return Ok(1),
        [prefix] | [prefix, b'b'] | [prefix, b'i'] => (*prefix, false),
        // fio knows `kib` by its three letters and takes `ki` for `k` (parse.c; tried with fio 3.33).
        [prefix, b'i', b'b'] => (*prefix, true),
        _ => (b'?', false),
    };
    let power = match prefix {
        b'k' => 1,
        b'm' => 2,
        b'g' => 3,
        b't' => 4,
        b'p' => 5,
        _ => return Err(format!("`{unit}` is an unknown unit; the units are k, m, g, t, p")),
    };
    Ok(if (base == KbBase::Binary) == is_reversed { 1_000_i64.pow(power) } else { 1_024_i64.pow(power) })
}

/// Most levels of brackets; nobody writes deeper expressions.
// A choice: recursion must end before the stack does.
const DEEPEST: usize = 32;

/// An expression such as `(4*1k+512)`.
fn evaluate(text: &str, base: KbBase) -> Result<i128, String> {
    let mut expression = Expression { rest: text, base, depth: 0 };
    let value = expression.sum()?;
    if expression.rest.trim().is_empty() {
        Ok(value)
    } else {
        Err(format!("`{}` is not understood in `{text}`", expression.rest.trim()))
    }
}

struct Expression<'t> {
    rest: &'t str,
    base: KbBase,
    depth: usize,
}

impl Expression<'_> {
    fn takes(&mut self, operators: &[char]) -> Option<char> {
        let rest = self.rest.trim_start();
        let first = rest.chars().next().filter(|c| operators.contains(c))?;
        self.rest = &rest[first.len_utf8()..];
        Some(first)
    }

    fn sum(&mut self) -> Result<i128, String> {
        // Left to right; products bind more strongly.
        let mut value = self.product()?;
        while let Some(operator) = self.takes(&['+', '-']) {
            let next = self.product()?;
            let sum = if operator == '+' { value.checked_add(next) } else { value.checked_sub(next) };
            value = sum.ok_or_else(|| too_large(value))?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i128, String> {
        let mut value = self.atom()?;
        while let Some(operator) = self.takes(&['*', '/', '%']) {
            let next = self.atom()?;
            let product = match operator {
                '*' => value.checked_mul(next).ok_or_else(|| too_large(value)),
                '/' => value.checked_div(next).ok_or_else(|| "division by zero".to_owned()),
                _ => value.checked_rem(next).ok_or_else(|| "division by zero".to_owned()),
            };
            value = product?;
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<i128, String> {
        if self.takes(&['(']).is_some() {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(format!("brackets are nested deeper than {DEEPEST}"));
            }
            let value = self.sum()?;
            self.depth -= 1;
            return match self.takes(&[')']) {
                Some(_) => Ok(value),
                None => Err("a bracket is not closed".to_owned()),
            };
        }
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
        // Units are allowed at every number in an expression.
        let (digits, unit) = split_unit(&rest[..end]);
        let value = whole(digits)?.checked_mul(factor(unit, self.base)?.into());
        self.rest = &rest[end..];
        value.ok_or_else(|| too_large(digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<u64, &str>) {
        let read = number(text, KbBase::Binary);
        match expected {
            Ok(value) => assert_eq!(read, Ok(value), "{text}"),
            Err(part) => assert!(read.as_ref().unwrap_err().contains(part), "{text}: {read:?}"),
        }
    }

    #[test]
    fn numbers_mean_what_they_mean_in_fio() {
        for (text, bytes) in [
            ("8", 8),
            ("8k", 8_192),
            ("8K", 8_192),
            ("8kb", 8_192),
            ("8Ki", 8_192),
            ("8kib", 8_000),
            ("50000Mi", 50_000 << 20),
            ("1m", 1 << 20),
            ("40G", 40 << 30),
            ("0x1000", 4_096),
            ("512b", 512),
            ("(4*1k+512)", 4_608),
            ("((2+2)*(8-4))", 16),
            ("(7/2)", 3),
        ] {
            check(text, Ok(bytes));
        }
        assert_eq!(number("8k", KbBase::Decimal), Ok(8_000));
        assert_eq!(number("8ki", KbBase::Decimal), Ok(8_000));
        assert_eq!(number("8kib", KbBase::Decimal), Ok(8_192));
        assert_eq!(amount("25%", KbBase::Binary), Ok(Amount::Percent(25.0)));
    }

    #[test]
    fn what_is_no_number_is_told() {
        check("", Err("not a number"));
        check("3=6", Err("unknown unit"));
        check("1.5g", Err("whole numbers only"));
        check("12x", Err("unknown unit"));
        check("-1", Err("less than zero"));
        check("9999999p", Err("too large"));
        check("(1/0)", Err("division by zero"));
        check("(1+", Err("not a number"));
        check("(1", Err("not closed"));
        check(&"(".repeat(10_000), Err("nested deeper"));
        check("50%", Err("no meaning"));
        assert!(amount("120%", KbBase::Binary).unwrap_err().contains("100 %"));
    }

    #[test]
    fn a_time_without_a_unit_is_in_the_unit_of_its_option() {
        let check =
            |text, unit, expected| assert_eq!(time(text, unit, KbBase::Binary), Ok(expected), "{text}");
        let s = Duration::from_secs(1);
        check("300", s, Duration::from_secs(300));
        check("5m", s, Duration::from_secs(300));
        check("(2*60)", s, Duration::from_secs(120));
        check("250", Duration::from_micros(1), Duration::from_micros(250));
        check("10ms", s, Duration::from_millis(10));
        assert!(time("3=6", s, KbBase::Binary).unwrap_err().contains("unknown unit"));
    }

    #[test]
    fn a_list_without_a_second_value_holds_for_both_directions() {
        assert_eq!(by_direction("8k"), [Some("8k"), Some("8k")]);
        assert_eq!(by_direction("8k,64k,4k"), [Some("8k"), Some("64k")]);
        assert_eq!(by_direction(",64k"), [None, Some("64k")]);
        assert_eq!(by_direction("8k,"), [Some("8k"), None]);
    }
}
