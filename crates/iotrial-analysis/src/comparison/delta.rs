//! What changes from one configuration to another, metric by metric, and whether that is shown.

use std::cell::OnceCell;
use std::cmp::Ordering;

use iotrial_bootstrap::{DRAW_COUNT, Spread};
use iotrial_model::bound::{Amount, BoundRelation, Bounded};
use iotrial_model::figure::{Better, Figure};
use iotrial_model::finding::{ENOUGH_REPEATS, PRINTED_SAME_PERCENT};
use iotrial_model::metric::{Metric, MetricGroup, MetricKey, StreamRange};
use iotrial_model::stream::{Stream, StreamOf};
use serde::Serialize;

use super::configuration::{Configuration, row_in};
use crate::student::{CONFIDENCE, LogError, MOST_REACH_FACTOR, MUCH_FACTOR, normal_beyond};

/// All changes from one configuration to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// Key of the configuration that is compared with.
    pub baseline: String,
    /// Key of the configuration that is compared.
    pub configuration: String,
    /// One for each metric that both have.
    pub deltas: Vec<Delta>,
    /// One for each metric of which one side or both are known only as a bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounded: Vec<BoundedDelta>,
}

/// The change of a metric of which one side or both are known only as a bound: what is sure of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoundedDelta {
    /// The metric that changes.
    pub metric: Metric,
    /// What is compared with.
    pub from: Amount,
    /// What is compared.
    pub to: Amount,
    /// The least change that it may be, in percent of the first; `None` where that is not known.
    pub least_percent: Option<f64>,
    /// The greatest change that it may be.
    pub most_percent: Option<f64>,
    /// What the change means for sure.
    pub reading: Reading,
}

/// The change of one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Delta {
    /// The metric that changes.
    pub metric: Metric,
    /// The value that is compared with.
    pub from: f64,
    /// The value that is compared.
    pub to: f64,
    /// The change from the first to the other, in percent of the first.
    pub percent: f64,
    /// Where the change lies with 95 % confidence, together with all others of the pair; `None` where that is
    /// not known, or so wide that it says nothing.
    pub interval: Option<Interval>,
    /// What the change means.
    pub reading: Reading,
}

/// Where a change lies, in percent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end of the interval.
    pub low_percent: f64,
    /// Upper end of the interval.
    pub high_percent: f64,
}

impl Interval {
    /// Around a change, both in logarithms: rates and latencies change by factors, and the interval back must be the interval there, turned
    /// round.
    fn around(change: f64, reach: f64) -> Self {
        // `exp_m1` keeps the digits of small changes, which `exp() - 1` would lose.
        let percent = |change: f64| 100.0 * change.exp_m1();
        Self { low_percent: percent(change - reach), high_percent: percent(change + reach) }
    }

    /// Whether there may be no change at all.
    pub(super) fn includes_zero(self) -> bool {
        self.low_percent <= 0.0 && self.high_percent >= 0.0
    }

    /// Whether it shows neither that two differ nor that they are about equal: it leaves that there is no change, and that there is more
    /// than a small one.
    pub(super) fn is_open(self) -> bool {
        let is_narrow = self.high_percent <= 100.0 * (SAME_FACTOR - 1.0)
            && self.low_percent >= 100.0 * (SAME_FACTOR.recip() - 1.0);
        self.includes_zero() && !is_narrow
    }
}

/// What a change means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// At least twice as good.
    MuchBetter,
    /// Better, by less than a factor of two.
    Better,
    /// The interval includes zero and is narrow; or of printed figures, they are less than two percent apart.
    NoDifference,
    /// Worse, by less than a factor of two.
    Worse,
    /// At most half as good.
    MuchWorse,
    /// Single runs that were measured too briefly to tell: there is no interval, or one that includes zero and is wide.
    TooFew,
    /// Repeated too few times to tell: the interval includes zero and is wide, or is so wide that it is left out.
    TooFewRepeats,
    /// Measured without any interval, as CPU time is and the longest I/O of single runs: whether it is more than chance is not known.
    NoInterval,
    /// Of one of them or both only a bound is known, which leaves open which is better.
    Undecided,
    /// Measured at rates that a search found for each, which differ: what a stream does there follows from the rate.
    OtherRate,
    /// The metric has no better direction, so its change is not judged.
    Amount,
}

