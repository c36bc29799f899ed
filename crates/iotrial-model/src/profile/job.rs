//! One job of a profile.

use crate::load::{Durability, Pattern, Role, Spacing};
use crate::plan::Arrival;
use crate::toml_reader::TableReader;
use crate::units::{ByteSize, Rate};

/// Every block is a multiple of this many bytes; the plan also holds it against the target's sector.
const SMALLEST_SECTOR: ByteSize = ByteSize::bytes(512);

/// One homogeneous load.
#[derive(Debug, Clone, PartialEq)]
pub struct JobProfile {
    /// Unique within the profile.
    pub name: String,
    /// What it stands for; decides how it is judged.
    pub role: Role,
    /// How offsets follow one another.
    pub pattern: Pattern,
    /// Share of reads: 0 is all writes, 100 is all reads.
    pub rwmix_read_percent: u8,
    /// Size of one I/O, a multiple of 512 bytes.
    pub block_size: ByteSize,
    /// Outstanding I/Os of each copy.
    pub iodepth: u32,
    /// Number of parallel copies.
    pub numjobs: u32,
    /// Size of its file in a full run; `--size` scales all files in proportion.
    pub size: ByteSize,
    /// Share of the file that is touched, 1 to 100.
    pub working_set_percent: u8,
    /// When a write counts as done.
    pub durability: Durability,
    /// The rate of an open load, all copies together; `None` is a closed load.
    pub rate: Option<Rate>,
    /// How the I/Os of an open load follow one another.
    pub spacing: Spacing,
}

impl JobProfile {
    /// When it issues its I/Os.
    #[expect(clippy::cast_precision_loss, reason = "a block is at most 64 MiB")]
    pub fn arrival(&self) -> Arrival {
        let Some(rate) = self.rate else { return Arrival::Closed };
        let iops = match rate {
            Rate::Iops(iops) => iops,
            Rate::BytesPerSecond(bytes) => bytes / self.block_size.get() as f64,
        };
        Arrival::Open { iops, spacing: self.spacing }
    }

    /// Outstanding I/Os of all copies together.
    pub fn total_iodepth(&self) -> u32 {
        self.iodepth * self.numjobs
    }

    /// Reads the table of one job.
    pub(super) fn read(table: &mut TableReader<'_>) -> Option<Self> {
        fn words<T: Copy>(all: &[T], as_str: impl Fn(T) -> &'static str) -> Vec<(&'static str, T)> {
            all.iter().map(|one| (as_str(*one), *one)).collect()
        }
        let name = table.required("name", TableReader::text);
        let role = table.required("role", |t, key| t.word(key, &words(Role::ALL, Role::as_str)));
        let pattern = table.required("pattern", |t, key| t.word(key, &words(Pattern::ALL, Pattern::as_str)));
        let durability = table.word("durability", &words(Durability::ALL, Durability::as_str));
        let read_percent = table.required("rwmix_read_percent", |t, key| t.integer(key, 0..=100));
        let working_set_percent = table.integer("working_set_percent", 1..=100).unwrap_or(100);
        let iodepth = table.required("iodepth", |t, key| t.integer(key, 1..=4096));
        let numjobs = table.integer("numjobs", 1..=1024).unwrap_or(1);
        let block_size = table.required("block_size", TableReader::size);
        let size = table.required("size", TableReader::size);
        let rate = table.rate("rate");
        let spacing = table.word("spacing", &words(Spacing::ALL, Spacing::as_str));

        let name = name?;
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            return table
                .refuse("name", format!("a job name has letters, digits, `-` and `_` only, not `{name}`"));
        }
        let block_size = block_size?;
        if block_size.get() == 0
            || block_size.get() % SMALLEST_SECTOR.get() != 0
            || block_size > ByteSize::mib(64)
        {
            let message =
                format!("`block_size` must be a multiple of 512 bytes up to 64 MiB, not {block_size}");
            return table.refuse("block_size", message);
        }
        let size = size?;
        if size < block_size {
            return table
                .refuse("size", format!("`size` must hold at least one block of {block_size}, not {size}"));
        }
        let read_percent = read_percent?;
        let durability = durability.unwrap_or(Durability::None);
        if durability == Durability::Dsync && read_percent == 100 {
            return table
                .refuse("durability", "`durability` needs writes, and this job only reads".to_owned());
        }
        if spacing.is_some() && rate.is_none() {
            return table.refuse("spacing", "`spacing` is for an open load, which needs a `rate`".to_owned());
        }
        Some(Self {
            name,
            role: role?,
            pattern: pattern?,
            rwmix_read_percent: u8::try_from(read_percent).ok()?,
            block_size,
            iodepth: u32::try_from(iodepth?).ok()?,
            numjobs: u32::try_from(numjobs).ok()?,
            size,
            working_set_percent: u8::try_from(working_set_percent).ok()?,
            durability,
            rate,
            spacing: spacing.unwrap_or(Spacing::Poisson),
        })
    }
}
