//! Words for the verdict of a search: whether a needed rate is carried, or which rate is the highest.

use iotrial_model::finding::{Doubts, FindingId};
use iotrial_model::record::EndedHow;
use iotrial_model::search::{Probe, Search, SearchResult};
use iotrial_model::verdict::{Doubt, DoubtKind, Objection, Outcome, Ruling, SearchAnswer};

use super::{bearing, is_told_in_full, measured, objection, reasons, settled, shown, streams};
use crate::numbers::{capital, latency_in_words, rate_in_words, with_thousands};

/// The answer of a search in words.
pub(super) struct SearchWords {
    /// In a few words.
    pub headline: String,
    /// One sentence or two.
    pub sentence: String,
}

/// What a search found; `ruling` is that of the load that it kept, and `outcome` that of the search.
pub(super) fn search_words(
    answer: &SearchAnswer,
    outcome: Outcome,
    search: &Search,
    ruling: &Ruling,
) -> SearchWords {
    let limit = search.shown_limit().in_words();
    let said = Said { search, ruling, limit };
    let (headline, sentence) = match answer {
        SearchAnswer::Unfinished(how) => said.unfinished(*how),
        SearchAnswer::NeedFailed
        | SearchAnswer::NeedInDoubt { .. }
        | SearchAnswer::NeedCarried
        | SearchAnswer::NeedTooSlow
        | SearchAnswer::NeedNotCarried
        | SearchAnswer::NeedOutOfTime
        | SearchAnswer::NeedDisagrees => {
            let need = search.need.as_ref().map_or(0.0, |need| need.total_iops());
            said.about_need(answer, need)
        }
        SearchAnswer::RateFailed | SearchAnswer::RateInDoubt | SearchAnswer::Rate => {
            search.result.as_ref().map_or_else(Default::default, |result| said.about_rate(answer, result))
        }
        _ => said.without_rate(answer),
    };
    let headline = match outcome {
        Outcome::Inconclusive => format!("inconclusive: {headline}"),
        Outcome::Qualified | Outcome::NotQualified => headline,
    };
    SearchWords { headline, sentence }
}

/// What bears on the answer, without what its sentence has said in full.
pub(super) fn search_reasons(answer: &SearchAnswer, ruling: &Ruling) -> Vec<String> {
    let mut ruling = ruling.clone();
    match answer {
        SearchAnswer::NeedFailed | SearchAnswer::RateFailed => drop(ruling.objections.remove(0)),
        SearchAnswer::NoRate => ruling.objections.retain(|one| !is_limit_missed(one)),
        SearchAnswer::NeedInDoubt { .. }
        | SearchAnswer::TooFewIos
        | SearchAnswer::NoRateInDoubt
        | SearchAnswer::OutOfTime
        | SearchAnswer::Disagrees
        | SearchAnswer::RateInDoubt => ruling.doubts.retain(|one| !is_told_in_full(one)),
        _ => {}
    }
    reasons(&ruling)
}

fn asked_below(search: &Search, iops: f64) -> bool {
    search.probes.iter().any(|probe| probe.asked_iops.is_some_and(|asked| asked < iops))
}

struct Said<'s> {
    search: &'s Search,
    ruling: &'s Ruling,
    limit: String,
}

