//! The course of a figure in one line of characters.

/// One character for each value, from nothing to the largest of them.
pub fn sparkline(values: impl Iterator<Item = f64> + Clone) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.clone().fold(0.0, f64::max);
    let bar = |value: f64| {
        if value <= 0.0 || most <= 0.0 {
            return ' ';
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index below eight")]
        let index = (value / most * 7.0).round() as usize;
        BARS[index.min(7)]
    };
    values.map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_is_as_high_as_its_highest_value() {
        assert_eq!(sparkline([0.0, 1.0, 50.0, 100.0].into_iter()), " ▁▅█");
        assert_eq!(sparkline([0.0, 0.0].into_iter()), "  ");
    }
}
