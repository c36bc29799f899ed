//! One job of a profile.

use crate::load::{
    BlockShare, BlockSizes, Bursts, Direction, Distribution, Durability, FollowedOp, GroupCommit, LogTail,
    Pattern, Role, Spacing,
};
use crate::toml_reader::TableReader;
use crate::units::{ByteSize, Rate};

/// Every block is a multiple of this many bytes; the plan also compares it with the target's sector.
// The smallest sector of any disk. The sectors of the target are known to the plan only.
const SMALLEST_SECTOR: ByteSize = ByteSize::bytes(512);

/// No I/O is larger.
// Far above what a database writes at once, and small enough that the buffers of a deep queue fit into
// memory.
const LARGEST_BLOCK: ByteSize = ByteSize::mib(64);

/// Beyond this nearly every I/O of a zipf distribution goes to one block.
// At θ = 5 the first rank has 1 / ζ(5), 96 % of all I/Os.
const MOST_ZIPF_THETA: f64 = 5.0;

/// One homogeneous load.
#[derive(Debug, Clone, PartialEq)]
pub struct JobProfile {
    /// Unique within the profile.
    pub name: String,
    /// What it represents in the database; decides how it is judged.
    pub role: Role,
    /// How offsets follow one another.
    pub pattern: Pattern,
    /// How evenly random offsets are spread.
    pub distribution: Distribution,
    /// Share of reads: 0 is all writes, 100 is all reads.
    pub rwmix_read_percent: u8,
    /// Sizes of the I/Os, multiples of 512 bytes; of a group commit, the block of the log.
    pub block_size: BlockSizes,
    /// Outstanding I/Os of each copy.
    pub iodepth: u32,
    /// Number of parallel copies.
    pub numjobs: u32,
    /// Whether so many run on each target of its role, and not on all together.
    pub is_per_target: bool,
    /// Size of its file in a full run; `--size` scales all files in proportion.
    pub size: ByteSize,
    /// Share of the file that is touched, 1 to 100.
    pub working_set_percent: u8,
    /// When a write counts as done.
    pub durability: Durability,
    /// Of the writes of a copy, one in this many is durable.
    pub flush_every: u32,
    /// The rate of an open load, all copies together; `None` is a closed load, unless it follows another job.
    pub rate: Option<Rate>,
    /// How the I/Os of an open load follow one another.
    pub spacing: Spacing,
    /// Whether an open load comes in bursts.
    pub bursts: Option<Bursts>,
    /// Whether its I/Os are due when those of another job are done.
    pub follow: Option<Follow>,
    /// Whether several commits become one write.
    pub group_commit: Option<GroupCommit>,
}

/// A job does `ratio` I/Os for each one of another job.
#[derive(Debug, Clone, PartialEq)]
pub struct Follow {
    /// Name of the other job.
    pub job: String,
    /// Which of its I/Os count.
    pub per: FollowedOp,
    /// I/Os, or commits of a group commit, for each of these; more than zero.
    pub ratio: f64,
}

impl JobProfile {
    /// Outstanding I/Os of all copies together.
    pub fn total_iodepth(&self) -> u32 {
        self.iodepth * self.numjobs
    }

    /// The largest I/O.
    pub fn largest_io(&self) -> ByteSize {
        self.group_commit.map_or_else(|| self.block_size.largest(), |group| group.largest_write)
    }

    /// The rate of an open load in arrivals per second: I/Os, or commits of a group commit.
    pub(crate) fn arrivals_per_s(&self) -> Option<f64> {
        let bytes_each = self
            .group_commit
            .map_or_else(|| self.block_size.mean_bytes(), |group| group.commit_size.get() as f64);
        self.rate.map(|rate| match rate {
            Rate::Iops(iops) => iops,
            Rate::BytesPerSecond(bytes) => bytes / bytes_each,
        })
    }

    /// The same in bytes per second.
    pub(super) fn bytes_per_s(&self) -> Option<f64> {
        let bytes_each = self
            .group_commit
            .map_or_else(|| self.block_size.mean_bytes(), |group| group.commit_size.get() as f64);
        self.arrivals_per_s().map(|iops| iops * bytes_each)
    }

    /// Whether its I/Os are issued as others complete: it has no rate, and follows nothing.
    pub fn is_closed(&self) -> bool {
        self.rate.is_none() && self.follow.is_none()
    }

