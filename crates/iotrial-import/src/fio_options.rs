//! The options of a fio job as its results list them, and the load that they make.

use std::collections::BTreeMap;

use iotrial_model::imported::{StatedBlockSize, StatedLoad};
use iotrial_model::load::{Direction, Durability, Pattern};
use iotrial_model::units::ByteSize;

use crate::scan::number_and_unit;
use crate::text::{Notes, quote};

/// Options of a job with the global ones below them, each as it was written.
#[derive(Debug, Clone, Default)]
pub(crate) struct FioOptions {
    options: BTreeMap<String, String>,
}

/// Engines that do one I/O after the other, whatever the depth says.
pub(crate) const SYNCHRONOUS: [&str; 7] =
    ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "ftruncate"];

/// A list of files that is longer is cut: no tool makes one.
const LONGEST_LIST: usize = 16_384;

/// What fio takes where nothing is said.
const USUAL_BLOCK_SIZE: &str = "4k";

impl FioOptions {
    // Later ones replace earlier ones: global options first, then the job's.
    pub(crate) fn new<'o>(options: impl IntoIterator<Item = (&'o str, &'o str)>) -> Self {
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in options {
            match all.get_mut(name) {
                // fio adds each further file to those before it, and lists the option again.
                Some(files) if name == "filename" && files != value && files.len() < LONGEST_LIST => {
                    files.push(':');
                    files.push_str(value);
                }
                _ => drop(all.insert(name.to_owned(), value.to_owned())),
            }
        }
        Self { options: all }
    }

    /// The first of several names of one option.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.options.get(*name)).map(String::as_str)
    }

    /// Whether a switch is on: fio writes it without a value, or with 1.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.get(&[name]).is_some_and(|value| !matches!(value.trim(), "0" | "false"))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.options.is_empty()
    }

    /// Copies of the job that ran.
    pub(crate) fn numjobs(&self) -> u64 {
        // What is not a number counts as one copy.
        self.get(&["numjobs"]).and_then(|text| text.trim().parse().ok()).unwrap_or(1)
    }

    /// The load. What is not set has fio's own default, which the result does not list; without any options
    /// nothing is known.
    pub(crate) fn load(&self, numjobs: u64, place: &str, notes: &mut Notes) -> StatedLoad {
        // All options are kept as they were written, whatever becomes of them below.
        let mut load = StatedLoad { options: self.options.clone(), ..StatedLoad::default() };
        // Without `rw` the result lists no options, and defaults must not be made up.
        let Some(rw) = self.get(&["rw", "readwrite"]) else { return load };
        let mut warn = |option: &str, value: &str| {
            notes.warn(
                format!("{place}.job options.{option}"),
                format!("`{}` is not understood", quote(value)),
            );
        };
        let (word, _) = rw.split_once(':').unwrap_or((rw, ""));
        let mix = || -> f64 {
            let percent = |names: &[&str]| self.get(names).and_then(|text| text.trim().parse::<f64>().ok());
            percent(&["rwmixread"])
                .or_else(|| percent(&["rwmixwrite"]).map(|write| 100.0 - write))
                .unwrap_or(50.0)
        };
        let known = match word.trim() {
            "read" => Some((Pattern::Sequential, 100.0)),
            "write" => Some((Pattern::Sequential, 0.0)),
            "rw" | "readwrite" => Some((Pattern::Sequential, mix())),
            "randread" => Some((Pattern::Random, 100.0)),
            "randwrite" => Some((Pattern::Random, 0.0)),
            "randrw" => Some((Pattern::Random, mix())),
            // Each block is discarded, and written after that.
            "trimwrite" => Some((Pattern::Sequential, 0.0)),
            "randtrimwrite" => Some((Pattern::Random, 0.0)),
            _ => None,
        };
        match (known, word.trim()) {
            (Some((pattern, percent)), _) => {
                (load.pattern, load.rwmix_read_percent) = (Some(pattern), Some(percent));
            }
            // Discards alone are no mix of reads and writes.
            (None, "trim") => load.pattern = Some(Pattern::Sequential),
            (None, "randtrim") => load.pattern = Some(Pattern::Random),
            (None, _) => warn("rw", rw),
        }
        // What is only partly random is neither.
        load.pattern = match self.get(&["percentage_random"]).map(str::trim) {
            None => load.pattern,
            Some("100") => Some(Pattern::Random),
            Some("0") => Some(Pattern::Sequential),
            Some(_) => None,
        };
        load.block_sizes = match self.block_sizes() {
            Ok(sizes) => sizes,
            Err((option, value)) => {
                warn(option, &value);
                Vec::new()
            }
        };
        let engine = self.get(&["ioengine"]).map(|text| text.split(':').next().unwrap_or(text).trim());
        load.engine = engine.map(str::to_owned);
        let is_synchronous = engine.is_some_and(|engine| SYNCHRONOUS.contains(&engine));
        let depth = self.get(&["iodepth"]).map(|text| (text, text.trim().parse::<u64>().ok()));
        load.iodepth = match depth {
            _ if is_synchronous => Some(1),
            None => Some(1),
            Some((_, Some(depth))) => Some(depth),
            Some((text, None)) => {
                warn("iodepth", text);
                None
            }
        };
        load.numjobs = Some(numjobs);
        // `buffered` is the opposite of `direct`, and the one that is listed was set.
        load.direct = Some(match self.get(&["buffered"]) {
            Some(buffered) => buffered.trim() == "0",
            None => self.is_on("direct"),
        });
        let sync = self.get(&["sync"]).map(str::trim);
        load.durability = match sync {
            Some("1" | "sync" | "dsync") => Some(Durability::Dsync),
            _ if self.flush_every("fdatasync").or(self.flush_every("fsync")).is_some() => {
                Some(Durability::Fdatasync)
            }
            // The default of fio: nothing is durable.
            _ => Some(Durability::None),
        };
        load.flush_every = self.flush_every("fdatasync").or_else(|| self.flush_every("fsync"));
        let directions = known.map_or([true, true], |(_, percent)| [percent > 0.0, percent < 100.0]);
        for (option, size) in
            [("rate_iops", Some(1.0)), ("rate", load.block_size().map(|size| size.get() as f64))]
        {
            // 0 is the default, no limit.
            let Some(text) = self.get(&[option]).filter(|text| text.trim() != "0") else { continue };
            match (self.rates(text, directions), size) {
                // Of one direction only.
                // One direction held back while the other runs free cannot be stated as one rate.
                _ if text.split(',').any(|rate| rate.trim().is_empty()) => load.paced = true,
                // A rate is for each copy.
                (Some(rate), Some(size)) => load.rate_iops = Some(rate * numjobs as f64 / size),
                (Some(_), None) => load.paced = true,
                (None, _) => warn(option, text),
            }
        }
        load.paced |= self.is_on("thinktime");
        load.targets = self.get(&["filename"]).map(files).unwrap_or_default();
        if load.targets.is_empty() {
            load.targets.extend(self.get(&["directory"]).map(str::to_owned));
        }
        // A share of the file, such as 100%, is not a size. `size=100%` is a share of what the file or device
        // has.
        load.size = self.get(&["size"]).and_then(|text| self.size(text)).map(ByteSize::bytes);
        for (option, slot) in [("runtime", &mut load.runtime_s), ("ramp_time", &mut load.ramp_s)] {
            if let Some(text) = self.get(&[option]) {
                *slot = parse_seconds(text);
                if slot.is_none() {
                    warn(option, text);
                }
            }
        }
        load
    }

    /// A size as fio reads it; without `kb_base=1000`, `k` and `ki` are 1,024 and `kib` is 1,000.
    fn size(&self, text: &str) -> Option<u64> {
        parse_size(text, self.get(&["kb_base"]).is_some_and(|base| base.trim() == "1000"))
    }

    /// The sum over the directions that the load has of `500`, which holds for each of them, or of `500,200`.
    fn rates(&self, text: &str, directions: [bool; 2]) -> Option<f64> {
        let mut parts = text.split(',');
        let read = parts.next()?;
        let write = parts.next().unwrap_or(read);
        let rates = [read, write].into_iter().zip(directions).filter(|(_, does)| *does);
        // Summed over the directions that the load has: the rate of the other one is without effect.
        rates.map(|(rate, _)| Some(self.size(rate)? as f64)).sum()
    }

    fn flush_every(&self, option: &str) -> Option<u64> {
        self.get(&[option]).and_then(|text| text.trim().parse().ok()).filter(|every| *every > 0)
    }

    fn block_sizes(&self) -> Result<Vec<StatedBlockSize>, (&'static str, String)> {
        if let Some(split) = self.get(&["bssplit"]) {
            return self.split_sizes(split).ok_or_else(|| ("bssplit", split.to_owned()));
        }
        if let Some(range) = self.get(&["bsrange", "blocksize_range"]) {
            let ends = || {
                let (low, high) = range.split(',').next()?.split_once('-')?;
                Some([self.size(low)?, self.size(high)?])
            };
            let ends = ends().ok_or_else(|| ("bsrange", range.to_owned()))?;
            // Only the ends: what fio draws between them is every multiple of the smallest.
            return Ok(ends.map(|size| block_size(None, size, None)).to_vec());
        }
        let sizes = self.get(&["bs", "blocksize"]).unwrap_or(USUAL_BLOCK_SIZE);
        let parsed: Option<Vec<u64>> = sizes
            .split(',')
            // `bs=,64k` leaves reads at the default.
            .map(|text| self.size(if text.trim().is_empty() { USUAL_BLOCK_SIZE } else { text }))
            .collect();
        let parsed = parsed.ok_or_else(|| ("bs", sizes.to_owned()))?;
        Ok(match parsed.as_slice() {
            [one] => vec![block_size(None, *one, None)],
            [read, write, ..] if read == write => vec![block_size(None, *read, None)],
            [read, write, ..] => vec![
                block_size(Some(Direction::Read), *read, None),
                block_size(Some(Direction::Write), *write, None),
            ],
            [] => Vec::new(),
        })
    }

    /// `4k/60:64k/40`, and behind a comma the same for writes. A share that is left out is shared by those
    /// without one.
    fn split_sizes(&self, text: &str) -> Option<Vec<StatedBlockSize>> {
        let lists: Vec<&str> = text.split(',').collect();
        let mut sizes = Vec::new();
        for (index, list) in lists.iter().enumerate().take(2) {
            let direction = (lists.len() > 1).then(|| Direction::ALL[index]);
            let parts: Option<Vec<(u64, Option<f64>)>> = list
                .split(':')
                .map(|part| {
                    let (size, share) = part.split_once('/').unwrap_or((part, ""));
                    let share = share.trim().trim_end_matches('%');
                    Some((self.size(size)?, if share.is_empty() { None } else { Some(share.parse().ok()?) }))
                })
                .collect();
            let parts = parts?;
            let left: f64 = 100.0 - parts.iter().filter_map(|(_, share)| *share).sum::<f64>();
            // Sizes without a share divide what is left.
            let without = parts.iter().filter(|(_, share)| share.is_none()).count().max(1) as f64;
            sizes.extend(
                parts.into_iter().map(|(size, share)| {
                    block_size(direction, size, share.or(Some((left / without).max(0.0))))
                }),
            );
        }
        Some(sizes)
    }
}

