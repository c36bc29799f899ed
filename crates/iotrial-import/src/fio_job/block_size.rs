//! The sizes of a job's I/Os.

use iotrial_model::units::ByteSize;

use super::job::JobReader;
use super::value::{KbBase, by_direction, number};

/// One size, or several by weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BlockSize {
    /// Size in bytes and weight; never empty.
    shares: Vec<(u64, u64)>,
    /// Where they come from.
    pub origin: String,
}

/// What fio takes where nothing is said.
// fio's default for `bs`.
const USUAL_BYTES: u64 = 4096;

/// A profile with more sizes would be hard to read, and no load needs them.
const MOST_SIZES: u64 = 64;

/// The largest I/O of a profile.
const LARGEST: ByteSize = ByteSize::mib(64);

impl BlockSize {
    /// That of fio where nothing is said.
    pub(super) fn usual() -> Self {
        Self { shares: vec![(USUAL_BYTES, 1)], origin: "bs is not given".to_owned() }
    }

    /// The largest size.
    pub(super) fn largest(&self) -> ByteSize {
        ByteSize::bytes(self.shares.iter().map(|(size, _)| *size).max().unwrap_or(USUAL_BYTES))
    }

    /// The smallest size.
    pub(super) fn smallest(&self) -> ByteSize {
        ByteSize::bytes(self.shares.iter().map(|(size, _)| *size).min().unwrap_or(USUAL_BYTES))
    }

    /// The key of the profile, and its value.
    pub(super) fn toml(&self) -> (&'static str, String) {
        if let [(size, _)] = self.shares[..] {
            return ("block_size", toml_size(ByteSize::bytes(size)));
        }
        let share = |(size, weight): &(u64, u64)| {
            format!("{{ size = {}, weight = {weight} }}", toml_size(ByteSize::bytes(*size)))
        };
        let shares: Vec<String> = self.shares.iter().map(share).collect();
        ("block_sizes", format!("[{}]", shares.join(", ")))
    }
}

/// A size as a profile has it, exactly.
pub(super) fn toml_size(size: ByteSize) -> String {
    // Only exact units: a profile must say the same number of bytes as the job.
    let units = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    let bytes = size.get();
    let exact = units.iter().find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit));
    exact.map_or_else(|| format!("\"{bytes}B\""), |(name, unit)| format!("\"{}{name}\"", bytes / unit))
}

/// Sizes in bytes with their weights.
type Shares = Vec<(u64, u64)>;

/// Reads the value of one option.
type Parse = fn(&str, KbBase) -> Result<Shares, String>;

/// Reads `bssplit`, `bsrange` or `bs`, of which the first that is there holds.
pub(super) fn read_block_size(reader: &mut JobReader<'_, '_>, reads: bool, writes: bool) -> BlockSize {
    let usual = BlockSize::usual;
    let kinds: [(&str, Parse); 3] = [("bssplit", split), ("bsrange", range), ("bs", one)];
    let Some((setting, parse)) = kinds.iter().find_map(|(name, parse)| Some((reader.setting(name)?, *parse)))
    else {
        return usual();
    };
    let [read, write] = by_direction(setting.value.as_deref().unwrap_or_default());
    let of = |text: Option<&str>| {
        text.map_or_else(|| Ok(vec![(USUAL_BYTES, 1)]), |text| parse(text, reader.base()))
    };
    let shares = match (reads, writes) {
        (true, false) => of(read),
        (false, true) => of(write),
        _ => of(read).and_then(|read| {
            if read == of(write)? {
                Ok(read)
            } else {
                Err("a job of iotrial reads and writes the same sizes; make a job for each direction"
                    .to_owned())
            }
        }),
    };
    let shares = shares.and_then(checked);
    match shares {
        Ok(shares) => {
            let size = BlockSize { shares, origin: super::job::origin_of(setting) };
            check_alignment(reader, &size);
            size
        }
        Err(message) => {
            reader.refuse(setting, &message);
            usual()
        }
    }
}

fn check_alignment(reader: &mut JobReader<'_, '_>, size: &BlockSize) {
    let Some(setting) = reader.setting("ba") else { return };
    let text = setting.value.as_deref().unwrap_or_default();
    let aligned: Result<Vec<u64>, String> =
        by_direction(text).into_iter().flatten().map(|part| number(part, reader.base())).collect();
    match aligned {
        // Zero means that the block size is the alignment.
        Ok(aligned) if aligned.iter().all(|bytes| *bytes == size.smallest().get() || *bytes == 0) => {}
        Ok(_) => reader.refuse(setting, "iotrial aligns offsets to the smallest block size"),
        Err(message) => reader.refuse(setting, &message),
    }
}