impl Reading {
    /// Whether it is a change for the better.
    pub const fn is_better(self) -> bool {
        matches!(self, Self::MuchBetter | Self::Better)
    }

    /// Whether it is a change for the worse.
    pub const fn is_worse(self) -> bool {
        matches!(self, Self::MuchWorse | Self::Worse)
    }

    /// Whether too little was measured to say what the change means.
    pub const fn is_unknown(self) -> bool {
        matches!(
            self,
            Self::TooFew | Self::TooFewRepeats | Self::NoInterval | Self::OtherRate | Self::Undecided
        )
    }

    /// What a change means that is shown.
    pub(super) fn of_change(better: Better, from: f64, to: f64) -> Self {
        let is_better = (to > from) == (better == Better::Higher);
        // By comparing products and not quotients, so that a figure of zero needs no case of its own.
        let is_much = to >= from * MUCH_FACTOR || from >= to * MUCH_FACTOR;
        match (is_better, is_much) {
            (true, true) => Self::MuchBetter,
            (true, false) => Self::Better,
            (false, true) => Self::MuchWorse,
            (false, false) => Self::Worse,
        }
    }

    /// What the change back means.
    const fn turned(self) -> Self {
        match self {
            Self::MuchBetter => Self::MuchWorse,
            Self::Better => Self::Worse,
            Self::Worse => Self::Better,
            Self::MuchWorse => Self::MuchBetter,
            same @ (Self::NoDifference
            | Self::TooFew
            | Self::TooFewRepeats
            | Self::NoInterval
            | Self::OtherRate
            | Self::Undecided
            | Self::Amount) => same,
        }
    }

    /// The words for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MuchBetter => "much better",
            Self::Better => "better",
            Self::NoDifference => "no difference shown",
            Self::Worse => "worse",
            Self::MuchWorse => "much worse",
            Self::TooFew => "measured too briefly to tell",
            Self::TooFewRepeats => "too few repeats to tell",
            Self::NoInterval => "no interval, so not judged",
            Self::Undecided => "only a bound is known, so the change is open",
            Self::OtherRate => "at another rate, so not judged",
            Self::Amount => "",
        }
    }
}

/// An interval that includes zero says that two are about equal only if no change in it is larger than this factor.
// A choice: five repeats of runs that differ by 5 % stay within it, and a quarter more or less rarely decides what to buy. An interval
// from half to double leaves open which of the two is the better one, and must not look like an answer.
const SAME_FACTOR: f64 = 1.25;

/// Whether an interval is shown. `reach` is half its width in logarithms.
fn is_shown(reach: f64) -> bool {
    reach <= MOST_REACH_FACTOR.ln()
}

impl Pair {
    pub(super) fn new(baseline: &Configuration, other: &Configuration) -> Self {
        let judge = PairJudge::new(baseline, other);
        let deltas = baseline.figures.iter().filter_map(|(metric, from)| {
            let to = other.figure(metric)?;
            // From nothing to something is no change in percent.
            // Two zeros are kept: that nothing changed is an answer.
            let is_told = *from > 0.0 || to == 0.0;
            is_told.then(|| judge.delta(metric, *from, to))
        });
        Self {
            baseline: baseline.key.clone(),
            configuration: other.key.clone(),
            deltas: deltas.collect(),
            bounded: BoundedDelta::all(baseline, other),
        }
    }

    /// The same pair looked at from the other configuration.
    pub(super) fn turned(&self) -> Self {
        // From nothing to something is no change in percent.
        let deltas = self.deltas.iter().filter(|delta| delta.to > 0.0 || delta.from == 0.0);
        Self {
            baseline: self.configuration.clone(),
            configuration: self.baseline.clone(),
            deltas: deltas.map(Delta::turned).collect(),
            bounded: self.bounded.iter().map(BoundedDelta::turned).collect(),
        }
    }

