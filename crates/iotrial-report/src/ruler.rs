//! A ruler turns the values of an axis into distances, and knows where its ticks are.

use crate::chart::Scale;

/// One axis of a chart as drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ruler {
    scale: Scale,
    /// Both ends, in the coordinate of the scale.
    ends: (f64, f64),
    /// Both ends as drawn.
    drawn: (f64, f64),
    /// Round values, the lowest first; never empty.
    pub(crate) ticks: Vec<f64>,
}

/// Percentiles that have a tick, up to one I/O in ten million.
// Ticks of one in ten million need a run of that many I/Os; no run has the next one.
const PERCENTILES: [f64; 9] = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999, 99.9999, 99.99999];

/// Figures from other people's files may be beyond any device. Beyond these, sums and products are not numbers, and ticks never end.
const MOST: f64 = 1e300;
const LEAST: f64 = 1e-300;

impl Ruler {
    /// A ruler that shows all of `values`, drawn from `drawn.0` to `drawn.1`.
    ///
    /// Along y it ends at ticks; along x (`tight`) it ends where the values end.
    pub(crate) fn new(
        scale: Scale,
        values: impl Iterator<Item = f64>,
        drawn: (f64, f64),
        tight: bool,
    ) -> Self {
        let is_log = matches!(scale, Scale::Log | Scale::Doublings);
        // A logarithmic axis has no place for zero; such points are drawn at its end.
        let values = values.filter(|value| value.is_finite() && (!is_log || *value > 0.0));
        let (low, high) = values
            .map(|value| value.clamp(-MOST, MOST))
            .fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        let mut ticks = match scale {
            // Bars and rates begin at zero, or their lengths would lie.
            Scale::Linear => linear_ticks(low.min(0.0), high),
            Scale::Calendar if low > high => calendar_ticks(0.0, 86_400.0),
            Scale::Calendar => calendar_ticks(low, high),
            // Nothing to show still needs an axis.
            Scale::Log if low > high => log_ticks(100.0, 10_000.0),
            Scale::Doublings if low > high => doublings(1.0, 64.0),
            Scale::Doublings => doublings(low, high),
            Scale::Log => log_ticks(low, high),
            Scale::Nines => {
                PERCENTILES.iter().copied().filter(|percent| *percent <= high.max(90.0) + 1e-9).collect()
            }
        };
        if ticks.is_empty() {
            // A step is lost between values as large as a stranger's file may have them.
            ticks.push(low.clamp(-MOST, MOST));
        }
        let mut ends = [0, ticks.len() - 1].map(|index| coordinate(scale, ticks[index]));
        if scale == Scale::Calendar && low < high {
            // It begins and ends with what is shown; nothing begins at the year 1970.
            ends = [low, high];
            ticks.retain(|tick| (low..=high).contains(tick));
            if ticks.is_empty() {
                ticks.push(low);
            }
        }
        if scale == Scale::Log {
            // The ends were taken before, so the axis stays as it is.
            thin_log_ticks(&mut ticks, (drawn.1 - drawn.0).abs());
        }
        if tight && low <= high && scale != Scale::Calendar {
            // A single place would make an axis of no length.
            ends[1] = coordinate(scale, high).max(ends[0] + 1e-6);
            ticks.retain(|tick| coordinate(scale, *tick) <= ends[1] + 1e-9);
        }
        Self { scale, ends: (ends[0], ends[1]), drawn, ticks }
    }

    /// Where it ends, as drawn.
    pub(crate) fn end(&self) -> f64 {
        self.drawn.1
    }

    /// Where a value is drawn. One below the ruler is drawn at its end.
    pub(crate) fn position(&self, value: f64) -> f64 {
        let share = (coordinate(self.scale, value) - self.ends.0) / (self.ends.1 - self.ends.0);
        // Clamped: a value outside belongs to a limit or an error bar that is cut.
        self.drawn.0 + share.clamp(0.0, 1.0) * (self.drawn.1 - self.drawn.0)
    }
}

impl Ruler {
    /// Whether a value lies between its ends.
    pub(crate) fn holds(&self, value: f64) -> bool {
        (self.ends.0..=self.ends.1).contains(&coordinate(self.scale, value))
    }
}