    /// Whether any of its I/Os is one of these.
    pub(super) fn does(&self, op: FollowedOp) -> bool {
        (op.includes(Direction::Read) && self.rwmix_read_percent > 0)
            || (op.includes(Direction::Write) && self.rwmix_read_percent < 100)
    }

    /// Reads the table of one job.
    pub(super) fn read(table: &mut TableReader<'_>) -> Option<Self> {
        let name = table.required("name", TableReader::text);
        let role = table.required("role", |t, key| t.word(key, &words(Role::ALL, Role::as_str)));
        let pattern = table.required("pattern", |t, key| t.word(key, &words(Pattern::ALL, Pattern::as_str)));
        let read_percent = table.required("rwmix_read_percent", |t, key| t.integer(key, 0..=100));
        let working_set_percent = table.integer("working_set_percent", 1..=100).unwrap_or(100);
        // A choice that keeps products of depth and copies within 32 bits.
        let iodepth = table.required("iodepth", |t, key| t.integer(key, 1..=4096));
        let numjobs = table.integer("numjobs", 1..=1024).unwrap_or(1);
        let is_per_target = table.boolean("per_target").unwrap_or(false);
        let block_size = read_block_size(table);
        let size = table.required("size", TableReader::size);
        let distribution = read_distribution(table, pattern);
        let (durability, flush_every) = read_durability(table, read_percent);
        let rate = table.rate("rate");
        let spacing = table.word("spacing", &words(Spacing::ALL, Spacing::as_str));
        let bursts = table.table("bursts", read_bursts);
        let follow = table.table("follow", read_follow);
        let group_commit = table.table("group_commit", read_group_commit);

        let name = name?;
        // The name becomes the name of a file, on every system.
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            return table
                .refuse("name", format!("a job name has letters, digits, `-` and `_` only, not `{name}`"));
        }
        let job = Self {
            name,
            role: role?,
            pattern: pattern?,
            distribution: distribution?,
            rwmix_read_percent: u8::try_from(read_percent?).ok()?,
            block_size: block_size?,
            iodepth: u32::try_from(iodepth?).ok()?,
            numjobs: u32::try_from(numjobs).ok()?,
            is_per_target,
            size: size?,
            working_set_percent: u8::try_from(working_set_percent).ok()?,
            durability,
            flush_every,
            rate,
            // Requests of many users arrive independently of each other, which is Poisson; evenly spaced
            // arrivals hardly queue and flatter a device.
            spacing: spacing.unwrap_or(Spacing::Poisson),
            bursts,
            follow,
            group_commit,
        };
        job.check_arrival(table, spacing.is_some())?;
        job.check_group_commit(table)?;
        let largest = job.largest_io();
        if job.size < largest {
            let message = format!("`size` must hold at least one block of {largest}, not {}", job.size);
            return table.refuse("size", message);
        }
        Some(job)
    }

    fn check_arrival(&self, table: &TableReader<'_>, has_spacing: bool) -> Option<()> {
        let refuse = |key: &str, message: &str| table.refuse(key, message.to_owned());
        if self.follow.is_some() && self.rate.is_some() {
            return refuse("follow", "a job has a `rate` or follows another one, not both");
        }
        // A rate that is there and wrong has been reported already.
        let has_rate = self.rate.is_some() || table.has("rate");
        if has_spacing && !has_rate {
            return refuse("spacing", "`spacing` is for an open load, which needs a `rate`");
        }
        if self.bursts.is_some() && !has_rate {
            return refuse(
                "bursts",
                "`bursts` are for an open load, which needs a `rate`: the mean over whole periods",
            );
        }
        Some(())
    }

    fn check_group_commit(&self, table: &TableReader<'_>) -> Option<()> {
        let Some(GroupCommit { commit_size, largest_write, tail }) = self.group_commit else {
            return Some(());
        };
        let refuse = |message: String| table.refuse("group_commit", message);
        if self.role != Role::Log {
            let message = format!("`group_commit` is for the role `log`, and this job is `{}`", self.role);
            return refuse(message);
        }
        // The log's place in a file and its order are what group commit is about; a mix with reads has
        // neither.
        if self.pattern != Pattern::Sequential || self.rwmix_read_percent > 0 {
            return refuse("`group_commit` needs a log that is written in sequence: `pattern = \"sequential\"`, `rwmix_read_percent = 0`".to_owned());
        }
        if self.durability == Durability::None || self.flush_every > 1 {
            return refuse("`group_commit` needs writes that are all durable: `durability = \"dsync\"` or `\"fdatasync\"`".to_owned());
        }
        if self.rate.is_none() && self.follow.is_none() && !table.has("rate") && !table.has("follow") {
            return refuse("`group_commit` needs a rate of commits: give the job a `rate`, or let it `follow` another one".to_owned());
        }
        if !self.block_size.shares().is_empty() {
            return refuse("`group_commit` takes one `block_size`, the block of the log".to_owned());
        }
        let block = self.block_size.unit();
        // The log grows by whole blocks.
        if !largest_write.get().is_multiple_of(block.get()) || largest_write > LARGEST_BLOCK {
            return refuse(format!(
                "`largest_write` must be a multiple of `block_size`, {block}, up to {LARGEST_BLOCK}, not {largest_write}"
            ));
        }
        // A commit that begins in a block that is written again ends one block later.
        let least = if tail == LogTail::Rewrite { commit_size + block } else { commit_size };
        if commit_size.get() == 0 || least > largest_write {
            return refuse(format!(
                "`largest_write` must hold at least one commit of {commit_size}{}",
                if tail == LogTail::Rewrite { " and a block that is written again" } else { "" }
            ));
        }
        if tail == LogTail::Rewrite && self.iodepth > 1 {
            return refuse("a log with `tail = \"rewrite\"` begins each write with the last block of the one before, so only one write is in flight at a time: `iodepth = 1`".to_owned());
        }
        Some(())
    }
}