    /// The change of a metric that is known only as a bound.
    pub fn bounded_delta(&self, metric: &Metric) -> Option<&BoundedDelta> {
        self.bounded.iter().find(|delta| delta.metric == *metric)
    }

    /// The change of one metric.
    pub fn delta(&self, metric: &Metric) -> Option<&Delta> {
        self.deltas.iter().find(|delta| delta.metric == *metric)
    }

    /// The changes by which configurations are ranked.
    pub(crate) fn ranked(&self) -> impl Iterator<Item = &Delta> {
        let is_at_another_rate = |delta: &Delta| delta.reading == Reading::OtherRate;
        let is_sum = |delta: &Delta| delta.metric.is_sum_of(|part| self.delta(part).is_some());
        let is_meant =
            move |delta: &&Delta| delta.metric.is_ranked() && !is_at_another_rate(delta) && !is_sum(delta);
        self.deltas.iter().filter(is_meant)
    }

    /// The changes of a group of metrics, of those by which configurations are ranked.
    pub(super) fn of_group(&self, group: MetricGroup) -> impl Iterator<Item = &Delta> {
        self.ranked().filter(move |delta| delta.metric.group() == group)
    }

    /// Whether a figure of a role is that of all I/Os of its stream, as of commits where only the log has any.
    pub(super) fn is_of_all(&self, delta: &Delta) -> bool {
        let MetricKey::OfRole(_, stream, figure) = delta.metric.key else { return false };
        let of_all = Metric { key: MetricKey::Figure(stream, figure), ..delta.metric.clone() };
        self.delta(&of_all).is_some_and(|of_all| (of_all.from, of_all.to) == (delta.from, delta.to))
    }

    /// The changes by which configurations are ranked within a role.
    pub(super) fn ranked_in_roles(&self) -> impl Iterator<Item = &Delta> {
        self.deltas.iter().filter(|delta| delta.metric.is_ranked_in_role())
    }
}

/// Whether one is lower or higher than another for sure, by more than printed figures are off. `None` where that is open.
pub(super) fn surely(one: Amount, other: Amount) -> Option<Ordering> {
    let (least, most) = other.change_percent(one);
    let is_clear = least.is_some_and(|least| least >= PRINTED_SAME_PERCENT)
        || most.is_some_and(|most| most <= -PRINTED_SAME_PERCENT);
    // «1 ms» may be 0.95 ms, and then «< 1 ms» may be more.
    one.surely(other).filter(|_| is_clear)
}

impl BoundedDelta {
    fn all(baseline: &Configuration, other: &Configuration) -> Vec<Self> {
        let of_both = baseline.figures.iter().map(|(metric, _)| metric);
        let of_both = of_both.chain(baseline.bounds.iter().map(|(metric, _)| metric));
        let delta = |metric: &Metric| {
            let (from, to) = (baseline.amount(metric)?, other.amount(metric)?);
            let is_bounded = from.exact().is_none() || to.exact().is_none();
            is_bounded.then(|| Self::new(metric.clone(), from, to))
        };
        let mut all: Vec<Self> = of_both.filter_map(delta).collect();
        all.sort_by_key(|delta| delta.metric.position());
        all
    }

    pub(super) fn new(metric: Metric, from: Amount, to: Amount) -> Self {
        let (least_percent, most_percent) = from.change_percent(to);
        // By the factor that is sure: «< 1 ms» after 4 ms is at least four times as fast, and nobody knows whether it is more.
        let ((low, high), (to_low, to_high)) = (from.range(), to.range());
        let is_much = to_low >= high * MUCH_FACTOR || low >= to_high * MUCH_FACTOR;
        let reading = match (metric.better(), surely(to, from)) {
            (None, _) => Reading::Amount,
            (Some(_), None | Some(Ordering::Equal)) => Reading::Undecided,
            (Some(better), Some(order)) => {
                let is_better = (order == Ordering::Greater) == (better == Better::Higher);
                match (is_better, is_much) {
                    (true, true) => Reading::MuchBetter,
                    (true, false) => Reading::Better,
                    (false, true) => Reading::MuchWorse,
                    (false, false) => Reading::Worse,
                }
            }
        };
        Self { metric, from, to, least_percent, most_percent, reading }
    }

