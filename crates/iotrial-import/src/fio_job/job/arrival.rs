//! The rate of a job: fio holds each copy and each direction at a rate of its own, iotrial the job as a
//! whole.

use super::super::value::is_off;
use super::{JobReader, Key, Mix, by_direction, number, quoted};

/// What the rates of a job come to.
#[derive(Debug, Default)]
pub(super) struct RateLimits {
    /// The keys of the profile.
    pub keys: Vec<Key>,
    /// The share of reads that the rates of both directions make.
    pub read_percent: Option<u8>,
    /// Where that comes from.
    pub mix_origin: Option<String>,
}

impl JobReader<'_, '_> {
    /// Reads `rate`, `rate_iops` and `rate_process`.
    pub(super) fn read_arrival(&mut self, mix: Mix) -> RateLimits {
        let spacing = match self.text("rate_process") {
            // fio's `linear` spaces I/Os evenly.
            None | Some("linear") => "uniform",
            Some("poisson") => "poisson",
            Some(_) => {
                if let Some(setting) = self.setting("rate_process") {
                    self.refuse(setting, "linear and poisson are understood");
                }
                "uniform"
            }
        };
        let given = |name| self.setting(name).filter(|setting| !is_off(setting.value.as_deref()));
        let (setting, unit) = match (given("rate_iops"), given("rate")) {
            (Some(iops), Some(_)) => {
                self.refuse(iops, "a job has a rate in I/Os or in bytes, not both");
                return RateLimits::default();
            }
            (Some(iops), None) => (iops, " iops"),
            (None, Some(bytes)) => (bytes, "B/s"),
            (None, None) => return RateLimits::default(),
        };
        let base = self.base;
        let read = |text: Option<&str>| text.map_or(Ok(0), |text| number(text, base));
        // In fio a rate without a comma holds for each direction.
        let parts = by_direction(setting.value.as_deref().unwrap_or_default());
        let (reads, writes) = match (read(parts[0]), read(parts[1])) {
            (Ok(reads), Ok(writes)) => (reads, writes),
            (Err(message), _) | (_, Err(message)) => {
                self.refuse(setting, &message);
                return RateLimits::default();
            }
        };
        let [does_read, does_write] = mix.directions();
        // A rate for a direction that the job does not have is without effect in fio.
        let reads = if does_read { reads } else { 0 };
        let writes = if does_write { writes } else { 0 };
        let origin = super::origin_of(setting);
        let mut limits = RateLimits::default();
        if does_read && does_write {
            // One direction held back while the other runs free is two loads.
            if reads == 0 || writes == 0 {
                let hint = "give both, as in rate_iops=700,300, or make a job for each direction";
                self.refuse_with_hint(setting, "it limits one of two directions", hint);
                return limits;
            }
            let share = 100.0 * reads as f64 / (reads as f64 + writes as f64);
            let percent = nearest_percent(share);
            // Reported even where it is little, because a mix that is off changes both rates.
            if (share - f64::from(percent)).abs() > 1e-9 {
                self.note(&format!(
                    "`{setting}`: {share:.2} % of the I/Os are reads, and a profile takes whole percentages"
                ));
            }
            limits.read_percent = Some(percent);
            limits.mix_origin =
                Some(format!("{origin}: fio holds each direction at its rate, whatever rwmixread says"));
        }
        // Rates are for each copy in fio.
        let numjobs = self.setting("numjobs").and_then(|_| self.number("numjobs")).unwrap_or(1);
        let Some(rate) = reads.checked_add(writes).and_then(|rate| rate.checked_mul(numjobs)) else {
            self.refuse(setting, "it is too large");
            return limits;
        };
        if rate == 0 {
            return limits;
        }
        let copies = if numjobs > 1 { format!(", for each of {numjobs} copies") } else { String::new() };
        limits.keys.push(Key {
            name: "rate",
            value: quoted(&format!("{rate}{unit}")),
            origin: format!("{origin}{copies}"),
        });
        limits.keys.push(Key {
            name: "spacing",
            value: quoted(spacing),
            origin: self.origin("rate_process"),
        });
        self.note(
            "with a rate, latency runs from the time an I/O is due, and `iodepth` bounds what is outstanding; fio times it from its issue",
        );
        limits
    }
}

/// A share of both directions, so that none is left without any.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 1 to 99")]
fn nearest_percent(share: f64) -> u8 {
    share.round().clamp(1.0, 99.0) as u8
}