fn block_size(direction: Option<Direction>, bytes: u64, percent: Option<f64>) -> StatedBlockSize {
    StatedBlockSize { direction, size: ByteSize::bytes(bytes), percent }
}

/// Names are parted by colons; one in a name has a backslash before it.
fn files(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&':') => {
                chars.next();
                names.last_mut().expect("there is one").push(':');
            }
            ':' => names.push(String::new()),
            c => names.last_mut().expect("there is one").push(c),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// `k`, `kb` and `ki` are 1,024 and `kib` is 1,000, or the other way round where it is decimal.
fn parse_size(text: &str, is_decimal: bool) -> Option<u64> {
    let text = text.to_ascii_lowercase();
    let (number, unit) = number_and_unit(&text);
    let number: u64 = number.parse().ok()?;
    let prefix =
        unit.strip_suffix("ib").or_else(|| unit.strip_suffix('i')).or_else(|| unit.strip_suffix('b'));
    let power = match prefix.unwrap_or(unit) {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    // The other base only of all three letters: fio looks for `kib` and takes every other word that begins with `k` as `k`
    // (parse.c; tried with fio 3.33: `bs=4Ki` has 4,096 bytes and `bs=4KiB` 4,000, with kb_base=1000 the other way round).
    let base: u64 = if unit.ends_with("ib") == is_decimal { 1_024 } else { 1_000 };
    number.checked_mul(base.pow(power))
}

/// A time of fio: seconds where no unit follows.
fn parse_seconds(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text);
    let number: f64 = number.parse().ok()?;
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "m" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    Some(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(options: &[(&str, &str)]) -> (StatedLoad, usize) {
        let mut notes = Notes::default();
        let load = FioOptions::new(options.iter().copied()).load(1, "jobs[0]", &mut notes);
        (load, notes.take().len())
    }

    #[test]
    fn sizes_and_times_are_those_of_fio() {
        let sizes = [
            ("4k", 4_096),
            ("4K", 4_096),
            ("4kb", 4_096),
            ("4Ki", 4_096),
            ("4KiB", 4_000),
            ("1GB", 1 << 30),
            ("512", 512),
            ("512b", 512),
        ];
        for (text, bytes) in sizes {
            assert_eq!(parse_size(text, false), Some(bytes), "{text}");
        }
        assert_eq!(
            [parse_size("100%", false), parse_size("x", false), parse_size("99999999999999999999", false)],
            [None; 3]
        );
        let decimal = ["4k", "4ki", "4kib"].map(|text| parse_size(text, true));
        assert_eq!(decimal, [Some(4_000), Some(4_000), Some(4_096)]);
        assert_eq!(
            (parse_seconds("60"), parse_seconds("2m"), parse_seconds("soon")),
            (Some(60.0), Some(120.0), None)
        );
    }

    #[test]
    fn the_mix_of_the_load_is_read_from_its_options() {
        let (mixed, warnings) = load(&[
            ("rw", "randrw:4"),
            ("rwmixwrite", "30"),
            ("bs", "8k,64k"),
            ("iodepth", "32"),
            ("ioengine", "libaio"),
            ("direct", "1"),
            ("filename", "/dev/sda:F\\:\\file"),
            ("fdatasync", "1"),
        ]);
        assert_eq!(
            (mixed.pattern, mixed.rwmix_read_percent, warnings),
            (Some(Pattern::Random), Some(70.0), 0)
        );
        assert_eq!(mixed.block_size(), None);
        assert_eq!(mixed.block_sizes[1], block_size(Some(Direction::Write), 65_536, None));
        assert_eq!((mixed.iodepth, mixed.direct, mixed.flush_every), (Some(32), Some(true), Some(1)));
        assert_eq!(mixed.targets, ["/dev/sda", "F:\\file"]);
        assert_eq!(mixed.durability, Some(Durability::Fdatasync));
    }

    #[test]
    fn a_synchronous_engine_has_one_io_at_once_whatever_the_depth_says() {
        let (one, _) = load(&[("rw", "read"), ("iodepth", "64"), ("ioengine", "psync")]);
        assert_eq!((one.iodepth, one.options["iodepth"].as_str()), (Some(1), "64"));
    }

    #[test]
    fn shares_of_sizes_are_kept_and_what_is_not_understood_is_told() {
        let (split, _) = load(&[("rw", "randread"), ("bssplit", "4k/60:64k/")]);
        assert_eq!(
            split.block_sizes,
            [block_size(None, 4_096, Some(60.0)), block_size(None, 65_536, Some(40.0))]
        );
        let (odd, warnings) = load(&[("rw", "odd"), ("bs", "big"), ("iodepth", "deep"), ("runtime", "soon")]);
        assert_eq!((odd.pattern, warnings), (None, 4));
        let (unknown, warnings) = load(&[("name", "x")]);
        assert_eq!(
            (unknown.iodepth, unknown.direct, warnings),
            (None, None, 0),
            "nothing is known without rw"
        );
    }
}