    fn turned(&self) -> Self {
        Self::new(self.metric.clone(), self.to, self.from)
    }

    /// The end of the change that is nearer to none, in percent: below −75 where it fell by more than that, at most −75 where by that
    /// much or more. `None` where nothing is sure, and of a change that is not for the better or the worse.
    pub fn sure_change(&self) -> Option<Bounded> {
        use BoundRelation as Relation;
        let is_sure = self.reading.is_better() || self.reading.is_worse();
        let ((from_low, from_high), (to_low, to_high)) = (self.from.includes_ends(), self.to.includes_ends());
        let less = if from_low && to_high { Relation::AtMost } else { Relation::Below };
        let more = if from_high && to_low { Relation::AtLeast } else { Relation::Above };
        let fell = self.most_percent.filter(|most| *most <= 0.0).map(|most| (less, most));
        let rose = self.least_percent.filter(|least| *least >= 0.0).map(|least| (more, least));
        let change = fell.or(rose).filter(|_| is_sure);
        change.map(|(relation, value)| Bounded { relation, value })
    }
}

fn is_of_longest(metric: &Metric) -> bool {
    metric.key.figure().is_some_and(|(_, figure)| figure == Figure::LatencyMax)
}

impl Delta {
    /// A change of a figure of a curve; `reach` is half the width of its interval in logarithms, `None` where that is not known.
    pub(super) fn of_curve(metric: Metric, from: f64, to: f64, reach: Option<f64>) -> Self {
        let percent = percent_of(from, to);
        let interval = reach.filter(|reach| reach.is_finite());
        let interval = interval.map(|reach| Interval::around((to / from).ln(), reach));
        let reading = match (metric.better(), interval) {
            (None, _) => Reading::Amount,
            (Some(_), None) => Reading::NoInterval,
            (Some(_), Some(one)) if one.is_open() => Reading::TooFew,
            // Two measurements of one load differ by a percent each, however well a curve fits.
            (Some(_), Some(one)) if one.includes_zero() || percent.abs() < PRINTED_SAME_PERCENT => {
                Reading::NoDifference
            }
            (Some(better), Some(_)) => Reading::of_change(better, from, to),
        };
        Self { metric, from, to, percent, interval, reading }
    }

    /// Whether it is of the longest I/O, of which only repeats tell anything.
    pub(super) fn is_of_longest(&self) -> bool {
        is_of_longest(&self.metric)
    }

    /// By which factor it is better, whichever way is better; below 1 where it is worse.
    pub(super) fn gain_factor(&self) -> f64 {
        match self.metric.better() {
            Some(Better::Higher) => self.to / self.from,
            _ => self.from / self.to,
        }
    }

    /// The change back: what doubles one way halves the other.
    fn turned(&self) -> Self {
        // With p the change in percent, the change back is 1 / (1 + p / 100) − 1. The ends of the interval
        // swap places.
        let back = |percent: f64| 100.0 * (100.0 / (100.0 + percent) - 1.0);
        Self {
            metric: self.metric.clone(),
            from: self.to,
            to: self.from,
            percent: percent_of(self.to, self.from),
            interval: self.interval.map(|one| Interval {
                low_percent: back(one.high_percent),
                high_percent: back(one.low_percent),
            }),
            reading: self.reading.turned(),
        }
    }
}

/// Whether stated repeats of both reach what the other one states, which shows no difference between them.
pub(super) fn ranges_meet(one: &Configuration, other: &Configuration, metric: &Metric) -> bool {
    let ranges = one.stated_range(metric).zip(other.stated_range(metric));
    ranges.is_some_and(|((a_low, a_high), (b_low, b_high))| a_low <= b_high && b_low <= a_high)
}