fn words<T: Copy>(all: &[T], as_str: impl Fn(T) -> &'static str) -> Vec<(&'static str, T)> {
    all.iter().map(|one| (as_str(*one), *one)).collect()
}

/// `block_size`, or `block_sizes` with their weights.
fn read_block_size(table: &mut TableReader<'_>) -> Option<BlockSizes> {
    if table.has("block_sizes") {
        if table.has("block_size") {
            // Read although it is refused, so that it is not reported as unknown as well.
            table.size("block_size");
            return table
                .refuse("block_sizes", "a job has `block_size` or `block_sizes`, not both".to_owned());
        }
        let shares = table.tables("block_sizes", |share| {
            let size = share.required("size", TableReader::size);
            let weight = share.required("weight", |t, key| t.integer(key, 1..=1_000_000));
            // Checked after both keys were read, so that one mistake does not hide the other.
            let size = check_block(share, "size", size?)?;
            Some(BlockShare { size, weight: u32::try_from(weight?).ok()? })
        })?;
        let unit = shares.iter().map(|share| share.size).min()?;
        // Offsets are multiples of the smallest size, so a larger one that is no multiple would overlap its
        // neighbours by halves.
        if let Some(misfit) = shares.iter().find(|share| !share.size.get().is_multiple_of(unit.get())) {
            let message =
                format!("every size must be a multiple of the smallest, {unit}, not {}", misfit.size);
            return table.refuse("block_sizes", message);
        }
        return BlockSizes::mix(shares);
    }
    let size = table.required("block_size", TableReader::size)?;
    check_block(table, "block_size", size).map(BlockSizes::one)
}

fn check_block(table: &TableReader<'_>, key: &str, size: ByteSize) -> Option<ByteSize> {
    if size.get() == 0 || !size.get().is_multiple_of(SMALLEST_SECTOR.get()) || size > LARGEST_BLOCK {
        let message = format!("`{key}` must be a multiple of 512 bytes up to {LARGEST_BLOCK}, not {size}");
        return table.refuse(key, message);
    }
    Some(size)
}