/// What is spread evenly along the ruler.
fn coordinate(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear | Scale::Calendar => value,
        // Not zero, whose logarithm is infinite.
        Scale::Log | Scale::Doublings => value.max(f64::MIN_POSITIVE).log10(),
        // By number of nines: −log₁₀(1 − p). At 100 it would be infinite.
        Scale::Nines => -(1.0 - value.min(99.999_999_9) / 100.0).log10(),
    }
}

/// From at most `low` through zero to at least `high`, four to seven of them, in steps of 1, 2 or 5 times a
/// power of ten.
fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let range = if high - low > LEAST { high - low } else { 1.0 };
    let power = 10f64.powf((range / 5.0).log10().floor());
    // The smallest step of 1, 2 or 5 that needs at most five of them.
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|factor| factor * power).find(|step| step * 5.0 >= range);
    let step = step.unwrap_or(power * 10.0);
    // A thousandth of a step, since a value meant to be on a tick may be just below it.
    let first = (low / step + 0.001).floor();
    let ticks = (0..).map(|count| (first + f64::from(count)) * step);
    ticks.take_while(|tick| *tick < high.max(low + range) + step * 0.999).collect()
}

/// Steps of a calendar in seconds: parts of an hour and of a day, days, weeks.
const CALENDAR_STEPS: [f64; 14] = [
    60.0,
    300.0,
    900.0,
    1_800.0,
    3_600.0,
    7_200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    172_800.0,
    604_800.0,
    2_419_200.0,
    7_862_400.0,
];
/// Most ticks of a calendar: their labels are long.
const MOST_CALENDAR_TICKS: f64 = 6.0;

/// Full hours, midnights or Mondays, from at most `low` to at least `high`.
fn calendar_ticks(low: f64, high: f64) -> Vec<f64> {
    let range = (high - low).max(60.0);
    let step = CALENDAR_STEPS.iter().find(|step| range / **step <= MOST_CALENDAR_TICKS);
    let step = step.copied().unwrap_or((range / MOST_CALENDAR_TICKS / 7_862_400.0).ceil() * 7_862_400.0);
    // 1970 began on a Thursday.
    let origin = if step >= 604_800.0 { 4.0 * 86_400.0 } else { 0.0 };
    let first = ((low - origin) / step).floor();
    let ticks = (0..).map(|count| origin + (first + f64::from(count)) * step);
    ticks.take_while(|tick| *tick < high + step).collect()
}

/// Ticks of a logarithmic ruler that are closer than this, as drawn, have no room for their labels.
// The height of a line of text on a phone, where letters are largest.
const LEAST_LOG_GAP: f64 = 17.0;

/// Keeps powers of ten only, and both ends where there is room for them, if ticks at 1, 2 and 5 are too close on a ruler of this length.
fn thin_log_ticks(ticks: &mut Vec<f64>, length: f64) {
    let (Some(first), Some(last)) = (ticks.first().copied(), ticks.last().copied()) else { return };
    let decade = length / (last / first).log10();
    let is_apart = |low: f64, high: f64| (high / low).log10() * decade >= LEAST_LOG_GAP;
    if is_apart(1.0, 2.0) {
        return;
    }
    let powers: Vec<f64> = ticks.iter().copied().filter(|tick| is_power_of_ten(*tick)).collect();
    // Data beyond the last power of ten would otherwise be at no label at all.
    let has_room = |tick: f64| {
        powers.iter().all(|power| is_power_of_ten(tick) || is_apart(tick.min(*power), tick.max(*power)))
    };
    ticks.retain(|tick| is_power_of_ten(*tick) || ([first, last].contains(tick) && has_room(*tick)));
}

/// 1, 2, 5, 10 and so on, from at most `low` to at least `high`; at least two.
fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    #[expect(clippy::cast_possible_truncation, reason = "an exponent of a latency")]
    let first_power = low.log10().floor() as i32;
    let steps = (first_power..).flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10f64.powi(power)));
    let mut ticks = Vec::new();
    for tick in steps {
        // Everything so far is below the lowest value, so this tick is a better beginning.
        if tick <= low * (1.0 + 1e-9) {
            ticks.clear();
        }
        ticks.push(tick);
        if tick >= high && ticks.len() > 1 {
            break;
        }
    }
    ticks
}