/// A single size, such as `8k`.
fn one(text: &str, base: KbBase) -> Result<Shares, String> {
    Ok(vec![(number(text, base)?, 1)])
}

/// `4k-64k`: every multiple of the first is as likely as any other.
fn range(text: &str, base: KbBase) -> Result<Shares, String> {
    let (low, high) = text.split_once(['-', ':']).ok_or("a range is written as in 4k-64k")?;
    let (low, high) = (number(low, base)?, number(high, base)?);
    if low == 0 || high < low {
        return Err("a range goes from a smaller size to a larger one".to_owned());
    }
    if !high.is_multiple_of(low) {
        return Err("the larger size must be a multiple of the smaller one".to_owned());
    }
    if high / low > MOST_SIZES {
        return Err(format!("it has more than {MOST_SIZES} sizes; name the important ones with bssplit"));
    }
    Ok((1..=high / low).map(|factor| (factor * low, 1)).collect())
}

/// `4k/10:64k/50:32k/40`: sizes and percentages; those without one share what is left.
fn split(text: &str, base: KbBase) -> Result<Shares, String> {
    let mut shares = Vec::new();
    for part in text.split(':').map(str::trim).filter(|part| !part.is_empty()) {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent.trim() {
            "" => None,
            percent => Some(number(percent, base)?),
        };
        shares.push((number(size, base)?, percent));
    }
    // Sums of a stranger's numbers; above 100 they are refused anyway.
    let given = shares.iter().filter_map(|(_, percent)| *percent).fold(0_u64, u64::saturating_add);
    if shares.is_empty() || given > 100 {
        return Err("the percentages must be 100 together".to_owned());
    }
    let open = shares.iter().filter(|(_, percent)| percent.is_none()).count() as u64;
    let rest = 100 - given;
    if open == 0 {
        // As fio draws it: the last one has whatever the others leave.
        if let Some((_, percent)) = shares.last_mut() {
            *percent = percent.map(|percent| percent + rest);
        }
    }
    // Weights are whole numbers: hundredths of a percent where the rest does not divide.
    // Weights are whole numbers, so percentages are multiplied by the number of open parts, which share the
    // rest evenly.
    let scale = open.max(1);
    let mut weighed: Shares = Vec::new();
    for (size, percent) in shares {
        let weight = percent.map_or(rest, |percent| percent * scale);
        // One size may be given twice, and fio adds the shares up.
        match weighed.iter_mut().find(|(known, _)| *known == size) {
            Some((_, known)) => *known += weight,
            None => weighed.push((size, weight)),
        }
    }
    weighed.retain(|(_, weight)| *weight > 0);
    weighed.sort_unstable();
    Ok(weighed)
}

/// What a profile takes.
fn checked(shares: Shares) -> Result<Shares, String> {
    let smallest = shares.iter().map(|(size, _)| *size).min().unwrap_or(0);
    for (size, _) in &shares {
        if *size == 0 || !size.is_multiple_of(512) || *size > LARGEST.get() {
            return Err(format!(
                "a block of a profile is a multiple of 512 bytes up to {LARGEST}, not {size} bytes"
            ));
        }
        if !size.is_multiple_of(smallest) {
            return Err(format!(
                "every size must be a multiple of the smallest, {}, not {}",
                ByteSize::bytes(smallest),
                ByteSize::bytes(*size)
            ));
        }
    }
    if shares.is_empty() { Err("it names no size".to_owned()) } else { Ok(shares) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_gives_what_is_left_to_those_without_a_share() {
        let check = |text: &str, expected: &[(u64, u64)]| {
            assert_eq!(split(text, KbBase::Binary).as_deref(), Ok(expected), "{text}");
        };
        check("4k/10:64k/50:32k/40", &[(4096, 10), (32768, 40), (65536, 50)]);
        check("4k/50:64k:32k", &[(4096, 100), (32768, 50), (65536, 50)]);
        check("4k/50:64k/20", &[(4096, 50), (65536, 50)]);
        check("4k/50:4k/50", &[(4096, 100)]);
        assert!(split("4k/90:8k/20", KbBase::Binary).is_err());
        assert!(split("", KbBase::Binary).is_err());
    }

    #[test]
    fn a_range_has_every_multiple_of_its_smaller_size() {
        assert_eq!(range("4k-16k", KbBase::Binary), Ok(vec![(4096, 1), (8192, 1), (12288, 1), (16384, 1)]));
        assert!(range("512-1m", KbBase::Binary).unwrap_err().contains("more than 64"));
        assert!(range("8k-4k", KbBase::Binary).is_err());
    }
}
