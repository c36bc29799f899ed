//! What a job works on: how large, in how many files, from where on.

use iotrial_model::load::Pattern;
use iotrial_model::units::ByteSize;

use super::super::block_size::{BlockSize, toml_size};
use super::super::value::is_off;
use super::{Amount, JobReader, amount, number};

/// Where the size comes from that the job does not say.
const ASKED: &str = "asked for";

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100 % of a size")]
fn share_of(size: ByteSize, percent: f64) -> u64 {
    (size.get() as f64 * percent / 100.0) as u64
}

impl JobReader<'_, '_> {
    /// The size of the job's data, all copies together; adds its key.
    pub(super) fn read_region(&mut self, pattern: Pattern, numjobs: u64, block_size: &BlockSize) -> ByteSize {
        // Without a size nothing below makes sense; the mistake is noted where it is found.
        let Some((bytes, origin)) = self.bytes_of_a_copy() else { return block_size.largest() };
        let is_asked = origin == ASKED;
        if self.setting("offset").is_some_and(|setting| !is_off(setting.value.as_deref())) {
            let setting = self.origin("offset");
            self.note(&format!("{setting}: iotrial's file begins where that region would"));
        }
        let (total, origin) = match numjobs {
            1 => (Some(bytes), origin),
            // What was asked for is of all copies together.
            _ if is_asked => (Some(bytes), origin),
            _ => self.bytes_of_all_copies(bytes, origin, pattern, numjobs),
        };
        // 1 EiB: beyond it sums of files overflow.
        let total = total.map(ByteSize::bytes).filter(|total| total.get() <= 1 << 60);
        let size = match total {
            Some(size) if size >= block_size.largest() => size,
            other => {
                let reason = other.map_or_else(
                    || "it is too large".to_owned(),
                    |size| format!("it must hold at least one block of {}, not {size}", block_size.largest()),
                );
                if let Some(setting) = self.setting("size").or_else(|| self.setting("filesize")) {
                    self.refuse(setting, &reason);
                }
                block_size.largest()
            }
        };
        self.key("size", toml_size(size), origin);
        size
    }

    /// What one copy works on; `None` where it is not said, which is a mistake.
    fn bytes_of_a_copy(&mut self) -> Option<(u64, String)> {
        let base = self.base;
        let nrfiles = self.number_in("nrfiles", 1..=1_000_000, 1);
        if nrfiles > 1 {
            let files = self.origin("nrfiles");
            self.note(&format!(
                "{files}: a job of iotrial has one file on each target, as large as all of them"
            ));
        }
        if let Some(setting) = self.setting("file_service_type").filter(|_| nrfiles > 1) {
            let text = setting.value.as_deref().unwrap_or_default();
            // Other services prefer some files (zipf, gauss), and a file of ours is uniform.
            if !["random", "roundrobin"].iter().any(|kind| text.starts_with(kind)) {
                self.refuse(
                    setting,
                    "random and roundrobin are understood: every file is as likely as any other",
                );
            }
        }
        let hint = "give `size` with a unit, such as size=10g; `run` takes --size for it";
        let size = match self.setting("size") {
            Some(setting) => match self.parsed("size", |text| amount(text, base))? {
                Amount::Whole(bytes) if bytes > 0 => Some(bytes),
                Amount::Percent(percent) if self.size_asked.is_some() && percent > 0.0 => {
                    return self.size_asked.map(|size| (share_of(size, percent), ASKED.to_owned()));
                }
                _ => {
                    let reason = "fio takes it from the file or device, which a profile does not know";
                    self.refuse_with_hint(setting, reason, hint);
                    return None;
                }
            },
            None => None,
        };
        let of_files = match self.setting("filesize") {
            Some(setting) => {
                let bytes = self.parsed("filesize", |text| number(text, base))?.checked_mul(nrfiles);
                // Where the two disagree, nobody can say which was meant.
                if size.is_some() && size != bytes {
                    self.refuse_with_hint(setting, "it is not what `size` says", "keep one of them");
                }
                bytes
            }
            None => None,
        };
        match (size, of_files) {
            (Some(bytes), _) => Some((bytes, self.origin("size"))),
            (None, Some(bytes)) => Some((bytes, self.origin("filesize"))),
            (None, None) if self.size_asked.is_some() => {
                self.size_asked.map(|size| (size.get(), ASKED.to_owned()))
            }
            (None, None) => {
                let message = format!(
                    "job `{}` has no `size`: fio takes it from the file or device, which a profile does not know",
                    self.section.name
                );
                self.error.refuse(&self.section.place, message, Some(hint.to_owned()));
                None
            }
        }
    }

    /// What several copies work on together: files of their own, or parts of one.
    fn bytes_of_all_copies(
        &mut self,
        bytes: u64,
        origin: String,
        pattern: Pattern,
        numjobs: u64,
    ) -> (Option<u64>, String) {
        let base = self.base;
        // Without a name every copy has files of its own.
        if self.filename.is_none() {
            return (
                bytes.checked_mul(numjobs),
                format!("{origin}, for each of {numjobs} copies, which have files of their own in fio"),
            );
        }
        let step = match self.setting("offset_increment") {
            None => 0,
            Some(setting) => match self.parsed("offset_increment", |text| amount(text, base)) {
                Some(Amount::Whole(step)) => step,
                Some(Amount::Percent(_)) => {
                    self.refuse(
                        setting,
                        "fio takes it from the file or device, which a profile does not know",
                    );
                    0
                }
                None => 0,
            },
        };
        if step == 0 {
            if pattern == Pattern::Sequential {
                self.note(
                    "the copies of a sequential job begin at the same block in fio; in iotrial each has its own part of the file",
                );
            }
            return (Some(bytes), origin);
        }
        let increment = self.origin("offset_increment");
        // In fio gaps between the regions of the copies stay untouched, and overlaps are touched twice.
        if step != bytes {
            self.note(&format!("{increment}: the copies share the whole region, without gaps and overlaps"));
        }
        // Parts that lie apart are as large as all of them; parts that overlap reach from the first to the
        // last.
        let total = if step < bytes {
            step.checked_mul(numjobs - 1).and_then(|before| before.checked_add(bytes))
        } else {
            bytes.checked_mul(numjobs)
        };
        (total, format!("{origin}, {increment}, {numjobs} copies"))
    }
}
