//! Times as reports print them: `02-Jan-25 10:00:59`, with the month in the language of the session.

use jiff::civil::DateTime;

/// The months by their first letters, in the languages in which databases are often installed.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen", "янв"],
    &["feb", "fév", "fev", "фев"],
    &["mar", "mär", "mrz", "мар"],
    &["apr", "avr", "abr", "апр"],
    &["may", "mai", "mag", "май", "mei", "maj"],
    &["jun", "juin", "giu", "июн"],
    &["jul", "juil", "lug", "июл"],
    &["aug", "aoû", "aou", "ago", "авг"],
    &["sep", "set", "сен"],
    &["oct", "okt", "ott", "out", "окт"],
    &["nov", "ноя"],
    &["dec", "dez", "déc", "dic", "дек"],
];

/// A printed time; `None` where it cannot be understood. Without seconds it is the beginning of the minute.
pub(super) fn moment(text: &str) -> Option<DateTime> {
    // `16-2月 -13 05:00:50`: the blank belongs to the name of the month.
    let text = text.trim().replace(" -", "-");
    let (date, time) = text.split_once(' ').unwrap_or((&text, "00:00"));
    let (year, month, day) = match date.split('-').collect::<Vec<_>>().as_slice() {
        [day, month, year] => (year.parse().ok()?, month_of(month)?, day.parse().ok()?),
        // AWR-Miner: 14/12/05 is a day in December 2014.
        [_] => match date.split('/').collect::<Vec<_>>().as_slice() {
            [year, month, day] => (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?),
            _ => return None,
        },
        _ => return None,
    };
    // Oracle 10 was the first to write AWR, in 2003.
    let year: i16 = if year < 100 { 2000 + year } else { year };
    let mut parts = time.trim().split([':', '.']);
    let mut part = || parts.next().map_or(Some(0), |part| part.trim().parse::<i8>().ok());
    DateTime::new(year, month, day, part()?, part()?, part()?, 0).ok()
}

fn month_of(text: &str) -> Option<i8> {
    let text = text.trim().trim_end_matches('.').to_lowercase();
    if let Some(number) = text.strip_suffix('月') {
        return number.trim().parse().ok();
    }
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let at = MONTHS.iter().position(|names| names.iter().any(|name| text.starts_with(name)))?;
    i8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_read_in_the_language_of_the_session() {
        let read = |text: &str| moment(text).map(|moment| moment.to_string());
        assert_eq!(read("02-Jan-25 10:00:59").unwrap(), "2025-01-02T10:00:59");
        assert_eq!(read("29-Nov-24 21:49").unwrap(), "2024-11-29T21:49:00");
        assert_eq!(read("16-2月 -13 05:00:50").unwrap(), "2013-02-16T05:00:50");
        assert_eq!(read("31-DEZ-23 00:00:01").unwrap(), "2023-12-31T00:00:01");
        assert_eq!(read("14/12/05 18:39").unwrap(), "2014-12-05T18:39:00");
        for none in ["", "yesterday", "31-Feb-23 00:00:01", "1-Xyz-23 1:2:3", "01-Jan-23 99:00:00"] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}