/// The shown changes of each stream that has metrics among these, in the order of the streams.
pub(super) fn stream_ranges<'d>(deltas: impl Iterator<Item = &'d Delta>) -> Vec<StreamRange> {
    let mut all: Vec<StreamRange> = Vec::new();
    for delta in deltas {
        let stream = delta.metric.key.figure().map(|(of, _)| of.stream);
        let place = all.iter().position(|one| one.stream == stream).unwrap_or_else(|| {
            all.push(StreamRange { stream, shown_percent: None });
            all.len() - 1
        });
        // Changes that are not shown would stretch the range by chance.
        if delta.reading.is_better() || delta.reading.is_worse() {
            let (low, high) = all[place].shown_percent.unwrap_or((delta.percent, delta.percent));
            all[place].shown_percent = Some((low.min(delta.percent), high.max(delta.percent)));
        }
    }
    all.sort_by_key(|one| one.stream);
    all
}

pub(super) fn percent_of(from: f64, to: f64) -> f64 {
    // Equal figures first: 0 / 0 would be no number, and two zeros are a change of zero.
    if from == to { 0.0 } else { 100.0 * (to / from - 1.0) }
}

/// Judges the changes of one pair.
pub(super) struct PairJudge<'c> {
    baseline: &'c Configuration,
    other: &'c Configuration,
    /// The share of error that each metric is left, so that all of them together have what is left of
    /// certainty.
    share: OnceCell<f64>,
    /// The same of the metrics of roles, which are a question of their own: they must not make the intervals of
    /// everything together wider.
    share_in_roles: OnceCell<f64>,
    /// Whether a search chose the rates of their loads, and they differ.
    is_at_another_rate: bool,
}

impl<'c> PairJudge<'c> {
    pub(super) fn new(baseline: &'c Configuration, other: &'c Configuration) -> Self {
        let is_at_another_rate = baseline.is_at_another_rate(other);
        Self { baseline, other, share: OnceCell::new(), share_in_roles: OnceCell::new(), is_at_another_rate }
    }

    /// Once for a pair, and only if a metric asks: it reads all draws of both, which is the expensive part.
    fn share_of(&self, metric: &Metric) -> f64 {
        let is_of_role = metric.is_of_role();
        let known = if is_of_role { &self.share_in_roles } else { &self.share };
        *known.get_or_init(|| share_of_each(self.baseline, self.other, is_of_role))
    }

    pub(super) fn delta(&self, metric: &Metric, from: f64, to: f64) -> Delta {
        let percent = percent_of(from, to);
        let of_its_kind = match &metric.key {
            MetricKey::Capacity => self.of_capacity(metric, from, to),
            key if key.figure().is_some() && self.is_at_another_rate => Some((None, Reading::OtherRate)),
            _ => self.of_longest(metric, from, to),
        };
        if let Some((interval, reading)) = of_its_kind {
            return Delta { metric: metric.clone(), from, to, percent, interval, reading };
        }
        let known = self.interval(metric, from, to);
        let interval = known.filter(|(_, reach)| is_shown(*reach));
        let interval = interval.map(|(change, reach)| Interval::around(change, reach));
        let is_left_out = known.is_some() && interval.is_none();
        let reading = match metric.better() {
            Some(_) if is_left_out => self.too_little(),
            _ => self.read(metric, from, to, interval),
        };
        Delta { metric: metric.clone(), from, to, percent, interval, reading }
    }

    /// What a change means whose interval is too wide: more repeats narrow it, or a longer run.
    fn too_little(&self) -> Reading {
        if self.run_count() > 1 { Reading::TooFewRepeats } else { Reading::TooFew }
    }

    /// Of the highest rate within the limits, each known to lie between two rates, or to be at least one.
    fn of_capacity(&self, metric: &Metric, from: f64, to: f64) -> Option<(Option<Interval>, Reading)> {
        let (a, b) = (self.baseline.capacity?, self.other.capacity?);
        let Some((a_high, b_high)) = a.high_iops.zip(b.high_iops) else {
            // Of a bound one side is known: it may be beyond all of the other.
            let is_better = a.high_iops.is_some_and(|a_high| b.low_iops > a_high);
            let is_worse = b.high_iops.is_some_and(|b_high| a.low_iops > b_high);
            let certain = Interval { low_percent: percent_of(from, to), high_percent: percent_of(from, to) };
            let is_shown = is_better || is_worse;
            let reading =
                if is_shown { self.read(metric, from, to, Some(certain)) } else { Reading::Undecided };
            return Some((None, reading));
        };
        // From the ends of both: a little wider than a joint interval would be.
        let interval = Interval {
            low_percent: percent_of(a_high, b.low_iops),
            high_percent: percent_of(a.low_iops, b_high),
        };
        let reach = (b_high / b.low_iops * a_high / a.low_iops).ln() / 2.0;
        if reach.is_finite() && !is_shown(reach) {
            return Some((None, self.too_little()));
        }
        Some((Some(interval), self.read(metric, from, to, Some(interval))))
    }

