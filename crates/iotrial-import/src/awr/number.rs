//! Numbers as Oracle prints them: `1,435.8`, `.6`, `1.E+03`, `27.9K`, `39.39us`, `<0.01(114)`, `######`.

use iotrial_model::imported::Stated;

/// A number without unit or suffix; an exponent may follow.
pub(super) fn plain(text: &str) -> Option<Stated> {
    let text = text.trim();
    // A count in brackets stands behind a share that would be rounded to nothing: `<0.01(114)`.
    let text = text.split_once('(').map_or(text, |(before, _)| before).trim_end();
    let text = text.strip_suffix('%').unwrap_or(text).trim_end();
    if let Some(most) = text.strip_prefix('<') {
        // Below what can be printed: anywhere from nothing to that.
        let most = plain(most)?.value;
        return Some(Stated { value: most / 2.0, resolution: most });
    }
    // No counter of a database is beyond this, and charts could not show it.
    let number = if text.contains(',') { Stated::parse(&text.replace(',', "")) } else { Stated::parse(text) };
    number.filter(|number| number.value.abs() <= 1e24)
}

/// A count: suffixes are powers of 1000, as printed below the tables.
pub(super) fn count(text: &str) -> Option<Stated> {
    suffixed(text, 1000.0, 1.0)
}

/// An amount of data in MiB: suffixes are powers of 1024, and without one it is MiB.
// 11.2 drops the suffix where the number is wide: `554.061` stands in a column whose total is `563.44M`.
pub(super) fn mib(text: &str) -> Option<Stated> {
    let base = 1024.0 * 1024.0;
    let has_suffix = text.trim().ends_with(|c: char| c.is_ascii_alphabetic());
    let number = suffixed(text, 1024.0, 1.0)?;
    Some(if has_suffix { number.scaled(1.0 / base) } else { number })
}

fn suffixed(text: &str, base: f64, unit: f64) -> Option<Stated> {
    let text = text.trim();
    let (digits, power) = match text.chars().last()? {
        'B' | 'b' => (&text[..text.len() - 1], 0),
        'K' | 'k' => (&text[..text.len() - 1], 1),
        'M' | 'm' => (&text[..text.len() - 1], 2),
        'G' | 'g' => (&text[..text.len() - 1], 3),
        'T' | 't' => (&text[..text.len() - 1], 4),
        'P' | 'p' => (&text[..text.len() - 1], 5),
        _ => (text, 0),
    };
    plain(digits).map(|number| number.scaled(unit * base.powi(power)))
}

/// A time in microseconds. The cell has its unit, or the header has it: `default_us` of microseconds.
pub(super) fn time_us(text: &str, default_us: Option<f64>) -> Option<Stated> {
    let text = text.trim();
    let units = [("ns", 1e-3), ("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6), ("m", 60e6), ("h", 3600e6)];
    for (unit, factor) in units {
        if let Some(digits) = text.strip_suffix(unit) {
            return plain(digits).map(|number| number.scaled(factor));
        }
    }
    Some(plain(text)?.scaled(default_us?))
}

/// The unit in a header: `Avg wait (ms)`, `Av Rd(ms)`, `GE Get Time (us)`.
pub(super) fn unit_of_header(header: &str) -> Option<f64> {
    let header = header.to_ascii_lowercase();
    [("(ms)", 1e3), ("(us)", 1.0), ("(s)", 1e6), ("(ns)", 1e-3)]
        .into_iter()
        .find_map(|(word, factor)| header.contains(word).then_some(factor))
}

/// The upper edge of a bucket in microseconds, by its header: `<1ms`, `<=1s`, `<1/8s`; `Some(None)` of the open one, `>1s`.
pub(super) fn bucket_edge_us(header: &str) -> Option<Option<f64>> {
    let word = header.split_whitespace().find(|word| word.starts_with(['<', '>']))?;
    if word.starts_with('>') {
        return Some(None);
    }
    let word = word.trim_start_matches(['<', '=']);
    // `<=1s` is truly below 1024 ms, `<1/8s` below 128 ms: powers of two throughout. The printed name is near enough for a
    // bucket that is twice as wide as the one before.
    let unit = word.find(|c: char| c.is_ascii_alphabetic())?;
    let (digits, unit) = word.split_at(unit);
    let value = match digits.split_once('/') {
        Some((over, under)) => over.parse::<f64>().ok()? / under.parse::<f64>().ok()?,
        None => digits.parse().ok()?,
    };
    let factor = match unit {
        "us" => 1.0,
        "ms" => 1e3,
        "s" | "sec" => 1e6,
        "m" | "min" => 60e6,
        "h" | "hr" => 3600e6,
        _ => return None,
    };
    Some(Some(value * factor)).filter(|edge| edge.is_some_and(|edge| edge.is_finite() && edge > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: Option<Stated>, value: f64, resolution: f64) {
        let found = found.expect("a number");
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-9);
        assert!(near(found.value, value) && near(found.resolution, resolution), "{found:?}");
    }

    #[test]
    fn numbers_have_separators_exponents_and_no_leading_zero() {
        check(plain("1,435.8"), 1435.8, 0.1);
        check(plain(".6"), 0.6, 0.1);
        check(plain(" 7.0E+08"), 7e8, 1e7);
        check(plain("1.E+03"), 1000.0, 1000.0);
        check(plain("-.1"), -0.1, 0.1);
        check(plain("78.4%"), 78.4, 0.1);
        check(plain("<0.01(114)"), 0.005, 0.01);
        for nothing in ["", " ", "N/A", "######", "-", ".", "1.2.3", "1e999", "inf", "\u{a0}"] {
            assert_eq!(plain(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn counts_have_powers_of_1000_and_data_of_1024() {
        check(count("27.9K"), 27_900.0, 100.0);
        check(count("328.8M"), 328.8e6, 1e5);
        check(mib(".039M"), 0.039, 0.001);
        check(mib("1.9T"), 1.9 * 1024.0 * 1024.0, 0.1 * 1024.0 * 1024.0);
        check(mib("554.061"), 554.061, 0.001);
        check(mib("512K"), 0.5, 1.0 / 1024.0);
    }

    #[test]
    fn a_time_has_its_unit_in_the_cell_or_in_the_header() {
        check(time_us("792.80ns", None), 0.7928, 1e-5);
        check(time_us("39.39us", None), 39.39, 0.01);
        check(time_us("2.45s", Some(1e3)), 2.45e6, 1e4);
        check(time_us("12", Some(1e3)), 12_000.0, 1000.0);
        assert_eq!(time_us("12", None), None);
    }

    #[test]
    fn buckets_have_the_edges_of_their_headers() {
        let edges = ["% of Waits <1ms", "<=1s", "<1/8s", "<128us", "Waits <16ms"].map(bucket_edge_us);
        assert_eq!(edges, [1e3, 1e6, 125e3, 128.0, 16e3].map(|edge| Some(Some(edge))));
        assert_eq!(bucket_edge_us(">=512us"), Some(None));
        assert_eq!(bucket_edge_us("Total Waits"), None);
    }
}