fn read_distribution(table: &mut TableReader<'_>, pattern: Option<Pattern>) -> Option<Distribution> {
    let kind = table.word("distribution", &[("uniform", 'u'), ("zipf", 'z'), ("hotspot", 'h')]);
    let theta = table.number("zipf_theta");
    let hot_io_percent = table.integer("hot_io_percent", 1..=99);
    let hot_space_percent = table.integer("hot_space_percent", 1..=99);
    let kind = kind.unwrap_or('u');
    if kind != 'u' && pattern == Some(Pattern::Sequential) {
        return table.refuse("distribution", "`distribution` is for `pattern = \"random\"`".to_owned());
    }
    if kind != 'z' && theta.is_some() {
        return table.refuse("zipf_theta", "`zipf_theta` is for `distribution = \"zipf\"`".to_owned());
    }
    for (key, value) in [("hot_io_percent", hot_io_percent), ("hot_space_percent", hot_space_percent)] {
        if kind != 'h' && value.is_some() {
            return table.refuse(key, format!("`{key}` is for `distribution = \"hotspot\"`"));
        }
        if kind == 'h' && value.is_none() && !table.has(key) {
            return table.refuse("distribution", format!("`distribution = \"hotspot\"` needs `{key}`"));
        }
    }
    match kind {
        'z' if !table.has("zipf_theta") => table
            .refuse("distribution", "`distribution = \"zipf\"` needs `zipf_theta`, such as 0.99".to_owned()),
        'z' => {
            let theta = theta?;
            // At 0 it would be the uniform distribution under another name.
            if theta == 0.0 || theta > MOST_ZIPF_THETA {
                let message =
                    format!("`zipf_theta` must be more than 0 and at most {MOST_ZIPF_THETA}, not {theta}");
                return table.refuse("zipf_theta", message);
            }
            Some(Distribution::Zipf { theta })
        }
        'h' => {
            let (io_percent, space_percent) = (hot_io_percent?, hot_space_percent?);
            if io_percent <= space_percent {
                let message = format!(
                    "`hot_io_percent` must be more than `hot_space_percent`, {space_percent}, or there is no hot spot; it is {io_percent}"
                );
                return table.refuse("hot_io_percent", message);
            }
            Some(Distribution::Hotspot {
                hot_io_percent: u8::try_from(io_percent).ok()?,
                hot_space_percent: u8::try_from(space_percent).ok()?,
            })
        }
        _ => Some(Distribution::Uniform),
    }
}

/// When a write is done, and which writes wait for it; what is wrong is noted.
fn read_durability(table: &mut TableReader<'_>, read_percent: Option<u64>) -> (Durability, u32) {
    let durability =
        table.word("durability", &words(Durability::ALL, Durability::as_str)).unwrap_or(Durability::None);
    let flush_every = table.integer("flush_every", 1..=1_000_000);
    if durability != Durability::None && read_percent == Some(100) {
        table.refuse::<()>("durability", "`durability` needs writes, and this job only reads".to_owned());
    }
    if durability == Durability::None && flush_every.is_some() {
        table.refuse::<()>("flush_every", "`flush_every` needs a `durability` other than `none`".to_owned());
    }
    (durability, flush_every.and_then(|count| u32::try_from(count).ok()).unwrap_or(1))
}

fn read_bursts(table: &mut TableReader<'_>) -> Option<Bursts> {
    let period = table.required("period", TableReader::duration);
    let spread = table.required("spread", TableReader::duration);
    let (period, spread) = (period?, spread?);
    if spread.is_zero() || spread > period {
        return table
            .refuse("spread", "`spread` must be more than zero and not longer than `period`".to_owned());
    }
    Some(Bursts { period, spread })
}

fn read_follow(table: &mut TableReader<'_>) -> Option<Follow> {
    let job = table.required("job", TableReader::text);
    let per = table.word("per", &words(FollowedOp::ALL, FollowedOp::as_str)).unwrap_or(FollowedOp::Any);
    let ratio = table.required("ratio", TableReader::number)?;
    // The upper end is a bound for hostile files.
    if ratio == 0.0 || ratio > 10_000.0 {
        return table.refuse("ratio", format!("`ratio` must be more than 0 and at most 10000, not {ratio}"));
    }
    Some(Follow { job: job?, per, ratio })
}

fn read_group_commit(table: &mut TableReader<'_>) -> Option<GroupCommit> {
    let commit_size = table.required("commit_size", TableReader::size);
    let largest_write = table.required("largest_write", TableReader::size);
    let tail = table.word("tail", &words(LogTail::ALL, LogTail::as_str)).unwrap_or(LogTail::Pad);
    Some(GroupCommit { commit_size: commit_size?, largest_write: largest_write?, tail })
}