    /// Of the longest latency of runs that were measured here: the interval and the reading that repeats allow.
    ///
    /// No draw has a longer I/O than the longest, so that the bootstrap knows nothing of it. What repeats tell is whether all runs of one
    /// side have a longer one than all of the other: of five against five that is chance in one of 126 times (2 / C(10, 5), the
    /// permutation test). The interval has the changes that would make the two sides overlap.
    fn of_longest(&self, metric: &Metric, from: f64, to: f64) -> Option<(Option<Interval>, Reading)> {
        let (of, _) = metric.key.figure().filter(|(_, figure)| *figure == Figure::LatencyMax)?;
        let (a_low, a_high) = self.baseline.longest_us(of)?;
        let (b_low, b_high) = self.other.longest_us(of)?;
        if self.run_count() < ENOUGH_REPEATS {
            let is_single = self.run_count() < 2;
            return Some((None, if is_single { Reading::NoInterval } else { Reading::TooFewRepeats }));
        }
        let interval =
            Interval { low_percent: percent_of(a_high, b_low), high_percent: percent_of(a_low, b_high) };
        Some((Some(interval), self.read(metric, from, to, Some(interval))))
    }

    /// The repeats of the side that has fewer of them.
    fn run_count(&self) -> usize {
        self.baseline.run_count().min(self.other.run_count())
    }

    fn read(&self, metric: &Metric, from: f64, to: f64, interval: Option<Interval>) -> Reading {
        let Some(better) = metric.better() else { return Reading::Amount };
        let is_same = match interval {
            // The longest of several repeats spreads as they do: more of them do not narrow it.
            Some(interval) if interval.is_open() && !is_of_longest(metric) => return self.too_little(),
            Some(interval) => interval.includes_zero(),
            // What an application did is told by somebody, as a printed figure is.
            None if self.is_as_told() || metric.group() == MetricGroup::Application => {
                // Equality by itself, because two zeros have no ratio.
                from == to
                    || 100.0 * (to / from - 1.0).abs() < PRINTED_SAME_PERCENT
                    // Repeats of which one set reaches into the other show no difference, however far their
                    // middles are apart.
                    || ranges_meet(self.baseline, self.other, metric)
            }
            // CPU time is counted over a whole run, and has no spread within it.
            None if metric.group() == MetricGroup::Cpu => return Reading::NoInterval,
            // Measured, but over too few intervals for a spread: to call it a change or none would both be
            // guessing.
            None => return Reading::TooFew,
        };
        if is_same { Reading::NoDifference } else { Reading::of_change(better, from, to) }
    }

    /// Whether figures are taken as stated, without an interval, because one side has nothing else. A run
    /// that was too short for a spread cannot be compared with it.
    fn is_as_told(&self) -> bool {
        let both = [self.baseline, self.other];
        // A run that is too short for a spread could differ from a stated figure by anything; two stated ones
        // are compared as the source intended.
        let is_known = |one: &&Configuration| one.is_printed || one.spread.is_some();
        both.iter().any(|one| one.is_printed) && both.iter().all(is_known)
    }