impl Said<'_> {
    fn unfinished(&self, how: EndedHow) -> (String, String) {
        let ended = if how == EndedHow::Failed { "failed" } else { "was interrupted" };
        let what = match self.search.need {
            Some(_) => "whether the needed rate is sustained",
            None => "the highest rate",
        };
        let (limit, known) = (&self.limit, known_so_far(self.search));
        (
            format!("the search {ended}"),
            format!("The search for {what} within {limit} {ended} before it had an answer: {known}."),
        )
    }

    /// Whether the needed rate is carried, and with how much to spare.
    fn about_need(&self, answer: &SearchAnswer, need: f64) -> (String, String) {
        let (limit, asked) = (&self.limit, rate_in_words(need));
        let cannot_tell = || format!("cannot tell whether it sustains {asked} IOPS");
        let does_not = || format!("does not sustain {asked} IOPS");
        let long_one = || {
            let worst = self.worst("of that load");
            format!("most loads at {asked} IOPS stayed within {limit}, but the long one did not{worst}")
        };
        match answer {
            SearchAnswer::NeedInDoubt { is_too_slow } => {
                let doubts = &self.ruling.doubts;
                let seen = if *is_too_slow { long_one() } else { self.seen_at_need(need, &asked) };
                (cannot_tell(), format!("Inconclusive{}. {}.", after_colon(doubts), capital(&seen)))
            }
            SearchAnswer::NeedCarried => self.carried(need, &asked),
            SearchAnswer::NeedTooSlow => (cannot_tell(), format!("Inconclusive: {}.", long_one())),
            SearchAnswer::NeedNotCarried => {
                let why = self.search.decisive_failure(need).and_then(|probe| probe.why_not.as_deref());
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                let instead = match &self.search.result {
                    Some(result) => {
                        format!("{}{} IOPS of this mix do", at_least(result), rate_in_words(result.held_iops))
                    }
                    // Only rounding differs at the same rate.
                    None if asked_below(self.search, 0.999 * need) => {
                        "none of the rates that were tried does".to_owned()
                    }
                    None => "there was no time to try lower rates".to_owned(),
                };
                let measured = measured(&self.ruling.caveats);
                // It is a «no» for what they left.
                let is_shared =
                    self.ruling.doubts.iter().any(|doubt| matches!(doubt.kind, DoubtKind::ForeignLoad));
                let shared = if is_shared { "; other programs used its disks meanwhile" } else { "" };
                (
                    does_not(),
                    format!(
                        "Does not sustain the {asked} IOPS that are needed within {limit}{why}; {instead}{shared}{measured}."
                    ),
                )
            }
            SearchAnswer::NeedOutOfTime => (
                format!("{}: the time ran out", cannot_tell()),
                format!(
                    "Inconclusive: the time ran out before enough loads at {asked} IOPS showed whether they stay within {limit} ({}).",
                    known_so_far(self.search)
                ),
            ),
            SearchAnswer::NeedDisagrees => {
                let held = self.search.at_need(need).filter(|probe| probe.held == Some(true)).count();
                let failed = self.search.at_need(need).filter(|probe| probe.held != Some(true));
                let doubts = Doubts::of_all(failed.map(|probe| &probe.doubts));
                let why = match doubts.is_empty() {
                    true => String::new(),
                    false => format!(", but {} there", doubts.in_words()),
                };
                let count = self.search.at_need(need).count();
                (
                    cannot_tell(),
                    format!(
                        "Inconclusive: of {count} loads at {asked} IOPS {held} stayed within {limit}, and the others did not{why}."
                    ),
                )
            }
            _ => (does_not(), format!("Not qualified: {}.", self.objection())),
        }
    }

    /// What the loads at the needed rate showed, where something casts doubt on it.
    fn seen_at_need(&self, need: f64, asked: &str) -> String {
        let limit = &self.limit;
        let has_any = |held: bool| self.search.at_need(need).any(|probe| probe.held == Some(held));
        match self.search.carries_need {
            Some(true) => format!("the loads at {asked} IOPS stayed within {limit}"),
            Some(false) => format!("the loads at {asked} IOPS did not stay within {limit}"),
            // Loads in doubt decide nothing, also where all of them failed.
            None => match (has_any(true), has_any(false)) {
                (true, true) => {
                    format!("some of the loads at {asked} IOPS stayed within {limit}, and others did not")
                }
                (false, true) => format!("none of the loads at {asked} IOPS stayed within {limit}"),
                _ => format!(
                    "too few loads at {asked} IOPS were made to show whether they stay within {limit}"
                ),
            },
        }
    }

    fn carried(&self, need: f64, asked: &str) -> (String, String) {
        let limit = &self.limit;
        let result = self.search.result.as_ref();
        let headroom = result.map(|result| (result, 100.0 * (result.held_iops / need - 1.0)));
        let (headroom, which) = match headroom.filter(|(_, percent)| *percent >= 1.0) {
            Some((result, percent)) => {
                let at_least = at_least(result);
                (
                    // As the rate itself: what is promised is rounded down.
                    format!("{at_least}{} % headroom", with_thousands(percent.floor())),
                    format!(
                        " ({at_least}{} IOPS stay within {limit}{})",
                        rate_in_words(result.held_iops),
                        on_device(result)
                    ),
                )
            }
            None => ("no headroom to speak of".to_owned(), String::new()),
        };
        let worst = self.worst(&format!("at {asked} IOPS"));
        let measured = measured(&self.ruling.caveats);
        let settled = settled(&self.ruling.settled);
        (
            format!("sustains {asked} IOPS with {headroom}"),
            format!(
                "Sustains the {asked} IOPS that are needed within {limit}, with {headroom}{which}{worst}{measured}{settled}."
            ),
        )
    }

    /// Why there is no highest rate.
    fn without_rate(&self, answer: &SearchAnswer) -> (String, String) {
        let (limit, tried, doubts) =
            (&self.limit, known_so_far(self.search), after_colon(&self.ruling.doubts));
        match answer {
            SearchAnswer::NoRate => {
                let missed = self.ruling.objections.iter().find(|one| is_limit_missed(one));
                let missed = missed.map(objection).unwrap_or_default();
                (format!("no rate stays within {limit}"), format!("Not qualified: {missed}."))
            }
            SearchAnswer::NoRateInDoubt => (
                format!("no rate stayed within {limit}, but the device may not be the only cause"),
                format!(
                    "Inconclusive{doubts}. None of the rates that were tried stayed within {limit} ({tried})."
                ),
            ),
            SearchAnswer::TooFewIos => (
                "too few I/Os to judge a lower rate".to_owned(),
                format!(
                    "Inconclusive{doubts}. At lower rates too few I/Os finished to judge them by {limit} ({tried})."
                ),
            ),
            SearchAnswer::OutOfTime => (
                "the time ran out before a longer run confirmed a rate".to_owned(),
                format!(
                    "Inconclusive: the time of the search ran out before a longer run confirmed a rate within {limit} ({tried}){doubts}."
                ),
            ),
            _ => (
                "loads contradict each other".to_owned(),
                format!(
                    "Inconclusive: loads contradict each other, so the highest rate within {limit} is not known ({tried}){doubts}."
                ),
            ),
        }
    }

    /// The highest rate, and what speaks against it.
    fn about_rate(&self, answer: &SearchAnswer, result: &SearchResult) -> (String, String) {
        let (limit, at_least) = (&self.limit, at_least(result));
        let iops = rate_in_words(result.held_iops);
        let unit = if result.device_iops.is_some() { "I/Os and commits a second" } else { "IOPS" };
        let split = result.read_iops.zip(result.write_iops).map_or_else(String::new, |(read, write)| {
            let writes = if result.device_iops.is_some() { "writes and commits" } else { "writes a second" };
            let (read, write) = (rate_in_words(read), rate_in_words(write));
            format!(" ({read} reads and {write} {writes}{})", on_device(result))
        });
        let (above, saturation) = (self.above(result), self.saturation());
        match answer {
            SearchAnswer::RateFailed => (
                format!("{at_least}{iops} {unit} within {limit}, but not qualified"),
                format!(
                    "Not qualified: {}. The loads up to {iops} {unit} stayed within {limit}.",
                    self.objection()
                ),
            ),
            SearchAnswer::RateInDoubt => (
                format!("{iops} {unit} stayed within {limit}, but the figures are in doubt"),
                format!(
                    "Inconclusive{}. {iops} {unit} of this mix{split} stayed within {limit}{above}.{saturation}",
                    after_colon(&self.ruling.doubts)
                ),
            ),
            _ => (
                format!("sustains {at_least}{iops} {unit} within {limit}"),
                format!(
                    "Sustains {at_least}{iops} {unit} of this mix{split} within {limit}{above}{}{}{}{}.{saturation}",
                    self.worst("at that rate"),
                    bearing::not_proven(&self.ruling.gaps),
                    measured(&self.ruling.caveats),
                    settled(&self.ruling.settled)
                ),
            ),
        }
    }

    /// What is known of higher rates.
    fn above(&self, result: &SearchResult) -> String {
        let (search, held) = (self.search, result.held_iops);
        match (result.not_held_iops, result.not_held_doubts.is_empty()) {
            (None, _) if search.was_tried_above(held) => search.failed_above(held).map_or_else(
                || "; too few loads were made at higher rates to tell".to_owned(),
                |failed| {
                    format!("; a load at {} did not pass, but that alone is no proof", rate_in_words(failed))
                },
            ),
            (None, _) if search.time_ran_out => "; there was no time to try higher rates".to_owned(),
            (None, _) => "; no rate above that of the closed load was tried".to_owned(),
            (Some(_), false) => {
                format!("; loads at higher rates failed while {}", result.not_held_doubts.in_words())
            }
            (Some(above), true) => {
                let why = search.why_not_above(held).map_or_else(String::new, |why| format!(": {why}"));
                format!("; {} do not{why}", rate_in_words(above))
            }
        }
    }

    /// Throughput at saturation, with a latency that only says how many I/Os were outstanding.
    fn saturation(&self) -> String {
        let saturation = self.search.saturation().filter(|probe| probe.iops > 0.0);
        saturation.map_or_else(String::new, |probe: &Probe| {
            let latency = probe.lat_mean_us.map(|us| format!(" at {} mean", latency_in_words(us)));
            format!(" At saturation: {} IOPS{}.", rate_in_words(probe.iops), latency.unwrap_or_default())
        })
    }

    /// `place` says which load or rate it is the worst of.
    fn worst(&self, place: &str) -> String {
        self.ruling.worst().map_or_else(String::new, |worst| {
            format!(
                "; the worst figure {place} is the {} of {}, {} (rated {} by `{}`)",
                worst.statistic,
                streams(worst),
                shown(worst),
                worst.category,
                self.ruling.set
            )
        })
    }

    fn objection(&self) -> String {
        self.ruling.objections.first().map(objection).unwrap_or_default()
    }
}