/// Powers of two from at most `low` to at least `high`; at least two.
fn doublings(low: f64, high: f64) -> Vec<f64> {
    let first = low.log2().floor();
    let last = high.log2().ceil().max(first + 1.0);
    (0..).map(|step| first + f64::from(step)).take_while(|power| *power <= last).map(f64::exp2).collect()
}

fn is_power_of_ten(tick: f64) -> bool {
    let power = tick.log10();
    (power - power.round()).abs() < 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scale: Scale, values: &[f64], expected: &[f64]) {
        // As long as the left edge of a chart.
        let ruler = Ruler::new(scale, values.iter().copied(), (0.0, 238.0), false);
        let close = ruler
            .ticks
            .iter()
            .zip(expected)
            .all(|(tick, wanted)| (tick - wanted).abs() <= wanted.abs() * 1e-9);
        assert!(close && ruler.ticks.len() == expected.len(), "{values:?}: {:?}", ruler.ticks);
    }

    #[test]
    fn values_beyond_any_figure_have_an_axis_all_the_same() {
        for scale in [Scale::Linear, Scale::Log, Scale::Doublings, Scale::Nines] {
            for value in [5e-324, 1e-310, f64::MAX, -f64::MAX] {
                let ruler = Ruler::new(scale, [value, 1.0].into_iter(), (0.0, 100.0), false);
                assert!(!ruler.ticks.is_empty(), "{scale:?} {value}");
                let alone = Ruler::new(scale, std::iter::once(value), (0.0, 100.0), true);
                assert!(!alone.ticks.is_empty(), "{scale:?} {value}");
            }
        }
    }

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        check(Scale::Linear, &[35.0], &[0.0, 10.0, 20.0, 30.0, 40.0]);
        check(Scale::Linear, &[9_800.0], &[0.0, 2_000.0, 4_000.0, 6_000.0, 8_000.0, 10_000.0]);
        check(Scale::Linear, &[10_000.0], &[0.0, 2_000.0, 4_000.0, 6_000.0, 8_000.0, 10_000.0]);
        check(Scale::Linear, &[-38.0, 21.0], &[-40.0, -20.0, 0.0, 20.0, 40.0]);
        check(Scale::Linear, &[-7.0, -3.0], &[-8.0, -6.0, -4.0, -2.0, 0.0]);
        check(Scale::Log, &[312.0, 4_500.0], &[200.0, 500.0, 1_000.0, 2_000.0, 5_000.0]);
        check(Scale::Log, &[85.0, 1_500_000.0], &[100.0, 1e3, 1e4, 1e5, 1e6]);
        check(Scale::Log, &[500.0], &[500.0, 1_000.0]);
        // Nearly four powers of ten still have room for all their ticks.
        check(
            Scale::Log,
            &[11.0, 45_000.0],
            &[10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4],
        );
        // Beyond the highest power of ten the end has a label.
        check(Scale::Log, &[11.0, 480_000.0], &[10.0, 100.0, 1e3, 1e4, 1e5, 5e5]);
        check(Scale::Doublings, &[1.0, 48.0], &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        check(Scale::Nines, &[0.0, 99.92], &[0.0, 50.0, 90.0, 99.0, 99.9]);
    }

    #[test]
    fn no_values_still_make_a_ruler() {
        check(Scale::Linear, &[], &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        check(Scale::Log, &[], &[100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4]);
        check(Scale::Doublings, &[8.0], &[8.0, 16.0]);
        check(Scale::Nines, &[], &[0.0, 50.0, 90.0]);
    }

    #[test]
    fn equal_factors_and_equal_numbers_of_nines_are_equally_far_apart() {
        let log = Ruler::new(Scale::Log, [10.0, 1e6].into_iter(), (0.0, 50.0), false);
        assert!((log.position(1_000.0) - 20.0).abs() < 1e-6);
        let nines = Ruler::new(Scale::Nines, [99.9].into_iter(), (0.0, 30.0), true);
        assert!((nines.position(99.0) - 20.0).abs() < 1e-6, "{}", nines.position(99.0));
    }
}