    /// The same of a metric of an application, from the repeats of both sides. `None` where one has only one.
    fn application_interval(&self, metric: &Metric, from: f64, to: f64) -> Option<(f64, f64)> {
        let of = |one: &'c Configuration| {
            one.application.iter().find(|(known, _)| known == metric).map(|(_, values)| values)
        };
        let error = |values: &Vec<f64>| {
            LogError::of_mean(&values.iter().map(|value| value.ln()).collect::<Vec<f64>>())
        };
        let (a, b) = (error(of(self.baseline)?)?, error(of(self.other)?)?);
        // Bonferroni over those that both have: nothing is known of how they move together.
        let count = self.baseline.application.len().max(1) as f64;
        let reach = a.reach_of_difference(b, (1.0 - CONFIDENCE) / count);
        let change = (to / from).ln();
        // What an application prints is rounded, so that repeats that agree to the last digit say nothing of chance.
        let varies = a.variance + b.variance > 0.0;
        (varies && change.is_finite() && reach.is_finite()).then_some((change, reach))
    }

    /// The change in logarithms, and how far its interval reaches to either side.
    fn interval(&self, metric: &Metric, from: f64, to: f64) -> Option<(f64, f64)> {
        if metric.group() == MetricGroup::Application {
            return self.application_interval(metric, from, to);
        }
        let (of_baseline, of_other) = (self.baseline.spread.as_ref()?, self.other.spread.as_ref()?);
        let error = |spread: &Spread| {
            let row = row_in(spread, metric)?;
            let error = spread.standard_errors[row];
            Some(LogError { variance: error * error, degrees: spread.degrees[row] })
        };
        let reach = error(of_baseline)?.reach_of_difference(error(of_other)?, self.share_of(metric));
        let change = (to / from).ln();
        // From or to zero there is no logarithm, and so no interval.
        change.is_finite().then_some((change, reach))
    }
}

/// What error each metric of a pair is left.
///
/// Metrics move together, so the probability that any of them errs is less than the sum. How they do is seen
/// in the draws from the intervals: the largest deviation of all metrics of a draw, in standard deviations,
/// is exceeded in 5 % of the draws by the limit that holds for all (Westfall and Young 1993, single step).
/// The answer is the share of a normal distribution beyond that limit. Where the draws are missing, the sum
/// of all is taken (Bonferroni).
///
/// The metrics of roles share an error of their own. p95 takes the limit of the others, with which it moves.
fn share_of_each(baseline: &Configuration, other: &Configuration, is_of_role: bool) -> f64 {
    let error = 1.0 - CONFIDENCE;
    // Without a spread no interval is computed, so the value does not matter.
    let Some(spread) = &baseline.spread else { return error };
    // Bonferroni is also the floor: no dependence between metrics can ask for more.
    // Reads and writes together move with the two, and take their limit.
    let is_meant = |(of, figure): &(StreamOf, Figure)| {
        of.role.is_some() == is_of_role && of.stream != Stream::Mixed && figure.ranks()
    };
    let count = spread.figures.iter().filter(|row| is_meant(row)).count();
    let least = error / count.max(1) as f64;
    let (Some(a), Some(b)) = (&baseline.together, &other.together) else { return least };
    // In single precision, half the memory: a thousand configurations have a thousand draws for each of
    // fifteen metrics.
    let mut largest = vec![0.0f32; DRAW_COUNT];
    for (position, (stream, figure)) in a.figures.iter().enumerate().filter(|(_, row)| is_meant(row)) {
        let Some(position_of_other) = b.position(*stream, *figure) else { continue };
        // The draws of both sides are independent, so the i-th of one may be paired with the i-th of the
        // other.
        let pairs = || a.deviations_of(position).iter().zip(b.deviations_of(position_of_other));
        let sum: f32 = pairs().map(|(a, b)| (a - b) * (a - b)).sum();
        // A metric that never varies in the draws cannot be the largest deviation.
        if sum > 0.0 {
            let unit = (sum / DRAW_COUNT as f32).sqrt().recip();
            for (largest, (a, b)) in largest.iter_mut().zip(pairs()) {
                *largest = largest.max((a - b).abs() * unit);
            }
        }
    }
    // The limit exceeded by 5 % of the draws, hence the twentieth part. Selecting is enough; nothing needs to
    // be sorted.
    let beyond = DRAW_COUNT / 20;
    let (_, limit, _) = largest.select_nth_unstable_by(beyond, |a, b| b.total_cmp(a));
    normal_beyond(f64::from(*limit)).clamp(least, error)
}