fn is_limit_missed(one: &Objection) -> bool {
    one.finding().id == FindingId::LatencyLimitMissed
}

fn after_colon(all: &[Doubt]) -> String {
    if all.is_empty() { String::new() } else { format!(": {}", bearing::doubts(all)) }
}

fn at_least(result: &SearchResult) -> &'static str {
    if result.is_lower_bound() { "at least " } else { "" }
}

/// What the device did at the rate that holds, where that is less than what counts.
fn on_device(result: &SearchResult) -> String {
    result.device_iops.map_or_else(String::new, |iops| {
        format!("; {} IOPS on the device, because commits share log writes", rate_in_words(iops))
    })
}

/// What the loads of a search have shown so far.
fn known_so_far(search: &Search) -> String {
    let rates = |held: bool| {
        let loads = search.probes.iter().filter(move |probe| probe.held == Some(held));
        loads.filter_map(|probe| probe.asked_iops)
    };
    let held = rates(true).reduce(f64::max).map(rate_in_words);
    let failed = rates(false).reduce(f64::min).map(rate_in_words);
    match (held, failed) {
        (None, None) => "no rate was tried yet".to_owned(),
        (Some(held), None) => format!("up to {held} IOPS passed"),
        (None, Some(failed)) => format!("{failed} IOPS did not pass"),
        // Chance may let a rate pass and fail a lower one.
        (Some(held), Some(failed)) => {
            format!("a load at {held} IOPS passed, and one at {failed} IOPS did not")
        }
    }
}
